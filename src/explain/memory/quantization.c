/* SPDX-License-Identifier: Apache-2.0 */
/* quantization.c - determine the format of each module of a checkpoint from the quantization_config of a config.json,
 * with the rules of src/data/quantization.json.
 *
 * The lists of modules that keep 16 bits contain full names, parts of paths, shell patterns, or regular expressions
 * that begin with "re:".  Each entry is matched with the names that the parts of a model have in public checkpoints. */

#include <inttypes.h>

#include "base/buffer.h"
#include "base/pattern.h"
#include "base/utf8.h"
#include "explain/memory/config_json.h"
#include "json/json_row.h"

/* Limits beyond any real file, to bound the running time. */
enum {
    PATTERNS_MAX = 200000,
    TRIED_MAX = 1000000,
    EXPRESSIONS_MAX = 5000,
    GROUPS_MAX = 12,
    MILLI = 1000,
    GROUP_SIZE_MAX = 1 << 24
};

typedef struct quantization {
    config_json *of; /* its `outer` is the quantization_config */
    const cJSON *table;
    const cJSON *modules; /* names of the modules of each part in the model's family; NULL: unknown */
    const mls_model_shape *shape;
    mls_weights_plan plan;
    mls_number_form form; /* format of most modules */
    bool narrow_experts;  /* routed experts have MXFP4 (expert_dtype) */
    bool mixed;           /* some modules have formats other than `form`, which are not counted */
    uint64_t tried;       /* number of patterns tried for each layer */
} quantization;

/* ---------------------------------------------------------------- members */

/* Return the item at a path of member names, such as "quant_type.default._type", or NULL if it does not exist. */
static const cJSON *member_at(const cJSON *object, const char *path)
{
    mls_str name;
    for (const char *left = path; object != NULL && mls_list_next(&left, '.', &name);) {
        const cJSON *item = cJSON_IsObject(object) ? object->child : NULL;
        while (item != NULL && !mls_str_equal(mls_str_from(item->string), name))
            item = item->next;
        object = item;
    }
    return object;
}

/* Return a number of the file in thousandths.  A group size may also be a list of two numbers, which are multiplied, or
 * -1, which becomes 0. */
static uint64_t file_number(quantization *q, const cJSON *item, uint64_t max)
{
    double number = cJSON_IsNumber(item) ? item->valuedouble : -2;
    if (cJSON_IsArray(item) && cJSON_GetArraySize(item) == 2 && cJSON_IsNumber(item->child) &&
        cJSON_IsNumber(item->child->next))
        number = item->child->valuedouble * item->child->next->valuedouble;
    number = number >= -1 && number <= -1 ? 0 : number;
    if (number >= 0 && number <= (double)max)
        return (uint64_t)(number * MILLI + 0.5);
    mls_config_refuse(q->of, item->string, "in quantization_config is not a valid number");
    return 0;
}

/* Return the number `name` of a row in thousandths.  The row contains either the number, or names of members of the
 * file with a default: the first member that exists is used, else the default. */
static uint64_t row_value(quantization *q, const cJSON *row, const cJSON *where, const char *name, uint64_t max)
{
    const cJSON *said = mls_item(row, name);
    mls_str left = mls_str_from(mls_item_text(row, name));
    if (cJSON_IsNumber(said))
        return (uint64_t)(said->valuedouble * MILLI + 0.5);
    for (mls_str word = mls_str_word(&left); word.len > 0; word = mls_str_word(&left)) {
        if (mls_is_digit(word.ptr[0]))
            return (uint64_t)(mls_text_double(word.ptr) * MILLI + 0.5);
        char member[64];
        (void)mls_text_printf(member, sizeof member, "%.*s", MLS_CUT(word, 60));
        const cJSON *item = mls_item_of(where, member);
        if (item != NULL)
            return file_number(q, item, max);
    }
    if (said != NULL)
        mls_config_refuse(q->of, "quantization_config", "lacks the number of bits");
    return 0;
}

/* ---------------------------------------------------------------- names of modules */

/* A pattern that is matched with the modules of a model. */
typedef struct module_pattern {
    mls_str text;
    mls_pattern compiled; /* for regular expressions and shell patterns */
    bool expression, shell;
} module_pattern;

/* Return whether a pattern matches a module of a part in a layer, such as "layers.3.self_attn.q_proj", or of a part
 * outside of the layers.  A regular expression must match from the beginning of the name.  Any other text matches if it
 * is the name or a sequence of its components, which are separated by points. */
static bool matches_part(quantization *q, const module_pattern *pattern, mls_weight_part part, uint64_t layer)
{
    const char *own = mls_item_text(q->modules, mls_weight_names[part]);
    const char *usual = mls_item_text(mls_item(q->table, "modules"), mls_weight_names[part]);
    mls_str left = mls_str_from(own[0] != '\0' ? own : usual);
    for (mls_str name = mls_str_word(&left); name.len > 0 && !q->of->wrong; name = mls_str_word(&left)) {
        char text[128];
        const int len = part <= MLS_WEIGHT_HEAD
                            ? mls_text_printf(text, sizeof text, "%.*s.weight", MLS_CUT(name, 80))
                            : mls_text_printf(text, sizeof text, "%slayers.%" PRIu64 ".%.*s.weight",
                                              mls_str_starts(pattern->text, MLS_S("layers.")) ? "" : "model.", layer,
                                              MLS_CUT(name, 80));
        /* Match shell patterns with names of tensors, all other patterns with names of modules. */
        const mls_str module = {text, (size_t)len - (pattern->shell ? 0 : strlen(".weight"))};
        const mls_str piece = pattern->text;
        if (pattern->expression || pattern->shell) {
            mls_str found = {NULL, 0};
            if (mls_pattern_find(&pattern->compiled, module, 0, &found) != MLS_OK)
                mls_config_refuse(q->of, "quantization_config", "contains an invalid pattern of modules");
            if (found.ptr == module.ptr)
                return true;
            continue;
        }
        for (size_t i = 0; piece.len > 0 && i + piece.len <= module.len; i++)
            if ((i == 0 || text[i - 1] == '.') && memcmp(text + i, piece.ptr, piece.len) == 0 &&
                (i + piece.len == module.len || text[i + piece.len] == '.'))
                return true;
    }
    return false;
}

/* Set the format of all modules that match a pattern. */
static void mark_name(quantization *q, mls_str text, unsigned form)
{
    module_pattern pattern = {.text = text, .expression = mls_str_starts(text, MLS_S("re:"))};
    pattern.shell = !pattern.expression && (mls_str_contains(text, MLS_S("*")) || mls_str_contains(text, MLS_S("?")));
    /* Multimodal models have a prefix before "layers.". */
    mls_str prefixes = mls_str_from(pattern.expression ? "" : mls_item_text(q->table, "prefixes"));
    for (mls_str prefix = mls_str_word(&prefixes); prefix.len > 0; prefix = mls_str_word(&prefixes)) {
        const mls_str inner = mls_str_rest(text, prefix.len);
        if (mls_str_starts(text, prefix) && mls_str_starts(inner, MLS_S("layers."))) {
            pattern.text = inner;
            break;
        }
    }
    /* If the pattern contains the number of a layer, try only that layer. */
    uint64_t first = 0;
    size_t digits = 0;
    mls_str rest;
    if (!pattern.expression && mls_str_after(pattern.text, MLS_S("layers."), &rest))
        for (; digits < rest.len && digits < 7 && mls_is_digit(rest.ptr[digits]); digits++)
            first = 10 * first + (uint64_t)(rest.ptr[digits] - '0');
    const bool one = digits > 0 && (digits == rest.len || rest.ptr[digits] == '.');
    const uint64_t end = one ? mls_bytes_min(first + 1, q->plan.layers) : q->plan.layers;
    first = one ? first : 0;
    /* A shell pattern matches a module and everything inside it. */
    const bool compiles = pattern.expression || pattern.shell;
    mls_status status = MLS_OK;
    if (compiles) {
        mls_buffer expression = {0};
        mls_buffer_append_text(&expression, pattern.shell ? "\\A" : "");
        for (size_t i = 0; pattern.shell && i < pattern.text.len; i++) {
            const char c = pattern.text.ptr[i];
            if (c == '*' || c == '?')
                mls_buffer_append_text(&expression, c == '*' ? ".*" : ".");
            else if (mls_str_is_name((mls_str){&c, 1}) || mls_is_digit(c))
                mls_buffer_append_char(&expression, c);
            else
                mls_buffer_printf(&expression, "\\x{%02x}", (unsigned char)c);
        }
        mls_buffer_append(&expression, pattern.shell ? MLS_S("(?:\\.|\\z)") : mls_str_rest(pattern.text, 3));
        status = mls_pattern_compile(&pattern.compiled, MLS_PATTERN_NAME, mls_buffer_str(&expression));
        mls_buffer_release(&expression);
    }
    if (status != MLS_OK) {
        mls_config_refuse(q->of, "quantization_config", "contains an invalid pattern of modules");
        return;
    }
    q->tried += one ? 1 : q->plan.layers;
    if (q->tried > (compiles ? EXPRESSIONS_MAX : TRIED_MAX))
        mls_config_refuse(q->of, "quantization_config", "contains too many patterns");
    for (mls_weight_part part = 0; part < MLS_WEIGHT_COUNT && !q->of->wrong; part++) {
        unsigned char *marks = mls_weights_marks(&q->plan, part);
        const bool outside = part <= MLS_WEIGHT_HEAD;
        for (uint64_t i = outside ? 0 : first; i < (outside ? 1 : end) && !q->of->wrong; i++)
            marks[i] = matches_part(q, &pattern, part, i) ? (unsigned char)form : marks[i];
    }
    mls_pattern_release(&pattern.compiled);
}

/* Return whether a name belongs to an expert other than the first.  All experts have the same format. */
static bool is_further_expert(const char *name)
{
    static const char experts[] = ".experts.";
    const char *found = strstr(name, experts);
    const char *number = found != NULL ? found + strlen(experts) : "";
    return mls_is_digit(number[0]) && (number[0] != '0' || mls_is_digit(number[1]));
}

/* Set the format of all modules in a list of names.  The list may contain the name that stands for all linear layers.
 */
static void mark_list(quantization *q, const cJSON *list, unsigned form)
{
    if (list == NULL || cJSON_IsNull(list))
        return;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > PATTERNS_MAX) {
        mls_config_refuse(q->of, list->string, "in quantization_config is not a list of modules");
        return;
    }
    for (const cJSON *item = list->child; item != NULL && !q->of->wrong; item = item->next) {
        if (!cJSON_IsString(item))
            mls_config_refuse(q->of, list->string, "in quantization_config is not a list of names");
        else if (strcmp(item->valuestring, "Linear") == 0 && form != 0)
            for (mls_weight_part part = MLS_WEIGHT_HEAD; part < MLS_WEIGHT_COUNT; part++)
                mls_weights_plan_mark(&q->plan, part, form);
        else if (!is_further_expert(item->valuestring))
            mark_name(q, mls_str_from(item->valuestring), form);
    }
}

/* ---------------------------------------------------------------- methods */

static mls_number_form form_of(quantization *q, const cJSON *row, const cJSON *config)
{
    const char *in = mls_item_text(row, "in");
    const cJSON *where = in[0] != '\0' ? member_at(config, in) : config;
    const uint64_t group = row_value(q, row, where, "group", GROUP_SIZE_MAX) / MILLI;
    return (mls_number_form){group, row_value(q, row, where, "bits", 16),
                             row_value(q, row, where, "scale", 64) + row_value(q, row, where, "zero", 16)};
}

/* Mark the modules in the file's lists `names` as keeping 16 bits. */
static void mark_kept(quantization *q, const char *names)
{
    mls_str left = mls_str_from(names);
    for (mls_str name = mls_str_word(&left); name.len > 0; name = mls_str_word(&left)) {
        char text[64];
        (void)mls_text_printf(text, sizeof text, "%.*s", MLS_CUT(name, 60));
        mark_list(q, mls_item(q->of->outer, text), 0);
    }
}

static void read_method(quantization *q, const cJSON *row)
{
    q->form = form_of(q, row, q->of->outer);
    if (q->form.each == 0)
        mls_config_refuse(q->of, "quantization_config", "lacks the number of bits");
    mls_weights_plan_quantize(&q->plan, q->form, mls_item_text(row, "targets")[0] != '\0');
    if (mls_item_text(row, "head_bits")[0] != '\0') {
        const mls_number_form head = {0, row_value(q, row, q->of->outer, "head_bits", 16), 0};
        mls_weights_plan_mark(&q->plan, MLS_WEIGHT_HEAD, mls_weights_plan_add(&q->plan, head));
    }
    if (mls_item_text(row, "head")[0] != '\0' && mls_config_flag(q->of, mls_item_text(row, "head"), false))
        mls_weights_plan_mark(&q->plan, MLS_WEIGHT_HEAD, 1);
    mark_kept(q, mls_item_text(row, "keep"));
}

/* Return the index of a format in the plan.  Add the format if the plan does not contain it. */
static unsigned place_of(quantization *q, mls_number_form form)
{
    for (size_t i = 0; i < q->plan.form_count; i++) {
        const mls_number_form *known = &q->plan.forms[i];
        if (known->group == form.group && known->each == form.each && known->beside == form.beside)
            return (unsigned)i;
    }
    return mls_weights_plan_add(&q->plan, form);
}

static void read_groups(quantization *q)
{
    const cJSON *groups = mls_item(q->of->outer, "config_groups");
    if (!cJSON_IsObject(groups) || cJSON_GetArraySize(groups) > GROUPS_MAX) {
        mls_config_refuse(q->of, "config_groups", "in quantization_config is not an object with a few groups");
        return;
    }
    for (const cJSON *group = groups->child; group != NULL && !q->of->wrong; group = group->next) {
        const cJSON *weights = mls_item(group, "weights");
        if (!cJSON_IsObject(weights))
            continue;
        /* Scales of floating-point numbers in groups have 8 bits. */
        config_json of = {.outer = weights, .error = q->of->error, .wrong = q->of->wrong};
        const char *strategy = mls_item_text(weights, "strategy");
        const bool floats = strcmp(mls_item_text(weights, "type"), "float") == 0;
        const uint64_t bits = mls_config_number(&of, "num_bits", 0);
        const bool even = mls_config_flag(&of, "symmetric", true);
        const cJSON *size = mls_config_member(&of, strcmp(strategy, "block") == 0 ? "block_structure" : "group_size");
        const bool grouped =
            size != NULL && (strategy[0] == '\0' || mls_str_among(mls_str_from(strategy), "group tensor_group block"));
        const uint64_t size_of_group = grouped ? file_number(q, size, GROUP_SIZE_MAX) / MILLI : 0;
        q->of->wrong |= of.wrong;
        if (bits == 0 || bits > 16)
            mls_config_refuse(q->of, "num_bits", "in quantization_config is not a valid number");
        const uint64_t scale = floats && grouped && strcmp(strategy, "block") != 0 ? 8 : 16;
        q->form = (mls_number_form){size_of_group, bits * MILLI, ADD(scale, even ? 0 : bits) * MILLI};
        mark_list(q, mls_item(group, "targets"), place_of(q, q->form));
    }
    mark_list(q, mls_item(q->of->outer, "ignore"), 0);
}

/* Read Model Optimizer's quantized_layers, in which each module has its own format.  Read only the first expert,
 * because all experts have the same format. */
static void read_layers(quantization *q, const cJSON *modules, mls_memory_doubt *doubt)
{
    const cJSON *methods = mls_item(q->table, "methods");
    for (const cJSON *module = modules->child; module != NULL && !q->of->wrong; module = module->next) {
        const char *algorithm = mls_item_text(module, "quant_algo");
        if (is_further_expert(module->string))
            continue;
        const cJSON *row =
            methods != NULL ? methods->child : NULL; /* the row for the name of the algorithm, such as "W4A16_NVFP4" */
        while (row != NULL && !(strcmp(mls_item_text(row, "key"), "quant_algo") == 0 &&
                                mls_str_among(mls_str_from(algorithm), mls_item_text(row, "is"))))
            row = row->next;
        if (row != NULL) {
            q->form = form_of(q, row, module);
            mark_name(q, mls_str_from(module->string), place_of(q, q->form));
        } else if (algorithm[0] != '\0' && !mls_str_among(mls_str_from(algorithm), "NONE none BF16 bf16")) {
            doubt->unsure = true;
            mls_doubt_add(doubt, "the format of some modules (%.40s) is unknown: they are counted in 16 bits",
                          algorithm);
        }
    }
    mark_kept(q, mls_item_text(q->table, "keep"));
}

/* Read the formats of single modules.  Mark modules that keep 16 bits; for any other format only set q->mixed. */
static void read_exceptions(quantization *q)
{
    const char *sparse = cJSON_GetStringValue(member_at(q->of->outer, "sparsity_config.format"));
    mls_str left = mls_str_from(mls_item_text(q->table, "exceptions"));
    q->mixed = sparse != NULL && strcmp(sparse, "dense") != 0;
    for (mls_str word = mls_str_word(&left); word.len > 0; word = mls_str_word(&left)) {
        char text[512];
        (void)mls_text_printf(text, sizeof text, "%.*s", MLS_CUT(word, 60));
        const cJSON *list = mls_item(q->of->outer, text);
        for (const cJSON *module = cJSON_IsObject(list) ? list->child : NULL; module != NULL && !q->of->wrong;
             module = module->next) {
            const cJSON *bits = mls_item(module, "bits");
            const mls_str name = mls_str_from(module->string);
            const bool without = mls_str_starts(name, MLS_S("-:"));
            const bool expression = without || mls_str_starts(name, MLS_S("+:"));
            if (!without && !(cJSON_IsNumber(bits) && bits->valuedouble >= 16)) {
                q->mixed = true;
            } else {
                (void)mls_text_printf(text, sizeof text, "re:%s", module->string + 2 * expression);
                mark_name(q, expression ? mls_str_from(text) : name, 0);
            }
        }
    }
}

/* The arguments that print the name of a method in a sentence. */
#define METHOD(method) MLS_CUT_TEXT((method)[0] != '\0' ? (method) : "of no method", 40)

static void read_quantization(quantization *q, mls_memory_form *to, mls_memory_doubt *doubt)
{
    /* If the name of the method is missing, derive the method from other members. */
    const cJSON *named = mls_config_member(q->of, "quant_method quant_library");
    const char *method = cJSON_IsString(named)                                           ? named->valuestring
                         : named != NULL                                                 ? ""
                         : mls_config_member(q->of, "load_in_4bit load_in_8bit") != NULL ? "bitsandbytes"
                         : mls_config_member(q->of, "quant_algo") != NULL                ? "modelopt"
                                                                                         : "";
    /* Find the first row of the method whose conditions are true for the file. */
    const cJSON *rows = mls_item(q->table, "methods");
    const cJSON *row = NULL;
    for (const cJSON *one = rows != NULL ? rows->child : NULL; one != NULL && row == NULL; one = one->next) {
        const char *key = mls_item_text(one, "key");
        const char *text = cJSON_GetStringValue(member_at(q->of->outer, key));
        const char *names[] = {mls_item_text(one, "if"), mls_item_text(one, "and")};
        bool holds = mls_str_among(mls_str_from(method), mls_item_text(one, "method")) &&
                     (key[0] == '\0' || (text != NULL && mls_str_among(mls_str_from(text), mls_item_text(one, "is"))));
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            holds = holds && (names[i][0] == '\0' || cJSON_IsTrue(mls_config_member(q->of, names[i])));
        row = holds ? one : NULL;
    }
    const cJSON *layers = mls_item(q->of->outer, "quantized_layers");
    const bool mixed = row == NULL && mls_str_starts(mls_str_from(method), MLS_S("modelopt"));
    const bool by_layer = mixed && cJSON_IsObject(layers) && layers->child != NULL;
    if (by_layer)
        read_layers(q, layers, doubt);
    else if (strcmp(method, "compressed-tensors") == 0 || (mixed && cJSON_HasObjectItem(q->of->outer, "config_groups")))
        read_groups(q);
    else if (row != NULL)
        read_method(q, row);
    if (q->of->wrong)
        return;
    if (q->form.each == 0) {
        doubt->unsure = true;
        mls_doubt_add(doubt, "the quantization (%.*s) is unknown: the weights are counted in 16 bits", METHOD(method));
        return;
    }
    if (!by_layer)
        read_exceptions(q);
    if (q->narrow_experts) {
        const unsigned form = place_of(q, (mls_number_form){.group = 32, .each = 4000, .beside = 8000});
        mls_weights_plan_mark(&q->plan, MLS_WEIGHT_EXPERTS, form);
        mls_weights_plan_mark(&q->plan, MLS_WEIGHT_EXPERTS_DOWN, form);
    }
    if (q->mixed) {
        doubt->unsure = true;
        mls_doubt_add(doubt, "its quantization (%.*s) gives some modules other bits, which are not counted",
                      METHOD(method));
    }
    mls_weights_describe(&q->plan, q->shape, method, &q->form, to);
    if (to->wide > 0.99) {
        doubt->unsure = true;
        mls_doubt_add(
            doubt,
            "%.1f %% of its numbers stay in 16 bits, although it is quantized (%.*s): the names of its modules "
            "may not be known here",
            100 * to->wide, METHOD(method));
    }
}

mls_status mls_quantization_read(const cJSON *json, const char *type, const mls_model_shape *shape, mls_quantized *to,
                                 mls_memory_doubt *doubt, mls_error *error)
{
    const config_json whole = {.outer = json, .inner = mls_item(json, "text_config")};
    const cJSON *said = mls_config_member(&whole, "quantization_config compression_config");
    const cJSON *inner = mls_item(said, "quantization"); /* the member is in hf_quant_config.json only */
    config_json of = {.outer = cJSON_IsObject(inner) ? inner : said, .defaults = said, .error = error};
    quantization q = {
        .of = &of, .shape = shape, .narrow_experts = strcmp(mls_item_text(json, "expert_dtype"), "fp4") == 0};
    cJSON *table = NULL;
    *to = (mls_quantized){.kv_precision = MLS_MEMORY_NOT_SET};
    if (said == NULL)
        return MLS_OK;
    if (!cJSON_IsObject(said)) {
        mls_config_refuse(&of, said->string, "is not an object");
        return MLS_ERROR_VALUE;
    }
    const mls_status status = mls_json_data("quantization.json", &table, error);
    if (status != MLS_OK)
        return status;
    q.table = table;
    q.modules = mls_row_of_type(mls_item(table, "modules_of"), mls_str_from(type));
    q.plan = mls_weights_plan_new(shape);
    read_quantization(&q, &to->form, doubt);
    /* The precision in which servers store the KV cache of such a checkpoint by default. */
    const cJSON *scheme = mls_config_member(&of, "kv_cache_scheme");
    const cJSON *algorithm = mls_config_member(&of, "kv_cache_quant_algo");
    const cJSON *bits = mls_item(scheme, "num_bits");
    const bool integers = strcmp(mls_item_text(scheme, "type"), "int") == 0;
    const char *name = cJSON_IsString(algorithm) ? algorithm->valuestring
                       : cJSON_IsNumber(bits) && bits->valuedouble >= 8 && bits->valuedouble <= 8
                           ? integers ? "INT8" : "FP8"
                       : cJSON_IsNumber(bits) && bits->valuedouble >= 4 && bits->valuedouble <= 4 && !integers ? "NVFP4"
                       : cJSON_IsObject(scheme) ? "kv_cache_scheme"
                                                : "";
    const mls_str word = mls_str_from(name);
    const int64_t kind = mls_str_any(word, "FP8|FP8_E4M3", mls_str_alike) ? MLS_FP8
                         : mls_str_alike(word, MLS_S("INT8"))             ? MLS_INT8
                         : mls_str_alike(word, MLS_S("NVFP4"))            ? MLS_NVFP4
                                                                          : MLS_MEMORY_NOT_SET;
    if (kind == MLS_MEMORY_NOT_SET && word.len > 0 &&
        !mls_str_among(word, "NONE none None null auto BF16 bf16 FP16 fp16"))
        mls_doubt_add(doubt, "the format of the KV cache (%.40s) is unknown: use --kv-precision", name);
    to->kv_precision = kind;
    mls_weights_plan_release(&q.plan);
    cJSON_Delete(table);
    return of.wrong ? MLS_ERROR_VALUE : MLS_OK;
}
