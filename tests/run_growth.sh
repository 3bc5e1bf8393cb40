#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_growth.sh BUILD
# Measure how memory grows: bytes per group of one run (peak memory for 4,000 groups minus that for 800), per line of a
# log in watch, per run in merge, per row and run in telemetry. Check that config --diff, watch and others take time in
# proportion to their input, and that merge refuses a part that changes while it is read.
. tests/count.sh
build=$1
mlscore=$root/$build/mlscore
measure=$root/$build/bench/measure
bytes_max=4096
few=800 many=4000
cd "$scratch" || exit 1

# logs FOLDER COUNT EACH: write COUNT valid runs of minimal size, EACH in a folder.
logs() {
    mkdir "$1"
    seq -f "$1/g%05.0f" $(($2 / $3)) | xargs mkdir
    seq "$2" | awk -v folder="$1" -v each="$3" '
        function record(ms, type, key, value, metadata) {
            printf ":::MLLOG {\"namespace\": \"\", \"time_ms\": %.0f, \"event_type\": \"%s\", \"key\": \"%s\", " \
                "\"value\": %s, \"metadata\": {\"file\": \"train.py\", \"lineno\": 7%s}}\n",
                start + ms, type, key, value, metadata > file
        }
        function point(key, value) { record(0, "POINT_IN_TIME", key, value, "") }
        {
            file = sprintf("%s/g%05d/result_%d.txt", folder, int(($1 - 1) / each) + 1, ($1 - 1) % each)
            start = 1745000000000 + $1
            point("submission_benchmark", "\"llama2_70b_lora\"")
            point("submission_division", "\"closed\"")
            point("submission_org", "\"Example\"")
            point("submission_platform", "\"1xB200\"")
            point("submission_status", "\"onprem\"")
            point("submission_poc_name", "\"A\"")
            point("submission_poc_email", "\"a@example.org\"")
            point("cache_clear", "true")
            point("global_batch_size", 8)
            point("seed", $1)
            point("train_samples", 3901)
            point("eval_samples", 173)
            point("gradient_accumulation_steps", 1)
            point("lora_rank", 16)
            point("lora_alpha", 32)
            point("opt_name", "\"adamw\"")
            point("opt_base_learning_rate", 0.0004)
            point("opt_learning_rate_training_steps", 1024)
            point("opt_learning_rate_warmup_factor", 0.0)
            point("opt_gradient_clip_norm", 0.3)
            point("opt_adamw_weight_decay", 0.0001)
            record(0, "INTERVAL_START", "init_start", "null", "")
            record(1000, "INTERVAL_END", "init_stop", "null", "")
            record(1000, "INTERVAL_START", "run_start", "null", "")
            for (i = 0; i < 4; i++) {
                at = 1000 + i * 100000
                record(at, "INTERVAL_START", "block_start", "null", ", \"samples_count\": " i * 384)
                record(at + 99000, "INTERVAL_END", "block_stop", "null", ", \"samples_count\": " (i + 1) * 384)
                record(at + 99900, "POINT_IN_TIME", "eval_accuracy", 0.93 - i / 500, ", \"samples_count\": " (i + 1) * 384)
            }
            record(401000 + $1 % 1000, "INTERVAL_END", "run_stop", "null",
                ", \"status\": \"success\", \"samples_count\": 1536")
            close(file)
        }'
}

# peak ARGUMENT…: print the peak memory of mlscore in KiB.
peak() {
    rm -f cost
    "$measure" cost "$mlscore" "$@" >out 2>err
    awk '{ print $4 }' cost
}

# grows NAME SIDES WORD…: check that memory grows by at most $bytes_max bytes for each of $few to $many items. @ in a
# word stands for their folder.
grows() {
    name=$1 sides=$2
    shift 2
    for count in $few $many; do
        words=
        for word; do words="$words $(echo "$word" | sed "s/@/$count/")"; done
        peak $words >"peak.$count"
        [ -s out ] || { fail "$name prints something" err; return; }
    done
    held=$((($(cat peak.$many) - $(cat peak.$few)) * 1024 / (many - few) / sides))
    if [ "$held" -lt "$bytes_max" ]; then pass; else fail "$name holds $held bytes each, $bytes_max are too many"; fi
}

logs $few $few 1
logs $many $many 1
check "the logs are valid" "$mlscore" check -q $few
for format in table csv json ndjson markdown; do
    bytes_max=4096
    grows "score --format $format" 1 score -j1 --format $format @
    # The measurements of a run and of its group come on top.
    bytes_max=5120
    grows "throughput --format $format" 1 throughput -j1 --format $format @
done
bytes_max=4096
grows "score --wide" 1 score -j1 --wide --format csv @
grows "score --summary" 1 score -j1 --summary @

# report reads all runs and draws them.
bytes_max=12288
grows "watch --once" 1 watch -j1 --once @

# long LOG COUNT: write a run with COUNT progress records, ten per second, and an evaluation after each thousand.
long() {
    awk -v count="$2" 'BEGIN {
        start = "\"time_ms\": %.0f, \"event_type\": \"%s\", \"key\": \"%s\", \"value\": %s, \"metadata\": {%s}}\n"
        start = ":::MLLOG {\"namespace\": \"\", " start
        began = 1745000000000
        printf start, began, "POINT_IN_TIME", "submission_benchmark", "\"llama2_70b_lora\"", ""
        printf start, began, "POINT_IN_TIME", "global_batch_size", 8, ""
        printf start, began, "INTERVAL_START", "init_start", "null", ""
        printf start, began, "INTERVAL_START", "run_start", "null", ""
        for (i = 1; i <= count; i++) {
            at = "\"samples_count\": " i
            if (i % 1000) printf start, began + i * 100, "POINT_IN_TIME", "tracked_stats", "{\"throughput\": 38.4}", at
            else printf start, began + i * 100, "POINT_IN_TIME", "eval_accuracy", 1 + 1 / i, at
        }
    }' >"$1"
}
# A verdict keeps at most 65,536 of the records, so both logs have more. Peak memory differs by 300 KiB between two runs
# on the same log, which is 1.5 bytes a line here; a record that is kept takes over 100.
few=100000 many=300000 bytes_max=16
for count in $few $many; do long "long.$count.log" $count; done
grows "watch --once, of a line" 1 watch -j1 --once long.@.log

# merge needs as much memory as one process for all logs.
few=1000 many=5000 bytes_max=16384
for count in $few $many; do
    logs tens.$count $count 10
    for command in score check; do
        "$mlscore" $command --partial --shard 1/1 -o $command.$count.ndjson tens.$count
    done
done
for command in score check; do
    grows "merge --format json, of a run of $command" 1 merge -j1 --format json $command.@.ndjson
done

# rows FILE COUNT ORDER: write measurements of 8 devices every 200 ms: in order, out of order, or without device.
rows() {
    awk -v count="$2" -v order="$3" 'BEGIN {
        named = order != "unnamed"
        print "timestamp, " (named ? "index, " : "") "power.draw [W], utilization.gpu [%], temperature.gpu"
        for (i = 0; i < count; i++) {
            at = order == "shuffled" ? i * 7919 % count : i
            ms = int(at / 8) * 200
            printf "2026/11/%02d %02d:%02d:%02d.%03d, %s%d W, %d %%, %d\n", 1 + ms / 86400000, ms / 3600000 % 24,
                ms / 60000 % 60, ms / 1000 % 60, ms % 1000, named ? at % 8 ", " : "", 400 + i % 300, i % 100, i % 50
        }
    }' >"$1"
}
few=200000 many=600000 bytes_max=100
for order in ordered shuffled unnamed; do
    for count in $few $many; do rows "node.$count.csv" $count $order; done
    grows "telemetry, of a row, $order" 1 telemetry -q -j1 node.@.csv
done

# runs FILE COUNT: write runs of one second, one every two seconds.
runs() {
    seq "$2" | awk '
        function record(ms, type, key, value) {
            printf ":::MLLOG {\"namespace\": \"\", \"time_ms\": %.0f, \"event_type\": \"%s\", \"key\": \"%s\", " \
                "\"value\": %s, \"metadata\": {}}\n", 1793491200000 + $1 * 2000 + ms, type, key, value
        }
        {
            record(0, "POINT_IN_TIME", "submission_benchmark", "\"llama2_70b_lora\"")
            record(0, "INTERVAL_START", "init_start", "null")
            record(0, "INTERVAL_START", "run_start", "null")
            record(1000, "INTERVAL_END", "run_stop", "null")
        }' >"$1"
}
few=20 many=220 bytes_max=16384
awk 'BEGIN {
    print "timestamp, index, power.draw [W]"
    for (i = 0; i < 8000; i++) printf "2026/11/01 00:0%d:00.000, %d, 500 W\n", i / 1000, i % 1000
}' >devices.csv
for count in $few $many; do runs "runs.$count.log" $count; done
for format in table csv json ndjson; do
    grows "telemetry --format $format, of a run and its thousand devices" 1 \
        telemetry -j1 --format $format --run runs.@.log devices.csv
done

# linear NAME COMMAND…: compare the times for $few and $many items, which replace @ in the command. For four times as
# many items, quadratic time is 16 times as long. Half a second is added for a busy machine.
linear() {
    name=$1
    shift
    for count in $few $many; do
        : >cost
        # shellcheck disable=SC2046 # words without blanks
        "$measure" cost "$mlscore" $(echo "$@" | sed "s/@/$count/g") >out 2>err
        awk '{ printf "%d\n", $2 * 1000 }' cost >"user.$count"
        check "$name of $count prints something" [ -s out ]
    done
    if [ "$(cat user.$many)" -lt $((8 * $(cat user.$few) + 500)) ]; then pass; else
        fail "$name: $(cat user.$many) ms for $many, $(cat user.$few) ms for $few"
    fi
}
few=4000 many=16000
seq 50 | sed 's/.*/export OWN&=&/' >config_GB200_1x4x1_last.sh
for count in $few $many; do seq $count | sed 's/.*/config_GB200_&x4x1xtp1pp1cp8.sh/' >names.$count; done
linear "config --diff, of names and a script" config --diff --files-from names.@ config_GB200_1x4x1_last.sh

# single FOLDER COUNT GROUPS: write logs of one run each, with GROUPS different batch sizes.
single() {
    mkdir "$1"
    seq "$2" | awk -v folder="$1" -v groups="$3" '
        function record(ms, type, key, value, at) {
            printf ":::MLLOG {\"namespace\": \"\", \"time_ms\": %.0f, \"event_type\": \"%s\", \"key\": \"%s\", " \
                "\"value\": %s, \"metadata\": {%s}}\n", 1793491200000 + $1 * 7 + ms, type, key, value, at >file
        }
        {
            file = folder "/" $1 ".log"
            record(0, "POINT_IN_TIME", "submission_benchmark", "\"llama2_70b_lora\"")
            record(0, "POINT_IN_TIME", "global_batch_size", 8 + $1 % groups)
            record(1, "INTERVAL_START", "init_start", "null")
            record(2, "INTERVAL_START", "run_start", "null")
            record(1000, "POINT_IN_TIME", "eval_accuracy", 0.93, "\"samples_count\": 384")
            record(2000, "INTERVAL_END", "run_stop", "null", "\"status\": \"success\"")
            close(file)
        }'
}
few=1000 many=4000
for count in $few $many; do
    single groups.$count $count $count
    single runs.$count $count 1
done
linear "watch --once, of groups" watch -j1 --once groups.@
linear "watch --once, of runs of a group" watch -j1 --once runs.@
finish
