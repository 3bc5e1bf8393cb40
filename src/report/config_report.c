/* SPDX-License-Identifier: Apache-2.0 */
#include "report/config_report.h"

#include <inttypes.h>

#include "base/utf8.h"
#include "report/table.h"

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
    mls_output *output;
    size_t width;
    size_t column;
    size_t indent;
    bool failed;
} folded_line;

static void fold_word(folded_line *line, const char *separator, mls_str word)
{
    mls_buffer text = {0};
    mls_escape_append(&text, word);
    const size_t columns = mls_display_width(mls_buffer_str(&text));
    const size_t gap = mls_str_from(separator).len;
    if (line->width > 0 && line->column > line->indent && line->column + gap + columns > line->width) {
        mls_output_text(line->output, "\n");
        for (size_t i = 0; i < line->indent; i++) {
            mls_output_text(line->output, " ");
        }
        line->column = line->indent;
    } else {
        mls_output_text(line->output, separator);
        line->column += gap;
    }
    mls_output_write(line->output, mls_buffer_str(&text));
    line->column += columns;
    line->failed |= text.failed;
    mls_buffer_release(&text);
}

static void fold_buffer(folded_line *line, const char *separator, mls_buffer *word)
{
    line->failed |= word->failed;
    fold_word(line, separator, word->failed ? MLS_S("") : mls_buffer_str(word));
    mls_buffer_release(word);
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

static bool print_shape(const mls_config_entry *entry, mls_config_style style, mls_output *output)
{
    const mls_config_name *name = &entry->name;
    folded_line line = {.output = output, .width = style.width, .indent = 4};
    mls_style_begin(output, MLS_STYLE_BOLD, style.color);
    fold_word(&line, "", name->system.len > 0 && name->kind != MLS_CONFIG_KIND_NONE ? name->system : name->name);
    mls_style_end(output, MLS_STYLE_BOLD, style.color);
    if (name->kind == MLS_CONFIG_KIND_NONE) {
        fold_word(&line, "   ", MLS_S("no shape in the name"));
    } else {
        print_nodes(&line, name);
        print_degrees(&line, name);
        print_rest(&line, entry);
    }
    mls_output_text(output, "\n");
    return !line.failed;
}

static void append_setting(mls_buffer *word, const mls_shell_variable *variable)
{
    mls_buffer_append(word, variable->name);
    mls_buffer_append_text(word, variable->known ? "=" : " unknown");
    mls_buffer_append(word, variable->value);
}

static bool print_agreeing(const mls_config_entry *entry, mls_config_style style, mls_output *output)
{
    const mls_config_summary *summary = &entry->summary;
    if (summary->agreeing_count == 0) {
        return true;
    }
    folded_line line = {.output = output, .width = style.width, .indent = 6};
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
    mls_output_text(output, "\n");
    return !line.failed;
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
static bool print_settings(const mls_config_entry *entry, mls_config_style style, mls_output *output)
{
    folded_line line = {.output = output, .width = style.width, .indent = 6};
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
    mls_output_text(output, line.column > 0 ? "\n" : "");
    return !line.failed;
}

static bool print_finding(const mls_config_entry *entry, const mls_finding *finding, mls_config_style style,
                          mls_output *output)
{
    const char *path = finding->path != NULL ? finding->path : entry->file;
    const mls_style colour = finding->severity == MLS_SEVERITY_ERROR     ? MLS_STYLE_BAD
                             : finding->severity == MLS_SEVERITY_WARNING ? MLS_STYLE_WARN
                                                                         : MLS_STYLE_DIM;
    if (!style.advice && finding->severity == MLS_SEVERITY_ADVICE) {
        return true;
    }
    mls_buffer line = {0};
    mls_escape_append(&line, path != NULL ? mls_str_from(path) : entry->name.name);
    if (finding->line > 0) {
        mls_buffer_printf(&line, ":%zu", finding->line);
    }
    mls_buffer_printf(&line, ": %s%s%s  [%s]",
                      finding->severity == MLS_SEVERITY_ERROR ? "" : mls_severity_name(finding->severity),
                      finding->severity == MLS_SEVERITY_ERROR ? "" : ": ", finding->message,
                      mls_finding_info_get(finding->code)->name);
    mls_output_text(output, "  ");
    mls_style_begin(output, colour, style.color);
    mls_output_write(output, mls_buffer_str(&line));
    mls_style_end(output, colour, style.color);
    mls_output_text(output, "\n");
    const bool complete = !line.failed;
    mls_buffer_release(&line);
    return complete;
}

static bool print_findings(const mls_config_entry *entry, mls_config_style style, mls_output *output)
{
    bool complete = true;
    for (size_t i = 0; i < entry->findings.count && complete; i++) {
        complete = print_finding(entry, &entry->findings.items[i], style, output);
    }
    return complete;
}

bool mls_report_config_blocks(const mls_config_entry *entries, size_t count, mls_config_style style, mls_output *output)
{
    bool complete = true;
    for (size_t i = 0; i < count && complete; i++) {
        complete = print_shape(&entries[i], style, output);
        if (complete && entries[i].script != NULL) {
            complete = print_agreeing(&entries[i], style, output) && print_settings(&entries[i], style, output);
        }
        complete = complete && print_findings(&entries[i], style, output);
    }
    return complete;
}

bool mls_report_config_exports(const mls_config_entry *entries, size_t count, mls_output *output)
{
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        if (entries[i].script == NULL) {
            continue;
        }
        if (count > 1) {
            mls_output_text(output, first ? "# " : "\n# ");
            mls_output_escaped(output, mls_str_from(entries[i].file));
            mls_output_text(output, "\n");
        }
        first = false;
        size_t variables;
        const mls_shell_variable *exports = mls_shell_exports(entries[i].script, &variables);
        for (size_t k = 0; k < variables; k++) {
            mls_output_text(output, exports[k].known ? "" : "# ");
            mls_output_escaped(output, exports[k].name);
            mls_output_text(output, exports[k].known ? "=" : " cannot be known without running the script");
            mls_output_escaped(output, exports[k].value);
            mls_output_text(output, "\n");
        }
    }
    return true;
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
    const mls_findings *findings = &entry->findings;
    (void)mls_table_row(table);
    const mls_str shown = entry->file != NULL ? mls_str_from(entry->file) : name->name;
    mls_table_cell(table, COLUMN_NAME, MLS_STYLE_PLAIN, "%.*s", (int)shown.len, shown.ptr);
    for (size_t i = COLUMN_NODES; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i] != 0) {
            mls_table_cell(table, i, MLS_STYLE_PLAIN, "%" PRIu64, numbers[i]);
        } else {
            mls_table_cell(table, i, MLS_STYLE_DIM, "-");
        }
    }
    if (findings->counts.error > 0) {
        mls_table_note(table, MLS_STYLE_BAD, "%zu error%s", findings->counts.error,
                       findings->counts.error == 1 ? "" : "s");
    } else if (findings->counts.warning > 0) {
        mls_table_note(table, MLS_STYLE_WARN, "%zu warning%s", findings->counts.warning,
                       findings->counts.warning == 1 ? "" : "s");
    }
}

bool mls_report_config_table(const mls_config_entry *entries, size_t count, mls_config_style style, mls_output *output)
{
    mls_table table;
    mls_table_init(&table, columns, sizeof columns / sizeof columns[0], 0);
    size_t listed = 0;
    size_t advice = 0;
    for (size_t i = 0; i < count; i++) {
        fill_row(&table, &entries[i]);
        listed += entries[i].findings.counts.error + entries[i].findings.counts.warning;
        advice += entries[i].findings.counts.advice;
    }
    mls_table_print(&table, output, style.width, style.color);
    bool complete = !table.failed;
    mls_table_release(&table);
    mls_output_text(output, listed > 0 || advice > 0 ? "\n" : "");
    for (size_t i = 0; i < count && complete; i++) {
        complete = print_findings(&entries[i], style, output);
    }
    if (advice > 0 && !style.advice) {
        mls_output_printf(output, "%zu advice (-v lists %s)\n", advice, advice == 1 ? "it" : "them");
    }
    return complete;
}
