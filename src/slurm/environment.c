/* SPDX-License-Identifier: Apache-2.0 */
/* environment.c - from where the runs of a group lie to the description of the system that they ran on. */
#include <errno.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "slurm/slurm.h"

bool mls_folder_of_system(mls_str folder, mls_str *system, mls_str *above)
{
    const mls_str benchmark = mls_path_cut(&folder);
    *system = mls_path_cut(&folder);
    if (mls_str_equal(*system, MLS_S("strong")) || mls_str_equal(*system, MLS_S("weak"))) {
        *system = mls_path_cut(&folder);
    }
    const mls_str results = mls_path_cut(&folder);
    *above = folder;
    return mls_str_equal(results, MLS_S("results")) && benchmark.len > 0 && benchmark.ptr[0] != '.' &&
           system->len > 0 && system->ptr[0] != '.';
}

mls_status mls_system_read(mls_str above, mls_str system, mls_buffer *text)
{
    enum { SYSTEMS = sizeof "systems/" - 1 };
    const mls_str from = above.len > 0 ? above : MLS_S("./");
    mls_buffer path = {0};
    size_t root = 0;
    for (size_t len = from.len; len <= from.len + SYSTEMS && root == 0; len += SYSTEMS) {
        mls_buffer_clear(&path);
        mls_buffer_printf(&path, "%.*ssystems/", (int)from.len, from.ptr);
        mls_buffer_cut(&path, len);
        root = !path.failed && mls_folder_is_foreign(path.ptr) ? len : 0;
    }
    mls_buffer_clear(&path);
    mls_buffer_printf(&path, "%.*ssystems/%.*s.json", (int)from.len, from.ptr, (int)system.len, system.ptr);
    const mls_status status =
        path.failed ? MLS_ERROR_MEMORY : mls_file_read_again(path.ptr, root, MLS_SYSTEM_BYTES_MAX, text, NULL);
    mls_buffer_release(&path);
    return status;
}

/* The system of a folder that lies, or whose path without links lies, inside one of a system; false: it lies in none.
 */
static mls_status describe_by(mls_group *group, mls_str folder, bool *known)
{
    mls_str system;
    mls_str above;
    mls_buffer text = {0};
    *known = mls_folder_of_system(folder, &system, &above);
    if (!*known) {
        return MLS_OK;
    }
    mls_status status = mls_system_read(above, system, &text);
    if (status != MLS_ERROR_MEMORY) {
        status = mls_group_describe(group, system, status == MLS_OK ? mls_buffer_str(&text) : (mls_str){0});
    }
    mls_buffer_release(&text);
    return status;
}

mls_str mls_group_folder(const mls_group *group)
{
    const char *file = group->runs[0]->file;
    const mls_str folder = mls_path_folder(mls_str_from(file));
    const bool together =
        strcmp(file, "-") != 0 &&
        mls_str_starts(mls_str_from(group->path), (mls_str){folder.ptr, folder.len - (folder.len > 1)});
    return together ? folder : (mls_str){0};
}

mls_status mls_group_environment(mls_group *group)
{
    const mls_str folder = mls_group_folder(group);
    const bool together = folder.ptr != NULL;
    bool known = false;
    mls_status status = together ? describe_by(group, folder, &known) : MLS_OK;
    if (status == MLS_OK && !known && together && !mls_str_starts(folder, MLS_S("/"))) {
        char *named = strndup(folder.len > 0 ? folder.ptr : ".", folder.len > 0 ? folder.len : 1);
        char *whole = named != NULL ? realpath(named, NULL) : NULL;
        status = named == NULL || (whole == NULL && errno == ENOMEM) ? MLS_ERROR_MEMORY : MLS_OK;
        if (whole != NULL) {
            status = describe_by(group, mls_str_from(whole), &known);
        }
        free(named);
        free(whole);
    }
    return status == MLS_OK && !known ? mls_group_describe(group, (mls_str){0}, (mls_str){0}) : status;
}
