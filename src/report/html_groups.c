/* SPDX-License-Identifier: Apache-2.0 */
/* html_groups.c - the page of an overview: each group with its sections. */
#include "report/html.h"

static mls_html_section *const sections[] = {mls_html_head,  mls_html_answers, mls_html_convergence,
                                             mls_html_times, mls_html_runs,    mls_html_findings};

static void append_group(mls_buffer *out, const mls_html_group *of)
{
    mls_buffer_printf(out, "<article class=\"group\" id=\"g%zu\">\n", of->number);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        mls_arena_reset(of->scratch);
        sections[i](out, of);
    }
    mls_buffer_append_text(out, "</article>\n");
}

static size_t count_logs(const mls_overview *all)
{
    size_t logs = 0;
    for (size_t i = 0; i < all->count; i++) {
        logs += all->items[i].group->run_count;
    }
    return logs;
}

void mls_html_page(mls_output *output, const mls_overview *all, mls_html_detail detail)
{
    (void)detail;
    mls_arena scratch = {0};
    mls_buffer out = {0};
    mls_buffer below = {0};
    mls_buffer title = {0};
    mls_buffer_printf(&below, "mlscore · made from %s", mls_words_plural(count_logs(all), "run", "runs").text);
    mls_buffer_printf(&title, "%s - MLPerf run report",
                      all->count == 1 && all->items[0].side->benchmark != NULL ? all->items[0].side->benchmark
                                                                               : "mlscore");
    mls_html_begin(&out, mls_buffer_str(&title), "MLPerf run report", mls_buffer_str(&below));
    for (size_t i = 0; i < all->count; i++) {
        const mls_overview_group *of = &all->items[i];
        const mls_html_group group = {
            .all = all, .of = of, .group = of->group, .timed = of->timed, .number = i + 1, .scratch = &scratch};
        append_group(&out, &group);
        mls_output_buffer(output, &out);
        out = (mls_buffer){0};
    }
    mls_html_end(&out);
    mls_output_short(output, title.failed || below.failed);
    mls_output_buffer(output, &out);
    mls_buffer_release(&title);
    mls_buffer_release(&below);
    mls_arena_release(&scratch);
}
