# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: start a Slurm cluster of two nodes with accounting on this machine, in the folder $cluster. The
# system's own Slurm, munge and MariaDB are neither used nor changed.

# Process ID and start time of each started process; process IDs are reused.
started=

started_at() { # PID: when it started, in clock ticks; nothing when there is none
    sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20
}

# start NAME COMMAND…: start a command in the background, with its output in the log NAME.
start() {
    start_name=$1
    shift
    setsid "$@" >"$cluster/$start_name.log" 2>&1 </dev/null &
    started="$! $(started_at $!) $start_name
$started"
}

# End all jobs and processes, newest first: ask, and kill after 20 seconds.
cluster_stop() {
    if [ "${SLURM_CONF:-}" = "$cluster/slurm.conf" ] && sinfo >/dev/null 2>&1; then
        scancel -u root
        until_true 20 no_jobs
    fi
    printf '%s' "$started" | while read -r pid at name; do
        [ "$(started_at "$pid")" = "$at" ] || continue
        kill "$pid"
        stop_tries=0
        while [ "$(started_at "$pid")" = "$at" ] && [ "$(state_of "$pid")" != Z ]; do
            stop_tries=$((stop_tries + 1))
            [ "$stop_tries" -lt 200 ] || kill -9 "$pid"
            sleep .1
        done
    done
    started=
}

no_jobs() { [ -z "$(squeue -h)" ]; }
state_of() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -c 1; }

# until_true SECONDS COMMAND…: repeat a command until it succeeds; report a failure after that time.
until_true() {
    until_most=$(($(date +%s) + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        if [ "$(date +%s)" -ge "$until_most" ]; then
            echo "this never came to be: $*" >&2
            return 1
        fi
        sleep .1
    done
}

# Print an unused port, a different one each time.
next_port=$((20000 + $$ % 20000))
free_port() {
    while next_port=$((next_port + 1)); (exec 3<>"/dev/tcp/127.0.0.1/$next_port") 2>/dev/null; do :; done
    echo "$next_port"
}

cluster_write() {
    host=$(hostname -s)
    socket=$cluster/munge/socket
    for name in munge mysql state spool log; do mkdir -m 700 "$cluster/$name"; done
    head -c 1024 /dev/urandom >"$cluster/munge/key"
    chmod 400 "$cluster/munge/key"
    next_port=$(free_port) && mysql_port=$next_port
    next_port=$(free_port) && dbd_port=$next_port
    next_port=$(free_port) && control_port=$next_port
    next_port=$(free_port) && node_port=$next_port
    next_port=$(free_port)
    cat >"$cluster/slurm.conf" <<END
ClusterName=mlscore
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort=$control_port
AuthType=auth/munge
AuthInfo=socket=$socket
CredType=cred/munge
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$dbd_port
AccountingStoragePass=$socket
AccountingStoreFlags=job_comment
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool/%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.%n.pid
SlurmctldLogFile=$cluster/log/slurmctld
SlurmdLogFile=$cluster/log/slurmd.%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
MpiDefault=none
SwitchType=switch/none
PropagateResourceLimits=NONE
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
JobCompType=jobcomp/filetxt
JobCompLoc=$cluster/log/jobcomp
KillWait=2
CompleteWait=0
MaxArraySize=2001
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
Epilog=$cluster/epilog.sh
NodeName=n[1-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$node_port-$next_port] CPUs=2 RealMemory=1024
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
    echo "CgroupAutomount=no" >"$cluster/cgroup.conf"
    cat >"$cluster/slurmdbd.conf" <<END
AuthType=auth/munge
AuthInfo=socket=$socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=$dbd_port
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=$mysql_port
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm
LogFile=$cluster/log/slurmdbd
PidFile=$cluster/slurmdbd.pid
END
    chmod 600 "$cluster/slurmdbd.conf"
    printf '#!/bin/sh\n' >"$cluster/epilog.sh"
    chmod 755 "$cluster/epilog.sh"
}

cluster_start() {
    cluster_write || return 1
    export SLURM_CONF="$cluster/slurm.conf"
    mariadb-install-db --no-defaults --user=root --datadir="$cluster/mysql" --auth-root-authentication-method=normal \
        --skip-test-db >"$cluster/log/install" 2>&1 || return 1
    start mariadbd mariadbd --no-defaults --user=root --datadir="$cluster/mysql" --port="$mysql_port" \
        --bind-address=127.0.0.1 --socket="$cluster/mysql.sock" --pid-file="$cluster/mysql.pid" --skip-log-bin \
        --innodb-flush-log-at-trx-commit=0 --innodb-lock-wait-timeout=900
    start munged munged --foreground --force --key-file="$cluster/munge/key" --socket="$socket" \
        --seed-file="$cluster/munge/seed" --log-file="$cluster/munge/log" --pid-file="$cluster/munge/pid"
    until_true 120 mariadb -S "$cluster/mysql.sock" -u root -e 'select 1' &&
        mariadb -S "$cluster/mysql.sock" -u root -e "create database slurm;
            create user slurm@'127.0.0.1' identified by 'slurm';
            create user slurm@localhost identified by 'slurm';
            grant all on slurm.* to slurm@'127.0.0.1'; grant all on slurm.* to slurm@localhost" || return 1
    until_true 30 munge -S "$socket" -n || return 1
    start slurmdbd slurmdbd -D
    until_true 120 sacctmgr -n show cluster && sacctmgr -i add cluster mlscore >/dev/null || return 1
    start slurmctld slurmctld -D
    start slurmd1 slurmd -D -N n1
    start slurmd2 slurmd -D -N n2
    until_true 120 all_idle
}

all_idle() { [ "$(sinfo -h -o '%D %T')" = "2 idle" ]; }
