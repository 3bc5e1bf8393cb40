#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_testdata.sh BUILD
# Check that the generator of test data writes testdata/slurm, testdata/logs and testdata/submission without changes.
. tests/count.sh
build=$1
mkdir -p "$scratch/new/slurm" "$scratch/new/logs" "$scratch/new/submission" "$scratch/new/throughput"
check "testdata: the generator runs" "$build/testdata-generator" "$scratch/new"
check "testdata/slurm is what the generator writes" diff -rq testdata/slurm "$scratch/new/slurm"
check "testdata/logs is what the generator writes" diff -rq testdata/logs "$scratch/new/logs"
check "testdata/submission is what the generator writes" diff -rq testdata/submission "$scratch/new/submission"
check "testdata/throughput is what the generator writes" diff -rq testdata/throughput "$scratch/new/throughput"
# testdata/README.md explains each file.
for file in testdata/slurm/* testdata/logs/* testdata/throughput/*.log; do
    name=${file##*/}
    case $name in
    250419104520_*.log) name=250419104520_1.log ;;
    esac
    check "testdata/README.md explains $name" grep -qF "\`$name\`" testdata/README.md
done
finish
