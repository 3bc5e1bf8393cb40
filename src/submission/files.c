/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.c - files of a submission: opened, read whole, and
 * package_checker_params, by which a submission asks to leave out checks.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/utf8.h"
#include "submission/tree.h"

/* It holds a few words. */
enum { PARAMS_BYTES_MAX = 65536 };

int mls_tree_open(const mls_submission *submission, const mls_submission_file *file)
{
    mls_error error = {.system_errno = ENOMEM};
    char *path = mls_path_join(submission->real, file->path);
    const int fd = path != NULL ? mls_file_open(path, false, &error) : -1;
    free(path);
    errno = error.system_errno;
    return fd;
}

mls_status mls_tree_read(const mls_submission *submission, const mls_submission_file *file, size_t limit,
                         mls_buffer *text, mls_error *error)
{
    char *path = mls_path_join(submission->real, file->path);
    const mls_status status = path != NULL ? mls_file_read(path, false, limit, text, error) : mls_error_memory(error);
    free(path);
    return status;
}

/* Only a line that nothing follows, not even its ending, is what the package checker compares with. */
static void take_line(mls_str line, bool ended, mls_finding_place place, mls_bypasses *bypasses, mls_findings *findings)
{
    const bool rcp = mls_str_equal(line, MLS_S("rcp-bypass"));
    const bool seeds = mls_str_equal(line, MLS_S("seed-checker-bypass"));
    if ((rcp || seeds) && !ended) {
        bypasses->rcp |= rcp;
        bypasses->seeds |= seeds;
    } else if (line.len > 0 && line.ptr[0] != '#') {
        mls_findings_add(findings, MLS_FINDING_PARAMS_IGNORED, place, "the line '%.*s' has no effect: %s",
                         MLS_CUT(line, 60),
                         rcp || seeds ? "the package checker takes it only when nothing follows, not even a line "
                                        "ending (write it with printf, as the last line)"
                                      : "only rcp-bypass and seed-checker-bypass have");
    }
}

void mls_params_judge(mls_str text, const char *path, mls_bypasses *bypasses, mls_findings *findings)
{
    mls_finding_place place = {.path = path};
    for (size_t at = 0; at < text.len;) {
        size_t end = at;
        while (end < text.len && text.ptr[end] != '\n' && text.ptr[end] != '\r') {
            end++;
        }
        place.line++;
        take_line((mls_str){text.ptr + at, end - at}, end < text.len, place, bypasses, findings);
        at = end + 1 + (end + 1 < text.len && text.ptr[end] == '\r' && text.ptr[end + 1] == '\n');
    }
}

mls_status mls_params_read(const mls_submission *submission, const mls_submission_file *file, mls_bypasses *bypasses,
                           mls_findings *findings)
{
    mls_buffer text = {0};
    mls_status status =
        file->readable ? mls_tree_read(submission, file, PARAMS_BYTES_MAX, &text, NULL) : MLS_ERROR_READ;
    if (status == MLS_OK) {
        mls_params_judge(mls_buffer_str(&text), file->path, bypasses, findings);
    } else if (status != MLS_ERROR_MEMORY) {
        mls_findings_add(findings, MLS_FINDING_PARAMS_IGNORED, (mls_finding_place){.path = file->path},
                         "cannot be read, or is no list of options");
        status = MLS_OK;
    }
    mls_buffer_release(&text);
    return status;
}
