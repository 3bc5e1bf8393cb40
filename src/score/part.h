/* SPDX-License-Identifier: Apache-2.0 */
/* part.h - process many logs in shards, and merge the results.
 *
 * A hash of the path of a file determines its shard.  So each task of a job finds its own files without communication,
 * and a new file does not change the shards of other files.  Each task writes a part: NDJSON with a head, a line for
 * each file in the order of a single process, and a tail with a checksum.  mls_merge_open() reads the parts of all
 * shards, and mls_merge_read() calls the callbacks with the same runs, in the same order, as if one process had read
 * the logs.
 *
 * A part contains facts about single runs only.  Groups, duplicates and scores are computed after merging, by the same
 * code as from logs.  Processing the same shard twice writes the same bytes.  Parts may come from other machines, so
 * they are checked completely before any of their data is used. */
#pragma once

#include "base/output.h"
#include "base/walk.h"
#include "run/settings.h"
#include "run/tracked.h"
#include "score/collect.h"
#include "json/schema.h"

/* ----------------------------------------------------------------- shards */

#define MLS_SHARDS_MAX ((size_t)1000000)

/* Shard `number` of `count`, from 1. */
typedef struct mls_shard {
    size_t number, count;
} mls_shard;

/* Parse "3/64"; return false if it is invalid. */
bool mls_shard_parse(mls_str text, mls_shard *shard);

/* Return the number, from 1 to `count`, of the shard to which a path below the user's `root` belongs. */
size_t mls_shard_of(mls_str path, mls_str root, size_t count);

/* Compare paths by their components in natural order, so that sorted paths have the order in which a single process
 * reads files below a root. */
int mls_compare_paths(mls_str a, mls_str b);

/* A range of shard numbers, including both ends.  Ranges in a list are sorted, and do not overlap or touch. */
typedef struct mls_shard_range {
    size_t first, last;
} mls_shard_range;
typedef MLS_LIST_OF(mls_shard_range) mls_shard_ranges;

/* Add the numbers from `first` to `last`.  Return the smallest of them that the ranges already contained; 0 if all
 * numbers were new. */
size_t mls_shard_ranges_add(mls_shard_ranges *ranges, size_t first, size_t last);
/* Append the ranges in the notation of Slurm's arrays: "3,17-19". */
void mls_shard_ranges_words(const mls_shard_ranges *ranges, mls_buffer *to);
/* Add the numbers from 1 to `count` that `ranges` does not contain to `missing`. */
void mls_shard_ranges_missing(const mls_shard_ranges *ranges, size_t count, mls_shard_ranges *missing);

/* ------------------------------------------------------------------ parts */

/* The version of the format of parts. */
enum { MLS_PART_FORMAT = 2 };
/* The maximum size of a part in bytes. */
#define MLS_PART_BYTES_MAX ((size_t)64 << 30)

/* A tracked metric of a run: an entry of mls_tracked.sums, since a part stores lists instead of maps. */
typedef struct mls_part_tracked {
    mls_str name;
    double sum;   /* sum of the finite values logged during the run */
    size_t count; /* number of these values */
} mls_part_tracked;

typedef struct mls_part_run {
    mls_run run;
    mls_run_extra extra;
    mls_tracked *tracked; /* NULL: tracked metrics were not collected */
    /* Copies of data in `run` and `tracked` in the form in which a part stores it, set while writing or reading. */
    bool has_printed, has_tracked;            /* run.printed and `tracked` are not NULL */
    MLS_LIST_OF(mls_printed_setting) printed; /* known settings that the job printed */
    MLS_LIST_OF(mls_part_tracked) sums;       /* tracked->sums */
    bool too_many;                            /* tracked->too_many */
    size_t long_line;                         /* tracked->long_line */
} mls_part_run;

/* Initialise an empty run. */
void mls_part_run_init(mls_part_run *run);
/* Release all members of a run, and leave the run empty. */
void mls_part_run_release(mls_part_run *run);

/* A malformed line of a log. */
typedef struct mls_part_malformed {
    size_t line, column; /* position in the log, from 1 */
    const char *reason;
} mls_part_malformed;
/* The maximum number of malformed lines listed per file. */
enum { MLS_MALFORMED_NAMED = 20 };

/* A file in a part.  After mls_part_file_read(), the texts live as long as its `room`. */
typedef struct mls_part_file {
    mls_source source; /* without its edition */
    mls_log_totals totals;
    bool measures;     /* the file contains telemetry */
    const char *error; /* why the file could not be read completely; NULL: it was read completely */
    mls_place place;   /* facts from its folder: the tree and, for the first file of each folder, the system */
    MLS_LIST_OF(mls_part_malformed) lines; /* the first malformed lines */
    MLS_LIST_OF(mls_part_run) runs;
    const char *part; /* path of the part that contains this file */
    size_t line;      /* line of this file in the part, from 1 */
} mls_part_file;

/* Append a file with its runs as a JSON object. */
void mls_part_file_write(mls_buffer *to, mls_part_file *file);
/* Read a file from a span of valid JSON.  On failure, set room->wrong to the name of the wrong member and return false.
 * Always release the file. */
bool mls_part_file_read(mls_str span, mls_schema_room *room, mls_part_file *file) MLS_MUST_USE;
void mls_part_file_release(mls_part_file *file);

/* Command-line options that change the results of a shard or how a merge scores them.  An option that the user did not
 * give is NULL or false. */
typedef struct mls_part_options {
    bool any_usage;
    bool bert_train_samples;
    bool doubting;              /* check: print hints about other editions */
    const char *keys;           /* events: list only records with these keys, "a,b" */
    const char *own_rules;      /* hash of the user's own rules */
    const char *rcp, *rcp_path; /* text of the user's reference points, and path of their file */
    bool split;
    bool wide;
    bool window;
} mls_part_options;

/* The head of a part.  All texts are borrowed. */
typedef struct mls_part_head {
    size_t format;       /* MLS_PART_FORMAT */
    const char *version; /* version of mlscore that wrote the part */
    const char *rules;   /* mls_part_rules_hash() of that version */
    const char *command; /* "score", "check" or "events" */
    const char *usage;   /* "training" or "hpc" */
    const char *edition; /* edition given by the user; NULL: guess the edition */
    mls_part_options options;
    mls_names roots;            /* paths given by the user */
    size_t shards;              /* number of shards of the whole job */
    size_t shard;               /* number of the shard, from 1; 0: the part was merged from the shards in shards_in */
    mls_shard_ranges shards_in; /* shards that a merged part contains */
} mls_part_head;

extern const mls_schema mls_part_head_schema;

/* A hash as text: sixteen hexadecimal digits. */
typedef struct mls_hash_words {
    char text[17];
} mls_hash_words;

/* Return the hash of a text. */
mls_hash_words mls_hash_of(mls_str text);
/* Return the hash of all embedded data that decides verdicts and scores, for mls_part_head.rules. */
mls_hash_words mls_part_rules_hash(void);

/* The state of writing a part to the caller's output.  mls_part_writer_begin() writes the head, mls_part_writer_add() a
 * line for a file with its runs, and mls_part_writer_end() the tail. */
typedef struct mls_part_writer {
    mls_output *output;
    uint64_t digest;    /* checksum of all lines so far */
    size_t files, runs; /* number of files and runs written */
    uint64_t bytes;     /* number of bytes read from these files */
    mls_buffer line;    /* scratch memory */
} mls_part_writer;
void mls_part_writer_begin(mls_part_writer *writer, mls_output *output, const mls_part_head *head);
void mls_part_writer_add(mls_part_writer *writer, mls_part_file *file);
void mls_part_writer_end(mls_part_writer *writer);

/* A part that was read. */
typedef struct mls_shard_part {
    const char *path; /* borrowed from the caller */
    mls_part_head head;
    mls_shard_ranges shards; /* shards that it contains */
    MLS_LIST_OF(mls_part_file) files;
    uint64_t digest; /* checksum in the tail */
} mls_shard_part;

/* Read and check a whole part.  Its texts live as long as `room`.  Return MLS_OK, or MLS_ERROR_READ, _SYNTAX, _VALUE or
 * _LIMIT with the line.  Always release *part. */
mls_status mls_part_read(const char *path, mls_schema_room *room, mls_shard_part *part, mls_error *error) MLS_MUST_USE;
void mls_part_release(mls_shard_part *part);

/* ------------------------------------------------------------------ merge */

/* Parts that were read.  Only merge.c uses the members from `parts` on, except `extra`. */
typedef struct mls_merge {
    mls_part_head head;                /* head of the first part; its shard has no meaning here */
    mls_shard_ranges shards, missing;  /* shards that were read, and shards that were not read */
    mls_names measuring;               /* paths of files without runs that contain telemetry */
    MLS_LIST_OF(mls_shard_part) parts; /* the parts, whose files were moved to `files` */
    MLS_LIST_OF(mls_part_file) files;  /* the files of all parts, in the order of a single process */
    mls_arena arena;                   /* memory of texts, places and maps */
    /* Maps from the shards of a part as text to the index of the part, and from a folder to its mls_place. */
    mls_map known, places;
    const mls_run_extra *extra; /* data found beside the log of the current run of mls_merge_read() */
    mls_schema_room room;
} mls_merge;

/* Read and check parts, in any order.  Duplicates of a part are ignored.  On MLS_OK, free *merge; otherwise return
 * MLS_ERROR_READ, _VALUE or _SYNTAX, and set *wrong to the path of the invalid part.  Missing shards are not an error:
 * (*merge)->missing lists them. */
mls_status mls_merge_open(const char *const *paths, size_t count, mls_merge **merge, const char **wrong,
                          mls_error *error) MLS_MUST_USE;
void mls_merge_free(mls_merge *merge);

/* Check that a head equals the head of the first part, ignoring the shard.  If they differ, *error names the
 * difference.
 */
mls_status mls_merge_same_head(const mls_merge *merge, const mls_part_head *head, mls_error *error) MLS_MUST_USE;

/* Add the diagnoses made by the shards to the incomplete runs of a collection. */
void mls_merge_note_endings(mls_collection *collection);

/* List the sources of all parts in the order of a single process. */
void mls_merge_sources(const mls_merge *merge, mls_sources *sources);

/* Call the callbacks of `reading` for the runs of `sources` and for each source, as mls_read_sources() does, but with
 * the data of the parts instead of the logs.  If the reading has a listener_size, mls_read.listener_data points to the
 * mls_part_file.  Return MLS_OK, or the status of a callback.  Call this function only once per merge. */
mls_status mls_merge_read(mls_merge *merge, const mls_reading *reading, const mls_sources *sources) MLS_MUST_USE;

/* Return the facts that follow from a folder.  The merge owns the texts. */
mls_place mls_merge_place(const mls_merge *merge, mls_str folder);

/* Write all parts as one part.  Do not call mls_merge_read() for the same merge. */
void mls_merge_write(mls_merge *merge, mls_output *output);
