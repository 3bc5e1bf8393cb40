/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_data.c - the fields of configs and of what their scripts export.
 */
#include <math.h>

#include "report/reports.h"

static void emit_exports(mls_emitter *to, const mls_shell *script)
{
    size_t count = 0;
    const mls_shell_variable *exports = script != NULL ? mls_shell_exports(script, &count) : NULL;
    mls_emit_open(to, '{');
    for (size_t i = 0; i < count; i++) {
        mls_emit_name(to, exports[i].name);
        if (exports[i].known) {
            mls_emit_str(to, exports[i].value);
        } else {
            mls_emit_null(to);
        }
    }
    mls_emit_close(to, '}');
}

static void emit_findings(mls_emitter *to, const mls_config_entry *entry)
{
    mls_found found = {0};
    mls_found_add(&found, &entry->findings, (mls_owner){.path = entry->file}, NULL);
    mls_emit_found(to, &found, true);
}

/* Numbers, or words, with blanks between them. */
static void emit_words(mls_emitter *to, const mls_config_name *name, bool numbers)
{
    mls_buffer list = {0};
    for (size_t i = 0; i < (numbers ? name->extra_count : name->suffix_count); i++) {
        mls_buffer_append_text(&list, i > 0 ? " " : "");
        if (numbers) {
            mls_buffer_printf(&list, "%llu", (unsigned long long)name->extra[i]);
        } else {
            mls_buffer_append(&list, name->suffixes[i]);
        }
    }
    mls_emit_str(to, mls_buffer_str(&list));
    mls_output_drop(to->output, &list);
}

typedef mls_config_entry config_row, config_csv_row;
/* 0 stands for a number that is not there. */
#define NUMBER(F, name, value) F(config, name, NUMBER_OR_NULL, 0, "", mls_field_unless_zero((double)(value)))
#define CONFIG_FIELDS(F)                                                                                               \
    F(config, name, STR, 0, "", row->name.name)                                                                        \
    F(config, file, TEXT_OR_NULL, 0, "", row->file)                                                                    \
    F(config, system, STR_OR_NULL, 0, "", row->name.system.len > 0 ? row->name.system : (mls_str){0})                  \
    NUMBER(F, nodes, row->name.nodes)                                                                                  \
    NUMBER(F, gpus_per_node, row->name.gpus_per_node)                                                                  \
    NUMBER(F, gpus, row->name.gpus)                                                                                    \
    NUMBER(F, gradient_accumulation, row->name.gradient_accumulation)                                                  \
    NUMBER(F, batch_per_gpu, row->name.batch_per_gpu)                                                                  \
    NUMBER(F, tensor_parallel, row->name.tensor_parallel)                                                              \
    NUMBER(F, pipeline_parallel, row->name.pipeline_parallel)                                                          \
    NUMBER(F, context_parallel, row->name.context_parallel)                                                            \
    NUMBER(F, expert_parallel, row->name.expert_parallel)                                                              \
    NUMBER(F, data_parallel, row->name.data_parallel)                                                                  \
    NUMBER(F, global_batch_size, row->summary.global_batch_size)                                                       \
    F(config, extra, ARRAY, 0, "",                                                                                     \
      MLS_EMIT_LIST(to, row->name.extra_count, mls_emit_number(to, (double)row->name.extra[i])))                       \
    F(config, suffixes, ARRAY, 0, "",                                                                                  \
      MLS_EMIT_LIST(to, row->name.suffix_count, mls_emit_str(to, row->name.suffixes[i])))                              \
    F(config, exports, OBJECT, MLS_FIELD_EXTRA, "", emit_exports(to, row->script))                                     \
    F(config, findings, ARRAY, 0, "", emit_findings(to, row))
MLS_FIELDS(config, "CONFIG JSON", CONFIG_FIELDS)

#define CONFIG_CSV_FIELDS(F)                                                                                           \
    F(config_csv, extra, WRITTEN, 0, "", emit_words(to, &row->name, true))                                             \
    F(config_csv, suffixes, WRITTEN, 0, "", emit_words(to, &row->name, false))                                         \
    F(config_csv, errors, NUMBER, 0, "", row->findings.counts.error)                                                   \
    F(config_csv, warnings, NUMBER, 0, "", row->findings.counts.warning)                                               \
    F(config_csv, advice, NUMBER, 0, "", row->findings.counts.advice)
MLS_FIELDS(config_csv, "", CONFIG_CSV_FIELDS)

const mls_columns mls_config_columns = {
    "CONFIG CSV",
    "name file system nodes gpus_per_node gpus gradient_accumulation batch_per_gpu tensor_parallel pipeline_parallel "
    "context_parallel expert_parallel data_parallel global_batch_size extra suffixes errors warnings advice",
    {&config_fields, &config_csv_fields},
    0};

/* A variable that a script exports. */
typedef mls_shell_variable export_row;
#define EXPORT_FIELDS(F)                                                                                               \
    F(export, variable, STR, 0, "", row->name)                                                                         \
    F(export, value, STR, 0, "", row->value)                                                                           \
    F(export, known, BOOL, 0, "", row->known)                                                                          \
    F(export, set_in, TEXT_OR_NULL, 0, "", row->path)                                                                  \
    F(export, line, NUMBER_OR_NULL, 0, "", mls_field_unless_zero((double)row->line))
MLS_FIELDS(export, "", EXPORT_FIELDS)

const mls_columns mls_config_exports = {
    "CONFIG EXPORTS CSV", "name file variable value known set_in line", {&config_fields, &export_fields}, 0};

typedef mls_config_list list_row;
#define LIST_FIELDS(F)                                                                                                 \
    F(list, configs, ARRAY, 0, "",                                                                                     \
      MLS_EMIT_LIST(to, row->count,                                                                                    \
                    (row->exports ? mls_emit_object_extra : mls_emit_object)(to, &config_fields, &row->items[i])))
MLS_FIELDS(list, "CONFIG JSON", LIST_FIELDS)
const mls_fields *const mls_config_tables[] = {&list_fields, &config_fields, NULL};

static void config_rows(mls_emitter *to, const void *what)
{
    const mls_config_list *list = what;
    for (size_t i = 0; i < list->count; i++) {
        mls_emit_row(to, &mls_config_columns, (const void *[MLS_SOURCES_MAX]){&list->items[i], &list->items[i]});
    }
}

static void export_rows(mls_emitter *to, const void *what)
{
    const mls_config_list *list = what;
    for (size_t i = 0; i < list->count; i++) {
        const mls_config_entry *entry = &list->items[i];
        size_t count = 0;
        const mls_shell_variable *exports = entry->script != NULL ? mls_shell_exports(entry->script, &count) : NULL;
        for (size_t k = 0; k < count; k++) {
            mls_emit_row(to, &mls_config_exports, (const void *[MLS_SOURCES_MAX]){entry, &exports[k]});
        }
    }
}

const mls_report mls_config_report = {.command = "config",
                                      .show = mls_config_show,
                                      .object = &list_fields,
                                      .columns = &mls_config_columns,
                                      .rows = config_rows};
const mls_report mls_config_exports_report = {.command = "config",
                                              .show = mls_config_show_exports,
                                              .object = &list_fields,
                                              .columns = &mls_config_exports,
                                              .rows = export_rows};
