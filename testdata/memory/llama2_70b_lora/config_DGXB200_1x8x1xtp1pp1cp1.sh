# SPDX-License-Identifier: Apache-2.0
# The whole model on each GPU: tight.  SEQ_PARALLEL is misspelt, and ACG null.
export MINIBS=1
export MBS=1
export TP=1
export PP=1
export CP=1
export SEQ_PARALLEL=perhaps
export FP8=True
export FP8_ACT=1
export ACG=null
export DGXNNODES=1
export DGXNGPU=8
