/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nearby.c - a folder that is no submission, but is in one or above one: which
 * should have been given.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "submission/tree.h"

bool mls_tree_has_folder(const char *root, mls_str path, const char *name)
{
    char whole[PATH_MAX];
    struct stat about;
    const int len = snprintf(whole, sizeof whole, "%s/%.*s/%s", root, (int)path.len, path.ptr, name);
    return len > 0 && (size_t)len < sizeof whole && stat(whole, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Without its last part, "/" behind it too. */
static mls_str cut_last(mls_str path)
{
    while (path.len > 0 && path.ptr[path.len - 1] != '/') {
        path.len--;
    }
    while (path.len > 1 && path.ptr[path.len - 1] == '/') {
        path.len--;
    }
    return path;
}

/* The submission that a folder below its results, systems or benchmarks is in; empty: there is none. */
static mls_str submission_above(mls_str path)
{
    while (path.len > 1) {
        const mls_str above = cut_last(path);
        const mls_str name = {path.ptr + above.len + (above.len > 1), path.len - above.len - (above.len > 1)};
        char root[PATH_MAX];
        (void)snprintf(root, sizeof root, "%.*s", (int)above.len, above.ptr);
        if ((mls_str_equal(name, MLS_S("results")) || mls_str_equal(name, MLS_S("systems")) ||
             mls_str_equal(name, MLS_S("benchmarks"))) &&
            mls_tree_has_folder(root, MLS_S(""), "results") && mls_tree_has_folder(root, MLS_S(""), "systems")) {
            return above;
        }
        path = above;
    }
    return (mls_str){0};
}

/* As the user would write it: what was given, shortened by what is behind `above`, or else the way from there. */
static void append_above(mls_buffer *near, const mls_submission *submission, mls_str above)
{
    const mls_str real = mls_str_from(submission->real);
    const mls_str behind = {real.ptr + above.len, real.len - above.len};
    mls_str given = mls_str_from(submission->path);
    while (given.len > 1 && given.ptr[given.len - 1] == '/') {
        given.len--;
    }
    if (given.len > behind.len && mls_str_ends(given, behind)) {
        mls_buffer_append(near, (mls_str){given.ptr, given.len - behind.len});
        return;
    }
    mls_buffer_append(near, mls_str_equal(given, MLS_S(".")) ? MLS_S("..") : given);
    for (size_t i = mls_str_equal(given, MLS_S(".")) ? 1 : 0; i < behind.len; i++) {
        mls_buffer_append_text(near, behind.ptr[i] == '/' ? "/.." : "");
    }
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
