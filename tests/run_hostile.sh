#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_hostile.sh BUILD
# Run verify on malicious submissions. Check that time and memory are limited, that the message is useful, and that the
# output does not contain commands for the terminal.
. tests/count.sh
build=$1
mlscore=$root/$build/mlscore
tree=$scratch/tree
system=example_b200_n2
esc=$(printf '\033')

fresh() {
    rm -rf "$tree"
    cp -R testdata/submission "$tree"
}

# judged NAME STATUS CODE: verify the tree with 1 GiB of memory in 60 s; expect that status and finding.
judged() {
    status=0
    (cd "$scratch" && ulimit -v 1048576 && limited 60 "$mlscore" verify -v tree) >"$scratch/out" 2>"$scratch/err" ||
        status=$?
    : >"$scratch/why"
    [ "$status" -eq "$2" ] || echo "status $status, expected $2" >>"$scratch/why"
    grep -q "\[$3\]" "$scratch/out" || echo "no finding $3" >>"$scratch/why"
    ! grep -q "$esc" "$scratch/out" "$scratch/err" || echo "a raw escape character got through" >>"$scratch/why"
    if [ -s "$scratch/why" ]; then fail "$1" "$scratch/why" "$scratch/out" "$scratch/err"; else pass; fi
}

fresh
ln -s . "$tree/results/$system/loop"
ln -s .. "$tree/results/up"
ln -s ../results "$tree/benchmarks/results"
ln -s itself "$tree/benchmarks/itself"
ln -s ../../results "$tree/results/$system/llama31_405b/power/result_9"
judged "loops of links" 1 system-missing

fresh
rm "$tree/results/$system/llama31_405b/result_0.txt"
ln -s /etc/passwd "$tree/results/$system/llama31_405b/result_0.txt"
judged "a log that is a link out of the tree" 1 not-a-file
check "what such a link leads to is not read" sh -c "[ -s '$scratch/out' ] && ! grep root: '$scratch/out'"

fresh
ln -s / "$tree/results/slash"
judged "results that are a link out of the tree" 1 not-a-file

fresh
rm "$tree/systems/$system.json"
ln -s /dev/zero "$tree/systems/$system.json"
judged "a description that is a link to an endless device" 1 not-a-file

fresh
head -c 3000000 /dev/zero | tr '\0' '[' >"$tree/systems/$system.json"
judged "a description nested three million levels" 1 system-json

fresh
{ printf '{"a":"'; head -c 200000000 /dev/zero | tr '\0' 'x'; printf '"}'; } >"$tree/systems/$system.json"
judged "a description of 200 MB" 1 system-json

fresh
{ printf '{"a":1'; i=0; while [ $i -lt 20000 ]; do printf ',"k%d":1,"submitter":2' $i; i=$((i + 1)); done; printf '}'; } \
    >"$tree/systems/$system.json"
judged "a description with many members" 1 system-field

fresh
mkdir "$tree/many"
(cd "$tree/many" && seq -f 'file_%06.0f' 100000 | xargs touch)
(cd "$tree/results/$system/llama31_405b" && seq -f 'result_%.0f.txt' 3 60000 | xargs touch)
(cd "$tree/results/$system/llama2_70b_lora" && seq -f 'note_%.0f' 100000 | xargs touch)
judged "very many empty files" 1 tree-limit

fresh
(cd "$tree/results" && seq -f "$system/b%.0f" 30000 | xargs mkdir && seq -f 's%.0f' 30000 | xargs mkdir)
judged "very many empty results" 1 tree-limit

fresh
touch "$tree/results/$system/llama31_405b/$(printf 'a\033[2J\033]0;owned\007b\nresult_0.txt')"
mkdir "$tree/results/$(printf 'sys\033[31mtem\r')"
touch "$tree/results/$(printf 'sys\033[31mtem\r')/x" "$tree/systems/$(printf '\033[1m.json')"
sed -i 's/Available on-premise/\\u001bc\\u202eevil/' "$tree/systems/$system.json"
judged "names and texts with terminal commands" 1 stray-file
for format in csv json markdown github junit; do
    (cd "$scratch" && "$mlscore" verify --format $format tree) >"$scratch/out" 2>&1 || :
    check "no terminal command gets through as $format" sh -c "grep -q evil '$scratch/out' && ! grep -q '$esc' '$scratch/out'"
done

fresh
i=0
path=$tree/results/$system/llama31_405b/power/result_0
while [ $i -lt 60 ]; do path=$path/d$i; i=$((i + 1)); done
mkdir -p "$path/e/f/g/h/i/j/k/l"
judged "folders nested deeply in a place for files" 1 tree-limit
# ------------------------------------------------------------ a small file that unpacks to much
head -c 300000000 /dev/zero | gzip -1 >"$scratch/bomb.log"
status=0
(cd "$scratch" && ulimit -v 200000 && limited 60 "$mlscore" score -j1 bomb.log) >"$scratch/out" 2>"$scratch/err" || status=$?
if [ "$status" -eq 1 ] && grep -q "binary file" "$scratch/out"; then
    pass
else
    fail "what a small file unpacks to is not held" "$scratch/err"
fi
# ------------------------------------------------------------ small files of very many runs
mkdir "$scratch/many"
awk 'BEGIN { for (i = 0; i < 10000; i++) print "Beginning trial 1\n:::MLLOG {" }' >"$scratch/many/1.log"
cp "$scratch/many/1.log" "$scratch/many/2.log"
status=0
(cd "$scratch" && ulimit -v 100000 && limited 60 "$mlscore" check -q -j1 many) >"$scratch/out" 2>"$scratch/err" || status=$?
if [ "$status" -eq 1 ] && grep -q "^20,000 logs, 0 valid" "$scratch/out"; then
    pass
else
    fail "the runs of small files are not all held" "$scratch/err" "$scratch/out"
fi
# ------------------------------------------------------------ devices without an end, wherever a file is named
# refused ARGUMENTS…: expect a message about the device and status 3, with little memory.
refused() {
    status=0
    (ulimit -v 1048576 && limited 20 "$mlscore" "$@") >"$scratch/out" 2>"$scratch/err" </dev/zero || status=$?
    if [ "$status" -eq 3 ] && grep -q "not a \(regular file, pipe or terminal\|folder\)\|is no folder" "$scratch/err"; then
        pass
    else
        echo "status $status" >"$scratch/why"
        fail "an endless device: $*" "$scratch/why" "$scratch/err"
    fi
}
for command in score report check events diagnose throughput profile telemetry plan memory config watch merge verify compare; do
    refused $command /dev/zero
    case $command in watch | verify | config) ;; *) refused $command --files-from=/dev/zero ;; esac
done
for command in score report check events diagnose throughput profile telemetry; do refused $command -; done
refused /dev/zero
refused memory --oom /dev/zero
refused config --files-from=/dev/zero
refused config --diff /dev/zero testdata/configs
for command in score report check watch; do refused $command --rules=/dev/zero testdata/logs; done
refused rules --rules=/dev/zero
refused score --rcp=/dev/zero testdata/logs
refused score --sacct=/dev/zero testdata/logs
refused score --sacct=- testdata/logs
refused rcp --rcp=/dev/zero
refused diagnose --campaign --sacct=/dev/zero testdata/diagnose/chain/job_204
refused diagnose --signatures=/dev/zero testdata/diagnose/chain/job_204
refused profile --kernels=/dev/zero testdata/profiles/healthy.json
refused profile --against=/dev/zero testdata/profiles/healthy.json
refused profile --run=/dev/zero testdata/profiles/healthy.json
refused telemetry --run=/dev/zero testdata/telemetry
refused plan --factors=/dev/zero testdata/plan
refused report --against=/dev/zero testdata/logs
refused compare testdata/slurm /dev/zero
for option in describe implementation; do
    refused pack --into="$scratch/tree" --system=a --benchmark=llama2_70b_lora --$option=/dev/zero testdata/slurm
done
check "/dev/null is an empty file" sh -c "'$mlscore' events --format=csv /dev/null && ! '$mlscore' score /dev/null"
check "a file and a pipe are read by their names" sh -c "'$mlscore' score --no-fail /dev/stdin <testdata/logs/plain.log &&
    cat testdata/logs/plain.log | '$mlscore' score --no-fail -"
finish
