/* SPDX-License-Identifier: Apache-2.0 */
/* notify.h - the kernel's word that something in some folders has changed, where it gives it.
 *
 * It tells nothing of what other nodes write (Lustre, NFS, GPFS), and may be had for too few folders: whoever uses it
 * looks now and then all the same. */
#pragma once

#include "base/walk.h"

typedef struct mls_notify {
    int fd; /* to wait for; -1: there is none */
    MLS_LIST_OF(struct mls_notify_folder) folders;
} mls_notify;

/* Asks for the word, which may be refused. */
void mls_notify_open(mls_notify *notify);

/* Watches these folders too, each with its slash.  False: no memory. */
bool mls_notify_watch(mls_notify *notify, const mls_names *folders) MLS_MUST_USE;

/* What has happened since: `written` is called with the path of each file that was written to.  *look: more than that
 * happened, or may have.  False: no memory. */
bool mls_notify_take(mls_notify *notify, void (*written)(void *state, mls_str path), void *state,
                     bool *look) MLS_MUST_USE;

void mls_notify_close(mls_notify *notify);
