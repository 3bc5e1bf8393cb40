/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - print collected findings: as fields of rows, as lines, as workflow commands of GitHub, and as JUnit XML.
 * JUnit XML is buffered until the end because it begins with the total numbers. */
#include "report/findings.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "base/utf8.h"
#include "report/markup.h"

/* In JSON, an unknown path is omitted. */
#define FINDING_FIELDS(F)                                                                                              \
    F(finding, severity, TEXT, "", mls_severity_name(row->finding.severity))                                           \
    F(finding, code, TEXT, "", mls_finding_info_get(row->finding.code)->name)                                          \
    F(finding, path, WRITTEN, "",                                                                                      \
      to->csv || row->finding.path != NULL ? mls_emit_text(to, row->finding.path) : (void)0)                           \
    F(finding, key, TEXT_OR_NULL, "", row->finding.key)                                                                \
    F(finding, line, COUNT_OR_NULL, "", row->finding.line)                                                             \
    F(finding, message, TEXT, "", row->finding.message)
#define FINDING_CSV_FIELDS(F)                                                                                          \
    F(finding_csv, submitter, TEXT_OR_NULL, "", row->owner.name)                                                       \
    F(finding_csv, column, COUNT_OR_NULL, "", row->finding.column)
MLS_FIELDS_AS(, mls_finding_fields, finding, mls_finding_entry, NULL, FINDING_FIELDS)
MLS_FIELDS_AS(, mls_finding_csv_fields, finding_csv, mls_finding_entry, &mls_finding_fields, FINDING_CSV_FIELDS)

void mls_emit_found(mls_emitter *to, mls_finding_list *found)
{
    MLS_EMIT_VALUES(MLS_ROWS(found->items, found->count));
    mls_finding_list_finish(found);
}

bool mls_view_shows(const mls_view *view, mls_severity severity)
{
    return view->only != NULL ? view->only[0] == mls_severity_name(severity)[0]
                              : !view->quiet || view->strict || severity == MLS_SEVERITY_ERROR;
}

/* Return a message without the name of its file, which is printed as the path of the finding: "logs no seed". */
static const char *without_name(const mls_finding *finding)
{
    const mls_str message = mls_str_from(finding->message);
    const mls_str name = mls_str_from(finding->path != NULL ? mls_path_name(finding->path) : NULL);
    const char *rest = finding->message + name.len;
    if (name.len == 0 || !mls_str_starts(message, name))
        return finding->message;
    const size_t line = *rest == ':' ? 1 + strspn(rest + 1, "0123456789") : 0;
    rest += line + (line > 0 && rest[line] == ':');
    return rest[0] == ' ' && (line == 0 || rest[-1] == ':') ? rest + 1 : finding->message;
}

void mls_finding_list_add_one(mls_finding_list *found, const mls_finding *finding, mls_owner owner,
                              const mls_view *view)
{
    if (view != NULL && !mls_view_shows(view, finding->severity))
        return;
    MLS_GROW(found, items);
    mls_finding_entry *noted = &found->items[found->count++];
    *noted = (mls_finding_entry){*finding, owner, .runs = 1, .reported = 1};
    noted->finding.message = owner.runs > 0 ? without_name(finding) : finding->message;
    noted->finding.path = finding->path != NULL ? finding->path : owner.path;
    noted->finding.line = finding->line != 0 ? finding->line : owner.line;
}

void mls_finding_list_add_more(mls_finding_list *found, const mls_finding *kind, size_t more, mls_owner owner,
                               const mls_view *view)
{
    const bool below = view != NULL && mls_view_is_for_people(view);
    mls_buffer words = {0};
    if (more == 0 || below)
        return;
    mls_buffer_printf(&words, "%s of this kind %s not listed",
                      mls_words_plural(more, "more finding", "more findings").text, more == 1 ? "is" : "are");
    const mls_finding finding = {.code = kind->code,
                                 .severity = kind->severity,
                                 .key = kind->key,
                                 .message = mls_arena_copy(&found->texts, mls_buffer_str(&words)).ptr};
    mls_buffer_release(&words);
    mls_finding_list_add_one(found, &finding, owner, view);
}

void mls_finding_list_add(mls_finding_list *found, const mls_findings *findings, mls_owner owner, const mls_view *view)
{
    mls_finding kinds[MLS_FINDING_COUNT] = {0}; /* the last finding of each code */
    for (size_t i = 0; i < findings->count; i++) {
        mls_finding_list_add_one(found, &findings->items[i], owner, view);
        kinds[findings->items[i].code] = findings->items[i];
    }
    for (size_t code = 0; code < MLS_FINDING_COUNT && findings->beyond != NULL; code++)
        mls_finding_list_add_more(found, &kinds[code], findings->beyond[code], owner, view);
    mls_finding_list_add_unkept(found, findings, view);
}

void mls_finding_list_add_unkept(mls_finding_list *found, const mls_findings *findings, const mls_view *view)
{
    for (mls_severity severity = MLS_SEVERITY_ERROR; severity <= MLS_SEVERITY_ADVICE; severity++)
        if (view == NULL || mls_view_shows(view, severity))
            found->unkept += mls_finding_counts_of(&findings->counts, severity);
    for (size_t i = 0; i < findings->count; i++)
        found->unkept -= view == NULL || mls_view_shows(view, findings->items[i].severity);
    for (size_t code = 0; code < MLS_FINDING_COUNT && findings->beyond != NULL; code++)
        found->unkept_of[code] += findings->beyond[code];
}

void mls_finding_list_finish(mls_finding_list *found)
{
    free(found->items);
    mls_arena_release(&found->texts);
    *found = (mls_finding_list){0};
}

mls_words mls_finding_list_words(size_t count, mls_severity severity)
{
    static const char *const words[][2] = {
        {"error", "errors"}, {"warning", "warnings"}, {"piece of advice", "pieces of advice"}};
    return mls_words_plural(count, words[severity][0], words[severity][1]);
}

void mls_finding_list_append_counts(mls_buffer *line, const char *before, const mls_finding_counts *counts)
{
    for (mls_severity severity = MLS_SEVERITY_ERROR; severity <= MLS_SEVERITY_ADVICE; severity++) {
        const size_t count = mls_finding_counts_of(counts, severity);
        if (count > 0) {
            mls_buffer_printf(line, "%s%s", before, mls_finding_list_words(count, severity).text);
            before = ", ";
        }
    }
}

/* Return the first finding with a key.  If the key is new, this is the finding of index `i`. */
static mls_finding_entry *first_of_key(mls_finding_list *found, mls_map *firsts, const mls_buffer *key, size_t i)
{
    mls_map_entry *entry = mls_map_put(firsts, mls_buffer_str(key), NULL);
    entry->value.number = entry->value.number == 0 ? i + 1 : entry->value.number;
    found->items[i].first = entry->value.number - 1;
    return &found->items[found->items[i].first];
}

/* If only one run has similar errors and there are at most this many, each error is printed as a separate line, since
 * each must be fixed. */
enum { ERRORS_APART = 3 };

/* Combine the lines of each kind (severity, code and key) with more than `most` lines into one line. */
static void fold_kinds(mls_finding_list *found, size_t most)
{
    mls_arena arena = {0};
    mls_map kinds = {.arena = &arena}; /* kind -> index of its first finding, plus 1 */
    mls_buffer key = {0};
    /* Count the lines, findings and results of each kind at its first finding. */
    for (size_t i = 0; i < found->count; i++) {
        mls_finding_entry *noted = &found->items[i];
        if (noted->reported == 0)
            continue;
        mls_buffer_clear(&key);
        mls_buffer_printf(&key, "%d %d %s", (int)noted->finding.severity, (int)noted->finding.code,
                          noted->finding.key != NULL ? noted->finding.key : "");
        mls_finding_entry *first = first_of_key(found, &kinds, &key, i);
        const char *before = first->lines > 0 ? found->items[first->last].owner.of : NULL;
        first->results += noted->owner.of != NULL && (before == NULL || strcmp(before, noted->owner.of) != 0);
        first->folded += noted->reported;
        first->last = i;
        first->lines++;
    }
    /* Add the number of findings of a code that were not kept to the kind with the most findings of the code. */
    for (size_t code = 0; code < MLS_FINDING_COUNT; code++) {
        mls_finding_entry *largest = NULL;
        for (size_t k = 0; k < kinds.count && found->unkept_of[code] > 0; k++) {
            mls_finding_entry *first = &found->items[kinds.entries[k].value.number - 1];
            if ((size_t)first->finding.code == code && (largest == NULL || first->folded > largest->folded))
                largest = first;
        }
        if (largest != NULL) {
            const size_t taken = found->unkept < found->unkept_of[code] ? found->unkept : found->unkept_of[code];
            found->unkept -= taken;
            largest->folded += taken;
            largest->lines += taken;
        }
    }
    for (size_t i = found->count; i-- > 0;) {
        mls_finding_entry *noted = &found->items[i];
        mls_finding_entry *first = &found->items[noted->first];
        if (noted->reported > 0 && first->lines <= most) {
            noted->folded = 0;
        } else if (noted != first && noted->reported > 0) {
            first->reported += noted->reported;
            noted->reported = 0;
        }
    }
    mls_buffer_release(&key);
    mls_arena_release(&arena);
}

/* Sort single findings by their index, then combined kinds by their number of findings, the smallest first. */
static int compare_folded(const void *left, const void *right)
{
    const mls_finding_entry *a = *(const mls_finding_entry *const *)left;
    const mls_finding_entry *b = *(const mls_finding_entry *const *)right;
    const int order = mls_compare_sizes(a->folded, b->folded);
    return order != 0 ? order : (a > b) - (a < b);
}

/* Sort the most severe findings first. */
static int compare_sorted(const void *left, const void *right)
{
    const mls_finding_entry *a = *(const mls_finding_entry *const *)left;
    const mls_finding_entry *b = *(const mls_finding_entry *const *)right;
    const int order = (int)a->finding.severity - (int)b->finding.severity;
    return order != 0 ? order : compare_folded(left, right);
}

void mls_finding_list_show(mls_view *view, mls_finding_list *found, mls_finding_list_look look)
{
    const mls_finding_entry **shown = (const mls_finding_entry **)mls_calloc(found->count + 1, sizeof *shown);
    size_t count = 0;
    size_t left = found->count;
    const bool together = look.together && (view->verbose == 0 || look.one_log);
    if (together) {
        /* Combine similar findings of a result or log, such as those of several ranks or runs, into one line.  If
         * `listed` is set, combine only warnings and advice. */
        const bool listed = view->verbose > 0;
        mls_arena arena = {0};
        mls_map alike = {.arena = &arena}; /* key -> index of the first similar finding, plus 1 */
        mls_buffer key = {0};
        for (size_t i = 0; i < found->count; i++) {
            mls_finding_entry *noted = &found->items[i];
            const mls_finding *finding = &noted->finding;
            const mls_owner *owner = &noted->owner;
            noted->first = i;
            noted->last = i;
            if (owner->result.ptr == NULL || (listed && finding->severity == MLS_SEVERITY_ERROR))
                continue;
            /* Findings about runs are similar even if their messages contain different numbers, such as lines or
             * values. */
            mls_buffer_clear(&key);
            mls_buffer_printf(&key, "%d %d %zu ", (int)finding->code, (int)finding->severity, owner->result.len);
            mls_buffer_append(&key, owner->result);
            mls_buffer_printf(&key, "%s\n", finding->key != NULL ? finding->key : "");
            for (const char *at = finding->message; *at != '\0'; at++) {
                const size_t digits = owner->runs > 0 ? strspn(at, "0123456789") : 0;
                mls_buffer_append_char(&key, digits > 0 ? '0' : *at);
                at += digits > 0 ? digits - 1 : 0;
            }
            mls_finding_entry *first = first_of_key(found, &alike, &key, i);
            const mls_finding_entry *last = &found->items[first->last];
            const bool same_run =
                last->owner.run == owner->run && (owner->run != 0 || strcmp(last->finding.path, finding->path) == 0);
            first->runs += !same_run;
            first->last = i;
            first->alike++;
        }
        for (size_t i = 0; i < found->count; i++) {
            mls_finding_entry *first = &found->items[found->items[i].first];
            const bool apart =
                first->runs == 1 && first->finding.severity == MLS_SEVERITY_ERROR && first->alike <= ERRORS_APART;
            if (found->items[i].first != i && !apart) {
                found->items[i].reported = 0;
                first->reported++;
            }
        }
        mls_buffer_release(&key);
        mls_arena_release(&arena);
    }
    /* If only one line reports a code, the number in this line includes the findings of the code that were not kept. */
    for (size_t code = 0; code < MLS_FINDING_COUNT && together && look.fold == 0; code++) {
        mls_finding_entry *only = NULL;
        size_t lines = 0;
        for (size_t i = 0; i < found->count && found->unkept_of[code] > 0; i++) {
            if ((size_t)found->items[i].finding.code == code && found->items[i].reported > 0) {
                only = &found->items[i];
                lines++;
            }
        }
        if (lines == 1) {
            only->unkept = found->unkept < found->unkept_of[code] ? found->unkept : found->unkept_of[code];
            found->unkept -= only->unkept;
        }
    }
    if (look.fold > 0 && view->verbose == 0)
        fold_kinds(found, look.fold);
    for (size_t i = 0; i < found->count; i++)
        if (found->items[i].reported > 0)
            shown[count++] = &found->items[i];
    if (count > 1)
        qsort(shown, count, sizeof *shown, look.sorted ? compare_sorted : compare_folded);
    for (size_t i = 0; i < count && (look.limit == 0 || i < look.limit); i++) {
        /* Print "result_0.txt:69 and 9 more of 10: warning: …  [code]". */
        const mls_finding_entry *noted = shown[i];
        static const mls_style styles[] = {MLS_STYLE_BAD, MLS_STYLE_WARN, MLS_STYLE_DIM};
        const mls_finding *finding = &noted->finding;
        const bool named = look.named && finding->severity != MLS_SEVERITY_ERROR;
        const size_t reported = noted->reported + noted->unkept;
        mls_buffer text = {0};
        if (finding->path != NULL) {
            mls_buffer_append_text(&text, finding->path);
            if (finding->line > 0)
                mls_buffer_printf(&text, ":%zu", finding->line);
            if (finding->line > 0 && finding->column > 0 && noted->runs == 1 && reported == 1)
                mls_buffer_printf(&text, ":%zu", finding->column);
            mls_words_append_more(&text,
                                  noted->folded > 0 ? noted->folded - 1
                                  : noted->runs > 1 ? noted->runs - 1
                                                    : reported - 1,
                                  NULL, NULL);
            if (noted->folded > 0 && noted->results > 1)
                mls_buffer_printf(&text, ", in %zu results", noted->results);
            else if (noted->folded == 0 && noted->runs > 1 && noted->owner.runs >= noted->runs)
                mls_buffer_printf(&text, " of %zu", noted->owner.runs);
            mls_buffer_append_text(&text, ": ");
        }
        mls_buffer_printf(&text, "%s%s%s  [%s]", named ? mls_severity_name(finding->severity) : "", named ? ": " : "",
                          finding->message, mls_finding_info_get(finding->code)->name);
        mls_view_line(view, &text, styles[finding->severity], look.indent, look.hang);
        left -= shown[i]->reported;
    }
    mls_view_more(view, MLS_STYLE_PLAIN, look.indent, left + found->unkept, "finding",
                  left > 0 ? mls_view_hint(view) : NULL);
    free(shown);
    mls_finding_list_finish(found);
}

/* Append text with '%' and line endings escaped; if `property` is set, also escape ':' and ','. */
static void github_append(mls_buffer *line, mls_str text, bool property)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
            mls_buffer_printf(line, "%%%02X", (unsigned)(unsigned char)c);
        else
            mls_buffer_append_char(line, c);
    }
}

static void github_item(mls_printer *to, const void *what)
{
    static const char *const levels[] = {"error", "warning", "notice"};
    mls_finding_list found = {0};
    to->report->findings(&found, to, what);
    for (size_t i = 0; i < found.count; i++) {
        const mls_finding *finding = &found.items[i].finding;
        char *path = found.root != NULL ? mls_path_join(found.root, finding->path != NULL ? finding->path : "") : NULL;
        mls_buffer clean = {0};
        mls_buffer line = {0};
        mls_escape_append(&clean, mls_str_from(found.root != NULL ? path : finding->path));
        mls_buffer_printf(&line, "::%s file=", levels[finding->severity]);
        github_append(&line, mls_buffer_str(&clean), true);
        if (finding->line > 0)
            mls_buffer_printf(&line, ",line=%zu", finding->line);
        if (finding->line > 0 && finding->column > 0)
            mls_buffer_printf(&line, ",col=%zu", finding->column);
        mls_buffer_printf(&line, ",title=mlscore %s::", mls_finding_info_get(finding->code)->name);
        github_append(&line, mls_str_from(finding->message), false);
        mls_buffer_append_char(&line, '\n');
        free(path);
        mls_buffer_release(&clean);
        mls_output_buffer(to->view->output, &line);
    }
    mls_finding_list_finish(&found);
}

const mls_format_writer mls_format_github = {offsetof(mls_report, findings), NULL, github_item, NULL};

/* Append text for an XML element or attribute.  Characters that XML does not allow become U+FFFD. */
static void xml_append(mls_buffer *out, const char *bytes)
{
    const mls_str text = mls_str_from(bytes);
    for (size_t at = 0; at < text.len;) {
        const size_t start = at;
        const int32_t code = mls_utf8_next(text, &at);
        const bool allowed = (code >= 0x20 && code < 0x7f) ||
                             (code >= 0xa0 && code != 0xfffe && code != 0xffff && !mls_code_point_is_hostile(code));
        const char *entity = mls_markup_entity(code);
        if (entity != NULL)
            mls_buffer_append_text(out, entity);
        else
            mls_buffer_append(out, allowed ? (mls_str){text.ptr + start, at - start} : MLS_S("\xef\xbf\xbd"));
    }
}

static void xml_attribute(mls_buffer *out, const char *before, const char *value)
{
    mls_buffer_append_text(out, before);
    xml_append(out, value);
    mls_buffer_append_char(out, '"');
}

void mls_junit_case(mls_printer *to, const char *class_name, const char *name, const char *failure,
                    mls_finding_list *found)
{
    mls_buffer *out = &to->held;
    const char *element = failure != NULL ? "failure" : found->count > 0 ? "system-out" : NULL;
    xml_attribute(out, "    <testcase classname=\"", class_name);
    xml_attribute(out, " name=\"", name);
    mls_buffer_append_text(out, ">\n");
    if (failure != NULL)
        mls_buffer_printf(out, "      <failure message=\"%s\">", failure);
    else if (element != NULL)
        mls_buffer_append_text(out, "      <system-out>");
    for (size_t i = 0; i < found->count; i++) {
        const mls_finding *finding = &found->items[i].finding;
        xml_append(out, finding->path);
        if (finding->line > 0)
            mls_buffer_printf(out, ":%zu", finding->line);
        mls_buffer_printf(out, ": %s: ", mls_severity_name(finding->severity));
        xml_append(out, finding->message);
        mls_buffer_append_char(out, '\n');
    }
    if (element != NULL)
        mls_buffer_printf(out, "</%s>\n", element);
    mls_buffer_append_text(out, "    </testcase>\n");
    to->tests++;
    to->failures += failure != NULL;
    mls_finding_list_finish(found);
}

void mls_junit_suite(mls_printer *to, const char *name)
{
    mls_buffer *out = &to->suites;
    xml_attribute(out, "  <testsuite name=\"", name);
    mls_buffer_printf(out, " tests=\"%zu\" failures=\"%zu\">\n", to->tests, to->failures);
    mls_buffer_append(out, mls_buffer_str(&to->held));
    mls_buffer_append_text(out, "  </testsuite>\n");
    mls_buffer_clear(&to->held);
    to->tests = 0;
    to->failures = 0;
}

static void junit_item(mls_printer *to, const void *what)
{
    to->report->cases(to, what);
}

/* Print all suites.  If the report did not end a suite, print all test cases as one suite named after the report. */
static void junit_end(mls_printer *to)
{
    mls_output *output = to->view->output;
    mls_output_text(output, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    if (to->suites.len > 0) {
        mls_output_printf(output, "<testsuites name=\"%s\">\n", to->report->name);
    } else {
        mls_output_printf(output, "<testsuites tests=\"%zu\" failures=\"%zu\">\n", to->tests, to->failures);
        mls_junit_suite(to, to->report->name);
    }
    mls_buffer_release(&to->held);
    mls_output_buffer(output, &to->suites);
    mls_output_text(output, "</testsuites>\n");
}

const mls_format_writer mls_format_junit = {offsetof(mls_report, cases), NULL, junit_item, junit_end};
