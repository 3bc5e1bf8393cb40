/* SPDX-License-Identifier: Apache-2.0 */
/* html_findings.c - what was found, the worst first. */
#include <stdlib.h>

#include "report/html.h"

/* Of one code so many, of a brief group so many in all. */
enum { OF_A_CODE = 200, WHEN_BRIEF = 8 };

static int compare_noted(const void *left, const void *right)
{
    const mls_noted *const *a = left;
    const mls_noted *const *b = right;
    const int by_severity = (int)(*a)->finding.severity - (int)(*b)->finding.severity;
    return by_severity != 0 ? by_severity : *a < *b ? -1 : *a > *b;
}

static void gather_found(mls_found *found, const mls_html_group *of)
{
    const mls_group *group = of->group;
    mls_found_add(found, &group->findings, (mls_owner){.path = group->path}, NULL);
    mls_found_add(found, &group->rcp.findings, (mls_owner){.path = group->path}, NULL);
    mls_found_add(found, &group->seeds.findings, (mls_owner){.path = group->path, .runs = group->run_count}, NULL);
    for (size_t i = 0; i < group->run_count; i++) {
        mls_found_add(found, &group->runs[i]->findings,
                      (mls_owner){.path = group->runs[i]->file, .run = i + 1, .runs = group->run_count}, NULL);
    }
    mls_found_add(found, &of->timed->findings, (mls_owner){.path = group->path}, NULL);
}

/* The findings in the order of their severity, as far as there is room, and how many of each code there are beyond. */
static void append_found(mls_buffer *out, const mls_noted *const *order, size_t count, const mls_html_group *of)
{
    size_t shown_of[MLS_FINDING_COUNT] = {0};
    size_t more_of[MLS_FINDING_COUNT] = {0};
    size_t shown = 0;
    size_t more = 0;
    const size_t begun = out->len;
    mls_buffer_append_text(out, "<ul class=\"found\">\n");
    for (size_t i = 0; i < count; i++) {
        const mls_finding_code code = order[i]->finding.code;
        if ((of->brief && shown == WHEN_BRIEF) || out->len - begun > MLS_HTML_SECTION_BYTES) {
            more++;
        } else if (shown_of[code] == OF_A_CODE) {
            more_of[code]++;
        } else {
            const char *path = order[i]->finding.path;
            const bool whole = path == NULL || strcmp(path, of->group->path) == 0;
            mls_html_finding(out, &order[i]->finding, whole ? NULL : mls_group_name_below(of->group, path));
            shown_of[code]++;
            shown++;
        }
    }
    for (size_t code = 0; code < MLS_FINDING_COUNT; code++) {
        if (more_of[code] > 0) {
            mls_buffer_printf(out, "<li>and %zu more <span class=\"note\">%s</span></li>\n", more_of[code],
                              mls_finding_info_get((mls_finding_code)code)->name);
        }
    }
    if (more > 0) {
        mls_buffer_printf(out, "<li>and %zu more</li>\n", more);
    }
    mls_buffer_append_text(out, "</ul>\n");
}

void mls_html_findings(mls_buffer *out, const mls_html_group *of)
{
    mls_found found = {0};
    gather_found(&found, of);
    const mls_noted **order = mls_arena_array(of->scratch, found.count + 1, sizeof *order);
    out->failed |= order == NULL || found.failed;
    for (size_t i = 0; i < found.count && order != NULL; i++) {
        order[i] = &found.items[i];
    }
    if (found.count > 0 && order != NULL) {
        qsort(order, found.count, sizeof *order, compare_noted);
        mls_html_card_plain(out, "h3", "Findings", false);
        append_found(out, order, found.count, of);
        mls_html_card_end(out);
    }
    free(found.items);
    mls_arena_release(&found.texts);
}
