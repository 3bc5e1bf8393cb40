#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh ROOT…
# Run make demo and make check of the last commit on clean systems. A ROOT is a Debian suite and a compiler
# ("bookworm:gcc"). Only make and the compiler are installed before.
. tests/count.sh
. tests/roots/root.sh
for root; do
    suite=${root%%:*} compiler=${root#*:}
    clean_root "$suite" "$suite-$compiler" || continue
    mkdir "$copy/mlscore"
    git archive HEAD | tar -C "$copy/mlscore" -xf -
    inside_checked "$root: make and the compiler are installed" \
        "apt-get update -qq && apt-get install -y -qq --no-install-recommends make $compiler libc6-dev" || continue
    for goal in demo check; do
        inside_checked "$root: make $goal" "cd /mlscore && make -j$(nproc) CC=$compiler $goal" || :
        echo "$root: make $goal: $(tail -n 1 "$scratch/log")"
        cp "$scratch/log" "$copy-$goal.log"
    done
    rm -rf "$copy"
done
finish
