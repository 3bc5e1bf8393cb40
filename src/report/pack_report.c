/* SPDX-License-Identifier: Apache-2.0 */
/* pack_report.c - a result that was packed, or would be: which run is which file, and what verify says of it. */
#include <math.h>

#include "report/reports.h"
#include "report/table.h"

enum { PACK_INDENT = 2, PACK_HANG = 4 };

static const mls_submission_result *packed_result(const mls_pack *pack)
{
    const mls_submission *judged = &pack->judged;
    const bool there = judged->submitter_count > 0 && judged->submitters[0].result_count > 0;
    return there ? &judged->submitters[0].results[0] : NULL;
}

static double packed_score(const mls_pack *pack)
{
    const mls_submission_result *result = packed_result(pack);
    return result != NULL ? result->group.score.score_minutes : (double)NAN;
}

static void add_pack_findings(mls_found *found, const mls_pack *pack, const mls_view *view)
{
    const mls_submission *judged = &pack->judged;
    mls_found_add(found, &judged->findings, (mls_owner){.path = "."}, view);
    mls_found_add(found, &pack->findings, (mls_owner){.path = pack->system}, view);
    for (size_t i = 0; judged->submitter_count > 0 && i < judged->submitters[0].placed_count; i++) {
        const mls_placed_finding *placed = &judged->submitters[0].placed[i];
        mls_found_add_one(found, placed->finding, (mls_owner){.path = placed->path}, view);
    }
}

static void show_pack_files(mls_view *view, const mls_pack *pack)
{
    mls_table table = {.indent = PACK_INDENT};
    for (size_t i = 0; i < pack->file_count; i++) {
        const mls_pack_file *file = &pack->files[i];
        mls_table_row(&table);
        mls_table_text(&table, "file", MLS_COLUMN_KEEP, strrchr(file->file, '/') + 1);
        mls_table_words(&table, "train (min)", MLS_COLUMN_DECIMAL, mls_words_minutes(mls_run_minutes(file->run)));
        mls_table_text(&table, "valid", MLS_COLUMN_LEFT, file->run->valid ? "yes" : "no");
        mls_table_cell(&table, "log", MLS_COLUMN_CUT, MLS_STYLE_PLAIN, file->first_line > 0 ? "%s:%zu-%zu" : "%s",
                       file->run->file, file->first_line, file->last_line);
    }
    for (size_t i = 0; i < pack->left_out_count; i++) {
        mls_table_row(&table);
        table.style = MLS_STYLE_DIM;
        mls_table_text(&table, "file", MLS_COLUMN_KEEP, "left out");
        mls_table_words(&table, "train (min)", MLS_COLUMN_DECIMAL,
                        mls_words_minutes(mls_run_minutes(pack->left_out[i])));
        mls_table_text(&table, "valid", MLS_COLUMN_LEFT, pack->left_out[i]->valid ? "yes" : "no");
        mls_table_text(&table, "log", MLS_COLUMN_CUT, pack->left_out[i]->file);
    }
    mls_table_finish(&table, view);
    if (pack->left_out_count > 0) {
        mls_view_printf(view, MLS_STYLE_DIM, PACK_INDENT, PACK_HANG,
                        "%s left out: outside of the window of runs that the rules choose",
                        mls_words_plural(pack->left_out_count, "log is", "logs are").text);
    }
}

static void show_replaced(mls_view *view, const mls_pack *pack)
{
    for (size_t i = 0; i < pack->replaced.count; i++) {
        const mls_pack_replaced *row = &pack->replaced.items[i];
        mls_view_printf(view, MLS_STYLE_PLAIN, PACK_INDENT, PACK_HANG, "replaced: %s in %s", row->kind,
                        mls_words_plural(row->places, "place", "places").text);
    }
    for (size_t i = 0; pack->show && i < pack->replacements.count; i++) {
        const mls_pack_replacement *row = &pack->replacements.items[i];
        mls_view_printf(view, MLS_STYLE_PLAIN, PACK_INDENT + 2, PACK_HANG + 2, "%s %s becomes %s", row->kind, row->from,
                        row->to);
    }
    if (pack->doubtful_count > 0) {
        mls_view_printf(
            view, MLS_STYLE_WARN, PACK_INDENT, PACK_HANG, "%s of an address or a version: not replaced, look at %s",
            mls_words_plural(pack->doubtful_count, "place", "places").text, pack->doubtful_count > 1 ? "them" : "it");
    }
    const size_t most = view->verbose > 0 ? pack->doubtful.count : 5;
    for (size_t i = 0; i < pack->doubtful.count && i < most; i++) {
        const mls_pack_doubtful *row = &pack->doubtful.items[i];
        mls_view_printf(view, MLS_STYLE_WARN, PACK_INDENT + 2, PACK_HANG + 2, "%s:%zu: %s", row->file, row->line,
                        row->text);
    }
    if (pack->doubtful_count > most || pack->doubtful_count > pack->doubtful.count) {
        mls_buffer line = {0};
        const size_t shown = most < pack->doubtful.count ? most : pack->doubtful.count;
        mls_words_append_more(&line, pack->doubtful_count - shown, "place",
                              shown < pack->doubtful.count ? "-v lists them" : NULL);
        mls_view_line(view, &line, MLS_STYLE_WARN, PACK_INDENT + 2, PACK_HANG + 2);
    }
}

/* What is laid out beside the logs. */
static void show_beside(mls_view *view, const mls_pack *pack)
{
    size_t cut = 0;
    for (size_t i = 0; i < pack->file_count; i++) {
        cut += pack->files[i].first_line > 0;
    }
    if (cut > 0) {
        mls_view_printf(view, MLS_STYLE_WARN, PACK_INDENT, PACK_HANG,
                        "%s cut out of a file with several runs: the lines from its first record to its last",
                        mls_words_plural(cut, "log is", "logs are").text);
    }
    mls_view_printf(view, MLS_STYLE_PLAIN, PACK_INDENT, PACK_HANG, "%s: %s", pack->system,
                    pack->described ? "is there, and stays as it is" : "new");
    if (pack->implementation != NULL) {
        mls_view_printf(view, MLS_STYLE_PLAIN, PACK_INDENT, PACK_HANG, "%s: new", pack->implementation);
    }
}

static void show_packing(mls_view *view, const mls_pack *pack)
{
    mls_buffer line = {0};
    mls_buffer_printf(&line, "  %s  %s", pack->group->edition->name,
                      mls_words_plural(pack->file_count, "run", "runs").text);
    mls_view_headline(view, mls_str_from(pack->path), &line, PACK_HANG);
    show_pack_files(view, pack);
    show_beside(view, pack);
    show_replaced(view, pack);
    mls_view_printf(view, MLS_STYLE_PLAIN, PACK_INDENT, PACK_HANG, "score %s min",
                    mls_words_minutes(packed_score(pack)).text);
    if (pack->private_id != NULL) {
        mls_view_printf(view, MLS_STYLE_PLAIN, PACK_INDENT, PACK_HANG, "private id %s", pack->private_id);
    }
    if (pack->written) {
        mls_view_printf(view, MLS_STYLE_PLAIN, PACK_INDENT, PACK_HANG, "%s: what was packed from what, not for others",
                        pack->record);
    }
}

static void show_pack(mls_printer *to, const void *what)
{
    const mls_pack *pack = what;
    mls_view *view = to->view;
    mls_found found = {0};
    if (!view->quiet) {
        show_packing(view, pack);
    }
    add_pack_findings(&found, pack, view);
    mls_found_show(view, &found, (mls_found_look){.indent = PACK_INDENT, .hang = PACK_HANG, .named = true, .fold = 3});
    for (size_t i = 0; i < pack->rests.count; i++) {
        mls_view_printf(view, MLS_STYLE_WARN, PACK_INDENT, PACK_HANG, "%s: left by a pack that was ended; remove it",
                        pack->rests.items[i]);
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
#define PACK_REPLACED_FIELDS(F)                                                                                        \
    F(replaced, kind, TEXT, "", row->kind)                                                                             \
    F(replaced, things, NUMBER, "", row->things)                                                                       \
    F(replaced, places, NUMBER, "", row->places)
MLS_FIELDS(replaced, mls_pack_replaced, PACK_REPLACED_FIELDS)
#define PACK_SCRUBBED_FIELDS(F)                                                                                        \
    F(scrubbed, file, TEXT, "", row->file)                                                                             \
    F(scrubbed, kind, TEXT, "", row->kind)                                                                             \
    F(scrubbed, places, NUMBER, "", row->places)
MLS_FIELDS(scrubbed, mls_pack_scrubbed, PACK_SCRUBBED_FIELDS)
#define PACK_REPLACEMENT_FIELDS(F)                                                                                     \
    F(replacement, kind, TEXT, "", row->kind)                                                                          \
    F(replacement, from, TEXT_OR_NULL, "", row->from)                                                                  \
    F(replacement, to, TEXT, "", row->to)
MLS_FIELDS(replacement, mls_pack_replacement, PACK_REPLACEMENT_FIELDS)
#define PACK_DOUBTFUL_FIELDS(F)                                                                                        \
    F(doubtful_place, file, TEXT, "", row->file)                                                                       \
    F(doubtful_place, line, NUMBER, "", row->line)                                                                     \
    F(doubtful_place, text, TEXT, "", row->text)
MLS_FIELDS(doubtful_place, mls_pack_doubtful, PACK_DOUBTFUL_FIELDS)

/* The originals are only for whoever asks to see them. */
static void give_replacements(mls_emitter *to, const mls_pack *pack)
{
    for (size_t i = 0; i < pack->replacements.count; i++) {
        mls_pack_replacement row = pack->replacements.items[i];
        row.from = pack->show ? row.from : NULL;
        mls_emit_row(to, &row);
    }
}

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
    F(pack, replaced, LIST(replaced), "", MLS_ROWS(row->replaced.items, row->replaced.count))                          \
    F(pack, replaced_in, LIST(scrubbed), "", MLS_ROWS(row->scrubbed.items, row->scrubbed.count))                       \
    F(pack, replacements, LIST(replacement), "", give_replacements(to, row))                                           \
    F(pack, doubtful, NUMBER, "", row->doubtful_count)                                                                 \
    F(pack, doubtful_places, LIST(doubtful_place), "", MLS_ROWS(row->doubtful.items, row->doubtful.count))             \
    F(pack, implementation, TEXT_OR_NULL, "", row->implementation)                                                     \
    F(pack, record, TEXT, "", row->record)                                                                             \
    F(pack, private_id, TEXT_OR_NULL, "", row->private_id)                                                             \
    F(pack, findings, FINDINGS, "", add_pack_findings(&found, row, to->view))

MLS_FIELDS(pack, mls_pack, PACK_FIELDS)

const mls_report mls_pack_report = {.section = "PACK JSON", .show = show_pack, .object = &pack_fields};

/* Of a file the kinds of what was replaced in it, up to the row at `end`. */
static void add_replaced_row(mls_table *table, const mls_pack_told_of *pack, size_t begin, size_t end)
{
    mls_buffer kinds = {0};
    for (size_t i = begin; i < end; i++) {
        mls_buffer_printf(&kinds, "%s%s %zu", i > begin ? ", " : "", pack->replaced.items[i].kind,
                          pack->replaced.items[i].places);
    }
    mls_table_row(table);
    mls_table_text(table, "file", MLS_COLUMN_KEEP, pack->replaced.items[begin].file);
    mls_table_text(table, "replaced", MLS_COLUMN_KEEP, kinds.len > 0 ? kinds.ptr : "");
    mls_buffer_release(&kinds);
}

static void show_told(mls_printer *to, const void *what)
{
    const mls_pack_told *told = what;
    for (size_t i = 0; i < told->packs.count; i++) {
        const mls_pack_told_of *pack = &told->packs.items[i];
        mls_table table = {.indent = PACK_INDENT};
        mls_view_printf(to->view, MLS_STYLE_PLAIN, 0, PACK_HANG, "%s: %s packed by mlscore %s%s", pack->result,
                        mls_words_plural(pack->files, "log", "logs").text, pack->version,
                        !pack->scrubbed             ? ", nothing replaced"
                        : pack->replaced.count == 0 ? ", nothing to replace found"
                                                    : "; replaced, in so many places of each file:");
        if (pack->cut > 0) {
            mls_view_printf(to->view, MLS_STYLE_PLAIN, PACK_INDENT, PACK_HANG,
                            "%s cut out of the output of several runs, from the first record to the last",
                            mls_words_plural(pack->cut, "log is", "logs are").text);
        }
        for (size_t k = 0; k < pack->replaced.count;) {
            const size_t begin = k;
            while (k < pack->replaced.count &&
                   strcmp(pack->replaced.items[k].file, pack->replaced.items[begin].file) == 0) {
                k++;
            }
            add_replaced_row(&table, pack, begin, k);
        }
        mls_table_finish(&table, to->view);
    }
}

#define TOLD_OF_FIELDS(F)                                                                                              \
    F(told_of, result, TEXT, "", row->result)                                                                          \
    F(told_of, version, TEXT, "", row->version)                                                                        \
    F(told_of, scrubbed, BOOL, "", row->scrubbed)                                                                      \
    F(told_of, logs, NUMBER, "", row->files)                                                                           \
    F(told_of, cut, NUMBER, "", row->cut)                                                                              \
    F(told_of, replaced_in, LIST(scrubbed), "", MLS_ROWS(row->replaced.items, row->replaced.count))
MLS_FIELDS(told_of, mls_pack_told_of, TOLD_OF_FIELDS)
#define TOLD_FIELDS(F) F(told, packs, LIST(told_of), "", MLS_ROWS(row->packs.items, row->packs.count))
MLS_FIELDS(told, mls_pack_told, TOLD_FIELDS)

const mls_report mls_pack_told_report = {.section = "PACK RECORD JSON", .show = show_told, .object = &told_fields};
