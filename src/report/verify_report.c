/* SPDX-License-Identifier: Apache-2.0 */
/* verify_report.c - the report of a checked submission: tables and findings for people, fields, and test cases. */

#include "base/file.h"
#include "base/utf8.h"
#include "report/reports.h"
#include "term/table.h"

/* For each code, add the number of the submitter's findings that were counted but not kept. */
static void add_more_of(mls_finding_list *found, const mls_view *view, const mls_submitter *submitter)
{
    const mls_owner owner = {.path = *submitter->path != '\0' ? submitter->path : ".", .name = submitter->name};
    for (mls_finding_code code = 0; code < MLS_FINDING_COUNT; code++) {
        const mls_finding kind = {.code = code, .severity = mls_finding_info_get(code)->severity};
        mls_finding_list_add_more(found, &kind, submitter->unkept[code], owner, view);
    }
}

/* Add the findings of a submitter.  Similar findings about files of the same folder are reported together.  For the
 * logs of a result, the number of logs is also reported.  Findings about system descriptions are reported one by one.
 */
static void add_of(mls_finding_list *found, const mls_view *view, const mls_submitter *submitter)
{
    for (size_t i = 0; i < submitter->placed_count; i++) {
        const mls_placed_finding *placed = &submitter->placed[i];
        const char *slash = strrchr(placed->path, '/');
        const mls_str folder = {placed->path, slash != NULL ? (size_t)(slash - placed->path) : 0};
        const char *description = placed->system != NULL ? placed->system->description.path : NULL;
        const mls_str name = mls_str_from(mls_path_name(placed->path));
        mls_owner owner = {.path = placed->path, .name = submitter->name};
        if (description == NULL || strcmp(placed->path, description) != 0)
            owner.result = folder;
        if (placed->result != NULL) {
            const bool log = mls_str_equal(folder, mls_str_from(placed->result->path)) &&
                             mls_str_starts(name, MLS_S("result_")) && mls_str_ends(name, MLS_S(".txt"));
            owner.of = placed->result->path;
            owner.runs = log ? placed->result->run_count : 0;
        }
        mls_finding_list_add_one(found, placed->finding, owner, view);
    }
    add_more_of(found, view, submitter);
}

static void add_all(mls_finding_list *found, const mls_view *view, const mls_submission *submission)
{
    mls_finding_list_add(found, &submission->findings, (mls_owner){.path = "."}, view);
    for (size_t i = 0; i < submission->submitter_count; i++)
        add_of(found, view, &submission->submitters[i]);
}

enum { NUMBER_BYTES = 20, TEXT_BYTES = 60 };

static void check_cell(mls_table *table, const char *header, bool shown, mls_check check)
{
    static const char *const words[] = {"-", "ok", "FAIL", "bypassed"};
    static const mls_style styles[] = {MLS_STYLE_DIM, MLS_STYLE_PLAIN, MLS_STYLE_BAD, MLS_STYLE_WARN};
    mls_table_cell(table, header, MLS_COLUMN_KEEP, styles[check], "%s", shown ? words[check] : "");
}

/* Add the row of a result.  If `submitter` is NULL, omit the names of the submitter and the system, which are in
 * headings above the row. */
static void add_result_row(mls_table *table, const mls_view *view, const mls_submitter *submitter,
                           const mls_submission_result *result)
{
    enum { KEEP = MLS_COLUMN_KEEP, RIGHT = MLS_COLUMN_RIGHT, DECIMAL = MLS_COLUMN_DECIMAL, DETAIL = MLS_COLUMN_DETAIL };
    const mls_group *group = &result->group;
    const bool judged = result->judged; /* if false, no log of the result was read and only its name is known */
    const size_t needed = group->rules->runs_needed;
    const bool forgiven = result->invalid <= group->rules->left_out;
    const bool wrong = judged && (result->weak ? result->run_count < needed : result->run_count != needed);
    const double minutes = result->weak ? group->weak.minutes : group->scaled_minutes;
    mls_table_row(table);
    if (submitter != NULL) {
        mls_table_text(table, "submitter", KEEP | MLS_COLUMN_CUT_LAST, submitter->name);
        mls_table_text(table, "system", MLS_COLUMN_CUT, result->system);
    }
    mls_table_cell(table, "benchmark", KEEP | (submitter != NULL ? MLS_COLUMN_CUT_LAST : MLS_COLUMN_CUT),
                   MLS_STYLE_PLAIN, "%s%s", result->benchmark, result->weak ? " (weak)" : "");
    mls_table_cell(table, "runs", RIGHT | KEEP, wrong ? MLS_STYLE_BAD : MLS_STYLE_PLAIN, "%s%s%s",
                   judged ? mls_words_exact((double)result->run_count).text : "", wrong ? " of " : "",
                   wrong ? mls_words_exact((double)needed).text : "");
    mls_table_cell(table, "not valid", RIGHT | DETAIL, forgiven ? MLS_STYLE_WARN : MLS_STYLE_BAD, "%s",
                   judged && result->invalid > 0 ? mls_words_exact((double)result->invalid).text : "");
    mls_table_text(table, "scaled min", DECIMAL, judged ? mls_words_minutes(minutes).text : "");
    mls_table_text(table, "scale", DECIMAL | DETAIL, judged ? mls_words_grouped(group->scale, 3).text : "");
    check_cell(table, "rcp", judged, group->rcp.check);
    check_cell(table, "seeds", judged, group->seeds.check);
    check_cell(table, "power", judged && group->power.check != MLS_CHECK_NA, group->power.check);
    mls_table_cell(table, "", KEEP,
                   !judged         ? MLS_STYLE_WARN
                   : result->valid ? MLS_STYLE_GOOD
                                   : MLS_STYLE_BAD,
                   "%s",
                   !judged         ? "skipped"
                   : result->valid ? "✓"
                                   : "✗");
    for (size_t i = 0; i < result->run_count && view->verbose > 0 && judged && forgiven; i++) {
        const mls_submission_run *run = &result->runs[i];
        if (!run->run.valid) {
            mls_table_row(table);
            mls_table_lead(table, MLS_STYLE_DIM, "    %s", mls_path_name(run->file.path));
            mls_table_note(table, MLS_STYLE_DIM, " is dropped: %s", run->reason);
        }
    }
}

/* Append `before` and a text of a system description, which may be of any length.  Cut the text to `bytes` bytes. */
static void append_cut(mls_buffer *line, const char *before, const char *text, size_t bytes)
{
    if (text != NULL) {
        mls_buffer_append_text(line, before);
        mls_utf8_append_cut(line, mls_str_from(text), bytes);
    }
}

static void show_submitter(mls_view *view, const mls_submission *submission, const mls_submitter *submitter)
{
    const bool markdown = view->format == MLS_FORMAT_MARKDOWN;
    mls_table table = {.indent = 4};
    const char *name = NULL; /* name of the current system */
    mls_output_text(view->output, markdown ? "### " : "");
    mls_view_text(view, MLS_STYLE_BOLD, "%s", submitter->name);
    mls_output_printf(view->output, "   %s %s%s\n%s", mls_usage_name(submission->options.usage),
                      submission->edition->name, submission->edition_by_date ? " (by date)" : "", markdown ? "\n" : "");
    for (size_t i = 0; i < submitter->result_count; i++) {
        const mls_submission_result *result = &submitter->results[i];
        if (name == NULL || strcmp(name, result->system) != 0) { /* print the heading of the next system */
            const mls_system *system = NULL;
            mls_buffer line = {0};
            name = result->system;
            for (size_t k = 0; k < submitter->system_count && system == NULL; k++)
                system = strcmp(submitter->systems[k].name, name) == 0 ? &submitter->systems[k] : NULL;
            const bool described = system != NULL && system->description.path != NULL;
            mls_table_row(&table);
            mls_buffer_append_text(&line, name);
            mls_buffer_append_text(&line, described ? "" : "   no system description");
            if (described && system->says.number_of_nodes != NULL && system->says.accelerators_per_node != NULL) {
                append_cut(&line, "   ", system->says.number_of_nodes, NUMBER_BYTES);
                append_cut(&line, " x ", system->says.accelerators_per_node, NUMBER_BYTES);
                append_cut(&line, " ", system->says.accelerator_model_name, TEXT_BYTES);
            }
            append_cut(&line, "   ", described ? system->says.status : NULL, TEXT_BYTES);
            append_cut(&line, "   ", described ? system->says.division : NULL, NUMBER_BYTES);
            mls_table_note(&table, described && system->valid ? MLS_STYLE_BOLD : MLS_STYLE_BAD, "%s",
                           mls_table_take(&table, &line));
        }
        add_result_row(&table, view, NULL, result);
    }
    mls_table_finish(&table, view);
    mls_view_gap(view);
}

/* If there are more than RESULTS_MANY results, only results that are not ready are listed, at most RESULTS_SHOWN.  With
 * -v, all results are listed. */
enum { RESULTS_MANY = 40, RESULTS_SHOWN = 12 };

/* Return the number of results that were not checked, because the edition does not have their benchmark. */
static size_t count_unjudged(const mls_submission *submission)
{
    size_t count = 0;
    for (size_t i = 0; i < submission->submitter_count; i++)
        for (size_t k = 0; k < submission->submitters[i].result_count; k++)
            count += !submission->submitters[i].results[k].judged;
    return count;
}

static size_t count_results(const mls_submission *submission)
{
    size_t count = 0;
    for (size_t i = 0; i < submission->submitter_count; i++)
        count += submission->submitters[i].result_count;
    return count;
}

static void show_submission(mls_printer *to, const void *what)
{
    static const char *const headings[] = {"errors", "warnings", "advice"};
    static const mls_finding_code odd[] = {MLS_FINDING_COPIED_LOG, MLS_FINDING_RESUBMITTED, MLS_FINDING_FAR_FROM_PEERS,
                                           MLS_FINDING_CONFIG_SYSTEM};
    enum { ODD_SHOWN = 10, ODD_WIDTH = 100 };
    const mls_finding_list_look odd_look = {.indent = 2, .hang = 6, .together = true, .limit = ODD_SHOWN};
    const mls_submission *submission = what;
    mls_view *view = to->view;
    const bool markdown = view->format == MLS_FORMAT_MARKDOWN;
    const bool many = view->verbose == 0 && count_results(submission) > RESULTS_MANY;
    if (many && (!view->quiet || markdown)) {
        /* Show only the results that are not ready. */
        const size_t count = count_results(submission);
        mls_table table = {.indent = 4};
        size_t ready = 0;
        size_t shown = 0;
        for (size_t i = 0; i < submission->submitter_count; i++) {
            const mls_submitter *submitter = &submission->submitters[i];
            for (size_t k = 0; k < submitter->result_count; k++) {
                const mls_submission_result *result = &submitter->results[k];
                ready += result->valid;
                if (!result->valid && shown < RESULTS_SHOWN) {
                    add_result_row(&table, view, submitter, result);
                    shown++;
                }
            }
        }
        mls_output_text(view->output, view->format == MLS_FORMAT_MARKDOWN ? "### " : "");
        mls_view_text(view, MLS_STYLE_BOLD, "%s %s", mls_usage_name(submission->options.usage),
                      submission->edition->name);
        mls_output_printf(view->output, "%s   %s of %s, %zu ready%s\n%s",
                          submission->edition_by_date ? " (by date)" : "",
                          mls_words_plural(count, "result", "results").text,
                          mls_words_plural(submission->submitter_count, "submitter", "submitters").text, ready,
                          shown == 0 ? " (-v lists them)" : "", view->format == MLS_FORMAT_MARKDOWN ? "\n" : "");
        mls_table_finish(&table, view);
        mls_view_more(view, MLS_STYLE_PLAIN, 4, shown > 0 ? count - shown : 0, "result", mls_view_hint(view));
        mls_view_gap(view);
    }
    for (size_t i = 0; i < submission->submitter_count && !many && (!view->quiet || markdown); i++)
        show_submitter(view, submission, &submission->submitters[i]);
    for (mls_severity severity = MLS_SEVERITY_ERROR; severity <= MLS_SEVERITY_ADVICE && !view->brief; severity++) {
        if (!mls_view_shows(view, severity) || mls_finding_counts_of(&submission->counts, severity) == 0)
            continue;
        mls_output_printf(view->output, markdown ? "\n#### %s\n\n" : "%s\n", headings[severity]);
        /* Show all findings of one severity.  If there are many results, show fewer lines of each kind. */
        static const size_t most[] = {16, 8, 8}; /* maximum number of lines for each severity */
        const mls_finding_list_look look = {
            .indent = 2, .hang = 6, .together = true, .fold = many ? 3 : 10, .limit = many ? most[severity] : 0};
        mls_finding_list found = {0};
        size_t kept = 0;
        add_all(&found, view, submission);
        for (size_t i = 0; i < found.count; i++) {
            mls_finding *finding = &found.items[i].finding;
            finding->path = strcmp(finding->path, ".") == 0 ? submission->path : finding->path;
            if (finding->severity == severity)
                found.items[kept++] = found.items[i];
        }
        found.count = kept;
        found.unkept = mls_finding_counts_of(&submission->counts, severity) - kept;
        for (mls_finding_code code = 0; code < MLS_FINDING_COUNT; code++) {
            const size_t general = mls_findings_found(&submission->findings, code);
            found.unkept_of[code] = general > MLS_FINDINGS_KEPT_PER_CODE ? general - MLS_FINDINGS_KEPT_PER_CODE : 0;
            for (size_t i = 0; i < submission->submitter_count; i++)
                found.unkept_of[code] += submission->submitters[i].unkept[code];
        }
        mls_finding_list_show(view, &found, look);
    }
    mls_view_gap(view);
    const bool strict = view->strict && !submission->valid && submission->counts.error == 0;
    mls_buffer line = {0};
    mls_buffer_printf(&line, "%sready to upload%s", submission->valid ? "" : "not ", strict ? " (strict)" : "");
    const size_t unjudged = submission->valid ? count_unjudged(submission) : 0;
    if (unjudged > 0) {
        mls_buffer_printf(&line, ", except %s that %s not checked",
                          mls_words_plural(unjudged, "result", "results").text, unjudged == 1 ? "was" : "were");
    }
    mls_finding_list_append_counts(&line, ": ", &submission->counts);
    const mls_edition_advice *advice = &submission->edition->advice[MLS_ADVICE_UPLOAD];
    if (submission->valid && !view->brief && advice->says != NULL)
        mls_buffer_printf(&line, "; %s", advice->says);
    if (view->brief && submission->counts.error + submission->counts.warning + submission->counts.advice > 0)
        mls_buffer_append_text(&line, " (mlscore verify lists them)");
    mls_style_begin(view, submission->valid ? MLS_STYLE_GOOD : MLS_STYLE_BAD);
    mls_output_buffer(view->output, &line);
    mls_style_end(view, MLS_STYLE_BAD);
    mls_output_text(view->output, "\n");
    /* Show odd results that do not break a rule, the most important kind first. */
    mls_finding_list found = {0};
    mls_view narrow = *view;
    narrow.width = view->width == 0 || view->width > ODD_WIDTH ? ODD_WIDTH : view->width;
    for (size_t i = 0; i < sizeof odd / sizeof *odd && view->brief; i++) {
        for (size_t k = 0; k < submission->findings.count; k++) {
            const mls_finding *finding = &submission->findings.items[k];
            if (finding->code == odd[i])
                mls_finding_list_add_one(&found, finding, (mls_owner){.path = "."}, NULL);
        }
    }
    if (found.count > 0)
        mls_output_text(view->output, "odd results\n");
    mls_finding_list_show(&narrow, &found, odd_look);
}

typedef struct log_place {
    const mls_submission_run *run;
    const mls_olympic_mark *mark; /* NULL: the result does not have marks */
} log_place;

#define LOG_FIELDS(F)                                                                                                  \
    F(log, file, TEXT, "", row->run->file.path)                                                                        \
    F(log, valid, BOOL, "", row->run->run.valid)                                                                       \
    F(log, converged, BOOL, "", row->run->run.converged)                                                               \
    F(log, start_ms, NUMBER_OR_NULL, "ms", row->run->run.run_start.time_ms)                                            \
    F(log, minutes, NUMBER_OR_NULL, "minutes", mls_run_minutes(&row->run->run))                                        \
    F(log, joules, NUMBER_OR_NULL, "joules", row->run->joules)                                                         \
    F(log, counted, TEXT, "", mls_olympic_mark_name(row->mark != NULL ? *row->mark : MLS_OLYMPIC_KEPT))                \
    F(log, reason, TEXT_OR_NULL, "", row->run->reason)
MLS_FIELDS(log, log_place, LOG_FIELDS)

#define SEEDS_FIELDS(F)                                                                                                \
    F(seeds, ok, BOOL, "", row->check == MLS_CHECK_PASS)                                                               \
    F(seeds, bypassed, BOOL, "", row->check == MLS_CHECK_BYPASSED)                                                     \
    F(seeds, seeds, NUMBER, "", row->count)                                                                            \
    F(seeds, different, NUMBER, "", row->different)
MLS_FIELDS(seeds, mls_seed_outcome, SEEDS_FIELDS)
#define POWER_FIELDS(F)                                                                                                \
    F(power, ok, BOOL, "", row->check == MLS_CHECK_PASS)                                                               \
    F(power, joules, NUMBER_OR_NULL, "joules", row->energy_joules)
MLS_FIELDS(power, mls_power_outcome, POWER_FIELDS)
#define VERDICT_FIELDS(F)                                                                                              \
    F(verdict, pass, BOOL, "", row->result.pass)                                                                       \
    F(verdict, bypassed, BOOL, "", row->check == MLS_CHECK_BYPASSED)                                                   \
    MLS_VERDICT_FIELDS(F)
MLS_FIELDS(verdict, mls_rcp_outcome, VERDICT_FIELDS)

#define RESULT_FIELDS(F)                                                                                               \
    F(result, path, TEXT, "", row->path)                                                                               \
    F(result, system, TEXT, "", row->system)                                                                           \
    F(result, benchmark, TEXT, "", row->benchmark)                                                                     \
    F(result, division, TEXT_OR_NULL, "", row->division)                                                               \
    F(result, judged, BOOL, "", row->judged)                                                                           \
    F(result, valid, BOOL, "", row->valid)                                                                             \
    F(result, runs, NUMBER, "", row->run_count)                                                                        \
    F(result, runs_needed, NUMBER, "", row->judged ? row->group.rules->runs_needed : 0)                                \
    F(result, invalid, NUMBER, "", row->invalid)                                                                       \
    F(result, invalid_allowed, NUMBER, "", row->judged ? row->group.rules->left_out : 0)                               \
    F(result, score_minutes, NUMBER_OR_NULL, "minutes", row->group.score.score_minutes)                                \
    F(result, scale, NUMBER, "", row->group.scale)                                                                     \
    F(result, scaled_minutes, NUMBER_OR_NULL, "minutes", row->group.scaled_minutes)                                    \
    F(result, rcp, OBJECT_OR_NULL(verdict), "", MLS_IF_MADE(&row->group.rcp, row->group.rcp.check))                    \
    F(result, seeds, OBJECT_OR_NULL(seeds), "", MLS_IF_MADE(&row->group.seeds, row->group.seeds.check))                \
    F(result, power, OBJECT_OR_NULL(power), "", MLS_IF_MADE(&row->group.power, row->group.power.check))                \
    F(result, weak_scaling, OBJECT_OR_NULL(mls_weak), "", row->weak && row->judged ? &row->group.weak : NULL)          \
    F(result, logs, LIST(log), "",                                                                                     \
      MLS_EACH(row->run_count,                                                                                         \
               mls_emit_row(to, &(log_place){&row->runs[i], row->group.marks != NULL ? &row->group.marks[i] : NULL})))
MLS_FIELDS(result, mls_submission_result, RESULT_FIELDS)

#define SYSTEM_FIELDS(F)                                                                                               \
    F(system, name, TEXT, "", row->name)                                                                               \
    F(system, file, TEXT, "", row->description.path)                                                                   \
    F(system, valid, BOOL, "", row->valid)
MLS_FIELDS(system, mls_system, SYSTEM_FIELDS)

#define SUBMITTER_FIELDS(F)                                                                                            \
    F(submitter, name, TEXT, "", row->name)                                                                            \
    F(submitter, valid, BOOL, "", row->valid)                                                                          \
    F(submitter, systems, LIST(system), "",                                                                            \
      MLS_EACH(row->system_count,                                                                                      \
               mls_emit_row(to, row->systems[i].description.path != NULL ? &row->systems[i] : NULL)))                  \
    F(submitter, results, LIST(result), "", MLS_ROWS(row->results, row->result_count))                                 \
    F(submitter, findings, FINDINGS, "", add_of(&found, to->view, row))
MLS_FIELDS(submitter, mls_submitter, SUBMITTER_FIELDS)

#define SUBMISSION_FIELDS(F)                                                                                           \
    F(submission, path, TEXT, "", row->path)                                                                           \
    F(submission, valid, BOOL, "", row->valid)                                                                         \
    F(submission, usage, TEXT, "", mls_usage_name(row->options.usage))                                                 \
    F(submission, edition, TEXT, "", row->edition->name)                                                               \
    F(submission, edition_guessed, BOOL, "", row->edition_guessed)                                                     \
    F(submission, errors, NUMBER, "", row->counts.error)                                                               \
    F(submission, warnings, NUMBER, "", row->counts.warning)                                                           \
    F(submission, advice, NUMBER, "", row->counts.advice)                                                              \
    F(submission, submitters, LIST(submitter), "", MLS_ROWS(row->submitters, row->submitter_count))                    \
    F(submission, findings, FINDINGS, "",                                                                              \
      mls_finding_list_add(&found, &row->findings, (mls_owner){.path = "."}, to->view))
MLS_FIELDS(submission, mls_submission, SUBMISSION_FIELDS)

/* The rows of CSV are all findings. */
#define ALL_FIELDS(F) F(all, findings, FINDINGS, "", add_all(&found, to->view, row))
MLS_FIELDS_BESIDE(all, submission, ALL_FIELDS)
static void all_findings(mls_finding_list *found, const mls_printer *to, const void *submission)
{
    found->root = ((const mls_submission *)submission)->path;
    add_all(found, to->view, submission);
}

static void add_case(mls_printer *to, mls_finding_list found, const mls_finding_counts *counts, const char *class_name,
                     const char *name)
{
    const bool strict = to->view->strict;
    const size_t bad = counts->error + (strict ? counts->warning + counts->advice : 0);
    const mls_words failure = mls_words_plural(bad, "finding", "findings");
    mls_junit_case(to, class_name, name, mls_findings_pass(counts, strict) ? NULL : failure.text, &found);
}

/* Return the findings of a submitter about a system and a result.  If both are NULL, return the findings that are
 * neither about a system nor about a result. */
static mls_finding_list found_about(const mls_view *view, const mls_submitter *submitter, const mls_system *system,
                                    const mls_submission_result *result)
{
    mls_finding_list found = {0};
    for (size_t i = 0; i < submitter->placed_count; i++) {
        const mls_placed_finding *placed = &submitter->placed[i];
        if (placed->system == system && placed->result == result)
            mls_finding_list_add_one(&found, placed->finding, (mls_owner){.path = placed->path}, view);
    }
    return found;
}

static void test_cases(mls_printer *to, const void *what)
{
    const mls_submission *submission = what;
    const mls_view *view = to->view;
    if (submission->findings.count > 0) {
        mls_finding_list found = {0};
        mls_finding_list_add(&found, &submission->findings, (mls_owner){.path = "."}, view);
        add_case(to, found, &submission->findings.counts, "tree", "everything else");
        mls_junit_suite(to, submission->path);
    }
    for (size_t i = 0; i < submission->submitter_count; i++) {
        const mls_submitter *of = &submission->submitters[i];
        mls_finding_list rest = found_about(view, of, NULL, NULL);
        add_more_of(&rest, view, of);
        add_case(to, rest, &of->findings.counts, "tree", "everything else");
        for (size_t k = 0; k < of->system_count; k++) {
            const mls_system *system = &of->systems[k];
            const char *path = system->description.path != NULL ? system->description.path : system->folder;
            add_case(to, found_about(view, of, system, NULL), &system->findings.counts, "system", path);
        }
        for (size_t k = 0; k < of->result_count; k++) {
            const mls_submission_result *result = &of->results[k];
            add_case(to, found_about(view, of, NULL, result), &result->counts, result->benchmark, result->path);
        }
        mls_junit_suite(to, of->name);
    }
}

const mls_report mls_verify_report = {
    .name = "mlscore verify",
    .section = "VERIFY JSON",
    .show = show_submission,
    .page = mls_html_verify,
    .object = &submission_fields,
    .columns = {.section = "VERIFY CSV",
                .names = "severity code submitter path line column key message",
                .rows = "findings",
                .sources = {&all_fields, &mls_finding_csv_fields, &mls_finding_fields}},
    .findings = all_findings,
    .cases = test_cases};
