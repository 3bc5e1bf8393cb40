/* SPDX-License-Identifier: Apache-2.0 */
/* job.h - private to diagnose/: a job while its logs are read.
 *
 * Files are read one after the other, on one thread (read.c).  The records of a block come first and are kept in brief;
 * then its lines are walked together with them.  Lines and records advance the run that they belong to (follow.c),
 * whose progress is also read from lines that are not records (progress.c).  What a run did not survive is kept until
 * the verdict (cause.c). */
#pragma once

#include "base/map.h"
#include "explain/diagnose/diagnose.h"
#include "log/log.h"
#include "log/marked.h"
#include "log/prefix.h"
#include "run/file.h"

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

/* Lines that a person would read first, the last one first. */
typedef struct mls_read_lines {
    struct {
        mls_kept_line at;
        int32_t rank;     /* -1: not known */
        const char *node; /* NULL: not known */
    } items[MLS_READ_LINES];
    size_t count;
} mls_read_lines;

/* A traceback that has begun and has not ended. */
typedef struct mls_traceback {
    uint64_t stream; /* by rank and local rank */
    size_t line;     /* 0: no traceback */
    size_t advances; /* of its segment, before it */
    double time_ms;
    int32_t rank;
    const char *node;
    bool ignored; /* Python said before it that the program goes on */
} mls_traceback;

/* The last message that ended others. */
typedef struct mls_recovery {
    size_t file, line; /* line 0: no message */
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
    double iteration, samples; /* the last ones before it in its segment; NAN: unknown */
    size_t advances;           /* of its segment, before it */
    bool otherwise;            /* the signature's meaning for other names applies */
    bool kept;                 /* it stays when matches are thinned out */
    bool reported;             /* with the failure of a run */
} mls_match;

/* How often a signature matched between two advances of a segment: lines or records by which training got further than
 * before. */
typedef struct mls_match_count {
    struct mls_match_count *next; /* for the verdict, of the same run */
    size_t signature, segment, advances, count;
} mls_match_count;

/* The counts of a run's progress, of each of which the largest number that was reached is kept. */
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
    size_t line;              /* of its first record; 0: it has no record */
    bool began;               /* it has an init_start or a run_start, as a run has for scoring */
    bool died;                /* it contains a message that may be a cause, when all has been read */
    double first_ms, last_ms; /* the first time of the file, where it is the first segment; the last time; NAN: none */
    double start_ms, stop_ms;
    bool success;
    bool again; /* it began again after it had succeeded, and has not come to an end since */
    size_t run; /* number in the job, from 1 on; 0: it belongs to no run */
    double reached[MLS_PACE_COUNT];
    size_t advances;
    double last_times[MLS_SURVIVED]; /* of the last advances, newest first */
    size_t last_line;                /* of the last advance; 0: none */
    const char *last_text;           /* its text, when the segment is closed */
    double iteration, samples;       /* the last ones */
    size_t end_line;                 /* the last line */
    mls_failure_line *read;          /* the open segment's, when it is closed without success */
    size_t read_count;
    bool read_errors;        /* as in mls_failure */
    mls_traceback traceback; /* the first that did not end */
    bool broken_off;         /* its last line ends within a progress bar */
} mls_log_segment;

/* A record of the block that is being read, as far as it matters. */
typedef struct mls_brief_record {
    size_t line;
    mls_key key;
    double time_ms;
    bool progress, success;
    double reached[MLS_PACE_ITERATION]; /* NAN: not in the record */
    mls_str payload;                    /* in the block; empty: search it for signatures */
} mls_brief_record;

/* The block that is being read. */
typedef struct mls_log_block {
    mls_marked_lines marked;
    mls_brief_record *records;
    size_t record_count, record_capacity;
    size_t *run_starts; /* the lines that runs begin with */
    size_t run_start_count, run_start_capacity;
    size_t timed_to;  /* a time has been looked for in the lines before it */
    size_t kept_from; /* the first line of the open segment */
} mls_log_block;

typedef struct mls_job_file {
    const char *name;
    int32_t root_rank; /* the first rank after torchrun's "Root Cause"; -1: none */
} mls_job_file;

typedef struct mls_job_log {
    mls_signatures *signatures;
    mls_diagnosis *to; /* has what only grows: notes, iterations, checkpoints */
    size_t iteration_capacity, checkpoint_capacity, skipped_capacity;
    mls_job_file *files;
    size_t file_count, file_capacity;
    mls_log_segment *segments; /* the last one is open */
    size_t segment_count, segment_capacity;
    /* Lines of the open segment: its last advance, whose text is empty until it is kept; the last lines that are not
     * records; and the last of those that look like errors. */
    mls_kept_line last;
    mls_read_lines plain, errors;
    size_t run_count;   /* that are numbered: those of the diagnosis, and launches that died before a run began */
    mls_match *matches; /* that were not survived; those of the open segment are the last */
    size_t match_count, match_capacity;
    mls_match_count *counts; /* of them, dropped ones too, in the same order */
    size_t count_count, count_capacity;
    size_t open_matches, open_counts; /* where those of the open segment begin */
    size_t role_counts[MLS_ROLE_END];
    size_t role_limits[MLS_ROLE_END]; /* the number of matches of a role at which they are thinned out again */
    size_t *matched;                  /* for each signature, all its matches */
    size_t *recovers;                 /* for each signature the one that it ends; SIZE_MAX: none */
    mls_recovery *recoveries;         /* for each signature */
    mls_map names;                    /* of nodes and GPUs, so that each is kept once */
    const char **rank_nodes;          /* for each rank its node; NULL: not known */
    uint8_t *rank_seen;               /* MLS_RANK_… */
    size_t watchdog_signature, exception_signature, ignored_signature; /* SIZE_MAX: not in the table */
    uint32_t *suspects;                                                /* as in mls_failure, when a run needs them */
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
    uint64_t ignored_stream; /* where the exception of the next traceback is ignored … */
    size_t ignored_line;     /* … by this line; 0: nowhere */
} mls_job_log;

enum { MLS_RANK_SEEN = 1, MLS_RANK_TIMED_OUT = 2 };

static inline mls_log_segment *mls_job_segment(const mls_job_log *job) /* the open one */
{
    return &job->segments[job->segment_count - 1];
}

static inline const mls_signature *mls_job_signature(const mls_job_log *job, const mls_match *match)
{
    const mls_signature *signature = mls_signatures_get(job->signatures, match->signature);
    return match->otherwise ? signature->otherwise : signature;
}

static inline const char *mls_job_copy(mls_job_log *job, const char *text) /* for the diagnosis */
{
    return mls_arena_copy(job->to->arena, mls_str_from(text)).ptr;
}

/* ---- read.c */

/* Prepare the search of signatures and marks; begin a file; return the sink that its bytes go to. */
void mls_job_prepare(mls_job_log *job);
void mls_job_begin_file(mls_job_log *job, const char *name);
mls_sink mls_job_sink(mls_job_log *job);

/* When line `i` of the block was printed: its own time, else the last one in the file before it. */
double mls_job_time_of(mls_job_log *job, size_t i, const mls_log_line *line);

/* ---- progress.c: the progress that a line which is not a record shows; `loose`: its form may be one that is not sure
 */
void mls_job_read_progress(mls_job_log *job, size_t i, const mls_log_line *line, bool loose);

/* Return whether a line may be a progress bar, or begin with a counter's name, by its beginning. */
bool mls_maybe_bar(const char *line);
bool mls_maybe_counted(const char *line);

/* Return whether a message ends within a bar that is not full. */
bool mls_breaks_off(mls_str message);

/* ---- follow.c */
void mls_job_open_segment(mls_job_log *job);
void mls_job_close_segment(mls_job_log *job);
void mls_job_take_record(mls_job_log *job, const mls_brief_record *record);

/* Advance the run, as line `number` shows. */
void mls_job_advance(mls_job_log *job, size_t number, mls_pace pace, double reached, double time_ms);

/* Append an iteration to those of the diagnosis. */
void mls_job_add_iteration(mls_job_log *job, mls_iteration one);

/* Take a line that has a signature. */
void mls_job_take_match(mls_job_log *job, size_t signature, size_t number, const mls_log_line *line, double time_ms);

/* Keep a message that caused nothing, unless there are too many. */
void mls_job_note(mls_job_log *job, const mls_match *match);

/* Return the kept copy of a name; NULL if it is empty or there are too many. */
const char *mls_job_name(mls_job_log *job, mls_str name);
void mls_job_know_rank(mls_job_log *job, int32_t rank, const char *node);
void mls_keep_line(mls_kept_line *kept, size_t line, mls_str text);

/* ---- cause.c: the verdict */
void mls_job_judge(mls_job_log *job);
