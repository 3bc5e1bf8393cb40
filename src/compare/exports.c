/* SPDX-License-Identifier: Apache-2.0 */
/* exports.c - the configs beside the logs of a block's sides, and the exports in which they differ. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/walk.h"
#include "compare/config_diff.h"
#include "compare/side.h"

/* The configs of more sides are not read: each holds a script, and each key a word of each. */
enum { SIDES_MAX = 26 };

/* Looking for the config of a group in a folder. */
typedef struct config_search {
    const char *config; /* that the logs name; NULL: they name none */
    char *path;         /* of the first that may be it */
    size_t count;       /* that may be it */
} config_search;

/* The config that the logs name, or any that has a shape; a link that leads out of the folder is none. */
static mls_status config_beside(void *state, mls_walk_entry *entry)
{
    config_search *search = state;
    const mls_str file = mls_str_from(entry->name);
    entry->enter = false;
    if (entry->kind != MLS_WALK_FILE || entry->outside || !mls_str_starts(file, MLS_S("config_")) ||
        !mls_str_ends(file, MLS_S(".sh"))) {
        return MLS_OK;
    }
    const mls_config_name name = mls_config_name_decode(file);
    const bool fits = search->config != NULL
                          ? mls_str_equal(name.name, mls_config_name_decode(mls_str_from(search->config)).name)
                          : name.kind != MLS_CONFIG_KIND_NONE;
    if (fits && search->count++ == 0) {
        search->path = mls_strdup(entry->path);
    }
    return !fits || search->path != NULL ? MLS_OK : MLS_ERROR_MEMORY;
}

static mls_status config_folder_listed(void *state, const mls_walk_entry *folder, const mls_names *names,
                                       int system_errno)
{
    (void)state;
    (void)folder;
    (void)names;
    (void)system_errno;
    return MLS_OK;
}

mls_status mls_side_group_config(const mls_side_group *group, mls_shell **script, char **path)
{
    config_search search = {.config = group->config};
    mls_folder_walk walk = {.visitor = {&search, config_beside, config_folder_listed},
                            .entries_max = MLS_WALK_FILES_MAX,
                            .depth_max = 1,
                            .inside = true};
    mls_error error = {0};
    mls_status status = MLS_OK;
    *script = NULL;
    if (group->folder != NULL) {
        status = mls_folder_walk_from(&walk, group->folder, 0, &error);
    }
    if (status == MLS_OK && search.count == 1) {
        status = mls_shell_read(search.path, group->folder, script, &error);
    }
    mls_folder_walk_release(&walk);
    *path = search.path;
    if (*script == NULL) {
        free(*path);
        *path = NULL;
    }
    return status == MLS_ERROR_MEMORY ? status : MLS_OK;
}

/* Whether a row says how a job is run, by its name and all its values: exports hold paths, users and times, too. */
static bool is_comparable_row(const mls_known_settings *known, const mls_config_row *row, size_t sides)
{
    bool comparable = true;
    for (size_t i = 0; i < sides && comparable; i++) {
        const mls_config_word *word = &row->words[i];
        const mls_printed_setting setting = {row->key, word->value};
        comparable =
            word->kind != MLS_CONFIG_VALUE || word->value.len == 0 || mls_setting_is_comparable(known, &setting);
    }
    return comparable || mls_known_setting_named(known, row->key) != NULL;
}

/* What a side's config says, if anything; nothing where it cannot be known, and where there is no config. */
static bool add_word(const mls_known_settings *known, mls_arena *arena, mls_str key, const mls_config_word *word,
                     mls_setting_values *values)
{
    mls_settings made = {0};
    if (word->kind == MLS_CONFIG_UNKNOWN) {
        return true;
    }
    if (word->kind == MLS_CONFIG_VALUE && word->value.len > 0 &&
        !mls_setting_add_printed(arena, &made, known, key, word->value)) {
        return false;
    }
    const mls_setting said = made.count > 0 ? made.items[0] : (mls_setting){0};
    return MLS_ARENA_ADD(arena, values, (mls_setting_value){said, made.count == 0, values->group->runs.count});
}

static bool add_exported_row(const mls_block *block, const mls_known_settings *known, const mls_config_row *of,
                             mls_arena *arena, mls_differings *rows)
{
    const mls_differing row = {.key = mls_arena_copy(arena, of->key),
                               .values = mls_arena_zeroed(arena, block->group_count, sizeof *row.values),
                               .value_count = block->group_count,
                               .differs = true,
                               .exported = true};
    bool ok = row.key.ptr != NULL && row.values != NULL;
    for (size_t i = 0; i < block->group_count && ok; i++) {
        row.values[i].group = block->groups[i];
        ok = add_word(known, arena, row.key, &of->words[i], &row.values[i]);
    }
    return ok && MLS_ARENA_ADD(arena, rows, row);
}

bool mls_block_exports(const mls_block *block, const mls_known_settings *known, mls_arena *arena, mls_differings *rows)
{
    mls_shell *scripts[SIDES_MAX] = {0};
    mls_config_side sides[SIDES_MAX] = {0};
    mls_config_diff diff = {0};
    const size_t sides_count = block->group_count <= SIDES_MAX ? block->group_count : 0;
    size_t configs = 0;
    bool ok = true;
    for (size_t i = 0; i < sides_count && ok; i++) {
        char *path;
        ok = mls_side_group_config(block->groups[i], &scripts[i], &path) == MLS_OK;
        free(path);
        sides[i] = (mls_config_side){.label = block->groups[i]->side->name, .script = scripts[i]};
        configs += scripts[i] != NULL;
    }
    if (ok && configs > 1) {
        ok = mls_config_diff_make(sides, sides_count, known, &diff) == MLS_OK;
    }
    for (size_t i = 0; i < diff.differs.count && ok; i++) {
        const mls_config_row *row = &diff.differs.items[i];
        ok = !is_comparable_row(known, row, sides_count) || add_exported_row(block, known, row, arena, rows);
    }
    mls_config_diff_release(&diff);
    for (size_t i = 0; i < sides_count; i++) {
        mls_shell_free(scripts[i]);
    }
    return ok;
}
