#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_all.sh BUILD SUITE…
# Runs tests/run_SUITE.sh one after the other, prints what fails and, as the
# last line, the sum.  TESTS names another folder of suites (used by the self-test).
. tests/count.sh
build=$1
shift
for suite; do
    status=0
    sh "${TESTS:-tests}/run_$suite.sh" "$build" >"$scratch/out" 2>&1 || status=$?
    last=$(tail -n 1 "$scratch/out")
    case $last in
    *[0-9]' passed, '[0-9]*' failed'*)
        sed '$d' "$scratch/out"
        rest=$last
        suite_passed=${rest%% passed,*} rest=${rest#* passed, }
        suite_failed=${rest%% failed*} rest=${rest#* failed}
        rest=${rest#, } suite_skipped=${rest% skipped}
        passed=$((passed + suite_passed)) failed=$((failed + suite_failed)) skipped=$((skipped + ${suite_skipped:-0}))
        # A suite that fails without saying which test did is a failure of its own.
        if [ "$status" -ne 0 ] && [ "$suite_failed" -eq 0 ]; then fail "$suite: ended with status $status"; fi
        ;;
    *)
        cat "$scratch/out"
        fail "$suite: ended with status $status and no count"
        ;;
    esac
done
finish
