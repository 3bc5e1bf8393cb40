#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_all.sh BUILD NAME…
# Run tests by name. Suites start in the order given, as many in parallel as there are processors (or JOBS). Failures
# are printed in that order, and the totals on the last line.
#
# A NAME is a suite (cases: all of tests/run_cases.sh), a case in tests/cli, a program in tests/unit or a fuzzer (with
# or without test_ or fuzz_), a folder in testdata/submissions-broken, a page with examples, a path to one of these, or
# a pattern such as 'score-*'.
#
# MAKE is the command that builds what the tests need (default: build nothing). TESTS is another folder of tests, for
# run_self.sh.
. tests/count.sh
build=$1
shift
tests=${TESTS:-tests}
set -f

# All names: name, suite and, for a part of a suite, the suite's name of the test.
{
    ls "$tests" | sed -n '/^run_all/d; s/^run_\(.*\)\.sh$/\1 \1/p'
    ls "$tests/cli" | sed -n '/\.sh$/d; s/.*/& cases &/p'
    ls "$tests/unit" | sed -n "s|^test_\(.*\)\.c\$|\1 units $build/unit/test_\1\ntest_\1 units $build/unit/test_\1|p"
    ls "$tests/fuzz" | sed -n 's/^fuzz_\(.*\)\.c$/\1 replay \1\nfuzz_\1 replay \1/p'
    ls testdata/submissions-broken | sed 's/.*/& submissions &/'
    # Programs in pages of section 3 are built with the installed library.
    find man -type f | sed 's|.*/\(.*\)|\1 examples &|; s|\(.*\.3\) .*|\1 install|' | sort
    echo README.md examples README.md
} >"$scratch/names" 2>/dev/null

# similar NAME: print the names with the longest common beginning, or all suites.
similar() {
    part=$1
    while [ "${#part}" -gt 2 ]; do
        cut -d ' ' -f 1 "$scratch/names" | sort -u | grep -F -e "$part" && return
        part=${part%?}
    done
    awk 'NF == 2 { print $1 }' "$scratch/names"
}
: >"$scratch/wanted"
for name in $*; do
    path=${name%/}
    name=${path##*/}
    while read -r known suite test; do
        case $known in ${name%.c}) echo "$suite $test" ;; esac
    done <"$scratch/names" >"$scratch/found"
    cat "$scratch/found" >>"$scratch/wanted"
    [ -s "$scratch/found" ] || {
        similar "$name" >"$scratch/similar"
        fail "no test is called '$name', but these are:" "$scratch/similar"
    }
done
[ "$failed" -eq 0 ] || finish

# One row per suite, with the names of its tests unless all are wanted.
awk '!($1 in tests) { order[++suites] = $1 }
    NF == 1 { all[$1] = 1 }
    !seen[$0]++ { tests[$1] = tests[$1] " " $2 }
    END { for (i = 1; i <= suites; i++) print order[i] (order[i] in all ? "" : tests[order[i]]) }' "$scratch/wanted" \
    >"$scratch/suites"

if [ -n "${MAKE:-}" ]; then
    awk -v build="$build" '
        NF > 1 && $1 == "units" { for (i = 2; i <= NF; i++) print $i; next }
        NF > 1 && $1 == "replay" { for (i = 2; i <= NF; i++) print build "/replay/fuzz_" $i; next }
        { print "programs-" $1 }' "$scratch/suites" |
        xargs $MAKE || exit
    unset MAKE
fi

one='build=$1 scratch=$2 tests=$3
    set -- $4
    suite=$1 status=0
    shift
    sh "$tests/run_$suite.sh" "$build" "$@" >"$scratch/$suite.out" 2>&1 </dev/null || status=$?
    echo "$status" >"$scratch/$suite.status"'
xargs -P "${JOBS:-$(nproc)}" -I '{}' sh -f -c "$one" suite "$build" "$scratch" "$tests" '{}' <"$scratch/suites"
for suite in $(cut -d ' ' -f 1 "$scratch/suites"); do
    out=$scratch/$suite.out
    status=$(cat "$scratch/$suite.status")
    last=$(tail -n 1 "$out")
    case $last in
    *[0-9]' passed, '[0-9]*' failed'*)
        sed '$d' "$out"
        rest=$last
        suite_passed=${rest%% passed,*} rest=${rest#* passed, }
        suite_failed=${rest%% failed*} rest=${rest#* failed}
        rest=${rest#, } suite_skipped=${rest% skipped}
        passed=$((passed + suite_passed)) failed=$((failed + suite_failed)) skipped=$((skipped + ${suite_skipped:-0}))
        # A suite that fails without a failed test counts as one failure.
        if [ "$status" -ne 0 ] && [ "$suite_failed" -eq 0 ]; then fail "$suite: ended with status $status"; fi
        ;;
    *)
        cat "$out"
        fail "$suite: ended with status $status and no count"
        ;;
    esac
done
finish
