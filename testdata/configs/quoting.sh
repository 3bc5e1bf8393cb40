# SPDX-License-Identifier: Apache-2.0
# Quotes of all kinds.
plain=one
SINGLE='a $plain "b" \n'
DOUBLE="a $plain \"b\" \$plain \\ \n 'c'"
MIXED=a"b $plain"'c d'e\ f\"
EMPTY=
EMPTY_QUOTES=''""
ANSI='tab	here
line AA '"'quote'"' \ [0m'
UNKNOWN_ESCAPES=$'tab\there'
LOCALE=$"hello"
CONTINUED=one\
two\
three
CONTINUED_QUOTED="one \
two"
HASH=a#b # a comment
DOLLAR='$'$ PERCENT=100%
LINES="first
second"
BACKSLASH=\\\$\a
GLOB=*.sh
BRACES={a,b}
STARS="* ? [a]"
