
# Files beside this one, in all the ways they are named.
ORDER=
. $(dirname ${BASH_SOURCE[0]})/parts/one.sh
source "$(dirname "${BASH_SOURCE[0]}")/parts/one.sh"
source ./parts/one.sh
source parts/one.sh
source $(readlink -f $(dirname ${BASH_SOURCE[0]}))/parts/one.sh
[ -f parts/one.sh ] && source parts/one.sh
source parts/missing.sh 2>/dev/null || MISSED=yes
AFTER=$FROM_ONE:$BASH_SOURCE
if [ -z "$GUARD" ]; then
  GUARD=1
  source ${BASH_SOURCE[0]%/*}/sources.sh
fi
