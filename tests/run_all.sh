#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_all.sh BUILD SUITE…
# Runs tests/run_SUITE.sh, as many side by side as there are processors (or
# JOBS), begun in the order given, and prints what fails in that order and, as
# the last line, the sum.  TESTS names another folder of suites (used by the
# self-test).
. tests/count.sh
build=$1
shift
one='status=0
    sh "$1/run_$4.sh" "$2" >"$3/$4.out" 2>&1 </dev/null || status=$?
    echo "$status" >"$3/$4.status"'
printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I '{}' sh -c "$one" suite "${TESTS:-tests}" "$build" "$scratch" '{}'
for suite; do
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
        # A suite that fails without saying which test did is a failure of its own.
        if [ "$status" -ne 0 ] && [ "$suite_failed" -eq 0 ]; then fail "$suite: ended with status $status"; fi
        ;;
    *)
        cat "$out"
        fail "$suite: ended with status $status and no count"
        ;;
    esac
done
finish
