# SPDX-License-Identifier: Apache-2.0
# Every form of parameter expansion that configs use.
A=alpha
E=
P=dir/sub/file.tar.gz
D1=${A:-x} D2=${E:-x} D3=${U:-x} D4=${A-x} D5=${E-x} D6=${U-x}
P1=${A:+x} P2=${E:+x} P3=${U:+x} P4=${A+x} P5=${E+x} P6=${U+x}
: "${N1:=made}" "${E:=filled}" "${N2=$N1}"
N3=${N4=here}$N4
UNKNOWN_LENGTH=${#A} UNKNOWN_LENGTH_UNSET=${#U}
SHORT_PREFIX=${P#*/} LONG_PREFIX=${P##*/} SHORT_SUFFIX=${P%.*} LONG_SUFFIX=${P%%.*}
NO_MATCH=${P#x} QUOTED_STAR=${P#'*'} FROM_VARIABLE=${P%$E} CLASS=${P##[!/]*/} QUESTION=${P#???}
UNKNOWN_REPLACE=${P/r/R} UNKNOWN_REPLACE_ALL=${P//\//_} UNKNOWN_REPLACE_START=${P/#dir/x} UNKNOWN_REPLACE_END=${P/%gz/x} UNKNOWN_REMOVE=${P//.}
UNKNOWN_SLICE=${P:4} UNKNOWN_SLICE_LENGTH=${P:4:3} UNKNOWN_SLICE_END=${P: -6:3} UNKNOWN_SLICE_NEGATIVE=${P:0:-7}
UNKNOWN_UPPER=${A^^} UNKNOWN_UPPER_FIRST=${A^} UNKNOWN_LOWER=${UNKNOWN_UPPER,,} UNKNOWN_LOWER_FIRST=${UNKNOWN_UPPER,}
NAME=A UNKNOWN_INDIRECT=${!NAME}
NESTED=${U:-${V:-${A%ha}}} NESTED_QUOTES="${U:-"in $A"}" APOSTROPHES="${U:-'kept'}" BARE=${U:-'gone'}
BRACE=${A}_x NO_BRACE=$A-x
UNKNOWN_ESCAPED="\${A} ${U:-a\}b}"
ZERO=${A[0]}
ARGUMENTS=$#:${1:-none}:$1
APPEND=a
APPEND+=b
APPEND+=${A%lpha}
export EXPORTED+=x
SPACES="  a   b  "
KEPT=$SPACES
export KEPT_EXPORT=$SPACES ALSO=${SPACES}end
unset GONE
GONE=1
unset GONE NEVER
unset -v A
AFTER_UNSET=${A-unset}
HERE="$(echo ${SPACES})" THERE=$(echo "$SPACES")
EMPTY= DIGITS=12
UNKNOWN_INDIRECT_ARGUMENT="${!DIGITS}" UNKNOWN_EMPTY_REPLACE=${EMPTY/*/x} UNKNOWN_EMPTY_START=${EMPTY/#/x} UNKNOWN_UNSET_SLICE=${U:0:-1}
