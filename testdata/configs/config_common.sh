# SPDX-License-Identifier: Apache-2.0
# Shared by the configs of this folder.
export DGXRUNSPERJOB=${DGXRUNSPERJOB:-1}
: "${CONT:=mlperf_trainingv5.0}"
: "${LOGDIR:=./results}"
export MODEL="llama2-70b"   DATASET='scrolls gov report'
export OMP_NUM_THREADS=8
export NCCL_SHARP_GROUP_SIZE_THRESH=2 \
       NCCL_TEST=1
HYDRA=""
