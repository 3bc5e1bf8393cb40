#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_install.sh BUILD
# Installs into a temporary DESTDIR and uses what is there: the program runs,
# a C program builds with the installed headers and mlscore.pc, C++ reads the
# headers, and every man page and completion has its place.
. tests/count.sh
build=$1
prefix=/opt/a
d=$scratch/dest
unset BINDIR LIBDIR INCLUDEDIR MANDIR DATADIR DESTDIR MAKEFLAGS MFLAGS MAKELEVEL
check "make install" make --no-print-directory install DESTDIR="$d" PREFIX=$prefix FLAVOUR="${build##*/}"
check "the installed program runs" "$d$prefix/bin/mlscore" --version
for header in include/mlscore/*.h; do
    check "installed header ${header##*/}" cmp "$header" "$d$prefix/include/mlscore/${header##*/}"
done
for page in man/man*/*.[1-8]; do
    [ ! -f "$page" ] || check "installed ${page}" cmp "$page" "$d$prefix/share/man/man${page##*.}/${page##*/}"
done
installed_completion() { check "installed completion $1" cmp "completions/$1" "$d$prefix/share/$2"; }
if [ -d completions ]; then
    installed_completion mlscore.bash bash-completion/completions/mlscore
    installed_completion _mlscore zsh/site-functions/_mlscore
    installed_completion mlscore.fish fish/vendor_completions.d/mlscore.fish
fi
# A page for the program and one for each command that its own help lists.
commands=$("$d$prefix/bin/mlscore" help | sed -n 's/^  *\([a-z][a-z]*\)  .*/\1/p' | grep -v -x -e help -e completion)
check "the program lists its commands" test -n "$commands"
if [ -f man/man1/mlscore.1 ]; then
    for page in mlscore $(printf 'mlscore-%s\n' $commands); do
        check "there is a man page $page(1)" test -s "$d$prefix/share/man/man1/$page.1"
    done
else
    skip
fi

export PKG_CONFIG_PATH="$d$prefix/lib/pkgconfig"
cat >"$scratch/use.c" <<'END'
#include <mlscore/base.h>
#include <stdio.h>
int main(void)
{
    mls_finding_code code;
    return !mls_finding_code_from_name(MLS_S("malformed"), &code) || puts(mls_finding_info_get(code)->name) < 0;
}
END
flags=$(pkg-config --define-variable=prefix="$d$prefix" --cflags --libs mlscore) || flags=
check "mlscore.pc is found" test -n "$flags"
check "a C program builds with it" ${CC:-cc} -std=c17 -Wall -Wextra -Wpedantic -Werror -o "$scratch/use" "$scratch/use.c" $flags
check "and runs" "$scratch/use"
# Moved to where it is, as a package manager would, for who knows only pkg-config.
sed -i "s|^prefix=.*|prefix=$d$prefix|" "$PKG_CONFIG_PATH/mlscore.pc"
for page in man/man*/*.3; do
    check "the programs of $page" sh tests/run_examples.sh "$build" "$page"
done
check "its version is the program's" test "mlscore $(pkg-config --modversion mlscore)" = "$("$d$prefix/bin/mlscore" --version | head -n 1)"
cxx=$(command -v g++ || command -v clang++) || cxx=
for header in "$d$prefix"/include/mlscore/*.h; do
    name=${header##*/}
    # A header may define nothing but constants.
    printf '%s\n' "#include <mlscore/$name>" 'typedef int nothing;' >"$scratch/one.c"
    # Tables are no headers of their own: they want, or are, a macro.
    case $name in *_table.h) printf '%s\n' '#define MLS_FINDING(a, b, c)' '#define MLS_KEY(a, b)' \
        "#include <mlscore/$name>" 'typedef int nothing;' >"$scratch/one.c" ;; esac
    check "$name stands alone in C" ${CC:-cc} -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$d$prefix/include" "$scratch/one.c"
    if [ -n "$cxx" ]; then
        cp "$scratch/one.c" "$scratch/one.cc"
        check "$name stands alone in C++" "$cxx" -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$d$prefix/include" "$scratch/one.cc"
    else
        skip
    fi
done
finish
