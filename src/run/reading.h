/* SPDX-License-Identifier: Apache-2.0 */
/* reading.h - find and read logs: from paths to runs.
 *
 * mls_sources_find() lists the files, and mls_read_sources() opens, scans, splits and judges them on all threads.
 * Results are passed to callbacks on the calling thread, in order.
 *
 * All code that needs logs uses this module: to get more data from a log, add a sink or an observer to the mls_reading,
 * not a second reader.  A log is opened once.  A few logs are opened again, when only the first reading shows that more
 * is needed:
 *
 *     reading.c   a file with more than 64 runs; a run that ended well but is not valid (by the editions beside the
 *                 guessed one)
 *     settings.c  one log per group, up to its run_start, for the settings that the job printed
 *     explain/throughput  the log of a run that was slow for a while, for what the job printed meanwhile
 *     explain/diagnose    a log without run_stop, for the reason why the run ended
 *     submission/         copies, which are compared byte by byte, and logs whose lines were too long for one pass
 *
 * The first record of one log per result is read before all other logs where the edition follows from dates. */
#pragma once

#include "run/run.h"

/** Limits: depth of folders below a path, and number of files below all paths. */
#define MLS_WALK_DEPTH_MAX 64
#define MLS_WALK_FILES_MAX ((size_t)10000000)

/** A file that may contain runs. */
typedef struct mls_source {
    char *path;          /**< as the user would write it; "-" is standard input */
    char *skip;          /**< why it is not read, or was not used; NULL: read it */
    bool failed;         /**< it could not be read … */
    const char *finding; /**< … which is reported as this finding, a static text; NULL: none */
    bool named;          /**< given by the user, not found in a folder */
    bool result;         /**< result_*.txt: one run, whatever it contains */
    size_t root; /**< length of the prefix of the path that is another user's folder: for root, no link may lead out of
                    it; 0: unrestricted */
    size_t argument;            /**< index of the given path below which it was found */
    uint64_t size;              /**< size of a regular file in bytes when it was found; 0: unknown */
    const mls_edition *edition; /**< judge it by this edition; NULL: as the reading specifies */
} mls_source;

/** Sources in natural order, which own their texts.  Zero-initialised is empty. */
typedef MLS_LIST_OF(mls_source) mls_sources;

/** List the files below `paths`, including those that are skipped because of their name or type.  Each folder and each
 * result_*.txt is listed once, even if several paths lead to it.  Return MLS_OK, or MLS_ERROR_LIMIT if there are too
 * many files. */
mls_status mls_sources_find(const char *const *paths, size_t count, mls_sources *sources,
                            mls_error *error) MLS_MUST_USE;
void mls_sources_release(mls_sources *sources);

/** Open a source.  Return -1 with errno set on failure.  Opening does not block, except with `waits` for a pipe given
 * by the user, until it has a writer. */
int mls_source_open(const mls_source *source, bool waits);

/** Return the time of the first record of an open log, and close it; NAN if it is unknown or `fd` is -1.  `plain` is as
 * in mls_reading.  Reuse `room` for the next log (see mls_scan_options). */
double mls_log_date(int fd, bool plain, mls_scan_room **room);

/** An observer collects additional data for each run, in notes beside its summary.  Notes are `size` bytes, initially
 * zero.  The observer gets each record of the run, from one thread at a time, and the notes are passed on with the
 * run.  If a callback returns anything but MLS_OK, reading ends with that status.  Notes must have bounded size, as
 * runs do. */
typedef struct mls_observer {
    size_t size;
    mls_status (*record)(void *notes, const mls_record *record);
    void (*release)(void *notes); /**< free what the notes own, but not the notes */
} mls_observer;

/** Free the notes of a run and set *notes to NULL.  If `observer` is NULL, *notes must be NULL. */
void mls_notes_release(const mls_observer *observer, void **notes);

/** The sources whose printed settings are read: no source, only sources that cannot be read twice, or all sources. */
typedef enum mls_printed_asked { MLS_PRINTED_OF_NONE, MLS_PRINTED_OF_PIPES, MLS_PRINTED_OF_ALL } mls_printed_asked;

/** The files that are split into runs.  MLS_CUT_RUNS: all files except result_*.txt, each of which is one run;
 * MLS_CUT_ALWAYS: all files; MLS_CUT_NEVER: no file. */
typedef enum mls_cutting { MLS_CUT_RUNS, MLS_CUT_ALWAYS, MLS_CUT_NEVER } mls_cutting;

/** The result of reading a source. */
typedef struct mls_read {
    size_t index; /**< of the source */
    const mls_source *source;
    mls_log_totals totals;
    mls_status status;   /**< MLS_OK, or MLS_ERROR_READ: only data before the failure was read */
    mls_error error;     /**< set unless the status is MLS_OK */
    size_t runs;         /**< number of runs passed on */
    void *listener_data; /**< data of the listener, valid until done() returns; NULL: none */
} mls_read;

/** How to read, and the callbacks.  Zero-initialised reads everything and calls nothing. */
typedef struct mls_reading {
    const mls_checker_options
        *rules;        /**< rules that decide which runs are valid; NULL: the steps and the status of a run decide */
    bool unread_runs;  /**< pass on a file that is one run even if it cannot be read */
    bool brief;        /**< only the verdicts of runs are needed: see mls_run */
    bool try_editions; /**< try the editions next to a guessed one for valid runs, too */
    bool other_suites; /**< read the lines of logs of other suites */
    bool plain;        /**< treat gzip files as unreadable, as in a submission */
    bool steps;        /**< also judge the steps of runs: see mls_run_finish() */
    mls_cutting cutting;
    const mls_observer *observer; /**< collects more of each run; NULL: none */
    mls_printed_asked printed;    /**< set `printed` and `facts` of the runs of these sources */
    mls_work work;
    void *state; /**< passed to all callbacks */
    /** Open a source, on any thread; return -1 with errno set on failure.  NULL: mls_source_open(). */
    int (*open)(void *state, size_t index);
    /** Fill in an additional sink for the file, on any thread.  The sink is then used by one thread.  NULL: none. */
    mls_status (*listen)(void *state, size_t index, mls_sink *sink);
    size_t listener_size; /**< size of the listener's data for a file: zeroed, and the state of the sink when listen()
                          is called */
    bool parallel;        /**< without run(): read files in parallel; otherwise sinks are called in order */
    /** A run has ended.  To keep the run, move it and leave an empty run in its place; to keep its notes, move
     * the pointer and set *notes to NULL.  If the callback is NULL, runs are not needed. */
    mls_status (*run)(void *state, size_t index, mls_run *run, void **notes);
    /** A source has ended, and all its runs were passed on. */
    mls_status (*done)(void *state, const mls_read *read);
} mls_reading;

/** Read every source that is not skipped.  Return MLS_OK, the error of loading the rules of a guessed edition or the
 * table of settings, or the status of a callback, which ends the reading. */
mls_status mls_read_sources(const mls_reading *reading, const mls_source *sources, size_t count,
                            mls_error *error) MLS_MUST_USE;
