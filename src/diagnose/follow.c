/* SPDX-License-Identifier: Apache-2.0 */
/* follow.c - what the lines of a job tell: its runs, their progress, and the messages that were not survived. */
#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "diagnose/job.h"

enum { NAMES_MAX = MLS_RANKS_MAX, NAME_BYTES_MAX = 255 }; /* of a host, by the DNS */

char *mls_job_keep_text(mls_job_log *job, mls_str text)
{
    const mls_str cut = mls_utf8_cut(text, MLS_TEXT_KEPT);
    char *copy = mls_copy_text(cut.ptr, cut.len);
    job->failed |= copy == NULL;
    return copy;
}

const char *mls_job_name(mls_job_log *job, mls_str name)
{
    if (name.len == 0 || name.len > NAME_BYTES_MAX) {
        return NULL;
    }
    const mls_map_entry *entry = mls_map_find(&job->names, name);
    if (entry == NULL && job->names.count < NAMES_MAX) {
        entry = mls_map_put(&job->names, name, NULL);
        job->failed |= entry == NULL;
    }
    return entry != NULL ? entry->key.ptr : NULL;
}

void mls_job_know_rank(mls_job_log *job, int32_t rank, const char *node)
{
    if (rank < 0 || rank >= MLS_RANKS_MAX) {
        return;
    }
    job->rank_seen[rank] |= MLS_RANK_SEEN;
    if (node != NULL && job->rank_nodes[rank] == 0) {
        const mls_map_entry *entry = mls_map_find(&job->names, mls_str_from(node));
        job->rank_nodes[rank] = entry != NULL ? (uint32_t)(entry - job->names.entries) + 1 : 0;
    }
}

/* ----------------------------------------------------------------- notes */

/* A message that caused nothing: the first are kept for whoever wants to read them. */
static void note_line(mls_job_log *job, size_t signature, size_t segment, size_t line, char *text)
{
    job->note_total++;
    if (job->note_count == MLS_NOTES_MAX || text == NULL || !MLS_GROW_OF(job, notes, note)) {
        job->failed |= job->note_count < MLS_NOTES_MAX;
        free(text);
        return;
    }
    job->notes[job->note_count++] = (mls_failure_line){
        .file = job->files[job->segments[segment].file],
        .line = line,
        .text = text,
        .signature = mls_signatures_get(job->signatures, signature),
    };
}

/* Takes `count` matches out of the list, which are no causes. */
static void dismiss(mls_job_log *job, size_t first, size_t count)
{
    if (count == 0) {
        return;
    }
    for (size_t i = first; i < first + count; i++) {
        mls_match *match = &job->matches[i];
        job->role_counts[mls_signatures_get(job->signatures, match->signature)->role]--;
        note_line(job, match->signature, match->segment, match->line, match->text);
    }
    job->match_count -= count;
    if (count > 0) {
        memmove(&job->matches[first], &job->matches[first + count], (job->match_count - first) * sizeof *job->matches);
    }
}

/* -------------------------------------------------------------- progress */

/* Of many times every second one is dropped, again and again; the first always stays. */
static void keep_time(mls_job_log *job, mls_iteration time)
{
    job->last_time = time;
    if (job->time_skipped++ % job->time_stride != 0) {
        return;
    }
    if (job->time_count == MLS_PROGRESS_MAX) {
        for (size_t i = 0; i < job->time_count / 2; i++) {
            job->times[i] = job->times[2 * i];
        }
        job->time_count /= 2;
        job->time_stride *= 2;
    }
    if (MLS_GROW_OF(job, times, time)) {
        job->times[job->time_count++] = time;
    } else {
        job->failed = true;
    }
}

void mls_job_advance(mls_job_log *job, size_t number, mls_pace pace, double reached, double time_ms)
{
    mls_segment *segment = mls_job_segment(job);
    const size_t signatures = mls_signatures_count(job->signatures);
    if (pace == MLS_PACE_STEP || pace == MLS_PACE_ITERATION) {
        segment->iteration = reached;
    }
    if (!(reached > segment->reached[pace])) {
        return;
    }
    segment->reached[pace] = reached;
    segment->advances++;
    memmove(&segment->last_times[1], segment->last_times, (MLS_SURVIVED - 1) * sizeof(double));
    segment->last_times[0] = time_ms;
    segment->last_line = number;
    free(segment->last_text);
    segment->last_text = NULL;
    if (isfinite(time_ms)) {
        const bool counts = pace == MLS_PACE_STEP || pace == MLS_PACE_ITERATION;
        keep_time(job, (mls_iteration){time_ms, counts ? reached : (double)NAN, segment->samples});
    }
    if (job->recent_used > 0) {
        job->recent_used--;
        memmove(job->recent + signatures, job->recent, (MLS_SURVIVED - 1) * signatures * sizeof *job->recent);
        memset(job->recent, 0, signatures * sizeof *job->recent);
    }
    size_t survived = job->open_matches;
    while (survived < job->match_count && job->matches[survived].advances + MLS_SURVIVED <= segment->advances) {
        survived++;
    }
    if (survived > job->open_matches) {
        dismiss(job, job->open_matches, survived - job->open_matches);
    }
}

/* ------------------------------------------------------------------ runs */

bool mls_job_open_segment(mls_job_log *job, size_t file)
{
    const double nan = (double)NAN;
    if (!MLS_GROW_OF(job, segments, segment)) {
        job->failed = true;
        return false;
    }
    mls_segment *segment = &job->segments[job->segment_count++];
    *segment = (mls_segment){.file = file,
                             .first_ms = nan,
                             .last_ms = nan,
                             .init_ms = nan,
                             .start_ms = nan,
                             .stop_ms = nan,
                             .reached = {-1, -1, -1, -1},
                             .last_times = {nan, nan, nan},
                             .iteration = nan,
                             .samples = nan};
    job->open_matches = job->match_count;
    return true;
}

/* What matched and may be part of a failure; a run that succeeded had none. */
void mls_job_close_segment(mls_job_log *job)
{
    mls_segment *segment = mls_job_segment(job);
    const size_t signatures = mls_signatures_count(job->signatures);
    size_t kinds = 0;
    for (size_t i = 0; i < signatures; i++) {
        for (size_t k = 1; k < MLS_SURVIVED; k++) {
            job->recent[i] += job->recent[k * signatures + i];
        }
        kinds += job->recent[i] > 0;
    }
    if (segment->success) {
        dismiss(job, job->open_matches, job->match_count - job->open_matches);
    } else if (kinds > 0) {
        segment->counts = mls_arena_array(job->arena, kinds, sizeof *segment->counts);
        job->failed |= segment->counts == NULL;
        for (size_t i = 0; i < signatures && segment->counts != NULL; i++) {
            if (job->recent[i] > 0) {
                segment->counts[segment->count_count++] =
                    (mls_failure_count){mls_signatures_get(job->signatures, i), job->recent[i]};
            }
        }
    }
    memset(job->recent, 0, MLS_SURVIVED * signatures * sizeof *job->recent);
    job->recent_used = 0;
}

bool mls_job_starts_run(const mls_job_log *job, const mls_brief_record *record)
{
    const mls_segment *segment = mls_job_segment(job);
    const bool init = record->key == MLS_KEY_INIT_START;
    return job->segment_count < MLS_RUNS_MAX &&
           (((init || record->key == MLS_KEY_RUN_START) && record->time_ms > segment->stop_ms) ||
            (init && record->time_ms > segment->start_ms));
}

void mls_job_take_record(mls_job_log *job, const mls_brief_record *record)
{
    mls_segment *segment = mls_job_segment(job);
    segment->line = segment->line == 0 ? record->line : segment->line;
    double *step = record->key == MLS_KEY_INIT_START  ? &segment->init_ms
                   : record->key == MLS_KEY_RUN_START ? &segment->start_ms
                   : record->key == MLS_KEY_RUN_STOP  ? &segment->stop_ms
                                                      : NULL;
    if (step != NULL && isnan(*step)) {
        *step = record->time_ms;
        segment->success = record->success;
    }
    segment->samples = isfinite(record->samples) ? record->samples : segment->samples;
    if (record->progress && isfinite(record->samples)) {
        mls_job_advance(job, record->line, MLS_PACE_SAMPLES, record->samples, record->time_ms);
    } else if (record->progress && isfinite(record->step)) {
        mls_job_advance(job, record->line, MLS_PACE_STEP, record->step, record->time_ms);
    } else if (record->progress && isfinite(record->epoch)) {
        mls_job_advance(job, record->line, MLS_PACE_EPOCH, record->epoch, record->time_ms);
    }
}

/* --------------------------------------------------------------- matches */

static bool is_of(const mls_job_log *job, size_t match, unsigned role)
{
    return mls_signatures_get(job->signatures, job->matches[match].signature)->role == role;
}

/* Which matches of a role stay when there are too many: of each run the earliest, and those of highest precedence. */
static void choose_kept(const mls_job_log *job, unsigned role, bool *kept)
{
    const size_t share = MLS_CANDIDATES_MAX / 2 / job->segment_count + 1;
    size_t of_segment = 0;
    size_t early = 0;
    size_t room = MLS_CANDIDATES_MAX / 2;
    for (size_t i = 0; i < job->match_count; i++) {
        of_segment = i > 0 && job->matches[i].segment == job->matches[i - 1].segment ? of_segment : 0;
        kept[i] = !is_of(job, i, role) || (of_segment++ < share && early++ < MLS_CANDIDATES_MAX);
    }
    for (int precedence = 100; precedence >= 0 && room > 0; precedence--) {
        for (size_t i = 0; i < job->match_count && room > 0; i++) {
            const size_t signature = job->matches[i].signature;
            if (!kept[i] && mls_signatures_get(job->signatures, signature)->precedence == (uint64_t)precedence) {
                kept[i] = true;
                room--;
            }
        }
    }
}

static void drop_matches(mls_job_log *job, unsigned role)
{
    bool *kept = calloc(job->match_count, sizeof *kept);
    size_t to = 0;
    if (kept == NULL) {
        job->failed = true;
        return;
    }
    choose_kept(job, role, kept);
    for (size_t i = 0; i < job->match_count; i++) {
        if (kept[i]) {
            job->matches[to++] = job->matches[i];
        } else {
            job->role_counts[role]--;
            free(job->matches[i].text);
        }
    }
    job->match_count = to;
    while (to > 0 && job->matches[to - 1].segment == job->segment_count - 1) {
        to--;
    }
    job->open_matches = to;
    free(kept);
}

static mls_str group_of(const mls_job_log *job, size_t signature, const mls_log_line *line, const char *name)
{
    return mls_signatures_group(job->signatures, signature, line->message, name);
}

/* The word behind `wanted` in a message, where `wanted` is a word of its own; empty: there is none. */
static mls_str word_behind(mls_str message, mls_str wanted)
{
    mls_str rest = message;
    for (const char *at; (at = memmem(rest.ptr, rest.len, wanted.ptr, wanted.len)) != NULL;) {
        rest = (mls_str){at + wanted.len, (size_t)(message.ptr + message.len - at) - wanted.len};
        const char before = at > message.ptr ? at[-1] : ' ';
        if (before == ' ' || before == '[' || before == '(' || before == ',' || before == ':') {
            mls_str word = rest;
            word.len = 0;
            while (word.len < rest.len && memchr(" ,;:()[]'\"", rest.ptr[word.len], 11) == NULL) {
                word.len++;
            }
            return word;
        }
    }
    return (mls_str){"", 0};
}

/* The group, else the prefix, else "rank N" in the line, which is not one of a node's own. */
static int32_t rank_of(const mls_job_log *job, size_t signature, const mls_log_line *line)
{
    mls_str group = group_of(job, signature, line, "rank");
    int32_t rank = -1;
    if (mls_take_number(&group, &rank) || line->rank >= 0) {
        return rank >= 0 ? rank : line->rank;
    }
    mls_str word = word_behind(line->message, MLS_S("rank "));
    word = word.len > 0 ? word : word_behind(line->message, MLS_S("Rank "));
    const bool local =
        word.len > 0 && word.ptr - line->message.ptr >= 11 && memcmp(word.ptr - 11, "local rank ", 11) == 0;
    return !local && mls_take_number(&word, &rank) && word.len == 0 ? rank : -1;
}

/* The group, else the prefix, else "node: NAME" or "node NAME" with a digit in it. */
static const char *node_of(mls_job_log *job, size_t signature, const mls_log_line *line)
{
    mls_str node = group_of(job, signature, line, "node");
    node = node.len > 0 ? node : line->node;
    node = node.len > 0 ? node : word_behind(line->message, MLS_S("node: "));
    node = node.len > 0 ? node : word_behind(line->message, MLS_S("node "));
    bool digit = false;
    bool letter = false;
    for (size_t i = 0; i < node.len; i++) {
        digit |= mls_is_digit(node.ptr[i]);
        letter |= !mls_is_digit(node.ptr[i]);
    }
    const bool known = group_of(job, signature, line, "node").len > 0 || line->node.len > 0;
    return known || (digit && letter) ? mls_job_name(job, node) : NULL;
}

void mls_job_take_match(mls_job_log *job, size_t signature, size_t number, const mls_log_line *line, double time_ms)
{
    const mls_signature *what = mls_signatures_get(job->signatures, signature);
    const mls_segment *segment = mls_job_segment(job);
    const mls_str gpu = group_of(job, signature, line, "gpu");
    mls_str group = group_of(job, signature, line, "iteration");
    mls_str rest = line->message;
    int32_t iteration;
    mls_match match = {.signature = signature,
                       .segment = job->segment_count - 1,
                       .line = number,
                       .time_ms = time_ms,
                       .rank = rank_of(job, signature, line),
                       .node = node_of(job, signature, line),
                       .gpu = mls_job_name(job, gpu.len > 0 ? gpu : line->gpu),
                       .iteration = mls_take_number(&group, &iteration) ? iteration : segment->iteration,
                       .samples = segment->samples,
                       .advances = segment->advances,
                       .text = mls_job_keep_text(job, line->message)};
    mls_skip_blanks(&rest);
    if (mls_take_text(&rest,
                      MLS_S("traceback :"))) { /* a row of torchrun's table is about the rank of those above it */
        match.rank = match.rank < 0 ? job->table_rank : match.rank;
        match.node = match.node == NULL ? job->table_host : match.node;
    }
    if (signature == job->watchdog_signature && match.rank >= 0 && match.rank < MLS_RANKS_MAX) {
        job->rank_seen[match.rank] |= MLS_RANK_TIMED_OUT;
        job->watchdog = true;
    }
    mls_job_know_rank(job, match.rank, match.node);
    job->matched[signature]++;
    if (what->role == MLS_ROLE_CONTEXT) {
        note_line(job, signature, match.segment, number, match.text);
        return;
    }
    job->recent[signature]++;
    job->recent_used = MLS_SURVIVED;
    if (!MLS_GROW_OF(job, matches, match)) {
        job->failed = true;
        free(match.text);
        return;
    }
    job->matches[job->match_count++] = match;
    if (++job->role_counts[what->role] >= 2 * (size_t)MLS_CANDIDATES_MAX) {
        drop_matches(job, what->role);
    }
}
