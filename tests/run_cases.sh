#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: [BLESS=1] run_cases.sh BUILD [CASE…]
# Run tests/cli/CASE/cmd, a shell script, in an empty folder with mlscore on PATH and the test data in ./testdata.
# Compare its output and exit status with the files stdout, stderr (default: empty) and status (default: 0). If a
# command listed in the file needs is missing, skip the case. MLSCORE is another program to test, CASES another folder
# of cases.
. tests/count.sh
build=$1
shift
cases=${CASES:-$root/tests/cli}
mkdir "$scratch/bin" "$scratch/cases"
ln -s "$(realpath "${MLSCORE:-$build/mlscore}")" "$scratch/bin/mlscore"
PATH="$scratch/bin:$PATH" TESTDATA="$root/testdata" BUILD="$root/$build"
export PATH TESTDATA BUILD
[ $# -gt 0 ] || set -- "$cases"/*/
has_all() {
    for command; do command -v "$command" >/dev/null 2>&1 || return 1; done
}
for case; do
    case=${case%/}
    name=${case##*/}
    case=$cases/$name
    if [ ! -f "$case/cmd" ]; then
        fail "$name: there is no cmd"
        continue
    fi
    if [ -f "$case/needs" ] && ! has_all $(cat "$case/needs"); then
        skip
        continue
    fi
    mkdir "$scratch/cases/$name"
    ln -s "$TESTDATA" "$scratch/cases/$name/testdata"
    status=0
    (cd "$scratch/cases/$name" && limited 300 sh "$case/cmd") >"$scratch/stdout" 2>"$scratch/stderr" </dev/null || status=$?
    if [ -n "${BLESS:-}" ]; then
        for stream in stdout stderr; do
            if [ -s "$scratch/$stream" ]; then cp "$scratch/$stream" "$case/$stream"; else rm -f "$case/$stream"; fi
        done
        if [ "$status" -ne 0 ]; then echo "$status" >"$case/status"; else rm -f "$case/status"; fi
    fi
    : >"$scratch/why"
    for stream in stdout stderr; do
        expected=$case/$stream
        [ -f "$expected" ] || expected=/dev/null
        [ "$expected" = /dev/null ] && [ ! -s "$scratch/$stream" ] ||
            cmp -s "$expected" "$scratch/$stream" ||
            diff -u --label "expected $stream" "$expected" --label "$stream" "$scratch/$stream" >>"$scratch/why" ||
            :
    done
    expected=0
    [ ! -f "$case/status" ] || read -r expected <"$case/status"
    [ "$status" = "$expected" ] || echo "status $status, expected $expected" >>"$scratch/why"
    if [ -s "$scratch/why" ]; then fail "$name" "$scratch/why"; else pass; fi
done
finish
