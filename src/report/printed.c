/* SPDX-License-Identifier: Apache-2.0 */
/* printed.c - the settings that a job printed: the known ones, a line for each group. */
#include "report/printed.h"

#include "base/words.h"

enum { INDENT = 2, HANG = 4 };

static void show_group(mls_view *view, const mls_printed *printed, const mls_known_settings *known, const char *group)
{
    mls_buffer line = {0};
    for (size_t i = 0; i < known->count; i++) {
        const mls_known_setting *setting = &known->items[i];
        const mls_str value = strcmp(setting->group, group) == 0 ? mls_known_value(setting, printed) : (mls_str){0};
        if (value.ptr != NULL) {
            mls_buffer_printf(&line, "%s%s=", line.len == 0 ? "" : "  ", setting->name);
            mls_buffer_append(&line, value);
        }
    }
    if (line.len > 0) {
        mls_buffer labelled = {0};
        mls_buffer_printf(&labelled, "%s: ", group);
        mls_buffer_append(&labelled, mls_buffer_str(&line));
        mls_view_line(view, &labelled, MLS_STYLE_PLAIN, INDENT, HANG + INDENT);
    }
    mls_output_drop(view->output, &line);
}

void mls_printed_show(mls_view *view, mls_str title, size_t run_line, const mls_printed *printed,
                      const mls_known_settings *known)
{
    mls_buffer head = {0};
    size_t shown = 0;
    for (size_t i = 0; i < printed->settings.count; i++) {
        shown += mls_known_setting_printed(known, printed->settings.items[i].name) != NULL;
    }
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
            show_group(view, printed, known, known->items[i].group);
        }
    }
    mls_view_more(view, MLS_STYLE_DIM, INDENT, printed->settings.count - shown, "setting", "--exports lists them");
    if (printed->lost > 0) {
        mls_view_printf(view, MLS_STYLE_WARN, INDENT, HANG, "%s beyond what is kept of a run",
                        mls_words_plural(printed->lost, "setting", "settings").text);
    }
}
