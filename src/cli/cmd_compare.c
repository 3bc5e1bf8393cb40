/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_compare.c - mlscore compare: which side is faster, may that be believed, and where does it come from? */
#include <stdlib.h>
#include <unistd.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "cli/command.h"
#include "explain/throughput/throughput.h"
#include "report/reports.h"

typedef struct compare_settings {
    bool published, scaling, all;
    const char *baseline, *fail_if;
    mls_names accelerators; /* "8", "A:8" */
    const char *submitter;
    size_t limit; /* 0: not given */
} compare_settings;

enum { AROUND = 2 };

#define AT(member) offsetof(compare_settings, member)

static const mls_option options[] = {
    MLS_ROWS_ROUND,
    MLS_ROW_WITH('\0', "published", NULL, "compare each group with the nearest published results", MLS_SETS_FLAG, false,
                 AT(published), .group = "--published and --scaling"),
    MLS_ROW_WITH('\0', "limit", "N", "with --published, show N faster and N slower results (default: 2)",
                 MLS_SETS_COUNT, false, AT(limit), .needs = "published", .about = "published results"),
    MLS_ROW_WITH('\0', "submitter", "TEXT",
                 "with --published, show only results of submitters whose name contains TEXT", MLS_SETS_TEXT, false,
                 AT(submitter), .needs = "published", .about = "published results"),
    MLS_ROW_WITH('\0', "scaling", NULL, "show minutes, speedup and efficiency by number of accelerators", MLS_SETS_FLAG,
                 false, AT(scaling), .group = "--published and --scaling"),
    MLS_ROW_TEXT('\0', "baseline", "NAME", AT(baseline), "compare the other sides with side NAME (default: the first)"),
    MLS_ROW_OF(MLS_ADDS_TEXT, "accelerators", "[NAME:]N", AT(accelerators),
               "number of accelerators of a side, if the logs do not say (may be repeated)"),
    MLS_ROW_TEXT('\0', "fail-if", "slower", AT(fail_if), "exit with status 1 if a side is slower than the baseline"),
    MLS_ROW_FLAG('\0', "all", AT(all), "show all hyperparameters (default: at most ten that differ)"),
    MLS_ROW_FORMAT("table|csv|json|ndjson|markdown|html"),
    MLS_ROWS_LOGS("omit skipped files and remarks", "show all parts, outliers, dropped runs and skipped files",
                  "accepted for consistency; has no effect"),
};

/* How long the NAME of NAME=PATH is; 0: the whole word is a path. */
static size_t name_length(const char *word)
{
    const size_t len = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-");
    return word[len] == '=' && access(word, F_OK) != 0 ? len : 0;
}

/* A, B, … Z, AA, … */
static const char *letters_of(size_t index, char *end)
{
    *--end = '\0';
    for (size_t rest = index + 1; rest > 0; rest = (rest - 1) / 26)
        *--end = (char)('A' + (rest - 1) % 26);
    return end;
}

/* The sides as the command line has them; a letter and a given name may not be the same by accident. */
static bool take_sides(mls_cli *cli, mls_side_list *sides, mls_arena *arena)
{
    for (size_t i = 0; i < cli->operands.count; i++) {
        char letters[16];
        const char *word = cli->operands.items[i];
        const size_t len = name_length(word);
        const mls_str name =
            len > 0 ? (mls_str){word, len} : mls_str_from(letters_of(sides->count, letters + sizeof letters));
        const size_t before = sides->count;
        mls_side *side = mls_side_add(sides, arena, name, word + len + (len > 0));
        if (sides->count > before)
            side->given = len > 0;
        else if (len == 0 || !side->given)
            return mls_cli_usage_error(cli, "two sides are called '%s'", side->name);
    }
    return true;
}

/* A number given of a side itself goes before one given of all, and the first before the rest. */
static bool take_counts(mls_cli *cli, const mls_side_list *sides, const mls_names *words)
{
    size_t of_all = 0;
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        const char *colon = strrchr(word, ':');
        const mls_str name = {word, colon != NULL ? (size_t)(colon - word) : 0};
        mls_side *side = colon != NULL ? mls_side_find(sides, name) : NULL;
        size_t count;
        if (!mls_size_parse(mls_str_from(colon != NULL ? colon + 1 : word), &count) || count == 0)
            return mls_cli_usage_error(cli, "--accelerators takes [NAME:]N, not '%s'", word);
        if (colon != NULL && side == NULL)
            return mls_cli_usage_error(cli, "--accelerators: no side is called '%.*s'", (int)name.len, name.ptr);
        if (side != NULL && side->accelerators == 0)
            side->accelerators = (double)count;
        of_all = colon == NULL && of_all == 0 ? count : of_all;
    }
    for (size_t i = 0; i < sides->count; i++) {
        mls_side *side = sides->items[i];
        side->accelerators = side->accelerators > 0 ? side->accelerators : (double)of_all;
    }
    return true;
}

/* The benchmarks of a side, each once: "A has bert, resnet".  False: it has no runs. */
static bool append_benchmarks(mls_buffer *words, const mls_comparison *comparison, const mls_side *side)
{
    mls_arena arena = {0};
    mls_map known = {.arena = &arena};
    bool any = false;
    mls_buffer_printf(words, "%s%s has ", words->len > 0 ? "; " : "", side->name);
    for (size_t i = 0; i < comparison->groups.count; i++) {
        const mls_side_group *group = comparison->groups.items[i];
        const char *benchmark = group->benchmark != NULL ? group->benchmark : "an unknown benchmark";
        bool added = false;
        any |= group->side == side;
        if (group->side == side)
            mls_map_put(&known, mls_str_from(benchmark), &added);
        mls_buffer_printf(words, "%s%s", added && known.count > 1 ? ", " : "", added ? benchmark : "");
    }
    mls_buffer_append_text(words, any ? "" : "no runs");
    mls_arena_release(&arena);
    return any;
}

/* Makes it count when nothing in the comparison can be believed, and when --fail-if asks, that a side is slower. */
static void judge_comparison(mls_cli *cli, const mls_comparison *comparison, bool fail_if_slower)
{
    mls_buffer words = {0};
    for (size_t i = 0; i < comparison->sides.count; i++) {
        if (!append_benchmarks(&words, comparison, comparison->sides.items[i])) {
            mls_cli_note(cli, NULL, "%s has no runs", comparison->sides.items[i]->name);
            mls_cli_set_status(cli, MLS_EXIT_INVALID);
        }
    }
    mls_cli_set_status(cli, mls_comparison_passes(comparison, fail_if_slower) ? MLS_EXIT_OK : MLS_EXIT_INVALID);
    if (comparison->blocks.count + comparison->series.count + comparison->beside.count == 0)
        mls_cli_error(cli, MLS_EXIT_INVALID, NULL, "nothing to compare: %s", words.ptr);
    mls_buffer_release(&words);
}

static void compare_all(mls_cli *cli, const mls_compare_request *request)
{
    const compare_settings *settings = cli->settings;
    mls_comparison comparison;
    if (mls_cli_compare(cli, request, &comparison)) {
        mls_throughputs *measured = mls_calloc(comparison.collection_count + 1, sizeof *measured);
        mls_compare_beside beside = {.all = settings->all, .measured = measured};
        bool ok = true;
        /* A page has the curves of the logs of all sides. */
        while (ok && request->collect.observer != NULL && beside.measured_count < comparison.collection_count) {
            const size_t at = beside.measured_count++;
            ok = mls_cli_measure(cli, &comparison.collections[at], true, &measured[at]);
        }
        if (ok) {
            mls_cli_print_beside(cli,
                                 comparison.mode == MLS_COMPARE_SCALING     ? &mls_scaling_report
                                 : comparison.mode == MLS_COMPARE_PUBLISHED ? &mls_nearest_report
                                                                            : &mls_compare_report,
                                 &comparison, &beside);
            mls_cli_print_side_problems(cli, &comparison);
            judge_comparison(cli, &comparison, settings->fail_if != NULL);
        }
        for (size_t i = 0; i < beside.measured_count; i++)
            mls_throughputs_release(&measured[i]);
        free(measured);
    }
    mls_comparison_release(&comparison);
}

static void compare_run(mls_cli *cli)
{
    const compare_settings *settings = cli->settings;
    mls_arena arena = {0};
    mls_compare_request request = {.mode = settings->scaling     ? MLS_COMPARE_SCALING
                                           : settings->published ? MLS_COMPARE_PUBLISHED
                                                                 : MLS_COMPARE_SIDES,
                                   .baseline = settings->baseline,
                                   .submitter = settings->submitter,
                                   .around = settings->limit > 0 ? settings->limit : AROUND};
    if (settings->fail_if != NULL && strcmp(settings->fail_if, "slower") != 0) {
        mls_cli_usage_error(cli, "--fail-if takes slower, not '%s'", settings->fail_if);
    } else if (take_sides(cli, &request.sides, &arena) && take_counts(cli, &request.sides, &settings->accelerators) &&
               mls_cli_judge(cli, &request.collect) &&
               (cli->view.format != MLS_FORMAT_HTML || mls_cli_load_models(cli))) {
        /* A page has curves, which throughput notes as logs are read. */
        request.collect.observer = cli->view.format == MLS_FORMAT_HTML ? &mls_throughput_observer : NULL;
        request.collect.printed = request.mode == MLS_COMPARE_SIDES;
        compare_all(cli, &request);
    }
    mls_arena_release(&arena);
}

const mls_command mls_command_compare = {
    .name = "compare",
    .summary = "compare runs: which is faster, is it significant, and why",
    .usage = "[OPTION]… [NAME=]PATH…",
    .about = "Compares sides, one for each PATH: logs, the JSON, NDJSON or CSV that score\n"
             "wrote, or a published result, published:WORDS (a round, parts of the submitter\n"
             "or system name, best, nearest). Groups of the same benchmark are matched. For\n"
             "each side, prints the difference from the baseline with a confidence interval\n"
             "and a verdict, a breakdown of the difference, and the settings that differ.",
    .options = options,
    .settings_size = sizeof(compare_settings),
    .paths = "no path given",
    .run = compare_run,
};
