/* SPDX-License-Identifier: Apache-2.0 */
/* pack_copy.c - laying out logs, power files and code. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "submission/judge.h"
#include "submission/packing.h"

const char *mls_packing_path(const mls_pack *pack, const char *folder, const char *name, size_t number, const char *end)
{
    mls_buffer path = {0};
    mls_buffer_printf(&path, "%s/%s", folder, name);
    if (end != NULL) {
        mls_buffer_printf(&path, "%zu%s", number, end);
    }
    const char *copy = path.failed ? NULL : mls_arena_copy(pack->arena, mls_buffer_str(&path)).ptr;
    mls_buffer_release(&path);
    return copy;
}

mls_status mls_packing_folder(const mls_packing *self, mls_names *made, const char *root, const char *folder)
{
    char *path = mls_path_join(root, folder);
    const mls_status status = path != NULL ? mls_made_folder(made, path, self->error) : mls_error_memory(self->error);
    free(path);
    return status;
}

static mls_status cannot_copy(const mls_packing *self, const char *source, const char *why)
{
    return mls_error_set(self->error, MLS_ERROR_READ, 0, 0, "%.*s: %s", MLS_CUT_TEXT(source, 150), why);
}

/* Reads a source whole, which must not change meanwhile. */
static mls_status read_unchanged(const mls_packing *self, const char *source, size_t root, mls_buffer *text)
{
    mls_error reading = {0};
    struct stat before = {0};
    struct stat after = {0};
    (void)stat(source, &before);
    const mls_status status = mls_file_read_again(source, root, MLS_LOG_BYTES_MAX, text, &reading);
    const bool same = stat(source, &after) == 0 && before.st_size == after.st_size &&
                      before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec;
    return status == MLS_ERROR_MEMORY ? mls_error_memory(self->error)
           : status != MLS_OK         ? cannot_copy(self, source, reading.message)
           : !same                    ? cannot_copy(self, source, "changed meanwhile")
                                      : MLS_OK;
}

/* Lays out a text as a file of the tree. */
static mls_status lay_file(mls_packing *self, const char *file, mode_t mode, mls_str text)
{
    char *path = mls_path_join(self->tree, file);
    const mls_status status =
        path != NULL ? mls_made_file(&self->inside, path, mode, text, self->error) : mls_error_memory(self->error);
    free(path);
    return status;
}

mls_status mls_packing_copy(mls_packing *self, const char *source, const char *file)
{
    mls_buffer text = {0};
    mls_status status = read_unchanged(self, source, 0, &text);
    status = status == MLS_OK ? lay_file(self, file, 0666, mls_buffer_str(&text)) : status;
    mls_buffer_release(&text);
    return status;
}

/* The lines from `first` to `last`, counted from 1 as those of logs are: a lone carriage return ends one, too. */
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

/* Whether a name is one that power files have: node_0.txt of a node, sw_0.txt of a switch.  Any other may be that of a
 * host. */
static bool is_power_name(const char *name)
{
    return mls_name_matches(name, "node_#.txt") || mls_name_matches(name, "sw_#.txt");
}

static mls_status refuse_power(const mls_packing *self, const char *path, const char *why)
{
    return mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0, "%.*s: %s", MLS_CUT_TEXT(path, 150), why);
}

/* Power files stand in power/result_<i> beside the log of a result folder, and follow their run to its new number.  No
 * link is followed, as its target may be anything. */
static mls_status copy_power(mls_packing *self, size_t number)
{
    const mls_pack *pack = self->pack;
    const char *log = pack->files[number].run->file;
    const mls_str folder = mls_path_folder(mls_str_from(log));
    mls_buffer from = {0};
    mls_names names = {0};
    struct stat about;
    int system_errno;
    const char *to = mls_packing_path(pack, pack->path, "power/result_", number, "");
    mls_buffer_printf(&from, "%.*spower", (int)folder.len, folder.ptr);
    bool linked = !from.failed && lstat(from.ptr, &about) == 0 && S_ISLNK(about.st_mode);
    if (!linked) {
        mls_buffer_printf(&from, "/%s", mls_path_name(log));
        mls_buffer_cut(&from, from.len - strlen(".txt"));
        linked = !from.failed && lstat(from.ptr, &about) == 0 && S_ISLNK(about.st_mode);
    }
    mls_status status = from.failed || to == NULL ? mls_error_memory(self->error)
                        : linked
                            ? refuse_power(self, from.ptr, "is a link, which is not followed: copy its target here")
                            : mls_folder_names(from.ptr, 100000, &names, &system_errno);
    if (names.count > 0 && status == MLS_OK) {
        status = mls_packing_folder(self, &self->inside, self->tree, to);
    }
    for (size_t i = 0; i < names.count && status == MLS_OK; i++) {
        char *source = mls_path_join(from.ptr, names.items[i]);
        char *target = mls_path_join(to, names.items[i]);
        if (source == NULL || target == NULL) {
            status = mls_error_memory(self->error);
        } else if (lstat(source, &about) == 0 && !S_ISREG(about.st_mode)) {
            status = refuse_power(self, source,
                                  S_ISLNK(about.st_mode) ? "is a link, which is not followed: copy its target here"
                                                         : "is not a file");
        } else if (!is_power_name(names.items[i])) {
            status =
                refuse_power(self, source, "is not a name of a power file: node_0.txt, node_1.txt, … or sw_0.txt, …");
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
            status = lay_file(self, file->file, 0666, kept);
        }
        mls_buffer_release(&text);
        status = status == MLS_OK && run->result ? copy_power(self, i) : status;
    }
    return status;
}

static mls_status copy_code(mls_packing *self, const char *from, const char *to, unsigned depth);

static mls_status copy_link(mls_packing *self, const char *from, const char *to)
{
    char target[PATH_MAX];
    char *path = mls_path_join(self->tree, to);
    const ssize_t len = readlink(from, target, sizeof target - 1);
    target[len > 0 ? len : 0] = '\0';
    mls_status status = path == NULL ? mls_error_memory(self->error)
                        : len <= 0   ? cannot_copy(self, from, strerror(errno))
                                     : mls_made_link(&self->inside, path, target, self->error);
    free(path);
    return status;
}

/* Copies what stands at a path of the code: a file, a link, or a folder with all below it. */
static mls_status copy_code_entry(mls_packing *self, const char *from, const char *to, unsigned depth)
{
    struct stat about;
    mls_buffer text = {0};
    if (lstat(from, &about) != 0) {
        return cannot_copy(self, from, strerror(errno));
    }
    if (S_ISLNK(about.st_mode)) {
        return copy_link(self, from, to);
    }
    if (S_ISDIR(about.st_mode)) {
        return copy_code(self, from, to, depth + 1);
    }
    if (!S_ISREG(about.st_mode)) {
        return mls_error_set(self->error, MLS_ERROR_VALUE, 0, 0, "%.*s: is a %s, which can be no part of a submission",
                             MLS_CUT_TEXT(from, 150), mls_file_kind_words(about.st_mode));
    }
    mls_error reading = {0};
    mls_status status = mls_file_read_bytes(from, MLS_LOG_BYTES_MAX, &text, &reading);
    status = status == MLS_OK             ? lay_file(self, to, about.st_mode & 0777, mls_buffer_str(&text))
             : status == MLS_ERROR_MEMORY ? mls_error_memory(self->error)
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
                                          : cannot_copy(self, from, "folders too deep in each other");
    status = status == MLS_OK ? mls_folder_names(from, NAMES_MAX, &names, &system_errno) : status;
    status = status == MLS_OK && system_errno != 0 ? cannot_copy(self, from, strerror(system_errno)) : status;
    for (size_t i = 0; i < names.count && status == MLS_OK; i++) {
        char *source = mls_path_join(from, names.items[i]);
        char *target = mls_path_join(to, names.items[i]);
        status = source != NULL && target != NULL ? copy_code_entry(self, source, target, depth)
                                                  : mls_error_memory(self->error);
        free(source);
        free(target);
    }
    mls_names_release(&names);
    return status;
}

/* Verify asks whether there is code; what the submission has stays where it is. */
static mls_status stand_for_code(mls_packing *self, const char *implementations)
{
    mls_names names = {0};
    int ignored;
    char *there = mls_path_join(self->options->into, implementations);
    mls_status status = there != NULL ? mls_folder_names(there, 1000, &names, &ignored) : mls_error_memory(self->error);
    for (size_t i = 0; i < names.count && status == MLS_OK; i++) {
        struct stat about;
        char *one = mls_path_join(there, names.items[i]);
        const bool folder = one != NULL && stat(one, &about) == 0 && S_ISDIR(about.st_mode);
        free(one);
        if (folder && names.items[i][0] != '.') {
            const char *to = mls_packing_path(self->pack, implementations, "there", 0, NULL);
            const char *file = to != NULL ? mls_packing_path(self->pack, to, "README.md", 0, NULL) : NULL;
            status =
                file != NULL ? mls_packing_folder(self, &self->inside, self->tree, to) : mls_error_memory(self->error);
            status = status == MLS_OK ? lay_file(self, file, 0666, MLS_S("The submission has it.\n")) : status;
            break;
        }
    }
    mls_names_release(&names);
    free(there);
    return status;
}

mls_status mls_packing_copy_code(mls_packing *self)
{
    const mls_pack *pack = self->pack;
    const char *benchmark = mls_packing_path(pack, "benchmarks", pack->group->benchmark, 0, NULL);
    const char *implementations =
        benchmark != NULL ? mls_packing_path(pack, benchmark, "implementations", 0, NULL) : NULL;
    return implementations == NULL        ? mls_error_memory(self->error)
           : pack->implementation != NULL ? copy_code(self, self->options->implementation, pack->implementation, 0)
                                          : stand_for_code(self, implementations);
}
