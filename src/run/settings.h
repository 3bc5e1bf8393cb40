/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - the settings that a job printed when it started: what decides its speed and never becomes a record.
 *
 * Frameworks print their configuration in three forms: yaml, a call of Python with a line for each argument, and names
 * with dots before their values.  Only lines without a record count, before the first run_start of a run (all lines of
 * a log without one); a rank at the beginning of a line is taken off, and each rank is read by itself.  A block is at
 * least eight lines of one form, with at least eight settings, of which nothing in between ends it. */
#pragma once

#include "base/memory.h"
#include "run/reading.h"

typedef enum mls_printed_form { MLS_PRINTED_YAML, MLS_PRINTED_PYTHON, MLS_PRINTED_ARGS } mls_printed_form;

/** "yaml", "python" or "args". */
const char *mls_printed_form_name(mls_printed_form form);

typedef struct mls_printed_block {
    mls_printed_form form;
    mls_str name;    /**< of the object of Python; "args"; empty for yaml */
    size_t settings; /**< in it, kept or not */
} mls_printed_block;

/** A name is the path by indentation, "model.fp8", or that of the block, a point and the name. */
typedef struct mls_printed_setting {
    mls_str name, value;
} mls_printed_setting;

/** The most that is kept of a run; more is counted in `lost`. */
#define MLS_PRINTED_SETTINGS_MAX 4096
#define MLS_PRINTED_BYTES_MAX ((size_t)512 << 10)
#define MLS_PRINTED_BLOCKS_MAX 4096
#define MLS_PRINTED_VALUE_MAX 200

/** The texts printed before a run; of several settings of a name the first.  Shared by its owners. */
typedef struct mls_printed {
    MLS_LIST_OF(mls_printed_block) blocks;
    MLS_LIST_OF(mls_printed_setting) settings;
    size_t lost;     /**< settings that are not kept: see the limits */
    mls_arena arena; /**< of all */
    size_t owners;   /**< the last one that releases it frees it */
} mls_printed;

/** Make an empty one for one owner; add a setting, with copies of the texts; let another own it (NULL: none); release
 * it. */
mls_printed *mls_printed_new(void);
void mls_printed_add(mls_printed *printed, mls_str name, mls_str value);
mls_printed *mls_printed_share(mls_printed *printed);
void mls_printed_release(mls_printed *printed);

/** The value of a setting by its whole name; ptr NULL: it was not printed. */
mls_str mls_printed_value(const mls_printed *printed, mls_str name);

/** Reads one log; to be given to a scan as a sink, and asked afterwards. */
typedef struct mls_printed_reader mls_printed_reader;
mls_printed_reader *mls_printed_reader_new(void);
mls_sink mls_printed_reader_sink(mls_printed_reader *reader);
void mls_printed_reader_free(mls_printed_reader *reader);

/** Reads the log at a path that a person named, packed by gzip or not.  MLS_OK, and *reader is the caller's; or what
 * mls_log_scan_fd() returned, with *reader NULL.  The totals say what was no log. */
mls_status mls_printed_read(const char *path, mls_printed_reader **reader, mls_log_totals *totals,
                            mls_error *error) MLS_MUST_USE;

/** Reads an open log, which stays the caller's, as far as the run_start in that line, and no further; 0: all of it.
 * `room` is kept for the next log (see mls_scan_options).  MLS_OK, and *reader is the caller's; or what
 * mls_log_scan_fd() returned, with *reader NULL. */
mls_status mls_printed_read_before(int fd, size_t run_start_line, mls_scan_room **room, mls_printed_reader **reader,
                                   mls_error *error) MLS_MUST_USE;

/** The least lines, and settings, of a block. */
#define MLS_PRINTED_BLOCK_MIN 8

/** The texts of the run whose (first) run_start stands in that line, or of the last run before it that printed any;
 * NULL: neither did.  Line 0: what a log without a run_start printed, or behind its last run. */
mls_printed *mls_printed_of_run(const mls_printed_reader *reader, size_t run_start_line);

/** The runs that printed something of their own, in the order of the file; NULL: no more. */
const mls_printed *mls_printed_get(const mls_printed_reader *reader, size_t i, size_t *run_start_line);

typedef enum mls_known_kind { MLS_KNOWN_INT = 1, MLS_KNOWN_BOOL, MLS_KNOWN_WORD } mls_known_kind;

/** A setting that decides speed. */
typedef struct mls_known_setting {
    const char *name;              /**< "fp8_recipe" */
    const char *group;             /**< "precision" */
    unsigned kind;                 /**< an mls_known_kind */
    const char *printed, *exports; /**< "a|b": last parts of printed names; variables of configs */
    const char *effect;            /**< a few words for a person */
} mls_known_setting;

/** The table, by groups in the order in which they matter.  MLS_ERROR_VALUE: the data is wrong. */
#define MLS_KNOWN_SETTINGS_MAX 128
typedef struct mls_known_settings {
    const mls_known_setting *items;
    size_t count;
    const char *never; /**< words of names that are never compared: "seed|path|…" */
    struct mls_map *printed;
    struct mls_arena *arena;
} mls_known_settings;
mls_status mls_known_settings_load(mls_known_settings *known, mls_error *error) MLS_MUST_USE;
void mls_known_settings_release(mls_known_settings *known);

/** The row of a setting by its name in the table, of a printed one by the last part of its name, and of an exported
 * one; NULL: it is not known. */
const mls_known_setting *mls_known_setting_named(const mls_known_settings *known, mls_str name);
const mls_known_setting *mls_known_setting_printed(const mls_known_settings *known, mls_str name);
const mls_known_setting *mls_known_setting_exported(const mls_known_settings *known, mls_str variable);

/** A run's values of the known settings: of several names that mean one the first that is not null; ptr NULL: nothing.
 * `values` has room for all of the table; returns how many settings are known ones. */
size_t mls_known_values(const mls_known_settings *known, const mls_printed *printed, mls_str *values);

/** The value of a known setting by its name in the table, of those that mls_known_values() filled in; ptr NULL: it was
 * not printed. */
mls_str mls_known_value(const mls_known_settings *known, const mls_str *values, mls_str name);

/** Whether it is there, and neither none nor false; and what it is as a number (0: none, or one that no job has). */
bool mls_known_is_on(const mls_known_settings *known, const mls_str *values, mls_str name);
uint32_t mls_known_number(const mls_known_settings *known, const mls_str *values, mls_str name);

/** What a run printed of precision, healing and parallelism. */
mls_printed_facts mls_known_facts(const mls_known_settings *known, const mls_printed *printed);

/** Tell a run the facts of what its job printed before it, by reading its log once more, as far as its run_start and
 * where anything may have been printed at all; the table is loaded when it is first needed.  Where nothing was printed,
 * or the log cannot be read, they stay as they are.  `room` is kept for the next log.  MLS_OK, or what
 * mls_known_settings_load() says. */
mls_status mls_run_read_facts(mls_known_settings *known, mls_scan_room **room, mls_run *run) MLS_MUST_USE;

/** Whether a setting says anything of how a job is run: not where its files lie, who runs it, seeds and times. */
bool mls_setting_is_comparable(const mls_known_settings *known, const mls_printed_setting *setting);

/** Whether a value says true (1: true, True, 1) or false (0), or neither (-1); whether it says that there is none. */
int mls_setting_truth(mls_str value);
bool mls_setting_is_none(mls_str value);

/** The same of a value of a known setting (NULL: of another): of one whose values are words none is false, too. */
int mls_known_truth(const mls_known_setting *known, mls_str value);
