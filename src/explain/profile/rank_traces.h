/* SPDX-License-Identifier: Apache-2.0 */
/* rank_traces.h - the traces of a job: whose they are (rank_names.c), which collectives they share (ranks.c), and who
 * keeps the others waiting (straggler.c); private to these. */
#pragma once

#include "explain/profile/collectives.h"
#include "explain/profile/ranks.h"

/* A trace that may be of the job. */
typedef struct mls_rank_trace {
    mls_profile *profile;
    mls_str below; /* its path below the folder that all have in common, to its end */
    size_t rank;
    size_t place;                                                /* among the profiles */
    enum { MLS_RANK_SAID, MLS_RANK_NAMED, MLS_RANK_ORDERED } by; /* the trace, its name, its place */
} mls_rank_trace;

typedef MLS_LIST_OF(mls_rank_trace) mls_rank_traces;

/* Fills the list with the traces of one job, by rank, and says what is strange about their ranks; empty: they are of
 * no job.  False: no memory. */
bool mls_rank_traces_find(mls_profile *const *profiles, size_t count, mls_rank_traces *traces, mls_findings *findings);

/* How long ranks waited, in whole nanoseconds, without the collective with the longest wait of all. */
typedef struct mls_waits {
    double total;
    double longest;         /* of a rank, in the collective that is left out */
    double longest_total;   /* of all ranks in it */
    size_t longest_awaited; /* the rank that came last to it, by its place */
} mls_waits;

/* Finds the straggler, and says what it did meanwhile; mends what the profiles advise.  False: no memory. */
bool mls_ranks_judge(mls_ranks *ranks, const mls_waits *waits);
