/* SPDX-License-Identifier: Apache-2.0 */
/* name.c - decode the shape of a job from the name of its config, and parse pipeline layouts.
 *
 * A name consists of parts separated by '_'.  The last part of the form <nodes>x<gpus>… is the shape.  The parts before
 * the shape are the system, and the parts after the shape are suffixes. */
#include "base/file.h"
#include "base/number.h"
#include "config/config.h"

/* Set the problem of a name whose numbers are impossible, and its kind to NONE.  The texts of the name are kept. */
static void discard_shape(mls_config_name *decoded, const char *problem)
{
    decoded->problem = decoded->problem == NULL ? problem : decoded->problem;
    decoded->kind = MLS_CONFIG_KIND_NONE;
}

static uint64_t read_number(mls_config_name *decoded, mls_str digits, bool may_be_zero)
{
    size_t number = 0;
    if (!mls_size_parse(digits, &number))
        discard_shape(decoded, "a number of the name is too large");
    else if (number == 0 && !may_be_zero)
        discard_shape(decoded, "a number of the name is 0");
    return number;
}

static uint64_t multiply(mls_config_name *decoded, uint64_t a, uint64_t b)
{
    uint64_t product;
    if (__builtin_mul_overflow(a, b, &product)) {
        discard_shape(decoded, "a number of the name is too large");
        product = 0;
    }
    return product;
}

static void read_machine(mls_config_name *decoded, mls_str nodes, mls_str gpus_per_node)
{
    decoded->nodes = read_number(decoded, nodes, false);
    decoded->gpus_per_node = read_number(decoded, gpus_per_node, false);
    decoded->gpus = multiply(decoded, decoded->nodes, decoded->gpus_per_node);
}

/* Remove `word` from the start of *rest; return false if *rest does not start with it. */
static bool take_word(mls_str *rest, mls_str word)
{
    const bool there = mls_str_starts(*rest, word);
    if (there)
        *rest = mls_str_rest(*rest, word.len);
    return there;
}

/* Remove all digits from the start of *rest and return them. */
static mls_str take_digits(mls_str *rest)
{
    mls_str digits = {rest->ptr, 0};
    while (digits.len < rest->len && mls_is_digit(rest->ptr[digits.len]))
        digits.len++;
    *rest = mls_str_rest(*rest, digits.len);
    return digits;
}

static bool is_letter_next(mls_str rest)
{
    const char lower = rest.len > 0 ? (char)(rest.ptr[0] | 0x20) : '\0';
    return lower >= 'a' && lower <= 'z';
}

bool mls_config_has_degrees(const mls_config_name *name)
{
    return (name->tensor_parallel | name->pipeline_parallel | name->context_parallel | name->expert_parallel) != 0;
}

/* Derive the batch sizes from the other numbers.  An omitted degree counts as 1. */
static void derive_batch(mls_config_name *decoded)
{
    const uint64_t named[] = {decoded->tensor_parallel, decoded->pipeline_parallel, decoded->context_parallel};
    const uint64_t context = decoded->context_parallel != 0 ? decoded->context_parallel : 1;
    uint64_t model_parallel = 1;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        model_parallel = multiply(decoded, model_parallel, named[i] != 0 ? named[i] : 1);
    if (!mls_config_has_degrees(decoded) || model_parallel == 0)
        return;
    if (decoded->gpus % model_parallel != 0) {
        decoded->problem = "tp*pp*cp does not divide the number of GPUs";
        return;
    }
    decoded->data_parallel = decoded->gpus / model_parallel;
    if (decoded->global_batch_named == 0)
        decoded->global_batch_size = multiply(decoded, decoded->batch_per_rank, decoded->data_parallel);
    if (decoded->problem != NULL)
        return;
    if (decoded->data_parallel_named != 0 && decoded->data_parallel_named != decoded->data_parallel)
        decoded->problem = "dp is not the number of GPUs divided by tp*pp*cp";
    else if (decoded->expert_parallel > 1 && decoded->data_parallel * context % decoded->expert_parallel != 0)
        decoded->problem = "ep does not divide the data-parallel ranks times cp";
}

void mls_config_name_degrees(const mls_config_name *name, uint64_t degrees[MLS_DEGREES])
{
    const uint64_t named[] = {name->tensor_parallel, name->pipeline_parallel, name->context_parallel,
                              name->expert_parallel};
    memcpy(degrees, named, sizeof named);
}

void mls_config_name_take_degrees(mls_config_name *name, const uint32_t degrees[MLS_DEGREES])
{
    uint64_t *const named[] = {&name->tensor_parallel, &name->pipeline_parallel, &name->context_parallel,
                               &name->expert_parallel};
    for (size_t i = 0; i < MLS_DEGREES; i++)
        *named[i] = degrees[i] != 0 ? degrees[i] : *named[i];
    if (name->kind != MLS_CONFIG_KIND_NONE) {
        name->problem = NULL;
        name->data_parallel = 0;
        name->global_batch_size = name->global_batch_named;
        derive_batch(name);
    }
}

/* Parse [tp<T>][pp<P>]…, with an optional x before, between and after the degrees.  Return false if `part` contains
 * anything else. */
static bool read_degrees(mls_str part, mls_config_name *decoded)
{
    const struct {
        mls_str letters;
        uint64_t *degree;
    } degrees[] = {{MLS_STR("tp"), &decoded->tensor_parallel},        {MLS_STR("pp"), &decoded->pipeline_parallel},
                   {MLS_STR("cp"), &decoded->context_parallel},       {MLS_STR("ep"), &decoded->expert_parallel},
                   {MLS_STR("vpp"), &decoded->virtual_pipeline},      {MLS_STR("vp"), &decoded->virtual_pipeline},
                   {MLS_STR("sp"), &decoded->sequence_parallel},      {MLS_STR("dp"), &decoded->data_parallel_named},
                   {MLS_STR("etp"), &decoded->expert_tensor_parallel}};
    const size_t degree_count = sizeof degrees / sizeof *degrees;
    for ((void)take_word(&part, MLS_S("x")); part.len > 0; (void)take_word(&part, MLS_S("x"))) {
        size_t i = 0;
        while (i < degree_count && !take_word(&part, degrees[i].letters))
            i++;
        const mls_str number = take_digits(&part);
        if (i == degree_count || number.len == 0)
            return false;
        if (*degrees[i].degree != 0)
            discard_shape(decoded, "the name contains a degree of parallelism twice");
        *degrees[i].degree = read_number(decoded, number, false);
    }
    return true;
}

/* Parse the parts after `part` that consist of degrees.  Return the length of these parts, including separators.  If
 * the next part does not consist of degrees, or `part` itself contains degrees, change nothing and return 0. */
static size_t read_degrees_after(mls_str part, mls_config_name *decoded)
{
    const char *end = decoded->name.ptr + decoded->name.len;
    mls_str left = {part.ptr + part.len, (size_t)(end - part.ptr) - part.len};
    size_t length = 0;
    mls_str next;
    if (mls_config_has_degrees(decoded))
        return 0;
    for (mls_config_name with = *decoded; take_word(&left, MLS_S("_")); *decoded = with) {
        (void)mls_str_cut(&left, '_', &next);
        left = (mls_str){next.ptr + next.len, (size_t)(end - next.ptr) - next.len};
        if (next.len == 0 || !read_degrees(next, &with) || !mls_config_has_degrees(&with))
            break;
        length = (size_t)(next.ptr + next.len - part.ptr) - part.len;
    }
    return length;
}

/* Parse <nodes>x<gpus>[x<third>][x<digits>…][x][tp<T>][pp<P>]… */
static bool read_shape(mls_str part, mls_config_name *decoded)
{
    const mls_str nodes = take_digits(&part);
    const bool by = take_word(&part, MLS_S("x"));
    const mls_str gpus = take_digits(&part);
    if (nodes.len == 0 || !by || gpus.len == 0)
        return false;
    decoded->kind = MLS_CONFIG_KIND_SHAPE;
    read_machine(decoded, nodes, gpus);
    for (mls_str left = part; part.len > 0; part = left) {
        const mls_str digits = take_word(&left, MLS_S("x")) ? take_digits(&left) : (mls_str){0};
        if (digits.len == 0)
            break;
        if (decoded->third == 0 && decoded->problem == NULL)
            decoded->third = read_number(decoded, digits, false);
        else if (decoded->extra_count < MLS_CONFIG_EXTRA_MAX)
            decoded->extra[decoded->extra_count++] = read_number(decoded, digits, true);
        else
            discard_shape(decoded, "the shape has too many numbers");
    }
    const bool whole = read_degrees(part, decoded);
    *(mls_config_has_degrees(decoded) ? &decoded->batch_per_rank : &decoded->batch_per_gpu) = decoded->third;
    return whole;
}

/* Parse 16xXE8545x4A100-SXM-80GB: nodes, model of the nodes, GPUs per node and model of the GPUs.  Only the first part
 * may have this form. */
static bool read_model(mls_str part, mls_config_name *decoded)
{
    const bool first = part.ptr == decoded->name.ptr;
    const mls_str nodes = take_digits(&part);
    if (!first || nodes.len == 0 || !take_word(&part, MLS_S("x")) || !is_letter_next(part))
        return false;
    while (part.len > 1) {
        part = (mls_str){part.ptr + 1, part.len - 1};
        mls_str rest = part;
        const mls_str gpus = take_word(&rest, MLS_S("x")) ? take_digits(&rest) : (mls_str){0};
        if (gpus.len > 0 && is_letter_next(rest)) {
            decoded->kind = MLS_CONFIG_KIND_MODEL;
            read_machine(decoded, nodes, gpus);
            return true;
        }
    }
    return false;
}

/* Parse 32nodes, or n2 before degrees of parallelism. */
static bool read_nodes(mls_str part, mls_config_name *decoded)
{
    mls_config_name ignored = *decoded;
    const bool brief = mls_str_starts(part, MLS_S("n")) && read_degrees_after(part, &ignored) > 0;
    (void)(brief && take_word(&part, MLS_S("n")));
    const mls_str nodes = take_digits(&part);
    if (nodes.len == 0 || !(brief ? part.len == 0 : mls_str_any(part, "node|nodes", mls_str_equal)))
        return false;
    decoded->kind = MLS_CONFIG_KIND_NODES;
    decoded->nodes = read_number(decoded, nodes, false);
    return true;
}

/* Recognize the last part of DGXH100_common or common, a file that other configs source. */
static bool read_common(mls_str part, mls_config_name *decoded)
{
    return part.ptr + part.len == decoded->name.ptr + decoded->name.len && mls_str_equal(part, MLS_S("common"));
}

/* Find the last part of the name that `read` accepts.  Return false if `read` does not accept any part. */
static bool find_part(mls_config_name *decoded, bool (*read)(mls_str part, mls_config_name *decoded))
{
    const mls_config_name blank = *decoded;
    const mls_str name = decoded->name;
    for (size_t begin, end = name.len + 1; end > 0; end = begin) {
        begin = --end;
        while (begin > 0 && name.ptr[begin - 1] != '_')
            begin--;
        const mls_str part = {name.ptr + begin, end - begin};
        if (read(part, decoded)) {
            const size_t degrees = read == read_shape || read == read_nodes ? read_degrees_after(part, decoded) : 0;
            decoded->batch_per_gpu = degrees > 0 ? 0 : decoded->batch_per_gpu;
            derive_batch(decoded);
            if (decoded->kind == MLS_CONFIG_KIND_NONE)
                *decoded = (mls_config_name){.name = name, .problem = decoded->problem};
            decoded->system = read == read_model ? part : (mls_str){name.ptr, begin > 0 ? begin - 1 : 0};
            /* Store the parts after the shape as suffixes.  A part such as gbs64 is the global batch, which is used
             * instead of the batch derived from the shape. */
            for (size_t from = read == read_common ? begin : end + 1 + degrees, to; from < name.len; from = to + 1) {
                const char *next = memchr(name.ptr + from, '_', name.len - from);
                const bool last = next == NULL || decoded->suffix_count + 1 == MLS_CONFIG_SUFFIX_MAX;
                to = last ? name.len : (size_t)(next - name.ptr);
                mls_str suffix = {name.ptr + from, to - from};
                if (to > from)
                    decoded->suffixes[decoded->suffix_count++] = suffix;
                const mls_str digits = take_word(&suffix, MLS_S("gbs")) ? take_digits(&suffix) : (mls_str){0};
                if (digits.len > 0 && suffix.len == 0) {
                    decoded->global_batch_named = read_number(decoded, digits, false);
                    decoded->global_batch_size = decoded->global_batch_named;
                    decoded->batch_per_gpu = 0;
                }
            }
            return true;
        }
        *decoded = blank;
    }
    return false;
}

mls_config_name mls_config_name_decode(mls_str text)
{
    (void)take_word(&text, mls_path_folder(text));
    (void)take_word(&text, MLS_S("config_"));
    text.len -= mls_str_ends(text, MLS_S(".sh")) ? strlen(".sh") : 0;
    mls_config_name decoded = {.name = text, .system = text};
    if (text.len > MLS_CONFIG_NAME_LENGTH_MAX) {
        discard_shape(&decoded, "the name is too long");
    } else if (text.len > 0) {
        (void)(find_part(&decoded, read_shape) || find_part(&decoded, read_model) || find_part(&decoded, read_nodes) ||
               find_part(&decoded, read_common));
    }
    return decoded;
}

/* ---- Megatron's notation for pipelines with uneven stages ---- */

enum {
    DEPTH_MAX = 8,      /* maximum depth of nested groups */
    REPEAT_MAX = 10000, /* maximum N of "*N" */
    STEPS_MAX = 100000  /* maximum number of letters to process, including repetitions */
};

/* Parse the layout in `rest`.  *layout already contains one empty chunk.  Return NULL on success, or else the problem
 * as a static text. */
static const char *read_layout(mls_str rest, mls_pipeline_layout *layout)
{
    struct {
        mls_str begin;
        size_t left; /* number of remaining repetitions; 0: the end of the group was not reached yet */
    } groups[DEPTH_MAX];
    size_t depth = 0;
    bool embedding = false;
    bool loss = false;
    for (size_t steps = 0; rest.len > 0; steps++) {
        mls_pipeline_chunk *chunk = &layout->chunks[layout->count - 1];
        const char letter = rest.ptr[0];
        rest = mls_str_rest(rest, 1);
        if (steps == STEPS_MAX)
            return "it repeats too much";
        if (letter == ',' || letter == ' ') /* separators for readability */
            continue;
        if (letter == '(') {
            if (depth == DEPTH_MAX)
                return "its groups are nested too deeply";
            groups[depth].begin = rest;
            groups[depth++].left = 0;
            continue;
        }
        if (letter == ')' && depth == 0)
            return "unmatched )";
        size_t times = 1;
        if (take_word(&rest, MLS_S("*")) &&
            (!mls_size_parse(take_digits(&rest), &times) || times == 0 || times > REPEAT_MAX))
            return "a * is not followed by a number from 1 to 10000";
        if (letter == ')') { /* jump back until all repetitions are done */
            size_t *left = &groups[depth - 1].left;
            *left = (*left == 0 ? times : *left) - 1;
            rest = *left > 0 ? groups[depth - 1].begin : rest;
            depth -= *left == 0;
            continue;
        }
        if (loss)
            return "nothing follows the loss, L";
        switch (letter) {
        case '|':
            if (times > MLS_CONFIG_CHUNKS_MAX - layout->count)
                return "it has too many stages";
            layout->count += times;
            break;
        case 'E':
            if (embedding || layout->count > 1 || chunk->layers > 0 || chunk->predictors > 0 || times != 1)
                return "the embedding, E, must occur once, at the start";
            embedding = true;
            break;
        case 't':
            chunk->layers += (uint32_t)times;
            layout->layers += times;
            if (layout->predictors > 0)
                return "a layer, t, must not follow a prediction layer, m";
            break;
        case 'm':
            chunk->predictors += (uint32_t)times;
            layout->predictors += times;
            break;
        case 'L':
            if (times != 1)
                return "the loss, L, must occur once, at the end";
            loss = true;
            break;
        default:
            return "its letters are E, t, m and L";
        }
    }
    return depth > 0    ? "a ( is not closed"
           : !embedding ? "the embedding, E, is missing"
           : !loss      ? "the loss, L, is missing"
                        : NULL;
}

const char *mls_pipeline_layout_parse(mls_str text, mls_pipeline_layout *layout)
{
    *layout = (mls_pipeline_layout){.count = 1};
    const char *wrong = read_layout(text, layout);
    layout->count = wrong == NULL ? layout->count : 0;
    return wrong;
}
