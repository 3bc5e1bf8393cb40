#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_round.sh BUILD
# A round of MLPerf that is added is data and nothing else: follows the steps
# of CONTRIBUTING.md, "Add an edition, add a benchmark", for a made-up training
# 6.2 with one new benchmark, in a copy of src/data, builds with it, and has
# made-up logs judged, scored and verified by it.
. tests/count.sh
build=$1
data=$scratch/data
unset MAKEFLAGS MFLAGS MAKELEVEL DATA

# ------------------------------------------------------------ the new round
cp -r src/data "$data"
# The newest edition gets its last day, the new one stands behind it.
awk '
/"edition": "6.1.0"/ { print; print "     \"last_run\": \"2026-11-30\","; newest = 1; next }
newest && /^    }$/ {
    print "    },"; print "    {"; print "     \"edition\": \"6.2.0\","
    print "     \"benchmarks\": [\"llama31_8b\", \"madeup_1b\"]"; print "    }"; newest = 0; next
}
{ print }' src/data/editions.json >"$data/editions.json"
sed 's/^  "training": {$/&\n   "madeup_1b": {"runs": 3, "counts": "samples_count"},/' src/data/benchmarks.json >"$data/benchmarks.json"
cat >"$data/rules/training-6.2.0.json" <<'END'
{
  "usage": "training",
  "edition": "6.2.0",
  "extends": "6.1.0",
  "scopes": {
    "closed_common": {
      "keys": {
        "submission_benchmark": {
          "occurs": "exactly_one",
          "check": "value in [\"llama31_8b\", \"madeup_1b\"]",
          "after": [{"use": "closed_{value}"}]
        }
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
cat >"$data/rcp/training/madeup_1b.csv" <<'END'
benchmark,first_edition,last_edition,global_batch_size,unit,to_converge
madeup_1b,6.2.0,6.2.0,1152,samples,314000 310000 316000 312000 318000
END

# ----------------------------------------------------------------- its logs
submission=$scratch/submission
cp -r testdata/submission "$submission"
rm -r "$submission/results/example_b200_n2/llama2_70b_lora" "$submission/benchmarks/llama2_70b_lora"
mv "$submission/benchmarks/llama31_405b" "$submission/benchmarks/madeup_1b"
folder=$submission/results/example_b200_n2/madeup_1b
mv "$submission/results/example_b200_n2/llama31_405b" "$folder"
rm -r "$folder/power"
# What 6.1 and later ask every log for, put behind submission_org with its time; and a year in which 6.2 is the newest.
more='/"submission_org"/{h;p;'
for pair in lowest_numerical_precision_in_linear='"fp8"' lowest_numerical_precision_in_attn='"fp8"' \
    lowest_numerical_precision_in_comm='"fp8"' tensor_parallelism=1 pipeline_parallelism=1 context_parallelism=1 \
    expert_parallelism=1 micro_batch_size=1 config_filename='"config_madeup.sh"'; do
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
says "rules lists the benchmark of the new edition" '^ *madeup_1b  *3$' "$mlscore" rules 6.2
says "rules has the checklist of the new benchmark" max_sequence_length "$mlscore" rules 6.2 madeup_1b
says "rcp has the reference points" '^ *1,152  *5  *314,000' "$mlscore" rcp madeup_1b
says "check judges a log" 'training 6.2 closed madeup_1b' "$mlscore" check --edition 6.2 "$folder/result_0.txt"
says "check guesses the edition by the date" 'training 6.2 ' "$mlscore" check "$folder/result_0.txt"
says "score gives an official score" '"official":[[:space:]]*true' "$mlscore" score --edition 6.2 --format json "$folder"
says "score checks convergence" '"message":[[:space:]]*"RCP found"' "$mlscore" score --edition 6.2 --format json "$folder"
says "verify accepts the submission" 'ready to upload' "$mlscore" verify --edition 6.2 "$submission"
sed 's/"value": 8192/"value": 4096/' "$folder/result_0.txt" >"$scratch/wrong.log"
if "$mlscore" check --edition 6.2 "$scratch/wrong.log" >"$scratch/out" 2>&1; then fail "a rule of the new benchmark is broken" "$scratch/out"; else pass; fi
if "$build/mlscore" rules 6.2 >"$scratch/out" 2>&1; then fail "the program itself knows no 6.2" "$scratch/out"; else pass; fi
finish
