/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "report/config_report.h"
#include "report/csv.h"
#include "report/json.h"

/* The numbers of a shape in the order of the columns. */
enum { NUMBER_COUNT = 11 };

static const char *const number_names[NUMBER_COUNT] = {"nodes",
                                                       "gpus_per_node",
                                                       "gpus",
                                                       "gradient_accumulation",
                                                       "batch_per_gpu",
                                                       "tensor_parallel",
                                                       "pipeline_parallel",
                                                       "context_parallel",
                                                       "expert_parallel",
                                                       "data_parallel",
                                                       "global_batch_size"};

/* 0 stands for a number that is not there. */
static void list_numbers(const mls_config_entry *entry, double numbers[NUMBER_COUNT])
{
    const mls_config_name *name = &entry->name;
    const uint64_t values[NUMBER_COUNT] = {name->nodes,
                                           name->gpus_per_node,
                                           name->gpus,
                                           name->gradient_accumulation,
                                           name->batch_per_gpu,
                                           name->tensor_parallel,
                                           name->pipeline_parallel,
                                           name->context_parallel,
                                           name->expert_parallel,
                                           name->data_parallel,
                                           entry->summary.global_batch_size};
    for (size_t i = 0; i < NUMBER_COUNT; i++) {
        numbers[i] = values[i] != 0 ? (double)values[i] : (double)NAN;
    }
}

static void csv_config(mls_csv *csv, const mls_config_entry *entry)
{
    double numbers[NUMBER_COUNT];
    list_numbers(entry, numbers);
    mls_csv_str(csv, entry->name.name);
    mls_csv_text(csv, entry->file);
    mls_csv_str(csv, entry->name.system);
    for (size_t i = 0; i < NUMBER_COUNT; i++) {
        mls_csv_number(csv, numbers[i]);
    }
    mls_buffer list = {0};
    for (size_t i = 0; i < entry->name.extra_count; i++) {
        mls_buffer_printf(&list, "%s%llu", i > 0 ? " " : "", (unsigned long long)entry->name.extra[i]);
    }
    csv->failed |= list.failed;
    mls_csv_str(csv, list.failed ? MLS_S("") : mls_buffer_str(&list));
    mls_buffer_clear(&list);
    for (size_t i = 0; i < entry->name.suffix_count; i++) {
        mls_buffer_append_text(&list, i > 0 ? " " : "");
        mls_buffer_append(&list, entry->name.suffixes[i]);
    }
    csv->failed |= list.failed;
    mls_csv_str(csv, list.failed ? MLS_S("") : mls_buffer_str(&list));
    mls_buffer_release(&list);
    mls_csv_number(csv, (double)entry->findings.counts.error);
    mls_csv_number(csv, (double)entry->findings.counts.warning);
    mls_csv_number(csv, (double)entry->findings.counts.advice);
    mls_csv_end_row(csv);
}

static void csv_exports(mls_csv *csv, const mls_config_entry *entry)
{
    size_t count = 0;
    const mls_shell_variable *exports = entry->script != NULL ? mls_shell_exports(entry->script, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        mls_csv_str(csv, entry->name.name);
        mls_csv_text(csv, entry->file);
        mls_csv_str(csv, exports[i].name);
        mls_csv_str(csv, exports[i].value);
        mls_csv_bool(csv, exports[i].known);
        mls_csv_text(csv, exports[i].path);
        mls_csv_number(csv, exports[i].line > 0 ? (double)exports[i].line : (double)NAN);
        mls_csv_end_row(csv);
    }
}

bool mls_report_config_csv(const mls_config_entry *entries, size_t count, bool exports, mls_output *output)
{
    mls_csv csv = {.output = output};
    mls_csv_header(&csv, exports ? "name file variable value known set_in line"
                                 : "name file system nodes gpus_per_node gpus gradient_accumulation batch_per_gpu "
                                   "tensor_parallel pipeline_parallel context_parallel expert_parallel data_parallel "
                                   "global_batch_size extra suffixes errors warnings advice");
    for (size_t i = 0; i < count; i++) {
        if (exports) {
            csv_exports(&csv, &entries[i]);
        } else {
            csv_config(&csv, &entries[i]);
        }
    }
    return !csv.failed;
}

static cJSON *json_exports(mls_json *json, const mls_shell *script)
{
    cJSON *object = mls_json_object(json);
    size_t count = 0;
    const mls_shell_variable *exports = script != NULL ? mls_shell_exports(script, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        mls_buffer name = {0};
        mls_buffer_append(&name, exports[i].name);
        if (name.failed) {
            json->failed = true;
        } else if (exports[i].known) {
            mls_json_put_str(json, object, name.ptr, exports[i].value);
        } else {
            mls_json_put_null(json, object, name.ptr);
        }
        mls_buffer_release(&name);
    }
    return object;
}

static cJSON *json_config(mls_json *json, const mls_config_entry *entry, bool exports)
{
    double numbers[NUMBER_COUNT];
    list_numbers(entry, numbers);
    cJSON *object = mls_json_object(json);
    mls_json_put_str(json, object, "name", entry->name.name);
    mls_json_put_text(json, object, "file", entry->file);
    if (entry->name.system.len > 0) {
        mls_json_put_str(json, object, "system", entry->name.system);
    } else {
        mls_json_put_null(json, object, "system");
    }
    for (size_t i = 0; i < NUMBER_COUNT; i++) {
        mls_json_put_number(json, object, number_names[i], numbers[i]);
    }
    cJSON *extra = mls_json_array(json);
    for (size_t i = 0; i < entry->name.extra_count; i++) {
        mls_json_append_number(json, extra, (double)entry->name.extra[i]);
    }
    mls_json_put(json, object, "extra", extra);
    cJSON *suffixes = mls_json_array(json);
    for (size_t i = 0; i < entry->name.suffix_count; i++) {
        mls_json_append_text(json, suffixes, entry->name.suffixes[i]);
    }
    mls_json_put(json, object, "suffixes", suffixes);
    if (exports) {
        mls_json_put(json, object, "exports", json_exports(json, entry->script));
    }
    cJSON *findings = mls_json_array(json);
    for (size_t i = 0; i < entry->findings.count; i++) {
        mls_json_append(json, findings, mls_json_finding(json, &entry->findings.items[i], entry->file));
    }
    mls_json_put(json, object, "findings", findings);
    return object;
}

bool mls_report_config_json(const mls_config_entry *entries, size_t count, bool exports, mls_output *output)
{
    mls_json json = {false};
    cJSON *all = mls_json_object(&json);
    cJSON *configs = mls_json_array(&json);
    for (size_t i = 0; i < count; i++) {
        mls_json_append(&json, configs, json_config(&json, &entries[i], exports));
    }
    mls_json_put(&json, all, "configs", configs);
    mls_json_print(&json, all, true, output);
    return !json.failed;
}
