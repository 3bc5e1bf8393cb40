/* SPDX-License-Identifier: Apache-2.0 */
/* oom.c - messages of memory that ran out: what they say, and what follows from their numbers. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/needles.h"
#include "base/number.h"
#include "base/pattern.h"
#include "memory/sizes.h"

/* Of a line only so much is looked at; more messages of one search than so many are counted only; of a needle. */
enum { LINE_MOST = 16384, MESSAGES_KEPT = 100000, NEEDLE_MOST = 64 };

#define TRIED_ON_GPU                                                                                                   \
    "out of memory\\. Tried to allocate {tried} \\(GPU {#gpu}; {capacity} total capacity; {allocated} already "        \
    "allocated; {free} free; "
#define EXHAUSTED "(?:RESOURCE_EXHAUSTED|Resource exhausted): Out of memory (?:while trying to allocate|allocating) "
#define ON_DEVICE "(?:.*? on device {#gpu})?"

/*
 * The first whose needle is in a line and whose pattern, if it has one, matches it says what the line is.  In patterns
 * {tried} stands for a size and {#gpu} for a number, each a group of the name of what it holds.
 */
static const struct {
    const char *framework, *wording;
    mls_str needle;
    const char *pattern;
} wordings[] = {
    {"pytorch", "pytorch-cached", MLS_STR("ried to allocate"), TRIED_ON_GPU "{reserved_unallocated} cached"},
    {"pytorch", "pytorch-reserved", MLS_STR("ried to allocate"),
     TRIED_ON_GPU "{reserved} reserved in total by PyTorch"},
    {"pytorch", "pytorch-capacity", MLS_STR("total capac"),
     "(?:Tried to allocate {tried}.*?)?GPU {#gpu} has a total capaci?ty of {capacity} of which {free} is free\\."
     "(?:.*?{allowed} allowed;)?(?:.*?this process has {in_use} memory in use)?"
     "(?:.*?allocated memory {allocated} is allocated by PyTorch)?"
     "(?:.*?with {private_pool} allocated in private pools)?"
     "(?:.*?and {reserved_unallocated} is reserved by PyTorch but unallocated)?"},
    {"pytorch", "pytorch-mps", MLS_STR("ried to allocate"),
     "MPS backend out of memory \\(MPS allocated: {allocated}, other allocations: {other}, max allowed: "
     "{allowed}\\)\\. Tried to allocate {tried}"},
    {"pytorch", "pytorch-host", MLS_STR("ried to allocate"), "llocator.*you tried to allocate (?<tried>[0-9]+ bytes)"},
    {"jax", "jax-bytes", MLS_STR(": Out of memory "), EXHAUSTED "(?<tried>[0-9]+ bytes)" ON_DEVICE},
    {"jax", "jax-size", MLS_STR(": Out of memory "), EXHAUSTED "{tried}" ON_DEVICE},
    {"jax", "jax-space", MLS_STR("Ran out of memory in"),
     "Ran out of memory in memory space hbm\\. Used {tried} of {capacity}"},
    {"jax", "jax-tpu", MLS_STR("That was not possible"),
     "Attempting to (?:allocate|reserve) {tried}[^.]*\\. That was not possible\\. There are {free} free"},
    {"tensorflow", "tensorflow-tensor", MLS_STR("OOM when allocating"),
     "OOM when allocating tensor with shape\\[(?<shape>[0-9, ]*)\\] and type (?<type>\\w+) on .*?device:GPU:{#gpu}"},
    {"xla", "xla-bfc", MLS_STR("ran out of memory trying"),
     "Allocator \\(GPU_{#gpu}_bfc\\) ran out of memory trying to allocate {tried}"
     "(?: \\(rounded to (?<rounded>[0-9]+)\\))?(?!.*The caller indicates that this is not a failure)"},
    {"xla", "xla-device", MLS_STR("failed to allocate"),
     "failed to allocate .*?\\((?<tried>[0-9]+ bytes)\\) from device: CUDA_ERROR_OUT_OF_MEMORY"},
    {"vllm", "vllm-kv", MLS_STR("KV cache is needed"),
     "\\({tried} KV cache is needed, which is larger than the available KV cache memory \\({free}\\)"},
    {"vllm", "vllm-blocks", MLS_STR("No available memory for the cache blocks"), NULL},
    {"host", "kernel-oom", MLS_STR("ut of memory: Killed"),
     "ut of memory: Killed process [0-9]+ \\(.*?anon-rss:(?<in_use>[0-9]+kB)"},
    {"host", "slurm-oom", MLS_STR("oom_kill event"), NULL},
    {"host", "slurm-oom", MLS_STR("oom-kill event"), NULL},
    {"cuda", "cublas", MLS_STR("CUBLAS_STATUS_ALLOC_FAILED"), NULL},
    {"cuda", "nccl", MLS_STR("Cuda failure 2 'out of memory'"), NULL},
    {"cuda", "cuda", MLS_STR("CUDA error: out of memory"), NULL},
    {"cuda", "cuda", MLS_STR("CUDA driver error: out of memory"), NULL},
    {"cuda", "cuda", MLS_STR("cudaErrorMemoryAllocation"), NULL},
    {"cuda", "cuda", MLS_STR("CUDA_ERROR_OUT_OF_MEMORY"), NULL},
    {"cuda", "cuda", MLS_STR("cudaMalloc failed: out of memory"), NULL},
    {"cuda", "cuda", MLS_STR("hipErrorOutOfMemory"), NULL},
};

/* Where a line says which rank it is from, the surest first. */
static const char *const rank_patterns[] = {
    "\\[rank{#rank}\\]:", "\\[default{#rank}\\]:", "^ *{#rank}: ", "\\[Rank {#rank}\\]"};

/* A log that says this outside of messages has followed the advice on fragments. */
static const mls_str expandable_segments = MLS_STR("expandable_segments:True");

enum { WORDINGS = sizeof wordings / sizeof *wordings, RANKS = sizeof rank_patterns / sizeof *rank_patterns };

struct mls_oom_search {
    mls_needles *needles;
    mls_pattern patterns[WORDINGS + RANKS];
    mls_oom *items;
    size_t count, capacity;
    size_t dropped;
    const char *file;
    size_t first;    /* of this file */
    bool expandable; /* the file says that segments are expandable */
    mls_status status;
};

/* ------------------------------------------------------------------- numbers */

/* "12.50 GiB", "86G" or "87kB": units of 1024 whatever they are called, as those who print them count. */
static int64_t message_size(mls_str text)
{
    static const char units[] = "KMGT";
    mls_str unit;
    double number;
    mls_str digits = mls_size_split(text, &unit);
    digits.len -= digits.len > 0 && digits.ptr[digits.len - 1] == '.'; /* of a sentence */
    const char letter = unit.len > 0 ? unit.ptr[0] : 'b';
    const char *place = strchr(units, letter == 'k' ? 'K' : letter);
    if (!mls_number_parse(digits, &number) || (place == NULL && letter != 'b' && letter != 'B')) {
        return -1;
    }
    const double bytes = floor(ldexp(number, place != NULL ? 10 * (int)(place - units + 1) : 0) + 0.5);
    return bytes <= (double)MLS_BYTES_MOST ? (int64_t)bytes : -1;
}

/* What a group holds; a line that no pattern was asked for has none. */
static mls_str group_text(const mls_pattern *pattern, mls_str line, const char *name)
{
    return pattern->code != NULL ? mls_pattern_group(pattern, line, name) : (mls_str){NULL, 0};
}

static int64_t group_size(const mls_pattern *pattern, mls_str line, const char *name)
{
    const mls_str text = group_text(pattern, line, name);
    return text.ptr != NULL ? message_size(text) : -1;
}

static int64_t group_number(const mls_pattern *pattern, mls_str line, const char *name)
{
    const mls_str text = group_text(pattern, line, name);
    size_t number;
    return text.ptr != NULL && mls_size_parse(text, &number) && number <= MLS_BYTES_MOST ? (int64_t)number : -1;
}

/* A tensor's bytes, by its shape "53,788,1024" and the name that TensorFlow has for its type; -1: not known. */
static int64_t tensor_size(mls_str shape, mls_str type)
{
    static const struct {
        const char *names;
        uint64_t bytes;
    } types[] = {{"bool int8 uint8 qint8 quint8 float8_e4m3fn float8_e5m2", 1},
                 {"half bfloat16 int16 uint16 qint16 quint16", 2},
                 {"float int32 uint32 qint32", 4},
                 {"double int64 uint64 complex64", 8},
                 {"complex128", 16}};
    uint64_t bytes = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        bytes = mls_str_among(type, types[i].names) ? types[i].bytes : bytes;
    }
    for (size_t at = 0; at < shape.len && bytes != 0;) {
        const char *comma = memchr(shape.ptr + at, ',', shape.len - at);
        const size_t end = comma != NULL ? (size_t)(comma - shape.ptr) : shape.len;
        size_t number;
        at += shape.ptr[at] == ' ';
        bytes = mls_size_parse((mls_str){shape.ptr + at, end - at}, &number) ? MUL(bytes, number) : 0;
        at = end + 1;
    }
    return bytes != 0 && bytes <= MLS_BYTES_MOST ? (int64_t)bytes : -1;
}

/* ------------------------------------------------------------------ messages */

/* The expression of a pattern: what stands in braces in it becomes a group. */
static void append_expression(mls_buffer *to, const char *pattern)
{
    for (const char *at = pattern; *at != '\0';) {
        const size_t plain = strcspn(at, "{");
        mls_buffer_append(to, (mls_str){at, plain});
        at += plain;
        if (*at == '{') {
            const bool number = at[1] == '#';
            const char *name = at + 1 + number;
            const size_t len = strcspn(name, "}");
            mls_buffer_printf(to, "(?<%.*s>%s)", (int)len, name, number ? "[0-9]{1,9}" : "[0-9.]+ ?[A-Za-z]*");
            at = name + len + 1;
        }
    }
}

/* Whether a pattern, compiled when it is first needed, matches a line, which is then asked for its groups. */
static bool match(mls_oom_search *search, mls_pattern *pattern, const char *text, mls_str line)
{
    mls_status status = MLS_OK;
    mls_str found = {NULL, 0};
    if (pattern->code == NULL) {
        mls_buffer expression = {0};
        append_expression(&expression, text);
        status = expression.failed ? MLS_ERROR_MEMORY
                                   : mls_pattern_compile(pattern, MLS_PATTERN_LINES, mls_buffer_str(&expression));
        mls_buffer_release(&expression);
    }
    if (status == MLS_OK) {
        status = mls_pattern_find(pattern, line, 0, &found);
    }
    /* Beyond its limits a pattern is not found; what is compiled here is right, so that only memory can be short. */
    search->status = status == MLS_ERROR_MEMORY || pattern->code == NULL ? MLS_ERROR_MEMORY : search->status;
    return found.ptr != NULL;
}

static int64_t difference(int64_t a, int64_t b)
{
    return a < 0 || b < 0 ? -1 : a > b ? a - b : 0;
}

static void read_message(mls_oom *oom, const mls_pattern *pattern, mls_str line)
{
    oom->gpu = group_number(pattern, line, "gpu");
    oom->tried = group_size(pattern, line, "tried");
    oom->capacity = group_size(pattern, line, "capacity");
    oom->free = group_size(pattern, line, "free");
    oom->in_use = group_size(pattern, line, "in_use");
    oom->allocated = group_size(pattern, line, "allocated");
    oom->reserved = group_size(pattern, line, "reserved");
    oom->reserved_unallocated = group_size(pattern, line, "reserved_unallocated");
    oom->private_pool = group_size(pattern, line, "private_pool");
    oom->allowed = group_size(pattern, line, "allowed");
    oom->other = group_size(pattern, line, "other");
    const int64_t rounded = group_number(pattern, line, "rounded");
    oom->tried = rounded >= 0 ? rounded : oom->tried;
    const mls_str shape = group_text(pattern, line, "shape");
    if (shape.ptr != NULL) {
        oom->tried = tensor_size(shape, group_text(pattern, line, "type"));
    }
    if (oom->reserved >= 0) {
        oom->reserved_unallocated = difference(oom->reserved, oom->allocated);
    } else if (oom->reserved_unallocated >= 0 && oom->allocated >= 0) {
        oom->reserved = oom->allocated + oom->reserved_unallocated;
    }
    if (oom->capacity >= 0 && oom->free >= 0 && oom->in_use >= 0) {
        oom->other = difference(difference(oom->capacity, oom->free), oom->in_use);
    }
}

static void keep_message(mls_oom_search *search, const mls_oom *oom)
{
    if (search->count == MESSAGES_KEPT) {
        search->dropped++;
    } else if (!MLS_GROW(search, items)) {
        search->status = MLS_ERROR_MEMORY;
    } else {
        search->items[search->count++] = *oom;
    }
}

/* A line that may hold a message. */
static void look_at(mls_oom_search *search, mls_str line, size_t number)
{
    mls_oom oom = {.file = search->file, .line = number, .rank = -1};
    size_t i = 0;
    line.len = line.len < LINE_MOST ? line.len : LINE_MOST;
    while (i < WORDINGS &&
           !(mls_str_contains(line, wordings[i].needle) &&
             (wordings[i].pattern == NULL || match(search, &search->patterns[i], wordings[i].pattern, line)))) {
        i++;
    }
    if (i == WORDINGS) {
        search->expandable |= mls_str_contains(line, expandable_segments) &&
                              !mls_str_contains(line, MLS_S("try setting")); /* a message's end on a line of its own */
        return;
    }
    oom.framework = wordings[i].framework;
    oom.wording = wordings[i].wording;
    read_message(&oom, &search->patterns[i], line);
    for (size_t k = 0; k < RANKS && oom.rank < 0; k++) {
        mls_pattern *pattern = &search->patterns[WORDINGS + k];
        oom.rank = match(search, pattern, rank_patterns[k], line) ? group_number(pattern, line, "rank") : -1;
    }
    keep_message(search, &oom);
}

/* A line with its ending. */
static mls_str line_at(const mls_lines *lines, size_t i)
{
    const size_t start = lines->starts[i] & ~MLS_LINE_ODD;
    return (mls_str){lines->text.ptr + start, (lines->starts[i + 1] & ~MLS_LINE_ODD) - start};
}

static bool stop_at(void *state, size_t needle, size_t offset)
{
    size_t *found = state;
    (void)needle;
    *found = offset;
    return false;
}

mls_status mls_oom_search_lines(void *state, const mls_lines *lines)
{
    mls_oom_search *search = state;
    const char *end = lines->text.ptr + lines->text.len;
    size_t found;
    for (size_t i = 0; i < lines->count && search->status == MLS_OK;) {
        const char *from = line_at(lines, i).ptr;
        if (mls_needles_find(search->needles, (mls_str){from, (size_t)(end - from)}, stop_at, &found)) {
            break;
        }
        /* What is found first may stand a needle's length behind another one, in a line before. */
        for (; i < lines->count && line_at(lines, i).ptr <= from + found; i++) {
            const mls_str line = line_at(lines, i);
            if (line.ptr + line.len + NEEDLE_MOST > from + found) {
                look_at(search, line, lines->line + i);
            }
        }
    }
    return search->status;
}

/* -------------------------------------------------------------------- advice */

static const struct {
    const char *name, *words;
} advice_rows[] = {
#define ADVICE_ROW(id, name, words) {name, words},
    MLS_OOM_ADVICE(ADVICE_ROW)
#undef ADVICE_ROW
};

const char *mls_oom_advice_name(mls_oom_advice advice)
{
    return advice_rows[advice].name;
}

const char *mls_oom_advice_words(mls_oom_advice advice)
{
    return advice_rows[advice].words;
}

static void advise_on(mls_oom *oom, bool expandable)
{
    const int64_t twentieth = 20; /* 5 % of the GPU: more than a context of a process takes */
    const bool jax = strcmp(oom->wording, "jax-bytes") == 0 || strcmp(oom->wording, "jax-size") == 0;
    const bool larger = oom->capacity >= 0 && oom->tried > oom->capacity;
    const bool fragmented = !larger && oom->tried >= 0 && oom->reserved_unallocated >= oom->tried;
    const bool holds[] = {
        [MLS_OOM_LARGER_THAN_GPU] = larger,
        [MLS_OOM_FRAGMENTED] = fragmented && !expandable,
        [MLS_OOM_FRAGMENTED_STILL] = fragmented && expandable,
        [MLS_OOM_OTHER_PROCESS] = oom->capacity >= 0 && oom->other > oom->capacity / twentieth,
        [MLS_OOM_MEMORY_FRACTION] = oom->allowed >= 0 && oom->allowed < oom->capacity,
        [MLS_OOM_CUDA_GRAPHS] = oom->capacity >= 0 && oom->private_pool > oom->capacity / twentieth,
        [MLS_OOM_HOST_MEMORY] = strcmp(oom->framework, "host") == 0,
        [MLS_OOM_JAX_PREALLOCATION] = jax,
        [MLS_OOM_SHORTER_CONTEXT] = strcmp(oom->framework, "vllm") == 0,
    };
    for (unsigned i = 0; i < sizeof holds / sizeof *holds; i++) {
        oom->advice |= holds[i] ? 1U << i : 0;
    }
    oom->advice = oom->advice != 0 ? oom->advice : 1U << MLS_OOM_TOO_MUCH;
}

void mls_oom_search_end(mls_oom_search *search)
{
    for (size_t i = search->first; i < search->count; i++) {
        advise_on(&search->items[i], search->expandable);
    }
    search->first = search->count;
}

void mls_oom_search_begin(mls_oom_search *search, const char *file)
{
    search->file = file;
    search->first = search->count;
    search->expandable = false;
}

const mls_oom *mls_oom_search_items(const mls_oom_search *search, size_t *count, size_t *dropped)
{
    *count = search->count;
    *dropped = search->dropped;
    return search->items;
}

mls_status mls_oom_search_new(mls_oom_search **search)
{
    mls_str needles[WORDINGS + 1] = {expandable_segments};
    mls_oom_search *made = calloc(1, sizeof *made);
    for (size_t i = 0; i < WORDINGS; i++) {
        needles[i + 1] = wordings[i].needle;
    }
    mls_status status = made != NULL ? mls_needles_new(needles, WORDINGS + 1, &made->needles) : MLS_ERROR_MEMORY;
    if (status != MLS_OK) {
        mls_oom_search_free(made);
        made = NULL;
    }
    *search = made;
    return status;
}

void mls_oom_search_free(mls_oom_search *search)
{
    if (search != NULL) {
        for (size_t i = 0; i < WORDINGS + RANKS; i++) {
            mls_pattern_release(&search->patterns[i]);
        }
        mls_needles_free(search->needles);
        free(search->items);
        free(search);
    }
}
