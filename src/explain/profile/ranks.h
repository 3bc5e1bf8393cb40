/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.h - the traces of one job side by side: what each rank waited for in collectives, and for whom.
 *
 * No clock is compared: a collective takes as long as its shortest kernel, which is that of the rank that came last,
 * and what longer ones take more is waiting. */
#pragma once

#include "explain/profile/profile.h"

typedef struct mls_rank {
    size_t rank;
    mls_profile *profile; /**< its trace; the caller's */
    const char *below;    /**< its file, below the folder that all have in common */
    uint64_t matched;     /**< collectives of it that others have too */
    double transfer_ms, waiting_ms;
    double others_waited_ms; /**< of the others, in collectives to which it came last */
    /** Of its devices together, as of a device. */
    double compute_ms, idle_ms, idle_host_ms, idle_queue_ms, idle_unknown_ms;
} mls_rank;

/** Collectives of one kind and size. */
typedef struct mls_collective_sum {
    mls_str name;
    double bytes;   /**< of each; NAN: not known */
    double members; /**< ranks in the group; NAN: not known */
    uint64_t count;
    double transfer_ms; /**< of them together */
    double waiting_ms;  /**< of all ranks together */
    double bus_gb_s;    /**< 10^9 bytes a second that every link moved; NAN: not known */
} mls_collective_sum;

typedef struct mls_ranks {
    mls_rank *items; /**< by rank, each there once */
    size_t count;
    mls_str folder;                  /**< that all are below, with a slash at its end; "": none */
    size_t world_size;               /**< that the traces say, the largest; 0: none does */
    uint64_t matched;                /**< collectives */
    uint64_t unmatched;              /**< kinds of collectives of which ranks have different numbers */
    const mls_rank *straggler;       /**< for which the others wait; NULL: nobody */
    mls_collective_sum *collectives; /**< the one with the most transfer and waiting first */
    size_t collective_count;
    mls_profile_verdict *verdicts;
    size_t verdict_count;
    mls_findings findings;
    struct mls_arena *arena; /**< holds everything above but the findings */
} mls_ranks;

/** Puts those of the profiles side by side that are traces of one job: those from folders, and named ones that say a
 * world size above 1 or have the number of a rank in their names.  A rank is what its trace says, else the number
 * behind "rank" in its name or the nearest folder's, else its place.  *ranks NULL: they are of no job.  Who waits for
 * a straggler is no longer advised on communication: these verdicts of the profiles are written anew.  Free
 * *ranks before the profiles. */
void mls_ranks_join(mls_profile *const *profiles, size_t count, mls_ranks **ranks);
void mls_ranks_free(mls_ranks *ranks);
