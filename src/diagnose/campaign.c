/* SPDX-License-Identifier: Apache-2.0 */
/*
 * campaign.c - diagnosed jobs as a chain: what comes back on the same node, and the time that failing cost.
 *
 * Downtime is what NVIDIA's article on reliable training counts: checkpoints, and for each error its detection, the
 * shutdown, the work that is done again and the restart; cut so that no second counts twice.
 */
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/statistics.h"
#include "diagnose/line.h"

typedef struct sacct_row {
    double start_ms, end_ms;
    unsigned kind; /* the class that its state stands for; 0: it did not fail */
} sacct_row;

/* ----------------------------------------------------------------- sacct */

static unsigned class_of(const char *word)
{
    unsigned number = 1;
    while (!mls_str_equal(mls_failure_word(MLS_FAILURE_CLASSES, number), mls_str_from(word))) {
        number++;
    }
    return number;
}

/* "CANCELLED by 1000" is CANCELLED. */
static unsigned class_of_state(mls_str state)
{
    static const struct {
        const char *states, *kind;
    } kinds[] = {{"NODE_FAIL BOOT_FAIL", "node"},
                 {"OUT_OF_MEMORY", "host-memory"},
                 {"TIMEOUT DEADLINE CANCELLED REVOKED", "scheduler"},
                 {"PREEMPTED REQUEUED", "preemption"},
                 {"FAILED", "unknown"}};
    const mls_str word = mls_str_word(&state);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (mls_str_among(word, kinds[i].states)) {
            return class_of(kinds[i].kind);
        }
    }
    return 0;
}

static double sacct_time(mls_str text)
{
    double time_ms = NAN;
    return mls_time_parse(text, &time_ms) == text.len ? time_ms : (double)NAN;
}

/* Cuts off what stands before the next '|' or line ending. */
static mls_str next_cell(mls_str *line)
{
    const char *bar = line->len > 0 ? memchr(line->ptr, '|', line->len) : NULL;
    const size_t len = bar != NULL ? (size_t)(bar - line->ptr) : line->len;
    const mls_str cell = {line->ptr, len};
    *line = (mls_str){line->ptr + len + (bar != NULL), line->len - len - (bar != NULL)};
    return cell;
}

enum { CELL_JOB, CELL_STATE, CELL_START, CELL_END, CELLS, COLUMNS_MAX = 256 };

/* Which columns the header has; false: one is missing. */
static bool find_columns(mls_str header, size_t columns[CELLS])
{
    static const char *const names[CELLS] = {"JobID", "State", "Start", "End"};
    size_t found = 0;
    for (size_t i = 0; i < COLUMNS_MAX && header.len > 0; i++) {
        const mls_str name = next_cell(&header);
        for (size_t k = 0; k < CELLS; k++) {
            if (mls_str_equal(name, mls_str_from(names[k])) && (found & (size_t)1 << k) == 0) {
                columns[k] = i;
                found |= (size_t)1 << k;
            }
        }
    }
    return found == ((size_t)1 << CELLS) - 1;
}

/* Of the rows of one job the last counts; those of steps and of parts of it do not. */
static mls_status read_sacct_row(mls_map *rows, mls_str line, const size_t columns[CELLS], size_t number,
                                 mls_error *error)
{
    mls_str cells[CELLS] = {{NULL, 0}};
    for (size_t i = 0; i < COLUMNS_MAX && (line.len > 0 || i == 0); i++) {
        const mls_str cell = next_cell(&line);
        for (size_t k = 0; k < CELLS; k++) {
            cells[k] = columns[k] == i ? cell : cells[k];
        }
    }
    if (cells[CELL_JOB].len == 0 || cells[CELL_STATE].ptr == NULL || cells[CELL_START].ptr == NULL) {
        return mls_error_set(error, MLS_ERROR_SYNTAX, number, 1, "a row with fewer columns than the header");
    }
    if (memchr(cells[CELL_JOB].ptr, '.', cells[CELL_JOB].len) != NULL ||
        memchr(cells[CELL_JOB].ptr, '+', cells[CELL_JOB].len) != NULL) {
        return MLS_OK;
    }
    mls_map_entry *entry = mls_map_put(rows, cells[CELL_JOB], NULL);
    sacct_row *row = entry != NULL ? mls_arena_alloc(rows->arena, sizeof *row) : NULL;
    if (row == NULL) {
        return mls_error_memory(error);
    }
    *row = (sacct_row){sacct_time(cells[CELL_START]), sacct_time(cells[CELL_END]), class_of_state(cells[CELL_STATE])};
    entry->value.pointer = row;
    return MLS_OK;
}

static mls_status read_sacct(mls_map *rows, mls_str text, mls_error *error)
{
    size_t columns[CELLS] = {0};
    mls_status status = MLS_OK;
    bool header = true;
    for (size_t number = 1; text.len > 0 && status == MLS_OK; number++) {
        const char *end = memchr(text.ptr, '\n', text.len);
        mls_str line = {text.ptr, end != NULL ? (size_t)(end - text.ptr) : text.len};
        text = (mls_str){text.ptr + line.len + (end != NULL), text.len - line.len - (end != NULL)};
        line.len -= line.len > 0 && line.ptr[line.len - 1] == '\r';
        if (line.len == 0) {
            continue;
        }
        if (!header) {
            status = read_sacct_row(rows, line, columns, number, error);
        } else if (!find_columns(line, columns)) {
            status = mls_error_set(error, MLS_ERROR_SYNTAX, number, 1,
                                   "the header of sacct --parsable2 has JobID, State, Start and End");
        }
        header = false;
    }
    return status;
}

/* ------------------------------------------------------------------ jobs */

/* The last number in the name of a path: of job_9007 it is 9007. */
static mls_str job_number(const char *path)
{
    mls_str name = mls_str_from(path);
    while (name.len > 0 && name.ptr[name.len - 1] == '/') {
        name.len--;
    }
    size_t begin = name.len;
    while (begin > 0 && name.ptr[begin - 1] != '/') {
        begin--;
    }
    size_t end = name.len;
    while (end > begin && !mls_is_digit(name.ptr[end - 1])) {
        end--;
    }
    size_t first = end;
    while (first > begin && mls_is_digit(name.ptr[first - 1])) {
        first--;
    }
    return (mls_str){name.ptr + first, end - first};
}

/* The failure that ended a job; NULL: there was none. */
static const mls_failure *ending(const mls_campaign_job *job)
{
    const mls_diagnosis *diagnosis = job->diagnosis;
    return diagnosis->failure_count > 0 ? &diagnosis->failures[diagnosis->failure_count - 1] : NULL;
}

static bool fill_job(mls_campaign_job *job, const mls_map *rows, mls_arena *arena)
{
    const mls_diagnosis *diagnosis = job->diagnosis;
    const mls_failure *failure = ending(job);
    const mls_str number = job_number(diagnosis->path);
    const mls_map_entry *entry = number.len > 0 ? mls_map_find(rows, number) : NULL;
    const sacct_row *row = entry != NULL ? entry->value.pointer : NULL;
    job->job = number.len > 0 ? mls_arena_copy(arena, number).ptr : NULL;
    job->start_ms = row != NULL && isfinite(row->start_ms) ? row->start_ms : diagnosis->start_ms;
    job->end_ms = row != NULL && isfinite(row->end_ms) ? row->end_ms : diagnosis->end_ms;
    job->outcome = diagnosis->outcome;
    if (failure != NULL) {
        job->kind = failure->signature->kind;
        job->signature = failure->signature->id;
    } else if (row != NULL && row->kind != 0 && diagnosis->outcome == MLS_JOB_UNKNOWN) {
        job->kind = row->kind;
        job->outcome = MLS_JOB_FAILED;
    }
    return number.len == 0 || job->job != NULL;
}

/* By start; those without one last. */
static int compare_job_starts(const void *left, const void *right)
{
    const mls_campaign_job *a = left;
    const mls_campaign_job *b = right;
    const int order = mls_compare_doubles(a->start_ms, b->start_ms);
    return order != 0 ? order
                      : mls_str_compare_natural(mls_str_from(a->diagnosis->path), mls_str_from(b->diagnosis->path));
}

/* ------------------------------------------------------------------ time */

static double span(double from, double to)
{
    return to > from ? to - from : 0;
}

/* The first and the last completed iteration of a job; where no line names one, its progress. */
static mls_iteration end_of(const mls_diagnosis *diagnosis, bool first)
{
    mls_iteration found = {(double)NAN, (double)NAN, (double)NAN};
    for (size_t i = 0; i < diagnosis->iteration_count; i++) {
        const mls_iteration *one = &diagnosis->iterations[first ? diagnosis->iteration_count - 1 - i : i];
        if (isfinite(one->iteration) || !isfinite(found.iteration)) {
            found = *one;
        }
    }
    return found;
}

/* When an iteration was completed in a job; NAN: it was not. */
static double completed_at(const mls_diagnosis *diagnosis, double iteration)
{
    const mls_iteration first = end_of(diagnosis, true);
    double time = NAN;
    for (size_t i = 0; i < diagnosis->checkpoint_count; i++) {
        const mls_checkpoint *checkpoint = &diagnosis->checkpoints[i];
        if (!(checkpoint->iteration < iteration) && !(checkpoint->iteration > iteration)) {
            return checkpoint->done_ms;
        }
    }
    for (size_t i = 0; i < diagnosis->iteration_count && iteration >= first.iteration; i++) {
        time = diagnosis->iterations[i].iteration <= iteration ? diagnosis->iterations[i].time_ms : time;
    }
    return time;
}

static double saved_iteration(const mls_diagnosis *diagnosis)
{
    double iteration = NAN;
    for (size_t i = 0; i < diagnosis->checkpoint_count; i++) {
        iteration = isfinite(diagnosis->checkpoints[i].end_ms) ? diagnosis->checkpoints[i].iteration : iteration;
    }
    return iteration;
}

/* The time of saving between two times; all of it counts as checkpoints. */
static double saving_time(const mls_diagnosis *diagnosis, double from, double to)
{
    double sum = 0;
    for (size_t i = 0; i < diagnosis->checkpoint_count; i++) {
        const mls_checkpoint *checkpoint = &diagnosis->checkpoints[i];
        if (checkpoint->start_ms >= from && checkpoint->end_ms <= to) {
            sum += span(checkpoint->start_ms, checkpoint->end_ms);
        }
    }
    return sum;
}

/* What the failure of a job cost; `next`: the job that went on, NULL: none did. */
static mls_lost_time price(const mls_campaign_job *job, const mls_campaign_job *next)
{
    const mls_failure *failure = ending(job);
    const mls_iteration first = end_of(job->diagnosis, true);
    const mls_iteration last = end_of(job->diagnosis, false);
    const double stood = isfinite(last.time_ms) ? last.time_ms : job->start_ms;
    const bool timed = failure != NULL && isfinite(failure->time_ms) && !failure->hang;
    double seen = timed ? failure->time_ms : job->end_ms;
    seen = seen < stood ? stood : seen;
    mls_lost_time lost = {.detection = span(stood, seen), .shutdown = span(seen, job->end_ms)};
    double loaded = next != NULL ? next->diagnosis->loaded_iteration : (double)NAN;
    loaded = isfinite(loaded) ? loaded : saved_iteration(job->diagnosis);
    double from = isfinite(loaded) ? completed_at(job->diagnosis, loaded) : (double)NAN;
    from = isfinite(from) ? from : first.time_ms;
    lost.lost = span(from, last.time_ms) - saving_time(job->diagnosis, from, last.time_ms);
    if (next != NULL) {
        /* A job that never got to an iteration is lost as a whole, and counts for its own failure. */
        lost.restart = span(next->start_ms, end_of(next->diagnosis, true).time_ms);
    }
    return lost;
}

static void count_time(mls_campaign *campaign)
{
    for (size_t i = 0; i < campaign->count; i++) {
        mls_campaign_job *job = &campaign->jobs[i];
        const mls_campaign_job *next = i + 1 < campaign->count ? job + 1 : NULL;
        campaign->checkpoint_ms += saving_time(job->diagnosis, -INFINITY, INFINITY);
        campaign->total_ms += span(job->start_ms, job->end_ms);
        campaign->wait_ms += next != NULL ? span(job->end_ms, next->start_ms) : 0;
        if (job->outcome != MLS_JOB_FAILED) {
            continue;
        }
        job->time = price(job, next);
        const double all = job->time.detection + job->time.shutdown + job->time.lost + job->time.restart;
        double *of_class = &campaign->by_class[job->kind];
        *of_class = isnan(*of_class) ? all : *of_class + all;
        campaign->errors++;
        campaign->time.detection += job->time.detection;
        campaign->time.shutdown += job->time.shutdown;
        campaign->time.lost += job->time.lost;
        campaign->time.restart += job->time.restart;
    }
    campaign->startup_ms =
        campaign->count > 0 ? span(campaign->jobs[0].start_ms, end_of(campaign->jobs[0].diagnosis, true).time_ms) : 0;
    campaign->downtime_ms = campaign->checkpoint_ms + campaign->time.detection + campaign->time.shutdown +
                            campaign->time.lost + campaign->time.restart;
    campaign->percent = campaign->total_ms > 0 ? 100 * campaign->downtime_ms / campaign->total_ms : (double)NAN;
}

/* ------------------------------------------------------------ recurrence */

typedef struct sighting {
    const mls_signature *signature;
    const char *node, *job;
    double iteration;
} sighting;

static bool same_sighting(const sighting *a, const sighting *b, bool application)
{
    return a->signature == b->signature &&
           (application ? !(a->iteration < b->iteration) && !(a->iteration > b->iteration)
                        : strcmp(a->node, b->node) == 0);
}

/* Sightings of one signature, on one node in several jobs, or (of the application) at one iteration on several nodes.
 */
static bool add_recurrence(mls_campaign *campaign, size_t *capacity, const sighting *all, size_t count, size_t first,
                           bool application)
{
    mls_recurrence found = {.signature = all[first].signature->id,
                            .node = application ? NULL : all[first].node,
                            .iteration = application ? all[first].iteration : (double)NAN,
                            .names = mls_arena_array(campaign->arena, count - first, sizeof *found.names)};
    if (found.names == NULL) {
        return false;
    }
    for (size_t i = first; i < count; i++) {
        const char *name = application ? all[i].node : all[i].job;
        bool known = !same_sighting(&all[first], &all[i], application);
        for (size_t k = 0; k < found.name_count && !known; k++) {
            known = strcmp(found.names[k], name) == 0;
        }
        if (!known) {
            found.names[found.name_count++] = name;
        }
    }
    if (found.name_count < 2) {
        return true;
    }
    if (!mls_arena_grow(campaign->arena, (void **)&campaign->recurrences, campaign->recurrence_count, capacity,
                        sizeof found)) {
        return false;
    }
    campaign->recurrences[campaign->recurrence_count++] = found;
    return true;
}

static bool find_recurrences(mls_campaign *campaign)
{
    const mls_str numerics = MLS_S("numerics");
    size_t room = 0;
    size_t count = 0;
    size_t capacity = 0;
    for (size_t i = 0; i < campaign->count; i++) {
        room += campaign->jobs[i].diagnosis->failure_count;
    }
    sighting *all = mls_arena_array(campaign->arena, room, sizeof *all);
    for (size_t i = 0; i < campaign->count && all != NULL; i++) {
        const mls_campaign_job *job = &campaign->jobs[i];
        for (size_t k = 0; k < job->diagnosis->failure_count; k++) {
            const mls_failure *failure = &job->diagnosis->failures[k];
            if (failure->node != NULL) {
                all[count++] = (sighting){failure->signature, failure->node,
                                          job->job != NULL ? job->job : job->diagnosis->path, failure->iteration};
            }
        }
    }
    bool ok = all != NULL;
    for (int application = 0; application < 2 && ok; application++) {
        for (size_t i = 0; i < count && ok; i++) {
            const mls_signature *signature = all[i].signature;
            const bool meant =
                application ? mls_str_equal(mls_failure_word(MLS_FAILURE_CLASSES, signature->kind), numerics) &&
                                  isfinite(all[i].iteration)
                            : !mls_str_equal(mls_failure_word(MLS_FAILURE_ORIGINS, signature->origin), MLS_S("user"));
            bool first = true;
            for (size_t k = 0; k < i && first; k++) {
                first = !same_sighting(&all[k], &all[i], application);
            }
            ok = !meant || !first || add_recurrence(campaign, &capacity, all, count, i, application);
        }
    }
    return ok;
}

mls_status mls_campaign_make(const mls_diagnosis *diagnoses, size_t count, mls_str sacct, mls_campaign *campaign,
                             mls_error *error)
{
    *campaign = (mls_campaign){.arena = calloc(1, sizeof(mls_arena))};
    if (campaign->arena == NULL) {
        return mls_error_memory(error);
    }
    mls_map rows = {.arena = campaign->arena};
    mls_status status = read_sacct(&rows, sacct, error);
    campaign->jobs = mls_arena_zeroed(campaign->arena, count, sizeof *campaign->jobs);
    if (status != MLS_OK || campaign->jobs == NULL) {
        return status != MLS_OK ? status : mls_error_memory(error);
    }
    for (size_t i = 0; i < sizeof campaign->by_class / sizeof *campaign->by_class; i++) {
        campaign->by_class[i] = NAN;
    }
    bool ok = true;
    for (; campaign->count < count && ok; campaign->count++) {
        mls_campaign_job *job = &campaign->jobs[campaign->count];
        job->diagnosis = &diagnoses[campaign->count];
        ok = fill_job(job, &rows, campaign->arena);
    }
    qsort(campaign->jobs, campaign->count, sizeof *campaign->jobs, compare_job_starts);
    count_time(campaign);
    return ok && find_recurrences(campaign) ? MLS_OK : mls_error_memory(error);
}

void mls_campaign_release(mls_campaign *campaign)
{
    if (campaign->arena != NULL) {
        mls_arena_release(campaign->arena);
        free(campaign->arena);
    }
    *campaign = (mls_campaign){0};
}
