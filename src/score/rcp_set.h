/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rcp_set.h - what is inside a set of reference points.
 */
#ifndef MLS_SCORE_RCP_SET_H
#define MLS_SCORE_RCP_SET_H

#include "base/arena.h"
#include "mlscore/rcp.h"

/* A set with more points, or a point with more values, is refused. */
#define MLS_RCP_POINTS_MAX 10000
#define MLS_RCP_VALUES_MAX 100000

struct mls_rcp_set {
    mls_arena arena; /* strings and numbers of the points */
    mls_rcp_rules rules;
    mls_rcp_point *items;
    size_t count;
    size_t capacity;
};

/* Fills in what follows from the values of each point, sorts the points and prunes them (rcp.c). */
void mls_rcp_set_prepare(mls_rcp_set *set);

#endif
