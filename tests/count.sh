# SPDX-License-Identifier: Apache-2.0
# Sourced by test scripts: functions that count results, create a temporary folder, and print the last line.
#
# A script prints its failures and ends with "N passed, N failed", followed by ", N skipped" if tests were skipped. Its
# status is 0 only if at least one test ran and none failed.

passed=0 failed=0 skipped=0
root=$(pwd)

pass() { passed=$((passed + 1)); }
skip() { skipped=$((skipped + 1)); }

# fail NAME [FILE…]: count a failure and print the files, shortened.
fail() {
    failed=$((failed + 1))
    printf 'FAIL %s\n' "$1"
    shift
    for shown; do
        [ ! -s "$shown" ] || { head -c 4000 "$shown"; echo; } | head -n 60 | sed 's/^/     /'
    done
}

# check NAME COMMAND…: count a pass if the command succeeds, a failure if not.
check() {
    check_name=$1
    shift
    if "$@" >"$scratch/check.out" 2>&1; then pass; else fail "$check_name" "$scratch/check.out"; fi
}

finish() {
    printf '%d passed, %d failed' "$passed" "$failed"
    [ "$skipped" -eq 0 ] || printf ', %d skipped' "$skipped"
    echo
    [ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
    exit
}

# The same environment for all tests.
LC_ALL=C.UTF-8 TZ=UTC TERM=dumb COLUMNS=100 PAGER=cat MANPAGER=cat
export LC_ALL TZ TERM COLUMNS PAGER MANPAGER
unset NO_COLOR CLICOLOR_FORCE GITHUB_ACTIONS CDPATH ENV
# Sanitizers exit with a status that the program never uses.
ASAN_OPTIONS=exitcode=99:abort_on_error=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:exitcode=99
TSAN_OPTIONS=exitcode=99 LSAN_OPTIONS=exitcode=99
export ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS LSAN_OPTIONS

scratch=$(mktemp -d "${TMPDIR:-/tmp}/mlscore-test.XXXXXX") || exit 1
trap 'chmod -R u+rwx "$scratch" 2>/dev/null; rm -rf "$scratch"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM

# limited SECONDS COMMAND…: run a command and end it after that time, if timeout(1) is available.
if command -v timeout >/dev/null 2>&1; then
    limited() { timeout -k 5 "$@"; }
else
    limited() { shift; "$@"; }
fi
