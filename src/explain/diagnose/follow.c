/* SPDX-License-Identifier: Apache-2.0 */
/* follow.c - track the runs of a job, their progress, and the messages that they did not survive, from lines and
 * records. */
#include <math.h>

#include "base/moment.h"
#include "base/utf8.h"
#include "explain/diagnose/job.h"

enum { NAMES_MAX = MLS_RANKS_MAX, NAME_BYTES_MAX = 255 }; /* limit of DNS names */

void mls_keep_line(mls_kept_line *kept, size_t line, mls_str text)
{
    const mls_str cut = mls_utf8_cut(text, MLS_TEXT_KEPT);
    kept->line = line;
    memcpy(kept->text, cut.ptr, cut.len);
    kept->text[cut.len] = '\0';
}

const char *mls_job_name(mls_job_log *job, mls_str name)
{
    if (name.len == 0 || name.len > NAME_BYTES_MAX)
        return NULL;
    const mls_map_entry *entry = mls_map_find(&job->names, name);
    if (entry == NULL && job->names.count < NAMES_MAX)
        entry = mls_map_put(&job->names, name, NULL);
    return entry != NULL ? entry->key.ptr : NULL;
}

void mls_job_know_rank(mls_job_log *job, int32_t rank, const char *node)
{
    if (rank < 0 || rank >= MLS_RANKS_MAX)
        return;
    job->rank_seen[rank] |= MLS_RANK_SEEN;
    job->rank_nodes[rank] = job->rank_nodes[rank] != NULL ? job->rank_nodes[rank] : node;
}

void mls_job_note(mls_job_log *job, const mls_match *match)
{
    mls_diagnosis *to = job->to;
    to->note_total++;
    if (to->note_count == MLS_NOTES_MAX)
        return;
    if (to->notes == NULL)
        to->notes = mls_arena_array(to->arena, MLS_NOTES_MAX, sizeof *to->notes);
    to->notes[to->note_count++] = (mls_failure_line){.file = job->files[job->segments[match->segment].file].name,
                                                     .line = match->at.line,
                                                     .text = mls_job_copy(job, match->at.text),
                                                     .signature = mls_job_signature(job, match)};
}

/* Dismiss the open segment's matches before `end`: they are not causes. */
static void dismiss(mls_job_log *job, size_t end)
{
    for (size_t i = job->open_matches; i < end; i++) {
        job->role_counts[mls_job_signature(job, &job->matches[i])->role]--;
        mls_job_note(job, &job->matches[i]);
    }
    if (end > job->open_matches) {
        memmove(&job->matches[job->open_matches], &job->matches[end], (job->match_count - end) * sizeof *job->matches);
        job->match_count -= end - job->open_matches;
    }
}

void mls_job_add_iteration(mls_job_log *job, mls_iteration one)
{
    mls_diagnosis *to = job->to;
    mls_grow((void **)&to->iterations, to->iteration_count, &job->iteration_capacity, sizeof one);
    to->iterations[to->iteration_count++] = one;
}

void mls_job_advance(mls_job_log *job, size_t number, mls_pace pace, double reached, double time_ms)
{
    mls_diagnosis *to = job->to;
    mls_log_segment *segment = mls_job_segment(job);
    const bool counts = pace == MLS_PACE_STEP || pace == MLS_PACE_ITERATION;
    segment->iteration = counts ? reached : segment->iteration;
    if (!(reached > segment->reached[pace])) {
        const bool anew = pace == MLS_PACE_LOOSE && reached < segment->reached[pace] / 2;
        segment->reached[pace] = anew ? reached : segment->reached[pace];
        return;
    }
    segment->reached[pace] = reached;
    segment->advances++;
    memmove(&segment->last_times[1], segment->last_times, (MLS_SURVIVED - 1) * sizeof(double));
    segment->last_times[0] = time_ms;
    segment->last_line = number;
    job->last.text[0] = '\0';
    if (isfinite(time_ms)) {
        job->last_time = (mls_iteration){time_ms, counts ? reached : (double)NAN, segment->samples};
        if (job->time_skipped++ % job->time_stride == 0) {
            /* Drop every second time if there are too many; the first always stays. */
            if (to->iteration_count == MLS_PROGRESS_MAX) {
                for (size_t i = 0; i < to->iteration_count / 2; i++)
                    to->iterations[i] = to->iterations[2 * i];
                to->iteration_count /= 2;
                job->time_stride *= 2;
            }
            mls_job_add_iteration(job, job->last_time);
        }
    }
    /* Dismiss messages that training has survived. */
    size_t survived = job->open_matches;
    size_t kept = job->open_counts;
    while (survived < job->match_count && job->matches[survived].advances + MLS_SURVIVED <= segment->advances)
        survived++;
    dismiss(job, survived);
    for (size_t i = job->open_counts; i < job->count_count; i++)
        if (job->counts[i].advances + MLS_SURVIVED > segment->advances)
            job->counts[kept++] = job->counts[i];
    job->count_count = kept;
}

void mls_job_open_segment(mls_job_log *job)
{
    const double nan = (double)NAN;
    MLS_GROW_OF(job, segments, segment);
    job->segments[job->segment_count++] = (mls_log_segment){.file = job->file_count - 1,
                                                            .first_ms = nan,
                                                            .last_ms = nan,
                                                            .start_ms = nan,
                                                            .stop_ms = nan,
                                                            .reached = {-1, -1, -1, -1, -1},
                                                            .last_times = {nan, nan, nan},
                                                            .last_text = "",
                                                            .iteration = nan,
                                                            .samples = nan};
    job->last.text[0] = '\0';
    job->plain.count = job->errors.count = 0;
    job->open_matches = job->match_count;
    job->open_counts = job->count_count;
}

/* Dismiss everything in the open segment because it succeeded. */
static void forget_all(mls_job_log *job)
{
    dismiss(job, job->match_count);
    job->count_count = job->open_counts;
}

/* Close the open tracebacks.  The first one that the segment did not survive is stored in it. */
static void end_tracebacks(mls_job_log *job, mls_log_segment *segment)
{
    for (size_t i = 0; i < job->traceback_count; i++) {
        mls_traceback *open = &job->tracebacks[i];
        const bool first = segment->traceback.line == 0 || open->line < segment->traceback.line;
        if (open->line > 0 && !open->ignored && first && open->advances + MLS_SURVIVED > segment->advances)
            segment->traceback = *open;
        open->line = 0;
    }
}

/* Close the open segment.  A successful run has no failure.  A run that restarted afterwards without an end, like a job
 * without records, has failed only if a message shows it. */
void mls_job_close_segment(mls_job_log *job)
{
    mls_log_segment *segment = mls_job_segment(job);
    const mls_read_lines *last = &job->plain;
    const mls_read_lines *bad = &job->errors;
    segment->last_ms = job->file_time;
    segment->last_text = mls_job_copy(job, job->last.text);
    end_tracebacks(job, segment);
    if (segment->again && (job->match_count > job->open_matches || segment->traceback.line > 0 || segment->broken_off))
        segment->success = false;
    if (segment->success) {
        forget_all(job);
        return;
    }
    /* Choose lines to read from the end: those that look like errors, then the last ones, while there is room. */
    const size_t fill = MLS_READ_LINES - bad->count;
    size_t read_line = 0;
    segment->read = mls_arena_array(job->to->arena, MLS_READ_LINES, sizeof *segment->read);
    for (size_t l = 0, b = 0, filled = 0;
         segment->read_count < MLS_READ_LINES && (b < bad->count || (l < last->count && filled < fill));) {
        const size_t bad_line = b < bad->count ? bad->items[b].at.line : 0;
        const size_t last_line = l < last->count && filled < fill ? last->items[l].at.line : 0;
        const bool plain = last_line > bad_line;
        const mls_read_lines *from = plain ? last : bad;
        const size_t i = plain ? l : b;
        read_line = from->items[i].at.line;
        segment->read[segment->read_count++] = (mls_failure_line){.file = job->files[segment->file].name,
                                                                  .line = read_line,
                                                                  .text = mls_job_copy(job, from->items[i].at.text),
                                                                  .rank = from->items[i].rank,
                                                                  .node = from->items[i].node};
        filled += plain;
        l += last_line >= bad_line && last_line > 0;
        b += !plain;
    }
    segment->read_errors =
        segment->read_count > 0 && last->count > 0 && read_line < last->items[last->count - 1].at.line;
    for (size_t i = 0; i < segment->read_count / 2; i++) {
        const mls_failure_line other = segment->read[i];
        segment->read[i] = segment->read[segment->read_count - 1 - i];
        segment->read[segment->read_count - 1 - i] = other;
    }
}

void mls_job_take_record(mls_job_log *job, const mls_brief_record *record)
{
    mls_log_segment *segment = mls_job_segment(job);
    segment->line = segment->line == 0 ? record->line : segment->line;
    segment->began |= record->key == MLS_KEY_INIT_START || record->key == MLS_KEY_RUN_START;
    if (record->key == MLS_KEY_RUN_START && isnan(segment->start_ms)) {
        segment->start_ms = record->time_ms;
    } else if (record->key == MLS_KEY_RUN_START && record->time_ms > segment->stop_ms) {
        /* As in scoring, a run_start after the run_stop belongs to the same run, which then does not end at its first
         * run_stop. */
        if (segment->success && !segment->again) {
            end_tracebacks(job, segment);
            forget_all(job);
            segment->again = true;
            segment->traceback = (mls_traceback){0};
            for (size_t i = 0; i < MLS_PACE_COUNT; i++)
                segment->reached[i] = -1;
        }
    }
    if (record->key == MLS_KEY_RUN_STOP && isnan(segment->stop_ms)) {
        segment->stop_ms = record->time_ms;
        segment->success = record->success;
    } else if (record->key == MLS_KEY_RUN_STOP && segment->again) {
        segment->success = record->success;
        segment->again = false;
    }
    if (isfinite(record->reached[MLS_PACE_SAMPLES]))
        segment->samples = record->reached[MLS_PACE_SAMPLES];
    int pace = MLS_PACE_SAMPLES;
    while (pace < MLS_PACE_ITERATION && !isfinite(record->reached[pace]))
        pace++;
    if (record->progress && pace < MLS_PACE_ITERATION)
        mls_job_advance(job, record->line, (mls_pace)pace, record->reached[pace], record->time_ms);
}

/* Thin out the matches of a role: keep the earliest of each run, and those of highest precedence. */
static void drop_matches(mls_job_log *job, unsigned role)
{
    const size_t share = MLS_CANDIDATES_MAX / 2 / job->segment_count + 1;
    size_t room = MLS_CANDIDATES_MAX / 2;
    size_t of_segment = 0;
    size_t to = 0;
    for (size_t i = 0; i < job->match_count; i++) {
        mls_match *match = &job->matches[i];
        of_segment = i > 0 && match->segment == match[-1].segment ? of_segment : 0;
        match->kept = mls_job_signature(job, match)->role != role || of_segment++ < share;
    }
    for (uint64_t precedence = MLS_PRECEDENCE_MAX + 1; precedence-- > 0 && room > 0;) {
        for (size_t i = 0; i < job->match_count && room > 0; i++) {
            mls_match *match = &job->matches[i];
            if (!match->kept && mls_job_signature(job, match)->precedence == precedence) {
                match->kept = true;
                room--;
            }
        }
    }
    for (size_t i = 0; i < job->match_count; i++)
        if (job->matches[i].kept)
            job->matches[to++] = job->matches[i];
    job->role_counts[role] -= job->match_count - to;
    job->role_limits[role] = 2 * job->role_counts[role]; /* avoids repeating this for every match */
    job->match_count = to;
    while (to > 0 && job->matches[to - 1].segment == job->segment_count - 1)
        to--;
    job->open_matches = to;
}

static mls_str group_of(const mls_job_log *job, size_t signature, const mls_log_line *line, const char *name)
{
    return mls_signatures_group(job->signatures, signature, line->message, name);
}

void mls_job_take_match(mls_job_log *job, size_t signature, size_t number, const mls_log_line *line, double time_ms)
{
    const mls_log_segment *segment = mls_job_segment(job);
    const mls_signature *known = mls_signatures_get(job->signatures, signature);
    mls_str rank = group_of(job, signature, line, "rank");
    const mls_str node = group_of(job, signature, line, "node");
    mls_str gpu = group_of(job, signature, line, "gpu");
    mls_str iteration = group_of(job, signature, line, "iteration");
    mls_str rest = line->message;
    mls_line_parts parts;
    int32_t value;
    while (gpu.len > 0 && (gpu.ptr[gpu.len - 1] == ':' || gpu.ptr[gpu.len - 1] == '.'))
        gpu.len--; /* "0000:4e:00.0: Unknown Error" */
    mls_match match = {.signature = signature,
                       .segment = job->segment_count - 1,
                       .time_ms = time_ms,
                       .rank = mls_take_number(&rank, &value) ? value : mls_log_line_rank(line),
                       .node = mls_job_name(job, node.len > 0 ? node : mls_log_line_node(line)),
                       .gpu = mls_job_name(job, gpu.len > 0 ? gpu : line->gpu),
                       .iteration = mls_take_number(&iteration, &value) ? value : segment->iteration,
                       .samples = segment->samples,
                       .advances = segment->advances,
                       .otherwise = known->otherwise != NULL};
    if (known->otherwise != NULL) { /* the meaning differs for other names */
        const mls_str name = group_of(job, signature, line, "name");
        for (size_t i = 0; i < known->name_count; i++)
            match.otherwise &= !mls_str_equal(known->names[i], name);
    }
    const mls_failure_role role = mls_job_signature(job, &match)->role;
    mls_keep_line(&match.at, number, line->message);
    if (mls_line_take(&rest, "%_traceback :", &parts)) { /* in torchrun's table: about the rank in the rows above */
        match.rank = match.rank < 0 ? job->table_rank : match.rank;
        match.node = match.node == NULL ? job->table_host : match.node;
    }
    if (signature == job->watchdog_signature && match.rank >= 0 && match.rank < MLS_RANKS_MAX)
        job->rank_seen[match.rank] |= MLS_RANK_TIMED_OUT;
    mls_job_know_rank(job, match.rank, match.node);
    job->matched[signature]++;
    if (role == MLS_ROLE_CONTEXT) {
        if (job->recovers[signature] != SIZE_MAX) {
            job->recoveries[job->recovers[signature]] =
                (mls_recovery){segment->file, number, match.time_ms, match.node};
        }
        mls_job_note(job, &match);
        return;
    }
    size_t i = job->open_counts;
    while (i < job->count_count && (job->counts[i].signature != signature || job->counts[i].advances != match.advances))
        i++;
    if (i == job->count_count) {
        MLS_GROW_OF(job, counts, count);
        job->counts[job->count_count++] =
            (mls_match_count){.signature = signature, .segment = match.segment, .advances = match.advances};
    }
    job->counts[i].count++;
    MLS_GROW_OF(job, matches, match);
    job->matches[job->match_count++] = match;
    job->role_counts[role]++;
    if (job->role_counts[role] >= 2 * (size_t)MLS_CANDIDATES_MAX && job->role_counts[role] >= job->role_limits[role])
        drop_matches(job, role);
}
