/* SPDX-License-Identifier: Apache-2.0 */
/* weights.c - compute the size of a model's weights if embeddings, norms and some matrices have more bits than others.
 * For published checkpoints of a precision, the formats are in src/data/quantization.json.  For types of GGUF, they are
 * assigned to tensors as in llama.cpp. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "explain/memory/config_json.h"
#include "json/json_row.h"

const char *const mls_weight_names[MLS_WEIGHT_COUNT] = {"embedding",    "head",   "query",       "key",    "value",
                                                        "output",       "gate",   "up",          "down",   "experts",
                                                        "experts_down", "shared", "shared_down", "router", "state"};

enum { MILLI = 1000 };

/* ---------------------------------------------------------------- the parts of a model */

/* The size of a part of the model: how many numbers it has per layer and per row of its matrix, and its layers, from
 * `first` up to but not including `end`. */
typedef struct part_size {
    uint64_t numbers, row, first, end;
} part_size;

static uint64_t numbers_of(const part_size *size)
{
    return MUL(size->numbers, mls_bytes_less(size->end, size->first));
}

/* Compute the sizes of all parts, and set *rest to how many numbers are outside of these parts. */
static void size_parts(const mls_model_shape *m, part_size sizes[MLS_WEIGHT_COUNT], uint64_t *rest)
{
    const bool tied = m->tied_embeddings == MLS_SAID_YES;
    uint64_t all = 0;
    memset(sizes, 0, MLS_WEIGHT_COUNT * sizeof *sizes);
    sizes[MLS_WEIGHT_EMBEDDING] = (part_size){MUL(m->hidden, m->vocabulary), m->hidden, 0, 1};
    sizes[MLS_WEIGHT_HEAD] = (part_size){tied ? 0 : MUL(m->hidden, m->vocabulary), m->hidden, 0, 1};
    const uint64_t end = m->counted != 0 ? mls_bytes_min(m->attention_layers, m->layers) : m->layers;
    const uint64_t q = m->q_lora_rank;
    const uint64_t values = MUL(m->heads, m->kv_lora_rank != 0 ? m->value_head_dim : m->head_dim);
    const uint64_t keys = MUL(m->hidden, m->kv_heads, m->head_dim);
    sizes[MLS_WEIGHT_QUERY] = (part_size){MUL(m->hidden, m->heads, m->head_dim), m->hidden, 0, end};
    sizes[MLS_WEIGHT_KEY] = (part_size){keys, m->hidden, 0, end};
    sizes[MLS_WEIGHT_VALUE] = sizes[MLS_WEIGHT_KEY];
    sizes[MLS_WEIGHT_OUTPUT] = (part_size){MUL(values, m->hidden), values, 0, end};
    if (m->kv_lora_rank != 0) {
        const uint64_t query = MUL(m->heads, ADD(m->qk_nope_head_dim, m->qk_rope_head_dim));
        sizes[MLS_WEIGHT_QUERY].numbers = q != 0 ? MUL(q, ADD(m->hidden, query)) : MUL(m->hidden, query);
        sizes[MLS_WEIGHT_KEY].numbers = MUL(m->hidden, ADD(m->kv_lora_rank, m->qk_rope_head_dim));
        sizes[MLS_WEIGHT_VALUE].numbers = MUL(m->kv_lora_rank, m->heads, ADD(m->qk_nope_head_dim, m->value_head_dim));
        sizes[MLS_WEIGHT_VALUE].row = m->kv_lora_rank;
    }
    const uint64_t expert_layers =
        m->counted != 0 ? mls_bytes_min(m->expert_layers, m->layers) : m->layers - m->dense_layers;
    const uint64_t dense = m->layers - expert_layers;
    const uint64_t plain = m->counted != 0 && m->plain_layers + m->expert_layers + m->attention_layers != 0
                               ? mls_bytes_min(m->plain_layers, m->layers)
                               : dense;
    const uint64_t matrix = MUL(m->hidden, m->ffn);
    const uint64_t shared = MUL(m->hidden, m->expert_ffn);
    const uint64_t width = mls_shape_expert_hidden(m);
    const uint64_t expert = MUL(width, m->expert_ffn);
    const uint64_t up = m->ffn_matrices - 1; /* number of matrices for up and gate */
    sizes[MLS_WEIGHT_GATE] = (part_size){m->ffn_matrices == 3 ? matrix : 0, m->hidden, 0, plain};
    sizes[MLS_WEIGHT_UP] = (part_size){matrix, m->hidden, 0, plain};
    sizes[MLS_WEIGHT_DOWN] = (part_size){matrix, m->ffn, 0, plain};
    sizes[MLS_WEIGHT_EXPERTS] = (part_size){MUL(m->experts, up, expert), width, dense, m->layers};
    sizes[MLS_WEIGHT_EXPERTS_DOWN] = (part_size){MUL(m->experts, expert), m->expert_ffn, dense, m->layers};
    sizes[MLS_WEIGHT_SHARED] = (part_size){MUL(m->shared_experts, up, shared), m->hidden, dense, m->layers};
    sizes[MLS_WEIGHT_SHARED_DOWN] = (part_size){MUL(m->shared_experts, shared), m->expert_ffn, dense, m->layers};
    sizes[MLS_WEIGHT_ROUTER] = (part_size){MUL(m->hidden, m->experts), m->hidden, dense, m->layers};
    for (size_t i = 0; i < MLS_WEIGHT_COUNT; i++)
        all = ADD(all, numbers_of(&sizes[i]));
    const uint64_t parameters = mls_shape_parameters(m);
    const uint64_t ends = ADD(numbers_of(&sizes[MLS_WEIGHT_EMBEDDING]), numbers_of(&sizes[MLS_WEIGHT_HEAD]));
    if (all > parameters && all != MLS_ABSURD) {
        /* The layers differ, and the sizes are those of the largest ones: reduce the sizes of all parts of the layers
         * by one factor so that the sum is right.  If the embedding and the head alone are too large, reduce them too.
         */
        const bool layers = parameters > ends;
        const double share =
            layers ? (double)(parameters - ends) / (double)(all - ends) : (double)parameters / (double)all;
        for (mls_weight_part part = layers ? MLS_WEIGHT_QUERY : MLS_WEIGHT_EMBEDDING; part < MLS_WEIGHT_COUNT; part++)
            sizes[part].numbers = (uint64_t)((double)sizes[part].numbers * share);
        all = parameters;
    }
    *rest = mls_bytes_less(parameters, all);
    if (m->counted != 0 && m->state_layers > 0) {
        /* Layers with a state, such as Mamba's, consist almost only of linear layers. */
        const uint64_t state = mls_bytes_less(*rest, m->other_parameters) / m->state_layers;
        sizes[MLS_WEIGHT_STATE] = (part_size){state, m->hidden, 0, mls_bytes_min(m->state_layers, m->layers)};
        *rest = mls_bytes_less(*rest, numbers_of(&sizes[MLS_WEIGHT_STATE]));
    }
}

/* ---------------------------------------------------------------- plans */

mls_weights_plan mls_weights_plan_new(const mls_model_shape *shape)
{
    return (mls_weights_plan){.layers = shape->layers,
                              .marks = mls_calloc((size_t)shape->layers, MLS_WEIGHT_COUNT),
                              .forms = {{.group = 1, .each = 16 * MILLI}},
                              .form_count = 1};
}

void mls_weights_plan_release(mls_weights_plan *plan)
{
    free(plan->marks);
    *plan = (mls_weights_plan){.marks = NULL};
}

unsigned mls_weights_plan_add(mls_weights_plan *plan, mls_number_form form)
{
    const size_t place = plan->form_count < MLS_FORMS_MAX ? plan->form_count++ : MLS_FORMS_MAX - 1;
    plan->forms[place] = form;
    return (unsigned)place;
}

void mls_weights_plan_mark(mls_weights_plan *plan, mls_weight_part part, unsigned form)
{
    memset(mls_weights_marks(plan, part), (int)form, (size_t)mls_weights_layers(plan, part));
    plan->usual[part] = (unsigned char)form;
}

void mls_weights_plan_quantize(mls_weights_plan *plan, mls_number_form form, bool experts_alone)
{
    const unsigned place = mls_weights_plan_add(plan, form);
    for (mls_weight_part part = MLS_WEIGHT_QUERY; part < MLS_WEIGHT_COUNT; part++) {
        const bool routed = part == MLS_WEIGHT_EXPERTS || part == MLS_WEIGHT_EXPERTS_DOWN;
        if (part != MLS_WEIGHT_ROUTER && (routed || !experts_alone))
            mls_weights_plan_mark(plan, part, place);
    }
}

static uint64_t form_bytes(const mls_number_form *form, uint64_t numbers, uint64_t row)
{
    const uint64_t group = form->group != 0 ? form->group : mls_bytes_max(row, 1);
    return mls_bytes_up(ADD(MUL(numbers, form->each), MUL(mls_bytes_up(numbers, group), form->beside)), 8 * MILLI);
}

/* Count the layers of a part by their format.  If it is unknown which layers of a model have attention or a state,
 * assume that layers whose format is not the usual one have the part, because lists in the file name only existing
 * modules. */
static void count_layers(const mls_weights_plan *plan, const mls_model_shape *shape, mls_weight_part part,
                         const part_size *size, uint64_t layers[MLS_FORMS_MAX])
{
    const unsigned char *marks = mls_weights_marks(plan, part);
    const mls_layer_set *set = part <= MLS_WEIGHT_OUTPUT   ? &shape->attention_set
                               : part <= MLS_WEIGHT_DOWN   ? &shape->dense_set
                               : part <= MLS_WEIGHT_ROUTER ? &shape->expert_set
                                                           : &shape->state_set;
    const uint64_t count = mls_bytes_less(size->end, size->first);
    const bool mixes = (part >= MLS_WEIGHT_QUERY && part <= MLS_WEIGHT_OUTPUT) || part == MLS_WEIGHT_STATE;
    uint64_t known = 0;
    uint64_t unusual = 0;
    for (uint64_t i = 0; i < plan->layers; i++)
        known += mls_layer_set_has(set, i);
    if (part > MLS_WEIGHT_HEAD && known == count) {
        for (uint64_t i = 0; i < plan->layers; i++)
            layers[marks[i]] += mls_layer_set_has(set, i);
        return;
    }
    if (!mixes || shape->counted == 0) {
        for (uint64_t i = size->first; i < size->end; i++)
            layers[marks[i]]++;
        return;
    }
    for (uint64_t i = 0; i < plan->layers && unusual < count; i++) {
        layers[marks[i]] += marks[i] != plan->usual[part];
        unusual += marks[i] != plan->usual[part];
    }
    layers[plan->usual[part]] += count - unusual;
}

void mls_weights_describe(const mls_weights_plan *plan, const mls_model_shape *shape, const char *name,
                          const mls_number_form *form, mls_memory_form *to)
{
    enum { SHOWN_MAX = 4 };
    part_size sizes[MLS_WEIGHT_COUNT];
    uint64_t rest;
    uint64_t numbers[MLS_FORMS_MAX] = {0}; /* how many numbers have each format */
    uint64_t wide = 0;
    size_t narrow = 0;
    mls_buffer words = {0};
    size_parts(shape, sizes, &rest);
    to->bytes = form_bytes(&plan->forms[plan->rest], rest, 1);
    numbers[plan->rest] = rest;
    for (mls_weight_part part = 0; part < MLS_WEIGHT_COUNT; part++) {
        const part_size *size = &sizes[part];
        uint64_t layers[MLS_FORMS_MAX] = {0};
        count_layers(plan, shape, part, size, layers);
        for (size_t i = 0; i < plan->form_count; i++) {
            if (layers[i] > 0) {
                to->bytes = ADD(to->bytes, MUL(layers[i], form_bytes(&plan->forms[i], size->numbers, size->row)));
                numbers[i] = ADD(numbers[i], MUL(layers[i], size->numbers));
            }
        }
    }
    const double all = (double)mls_shape_parameters(shape);
    const double each = 8 * (double)to->bytes / all;
    if (form == NULL) {
        (void)mls_text_printf(to->words, sizeof to->words,
                              "%.40s, as llama.cpp gives types to tensors: %.2f bits a number", name, each);
        return;
    }
    for (size_t i = 0; i < plan->form_count; i++) {
        const bool is_wide = plan->forms[i].each >= 16 * MILLI;
        wide = ADD(wide, is_wide ? numbers[i] : 0);
        narrow += !is_wide && numbers[i] > 0;
    }
    to->wide = (double)wide / all;
    mls_buffer_printf(&words, "%.40s: ", name);
    for (size_t i = 0, shown = 0; i < (narrow > 1 ? plan->form_count : 1) && shown < SHOWN_MAX; i++) {
        const mls_number_form *one = narrow > 1 ? &plan->forms[i] : form;
        if (narrow > 1 && (one->each >= 16 * MILLI || numbers[i] == 0))
            continue;
        mls_buffer_printf(&words, "%s%g bits", shown++ > 0 ? ", " : "", (double)one->each / MILLI);
        if (one->group > 1)
            mls_buffer_printf(&words, " in groups of %" PRIu64, one->group);
        if (narrow > 1) {
            mls_buffer_printf(&words, " for %.1f %%%s", 100 * (double)numbers[i] / all,
                              shown == 1 ? " of the numbers" : "");
        }
    }
    mls_buffer_printf(&words, ", 16 for %.1f %%%s, with scales %.2f bits a number", 100 * to->wide,
                      narrow > 1 ? "" : " of the numbers", each);
    (void)mls_text_printf(to->words, sizeof to->words, "%s", words.ptr);
    mls_buffer_release(&words);
}

/* ---------------------------------------------------------------- precisions */

static uint64_t row_number(const cJSON *row, const char *name)
{
    const cJSON *item = mls_item(row, name);
    return cJSON_IsNumber(item) && item->valuedouble > 0 ? (uint64_t)(item->valuedouble * MILLI + 0.5) : 0;
}

/* Return the index of a type among the formats of a plan: index 0 is 16 bits, followed by the types in the order of the
 * table.  If the length of a row is not a multiple of the type's block, return the index of the type that replaces it.
 */
static unsigned gguf_type(const cJSON *types, mls_str name, uint64_t row)
{
    unsigned place = 1;
    for (const cJSON *type = types->child; type != NULL; type = type->next, place++) {
        if (mls_str_equal(mls_str_from(type->string), name)) {
            const mls_str other = mls_str_from(mls_item_text(type, "else"));
            const uint64_t block = row_number(type, "block") / MILLI;
            return other.len > 0 && block > 0 && row % block != 0 ? gguf_type(types, other, row) : place;
        }
    }
    return 0;
}

/* Return the number of layers, counted from the first, for which a condition of a mix is true. */
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

/* Set the format of each layer of each part to the first of the part's types whose condition is true for the layer.  A
 * condition is true for the layers before an end or, if it is "more", for layers at both ends and every third layer
 * between them. */
static void gguf_mark(mls_weights_plan *plan, const mls_model_shape *m, const cJSON *types, const cJSON *mix)
{
    enum { CHOICES_MAX = 8 };
    static const char *const like[MLS_WEIGHT_COUNT] = {
        [MLS_WEIGHT_EXPERTS_DOWN] = "down", [MLS_WEIGHT_SHARED_DOWN] = "down"};
    const uint64_t n = m->layers;
    part_size sizes[MLS_WEIGHT_COUNT];
    uint64_t rest;
    size_parts(m, sizes, &rest);
    for (mls_weight_part part = 0; part < MLS_WEIGHT_COUNT; part++) {
        struct {
            unsigned form;
            uint64_t end;
            bool more;
        } choices[CHOICES_MAX];
        size_t count = 0;
        const bool head =
            part == MLS_WEIGHT_HEAD || (part == MLS_WEIGHT_EMBEDDING && m->tied_embeddings == MLS_SAID_YES);
        const char *words = mls_item_text(mix, head                 ? "head"
                                               : like[part] != NULL ? like[part]
                                                                    : mls_weight_names[part]);
        words = part == MLS_WEIGHT_ROUTER ? "F32" : words[0] != '\0' ? words : mls_item_text(mix, "all");
        mls_str left = mls_str_from(words);
        for (mls_str word = mls_str_word(&left); word.len > 0 && count < CHOICES_MAX; word = mls_str_word(&left)) {
            mls_str type;
            const bool some = mls_str_cut(&word, '/', &type);
            choices[count].form = gguf_type(types, type, sizes[part].row);
            choices[count].end = some ? gguf_layers(m, word) : n;
            choices[count++].more = some && mls_str_equal(word, MLS_S("more"));
        }
        unsigned char *marks = mls_weights_marks(plan, part);
        for (uint64_t i = 0; i < mls_weights_layers(plan, part); i++) {
            const bool at_ends = i < n / 8 || i >= 7 * n / 8 || (i - n / 8) % 3 == 2;
            size_t c = 0;
            while (c < count && !(choices[c].more ? at_ends : i < choices[c].end))
                c++;
            marks[i] = (unsigned char)(c < count ? choices[c].form : 0);
        }
    }
}

mls_status mls_weights_of(const mls_memory_ask *ask, uint64_t parameters, mls_weights *weights, mls_error *error)
{
    const uint64_t kind = VALUE(ask, PRECISION);
    const mls_str word = mls_memory_setting_word(MLS_MEMORY_PRECISION, (int64_t)kind);
    const mls_model_shape *m = &ask->shape;
    const mls_number_bytes plain = mls_number_bytes_of((int64_t)kind);
    cJSON *table = NULL;
    char name[16];
    (void)mls_text_printf(name, sizeof name, "%.*s", (int)word.len, word.ptr != NULL ? word.ptr : "");
    *weights = (mls_weights){.n = MUL(plain.n, parameters), .q = plain.q};
    if (ask->quantization.bytes != 0 && ask->values[MLS_MEMORY_PRECISION] == MLS_MEMORY_NOT_SET) {
        *weights = (mls_weights){.n = ask->quantization.bytes, .q = 1, .form = ask->quantization};
        return MLS_OK;
    }
    if (plain.n == 2 * plain.q || plain.n == 4 * plain.q)
        return MLS_OK;
    const mls_status status = mls_json_data("quantization.json", &table, error);
    if (status != MLS_OK)
        return status;
    mls_weights_plan plan = mls_weights_plan_new(m);
    const cJSON *row = mls_item(mls_item(table, "precisions"), name);
    if (row != NULL) {
        const mls_number_form form = {row_number(row, "group") / MILLI, row_number(row, "bits"),
                                      row_number(row, "scale") + row_number(row, "zero")};
        mls_weights_plan_quantize(&plan, form, mls_item_text(row, "targets")[0] != '\0' && m->experts > 0);
        mls_weights_describe(&plan, m, name, &form, &weights->form);
        weights->published = weights->form.bytes;
        weights->decides = row_number(row, "decides") != 0;
    } else { /* add the formats of all types after format 0 (16 bits), then apply the mix of each part */
        const cJSON *types = mls_item(table, "types");
        for (const cJSON *type = types->child; type != NULL; type = type->next) {
            mls_weights_plan_add(
                &plan, (mls_number_form){row_number(type, "block") / MILLI, 0, 8 * row_number(type, "bytes")});
        }
        plan.rest = gguf_type(types, MLS_S("F32"), 1);
        gguf_mark(&plan, m, types, mls_item(mls_item(table, "mixes"), name));
        mls_weights_describe(&plan, m, name, NULL, &weights->form);
        weights->n = weights->form.bytes;
        weights->q = 1;
    }
    mls_weights_plan_release(&plan);
    cJSON_Delete(table);
    return MLS_OK;
}
