/* SPDX-License-Identifier: Apache-2.0 */
/* pack_copy.c - write logs, power files, code, and a description of the system from the logs. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/words.h"
#include "submission/packing.h"
#include "json/dump.h"
#include "json/json_row.h"
#include "json/value.h"

mls_status mls_packing_folder(const mls_packing *self, mls_names *made, const char *root, const char *folder)
{
    char *path = mls_path_join(root, folder);
    const mls_status status = mls_made_folder(made, path, self->error);
    free(path);
    return status;
}

static mls_status cannot_copy(const mls_packing *self, const char *source, const char *why)
{
    return mls_error_set(self->error, MLS_ERROR_READ, 0, 0, "%.*s: %s", MLS_CUT_TEXT(source, 150), why);
}

/* Read a whole source file.  Fail if it changes meanwhile. */
static mls_status read_unchanged(const mls_packing *self, const char *source, size_t root, mls_buffer *text)
{
    mls_error reading = {0};
    struct stat before = {0};
    struct stat after = {0};
    (void)stat(source, &before);
    const mls_status status = mls_file_read_again(source, root, MLS_LOG_BYTES_MAX, text, &reading);
    const bool same = stat(source, &after) == 0 && before.st_size == after.st_size &&
                      before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec;
    return status != MLS_OK ? cannot_copy(self, source, reading.message)
           : !same          ? cannot_copy(self, source, "changed meanwhile")
                            : MLS_OK;
}

mls_status mls_packing_lay(mls_packing *self, const char *file, mode_t mode, mls_str text)
{
    char *path = mls_path_join(self->tree, file);
    const mls_status status = mls_made_file(&self->inside, path, mode, text, self->error);
    free(path);
    return status;
}

mls_status mls_packing_copy(mls_packing *self, const char *source, const char *file)
{
    mls_buffer text = {0};
    mls_status status = read_unchanged(self, source, 0, &text);
    status = status == MLS_OK ? mls_packing_lay(self, file, 0666, mls_buffer_str(&text)) : status;
    mls_buffer_release(&text);
    return status;
}

/* Return the lines from `first` to `last`, counted from 1.  As in logs, a lone carriage return ends a line. */
static mls_str cut_lines(mls_str text, size_t first, size_t last)
{
    size_t line = 1;
    size_t begin = first <= 1 ? 0 : text.len;
    size_t end = text.len;
    for (size_t at = 0; at < text.len && line <= last; at++) {
        const bool ends =
            text.ptr[at] == '\n' || (text.ptr[at] == '\r' && (at + 1 == text.len || text.ptr[at + 1] != '\n'));
        line += ends;
        begin = ends && line == first ? at + 1 : begin;
        end = ends && line == last + 1 ? at + 1 : end;
    }
    return (mls_str){text.ptr + begin, end - begin};
}

static mls_status refuse_power(const mls_packing *self, const char *path, const char *why)
{
    return mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0, "%.*s: %s", MLS_CUT_TEXT(path, 150), why);
}

/* Copy the power files of a run, which are in power/result_<i> next to its log, under its new number.  Links are not
 * followed because their target may be any file. */
static mls_status copy_power(mls_packing *self, size_t number)
{
    static const char linked[] = "is a link, which is not followed: copy its target here";
    const mls_pack *pack = self->pack;
    const char *log = pack->files[number].run->file;
    const mls_str folder = mls_path_folder(mls_str_from(log));
    const char *to = mls_tree_power(pack->arena, pack->path, number);
    mls_buffer from = {0};
    mls_names names = {0};
    struct stat about;
    int system_errno;
    mls_buffer_printf(&from, "%.*spower", (int)folder.len, folder.ptr);
    if (lstat(from.ptr, &about) != 0 || !S_ISLNK(about.st_mode)) {
        mls_buffer_printf(&from, "/%s", mls_path_name(log));
        mls_buffer_cut(&from, from.len - strlen(".txt"));
    }
    mls_status status = lstat(from.ptr, &about) == 0 && S_ISLNK(about.st_mode)
                            ? refuse_power(self, from.ptr, linked)
                            : mls_folder_names(from.ptr, 100000, &names, &system_errno);
    if (names.count > 0 && status == MLS_OK)
        status = mls_packing_folder(self, &self->inside, self->tree, to);
    for (size_t i = 0; i < names.count && status == MLS_OK; i++) {
        char *source = mls_path_join(from.ptr, names.items[i]);
        char *target = mls_path_join(to, names.items[i]);
        if (lstat(source, &about) == 0 && !S_ISREG(about.st_mode)) {
            status = refuse_power(self, source, S_ISLNK(about.st_mode) ? linked : "is not a file");
        } else if (!mls_name_matches(names.items[i], "node_#.txt") && !mls_name_matches(names.items[i], "sw_#.txt")) {
            /* Other names may reveal host names. */
            status = refuse_power(self, source,
                                  "is not a power file name: expected node_0.txt, node_1.txt, … or sw_0.txt, …");
        } else {
            status = mls_packing_copy(self, source, target);
        }
        free(source);
        free(target);
    }
    mls_names_release(&names);
    mls_buffer_release(&from);
    return status;
}

mls_status mls_packing_copy_logs(mls_packing *self)
{
    const mls_pack *pack = self->pack;
    mls_status status = mls_packing_folder(self, &self->inside, self->tree, pack->path);
    for (size_t i = 0; i < pack->file_count && status == MLS_OK; i++) {
        mls_pack_file *file = &pack->files[i];
        const mls_run *run = file->run;
        mls_buffer text = {0};
        status = read_unchanged(self, run->file, run->root, &text);
        mls_str kept = mls_buffer_str(&text);
        file->bytes = kept.len;
        if (status == MLS_OK) {
            mls_digest(kept, file->source);
            status = run->digest == NULL || strcmp(run->digest, file->source) == 0
                         ? MLS_OK
                         : cannot_copy(self, run->file, "changed meanwhile");
        }
        if (status == MLS_OK) {
            kept = file->first_line > 0 ? cut_lines(kept, file->first_line, file->last_line) : kept;
            status = mls_packing_lay(self, file->file, 0666, kept);
        }
        mls_buffer_release(&text);
        status = status == MLS_OK && run->result ? copy_power(self, i) : status;
    }
    return status;
}

static mls_status copy_code(mls_packing *self, const char *from, const char *to, unsigned depth);

/* Copy a file, a link, or a folder with everything in it from the code. */
static mls_status copy_code_entry(mls_packing *self, const char *from, const char *to, unsigned depth)
{
    struct stat about;
    if (lstat(from, &about) != 0)
        return cannot_copy(self, from, strerror(errno));
    if (S_ISLNK(about.st_mode)) {
        char target[PATH_MAX];
        const ssize_t len = readlink(from, target, sizeof target - 1);
        if (len <= 0)
            return cannot_copy(self, from, strerror(errno));
        target[len] = '\0';
        char *path = mls_path_join(self->tree, to);
        const mls_status status = mls_made_link(&self->inside, path, target, self->error);
        free(path);
        return status;
    }
    if (S_ISDIR(about.st_mode))
        return copy_code(self, from, to, depth + 1);
    if (!S_ISREG(about.st_mode)) {
        return mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0, "%.*s: is a %s, which can be no part of a submission",
                             MLS_CUT_TEXT(from, 150), mls_file_kind_words(about.st_mode));
    }
    mls_error reading = {0};
    mls_buffer text = {0};
    mls_status status = mls_file_read_bytes(from, MLS_LOG_BYTES_MAX, &text, &reading);
    status = status == MLS_OK ? mls_packing_lay(self, to, about.st_mode & 0777, mls_buffer_str(&text))
                              : cannot_copy(self, from, reading.message);
    mls_buffer_release(&text);
    return status;
}

static mls_status copy_code(mls_packing *self, const char *from, const char *to, unsigned depth)
{
    enum { DEPTH_MAX = 64, NAMES_MAX = 1000000 };
    mls_names names = {0};
    int system_errno = 0;
    mls_status status = depth < DEPTH_MAX ? mls_packing_folder(self, &self->inside, self->tree, to)
                                          : cannot_copy(self, from, "folders nested too deeply");
    status = status == MLS_OK ? mls_folder_names(from, NAMES_MAX, &names, &system_errno) : status;
    status = status == MLS_OK && system_errno != 0 ? cannot_copy(self, from, strerror(system_errno)) : status;
    for (size_t i = 0; i < names.count && status == MLS_OK; i++) {
        char *source = mls_path_join(from, names.items[i]);
        char *target = mls_path_join(to, names.items[i]);
        status = copy_code_entry(self, source, target, depth);
        free(source);
        free(target);
    }
    mls_names_release(&names);
    return status;
}

mls_status mls_packing_copy_code(mls_packing *self)
{
    mls_pack *pack = self->pack;
    if (pack->implementation != NULL)
        return copy_code(self, self->options->implementation, pack->implementation, 0);
    /* Verify requires code, so add a placeholder; existing implementations stay where they are. */
    mls_names names = {0};
    int ignored;
    char *there = mls_path_join(self->options->into, mls_tree_implementation(pack->arena, pack->group->benchmark, ""));
    mls_status status = mls_folder_names(there, 1000, &names, &ignored);
    for (size_t i = 0; i < names.count && status == MLS_OK; i++) {
        struct stat about;
        char *one = mls_path_join(there, names.items[i]);
        const bool folder = stat(one, &about) == 0 && S_ISDIR(about.st_mode);
        free(one);
        if (folder && names.items[i][0] != '.') {
            const char *to = mls_tree_implementation(pack->arena, pack->group->benchmark, "there");
            status = mls_packing_folder(self, &self->inside, self->tree, to);
            status = status == MLS_OK ? mls_packing_lay(self, mls_tree_result(pack->arena, to, "README.md"), 0666,
                                                        MLS_S("The submission has it.\n"))
                                      : status;
            break;
        }
    }
    mls_names_release(&names);
    free(there);
    return status;
}

/* ------------------------------------------------------------------------------------------------- a description */

/* The sources of a field, in order of preference: the given description, descriptions that runs log, the options and
 * the config's name, records of runs. */
typedef enum field_source { FROM_GIVEN, FROM_LOGGED, FROM_KNOWN, FROM_RECORDS, FIELD_SOURCES } field_source;

typedef struct field_sources {
    const mls_group *group;
    const char *system;
    mls_str given;         /* a JSON object */
    mls_str *logged;       /* JSON object of each run; empty: none */
    const cJSON *statuses; /* allowed values of the status */
    mls_arena arena;
} field_sources;

/* Return the JSON value of a field from one source, or an empty text.  FROM_LOGGED and FROM_RECORDS read it from `run`.
 */
static mls_str field_value(field_sources *in, field_source source, const mls_run *run, mls_str object, mls_str field)
{
    const bool nodes = mls_str_equal(field, MLS_S("number_of_nodes"));
    const char *text = NULL;
    double count = (double)NAN;
    if (source == FROM_GIVEN || source == FROM_LOGGED) {
        mls_str span = {0};
        const bool has = object.len > 0 && mls_json_member(object, field, &span);
        const mls_json_kind kind = has ? mls_json_kind_of(span) : MLS_JSON_NULL;
        const bool plain = (kind == MLS_JSON_STRING && span.len > 2) || kind == MLS_JSON_NUMBER;
        return plain ? span : (mls_str){0};
    }
    if (source == FROM_KNOWN) {
        const mls_config_name shape = mls_group_shape(in->group);
        text = mls_str_equal(field, MLS_S("division"))      ? mls_division_name(in->group->division)
               : mls_str_equal(field, MLS_S("system_name")) ? in->system
                                                            : NULL;
        const uint64_t number = nodes                                                  ? shape.nodes
                                : mls_str_equal(field, MLS_S("accelerators_per_node")) ? shape.gpus_per_node
                                                                                       : 0;
        count = number > 0 ? (double)number : (double)NAN;
    } else {
        const cJSON *statuses = mls_str_equal(field, MLS_S("status")) ? in->statuses : NULL;
        const cJSON *status;
        text = mls_str_equal(field, MLS_S("submitter")) ? run->organisation : NULL;
        count = nodes ? run->job.node_count : (double)NAN;
        cJSON_ArrayForEach(status, statuses)
        {
            const bool is = run->submission_status != NULL && strcmp(run->submission_status, status->valuestring) == 0;
            text = is ? status->valuestring : text;
        }
    }
    const mls_words number = mls_words_exact(count);
    text = isnan(count) ? text : number.text;
    if (text == NULL || *text == '\0')
        return (mls_str){0};
    mls_buffer json = {0};
    mls_json_text_append(&json, mls_str_from(text));
    const mls_str value = mls_arena_copy(&in->arena, mls_buffer_str(&json));
    mls_buffer_release(&json);
    return value;
}

/* Return the value of a field from the first source that has it.  Return an empty text if it is unknown or if runs
 * disagree, which adds a finding. */
static mls_str find_field(field_sources *in, mls_str field, mls_findings *findings)
{
    mls_str found = {0};
    const mls_run *who = NULL;
    for (field_source source = FROM_GIVEN; source < FIELD_SOURCES && found.len == 0; source++) {
        const bool each = source == FROM_LOGGED || source == FROM_RECORDS;
        for (size_t i = 0; i < (each ? in->group->run_count : 1); i++) {
            const mls_run *run = in->group->runs[i];
            const mls_str object = source == FROM_GIVEN ? in->given : in->logged[i];
            const mls_str value = field_value(in, source, run, object, field);
            if (found.len == 0) {
                found = value;
                who = run;
            } else if (value.len > 0 && !mls_str_equal(value, found)) {
                mls_findings_add(findings, MLS_FINDING_SYSTEM_EMPTY, (mls_finding_place){.key = field},
                                 "%.*s stays empty: it is %.*s in %.*s, %.*s in %.*s", MLS_CUT(field, 60),
                                 MLS_CUT(found, 40), MLS_CUT_TEXT(who->file, 80), MLS_CUT(value, 40),
                                 MLS_CUT_TEXT(run->file, 80));
                return (mls_str){0};
            }
        }
    }
    return found;
}

/* Read the JSON object of a text; it is empty if the text is not an object.  Return the error, or NULL. */
static const char *read_object(mls_str text, mls_arena *arena, mls_str *object, size_t *wrong)
{
    mls_description says;
    const char *reason = text.len > 0 ? mls_description_read(text, arena, arena, &says, object, wrong) : NULL;
    *object = text.len > 0 && reason == NULL ? *object : (mls_str){0};
    return reason;
}

mls_status mls_packing_describe(const mls_packing *self, mls_buffer *text)
{
    mls_pack *pack = self->pack;
    const mls_group *group = pack->group;
    const mls_str given = self->options->described;
    field_sources in = {.group = group, .system = self->options->system};
    cJSON *rules = NULL;
    size_t wrong = 0;
    mls_status status = MLS_OK;
    const char *reason = read_object(given, &in.arena, &in.given, &wrong);
    if (reason != NULL) {
        mls_error place = {0};
        mls_text_position(given, wrong, &place.line, &place.column);
        status = mls_error_set(self->error, MLS_ERROR_SYNTAX, place.line, place.column, "not JSON: %s", reason);
    }
    in.logged = mls_arena_zeroed(&in.arena, group->run_count, sizeof(mls_str));
    for (size_t i = 0; i < group->run_count; i++)
        (void)read_object(mls_str_from(group->runs[i]->job.system), &in.arena, &in.logged[i], &wrong);
    status = status == MLS_OK ? mls_json_data("systems.json", &rules, self->error) : status;
    const cJSON *entries = cJSON_GetObjectItem(rules, "entries");
    const cJSON *required = cJSON_GetObjectItem(cJSON_GetArrayItem(entries, 0), "required");
    in.statuses = cJSON_GetObjectItem(cJSON_GetArrayItem(entries, cJSON_GetArraySize(entries) - 1), "statuses");
    const cJSON *field;
    const char *before = "{\n";
    cJSON_ArrayForEach(field, required)
    {
        const mls_str name = mls_str_from(field->valuestring);
        const mls_str value = find_field(&in, name, &pack->findings);
        mls_buffer_printf(text, "%s  \"%s\": %.*s", before, name.ptr, (int)value.len, value.len > 0 ? value.ptr : "");
        before = ",\n";
        if (value.len == 0) {
            mls_buffer_append_text(text, "\"\"");
            MLS_ARENA_ADD(pack->arena, &pack->lacks, mls_arena_copy(pack->arena, name).ptr);
        }
    }
    mls_buffer_append_text(text, "\n}\n");
    cJSON_Delete(rules);
    mls_arena_release(&in.arena);
    return status;
}
