/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_plan.c - mlscore plan: what would it score on other accelerators, with another batch? */
#include <math.h>

#include "base/number.h"
#include "cli/command.h"
#include "compare/plan/plan.h"
#include "report/reports.h"

typedef struct plan_settings {
    const char *accelerators, *nodes, *times, *batch, *target, *samples, *factors; /* as given */
    const char *benchmark;
    unsigned level; /* from 1; 0: not given */
} plan_settings;

/* More numbers than this are not asked for by a person. */
#define NUMBER_LARGEST 1e15
enum { NUMBERS_MOST = 100, USUAL_LEVEL = 1, NAMED_MOST = 5 }; /* groups of one reason, without -v */

#define AT(member) offsetof(plan_settings, member)

static const mls_option options[] = {
    MLS_ROWS_ROUND,
    MLS_ROW_WORD("benchmark", "NAME", "BENCHMARK", AT(benchmark), "use only groups of this benchmark"),
    MLS_ROW_TEXT('\0', "accelerators", "LIST", AT(accelerators),
                 "total accelerator counts: a list, or a range such as 64-512 doubled at each step (default: half to "
                 "eight times the runs')"),
    MLS_ROW_TEXT('\0', "nodes", "LIST", AT(nodes), "numbers of nodes, in the same form"),
    MLS_ROW_TEXT('\0', "times", "LIST", AT(times), "multiples of the runs' number of accelerators, such as 0.5,2-8"),
    MLS_ROW_TEXT('\0', "batch", "LIST", AT(batch),
                 "global batch sizes (default: those of the runs, the reference points and published results)"),
    MLS_ROW_TEXT('\0', "target", "MINUTES", AT(target),
                 "also report the number of accelerators that reaches this time"),
    MLS_ROW_TEXT('\0', "samples", "N", AT(samples), "samples to converge if no reference point applies"),
    MLS_ROW_OF(MLS_SETS_VALUE, "level", "0.5|0.75|0.9", AT(level), "confidence level of the interval (default: 0.75)"),
    MLS_ROW_TEXT('\0', "factors", "FILE", AT(factors), "use scaling factors from FILE"),
    MLS_ROW_FORMAT("table|csv|json|ndjson|markdown"),
    MLS_ROWS_FILES,
    MLS_ROW_THREADS,
    MLS_ROW_COLOR,
    MLS_ROW_QUIET_AS("omit the lines about the origin of the rows"),
    MLS_ROW_VERBOSE_AS("show all batches of each number of accelerators"),
    MLS_ROW_STRICT_AS("treat warnings, advice and invalid runs as errors"),
    MLS_ROWS_LAST,
};

/* One word of a list: N, or N-M by doublings. */
static bool read_range_or_number(mls_arena *arena, mls_plan_numbers *to, mls_str word, bool whole)
{
    mls_str last = word;
    mls_str first;
    double number;
    double upto;
    (void)mls_str_cut(&last, '-', &first);
    bool ok = mls_number_parse(first, &number) && mls_number_parse(first.len == word.len ? word : last, &upto) &&
              number > 0 && upto >= number && upto < NUMBER_LARGEST && (!whole || number == floor(number));
    for (; ok && number <= upto; number *= 2) {
        ok = to->count < NUMBERS_MOST;
        if (ok)
            (void)MLS_ARENA_ADD(arena, to, number);
    }
    return ok;
}

/* Reads a list of numbers.  False after a complaint. */
static bool read_wanted(mls_cli *cli, mls_arena *arena, const char *option, const char *text, mls_plan_numbers *to,
                        bool whole)
{
    mls_str rest = mls_str_from(text);
    bool more = text != NULL;
    while (more) {
        mls_str word;
        more = mls_str_cut(&rest, ',', &word);
        if (!read_range_or_number(arena, to, word, whole)) {
            return mls_cli_usage_error(cli, "%s takes numbers %s with commas, and N-M by doublings, not '%s'", option,
                                       whole ? "from 1 on" : "above 0", text);
        }
    }
    return true;
}

/* Reads a number above 0; *number is NAN where none is given.  False after a complaint. */
static bool read_positive(mls_cli *cli, const char *option, const char *text, double *number)
{
    *number = NAN;
    return text == NULL || (mls_number_parse(mls_str_from(text), number) && *number > 0 && isfinite(*number)) ||
           mls_cli_usage_error(cli, "%s takes a number above 0, not '%s'", option, text);
}

/* Says why groups of one reason are no base; where nothing else is, -q does not hide it. */
static void say_alike(mls_cli *cli, const mls_plan *plan, const char *reason)
{
    const int kind = plan->rows.count > 0 ? MLS_EXIT_OK : MLS_EXIT_INVALID;
    size_t alike = 0;
    for (size_t i = 0; i < plan->unfit.count; i++)
        if (strcmp(plan->unfit.items[i].reason, reason) == 0 && (alike++ < NAMED_MOST || cli->view.verbose > 0))
            mls_cli_error(cli, kind, plan->unfit.items[i].group->path, "%s", reason);
    if (alike > NAMED_MOST && cli->view.verbose == 0)
        mls_cli_error(cli, kind, NULL, "and %zu more (-v: all): %s", alike - NAMED_MOST, reason);
}

static void say_unfit(mls_cli *cli, const mls_plan *plan)
{
    for (size_t i = 0; i < plan->unfit.count; i++) {
        size_t first = 0;
        while (strcmp(plan->unfit.items[first].reason, plan->unfit.items[i].reason) != 0)
            first++;
        if (first == i)
            say_alike(cli, plan, plan->unfit.items[i].reason);
    }
    if (plan->bases.count == 0)
        mls_cli_error(cli, MLS_EXIT_INVALID, NULL, "there is no group of runs to predict from");
}

static void plan_groups(mls_cli *cli, const mls_comparison *groups, const mls_plan_request *request)
{
    mls_plan plan;
    mls_error error = {0};
    const mls_status status = mls_plan_make(groups, request, &plan, &error);
    if (status == MLS_ERROR_VALUE) {
        mls_cli_usage_error(cli, "%s", error.message);
    } else if (status != MLS_OK) {
        mls_cli_print_error(cli, NULL, &error);
    } else {
        mls_cli_print(cli, &mls_plan_report, &plan);
        say_unfit(cli, &plan);
        mls_cli_set_status(cli, mls_plan_answers(&plan) ? MLS_EXIT_OK : MLS_EXIT_INVALID);
        for (size_t i = 0; i < plan.bases.count; i++)
            mls_cli_judge_side(cli, plan.bases.items[i].group);
    }
    mls_plan_release(&plan);
}

/* Reads what the options ask for.  False after a complaint. */
static bool read_request(mls_cli *cli, mls_arena *arena, mls_plan_request *request)
{
    const plan_settings *settings = cli->settings;
    request->benchmark = settings->benchmark;
    if (!mls_cli_benchmark(cli, &request->benchmark))
        return false;
    request->level = settings->level > 0 ? settings->level - 1 : USUAL_LEVEL;
    return read_wanted(cli, arena, "--accelerators", settings->accelerators, &request->accelerators, true) &&
           read_wanted(cli, arena, "--nodes", settings->nodes, &request->nodes, true) &&
           read_wanted(cli, arena, "--times", settings->times, &request->times, false) &&
           read_wanted(cli, arena, "--batch", settings->batch, &request->batches, true) &&
           read_positive(cli, "--target", settings->target, &request->target_minutes) &&
           read_positive(cli, "--samples", settings->samples, &request->samples);
}

static void plan_run(mls_cli *cli)
{
    mls_arena arena = {0};
    mls_plan_figures figures = {.arena = NULL};
    mls_plan_request request = {.benchmark = NULL};
    const char *path = ((const plan_settings *)cli->settings)->factors;
    mls_compare_request groups = {.mode = MLS_COMPARE_NOTHING};
    mls_comparison comparison = {.arena = NULL};
    mls_buffer text = {0};
    mls_error error = {0};
    if (!read_request(cli, &arena, &request) || !mls_cli_load_models(cli) || !mls_cli_read_file(cli, path, &text)) {
        /* it has been said why */
    } else if (mls_plan_figures_load(path != NULL ? mls_buffer_str(&text) : (mls_str){NULL, 0}, &figures, &error) !=
               MLS_OK) {
        mls_cli_file_error(cli, path, &error);
    } else if (mls_cli_judge(cli, &groups.collect)) {
        for (size_t i = 0; i < cli->operands.count; i++) /* each operand is a side */
            mls_side_add(&groups.sides, &arena, mls_str_from(cli->operands.items[i]), cli->operands.items[i]);
        groups.collect.printed = true;
        request.editions = groups.collect.score.editions;
        request.figures = &figures;
        request.models = cli->models;
        request.known = cli->accelerators;
        if (mls_cli_compare(cli, &groups, &comparison)) {
            mls_cli_print_side_problems(cli, &comparison);
            plan_groups(cli, &comparison, &request);
        }
    }
    mls_comparison_release(&comparison);
    mls_buffer_release(&text);
    mls_plan_figures_release(&figures);
    mls_arena_release(&arena);
}

const mls_command mls_command_plan = {
    .name = "plan",
    .summary = "predict the score for other accelerator counts and batch sizes",
    .usage = "[OPTION]… PATH…",
    .about = "Predicts, from existing runs (logs, output of score, or published:WORDS), the\n"
             "score of the same system with other accelerator counts and global batch sizes,\n"
             "with an interval, and the number of accelerators needed to reach a target time.",
    .options = options,
    .settings_size = sizeof(plan_settings),
    .paths = "no path given",
    .run = plan_run,
};
