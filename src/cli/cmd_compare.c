/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_compare.c - mlscore compare: compare sides, with significance and a breakdown of the difference. */
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
    const char *baseline, *fail_if, *by;
    mls_names accelerators; /* arguments of --accelerators: "8", or "A:8" for side A */
    const char *submitter;  /* as given */
    size_t limit;           /* 0: not given */
} compare_settings;

enum { LIMIT_DEFAULT = 2 };

#define AT(member) offsetof(compare_settings, member)

static const mls_option options[] = {
    MLS_ROWS_ROUND,
    MLS_ROW_WITH('\0', "published", NULL, "compare each group with its neighbors in the ranking of published results",
                 MLS_SETS_FLAG, false, AT(published), .group = "--published and --scaling"),
    MLS_ROW_WITH('\0', "limit", "N", "with --published, show N faster and N slower results (default: 2)",
                 MLS_SETS_COUNT, false, AT(limit), .needs = "published"),
    MLS_ROW_WITH('\0', "submitter", "TEXT",
                 "with --published, show only results of submitters whose name contains TEXT", MLS_SETS_TEXT, false,
                 AT(submitter), .needs = "published"),
    MLS_ROW_WITH('\0', "scaling", NULL, "show minutes, speedup and efficiency by number of accelerators", MLS_SETS_FLAG,
                 false, AT(scaling), .group = "--published and --scaling"),
    MLS_ROW_TEXT('\0', "baseline", "NAME", AT(baseline), "compare the other sides with side NAME (default: the first)"),
    MLS_ROW_OF(MLS_ADDS_TEXT, "accelerators", "[NAME:]N", AT(accelerators),
               "number of accelerators of a side, if its logs do not contain it (may be repeated)"),
    MLS_ROW_TEXT('\0', "fail-if", "slower", AT(fail_if), "exit with status 1 if a side is slower than the baseline"),
    MLS_ROW_WITH(
        '\0', "by", "scored|measured",
        "scores that --fail-if compares: scored, multiplied by the RCP scale factor as published scores are; or "
        "measured, without it (default: scored)",
        MLS_SETS_TEXT, false, AT(by), .needs = "fail-if"),
    MLS_ROW_FLAG('\0', "all", AT(all), "show all hyperparameters (default: at most ten that differ)"),
    MLS_ROW_FORMAT("table|csv|json|ndjson|markdown|html"),
    MLS_ROWS_LOGS("omit skipped files and remarks",
                  "show all parts of the breakdown, outliers, dropped runs and skipped files",
                  "accepted for consistency; has no effect"),
};

/* Make the sides from the operands, PATH or NAME=PATH.  Sides without a NAME are called A, B, … Z, AA, …  Return false
 * after printing an error. */
static bool read_sides(mls_cli *cli, mls_side_list *sides, mls_arena *arena)
{
    static const char name_bytes[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";
    for (size_t i = 0; i < cli->operands.count; i++) {
        const char *word = cli->operands.items[i];
        const size_t before = sides->count;
        const size_t len = strspn(word, name_bytes);
        const bool named = len > 0 && word[len] == '=' && access(word, F_OK) != 0;
        char letters[16];
        char *letter = letters + sizeof letters;
        *--letter = '\0';
        for (size_t rest = sides->count + 1; rest > 0; rest = (rest - 1) / 26)
            *--letter = (char)('A' + (rest - 1) % 26);
        const mls_str name = named ? (mls_str){word, len} : mls_str_from(letter);
        mls_side *side = mls_side_add(sides, arena, name, word + (named ? len + 1 : 0));
        if (sides->count > before)
            side->given = named;
        else if (!named || !side->given) /* a generated name must not be the same as a given one */
            return mls_cli_usage_error(cli, "two sides are called '%s'", side->name);
    }
    return true;
}

/* Set the numbers of accelerators of the sides.  A number for one side overrides a number for all sides.  If several
 * numbers are given for the same side, the first one is used. */
static bool read_accelerators(mls_cli *cli, const mls_side_list *sides, const mls_names *words)
{
    size_t of_all = 0;
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        const char *colon = strrchr(word, ':');
        const mls_str name = {word, colon != NULL ? (size_t)(colon - word) : 0};
        mls_side *side = colon != NULL ? mls_side_find(sides, name) : NULL;
        size_t count;
        if (!mls_size_parse(mls_str_from(colon != NULL ? colon + 1 : word), &count) || count == 0)
            return mls_cli_usage_error(cli, "invalid --accelerators '%s': expected [NAME:]N", word);
        if (colon != NULL && side == NULL)
            return mls_cli_usage_error(cli, "invalid --accelerators '%s': no side is called '%.*s'", word,
                                       (int)name.len, name.ptr);
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

/* Set the exit status, and report if a side has no runs or nothing could be compared: "A has bert, resnet; B has no
 * runs". */
static void judge_comparison(mls_cli *cli, const mls_comparison *comparison, mls_compare_fail fail)
{
    mls_buffer words = {0};
    for (size_t i = 0; i < comparison->sides.count; i++) {
        const mls_side *side = comparison->sides.items[i];
        mls_arena arena = {0};
        mls_map known = {.arena = &arena};
        mls_buffer_printf(&words, "%s%s has ", i > 0 ? "; " : "", side->name);
        for (size_t k = 0; k < comparison->groups.count; k++) {
            const mls_side_group *group = comparison->groups.items[k];
            const char *benchmark = group->benchmark != NULL ? group->benchmark : "an unknown benchmark";
            bool added = false;
            if (group->side == side)
                mls_map_put(&known, mls_str_from(benchmark), &added);
            if (added)
                mls_buffer_printf(&words, "%s%s", known.count > 1 ? ", " : "", benchmark);
        }
        if (known.count == 0) {
            mls_buffer_append_text(&words, "no runs");
            mls_cli_note(cli, NULL, "%s has no runs", side->name);
            mls_cli_set_status(cli, MLS_EXIT_INVALID);
        }
        mls_arena_release(&arena);
    }
    mls_cli_set_status(cli, mls_comparison_passes(comparison, fail) ? MLS_EXIT_OK : MLS_EXIT_INVALID);
    if (comparison->blocks.count + comparison->series.count + comparison->beside.count == 0)
        mls_cli_error(cli, MLS_EXIT_INVALID, NULL, "nothing to compare: %s", words.ptr);
    mls_buffer_release(&words);
}

static void compare_run(mls_cli *cli)
{
    const compare_settings *settings = cli->settings;
    const bool page = cli->view.format == MLS_FORMAT_HTML;
    const bool measured_scores = settings->by != NULL && strcmp(settings->by, "measured") == 0;
    mls_arena arena = {0};
    mls_comparison comparison = {.arena = NULL};
    mls_compare_request request = {.mode = settings->scaling     ? MLS_COMPARE_SCALING
                                           : settings->published ? MLS_COMPARE_PUBLISHED
                                                                 : MLS_COMPARE_SIDES,
                                   .baseline = settings->baseline,
                                   .submitter = settings->submitter,
                                   .around = settings->limit > 0 ? settings->limit : LIMIT_DEFAULT};
    bool ok = settings->fail_if == NULL || strcmp(settings->fail_if, "slower") == 0 ||
              mls_cli_usage_error(cli, "invalid --fail-if '%s': expected slower", settings->fail_if);
    ok = ok && read_sides(cli, &request.sides, &arena) &&
         read_accelerators(cli, &request.sides, &settings->accelerators) &&
         mls_cli_judge_options(cli, &request.collect) && (!page || mls_cli_load_models(cli));
    request.collect.observer = page ? &mls_throughput_observer : NULL;
    request.collect.printed = request.mode == MLS_COMPARE_SIDES;
    if (ok && mls_cli_compare(cli, &request, &comparison)) {
        mls_throughputs *measured = mls_calloc(comparison.collection_count + 1, sizeof *measured);
        mls_compare_beside beside = {.all = settings->all, .measured = measured};
        /* An HTML page shows the pace of all runs as curves, so measure the logs of all sides. */
        while (ok && page && beside.measured_count < comparison.collection_count) {
            const size_t at = beside.measured_count++;
            ok = mls_cli_measure(cli, &comparison.collections[at], &request.collect.score, true, &measured[at]);
        }
        if (ok) {
            mls_cli_print_beside(cli,
                                 comparison.mode == MLS_COMPARE_SCALING     ? &mls_scaling_report
                                 : comparison.mode == MLS_COMPARE_PUBLISHED ? &mls_nearest_report
                                                                            : &mls_compare_report,
                                 &comparison, &beside);
            mls_cli_print_side_problems(cli, &comparison);
            judge_comparison(cli, &comparison,
                             settings->fail_if == NULL ? MLS_FAIL_NEVER
                             : measured_scores         ? MLS_FAIL_IF_MEASURED_SLOWER
                                                       : MLS_FAIL_IF_SCORED_SLOWER);
        }
        for (size_t i = 0; i < beside.measured_count; i++)
            mls_throughputs_release(&measured[i]);
        free(measured);
    }
    mls_comparison_release(&comparison);
    mls_arena_release(&arena);
}

const mls_command mls_command_compare = {
    .name = "compare",
    .summary = "compare runs: which is faster, is it significant, and why",
    .usage = "[OPTION]… [NAME=]PATH…",
    .about = "Compares two or more sides. Each PATH is a side: logs, output of score (JSON,\n"
             "NDJSON or CSV), or published:WORDS, a published result. WORDS are separated by\n"
             "commas: a round, part of the name of the submitter or system, and the word best\n"
             "or nearest. Groups of the same benchmark are matched. For each side, prints the\n"
             "difference from the baseline with a confidence interval and a verdict, a\n"
             "breakdown of the difference, and the settings that differ.",
    .options = options,
    .settings_size = sizeof(compare_settings),
    .paths = "no path given",
    .run = compare_run,
};
