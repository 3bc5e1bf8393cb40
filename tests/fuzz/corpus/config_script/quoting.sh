
# Quotes of all kinds.
plain=one
SINGLE='a $plain "b" \n'
DOUBLE="a $plain \"b\" \$plain \\ \n 'c'"
MIXED=a"b $plain"'c d'e\ f\"
EMPTY=
EMPTY_QUOTES=''""
ANSI=$'tab\there\nline \x41\101 \'quote\' \\ \e[0m'
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
