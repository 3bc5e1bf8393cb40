/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rcp_report.h - what `mlscore rcp` prints: reference points and limits.
 */
#ifndef MLS_REPORT_RCP_REPORT_H
#define MLS_REPORT_RCP_REPORT_H

#include "mlscore/edition.h"
#include "mlscore/rcp.h"
#include "report/fields.h"

/* The points of one benchmark. */
typedef struct mls_rcp_listing {
    const mls_edition *edition;
    const mls_benchmark *benchmark;
    mls_rcp_set *set;
    double batch_size; /* the one asked for; NaN: none */
} mls_rcp_listing;

typedef struct mls_rcp_listings {
    mls_rcp_listing *items;
    size_t count;
} mls_rcp_listings;

/* Of mls_rcp_listings; CSV has one row a point, or with a batch size one a benchmark, with the limit for it. */
extern const mls_report mls_rcp_report, mls_rcp_limit_report;

#endif
