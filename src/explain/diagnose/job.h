/* SPDX-License-Identifier: Apache-2.0 */
/* job.h - a job while its logs are read: what every run of every file showed, for the verdict at the end.
 *
 * Files are read one after the other, on one thread.  Of a block the records come first, and are kept in brief; then
 * its lines, which are walked together with them. */
#pragma once

#include "base/map.h"
#include "base/statistics.h"
#include "explain/diagnose/diagnose.h"
#include "log/log.h"
#include "log/marked.h"
#include "log/prefix.h"
#include "run/run_cut.h"

enum {
    MLS_READ_LINES = 5,
    MLS_SURVIVED = 3,    /* advances of training after a message that was not a cause */
    MLS_TEXT_KEPT = 500, /* bytes of a line */
    MLS_TRACEBACKS_MAX = 1024
};

/* MLS_GROW() of a list whose members are called so: matches, match_count, match_capacity. */
#define MLS_GROW_OF(owner, items, item)                                                                                \
    mls_grow((void **)&(owner)->items, (owner)->item##_count, &(owner)->item##_capacity, sizeof *(owner)->items)

/* Text that is kept of a line. */
typedef struct mls_kept_line {
    size_t line;
    char text[MLS_TEXT_KEPT + 1];
} mls_kept_line;

/* A line that a person would read first. */
typedef struct mls_read_line {
    mls_kept_line at;
    int32_t rank;     /* -1: not known */
    const char *node; /* NULL: not known */
} mls_read_line;

/* The last ones, newest first. */
typedef struct mls_read_lines {
    mls_read_line items[MLS_READ_LINES];
    size_t count;
} mls_read_lines;

/* A traceback that has begun; without its end, or the first of a segment that had none. */
typedef struct mls_traceback {
    uint64_t stream; /* by rank and local rank */
    size_t line;     /* 0: there is none */
    size_t advances; /* of its segment, before it */
    double time_ms;
    int32_t rank;
    const char *node;
    bool ignored; /* Python said before it that the program goes on */
} mls_traceback;

/* The last message by which others were over. */
typedef struct mls_recovery {
    size_t file, line; /* line 0: there was none */
    double time_ms;
    const char *node;
} mls_recovery;

/* A message that may be a cause. */
typedef struct mls_match {
    struct mls_match *next; /* for the verdict, of the same run */
    size_t signature, segment;
    mls_kept_line at;
    double time_ms;
    int32_t rank;              /* -1: not known */
    const char *node, *gpu;    /* NULL: not known */
    double iteration, samples; /* the last ones before it in its segment; NAN: none */
    size_t advances;           /* of its segment, before it */
    bool otherwise;            /* it says what the signature says of other names */
    bool kept;                 /* it stays when matches are thinned out */
    bool reported;             /* with the failure of a run */
} mls_match;

/* How often a signature matched between two advances of a segment: lines or records by which training had come further
 * than before. */
typedef struct mls_match_count {
    struct mls_match_count *next; /* likewise */
    size_t signature, segment, advances, count;
} mls_match_count;

/* The counts of a run's progress: the largest number of each that was reached. */
typedef enum mls_pace {
    MLS_PACE_SAMPLES,
    MLS_PACE_STEP,
    MLS_PACE_EPOCH,
    MLS_PACE_ITERATION,
    MLS_PACE_LOOSE, /* of forms that count other things too, where nothing surer is known: it may begin anew */
    MLS_PACE_COUNT
} mls_pace;

/* The part of a file that belongs to one run; a file without records is one part. */
typedef struct mls_log_segment {
    size_t file;
    size_t line;              /* of its first record; 0: it has none */
    bool began;               /* it has an init_start or a run_start, as a run has for scoring */
    bool died;                /* it says why it died, when all has been read */
    double first_ms, last_ms; /* the first time of the file, where it is the first segment; the last time; NAN: none */
    double start_ms, stop_ms;
    bool success;
    bool again; /* it began again after it had succeeded, and has not come to an end since */
    size_t run; /* of the job's, from 1 on; 0: of none */
    double reached[MLS_PACE_COUNT];
    size_t advances;
    double last_times[MLS_SURVIVED]; /* of the last advances, newest first */
    size_t last_line;                /* of the last advance; 0: none */
    const char *last_text;           /* its text, when the segment is closed */
    double iteration, samples;       /* the last ones */
    size_t end_line;                 /* the last line */
    mls_failure_line *read;          /* the open segment's, when it is closed without success */
    size_t read_count;
    bool read_errors;        /* as of mls_failure */
    mls_traceback traceback; /* the first that nothing has ended */
    bool broken_off;         /* its last line ends within a bar of progress */
} mls_log_segment;

/* Lines of the open segment. */
typedef struct mls_segment_lines {
    mls_kept_line last;           /* of the last advance, its text empty until it is kept */
    mls_read_lines plain, errors; /* the last that are not records; of those the ones that look like errors */
} mls_segment_lines;

/* A record of the block that is being read, as far as it matters. */
typedef struct mls_brief_record {
    size_t line;
    mls_key key;
    double time_ms;
    bool progress, success;
    double reached[MLS_PACE_ITERATION]; /* NAN: it does not say */
    mls_str payload;                    /* in the block; empty: it may hold what is looked for */
} mls_brief_record;

/* The block that is being read. */
typedef struct mls_log_block {
    mls_marked_lines marked;
    mls_brief_record *records;
    size_t record_count, record_capacity;
    size_t *run_starts; /* the lines that runs begin with */
    size_t run_start_count, run_start_capacity;
    size_t timed_to;  /* in the lines before it a time has been looked for */
    size_t kept_from; /* the first line of the open segment */
} mls_log_block;

typedef struct mls_job_file {
    const char *name;
    int32_t root_rank; /* the first rank after torchrun's "Root Cause"; -1: none */
} mls_job_file;

typedef struct mls_job_log {
    mls_signatures *signatures;
    mls_diagnosis *to; /* has what only grows: notes, iterations, checkpoints */
    size_t note_capacity, iteration_capacity, checkpoint_capacity;
    bool failed; /* memory ran out */
    mls_job_file *files;
    size_t file_count, file_capacity;
    mls_log_segment *segments; /* the last one is open */
    size_t segment_count, segment_capacity;
    size_t run_count;         /* that are numbered: those of the diagnosis, and launches that died before a run began */
    mls_segment_lines *lines; /* of that one */
    mls_match *matches;       /* that were not survived; those of the open segment are the last */
    size_t match_count, match_capacity;
    mls_match_count *counts; /* of them, dropped ones too, in the same order */
    size_t count_count, count_capacity;
    size_t open_matches, open_counts; /* where those of the open segment begin */
    size_t role_counts[MLS_ROLE_END];
    size_t role_limits[MLS_ROLE_END]; /* so many of a role are thinned out */
    size_t *matched;                  /* for each signature, all there were */
    size_t *recovers;                 /* for each signature the one that is over with it; SIZE_MAX: none */
    mls_recovery *recoveries;         /* for each signature */
    mls_map names;                    /* of nodes and GPUs, so that each is kept once */
    uint32_t *rank_nodes;             /* for each rank the number of its node's name, plus 1; 0: not known */
    uint8_t *rank_seen;               /* MLS_RANK_… */
    size_t watchdog_signature, exception_signature, ignored_signature; /* SIZE_MAX: not in the table */
    uint32_t *suspects;                                                /* as of mls_failure, when a run needs them */
    size_t suspect_count;
    double full_time;                 /* the first time that has a year */
    size_t time_stride, time_skipped; /* of the iterations that are kept */
    mls_iteration last_time;
    mls_log_block block;
    char *scratch; /* for two lines */
    /* Of the file that is being read: */
    mls_run_cut cut;
    double file_time;       /* the last one seen */
    const char *table_host; /* of torchrun's table */
    int32_t table_rank;
    bool root_cause;           /* its line "Root Cause" has come */
    mls_traceback *tracebacks; /* that are open: at most one of a stream, MLS_TRACEBACKS_MAX in all */
    size_t traceback_count;
    uint64_t ignored_stream; /* where the exception of the next traceback is ignored */
    size_t ignored_line;     /* that said so; 0: there is none */
} mls_job_log;

enum { MLS_RANK_SEEN = 1, MLS_RANK_TIMED_OUT = 2 };

/* ---- block.c: a sink of one file after the other */
mls_status mls_job_begin_file(mls_job_log *job, const char *name) MLS_MUST_USE;
mls_sink mls_job_sink(mls_job_log *job);

/* ---- message.c: reads what line `i` of the block says, by the search of mls_job_prepare() */
mls_status mls_job_prepare(mls_job_log *job) MLS_MUST_USE;
mls_status mls_job_examine(mls_job_log *job, size_t i) MLS_MUST_USE;

/* Whether lines of the block that begins are to be marked by counters too: only where nothing surer says how far
 * training has come. */
bool mls_job_wants_counters(const mls_job_log *job);

/* ---- progress.c: what a line that is no record says of progress */
void mls_job_read_progress(mls_job_log *job, size_t i, const mls_log_line *line, bool loose);

/* Whether a line may be a bar of progress or begin with a counter's name, by its beginning. */
bool mls_maybe_bar(const char *line);
bool mls_maybe_counted(const char *line);

/* Whether a message ends within a bar that is not full. */
bool mls_breaks_off(mls_str message);

/* ---- tail.c: the last lines of a segment */

/* Keeps the last lines before line `end` of the block that are not records, and the text of the last advance. */
void mls_job_keep_lines(mls_job_log *job, size_t end);

/* ---- lines.c: records and times of the lines of the block */

/* How many records of the block are in lines before line `i`; and the record in line `i`, NULL: there is none. */
size_t mls_job_records_before(const mls_job_log *job, size_t i);
const mls_brief_record *mls_job_record_of(const mls_job_log *job, size_t i);

/* When line `i` was printed: its own time, else the last one seen in the file before it. */
double mls_job_time_of(mls_job_log *job, size_t i, const mls_log_line *line);

/* The first time that has a year is that of the job. */
void mls_job_note_time(mls_job_log *job, double time_ms);

/* Sets file_time to the last time before line `end`, and the first time of the file to the first one of the block. */
void mls_job_find_time_before(mls_job_log *job, size_t end);
void mls_job_find_first_time(mls_job_log *job);

/* ---- follow.c: runs, their progress, and the messages of each */

/* The open segment. */
static inline mls_log_segment *mls_job_segment(const mls_job_log *job)
{
    return &job->segments[job->segment_count - 1];
}

static inline const mls_signature *mls_job_signature(const mls_job_log *job, const mls_match *match)
{
    const mls_signature *signature = mls_signatures_get(job->signatures, match->signature);
    return match->otherwise ? signature->otherwise : signature;
}

/* Opens one, for the same file or another. */
bool mls_job_open_segment(mls_job_log *job);
void mls_job_close_segment(mls_job_log *job);

/* Takes what a record says of its run. */
void mls_job_take_record(mls_job_log *job, const mls_brief_record *record);

/* The run goes on: line `number` says so. */
void mls_job_advance(mls_job_log *job, size_t number, mls_pace pace, double reached, double time_ms);

/* Keeps an iteration for the diagnosis, after those before it. */
void mls_job_add_iteration(mls_job_log *job, mls_iteration one);

/* A line that has a signature. */
void mls_job_take_match(mls_job_log *job, size_t signature, size_t number, const mls_log_line *line, double time_ms);

/* A message that caused nothing: the first are kept for whoever wants to read them. */
void mls_job_note(mls_job_log *job, const mls_match *match);

/* The copy of a name; NULL: none, or too many others. */
const char *mls_job_name(mls_job_log *job, mls_str name);
void mls_job_know_rank(mls_job_log *job, int32_t rank, const char *node);

void mls_keep_line(mls_kept_line *kept, size_t line, mls_str text);

/* A copy for the diagnosis. */
const char *mls_job_copy(mls_job_log *job, const char *text);

/* ---- steps.c: progress in the order of time, of a job that has been read */

/* The last intervals, which are compared with those before them. */
enum { MLS_LAST_INTERVALS = 5 };

/* Where the last iteration and the last samples stand that were known at a time. */
typedef struct mls_step_known {
    uint32_t iteration, samples;
} mls_step_known;

/* Until a time how long steps took; the median of all, or of the last ones and of those before; NAN: they are few. */
typedef struct mls_step_lengths {
    double median, last, before;
} mls_step_lengths;

typedef struct mls_job_steps {
    const mls_iteration *iterations; /* the job's; its last progress counts as one more behind them */
    size_t count;
    mls_iteration last_time;
    double stride;         /* as many advances are between two of them */
    uint32_t *times;       /* their places, and that of the last progress, in the order of time */
    mls_step_known *known; /* at each of these times */
    uint32_t *intervals;   /* the iterations that they end with, the shortest first */
    uint32_t *ranks;       /* of each iteration its interval's place there, from 1 */
    int32_t *tree;         /* counts those until the time that was asked for last */
    size_t taken, came;    /* until that time: of the times, of the iterations */
    size_t interval_count, last[MLS_LAST_INTERVALS];
} mls_job_steps;

/* False when memory runs out; to be released in any case, and before the job's iterations change. */
bool mls_steps_make(mls_job_steps *steps, const mls_job_log *job) MLS_MUST_USE;
void mls_steps_release(mls_job_steps *steps);

/* The last progress at or before a time; NAN: nothing was known. */
mls_iteration mls_steps_known(const mls_job_steps *steps, double time_ms);

/* Times are asked for in their order, NAN last. */
mls_step_lengths mls_steps_until(mls_job_steps *steps, double until_ms);

/* ---- runs.c: the runs of a job that has been read */

/* Numbers them, of which one may stand in several files, counts them for the job and its diagnosis, and sets whether
 * each succeeded. */
void mls_job_number_runs(mls_job_log *job, bool *success);

/* Records without an init_start or a run_start among them are not a run, as scoring has it: lines between them are of
 * every run, as in a file without records.  But a launch that died so early says why, and is not a success of others;
 * and a job of which nothing else is known is one that died early. */
void mls_job_drop_unbegun(mls_job_log *job);

/* ---- cause.c: the verdict */
mls_status mls_job_judge(mls_job_log *job) MLS_MUST_USE;
