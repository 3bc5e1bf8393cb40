/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings.c - findings gathered, as fields of rows, and as lines for a person.
 */
#include "report/findings.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "report/words.h"

/* ------------------------------------------------------------------ fields */

typedef mls_noted finding_row, finding_csv_row;
#define FINDING_FIELDS(F)                                                                                              \
    F(finding, severity, TEXT, 0, "", mls_severity_name(row->finding.severity))                                        \
    F(finding, code, TEXT, 0, "", mls_finding_info_get(row->finding.code)->name)                                       \
    F(finding, path, TEXT, MLS_FIELD_EXTRA, "", row->finding.path)                                                     \
    F(finding, key, TEXT_OR_NULL, 0, "", row->finding.key)                                                             \
    F(finding, line, NUMBER_OR_NULL, 0, "", mls_field_unless_zero((double)row->finding.line))                          \
    F(finding, message, TEXT, 0, "", row->finding.message)
MLS_FIELDS_NAMED(, mls_finding_fields, finding, "FINDING", FINDING_FIELDS)
#define FINDING_CSV_FIELDS(F)                                                                                          \
    F(finding_csv, submitter, TEXT_OR_NULL, 0, "", row->owner.name)                                                    \
    F(finding_csv, column, NUMBER_OR_NULL, 0, "", mls_field_unless_zero((double)row->finding.column))
MLS_FIELDS_NAMED(, mls_finding_csv_fields, finding_csv, "", FINDING_CSV_FIELDS)
const mls_fields *const mls_finding_tables[] = {&mls_finding_fields, NULL};

void mls_emit_found(mls_emitter *to, mls_found *found, bool extra)
{
    mls_emit_open(to, '[');
    for (size_t i = 0; i < found->count; i++) {
        /* A finding that no path is known of has none. */
        (extra && found->items[i].finding.path != NULL ? mls_emit_object_extra
                                                       : mls_emit_object)(to, &mls_finding_fields, &found->items[i]);
    }
    mls_emit_close(to, ']');
    mls_found_finish(found, to->output);
}

/* --------------------------------------------------------------- gathering */

bool mls_view_shows(const mls_view *view, mls_severity severity)
{
    return view->only ? severity == view->only_severity : !view->quiet || severity == MLS_SEVERITY_ERROR;
}

void mls_found_add_one(mls_found *found, const mls_finding *finding, mls_owner owner, const mls_view *view)
{
    if (view != NULL && !mls_view_shows(view, finding->severity)) {
        return;
    }
    if (!MLS_GROW(found, items)) {
        found->failed = true;
        return;
    }
    mls_noted *noted = &found->items[found->count++];
    *noted = (mls_noted){*finding, owner};
    noted->finding.path = finding->path != NULL ? finding->path : owner.path;
    noted->finding.line = finding->line != 0 ? finding->line : owner.line;
}

void mls_found_add(mls_found *found, const mls_findings *findings, mls_owner owner, const mls_view *view)
{
    for (size_t i = 0; i < findings->count; i++) {
        mls_found_add_one(found, &findings->items[i], owner, view);
    }
}

void mls_found_finish(mls_found *found, mls_output *output)
{
    if (found->failed) {
        mls_output_short(output);
    }
    free(found->items);
    *found = (mls_found){0};
}

void mls_found_count(mls_buffer *line, const char *before, size_t count, mls_severity severity)
{
    static const char *const words[][2] = {{"error", "errors"}, {"warning", "warnings"}, {"advice", "advice"}};
    mls_buffer_append_text(line, before);
    mls_words_plural(line, count, words[severity][0], words[severity][1]);
}

void mls_found_counts(mls_buffer *line, const mls_finding_counts *counts)
{
    if (counts->error > 0) {
        mls_found_count(line, "", counts->error, MLS_SEVERITY_ERROR);
    } else {
        mls_found_count(line, "", counts->warning, MLS_SEVERITY_WARNING);
        mls_found_count(line, ", ", counts->advice, MLS_SEVERITY_ADVICE);
    }
}

/* ------------------------------------------------------------------ people */

/* What one line tells of findings that are alike. */
typedef struct line_of {
    const mls_noted *first;
    size_t runs; /* that have it */
} line_of;

/* What two runs of a result have alike to say has the same key, but for what comes behind it. */
static void append_key(mls_buffer *key, const mls_noted *noted)
{
    const mls_finding *finding = &noted->finding;
    mls_buffer_printf(key, "%d %d %zu ", (int)finding->code, (int)finding->severity, noted->owner.result.len);
    mls_buffer_append(key, noted->owner.result);
    mls_buffer_printf(key, "%s\n%s\n", finding->key != NULL ? finding->key : "", finding->message);
}

/* Counts how often a key came before. */
static size_t count_before(mls_map *map, const mls_buffer *key, bool *failed)
{
    mls_map_entry *entry = key->failed ? NULL : mls_map_put(map, mls_buffer_str(key), NULL);
    *failed |= entry == NULL;
    return entry != NULL ? entry->value.number++ : 0;
}

/*
 * Puts what several runs of a result have alike into one line: the first such
 * finding of each run, the second, and so on.  Returns how many lines are left.
 */
static size_t put_together(line_of *lines, size_t count, bool *failed)
{
    mls_arena arena = {0};
    mls_map runs = {.arena = &arena}; /* how often a run has said it */
    mls_map told = {.arena = &arena}; /* the line that tells it, from 1 */
    mls_buffer key = {0};
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const mls_noted *noted = lines[i].first;
        mls_map_entry *line = NULL;
        if (noted->owner.result.ptr != NULL) {
            mls_buffer_clear(&key);
            append_key(&key, noted);
            const size_t alike = key.len;
            mls_buffer_printf(&key, "%zu %s", noted->owner.run, noted->owner.run == 0 ? noted->finding.path : "");
            const size_t nth = count_before(&runs, &key, failed);
            key.len = key.failed ? 0 : alike;
            mls_buffer_printf(&key, "%zu", nth);
            line = key.failed ? NULL : mls_map_put(&told, mls_buffer_str(&key), NULL);
            *failed |= line == NULL;
        }
        if (line != NULL && line->value.number > 0) {
            lines[line->value.number - 1].runs++;
        } else {
            lines[kept++] = lines[i];
        }
        if (line != NULL && line->value.number == 0) {
            line->value.number = kept;
        }
    }
    mls_buffer_release(&key);
    mls_arena_release(&arena);
    return kept;
}

/* "result_0.txt:69 and 9 more of 10: " */
static void append_place(mls_buffer *out, const line_of *line)
{
    const mls_finding *finding = &line->first->finding;
    if (finding->path == NULL) {
        return;
    }
    mls_buffer_append_text(out, finding->path);
    if (finding->line > 0) {
        mls_buffer_printf(out, ":%zu", finding->line);
    }
    if (finding->line > 0 && finding->column > 0 && line->runs == 1) {
        mls_buffer_printf(out, ":%zu", finding->column);
    }
    if (line->runs > 1) {
        mls_buffer_printf(out, " and %zu more", line->runs - 1);
        if (line->first->owner.runs >= line->runs) {
            mls_buffer_printf(out, " of %zu", line->first->owner.runs);
        }
    }
    mls_buffer_append_text(out, ": ");
}

static void show_line(mls_view *view, const line_of *line, mls_found_look look)
{
    static const mls_style styles[] = {MLS_STYLE_BAD, MLS_STYLE_WARN, MLS_STYLE_DIM};
    const mls_finding *finding = &line->first->finding;
    mls_view whole = *view;
    mls_buffer text = {0};
    append_place(&text, line);
    if (look.named && finding->severity != MLS_SEVERITY_ERROR) {
        mls_buffer_printf(&text, "%s: ", mls_severity_name(finding->severity));
    }
    mls_buffer_printf(&text, "%s  [%s]", finding->message, mls_finding_info_get(finding->code)->name);
    whole.width = look.whole ? 0 : view->width;
    mls_view_line(&whole, &text, styles[finding->severity], look.indent, look.hang);
}

size_t mls_found_show(mls_view *view, const mls_found *found, mls_severity severity, mls_found_look look, size_t *lines)
{
    line_of *all = calloc(found->count + 1, sizeof *all);
    size_t count = 0;
    size_t told = 0;
    bool failed = all == NULL || found->failed;
    for (size_t i = 0; i < found->count && !failed; i++) {
        if (severity == MLS_SEVERITY_ALL || found->items[i].finding.severity == severity) {
            all[count++] = (line_of){&found->items[i], 1};
        }
    }
    if (look.together && view->verbose == 0) {
        count = put_together(all, count, &failed);
    }
    for (size_t i = 0; i < count && (look.limit == 0 || *lines < look.limit); i++, ++*lines) {
        show_line(view, &all[i], look);
        told += all[i].runs;
    }
    if (failed) {
        mls_output_short(view->output);
    }
    free(all);
    return told;
}
