/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job.h - a job while its logs are read: what every run of every file showed, for the verdict at the end.
 *
 * Files are read one after the other, on one thread.  Of a block the records come first, and are kept in brief; then
 * its lines, which are walked together with them.
 */
#ifndef MLS_DIAGNOSE_JOB_H
#define MLS_DIAGNOSE_JOB_H

#include "base/map.h"
#include "diagnose/line.h"
#include "diagnose/signatures.h"
#include "mlscore/log.h"

enum {
    MLS_READ_LINES = 5,
    MLS_SURVIVED = 3,   /* advances of training behind a message that was no cause */
    MLS_TEXT_KEPT = 500 /* bytes of a line */
};

/* MLS_GROW() of a list whose members are called so: matches, match_count, match_capacity. */
#define MLS_GROW_OF(owner, items, item)                                                                                \
    mls_grow((void **)&(owner)->items, (owner)->item##_count, &(owner)->item##_capacity, sizeof *(owner)->items)

/* A message that may be a cause. */
typedef struct mls_match {
    size_t signature, segment, line;
    double time_ms;
    int32_t rank;              /* -1: not known */
    const char *node, *gpu;    /* NULL: not known */
    double iteration, samples; /* the last ones before it in its segment; NAN: none */
    size_t advances;           /* of its segment, before it */
    char *text;                /* its own */
} mls_match;

/* Text that is kept of a line; the number 0: none. */
typedef struct mls_kept_line {
    size_t line;
    char text[MLS_TEXT_KEPT + 1];
} mls_kept_line;

/* What a run's progress is told by: the largest number of each that was reached. */
typedef enum mls_pace { MLS_PACE_SAMPLES, MLS_PACE_STEP, MLS_PACE_EPOCH, MLS_PACE_ITERATION, MLS_PACE_COUNT } mls_pace;

/* The part of a file that belongs to one run; a file without records is one part. */
typedef struct mls_segment {
    size_t file;
    size_t line;              /* of its first record; 0: it has none */
    double first_ms, last_ms; /* the first time of the file, where it is the first segment; the last time; NAN: none */
    double init_ms, start_ms, stop_ms;
    bool success;
    size_t run; /* of the job's, from 1 on; 0: of none */
    double reached[MLS_PACE_COUNT];
    size_t advances;
    double last_times[MLS_SURVIVED];       /* of the last advances, newest first */
    size_t last_line;                      /* of the last advance */
    char *last_text;                       /* NULL: not kept yet */
    double iteration, samples;             /* the last ones */
    size_t end_line;                       /* the last line */
    mls_failure_line read[MLS_READ_LINES]; /* the last lines that are no records, newest first */
    size_t read_count;
    mls_failure_count *counts; /* what matched and was not survived */
    size_t count_count;
} mls_segment;

/* A record of the block that is being read, as far as it matters. */
typedef struct mls_brief_record {
    size_t line;
    mls_key key;
    double time_ms;
    bool progress, success;
    double samples, step, epoch;
    mls_str payload; /* in the block; empty: it may hold what is looked for */
} mls_brief_record;

typedef struct mls_hit {
    uint32_t line, needle; /* the line within the block, from 0 */
} mls_hit;

/* The block that is being read. */
typedef struct mls_log_block {
    mls_str text;
    size_t line; /* number of the first line */
    bool cut;
    uint32_t *starts; /* of the lines, and behind them the end; of lines with control characters MLS_ODD_LINE is set */
    size_t start_count, start_capacity;
    mls_hit *hits;
    size_t hit_count, hit_capacity;
    mls_brief_record *records;
    size_t record_count, record_capacity;
    size_t record_at; /* those before it have been told */
    size_t timed_to;  /* the lines before it have been looked at for a time */
    size_t kept_from; /* the first line of the open segment */
} mls_log_block;

#define MLS_ODD_LINE (UINT32_C(1) << 31)

typedef struct mls_job_log {
    mls_signatures *signatures;
    mls_arena *arena; /* of the diagnosis */
    bool failed;      /* memory ran out */
    const char **files;
    size_t file_count, file_capacity;
    mls_segment *segments; /* the last one is open */
    size_t segment_count, segment_capacity;
    mls_match *matches; /* that were not survived; those of the open segment are the last */
    size_t match_count, match_capacity;
    size_t open_matches; /* where those of the open segment begin */
    size_t role_counts[MLS_ROLE_END];
    size_t *matched;  /* for each signature, all there were */
    uint32_t *recent; /* the open segment's, for each signature: since its last advance, before it, before that */
    unsigned recent_used;
    mls_map names;        /* of nodes and GPUs, so that each is kept once */
    uint32_t *rank_nodes; /* for each rank the number of its node's name, plus 1; 0: not known */
    uint8_t *rank_seen;   /* RANK_… */
    bool watchdog;        /* some rank reported a timeout */
    size_t watchdog_signature;
    double full_time;     /* the first time that has a year */
    mls_iteration *times; /* of progress */
    size_t time_count, time_capacity, time_stride, time_skipped;
    mls_iteration last_time;
    mls_checkpoint *checkpoints;
    size_t checkpoint_count, checkpoint_capacity;
    double loaded_iteration;
    mls_failure_line *notes;
    size_t note_count, note_capacity, note_total;
    mls_log_block block;
    char *scratch; /* three times MLS_LINE_LOOKED_AT */
    /* Of the file that is being read: */
    double file_time; /* the last one seen */
    bool file_timed;
    const char *table_host; /* of torchrun's table */
    int32_t table_rank;
    bool root_cause;     /* its line "Root Cause" has come */
    int32_t *root_ranks; /* of each file, the first rank behind that; -1: none */
    size_t root_rank_count, root_rank_capacity;
    uint64_t *tracebacks; /* streams, by rank and local rank, in which one is open */
    size_t traceback_count, traceback_capacity;
} mls_job_log;

enum { MLS_RANK_SEEN = 1, MLS_RANK_TIMED_OUT = 2 };

/* ---- block.c: a sink of one file after the other */
mls_status mls_job_begin_file(mls_job_log *job, const char *name) MLS_MUST_USE;
mls_sink mls_job_sink(mls_job_log *job);

/* When line `i` of the block was printed: its own time, else the last one seen in the file before it. */
double mls_job_time_of(mls_job_log *job, size_t i, const mls_log_line *line);

/* ---- message.c: a line of the block in which the hits from `first` to `end` were found */
mls_status mls_job_look_at(mls_job_log *job, size_t i, const mls_log_line *line, size_t first, size_t end) MLS_MUST_USE;

/* ---- follow.c: what a line or a record means */

/* The open segment. */
static inline mls_segment *mls_job_segment(const mls_job_log *job)
{
    return &job->segments[job->segment_count - 1];
}

/* Opens one, for the same file or another. */
bool mls_job_open_segment(mls_job_log *job, size_t file);
void mls_job_close_segment(mls_job_log *job);

/* Whether a new run begins with a record; takes what it tells of its run, where `time_ms` is when it was made. */
bool mls_job_starts_run(const mls_job_log *job, const mls_brief_record *record);
void mls_job_take_record(mls_job_log *job, const mls_brief_record *record);

/* The run goes on: line `number` says so. */
void mls_job_advance(mls_job_log *job, size_t number, mls_pace pace, double reached, double time_ms);

/* A line that has a signature. */
void mls_job_take_match(mls_job_log *job, size_t signature, size_t number, const mls_log_line *line, double time_ms);

/* The copy of a name; NULL: none, or too many others. */
const char *mls_job_name(mls_job_log *job, mls_str name);
void mls_job_know_rank(mls_job_log *job, int32_t rank, const char *node);
char *mls_job_keep_text(mls_job_log *job, mls_str text);

/* ---- cause.c: the verdict */
mls_status mls_job_judge(mls_job_log *job, mls_diagnosis *diagnosis) MLS_MUST_USE;

#endif
