/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_compare.c - mlscore compare: which side is faster, may that be believed, and where does it come from? */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "cli/command.h"
#include "report/reports.h"

static const mls_option options[] = {
    MLS_ROWS_ROUND,
    MLS_ROW_FLAG('\0', "published", compare.published, "each group against the published results nearest to it"),
    MLS_ROW_FLAG('\0', "scaling", compare.scaling, "minutes against accelerators: speedup and efficiency"),
    MLS_ROW_TEXT('\0', "baseline", "NAME", compare.baseline, "compare the other sides with this one (the first)"),
    {'\0', "accelerators", "[NAME:]N", "a side's number of accelerators, where nothing else tells it", MLS_ADDS_TEXT,
     offsetof(mls_cli, compare.accelerators), NULL},
    MLS_ROW_TEXT('\0', "fail-if", "slower", compare.fail_if,
                 "end with status 1 when a side is slower than the baseline"),
    MLS_ROW_FLAG('\0', "all", compare.all, "show all hyperparameters, those too that do not differ"),
    MLS_ROW_FORMAT("table|csv|json|ndjson|markdown"),
    MLS_ROWS_FILES,
    MLS_ROW_THREADS,
    MLS_ROWS_VIEW,
    MLS_ROWS_LAST,
};

/* The sides as the command line has them. */
typedef struct side_list {
    mls_side *items;
    size_t count;
    bool *given; /* that a name was, by side */
    mls_accelerator_count *counts;
    mls_arena arena;
} side_list;

/* How long the NAME of NAME=PATH is; 0: the whole word is a path. */
static size_t name_length(const char *word)
{
    const size_t len = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-");
    return word[len] == '=' && access(word, F_OK) != 0 ? len : 0;
}

/* A, B, … Z, AA, … */
static mls_str letters_of(size_t index, mls_arena *arena)
{
    char text[16];
    size_t at = sizeof text;
    for (size_t rest = index + 1; rest > 0; rest = (rest - 1) / 26) {
        text[--at] = (char)('A' + (rest - 1) % 26);
    }
    return mls_arena_copy(arena, (mls_str){text + at, sizeof text - at});
}

/* Adds a path to the side of that name (ptr NULL: a new one of its own).  False: no memory. */
static bool add_path(side_list *sides, mls_str name, const char *path)
{
    size_t s = 0;
    while (s < sides->count &&
           !(name.ptr != NULL && sides->given[s] && mls_str_equal(mls_str_from(sides->items[s].name), name))) {
        s++;
    }
    mls_side *side = &sides->items[s];
    if (s == sides->count) {
        const mls_str called = name.ptr != NULL ? mls_arena_copy(&sides->arena, name) : letters_of(s, &sides->arena);
        *side = (mls_side){.name = called.ptr};
        sides->given[s] = name.ptr != NULL;
        sides->count++;
    }
    const char **paths = mls_arena_array(&sides->arena, side->path_count + 1, sizeof *paths);
    if (side->name == NULL || paths == NULL) {
        return false;
    }
    if (side->path_count > 0) {
        memcpy((void *)paths, (const void *)side->paths, side->path_count * sizeof *paths);
    }
    paths[side->path_count++] = path;
    side->paths = paths;
    return true;
}

/* Of two sides that are called the same by accident, the name; else NULL. */
static const char *name_twice(const side_list *sides)
{
    for (size_t i = 0; i < sides->count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(sides->items[i].name, sides->items[k].name) == 0) {
                return sides->items[i].name;
            }
        }
    }
    return NULL;
}

static bool take_sides(mls_cli *cli, side_list *sides)
{
    const size_t most = cli->operands.count;
    sides->items = mls_arena_zeroed(&sides->arena, most, sizeof *sides->items);
    sides->given = mls_arena_zeroed(&sides->arena, most, sizeof *sides->given);
    bool ok = sides->items != NULL && sides->given != NULL;
    for (size_t i = 0; i < most && ok; i++) {
        const char *word = cli->operands.items[i];
        const size_t len = name_length(word);
        ok = add_path(sides, len > 0 ? (mls_str){word, len} : (mls_str){0}, word + len + (len > 0));
    }
    if (!ok) {
        return mls_cli_say(cli, MLS_EXIT_IO, NULL, "%s", mls_reason_memory);
    }
    const char *twice = name_twice(sides);
    return twice == NULL || mls_cli_say(cli, MLS_WRONG_USAGE, NULL, "two sides are called '%s'", twice);
}

static bool is_side(const side_list *sides, const char *name)
{
    for (size_t i = 0; i < sides->count; i++) {
        if (strcmp(sides->items[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool take_counts(mls_cli *cli, side_list *sides)
{
    const mls_names *words = &cli->compare.accelerators;
    sides->counts = mls_arena_zeroed(&sides->arena, words->count + 1, sizeof *sides->counts);
    for (size_t i = 0; i < words->count && sides->counts != NULL; i++) {
        char *colon = strrchr(words->items[i], ':');
        const char *number = colon != NULL ? colon + 1 : words->items[i];
        size_t count;
        if (!mls_size_parse(mls_str_from(number), &count) || count == 0) {
            return mls_cli_say(cli, MLS_WRONG_USAGE, NULL, "--accelerators takes [NAME:]N, not '%s'", words->items[i]);
        }
        if (colon != NULL) {
            *colon = '\0';
            if (!is_side(sides, words->items[i])) {
                return mls_cli_say(cli, MLS_WRONG_USAGE, NULL, "--accelerators: no side is called '%s'",
                                   words->items[i]);
            }
        }
        sides->counts[i] = (mls_accelerator_count){colon != NULL ? words->items[i] : NULL, (double)count};
    }
    return sides->counts != NULL || mls_cli_say(cli, MLS_EXIT_IO, NULL, "%s", mls_reason_memory);
}

/* Says which export could not be read, and where: 'a.csv':17: … */
static void say_problems(mls_cli *cli, const mls_comparison *comparison)
{
    for (size_t i = 0; i < comparison->collection_count; i++) {
        mls_cli_say_skipped(cli, &comparison->collections[i].skipped);
        mls_cli_say_left_out(cli, &comparison->collections[i]);
    }
    for (size_t i = 0; i < comparison->problem_count; i++) {
        const mls_side_problem *problem = &comparison->problems[i];
        if (problem->error.line > 0) {
            mls_cli_say(cli, MLS_EXIT_IO, NULL, "'%s':%zu: %s", problem->path, problem->error.line,
                        problem->error.message);
        } else {
            mls_cli_say(cli, MLS_EXIT_IO, problem->path, "%s", problem->error.message);
        }
    }
}

/* The benchmarks of a side, each once: "A has bert, resnet". */
static void append_benchmarks(mls_buffer *words, const mls_comparison *comparison, size_t side)
{
    bool any = false;
    mls_buffer_printf(words, "%s%s has ", side > 0 ? "; " : "", comparison->sides[side].name);
    for (size_t i = 0; i < comparison->group_count; i++) {
        const char *benchmark = comparison->groups[i]->benchmark;
        bool known = comparison->groups[i]->side != side;
        for (size_t k = 0; k < i && !known; k++) {
            const char *other = comparison->groups[k]->benchmark;
            known = comparison->groups[k]->side == side &&
                    (benchmark == other || (benchmark != NULL && other != NULL && strcmp(benchmark, other) == 0));
        }
        if (!known) {
            mls_buffer_printf(words, "%s%s", any ? ", " : "", benchmark != NULL ? benchmark : "an unknown benchmark");
            any = true;
        }
    }
    mls_buffer_append_text(words, any ? "" : "no runs");
}

static void say_nothing_compared(mls_cli *cli, const mls_comparison *comparison)
{
    mls_buffer words = {0};
    for (size_t i = 0; i < comparison->side_count; i++) {
        append_benchmarks(&words, comparison, i);
    }
    mls_cli_say(cli, MLS_EXIT_INVALID, NULL, "nothing to compare: %s", words.failed ? mls_reason_memory : words.ptr);
    mls_buffer_release(&words);
}

/* What the comparison is worth: whether anything in it can be believed, and what --fail-if asks. */
static void judge_comparison(mls_cli *cli, const mls_comparison *comparison)
{
    for (size_t i = 0; i < comparison->side_count; i++) {
        if (comparison->sides[i].groups == 0) {
            mls_cli_say(cli, MLS_EXIT_OK, NULL, "%s has no runs", comparison->sides[i].name);
            mls_cli_worsen(cli, MLS_EXIT_INVALID);
        }
    }
    for (size_t i = 0; i < comparison->block_count; i++) {
        const mls_block *block = &comparison->blocks[i];
        size_t told = 0;
        for (size_t k = 1; k < block->group_count; k++) {
            const mls_compare_verdict verdict = block->differences[k].verdict;
            told += verdict != MLS_COMPARE_NO_SCORE && verdict != MLS_COMPARE_TOO_FEW;
            if (verdict == MLS_COMPARE_SLOWER && cli->compare.fail_if != NULL) {
                mls_cli_worsen(cli, MLS_EXIT_INVALID);
            }
        }
        mls_cli_worsen(cli, told > 0 ? MLS_EXIT_OK : MLS_EXIT_INVALID);
    }
    if (comparison->block_count + comparison->series_count + comparison->beside_count == 0) {
        say_nothing_compared(cli, comparison);
    }
}

static void compare_all(mls_cli *cli, const mls_compare_request *request)
{
    mls_comparison comparison;
    mls_error error = {0};
    const mls_status status = mls_compare(request, &comparison, &error);
    mls_cli_progress_end(cli);
    if (status == MLS_ERROR_VALUE) {
        say_problems(cli, &comparison);
        mls_cli_say(cli, MLS_WRONG_USAGE, NULL, "%s", error.message);
    } else if (status != MLS_OK) {
        mls_cli_say_error(cli, NULL, &error);
    } else {
        const mls_comparing comparing = {.comparison = &comparison, .all = cli->compare.all};
        mls_cli_print(cli,
                      comparison.mode == MLS_COMPARE_SCALING     ? &mls_scaling_report
                      : comparison.mode == MLS_COMPARE_PUBLISHED ? &mls_nearest_report
                                                                 : &mls_compare_report,
                      &comparing);
        say_problems(cli, &comparison);
        judge_comparison(cli, &comparison);
    }
    mls_comparison_release(&comparison);
}

static void compare_run(mls_cli *cli)
{
    const mls_edition *edition;
    mls_checker_options judge;
    side_list sides = {0};
    if (cli->compare.fail_if != NULL && strcmp(cli->compare.fail_if, "slower") != 0) {
        mls_cli_say(cli, MLS_WRONG_USAGE, NULL, "--fail-if takes slower, not '%s'", cli->compare.fail_if);
    } else if (cli->compare.published && cli->compare.scaling) {
        mls_cli_say(cli, MLS_WRONG_USAGE, NULL, "--published and --scaling exclude each other");
    } else if (take_sides(cli, &sides) && take_counts(cli, &sides) && mls_cli_judge(cli, &judge, &edition)) {
        cli->score.editions = mls_cli_editions(cli);
        const mls_compare_request request = {.mode = cli->compare.scaling     ? MLS_COMPARE_SCALING
                                                     : cli->compare.published ? MLS_COMPARE_PUBLISHED
                                                                              : MLS_COMPARE_SIDES,
                                             .sides = sides.items,
                                             .side_count = sides.count,
                                             .baseline = cli->compare.baseline,
                                             .counts = sides.counts,
                                             .count_count = cli->compare.accelerators.count,
                                             .collect = {.usage = judge.usage,
                                                         .edition = edition,
                                                         .threads = cli->threads,
                                                         .score = cli->score,
                                                         .checker = judge,
                                                         .progress = mls_cli_progress,
                                                         .progress_state = cli}};
        compare_all(cli, &request);
    }
    mls_arena_release(&sides.arena);
}

const mls_command mls_command_compare = {
    .name = "compare",
    .summary = "say which runs are faster, whether to believe it, and why",
    .usage = "[OPTION]… [NAME=]PATH…",
    .about = "Compares sides, one for each PATH: logs as score takes them, or the JSON, NDJSON or CSV\n"
             "that score wrote.  Groups of one benchmark meet; of each other side it says how far its\n"
             "score is from the baseline's, with an interval and a verdict, what parts of the runs\n"
             "the difference is made of, and how differently they were set up.",
    .options = options,
    .path_arguments = true,
    .missing = "no path given",
    .run = compare_run,
};
