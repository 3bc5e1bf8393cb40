/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_github.c - findings as workflow commands of GitHub: remarks at their
 * files and lines.
 */
#include <stdlib.h>

#include "base/file.h"
#include "base/utf8.h"
#include "report/findings.h"

/* '%' and line endings are escaped, in properties ':' and ',' too. */
static void append(mls_buffer *line, mls_str text, bool property)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','))) {
            mls_buffer_printf(line, "%%%02X", (unsigned)(unsigned char)c);
        } else {
            mls_buffer_append_char(line, c);
        }
    }
}

static void remark(mls_output *output, const mls_finding *finding, const char *root)
{
    static const char *const levels[] = {"error", "warning", "notice"};
    mls_buffer clean = {0};
    mls_buffer line = {0};
    char *path = root != NULL ? mls_path_join(root, finding->path != NULL ? finding->path : "") : NULL;
    mls_escape_append(&clean, mls_str_from(root != NULL ? path : finding->path));
    mls_buffer_printf(&line, "::%s file=", levels[finding->severity]);
    append(&line, mls_buffer_str(&clean), true);
    if (finding->line > 0) {
        mls_buffer_printf(&line, ",line=%zu", finding->line);
    }
    if (finding->line > 0 && finding->column > 0) {
        mls_buffer_printf(&line, ",col=%zu", finding->column);
    }
    mls_buffer_printf(&line, ",title=mlscore %s::", mls_finding_info_get(finding->code)->name);
    append(&line, mls_str_from(finding->message), false);
    mls_buffer_append_char(&line, '\n');
    line.failed |= root != NULL && path == NULL;
    free(path);
    mls_output_drop(output, &clean);
    mls_output_buffer(output, &line);
}

static void github_item(mls_printer *to, const void *what)
{
    mls_found found = {0};
    to->report->findings(&found, to, what);
    for (size_t i = 0; i < found.count; i++) {
        remark(to->view->output, &found.items[i].finding, found.root);
    }
    mls_found_finish(&found, to->view->output);
}

const mls_format_writer mls_format_github = {offsetof(mls_report, findings), NULL, github_item, NULL};
