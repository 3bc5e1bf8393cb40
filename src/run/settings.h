/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - read the settings that a job prints when it starts, many of which determine its speed but are never
 * logged as records.
 *
 * mls_printed_read() reads a log, and mls_printed_of_run() returns the settings of one of its runs.  mls_known_values()
 * picks the settings in a table of those that determine speed.
 *
 * Frameworks print settings as YAML, as a Python call with a line per argument, or as names followed by dots and
 * values.  Only lines without a record count, before the first run_start of a run (all lines, if there is none).  A
 * rank at the start of a line is removed, and each rank is parsed separately.  A block has at least eight lines of one
 * form with at least eight settings. */
#pragma once

#include "base/memory.h"
#include "run/reading.h"

typedef enum mls_printed_form { MLS_PRINTED_YAML, MLS_PRINTED_PYTHON, MLS_PRINTED_ARGS } mls_printed_form;

/** Return "yaml", "python" or "args". */
const char *mls_printed_form_name(mls_printed_form form);

typedef struct mls_printed_block {
    mls_printed_form form;
    mls_str name;    /**< name of the Python object; "args"; empty for yaml */
    size_t settings; /**< number of settings in it, including those not kept */
} mls_printed_block;

/** A setting.  Its name is a path, such as "model.fp8": from the indentation, or the name of the block followed by that
 * of the setting. */
typedef struct mls_printed_setting {
    mls_str name, value;
} mls_printed_setting;

/** Limits for a run.  Further settings are only counted in `lost`. */
#define MLS_PRINTED_SETTINGS_MAX 4096
#define MLS_PRINTED_BYTES_MAX ((size_t)512 << 10)
#define MLS_PRINTED_BLOCKS_MAX 4096
#define MLS_PRINTED_VALUE_MAX 200

/** The settings printed before a run; the first one of each name.  They are reference-counted. */
typedef struct mls_printed {
    MLS_LIST_OF(mls_printed_block) blocks;
    MLS_LIST_OF(mls_printed_setting) settings;
    size_t lost;     /**< settings not kept because of the limits */
    mls_arena arena; /**< of everything */
    size_t owners;   /**< number of references; the last release frees it */
} mls_printed;

/** Create an empty set of settings with one owner. */
mls_printed *mls_printed_new(void);

/** Add a setting.  Its texts are copied. */
void mls_printed_add(mls_printed *printed, mls_str name, mls_str value);

/** Add an owner.  NULL is allowed. */
mls_printed *mls_printed_share(mls_printed *printed);

/** Remove an owner; the last one frees the settings. */
void mls_printed_release(mls_printed *printed);

/** A reader for one log.  Pass its sink to a scan, then query it. */
typedef struct mls_printed_reader mls_printed_reader;
mls_printed_reader *mls_printed_reader_new(void);
mls_sink mls_printed_reader_sink(mls_printed_reader *reader);
void mls_printed_reader_free(mls_printed_reader *reader);

/** Read the log at a path that the user gave; gzip is allowed.  On MLS_OK, free *reader with mls_printed_reader_free();
 * otherwise set it to NULL and return the error of mls_log_scan_fd().  *totals shows whether the file was a log. */
mls_status mls_printed_read(const char *path, mls_printed_reader **reader, mls_log_totals *totals,
                            mls_error *error) MLS_MUST_USE;

/** Read an open log up to the run_start at that line; 0 means all of it.  `fd` stays open.  Reuse `room` for the next
 * log (see mls_scan_options).  `totals` may be NULL.  Errors are as for mls_printed_read(). */
mls_status mls_printed_read_before(int fd, size_t run_start_line, mls_scan_room **room, mls_printed_reader **reader,
                                   mls_log_totals *totals, mls_error *error) MLS_MUST_USE;

/** The minimum number of lines, and of settings, in a block. */
#define MLS_PRINTED_BLOCK_MIN 8

/** Return the settings of the run whose first run_start is at that line or, if it printed none, of the last run before
 * it that did; NULL if there are none.  Line 0 means the settings after the last run, or in a log without a run_start.
 */
mls_printed *mls_printed_of_run(const mls_printed_reader *reader, size_t run_start_line);

/** Return the settings of the i-th run that printed any itself, in the order of the file; NULL past the end. */
const mls_printed *mls_printed_get(const mls_printed_reader *reader, size_t i, size_t *run_start_line);

typedef enum mls_known_kind { MLS_KNOWN_INT = 1, MLS_KNOWN_BOOL, MLS_KNOWN_WORD } mls_known_kind;

/** A setting that determines speed. */
typedef struct mls_known_setting {
    const char *name;              /**< "fp8_recipe" */
    const char *group;             /**< "precision" */
    unsigned kind;                 /**< an mls_known_kind */
    const char *printed, *exports; /**< "a|b": last parts of printed names; variables of configs */
    const char *effect;            /**< a few words for messages */
} mls_known_setting;

/** The table, sorted by groups in order of importance.  Loading returns MLS_ERROR_VALUE if the embedded data is
 * invalid.
 */
#define MLS_KNOWN_SETTINGS_MAX 128
typedef struct mls_known_settings {
    const mls_known_setting *items;
    size_t count;
    const char *never; /**< words in names of settings that are never compared: "seed|path|…" */
    struct mls_map *printed;
    struct mls_arena *arena;
} mls_known_settings;
mls_status mls_known_settings_load(mls_known_settings *known, mls_error *error) MLS_MUST_USE;
void mls_known_settings_release(mls_known_settings *known);

/** Return a row of the table by its name, by the last part of a printed name, or by an exported variable; NULL if it is
 * unknown. */
const mls_known_setting *mls_known_setting_named(const mls_known_settings *known, mls_str name);
const mls_known_setting *mls_known_setting_printed(const mls_known_settings *known, mls_str name);
const mls_known_setting *mls_known_setting_exported(const mls_known_settings *known, mls_str variable);

/** Get a run's values of all known settings, into an array as large as the table; ptr is NULL if a setting was not
 * printed.  If several names mean the same setting, the first value that is not null counts.  Return the number of
 * printed settings that are known. */
size_t mls_known_values(const mls_known_settings *known, const mls_printed *printed, mls_str *values);

/** Return the value of a known setting by its name, from the array that mls_known_values() filled; ptr is NULL if it
 * was not printed. */
mls_str mls_known_value(const mls_known_settings *known, const mls_str *values, mls_str name);

/** Check whether a setting is present and neither none nor false. */
bool mls_known_is_on(const mls_known_settings *known, const mls_str *values, mls_str name);

/** Return a setting as a number; 0 if it is not a number, or implausible. */
uint32_t mls_known_number(const mls_known_settings *known, const mls_str *values, mls_str name);

/** Return the precision, healing and parallelism that a run printed. */
mls_printed_facts mls_known_facts(const mls_known_settings *known, const mls_printed *printed);

/** Set the facts of a run by reading its log again up to its run_start, unless a quick search shows that nothing was
 * printed.  Score needs this for one run of each group, so collecting it from all logs would be slower.  The table is
 * loaded on first use.  If nothing was printed or the log cannot be read, the facts are unchanged.  Reuse `room` for
 * the next log.  Return MLS_OK or the error of mls_known_settings_load(). */
mls_status mls_run_read_facts(mls_known_settings *known, mls_scan_room **room, mls_run *run) MLS_MUST_USE;

/** Check whether a setting describes how a job runs, unlike paths, users, seeds and times. */
bool mls_setting_is_comparable(const mls_known_settings *known, const mls_printed_setting *setting);

/** Return 1 if a value is true (true, True, 1), 0 if it is false, -1 if it is neither. */
int mls_setting_truth(mls_str value);

/** Check whether a value is none. */
bool mls_setting_is_none(mls_str value);

/** Return the truth of a value, like mls_setting_truth().  If `known` is a setting whose values are words, none counts
 * as false; NULL means an unknown setting. */
int mls_known_truth(const mls_known_setting *known, mls_str value);
