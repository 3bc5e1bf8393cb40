/* SPDX-License-Identifier: Apache-2.0 */
/* changes.c - compute estimates and verdicts, and try changes of settings.  For each change the whole estimate is
 * computed again. */
#include "base/buffer.h"
#include "explain/memory/sizes.h"

enum { MILLION = 1000000 };

/* Compute an estimate and its verdict.  `weights` are used only for inference. */
static mls_status make_one(const mls_memory_ask *ask, const mls_weights *weights, mls_memory_estimate *to,
                           mls_error *error)
{
    const bool training = VALUE(ask, TRAIN) != 0;
    const uint64_t share = VALUE(ask, UTILIZATION);
    *to = (mls_memory_estimate){
        .training = training, .max_tokens = -1, .max_users = -1, .cache_bytes = -1, .cache_blocks = -1};
    to->parameters = mls_shape_parameters(&ask->shape);
    to->capacity = VALUE(ask, CAPACITY);
    to->budget = share != 0 ? MUL(to->capacity, share) / MILLION : to->capacity;
    ITEM(to, RUNTIME) = VALUE(ask, RUNTIME);
    const mls_status status =
        training ? mls_training_make(ask, to, error) : mls_inference_make(ask, weights, to, error);
    if (status == MLS_OK && (to->high > MLS_BYTES_MAX || to->global_batch > MLS_BYTES_MAX))
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "these sizes add up to more than 9 PB on one GPU");
    /* If a server has a share of the memory, it fills that share with the KV cache.  CUDA graphs are captured later and
     * need memory outside the share. */
    const bool host = to->spill > 0 && to->host_bytes >= to->spill;
    const uint64_t beside = share != 0 ? ITEM(to, CUDA_GRAPHS) : 0;
    const bool filled = ADD(to->budget, beside) > to->capacity;
    to->verdict = to->capacity == 0                                           ? MLS_MEMORY_UNKNOWN
                  : !filled && mls_bytes_less(to->high, beside) <= to->budget ? MLS_MEMORY_FITS
                  : host && VALUE(ask, OFFLOAD) != 0                          ? MLS_MEMORY_FITS_WITH_HOST
                  : mls_bytes_less(to->low, beside) > to->budget              ? MLS_MEMORY_DOES_NOT_FIT
                                                                              : MLS_MEMORY_TIGHT;
    return status;
}

/* Compute *to, with the same bits for all weights, and *published, with the weights of published checkpoints.  Set
 * published->estimate to 0 if published checkpoints of this precision are unknown. */
static mls_status make_both(const mls_memory_ask *ask, mls_memory_estimate *to, mls_memory_estimate *published,
                            mls_error *error)
{
    mls_weights weights = {.n = 0};
    *published = (mls_memory_estimate){.estimate = 0};
    *to = *published;
    if (ask->shape.layers == 0)
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "no model given: use --model NAME or a config.json");
    mls_status status =
        VALUE(ask, TRAIN) != 0 ? MLS_OK : mls_weights_of(ask, mls_shape_parameters(&ask->shape), &weights, error);
    status = status == MLS_OK ? make_one(ask, &weights, to, error) : status;
    to->form = weights.form;
    if (status == MLS_OK && weights.published != 0) {
        status = make_one(ask, &(mls_weights){.n = weights.published, .q = 1}, published, error);
        published->decides = weights.decides;
        to->verdict = weights.decides ? published->verdict : to->verdict;
    }
    return status;
}

mls_status mls_memory_estimate_make(const mls_memory_ask *ask, mls_memory_estimate *to, mls_error *error)
{
    mls_memory_estimate published;
    return make_both(ask, to, &published, error);
}

const mls_memory_estimate *mls_memory_shown(const mls_memory_answer *answer)
{
    return answer->published.decides ? &answer->published : &answer->estimate;
}

/* A change to try.  Its values end before the first entry for the setting MODEL, which is never changed. */
typedef struct candidate {
    bool possible;
    mls_memory_change change;
} candidate;

/* Compute the estimate after a change.  Return false if the change is not possible. */
static bool change_works(const mls_memory_ask *ask, mls_memory_change *change)
{
    mls_memory_ask changed = *ask;
    mls_memory_estimate estimate;
    mls_memory_estimate published;
    for (size_t i = 0; i < change->count; i++)
        changed.values[change->values[i].setting] = change->values[i].value;
    const mls_status status = make_both(&changed, &estimate, &published, NULL);
    change->estimate = estimate.estimate;
    change->shown = published.decides ? published.estimate : estimate.estimate;
    change->verdict = estimate.verdict;
    return status == MLS_OK;
}

static void try_all(const mls_memory_ask *ask, const candidate *candidates, size_t count, mls_memory_answer *answer)
{
    for (size_t i = 0; i < count; i++) {
        mls_memory_change *tried = &answer->tried[answer->tried_count];
        *tried = candidates[i].change;
        while (tried->values[tried->count].setting != MLS_MEMORY_MODEL)
            tried->count++;
        answer->tried_count += candidates[i].possible && change_works(ask, tried);
    }
}

/* Try changes of training settings.  Doubling the parallelism halves the number of copies of the model; each copy then
 * processes twice as many micro-batches. */
static void try_training(const mls_memory_ask *ask, mls_memory_answer *answer)
{
    const int64_t tp = (int64_t)VALUE(ask, TP);
    const int64_t batch = (int64_t)VALUE(ask, MICRO_BATCH);
    const int64_t twice = 2 * (int64_t)VALUE(ask, ACCUMULATION);
    const int64_t gpus = (int64_t)answer->estimate.gpus;
    const int64_t sequence_parallel = (int64_t)VALUE(ask, SEQUENCE_PARALLEL);
    const uint64_t recompute = VALUE(ask, RECOMPUTE);
    const uint64_t zero = VALUE(ask, ZERO);
    const bool fsdp = ask->values[MLS_MEMORY_FSDP] != MLS_MEMORY_NOT_SET;
    const mls_memory_setting sharing = fsdp ? MLS_MEMORY_FSDP : MLS_MEMORY_ZERO;
    const bool unfused = VALUE(ask, ATTENTION) == MLS_ATTENTION_UNFUSED;
    const bool of_some = ask->values[MLS_MEMORY_RECOMPUTE_LAYERS] != MLS_MEMORY_NOT_SET;
    const bool copies = MUL(answer->estimate.data_parallel, VALUE(ask, CP)) > 1;
    const bool even = answer->estimate.data_parallel % 2 == 0;
    const candidate candidates[] = {
        {zero == 0 && copies && !fsdp, {.values = {{MLS_MEMORY_ZERO, 1}}}},
        {tp > 1 && sequence_parallel == 0, {.values = {{MLS_MEMORY_SEQUENCE_PARALLEL, 1}}}},
        {batch % 2 == 0, {.values = {{MLS_MEMORY_MICRO_BATCH, batch / 2}, {MLS_MEMORY_ACCUMULATION, twice}}}},
        {unfused && recompute == MLS_RECOMPUTE_NONE, {.values = {{MLS_MEMORY_RECOMPUTE, MLS_RECOMPUTE_SELECTIVE}}}},
        {even,
         {.values = {{MLS_MEMORY_CP, 2 * (int64_t)VALUE(ask, CP)},
                     {MLS_MEMORY_ACCUMULATION, twice},
                     {MLS_MEMORY_GPUS, gpus}}}},
        {even && 2 * tp <= (int64_t)VALUE(ask, GPUS_PER_NODE),
         {.values = {{MLS_MEMORY_TP, 2 * tp},
                     {MLS_MEMORY_ACCUMULATION, twice},
                     {MLS_MEMORY_GPUS, gpus},
                     {MLS_MEMORY_SEQUENCE_PARALLEL, tp == 1 ? 1 : sequence_parallel}}}},
        {even,
         {.values = {{MLS_MEMORY_PP, 2 * (int64_t)VALUE(ask, PP)},
                     {MLS_MEMORY_ACCUMULATION, twice},
                     {MLS_MEMORY_GPUS, gpus}}}},
        {recompute != MLS_RECOMPUTE_FULL || of_some,
         {.values = {{MLS_MEMORY_RECOMPUTE, MLS_RECOMPUTE_FULL}, {MLS_MEMORY_RECOMPUTE_LAYERS, MLS_MEMORY_NOT_SET}}}},
        {answer->estimate.peak != NULL && VALUE(ask, LOSS) == MLS_LOSS_EAGER,
         {.values = {{MLS_MEMORY_LOSS, MLS_LOSS_CHUNKED}}}},
        {zero < 2 && copies, {.values = {{sharing, fsdp ? MLS_FSDP_SHARD_GRAD_OP : 2}}}},
        {zero < 3 && copies, {.values = {{sharing, fsdp ? MLS_FSDP_FULL_SHARD : 3}}}},
    };
    try_all(ask, candidates, sizeof candidates / sizeof *candidates, answer);
}

/* Return whether numbers of the precision `kind` have fewer bytes than `than`. */
static bool is_narrower(int64_t kind, mls_number_bytes than)
{
    const mls_number_bytes of = mls_number_bytes_of(kind);
    return MUL(of.n, than.q) < MUL(than.n, of.q);
}

static void try_inference(const mls_memory_ask *ask, mls_memory_answer *answer)
{
    const mls_memory_estimate *of = &answer->estimate;
    const mls_number_bytes cache = mls_number_bytes_of((int64_t)VALUE(ask, KV_PRECISION));
    mls_weights weights;
    if (mls_weights_of(ask, of->parameters, &weights, NULL) != MLS_OK)
        return;
    const mls_number_bytes whole = {weights.n, MUL(weights.q, of->parameters)};
    const bool cached = ITEM(of, KV_CACHE) > 0;
    const uint64_t share = VALUE(ask, UTILIZATION);
    /* The share of the memory that CUDA graphs leave, rounded down to hundredths.  A share above 95 % is not suggested.
     */
    const uint64_t most =
        share != 0 ? MUL(mls_bytes_less(of->capacity, ITEM(of, CUDA_GRAPHS)), 100) / of->capacity * (MILLION / 100) : 0;
    const uint64_t better = mls_bytes_min(most, MILLION / 100 * 95);
    const candidate candidates[] = {
        {better != 0 && better != share, {.values = {{MLS_MEMORY_UTILIZATION, (int64_t)better}}}},
        {cached && is_narrower(MLS_FP8, cache), {.values = {{MLS_MEMORY_KV_PRECISION, MLS_FP8}}}},
        {true, {.values = {{MLS_MEMORY_TP, 2 * (int64_t)VALUE(ask, TP)}, {MLS_MEMORY_GPUS, 2 * (int64_t)of->gpus}}}},
        {is_narrower(MLS_FP8, whole), {.values = {{MLS_MEMORY_PRECISION, MLS_FP8}}}},
        {is_narrower(MLS_INT4, whole), {.values = {{MLS_MEMORY_PRECISION, MLS_INT4}}}},
        {of->spill > 0 && VALUE(ask, OFFLOAD) == 0, {.values = {{MLS_MEMORY_OFFLOAD, 1}}}},
    };
    try_all(ask, candidates, sizeof candidates / sizeof *candidates, answer);
}

mls_status mls_memory_answer_make(const mls_memory_ask *ask, mls_memory_answer *answer, mls_error *error)
{
    *answer = (mls_memory_answer){0};
    const mls_status status = make_both(ask, &answer->estimate, &answer->published, error);
    mls_memory_verdict *verdict = &answer->estimate.verdict;
    if (ask->ended_well && *verdict == MLS_MEMORY_DOES_NOT_FIT)
        *verdict = MLS_MEMORY_TIGHT;
    const bool narrow = *verdict == MLS_MEMORY_TIGHT || *verdict == MLS_MEMORY_DOES_NOT_FIT;
    if (status != MLS_OK || !narrow || ask->ended_well)
        return status;
    (answer->estimate.training ? try_training : try_inference)(ask, answer);
    /* Find the first change that fits, else the first pair of changes.  The two changes of a pair
     * may both set GPUS but no other setting. */
    mls_memory_change *smallest = &answer->smallest;
    for (size_t i = 0; i < answer->tried_count && !answer->has_smallest; i++) {
        *smallest = answer->tried[i];
        answer->has_smallest = smallest->verdict == MLS_MEMORY_FITS || smallest->verdict == MLS_MEMORY_FITS_WITH_HOST;
    }
    for (size_t i = 0; i < answer->tried_count && !answer->has_smallest; i++) {
        for (size_t k = i + 1; k < answer->tried_count && !answer->has_smallest; k++) {
            const mls_memory_change *a = &answer->tried[i];
            const mls_memory_change *b = &answer->tried[k];
            bool apart = true;
            *smallest = *a;
            for (size_t v = 0; v < b->count; v++) {
                for (size_t u = 0; u < a->count; u++)
                    apart &= a->values[u].setting != b->values[v].setting || b->values[v].setting == MLS_MEMORY_GPUS;
                smallest->values[smallest->count++] = b->values[v];
            }
            answer->has_smallest =
                apart && change_works(ask, smallest) &&
                (smallest->verdict == MLS_MEMORY_FITS || smallest->verdict == MLS_MEMORY_FITS_WITH_HOST);
        }
    }
    return MLS_OK;
}

size_t mls_memory_items_sort(const mls_memory_estimate *estimate, mls_memory_item items[MLS_MEMORY_ITEM_COUNT])
{
    size_t count = 0;
    for (size_t i = 0; i < MLS_MEMORY_ITEM_COUNT; i++) {
        size_t at = count;
        if (estimate->items[i] == 0)
            continue;
        for (; at > 0 && estimate->items[items[at - 1]] < estimate->items[i]; at--)
            items[at] = items[at - 1];
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
                               i > 0 ? ", " : "; largest are ", mls_memory_items[items[i]].name,
                               (double)of->items[items[i]] / gb);
    }
}

void mls_memory_judge(const mls_memory_ask *ask, const mls_memory_answer *answer, mls_findings *findings)
{
    const mls_memory_verdict verdict = answer->estimate.verdict;
    char words[MLS_MEMORY_WORDS_MAX];
    const bool trained = answer->estimate.training && ask->shape.tower_parameters != 0;
    if (ask->doubt[0] != '\0' || trained) {
        mls_findings_add(findings, MLS_FINDING_MEMORY_MODEL, (mls_finding_place){0}, "%s",
                         ask->doubt[0] != '\0'
                             ? ask->doubt
                             : "only the training of the language part is counted, not of vision or audio towers");
    }
    if (answer->estimate.training && ask->quantization.bytes != 0) {
        mls_findings_add(findings, MLS_FINDING_MEMORY_MODEL, (mls_finding_place){0},
                         "training is computed as if the model were not quantized, although its file says so: %s",
                         ask->quantization.words);
    }
    const mls_memory_estimate *of = &answer->published;
    if (of->estimate != 0 && of->verdict == MLS_MEMORY_DOES_NOT_FIT && verdict != MLS_MEMORY_DOES_NOT_FIT) {
        mls_findings_add(
            findings, MLS_FINDING_MEMORY_TIGHT, (mls_finding_place){0},
            "published checkpoints of this precision hold %.1f GB of weights a GPU, with which it is %.1f GB "
            "and does not fit: %s",
            (double)ITEM(of, WEIGHTS) / 1e9, (double)of->estimate / 1e9, answer->estimate.form.words);
    }
    if (verdict == MLS_MEMORY_DOES_NOT_FIT || verdict == MLS_MEMORY_TIGHT) {
        mls_memory_words(ask, mls_memory_shown(answer), words);
        mls_findings_add(findings,
                         verdict == MLS_MEMORY_TIGHT ? MLS_FINDING_MEMORY_TIGHT : MLS_FINDING_MEMORY_DOES_NOT_FIT,
                         (mls_finding_place){0}, "%s", words);
    }
}
