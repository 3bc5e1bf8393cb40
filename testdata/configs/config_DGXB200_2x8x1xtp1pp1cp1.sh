# SPDX-License-Identifier: Apache-2.0
# Says something else than its name, on purpose.
export DGXNNODES=4
export DGXNGPU=8
export MINIBS=2
export TENSOR_MODEL_PARALLEL=2
export PIPELINE_MODEL_PARALLEL=3
export DGXSYSTEM=DGXB200_2x8x1xtp1pp1cp1
export SEGMENT=3
export WALLTIME_RUNANDTIME=60
export WALLTIME=00:45:00
export CUDA_LAUNCH_BLOCKING=1
export NCCL_IB_DISABLE=1
export NCCL_DEBUG=TRACE
export NCCL_SOCKET_IFNAME=lo
export PYTORCH_NO_CUDA_MEMORY_CACHING=1
