/* SPDX-License-Identifier: Apache-2.0 */
/* part_run.c - a run as a part has it: every member that anything behind the reading of logs asks for. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "score/tracked.h"
#include "slurm/part.h"

#define PROGRESS(name, kind, member) MLS_CARRY(mls_training_progress, name, kind, member)
static const mls_carry_member progress_members[] = {
    PROGRESS("samples", NUMBER, samples_count),
    PROGRESS("epoch", NUMBER, epoch_num),
    PROGRESS("step", NUMBER, step_num),
};
MLS_CARRY_TABLE(progress_table, mls_training_progress, progress_members);

#define EVALUATION(name, kind, member) MLS_CARRY(mls_evaluation, name, kind, member)
static const mls_carry_member evaluation_members[] = {
    EVALUATION("ms", NUMBER, time_ms),  EVALUATION("line", SIZE, line),
    EVALUATION("value", NUMBER, value), MLS_CARRY_IN(mls_evaluation, "at", at, &progress_table),
    EVALUATION("clip", BOOL, is_clip),
};
MLS_CARRY_TABLE(evaluation_table, mls_evaluation, evaluation_members);

static const mls_carry_member step_members[] = {
    MLS_CARRY(mls_step, "ms", NUMBER, time_ms),
    MLS_CARRY(mls_step, "line", SIZE, line),
};
MLS_CARRY_TABLE(step_table, mls_step, step_members);

static const mls_carry_member hyperparameter_members[] = {
    MLS_CARRY(mls_hyperparameter, "key", STR, key),
    MLS_CARRY(mls_hyperparameter, "value", JSON, value),
    MLS_CARRY(mls_hyperparameter, "line", SIZE, line),
};
MLS_CARRY_TABLE(hyperparameter_table, mls_hyperparameter, hyperparameter_members);

#define SEED(name, kind, member) MLS_CARRY(mls_seed, name, kind, member)
static const mls_carry_member seed_members[] = {
    SEED("line", SIZE, line), SEED("identity", STR, identity), SEED("value", STR, value),
    SEED("file", STR, file),  SEED("lineno", STR, lineno),     SEED("integer", BOOL, is_integer),
};
MLS_CARRY_TABLE(seed_table, mls_seed, seed_members);

#define PARTS(name, kind, member) MLS_CARRY(mls_parts, name, kind, member)
static const mls_carry_member parts_members[] = {
    MLS_CARRY_MOST(mls_parts, "by", WORD, by, MLS_PARTS_BY_EPOCH + 1, NULL),
    PARTS("training", AMOUNT, ms[MLS_PART_TRAINING]),
    PARTS("evaluation", AMOUNT, ms[MLS_PART_EVALUATION]),
    PARTS("startup", AMOUNT, ms[MLS_PART_STARTUP]),
    PARTS("between", AMOUNT, ms[MLS_PART_BETWEEN]),
    PARTS("tail", AMOUNT, ms[MLS_PART_TAIL]),
    PARTS("delimited", BOOL, evaluation_delimited),
    PARTS("evaluations", SIZE, evaluations),
    PARTS("overlapped", AMOUNT, overlapped_evaluation_ms),
};
MLS_CARRY_TABLE(parts_table, mls_parts, parts_members);

#define JOB(name, kind, member) MLS_CARRY(mls_job, name, kind, member)
static const mls_carry_member job_members[] = {
    JOB("container", TEXT, container), JOB("job", TEXT, job),
    JOB("step", TEXT, step),           JOB("other", TEXT, other),
    JOB("node_list", TEXT, node_list), JOB("nodes", NUMBER, node_count),
    JOB("cluster", TEXT, cluster),     JOB("config", TEXT, config),
    JOB("system", TEXT, system),
};
MLS_CARRY_TABLE(job_table, mls_job, job_members);

#define FACTS(name, kind, member) MLS_CARRY(mls_printed_facts, name, kind, member)
static const mls_carry_member facts_members[] = {
    MLS_CARRY_MOST(mls_printed_facts, "precision", WORD, precision, MLS_PRINTED_FP4 + 1, NULL),
    FACTS("healing", U32, healing),
    FACTS("tp", U32, degrees[0]),
    FACTS("pp", U32, degrees[1]),
    FACTS("cp", U32, degrees[2]),
    FACTS("ep", U32, degrees[3]),
};
MLS_CARRY_TABLE(facts_table, mls_printed_facts, facts_members);
_Static_assert(MLS_DEGREES == 4, "a row for each degree");

static const mls_carry_member setting_members[] = {
    MLS_CARRY(mls_printed_setting, "name", KEPT_STR, name),
    MLS_CARRY(mls_printed_setting, "value", KEPT_STR, value),
};
MLS_CARRY_TABLE(setting_table, mls_printed_setting, setting_members);

static const mls_carry_member tracked_members[] = {
    MLS_CARRY(mls_part_tracked, "name", STR, name),
    MLS_CARRY(mls_part_tracked, "sum", NUMBER, sum),
    MLS_CARRY(mls_part_tracked, "count", SIZE, count),
};
MLS_CARRY_TABLE(tracked_table, mls_part_tracked, tracked_members);

static const mls_carry_member notes_members[] = {
    MLS_CARRY(mls_part_notes, "any", BOOL, any),
    MLS_CARRY(mls_part_notes, "too_many", BOOL, too_many),
    MLS_CARRY(mls_part_notes, "long_line", SIZE, long_line),
    MLS_CARRY_MOST(mls_part_notes, "sums", LIST, sums, MLS_TRACKED_NAMES_MAX, &tracked_table),
};
MLS_CARRY_TABLE(notes_table, mls_part_notes, notes_members);

#define RUN(name, kind, member) MLS_CARRY(mls_part_run, name, kind, run.member)
#define RUN_IN(name, member, of) MLS_CARRY_IN(mls_part_run, name, run.member, of)
#define RUN_LIST(name, member, most, of) MLS_CARRY_MOST(mls_part_run, name, LIST, run.member, most, of)
#define BESIDE(name, kind, member) MLS_CARRY(mls_part_run, name, kind, carried.member)
static const mls_carry_member run_members[] = {
    RUN("part", BOOL, part),
    RUN("unread", BOOL, unread),
    RUN("line", SIZE, line),
    RUN("last_line", SIZE, last_line),
    RUN("records", SIZE, records),
    RUN("malformed", SIZE, malformed),
    RUN("quoted", SIZE, quoted),
    RUN("first_ms", NUMBER, first_ms),
    RUN("date_ms", NUMBER, date_ms),
    RUN_IN("init_start", init_start, &step_table),
    RUN_IN("init_stop", init_stop, &step_table),
    RUN_IN("run_start", run_start, &step_table),
    RUN_IN("run_stop", run_stop, &step_table),
    MLS_CARRY_MOST(mls_part_run, "status", WORD, run.status, MLS_RUN_OTHER_STATUS + 1, NULL),
    RUN("benchmark", TEXT, benchmark),
    RUN("division", TEXT, division),
    RUN("organisation", TEXT, organisation),
    RUN("platform", TEXT, platform),
    RUN("submission_status", TEXT, submission_status),
    RUN("config", TEXT, config_filename),
    RUN("batch_size", NUMBER, global_batch_size),
    RUN("train_samples", NUMBER, train_samples),
    RUN("evaluations", SIZE, evaluations),
    RUN_IN("first_evaluation", first_evaluation, &evaluation_table),
    RUN_IN("last_evaluation", last_evaluation, &evaluation_table),
    RUN("throughput", AMOUNT, throughput),
    RUN("throughputs", SIZE, throughputs),
    /* One more than is kept is the last batch size. */
    RUN_LIST("hyperparameters", hyperparameters, MLS_HYPERPARAMETERS_KEPT + 1, &hyperparameter_table),
    RUN("too_many_hyperparameters", BOOL, too_many_hyperparameters),
    RUN("long_key_line", SIZE, long_key_line),
    RUN_IN("parts", parts, &parts_table),
    RUN("has_parts", BOOL, has_parts),
    RUN_LIST("seeds", seeds, MLS_SEEDS_MAX, &seed_table),
    RUN("too_many_seeds", BOOL, too_many_seeds),
    RUN_IN("progress", progress, &progress_table),
    RUN_IN("at_stop", at_stop, &progress_table),
    RUN("converged", BOOL, converged),
    RUN_LIST("images", images, MLS_IMAGE_EVALUATIONS_MAX, &evaluation_table),
    RUN("too_many_images", BOOL, too_many_images),
    RUN_IN("job", job, &job_table),
    MLS_CARRY_MOST(mls_part_run, "usage", WORD, run.usage, MLS_USAGE_COUNT, NULL),
    RUN("edition", KEPT, edition),
    RUN("guessed", BOOL, edition_guessed),
    RUN("by_date", BOOL, edition_by_date),
    RUN("benchmark_line", SIZE, benchmark_line),
    RUN("findings", FINDINGS, findings),
    RUN("valid", BOOL, valid),
    MLS_CARRY_IN(mls_part_run, "facts", carried.facts, &facts_table),
    MLS_CARRY_IN(mls_part_run, "heard", carried.heard, &facts_table),
    BESIDE("has_printed", BOOL, has_printed),
    MLS_CARRY_MOST(mls_part_run, "printed", LIST, carried.printed.settings, MLS_PRINTED_SETTINGS_MAX, &setting_table),
    BESIDE("has_power", BOOL, has_power),
    BESIDE("joules", NUMBER, joules),
    BESIDE("power", FINDINGS, power),
    BESIDE("ending", FINDINGS, ending),
    MLS_CARRY_IN(mls_part_run, "notes", notes, &notes_table),
};
const mls_carry_table mls_part_run_table = {run_members, sizeof run_members / sizeof *run_members,
                                            sizeof(mls_part_run)};

#define TREE(name, kind, member) MLS_CARRY(mls_carried_tree, name, kind, member)
static const mls_carry_member tree_members[] = {
    TREE("edition", KEPT, edition),
    MLS_CARRY_MOST(mls_carried_tree, "usage", WORD, usage, MLS_USAGE_COUNT, NULL),
    TREE("by_date", BOOL, by_date),
};
MLS_CARRY_TABLE(tree_table, mls_carried_tree, tree_members);

static const mls_carry_member system_members[] = {
    MLS_CARRY(mls_carried_system, "id", KEPT, id),
    MLS_CARRY(mls_carried_system, "text", KEPT_STR, text),
};
MLS_CARRY_TABLE(system_table, mls_carried_system, system_members);

static const mls_carry_member malformed_members[] = {
    MLS_CARRY(mls_part_malformed, "line", SIZE, line),
    MLS_CARRY(mls_part_malformed, "column", SIZE, column),
    MLS_CARRY(mls_part_malformed, "reason", PASSING, reason),
};
MLS_CARRY_TABLE(malformed_table, mls_part_malformed, malformed_members);

#define SOURCE(name, kind, member) MLS_CARRY(mls_part_source, name, kind, member)
static const mls_carry_member source_members[] = {
    SOURCE("root", SIZE, argument),
    SOURCE("path", PASSING, path),
    SOURCE("size", SIZE, size),
    SOURCE("named", BOOL, named),
    SOURCE("result", BOOL, result),
    SOURCE("skip", PASSING, skip),
    SOURCE("failed", BOOL, failed),
    SOURCE("finding", PASSING, finding),
    SOURCE("shard", SIZE, shard),
    SOURCE("measures", BOOL, measures),
    SOURCE("read", SIZE, bytes),
    SOURCE("records", SIZE, records),
    SOURCE("malformed", SIZE, malformed),
    SOURCE("quoted", SIZE, quoted),
    SOURCE("reason", PASSING, reason),
    SOURCE("binary", BOOL, binary),
    SOURCE("unread", PASSING, unread),
    SOURCE("error", PASSING, error),
    MLS_CARRY_IN(mls_part_source, "tree", tree, &tree_table),
    MLS_CARRY_IN(mls_part_source, "system", system, &system_table),
    MLS_CARRY_MOST(mls_part_source, "malformed_lines", LIST, lines, MLS_MALFORMED_NAMED, &malformed_table),
    SOURCE("runs", RAW, runs),
};
const mls_carry_table mls_part_source_table = {source_members, sizeof source_members / sizeof *source_members,
                                               sizeof(mls_part_source)};

mls_part_source mls_part_source_of(const mls_source *source)
{
    return (mls_part_source){.argument = source->argument,
                             .path = source->path,
                             .size = source->size,
                             .named = source->named,
                             .result = source->result,
                             .skip = source->skip,
                             .failed = source->failed,
                             .finding = source->finding};
}

bool mls_part_source_take(const mls_part_source *from, mls_source *source)
{
    mls_finding_code code;
    const bool found = from->finding != NULL && mls_finding_code_from_name(mls_str_from(from->finding), &code);
    *source = (mls_source){.path = strdup(from->path),
                           .skip = from->skip != NULL ? mls_strdup(from->skip) : NULL,
                           .failed = from->failed,
                           .finding = found ? mls_finding_info_get(code)->name : NULL,
                           .named = from->named,
                           .result = from->result,
                           .argument = from->argument,
                           .size = from->size};
    const bool ok = source->path != NULL && (from->skip == NULL || source->skip != NULL);
    if (!ok) {
        free(source->path);
        free(source->skip);
    }
    return ok;
}

void mls_part_run_init(mls_part_run *run)
{
    mls_carry_clear(&mls_part_run_table, run);
    mls_run_init(&run->run);
}

void mls_carried_release(struct mls_carried *carried)
{
    mls_findings_release(&carried->power);
    mls_findings_release(&carried->ending);
    free(carried->printed.settings.items);
    *carried = (struct mls_carried){0};
}

void mls_part_run_release(mls_part_run *run)
{
    mls_carried_release(&run->carried);
    free(run->notes.sums.items);
    mls_run_release(&run->run);
    mls_part_run_init(run);
}

void mls_part_run_write(mls_buffer *to, mls_part_run *run)
{
    const mls_tracked *tracked = run->run.notes;
    for (size_t i = 0; tracked != NULL && i < tracked->sums.count; i++) {
        const mls_map_entry *entry = &tracked->sums.entries[i];
        const mls_tracked_sum *sum = entry->value.pointer;
        if (!MLS_GROW(&run->notes.sums, items)) {
            to->failed = true;
            break;
        }
        run->notes.sums.items[run->notes.sums.count++] = (mls_part_tracked){entry->key, sum->sum, sum->count};
    }
    if (tracked != NULL) {
        run->notes.any = true;
        run->notes.too_many = tracked->too_many;
        run->notes.long_line = tracked->long_line;
    }
    mls_carry_write(to, &mls_part_run_table, run);
}

/* Notes from their list. */
static bool make_notes(mls_part_run *run)
{
    mls_tracked *tracked = mls_calloc(1, sizeof *tracked);
    bool ok = tracked != NULL;
    run->run.notes = tracked;
    run->run.observer = &mls_tracked_observer;
    for (size_t i = 0; i < run->notes.sums.count && ok; i++) {
        const mls_part_tracked *from = &run->notes.sums.items[i];
        tracked->sums.arena = &tracked->arena;
        mls_map_entry *entry = mls_map_put(&tracked->sums, from->name, NULL);
        mls_tracked_sum *sum = entry != NULL ? mls_arena_zeroed(&tracked->arena, 1, sizeof *sum) : NULL;
        ok = sum != NULL;
        if (ok) {
            *sum = (mls_tracked_sum){from->sum, from->count};
            entry->value.pointer = sum;
        }
    }
    if (tracked != NULL) {
        tracked->too_many = run->notes.too_many;
        tracked->long_line = run->notes.long_line;
    }
    free(run->notes.sums.items);
    run->notes = (mls_part_notes){0};
    return ok;
}

bool mls_part_run_read(mls_str span, mls_carry_room *room, mls_part_run *run)
{
    mls_part_run_init(run);
    run->run.arena = mls_calloc(1, sizeof *run->run.arena);
    room->arena = run->run.arena;
    room->no_memory |= room->arena == NULL;
    if (room->no_memory || !mls_carry_read(&mls_part_run_table, span, room, run)) {
        return false;
    }
    for (size_t i = 0; i < run->run.hyperparameter_count; i++) {
        const mls_hyperparameter *each = &run->run.hyperparameters[i];
        if (each->key.ptr == NULL || each->value == NULL) {
            memcpy(room->wrong, "hyperparameters", sizeof "hyperparameters");
            return false;
        }
    }
    if (run->notes.any && !make_notes(run)) {
        room->no_memory = true;
        return false;
    }
    return true;
}
