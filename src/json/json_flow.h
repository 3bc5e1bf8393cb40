/* SPDX-License-Identifier: Apache-2.0 */
/* json_flow.h - check whether a file read in blocks is JSON; private to log/. A log differs from JSON in its first
 * bytes, so checking it costs nothing. */
#pragma once

#include "json/json_check.h"

/* Number of bytes of a number or word that are checked.  Further digits of a longer number are only skipped. */
enum { MLS_JSON_WORD_MAX = 64 };

/* The state of the check.  Zero-initialize it before the first block. */
typedef struct mls_json_flow {
    enum {
        MLS_FLOW_START,      /* expects a list or an object */
        MLS_FLOW_VALUE,      /* expects a value */
        MLS_FLOW_FIRST_ITEM, /* expects a value or the end of the list */
        MLS_FLOW_FIRST_NAME, /* expects a member's name or the end of the object */
        MLS_FLOW_NAME,
        MLS_FLOW_COLON,
        MLS_FLOW_AFTER, /* a value has ended */
        MLS_FLOW_NONE   /* not JSON */
    } due;
    enum { MLS_FLOW_BETWEEN, MLS_FLOW_STRING, MLS_FLOW_ESCAPE, MLS_FLOW_WORD } inside;
    unsigned depth;
    size_t marked; /* number of bytes of the byte order mark skipped so far */
    uint64_t objects[MLS_JSON_DEPTH_MAX / 64];
    char word[MLS_JSON_WORD_MAX + MLS_SCAN_PADDING];
    size_t word_length;
} mls_json_flow;

/* Check the next block. */
void mls_json_flow_feed(mls_json_flow *flow, mls_str block);

/* Return whether the blocks form a complete list or object, optionally surrounded by blanks. */
bool mls_json_flow_whole(const mls_json_flow *flow);
