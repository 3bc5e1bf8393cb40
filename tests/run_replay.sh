#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_replay.sh BUILD
# Feeds every file of tests/fuzz/corpus/<thing> to its fuzzer's function; one
# fuzzer is one test.
. tests/count.sh
build=$1
for source in tests/fuzz/fuzz_*.c; do
    [ -f "$source" ] || continue
    name=${source##*/fuzz_}
    name=${name%.c}
    corpus=tests/fuzz/corpus/$name
    if [ -z "$(ls -A "$corpus" 2>/dev/null)" ]; then
        fail "fuzz_$name: $corpus is empty"
        continue
    fi
    find "$corpus" -type f -exec "$build/replay/fuzz_$name" {} + >"$scratch/out" 2>&1 && pass || fail "fuzz_$name" "$scratch/out"
done
finish
