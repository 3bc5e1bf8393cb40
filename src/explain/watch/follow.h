/* SPDX-License-Identifier: Apache-2.0 */
/* follow.h - follow the logs below some paths as they grow.
 *
 * Each look lists the files as run/ does and reads new bytes, which go to the runs of live.h.  Files are identified by
 * device and inode: a renamed file continues under its new name.  A file that was truncated, or whose bytes before the
 * last position have changed, is read again from the start.  Files are not kept open.
 *
 * inotify reports writes in the folders, but not those of other nodes (Lustre, NFS, GPFS), and possibly not for all
 * folders.  Therefore files are looked at regularly anyway. */
#pragma once

#include "base/walk.h"
#include "run/reading.h"

struct mls_live;

typedef enum mls_file_change {
    MLS_FILE_FOUND,
    MLS_FILE_RENAMED,
    MLS_FILE_RESTARTED, /* truncated, so it is read from the start */
    MLS_FILE_GONE,
    MLS_FILE_FAILED /* it cannot be read */
} mls_file_change;

enum { MLS_FOLLOWED_BYTES = 32 };

typedef struct mls_followed {
    char *path;
    size_t root; /* as in its source */
    bool result;
    uint64_t device, inode;
    uint64_t size, offset; /* size at the last look; bytes read so far */
    double written_ms;     /* time of the last new bytes since 1970; for the first ones the file's modification time */
    bool unread;           /* compressed or not text, so it is not read */
    bool failed;           /* the last read failed */
    bool seen;             /* found in this look */
    bool waits;            /* there may be bytes to read */
    char before[MLS_FOLLOWED_BYTES]; /* the bytes before `offset` */
    size_t before_count;
    mls_log_feed *feed;
    struct mls_live_reader *reader; /* of live.h; receives the records of the feed */
} mls_followed;

/* State of following files.  Initialise with paths, live and notify_fd (-1) set, all else zero. */
typedef struct mls_follow {
    const char *const *paths; /* files and folders; borrowed */
    size_t path_count;
    struct mls_live *live;
    int notify_fd;                     /* of inotify, to poll; -1: files are only polled */
    MLS_LIST_OF(mls_followed *) files; /* by inode */
    mls_names folders;                 /* folders that contain files or may do so later, without duplicates */
    mls_names missing;                 /* paths that do not exist yet */
    double changed_ms;                 /* last modification of a folder at the last listing */
    double listed_ms;                  /* time of the last listing */
    unsigned looks;                    /* number of looks since then */
    mls_scan_room *room;
    MLS_LIST_OF(struct mls_notify_folder) watched; /* folders watched with inotify */
} mls_follow;

/* Read inotify events and mark the files that were written to; *written: there were some.  Return whether a look is due
 * because anything else may have changed. */
bool mls_follow_take_notices(mls_follow *follow, bool *written);

/* List the files if a folder may have changed, and regularly, and find those that have grown.  Return MLS_OK or
 * MLS_ERROR_LIMIT. */
mls_status mls_follow_look(mls_follow *follow, double now_ms, mls_error *error) MLS_MUST_USE;

/* Read the new bytes of files that have grown or were written to. */
void mls_follow_read(mls_follow *follow, double now_ms);

/* Process the last line of each file even if it is not terminated. */
void mls_follow_end(mls_follow *follow);

void mls_follow_release(mls_follow *follow);
