/* SPDX-License-Identifier: Apache-2.0 */
/* sources.c - which files to read: named paths as they are, folders in natural order. */
#include "run/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/walk.h"

enum { HEAD_BYTES = 4096 }; /* of a log, which mostly have its first record */

typedef struct source_finder {
    mls_sources *list;
    mls_error *error;
    bool foreign;    /* the folder that is walked is one out of which root must not be led */
    size_t argument; /* the path that is looked at, from 0 */
} source_finder;

/* Names of files that run.sub and the tools around it leave beside the logs. */
static const struct {
    mls_str prefix, suffix;
    const char *reason;
} names_skipped[] = {
    {MLS_STR("."), MLS_STR(""), "hidden"},
    {MLS_STR("compliance_"), MLS_STR(""), "compliance report: quotes lines of a log"},
    {MLS_STR(""), MLS_STR("_nccl.log"), "NCCL test"},
    {MLS_STR(""), MLS_STR("_mountcheck.log"), "mount check"},
    {MLS_STR(""), MLS_STR("_telemetry.log"), "telemetry"},
    {MLS_STR("core."), MLS_STR(""), "core dump"},
    {MLS_STR(""), MLS_STR(".md"), "document"},
    {MLS_STR(""), MLS_STR(".sh"), "script"},
    {MLS_STR(""), MLS_STR(".py"), "script"},
};

static const char *name_skipped(const char *name)
{
    const mls_str text = mls_str_from(name);
    for (size_t i = 0; i < sizeof names_skipped / sizeof *names_skipped; i++) {
        if (mls_str_starts(text, names_skipped[i].prefix) && mls_str_ends(text, names_skipped[i].suffix)) {
            return names_skipped[i].reason;
        }
    }
    return strcmp(name, "core") == 0 ? "core dump" : NULL;
}

/* Whether a file of that name holds one run of a result. */
static bool is_result(const char *name)
{
    const mls_str text = mls_str_from(name);
    return text.len >= sizeof "result_.txt" - 1 && mls_str_starts(text, MLS_S("result_")) &&
           mls_str_ends(text, MLS_S(".txt"));
}

static void add_source(const source_finder *finder, const char *path, const char *skip, mls_source source)
{
    source.path = mls_strdup(path);
    source.argument = finder->argument;
    source.skip = skip != NULL ? mls_strdup(skip) : NULL;
    MLS_GROW(finder->list, items);
    finder->list->items[finder->list->count++] = source;
}

static void add_failed(const source_finder *finder, const char *path, int system_errno, bool named)
{
    mls_error why = {0};
    (void)mls_error_set_errno(&why, MLS_ERROR_READ, system_errno, "");
    add_source(finder, path, why.message, (mls_source){.failed = true, .named = named});
}

static mls_status found(void *state, mls_walk_entry *entry)
{
    const source_finder *finder = state;
    const char *skip = name_skipped(entry->name);
    skip = skip != NULL                        ? skip
           : entry->kind == MLS_WALK_LOST      ? "broken link"
           : entry->kind == MLS_WALK_SPECIAL   ? mls_file_kind_words(entry->mode)
           : entry->before                     ? "folder already read"
           : entry->too_deep                   ? "folders nested too deeply"
           : entry->outside && finder->foreign ? "leads out of the folder"
                                               : NULL;
    if (skip != NULL) {
        entry->enter = false;
        add_source(finder, entry->path, skip, (mls_source){0});
    } else if (entry->kind == MLS_WALK_FAILED) {
        add_failed(finder, entry->path, entry->system_errno, false);
    } else if (entry->kind != MLS_WALK_FOLDER) {
        const size_t root = finder->foreign ? (size_t)(entry->below - entry->path) : 0;
        add_source(finder, entry->path, NULL,
                   (mls_source){.result = is_result(entry->name), .size = entry->size, .root = root});
    }
    return MLS_OK;
}

static mls_status listed(void *state, const mls_walk_entry *folder, const mls_names *names, int system_errno)
{
    (void)names;
    if (system_errno != 0) {
        add_failed(state, folder->path, system_errno, folder->depth == 0);
    }
    return MLS_OK;
}

static mls_status find_given(source_finder *finder, mls_folder_walk *walk, const char *path)
{
    struct stat about;
    mls_error why = {0};
    mls_source source = {.named = true};
    if (mls_file_look(path, &about, &why) != MLS_OK) {
        source.failed = true;
        add_source(finder, path, why.message, source);
    } else if (strcmp(path, "-") != 0 && S_ISDIR(about.st_mode)) {
        finder->foreign = mls_folder_is_foreign(path);
        return mls_folder_walk_from(walk, path, 0, finder->error);
    } else {
        if (strcmp(path, "-") != 0) {
            source.result = is_result(mls_path_name(path));
            source.size = S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
        }
        add_source(finder, path, NULL, source);
    }
    return MLS_OK;
}

/* Where a result_*.txt is, whatever way led to it: its folder's identity and its name.  False when these are not known.
 * `about` is of the folder *known, in which the next one mostly is too. */
static bool result_place(mls_str path, mls_str *known, struct stat *about, mls_buffer *place)
{
    const mls_str folder = mls_path_folder(path);
    mls_buffer_clear(place);
    if (known->ptr == NULL || !mls_str_equal(folder, *known)) {
        mls_buffer_printf(place, "%.*s.", (int)folder.len, folder.ptr);
        *known = stat(place->ptr, about) == 0 ? folder : (mls_str){NULL, 0};
        mls_buffer_clear(place);
    }
    mls_buffer_printf(place, "%ju %ju %s", (uintmax_t)about->st_dev, (uintmax_t)about->st_ino, path.ptr + folder.len);
    return known->ptr != NULL;
}

/* Every result_*.txt is one run of its folder and none repeats another, so the same file must not be taken twice: from
 * its folder and by its own name, say. */
static void skip_repeated_results(mls_sources *list)
{
    mls_arena arena = {0};
    mls_map places = {.arena = &arena};
    mls_buffer place = {0};
    mls_str known = {NULL, 0};
    struct stat about = {0};
    for (size_t i = 0; i < list->count; i++) {
        mls_source *source = &list->items[i];
        bool added = true;
        if (source->result && source->skip == NULL &&
            result_place(mls_str_from(source->path), &known, &about, &place)) {
            (void)mls_map_put(&places, mls_buffer_str(&place), &added);
        }
        if (!added) {
            source->skip = mls_strdup("named twice");
        }
    }
    mls_arena_release(&arena);
    mls_buffer_release(&place);
}

mls_status mls_sources_find(const char *const *paths, size_t count, mls_sources *list, mls_error *error)
{
    source_finder finder = {.list = list, .error = error};
    mls_folder_walk walk = {
        .visitor = {&finder, found, listed}, .entries_max = MLS_WALK_FILES_MAX, .depth_max = MLS_WALK_DEPTH_MAX};
    mls_status status = MLS_OK;
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        finder.argument = i;
        status = find_given(&finder, &walk, paths[i]);
    }
    mls_folder_walk_release(&walk);
    if (status == MLS_OK) {
        skip_repeated_results(list);
    }
    return status;
}

static mls_status first_record(void *state, const mls_record *record)
{
    *(double *)state = record->time_ms;
    return MLS_STOPPED;
}

mls_status mls_log_date(int fd, bool plain, mls_scan_room **room, double *time_ms)
{
    *time_ms = NAN;
    char head[HEAD_BYTES];
    if (fd < 0) {
        return MLS_OK;
    }
    /* Mostly it is in one of the first whole lines. */
    const ssize_t len = pread(fd, head, sizeof head, 0);
    mls_str text = {head, len > 0 ? (size_t)len : 0};
    mls_arena scratch = {0};
    for (mls_str line; isnan(*time_ms) && mls_str_cut(&text, '\n', &line);) {
        mls_record record;
        mls_str payload;
        if (mls_record_find(line, &payload) && mls_record_validate(payload, &record, &scratch, &(size_t){0}) == NULL) {
            *time_ms = record.time_ms;
        }
    }
    mls_arena_release(&scratch);
    if (isnan(*time_ms)) {
        const mls_sink sink = {.state = time_ms, .record = first_record};
        const mls_scan_options options = {.room = room, .plain = plain};
        const mls_status status = mls_log_scan_fd(fd, &options, &sink, 1, NULL, NULL);
        (void)status; /* what cannot be read has no date */
    }
    (void)close(fd);
    return MLS_OK;
}

int mls_source_open(const mls_source *source, bool waits)
{
    if (source->named && strcmp(source->path, "-") == 0) {
        return STDIN_FILENO;
    }
    const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (source->named && waits ? 0 : O_NONBLOCK);
    return source->root > 0 ? mls_file_open_below(source->path, source->root, flags) : open(source->path, flags);
}

void mls_sources_release(mls_sources *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].path);
        free(list->items[i].skip);
    }
    free(list->items);
    *list = (mls_sources){0};
}
