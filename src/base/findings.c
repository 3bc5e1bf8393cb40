/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - lists of findings with their counts, and the table of codes. */
#include <stdlib.h>

#include "base/base.h"
#include "base/memory.h"
#include "base/utf8.h"

static const mls_finding_info finding_table[] = {
#define MLS_FINDING(id, name, severity) {name, MLS_SEVERITY_##severity},
#include "base/finding_table.h"
#undef MLS_FINDING
};

const mls_finding_info *mls_finding_info_get(mls_finding_code code)
{
    return (size_t)code < MLS_FINDING_COUNT ? &finding_table[code] : NULL;
}

bool mls_finding_code_from_name(mls_str name, mls_finding_code *code)
{
    return MLS_NAME_FIND(finding_table, MLS_FINDING_COUNT, name, code);
}

void mls_finding_counts_add(mls_finding_counts *counts, const mls_finding_counts *more)
{
    counts->error += more->error;
    counts->warning += more->warning;
    counts->advice += more->advice;
}

static size_t *count_of(mls_finding_counts *counts, mls_severity severity)
{
    return severity == MLS_SEVERITY_ERROR     ? &counts->error
           : severity == MLS_SEVERITY_WARNING ? &counts->warning
                                              : &counts->advice;
}

size_t mls_finding_counts_of(const mls_finding_counts *counts, mls_severity severity)
{
    mls_finding_counts copy = *counts;
    return mls_severity_name(severity) != NULL ? *count_of(&copy, severity) : 0;
}

bool mls_findings_pass(const mls_finding_counts *counts, bool strict)
{
    return counts->error == 0 && (!strict || counts->warning + counts->advice == 0);
}

/* Store a finding.  Its texts are copied into one block, which begins with the message. */
static void keep_finding(mls_findings *list, mls_finding finding, mls_str message, mls_str key)
{
    const mls_str path = mls_str_from(finding.path);
    char *texts = mls_calloc(1, message.len + key.len + path.len + 3);
    char *key_copy = texts + message.len + 1;
    char *path_copy = key_copy + key.len + 1;
    memcpy(texts, message.ptr, message.len);
    finding.message = texts;
    finding.key = key.ptr != NULL ? memcpy(key_copy, key.ptr, key.len) : NULL;
    finding.path = finding.path != NULL ? memcpy(path_copy, path.ptr, path.len) : NULL;
    MLS_GROW(list, items);
    list->items[list->count++] = finding;
}

static size_t kept_of(const mls_findings *list, mls_finding_code code)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        kept += list->items[i].code == code;
    return kept;
}

size_t mls_findings_found(const mls_findings *list, mls_finding_code code)
{
    return kept_of(list, code) + (list->beyond != NULL ? list->beyond[code] : 0);
}

/* Count findings that are not stored.  Most lists never exceed the limit, so the table is allocated on demand. */
static void count_beyond(mls_findings *list, size_t code, size_t more)
{
    list->beyond = list->beyond != NULL ? list->beyond : mls_calloc(MLS_FINDING_COUNT, sizeof *list->beyond);
    list->beyond[code] += (uint32_t)more;
}

static bool keeps_more(const mls_findings *list, mls_finding_code code)
{
    return (list->beyond == NULL || list->beyond[code] == 0) && kept_of(list, code) < MLS_FINDINGS_KEPT_PER_CODE;
}

void mls_findings_count_more(mls_findings *list, mls_finding_code code, mls_severity severity, size_t more)
{
    *count_of(&list->counts, severity) += more;
    count_beyond(list, code, more);
}

MLS_PRINTF(5, 0)
static void add_finding(mls_findings *list, mls_finding_code code, mls_severity severity, mls_finding_place place,
                        const char *format, va_list args)
{
    ++*count_of(&list->counts, severity);
    if (!keeps_more(list, code)) {
        count_beyond(list, code, 1);
        return;
    }
    mls_buffer raw = {0};
    mls_buffer clean = {0};
    mls_buffer_vprintf(&raw, format, args);
    mls_escape_append(&clean, mls_buffer_str(&raw));
    mls_buffer_release(&raw);
    keep_finding(list, (mls_finding){code, severity, place.line, place.column, place.path, NULL, NULL},
                 clean.ptr != NULL ? mls_buffer_str(&clean) : MLS_S(""), place.key);
    mls_buffer_release(&clean);
}

void mls_findings_add(mls_findings *list, mls_finding_code code, mls_finding_place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_finding(list, code, finding_table[code].severity, place, format, args);
    va_end(args);
}

void mls_findings_add_as(mls_findings *list, mls_finding_code code, mls_severity severity, mls_finding_place place,
                         const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_finding(list, code, severity, place, format, args);
    va_end(args);
}

/* Append findings in their order; or, if `grouped`, grouped by code.  Findings with the code `except` are omitted; it
 * is MLS_FINDING_COUNT if no code is to be omitted. */
static void append(mls_findings *list, const mls_findings *from, bool grouped, mls_finding_code except)
{
    mls_finding_counts_add(&list->counts, &from->counts);
    for (size_t code = 0; code < (grouped && from->count > 0 ? MLS_FINDING_COUNT : 1); code++) {
        for (size_t i = 0; i < from->count; i++) {
            const mls_finding *f = &from->items[i];
            if (grouped && (size_t)f->code != code)
                continue;
            if (f->code == except)
                --*count_of(&list->counts, f->severity);
            else if (keeps_more(list, f->code))
                keep_finding(list, *f, mls_str_from(f->message), mls_str_from(f->key));
            else
                count_beyond(list, f->code, 1);
        }
    }
    for (size_t code = 0; code < MLS_FINDING_COUNT && from->beyond != NULL; code++)
        if (code != (size_t)except && from->beyond[code] > 0)
            count_beyond(list, code, from->beyond[code]);
}

void mls_findings_append_except(mls_findings *list, const mls_findings *from, mls_finding_code except)
{
    append(list, from, true, except);
}

void mls_findings_append_in_order(mls_findings *list, const mls_findings *from)
{
    append(list, from, false, MLS_FINDING_COUNT);
}

void mls_findings_append(mls_findings *list, const mls_findings *from)
{
    append(list, from, true, MLS_FINDING_COUNT);
}

/* Insertion sort: the list is short and nearly sorted, and findings at the same place must keep their order. */
void mls_findings_sort(mls_findings *list)
{
    for (size_t i = 1; i < list->count; i++) {
        const mls_finding finding = list->items[i];
        size_t at = i;
        for (; at > 0; at--) {
            const mls_finding *before = &list->items[at - 1];
            /* Line 0 means "no line" and sorts last: subtracting 1 wraps it to the maximum. */
            if (finding.line != before->line ? finding.line - 1 >= before->line - 1 : finding.column >= before->column)
                break;
            list->items[at] = *before;
        }
        list->items[at] = finding;
    }
}

void mls_findings_release(mls_findings *list)
{
    for (size_t i = 0; i < list->count; i++)
        free((void *)(uintptr_t)list->items[i].message); /* with the key and path in the same block */
    free(list->items);
    free(list->beyond);
    *list = (mls_findings){0};
}
