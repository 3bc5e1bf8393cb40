/* SPDX-License-Identifier: Apache-2.0 */
/* memory_table.h - the settings of a memory estimate, and the items of memory.
 *
 * MLS_MEMORY_SETTINGS(S) expands to S(ID, use, option, kind, argument, help) for each setting, in the order of --help.
 * The kinds are those of mls_memory_setting_row.  The value of a setting of kind WORD is the index of the word in
 * `argument`, from 0. */
#pragma once

#define MLS_MEMORY_SETTINGS(S)                                                                                           \
    S(MODEL, BOTH, "model", NAME, "MODEL",                                                                               \
      "model name, Hugging Face config.json or its folder, or a JSON object of sizes")                                   \
    S(GPU, BOTH, "gpu", NAME, "NAME", "GPU model: H100, GB200, MI300X …")                                                \
    S(CAPACITY, BOTH, "capacity", SIZE, "SIZE", "memory per GPU if its model is not known: 79.1GiB, 80GB, or bytes")     \
    S(GPUS, BOTH, "gpus", NUMBER, "N", "total number of GPUs (default: as many as one copy of the model uses)")          \
    S(GPUS_PER_NODE, TRAINING, "gpus-per-node", NUMBER, "N",                                                             \
      "training: GPUs per node, the limit of suggested tp (default: 8)")                                                 \
    S(TP, BOTH, "tp", NUMBER, "N", "tensor parallel size (default: 1)")                                                  \
    S(PP, BOTH, "pp", NUMBER, "N", "pipeline parallel size (default: 1)")                                                \
    S(CP, TRAINING, "cp", NUMBER, "N", "training: context parallel size (default: 1)")                                   \
    S(EP, TRAINING, "ep", NUMBER, "N", "training: expert parallel size (default: 1)")                                    \
    S(VP, TRAINING, "vp", NUMBER, "N", "training: virtual pipeline chunks per stage (default: 1)")                       \
    S(LAYOUT, TRAINING, "pipeline-layout", NAME, "LAYOUT",                                                               \
      "training: layers of each pipeline chunk in Megatron's notation: Et*4|(t*4|)*14tmL")                               \
    S(PRECISION, BOTH, "precision", NAME, "TYPE",                                                                        \
      "precision of the weights: bf16, fp8, nvfp4, int4 …, or a GGUF type such as Q4_K_M (default: as in the model's " \
      "file, else bf16)")                                                                                                \
    S(RUNTIME, BOTH, "runtime", SIZE, "SIZE", "memory for CUDA context and communication buffers (default: 1GiB)")       \
    S(CONTEXT, INFERENCE, "context", WHOLE, "N", "inference: tokens per user, 131072 or 128k (default: 0)")              \
    S(USERS, INFERENCE, "users", NUMBER, "N", "inference: concurrent users (default: 1)")                                \
    S(KV_PRECISION, INFERENCE, "kv-precision", WORD, "fp32|fp16|bf16|fp8|int8|mxfp8|nvfp4|mxfp4|fp4|int4",               \
      "inference: precision of the KV cache (default: as in the model's file, else the weight precision if it has 16 "   \
      "or 32 bits, else bf16)")                                                                                          \
    S(PREFILL, INFERENCE, "prefill", NUMBER, "N", "inference: tokens processed at once (default: 8192)")                 \
    S(UTILIZATION, INFERENCE, "gpu-memory-utilization", SHARE, "SHARE",                                                  \
      "inference: share of the GPU's memory that the server may use, as in vLLM")                                        \
    S(CUDA_GRAPHS, INFERENCE, "cuda-graphs", SIZE, "SIZE", "inference: memory of captured CUDA graphs (default: 0)")     \
    S(OFFLOAD, INFERENCE, "offload", FLAG, NULL,                                                                         \
      "inference: allow the part that does not fit to be placed in host memory")                                         \
    S(LINK, INFERENCE, "link", NAME, "NAME",                                                                             \
      "link to host memory: nvlink-c2c, pcie5, pcie4, pcie3 (default: the GPU's)")                                       \
    S(TRAIN, BOTH, "train", FLAG, NULL, "estimate training instead of inference")                                        \
    S(FRAMEWORK, TRAINING, "framework", WORD, "megatron|torch", "training: framework (default: megatron)")               \
    S(SEQUENCE, TRAINING, "sequence", NUMBER, "N", "training: tokens per sequence (default: the model's)")               \
    S(MICRO_BATCH, TRAINING, "micro-batch", NUMBER, "N", "training: sequences per micro-batch (default: 1)")             \
    S(ACCUMULATION, TRAINING, "accumulation", NUMBER, "N", "training: micro-batches per step (default: 1)")              \
    S(ZERO, TRAINING, "zero", NAME, "STAGE",                                                                             \
      "training: what data parallel GPUs shard: 0 nothing, 1 optimizer, 2 also gradients, 3 also weights (default: "     \
      "1)")                                                                                                              \
    S(FSDP, TRAINING, "fsdp", WORD, "no_shard|shard_grad_op|full_shard|hybrid_shard",                                    \
      "training: sharding by the names of PyTorch's FSDP")                                                               \
    S(BUCKET_VIEW, TRAINING, "bucket-view", FLAG, NULL,                                                                  \
      "training: gradients are views of DDP's buckets (gradient_as_bucket_view), not copies")                            \
    S(RECOMPUTE, TRAINING, "recompute", NAME, "HOW",                                                                     \
      "training: activation recomputation: none, selective, full, or full:N layers (default: none)")                     \
    S(SEQUENCE_PARALLEL, TRAINING, "sequence-parallel", FLAG, NULL,                                                      \
      "training: use sequence parallelism (default if tp > 1)")                                                          \
    S(NO_SEQUENCE_PARALLEL, TRAINING, "no-sequence-parallel", FLAG, NULL, "training: do not use sequence parallelism")   \
    S(GRAD_PRECISION, TRAINING, "grad-precision", WORD, "fp32|bf16",                                                     \
      "training: precision of the gradients (default: fp32)")                                                            \
    S(MASTER, TRAINING, "master", WORD, "fp32|remainder|none",                                                           \
      "training: master weights (default: fp32); remainder: only the 16 bits that bf16 weights lack")                    \
    S(OPTIMIZER, TRAINING, "optimizer", WORD, "adam|sgd|none", "training: optimizer (default: adam)")                    \
    S(LORA, TRAINING, "lora", NAME, "RANK:TARGETS",                                                                      \
      "training: train only LoRA adapters of rank RANK for TARGETS, a list of q, k, v, qkv, o, gate, up, down")          \
    S(FP8, TRAINING, "fp8", FLAG, NULL, "training: compute linear layers in FP8")                                        \
    S(FP8_PARAMS, TRAINING, "fp8-params", FLAG, NULL, "training: store the weights of linear layers in FP8")             \
    S(FP4, TRAINING, "fp4", FLAG, NULL, "training: compute linear layers in NVFP4")                                      \
    S(FP8_ACTIVATIONS, TRAINING, "fp8-activations", FLAG, NULL,                                                          \
      "training: store the input of the activation function in FP8")                                                     \
    S(FP8_ATTENTION, TRAINING, "fp8-attention", FLAG, NULL, "training: store query, key and value in FP8")               \
    S(ATTENTION, TRAINING, "attention", WORD, "flash|unfused", "training: attention implementation (default: flash)")    \
    S(DROPOUT, TRAINING, "dropout", WORD, "off|on", "training: dropout (default: the model's setting)")                  \
    S(LOSS, TRAINING, "loss", WORD, "fused|eager|chunked",                                                               \
      "training: loss implementation (default: fused for megatron, eager for torch); chunked: computes the logits "      \
      "of only some tokens at a time")                                                                                   \
    S(VOCAB_MULTIPLE, TRAINING, "vocab-multiple", NUMBER, "N",                                                           \
      "training: pad the vocabulary to a multiple of N x tp (default: 128 for megatron, 1 for torch)")                   \
    S(EMBED_SLOT, TRAINING, "embed-slot", FLAG, NULL,                                                                    \
      "training: count the embedding as one layer when splitting the pipeline")                                          \
    S(LOSS_SLOT, TRAINING, "loss-slot", FLAG, NULL,                                                                      \
      "training: count the loss as one layer when splitting the pipeline")                                               \
    S(OFFLOAD_LAYERS, TRAINING, "offload-layers", WHOLE, "N",                                                            \
      "training: layers whose activations are offloaded to the host (default: 0)")                                       \
    S(STEP_COPY, TRAINING, "step-copy", FLAG, NULL,                                                                      \
      "training: count a copy of the gradients during the optimizer step, as PyTorch's foreach optimizers make")

/* The words of PRECISION, in the order of mls_number_kind; all words after mixed are types of GGUF. */
#define MLS_MEMORY_PRECISIONS                                                                                          \
    "fp32|fp16|bf16|fp8|int8|mxfp8|nvfp4|mxfp4|fp4|int4|amp|mixed|Q4_0|Q4_1|Q5_0|Q5_1|Q8_0|Q2_K|Q3_K_S|Q3_K_M|Q3_K_L|" \
    "Q4_K_S|Q4_K_M|Q5_K_S|Q5_K_M|Q6_K"

/* Settings that do not have an option of their own: --recompute full:N and --lora RANK:TARGETS set them. */
#define MLS_MEMORY_PARTS(S)                                                                                            \
    S(RECOMPUTE_LAYERS, TRAINING, "recompute-layers", NUMBER, NULL, "")                                                \
    S(LORA_TARGETS, TRAINING, "lora-targets", NUMBER, NULL, "")

/* I(ID, use, name, sentence): an item of the estimate; `use` is INFERENCE, TRAINING or BOTH. */
#define MLS_MEMORY_ITEMS(I)                                                                                            \
    I(WEIGHTS, BOTH, weights, "the parameters of the model on this GPU")                                               \
    I(TOWERS, INFERENCE, towers, "vision and audio encoders")                                                          \
    I(KV_CACHE, INFERENCE, kv_cache, "keys and values of all tokens of all users")                                     \
    I(STATE, INFERENCE, state, "state of fixed size per user, of layers without keys and values")                      \
    I(CUDA_GRAPHS, INFERENCE, cuda_graphs, "captured CUDA graphs")                                                     \
    I(GRADIENTS, TRAINING, gradients, "one value per trained parameter")                                               \
    I(OPTIMIZER, TRAINING, optimizer, "master weights and moments")                                                    \
    I(GATHERED, TRAINING, gathered, "buckets of gradients (DDP), or gathered weights and gradients (FSDP)")            \
    I(ACTIVATIONS, TRAINING, activations, "activations kept for the backward pass")                                    \
    I(RECOMPUTE, TRAINING, recompute, "the layer that is being recomputed or fetched")                                 \
    I(LOGITS, TRAINING, logits, "logits and their gradient")                                                           \
    I(WORKING, BOTH, working, "temporary memory of the current layer")                                                 \
    I(STEP, TRAINING, step, "copy made by the optimizer's step")                                                       \
    I(RUNTIME, BOTH, runtime, "CUDA context and communication buffers")

/* A(ID, name, advice): advice that follows from the numbers of an out-of-memory message. */
#define MLS_OOM_ADVICE(A)                                                                                              \
    A(LARGER_THAN_GPU, "larger-than-gpu", "one allocation is larger than the GPU: only a smaller one helps")           \
    A(FREE_ENOUGH, "free-enough",                                                                                      \
      "more is free than was wanted, so a smaller job is not the first remedy: look for a limit (memory fraction, "    \
      "MIG, "                                                                                                          \
      "cgroup, ulimit -v) or another process, and try another node")                                                   \
    A(FRAGMENTED, "fragmented",                                                                                        \
      "reserved memory in pieces would have been enough: set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True")        \
    A(FRAGMENTED_STILL, "fragmented-still",                                                                            \
      "reserved memory in pieces would have been enough, and expandable_segments is set already: use fewer different " \
      "tensor sizes, or call torch.cuda.empty_cache() between phases")                                                 \
    A(OTHER_PROCESS, "other-process", "another process uses more than 5 % of the GPU: find it with nvidia-smi")        \
    A(MEMORY_FRACTION, "memory-fraction",                                                                              \
      "the process may not use the whole GPU: raise set_per_process_memory_fraction")                                  \
    A(CUDA_GRAPHS, "cuda-graphs",                                                                                      \
      "private pools, such as those of CUDA graphs, use more than 5 % of the GPU: capture fewer graphs, or share one " \
      "pool")                                                                                                          \
    A(HOST_MEMORY, "host-memory",                                                                                      \
      "the memory of the host ran out, not the GPU's: use fewer workers, less pinned memory, or a larger --mem")       \
    A(JAX_PREALLOCATION, "jax-preallocation",                                                                          \
      "JAX takes most of the GPU when it starts: set XLA_PYTHON_CLIENT_PREALLOCATE=false, or change "                  \
      "XLA_PYTHON_CLIENT_MEM_FRACTION")                                                                                \
    A(SHORTER_CONTEXT, "shorter-context",                                                                              \
      "the KV cache does not fit: raise gpu_memory_utilization, reduce the weights on each GPU (more shards, fewer "   \
      "bits), or, if a single sequence is too long, lower max_model_len")                                              \
    A(TOO_MUCH, "too-much",                                                                                            \
      "the job needs more memory than available: mlscore memory shows the items and what would fit")
