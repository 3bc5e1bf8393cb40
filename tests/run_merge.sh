#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: [MERGE_TREES=FOLDER… [MERGE_SHARDS=NUMBER…]] run_merge.sh BUILD
# Check that merge prints the same bytes and messages and has the same exit status as one process for all logs, in each
# format and for any number of shards in any order. Damaged, changed and missing parts, and parts of other
# commands, must be refused.
# MERGE_TREES is a list of trees to use instead of testdata, and MERGE_SHARDS their numbers of shards (default: 8).
. tests/count.sh
build=$1
mlscore=$root/$build/mlscore
[ -z "${MLSCORE:-}" ] || mlscore=$MLSCORE
parts=$scratch/parts
score_formats='table csv json ndjson markdown openmetrics oneline'
check_formats='table csv json ndjson markdown github junit'

# deal COMMAND SHARDS ARGUMENT…: write the parts.
deal() {
    command=$1 shards=$2
    shift 2
    rm -rf "$parts"
    mkdir "$parts"
    shard=0
    while [ "$shard" -lt "$shards" ]; do
        shard=$((shard + 1))
        status=0
        "$mlscore" "$command" --partial --shard "$shard/$shards" -o "$parts/$shard.ndjson" "$@" 2>"$scratch/err" || status=$?
        case $status in 0 | 3) ;; *) fail "$command --partial --shard $shard/$shards $*: status $status" "$scratch/err" ;; esac
    done
}

# said STATUS FILE…: print the output and messages of a command, without the command's name.
said() { sed 's/^mlscore [a-z]*: //' "$2" >"$2.said"; echo "status $1" >>"$2.said"; }

# alike NAME COMMAND FORMAT ARGUMENT…: compare the merged parts, in a mixed order, with one process.
alike() {
    name=$1 command=$2 format=$3
    shift 3
    one=0 merged=0
    "$mlscore" "$command" --format "$format" "$@" >"$scratch/one" 2>"$scratch/one.err" || one=$?
    # An order that is neither that of the shards nor its reverse.
    ls "$parts"/*.ndjson | awk '{ print NR % 3, NR % 7, $0 }' | sort -r | cut -d ' ' -f 3 >"$scratch/order"
    "$mlscore" merge --format "$format" --files-from "$scratch/order" >"$scratch/merged" 2>"$scratch/merged.err" || merged=$?
    said "$one" "$scratch/one.err"
    said "$merged" "$scratch/merged.err"
    if cmp -s "$scratch/one" "$scratch/merged" && cmp -s "$scratch/one.err.said" "$scratch/merged.err.said"; then
        pass
    else
        { diff "$scratch/one" "$scratch/merged" && diff "$scratch/one.err.said" "$scratch/merged.err.said"; } >"$scratch/diff" 2>&1
        fail "$name: $command --format $format $*" "$scratch/diff"
    fi
}

# held SHARDS ARGUMENT…: compare both commands in all their formats.
held() {
    shards=$1
    shift
    deal score "$shards" "$@"
    for format in $score_formats; do alike "$shards shards" score "$format" "$@"; done
    deal check "$shards" "$@"
    for format in $check_formats; do alike "$shards shards" check "$format" "$@"; done
}

# counted SHARDS ARGUMENT…: compare the counts of events.
counted() {
    shards=$1
    shift
    deal events "$shards" --count "$@"
    one=0 merged=0
    "$mlscore" events --count "$@" >"$scratch/one" 2>"$scratch/one.err" || one=$?
    "$mlscore" merge "$parts"/*.ndjson >"$scratch/merged" 2>"$scratch/merged.err" || merged=$?
    said "$one" "$scratch/one.err"
    said "$merged" "$scratch/merged.err"
    check "$shards shards: events --count $*" sh -c "cmp '$scratch/one' '$scratch/merged' && diff '$scratch/one.err.said' '$scratch/merged.err.said'"
}

if [ -n "${MERGE_TREES:-}" ]; then
    for tree in $MERGE_TREES; do
        for shards in ${MERGE_SHARDS:-8}; do held "$shards" "$tree"; counted "$shards" "$tree"; done
    done
    finish
fi

for shards in 1 2 3 8; do held "$shards" testdata/slurm; done
held 3 testdata/submission
held 4 testdata
held 3 testdata/slurm testdata/logs testdata/slurm/slurm-117.out testdata/no-such-file testdata/jobs
held 2 --usage training --edition 5.1 testdata/slurm testdata/telemetry

counted 1 testdata
counted 8 testdata
counted 3 --key seed,cache_clear testdata/slurm testdata/logs testdata/slurm/slurm-117.out testdata/no-such-file
counted 2 testdata/logs/plain.log
counted 2 testdata/logs/plain.log testdata/logs/no-such-log

# Hundreds of shards, most of them empty.
deal score 64 testdata/slurm testdata/submission
alike "64 shards" score json testdata/slurm testdata/submission
alike "64 shards" score table testdata/slurm testdata/submission

# -------------------------------------------------- options of shards and of the merge

# with NAME SHARD-OPTIONS MERGE-OPTIONS COMMAND PATH: compare with options that belong to one side.
with() {
    # shellcheck disable=SC2086 # they are words
    deal "$4" 3 $2 "$5"
    one=0 merged=0
    # shellcheck disable=SC2086
    "$mlscore" "$4" $2 $3 "$5" >"$scratch/one" 2>"$scratch/one.err" || one=$?
    # shellcheck disable=SC2086
    "$mlscore" merge $3 "$parts"/*.ndjson >"$scratch/merged" 2>"$scratch/merged.err" || merged=$?
    said "$one" "$scratch/one.err"
    said "$merged" "$scratch/merged.err"
    check "$1" sh -c "cmp '$scratch/one' '$scratch/merged' && diff '$scratch/one.err.said' '$scratch/merged.err.said'"
}
with "wide" "--wide" "--wide" score testdata/slurm
with "wide, of settings that were printed" "--wide" "--wide" score testdata/settings
with "summary" "" "--summary" score testdata/submission
with "summary, a row a system" "" "--summary=wide" score testdata/submission
with "strict" "" "--strict" score testdata/slurm
with "verbose" "" "-v" score testdata/slurm
with "quiet, without fail" "" "-q --no-fail" score testdata/slurm
with "window" "--window" "--format=json" score testdata/slurm
with "labels" "" "--format=openmetrics --label a=b --no-path" score testdata/slurm
with "sacct" "" "--sacct testdata/jobs/sacct.txt" score testdata/slurm
with "check -v" "-v" "-v" check testdata/logs
with "check --split" "--split" "--format=json" check testdata/submission

"$mlscore" events --count --key seed --partial --shard 1/2 -o "$scratch/counted.ndjson" testdata/slurm
"$mlscore" events --count --partial --shard 2/2 -o "$scratch/all.ndjson" testdata/slurm
"$mlscore" events --count --partial --shard 1/1 -o "$scratch/whole.ndjson" testdata/slurm
"$mlscore" check --partial --shard 1/1 -o "$scratch/checked.ndjson" testdata/slurm
deal score 2 --wide testdata/slurm
alike "parts that are wide, not asked for it" score json testdata/slurm
alike "parts that are wide, not asked for it" score table testdata/slurm

# -------------------------------------------------- parts of parts

cmp_merged() { "$mlscore" merge --format json "$@" >"$scratch/merged" 2>/dev/null; cmp "$scratch/one" "$scratch/merged"; }
"$mlscore" score --format json testdata >"$scratch/one" 2>/dev/null
deal score 5 testdata
"$mlscore" merge --partial "$parts/4.ndjson" "$parts/1.ndjson" "$parts/2.ndjson" -o "$scratch/some.ndjson"
check "which shards a merged part has" grep -q '"shards_in":\[\[1,2\],\[4,4\]\]}' "$scratch/some.ndjson"
check "parts of parts" cmp_merged "$parts/5.ndjson" "$scratch/some.ndjson" "$parts/3.ndjson"
check "the same part twice" cmp_merged "$parts"/*.ndjson "$parts/2.ndjson"
cp -R testdata/slurm "$scratch/tree"
(cd "$scratch" && "$mlscore" score --partial --shard 1/1 -o tree.ndjson tree)
check "nothing else is left" sh -c "! ls -A '$scratch' | grep -q '^\.mlscore-'"
touch -d '2020-01-01' "$scratch/.mlscore-tree.ndjson.a1b2c3"
touch "$scratch/.mlscore-tree.ndjson.d4e5f6"
(cd "$scratch" && "$mlscore" score --partial --shard 1/1 -o tree.ndjson tree)
check "what a task left long ago is removed, and no more" sh -c "[ ! -e '$scratch/.mlscore-tree.ndjson.a1b2c3' ] && [ -e '$scratch/.mlscore-tree.ndjson.d4e5f6' ]"

# The script of --plan, run as by srun, and outside of Slurm.
mkdir "$scratch/plan" && cp -R testdata/slurm "$scratch/plan/tree"
(
    cd "$scratch/plan" && "$mlscore" merge --plan 2 >plan.sh && "$mlscore" events --count tree >one
    PATH=${mlscore%/*}:$PATH MLSCORE_COMMAND=events
    export PATH MLSCORE_COMMAND
    for task in 0 1; do SLURM_PROCID=$task sh plan.sh --count tree; done
    "$mlscore" merge parts/*.ndjson >merged
    rm -r parts
    (unset SLURM_PROCID SLURM_ARRAY_TASK_ID && sh plan.sh --count tree) 2>err || echo refused >outside
)
check "the script of --plan" cmp "$scratch/plan/one" "$scratch/plan/merged"
check "is not for a shell without Slurm" sh -c "[ -e '$scratch/plan/outside' ] && [ ! -e '$scratch/plan/parts' ] && grep -q 'sbatch or srun' '$scratch/plan/err'"

# ------------------------------------------------------------------- what is refused

# refused NAME WORDS PART…: expect no output, status 3, and a message with these words.
refused() {
    name=$1 words=$2
    shift 2
    status=0
    "$mlscore" merge --format json "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    if [ "$status" -eq 3 ] && [ ! -s "$scratch/out" ] && grep -q -e "$words" "$scratch/err"; then
        pass
    else
        echo "status $status" >>"$scratch/err"
        fail "$name" "$scratch/err" "$scratch/out"
    fi
}

deal score 3 testdata/slurm
cp "$parts/2.ndjson" "$scratch/2.ndjson"
refused "a missing shard" 'shard 2/3 is missing' "$parts/1.ndjson" "$parts/3.ndjson"
status=0
"$mlscore" merge --allow-missing "$parts/1.ndjson" "$parts/3.ndjson" >"$scratch/out" 2>/dev/null || status=$?
check "a missing shard that is allowed" [ "$status" -eq 3 -a -s "$scratch/out" ]
"$mlscore" score --partial --shard 2/4 -o "$scratch/other.ndjson" testdata/slurm
refused "another number of shards" "its 'shards' differs from that of" "$parts"/[13].ndjson "$scratch/other.ndjson"
"$mlscore" score --partial --shard 2/3 -o "$scratch/other.ndjson" testdata/logs
refused "other paths" "its 'roots' differs from that of" "$parts"/[13].ndjson "$scratch/other.ndjson"
"$mlscore" score --partial --shard 2/3 --window -o "$scratch/other.ndjson" testdata/slurm
refused "other options" "its 'options' differs from that of" "$parts"/[13].ndjson "$scratch/other.ndjson"
status=0
"$mlscore" merge --status "$parts"/[13].ndjson "$scratch/other.ndjson" >"$scratch/out" 2>"$scratch/err" || status=$?
check "a part of other options counts as missing" sh -c "[ $status -eq 3 ] && grep -qx -e --array=2 '$scratch/out' && grep -q \"its 'options' differs from that of\" '$scratch/err'"
"$mlscore" score --partial --shard 2/3 --edition 5.1 -o "$scratch/other.ndjson" testdata/slurm
refused "another edition" "its 'edition' differs from that of" "$parts"/[13].ndjson "$scratch/other.ndjson"
"$mlscore" check --partial --shard 2/3 -o "$scratch/other.ndjson" testdata/slurm
refused "other keys" "its 'options' differs from that of" "$scratch/counted.ndjson" "$scratch/all.ndjson"
refused "another command" "its 'command' differs from that of" "$parts"/[13].ndjson "$scratch/other.ndjson"
sed '1s/"version":"[^"]*"/"version":"0.0.9"/' "$parts/2.ndjson" >"$scratch/other.ndjson"
refused "another version" 'written by version 0.0.9' "$parts"/[13].ndjson "$scratch/other.ndjson"
sed '1s/"rules":"[^"]*"/"rules":"0123456789abcdef"/' "$parts/2.ndjson" >"$scratch/other.ndjson"
refused "other rules" 'other rules' "$parts"/[13].ndjson "$scratch/other.ndjson"

# sealed FILE: print the file with a matching checksum, as an attacker would.
sealed() {
    python3 -c '
import sys
h = 0xcbf29ce484222325
data = open(sys.argv[1], "rb").read()
for byte in data:
    h = (h ^ byte) * 0x100000001b3 & (1 << 64) - 1
lines = data.split(b"\n")[1:-1]
runs = int(sys.argv[2])
read = int(sys.argv[3])
tail = "{\"end\":true" + "".join(",\"%s\":%d" % t for t in (("files", len(lines)), ("runs", runs), ("bytes", read)) if t[1])
sys.stdout.buffer.write(data + (tail + ",\"digest\":\"%016x\"}\n" % h).encode())' "$@"
}
# forged NAME WORDS LINE: expect that a part of one shard with this line for a file is refused.
forged() {
    { head -n 1 "$scratch/tree.ndjson"; printf '%s\n' "$3"; } >"$scratch/lines"
    sealed "$scratch/lines" "${4:-0}" 0 >"$scratch/forged.ndjson"
    refused "$1" "$2" "$scratch/forged.ndjson"
}
path='"path":"tree/a.log"'
forged "a member that no part has" "invalid 'surprise'" "{$path,\"surprise\":1}"
forged "a number that is none" "invalid 'size'" "{$path,\"size\":-1}"
forged "a path below none of the roots" "does not belong to this shard" "{$path,\"root\":7}"
forged "a file without a path" "does not belong to this shard" '{"size":1}'
forged "runs that are no list" "invalid 'runs'" "{$path,\"runs\":7}"
forged "a status that there is not" "invalid 'status'" "{$path,\"runs\":[{\"status\":9}]}" 1
forged "a finding that there is not" "invalid 'findings'" "{$path,\"runs\":[{\"findings\":[{\"code\":\"x\",\"message\":\"y\"}]}]}" 1
forged "a hyperparameter that is no JSON" "invalid 'value'" "{$path,\"runs\":[{\"hyperparameters\":[{\"key\":\"a\",\"value\":\"[1,\"}]}]}" 1
forged "a hyperparameter without a value" "invalid 'hyperparameters'" "{$path,\"runs\":[{\"hyperparameters\":[{\"key\":\"a\"}]}]}" 1
forged "a malformed line without a reason" "invalid 'malformed_lines'" "{$path,\"malformed\":1,\"malformed_lines\":[{\"line\":1}]}"
forged "malformed lines that nobody counted" "invalid 'malformed_lines'" "{$path,\"malformed_lines\":[{\"line\":1,\"reason\":\"x\"}]}"
forged "lists within lists" "nested too deeply\|line 2" "{$path,\"runs\":$(printf '[%.0s' $(seq 5000))"
forged "one file twice" "is also in" "{$path}
{$path}"
{ head -n 1 "$scratch/tree.ndjson" | sed 's/"command":"score"/"command":"events"/'; echo "{$path,\"runs\":[{}]}"; } >"$scratch/lines"
sealed "$scratch/lines" 1 0 >"$scratch/forged.ndjson"
refused "runs among counts" "an events part must not contain runs" "$scratch/forged.ndjson"
# shards_in WORDS VALUE: expect that a part with this value for its shards is refused.
shards_in() {
    head -n 1 "$scratch/tree.ndjson" | sed "s/\"shard\":1/\"shards_in\":$2/" >"$scratch/lines"
    sealed "$scratch/lines" 0 0 >"$scratch/forged.ndjson"
    refused "shards that are $2" "$1" "$scratch/forged.ndjson"
}
for value in '[1,1]' '[[1]]' '[[1,1,1]]' '[["1",1]]' '[{"first":1,"last":1}]' '{}' '[[]]'; do
    shards_in "invalid 'shards_in'" "$value"
done
for value in '[[1,2]]' '[[0,1]]' '[[1,1],[1,1]]' '[]'; do shards_in "invalid shards: expected distinct numbers" "$value"; done

# A part cut at each line, and in the middle of each line.
lines=$(wc -l <"$parts/2.ndjson")
cut=0
while [ "$cut" -lt "$lines" ]; do
    head -n "$cut" "$scratch/2.ndjson" >"$parts/2.ndjson"
    refused "cut after line $cut" '2.ndjson' "$parts"/*.ndjson
    sed -n "$((cut + 1))p" "$scratch/2.ndjson" | head -c 5 >>"$parts/2.ndjson"
    refused "cut in line $((cut + 1))" '2.ndjson' "$parts"/*.ndjson
    cut=$((cut + 1))
done

# A small part with each byte changed: it is refused or gives the same result.
"$mlscore" score --partial --shard 1/1 -o "$scratch/small.ndjson" testdata/logs/no-such-log 2>/dev/null
"$mlscore" merge --format json "$scratch/small.ndjson" >"$scratch/good" 2>/dev/null
size=$(wc -c <"$scratch/small.ndjson")
at=0 wrong=0
while [ "$at" -lt "$size" ]; do
    { head -c "$at" "$scratch/small.ndjson" && printf '%s' '~' && tail -c "+$((at + 2))" "$scratch/small.ndjson"; } >"$scratch/changed.ndjson"
    status=0
    "$mlscore" merge --format json "$scratch/changed.ndjson" >"$scratch/out" 2>/dev/null || status=$?
    cmp -s "$scratch/out" "$scratch/good" || { [ "$status" -eq 3 ] && [ ! -s "$scratch/out" ]; } || wrong=$((wrong + 1))
    at=$((at + 1))
done
check "each byte of a small part changed" [ "$wrong" -eq 0 -a "$size" -gt 200 ]

# ------------------------------------------------------------------- wrong usage

# wrong WORDS COMMAND…
wrong() {
    words=$1 status=0
    shift
    "$mlscore" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    check "mlscore $*" sh -c "[ $status -eq 2 ] && grep -q -e \"$words\" '$scratch/err'"
}
wrong '--shard needs --partial' score --shard 1/2 testdata/slurm
wrong 'requires --shard I/N' score --partial -o "$scratch/x" testdata/slurm
wrong "invalid shard '3/2': expected I/N" score --partial --shard 3/2 -o "$scratch/x" testdata/slurm
wrong 'requires -o FILE' score --partial --shard 1/2 testdata/slurm
wrong '--timeout cannot be used with --partial' score --partial --shard 1/2 -o "$scratch/x" --timeout 3 testdata/slurm
wrong '--format cannot be used with --partial' check --partial --shard 1/2 -o "$scratch/x" --format json testdata/slurm
wrong 'not a regular file or folder' score --partial --shard 1/2 -o "$scratch/x" -
wrong '--partial needs --count' events --partial --shard 1/2 -o "$scratch/x" testdata/slurm
wrong 'does not support --format' merge --format json "$scratch/whole.ndjson"
wrong 'made with --wide' merge --wide "$scratch/small.ndjson"
for option in --jobs '--sacct testdata/jobs/sacct.txt' '--timezone UTC' --no-fail '--label a=b' --no-path --wide --summary; do
    # shellcheck disable=SC2086 # they are words
    wrong 'applies to parts of score, but these are parts of events' merge $option "$scratch/whole.ndjson"
done
wrong 'applies to parts of score, but these are parts of check' merge --no-fail "$scratch/checked.ndjson"
wrong 'from 1 to 1000000' merge --plan 0
wrong 'cannot be combined' merge --plan 3 --status
finish
