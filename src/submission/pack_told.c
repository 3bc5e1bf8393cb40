/* SPDX-License-Identifier: Apache-2.0 */
/* pack_told.c - what may be published of a record: no name and no text that was replaced is in it. */
#include <stdlib.h>

#include "submission/pack_record.h"

static const char *copy_member(mls_arena *arena, const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    return mls_arena_copy(arena, mls_str_from(text != NULL ? text : "?")).ptr;
}

static bool tell_pack(mls_pack_told *told, const cJSON *json)
{
    mls_arena *arena = told->arena;
    const cJSON *options = cJSON_GetObjectItemCaseSensitive(json, "options");
    mls_pack_told_of pack = {.result = copy_member(arena, json, "result"),
                             .version = copy_member(arena, json, "version"),
                             .scrubbed = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(options, "scrub"))};
    bool ok = pack.result != NULL && pack.version != NULL;
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(json, "files"))
    {
        pack.files++;
        pack.cut += cJSON_HasObjectItem(row, "lines") ? 1 : 0;
    }
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(json, "replaced"))
    {
        const double places = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(row, "places"));
        const mls_pack_scrubbed one = {copy_member(arena, row, "file"), copy_member(arena, row, "kind"),
                                       places >= 1 && places < 1e15 ? (size_t)places : 0};
        ok = ok && one.file != NULL && one.kind != NULL && MLS_ARENA_ADD(arena, &pack.replaced, one);
    }
    return ok && MLS_ARENA_ADD(arena, &told->packs, pack);
}

mls_status mls_pack_tell(const char *path, mls_pack_told *told, mls_error *error)
{
    mls_status status = MLS_OK;
    *told = (mls_pack_told){.arena = calloc(1, sizeof *told->arena)};
    cJSON *json = told->arena != NULL ? mls_pack_record_read(path, &status, error) : NULL;
    if (told->arena == NULL || status == MLS_ERROR_MEMORY) {
        status = mls_error_memory(error);
    } else if (json == NULL) {
        status = status != MLS_OK ? status : mls_error_set(error, MLS_ERROR_READ, 0, 0, "is no record of a pack");
    }
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(json, "packs"))
    {
        status = status == MLS_OK && !tell_pack(told, row) ? mls_error_memory(error) : status;
    }
    cJSON_Delete(json);
    return status;
}

void mls_pack_told_release(mls_pack_told *told)
{
    mls_arena_free(told->arena);
    *told = (mls_pack_told){0};
}
