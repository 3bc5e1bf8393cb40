/* SPDX-License-Identifier: Apache-2.0 */
/* temporary.h - temporary files and folders that are removed when a signal ends the program.
 *
 * Create them with the functions below, which register their paths, and call mls_temporary_forget() when a file got its
 * final name or was removed.  Only a program that calls mls_temporary_handle_signals() first removes them on a signal;
 * the library only keeps the table.
 *
 * The table has a fixed size: a path that does not fit is not registered, and is not removed. */
#pragma once

#include <signal.h>

#include "base/base.h"

/* Install handlers that remove the registered files when a signal ends the program.  Ignored signals stay ignored.
 * SIGXFSZ is ignored, so that exceeding the file size limit fails with EFBIG. */
void mls_temporary_handle_signals(void);

/* Block those signals in the calling thread, and unblock them again.  Threads started meanwhile never receive them, so
 * only the thread that registers paths is interrupted. */
void mls_temporary_hold(sigset_t *before);
void mls_temporary_let_go(const sigset_t *before);

/* Call mkostemp() or mkdtemp() and register the path.  Return a descriptor (-1: see errno), or whether the folder was
 * created.  A folder is removed with its contents. */
int mls_temporary_file(char *path);
bool mls_temporary_folder(char *path);

/* Register a folder for temporary files, which is removed only if it is empty. */
void mls_temporary_empty_folder(const char *path);

void mls_temporary_forget(const char *path);

/* Remove everything registered, newest first.  Safe to call in a signal handler. */
void mls_temporary_remove(void);
