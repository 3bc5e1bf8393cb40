#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_growth.sh BUILD
# What commands hold of a group of one run: peak memory of three thousand of
# them less that of one thousand, which leaves out what is held anyway.
. tests/count.sh
build=$1
mlscore=$root/$build/mlscore
measure=$root/$build/bench/measure
bytes_max=4096
few=800 many=2400
cd "$scratch" || exit 1

# logs FOLDER COUNT: folders of one valid run each, as small as the rules let it be.
logs() {
    mkdir "$1"
    seq -f "$1/g%05.0f" "$2" | xargs mkdir
    seq "$2" | awk -v folder="$1" '
        function record(ms, type, key, value, metadata) {
            printf ":::MLLOG {\"namespace\": \"\", \"time_ms\": %.0f, \"event_type\": \"%s\", \"key\": \"%s\", " \
                "\"value\": %s, \"metadata\": {\"file\": \"train.py\", \"lineno\": 7%s}}\n",
                start + ms, type, key, value, metadata > file
        }
        function point(key, value) { record(0, "POINT_IN_TIME", key, value, "") }
        {
            file = sprintf("%s/g%05d/result_0.txt", folder, $1)
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

# peak ARGUMENT…: KiB that mlscore held at most.
peak() {
    rm -f cost
    "$measure" cost "$mlscore" "$@" >out 2>err
    awk '{ print $4 }' cost
}

# grows NAME SIDES WORD…: of each of so many groups a group's share is held; @ in a word is where they are.
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
    if [ "$held" -lt "$bytes_max" ]; then pass; else fail "$name holds $held bytes a group, $bytes_max are too many"; fi
}

logs $few $few
logs $many $many
check "the logs are valid" "$mlscore" check -q $few
for format in table csv json ndjson markdown; do
    grows "score --format $format" 1 score -j1 --format $format @
    grows "throughput --format $format" 1 throughput -j1 --format $format @
done
grows "score --wide" 1 score -j1 --wide --format csv @
grows "score --summary" 1 score -j1 --summary @
finish
