#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_units.sh BUILD [PROGRAM…]
# Run the cmocka programs of tests/unit from the project's root and count their test functions. A program that crashes,
# ends early or has no test fails.
. tests/count.sh
build=$1
shift
if [ $# -eq 0 ]; then
    for source in tests/unit/test_*.c; do
        [ -f "$source" ] || continue
        name=${source##*/}
        set -- "$@" "$build/unit/${name%.c}"
    done
fi
export CMOCKA_MESSAGE_OUTPUT=TAP
unset CMOCKA_XML_FILE
for program; do
    name=${program##*/}
    status=0
    limited 600 "$program" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
    counts=$(awk '
        /^[0-9]+\.\.[0-9]+/ { split($0, plan, /\.\./); planned += plan[2] }
        /^(not )?ok [0-9]+ # SKIP/ { skipped++; next }
        /^ok [0-9]+/ { passed++ }
        /^not ok [0-9]+/ { failed++ }
        END { printf "%d %d %d %d", planned, passed, failed, skipped }' "$scratch/out")
    set -- $counts
    passed=$((passed + $2)) skipped=$((skipped + $4))
    # Print the failed functions with cmocka's messages.
    awk -v name="$name" '
        /^not ok [0-9]+ # SKIP/ || /^ok / { shown = 0; next }
        /^not ok [0-9]+/ { sub(/^not ok [0-9]+ - /, ""); print "FAIL " name ": " $0; shown = 1; next }
        shown && /^#/ { print "     " $0 }' "$scratch/out"
    failed=$((failed + $3))
    if [ $(($2 + $3 + $4)) -lt "$1" ]; then
        fail "$name: $(($1 - $2 - $3 - $4)) of $1 test functions did not come to an end (status $status)" "$scratch/err"
    elif [ "$1" -eq 0 ]; then
        fail "$name: tested nothing (status $status)" "$scratch/out" "$scratch/err"
    elif [ "$status" -ne 0 ] && [ "$3" -eq 0 ]; then
        fail "$name: ended with status $status" "$scratch/err"
    elif [ "$3" -ne 0 ]; then
        sed 's/^/     /' "$scratch/err" | head -n 60
    fi
done
finish
