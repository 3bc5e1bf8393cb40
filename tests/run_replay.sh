#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_replay.sh BUILD [THING…]
# Run each fuzzer's function on the files in tests/fuzz/corpus; each fuzzer counts as one test.
. tests/count.sh
build=$1
shift
[ $# -gt 0 ] || set -- tests/fuzz/fuzz_*.c
for name; do
    name=${name##*/fuzz_}
    name=${name%.c}
    corpus=tests/fuzz/corpus/$name
    if [ -z "$(ls -A "$corpus" 2>/dev/null)" ]; then
        fail "fuzz_$name: $corpus is empty"
        continue
    fi
    find "$corpus" -type f -exec "$build/replay/fuzz_$name" {} + >"$scratch/out" 2>&1 && pass || fail "fuzz_$name" "$scratch/out"
done
finish
