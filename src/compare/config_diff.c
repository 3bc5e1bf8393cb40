/* SPDX-License-Identifier: Apache-2.0 */
/* config_diff.c - the keys of configs and what each side says of them, sorted by whether they differ. */
#include "compare/config_diff.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "compare/side.h"

typedef struct differ {
    mls_config_diff *to;
    const mls_known_settings *known;
    bool settings; /* are compared: see mls_config_diff_make() */
    mls_map rows;
    MLS_LIST_OF(mls_config_row) all;
} differ;

/* The word of a side for a key, new or known; NULL: no memory. */
static mls_config_word *word_of(differ *self, mls_str key, size_t side)
{
    bool added;
    mls_map_entry *entry = mls_map_put(&self->rows, key, &added);
    if (entry != NULL && added) {
        mls_config_row row = {key, mls_arena_zeroed(self->to->arena, self->to->side_count, sizeof *row.words)};
        entry->value.number = self->all.count;
        if (row.words == NULL || !MLS_ARENA_ADD(self->to->arena, &self->all, row)) {
            return NULL;
        }
    }
    return entry != NULL ? &self->all.items[entry->value.number].words[side] : NULL;
}

static bool say(differ *self, mls_str key, size_t side, mls_config_word_kind kind, mls_str value)
{
    mls_config_word *word = word_of(self, key, side);
    /* Of several variables that mean one setting the first that says something counts. */
    if (word != NULL && (word->kind == MLS_CONFIG_UNKNOWN || (self->settings && mls_setting_is_none(word->value)))) {
        *word = (mls_config_word){kind, value};
    }
    return word != NULL;
}

/* Parts of a name and what follows from name and text; 0 is not known. */
static bool add_parts(differ *self, size_t side)
{
    const mls_config_side *of = &self->to->sides[side];
    const mls_config_name *name = of->name;
    const bool shaped = name->kind != MLS_CONFIG_KIND_NONE;
    const uint64_t one = mls_config_has_degrees(name) ? 1 : 0; /* a degree that is left out */
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
    bool ok = !shaped || name->system.len == 0 || say(self, MLS_S("system"), side, MLS_CONFIG_VALUE, name->system);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && ok; i++) {
        char digits[24];
        const int len = mls_text_printf(digits, sizeof digits, "%" PRIu64, parts[i].number);
        const mls_str copy = mls_arena_copy(self->to->arena, (mls_str){digits, (size_t)len});
        ok = copy.ptr != NULL &&
             (parts[i].number == 0 || say(self, mls_str_from(parts[i].key), side, MLS_CONFIG_VALUE, copy));
    }
    return ok;
}

static bool add_exports(differ *self, size_t side)
{
    const mls_shell *script = self->to->sides[side].script;
    bool ok = true;
    for (size_t i = 0; i < script->export_count && ok; i++) {
        const mls_shell_variable *variable = &script->exports[i];
        const mls_known_setting *known =
            self->settings ? mls_known_setting_exported(self->known, variable->name) : NULL;
        const mls_str key = known != NULL ? mls_str_from(known->name) : mls_key_meant(variable->name);
        ok = say(self, key, side, variable->known ? MLS_CONFIG_VALUE : MLS_CONFIG_UNKNOWN, variable->value);
    }
    return ok;
}

static bool add_printed_side(differ *self, size_t side)
{
    const mls_printed *printed = self->to->sides[side].printed;
    mls_str values[MLS_KNOWN_SETTINGS_MAX];
    bool ok = true;
    (void)mls_known_values(self->known, printed, values);
    for (size_t i = 0; i < self->known->count && ok; i++) {
        ok = values[i].ptr == NULL ||
             say(self, mls_str_from(self->known->items[i].name), side, MLS_CONFIG_VALUE, values[i]);
    }
    for (size_t i = 0; i < printed->settings.count && ok; i++) {
        const mls_printed_setting *setting = &printed->settings.items[i];
        if (mls_known_setting_printed(self->known, setting->name) == NULL) {
            ok = say(self, setting->name, side, MLS_CONFIG_VALUE, setting->value);
        }
    }
    return ok;
}

/* Check whether a script exports a key, in one spelling or the other. */
static bool exports_key(const mls_shell *script, mls_str key)
{
    const mls_str other = mls_key_also_spelt(key);
    return mls_shell_find(script, key) != NULL || (other.ptr != NULL && mls_shell_find(script, other) != NULL);
}

/* Whether scripts could have said something of a key: some script does, or exports are known that set it. */
static bool is_exported(const differ *self, mls_str key)
{
    const mls_known_setting *known = mls_known_setting_named(self->known, key);
    bool exported = known != NULL && known->exports[0] != '\0';
    for (size_t side = 0; side < self->to->side_count && !exported; side++) {
        exported = self->to->sides[side].script != NULL && exports_key(self->to->sides[side].script, key);
    }
    return exported;
}

/* Whether a script sets what a row is about, under whatever name, known or not. */
static bool is_set_by(const differ *self, const mls_shell *script, mls_str key)
{
    const mls_known_setting *known = self->settings ? mls_known_setting_named(self->known, key) : NULL;
    const char *names = known != NULL ? known->exports : "";
    bool set = exports_key(script, key);
    for (mls_str name; !set && mls_list_next(&names, '|', &name);) {
        set = mls_shell_find(script, name) != NULL;
    }
    return set;
}

/* A script that was read to its end does not export what it does not list; parts of names are never absent. */
static void find_absent(differ *self, size_t parts)
{
    for (size_t i = parts; i < self->all.count; i++) {
        const size_t sides = is_exported(self, self->all.items[i].key) ? self->to->side_count : 0;
        for (size_t side = 0; side < sides; side++) {
            const mls_shell *script = self->to->sides[side].script;
            mls_config_word *word = &self->all.items[i].words[side];
            if (word->kind == MLS_CONFIG_UNKNOWN && script != NULL && script->complete &&
                !is_set_by(self, script, self->all.items[i].key)) {
                word->kind = MLS_CONFIG_ABSENT;
            }
        }
    }
}

/* Of settings 1 is true, as frameworks print what configs export in another form. */
static bool same_word(const mls_known_setting *known, mls_str a, mls_str b)
{
    const mls_setting x = mls_setting_of_printed(known, a);
    const mls_setting y = mls_setting_of_printed(known, b);
    return mls_setting_same(&x, &y);
}

/* Whether a word says of a setting that there is none. */
static bool says_none(const mls_known_setting *known, const mls_config_word *word)
{
    const bool word_is_false = known != NULL && known->kind == MLS_KNOWN_WORD && mls_setting_truth(word->value) == 0;
    return mls_setting_is_none(word->value) || word_is_false;
}

static bool judge_row(differ *self, const mls_config_row *row)
{
    const mls_known_setting *known = self->settings ? mls_known_setting_named(self->known, row->key) : NULL;
    const mls_config_word *first = NULL; /* that has a value */
    size_t values = 0;
    size_t absent = 0;
    size_t unknown = 0;
    bool differs = false;
    for (size_t side = 0; side < self->to->side_count; side++) {
        const mls_config_word *word = &row->words[side];
        const bool none = self->settings && word->kind == MLS_CONFIG_VALUE && says_none(known, word);
        values += word->kind == MLS_CONFIG_VALUE && !none;
        absent += word->kind == MLS_CONFIG_ABSENT;
        unknown += word->kind == MLS_CONFIG_UNKNOWN;
        if (word->kind == MLS_CONFIG_VALUE) {
            first = first != NULL ? first : word;
            differs |= !mls_str_equal(first->value, word->value) &&
                       !(self->settings && same_word(known, first->value, word->value));
        }
    }
    differs |= values > 0 && absent > 0;
    if (differs) {
        return MLS_ARENA_ADD(self->to->arena, &self->to->differs, *row);
    }
    if (absent > 0 && unknown > 0) {
        return MLS_ARENA_ADD(self->to->arena, &self->to->may_differ, *row);
    }
    self->to->same += values > 1;
    return true;
}

static int compare_config_rows(const void *left, const void *right)
{
    return mls_str_compare(((const mls_config_row *)left)->key, ((const mls_config_row *)right)->key);
}

mls_status mls_config_diff_make(const mls_config_side *sides, size_t count, const mls_known_settings *known,
                                mls_config_diff *diff)
{
    *diff = (mls_config_diff){.sides = sides, .side_count = count, .arena = mls_calloc(1, sizeof(mls_arena))};
    differ self = {.to = diff, .known = known, .rows = {.arena = diff->arena}};
    bool ok = diff->arena != NULL;
    for (size_t i = 0; i < count; i++) {
        self.settings |= sides[i].name == NULL;
    }
    for (size_t i = 0; i < count && ok; i++) {
        ok = sides[i].name == NULL || add_parts(&self, i);
    }
    const size_t parts = self.all.count;
    for (size_t i = 0; i < count && ok; i++) {
        ok = (sides[i].script == NULL || add_exports(&self, i)) &&
             (sides[i].printed == NULL || add_printed_side(&self, i));
    }
    if (ok) {
        find_absent(&self, parts);
        if (self.all.count > parts) {
            qsort(self.all.items + parts, self.all.count - parts, sizeof *self.all.items, compare_config_rows);
        }
    }
    for (size_t i = 0; i < self.all.count && ok; i++) {
        ok = judge_row(&self, &self.all.items[i]);
    }
    return ok ? MLS_OK : MLS_ERROR_MEMORY;
}

void mls_config_diff_release(mls_config_diff *diff)
{
    mls_arena_free(diff->arena);
    *diff = (mls_config_diff){0};
}
