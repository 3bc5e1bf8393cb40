/* SPDX-License-Identifier: Apache-2.0 */
/* pack_record.c - the records beside a submission: found, read, and written anew. */
#include "submission/pack_record.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rows.h"
#include "base/utf8.h"
#include "mlscore/version.h"
#include "submission/made.h"

/* The member that tells a record. */
#define RECORD_MEMBER "mlscore_pack"
enum { RECORD_VERSION = 1, NAMES_MAX = 1000000 };

/* A path without links, as far as it is there, to be given to free(); NULL: no memory. */
static char *resolve_path(const char *path)
{
    char *real = realpath(path, NULL);
    mls_str above = mls_str_from(path);
    if (real != NULL) {
        return real;
    }
    const mls_str name = mls_path_cut(&above);
    char *folder = above.len > 0 ? strndup(above.ptr, above.len) : strdup(".");
    char *whole = folder == NULL ? NULL : name.len > 0 ? resolve_path(folder) : strdup("/");
    mls_buffer joined = {0};
    mls_buffer_printf(&joined, "%s%s%.*s", whole != NULL ? whole : "",
                      whole != NULL && strcmp(whole, "/") != 0 && name.len > 0 ? "/" : "", (int)name.len, name.ptr);
    joined.failed |= whole == NULL;
    free(folder);
    free(whole);
    char *resolved = joined.failed ? NULL : mls_buffer_detach(&joined);
    mls_buffer_release(&joined);
    return resolved;
}

/* The folder beside which a submission lies, with its slash: as the user would write it where `into` names it. */
static void append_beside(mls_buffer *path, const char *into, const char *resolved)
{
    mls_str above = mls_str_from(into);
    const mls_str name = mls_path_cut(&above);
    const bool named = name.len > 0 && !mls_str_equal(name, MLS_S(".")) && !mls_str_equal(name, MLS_S(".."));
    mls_buffer_append(path, named ? above : mls_path_folder(mls_str_from(resolved)));
}

cJSON *mls_pack_record_read(const char *path, mls_status *status, mls_error *error)
{
    mls_buffer text = {0};
    *status = mls_file_read(path, false, MLS_TABLE_TEXT_MAX, &text, error);
    cJSON *json = *status == MLS_OK && text.len > 0 ? cJSON_ParseWithLength(text.ptr, text.len) : NULL;
    mls_buffer_release(&text);
    if (json != NULL && !cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(json, RECORD_MEMBER))) {
        cJSON_Delete(json);
        json = NULL;
    }
    return json;
}

static const char *member_text(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

/* Takes the table and the system's identifier of a record. */
static mls_status take_table(mls_pack_record *self, const cJSON *json, const char *path, const char *system,
                             mls_scrub *scrub, mls_error *error)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(json, "replacements"))
    {
        const char *kind = member_text(row, "kind");
        const char *from = member_text(row, "from");
        const char *to = member_text(row, "to");
        const bool whole = kind != NULL && from != NULL && to != NULL;
        const mls_status status = scrub == NULL ? MLS_OK
                                  : whole
                                      ? mls_scrub_know(scrub, mls_str_from(kind), mls_str_from(from), mls_str_from(to))
                                      : MLS_ERROR_VALUE;
        if (status == MLS_ERROR_MEMORY) {
            return mls_error_memory(error);
        }
        if (status != MLS_OK) {
            return mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                                 "%.*s: what stands for the %.*s '%.*s' in it does not go with the records before it",
                                 MLS_CUT_TEXT(path, 100), MLS_CUT_TEXT(kind != NULL ? kind : "", 20),
                                 MLS_CUT_TEXT(from != NULL ? from : "", 40));
        }
    }
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(json, "packs"))
    {
        const char *of = member_text(row, "system");
        const char *id = member_text(row, "private_id");
        if (self->private_id == NULL && id != NULL && of != NULL && strcmp(of, system) == 0 &&
            (self->private_id = strdup(id)) == NULL) {
            return mls_error_memory(error);
        }
    }
    return MLS_OK;
}

/* Takes what the other records of this submission say that lie in a folder (with its slash). */
static mls_status take_beside(mls_pack_record *self, const char *folder, const mls_pack_options *options,
                              mls_scrub *scrub, mls_error *error)
{
    mls_names names = {0};
    int ignored;
    mls_status status = mls_folder_names(*folder != '\0' ? folder : ".", NAMES_MAX, &names, &ignored);
    for (size_t i = 0; i < names.count && status == MLS_OK; i++) {
        const mls_str name = mls_str_from(names.items[i]);
        if (!mls_str_starts(name, MLS_S("pack-")) || !mls_str_ends(name, MLS_S(".json"))) {
            continue;
        }
        mls_error other = {0};
        char *path = mls_path_join(folder, names.items[i]);
        const bool own = path != NULL && strcmp(path, self->path) == 0;
        cJSON *json = path != NULL && !own ? mls_pack_record_read(path, &status, &other) : NULL;
        const char *of = member_text(json, "submission");
        status = path == NULL || status == MLS_ERROR_MEMORY ? mls_error_memory(error) : MLS_OK;
        if (of != NULL && strcmp(of, self->submission) == 0 && status == MLS_OK) {
            status = take_table(self, json, path, options->system, scrub, error);
        }
        cJSON_Delete(json);
        free(path);
    }
    mls_names_release(&names);
    return status;
}

/* Takes what an earlier pack has left at the record's own place. */
static mls_status take_own(mls_pack_record *self, const mls_pack_options *options, mls_scrub *scrub, mls_error *error)
{
    mls_status status = MLS_OK;
    mls_error reading = {0};
    struct stat about;
    if (lstat(self->path, &about) != 0) {
        return MLS_OK;
    }
    self->before = mls_pack_record_read(self->path, &status, &reading);
    const char *of = member_text(self->before, "submission");
    if (status == MLS_ERROR_MEMORY) {
        return mls_error_memory(error);
    }
    if (self->before == NULL) {
        return mls_error_set(error, MLS_ERROR_READ, 0, 0, "%.*s: %s", MLS_CUT_TEXT(self->path, 150),
                             status != MLS_OK ? reading.message : "is there, and is no record of a pack");
    }
    if (options->record == NULL && of != NULL && strcmp(of, self->submission) != 0) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                             "%.*s: is the record of another submission, %.*s: give --record a file of its own",
                             MLS_CUT_TEXT(self->path, 120), MLS_CUT_TEXT(of, 60));
    }
    return take_table(self, self->before, self->path, options->system, scrub, error);
}

mls_status mls_pack_record_begin(mls_pack_record *self, const mls_pack_options *options, const char *benchmark,
                                 mls_scrub *scrub, mls_error *error)
{
    mls_buffer path = {0};
    mls_buffer beside = {0};
    char *into = resolve_path(options->into);
    if (into != NULL) {
        append_beside(&beside, options->into, into);
    }
    mls_buffer_printf(&path, "%.*s", beside.len > 0 ? (int)beside.len : 0, beside.ptr);
    mls_buffer_printf(&path, "pack-%s-%s.json", options->system, benchmark);
    self->path = options->record != NULL ? strdup(options->record) : path.failed ? NULL : mls_buffer_detach(&path);
    self->submission = into != NULL ? strdup(mls_path_name(into)) : NULL;
    char *folder = beside.failed ? NULL : strndup(beside.len > 0 ? beside.ptr : "", beside.len);
    char *real = self->path != NULL ? resolve_path(self->path) : NULL;
    const bool whole = self->submission != NULL && self->path != NULL && folder != NULL && real != NULL;
    mls_status status = whole ? MLS_OK : mls_error_memory(error);
    if (status == MLS_OK && mls_path_is_below(mls_str_from(real), mls_str_from(into))) {
        status = mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0,
                               "%.*s: the record says what was replaced, and lies in no submission: give --record "
                               "another place",
                               MLS_CUT_TEXT(self->path, 150));
    }
    status = whole && status == MLS_OK ? take_own(self, options, scrub, error) : status;
    if (whole && status == MLS_OK && options->record == NULL) {
        status = take_beside(self, folder, options, scrub, error);
    }
    mls_buffer_release(&path);
    mls_buffer_release(&beside);
    free(folder);
    free(real);
    free(into);
    return status;
}

mls_status mls_pack_record_identify(mls_pack_record *self, mls_error *error)
{
    unsigned char bytes[16];
    mls_buffer text = {0};
    if (self->private_id != NULL) {
        return MLS_OK;
    }
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        return mls_error_set_errno(error, MLS_ERROR_READ, errno, "no random numbers");
    }
    bytes[6] = (unsigned char)((bytes[6] & 0x0fU) | 0x40U); /* RFC 9562, version 4 */
    bytes[8] = (unsigned char)((bytes[8] & 0x3fU) | 0x80U);
    for (size_t i = 0; i < sizeof bytes; i++) {
        mls_buffer_printf(&text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
    }
    self->private_id = text.failed ? NULL : mls_buffer_detach(&text);
    mls_buffer_release(&text);
    return self->private_id != NULL ? MLS_OK : mls_error_memory(error);
}

static void append_text_or_null(mls_buffer *out, const char *name, const char *text)
{
    mls_buffer_printf(out, "\"%s\": ", name);
    if (text != NULL) {
        mls_json_text_append(out, mls_str_from(text));
    } else {
        mls_buffer_append_text(out, "null");
    }
}

static void append_texts(mls_buffer *out, const char *name, const char *const *texts, size_t count)
{
    mls_buffer_printf(out, "\"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        mls_buffer_append_text(out, i > 0 ? ", " : "");
        mls_json_text_append(out, mls_str_from(texts[i]));
    }
    mls_buffer_append_text(out, "]");
}

static void append_options(mls_buffer *out, const mls_pack_options *options)
{
    const struct {
        const char *name;
        bool on;
    } flags[] = {{"scrub", options->scrub}, {"cut", options->cut},
                 {"weak", options->weak},   {"incomplete", options->incomplete},
                 {"force", options->force}, {"described", options->described.len > 0}};
    mls_buffer_append_text(out, "   \"options\": {");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        mls_buffer_printf(out, "\"%s\": %s, ", flags[i].name, flags[i].on ? "true" : "false");
    }
    append_text_or_null(out, "config", options->config);
    mls_buffer_printf(out, ", \"batch\": %zu, ", options->batch);
    append_texts(out, "hosts", options->hosts, options->host_count);
    mls_buffer_append_text(out, ", ");
    append_texts(out, "named", options->named, options->named_count);
    mls_buffer_append_text(out, "},\n");
}

static void append_files(mls_buffer *out, const mls_pack *pack)
{
    mls_buffer_append_text(out, "   \"files\": [");
    for (size_t i = 0; i < pack->file_count; i++) {
        const mls_pack_file *file = &pack->files[i];
        char *source = realpath(file->run->file, NULL);
        mls_buffer_printf(out, "%s\n    {", i > 0 ? "," : "");
        append_text_or_null(out, "file", file->file);
        mls_buffer_append_text(out, ", ");
        append_text_or_null(out, "source", source != NULL ? source : file->run->file);
        free(source);
        if (file->first_line > 0) {
            mls_buffer_printf(out, ", \"lines\": [%zu, %zu]", file->first_line, file->last_line);
        }
        mls_buffer_printf(out, ", \"bytes\": %ju, \"sha256\": \"%s\", \"packed_sha256\": \"%s\"}",
                          (uintmax_t)file->bytes, file->source, file->packed);
    }
    mls_buffer_append_text(out, "],\n   \"replaced\": [");
    for (size_t i = 0; i < pack->scrubbed.count; i++) {
        const mls_pack_scrubbed *row = &pack->scrubbed.items[i];
        mls_buffer_printf(out, "%s\n    {\"kind\": \"%s\", \"places\": %zu, ", i > 0 ? "," : "", row->kind,
                          row->places);
        append_text_or_null(out, "file", row->file);
        mls_buffer_append_text(out, "}");
    }
    mls_buffer_append_text(out, "]}");
}

/* The packs of other results that a record has, as they are there. */
static void append_others(mls_buffer *out, const mls_pack_record *self, const mls_pack *pack)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(self->before, "packs"))
    {
        const char *result = member_text(row, "result");
        char *text = result == NULL || strcmp(result, pack->path) != 0 ? cJSON_PrintUnformatted(row) : NULL;
        out->failed |= text == NULL && (result == NULL || strcmp(result, pack->path) != 0);
        if (text != NULL) {
            mls_buffer_printf(out, "\n  %s,", text);
        }
        cJSON_free(text);
    }
}

/* The rows that the table of a pack without --scrub has: those of the record before. */
static void append_table(mls_buffer *out, const mls_pack_record *self, const mls_scrub *scrub)
{
    const char *before = "\n  ";
    const cJSON *rows = scrub == NULL ? cJSON_GetObjectItemCaseSensitive(self->before, "replacements") : NULL;
    const cJSON *row;
    mls_buffer_append_text(out, " \"replacements\": [");
    for (size_t i = 0; scrub != NULL && i < scrub->entries.count; i++) {
        const mls_scrub_entry *entry = &scrub->entries.items[i];
        mls_buffer_printf(out, "%s{\"kind\": \"%s\", \"from\": ", before, mls_scrub_kind_name(entry->kind));
        mls_json_text_append(out, mls_str_from(entry->from.ptr));
        mls_buffer_append_text(out, ", \"to\": ");
        mls_json_text_append(out, mls_str_from(entry->to.ptr));
        mls_buffer_append_text(out, "}");
        before = ",\n  ";
    }
    cJSON_ArrayForEach(row, rows)
    {
        char *text = cJSON_PrintUnformatted(row);
        out->failed |= text == NULL;
        mls_buffer_printf(out, "%s%s", before, text != NULL ? text : "");
        cJSON_free(text);
        before = ",\n  ";
    }
    mls_buffer_append_text(out, "]\n}\n");
}

static void append_record(mls_buffer *out, const mls_pack_record *self, const mls_pack_options *options,
                          const mls_pack *pack, const mls_scrub *scrub)
{
    mls_buffer_printf(out, "{\n \"" RECORD_MEMBER "\": %d,\n ", RECORD_VERSION);
    append_text_or_null(out, "submission", self->submission);
    mls_buffer_append_text(out, ",\n \"packs\": [");
    append_others(out, self, pack);
    mls_buffer_append_text(out, "\n  {");
    append_text_or_null(out, "result", pack->path);
    mls_buffer_append_text(out, ", \"version\": \"" MLS_VERSION "\",\n   ");
    append_text_or_null(out, "system", options->system);
    mls_buffer_append_text(out, ", ");
    append_text_or_null(out, "benchmark", pack->group->benchmark);
    mls_buffer_append_text(out, ", ");
    append_text_or_null(out, "edition", pack->group->edition->name);
    mls_buffer_append_text(out, ",\n   ");
    append_text_or_null(out, "private_id", self->private_id);
    mls_buffer_append_text(out, ",\n   ");
    append_text_or_null(out, "implementation", options->implementation);
    mls_buffer_append_text(out, ",\n");
    append_options(out, options);
    append_files(out, pack);
    mls_buffer_append_text(out, "],\n");
    append_table(out, self, scrub);
}

mls_status mls_pack_record_keep(const mls_pack_record *self, const mls_pack_options *options, const mls_pack *pack,
                                const mls_scrub *scrub, mls_names *placed, mls_error *error)
{
    mls_buffer text = {0};
    mls_buffer name = {0};
    append_record(&text, self, options, pack, scrub);
    mls_buffer_printf(&name, "%s.%ld", self->path, (long)getpid());
    mls_status status = text.failed || name.failed
                            ? mls_error_memory(error)
                            : mls_made_file(placed, name.ptr, 0600, mls_buffer_str(&text), error);
    if (status == MLS_OK && self->before == NULL) {
        status = mls_made_move(placed, name.ptr, self->path, error);
    } else if (status == MLS_OK && rename(name.ptr, self->path) != 0) {
        status = mls_error_set(error, MLS_ERROR_WRITE, 0, 0, "%.*s: cannot be made: %s", MLS_CUT_TEXT(self->path, 200),
                               strerror(errno));
    }
    mls_buffer_release(&text);
    mls_buffer_release(&name);
    return status;
}

void mls_pack_record_release(mls_pack_record *self)
{
    free(self->path);
    free(self->submission);
    free(self->private_id);
    cJSON_Delete(self->before);
    *self = (mls_pack_record){0};
}
