/* SPDX-License-Identifier: Apache-2.0 */
/* answers.c - what is asked of groups of runs by those who want more than one room's answer: the score, what is
 * published or what they are compared with, why they differ, and of logs where the time went. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/command.h"
#include "explain/telemetry/telemetry.h"
#include "explain/throughput/throughput.h"
#include "report/reports.h"

static const mls_block *block_of(const mls_comparison *comparison, const mls_side_group *group)
{
    for (size_t i = 0; i < comparison->blocks.count; i++) {
        const mls_block *block = &comparison->blocks.items[i];
        if (block->group_count == 2 && block->groups[1] == group) {
            return block;
        }
    }
    return NULL;
}

static const mls_beside *beside_of(const mls_comparison *comparison, const mls_side_group *group)
{
    for (size_t i = 0; i < comparison->beside.count; i++) {
        if (comparison->beside.items[i].group == group) {
            return &comparison->beside.items[i];
        }
    }
    return NULL;
}

static const char *reason_unmatched(const mls_comparison *comparison, const mls_side_group *group)
{
    for (size_t i = 0; i < comparison->unmatched.count; i++) {
        if (comparison->unmatched.items[i].group == group) {
            return comparison->unmatched.items[i].reason;
        }
    }
    return NULL;
}

/* Puts together what the rooms said of a group: of a published result that it is itself there is no why. */
static mls_status gather_answers(const mls_comparison *comparison, const mls_side_group *side, mls_overview_group *to)
{
    mls_status status = MLS_OK;
    to->side = side;
    to->beside = beside_of(comparison, side);
    to->block = block_of(comparison, side);
    if (comparison->mode == MLS_COMPARE_SIDES) {
        to->unmatched = to->block == NULL ? reason_unmatched(comparison, side) : NULL;
    } else if (to->beside != NULL && to->beside->count > 0 && !to->beside->near[0].self) {
        to->why = to->beside->near[0].why;
    }
    if (to->block != NULL) {
        to->why = mls_why_of_block(comparison->arena, to->block);
    }
    return status;
}

static void bring_together(mls_cli *cli, const mls_group_question *question, const mls_comparison *comparison,
                           const mls_collection *collection, const mls_throughputs *measured,
                           const mls_telemetry_notes *notes)
{
    const size_t count = collection != NULL ? collection->group_count : comparison->groups.count;
    mls_overview all = {.what = question->exports ? "export" : "logs",
                        .command = "score",
                        .items = mls_calloc(count + 1, sizeof *all.items),
                        .count = count,
                        .known = &comparison->known,
                        .published = comparison->published,
                        .collection = collection};
    mls_status status = all.items != NULL ? MLS_OK : MLS_ERROR_MEMORY;
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        all.items[i].group = collection != NULL ? &collection->groups[i] : NULL;
        all.items[i].timed = measured != NULL ? &measured->groups[i] : NULL;
        all.items[i].machine = collection != NULL ? mls_telemetry_note_of(notes, &collection->groups[i]).machine : NULL;
        status = gather_answers(comparison, comparison->groups.items[i], &all.items[i]);
    }
    if (status == MLS_OK) {
        question->print(cli, &all);
    } else {
        mls_cli_say_no_memory(cli);
    }
    free(all.items);
}

bool mls_cli_measure(mls_cli *cli, const mls_collection *collection, bool series, mls_throughputs *measured)
{
    const mls_throughput_options wanted = {.rulesets = cli->rulesets,
                                           .models = cli->models,
                                           .accelerator_table = cli->accelerators,
                                           .accelerators = (double)NAN,
                                           .series = series};
    mls_error error = {0};
    return mls_throughputs_measure(collection, &wanted, measured, &error) == MLS_OK ||
           mls_cli_say_error(cli, NULL, &error);
}

/* Measures what was read and prints all: each log has been read once, by all who ask. */
static void answer_read(mls_cli *cli, const mls_group_question *question, mls_comparison *comparison)
{
    mls_collection *collection = &comparison->collections[0];
    mls_throughputs measured = {0};
    mls_telemetry_notes notes = {0};
    if (!mls_cli_note_endings(cli, collection) ||
        mls_telemetry_note_groups(collection, cli->work.threads, &notes) != MLS_OK) {
        mls_cli_say_no_memory(cli);
    } else if (mls_cli_measure(cli, collection, question->series, &measured)) {
        bring_together(cli, question, comparison, collection, &measured, &notes);
        for (size_t i = 0; i < collection->group_count; i++) {
            mls_cli_judge_group(cli, &collection->groups[i]);
        }
        mls_cli_say_collected(cli, collection);
    }
    mls_throughputs_release(&measured);
    mls_telemetry_notes_release(&notes);
}

static bool add_side(mls_side_list *sides, mls_arena *arena, const char *name, const char *path)
{
    mls_side *side = mls_side_add(sides, arena, mls_str_from(name), path);
    if (side != NULL) {
        side->given = true;
    }
    return side != NULL;
}

/* Says why what --against names is nothing to compare with. */
static void say_against(mls_cli *cli, const mls_comparison *comparison, const mls_error *error)
{
    for (size_t i = 0; i < comparison->candidates.count; i++) {
        mls_cli_say(cli, MLS_EXIT_OK, NULL, "there is %s", comparison->candidates.items[i]);
    }
    mls_cli_say(cli, MLS_WRONG_USAGE, NULL, "%s", error->message);
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
    bool ok = mls_cli_load_models(cli) && mls_cli_judge(cli, &request.collect);
    for (size_t i = 0; i < question->paths->count && ok; i++) {
        ok = add_side(&request.sides, &arena, "yours", question->paths->items[i]) || mls_cli_say_no_memory(cli);
    }
    if (ok && against != NULL) {
        ok = add_side(&request.sides, &arena, "theirs", against) || mls_cli_say_no_memory(cli);
    }
    if (ok) {
        request.collect.score.select_window = question->select_window;
        request.collect.observer = !question->exports ? &mls_throughput_observer : NULL;
        request.collect.printed = true;
        request.collect.facts = MLS_FACTS_OF_RUNS;
        const mls_status status = mls_compare(&request, &comparison, &error);
        mls_cli_progress_end(cli);
        if (status == MLS_ERROR_VALUE) {
            say_against(cli, &comparison, &error);
        } else if (status != MLS_OK) {
            mls_cli_say_error(cli, NULL, &error);
        } else if (!question->exports) {
            answer_read(cli, question, &comparison);
        } else {
            bring_together(cli, question, &comparison, NULL, NULL, NULL);
            for (size_t i = 0; i < comparison.groups.count; i++) {
                mls_cli_judge_side(cli, comparison.groups.items[i]);
            }
        }
        for (size_t i = 1; i < comparison.collection_count; i++) {
            mls_cli_say_skipped(cli, &comparison.collections[i].skipped);
        }
        for (size_t i = 0; i < comparison.problems.count; i++) {
            mls_cli_say_error(cli, comparison.problems.items[i].path, &comparison.problems.items[i].error);
        }
        mls_comparison_release(&comparison);
    }
    mls_arena_release(&arena);
}
