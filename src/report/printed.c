/* SPDX-License-Identifier: Apache-2.0 */
/* printed.c - the settings that a job printed: the known ones, a line for each group. */
#include "report/printed.h"

#include "base/words.h"

enum { INDENT = 2, HANG = 4 };

static void show_group(mls_view *view, const mls_known_settings *known, const mls_str *values, const char *group)
{
    mls_buffer line = {0};
    bool any = false;
    mls_buffer_printf(&line, "%s:", group);
    for (size_t i = 0; i < known->count; i++) {
        if (strcmp(known->items[i].group, group) == 0 && values[i].ptr != NULL) {
            mls_buffer_printf(&line, "%s%s=", any ? "  " : " ", known->items[i].name);
            mls_buffer_append(&line, values[i]);
            any = true;
        }
    }
    if (any) {
        mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG + INDENT);
    } else {
        mls_output_drop(view->output, &line);
    }
}

void mls_printed_show(mls_view *view, mls_str title, size_t run_line, const mls_printed *printed,
                      const mls_known_settings *known)
{
    mls_buffer head = {0};
    mls_str values[MLS_KNOWN_SETTINGS_MAX];
    const size_t shown = mls_known_values(known, printed, values);
    if (printed->settings.count == 0) {
        mls_buffer_append_text(&head, "   no printed settings");
    } else {
        mls_buffer_printf(&head, "   %s printed",
                          mls_words_plural(printed->settings.count, "setting", "settings").text);
    }
    if (run_line != 0) {
        mls_buffer_printf(&head, " before the run_start in line %s", mls_words_count((double)run_line).text);
    }
    mls_view_headline(view, title, &head, HANG);
    for (size_t i = 0; i < known->count; i++) {
        if (i == 0 || strcmp(known->items[i].group, known->items[i - 1].group) != 0) {
            show_group(view, known, values, known->items[i].group);
        }
    }
    mls_view_more(view, MLS_STYLE_DIM, INDENT, printed->settings.count - shown, "setting", "--exports lists them");
    if (printed->lost > 0) {
        mls_view_printf(view, MLS_STYLE_WARN, INDENT, HANG, "%s beyond what is kept of a run",
                        mls_words_plural(printed->lost, "setting", "settings").text);
    }
}
