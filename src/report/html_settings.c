/* SPDX-License-Identifier: Apache-2.0 */
/* html_settings.c - what the runs of a group were set up with, and in what they differ. */
#include "report/html.h"

/* So many values of a key are told apart. */
enum { VALUES_MOST = 6, VALUE_BYTES = 120 };

/* The value of each run for a key, NULL of one that has none, and whether all are the same. */
static bool take_values(const mls_group *group, mls_str key, const char **values)
{
    bool same = true;
    for (size_t i = 0; i < group->run_count; i++) {
        values[i] = mls_run_hyperparameter(group->runs[i], key);
        same &= (values[i] == NULL) == (values[0] == NULL) && (values[i] == NULL || strcmp(values[i], values[0]) == 0);
    }
    return same;
}

static bool is_same_value(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* "1, 2 and 4", as far as there is room. */
static void append_run_list(mls_buffer *words, const mls_group *group, const char **values, size_t at)
{
    size_t count = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        count += is_same_value(values[i], values[at]);
    }
    if (count == group->run_count) {
        return;
    }
    mls_buffer_append_text(words, count == 1 ? " (run" : " (runs");
    size_t listed = 0;
    for (size_t i = at; i < group->run_count && listed < VALUES_MOST; i++) {
        if (is_same_value(values[i], values[at])) {
            mls_buffer_printf(words, "%s %zu", listed++ > 0 ? "," : "", i + 1);
        }
    }
    mls_buffer_append_text(words, listed < count ? " …)" : ")");
}

/* Each value once, with the runs that have it where they differ. */
static void append_values_of(mls_buffer *words, const mls_group *group, const char **values)
{
    size_t told = 0;
    size_t more = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        bool before = false;
        for (size_t k = 0; k < i && !before; k++) {
            before = is_same_value(values[k], values[i]);
        }
        if (before) {
            continue;
        }
        if (told == VALUES_MOST) {
            more++;
            continue;
        }
        mls_buffer_printf(words, "%s%.*s%s", told++ > 0 ? "; " : "", VALUE_BYTES,
                          values[i] != NULL ? values[i] : "none",
                          values[i] != NULL && strlen(values[i]) > VALUE_BYTES ? "…" : "");
        append_run_list(words, group, values, i);
    }
    if (more > 0) {
        mls_buffer_printf(words, "; and %zu more", more);
    }
}

static void append_setting_row(mls_buffer *out, const mls_group *group, mls_str key, const char **values)
{
    const bool same = take_values(group, key, values);
    mls_buffer words = {0};
    append_values_of(&words, group, values);
    mls_buffer_append_text(out, "<tr>");
    mls_html_cell(out, NULL, "%.*s", (int)key.len, key.ptr);
    mls_html_cell(out, same ? "wide" : "wide orange", "%s%.*s", same ? "" : "differs: ", (int)words.len,
                  words.len > 0 ? words.ptr : "");
    mls_buffer_append_text(out, "</tr>\n");
    out->failed |= words.failed;
    mls_buffer_release(&words);
}

/* Whether a run before has the key. */
static bool is_known_before(const mls_group *group, size_t run, mls_str key)
{
    bool known = false;
    for (size_t i = 0; i < run && !known; i++) {
        known = group->runs[i]->hyperparameters == group->runs[run]->hyperparameters ||
                mls_run_hyperparameter(group->runs[i], key) != NULL;
    }
    return known;
}

void mls_html_settings(mls_buffer *out, const mls_html_group *of)
{
    const mls_group *group = of->group;
    const char **values = mls_arena_array(of->scratch, group->run_count, sizeof *values);
    const size_t begun = out->len;
    size_t rows = 0;
    size_t more = 0;
    out->failed |= values == NULL;
    for (size_t i = 0; i < group->run_count && values != NULL; i++) {
        const mls_run *run = group->runs[i];
        for (size_t k = 0; k < run->hyperparameter_count; k++) {
            const mls_str key = run->hyperparameters[k].key;
            if (is_known_before(group, i, key)) {
                continue;
            }
            if (out->len - begun > MLS_HTML_SECTION_BYTES) {
                more++;
                continue;
            }
            if (rows++ == 0) {
                mls_buffer_append_text(out, "<details class=\"card settings\"><summary><h3>Hyperparameters and what "
                                            "the logs disclose</h3></summary>\n");
                mls_html_table_begin(out, NULL, "Hyperparameters");
                mls_html_heading(out, NULL, "key");
                mls_html_heading(out, NULL, "value");
                mls_html_rows(out);
            }
            append_setting_row(out, group, key, values);
        }
    }
    if (rows > 0) {
        mls_html_table_end(out);
        if (more > 0) {
            mls_html_note(out, "and %zu more", more);
        }
        mls_buffer_append_text(out, "</details>\n");
    }
}
