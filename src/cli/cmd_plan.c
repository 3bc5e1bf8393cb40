/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_plan.c - mlscore plan: predict the score for other numbers of accelerators and batch sizes. */
#include <math.h>

#include "base/number.h"
#include "cli/command.h"
#include "compare/plan/plan.h"
#include "report/reports.h"

typedef struct plan_settings {
    const char *accelerators, *nodes, *times, *batch, *target, *samples, *factors; /* as given */
    const char *benchmark;
    unsigned level; /* index of the level in its values, from 1; 0: not given */
} plan_settings;

/* Limits of a list of numbers. */
#define NUMBER_MAX 1e15
enum {
    NUMBERS_MAX = 100,
    LEVEL_DEFAULT = 1, /* index of the default in the values of --level */
    UNUSED_MAX = 5     /* maximum number of groups named per reason why they cannot be used, without -v */
};

#define AT(member) offsetof(plan_settings, member)

static const mls_option options[] = {
    MLS_ROWS_ROUND,
    MLS_ROW_WORD("benchmark", "NAME", "BENCHMARK", AT(benchmark), "use only groups of this benchmark"),
    MLS_ROW_TEXT('\0', "accelerators", "LIST", AT(accelerators),
                 "total accelerator counts: a list, or a range such as 64-512 doubled at each step (default: from half "
                 "to eight times as many as the runs used)"),
    MLS_ROW_TEXT('\0', "nodes", "LIST", AT(nodes),
                 "numbers of nodes: a list, or a range such as 8-64 doubled at each step"),
    MLS_ROW_TEXT('\0', "times", "LIST", AT(times),
                 "multiples of the runs' number of accelerators: a list, or a range such as 2-8 doubled at each step"),
    MLS_ROW_TEXT('\0', "batch", "LIST", AT(batch),
                 "global batch sizes (default: those of the runs, the reference points and published results)"),
    MLS_ROW_TEXT('\0', "target", "MINUTES", AT(target),
                 "also report the number of accelerators that reaches this time"),
    MLS_ROW_TEXT('\0', "samples", "N", AT(samples), "samples to converge if no reference point applies"),
    MLS_ROW_OF(MLS_SETS_VALUE, "level", "0.5|0.75|0.9", AT(level), "confidence level of the interval (default: 0.75)"),
    MLS_ROW_TEXT('\0', "factors", "FILE", AT(factors),
                 "use the scaling exponents in FILE instead of the built-in ones"),
    MLS_ROW_FORMAT("table|csv|json|ndjson|markdown"),
    MLS_ROWS_FILES,
    MLS_ROW_THREADS,
    MLS_ROW_COLOR,
    MLS_ROW_QUIET_AS("omit the runs and exponents on which predictions are based"),
    MLS_ROW_VERBOSE_AS("show all batch sizes for each number of accelerators"),
    MLS_ROW_STRICT_AS("treat warnings, advice and invalid runs as errors"),
    MLS_ROWS_LAST,
};

/* Parse a list of numbers.  An item N-M is the range of numbers that begins with N and doubles up to M.  Return false
 * after printing an error. */
static bool read_numbers(mls_cli *cli, mls_arena *arena, const char *option, const char *text, mls_plan_numbers *to,
                         bool whole)
{
    mls_str rest = mls_str_from(text);
    bool ok = true;
    for (bool more = text != NULL; more && ok;) {
        mls_str last;
        mls_str first;
        double number;
        double end;
        more = mls_str_cut(&rest, ',', &last);
        const mls_str word = last;
        (void)mls_str_cut(&last, '-', &first);
        ok = mls_number_parse(first, &number) && mls_number_parse(first.len == word.len ? word : last, &end) &&
             number > 0 && end >= number && end < NUMBER_MAX && (!whole || number == floor(number));
        for (; ok && number <= end; number *= 2) {
            ok = to->count < NUMBERS_MAX;
            if (ok)
                MLS_ARENA_ADD(arena, to, number);
        }
    }
    return ok || mls_cli_usage_error(cli, "invalid %s '%s': expected numbers %s or ranges N-M, separated by commas",
                                     option, text, whole ? "from 1" : "above 0");
}

/* Parse a number above 0; *number is NAN if the option is absent.  Return false after printing an error. */
static bool read_positive(mls_cli *cli, const char *option, const char *text, double *number)
{
    *number = NAN;
    return text == NULL || (mls_number_parse(mls_str_from(text), number) && *number > 0 && isfinite(*number)) ||
           mls_cli_usage_error(cli, "invalid %s '%s': expected a number above 0", option, text);
}

/* Read the options.  Return false after printing an error. */
static bool read_request(mls_cli *cli, mls_arena *arena, mls_plan_request *request)
{
    const plan_settings *settings = cli->settings;
    const mls_editions *editions = mls_cli_editions(cli);
    if (editions == NULL)
        return false;
    if (settings->benchmark != NULL) {
        request->benchmark = mls_benchmark_called(settings->benchmark);
        const mls_str name = mls_str_from(request->benchmark);
        const mls_usage usage = mls_editions_usage_of(editions, cli->usage, name);
        mls_suggestion nearest = mls_editions_nearest_benchmark(editions, usage, name);
        if (mls_editions_newest_with(editions, usage, name) == NULL && nearest.found.len > 0)
            return mls_cli_usage_error(cli, "unknown benchmark '%s'%s", request->benchmark,
                                       mls_cli_suggestion(&nearest).text);
    }
    request->level = settings->level > 0 ? settings->level - 1 : LEVEL_DEFAULT;
    return read_numbers(cli, arena, "--accelerators", settings->accelerators, &request->accelerators, true) &&
           read_numbers(cli, arena, "--nodes", settings->nodes, &request->nodes, true) &&
           read_numbers(cli, arena, "--times", settings->times, &request->times, false) &&
           read_numbers(cli, arena, "--batch", settings->batch, &request->batches, true) &&
           read_positive(cli, "--target", settings->target, &request->target_minutes) &&
           read_positive(cli, "--samples", settings->samples, &request->samples);
}

static void plan_run(mls_cli *cli)
{
    const char *path = ((const plan_settings *)cli->settings)->factors;
    mls_arena arena = {0};
    mls_plan_figures figures = {.arena = NULL};
    mls_plan_request request = {.benchmark = NULL};
    mls_compare_request groups = {.mode = MLS_COMPARE_NOTHING};
    mls_comparison comparison = {.arena = NULL};
    mls_buffer text = {0};
    mls_error error = {0};
    bool ok = read_request(cli, &arena, &request) && mls_cli_load_models(cli) && mls_cli_read_file(cli, path, &text);
    if (ok &&
        mls_plan_figures_load(path != NULL ? mls_buffer_str(&text) : (mls_str){NULL, 0}, &figures, &error) != MLS_OK)
        ok = mls_cli_file_error(cli, path, &error);
    ok = ok && mls_cli_judge_options(cli, &groups.collect);
    for (size_t i = 0; i < cli->operands.count; i++) /* each operand is a side */
        mls_side_add(&groups.sides, &arena, mls_str_from(cli->operands.items[i]), cli->operands.items[i]);
    groups.collect.printed = true;
    if (ok && mls_cli_compare(cli, &groups, &comparison)) {
        mls_plan plan;
        request.editions = groups.collect.score.editions;
        request.figures = &figures;
        request.models = cli->models;
        request.known = cli->accelerators;
        mls_cli_print_side_problems(cli, &comparison);
        const mls_status status = mls_plan_make(&comparison, &request, &plan, &error);
        if (status == MLS_ERROR_VALUE) {
            mls_cli_usage_error(cli, "%s", error.message);
        } else if (status != MLS_OK) {
            mls_cli_print_error(cli, NULL, &error);
        } else {
            mls_cli_print(cli, &mls_plan_report, &plan);
            /* For each reason why groups cannot be used, name the first few of these groups.  This is an error if no
             * group can be used, otherwise a note. */
            const int kind = plan.rows.count > 0 ? MLS_EXIT_OK : MLS_EXIT_INVALID;
            for (size_t i = 0; i < plan.unfit.count; i++) {
                const char *reason = plan.unfit.items[i].reason;
                size_t first = 0;
                while (strcmp(plan.unfit.items[first].reason, reason) != 0)
                    first++;
                if (first < i)
                    continue; /* reported already */
                size_t alike = 0;
                for (size_t k = i; k < plan.unfit.count; k++)
                    if (strcmp(plan.unfit.items[k].reason, reason) == 0 &&
                        (alike++ < UNUSED_MAX || cli->view.verbose > 0))
                        mls_cli_error(cli, kind, plan.unfit.items[k].group->path, "%s", reason);
                if (alike > UNUSED_MAX && cli->view.verbose == 0)
                    mls_cli_error(cli, kind, NULL, "and %zu more (-v: all): %s", alike - UNUSED_MAX, reason);
            }
            if (plan.bases.count == 0)
                mls_cli_error(cli, MLS_EXIT_INVALID, NULL, "no group of runs to predict from");
            mls_cli_set_status(cli, mls_plan_answers(&plan) ? MLS_EXIT_OK : MLS_EXIT_INVALID);
            for (size_t i = 0; i < plan.bases.count; i++)
                mls_cli_judge_side(cli, plan.bases.items[i].group);
        }
        mls_plan_release(&plan);
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
