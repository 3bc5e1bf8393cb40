/* SPDX-License-Identifier: Apache-2.0 */
/* html_groups.c - the page of an overview: a table of its groups, where they are many, and each with its sections. */
#include <stdlib.h>

#include "base/memory.h"
#include "report/html.h"

/* Of more groups than these each has less. */
enum { ALL_OF_GROUPS = 12 };

static mls_html_section *const sections[] = {mls_html_head,  mls_html_answers,   mls_html_convergence, mls_html_times,
                                             mls_html_parts, mls_html_reference, mls_html_published,   mls_html_pace,
                                             mls_html_runs,  mls_html_findings,  mls_html_settings};
static mls_html_section *const brief_sections[] = {mls_html_convergence, mls_html_times, mls_html_runs,
                                                   mls_html_findings};

static void append_sections(mls_buffer *out, const mls_html_group *of, mls_html_section *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        mls_arena_reset(of->scratch);
        list[i](out, of);
    }
}

/* What stands closed: its name, its score and whether that counts. */
static void append_group_summary(mls_buffer *out, const mls_html_group *of)
{
    const mls_group *group = of->group;
    const mls_html_badge is = mls_html_badge_of(group);
    mls_buffer_append_text(out, "<summary><h2>");
    mls_markup_text(out, mls_str_from(group->benchmark != NULL ? group->benchmark : "unknown benchmark"));
    mls_buffer_append_text(out, "</h2> ");
    mls_markup_printf(out, "%s min ", mls_words_grouped(mls_html_minutes(group), 3).text);
    mls_buffer_printf(out, "<span class=\"badge %s\">%s</span> <span class=\"path\">", is.look, is.words);
    mls_markup_text(out, mls_str_from(mls_path_shown(group->path)));
    mls_buffer_append_text(out, "</span></summary>\n");
}

static void append_page_group(mls_buffer *out, const mls_html_group *of)
{
    if (of->brief) {
        mls_buffer_printf(out, "<details class=\"group\" id=\"g%zu\">", of->number);
        append_group_summary(out, of);
        append_sections(out, of, brief_sections, sizeof brief_sections / sizeof *brief_sections);
        mls_buffer_append_text(out, "</details>\n");
    } else {
        mls_buffer_printf(out, "<article class=\"group\" id=\"g%zu\">\n", of->number);
        append_sections(out, of, sections, sizeof sections / sizeof *sections);
        mls_buffer_append_text(out, "</article>\n");
    }
}

static size_t count_logs(const mls_overview *all)
{
    size_t logs = 0;
    for (size_t i = 0; i < all->count; i++) {
        logs += all->items[i].group->run_count;
    }
    return logs;
}

static void append_frame(mls_buffer *out, const mls_overview *all)
{
    mls_buffer below = {0};
    mls_buffer title = {0};
    const char *benchmark = all->count == 1 ? all->items[0].side->benchmark : NULL;
    mls_buffer_printf(&below, "mlscore · made from %s", mls_words_plural(count_logs(all), "run", "runs").text);
    if (all->count > 1) {
        mls_buffer_printf(&below, " in %zu groups", all->count);
    }
    mls_buffer_printf(&title, "%s - MLPerf run report", benchmark != NULL ? benchmark : "mlscore");
    mls_html_begin(out, mls_buffer_str(&title), "MLPerf run report", mls_buffer_str(&below));
    out->failed |= title.failed || below.failed;
    mls_buffer_release(&title);
    mls_buffer_release(&below);
}

static void page_of_groups(mls_printer *to, const void *what)
{
    const mls_overview *all = what;
    const mls_html_detail detail = *(const mls_html_detail *)to->state;
    mls_output *output = to->view->output;
    const bool brief = detail == MLS_HTML_BRIEF || (detail == MLS_HTML_AUTO && all->count > ALL_OF_GROUPS);
    const bool none = detail == MLS_HTML_NONE && all->count > 1;
    mls_html_group *groups = mls_calloc(all->count + 1, sizeof *groups);
    mls_arena scratch = {0};
    mls_arena kept = {0};
    mls_buffer out = {0};
    out.failed = groups == NULL;
    append_frame(&out, all);
    for (size_t i = 0; i < all->count && groups != NULL; i++) {
        const mls_overview_group *of = &all->items[i];
        groups[i] = (mls_html_group){.all = all,
                                     .of = of,
                                     .group = of->group,
                                     .timed = mls_html_timed(of->timed, &kept),
                                     .number = i + 1,
                                     .brief = brief && all->count > 1,
                                     .scratch = &scratch};
        if (groups[i].timed == NULL) {
            out.failed = true;
            groups[i].timed = of->timed;
        }
    }
    if (all->count == 0) {
        mls_html_note(&out, "No run was found.");
    } else if (all->count > 1 && groups != NULL) {
        mls_html_group_table(&out, groups, all->count, !none);
    }
    for (size_t i = 0; i < all->count && groups != NULL && !none; i++) {
        if (detail == MLS_HTML_NONE) {
            append_sections(&out, &groups[i], sections, 2);
        } else {
            append_page_group(&out, &groups[i]);
        }
        mls_output_buffer(output, &out);
        out = (mls_buffer){0};
    }
    mls_html_end(&out);
    mls_output_buffer(output, &out);
    mls_arena_release(&kept);
    mls_arena_release(&scratch);
    free(groups);
}

const mls_report mls_page_report = {.section = "PAGE", .page = page_of_groups};
