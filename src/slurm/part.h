/* SPDX-License-Identifier: Apache-2.0 */
/* part.h - what the shard of a tree writes and a merge reads: parts.
 *
 * A part is NDJSON: a head, a line for each file of the shard in the order of one process, and a tail with a digest.
 * It has facts and no verdict about two runs: groups, repetitions and scores are made by whoever has all parts, with
 * the code that makes them of logs.  The same task run twice writes the same bytes. */
#pragma once

#include "base/walk.h"
#include "reading/reading.h"
#include "settings/settings.h"
#include "slurm/carry.h"
#include "slurm/shard.h"

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
    struct mls_carried *next;              /* of all that a merge has; not written */
};

/* Frees what it owns, and leaves it empty. */
void mls_carried_release(struct mls_carried *carried);

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
} mls_part_run;

/* A line that holds the marker of a record and no record. */
typedef struct mls_part_malformed {
    size_t line, column;
    const char *reason;
} mls_part_malformed;

/* So many of them are named of a file. */
enum { MLS_MALFORMED_NAMED = 20 };

/* A file as a part has it; to be given to mls_carry_release() when it was read. */
typedef struct mls_part_source {
    size_t argument; /* which path it was found below, from 0 */
    const char *path;
    uint64_t size;
    bool named, result;
    const char *skip; /* as an mls_source has them */
    bool failed;
    const char *finding; /* as an mls_source has it: a name that no finding has is none */
    size_t shard;        /* of a list: which reads it */
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
    mls_str runs;                          /* the list, in JSON */
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
    char *list;                 /* a hash of the list that deals the files out; NULL: their names do */
    size_t shard;               /* 0: of several, which were merged … */
    mls_shard_ranges shards_in; /* … and these are they */
} mls_part_head;

extern const mls_carry_table mls_part_head_table, mls_part_source_table, mls_part_run_table;

/* A run before it is read; and without what it has. */
void mls_part_run_init(mls_part_run *run);
void mls_part_run_release(mls_part_run *run);

/* Appends a run, whose notes are mls_tracked ones if it has any.  Where memory runs out, to->failed. */
void mls_part_run_write(mls_buffer *to, mls_part_run *run);

/* Reads one from its validated span.  False: no memory, or what room->wrong names is wrong; it is to be released in any
 * case. */
bool mls_part_run_read(mls_str span, mls_carry_room *room, mls_part_run *run) MLS_MUST_USE;

/* What a source is before it was read, and back, with texts of its own.  False: no memory. */
mls_part_source mls_part_source_of(const mls_source *source);
bool mls_part_source_take(const mls_part_source *from, mls_source *source) MLS_MUST_USE;

/* The tail: its fields, and how it is written. */
typedef struct mls_part_tail {
    bool end;
    size_t files, runs;
    uint64_t bytes;
    const char *digest;
} mls_part_tail;
extern const mls_carry_table mls_part_tail_table;

/* Writes a part: lines are added to the digest.  Zero-initialised but for the output. */
typedef struct mls_part_writer {
    struct mls_output *output;
    uint64_t digest;
    size_t files, runs;
    uint64_t bytes;
    mls_buffer line;
} mls_part_writer;

void mls_part_writer_begin(mls_part_writer *writer, struct mls_output *output, const mls_part_head *head);
void mls_part_writer_line(mls_part_writer *writer, mls_str line, size_t runs, uint64_t bytes); /* without its end */
bool mls_part_writer_end(mls_part_writer *writer);                                             /* false: no memory */

/* A hash as texts have it: sixteen digits. */
typedef struct mls_hash_words {
    char text[17];
} mls_hash_words;
mls_hash_words mls_hash_text(uint64_t hash);

/* The hash of all embedded data, for mls_part_head.rules. */
mls_hash_words mls_part_rules_hash(void);
