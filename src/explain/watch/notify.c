/* SPDX-License-Identifier: Apache-2.0 */
/* notify.c - inotify. */
#include "explain/watch/notify.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"

struct mls_notify_folder {
    int number;
    char *path;
};

void mls_notify_open(mls_notify *notify)
{
    *notify = (mls_notify){.fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
}

static struct mls_notify_folder *watched_folder(const mls_notify *notify, int number)
{
    for (size_t i = 0; i < notify->folders.count; i++) {
        if (notify->folders.items[i].number == number) {
            return &notify->folders.items[i];
        }
    }
    return NULL;
}

bool mls_notify_watch(mls_notify *notify, const mls_names *folders)
{
    const uint32_t what = IN_MODIFY | IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_ATTRIB | IN_ONLYDIR;
    for (size_t i = 0; i < folders->count && notify->fd >= 0; i++) {
        const int number = inotify_add_watch(notify->fd, folders->items[i], what);
        struct mls_notify_folder *known = number >= 0 ? watched_folder(notify, number) : NULL;
        if (number < 0 || (known != NULL && strcmp(known->path, folders->items[i]) == 0)) {
            continue;
        }
        char *path = mls_strdup(folders->items[i]);
        if (path == NULL || (known == NULL && !MLS_GROW(&notify->folders, items))) {
            free(path);
            return false;
        }
        if (known != NULL) { /* renamed */
            free(known->path);
            known->path = path;
        } else {
            notify->folders.items[notify->folders.count++] = (struct mls_notify_folder){number, path};
        }
    }
    return true;
}

static void forget_folder(mls_notify *notify, struct mls_notify_folder *folder)
{
    free(folder->path);
    *folder = notify->folders.items[--notify->folders.count];
}

bool mls_notify_take(mls_notify *notify, void (*written)(void *state, mls_str path), void *state, bool *look)
{
    _Alignas(struct inotify_event) char bytes[65536];
    mls_buffer path = {0};
    ssize_t got;
    while (notify->fd >= 0 && ((got = read(notify->fd, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR))) {
        for (const char *at = bytes; got > 0 && at < bytes + got;) {
            const struct inotify_event *event = (const void *)at;
            struct mls_notify_folder *folder = watched_folder(notify, event->wd);
            at += sizeof *event + event->len;
            if ((event->mask & IN_IGNORED) != 0 && folder != NULL) {
                forget_folder(notify, folder);
            }
            if (event->mask != IN_MODIFY || folder == NULL || event->len == 0) {
                *look = true;
                continue;
            }
            mls_buffer_clear(&path);
            mls_buffer_append_text(&path, folder->path);
            mls_buffer_append_text(&path, event->name);
            if (!path.failed) {
                written(state, mls_buffer_str(&path));
            }
        }
    }
    const bool ok = !path.failed;
    mls_buffer_release(&path);
    return ok;
}

void mls_notify_close(mls_notify *notify)
{
    for (size_t i = 0; i < notify->folders.count; i++) {
        free(notify->folders.items[i].path);
    }
    free(notify->folders.items);
    if (notify->fd >= 0) {
        (void)close(notify->fd);
    }
    *notify = (mls_notify){.fd = -1};
}
