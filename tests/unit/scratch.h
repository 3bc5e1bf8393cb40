/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of its own for a test to work in: the setup and the teardown of cmocka. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Makes the folder, which *state names from then on, and goes there. */
static inline int enter_scratch(void **state)
{
    static char folder[32];
    (void)snprintf(folder, sizeof folder, "/tmp/mlscore-test_XXXXXX");
    *state = folder;
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

/* Leaves it, and takes it away with all that is in it. */
static inline int leave_scratch(void **state)
{
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", (const char *)*state);
    return chdir("/") == 0 ? system(command) : -1;
}
