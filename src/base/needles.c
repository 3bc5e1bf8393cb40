/* SPDX-License-Identifier: Apache-2.0 */
/* needles.c - the four bytes at every stride-th place are looked up in a table of marks, small enough for the cache.
 *
 * Of each needle so many windows of four bytes are in the table that one of them falls on a place that is looked at
 * wherever the needle is: of several that would do, those whose bytes are rarest in logs.  The windows of a short
 * needle may hang over it by a byte at either end: they stand in the table with all 256 values of that byte. */
#include "base/needles.h"

#include <stdlib.h>

#include "base/memory.h"

enum { WINDOW = 4, HASH_BITS = 21, GROUP_BITS = 15, STRIDE = 4 };

/* A window of a needle, and how the needle ends: that says no to most windows that are found. */
typedef struct needle_window {
    uint32_t bytes;
    uint32_t needle;
    int32_t rest;  /* from the window to the last WINDOW bytes of the needle; -1: it hangs over the end */
    uint32_t last; /* these bytes */
} needle_window;

struct mls_needles {
    uint32_t marks[(1 << HASH_BITS) / 32]; /* bits: a window has that hash */
    uint8_t *seen;   /* while windows are chosen: by place_seen, how often in `common`, and whether one was chosen */
    uint32_t factor; /* of the hash */
    mls_str *texts;
    needle_window *windows; /* by their hash */
    size_t count, capacity;
    uint32_t *first; /* of the windows whose hash has these upper bits */
    mls_arena arena;
};

enum { WINDOW_TAKEN = 128, COMMON_MOST = 127, SEEN_BITS = 18 };

static const uint32_t factor_first = UINT32_C(0x9e3779b1);

static inline uint32_t load_window(const char *at)
{
    uint32_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

static inline uint32_t window_hash(uint32_t bytes, uint32_t factor)
{
    return (bytes * factor) >> (32 - HASH_BITS);
}

/* Of a window, or of three bytes of one that hangs over, whose fourth no text has. */
static uint8_t *place_seen(const mls_needles *self, uint32_t bytes)
{
    return &self->seen[(bytes * factor_first) >> (32 - SEEN_BITS)];
}
static uint32_t without_last(uint32_t bytes)
{
    return bytes | UINT32_C(0xff000000);
}

/* Its lowest bit: a window may have these bytes. */
static inline uint32_t mark_of(const mls_needles *self, uint32_t bytes)
{
    const uint32_t hash = window_hash(bytes, self->factor);
    return self->marks[hash / 32] >> (hash % 32);
}

/* Text that most logs are full of: windows with these bytes would be found all the time. */
static const char common[] =
    ":::MLLOG {\"namespace\": \"worker0\", \"time_ms\": 17, \"event_type\": \"POINT_IN_TIME\", \"INTERVAL_START\", "
    "\"INTERVAL_END\", \"key\": \"tracked_stats\", \"eval_accuracy\", \"train_loss\", \"reduced_train_loss\", "
    "\"block_start\", \"block_stop\", \"throughput\", \"value\": {\"loss\": 0.00, \"grad_norm\", \"loss_scale\", "
    "\"current_lr\", \"train_step_time\"}, null, \"metadata\": {\"file\": "
    "\"/usr/local/lib/python3.12/dist-packages/site-packages/workspace/train.py\", \"lineno\": 100, \"samples_count\", "
    "\"step\", \"epoch_num\"}} [2026-01-01 00:00:00]            iteration 10/ 1000 | consumed samples: 80 | elapsed "
    "time per "
    "iteration (ms): 1500.0 | learning rate: 1.0E-04 | global batch size: 8 | lm loss: 8.0E+00 | grad norm: 1.000 | "
    "number of skipped iterations: 0 | number of nan iterations: 0 | 2026-01-01T00:00:00.000Z NCCL INFO Channel 00/0 : "
    "0[0] -> 1[1] via P2P/IPC NET/IB/0/GDRDMA comm 0x rank 0 nranks [Rank 0] cudaDev busId commId NET/IB : GPU Direct "
    "RDMA Enabled for HCA 0 'mlx5_0' (distance 4 <= 4), read 0 Connected all rings and trees, using with for the Epoch "
    "0: 10%|##| 100/1000 [00:00<00:00, 1.00it/s, v_num=, reduced_train_loss=1.00, global_step=1.000, val_loss=1.000] "
    "INFO WARNING UserWarning: DeprecationWarning: warnings.warn( is deprecated, and will be enabled: True, False "
    "torch/distributed/nn/modules transformer_engine megatron/core self.local_rank tensor parallel model current "
    "device loading from not set to this that must have function return module layer process group import time, "
    "seconds Setting context container continue content default epoch lineno used CUDA_VISIBLE_DEVICES LOCAL_RANK "
    "Initializing connected created expected on node 0 load_checkpoint end point transport ranks with context "
    "parallel combined 0 data parallel group nemo_logging:0] 1.000, tensor(0.0) loss=1.0000, \"samples_count\": 0.1} "
    "submission_benchmark submission_division init_start run_start retrieve initialized attention optimizer "
    "learning_rate_warmup_steps images/sec Time: Loss: 0.000 missing replication_factor throughput "
    "last_iteration steps iterations: cuda:0 cudaGraph loss : host : NCCL GPU mlx5_0:1 port direct connect called "
    "transport connection and_attention instance with code is the CUDA memory request checkpoint total "
    "global_step epoch: 2025-10-08 2025-10 2025- 2024-05-03 2024- 2023- 22:00 NCCL INFO loss: 0 Time: Tensor "
    "media-perf (nvidia signal "
    "nal_s feature requests compute started comm 0x14af 0x55d0 0x7f00 0x1 0x2 0x3 : 16 : 17 : 18 : 17";

/* It hangs over the needle by a byte. */
static bool window_hangs(mls_str needle, int at)
{
    return at < 0 || (size_t)at + WINDOW > needle.len;
}

enum { COMMON = 100, HANGING_WEIGHT = 2048 };

/* How much of a log the window at `at` of a needle is, roughly: small letters, blanks and zeros most. */
static unsigned window_weight(const mls_needles *self, mls_str needle, int at)
{
    if (window_hangs(needle, at)) {
        char inside[WINDOW] = {0};
        memcpy(inside, needle.ptr + (at < 0 ? 0 : at), WINDOW - 1);
        const unsigned times = *place_seen(self, without_last(load_window(inside))) & COMMON_MOST;
        return HANGING_WEIGHT + COMMON * 2 * WINDOW * times;
    }
    const uint8_t mark = *place_seen(self, load_window(needle.ptr + at));
    unsigned weight = 1;
    for (int i = at; i < at + WINDOW; i++) {
        const char c = needle.ptr[i];
        weight += (c >= 'a' && c <= 'z') || c == ' ' || c == '0' ? 2 : 1;
    }
    return mark & COMMON_MOST ? COMMON * weight * (mark & COMMON_MOST) : mark & WINDOW_TAKEN ? 0 : weight;
}

static bool add_window(mls_needles *self, uint32_t bytes, size_t needle, int offset)
{
    if (!mls_grow((void **)&self->windows, self->count, &self->capacity, sizeof *self->windows)) {
        return false;
    }
    const mls_str text = self->texts[needle];
    const int32_t last = (int32_t)text.len - WINDOW;
    self->windows[self->count++] =
        (needle_window){bytes, (uint32_t)needle, last - offset, load_window(text.ptr + last)};
    *place_seen(self, bytes) |= WINDOW_TAKEN;
    return true;
}

/* The window at `offset`; where it hangs over the needle by a byte, with all that can be there. */
static bool add_windows(mls_needles *self, size_t needle, int offset)
{
    const mls_str text = self->texts[needle];
    char bytes[WINDOW];
    int open = -1;
    for (int i = 0; i < WINDOW; i++) {
        const ptrdiff_t at = (ptrdiff_t)offset + i;
        const bool inside = at >= 0 && (size_t)at < text.len;
        open = inside ? open : i;
        bytes[i] = inside ? text.ptr[at] : '\0';
    }
    bool ok = open >= 0 || add_window(self, load_window(bytes), needle, offset);
    for (unsigned value = 0; open >= 0 && value < 256 && ok; value++) {
        bytes[open] = (char)value;
        ok = add_window(self, load_window(bytes), needle, offset);
    }
    return ok;
}

/* One of the places that are looked at is at each distance from the needle's beginning, counted in strides: for each
 * the rarest window there.  At most one byte of it hangs over. */
static bool add_needle(mls_needles *self, size_t needle)
{
    const mls_str text = self->texts[needle];
    bool ok = true;
    for (int k = -1; k < STRIDE - 1 && ok; k++) {
        unsigned min = UINT32_MAX;
        int rarest = k;
        for (int pass = 0; pass < 2 && min > HANGING_WEIGHT; pass++) { /* those that hang last: they cost most */
            for (int at = k; at <= (int)text.len - WINDOW + 1; at += STRIDE) {
                const unsigned weight = window_hangs(text, at) == pass ? window_weight(self, text, at) : min;
                rarest = weight < min ? at : rarest;
                min = weight < min ? weight : min;
            }
        }
        ok = add_windows(self, needle, rarest);
    }
    return ok;
}

static size_t mark_windows(mls_needles *self, uint32_t factor)
{
    size_t found = 0;
    memset(self->marks, 0, sizeof self->marks);
    self->factor = factor;
    for (size_t i = 0; i < self->count; i++) {
        const uint32_t hash = window_hash(self->windows[i].bytes, factor);
        self->marks[hash / 32] |= UINT32_C(1) << (hash % 32);
    }
    for (size_t i = 0; i + WINDOW < sizeof common; i++) {
        found += mark_of(self, load_window(common + i)) & 1;
    }
    return found;
}

/* Of some factors the one by which fewest of what is common is taken for what is looked for. */
static void choose_factor(mls_needles *self)
{
    enum { TRIES = 12 };
    uint32_t factor = factor_first;
    uint32_t best = factor;
    size_t min = SIZE_MAX;
    for (int i = 0; i < TRIES; i++, factor = factor * UINT32_C(0x2c1b3c6d) + 0x12d6) {
        const size_t found = mark_windows(self, factor | 1);
        best = found < min ? factor | 1 : best;
        min = found < min ? found : min;
    }
    (void)mark_windows(self, best);
}

static uint32_t group_of_window(const mls_needles *self, uint32_t bytes)
{
    return window_hash(bytes, self->factor) >> (HASH_BITS - GROUP_BITS);
}

/* Puts the windows in the order of their groups, by counting. */
static bool index_windows(mls_needles *self)
{
    needle_window *sorted = malloc((self->count + 1) * sizeof *sorted);
    self->first = mls_arena_zeroed(&self->arena, (1 << GROUP_BITS) + 1, sizeof *self->first);
    if (sorted == NULL || self->first == NULL) {
        free(sorted);
        return false;
    }
    choose_factor(self);
    for (size_t i = 0; i < self->count; i++) {
        self->first[group_of_window(self, self->windows[i].bytes)]++;
    }
    for (uint32_t group = 1; group <= 1 << GROUP_BITS; group++) {
        self->first[group] += self->first[group - 1];
    }
    for (size_t i = 0; i < self->count; i++) {
        sorted[--self->first[group_of_window(self, self->windows[i].bytes)]] = self->windows[i];
    }
    free(self->windows);
    self->windows = sorted;
    return true;
}

static void count_seen(uint8_t *mark)
{
    *mark = (uint8_t)(*mark + (*mark < COMMON_MOST));
}

mls_status mls_needles_new(const mls_str *texts, size_t count, mls_needles **needles)
{
    mls_needles *self = calloc(1, sizeof *self);
    mls_status status = MLS_ERROR_MEMORY;
    *needles = NULL;
    if (self == NULL) {
        return status;
    }
    self->texts = mls_arena_array(&self->arena, count, sizeof *self->texts);
    self->seen = calloc(1 << SEEN_BITS, 1);
    bool ok = self->texts != NULL && self->seen != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        if (texts[i].len < MLS_NEEDLE_MIN || texts[i].len > INT32_MAX / 2) {
            status = MLS_ERROR_VALUE;
            ok = false;
        } else {
            self->texts[i] = mls_arena_copy(&self->arena, texts[i]);
            ok = self->texts[i].ptr != NULL;
        }
    }
    for (size_t i = 0; ok && i + WINDOW < sizeof common; i++) {
        const uint32_t bytes = load_window(common + i);
        count_seen(place_seen(self, bytes));
        count_seen(place_seen(self, without_last(bytes)));
    }
    for (size_t i = 0; ok && i < count; i++) {
        ok = add_needle(self, i);
    }
    free(self->seen);
    self->seen = NULL;
    if (!ok || !index_windows(self)) {
        mls_needles_free(self);
        return status;
    }
    *needles = self;
    return MLS_OK;
}

void mls_needles_free(mls_needles *needles)
{
    if (needles != NULL) {
        mls_arena_release(&needles->arena);
        free(needles->windows);
        free(needles);
    }
}

/* The needles that have a window with these bytes, at `at`.  False: the search ends. */
static bool windows_found(const mls_needles *self, mls_str text, size_t at, uint32_t bytes,
                          bool (*found)(void *state, size_t needle, size_t at), void *state)
{
    const uint32_t group = group_of_window(self, bytes);
    for (uint32_t i = self->first[group]; i < self->first[group + 1]; i++) {
        const needle_window *window = &self->windows[i];
        const size_t last = at + (size_t)(ptrdiff_t)window->rest; /* wraps below 0, and is then beyond the end */
        if (window->bytes != bytes || last > text.len || text.len - last < WINDOW ||
            load_window(text.ptr + last) != window->last) {
            continue;
        }
        const size_t before = self->texts[window->needle].len - WINDOW;
        if (before <= last && memcmp(text.ptr + last - before, self->texts[window->needle].ptr, before) == 0 &&
            !found(state, window->needle, last - before)) {
            return false;
        }
    }
    return true;
}

enum { TOGETHER = 8 };

/* TOGETHER places from `at` on, of which those before number `first` have been looked at. */
static inline bool find_together(const mls_needles *self, mls_str text, size_t at, size_t first,
                                 bool (*found)(void *state, size_t needle, size_t at), void *state)
{
    const char *from = text.ptr + at;
    unsigned marked = 0;
    for (size_t i = 0; i < TOGETHER; i++) {
        marked |= mark_of(self, load_window(from + i * STRIDE));
    }
    for (size_t i = first; (marked & 1) != 0 && i < TOGETHER; i++) {
        const uint32_t bytes = load_window(from + i * STRIDE);
        if ((mark_of(self, bytes) & 1) != 0 && !windows_found(self, text, at + i * STRIDE, bytes, found, state)) {
            return false;
        }
    }
    return true;
}

bool mls_needles_find(const mls_needles *self, mls_str text, bool (*found)(void *state, size_t needle, size_t at),
                      void *state)
{
    size_t at = 0;
    for (; at + STRIDE * (TOGETHER - 1) + WINDOW <= text.len; at += (size_t)STRIDE * TOGETHER) {
        if (!find_together(self, text, at, 0, found, state)) {
            return false;
        }
    }
    if (at > 0 && at + WINDOW <= text.len) { /* the last ones together with some before them */
        const size_t left = (text.len - at - WINDOW) / STRIDE + 1;
        if (!find_together(self, text, at - (TOGETHER - left) * STRIDE, TOGETHER - left, found, state)) {
            return false;
        }
        at += left * STRIDE;
    }
    for (; at + WINDOW - 1 <= text.len; at += STRIDE) {
        char bytes[WINDOW] = {0}; /* nothing may be read after the end */
        memcpy(bytes, text.ptr + at, text.len - at < WINDOW ? WINDOW - 1 : WINDOW);
        if ((mark_of(self, load_window(bytes)) & 1) != 0 &&
            !windows_found(self, text, at, load_window(bytes), found, state)) {
            return false;
        }
    }
    return true;
}
