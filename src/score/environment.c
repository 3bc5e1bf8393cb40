/* SPDX-License-Identifier: Apache-2.0 */
/* environment.c - from where the runs of a group lie to the description of the system that they ran on. */
#include <errno.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "score/part.h"
#include "score/slurm.h"

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

/* By the path as it is. */
static mls_status find_by(mls_str folder, mls_folder_system *system)
{
    mls_str id;
    mls_str above;
    system->known = mls_folder_of_system(folder, &id, &above);
    if (!system->known) {
        return MLS_OK;
    }
    mls_buffer_append(&system->id, id);
    const mls_status status = system->id.failed ? MLS_ERROR_MEMORY : mls_system_read(above, id, &system->text);
    system->described = status == MLS_OK;
    return status == MLS_ERROR_MEMORY ? status : MLS_OK;
}

mls_status mls_folder_system_find(mls_str folder, mls_folder_system *system)
{
    *system = (mls_folder_system){0};
    mls_status status = find_by(folder, system);
    if (status == MLS_OK && !system->known && !mls_str_starts(folder, MLS_S("/"))) {
        char *named = mls_strndup(folder.len > 0 ? folder.ptr : ".", folder.len > 0 ? folder.len : 1);
        char *whole = named != NULL ? realpath(named, NULL) : NULL;
        status = named == NULL || (whole == NULL && errno == ENOMEM) ? MLS_ERROR_MEMORY : MLS_OK;
        if (whole != NULL) {
            status = find_by(mls_str_from(whole), system);
        }
        free(named);
        free(whole);
    }
    return status;
}

void mls_folder_system_release(mls_folder_system *system)
{
    mls_buffer_release(&system->id);
    mls_buffer_release(&system->text);
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
    const struct mls_carried *carried = group->runs[0]->carried;
    if (folder.ptr == NULL) {
        return mls_group_describe(group, (mls_str){0}, (mls_str){0});
    }
    if (carried != NULL) {
        const mls_carried_system *system = carried->place->system;
        return mls_group_describe(group, mls_str_from(system != NULL ? system->id : NULL),
                                  system != NULL ? system->text : (mls_str){0});
    }
    mls_folder_system system;
    mls_status status = mls_folder_system_find(folder, &system);
    if (status == MLS_OK) {
        status = mls_group_describe(group, mls_buffer_str(&system.id),
                                    system.described ? mls_buffer_str(&system.text) : (mls_str){0});
    }
    mls_folder_system_release(&system);
    return status;
}
