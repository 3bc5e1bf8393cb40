/* SPDX-License-Identifier: Apache-2.0 */
#include "score/seeds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "mlscore/value.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
}

/* Whether Python's int() reads this text: blanks around, a sign, digits with single underscores between them. */
static bool text_is_integer(mls_str text)
{
    while (text.len > 0 && is_space(text.ptr[0])) {
        text.ptr++;
        text.len--;
    }
    while (text.len > 0 && is_space(text.ptr[text.len - 1])) {
        text.len--;
    }
    if (text.len > 0 && (text.ptr[0] == '+' || text.ptr[0] == '-')) {
        text.ptr++;
        text.len--;
    }
    for (size_t i = 0; i < text.len; i++) {
        bool between = text.ptr[i] == '_' && i > 0 && is_digit(text.ptr[i - 1]) && i + 1 < text.len;
        if (!is_digit(text.ptr[i]) && !between) {
            return false;
        }
    }
    return text.len > 0;
}

/* Whether a number is written without a fraction or an exponent, so that its text is its one form. */
static bool is_whole_text(mls_str span)
{
    for (size_t i = 0; i < span.len; i++) {
        if (!is_digit(span.ptr[i]) && (span.ptr[i] != '-' || span.len == 2)) {
            return false;
        }
    }
    return true;
}

/*
 * Appends a value so that equal values give equal bytes, as the checker
 * compares them: 5, 5.0 and 5e0 are one number, "5" is another thing.
 * Integers keep all their digits, however many.
 */
static void append_identity(mls_buffer *identity, mls_str span, mls_str decoded)
{
    double number;
    if (mls_json_kind_of(span) == MLS_JSON_STRING) {
        mls_buffer_append_char(identity, '"');
        mls_buffer_append(identity, decoded);
    } else if (!is_whole_text(span) && mls_json_number(span, &number) && isfinite(number)) {
        mls_number_append(identity, number);
    } else {
        mls_buffer_append(identity, span);
    }
    mls_buffer_append_char(identity, '\0');
}

/* A span for people: strings without their quotes. */
static bool decode(mls_seed_log *log, mls_str span, mls_str *text)
{
    if (mls_json_kind_of(span) == MLS_JSON_STRING) {
        return mls_json_string(span, &log->arena, text);
    }
    *text = mls_arena_copy(&log->arena, span);
    return text->ptr != NULL;
}

static bool value_is_integer(mls_str span, mls_str decoded)
{
    double number;
    if (mls_json_kind_of(span) == MLS_JSON_STRING) {
        return text_is_integer(decoded);
    }
    return mls_json_number(span, &number) && isfinite(number);
}

/* Fills in the place and the identity of a seed; false when memory runs out. */
static bool read_place(mls_seed_log *log, const mls_record *record, mls_seed *seed)
{
    mls_str file;
    mls_str lineno;
    seed->has_place = mls_json_member(record->metadata, MLS_S("file"), &file) &&
                      mls_json_member(record->metadata, MLS_S("lineno"), &lineno);
    if (!seed->has_place) {
        return true;
    }
    if (!decode(log, file, &seed->file) || !decode(log, lineno, &seed->lineno)) {
        return false;
    }
    mls_buffer_clear(&log->scratch);
    append_identity(&log->scratch, file, seed->file);
    append_identity(&log->scratch, lineno, seed->lineno);
    append_identity(&log->scratch, record->value, seed->value);
    seed->identity = mls_arena_copy(&log->arena, mls_buffer_str(&log->scratch));
    return !log->scratch.failed && seed->identity.ptr != NULL;
}

mls_status mls_seed_log_record(mls_seed_log *log, const mls_record *record)
{
    if (!mls_str_equal(record->key, MLS_S("seed"))) {
        return MLS_OK;
    }
    if (log->count == MLS_SEEDS_MAX) {
        log->too_many = true;
        return MLS_OK;
    }
    mls_seed seed = {.line = record->line};
    if (!decode(log, record->value, &seed.value) || !read_place(log, record, &seed) || !MLS_GROW(log, items)) {
        return MLS_ERROR_MEMORY;
    }
    seed.is_integer = value_is_integer(record->value, seed.value);
    log->items[log->count++] = seed;
    return MLS_OK;
}

void mls_seed_log_malformed(mls_seed_log *log)
{
    log->malformed++;
}

void mls_seed_log_release(mls_seed_log *log)
{
    free(log->items);
    mls_arena_release(&log->arena);
    mls_buffer_release(&log->scratch);
    *log = (mls_seed_log){0};
}

/* A seed with the log it is from. */
typedef struct placed_seed {
    const mls_seed *seed;
    size_t source;
} placed_seed;

/* Seeds that are equal: a stretch of the sorted array. */
typedef struct seed_group {
    size_t first;
    size_t count;
    size_t source; /* of the first one, for the order of problems */
    size_t line;
} seed_group;

static int compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int compare_placed(const void *left, const void *right)
{
    const placed_seed *a = left;
    const placed_seed *b = right;
    int order = mls_str_compare(a->seed->identity, b->seed->identity);
    order = order != 0 ? order : compare_sizes(a->source, b->source);
    return order != 0 ? order : compare_sizes(a->seed->line, b->seed->line);
}

static int compare_groups(const void *left, const void *right)
{
    const seed_group *a = left;
    const seed_group *b = right;
    int order = compare_sizes(a->source, b->source);
    return order != 0 ? order : compare_sizes(a->line, b->line);
}

/* What can be said of one log alone. */
static void check_log(const mls_seed_source *source, mls_findings *problems)
{
    const mls_seed_log *log = source->log;
    mls_finding_place place = {.path = source->name, .key = MLS_S("seed")};
    if (log->malformed > 0) {
        mls_findings_add(problems, MLS_FINDING_SEED_UNSURE, place,
                         "%s has malformed lines (%zu), which may hide a seed", source->name, log->malformed);
    }
    if (log->too_many) {
        mls_findings_add(problems, MLS_FINDING_SEED_UNSURE, place, "%s logs more than %d seeds", source->name,
                         MLS_SEEDS_MAX);
    }
    if (log->count == 0) {
        mls_findings_add(problems, MLS_FINDING_SEED_MISSING, place, "%s logs no seed", source->name);
    } else if (log->count > 1) {
        mls_findings_add(problems, MLS_FINDING_SEED_SEVERAL, place, "%s logs %zu seeds", source->name, log->count);
    }
    for (size_t i = 0; i < log->count; i++) {
        const mls_seed *seed = &log->items[i];
        place.line = seed->line;
        if (!seed->has_place) {
            mls_findings_add(problems, MLS_FINDING_SEED_PLACE, place,
                             "%s:%zu: the metadata of the seed lack file or lineno", source->name, seed->line);
        }
        if (!seed->is_integer) {
            mls_findings_add(problems, MLS_FINDING_SEED_VALUE, place, "%s:%zu: the seed is no integer: %.*s",
                             source->name, seed->line, MLS_CUT(seed->value, 40));
        }
    }
}

/* "result_0.txt:17, result_3.txt:17 and 2 more share seed 42 (logged by train.py:83)" */
static mls_status report_group(const seed_group *group, const placed_seed *placed, const mls_seed_source *sources,
                               mls_findings *problems)
{
    mls_buffer words = {0};
    const mls_seed *seed = placed->seed;
    size_t named = group->count < MLS_SEEDS_NAMED_MAX ? group->count : MLS_SEEDS_NAMED_MAX;
    for (size_t i = 0; i < named; i++) {
        bool last = i + 1 == group->count;
        mls_buffer_printf(&words, "%s%s:%zu",
                          i == 0 ? ""
                          : last ? " and "
                                 : ", ",
                          sources[placed[i].source].name, placed[i].seed->line);
    }
    if (group->count > named) {
        mls_buffer_printf(&words, " and %zu more", group->count - named);
    }
    mls_buffer_append_text(&words, " share seed ");
    mls_buffer_append(&words, seed->value);
    mls_buffer_append_text(&words, " (logged by ");
    mls_buffer_append(&words, seed->file);
    mls_buffer_append_text(&words, ":");
    mls_buffer_append(&words, seed->lineno);
    mls_buffer_append_text(&words, ")");
    if (words.failed) {
        mls_buffer_release(&words);
        return MLS_ERROR_MEMORY;
    }
    mls_finding_place place = {sources[group->source].name, group->line, 0, MLS_S("seed")};
    mls_findings_add(problems, MLS_FINDING_SEED_REPEATED, place, "%s", words.ptr);
    mls_buffer_release(&words);
    return MLS_OK;
}

/* Finds the stretches of equal seeds; returns how many hold more than one, the others are only counted. */
static size_t find_groups(const placed_seed *placed, size_t count, seed_group *groups, size_t *different)
{
    size_t found = 0;
    *different = 0;
    for (size_t first = 0; first < count;) {
        size_t end = first + 1;
        while (end < count && mls_str_equal(placed[first].seed->identity, placed[end].seed->identity)) {
            end++;
        }
        if (end - first > 1) {
            groups[found++] = (seed_group){first, end - first, placed[first].source, placed[first].seed->line};
        }
        ++*different;
        first = end;
    }
    return found;
}

static mls_status check_repetitions(const mls_seed_source *sources, size_t count, mls_findings *problems,
                                    mls_seeds_verdict *verdict)
{
    mls_status status = MLS_ERROR_MEMORY;
    placed_seed *placed = calloc(verdict->seeds + 1, sizeof *placed);
    seed_group *groups = calloc(verdict->seeds / 2 + 1, sizeof *groups);
    if (placed == NULL || groups == NULL) {
        goto out;
    }
    size_t seeds = 0;
    for (size_t s = 0; s < count; s++) {
        for (size_t i = 0; i < sources[s].log->count; i++) {
            if (sources[s].log->items[i].has_place) {
                placed[seeds++] = (placed_seed){&sources[s].log->items[i], s};
            }
        }
    }
    qsort(placed, seeds, sizeof *placed, compare_placed);
    size_t repeated = find_groups(placed, seeds, groups, &verdict->different);
    qsort(groups, repeated, sizeof *groups, compare_groups);
    status = MLS_OK;
    for (size_t i = 0; i < repeated && status == MLS_OK; i++) {
        status = report_group(&groups[i], placed + groups[i].first, sources, problems);
    }
out:
    free(placed);
    free(groups);
    return status;
}

mls_status mls_seeds_check(const mls_seed_source *sources, size_t count, mls_findings *problems,
                           mls_seeds_verdict *verdict)
{
    size_t errors = problems->counts.error;
    *verdict = (mls_seeds_verdict){0};
    for (size_t i = 0; i < count; i++) {
        check_log(&sources[i], problems);
        verdict->seeds += sources[i].log->count;
    }
    mls_status status = check_repetitions(sources, count, problems, verdict);
    if (status == MLS_OK && problems->out_of_memory) {
        status = MLS_ERROR_MEMORY;
    }
    verdict->ok = status == MLS_OK && problems->counts.error == errors;
    return status;
}
