/* SPDX-License-Identifier: Apache-2.0 */
/* sizes.h - internal functions of memory/: integers with overflow checks, the sizes of a model, and the size of its
 * weights if they have several formats. */
#pragma once

#include "explain/memory/memory.h"

/* The result of a computation that overflows or has an operand MLS_ABSURD. */
#define MLS_ABSURD UINT64_MAX

/* Maximum size in bytes (9 PB, more than any GPU has): larger integers are not exact in a double, the type of numbers
 * in JSON. */
#define MLS_BYTES_MAX (UINT64_C(1) << 53)

/* Return the product of `count` factors, or MLS_ABSURD.  Usually called as MUL(a, b, …). */
static inline uint64_t mls_bytes_product(const uint64_t *factors, size_t count)
{
    uint64_t product = 1;
    bool absurd = false;
    for (size_t i = 0; i < count; i++)
        absurd |= factors[i] == MLS_ABSURD || __builtin_mul_overflow(product, factors[i], &product);
    return absurd ? MLS_ABSURD : product;
}

/* Return the sum of `count` terms, or MLS_ABSURD.  Usually called as ADD(a, b, …). */
static inline uint64_t mls_bytes_sum(const uint64_t *terms, size_t count)
{
    uint64_t sum = 0;
    bool absurd = false;
    for (size_t i = 0; i < count; i++)
        absurd |= __builtin_add_overflow(sum, terms[i], &sum);
    return absurd ? MLS_ABSURD : sum;
}

#define MLS_LIST(...) (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)
#define MUL(...) mls_bytes_product(MLS_LIST(__VA_ARGS__))
#define ADD(...) mls_bytes_sum(MLS_LIST(__VA_ARGS__))

/* The value of a setting: VALUE(ask, TP). */
#define VALUE(ask, id) mls_memory_value(ask, MLS_MEMORY_##id)

/* An item of an estimate: ITEM(to, WEIGHTS). */
#define ITEM(estimate, id) (estimate)->items[MLS_MEMORY_ITEM_##id]

/* Return x / y, rounded down; y must not be 0. */
static inline uint64_t mls_bytes_per(uint64_t x, uint64_t y)
{
    return x == MLS_ABSURD ? x : x / y;
}

/* Return x / y, rounded up; y must not be 0. */
static inline uint64_t mls_bytes_up(uint64_t x, uint64_t y)
{
    return x == MLS_ABSURD ? x : x / y + (x % y != 0);
}

/* Return x - y, or 0 if y is larger than x. */
static inline uint64_t mls_bytes_less(uint64_t x, uint64_t y)
{
    return x == MLS_ABSURD ? x : y < x ? x - y : 0;
}

static inline uint64_t mls_bytes_max(uint64_t x, uint64_t y)
{
    return x > y ? x : y;
}

static inline uint64_t mls_bytes_min(uint64_t x, uint64_t y)
{
    return x < y ? x : y;
}

/* Bytes per number, as the fraction n / q.  The fraction is not an integer for formats of less than 8 bits, and for
 * formats that store a scale for each block of 16 or 32 numbers. */
typedef struct mls_number_bytes {
    uint64_t n, q;
} mls_number_bytes;

/* The precisions, in the order of the words of MLS_MEMORY_PRECISIONS. */
typedef enum mls_number_kind {
    MLS_FP32,
    MLS_FP16,
    MLS_BF16,
    MLS_FP8,
    MLS_INT8,
    MLS_MXFP8,
    MLS_NVFP4,
    MLS_MXFP4,
    MLS_FP4,
    MLS_INT4,
    MLS_AMP,   /* PyTorch autocast: stored in FP32, computed in 16 bits, but norms and residuals in FP32 */
    MLS_MIXED, /* FSDP's mixed precision policy: stored and reduced in FP32, computed in 16 bits */
    MLS_GGUF   /* the first type of GGUF; this and all following types mix formats */
} mls_number_kind;

/* Return the bytes per number of a precision, or 0 / 1 for a type of GGUF. */
mls_number_bytes mls_number_bytes_of(int64_t kind);

/* The values of settings of kind WORD, and of RECOMPUTE and LORA_TARGETS; see memory_table.h. */
enum { MLS_FRAMEWORK_TORCH = 1 };
enum { MLS_RECOMPUTE_NONE, MLS_RECOMPUTE_SELECTIVE, MLS_RECOMPUTE_FULL };
enum { MLS_GRADIENTS_FP32, MLS_GRADIENTS_BF16 };
enum { MLS_MASTER_FP32, MLS_MASTER_REMAINDER, MLS_MASTER_NONE };
enum { MLS_OPTIMIZER_ADAM, MLS_OPTIMIZER_SGD, MLS_OPTIMIZER_NONE };
enum { MLS_FSDP_NO_SHARD, MLS_FSDP_SHARD_GRAD_OP, MLS_FSDP_FULL_SHARD, MLS_FSDP_HYBRID_SHARD };
enum { MLS_ATTENTION_UNFUSED = 1 };
enum { MLS_LOSS_FUSED, MLS_LOSS_EAGER, MLS_LOSS_CHUNKED };
enum {
    MLS_LORA_Q = 1,
    MLS_LORA_K = 2,
    MLS_LORA_V = 4,
    MLS_LORA_QKV = 8,
    MLS_LORA_O = 16,
    MLS_LORA_GATE = 32,
    MLS_LORA_UP = 64,
    MLS_LORA_DOWN = 128
};

/* Split a size such as "12.50 GiB": return the number at its start, and set *unit to the text after the number and a
 * blank. */
mls_str mls_size_split(mls_str text, mls_str *unit);

/* Set the model and its name, and complete its shape.  `benchmark` is the model's key in the table of models, or NULL
 * if the model is from a file. */
void mls_memory_take_model(mls_memory_ask *ask, const mls_model_shape *shape, const char *benchmark, mls_str name);

/* Read the formats of the model's weights from the text of hf_quant_config.json, which is similar to the
 * quantization_config of a config.json.  Errors
 * are those of mls_memory_model_parse(). */
mls_status mls_memory_quantization_parse(mls_memory_ask *ask, mls_str text, mls_error *error) MLS_MUST_USE;

/* Fill in the sizes that a model leaves out. */
void mls_shape_complete(mls_model_shape *shape);

/* Check a shape.  Return MLS_ERROR_VALUE if layers, hidden, heads or vocabulary are missing, or a size is absurd. */
mls_status mls_shape_check(const mls_model_shape *shape, mls_error *error) MLS_MUST_USE;

/* The numbers of parameters of one layer on one GPU. */
typedef struct mls_layer_parameters {
    uint64_t attention; /* attention, with biases */
    uint64_t dense;     /* feed-forward, if the layer is dense */
    uint64_t routed;    /* routed experts, if the layer has experts */
    uint64_t shared;    /* shared experts and router, if the layer has experts */
    uint64_t norms;     /* all norms of the layer */
} mls_layer_parameters;

/* Return the parameters of a layer of a complete shape, with tensor parallelism t and expert parallelism e. */
mls_layer_parameters mls_shape_layer(const mls_model_shape *shape, uint64_t t, uint64_t e);

/* Return the number of parameters of a complete shape. */
uint64_t mls_shape_parameters(const mls_model_shape *shape);

/* Return the number of KV heads on each of t GPUs.  If there are fewer KV heads than GPUs, each GPU has a copy of one
 * head. */
static inline uint64_t mls_shape_kv_heads(const mls_model_shape *shape, uint64_t t)
{
    return t > shape->kv_heads ? 1 : shape->kv_heads / t;
}

static inline bool mls_layer_set_has(const mls_layer_set *set, uint64_t layer)
{
    return layer < MLS_LAYER_SET_MAX && (set->bits[layer / 64] >> layer % 64 & 1) != 0;
}

/* Return the width of the vectors that the routed experts work on. */
static inline uint64_t mls_shape_expert_hidden(const mls_model_shape *shape)
{
    return shape->expert_hidden != 0 ? shape->expert_hidden : shape->hidden;
}

/* Compute the memory of one GPU for training.  Return MLS_ERROR_VALUE if the layout does not divide the model. */
mls_status mls_training_make(const mls_memory_ask *ask, mls_memory_estimate *to, mls_error *error) MLS_MUST_USE;

/* Set the error of a layout that does not divide the model, "heads: 5 is not divisible by tp 2".  Return
 * MLS_ERROR_VALUE. */
mls_status mls_layout_error(mls_error *error, const char *what, uint64_t number, const char *by, uint64_t divisor);

/* The parts of a model, in the order of their names in src/data/quantization.json. */
typedef enum mls_weight_part {
    MLS_WEIGHT_EMBEDDING,
    MLS_WEIGHT_HEAD,
    MLS_WEIGHT_QUERY,
    MLS_WEIGHT_KEY,
    MLS_WEIGHT_VALUE,
    MLS_WEIGHT_OUTPUT,
    MLS_WEIGHT_GATE,
    MLS_WEIGHT_UP,
    MLS_WEIGHT_DOWN,
    MLS_WEIGHT_EXPERTS,
    MLS_WEIGHT_EXPERTS_DOWN,
    MLS_WEIGHT_SHARED,
    MLS_WEIGHT_SHARED_DOWN,
    MLS_WEIGHT_ROUTER,
    MLS_WEIGHT_STATE,
    MLS_WEIGHT_COUNT
} mls_weight_part;

/* The names of the parts, indexed by mls_weight_part: "embedding", "head" … */
extern const char *const mls_weight_names[MLS_WEIGHT_COUNT];

/* A format of numbers: `each` is the size of a number, `beside` the size of the additional data, such as a scale, of
 * each group of `group` numbers.  Both sizes are in thousandths of a bit.  If `group` is 0, a group is a row of the
 * matrix. */
typedef struct mls_number_form {
    uint64_t group, each, beside;
} mls_number_form;

/* A plan: the format of each part of each layer, as an index into `forms`. */
enum { MLS_FORMS_MAX = 16 };
typedef struct mls_weights_plan {
    mls_number_form forms[MLS_FORMS_MAX];
    size_t form_count;
    unsigned rest; /* format of norms, biases and everything else that is not an mls_weight_part */
    uint64_t layers;
    unsigned char *marks;                  /* format of each layer of each part; see mls_weights_marks() */
    unsigned char usual[MLS_WEIGHT_COUNT]; /* the format that mls_weights_plan_mark() last set for each part */
} mls_weights_plan;

/* Create a plan in which everything has format 0, a format of 16 bits per number. */
mls_weights_plan mls_weights_plan_new(const mls_model_shape *shape);
void mls_weights_plan_release(mls_weights_plan *plan);

/* Add a format and return its index. */
unsigned mls_weights_plan_add(mls_weights_plan *plan, mls_number_form form);

/* Set the format of all layers of a part. */
void mls_weights_plan_mark(mls_weights_plan *plan, mls_weight_part part, unsigned form);

/* Return the number of formats that mls_weights_marks() returns for a part: 1 for embedding and head, else the number
 * of layers. */
static inline uint64_t mls_weights_layers(const mls_weights_plan *plan, mls_weight_part part)
{
    return part <= MLS_WEIGHT_HEAD ? 1 : plan->layers;
}

/* Return the formats of the layers of a part. */
static inline unsigned char *mls_weights_marks(const mls_weights_plan *plan, mls_weight_part part)
{
    return plan->marks + (size_t)part * (size_t)plan->layers;
}

/* Set the format of the parts that quantizers quantize by default: all linear layers except head and router or, if
 * `experts_alone` is true, only the routed experts. */
void mls_weights_plan_quantize(mls_weights_plan *plan, mls_number_form form, bool experts_alone);

/* Set *to to the size and the description of a plan.  `name` is the method or precision to name in the description, and
 * `form` the format of most parts; if `form` is NULL, the description contains bits per number instead. */
void mls_weights_describe(const mls_weights_plan *plan, const mls_model_shape *shape, const char *name,
                          const mls_number_form *form, mls_memory_form *to);

/* The weights of a whole model in one precision: their size is n / q bytes, and that of published checkpoints is
 * `published` bytes (0: not known to differ).  `form` describes their formats if there are several. */
typedef struct mls_weights {
    uint64_t n, q, published;
    bool decides; /* the size of published checkpoints determines the verdict */
    mls_memory_form form;
} mls_weights;

mls_status mls_weights_of(const mls_memory_ask *ask, uint64_t parameters, mls_weights *weights,
                          mls_error *error) MLS_MUST_USE;

/* Compute the memory of one GPU for inference with `weights`.  Return MLS_ERROR_VALUE if the layout
 * does not divide the model. */
mls_status mls_inference_make(const mls_memory_ask *ask, const mls_weights *weights, mls_memory_estimate *to,
                              mls_error *error) MLS_MUST_USE;
