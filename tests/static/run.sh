#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh ARCH SUITE…
# Check build/static-ARCH: the program has no dependencies, is small, stripped, supports Linux 4.18, and prints what
# build/release/mlscore prints. Then run the suites (units, cases, replay) that make check-static built for ARCH, with
# qemu-user on another machine. CORPUS is a folder of logs for which check and score must not differ either.
. tests/count.sh
arch=$1
shift
build=build/static-$arch
program=$build/mlscore
run=
if [ "$(uname -m)" != "$arch" ]; then
    run=$(command -v "qemu-$arch-static") || {
        echo "qemu-$arch-static is not there (Debian: qemu-user-static): what is built for $arch is not run"
        skip
        finish
    }
fi

readelf -lnSW "$program" >"$scratch/elf" || fail "readelf reads it"
check "it is under 5 MB" test "$(wc -c <"$program")" -lt 5000000
check "it asks for no interpreter and no library" sh -c '! grep -E "INTERP|DYNAMIC|NEEDED" "$1"' - "$scratch/elf"
check "it is stripped" sh -c '! grep -E " \.(symtab|debug_info) " "$1"' - "$scratch/elf"
kernel=$(sed -n 's/.*OS: Linux, ABI: \([0-9.]*\).*/\1/p' "$scratch/elf" | head -n 1)
check "it runs on Linux 4.18 (it wants ${kernel:-nothing known})" \
    test "$(printf '%s\n4.18.0\n' "${kernel:-none}" | sort -V | tail -n 1)" = 4.18.0
if [ "$arch" = aarch64 ]; then
    awk '$1 == "LOAD" && $NF != "0x10000"' "$scratch/elf" >"$scratch/wrong"
    check "its segments suit pages of 64 KiB" test ! -s "$scratch/wrong" -a -s "$scratch/elf"
fi

# Compare output and status of a command by both programs.
same() {
    what=$1
    shift
    build/release/mlscore "$@" >"$scratch/ours" 2>&1
    echo "status $?" >>"$scratch/ours"
    $run "$program" "$@" >"$scratch/its" 2>&1
    echo "status $?" >>"$scratch/its"
    if cmp -s "$scratch/ours" "$scratch/its"; then pass; else
        diff "$scratch/ours" "$scratch/its" | head -n 20 >"$scratch/wrong"
        fail "$what: it prints the same" "$scratch/wrong"
    fi
}
check "it says that it is static" sh -c '"$@" --version | grep -q "^built for $0 Linux, static, "' "$arch" $run "$program"
same "score" score --format json testdata/slurm
if [ -n "${CORPUS:-}" ]; then
    for folder in "$CORPUS"/*/; do
        same "check $folder" check --format json "$folder"
        same "score $folder" score --format json "$folder"
    done
fi

# A root with the program and logs only: no /proc, /sys, /dev, no libraries.
if [ "$(id -u)" = 0 ]; then
    mkdir "$scratch/root"
    cp "$program" "$scratch/root/mlscore"
    cp -r testdata/slurm "$scratch/root/slurm"
    set -f
    inside=/mlscore
    [ -z "$run" ] || { cp "$run" "$scratch/root/qemu" && inside='/qemu /mlscore'; }
    build/release/mlscore score --format csv testdata/slurm | sed 's|testdata/||g' >"$scratch/ours"
    chroot "$scratch/root" $inside score --format csv slurm >"$scratch/its" 2>&1
    check "it scores in an empty root" cmp "$scratch/ours" "$scratch/its"
    set +f
else
    echo "not root: the empty root is left out"
    skip
fi

# The suites run the programs of a build folder, which are wrappers for qemu-user on another machine.
tests=$build
if [ -n "$run" ]; then
    tests=$scratch/build
    for path in "$build"/mlscore "$build"/unit/test_* "$build"/replay/fuzz_*; do
        case $path in *.d | *'*') continue ;; esac
        mkdir -p "$tests/$(dirname "${path#"$build"/}")"
        printf '#!/bin/sh\nexec %s %s/%s "$@"\n' "$run" "$root" "$path" >"$tests/${path#"$build"/}"
        chmod +x "$tests/${path#"$build"/}"
    done
fi
for suite; do
    # Replay does not need names of cases; cases need an absolute path of the program.
    MLSCORE=$tests/mlscore sh "tests/run_${suite%%:*}.sh" "$tests" $(echo "$suite" | sed -n 's/.*://p' | tr , ' ') \
        >"$scratch/out" 2>&1
    last=$(tail -n 1 "$scratch/out")
    sed '$d' "$scratch/out"
    echo "$arch $suite: $last"
    case $last in
    *' passed, 0 failed'*) pass ;;
    *) fail "$arch: $suite" ;;
    esac
done
finish
