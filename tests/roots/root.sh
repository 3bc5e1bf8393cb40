# SPDX-License-Identifier: Apache-2.0
# Sourced, after tests/count.sh, by tests that need a Debian where nothing else
# was ever installed: clean roots, below ROOTS (build/roots), where those that
# debootstrap made, from MIRROR where it is given, are kept for the next time.
folder=${ROOTS:-build/roots}
[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null 2>&1 || {
    echo "clean roots are made by root, with debootstrap (Debian: debootstrap): nothing is tested"
    skip
    finish
}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# clean_root SUITE NAME: $copy is a clean root of the suite, and was not there before; false where none can be made.
clean_root() {
    copy=$folder/$2
    rm -rf "$copy"
    if [ ! -e "$folder/$1/etc/debian_version" ]; then
        rm -rf "${folder:?}/$1" "$folder/$1.new"
        debootstrap --variant=minbase "$1" "$folder/$1.new" ${MIRROR:-} >"$scratch/log" 2>&1 &&
            mv "$folder/$1.new" "$folder/$1" || {
            fail "$1: debootstrap makes a root" "$scratch/log"
            return 1
        }
    fi
    cp -a "$folder/$1" "$copy"
    # A mirror may be a copy of some day: testing's lists are called expired after a week.
    echo 'Acquire::Check-Valid-Until "false";' >"$copy/etc/apt/apt.conf.d/10mirror"
}

# inside COMMAND: runs it in $copy, with mounts and processes that end with it; what it prints is in $scratch/log.
inside() {
    unshare --mount --pid --fork --kill-child sh -c '
        mount -t proc proc "$1/proc" && mount -t tmpfs -o mode=1777 tmpfs "$1/tmp" &&
            mount -t devpts -o newinstance,ptmxmode=0666 devpts "$1/dev/pts" &&
            mount --bind "$1/dev/pts/ptmx" "$1/dev/ptmx" &&
            exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive sh -c "$2"' \
        - "$copy" "$1" >"$scratch/log" 2>&1 </dev/null
}

# inside_checked NAME COMMAND
inside_checked() {
    if inside "$2"; then pass; else
        tail -n 60 "$scratch/log" >"$scratch/wrong"
        fail "$1" "$scratch/wrong"
        false
    fi
}
