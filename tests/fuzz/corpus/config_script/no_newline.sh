
export LAST=1 # no newline