/* SPDX-License-Identifier: Apache-2.0 */
/* part.h - parts: the files that shards write and a merge reads.
 *
 * A part is NDJSON: a head, a line for each file of the shard in the order of a single process, and a tail with a
 * checksum.  Write one with mls_shard_read() or an mls_part_writer, and read one with mls_part_read().
 *
 * A part contains facts about single runs only.  Groups, duplicates and scores are computed from all parts, by the same
 * code as from logs.  Processing the same shard twice writes the same bytes.  Tables in part.c define the members of
 * the head, of a file and of a run, for writing and reading. */
#pragma once

#include "base/output.h"
#include "base/walk.h"
#include "run/settings.h"
#include "run/tracked.h"
#include "score/collect.h"
#include "score/shard.h"
#include "json/schema.h"

/* The version of the format, and the maximum size of a part. */
enum { MLS_PART_FORMAT = 2 };
#define MLS_PART_BYTES_MAX ((size_t)64 << 30)

/* A tracked metric in a part, which stores lists instead of maps and shared data. */
typedef struct mls_part_tracked {
    mls_str name;
    double sum;
    size_t count;
} mls_part_tracked;

typedef struct mls_part_run {
    mls_run run;
    mls_run_extra extra;
    mls_tracked *tracked;                     /* NULL: not collected */
    bool has_printed, has_tracked;            /* set while writing or reading */
    MLS_LIST_OF(mls_printed_setting) printed; /* the known ones of the settings that the job printed */
    MLS_LIST_OF(mls_part_tracked) sums;
    bool too_many;
    size_t long_line;
} mls_part_run;

/* A malformed line. */
typedef struct mls_part_malformed {
    size_t line, column;
    const char *reason;
} mls_part_malformed;

/* The maximum number of malformed lines listed per file. */
enum { MLS_MALFORMED_NAMED = 20 };

/* A file in a part.  Texts that were read live as long as the room they were read into. */
typedef struct mls_part_source {
    mls_source source; /* without its edition */
    mls_log_totals totals;
    bool measures;     /* the file contains telemetry */
    const char *error; /* why it could not be read completely; NULL: it was */
    mls_place place;   /* its folder: the tree and, for the first file of a folder in the part, the system */
    MLS_LIST_OF(mls_part_malformed) lines; /* the first malformed lines */
    mls_str runs;                          /* the list of runs in JSON, while its line is read */
} mls_part_source;

/* Options that decide the results of a shard and how a merge scores them.  NULL, 0 and false mean that they were not
 * given. */
typedef struct mls_part_options {
    bool any_usage;
    bool bert_train_samples;
    bool doubting;        /* check: hints about other editions */
    char *keys;           /* events: only records with these keys, "a,b" */
    char *own_rules;      /* hash of the user's own rules */
    char *rcp, *rcp_path; /* text of a user's reference points, and its path */
    bool split;
    bool wide;
    bool window;
} mls_part_options;

/* The head of a part. */
typedef struct mls_part_head {
    size_t format;
    char *version;
    char *rules;   /* hash of the embedded data for judging and scoring */
    char *command; /* "score", "check" or "events" */
    char *usage;   /* "training" or "hpc" */
    char *edition; /* NULL: guessed */
    mls_part_options options;
    mls_names roots; /* the paths as given */
    size_t shards;
    size_t shard;               /* 0: merged from several shards … */
    mls_shard_ranges shards_in; /* … which are these */
} mls_part_head;

extern const mls_schema mls_part_head_schema, mls_part_source_schema;

void mls_part_head_release(mls_part_head *head);

/* Return the name of the first member, ignoring the shards, in which two heads differ; NULL if there is none. */
const char *mls_part_head_difference(const mls_part_head *a, const mls_part_head *b);

/* A hash as text: sixteen digits. */
typedef struct mls_hash_words {
    char text[17];
} mls_hash_words;
mls_hash_words mls_hash_text(uint64_t hash);

/* Return the hash of all embedded data, for mls_part_head.rules. */
mls_hash_words mls_part_rules_hash(void);

/* Initialise an empty run.  The second function releases a run and everything beside it, and leaves it empty. */
void mls_part_run_init(mls_part_run *run);
void mls_part_run_release(mls_part_run *run);

/* Append a run as a JSON object.  The second function reads a run from its validated span; on failure, it returns
 * false, and room->wrong names the wrong member.  Always release the run. */
void mls_part_run_write(mls_buffer *to, mls_part_run *run);
bool mls_part_run_read(mls_str span, mls_schema_room *room, mls_part_run *run) MLS_MUST_USE;

/* Writes a part to the caller's output: the head, a line for each file with its runs, and the tail. */
typedef struct mls_part_writer {
    mls_output *output;
    uint64_t digest; /* checksum of all lines so far */
    size_t files, runs;
    uint64_t bytes;
    mls_buffer line;
} mls_part_writer;
void mls_part_writer_begin(mls_part_writer *writer, mls_output *output, const mls_part_head *head);
void mls_part_writer_add(mls_part_writer *writer, const mls_part_source *source, mls_part_run *runs, size_t count);
void mls_part_writer_end(mls_part_writer *writer);

/* A file of a part with its runs. */
typedef struct mls_part_file {
    mls_part_source source;
    MLS_LIST_OF(mls_part_run) runs;
    const char *part; /* the path of the part */
    size_t line;      /* its line in the part, from 1 */
} mls_part_file;
void mls_part_file_release(mls_part_file *file);

/* A part that was read. */
typedef struct mls_shard_part {
    const char *path; /* borrowed from the caller */
    mls_part_head head;
    mls_shard_ranges shards; /* shards that it contains */
    MLS_LIST_OF(mls_part_file) files;
    uint64_t digest;
} mls_shard_part;

/* Read and check a whole part, which may come from another machine and is untrusted.  Return MLS_OK, or MLS_ERROR_READ,
 * _SYNTAX, _VALUE or _LIMIT with the line.  Always release *part. */
mls_status mls_part_read(const char *path, mls_schema_room *room, mls_shard_part *part, mls_error *error) MLS_MUST_USE;
void mls_part_release(mls_shard_part *part);

/* What a shard reads, and how. */
typedef struct mls_shard_job {
    const mls_part_head *head;          /* of the part, with its shard */
    mls_sources *sources;               /* all sources, of every shard */
    const mls_collect_options *options; /* for the editions of trees; NULL: each log by itself */
    mls_reading reading;                /* how logs are read; without callbacks, except … */
    /* … a listener, which then replaces the runs.  This callback moves the listener's data on a file, which are then
     * freed, into the line of the file.  Its state is that of the reading. */
    mls_status (*heard)(void *state, const mls_read *read, mls_part_source *source);
    bool groups; /* runs are to be scored, so data beside their logs are needed */
    void *state; /* passed to the other callbacks */
    /* Add a finding to an incomplete run about why it ended.  NULL: not needed. */
    mls_status (*ending)(void *state, mls_run *run, mls_error *error);
    /* Return whether a file without runs contains telemetry.  NULL: not needed. */
    bool (*measures)(void *state, const mls_source *source);
    /* Called for each file of the shard that could not be read, with the reason and the finding (NULL: none). */
    void (*say_failed)(void *state, const char *path, const char *why, const char *finding);
} mls_shard_job;

/* Read the sources of the head's shard and write the part; the caller closes the output.  Return MLS_OK even if files
 * could not be read, or an error as mls_read_sources() does. */
mls_status mls_shard_read(const mls_shard_job *job, mls_output *output, mls_error *error) MLS_MUST_USE;
