/* SPDX-License-Identifier: Apache-2.0 */
/* group.c - from the runs of a group to its score: what they agree on, and the checks of convergence, seeds, energy,
 * weak scaling and the config. */
#include "score/score.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "json/value.h"

const char *mls_division_name(mls_division division)
{
    return division == MLS_DIVISION_CLOSED ? "closed" : division == MLS_DIVISION_OPEN ? "open" : NULL;
}

mls_division mls_division_logged(const char *text)
{
    return text == NULL                      ? MLS_DIVISION_NONE
           : strcasecmp(text, "closed") == 0 ? MLS_DIVISION_CLOSED
           : strcasecmp(text, "open") == 0   ? MLS_DIVISION_OPEN
                                             : MLS_DIVISION_OTHER;
}

mls_division mls_division_described(const char *text)
{
    const mls_division division = mls_division_logged(text);
    const char *name = mls_division_name(division);
    return name != NULL && strcmp(text, name) == 0 ? division : MLS_DIVISION_OTHER;
}

const char *mls_run_says(const mls_run *run, mls_run_fact fact)
{
    /* Divisions that mean the same are one, however they are spelled. */
    const char *division = mls_division_name(mls_division_logged(run->division));
    return fact == MLS_FACT_BENCHMARK  ? run->benchmark
           : fact == MLS_FACT_DIVISION ? (division != NULL ? division : run->division)
                                       : mls_run_config(run);
}

/* The first run that says something, when all that do agree with it; NULL with a finding when two differ. */
static const mls_run *agreement(mls_group *group, mls_run_fact fact, const char *what)
{
    const mls_run *first = NULL;
    const char *said = NULL;
    char numbers[2][32];
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_run *run = group->runs[i];
        const char *text = fact != MLS_FACT_BATCH_SIZE ? mls_run_says(run, fact) : NULL;
        if (fact == MLS_FACT_BATCH_SIZE && !isnan(run->global_batch_size)) {
            text = numbers[first != NULL];
            (void)mls_text_printf(numbers[first != NULL], sizeof numbers[0], "%.15g", run->global_batch_size);
        }
        if (text == NULL || text[0] == '\0') {
            continue;
        }
        if (first != NULL && strcmp(said, text) != 0) {
            mls_findings_add(&group->findings, MLS_FINDING_MIXED_GROUP, (mls_finding_place){.key = mls_str_from(what)},
                             "%s differs: %s in %s, %s in %s", what, said, mls_path_name(first->file), text,
                             mls_path_name(run->file));
            return NULL;
        }
        said = first == NULL ? text : said;
        first = first == NULL ? run : first;
    }
    return first;
}

static void identify(mls_group *group, const mls_editions *editions)
{
    const mls_run *division = agreement(group, MLS_FACT_DIVISION, "submission_division");
    const mls_run *config = agreement(group, MLS_FACT_CONFIG, "DGXSYSTEM");
    /* The folder of a result names its benchmark (the compliance checker goes by it too), unless nobody knows a
     * benchmark of that name; else the logs do. */
    const mls_run *named = agreement(group, MLS_FACT_BENCHMARK, "submission_benchmark");
    const char *folder = group->result_folder && group->path != NULL ? mls_path_name(group->path) : "";
    const bool known = mls_benchmark_find(editions, group->usage, mls_str_from(folder))->runs_needed > 0;
    group->benchmark = known ? folder : named != NULL ? named->benchmark : NULL;
    const mls_run *batch_size = agreement(group, MLS_FACT_BATCH_SIZE, "global_batch_size");
    group->division = mls_division_logged(division != NULL ? division->division : NULL);
    group->global_batch_size = batch_size != NULL ? batch_size->global_batch_size : (double)NAN;
    group->rules = mls_benchmark_find(editions, group->usage, mls_str_from(group->benchmark));
    group->config = config != NULL ? mls_run_config(config) : NULL;
    if (group->edition == NULL) {
        double date_ms = NAN; /* of the earliest run; a file without records has none */
        for (size_t i = 0; i < group->run_count; i++) {
            const double run_ms = group->runs[i]->date_ms;
            date_ms = mls_time_is_date(run_ms) ? fmin(date_ms, run_ms) : date_ms;
        }
        group->edition = mls_editions_guess(editions, group->usage, date_ms, mls_str_from(group->benchmark));
        group->edition_guessed = true;
        group->edition_by_date = mls_time_is_date(date_ms);
    }
}

/* A number that the run logged before it started; NAN when it did not. */
static double logged_number(const mls_run *run, mls_str key)
{
    double number;
    const char *text = mls_run_hyperparameter(run, key);
    return text != NULL && mls_json_number(mls_str_from(text), &number) ? number : (double)NAN;
}

bool mls_path_is_weak(mls_usage usage, const char *path)
{
    const mls_str folder = mls_path_folder(mls_str_from(path));
    return usage == MLS_USAGE_HPC && (mls_str_equal(folder, MLS_S("weak/")) || mls_str_ends(folder, MLS_S("/weak/")));
}

static void check_weak(mls_group *group)
{
    mls_weak_outcome *weak = &group->weak;
    double first_start = INFINITY;
    double last_stop = -(double)INFINITY;
    bool differ = false;
    if (!group->result_folder || !mls_path_is_weak(group->usage, group->path)) {
        return;
    }
    weak->instance_scale = weak->minutes = NAN;
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_run *run = group->runs[i];
        if (!run->valid || !isfinite(mls_run_minutes(run))) {
            continue;
        }
        const double accelerators = logged_number(run, MLS_S("accelerators_per_node"));
        const double scale = logged_number(run, MLS_S("number_of_nodes")) * (accelerators > 1 ? accelerators : 1);
        first_start = fmin(first_start, run->run_start.time_ms);
        last_stop = fmax(last_stop, run->run_stop.time_ms);
        weak->instance_scale = weak->models++ == 0 ? scale : weak->instance_scale;
        weak->minutes = (last_stop - first_start) / 60000;
        differ |= scale != weak->instance_scale && !(isnan(scale) && isnan(weak->instance_scale));
    }
    weak->check = weak->models > 0 && weak->models >= group->rules->runs_needed ? MLS_CHECK_PASS : MLS_CHECK_FAIL;
    if (differ) {
        mls_findings_add(&group->findings, MLS_FINDING_MIXED_GROUP,
                         (mls_finding_place){.key = MLS_S("number_of_nodes")},
                         "the runs differ in number_of_nodes times accelerators_per_node; the first valid one counts");
    }
}

static void check_run_count(mls_group *group)
{
    const size_t needed = group->rules->runs_needed;
    const bool weak = mls_is_weak(&group->weak);
    const size_t made = weak ? group->weak.models : group->run_count;
    const mls_finding_place place = {0};
    if (made < needed) {
        mls_findings_add(&group->findings, MLS_FINDING_RUN_COUNT, place,
                         weak ? "%zu valid runs of the at least %zu that weak scaling of %s needs"
                              : "%zu of the %zu runs that %s needs",
                         made, needed, group->benchmark);
    } else if (!weak && needed > 0 && made > needed && !group->score.windowed) {
        mls_findings_add(&group->findings, MLS_FINDING_RUN_COUNT, place,
                         "%zu runs, %s needs %zu: --window selects the ones to submit", made, group->benchmark, needed);
    }
}

/* Whose rules say how a run converged: those of the benchmark that its log names, if the edition has it. */
static const mls_benchmark *judged_by(const mls_group *group, const mls_run *run, const mls_editions *editions)
{
    const mls_str named = mls_str_from(run->benchmark);
    return mls_edition_has_benchmark(group->edition, named) ? mls_benchmark_find(editions, group->usage, named)
                                                            : group->rules;
}

static mls_status check_convergence(mls_group *group, const mls_run *const *runs, size_t count,
                                    const mls_score_options *options, mls_error *error)
{
    mls_rcp_outcome *rcp = &group->rcp;
    mls_rcp_rules rules = {options->editions, group->edition, group->rules};
    for (size_t i = 0; i < group->run_count; i++) { /* those of all runs, where they agree */
        const mls_benchmark *own = judged_by(group, group->runs[i], options->editions);
        rules.benchmark = i == 0 || own == rules.benchmark ? own : group->rules;
    }
    if (!rules.benchmark->reference_points ||
        !mls_edition_has_benchmark(group->edition, mls_str_from(rules.benchmark->name))) {
        return MLS_OK;
    }
    double batch_size = NAN; /* that the submitted runs agree on */
    const char *path = options->rcp_text.len > 0 ? options->rcp_path : NULL;
    rcp->shared = options->points != NULL;
    mls_status status = rcp->shared
                            ? mls_rcp_sets_find(options->points, &rules, options->rcp_text, path, &rcp->set, error)
                            : mls_rcp_set_new(&rules, options->rcp_text, path, &rcp->set, error);
    if (status == MLS_OK) {
        double *to_converge = mls_calloc(count + 1, sizeof *to_converge);
        for (size_t i = 0; i < count; i++) {
            const double logged = runs[i]->global_batch_size;
            batch_size = isnan(logged)                               ? batch_size
                         : isnan(batch_size) || batch_size == logged ? logged
                                                                     : MLS_RCP_BATCH_SIZE_DIFFERS;
            mls_run_converge_number(runs[i], judged_by(group, runs[i], options->editions), group->edition,
                                    options->bert_train_samples, &to_converge[i]);
        }
        rcp->result = mls_rcp_check(rcp->set, batch_size, to_converge, count);
        group->scale = rcp->result.score_scale;
        group->scaled_minutes = group->score.score_minutes * group->scale;
        rcp->check = rcp->result.pass ? MLS_CHECK_PASS : options->rcp_bypass ? MLS_CHECK_BYPASSED : MLS_CHECK_FAIL;
        free(to_converge);
        if (!rcp->result.pass) { /* in one sentence, whose first word the check says already */
            const bool bypassed = rcp->check == MLS_CHECK_BYPASSED;
            mls_buffer words = {0};
            mls_rcp_result_describe(&rcp->result, group->score.score_minutes, &words);
            const size_t said = mls_str_starts(mls_buffer_str(&words), MLS_S("fail: ")) ? strlen("fail: ") : 0;
            mls_findings_add_as(&rcp->findings, MLS_FINDING_RCP, bypassed ? MLS_SEVERITY_WARNING : MLS_SEVERITY_ERROR,
                                (mls_finding_place){.path = group->path}, "%s%s", words.ptr + said,
                                bypassed ? " (bypassed)" : "");
            mls_buffer_release(&words);
        }
    }
    return status;
}

/* Both are checked in the closed division, from edition 1.0.0 on; with a window, of its runs only.  Of a run that could
 * not be read nobody knows how it converged, so that the mean is not known. */
static mls_status check_submitted(mls_group *group, const mls_score_options *options, mls_error *error)
{
    const mls_division division = options->division != MLS_DIVISION_NONE ? options->division : group->division;
    size_t count = 0;
    bool unread = false;
    if (division != MLS_DIVISION_CLOSED || group->edition->number < MLS_EDITION_NUMBER(1, 0, 0)) {
        return MLS_OK;
    }
    const mls_run **runs = (const mls_run **)mls_calloc(group->run_count + 1, sizeof *runs);
    for (size_t i = 0; i < group->run_count; i++) {
        if (group->marks[i] != MLS_OLYMPIC_OUTSIDE && !group->runs[i]->unread) {
            runs[count++] = group->runs[i];
        }
        unread |= group->runs[i]->unread;
    }
    mls_status status = unread ? MLS_OK : check_convergence(group, runs, count, options, error);
    mls_seeds_check(runs, count, options->seed_bypass, &group->seeds);
    free((void *)runs);
    return status;
}

void mls_group_energy(mls_group *group)
{
    mls_power_outcome *power = &group->power;
    double sum = 0;
    size_t kept = 0;
    power->energy_joules = NAN;
    if (power->joules == NULL) {
        return;
    }
    power->check = power->wrong == 0 ? MLS_CHECK_PASS : MLS_CHECK_FAIL;
    for (size_t i = 0; i < group->run_count; i++) {
        if (group->marks != NULL && group->marks[i] == MLS_OLYMPIC_KEPT) {
            sum += power->joules[i];
            kept++;
        }
    }
    if (kept > 0 && isfinite(group->score.score_minutes)) {
        power->energy_joules = sum / (double)kept * group->scale;
    }
}

/* The first run that printed how it was split; NULL: none did. */
static const mls_run *split_run(const mls_group *group)
{
    static const uint32_t none[MLS_DEGREES];
    for (size_t i = 0; i < group->run_count; i++) {
        if (memcmp(group->runs[i]->facts.degrees, none, sizeof none) != 0) {
            return group->runs[i];
        }
    }
    return NULL;
}

mls_config_name mls_group_shape(const mls_group *group)
{
    const mls_run *split = split_run(group);
    mls_config_name shape = mls_config_name_decode(mls_str_from(group->config));
    if (split != NULL) {
        mls_config_name_take_degrees(&shape, split->facts.degrees);
    }
    return shape;
}

static void check_config(mls_group *group)
{
    if (group->config == NULL) {
        return;
    }
    const mls_config_name name = mls_config_name_decode(mls_str_from(group->config));
    const mls_run *split = split_run(group);
    const double named = (double)mls_group_shape(group).global_batch_size;
    const bool other = split != NULL && (double)name.global_batch_size != named;
    if (name.problem != NULL) {
        mls_findings_add_as(&group->findings, MLS_FINDING_CONFIG_NAME, MLS_SEVERITY_ADVICE, (mls_finding_place){0},
                            "the config that the logs name: %s", name.problem);
    }
    if (split != NULL) {
        mls_config_compare_printed(&name, split->facts.degrees, split->file, &group->findings);
    }
    if (named > 0 && !isnan(group->global_batch_size) && named != group->global_batch_size) {
        mls_findings_add(&group->findings, MLS_FINDING_CONFIG_LOGGED_BATCH,
                         (mls_finding_place){.key = MLS_S("global_batch_size")},
                         "the name of the config%s gives a global batch of %.0f with micro batch 1, the logs say %.15g",
                         other ? ", split as the job printed," : "", named, group->global_batch_size);
    }
}

/* The time of all models of weak scaling is no mean, from which the fastest and the slowest would be left out. */
static void keep_models(mls_group *group)
{
    for (size_t i = 0; i < group->run_count && mls_is_weak(&group->weak); i++) {
        const bool counts = group->runs[i]->valid && isfinite(mls_run_minutes(group->runs[i]));
        group->marks[i] = counts ? MLS_OLYMPIC_KEPT : MLS_OLYMPIC_DROPPED;
    }
}

mls_status mls_group_score(mls_group *group, const mls_score_options *options, mls_error *error)
{
    group->nodes = group->accelerators = NAN;
    identify(group, options->editions);
    check_weak(group);
    mls_group_olympic(group, options->select_window);
    check_run_count(group);
    group->scale = 1;
    group->scaled_minutes = group->score.score_minutes;
    const mls_status status = options->unchecked ? MLS_OK : check_submitted(group, options, error);
    check_config(group);
    mls_group_energy(group);
    keep_models(group);
    return status;
}

mls_finding_counts mls_group_found(const mls_group *group)
{
    mls_finding_counts all = group->findings.counts;
    mls_finding_counts_add(&all, &group->seeds.findings.counts);
    for (size_t i = 0; i < group->run_count; i++) {
        mls_finding_counts_add(&all, &group->runs[i]->findings.counts);
    }
    return all;
}

mls_group_outcome mls_group_result(const mls_group *group)
{
    const mls_weak_outcome *weak = &group->weak;
    return mls_is_weak(weak) ? (mls_group_outcome){weak->check == MLS_CHECK_PASS, weak->minutes, 1, weak->minutes}
                             : (mls_group_outcome){group->score.official, group->score.score_minutes, group->scale,
                                                   group->scaled_minutes};
}

bool mls_group_is_well(const mls_group *group, bool strict)
{
    const mls_finding_counts all = mls_group_found(group);
    bool well = mls_group_result(group).official && group->rules->runs_needed > 0 &&
                group->rcp.check != MLS_CHECK_FAIL && group->seeds.check != MLS_CHECK_FAIL &&
                mls_findings_pass(&group->findings.counts, false) && (!strict || mls_findings_pass(&all, true));
    for (size_t k = 0; strict && k < group->run_count; k++) {
        well &= group->runs[k]->valid;
    }
    return well;
}

bool mls_group_is_scaled(const mls_group *group)
{
    return group->result_folder && group->rcp.check == MLS_CHECK_PASS && group->score.official;
}

mls_convergence mls_group_to_converge(const mls_group *group)
{
    const mls_convergence unknown = {(double)NAN, NULL};
    mls_convergence all = {0, NULL};
    size_t kept = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_convergence own = mls_run_to_converge(group->runs[i]);
        if (group->marks[i] == MLS_OLYMPIC_KEPT) {
            if (isnan(own.number) || (kept++ > 0 && strcmp(own.unit, all.unit) != 0)) {
                return unknown;
            }
            all = (mls_convergence){all.number + own.number, own.unit};
        }
    }
    return kept > 0 ? (mls_convergence){all.number / (double)kept, all.unit} : unknown;
}

void mls_group_release(mls_group *group)
{
    free(group->path);
    free((void *)group->runs);
    free(group->marks);
    free(group->power.joules);
    mls_arena_free(group->arena);
    mls_rcp_set_free(group->rcp.shared ? NULL : group->rcp.set);
    mls_findings_release(&group->rcp.findings);
    mls_findings_release(&group->seeds.findings);
    mls_findings_release(&group->findings);
    *group = (mls_group){0};
}
