/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_published.c - mlscore published: search the results of the public rounds. */
#include <stdlib.h>

#include "base/number.h"
#include "cli/command.h"
#include "compare/published/published.h"
#include "report/reports.h"

enum { TABLE_ROWS = 40 }; /* default of --limit for the format table */

typedef struct published_settings {
    mls_published_filter search;
    const char *division, *accelerators; /* as given */
    unsigned sort;                       /* mls_published_order, from 1; 0: not given */
    size_t limit;                        /* 0: not given */
    bool settings, runs;
} published_settings;

#define AT(member) offsetof(published_settings, member)
#define EITHER "--runs, --settings and --trend"
#define TEXT_OF(which) AT(search.texts[MLS_PUBLISHED_##which])

static const mls_option options[] = {
    MLS_ROW_USAGE,
    MLS_ROW_EDITION_AS("filter by round, such as 5.1"),
    MLS_ROW_WORD("benchmark", "NAME", "BENCHMARK", TEXT_OF(BENCHMARK), "filter by benchmark"),
    MLS_ROW_TEXT('\0', "division", "closed|open", AT(division), "filter by division"),
    MLS_ROW_TEXT('\0', "submitter", "TEXT", TEXT_OF(SUBMITTER), "filter by a part of the submitter's name"),
    MLS_ROW_TEXT('\0', "system", "TEXT", TEXT_OF(SYSTEM), "filter by a part of the system's name"),
    MLS_ROW_TEXT('\0', "accelerator", "TEXT", TEXT_OF(ACCELERATOR), "filter by words of the accelerator's name"),
    MLS_ROW_TEXT('\0', "accelerators", "RANGE", AT(accelerators), "filter by number of accelerators: N, N-M, N- or -M"),
    MLS_ROW_WORD("availability", "TEXT", "cloud|onprem|preview|research", TEXT_OF(AVAILABILITY),
                 "filter by availability: cloud, onprem, preview, research"),
    MLS_ROW_WORD("precision", "NAME", MLS_PRECISION_WORDS, AT(search.precision),
                 "filter by the lowest precision of linear layers, such as fp8; it is known for few results"),
    MLS_ROW_FLAG('\0', "best", AT(search.best),
                 "show only the fastest result per round, benchmark, division and number of accelerators"),
    MLS_ROW_WITH('\0', "trend", NULL,
                 "show the fastest result per round, for accelerator counts found in several rounds", MLS_SETS_FLAG,
                 false, AT(search.trend), .group = EITHER),
    MLS_ROW_WITH('\0', "settings", NULL, "show the settings that differ between the results", MLS_SETS_FLAG, false,
                 AT(settings), .group = EITHER),
    MLS_ROW_WITH('\0', "runs", NULL, "show a row per run", MLS_SETS_FLAG, false, AT(runs), .group = EITHER),
    MLS_ROW_OF(MLS_SETS_VALUE, "sort", "edition|minutes|accelerators|accelerator-minutes|submitter", AT(sort),
               "sort key (default: edition, the newest round first)"),
    MLS_ROW_OF(MLS_SETS_COUNT, "limit", "N", AT(limit),
               "print at most N results (default: 40 in a table, otherwise all)"),
    MLS_ROW_FORMAT("table|csv|json|ndjson|markdown"),
    MLS_ROW_OUTPUT,
    MLS_ROW_COLOR,
    MLS_ROW_QUIET_AS("omit the number of results beyond --limit, and the explanation of times that are not exact"),
    MLS_ROW_VERBOSE_AS("print full names of accelerators"),
    MLS_ROWS_LAST,
};

/* Parse the lower or upper end of a range: a whole number from 1, or an empty text for a range without this end, which
 * sets *bound to 0. */
static bool parse_bound(mls_str text, double *bound)
{
    size_t number = 0;
    const bool ok = text.len == 0 || (mls_size_parse(text, &number) && number > 0);
    *bound = (double)number;
    return ok;
}

/* Convert the options to a filter.  Return false after printing an error. */
static bool read_search(mls_cli *cli, const published_settings *settings, mls_published_filter *search)
{
    const mls_edition *edition;
    if (cli->operands.count > 0)
        return mls_cli_usage_error(cli, "unexpected argument '%s': search with options such as --benchmark",
                                   cli->operands.items[0]);
    if (search->trend && settings->sort > 0)
        return mls_cli_usage_error(cli, "--trend and --sort cannot be combined");
    if (!mls_cli_precision_is_right(cli, search->precision))
        return false;
    search->division = mls_division_logged(settings->division);
    search->order = (mls_published_order)(settings->sort - (settings->sort > 0));
    if (settings->accelerators != NULL) {
        mls_str max = mls_str_from(settings->accelerators);
        mls_str min;
        const bool range = mls_str_cut(&max, '-', &min);
        max = range ? max : min;
        if (!parse_bound(min, &search->min_accelerators) || !parse_bound(max, &search->max_accelerators) ||
            min.len + max.len == 0 ||
            (search->max_accelerators > 0 && search->min_accelerators > search->max_accelerators))
            return mls_cli_usage_error(cli, "invalid --accelerators '%s': expected N, N-M, N- or -M",
                                       settings->accelerators);
    }
    if (!mls_cli_edition(cli, NULL, &edition))
        return false;
    search->edition = edition != NULL ? edition->number : 0;
    return true;
}

/* Return the first result that passes the filter; NULL if no result passes.  It is from the newest round, because
 * results are sorted by round. */
static const mls_published_result *first_that_passes(const mls_published *published, const mls_published_filter *filter)
{
    for (size_t i = 0; i < published->count; i++)
        if (mls_published_passes(filter, &published->results[i]))
            return &published->results[i];
    return NULL;
}

/* Append the names of all benchmarks that contain `part`, each once. */
static void append_benchmarks_with(mls_buffer *names, const mls_published *published, const char *part)
{
    for (size_t i = 0; i < published->count && published->results != NULL; i++) {
        const char *name = published->results[i].benchmark;
        if (strcasestr(name, part) != NULL && !mls_str_among(mls_str_from(name), names->ptr != NULL ? names->ptr : ""))
            mls_buffer_printf(names, "%s%s", names->len > 0 ? " " : "", name);
    }
}

/* Report that no result matches the text of an option, and suggest a similar text.  If no text is similar, list the
 * benchmarks. */
static void explain_text(mls_cli *cli, const mls_published *published, mls_published_text which, const char *text)
{
    const char *usage = mls_usage_name(cli->usage);
    mls_suggestion nearest = mls_published_nearest_text(published, which, text);
    mls_buffer names = {0};
    if (which != MLS_PUBLISHED_BENCHMARK) {
        mls_cli_error(cli, MLS_EXIT_INVALID, NULL, "no %s result whose %s contains '%s'%s", usage,
                      mls_published_text_name(which), text, mls_cli_suggestion(&nearest).text);
        return;
    }
    append_benchmarks_with(&names, published, text);
    if (names.len > 0) {
        nearest.found = (mls_str){NULL, 0};
    } else {
        const mls_editions *editions = mls_cli_editions(cli);
        nearest = editions != NULL ? mls_editions_nearest_benchmark(editions, cli->usage, mls_str_from(text)) : nearest;
    }
    if (names.len == 0 && nearest.found.len == 0)
        append_benchmarks_with(&names, published, "");
    mls_cli_error(cli, MLS_EXIT_INVALID, NULL, "no %s result has the benchmark '%s'%s%s%s", usage, text,
                  mls_cli_suggestion(&nearest).text,
                  names.len == 0                   ? ""
                  : strchr(names.ptr, ' ') != NULL ? "; the benchmarks are "
                                                   : "; the benchmark is ",
                  names.len > 0 ? names.ptr : "");
    mls_buffer_release(&names);
}

/* Report why no result was found: name the first option that no result matches. */
static void explain_nothing(mls_cli *cli, const mls_published *published, const mls_published_filter *search)
{
    const char *usage = mls_usage_name(cli->usage);
    for (int i = 0; i < MLS_PUBLISHED_TEXTS; i++) {
        const mls_published_text which = (mls_published_text)i;
        mls_published_filter alone = {0};
        alone.texts[i] = search->texts[i];
        if (search->texts[i] != NULL && first_that_passes(published, &alone) == NULL) {
            explain_text(cli, published, which, search->texts[i]);
            return;
        }
    }
    mls_published_filter round = {.edition = search->edition};
    const bool none = first_that_passes(published, &round) == NULL;
    round.texts[MLS_PUBLISHED_BENCHMARK] = search->texts[MLS_PUBLISHED_BENCHMARK];
    const bool none_on_it = first_that_passes(published, &round) == NULL;
    round.edition = 0;
    const mls_published_result *newest = first_that_passes(published, &round);
    if (none_on_it && newest != NULL) {
        mls_cli_error(cli, MLS_EXIT_INVALID, NULL,
                      "%s %s has no published results%s%s; the newest round with results is %s", usage, cli->edition,
                      none ? "" : " on ", none ? "" : search->texts[MLS_PUBLISHED_BENCHMARK], newest->round);
    } else {
        mls_cli_error(cli, MLS_EXIT_INVALID, NULL, "no published result meets all conditions%s",
                      search->trend ? ", in several rounds" : "");
    }
}

static void search_published(mls_cli *cli, const mls_published *published)
{
    published_settings *settings = cli->settings;
    mls_published_filter *search = &settings->search;
    const char *accelerator = search->texts[MLS_PUBLISHED_ACCELERATOR];
    const size_t usual = cli->view.format == MLS_FORMAT_TABLE ? TABLE_ROWS : SIZE_MAX;
    const size_t limit = settings->limit > 0 ? settings->limit : usual;
    mls_published_hit *hits;
    mls_published_opened opened = {0};
    mls_error error = {0};
    size_t count;
    search->whole_accelerator = accelerator != NULL && mls_published_names_accelerator(published, accelerator);
    mls_published_search(published, search, &hits, &count);
    const mls_published_list list = {hits, count < limit ? count : limit, count, &opened};
    if ((settings->runs || settings->settings) && mls_published_open_all(hits, list.count, &opened, &error) != MLS_OK) {
        mls_cli_print_error(cli, NULL, &error);
    } else {
        mls_cli_print(cli,
                      search->trend        ? &mls_published_trend_report
                      : settings->runs     ? &mls_published_runs_report
                      : settings->settings ? &mls_published_settings_report
                                           : &mls_published_report,
                      &list);
    }
    bool any_runs = false;
    for (size_t i = 0; i < opened.count; i++)
        any_runs |= opened.items[i].runs.count > 0;
    if (count == 0)
        explain_nothing(cli, published, search);
    else if (settings->runs && !any_runs)
        mls_cli_error(cli, MLS_EXIT_INVALID, NULL, "the runs of these results are not public");
    mls_published_opened_release(&opened);
    free(hits);
}

static void published_run(mls_cli *cli)
{
    published_settings *settings = cli->settings;
    const char **benchmark = &settings->search.texts[MLS_PUBLISHED_BENCHMARK];
    mls_published published = {0};
    mls_error error = {0};
    if (!read_search(cli, settings, &settings->search))
        return;
    if (*benchmark != NULL) {
        *benchmark = mls_benchmark_called(*benchmark);
        (void)mls_cli_newest_with(cli, *benchmark);
    }
    const bool any_usage = settings->runs && !cli->usage_given && settings->search.edition == 0;
    if (mls_published_load(any_usage ? MLS_ANY_USAGE : cli->usage, 0, &published, &error) == MLS_OK)
        search_published(cli, &published);
    else
        mls_cli_print_error(cli, NULL, &error);
    mls_published_release(&published);
}

const mls_command mls_command_published = {
    .name = "published",
    .summary = "search published MLPerf results",
    .usage = "[OPTION]…",
    .about = "Searches the results of the public rounds: training 0.7 to 6.0, hpc 1.0 to 3.0.\n"
             "Prints the results that match all options, newest round first; without options,\n"
             "prints all results of training.",
    .options = options,
    .settings_size = sizeof(published_settings),
    .run = published_run,
};
