#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: deb.sh FOLDER VERSION
# Check the Debian packages that make deb built in FOLDER: lintian finds no errors or warnings. On a clean system, they
# can be installed, the program scores, a C program builds with the library, and nothing is left after removal.
. tests/count.sh
packages=$(cd "$1" && pwd) version=$2
if command -v lintian >/dev/null 2>&1; then
    lintian --tag-display-limit 0 "$packages"/*.changes >"$scratch/tags" 2>&1
    grep '^[EW]:' "$scratch/tags" >"$scratch/wrong"
    if [ -s "$scratch/wrong" ]; then fail "lintian" "$scratch/wrong"; else pass; fi
else
    echo "lintian is not there (Debian: lintian)"
    skip
fi

. tests/roots/root.sh
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
clean_root "$suite" "$suite-deb" || finish
mkdir "$copy/packages"
cp "$packages"/*.deb "$copy/packages"
cp -r testdata/slurm "$copy/slurm"
cat >"$copy/use.c" <<'EOF'
#include <mlscore/mlscore.h>
#include <string.h>
int main(void)
{
    return strcmp(mls_version(), MLS_VERSION) != 0;
}
EOF
# Dependencies are installed first, so that what is left afterwards belongs to the packages.
inside_checked "what they need is installed" '
    apt-get update -qq && apt-get install -y -qq --no-install-recommends gcc libc6-dev pkg-config
    for package in /packages/*.deb; do dpkg-deb -f "$package" Depends; done | tr , "\n" | sed "s/ *[(|].*//; s/ //g" |
        grep -v mlscore | sort -u | xargs apt-get install -y -qq --no-install-recommends'
list() {
    inside 'find / -xdev \( -path /proc -o -path /tmp -o -path /var/lib/dpkg -o -path /var/log -o -path /var/cache \) -prune -o \
        ! -name ld.so.cache -print | sort'
    cp "$scratch/log" "$1"
}
list "$scratch/before"
inside_checked "they are installed" 'dpkg -i $(ls /packages/*.deb | grep -v dbgsym)'
inside_checked "the program is of the version" "[ \"\$(mlscore --version | head -n 1)\" = 'mlscore $version' ]"
inside_checked "the program scores" 'mlscore score -q /slurm | grep -q "olympic mean 1.680 min"'
inside_checked "a program in C builds, with either library" 'cc -o /tmp/use /use.c $(pkg-config --cflags --libs mlscore) && /tmp/use &&
    cc -static-libgcc -o /tmp/alone /use.c $(pkg-config --cflags mlscore) -Wl,-Bstatic -lmlscore -Wl,-Bdynamic $(pkg-config --static --libs-only-l mlscore | sed s/-lmlscore//) && /tmp/alone'
inside_checked "they are removed" 'dpkg --purge mlscore libmlscore-dev libmlscore0'
list "$scratch/after"
diff "$scratch/before" "$scratch/after" >"$scratch/wrong"
if [ -s "$scratch/before" ] && [ ! -s "$scratch/wrong" ]; then pass; else fail "nothing of them is left" "$scratch/wrong"; fi
rm -rf "$copy"
finish
