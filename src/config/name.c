/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name.c - the shape of a job, decoded from the name of its config.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "mlscore/config.h"

/* Backtracking a name may cost; the longest name needs a small part of it. */
#define MATCH_STEPS_MAX 1000000
#define MATCH_HEAP_KIB_MAX 1024

typedef enum name_pattern { PATTERN_SHAPE, PATTERN_MODEL, PATTERN_NODES, PATTERN_COUNT } name_pattern;

/* The greedy system is what makes the last part that looks like a shape the shape. */
static const char *const pattern_texts[PATTERN_COUNT] = {
    [PATTERN_SHAPE] = ("(?s)\\A(?:(.*)_)?([0-9]+)x([0-9]+)((?:x[0-9]+)*)((?:x?(?:tp|pp|cp|ep|vp|dp|sp)[0-9]+)*)x?"
                       "(?:_(.*))?\\z"),
    [PATTERN_MODEL] = "(?s)\\A([0-9]+)x[A-Za-z][^_]*?x([0-9]+)[A-Za-z][^_]*(?:_(.*))?\\z",
    [PATTERN_NODES] = "(?s)\\A(?:(.*)_)?([0-9]+)nodes?(?:_(.*))?\\z",
};

struct mls_config_decoder {
    pcre2_code *patterns[PATTERN_COUNT];
    pcre2_match_context *limits;
};

const char *mls_config_problem_text(mls_config_problem problem)
{
    static const char *const texts[] = {
        [MLS_CONFIG_PROBLEM_NONE] = "nothing is wrong",
        [MLS_CONFIG_PROBLEM_LENGTH] = "the name is too long",
        [MLS_CONFIG_PROBLEM_NUMBER] = "a number of the name is too large",
        [MLS_CONFIG_PROBLEM_ZERO] = "a number of the name is 0",
        [MLS_CONFIG_PROBLEM_REPEATED] = "the name gives one degree of parallelism twice",
        [MLS_CONFIG_PROBLEM_EXTRA] = "the shape has too many numbers",
        [MLS_CONFIG_PROBLEM_DIVISION] = "tp*pp*cp does not divide the number of GPUs",
        [MLS_CONFIG_PROBLEM_DATA_PARALLEL] = "dp is not the number of GPUs divided by tp*pp*cp",
    };
    return (size_t)problem < sizeof texts / sizeof *texts ? texts[problem] : "unknown problem";
}

mls_status mls_config_decoder_new(mls_config_decoder **decoder, mls_error *error)
{
    *decoder = NULL;
    mls_config_decoder *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return mls_error_memory(error);
    }
    made->limits = pcre2_match_context_create(NULL);
    bool complete = made->limits != NULL;
    for (size_t i = 0; complete && i < PATTERN_COUNT; i++) {
        int code;
        PCRE2_SIZE where;
        made->patterns[i] = pcre2_compile((PCRE2_SPTR)pattern_texts[i], PCRE2_ZERO_TERMINATED, 0, &code, &where, NULL);
        complete = made->patterns[i] != NULL;
    }
    if (!complete) {
        mls_config_decoder_free(made);
        return mls_error_memory(error);
    }
    (void)pcre2_set_match_limit(made->limits, MATCH_STEPS_MAX);
    (void)pcre2_set_heap_limit(made->limits, MATCH_HEAP_KIB_MAX);
    *decoder = made;
    return MLS_OK;
}

void mls_config_decoder_free(mls_config_decoder *decoder)
{
    if (decoder == NULL) {
        return;
    }
    for (size_t i = 0; i < PATTERN_COUNT; i++) {
        pcre2_code_free(decoder->patterns[i]);
    }
    pcre2_match_context_free(decoder->limits);
    free(decoder);
}

/* A match of one pattern: its groups are spans of `subject`. */
typedef struct name_match {
    mls_str subject;
    pcre2_match_data *data;
    bool out_of_memory;
} name_match;

/* Group `group`; ptr NULL when it took no part in the match. */
static mls_str match_group(const name_match *match, uint32_t group)
{
    const PCRE2_SIZE *offsets = pcre2_get_ovector_pointer(match->data);
    const PCRE2_SIZE begin = offsets[2 * group];
    const PCRE2_SIZE end = offsets[2 * group + 1];
    if (begin == PCRE2_UNSET || end == PCRE2_UNSET) {
        return (mls_str){NULL, 0};
    }
    return (mls_str){match->subject.ptr + begin, end - begin};
}

static bool try_pattern(const mls_config_decoder *decoder, name_pattern pattern, name_match *match)
{
    const int found = pcre2_match(decoder->patterns[pattern], (PCRE2_SPTR)match->subject.ptr, match->subject.len, 0, 0,
                                  match->data, decoder->limits);
    match->out_of_memory |= found == PCRE2_ERROR_NOMEMORY;
    return found > 0;
}

/* Folders, "config_" and ".sh" off. */
static mls_str bare_name(mls_str text)
{
    for (size_t i = text.len; i > 0; i--) {
        if (text.ptr[i - 1] == '/') {
            text = (mls_str){text.ptr + i, text.len - i};
            break;
        }
    }
    const mls_str prefix = MLS_STR("config_");
    const mls_str ending = MLS_STR(".sh");
    if (mls_str_starts(text, prefix)) {
        text = (mls_str){text.ptr + prefix.len, text.len - prefix.len};
    }
    if (mls_str_ends(text, ending)) {
        text.len -= ending.len;
    }
    return text;
}

static void note_problem(mls_config_name *decoded, mls_config_problem problem)
{
    if (decoded->problem == MLS_CONFIG_PROBLEM_NONE) {
        decoded->problem = problem;
    }
}

static uint64_t read_number(mls_config_name *decoded, mls_str digits)
{
    size_t number;
    if (!mls_size_parse(digits, &number)) {
        note_problem(decoded, MLS_CONFIG_PROBLEM_NUMBER);
        return 0;
    }
    return number;
}

static uint64_t read_nonzero(mls_config_name *decoded, mls_str digits)
{
    const uint64_t number = read_number(decoded, digits);
    if (number == 0) {
        note_problem(decoded, MLS_CONFIG_PROBLEM_ZERO);
    }
    return number;
}

static uint64_t multiply(mls_config_name *decoded, uint64_t a, uint64_t b)
{
    uint64_t product;
    if (__builtin_mul_overflow(a, b, &product)) {
        note_problem(decoded, MLS_CONFIG_PROBLEM_NUMBER);
        return 0;
    }
    return product;
}

static size_t digits_at(mls_str text, size_t at)
{
    size_t count = 0;
    while (at + count < text.len && text.ptr[at + count] >= '0' && text.ptr[at + count] <= '9') {
        count++;
    }
    return count;
}

/* "x1x4x8": the third number, then those without a meaning. */
static void read_numbers(mls_config_name *decoded, mls_str text)
{
    size_t at = 0;
    for (size_t index = 0; at < text.len; index++) {
        at++;
        const mls_str digits = {text.ptr + at, digits_at(text, at)};
        at += digits.len;
        if (index == 0) {
            decoded->third = read_nonzero(decoded, digits);
        } else if (decoded->extra_count < MLS_CONFIG_EXTRA_MAX) {
            decoded->extra[decoded->extra_count++] = read_number(decoded, digits);
        } else {
            note_problem(decoded, MLS_CONFIG_PROBLEM_EXTRA);
        }
    }
}

/* "xtp1pp1cp8": two letters and a number each, an x between them where somebody wrote one. */
static void read_degrees(mls_config_name *decoded, mls_str text)
{
    const struct {
        char letter;
        uint64_t *degree;
    } degrees[] = {{'t', &decoded->tensor_parallel},  {'p', &decoded->pipeline_parallel},
                   {'c', &decoded->context_parallel}, {'e', &decoded->expert_parallel},
                   {'v', &decoded->virtual_pipeline}, {'s', &decoded->sequence_parallel}};
    size_t at = 0;
    while (at < text.len) {
        if (text.ptr[at] == 'x') {
            at++;
        }
        uint64_t *degree = &decoded->data_parallel_named;
        for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
            degree = text.ptr[at] == degrees[i].letter ? degrees[i].degree : degree;
        }
        at += 2;
        const mls_str digits = {text.ptr + at, digits_at(text, at)};
        at += digits.len;
        if (*degree != 0) {
            note_problem(decoded, MLS_CONFIG_PROBLEM_REPEATED);
        }
        *degree = read_nonzero(decoded, digits);
    }
}

static void read_suffixes(mls_config_name *decoded, mls_str text)
{
    size_t begin = 0;
    while (text.ptr != NULL && begin <= text.len) {
        const char *next = begin < text.len ? memchr(text.ptr + begin, '_', text.len - begin) : NULL;
        size_t end = next != NULL ? (size_t)(next - text.ptr) : text.len;
        if (decoded->suffix_count + 1 == MLS_CONFIG_SUFFIX_MAX) {
            end = text.len;
        }
        if (end > begin) {
            decoded->suffixes[decoded->suffix_count++] = (mls_str){text.ptr + begin, end - begin};
        }
        begin = end + 1;
    }
}

/* What follows from the numbers; a degree that is left out counts as 1. */
static void derive_batch(mls_config_name *decoded)
{
    const uint64_t named[] = {decoded->tensor_parallel, decoded->pipeline_parallel, decoded->context_parallel};
    uint64_t model_parallel = 1;
    bool any = false;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        any = any || named[i] != 0;
        model_parallel = multiply(decoded, model_parallel, named[i] != 0 ? named[i] : 1);
    }
    if (!any) {
        decoded->batch_per_gpu = decoded->third;
        return;
    }
    decoded->gradient_accumulation = decoded->third;
    if (model_parallel == 0 || decoded->gpus % model_parallel != 0) {
        note_problem(decoded, MLS_CONFIG_PROBLEM_DIVISION);
        return;
    }
    decoded->data_parallel = decoded->gpus / model_parallel;
    decoded->global_batch_size = multiply(decoded, decoded->third, decoded->data_parallel);
    if (decoded->data_parallel_named != 0 && decoded->data_parallel_named != decoded->data_parallel) {
        note_problem(decoded, MLS_CONFIG_PROBLEM_DATA_PARALLEL);
    }
}

static bool problem_voids_shape(mls_config_problem problem)
{
    return problem != MLS_CONFIG_PROBLEM_NONE && problem != MLS_CONFIG_PROBLEM_DIVISION &&
           problem != MLS_CONFIG_PROBLEM_DATA_PARALLEL;
}

/* Numbers of which one makes no sense say nothing together: only the words stay. */
static void drop_void_shape(mls_config_name *decoded)
{
    if (problem_voids_shape(decoded->problem)) {
        const mls_config_name words = *decoded;
        *decoded = (mls_config_name){.name = words.name, .system = words.system, .problem = words.problem};
        memcpy(decoded->suffixes, words.suffixes, sizeof words.suffixes);
        decoded->suffix_count = words.suffix_count;
    }
}

static void fill_shape(mls_config_name *decoded, const name_match *match)
{
    decoded->kind = MLS_CONFIG_KIND_SHAPE;
    decoded->system = match_group(match, 1);
    decoded->nodes = read_nonzero(decoded, match_group(match, 2));
    decoded->gpus_per_node = read_nonzero(decoded, match_group(match, 3));
    decoded->gpus = multiply(decoded, decoded->nodes, decoded->gpus_per_node);
    read_numbers(decoded, match_group(match, 4));
    read_degrees(decoded, match_group(match, 5));
    read_suffixes(decoded, match_group(match, 6));
    if (!problem_voids_shape(decoded->problem)) {
        derive_batch(decoded);
    }
}

/* The whole of 16xXE8545x4A100-SXM-80GB is the system's name, and a shape besides. */
static void fill_model(mls_config_name *decoded, const name_match *match)
{
    decoded->kind = MLS_CONFIG_KIND_MODEL;
    const mls_str tail = match_group(match, 3);
    decoded->system.len -= tail.ptr != NULL ? tail.len + 1 : 0;
    decoded->nodes = read_nonzero(decoded, match_group(match, 1));
    decoded->gpus_per_node = read_nonzero(decoded, match_group(match, 2));
    decoded->gpus = multiply(decoded, decoded->nodes, decoded->gpus_per_node);
    read_suffixes(decoded, tail);
}

static void fill_nodes(mls_config_name *decoded, const name_match *match)
{
    decoded->kind = MLS_CONFIG_KIND_NODES;
    decoded->system = match_group(match, 1);
    decoded->nodes = read_nonzero(decoded, match_group(match, 2));
    read_suffixes(decoded, match_group(match, 3));
}

/* DGXH100_common, common: what other configs source. */
static void fill_shapeless(mls_config_name *decoded)
{
    const mls_str common = MLS_STR("common");
    const mls_str system = decoded->system;
    const size_t before = system.len > common.len ? system.len - common.len : 0;
    if (mls_str_ends(system, common) && (before == 0 || system.ptr[before - 1] == '_')) {
        decoded->suffixes[decoded->suffix_count++] = (mls_str){system.ptr + before, common.len};
        decoded->system.len = before > 0 ? before - 1 : 0;
    }
}

mls_status mls_config_name_decode(const mls_config_decoder *decoder, mls_str text, mls_config_name *decoded)
{
    const mls_str name = bare_name(text);
    *decoded = (mls_config_name){.name = name, .system = name};
    if (name.len > MLS_CONFIG_NAME_LENGTH_MAX) {
        decoded->problem = MLS_CONFIG_PROBLEM_LENGTH;
        return MLS_OK;
    }
    if (name.len == 0) {
        return MLS_OK;
    }
    name_match match = {.subject = name, .data = pcre2_match_data_create(8, NULL)};
    if (match.data == NULL) {
        return MLS_ERROR_MEMORY;
    }
    if (try_pattern(decoder, PATTERN_SHAPE, &match)) {
        fill_shape(decoded, &match);
    } else if (try_pattern(decoder, PATTERN_MODEL, &match)) {
        fill_model(decoded, &match);
    } else if (try_pattern(decoder, PATTERN_NODES, &match)) {
        fill_nodes(decoded, &match);
    } else {
        fill_shapeless(decoded);
    }
    pcre2_match_data_free(match.data);
    if (match.out_of_memory) {
        return MLS_ERROR_MEMORY;
    }
    drop_void_shape(decoded);
    return MLS_OK;
}
