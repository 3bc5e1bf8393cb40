/* SPDX-License-Identifier: Apache-2.0 */
/* sacct_rows.c - jobs by their numbers, each with its rows, and the words in those. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/moment.h"
#include "base/number.h"
#include "score/sacct.h"

mls_status mls_sacct_new(mls_sacct **sacct, mls_error *error)
{
    *sacct = mls_calloc(1, sizeof **sacct);
    if (*sacct == NULL) {
        return mls_error_memory(error);
    }
    (*sacct)->by_raw.arena = (*sacct)->by_id.arena = &(*sacct)->arena;
    (*sacct)->jobs.findings = &(*sacct)->findings;
    return MLS_OK;
}

void mls_sacct_free(mls_sacct *sacct)
{
    if (sacct != NULL) {
        mls_findings_release(&sacct->findings);
        mls_arena_release(&sacct->arena);
        free(sacct);
    }
}

mls_slurm_job mls_sacct_row(const char *source)
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

/* What this host's clocks showed at a time that is given as if it were UTC. */
static double local_time(double time_ms)
{
    struct tm parts;
    const time_t seconds = (time_t)floor(time_ms / 1000);
    if (gmtime_r(&seconds, &parts) == NULL) {
        return (double)NAN;
    }
    parts.tm_isdst = -1;
    return (double)mktime(&parts) * 1000;
}

bool mls_sacct_time(mls_str text, mls_sacct_zone zone, mls_slurm_job *row, double *time_ms)
{
    size_t seconds;
    bool zoned;
    *time_ms = (double)NAN;
    if (text.len == 0 || mls_str_among(text, "Unknown None unknown none NONE N/A")) {
        return true;
    }
    if (text.len < 12 && mls_size_parse(text, &seconds)) {
        *time_ms = (double)seconds * 1000;
        return true;
    }
    if (!mls_moment_read(text, time_ms, &zoned)) {
        return false;
    }
    if (!zoned) {
        row->timezone = zone.name;
        *time_ms = isnan(zone.minutes) ? local_time(*time_ms) : *time_ms - zone.minutes * MLS_MINUTE_MS;
    }
    return isfinite(*time_ms);
}

/* "CANCELLED by 1000" */
bool mls_sacct_state(mls_sacct *sacct, mls_str state, mls_slurm_job *row)
{
    const mls_str word = mls_str_word(&state);
    row->state = word.len > 0 ? mls_arena_copy(&sacct->arena, word).ptr : NULL;
    const bool by = mls_str_equal(mls_str_word(&state), MLS_S("by"));
    const mls_str who = mls_str_word(&state);
    row->cancelled_by = by && who.len > 0 ? mls_arena_copy(&sacct->arena, who).ptr : NULL;
    return (row->state != NULL || word.len == 0) && (row->cancelled_by != NULL || !by || who.len == 0);
}

bool mls_sacct_id(mls_sacct *sacct, mls_str raw, mls_str id, mls_slurm_job *row)
{
    mls_str task = id.len > 0 ? id : raw;
    mls_str array;
    size_t number;
    row->id = mls_arena_copy(&sacct->arena, task).ptr;
    row->job = raw.len > 0 ? mls_arena_copy(&sacct->arena, raw).ptr : row->id;
    if (mls_str_cut(&task, '_', &array)) {
        row->array_job = mls_arena_copy(&sacct->arena, array).ptr;
        row->array_task = mls_size_parse(task, &number) ? (double)number : (double)NAN;
        return row->id != NULL && row->job != NULL && row->array_job != NULL;
    }
    return row->id != NULL && row->job != NULL;
}

/* By when they were submitted, for which a requeue counts too; those without a time stay where they came. */
static bool is_later(const mls_slurm_job *a, const mls_slurm_job *b)
{
    return !(a->submit_ms < b->submit_ms);
}

mls_sacct_entry *mls_sacct_find(const mls_sacct *sacct, mls_str number)
{
    const mls_map_entry *entry = number.len > 0 ? mls_map_find(&sacct->by_raw, number) : NULL;
    entry = entry == NULL && number.len > 0 ? mls_map_find(&sacct->by_id, number) : entry;
    return entry != NULL ? entry->value.pointer : NULL;
}

bool mls_sacct_add(mls_sacct *sacct, const mls_slurm_job *row)
{
    mls_map_entry *raw = mls_map_put(&sacct->by_raw, mls_str_from(row->job), NULL);
    mls_map_entry *id = mls_map_put(&sacct->by_id, mls_str_from(row->id), NULL);
    if (raw == NULL || id == NULL) {
        return false;
    }
    if (raw->value.pointer == NULL) {
        raw->value.pointer = mls_arena_zeroed(&sacct->arena, 1, sizeof(mls_sacct_entry));
    }
    mls_sacct_entry *entry = raw->value.pointer;
    if (entry == NULL) {
        return false;
    }
    id->value.pointer = entry;
    mls_slurm_job **place = &entry->newest;
    while (*place != NULL && !is_later(row, *place)) {
        place = &(*place)->before;
    }
    if (*place != NULL && !((*place)->submit_ms < row->submit_ms)) { /* the same row, saved again */
        mls_slurm_job *before = (*place)->before;
        **place = *row;
        (*place)->before = before;
        return true;
    }
    mls_slurm_job *copy = mls_arena_alloc(&sacct->arena, sizeof *copy);
    if (copy != NULL) {
        *copy = *row;
        copy->before = *place;
        *place = copy;
    }
    return copy != NULL;
}

const mls_slurm_job *mls_sacct_job(const mls_sacct *sacct, mls_str number)
{
    const mls_sacct_entry *entry = mls_sacct_find(sacct, number);
    return entry != NULL ? entry->newest : NULL;
}

const mls_findings *mls_sacct_findings(const mls_sacct *sacct)
{
    return &sacct->findings;
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
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (mls_str_among(state, ends[i].states)) {
            return ends[i].end;
        }
    }
    return MLS_SLURM_ENDED;
}

double mls_slurm_job_queued(const mls_slurm_job *job)
{
    return (job->start_ms - (isnan(job->eligible_ms) ? job->submit_ms : job->eligible_ms)) / 1000;
}
