/* SPDX-License-Identifier: Apache-2.0 */
/* scratch.h - a temporary folder for a test: setup and teardown functions for cmocka. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Make the folder, store its name in *state, and change to it. */
static inline int enter_scratch(void **state)
{
    static char folder[32];
    (void)snprintf(folder, sizeof folder, "/tmp/mlscore-test_XXXXXX");
    *state = folder;
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

/* Leave the folder and remove it with its contents. */
static inline int leave_scratch(void **state)
{
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", (const char *)*state);
    return chdir("/") == 0 ? system(command) : -1;
}
