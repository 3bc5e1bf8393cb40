/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources.h - what a source is before it is read as a log.
 */
#ifndef MLS_READING_SOURCES_H
#define MLS_READING_SOURCES_H

#include "mlscore/reading.h"

/* Why a file that starts with these bytes (16 are enough) is never a log, however large; NULL when it may be. */
const char *mls_source_magic(mls_str head);

#endif
