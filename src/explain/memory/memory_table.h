/* SPDX-License-Identifier: Apache-2.0 */
/* memory_table.h - the settings of a memory estimate, and the items of memory.
 *
 * MLS_MEMORY_SETTINGS(S) is S(ID, use, option, kind, argument, help), in the order of --help.  The value of a WORD is
 * its index in the argument, from 0. */
#pragma once

#define MLS_MEMORY_SETTINGS(S)                                                                                         \
    S(MODEL, BOTH, "model", NAME, "MODEL",                                                                             \
      "the model: a name, a Hugging Face config.json or its folder, or an object of sizes")                            \
    S(GPU, BOTH, "gpu", NAME, "NAME", "the GPU, for what it holds: H100, GB200, MI300X …")                             \
    S(CAPACITY, BOTH, "capacity", SIZE, "SIZE", "what one GPU holds, if it is another: 79.1GiB, 80GB, or bytes")       \
    S(GPUS, BOTH, "gpus", NUMBER, "N", "GPUs in all (as many as one copy of the model takes)")                         \
    S(GPUS_PER_NODE, TRAINING, "gpus-per-node", NUMBER, "N",                                                           \
      "GPUs of a node, beyond which tensor parallel is not proposed (8)")                                              \
    S(TP, BOTH, "tp", NUMBER, "N", "tensor parallel (1)")                                                              \
    S(PP, BOTH, "pp", NUMBER, "N", "pipeline parallel (1)")                                                            \
    S(CP, TRAINING, "cp", NUMBER, "N", "context parallel, when training (1)")                                          \
    S(EP, TRAINING, "ep", NUMBER, "N", "expert parallel, when training (1)")                                           \
    S(VP, TRAINING, "vp", NUMBER, "N", "virtual pipeline: chunks of layers a stage has (1)")                           \
    S(LAYOUT, TRAINING, "pipeline-layout", NAME, "LAYOUT",                                                             \
      "training: what each chunk of the pipeline has, as Megatron writes it: Et*4|(t*4|)*14tmL")                       \
    S(PRECISION, BOTH, "precision", NAME, "TYPE",                                                                      \
      "of the weights: bf16, fp8, nvfp4, int4 …, or of GGUF such as Q4_K_M (bf16, or as the model's file has them)")   \
    S(RUNTIME, BOTH, "runtime", SIZE, "SIZE", "CUDA context and communication buffers (1GiB)")                         \
    S(CONTEXT, INFERENCE, "context", WHOLE, "N", "inference: tokens a user may have, 131072 or 128k (0)")              \
    S(USERS, INFERENCE, "users", NUMBER, "N", "inference: users at once (1)")                                          \
    S(KV_PRECISION, INFERENCE, "kv-precision", WORD, "fp32|fp16|bf16|fp8|int8|mxfp8|nvfp4|mxfp4|fp4|int4",             \
      "inference: of the KV cache (as the file says, else as weights of 16 or 32 bits, else bf16)")                    \
    S(PREFILL, INFERENCE, "prefill", NUMBER, "N", "inference: tokens that are worked on at once (8192)")               \
    S(UTILIZATION, INFERENCE, "gpu-memory-utilization", SHARE, "SHARE",                                                \
      "inference: of the GPU's memory what weights, work and KV cache may use, as in vLLM")                            \
    S(CUDA_GRAPHS, INFERENCE, "cuda-graphs", SIZE, "SIZE", "inference: what captured CUDA graphs take (0)")            \
    S(OFFLOAD, INFERENCE, "offload", FLAG, NULL, "inference: what is too much may lie in the host's memory")           \
    S(LINK, INFERENCE, "link", NAME, "NAME",                                                                           \
      "the way to the host's memory: nvlink-c2c, pcie5, pcie4, pcie3 (the GPU's)")                                     \
    S(TRAIN, BOTH, "train", FLAG, NULL, "training, not inference")                                                     \
    S(FRAMEWORK, TRAINING, "framework", WORD, "megatron|torch", "training: who trains (megatron)")                     \
    S(SEQUENCE, TRAINING, "sequence", NUMBER, "N", "training: tokens of a sequence (the model's)")                     \
    S(MICRO_BATCH, TRAINING, "micro-batch", NUMBER, "N", "training: sequences of a micro-batch (1)")                   \
    S(ACCUMULATION, TRAINING, "accumulation", NUMBER, "N", "training: micro-batches of a step (1)")                    \
    S(ZERO, TRAINING, "zero", NAME, "STAGE",                                                                           \
      "training: what data parallel GPUs share: 1 optimizer, 2 gradients, 3 weights (1)")                              \
    S(FSDP, TRAINING, "fsdp", WORD, "no_shard|shard_grad_op|full_shard|hybrid_shard",                                  \
      "training: the same, by the names of PyTorch's FSDP")                                                            \
    S(RECOMPUTE, TRAINING, "recompute", NAME, "HOW", "training: none, selective, full, or full:N layers (none)")       \
    S(SEQUENCE_PARALLEL, TRAINING, "sequence-parallel", FLAG, NULL,                                                    \
      "training: split by tokens what tensor parallel leaves whole (on when tp > 1)")                                  \
    S(NO_SEQUENCE_PARALLEL, TRAINING, "no-sequence-parallel", FLAG, NULL, "training: do not")                          \
    S(GRAD_PRECISION, TRAINING, "grad-precision", WORD, "fp32|bf16", "training: of the gradients (fp32)")              \
    S(MASTER, TRAINING, "master", WORD, "fp32|remainder|none", "training: the optimizer's copy of the weights (fp32)") \
    S(OPTIMIZER, TRAINING, "optimizer", WORD, "adam|sgd|none", "training: the optimizer (adam)")                       \
    S(LORA, TRAINING, "lora", NAME, "RANK:TARGETS", "training: only adapters, of q,k,v,qkv,o,gate,up,down")            \
    S(FP8, TRAINING, "fp8", FLAG, NULL, "training: linear layers compute in FP8")                                      \
    S(FP8_PARAMS, TRAINING, "fp8-params", FLAG, NULL, "training: and their weights are kept in it")                    \
    S(FP4, TRAINING, "fp4", FLAG, NULL, "training: linear layers compute in NVFP4")                                    \
    S(FP8_ACTIVATIONS, TRAINING, "fp8-activations", FLAG, NULL,                                                        \
      "training: the activation function's input is kept in FP8")                                                      \
    S(FP8_ATTENTION, TRAINING, "fp8-attention", FLAG, NULL, "training: and so are query, key and value")               \
    S(ATTENTION, TRAINING, "attention", WORD, "flash|unfused", "training: how attention is computed (flash)")          \
    S(DROPOUT, TRAINING, "dropout", WORD, "off|on", "training: as the model has it")                                   \
    S(LOSS, TRAINING, "loss", WORD, "fused|eager", "training: how the loss is computed (fused; torch: eager)")         \
    S(VOCAB_MULTIPLE, TRAINING, "vocab-multiple", NUMBER, "N",                                                         \
      "training: the vocabulary is filled up to a multiple of N x tp (128; torch: 1)")                                 \
    S(EMBED_SLOT, TRAINING, "embed-slot", FLAG, NULL, "training: the embedding counts as a layer of the pipeline")     \
    S(LOSS_SLOT, TRAINING, "loss-slot", FLAG, NULL, "training: and so does the loss")                                  \
    S(OFFLOAD_LAYERS, TRAINING, "offload-layers", WHOLE, "N",                                                          \
      "training: layers whose activations lie in the host's memory (0)")                                               \
    S(STEP_COPY, TRAINING, "step-copy", FLAG, NULL,                                                                    \
      "training: the optimizer's step makes a copy, as torch's foreach ones do")

/* The precisions; types of GGUF come after amp. */
#define MLS_MEMORY_PRECISIONS                                                                                          \
    "fp32|fp16|bf16|fp8|int8|mxfp8|nvfp4|mxfp4|fp4|int4|amp|Q4_0|Q4_1|Q5_0|Q5_1|Q8_0|Q2_K|Q3_K_S|Q3_K_M|Q3_K_L|"       \
    "Q4_K_S|Q4_K_M|Q5_K_S|Q5_K_M|Q6_K"

/* Settings without an option of their own; the option of another setting sets them. */
#define MLS_MEMORY_PARTS(S)                                                                                            \
    S(RECOMPUTE_LAYERS, TRAINING, "recompute-layers", NUMBER, NULL, "")                                                \
    S(LORA_TARGETS, TRAINING, "lora-targets", NUMBER, NULL, "")

/* I(ID, use, name, sentence). */
#define MLS_MEMORY_ITEMS(I)                                                                                            \
    I(WEIGHTS, BOTH, weights, "the model's parameters on this GPU")                                                    \
    I(TOWERS, INFERENCE, towers, "the parts that read pictures or hear sound")                                         \
    I(KV_CACHE, INFERENCE, kv_cache, "keys and values of every token of every user")                                   \
    I(STATE, INFERENCE, state, "what layers without keys and values keep of every user, of fixed size")                \
    I(CUDA_GRAPHS, INFERENCE, cuda_graphs, "what captured CUDA graphs hold")                                           \
    I(GRADIENTS, TRAINING, gradients, "one number for each parameter that is trained")                                 \
    I(OPTIMIZER, TRAINING, optimizer, "master weights and moments")                                                    \
    I(ACTIVATIONS, TRAINING, activations, "what layers keep for the backward pass")                                    \
    I(RECOMPUTE, TRAINING, recompute, "the layer that is being recomputed or fetched")                                 \
    I(LOGITS, TRAINING, logits, "the scores of every word, and their gradient")                                        \
    I(WORKING, BOTH, working, "the layer that is being computed")                                                      \
    I(STEP, TRAINING, step, "the copy that the optimizer's step makes")                                                \
    I(RUNTIME, BOTH, runtime, "CUDA context and communication buffers")

/* A(ID, name, what to do): what follows from the numbers of a message of memory that ran out. */
#define MLS_OOM_ADVICE(A)                                                                                              \
    A(LARGER_THAN_GPU, "larger-than-gpu", "one allocation is larger than the GPU: nothing but a smaller one helps")    \
    A(FRAGMENTED, "fragmented",                                                                                        \
      "reserved memory in pieces would have been enough: set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True")        \
    A(FRAGMENTED_STILL, "fragmented-still",                                                                            \
      "reserved memory in pieces would have been enough, and expandable_segments is set already: fewer sizes, or "     \
      "torch.cuda.empty_cache() between phases")                                                                       \
    A(OTHER_PROCESS, "other-process", "more than 5 % of the GPU belongs to something else: nvidia-smi says to what")   \
    A(MEMORY_FRACTION, "memory-fraction", "the process may not use the whole GPU: set_per_process_memory_fraction")    \
    A(CUDA_GRAPHS, "cuda-graphs",                                                                                      \
      "more than 5 % of the GPU lies in private pools, as CUDA graphs have: capture fewer, or let them share one")     \
    A(HOST_MEMORY, "host-memory",                                                                                      \
      "the host's memory ran out, not the GPU's: fewer workers, less pinned memory, or a larger --mem")                \
    A(JAX_PREALLOCATION, "jax-preallocation",                                                                          \
      "JAX takes most of the GPU when it starts: XLA_PYTHON_CLIENT_PREALLOCATE=false, or another "                     \
      "XLA_PYTHON_CLIENT_MEM_FRACTION")                                                                                \
    A(SHORTER_CONTEXT, "shorter-context",                                                                              \
      "the KV cache does not fit: a larger gpu_memory_utilization, fewer weights on the GPU (shards, fewer bits), "    \
      "or, where one user is too long, a smaller max_model_len")                                                       \
    A(TOO_MUCH, "too-much", "the job needs more than there is: mlscore memory says which item, and what would fit")
