/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.h - combine the traces of one job: how long each rank waited in collectives, and for whom.
 *
 * Clocks are not compared.  The transfer of a collective takes as long as its shortest kernel, that of the rank that
 * came last; the rest of the longer kernels is waiting. */
#pragma once

#include "explain/profile/profile.h"

typedef struct mls_rank {
    size_t rank;
    mls_profile *profile; /**< its trace; the caller's */
    const char *below;    /**< its file, below the folder that all traces share */
    uint64_t matched;     /**< collectives matched with other ranks */
    double transfer_ms, waiting_ms;
    double others_waited_ms; /**< waiting of the others in collectives to which it came last */
    /** Sums over its devices. */
    double compute_ms, idle_ms, idle_host_ms, idle_queue_ms, idle_unknown_ms;
} mls_rank;

/** Collectives of one kind and size. */
typedef struct mls_collective_sum {
    mls_str name;
    double bytes;   /**< of each; NAN: unknown */
    double members; /**< ranks in the group; NAN: unknown */
    uint64_t count;
    double transfer_ms; /**< total */
    double waiting_ms;  /**< of all ranks */
    double bus_gb_s;    /**< bus bandwidth, 10^9 bytes per second; NAN: unknown */
} mls_collective_sum;

typedef struct mls_ranks {
    mls_rank *items; /**< by rank */
    size_t count;
    mls_str folder;                  /**< that all traces share, with a slash at its end; "": none */
    size_t world_size;               /**< the largest in the traces; 0: unknown */
    uint64_t matched;                /**< collectives */
    uint64_t unmatched;              /**< kinds of collectives that ranks have in different numbers */
    const mls_rank *straggler;       /**< the rank that the others wait for; NULL: none */
    mls_collective_sum *collectives; /**< the most transfer and waiting first */
    size_t collective_count;
    mls_profile_verdict *verdicts;
    size_t verdict_count;
    mls_findings findings;
    struct mls_arena *arena; /**< holds everything above but the findings */
} mls_ranks;

/** Combine the profiles that are traces of one job: those from folders, and named ones with a world size above 1 or a
 * rank in their names.  A rank is read from the trace, else from the number behind "rank" in the name or the nearest
 * folder, else it is the place of the trace.  Verdicts on communication of ranks that wait for a straggler are
 * replaced. Return NULL if there is no job.  Free the result before the profiles. */
void mls_ranks_join(mls_profile *const *profiles, size_t count, mls_ranks **ranks);
void mls_ranks_free(mls_ranks *ranks);
