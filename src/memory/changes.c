/* SPDX-License-Identifier: Apache-2.0 */
/* changes.c - the estimate, its verdict, and what could be changed: every change is computed anew, none is guessed. */
#include <inttypes.h>

#include "base/buffer.h"
#include "memory/sizes.h"

mls_status mls_layout_error(mls_error *error, const char *what, uint64_t number, const char *by, uint64_t divisor)
{
    return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "%s: %" PRIu64 " is not divisible by %s %" PRIu64, what, number,
                         by, divisor);
}

static mls_memory_verdict verdict_of(const mls_memory_ask *ask, const mls_memory_estimate *of)
{
    const bool host = of->spill > 0 && of->host_bytes >= of->spill;
    return of->capacity == 0                                        ? MLS_MEMORY_UNKNOWN
           : of->high <= of->capacity                               ? MLS_MEMORY_FITS
           : host && mls_memory_value(ask, MLS_MEMORY_OFFLOAD) != 0 ? MLS_MEMORY_FITS_WITH_HOST
           : of->low > of->capacity                                 ? MLS_MEMORY_DOES_NOT_FIT
                                                                    : MLS_MEMORY_TIGHT;
}

mls_status mls_memory_estimate_make(const mls_memory_ask *ask, mls_memory_estimate *to, mls_error *error)
{
    const bool training = mls_memory_value(ask, MLS_MEMORY_TRAIN) != 0;
    *to = (mls_memory_estimate){.training = training, .max_tokens = -1, .max_users = -1};
    if (ask->values[MLS_MEMORY_MODEL] == MLS_MEMORY_NOT_SET) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "nobody says which model: --model NAME or config.json");
    }
    to->parameters = mls_shape_parameters(&ask->shape);
    to->capacity = mls_memory_value(ask, MLS_MEMORY_CAPACITY);
    to->items[MLS_MEMORY_ITEM_RUNTIME] = mls_memory_value(ask, MLS_MEMORY_RUNTIME);
    const mls_status status = training ? mls_training_make(ask, to, error) : mls_inference_make(ask, to, error);
    if (status == MLS_OK && (to->high > MLS_BYTES_MOST || to->global_batch > MLS_BYTES_MOST)) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "these sizes add up to more than 9 PB on one GPU");
    }
    to->verdict = verdict_of(ask, to);
    return status;
}

/* -------------------------------------------------------------------- changes */

static void change_value(mls_memory_change *change, mls_memory_setting setting, int64_t value)
{
    change->values[change->count].setting = setting;
    change->values[change->count++].value = value;
}

typedef struct changes {
    const mls_memory_ask *ask;
    const mls_memory_estimate *estimate;
    mls_memory_answer *answer;
} changes;

/* Computes what comes of a change; false: it cannot be. */
static bool change_works(const mls_memory_ask *ask, mls_memory_change *change)
{
    mls_memory_ask changed = *ask;
    mls_memory_estimate estimate;
    for (size_t i = 0; i < change->count; i++) {
        changed.values[change->values[i].setting] = change->values[i].value;
    }
    const bool works = mls_memory_estimate_make(&changed, &estimate, NULL) == MLS_OK;
    change->estimate = estimate.estimate;
    change->verdict = estimate.verdict;
    return works;
}

static void try_change(changes *work, bool possible, const mls_memory_change *change)
{
    mls_memory_answer *answer = work->answer;
    if (possible && answer->tried_count < MLS_MEMORY_TRIED_MAX) {
        answer->tried[answer->tried_count] = *change;
        answer->tried_count += change_works(work->ask, &answer->tried[answer->tried_count]);
    }
}

static void try_value(changes *work, bool possible, mls_memory_setting setting, uint64_t value)
{
    mls_memory_change change = {0};
    change_value(&change, setting, (int64_t)value);
    try_change(work, possible, &change);
}

/* Doubles a degree of parallelism: half as many copies of the model each take twice as many micro-batches. */
static void try_double(changes *work, mls_memory_setting setting)
{
    const mls_memory_ask *ask = work->ask;
    const uint64_t now = mls_memory_value(ask, setting);
    const uint64_t micro = mls_memory_value(ask, MLS_MEMORY_ACCUMULATION);
    const uint64_t node = mls_memory_value(ask, MLS_MEMORY_GPUS_PER_NODE);
    const bool tp = setting == MLS_MEMORY_TP;
    mls_memory_change change = {0};
    change_value(&change, setting, (int64_t)(2 * now));
    change_value(&change, MLS_MEMORY_ACCUMULATION, (int64_t)(2 * micro));
    change_value(&change, MLS_MEMORY_GPUS, (int64_t)work->estimate->gpus);
    if (tp) {
        change_value(&change, MLS_MEMORY_SEQUENCE_PARALLEL,
                     now == 1 ? 1 : (int64_t)mls_memory_value(ask, MLS_MEMORY_SEQUENCE_PARALLEL));
    }
    try_change(work, work->estimate->data_parallel % 2 == 0 && (!tp || 2 * now <= node), &change);
}

static void try_training(changes *work)
{
    const mls_memory_ask *ask = work->ask;
    const uint64_t tp = mls_memory_value(ask, MLS_MEMORY_TP);
    const uint64_t batch = mls_memory_value(ask, MLS_MEMORY_MICRO_BATCH);
    const uint64_t micro = mls_memory_value(ask, MLS_MEMORY_ACCUMULATION);
    const uint64_t zero = mls_memory_value(ask, MLS_MEMORY_ZERO);
    const uint64_t recompute = mls_memory_value(ask, MLS_MEMORY_RECOMPUTE);
    const bool unfused = mls_memory_value(ask, MLS_MEMORY_ATTENTION) == MLS_ATTENTION_UNFUSED;
    const bool copies = MUL(work->estimate->data_parallel, mls_memory_value(ask, MLS_MEMORY_CP)) > 1;
    mls_memory_change halved = {0};
    mls_memory_change full = {0};
    try_value(work, zero == 0 && copies, MLS_MEMORY_ZERO, 1);
    try_value(work, tp > 1 && mls_memory_value(ask, MLS_MEMORY_SEQUENCE_PARALLEL) == 0, MLS_MEMORY_SEQUENCE_PARALLEL,
              1);
    change_value(&halved, MLS_MEMORY_MICRO_BATCH, (int64_t)(batch / 2));
    change_value(&halved, MLS_MEMORY_ACCUMULATION, (int64_t)(2 * micro));
    try_change(work, batch % 2 == 0, &halved);
    try_value(work, unfused && recompute == MLS_RECOMPUTE_NONE, MLS_MEMORY_RECOMPUTE, MLS_RECOMPUTE_SELECTIVE);
    try_double(work, MLS_MEMORY_CP);
    try_double(work, MLS_MEMORY_TP);
    try_double(work, MLS_MEMORY_PP);
    change_value(&full, MLS_MEMORY_RECOMPUTE, MLS_RECOMPUTE_FULL);
    change_value(&full, MLS_MEMORY_RECOMPUTE_LAYERS, MLS_MEMORY_NOT_SET);
    try_change(work, recompute != MLS_RECOMPUTE_FULL || ask->values[MLS_MEMORY_RECOMPUTE_LAYERS] != MLS_MEMORY_NOT_SET,
               &full);
    try_value(work, zero < 2 && copies, MLS_MEMORY_ZERO, 2);
    try_value(work, zero < 3 && copies, MLS_MEMORY_ZERO, 3);
}

/* Whether the first kind of number is smaller. */
static bool is_narrower(int64_t kind, uint64_t than)
{
    const mls_number_bytes a = mls_number_bytes_of(kind);
    const mls_number_bytes b = mls_number_bytes_of((int64_t)than);
    return a.n * b.q < b.n * a.q;
}

static void try_inference(changes *work)
{
    const mls_memory_ask *ask = work->ask;
    const uint64_t kind = mls_memory_value(ask, MLS_MEMORY_PRECISION);
    const uint64_t kv = mls_memory_value(ask, MLS_MEMORY_KV_PRECISION);
    mls_memory_change wider = {0};
    change_value(&wider, MLS_MEMORY_TP, (int64_t)(2 * mls_memory_value(ask, MLS_MEMORY_TP)));
    change_value(&wider, MLS_MEMORY_GPUS, (int64_t)(2 * work->estimate->gpus));
    try_value(work, work->estimate->items[MLS_MEMORY_ITEM_KV_CACHE] > 0 && is_narrower(MLS_FP8, kv),
              MLS_MEMORY_KV_PRECISION, MLS_FP8);
    try_change(work, true, &wider);
    try_value(work, is_narrower(MLS_FP8, kind), MLS_MEMORY_PRECISION, MLS_FP8);
    try_value(work, is_narrower(MLS_INT4, kind), MLS_MEMORY_PRECISION, MLS_INT4);
    try_value(work, work->estimate->spill > 0 && mls_memory_value(ask, MLS_MEMORY_OFFLOAD) == 0, MLS_MEMORY_OFFLOAD, 1);
}

static bool change_is_enough(const mls_memory_change *change)
{
    return change->verdict == MLS_MEMORY_FITS || change->verdict == MLS_MEMORY_FITS_WITH_HOST;
}

/* Both changes at once; false: they set the same, or it cannot be. */
static bool change_both(const mls_memory_ask *ask, const mls_memory_change *a, const mls_memory_change *b,
                        mls_memory_change *both)
{
    *both = *a;
    for (size_t i = 0; i < b->count; i++) {
        for (size_t k = 0; k < a->count; k++) {
            if (a->values[k].setting == b->values[i].setting && b->values[i].setting != MLS_MEMORY_GPUS) {
                return false;
            }
        }
        change_value(both, b->values[i].setting, b->values[i].value);
    }
    return change_works(ask, both);
}

static void find_smallest(const mls_memory_ask *ask, mls_memory_answer *answer)
{
    for (size_t i = 0; i < answer->tried_count && !answer->has_smallest; i++) {
        answer->has_smallest = change_is_enough(&answer->tried[i]);
        answer->smallest = answer->tried[i];
    }
    for (size_t i = 0; i < answer->tried_count && !answer->has_smallest; i++) {
        for (size_t k = i + 1; k < answer->tried_count && !answer->has_smallest; k++) {
            answer->has_smallest = change_both(ask, &answer->tried[i], &answer->tried[k], &answer->smallest) &&
                                   change_is_enough(&answer->smallest);
        }
    }
}

mls_status mls_memory_answer_make(const mls_memory_ask *ask, mls_memory_answer *answer, mls_error *error)
{
    *answer = (mls_memory_answer){0};
    const mls_status status = mls_memory_estimate_make(ask, &answer->estimate, error);
    const mls_memory_verdict verdict = answer->estimate.verdict;
    if (status == MLS_OK && (verdict == MLS_MEMORY_TIGHT || verdict == MLS_MEMORY_DOES_NOT_FIT)) {
        changes work = {ask, &answer->estimate, answer};
        if (answer->estimate.training) {
            try_training(&work);
        } else {
            try_inference(&work);
        }
        find_smallest(ask, answer);
    }
    return status;
}

/* -------------------------------------------------------------------- verdict */

size_t mls_memory_items_sort(const mls_memory_estimate *estimate, mls_memory_item items[MLS_MEMORY_ITEM_COUNT])
{
    size_t count = 0;
    for (size_t i = 0; i < MLS_MEMORY_ITEM_COUNT; i++) {
        size_t at = count;
        if (estimate->items[i] == 0) {
            continue;
        }
        for (; at > 0 && estimate->items[items[at - 1]] < estimate->items[i]; at--) {
            items[at] = items[at - 1];
        }
        items[at] = (mls_memory_item)i;
        count++;
    }
    return count;
}

void mls_memory_words(const mls_memory_ask *ask, const mls_memory_estimate *of, char words[MLS_MEMORY_WORDS_MAX])
{
    enum { NAMED = 3 };
    static const char *const verdicts[] = {"", "fits: ", "fits with the host: ", "tight: ", "does not fit: "};
    const double gb = 1e9;
    mls_memory_item items[MLS_MEMORY_ITEM_COUNT];
    const size_t count = mls_memory_items_sort(of, items);
    int len = mls_text_printf(words, MLS_MEMORY_WORDS_MAX, "%s%.1f GB a GPU (%.1f to %.1f)", verdicts[of->verdict],
                              (double)of->estimate / gb, (double)of->low / gb, (double)of->high / gb);
    if (of->capacity > 0) {
        len += mls_text_printf(words + len, MLS_MEMORY_WORDS_MAX - (size_t)len, ", %s holds %.1f",
                               ask->gpu != NULL ? ask->gpu->name : "it", (double)of->capacity / gb);
    }
    for (size_t i = 0; i < count && i < NAMED; i++) {
        len += mls_text_printf(words + len, MLS_MEMORY_WORDS_MAX - (size_t)len, "%s%s %.1f",
                               i > 0 ? ", " : "; largest are ", mls_memory_item_name(items[i]),
                               (double)of->items[items[i]] / gb);
    }
}

void mls_memory_judge(const mls_memory_ask *ask, const mls_memory_answer *answer, mls_findings *findings)
{
    const mls_memory_verdict verdict = answer->estimate.verdict;
    char words[MLS_MEMORY_WORDS_MAX];
    if (verdict == MLS_MEMORY_DOES_NOT_FIT || verdict == MLS_MEMORY_TIGHT) {
        mls_memory_words(ask, &answer->estimate, words);
        mls_findings_add(findings,
                         verdict == MLS_MEMORY_TIGHT ? MLS_FINDING_MEMORY_TIGHT : MLS_FINDING_MEMORY_DOES_NOT_FIT,
                         (mls_finding_place){0}, "%s", words);
    }
}
