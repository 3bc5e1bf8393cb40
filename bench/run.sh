#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh BUILD [log|tree|files LIST]
#   log          one log of BENCH_MIB (1024) MiB, generated (the default)
#   tree         270 logs, 44 MB, generated
#   files LIST   the logs whose paths are in LIST, one per line
# Compare the time of mlscore with cat, grep -c and wc -l on the same bytes:
# the median of RUNS (5) runs.  The commands take turns, so that a slow phase
# of the machine affects all of them.  With BASELINE=FILE, another mlscore runs
# after each command of this one; the medians of the ratios come last.
#
# The output of grep goes to a file, because GNU grep stops at the first match
# if it writes to /dev/null.
set -u
build=$1
what=${2:-log}
runs=${RUNS:-5}
mib=${BENCH_MIB:-1024}
mlscore=$build/mlscore
scratch=$(mktemp -d "${TMPDIR:-/tmp}/mlscore-bench.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM

case $what in
log)
    free=$(df -Pk "$scratch" | awk 'NR == 2 { print int($4 / 1024) }')
    if [ "$free" -lt $((mib + 64)) ]; then
        echo "bench: $scratch has room for $free MiB, not for $mib; set TMPDIR or BENCH_MIB" >&2
        exit 1
    fi
    "$build/bench/generate" log "$mib" "$scratch/big.log" || exit 1
    echo "$scratch/big.log" >"$scratch/list"
    title="one log"
    ;;
tree)
    mkdir "$scratch/tree"
    "$build/bench/generate" tree "$scratch/tree" || exit 1
    find "$scratch/tree" -name "result_*.txt" | sort >"$scratch/list"
    title="$(wc -l <"$scratch/list") logs"
    ;;
files)
    cp "$3" "$scratch/list" || exit 1
    title="$(wc -l <"$scratch/list") logs"
    ;;
*)
    echo "usage: run.sh BUILD [log|tree|files LIST]" >&2
    exit 2
    ;;
esac
bytes=$(tr '\n' '\0' <"$scratch/list" | xargs -0 cat | wc -c)
cores=$(getconf _NPROCESSORS_ONLN)

# The commands, one per line: name, a tab, a shell command.
list=$scratch/list
each="tr '\\n' '\\0' <'$list' | xargs -0"
cat >"$scratch/commands" <<END
cat	$each cat >/dev/null
grep -ac	$each env LC_ALL=C grep -ac ':::MLLOG '
wc -l	$each wc -l
mlscore events --count -j1	'$mlscore' events --count -j1 --files-from '$list'
mlscore events --count	'$mlscore' events --count --files-from '$list'
mlscore score -j1	'$mlscore' score -j1 --files-from '$list'
mlscore score	'$mlscore' score --files-from '$list'
mlscore diagnose -j1	'$mlscore' diagnose -j1 --files-from '$list'
END
# Add check if the command exists.
if "$mlscore" check --help >/dev/null 2>&1; then
    cat >>"$scratch/commands" <<END
mlscore check -j1	'$mlscore' check -j1 --files-from '$list'
mlscore check	'$mlscore' check --files-from '$list'
END
fi

# verify reads the whole submission, not a list of logs.
if [ "$what" = tree ]; then
    cat >>"$scratch/commands" <<END
mlscore verify -j1	'$mlscore' verify -j1 '$scratch/tree'
mlscore verify	'$mlscore' verify '$scratch/tree'
END
fi

# The other program runs each command directly after this one.
if [ -n "${BASELINE:-}" ]; then
    awk -v mlscore="'$mlscore'" -v other="'$BASELINE'" '
        { print }
        (at = index($0, mlscore)) { print "baseline" substr($0, index($0, " "), at - index($0, " ")) other substr($0, at + length(mlscore)) }
    ' "$scratch/commands" >"$scratch/both" && mv "$scratch/both" "$scratch/commands"
fi

run=0
while [ "$run" -le "$runs" ]; do
    number=0
    while IFS='	' read -r name command; do
        number=$((number + 1))
        # The first round only fills the page cache.
        times=$scratch/times.$number
        [ "$run" -gt 0 ] || times=/dev/null
        "$build/bench/measure" "$times" sh -c "$command" >"$scratch/out" 2>"$scratch/err" </dev/null
        status=$?
        # Status 1 is the verdict on generated logs, not a failure.
        if [ "$status" -gt 1 ]; then
            echo "bench: '$name' ended with status $status" >&2
            cat "$scratch/err" >&2
            exit 1
        fi
    done <"$scratch/commands"
    run=$((run + 1))
done

# median COLUMN FILE: print the median of a column.
median() { sort -n -k "$1,$1" "$2" | awk -v column="$1" '{ v[NR] = $column } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

number=0
while IFS='	' read -r name command; do
    number=$((number + 1))
    printf '%s\t%s\t%s\t%s\n' "$name" "$(median 1 "$scratch/times.$number")" "$(median 2 "$scratch/times.$number")" \
        "$(median 4 "$scratch/times.$number")"
done <"$scratch/commands" >"$scratch/table"
awk -F '\t' -v bytes="$bytes" -v cores="$cores" -v runs="$runs" -v title="$title" '
    NR == 1 {
        cat = $2
        printf "%s, %.0f MB, median of %d runs, %d processors\n\n", title, bytes / 1e6, runs, cores
        printf "%-26s %9s %9s %8s %8s %9s %10s\n", "", "seconds", "user (s)", "GB/s", "x cat", "x grep", "peak MiB"
    }
    NR == 2 { grep = $2 }
    { row[NR] = $0 }
    END {
        for (i = 1; i <= NR; i++) {
            split(row[i], c, "\t")
            printf "%-26s %9.3f %9.3f %8.2f %8.2f %9.2f %10.1f\n", c[1], c[2], c[3], bytes / c[2] / 1e9, c[2] / cat, c[2] / grep, c[4] / 1024
        }
    }' "$scratch/table"
[ -n "${BASELINE:-}" ] || exit 0

printf '\n%-26s %9s %9s %9s\n' "against the baseline" "seconds" "processor" "peak"
number=0
while IFS='	' read -r name command; do
    number=$((number + 1))
    case $name in
    baseline*) ;;
    *)
        this=$name times=$scratch/times.$number
        continue
        ;;
    esac
    paste "$times" "$scratch/times.$number" | awk '{ print $1 / $5, ($2 + $3) / ($6 + $7), $4 / $8 }' >"$scratch/ratios"
    printf '%-26s %9.3f %9.3f %9.3f\n' "$this" "$(median 1 "$scratch/ratios")" "$(median 2 "$scratch/ratios")" "$(median 3 "$scratch/ratios")"
done <"$scratch/commands"
