/* SPDX-License-Identifier: Apache-2.0 */
/* pack_report.c - the report of pack: the file of each run, the findings of verify, and whether files were written. */
#include <math.h>

#include "report/reports.h"
#include "term/table.h"

enum { PACK_INDENT = 2, PACK_HANG = 4 };

static double packed_score(const mls_pack *pack)
{
    const mls_submission *judged = &pack->judged;
    const bool scored = judged->submitter_count > 0 && judged->submitters[0].result_count > 0;
    return scored ? judged->submitters[0].results[0].group.score.score_minutes : (double)NAN;
}

static void add_pack_findings(mls_finding_list *found, const mls_pack *pack, const mls_view *view)
{
    const mls_submission *judged = &pack->judged;
    mls_finding_list_add(found, &judged->findings, (mls_owner){.path = "."}, view);
    mls_finding_list_add(found, &pack->findings, (mls_owner){.path = pack->system}, view);
    for (size_t i = 0; judged->submitter_count > 0 && i < judged->submitters[0].placed_count; i++) {
        const mls_placed_finding *placed = &judged->submitters[0].placed[i];
        mls_finding_list_add_one(found, placed->finding, (mls_owner){.path = placed->path}, view);
    }
}

/* Show the packed files, the omitted files, and the other files that were written. */
static void show_files(mls_view *view, const mls_pack *pack)
{
    mls_buffer line = {0};
    mls_buffer_printf(&line, "  %s  %s", pack->group->edition->name,
                      mls_words_plural(pack->file_count, "run", "runs").text);
    mls_view_headline(view, mls_str_from(pack->path), &line, PACK_HANG);
    size_t cut = 0;
    mls_table table = {.indent = PACK_INDENT};
    for (size_t i = 0; i < pack->file_count; i++) {
        const mls_pack_file *file = &pack->files[i];
        cut += file->first_line > 0;
        mls_table_row(&table);
        mls_table_text(&table, "file", MLS_COLUMN_KEEP, strrchr(file->file, '/') + 1);
        mls_table_words(&table, "train (min)", MLS_COLUMN_DECIMAL, mls_words_minutes(mls_run_minutes(file->run)));
        mls_table_text(&table, "valid", MLS_COLUMN_LEFT, file->run->valid ? "yes" : "no");
        mls_table_cell(&table, "log", MLS_COLUMN_CUT, MLS_STYLE_PLAIN, file->first_line > 0 ? "%s:%zu-%zu" : "%s",
                       file->run->file, file->first_line, file->last_line);
    }
    for (size_t i = 0; i < pack->left_out_count; i++) {
        const mls_run *run = pack->left_out[i];
        mls_table_row(&table);
        table.style = MLS_STYLE_DIM;
        mls_table_text(&table, "file", MLS_COLUMN_KEEP, "left out");
        mls_table_words(&table, "train (min)", MLS_COLUMN_DECIMAL, mls_words_minutes(mls_run_minutes(run)));
        mls_table_text(&table, "valid", MLS_COLUMN_LEFT, run->valid ? "yes" : "no");
        mls_table_text(&table, "log", MLS_COLUMN_CUT, run->file);
    }
    mls_table_finish(&table, view);
    if (pack->left_out_count > 0) {
        mls_view_printf(view, MLS_STYLE_DIM, PACK_INDENT, PACK_HANG,
                        "%s left out: outside of the window of runs that the rules select",
                        mls_words_plural(pack->left_out_count, "log is", "logs are").text);
    }
    if (cut > 0) {
        mls_view_printf(view, MLS_STYLE_WARN, PACK_INDENT, PACK_HANG,
                        "%s cut out of a file with several runs: the lines from its first record to its last",
                        mls_words_plural(cut, "log is", "logs are").text);
    }
    mls_view_printf(view, MLS_STYLE_PLAIN, PACK_INDENT, PACK_HANG, "%s: %s", pack->system,
                    pack->described ? "exists and is not changed" : "new");
    if (pack->implementation != NULL)
        mls_view_printf(view, MLS_STYLE_PLAIN, PACK_INDENT, PACK_HANG, "%s: new", pack->implementation);
    size_t texts = 0;
    for (size_t i = 0; i < pack->redacted.count; i++) {
        const mls_pack_redacted *row = &pack->redacted.items[i];
        texts += row->texts;
        mls_buffer_printf(&line, "%s%s %zu", i > 0 ? ", " : ": ", row->key, row->texts);
    }
    if (pack->scrubbed) {
        mls_view_printf(view, MLS_STYLE_PLAIN, PACK_INDENT, PACK_HANG,
                        "scrubbed: %s, %s and %s dropped; %s replaced by REDACTED%s",
                        mls_words_plural(pack->dropped_lines, "line", "lines").text,
                        mls_words_plural(pack->dropped_records, "record", "records").text,
                        mls_words_plural(pack->dropped_members, "member", "members").text,
                        mls_words_plural(texts, "text", "texts").text, line.len > 0 ? line.ptr : "");
        mls_view_printf(view, MLS_STYLE_PLAIN, PACK_INDENT, PACK_HANG,
                        "submission_org and submission_platform are kept as logged: check them");
    }
    mls_buffer_release(&line);
    mls_view_printf(view, MLS_STYLE_PLAIN, PACK_INDENT, PACK_HANG, "score %s min",
                    mls_words_minutes(packed_score(pack)).text);
}

static void show_pack(mls_printer *to, const void *what)
{
    const mls_pack *pack = what;
    mls_view *view = to->view;
    mls_finding_list found = {0};
    if (!view->quiet)
        show_files(view, pack);
    add_pack_findings(&found, pack, view);
    mls_finding_list_show(view, &found,
                          (mls_finding_list_look){.indent = PACK_INDENT, .hang = PACK_HANG, .named = true, .fold = 3});
    for (size_t i = 0; i < pack->rests.count; i++) {
        mls_view_printf(view, MLS_STYLE_WARN, PACK_INDENT, PACK_HANG,
                        "%s: left over from an interrupted pack; remove it", pack->rests.items[i]);
    }
    mls_view_printf(view, pack->valid ? MLS_STYLE_GOOD : MLS_STYLE_BAD, 0, 0, "%s",
                    pack->written && pack->valid ? "written"
                    : pack->written              ? "written, though it does not pass verify"
                    : !pack->valid               ? "does not pass verify: nothing was written"
                                                 : "would pass verify: --write writes it");
}

#define PACK_FILE_FIELDS(F)                                                                                            \
    F(packed_file, file, TEXT, "", row->file)                                                                          \
    F(packed_file, log, TEXT, "", row->run->file)                                                                      \
    F(packed_file, minutes, NUMBER_OR_NULL, "", mls_run_minutes(row->run))                                             \
    F(packed_file, valid, BOOL, "", row->run->valid)                                                                   \
    F(packed_file, first_line, COUNT_OR_NULL, "", row->first_line)                                                     \
    F(packed_file, last_line, COUNT_OR_NULL, "", row->last_line)                                                       \
    F(packed_file, bytes, NUMBER, "", (double)row->bytes)                                                              \
    F(packed_file, sha256, TEXT, "", row->source)
MLS_FIELDS(packed_file, mls_pack_file, PACK_FILE_FIELDS)
#define PACK_REDACTED_FIELDS(F)                                                                                        \
    F(redacted, key, TEXT, "", row->key)                                                                               \
    F(redacted, texts, NUMBER, "", row->texts)
MLS_FIELDS(redacted, mls_pack_redacted, PACK_REDACTED_FIELDS)

#define PACK_FIELDS(F)                                                                                                 \
    F(pack, path, TEXT, "", row->path)                                                                                 \
    F(pack, edition, TEXT, "", row->group->edition->name)                                                              \
    F(pack, score_minutes, NUMBER_OR_NULL, "", packed_score(row))                                                      \
    F(pack, valid, BOOL, "", row->valid)                                                                               \
    F(pack, written, BOOL, "", row->written)                                                                           \
    F(pack, files, LIST(packed_file), "", MLS_ROWS(row->files, row->file_count))                                       \
    F(pack, left_out, VALUES, "", MLS_EACH(row->left_out_count, mls_emit_text(to, row->left_out[i]->file)))            \
    F(pack, description, TEXT, "", row->system)                                                                        \
    F(pack, description_is_new, BOOL, "", !row->described)                                                             \
    F(pack, description_lacks, VALUES, "", MLS_EACH(row->lacks.count, mls_emit_text(to, row->lacks.items[i])))         \
    F(pack, left_behind, VALUES, "", MLS_EACH(row->rests.count, mls_emit_text(to, row->rests.items[i])))               \
    F(pack, scrubbed, BOOL, "", row->scrubbed)                                                                         \
    F(pack, dropped_lines, NUMBER, "", row->dropped_lines)                                                             \
    F(pack, dropped_records, NUMBER, "", row->dropped_records)                                                         \
    F(pack, dropped_members, NUMBER, "", row->dropped_members)                                                         \
    F(pack, redacted, LIST(redacted), "", MLS_ROWS(row->redacted.items, row->redacted.count))                          \
    F(pack, implementation, TEXT_OR_NULL, "", row->implementation)                                                     \
    F(pack, findings, FINDINGS, "", add_pack_findings(&found, row, to->view))

MLS_FIELDS(pack, mls_pack, PACK_FIELDS)

const mls_report mls_pack_report = {.section = "PACK JSON", .show = show_pack, .object = &pack_fields};
