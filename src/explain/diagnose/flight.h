/* SPDX-License-Identifier: Apache-2.0 */
/* flight.h - find the ranks that never entered a collective operation in the dumps of NCCL's flight recorder.
 *
 * PyTorch writes one dump for each rank when a collective times out.  A dump lists the last operations of each process
 * group, with sequence numbers that count the same on all ranks.  Call mls_flight_add() for each dump of a job, then
 * mls_flight_judge(). */
#pragma once

#include "base/map.h"
#include "explain/diagnose/diagnose.h"

typedef struct mls_flight_entry mls_flight_entry;
typedef struct mls_flight_dump mls_flight_dump;
typedef struct mls_flight_group mls_flight_group;

/** The dumps of a job.  Zero-initialize all but the arena, in which everything is stored. */
typedef struct mls_flight_dumps {
    mls_arena *arena;
    MLS_LIST_OF(mls_flight_dump) dumps;
    MLS_LIST_OF(mls_flight_group) groups;
    MLS_LIST_OF(mls_flight_entry) entries; /* per group the last one of each dump, and all that had not completed */
    mls_map names;                         /* index of each group by its name, plus 1 */
    mls_map words;                         /* names of operations and sizes, each stored once */
    size_t ranks_read;                     /* number of ranks read from lists of ranks */
} mls_flight_dumps;

/** Return the rank in the name of a dump, such as 13 for nccl_trace_rank_13 and job_dump_13.json; -1 for other names.
 */
int32_t mls_flight_rank(const char *name);

/** Add the dump of a rank.  Return false if the bytes are not a dump.  `file` must live as long as the result. */
bool mls_flight_add(mls_flight_dumps *dumps, int32_t rank, const char *file, mls_str bytes);

/** Return the finding of the dumps, in `arena`; NULL if no rank waits for another. */
mls_flight *mls_flight_judge(mls_flight_dumps *dumps, mls_arena *arena);
