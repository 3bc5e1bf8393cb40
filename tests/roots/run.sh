#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh ROOT…
# Builds and tests what git has (the last commit) on each ROOT, a suite of
# Debian and a compiler with a colon between ("bookworm:gcc"): in a clean root
# with make and the compiler alone, `make demo` and `make check` run, and
# install what they need.
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
