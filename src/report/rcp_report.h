/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rcp_report.h - what `mlscore rcp` prints: reference points and limits.
 *
 * Every function returns false when memory ran out and the output is not
 * complete.
 */
#ifndef MLS_REPORT_RCP_REPORT_H
#define MLS_REPORT_RCP_REPORT_H

#include "base/output.h"
#include "mlscore/edition.h"
#include "mlscore/rcp.h"

/* The points of one benchmark. */
typedef struct mls_rcp_listing {
    const mls_edition *edition;
    const mls_benchmark *benchmark;
    mls_rcp_set *set;
    double batch_size; /* the one asked for; NaN: none */
} mls_rcp_listing;

bool mls_report_rcp_table(const mls_rcp_listing *listings, size_t count, size_t width, bool color,
                          mls_output *output) MLS_MUST_USE;

/* One row a point; with a batch size asked for one row a benchmark, with the limit for it. */
bool mls_report_rcp_csv(const mls_rcp_listing *listings, size_t count, mls_output *output) MLS_MUST_USE;

/* {"benchmarks": [{…, "points": […], "limit": {…}|null}]} */
bool mls_report_rcp_json(const mls_rcp_listing *listings, size_t count, mls_output *output) MLS_MUST_USE;

#endif
