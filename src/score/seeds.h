/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seeds.h - were the runs of a benchmark really made with different seeds?
 *
 * Closed division, edition 1.0.0 on: every log has at least one record `seed`
 * whose metadata names the file and the line that logged it; its value is an
 * integer, or text or a number that Python's int() takes for one; file, line
 * and that whole number together never repeat, neither within a log nor among
 * the logs of a folder; and no line of the log is malformed.  Several seeds in
 * one log are worth a warning.
 */
#ifndef MLS_SCORE_SEEDS_H
#define MLS_SCORE_SEEDS_H

#include "base/arena.h"
#include "mlscore/group.h"
#include "mlscore/log.h"

/* A log with more seed records is not judged further; the check fails. */
#define MLS_SEEDS_MAX 65536

/* A problem names at most this many of the logs that share a seed, and says how many more there are. */
#define MLS_SEEDS_NAMED_MAX 4

/* One seed record. The texts belong to the log. */
typedef struct mls_seed {
    size_t line;
    mls_str identity; /* file, line and whole number in one form: equal when the three are; empty without a place */
    mls_str value;    /* as logged, for people */
    mls_str file;     /* metadata.file and metadata.lineno, for people */
    mls_str lineno;
    bool is_integer;
} mls_seed;

/* The seeds of one log. Zero-initialised is empty. */
typedef struct mls_seed_log {
    mls_seed *items;
    size_t count;
    size_t capacity;
    size_t malformed; /* malformed lines in the log */
    bool too_many;    /* more than MLS_SEEDS_MAX */
    mls_arena arena;
} mls_seed_log;

/* Looks at one record. MLS_OK or MLS_ERROR_MEMORY. */
mls_status mls_seed_log_record(mls_seed_log *log, const mls_record *record) MLS_MUST_USE;

/* Notes a malformed line. */
void mls_seed_log_malformed(mls_seed_log *log);

void mls_seed_log_release(mls_seed_log *log);

/* A log, its path, and the name that problems call it by. */
typedef struct mls_seed_source {
    const char *path;
    const char *name;
    const mls_seed_log *log;
} mls_seed_source;

/*
 * Judges the logs of one folder: fills `outcome`, whose findings are in the
 * order of the logs.  With `bypass` errors are warnings.  MLS_OK or
 * MLS_ERROR_MEMORY.
 */
mls_status mls_seeds_check(const mls_seed_source *sources, size_t count, bool bypass,
                           mls_seed_outcome *outcome) MLS_MUST_USE;

#endif
