/* SPDX-License-Identifier: Apache-2.0 */
/* part.h - what the shard of a tree writes and a merge reads: parts.
 *
 * A part is NDJSON: a head, a line for each file of the shard in the order of one process, and a tail with a digest.
 * It has facts and no verdict about two runs: groups, repetitions and scores are made by whoever has all parts, with
 * the code that makes them of logs.  The same task run twice writes the same bytes. */
#pragma once

#include "base/walk.h"
#include "run/reading.h"
#include "run/settings.h"
#include "score/carry.h"
#include "score/shard.h"

/* The number of the format, and the longest line. */
enum { MLS_PART_FORMAT = 1 };
#define MLS_PART_LINE_MAX ((size_t)1 << 30)

/* What whoever reads logs looks up on the disk besides: what a run's job printed, what its power files say, why it
 * died; and of the folder it lies in, by the source, the edition of its tree and the description of its system. */
struct mls_carried {
    mls_printed_facts facts;               /* as a group tells them by one of its runs */
    mls_printed_facts heard;               /* as every run tells them, where that was listened to */
    mls_printed printed;                   /* of it the settings that are known */
    bool has_printed;                      /* anything was printed */
    bool has_power;                        /* a folder `power` lies beside the log */
    double joules;                         /* NAN: not known */
    mls_findings power;                    /* about these files */
    mls_findings ending;                   /* MLS_FINDING_DIAGNOSIS */
    const struct mls_carried_place *place; /* where its log lies; not written */
};

/* Of the folder of a result: its tree's edition, as mls_tree_editions_tell() has it; NULL: it is of none. */
typedef struct mls_carried_tree {
    const char *edition;
    mls_usage usage;
    bool by_date;
} mls_carried_tree;

/* The system that a folder is of, and its description; ptr NULL: there is none. */
typedef struct mls_carried_system {
    const char *id;
    mls_str text;
} mls_carried_system;

typedef struct mls_carried_place {
    mls_carried_tree tree;
    const mls_carried_system *system; /* NULL: the folder is of none */
} mls_carried_place;

/* A number that a run tracked, and what is kept of all of them: see mls_tracked. */
typedef struct mls_part_tracked {
    mls_str name;
    double sum;
    size_t count;
} mls_part_tracked;

typedef struct mls_part_notes {
    bool any; /* the run has notes */
    bool too_many;
    size_t long_line;
    MLS_LIST_OF(mls_part_tracked) sums;
} mls_part_notes;

/* A run as a part has it. */
typedef struct mls_part_run {
    mls_run run;
    struct mls_carried carried;
    mls_part_notes notes; /* of the run, only while it is written or read */
    void *tracked;        /* the same as mls_tracked; NULL: none */
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
    size_t argument; /* which path it was found below, from 0 */
    const char *path;
    uint64_t size;
    bool named, result;
    const char *skip; /* as an mls_source has them */
    bool failed;
    const char *finding; /* as an mls_source has it: a name that no finding has is none */
    bool measures;       /* it holds measurements of telemetry */
    uint64_t bytes;      /* as the totals of a log have them, with the next ones */
    size_t records, malformed, quoted;
    const char *reason;
    bool binary;
    const char *unread;
    const char *error; /* why it could not be read to its end; NULL: it was */
    mls_carried_tree tree;
    mls_carried_system system;             /* with the first file of a folder in the part */
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

extern const mls_carry_table mls_part_head_table, mls_part_source_table;

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

/* Make a run that holds nothing; release what a run, or what is carried beside it, owns, and leave it empty. */
void mls_part_run_init(mls_part_run *run);
void mls_part_run_release(mls_part_run *run);
void mls_carried_release(struct mls_carried *carried);

/* Append a run as an object of JSON; its notes are mls_tracked ones if it has any.  Read one back from its validated
 * span: false, room->wrong names the member that is wrong, and the run is to be released in any case. */
void mls_part_run_write(mls_buffer *to, mls_part_run *run);
bool mls_part_run_read(mls_str span, mls_carry_room *room, mls_part_run *run) MLS_MUST_USE;

/* ----------------------------------------------------------------- writing */

/* Writes a part to an output that is the caller's.  Zero-initialised before mls_part_writer_begin(). */
typedef struct mls_part_writer {
    struct mls_output *output;
    uint64_t digest; /* of all lines so far */
    size_t files, runs;
    uint64_t bytes;
    mls_buffer line;
} mls_part_writer;

/* Write the head; the line of a file with its runs; and the tail.  MLS_ERROR_LIMIT: the line is too long. */
void mls_part_writer_begin(mls_part_writer *writer, struct mls_output *output, const mls_part_head *head);
mls_status mls_part_writer_add(mls_part_writer *writer, const mls_part_source *source, mls_part_run *runs, size_t count,
                               mls_error *error) MLS_MUST_USE;
void mls_part_writer_end(mls_part_writer *writer);

/* ----------------------------------------------------------------- reading */

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
mls_status mls_part_read(const char *path, mls_carry_room *room, mls_shard_part *part, mls_error *error) MLS_MUST_USE;
void mls_part_release(mls_shard_part *part);
