/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_report.c - the ranks of a job side by side: who waited for whom, and how fast the collectives were. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "report/profile_tables.h"

enum { INDENT = 2, HANG = 4, RANKS_SHOWN = 16, COLLECTIVES_SHOWN = 12, FINDINGS_SHOWN = 10, NAME_SHOWN = 40 };

/* Compare for qsort(): those whom others waited for longest come first, then by rank. */
static int compare_awaited(const void *a, const void *b)
{
    const mls_rank *x = *(const mls_rank *const *)a;
    const mls_rank *y = *(const mls_rank *const *)b;
    return x->others_waited_ms != y->others_waited_ms ? (x->others_waited_ms < y->others_waited_ms ? 1 : -1)
                                                      : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Show all ranks in their order, or of many those whom others waited for longest. */
static void show_ranks(mls_view *view, const mls_ranks *job, bool all)
{
    enum { TIME = MLS_COLUMN_DECIMAL, KEEP = MLS_COLUMN_KEEP };
    static const mls_table_member columns[] = {
        MLS_TABLE_MEMBER("transfer ms", TIME | KEEP, mls_rank, transfer_ms, 3),
        MLS_TABLE_MEMBER("waiting ms", TIME | KEEP, mls_rank, waiting_ms, 3),
        MLS_TABLE_MEMBER("others waited", TIME | KEEP, mls_rank, others_waited_ms, 3),
        MLS_TABLE_MEMBER("computing", TIME, mls_rank, compute_ms, 3),
        MLS_TABLE_MEMBER("idle", TIME, mls_rank, idle_ms, 3),
        MLS_TABLE_MEMBER("by host", TIME, mls_rank, idle_host_ms, 3),
    };
    mls_table table = {.indent = INDENT};
    const bool some = !all && job->count > RANKS_SHOWN;
    const mls_rank **order = mls_calloc(job->count + 1, sizeof(const mls_rank *));
    for (size_t i = 0; i < job->count; i++)
        order[i] = &job->items[i];
    if (some)
        qsort(order, job->count, sizeof(const mls_rank *), compare_awaited);
    for (size_t i = 0; i < (some ? RANKS_SHOWN : job->count); i++) {
        const mls_rank *rank = order[i];
        mls_table_row(&table);
        table.style = rank == job->straggler ? MLS_STYLE_WARN : MLS_STYLE_PLAIN;
        mls_table_cell(&table, "rank", MLS_COLUMN_RIGHT | KEEP, table.style, "%zu", rank->rank);
        mls_table_text(&table, "file", KEEP | MLS_COLUMN_CUT, mls_path_shown(rank->below));
        MLS_TABLE_MEMBERS(&table, columns, rank);
    }
    free(order);
    mls_profile_table_finish(&table, view);
    mls_view_more(view, MLS_STYLE_DIM, INDENT, some ? job->count - RANKS_SHOWN : 0, "rank", "--by rank lists all");
}

static void show_collectives(mls_view *view, const mls_ranks *job, bool all)
{
    enum { TIME = MLS_COLUMN_DECIMAL, KEEP = MLS_COLUMN_KEEP, RIGHT = MLS_COLUMN_RIGHT };
    static const mls_table_member columns[] = {
        MLS_TABLE_MEMBER("collective", KEEP | MLS_COLUMN_CUT, mls_collective_sum, name, NAME_SHOWN),
        MLS_TABLE_MEMBER("bytes", RIGHT | KEEP, mls_collective_sum, bytes, 0),
        MLS_TABLE_MEMBER("in group", RIGHT, mls_collective_sum, members, 0),
        MLS_TABLE_MEMBER("count", RIGHT, mls_collective_sum, count, 0),
        MLS_TABLE_MEMBER("transfer ms", TIME, mls_collective_sum, transfer_ms, 3),
        MLS_TABLE_MEMBER("waiting ms", TIME, mls_collective_sum, waiting_ms, 3),
        MLS_TABLE_MEMBER("bus GB/s", TIME, mls_collective_sum, bus_gb_s, 1),
    };
    mls_table table = {.indent = INDENT};
    const size_t shown = all || job->collective_count < COLLECTIVES_SHOWN ? job->collective_count : COLLECTIVES_SHOWN;
    MLS_TABLE_ROWS(&table, columns, job->collectives, shown);
    mls_profile_table_finish(&table, view);
    mls_view_more(view, MLS_STYLE_DIM, INDENT, job->collective_count - shown, NULL, "--by collective lists all");
}

static bool has_verdict(const mls_rank *rank, const char *code)
{
    const mls_profile *profile = rank->profile;
    bool has = false;
    for (size_t i = 0; i < profile->verdict_count && !has; i++)
        has = strcmp(profile->verdicts[i].code, code) == 0;
    return has;
}

/* Append the ranks from number `from` on whose profiles have a verdict: "1, 4-7". */
static void append_rank_list(mls_buffer *line, const mls_ranks *job, size_t from, const char *code)
{
    for (size_t i = from, end; i<job->count; i = end> i ? end : i + 1) {
        for (end = i; end < job->count && (end == i || job->items[end].rank == job->items[end - 1].rank + 1) &&
                      has_verdict(&job->items[end], code);)
            end++;
        if (end > i)
            mls_buffer_printf(line, "%s%zu", line->len > 0 ? ", " : "", job->items[i].rank);
        if (end > i + 1)
            mls_buffer_printf(line, "%s%zu", end > i + 2 ? "-" : ", ", job->items[end - 1].rank);
    }
}

/* Show advice to ranks, in the words for the first one that has it. */
static void show_advice(mls_view *view, const mls_ranks *job)
{
    for (size_t i = 0; i < job->count; i++) {
        const mls_profile *profile = job->items[i].profile;
        for (size_t v = 0; v < profile->verdict_count; v++) {
            const mls_profile_verdict *verdict = &profile->verdicts[v];
            bool shown = false;
            for (size_t k = 0; k < i && !shown; k++)
                shown = has_verdict(&job->items[k], verdict->code);
            mls_buffer more = {0};
            if (!shown) {
                append_rank_list(&more, job, i + 1, verdict->code);
                mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "rank %zu%s%s%s: %s  [%s]", job->items[i].rank,
                                more.len > 0 ? " (also " : "", more.len > 0 ? more.ptr : "", more.len > 0 ? ")" : "",
                                verdict->message, verdict->code);
            }
            mls_buffer_release(&more);
        }
    }
}

void mls_ranks_show(mls_view *view, const mls_profiles *all)
{
    const mls_ranks *job = all->job;
    const mls_str title = job->folder.len > 0 ? job->folder : MLS_S("job");
    mls_finding_list found = {0};
    mls_buffer rest = {0};
    double waiting = 0;
    for (size_t i = 0; i < job->count; i++)
        waiting += job->items[i].waiting_ms;
    mls_buffer_printf(&rest, "   %s   %s matched", mls_words_plural(job->count, "rank", "ranks").text,
                      mls_words_plural(job->matched, "collective", "collectives").text);
    if (job->unmatched > 0)
        mls_buffer_printf(&rest, ", %s not", mls_words_plural(job->unmatched, "kind", "kinds").text);
    if (job->matched > 0)
        mls_buffer_printf(&rest, "   %s ms of waiting", mls_words_trimmed(waiting, waiting < 10 ? 3 : 1).text);
    mls_profile_headline(view, title, &rest);
    if (!view->quiet) {
        show_ranks(view, job, view->verbose > 0 || all->by == MLS_PROFILE_BY_RANK);
        show_collectives(view, job, view->verbose > 0 || all->by == MLS_PROFILE_BY_COLLECTIVE);
    }
    if (job->matched + job->unmatched == 0) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG,
                        "no kernel says of which collective it is: who waited for whom is not known");
    }
    for (size_t i = 0; i < job->verdict_count; i++) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "%s  [%s]", job->verdicts[i].message,
                        job->verdicts[i].code);
    }
    if (!all->each)
        show_advice(view, job);
    mls_finding_list_add(&found, &job->findings, (mls_owner){.path = NULL}, view);
    for (size_t i = 0; i < job->count && !all->each; i++) {
        const mls_profile *profile = job->items[i].profile;
        mls_finding_list_add(&found, &profile->findings, (mls_owner){.path = profile->file}, view);
    }
    const mls_finding_list_look look = {
        .indent = INDENT, .hang = HANG, .named = true, .sorted = true, .limit = mls_view_limit(view, FINDINGS_SHOWN)};
    mls_finding_list_show(view, &found, look);
}

#define RANK_FIELDS(F)                                                                                                 \
    F(rank, rank, NUMBER, "", row->rank)                                                                               \
    F(rank, file, TEXT, "", row->profile->file)                                                                        \
    F(rank, transfer_ms, NUMBER, "ms", row->transfer_ms)                                                               \
    F(rank, waiting_ms, NUMBER, "ms", row->waiting_ms)                                                                 \
    F(rank, others_waited_ms, NUMBER, "ms", row->others_waited_ms)                                                     \
    F(rank, compute_ms, NUMBER, "ms", row->compute_ms)                                                                 \
    F(rank, idle_ms, NUMBER, "ms", row->idle_ms)                                                                       \
    F(rank, idle_host_ms, NUMBER, "ms", row->idle_host_ms)                                                             \
    F(rank, idle_queue_ms, NUMBER, "ms", row->idle_queue_ms)                                                           \
    F(rank, idle_unknown_ms, NUMBER, "ms", row->idle_unknown_ms)                                                       \
    F(rank, nccl_without_arguments, NUMBER, "", row->profile->nccl_without_arguments)
MLS_FIELDS_AS(, mls_rank_fields, rank, mls_rank, NULL, RANK_FIELDS)

#define COLLECTIVE_FIELDS(F)                                                                                           \
    F(collective, collective, TEXT, "", row->name)                                                                     \
    F(collective, bytes, NUMBER_OR_NULL, "", row->bytes)                                                               \
    F(collective, members, NUMBER_OR_NULL, "", row->members)                                                           \
    F(collective, count, NUMBER, "", row->count)                                                                       \
    F(collective, transfer_ms, NUMBER, "ms", row->transfer_ms)                                                         \
    F(collective, waiting_ms, NUMBER, "ms", row->waiting_ms)                                                           \
    F(collective, bus_gb_per_second, NUMBER_OR_NULL, "", row->bus_gb_s)
MLS_FIELDS_AS(, mls_collective_fields, collective, mls_collective_sum, NULL, COLLECTIVE_FIELDS)

#define ADVICE_FIELDS(F)                                                                                               \
    F(advice, code, TEXT, "", row->code)                                                                               \
    F(advice, message, TEXT, "", row->message)
MLS_FIELDS(advice, mls_profile_verdict, ADVICE_FIELDS)

#define JOB_FIELDS(F)                                                                                                  \
    F(job, matched, NUMBER, "", row->matched)                                                                          \
    F(job, unmatched, NUMBER, "", row->unmatched)                                                                      \
    F(job, straggler, NUMBER_OR_NULL, "", row->straggler != NULL ? (double)row->straggler->rank : (double)NAN)         \
    F(job, world_size, COUNT_OR_NULL, "", row->world_size)                                                             \
    F(job, ranks, LIST(mls_rank), "", MLS_ROWS(row->items, row->count))                                                \
    F(job, collectives, LIST(mls_collective), "", MLS_ROWS(row->collectives, row->collective_count))                   \
    F(job, verdicts, LIST(advice), "", MLS_ROWS(row->verdicts, row->verdict_count))                                    \
    F(job, findings, FINDINGS, "", mls_finding_list_add(&found, &row->findings, (mls_owner){.path = NULL}, NULL))
MLS_FIELDS_AS(, mls_ranks_fields, job, mls_ranks, NULL, JOB_FIELDS)
