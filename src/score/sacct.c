/* SPDX-License-Identifier: Apache-2.0 */
/* sacct.c - what sacct printed between bars: a heading that names the columns, and rows of jobs and of their steps.
 *
 * A bar in a text is not escaped: a row with more fields than the heading is only known where one column has such
 * texts, whose surplus it then is. */
#include "score/sacct.h"

#include <math.h>
#include <stdlib.h>

#include "base/moment.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/words.h"
#include "json/text_table.h"

typedef struct job_cells {
    mls_str raw, id, state, exit, derived, submit, eligible, start, end, elapsed_raw, elapsed, limit_raw, limit, nodes,
        allocated, list;
} job_cells;

#define CELL(name, member, flags)                                                                                      \
    {                                                                                                                  \
        name, MLS_MEMBER_SPAN, offsetof(job_cells, member), NULL, flags                                                \
    }
static const mls_row_member members[] = {CELL("JobIDRaw", raw, 0),
                                         CELL("JobID", id, 0),
                                         CELL("State", state, MLS_MEMBER_NEEDED),
                                         CELL("ExitCode", exit, 0),
                                         CELL("DerivedExitCode", derived, 0),
                                         CELL("Submit", submit, 0),
                                         CELL("Eligible", eligible, 0),
                                         CELL("Start", start, 0),
                                         CELL("End", end, 0),
                                         CELL("ElapsedRaw", elapsed_raw, 0),
                                         CELL("Elapsed", elapsed, 0),
                                         CELL("TimelimitRaw", limit_raw, 0),
                                         CELL("Timelimit", limit, 0),
                                         CELL("NNodes", nodes, 0),
                                         CELL("AllocNodes", allocated, 0),
                                         CELL("NodeList", list, 0)};
enum { MEMBERS = sizeof members / sizeof *members };

typedef struct sacct_reader {
    mls_sacct *sacct;
    const char *source;
    mls_sacct_zone zone;
    mls_text_table table;
    size_t free_columns, free_column; /* how many hold free text; the last of them, from 1 */
} sacct_reader;

static mls_status leave_out(sacct_reader *reader, const mls_text_row *row, const char *why, mls_str cell)
{
    const mls_finding_place place = {.path = reader->source, .line = row->line};
    mls_findings_add(&reader->sacct->findings, MLS_FINDING_SACCT_ROW, place,
                     cell.len > 0 ? "%s: '%.*s': the row is not used" : "%s%.*s: the row is not used", why,
                     MLS_CUT(cell, 60));
    return reader->sacct->findings.out_of_memory ? mls_error_memory(reader->table.error) : MLS_OK;
}

static mls_status take_header(sacct_reader *reader, const mls_text_row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        if (mls_str_among(row->cells[i], "JobName Comment WorkDir SubmitLine Reason")) {
            reader->free_columns++;
            reader->free_column = i + 1;
        }
    }
    const mls_status status = mls_text_table_heading(&reader->table, row);
    return status == MLS_OK && reader->table.at[0] == 0 && reader->table.at[1] == 0
               ? mls_error_set(reader->table.error, MLS_ERROR_VALUE, row->line, 1,
                               "no column 'JobID' and no 'JobIDRaw': not %s", reader->table.what)
               : status;
}

/* "1:0", status and signal; "": neither is known. */
static bool read_codes(mls_str text, double *code, double *signal)
{
    size_t numbers[2];
    mls_str status;
    if (text.len == 0) {
        return true;
    }
    if (!mls_str_cut(&text, ':', &status) || !mls_size_parse(status, &numbers[0]) ||
        !mls_size_parse(text, &numbers[1])) {
        return false;
    }
    *code = (double)numbers[0];
    *signal = (double)numbers[1];
    return true;
}

/* A whole number of some unit, or days, hours, minutes and seconds, "1-02:03:04"; UNLIMITED and the like: NAN. */
static void read_length(mls_str raw, mls_str words, double unit, double *seconds)
{
    size_t number;
    size_t days = 0;
    mls_str first;
    double ms;
    mls_str clock = words;
    if (mls_size_parse(raw, &number)) {
        *seconds = (double)number * unit;
    } else if (raw.len == 0) {
        const bool cut = mls_str_cut(&clock, '-', &first);
        if ((!cut || mls_size_parse(first, &days)) && mls_clock_read(cut ? clock : words, &ms)) {
            *seconds = (double)days * (MLS_DAY_MS / 1000) + ms / 1000;
        }
    }
}

/* What is wrong with a row, and in which cell; NULL: nothing. */
static const char *fill_row(const sacct_reader *reader, const job_cells *cells, mls_slurm_job *row, mls_str *wrong)
{
    const struct {
        const char *why;
        mls_str text;
        double *ms;
    } times[] = {{"its Submit is no time", cells->submit, &row->submit_ms},
                 {"its Eligible is no time", cells->eligible, &row->eligible_ms},
                 {"its Start is no time", cells->start, &row->start_ms},
                 {"its End is no time", cells->end, &row->end_ms}};
    size_t number;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (!mls_sacct_time(times[i].text, reader->zone, row, times[i].ms)) {
            *wrong = times[i].text;
            return times[i].why;
        }
    }
    *wrong = cells->exit;
    if (!read_codes(cells->exit, &row->exit_code, &row->signal)) {
        return "its ExitCode is no status:signal";
    }
    *wrong = cells->derived;
    if (!read_codes(cells->derived, &row->derived_exit_code, &row->derived_signal)) {
        return "its DerivedExitCode is no status:signal";
    }
    read_length(cells->elapsed_raw, cells->elapsed, 1, &row->elapsed_seconds);
    read_length(cells->limit_raw, cells->limit, 60, &row->limit_seconds);
    if (mls_size_parse(cells->nodes.len > 0 ? cells->nodes : cells->allocated, &number)) {
        row->node_count = (double)number;
    }
    return NULL;
}

static mls_status keep_job(sacct_reader *reader, const mls_text_row *at, const job_cells *cells)
{
    mls_sacct *sacct = reader->sacct;
    mls_slurm_job row = mls_sacct_row(reader->source);
    mls_str wrong;
    const char *why = fill_row(reader, cells, &row, &wrong);
    if (why != NULL) {
        return leave_out(reader, at, why, wrong);
    }
    const bool placed = cells->list.len > 0 && !mls_str_equal(cells->list, MLS_S("None assigned"));
    row.node_list = placed ? mls_arena_copy(&sacct->arena, cells->list).ptr : NULL;
    const bool kept = (row.node_list != NULL || !placed) && mls_sacct_state(sacct, cells->state, &row) &&
                      mls_sacct_id(sacct, cells->raw, cells->id, &row) && mls_sacct_add(sacct, &row);
    return kept ? MLS_OK : mls_error_memory(reader->table.error);
}

/* Of a word half of it is a word, too; half of a time or of a number with its mark is none, or the row lacks fields. */
static bool is_word_cell(const job_cells *cells, mls_str cell)
{
    return cell.ptr == cells->raw.ptr || cell.ptr == cells->id.ptr || cell.ptr == cells->state.ptr ||
           cell.ptr == cells->list.ptr;
}

static mls_status take_sacct_line(void *state, const mls_text_row *at)
{
    sacct_reader *reader = state;
    const mls_text_table *table = &reader->table;
    job_cells cells = {0};
    if (table->columns == 0) {
        return take_header(reader, at);
    }
    const size_t surplus = at->count > table->columns ? at->count - table->columns : 0;
    if (at->count < table->columns || (surplus > 0 && reader->free_columns != 1)) {
        char why[160];
        (void)snprintf(why, sizeof why, "%s, the heading has %zu", mls_words_plural(at->count, "field", "fields").text,
                       table->columns);
        return leave_out(reader, at, why, MLS_S(""));
    }
    for (size_t k = 0; k < MEMBERS; k++) {
        const size_t column = table->at[k];
        mls_str *cell = (mls_str *)(void *)((char *)&cells + members[k].offset);
        *cell = column > 0 ? at->cells[column - 1 + (column > reader->free_column ? surplus : 0)] : MLS_S("");
    }
    const mls_str last = at->cells[at->count - 1];
    if (last.len > 0 && last.ptr + last.len == table->text.ptr + table->text.len && is_word_cell(&cells, last)) {
        return leave_out(reader, at, "the text ends here, perhaps within a word", last);
    }
    const mls_str number = cells.raw.len > 0 ? cells.raw : cells.id;
    if (number.len == 0) {
        return leave_out(reader, at, "a row without a JobID", number);
    }
    if (memchr(cells.raw.ptr, '\0', cells.raw.len) != NULL || memchr(cells.id.ptr, '\0', cells.id.len) != NULL) {
        return leave_out(reader, at, "a NUL in its JobID", MLS_S(""));
    }
    /* Steps, and the heading of a table that was appended, are no jobs. */
    const bool job = memchr(number.ptr, '.', number.len) == NULL && !mls_str_among(number, "JobID JobIDRaw");
    return job ? keep_job(reader, at, &cells) : MLS_OK;
}

mls_status mls_sacct_read(mls_sacct *sacct, mls_str text, const char *source, mls_sacct_zone zone, mls_error *error)
{
    sacct->files++;
    sacct->file = mls_arena_copy(&sacct->arena, mls_str_from(source)).ptr;
    return mls_sacct_take(sacct, text, sacct->file, zone, error);
}

mls_status mls_sacct_take(mls_sacct *sacct, mls_str text, const char *source, mls_sacct_zone zone, mls_error *error)
{
    static const char what[] = "what sacct --parsable2 or --json prints";
    sacct_reader reader = {.sacct = sacct, .source = source, .zone = zone};
    const mls_str begin = mls_str_trim(text, mls_is_blank);
    if (mls_str_starts(begin, MLS_S("{"))) {
        return mls_sacct_read_json(sacct, text, source, error);
    }
    mls_str rest = text;
    mls_str heading;
    (void)mls_str_cut(&rest, '\n', &heading);
    const bool unit = heading.len > 0 && memchr(heading.ptr, '\x1f', heading.len) != NULL;
    reader.table = (mls_text_table){
        .what = what, .members = members, .count = MEMBERS, .bars = true, .text = text, .error = error};
    const mls_status status = mls_marked_read(text, unit ? '\x1f' : '|', take_sacct_line, &reader, error);
    return status == MLS_OK && reader.table.columns == 0
               ? mls_error_set(error, MLS_ERROR_SYNTAX, 1, 1, "empty: not %s", what)
               : status;
}
