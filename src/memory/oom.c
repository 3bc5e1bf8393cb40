/* SPDX-License-Identifier: Apache-2.0 */
/* oom.c - messages of memory that ran out: what they say, and what follows from their numbers. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/needles.h"
#include "base/number.h"
#include "base/pattern.h"
#include "memory/sizes.h"

/* Of a line only so much is looked at; more messages of one search than so many are counted only. */
enum { LINE_MOST = 16384, MESSAGES_KEPT = 100000 };

// clang-format off
#define SIZE(name) "(?<" name ">[0-9.]+ ?[A-Za-z]*)"
#define NUMBER(name) "(?<" name ">[0-9]{1,9})"
#define EXHAUSTED "(?:RESOURCE_EXHAUSTED|Resource exhausted): Out of memory (?:while trying to allocate|allocating) "
#define TRIED_ON_GPU "out of memory\\. Tried to allocate " SIZE("tried") " \\(GPU " NUMBER("gpu") "; " \
    SIZE("capacity") " total capacity; " SIZE("allocated") " already allocated; " SIZE("free") " free; "

/* The first that matches a line says what it is.  Groups have the names of what they hold. */
static const struct {
    const char *framework, *wording, *pattern;
} wordings[] = {
    {"pytorch", "pytorch-cached", TRIED_ON_GPU SIZE("reserved_unallocated") " cached"},
    {"pytorch", "pytorch-reserved", TRIED_ON_GPU SIZE("reserved") " reserved in total by PyTorch"},
    {"pytorch", "pytorch-capacity",
     "(?:Tried to allocate " SIZE("tried") ".*?)?GPU " NUMBER("gpu") " has a total capaci?ty of " SIZE("capacity")
     " of which " SIZE("free") " is free\\.(?:.*?" SIZE("allowed") " allowed;)?"
     "(?:.*?this process has " SIZE("in_use") " memory in use)?"
     "(?:.*?allocated memory " SIZE("allocated") " is allocated by PyTorch)?"
     "(?:.*?with " SIZE("private_pool") " allocated in private pools)?"
     "(?:.*?and " SIZE("reserved_unallocated") " is reserved by PyTorch but unallocated)?"},
    {"pytorch", "pytorch-mps",
     "MPS backend out of memory \\(MPS allocated: " SIZE("allocated") ", other allocations: " SIZE("other")
     ", max allowed: " SIZE("allowed") "\\)\\. Tried to allocate " SIZE("tried")},
    {"pytorch", "pytorch-host", "llocator.*you tried to allocate (?<tried>[0-9]+ bytes)"},
    {"jax", "jax-bytes", EXHAUSTED "(?<tried>[0-9]+ bytes)(?:.*? on device " NUMBER("gpu") ")?"},
    {"jax", "jax-size", EXHAUSTED SIZE("tried") "(?:.*? on device " NUMBER("gpu") ")?"},
    {"jax", "jax-space", "Ran out of memory in memory space hbm\\. Used " SIZE("tried") " of " SIZE("capacity")},
    {"jax", "jax-tpu",
     "Attempting to (?:allocate|reserve) " SIZE("tried") "[^.]*\\. That was not possible\\. There are " SIZE("free") " free"},
    {"tensorflow", "tensorflow-tensor",
     "OOM when allocating tensor with shape\\[(?<shape>[0-9, ]*)\\] and type (?<type>\\w+) on .*?device:GPU:" NUMBER("gpu")},
    {"xla", "xla-bfc",
     "Allocator \\(GPU_" NUMBER("gpu") "_bfc\\) ran out of memory trying to allocate " SIZE("tried")
     "(?: \\(rounded to (?<rounded>[0-9]+)\\))?(?!.*The caller indicates that this is not a failure)"},
    {"xla", "xla-device",
     "failed to allocate .*?\\((?<tried>[0-9]+ bytes)\\) from device: CUDA_ERROR_OUT_OF_MEMORY"},
    {"vllm", "vllm-kv",
     "\\(" SIZE("tried") " KV cache is needed, which is larger than the available KV cache memory \\(" SIZE("free") "\\)"},
    {"vllm", "vllm-blocks", "No available memory for the cache blocks"},
    {"host", "kernel-oom", "ut of memory: Killed process [0-9]+ \\(.*?anon-rss:(?<in_use>[0-9]+kB)"},
    {"host", "slurm-oom", "oom[_-]kill event"},
    {"cuda", "cublas", "CUBLAS_STATUS_ALLOC_FAILED"},
    {"cuda", "nccl", "Cuda failure 2 'out of memory'"},
    {"cuda", "cuda",
     "CUDA (?:driver )?error: out of memory|cudaErrorMemoryAllocation|CUDA_ERROR_OUT_OF_MEMORY|"
     "cudaMalloc failed: out of memory|hipErrorOutOfMemory"},
};

/* A line without any of these is none of the above. */
static const mls_str needles[] = {
    MLS_STR("ried to allocate"), MLS_STR("total capac"), MLS_STR(": Out of memory "), MLS_STR("Ran out of memory in"),
    MLS_STR("That was not possible"), MLS_STR("OOM when allocating"), MLS_STR("ran out of memory trying"),
    MLS_STR("failed to allocate"), MLS_STR("KV cache is needed"), MLS_STR("No available memory for the cache"),
    MLS_STR("ut of memory: Killed"), MLS_STR("oom_kill event"), MLS_STR("oom-kill event"),
    MLS_STR("CUBLAS_STATUS_ALLOC_FAILED"), MLS_STR("Cuda failure 2"), MLS_STR("rror: out of memory"),
    MLS_STR("cudaErrorMemoryAllocation"), MLS_STR("CUDA_ERROR_OUT_OF_MEMORY"), MLS_STR("cudaMalloc failed"),
    MLS_STR("hipErrorOutOfMemory"), MLS_STR("expandable_segments:True"),
};
// clang-format on

/* Where a line says which rank it is from, the surest first. */
static const char *const rank_patterns[] = {"\\[rank" NUMBER("rank") "\\]:", "\\[default" NUMBER("rank") "\\]:",
                                            "^ *" NUMBER("rank") ": ", "\\[Rank " NUMBER("rank") "\\]"};

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
    const char *at;  /* in a block, beginning of the line that `line` counts */
    size_t line;
    size_t *hits; /* of needles in the block */
    size_t hit_count, hit_capacity;
    mls_status status;
};

/* ------------------------------------------------------------------- numbers */

/* "12.50 GiB", "86G" or "87kB": units of 1024 whatever they are called, as those who print them count. */
static int64_t message_size(mls_str text)
{
    static const char units[] = "KMGT";
    size_t digits = 0;
    double number;
    while (digits < text.len && (mls_is_digit(text.ptr[digits]) || text.ptr[digits] == '.')) {
        digits++;
    }
    const size_t dots = digits > 0 && text.ptr[digits - 1] == '.'; /* of a sentence */
    if (!mls_number_parse((mls_str){text.ptr, digits - dots}, &number)) {
        return -1;
    }
    while (digits < text.len && text.ptr[digits] == ' ') {
        digits++;
    }
    const char unit = digits < text.len ? text.ptr[digits] : 'b';
    const char *place = strchr(units, unit == 'k' ? 'K' : unit);
    if (place == NULL && unit != 'b' && unit != 'B') {
        return -1;
    }
    const double bytes = floor(ldexp(number, place != NULL ? 10 * (int)(place - units + 1) : 0) + 0.5);
    return bytes <= (double)MLS_BYTES_MOST ? (int64_t)bytes : -1;
}

static int64_t group_size(const mls_pattern *pattern, mls_str line, const char *name)
{
    const mls_str text = mls_pattern_group(pattern, line, name);
    return text.ptr != NULL ? message_size(text) : -1;
}

static int64_t group_number(const mls_pattern *pattern, mls_str line, const char *name)
{
    const mls_str text = mls_pattern_group(pattern, line, name);
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

/* A pattern, compiled when it is first needed; NULL: no memory. */
static const mls_pattern *pattern_of(mls_oom_search *search, size_t i)
{
    mls_pattern *pattern = &search->patterns[i];
    if (pattern->code == NULL) {
        const char *text = i < WORDINGS ? wordings[i].pattern : rank_patterns[i - WORDINGS];
        if (mls_pattern_compile(pattern, MLS_PATTERN_LINES, mls_str_from(text)) != MLS_OK) {
            search->status = MLS_ERROR_MEMORY;
            return NULL;
        }
    }
    return pattern;
}

/* Whether the pattern matches the line, which is then asked for its groups. */
static const mls_pattern *match(mls_oom_search *search, size_t i, mls_str line)
{
    const mls_pattern *pattern = pattern_of(search, i);
    mls_str found = {NULL, 0};
    if (pattern != NULL && mls_pattern_find(pattern, line, 0, &found) == MLS_ERROR_MEMORY) {
        search->status = MLS_ERROR_MEMORY;
    }
    return found.ptr != NULL ? pattern : NULL;
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
    const mls_str shape = mls_pattern_group(pattern, line, "shape");
    if (shape.ptr != NULL) {
        oom->tried = tensor_size(shape, mls_pattern_group(pattern, line, "type"));
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
    const mls_pattern *pattern = NULL;
    line.len = line.len < LINE_MOST ? line.len : LINE_MOST;
    for (size_t i = 0; i < WORDINGS && pattern == NULL && search->status == MLS_OK; i++) {
        pattern = match(search, i, line);
        oom.framework = wordings[i].framework;
        oom.wording = wordings[i].wording;
    }
    if (pattern == NULL) {
        search->expandable |= mls_str_contains(line, MLS_S("expandable_segments:True")) &&
                              !mls_str_contains(line, MLS_S("try setting")); /* a message's end on a line of its own */
        return;
    }
    read_message(&oom, pattern, line);
    for (size_t i = 0; i < RANKS && oom.rank < 0 && search->status == MLS_OK; i++) {
        const mls_pattern *rank = match(search, WORDINGS + i, line);
        oom.rank = rank != NULL ? group_number(rank, line, "rank") : -1;
    }
    keep_message(search, &oom);
}

/* Counts the lines that end before a place: at \n, \r\n or a lone \r. */
static void count_lines(mls_oom_search *search, const char *to)
{
    for (const char *at = search->at; at < to; at++) {
        if (*at == '\n' || (*at == '\r' && at[1] != '\n')) {
            search->line++;
            search->at = at + 1;
        }
    }
}

static bool needle_found(void *state, size_t needle, size_t offset)
{
    mls_oom_search *search = state;
    (void)needle;
    if (!mls_grow((void **)&search->hits, search->hit_count, &search->hit_capacity, sizeof *search->hits)) {
        search->status = MLS_ERROR_MEMORY;
        return false;
    }
    search->hits[search->hit_count++] = offset;
    return true;
}

static int compare_hits(const void *a, const void *b)
{
    const size_t *x = a;
    const size_t *y = b;
    return (*x > *y) - (*x < *y);
}

mls_status mls_oom_search_lines(void *state, const mls_lines *lines)
{
    mls_oom_search *search = state;
    const char *end = lines->text.ptr + lines->text.len;
    const char *done = lines->text.ptr;
    search->at = lines->text.ptr;
    search->line = lines->line;
    search->hit_count = 0;
    (void)mls_needles_find(search->needles, lines->text, needle_found, search);
    /* They come nearly in order, but a line is looked at once. */
    if (search->hit_count > 1) {
        qsort(search->hits, search->hit_count, sizeof *search->hits, compare_hits);
    }
    for (size_t i = 0; i < search->hit_count && search->status == MLS_OK; i++) {
        const char *place = lines->text.ptr + search->hits[i];
        if (place < done) {
            continue;
        }
        count_lines(search, place);
        for (done = place; done < end && *done != '\n' && *done != '\r';) {
            done++;
        }
        look_at(search, (mls_str){search->at, (size_t)(done - search->at)}, search->line);
    }
    return search->status;
}

/* -------------------------------------------------------------------- advice */

static const char *const advice_names[] = {
#define ADVICE_NAME(id, name, words) name,
    MLS_OOM_ADVICE(ADVICE_NAME)
#undef ADVICE_NAME
};

static const char *const advice_words[] = {
#define ADVICE_WORDS(id, name, words) words,
    MLS_OOM_ADVICE(ADVICE_WORDS)
#undef ADVICE_WORDS
};

const char *mls_oom_advice_name(size_t advice)
{
    return advice < sizeof advice_names / sizeof *advice_names ? advice_names[advice] : NULL;
}

const char *mls_oom_advice_words(size_t advice)
{
    return advice < sizeof advice_words / sizeof *advice_words ? advice_words[advice] : NULL;
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
    mls_oom_search *made = calloc(1, sizeof *made);
    mls_status status = MLS_ERROR_MEMORY;
    if (made != NULL) {
        status = mls_needles_new(needles, sizeof needles / sizeof *needles, &made->needles);
    }
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
        free(search->hits);
        free(search);
    }
}
