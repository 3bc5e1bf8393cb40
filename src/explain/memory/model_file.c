/* SPDX-License-Identifier: Apache-2.0 */
/* model_file.c - read a model from a file: a Hugging Face config.json, or an object with the members of
 * src/data/models.json.
 *
 * The file is not trusted.  Parts of the architecture that the file does not define are set by the model's family, like
 * the defaults of the classes in the transformers library. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/map.h"
#include "base/utf8.h"
#include "explain/memory/config_json.h"
#include "explain/model_row.h"
#include "rules/expr.h"
#include "json/json_row.h"
#include "json/value.h"

void mls_doubt_add(mls_memory_doubt *doubt, const char *format, ...)
{
    char words[MLS_MEMORY_DOUBT_MAX];
    const size_t len = strlen(doubt->words);
    va_list args;
    va_start(args, format);
    const int length = mls_text_vprintf(words, sizeof words, format, args);
    va_end(args);
    /* Append only a whole sentence, and each sentence only once. */
    if (length > 0 && strstr(doubt->words, words) == NULL && len + (size_t)length + 2 < sizeof doubt->words)
        (void)mls_text_printf(doubt->words + len, sizeof doubt->words - len, "%s%s", len > 0 ? "; " : "", words);
}

/* ---------------------------------------------------------------- members */

const cJSON *mls_item_of(const cJSON *object, const char *names)
{
    mls_str left = mls_str_from(names);
    for (mls_str name = mls_str_word(&left); name.len > 0; name = mls_str_word(&left)) {
        for (const cJSON *item = object != NULL ? object->child : NULL; item != NULL; item = item->next)
            if (mls_str_equal(mls_str_from(item->string), name) && !cJSON_IsNull(item))
                return item;
    }
    return NULL;
}

const cJSON *mls_row_of_type(const cJSON *rows, mls_str type)
{
    const cJSON *row = rows != NULL && type.len > 0 ? rows->child : NULL;
    while (row != NULL && !mls_str_among(type, mls_item_text(row, "types")))
        row = row->next;
    return row;
}

const cJSON *mls_config_member(const config_json *of, const char *names)
{
    const cJSON *places[] = {of->inner, of->outer, of->defaults, of->standard};
    const cJSON *found = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places && found == NULL; i++)
        found = mls_item_of(places[i], names);
    return found;
}

void mls_config_refuse(config_json *of, const char *name, const char *why)
{
    if (!of->wrong)
        (void)mls_error_set(of->error, MLS_ERROR_VALUE, 0, 0, "%.80s %s", name, why);
    of->wrong = true;
}

/* NOLINTBEGIN(clang-analyzer-core.NullDereference): callers pass existing members */
/* Return a member that must be a whole number from 0. */
static uint64_t config_whole(config_json *of, const cJSON *item)
{
    const double number = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (number >= 0 && number <= (double)MLS_BYTES_MAX && floor(number) >= number)
        return (uint64_t)number;
    mls_config_refuse(of, item->string, "is not a valid number: expected a whole number from 0");
    return 0;
}
/* NOLINTEND(clang-analyzer-core.NullDereference) */

uint64_t mls_config_number(config_json *of, const char *names, uint64_t otherwise)
{
    const cJSON *item = mls_config_member(of, names);
    return item != NULL ? config_whole(of, item) : otherwise;
}

bool mls_config_flag(config_json *of, const char *name, bool otherwise)
{
    const cJSON *item = mls_config_member(of, name);
    if (item != NULL && !cJSON_IsBool(item))
        mls_config_refuse(of, item->string, "is neither true nor false");
    return item != NULL ? cJSON_IsTrue(item) : otherwise;
}

/* ---------------------------------------------------------------- formulas */

/* The sizes of a model that are computed by the formula with their name. */
/* clang-format off */
#define MODEL_SIZES(S)                                                                                                 \
    S(layers) S(hidden) S(heads) S(kv_heads) S(head_dim) S(ffn) S(ffn_matrices) S(norm_vectors) S(layer_norms)         \
    S(vocabulary) S(experts) S(expert_ffn) S(expert_hidden) S(shared_experts) S(dense_layers) S(experts_per_token)     \
    S(kv_lora_rank) S(q_lora_rank) S(value_head_dim) S(qk_nope_head_dim) S(qk_rope_head_dim) S(sliding_window)         \
    S(other_parameters) S(positions)
/* clang-format on */
#define SIZE(member) {#member, offsetof(mls_model_shape, member)},
static const struct {
    const char *name;
    size_t offset;
} sizes[] = {MODEL_SIZES(SIZE)};
#undef SIZE
enum { SIZES = sizeof sizes / sizeof *sizes };

static uint64_t *shape_size(mls_model_shape *shape, size_t i)
{
    return (uint64_t *)(void *)((char *)shape + sizes[i].offset);
}

/* The value of a name in a formula; it is null if a member is missing. */
typedef struct formula_value {
    mls_value value;
    char lacks[80];   /* name of the missing member */
    const char *flag; /* name of the member with this value if the value is not a number; else NULL */
} formula_value;

/* A formula that is being evaluated; `outer` is the formula that uses the name of this one. */
typedef struct formula {
    mls_str name;
    const struct formula *outer;
} formula;

static const char *formula_of(const config_json *of, mls_str name, bool own)
{
    const cJSON *places[] = {of->family, of->state, own ? NULL : of->formulas};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        for (const cJSON *item = places[i] != NULL ? places[i]->child : NULL; item != NULL; item = item->next)
            if (mls_str_equal(mls_str_from(item->string), name))
                return cJSON_GetStringValue(item);
    }
    return NULL;
}

/* Reject the file because a member is not a number although it must be one. */
static void refuse_other(config_json *of, const formula_value *value)
{
    if (value->flag == NULL)
        return;
    if (value->value.kind == MLS_JSON_BOOL)
        mls_config_refuse(of, value->flag, "is true or false: expected a number");
    else if (value->value.kind == MLS_JSON_LIST)
        mls_config_refuse(of, value->flag, "differs between layers, which mlscore does not support");
    else if (value->value.kind == MLS_JSON_STRING)
        mls_config_refuse(of, value->flag, "is not a valid number: expected a whole number from 0");
}

static formula_value named_value(config_json *of, const formula *outer, mls_str name, bool lists, mls_arena *arena);

/* Evaluate all names in a formula, then the formula. */
static formula_value evaluate(config_json *of, const formula *self, mls_str text)
{
    mls_arena arena = {0};
    mls_map names = {.arena = &arena};
    mls_expr expr;
    formula_value result = {.lacks = "a divisor that is not 0"};
    if (mls_expr_compile(text, &names, &arena, &expr, NULL) != MLS_OK) {
        mls_config_refuse(of, text.ptr, "is not a formula: invalid src/data/models.json");
        mls_arena_release(&arena);
        return result;
    }
    const bool lists = mls_expr_uses(&expr, MLS_EXPR_LEN);
    formula_value *values = mls_arena_array(&arena, names.count + 1, sizeof *values);
    mls_variable *variables = mls_arena_array(&arena, names.count + 1, sizeof *variables);
    for (size_t i = 0; i < names.count; i++) {
        values[i] = named_value(of, self, names.entries[i].key, lists, &arena);
        variables[i] = (mls_variable){.value = values[i].value, .set = true};
    }
    for (const mls_expr_node *node = expr.nodes; node != NULL; node = node->next) {
        const bool numbers = node->op >= MLS_EXPR_ADD && node->op <= MLS_EXPR_REMAINDER;
        for (size_t i = 0; i < node->count && numbers; i++)
            if (node->operands[i]->op == MLS_EXPR_VARIABLE)
                refuse_other(of, &values[node->operands[i]->slot]);
    }
    mls_expr_input input = {.variables = variables, .arena = &arena};
    const bool evaluated = mls_expr_evaluate(expr.root, &input, &result.value);
    if (!evaluated)
        result.value.kind = MLS_JSON_NULL;
    const bool is_member = expr.root->op == MLS_EXPR_VARIABLE || expr.root->op == MLS_EXPR_OR;
    for (size_t i = names.count; i-- > 0;) { /* the first name decides, so it is handled last */
        if (values[i].value.kind != result.value.kind)
            continue;
        if (is_member)
            result.flag = values[i].flag;
        /* If evaluating failed, the reason quotes the operand that is null. */
        if (evaluated || mls_str_contains(mls_str_from(input.reason), names.entries[i].key))
            memcpy(result.lacks, values[i].lacks, sizeof result.lacks);
    }
    if (result.value.kind == MLS_JSON_STRING || result.value.kind == MLS_JSON_LIST)
        result.value = (mls_value){.kind = result.value.kind}; /* drop its items, which are in the arena */
    mls_arena_release(&arena);
    return result;
}

static formula_value named_value(config_json *of, const formula *outer, mls_str name, bool lists, mls_arena *arena)
{
    enum { LIST_MAX = 8192 };
    for (size_t i = 0; i < of->given_count; i++)
        if (mls_str_equal(mls_str_from(of->given[i].name), name))
            return (formula_value){.value = mls_value_of_number((double)of->given[i].number, true)};
    for (size_t i = 0; of->shape != NULL && i < SIZES; i++) {
        if (mls_str_equal(mls_str_from(sizes[i].name), name)) {
            mls_model_shape shape = *of->shape;
            return (formula_value){.value = mls_value_of_number((double)*shape_size(&shape, i), true)};
        }
    }
    const formula self = {name, outer};
    const formula *same = outer;
    while (same != NULL && !mls_str_equal(same->name, name))
        same = same->outer;
    const char *formula_text = same != NULL ? NULL : formula_of(of, name, false);
    if (formula_text != NULL)
        return evaluate(of, &self, mls_str_from(formula_text));
    /* A member of the file, such as attn_config__kv_n_heads.  -1 and "auto" count as missing.  A list of equal items
     * (one per layer) has the value of its item.  A list of strings has the value of its text. */
    char text[200];
    formula_value missing = {.value = {.kind = MLS_JSON_NULL}};
    (void)mls_text_printf(missing.lacks, sizeof missing.lacks, "%.*s", MLS_CUT(name, 79));
    (void)mls_text_printf(text, sizeof text, "%.*s", MLS_CUT(name, 199));
    char *inner = strstr(text, "__");
    if (inner != NULL)
        *inner = '\0';
    const cJSON *item = mls_config_member(of, text);
    if (inner != NULL)
        item = mls_item(item, inner + 2);
    if (cJSON_IsArray(item)) {
        const size_t count = (size_t)cJSON_GetArraySize(item);
        mls_buffer words = {0};
        bool alike = count <= LIST_MAX;
        for (const cJSON *one = item->child; one != NULL && count <= LIST_MAX; one = one->next) {
            alike = alike && cJSON_Compare(one, item->child, true);
            if (cJSON_IsString(one))
                mls_buffer_append_text(&words, one->valuestring);
            mls_buffer_append_char(&words, ' ');
        }
        const mls_str joined = mls_arena_copy(arena, words.ptr != NULL ? mls_buffer_str(&words) : MLS_S(""));
        mls_buffer_release(&words);
        if (cJSON_IsString(item->child))
            return (formula_value){.value = {.kind = MLS_JSON_STRING, .as.string = joined}, .flag = item->string};
        const mls_value *items = mls_arena_array(arena, count + 1, sizeof *items);
        if (lists || !alike || !cJSON_IsNumber(item->child))
            return (formula_value){.value = {.kind = MLS_JSON_LIST, .as.list = {items, count}}, .flag = item->string};
        return (formula_value){.value = mls_value_of_number((double)config_whole(of, item->child), true)};
    }
    if (item == NULL || cJSON_IsNull(item) ||
        (cJSON_IsNumber(item) && item->valuedouble >= -1 && item->valuedouble <= -1) ||
        (cJSON_IsString(item) && strcmp(item->valuestring, "auto") == 0))
        return missing;
    if (cJSON_IsBool(item))
        return (formula_value){.value = mls_value_of_bool(cJSON_IsTrue(item)), .flag = item->string};
    if (cJSON_IsString(item))
        return (formula_value){.value = {.kind = MLS_JSON_STRING, .as.string = mls_str_from(item->valuestring)},
                               .flag = item->string};
    return (formula_value){.value = mls_value_of_number((double)config_whole(of, item), true)};
}

/* Evaluate a name and return its value as a number.  Set *value to the value; if it is null, value->lacks is the name
 * of the missing member. */
static uint64_t formula_number(config_json *of, const char *name, bool flags, formula_value *value)
{
    mls_arena arena = {0};
    *value = named_value(of, NULL, mls_str_from(name), false, &arena);
    double number = 0;
    if (value->value.kind != MLS_JSON_BOOL || !flags)
        refuse_other(of, value);
    mls_arena_release(&arena);
    (void)mls_value_number(&value->value, &number);
    return number > (double)MLS_BYTES_MAX ? MLS_ABSURD : number > 0 ? (uint64_t)number : 0;
}

bool mls_formula_is_own(const config_json *of, const char *name)
{
    return formula_of(of, mls_str_from(name), true) != NULL;
}

uint64_t mls_formula_value(config_json *of, const char *name, uint64_t otherwise)
{
    formula_value value;
    const uint64_t number = formula_number(of, name, true, &value);
    return value.value.kind != MLS_JSON_NULL ? number : otherwise;
}

uint64_t mls_formula_needed(config_json *of, const char *name)
{
    formula_value value;
    const uint64_t number = formula_number(of, name, false, &value);
    if (value.value.kind == MLS_JSON_NULL)
        mls_config_refuse(of, value.lacks, "is missing");
    return number;
}

/* ---------------------------------------------------------------- families */

/* Return the family whose types contain `type`, with or without the suffix of a language part; or NULL. */
static const cJSON *family_of(const cJSON *families, mls_str type)
{
    static const char *const suffixes[] = {"", "_text", "_text_model"};
    const cJSON *found = NULL;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && found == NULL; i++) {
        const size_t len = strlen(suffixes[i]);
        if (mls_str_ends(type, mls_str_from(suffixes[i])))
            found = mls_row_of_type(families, (mls_str){type.ptr, type.len - len});
    }
    return found;
}

/* Return the member that contains the language part of a larger model, or NULL. */
static const cJSON *language_part(const cJSON *outer)
{
    static const char *const names[] = {"text_config", "llm_config", "language_config"};
    const cJSON *thinker = mls_item(outer, "thinker_config");
    const cJSON *part = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !cJSON_IsObject(part); i++)
        part = mls_item(cJSON_IsObject(thinker) ? thinker : outer, names[i]);
    return cJSON_IsObject(part) ? part : NULL;
}

/* Return the model_type of the language part or, if that is missing, of the whole config.json; "" if both are missing.
 */
static const char *family_type(const cJSON *outer)
{
    const char *type = mls_item_text(language_part(outer), "model_type");
    return type[0] != '\0' ? type : mls_item_text(outer, "model_type");
}

/* Return whether a text inside `object`, such as a formula, mentions a member of the file. */
static bool mentions(const cJSON *object, mls_str member)
{
    for (const cJSON *item = object != NULL ? object->child : NULL; item != NULL; item = item->next) {
        for (const char *at = cJSON_IsString(item) ? item->valuestring : ""; *at != '\0';) {
            const mls_str name = {at, mls_str_name_length(mls_str_from(at))};
            if (mls_str_equal(name, member))
                return true;
            at += name.len > 0 ? name.len : 1;
        }
    }
    return false;
}

/* Reject the file if a member changes the shape in a way that the family does not define.  Add a doubt for each member
 * that may do so. */
static void check_members(config_json *of, const cJSON *table, mls_memory_doubt *doubt)
{
    enum { NAMED_MAX = 6 };
    const cJSON *objects[] = {of->inner, of->outer};
    const char *keys = mls_item_text(table, "shape_keys");
    const char *known = mls_item_text(table, "known_keys");
    const char *words = mls_item_text(table, "suspect_words");
    char names[NAMED_MAX * 44] = "";
    size_t count = 0;
    for (size_t i = 0; i < 2; i++) {
        const bool nearest = objects[i] != NULL && (i == 0 || of->inner == NULL);
        for (const cJSON *item = objects[i] != NULL ? objects[i]->child : NULL; item != NULL; item = item->next) {
            const mls_str name = mls_str_from(item->string);
            const bool is_list = cJSON_IsArray(item);
            const cJSON *first = is_list ? item->child : item;
            const bool shapes = name.len > 0 && mls_str_among(name, keys);
            bool matters = true;
            if (shapes) {
                /* The member changes nothing if it is empty, false, 0, its neutral value, or a list of neutral values.
                 */
                const cJSON *neutral = mls_item(mls_item(table, "neutral"), item->string);
                bool same = neutral != NULL && (cJSON_IsNumber(item) || is_list);
                for (const cJSON *one = first; one != NULL && same; one = is_list ? one->next : NULL)
                    same = cJSON_IsNumber(one) && one->valuedouble >= neutral->valuedouble &&
                           one->valuedouble <= neutral->valuedouble;
                /* The member may also repeat the value of another member. */
                const cJSON *like = mls_config_member(of, mls_item_text(mls_item(table, "repeats"), item->string));
                same = same || (cJSON_IsNumber(item) && like != NULL && cJSON_Compare(item, like, true));
                matters = !(same || cJSON_IsFalse(item) || cJSON_IsNull(item) ||
                            (cJSON_IsString(item) && item->valuestring[0] == '\0') ||
                            (cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= 0) ||
                            ((is_list || cJSON_IsObject(item)) && item->child == NULL));
            } else {
                /* The member may change the shape if its name contains a suspect word, and its value is an integer
                 * above 1, a list of such integers, or true. */
                mls_str rest = name;
                bool suspect = false;
                for (mls_str word; rest.len > 0 && !suspect;) {
                    (void)mls_str_cut(&rest, '_', &word);
                    suspect = word.len > 0 && mls_str_among(word, words);
                }
                const bool whole =
                    cJSON_IsNumber(first) && first->valuedouble > 1 && floor(first->valuedouble) >= first->valuedouble;
                matters = nearest && suspect && (whole || cJSON_IsTrue(item)) && !mls_str_among(name, known) &&
                          !mentions(of->formulas, name);
            }
            if (!matters || mentions(of->family, name) || mentions(of->state, name))
                continue;
            if (shapes && mls_str_among(name, mls_item_text(table, "cache_keys"))) {
                of->cache_unknown = item->string;
            } else if (shapes) {
                mls_config_refuse(of, item->string, "changes the shape of the model, and mlscore does not support it");
            } else if (count++ < NAMED_MAX) {
                const size_t len = strlen(names);
                (void)mls_text_printf(names + len, sizeof names - len, "%s%.40s", len > 0 ? ", " : "", item->string);
            }
        }
    }
    if (count > 0) {
        char more[32] = "";
        if (count > NAMED_MAX)
            (void)mls_text_printf(more, sizeof more, " and %zu more", count - NAMED_MAX);
        mls_doubt_add(doubt, "%s%s may change the shape of the model and %s not supported", names, more,
                      count == 1 ? "is" : "are");
    }
}

/* Find the family in the table of src/data/models.json, which must outlive `of`.  Reject models that are known not to
 * be countable. */
static void find_family(config_json *of, const cJSON *table, mls_memory_doubt *doubt)
{
    const cJSON *families = mls_item(table, "families");
    of->inner = language_part(of->outer);
    of->type = family_type(of->outer);
    const char *types[] = {mls_item_text(of->inner, "model_type"), mls_item_text(of->outer, "model_type")};
    /* If a model consists of two encoders, count both as one model. */
    const cJSON *whole = family_of(families, mls_str_from(types[1]));
    of->family = cJSON_HasObjectItem(whole, "whole") ? whole : NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const char *why = types[i][0] != '\0' ? mls_item_text(mls_item(table, "refused"), types[i]) : "";
        if (why[0] != '\0') {
            mls_config_refuse(of, types[i], why);
            return;
        }
        of->family = of->family != NULL ? of->family : family_of(families, mls_str_from(types[i]));
    }
    of->defaults = mls_item(of->family, "defaults");
    of->formulas = mls_item(table, "formulas");
    of->state = mls_item(mls_item(table, "states"), mls_item_text(of->family, "state"));
    of->standard = cJSON_HasObjectItem(of->outer, "text_config") ? mls_item(of->family, "standard") : NULL;
    const char *note = mls_item_text(of->family, "note");
    if (of->family == NULL) {
        doubt->unsure = true;
        mls_doubt_add(doubt, "%s%.60s%s: counted as the layers of a Llama, which may be wrong",
                      of->type[0] != '\0' ? "model_type '" : "no model_type", of->type,
                      of->type[0] != '\0' ? "' is not known" : "");
    } else if (note[0] != '\0') {
        mls_doubt_add(doubt, "%s", note);
    }
    check_members(of, table, doubt);
}

/* ---------------------------------------------------------------- the file */

void mls_memory_take_model(mls_memory_ask *ask, const mls_model_shape *shape, const char *benchmark, mls_str name)
{
    ask->shape = *shape;
    ask->benchmark = benchmark;
    ask->doubt[0] = '\0';
    ask->unsure = false;
    ask->quantization = (mls_memory_form){.bytes = 0};
    ask->kv_precision = MLS_MEMORY_NOT_SET;
    ask->model_type[0] = '\0';
    mls_shape_complete(&ask->shape);
    (void)mls_text_printf(ask->model, sizeof ask->model, "%.*s", MLS_CUT(name, 100));
}

/* Parse JSON.  Skip a byte order mark, and read NaN and Infinity, which Python writes, as null: sizes are never such
 * numbers. */
static mls_status read_json(mls_str text, cJSON **json, mls_error *error)
{
    static const char *const words[] = {"-Infinity", "Infinity", "NaN"};
    mls_buffer plain = {0};
    bool quoted = false;
    for (size_t i = mls_text_mark(text); i < text.len;) {
        size_t len = 1;
        const char *put = text.ptr + i;
        for (size_t w = 0; w < sizeof words / sizeof *words && !quoted; w++) {
            const mls_str word = mls_str_from(words[w]);
            if (text.len - i >= word.len && memcmp(text.ptr + i, word.ptr, word.len) == 0) {
                len = word.len;
                put = "null     ";
                break;
            }
        }
        if (text.ptr[i] == '\\' && quoted && i + 1 < text.len)
            len = 2;
        else if (text.ptr[i] == '"')
            quoted = !quoted;
        /* "null" is one character longer than a word of three letters, so columns of later errors are off by one. */
        mls_buffer_append(&plain, (mls_str){put, len == 3 ? 4 : len});
        i += len;
    }
    const mls_status status = mls_json_tree(mls_buffer_str(&plain), json, error);
    mls_buffer_release(&plain);
    return status;
}

/* Reject objects with duplicate names, because programs read them differently.  Reject very large objects, because each
 * look-up of a name searches all members. */
static void check_object(config_json *of, const cJSON *object)
{
    enum { MEMBERS_MAX = 20000 };
    mls_arena arena = {0};
    mls_map names = {.arena = &arena};
    for (const cJSON *item = object != NULL ? object->child : NULL; item != NULL; item = item->next) {
        bool added;
        mls_map_put(&names, mls_str_from(item->string), &added);
        if (!added)
            mls_config_refuse(of, item->string, "is a duplicate");
    }
    mls_arena_release(&arena);
    if (cJSON_GetArraySize(object) > MEMBERS_MAX)
        mls_config_refuse(of, "it", "has too many members");
}

/* Read the architecture of a config.json: compute its sizes by formulas, and set what else its family defines. */
static mls_status read_hugging_face(mls_memory_doubt *doubt, const cJSON *json, mls_model_shape *shape,
                                    mls_error *error)
{
    config_json of = {.outer = json, .error = error};
    cJSON *table = NULL;
    const mls_status status = mls_json_data("models.json", &table, error);
    if (status != MLS_OK)
        return status;
    find_family(&of, table, doubt);
    check_object(&of, json);
    check_object(&of, of.inner);
    if (!of.wrong) {
        for (size_t i = 0; i < SIZES; i++) {
            formula_value value;
            *shape_size(shape, i) = formula_number(&of, sizes[i].name, false, &value);
        }
        shape->biases = (mls_biases)mls_bytes_min(mls_formula_value(&of, "biases", 0), MLS_BIASES_ALL);
        shape->tied_embeddings = mls_formula_value(&of, "tied", 0) != 0 ? MLS_SAID_YES : MLS_SAID_NO;
        shape->qk_norms = mls_formula_value(&of, "qk_norms", 0) != 0;
        shape->sinks = mls_formula_value(&of, "sinks", 0) != 0;
        shape->expert_biases = mls_formula_value(&of, "expert_biases", 0) != 0;
        shape->router_biases = mls_formula_value(&of, "router_biases", 0) != 0;
        mls_config_read_layers(&of, shape);
        if (of.cache_unknown != NULL) {
            doubt->unsure = true;
            mls_doubt_add(
                doubt,
                "the KV cache is not known, because %.60s changes it: layers without a known window are counted "
                "with all tokens",
                of.cache_unknown);
        }
        if (mls_formula_is_own(&of, "beside") && shape->heads != 0) {
            mls_model_shape complete = *shape;
            mls_shape_complete(&complete);
            of.shape = &complete;
            shape->other_parameters = mls_formula_needed(&of, "beside");
            of.shape = NULL;
        }
        mls_towers_read(&of, table, shape, doubt);
    }
    cJSON_Delete(table);
    return of.wrong ? MLS_ERROR_VALUE : MLS_OK;
}

mls_status mls_memory_model_parse(mls_memory_ask *ask, mls_str text, mls_str name, mls_error *error)
{
    mls_model model = {.name = NULL};
    mls_memory_doubt doubt = {.unsure = false};
    mls_arena arena = {0};
    cJSON *json = NULL;
    mls_status status = read_json(text, &json, error);
    if (status == MLS_OK && !cJSON_IsObject(json))
        status = mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "not a model: expected a JSON object");
    else if (status == MLS_OK && cJSON_HasObjectItem(json, "layers") && cJSON_HasObjectItem(json, "hidden"))
        status = mls_model_read(json, &arena, &model, error);
    else if (status == MLS_OK)
        status = read_hugging_face(&doubt, json, &model.shape, error);
    status = status == MLS_OK ? mls_shape_check(&model.shape, error) : status;
    if (status == MLS_OK) {
        mls_quantized quantized = {.kv_precision = MLS_MEMORY_NOT_SET};
        mls_memory_take_model(ask, &model.shape, NULL, model.name != NULL ? mls_str_from(model.name) : name);
        (void)mls_text_printf(ask->model_type, sizeof ask->model_type, "%.60s", family_type(json));
        ask->doubt_apart = strlen(doubt.words);
        ask->unsure_apart = doubt.unsure;
        status = model.name == NULL
                     ? mls_quantization_read(json, ask->model_type, &ask->shape, &quantized, &doubt, error)
                     : MLS_OK;
        ask->quantization = quantized.form;
        ask->kv_precision = quantized.kv_precision;
        memcpy(ask->doubt, doubt.words, sizeof ask->doubt);
        ask->unsure = doubt.unsure;
    }
    mls_arena_release(&arena);
    cJSON_Delete(json);
    return status;
}

mls_status mls_memory_quantization_parse(mls_memory_ask *ask, mls_str text, mls_error *error)
{
    mls_memory_doubt doubt = {.unsure = ask->unsure_apart};
    mls_quantized quantized;
    cJSON *json = NULL;
    mls_status status = read_json(text, &json, error);
    if (status != MLS_OK)
        return status;
    cJSON *config = cJSON_CreateObject();
    cJSON_AddItemToObject(config, "quantization_config", json);
    memcpy(doubt.words, ask->doubt, ask->doubt_apart); /* replace the doubt about the weights from config.json */
    status = mls_quantization_read(config, ask->model_type, &ask->shape, &quantized, &doubt, error);
    if (status == MLS_OK && ask->quantization.bytes == 0) {
        ask->quantization = quantized.form;
        memcpy(ask->doubt, doubt.words, sizeof ask->doubt);
        ask->unsure = doubt.unsure;
    }
    if (status == MLS_OK && ask->kv_precision == MLS_MEMORY_NOT_SET)
        ask->kv_precision = quantized.kv_precision;
    cJSON_Delete(config);
    return status;
}
