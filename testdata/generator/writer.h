/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.h - what the parts of the testdata generator share.
 *
 * The generator is deterministic: the same bytes on every machine.  It uses
 * no clock, no random source but the one below, and integers for times.
 */
#ifndef TESTDATA_WRITER_H
#define TESTDATA_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Where the records of a training script say they come from. */
#define SCRIPT "/workspace/train.py"
#define CALLBACK "/workspace/logger.py"

/* A small generator of numbers (splitmix64), seeded per file. */
typedef struct random_source {
    uint64_t state;
} random_source;

uint64_t random_next(random_source *source);

/* A number in [0, bound). */
uint64_t random_below(random_source *source, uint64_t bound);

/* Opens folder/name for writing; ends the program when it cannot. */
FILE *output_open(const char *folder, const char *name);

/* Closes it; ends the program when anything was not written. */
void output_close(FILE *file, const char *name);

/*
 * One record without its line ending.  `value` is JSON text; `more` is JSON
 * text that follows in the metadata (", \"samples_count\": 9") or "".
 */
void record_print(FILE *out, int64_t time_ms, const char *type, const char *key, const char *value, const char *file,
                  int lineno, const char *more);

#define POINT "POINT_IN_TIME"
#define START "INTERVAL_START"
#define END "INTERVAL_END"

/* The parts; `folder` exists. */
void slurm_write(const char *folder);
void logs_write(const char *folder);
void submission_write(const char *folder);
void throughput_write(const char *folder);

#endif
