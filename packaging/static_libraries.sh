#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: static_libraries.sh ARCH CC FOLDER
# Puts the archives and headers that `make static` links with into FOLDER/lib
# and FOLDER/include: those of Debian's packages for ARCH (x86_64 or aarch64),
# and cJSON and cmocka, which have no archive there, built from Debian's
# sources.  Neither root nor an installed package of ARCH is needed: apt works
# with lists of its own in FOLDER/apt.
set -eu
arch=$1 cc=$2 folder=$3
case $arch in
x86_64) debian=amd64 ;;
aarch64) debian=arm64 ;;
*) echo "static_libraries.sh: no Debian architecture is known for $arch" >&2 && exit 1 ;;
esac
for tool in apt-get dpkg-deb dpkg-source; do
    command -v "$tool" >/dev/null || {
        echo "make static needs $tool (Debian: dpkg-dev), or STATIC_LIBS=folder with lib/*.a and include/" >&2
        exit 1
    }
done
rm -rf "$folder"
mkdir -p "$folder/lib" "$folder/include/cjson" "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/apt/parts"
folder=$(cd "$folder" && pwd)
cd "$folder/apt"

# Where this machine has its packages from, as one line each, with the sources of the same.
list() {
    apt-get indextargets --format '$(ORIGIN)|$(SIGNED_BY)|$(SITE)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)' 'Identifier: Packages' |
        awk -F '|' '$1 == "Debian" || $1 == "Ubuntu" {
            key = $2 ~ "^/" ? "[signed-by=" $2 "] " : ""
            print "deb " key $4, $5, $6
            print "deb-src " key $4, $5, $6 }' | sort -u
}
list >sources
[ -s sources ] || {
    echo "apt knows no packages; run 'apt-get update'" >&2
    exit 1
}
apt() {
    apt-get -qq -o Dir::Etc::sourcelist="$PWD/sources" -o Dir::Etc::sourceparts="$PWD/parts" -o Dir::State::lists="$PWD/lists" \
        -o Dir::State::status=/dev/null -o Dir::Cache="$PWD" -o APT::Architecture="$debian" \
        -o APT::Architectures::="$debian" -o APT::Sandbox::User="$(id -un)" "$@"
}
apt update
apt download libpcre2-dev libcsv-dev zlib1g-dev
apt source --download-only cjson cmocka 2>/dev/null
for package in ./*.deb; do dpkg-deb -x "$package" root; done
for source in cjson cmocka; do dpkg-source --no-check -x "$source"_*.dsc "$source" >/dev/null; done

cp -r root/usr/include/. "$folder/include"
[ ! -d "root/usr/include/$arch-linux-gnu" ] || cp -r "root/usr/include/$arch-linux-gnu/." "$folder/include"
cp root/usr/lib/"$arch"-linux-gnu/*.a cjson/LICENSE "$folder/lib"
cp cjson/cJSON.h "$folder/include/cjson"
cp cmocka/include/cmocka*.h "$folder/include"
$cc -O2 -c -o cjson.o cjson/cJSON.c
$cc -O2 -w -D_GNU_SOURCE -DHAVE_SIGNAL_H -DHAVE_INTTYPES_H -DHAVE_STRINGS_H -DHAVE_UNISTD_H -DHAVE_MALLOC_H -DHAVE_TIME_H \
    -DHAVE_SYS_TYPES_H -DHAVE_SYS_STAT_H -DHAVE_STRUCT_TIMESPEC -DHAVE_CLOCK_GETTIME_REALTIME -DHAVE_GCC_THREAD_LOCAL_STORAGE \
    -Icmocka/include -c -o cmocka.o cmocka/src/cmocka.c
"${AR:-ar}" rcs "$folder/lib/libcjson.a" cjson.o
"${AR:-ar}" rcs "$folder/lib/libcmocka.a" cmocka.o
cd "$folder"
rm -rf apt
