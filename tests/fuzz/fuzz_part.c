/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_part.c - read any bytes as the head of a part, and as a file with its runs.  Writing the result and reading it
 * again must not change it. */
#include <stdlib.h>

#include "score/part.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read a head of a part, or a file, and write it again.  Return false if it is refused. */
static bool carry_once(bool is_head, mls_str text, mls_buffer *to)
{
    mls_arena arena = {0};
    mls_schema_room room = {.texts.arena = &arena};
    mls_part_head head;
    mls_part_file file;
    mls_str json;
    size_t where;
    bool ok = mls_json_validate(text, &arena, &json, &where) == NULL;
    if (ok && is_head) {
        mls_schema_clear(&mls_part_head_schema, &head);
        ok = mls_schema_read(&mls_part_head_schema, json, &room, &head);
        mls_schema_write(to, &mls_part_head_schema, &head);
        mls_schema_release(&mls_part_head_schema, &head);
    } else if (ok) {
        ok = mls_part_file_read(json, &room, &file);
        mls_part_file_write(to, &file);
        mls_part_file_release(&file);
    }
    mls_arena_release(&room.scratch);
    mls_arena_release(&arena);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int is_head = 0; is_head < 2; is_head++) {
        mls_buffer once = {0};
        mls_buffer twice = {0};
        if (carry_once(is_head, (mls_str){(const char *)data, size}, &once) &&
            !(carry_once(is_head, mls_buffer_str(&once), &twice) &&
              mls_str_equal(mls_buffer_str(&once), mls_buffer_str(&twice))))
            abort();
        mls_buffer_release(&once);
        mls_buffer_release(&twice);
    }
    return 0;
}
