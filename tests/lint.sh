#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: lint.sh COMPILER-FLAG…
# clang-format, clang-tidy and cppcheck over the project's own C.  A tool that
# is not installed is named, and that is a failure too: nothing was looked at.
status=0
sources=$(find src tests bench testdata -name '*.c')
headers=$(find include src tests testdata -name '*.h')

# missing TOOL: says so, and remembers it.
missing() {
    command -v "$1" >/dev/null 2>&1 && return 1
    echo "lint: $1 is not installed" >&2
    status=1
}
found() {
    echo "lint: $1 found something" >&2
    status=1
}

# cppcheck runs on one processor, beside the others.  unusedFunction and the like need the whole program and know
# nothing of a library.
notes=$(mktemp) || exit 1
trap 'rm -f "$notes"' EXIT
checking=
missing cppcheck || {
    cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --enable=warning,performance,portability \
        --suppress=missingIncludeSystem --template=gcc -Iinclude -Isrc src tests bench testdata/generator \
        >"$notes" 2>&1 &
    checking=$!
}
missing clang-format || clang-format --dry-run -Werror $sources $headers || found clang-format
# The paths that lead to a finding are long: clang-tidy shows them when it is run by hand.  Of a function's states as
# many are walked as clang's own quick mode does: nine tenths of the time went into the two thirds that follow.  None
# of what only tests: that runs under the sanitizers.
tidy='source=$1; shift
    case $source in tests/*) set -- "--checks=-clang-analyzer-*" -- "$@" ;; *) set -- -- "$@" ;; esac
    notes=$(clang-tidy --quiet "$source" "$@" -include src/base/banned.h \
        -Xclang -analyzer-config -Xclang max-nodes=75000 2>&1) && exit 0
    printf "%s\n" "$notes" | grep -E "(error|warning): " || printf "%s: %s\n" "$source" "$notes"
    exit 1'
missing clang-tidy || printf '%s\n' $sources | xargs -P "$(nproc)" -I '{}' sh -c "$tidy" tidy '{}' "$@" || found clang-tidy
[ -z "$checking" ] || wait "$checking" || {
    cat "$notes" >&2
    found cppcheck
}
exit $status
