/* SPDX-License-Identifier: Apache-2.0 */
/* system.c - parse system descriptions with the grammar of log records, which is also the grammar of the package
 * checker. */
#include "run/system.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "score/group.h"
#include "json/json_check.h"
#include "json/value.h"

static const struct {
    mls_str name;
    size_t at;
} members[] = {
    {MLS_STR("submitter"), offsetof(mls_description, submitter)},
    {MLS_STR("division"), offsetof(mls_description, division)},
    {MLS_STR("status"), offsetof(mls_description, status)},
    {MLS_STR("system_name"), offsetof(mls_description, system_name)},
    {MLS_STR("number_of_nodes"), offsetof(mls_description, number_of_nodes)},
    {MLS_STR("accelerators_per_node"), offsetof(mls_description, accelerators_per_node)},
    {MLS_STR("host_processors_per_node"), offsetof(mls_description, host_processors_per_node)},
    {MLS_STR("accelerator_model_name"), offsetof(mls_description, accelerator_model_name)},
    {MLS_STR("host_processor_model_name"), offsetof(mls_description, host_processor_model_name)},
    {MLS_STR("framework"), offsetof(mls_description, framework)},
};

static const char **text_at(mls_description *description, size_t member)
{
    return (const char **)(void *)((char *)description + members[member].at);
}

const char *mls_description_read(mls_str text, mls_arena *scratch, mls_arena *arena, mls_description *description,
                                 mls_str *object, size_t *wrong)
{
    mls_str spans[sizeof members / sizeof *members] = {{0}};
    mls_raw_member member;
    const char *reason = NULL;
    *description = (mls_description){0};
    for (size_t at = 0; at < text.len && reason == NULL;) {
        *wrong = at;
        if ((unsigned char)text.ptr[at] < 0x80)
            at++;
        else if (mls_utf8_next(text, &at) < 0)
            reason = "not UTF-8";
    }
    if (reason == NULL)
        reason = mls_json_validate(text, scratch, object, wrong);
    if (reason == NULL && *object->ptr != '{')
        reason = "not an object";
    mls_json_walk walk = mls_json_walk_begin(reason == NULL ? *object : (mls_str){0});
    while (mls_json_walk_next(&walk, &member)) {
        const char first = member.name.len > 0 ? member.name.ptr[0] : '\0';
        for (size_t i = 0; i < sizeof members / sizeof *members; i++)
            if ((first == members[i].name.ptr[0] || first == '\\') && mls_span_name_is(member.name, members[i].name))
                spans[i] = member.value;
    }
    for (size_t i = 0; i < sizeof members / sizeof *members && reason == NULL; i++) {
        mls_str value = spans[i]; /* decode strings; keep the text of other values unchanged */
        if (value.ptr != NULL) {
            (void)(mls_json_kind_of(value) == MLS_JSON_STRING && mls_json_string(value, scratch, &value));
            *text_at(description, i) = mls_arena_copy(arena, value).ptr;
        }
    }
    return reason;
}

double mls_first_number(const char *text)
{
    double number;
    const char *at = text != NULL ? strpbrk(text, "0123456789") : NULL;
    const bool known = at != NULL && mls_number_parse((mls_str){at, strspn(at, "0123456789")}, &number);
    return known && isfinite(number) ? number : (double)NAN;
}

/* Return the number of upper-case letters from text[at] on, or of digits if `digits` is true. */
static size_t sign_span(mls_str text, size_t at, bool digits)
{
    const size_t start = at;
    while (at < text.len && (digits ? mls_is_digit(text.ptr[at]) : text.ptr[at] >= 'A' && text.ptr[at] <= 'Z'))
        at++;
    return at - start;
}

mls_accelerator_model mls_accelerator_model_of(mls_str text)
{
    static const mls_str packages[] = {MLS_STR("SXM"), MLS_STR("HBM"), MLS_STR("PCIE"), MLS_STR("DDR")};
    char upper[256]; /* the text in upper case, with "Gaudi(R) 2" as GAUDI2 */
    char whole[sizeof upper];
    size_t len = 0;
    mls_accelerator_model model = {""};
    for (size_t i = 0; i < text.len && len < sizeof upper; i++) {
        const char c = text.ptr[i];
        upper[len++] = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        size_t next = i + 1;
        if (mls_str_ends((mls_str){upper, len}, MLS_S("GAUDI"))) {
            const mls_str rest = mls_str_rest(text, next);
            next += mls_str_starts(rest, MLS_S("(R)")) || mls_str_starts(rest, MLS_S("(r)")) ? 3 : 0;
            while (next < text.len && text.ptr[next] == ' ')
                next++;
            i = next < text.len && mls_is_digit(text.ptr[next]) ? next - 1 : i;
        }
    }
    mls_str rest = {upper, len};
    if (mls_str_starts(rest, MLS_S("DGX")) || mls_str_starts(rest, MLS_S("HGX")))
        rest = mls_str_rest(rest, 3);
    len = 0;
    for (size_t at = 0; at < rest.len;) {
        const size_t start = at;
        for (size_t n = 1; n > 0; at += n)
            n = sign_span(rest, at, false) + sign_span(rest, at, true);
        const mls_str word = {rest.ptr + start, at - start};
        /* A model consists of letters, digits and optional letters, and is not a package or a type of memory. */
        const size_t letters = sign_span(word, 0, false);
        const size_t digits = sign_span(word, letters, true);
        bool is_model =
            letters > 0 && digits > 0 && letters + digits + sign_span(word, letters + digits, false) == word.len;
        for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
            is_model = is_model && !mls_str_starts(word, packages[i]);
        if (is_model) {
            (void)mls_text_printf(model.text, sizeof model.text, "%.*s", MLS_CUT(word, sizeof model.text - 1));
            return model;
        }
        memcpy(whole + len, word.ptr, word.len);
        len += word.len;
        at += word.len == 0;
    }
    const mls_str all = {whole, len};
    if (!mls_str_among(all, "NA NONE NULL"))
        (void)mls_text_printf(model.text, sizeof model.text, "%.*s", MLS_CUT(all, sizeof model.text - 1));
    return model;
}

/* Return number_of_nodes times accelerators_per_node; NAN if a description lacks one of them. */
static double described_accelerators(const mls_description *system)
{
    return mls_first_number(system->number_of_nodes) * mls_first_number(system->accelerators_per_node);
}

void mls_group_describe(mls_group *group, mls_str system_id, mls_str text)
{
    mls_description logged = {0};
    mls_description *system = &group->system;
    const mls_config_name shape = mls_group_shape(group);
    mls_str logged_text = {NULL, 0};
    for (size_t i = 0; i < group->run_count && logged_text.ptr == NULL; i++)
        logged_text = mls_str_from(group->runs[i]->job.system);
    if (system_id.len + text.len + logged_text.len + shape.name.len == 0)
        return;
    group->arena = group->arena != NULL ? group->arena : mls_calloc(1, sizeof *group->arena);
    const mls_str texts[] = {text, logged_text};
    mls_description *described[] = {system, &logged}; /* empty if the text is invalid */
    mls_arena scratch = {0};
    for (size_t i = 0; i < 2; i++) {
        mls_str object;
        size_t wrong;
        if (texts[i].len > 0 &&
            mls_description_read(texts[i], &scratch, group->arena, described[i], &object, &wrong) != NULL)
            *described[i] = (mls_description){0};
    }
    mls_arena_release(&scratch);
    const double counts[] = {described_accelerators(system), described_accelerators(&logged), (double)NAN,
                             shape.gpus > 0 ? (double)shape.gpus : (double)NAN};
    const double nodes[] = {mls_first_number(system->number_of_nodes), mls_first_number(logged.number_of_nodes),
                            group->runs[0]->job.node_count, shape.nodes > 0 ? (double)shape.nodes : (double)NAN};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        group->accelerators = isnan(group->accelerators) ? counts[i] : group->accelerators;
        group->nodes = isnan(group->nodes) ? nodes[i] : group->nodes;
    }
    const bool without = group->accelerators == 0;
    group->accelerators = without ? (double)NAN : group->accelerators;
    group->system_id = system_id.len > 0 ? mls_arena_copy(group->arena, system_id).ptr : NULL;
    /* Use the first source that names a model. */
    const mls_str models[] = {mls_str_from(system->accelerator_model_name), mls_str_from(logged.accelerator_model_name),
                              shape.system};
    for (size_t i = 0; i < sizeof models / sizeof *models && group->accelerator == NULL && !without; i++) {
        const mls_accelerator_model model = mls_accelerator_model_of(models[i]);
        group->accelerator = model.text[0] != '\0' ? mls_arena_copy(group->arena, mls_str_from(model.text)).ptr : NULL;
    }
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        *text_at(system, i) = *text_at(system, i) != NULL ? *text_at(system, i) : *text_at(&logged, i);
}
