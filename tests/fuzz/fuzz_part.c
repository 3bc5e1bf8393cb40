/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_part.c - read any bytes as the head of a part, as a file of it and as a run.  Writing the result and reading it
 * again must not change it. */
#include <stdlib.h>

#include "score/part.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read a struct of the given schema, or a run (NULL), and write it again.  Return false if it is refused. */
static bool carry_once(const mls_schema *table, mls_str text, mls_buffer *to)
{
    mls_arena arena = {0};
    mls_schema_room room = {.texts.arena = &arena};
    union {
        mls_part_head head;
        mls_part_source source;
        mls_part_run run;
    } row;
    mls_str json;
    size_t where;
    bool ok = mls_json_validate(text, &arena, &json, &where) == NULL;
    if (ok && table != NULL) {
        mls_schema_clear(table, &row);
        ok = mls_schema_read(table, json, &room, &row);
        mls_schema_write(to, table, &row);
        mls_schema_release(table, &row);
    } else if (ok) {
        ok = mls_part_run_read(json, &room, &row.run);
        mls_part_run_write(to, &row.run);
        mls_part_run_release(&row.run);
    }
    mls_arena_release(&room.scratch);
    mls_arena_release(&arena);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const mls_schema *const tables[] = {&mls_part_head_schema, &mls_part_source_schema, NULL};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        mls_buffer once = {0};
        mls_buffer twice = {0};
        if (carry_once(tables[i], (mls_str){(const char *)data, size}, &once) &&
            !(carry_once(tables[i], mls_buffer_str(&once), &twice) &&
              mls_str_equal(mls_buffer_str(&once), mls_buffer_str(&twice))))
            abort();
        mls_buffer_release(&once);
        mls_buffer_release(&twice);
    }
    return 0;
}
