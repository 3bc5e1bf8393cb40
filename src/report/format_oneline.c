/* SPDX-License-Identifier: Apache-2.0 */
/* format_oneline.c - scores in one line for the comment of a job: at most 200 bytes of printable ASCII, without what
 * Slurm, sacct or a shell takes for its own. */
#include <math.h>

#include "report/reports.h"

enum { LINE_BYTES_MAX = 200 };

static void oneline_item(mls_printer *to, const void *what)
{
    mls_buffer line = {0};
    to->report->line(&line, what);
    for (size_t i = 0; i < line.len; i++) {
        char *c = &line.ptr[i];
        *c = *c < 0x20 || *c > 0x7e ? '?' : strchr("|\"'`", *c) != NULL ? ' ' : *c;
    }
    mls_buffer_cut(&line, LINE_BYTES_MAX);
    mls_buffer_append_char(&line, '\n');
    mls_output_write(to->view->output, mls_buffer_str(&line));
    mls_output_drop(to->view->output, &line);
}

const mls_format_writer mls_format_oneline = {offsetof(mls_report, line), NULL, oneline_item, NULL};

/* "llama2_70b_lora 10/10 valid 1.680 min scale 1.000 rcp pass" */
static void line_group(mls_buffer *line, const mls_group *group)
{
    size_t valid = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        valid += group->runs[i]->valid;
    }
    const unsigned needed = group->rules->runs_needed;
    mls_buffer_printf(line, "%s %zu/%zu valid", group->benchmark != NULL ? group->benchmark : "-", valid,
                      needed > 0 ? (size_t)needed : group->run_count);
    const mls_group_outcome result = mls_group_result(group);
    if (isfinite(result.scaled_minutes)) {
        mls_buffer_printf(line, " %s min%s scale %s", mls_words_grouped(result.scaled_minutes, 3).text,
                          result.official ? "" : " not official", mls_words_grouped(result.scale, 3).text);
    } else {
        mls_buffer_append_text(line, " no score");
    }
    if (group->rcp.check != MLS_CHECK_NOT_MADE) {
        mls_buffer_append_text(line, group->rcp.result.pass ? " rcp pass" : " rcp fail");
    }
}

/* Why the first of the runs did not end that have no run_stop. */
static const mls_finding *first_ending(const mls_group *group)
{
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_findings *findings = &group->runs[i]->findings;
        for (size_t k = findings->count; k-- > 0;) {
            const mls_finding_code code = findings->items[k].code;
            if (code == MLS_FINDING_DIAGNOSIS || code == MLS_FINDING_JOB_ENDED) {
                return &findings->items[k];
            }
        }
    }
    return NULL;
}

void mls_score_line(mls_buffer *line, const void *what)
{
    const mls_collection *collection = what;
    for (size_t i = 0; i < collection->group_count && line->len < LINE_BYTES_MAX; i++) {
        mls_buffer_append_text(line, i > 0 ? "; " : "");
        line_group(line, &collection->groups[i]);
    }
    for (size_t i = 0; i < collection->group_count && line->len < LINE_BYTES_MAX; i++) {
        const mls_finding *ending = first_ending(&collection->groups[i]);
        if (ending != NULL) {
            mls_buffer_printf(line, "; %s", ending->message);
        }
    }
    if (collection->group_count == 0) {
        mls_buffer_append_text(line, "no run found");
    }
}
