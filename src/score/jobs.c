/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.c - run sacct, or read saved output of sacct --parsable2 or --json; then find the Slurm job of each run, why
 * incomplete runs ended, and how the time of a job was spent.
 *
 * A table has a header with the names of columns, and rows for jobs and their steps.  A bar within a text is not
 * escaped: a row with more fields than the header can be parsed only if a single column contains such texts.  The JSON
 * format changed with Slurm 23.11, so the type of a value decides: a state is a text or a list of texts, and a number
 * is plain or {"set": true, "infinite": false, "number": 17}. */
#include "score/jobs.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/moment.h"
#include "base/number.h"
#include "base/program.h"
#include "base/statistics.h"
#include "base/utf8.h"
#include "base/words.h"
#include "score/hosts.h"
#include "score/score.h"
#include "json/text_table.h"
#include "json/value.h"

/* ------------------------------------------------------------------ rows */

mls_sacct *mls_sacct_new(void)
{
    mls_sacct *sacct = mls_calloc(1, sizeof *sacct);
    sacct->by_raw.arena = sacct->by_id.arena = &sacct->arena;
    sacct->jobs.findings = &sacct->findings;
    return sacct;
}

void mls_sacct_free(mls_sacct *sacct)
{
    if (sacct != NULL) {
        mls_findings_release(&sacct->findings);
        mls_arena_release(&sacct->arena);
        free(sacct);
    }
}

/* Return an empty row, which borrows `source`. */
static mls_slurm_job new_row(const char *source)
{
    const double none = (double)NAN;
    return (mls_slurm_job){.source = source,
                           .array_task = none,
                           .exit_code = none,
                           .signal = none,
                           .derived_exit_code = none,
                           .derived_signal = none,
                           .submit_ms = none,
                           .eligible_ms = none,
                           .start_ms = none,
                           .end_ms = none,
                           .elapsed_seconds = none,
                           .limit_seconds = none,
                           .node_count = none};
}

static const char *keep_text(mls_sacct *sacct, mls_str text)
{
    return text.len > 0 ? mls_arena_copy(&sacct->arena, text).ptr : NULL;
}

/* Add a row with the texts of its columns; State may be "CANCELLED by 1000".  The rows of a job are sorted by submit
 * time, which changes when it is requeued; rows without a submit time stay where they are. */
static void add_row(mls_sacct *sacct, mls_slurm_job *row, mls_str job, mls_str id, mls_str state, mls_str nodes)
{
    mls_str task = id.len > 0 ? id : job;
    mls_str array;
    size_t number;
    row->id = mls_arena_copy(&sacct->arena, task).ptr;
    row->job = job.len > 0 ? mls_arena_copy(&sacct->arena, job).ptr : row->id;
    if (mls_str_cut(&task, '_', &array)) {
        row->array_job = mls_arena_copy(&sacct->arena, array).ptr;
        row->array_task = mls_size_parse(task, &number) ? (double)number : (double)NAN;
    }
    row->state = keep_text(sacct, mls_str_word(&state));
    if (mls_str_equal(mls_str_word(&state), MLS_S("by")))
        row->cancelled_by = keep_text(sacct, mls_str_word(&state));
    row->node_list = mls_str_equal(nodes, MLS_S("None assigned")) ? NULL : keep_text(sacct, nodes);
    mls_map_entry *raw = mls_map_put(&sacct->by_raw, mls_str_from(row->job), NULL);
    if (raw->value.pointer == NULL)
        raw->value.pointer = mls_arena_zeroed(&sacct->arena, 1, sizeof(mls_sacct_entry));
    mls_sacct_entry *entry = raw->value.pointer;
    mls_map_put(&sacct->by_id, mls_str_from(row->id), NULL)->value.pointer = entry;
    mls_slurm_job **place = &entry->newest;
    while (*place != NULL && row->submit_ms < (*place)->submit_ms)
        place = &(*place)->before;
    if (*place != NULL && !((*place)->submit_ms < row->submit_ms)) { /* a duplicate of a row */
        mls_slurm_job *before = (*place)->before;
        **place = *row;
        (*place)->before = before;
        return;
    }
    mls_slurm_job *copy = mls_arena_alloc(&sacct->arena, sizeof *copy);
    *copy = *row;
    copy->before = *place;
    *place = copy;
}

/* Return the entry of the job whose JobIDRaw, or else JobID, is `number`; NULL if the job is unknown. */
static mls_sacct_entry *find_entry(const mls_sacct *sacct, mls_str number)
{
    const mls_map_entry *entry = number.len > 0 ? mls_map_find(&sacct->by_raw, number) : NULL;
    entry = entry == NULL && number.len > 0 ? mls_map_find(&sacct->by_id, number) : entry;
    return entry != NULL ? entry->value.pointer : NULL;
}

const mls_slurm_job *mls_sacct_job(const mls_sacct *sacct, mls_str number)
{
    const mls_sacct_entry *entry = find_entry(sacct, number);
    return entry != NULL ? entry->newest : NULL;
}

mls_slurm_end mls_slurm_job_end(const mls_slurm_job *job)
{
    static const struct {
        const char *states;
        mls_slurm_end end;
    } ends[] = {{"NODE_FAIL BOOT_FAIL", MLS_SLURM_LOST_NODE},
                {"OUT_OF_MEMORY", MLS_SLURM_OUT_OF_MEMORY},
                {"PREEMPTED", MLS_SLURM_PREEMPTED},
                {"REQUEUED", MLS_SLURM_REQUEUED},
                {"TIMEOUT DEADLINE", MLS_SLURM_OUT_OF_TIME},
                {"CANCELLED REVOKED", MLS_SLURM_CANCELLED},
                {"FAILED", MLS_SLURM_FAILED}};
    const mls_str state = mls_str_from(job->state != NULL ? job->state : "");
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (mls_str_among(state, ends[i].states))
            return ends[i].end;
    return MLS_SLURM_ENDED;
}

double mls_slurm_job_queued(const mls_slurm_job *job)
{
    return (job->start_ms - (isnan(job->eligible_ms) ? job->submit_ms : job->eligible_ms)) / 1000;
}

/* ----------------------------------------------------------------- table */

typedef struct job_cells {
    mls_str raw, id, state, exit, derived, submit, eligible, start, end, elapsed_raw, elapsed, limit_raw, limit, nodes,
        allocated, list;
} job_cells;

#define CELL(name, member, flags) MLS_ROW_MEMBER(job_cells, name, SPAN, member, NULL, flags, 0, NULL)
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
    size_t free_columns, free_column; /* number of columns with free text, and the last one, from 1 */
} sacct_reader;

static mls_status leave_out(sacct_reader *reader, const mls_text_row *row, const char *why, mls_str cell)
{
    const mls_finding_place place = {.path = reader->source, .line = row->line};
    mls_findings_add(&reader->sacct->findings, MLS_FINDING_SACCT_ROW, place,
                     cell.len > 0 ? "%s: '%.*s': the row is not used" : "%s%.*s: the row is not used", why,
                     MLS_CUT(cell, 60));
    return MLS_OK;
}

/* Parse a time: seconds since 1970, or a date and time, which is in `zone` if it does not contain a zone.  "", Unknown
 * and None give NAN.  Set row->timezone if `zone` was used.  Return false if the text is invalid. */
static bool read_time(mls_str text, mls_sacct_zone zone, mls_slurm_job *row, double *time_ms)
{
    size_t seconds;
    bool zoned;
    struct tm parts;
    *time_ms = (double)NAN;
    if (text.len == 0 || mls_str_among(text, "Unknown None unknown none NONE N/A"))
        return true;
    if (text.len < 12 && mls_size_parse(text, &seconds)) {
        *time_ms = (double)seconds * 1000;
        return true;
    }
    if (!mls_moment_read(text, time_ms, &zoned))
        return false;
    if (!zoned) {
        const time_t as_utc = (time_t)floor(*time_ms / 1000);
        row->timezone = zone.name;
        if (!isnan(zone.minutes)) {
            *time_ms -= zone.minutes * MLS_MINUTE_MS;
        } else if (gmtime_r(&as_utc, &parts) != NULL) { /* local time of this host */
            parts.tm_isdst = -1;
            *time_ms = (double)mktime(&parts) * 1000;
        } else {
            *time_ms = NAN;
        }
    }
    return isfinite(*time_ms);
}

/* Parse an exit status and a signal, such as "1:0".  If the text is empty, both are unknown. */
static bool read_codes(mls_str text, double *code, double *signal)
{
    size_t numbers[2];
    mls_str status;
    if (text.len == 0)
        return true;
    if (!mls_str_cut(&text, ':', &status) || !mls_size_parse(status, &numbers[0]) || !mls_size_parse(text, &numbers[1]))
        return false;
    *code = (double)numbers[0];
    *signal = (double)numbers[1];
    return true;
}

/* Parse a duration into seconds: `raw` is an integer with a unit of `unit` seconds; `words` contains days, hours,
 * minutes and seconds, such as "1-02:03:04".  Other texts, such as UNLIMITED, leave *seconds unchanged. */
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
        if ((!cut || mls_size_parse(first, &days)) && mls_clock_read(cut ? clock : words, &ms))
            *seconds = (double)days * (MLS_DAY_MS / 1000) + ms / 1000;
    }
}

static mls_status take_sacct_line(void *state, const mls_text_row *at)
{
    sacct_reader *reader = state;
    const mls_text_table *table = &reader->table;
    job_cells cells = {0};
    if (table->columns == 0) { /* the header */
        for (size_t i = 0; i < at->count; i++) {
            if (mls_str_among(at->cells[i], "JobName Comment WorkDir SubmitLine Reason")) {
                reader->free_columns++;
                reader->free_column = i + 1;
            }
        }
        const mls_status status = mls_text_table_heading(&reader->table, at);
        return status == MLS_OK && table->at[0] == 0 && table->at[1] == 0
                   ? mls_error_set(table->error, MLS_ERROR_VALUE, at->line, 1,
                                   "no column 'JobID' and no 'JobIDRaw': not %s", table->what)
                   : status;
    }
    const size_t surplus = at->count > table->columns ? at->count - table->columns : 0;
    if (at->count < table->columns || (surplus > 0 && reader->free_columns != 1)) {
        char why[160];
        (void)snprintf(why, sizeof why, "%s, but the header has %zu",
                       mls_words_plural(at->count, "field", "fields").text, table->columns);
        return leave_out(reader, at, why, MLS_S(""));
    }
    for (size_t k = 0; k < MEMBERS; k++) {
        const size_t column = table->at[k];
        mls_str *cell = (mls_str *)(void *)((char *)&cells + members[k].offset);
        *cell = column > 0 ? at->cells[column - 1 + (column > reader->free_column ? surplus : 0)] : MLS_S("");
    }
    const mls_str last = at->cells[at->count - 1];
    /* At the end of the text, a truncated word would go unnoticed.  A truncated time or number is invalid, or fields
     * are missing. */
    const bool word = last.ptr == cells.raw.ptr || last.ptr == cells.id.ptr || last.ptr == cells.state.ptr ||
                      last.ptr == cells.list.ptr;
    if (last.len > 0 && last.ptr + last.len == table->text.ptr + table->text.len && word)
        return leave_out(reader, at, "the text ends here, possibly within a word", last);
    const mls_str number = cells.raw.len > 0 ? cells.raw : cells.id;
    if (number.len == 0)
        return leave_out(reader, at, "a row without a JobID", number);
    if (memchr(cells.raw.ptr, '\0', cells.raw.len) != NULL || memchr(cells.id.ptr, '\0', cells.id.len) != NULL)
        return leave_out(reader, at, "a NUL in its JobID", MLS_S(""));
    /* Skip job steps, and the header of an appended table. */
    const bool job = memchr(number.ptr, '.', number.len) == NULL && !mls_str_among(number, "JobID JobIDRaw");
    if (!job)
        return MLS_OK;
    mls_slurm_job row = new_row(reader->source);
    const struct {
        const char *why;
        mls_str text;
        double *ms;
    } times[] = {{"invalid Submit time", cells.submit, &row.submit_ms},
                 {"invalid Eligible time", cells.eligible, &row.eligible_ms},
                 {"invalid Start time", cells.start, &row.start_ms},
                 {"invalid End time", cells.end, &row.end_ms}};
    size_t count;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (!read_time(times[i].text, reader->zone, &row, times[i].ms))
            return leave_out(reader, at, times[i].why, times[i].text);
    if (!read_codes(cells.exit, &row.exit_code, &row.signal))
        return leave_out(reader, at, "invalid ExitCode: expected status:signal", cells.exit);
    if (!read_codes(cells.derived, &row.derived_exit_code, &row.derived_signal))
        return leave_out(reader, at, "invalid DerivedExitCode: expected status:signal", cells.derived);
    read_length(cells.elapsed_raw, cells.elapsed, 1, &row.elapsed_seconds);
    read_length(cells.limit_raw, cells.limit, 60, &row.limit_seconds);
    if (mls_size_parse(cells.nodes.len > 0 ? cells.nodes : cells.allocated, &count))
        row.node_count = (double)count;
    add_row(reader->sacct, &row, cells.raw, cells.id, cells.state, cells.list);
    return MLS_OK;
}

/* ------------------------------------------------------------------ JSON */

static const cJSON *member(const cJSON *of, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(of, name);
}

static double json_number(const cJSON *value)
{
    if (cJSON_IsObject(value)) {
        const bool known = cJSON_IsTrue(member(value, "set")) && !cJSON_IsTrue(member(value, "infinite"));
        value = known ? member(value, "number") : NULL;
    }
    return value != NULL && cJSON_IsNumber(value) ? value->valuedouble : (double)NAN;
}

/* Return a text, or the first text of a list. */
static mls_str text_within(const cJSON *value)
{
    value = cJSON_IsArray(value) ? value->child : value;
    return mls_str_from(cJSON_IsString(value) ? value->valuestring : "");
}

/* Return a time in milliseconds since 1970; NAN if it is unknown.  Slurm writes 0 for an event in the future. */
static double json_time(const cJSON *times, const char *name)
{
    const double seconds = json_number(member(times, name));
    return seconds > 0 ? seconds * 1000 : (double)NAN;
}

static void read_exit(const cJSON *of, bool right, double *code, double *signal)
{
    const cJSON *ended = member(of, "signal");
    const cJSON *number = member(ended, "signal_id");
    *code = right ? json_number(member(of, "return_code")) : (double)NAN;
    *signal = json_number(number != NULL ? number : member(ended, "id"));
    *signal = of != NULL && isnan(*signal) ? 0 : *signal;
}

static mls_status read_json(mls_sacct *sacct, mls_str text, const char *source, mls_error *error)
{
    cJSON *json;
    size_t place = 0;
    mls_str version;
    size_t number_of_version;
    mls_status status = mls_json_tree(text, &json, error);
    const cJSON *jobs = status == MLS_OK ? member(json, "jobs") : NULL;
    if (status == MLS_OK && !cJSON_IsArray(jobs))
        status = mls_error_set(error, MLS_ERROR_VALUE, 1, 1, "no list 'jobs': not what sacct --json prints");
    /* Slurm 22.05 reports return_code 0 for every job that ended by itself. */
    version = status == MLS_OK ? text_within(member(member(member(json, "meta"), "plugin"), "type")) : MLS_S("");
    const bool right = !mls_str_after(version, MLS_S("dbv0.0."), &version) ||
                       !mls_size_parse(version, &number_of_version) || number_of_version > 38;
    for (const cJSON *job = status == MLS_OK ? jobs->child : NULL; job != NULL; job = job->next) {
        const double number = json_number(member(job, "job_id"));
        const cJSON *times = member(job, "time");
        mls_slurm_job row = new_row(source);
        place++;
        if (!(number > 0 && number < 1e15)) {
            mls_findings_add(&sacct->findings, MLS_FINDING_SACCT_ROW, (mls_finding_place){.path = source},
                             "the object %zu of its jobs has no job_id: it is not used", place);
            continue;
        }
        /* The JobID as in the table: "5_2" for an array task, "8+1" for a component of a heterogeneous job, otherwise
         * the number. */
        const double array_job = json_number(member(member(job, "array"), "job_id"));
        const double task = json_number(member(member(job, "array"), "task_id"));
        const double part = json_number(member(member(job, "het"), "job_id"));
        const double offset = json_number(member(member(job, "het"), "job_offset"));
        char id[64];
        char raw[sizeof id];
        (void)mls_text_printf(raw, sizeof raw, "%.0f", number);
        if (array_job > 0 && task >= 0)
            (void)mls_text_printf(id, sizeof id, "%.0f_%.0f", array_job, task);
        else if (part > 0 && offset >= 0)
            (void)mls_text_printf(id, sizeof id, "%.0f+%.0f", part, offset);
        else
            (void)mls_text_printf(id, sizeof id, "%s", raw);
        row.submit_ms = json_time(times, "submission");
        row.eligible_ms = json_time(times, "eligible");
        row.start_ms = json_time(times, "start");
        row.end_ms = json_time(times, "end");
        row.elapsed_seconds = json_number(member(times, "elapsed"));
        row.limit_seconds = json_number(member(times, "limit")) * 60;
        row.node_count = json_number(member(job, "allocation_nodes"));
        read_exit(member(job, "exit_code"), right, &row.exit_code, &row.signal);
        read_exit(member(job, "derived_exit_code"), right, &row.derived_exit_code, &row.derived_signal);
        row.cancelled_by = keep_text(sacct, text_within(member(job, "kill_request_user")));
        add_row(sacct, &row, mls_str_from(raw), mls_str_from(id), text_within(member(member(job, "state"), "current")),
                text_within(member(job, "nodes")));
    }
    cJSON_Delete(json);
    return status;
}

/* --------------------------------------------------------------- reading */

/* Read a table or JSON into `sacct`.  `source` must live as long as `sacct`. */
static mls_status take_text(mls_sacct *sacct, mls_str text, const char *source, mls_sacct_zone zone, mls_error *error)
{
    static const char what[] = "what sacct --parsable2 or --json prints";
    sacct_reader reader = {.sacct = sacct, .source = source, .zone = zone};
    const mls_str begin = mls_str_trim(text, mls_is_blank);
    if (mls_str_starts(begin, MLS_S("{")))
        return read_json(sacct, text, source, error);
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

mls_status mls_sacct_read(mls_sacct *sacct, mls_str text, const char *source, mls_sacct_zone zone, mls_error *error)
{
    sacct->files++;
    sacct->file = mls_arena_copy(&sacct->arena, mls_str_from(source)).ptr;
    return take_text(sacct, text, sacct->file, zone, error);
}

/* ---------------------------------------------------------------- asking */

enum { JOBS_AT_ONCE = 500, ASK_MS = 10000, NUMBER_BYTES_MAX = 32 };
#define ANSWER_BYTES_MAX ((size_t)64 << 20)

/* Columns to request.  Free text comes last, and the delimiter, a unit separator, does not occur in names. */
#define ASKED                                                                                                          \
    "JobIDRaw,JobID,State,ExitCode,DerivedExitCode,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,NNodes,NodeList," \
    "Cluster,Reason,JobName"

mls_status mls_sacct_ask(mls_sacct *sacct, const mls_collection *collection, const char *program, mls_error *error)
{
    static const char format[] = "--format=" ASKED;
    static char seconds[] = "SLURM_TIME_FORMAT=%s"; /* request times in seconds since 1970 */
    const double deadline_ms = mls_clock_ms() + ASK_MS;
    mls_arena arena = {0};
    mls_map jobs = {.arena = &arena};
    mls_buffer list = {0};
    mls_buffer answer = {0};
    mls_status status = MLS_OK;
    MLS_LIST_OF(char *) environment = {0};
    for (char **variable = environ; *variable != NULL; variable++)
        if (!mls_str_starts(mls_str_from(*variable), MLS_S("SLURM_TIME_FORMAT=")))
            MLS_ARENA_ADD(&arena, &environment, *variable);
    MLS_ARENA_ADD(&arena, &environment, seconds);
    MLS_ARENA_ADD(&arena, &environment, NULL);
    for (size_t i = 0; i < collection->run_count; i++) {
        const mls_str job = mls_str_from(collection->runs[i].job.job);
        /* Check for 117, 117_3 or 117+1.  With any other number in its arguments, sacct fails for all jobs. */
        size_t number;
        const size_t digits = job.len > 0 ? strcspn(job.ptr, "_+") : 0;
        if (job.len <= NUMBER_BYTES_MAX && mls_size_parse((mls_str){job.ptr, digits}, &number) &&
            (digits == job.len || mls_size_parse(mls_str_rest(job, digits + 1), &number)))
            (void)mls_map_put(&jobs, job, NULL);
    }
    for (size_t i = 0; i < jobs.count && status == MLS_OK;) {
        mls_buffer_clear(&list);
        for (const size_t end = i + JOBS_AT_ONCE; i < jobs.count && i < end; i++) {
            mls_buffer_append_text(&list, list.len > 0 ? "," : "");
            mls_buffer_append(&list, jobs.entries[i].key);
        }
        /* Add the header, since sacct is called without one. */
        mls_buffer_clear(&answer);
        for (const char *at = ASKED; *at != '\0'; at++)
            mls_buffer_append_char(&answer, *at == ',' ? '\x1f' : *at);
        mls_buffer_append_char(&answer, '\n');
        const char *const arguments[] = {program, "-X", "-D",     "-n", "--parsable2", "--delimiter=\x1f",
                                         format,  "-j", list.ptr, NULL};
        const mls_program asked = {arguments, environment.items, deadline_ms - mls_clock_ms(), ANSWER_BYTES_MAX};
        status = mls_program_ask(&asked, &answer, error);
        if (status == MLS_OK)
            status = take_text(sacct, mls_buffer_str(&answer), "sacct", (mls_sacct_zone){(double)NAN, "local"}, error);
    }
    mls_buffer_release(&answer);
    mls_buffer_release(&list);
    mls_arena_release(&arena);
    return status;
}

/* --------------------------------------------------------- a run's job */

static bool is_job_number(mls_str job)
{
    size_t number;
    return mls_size_parse(job, &number);
}

void mls_run_note_name(mls_run *run)
{
    enum { BEFORE = sizeof "slurm-" - 1, AFTER = sizeof ".out" - 1 };
    const mls_str name = mls_str_from(mls_path_name(run->file));
    if (!mls_str_starts(name, MLS_S("slurm-")) || !mls_str_ends(name, MLS_S(".out")))
        return;
    const mls_str job = {name.ptr + BEFORE, name.len - BEFORE - AFTER};
    mls_str task = job;
    mls_str number;
    const bool array = mls_str_cut(&task, '_', &number);
    if (is_job_number(number) && (!array || is_job_number(task)))
        run->job.named = mls_strndup(job.ptr, job.len);
}

void mls_run_find_job(mls_run *run)
{
    mls_job *job = &run->job;
    mls_buffer names = {0};
    const char *said = job->job != NULL ? job->job : job->named != NULL ? job->named : job->step;
    if (job->job == NULL && said != NULL)
        job->job = mls_strdup(said);
    /* An array task has two numbers, which cannot be matched without sacct data. */
    const struct {
        const char *job, *source;
    } others[] = {{job->other, "another log of the same run"},
                  {job->named, "the name of the job's output"},
                  {job->step, "slurmstepd's line"}};
    for (size_t i = 0; i < sizeof others / sizeof *others && job->job != NULL; i++) {
        const char *other = others[i].job;
        if (other != NULL && strcmp(job->job, other) != 0 && is_job_number(mls_str_from(job->job)) &&
            is_job_number(mls_str_from(other))) {
            mls_findings_add(&run->findings, MLS_FINDING_JOB_DIFFERS, (mls_finding_place){0},
                             "it belongs to job %s, but %s names job %s", job->job, others[i].source, other);
        }
    }
    (void)mls_hosts_expand(mls_str_from(job->node_list), &names, &run->findings, (mls_finding_place){0});
    mls_buffer_release(&names);
}

/* ------------------------------------------------------------ its end */

/* A run may start or stop up to this many milliseconds outside the time of its job, since clocks of hosts differ. */
#define JOB_CLOCK_MS 60000

/* Return the row of a requeued job during which a run started; otherwise the newest row. */
static const mls_slurm_job *row_around(const mls_slurm_job *newest, const mls_run *run)
{
    const double start = run->run_start.time_ms;
    for (const mls_slurm_job *row = newest; row != NULL; row = row->before)
        if (row->start_ms <= start && !(row->end_ms < start))
            return row;
    return newest;
}

/* Add a finding about how the job of an incomplete run ended.  Do nothing if, according to Slurm, the job succeeded or
 * is still running.  median_minutes is the median time of the valid runs in the group. */
static void add_cause(mls_run *run, const mls_slurm_job *row, double median_minutes)
{
    const double ran_ms = row->end_ms - run->run_start.time_ms;
    const double left_ms = median_minutes * 60000 - ran_ms;
    const mls_slurm_end end = mls_slurm_job_end(row);
    static const char *const words[] = {[MLS_SLURM_ENDED] = "",
                                        [MLS_SLURM_LOST_NODE] = " lost a node",
                                        [MLS_SLURM_OUT_OF_MEMORY] = " had too little memory",
                                        [MLS_SLURM_PREEMPTED] = " was preempted",
                                        [MLS_SLURM_REQUEUED] = " was requeued",
                                        [MLS_SLURM_OUT_OF_TIME] = " ran into its time limit",
                                        [MLS_SLURM_CANCELLED] = " was cancelled",
                                        [MLS_SLURM_FAILED] = ""};
    mls_buffer line = {0};
    mls_buffer_append_text(&line, words[end]);
    if (end == MLS_SLURM_OUT_OF_TIME) {
        if (isfinite(row->limit_seconds))
            mls_buffer_printf(&line, " of %s", mls_words_seconds(row->limit_seconds).text);
        if (ran_ms >= 0)
            mls_buffer_printf(&line, ", %s after run_start", mls_words_seconds(ran_ms / 1000).text);
        if (ran_ms >= 0 && left_ms > 0)
            mls_buffer_printf(&line, ": %s short of the median run", mls_words_seconds(left_ms / 1000).text);
    } else if (end == MLS_SLURM_CANCELLED && row->cancelled_by != NULL) {
        mls_buffer_printf(&line, " by %s", row->cancelled_by);
    } else if (line.len == 0) { /* the signal or the exit status of the job, or else of one of its steps */
        if (row->signal > 0)
            mls_buffer_printf(&line, " was ended by signal %.0f", row->signal);
        else if (row->derived_signal > 0)
            mls_buffer_printf(&line, " had a step that signal %.0f ended", row->derived_signal);
        else if (row->exit_code > 0)
            mls_buffer_printf(&line, " exited with %.0f", row->exit_code);
        else if (end == MLS_SLURM_FAILED)
            mls_buffer_append_text(&line, " failed");
        else if (row->derived_exit_code > 0)
            mls_buffer_printf(&line, " had a step that exited with %.0f, and went on", row->derived_exit_code);
    }
    if (line.len > 0) {
        mls_findings_add(&run->findings, MLS_FINDING_JOB_ENDED, (mls_finding_place){0}, "job %s%s%s%s%s", row->job,
                         line.ptr, row->state != NULL ? " (" : "", row->state != NULL ? row->state : "",
                         row->state != NULL ? ")" : "");
    }
    mls_buffer_release(&line);
}

/* --------------------------------------------------------- where time went */

/* A moment when the number of runs of a job that initialise or train changes. */
typedef struct job_change {
    double ms;          /* time of the change; must be the first member, for sorting */
    int init, training; /* changes of the two numbers: 1, 0 or -1 */
} job_change;

static void add_change(job_change *changes, size_t *count, double from, double to, bool training)
{
    if (to > from) {
        changes[(*count)++] = (job_change){from, !training, training};
        changes[(*count)++] = (job_change){to, -!training, -training};
    }
}

/* -------------------------------------------------------------------- join */

const mls_slurm_job *mls_slurm_job_of(const mls_slurm_jobs *jobs, const mls_run *run)
{
    return jobs != NULL ? jobs->of_run[run - jobs->runs] : NULL;
}

void mls_jobs_join(mls_sacct *sacct, const char *here, mls_collection *collection)
{
    size_t *next =
        mls_calloc(collection->run_count + 1,
                   sizeof *next); /* for each run, the number of the next run of its job, from 1; 0: the last run */
    sacct->jobs.runs = collection->runs;
    sacct->jobs.of_run = mls_arena_zeroed(&sacct->arena, collection->run_count + 1, sizeof *sacct->jobs.of_run);
    for (size_t g = 0; g < collection->group_count; g++) {
        const mls_group *group = &collection->groups[g];
        double *minutes = mls_calloc(group->run_count, sizeof *minutes);
        size_t count = 0;
        for (size_t i = 0; i < group->run_count; i++) {
            minutes[count] = mls_run_minutes(group->runs[i]);
            count += group->runs[i]->valid && isfinite(minutes[count]);
        }
        mls_sort_doubles(minutes, count);
        const double median_minutes = count > 0 ? mls_median(minutes, count) : (double)NAN;
        free(minutes);
        for (size_t i = 0; i < group->run_count; i++) {
            const size_t place = (size_t)(group->runs[i] - collection->runs);
            mls_run *run = &collection->runs[place];
            mls_sacct_entry *entry = find_entry(sacct, mls_str_from(run->job.job));
            if (entry != NULL) {
                mls_slurm_job *newest = entry->newest;
                const mls_slurm_job *row = row_around(newest, run);
                if (strcmp(run->job.job, newest->job) != 0) {
                    free(run->job.job);
                    run->job.job = mls_strdup(newest->job);
                }
                if (entry->first == 0) {
                    newest->restarts = 0;
                    for (const mls_slurm_job *before = newest->before; before != NULL; before = before->before)
                        newest->restarts++;
                    MLS_ARENA_ADD(&sacct->arena, &sacct->jobs, newest);
                }
                const double early = row->start_ms - run->run_start.time_ms;
                const double late = run->run_stop.time_ms - row->end_ms;
                if (early > JOB_CLOCK_MS || late > JOB_CLOCK_MS) {
                    const bool before = early > JOB_CLOCK_MS;
                    mls_findings_add(&run->findings, MLS_FINDING_JOB_TIME, (mls_finding_place){0},
                                     "it %s %s %s job %s %s", before ? "started" : "stopped",
                                     mls_words_seconds((before ? early : late) / 1000).text,
                                     before ? "before" : "after", row->job, before ? "started" : "ended");
                }
                if (run->run_stop.line == 0 && mls_run_exists(run))
                    add_cause(run, row, median_minutes);
                sacct->jobs.of_run[place] = entry->newest;
                next[place] = entry->first;
                entry->first = place + 1;
            }
        }
    }
    for (size_t i = 0; i < sacct->jobs.count; i++) {
        mls_slurm_job *job = sacct->jobs.items[i];
        /* Add up how the time of a job was spent.  `first` is the number of a run of the job, from 1, and `next` links
         * each run to another run of the job; 0 ends the list. */
        const size_t first = find_entry(sacct, mls_str_from(job->job))->first;
        const double start_ms = job->start_ms;
        const bool open = isnan(job->end_ms);
        const double end_ms = open ? start_ms + job->elapsed_seconds * 1000 : job->end_ms;
        /* The duration of a job that was suspended exceeds its elapsed time. */
        if (!(end_ms >= start_ms) || (!open && fabs(end_ms - start_ms - job->elapsed_seconds * 1000) > 1000))
            continue;
        size_t runs = 0;
        size_t count = 0;
        for (size_t k = first; k > 0; k = next[k - 1])
            runs++;
        job_change *changes = mls_calloc(4 * runs + 1, sizeof *changes);
        for (size_t k = first; k > 0; k = next[k - 1]) {
            const mls_run *run = &collection->runs[k - 1];
            if (row_around(job, run) == job) {
                add_change(changes, &count, run->init_start.time_ms, run->run_start.time_ms, false);
                add_change(changes, &count, run->run_start.time_ms, run->run_stop.time_ms, true);
            }
        }
        mls_sort_by_double(changes, count, sizeof *changes);
        mls_job_times times = {0};
        double at = start_ms;
        int init = 0;
        int training = 0;
        for (size_t k = 0; k <= count && count > 0; k++) {
            const double until = k < count ? fmax(fmin(changes[k].ms, end_ms), start_ms) : end_ms;
            double *part = training > 0 ? &times.training
                           : init > 0   ? &times.init
                           : k == 0     ? &times.before
                           : k == count ? &times.after
                                        : &times.between;
            *part += until - at;
            at = until;
            if (k < count) {
                init += changes[k].init;
                training += changes[k].training;
            }
        }
        job->has_times = count > 0;
        job->times = (mls_job_times){times.before / 1000, times.init / 1000, times.training / 1000,
                                     times.between / 1000, times.after / 1000};
        free(changes);
    }
    /* Add findings about jobs that made runs but do not have a row in the saved files. */
    const mls_finding_place place = {.path = sacct->files == 1 ? sacct->file : NULL};
    mls_map missing = {.arena = &sacct->arena};
    bool named = false;
    for (size_t i = 0; i < collection->run_count && sacct->files > 0; i++) {
        const mls_str job = mls_str_from(collection->runs[i].job.job);
        bool added = false;
        named = named || job.len > 0;
        if (job.len > 0 && find_entry(sacct, job) == NULL)
            (void)mls_map_put(&missing, job, &added);
        if (added)
            mls_findings_add(&sacct->findings, MLS_FINDING_JOB_MISSING, place, "no row for job %.*s", MLS_CUT(job, 60));
    }
    if (!named && collection->run_count > 0 && sacct->files > 0)
        mls_findings_add(&sacct->findings, MLS_FINDING_JOB_MISSING, place, "no run names its job, so no row is used");
    sacct->jobs.here = here;
    collection->jobs = &sacct->jobs;
    free(next);
}
