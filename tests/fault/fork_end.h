/* SPDX-License-Identifier: Apache-2.0 */
/* fork_end.h - what shim.c and sweep.c say to each other. */
#ifndef FORK_END_H
#define FORK_END_H

#include <stdbool.h>
#include <stdlib.h>

enum { FORKS_SIDE_BY_SIDE_MAX = 16, FORK_NAME_SIZE = 96, FORK_SECONDS_MAX = 30 };

/* The file for the output of a fork: the number of its allocation, "out" or "err". */
#define FORK_NAME "%.60s/%ld.%s"

static inline const char *fork_folder(void)
{
    const char *folder = getenv("FAULT_FOLDER");
    return folder != NULL ? folder : ".";
}

/* How a fork ended; `threads`: it is none, but from this allocation on no fork is made. */
typedef struct fork_end {
    long number; /* of the allocation that failed */
    int status;  /* of waitpid() */
    bool threads;
} fork_end;

#endif
