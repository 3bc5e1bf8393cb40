/* SPDX-License-Identifier: Apache-2.0 */
/* export_row.c - what cannot be in an export: it was edited, or put together of several, and nobody knows which of two
 * statements is right. */
#include "compare/export_row.h"

#include <math.h>

#include "base/number.h"

/* A spreadsheet may have rounded: numbers as near as this are alike; so are times of a run, to the millisecond. */
#define ROUNDED 1e-6
#define ROUNDED_MS 1.0

/* Whether two numbers are alike; one that is not known is like any other. */
static bool is_alike_number(double a, double b)
{
    return !(fabs(a - b) > ROUNDED * fmax(fabs(a), fabs(b)));
}

static bool is_run_count(double number)
{
    return number >= 0 && floor(number) >= number;
}

mls_olympic_mark mls_export_mark(const mls_export_row *row)
{
    for (mls_olympic_mark mark = MLS_OLYMPIC_KEPT; row->counted != NULL && mark <= MLS_OLYMPIC_OUTSIDE; mark++) {
        if (strcmp(row->counted, mls_olympic_mark_name(mark)) == 0) {
            return mark;
        }
    }
    return row->valid && isfinite(row->minutes) ? MLS_OLYMPIC_KEPT : MLS_OLYMPIC_DROPPED;
}

static mls_status check_of_group(const mls_export_row *row, size_t line, mls_error *error)
{
    const double scaled = row->score_minutes * row->scale;
    mls_usage usage;
    if (row->usage != NULL && !mls_usage_from_name(mls_str_from(row->usage), &usage)) {
        return mls_error_set(error, MLS_ERROR_SYNTAX, line, 0, "the usage '%s' is neither training nor hpc",
                             row->usage);
    }
    if (row->score_minutes <= 0) {
        return mls_error_set(error, MLS_ERROR_SYNTAX, line, 0, "a score of %s minutes",
                             mls_words_exact(row->score_minutes).text);
    }
    if (row->scale <= 0) {
        return mls_error_set(error, MLS_ERROR_SYNTAX, line, 0, "a scale of %s", mls_words_exact(row->scale).text);
    }
    if (!is_alike_number(row->scaled_minutes, scaled)) {
        return mls_error_set(error, MLS_ERROR_SYNTAX, line, 0, "scaled_minutes is %s, score_minutes times scale %s",
                             mls_words_exact(row->scaled_minutes).text, mls_words_exact(scaled).text);
    }
    if (!isnan(row->dropped) && !is_run_count(row->dropped)) {
        return mls_error_set(error, MLS_ERROR_SYNTAX, line, 0, "%s dropped runs", mls_words_exact(row->dropped).text);
    }
    return row->accelerators <= 0 ? mls_error_set(error, MLS_ERROR_SYNTAX, line, 0, "%s accelerators",
                                                  mls_words_exact(row->accelerators).text)
                                  : MLS_OK;
}

static mls_status check_of_run(const mls_export_row *row, size_t line, mls_error *error)
{
    const double ms = row->stop_ms - row->start_ms;
    const mls_olympic_mark mark = mls_export_mark(row);
    if (row->counted != NULL && mark != MLS_OLYMPIC_OUTSIDE && row->valid != (mark != MLS_OLYMPIC_DROPPED)) {
        return mls_error_set(error, MLS_ERROR_SYNTAX, line, 0, "a run that is %s, and counted as '%s'",
                             row->valid ? "valid" : "not valid", row->counted);
    }
    if (row->valid && row->minutes <= 0) {
        return mls_error_set(error, MLS_ERROR_SYNTAX, line, 0, "a valid run of %s minutes",
                             mls_words_exact(row->minutes).text);
    }
    if (!is_alike_number(row->minutes * 60000, ms) && fabs(row->minutes * 60000 - ms) > ROUNDED_MS) {
        return mls_error_set(error, MLS_ERROR_SYNTAX, line, 0, "minutes is %s, from start_ms to stop_ms there are %s",
                             mls_words_exact(row->minutes).text, mls_words_exact(ms / 60000).text);
    }
    return MLS_OK;
}

mls_status mls_export_row_check(const mls_export_row *row, unsigned objects, size_t line, mls_error *error)
{
    const mls_status status = (objects & MLS_EXPORT_GROUP) != 0 ? check_of_group(row, line, error) : MLS_OK;
    return status == MLS_OK && (objects & MLS_EXPORT_RUN) != 0 ? check_of_run(row, line, error) : status;
}

mls_status mls_export_row_agrees(const mls_export_row *row, const mls_export_group *with, size_t line, mls_error *error)
{
    const mls_side_group *group = with->group;
    const struct {
        const char *name;
        double here, there;
    } stated[] = {{"score_minutes", row->score_minutes, group->score_minutes},
                  {"scale", row->scale, group->scale},
                  {"scaled_minutes", row->scaled_minutes, group->scaled_minutes},
                  {"dropped", row->dropped, with->dropped},
                  {"accelerators", row->accelerators, group->accelerators}};
    for (size_t i = 0; i < sizeof stated / sizeof *stated; i++) {
        if (isnan(stated[i].here) != isnan(stated[i].there) || !is_alike_number(stated[i].here, stated[i].there)) {
            return mls_error_set(error, MLS_ERROR_SYNTAX, line, 0, "another %s than line %zu has of the same group",
                                 stated[i].name, with->line);
        }
    }
    return MLS_OK;
}

/* The totals of a group's runs. */
typedef struct run_totals {
    size_t kept, dropped;
    double mean;     /* of those kept; NAN: there are none */
    double min, max; /* of the valid ones */
} run_totals;

static run_totals total_of(const mls_side_group *group)
{
    run_totals totals = {.min = INFINITY, .max = -(double)INFINITY};
    double sum = 0;
    for (size_t i = 0; i < group->runs.count; i++) {
        const mls_side_run *run = &group->runs.items[i];
        totals.dropped += run->mark == MLS_OLYMPIC_DROPPED;
        if (run->mark == MLS_OLYMPIC_KEPT) {
            sum += run->minutes;
            totals.kept++;
        }
        if (run->valid) {
            totals.min = fmin(totals.min, run->minutes);
            totals.max = fmax(totals.max, run->minutes);
        }
    }
    totals.mean = sum / (double)totals.kept;
    return totals;
}

mls_status mls_export_group_check(const mls_export_group *of, mls_error *error)
{
    const mls_side_group *group = of->group;
    const run_totals totals = total_of(group);
    const mls_words score = mls_words_exact(group->score_minutes);
    const bool scored = isfinite(group->score_minutes) && !group->weak; /* which is not the mean of its runs */
    const bool outside =
        group->score_minutes < totals.min * (1 - ROUNDED) || group->score_minutes > totals.max * (1 + ROUNDED);
    if (scored && totals.kept == 0) {
        return mls_error_set(error, MLS_ERROR_SYNTAX, of->line, 0, "a score of %s minutes, and no run in it",
                             score.text);
    }
    if (scored && of->marked && !is_alike_number(group->score_minutes, totals.mean)) {
        return mls_error_set(error, MLS_ERROR_SYNTAX, of->line, 0, "a score of %s minutes, the runs in it give %s",
                             score.text, mls_words_exact(totals.mean).text);
    }
    if (scored && outside) {
        return mls_error_set(error, MLS_ERROR_SYNTAX, of->line, 0, "a score of %s minutes, its runs took %s to %s",
                             score.text, mls_words_exact(totals.min).text, mls_words_exact(totals.max).text);
    }
    const double most = of->marked ? (double)totals.dropped : (double)group->runs.count;
    if (of->dropped > most || (of->marked && of->dropped < most)) {
        return mls_error_set(error, MLS_ERROR_SYNTAX, of->line, 0, "%s dropped runs, the group has %s",
                             mls_words_exact(of->dropped).text, mls_words_exact(most).text);
    }
    return MLS_OK;
}
