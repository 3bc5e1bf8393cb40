#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: [BLESS=1] run_submissions.sh BUILD [CODE…]
# Check that verify accepts testdata/submission. Each folder testdata/submissions-broken/CODE is a test: its script
# `change` is run in a copy of testdata/submission, and its file `findings` lists the severity and code of each finding
# that verify must then report, including the finding CODE. verify must not change the copy.
. tests/count.sh
build=$1
shift
mlscore=$root/$build/mlscore
broken=$root/testdata/submissions-broken
# Print the files of a folder with their times.
state() {
    (cd "$1" && find . -printf '%p %y %s %T@ %l\n' | sort)
}
check "testdata/submission is ready for upload" "$mlscore" verify -q --strict testdata/submission
if [ $# -eq 0 ]; then
    set -- "$broken"/*/
    # Each finding about a submission has a test.
    for code in $("$mlscore" help findings | awk '/^[a-z]/ { if ($1 == "no-results") on = 1; if (on) print $1 }'); do
        check "submissions-broken has $code (behind no-results findings are about submissions)" test -f "$broken/$code/change"
    done
fi
for code; do
    code=${code%/}
    code=${code##*/}
    copy=$scratch/copy
    rm -rf "$copy"
    cp -R testdata/submission "$copy"
    if ! (cd "$copy" && sh -e "$broken/$code/change") >"$scratch/out" 2>&1; then
        fail "$code: the change failed" "$scratch/out"
        continue
    fi
    state "$copy" >"$scratch/before"
    status=0
    (cd "$scratch" && limited 60 "$mlscore" verify --format csv copy) >"$scratch/out" 2>"$scratch/err" || status=$?
    state "$copy" >"$scratch/after"
    tr -d '\r"' <"$scratch/out" | awk -F, 'NR > 1 { print $1, $2 }' | sort -u >"$scratch/findings"
    [ -z "${BLESS:-}" ] || cp "$scratch/findings" "$broken/$code/findings"
    expected=0
    ! grep -q '^error ' "$scratch/findings" || expected=1
    : >"$scratch/why"
    diff -u --label expected "$broken/$code/findings" --label found "$scratch/findings" >>"$scratch/why" || :
    grep -q " $code\$" "$scratch/findings" || echo "no finding $code" >>"$scratch/why"
    [ "$status" -eq "$expected" ] || echo "status $status, expected $expected" >>"$scratch/why"
    cmp -s "$scratch/before" "$scratch/after" || echo "the submission was changed" >>"$scratch/why"
    cat "$scratch/err" >>"$scratch/why"
    if [ -s "$scratch/why" ]; then fail "$code" "$scratch/why"; else pass; fi
done
finish
