#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_examples.sh BUILD [PAGE…]
# Run the examples of each page and compare their output (standard output and standard error together) with the page.
# Pages are all *.md files, except in submissions of the test data, and man/*. Pages of section 3 need the installed
# library: run_install.sh runs them.
#
# An example is a ```console block in Markdown, or an .EX block after .\" test in a manual page. It has lines `$
# command`, each followed by its output. A line … matches any number of lines. The examples of a page run in order in
# one folder, with the test data in ./testdata. cc is the compiler of the tests and treats warnings as errors.
#
# A block after .\" file: NAME, in Markdown <!-- file: NAME -->, is written to NAME first, and a command must use the
# file. A block that cannot run follows .\" no test: reason, or <!-- no test: reason -->. All other blocks are failures,
# because they would not be tested.
. tests/count.sh
build=$1
shift
[ $# -gt 0 ] || set -- $(find . -path ./build -prune -o -path ./testdata/submission -prune -o -path './.?*' -prune -o \
    \( -name '*.md' -o -path './man/*.[124-8]' \) -print | sed 's/^\.\///' | sort)
mkdir "$scratch/bin"
ln -s "$(realpath "${MLSCORE:-$build/mlscore}")" "$scratch/bin/mlscore"
cat >"$scratch/bin/cc" <<END
#!/bin/sh
PATH='$PATH'
exec ${CC:-cc} -std=c17 -Wall -Wextra -Wpedantic -Werror "\$@"
END
chmod +x "$scratch/bin/cc"
PATH="$scratch/bin:$PATH"
export PATH

# Write NNN.cmd, NNN.out and NNN.where for each example, and the files of the page.
extract() {
    awk -v folder="$2" '
        function plain(line) {
            if (!man) return line
            gsub(/\\-/, "-", line); gsub(/\\\(aq/, "\047", line); gsub(/\\\(dq/, "\"", line)
            gsub(/\\\(ga/, "`", line); gsub(/\\\(ha/, "^", line); gsub(/\\\(ti/, "~", line)
            gsub(/\\&/, "", line); gsub(/\\e/, "\\", line)
            return line
        }
        function problem(text) { printf "%s:%d: %s\n", FILENAME, FNR, text > (folder "/problems") }
        function example(line) {
            count++; base = sprintf("%s/%03d", folder, count)
            printf "" > (base ".out"); printf "%s:%d", FILENAME, FNR > (base ".where"); close(base ".where")
            print substr(line, 3) > (base ".cmd")
        }
        function add(line) {
            line = plain(line)
            if (more) print line > (base ".cmd")
            else if (line ~ /^\$ /) example(line)
            else if (base != "") { print line > (base ".out"); return }
            else problem("an example begins with a line $ command")
            more = line ~ /\\$/
        }
        function begin(wanted) {
            mode = wanted; mark = ""
            if (mode == "file") { file = folder "/files/" name; printf "" > file }
            if (mode == "none") problem("this block is neither an example nor a file, and no line says why")
        }
        function finish() { mode = base = ""; more = 0; if (file != "") close(file); file = "" }
        BEGIN { man = ARGV[1] ~ /\.[1-8]$/ }
        { # A mark: what the next block is.
            line = $0
            if (man ? sub(/^\.\\" /, "", line) : sub(/^<!-- /, "", line) && sub(/ -->$/, "", line)) {
                if (line ~ /^no test: ./) { mark = "skip"; next }
                if (man && line == "test") { mark = "run"; next }
                if (line ~ /^file: [A-Za-z0-9_.-]+$/) { mark = "file"; name = substr(line, 7); next }
            }
        }
        mode && (man ? /^\.(EE|fi)/ : /^ *```+ *$/) { finish(); next }
        mode == "run" { add($0) }
        mode == "file" { print plain($0) > file }
        mode { next }
        man && /^\.(EX|nf)/ { begin(mark ? mark : "none"); next }
        !man && /^```console$/ { begin(mark ? mark : "run"); next }
        !man && /^ *(```|~~~)/ { begin(mark ? mark : "none"); next }
        plain($0) ~ /^ *\$ / { problem("a command outside of a block") }
        mark && (man ? !/^\.(PP|P|IP|RS|TP|sp)/ : /./) { problem("the mark stands before no block"); mark = "" }
        END { if (mode) problem("the last block does not end") }
    ' "$1"
}

# Compare line by line; … in the page matches any number of lines.
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

for page; do
    if [ ! -f "$page" ]; then
        skip
        continue
    fi
    rm -rf "$scratch/examples" "$scratch/case"
    mkdir "$scratch/examples" "$scratch/examples/files" "$scratch/case"
    ln -s "$root/testdata" "$scratch/case/testdata"
    extract "$page" "$scratch/examples"
    for file in "$scratch"/examples/files/*; do
        [ -f "$file" ] || continue
        grep -q -F -s -e "${file##*/}" "$scratch"/examples/*.cmd ||
            echo "$page: no command names the file ${file##*/}" >>"$scratch/examples/problems"
        cp "$file" "$scratch/case"
    done
    [ ! -s "$scratch/examples/problems" ] || fail "$page: blocks nobody tests" "$scratch/examples/problems"
    for command in "$scratch"/examples/*.cmd; do
        [ -f "$command" ] || continue
        base=${command%.cmd}
        (cd "$scratch/case" && limited 120 sh "$command") >"$base.got" 2>&1 </dev/null || :
        # The output may be empty, for which diff prints nothing.
        if [ ! -s "$base.out" ] && [ ! -s "$base.got" ]; then
            pass
        elif [ -s "$base.out" ] && same "$base.out" "$base.got"; then
            pass
        else
            diff -u --label "$page" "$base.out" --label "what it prints" "$base.got" >"$base.diff" || :
            fail "$(cat "$base.where"): $(head -n 1 "$command")" "$base.diff"
        fi
    done
done
finish
