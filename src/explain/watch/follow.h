/* SPDX-License-Identifier: Apache-2.0 */
/* follow.h - the logs below some paths, read as they grow.
 *
 * Each look lists them as run/ does and reads what is new.  A file is known by its device and inode: a renamed file is
 * read on under its new name, and one that comes back shorter, or with other bytes before the place that was reached,
 * is read from its beginning.  No file is kept open.  The kernel says which files of the folders were written to
 * (inotify), but not what other nodes write (Lustre, NFS, GPFS), and perhaps not for all folders: so a look is due now
 * and then all the same.  What is read goes to the runs of live.h. */
#pragma once

#include "base/walk.h"
#include "run/reading.h"

struct mls_live;

typedef enum mls_file_change {
    MLS_FILE_FOUND,
    MLS_FILE_RENAMED,
    MLS_FILE_RESTARTED, /* it was cut short, and is read from its beginning */
    MLS_FILE_GONE,
    MLS_FILE_FAILED /* it cannot be read */
} mls_file_change;

enum { MLS_FOLLOWED_BYTES = 32 };

typedef struct mls_followed {
    char *path;
    size_t root; /* as its source has it */
    bool result;
    uint64_t device, inode;
    uint64_t size, offset;           /* when it was looked at; read so far */
    double written_ms;               /* when bytes last came, of the first ones by its own time; since 1970 */
    bool unread;                     /* it is packed, or not text */
    bool failed;                     /* it could not be read the last time */
    bool seen;                       /* in this look */
    bool waits;                      /* something is to be read, or may be */
    char before[MLS_FOLLOWED_BYTES]; /* the bytes before the place that was reached */
    size_t before_count;
    mls_log_feed *feed;
    struct mls_live_reader *reader; /* of live.h, as the feed */
} mls_followed;

/* Starts with paths, live and notify_fd (-1) set, all else zero. */
typedef struct mls_follow {
    const char *const *paths; /* of files and folders; borrowed */
    size_t path_count;
    struct mls_live *live;
    int notify_fd;                     /* to wait for; -1: the kernel is not asked */
    MLS_LIST_OF(mls_followed *) files; /* by inode */
    mls_names folders;                 /* that have them, or may have them later: each once */
    mls_names missing;                 /* paths that do not exist yet */
    double changed_ms;                 /* when a folder was changed last, as it was listed */
    double listed_ms;                  /* when that was */
    unsigned looks;                    /* since then */
    mls_scan_room *room;
    MLS_LIST_OF(struct mls_notify_folder) watched; /* folders that the kernel watches */
} mls_follow;

/* Ask the kernel to say what changes; it may refuse. */
void mls_follow_ask_kernel(mls_follow *follow);

/* Take what the kernel has said since, and note the files that were written to.  *written: there were some.  Return
 * whether more than that happened, or may have: then a look is due. */
bool mls_follow_take_notices(mls_follow *follow, bool *written);

/* List the files if a folder may have changed, and now and then, and find those that have grown.  MLS_OK or
 * MLS_ERROR_LIMIT. */
mls_status mls_follow_look(mls_follow *follow, double now_ms, mls_error *error) MLS_MUST_USE;

/* Read what is new in those that have grown or were written to. */
void mls_follow_read(mls_follow *follow, double now_ms);

/* Take the last line of each file, which has no ending, as a whole line. */
void mls_follow_end(mls_follow *follow);

void mls_follow_release(mls_follow *follow);
