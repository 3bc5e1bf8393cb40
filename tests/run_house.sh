#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_house.sh BUILD
# Check the structure of the code: modules include only modules below them (CONTRIBUTING.md), no struct has a member
# that only a module above fills in, each file begins with a comment on its purpose, and types, constants and names
# follow the conventions.
. tests/count.sh
build=$1
cd "$root" || exit 1

# The modules from the top down: name/ in the first column of the table in CONTRIBUTING.md.
sed -n 's/^| `\([a-z]*\)\/` |.*/\1/p' CONTRIBUTING.md >"$scratch/modules"

# A file includes only its own module and those below. The folders of explain/ do not include each other.
awk -v modules="$scratch/modules" '
    BEGIN { while ((getline name < modules) > 0) rank[name] = ++count }
    match($0, /^#include "[a-z_\/]*\/[a-z_0-9]*\.h"/) {
        split(FILENAME, from, "/"); split($0, quoted, "\""); split(quoted[2], to, "/")
        if (to[1] == "mlscore") next # the public headers know no module
        if (!(from[2] in rank) || !(to[1] in rank)) print FILENAME ": includes " quoted[2] ": not a module of CONTRIBUTING.md"
        else if (from[2] != to[1] && rank[to[1]] <= rank[from[2]]) print FILENAME ": includes " quoted[2] ": " to[1] "/ is not below " from[2] "/"
        else if (from[2] == "explain" && to[1] == "explain" && to[3] != "" && from[3] != to[2]) print FILENAME ": includes " quoted[2]
    }' src/*/*.[ch] src/*/*/*.[ch] | sort -u >"$scratch/wrong"
[ -s "$scratch/modules" ] || echo "CONTRIBUTING.md lists no modules" >>"$scratch/wrong"
if [ -s "$scratch/wrong" ]; then fail "modules include only modules below them" "$scratch/wrong"; else pass; fi

# No struct has a member that only modules above fill in.
# shellcheck disable=SC2046 # the modules are words
python3 tests/members.py $(cat "$scratch/modules") >"$scratch/wrong" 2>&1
if [ -s "$scratch/wrong" ]; then fail "no member is filled in by a module above" "$scratch/wrong"; else pass; fi

grep -n '^#include ' include/mlscore/*.h | grep -v -e '"mlscore/' -e '<std\(bool\|def\|int\)\.h>$' >"$scratch/wrong"
if [ -s "$scratch/wrong" ]; then fail "public headers include no others" "$scratch/wrong"; else pass; fi

# Public structs cannot get new members once programs are linked, so only these two have members.
grep -n -E '(struct|union)( [a-z_]+)? \{' include/mlscore/*.h | grep -v -e 'typedef struct mls_\(error\|str\) {$' >"$scratch/wrong"
if [ -s "$scratch/wrong" ]; then fail "public types have no members" "$scratch/wrong"; else pass; fi

# Expected output must be short enough to read: a case with long output prints only fields that matter and their number.
wc -c tests/cli/*/stdout tests/cli/*/stderr | awk '$2 != "total" && $1 >= 16384 { print $2 ": " $1 " bytes" }' >"$scratch/wrong"
if [ -s "$scratch/wrong" ]; then fail "no case expects 16 KiB and more" "$scratch/wrong"; else pass; fi

# The first comment after the licence describes the purpose of the file.
awk 'FNR == 2 && /^\/\*/ { opens[FILENAME] }
    END { for (i = 1; i < ARGC; i++) if (!(ARGV[i] in opens)) print ARGV[i] }' \
    src/*/*.c src/*/*/*.c src/*/*.h src/*/*/*.h include/mlscore/*.h >"$scratch/wrong"
if [ -s "$scratch/wrong" ]; then fail "each file opens with what it is for" "$scratch/wrong"; else pass; fi

# A type has one definition, and so has a constant in a header or with the prefix MLS_.
awk '
    function note(name, kind) { if (name ~ /^[A-Za-z]/) found[name] = kind }
    function flush(name) {
        for (name in found) if (!(name in undone)) print name, found[name], file
        split("", found)
        split("", undone)
    }
    FNR == 1 { flush(); file = FILENAME; comment = inside = 0 }
    /^ *#define [A-Za-z]/ { sub(/\(.*/, "", $2); note($2, "constant"); next }
    /^ *#undef / { undone[$2] }
    /^ *#/ { next }
    {
        if (comment) { if (!sub(/^.*\*\//, "")) next; comment = 0 }
        gsub(/\/\*([^*]|\*[^\/])*\*\//, "")
        comment = sub(/\/\*.*/, "")
    }
    /^(typedef )?(struct|enum|union) [a-z_0-9]+ {/ { note($1 == "typedef" ? $3 : $2, "type") }
    /^} [a-z_0-9]+;/ && typedef { sub(/;.*/, "", $2); note($2, "type") }
    /^[a-z}]/ { typedef = /^typedef/ }
    /^typedef [^{]*;/ && !/^typedef (struct|enum|union) [a-z_0-9]+ [a-z_0-9]+;/ {
        sub(/\)\(.*|;.*/, "")
        sub(/.*[ *(]/, "")
        note($0, "type")
        next
    }
    sub(/^(.*[^a-z_0-9])?enum( [a-z_0-9]+)? {/, "") { inside = 1 }
    inside {
        inside = !sub(/}.*/, "")
        gsub(/[A-Z_]+\([^()]*\)/, "")
        count = split($0, item, ",")
        for (i = 1; i <= count; i++) {
            sub(/=.*/, "", item[i])
            gsub(/ /, "", item[i])
            note(item[i], "constant")
        }
    }
    END { flush() }' src/*/*.[ch] src/*/*/*.[ch] include/mlscore/*.h | sort -u | tee "$scratch/definitions" |
    awk '$1 == name && (kind $2 ~ /type/ || name ~ /^MLS_/ || file ~ /h$/ || $3 ~ /h$/) { print name ": " file ", " $3 }
        { name = $1; kind = $2; file = $3 }' >"$scratch/wrong"
[ -s "$scratch/definitions" ] || echo "no definition was found" >>"$scratch/wrong"
if [ -s "$scratch/wrong" ]; then fail "no type or constant is defined twice" "$scratch/wrong"; else pass; fi

# Names of static functions do not begin with mls_.
grep -nE '^static [^=;]*\<mls_[a-z0-9_]+\(' src/*/*.c src/*/*/*.c | grep -vE '\<(inline|const struct)\>' |
    sed -nE 's/^([^:]*:[0-9]*):static [^(]*\<(mls_[a-z0-9_]+)\(.*/\1: \2/p' >"$scratch/wrong"
if [ -s "$scratch/wrong" ]; then fail "static functions carry no mls_" "$scratch/wrong"; else pass; fi

# Only the tool prints, exits or aborts, except the default handler for memory that runs out.
grep -nE '\<(printf|puts|putchar|exit|_exit|abort|perror)\(' src/*/*.c src/*/*/*.c | grep -v -e '^src/cli/' -e '^src/base/memory.c:' |
    grep -vE '^[^:]*:[0-9]*:( \*|/\*)' >"$scratch/wrong"
if [ -s "$scratch/wrong" ]; then fail "the library never prints or exits" "$scratch/wrong"; else pass; fi

# Only base/memory allocates; it never returns NULL. The log writer returns an error instead.
grep -nE '(^|[^_a-z])(malloc|calloc|realloc|strdup|strndup)\([^)]' src/*/*.c src/*/*/*.c |
    grep -v -e '^src/base/memory.c:' -e '^src/log/writer.c:' >"$scratch/wrong"
if [ -s "$scratch/wrong" ]; then fail "memory comes from base/memory" "$scratch/wrong"; else pass; fi

# A JSON object in a data file has no duplicate member, as only one of them would be read.
awk -F '"' '/^ "[^"]*": / && seen[FILENAME, $2]++ == 1 { print FILENAME ": " $2 }' src/data/*.json >"$scratch/wrong"
if [ -s "$scratch/wrong" ]; then fail "no data file has a member twice" "$scratch/wrong"; else pass; fi
finish
