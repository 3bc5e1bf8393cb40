/* SPDX-License-Identifier: Apache-2.0 */
/* seeds.c - the seeds in logs, each in one form that can be compared, and what is wrong with a folder's. */
#include "score/score.h"

#include <math.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "base/words.h"
#include "json/value.h"

/* Appends the digits of a text that Python's int() reads: blanks around, a sign, digits with single underscores between
 * them, however many.  False when it is none. */
static bool append_whole_text(mls_buffer *identity, mls_str text)
{
    const size_t before = identity->len;
    size_t at = 0;
    size_t end = text.len;
    while (at < end && mls_is_space(text.ptr[at])) {
        at++;
    }
    while (end > at && mls_is_space(text.ptr[end - 1])) {
        end--;
    }
    const bool negative = at < end && text.ptr[at] == '-';
    at += at < end && (negative || text.ptr[at] == '+');
    const bool some = at < end;
    bool digit = false;
    for (; at < end; at++) {
        const char c = text.ptr[at];
        if (!mls_is_digit(c) && !(c == '_' && digit && at + 1 < end)) {
            return false;
        }
        digit = c != '_';
        if (digit && (c != '0' || identity->len > before)) {
            mls_buffer_append_text(identity, negative && identity->len == before ? "-" : "");
            mls_buffer_append_char(identity, c);
        }
    }
    mls_buffer_append_text(identity, identity->len == before ? "0" : "");
    return some;
}

/* Appends the whole number that int() makes of a seed; false, with anything appended, when it makes none. */
static bool append_whole_number(mls_buffer *identity, mls_str span, mls_str decoded)
{
    double number;
    const size_t before = identity->len;
    const bool quoted = mls_json_kind_of(span) == MLS_JSON_STRING;
    /* Written without a fraction or an exponent it keeps its digits, however many. */
    if (append_whole_text(identity, quoted ? decoded : span)) {
        return true;
    }
    mls_buffer_cut(identity, before);
    if (quoted || !mls_json_number(span, &number) || !isfinite(number)) {
        return false;
    }
    mls_buffer_printf(identity, "%.0f", fabs(number) < 1 ? 0 : trunc(number));
    return true;
}

/* Appends a value so that equal ones give equal bytes: 5, 5.0 and 5e0 are one number, "5" is another thing. */
static void append_value(mls_buffer *identity, mls_str span, mls_str decoded)
{
    double number;
    if (mls_json_kind_of(span) == MLS_JSON_STRING) {
        mls_buffer_append_char(identity, '"');
        mls_buffer_append(identity, decoded);
    } else if (mls_json_number(span, &number) && isfinite(number)) {
        mls_buffer_append_text(identity, mls_words_exact(number).text);
    } else {
        mls_buffer_append(identity, span);
    }
    mls_buffer_append_char(identity, '\0');
}

/* A span for people: strings without their quotes. */
static bool decode(mls_arena *arena, mls_str span, mls_str *text)
{
    const bool quoted = mls_json_kind_of(span) == MLS_JSON_STRING;
    *text = quoted ? *text : mls_arena_copy(arena, span);
    return quoted ? mls_json_string(span, arena, text) : text->ptr != NULL;
}

bool mls_run_seed(mls_run *run, const mls_record *record)
{
    mls_str file;
    mls_str lineno;
    mls_buffer identity = {0};
    mls_seed seed = {.line = record->line};
    if (run->seed_count == MLS_SEEDS_MAX) {
        run->too_many_seeds = true;
        return true;
    }
    bool ok = decode(run->arena, record->value, &seed.value);
    seed.is_integer = ok && append_whole_number(&identity, record->value, seed.value);
    if (ok && mls_record_metadata_member(record, MLS_S("file"), &file) &&
        mls_record_metadata_member(record, MLS_S("lineno"), &lineno)) {
        ok = decode(run->arena, file, &seed.file) && decode(run->arena, lineno, &seed.lineno);
        mls_buffer_append_char(&identity, '\0');
        append_value(&identity, file, seed.file);
        append_value(&identity, lineno, seed.lineno);
        if (!seed.is_integer) {
            append_value(&identity, record->value, seed.value);
        }
        seed.identity = mls_arena_copy(run->arena, mls_buffer_str(&identity));
        ok = ok && seed.identity.ptr != NULL;
    }
    ok = ok && !identity.failed &&
         mls_grow((void **)&run->seeds, run->seed_count, &run->seed_capacity, sizeof *run->seeds);
    mls_buffer_release(&identity);
    if (ok) {
        run->seeds[run->seed_count++] = seed;
    }
    return ok;
}

/* A problem names at most this many of the logs that share a seed, and says how many more there are. */
enum { NAMED_MAX = 4 };

/* The check in progress; findings are softened when it is bypassed. */
typedef struct seed_check {
    mls_seed_outcome *outcome;
    bool bypass;
} seed_check;

MLS_PRINTF(5, 6)
static void add_problem(seed_check *check, mls_finding_code code, const mls_run *run, size_t line, const char *format,
                        ...)
{
    const mls_severity severity = mls_finding_info_get(code)->severity;
    const bool soften = check->bypass && severity == MLS_SEVERITY_ERROR;
    const mls_finding_place place = {.path = run->file, .line = line, .key = MLS_S("seed")};
    mls_buffer words = {0};
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&words, format, args);
    va_end(args);
    if (severity == MLS_SEVERITY_ERROR) {
        check->outcome->check = soften ? MLS_CHECK_BYPASSED : MLS_CHECK_FAIL;
    }
    check->outcome->findings.out_of_memory |= words.failed;
    mls_findings_add_as(&check->outcome->findings, code, soften ? MLS_SEVERITY_WARNING : severity, place, "%s%s",
                        words.failed ? "" : words.ptr, soften ? " (bypassed)" : "");
    mls_buffer_release(&words);
}

/* Finds problems of one log alone. */
static void check_own_seeds(seed_check *check, const mls_run *run)
{
    const char *name = mls_path_name(run->file);
    if (run->malformed > 0) {
        add_problem(check, MLS_FINDING_SEED_UNSURE, run, 0, "%s has malformed lines (%zu), which may hide a seed", name,
                    run->malformed);
    }
    if (run->too_many_seeds) {
        add_problem(check, MLS_FINDING_SEED_UNSURE, run, 0, "%s logs more than %d seeds", name, MLS_SEEDS_MAX);
    }
    if (run->seed_count == 0) {
        add_problem(check, MLS_FINDING_SEED_MISSING, run, 0, "%s logs no seed", name);
    } else if (run->seed_count > 1) {
        add_problem(check, MLS_FINDING_SEED_SEVERAL, run, 0, "%s logs %zu seeds", name, run->seed_count);
    }
    for (size_t i = 0; i < run->seed_count; i++) {
        const mls_seed *seed = &run->seeds[i];
        if (seed->identity.len == 0) {
            add_problem(check, MLS_FINDING_SEED_PLACE, run, seed->line,
                        "%s:%zu: the metadata of the seed lack file or lineno", name, seed->line);
        }
        if (!seed->is_integer) {
            add_problem(check, MLS_FINDING_SEED_VALUE, run, seed->line, "%s:%zu: the seed is not an integer: %.*s",
                        name, seed->line, MLS_CUT(seed->value, 40));
        }
    }
}

/* Equal seeds. */
typedef struct equal_seeds {
    size_t count;
    struct {
        const mls_run *run;
        const mls_seed *seed;
    } named[NAMED_MAX];
} equal_seeds;

/* "result_0.txt:17, result_3.txt:17 and 2 more share seed 42 (logged by train.py:83)" */
static void report_equal(seed_check *check, const equal_seeds *equal)
{
    mls_buffer words = {0};
    const mls_seed *first = equal->named[0].seed;
    for (size_t i = 0; i < equal->count && i < NAMED_MAX; i++) {
        const char *before = i == 0 ? "" : i + 1 == equal->count ? " and " : ", ";
        mls_buffer_printf(&words, "%s%s:%zu", before, mls_path_name(equal->named[i].run->file),
                          equal->named[i].seed->line);
    }
    if (equal->count > NAMED_MAX) {
        mls_words_append_more(&words, equal->count - NAMED_MAX, NULL, NULL);
    }
    check->outcome->findings.out_of_memory |= words.failed;
    add_problem(check, MLS_FINDING_SEED_REPEATED, equal->named[0].run, first->line,
                "%s share seed %.*s (logged by %.*s:%.*s)", words.failed ? "" : words.ptr, (int)first->value.len,
                first->value.ptr, (int)first->file.len, first->file.ptr, (int)first->lineno.len, first->lineno.ptr);
    mls_buffer_release(&words);
}

/* Notes where the seeds of a run stand.  False when memory runs out. */
static bool note_seeds(mls_map *map, const mls_run *run)
{
    for (size_t i = 0; i < run->seed_count; i++) {
        const mls_seed *seed = &run->seeds[i];
        if (seed->identity.len == 0) {
            continue;
        }
        mls_map_entry *entry = mls_map_put(map, seed->identity, NULL);
        if (entry != NULL && entry->value.pointer == NULL) {
            entry->value.pointer = mls_arena_zeroed(map->arena, 1, sizeof(equal_seeds));
        }
        equal_seeds *equal = entry != NULL ? entry->value.pointer : NULL;
        if (equal == NULL) {
            return false;
        }
        if (equal->count < NAMED_MAX) {
            equal->named[equal->count].run = run;
            equal->named[equal->count].seed = seed;
        }
        equal->count++;
    }
    return true;
}

mls_status mls_seeds_check(const mls_run *const *runs, size_t count, bool bypass, mls_seed_outcome *outcome)
{
    seed_check check = {outcome, bypass};
    mls_arena arena = {0};
    mls_map map = {.arena = &arena};
    bool ok = true;
    outcome->check = MLS_CHECK_PASS;
    for (size_t i = 0; i < count && ok; i++) {
        check_own_seeds(&check, runs[i]);
        outcome->count += runs[i]->seed_count;
        ok = note_seeds(&map, runs[i]);
    }
    for (size_t i = 0; i < map.count && ok; i++) {
        const equal_seeds *equal = map.entries[i].value.pointer;
        if (equal->count > 1) {
            report_equal(&check, equal);
        }
    }
    outcome->different = map.count;
    mls_arena_release(&arena);
    return ok && !outcome->findings.out_of_memory ? MLS_OK : MLS_ERROR_MEMORY;
}
