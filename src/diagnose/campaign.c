/* SPDX-License-Identifier: Apache-2.0 */
/* campaign.c - diagnosed jobs as a chain: what comes back on the same node, and the time that failing cost.
 *
 * Downtime is what NVIDIA's article on reliable training counts: checkpoints, and for each error its detection, the
 * shutdown, the work that is done again and the restart; cut so that no second counts twice. */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "base/statistics.h"
#include "base/text_table.h"
#include "diagnose/diagnose.h"
#include "slurm/sacct.h"

typedef struct sacct_row {
    double start_ms, end_ms;
    unsigned kind; /* the class that its state stands for; 0: it did not fail */
} sacct_row;

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

typedef struct sacct_cells {
    mls_str job, state, start, end;
} sacct_cells;

#define CELL(name, member)                                                                                             \
    {                                                                                                                  \
        name, MLS_MEMBER_SPAN, offsetof(sacct_cells, member), NULL, MLS_MEMBER_NEEDED                                  \
    }
static const mls_row_member sacct_members[] = {CELL("JobID", job), CELL("State", state), CELL("Start", start),
                                               CELL("End", end)};

typedef struct sacct_reading {
    mls_map *rows;
    mls_campaign *campaign; /* has the rows that are left out */
    size_t capacity;
    sacct_cells cells;
    mls_text_table table;
} sacct_reading;

/* Of the rows of one job the last counts; those of steps and of parts of it do not. */
static mls_status take_sacct_row(void *state, const mls_text_row *at)
{
    const sacct_reading *reading = state;
    const sacct_cells *cells = &reading->cells;
    if (cells->job.len == 0) {
        return mls_text_table_refuse(&reading->table, at, reading->table.at[0], 0, "a row without a JobID", cells->job);
    }
    if (mls_str_contains(cells->job, MLS_S(".")) || mls_str_contains(cells->job, MLS_S("+"))) {
        return MLS_OK;
    }
    const mls_str last = at->cells[at->count - 1];
    const bool ends = last.ptr + last.len == reading->table.text.ptr + reading->table.text.len;
    if (ends && (last.ptr == cells->job.ptr || last.ptr == cells->state.ptr)) {
        return mls_text_table_refuse(&reading->table, at, at->count, 0, "the text ends here, perhaps within a word",
                                     last);
    }
    const mls_sacct_zone utc = {0, "UTC"};
    mls_slurm_job zoned = mls_sacct_row(NULL);
    sacct_row found = {.kind = class_of_state(cells->state)};
    if (!mls_sacct_time(cells->start, utc, &zoned, &found.start_ms) ||
        !mls_sacct_time(cells->end, utc, &zoned, &found.end_ms)) {
        return mls_error_set(reading->table.error, MLS_ERROR_SYNTAX, at->line, 1,
                             "Start and End are times as 2026-05-05T00:06:00, Unknown or None");
    }
    mls_map_entry *entry = mls_map_put(reading->rows, cells->job, NULL);
    sacct_row *row = entry != NULL ? mls_arena_alloc(reading->rows->arena, sizeof *row) : NULL;
    if (row == NULL) {
        return mls_error_memory(reading->table.error);
    }
    *row = found;
    entry->value.pointer = row;
    return MLS_OK;
}

/* An export that was cut off ends within a row: all others are as good as ever. */
static mls_status leave_out_row(void *state, const mls_error *wrong)
{
    sacct_reading *reading = state;
    mls_campaign *campaign = reading->campaign;
    if (campaign->left_out_total++ >= MLS_LEFT_OUT_MAX) {
        return MLS_OK;
    }
    if (!mls_arena_grow(campaign->arena, (void **)&campaign->left_out, campaign->left_out_count, &reading->capacity,
                        sizeof *wrong)) {
        return mls_error_memory(reading->table.error);
    }
    campaign->left_out[campaign->left_out_count++] = *wrong;
    return MLS_OK;
}

static mls_status read_sacct(mls_map *rows, mls_str text, mls_campaign *campaign, mls_error *error)
{
    sacct_reading reading = {.rows = rows, .campaign = campaign};
    reading.table = (mls_text_table){.what = "what sacct --parsable2 prints",
                                     .members = sacct_members,
                                     .count = sizeof sacct_members / sizeof *sacct_members,
                                     .options = MLS_TABLE_RAGGED,
                                     .bars = true,
                                     .text = text,
                                     .error = error,
                                     .take_row = take_sacct_row,
                                     .leave_out = leave_out_row,
                                     .state = &reading,
                                     .into = &reading.cells};
    return mls_text_table_read(&reading.table);
}

/* The last number in the name of a path: of job_9007 it is 9007. */
static mls_str job_number(const char *path)
{
    mls_str whole = mls_str_from(path);
    const mls_str name = mls_path_cut(&whole);
    size_t end = name.len;
    while (end > 0 && !mls_is_digit(name.ptr[end - 1])) {
        end--;
    }
    size_t first = end;
    while (first > 0 && mls_is_digit(name.ptr[first - 1])) {
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
        if (mls_compare_doubles(checkpoint->iteration, iteration) == 0) {
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

/* Sets the time that the failure of a job cost; `next`: the job that went on, NULL: none did. */
static void price(mls_campaign_job *job, const mls_campaign_job *next)
{
    const mls_failure *failure = ending(job);
    const mls_iteration first = end_of(job->diagnosis, true);
    const mls_iteration last = end_of(job->diagnosis, false);
    const double stood = isfinite(last.time_ms) ? last.time_ms : job->start_ms;
    const bool timed = failure != NULL && isfinite(failure->time_ms) && !failure->hang;
    double seen = timed ? failure->time_ms : job->end_ms;
    seen = seen < stood ? stood : seen;
    double loaded = next != NULL ? next->diagnosis->loaded_iteration : (double)NAN;
    loaded = isfinite(loaded) ? loaded : saved_iteration(job->diagnosis);
    double from = isfinite(loaded) ? completed_at(job->diagnosis, loaded) : (double)NAN;
    from = isfinite(from) ? from : first.time_ms;
    job->lost_ms[MLS_LOST_DETECTION] = span(stood, seen);
    job->lost_ms[MLS_LOST_SHUTDOWN] = span(seen, job->end_ms);
    job->lost_ms[MLS_LOST_WORK] = span(from, last.time_ms) - saving_time(job->diagnosis, from, last.time_ms);
    if (next != NULL) {
        /* A job that never got to an iteration is lost as a whole, and counts for its own failure. */
        job->lost_ms[MLS_LOST_RESTART] = span(next->start_ms, end_of(next->diagnosis, true).time_ms);
    }
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
        price(job, next);
        double *of_class = &campaign->by_class[job->kind];
        double lost = 0;
        for (size_t k = 0; k < MLS_LOST_COUNT; k++) {
            lost += job->lost_ms[k];
            campaign->lost_ms[k] += job->lost_ms[k];
        }
        *of_class = isnan(*of_class) ? lost : *of_class + lost;
        campaign->errors++;
    }
    if (campaign->count > 0) {
        campaign->startup_ms = span(campaign->jobs[0].start_ms, end_of(campaign->jobs[0].diagnosis, true).time_ms);
    }
    campaign->downtime_ms = campaign->checkpoint_ms;
    for (size_t k = 0; k < MLS_LOST_COUNT; k++) {
        campaign->downtime_ms += campaign->lost_ms[k];
    }
    campaign->percent = campaign->total_ms > 0 ? 100 * campaign->downtime_ms / campaign->total_ms : (double)NAN;
}

/* A failure of which the node is known. */
typedef struct sighting {
    const mls_failure *failure;
    const char *job;
} sighting;

/* Whether it may come back on its node; or, of the application, at its iteration. */
static bool may_recur(const mls_failure *failure, bool application)
{
    const mls_str kind = mls_failure_word(MLS_FAILURE_CLASSES, failure->signature->kind);
    const mls_str origin = mls_failure_word(MLS_FAILURE_ORIGINS, failure->signature->origin);
    return application ? mls_str_equal(kind, MLS_S("numerics")) && isfinite(failure->iteration)
                       : !mls_str_equal(origin, MLS_S("user"));
}

static bool same_failure(const mls_failure *a, const mls_failure *b, bool application)
{
    return a->signature == b->signature &&
           (application ? mls_compare_doubles(a->iteration, b->iteration) == 0 : strcmp(a->node, b->node) == 0);
}

/* One signature on one node in several jobs, or (of the application) at one iteration on several nodes. */
static bool add_recurrence(mls_campaign *campaign, size_t *capacity, const sighting *all, size_t count, size_t first,
                           bool application)
{
    const mls_failure *failure = all[first].failure;
    mls_recurrence found = {.signature = failure->signature->id,
                            .node = application ? NULL : failure->node,
                            .iteration = application ? failure->iteration : (double)NAN,
                            .names = mls_arena_array(campaign->arena, count, sizeof *found.names)};
    if (found.names == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!same_failure(failure, all[i].failure, application)) {
            continue;
        }
        if (i < first) {
            return true; /* it has been added */
        }
        const char *name = application ? all[i].failure->node : all[i].job;
        size_t k = 0;
        while (k < found.name_count && strcmp(found.names[k], name) != 0) {
            k++;
        }
        found.names[k] = name;
        found.name_count += k == found.name_count;
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
    size_t count = 0;
    size_t capacity = 0;
    for (size_t i = 0; i < campaign->count; i++) {
        count += campaign->jobs[i].diagnosis->failure_count;
    }
    sighting *all = mls_arena_array(campaign->arena, count, sizeof *all);
    bool ok = all != NULL;
    count = 0;
    for (size_t i = 0; i < campaign->count && ok; i++) {
        const mls_campaign_job *job = &campaign->jobs[i];
        for (size_t k = 0; k < job->diagnosis->failure_count; k++) {
            const mls_failure *failure = &job->diagnosis->failures[k];
            if (failure->node != NULL) {
                all[count++] = (sighting){failure, job->job != NULL ? job->job : job->diagnosis->path};
            }
        }
    }
    for (int application = 0; application < 2; application++) {
        for (size_t i = 0; i < count && ok; i++) {
            ok = !may_recur(all[i].failure, application) ||
                 add_recurrence(campaign, &capacity, all, count, i, application);
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
    mls_status status = sacct.ptr != NULL ? read_sacct(&rows, sacct, campaign, error) : MLS_OK;
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
    mls_arena_free(campaign->arena);
    *campaign = (mls_campaign){0};
}
