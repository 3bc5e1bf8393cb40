/* SPDX-License-Identifier: Apache-2.0 */
/* report_fields.c - the fields of a row, and what headings and units say. */
#include "explain/profile/reports.h"

mls_str mls_report_text(mls_reports *r, size_t field)
{
    if (field >= r->count) {
        return (mls_str){"", 0};
    }
    mls_report_field *of = &r->fields[field];
    char *text = r->window->at + of->begin;
    if (of->doubled) {
        size_t kept = 0;
        for (size_t i = 0; i < of->len; i++) {
            i += text[i] == '"' && i + 1 < of->len;
            text[kept++] = text[i];
        }
        of->len = kept;
        of->doubled = false;
    }
    return (mls_str){text, of->len};
}

mls_row_end mls_report_split(mls_reports *r, size_t len, size_t at, bool inside)
{
    const char *text = r->window->at;
    for (;;) {
        if (!inside && at < len && text[at] == '"') {
            r->open_at = ++at;
            inside = true;
        }
        const char *stop = memchr(text + at, inside ? '"' : ',', len - at);
        size_t end = stop != NULL ? (size_t)(stop - text) : len;
        if (inside && stop == NULL) {
            return MLS_ROW_OPEN;
        }
        if (inside && end + 1 < len && text[end + 1] == '"') {
            r->doubled = true;
            at = end + 2;
            continue;
        }
        if ((inside && end + 1 < len && text[end + 1] != ',') || r->count == MLS_FIELDS_MAX) {
            return MLS_ROW_BROKEN;
        }
        const size_t begin = inside ? r->open_at : at;
        r->fields[r->count++] = (mls_report_field){begin, end - begin, r->doubled};
        r->doubled = false;
        end += inside;
        if (end >= len) {
            return MLS_ROW_WHOLE;
        }
        inside = false;
        at = end + 1;
    }
}

mls_str mls_cut_brackets(mls_str *text)
{
    mls_str inside = {"", 0};
    const char *open = text->len > 0 && text->ptr[text->len - 1] == ')' ? memrchr(text->ptr, '(', text->len) : NULL;
    if (open != NULL) {
        inside = (mls_str){open + 1, text->len - (size_t)(open - text->ptr) - 2};
        text->len = (size_t)(open - text->ptr);
    }
    while (text->len > 0 && text->ptr[text->len - 1] == ' ') {
        text->len--;
    }
    return inside;
}

int mls_time_power(mls_str unit)
{
    static const char *const units[] = {"ns nsecond", "us usecond", "ms msecond", "s second"};
    for (int i = 0; i < 4 && unit.len > 0; i++) {
        if (mls_str_among(unit, units[i])) {
            return 3 * i;
        }
    }
    return -1;
}
