# SPDX-License-Identifier: Apache-2.0
# Sourced after tests/count.sh by tests that need a clean Debian system. debootstrap installs it (from MIRROR, if set)
# below ROOTS (build/roots), where it is kept for the next time.
folder=${ROOTS:-build/roots}
[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null 2>&1 || {
    echo "clean roots are made by root, with debootstrap (Debian: debootstrap): nothing is tested"
    skip
    finish
}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# clean_root SUITE NAME: make $copy a new copy of the clean system; fail if that is not possible.
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
    # A mirror may be older than the week after which the lists of testing expire.
    echo 'Acquire::Check-Valid-Until "false";' >"$copy/etc/apt/apt.conf.d/10mirror"
}

# inside COMMAND: run a command in $copy with its own mounts and processes; its output is in $scratch/log.
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
