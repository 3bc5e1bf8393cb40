/* SPDX-License-Identifier: Apache-2.0 */
/* follow.c - what lines and records say of a job: its runs, their progress, and the messages that were not survived. */
#include <math.h>

#include "base/moment.h"
#include "base/utf8.h"
#include "explain/diagnose/job.h"

enum { NAMES_MAX = MLS_RANKS_MAX, NAME_BYTES_MAX = 255 }; /* of a host, by the DNS */

void mls_keep_line(mls_kept_line *kept, size_t line, mls_str text)
{
    const mls_str cut = mls_utf8_cut(text, MLS_TEXT_KEPT);
    kept->line = line;
    memcpy(kept->text, cut.ptr, cut.len);
    kept->text[cut.len] = '\0';
}

const char *mls_job_copy(mls_job_log *job, const char *text)
{
    const mls_str copy = mls_arena_copy(job->to->arena, mls_str_from(text));
    job->failed |= copy.ptr == NULL;
    return copy.ptr;
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

void mls_job_note(mls_job_log *job, const mls_match *match)
{
    mls_diagnosis *to = job->to;
    to->note_total++;
    if (to->note_count == MLS_NOTES_MAX) {
        return;
    }
    if (!mls_arena_grow(to->arena, (void **)&to->notes, to->note_count, &job->note_capacity, sizeof *to->notes)) {
        job->failed = true;
        return;
    }
    to->notes[to->note_count++] = (mls_failure_line){.file = job->files[job->segments[match->segment].file].name,
                                                     .line = match->at.line,
                                                     .text = mls_job_copy(job, match->at.text),
                                                     .signature = mls_job_signature(job, match)};
}

/* Takes the matches before `end` out of those of the open segment: they are not causes. */
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
    if (mls_grow((void **)&to->iterations, to->iteration_count, &job->iteration_capacity, sizeof one)) {
        to->iterations[to->iteration_count++] = one;
    } else {
        job->failed = true;
    }
}

/* Of many times every second one is dropped, again and again; the first always stays. */
static void keep_time(mls_job_log *job, mls_iteration time)
{
    mls_diagnosis *to = job->to;
    job->last_time = time;
    if (job->time_skipped++ % job->time_stride != 0) {
        return;
    }
    if (to->iteration_count == MLS_PROGRESS_MAX) {
        for (size_t i = 0; i < to->iteration_count / 2; i++) {
            to->iterations[i] = to->iterations[2 * i];
        }
        to->iteration_count /= 2;
        job->time_stride *= 2;
    }
    mls_job_add_iteration(job, time);
}

/* Takes out what was survived, as training has got so far. */
static void forget_survived(mls_job_log *job, size_t advances)
{
    size_t survived = job->open_matches;
    size_t kept = job->open_counts;
    while (survived < job->match_count && job->matches[survived].advances + MLS_SURVIVED <= advances) {
        survived++;
    }
    dismiss(job, survived);
    for (size_t i = job->open_counts; i < job->count_count; i++) {
        if (job->counts[i].advances + MLS_SURVIVED > advances) {
            job->counts[kept++] = job->counts[i];
        }
    }
    job->count_count = kept;
}

void mls_job_advance(mls_job_log *job, size_t number, mls_pace pace, double reached, double time_ms)
{
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
    job->lines->last.text[0] = '\0';
    if (isfinite(time_ms)) {
        keep_time(job, (mls_iteration){time_ms, counts ? reached : (double)NAN, segment->samples});
    }
    forget_survived(job, segment->advances);
}

bool mls_job_open_segment(mls_job_log *job)
{
    const double nan = (double)NAN;
    if (!MLS_GROW_OF(job, segments, segment)) {
        job->failed = true;
        return false;
    }
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
    job->lines->last.text[0] = '\0';
    job->lines->plain.count = job->lines->errors.count = 0;
    job->open_matches = job->match_count;
    job->open_counts = job->count_count;
    return true;
}

/* Lines from the end back: those that look like errors, and as many of the last as there is room for. */
static size_t choose_lines(const mls_segment_lines *kept, const mls_read_line *lines[MLS_READ_LINES], bool *errors)
{
    const mls_read_lines *last = &kept->plain;
    const mls_read_lines *bad = &kept->errors;
    const size_t fill = MLS_READ_LINES - bad->count;
    size_t count = 0;
    size_t filled = 0;
    for (size_t l = 0, b = 0; count < MLS_READ_LINES && (b < bad->count || (l < last->count && filled < fill));) {
        const size_t bad_line = b < bad->count ? bad->items[b].at.line : 0;
        const size_t last_line = l < last->count && filled < fill ? last->items[l].at.line : 0;
        const bool plain = last_line > bad_line;
        lines[count++] = plain ? &last->items[l] : &bad->items[b];
        filled += plain;
        l += last_line >= bad_line && last_line > 0;
        b += !plain;
    }
    *errors = count > 0 && last->count > 0 && lines[count - 1]->at.line < last->items[last->count - 1].at.line;
    return count;
}

/* Takes out all that the open segment has shown: it succeeded. */
static void forget_all(mls_job_log *job)
{
    dismiss(job, job->match_count);
    job->count_count = job->open_counts;
}

/* The first of the open tracebacks that the segment did not survive is its own: in what follows none began there. */
static void end_tracebacks(mls_job_log *job, mls_log_segment *segment)
{
    for (size_t i = 0; i < job->traceback_count; i++) {
        mls_traceback *open = &job->tracebacks[i];
        const bool first = segment->traceback.line == 0 || open->line < segment->traceback.line;
        if (open->line > 0 && !open->ignored && first && open->advances + MLS_SURVIVED > segment->advances) {
            segment->traceback = *open;
        }
        open->line = 0;
    }
}

/* A run that succeeded had no failure; one that then began again without an end may have one, as a job without records
 * may: something says so. */
void mls_job_close_segment(mls_job_log *job)
{
    mls_log_segment *segment = mls_job_segment(job);
    const mls_segment_lines *lines = job->lines;
    segment->last_ms = job->file_time;
    segment->last_text = mls_job_copy(job, lines->last.text);
    end_tracebacks(job, segment);
    if (segment->again &&
        (job->match_count > job->open_matches || segment->traceback.line > 0 || segment->broken_off)) {
        segment->success = false;
    }
    if (segment->success) {
        forget_all(job);
        return;
    }
    const mls_read_line *read[MLS_READ_LINES];
    const size_t count = choose_lines(lines, read, &segment->read_errors);
    segment->read = mls_arena_array(job->to->arena, count, sizeof *segment->read);
    job->failed |= segment->read == NULL;
    for (size_t i = count; i-- > 0 && segment->read != NULL;) {
        segment->read[segment->read_count++] = (mls_failure_line){.file = job->files[segment->file].name,
                                                                  .line = read[i]->at.line,
                                                                  .text = mls_job_copy(job, read[i]->at.text),
                                                                  .rank = read[i]->rank,
                                                                  .node = read[i]->node};
    }
}

/* A run_start later than the run_stop is of the same run, as scoring has it.  What it shows from here on is not over
 * with that end. */
static void begin_again(mls_job_log *job, mls_log_segment *segment)
{
    if (!segment->success || segment->again) {
        return;
    }
    end_tracebacks(job, segment);
    forget_all(job);
    segment->again = true;
    segment->traceback = (mls_traceback){0};
    for (size_t i = 0; i < MLS_PACE_COUNT; i++) {
        segment->reached[i] = -1;
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
        begin_again(job, segment);
    }
    if (record->key == MLS_KEY_RUN_STOP && isnan(segment->stop_ms)) {
        segment->stop_ms = record->time_ms;
        segment->success = record->success;
    } else if (record->key == MLS_KEY_RUN_STOP && segment->again) {
        segment->success = record->success;
        segment->again = false;
    }
    if (isfinite(record->reached[MLS_PACE_SAMPLES])) {
        segment->samples = record->reached[MLS_PACE_SAMPLES];
    }
    int pace = MLS_PACE_SAMPLES;
    while (pace < MLS_PACE_ITERATION && !isfinite(record->reached[pace])) {
        pace++;
    }
    if (record->progress && pace < MLS_PACE_ITERATION) {
        mls_job_advance(job, record->line, (mls_pace)pace, record->reached[pace], record->time_ms);
    }
}

/* Too many matches of a role: of each run the earliest stay, and of the others those of highest precedence. */
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
    for (size_t i = 0; i < job->match_count; i++) {
        if (job->matches[i].kept) {
            job->matches[to++] = job->matches[i];
        }
    }
    job->role_counts[role] -= job->match_count - to;
    job->role_limits[role] = 2 * job->role_counts[role]; /* so that it is not done again for each */
    job->match_count = to;
    while (to > 0 && job->matches[to - 1].segment == job->segment_count - 1) {
        to--;
    }
    job->open_matches = to;
}

static mls_str group_of(const mls_job_log *job, size_t signature, const mls_log_line *line, const char *name)
{
    return mls_signatures_group(job->signatures, signature, line->message, name);
}

/* The group, else where the line says it. */
static int32_t rank_of(const mls_job_log *job, size_t signature, const mls_log_line *line)
{
    mls_str group = group_of(job, signature, line, "rank");
    int32_t rank;
    return mls_take_number(&group, &rank) ? rank : mls_log_line_rank(line);
}

static const char *node_of(mls_job_log *job, size_t signature, const mls_log_line *line)
{
    const mls_str group = group_of(job, signature, line, "node");
    return mls_job_name(job, group.len > 0 ? group : mls_log_line_node(line));
}

/* "0000:4e:00.0: Unknown Error" is of 0000:4e:00.0. */
static mls_str trim_address(mls_str gpu)
{
    while (gpu.len > 0 && (gpu.ptr[gpu.len - 1] == ':' || gpu.ptr[gpu.len - 1] == '.')) {
        gpu.len--;
    }
    return gpu;
}

/* Whether a signature that knows some names says something else of this one. */
static bool is_other_name(const mls_job_log *job, size_t signature, const mls_log_line *line)
{
    const mls_signature *known = mls_signatures_get(job->signatures, signature);
    const mls_str name = known->otherwise != NULL ? group_of(job, signature, line, "name") : (mls_str){"", 0};
    bool other = known->otherwise != NULL;
    for (size_t i = 0; i < known->name_count && other; i++) {
        other = !mls_str_equal(known->names[i], name);
    }
    return other;
}

/* One more match of a signature since the last advance. */
static void count_match(mls_job_log *job, const mls_match *match)
{
    size_t i = job->open_counts;
    while (i < job->count_count &&
           (job->counts[i].signature != match->signature || job->counts[i].advances != match->advances)) {
        i++;
    }
    if (i == job->count_count) {
        if (!MLS_GROW_OF(job, counts, count)) {
            job->failed = true;
            return;
        }
        job->counts[job->count_count++] =
            (mls_match_count){.signature = match->signature, .segment = match->segment, .advances = match->advances};
    }
    job->counts[i].count++;
}

void mls_job_take_match(mls_job_log *job, size_t signature, size_t number, const mls_log_line *line, double time_ms)
{
    const mls_log_segment *segment = mls_job_segment(job);
    const mls_str gpu = trim_address(group_of(job, signature, line, "gpu"));
    mls_str group = group_of(job, signature, line, "iteration");
    mls_str rest = line->message;
    mls_line_parts parts;
    int32_t iteration;
    mls_match match = {.signature = signature,
                       .segment = job->segment_count - 1,
                       .time_ms = time_ms,
                       .rank = rank_of(job, signature, line),
                       .node = node_of(job, signature, line),
                       .gpu = mls_job_name(job, gpu.len > 0 ? gpu : line->gpu),
                       .iteration = mls_take_number(&group, &iteration) ? iteration : segment->iteration,
                       .samples = segment->samples,
                       .advances = segment->advances,
                       .otherwise = is_other_name(job, signature, line)};
    const mls_failure_role role = mls_job_signature(job, &match)->role;
    mls_keep_line(&match.at, number, line->message);
    if (mls_line_take(&rest, "%_traceback :", &parts)) { /* of torchrun's table: about the rank of the rows above it */
        match.rank = match.rank < 0 ? job->table_rank : match.rank;
        match.node = match.node == NULL ? job->table_host : match.node;
    }
    if (signature == job->watchdog_signature && match.rank >= 0 && match.rank < MLS_RANKS_MAX) {
        job->rank_seen[match.rank] |= MLS_RANK_TIMED_OUT;
    }
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
    count_match(job, &match);
    if (!MLS_GROW_OF(job, matches, match)) {
        job->failed = true;
        return;
    }
    job->matches[job->match_count++] = match;
    job->role_counts[role]++;
    if (job->role_counts[role] >= 2 * (size_t)MLS_CANDIDATES_MAX && job->role_counts[role] >= job->role_limits[role]) {
        drop_matches(job, role);
    }
}
