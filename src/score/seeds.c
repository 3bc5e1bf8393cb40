/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seeds.c - the seeds that logs tell, each in one form that can be compared,
 * and what is wrong with those of a folder.
 */
#include "score/score.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "mlscore/value.h"

/* ----------------------------------------------------- one seed, in one form */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
}

/*
 * Appends the digits of a text that Python's int() reads: blanks around, a
 * sign, digits with single underscores between them, however many.  False when
 * it is none.
 */
static bool append_whole_text(mls_buffer *identity, mls_str text)
{
    size_t at = 0;
    size_t end = text.len;
    while (at < end && is_space(text.ptr[at])) {
        at++;
    }
    while (end > at && is_space(text.ptr[end - 1])) {
        end--;
    }
    const bool negative = at < end && text.ptr[at] == '-';
    at += at < end && (negative || text.ptr[at] == '+');
    const size_t first = at;
    bool zero = true;
    for (; at < end; at++) {
        const bool between = text.ptr[at] == '_' && at > first && is_digit(text.ptr[at - 1]) && at + 1 < end;
        if (!is_digit(text.ptr[at]) && !between) {
            return false;
        }
        if (zero && text.ptr[at] != '0' && !between) {
            zero = false;
            mls_buffer_append_text(identity, negative ? "-" : "");
        }
        if (!zero && !between) {
            mls_buffer_append_char(identity, text.ptr[at]);
        }
    }
    if (zero) {
        mls_buffer_append_char(identity, '0');
    }
    return at > first;
}

/* Appends the whole number that int() makes of a seed; false, with anything appended, when it makes none. */
static bool append_whole_number(mls_buffer *identity, mls_str span, mls_str decoded)
{
    double number;
    if (mls_json_kind_of(span) == MLS_JSON_STRING) {
        return append_whole_text(identity, decoded);
    }
    if (!mls_json_number(span, &number) || !isfinite(number)) {
        return false;
    }
    /* Written without a fraction or an exponent it keeps its digits, however many. */
    for (size_t i = 0; i < span.len; i++) {
        if (!is_digit(span.ptr[i]) && span.ptr[i] != '-') {
            mls_buffer_printf(identity, "%.0f", fabs(number) < 1 ? 0 : trunc(number));
            return true;
        }
    }
    return append_whole_text(identity, span);
}

/* Appends a value so that equal ones give equal bytes: 5, 5.0 and 5e0 are one number, "5" is another thing. */
static void append_value(mls_buffer *identity, mls_str span, mls_str decoded)
{
    double number;
    if (mls_json_kind_of(span) == MLS_JSON_STRING) {
        mls_buffer_append_char(identity, '"');
        mls_buffer_append(identity, decoded);
    } else if (mls_json_number(span, &number) && isfinite(number)) {
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

mls_status mls_seed_log_record(mls_seed_log *log, const mls_record *record)
{
    mls_str file;
    mls_str lineno;
    if (log->count == MLS_SEEDS_MAX) {
        log->too_many = true;
        return MLS_OK;
    }
    mls_seed seed = {.line = record->line};
    mls_buffer identity = {0};
    bool complete = MLS_GROW(log, items) && decode(log, record->value, &seed.value);
    if (complete) {
        seed.is_integer = append_whole_number(&identity, record->value, seed.value);
    }
    if (complete && mls_json_member(record->metadata, MLS_S("file"), &file) &&
        mls_json_member(record->metadata, MLS_S("lineno"), &lineno)) {
        complete = decode(log, file, &seed.file) && decode(log, lineno, &seed.lineno);
        mls_buffer_append_char(&identity, '\0');
        append_value(&identity, file, seed.file);
        append_value(&identity, lineno, seed.lineno);
        if (!seed.is_integer) {
            append_value(&identity, record->value, seed.value);
        }
        seed.identity = mls_arena_copy(&log->arena, mls_buffer_str(&identity));
        complete = complete && seed.identity.ptr != NULL;
    }
    complete = complete && !identity.failed;
    mls_buffer_release(&identity);
    if (!complete) {
        return MLS_ERROR_MEMORY;
    }
    log->items[log->count++] = seed;
    return MLS_OK;
}

void mls_seed_log_release(mls_seed_log *log)
{
    free(log->items);
    mls_arena_release(&log->arena);
    *log = (mls_seed_log){0};
}

/* ------------------------------------------------------ the seeds of a folder */

/* What is being judged; findings are softened when the check is bypassed. */
typedef struct seed_check {
    const mls_seed_source *sources;
    size_t count;
    bool bypass;
    mls_seed_outcome *outcome;
    size_t errors;
} seed_check;

MLS_PRINTF(5, 6)
static void add_problem(seed_check *check, mls_finding_code code, const mls_seed_source *source, size_t line,
                        const char *format, ...)
{
    const mls_severity severity = mls_finding_info_get(code)->severity;
    const bool soften = check->bypass && severity == MLS_SEVERITY_ERROR;
    const mls_finding_place place = {.path = source->path, .line = line, .key = MLS_S("seed")};
    mls_buffer words = {0};
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&words, format, args);
    va_end(args);
    check->errors += severity == MLS_SEVERITY_ERROR;
    check->outcome->findings.out_of_memory |= words.failed;
    mls_findings_add_as(&check->outcome->findings, code, soften ? MLS_SEVERITY_WARNING : severity, place, "%s%s",
                        words.failed ? "" : words.ptr, soften ? " (bypassed)" : "");
    mls_buffer_release(&words);
}

/* What can be said of one log alone. */
static void check_log(seed_check *check, const mls_seed_source *source)
{
    const mls_seed_log *log = source->log;
    if (log->malformed > 0) {
        add_problem(check, MLS_FINDING_SEED_UNSURE, source, 0, "%s has malformed lines (%zu), which may hide a seed",
                    source->name, log->malformed);
    }
    if (log->too_many) {
        add_problem(check, MLS_FINDING_SEED_UNSURE, source, 0, "%s logs more than %d seeds", source->name,
                    MLS_SEEDS_MAX);
    }
    if (log->count == 0) {
        add_problem(check, MLS_FINDING_SEED_MISSING, source, 0, "%s logs no seed", source->name);
    } else if (log->count > 1) {
        add_problem(check, MLS_FINDING_SEED_SEVERAL, source, 0, "%s logs %zu seeds", source->name, log->count);
    }
    for (size_t i = 0; i < log->count; i++) {
        const mls_seed *seed = &log->items[i];
        if (seed->identity.len == 0) {
            add_problem(check, MLS_FINDING_SEED_PLACE, source, seed->line,
                        "%s:%zu: the metadata of the seed lack file or lineno", source->name, seed->line);
        }
        if (!seed->is_integer) {
            add_problem(check, MLS_FINDING_SEED_VALUE, source, seed->line, "%s:%zu: the seed is no integer: %.*s",
                        source->name, seed->line, MLS_CUT(seed->value, 40));
        }
    }
}

/* Equal seeds, in the order of their first ones. */
typedef struct seed_group {
    size_t count;
    struct {
        const mls_seed_source *source;
        const mls_seed *seed;
    } named[MLS_SEEDS_NAMED_MAX];
} seed_group;

/* "result_0.txt:17, result_3.txt:17 and 2 more share seed 42 (logged by train.py:83)" */
static void report_group(seed_check *check, const seed_group *group)
{
    mls_buffer words = {0};
    const mls_seed *first = group->named[0].seed;
    for (size_t i = 0; i < group->count && i < MLS_SEEDS_NAMED_MAX; i++) {
        const char *before = i == 0 ? "" : i + 1 == group->count ? " and " : ", ";
        mls_buffer_printf(&words, "%s%s:%zu", before, group->named[i].source->name, group->named[i].seed->line);
    }
    if (group->count > MLS_SEEDS_NAMED_MAX) {
        mls_buffer_printf(&words, " and %zu more", group->count - MLS_SEEDS_NAMED_MAX);
    }
    mls_buffer_printf(&words, " share seed %.*s (logged by %.*s:%.*s)", (int)first->value.len, first->value.ptr,
                      (int)first->file.len, first->file.ptr, (int)first->lineno.len, first->lineno.ptr);
    check->outcome->findings.out_of_memory |= words.failed;
    add_problem(check, MLS_FINDING_SEED_REPEATED, group->named[0].source, first->line, "%s",
                words.failed ? "" : words.ptr);
    mls_buffer_release(&words);
}

static mls_status check_repetitions(seed_check *check)
{
    mls_arena arena = {0};
    mls_map map = {.arena = &arena};
    seed_group *groups = calloc(check->outcome->count + 1, sizeof *groups);
    mls_status status = groups != NULL ? MLS_OK : MLS_ERROR_MEMORY;
    for (size_t s = 0; s < check->count && status == MLS_OK; s++) {
        const mls_seed_source *source = &check->sources[s];
        for (size_t i = 0; i < source->log->count && status == MLS_OK; i++) {
            const mls_seed *seed = &source->log->items[i];
            const mls_map_entry *entry = seed->identity.len > 0 ? mls_map_put(&map, seed->identity, NULL) : NULL;
            if (entry != NULL) {
                seed_group *group = &groups[entry - map.entries];
                if (group->count < MLS_SEEDS_NAMED_MAX) {
                    group->named[group->count].source = source;
                    group->named[group->count].seed = seed;
                }
                group->count++;
            } else if (seed->identity.len > 0) {
                status = MLS_ERROR_MEMORY;
            }
        }
    }
    for (size_t i = 0; i < map.count && status == MLS_OK; i++) {
        if (groups[i].count > 1) {
            report_group(check, &groups[i]);
        }
    }
    check->outcome->different = map.count;
    free(groups);
    mls_arena_release(&arena);
    return status;
}

mls_status mls_seeds_check(const mls_seed_source *sources, size_t count, bool bypass, mls_seed_outcome *outcome)
{
    seed_check check = {sources, count, bypass, outcome, 0};
    for (size_t i = 0; i < count; i++) {
        check_log(&check, &sources[i]);
        outcome->count += sources[i].log->count;
    }
    mls_status status = check_repetitions(&check);
    if (status == MLS_OK && outcome->findings.out_of_memory) {
        status = MLS_ERROR_MEMORY;
    }
    outcome->check = check.errors == 0 ? MLS_CHECK_PASS : bypass ? MLS_CHECK_BYPASSED : MLS_CHECK_FAIL;
    return status;
}
