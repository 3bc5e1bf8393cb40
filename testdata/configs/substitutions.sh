# SPDX-License-Identifier: Apache-2.0
# Substitutions of commands whose output follows from the text.
HERE=$(dirname ${BASH_SOURCE[0]})
QUOTED_HERE="$(dirname "${BASH_SOURCE[0]}")"
SELF=$(basename ${BASH_SOURCE[0]}) WITHOUT=$(basename ${BASH_SOURCE[0]} .sh) UNKNOWN_BACKQUOTED=`basename "$BASH_SOURCE"`
REAL=$(readlink -f ${BASH_SOURCE[0]}) PATH_REAL=$(realpath "${BASH_SOURCE[0]}")
UNKNOWN_FOLDER=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
UNKNOWN_FOLDER2="$( cd -- "$( dirname -- "${BASH_SOURCE[0]}" )" &> /dev/null && pwd )"
FULL=$(basename $(readlink -f ${BASH_SOURCE[0]}) | sed 's/^sub//; s/\.sh$//')
export SYSTEM=$(basename $(readlink -f ${BASH_SOURCE[0]}) | sed -e 's/^config_//' -e 's/\.sh$//')
SED_GLOBAL=$(echo "a.b.c" | sed 's/\./-/g') UNKNOWN_SED_GROUP=$(echo "1x8x32" | sed -E 's/^([0-9]+)x([0-9]+).*/\2 \1/') SED_BAR=$(echo a/b | sed 's|/|:|') UNKNOWN_SED_AND=$(echo ab | sed 's/b/[&]/') UNKNOWN_SED_BASIC=$(echo aab | sed 's/\(a*\)b/<\1>/')
ROOT=$(dirname /a) SLASHES=$(dirname a//b//) NOTHING=$(dirname a) TOP=$(dirname /) BASE_SLASH=$(basename /a/b/) BASE_SAME=$(basename .sh .sh)
ECHO=$(echo a   b "c  d") NO_NEWLINE=$(echo -n x)y TWO=$(echo a; echo b) TRIMMED="$(echo end; echo; echo)|"
EXPR=$(expr 2 + 3 \* 4) EXPR_SAME=$(expr 08 / 3 - 1) NESTED=$(echo $(echo $(echo deep)))
INNER=1
OUTPUT=$(INNER=2; echo $INNER)
STAYS=$INNER
CHAIN=$(false || echo second) STATUS=$(false)$?
PIPE=$(echo one | sed s/one/six/ | sed s/six/two/)
REDIRECTED=$(echo gone >/dev/null; echo kept 2>/dev/null)
