# SPDX-License-Identifier: Apache-2.0
# What cannot be known without running stays unknown, and nothing else does.
KNOWN=1
UNKNOWN_COMMAND=$(uname -a)
UNKNOWN_RANDOM=$RANDOM
UNKNOWN_DERIVED="x${UNKNOWN_RANDOM}y"
UNKNOWN_MATH=$((UNKNOWN_RANDOM + 1))
KNOWN_MATH=$((0 * 3))
export UNKNOWN_PATH=/opt/bin:$PATH
UNKNOWN_HOST=$HOSTNAME
KNOWN_EITHER=same
if [ "$UNKNOWN_RANDOM" -gt 5 ]; then UNKNOWN_BRANCH=1; KNOWN_EITHER=same; else UNKNOWN_BRANCH=2; fi
if uname >/dev/null 2>&1; then UNKNOWN_IF=1; fi
uname >/dev/null 2>&1 && UNKNOWN_AND=1
KNOWN_FALSE=$([ 1 = 2 ] && uname; echo x)
UNKNOWN_OUTPUT=$(uname -s; echo x)
UNKNOWN_LOOP=$(ls / | head -1)
which true >/dev/null 2>&1 && UNKNOWN_WHILE=1
KNOWN_LATER=${KNOWN:-$UNKNOWN_RANDOM}
KNOWN_AFTER=1
[[ $UNKNOWN_RANDOM == 1 && 1 == 2 ]] && NEVER=1
[[ 1 == 1 || $UNKNOWN_RANDOM == 1 ]] && KNOWN_CONDITION=1
UNKNOWN_HOME=~/data
UNKNOWN_RANDOM2=${UNKNOWN_RANDOM:-fallback}
: "${KNOWN_DEFAULT:=1}"
