/* SPDX-License-Identifier: Apache-2.0 */
/* oom_report.c - messages of memory that ran out: what each says, and what follows. */
#include "report/reports.h"

#include <inttypes.h>
#include <math.h>

#include "term/table.h"

enum { INDENT = 2, HANG = 4 };
static const double gib = 1073741824.0;

/* A message, and what a GPU of the job should have needed. */
typedef struct oom_row {
    const mls_oom *oom;
    const mls_memory_job *job; /* NULL: none was named */
} oom_row;

static double known(int64_t number)
{
    return number >= 0 ? (double)number : (double)NAN;
}

static double estimate_of(const oom_row *row)
{
    return row->job != NULL ? (double)mls_memory_shown(&row->job->answer)->estimate : (double)NAN;
}

/* Return the estimate less what the job had and wanted. */
static double difference_of(const oom_row *row)
{
    return estimate_of(row) - known(row->oom->allocated) - known(row->oom->tried);
}

static void append_advice(mls_buffer *line, const mls_oom *oom)
{
    for (mls_oom_advice i = 0; i < MLS_OOM_ADVICE_COUNT; i++)
        if ((oom->advice & 1U << i) != 0)
            mls_buffer_printf(line, "%s%s", line->len > 0 ? " " : "", mls_oom_advices[i].name);
}

#define OOM_FIELDS(F)                                                                                                  \
    F(oom, file, TEXT, "", row->oom->file)                                                                             \
    F(oom, line, NUMBER, "", row->oom->line)                                                                           \
    F(oom, framework, TEXT, "", row->oom->framework)                                                                   \
    F(oom, wording, TEXT, "", row->oom->wording)                                                                       \
    F(oom, rank, NUMBER_OR_NULL, "", known(row->oom->rank))                                                            \
    F(oom, gpu, NUMBER_OR_NULL, "", known(row->oom->gpu))                                                              \
    F(oom, tried_bytes, NUMBER_OR_NULL, "", known(row->oom->tried))                                                    \
    F(oom, capacity_bytes, NUMBER_OR_NULL, "", known(row->oom->capacity))                                              \
    F(oom, free_bytes, NUMBER_OR_NULL, "", known(row->oom->free))                                                      \
    F(oom, in_use_bytes, NUMBER_OR_NULL, "", known(row->oom->in_use))                                                  \
    F(oom, allocated_bytes, NUMBER_OR_NULL, "", known(row->oom->allocated))                                            \
    F(oom, reserved_bytes, NUMBER_OR_NULL, "", known(row->oom->reserved))                                              \
    F(oom, reserved_unallocated_bytes, NUMBER_OR_NULL, "", known(row->oom->reserved_unallocated))                      \
    F(oom, private_pool_bytes, NUMBER_OR_NULL, "", known(row->oom->private_pool))                                      \
    F(oom, allowed_bytes, NUMBER_OR_NULL, "", known(row->oom->allowed))                                                \
    F(oom, other_bytes, NUMBER_OR_NULL, "", known(row->oom->other))                                                    \
    F(oom, advice, VALUES, "",                                                                                         \
      MLS_EACH(MLS_OOM_ADVICE_COUNT,                                                                                   \
               (row->oom->advice & 1U << i) != 0 ? mls_emit_text(to, mls_oom_advices[i].name) : (void)0))              \
    F(oom, estimate_bytes, NUMBER_OR_NULL, "", estimate_of(row))                                                       \
    F(oom, difference_bytes, NUMBER_OR_NULL, "", difference_of(row))
MLS_FIELDS(oom, oom_row, OOM_FIELDS)
#define OOM_CSV_FIELDS(F) F(oom_csv, advice, WORDS, "", append_advice(words, row->oom))
MLS_FIELDS_BESIDE(oom_csv, oom, OOM_CSV_FIELDS)

#define OOM_LIST_FIELDS(F)                                                                                             \
    F(oom_list, ooms, LIST(oom), "", MLS_EACH(row->count, mls_emit_row(to, &(oom_row){&row->items[i], row->job})))     \
    F(oom_list, dropped, NUMBER, "", row->dropped)
MLS_FIELDS(oom_list, mls_oom_list, OOM_LIST_FIELDS)

static void show_ooms(mls_printer *to, const void *what)
{
    const mls_oom_list *list = what;
    mls_view *view = to->view;
    mls_table table = {.indent = INDENT};
    size_t with[MLS_OOM_ADVICE_COUNT] = {0};
    size_t enough = 0;
    if (list->count == 0) {
        mls_output_text(view->output, "no message of memory that ran out\n");
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        const mls_oom *oom = &list->items[i];
        const oom_row row = {oom, list->job};
        const struct {
            const char *header;
            double bytes;
        } sizes[] = {{"wanted", known(oom->tried)},
                     {"allocated", known(oom->allocated)},
                     {list->job != NULL ? "difference" : NULL, difference_of(&row)},
                     {"in pieces", known(oom->reserved_unallocated)},
                     {"free", known(oom->free)},
                     {"others'", known(oom->other)},
                     {"capacity", known(oom->capacity)}};
        mls_buffer advice = {0};
        append_advice(&advice, oom);
        mls_table_row(&table);
        mls_table_cell(&table, "GiB", MLS_COLUMN_KEEP | MLS_COLUMN_CUT, MLS_STYLE_PLAIN, "%s:%zu", oom->file,
                       oom->line);
        mls_table_cell(&table, "rank", MLS_COLUMN_RIGHT, MLS_STYLE_PLAIN, oom->rank >= 0 ? "%" PRId64 : "-", oom->rank);
        mls_table_cell(&table, "GPU", MLS_COLUMN_RIGHT, MLS_STYLE_PLAIN, oom->gpu >= 0 ? "%" PRId64 : "-", oom->gpu);
        mls_table_text(&table, "advice", MLS_COLUMN_LEFT, mls_table_take(&table, &advice));
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            if (sizes[k].header != NULL)
                mls_table_number(&table, sizes[k].header, MLS_COLUMN_DECIMAL, sizes[k].bytes / gib, 2);
        enough += oom->tried >= 0 && oom->free >= oom->tried;
        for (mls_oom_advice k = 0; k < MLS_OOM_ADVICE_COUNT; k++)
            with[k] += (oom->advice >> k) & 1;
    }
    mls_table_finish(&table, view);
    for (mls_oom_advice k = 0; k < MLS_OOM_ADVICE_COUNT; k++) {
        if (with[k] > 0) {
            mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "%s: %s (%zu of %zu)", mls_oom_advices[k].name,
                            mls_oom_advices[k].words, with[k], list->count);
        }
    }
    if (enough > 0) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG,
                        "free is at least what was wanted: it lay in pieces, or a limit forbade it; the job is not too "
                        "large by this (%zu of %zu)",
                        enough, list->count);
    }
    if (list->job != NULL) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG,
                        "difference: of %s GiB, the estimate of this job, to what was allocated and wanted",
                        mls_words_grouped((double)mls_memory_shown(&list->job->answer)->estimate / gib, 2).text);
    }
    mls_view_more(view, MLS_STYLE_WARN, INDENT, list->dropped, "message", NULL);
}

const mls_report mls_oom_report = {
    .section = "MEMORY OOM JSON",
    .show = show_ooms,
    .object = &oom_list_fields,
    .columns = {
        .section = "MEMORY OOM CSV",
        .names =
            "file line framework wording rank gpu tried_bytes capacity_bytes free_bytes in_use_bytes allocated_bytes "
            "reserved_bytes reserved_unallocated_bytes private_pool_bytes allowed_bytes other_bytes advice "
            "estimate_bytes difference_bytes",
        .rows = "ooms",
        .sources = {&oom_csv_fields, &oom_fields}}};
