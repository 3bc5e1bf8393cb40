/* SPDX-License-Identifier: Apache-2.0 */
/* reading.h - from paths to runs: the one way in for everything that is asked of logs.
 *
 * Sources are found, opened, scanned, cut into runs and judged, on all threads.  What comes out is handed over on the
 * calling thread, in order.  A further question about logs is a sink given to the reading, not a second reader. */
#pragma once

#include "run/run.h"

/** Folders are entered at most this deep below a named path, and this many files taken from all paths together. */
#define MLS_WALK_DEPTH_MAX 64
#define MLS_WALK_FILES_MAX ((size_t)10000000)

/** A file that may hold runs. */
typedef struct mls_source {
    char *path;                 /**< as the user would write it; "-" is standard input */
    char *skip;                 /**< why it is not read, or was of no use; NULL: read it */
    bool failed;                /**< it could not be read … */
    const char *finding;        /**< … which is the finding of this name, a static text; NULL: it is none */
    bool named;                 /**< by the user, not found in a folder */
    bool result;                /**< result_*.txt: one run, whatever is in it */
    size_t root;                /**< so many bytes of the path are that of a folder of a user whom root does not trust:
                                   no link leads out of it; 0: it may */
    size_t argument;            /**< it was found below this path of those that were named, from 0 */
    uint64_t size;              /**< of a regular file when it was found; 0: not known */
    const mls_edition *edition; /**< judged by this one, if by rules at all; NULL: as the reading says */
} mls_source;

/** Sources in natural order, with their texts; zero-initialised is empty. */
typedef MLS_LIST_OF(mls_source) mls_sources;

/** Lists the files under `paths`, those included that are skipped for their name or kind; each folder and each
 * result_*.txt is taken once, whatever ways lead to it.  MLS_OK or MLS_ERROR_LIMIT (too many files). */
mls_status mls_sources_find(const char *const *paths, size_t count, mls_sources *sources,
                            mls_error *error) MLS_MUST_USE;
void mls_sources_release(mls_sources *sources);

/** Opens a source by its path; -1 with errno set on failure.  Nothing blocks but a pipe that the user named, where
 * `waits`: until somebody writes into it. */
int mls_source_open(const mls_source *source, bool waits);

/** Find the time of the first record of a log that is open, and close it; NAN: not known, or fd is -1.  `plain` is
 * that of a reading; `room` is kept for the next log (see mls_scan_options). */
mls_status mls_log_date(int fd, bool plain, mls_scan_room **room, double *time_ms);

/** Keeps more of each run, beside its summary, for a question that the summary does not answer: a sink for every run
 * by itself, however many there are in a file.  `notes` are `size` bytes, all zero when the first record comes; they
 * are given each record of the run, from one thread at a time, and handed over with it.  A callback that returns
 * anything but MLS_OK ends the reading with that.  What is kept must be bounded, as all of a run is. */
typedef struct mls_observer {
    size_t size;
    mls_status (*record)(void *notes, const mls_record *record);
    void (*release)(void *notes); /**< frees what they point to, not the notes themselves */
} mls_observer;

/** Free notes that an observer (NULL: they are NULL, too) has made, and set them to NULL. */
void mls_notes_release(const mls_observer *observer, void **notes);

/** Which sources are asked what the jobs printed: none; those that cannot be read once more; all. */
typedef enum mls_printed_asked { MLS_PRINTED_OF_NONE, MLS_PRINTED_OF_PIPES, MLS_PRINTED_OF_ALL } mls_printed_asked;

/** Which files are cut into runs: all but result_*.txt, each of which is one run; all; none. */
typedef enum mls_cutting { MLS_CUT_RUNS, MLS_CUT_ALWAYS, MLS_CUT_NEVER } mls_cutting;

/** The outcome of reading a source. */
typedef struct mls_read {
    size_t index; /**< of the source */
    const mls_source *source;
    mls_log_totals totals;
    mls_status status; /**< MLS_OK, or MLS_ERROR_READ: the runs hold what came before the failure */
    mls_error error;   /**< of a status other than MLS_OK */
    size_t runs;       /**< handed over */
    void *heard;       /**< what the listener keeps of it, until done() has returned; NULL: nothing */
} mls_read;

/** How to read, and who wants to know.  Zero-initialised reads everything and calls nobody. */
typedef struct mls_reading {
    const mls_checker_options *rules; /**< whose rules say which runs are valid; NULL: their steps and status do */
    bool unread_runs;                 /**< a file that is one run is handed over as one even when it cannot be read */
    bool brief;                       /**< runs are wanted for their verdicts only: see mls_run */
    bool doubting;                    /**< the neighbours of a guessed edition are asked about valid runs too */
    bool foreign;                     /**< the lines of logs of other suites are read */
    bool plain;                       /**< logs packed by gzip count as unread, as they do in a submission */
    bool steps;                       /**< runs are judged by their steps too: see mls_run_finish() */
    mls_cutting cutting;
    const mls_observer *observer; /**< what more is kept of each run; NULL: nothing */
    mls_printed_asked printed;    /**< runs of these sources have `printed` and `facts` */
    mls_work work;
    void *state; /**< of all callbacks */
    /** Opens a source, from any thread; -1 with errno set.  NULL: mls_source_open(). */
    int (*open)(void *state, size_t index);
    /** Fills one more sink for the file, from any thread; all that it is given comes from one thread.  NULL: none. */
    mls_status (*listen)(void *state, size_t index, mls_sink *sink);
    size_t heard_size; /**< bytes the listener keeps of a file: zero, and the sink's state when listen() is called */
    bool apart;        /**< no runs are wanted, and files are read side by side; else all that is heard is in order */
    /** A run has ended; who keeps it leaves an empty one behind, and NULL of its notes.  NULL: no runs. */
    mls_status (*run)(void *state, size_t index, mls_run *run, void **notes);
    /** A source has ended; its runs have been handed over. */
    mls_status (*done)(void *state, const mls_read *read);
} mls_reading;

/** Reads every source that is not skipped.  MLS_OK, what loading a guessed edition's rules or the table of settings
 * returned, or what a callback returned, which ends everything. */
mls_status mls_read_sources(const mls_reading *reading, const mls_source *sources, size_t count,
                            mls_error *error) MLS_MUST_USE;
