/* SPDX-License-Identifier: Apache-2.0 */
/* banned.h - poison unsafe C functions; included before every file.
 *
 * Each of these functions has caused security releases in other projects: it writes without a bound, has hidden state,
 * or cannot report that a number did not parse. */
#pragma once

/* Include the headers first: a poisoned name must not even be declared afterwards. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC poison strcpy strcat strncpy strncat stpcpy sprintf vsprintf gets
#pragma GCC poison strtok atoi atol atoll atof
#pragma GCC poison gmtime localtime ctime asctime tmpnam mktemp
