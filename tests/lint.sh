#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: lint.sh COMPILER-FLAG…
# Run clang-format, clang-tidy and cppcheck on the project's C files. A missing tool is a failure.
status=0
sources=$(find src tests bench testdata -name '*.c')
headers=$(find include src tests testdata -name '*.h')

# missing TOOL: succeed if a tool is missing, report it, and set the exit status.
missing() {
    command -v "$1" >/dev/null 2>&1 && return 1
    echo "lint: $1 is not installed" >&2
    status=1
}
found() {
    echo "lint: $1 found something" >&2
    status=1
}

# cppcheck uses one processor and runs in the background. Checks such as unusedFunction need the whole program and do
# not know that it is a library.
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
# Only the errors of clang-tidy are printed, not the paths that lead to them. max-nodes is that of clang's own fast
# mode, which takes a tenth of the time. Tests are not analyzed: they run with sanitizers.
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
