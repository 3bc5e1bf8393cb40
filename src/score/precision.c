/* SPDX-License-Identifier: Apache-2.0 */
/* precision.c - the lowest precision in which a group trained its linear layers: as disclosed in its logs, as printed
 * by its job, or as its config in the submission sets it. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/walk.h"
#include "config/config.h"
#include "score/score.h"
#include "json/value.h"

enum { FOLDERS_DEEP_MAX = 12, ENTRIES_MAX = 20000, WORD_MIN = 5 };

/* The names of a precision in the disclosure of a log. */
static const struct {
    const char *value, *names;
} disclosed_names[] = {
    {"fp4", "fp4|nvfp4|mxfp4"}, {"fp8", "fp8|mxfp8"},      {"int8", "int8|uint8"},
    {"int4", "int4|uint4"},     {"bf16", "bf16|bfloat16"}, {"fp16", "fp16|float16.16"},
    {"tf32", "tf32"},           {"fp32", "fp32|float32"},  {"fp64", "fp64|float64"},
};

static bool take_disclosed(mls_group *group);
static void take_config(mls_group *group, mls_str folder);
static bool take_name(mls_group *group);

static bool is_known(const mls_group *group)
{
    return group->precision.value != NULL;
}

static void set(mls_group *group, const char *value, const char *source, const char *name, const char *join,
                mls_str text)
{
    mls_buffer evidence = {0};
    mls_buffer_printf(&evidence, "%s%s%.*s", name, join, (int)text.len, text.ptr);
    group->arena = group->arena != NULL ? group->arena : mls_calloc(1, sizeof *group->arena);
    group->precision.value = value;
    group->precision.source = source;
    group->precision.evidence = mls_arena_copy(group->arena, mls_buffer_str(&evidence)).ptr;
    mls_buffer_release(&evidence);
}

void mls_group_find_precision(mls_group *group, mls_str folder)
{
    const mls_printed_facts *printed = NULL;
    for (size_t i = 0; i < group->run_count && printed == NULL; i++)
        if (group->runs[i]->facts.precision != MLS_PRINTED_NO_PRECISION)
            printed = &group->runs[i]->facts;
    take_config(group, folder);
    const mls_group_precision config = group->precision;
    group->precision = (mls_group_precision){.healing = config.healing};
    if (take_disclosed(group))
        return;
    if (printed != NULL && printed->precision <= MLS_PRINTED_FP4)
        set(group, mls_printed_precision_name(printed->precision), "printed", printed->words, "", MLS_S(""));
    else if (config.value != NULL)
        group->precision = config;
    else if (!take_name(group) && printed != NULL)
        set(group, mls_printed_precision_name(printed->precision), "printed", printed->words, "", MLS_S(""));
}

static const mls_hyperparameter *disclosure_of(const mls_run *run)
{
    for (size_t i = 0; i < run->hyperparameter_count; i++)
        if (mls_str_equal(run->hyperparameters[i].key, MLS_S("lowest_numerical_precision_in_linear")))
            return &run->hyperparameters[i];
    return NULL;
}

/* Take the precision that all runs disclose.  Return whether they disclose one, even if its name is unknown. */
static bool take_disclosed(mls_group *group)
{
    const mls_hyperparameter *first = disclosure_of(group->runs[0]);
    if (first == NULL)
        return false;
    for (size_t i = 1; i < group->run_count; i++) {
        const mls_hyperparameter *other = disclosure_of(group->runs[i]);
        if (other == NULL || strcmp(first->value, other->value) != 0)
            return false;
    }
    mls_str text = mls_str_from(first->value);
    if (text.len >= 2 && text.ptr[0] == '"')
        text = (mls_str){text.ptr + 1, text.len - 2};
    char plain[32]; /* without blanks */
    size_t len = 0;
    for (size_t i = 0; i < text.len && len < sizeof plain; i++)
        if (text.ptr[i] != ' ')
            plain[len++] = text.ptr[i];
    const mls_str key = first->other ? mls_key_also_spelt(first->key) : first->key;
    for (size_t i = 0; i < sizeof disclosed_names / sizeof *disclosed_names; i++)
        if (mls_str_any((mls_str){plain, len}, disclosed_names[i].names, mls_str_alike))
            set(group, disclosed_names[i].value, "disclosed", key.ptr, ": ", text);
    return true;
}

/* Take the precision from the parts of the name of the config. */
static bool take_name(mls_group *group)
{
    static const char *const names[][2] = {
        {"nvfp4", "fp4"}, {"mxfp4", "fp4"}, {"fp4", "fp4"}, {"mxfp8", "fp8"}, {"fp8", "fp8"}};
    mls_str rest = mls_config_name_decode(mls_str_from(group->config)).name;
    const mls_str whole = rest;
    for (mls_str part; rest.len > 0;) {
        (void)mls_str_cut(&rest, '_', &part);
        for (size_t i = 0; i < sizeof names / sizeof *names && !is_known(group); i++)
            if (mls_str_alike(part, mls_str_from(names[i][0])))
                set(group, names[i][1], "name", "", "", whole);
    }
    return is_known(group);
}

/* ---------------------------------------------------- configs of a submission */

/* A config of the benchmark of a group. */
typedef struct config_file {
    char *path;
    size_t below;         /* offset of the path below benchmarks/BENCHMARK/ */
    mls_config_name name; /* its texts are in the path */
} config_file;

typedef MLS_LIST_OF(config_file) configs;

static mls_status listed(void *state, const mls_walk_entry *folder, const mls_names *names, int system_errno)
{
    (void)state;
    (void)folder;
    (void)names;
    (void)system_errno;
    return MLS_OK;
}

static mls_status found_entry(void *state, mls_walk_entry *entry)
{
    configs *all = state;
    const mls_str name = mls_str_from(entry->name);
    if (entry->name[0] == '.')
        entry->enter = false;
    if (entry->kind != MLS_WALK_FILE || !mls_str_starts(name, MLS_S("config_")) || !mls_str_ends(name, MLS_S(".sh")))
        return MLS_OK;
    MLS_GROW(all, items);
    config_file *added = &all->items[all->count++];
    added->path = mls_strdup(entry->path);
    added->below = strlen(entry->path) - strlen(entry->below);
    added->name = mls_config_name_decode(mls_str_from(added->path));
    return MLS_OK;
}

/* Append the letters and digits of a text, in lower case. */
static mls_str plain_text(mls_str text, mls_buffer *out)
{
    const size_t from = out->len;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (mls_is_digit(c) || (c >= 'a' && c <= 'z'))
            mls_buffer_append_char(out, c);
        else if (c >= 'A' && c <= 'Z')
            mls_buffer_append_char(out, (char)(c - 'A' + 'a'));
    }
    return (mls_str){out->ptr + from, out->len - from};
}

/* Return whether the letters and digits of `part` are in those of `text`, and there are any. */
static bool lies_in(mls_str part, mls_str text)
{
    mls_buffer both = {0};
    const size_t len = plain_text(part, &both).len;
    (void)plain_text(text, &both);
    const bool found = len > 0 && mls_str_contains((mls_str){both.ptr + len, both.len - len}, (mls_str){both.ptr, len});
    mls_buffer_release(&both);
    return found;
}

static bool is_like(mls_str a, mls_str b)
{
    return lies_in(a, b) && lies_in(b, a);
}

static uint64_t exported_number(const mls_shell *script, const char *names)
{
    mls_str rest = mls_str_from(names);
    for (mls_str name; rest.len > 0;) {
        size_t number;
        (void)mls_str_cut(&rest, ' ', &name);
        const mls_shell_variable *variable = mls_shell_find(script, name);
        if (variable != NULL && variable->known && mls_size_parse(variable->value, &number))
            return number;
    }
    return 0;
}

static bool has_shape(const mls_group *group, const config_file *config)
{
    const mls_config_name *name = &config->name;
    const mls_str id = mls_str_from(group->system_id);
    const mls_accelerator_model model = mls_accelerator_model_of(name->system);
    return name->gpus > 0 && (double)name->gpus == group->accelerators && (double)name->nodes == group->nodes &&
           (name->global_batch_size == 0 || isnan(group->global_batch_size) ||
            (double)name->global_batch_size == group->global_batch_size) &&
           ((group->accelerator != NULL && strcmp(model.text, group->accelerator) == 0) || lies_in(name->system, id) ||
            lies_in(id, name->system));
}

/* Check whether a config without a number of GPUs in its name is of the system: one of the words in its name is in the
 * system's id, and it does not set another size. */
static bool has_word(const mls_group *group, const config_file *config, const char *root)
{
    mls_str rest = config->name.name;
    bool named = false;
    for (mls_str word; rest.len > 0 && config->name.gpus == 0;) {
        size_t letters = 0;
        size_t digits = 0;
        (void)mls_str_cut(&rest, '_', &word);
        for (size_t i = 0; i < word.len; i++) {
            digits += mls_is_digit(word.ptr[i]);
            letters += (word.ptr[i] | 0x20) >= 'a' && (word.ptr[i] | 0x20) <= 'z';
        }
        named |=
            letters > 0 && digits > 0 && letters + digits >= WORD_MIN && lies_in(word, mls_str_from(group->system_id));
    }
    mls_shell *script = NULL;
    if (!named || mls_shell_read(config->path, root, &script, NULL) != MLS_OK)
        return false;
    const uint64_t size = exported_number(script, MLS_CONFIG_NODES) * exported_number(script, MLS_CONFIG_GPUS_PER_NODE);
    mls_shell_free(script);
    return size == 0 || (double)size == group->accelerators;
}

/* How the configs of a group are chosen: the first of these that some config fulfils.  After BY_SHAPE, they choose
 * among the configs with the shape. */
typedef enum choice {
    BY_NAME,
    BY_SYSTEM,
    BY_SHAPE,
    BY_WORD,
    IN_FOLDER,
    IN_FOLDER_BEGINNING,
    BY_SYSTEM_PART,
    CHOICES
} choice;

static bool is_chosen(const mls_group *group, const config_file *config, choice by, const char *root)
{
    const mls_str id = mls_str_from(group->system_id);
    mls_str folders = mls_path_folder(mls_str_from(config->path + config->below));
    switch (by) {
    case BY_NAME:
        return mls_str_equal(config->name.name, mls_config_name_decode(mls_str_from(group->config)).name);
    case BY_SYSTEM:
        return is_like(config->name.name, id);
    case BY_SHAPE:
        return has_shape(group, config);
    case BY_WORD:
        return has_word(group, config, root);
    case BY_SYSTEM_PART:
        return lies_in(config->name.system, id);
    default:
        break;
    }
    for (mls_str folder; folders.len > 0;) {
        (void)mls_str_cut(&folders, '/', &folder);
        mls_buffer plain = {0};
        const size_t len = plain_text(folder, &plain).len;
        (void)plain_text(id, &plain);
        const bool begins = len > 0 && plain.len - len >= len && memcmp(plain.ptr, plain.ptr + len, len) == 0;
        mls_buffer_release(&plain);
        if (by == IN_FOLDER ? is_like(folder, id) : begins)
            return true;
    }
    return false;
}

/* Keep the configs that are chosen in this way.  If `must` is not set and none is, keep all. */
static size_t keep(const mls_group *group, configs *all, choice by, const char *root, bool must)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (is_chosen(group, &all->items[i], by, root)) {
            const config_file moved = all->items[kept];
            all->items[kept++] = all->items[i];
            all->items[i] = moved;
        }
    }
    if (kept > 0 || must) {
        for (size_t i = kept; i < all->count; i++)
            free(all->items[i].path);
        all->count = kept;
    }
    return kept;
}

static bool is_on(const mls_shell_variable *variable)
{
    return variable != NULL && variable->known &&
           (mls_str_alike(variable->value, MLS_S("true")) || mls_str_alike(variable->value, MLS_S("yes")) ||
            mls_str_alike(variable->value, MLS_S("on")) || mls_str_equal(variable->value, MLS_S("1")));
}

/* Take what the group's config in benchmarks/ beside results/ exports.  Several configs that may be the group's must
 * agree.  Anything unknown leaves the precision unknown. */
static void take_config(mls_group *group, mls_str folder)
{
    configs all = {0};
    mls_folder_walk walk = {.visitor = {&all, found_entry, listed},
                            .entries_max = ENTRIES_MAX,
                            .depth_max = FOLDERS_DEEP_MAX,
                            .inside = true};
    mls_str id;
    mls_str above;
    if (group->system_id == NULL || group->benchmark == NULL || !mls_folder_of_system(folder, &id, &above))
        return;
    mls_buffer root = {0};
    mls_buffer path = {0};
    mls_buffer_append(&root, above.len > 0 ? above : MLS_S("./"));
    mls_buffer_printf(&path, "%sbenchmarks/%s/", root.ptr, group->benchmark);
    if (!mls_folder_is_of_other_user(root.ptr) && access(path.ptr, R_OK) == 0 &&
        mls_folder_walk_from(&walk, path.ptr, 0, NULL) == MLS_OK) {
        if (group->config != NULL) {
            keep(group, &all, BY_NAME, root.ptr, true);
        } else if (keep(group, &all, BY_SYSTEM, root.ptr, false) == 0) {
            if (keep(group, &all, BY_SHAPE, root.ptr, false) == 0)
                keep(group, &all, BY_WORD, root.ptr, true);
            else if (keep(group, &all, IN_FOLDER, root.ptr, false) == 0 &&
                     keep(group, &all, IN_FOLDER_BEGINNING, root.ptr, false) == 0)
                keep(group, &all, BY_SYSTEM_PART, root.ptr, false);
        }
        static const char *const names[][2] = {{"FP4", "fp4"}, {"FP8", "fp8"}};
        bool agree = all.count > 0;
        for (size_t i = 0; i < all.count && agree; i++) {
            group->arena = group->arena != NULL ? group->arena : mls_calloc(1, sizeof *group->arena);
            mls_group own = {.arena = group->arena};
            mls_shell *script = NULL;
            agree = mls_shell_read(all.items[i].path, root.ptr, &script, NULL) == MLS_OK;
            for (size_t k = 0; k < 2 && agree && !is_known(&own); k++) {
                const mls_shell_variable *variable = mls_shell_find(script, mls_str_from(names[k][0]));
                agree = variable == NULL || variable->known;
                if (agree && is_on(variable))
                    set(&own, names[k][1], "config", names[k][0], "=", variable->value);
            }
            const uint64_t healing = agree ? exported_number(script, "HEALING_ITER") : 0;
            own.precision.healing = healing <= UINT32_MAX ? (uint32_t)healing : 0;
            agree = agree && (i == 0 || (own.precision.value == group->precision.value &&
                                         own.precision.healing == group->precision.healing));
            group->precision = own.precision;
            mls_shell_free(script);
        }
        if (!agree)
            group->precision = (mls_group_precision){0};
    }
    mls_folder_walk_release(&walk);
    for (size_t i = 0; i < all.count; i++)
        free(all.items[i].path);
    free(all.items);
    mls_buffer_release(&path);
    mls_buffer_release(&root);
}
