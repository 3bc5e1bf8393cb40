#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: [BLESS=1] run_docs.sh BUILD
# Compare the manual and the completion files with the program: options of each command in order, commands, findings,
# fields of machine-readable formats, headers and links. BLESS=1 updates the list in man/man7/mlscore-findings.7.
. tests/count.sh
build=$1
mlscore=$root/$build/mlscore
[ -z "${MLSCORE:-}" ] || mlscore=$MLSCORE

agree() { # NAME WANTED GOT
    if [ -s "$2" ] && cmp -s "$2" "$3"; then
        pass
    else
        diff -u --label program "$2" --label "$1" "$3" >"$scratch/agree.diff" || :
        fail "$1" "$scratch/agree.diff"
    fi
}

# Convert roff to plain text, as far as headings and fields need it.
plain() { sed 's/\\f[BIRP]//g; s/\\-/-/g; s/\\(aq/'"'"'/g; s/\\[&:]//g; s/\\e/\\/g' "$@"; }

# Print the first line of each entry (.TP) of a section.
entries() { # PAGE SECTION
    awk -v section=".SH $2" '
        /^\.SH / { inside = $0 == section }
        inside && entry && /^\.[BI][RI]? / {
            # Join the arguments of a macro, which may be quoted.
            line = ""
            sub(/^\.[BI][RI]? +/, "")
            while ($0 != "") {
                if (match($0, /^"[^"]*"/)) line = line substr($0, 2, RLENGTH - 2)
                else { match($0, /^[^ ]+/); line = line substr($0, 1, RLENGTH) }
                $0 = substr($0, RLENGTH + 1)
                sub(/^ +/, "")
            }
            $0 = line
        }
        inside && entry { print }
        { entry = /^\.T[PQ]( |$)/ }' "$1" | plain
}

"$mlscore" help >"$scratch/help" || fail "mlscore help"
# The groups with their commands. A summary may continue on the next line.
awk '
    function flush() { if (entry != "") print entry; entry = "" }
    /^[a-z]+:$/ { flush(); inside = 1; print; next }
    /^[^ ]|^$/ { flush(); inside = inside && $0 == ""; next }
    inside && /^  [a-z]/ { flush() }
    inside { $1 = $1; entry = entry (entry == "" ? "" : " ") $0 }
    END { flush() }' "$scratch/help" >"$scratch/groups"
grep -v ':$' "$scratch/groups" >"$scratch/commands"
commands=$(sed 's/ .*//' "$scratch/commands")

# ------------------------------------------------------------- options

# Print the options of a command, or with '' those of `mlscore PATH`.
help_options() {
    if [ -n "$1" ]; then "$mlscore" "$1" --help; else "$mlscore" help overview; fi | awk 'match($0, /^  (-[^-], |    )--[^ ]+/) { line = substr($0, 1, RLENGTH); sub(/^ +/, "", line); print line }'
}

for command in $commands; do
    page=man/man1/mlscore-$command.1
    # The options of help are described in mlscore(1).
    [ "$command" != help ] || page=man/man1/mlscore.1
    help_options "$command" >"$scratch/options"
    if [ ! -f "$page" ]; then
        fail "$command has no page $page"
        continue
    fi
    entries "$page" OPTIONS >"$scratch/page"
    agree "$page: options of $command" "$scratch/options" "$scratch/page"
    for shell in _mlscore mlscore.fish; do
        case $shell in
        _mlscore) sed -n "/^        $command)/,/;;/p" completions/$shell | grep -o -e '--[a-z][a-z0-9-]*' ;;
        *) grep -e "'__mlscore_command $command' -l" completions/$shell | sed 's/.* -l \([a-z0-9-]*\) .*/--\1/' ;;
        esac | awk '!seen[$0]++' | sort >"$scratch/shell"
        sed 's/\[*=.*//; s/^-., //' "$scratch/options" | sort >"$scratch/long"
        # Exclusion lists and help texts for zsh contain other options too.
        comm -12 "$scratch/long" "$scratch/shell" >"$scratch/both"
        [ $shell = _mlscore ] || cp "$scratch/shell" "$scratch/both"
        agree "completions/$shell: options of $command" "$scratch/long" "$scratch/both"
    done
done

help_options '' >"$scratch/options"
entries man/man1/mlscore.1 'OPTIONS OF AN OVERVIEW' >"$scratch/page"
agree "man/man1/mlscore.1: options of mlscore PATH" "$scratch/options" "$scratch/page"

# --------------------------------------------------------- completions

for shell in bash zsh fish; do
    file=completions/mlscore.$shell
    [ $shell != zsh ] || file=completions/_mlscore
    "$mlscore" completion $shell >"$scratch/completion"
    agree "$file is what mlscore completion $shell prints (make completions writes it)" "$scratch/completion" "$file"
    if command -v $shell >/dev/null 2>&1; then
        case $shell in
        fish) check "$shell reads $file" fish --no-execute "$file" ;;
        *) check "$shell reads $file" $shell -n "$file" ;;
        esac
    else
        skip
    fi
done

cat >"$scratch/drive.bash" <<'END_OF_BASH'
# Print the completions of a command line after the options of the function.
compopt() { printf '%s%s ' "$1" "$2"; }
. completions/mlscore.bash
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_mlscore
echo "${COMPREPLY[*]}"
END_OF_BASH
completes() { # EXPECTED WORD…
    expected=$1
    shift
    got=$(bash "$scratch/drive.bash" "$@" 2>&1)
    echo "completes to '$got', expected '$expected'" >"$scratch/drive.out"
    if [ "$got" = "$expected" ]; then pass; else fail "bash: $*" "$scratch/drive.out"; fi
}
if command -v bash >/dev/null 2>&1; then
    completes "$(echo $commands)" mlscore ''
    completes '-ofilenames score' mlscore sc
    completes '-ofilenames README.md' mlscore READ
    completes '-ofilenames telemetry tests testdata' mlscore te
    completes '-onospace --against=' mlscore --ag
    completes '-odefault ' mlscore testdata READ
    completes '-onospace --against=' mlscore testdata --ag
    completes '-onospace --format=' mlscore score --fo
    completes --window mlscore score --win
    completes json mlscore score --format = j
    completes 'training hpc' mlscore score --usage =
    completes --format=json mlscore score --format=j
    completes markdown mlscore score --format m
    completes '-odefault ' mlscore score -o fi
    completes '-odefault ' mlscore score --output = fi
    completes '-odefault ' mlscore score fi
    completes '-odefault ' mlscore score -- --fo
    completes '' mlscore score -j 4
    completes '' mlscore events --key = seed
    completes zsh mlscore completion z
    completes findings mlscore help fin
    completes torn-line mlscore help findings tor
    completes '5.0 5.1' mlscore score --edition 5
    completes '--edition=6.1' mlscore check --edition=6.1
    completes 'llama31_405b llama31_8b' mlscore verify --benchmark llama3
    completes torn-line mlscore verify --explain torn
    completes retinanet mlscore rcp reti
    completes '5.1' mlscore rules 5.1
    for command in $commands; do
        bash "$scratch/drive.bash" mlscore "$command" -- | sed 's/^-onospace //' | tr ' ' '\n' >"$scratch/shell"
        help_options "$command" | sed 's/^-., //; s/\[=.*//; s/=.*/=/' >"$scratch/long"
        agree "completions/mlscore.bash: options of $command" "$scratch/long" "$scratch/shell"
    done
else
    skip
fi

# ------------------------------------------------------------- findings

# The list as roff. Lines are folded before they are escaped.
roff_text() { fold -s -w 70 | sed 's/ *$//; s/\\/\\e/g; s/-/\\-/g; s/'"'"'/\\(aq/g; s/^[.]/\\\&./'; }
"$mlscore" help findings | while IFS= read -r line; do
    case $line in
    '') ;;
    '    '*) printf '%s\n' "${line#    }" | roff_text ;;
    *)
        set -- $line
        printf '.TP\n'
        printf '\\fB%s\\fR (%s)\n' "$1" "$2" | sed 's/-/\\-/g'
        shift 2
        printf '%s.\n' "$*" | awk '{ print toupper(substr($0, 1, 1)) substr($0, 2) }' | roff_text
        ;;
    esac
done >"$scratch/findings"
page=man/man7/mlscore-findings.7
if [ -n "${BLESS:-}" ]; then
    awk -v list="$scratch/findings" '
        /^\.\\" end of the list$/ { inside = 0 }
        !inside { print }
        /^\.\\" the list/ { inside = 1; while ((getline line < list) > 0) print line }' $page >"$scratch/page" &&
        cat "$scratch/page" >$page
fi
awk '/^\.\\" end of the list$/ { inside = 0 } inside { print } /^\.\\" the list/ { inside = 1 }' $page >"$scratch/page"
agree "$page: the list of findings (make bless writes it)" "$scratch/findings" "$scratch/page"

# ---------------------------------------------------- commands and fields

# The page may list commands in another order.
entries man/man1/mlscore.1 COMMANDS | sed 's/ .*//' | sort >"$scratch/page"
sed 's/ .*//' "$scratch/commands" | sort >"$scratch/names"
agree "man/man1/mlscore.1: commands" "$scratch/names" "$scratch/page"
cp "$scratch/names" "$scratch/names.commands"
# A group is a row with a bold title above its commands, | **Score** | |.
sed -n 's/^| `\([a-z]*\).*` | \(.*\) |$/\1 \2/p; s/^| \*\*\([A-Z][a-z]*\)\*\* | |$/\1:/p' README.md |
    awk '/:$/ { $0 = tolower($0) } { print }' >"$scratch/page"
agree "README.md: commands" "$scratch/groups" "$scratch/page"

# --------------------------- checklists of CONTRIBUTING.md: what a change brings

# every NAME FILE: fail if FILE is not empty; its lines say what is missing.
every() { if [ -s "$2" ]; then fail "$1" "$2"; else pass; fi; }

# A row may continue on another line after its bracket.
tr '\n' ' ' <src/base/finding_table.h | grep -oE 'MLS_FINDING\( *[A-Z_0-9]+, *"[a-z0-9-]+"' |
    sed 's/.*( *\([A-Z_0-9]*\), *"\(.*\)"/\1 \2/' >"$scratch/codes"
while read -r id code; do
    grep -qE -e "\[$code\]|\"$code\"|mlscore $code::" tests/cli/*/stdout ||
        grep -qE -e "^(error|warning|advice) $code\$" testdata/submissions-broken/*/findings ||
        grep -qw -e "MLS_FINDING_$id" tests/unit/*.c || echo "no test makes $code"
done <"$scratch/codes" >"$scratch/missing"
rows=$(grep -c '^MLS_FINDING(' src/base/finding_table.h)
[ "$rows" -gt 0 ] && [ "$(wc -l <"$scratch/codes")" -eq "$rows" ] || echo "not every finding is read" >>"$scratch/missing"
every "every finding is made by a test" "$scratch/missing"

# Functions of rule expressions: each needs a description, a test of its result and, unless it accepts any value, a test
# of a value that it rejects.
sed -n '/^    F(ABS,/,/^$/s/^    F([A-Z0-9_]*, "\([a-z0-9_]*\)".*/\1/p' src/rules/expr.h | sort >"$scratch/functions"
sed -n '/^Functions:/,/^\.SH/p' man/man5/mlscore-rules.5 | grep '^\.B' | plain | grep -oE '[a-z0-9_]+\(' | tr -d '(' |
    sort >"$scratch/page"
agree "man/man5/mlscore-rules.5: functions" "$scratch/functions" "$scratch/page"
while read -r function; do
    grep -qE "^        \"!?$function\(.*\",\$" tests/unit/test_expr.c || echo "no row says what $function() gives"
    grep -qE "^        \{\"$function\(" tests/unit/test_expr.c || case $function in
    is_bool | is_int) ;;
    *) echo "no row says what $function() does not take" ;;
    esac
done <"$scratch/functions" >"$scratch/missing"
every "every function of rule expressions has its rows in tests/unit/test_expr.c" "$scratch/missing"

for command in $commands; do
    [ -f "src/cli/cmd_$command.c" ] || echo "src/cli/cmd_$command.c is missing"
    grep -qE -e "mlscore $command( |\$)" tests/cli/*/cmd || echo "no case runs mlscore $command"
done >"$scratch/missing"
for file in src/cli/cmd_*.c; do
    command=${file#src/cli/cmd_}
    [ "$command" != overview.c ] || continue # what is run without a command
    grep -qx "${command%.c}" "$scratch/names.commands" || echo "$file is in no list of commands"
done >>"$scratch/missing"
every "every command has its file and a case" "$scratch/missing"

for command in $commands; do help_options "$command" | sed -n 's/^--format=//p' | tr '|' '\n'; done | sort -u >"$scratch/offered"
sed -n 's/^    F([A-Z]*, \([a-z]*\)).*/\1/p' src/term/view.h | sort >"$scratch/formats"
for format in $(cat "$scratch/formats"); do
    grep -qx "$format" "$scratch/offered" || echo "no command offers --format=$format"
    grep -q -e "^\.IP \"\\\\fB$format\\\\fR\"" man/man5/mlscore-formats.5 || echo "man/man5/mlscore-formats.5 lacks $format"
done >"$scratch/missing"
for command in $commands; do
    # The default format of a command has no option.
    for format in $(help_options "$command" | sed -n 's/^--format=//p' | tr '|' ' ' | cut -d ' ' -f 2-); do
        grep -qE -e "mlscore $command .*--format[= ]$format" tests/cli/*/cmd || echo "no case runs mlscore $command --format=$format"
    done
done >>"$scratch/missing"
grep -vxFf "$scratch/formats" "$scratch/offered" | sed 's/^/no such format: /' >>"$scratch/missing"
every "every format is offered, documented and tested" "$scratch/missing"

# Each model_type that memory supports or refuses is in a list of the page.
sed -n '/^ "families": {/,/^ }/s/.*"types": "\([^"]*\)".*/\1/p; /^ "refused": {/,/^ }/s/^  "\([^"]*\)": ".*/\1/p' src/data/models.json |
    tr ' ' '\n' | sort -u >"$scratch/model-types"
plain man/man5/mlscore-formats.5 | tr -s ' ,.' '\n\n\n' | sort -u | comm -23 "$scratch/model-types" - >"$scratch/unsaid"
[ -s "$scratch/model-types" ] || echo "src/data/models.json has no families" >"$scratch/unsaid"
every "mlscore-formats(5) names each model_type" "$scratch/unsaid"

# Names and types of fields, by section, from the tables that print them.
"$mlscore" help fields >"$scratch/fields" || fail "mlscore help fields"
check "every field is found" sh -c '! grep -q " missing$" "$1"' - "$scratch/fields"
cut -d : -f 1 "$scratch/fields" | sort -u >"$scratch/sections"
while read -r section; do
    sed -n "s/^$section: //p" "$scratch/fields" | sort -u >"$scratch/names"
    entries man/man5/mlscore-formats.5 "$section" | sort -u >"$scratch/page"
    agree "man/man5/mlscore-formats.5: $section" "$scratch/names" "$scratch/page"
done <"$scratch/sections"
# Members of the object around a streamed list.
printf '%s\n' 'checked number' 'logs array' 'valid number' >"$scratch/names"
entries man/man5/mlscore-formats.5 'CHECK JSON' | sort >"$scratch/page"
agree "man/man5/mlscore-formats.5: CHECK JSON" "$scratch/names" "$scratch/page"

# The GPUs with known memory, with remarks in parentheses.
sed -n '/^ "gpus"/,$ s/^  {"name": "\([^"]*\)".*/\1/p' src/data/accelerators.json | sort >"$scratch/names"
plain man/man1/mlscore-memory.1 | sed -n '/^Known are$/,/^\.IP/p' | sed '1d; $d' | tr '\n' ' ' |
    sed 's/([^)]*)//g; s/\. *$//' | tr ',' '\n' | sed 's/^ *//; s/ *$//' | sort >"$scratch/page"
agree "man/man1/mlscore-memory.1: GPUs" "$scratch/names" "$scratch/page"

# ------------------------------------------------------------ the library

sed -n 's/^#include "mlscore\/\(.*\)"$/\1/p' include/mlscore/mlscore.h | sort >"$scratch/page"
(cd include/mlscore && ls) | grep -v -x mlscore.h | sort >"$scratch/names"
agree "include/mlscore/mlscore.h includes every header" "$scratch/names" "$scratch/page"
(cd include/mlscore && ls) | sort >"$scratch/names"
sed -n '/^\.SS Headers/,/^\.SS Errors/p' man/man3/mlscore.3 | grep -o -E '[a-z_]+\.h' | sort -u >"$scratch/page"
agree "man/man3/mlscore.3: headers" "$scratch/names" "$scratch/page"

# --------------------------------------------------------------- the pages

{
    [ "$(wc -l <README.md)" -le 160 ] || echo "README.md: more than 160 lines"
    grep -n -E '^.{121}' README.md | sed 's|:.*||; s|^|README.md: a line of more than 120 columns: |'
} >"$scratch/front"
every "README.md is read in a minute" "$scratch/front"
for page in README.md CONTRIBUTING.md CHANGELOG.md */README.md src/data/README.md; do
    folder=$(dirname "$page")
    grep -o -E '\]\([^)#]+' "$page" | sed 's/^](//' | while read -r target; do
        case $target in
        http*) ;;
        *) [ -e "$folder/$target" ] || echo "$page: nothing is at $target" ;;
        esac
    done
    grep -o -E '(`|^)make [a-z]+' "$page" | sed 's/.*make //' | sort -u | while read -r target; do
        grep -q "^$target:" Makefile || echo "$page: no target make $target"
    done
    # Links to pages of the manual.
    grep -o -E 'mlscore(-[a-z]+)?\([1-8]\)' "$page" | sort -u | tr '()' '. ' | while read -r manual; do
        [ -e "man/man${manual##*.}/$manual" ] || echo "$page: no page $manual"
    done
done >"$scratch/missing"
for page in man/man*/*.[1-8]; do
    plain "$page" | grep -o -E 'mlscore(-[a-z]+)? ?\([1-8]\)' | sort -u | tr -d ' )' | tr '(' . | while read -r manual; do
        [ -e "man/man${manual##*.}/$manual" ] || echo "$page: no page $manual"
    done
done >>"$scratch/missing"
# Names of files (from the root, src or include, or without folder) and names in the code.
grep -o -E '`[a-zA-Z0-9_./]+\.(c|h|sh|json)`' CONTRIBUTING.md | tr -d '`' | sort -u | while read -r file; do
    ls "$file" "src/$file" "include/$file" src/*/"$file" src/*/*/"$file" 2>/dev/null | grep -q . || echo "CONTRIBUTING.md: no file $file"
done >>"$scratch/missing"
grep -o -E '`(mls|MLS)_[A-Za-z_]+' CONTRIBUTING.md | tr -d '`' | sort -u | while read -r name; do
    grep -rqF "$name" src include || echo "CONTRIBUTING.md: no name $name"
done >>"$scratch/missing"
grep -o -E 'mls_[a-z_]+' man/man3/mlscore.3 | sort -u | while read -r name; do
    grep -rqwF "$name" include || echo "man/man3/mlscore.3: no name $name"
done >>"$scratch/missing"
every "pages lead to what is there" "$scratch/missing"

# ---------------------------------------------------------------- roff

version=$("$mlscore" --version | head -n 1)
for page in man/man*/*.[1-8]; do
    check "$page names the version" grep -q "^\\.TH .* \"$version\"" "$page"
    if command -v mandoc >/dev/null 2>&1; then
        mandoc -T lint -W style "$page" >"$scratch/lint" 2>&1
        if [ -s "$scratch/lint" ]; then fail "$page: mandoc has remarks" "$scratch/lint"; else pass; fi
    else
        skip
    fi
    if command -v groff >/dev/null 2>&1; then
        groff -man -Kutf8 -Tutf8 -ww -z "$page" >"$scratch/lint" 2>&1
        if [ -s "$scratch/lint" ]; then fail "$page: groff has remarks" "$scratch/lint"; else pass; fi
    else
        skip
    fi
done
finish
