#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: deb.sh SOURCES VERSION FOLDER
# Builds Debian's packages, source and binary, of SOURCES (what `make dist`
# wrote of VERSION) by packaging/debian, and leaves them in FOLDER.
set -eu
sources=$1 version=$2 folder=$3
for tool in dpkg-buildpackage dh; do
    command -v "$tool" >/dev/null || {
        echo "make deb needs $tool (Debian: dpkg-dev, debhelper)" >&2
        exit 1
    }
done
rm -rf "$folder"
mkdir -p "$folder"
cp "$sources" "$folder/mlscore_$version.orig.tar.gz"
cd "$folder"
tar -xzf "mlscore_$version.orig.tar.gz"
cd "mlscore-$version"
cp -r packaging/debian debian
packed=$(dpkg-parsechangelog -S Version)
[ "${packed%-*}" = "$version" ] || {
    echo "packaging/debian/changelog is of ${packed%-*}, the sources are of $version" >&2
    exit 1
}
# A build of its own, whatever this one was told to do.
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CPPFLAGS LDFLAGS PREFIX DESTDIR BINDIR LIBDIR INCLUDEDIR MANDIR DATADIR WERROR SANITIZE
dpkg-buildpackage -us -uc
