# SPDX-License-Identifier: Apache-2.0
# Declarations, attributes and what a list of commands may look like.
export A=1 B="two words" C
C=later
J=9; K=10
L=11 M=$L
N=1 true
N2=outer
N2=inner true
export "O=a b" P'P'=1
export -- Q=12
unset A; export A
S=text
unset S
x='U=1 V=2'
export $x
export W="$x" X=$x
if true; then Y=1; fi >/dev/null 2>&1
true && { AA=1; } || AB=1
AC=1 AD=$AC AC=2
echo ignored > /dev/null
shopt -s extglob
set -o pipefail
ulimit -c 0
umask 022
trap '' INT
:
AE=last
