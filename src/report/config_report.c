/* SPDX-License-Identifier: Apache-2.0 */
/* config_report.c - the reports of configs: the shape that the file name encodes, the settings in the script,
 * differences between the name and the script, and the settings that a job printed; and a table of configs side by
 * side, with a row for each key that differs or may differ. */
#include <inttypes.h>

#include "base/utf8.h"
#include "base/words.h"
#include "report/reports.h"
#include "term/table.h"

enum { INDENT = 2, HANG = 4 };

static void show_printed(mls_view *view, mls_str title, size_t run_line, const mls_printed *printed,
                         const mls_known_settings *known)
{
    mls_buffer head = {0};
    mls_str values[MLS_KNOWN_SETTINGS_MAX];
    const size_t shown = mls_known_values(known, printed, values);
    if (printed->settings.count == 0) {
        mls_buffer_append_text(&head, "   no printed settings");
    } else {
        mls_buffer_printf(&head, "   %s printed",
                          mls_words_plural(printed->settings.count, "setting", "settings").text);
    }
    if (run_line != 0)
        mls_buffer_printf(&head, " before the run_start in line %s", mls_words_count((double)run_line).text);
    mls_view_headline(view, title, &head, HANG);
    /* Print a line for each group of known settings.  Settings of the same group are adjacent in the list. */
    mls_buffer line = {0};
    for (size_t i = 0; i < known->count; i++) {
        const char *group = known->items[i].group;
        if (values[i].ptr != NULL) {
            mls_buffer_printf(&line, "%s%s%s=", line.len == 0 ? group : "", line.len == 0 ? ": " : "  ",
                              known->items[i].name);
            mls_buffer_append(&line, values[i]);
        }
        if (line.len > 0 && (i + 1 == known->count || strcmp(known->items[i + 1].group, group) != 0))
            mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG + INDENT);
    }
    mls_view_more(view, MLS_STYLE_DIM, INDENT, printed->settings.count - shown, "setting", "--exports lists them");
    if (printed->lost > 0) {
        mls_view_printf(view, MLS_STYLE_WARN, INDENT, HANG, "%s beyond what is kept of a run",
                        mls_words_plural(printed->lost, "setting", "settings").text);
    }
}

/* The settings of a script that are shown in addition to its shape. */
static const char settings_that_matter[] =
    "DGXSYSTEM DGXNNODES DGXNGPU MINIBS BATCHSIZE TP TENSOR_MODEL_PARALLEL PP PIPELINE_MODEL_PARALLEL CP "
    "CONTEXT_PARALLEL MICRO_BATCH_SIZE MBS PRIMUS_MICRO_BATCH_SIZE EP EXPERT_PARALLEL GBS GLOBAL_BATCH_SIZE LR "
    "MAX_STEPS SEGMENT "
    "WALLTIME_RUNANDTIME WALLTIME";

/* Return a degree of parallelism.  A degree that the name omits is 1 if the name contains other degrees; otherwise it
 * is unknown (0). */
static uint64_t degree_of(const mls_config_name *name, uint64_t degree)
{
    return degree == 0 && mls_config_has_degrees(name) ? 1 : degree;
}

/* Return whether a number is only in the script and not in the name. */
static bool is_from_text(const mls_config_name *name, size_t part)
{
    return (name->from_text & 1U << part) != 0;
}

static const char *mark_of(const mls_config_name *name, mls_config_part part)
{
    return is_from_text(name, part) ? "*" : "";
}

static const char mark_meaning[] = "* from the contents of the file, not from its name";

static void append_words(mls_buffer *line, const char *before, const mls_config_name *name, bool numbers)
{
    for (size_t i = 0; numbers && i < name->extra_count; i++)
        mls_buffer_printf(line, "%s%" PRIu64, i == 0 ? before : " ", name->extra[i]);
    for (size_t i = 0; !numbers && i < name->suffix_count; i++) {
        mls_buffer_append_text(line, i == 0 ? before : " ");
        mls_buffer_append(line, name->suffixes[i]);
    }
}

static void append_shape(mls_buffer *line, const mls_config_entry *entry)
{
    const mls_config_name *name = &entry->name;
    const mls_config_part of_name = MLS_CONFIG_PART_COUNT;
    const struct {
        const char *label;
        uint64_t number; /* 0: unknown */
        mls_config_part part;
    } parts[] = {{"   tensor", degree_of(name, name->tensor_parallel), MLS_CONFIG_PART_TP},
                 {"  pipeline", degree_of(name, name->pipeline_parallel), MLS_CONFIG_PART_PP},
                 {"  context", degree_of(name, name->context_parallel), MLS_CONFIG_PART_CP},
                 {"  expert", name->expert_parallel, MLS_CONFIG_PART_EP},
                 {"  expert tensor", name->expert_tensor_parallel, of_name},
                 {"  virtual pipeline", name->virtual_pipeline, MLS_CONFIG_PART_VP},
                 {"  sequence", name->sequence_parallel, of_name},
                 {"  data", name->data_parallel, MLS_CONFIG_PART_DATA_PARALLEL},
                 {"   batch per rank", name->batch_per_rank, MLS_CONFIG_PART_BATCH_PER_RANK},
                 {"   batch per GPU", name->batch_per_gpu, MLS_CONFIG_PART_BATCH_PER_GPU},
                 {"  micro batch", entry->summary.micro_batch_size, of_name},
                 {"  accumulation", entry->summary.gradient_accumulation, of_name},
                 {"   global batch", entry->summary.global_batch_size, of_name}};
    if (name->nodes != 0) {
        mls_buffer_printf(line, "   %s%s", mls_words_plural(name->nodes, "node", "nodes").text,
                          mark_of(name, MLS_CONFIG_PART_NODES));
    }
    if (name->gpus_per_node != 0) {
        mls_buffer_printf(line, "%s%s%s", name->nodes != 0 ? " x " : "   ",
                          mls_words_plural(name->gpus_per_node, "GPU", "GPUs").text,
                          mark_of(name, MLS_CONFIG_PART_GPUS_PER_NODE));
    }
    if (name->gpus != 0)
        mls_buffer_printf(line, " = %" PRIu64 "%s", name->gpus, mark_of(name, MLS_CONFIG_PART_GPUS));
    else if (name->nodes == 0 && name->gpus_per_node != 0)
        mls_buffer_append_text(line, " a node");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].number != 0)
            mls_buffer_printf(line, "%s %" PRIu64 "%s", parts[i].label, parts[i].number, mark_of(name, parts[i].part));
    append_words(line, "   further numbers ", name, true);
    if (name->kind != MLS_CONFIG_KIND_NONE)
        append_words(line, "   ", name, false);
}

static void append_setting(mls_buffer *line, const char *before, const mls_shell_variable *variable)
{
    mls_buffer_append_text(line, before);
    mls_buffer_append(line, variable->name);
    mls_buffer_append_text(line, variable->known ? "=" : " unknown");
    mls_buffer_append(line, variable->value);
}

static const char name_only[] = "name only: the file does not exist";

static void show_entry(mls_view *view, const mls_config_entry *entry)
{
    const mls_config_name *name = &entry->name;
    const mls_config_summary *summary = &entry->summary;
    const mls_pipeline_layout *layout = &summary->layout;
    const bool shaped = name->kind != MLS_CONFIG_KIND_NONE;
    mls_buffer line = {0};
    mls_buffer_append_text(&line, shaped ? "" : "   no shape in the name");
    if (shaped || name->from_text != 0)
        append_shape(&line, entry);
    mls_view_headline(view, shaped && name->system.len > 0 ? name->system : name->name, &line, HANG);
    if (name->from_text != 0)
        mls_view_printf(view, MLS_STYLE_DIM, INDENT, HANG + INDENT, "%s", mark_meaning);
    if (entry->missing)
        mls_view_printf(view, MLS_STYLE_WARN, INDENT, HANG + INDENT, "%s", name_only);
    /* Show the settings of the script that agree with the name, then the other important settings that are not in a
     * finding. */
    for (size_t i = 0; entry->script != NULL && i < summary->agreeing_count; i++)
        append_setting(&line, i == 0 ? "text agrees: " : " ", summary->agreeing[i]);
    for (size_t i = 0; i < summary->absent_count && line.len > 0; i++) {
        const bool last = i + 1 == summary->absent_count;
        mls_buffer_printf(&line, "%s%s%s", i == 0 ? " (" : ", ", summary->absent[i], last ? " not set: 1)" : "");
    }
    if (line.len > 0)
        mls_view_item(view, &line, (mls_wrap){view->width, INDENT, HANG + INDENT, " ", true}, MLS_STYLE_PLAIN);
    mls_str names = entry->script != NULL ? mls_str_from(settings_that_matter) : MLS_S("");
    for (mls_str key = mls_str_word(&names); key.len > 0; key = mls_str_word(&names)) {
        const mls_shell_variable *variable = mls_shell_find(entry->script, key);
        bool shown = variable == NULL;
        for (size_t i = 0; i < summary->agreeing_count; i++)
            shown |= summary->agreeing[i] == variable;
        for (size_t i = 0; i < entry->findings.count && !shown; i++) {
            const mls_finding *finding = &entry->findings.items[i];
            shown = finding->code == MLS_FINDING_CONFIG_DISAGREES && finding->key != NULL &&
                    mls_str_equal(mls_str_from(finding->key), variable->name);
        }
        if (!shown) {
            mls_buffer_append_text(&line, line.len == 0 ? "text sets:" : "");
            append_setting(&line, variable->known ? " " : "  ", variable);
        }
    }
    if (line.len > 0)
        mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG + INDENT);
    if (layout->count > 0) { /* "16 chunks, 61 layers: 15 x 4, 1; 1 more predicts", in the order of the chunks */
        mls_buffer_printf(&line, "pipeline layout: %zu chunks, %" PRIu64 " layers:", layout->count, layout->layers);
        for (size_t i = 0, next; i < layout->count; i = next) {
            next = i + 1;
            while (next < layout->count && layout->chunks[next].layers == layout->chunks[i].layers)
                next++;
            mls_buffer_append_text(&line, i > 0 ? ", " : " ");
            if (next - i > 1)
                mls_buffer_printf(&line, "%zu x ", next - i);
            mls_buffer_printf(&line, "%" PRIu32, layout->chunks[i].layers);
        }
        if (layout->predictors > 0)
            mls_buffer_printf(&line, "; %" PRIu64 " more predict%s", layout->predictors,
                              layout->predictors == 1 ? "s" : "");
        mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG + INDENT);
    }
    if (entry->memory != NULL)
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG + INDENT, "memory: %s", entry->memory);
}

static void add_entry_row(mls_table *table, const mls_config_entry *entry)
{
    enum { RIGHT = MLS_COLUMN_RIGHT, KEEP = MLS_COLUMN_KEEP };
    const mls_config_name *name = &entry->name;
    const mls_severity worst = entry->findings.counts.error > 0 ? MLS_SEVERITY_ERROR : MLS_SEVERITY_WARNING;
    const size_t bad = mls_finding_counts_of(&entry->findings.counts, worst);
    const mls_str shown = entry->file != NULL ? mls_str_from(entry->file) : name->name;
    const struct {
        const char *header;
        unsigned look;
        uint64_t number;
        mls_config_part part;
    } cells[] = {{"nodes", RIGHT | KEEP, name->nodes, MLS_CONFIG_PART_NODES},
                 {"x", RIGHT, name->gpus_per_node, MLS_CONFIG_PART_GPUS_PER_NODE},
                 {"GPUs", RIGHT | KEEP, name->gpus, MLS_CONFIG_PART_GPUS},
                 {"tp", RIGHT, degree_of(name, name->tensor_parallel), MLS_CONFIG_PART_TP},
                 {"pp", RIGHT, degree_of(name, name->pipeline_parallel), MLS_CONFIG_PART_PP},
                 {"cp", RIGHT, degree_of(name, name->context_parallel), MLS_CONFIG_PART_CP},
                 {"data", RIGHT, name->data_parallel, MLS_CONFIG_PART_DATA_PARALLEL},
                 {"per rank", RIGHT, name->batch_per_rank, MLS_CONFIG_PART_BATCH_PER_RANK},
                 {"per GPU", RIGHT, name->batch_per_gpu, MLS_CONFIG_PART_BATCH_PER_GPU},
                 {"batch", RIGHT, entry->summary.global_batch_size, MLS_CONFIG_PART_COUNT}};
    mls_table_row(table);
    mls_table_cell(table, "config", KEEP | MLS_COLUMN_CUT, MLS_STYLE_PLAIN, "%.*s", (int)shown.len, shown.ptr);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        const uint64_t number = cells[i].number;
        mls_table_cell(table, cells[i].header, cells[i].look, number != 0 ? MLS_STYLE_PLAIN : MLS_STYLE_DIM,
                       number != 0 ? "%" PRIu64 "%s" : "-", number, mark_of(name, cells[i].part));
    }
    if (entry->missing)
        mls_table_note(table, MLS_STYLE_WARN, "%s", name_only);
    if (bad > 0) {
        mls_table_note(table, worst == MLS_SEVERITY_ERROR ? MLS_STYLE_BAD : MLS_STYLE_WARN, "%s",
                       mls_finding_list_words(bad, worst).text);
    }
}

static void show_configs(mls_printer *to, const void *what)
{
    const mls_config_list *list = what;
    mls_view *view = to->view;
    /* Advice about the files of a folder is shown only with -v, since it would be too long. */
    const bool advises = !view->quiet && (!list->folders || view->verbose > 0);
    mls_finding_counts counts = {0};
    mls_table table = {0};
    bool marked = false;
    for (size_t i = 0; i < list->count && list->folders; i++) {
        marked |= list->items[i].name.from_text != 0;
        if (list->items[i].printed == NULL)
            add_entry_row(&table, &list->items[i]);
        mls_finding_counts_add(&counts, &list->items[i].findings.counts);
    }
    mls_table_finish(&table, view);
    if (marked)
        mls_view_printf(view, MLS_STYLE_DIM, 0, HANG, "%s", mark_meaning);
    mls_output_text(view->output, counts.error + counts.warning + counts.advice > 0 ? "\n" : "");
    for (size_t i = 0; i < list->count; i++) {
        const mls_config_entry *entry = &list->items[i];
        if (entry->printed != NULL)
            show_printed(view, mls_str_from(entry->file), entry->run_line, entry->printed, entry->known);
        else if (!list->folders)
            show_entry(view, entry);
        else if (entry->memory != NULL)
            mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "%s: memory: %s", entry->file, entry->memory);
        mls_finding_list found = {0};
        mls_buffer name = {0};
        mls_buffer_append(&name, entry->file != NULL ? mls_str_from(entry->file) : entry->name.name);
        for (size_t k = 0; k < entry->findings.count; k++)
            if (advises || entry->findings.items[k].severity != MLS_SEVERITY_ADVICE)
                mls_finding_list_add_one(&found, &entry->findings.items[k], (mls_owner){.path = name.ptr}, NULL);
        mls_finding_list_show(view, &found,
                              (mls_finding_list_look){.indent = INDENT, .hang = HANG + INDENT, .named = true});
        mls_buffer_release(&name);
    }
    if (counts.advice > 0 && !advises) {
        mls_output_printf(view->output, "%zu advice (-v lists %s)\n", counts.advice,
                          counts.advice == 1 ? "it" : "them");
    }
}

static void show_assignment(mls_output *output, mls_str name, const char *between, mls_str value)
{
    mls_output_escaped(output, name);
    mls_output_text(output, between);
    mls_output_escaped(output, value);
    mls_output_text(output, "\n");
}

static void show_exports(mls_printer *to, const void *what)
{
    const mls_config_list *list = what;
    mls_output *output = to->view->output;
    bool first = true;
    for (size_t i = 0; i < list->count; i++) {
        const mls_shell *script = list->items[i].script;
        const mls_printed *printed = list->items[i].printed;
        if (list->count > 1 && (script != NULL || printed != NULL)) {
            mls_output_text(output, first ? "# " : "\n# ");
            mls_output_escaped(output, mls_str_from(list->items[i].file));
            mls_output_text(output, "\n");
            first = false;
        }
        for (size_t k = 0; script != NULL && k < script->export_count; k++) {
            const mls_shell_variable *variable = &script->exports[k];
            mls_output_text(output, variable->known ? "" : "# ");
            show_assignment(output, variable->name,
                            variable->known ? "=" : " cannot be known without running the script", variable->value);
        }
        for (size_t k = 0; printed != NULL && k < printed->settings.count; k++)
            show_assignment(output, printed->settings.items[k].name, "=", printed->settings.items[k].value);
    }
}

static size_t export_count(const mls_config_entry *entry)
{
    return entry->script != NULL ? entry->script->export_count : 0;
}

static void emit_known(mls_emitter *to, const mls_config_entry *entry)
{
    mls_str values[MLS_KNOWN_SETTINGS_MAX];
    (void)mls_known_values(entry->known, entry->printed, values);
    for (size_t i = 0; i < entry->known->count; i++) {
        if (values[i].ptr != NULL) {
            mls_emit_name(to, mls_str_from(entry->known->items[i].name));
            mls_emit_str(to, values[i]);
        }
    }
}

#define BLOCK_FIELDS(F)                                                                                                \
    F(block, kind, TEXT, "", mls_printed_form_name(row->form))                                                         \
    F(block, name, TEXT_OR_NULL, "", row->name.len > 0 ? row->name : (mls_str){0})                                     \
    F(block, settings, NUMBER, "", row->settings)
MLS_FIELDS(block, mls_printed_block, BLOCK_FIELDS)

#define CONFIG_FIELDS(F)                                                                                               \
    F(config, name, TEXT, "", row->name.name)                                                                          \
    F(config, file, TEXT_OR_NULL, "", row->file)                                                                       \
    F(config, system, TEXT_OR_NULL, "", row->name.system.len > 0 ? row->name.system : (mls_str){0})                    \
    F(config, nodes, COUNT_OR_NULL, "", row->name.nodes)                                                               \
    F(config, gpus_per_node, COUNT_OR_NULL, "", row->name.gpus_per_node)                                               \
    F(config, gpus, COUNT_OR_NULL, "", row->name.gpus)                                                                 \
    F(config, gradient_accumulation, COUNT_OR_NULL, "", row->summary.gradient_accumulation)                            \
    F(config, batch_per_gpu, COUNT_OR_NULL, "", row->name.batch_per_gpu)                                               \
    F(config, tensor_parallel, COUNT_OR_NULL, "", row->name.tensor_parallel)                                           \
    F(config, pipeline_parallel, COUNT_OR_NULL, "", row->name.pipeline_parallel)                                       \
    F(config, context_parallel, COUNT_OR_NULL, "", row->name.context_parallel)                                         \
    F(config, expert_parallel, COUNT_OR_NULL, "", row->name.expert_parallel)                                           \
    F(config, data_parallel, COUNT_OR_NULL, "", row->name.data_parallel)                                               \
    F(config, global_batch_size, COUNT_OR_NULL, "", row->summary.global_batch_size)                                    \
    F(config, batch_per_rank, COUNT_OR_NULL, "", row->name.batch_per_rank)                                             \
    F(config, micro_batch_size, COUNT_OR_NULL, "", row->summary.micro_batch_size)                                      \
    F(config, layout_layers, VALUES, "",                                                                               \
      MLS_EACH(row->summary.layout.count, MLS_EMIT_NUMBER(row->summary.layout.chunks[i].layers)))                      \
    F(config, layout_predictors, VALUES, "",                                                                           \
      MLS_EACH(row->summary.layout.count, MLS_EMIT_NUMBER(row->summary.layout.chunks[i].predictors)))                  \
    F(config, extra, VALUES, "", MLS_EACH(row->name.extra_count, MLS_EMIT_NUMBER(row->name.extra[i])))                 \
    F(config, suffixes, VALUES, "", MLS_EACH(row->name.suffix_count, mls_emit_str(to, row->name.suffixes[i])))         \
    F(config, from_text, VALUES, "",                                                                                   \
      MLS_EACH(MLS_CONFIG_PART_COUNT, if (is_from_text(&row->name, i)) mls_emit_text(to, mls_config_parts[i])))        \
    F(config, exports, ELSE_OUT(MAP, row->exports), "",                                                                \
      MLS_MEMBERS(                                                                                                     \
          export_count(row), row->script->exports[i].name,                                                             \
          mls_emit_str_or_null(to, row->script->exports[i].known ? row->script->exports[i].value : (mls_str){0})))     \
    F(config, run_start_line, ELSE_OUT(COUNT_OR_NULL, row->printed != NULL), "", row->run_line)                        \
    F(config, blocks, LIST_ELSE_OUT(block, row->printed != NULL), "",                                                  \
      MLS_ROWS(row->printed->blocks.items, row->printed->blocks.count))                                                \
    F(config, settings, ELSE_OUT(MAP, row->printed != NULL), "",                                                       \
      MLS_MEMBERS(row->printed->settings.count, row->printed->settings.items[i].name,                                  \
                  mls_emit_str(to, row->printed->settings.items[i].value)))                                            \
    F(config, known, ELSE_OUT(MAP, row->printed != NULL), "", emit_known(to, row))                                     \
    F(config, settings_lost, ELSE_OUT(NUMBER, row->printed != NULL), "", row->printed->lost)                           \
    F(config, findings, FINDINGS, "",                                                                                  \
      mls_finding_list_add(&found, &row->findings, (mls_owner){.path = row->file}, NULL))
MLS_FIELDS(config, mls_config_entry, CONFIG_FIELDS)
#define CONFIG_CSV_FIELDS(F)                                                                                           \
    F(config_csv, extra, WORDS, "", append_words(words, "", &row->name, true))                                         \
    F(config_csv, suffixes, WORDS, "", append_words(words, "", &row->name, false))                                     \
    F(config_csv, from_text, WORDS, "",                                                                                \
      MLS_EACH(MLS_CONFIG_PART_COUNT, if (is_from_text(&row->name, i)) mls_buffer_printf(                              \
                                          words, "%s%s", words->len > 0 ? " " : "", mls_config_parts[i])))             \
    F(config_csv, errors, NUMBER, "", row->findings.counts.error)                                                      \
    F(config_csv, warnings, NUMBER, "", row->findings.counts.warning)                                                  \
    F(config_csv, advice, NUMBER, "", row->findings.counts.advice)
MLS_FIELDS_BESIDE(config_csv, config, CONFIG_CSV_FIELDS)
#define EXPORT_FIELDS(F)                                                                                               \
    F(export, variable, TEXT, "", row->name)                                                                           \
    F(export, value, TEXT, "", row->value)                                                                             \
    F(export, known, BOOL, "", row->known)                                                                             \
    F(export, set_in, TEXT_OR_NULL, "", row->path)                                                                     \
    F(export, line, COUNT_OR_NULL, "", row->line)
MLS_FIELDS(export, mls_shell_variable, EXPORT_FIELDS)
static void emit_exports(mls_emitter *to, const mls_config_entry *entry)
{
    MLS_ROWS(entry->script->exports, export_count(entry));
    for (size_t i = 0; entry->printed != NULL && i < entry->printed->settings.count; i++) {
        const mls_printed_setting *setting = &entry->printed->settings.items[i];
        const mls_shell_variable row = {.name = setting->name, .value = setting->value, .known = true};
        mls_emit_row(to, &row);
    }
}

#define EXPORTS_FIELDS(F) F(exports, exports, LIST(export), "", emit_exports(to, row))
MLS_FIELDS_BESIDE(exports, config, EXPORTS_FIELDS)
#define LIST_FIELDS(F) F(list, configs, LIST(config), "", MLS_ROWS(row->items, row->count))
MLS_FIELDS(list, mls_config_list, LIST_FIELDS)

const mls_report mls_config_report = {
    .section = "CONFIG JSON",
    .show = show_configs,
    .object = &list_fields,
    .columns = {
        .section = "CONFIG CSV",
        .names =
            "name file system nodes gpus_per_node gpus gradient_accumulation batch_per_gpu tensor_parallel "
            "pipeline_parallel context_parallel expert_parallel data_parallel global_batch_size extra suffixes errors "
            "warnings advice batch_per_rank micro_batch_size from_text",
        .rows = "configs",
        .sources = {&config_fields, &config_csv_fields}}};
const mls_report mls_config_exports_report = {
    .section = "CONFIG JSON",
    .show = show_exports,
    .object = &list_fields,
    .columns = {.section = "CONFIG EXPORTS CSV",
                .names = "name file variable value known set_in line",
                .rows = "configs exports",
                .sources = {&config_fields, &exports_fields, &export_fields}}};

/* ------------------------------------------------------------ side by side */

enum { NO_COLUMNS = MLS_TABLE_COLUMNS_MAX - 1 };

static mls_str word_text(const mls_config_word *word)
{
    return word->kind == MLS_CONFIG_VALUE    ? (word->value.len > 0 ? word->value : MLS_S("(empty)"))
           : word->kind == MLS_CONFIG_ABSENT ? MLS_S("-")
                                             : MLS_S("unknown");
}

static void show_diff_rows(mls_view *view, const mls_config_diff *diff, const mls_config_rows *rows,
                           const char *heading)
{
    mls_table table = {.indent = INDENT};
    for (size_t i = 0; i < rows->count; i++) {
        const mls_config_row *row = &rows->items[i];
        mls_table_row(&table);
        mls_table_cell(&table, heading, MLS_COLUMN_KEEP, MLS_STYLE_PLAIN, "%.*s", (int)row->key.len, row->key.ptr);
        for (size_t side = 0; side < diff->side_count && side < NO_COLUMNS; side++) {
            const mls_str text = word_text(&row->words[side]);
            const bool plain = row->words[side].kind == MLS_CONFIG_VALUE;
            mls_table_cell(&table, diff->sides[side].label, side == 0 ? MLS_COLUMN_KEEP : MLS_COLUMN_CUT_LAST,
                           plain ? MLS_STYLE_PLAIN : MLS_STYLE_DIM, "%.*s", (int)text.len, text.ptr);
        }
    }
    mls_table_finish(&table, view);
}

static void show_diff(mls_printer *to, const void *what)
{
    const mls_config_diff *diff = what;
    mls_view *view = to->view;
    show_diff_rows(view, diff, &diff->differs, "differs");
    if (diff->may_differ.count > 0 && diff->differs.count > 0)
        mls_output_text(view->output, "\n");
    show_diff_rows(view, diff, &diff->may_differ, "may differ");
    if (diff->differs.count + diff->may_differ.count == 0) {
        mls_view_printf(view, MLS_STYLE_PLAIN, 0, HANG,
                        diff->same > 0 ? "no differences found"
                                       : "nothing to compare: no setting is present in more than one input");
    }
    mls_view_printf(view, MLS_STYLE_DIM, 0, HANG, "%s the same",
                    mls_words_plural(diff->same, "value is", "values are").text);
}

static void emit_word(mls_emitter *to, const mls_config_diff *diff, const mls_config_row *row, size_t side)
{
    const mls_config_word *word = &row->words[side];
    mls_emit_name(to, mls_str_from(diff->sides[side].label));
    mls_str text = {0};
    if (word->kind != MLS_CONFIG_ABSENT)
        text = word->kind == MLS_CONFIG_VALUE ? word->value : word_text(word);
    mls_emit_str_or_null(to, text);
}

typedef struct config_diff_row {
    const mls_config_diff *diff;
    const mls_config_row *row;
} config_diff_row;

#define ROW_FIELDS(F)                                                                                                  \
    F(diff_row, key, TEXT, "", row->row->key)                                                                          \
    F(diff_row, values, MAP, "", MLS_EACH(row->diff->side_count, emit_word(to, row->diff, row->row, i)))
MLS_FIELDS(diff_row, config_diff_row, ROW_FIELDS)
#define DIFF_ROWS(rows) MLS_EACH((rows).count, mls_emit_row(to, &(config_diff_row){row, &(rows).items[i]}))
#define DIFF_FIELDS(F)                                                                                                 \
    F(diff, differs, LIST(diff_row), "", DIFF_ROWS(row->differs))                                                      \
    F(diff, may_differ, LIST(diff_row), "", DIFF_ROWS(row->may_differ))                                                \
    F(diff, same, NUMBER, "", row->same)
MLS_FIELDS(diff, mls_config_diff, DIFF_FIELDS)

const mls_report mls_config_diff_report = {.section = "CONFIG DIFF JSON", .show = show_diff, .object = &diff_fields};
