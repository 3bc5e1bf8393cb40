# SPDX-License-Identifier: Apache-2.0
# Arithmetic with all operators of C and those of bash; bits, powers and ++, which no config uses, stay unknown.
a=5 b="a + 2" c=-3 d=017 h=0xff
SUM=$((a + b)) DIFFERENCE=$((a - b)) PRODUCT=$((a*b)) QUOTIENT=$((-7 / 2)) REST=$((-7 % 3)) UNKNOWN_POWER=$((2 ** 10)) UNKNOWN_TOWER=$((2**3**2))
UNKNOWN_SHIFT=$((1 << 40)) UNKNOWN_SHIFT_RIGHT=$((-16 >> 2)) UNKNOWN_SHIFT_FAR=$((1 << 65))
UNKNOWN_AND=$((12 & 10)) UNKNOWN_OR=$((12 | 3)) UNKNOWN_XOR=$((12 ^ 10)) UNKNOWN_NOT=$((~5)) LOGICAL=$((!a)) MINUS=$((- -a)) PLUS=$((+a))
LESS=$((a < b)) LEAST=$((a <= 5)) MORE=$((a > b)) MOST=$((a >= 6)) SAME=$((a == 5)) OTHER=$((a != 5))
BOTH=$((a && 0)) EITHER=$((0 || c)) CHOICE=$((a > 3 ? 10 : 20)) CHAIN=$((0 ? 1 : 0 ? 2 : 3)) COMMA=$((1, 2, 3))
BASES=$((010 + 0x1F + d + h)) UNKNOWN_BASES=$((2#101 + 36#z + 64#_)) UNKNOWN_PADDED=$((10#08))
UNKNOWN_a=5 UNKNOWN_BEFORE=$((++UNKNOWN_a)) UNKNOWN_AFTER=$((UNKNOWN_a++)) UNKNOWN_NOW=$UNKNOWN_a UNKNOWN_DOWN=$((--UNKNOWN_a)) UNKNOWN_THEN=$((UNKNOWN_a--))
x=1
SET=$((x = 7)) ADD=$((x += 3)) TAKE=$((x -= 1)) TIMES=$((x *= 4)) OVER=$((x /= 5)) MOD=$((x %= 5)) UNKNOWN_LEFT=$((UNKNOWN_x <<= 3)) UNKNOWN_RIGHT=$((UNKNOWN_x >>= 1)) UNKNOWN_MASK=$((UNKNOWN_x &= 12)) UNKNOWN_BITS=$((UNKNOWN_x |= 3)) UNKNOWN_FLIP=$((UNKNOWN_x ^= 5))
TWO=$((y = z = 3)) UNSET=$((nothing + 1)) EMPTY=$(( )) NESTED=$(( (1 + 2) * (3 + $((2 * 2))) ))
WRAP=$((9223372036854775807 + 1)) WRAP_PRODUCT=$((4611686018427387904 * 4)) LOWEST=$((-9223372036854775808)) LOWEST_OVER=$((-9223372036854775808 / -1))
SKIPPED=$((0 && (UNKNOWN_s = 1))) SHORT=$((1 || 1 / 0)) DOLLARS=$(($a + ${#b} + ${nothing:-4}))
NODES=18 GPUS=4
WORLD=$((NODES * GPUS))
(( counter = 10, counter += 5 ))
(( counter > 20 )) || small=yes
letter=12 other=13
LINES=$((
  1 +
  2
))
UNKNOWN_WRONG_DIGIT=$((08))
UNKNOWN_WRONG_DIVISION=$((1 / 0))
ONWARD=yes
CALLED=$(($(echo 4) * 5)) UNKNOWN_CALLED=$((`echo 5`))
