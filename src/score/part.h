/* SPDX-License-Identifier: Apache-2.0 */
/* part.h - process many logs in shards, and merge the results.
 *
 * A hash of its path assigns each file to a shard, so each task of a job knows its own files without the others, and a
 * new file does not move any other to another shard.  A shard writes a part: NDJSON with a head, a line for each file
 * in the order of a single process, and a tail with a checksum.  mls_merge_open() reads the parts of all shards, and
 * mls_merge_read() passes on the same runs in the same order as if one process had read the logs.
 *
 * A part contains facts about single runs only.  Groups, duplicates and scores are computed from all parts, by the same
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

/* Return the shard out of `count`, from 1, of a path below the root that the user gave. */
size_t mls_shard_of(mls_str path, mls_str root, size_t count);

/* Compare paths by their components in natural order, the order in which a single process reads files below a root. */
int mls_compare_paths(mls_str a, mls_str b);

/* Ranges of shard numbers, including both ends: sorted, and not adjacent. */
typedef struct mls_shard_range {
    size_t first, last;
} mls_shard_range;
typedef MLS_LIST_OF(mls_shard_range) mls_shard_ranges;

/* Add a range.  Return the first of its numbers that was there already, 0 if none was.  The second function appends the
 * ranges as Slurm writes arrays: "3,17-19".  The third adds the numbers from 1 to `count` that are not in any range. */
size_t mls_shard_ranges_add(mls_shard_ranges *ranges, size_t first, size_t last);
void mls_shard_ranges_words(const mls_shard_ranges *ranges, mls_buffer *to);
void mls_shard_ranges_missing(const mls_shard_ranges *ranges, size_t count, mls_shard_ranges *missing);

/* ------------------------------------------------------------------ parts */

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

/* Initialise an empty run.  The second function releases a run and everything beside it, and leaves it empty. */
void mls_part_run_init(mls_part_run *run);
void mls_part_run_release(mls_part_run *run);

/* A malformed line, and the maximum number of those listed per file. */
typedef struct mls_part_malformed {
    size_t line, column;
    const char *reason;
} mls_part_malformed;
enum { MLS_MALFORMED_NAMED = 20 };

/* A file in a part.  Texts that were read live as long as the room they were read into. */
typedef struct mls_part_file {
    mls_source source; /* without its edition */
    mls_log_totals totals;
    bool measures;     /* the file contains telemetry */
    const char *error; /* why it could not be read completely; NULL: it was */
    mls_place place;   /* its folder: the tree and, for the first file of a folder in the part, the system */
    MLS_LIST_OF(mls_part_malformed) lines; /* the first malformed lines */
    MLS_LIST_OF(mls_part_run) runs;
    const char *part; /* the path of the part that was read */
    size_t line;      /* its line in the part, from 1 */
} mls_part_file;

/* Append a file with its runs as a JSON object.  The second function reads it from a validated span; on failure, it
 * returns false, and room->wrong names the wrong member.  Always release the file. */
void mls_part_file_write(mls_buffer *to, mls_part_file *file);
bool mls_part_file_read(mls_str span, mls_schema_room *room, mls_part_file *file) MLS_MUST_USE;
void mls_part_file_release(mls_part_file *file);

/* Options that decide the results of a shard and how a merge scores them.  NULL, 0 and false mean that they were not
 * given. */
typedef struct mls_part_options {
    bool any_usage;
    bool bert_train_samples;
    bool doubting;              /* check: hints about other editions */
    const char *keys;           /* events: only records with these keys, "a,b" */
    const char *own_rules;      /* hash of the user's own rules */
    const char *rcp, *rcp_path; /* text of a user's reference points, and its path */
    bool split;
    bool wide;
    bool window;
} mls_part_options;

/* The head of a part.  It borrows all texts. */
typedef struct mls_part_head {
    size_t format;
    const char *version;
    const char *rules;   /* hash of the embedded data for judging and scoring */
    const char *command; /* "score", "check" or "events" */
    const char *usage;   /* "training" or "hpc" */
    const char *edition; /* NULL: guessed */
    mls_part_options options;
    mls_names roots; /* the paths as given */
    size_t shards;
    size_t shard;               /* 0: merged from several shards … */
    mls_shard_ranges shards_in; /* … which are these */
} mls_part_head;

extern const mls_schema mls_part_head_schema;

/* A hash as text: sixteen digits. */
typedef struct mls_hash_words {
    char text[17];
} mls_hash_words;

/* Return the hash of a text, and that of all embedded data, for mls_part_head.rules. */
mls_hash_words mls_hash_of(mls_str text);
mls_hash_words mls_part_rules_hash(void);

/* Writes a part to the caller's output: the head, a line for each file with its runs, and the tail. */
typedef struct mls_part_writer {
    mls_output *output;
    uint64_t digest; /* checksum of all lines so far */
    size_t files, runs;
    uint64_t bytes;
    mls_buffer line;
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
    uint64_t digest;
} mls_shard_part;

/* Read and check a whole part, whose texts are kept in the room.  Return MLS_OK, or MLS_ERROR_READ, _SYNTAX, _VALUE or
 * _LIMIT with the line.  Always release *part. */
mls_status mls_part_read(const char *path, mls_schema_room *room, mls_shard_part *part, mls_error *error) MLS_MUST_USE;
void mls_part_release(mls_shard_part *part);

/* ------------------------------------------------------------------ merge */

/* Parts that were read.  Other files may use the first members only. */
typedef struct mls_merge {
    mls_part_head head;                /* of the first part, ignoring its shard */
    mls_shard_ranges shards, missing;  /* shards that were read, and missing ones */
    mls_names measuring;               /* files without runs that contain telemetry */
    MLS_LIST_OF(mls_shard_part) parts; /* without their files, which are … */
    MLS_LIST_OF(mls_part_file) files;  /* … here, in the order of a single process */
    mls_arena arena;                   /* of texts, places and maps */
    mls_map known, places;             /* shards as text → number of their part; folder → what follows from it */
    const mls_run_extra *extra;        /* data found beside the log of the run being passed on */
    mls_schema_room room;
} mls_merge;

/* Read and check parts, in any order.  Duplicates of a part are ignored.  On MLS_OK, free *merge; otherwise return
 * MLS_ERROR_READ, _VALUE or _SYNTAX, and set *wrong to the path of the part.  Missing shards are not an error: see
 * `missing`. */
mls_status mls_merge_open(const char *const *paths, size_t count, mls_merge **merge, const char **wrong,
                          mls_error *error) MLS_MUST_USE;
void mls_merge_free(mls_merge *merge);

/* Check that a head equals that of the first part, ignoring the shard.  If not, *error names the difference. */
mls_status mls_merge_same_head(const mls_merge *merge, const mls_part_head *head, mls_error *error) MLS_MUST_USE;

/* Add the diagnoses made by the shards to the incomplete runs of a collection. */
void mls_merge_note_endings(mls_collection *collection);

/* List the sources of all parts in the order of a single process. */
void mls_merge_sources(const mls_merge *merge, mls_sources *sources);

/* Pass on the runs of these sources, and each source, as mls_read_sources() does; can be called once.  The shards have
 * read everything that needs the logs.  If the reading has a listener_size, mls_read.listener_data is the
 * mls_part_file.  Return MLS_OK, or the status of a callback. */
mls_status mls_merge_read(mls_merge *merge, const mls_reading *reading, const mls_sources *sources) MLS_MUST_USE;

/* Return what follows from a folder.  The texts belong to the merge. */
mls_place mls_merge_place(const mls_merge *merge, mls_str folder);

/* Write all parts as one part.  Use it instead of mls_merge_read(). */
void mls_merge_write(mls_merge *merge, mls_output *output);
