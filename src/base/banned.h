/* SPDX-License-Identifier: Apache-2.0 */
/* banned.h - functions that do not compile here, included before every file.
 *
 * Each of them has cost other projects a security release: no bound on what is written, hidden state, or no way to see
 * that a number did not parse. */
#pragma once

/* The headers first: a poisoned name may not even be declared after this. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC poison strcpy strcat strncpy strncat stpcpy sprintf vsprintf gets
#pragma GCC poison strtok atoi atol atoll atof
#pragma GCC poison gmtime localtime ctime asctime tmpnam mktemp
