/* SPDX-License-Identifier: Apache-2.0 */
/* json_flow.h - whether the blocks of a file are, one after the other, a text of JSON; private to log/.  A log
 * differs from one in its first bytes, so that it is looked at no further. */
#pragma once

#include "json/json_check.h"

/* Of a number the bytes that are looked at; the digits of a longer one are only skipped. */
enum { MLS_JSON_WORD_MAX = 64 };

/* Zero-initialised, nothing has come yet. */
typedef struct mls_json_flow {
    enum {
        MLS_FLOW_START,      /* a list or an object is due */
        MLS_FLOW_VALUE,      /* any value is due */
        MLS_FLOW_FIRST_ITEM, /* a value, or the end of the list */
        MLS_FLOW_FIRST_NAME, /* a member's name, or the end of the object */
        MLS_FLOW_NAME,
        MLS_FLOW_COLON,
        MLS_FLOW_AFTER, /* a value has ended */
        MLS_FLOW_NONE   /* it is no JSON */
    } due;
    enum { MLS_FLOW_BETWEEN, MLS_FLOW_STRING, MLS_FLOW_ESCAPE, MLS_FLOW_WORD } inside;
    unsigned depth;
    size_t marked; /* bytes of the mark in front that have been skipped */
    uint64_t objects[MLS_JSON_DEPTH_MAX / 64];
    char word[MLS_JSON_WORD_MAX + MLS_SCAN_PADDING];
    size_t word_length;
} mls_json_flow;

/* Takes the next block. */
void mls_json_flow_feed(mls_json_flow *flow, mls_str block);

/* Whether what has come is a list or an object of JSON, whole, and blanks. */
bool mls_json_flow_whole(const mls_json_flow *flow);
