/* SPDX-License-Identifier: Apache-2.0 */
/* follow.h - the logs below some paths, read as they grow.
 *
 * Each look lists them as reading/ does and reads what is new.  A file is known by its device and inode: renamed it is
 * read on under its new name, and one that comes back shorter, or with other bytes before the place that was reached,
 * is read from its beginning.  Nothing is kept open. */
#pragma once

#include "base/walk.h"
#include "run/reading.h"

typedef enum mls_file_change {
    MLS_FILE_FOUND,
    MLS_FILE_RENAMED,
    MLS_FILE_RESTARTED, /* it was cut short, and is read from its beginning */
    MLS_FILE_GONE,
    MLS_FILE_FAILED /* it cannot be read */
} mls_file_change;

enum { MLS_FOLLOWED_SINKS = 2, MLS_FOLLOWED_BYTES = 32 };

typedef struct mls_followed {
    char *path;
    size_t root; /* as its source has it */
    bool result;
    uint64_t device, inode;
    uint64_t size, offset; /* when it was looked at; read so far */
    double written_ms;     /* when bytes last came; of the first ones by its own time; milliseconds since 1970 */
    bool unread;           /* it is packed, or no text */
    bool failed;           /* it could not be read the last time */
    bool seen;             /* in this look */
    bool waits;            /* something is to be read, or may be */
    char before[MLS_FOLLOWED_BYTES]; /* what stands before the place that was reached */
    size_t before_count;
    mls_log_feed *feed;
    mls_sink sinks[MLS_FOLLOWED_SINKS];
    size_t sink_count;
    void *reader; /* the listener's */
} mls_followed;

/* Who wants to know.  A callback that returns anything but MLS_OK ends what called it with that. */
typedef struct mls_follow_listener {
    void *state;
    /* Reading begins at the first byte: fills in sinks, their number and the reader. */
    mls_status (*begin)(void *state, mls_followed *file);
    /* Frees the reader, all of whose bytes are void. */
    mls_status (*forget)(void *state, mls_followed *file);
    /* `what`: the path before, or why it cannot be read; else NULL. */
    mls_status (*changed)(void *state, mls_followed *file, mls_file_change change, const char *what);
    /* Bytes are about to be read, `silence_ms` after the last ones. */
    void (*grown)(void *state, mls_followed *file, double silence_ms);
} mls_follow_listener;

/* Starts with paths and listener set, all else zero. */
typedef struct mls_follow {
    const char *const *paths; /* of files and folders; borrowed */
    size_t path_count;
    mls_follow_listener listener;
    MLS_LIST_OF(mls_followed *) files; /* by inode */
    mls_names folders;                 /* that hold them, or may come to: each once */
    mls_names missing;                 /* paths that lead nowhere yet */
    double changed_ms;                 /* when a folder was changed last, as it was listed */
    double listed_ms;                  /* when that was */
    unsigned looks;                    /* since then */
    mls_scan_room *room;
} mls_follow;

/* Lists the files, where a folder may have changed, and now and then, and finds those that have grown.  MLS_OK,
 * MLS_ERROR_MEMORY, MLS_ERROR_LIMIT, or what a callback returned. */
mls_status mls_follow_look(mls_follow *follow, double now_ms, mls_error *error) MLS_MUST_USE;

/* The file of a path, which may be none, has been written to. */
void mls_follow_written(mls_follow *follow, mls_str path);

/* Reads what is new in those that have grown or were written to.  As mls_follow_look(). */
mls_status mls_follow_read(mls_follow *follow, double now_ms, mls_error *error) MLS_MUST_USE;

/* Takes the last line of each file, which has no ending, for whole. */
mls_status mls_follow_end(mls_follow *follow) MLS_MUST_USE;

/* Forgets all files. */
void mls_follow_release(mls_follow *follow);
