#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: coverage.sh BUILD
# After a run of the tests with COVERAGE=1: lines reached per file, the least first.
build=$1
find "$build" -name '*.gcda' -path "$build/*/*" | grep -v -e /unit/ -e /replay/ | while read -r notes; do
    gcov -n -o "${notes%/*}" "$notes" 2>/dev/null
done | awk '
    /^File .src\// { file = $2; gsub(/\047/, "", file); next }
    /^File/ { file = ""; next }
    file != "" && /^Lines executed:/ {
        split($2, part, /[:%]/)
        printf "%6.1f %%  %5d lines  %s\n", part[2], $4, file
        total += $4; hit += $4 * part[2] / 100; file = ""
    }
    END { if (total) printf "%6.1f %%  %5d lines  all together\n", 100 * hit / total, total }' | sort -n
