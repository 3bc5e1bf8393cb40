/* SPDX-License-Identifier: Apache-2.0 */
/* answers.c - answer questions about groups of runs that combine several modules: the score, published results or a
 * baseline, the causes of differences, and the breakdown of time.  Each log is read once. */
#include <math.h>
#include <stdlib.h>

#include "cli/command.h"
#include "compare/overview.h"
#include "report/reports.h"

bool mls_cli_measure(mls_cli *cli, const mls_collection *collection, bool series, mls_throughputs *measured)
{
    const mls_throughput_options wanted = {.rulesets = cli->rulesets,
                                           .models = cli->models,
                                           .accelerator_table = cli->accelerators,
                                           .accelerators = (double)NAN,
                                           .series = series};
    mls_error error = {0};
    return mls_throughputs_measure(collection, &wanted, measured, &error) == MLS_OK ||
           mls_cli_print_error(cli, NULL, &error);
}

/* Combine and print the answers about logs, or (collection NULL) about an export. */
static void print_overview(mls_cli *cli, const mls_group_question *question, const mls_comparison *comparison,
                           const mls_collection *collection, const mls_throughputs *measured,
                           const mls_telemetry_notes *notes)
{
    mls_overview all;
    mls_overview_make(comparison, collection, measured, notes, &all);
    question->print(cli, &all);
    mls_overview_release(&all);
}

void mls_cli_ask_groups(mls_cli *cli, const mls_group_question *question)
{
    const char *against = question->against;
    mls_arena arena = {0};
    mls_comparison comparison = {0};
    mls_error error = {0};
    mls_compare_request request = {.mode = against != NULL ? MLS_COMPARE_SIDES : MLS_COMPARE_PUBLISHED,
                                   .baseline = against != NULL ? "theirs" : NULL,
                                   .placed = against != NULL};
    for (size_t i = 0; i < question->paths->count; i++)
        mls_side_add(&request.sides, &arena, MLS_S("yours"), question->paths->items[i])->given = true;
    if (against != NULL)
        mls_side_add(&request.sides, &arena, MLS_S("theirs"), against)->given = true;
    if (mls_cli_load_models(cli) && mls_cli_judge_options(cli, &request.collect)) {
        request.collect.score.select_window = question->select_window;
        request.collect.observer = !question->exports ? &mls_throughput_observer : NULL;
        request.collect.printed = true;
        request.collect.facts = MLS_FACTS_OF_RUNS;
        const mls_status status = mls_compare(&request, &comparison, &error);
        mls_cli_progress_end(cli);
        if (status == MLS_ERROR_VALUE) {
            for (size_t i = 0; i < comparison.candidates.count; i++)
                mls_cli_note(cli, NULL, "candidate: %s", comparison.candidates.items[i]);
            mls_cli_usage_error(cli, "%s", error.message);
        } else if (status != MLS_OK) {
            mls_cli_print_error(cli, NULL, &error);
        } else if (question->exports) {
            print_overview(cli, question, &comparison, NULL, NULL, NULL);
            for (size_t i = 0; i < comparison.groups.count; i++)
                mls_cli_judge_side(cli, comparison.groups.items[i]);
        } else {
            mls_collection *collection = &comparison.collections[0];
            mls_throughputs measured = {0};
            mls_telemetry_notes notes = {0};
            if (mls_cli_note_endings(cli, collection) &&
                mls_telemetry_note_groups(collection, cli->work.threads, &notes) == MLS_OK &&
                mls_cli_measure(cli, collection, question->series, &measured)) {
                print_overview(cli, question, &comparison, collection, &measured, &notes);
                for (size_t i = 0; i < collection->group_count; i++)
                    mls_cli_judge_group(cli, &collection->groups[i]);
                mls_cli_print_problems(cli, collection);
            }
            mls_throughputs_release(&measured);
            mls_telemetry_notes_release(&notes);
        }
        for (size_t i = 1; i < comparison.collection_count; i++)
            mls_cli_print_skipped(cli, &comparison.collections[i].skipped);
        for (size_t i = 0; i < comparison.problems.count; i++)
            mls_cli_print_error(cli, comparison.problems.items[i].path, &comparison.problems.items[i].error);
        mls_comparison_release(&comparison);
    }
    mls_arena_release(&arena);
}
