#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_report.sh BUILD
# Check HTML pages: they are well-formed for any log, reproducible, limited in size, and contain the same numbers as
# the output of score.
. tests/count.sh
build=$1
mlscore=$root/$build/mlscore
page=$scratch/page.html

# well_formed NAME FILE: check that tags are known and closed, and text is escaped UTF-8.
well_formed() {
    LC_ALL=C awk -f tests/well_formed.awk "$2" >"$scratch/why" 2>&1
    iconv -f UTF-8 -t UTF-8 "$2" >/dev/null 2>>"$scratch/why"
    if [ -s "$scratch/why" ]; then fail "$1" "$scratch/why"; else pass; fi
}

# report NAME STATUS ARGUMENT…: write a page; expect that status, no message, and a well-formed page.
report() {
    name=$1 expected=$2 status=0
    shift 2
    rm -f "$page"
    limited 120 "$mlscore" report -o "$page" "$@" >"$scratch/out" 2>&1 || status=$?
    [ "$status" -eq "$expected" ] || echo "status $status, expected $expected" >>"$scratch/out"
    if [ -s "$scratch/out" ]; then fail "$name" "$scratch/out"; else pass; fi
    well_formed "$name: well formed" "$page"
}

at_most() { # NAME BYTES
    size=$(wc -c <"$page")
    if [ "$size" -le "$2" ]; then pass; else fail "$1: $size bytes, at most $2"; fi
}

# ---- the same bytes

report "ten runs" 0 testdata/slurm
at_most "ten runs" 300000
cp "$page" "$scratch/first.html"
"$mlscore" report testdata/slurm -j 1 >"$scratch/second.html" 2>/dev/null
check "the same with one thread, to standard output" cmp "$scratch/first.html" "$scratch/second.html"
(cd "$scratch" && "$mlscore" report "$root/testdata/slurm" -j 4 -o fourth.html 2>/dev/null)
sed "s|$root/testdata/slurm|testdata/slurm|" "$scratch/fourth.html" >"$scratch/fifth.html"
check "the same with four, from elsewhere" cmp "$scratch/first.html" "$scratch/fifth.html"

# ---- its policy lets in its own style and script

for tag in style script; do
    sed -n "/^<$tag>/,/<\/$tag>/p" "$page" | sed "1s/<$tag>//; \$s/<\/$tag>//" | head -c -1 >"$scratch/$tag"
    hash=$(sha256sum <"$scratch/$tag" | cut -c 1-64 | tr a-f A-F | basenc --base16 -d | base64)
    check "the policy has the hash of the $tag" grep -q -F "$tag-src 'sha256-$hash'" "$page"
    if grep -n -E "url\(|@import|http|innerHTML|outerHTML|eval\\(|Function|document.write" "$scratch/$tag" >"$scratch/why"; then
        fail "the $tag loads and makes nothing" "$scratch/why"
    else pass; fi
done
[ "$(wc -c <"$scratch/script")" -le 4096 ] && pass || fail "the script has at most 4 KB"

# ---- the numbers of score

# numbers PATH…: compare the rows of runs with the columns of score: run, init, minutes, samples, evaluation.
numbers() {
    "$mlscore" score --format csv "$@" 2>/dev/null |
        awk -F '","' 'NR == 1 { gsub(/"/, ""); split($0, head, ","); for (i in head) at[head[i]] = i; next }
            { gsub(/^"|"$/, ""); print $at["init_minutes"], $at["minutes"], $at["to_converge"], $at["final_eval"] }' \
            >"$scratch/expected"
    awk '/<table class="sorts">/ { on = 1 }
        on && /^<tr data-r/ {
            line = ""
            cells = split($0, cell, "<td")
            for (i = 4; i <= 7; i++) {
                value = cell[i]
                line = line (i > 4 ? " " : "") (sub(/.*data-v="/, "", value) && sub(/".*/, "", value) ? value : "")
            }
            print line
        }' "$page" >"$scratch/found"
    check "the numbers of score stand in the rows of $1" diff "$scratch/expected" "$scratch/found"
}
numbers testdata/slurm
b200=testdata/submission/results/example_b200_n2/llama2_70b_lora
report "a result" 0 $b200
numbers $b200
"$mlscore" score --format json $b200 |
    sed -n 's/^[[:blank:]]*"\(score_minutes\|scale\|scaled_minutes\)":[[:blank:]]*\([0-9.]*\),*$/\1 \2/p' \
        >"$scratch/fields"
while read -r field value; do
    [ "$field" = scale ] && shown=$(printf '%.4f' "$value") || shown=$(printf '%.3f' "$value")
    check "$field, $shown, stands at its head" sh -c "sed -n '/class=.score./,/<dl/p' '$page' | grep -q -F '$shown'"
done <"$scratch/fields"
[ "$(cut -d ' ' -f 1 "$scratch/fields" | sort -u | wc -l)" -eq 3 ] && pass || fail "score prints three numbers of the result" "$scratch/fields"

# ---- logs of all kinds

# Logs with many evaluations, tracked values, many keys, and lines that are not records.
mkdir "$scratch/heavy"
for run in 10 11 12 13 14 15 16 17 18 19; do
    awk -v run=$run '
        function record(ms, key, value, metadata) {
            printf ":::MLLOG {\"namespace\": \"\", \"time_ms\": %s, \"event_type\": \"POINT_IN_TIME\", ", ms
            printf "\"key\": \"%s\", \"value\": %s, \"metadata\": {%s}}\n", key, value, metadata
        }
        { sub(/"time_ms": 1745/, "\"time_ms\": 17" run) }
        /"key": "(run_stop|eval_accuracy|tracked_stats)"/ { next }
        { print }
        /"key": "run_start"/ {
            start = "17" run substr($0, index($0, "\"time_ms\": ") + 15, 9)
            for (i = 0; i < 60; i++) { print ":::MLLOG {\"broken\"" i; record(start, "opt_more_" i, run i, "") }
            for (i = 1; i <= 20000; i++) {
                at = "\"samples_count\": " i
                record(start + 50 * i, "tracked_stats", "{\"throughput\": " 38 + i * 7919 % 1000 / 500 "}", at)
                if (i % 50 == 0) record(start + 50 * i, "eval_accuracy", 1 - i / 300000 + i * 31 % 17 / 1000, at)
            }
            record(start + 1000100, "run_stop", "null", "\"status\": \"success\"")
            exit
        }' testdata/slurm/250419104520_1.log >"$scratch/heavy/$run.log"
done
report "ten heavy runs" 1 "$scratch/heavy"
at_most "ten heavy runs" 300000

for log in testdata/logs/*.log; do
    "$mlscore" report -o "$page" "$log" >/dev/null 2>&1
    well_formed "a page of $log" "$page"
done
mkdir "$scratch/none" "$scratch/equal"
"$mlscore" report -o "$page" "$scratch/none" >/dev/null 2>&1
well_formed "a page of nothing" "$page"
plain=testdata/logs/plain.log
for run in 0 1 2 3 4; do
    sed "s/\"time_ms\": 17\([0-9]\)/\"time_ms\": 1${run}\1/" $plain >"$scratch/equal/$run.log"
done
"$mlscore" report -o "$page" "$scratch/equal" >/dev/null 2>&1
well_formed "runs that are all alike" "$page"
# The rate of one run is not called a median. For several runs it is the median of their table.
"$mlscore" report -o "$page" testdata/slurm/250419104520_1.log >/dev/null 2>&1
check "no step of one thousandth fills the picture of one run" sh -c "! grep -q '>38.44[0-9]</text>' '$page'"
check "one run has no median" sh -c "! grep -q 'steady median of' '$page'"
"$mlscore" report -o "$page" testdata/slurm >/dev/null 2>&1
steady=$("$mlscore" throughput --format csv testdata/slurm 2>/dev/null | awk -F '","' '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "steady_samples_per_second") at = i }
    NR > 1 { print $at }' | sort -n | awk '{ all[NR] = $1 } END { printf "%.2f", (all[5] + all[6]) / 2 }')
check "the rate of ten runs is their steady median, $steady" grep -q "steady median of the runs $steady<" "$page"
# For many runs, the bars are drawn ten to an image, so that a printed page can break between images, with one axis.
mkdir "$scratch/many"
for run in $(seq 10 34); do
    sed "s/\"time_ms\": 17[0-9][0-9]/\"time_ms\": 17$run/" testdata/slurm/250419104520_1.log >"$scratch/many/$run.log"
done
"$mlscore" report -o "$page" "$scratch/many" >/dev/null 2>&1
well_formed "a page of 25 runs" "$page"
pictures=$(grep -c -e '<title>Where the time of each run went' "$page") axes=$(grep -c 'before 0: initialization' "$page")
[ "$pictures $axes" = "3 1" ] && pass || fail "25 bars are $pictures pictures with $axes axes, not 3 with 1"
# Images are evaluated after the run, the last state first: one plot per metric, and a table.
mkdir -p "$scratch/images/a" "$scratch/images/b"
{
    sed '/eval_accuracy/d; s/\("submission_benchmark", "value": \)"[^"]*"/\1"stable_diffusion"/' $plain
    for at in 3 2 1; do
        for metric in '"FID" 100.5' '"CLIP" 0.125'; do
            printf ':::MLLOG {"namespace": "", "time_ms": 1845000000000, "event_type": "POINT_IN_TIME", "key": "eval_accuracy", '
            printf '"value": %s, "metadata": {"samples_count": %s512, "metric": %s}}\n' "${metric#* }" $at "${metric% *}"
        done
    done
} >"$scratch/images/a/1.log"
sed 's/"time_ms": 1/"time_ms": 2/; s/"global_batch_size", "value": /&1/' "$scratch/images/a/1.log" >"$scratch/images/b/1.log"
"$mlscore" report -o "$page" "$scratch/images/a" >/dev/null 2>&1
well_formed "a page of images" "$page"
check "a plot for FID and one for CLIP" sh -c "grep -q '>FID</text>' '$page' && grep -q '>CLIP</text>' '$page'"
check "that they were evaluated behind the run" grep -q 'Evaluations after run_stop' "$page"
"$mlscore" report -o "$page" "$scratch/images" >/dev/null 2>&1
[ "$(grep -o 'class="spark"' "$page" | wc -l)" -eq 2 ] && pass || fail "each of two groups of images has its line"
"$mlscore" compare a="$scratch/images/a" b="$scratch/images/b" --format html >"$page" 2>/dev/null
check "images of compared sides are drawn, too" sh -c "grep -q '>CLIP</text>' '$page' && grep -q 'Evaluations after run_stop' '$page'"
grep -v eval_accuracy $plain >"$scratch/equal.log"
"$mlscore" report -o "$page" "$scratch/equal.log" >/dev/null 2>&1
well_formed "a run without an evaluation" "$page"
# No record has the position in samples, only tracked values.
grep -v '"\(eval_\|block_\|epoch_\|run_stop\)' testdata/logs/throughput.log |
    awk '/tracked_stats/ { sub(/"step": 10/, "\"samples_count\": " 80 * ++n) } { print }' >"$scratch/tracked.log"
"$mlscore" report -o "$page" "$scratch/tracked.log" >/dev/null 2>&1
check "a run of which only tracked_stats tell" grep -q 'Progress from tracked_stats, over the time' "$page"
for number in NaN Infinity -1e308 1e308 '"x"' '{"BBOX": 0.3, "SEGM": 0.2}' null; do
    sed "s/\(\"key\": \"eval_accuracy\", \"value\": \)[0-9.]*/\1$number/" $plain >"$scratch/odd.log"
    "$mlscore" report -o "$page" "$scratch/odd.log" >/dev/null 2>&1
    well_formed "evaluations that gave $number" "$page"
    if grep -o -i -E '(="|[ML ])-?(nan|inf)[" ]' "$page" >"$scratch/why"; then
        fail "no coordinate of $number" "$scratch/why"
    else pass; fi
done

# ---- hostile text in every place that a text can come from

turn=$(printf '\342\200\256') bytes=$(printf '\377\300\355\240\200')
for text in '<script>alert(1)</script>' "\\\\\"'><img src=x onerror=alert(1)>" ']]>' '</style><b>' "$turn$bytes" '&lt;&' '{{x}}'; do
    folder="$scratch/hostile/$(printf '%s' "$text" | tr -d '/\\')"
    mkdir -p "$folder"
    awk -v text="$text" '{
        if (/"(submission_org|submission_platform|submission_status|submission_division|opt_name|config_filename)"/)
            sub(/"value": "[^"]*"/, "\"value\": \"" text "\"")
        if (/"seed"/) sub(/"value": [0-9]*/, "\"value\": \"" text "\"")
        sub(/"metadata": {/, "\"metadata\": {\"" text "\": \"" text "\", ")
        print
        if (/init_start/) {
            line = $0
            sub(/"key": "[^"]*", "value": [^,]*/, "\"key\": \"opt_" text "\", \"value\": \"" text "\"", line)
            print line
        }
    }' $plain >"$folder/run $(printf '%s' "$text" | tr -d '/\\').log"
    sed 's/\("submission_benchmark", "value": \)"[^"]*"/\1"llama2_70b_lora"/' "$folder"/*.log >"$folder/result_0.txt"
    { sed -n 1p $plain | sed 's/:::MLLOG.*/:::DLPAL /'; printf 'Beginning trial 1 of 1\n%s\n' "$text"; cat $plain; } \
        >"$folder/slurm-1.out"
    "$mlscore" report -o "$page" "$folder" >/dev/null 2>&1
    well_formed "a log full of $text" "$page"
done
"$mlscore" report -o "$page" "$scratch/hostile" >/dev/null 2>&1
well_formed "many of them" "$page"
awk '{ print } /init_start/ {
    long = "x"; for (i = 0; i < 20; i++) long = long long
    line = $0; sub(/"value": [^,]*/, "\"value\": \"<" long ">\"", line)
    sub(/init_start/, "opt_name", line); print line
    sub(/opt_name/, "opt_<" long ">", line); print line
}' $plain >"$scratch/long.log"
"$mlscore" report -o "$page" "$scratch/long.log" >/dev/null 2>&1
well_formed "keys and values of a megabyte" "$page"
at_most "keys and values of a megabyte" 300000

# ---- whatever was logged, and however many groups

mkdir "$scratch/full"
for run in 1 2 3 4 5 6 7 8 9 10; do
    awk -v run=$run '{ print }
        /"run_start"/ {
            match($0, /"time_ms": [0-9]*/)
            start = substr($0, RSTART + 11, RLENGTH - 11)
            for (i = 1; i <= 3000; i++) {
                printf ":::MLLOG {\"namespace\": \"\", \"time_ms\": %.0f, \"event_type\": \"POINT_IN_TIME\", \"key\": \"eval_accuracy\", \"value\": %.6f, \"metadata\": {\"file\": \"x.py\", \"lineno\": 1, \"samples_count\": %d}}\n", start + i * 10, 2 - i / 3000 + (i * 7919 % 101) / 500, i
                printf ":::MLLOG {\"namespace\": \"\", \"time_ms\": %.0f, \"event_type\": \"POINT_IN_TIME\", \"key\": \"tracked_stats\", \"value\": {\"throughput\": %d}, \"metadata\": {\"file\": \"x.py\", \"lineno\": 1, \"samples_count\": %d}}\n", start + i * 10 + 5, i % 97, i
            }
        }
        /init_start/ {
            for (i = 0; i < 600; i++) {
                line = $0
                sub(/"key": "[^"]*", "value": [^,]*/, "\"key\": \"opt_" i "\", \"value\": \"<" run "&" i ">\"", line)
                print line
            }
        }' testdata/slurm/250419104520_$run.log >"$scratch/full/$run.log"
done
"$mlscore" report -o "$page" "$scratch/full" >/dev/null 2>&1
well_formed "ten runs that logged much" "$page"
at_most "ten runs that logged much" 300000

i=1
while [ $i -le 300 ]; do
    mkdir -p "$scratch/round/results/system_$i/llama2_70b_lora"
    for run in 1 2 3 4 5 6 7 8 9 10; do
        ln testdata/slurm/250419104520_$run.log "$scratch/round/results/system_$i/llama2_70b_lora/result_$run.txt" \
            2>/dev/null || cp testdata/slurm/250419104520_$run.log \
            "$scratch/round/results/system_$i/llama2_70b_lora/result_$run.txt"
    done
    i=$((i + 1))
done
"$mlscore" report -o "$page" "$scratch/round" >/dev/null 2>&1
well_formed "300 groups" "$page"
at_most "300 groups" 3000000
[ "$(grep -c 'id="g[0-9]*"' "$page")" -eq 300 ] && pass || fail "each of 300 groups has a place"
"$mlscore" report --detail none -o "$page" "$scratch/round/results/system_1" "$scratch/round/results/system_2" >/dev/null 2>&1
well_formed "a table alone" "$page"
if grep -q 'id="g1"' "$page"; then fail "--detail none has no sections"; else pass; fi

# ---- a terminal gets no page

if command -v script >/dev/null 2>&1; then
    status=0
    script -qec "$mlscore report testdata/slurm" /dev/null >"$scratch/out" 2>&1 </dev/null || status=$?
    [ "$status" -eq 2 ] && grep -q 'not written to a terminal' "$scratch/out" && pass || fail "no page for a terminal" "$scratch/out"
else
    skip
fi
finish
