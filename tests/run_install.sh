#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_install.sh BUILD
# Install into a temporary DESTDIR and use the result: run the program, build programs in C, C++ and Python with the
# installed libraries, headers and mlscore.pc, and look for all manual pages and completions.
. tests/count.sh
build=$1
prefix=/opt/a
d=$scratch/dest
unset BINDIR LIBDIR INCLUDEDIR MANDIR DATADIR DESTDIR MAKEFLAGS MFLAGS MAKELEVEL
check "make install" make --no-print-directory install DESTDIR="$d" PREFIX=$prefix FLAVOUR="${build##*/}"
check "the installed program runs" "$d$prefix/bin/mlscore" --version
version=$("$d$prefix/bin/mlscore" --version | sed -n '1s/^mlscore //p')
check "the shared library has the program's version" test -f "$d$prefix/lib/libmlscore.so.$version"
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
# There is a page for the program and for each command in its help.
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
#include <mlscore/version.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    return puts(mls_version()) < 0 || strcmp(mls_version(), MLS_VERSION) != 0;
}
END
flags=$(pkg-config --define-variable=prefix="$d$prefix" --cflags --libs mlscore) || flags=
check "mlscore.pc is found" test -n "$flags"
check "a C program builds with it" ${CC:-cc} -std=c17 -Wall -Wextra -Wpedantic -Werror -o "$scratch/use" "$scratch/use.c" $flags
export LD_LIBRARY_PATH="$d$prefix/lib"
check "and runs" "$scratch/use"
needed() { readelf -d "$1" | grep -q "NEEDED.*\[$2\]"; }
check "with the shared library, by the first number of its version" needed "$scratch/use" "libmlscore.so.${version%%.*}"
static=$(pkg-config --static --define-variable=prefix="$d$prefix" --cflags --libs mlscore) || static=
check "a C program builds with the static library" ${CC:-cc} -std=c17 -Wall -Wextra -Wpedantic -Werror \
    -o "$scratch/alone" "$scratch/use.c" $(echo "$static" | sed "s|-lmlscore|$d$prefix/lib/libmlscore.a|")
check "and runs without the shared one" env -u LD_LIBRARY_PATH "$scratch/alone"

# The shared library exports exactly the names in the headers; run_packaging.sh compares its list with them.
sed -n 's/^ \(mls_[a-z_]*\)@Base .*/\1/p' packaging/debian/libmlscore0.symbols | sort -u >"$scratch/declared"
nm -D --defined-only "$d$prefix/lib/libmlscore.so" | sed 's/.* //' | sort -u >"$scratch/exported"
check "the shared library shows names" test -s "$scratch/exported"
check "the shared library shows what the headers declare" cmp "$scratch/declared" "$scratch/exported"

# A C++ program that is linked by hand.
cat >"$scratch/score.cc" <<'END'
#include <mlscore/mlscore.h>

#include <cstdio>
#include <memory>

int main(int argc, char **argv)
{
    mls_rules *rules = nullptr;
    mls_collection *found = nullptr;
    mls_error error;
    if (mls_rules_new(&rules, &error) != MLS_OK ||
        mls_collection_new(rules, argv + 1, static_cast<std::size_t>(argc - 1), &found, &error) != MLS_OK) {
        return std::fprintf(stderr, "%s\n", error.message), 1;
    }
    const std::unique_ptr<mls_rules, void (*)(mls_rules *)> rules_owner(rules, mls_rules_free);
    const std::unique_ptr<mls_collection, void (*)(mls_collection *)> owner(found, mls_collection_free);
    for (std::size_t i = 0; mls_collection_group(found, i) != nullptr; i++) {
        const mls_group *group = mls_collection_group(found, i);
        std::printf("%s %.3f %s\n", mls_group_benchmark(group), mls_group_scaled_minutes(group), mls_group_convergence(group));
    }
}
END
echo 'llama2_70b_lora 1.680 pass' >"$scratch/scored"
cxx=$(command -v g++ || command -v clang++) || cxx=
if [ -n "$cxx" ]; then
    check "a C++ program builds with it" "$cxx" -std=c++17 -Wall -Wextra -Werror -o "$scratch/score" "$scratch/score.cc" $flags
    "$scratch/score" testdata/slurm >"$scratch/printed" 2>&1
    check "and scores" cmp "$scratch/scored" "$scratch/printed"
else
    skip
    skip
fi
# Move the files to the prefix, as a package manager does, and build with pkg-config only: C programs and a Python
# program.
sed -i "s|^prefix=.*|prefix=$d$prefix|" "$PKG_CONFIG_PATH/mlscore.pc"
for page in man/man*/*.3; do
    check "the programs of $page" sh tests/run_examples.sh "$build" "$page"
done
check "its version is the program's" test "mlscore $(pkg-config --modversion mlscore)" = "$("$d$prefix/bin/mlscore" --version | head -n 1)"
for header in "$d$prefix"/include/mlscore/*.h; do
    name=${header##*/}
    echo "#include <mlscore/$name>" >"$scratch/one.c"
    echo 'typedef int nothing;' >>"$scratch/one.c"
    check "$name stands alone in C" ${CC:-cc} -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$d$prefix/include" "$scratch/one.c"
    if [ -n "$cxx" ]; then
        cp "$scratch/one.c" "$scratch/one.cc"
        check "$name stands alone in C++" "$cxx" -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$d$prefix/include" "$scratch/one.cc"
    else
        skip
    fi
done

# uninstall leaves only folders that other programs use too.
check "make uninstall" make --no-print-directory uninstall DESTDIR="$d" PREFIX=$prefix
find "$d" ! -type d >"$scratch/left"
find "$d" -type d -name mlscore >>"$scratch/left"
if [ -s "$scratch/left" ]; then fail "make uninstall leaves nothing" "$scratch/left"; else pass; fi

# The source archive. It needs a git repository.
if git rev-parse --verify -q HEAD >/dev/null 2>&1; then
    packed=build/mlscore-$version.tar.gz
    check "make dist" make --no-print-directory dist
    cp "$packed" "$scratch/first.tar.gz"
    check "make dist again" make --no-print-directory dist
    check "the same bytes twice" cmp "$scratch/first.tar.gz" "$packed"
    gzip -dc "$packed" | tar -tf - >"$scratch/files"
    check "with the Makefile in a folder of the version" grep -q "^mlscore-$version/Makefile\$" "$scratch/files"
else
    skip
    skip
    skip
    skip
fi
finish
