/* SPDX-License-Identifier: Apache-2.0 */
/* weights.c - the bytes of a model's weights, where embeddings, norms and some matrices are kept in more bits than
 * others: by precision as published checkpoints have it, and by the types of GGUF as llama.cpp gives them to tensors.
 */
#include "explain/memory/weights.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"

const char *const mls_weight_names[MLS_WEIGHT_COUNT] = {"embedding",    "head",   "query",       "key",    "value",
                                                        "output",       "gate",   "up",          "down",   "experts",
                                                        "experts_down", "shared", "shared_down", "router", "state"};

enum { MILLI = 1000 };

/* ---------------------------------------------------------------- the parts of a model */

/* Of one layer, in rows of this length, and the layers that have it. */
typedef struct part_size {
    uint64_t numbers, row, first, end;
} part_size;

static void size_attention(const mls_model_shape *m, part_size sizes[MLS_WEIGHT_COUNT])
{
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
}

static void size_feed_forward(const mls_model_shape *m, part_size sizes[MLS_WEIGHT_COUNT])
{
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
    const uint64_t up = m->ffn_matrices - 1; /* with the gate */
    sizes[MLS_WEIGHT_GATE] = (part_size){m->ffn_matrices == 3 ? matrix : 0, m->hidden, 0, plain};
    sizes[MLS_WEIGHT_UP] = (part_size){matrix, m->hidden, 0, plain};
    sizes[MLS_WEIGHT_DOWN] = (part_size){matrix, m->ffn, 0, plain};
    sizes[MLS_WEIGHT_EXPERTS] = (part_size){MUL(m->experts, up, expert), width, dense, m->layers};
    sizes[MLS_WEIGHT_EXPERTS_DOWN] = (part_size){MUL(m->experts, expert), m->expert_ffn, dense, m->layers};
    sizes[MLS_WEIGHT_SHARED] = (part_size){MUL(m->shared_experts, up, shared), m->hidden, dense, m->layers};
    sizes[MLS_WEIGHT_SHARED_DOWN] = (part_size){MUL(m->shared_experts, shared), m->expert_ffn, dense, m->layers};
    sizes[MLS_WEIGHT_ROUTER] = (part_size){MUL(m->hidden, m->experts), m->hidden, dense, m->layers};
}

static uint64_t numbers_of(const part_size *size)
{
    return MUL(size->numbers, mls_bytes_less(size->end, size->first));
}

/* The sizes of all parts, and in *rest the numbers that belong to none. */
static void size_parts(const mls_model_shape *m, part_size sizes[MLS_WEIGHT_COUNT], uint64_t *rest)
{
    const bool tied = m->tied_embeddings == MLS_SAID_YES;
    uint64_t all = 0;
    memset(sizes, 0, MLS_WEIGHT_COUNT * sizeof *sizes);
    sizes[MLS_WEIGHT_EMBEDDING] = (part_size){MUL(m->hidden, m->vocabulary), m->hidden, 0, 1};
    sizes[MLS_WEIGHT_HEAD] = (part_size){tied ? 0 : MUL(m->hidden, m->vocabulary), m->hidden, 0, 1};
    size_attention(m, sizes);
    size_feed_forward(m, sizes);
    for (size_t i = 0; i < MLS_WEIGHT_COUNT; i++) {
        all = ADD(all, numbers_of(&sizes[i]));
    }
    const uint64_t parameters = mls_shape_parameters(m);
    const uint64_t ends = ADD(numbers_of(&sizes[MLS_WEIGHT_EMBEDDING]), numbers_of(&sizes[MLS_WEIGHT_HEAD]));
    if (all > parameters && all != MLS_ABSURD) {
        /* Parts that are not alike have less than this on average: those of layers, else the embedding too. */
        const bool layers = parameters > ends;
        const double share =
            layers ? (double)(parameters - ends) / (double)(all - ends) : (double)parameters / (double)all;
        for (mls_weight_part part = layers ? MLS_WEIGHT_QUERY : MLS_WEIGHT_EMBEDDING; part < MLS_WEIGHT_COUNT; part++) {
            sizes[part].numbers = (uint64_t)((double)sizes[part].numbers * share);
        }
        all = parameters;
    }
    *rest = mls_bytes_less(parameters, all);
    if (m->counted != 0 && m->state_layers > 0) {
        /* Layers such as Mamba's: linear ones, but for little. */
        const uint64_t state = mls_bytes_less(*rest, m->other_parameters) / m->state_layers;
        sizes[MLS_WEIGHT_STATE] = (part_size){state, m->hidden, 0, mls_bytes_min(m->state_layers, m->layers)};
        *rest = mls_bytes_less(*rest, numbers_of(&sizes[MLS_WEIGHT_STATE]));
    }
}

uint64_t mls_weights_row(const mls_model_shape *shape, mls_weight_part part)
{
    part_size sizes[MLS_WEIGHT_COUNT];
    uint64_t rest;
    size_parts(shape, sizes, &rest);
    return sizes[part].row;
}

/* ---------------------------------------------------------------- plans */

mls_status mls_weights_plan_new(mls_weights_plan *plan, const mls_model_shape *shape, mls_error *error)
{
    *plan = (mls_weights_plan){.layers = shape->layers};
    plan->marks = mls_calloc((size_t)shape->layers, MLS_WEIGHT_COUNT);
    (void)mls_weights_plan_add(plan, (mls_number_form){.group = 1, .each = 16 * MILLI});
    return plan->marks != NULL ? MLS_OK : mls_error_memory(error);
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
        if (part != MLS_WEIGHT_ROUTER && (routed || !experts_alone)) {
            mls_weights_plan_mark(plan, part, place);
        }
    }
}

static uint64_t form_bytes(const mls_number_form *form, uint64_t numbers, uint64_t row)
{
    const uint64_t group = form->group != 0 ? form->group : mls_bytes_max(row, 1);
    return mls_bytes_up(ADD(MUL(numbers, form->each), MUL(mls_bytes_up(numbers, group), form->beside)), 8 * MILLI);
}

/* Return the layers that have a part of layers. */
static const mls_layer_set *layers_with(const mls_model_shape *shape, mls_weight_part part)
{
    return part <= MLS_WEIGHT_OUTPUT   ? &shape->attention_set
           : part <= MLS_WEIGHT_DOWN   ? &shape->dense_set
           : part <= MLS_WEIGHT_ROUTER ? &shape->expert_set
                                       : &shape->state_set;
}

/* Count the layers of a part by their form.  If it is not known which layers of a model attend or keep a state, those
 * do that are marked otherwise than usual: lists name modules that are there. */
static void count_layers(const mls_weights_plan *plan, const mls_model_shape *shape, mls_weight_part part,
                         const part_size *size, uint64_t layers[MLS_FORMS_MAX])
{
    const unsigned char *marks = mls_weights_marks(plan, part);
    const mls_layer_set *set = layers_with(shape, part);
    const uint64_t count = mls_bytes_less(size->end, size->first);
    const bool mixes = (part >= MLS_WEIGHT_QUERY && part <= MLS_WEIGHT_OUTPUT) || part == MLS_WEIGHT_STATE;
    uint64_t known = 0;
    uint64_t unusual = 0;
    for (uint64_t i = 0; i < plan->layers; i++) {
        known += mls_layer_set_has(set, i);
    }
    if (part > MLS_WEIGHT_HEAD && known == count) {
        for (uint64_t i = 0; i < plan->layers; i++) {
            layers[marks[i]] += mls_layer_set_has(set, i);
        }
        return;
    }
    if (!mixes || shape->counted == 0) {
        for (uint64_t i = size->first; i < size->end; i++) {
            layers[marks[i]]++;
        }
        return;
    }
    for (uint64_t i = 0; i < plan->layers && unusual < count; i++) {
        layers[marks[i]] += marks[i] != plan->usual[part];
        unusual += marks[i] != plan->usual[part];
    }
    layers[plan->usual[part]] += count - unusual;
}

uint64_t mls_weights_bytes(const mls_weights_plan *plan, const mls_model_shape *shape, uint64_t numbers[MLS_FORMS_MAX])
{
    part_size sizes[MLS_WEIGHT_COUNT];
    uint64_t rest;
    uint64_t counts[MLS_FORMS_MAX] = {0};
    size_parts(shape, sizes, &rest);
    uint64_t bytes = form_bytes(&plan->forms[plan->rest], rest, 1);
    counts[plan->rest] = rest;
    for (mls_weight_part part = 0; part < MLS_WEIGHT_COUNT; part++) {
        const part_size *size = &sizes[part];
        uint64_t layers[MLS_FORMS_MAX] = {0};
        count_layers(plan, shape, part, size, layers);
        for (size_t i = 0; i < plan->form_count; i++) {
            if (layers[i] > 0) {
                bytes = ADD(bytes, MUL(layers[i], form_bytes(&plan->forms[i], size->numbers, size->row)));
                counts[i] = ADD(counts[i], MUL(layers[i], size->numbers));
            }
        }
    }
    if (numbers != NULL) {
        memcpy(numbers, counts, sizeof counts);
    }
    return bytes;
}

/* Append "4 bits in groups of 16". */
static void append_form(mls_memory_form *to, const char *before, const mls_number_form *form)
{
    const size_t len = strlen(to->words);
    char group[64] = "";
    if (form->group > 1) {
        (void)mls_text_printf(group, sizeof group, " in groups of %" PRIu64, form->group);
    }
    (void)mls_text_printf(to->words + len, sizeof to->words - len, "%s%g bits%s", before, (double)form->each / MILLI,
                          group);
}

void mls_weights_describe(const mls_weights_plan *plan, const mls_model_shape *shape, const char *name,
                          const mls_number_form *form, mls_memory_form *to)
{
    enum { SHOWN_MAX = 4 };
    uint64_t numbers[MLS_FORMS_MAX];
    uint64_t wide = 0;
    size_t narrow = 0;
    to->bytes = mls_weights_bytes(plan, shape, numbers);
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
    (void)mls_text_printf(to->words, sizeof to->words, "%.40s: ", name);
    if (narrow <= 1) {
        append_form(to, "", form);
    }
    for (size_t i = 0, shown = 0; i < plan->form_count && narrow > 1 && shown < SHOWN_MAX; i++) {
        if (plan->forms[i].each < 16 * MILLI && numbers[i] > 0) {
            append_form(to, shown++ > 0 ? ", " : "", &plan->forms[i]);
            const size_t len = strlen(to->words);
            (void)mls_text_printf(to->words + len, sizeof to->words - len, " for %.1f %%%s",
                                  100 * (double)numbers[i] / all, shown == 1 ? " of the numbers" : "");
        }
    }
    const size_t len = strlen(to->words);
    (void)mls_text_printf(to->words + len, sizeof to->words - len, ", 16 for %.1f %%%s, with scales %.2f bits a number",
                          100 * to->wide, narrow > 1 ? "" : " of the numbers", each);
}
