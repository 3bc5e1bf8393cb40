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

/* Block the signals that end the program in the calling thread, and store the previous signal mask in *before.  Threads
 * that are started between this call and mls_temporary_let_go() never receive these signals, so that only the thread
 * that registers paths is interrupted. */
void mls_temporary_hold(sigset_t *before);

/* Restore the signal mask that mls_temporary_hold() stored. */
void mls_temporary_let_go(const sigset_t *before);

/* Create a file with mkostemp() and register its path.  Return a descriptor, or -1 with errno set. */
int mls_temporary_file(char *path);

/* Create a folder with mkdtemp() and register its path.  On a signal, the folder is removed with its contents.  Return
 * whether the folder was created. */
bool mls_temporary_folder(char *path);

/* Register an existing folder.  On a signal, the folder is removed only if it is empty. */
void mls_temporary_empty_folder(const char *path);

/* Remove a path from the table, so that the file or folder is kept. */
void mls_temporary_forget(const char *path);

/* Remove all registered files and folders, the last entry of the table first.  This is safe in a signal handler. */
void mls_temporary_remove(void);
