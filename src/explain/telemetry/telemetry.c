/* SPDX-License-Identifier: Apache-2.0 */
/* telemetry.c - read the measurement logs below paths, find their hosts, and make a window for each run. */
#include "explain/telemetry/telemetry.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/pattern.h"
#include "explain/telemetry/files.h"

/* Words of a file name that describe the log and not the host.  A number may follow. */
static const char log_words[] =
    "gpu|gpus|nvidia|smi|nvsmi|nvml|amd|rocm|dmon|pmon|dcgm|dcgmi|ipmi|telemetry|power|energy|"
    "usage|util|utilization|use|stat|stats|statistics|metric|metrics|log|logs|monitor|"
    "monitoring|mon|output|out|data|query|sample|samples|measurements|temperature|temp|"
    "clock|clocks|exporter|rank|card|device|run|job|slurm|train|training";

static bool is_separator(char c)
{
    return c == '.' || c == '_' || c == '-';
}

/* Return whether a word describes the log.  "gpu7" is a device, but "gpu07" may be a host. */
static bool is_log_word(mls_str word)
{
    size_t letters = word.len;
    while (letters > 0 && mls_is_digit(word.ptr[letters - 1]))
        letters--;
    const mls_str name = {word.ptr, letters};
    return mls_str_any(name, log_words, mls_str_alike) &&
           (word.len - letters < 2 || !mls_str_alike(name, MLS_S("gpu")));
}

/* Remove log words from the begin and the end of a name. */
static mls_str without_log_words(mls_str name)
{
    for (name = mls_str_trim(name, is_separator); name.len > 0; name = mls_str_trim(name, is_separator)) {
        size_t first = 0;
        size_t last = name.len;
        while (first < name.len && !is_separator(name.ptr[first]))
            first++;
        while (last > 0 && !is_separator(name.ptr[last - 1]))
            last--;
        if (is_log_word((mls_str){name.ptr, first}))
            name = mls_str_rest(name, first);
        else if (is_log_word(mls_str_rest(name, last)))
            name.len = last;
        else
            break;
    }
    return name;
}

/* Cut off one of the extensions in a list such as "a|b".  Return false if the name has none of them. */
static bool cut_ending(mls_str *name, const char *endings)
{
    for (mls_str ending; mls_list_next(&endings, '|', &ending);) {
        const size_t rest = name->len - ending.len;
        if (name->len >= ending.len && mls_str_alike((mls_str){name->ptr + rest, ending.len}, ending)) {
            name->len = rest;
            return true;
        }
    }
    return false;
}

mls_str mls_log_stem(const char *path)
{
    mls_str name = mls_str_from(mls_path_name(path));
    while (cut_ending(&name, ".gz|.zst|.xz|.bz2")) {
    }
    return cut_ending(&name, ".csv|.log|.txt|.out") ? name : (mls_str){NULL, 0};
}

mls_str mls_host_of(const char *path)
{
    const mls_str name = without_log_words(mls_log_stem(path));
    size_t letters = 0;
    size_t dots = 0;
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];
        if ((unsigned char)c <= ' ' || c == '(' || c == ',')
            return (mls_str){NULL, 0};
        dots += c == '.';
        letters += !mls_is_digit(c) && !is_separator(c);
    }
    /* A number, such as a day or a part, is not a host, but "10.0.0.7" is. */
    return letters > 0 || dots == 3 ? name : (mls_str){NULL, 0};
}

/* --------------------------------------------------- hosts of several files */

/* Return the first component of a file's folder after the part that all folders share: "node1" of "node1/logs/". */
static mls_str folder_host(const struct mls_telemetry_file *file, mls_str shared)
{
    const mls_str folder = mls_path_folder(mls_str_from(file->source.path));
    if (file->host.len > 0 || folder.len <= shared.len)
        return (mls_str){NULL, 0};
    mls_str rest = mls_str_rest(folder, shared.len);
    for (mls_str left = rest; left.len > 0 && without_log_words(mls_path_cut(&left)).len == 0;)
        rest = left;
    while (rest.len > 0 && rest.ptr[rest.len - 1] == '/')
        rest.len--;
    return rest;
}

/* Return the last component of a path. */
static mls_str folder_name(mls_str path)
{
    return mls_path_cut(&path);
}

/* Set the hosts of files without a host: the last component of the file's folder if it is unique, else the part of the
 * folder that the folders do not share. */
static void name_by_folders(struct mls_telemetry_file *files, size_t count)
{
    mls_arena arena = {0};
    mls_map parts = {.arena = &arena};
    mls_str shared = {NULL, 0};
    for (size_t i = 0; i < count; i++) {
        if (files[i].host.len == 0) {
            const mls_str folder = mls_path_folder(mls_str_from(files[i].source.path));
            size_t len = 0;
            for (size_t k = 0; k < shared.len && k < folder.len && shared.ptr[k] == folder.ptr[k]; k++)
                len = shared.ptr[k] == '/' ? k + 1 : len;
            shared = shared.ptr == NULL ? folder : (mls_str){shared.ptr, len};
        }
    }
    /* Map each last component to a file below the folder that ends with it, or to SIZE_MAX if several folders do. */
    for (size_t i = 0; i < count; i++) {
        const mls_str host = folder_host(&files[i], shared);
        if (host.len > 0) {
            bool added;
            mls_map_entry *entry = mls_map_put(&parts, folder_name(host), &added);
            if (added)
                entry->value.number = i;
            else if (entry->value.number != SIZE_MAX &&
                     !mls_str_equal(folder_host(&files[entry->value.number], shared), host))
                entry->value.number = SIZE_MAX;
        }
    }
    for (size_t i = 0; i < count; i++) {
        const mls_str host = folder_host(&files[i], shared);
        if (host.len > 0) {
            const bool unique = mls_map_find(&parts, folder_name(host))->value.number != SIZE_MAX;
            files[i].host = mls_arena_copy(&files[i].arena, unique ? folder_name(host) : host);
        }
    }
    mls_arena_release(&arena);
}

static bool has_same_uuid(const mls_log_device *a, const mls_log_device *b)
{
    return a->ids[1].len > 0 && mls_str_equal(a->ids[1], b->ids[1]);
}

/* A device of a file without a host. */
typedef struct nameless_device {
    struct mls_telemetry_file *file;
    const mls_log_device *device;
    double first_ms, last_ms;
} nameless_device;

static int compare_nameless(const void *left, const void *right)
{
    const nameless_device *a = left;
    const nameless_device *b = right;
    const int order = a->file->columns == b->file->columns  ? mls_str_compare(a->device->name, b->device->name)
                      : a->file->columns < b->file->columns ? -1
                                                            : 1;
    return order != 0 ? order : (a->first_ms > b->first_ms) - (a->first_ms < b->first_ms);
}

void mls_hosts_name(struct mls_telemetry_file *files, size_t count, bool by_names)
{
    mls_arena arena = {0};
    mls_map hosts = {.arena = &arena};
    MLS_LIST_OF(nameless_device) list = {0};
    size_t unnamed = 0;
    /* If logs of several hosts have the same name, such as "results.csv" in the folders of two nodes, the name is not a
     * host.  Two logs are from different hosts if both measured a device with the same number at the same time, with
     * different values, and the UUIDs are different or unknown. */
    for (size_t i = 0; i < count && by_names; i++) {
        bool added = false;
        mls_map_entry *entry = files[i].host.len > 0 ? mls_map_put(&hosts, files[i].host, &added) : NULL;
        if (entry == NULL || (!added && entry->value.number == SIZE_MAX))
            continue;
        const struct mls_telemetry_file *a = &files[added ? i : entry->value.number];
        const struct mls_telemetry_file *b = &files[i];
        const mls_log_device *of = a->devices;
        const mls_log_device *other = b->devices;
        const bool alike = a->count > 0 && b->count > 0 && a->columns == b->columns && of->timed && other->timed &&
                           mls_str_equal(of->name, other->name) && !has_same_uuid(of, other) &&
                           !mls_str_equal(mls_path_folder(mls_str_from(a->source.path)),
                                          mls_path_folder(mls_str_from(b->source.path)));
        const bool copy = alike && of->rows[0].time_ms == other->rows[0].time_ms &&
                          memcmp(of->rows[0].values, other->rows[0].values, sizeof of->rows[0].values) == 0;
        const bool shared = alike && !copy && of->rows[0].time_ms < other->rows[other->count - 1].time_ms &&
                            other->rows[0].time_ms < of->rows[of->count - 1].time_ms;
        entry->value.number = shared ? SIZE_MAX : i;
    }
    for (size_t i = 0; i < count; i++) {
        const mls_map_entry *entry = files[i].host.len > 0 ? mls_map_find(&hosts, files[i].host) : NULL;
        files[i].host.len = entry != NULL && entry->value.number == SIZE_MAX ? 0 : files[i].host.len;
    }
    mls_arena_release(&arena);
    for (size_t i = 0; i < count; i++)
        unnamed += files[i].host.len == 0;
    if (unnamed < 2)
        return;
    name_by_folders(files, count);

    /* Give files hosts named after the files if the hosts must differ: files with the same columns that measured a
     * device with the same number at the same time, unless the UUID is the same.  Files with different columns may
     * be two tools on one host. */
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < files[i].count && files[i].host.len == 0; k++) {
            const mls_log_device *device = &files[i].devices[k];
            MLS_GROW(&list, items);
            list.items[list.count++] =
                (nameless_device){&files[i], device, device->timed ? device->rows[0].time_ms : -INFINITY,
                                  device->timed ? device->rows[device->count - 1].time_ms : INFINITY};
        }
    }
    if (list.count > 0)
        qsort(list.items, list.count, sizeof *list.items, compare_nameless);
    const nameless_device *longest = list.items;
    for (size_t i = 1; i < list.count; i++) {
        const nameless_device *now = &list.items[i];
        const bool alike =
            now->file->columns == longest->file->columns && mls_str_equal(now->device->name, longest->device->name);
        if (alike && !has_same_uuid(now->device, longest->device) && now->file != longest->file &&
            now->first_ms < longest->last_ms)
            now->file->alone = longest->file->alone = true;
        longest = alike && longest->last_ms >= now->last_ms ? longest : now;
    }
    free(list.items);
    for (size_t i = 0; i < count; i++) {
        const char *path = files[i].source.path;
        if (files[i].alone) {
            mls_findings_add(
                &files[i].findings, MLS_FINDING_HOST_UNKNOWN, (mls_finding_place){.path = path},
                "neither the name nor the folder of the log contains its host: it is treated as a host of its own");
            files[i].host = mls_arena_copy(&files[i].arena, mls_str_from(mls_path_name(path)));
        }
    }
}

mls_telemetry_options mls_telemetry_defaults(void)
{
    const double none = (double)NAN;
    return (mls_telemetry_options){
        .gap_ms = none, .start_ms = none, .interval_ms = none, .from_ms = none, .until_ms = none};
}

typedef struct files_reading {
    struct mls_telemetry_file *files;
    const mls_telemetry_options *options;
} files_reading;

static void read_measurements(void *state, size_t item)
{
    const files_reading *reading = state;
    if (reading->files[item].source.skip == NULL)
        mls_telemetry_file_read(&reading->files[item], reading->options);
}

mls_status mls_telemetry_open(mls_telemetry *telemetry, const mls_telemetry_options *options, mls_error *error)
{
    mls_sources *sources = &telemetry->skipped;
    mls_pattern hosts = {0};
    const char *pattern = options->host_pattern;
    if (pattern != NULL && (mls_pattern_compile(&hosts, MLS_PATTERN_LINES, mls_str_from(pattern)) != MLS_OK ||
                            mls_pattern_groups(&hosts) != 1)) {
        mls_pattern_release(&hosts);
        return mls_error_set(error, MLS_ERROR_SYNTAX, 0, 0,
                             "invalid --host-pattern '%s': expected a regular expression with one group", pattern);
    }
    files_reading reading = {mls_calloc(sources->count + 1, sizeof *reading.files), options};
    const mls_relay relay = {.threads = options->threads > 0 ? options->threads : mls_processor_count(),
                             .slots = MLS_RELAY_SLOTS_MAX,
                             .count = sources->count,
                             .state = &reading,
                             .work = read_measurements};
    for (size_t i = 0; i < sources->count; i++) {
        mls_source *source = &sources->items[i];
        /* A name that other commands skip, *_telemetry.log, may be a measurement log. */
        if (source->skip != NULL && !source->failed &&
            mls_str_ends(mls_str_from(source->path), MLS_S("_telemetry.log"))) {
            free(source->skip);
            source->skip = NULL;
        }
        reading.files[i].source = *source;
    }
    const mls_status status = mls_relay_run(&relay);

    /* Keep the files with measurements; the others remain in the list of skipped files. */
    const size_t count = sources->count;
    telemetry->sources = reading.files;
    sources->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct mls_telemetry_file file = reading.files[i];
        if (file.source.skip == NULL) {
            const char *why = file.status != MLS_OK ? file.error.message : file.skip;
            for (size_t k = 0; k < telemetry->source_count && why == NULL; k++)
                if (reading.files[k].inode == file.inode && reading.files[k].volume == file.volume)
                    why = "given twice";
            file.source.failed |= file.status != MLS_OK;
            file.source.skip = why != NULL ? mls_strdup(why) : NULL;
        }
        if (file.source.skip != NULL) {
            telemetry->failed += file.source.failed;
            sources->items[sources->count++] = file.source;
            mls_telemetry_file_release(&file);
            continue;
        }
        mls_str host = {NULL, 0};
        if (pattern == NULL) {
            host = mls_host_of(file.source.path);
        } else {
            const mls_str path = mls_str_from(file.source.path);
            (void)mls_pattern_find(&hosts, path, 0, &host);
            host = host.ptr != NULL ? mls_pattern_group(&hosts, path, NULL) : host;
        }
        file.host = host.len > 0 ? mls_arena_copy(&file.arena, host) : (mls_str){NULL, 0};
        telemetry->sources[telemetry->source_count++] = file;
    }
    mls_pattern_release(&hosts);
    if (status == MLS_OK)
        mls_hosts_name(telemetry->sources, telemetry->source_count, pattern == NULL);
    return status;
}

void mls_telemetry_window_get(const mls_telemetry *telemetry, size_t number, mls_telemetry_window *window)
{
    mls_telemetry_reported *reported = telemetry->reported;
    mls_telemetry_window_make(telemetry->sources, telemetry->source_count, (mls_str){"", 0}, &telemetry->runs[number],
                              &telemetry->options, window);
    if (mls_findings_found(&window->findings, MLS_FINDING_NO_OVERLAP) > 0) {
        if (!reported->zone_sought) {
            mls_timezone_suggest(telemetry->sources, telemetry->source_count, telemetry->runs, telemetry->window_count,
                                 &telemetry->options, reported->zone);
            reported->zone_sought = true;
        }
        memcpy(window->suggested_timezone, reported->zone, sizeof reported->zone);
    }
    if (number == reported->windows) {
        mls_finding_counts_add(&reported->counts, &window->findings.counts);
        reported->windows++;
    }
}

mls_status mls_telemetry_read(const char *const *paths, size_t path_count, const mls_telemetry_run *runs,
                              size_t run_count, const mls_telemetry_options *options, mls_telemetry *telemetry,
                              mls_error *error)
{
    *telemetry = (mls_telemetry){.options = *options, .reported = mls_calloc(1, sizeof *telemetry->reported)};
    mls_status status = mls_sources_find(paths, path_count, &telemetry->skipped, error);
    if (status == MLS_OK)
        status = mls_telemetry_open(telemetry, options, error);
    if (status == MLS_OK && telemetry->source_count > 0) {
        mls_telemetry_run *whole = &telemetry->reported->whole;
        *whole = (mls_telemetry_run){.start_ms = (double)NAN, .stop_ms = (double)NAN};
        for (size_t i = 0; i < telemetry->source_count; i++) {
            for (size_t k = 0; k < telemetry->sources[i].count; k++) {
                const mls_log_device *device = &telemetry->sources[i].devices[k];
                if (device->timed) {
                    whole->start_ms = fmin(whole->start_ms, device->rows[0].time_ms);
                    whole->stop_ms = fmax(whole->stop_ms, device->rows[device->count - 1].time_ms);
                }
            }
        }
        telemetry->runs = run_count > 0 ? runs : &telemetry->reported->whole;
        telemetry->window_count = run_count > 0 ? run_count : 1;
    }
    return status;
}

void mls_telemetry_release(mls_telemetry *telemetry)
{
    for (size_t i = 0; i < telemetry->source_count; i++) {
        free(telemetry->sources[i].source.path);
        mls_telemetry_file_release(&telemetry->sources[i]);
    }
    free(telemetry->sources);
    mls_sources_release(&telemetry->skipped);
    free(telemetry->reported);
    *telemetry = (mls_telemetry){0};
}
