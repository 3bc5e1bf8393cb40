# SPDX-License-Identifier: Apache-2.0
# Arithmetic with + - * / % and brackets.  Other operators are unknown.
a=5 b="a + 2" c=-3 d=017 h=0xff
SUM=$((a + b)) DIFFERENCE=$((a - b)) PRODUCT=$((a*b)) QUOTIENT=$((-7 / 2)) REST=$((-7 % 3)) UNKNOWN_POWER=$((2 ** 10)) UNKNOWN_TOWER=$((2**3**2))
UNKNOWN_SHIFT=$((1 << 40)) UNKNOWN_SHIFT_RIGHT=$((-16 >> 2)) UNKNOWN_SHIFT_FAR=$((1 << 65))
UNKNOWN_AND=$((12 & 10)) UNKNOWN_OR=$((12 | 3)) UNKNOWN_XOR=$((12 ^ 10)) UNKNOWN_NOT=$((~5)) UNKNOWN_LOGICAL=$((!a)) MINUS=$((- -a)) PLUS=$((+a))
UNKNOWN_LESS=$((a < b)) UNKNOWN_LEAST=$((a <= 5)) UNKNOWN_SAME=$((a == 5)) UNKNOWN_OTHER=$((a != 5))
UNKNOWN_BOTH=$((a && 0)) UNKNOWN_EITHER=$((0 || c)) UNKNOWN_CHOICE=$((a > 3 ? 10 : 20)) UNKNOWN_COMMA=$((1, 2, 3))
BASES=$((010 + 0x1F + d + h)) UNKNOWN_BASES=$((2#101 + 36#z + 64#_)) UNKNOWN_PADDED=$((10#08))
UNSET=$((nothing + 1)) EMPTY=$(( )) NESTED=$(( (1 + 2) * (3 + $((2 * 2))) ))
WRAP=$((9223372036854775807 + 1)) WRAP_PRODUCT=$((4611686018427387904 * 4)) LOWEST=$((-9223372036854775808)) LOWEST_OVER=$((-9223372036854775808 / -1))
DOLLARS=$(($a + ${nothing:-4}))
NODES=18 GPUS=4
WORLD=$((NODES * GPUS))
letter=12 other=13
LINES=$((
  1 +
  2
))
UNKNOWN_WRONG_DIGIT=$((08))
UNKNOWN_WRONG_DIVISION=$((1 / 0))
ONWARD=yes
CALLED=$(($(echo 4) * 5)) UNKNOWN_CALLED=$((`echo 5`))
