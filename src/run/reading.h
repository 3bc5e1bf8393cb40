/* SPDX-License-Identifier: Apache-2.0 */
/* reading.h - find log files below paths, and read the runs in them.
 *
 * mls_sources_find() lists the files.  mls_read_sources() opens them, splits them into runs and checks the runs, on all
 * threads.  The results are passed to callbacks on the calling thread, in the order of the files.
 *
 * All code that reads logs uses this module.  To get more data from a log, set an observer or a listener in the
 * mls_reading instead of opening the log again.  Each log is opened once, with these exceptions:
 *
 *     reading.c   a file with more than 64 runs; a run that ended well but is not valid (by the editions beside the
 *                 guessed one)
 *     settings.c  one log per group, up to its run_start, for the settings that the job printed
 *     explain/throughput  the log of a run that was slow for a while, for what the job printed meanwhile
 *     explain/diagnose    a log without run_stop, for the reason why the run ended
 *     submission/         copies, which are compared byte by byte, and logs whose lines were too long for one pass
 *
 * If the edition is guessed from dates, the first record of one log per result is read before all logs. */
#pragma once

#include "run/run.h"

/** Limits: maximum depth of folders below a path, and maximum number of files below all paths. */
#define MLS_WALK_DEPTH_MAX 64
#define MLS_WALK_FILES_MAX ((size_t)10000000)

/** A file that may contain runs. */
typedef struct mls_source {
    char *path;          /**< path of the file, beginning with a path that the user gave; "-" is standard input */
    char *skip;          /**< why the file is skipped; NULL: it is read */
    bool failed;         /**< the file is skipped because reading it failed */
    const char *finding; /**< if `failed`, the message of a finding about it, a static text; NULL: no finding */
    bool named;          /**< the user gave the path of the file; false: it was found in a folder */
    bool result;         /**< the file is called result_*.txt, so it counts as exactly one run */
    /** If the program runs as root and the file is in a folder of another user: length of the folder's path, and links
     * that lead out of this folder are not followed; 0: all links are followed. */
    size_t root;
    size_t argument; /**< index of the path, among those given by the user, below which the file was found */
    uint64_t size;   /**< size of a regular file in bytes when it was found; 0: unknown */
    /** Check the runs against the rules of this edition; NULL: mls_reading.rules determines the rules. */
    const mls_edition *edition;
} mls_source;

/** A list of sources, in the natural order of their paths.  It owns the texts.  Zero-initialize it. */
typedef MLS_LIST_OF(mls_source) mls_sources;

/** List the files below `paths`, including files that will be skipped because of their name or type.  Each folder and
 * each result_*.txt is listed once, even if several paths lead to it.  Return MLS_OK, or MLS_ERROR_LIMIT if there are
 * too many files. */
mls_status mls_sources_find(const char *const *paths, size_t count, mls_sources *sources,
                            mls_error *error) MLS_MUST_USE;
void mls_sources_release(mls_sources *sources);

/** Open a source.  Return -1 with errno set on failure.  The function does not block, unless `waits` is set and the
 * user gave the path of a pipe: then it waits for a writer. */
int mls_source_open(const mls_source *source, bool waits);

/** Return the time of the first record of an open log in milliseconds since 1970, and close the log.  Return NAN if the
 * time is unknown or `fd` is -1.  For `plain` see mls_reading, for `room` mls_scan_options. */
double mls_log_date(int fd, bool plain, mls_scan_room **room);

/** An observer collects data about each run that are not in mls_run.  It stores them in notes: `size` bytes for each
 * run, initially zero, which are passed on with the run.  `record` is called for each record of the run, on one thread
 * at a time; if it does not return MLS_OK, reading ends with this status.  The size of the data must be limited,
 * because many runs may be in memory. */
typedef struct mls_observer {
    size_t size;
    mls_status (*record)(void *notes, const mls_record *record);
    void (*release)(void *notes); /**< free what the notes own, but not the notes */
} mls_observer;

/** Free the notes of a run and set *notes to NULL.  If `observer` is NULL, *notes must be NULL. */
void mls_notes_release(const mls_observer *observer, void **notes);

/** The sources for which the settings printed by the job are read: no source, only pipes, which cannot be read again,
 * or all sources. */
typedef enum mls_printed_asked { MLS_PRINTED_OF_NONE, MLS_PRINTED_OF_PIPES, MLS_PRINTED_OF_ALL } mls_printed_asked;

/** Which files are split into runs.  MLS_CUT_RUNS: all files except result_*.txt, each of which is one run;
 * MLS_CUT_ALWAYS: all files; MLS_CUT_NEVER: no file, so each file is one run. */
typedef enum mls_cutting { MLS_CUT_RUNS, MLS_CUT_ALWAYS, MLS_CUT_NEVER } mls_cutting;

/** The result of reading a source. */
typedef struct mls_read {
    size_t index; /**< index of the source */
    const mls_source *source;
    mls_log_totals totals;
    /** MLS_OK, or MLS_ERROR_READ if reading failed; only the data before the failure were then read. */
    mls_status status;
    mls_error error; /**< the error, if `status` is not MLS_OK */
    size_t runs;     /**< number of runs passed on */
    /** Data of the listener, valid until the callback `done` returns; NULL: there is no listener. */
    void *listener_data;
} mls_read;

/** Options for reading, and the callbacks.  Zero-initialize it, then set the members that are needed. */
typedef struct mls_reading {
    /** Rules that runs are checked against; NULL: a run is valid if its steps are complete and in order, and its status
     * is success. */
    const mls_checker_options *rules;
    bool unread_runs; /**< pass on a file that counts as one run even if it cannot be read */
    bool brief;       /**< only the verdicts of runs are needed; see mls_run.brief */
    /** Also for valid runs, check whether the verdict is different by the editions before and after a guessed one. */
    bool try_editions;
    bool other_suites; /**< read the lines of logs of other benchmark suites; see mls_scan_options */
    bool plain;        /**< do not read gzip files, because they are not allowed in a submission */
    bool steps;        /**< also check the steps of runs; see mls_run_finish() */
    mls_cutting cutting;
    const mls_observer *observer; /**< collects additional data about each run; NULL: none */
    mls_printed_asked printed;    /**< set the members `printed` and `facts` of the runs in these sources */
    mls_work work;
    void *state; /**< passed to all callbacks */
    /** Open source `index`; on failure, return -1 and set errno.  Called on any thread.  NULL: use
     * mls_source_open(). */
    int (*open)(void *state, size_t index);
    /** Set a sink that also receives the contents of source `index`.  Called on any thread; the sink is then called on
     * one thread at a time.  NULL: there is no listener. */
    mls_status (*listen)(void *state, size_t index, mls_sink *sink);
    /** Size of the listener's data for a file, which are initially zero; sink->state points to them when `listen` is
     * called. */
    size_t listener_size;
    /** If the callback `run` is NULL: read several files in parallel; false: one after another, so sinks are called in
     * order. */
    bool parallel;
    /** Called for each run.  To keep the run, copy the struct and set *run to an empty run; to keep the notes, copy the
     * pointer and set *notes to NULL.  NULL: runs are not needed. */
    mls_status (*run)(void *state, size_t index, mls_run *run, void **notes);
    /** Called for each source after its runs were passed on. */
    mls_status (*done)(void *state, const mls_read *read);
} mls_reading;

/** Read every source that is not skipped.  Return MLS_OK; the error of loading the rules of a guessed edition or the
 * table of settings; or the status of a callback that ended the reading. */
mls_status mls_read_sources(const mls_reading *reading, const mls_source *sources, size_t count,
                            mls_error *error) MLS_MUST_USE;
