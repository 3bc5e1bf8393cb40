/* SPDX-License-Identifier: Apache-2.0 */
/* formula.c - formulas of src/data/models.json, by recursive descent. */
#include "explain/memory/formula.h"

#include <ctype.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/utf8.h"

/* The sizes of a model that have a formula of their name. */
static const struct {
    const char *name;
    size_t offset;
} shape_sizes[] = {
#define SIZE(member)                                                                                                   \
    {                                                                                                                  \
#member, offsetof(mls_model_shape, member)                                                                     \
    }
    SIZE(layers),
    SIZE(hidden),
    SIZE(heads),
    SIZE(kv_heads),
    SIZE(head_dim),
    SIZE(ffn),
    SIZE(ffn_matrices),
    SIZE(norm_vectors),
    SIZE(layer_norms),
    SIZE(vocabulary),
    SIZE(experts),
    SIZE(expert_ffn),
    SIZE(expert_hidden),
    SIZE(shared_experts),
    SIZE(dense_layers),
    SIZE(experts_per_token),
    SIZE(kv_lora_rank),
    SIZE(q_lora_rank),
    SIZE(value_head_dim),
    SIZE(qk_nope_head_dim),
    SIZE(qk_rope_head_dim),
    SIZE(sliding_window),
    SIZE(other_parameters),
    SIZE(positions),
#undef SIZE
};

static uint64_t *shape_size(mls_model_shape *shape, size_t i)
{
    return (uint64_t *)(void *)((char *)shape + shape_sizes[i].offset);
}

/* A value, or what is lacking for it. */
typedef struct formula_number {
    uint64_t number;
    mls_str lacks;    /* ptr NULL: nothing */
    const char *flag; /* the member that it is, which is true or false; NULL: it is a number */
} formula_number;

/* The names whose formulas are being read, the innermost first. */
typedef struct formula_name {
    mls_str name;
    const struct formula_name *outer;
} formula_name;

typedef struct formula {
    config_json *of;
    const formula_name *within;
    const char *at; /* what is left of the text */
} formula;

static formula_number read_choice(formula *f);

static formula_number of_number(uint64_t number)
{
    return (formula_number){.number = number};
}

static formula_number lacking(mls_str name)
{
    return (formula_number){.lacks = name};
}

static bool takes(formula *f, char mark)
{
    while (*f->at == ' ') {
        f->at++;
    }
    const bool is = *f->at == mark;
    f->at += is;
    return is;
}

static const cJSON *named_formula(const cJSON *formulas, mls_str name)
{
    for (const cJSON *item = formulas != NULL ? formulas->child : NULL; item != NULL; item = item->next) {
        if (mls_str_equal(mls_str_from(item->string), name)) {
            return item;
        }
    }
    return NULL;
}

static const char *formula_of(const config_json *of, mls_str name, bool own)
{
    const cJSON *places[] = {of->family, of->state, of->formulas};
    const size_t count = sizeof places / sizeof *places - own;
    const cJSON *found = NULL;
    for (size_t i = 0; i < count && found == NULL; i++) {
        found = named_formula(places[i], name);
    }
    return cJSON_GetStringValue(found);
}

/* The member of a name such as attn_config.kv_n_heads; NULL: the file has none. */
static const cJSON *file_member(const config_json *of, mls_str name)
{
    mls_str first;
    mls_str rest = name;
    char text[200];
    if (!mls_str_cut(&rest, '.', &first)) {
        first = name;
        rest.len = 0;
    }
    (void)mls_text_printf(text, sizeof text, "%.*s", MLS_CUT(first, 199));
    for (char *comma = strchr(text, ','); comma != NULL; comma = strchr(comma, ',')) {
        *comma = ' ';
    }
    const cJSON *item = mls_config_member(of, text);
    if (rest.len > 0 && item != NULL) {
        item = named_formula(item, rest);
    }
    return item;
}

/* The item of all layers in a list, refused where they differ. */
static const cJSON *common_item(config_json *of, const cJSON *list)
{
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        if (!cJSON_Compare(item, list->child, true)) {
            mls_config_refuse(of, list->string, "is not the same for all layers, which is not known here");
            return NULL;
        }
    }
    return list->child;
}

/* Some write "auto" or -1 for what follows from the rest.  each: a list for the layers is fine. */
static formula_number member_value(config_json *of, mls_str name, bool each)
{
    const cJSON *item = file_member(of, name);
    item = each && cJSON_IsArray(item) ? common_item(of, item) : item;
    const bool none = cJSON_IsNumber(item) && item->valuedouble >= -1 && item->valuedouble <= -1;
    if (item == NULL || cJSON_IsNull(item) || none ||
        (cJSON_IsString(item) && strcmp(item->valuestring, "auto") == 0)) {
        return lacking(name);
    }
    if (cJSON_IsBool(item)) {
        return (formula_number){.number = (uint64_t)cJSON_IsTrue(item), .flag = item->string};
    }
    return of_number(mls_config_whole(of, item));
}

/* Whether a text, or one of a list of texts, has the part. */
static bool text_has(const cJSON *item, mls_str part)
{
    bool has = false;
    for (const cJSON *one = cJSON_IsArray(item) ? item->child : NULL; one != NULL; one = one->next) {
        has |= cJSON_IsString(one) && mls_str_contains(mls_str_from(one->valuestring), part);
    }
    return has || (cJSON_IsString(item) && mls_str_contains(mls_str_from(item->valuestring), part));
}

static formula_number named_value(config_json *of, const formula_name *within, mls_str name)
{
    static const mls_str mark = MLS_STR("[]");
    if (mls_str_ends(name, mark)) {
        return member_value(of, (mls_str){name.ptr, name.len - mark.len}, true);
    }
    for (size_t i = 0; i < of->given_count; i++) {
        if (mls_str_equal(mls_str_from(of->given[i].name), name)) {
            return of_number(of->given[i].number);
        }
    }
    for (size_t i = 0; of->shape != NULL && i < sizeof shape_sizes / sizeof *shape_sizes; i++) {
        if (mls_str_equal(mls_str_from(shape_sizes[i].name), name)) {
            mls_model_shape shape = *of->shape;
            return of_number(*shape_size(&shape, i));
        }
    }
    bool being_read = false;
    for (const formula_name *outer = within; outer != NULL; outer = outer->outer) {
        being_read |= mls_str_equal(outer->name, name);
    }
    const char *text = being_read ? NULL : formula_of(of, name, false);
    if (text == NULL) {
        return member_value(of, name, false);
    }
    const formula_name inside = {name, within};
    formula f = {.of = of, .within = &inside, .at = text};
    const formula_number value = read_choice(&f);
    if (!takes(&f, '\0')) {
        mls_config_refuse(of, text, "is no formula: src/data/models.json is broken");
    }
    return value;
}

static mls_str formula_word(formula *f)
{
    const char *from = f->at;
    while (isalnum((unsigned char)*f->at) != 0 || *f->at == '_' || *f->at == '.' || *f->at == ',' || *f->at == '[' ||
           *f->at == ']') {
        f->at++;
    }
    return (mls_str){from, (size_t)(f->at - from)};
}

static formula_number read_atom(formula *f)
{
    if (takes(f, '(')) {
        const formula_number value = read_choice(f);
        if (!takes(f, ')')) {
            mls_config_refuse(f->of, f->at, "lacks ): src/data/models.json is broken");
        }
        return value;
    }
    const mls_str word = formula_word(f);
    uint64_t number = 0;
    if (word.len > 0 && isdigit((unsigned char)word.ptr[0]) != 0) {
        for (size_t i = 0; i < word.len; i++) {
            number = ADD(MUL(number, 10), (uint64_t)(word.ptr[i] - '0'));
        }
        return of_number(number);
    }
    if (mls_str_equal(word, MLS_S("count"))) {
        (void)takes(f, ' ');
        const cJSON *list = file_member(f->of, formula_word(f));
        return of_number(cJSON_IsArray(list) ? (uint64_t)cJSON_GetArraySize(list) : 0);
    }
    if (takes(f, '~')) {
        (void)takes(f, ' ');
        const mls_str part = formula_word(f);
        return of_number(text_has(file_member(f->of, word), part));
    }
    return named_value(f->of, f->within, word);
}

/* Nothing is computed with what is true or false. */
static void refuse_flag(config_json *of, formula_number value)
{
    if (value.flag != NULL) {
        mls_config_refuse(of, value.flag, "is true or false where a model has a number");
    }
}

static formula_number combined(config_json *of, formula_number a, formula_number b, uint64_t number)
{
    refuse_flag(of, a);
    refuse_flag(of, b);
    return a.lacks.ptr != NULL ? a : b.lacks.ptr != NULL ? b : of_number(number);
}

static formula_number read_product(formula *f)
{
    formula_number a = read_atom(f);
    for (;;) {
        const bool times = takes(f, '*');
        const bool per = !times && takes(f, '/');
        if (!times && !per && !takes(f, '%')) {
            return a;
        }
        const formula_number b = read_atom(f);
        if (!times && b.lacks.ptr == NULL && b.number == 0) {
            return lacking(MLS_S("a divisor that is not 0"));
        }
        const uint64_t by = b.number != 0 ? b.number : 1;
        a = combined(f->of, a, b, times ? MUL(a.number, b.number) : per ? mls_bytes_per(a.number, by) : a.number % by);
    }
}

static formula_number read_sum(formula *f)
{
    formula_number a = read_product(f);
    for (;;) {
        const bool plus = takes(f, '+');
        if (!plus && !takes(f, '-')) {
            return a;
        }
        const formula_number b = read_product(f);
        a = combined(f->of, a, b, plus ? ADD(a.number, b.number) : mls_bytes_less(a.number, b.number));
    }
}

static formula_number read_either(formula *f)
{
    formula_number a = read_sum(f);
    while (takes(f, '|')) {
        const formula_number b = read_sum(f);
        const bool has = a.lacks.ptr == NULL && (a.number != 0 || b.lacks.ptr != NULL);
        a = has ? a : b.lacks.ptr != NULL && a.lacks.ptr != NULL ? a : b;
    }
    return a;
}

static formula_number read_choice(formula *f)
{
    const formula_number condition = read_either(f);
    if (!takes(f, '?')) {
        return condition;
    }
    const formula_number yes = read_choice(f);
    if (!takes(f, ':')) {
        mls_config_refuse(f->of, f->at, "lacks a colon: src/data/models.json is broken");
    }
    const formula_number no = read_choice(f);
    return condition.lacks.ptr == NULL && condition.number != 0 ? yes : no;
}

bool mls_formula_is_own(const config_json *of, const char *name)
{
    return formula_of(of, mls_str_from(name), true) != NULL;
}

uint64_t mls_formula_value(config_json *of, const char *name, uint64_t otherwise)
{
    const formula_number value = named_value(of, NULL, mls_str_from(name));
    return value.lacks.ptr == NULL ? value.number : otherwise;
}

uint64_t mls_formula_needed(config_json *of, const char *name)
{
    const formula_number value = named_value(of, NULL, mls_str_from(name));
    refuse_flag(of, value);
    if (value.lacks.ptr != NULL) {
        char lacks[80];
        (void)mls_text_printf(lacks, sizeof lacks, "%.*s", MLS_CUT(value.lacks, 79));
        mls_config_refuse(of, lacks, "is missing, and its model needs it");
    }
    return value.number;
}

void mls_formula_read_shape(config_json *of, mls_model_shape *shape)
{
    for (size_t i = 0; i < sizeof shape_sizes / sizeof *shape_sizes; i++) {
        const formula_number value = named_value(of, NULL, mls_str_from(shape_sizes[i].name));
        refuse_flag(of, value);
        *shape_size(shape, i) = value.lacks.ptr == NULL ? value.number : 0;
    }
}
