#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_watch.sh BUILD
# Watch logs that tests/watch/replay.py writes in the way jobs do. Skipped without python3.
. tests/count.sh
build=$1
mlscore=$(realpath "${MLSCORE:-$build/mlscore}")
shim=$(realpath "$build/fault/shim.so")
for test in replay terminal; do
    if command -v python3 >/dev/null 2>&1; then
        limited 1200 python3 "tests/watch/$test.py" "$mlscore" "$shim" "$root/testdata" >"$scratch/told" 2>&1 || :
        while read -r line; do
            case $line in
            'ok '*) pass ;;
            *) echo "$line" >"$scratch/why"; fail "$test" "$scratch/why" ;;
            esac
        done <"$scratch/told"
    else
        skip
    fi
done
finish
