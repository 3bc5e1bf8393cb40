/* SPDX-License-Identifier: Apache-2.0 */
/* seeds.c - what is wrong with the seeds of a folder's logs. */
#include "score/score.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "base/words.h"

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
    mls_findings_add_as(&check->outcome->findings, code, soften ? MLS_SEVERITY_WARNING : severity, place, "%s%s",
                        words.ptr, soften ? " (bypassed)" : "");
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
    add_problem(check, MLS_FINDING_SEED_REPEATED, equal->named[0].run, first->line,
                "%s share seed %.*s (logged by %.*s:%.*s)", words.ptr, (int)first->value.len, first->value.ptr,
                (int)first->file.len, first->file.ptr, (int)first->lineno.len, first->lineno.ptr);
    mls_buffer_release(&words);
}

mls_status mls_seeds_check(const mls_run *const *runs, size_t count, bool bypass, mls_seed_outcome *outcome)
{
    seed_check check = {outcome, bypass};
    mls_arena arena = {0};
    mls_map map = {.arena = &arena};
    outcome->check = MLS_CHECK_PASS;
    for (size_t i = 0; i < count; i++) {
        const mls_run *run = runs[i];
        check_own_seeds(&check, run);
        outcome->count += run->seed_count;
        for (size_t k = 0; k < run->seed_count; k++) {
            const mls_seed *seed = &run->seeds[k];
            mls_map_entry *entry = seed->identity.len > 0 ? mls_map_put(&map, seed->identity, NULL) : NULL;
            if (entry == NULL) {
                continue;
            }
            if (entry->value.pointer == NULL) {
                entry->value.pointer = mls_arena_zeroed(&arena, 1, sizeof(equal_seeds));
            }
            equal_seeds *equal = entry->value.pointer;
            if (equal->count < NAMED_MAX) {
                equal->named[equal->count].run = run;
                equal->named[equal->count].seed = seed;
            }
            equal->count++;
        }
    }
    for (size_t i = 0; i < map.count; i++) {
        const equal_seeds *equal = map.entries[i].value.pointer;
        if (equal->count > 1) {
            report_equal(&check, equal);
        }
    }
    outcome->different = map.count;
    mls_arena_release(&arena);
    return MLS_OK;
}
