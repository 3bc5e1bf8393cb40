/* SPDX-License-Identifier: Apache-2.0 */
/* temporary.c - the table of temporary files, and the handler that removes them. */
#include "base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ENTRY_COUNT = 32, DEPTH_MAX = 80 };

typedef enum entry_kind { ENTRY_FREE, ENTRY_FILE, ENTRY_FOLDER, ENTRY_EMPTY_FOLDER } entry_kind;

static struct {
    volatile sig_atomic_t kind;
    char path[PATH_MAX];
} entries[ENTRY_COUNT];

/* The signals on which the registered files are removed. */
static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF};

/* Register a path.  If the table is full or the path is too long, do nothing. */
static void note(const char *path, entry_kind kind)
{
    for (size_t i = 0; i < ENTRY_COUNT && strlen(path) < PATH_MAX; i++) {
        if (entries[i].kind == ENTRY_FREE) {
            memcpy(entries[i].path, path, strlen(path) + 1);
            entries[i].kind = (sig_atomic_t)kind;
            return;
        }
    }
}

/* Remove the contents of an open folder and close the folder.  This function uses the system call getdents64(), because
 * readdir() allocates memory.  Removing entries can cause others to be skipped, so repeat until nothing is removed. */
static void empty_folder(int folder, unsigned depth)
{
    char names[2048] __attribute__((aligned(__alignof__(struct dirent64))));
    bool removed = folder >= 0 && depth < DEPTH_MAX;
    while (removed) {
        long got;
        removed = false;
        (void)lseek(folder, 0, SEEK_SET);
        while ((got = syscall(SYS_getdents64, folder, names, sizeof names)) > 0) {
            for (long at = 0; at < got;) {
                const struct dirent64 *entry = (const struct dirent64 *)(const void *)(names + at);
                const char *name = entry->d_name;
                at += entry->d_reclen;
                if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
                    continue;
                if (unlinkat(folder, name, 0) == 0) {
                    removed = true;
                } else {
                    empty_folder(openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), depth + 1);
                    removed |= unlinkat(folder, name, AT_REMOVEDIR) == 0;
                }
            }
        }
    }
    if (folder >= 0)
        (void)close(folder);
}

void mls_temporary_remove(void)
{
    for (size_t i = ENTRY_COUNT; i > 0; i--) {
        const char *path = entries[i - 1].path;
        const sig_atomic_t kind = entries[i - 1].kind;
        if (kind == ENTRY_FILE)
            (void)unlink(path);
        else if (kind == ENTRY_FOLDER)
            empty_folder(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), 0);
        if (kind == ENTRY_FOLDER || kind == ENTRY_EMPTY_FOLDER)
            (void)rmdir(path);
    }
}

/* Remove the registered files and raise the signal again.  The signal is blocked until the handler returns; then its
 * default action ends the process. */
static void remove_and_die(int number)
{
    mls_temporary_remove();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

void mls_temporary_handle_signals(void)
{
    struct sigaction action = {.sa_handler = remove_and_die};
    struct sigaction before;
    (void)sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            (void)sigaction(ending[i], &action, NULL);
    (void)signal(SIGXFSZ, SIG_IGN);
}

void mls_temporary_hold(sigset_t *before)
{
    sigset_t held;
    (void)sigemptyset(&held);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        (void)sigaddset(&held, ending[i]);
    (void)pthread_sigmask(SIG_BLOCK, &held, before);
}

void mls_temporary_let_go(const sigset_t *before)
{
    const int error = errno;
    (void)pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = error;
}

int mls_temporary_file(char *path)
{
    sigset_t before;
    mls_temporary_hold(&before);
    const int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        note(path, ENTRY_FILE);
    mls_temporary_let_go(&before);
    return fd;
}

bool mls_temporary_folder(char *path)
{
    sigset_t before;
    mls_temporary_hold(&before);
    const bool made = mkdtemp(path) != NULL;
    if (made)
        note(path, ENTRY_FOLDER);
    mls_temporary_let_go(&before);
    return made;
}

void mls_temporary_empty_folder(const char *path)
{
    note(path, ENTRY_EMPTY_FOLDER);
}

void mls_temporary_forget(const char *path)
{
    for (size_t i = 0; i < ENTRY_COUNT; i++)
        if (entries[i].kind != ENTRY_FREE && strcmp(entries[i].path, path) == 0)
            entries[i].kind = ENTRY_FREE;
}
