/* SPDX-License-Identifier: Apache-2.0 */
/* precision.c - what a precision makes of a model's weights, by src/data/quantization.json: as published checkpoints of
 * it have them, and as files of GGUF, whose types llama.cpp gives to tensors. */
#include "base/buffer.h"
#include "explain/memory/weights.h"
#include "json/json_row.h"

enum { MILLI = 1000 };

static uint64_t row_number(const cJSON *row, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, name);
    return cJSON_IsNumber(item) && item->valuedouble > 0 ? (uint64_t)(item->valuedouble * MILLI + 0.5) : 0;
}

static const cJSON *named_row(const cJSON *table, const char *list, mls_str name)
{
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(table, list);
    for (const cJSON *row = rows != NULL ? rows->child : NULL; row != NULL; row = row->next) {
        if (mls_str_equal(mls_str_from(row->string), name)) {
            return row;
        }
    }
    return NULL;
}

static const char *row_text(const cJSON *row, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, name));
    return text != NULL ? text : "";
}

/* The place of a type among the forms of a plan, which has them in the order of the table after its own 16 bits; of
 * what it is kept in where rows are no multiple of its blocks. */
static unsigned gguf_type(const cJSON *types, mls_str name, uint64_t row)
{
    unsigned place = 1;
    for (const cJSON *type = types->child; type != NULL; type = type->next, place++) {
        if (mls_str_equal(mls_str_from(type->string), name)) {
            const mls_str other = mls_str_from(row_text(type, "else"));
            const uint64_t block = row_number(type, "block") / MILLI;
            return other.len > 0 && block > 0 && row % block != 0 ? gguf_type(types, other, row) : place;
        }
    }
    return 0;
}

/* A type of a part: of the layers before `end`, or of those at both ends and every third between. */
typedef struct gguf_choice {
    unsigned form;
    uint64_t end;
    bool more;
} gguf_choice;

/* How many of the first layers a condition of a mix holds for. */
static uint64_t gguf_layers(const mls_model_shape *m, mls_str condition)
{
    const bool grouped = m->kv_lora_rank == 0 && m->heads / m->kv_heads >= 4;
    const bool eighty = m->layers == 80 && m->heads != m->kv_heads;
    return mls_str_equal(condition, MLS_S("first2"))      ? 2
           : mls_str_equal(condition, MLS_S("first4"))    ? 4
           : mls_str_equal(condition, MLS_S("eighth"))    ? m->layers / 8
           : mls_str_equal(condition, MLS_S("sixteenth")) ? m->layers / 16
           : (mls_str_equal(condition, MLS_S("grouped")) && !grouped) ||
                   (mls_str_equal(condition, MLS_S("layers80")) && !eighty) ||
                   (mls_str_equal(condition, MLS_S("experts8")) && m->experts != 8)
               ? 0
               : m->layers;
}

/* Marks the layers of a part with the first of its types whose condition holds. */
static void gguf_mark_part(mls_weights_plan *plan, const mls_model_shape *m, const cJSON *types, const char *words,
                           mls_weight_part part)
{
    enum { CHOICES_MAX = 8 };
    const uint64_t n = m->layers;
    gguf_choice choices[CHOICES_MAX];
    size_t count = 0;
    mls_str left = mls_str_from(words);
    for (mls_str word = mls_str_word(&left); word.len > 0 && count < CHOICES_MAX; word = mls_str_word(&left)) {
        mls_str type;
        const bool some = mls_str_cut(&word, '/', &type);
        choices[count++] = (gguf_choice){gguf_type(types, type, mls_weights_row(m, part)),
                                         some ? gguf_layers(m, word) : n, some && mls_str_equal(word, MLS_S("more"))};
    }
    unsigned char *marks = mls_weights_marks(plan, part);
    for (uint64_t i = 0; i < mls_weights_layers(plan, part); i++) {
        const bool at_ends = i < n / 8 || i >= 7 * n / 8 || (i - n / 8) % 3 == 2;
        size_t c = 0;
        while (c < count && !(choices[c].more ? at_ends : i < choices[c].end)) {
            c++;
        }
        marks[i] = (unsigned char)(c < count ? choices[c].form : 0);
    }
}

static void gguf_mark(mls_weights_plan *plan, const mls_model_shape *m, const cJSON *types, const cJSON *mix)
{
    static const char *const like[MLS_WEIGHT_COUNT] = {
        [MLS_WEIGHT_EXPERTS_DOWN] = "down", [MLS_WEIGHT_SHARED_DOWN] = "down"};
    for (mls_weight_part part = 0; part < MLS_WEIGHT_COUNT; part++) {
        const bool head =
            part == MLS_WEIGHT_HEAD || (part == MLS_WEIGHT_EMBEDDING && m->tied_embeddings == MLS_SAID_YES);
        const char *words = row_text(mix, head ? "head" : like[part] != NULL ? like[part] : mls_weight_names[part]);
        words = part == MLS_WEIGHT_ROUTER ? "F32" : words[0] != '\0' ? words : row_text(mix, "all");
        gguf_mark_part(plan, m, types, words, part);
    }
}

/* The forms of all types, behind that of 16 bits, and what the mix gives to each part. */
static void gguf_plan(mls_weights_plan *plan, const mls_model_shape *m, const cJSON *table, const cJSON *mix)
{
    const cJSON *types = cJSON_GetObjectItemCaseSensitive(table, "types");
    for (const cJSON *type = types != NULL ? types->child : NULL; type != NULL; type = type->next) {
        (void)mls_weights_plan_add(
            plan, (mls_number_form){row_number(type, "block") / MILLI, 0, 8 * row_number(type, "bytes")});
    }
    if (types != NULL) {
        plan->rest = gguf_type(types, MLS_S("F32"), 1);
        gguf_mark(plan, m, types, mix);
    }
}

mls_status mls_weights_of(const mls_memory_ask *ask, uint64_t parameters, mls_weights *weights, mls_error *error)
{
    const uint64_t kind = VALUE(ask, PRECISION);
    const mls_str word = mls_memory_setting_word(MLS_MEMORY_PRECISION, (int64_t)kind);
    const mls_model_shape *m = &ask->shape;
    const mls_number_bytes plain = mls_number_bytes_of((int64_t)kind);
    mls_weights_plan plan = {.marks = NULL};
    cJSON *table = NULL;
    char name[16];
    (void)mls_text_printf(name, sizeof name, "%.*s", (int)word.len, word.ptr != NULL ? word.ptr : "");
    *weights = (mls_weights){.n = MUL(plain.n, parameters), .q = plain.q};
    if (mls_memory_is_quantized(ask)) {
        *weights = (mls_weights){.n = ask->quantization.bytes, .q = 1, .form = ask->quantization};
        return MLS_OK;
    }
    if (plain.n == 2 * plain.q || plain.n == 4 * plain.q) {
        return MLS_OK;
    }
    mls_status status = mls_json_data("quantization.json", &table, error);
    status = status == MLS_OK ? mls_weights_plan_new(&plan, m, error) : status;
    if (status == MLS_OK) {
        const cJSON *row = named_row(table, "precisions", mls_str_from(name));
        if (row != NULL) {
            const mls_number_form form = {row_number(row, "group") / MILLI, row_number(row, "bits"),
                                          row_number(row, "scale") + row_number(row, "zero")};
            mls_weights_plan_quantize(&plan, form, row_text(row, "targets")[0] != '\0' && m->experts > 0);
            mls_weights_describe(&plan, m, name, &form, &weights->form);
            weights->published = weights->form.bytes;
            weights->decides = row_number(row, "decides") != 0;
        } else {
            gguf_plan(&plan, m, table, named_row(table, "mixes", mls_str_from(name)));
            mls_weights_describe(&plan, m, name, NULL, &weights->form);
            weights->n = weights->form.bytes;
            weights->q = 1;
        }
    }
    mls_weights_plan_release(&plan);
    cJSON_Delete(table);
    return status;
}
