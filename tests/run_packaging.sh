#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_packaging.sh BUILD
# Check the recipes in packaging/: version, syntax if the tools are installed, and that they contain all files that make
# install installs. make check-deb tests the packages themselves.
. tests/count.sh
build=$1
version=$(sed -n 's/^#define MLS_VERSION "\(.*\)"$/\1/p' include/mlscore/version.h)
debian=packaging/debian
spec=packaging/rpm/mlscore.spec
spack=packaging/spack/spack_repo/mlscore/packages

check "there is a version of three numbers" sh -c 'echo "$1" | grep -q -x "[0-9]*\.[0-9]*\.[0-9]*"' - "$version"
check "Debian's packages are of this version" sh -c 'head -n 1 "$1" | grep -q "^mlscore ($2-[0-9a-z.]*) "' - "$debian/changelog" "$version"
check "the RPM is of this version" grep -q -x "Version: *$version" "$spec"
check "its last change is" sh -c 'grep "^\* " "$1" | head -n 1 | grep -q -e "- $2-"' - "$spec" "$version"
check "Spack's recipe has this version" grep -q "^    version(\"$version\"" "$spack/mlscore/package.py"
check "CHANGELOG.md tells of it first" sh -c 'grep "^## " CHANGELOG.md | head -n 1 | grep -q -x -F "## $1"' - "$version"

# Exported names stay: Debian's symbols file has the version that introduced each name.
cat include/mlscore/*.h | sed -e ':a' -e '/\\$/{N; s/\\\n//; ba' -e '}' -e '/^#/d' | tr '\n' ' ' |
    sed 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/| |g' >"$scratch/headers"
sed 's/typedef [^;{]*;//g' "$scratch/headers" | grep -o -E '\<mls_[a-z_]+\(' | tr -d '(' | sort -u >"$scratch/declared"
sed -n 's/^ \(mls_[a-z_]*\)@Base [0-9.]*$/\1/p' "$debian/libmlscore0.symbols" >"$scratch/listed"
diff "$scratch/listed" "$scratch/declared" >"$scratch/wrong"
if [ -s "$scratch/declared" ] && [ ! -s "$scratch/wrong" ]; then pass; else
    fail "$debian/libmlscore0.symbols lists what the headers declare, in order" "$scratch/wrong"
fi

# A type that no function returns is useless as an argument.
for type in $(grep -o 'typedef struct \(mls_[a-z_]*\) \1;' "$scratch/headers" | sed 's/.* \(.*\);/\1/'); do
    check "a public function makes or hands out $type" \
        grep -q -E "[^a-z_]$type \*(\*|mls_[a-z_]*\()|typedef mls_status mls_[a-z_]*\([^)]*[^a-z_]$type \*" "$scratch/headers"
done

# Each installed file is in a package, and each file of a package is installed.
unset BINDIR LIBDIR INCLUDEDIR MANDIR DATADIR DESTDIR MAKEFLAGS MFLAGS MAKELEVEL
check "make install" make --no-print-directory install DESTDIR="$scratch/dest" PREFIX=/usr LIBDIR=/usr/lib/machine FLAVOUR="${build##*/}"
(cd "$scratch/dest" && find . ! -type d | sed 's|^\./||') >"$scratch/installed"

# packed PATTERNS: compare the files with patterns; a pattern of a folder matches all files in it.
packed() {
    : >"$scratch/wrong"
    while read -r file; do
        while read -r pattern; do
            case $file in $pattern | $pattern/*) continue 2 ;; esac
        done <"$1"
        echo "$file is in no package" >>"$scratch/wrong"
    done <"$scratch/installed"
    while read -r pattern; do
        while read -r file; do
            case $file in $pattern | $pattern/*) continue 2 ;; esac
        done <"$scratch/installed"
        echo "$pattern is not installed" >>"$scratch/wrong"
    done <"$1"
}
# The rules move zsh's completion to Debian's folder.
cat "$debian"/*.install | sed 's|zsh/vendor-completions|zsh/site-functions|' >"$scratch/patterns"
packed "$scratch/patterns"
if [ -s "$scratch/patterns" ] && [ ! -s "$scratch/wrong" ]; then pass; else fail "Debian's packages have what is installed" "$scratch/wrong"; fi

if command -v rpmspec >/dev/null 2>&1; then
    check "the spec is read" rpmspec -P --define '_libdir /usr/lib/machine' "$spec"
    sed -n '/^%changelog/,$d; s|^/\([^ ]*[^/ ]\)/*$|\1|p' "$scratch/check.out" >"$scratch/patterns"
    packed "$scratch/patterns"
    if [ -s "$scratch/patterns" ] && [ ! -s "$scratch/wrong" ]; then pass; else fail "the RPMs have what is installed" "$scratch/wrong"; fi
else
    skip
    skip
fi
if command -v rpmlint >/dev/null 2>&1; then
    check "rpmlint has nothing to say" sh -c 'rpmlint -r packaging/rpm/mlscore.rpmlintrc "$1" | grep " 0 errors, 0 warnings"' - "$spec"
else
    skip
fi
for recipe in "$spack"/*/package.py; do
    if command -v python3 >/dev/null 2>&1; then
        check "$recipe is Python" python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$recipe"
    else
        skip
    fi
done
for script in packaging/*.sh; do check "$script is a script" sh -n "$script"; done
finish
