/* SPDX-License-Identifier: Apache-2.0 */
/* needles.c - look up the five bytes at every fourth position in a table of marks that fits in the cache.
 *
 * A window is a sequence of five bytes of a needle.  The table contains several windows of each needle, so that one of
 * them is at an examined position wherever the needle occurs.  The windows are chosen so that they are as rare as
 * possible in the text that was searched so far.  A window of a short needle may extend past the needle by one byte at
 * either end; this byte may have any value.
 *
 * The table treats all digits as equal.  Otherwise the many different numbers in logs would match marks all over it. */
#include "base/needles.h"

#include <limits.h>
#include <stdlib.h>

#include "base/memory.h"

enum {
    WINDOW = 5,               /* length of a window in bytes */
    PART = 4,                 /* number of bytes that are loaded and compared as one integer */
    STRIDE = 4,               /* distance in bytes between examined positions */
    TOGETHER = 8,             /* number of positions that are examined at once */
    TAKEN = STRIDE * TOGETHER /* number of bytes that are examined at once */
};

/* The hash of the last four bytes of a window selects a word of the table, and the first byte selects a bit of this
 * word. A window whose last byte may have any value marks 2^LAST_BITS words.  A window whose first byte may have any
 * value marks all bits of a word. */
enum {
    WORD = 64,               /* number of bits of a word */
    WORD_BITS = 15,          /* number of bits of a hash: the table has 2^WORD_BITS words */
    LAST_BITS = 5,           /* number of bits of the last byte that are hashed */
    GROUP_BITS = 13,         /* number of bits of the hash of a group, see window_group() */
    GROUPS = 2 << GROUP_BITS /* number of groups: by the last four bytes, and by the first four */
};

/* Learn from the text after FIRST bytes (searching fewer bytes takes less time than learning), and again each time REST
 * times as many bytes were read, unless fewer than one in SELDOM positions of the sample is marked. */
enum {
    SAMPLE = 32 * 1024,      /* size of a sample in bytes */
    FIRST = 4 * 1024 * 1024, /* in bytes */
    REST = 8,
    SELDOM = 512,
    SEEN_BITS = 18, /* number of bits of a hash of bytes: there are 2^SEEN_BITS counters */
    SEEN_MOST = 255 /* maximum of a counter */
};

typedef enum window_open { OPEN_NONE, OPEN_FIRST, OPEN_LAST } window_open;

/* A window of a needle.  Most false matches are quickly rejected by comparing `last`. */
typedef struct needle_window {
    uint32_t front, back; /* the first four and the last four bytes of the window */
    window_open open;     /* which byte extends past the needle, if any */
    uint32_t needle;      /* index of the needle */
    int32_t rest;         /* distance from the window to the last four bytes of the needle */
    uint32_t last;        /* the last four bytes of the needle */
} needle_window;

typedef struct window_list {
    needle_window *items;
    size_t count, capacity;
} window_list;

struct mls_needles {
    uint64_t marks[1 << WORD_BITS];
    uint32_t factor; /* the factor of the hash, which consists of two factors of 16 bits */
    needle_window *windows;
    uint32_t first[GROUPS + 1]; /* index of the first window of each group */
    mls_str *texts;
    size_t count;
    uint64_t read, learn_at;      /* number of bytes read so far, and number of bytes at which to learn next */
    char sample[SAMPLE];          /* the text to learn from next */
    size_t sampled;               /* number of bytes in `sample` */
    uint8_t seen[1 << SEEN_BITS]; /* for each hash of a few bytes, how often such bytes occurred in all samples */
    mls_arena arena;
};

typedef uint8_t window_bytes __attribute__((vector_size(16)));
typedef uint16_t window_halves __attribute__((vector_size(16)));
typedef uint32_t four_words __attribute__((vector_size(16)));

static const uint32_t factor_first = UINT32_C(0x9e3779b1);

static inline uint32_t load_part(const char *at)
{
    uint32_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

/* Return the indexes of the table words for four windows.  The first window is at `at`, and the others follow at
 * distances of STRIDE bytes. */
static inline four_words window_words(const mls_needles *self, const char *at)
{
    const uint32_t counted = UINT32_MAX >> (8 - LAST_BITS);
    const uint32_t factor = self->factor;
    window_bytes bytes;
    memcpy(&bytes, at + 1, sizeof bytes);
    bytes |= (window_bytes)((window_bytes)(bytes - '0') < 10) & 0x0f;
    four_words backs = (four_words)bytes & counted;
    backs ^= backs >> 11; /* mix high bits down: the low bits of a product depend only on the low bits of its factors */
    const four_words sums =
        (four_words)((window_halves)backs * (window_halves)(four_words){factor, factor, factor, factor});
    return (sums + (sums << 16)) >> (32 - WORD_BITS);
}

/* Store the indexes of the table words for TOGETHER positions in `words`. */
static inline void take_words(const mls_needles *self, const char *from, uint32_t words[TOGETHER])
{
    const four_words first = window_words(self, from);
    const four_words second = window_words(self, from + sizeof first);
    memcpy(words, &first, sizeof first);
    memcpy(words + TOGETHER / 2, &second, sizeof second);
}

/* Return whether at least one of TOGETHER positions is marked, which is rarely the case. */
static inline bool any_marked(const mls_needles *self, const char *from)
{
    uint32_t words[TOGETHER];
    uint64_t marked = 0;
    take_words(self, from, words);
    for (size_t i = 0; i < TOGETHER; i++)
        marked |= self->marks[words[i]] >> (unsigned char)from[i * STRIDE] % WORD;
    return (marked & 1) != 0;
}

/* Return a mask with a bit for each of TOGETHER positions, which is set if the position is marked. */
static unsigned places_marked(const mls_needles *self, const char *from)
{
    uint32_t words[TOGETHER];
    unsigned marked = 0;
    take_words(self, from, words);
    for (size_t i = 0; i < TOGETHER; i++)
        marked |= (unsigned)(self->marks[words[i]] >> (unsigned char)from[i * STRIDE] % WORD & 1) << i;
    return marked;
}

/* Return the counter of the `count` bytes at `at`; all digits are treated as the same byte. */
static uint8_t *place_seen(mls_needles *self, const char *at, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes = bytes << 8 | (unsigned char)(mls_is_digit(at[i]) ? '0' : at[i]);
    return &self->seen[(bytes * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - SEEN_BITS)];
}

/* Text that is typical of most logs, to choose the first windows. */
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

static void add_window(window_list *list, const char *bytes, window_open open, size_t needle, mls_str text, int at)
{
    const int32_t last = (int32_t)text.len - PART;
    MLS_GROW(list, items);
    list->items[list->count++] = (needle_window){load_part(bytes), load_part(bytes + 1),      open, (uint32_t)needle,
                                                 last - at,        load_part(text.ptr + last)};
}

static size_t count_marked(const mls_needles *self, mls_str sample)
{
    size_t marked = 0;
    for (size_t at = 0; at + TAKEN + WINDOW <= sample.len; at += at % STRIDE < STRIDE - 1 ? 1 : TAKEN - STRIDE + 1)
        marked += (size_t)__builtin_popcount(places_marked(self, sample.ptr + at));
    return marked;
}

static void mark_windows(mls_needles *self, const window_list *list, uint32_t factor)
{
    memset(self->marks, 0, sizeof self->marks);
    self->factor = factor;
    for (size_t i = 0; i < list->count; i++) {
        const needle_window *window = &list->items[i];
        const uint64_t bit = UINT64_C(1) << window->front % WORD;
        char bytes[1 + sizeof(four_words)] = {0};
        memcpy(bytes + 1, &window->back, sizeof window->back);
        const unsigned lasts = window->open == OPEN_LAST ? 1 << LAST_BITS : 1;
        for (unsigned last = 0; last < lasts; last++) {
            bytes[WINDOW - 1] = lasts > 1 ? (char)last : bytes[WINDOW - 1];
            self->marks[window_words(self, bytes)[0]] |= window->open == OPEN_FIRST ? UINT64_MAX : bit;
        }
    }
}

/* Return the group of the windows whose last four bytes are `bytes`; or, with `front`, of the windows whose first four
 * bytes are `bytes` and whose last byte may have any value. */
static uint32_t window_group(uint32_t bytes, bool front)
{
    return (front ? 1 << GROUP_BITS : 0) + ((bytes * factor_first) >> (32 - GROUP_BITS));
}

static uint32_t group_of_window(const needle_window *window)
{
    return window_group(window->open == OPEN_LAST ? window->front : window->back, window->open == OPEN_LAST);
}

/* Estimate how frequent the window at offset `at` of a needle is in logs: by its counter and, if counters are equal, by
 * its number of small letters, blanks and zeros.  Bytes that extend past the needle increase the estimate. */
static unsigned window_weight(mls_needles *self, mls_str needle, ptrdiff_t at)
{
    enum { SEEN = 100, HANGING = 6 };
    const size_t from = at < 0 ? 0 : (size_t)at;
    const size_t end = (size_t)(at + WINDOW) < needle.len ? (size_t)(at + WINDOW) : needle.len;
    unsigned weight = HANGING * (unsigned)(WINDOW - (end - from));
    for (size_t i = from; i < end; i++) {
        const char c = needle.ptr[i];
        weight += (c >= 'a' && c <= 'z') || c == ' ' || c == '0' ? 2 : 1;
    }
    return weight + SEEN * *place_seen(self, needle.ptr + from, end - from);
}

/* Count the bytes of a sample, and choose new windows by the counts of all samples so far. */
static void learn_from(mls_needles *self, mls_str sample)
{
    window_list list = {0};
    for (size_t at = 0; at + WINDOW <= sample.len; at++) {
        for (size_t count = PART; count <= WINDOW; count++) {
            uint8_t *seen = place_seen(self, sample.ptr + at, count);
            *seen = (uint8_t)(*seen + (*seen < SEEN_MOST));
        }
    }
    /* Wherever a needle occurs, an examined position has one of STRIDE distances from its start (modulo the stride):
     * choose the rarest window for each of these distances. */
    for (size_t needle = 0; needle < self->count; needle++) {
        const mls_str text = self->texts[needle];
        for (int k = -1; k < STRIDE - 1; k++) {
            unsigned min = UINT_MAX;
            int rarest = k;
            for (int at = k; at <= (int)text.len - PART; at += STRIDE) {
                const unsigned weight = window_weight(self, text, at);
                rarest = weight < min ? at : rarest;
                min = weight < min ? weight : min;
            }
            char bytes[WINDOW] = {0};
            const size_t left = text.len - (size_t)(rarest < 0 ? 0 : rarest);
            const size_t inside = rarest < 0 ? WINDOW - 1 : left < WINDOW ? left : WINDOW;
            memcpy(bytes + (rarest < 0), text.ptr + (rarest < 0 ? 0 : rarest), inside);
            if (inside >= PART)
                add_window(&list, bytes,
                           rarest < 0        ? OPEN_FIRST
                           : inside < WINDOW ? OPEN_LAST
                                             : OPEN_NONE,
                           needle, text, rarest);
            /* If two bytes extend past the needle, as for the shortest needles, add a window for each value of the
             * first of these bytes. */
            for (unsigned value = 0; inside < PART && value < 256; value++) {
                bytes[PART - 1] = (char)value;
                add_window(&list, bytes, OPEN_LAST, needle, text, rarest);
            }
        }
    }
    /* Choose the hash factor that marks the fewest positions of the sample.  The first sample, `common`, is too short
     * for this. */
    enum { TRIES = 4 };
    uint32_t factor = factor_first;
    uint32_t best = factor | 0x10001;
    size_t min = SIZE_MAX;
    for (int i = 0; self->factor != 0 && i < TRIES && min > 0; i++, factor = factor * UINT32_C(0x2c1b3c6d) + 0x12d6) {
        mark_windows(self, &list, factor | 0x10001);
        const size_t found = count_marked(self, sample);
        best = found < min ? self->factor : best;
        min = found < min ? found : min;
    }
    if (self->factor != best)
        mark_windows(self, &list, best);
    /* Sort the windows by group, with a counting sort. */
    free(self->windows);
    self->windows = mls_malloc((list.count + 1) * sizeof *self->windows);
    memset(self->first, 0, sizeof self->first);
    for (size_t i = 0; i < list.count; i++)
        self->first[group_of_window(&list.items[i])]++;
    for (size_t group = 1; group <= GROUPS; group++)
        self->first[group] += self->first[group - 1];
    for (size_t i = 0; i < list.count; i++)
        self->windows[--self->first[group_of_window(&list.items[i])]] = list.items[i];
    free(list.items);
}

void mls_needles_learn(mls_needles *self, mls_str text)
{
    self->read += text.len;
    if (self->read < self->learn_at)
        return;
    const size_t room = SAMPLE - self->sampled;
    const size_t len = text.len < room ? text.len : room;
    memcpy(self->sample + self->sampled, text.ptr, len);
    self->sampled += len;
    if (self->sampled == SAMPLE) {
        const mls_str sample = {self->sample, SAMPLE};
        self->sampled = 0;
        self->learn_at = REST * self->read;
        if (count_marked(self, sample) * SELDOM >= SAMPLE)
            learn_from(self, sample);
    }
}

mls_status mls_needles_new(const mls_str *texts, size_t count, mls_needles **needles)
{
    mls_needles *self = mls_calloc(1, sizeof *self);
    *needles = NULL;
    self->learn_at = FIRST;
    self->texts = mls_arena_array(&self->arena, count, sizeof *self->texts);
    for (; self->count < count; self->count++) {
        const mls_str text = texts[self->count];
        if (text.len < MLS_NEEDLE_MIN || text.len > INT32_MAX / 2) {
            mls_needles_free(self);
            return MLS_ERROR_VALUE;
        }
        self->texts[self->count] = mls_arena_copy(&self->arena, text);
    }
    learn_from(self, (mls_str){common, sizeof common - 1});
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

/* Call `found` for each needle that occurs in the text with a window at offset `at` whose last four bytes are `bytes`;
 * or, with `front`, whose first four bytes are `bytes`.  Return false if `found` has stopped the search. */
static bool windows_found(const mls_needles *self, mls_str text, size_t at, uint32_t bytes, bool front,
                          bool (*found)(void *state, size_t needle, size_t at), void *state)
{
    const uint32_t group = window_group(bytes, front);
    for (uint32_t i = self->first[group]; i < self->first[group + 1]; i++) {
        const needle_window *window = &self->windows[i];
        const size_t last = at + (size_t)(ptrdiff_t)window->rest; /* wraps around below 0, which is then past the end */
        if ((front ? window->front : window->back) != bytes || last > text.len || text.len - last < PART ||
            load_part(text.ptr + last) != window->last)
            continue;
        const size_t before = self->texts[window->needle].len - PART;
        if (before <= last && memcmp(text.ptr + last - before, self->texts[window->needle].ptr, before) == 0 &&
            !found(state, window->needle, last - before))
            return false;
    }
    return true;
}

/* Call `found` for each needle with a window at one of TOGETHER positions, the first of which is offset `at` in the
 * text. `from` points to the bytes at this offset.  Return false if `found` has stopped the search. */
static bool places_found(const mls_needles *self, mls_str text, size_t at, const char *from,
                         bool (*found)(void *state, size_t needle, size_t at), void *state)
{
    for (unsigned marked = places_marked(self, from); marked != 0; marked &= marked - 1) {
        const size_t i = (size_t)__builtin_ctz(marked) * STRIDE;
        if (!windows_found(self, text, at + i, load_part(from + i + 1), false, found, state) ||
            !windows_found(self, text, at + i, load_part(from + i), true, found, state))
            return false;
    }
    return true;
}

bool mls_needles_find(const mls_needles *self, mls_str text, bool (*found)(void *state, size_t needle, size_t at),
                      void *state)
{
    size_t at = 0;
    for (; at + TAKEN < text.len; at += TAKEN)
        if (any_marked(self, text.ptr + at) && !places_found(self, text, at, text.ptr + at, found, state))
            return false;
    char rest[2 * TAKEN + WINDOW] = {0}; /* padding, because nothing past the end may be read */
    const size_t left = text.len - at;
    if (at > 0)
        memcpy(rest, text.ptr + text.len - TAKEN, TAKEN); /* a constant length, which the compiler inlines */
    else if (left > 0)
        memcpy(rest + TAKEN - left, text.ptr, left);
    const char *from = rest + TAKEN - left;
    return !any_marked(self, from) || places_found(self, text, at, from, found, state);
}
