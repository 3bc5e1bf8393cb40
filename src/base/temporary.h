/* SPDX-License-Identifier: Apache-2.0 */
/* temporary.h - temporary files and folders that a signal removes.
 *
 * Whoever makes one notes its path here and forgets it when the file has its final name or is gone.  A program that
 * calls mls_temporary_handle_signals() first then leaves none behind when a signal ends it; in the library the table is
 * only kept.  The table is fixed: a path that does not fit is not noted, and such a file stays when a signal ends the
 * program. */
#pragma once

#include <signal.h>

#include "base/base.h"

/* Make signals that end the program remove what is noted first.  A signal that is ignored stays ignored, and SIGXFSZ is
 * ignored: writing past the limit of a file's size fails with EFBIG. */
void mls_temporary_handle_signals(void);

/* Hold back those signals in the calling thread, and let them through again.  Threads that are started meanwhile never
 * take them, so that only the thread that notes paths is interrupted. */
void mls_temporary_hold(sigset_t *before);
void mls_temporary_let_go(const sigset_t *before);

/* mkostemp() and mkdtemp() of a template, noted: a descriptor (-1: errno), and whether the folder was made.  A folder
 * is removed with all that is in it. */
int mls_temporary_file(char *path);
bool mls_temporary_folder(char *path);

/* Note a folder that was made for what is temporary, and is removed if it is empty. */
void mls_temporary_empty_folder(const char *path);

void mls_temporary_forget(const char *path);

/* Remove all that is noted, the newest first.  It calls nothing that a handler of signals may not call. */
void mls_temporary_remove(void);
