#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: lint.sh COMPILER-FLAG…
# clang-format, clang-tidy and cppcheck over the project's own C.  A tool that
# is not installed is named, and that is a failure too: nothing was looked at.
status=0
sources=$(find src tests bench testdata -name '*.c')
headers=$(find include src testdata -name '*.h')

step() {
    if ! command -v "$1" >/dev/null 2>&1; then
        echo "lint: $1 is not installed" >&2
        status=1
        return
    fi
    "$@" || { echo "lint: $1 found something" >&2; status=1; }
}

step clang-format --dry-run -Werror $sources $headers
step clang-tidy --quiet $sources -- "$@" -include src/base/banned.h 2>/dev/null
# unusedFunction and the like need the whole program and know nothing of a library.
step cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --enable=warning,performance,portability \
    --suppress=missingIncludeSystem -Iinclude -Isrc src tests/fault bench testdata/generator
exit $status
