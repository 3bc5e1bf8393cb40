/* SPDX-License-Identifier: Apache-2.0 */
/* job.h - internals of diagnose/: the state of a job while its logs are read.
 *
 * Files are read in sequence on one thread.  For each block, read.c first summarizes the records, then processes
 * records and lines in their order; both advance the current run.  Messages after which a run did not continue are
 * stored until the verdict (cause.c). */
#pragma once

#include "base/map.h"
#include "explain/diagnose/diagnose.h"
#include "log/log.h"
#include "log/marked.h"
#include "log/prefix.h"
#include "run/splitter.h"

enum {
    MLS_READ_LINES = 5,
    MLS_SURVIVED = 3,    /* after a message and this many advances of training, the message is not a cause */
    MLS_TEXT_KEPT = 500, /* bytes stored of a line */
    MLS_TRACEBACKS_MAX = 1024
};

/* Make room for one more item in a list whose members are named like matches, match_count and match_capacity. */
#define MLS_GROW_OF(owner, items, item)                                                                                \
    mls_grow((void **)&(owner)->items, (owner)->item##_count, &(owner)->item##_capacity, sizeof *(owner)->items)

/* A stored line. */
typedef struct mls_kept_line {
    size_t line;
    char text[MLS_TEXT_KEPT + 1];
} mls_kept_line;

/* Lines that a reader of a failed run should see, the last line of the file first. */
typedef struct mls_read_lines {
    struct {
        mls_kept_line at;
        int32_t rank;     /* -1: unknown */
        const char *node; /* NULL: unknown */
        bool harmless;    /* its prefixes show that it is a message of the kernel, a warning or an information */
    } items[MLS_READ_LINES];
    size_t count;
} mls_read_lines;

/* A traceback that has not ended. */
typedef struct mls_traceback {
    uint64_t stream; /* the rank and the local rank that print it, as one number */
    size_t line;     /* line of its header; 0: no traceback */
    size_t advances; /* advances of the segment before the traceback */
    double time_ms;
    int32_t rank;     /* -1: unknown */
    const char *node; /* NULL: unknown */
    bool ignored;     /* a line before it says that the program continues, such as "Exception ignored in" */
    bool warned;      /* the line before its header is a warning, so the program may have continued */
    bool headless;    /* its header is missing: it began with a line of a frame, and `line` is that of the last one */
} mls_traceback;

/* The last message that ended the failure of earlier messages of a signature, such as a link that is up again. */
typedef struct mls_recovery {
    size_t file, line; /* line 0: none */
    double time_ms;
    const char *node;
} mls_recovery;

/* A message that may be a cause. */
typedef struct mls_match {
    struct mls_match *next; /* next match of the same run, for the verdict */
    size_t signature, segment;
    mls_kept_line at;
    double time_ms;
    int32_t rank;              /* -1: unknown */
    const char *node, *gpu;    /* NULL: unknown */
    double iteration, samples; /* last known values of the segment before the match; NAN: unknown */
    size_t advances;           /* advances of the segment before the match */
    bool warned;               /* the exception of a traceback after a warning */
    bool otherwise;            /* the member `otherwise` of the signature applies */
    bool kept;                 /* used only by drop_matches(): the match stays */
    bool reported;             /* the match is part of a reported failure */
} mls_match;

/* The number of matches of a signature between two advances of a segment.  An advance is a line or record that shows
 * more progress than before. */
typedef struct mls_match_count {
    struct mls_match_count *next; /* next count of the same run, for the verdict */
    size_t signature, segment, advances, count;
} mls_match_count;

/* The counters of progress.  A segment stores the maximum of each counter. */
typedef enum mls_pace {
    MLS_PACE_SAMPLES,
    MLS_PACE_STEP,
    MLS_PACE_EPOCH,
    MLS_PACE_ITERATION,
    MLS_PACE_LOOSE, /* from forms that may count something else; used only in files without other counters; may restart
                     */
    MLS_PACE_COUNT
} mls_pace;

/* The part of a file that belongs to one run.  A file without records is one part. */
typedef struct mls_log_segment {
    size_t file;
    size_t line; /* line of its first record; 0: none */
    bool began;  /* the segment has an init_start or a run_start, so scoring counts it as a run */
    bool died;   /* the segment contains a possible cause; set after all files have been read */
    double first_ms,
        last_ms; /* first time of the file, only in its first segment; last time of the segment; NAN: none */
    double start_ms, stop_ms;
    bool success;
    bool again; /* the run restarted after its successful end and has not ended again */
    size_t run; /* number in the job, from 1; 0: not part of a run */
    double reached[MLS_PACE_COUNT];
    size_t advances;
    size_t crash_advances;           /* advances before the last message that is more than an exit code */
    size_t ended_line;               /* a line that reports a successful end; 0: none since the last start */
    size_t ended_advances;           /* advances before that line */
    double last_times[MLS_SURVIVED]; /* times of the last advances, newest first */
    size_t last_line;                /* line of the last advance; 0: none */
    const char *last_text;           /* text of that line; set when the segment is closed */
    double iteration, samples;       /* last known values */
    size_t end_line;                 /* last line of the segment */
    mls_failure_line *read;          /* lines to read; set when the segment is closed without success */
    size_t read_count;
    bool read_errors;        /* as in mls_failure */
    mls_traceback traceback; /* the first traceback without an exception at its end */
    mls_failure_line error;  /* a line at the end that looks like an error; line 0: none */
    bool broken_off;         /* the last line of the segment is an incomplete progress bar */
} mls_log_segment;

/* What is needed of a record in the current block. */
typedef struct mls_brief_record {
    size_t line;
    mls_key key;
    double time_ms;
    bool progress, success;
    double reached[MLS_PACE_ITERATION]; /* NAN: not in the record */
    mls_str payload;                    /* text of the block that is not searched for signatures; may be empty */
} mls_brief_record;

/* The block being read. */
typedef struct mls_log_block {
    mls_marked_lines marked;
    mls_brief_record *records;
    size_t record_count, record_capacity;
    size_t *run_starts; /* first lines of runs */
    size_t run_start_count, run_start_capacity;
    size_t timed_to;  /* times before this line have been parsed */
    size_t kept_from; /* first line of the open segment */
} mls_log_block;

typedef struct mls_job_file {
    const char *name;
    int32_t root_rank; /* first rank that torchrun names after "Root Cause"; -1: none */
} mls_job_file;

typedef struct mls_job_log {
    mls_signatures *signatures;
    mls_diagnosis *to; /* receives notes, iterations and checkpoints directly */
    size_t iteration_capacity, checkpoint_capacity, skipped_capacity;
    mls_job_file *files;
    size_t file_count, file_capacity;
    mls_log_segment *segments; /* the last segment is open: its lines are being read */
    size_t segment_count, segment_capacity;
    /* Lines of the open segment: the line of the last advance (its text is empty until the block ends), the last lines
     * that are not records, and the last lines that look like errors. */
    mls_kept_line last;
    mls_read_lines plain, errors;
    bool finished;      /* without records, a line reports a successful end */
    size_t run_count;   /* numbered runs and launches that failed before a run began */
    mls_match *matches; /* the matches that were not survived; those of the open segment are last */
    size_t match_count, match_capacity;
    mls_match_count *counts; /* counts of these and of dropped matches, in the same order */
    size_t count_count, count_capacity;
    size_t open_matches, open_counts; /* index of the first match and count of the open segment */
    size_t role_counts[MLS_ROLE_END];
    size_t role_limits[MLS_ROLE_END]; /* when a role has this many matches, some are dropped */
    size_t *matched;                  /* number of matches of each signature */
    const size_t **recovers;          /* for each signature, indexes of those whose failures it ends, then SIZE_MAX;
                                       * NULL: none */
    mls_recovery *recoveries;         /* for each signature, the last message that ended its failure */
    mls_map names;                    /* names of nodes and GPUs, each stored once */
    const char **rank_nodes;          /* node of each rank; NULL: unknown */
    uint8_t *rank_seen;               /* MLS_RANK_… */
    size_t watchdog_signature, exception_signature, ignored_signature, start_signature,
        end_signature;  /* SIZE_MAX: not in the table */
    uint32_t *suspects; /* as in mls_failure; computed on first use */
    size_t suspect_count;
    double full_time;                 /* the first time with a year */
    size_t time_stride, time_skipped; /* only every time_stride-th time is stored; times since the last one */
    mls_iteration last_time;
    mls_log_block block;
    char *scratch; /* buffer for two lines */
    /* State of the current file: */
    mls_run_boundary boundary;
    double file_time;       /* last time in the file */
    const char *table_host; /* host in torchrun's table */
    int32_t table_rank;
    bool root_cause;           /* the line "Root Cause" has been read */
    mls_traceback *tracebacks; /* open tracebacks: at most one per stream and MLS_TRACEBACKS_MAX in all */
    size_t traceback_count;
    size_t traceback_to;     /* last line in which the exception of an open traceback is searched for */
    uint64_t ignored_stream; /* stream whose next traceback is of an ignored exception */
    size_t frame_line;       /* last line of a frame, while there are tracebacks without a header; 0: none */
    size_t handled_line;     /* end of the last traceback of that stream that was ignored; 0: none */
    size_t ignored_line;     /* line of "Exception ignored in", near which this applies; 0: none */
} mls_job_log;

enum { MLS_RANK_SEEN = 1, MLS_RANK_TIMED_OUT = 2 };

static inline mls_log_segment *mls_job_segment(const mls_job_log *job) /* return the open segment */
{
    return &job->segments[job->segment_count - 1];
}

static inline const mls_signature *mls_job_signature(const mls_job_log *job, const mls_match *match)
{
    const mls_signature *signature = mls_signatures_get(job->signatures, match->signature);
    return match->otherwise ? signature->otherwise : signature;
}

static inline const char *mls_job_copy(mls_job_log *job, const char *text) /* copy a text for the diagnosis */
{
    return mls_arena_copy(job->to->arena, mls_str_from(text)).ptr;
}

/* ---- read.c */

/* Prepare the search for signatures and marks. */
void mls_job_prepare(mls_job_log *job);

/* Begin a file and return the sink that receives its blocks.  `name` must live as long as the diagnosis. */
mls_sink mls_job_begin_file(mls_job_log *job, const char *name);

/* Append an iteration to the diagnosis. */
void mls_job_add_iteration(mls_job_log *job, mls_iteration one);

/* Store a message that was not a cause, unless there are too many. */
void mls_job_note(mls_job_log *job, const mls_match *match);

/* ---- cause.c: the verdict */
void mls_job_judge(mls_job_log *job);
