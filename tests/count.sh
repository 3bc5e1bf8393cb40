# SPDX-License-Identifier: Apache-2.0
# Sourced by the test scripts: counting, a scratch folder, the last line.
#
# Every script prints its failures and ends with "N passed, N failed" and,
# where something was left out, ", N skipped"; its status is 0 only when
# something was tested and nothing failed.

passed=0 failed=0 skipped=0
root=$(pwd)

pass() { passed=$((passed + 1)); }
skip() { skipped=$((skipped + 1)); }

# fail NAME [FILE…]: the files are shown, cut to a length that one can read.
fail() {
    failed=$((failed + 1))
    printf 'FAIL %s\n' "$1"
    shift
    for shown; do
        [ ! -s "$shown" ] || { head -c 4000 "$shown"; echo; } | head -n 60 | sed 's/^/     /'
    done
}

# check NAME COMMAND…: passes when the command does.
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

# The same surroundings everywhere.
LC_ALL=C.UTF-8 TZ=UTC TERM=dumb COLUMNS=100 PAGER=cat MANPAGER=cat
export LC_ALL TZ TERM COLUMNS PAGER MANPAGER
unset NO_COLOR CLICOLOR_FORCE GITHUB_ACTIONS CDPATH ENV
# A sanitizer's exit status must never be taken for one of ours.
ASAN_OPTIONS=exitcode=99:abort_on_error=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:exitcode=99
TSAN_OPTIONS=exitcode=99 LSAN_OPTIONS=exitcode=99
export ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS LSAN_OPTIONS

scratch=$(mktemp -d "${TMPDIR:-/tmp}/mlscore-test.XXXXXX") || exit 1
trap 'chmod -R u+rwx "$scratch" 2>/dev/null; rm -rf "$scratch"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM

# limited SECONDS COMMAND…: ends what hangs, where timeout(1) is there to do it.
if command -v timeout >/dev/null 2>&1; then
    limited() { timeout -k 5 "$@"; }
else
    limited() { shift; "$@"; }
fi
