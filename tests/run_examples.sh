#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_examples.sh BUILD [DOCUMENT…]
# Runs the examples of README.md and the man pages and compares what they print
# (standard output and standard error together) with what the document says.
#
# In README.md an example is a ```console block with lines `$ command`; in a
# man page an .EX/.EE block behind a line `.\" test`.  A line that is only `…`
# stands for any number of lines.  A block that shows mlscore at work and is
# not marked fails, unless a line `.\" no test: reason`, or in README.md
# `<!-- no test: reason -->`, stands before it.  Blocks run in order in one
# folder per document, with the test data at ./testdata.
. tests/count.sh
build=$1
shift
[ $# -gt 0 ] || set -- README.md man/*.[1-8]
mkdir "$scratch/bin"
ln -s "$(realpath "${MLSCORE:-$build/mlscore}")" "$scratch/bin/mlscore"
PATH="$scratch/bin:$PATH"
export PATH

# Writes NNN.cmd, NNN.out and NNN.where per example into a folder.
extract() {
    awk -v folder="$2" '
        function plain(line) {
            if (!man) return line
            gsub(/\\-/, "-", line); gsub(/\\\(aq/, "\047", line); gsub(/\\\(dq/, "\"", line)
            gsub(/\\\(ga/, "`", line); gsub(/\\\(ha/, "^", line); gsub(/\\\(ti/, "~", line)
            gsub(/\\&/, "", line); gsub(/\\e/, "\\", line)
            return line
        }
        function start() {
            count++; base = sprintf("%s/%03d", folder, count)
            printf "" > (base ".out"); printf "%s:%d", FILENAME, FNR > (base ".where"); close(base ".where")
        }
        function add(line) {
            line = plain(line)
            if (more) { print line > (base ".cmd") }
            else if (line ~ /^\$ /) { start(); line = substr(line, 3); print line > (base ".cmd") }
            else { if (base != "") print line > (base ".out"); return }
            more = line ~ /\\$/
        }
        BEGIN { man = ARGV[1] ~ /\.[1-8]$/ }
        FNR == 1 { mode = ""; marked = 0 }
        man && /^\.\\" test$/ { marked = 1; next }
        man && /^\.\\" no test: ./ { marked = 2; next }
        man && /^\.EX/ { mode = marked == 1 ? "run" : "look"; if (marked == 2) mode = "skip"; marked = 0; next }
        man && /^\.EE/ { mode = ""; base = ""; more = 0; next }
        man && marked && /^\.(PP|P|IP|RS|TP|sp)/ { next }
        man && marked && !mode { printf "%s:%d: the mark stands before no .EX block\n", FILENAME, FNR > (folder "/problems"); marked = 0 }
        !man && /^<!-- no test: .* -->$/ { marked = 2; next }
        !man && mode == "" && /^```console$/ { mode = marked == 2 ? "skip" : "run"; marked = 0; next }
        !man && mode == "" && /^```/ { mode = "look"; if (marked == 2) mode = "skip"; marked = 0; next }
        !man && /^```$/ { mode = ""; base = ""; more = 0; next }
        mode == "run" { add($0) }
        mode == "look" && plain($0) ~ /^\$ mlscore/ { printf "%s:%d: this example is not marked as a test\n", FILENAME, FNR > (folder "/problems") }
    ' "$1"
}

# Line by line; `…` in the document matches any lines.
same() {
    awk '
        FNR == NR { want[++m] = $0; next }
        { got[++n] = $0 }
        END {
            i = j = 1; star = 0
            while (j <= n) {
                if (i <= m && want[i] ~ /^ *…$/) { star = i; mark = j; i++ }
                else if (i <= m && want[i] == got[j]) { i++; j++ }
                else if (star) { i = star + 1; j = ++mark }
                else exit 1
            }
            while (i <= m && want[i] ~ /^ *…$/) i++
            exit !(i > m)
        }' "$1" "$2"
}

for document; do
    if [ ! -f "$document" ]; then
        skip
        continue
    fi
    rm -rf "$scratch/examples" "$scratch/case"
    mkdir "$scratch/examples" "$scratch/case"
    ln -s "$root/testdata" "$scratch/case/testdata"
    extract "$document" "$scratch/examples"
    [ ! -s "$scratch/examples/problems" ] || fail "$document: examples nobody tests" "$scratch/examples/problems"
    for command in "$scratch"/examples/*.cmd; do
        [ -f "$command" ] || continue
        base=${command%.cmd}
        (cd "$scratch/case" && limited 120 sh "$command") >"$base.got" 2>&1 </dev/null || :
        # diff of empty files would call them the same as awk does.
        if [ ! -s "$base.out" ] && [ ! -s "$base.got" ]; then
            pass
        elif [ -s "$base.out" ] && same "$base.out" "$base.got"; then
            pass
        else
            diff -u --label "$document" "$base.out" --label "what it prints" "$base.got" >"$base.diff" || :
            fail "$(cat "$base.where"): $(head -n 1 "$command")" "$base.diff"
        fi
    done
done
finish
