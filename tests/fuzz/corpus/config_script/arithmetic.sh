
# Arithmetic with all operators of C and those of bash.
a=5 b="a + 2" c=-3 d=017 h=0xff
SUM=$((a + b)) DIFFERENCE=$((a - b)) PRODUCT=$((a*b)) QUOTIENT=$((-7 / 2)) REST=$((-7 % 3)) POWER=$((2 ** 10)) TOWER=$((2**3**2))
SHIFT=$((1 << 40)) SHIFT_RIGHT=$((-16 >> 2)) SHIFT_FAR=$((1 << 65))
AND=$((12 & 10)) OR=$((12 | 3)) XOR=$((12 ^ 10)) NOT=$((~5)) LOGICAL=$((!a)) MINUS=$((- -a)) PLUS=$((+a))
LESS=$((a < b)) LEAST=$((a <= 5)) MORE=$((a > b)) MOST=$((a >= 6)) SAME=$((a == 5)) OTHER=$((a != 5))
BOTH=$((a && 0)) EITHER=$((0 || c)) CHOICE=$((a > 3 ? 10 : 20)) CHAIN=$((0 ? 1 : 0 ? 2 : 3)) COMMA=$((1, 2, 3))
BASES=$((010 + 0x1F + 2#101 + 36#z + 64#_ + d + h)) PADDED=$((10#08))
BEFORE=$((++a)) AFTER=$((a++)) NOW=$a DOWN=$((--a)) DOWN_AFTER=$((a--)) THEN=$a
x=1
SET=$((x = 7)) ADD=$((x += 3)) TAKE=$((x -= 1)) TIMES=$((x *= 4)) OVER=$((x /= 5)) LEFT=$((x <<= 3)) RIGHT=$((x >>= 1)) MASK=$((x &= 12)) BITS=$((x |= 3)) FLIP=$((x ^= 5)) MOD=$((x %= 4))
TWO=$((y = z = 3)) UNSET=$((nothing + 1)) EMPTY=$(( )) NESTED=$(( (1 + 2) * (3 + $((2 * 2))) ))
WRAP=$((9223372036854775807 + 1)) WRAP_PRODUCT=$((4611686018427387904 * 4)) LOWEST=$((-9223372036854775808)) LOWEST_OVER=$((-9223372036854775808 / -1))
SKIPPED=$((0 && (s = 1))) SHORT=$((1 || 1 / 0)) DOLLARS=$(($a + ${#b} + ${nothing:-4}))
NODES=18 GPUS=4
WORLD=$((NODES * GPUS))
(( counter = 10, counter += 5 ))
(( counter > 20 )) || small=yes
let "letter = 3 * 4" other=letter+1
LINES=$((
  1 +
  2
))
WRONG_DIGIT=$((08))
WRONG_DIVISION=$((1 / 0))
ONWARD=yes
CALLED=$(($(echo 4) * `echo 5`))
