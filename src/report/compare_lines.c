/* SPDX-License-Identifier: Apache-2.0 */
/* compare_lines.c - the lines that stand above and below the tables of every comparison, and means of a group. */
#include <math.h>

#include "report/compare_show.h"

enum { LEFT_OUT_SHOWN = 40, LINES_SHOWN = 6 };

void mls_compare_show_heading(mls_view *view, const mls_side_group *const *groups, size_t count, bool model)
{
    const mls_side_group *first = groups[0];
    const char *division = mls_division_name(first->division);
    const char *last = NULL;
    mls_buffer line = {0};
    bool changed = false;
    mls_buffer_printf(&line, "  %s  %s", division != NULL ? division : "no division", mls_usage_name(first->usage));
    for (size_t i = 0; i < count; i++) {
        const char *edition = groups[i]->edition;
        if (edition[0] != '\0' && (last == NULL || strcmp(edition, last) != 0)) {
            mls_buffer_printf(&line, "%s %s", last != NULL ? " and" : "", edition);
            changed |= last != NULL;
            last = edition;
        }
    }
    mls_buffer_append_text(&line, changed ? ": rules or targets may have changed" : "");
    if (model && first->accelerator != NULL) {
        mls_buffer_printf(&line, "   %s", first->accelerator);
    }
    mls_output_text(view->output, view->format == MLS_FORMAT_MARKDOWN ? "### " : "");
    mls_view_headline(view, mls_str_from(first->benchmark != NULL ? first->benchmark : "unknown benchmark"), &line, 2);
    mls_view_gap(view);
}

/* Returns the name of a run's file below the path of its group. */
static const char *file_below(const mls_side_group *group, const mls_side_run *run)
{
    const size_t len = strlen(group->path);
    return strncmp(run->file, group->path, len) == 0 && run->file[len] == '/' ? run->file + len + 1 : run->file;
}

void mls_compare_show_odd_runs(mls_view *view, const mls_block *block)
{
    const size_t most = mls_view_limit(view, LINES_SHOWN);
    size_t all = 0;
    for (size_t i = 0; i < block->outliers.count; i++) {
        const mls_outlier *outlier = &block->outliers.items[i];
        if (all++ < most) {
            mls_view_printf(view, MLS_STYLE_PLAIN, 2, 6, "outlier of %s: %s took %s %s for %s than the median run",
                            outlier->group->side->name, file_below(outlier->group, outlier->run),
                            mls_words_percent(fabs(outlier->ratio), 1).text, outlier->ratio > 0 ? "longer" : "less",
                            strcmp(outlier->run->unit, "epochs") == 0   ? "an epoch"
                            : strcmp(outlier->run->unit, "tokens") == 0 ? "a token"
                                                                        : "a sample");
        }
    }
    for (size_t i = 0; i < block->group_count; i++) {
        const mls_side_group *group = block->groups[i];
        for (size_t k = 0; k < group->runs.count; k++) {
            const mls_side_run *run = &group->runs.items[k];
            if (!run->valid && all++ < most) {
                mls_view_printf(view, MLS_STYLE_PLAIN, 2, 6, "dropped from %s: %s%s%s", group->side->name,
                                file_below(group, run), run->reason != NULL ? ": " : "",
                                run->reason != NULL ? run->reason : "");
            }
        }
    }
    mls_view_more(view, MLS_STYLE_PLAIN, 2, all > most ? all - most : 0, "such run", mls_view_hint(view));
}

void mls_compare_show_rest(mls_view *view, const mls_comparison *in, bool below)
{
    const size_t most = mls_view_limit(view, LEFT_OUT_SHOWN);
    const size_t shown = in->unmatched.count < most ? in->unmatched.count : most;
    mls_output_text(view->output, below && in->unmatched.count > 0 ? "\n" : "");
    for (size_t i = 0; i < shown; i++) {
        const mls_side_group *group = in->unmatched.items[i].group;
        const char *division = mls_division_name(group->division);
        mls_view_printf(view, MLS_STYLE_PLAIN, 0, 4, "%s: %s  %s%s%s  %s: %s",
                        in->mode == MLS_COMPARE_SIDES ? "not compared" : "left out", group->side->name,
                        group->benchmark != NULL ? group->benchmark : "unknown benchmark", division != NULL ? "  " : "",
                        division != NULL ? division : "", group->path, in->unmatched.items[i].reason);
    }
    mls_view_more(view, MLS_STYLE_PLAIN, 0, in->unmatched.count - shown, "group", mls_view_hint(view));
    size_t skipped = 0;
    for (size_t i = 0; i < in->collection_count; i++) {
        skipped += in->collections[i].skipped.count - in->collections[i].failed;
        if (view->verbose > 0) {
            mls_collection_show_skipped(view, &in->collections[i]);
        }
    }
    if (skipped > 0 && view->verbose == 0 && !view->quiet) {
        mls_output_printf(view->output, "%sskipped %s (-v lists them)\n", below || in->unmatched.count > 0 ? "\n" : "",
                          mls_words_plural(skipped, "file", "files").text);
    }
}

double mls_compare_part(const mls_side_group *group, mls_part part)
{
    const double mean = mls_sum_mean(&group->parts[part], group->kept);
    const bool delimited = group->evaluations.known && group->kept > 0;
    return delimited || part > MLS_PART_EVALUATION ? mean
           : part == MLS_PART_EVALUATION           ? (double)NAN
                                         : mean + mls_sum_mean(&group->parts[MLS_PART_EVALUATION], group->kept);
}

double mls_compare_rate(const mls_side_group *group, double ms)
{
    return group->to_converge / ms * (mls_compare_epochs(group) ? 3600e3 : 1e3);
}

mls_str mls_compare_round(const mls_side_group *group)
{
    const char *first = strchr(group->edition, '.');
    const char *second = first != NULL ? strchr(first + 1, '.') : NULL;
    return second != NULL ? (mls_str){group->edition, (size_t)(second - group->edition)} : mls_str_from(group->edition);
}

mls_words mls_compare_label(const mls_side_group *group, mls_share share)
{
    mls_words label = {""};
    const char *unit = group->unit != NULL ? group->unit : "samples";
    (void)mls_text_printf(label.text, sizeof label.text,
                          share == MLS_SHARE_CONVERGENCE ? "%s to converge" : "%s%s in training", unit,
                          mls_compare_epochs(group) ? "/h" : "/s");
    return label;
}

bool mls_compare_epochs(const mls_side_group *group)
{
    return group->unit != NULL && strcmp(group->unit, "epochs") == 0;
}
