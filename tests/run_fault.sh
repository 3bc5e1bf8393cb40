#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_fault.sh BUILD
# Make reads, writes, allocations and file system calls fail. The program must process the rest, and never crash, hang
# or leave a partial file. MANY_FILES (default: 20000) is the number of files in the largest folder.
. tests/count.sh
build=$1
mlscore=$(realpath "${MLSCORE:-$build/mlscore}")
shim=$(realpath "$build/fault/shim.so")
many=${MANY_FILES:-20000}
testdata=$root/testdata
cd "$scratch" || exit 1

# run COMMAND…: run a command; its results are in out, err and status.
run() {
    status=0
    limited 120 "$@" >out 2>err </dev/null || status=$?
}
# faulty RULES COMMAND…: run a command with the shim.
faulty() {
    rules=$1
    shift
    run env FAULT="$rules" FAULT_REPORT="$scratch/report" LD_PRELOAD="$shim" "$@"
}
# that NAME TEST: count a pass if the shell expression TEST is true after the last run.
that() {
    if eval "$2"; then
        pass
    else
        { echo "status $status, not: $2"; head -c 1500 err; head -c 1500 out; } >why
        fail "$1" why
    fi
}
# Only crashes end with these statuses.
not_crashed() { [ "$status" -lt 99 ]; }
says() { grep -qF -- "$1" err; }

events() { run "$mlscore" events --format ndjson "$@"; }
score() { run "$mlscore" score --format json "$@"; }

# Print the name of each run in the JSON of score.
runs() {
    tr ',{\t' '\n\n ' <out | sed -n '/"skipped"/q; s/^ *"file": *"\([^"]*\.log\)".*/\1/p'
}

# ------------------------------------------------------------ a folder of three runs
mkdir logs
for i in 1 2 3; do cp "$testdata/slurm/250419104520_$i.log" "logs/trial_$i.log"; done

score logs
cp out score.good
good_status=$status
that "the plain folder has three runs" '[ "$(runs | wc -l)" -eq 3 ]'
events logs
cp out events.good
that "the plain folder has records" '[ "$status" -eq 0 ] && [ "$(wc -l <out)" -gt 200 ]'

# ------------------------------------------------------------ reading
faulty 'read@trial_2:1:short=9000;read@trial_2:1:EIO' "$mlscore" score --format json logs
that "a read error in the middle: status 3" '[ "$status" -eq 3 ]'
that "a read error in the middle: the file and the reason are named" 'says trial_2.log && says "Input/output error" && says "mlscore score: "'
that "a read error in the middle: the others are scored" '[ "$(runs | grep -c -e trial_1 -e trial_3)" -eq 2 ]'
faulty 'read@trial_2:1:short=9000;read@trial_2:1:EIO' "$mlscore" events --format ndjson logs
that "events after a read error: status 3, the others complete" '[ "$status" -eq 3 ] && [ "$(grep -c trial_3.log out)" -eq "$(grep -c trial_3.log events.good)" ]'
for threads in 1 4; do
    faulty 'read@logs/:*:short=1' "$mlscore" score -j$threads --format json logs
    that "reads of one byte, score -j$threads" '[ "$status" -eq "$good_status" ] && cmp -s out score.good'
    faulty 'read@logs/:*:short=1' "$mlscore" events -j$threads --format ndjson logs
    that "reads of one byte, events -j$threads" 'cmp -s out events.good'
    that "the shim was there" '[ "$(cat report)" -gt 40000 ]'
    faulty 'read@logs/:%2:EINTR' "$mlscore" score -j$threads --format json logs
    that "interrupted reads, -j$threads" 'cmp -s out score.good && [ ! -s err ]'
done
faulty 'read@logs/:%3:short=7' "$mlscore" events --format ndjson logs
that "uneven reads" 'cmp -s out events.good'
faulty 'read@trial_2:1:short=9000;read@trial_2:1:EIO' "$mlscore" check --format ndjson logs
that "check after a read error: status 3, the file named, the others judged" '[ "$status" -eq 3 ] && says trial_2.log && [ "$(grep -c "\"valid\":true" out)" -eq 2 ]'
faulty 'open@trial_1:*:EACCES' "$mlscore" score --format json logs
that "a file without permission: named, status 3" '[ "$status" -eq 3 ] && says trial_1.log && says "Permission denied"'
that "a file without permission: the others are scored" '[ "$(runs | grep -c trial)" -eq 2 ]'
mkdir logs/closed
faulty 'open@closed:*:EACCES' "$mlscore" score --format json logs
that "a folder without permission: named, status 3" '[ "$status" -eq 3 ] && says closed && says "Permission denied"'
that "a folder without permission: the others are scored" '[ "$(runs | wc -l)" -eq 3 ]'
rmdir logs/closed
faulty 'readdir@logs:2:EIO' "$mlscore" score --format json logs
that "a folder that breaks off: named, status 3" '[ "$status" -eq 3 ] && says logs && says "Input/output error"'
faulty 'open@trial_:2+:EMFILE' "$mlscore" score --format json logs
that "no more descriptors: named, status 3" '[ "$status" -eq 3 ] && says "Too many open files"'
faulty 'thread:*:EAGAIN' "$mlscore" score -j4 --format json logs
that "no threads to be had: the same output" '[ "$status" -eq "$good_status" ] && cmp -s out score.good'
faulty 'thread:2+:EAGAIN' "$mlscore" score -j4 --format json logs
that "only one thread to be had: the same output" '[ "$status" -eq "$good_status" ] && cmp -s out score.good'
faulty 'stat@trial_2:*:EIO' "$mlscore" score --format json logs
that "stat fails: no crash, the others are scored" 'not_crashed && [ "$(runs | grep -c -e trial_1 -e trial_3)" -eq 2 ]'
score no-such-folder logs
that "a path that is not there: named, status 3, the rest is scored" '[ "$status" -eq 3 ] && says no-such-folder && [ "$(runs | wc -l)" -eq 3 ]'

# The blocks of a large file are read in parallel.
mkdir large
i=0
while [ $i -lt 120 ]; do
    cat logs/trial_1.log logs/trial_2.log logs/trial_3.log
    i=$((i + 1))
done >large/many.log
events large
cp out large.good
that "the large file is read side by side" '[ "$status" -eq 0 ] && [ "$(wc -c <large/many.log)" -gt 5000000 ]'
faulty 'read@many:*:short=70000' "$mlscore" events -j4 --format ndjson large
that "a large file in short reads" '[ "$status" -eq 0 ] && cmp -s out large.good'
faulty 'read@many:9:EIO' "$mlscore" events -j4 --format ndjson large
that "a read error in a large file: status 3, the file and the reason are named" '[ "$status" -eq 3 ] && says many.log && says "Input/output error"'
that "a read error in a large file: what stands before is there, nothing from behind it" \
    '[ -s out ] && head -c "$(wc -c <out)" large.good | cmp -s - out'
truncate -s 400M large/many.log
faulty 'read@many:9+:EIO' "$mlscore" events -j4 --format ndjson large
that "a large file that can be read no further: it is not tried to the end" \
    '[ "$status" -eq 3 ] && says "Input/output error" && [ "$(cat report)" -lt 200 ]'

# A file that changes while it is read.
cp -r logs changing
faulty 'read@changing/trial_2:1:short=9000;read@changing/trial_2:1:truncate=4000' "$mlscore" score -j1 --format json changing
that "a file that shrinks: no crash, the others are scored" 'not_crashed && [ "$(runs | grep -c -e trial_1 -e trial_3)" -eq 2 ]'
cp logs/trial_2.log changing/
faulty 'read@changing/trial_2:1:truncate=0' "$mlscore" score -j1 --format json changing
that "a file that is emptied: no crash, the others are scored" 'not_crashed && [ "$(runs | grep -c -e trial_1 -e trial_3)" -eq 2 ]'
cp logs/trial_2.log changing/
FAULT_TEXT=$(printf ' 0: noise\n 0: more noise\n')
export FAULT_TEXT
faulty 'read@changing/trial_2:2:append' "$mlscore" score -j1 --format json changing
that "a file that grows: the same runs" 'not_crashed && [ "$(runs | wc -l)" -eq 3 ]'

# ------------------------------------------------------------ writing
for format in table csv json ndjson markdown github junit; do
    for command in score events check; do
        # A format that the command does not have, or that prints nothing, writes nothing.
        run "$mlscore" $command --format $format logs
        [ -s out ] || continue
        status=0
        limited 60 "$mlscore" $command --format $format logs >/dev/full 2>err || status=$?
        that "full disk on standard output, $command --format $format" '[ "$status" -eq 3 ] && says "No space left on device"'
    done
done
run sh -c '"$1" events --format ndjson "$2" >&-' - "$mlscore" logs
that "standard output closed: status 3 and a message" '[ "$status" -eq 3 ] && [ -s err ]'

mkdir result
# untouched NAME: check that -o failed with a message, kept the old file and left no other file.
untouched() {
    that "$1: status 3 and a message" '[ "$status" -eq 3 ] && says "mlscore score: "'
    that "$1: the old file stays" '[ "$(cat result/o.json)" = old ]'
    that "$1: nothing is left beside it" '[ "$(ls -A result)" = o.json ]'
}
echo old >result/o.json
for rules in 'open@result/:*:full' 'open@result/:*:EACCES' 'close@result/:*:EIO' 'rename@o.json:*:EIO'; do
    faulty "$rules" "$mlscore" score --format json -o result/o.json logs
    untouched "-o, $rules"
done
run "$mlscore" score --format json -o result/o.json logs
that "-o replaces the old file" '[ "$status" -eq "$good_status" ] && cmp -s result/o.json score.good && [ "$(ls -A result)" = o.json ]'
run "$mlscore" score --format json -o no-such-folder/o.json logs
that "-o in a folder that is not there" '[ "$status" -eq 3 ] && says no-such-folder/o.json'
run sh -c 'umask 027; "$1" score --format json -o result/p.json logs' - "$mlscore"
that "-o obeys the umask" '[ "$(ls -l result/p.json | cut -c1-10)" = -rw-r----- ]'

# A reader that closes the pipe, like head.
mkdir long
for i in 1 2 3 4 5 6 7 8 9 10; do cp "$testdata/slurm/slurm-117.out" long/$i.log; done
(
    status=0
    limited 60 "$mlscore" events --format ndjson long 2>err || status=$?
    echo "$status" >status
) | head -n 1 >out
status=$(cat status)
that "a closed pipe ends it quietly" '[ ! -s err ] && [ "$(wc -l <out)" -eq 1 ] && { [ "$status" -eq 0 ] || [ "$status" -eq 141 ]; }'

# ------------------------------------------------------------ memory
# If memory runs out, the program prints one line, removes partial files and exits with 3.
mkdir cut
cp "$testdata/logs/ten-runs.log" "$testdata/logs/malformed.log" "$testdata/logs/odd.log" cut
gzip -c "$testdata/logs/plain.log" >packed.log
# A submission with many kinds of findings.
cp -R "$testdata/submission" submission
(
    cd submission/results/example_b200_n2
    sed -i '/"lora_rank"/s/"value": 16/"value": 32/' llama2_70b_lora/result_[34].txt
    sed -i '/"seed"/s/"value": [0-9]*/"value": 1/' llama2_70b_lora/result_[56].txt
    rm llama31_405b/power/result_1/node_1.txt
    echo rcp_bypass >package_checker_params
    ln -s nowhere llama31_405b/link
    cp ../../systems/example_b200_n2.json ../../systems/unused.json
    sed -i '/"cooling"/d; s/EXAMPLE/Another/' ../../systems/example_b200_n2.json
)
for command in 'score logs' 'check logs' 'events logs' 'diagnose logs' 'verify submission' 'compare logs logs' 'published --edition 5.1'; do
    for nth in 1 7 30 120 500 2000; do
        echo old >memory.json
        # shellcheck disable=SC2086
        faulty "malloc:$nth+:ENOMEM" "$mlscore" ${command%% *} -o memory.json ${command#* }
        that "no memory from allocation $nth on, $command" '[ "$status" -eq 3 ] && [ -s err ] && [ "$(cat memory.json)" = old ] && [ "$(ls memory.json*)" = memory.json ] || { [ "$status" -lt 3 ] && [ "$(cat report)" -lt "$nth" ]; }'
    done
done

mkdir job
cp "$testdata"/telemetry/slurm-4711.out "$testdata"/telemetry/n* job
faulty 'read@node02:1:short=9000;read@node02:2:EIO' "$mlscore" telemetry -j1 --run "$testdata/telemetry/slurm-4711.out" job
that "telemetry after a read error: status 3, the file named, the others told" '[ "$status" -eq 3 ] && says node02 && says "Input/output error" && grep -q node03 out'
faulty 'open@node02:*:EACCES' "$mlscore" telemetry -j1 --run "$testdata/telemetry/slurm-4711.out" job
that "telemetry without permission: status 3, the file named, the others told" '[ "$status" -eq 3 ] && says node02 && says "Permission denied" && grep -q node03 out'
for rules in 'read@result_3:1:EIO' 'open@result_3:*:EACCES' 'open@example_b200_n2.json:*:EACCES' \
    'readdir@llama31_405b:2:EIO' 'stat@result_5:*:EIO' 'read@node_0:1:EIO' \
    'open@pytorch/README.md:1:EACCES' 'read@pytorch/README.md:1:EIO'; do
    faulty "$rules" "$mlscore" verify -j2 submission
    that "verify, $rules: named, status 3, the rest judged" '[ "$status" -eq 3 ] && [ -s err ] && grep -q "not ready to upload" out'
done
run sh -c '"$1" verify submission >/dev/full' - "$mlscore"
that "verify on a full disk: status 3" '[ "$status" -eq 3 ] && says "No space left on device"'

# ------------------------------------------------------------ logs that grow
mkdir grown
cp logs/trial_[12].log grown
head -n 114 logs/trial_3.log >grown/trial_3.log
touch -d '1 hour ago' grown/*
seen() { sed 's/"seen_ms":[0-9]*//' out; }
run "$mlscore" watch --once --format ndjson grown
seen >watched.good
that "what is watched has a run that goes on" '[ "$status" -eq 0 ] && grep -q "\"event\":\"progress\".*trial_3" watched.good'
for rules in 'read@grown/:*:short=1' 'read@grown/:*:short=999' 'read@grown/:%2:EINTR' 'inotify:*:EMFILE'; do
    faulty "$rules" "$mlscore" watch --once --format ndjson grown
    that "watch, $rules: nothing is lost" '[ "$status" -eq 0 ] && seen | cmp - watched.good'
    faulty "$rules" "$mlscore" watch --timeout 0.1 --format ndjson grown
    that "watch, $rules: all is told" '[ "$status" -eq 4 ] && [ "$(grep -c "\"event\":\"stop\"" out)" -eq 2 ]'
done
for rules in 'read@trial_2:2:EIO' 'read@trial_2:2+:EIO' 'open@trial_2:*:EACCES'; do
    faulty "$rules" "$mlscore" watch --timeout 0.1 --format ndjson grown
    that "watch, $rules: named" 'says trial_2.log || grep -q "\"event\":\"file\".*trial_2.*\(error\|denied\)" out'
    that "watch, $rules: the others are told of" 'grep -q "\"event\":\"stop\".*trial_1" out'
done
for rules in 'readdir@grown:2:EIO' 'stat@trial_1:*:EIO' 'open@grown:1:EACCES'; do
    faulty "$rules" "$mlscore" watch --timeout 0.1 --format ndjson grown
    that "watch, $rules: it goes on" '[ "$status" -eq 3 ] || [ "$status" -eq 4 ]'
done
run sh -c '"$1" watch --once grown >/dev/full' - "$mlscore"
that "watch --once on a full disk: status 3" '[ "$status" -eq 3 ] && says "No space left on device"'
run sh -c '"$1" watch --timeout 0.1 grown >/dev/full' - "$mlscore"
that "watch on a full disk: status 3" '[ "$status" -eq 3 ] && says "No space left on device"'

# ------------------------------------------------------------ the tree
mkdir -p loop/inner
cp logs/trial_1.log loop/inner/
ln -s .. loop/inner/up
ln -s ../../loop loop/inner/again
ln -s . loop/self
score loop
that "a loop of links ends, each run once" '[ "$(runs | wc -l)" -eq 1 ]'
ln -s nowhere loop/dangling.log
score loop
that "a dangling link does not keep the rest from being scored" '[ "$(runs | wc -l)" -eq 1 ]'

mkdir odd
cp logs/trial_1.log odd/
mkfifo odd/pipe.log
run "$mlscore" score -v odd
that "a FIFO in a folder is skipped with a reason" '[ "$status" -lt 2 ] && grep -q pipe.log out err'
score odd
that "a FIFO in a folder keeps nothing from being scored" '[ "$(runs | wc -l)" -eq 1 ]'
cat logs/trial_2.log >odd/pipe.log &
score odd/pipe.log
wait $!
that "a FIFO that is named is read" '[ "$(runs)" = odd/pipe.log ]'
if mknod odd/null.log c 1 3 2>/dev/null; then
    score odd
    that "a device in a folder is skipped" '[ "$(runs)" = odd/trial_1.log ]'
else
    skip
fi
events /dev/null
that "a device that is named is read" '[ "$status" -eq 0 ] && [ ! -s out ] && [ ! -s err ]'
status=0
limited 60 "$mlscore" score --format json - <logs/trial_3.log >out 2>err || status=$?
that "standard input is a log" 'grep -q 1745067575118 out && [ "$status" -lt 2 ]'

mkdir mixed
cp logs/trial_1.log mixed/
: >mixed/empty.log
cp "$mlscore" mixed/program.log
head -c 300000 /dev/zero >mixed/zero.log
score mixed
that "empty and binary files keep nothing from being scored" '[ "$status" -eq 1 ] && [ "$(runs)" = mixed/trial_1.log ]'
mkdir nothing
score nothing
that "an empty folder is no score" '[ "$status" -eq 1 ]'
score mixed/empty.log
that "an empty file is no score" '[ "$status" -eq 1 ]'

# Files with names of commands and options.
newline='two
lines'
escape=$(printf 'red\033[31m\007')
mkdir names
cp logs/trial_1.log "names/with space.log"
cp logs/trial_2.log "names/$newline.log"
cp logs/trial_3.log "names/$escape.log"
for format in table markdown; do
    run "$mlscore" score --format $format names
    that "names with commands in them, $format" '[ "$status" -eq "$good_status" ] && ! grep -q "$(printf "[\033\007]")" out && ! grep -q "^lines" out'
done
score names
that "names with commands in them, json" '! grep -q "$(printf "[\033\007]")" out && grep -qF "two\\u000alines.log" out && grep -qF "with space.log" out'
find names -type f -print0 >list
score -0 --files-from list
that "names from a list that ends them in NUL" '[ "$(runs | wc -l)" -eq 3 ]'
events names
that "names with commands in them, events" '! grep -q "$(printf "[\033\007]")" out && grep -qF "two\\u000alines.log" out'
mkdir hidden
cp logs/trial_1.log "hidden/c1$(printf '\302\233').log"
cp "$testdata/logs/died.log" "hidden/override$(printf '\342\200\256').log"
for command in "score --format table" "score --format json" "score --format csv" "events --format ndjson" "events --format csv" "events --count" "check --format table" \
    "check --format json" "check --format github" "check --format junit"; do
    run "$mlscore" $command hidden
    that "names with hidden characters, $command" '[ -s out ] && ! LC_ALL=C grep -q -e "$(printf "\302\233")" -e "$(printf "\342\200\256")" out'
done
run "$mlscore" score "$(printf 'gone\033[31m.log')"
that "a message shows a name without its commands" '[ "$status" -eq 3 ] && ! grep -q "$(printf "\033")" err && says gone'

# ------------------------------------------------------------ parts
mkdir parts
part() { "$mlscore" "$@" --partial 2>/dev/null; }
for shard in 1 2; do
    part score -j1 --wide --shard $shard/2 -o parts/score-$shard.ndjson cut logs "$testdata/logs/died.log"
    part check -j1 --shard $shard/2 -o parts/check-$shard.ndjson cut logs
    part events --count -j1 --shard $shard/2 -o parts/events-$shard.ndjson cut logs
done
rm -f result/*
for rules in 'open@result/:*:full' 'open@result/:*:EACCES' 'sync@result/:*:EIO' 'close@result/:*:EIO' 'rename@o.json:*:EIO' \
    'write@result/:1:kill' 'sync@result/:*:kill' 'rename@result/:*:kill'; do
    echo old >result/o.json
    faulty "$rules" "$mlscore" score --partial --shard 1/2 -o result/o.json logs
    that "a part, $rules: the old one stays" '[ "$(cat result/o.json)" = old ] && [ "$(ls result)" = o.json ] && [ "$status" -ne 0 ]'
    case $rules in *kill) ;; *)
        that "a part, $rules: status 3, a message, and nothing beside it" '[ "$status" -eq 3 ] && says "mlscore score: " && [ "$(ls -A result)" = o.json ]'
        ;;
    esac
    rm -rf result/.mlscore-*
done
faulty 'read@trial_2:1:short=9000;read@trial_2:1:EIO' "$mlscore" score -j1 --partial --shard 1/1 -o result/o.json logs
that "a part of a log that cannot be read: status 3, the part is whole and says so" '[ "$status" -eq 3 ] && says trial_2.log && says "Input/output error" && tail -n 1 result/o.json | grep -q "{\"end\":true"'
run "$mlscore" merge --format json result/o.json
that "and so does its merge" '[ "$status" -eq 3 ] && says trial_2.log && says "Input/output error" && [ "$(runs | grep -c -e trial_1 -e trial_3)" -eq 2 ]'
faulty 'read@score-2:1:short=900;read@score-2:1:EIO' "$mlscore" merge parts/score-1.ndjson parts/score-2.ndjson
that "a part that cannot be read: status 3, named, nothing printed" '[ "$status" -eq 3 ] && says score-2.ndjson && says "Input/output error" && [ ! -s out ]'

# ------------------------------------------------------------ signals
# A signal that ends the program leaves no temporary file and keeps old files. Ignored signals stay ignored.
mkdir signalled
for output in 'score -o' 'events -o' 'report -o' 'score --partial --shard 1/1 -o'; do
    for signal in 1 2 3 10 15 24; do
        for call in write close rename; do
            echo before >signalled/o
            (ulimit -c 0 && faulty "$call@signalled/o:1:signal=$signal;$call@.mlscore-o.:1:signal=$signal" "$mlscore" $output signalled/o logs && echo "$status" >status)
            read -r status <status
            that "$output, signal $signal at $call" '[ "$status" -eq $((128 + signal)) ] && [ "$(ls -A signalled) $(cat signalled/o)" = "o before" ]'
        done
    done
done
run env --ignore-signal=HUP FAULT='write@signalled/o:1:signal=1' LD_PRELOAD="$shim" "$mlscore" events --format ndjson -o signalled/o logs
that "a signal that is ignored, as by nohup, stays ignored" '[ "$status" -eq 0 ] && cmp signalled/o events.good && [ "$(ls -A signalled)" = o ]'
run sh -c 'ulimit -f 1 && "$1" events -o signalled/o logs' - "$mlscore"
that "a file larger than is allowed is an error like any other" '[ "$status" -eq 3 ] && says "cannot write: File too large" && cmp signalled/o events.good && [ "$(ls -A signalled)" = o ]'

# ------------------------------------------------------------ packing
# unpacked NAME: check that pack failed with a message and left no folder.
mkdir code
echo 'print("training")' >code/train.py
into='--into packed --system n18 --benchmark llama2_70b_lora'
pack() { faulty "$1" "$mlscore" pack --write --scrub --implementation code $into "$testdata/slurm"; }
unpacked() { that "$1" '[ "$status" -eq 3 ] && [ -s err ] && [ ! -e packed ]'; }
cleared() { rm -rf packed; }
# Let each call of a kind fail in turn. The temporary folder is .llama2_70b_lora.XXXXXX.
for call in write sync open close mkdir rename; do
    last=0
    for nth in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40; do
        case $call in
        mkdir | rename) rule=$call@pack:$nth:ENOSPC ;;
        *) rule=$call@.llama2_70b_lora.:$nth:ENOSPC ;;
        esac
        pack "$rule"
        [ "$status" -ne 0 ] || break
        unpacked "pack without room at $call $nth"
        last=$nth
        cleared
    done
    that "pack fails at some $call" '[ "$last" -gt 0 ]'
    cleared
done
for rule in 'open@.llama2_70b_lora.:*:full' 'sync@packed/systems:*:EIO'; do
    pack "$rule"
    unpacked "pack, $rule"
    cleared
done
pack 'open@code/train.py:*:EACCES'
unpacked "pack of code that cannot be read"
that "the code that cannot be read is named, once" '[ "$(cat err)" = "mlscore pack: code/train.py: Permission denied" ]'

# The packed bytes are those that were scored, even if the log or pipe changes after it was read.
mkdir growing
cp "$testdata"/slurm/250419104520_*[0-9].log growing
mkfifo behind
{ exec 3>behind && echo ' 0: noise' >>growing/250419104520_2.log; } &
run "$mlscore" pack --write $into growing behind
wait
unpacked "pack of a log that changed after it was read"
that "the log that changed is named" 'says "growing/250419104520_2.log: changed meanwhile"'

# If the program is killed at any write, sync or rename, there is no result or a complete one. The next pack works and
# reports what the last one left.
pack 'write@nothing:1:EIO'
cp -R packed whole
cleared
for call in write sync mkdir rename; do
    last=0
    for nth in $(seq 200); do
        pack "$call@pack:$nth:kill"
        [ "$status" -ne 0 ] || break
        last=$nth
        if [ -e packed/results/n18/llama2_70b_lora ]; then
            that "pack killed at $call $nth: the result is whole" 'diff -r whole/results/n18/llama2_70b_lora packed/results/n18/llama2_70b_lora >err'
        else
            left=$(find packed -name '.llama2_70b_lora.*' 2>/dev/null)
            run "$mlscore" pack --write --scrub $into "$testdata/slurm"
            that "pack killed at $call $nth: the next one packs, and names what is left" '[ "$status" -eq 0 ] && { [ -z "$left" ] || grep -q "left over from an interrupted pack" out; }'
            rm -rf packed/results/n18/.llama2_70b_lora.*
            that "pack killed at $call $nth: the next one is whole" 'diff -r whole/results packed/results >err'
        fi
        cleared
    done
    that "pack makes some $call to be killed at" '[ "$last" -gt 0 ]'
    cleared
done
# After a signal at any of these calls, there is no result or a complete one.
for call in write sync mkdir rename; do
    last=0
    for nth in $(seq 200); do
        pack "$call@pack:$nth:signal=15"
        [ "$status" -ne 0 ] || break
        last=$nth
        if [ -e packed/results ]; then
            that "pack ended by a signal at $call $nth: the result is whole" '[ "$status" -eq 143 ] && diff -r whole packed >err'
        else
            that "pack ended by a signal at $call $nth: nothing is left" '[ "$status" -eq 143 ] && [ ! -e packed ]'
        fi
        cleared
    done
    that "pack makes some $call to be ended at" '[ "$last" -gt 0 ]'
    cleared
done
# Existing files are kept.
mkdir packed
echo '{"status": "Preview"}' >packed/notes
pack 'sync@.llama2_70b_lora.:12:EIO'
that "pack into a folder that is there leaves what was there, and no more" '[ "$status" -eq 3 ] && [ "$(cd packed && find . | sort | tr "\n" " ")" = ". ./notes " ]'
pack 'write@nothing:1:EIO'
that "pack when nothing fails" '[ "$status" -eq 0 ] && [ "$(ls packed/results/n18/llama2_70b_lora | wc -l)" -eq 10 ] && [ "$(ls -A packed | tr "\n" " ")" = "benchmarks notes results systems " ]'
# ------------------------------------------------------------ many files
mkdir many
awk -v many="$many" 'BEGIN {
    for (i = 0; i < many; i++) {
        name = "many/" i ".log"
        print "0: nothing to see here, line " i > name
        close(name)
    }
}'
mkdir many/deep
cp logs/trial_1.log many/deep/
score many
that "$many files: the one run among them is found" '[ "$(runs)" = many/deep/trial_1.log ] && [ "$status" -eq 1 ]'
run sh -c 'find many -name "*.log" | "$1" events --count --files-from -' - "$mlscore"
that "$many files by name" '[ "$status" -eq 0 ] && [ ! -s err ]'
# ------------------------------------------------------------ writing a log
whole() { [ "$(run "$mlscore" events --count run.log; cat out)" = "$1" ]; }
faulty 'write@run.log:*:short=100000' "$mlscore" log k 1 -o run.log
that "a record is one write()" '[ "$status" -eq 0 ] && [ "$(cat report)" -eq 1 ] && whole 1'
faulty 'write@run.log:1:EINTR' "$mlscore" log k 2 -o run.log
that "a write that a signal interrupts is made again" '[ "$status" -eq 0 ] && whole 2'
faulty 'write@run.log:*:short=10' "$mlscore" log k 3 -o run.log
that "what a short write left is written" '[ "$status" -eq 0 ] && whole 3'
faulty 'write@run.log:1:ENOSPC' "$mlscore" log k 4 -o run.log -o other.log
that "a full disk is said, and what has room gets the record" '[ "$status" -eq 3 ] && says "run.log" && says "No space left" && [ -s other.log ] && whole 3'
faulty 'close@run.log:*:EIO' "$mlscore" log k 5 -o run.log
that "an error of closing is said" '[ "$status" -eq 3 ] && says "run.log" && says "Input/output error"'

finish
