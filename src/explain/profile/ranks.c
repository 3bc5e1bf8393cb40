/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c - collect the kernels of collectives while a trace is read, match them between the ranks of a job, and find
 * out which ranks waited for which.
 *
 * A kernel's key contains the arguments that identify a kind of collective.  If all ranks that have a key have equally
 * many kernels with it, the first kernel of each rank is the first collective, and so on. */
#include "explain/profile/ranks.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"
#include "base/utf8.h"
#include "base/words.h"
#include "explain/profile/gather.h"

/* ------------------------------------------------- collectives of one trace */

/* Return the value of a text if it is a whole number above 0, else NAN. */
static double part_number(mls_str text)
{
    size_t number;
    return mls_size_parse(text, &number) && number > 0 ? (double)number : (double)NAN;
}

void mls_collective_add(mls_profile *profile, const mls_str texts[MLS_COLLECTIVE_PARTS], bool nccl, int64_t start,
                        int64_t length)
{
    if (texts[MLS_COLLECTIVE_NAME].ptr == NULL) {
        profile->nccl_without_arguments += nccl;
        return;
    }
    if (profile->collectives == NULL) {
        profile->collectives = mls_calloc(1, sizeof *profile->collectives);
        profile->collectives->map.arena = profile->arena;
    }
    struct mls_collectives *of = profile->collectives;
    /* The key begins with the lengths of its texts, since a text may contain anything. */
    mls_buffer whole = {0};
    for (size_t i = 0; i < MLS_COLLECTIVE_KEYED; i++)
        mls_buffer_printf(&whole, "%zu ", texts[i].len);
    for (size_t i = 0; i < MLS_COLLECTIVE_KEYED; i++)
        mls_buffer_append(&whole, texts[i]);
    mls_map_entry *entry = mls_map_find(&of->map, mls_buffer_str(&whole));
    if (entry == NULL && of->keys.count < MLS_COLLECTIVE_KEYS_MAX &&
        whole.len <= MLS_COLLECTIVE_BYTES_MAX - of->bytes) {
        entry = mls_map_put(&of->map, mls_buffer_str(&whole), NULL);
        MLS_GROW(&of->keys, items);
        mls_collective_key *key = &of->keys.items[of->keys.count];
        *key = (mls_collective_key){.whole = entry->key,
                                    .in = part_number(texts[MLS_COLLECTIVE_IN]),
                                    .out = part_number(texts[MLS_COLLECTIVE_OUT]),
                                    .size = part_number(texts[MLS_COLLECTIVE_SIZE])};
        const char *end = entry->key.ptr + entry->key.len;
        for (size_t i = MLS_COLLECTIVE_KEYED; i-- > 0;) {
            const size_t len = texts[i].len;
            end -= len;
            key->texts[i] = (mls_str){end, len};
        }
        entry->value.number = of->keys.count++;
        of->bytes += entry->key.len;
    }
    mls_buffer_release(&whole);
    if (entry == NULL || of->kernels.count == UINT32_MAX) {
        of->dropped++;
        return;
    }
    MLS_GROW(&of->kernels, items);
    of->kernels.items[of->kernels.count] = (mls_collective){
        .start = start, .length = length, .key = (uint32_t)entry->value.number, .number = (uint32_t)of->kernels.count};
    of->kernels.count++;
}

/* Order by key, then by start, then by position in the file. */
static int compare_collectives(const void *a, const void *b)
{
    const mls_collective *x = a;
    const mls_collective *y = b;
    return x->key != y->key       ? (x->key < y->key ? -1 : 1)
           : x->start != y->start ? (x->start < y->start ? -1 : 1)
                                  : (x->number > y->number) - (x->number < y->number);
}

void mls_collectives_sort(struct mls_collectives *of, int64_t base_ns)
{
    if (of == NULL)
        return;
    mls_collective *items = of->kernels.items;
    const size_t count = of->kernels.count;
    of->base_ns = base_ns;
    if (count > 0)
        qsort(items, count, sizeof *items, compare_collectives);
    for (size_t i = 0; i < count; i++) {
        mls_collective_key *key = &of->keys.items[items[i].key];
        key->first = key->count++ == 0 ? i : key->first;
    }
}

void mls_collectives_free(struct mls_collectives *of)
{
    if (of != NULL) {
        free(of->kernels.items);
        free(of->keys.items);
        free(of);
    }
}

/* How to compute the bytes that a collective moves. */
typedef struct collective_kind {
    const char *names; /* parts of the name, without '_' */
    bool out;          /* the message size is that of the output, not of the input */
    double times;      /* how often each byte crosses a link: 2 if data are first reduced and then distributed */
    bool others;       /* a rank does not move its own part */
} collective_kind;

/* The first match counts: "allreduce" contains "reduce". */
static const collective_kind collective_kinds[] = {{"allreduce", false, 2, true},         {"allgather", true, 1, true},
                                                   {"reducescatter", false, 1, true},     {"alltoall", false, 1, true},
                                                   {"broadcast|reduce", false, 1, false}, {NULL, false, 0, false}};

static const collective_kind *collective_kind_of(mls_str name)
{
    const collective_kind *kind = collective_kinds;
    char plain[40];
    size_t len = 0;
    for (size_t i = 0; i < name.len && len < sizeof plain; i++) {
        plain[len] = name.ptr[i];
        len += name.ptr[i] != '_';
    }
    while (kind->names != NULL && !mls_str_any((mls_str){plain, len}, kind->names, mls_str_contains))
        kind++;
    return kind;
}

/* -------------------------------------------------------- traces of a job */

/* A trace that may belong to the job. */
typedef struct rank_trace {
    mls_profile *profile;
    mls_str below; /* path of its file below the folder that all traces share */
    size_t rank;
    size_t place;                                     /* position among the profiles */
    enum { RANK_KNOWN, RANK_NAMED, RANK_ORDERED } by; /* source: the trace, the file name, the order of names */
} rank_trace;

typedef MLS_LIST_OF(rank_trace) rank_traces;

/* Find the number after "rank" in a component of a path, such as "rank3", "Rank_03" or "rank-3".  "local_rank3" is
 * ignored. */
static bool rank_in_part(mls_str part, size_t *rank)
{
    enum { RANK_LEN = 4, LOCAL_LEN = 5 };
    for (size_t i = 0; i + RANK_LEN < part.len; i++) {
        if (!mls_str_alike((mls_str){part.ptr + i, RANK_LEN}, MLS_S("rank")))
            continue;
        const size_t before = i - (i > 0 && strchr("_-. ", part.ptr[i - 1]) != NULL);
        if (before >= LOCAL_LEN && mls_str_alike((mls_str){part.ptr + before - LOCAL_LEN, LOCAL_LEN}, MLS_S("local")))
            continue;
        size_t at = i + RANK_LEN;
        at += !mls_is_digit(part.ptr[at]) && strchr("_-.=: ", part.ptr[at]) != NULL;
        mls_str digits = {part.ptr + at, 0};
        while (at + digits.len < part.len && mls_is_digit(digits.ptr[digits.len]))
            digits.len++;
        if (mls_size_parse(digits, rank) && *rank < MLS_WORLD_MAX)
            return true;
    }
    return false;
}

static int compare_paths(const void *a, const void *b)
{
    const rank_trace *x = a;
    const rank_trace *y = b;
    const int order = mls_str_compare_natural(x->below, y->below);
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

static int compare_ranks(const void *a, const void *b)
{
    const rank_trace *x = a;
    const rank_trace *y = b;
    return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1)
           : x->by != y->by   ? (x->by < y->by ? -1 : 1)
                              : compare_paths(a, b);
}

/* Give every trace a rank, drop traces with the same rank as another one, and report contradictions. */
static void order_traces(rank_traces *traces, mls_findings *findings)
{
    enum { LISTED = 8 };
    qsort(traces->items, traces->count, sizeof *traces->items, compare_paths);
    for (size_t i = 0; i < traces->count; i++) {
        rank_trace *trace = &traces->items[i];
        if (trace->by == RANK_ORDERED) {
            trace->rank = i;
            mls_findings_add(
                findings, MLS_FINDING_RANK_GUESSED, (mls_finding_place){.path = trace->profile->file},
                "neither the trace nor its name contains its rank: it is treated as rank %zu, by the order of names",
                i);
        }
    }
    qsort(traces->items, traces->count, sizeof *traces->items, compare_ranks);
    size_t kept = 0;
    for (size_t i = 0; i < traces->count; i++) {
        const rank_trace *trace = &traces->items[i];
        const rank_trace *before = kept > 0 ? &traces->items[kept - 1] : NULL;
        if (before != NULL && before->rank == trace->rank) {
            mls_findings_add(findings, MLS_FINDING_RANK_REPEATED, (mls_finding_place){.path = trace->profile->file},
                             "is of rank %zu, like %s, and was skipped: are they of different jobs?", trace->rank,
                             before->profile->file);
        } else {
            traces->items[kept++] = *trace;
        }
    }
    traces->count = kept;

    size_t world = 0; /* world size in the first trace that contains one */
    size_t ranks = 0; /* the largest rank */
    for (size_t i = 0; i < traces->count; i++) {
        const rank_trace *trace = &traces->items[i];
        const size_t size = trace->profile->world_size;
        const mls_finding_place place = {.path = trace->profile->file};
        world = world > 0 ? world : size;
        ranks = ranks > trace->rank ? ranks : trace->rank + 1;
        ranks = ranks > size ? ranks : size;
        if (size != world && size > 0) {
            mls_findings_add(findings, MLS_FINDING_WORLD_SIZE, place,
                             "is of a job of %zu ranks, but others are of a job of %zu: they are matched anyway", size,
                             world);
        } else if (size > 0 && trace->rank >= size) {
            mls_findings_add(findings, MLS_FINDING_WORLD_SIZE, place, "contains rank %zu in a job of %zu ranks",
                             trace->rank, size);
        }
    }

    mls_buffer list = {0};
    size_t missing = 0;
    for (size_t rank = 0, i = 0; rank < ranks; rank++) {
        const bool there = i < traces->count && traces->items[i].rank == rank;
        i += there;
        missing += !there;
        if (!there && missing <= LISTED)
            mls_buffer_printf(&list, "%s%zu", missing > 1 ? ", " : "", rank);
    }
    if (missing > LISTED)
        mls_buffer_append_text(&list, ", …");
    if (missing > 0) {
        mls_findings_add(findings, MLS_FINDING_RANK_MISSING, (mls_finding_place){.path = NULL},
                         "these of %zu ranks have no trace: %s; waiting for them is not visible", ranks, list.ptr);
    }
    mls_buffer_release(&list);
}

/* --------------------------------------------------------------- straggler */

/* How long ranks waited, in nanoseconds.  The collective with the longest wait is left out of the search for the
 * straggler. */
typedef struct rank_waits {
    double total;           /* wait of all ranks in all collectives */
    double longest;         /* the longest wait of one rank in one collective */
    double longest_total;   /* wait of all ranks in the collective with the longest wait */
    size_t longest_awaited; /* index of the rank that came last to that collective */
} rank_waits;

/* Return the median over all ranks except `but` of the double at offset `member` of mls_rank. */
static double median_of_others(mls_ranks *ranks, const mls_rank *but, size_t member)
{
    double *values = mls_calloc(ranks->count + 1, sizeof *values);
    size_t count = 0;
    for (size_t i = 0; i < ranks->count; i++)
        if (&ranks->items[i] != but)
            memcpy(&values[count++], (const char *)&ranks->items[i] + member, sizeof *values);
    mls_sort_doubles(values, count);
    const double median = mls_median(values, count);
    free(values);
    return median;
}

/* Format milliseconds: three decimals below 10 ms, else one. */
static mls_words words_of_ms(double ms)
{
    return mls_words_trimmed(ms, fabs(ms) < 10 ? 3 : 1);
}

static void describe_straggler(mls_ranks *ranks, double awaited, double share)
{
    /* The straggler's additional computing or idle time is named as the cause if it is at least a quarter of the time
     * that each other rank waited. */
    const double explains = 0.25 * awaited / 1e6 / (double)(ranks->count - 1);
    const mls_rank *rank = ranks->straggler;
    const double others_compute = median_of_others(ranks, rank, offsetof(mls_rank, compute_ms));
    const double others_idle = median_of_others(ranks, rank, offsetof(mls_rank, idle_ms));
    const double computed = rank->compute_ms - others_compute;
    const double idled = rank->idle_ms - others_idle;
    const double host_idled = rank->idle_host_ms - median_of_others(ranks, rank, offsetof(mls_rank, idle_host_ms));
    const bool computes = computed > 0 && computed >= explains;
    const bool host_late = host_idled > 0 && host_idled >= explains;
    const bool idles = !host_late && idled > 0 && idled >= explains;
    mls_buffer line = {0};
    mls_buffer_printf(&line, "the other ranks wait for rank %zu (%s ms, %s of all waiting without the longest wait): ",
                      rank->rank, words_of_ms(awaited / 1e6).text, mls_words_percent(share, 0).text);
    if (computes) {
        mls_buffer_printf(&line, "it computes %s ms longer%s", words_of_ms(computed).text,
                          host_late || idles ? " and " : "");
    }
    if (host_late)
        mls_buffer_printf(&line, "its host is late by %s ms", words_of_ms(host_idled).text);
    else if (idles)
        mls_buffer_printf(&line, "its GPU is idle %s ms longer", words_of_ms(idled).text);
    else if (!computes)
        mls_buffer_append_text(&line, "the cause is unknown");

    const struct {
        const char *name;
        double ms;
    } causes[] = {{"host", rank->idle_host_ms}, {"queue", rank->idle_queue_ms}, {"unknown", rank->idle_unknown_ms}};
    const char *before = " (";
    mls_buffer_printf(&line, ". It computes for %s ms and is idle for %s ms", words_of_ms(rank->compute_ms).text,
                      words_of_ms(rank->idle_ms).text);
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        if (causes[i].ms > 0) {
            mls_buffer_printf(&line, "%s%s %s", before, causes[i].name, words_of_ms(causes[i].ms).text);
            before = ", ";
        }
    }
    mls_buffer_printf(&line, "%s; the medians of the others are %s ms and %s ms. %s", rank->idle_ms > 0 ? ")" : "",
                      words_of_ms(others_compute).text, words_of_ms(others_idle).text,
                      computes    ? "Check its clocks, its temperature and its share of the work"
                      : host_late ? "Check what its host does between launches: data, synchronization, Python"
                      : idles     ? "Check what its GPU waits for: copies, synchronization, data"
                                  : "Check its copies, and what else its GPU runs");
    ranks->verdicts = mls_arena_array(ranks->arena, 1, sizeof *ranks->verdicts);
    ranks->verdicts[ranks->verdict_count++] =
        (mls_profile_verdict){"straggler", mls_sentence_keep(ranks->arena, &line)};
}

/* A rank that mostly waits does not gain from faster communication: replace its verdicts on communication by one that
 * says this.  Remove the verdicts on communication of the straggler, because a verdict of the job describes it. */
static void mend_advice(mls_ranks *ranks, const mls_rank *rank, const mls_rank *most, double total)
{
    const double share = mls_profile_share(rank->waiting_ms, rank->transfer_ms + rank->waiting_ms);
    mls_profile *profile = rank->profile;
    bool replaced = rank == ranks->straggler;
    size_t kept = 0;
    if (!(share >= 0.5) && !replaced)
        return;
    for (size_t i = 0; i < profile->verdict_count; i++) {
        mls_profile_verdict verdict = profile->verdicts[i];
        if (strcmp(verdict.code, "exposed-communication") == 0 ||
            (strcmp(verdict.code, "one-kernel") == 0 &&
             strcmp(profile->names.items[0].class_name, "communication") == 0)) {
            if (replaced)
                continue;
            replaced = true;
            mls_buffer line = {0};
            mls_buffer_printf(&line, "%s of its time in collectives is waiting", mls_words_percent(share, 0).text);
            if (ranks->straggler == NULL) {
                mls_buffer_printf(
                    &line,
                    " for several ranks, mostly rank %zu (%s of all waiting): find out first why they are "
                    "late",
                    most->rank, mls_words_percent(mls_profile_share(most->others_waited_ms * 1e6, total), 0).text);
            } else {
                mls_buffer_printf(&line, ", mostly for rank %zu: find out first why that rank is late", most->rank);
            }
            verdict = (mls_profile_verdict){"waiting", mls_sentence_keep(profile->arena, &line)};
        }
        profile->verdicts[kept++] = verdict;
    }
    profile->verdict_count = kept;
}

/* Find the straggler: the rank that causes most of the waiting, if ranks wait for a considerable part of the kernels'
 * time. */
static void judge_ranks(mls_ranks *ranks, const rank_waits *waits)
{
    const double total = waits->total - waits->longest_total;
    const mls_rank *most = &ranks->items[0];
    double kernels = 0;
    double awaited = 0;
    for (size_t i = 0; i < ranks->count; i++)
        kernels += ranks->items[i].profile->kernel_ms * 1e6;
    for (size_t i = 0; i < ranks->count; i++) {
        const mls_rank *rank = &ranks->items[i];
        const double of = rank->others_waited_ms * 1e6 - (i == waits->longest_awaited ? waits->longest_total : 0);
        most = rank->others_waited_ms > most->others_waited_ms ? rank : most;
        if (total > 0 && of >= 0.7 * total && of >= 0.03 * kernels) {
            ranks->straggler = rank;
            awaited = of;
        }
    }
    most = ranks->straggler != NULL ? ranks->straggler : most;
    for (size_t i = 0; i < ranks->count; i++)
        mend_advice(ranks, &ranks->items[i], most, waits->total);
    if (ranks->straggler != NULL)
        describe_straggler(ranks, awaited, mls_profile_share(awaited, total));
}

/* ---------------------------------------------------------------- matching */

/* A key of collectives in the trace of one rank. */
typedef struct rank_key {
    size_t shared; /* number of the key among the distinct keys of all ranks */
    size_t rank;   /* the index of the rank */
    const mls_collective_key *key;
    const mls_collective *kernels;
} rank_key;

/* Sums of one rank, in whole nanoseconds, exact below 2^53. */
typedef struct rank_sums {
    double transfer, waiting, others_waited;
    double *apart; /* for each collective: milliseconds from its end on the first rank to its end on this rank */
    size_t apart_count;
} rank_sums;

typedef struct ranks_match {
    mls_ranks *ranks;
    mls_arena scratch;
    MLS_LIST_OF(rank_key) keys;
    rank_sums *sums; /* one item per rank */
    rank_waits waits;
} ranks_match;

static int compare_rank_keys(const void *a, const void *b)
{
    const rank_key *x = a;
    const rank_key *y = b;
    return x->shared != y->shared ? (x->shared < y->shared ? -1 : 1) : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Return the time at which a kernel ended, in milliseconds by the clock of its rank. */
static double kernel_end_ms(const mls_rank *rank, const mls_collective *kernel)
{
    const int64_t base = rank->profile->collectives->base_ns;
    return (double)(base > 0 ? base : 0) / 1e6 + (double)(kernel->start + kernel->length) / 1e6;
}

/* Add collective number i of a key to the sums.  The transfer takes as long as the shortest kernel, which is the kernel
 * of the rank that came last. */
static void add_collective(ranks_match *match, const rank_key *keys, size_t count, size_t i, mls_collective_sum *sum)
{
    const mls_rank *first = &match->ranks->items[keys[0].rank];
    size_t last_to_come = 0;
    double waited = 0;
    double longest = 0;
    for (size_t k = 1; k < count; k++)
        last_to_come = keys[k].kernels[i].length < keys[last_to_come].kernels[i].length ? k : last_to_come;
    const int64_t transfer = keys[last_to_come].kernels[i].length;
    for (size_t k = 0; k < count; k++) {
        rank_sums *sums = &match->sums[keys[k].rank];
        const double wait = (double)(keys[k].kernels[i].length - transfer);
        sums->transfer += (double)transfer;
        sums->waiting += wait;
        waited += wait;
        longest = wait > longest ? wait : longest;
        match->ranks->items[keys[k].rank].matched++;
        if (k > 0 && keys[0].rank == 0) {
            sums->apart[sums->apart_count++] = kernel_end_ms(&match->ranks->items[keys[k].rank], &keys[k].kernels[i]) -
                                               kernel_end_ms(first, &keys[0].kernels[i]);
        }
    }
    match->sums[keys[last_to_come].rank].others_waited += waited;
    match->waits.total += waited;
    if (longest > match->waits.longest) {
        match->waits.longest = longest;
        match->waits.longest_total = waited;
        match->waits.longest_awaited = keys[last_to_come].rank;
    }
    sum->count++;
    sum->transfer_ms +=
        (double)transfer; /* nanoseconds; converted to milliseconds after all are added, so that sums are exact */
    sum->waiting_ms += waited;
}

/* Report why the kernels of a key are not matched.  Return false if they can be matched. */
static bool report_unmatched(ranks_match *match, const rank_key *keys, size_t count)
{
    const mls_rank *ranks = match->ranks->items;
    const mls_collective_key *key = keys[0].key;
    const mls_str name = key->texts[MLS_COLLECTIVE_NAME];
    const mls_str elements = key->texts[MLS_COLLECTIVE_IN];
    const mls_str type = key->texts[MLS_COLLECTIVE_TYPE];
    const mls_str group = key->texts[MLS_COLLECTIVE_GROUP];
    enum { NAME_SHOWN = 60 };
    const bool pair = mls_str_among(name, "send recv"); /* the one rank's send is the other's receive */
    mls_buffer why = {0};
    size_t fewest = 0;
    size_t most = 0;
    for (size_t k = 1; k < count; k++) {
        fewest = keys[k].key->count < keys[fewest].key->count ? k : fewest;
        most = keys[k].key->count > keys[most].key->count ? k : most;
    }
    if (count > 1 && fewest == most && !pair)
        return false;
    if (pair) {
        mls_buffer_append_text(&why, "it is not a collective, but goes from one rank to another");
    } else if (count == 1) {
        mls_buffer_printf(&why, "only rank %zu has it, %s", ranks[keys[0].rank].rank,
                          mls_words_plural(key->count, "time", "times").text);
    } else {
        mls_buffer_printf(&why, "rank %zu has %zu of them, rank %zu has %zu", ranks[keys[fewest].rank].rank,
                          keys[fewest].key->count, ranks[keys[most].rank].rank, keys[most].key->count);
    }
    match->ranks->unmatched++;
    if (key->size != 1) { /* ranks of a group of one rank do not wait */
        mls_findings_add(&match->ranks->findings, MLS_FINDING_COLLECTIVE_UNMATCHED, (mls_finding_place){.path = NULL},
                         "%.*s of %.*s %.*s in group '%.*s' is not matched: %s", MLS_CUT(name, NAME_SHOWN),
                         MLS_CUT(elements, NAME_SHOWN), MLS_CUT(type, NAME_SHOWN), MLS_CUT(group, NAME_SHOWN), why.ptr);
    }
    mls_buffer_release(&why);
    return true;
}

static int compare_sums(const void *a, const void *b)
{
    const mls_collective_sum *x = a;
    const mls_collective_sum *y = b;
    const double left = x->transfer_ms + x->waiting_ms;
    const double right = y->transfer_ms + y->waiting_ms;
    return left != right              ? (left < right ? 1 : -1)
           : x->bytes != y->bytes     ? mls_compare_doubles(y->bytes, x->bytes)
           : x->members != y->members ? mls_compare_doubles(x->members, y->members)
                                      : mls_str_compare(x->name, y->name);
}

static void match_ranks(mls_ranks *ranks)
{
    /* The sizes of data types in bytes, by the names that PyTorch prints. */
    static const struct {
        const char *names;
        double bytes;
    } types[] = {{"Bool Byte Char Float8_e4m3fn Float8_e5m2 Float8_e4m3fnuz Float8_e5m2fnuz Float8_e8m0fnu", 1},
                 {"BFloat16 Half Short UInt16", 2},
                 {"Float Int UInt32", 4},
                 {"Double Long UInt64 ComplexFloat", 8},
                 {"ComplexDouble", 16}};
    enum { TYPES = sizeof types / sizeof *types };
    ranks_match match = {.ranks = ranks};
    mls_map kinds = {.arena = &match.scratch}; /* kinds of collectives, numbered as in ranks->collectives */
    size_t kind_capacity = 0;
    match.sums = mls_arena_zeroed(&match.scratch, ranks->count, sizeof *match.sums);

    /* List the keys of all ranks, equal ones next to each other. */
    mls_map shared = {.arena = &match.scratch};
    for (size_t r = 0; r < ranks->count; r++) {
        const struct mls_collectives *of = ranks->items[r].profile->collectives;
        match.sums[r].apart = mls_arena_array(&match.scratch, (of != NULL ? of->kernels.count : 0) + 1, sizeof(double));
        for (size_t i = 0; of != NULL && i < of->keys.count; i++) {
            const mls_collective_key *key = &of->keys.items[i];
            if (key->count > 0) {
                const mls_map_entry *entry = mls_map_put(&shared, key->whole, NULL);
                MLS_GROW(&match.keys, items);
                match.keys.items[match.keys.count++] =
                    (rank_key){(size_t)(entry - shared.entries), r, key, of->kernels.items + key->first};
            }
        }
    }
    if (match.keys.count > 0)
        qsort(match.keys.items, match.keys.count, sizeof *match.keys.items, compare_rank_keys);

    for (size_t i = 0, end; i < match.keys.count; i = end) {
        const rank_key *keys = &match.keys.items[i];
        for (end = i + 1; end < match.keys.count && match.keys.items[end].shared == keys->shared;)
            end++;
        if (report_unmatched(&match, keys, end - i))
            continue;
        /* Find the sums of the collectives with the same name, bytes (as nccl-tests counts them) and number of members.
         */
        const mls_collective_key *key = keys->key;
        const mls_str name = key->texts[MLS_COLLECTIVE_NAME];
        double bytes = collective_kind_of(name)->out ? key->out : key->in;
        size_t type = 0;
        while (type < TYPES && !mls_str_among(key->texts[MLS_COLLECTIVE_TYPE], types[type].names))
            type++;
        bytes *= type < TYPES ? types[type].bytes : (double)NAN;
        bool added = false;
        mls_buffer whole = {0};
        mls_buffer_printf(&whole, "%.0f %.0f ", bytes, key->size);
        mls_buffer_append(&whole, name);
        const mls_map_entry *entry = mls_map_put(&kinds, mls_buffer_str(&whole), &added);
        mls_buffer_release(&whole);
        if (added) {
            mls_arena_grow(ranks->arena, (void **)&ranks->collectives, ranks->collective_count, &kind_capacity,
                           sizeof *ranks->collectives);
            ranks->collectives[ranks->collective_count++] =
                (mls_collective_sum){.name = mls_arena_copy(ranks->arena, name), .bytes = bytes, .members = key->size};
        }
        mls_collective_sum *sum = &ranks->collectives[entry - kinds.entries];
        for (size_t k = 0; k < key->count; k++)
            add_collective(&match, keys, end - i, k, sum);
        ranks->matched += key->count;
    }
    for (size_t i = 0; i < ranks->collective_count; i++) {
        mls_collective_sum *sum = &ranks->collectives[i];
        const collective_kind *kind = collective_kind_of(sum->name);
        /* The bus bandwidth as nccl-tests computes it. */
        const double factor = kind->names == NULL ? (double)NAN
                              : kind->others      ? kind->times * ((sum->members - 1) / sum->members)
                                                  : kind->times;
        sum->transfer_ms /= 1e6;
        sum->waiting_ms /= 1e6;
        sum->bus_gb_s = sum->transfer_ms > 0 ? (double)sum->count * sum->bytes * factor / 1e9 / (sum->transfer_ms / 1e3)
                                             : (double)NAN;
    }
    if (ranks->collective_count > 0)
        qsort(ranks->collectives, ranks->collective_count, sizeof *ranks->collectives, compare_sums);

    const mls_rank *first = &ranks->items[0];
    for (size_t i = 0; i < ranks->count; i++) {
        mls_rank *rank = &ranks->items[i];
        rank_sums *sums = &match.sums[i];
        rank->transfer_ms = sums->transfer / 1e6;
        rank->waiting_ms = sums->waiting / 1e6;
        rank->others_waited_ms = sums->others_waited / 1e6;
        /* A collective ends on all ranks within microseconds.  If it does not, their clocks differ. */
        mls_sort_doubles(sums->apart, sums->apart_count);
        const double apart = mls_median(sums->apart, sums->apart_count);
        if (i > 0 && fabs(apart) >= 1 && isfinite(rank->profile->start_ms) && isfinite(first->profile->start_ms)) {
            mls_findings_add(&ranks->findings, MLS_FINDING_RANK_CLOCK, (mls_finding_place){.path = rank->profile->file},
                             "the clock of rank %zu is %s ms %s that of rank %zu, by the ends of %s: the times of "
                             "these traces cannot be compared; waiting is measured without clocks",
                             rank->rank, mls_words_trimmed(fabs(apart), 3).text, apart > 0 ? "ahead of" : "behind",
                             first->rank, mls_words_plural(sums->apart_count, "collective", "collectives").text);
        }
    }
    for (size_t i = 0; i < ranks->count; i++) {
        const mls_profile *profile = ranks->items[i].profile;
        const mls_finding_place place = {.path = profile->file};
        if (profile->nccl_without_arguments > 0) {
            mls_findings_add(&ranks->findings, MLS_FINDING_COLLECTIVE_ARGUMENTS, place,
                             "not matched because they do not name their collective: %s of NCCL",
                             mls_words_plural(profile->nccl_without_arguments, "kernel", "kernels").text);
        }
        if (profile->collectives != NULL && profile->collectives->dropped > 0) {
            mls_findings_add(&ranks->findings, MLS_FINDING_TOO_MUCH, place,
                             "not matched because there are too many kinds of collectives: %s",
                             mls_words_plural(profile->collectives->dropped, "kernel", "kernels").text);
        }
    }
    free(match.keys.items);
    mls_arena_release(&match.scratch);
    judge_ranks(ranks, &match.waits);
}

void mls_ranks_join(mls_profile *const *profiles, size_t count, mls_ranks **ranks)
{
    rank_traces traces = {0};
    *ranks = NULL;
    /* List the traces that belong to a job: traces with a world size above 1, and, if there are several traces, those
     * found in a folder or with a rank in their names.  They form a job if one of them was found in a folder, if two
     * have different ranks, or if the rank of a second one is not named. */
    mls_str folder = {"", 0}; /* the folder that contains all traces */
    for (size_t i = 0; i < count; i++) {
        if (profiles[i]->kind == MLS_PROFILE_KINETO) {
            const mls_str path = mls_str_from(profiles[i]->file);
            folder = traces.count == 0 ? mls_path_folder(path) : folder;
            while (!mls_str_starts(path, folder))
                folder = mls_path_folder((mls_str){folder.ptr, folder.len - 1});
            MLS_GROW(&traces, items);
            traces.items[traces.count++] = (rank_trace){.profile = profiles[i], .place = i};
        }
    }
    const bool others = traces.count > 1;
    size_t kept = 0;
    bool one = false;
    for (size_t i = 0; i < traces.count; i++) {
        rank_trace trace = traces.items[i];
        const mls_profile *profile = trace.profile;
        trace.below = mls_str_rest(mls_str_from(profile->file), folder.len);
        trace.by = profile->has_rank ? RANK_KNOWN : RANK_ORDERED;
        trace.rank = profile->rank;
        /* Look for a rank in the file name first, then in the nearest folder, then in the folders above. */
        for (mls_str rest = trace.below; trace.by == RANK_ORDERED && rest.len > 0;)
            trace.by = rank_in_part(mls_path_cut(&rest), &trace.rank) ? RANK_NAMED : RANK_ORDERED;
        if (profile->world_size > 1 || (others && (profile->in_folder || trace.by == RANK_NAMED))) {
            traces.items[kept++] = trace;
            one |= profile->in_folder || (kept > 1 && (trace.by == RANK_ORDERED || trace.rank != traces.items[0].rank));
        }
    }
    traces.count = one ? kept : 0;
    if (traces.count > 0) {
        mls_ranks *made = mls_calloc(1, sizeof *made);
        made->arena = mls_calloc(1, sizeof *made->arena);
        order_traces(&traces, &made->findings);
        made->items = mls_arena_zeroed(made->arena, traces.count, sizeof *made->items);
        for (size_t i = 0; i < traces.count; i++) {
            mls_profile *profile = traces.items[i].profile;
            const char *below = traces.items[i].below.ptr;
            mls_rank *rank = &made->items[made->count++];
            *rank = (mls_rank){.rank = traces.items[i].rank, .below = below, .profile = profile};
            made->folder = (mls_str){profile->file, (size_t)(below - profile->file)};
            made->world_size = profile->world_size > made->world_size ? profile->world_size : made->world_size;
            for (size_t d = 0; d < profile->device_count; d++) {
                const mls_profile_device *device = &profile->devices[d];
                rank->compute_ms += device->compute_ms;
                rank->idle_ms += device->idle_ms;
                rank->idle_host_ms += device->idle_host_ms;
                rank->idle_queue_ms += device->idle_queue_ms;
                rank->idle_unknown_ms += device->idle_unknown_ms;
            }
        }
        match_ranks(made);
        *ranks = made;
    }
    free(traces.items);
}

void mls_ranks_free(mls_ranks *ranks)
{
    if (ranks != NULL) {
        mls_arena_free(ranks->arena);
        mls_findings_release(&ranks->findings);
        free(ranks);
    }
}
