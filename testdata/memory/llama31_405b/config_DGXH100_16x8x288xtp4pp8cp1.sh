# SPDX-License-Identifier: Apache-2.0
# Half of tp and no cp on a quarter of the GPUs that it was made for: does not fit.
export MODEL_SIZE="405b"
export MINIBS=288
export MICRO_BATCH_SIZE=1
export TENSOR_MODEL_PARALLEL=4
export PIPELINE_MODEL_PARALLEL=8
export INTERLEAVED_PIPELINE=8
export CONTEXT_PARALLEL=1
export ASYM_PP_EMBED=True
export ASYM_PP_LOSS=True
export FP8=True
export FP8_PARAM_GATHER=True
export DGXNNODES=16
export DGXNGPU=8
