# SPDX-License-Identifier: Apache-2.0
# Conditions in every form.
A=5 S="some text" E=
if [ $A -eq 5 ]; then IF1=yes; else IF1=no; fi
if [ "$A" -gt 7 ]; then IF2=a; elif [ "$A" = "5" ]; then IF2=b; else IF2=c; fi
if [[ $S == some* && ! -z $A ]]
then
  IF3=yes
fi
if [ -z "$E" ] && [ -n "$S" ]; then IF4=yes; fi
if [ -z $U ]; then IF5=yes; fi
if [ "$U" ]; then IF6=yes; else IF6=no; fi
if ! [ "$A" -lt 3 ]; then IF7=yes; fi
if [[ "$S" == "some*" ]]; then IF8=yes; else IF8=no; fi
if [[ -n $S || $U == x ]]; then IF9=yes; fi
if [[ $A -ge 5 && $A -le 5 && $A -ne 4 ]]; then IF10=yes; fi
if [[ 12 -eq 012 ]]; then IF12=octal; else IF12=ten; fi
if [ 12 -eq 012 ]; then IF13=ten; fi
if [[ $A -eq 6 || $A -eq 5 && $S != x ]]; then IF14=yes; fi
if test "$A" != 6; then IF15=yes; fi
if [ "$A" = 5 -a "$S" != x ]; then IF16=yes; fi
if [ "$A" = 6 -o "$S" = "some text" ]; then IF17=yes; fi
if [[ -v A && ! -v U ]]; then UNKNOWN_IF18=yes; fi
if true; then if false; then IF19=x; else IF19=inner; fi; fi
if [ -f ./config_common.sh ]; then IF20=there; fi
if [ -e "$(dirname "${BASH_SOURCE[0]}")/nothing.sh" ]; then IF21=there; else IF21=not; fi
[ "$A" = 5 ] && AND1=yes
[ "$A" = 6 ] && AND2=yes
[ "$A" = 6 ] || OR1=yes
[ "$A" = 6 ] && MIX=a || MIX=b
[[ $S > "other" ]] || true
false; STATUS1=$?
true; STATUS2=$?
[ 1 -eq x ] 2>/dev/null; STATUS3=$?
! true; STATUS4=$?
{ GROUP=1; GROUP2=2; }
if [ "$A" = 5 ]; then # a comment
  # another one
  COMMENTED=yes # and one more
fi; export AFTER_FI=1
