/* SPDX-License-Identifier: Apache-2.0 */
/* banned.h - make the compiler reject unsafe C functions.  The Makefile includes this file before every source file.
 *
 * Each of these functions has caused vulnerabilities in other projects: it writes without a limit, has hidden state, or
 * cannot report that a text is not a number. */
#pragma once

/* Include these headers first, because a poisoned name must not occur later, not even in a declaration. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC poison strcpy strcat strncpy strncat stpcpy sprintf vsprintf gets
#pragma GCC poison strtok atoi atol atoll atof
#pragma GCC poison gmtime localtime ctime asctime tmpnam mktemp
