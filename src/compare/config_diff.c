/* SPDX-License-Identifier: Apache-2.0 */
/* config_diff.c - find the settings that differ between configs, and between the configs next to the logs of a
 * block. */
#include "compare/config_diff.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/walk.h"
#include "compare/side.h"

typedef struct differ {
    mls_config_diff *to;
    const mls_known_settings *known;
    bool settings; /* settings are compared instead of names; see mls_config_diff_make() */
    mls_map rows;
    MLS_LIST_OF(mls_config_row) all;
} differ;

/* Store the value of a key on a side.  If several variables set the key, the first one with a value is used. */
static void store(differ *self, mls_str key, size_t side, mls_config_word_kind kind, mls_str value)
{
    bool added;
    mls_map_entry *entry = mls_map_put(&self->rows, key, &added);
    if (added) {
        const mls_config_row row = {key, mls_arena_zeroed(self->to->arena, self->to->side_count, sizeof *row.words)};
        entry->value.number = self->all.count;
        MLS_ARENA_ADD(self->to->arena, &self->all, row);
    }
    mls_config_word *word = &self->all.items[entry->value.number].words[side];
    if (word->kind == MLS_CONFIG_UNKNOWN || (self->settings && mls_setting_is_none(word->value)))
        *word = (mls_config_word){kind, value};
}

/* Add the numbers of a config's name, and the numbers derived from its name and script.  A number is not added if it is
 * 0, which means unknown. */
static void add_parts(differ *self, size_t side)
{
    const mls_config_side *of = &self->to->sides[side];
    const mls_config_name *name = of->name;
    const bool shaped = name->kind != MLS_CONFIG_KIND_NONE;
    const uint64_t one = mls_config_has_degrees(name) ? 1 : 0; /* value of a degree that the name omits */
    const struct {
        const char *key;
        uint64_t number;
    } parts[] = {
        {"nodes", name->nodes},
        {"gpus_per_node", name->gpus_per_node},
        {"gpus", name->gpus},
        {"tensor_parallel", name->tensor_parallel != 0 ? name->tensor_parallel : one},
        {"pipeline_parallel", name->pipeline_parallel != 0 ? name->pipeline_parallel : one},
        {"context_parallel", name->context_parallel != 0 ? name->context_parallel : one},
        {"expert_parallel", name->expert_parallel},
        {"data_parallel", name->data_parallel},
        {"micro_batch", of->summary->micro_batch_size},
        {"accumulation", of->summary->gradient_accumulation},
        {"global_batch", of->summary->global_batch_size},
    };
    if (shaped && name->system.len > 0)
        store(self, MLS_S("system"), side, MLS_CONFIG_VALUE, name->system);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].number != 0) {
            store(self, mls_str_from(parts[i].key), side, MLS_CONFIG_VALUE,
                  mls_str_from(mls_arena_printf(self->to->arena, "%" PRIu64, parts[i].number)));
        }
    }
}

static bool exports_key(const mls_shell *script, mls_str key)
{
    const mls_str other = mls_key_also_spelt(key);
    return mls_shell_find(script, key) != NULL || (other.ptr != NULL && mls_shell_find(script, other) != NULL);
}

static void judge_row(differ *self, const mls_config_row *row)
{
    const mls_known_setting *known = self->settings ? mls_known_setting_named(self->known, row->key) : NULL;
    const mls_config_word *first = NULL; /* the first word with a value */
    size_t values = 0;
    size_t absent = 0;
    size_t unknown = 0;
    bool differs = false;
    for (size_t side = 0; side < self->to->side_count; side++) {
        const mls_config_word *word = &row->words[side];
        /* A value that means false or none is treated as if the setting were absent. */
        const bool word_is_false =
            known != NULL && known->kind == MLS_KNOWN_WORD && mls_setting_truth(word->value) == 0;
        const bool none =
            self->settings && word->kind == MLS_CONFIG_VALUE && (mls_setting_is_none(word->value) || word_is_false);
        values += word->kind == MLS_CONFIG_VALUE && !none;
        absent += word->kind == MLS_CONFIG_ABSENT;
        unknown += word->kind == MLS_CONFIG_UNKNOWN;
        if (word->kind == MLS_CONFIG_VALUE) {
            first = first != NULL ? first : word;
            bool same = mls_str_equal(first->value, word->value);
            /* The values 1 and true are equal, because frameworks print settings in another form than scripts export
             * them. */
            if (!same && self->settings) {
                const mls_setting a = mls_setting_of_printed(known, first->value);
                const mls_setting b = mls_setting_of_printed(known, word->value);
                same = mls_setting_same(&a, &b);
            }
            differs |= !same;
        }
    }
    differs |= values > 0 && absent > 0;
    if (differs)
        MLS_ARENA_ADD(self->to->arena, &self->to->differs, *row);
    else if (absent > 0 && unknown > 0)
        MLS_ARENA_ADD(self->to->arena, &self->to->may_differ, *row);
    else
        self->to->same += values > 1;
}

static int compare_config_rows(const void *left, const void *right)
{
    return mls_str_compare(((const mls_config_row *)left)->key, ((const mls_config_row *)right)->key);
}

void mls_config_diff_make(const mls_config_side *sides, size_t count, const mls_known_settings *known,
                          mls_config_diff *diff)
{
    *diff = (mls_config_diff){.sides = sides, .side_count = count, .arena = mls_calloc(1, sizeof(mls_arena))};
    differ self = {.to = diff, .known = known, .rows = {.arena = diff->arena}};
    for (size_t i = 0; i < count; i++)
        self.settings |= sides[i].name == NULL;
    for (size_t i = 0; i < count; i++)
        if (sides[i].name != NULL)
            add_parts(&self, i);
    const size_t parts = self.all.count;
    for (size_t side = 0; side < count; side++) {
        const mls_shell *script = sides[side].script;
        const mls_printed *printed = sides[side].printed;
        for (size_t i = 0; script != NULL && i < script->export_count; i++) {
            const mls_shell_variable *variable = &script->exports[i];
            const mls_known_setting *row = self.settings ? mls_known_setting_exported(known, variable->name) : NULL;
            store(&self, row != NULL ? mls_str_from(row->name) : mls_key_meant(variable->name), side,
                  variable->known ? MLS_CONFIG_VALUE : MLS_CONFIG_UNKNOWN, variable->value);
        }
        if (printed == NULL)
            continue;
        mls_str values[MLS_KNOWN_SETTINGS_MAX];
        (void)mls_known_values(known, printed, values);
        for (size_t i = 0; i < known->count; i++)
            if (values[i].ptr != NULL)
                store(&self, mls_str_from(known->items[i].name), side, MLS_CONFIG_VALUE, values[i]);
        for (size_t i = 0; i < printed->settings.count; i++) {
            const mls_printed_setting *setting = &printed->settings.items[i];
            if (mls_known_setting_printed(known, setting->name) == NULL)
                store(&self, setting->name, side, MLS_CONFIG_VALUE, setting->value);
        }
    }
    /* Mark a key as absent on a side whose script was read completely and does not set the key under any name.  Do this
     * only for keys that scripts can set: another script exports the key, or the table of known settings has variables
     * for it.  Numbers of names are never absent. */
    for (size_t i = parts; i < self.all.count; i++) {
        const mls_config_row *row = &self.all.items[i];
        const mls_known_setting *setting = mls_known_setting_named(known, row->key);
        const char *names = setting != NULL ? setting->exports : "";
        bool exported = names[0] != '\0';
        for (size_t side = 0; side < count && !exported; side++)
            exported = sides[side].script != NULL && exports_key(sides[side].script, row->key);
        for (size_t side = 0; side < count && exported; side++) {
            const mls_shell *script = sides[side].script;
            if (row->words[side].kind != MLS_CONFIG_UNKNOWN || script == NULL || !script->complete)
                continue;
            bool set = exports_key(script, row->key);
            const char *rest = self.settings ? names : "";
            for (mls_str name; !set && mls_list_next(&rest, '|', &name);)
                set = mls_shell_find(script, name) != NULL;
            if (!set)
                row->words[side].kind = MLS_CONFIG_ABSENT;
        }
    }
    if (self.all.count > parts)
        qsort(self.all.items + parts, self.all.count - parts, sizeof *self.all.items, compare_config_rows);
    for (size_t i = 0; i < self.all.count; i++)
        judge_row(&self, &self.all.items[i]);
}

void mls_config_diff_release(mls_config_diff *diff)
{
    mls_arena_free(diff->arena);
    *diff = (mls_config_diff){0};
}

typedef struct config_search {
    const char *config; /* name of the config in the logs; NULL: the logs do not contain it */
    char *path;         /* path of the first matching config */
    size_t count;       /* number of matching configs */
} config_search;

/* Callback for each file in the folder of the logs.  A config matches if it has the name in the logs or, if the logs do
 * not contain a name, if its name contains a shape.  Links out of the folder are ignored. */
static mls_status config_beside(void *state, mls_walk_entry *entry)
{
    config_search *search = state;
    const mls_str file = mls_str_from(entry->name);
    entry->enter = false;
    if (entry->kind != MLS_WALK_FILE || entry->outside || !mls_str_starts(file, MLS_S("config_")) ||
        !mls_str_ends(file, MLS_S(".sh")))
        return MLS_OK;
    const mls_config_name name = mls_config_name_decode(file);
    const bool fits = search->config != NULL
                          ? mls_str_equal(name.name, mls_config_name_decode(mls_str_from(search->config)).name)
                          : name.kind != MLS_CONFIG_KIND_NONE;
    if (fits && search->count++ == 0)
        search->path = mls_strdup(entry->path);
    return MLS_OK;
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

void mls_side_group_config(const mls_side_group *group, mls_shell **script, char **path)
{
    config_search search = {.config = group->config};
    mls_folder_walk walk = {.visitor = {&search, config_beside, config_folder_listed},
                            .entries_max = MLS_WALK_FILES_MAX,
                            .depth_max = 1,
                            .inside = true};
    mls_error error = {0};
    *script = NULL;
    const bool walked = group->folder == NULL || mls_folder_walk_from(&walk, group->folder, 0, &error) == MLS_OK;
    if (walked && search.count == 1 && mls_shell_read(search.path, group->folder, script, &error) != MLS_OK)
        *script = NULL;
    mls_folder_walk_release(&walk);
    *path = search.path;
    if (*script == NULL) {
        free(*path);
        *path = NULL;
    }
}

/* Maximum number of sides whose configs are compared, because the script of each side is kept in memory. */
enum { SIDES_MAX = 26 };

void mls_block_exports(const mls_block *block, const mls_known_settings *known, mls_arena *arena, mls_differings *rows)
{
    mls_shell *scripts[SIDES_MAX] = {0};
    mls_config_side sides[SIDES_MAX] = {0};
    mls_config_diff diff = {.arena = NULL};
    const size_t count = block->group_count <= SIDES_MAX ? block->group_count : 0;
    size_t configs = 0;
    for (size_t i = 0; i < count; i++) {
        char *path;
        mls_side_group_config(block->groups[i], &scripts[i], &path);
        free(path);
        sides[i] = (mls_config_side){.label = block->groups[i]->side->name, .script = scripts[i]};
        configs += scripts[i] != NULL;
    }
    if (configs > 1)
        mls_config_diff_make(sides, count, known, &diff);
    for (size_t r = 0; r < diff.differs.count; r++) {
        const mls_config_row *from = &diff.differs.items[r];
        /* Skip settings that do not describe how a job runs, such as paths, users and times. */
        bool comparable = true;
        for (size_t i = 0; i < count && comparable; i++) {
            const mls_config_word *word = &from->words[i];
            const mls_printed_setting setting = {from->key, word->value};
            comparable =
                word->kind != MLS_CONFIG_VALUE || word->value.len == 0 || mls_setting_is_comparable(known, &setting);
        }
        if (!comparable && mls_known_setting_named(known, from->key) == NULL)
            continue;
        /* A side without a config, or with an unknown value, has no value in the row. */
        const mls_differing row = {.key = mls_arena_copy(arena, from->key),
                                   .values = mls_arena_zeroed(arena, count, sizeof *row.values),
                                   .value_count = count,
                                   .differs = true,
                                   .exported = true};
        for (size_t i = 0; i < count; i++) {
            const mls_config_word *word = &from->words[i];
            mls_settings made = {0};
            row.values[i].group = block->groups[i];
            if (word->kind == MLS_CONFIG_VALUE && word->value.len > 0)
                mls_setting_add_printed(arena, &made, known, row.key, word->value);
            if (word->kind != MLS_CONFIG_UNKNOWN) {
                const mls_setting setting = made.count > 0 ? made.items[0] : (mls_setting){0};
                MLS_ARENA_ADD(arena, &row.values[i],
                              (mls_setting_value){setting, made.count == 0, block->groups[i]->runs.count});
            }
        }
        MLS_ARENA_ADD(arena, rows, row);
    }
    mls_config_diff_release(&diff);
    for (size_t i = 0; i < count; i++)
        mls_shell_free(scripts[i]);
}
