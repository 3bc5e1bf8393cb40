/* SPDX-License-Identifier: Apache-2.0 */
/* straggler.c - the rank that the others of a job wait for, what it did meanwhile, and what to say of those who wait.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/statistics.h"
#include "base/words.h"
#include "explain/profile/rank_traces.h"
#include "explain/profile/sentence.h"

/* From which share of the waiting, and of the time of all kernels, on one rank is a straggler; from which share of what
 * each of the others waits on something explains it; from which share of a rank's time in collectives on it waits. */
#define STRAGGLER_OF_WAITING 0.7
#define STRAGGLER_OF_KERNELS 0.03
#define EXPLAINS 0.25
#define MOSTLY_WAITING 0.5

MLS_PRINTF(3, 4)
static const char *keep_sentence(mls_arena *arena, mls_findings *findings, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *kept = mls_sentence_keep(arena, findings, format, args);
    va_end(args);
    return kept;
}

/* The median over all ranks but one of a member, a double at this offset.  The findings say where memory ran out. */
static double median_of_others(mls_ranks *ranks, const mls_rank *but, size_t member)
{
    double *values = mls_calloc(ranks->count + 1, sizeof *values);
    double median = (double)NAN;
    size_t count = 0;
    ranks->findings.out_of_memory |= values == NULL;
    for (size_t i = 0; i < ranks->count; i++) {
        if (&ranks->items[i] != but) {
            memcpy(&values[count++], (const char *)&ranks->items[i] + member, sizeof *values);
        }
    }
    mls_sort_doubles(values, count);
    median = mls_median(values, count);

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
    if (acts->computes) {
        mls_buffer_printf(line, "it computes %s ms longer%s", words_of_ms(acts->computed).text, both);
    }
    if (acts->host_late) {
        mls_buffer_printf(line, "the host is late, by %s ms", words_of_ms(acts->host_idled).text);
    } else if (acts->idles) {
        mls_buffer_printf(line, "its GPU is idle %s ms longer", words_of_ms(acts->idled).text);
    } else if (!acts->computes) {
        mls_buffer_append_text(line, "why is not seen");
    }
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
    for (size_t i = 0; i < ranks->count; i++) {
        kernels += ranks->items[i].profile->kernel_ms * 1e6;
    }
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
    for (size_t i = 1; i < ranks->count; i++) {
        most = ranks->items[i].others_waited_ms > most->others_waited_ms ? &ranks->items[i] : most;
    }
    return ranks->straggler != NULL ? ranks->straggler : most;
}

static const char *words_of_waiting(mls_ranks *ranks, const mls_rank *rank, const mls_waits *waits, double share)
{
    const mls_words percent = mls_words_percent(share, 0);
    const mls_rank *most = most_awaited(ranks);
    return ranks->straggler == NULL
               ? keep_sentence(rank->profile->arena, &ranks->findings,
                               "%s of its time in collectives is waiting for several ranks: what makes them late comes "
                               "first; rank %zu is waited for most, %s of all waiting",
                               percent.text, most->rank,
                               mls_words_percent(mls_profile_share(most->others_waited_ms * 1e6, waits->total), 0).text)
               : keep_sentence(rank->profile->arena, &ranks->findings,
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
            if (said) {
                continue;
            }
            verdict = (mls_profile_verdict){"waiting", words_of_waiting(ranks, rank, waits, share)};
            said = true;
        }
        profile->verdicts[kept++] = verdict;
    }
    profile->verdict_count = kept;
}

bool mls_ranks_judge(mls_ranks *ranks, const mls_waits *waits)
{
    double awaited = 0;
    mls_buffer causes = {0};
    find_straggler(ranks, waits, &awaited);
    for (size_t i = 0; i < ranks->count; i++) {
        mend_advice(ranks, &ranks->items[i], waits);
    }
    if (ranks->straggler == NULL) {
        return true;
    }
    ranks->verdicts = mls_arena_array(ranks->arena, 1, sizeof *ranks->verdicts);
    const straggler_acts acts = acts_of(ranks, awaited / 1e6 / (double)(ranks->count - 1));
    append_acts(&causes, ranks, &acts);
    const double share = mls_profile_share(awaited, waits->total - waits->longest_total);
    ranks->verdicts[ranks->verdict_count++] = (mls_profile_verdict){
        "straggler", keep_sentence(ranks->arena, &ranks->findings,
                                   "the others wait for rank %zu, %s ms and %s of all waiting but the longest: "
                                   "%s",
                                   ranks->straggler->rank, words_of_ms(awaited / 1e6).text,
                                   mls_words_percent(share, 0).text, causes.ptr)};

    mls_buffer_release(&causes);
    return true;
}
