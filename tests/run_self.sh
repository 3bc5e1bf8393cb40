#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_self.sh BUILD
# Test the test scripts: tests that must fail do fail.
. tests/count.sh
build=$1

# expect NAME LAST-LINE STATUS COMMAND…: check how a script ends.
expect() {
    expect_name=$1 expect_last=$2 expect_status=$3 got_status=0
    shift 3
    "$@" >"$scratch/self.out" 2>&1 </dev/null || got_status=$?
    got_last=$(tail -n 1 "$scratch/self.out")
    if [ "$got_last" = "$expect_last" ] && [ "$got_status" -eq "$expect_status" ]; then
        pass
    else
        echo "status $got_status, last line '$got_last'; expected $expect_status, '$expect_last'" >>"$scratch/self.out"
        fail "$expect_name" "$scratch/self.out"
    fi
}

# A stub instead of the program, which prints its arguments to both streams.
stub=$scratch/mlscore
cat >"$stub" <<'END'
#!/bin/sh
case $1 in
say) echo "$2" ;;
complain) echo "$2" >&2; exit 3 ;;
esac
END
chmod +x "$stub"
cases=$scratch/cases
case_of() {
    mkdir -p "$cases/$1"
    printf '%s\n' "$2" >"$cases/$1/cmd"
}
cases_run() { MLSCORE=$stub CASES=$cases sh tests/run_cases.sh "$build" "$@"; }

case_of good 'mlscore say hello; mlscore complain "not well"'
echo hello >"$cases/good/stdout"
echo 'not well' >"$cases/good/stderr"
echo 3 >"$cases/good/status"
expect "a case that agrees passes" "1 passed, 0 failed" 0 cases_run good
cp -r "$cases/good" "$cases/out" && echo 'hello ' >"$cases/out/stdout"
expect "another standard output fails" "0 passed, 1 failed" 1 cases_run out
cp -r "$cases/good" "$cases/noout" && rm "$cases/noout/stdout"
expect "output where none is expected fails" "0 passed, 1 failed" 1 cases_run noout
cp -r "$cases/good" "$cases/err" && rm "$cases/err/stderr"
expect "standard error where none is expected fails" "0 passed, 1 failed" 1 cases_run err
cp -r "$cases/good" "$cases/status" && rm "$cases/status/status"
expect "another status fails" "0 passed, 1 failed" 1 cases_run status
cp -r "$cases/good" "$cases/newline" && printf hello >"$cases/newline/stdout"
expect "a missing last newline fails" "0 passed, 1 failed" 1 cases_run newline
mkdir "$cases/nothing"
expect "a case without cmd fails" "0 passed, 1 failed" 1 cases_run nothing
case_of needy 'false' && echo no-such-command-here >"$cases/needy/needs"
expect "a case that needs what is not there is skipped" "0 passed, 0 failed, 1 skipped" 0 cases_run needy
expect "all cases together" "1 passed, 6 failed, 1 skipped" 1 cases_run
case_of blessed 'mlscore say new; mlscore complain bad'
expect "blessing writes what is expected" "1 passed, 0 failed" 0 env BLESS=1 MLSCORE="$stub" CASES="$cases" sh tests/run_cases.sh "$build" blessed
expect "and the case then passes" "1 passed, 0 failed" 0 cases_run blessed
check "blessed files" sh -c 'cd "$1" && echo new | cmp - stdout && echo bad | cmp - stderr && echo 3 | cmp - status' - "$cases/blessed"
rm -rf "$cases" && mkdir "$cases"
expect "no cases at all is a failure" "0 passed, 1 failed" 1 cases_run

# Stubs instead of cmocka programs.
unit() {
    printf '#!/bin/sh\n%s\n' "$2" >"$scratch/unit_$1"
    chmod +x "$scratch/unit_$1"
}
units_run() { sh tests/run_units.sh "$build" "$@"; }
unit good 'printf "1..3\nok 1 - a\nok 2 - b\nnot ok 3 # SKIP c\n# ok - g\n"'
unit bad 'printf "1..2\nok 1 - a\nnot ok 2 - b\n# 1 != 2\n# not ok - g\n"; exit 1'
unit crash 'printf "1..3\nok 1 - a\n"; kill -SEGV $$'
unit early 'printf "1..3\nok 1 - a\n"; exit 0'
unit empty 'exit 0'
unit leak 'printf "1..1\nok 1 - a\n"; exit 99'
unit two 'printf "1..1\nok 1 - a\n1..1\nok 1 - b\n"'
expect "test functions are counted" "2 passed, 0 failed, 1 skipped" 0 units_run "$scratch/unit_good"
expect "two groups add up" "2 passed, 0 failed" 0 units_run "$scratch/unit_two"
expect "a failing function fails" "1 passed, 1 failed" 1 units_run "$scratch/unit_bad"
expect "a crash fails" "1 passed, 1 failed" 1 units_run "$scratch/unit_crash"
expect "an early exit fails" "1 passed, 1 failed" 1 units_run "$scratch/unit_early"
expect "a program without tests fails" "0 passed, 1 failed" 1 units_run "$scratch/unit_empty"
expect "a sanitizer's status fails" "1 passed, 1 failed" 1 units_run "$scratch/unit_leak"
expect "a program that is not there fails" "0 passed, 1 failed" 1 units_run "$scratch/unit_none"

# Documents with examples.
examples_run() { MLSCORE=$stub sh tests/run_examples.sh "$build" "$@"; }
cat >"$scratch/good.md" <<'END'
```console
$ mlscore say one
one
$ printf 'a\nb\nc\nd\n'
a
…
d
$ mlscore nothing
```
END
expect "examples that agree" "3 passed, 0 failed" 0 examples_run "$scratch/good.md"
sed 's/^d$/e/' "$scratch/good.md" >"$scratch/bad.md"
expect "an example that does not agree" "2 passed, 1 failed" 1 examples_run "$scratch/bad.md"
sed 's/^one$//' "$scratch/good.md" | sed '/^$/d' >"$scratch/none.md"
expect "an example whose output is missing" "2 passed, 1 failed" 1 examples_run "$scratch/none.md"
printf '.\\" test\n.EX\n$ mlscore say \\-x\\(aqy\\(aq\n\\-xy\n.EE\n' >"$scratch/page.1"
expect "an example of a man page" "1 passed, 0 failed" 0 examples_run "$scratch/page.1"

# untested NAME PAGE TEXT: a page with a correct example and a block that is not tested.
untested() {
    case $2 in
    *.md) printf '```console\n$ mlscore say one\none\n```\n\n' ;;
    *) printf '.\\" test\n.EX\n$ mlscore say one\none\n.EE\n' ;;
    esac >"$scratch/$2"
    printf '%b' "$3" >>"$scratch/$2"
    expect "$1" "1 passed, 1 failed" 1 examples_run "$scratch/$2"
}
untested "a block without a language" page.md '```\n$ mlscore say one\n```\n'
untested "a block of commands in another language" page.md '```sh\nmake demo\n```\n'
untested "a program that is no file" page.md '```c\nint main(void) {}\n```\n'
untested "a program that no command names" page.md '<!-- file: a.c -->\n```c\nint main(void) {}\n```\n'
untested "a block in a list" page.md '1. one\n\n   ```console\n   $ mlscore say one\n   ```\n'
untested "a block of tildes" page.md '~~~\n$ mlscore say one\n~~~\n'
untested "a block that does not end" page.md '```console\n'
untested "a block that begins with what is printed" page.md '```console\none\n```\n'
untested "a command outside of a block" page.md '    $ mlscore say one\n    one\n'
untested "a mark before no block" page.md '<!-- no test: there is nothing -->\nwords\n'
untested "a mark without a reason" page.md '<!-- no test: -->\n```sh\nmake\n```\n'
untested "a man page's block" page.1 '.EX\n$ mlscore say x\nx\n.EE\n'
untested "a man page's block without a command" page.1 '.EX\nint main(void) {}\n.EE\n'
untested "a man page's lines as they stand" page.1 '.nf\nint main(void) {}\n.fi\n'
untested "a man page's mark before no block" page.1 '.\\" test\nwords\n'
cat >"$scratch/skipped.md" <<'END'
```console
$ mlscore say one
one
```
<!-- no test: it needs Slurm -->
```sh
sbatch run.sub
```
END
expect "a block with a reason for not being tested" "1 passed, 0 failed" 0 examples_run "$scratch/skipped.md"
cat >"$scratch/program.md" <<'END'
<!-- file: hello.c -->
```c
#include <stdio.h>
int main(void)
{
    return puts("hello") < 0;
}
```
```console
$ cc hello.c -o hello
$ ./hello
hello
```
END
expect "a program that agrees" "2 passed, 0 failed" 0 examples_run "$scratch/program.md"
sed 's/"hello"/"world"/' "$scratch/program.md" >"$scratch/other.md"
expect "a program that prints something else" "1 passed, 1 failed" 1 examples_run "$scratch/other.md"
sed 's/^int main/static int unused;\nint main/' "$scratch/program.md" >"$scratch/warned.md"
expect "a program with a warning" "0 passed, 2 failed" 1 examples_run "$scratch/warned.md"
# Pages are found anywhere in the tree, except those of section 3, which the next suite runs.
mkdir -p "$scratch/tree/new/page" "$scratch/tree/man"
ln -s "$root/tests" "$scratch/tree/tests"
cp "$scratch/bad.md" "$scratch/tree/new/page/HOW.md"
cp "$scratch/page.1" "$scratch/page.3"
mv "$scratch/page.1" "$scratch/page.3" "$scratch/tree/man"
expect "new pages are found" "3 passed, 2 failed" 1 sh -c 'cd "$1" && MLSCORE=$2 sh tests/run_examples.sh "$3"' - \
    "$scratch/tree" "$stub" "$build"

# Suites that end in unusual ways.
mkdir "$scratch/suites"
suite() { printf '%s\n' "$2" >"$scratch/suites/run_$1.sh"; }
all_run() { TESTS=$scratch/suites sh tests/run_all.sh "$build" "$@"; }
suite good 'echo "2 passed, 0 failed, 1 skipped"'
suite bad 'echo "FAIL x"; echo "1 passed, 1 failed"; exit 1'
suite silent ':'
suite liar 'echo "1 passed, 0 failed"; exit 2'
expect "suites add up" "3 passed, 1 failed, 1 skipped" 1 all_run good bad
expect "a suite without a count fails" "2 passed, 1 failed, 1 skipped" 1 all_run good silent
expect "a suite that ends badly fails" "3 passed, 1 failed, 1 skipped" 1 all_run good liar
expect "a suite that is not there fails" "0 passed, 1 failed" 1 all_run absent
expect "nothing tested is a failure" "0 passed, 0 failed" 1 all_run
suite cases 'shift; echo "1$# passed, 0 failed"'
mkdir -p "$scratch/suites/cli/one-thing" "$scratch/suites/cli/two-things"
expect "a test is run alone" "11 passed, 0 failed" 0 all_run one-thing
expect "a test is known by its path" "11 passed, 0 failed" 0 all_run tests/cli/two-things/
expect "a pattern is all that it matches, once" "14 passed, 0 failed, 1 skipped" 0 all_run good 'one-*' '*-thing*'
expect "a suite is all of its tests" "10 passed, 0 failed" 0 all_run one-thing cases
expect "a name that is misspelt ends it" "0 passed, 1 failed" 1 all_run good two-thnigs
check "names like it are listed" sh -c 'tr -d "\n" <"$1" | grep -q "are:  *two-things  *0 passed"' - "$scratch/self.out"

# A program with one more command, option, finding, … than its documentation fails, and so does a README that is too
# long or has a broken link.
real=$root/$build/mlscore
cat >"$scratch/more" <<END
#!/bin/sh
"$real" "\$@"
case "\$*" in
help) echo; echo 'commands:'; echo '  brew        make coffee' ;;
'help findings') printf '\\ncold-coffee          advice   it stood too long\\n    Why.\\n    Drink it.\\n' ;;
'help fields') echo 'SCORE JSON: beans number' ;;
'score --help') echo '      --grind=coarse|fine       how to grind'; echo '      --format=coffee           how to print' ;;
esac
END
chmod +x "$scratch/more"
mkdir "$scratch/house"
ln -s "$root"/* "$scratch/house"
rm "$scratch/house/README.md" "$scratch/house/include"
cp -r include "$scratch/house"
echo 'int mls_grinder_grind(void);' >"$scratch/house/include/mlscore/grinder.h"
{
    cat README.md
    echo '[the mill](doc/mill.md), `make coffee`'
    seq 200
    printf '%0121d\n' 0
} >"$scratch/house/README.md"
rm "$scratch/house/CONTRIBUTING.md"
{
    cat CONTRIBUTING.md
    echo '`score/grinder.c` has `mls_grinder_stop()`.'
} >"$scratch/house/CONTRIBUTING.md"
(cd "$scratch/house" && MLSCORE=$scratch/more sh tests/run_docs.sh "$build") >"$scratch/docs" 2>&1 || :
for missing in 'brew has no page' 'man/man1/mlscore.1: commands' 'README.md: commands' 'src/cli/cmd_brew.c is missing' \
    'no case runs mlscore brew' 'mlscore-findings.7: the list' 'cold..coffee' 'man/man5/mlscore-formats.5: SCORE JSON' \
    'beans number' 'man/man1/mlscore-score.1: options of score' 'completions/mlscore.fish: options of score' \
    'no such format: coffee' 'no case runs mlscore score --format=coffee' 'mlscore.h includes every header' \
    'man/man3/mlscore.3: headers' 'README.md: nothing is at doc/mill.md' 'README.md: no target make coffee' \
    'CONTRIBUTING.md: no file score/grinder.c' 'CONTRIBUTING.md: no name mls_grinder_stop' \
    'README.md: more than 160 lines' 'README.md: a line of more than 120 columns'; do
    check "a change that forgets is told '$missing'" grep -q -e "$missing" "$scratch/docs"
done
finish
