/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_export.c - read any bytes as an export of score, and compare it with others and with itself.  The shares of each
 * difference must add up. */
#include <stdlib.h>

#include "compare/side.h"
#include "json/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compare_all(mls_comparison *comparison)
{
    mls_sides_meet(comparison);
    mls_scaling_make(comparison);
    for (size_t i = 0; i < comparison->blocks.count; i++) {
        mls_block *block = &comparison->blocks.items[i];
        mls_block_settings(block, &comparison->known, comparison->arena);
        mls_block_outliers(block, comparison->arena);
        for (size_t k = 1; k < block->group_count; k++) {
            const mls_split *split = &block->differences[k].split;
            mls_difference_make(block->groups[0], block->groups[k], &block->differences[k]);
            int64_t sum = 0;
            for (int share = 0; share < MLS_SHARE_COUNT; share++)
                sum += split->ms[share];
            if (split->known && sum != split->total_ms)
                abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mls_arena arena = {0};
    mls_comparison comparison = {.arena = &arena};
    char *padded = calloc(1, size + MLS_JSON_PADDING);
    const mls_str text = {padded, size};
    mls_error error;
    if (padded == NULL)
        return 0;
    memcpy(padded, data, size);
    for (size_t side = 0; side < 3; side++) {
        const mls_str name = {&"ABC"[side], 1};
        const mls_side *added = mls_side_add(&comparison.sides, &arena, name, "");
        const size_t before = comparison.groups.count;
        if ((side == 1 ? mls_side_read_csv(&comparison, added, text, &error)
                       : mls_side_read_json(&comparison, added, text, side == 2, &error)) != MLS_OK)
            comparison.groups.count = before;
    }
    comparison.baseline = comparison.sides.items[0];
    for (size_t i = 0; i < comparison.groups.count; i++)
        mls_side_group_measure(comparison.groups.items[i]);
    compare_all(&comparison);
    mls_comparison one = comparison;
    memset(&one.blocks, 0, sizeof one.blocks);
    mls_side_meet_itself(&one, NULL);
    compare_all(&one);
    mls_arena_release(&arena);
    free(padded);
    return 0;
}
