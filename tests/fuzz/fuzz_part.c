/* SPDX-License-Identifier: Apache-2.0 */
/* A run as a part has it, of another machine: what is read and written is the same when it is read again. */
#include <stdlib.h>

#include "slurm/part.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads a run and writes it; false where it is refused. */
static bool carry_once(mls_str text, mls_buffer *to)
{
    mls_arena arena = {0};
    mls_map texts = {.arena = &arena};
    mls_carry_room room = {.texts = &texts};
    mls_str json;
    size_t where;
    bool ok = mls_json_validate(text, &arena, &json, &where) == NULL;
    if (ok) {
        mls_part_run run;
        ok = mls_part_run_read(json, &room, &run);
        if (ok) {
            mls_part_run_write(to, &run);
        }
        mls_part_run_release(&run);
    }
    mls_arena_release(&room.scratch);
    mls_arena_release(&arena);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mls_buffer once = {0};
    mls_buffer twice = {0};
    if (carry_once((mls_str){(const char *)data, size}, &once) &&
        !(carry_once(mls_buffer_str(&once), &twice) && mls_str_equal(mls_buffer_str(&once), mls_buffer_str(&twice)))) {
        abort();
    }
    mls_buffer_release(&once);
    mls_buffer_release(&twice);
    return 0;
}
