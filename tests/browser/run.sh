#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh BUILD
# Test pages of mlscore report, verify and compare in headless chromium (make check-browser), with the packages that
# package-lock.json pins. Without chromium or node the tests are skipped with a message. PICTURE=FILE writes an image of
# the page of testdata/slurm, for README.md.
. tests/count.sh
build=$1
mlscore=$root/$build/mlscore
packages=$root/build/browser
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$browser" ] || why="there is no chromium"
command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || why="there is no node with npm"
if [ -z "${why:-}" ] && ! cmp -s tests/browser/package-lock.json "$packages/package-lock.json"; then
    mkdir -p "$packages" && cp tests/browser/package.json "$packages/" &&
        cp tests/browser/package-lock.json "$packages/wanted-lock.json" && rm -rf "$packages/node_modules" &&
        (cd "$packages" && cp wanted-lock.json package-lock.json &&
            npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) >"$scratch/npm.out" 2>&1 ||
        { rm -f "$packages/package-lock.json" && cat "$scratch/npm.out" && why="the npm packages cannot be installed"; }
fi
if [ -n "${why:-}" ]; then
    echo "check-browser is SKIPPED: $why"
    skip
    finish
fi
BROWSER_PACKAGES=$packages
export BROWSER_PACKAGES

# looks NAME PAGE CHECK…: run the checks on a page; each counts.
looks() {
    looks_name=$1 looks_page=$2
    shift 2
    limited 600 node tests/browser/page.mjs "$browser" "$looks_page" "$@" >"$scratch/looks.out" 2>"$scratch/looks.err" ||
        fail "$looks_name: the browser" "$scratch/looks.err"
    looks_seen=0
    while IFS= read -r looks_line; do
        looks_seen=$((looks_seen + 1))
        case $looks_line in
        ok\ *) pass ;;
        *) printf '%s\n' "$looks_line" >"$scratch/looks.one" && fail "$looks_name" "$scratch/looks.one" ;;
        esac
    done <"$scratch/looks.out"
    [ "$looks_seen" -eq $# ] || fail "$looks_name: $looks_seen of $# checks were made" "$scratch/looks.err"
}

# page NAME COMMAND…: write NAME.html, whatever the command's status.
page() {
    page_name=$1
    shift
    "$mlscore" "$@" -o "$scratch/$page_name.html" 2>"$scratch/page.err"
    [ $? -le 1 ] && [ -s "$scratch/$page_name.html" ] || fail "$page_name is written" "$scratch/page.err"
}
scores() { "$mlscore" score --format json "$@" >"$scratch/scores.json" 2>/dev/null; }

everywhere="quiet axe:light axe:dark narrow:400 narrow:320 harmless print"

page slurm report testdata/slurm
scores testdata/slurm
# shellcheck disable=SC2086
looks "testdata/slurm" "$scratch/slurm.html" $everywhere "figures:$scratch/scores.json" "scriptless:$scratch/scores.json" \
    sorting filter:success ${PICTURE:+"picture:$PICTURE"}

# Many groups, all collapsed.
many="testdata/slurm testdata/submission testdata/throughput testdata/logs"
# shellcheck disable=SC2086
page many report --detail brief $many
# shellcheck disable=SC2086
scores $many
# shellcheck disable=SC2086
looks "many groups" "$scratch/many.html" $everywhere "figures:$scratch/scores.json" "scriptless:$scratch/scores.json" \
    sorting filter:llama link:g3

page none report testdata/logs/died.log
# shellcheck disable=SC2086
looks "nothing valid" "$scratch/none.html" $everywhere

page verify verify testdata/submission --format html
# shellcheck disable=SC2086
looks "verify" "$scratch/verify.html" $everywhere

page compare compare a=testdata/slurm b=testdata/submission/results/example_b200_n2/llama2_70b_lora --format html
# shellcheck disable=SC2086
looks "compare" "$scratch/compare.html" $everywhere

# A log in which each displayed text contains markup or a script.
hostile=$scratch/hostile/"<img src=x onerror=mlscoreWasHere=1>"
mkdir -p "$hostile"
for text in '</style><script>mlscoreWasHere=1</script>' "\\\"'><svg onload=mlscoreWasHere=1>" 'x\u202e]]>&amp;<b>'; do
    number=$((${number:-0} + 1))
    T="$text" awk 'BEGIN { text = ENVIRON["T"]; gsub(/[\\&]/, "\\\\&", text) }
        /"key": "(submission_org|submission_platform|submission_poc_name|opt_name|model_creation)"/ {
            sub(/"value": "[^"]*"/, "\"value\": \"" text "\"") }
        { print }' testdata/logs/plain.log >"$hostile/$number<b onclick=1>.log"
done
page hostile report "$scratch/hostile"
# shellcheck disable=SC2086
looks "hostile logs" "$scratch/hostile.html" $everywhere
finish
