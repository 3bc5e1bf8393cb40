/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_flight.c - read any bytes as the flight recorder dumps of three ranks, which are read or refused.  Blamed ranks
 * are ranks with a dump, ranks without a dump are not. */
#include <stdlib.h>

#include "explain/diagnose/flight.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mls_arena arena = {0};
    mls_flight_dumps dumps = {.arena = &arena};
    mls_str left = {(const char *)data, size};
    bool known[3] = {false, false, false};
    /* Dumps are separated by 0xff; the last one is also that of the ranks for which none is left. */
    for (int32_t rank = 0; rank < 3; rank++) {
        const char *end = left.len > 0 ? memchr(left.ptr, 0xff, left.len) : NULL;
        known[rank] =
            mls_flight_add(&dumps, rank, "x", end != NULL ? (mls_str){left.ptr, (size_t)(end - left.ptr)} : left);
        left = end != NULL ? mls_str_rest(left, (size_t)(end - left.ptr) + 1) : left;
    }
    const mls_flight *flight = mls_flight_judge(&dumps, &arena);
    for (size_t i = 0; flight != NULL && i < flight->blamed_count; i++)
        if (flight->blamed[i] > 2 || !known[flight->blamed[i]])
            abort();
    for (size_t i = 0; flight != NULL && i < flight->without_dump_count; i++)
        if (flight->without_dump[i] <= 2 && known[flight->without_dump[i]])
            abort();
    mls_arena_release(&arena);
    return 0;
}
