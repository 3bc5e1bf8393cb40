/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.h - combine the traces of one job: how long each rank waited in collectives, and for which rank.
 *
 * Clocks of ranks are not compared.  In each collective, the rank that came last has the shortest kernel.  The length
 * of this kernel is the transfer time of the collective; the longer kernels of the other ranks include waiting. */
#pragma once

#include "explain/profile/profile.h"

typedef struct mls_rank {
    size_t rank;
    mls_profile *profile; /**< the trace of the rank; owned by the caller */
    const char *below;    /**< path of the trace below the folder that all traces share */
    uint64_t matched;     /**< collectives matched with other ranks */
    double transfer_ms, waiting_ms;
    double others_waited_ms; /**< time that other ranks waited in collectives to which this rank came last */
    /** Sums over the devices in the trace. */
    double compute_ms, idle_ms, idle_host_ms, idle_queue_ms, idle_unknown_ms;
} mls_rank;

/** Collectives of one kind and size. */
typedef struct mls_collective_sum {
    mls_str name;
    double bytes;   /**< bytes of each collective; NAN: unknown */
    double members; /**< number of ranks in the group; NAN: unknown */
    uint64_t count;
    double transfer_ms; /**< total of all collectives of this kind */
    double waiting_ms;  /**< total of all ranks */
    double bus_gb_s;    /**< bus bandwidth, 10^9 bytes per second; NAN: unknown */
} mls_collective_sum;

typedef struct mls_ranks {
    mls_rank *items; /**< in the order of ranks */
    size_t count;
    mls_str folder;    /**< the folder that contains all traces, with a slash at its end; "": there is no such folder */
    size_t world_size; /**< the largest world size in the traces; 0: unknown */
    uint64_t matched;  /**< number of collectives that were matched between ranks */
    uint64_t unmatched;              /**< number of kinds of collectives of which ranks have different numbers */
    const mls_rank *straggler;       /**< the rank for which the others wait; NULL: there is no such rank */
    mls_collective_sum *collectives; /**< the longest transfer plus waiting first */
    size_t collective_count;
    mls_profile_verdict *verdicts;
    size_t verdict_count;
    mls_findings findings;
    struct mls_arena *arena; /**< owns everything above except the findings */
} mls_ranks;

/** Combine the profiles that are traces of one job: traces found in folders, and traces named by the user with a
 * world size above 1 or a rank in their file names.  The rank of a trace is read from the trace; otherwise from the
 * number after "rank" in the file name or the nearest folder; otherwise it is the position of the trace in the order of
 * names.  If there is a straggler, the verdicts on communication of the ranks that wait for it are replaced.  *ranks is
 * set to NULL if the profiles do not form a job.  Free the result before the profiles. */
void mls_ranks_join(mls_profile *const *profiles, size_t count, mls_ranks **ranks);
void mls_ranks_free(mls_ranks *ranks);
