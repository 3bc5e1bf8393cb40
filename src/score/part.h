/* SPDX-License-Identifier: Apache-2.0 */
/* part.h - what the shard of a tree writes and a merge reads: parts.
 *
 * A part is NDJSON: a head, a line for each file of the shard in the order of one process, and a tail with a digest.
 * It has facts and no verdict about two runs: groups, repetitions and scores are made by whoever has all parts, with
 * the code that makes them of logs.  The same task run twice writes the same bytes.  The members of a run, of a file
 * and of the head are tables in part.c, by which they are written and read. */
#pragma once

#include "base/output.h"
#include "base/walk.h"
#include "run/settings.h"
#include "run/tracked.h"
#include "score/collect.h"
#include "score/shard.h"
#include "json/schema.h"

/* The number of the format, and the largest part. */
enum { MLS_PART_FORMAT = 2 };
#define MLS_PART_BYTES_MAX ((size_t)64 << 30)

/* A run as a part has it, and what only a part has: lists in place of a map and of what is shared. */
typedef struct mls_part_tracked {
    mls_str name;
    double sum;
    size_t count;
} mls_part_tracked;

typedef struct mls_part_run {
    mls_run run;
    mls_run_extra extra;
    mls_tracked *tracked;                     /* NULL: it was not noted */
    bool has_printed, has_tracked;            /* these are filled in while it is written or read */
    MLS_LIST_OF(mls_printed_setting) printed; /* of what its job printed the settings that are known */
    MLS_LIST_OF(mls_part_tracked) sums;
    bool too_many;
    size_t long_line;
} mls_part_run;

/* A line that holds the marker of a record and no record. */
typedef struct mls_part_malformed {
    size_t line, column;
    const char *reason;
} mls_part_malformed;

/* So many of them are named of a file. */
enum { MLS_MALFORMED_NAMED = 20 };

/* A file as a part has it.  Texts that were read live as long as the room they were read into. */
typedef struct mls_part_source {
    mls_source source; /* without its edition */
    mls_log_totals totals;
    bool measures;     /* it holds measurements of telemetry */
    const char *error; /* why it could not be read to its end; NULL: it was */
    mls_place place;   /* the folder it lies in: its tree, and with the first file of a folder in the part its system */
    MLS_LIST_OF(mls_part_malformed) lines; /* of the malformed ones the first */
    mls_str runs;                          /* while a line is read: the list, in JSON */
} mls_part_source;

/* What decides what a shard finds, and how a merge scores it; NULL, 0 and false: not asked for. */
typedef struct mls_part_options {
    bool any_usage;
    bool bert_train_samples;
    bool doubting;        /* of check: hints about other editions */
    char *keys;           /* of events: only records with one of these, "a,b" */
    char *own_rules;      /* a hash of the user's own rules */
    char *rcp, *rcp_path; /* a text of reference points, and its name */
    bool split;
    bool wide;
    bool window;
} mls_part_options;

/* The head of a part. */
typedef struct mls_part_head {
    size_t format;
    char *version;
    char *rules;   /* a hash of the data that judges and scores */
    char *command; /* "score", "check" or "events" */
    char *usage;   /* "training" or "hpc" */
    char *edition; /* NULL: guessed */
    mls_part_options options;
    mls_names roots; /* the paths as they were given */
    size_t shards;
    size_t shard;               /* 0: of several, which were merged … */
    mls_shard_ranges shards_in; /* … and these are they */
} mls_part_head;

extern const mls_schema mls_part_head_schema, mls_part_source_schema;

void mls_part_head_release(mls_part_head *head);

/* Return the name of the first member, but for the shards, in which two heads differ; NULL: none. */
const char *mls_part_head_difference(const mls_part_head *a, const mls_part_head *b);

/* A hash as texts have it: sixteen digits. */
typedef struct mls_hash_words {
    char text[17];
} mls_hash_words;
mls_hash_words mls_hash_text(uint64_t hash);

/* Return the hash of all embedded data, for mls_part_head.rules. */
mls_hash_words mls_part_rules_hash(void);

/* Make a run that holds nothing; release what a run, or what lies beside it, owns, and leave it empty. */
void mls_part_run_init(mls_part_run *run);
void mls_part_run_release(mls_part_run *run);

/* Append a run as an object of JSON.  Read one back from its validated span: false, room->wrong names the member that
 * is wrong, and the run is to be released in any case. */
void mls_part_run_write(mls_buffer *to, mls_part_run *run);
bool mls_part_run_read(mls_str span, mls_schema_room *room, mls_part_run *run) MLS_MUST_USE;

/* Writes a part to an output that is the caller's: the head; the line of a file with its runs; and the tail. */
typedef struct mls_part_writer {
    mls_output *output;
    uint64_t digest; /* of all lines so far */
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
    size_t line;      /* of the file in the part, from 1 */
} mls_part_file;
void mls_part_file_release(mls_part_file *file);

/* A part that was read. */
typedef struct mls_shard_part {
    const char *path; /* the caller's */
    mls_part_head head;
    mls_shard_ranges shards; /* that it has */
    MLS_LIST_OF(mls_part_file) files;
    uint64_t digest;
} mls_shard_part;

/* Read a whole part and check all that is in it: a part may come from another machine, and is hostile until then.
 * MLS_OK; MLS_ERROR_READ, _SYNTAX, _VALUE or _LIMIT with the line.  *part is to be released in any case. */
mls_status mls_part_read(const char *path, mls_schema_room *room, mls_shard_part *part, mls_error *error) MLS_MUST_USE;
void mls_part_release(mls_shard_part *part);

/* What a shard is to read, and how. */
typedef struct mls_shard_job {
    const mls_part_head *head;          /* of the part, with its shard */
    mls_sources *sources;               /* all there are, of every shard */
    const mls_collect_options *options; /* for the editions of trees; NULL: logs go by what they say themselves */
    mls_reading reading;                /* how logs are read; without callbacks, unless … */
    /* … its listener is all that wants to hear of files: no runs then.  Puts what was heard of one into its line, which
     * is released; the state is that of the reading. */
    mls_status (*heard)(void *state, const mls_read *read, mls_part_source *source);
    bool groups; /* runs are to be scored: what stands on the disk beside their logs is wanted too */
    void *state; /* of the callbacks */
    /* Says why a run that never ended did not, as a finding of it; NULL: nobody asks. */
    mls_status (*ending)(void *state, mls_run *run, mls_error *error);
    /* Whether a file without runs holds measurements; NULL: nobody asks. */
    bool (*measures)(void *state, const mls_source *source);
    /* Called for each file of the shard that could not be read, with the reason and its finding (NULL: none). */
    void (*say_failed)(void *state, const char *path, const char *why, const char *finding);
} mls_shard_job;

/* Read the sources of the head's shard and write the part, all but for closing the output.  MLS_OK, whatever could not
 * be read; or as mls_read_sources(). */
mls_status mls_shard_read(const mls_shard_job *job, mls_output *output, mls_error *error) MLS_MUST_USE;
