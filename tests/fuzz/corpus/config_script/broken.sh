
BEFORE=1
if [ 1 = 1 ]; then
  INSIDE=1
AFTER="1
