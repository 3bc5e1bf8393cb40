/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_table.c - configs for a person: what the name says, what the text
 * says of it, and where the two disagree.
 */
#include "report/reports.h"

#include <inttypes.h>
#include <string.h>

#include "report/table.h"

enum { INDENT = 2, HANG = 4 };

/* What a person wants to know of a config beside its shape. */
static const char settings_that_matter[] =
    "DGXSYSTEM DGXNNODES DGXNGPU MINIBS BATCHSIZE TP TENSOR_MODEL_PARALLEL PP PIPELINE_MODEL_PARALLEL CP "
    "CONTEXT_PARALLEL MICRO_BATCH_SIZE LR MAX_STEPS SEGMENT WALLTIME_RUNANDTIME WALLTIME";

static bool has_parallel(const mls_config_name *name)
{
    return name->tensor_parallel != 0 || name->pipeline_parallel != 0 || name->context_parallel != 0;
}

static uint64_t or_one(uint64_t degree)
{
    return degree != 0 ? degree : 1;
}

static void append_number(mls_buffer *line, const char *label, uint64_t number)
{
    if (number != 0) {
        mls_buffer_printf(line, "%s %" PRIu64, label, number);
    }
}

static void append_degrees(mls_buffer *line, const mls_config_name *name)
{
    if (has_parallel(name)) {
        append_number(line, "   tensor", or_one(name->tensor_parallel));
        append_number(line, "  pipeline", or_one(name->pipeline_parallel));
        append_number(line, "  context", or_one(name->context_parallel));
    }
    append_number(line, "  expert", name->expert_parallel);
    append_number(line, "  virtual pipeline", name->virtual_pipeline);
    append_number(line, "  sequence", name->sequence_parallel);
    append_number(line, "  data", name->data_parallel);
}

static void append_shape(mls_buffer *line, const mls_config_entry *entry)
{
    const mls_config_name *name = &entry->name;
    mls_buffer_printf(line, "   %" PRIu64 " node%s", name->nodes, name->nodes == 1 ? "" : "s");
    if (name->gpus_per_node != 0) {
        mls_buffer_printf(line, " x %" PRIu64 " GPU%s = %" PRIu64, name->gpus_per_node,
                          name->gpus_per_node == 1 ? "" : "s", name->gpus);
    }
    append_degrees(line, name);
    append_number(line, "   accumulation", name->gradient_accumulation);
    append_number(line, "   batch per GPU", name->batch_per_gpu);
    append_number(line, "  micro batch", entry->summary.micro_batch_size > 1 ? entry->summary.micro_batch_size : 0);
    append_number(line, "   global batch", entry->summary.global_batch_size);
    for (size_t i = 0; i < name->extra_count; i++) {
        mls_buffer_printf(line, "%s%" PRIu64, i == 0 ? "   further numbers " : " ", name->extra[i]);
    }
    for (size_t i = 0; i < name->suffix_count; i++) {
        mls_buffer_append_text(line, i == 0 ? "   " : " ");
        mls_buffer_append(line, name->suffixes[i]);
    }
}

static void show_shape(mls_view *view, const mls_config_entry *entry)
{
    const mls_config_name *name = &entry->name;
    mls_buffer line = {0};
    if (name->kind == MLS_CONFIG_KIND_NONE) {
        mls_buffer_append_text(&line, "   no shape in the name");
    } else {
        append_shape(&line, entry);
    }
    mls_view_headline(view, name->system.len > 0 && name->kind != MLS_CONFIG_KIND_NONE ? name->system : name->name,
                      &line, HANG);
}

static void append_setting(mls_buffer *line, const mls_shell_variable *variable)
{
    mls_buffer_append(line, variable->name);
    mls_buffer_append_text(line, variable->known ? "=" : " unknown");
    mls_buffer_append(line, variable->value);
}

static void show_agreeing(mls_view *view, const mls_config_entry *entry)
{
    const mls_config_summary *summary = &entry->summary;
    mls_buffer line = {0};
    mls_buffer_append_text(&line, "text agrees:");
    for (size_t i = 0; i < summary->agreeing_count; i++) {
        mls_buffer_append_char(&line, ' ');
        append_setting(&line, summary->agreeing[i]);
    }
    for (size_t i = 0; i < summary->absent_count; i++) {
        mls_buffer_printf(&line, "%s%s", i == 0 ? " (" : ", ", summary->absent[i]);
    }
    mls_buffer_append_text(&line, summary->absent_count > 0 ? " not set: 1)" : "");
    if (summary->agreeing_count > 0) {
        const mls_wrap wrap = {view->width, INDENT, HANG + INDENT, " ", true};
        mls_output_text(view->output, "  ");
        mls_view_text(view, mls_buffer_str(&line), wrap, MLS_STYLE_PLAIN);
        mls_output_text(view->output, "\n");
    }
    mls_output_drop(view->output, &line);
}

static bool is_shown_already(const mls_config_entry *entry, const mls_shell_variable *variable)
{
    for (size_t i = 0; i < entry->summary.agreeing_count; i++) {
        if (entry->summary.agreeing[i] == variable) {
            return true;
        }
    }
    for (size_t i = 0; i < entry->findings.count; i++) {
        const mls_finding *finding = &entry->findings.items[i];
        if (finding->code == MLS_FINDING_CONFIG_DISAGREES && finding->key != NULL &&
            mls_str_equal(mls_str_from(finding->key), variable->name)) {
            return true;
        }
    }
    return false;
}

/* The settings that matter and that no other line shows. */
static void show_settings(mls_view *view, const mls_config_entry *entry)
{
    mls_buffer line = {0};
    for (const char *at = settings_that_matter; *at != '\0'; at += strspn(at, " ")) {
        const mls_str name = {at, strcspn(at, " ")};
        const mls_shell_variable *variable = mls_shell_find(entry->script, name);
        at += name.len;
        if (variable != NULL && !is_shown_already(entry, variable)) {
            mls_buffer_append_text(&line, line.len == 0 ? "text sets:" : "");
            mls_buffer_append_text(&line, variable->known ? " " : "  ");
            append_setting(&line, variable);
        }
    }
    if (line.len > 0 || line.failed) {
        mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG + INDENT);
    }
}

/* Advice about each file of a folder is too much; -v lists it. */
static bool advises(const mls_view *view, const mls_config_list *list)
{
    return !view->quiet && (!list->folders || view->verbose > 0);
}

static void show_findings(mls_view *view, const mls_config_entry *entry, bool advice)
{
    const mls_found_look look = {.indent = INDENT, .named = true, .whole = true};
    mls_found found = {0};
    mls_buffer name = {0};
    size_t lines = 0;
    mls_buffer_append(&name, entry->file != NULL ? mls_str_from(entry->file) : entry->name.name);
    for (size_t i = 0; i < entry->findings.count; i++) {
        if (advice || entry->findings.items[i].severity != MLS_SEVERITY_ADVICE) {
            mls_found_add_one(&found, &entry->findings.items[i], (mls_owner){.path = name.ptr}, NULL);
        }
    }
    (void)mls_found_show(view, &found, MLS_SEVERITY_ALL, look, &lines);
    mls_found_finish(&found, view->output);
    mls_output_drop(view->output, &name);
}

void mls_config_show_exports(mls_printer *to, const void *what)
{
    const mls_config_list *list = what;
    mls_output *output = to->view->output;
    bool first = true;
    for (size_t i = 0; i < list->count; i++) {
        const mls_config_entry *entry = &list->items[i];
        if (entry->script == NULL) {
            continue;
        }
        if (list->count > 1) {
            mls_output_text(output, first ? "# " : "\n# ");
            mls_output_escaped(output, mls_str_from(entry->file));
            mls_output_text(output, "\n");
        }
        first = false;
        size_t variables;
        const mls_shell_variable *exports = mls_shell_exports(entry->script, &variables);
        for (size_t k = 0; k < variables; k++) {
            mls_output_text(output, exports[k].known ? "" : "# ");
            mls_output_escaped(output, exports[k].name);
            mls_output_text(output, exports[k].known ? "=" : " cannot be known without running the script");
            mls_output_escaped(output, exports[k].value);
            mls_output_text(output, "\n");
        }
    }
}

/* ---- a row each ---- */

static const mls_column columns[] = {
    {"config", MLS_ALIGN_LEFT, true, true},   {"nodes", MLS_ALIGN_RIGHT, true, false},
    {"x", MLS_ALIGN_RIGHT, false, false},     {"GPUs", MLS_ALIGN_RIGHT, true, false},
    {"tp", MLS_ALIGN_RIGHT, false, false},    {"pp", MLS_ALIGN_RIGHT, false, false},
    {"cp", MLS_ALIGN_RIGHT, false, false},    {"data", MLS_ALIGN_RIGHT, false, false},
    {"accum", MLS_ALIGN_RIGHT, false, false}, {"per GPU", MLS_ALIGN_RIGHT, false, false},
    {"batch", MLS_ALIGN_RIGHT, false, false},
};

static void fill_row(mls_table *table, const mls_config_entry *entry)
{
    const mls_config_name *name = &entry->name;
    const mls_finding_counts *counts = &entry->findings.counts;
    const mls_str shown = entry->file != NULL ? mls_str_from(entry->file) : name->name;
    const bool parallel = has_parallel(name);
    const uint64_t numbers[] = {name->nodes,
                                name->gpus_per_node,
                                name->gpus,
                                parallel ? or_one(name->tensor_parallel) : 0,
                                parallel ? or_one(name->pipeline_parallel) : 0,
                                parallel ? or_one(name->context_parallel) : 0,
                                name->data_parallel,
                                name->gradient_accumulation,
                                name->batch_per_gpu,
                                entry->summary.global_batch_size};
    mls_table_row(table);
    mls_table_cell(table, 0, MLS_STYLE_PLAIN, "%.*s", (int)shown.len, shown.ptr);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        mls_table_cell(table, i + 1, numbers[i] != 0 ? MLS_STYLE_PLAIN : MLS_STYLE_DIM,
                       numbers[i] != 0 ? "%" PRIu64 : "-", numbers[i]);
    }
    if (counts->error > 0) {
        mls_table_cell(table, MLS_TABLE_NOTE, MLS_STYLE_BAD, "%zu error%s", counts->error,
                       counts->error == 1 ? "" : "s");
    } else if (counts->warning > 0) {
        mls_table_cell(table, MLS_TABLE_NOTE, MLS_STYLE_WARN, "%zu warning%s", counts->warning,
                       counts->warning == 1 ? "" : "s");
    }
}

/* A row for each config, findings below. */
static void show_table(mls_view *view, const mls_config_list *list)
{
    mls_table table;
    size_t listed = 0;
    size_t advice = 0;
    mls_table_init(&table, columns, sizeof columns / sizeof columns[0], 0);
    for (size_t i = 0; i < list->count; i++) {
        const mls_finding_counts *counts = &list->items[i].findings.counts;
        fill_row(&table, &list->items[i]);
        listed += counts->error + counts->warning;
        advice += counts->advice;
    }
    mls_table_finish(&table, view);
    mls_output_text(view->output, listed > 0 || advice > 0 ? "\n" : "");
    for (size_t i = 0; i < list->count; i++) {
        show_findings(view, &list->items[i], advises(view, list));
    }
    if (advice > 0 && !advises(view, list)) {
        mls_output_printf(view->output, "%zu advice (-v lists %s)\n", advice, advice == 1 ? "it" : "them");
    }
}

void mls_config_show(mls_printer *to, const void *what)
{
    const mls_config_list *list = what;
    if (list->folders) {
        show_table(to->view, list);
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        show_shape(to->view, &list->items[i]);
        if (list->items[i].script != NULL) {
            show_agreeing(to->view, &list->items[i]);
            show_settings(to->view, &list->items[i]);
        }
        show_findings(to->view, &list->items[i], advises(to->view, list));
    }
}
