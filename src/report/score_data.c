/* SPDX-License-Identifier: Apache-2.0 */
/*
 * score_data.c - a collection for programs: JSON, NDJSON and CSV.  The names
 * of members and columns are a contract, only ever added to; see
 * mlscore-formats(5).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/score_report.h"
#include "score/seeds.h"
#include "slurm/hosts.h"

typedef struct mls_host_list {
    mls_json *json;
    cJSON *array;
} mls_host_list;

static void mls_host_append(void *state, mls_str host)
{
    mls_host_list *list = state;
    mls_json_append_text(list->json, list->array, host);
}

static cJSON *mls_nodes_json(mls_json *json, const mls_run *run)
{
    if (run->job.node_list == NULL) {
        return cJSON_CreateNull();
    }
    mls_host_list list = {json, mls_json_array(json)};
    mls_hosts_expand(mls_str_from(run->job.node_list), mls_host_append, &list);
    return list.array;
}

/* A seed as it was logged: a number where it is one, else its text. */
static cJSON *mls_seeds_json(mls_json *json, const mls_run *run)
{
    cJSON *array = mls_json_array(json);
    for (size_t i = 0; run->seeds != NULL && i < run->seeds->count; i++) {
        const mls_str text = run->seeds->items[i].value;
        double number;
        if (mls_number_parse(text, &number) && isfinite(number)) {
            mls_json_append_number(json, array, number);
        } else {
            mls_json_append_text(json, array, text);
        }
    }
    return array;
}

static cJSON *mls_run_json(mls_json *json, const mls_group *group, size_t index)
{
    const mls_run *run = group->runs[index];
    cJSON *object = mls_json_object(json);
    const char *unit;
    const double converge = mls_run_to_converge(run, &unit);
    mls_json_put_text(json, object, "file", run->file);
    mls_json_put_number(json, object, "line", (double)run->line);
    mls_json_put_number(json, object, "start_ms", run->run_start.time_ms);
    mls_json_put_number(json, object, "stop_ms", run->run_stop.time_ms);
    mls_json_put_number(json, object, "minutes", mls_run_minutes(run));
    mls_json_put_text(json, object, "status", mls_run_status_name(run->status));
    mls_json_put_bool(json, object, "valid", run->valid);
    mls_json_put_text(json, object, "counted", mls_olympic_mark_name(group->marks[index]));
    mls_json_put_number(json, object, "to_converge", converge);
    mls_json_put_text(json, object, "unit", unit);
    mls_json_put_number(json, object, "final_eval", mls_run_final_evaluation(run));
    mls_json_put_number(json, object, "init_minutes", mls_run_init_minutes(run));
    mls_json_put_number(json, object, "throughput",
                        run->throughput.finite > 0 ? run->throughput.sum / (double)run->throughput.finite
                                                   : (double)NAN);
    mls_json_put(json, object, "seed", mls_seeds_json(json, run));
    mls_json_put_number(json, object, "joules", group->joules != NULL ? group->joules[index] : (double)NAN);
    mls_json_put_text(json, object, "job", run->job.job);
    mls_json_put(json, object, "nodes", mls_nodes_json(json, run));
    mls_json_put_number(json, object, "records", (double)run->records);
    mls_json_put_number(json, object, "malformed", (double)run->malformed);
    return object;
}

static cJSON *mls_group_findings_json(mls_json *json, const mls_group *group)
{
    cJSON *array = mls_json_array(json);
    for (size_t i = 0; i < group->findings.count; i++) {
        mls_json_append(json, array, mls_json_finding(json, &group->findings.items[i], group->path));
    }
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_run *run = group->runs[i];
        for (size_t k = 0; k < run->findings.count; k++) {
            mls_json_append(json, array, mls_json_finding(json, &run->findings.items[k], run->file));
        }
    }
    return array;
}

static cJSON *mls_spread_json(mls_json *json, const mls_group *group)
{
    if (!group->has_spread) {
        return cJSON_CreateNull();
    }
    cJSON *object = mls_json_object(json);
    mls_json_put_number(json, object, "min_minutes", group->spread.min_minutes);
    mls_json_put_number(json, object, "max_minutes", group->spread.max_minutes);
    mls_json_put_number(json, object, "mean_minutes", group->spread.mean_minutes);
    mls_json_put_number(json, object, "stdev_minutes", group->spread.stdev_minutes);
    mls_json_put_number(json, object, "variation", group->spread.variation);
    return object;
}

static cJSON *mls_window_json(mls_json *json, const mls_group *group)
{
    if (!group->score.windowed) {
        return cJSON_CreateNull();
    }
    cJSON *object = mls_json_object(json);
    mls_json_put_number(json, object, "first", (double)group->score.window_first);
    mls_json_put_number(json, object, "count", (double)group->score.window_count);
    return object;
}

static cJSON *mls_rcp_json(mls_json *json, const mls_group *group)
{
    if (group->rcp_set == NULL) {
        return cJSON_CreateNull();
    }
    cJSON *object = mls_json_object(json);
    mls_json_put_bool(json, object, "pass", group->rcp.pass);
    mls_json_put_text(json, object, "message", group->rcp.message);
    mls_json_put_number(json, object, "scale", group->rcp.scale);
    mls_json_put_number(json, object, "mean", group->rcp.limit.mean);
    mls_json_put_number(json, object, "limit", group->rcp.limit.limit);
    mls_json_put_number(json, object, "submission_mean", group->rcp.submission_mean);
    return object;
}

static cJSON *mls_seed_verdict_json(mls_json *json, const mls_group *group)
{
    cJSON *object = mls_json_object(json);
    cJSON *problems = mls_json_array(json);
    for (size_t i = 0; i < group->seed_findings.count; i++) {
        mls_json_append_text(json, problems, mls_str_from(group->seed_findings.items[i].message));
    }
    mls_json_put_bool(json, object, "ok", group->seeds_ok);
    mls_json_put(json, object, "problems", problems);
    return object;
}

static cJSON *mls_energy_json(mls_json *json, const mls_group *group)
{
    if (group->joules == NULL) {
        return cJSON_CreateNull();
    }
    cJSON *object = mls_json_object(json);
    mls_json_put_number(json, object, "joules", group->energy_joules);
    return object;
}

static cJSON *mls_weak_json(mls_json *json, const mls_group *group)
{
    if (!group->weak) {
        return cJSON_CreateNull();
    }
    cJSON *object = mls_json_object(json);
    mls_json_put_number(json, object, "models", (double)group->weak_models);
    mls_json_put_number(json, object, "instance_scale", group->weak_instance_scale);
    mls_json_put_number(json, object, "time_to_train_all_minutes", group->weak_minutes);
    return object;
}

static cJSON *mls_group_json(mls_json *json, const mls_group *group)
{
    cJSON *object = mls_json_object(json);
    cJSON *runs = mls_json_array(json);
    mls_json_put_text(json, object, "path", group->path);
    mls_json_put_text(json, object, "benchmark", group->benchmark);
    mls_json_put_text(json, object, "division", group->division);
    mls_json_put_text(json, object, "usage", mls_usage_name(group->usage));
    mls_json_put_text(json, object, "edition", group->edition->name);
    mls_json_put_bool(json, object, "edition_guessed", group->edition_guessed);
    mls_json_put_text(json, object, "config", group->config);
    mls_json_put_number(json, object, "global_batch_size", group->global_batch_size);
    for (size_t i = 0; i < group->run_count; i++) {
        mls_json_append(json, runs, mls_run_json(json, group, i));
    }
    mls_json_put(json, object, "runs", runs);
    mls_json_put_number(json, object, "runs_needed", group->runs_needed > 0 ? (double)group->runs_needed : (double)NAN);
    mls_json_put_number(json, object, "dropped", (double)group->score.dropped);
    mls_json_put_bool(json, object, "official", group->score.official);
    mls_json_put_number(json, object, "score_minutes", group->score.score_minutes);
    mls_json_put_number(json, object, "scale", group->scale);
    mls_json_put_number(json, object, "scaled_minutes", group->scaled_minutes);
    mls_json_put(json, object, "rcp", mls_rcp_json(json, group));
    mls_json_put(json, object, "seeds", mls_seed_verdict_json(json, group));
    mls_json_put(json, object, "spread", mls_spread_json(json, group));
    mls_json_put(json, object, "window", mls_window_json(json, group));
    mls_json_put(json, object, "energy", mls_energy_json(json, group));
    mls_json_put(json, object, "weak_scaling", mls_weak_json(json, group));
    mls_json_put(json, object, "findings", mls_group_findings_json(json, group));
    return object;
}

bool mls_report_score_json(const mls_collection *collection, mls_output *output)
{
    mls_json json = {0};
    cJSON *object = mls_json_object(&json);
    cJSON *groups = mls_json_array(&json);
    cJSON *skipped = mls_json_array(&json);
    for (size_t i = 0; i < collection->group_count; i++) {
        mls_json_append(&json, groups, mls_group_json(&json, &collection->groups[i]));
    }
    for (size_t i = 0; i < collection->skipped_count; i++) {
        cJSON *file = mls_json_object(&json);
        mls_json_put_text(&json, file, "file", collection->skipped[i].path);
        mls_json_put_text(&json, file, "reason", collection->skipped[i].reason);
        mls_json_put_bool(&json, file, "failed", collection->skipped[i].failed);
        mls_json_append(&json, skipped, file);
    }
    mls_json_put(&json, object, "groups", groups);
    mls_json_put(&json, object, "skipped", skipped);
    mls_json_print(&json, object, true, output);
    return !json.failed;
}

bool mls_report_score_ndjson(const mls_collection *collection, mls_output *output)
{
    mls_json json = {0};
    for (size_t i = 0; i < collection->group_count && !json.failed; i++) {
        mls_json_print(&json, mls_group_json(&json, &collection->groups[i]), false, output);
    }
    return !json.failed;
}

/* The columns that came after the first version; a check that was not made leaves its columns empty. */
static void mls_csv_group_checks(mls_csv *csv, const mls_group *group, size_t index)
{
    mls_csv_number(csv, group->scale);
    mls_csv_number(csv, group->scaled_minutes);
    mls_csv_text(csv, group->rcp_set == NULL ? NULL : group->rcp.pass ? "true" : "false");
    mls_csv_text(csv, group->rcp_set == NULL ? NULL : group->rcp.message);
    mls_csv_text(csv, !group->seeds_checked ? NULL : group->seeds_ok ? "true" : "false");
    mls_csv_number(csv, group->joules != NULL ? group->joules[index] : (double)NAN);
    mls_csv_number(csv, group->joules != NULL ? group->energy_joules : (double)NAN);
}

bool mls_report_score_csv(const mls_collection *collection, mls_output *output)
{
    mls_csv csv = {.output = output};
    mls_csv_header(&csv,
                   "path benchmark division usage edition config global_batch_size score_minutes official "
                   "dropped file line start_ms stop_ms minutes status valid counted to_converge unit final_eval "
                   "init_minutes throughput job node_count scale scaled_minutes rcp_pass rcp_message seeds_ok joules "
                   "energy_joules");
    for (size_t i = 0; i < collection->group_count; i++) {
        const mls_group *group = &collection->groups[i];
        for (size_t k = 0; k < group->run_count; k++) {
            const mls_run *run = group->runs[k];
            const char *unit;
            const double converge = mls_run_to_converge(run, &unit);
            mls_csv_text(&csv, group->path);
            mls_csv_text(&csv, group->benchmark);
            mls_csv_text(&csv, group->division);
            mls_csv_text(&csv, mls_usage_name(group->usage));
            mls_csv_text(&csv, group->edition->name);
            mls_csv_text(&csv, group->config);
            mls_csv_number(&csv, group->global_batch_size);
            mls_csv_number(&csv, group->score.score_minutes);
            mls_csv_bool(&csv, group->score.official);
            mls_csv_number(&csv, (double)group->score.dropped);
            mls_csv_text(&csv, run->file);
            mls_csv_number(&csv, (double)run->line);
            mls_csv_number(&csv, run->run_start.time_ms);
            mls_csv_number(&csv, run->run_stop.time_ms);
            mls_csv_number(&csv, mls_run_minutes(run));
            mls_csv_text(&csv, mls_run_status_name(run->status));
            mls_csv_bool(&csv, run->valid);
            mls_csv_text(&csv, mls_olympic_mark_name(group->marks[k]));
            mls_csv_number(&csv, converge);
            mls_csv_text(&csv, isnan(converge) ? NULL : unit);
            mls_csv_number(&csv, mls_run_final_evaluation(run));
            mls_csv_number(&csv, mls_run_init_minutes(run));
            mls_csv_number(&csv, run->throughput.finite > 0 ? run->throughput.sum / (double)run->throughput.finite
                                                            : (double)NAN);
            mls_csv_text(&csv, run->job.job);
            mls_csv_number(&csv, run->job.node_count);
            mls_csv_group_checks(&csv, group, k);
            mls_csv_end_row(&csv);
        }
    }
    return !csv.failed;
}
