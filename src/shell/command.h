/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.h - what commands do: files.c and condition.c below, command.c on
 * top of them, and eval.c, which runs whole scripts.
 */
#ifndef MLS_SHELL_COMMAND_H
#define MLS_SHELL_COMMAND_H

#include "shell/expand.h"

/* ---- files.c ---- */

enum { SHELL_ROOTS = 2 };

/*
 * The files that a script on disk may look at.  A script from somebody else
 * must not make us read whatever it likes, or wait for a pipe: only regular
 * files of a limited size are opened, and only those that stand, all links and
 * ".." resolved, below a root: the folder of the script (as it is named, and
 * where a link to it leads), or the one that the caller gives.
 */
typedef struct mls_shell_disk {
    char *roots[SHELL_ROOTS]; /* resolved; NULL: nothing is below it */
} mls_shell_disk;

/* `root` NULL: the folder of the script at `path`.  False when memory runs out; to be released in any case. */
bool mls_shell_disk_init(mls_shell_disk *disk, const char *path, const char *root);
void mls_shell_disk_release(mls_shell_disk *disk);
mls_shell_files mls_shell_disk_files(mls_shell_disk *disk);
/* The bytes of a regular file, in `arena`. */
mls_status mls_shell_disk_load(const char *path, mls_arena *arena, mls_str *bytes, mls_error *error) MLS_MUST_USE;

/*
 * The file that a path names, as it is or beside the current script: its bytes
 * and the path it was found by.  MLS_ERROR_READ: there is none.  MLS_ERROR_UNKNOWN:
 * it may not be looked at, or the path is not known.  Other errors have ended
 * the reading.
 */
mls_status mls_shell_file_read(mls_shell_state *state, mls_str *path, mls_str *bytes);
/*
 * The files that stand where a path with a hole may lead, in `matches`:
 * `unknown` where it may lead elsewhere.
 */
void mls_shell_file_match(mls_shell_state *state, mls_str path, mls_shell_fields *matches);

/* ---- condition.c: [ ] and [[ ]] ---- */

/* The status of the words of [[ ]] as they stand, or, expanded, of those of [ ]. */
int mls_shell_condition(mls_shell_state *state, const mls_str *words, size_t count, bool expanded);

/* ---- command.c ---- */

/* Runs a builtin, or a program whose output follows from its arguments; sets the status.  False: it is neither. */
bool mls_shell_command_run(mls_shell_state *state, const mls_shell_fields *fields);
void mls_shell_print(mls_shell_state *state, mls_str text);

/* ---- eval.c ---- */

/* A whole reading; the caller initialises arena, files, findings and frame, and releases them. */
void mls_shell_run(mls_shell_state *state, const char *path, mls_str text);

#endif
