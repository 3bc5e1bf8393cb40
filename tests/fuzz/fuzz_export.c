/* SPDX-License-Identifier: Apache-2.0 */
/* What score is said to have written, as a side that is compared with another one and with itself. */
#include <stdlib.h>

#include "compare/side.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compare_all(mls_comparison *comparison, mls_arena *arena)
{
    bool ok = mls_sides_meet(comparison, arena) == MLS_OK && mls_scaling_make(comparison, arena) == MLS_OK;
    for (size_t i = 0; i < comparison->block_count && ok; i++) {
        mls_block *block = &comparison->blocks[i];
        ok = mls_block_settings(block, arena) == MLS_OK && mls_block_outliers(block, arena) == MLS_OK;
        for (size_t k = 1; k < block->group_count && ok; k++) {
            const mls_split *split = &block->differences[k].split;
            ok = mls_difference_make(block->groups[0], block->groups[k], &block->differences[k]) == MLS_OK;
            int64_t sum = 0;
            for (int share = 0; share < MLS_SHARE_COUNT; share++) {
                sum += split->ms[share];
            }
            if (split->known && sum != split->total_ms) {
                abort();
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mls_arena arena = {0};
    mls_side sides[3] = {{.name = "A"}, {.name = "B"}, {.name = "C"}};
    mls_comparison comparison = {.sides = sides, .side_count = 3, .arena = &arena};
    const mls_str text = {(const char *)data, size};
    mls_error error;
    for (size_t side = 0; side < 3; side++) {
        const mls_side_reading reading = {&arena, &comparison, side};
        const mls_status status = side == 1 ? mls_side_read_csv(&reading, text, &error)
                                            : mls_side_read_json(&reading, text, side == 2, &error);
        for (size_t i = 0; status != MLS_OK && i < sides[side].groups; i++) {
            comparison.group_count--;
        }
        sides[side].groups = status == MLS_OK ? sides[side].groups : 0;
    }
    bool ok = true;
    for (size_t i = 0; i < comparison.group_count && ok; i++) {
        ok = mls_side_group_measure(comparison.groups[i]) == MLS_OK;
    }
    if (ok) {
        compare_all(&comparison, &arena);
        mls_comparison one = comparison;
        one.block_count = one.block_capacity = 0;
        one.blocks = NULL;
        if (mls_side_meet_itself(&one, &arena, NULL)) {
            compare_all(&one, &arena);
        }
    }
    mls_arena_release(&arena);
    return 0;
}
