/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - read the settings that a job prints when it starts.  Many of them determine its speed, but are not
 * logged as records.
 *
 * mls_printed_read() reads a log, and mls_printed_of_run() returns the settings of one of its runs.  mls_known_values()
 * selects those settings that are in the table of known settings, which determine speed.
 *
 * Frameworks print settings in three forms: as YAML, as a Python object with one argument per line ("python"), or as
 * names followed by dots and values ("args").  Settings are read from lines without a record that precede the first
 * run_start of a run; in a log without a run_start, from all lines.  A rank at the start of a line is removed, and the
 * lines of each rank are parsed separately.  Settings are accepted only in a block: at least eight consecutive lines of
 * one form with at least eight settings. */
#pragma once

#include "base/memory.h"
#include "run/reading.h"

typedef enum mls_printed_form { MLS_PRINTED_YAML, MLS_PRINTED_PYTHON, MLS_PRINTED_ARGS } mls_printed_form;

/** Return "yaml", "python" or "args". */
const char *mls_printed_form_name(mls_printed_form form);

typedef struct mls_printed_block {
    mls_printed_form form;
    mls_str name;    /**< name of the Python object; "args" for the form args; empty for YAML */
    size_t settings; /**< number of settings in the block, including those that were not kept */
} mls_printed_block;

/** A setting.  Its name is a path such as "model.fp8": for YAML, the keys of all levels; otherwise, the name of the
 * block followed by the name of the setting. */
typedef struct mls_printed_setting {
    mls_str name, value;
} mls_printed_setting;

/** Limits for the settings of a run: number of settings, their size in bytes, number of blocks, and length of a value
 * in bytes.  Settings beyond the first two limits are counted in `lost`. */
#define MLS_PRINTED_SETTINGS_MAX 4096
#define MLS_PRINTED_BYTES_MAX ((size_t)512 << 10)
#define MLS_PRINTED_BLOCKS_MAX 4096
#define MLS_PRINTED_VALUE_MAX 200

/** The settings printed before a run.  If a name was printed several times, only the first setting is kept.  The struct
 * is reference-counted. */
typedef struct mls_printed {
    MLS_LIST_OF(mls_printed_block) blocks;
    MLS_LIST_OF(mls_printed_setting) settings;
    size_t lost;     /**< number of settings that were not kept because of the limits */
    mls_arena arena; /**< memory of all blocks and settings */
    size_t owners;   /**< number of references; when the last one is released, the struct is freed */
} mls_printed;

/** Create an empty set of settings with one reference. */
mls_printed *mls_printed_new(void);

/** Add a setting.  Its texts are copied. */
void mls_printed_add(mls_printed *printed, mls_str name, mls_str value);

/** Add a reference, and return `printed`, which may be NULL. */
mls_printed *mls_printed_share(mls_printed *printed);

/** Remove a reference; removing the last one frees the settings.  `printed` may be NULL. */
void mls_printed_release(mls_printed *printed);

/** A reader of the settings in one log.  Pass its sink to a scan of the log, then call mls_printed_of_run() or
 * mls_printed_get(). */
typedef struct mls_printed_reader mls_printed_reader;
mls_printed_reader *mls_printed_reader_new(void);
mls_sink mls_printed_reader_sink(mls_printed_reader *reader);
void mls_printed_reader_free(mls_printed_reader *reader);

/** Read the settings in the log at `path`, which may be a gzip file.  On MLS_OK, free *reader with
 * mls_printed_reader_free().  On failure, set *reader to NULL and return the error of mls_log_scan_fd().  *totals shows
 * whether the file is a log; see mls_log_totals. */
mls_status mls_printed_read(const char *path, mls_printed_reader **reader, mls_log_totals *totals,
                            mls_error *error) MLS_MUST_USE;

/** Read the settings in an open log up to the line number `run_start_line`; 0: the whole log.  `fd` is not closed.
 * `room` contains reusable buffers (see mls_scan_options); `totals` may be NULL.  Return a status like
 * mls_printed_read(). */
mls_status mls_printed_read_before(int fd, size_t run_start_line, mls_scan_room **room, mls_printed_reader **reader,
                                   mls_log_totals *totals, mls_error *error) MLS_MUST_USE;

/** The minimum number of lines and of settings in a block. */
#define MLS_PRINTED_BLOCK_MIN 8

/** Return the settings of the run whose first run_start is at line `run_start_line`.  If no settings were printed for
 * this run, return those of the last earlier run with settings; NULL if there are none.  Line 0 means the settings
 * printed after the last run or, in a log without a run_start, anywhere. */
mls_printed *mls_printed_of_run(const mls_printed_reader *reader, size_t run_start_line);

/** Return the settings of the i-th run, from 0, among the runs for which settings were printed, and set
 * *run_start_line; NULL if there are fewer runs. */
const mls_printed *mls_printed_get(const mls_printed_reader *reader, size_t i, size_t *run_start_line);

typedef enum mls_known_kind { MLS_KNOWN_INT = 1, MLS_KNOWN_BOOL, MLS_KNOWN_WORD } mls_known_kind;

/** A setting that determines speed. */
typedef struct mls_known_setting {
    const char *name;  /**< name in the table: "fp8_recipe" */
    const char *group; /**< group in the table: "precision" */
    unsigned kind;     /**< an mls_known_kind */
    /** Lists such as "a|b": the last parts of its printed names, and its environment variables in configs. */
    const char *printed, *exports;
    const char *effect; /**< a short description of the setting for messages */
} mls_known_setting;

/** The table of known settings, sorted by groups, the most important group first.  mls_known_settings_load() returns
 * MLS_ERROR_VALUE if the embedded data are invalid. */
#define MLS_KNOWN_SETTINGS_MAX 128
typedef struct mls_known_settings {
    const mls_known_setting *items;
    size_t count;
    const char *never; /**< list of words: settings whose names contain one are never compared: "seed|path|…" */
    struct mls_map *printed;
    struct mls_arena *arena;
} mls_known_settings;
mls_status mls_known_settings_load(mls_known_settings *known, mls_error *error) MLS_MUST_USE;
void mls_known_settings_release(mls_known_settings *known);

/** Find a known setting by its name in the table, by its printed name, of which only the last part counts, or by an
 * environment variable of configs; return NULL if it is unknown. */
const mls_known_setting *mls_known_setting_named(const mls_known_settings *known, mls_str name);
const mls_known_setting *mls_known_setting_printed(const mls_known_settings *known, mls_str name);
const mls_known_setting *mls_known_setting_exported(const mls_known_settings *known, mls_str variable);

/** Store a run's value of each known setting in `values`, an array with one element per row of the table; ptr is NULL
 * if the setting was not printed.  If a setting was printed under several names, the first value that is not "null" is
 * used.  Return the number of printed settings that are known. */
size_t mls_known_values(const mls_known_settings *known, const mls_printed *printed, mls_str *values);

/** Return the value of the known setting `name` from the array `values` of mls_known_values(); ptr is NULL if it was
 * not printed. */
mls_str mls_known_value(const mls_known_settings *known, const mls_str *values, mls_str name);

/** Check whether the known setting `name` was printed with a value that is neither none nor false. */
bool mls_known_is_on(const mls_known_settings *known, const mls_str *values, mls_str name);

/** Return the value of the known setting `name` as a number; 0 if it was not printed, is not a number, or is
 * implausible. */
uint32_t mls_known_number(const mls_known_settings *known, const mls_str *values, mls_str name);

/** Set run->facts from the settings that the run printed: precision, healing and degrees of parallelism. */
void mls_run_take_facts(mls_run *run, const mls_known_settings *known, const mls_printed *printed);

/** Set run->facts by reading the log of the run again up to its run_start.  Scoring needs the facts of only one run per
 * group, so reading a log again is faster than parsing the settings in all logs.  *known is loaded on first use.
 * `room` contains reusable buffers (see mls_scan_options).  If no settings were printed or the log cannot be read, the
 * facts are unchanged.  Return MLS_OK or the error of mls_known_settings_load(). */
mls_status mls_run_read_facts(mls_known_settings *known, mls_scan_room **room, mls_run *run) MLS_MUST_USE;

/** Check whether a setting can be compared between jobs, because it describes how the job runs.  Paths, users, seeds
 * and times cannot. */
bool mls_setting_is_comparable(const mls_known_settings *known, const mls_printed_setting *setting);

/** Return 1 if a value is a spelling of true (true, True, 1), 0 if it is a spelling of false, -1 for any other
 * value. */
int mls_setting_truth(mls_str value);

/** Check whether a value is a spelling of none, such as None or null. */
bool mls_setting_is_none(mls_str value);

/** Return the truth of a value like mls_setting_truth().  If the values of the setting `known` are words, a spelling of
 * none also counts as false.  NULL: the setting is unknown. */
int mls_known_truth(const mls_known_setting *known, mls_str value);
