/* SPDX-License-Identifier: Apache-2.0 */
/* files.c - files of a submission: opened, read whole, and package_checker_params, by which a submission asks to leave
 * out checks; and which folder should have been given instead of one that is not a submission. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "submission/judge.h"

bool mls_name_matches(const char *name, const char *pattern)
{
    const size_t before = strcspn(pattern, "*#");
    const mls_str after = mls_str_from(pattern + before + (pattern[before] != '\0'));
    const mls_str text = mls_str_from(name);
    size_t number;
    if (text.len < before + after.len || memcmp(name, pattern, before) != 0 || !mls_str_ends(text, after)) {
        return false;
    }
    const mls_str part = {name + before, text.len - before - after.len};
    return pattern[before] == '#' ? mls_size_parse(part, &number) && (part.len == 1 || part.ptr[0] != '0')
                                  : pattern[before] == '*' || part.len == 0;
}

int mls_tree_open(void *submission, const char *path)
{
    mls_error error = {.system_errno = ENOMEM};
    char *whole = mls_path_join(((const mls_submission *)submission)->real, path);
    const int fd = whole != NULL ? mls_file_open(whole, false, &error) : -1;
    free(whole);
    errno = error.system_errno;
    return fd;
}

mls_status mls_tree_read(const mls_submission *submission, const mls_submission_file *file, size_t limit,
                         mls_buffer *text, mls_error *error)
{
    if (!file->readable) {
        return MLS_ERROR_READ;
    }
    char *path = mls_path_join(submission->real, file->path);
    const mls_status status = path != NULL ? mls_file_read(path, false, limit, text, error) : mls_error_memory(error);
    free(path);
    return status;
}

void mls_params_judge(mls_str text, const char *path, mls_bypasses *bypasses, mls_findings *findings)
{
    mls_finding_place place = {.path = path};
    for (size_t at = 0; at < text.len;) {
        mls_str line = {text.ptr + at, 0};
        while (at < text.len && text.ptr[at] != '\n' && text.ptr[at] != '\r') {
            line.len++;
            at++;
        }
        const bool rcp = mls_str_equal(line, MLS_S("rcp-bypass"));
        const bool seeds = mls_str_equal(line, MLS_S("seed-checker-bypass"));
        place.line++;
        /* Only a line that nothing follows, not even its ending, is what the package checker compares with. */
        if ((rcp || seeds) && at == text.len) {
            bypasses->rcp |= rcp;
            bypasses->seeds |= seeds;
        } else if (line.len > 0 && line.ptr[0] != '#') {
            mls_findings_add(findings, MLS_FINDING_PARAMS_IGNORED, place, "the line '%.*s' has no effect: %s",
                             MLS_CUT(line, 60),
                             rcp || seeds ? "the package checker takes it only when nothing follows, not even a line "
                                            "ending (write it with printf, as the last line)"
                                          : "only rcp-bypass and seed-checker-bypass have");
        }
        at += at + 1 < text.len && text.ptr[at] == '\r' && text.ptr[at + 1] == '\n' ? 2 : 1;
    }
}

bool mls_tree_has_folder(const char *root, mls_str path, const char *name)
{
    char whole[PATH_MAX];
    struct stat about;
    const int len = snprintf(whole, sizeof whole, "%s/%.*s/%s", root, (int)path.len, path.ptr, name);
    return len > 0 && (size_t)len < sizeof whole && stat(whole, &about) == 0 && S_ISDIR(about.st_mode);
}

/* By letters without their case, then by bytes. */
static int compare_caseless(const void *left, const void *right)
{
    const char *a = *(const char *const *)left;
    const char *b = *(const char *const *)right;
    const int order = strcasecmp(a, b);
    return order != 0 ? order : strcmp(a, b);
}

mls_status mls_tree_compare_names(const mls_names *names, const char *folder, mls_findings *findings)
{
    const char **sorted = mls_calloc(names->count + 1, sizeof *sorted);
    for (size_t i = 0; i < names->count && sorted != NULL; i++) {
        sorted[i] = names->items[i];
    }
    if (sorted != NULL) {
        qsort((void *)sorted, names->count, sizeof *sorted, compare_caseless);
    }
    for (size_t i = 1; i < names->count && sorted != NULL; i++) {
        if (strcasecmp(sorted[i - 1], sorted[i]) == 0) {
            char *path = mls_path_join(folder, sorted[i]);
            mls_findings_add(findings, MLS_FINDING_CASE_DIFFERS, (mls_finding_place){.path = path},
                             "the name differs from '%.*s' beside it only in the case of letters",
                             MLS_CUT_TEXT(sorted[i - 1], 80));
            findings->out_of_memory |= path == NULL;
            free(path);
        }
    }
    free((void *)sorted);
    return sorted != NULL && !findings->out_of_memory ? MLS_OK : MLS_ERROR_MEMORY;
}

/* The submission that a folder is in; empty: there is none. */
static mls_str submission_above(mls_str path)
{
    do {
        path = mls_path_folder(path);
        path.len -= path.len > 0;
    } while (path.len > 0 && !(mls_tree_has_folder("", path, "results") && mls_tree_has_folder("", path, "systems")));
    return path;
}

/* As the user would write it: what was given, shortened by the part after `above`, or else the way from there. */
static void append_above(mls_buffer *near, const mls_submission *submission, mls_str above)
{
    const mls_str below = mls_str_from(submission->real + above.len);
    mls_str given = mls_str_from(submission->path);
    while (given.len > 1 && given.ptr[given.len - 1] == '/') {
        given.len--;
    }
    if (given.len > below.len && mls_str_ends(given, below)) {
        mls_buffer_append(near, (mls_str){given.ptr, given.len - below.len});
        return;
    }
    const bool here = mls_str_equal(given, MLS_S("."));
    mls_buffer_append(near, here ? MLS_S("..") : given);
    for (size_t i = here ? 1 : 0; i < below.len; i++) {
        mls_buffer_append_text(near, below.ptr[i] == '/' ? "/.." : "");
    }
}

bool mls_is_wanted(const char *wanted, const char *name)
{
    return wanted == NULL || strcmp(wanted, name) == 0;
}

void mls_tree_missed(mls_submission *submission, const char *below)
{
    mls_buffer near = {0};
    const mls_str above = submission_above(mls_str_from(submission->real));
    if (above.len > 0) {
        append_above(&near, submission, above);
    } else if (below != NULL) {
        mls_buffer_printf(&near, "%s/%s", submission->path, below);
    }
    mls_findings_add(&submission->findings, MLS_FINDING_NO_RESULTS, (mls_finding_place){.path = "."},
                     "there is neither a folder results nor a folder of a submitter that has one%s%s",
                     near.len > 0 ? "; give " : "", near.len > 0 ? near.ptr : "");
    submission->findings.out_of_memory |= near.failed;
    mls_buffer_release(&near);
}
