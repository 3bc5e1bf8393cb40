/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_table.c - configs for a person: what the name says, what the text
 * says of it, and where the two disagree.
 */
#include "report/config_report.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "report/findings.h"
#include "report/table.h"
#include "report/words.h"

/* What a person wants to know of a config beside its shape. */
static const char *const settings_that_matter[] = {"DGXSYSTEM",
                                                   "DGXNNODES",
                                                   "DGXNGPU",
                                                   "MINIBS",
                                                   "BATCHSIZE",
                                                   "TP",
                                                   "TENSOR_MODEL_PARALLEL",
                                                   "PP",
                                                   "PIPELINE_MODEL_PARALLEL",
                                                   "CP",
                                                   "CONTEXT_PARALLEL",
                                                   "MICRO_BATCH_SIZE",
                                                   "LR",
                                                   "MAX_STEPS",
                                                   "SEGMENT",
                                                   "WALLTIME_RUNANDTIME",
                                                   "WALLTIME"};

/* A line that goes on below itself when the terminal is too narrow. */
typedef struct folded_line {
    mls_view *view;
    size_t column;
    size_t indent;
} folded_line;

static void fold_word(folded_line *line, const char *separator, mls_str word)
{
    mls_buffer text = {0};
    mls_escape_append(&text, word);
    const size_t columns = mls_display_width(mls_buffer_str(&text));
    const size_t gap = strlen(separator);
    if (line->view->width > 0 && line->column > line->indent && line->column + gap + columns > line->view->width) {
        mls_output_printf(line->view->output, "\n%*s", (int)line->indent, "");
        line->column = line->indent;
    } else {
        mls_output_text(line->view->output, separator);
        line->column += gap;
    }
    mls_output_buffer(line->view->output, &text);
    line->column += columns;
}

static void fold_buffer(folded_line *line, const char *separator, mls_buffer *word)
{
    fold_word(line, separator, mls_buffer_str(word));
    mls_buffer_clear(word);
    mls_output_buffer(line->view->output, word);
}

static void fold_number(folded_line *line, const char *separator, const char *label, uint64_t number)
{
    mls_buffer word = {0};
    mls_buffer_printf(&word, "%s %" PRIu64, label, number);
    fold_buffer(line, separator, &word);
}

static bool has_parallel(const mls_config_name *name)
{
    return name->tensor_parallel != 0 || name->pipeline_parallel != 0 || name->context_parallel != 0;
}

static uint64_t or_one(uint64_t degree)
{
    return degree != 0 ? degree : 1;
}

static void print_nodes(folded_line *line, const mls_config_name *name)
{
    mls_buffer word = {0};
    if (name->gpus_per_node != 0) {
        mls_buffer_printf(&word, "%" PRIu64 " node%s x %" PRIu64 " GPU%s = %" PRIu64, name->nodes,
                          name->nodes == 1 ? "" : "s", name->gpus_per_node, name->gpus_per_node == 1 ? "" : "s",
                          name->gpus);
    } else {
        mls_buffer_printf(&word, "%" PRIu64 " node%s", name->nodes, name->nodes == 1 ? "" : "s");
    }
    fold_buffer(line, "   ", &word);
}

static void print_degrees(folded_line *line, const mls_config_name *name)
{
    if (has_parallel(name)) {
        fold_number(line, "   ", "tensor", or_one(name->tensor_parallel));
        fold_number(line, "  ", "pipeline", or_one(name->pipeline_parallel));
        fold_number(line, "  ", "context", or_one(name->context_parallel));
    }
    const struct {
        const char *label;
        uint64_t number;
    } others[] = {{"expert", name->expert_parallel},
                  {"virtual pipeline", name->virtual_pipeline},
                  {"sequence", name->sequence_parallel},
                  {"data", name->data_parallel}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i].number != 0) {
            fold_number(line, "  ", others[i].label, others[i].number);
        }
    }
}

static void print_rest(folded_line *line, const mls_config_entry *entry)
{
    const mls_config_name *name = &entry->name;
    if (name->gradient_accumulation != 0) {
        fold_number(line, "   ", "accumulation", name->gradient_accumulation);
    }
    if (name->batch_per_gpu != 0) {
        fold_number(line, "   ", "batch per GPU", name->batch_per_gpu);
    }
    if (entry->summary.micro_batch_size > 1) {
        fold_number(line, "  ", "micro batch", entry->summary.micro_batch_size);
    }
    if (entry->summary.global_batch_size != 0) {
        fold_number(line, "   ", "global batch", entry->summary.global_batch_size);
    }
    mls_buffer words = {0};
    for (size_t i = 0; i < name->extra_count; i++) {
        mls_buffer_printf(&words, "%s%" PRIu64, i == 0 ? "further numbers " : " ", name->extra[i]);
    }
    if (words.len > 0 || words.failed) {
        fold_buffer(line, "   ", &words);
    }
    for (size_t i = 0; i < name->suffix_count; i++) {
        fold_word(line, i == 0 ? "   " : " ", name->suffixes[i]);
    }
}

static void print_shape(mls_view *view, const mls_config_entry *entry)
{
    const mls_config_name *name = &entry->name;
    folded_line line = {.view = view, .indent = 4};
    mls_style_begin(view->output, MLS_STYLE_BOLD, view->color);
    fold_word(&line, "", name->system.len > 0 && name->kind != MLS_CONFIG_KIND_NONE ? name->system : name->name);
    mls_style_end(view->output, MLS_STYLE_BOLD, view->color);
    if (name->kind == MLS_CONFIG_KIND_NONE) {
        fold_word(&line, "   ", MLS_S("no shape in the name"));
    } else {
        print_nodes(&line, name);
        print_degrees(&line, name);
        print_rest(&line, entry);
    }
    mls_output_text(view->output, "\n");
}

static void append_setting(mls_buffer *word, const mls_shell_variable *variable)
{
    mls_buffer_append(word, variable->name);
    mls_buffer_append_text(word, variable->known ? "=" : " unknown");
    mls_buffer_append(word, variable->value);
}

static void print_agreeing(mls_view *view, const mls_config_entry *entry)
{
    const mls_config_summary *summary = &entry->summary;
    if (summary->agreeing_count == 0) {
        return;
    }
    folded_line line = {.view = view, .indent = 6};
    fold_word(&line, "  ", MLS_S("text agrees:"));
    for (size_t i = 0; i < summary->agreeing_count; i++) {
        mls_buffer word = {0};
        append_setting(&word, summary->agreeing[i]);
        fold_buffer(&line, " ", &word);
    }
    mls_buffer absent = {0};
    for (size_t i = 0; i < summary->absent_count; i++) {
        mls_buffer_printf(&absent, "%s%s", i == 0 ? "(" : ", ", summary->absent[i]);
    }
    if (summary->absent_count > 0) {
        mls_buffer_append_text(&absent, " not set: 1)");
        fold_buffer(&line, " ", &absent);
    }
    mls_output_text(view->output, "\n");
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
static void print_settings(mls_view *view, const mls_config_entry *entry)
{
    folded_line line = {.view = view, .indent = 6};
    for (size_t i = 0; i < sizeof settings_that_matter / sizeof *settings_that_matter; i++) {
        const mls_shell_variable *variable = mls_shell_find(entry->script, mls_str_from(settings_that_matter[i]));
        if (variable == NULL || is_shown_already(entry, variable)) {
            continue;
        }
        if (line.column == 0) {
            fold_word(&line, "  ", MLS_S("text sets:"));
        }
        mls_buffer word = {0};
        append_setting(&word, variable);
        fold_buffer(&line, variable->known ? " " : "  ", &word);
    }
    mls_output_text(view->output, line.column > 0 ? "\n" : "");
}

/* Advice about each file of a folder is too much; -v lists it. */
static bool advises(const mls_view *view, const mls_config_list *list)
{
    return !view->quiet && (!list->folders || view->verbose > 0);
}

static void print_findings(mls_view *view, const mls_config_entry *entry, bool advice)
{
    const mls_found_look look = {.indent = 2, .named = true, .whole = true};
    mls_found found = {0};
    mls_buffer name = {0};
    size_t lines = 0;
    mls_buffer_append(&name, entry->file != NULL ? mls_str_from(entry->file) : entry->name.name);
    mls_found_add(&found, &entry->findings, (mls_owner){.path = name.ptr}, NULL);
    for (size_t i = 0; i < found.count && !advice; i++) {
        if (found.items[i].finding.severity == MLS_SEVERITY_ADVICE) {
            memmove(&found.items[i], &found.items[i + 1], (--found.count - i) * sizeof *found.items);
            i--;
        }
    }
    (void)mls_found_show(view, &found, MLS_SEVERITY_ALL, look, &lines);
    mls_found_finish(&found, view->output);
    mls_buffer_release(&name);
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

enum {
    COLUMN_NAME,
    COLUMN_NODES,
    COLUMN_PER_NODE,
    COLUMN_GPUS,
    COLUMN_TENSOR,
    COLUMN_PIPELINE,
    COLUMN_CONTEXT,
    COLUMN_DATA,
    COLUMN_ACCUMULATION,
    COLUMN_PER_GPU,
    COLUMN_GLOBAL
};

static const mls_column columns[] = {
    [COLUMN_NAME] = {"config", MLS_ALIGN_LEFT, true, true},
    [COLUMN_NODES] = {"nodes", MLS_ALIGN_RIGHT, true, false},
    [COLUMN_PER_NODE] = {"x", MLS_ALIGN_RIGHT, false, false},
    [COLUMN_GPUS] = {"GPUs", MLS_ALIGN_RIGHT, true, false},
    [COLUMN_TENSOR] = {"tp", MLS_ALIGN_RIGHT, false, false},
    [COLUMN_PIPELINE] = {"pp", MLS_ALIGN_RIGHT, false, false},
    [COLUMN_CONTEXT] = {"cp", MLS_ALIGN_RIGHT, false, false},
    [COLUMN_DATA] = {"data", MLS_ALIGN_RIGHT, false, false},
    [COLUMN_ACCUMULATION] = {"accum", MLS_ALIGN_RIGHT, false, false},
    [COLUMN_PER_GPU] = {"per GPU", MLS_ALIGN_RIGHT, false, false},
    [COLUMN_GLOBAL] = {"batch", MLS_ALIGN_RIGHT, false, false},
};

static void fill_row(mls_table *table, const mls_config_entry *entry)
{
    const mls_config_name *name = &entry->name;
    const bool parallel = has_parallel(name);
    const uint64_t numbers[] = {[COLUMN_NODES] = name->nodes,
                                [COLUMN_PER_NODE] = name->gpus_per_node,
                                [COLUMN_GPUS] = name->gpus,
                                [COLUMN_TENSOR] = parallel ? or_one(name->tensor_parallel) : 0,
                                [COLUMN_PIPELINE] = parallel ? or_one(name->pipeline_parallel) : 0,
                                [COLUMN_CONTEXT] = parallel ? or_one(name->context_parallel) : 0,
                                [COLUMN_DATA] = name->data_parallel,
                                [COLUMN_ACCUMULATION] = name->gradient_accumulation,
                                [COLUMN_PER_GPU] = name->batch_per_gpu,
                                [COLUMN_GLOBAL] = entry->summary.global_batch_size};
    const mls_finding_counts *counts = &entry->findings.counts;
    (void)mls_table_row(table);
    const mls_str shown = entry->file != NULL ? mls_str_from(entry->file) : entry->name.name;
    mls_table_cell(table, COLUMN_NAME, MLS_STYLE_PLAIN, "%.*s", (int)shown.len, shown.ptr);
    for (size_t i = COLUMN_NODES; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i] != 0) {
            mls_table_cell(table, i, MLS_STYLE_PLAIN, "%" PRIu64, numbers[i]);
        } else {
            mls_table_cell(table, i, MLS_STYLE_DIM, "-");
        }
    }
    if (counts->error > 0) {
        mls_table_note(table, MLS_STYLE_BAD, "%zu error%s", counts->error, counts->error == 1 ? "" : "s");
    } else if (counts->warning > 0) {
        mls_table_note(table, MLS_STYLE_WARN, "%zu warning%s", counts->warning, counts->warning == 1 ? "" : "s");
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
        print_findings(view, &list->items[i], advises(view, list));
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
        print_shape(to->view, &list->items[i]);
        if (list->items[i].script != NULL) {
            print_agreeing(to->view, &list->items[i]);
            print_settings(to->view, &list->items[i]);
        }
        print_findings(to->view, &list->items[i], advises(to->view, list));
    }
}
