/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c - the collectives that the ranks of a job have in common: how long each took, and who waited in it.
 *
 * The kernels of each rank stand together by key, in their order.  So the keys of all ranks are put side by side, and
 * of those that stand equally often with every rank that has them the first is the first, and so on. */
#include "explain/profile/ranks.h"
#include "explain/profile/gather.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"
#include "base/utf8.h"
#include "base/words.h"
#include "explain/profile/collectives.h"

/* A trace that may be of the job. */
typedef struct mls_rank_trace {
    mls_profile *profile;
    mls_str below; /* its path below the folder that all have in common, to its end */
    size_t rank;
    size_t place;                                                /* among the profiles */
    enum { MLS_RANK_SAID, MLS_RANK_NAMED, MLS_RANK_ORDERED } by; /* the trace, its name, its place */
} mls_rank_trace;

typedef MLS_LIST_OF(mls_rank_trace) mls_rank_traces;

/* How long ranks waited, in whole nanoseconds, without the collective with the longest wait of all. */
typedef struct mls_waits {
    double total;
    double longest;         /* of a rank, in the collective that is left out */
    double longest_total;   /* of all ranks in it */
    size_t longest_awaited; /* the rank that came last to it, by its place */
} mls_waits;

enum { RANK_LEN = 4, LISTED = 8 };

/* Whether what stands before a "rank" says that it is one of a node only. */
static bool is_local(mls_str before)
{
    const mls_str local = MLS_S("local");
    if (before.len > 0 && strchr("_-. ", before.ptr[before.len - 1]) != NULL)
        before.len--;
    return before.len >= local.len && mls_str_alike((mls_str){before.ptr + before.len - local.len, local.len}, local);
}

/* The number behind "rank" in a part of a path, "rank3", "Rank_03", "rank-3". */
static bool rank_in_part(mls_str part, size_t *rank)
{
    for (size_t i = 0; i + RANK_LEN < part.len; i++) {
        size_t at = i + RANK_LEN;
        if (!mls_str_alike((mls_str){part.ptr + i, RANK_LEN}, MLS_S("rank")) || is_local((mls_str){part.ptr, i}))
            continue;
        at += !mls_is_digit(part.ptr[at]) && strchr("_-.=: ", part.ptr[at]) != NULL;
        mls_str digits = {part.ptr + at, 0};
        while (at + digits.len < part.len && mls_is_digit(digits.ptr[digits.len]))
            digits.len++;
        if (mls_size_parse(digits, rank) && *rank < MLS_WORLD_MAX)
            return true;
    }
    return false;
}

/* The folder that all traces are below; "" where there is none. */
static mls_str common_folder(const mls_rank_traces *traces)
{
    mls_str folder = {"", 0};
    for (size_t i = 0; i < traces->count; i++) {
        const mls_str path = mls_str_from(traces->items[i].profile->file);
        folder = i == 0 ? mls_path_folder(path) : folder;
        while (!mls_str_starts(path, folder))
            folder = mls_path_folder((mls_str){folder.ptr, folder.len - 1});
    }
    return folder;
}

static void list_traces(mls_profile *const *profiles, size_t count, mls_rank_traces *traces)
{
    for (size_t i = 0; i < count; i++) {
        if (profiles[i]->kind == MLS_PROFILE_KINETO) {
            MLS_GROW(traces, items);
            traces->items[traces->count++] = (mls_rank_trace){.profile = profiles[i], .place = i};
        }
    }
    const size_t folder = common_folder(traces).len;
    for (size_t i = 0; i < traces->count; i++) {
        mls_rank_trace *trace = &traces->items[i];
        const mls_str path = mls_str_from(trace->profile->file);
        trace->below = mls_str_rest(path, folder);
        trace->by = trace->profile->has_rank ? MLS_RANK_SAID : MLS_RANK_ORDERED;
        trace->rank = trace->profile->rank;
        /* The file's name comes first, then the nearest folder. */
        for (mls_str rest = trace->below; trace->by == MLS_RANK_ORDERED && rest.len > 0;)
            trace->by = rank_in_part(mls_path_cut(&rest), &trace->rank) ? MLS_RANK_NAMED : MLS_RANK_ORDERED;
    }
}

/* Keeps those of a job: found in a folder beside others, of several ranks, or named like that.  They are one where a
 * folder says so, or two named ones are of two ranks. */
static void keep_members(mls_rank_traces *traces)
{
    const bool others = traces->count > 1;
    size_t kept = 0;
    bool one = false;
    for (size_t i = 0; i < traces->count; i++) {
        const mls_rank_trace trace = traces->items[i];
        const bool several = trace.profile->world_size > 1;
        if (several || (others && (trace.profile->in_folder || trace.by == MLS_RANK_NAMED))) {
            traces->items[kept++] = trace;
            one |= trace.profile->in_folder ||
                   (kept > 1 && (trace.by == MLS_RANK_ORDERED || trace.rank != traces->items[0].rank));
        }
    }
    traces->count = one ? kept : 0;
}

static int compare_paths(const void *a, const void *b)
{
    const mls_rank_trace *x = a;
    const mls_rank_trace *y = b;
    const int order = mls_str_compare_natural(x->below, y->below);
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

static int compare_ranks(const void *a, const void *b)
{
    const mls_rank_trace *x = a;
    const mls_rank_trace *y = b;
    return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1)
           : x->by != y->by   ? (x->by < y->by ? -1 : 1)
                              : compare_paths(a, b);
}

/* Who says nothing of a rank has the place of its name. */
static void order_traces(mls_rank_traces *traces, mls_findings *findings)
{
    qsort(traces->items, traces->count, sizeof *traces->items, compare_paths);
    for (size_t i = 0; i < traces->count; i++) {
        mls_rank_trace *trace = &traces->items[i];
        if (trace->by == MLS_RANK_ORDERED) {
            trace->rank = i;
            mls_findings_add(findings, MLS_FINDING_RANK_GUESSED, (mls_finding_place){.path = trace->profile->file},
                             "neither the trace nor its name says its rank: it is taken for rank %zu, by the order of "
                             "names",
                             i);
        }
    }
    qsort(traces->items, traces->count, sizeof *traces->items, compare_ranks);
}

/* Of a rank that is there twice the first counts. */
static void drop_repeated_ranks(mls_rank_traces *traces, mls_findings *findings)
{
    size_t kept = 0;
    for (size_t i = 0; i < traces->count; i++) {
        const mls_rank_trace *trace = &traces->items[i];
        const mls_rank_trace *before = kept > 0 ? &traces->items[kept - 1] : NULL;
        if (before != NULL && before->rank == trace->rank) {
            mls_findings_add(findings, MLS_FINDING_RANK_REPEATED, (mls_finding_place){.path = trace->profile->file},
                             "is of rank %zu, as %s is: it is left out; are they of different jobs?", trace->rank,
                             before->profile->file);
        } else {
            traces->items[kept++] = *trace;
        }
    }
    traces->count = kept;
}

static void check_world(const mls_rank_traces *traces, mls_findings *findings)
{
    size_t world = 0;
    for (size_t i = 0; i < traces->count; i++) {
        const mls_rank_trace *trace = &traces->items[i];
        const size_t said = trace->profile->world_size;
        const mls_finding_place place = {.path = trace->profile->file};
        world = world > 0 ? world : said;
        if (said != world && said > 0) {
            mls_findings_add(findings, MLS_FINDING_WORLD_SIZE, place,
                             "is of a job of %zu ranks, others of one of %zu: they are matched all the same", said,
                             world);
        } else if (said > 0 && trace->rank >= said) {
            mls_findings_add(findings, MLS_FINDING_WORLD_SIZE, place, "says to be of rank %zu in a job of %zu ranks",
                             trace->rank, said);
        }
    }
}

/* Says which ranks up to the last one have no trace. */
static void find_missing(const mls_rank_traces *traces, mls_findings *findings)
{
    mls_buffer list = {0};
    size_t world = 0;
    size_t missing = 0;
    for (size_t i = 0; i < traces->count; i++) {
        const mls_rank_trace *trace = &traces->items[i];
        world = world > trace->rank ? world : trace->rank + 1;
        world = world > trace->profile->world_size ? world : trace->profile->world_size;
    }
    for (size_t rank = 0, i = 0; rank < world; rank++) {
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
                         "of %zu ranks these have no trace here: %s; who waited for them is not seen", world, list.ptr);
    }
    mls_buffer_release(&list);
}

/* From which share of the waiting, and of the time of all kernels, on one rank is a straggler; from which share of what
 * each of the others waits on something explains it; from which share of a rank's time in collectives on it waits. */
#define STRAGGLER_OF_WAITING 0.7
#define STRAGGLER_OF_KERNELS 0.03
#define EXPLAINS 0.25
#define MOSTLY_WAITING 0.5

MLS_PRINTF(2, 3)
static const char *keep_sentence(mls_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *kept = mls_sentence_keep(arena, format, args);
    va_end(args);
    return kept;
}

/* The median over all ranks but one of a member, a double at this offset. */
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

/* With more decimals where there is less of it. */
static mls_words words_of_ms(double ms)
{
    return mls_words_trimmed(ms, fabs(ms) < 10 ? 3 : 1);
}

/* Of what the straggler did meanwhile: what it did longer than the others, and the median of those. */
typedef struct straggler_acts {
    double computed, idled, host_idled; /* by how much longer */
    double others_compute, others_idle;
    bool computes, host_late, idles; /* it explains how long each of the others waited */
} straggler_acts;

static straggler_acts acts_of(mls_ranks *ranks, double each_ms)
{
    const mls_rank *rank = ranks->straggler;
    straggler_acts acts = {.others_compute = median_of_others(ranks, rank, offsetof(mls_rank, compute_ms)),
                           .others_idle = median_of_others(ranks, rank, offsetof(mls_rank, idle_ms))};
    acts.computed = rank->compute_ms - acts.others_compute;
    acts.idled = rank->idle_ms - acts.others_idle;
    acts.host_idled = rank->idle_host_ms - median_of_others(ranks, rank, offsetof(mls_rank, idle_host_ms));
    acts.computes = acts.computed > 0 && acts.computed >= EXPLAINS * each_ms;
    acts.host_late = acts.host_idled > 0 && acts.host_idled >= EXPLAINS * each_ms;
    acts.idles = !acts.host_late && acts.idled > 0 && acts.idled >= EXPLAINS * each_ms;
    return acts;
}

static void append_idle(mls_buffer *line, const mls_rank *rank)
{
    const struct {
        const char *name;
        double ms;
    } causes[] = {{"host", rank->idle_host_ms}, {"queue", rank->idle_queue_ms}, {"unknown", rank->idle_unknown_ms}};
    const char *before = " (";
    mls_buffer_printf(line, "is idle for %s ms", words_of_ms(rank->idle_ms).text);
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        if (causes[i].ms > 0) {
            mls_buffer_printf(line, "%s%s %s", before, causes[i].name, words_of_ms(causes[i].ms).text);
            before = ", ";
        }
    }
    mls_buffer_append_text(line, rank->idle_ms > 0 ? ")" : "");
}

/* Appends why the straggler is late, what it did beside what the others did, and where to look. */
static void append_acts(mls_buffer *line, const mls_ranks *ranks, const straggler_acts *acts)
{
    const char *both = acts->computes && (acts->host_late || acts->idles) ? " and " : "";
    if (acts->computes)
        mls_buffer_printf(line, "it computes %s ms longer%s", words_of_ms(acts->computed).text, both);
    if (acts->host_late)
        mls_buffer_printf(line, "the host is late, by %s ms", words_of_ms(acts->host_idled).text);
    else if (acts->idles)
        mls_buffer_printf(line, "its GPU is idle %s ms longer", words_of_ms(acts->idled).text);
    else if (!acts->computes)
        mls_buffer_append_text(line, "why is not seen");
    mls_buffer_printf(line, ". It computes for %s ms and ", words_of_ms(ranks->straggler->compute_ms).text);
    append_idle(line, ranks->straggler);
    mls_buffer_printf(line, "; the others' medians are %s ms and %s ms. ", words_of_ms(acts->others_compute).text,
                      words_of_ms(acts->others_idle).text);
    mls_buffer_append_text(line, acts->computes    ? "Look at its clocks, its temperature and its share of the work"
                                 : acts->host_late ? "Look at what its host does between launches: data, "
                                                     "synchronisation, Python"
                                 : acts->idles     ? "Look at what its GPU waits for: copies, synchronisation, data"
                                                   : "Look at its copies, and at what else its GPU runs");
}

/* The rank that is waited for in most of the waiting, if that is much. */
static void find_straggler(mls_ranks *ranks, const mls_waits *waits, double *awaited)
{
    const double total = waits->total - waits->longest_total;
    double kernels = 0;
    for (size_t i = 0; i < ranks->count; i++)
        kernels += ranks->items[i].profile->kernel_ms * 1e6;
    for (size_t i = 0; i < ranks->count; i++) {
        const double left_out = i == waits->longest_awaited ? waits->longest_total : 0;
        const double of = ranks->items[i].others_waited_ms * 1e6 - left_out;
        if (total > 0 && of >= STRAGGLER_OF_WAITING * total && of >= STRAGGLER_OF_KERNELS * kernels) {
            ranks->straggler = &ranks->items[i];
            *awaited = of;
        }
    }
}

/* Whether a verdict advises on communication. */
static bool is_of_communication(const mls_profile *profile, const char *code)
{
    return strcmp(code, "exposed-communication") == 0 ||
           (strcmp(code, "one-kernel") == 0 && strcmp(profile->names.items[0].class_name, "communication") == 0);
}

/* The rank that others waited for longest; with a straggler that one. */
static const mls_rank *most_awaited(const mls_ranks *ranks)
{
    const mls_rank *most = &ranks->items[0];
    for (size_t i = 1; i < ranks->count; i++)
        most = ranks->items[i].others_waited_ms > most->others_waited_ms ? &ranks->items[i] : most;
    return ranks->straggler != NULL ? ranks->straggler : most;
}

static const char *words_of_waiting(mls_ranks *ranks, const mls_rank *rank, const mls_waits *waits, double share)
{
    const mls_words percent = mls_words_percent(share, 0);
    const mls_rank *most = most_awaited(ranks);
    return ranks->straggler == NULL
               ? keep_sentence(rank->profile->arena,
                               "%s of its time in collectives is waiting for several ranks: what makes them late comes "
                               "first; rank %zu is waited for most, %s of all waiting",
                               percent.text, most->rank,
                               mls_words_percent(mls_profile_share(most->others_waited_ms * 1e6, waits->total), 0).text)
               : keep_sentence(rank->profile->arena,
                               "%s of its time in collectives is waiting, mostly for rank %zu: what makes that one "
                               "late comes first",
                               percent.text, most->rank);
}

/* Who mostly waits, or is waited for, has nothing to win by faster communication: one verdict says that it waits in
 * place of those, and the job's what the straggler does. */
static void mend_advice(mls_ranks *ranks, const mls_rank *rank, const mls_waits *waits)
{
    mls_profile *profile = rank->profile;
    const double share = mls_profile_share(rank->waiting_ms, rank->transfer_ms + rank->waiting_ms);
    const bool mostly = share >= MOSTLY_WAITING;
    bool said = rank == ranks->straggler;
    size_t kept = 0;
    for (size_t i = 0; i < profile->verdict_count; i++) {
        mls_profile_verdict verdict = profile->verdicts[i];
        if ((mostly || rank == ranks->straggler) && is_of_communication(profile, verdict.code)) {
            if (said)
                continue;
            verdict = (mls_profile_verdict){"waiting", words_of_waiting(ranks, rank, waits, share)};
            said = true;
        }
        profile->verdicts[kept++] = verdict;
    }
    profile->verdict_count = kept;
}

/* Finds the straggler, and says what it did meanwhile; mends what the profiles advise. */
static void ranks_judge(mls_ranks *ranks, const mls_waits *waits)
{
    double awaited = 0;
    mls_buffer causes = {0};
    find_straggler(ranks, waits, &awaited);
    for (size_t i = 0; i < ranks->count; i++)
        mend_advice(ranks, &ranks->items[i], waits);
    if (ranks->straggler == NULL)
        return;
    ranks->verdicts = mls_arena_array(ranks->arena, 1, sizeof *ranks->verdicts);
    const straggler_acts acts = acts_of(ranks, awaited / 1e6 / (double)(ranks->count - 1));
    append_acts(&causes, ranks, &acts);
    const double share = mls_profile_share(awaited, waits->total - waits->longest_total);
    ranks->verdicts[ranks->verdict_count++] = (mls_profile_verdict){
        "straggler", keep_sentence(ranks->arena,
                                   "the others wait for rank %zu, %s ms and %s of all waiting but the longest: "
                                   "%s",
                                   ranks->straggler->rank, words_of_ms(awaited / 1e6).text,
                                   mls_words_percent(share, 0).text, causes.ptr)};
    mls_buffer_release(&causes);
}

/* How far apart clocks are that are reported. */
#define CLOCKS_APART_MS 1.0

enum { NAME_SHOWN = 60 };

/* A key that a rank has. */
typedef struct rank_key {
    size_t shared; /* its number among those of all ranks */
    size_t rank;   /* by its place */
    const mls_collective_key *key;
    const mls_collective *kernels;
} rank_key;

/* Whole nanoseconds, exact below 2^53. */
typedef struct rank_sums {
    double transfer, waiting, others_waited;
    double *apart; /* milliseconds by which its collectives end after those of the first rank */
    size_t apart_count;
} rank_sums;

typedef struct ranks_match {
    mls_ranks *ranks;
    mls_arena scratch;
    MLS_LIST_OF(rank_key) keys;
    rank_sums *sums; /* by the place of the rank */
    mls_waits waits;
    mls_map kinds; /* of collectives: their places in the list of the ranks */
    size_t kind_capacity;
} ranks_match;

static int compare_rank_keys(const void *a, const void *b)
{
    const rank_key *x = a;
    const rank_key *y = b;
    return x->shared != y->shared ? (x->shared < y->shared ? -1 : 1) : (x->rank > y->rank) - (x->rank < y->rank);
}

/* The keys of all ranks, equal ones side by side. */
static void list_keys(ranks_match *match)
{
    mls_map shared = {.arena = &match->scratch};
    for (size_t r = 0; r < match->ranks->count; r++) {
        const struct mls_collectives *of = match->ranks->items[r].profile->collectives;
        for (size_t i = 0; of != NULL && i < of->keys.count; i++) {
            const mls_collective_key *key = &of->keys.items[i];
            if (key->count > 0) {
                const mls_map_entry *entry = mls_map_put(&shared, key->whole, NULL);
                MLS_GROW(&match->keys, items);
                match->keys.items[match->keys.count++] =
                    (rank_key){(size_t)(entry - shared.entries), r, key, of->kernels.items + key->first};
            }
        }
    }
    if (match->keys.count > 0)
        qsort(match->keys.items, match->keys.count, sizeof *match->keys.items, compare_rank_keys);
}

/* The sums of collectives of one kind and size. */
static mls_collective_sum *kind_of_key(ranks_match *match, const mls_collective_key *key)
{
    mls_ranks *ranks = match->ranks;
    mls_buffer name = {0};
    const double bytes = mls_collective_bytes(key);
    bool added = false;
    mls_buffer_printf(&name, "%.0f %.0f ", bytes, key->size);
    mls_buffer_append(&name, key->texts[MLS_COLLECTIVE_NAME]);
    mls_map_entry *entry = mls_map_put(&match->kinds, mls_buffer_str(&name), &added);
    mls_buffer_release(&name);
    if (added) {
        const mls_str kept = mls_arena_copy(ranks->arena, key->texts[MLS_COLLECTIVE_NAME]);
        mls_arena_grow(ranks->arena, (void **)&ranks->collectives, ranks->collective_count, &match->kind_capacity,
                       sizeof *ranks->collectives);
        entry->value.number = ranks->collective_count;
        ranks->collectives[ranks->collective_count++] =
            (mls_collective_sum){.name = kept, .bytes = bytes, .members = key->size};
    }
    return &ranks->collectives[entry->value.number];
}

/* When a kernel ended, in milliseconds of the clock of its rank. */
static double kernel_end_ms(const mls_rank *rank, const mls_collective *kernel)
{
    const int64_t base = rank->profile->collectives->base_ns;
    return (double)(base > 0 ? base : 0) / 1e6 + (double)(kernel->start + kernel->length) / 1e6;
}

/* Adds collective number i of those whose keys these are. */
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
    sum->transfer_ms += (double)transfer; /* nanoseconds until the end: these are exact */
    sum->waiting_ms += waited;
}

/* Why the keys of some ranks, which are equal, are not matched; false: they are. */
static bool say_unmatched(ranks_match *match, const rank_key *keys, size_t count)
{
    const mls_rank *ranks = match->ranks->items;
    const mls_collective_key *key = keys[0].key;
    const mls_str name = key->texts[MLS_COLLECTIVE_NAME];
    const mls_str elements = key->texts[MLS_COLLECTIVE_IN];
    const mls_str type = key->texts[MLS_COLLECTIVE_TYPE];
    const mls_str group = key->texts[MLS_COLLECTIVE_GROUP];
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
        mls_buffer_append_text(&why, "it is no collective, but goes from one rank to another");
    } else if (count == 1) {
        mls_buffer_printf(&why, "rank %zu alone has it, %s", ranks[keys[0].rank].rank,
                          mls_words_plural(key->count, "time", "times").text);
    } else {
        mls_buffer_printf(&why, "rank %zu has %zu of them, rank %zu %zu", ranks[keys[fewest].rank].rank,
                          keys[fewest].key->count, ranks[keys[most].rank].rank, keys[most].key->count);
    }
    match->ranks->unmatched++;
    if (key->size != 1) { /* a group of one waits for nobody */
        mls_findings_add(&match->ranks->findings, MLS_FINDING_COLLECTIVE_UNMATCHED, (mls_finding_place){.path = NULL},
                         "%.*s of %.*s %.*s in group '%.*s' is not matched: %s", MLS_CUT(name, NAME_SHOWN),
                         MLS_CUT(elements, NAME_SHOWN), MLS_CUT(type, NAME_SHOWN), MLS_CUT(group, NAME_SHOWN), why.ptr);
    }
    mls_buffer_release(&why);
    return true;
}

static void match_keys(ranks_match *match)
{
    for (size_t i = 0, end; i < match->keys.count; i = end) {
        const rank_key *keys = &match->keys.items[i];
        for (end = i + 1; end < match->keys.count && match->keys.items[end].shared == keys->shared;)
            end++;
        if (say_unmatched(match, keys, end - i))
            continue;
        mls_collective_sum *sum = kind_of_key(match, keys->key);
        for (size_t k = 0; k < keys->key->count; k++)
            add_collective(match, keys, end - i, k, sum);
        match->ranks->matched += keys->key->count;
    }
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

static void finish_sums(ranks_match *match)
{
    mls_ranks *ranks = match->ranks;
    for (size_t i = 0; i < ranks->count; i++) {
        mls_rank *rank = &ranks->items[i];
        rank->transfer_ms = match->sums[i].transfer / 1e6;
        rank->waiting_ms = match->sums[i].waiting / 1e6;
        rank->others_waited_ms = match->sums[i].others_waited / 1e6;
    }
    for (size_t i = 0; i < ranks->collective_count; i++) {
        mls_collective_sum *sum = &ranks->collectives[i];
        const double moved = (double)sum->count * sum->bytes * mls_collective_factor(sum->name, sum->members);
        sum->transfer_ms /= 1e6;
        sum->waiting_ms /= 1e6;
        sum->bus_gb_s = sum->transfer_ms > 0 ? moved / 1e9 / (sum->transfer_ms / 1e3) : (double)NAN;
    }
    if (ranks->collective_count > 0)
        qsort(ranks->collectives, ranks->collective_count, sizeof *ranks->collectives, compare_sums);
}

/* A collective ends for all ranks at once, but for microseconds: where it does not, their clocks differ. */
static void check_clocks(const ranks_match *match)
{
    mls_ranks *ranks = match->ranks;
    for (size_t i = 1; i < ranks->count; i++) {
        const mls_rank *rank = &ranks->items[i];
        const rank_sums *sums = &match->sums[i];
        mls_sort_doubles(sums->apart, sums->apart_count);
        const double apart = mls_median(sums->apart, sums->apart_count);
        if (fabs(apart) >= CLOCKS_APART_MS && isfinite(rank->profile->start_ms) &&
            isfinite(ranks->items[0].profile->start_ms)) {
            mls_findings_add(&ranks->findings, MLS_FINDING_RANK_CLOCK, (mls_finding_place){.path = rank->profile->file},
                             "the clock of rank %zu is %s ms %s that of rank %zu, by the ends of %s: times of day of "
                             "these traces cannot be compared; waiting is measured without clocks",
                             rank->rank, mls_words_trimmed(fabs(apart), 3).text, apart > 0 ? "ahead of" : "behind",
                             ranks->items[0].rank,
                             mls_words_plural(sums->apart_count, "collective", "collectives").text);
        }
    }
}

/* Reports kernels not matched for lack of arguments, or of room. */
static void check_arguments(mls_ranks *ranks)
{
    for (size_t i = 0; i < ranks->count; i++) {
        const mls_profile *profile = ranks->items[i].profile;
        const mls_finding_place place = {.path = profile->file};
        if (profile->nccl_without_arguments > 0) {
            mls_findings_add(&ranks->findings, MLS_FINDING_COLLECTIVE_ARGUMENTS, place,
                             "not matched, as nothing says of which collective they are: %s of NCCL",
                             mls_words_plural(profile->nccl_without_arguments, "kernel", "kernels").text);
        }
        if (profile->collectives != NULL && profile->collectives->dropped > 0) {
            mls_findings_add(&ranks->findings, MLS_FINDING_TOO_MUCH, place,
                             "not matched, as there are more kinds of collectives than can be kept: %s",
                             mls_words_plural(profile->collectives->dropped, "kernel", "kernels").text);
        }
    }
}

static void match_ranks(mls_ranks *ranks)
{
    ranks_match match = {.ranks = ranks};
    match.kinds.arena = &match.scratch;
    match.sums = mls_arena_zeroed(&match.scratch, ranks->count, sizeof *match.sums);
    for (size_t i = 0; i < ranks->count; i++) {
        const struct mls_collectives *of = ranks->items[i].profile->collectives;
        match.sums[i].apart = mls_arena_array(&match.scratch, (of != NULL ? of->kernels.count : 0) + 1, sizeof(double));
    }
    list_keys(&match);
    match_keys(&match);
    finish_sums(&match);
    check_clocks(&match);
    check_arguments(ranks);
    free(match.keys.items);
    mls_arena_release(&match.scratch);
    ranks_judge(ranks, &match.waits);
}

static void take_traces(mls_ranks *ranks, const mls_rank_traces *traces)
{
    ranks->items = mls_arena_zeroed(ranks->arena, traces->count + 1, sizeof *ranks->items);
    for (size_t i = 0; i < traces->count; i++) {
        mls_profile *profile = traces->items[i].profile;
        mls_rank *rank = &ranks->items[ranks->count++];
        const mls_str below = traces->items[i].below;
        rank->rank = traces->items[i].rank;
        rank->below = below.ptr;
        ranks->folder = (mls_str){profile->file, (size_t)(below.ptr - profile->file)};
        rank->profile = profile;
        ranks->world_size = profile->world_size > ranks->world_size ? profile->world_size : ranks->world_size;
        for (size_t d = 0; d < profile->device_count; d++) {
            const mls_profile_device *device = &profile->devices[d];
            rank->compute_ms += device->compute_ms;
            rank->idle_ms += device->idle_ms;
            rank->idle_host_ms += device->idle_host_ms;
            rank->idle_queue_ms += device->idle_queue_ms;
            rank->idle_unknown_ms += device->idle_unknown_ms;
        }
    }
}

mls_status mls_ranks_join(mls_profile *const *profiles, size_t count, mls_ranks **ranks)
{
    mls_rank_traces traces = {0};
    mls_ranks *made = mls_calloc(1, sizeof *made);
    made->arena = mls_calloc(1, sizeof *made->arena);
    list_traces(profiles, count, &traces);
    keep_members(&traces);
    if (traces.count == 0) {
        mls_ranks_free(made);
        made = NULL;
    } else {
        order_traces(&traces, &made->findings);
        drop_repeated_ranks(&traces, &made->findings);
        check_world(&traces, &made->findings);
        find_missing(&traces, &made->findings);
        take_traces(made, &traces);
        match_ranks(made);
    }
    free(traces.items);
    *ranks = made;
    return MLS_OK;
}

void mls_ranks_free(mls_ranks *ranks)
{
    if (ranks != NULL) {
        mls_arena_free(ranks->arena);
        mls_findings_release(&ranks->findings);
        free(ranks);
    }
}
