/* SPDX-License-Identifier: Apache-2.0 */
/* collected.c - functions of commands that read runs: collect and compare runs, combine their score, throughput and
 * telemetry, and print problems on standard error. */
#include <math.h>
#include <unistd.h>

#include "cli/command.h"
#include "compare/overview.h"
#include "explain/diagnose/diagnose.h"
#include "explain/telemetry/telemetry.h"
#include "report/reports.h"
#include "score/part.h"

bool mls_cli_collect(mls_cli *cli, const mls_names *paths, const mls_collect_options *how, const char *path,
                     mls_collection *collection)
{
    mls_error error = {0};
    const mls_status status = mls_collect((const char *const *)paths->items, paths->count, how, collection, &error);
    mls_cli_progress_end(cli);
    return status == MLS_OK || mls_cli_print_error(cli, path, &error);
}

bool mls_cli_note_telemetry(mls_cli *cli, const mls_collection *collection, mls_telemetry_notes *notes)
{
    bool any_outside_submission = false;
    if (!mls_view_is_for_people(&cli->view))
        return true;
    for (size_t i = 0; i < collection->group_count; i++)
        any_outside_submission |= !collection->groups[i].result_folder;
    for (size_t i = 0; cli->merge != NULL && any_outside_submission && i < cli->merge->measuring.count; i++) {
        const char *path = cli->merge->measuring.items[i];
        if (access(path, R_OK) != 0) {
            return mls_cli_error(
                cli, MLS_EXIT_IO, path,
                "telemetry log not found: run merge on a machine with the logs, or use another --format");
        }
    }
    mls_telemetry_note_groups(collection, cli->work.threads, notes);
    return true;
}

bool mls_cli_note_endings(mls_cli *cli, mls_collection *collection)
{
    const mls_diagnose_options options = {.work = {.threads = cli->work.threads, .deadline_ms = cli->work.deadline_ms},
                                          .unpack = true};
    mls_error error = {0};
    if (cli->merge != NULL) {
        mls_merge_note_endings(collection);
        return true;
    }
    return mls_endings_find_all(&options, collection->runs, collection->run_count, &error) == MLS_OK ||
           mls_cli_print_error(cli, NULL, &error);
}

void mls_cli_judge_group(mls_cli *cli, const mls_group *group)
{
    mls_cli_set_status(cli, mls_group_passes(group, cli->view.strict) ? MLS_EXIT_OK : MLS_EXIT_INVALID);
    for (size_t k = 0; k < group->findings.count; k++) {
        const mls_finding *finding = &group->findings.items[k];
        if (finding->code == MLS_FINDING_UNREADABLE) /* the finding is about a power log */
            mls_cli_error(cli, MLS_EXIT_IO, finding->path, "%s", finding->message);
    }
}

void mls_cli_judge_side(mls_cli *cli, const mls_side_group *side)
{
    if (side->logged != NULL) {
        mls_cli_judge_group(cli, side->logged);
    } else if (side->published == NULL) {
        mls_cli_set_status(cli, side->official && !side->refused && isfinite(side->score_minutes) ? MLS_EXIT_OK
                                                                                                  : MLS_EXIT_INVALID);
    }
}

void mls_cli_note_truncated(mls_cli *cli, const mls_collection *collection)
{
    for (size_t i = 0; i < collection->run_count; i++) {
        const mls_run *run = &collection->runs[i];
        if (run->too_many_hyperparameters) {
            mls_cli_note(cli, run->file, "only the first %d hyperparameters are reported, and the batch size",
                         MLS_HYPERPARAMETERS_KEPT);
        }
        if (run->long_key_line > 0) {
            mls_cli_note(cli, run->file, "line %zu: a hyperparameter whose name has more than %d bytes is not reported",
                         run->long_key_line, MLS_HYPERPARAMETER_LENGTH);
        }
    }
}

void mls_cli_print_problems(mls_cli *cli, const mls_collection *collection)
{
    mls_cli_print_skipped(cli, &collection->skipped);
    for (size_t i = 0; i < collection->run_count; i++) {
        const mls_run *run = &collection->runs[i];
        if (run->too_many_images) {
            mls_cli_note(cli, run->file, "only the first %s FID and CLIP records are used for convergence",
                         mls_words_count(MLS_IMAGE_EVALUATIONS_MAX).text);
        }
    }
    if (collection->group_count == 0) {
        /* If logs could not be read, errors were already printed. */
        if (collection->failed == 0)
            mls_cli_note(cli, NULL, "no run found");
        mls_cli_set_status(cli, MLS_EXIT_INVALID);
    }
}

void mls_cli_print_side_problems(mls_cli *cli, const mls_comparison *comparison)
{
    for (size_t i = 0; i < comparison->collection_count; i++) {
        mls_cli_print_skipped(cli, &comparison->collections[i].skipped);
        mls_cli_note_truncated(cli, &comparison->collections[i]);
    }
    for (size_t i = 0; i < comparison->problems.count; i++) {
        const mls_side_problem *problem = &comparison->problems.items[i];
        if (problem->error.line > 0) {
            mls_cli_error(cli, MLS_EXIT_IO, NULL, "'%s':%zu: %s", problem->path, problem->error.line,
                          problem->error.message);
        } else {
            mls_cli_error(cli, MLS_EXIT_IO, problem->path, "%s", problem->error.message);
        }
    }
}

bool mls_cli_compare(mls_cli *cli, const mls_compare_request *request, mls_comparison *comparison)
{
    mls_error error = {0};
    const mls_status status = mls_compare(request, comparison, &error);
    mls_cli_progress_end(cli);
    if (status == MLS_OK)
        return true;
    if (status != MLS_ERROR_VALUE)
        return mls_cli_print_error(cli, NULL, &error);
    mls_cli_print_side_problems(cli, comparison);
    for (size_t i = 0; i < comparison->candidates.count; i++)
        mls_cli_note(cli, NULL, "candidate: %s", comparison->candidates.items[i]);
    return mls_cli_usage_error(cli, "%s", error.message);
}

bool mls_cli_measure(mls_cli *cli, mls_collection *collection, const mls_score_options *how, bool series,
                     mls_throughputs *measured)
{
    mls_score_options score = *how;
    const mls_throughput_options wanted = {.rulesets = cli->rulesets,
                                           .models = cli->models,
                                           .accelerator_table = cli->accelerators,
                                           .accelerators = (double)NAN,
                                           .series = series,
                                           .score = &score};
    mls_error error = {0};
    score.points = &collection->points;
    return mls_throughputs_measure(collection, &wanted, measured, &error) == MLS_OK ||
           mls_cli_print_error(cli, NULL, &error);
}

/* Combine the results about the groups of `collection` and print them.  If `collection` is NULL, print the groups of an
 * export. */
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
                mls_cli_measure(cli, collection, &request.collect.score, question->series, &measured)) {
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
