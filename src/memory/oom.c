/* SPDX-License-Identifier: Apache-2.0 */
/* oom.c - messages of memory that ran out: their sizes in bytes, and what follows from these. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/moment.h"
#include "base/number.h"
#include "log/prefix.h"
#include "memory/sizes.h"
#include "messages/marked.h"

/* More messages of one search are counted only. */
enum { MESSAGES_KEPT = 100000 };

/* A log that says this outside of messages has followed the advice on fragments. */
static const mls_str marks[] = {MLS_STR("expandable_segments:True")};

struct mls_oom_search {
    mls_signatures *signatures;
    mls_marked_lines marked;
    char *scratch; /* for a line */
    mls_oom *items;
    size_t count, capacity;
    size_t dropped;
    const char *file;
    size_t first;    /* of this file */
    bool expandable; /* the file says that segments are expandable */
};

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
    return bytes <= (double)MLS_BYTES_MAX ? (int64_t)bytes : -1;
}

/* A message, and which row of the table it is. */
typedef struct oom_message {
    const mls_signatures *signatures;
    size_t found;
    mls_str text;
} oom_message;

static mls_str capture_text(const oom_message *message, const char *name)
{
    return mls_signatures_group(message->signatures, message->found, message->text, name);
}

static int64_t capture_size(const oom_message *message, const char *name)
{
    const mls_str text = capture_text(message, name);
    return text.ptr != NULL ? message_size(text) : -1;
}

static int64_t capture_number(const oom_message *message, const char *name)
{
    const mls_str text = capture_text(message, name);
    size_t number;
    return text.ptr != NULL && mls_size_parse(text, &number) && number <= MLS_BYTES_MAX ? (int64_t)number : -1;
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
    for (mls_str one; shape.len > 0 && bytes != 0;) {
        size_t number;
        (void)mls_str_cut(&shape, ',', &one);
        (void)mls_take_char(&one, " ");
        bytes = mls_size_parse(one, &number) ? MUL(bytes, number) : 0;
    }
    return bytes != 0 && bytes <= MLS_BYTES_MAX ? (int64_t)bytes : -1;
}

static int64_t difference(int64_t a, int64_t b)
{
    return a < 0 || b < 0 ? -1 : a > b ? a - b : 0;
}

static void read_captures(mls_oom *oom, const oom_message *message)
{
    oom->gpu = capture_number(message, "gpu");
    oom->tried = capture_size(message, "tried");
    oom->capacity = capture_size(message, "capacity");
    oom->free = capture_size(message, "free");
    oom->in_use = capture_size(message, "in_use");
    oom->allocated = capture_size(message, "allocated");
    oom->reserved = capture_size(message, "reserved");
    oom->reserved_unallocated = capture_size(message, "reserved_unallocated");
    oom->private_pool = capture_size(message, "private_pool");
    oom->allowed = capture_size(message, "allowed");
    oom->other = capture_size(message, "other");
    const int64_t rounded = capture_number(message, "rounded");
    oom->tried = rounded >= 0 ? rounded : oom->tried;
    const mls_str shape = capture_text(message, "shape");
    if (shape.ptr != NULL) {
        oom->tried = tensor_size(shape, capture_text(message, "type"));
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

static mls_status keep_message(mls_oom_search *search, const mls_oom *oom)
{
    if (search->count == MESSAGES_KEPT) {
        search->dropped++;
        return MLS_OK;
    }
    if (!MLS_GROW(search, items)) {
        return MLS_ERROR_MEMORY;
    }
    search->items[search->count++] = *oom;
    return MLS_OK;
}

static mls_status examine_line(mls_oom_search *search, size_t i)
{
    const mls_lines *lines = &search->marked.lines;
    const mls_log_line line = mls_log_line_of(lines, i, search->scratch);
    const bool expandable = (mls_signatures_search(search->signatures, line.text) & 1) != 0;
    ptrdiff_t found;
    const mls_status status = mls_signatures_find(search->signatures, line.message, false, &found);
    if (found < 0) { /* the end of a message may stand on a line of its own */
        search->expandable |= expandable && !mls_str_contains(line.text, MLS_S("try setting"));
        return status;
    }
    const oom_message message = {search->signatures, (size_t)found, line.message};
    const mls_signature *signature = mls_signatures_get(search->signatures, message.found);
    mls_oom oom = {.file = search->file,
                   .line = lines->line + i,
                   .framework = signature->framework,
                   .wording = signature->wording,
                   .rank = mls_log_line_rank(&line)};
    read_captures(&oom, &message);
    return keep_message(search, &oom);
}

mls_status mls_oom_search_lines(void *state, const mls_lines *lines)
{
    mls_oom_search *search = state;
    mls_marked_lines *marked = &search->marked;
    mls_status status = MLS_OK;
    if (!mls_marked_begin(marked, lines)) {
        return MLS_ERROR_MEMORY;
    }
    mls_marked_search(marked, search->signatures, lines->text);
    for (size_t i = 0; i < lines->count; i++) {
        if (mls_lines_odd(lines, i)) {
            mls_marked_search_clean(marked, search->signatures, i, search->scratch);
        }
    }
    for (size_t i = mls_marked_next(marked, 0, lines->count); i < lines->count && status == MLS_OK;
         i = mls_marked_next(marked, i + 1, lines->count)) {
        status = examine_line(search, i);
    }
    return status;
}

const struct mls_oom_advice_row mls_oom_advices[] = {
#define ADVICE_ROW(id, name, words) {name, words},
    MLS_OOM_ADVICE(ADVICE_ROW)
#undef ADVICE_ROW
};

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
    mls_status status = made != NULL ? mls_signatures_of_memory(&made->signatures, NULL) : MLS_ERROR_MEMORY;
    if (status == MLS_OK) {
        made->scratch = malloc(MLS_LINE_EXAMINED);
        status = made->scratch != NULL ? mls_signatures_prepare(made->signatures, marks, 1) : MLS_ERROR_MEMORY;
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
        mls_signatures_free(search->signatures);
        free(search->marked.bits);
        free(search->scratch);
        free(search->items);
        free(search);
    }
}
