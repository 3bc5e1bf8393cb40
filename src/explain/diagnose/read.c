/* SPDX-License-Identifier: Apache-2.0 */
/* read.c - search each block of a log once for all known texts, then process the lines with hits in their order: follow
 * the runs and their progress, and store the messages after which training did not continue. */
#include <math.h>

#include "base/moment.h"
#include "base/statistics.h"
#include "base/utf8.h"
#include "explain/diagnose/job.h"
#include "json/json_check.h"
#include "json/value.h"

/* The texts to search besides those of signatures: first texts that examine() handles, then texts that only cause a
 * line to be examined, and from MARK_COUNTERS on texts of counters, which are searched only in files without a more
 * reliable sign of progress. */
typedef enum mark {
    MARK_TRACEBACK,
    MARK_SAVING,
    MARK_SAVED,
    MARK_LOADED,
    MARK_HOST_ROW,
    MARK_RANK_ROW,
    MARK_ROOT_CAUSE,
    MARK_SRUN,
    MARK_FRAME,
    MARK_CHAINED,
    MARK_COUNTERS = 18
} mark;
static const mls_str mark_texts[] = {
    [MARK_TRACEBACK] =
        MLS_STR("Traceback (most recent call last)"), /* followed by a colon, or by a frame of rich or IPython */
    [MARK_SAVING] = MLS_STR("saving checkpoint at iteration "),
    [MARK_SAVED] = MLS_STR("successfully saved checkpoint from iteration "),
    [MARK_LOADED] = MLS_STR("successfully loaded checkpoint "),
    [MARK_HOST_ROW] = MLS_STR("  host      : "),
    [MARK_RANK_ROW] = MLS_STR("  rank      : "),
    [MARK_ROOT_CAUSE] = MLS_STR("Root Cause (first observed failure)"),
    [MARK_SRUN] = MLS_STR("srun: error: "),
    [MARK_FRAME] = MLS_STR("\", line "),            /* a frame of a traceback: File "train.py", line 12, in main */
    [MARK_CHAINED] = MLS_STR("he above exception"), /* "During handling of …, another exception occurred" */
    MLS_STR("iteration "),
    MLS_STR(" step "),
    MLS_STR(" error"),
    MLS_STR("ERROR "),
    MLS_STR("rror: "),
    MLS_STR("failed"),
    MLS_STR("xception"),
    MLS_STR("NCCL INFO Bootstrap"),
    [MARK_COUNTERS] = MLS_STR("teration: "),
    MLS_STR("iter: "),
    MLS_STR("Iter: "),
    MLS_STR("Iter(train)"),
    MLS_STR("step: "),
    MLS_STR("step = "),
    MLS_STR(" step="),
    MLS_STR("[step="),
    MLS_STR("steps: "),
    MLS_STR(" Step "),
    MLS_STR("Step: "),
    MLS_STR(" Step="),
    MLS_STR("global_step"),
    MLS_STR("epoch:"),
    MLS_STR("'epoch': "),
    MLS_STR("| epoch 0"),
    MLS_STR("Epoch: "),
    MLS_STR("Epoch ["),
    MLS_STR("Epoch(train)"),
    MLS_STR("Train: "),
    MLS_STR(" batch "),
    MLS_STR("[batch="),
    MLS_STR("num_updates"),
    MLS_STR("logging_writer.py:"),
    MLS_STR("it/s, "),
    MLS_STR("s/it, "),
    MLS_STR(" - ETA: "),
    MLS_STR(": loss "),
    MLS_STR("ms/step")};

/* ---------------------------------------------------------------- runs */

enum { ERROR_LINES = 50 }; /* an error this close to the end of a file may have ended the program */
enum { NAMES_MAX = MLS_RANKS_MAX, NAME_BYTES_MAX = 255 }; /* the longest DNS name has 255 bytes */

static void keep_line(mls_kept_line *kept, size_t line, mls_str text)
{
    const mls_str cut = mls_utf8_cut(text, MLS_TEXT_KEPT);
    kept->line = line;
    memcpy(kept->text, cut.ptr, cut.len);
    kept->text[cut.len] = '\0';
}

static const char *stored_name(mls_job_log *job, mls_str name)
{
    if (name.len == 0 || name.len > NAME_BYTES_MAX)
        return NULL;
    const mls_map_entry *entry = mls_map_find(&job->names, name);
    if (entry == NULL && job->names.count < NAMES_MAX)
        entry = mls_map_put(&job->names, name, NULL);
    return entry != NULL ? entry->key.ptr : NULL;
}

static void note_rank(mls_job_log *job, int32_t rank, const char *node)
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

/* Turn the open segment's matches before index `end` into notes: they are not causes, because the run succeeded or
 * continued. */
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

static void advance(mls_job_log *job, size_t number, mls_pace pace, double reached, double time_ms)
{
    mls_diagnosis *to = job->to;
    mls_log_segment *segment = mls_job_segment(job);
    const bool counts = pace == MLS_PACE_STEP || pace == MLS_PACE_ITERATION;
    segment->iteration = counts ? reached : segment->iteration;
    if (!(reached > segment->reached[pace])) {
        const bool restarted = pace == MLS_PACE_LOOSE && reached < segment->reached[pace] / 2;
        segment->reached[pace] = restarted ? reached : segment->reached[pace];
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

static void open_segment(mls_job_log *job)
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

/* Close the open tracebacks.  Store the first one after which the segment did not continue. */
static void end_tracebacks(mls_job_log *job, mls_log_segment *segment)
{
    for (size_t i = 0; i < job->traceback_count; i++) {
        mls_traceback *open = &job->tracebacks[i];
        const bool first = segment->traceback.line == 0 || open->line < segment->traceback.line;
        if (open->line > 0 && !open->ignored && !open->headless && first &&
            open->advances + MLS_SURVIVED > segment->advances)
            segment->traceback = *open;
        open->line = 0;
    }
}

/* Return whether the text of a line says that something failed.  Unlike the words of keep_lines(), it is strict: a log
 * that ends with such a line counts as failed even if no signature matches. */
static bool says_failure(mls_str message)
{
    static const char failures[] = "rror: |Error|ERROR|xception|FATAL|Fatal|fatal: |FAILED|ailed|ailure|Traceback|"
                                   "Aborted|abort|panic|Killed|core dumped|annot |unable to|Unable to|No such file|"
                                   "denied|refused|egmentation|timed out|Timed out|ncaught|nhandled|invalid|Invalid";
    static const char others[] =
        "WARN|Warn|warn|INFO|DEBUG|log level|initialize backend|gnor|kipp|etry|etries|fall back|falling back|allback|"
        "eprecat|no error|No error|no fatal|No fatal|No FATAL|no core dump|without error|rror: 0|rrors: 0|borted: 0|"
        "ailed: 0|=0|0 err|0 fail|error_file|error rate|error_rate|_error=|_error:|not fatal|non-fatal|ecoverable|"
        "ecovered";
    return mls_str_any(message, failures, mls_str_contains) && !mls_str_any(message, others, mls_str_contains);
}

/* Return whether a message matches a signature, and so was already considered. */
static bool is_known(const mls_job_log *job, mls_str message)
{
    (void)mls_signatures_search(job->signatures, message);
    return mls_signatures_find(job->signatures, message, false) >= 0;
}

/* Find a line that looks like an error among the stored lines at the end of the segment, after its last progress. */
static void find_error(mls_job_log *job, mls_log_segment *segment)
{
    const mls_read_lines *const lists[] = {&job->errors, &job->plain};
    for (size_t l = 0; l < 2; l++) {
        for (size_t i = 0; i < lists[l]->count; i++) {
            const mls_kept_line *at = &lists[l]->items[i].at;
            const bool last = !lists[l]->items[i].harmless && at->line > job->handled_line &&
                              at->line > segment->last_line && at->line > segment->error.line &&
                              at->line + ERROR_LINES > segment->end_line;
            if (last && says_failure(mls_str_from(at->text)) && !is_known(job, mls_str_from(at->text)))
                segment->error = (mls_failure_line){.file = job->files[segment->file].name,
                                                    .line = at->line,
                                                    .text = mls_job_copy(job, at->text),
                                                    .rank = lists[l]->items[i].rank,
                                                    .node = lists[l]->items[i].node};
        }
    }
}

/* Close the open segment.  A successful run has no failure.  A run that restarted after success and did not end again
 * has failed only if a message shows a failure. */
static void close_segment(mls_job_log *job)
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
        dismiss(job, job->match_count);
        job->count_count = job->open_counts;
        return;
    }
    if (segment->line == 0) /* otherwise records decide */
        find_error(job, segment);
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

static void apply_record(mls_job_log *job, const mls_brief_record *record)
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
            dismiss(job, job->match_count);
            job->count_count = job->open_counts;
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
        advance(job, record->line, (mls_pace)pace, record->reached[pace], record->time_ms);
}

/* Drop matches of a role: keep the earliest ones of each segment, and those of highest precedence. */
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

/* Store a match in line `number`.  `ended` is the traceback that the line ends; NULL: none. */
static void add_match(mls_job_log *job, size_t signature, size_t number, const mls_log_line *line, double time_ms,
                      const mls_traceback *ended)
{
    mls_log_segment *segment = mls_job_segment(job);
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
                       .node = stored_name(job, node.len > 0 ? node : mls_log_line_node(line)),
                       .gpu = stored_name(job, gpu.len > 0 ? gpu : line->gpu),
                       .iteration = mls_take_number(&iteration, &value) ? value : segment->iteration,
                       .samples = segment->samples,
                       .advances = segment->advances,
                       .otherwise = known->otherwise != NULL};
    if (known->otherwise != NULL) { /* the meaning depends on the name in the match */
        const mls_str name = group_of(job, signature, line, "name");
        for (size_t i = 0; i < known->name_count; i++)
            match.otherwise &= !mls_str_equal(known->names[i], name);
    }
    const mls_failure_role role = mls_job_signature(job, &match)->role;
    keep_line(&match.at, number, line->message);
    if (mls_line_take(&rest, "%_traceback :", &parts)) { /* in torchrun's table: the rows above name the rank */
        match.rank = match.rank < 0 ? job->table_rank : match.rank;
        match.node = match.node == NULL ? job->table_host : match.node;
    }
    if (ended != NULL && match.rank < 0) {
        match.rank = ended->rank;
        match.node = match.node == NULL ? ended->node : match.node;
    }
    match.warned = ended != NULL && ended->warned;
    if (signature == job->watchdog_signature && match.rank >= 0 && match.rank < MLS_RANKS_MAX)
        job->rank_seen[match.rank] |= MLS_RANK_TIMED_OUT;
    note_rank(job, match.rank, match.node);
    if (signature == job->start_signature || signature == job->end_signature) {
        segment->ended_line = signature == job->end_signature ? number : 0;
        segment->ended_advances = segment->advances;
        return;
    }
    job->matched[signature]++;
    if (role == MLS_ROLE_CONTEXT) {
        for (const size_t *other = job->recovers[signature]; other != NULL && *other != SIZE_MAX; other++)
            job->recoveries[*other] = (mls_recovery){segment->file, number, match.time_ms, match.node};
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

/* ---------------------------------------------------------------- records */

static mls_status block_record(void *state, const mls_record *record)
{
    static const mls_str counts[MLS_PACE_ITERATION] = {MLS_STR("samples_count"), MLS_STR("step"), MLS_STR("epoch_num")};
    mls_job_log *job = state;
    mls_log_block *block = &job->block;
    const bool stop = record->key_id == MLS_KEY_RUN_STOP;
    MLS_GROW_OF(block, run_starts, run_start);
    if (mls_run_boundary_record(&job->boundary, record) >= MLS_OWNER_NEXT_RUN)
        block->run_starts[block->run_start_count++] = record->line;
    MLS_GROW_OF(block, records, record);
    mls_brief_record *brief = &block->records[block->record_count++];
    *brief = (mls_brief_record){.line = record->line,
                                .key = record->key_id,
                                .time_ms = record->time_ms,
                                .reached = {(double)NAN, (double)NAN, (double)NAN}};
    switch (record->key_id) {
    case MLS_KEY_BLOCK_START:
    case MLS_KEY_BLOCK_STOP:
    case MLS_KEY_EVAL_START:
    case MLS_KEY_EVAL_STOP:
    case MLS_KEY_EVAL_ACCURACY:
    case MLS_KEY_TRACKED_STATS:
    case MLS_KEY_EPOCH_START:
    case MLS_KEY_EPOCH_STOP:
    case MLS_KEY_TRAIN_LOSS:
        brief->progress = true;
        break;
    default:
        break;
    }
    mls_str span;
    bool wanted = stop || brief->progress;
    for (size_t i = 0; i < MLS_PACE_ITERATION && wanted; i++) { /* the first key in the record */
        if (mls_record_metadata_member(record, counts[i], &span) && !mls_json_number(span, &brief->reached[i]))
            brief->reached[i] = NAN;
        wanted = isnan(brief->reached[i]);
    }
    brief->success =
        stop && mls_record_metadata_member(record, MLS_S("status"), &span) && mls_str_equal(span, MLS_S("\"success\""));
    if (!stop && !mls_signatures_want_records(job->signatures)) {
        const char *marker = record->prefix.ptr + record->prefix.len;
        brief->payload = (mls_str){marker, (size_t)(record->payload.ptr - marker) + record->payload.len};
    }
    return MLS_OK;
}

static mls_status block_marker(void *state, const mls_marker *marker)
{
    mls_job_log *job = state;
    mls_log_block *block = &job->block;
    MLS_GROW_OF(block, run_starts, run_start);
    if (mls_run_boundary_marker(&job->boundary, marker->kind))
        block->run_starts[block->run_start_count++] = marker->line;
    return MLS_OK;
}

/* Return the number of records in lines before line `i` of the block. */
static size_t records_before(const mls_job_log *job, size_t i)
{
    const mls_log_block *block = &job->block;
    size_t low = 0;
    size_t high = block->record_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (block->records[middle].line < block->marked.lines.line + i)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Return the record in line `i` of the block; NULL if it has none. */
static const mls_brief_record *record_of(const mls_job_log *job, size_t i)
{
    const mls_log_block *block = &job->block;
    const size_t at = records_before(job, i);
    const bool found = at < block->record_count && block->records[at].line == block->marked.lines.line + i;
    return found ? &block->records[at] : NULL;
}

/* ---------------------------------------------------------------- times */

/* Store the first time with a year, which determines the year of the job. */
static void note_time(mls_job_log *job, double time_ms)
{
    job->full_time = isnan(job->full_time) && time_ms >= 0 ? time_ms : job->full_time;
}

/* Return the time in line `i`; NAN: none.  As a fast filter, a line is parsed only if it has two colons with minutes
 * between them near its beginning, as in 13:28:01. */
static double line_time(mls_job_log *job, size_t i)
{
    enum { NEAR = 160 };
    const mls_lines *lines = &job->block.marked.lines;
    const mls_brief_record *record = record_of(job, i);
    double time_ms = record != NULL ? record->time_ms : (double)NAN;
    const mls_str text = record == NULL ? mls_lines_text(lines, i) : (mls_str){"", 0};
    for (size_t at = 0; at < text.len && at < NEAR; at += 16) { /* the block continues after the line */
        const mls_bytes16 first = mls_load16(text.ptr + at);
        const mls_bytes16 tens = mls_load16(text.ptr + at + 1);
        const mls_bytes16 second = mls_load16(text.ptr + at + 3);
        if (mls_mask16((mls_bytes16)((first == ':') & (second == ':') & (tens >= '0') & (tens <= '5'))) != 0) {
            const mls_log_line line = mls_log_line_of(lines, i, job->scratch + MLS_LINE_EXAMINED);
            time_ms = mls_log_line_time(&line);
            break;
        }
    }
    note_time(job, time_ms);
    return time_ms;
}

/* Set file_time to the last time before line `end`, searching back to where the previous search began. */
static void find_time_before(mls_job_log *job, size_t end)
{
    double time_ms = NAN;
    for (size_t i = end; i > job->block.timed_to && isnan(time_ms); i--)
        time_ms = line_time(job, i - 1);
    job->file_time = isnan(time_ms) ? job->file_time : time_ms;
    job->block.timed_to = end > job->block.timed_to ? end : job->block.timed_to;
}

static double time_of(mls_job_log *job, size_t i, const mls_log_line *line)
{
    const mls_brief_record *record = record_of(job, i);
    const double time_ms = record != NULL ? record->time_ms : mls_log_line_time(line);
    if (isnan(time_ms)) {
        find_time_before(job, i);
        return job->file_time;
    }
    note_time(job, time_ms);
    return time_ms;
}

/* ---------------------------------------------------------------- progress
 *
 * "iteration 412/5000" and "step 412" at the start of a message are reliable.  Other forms may count something
 * else, such as loaded shards.  They are used only in files without records and without a reliable form. */

/* A progress bar of tqdm: " 31%|███ | 331/1063 [01:06<02:24, 5.06it/s]". */
typedef struct progress_bar {
    mls_str title; /* the text before the bar */
    int32_t done, all;
    bool closed; /* the text has the closing bracket after the bar */
} progress_bar;

static bool maybe_bar(const char *line)
{
    while (*line == ' ')
        line++;
    const char *digits = line;
    while (mls_is_digit(*line)) /* most lines have no number, or a rank */
        line++;
    return line > digits && line - digits <= 3 && line[0] == '%' && line[1] == '|';
}

static bool maybe_counter(const char *line)
{
    static const char firsts[] = "siet";
    static const mls_str rests[] = {MLS_STR("tep"), MLS_STR("ter"), MLS_STR("poch"), MLS_STR("rain")};
    const char *first = memchr(firsts, *line | 0x20, sizeof firsts - 1);
    return first != NULL && strncmp(line + 1, rests[first - firsts].ptr, rests[first - firsts].len) == 0;
}

/* Set *rest to the text after the last occurrence of `words`.  Return whether `words` occurs. */
static bool find_last(mls_str text, mls_str words, mls_str *rest)
{
    bool found = false;
    for (; mls_str_after(text, words, rest); found = true)
        text = *rest;
    return found;
}

/* Read the last bar of a line, which contains several if the bar was redrawn.  Return whether there is one. */
static bool read_bar(mls_str message, progress_bar *bar)
{
    mls_line_parts parts;
    mls_str rest;
    if (!find_last(message, MLS_S("%|"), &rest))
        return false;
    const char *begin = rest.ptr - 2;
    while (begin > message.ptr && mls_is_digit(begin[-1]))
        begin--;
    const char *title = begin;
    while (title > message.ptr && title[-1] != ']')
        title--;
    while (title < begin && *title == ' ')
        title++;
    bar->title = (mls_str){title, (size_t)(begin - title)};
    const char *edge = memchr(rest.ptr, '|', rest.len);
    if (edge == NULL)
        return false;
    rest = (mls_str){edge + 1, (size_t)(rest.ptr + rest.len - edge) - 1};
    if (!mls_line_take(&rest, "%_%n", &parts))
        return false;
    bar->done = parts.number;
    if (!mls_line_take(&rest, "/%n [", &parts))
        return false;
    bar->all = parts.number;
    bar->closed = memchr(rest.ptr, ']', rest.len) != NULL;
    return true;
}

/* Return whether the word before a counter shows that the number is not the current progress, as in "saved at step
 * 100". */
static bool is_other_number(mls_str before)
{
    while (before.len > 0 && before.ptr[before.len - 1] == ' ')
        before.len--;
    size_t len = 0;
    while (len < before.len && before.ptr[before.len - len - 1] != ' ')
        len++;
    return mls_str_among((mls_str){before.ptr + before.len - len, len},
                         "at from per every max total in after until for before warmup last of to resume");
}

static bool is_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* Read the number of a counter, as in "step: 10", "Step 10/500", "iter = 10" or "iteration 3/99".  `names` is a list
 * separated by bars; the first name that a number follows counts.  Return whether there is one. */
static bool count_words(mls_str message, const char *names, double *reached)
{
    for (mls_str name; mls_list_next(&names, '|', &name);) {
        for (mls_str after = message; mls_str_after(after, name, &after);) {
            const mls_str before = {message.ptr, (size_t)(after.ptr - message.ptr) - name.len};
            const char last = before.len > 0 ? before.ptr[before.len - 1] : ' ';
            if (last == '_' || last == '-' || is_letter(last) || mls_is_digit(last) || is_other_number(before))
                continue;
            mls_str rest = after;
            mls_line_parts parts;
            rest = mls_str_starts(rest, MLS_S("ation")) ? mls_str_rest(rest, 5) : rest;
            rest = mls_str_starts(rest, MLS_S("s")) ? mls_str_rest(rest, 1) : rest;
            (void)mls_line_take(&rest, "%_", &parts);
            const bool sign = mls_take_char(&rest, ":=#[");
            if (!mls_line_take(&rest, "%_%n", &parts) || (!sign && rest.len > 0 && rest.ptr[0] == '%'))
                continue;
            const char next = rest.len > 0 ? rest.ptr[0] : ' ';
            *reached = parts.number;
            if (next != '.' && next != '_' && !is_letter(next))
                return true;
        }
    }
    return false;
}

/* Read the progress of a message in a form that may count something else.  Set *iterations to whether the number
 * counts iterations.  Return whether there is a number. */
static bool count_loose(mls_str message, double *reached, bool *iterations)
{
    static const char counters[] = "global_step|num_updates|step|Step|STEP|iter|Iter|ITER";
    progress_bar bar;
    mls_line_parts parts;
    mls_str rest;
    *iterations = true;
    /* The steps of a training bar, including those of previous epochs.  Bars of loading files do not count. */
    if (read_bar(message, &bar) &&
        (bar.title.len == 0 || mls_str_any(bar.title, "Epoch|epoch|Train|train|Step|step|Iter|iter", mls_str_starts))) {
        const bool numbered = mls_line_take(&bar.title, "Epoch %n", &parts);
        *reached = bar.done + (numbered ? (double)parts.number * bar.all : 0);
        return true;
    }
    /* "… logging_writer.py:48] [100] loss=0.4" of clu, which t5x and others use. */
    if (find_last(message, MLS_S("logging_writer.py:"), &rest) && mls_line_take(&rest, "%n] [%n] ", &parts)) {
        *reached = parts.number;
        return true;
    }
    *iterations = false;
    /* "{'loss': 2.31, 'epoch': 0.12}" */
    if (mls_str_starts(message, MLS_S("{")) && find_last(message, MLS_S("'epoch': "), &rest)) {
        (void)mls_take_char(&rest, "'");
        if (mls_line_take(&rest, "%n", &parts)) {
            double place = 0.1;
            *reached = parts.number;
            for (bool point = mls_take_char(&rest, ".");
                 point && rest.len > 0 && mls_is_digit(rest.ptr[0]) && place > 1e-9; place /= 10) {
                *reached += (rest.ptr[0] - '0') * place;
                rest = mls_str_rest(rest, 1);
            }
            return true;
        }
    }
    /* "10/100 [==>...] - ETA: 1:23" of Keras, and the heavy lines of its version 3. */
    rest = message;
    if (mls_line_take(&rest, "%_%n", &parts)) {
        *reached = parts.number;
        if (mls_line_take(&rest, "/%n%_", &parts) && mls_str_any(rest, "[=|[>|[.|━", mls_str_starts))
            return true;
    }
    *iterations = count_words(message, counters, reached);
    if (*iterations || count_words(message, "batch|Batch", reached))
        return true;
    /* "Epoch [1/90][10/5004]" of torchvision's example and mmcv, "Epoch(train) [1][10/7330]" and "Iter(train)
     * [10/5000]" of mmengine, "Train: 0 [ 10/1251 (0%)]" of timm, "Train Epoch: 1 [640/60000 (1%)]", " 001: 10 / 5004":
     * the last of the numbers with a total. */
    const char *names = "(train)|Epoch|epoch|Train:";
    bool found = false;
    for (mls_str name; !found && mls_list_next(&names, '|', &name);) {
        bool more = mls_str_after(message, name, &rest) &&
                    !is_other_number((mls_str){message.ptr, (size_t)(rest.ptr - message.ptr) - name.len});
        while (more) {
            while (mls_take_char(&rest, " \t:[]()")) {
            }
            more = mls_line_take(&rest, "%n", &parts);
            const int32_t done = parts.number;
            if (more && mls_line_take(&rest, "%_/%_%n", &parts)) {
                *reached = done;
                found = true;
            }
        }
    }
    return found;
}

static void read_progress(mls_job_log *job, size_t i, const mls_log_line *line, bool loose)
{
    mls_line_parts parts;
    mls_str rest = line->message;
    mls_log_segment *segment = mls_job_segment(job);
    const size_t number = job->block.marked.lines.line + i;
    double reached;
    bool iterations;
    if (mls_line_take(&rest, "%_iteration %_%n%_/", &parts) || mls_line_take(&rest, "%_step %_%n", &parts)) {
        advance(job, number, MLS_PACE_ITERATION, parts.number, time_of(job, i, line));
    } else if (loose && segment->line == 0 && segment->reached[MLS_PACE_ITERATION] < 0 &&
               count_loose(rest, &reached, &iterations)) {
        segment->iteration = iterations ? reached : segment->iteration;
        advance(job, number, MLS_PACE_LOOSE, reached, time_of(job, i, line));
    }
}

/* ---------------------------------------------------------------- one line */

/* Read the number after `words`.  Return whether there is one. */
static bool number_after(mls_str message, mls_str words, double *number)
{
    mls_line_parts parts;
    mls_str rest;
    const bool found = mls_str_after(message, words, &rest) && mls_line_take(&rest, "%_%n", &parts);
    if (found)
        *number = parts.number;
    return found;
}

void mls_job_prepare(mls_job_log *job)
{
    mls_signatures_prepare(job->signatures, mark_texts, MARK_COUNTERS, sizeof mark_texts / sizeof *mark_texts);
}

/* Limits of the distance of lines that belong together: with lines of other ranks in between, and of the header of a
 * chained traceback from the exception before.  With lines of many ranks, the exception may be far from its header. */
enum { OTHERS_BETWEEN = 64, CHAINED_LINES = 4, EXCEPTION_LINES = 10000 };

/* Return whether a traceback without a header is over: its exception must follow its last frame closely. */
static bool is_stale(const mls_traceback *open, size_t number)
{
    return open->headless && number > open->line + OTHERS_BETWEEN;
}

/* Return whether a message is a frame of a traceback: "  File "train.py", line 12, in main". */
static bool is_frame(mls_str message)
{
    mls_line_parts parts;
    mls_str rest = message;
    while (mls_take_char(&rest, " \t|\xe2\x94\x82")) { /* also the bytes of the line that rich draws */
    }
    return mls_str_starts(rest, MLS_S("File \"")) && mls_str_after(rest, MLS_S("\", line "), &rest) &&
           mls_line_take(&rest, "%n, in ", &parts);
}

/* Return whether the line before line `i` is a warning that something did not work.  It is not known if the line is in
 * the block before. */
static bool follows_warning(const mls_job_log *job, size_t i)
{
    const mls_str before = i > 0 ? mls_lines_text(&job->block.marked.lines, i - 1) : (mls_str){"", 0};
    return mls_str_any(before, "WARN|Warning|[W|INFO|DEBUG", mls_str_contains) &&
           mls_str_any(before,
                       "ould not|annot |nable to |ailed|mport|not available|isabl|kipp|gnor|allback|fall back|rror",
                       mls_str_contains);
}

/* Return whether the exception of a traceback that the program survived may be dismissed.  Errors of GPUs may not. */
static bool may_be_ignored(const mls_job_log *job, size_t signature)
{
    const unsigned kind = mls_signatures_get(job->signatures, signature)->kind;
    return kind != MLS_CLASS_GPU_HARDWARE && kind != MLS_CLASS_GPU_MEMORY && kind != MLS_CLASS_GPU_FAULT;
}

/* Read the marks, progress and signature of line `i`.  An exception counts only after a traceback of the same stream.
 * A traceback right after "Exception ignored in" of the same stream does not end the program. */
static void examine(mls_job_log *job, size_t i)
{
    const mls_log_line line = mls_log_line_of(&job->block.marked.lines, i, job->scratch);
    const size_t number = job->block.marked.lines.line + i;
    const uint32_t marks = mls_signatures_search(job->signatures, line.text);
    const int32_t writer = line.rank >= 0 ? line.rank : line.task;
    const uint64_t stream = (uint64_t)(uint32_t)writer << 32 | (uint32_t)line.local_rank;
    size_t open = 0;
    while (open < job->traceback_count && job->tracebacks[open].stream != stream)
        open++;
    if (open < job->traceback_count && is_stale(&job->tracebacks[open], number)) {
        job->tracebacks[open] = job->tracebacks[--job->traceback_count];
        open = job->traceback_count;
    }
    const bool traced = open < job->traceback_count;
    const size_t near = writer >= 0 ? OTHERS_BETWEEN : 1;
    const size_t chained = writer >= 0 ? OTHERS_BETWEEN : CHAINED_LINES;
    if ((marks >> MARK_CHAINED & 1) != 0 && job->handled_line > 0 && job->ignored_stream == stream &&
        number <= job->handled_line + chained)
        job->ignored_line = number + 1;
    const bool ends = traced && mls_signatures_maybe_exception(job->signatures, line.message);
    note_rank(job, line.rank, stored_name(job, line.node));
    for (uint32_t left = marks & (MLS_ANY_SIGNATURE - 1); left != 0; left &= left - 1) {
        mls_diagnosis *to = job->to;
        mls_line_parts parts;
        mls_str rest = line.message;
        double iteration;
        switch (__builtin_ctz(left)) {
        case MARK_SAVING: /* "saving checkpoint at iteration 40" */
            if (number_after(rest, MLS_S("saving checkpoint at iteration "), &iteration) &&
                to->checkpoint_count < MLS_PROGRESS_MAX) {
                mls_arena_grow(to->arena, (void **)&to->checkpoints, to->checkpoint_count, &job->checkpoint_capacity,
                               sizeof *to->checkpoints);
                to->checkpoints[to->checkpoint_count++] = (mls_checkpoint){.iteration = iteration,
                                                                           .done_ms = job->last_time.time_ms,
                                                                           .start_ms = time_of(job, i, &line),
                                                                           .end_ms = (double)NAN};
            }
            break;
        case MARK_SAVED: /* later "successfully saved checkpoint from iteration 40" */
            if (number_after(rest, MLS_S("successfully saved checkpoint from iteration "), &iteration) &&
                to->checkpoint_count > 0) {
                mls_checkpoint *last = &to->checkpoints[to->checkpoint_count - 1];
                if (mls_compare_doubles(last->iteration, iteration) == 0 && isnan(last->end_ms))
                    last->end_ms = time_of(job, i, &line);
            }
            break;
        case MARK_LOADED:
            if (isnan(to->loaded_iteration))
                (void)number_after(rest, MLS_S(" at iteration "), &to->loaded_iteration);
            break;
        case MARK_HOST_ROW: /* in torchrun's table: the host and the rank of the rows below */
        case MARK_RANK_ROW:
            if (mls_line_take(&rest, "%_host%_: ", &parts)) {
                job->table_host = stored_name(job, mls_str_word(&rest));
                job->table_rank = -1;
            } else if (mls_line_take(&rest, "%_rank%_: %_%n", &parts)) {
                int32_t *root = &job->files[job->file_count - 1].root_rank;
                job->table_rank = parts.number;
                *root = job->root_cause && *root < 0 ? job->table_rank : *root;
                note_rank(job, job->table_rank, job->table_host);
            }
            break;
        case MARK_ROOT_CAUSE:
            job->root_cause = true;
            break;
        case MARK_SRUN: /* "srun: error: node076: tasks 0-3,7: …" */
            if (mls_line_take(&rest, "srun: error: %h: task ", &parts) ||
                mls_line_take(&rest, "srun: error: %h: tasks ", &parts)) {
                const char *node = stored_name(job, parts.node);
                bool more = true;
                while (more && mls_line_take(&rest, "%n", &parts)) {
                    const int32_t first = parts.number;
                    const int32_t last = mls_line_take(&rest, "-%n", &parts) ? parts.number : first;
                    for (int32_t rank = first; rank <= last && rank < MLS_RANKS_MAX; rank++)
                        note_rank(job, rank, node);
                    more = mls_line_take(&rest, ",", &parts);
                }
            }
            break;
        default:
            break;
        }
    }
    const ptrdiff_t place = mls_signatures_find(job->signatures, line.message, ends);
    read_progress(job, i, &line, place < 0);
    const size_t found = (size_t)place;
    const bool header = (marks >> MARK_TRACEBACK & 1) != 0;
    const bool frame = (marks >> MARK_FRAME & 1) != 0 && is_frame(line.message);
    bool begins = (header || frame) && !traced && open < MLS_TRACEBACKS_MAX;
    if (place >= 0) {
        const mls_traceback *ended = traced ? &job->tracebacks[open] : NULL;
        if (ended == NULL || !ended->ignored || !may_be_ignored(job, found))
            add_match(job, found, number, &line, time_of(job, i, &line), ended);
        if (found == job->ignored_signature) {
            job->ignored_stream = stream;
            job->ignored_line = number;
        } else if (ended != NULL && ended->ignored) {
            job->ignored_stream = stream;
            job->handled_line = number;
        }
        if (traced)
            job->tracebacks[open] = job->tracebacks[--job->traceback_count];
        begins = begins && header && found == job->ignored_signature;
    } else if (traced && header) {
        job->tracebacks[open].headless = false;
        job->tracebacks[open].line = number;
    } else if (traced && frame && job->tracebacks[open].headless) {
        job->tracebacks[open].line = job->frame_line = number;
    }
    if (begins) {
        const bool ignored =
            job->ignored_line > 0 && job->ignored_stream == stream && number <= job->ignored_line + near;
        mls_str rest = line.message;
        mls_line_parts parts;
        const bool row = mls_line_take(&rest, "%_traceback :", &parts); /* of torchrun's table, about the rank above */
        job->ignored_line = ignored ? 0 : job->ignored_line;
        job->frame_line = header ? job->frame_line : number;
        job->traceback_to = number + EXCEPTION_LINES;
        job->tracebacks[job->traceback_count++] =
            (mls_traceback){.stream = stream,
                            .line = number,
                            .advances = mls_job_segment(job)->advances,
                            .time_ms = time_of(job, i, &line),
                            .rank = row ? job->table_rank : mls_log_line_rank(&line),
                            .node = row ? job->table_host : stored_name(job, mls_log_line_node(&line)),
                            .ignored = ignored,
                            .warned = header && follows_warning(job, i),
                            .headless = !header};
    }
}

/* ---------------------------------------------------------------- the last lines of a run */

/* Return whether the lines contain a text.  Ranks often print the same text. */
static bool is_among(const mls_read_lines *lines, mls_str message)
{
    bool found = false;
    for (size_t i = 0; i < lines->count && !found; i++)
        found = mls_str_equal(mls_str_from(lines->items[i].at.text), message);
    return found;
}

/* Return whether the prefixes of a line show that it is a message of the kernel, a warning or an information. */
static bool is_harmless(const mls_log_line *line)
{
    mls_line_parts parts;
    const char *end = line->message.ptr;
    for (const char *at = line->text.ptr; at < end; at++) {
        mls_str rest = {at, (size_t)(end - at)};
        const bool begins = at == line->text.ptr || at[-1] == ' ' || at[-1] == ':' || at[-1] == '[';
        if (begins && ((*at == 'I' || *at == 'W') && mls_line_take(&rest, "%L%G ", &parts)))
            return true;
        if (*at == '[' && mls_line_take(&rest, "[%_%n.%n]", &parts))
            return true;
    }
    const mls_str prefixes = {line->text.ptr, (size_t)(end - line->text.ptr)};
    return mls_str_contains(prefixes, MLS_S(" kernel: "));
}

static void add_line(mls_job_log *job, mls_read_lines *lines, size_t i, const mls_log_line *line)
{
    const size_t to = lines->count++;
    lines->items[to].rank = mls_log_line_rank(line);
    lines->items[to].harmless = is_harmless(line);
    lines->items[to].node = stored_name(job, mls_log_line_node(line));
    keep_line(&lines->items[to].at, job->block.marked.lines.line + i, line->message);
}

/* Append the lines stored from earlier blocks to `lines` of this block, without duplicates if `once` is set, and store
 * the result. */
static void put_before(mls_read_lines *kept, mls_read_lines *lines, bool once)
{
    for (size_t k = 0; k < kept->count && lines->count < MLS_READ_LINES; k++)
        if (!once || !is_among(lines, mls_str_from(kept->items[k].at.text)))
            lines->items[lines->count++] = kept->items[k];
    *kept = *lines;
}

/* Store the last lines before line `end` that are not records, the last ones that look like errors, and the text of the
 * last advance.  For speed, only marked lines are searched for errors. */
static void keep_lines(mls_job_log *job, size_t end)
{
    static const char error_words[] =
        "rror|ERR|atal|FATAL|xception|ailed|FAILED|ailure|bort|ABORT|illed|KILLED|SIG|ignal |core dumped|"
        "egmentation|Traceback|ssert|OOM|ut of memory|imed out|imeout|refused|denied|CRITICAL|panic|"
        "xit code|erminat|not found|o such file";
    enum { LOOKED_AT = 200 }; /* number of lines before the end that are searched for errors */
    mls_log_block *block = &job->block;
    const mls_lines *lines = &block->marked.lines;
    mls_log_segment *segment = mls_job_segment(job);
    mls_read_lines last;
    last.count = 0;
    size_t records = records_before(job, end);
    for (size_t i = end; i > block->kept_from && last.count < MLS_READ_LINES; i--) {
        if (records > 0 && block->records[records - 1].line == lines->line + i - 1) {
            records--;
            continue;
        }
        const mls_log_line line = mls_log_line_of(lines, i - 1, job->scratch);
        if (line.message.len > 0) {
            progress_bar bar;
            if (last.count == 0) /* check whether the last line is an incomplete progress bar */
                segment->broken_off = read_bar(line.message, &bar) && !bar.closed && bar.done < bar.all;
            add_line(job, &last, i - 1, &line);
        }
    }
    put_before(&job->plain, &last, false);
    last.count = 0;
    const bool far = end - block->kept_from > LOOKED_AT;
    for (size_t i = end; i > (far ? end - LOOKED_AT : block->kept_from) && last.count < MLS_READ_LINES; i--) {
        const bool marked = (block->marked.bits[(i - 1) / 64] >> ((i - 1) % 64) & 1) != 0;
        if (marked && record_of(job, i - 1) == NULL) {
            const mls_log_line line = mls_log_line_of(lines, i - 1, job->scratch);
            if (mls_str_any(line.message, error_words, mls_str_contains) && !is_among(&last, line.message))
                add_line(job, &last, i - 1, &line);
        }
    }
    job->errors.count = far ? 0 : job->errors.count;
    if (last.count > 0)
        put_before(&job->errors, &last, true);
    if (segment->last_line >= lines->line && job->last.text[0] == '\0') {
        const mls_log_line line = mls_log_line_of(lines, segment->last_line - lines->line, job->scratch);
        keep_line(&job->last, segment->last_line, line.message);
    }
    segment->end_line = end > block->kept_from ? lines->line + end - 1 : segment->end_line;
    block->kept_from = end;
}

/* ---------------------------------------------------------------- a block */

/* Forget the tracebacks without a header, all of which are stale. */
static void drop_headless(mls_job_log *job)
{
    size_t kept = 0;
    for (size_t i = 0; i < job->traceback_count; i++)
        if (!job->tracebacks[i].headless)
            job->tracebacks[kept++] = job->tracebacks[i];
    job->traceback_count = kept;
    job->frame_line = 0;
}

/* Examine the marked lines, and those that may end a traceback or match a user's signature. */
static void examine_lines(mls_job_log *job, size_t from, size_t end)
{
    const mls_log_block *block = &job->block;
    const bool all = mls_signatures_want_all(job->signatures);
    for (size_t i = from; i < end; i++) {
        const size_t next = mls_marked_next(&block->marked, i, end);
        if (job->frame_line > 0 && block->marked.lines.line + i > job->frame_line + OTHERS_BETWEEN)
            drop_headless(job);
        if (!all && (job->traceback_count == 0 || block->marked.lines.line + i > job->traceback_to))
            i = next;
        if (i < end && (i == next || all ||
                        (mls_signatures_maybe_exception(job->signatures, mls_lines_text(&block->marked.lines, i)) &&
                         record_of(job, i) == NULL)))
            examine(job, i);
    }
}

/* Examine the lines from `from` to before `end`, and start each run that begins there or at `end`.  *next is the index
 * of the next run to start.  Lines before the first record of a file belong to its first run. */
static void walk_lines(mls_job_log *job, size_t from, size_t end, size_t *next)
{
    const mls_log_block *block = &job->block;
    const mls_lines *lines = &block->marked.lines;
    while (*next < block->run_start_count && block->run_starts[*next] <= lines->line + end) {
        const size_t line = block->run_starts[(*next)++];
        const size_t start = line > lines->line ? line - lines->line : 0;
        examine_lines(job, from, start);
        from = start;
        if (mls_job_segment(job)->line > 0 && job->segment_count >= MLS_RUNS_MAX) {
            job->to->uncut++;
        } else if (mls_job_segment(job)->line > 0) {
            keep_lines(job, start);
            find_time_before(job, start);
            close_segment(job);
            open_segment(job);
        }
    }
    examine_lines(job, from, end);
}

static mls_status block_lines(void *state, const mls_lines *lines)
{
    mls_job_log *job = state;
    mls_log_block *block = &job->block;
    mls_log_segment *segment = mls_job_segment(job);
    /* Counters are read only if nothing more reliable shows the progress. */
    const bool counters = block->record_count == 0 && segment->line == 0 && segment->reached[MLS_PACE_ITERATION] < 0;
    block->timed_to = block->kept_from = 0;
    mls_marked_begin(&block->marked, job->signatures, counters, lines);
    /* Mark the lines that match anything searched for.  All text is searched, except most records. */
    mls_str left = lines->text;
    for (size_t r = 0; r < block->record_count; r++) {
        const mls_str skipped = block->records[r].payload;
        if (skipped.len > 0 && block->records[r].line >= lines->line) {
            const char *end = left.ptr + left.len;
            mls_marked_search(&block->marked, (mls_str){left.ptr, (size_t)(skipped.ptr - left.ptr)});
            left.ptr = skipped.ptr + skipped.len;
            left.len = (size_t)(end - left.ptr);
        }
    }
    mls_marked_search(&block->marked, left);
    /* Mark the lines that may be a step, and store ranks. */
    for (size_t i = 0; i < lines->count; i++) {
        const char *line = lines->text.ptr + mls_lines_begin(lines, i);
        if (*line == ' ' || *line == '[' || mls_is_digit(*line)) {
            const int32_t rank = mls_log_line_first_rank(line);
            if (rank >= 0 && rank < MLS_RANKS_MAX)
                job->rank_seen[rank] |= MLS_RANK_SEEN;
            else if (maybe_bar(line))
                mls_marked_add(&block->marked, i);
        } else if (maybe_counter(line)) {
            mls_marked_add(&block->marked, i);
        }
        if (mls_lines_odd(lines, i)) {
            const mls_brief_record *record = record_of(job, i);
            if (record == NULL || record->payload.len == 0)
                mls_marked_search_clean(&block->marked, job->signatures, i, job->scratch);
        }
    }
    if (isnan(job->file_time)) { /* first time of the file */
        double time_ms = NAN;
        for (size_t i = 0; i < lines->count && isnan(time_ms); i++)
            time_ms = line_time(job, i);
        segment->first_ms = time_ms;
    }
    size_t done = 0;
    size_t next_run = 0;
    for (size_t r = 0; r < block->record_count; r++) {
        const mls_brief_record *record = &block->records[r];
        const size_t at = record->line > lines->line ? record->line - lines->line : 0;
        walk_lines(job, done, at, &next_run);
        note_time(job, record->time_ms);
        apply_record(job, record);
        done = at;
    }
    walk_lines(job, done, lines->count, &next_run);
    keep_lines(job, lines->count);
    find_time_before(job, lines->count);
    block->record_count = block->run_start_count = 0;
    return MLS_OK;
}

static mls_status block_end(void *state, const mls_log_totals *totals)
{
    (void)totals;
    close_segment(state);
    return MLS_OK;
}

mls_sink mls_job_begin_file(mls_job_log *job, const char *name)
{
    MLS_GROW_OF(job, files, file);
    job->files[job->file_count++] = (mls_job_file){name, -1};
    job->block.record_count = job->block.run_start_count = 0;
    job->boundary = (mls_run_boundary){0};
    job->file_time = NAN;
    job->table_host = NULL;
    job->table_rank = -1;
    job->root_cause = false;
    job->traceback_count = 0;
    job->ignored_line = job->handled_line = job->frame_line = 0;
    open_segment(job);
    return (mls_sink){
        .state = job, .record = block_record, .marker = block_marker, .lines = block_lines, .end = block_end};
}
