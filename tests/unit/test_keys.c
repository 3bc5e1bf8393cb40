/* SPDX-License-Identifier: Apache-2.0 */
/* The constants for keys: exactly those of the table and of all rules, each with its own name. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "base/data.h"
#include "base/file.h"
#include "base/map.h"
#include "log/log.h"

typedef struct key_names {
    mls_arena memory;
    mls_map keys, derived;
} key_names;

static void add(mls_map *keys, mls_str name)
{
    assert_non_null(mls_map_put(keys, name, NULL));
}

/* A derived key is computed from other records and does not occur in a log. */
static void add_rules(key_names *names, mls_str text)
{
    cJSON *rules = cJSON_ParseWithLength(text.ptr, text.len);
    assert_non_null(rules);
    const cJSON *scope;
    cJSON_ArrayForEach(scope, cJSON_GetObjectItemCaseSensitive(rules, "scopes"))
    {
        const cJSON *derive = cJSON_GetObjectItemCaseSensitive(scope, "derive");
        const cJSON *key;
        cJSON_ArrayForEach(key, cJSON_GetObjectItemCaseSensitive(scope, "keys"))
        {
            add(&names->keys, mls_str_from(key->string));
        }
        if (cJSON_IsObject(derive))
            add(&names->derived, mls_str_from(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(derive, "key"))));
    }
    cJSON_Delete(rules);
}

/* "#define MLS_LOG_KEY_SEED "seed"": one line per key. */
static void print_name(mls_buffer *line, mls_str key)
{
    mls_buffer_append_text(line, "#define MLS_LOG_KEY_");
    for (size_t i = 0; i < key.len; i++)
        mls_buffer_append_char(line, (char)toupper((unsigned char)key.ptr[i]));
    mls_buffer_printf(line, " \"%.*s\"\n", (int)key.len, key.ptr);
}

static void each_key_has_its_name(void **state)
{
    key_names names = {.memory = {0}};
    mls_buffer header = {0};
    size_t wanted = 0;
    size_t defined = 0;
    (void)state;
    names.keys.arena = names.derived.arena = &names.memory;
    for (const mls_data_file *file = mls_data_files; file->name != NULL; file++)
        if (strncmp(file->name, "rules/", 6) == 0)
            add_rules(&names, (mls_str){file->begin, (size_t)(file->end - file->begin)});
    for (int key = MLS_KEY_OTHER + 1; key < MLS_KEY_COUNT; key++)
        add(&names.keys, mls_key_text((mls_key)key));
    assert_int_equal(mls_file_read("include/mlscore/keys.h", true, 1 << 20, &header, NULL), MLS_OK);
    for (size_t i = 0; i < names.keys.count; i++) {
        const mls_str key = names.keys.entries[i].key;
        if (mls_map_find(&names.derived, key) == NULL) {
            mls_buffer line = {0};
            print_name(&line, key);
            if (!mls_str_contains(mls_buffer_str(&header), mls_buffer_str(&line)))
                fail_msg("include/mlscore/keys.h has no line %s", line.ptr);
            mls_buffer_release(&line);
            wanted++;
        }
    }
    mls_str rest = mls_buffer_str(&header);
    for (mls_str line; mls_str_cut(&rest, '\n', &line);)
        defined += mls_str_starts(line, MLS_S("#define"));
    assert_int_equal(defined, wanted);
    assert_true(wanted > 100);
    mls_buffer_release(&header);
    mls_arena_release(&names.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_key_has_its_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
