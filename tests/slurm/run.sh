#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh BUILD
# Run tests/slurm/*.test on a real Slurm of two nodes with accounting, as root (make check-slurm). A test is a shell
# script that uses $cluster (a folder that both nodes see), the functions of cluster.sh and those below, and calls pass,
# fail or check. It changes the cluster only by running jobs. All processes are ended in any case. If a package is
# missing, the tests are skipped with a message.
. tests/count.sh
build=$1
mlscore=$root/$build/mlscore
PATH=$root/$build:/usr/sbin:/usr/bin:/sbin:/bin
export mlscore
programs="slurmctld slurmd slurmdbd munged mariadbd mariadb-install-db sacctmgr sacct scontrol promtool"
for program in $programs; do
    command -v "$program" >/dev/null 2>&1 || missing="${missing:-} $program"
done
[ "$(id -u)" -eq 0 ] || why="it is for root alone"
[ -z "${missing:-}" ] || why="there is no$missing (packages slurm-wlm, slurmdbd, mariadb-server, munge, prometheus)"
if [ -n "${why:-}" ]; then
    echo "check-slurm is SKIPPED: $why"
    skip
    finish
fi
cluster=$scratch/cluster
mkdir "$cluster" "$cluster/jobs"
chmod 755 "$scratch" "$cluster"
. tests/slurm/cluster.sh
# count.sh removes the scratch folder at the end, after its last use.
trap 'cluster_stop; chmod -R u+rwx "$scratch" 2>/dev/null; rm -rf "$scratch"' EXIT

if ! cluster_start >"$scratch/start.log" 2>&1; then
    for log in "$cluster"/*.log "$cluster"/log/slurm*; do printf '== %s\n' "$log" && tail -n 5 "$log"; done >>"$scratch/start.log"
    fail "the cluster starts" "$scratch/start.log"
    finish
fi

# submit NAME [SBATCH-OPTION…] <SCRIPT: submit a job with the folder $cluster/jobs/NAME ($LOGDIR in the job); print its
# ID.
submit() {
    submit_name=$1
    shift
    mkdir -p "$cluster/jobs/$submit_name"
    { echo '#!/bin/bash' && echo "LOGDIR=$cluster/jobs/$submit_name" && cat; } >"$cluster/jobs/$submit_name.sh"
    sbatch --parsable -J "$submit_name" -o "$cluster/jobs/$submit_name/slurm-%j.out" "$@" "$cluster/jobs/$submit_name.sh"
}

# state_is JOB STATE: check the state in the newest row of accounting.
state_is() { [ "$(sacct -X -n -P --format=State -j "$1" | tail -n 1 | cut -d ' ' -f 1)" = "$2" ]; }

# ended JOB STATE: wait at most two minutes for that state.
ended() { until_true 120 state_is "$1" "$2"; }

# block REASON FILE: write the block of the manual that has a "no test" reason with that word.
block() {
    awk -v word="$1" '/^\.\\" no test: / { wanted = index($0, word) > 0 } /^\.EE/ { inside = 0 }
        inside { print } wanted && /^\.EX/ { inside = 1; wanted = 0 }' "$root/man/man1/mlscore-score.1" "$root/man/man5/mlscore-formats.5" |
        sed 's/\\-/-/g; s/\\e$/\\/; s/\\&//g' >"$2"
    [ -s "$2" ]
}

for test in "$root"/tests/slurm/*.test; do
    . "$test"
done
finish
