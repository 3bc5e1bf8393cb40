#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_round.sh BUILD
# Add a round by data only: follow the steps in src/data/README.md for a made-up edition in a copy of src/data, build with
# it, then check, score and verify made-up logs. It has a new benchmark and a new key; another benchmark and key are gone;
# and a third benchmark needs fewer runs than before and measures convergence in other units. Before that, check src/data
# itself.
. tests/count.sh
build=$1
data=$scratch/data
unset MAKEFLAGS MFLAGS MAKELEVEL DATA

# --------------------------------------------------------- the rounds there are
# forgotten MLSCORE DATA [EDITION]: print what the data of an edition lacks, one line each.
forgotten() {
    forgotten_mlscore=$1
    # All but the newest edition of a usage have a last day, in increasing order.
    awk '
    function ends() { if (edition != "" && last == "") print usage " " edition ": no last_run, and it is not the newest" }
    /^  "(training|hpc)": / { usage = $1; gsub(/[":]/, "", usage); edition = last = before = "" }
    /"edition":/ {
        ends()
        edition = $2; gsub(/[",]/, "", edition); last = ""; found++
        if (edition !~ /^[0-9]+[.][0-9]+[.][0-9]+$/) print usage " " edition ": not three numbers, as in 5.1.0"
    }
    /"last_run":/ {
        last = $2; gsub(/[",]/, "", last)
        if (last <= before) print usage " " edition ": its last_run is not behind that of the edition before"
        before = last
    }
    END { if (found == 0) print "no editions" }' "$2/editions.json"
    for usage in training hpc; do
        [ -z "${3:-}" ] || [ $usage = training ] || continue
        "$forgotten_mlscore" rules --usage $usage ${3:-} >"$scratch/rounds" || echo "mlscore rules --usage $usage fails"
        awk 'NR > 1 { if (NF == 3) edition = $1; print edition, $(NF - 1) }' "$scratch/rounds" |
        while read -r edition benchmark; do
            COLUMNS=1000 "$forgotten_mlscore" rules --usage $usage "$edition" "$benchmark" 2>&1 </dev/null |
                awk -v title="$usage $edition $benchmark" -v name="$benchmark" '
                index($0, title ", ") == 1 { titled = 1 }
                /^(closed|open)_/ { scope = $1; seen[$1] = 1 }
                $1 == "submission_benchmark" && index($0, "\"" name "\"") { listed[scope] = 1 }
                END {
                    if (!titled) print title ": the rules are of another edition"
                    for (i = 1; i <= 2; i++) {
                        division = i == 1 ? "closed" : "open"
                        if (!seen[division "_" name]) print title ": no scope " division "_" name
                        else if (!listed[division "_common"])
                            print title ": not in submission_benchmark of " division "_common"
                    }
                }'
        done
    done
}
# The compliance checker has no rules for the open division of these either.
forgotten "$build/mlscore" src/data | grep -vxE -e 'training 3[.][01][.]0 gpt3: no scope open_gpt3' \
    -e 'training 4[.][01][.]0 llama2_70b_lora: not in submission_benchmark of open_common' >"$scratch/forgotten"
if [ -s "$scratch/forgotten" ]; then fail "src/data: each edition has what the checklist asks for" "$scratch/forgotten"; else pass; fi

# A table of reference points that is not named after a benchmark would never be read.
for table in src/data/rcp/*/*.csv; do
    name=${table##*/}
    grep -q "\"${name%.csv}\"" src/data/editions.json || echo "$table: no edition has such a benchmark"
done >"$scratch/strays"
if [ -s "$scratch/strays" ]; then fail "src/data/rcp: each table is a benchmark's" "$scratch/strays"; else pass; fi

# ------------------------------------------------------------ the new round
newest=$(awk '/^  "hpc"/ { exit } /"edition":/ { edition = $2 }
    END { gsub(/[",]/, "", edition); print edition }' src/data/editions.json)
round=$((${newest%%.*} + 1)).0
cp -r src/data "$data"
# The newest edition gets a last day, and the new one follows it.
awk -v newest="\"edition\": \"$newest\"" -v edition="$round.0" '
index($0, newest) { print; print "     \"last_run\": \"2028-10-31\","; found = 1; next }
found && /^    }$/ {
    print "    },"; print "    {"; print "     \"edition\": \"" edition "\","
    print "     \"advice\": [{\"on\": \"upload\", \"says\": \"rest before you upload\", \"source\": \"made up\"}],"
    print "     \"benchmarks\": [\"llama31_8b\", \"llama2_70b_lora\", \"madeup_1b\"]"; print "    }"; found = 0; next
}
{ print }' src/data/editions.json >"$data/editions.json"
sed -e 's/^  "training": {$/&\n   "madeup_1b": {"runs": 3, "counts": "samples_count"},/' \
    -e "s/^   \"llama2_70b_lora\": .*/   \"llama2_70b_lora\": {\"runs\": 5, \"counts\": \"epoch_num\",\n\
    \"runs_before\": {\"edition\": \"$round.0\", \"runs\": 10},\n\
    \"counted_before\": {\"edition\": \"$round.0\", \"counts\": \"samples_count\"}},/" \
    src/data/benchmarks.json >"$data/benchmarks.json"
# The new edition extends the one that the logs below were made for.
sed "s/ROUND/$round.0/" >"$data/rules/training-$round.0.json" <<'END'
{
  "usage": "training",
  "edition": "ROUND",
  "extends": "6.1.0",
  "scopes": {
    "common": {
      "keys": {
        "config_filename": null,
        "made_up_disclosure": "exactly_one"
      }
    },
    "closed_common": {
      "keys": {
        "submission_benchmark": {
          "occurs": "exactly_one",
          "check": "value in [\"llama31_8b\", \"llama2_70b_lora\", \"madeup_1b\"]",
          "after": [{"use": "closed_{value}"}]
        }
      }
    },
    "open_common": {
      "keys": {
        "submission_benchmark": {
          "occurs": "exactly_one",
          "check": "value in [\"llama31_8b\", \"llama2_70b_lora\", \"madeup_1b\"]",
          "after": [{"use": "open_{value}"}]
        }
      }
    },
    "closed_dlrmv4": null,
    "open_dlrmv4": null,
    "open_madeup_1b": {
      "keys": {
        "eval_accuracy": {"occurs": "at_least_one", "check": "has(metadata, \"samples_count\")"}
      }
    },
    "closed_madeup_1b": {
      "keys": {
        "global_batch_size": {"occurs": "exactly_one", "check": "is_integer(value) && value > 0"},
        "max_sequence_length": {"occurs": "exactly_one", "check": "value == 8192"},
        "eval_accuracy": {
          "occurs": "at_least_one",
          "check": "has(metadata, \"samples_count\")",
          "check_any": "value <= 5.6"
        }
      }
    }
  }
}
END
cat >"$data/rcp/training/madeup_1b.csv" <<END
benchmark,first_edition,last_edition,global_batch_size,unit,to_converge
madeup_1b,$round.0,$round.0,1152,samples,314000 310000 316000 312000 318000
END
# The points of the benchmark that is counted in other units are kept, as if an epoch were a sample.
sed "s/^llama2_70b_lora,\([0-9.]*\),6[.]1[.]0,/llama2_70b_lora,\1,$round.0,/" src/data/rcp/training/llama2_70b_lora.csv \
    >"$data/rcp/training/llama2_70b_lora.csv"

# ----------------------------------------------------------------- its logs
submission=$scratch/submission
cp -r testdata/submission "$submission"
rm -r "$submission/results/example_b200_n2/llama2_70b_lora" "$submission/benchmarks/llama2_70b_lora"
mv "$submission/benchmarks/llama31_405b" "$submission/benchmarks/madeup_1b"
folder=$submission/results/example_b200_n2/madeup_1b
mv "$submission/results/example_b200_n2/llama31_405b" "$folder"
rm -r "$folder/power"
# Records that 6.1 and later require, after submission_org, and a year in which the round is the newest.
more='/"submission_org"/{h;p;'
for pair in lowest_numerical_precision_in_linear='"fp8"' lowest_numerical_precision_in_attn='"fp8"' \
    lowest_numerical_precision_in_comm='"fp8"' tensor_parallelism=1 pipeline_parallelism=1 context_parallelism=1 \
    expert_parallelism=1 micro_batch_size=1 made_up_disclosure='"none"'; do
    more="$more"'g;s/submission_org", "value": "EXAMPLE"/'"${pair%%=*}\", \"value\": ${pair#*=}/;p;"
done
for log in "$folder"/result_*.txt; do
    sed -e 's/llama31_405b/madeup_1b/;s/"time_ms": 17/"time_ms": 18/' -e "$more"'d;}' "$log" >"$scratch/log"
    mv "$scratch/log" "$log"
done

# ------------------------------------------------------------------- verdicts
mlscore=$build/round/mlscore
says() { # says NAME PATTERN COMMAND…: succeeds, and a line of what it prints matches
    says_name=$1 says_pattern=$2
    shift 2
    if "$@" >"$scratch/out" 2>&1 && grep -q -e "$says_pattern" "$scratch/out"; then pass; else fail "$says_name" "$scratch/out"; fi
}
check "builds with the data of another folder" make --no-print-directory round DATA="$data" FLAVOUR="${build##*/}"
says "rules lists the benchmark of the new edition" '^ *madeup_1b  *3$' "$mlscore" rules "$round"
says "rules has the checklist of the new benchmark" max_sequence_length "$mlscore" rules "$round" madeup_1b
says "rcp has the reference points" '^ *1,152  *5  *314,000' "$mlscore" rcp madeup_1b
says "check judges a log" "training $round closed madeup_1b" "$mlscore" check --edition "$round" "$folder/result_0.txt"
says "check guesses the edition by the date" "training $round " "$mlscore" check "$folder/result_0.txt"
says "score gives an official score" '"official":[[:space:]]*true' "$mlscore" score --edition "$round" --format json "$folder"
says "score checks convergence" '"message":[[:space:]]*"RCP found"' "$mlscore" score --edition "$round" --format json "$folder"
says "verify accepts the submission" '^ready to upload.*; rest before you upload$' "$mlscore" verify --edition "$round" "$submission"
sed 's/"value": 8192/"value": 4096/' "$folder/result_0.txt" >"$scratch/wrong.log"
status=0
"$mlscore" check --edition "$round" "$scratch/wrong.log" >"$scratch/out" 2>&1 || status=$?
check "a rule of the new benchmark is broken" sh -c "[ $status -eq 1 ] && grep 'max_sequence_length must be 8192' '$scratch/out'"
sed '/made_up_disclosure/d' "$folder/result_0.txt" >"$scratch/undisclosed.log"
says "a new key is missing" 'made_up_disclosure must be logged exactly once, is missing' \
    sh -c '! COLUMNS=200 "$0" check "$@"' "$mlscore" --edition "$round" "$scratch/undisclosed.log"
if "$mlscore" rules "$round" dlrmv4 >"$scratch/out" 2>&1; then fail "a benchmark is gone" "$scratch/out"; else pass; fi
says "the edition before still has it" '^ *dlrmv4 ' "$mlscore" rules "$newest"
# The benchmark that needs fewer runs, and counts in other units.
cp -r testdata/slurm "$scratch/epochs"
find "$scratch/epochs" -name '*.log' -exec sed -i 's/"samples_count": /"epoch_num": /g' {} +
for edition in "$newest" "$round"; do
    logs=testdata/slurm needed=10
    [ "$edition" = "$newest" ] || logs=$scratch/epochs needed=5
    "$mlscore" score --edition "$edition" --format json "$logs" >"$scratch/scored" || true # keys of 6.1 are missing
    says "$edition needs $needed runs" "\"runs_needed\":[[:space:]]*$needed,\$" cat "$scratch/scored"
    says "$edition has its own units" '"message":[[:space:]]*"RCP Interpolation"' cat "$scratch/scored"
done
says "rules lists both numbers of runs" '^ *llama2_70b_lora  *5$' "$mlscore" rules "$round"
if "$build/mlscore" rules "$round" >"$scratch/out" 2>&1; then fail "the program itself does not know it" "$scratch/out"; else pass; fi

# ----------------------------------------------------------------- its results
# After the round its results are added: one with runs, another as it was announced.
cat >"$data/published/training-$round.table" <<'END'
submitter|system_id|system_name|division|nodes|accelerators_per_node|accelerator|host_processor|framework
benchmark|runs|minutes|scale_factor|global_batch_size|to_converge|known
Example|example_b200_n2||closed|2|8|NVIDIA B200||
madeup_1b|3|40.5|1|1152|314000|
Example|example_b200_n4||closed|4|8|NVIDIA B200||
madeup_1b|3|21.1||||announced
END
cat >"$data/published/runs/training-$round.table" <<'END'
key|value
global_batch_size|1152
system_id|system_name|benchmark|unit|by|settings|valid to_converge training_ms evaluation_ms evaluations startup_ms between_ms tail_ms init_ms start_ms
example_b200_n2||madeup_1b|samples||1|1 314000 2430000 -|1 310000 2400000 -|1 316000 2460000 -
END
check "builds with the results" make --no-print-directory round DATA="$data" FLAVOUR="${build##*/}"
says "published ranks them" '^ *2 .*madeup_1b .* 40\.500 ' "$mlscore" published --edition "$round"
says "published has the runs" '^.*madeup_1b.* 3 .* 41\.000 ' "$mlscore" published --edition "$round" --runs
says "compare takes a published side" 'score (min)' "$mlscore" compare --edition "$round" "$folder" "published:$round,example_b200_n2"

# ------------------------------------------------------------- what is forgotten
forgotten "$mlscore" "$data" "$round" >"$scratch/forgotten"
if [ -s "$scratch/forgotten" ]; then fail "the round has what the checklist asks for" "$scratch/forgotten"; else pass; fi
sed -i '/2028-10-31/d' "$data/editions.json"
sed -i 's/"closed_madeup_1b"/"closed_made_up"/; s/, \\"madeup_1b\\"//' "$data/rules/training-$round.0.json"
sed -i "s/\"edition\": \"$round.0\"/\"edition\": \"$round.1\"/" "$data/rules/training-$round.0.json"
check "builds with what lacks some" make --no-print-directory round DATA="$data" FLAVOUR="${build##*/}"
forgotten "$mlscore" "$data" "$round" >"$scratch/forgotten"
for missing in 'no last_run' 'of another edition' 'not in submission_benchmark of open_common' 'no scope closed_madeup_1b'; do
    if grep -q "$missing" "$scratch/forgotten"; then pass; else fail "who forgets is told '$missing'" "$scratch/forgotten"; fi
done

# ------------------------------------------------------------- keys of the edition before
# Keys that only the previous edition requires are reported by the new one.
printf '{"usage": "training", "edition": "%s.0", "extends": "%s", "scopes": {}}\n' "$round" "$newest" >"$data/rules/training-$round.0.json"
check "builds with a round of no rules of its own" make --no-print-directory round DATA="$data" FLAVOUR="${build##*/}"
{
    printf ':::MLLOG {"time_ms": 1772400000000, "key": "submission_benchmark", "value": "flux1", "metadata": {}}\n'
    printf ':::MLLOG {"time_ms": 1772400000001, "key": "opt_learning_rate_warmup_start_lr", "value": 0, "metadata": {}}\n'
} >"$scratch/key.log"
says "check guesses the edition by a key" 'training 6\.1 (by date)' sh -c '"$0" check -q "$1" || true' "$mlscore" "$scratch/key.log"

# ------------------------------------------------------------- a mistake in the data
# An error in the data is reported with its file and line.
for table in models accelerators signatures kernels ncu_rules findings systems; do
    sed -i '2s/$/ stray/' "$data/$table.json"
done
sed -i '2s/^/|/' "$data/published/training-5.1.table"
sed -i '$s/$/ 7/' "$data/published/runs/training-5.1.table"
check "builds with broken data" make --no-print-directory round DATA="$data" FLAVOUR="${build##*/}"
broken() { # broken TABLE COMMAND…: it fails, and says where
    broken_table=$1
    shift
    if "$mlscore" "$@" >"$scratch/out" 2>&1 || ! grep -q -e "src/data/$broken_table:" "$scratch/out"; then
        fail "a mistake in $broken_table is told" "$scratch/out"
    else pass; fi
}
broken models.json:2 memory --model llama2_70b_lora --train
broken signatures.json:2 help signatures
broken kernels.json:2 profile testdata/profiles/stats.txt
broken ncu_rules.json:2 profile --kernels src/data/kernels.json testdata/profiles/stats.txt
broken findings.json:2 help findings
broken systems.json:2 verify testdata/submission
broken published/training-5.1.table published
sed -i '2s/^|//' "$data/published/training-5.1.table"
check "builds with broken runs" make --no-print-directory round DATA="$data" FLAVOUR="${build##*/}"
broken published/runs/training-5.1.table published --edition 5.1 --runs
sed -i '2s/^/stray /' "$data/editions.json"
check "builds with broken editions" make --no-print-directory round DATA="$data" FLAVOUR="${build##*/}"
broken editions.json:2 rules
finish
