/* SPDX-License-Identifier: Apache-2.0 */
/* reading.c - find the log files below paths (mls_sources_find), and read them on all threads (mls_read_sources).
 *
 * Small files are read in parallel, and their runs are kept until all earlier files were passed on.  A large file is
 * read by all threads together, and each run is passed on when it ends.  Therefore, memory grows neither with the
 * number of files nor with their size. */
#include "run/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/walk.h"
#include "run/settings.h"
#include "run/splitter.h"

/* ------------------------------------------------------------ finding sources */

enum { HEAD_BYTES = 4096 }; /* number of bytes at the start of a log that usually contain its first record */

typedef struct source_finder {
    mls_sources *list;
    /* The program runs as root and the current folder belongs to another user, so links out of the folder are not
     * followed. */
    bool other_user;
    size_t argument; /* index of the path that is being searched */
} source_finder;

/* Names of files that are never logs.  The job script run.sub and related tools write them next to the logs. */
static const struct {
    mls_str prefix, suffix;
    const char *reason;
} skipped_names[] = {
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

/* Check whether a file name has the form result_*.txt, whose file contains one run of a submission. */
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
    const mls_str name = mls_str_from(entry->name);
    const char *skip = mls_str_equal(name, MLS_S("core")) ? "core dump" : NULL;
    for (size_t i = 0; i < sizeof skipped_names / sizeof *skipped_names && skip == NULL; i++)
        if (mls_str_starts(name, skipped_names[i].prefix) && mls_str_ends(name, skipped_names[i].suffix))
            skip = skipped_names[i].reason;
    skip = skip != NULL                           ? skip
           : entry->kind == MLS_WALK_LOST         ? "broken link"
           : entry->kind == MLS_WALK_SPECIAL      ? mls_file_kind_words(entry->mode)
           : entry->before                        ? "folder already read"
           : entry->too_deep                      ? "folders nested too deeply"
           : entry->outside && finder->other_user ? "link out of the folder"
                                                  : NULL;
    if (skip != NULL) {
        entry->enter = false;
        add_source(finder, entry->path, skip, (mls_source){0});
    } else if (entry->kind == MLS_WALK_FAILED) {
        add_failed(finder, entry->path, entry->system_errno, false);
    } else if (entry->kind != MLS_WALK_FOLDER) {
        const size_t root = finder->other_user ? (size_t)(entry->below - entry->path) : 0;
        add_source(finder, entry->path, NULL,
                   (mls_source){.result = is_result(entry->name), .size = entry->size, .root = root});
    }
    return MLS_OK;
}

static mls_status listed(void *state, const mls_walk_entry *folder, const mls_names *names, int system_errno)
{
    (void)names;
    if (system_errno != 0)
        add_failed(state, folder->path, system_errno, folder->depth == 0);
    return MLS_OK;
}

mls_status mls_sources_find(const char *const *paths, size_t count, mls_sources *list, mls_error *error)
{
    source_finder finder = {.list = list};
    mls_folder_walk walk = {
        .visitor = {&finder, found, listed}, .entries_max = MLS_WALK_FILES_MAX, .depth_max = MLS_WALK_DEPTH_MAX};
    struct stat about = {0};
    mls_status status = MLS_OK;
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        mls_error why = {0};
        finder.argument = i;
        if (mls_file_look(paths[i], &about, &why) != MLS_OK) {
            add_source(&finder, paths[i], why.message, (mls_source){.named = true, .failed = true});
        } else if (strcmp(paths[i], "-") == 0) {
            add_source(&finder, paths[i], NULL, (mls_source){.named = true});
        } else if (S_ISDIR(about.st_mode)) {
            finder.other_user = mls_folder_is_of_other_user(paths[i]);
            status = mls_folder_walk_from(&walk, paths[i], 0, error);
        } else {
            add_source(&finder, paths[i], NULL,
                       (mls_source){.named = true,
                                    .result = is_result(mls_path_name(paths[i])),
                                    .size = S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0});
        }
    }
    mls_folder_walk_release(&walk);

    /* If the same result_*.txt was found below several paths, such as its folder and the file itself, read it only
     * once, because duplicate runs are not removed from results.  A file is identified by the device and inode of its
     * folder, and its name. */
    mls_arena arena = {0};
    mls_map known = {.arena = &arena};
    mls_buffer text = {0};
    mls_str folder = {NULL, 0}; /* the folder that `about` describes; the next file is often in the same folder */
    for (size_t i = 0; i < list->count && status == MLS_OK; i++) {
        mls_source *source = &list->items[i];
        if (!source->result || source->skip != NULL)
            continue;
        const mls_str own = mls_path_folder(mls_str_from(source->path));
        if (folder.ptr == NULL || !mls_str_equal(own, folder)) {
            mls_buffer_clear(&text);
            mls_buffer_printf(&text, "%.*s.", (int)own.len, own.ptr);
            folder = stat(text.ptr, &about) == 0 ? own : (mls_str){NULL, 0};
        }
        bool added = true;
        mls_buffer_clear(&text);
        mls_buffer_printf(&text, "%ju %ju %s", (uintmax_t)about.st_dev, (uintmax_t)about.st_ino,
                          source->path + own.len);
        if (folder.ptr != NULL)
            (void)mls_map_put(&known, mls_buffer_str(&text), &added);
        if (!added)
            source->skip = mls_strdup("named twice");
    }
    mls_arena_release(&arena);
    mls_buffer_release(&text);
    return status;
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

int mls_source_open(const mls_source *source, bool waits)
{
    if (source->named && strcmp(source->path, "-") == 0)
        return STDIN_FILENO;
    const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (source->named && waits ? 0 : O_NONBLOCK);
    return source->root > 0 ? mls_file_open_below(source->path, source->root, flags) : open(source->path, flags);
}

static mls_status first_record(void *state, const mls_record *record)
{
    *(double *)state = record->time_ms;
    return MLS_STOPPED;
}

double mls_log_date(int fd, bool plain, mls_scan_room **room)
{
    double time_ms = NAN;
    char head[HEAD_BYTES];
    if (fd < 0)
        return NAN;
    /* The first record is usually in one of the first complete lines. */
    const ssize_t len = pread(fd, head, sizeof head, 0);
    mls_str text = {head, len > 0 ? (size_t)len : 0};
    mls_arena scratch = {0};
    for (mls_str line; isnan(time_ms) && mls_str_cut(&text, '\n', &line);) {
        mls_record record;
        mls_str payload;
        if (mls_record_find(line, &payload) && mls_record_validate(payload, &record, &scratch, &(size_t){0}) == NULL)
            time_ms = record.time_ms;
    }
    mls_arena_release(&scratch);
    if (isnan(time_ms)) {
        const mls_sink sink = {.state = &time_ms, .record = first_record};
        const mls_scan_options options = {.room = room, .plain = plain};
        /* Errors are ignored: the date of a log that cannot be read is unknown. */
        (void)!mls_log_scan_fd(fd, &options, &sink, 1, NULL, NULL);
    }
    (void)close(fd);
    return time_ms;
}

/* ----------------------------------------------------------- reading sources */

enum {
    LARGE_FILE = 32 * 1024 * 1024, /* minimum size in bytes of a file that all threads read together */
    /* Maximum number of small files that are read before the current one was passed on. */
    FILES_AHEAD = 64,
    /* Maximum number of runs of a small file that are kept; a file with more runs is read again later. */
    KEPT_RUNS_MAX = 64,
};

/* Objects of a thread that can be reused for the next file. */
typedef struct reading_tools {
    mls_checker *checker; /* NULL: logs are not checked against rules */
    mls_scan_room *room;
} reading_tools;

typedef struct reading_work {
    const mls_reading *reading;
    const mls_source *sources;
    /* The indexes of the sources that are being read: several small files in parallel, or one large file. */
    size_t next, end;
    struct file_work *files; /* an array of FILES_AHEAD elements, which are reused */
    mls_error *error;
    mls_known_settings known; /* the table of known settings, loaded on first use */
    unsigned threads;
    size_t file_count;                    /* number of sources that are not skipped */
    pthread_mutex_t lock;                 /* protects the following members */
    reading_tools tools[FILES_AHEAD + 1]; /* tools that are not in use */
    size_t tools_count;
    size_t files_done;
    uint64_t bytes_done;
} reading_work;

/* A run that is kept until earlier files were passed on, and the observer's notes about it. */
typedef struct kept_run {
    mls_run run;
    void *notes;
} kept_run;

/* A file being read. */
typedef struct file_work {
    reading_work *work;
    mls_read read;
    mls_status status; /* if it is not MLS_OK, reading of all files ends with this status */
    MLS_LIST_OF(kept_run) kept;
    /* Reader of printed settings; if it is not NULL, runs are kept until the end of the file. */
    mls_printed_reader *printed;
    bool direct; /* all earlier files were passed on, so pass on each run when it ends */
    /* The file has more runs than are kept, so read it again when all earlier files were passed on. */
    bool too_many_runs;
    bool other_editions_tried; /* other editions were tried for a run of this file */
} file_work;

static void release_file(file_work *file)
{
    for (size_t i = 0; i < file->kept.count; i++) {
        mls_run_release(&file->kept.items[i].run);
        mls_notes_release(file->work->reading->observer, &file->kept.items[i].notes);
    }
    free(file->kept.items);
    free(file->read.listener_data);
    mls_printed_reader_free(file->printed);
    *file = (file_work){.work = file->work, .read = {.index = file->read.index, .source = file->read.source}};
}

/* Check whether all threads read this source together: a large file, or a pipe, which can be read only once. */
static bool is_alone(const reading_work *work, const mls_source *source)
{
    const bool large = source->size >= LARGE_FILE || (source->named && source->size == 0);
    const bool in_order = work->reading->run == NULL && !work->reading->parallel;
    return source->skip == NULL && (large || work->file_count == 1 || in_order);
}

static bool next_source(void *work, size_t item);
static void read_item(void *work, size_t item);
static mls_status read_source(reading_work *work, file_work *file);
static mls_status pass_run(void *state, mls_run *run, void **notes);
static mls_status try_other_editions(file_work *file, mls_run *run);
static mls_status copy_verdict(void *state, size_t index, mls_run *run, void **notes);
static mls_status deliver(void *work, size_t item);

mls_status mls_read_sources(const mls_reading *reading, const mls_source *sources, size_t count, mls_error *error)
{
    mls_error ignored = {0};
    reading_work work = {.reading = reading,
                         .sources = sources,
                         .files = mls_calloc(FILES_AHEAD, sizeof *work.files),
                         .error = error != NULL ? error : &ignored,
                         .threads = reading->work.threads != 0 ? reading->work.threads : mls_processor_count()};
    mls_relay relay = {.slots = FILES_AHEAD,
                       .count = count,
                       .state = &work,
                       .take = next_source,
                       .work = read_item,
                       .deliver = deliver};
    mls_status status = MLS_OK;
    *work.error = (mls_error){0};
    (void)pthread_mutex_init(&work.lock, NULL);
    for (size_t i = 0; i < count; i++)
        work.file_count += sources[i].skip == NULL;
    for (size_t i = 0; i < FILES_AHEAD; i++)
        work.files[i].work = &work;
    /* Read the next large file, or all small files before it. */
    while (work.next < count && status == MLS_OK) {
        const bool alone = is_alone(&work, &sources[work.end++]);
        while (!alone && work.end < count && !is_alone(&work, &sources[work.end]))
            work.end++;
        relay.threads = alone ? 1 : work.threads;
        status = mls_relay_run(&relay);
    }
    for (size_t i = 0; i < FILES_AHEAD; i++)
        release_file(&work.files[i]);
    mls_known_settings_release(&work.known);
    for (size_t i = 0; i < work.tools_count; i++) {
        mls_checker_free(work.tools[i].checker);
        mls_scan_room_free(work.tools[i].room);
    }
    free(work.files);
    (void)pthread_mutex_destroy(&work.lock);
    return status;
}

/* Prepare the next source that is not skipped, in the place of a source that was passed on. */
static bool next_source(void *state, size_t item)
{
    reading_work *work = state;
    while (work->next < work->end && work->sources[work->next].skip != NULL)
        work->next++;
    if (work->next == work->end)
        return false;
    const mls_source *source = &work->sources[work->next];
    work->files[item % FILES_AHEAD] =
        (file_work){.work = work, .read = {.index = work->next, .source = source}, .direct = is_alone(work, source)};
    work->next++;
    return true;
}

static void read_item(void *state, size_t item)
{
    reading_work *work = state;
    file_work *file = &work->files[item % FILES_AHEAD];
    const mls_reading *reading = work->reading;
    file->status = read_source(work, file);
    (void)pthread_mutex_lock(&work->lock);
    work->files_done++;
    work->bytes_done += file->read.totals.bytes;
    if (reading->work.progress != NULL)
        reading->work.progress(reading->work.progress_state, work->files_done, work->file_count, work->bytes_done);
    (void)pthread_mutex_unlock(&work->lock);
}

/* Read a source: pass its contents to the splitter, the listener and the reader of printed settings. */
static mls_status read_source(reading_work *work, file_work *file)
{
    const mls_reading *reading = work->reading;
    mls_read *read = &file->read;
    const mls_source *source = read->source;
    const bool never = reading->cutting == MLS_CUT_NEVER;
    const bool is_run = source->result || never;
    /* The user may have given the path of a file that is not a log. */
    const bool may_be_json = source->named && !source->result;
    const double deadline_ms = reading->work.deadline_ms;
    const bool late = deadline_ms > 0 && mls_clock_ms() >= deadline_ms;
    const int fd = late                    ? -1
                   : reading->open != NULL ? reading->open(reading->state, read->index)
                                           : mls_source_open(source, deadline_ms <= 0);
    if (late)
        read->status = mls_error_set(&read->error, MLS_ERROR_READ, 0, 0, "not read before the timeout");
    else if (fd < 0)
        read->status = mls_error_set_errno(&read->error, MLS_ERROR_READ, errno, "");
    if (fd < 0 && !(reading->unread_runs && is_run))
        return MLS_OK;

    /* Take tools that are not in use, or create new ones, and prepare the checker. */
    const mls_checker_options *rules = reading->run != NULL ? reading->rules : NULL;
    const mls_ruleset *ruleset = rules != NULL ? rules->ruleset : NULL;
    reading_tools tools = {NULL, NULL};
    mls_status status = MLS_OK;
    (void)pthread_mutex_lock(&work->lock);
    if (work->tools_count > 0)
        tools = work->tools[--work->tools_count];
    (void)pthread_mutex_unlock(&work->lock);
    if (rules != NULL && source->edition != NULL)
        status = mls_rulesets_get(rules->rulesets, source->edition, &ruleset, NULL);
    if (rules != NULL && status == MLS_OK && tools.checker == NULL)
        tools.checker = mls_checker_new(rules);
    if (rules != NULL && status == MLS_OK)
        mls_checker_turn(tools.checker, ruleset);

    mls_run_splitter splitter = {.reading = reading,
                                 .whole = never || (reading->cutting == MLS_CUT_RUNS && source->result),
                                 .always_run = source->named || is_run,
                                 .not_json = may_be_json,
                                 .checker = tools.checker,
                                 .run = pass_run,
                                 .state = file};
    mls_sink sinks[3] = {mls_run_splitter_begin(&splitter)};
    size_t count = reading->run != NULL;
    if (status == MLS_OK && reading->listen != NULL) {
        read->listener_data = reading->listener_size > 0 ? mls_calloc(1, reading->listener_size) : NULL;
        sinks[count] = (mls_sink){.state = read->listener_data};
        status = reading->listen(reading->state, read->index, &sinks[count++]);
    }
    const bool pipe = source->named && source->size == 0;
    if (reading->printed == MLS_PRINTED_OF_ALL || (reading->printed == MLS_PRINTED_OF_PIPES && pipe)) {
        file->printed = mls_printed_reader_new();
        sinks[count++] = mls_printed_reader_sink(file->printed);
    }
    if (status == MLS_OK && fd >= 0) {
        const mls_scan_options options = {.room = &tools.room,
                                          .size = source->size,
                                          .threads = file->direct ? work->threads : 1,
                                          .plain = reading->plain,
                                          .other_suites = reading->other_suites,
                                          .deadline_ms = deadline_ms};
        status = mls_log_scan_fd(fd, &options, sinks, count, &read->totals, &read->error);
    }
    /* If the caller requests it, a file that cannot be read and must be one run is passed on as an empty run. */
    const char *unread = read->totals.unread;
    const bool wanted = mls_foreign_reason(unread) == MLS_FOREIGN_REASONS || never;
    if (status == MLS_OK && (fd < 0 || (unread != NULL && wanted && reading->unread_runs && is_run)))
        status = mls_log_scan_bytes((mls_str){NULL, 0}, sinks, count, NULL, &read->error);
    mls_run_splitter_release(&splitter);
    const char *foreign = read->totals.old_format ? mls_reason_old_format : unread;
    if (status == MLS_OK && mls_foreign_reason(foreign) < MLS_FOREIGN_REASONS)
        status = mls_error_set(&read->error, MLS_ERROR_READ, 0, 0, "%s", foreign);
    if (read->totals.json && read->runs == 0 && may_be_json && reading->run != NULL)
        read->totals.unread = "JSON, not a log";
    (void)pthread_mutex_lock(&work->lock);
    work->tools[work->tools_count++] = tools;
    (void)pthread_mutex_unlock(&work->lock);
    if (fd >= 0 && fd != STDIN_FILENO)
        (void)close(fd);
    if (status == MLS_ERROR_READ) {
        read->status = status;
        status = MLS_OK;
    }
    return status;
}

/* Pass on a run, or keep it until all earlier files were passed on. */
static mls_status pass_run(void *state, mls_run *run, void **notes)
{
    file_work *file = state;
    const mls_reading *reading = file->work->reading;
    const mls_status status = try_other_editions(file, run);
    run->file = mls_strdup(file->read.source->path);
    run->result = file->read.source->result;
    run->root = file->read.source->root;
    if (status != MLS_OK)
        return status;
    file->read.runs++;
    if (file->direct && file->printed == NULL)
        return reading->run(reading->state, file->read.index, run, notes);
    /* If there is a listener, all runs are kept, because a listener must not receive a file twice. */
    if (file->kept.count == KEPT_RUNS_MAX && reading->listen == NULL && file->printed == NULL) {
        file->too_many_runs = true;
        return MLS_STOPPED;
    }
    MLS_GROW(&file->kept, items);
    file->kept.items[file->kept.count++] = (kept_run){*run, *notes};
    *notes = NULL;
    mls_run_init(run);
    return MLS_OK;
}

/* If the edition was guessed, check whether the verdict on a completed run would be different by the rules of the next
 * or previous edition.  This reads a regular file again, and only for its first such run, because checking every log
 * against three editions would be slow. */
static mls_status try_other_editions(file_work *file, mls_run *run)
{
    const mls_reading *reading = file->work->reading;
    const mls_source *source = file->read.source;
    if (!run->edition_guessed || (run->valid && !reading->try_editions) || run->malformed > 0 ||
        run->status != MLS_RUN_SUCCESS || run->benchmark == NULL || file->other_editions_tried ||
        reading->open != NULL || source->size == 0 || source->size >= LARGE_FILE)
        return MLS_OK;
    mls_checker_options rules = *reading->rules;
    const mls_editions *editions = mls_rulesets_editions(rules.rulesets);
    const mls_edition *own;
    mls_run same = {.line = run->line, .valid = run->valid};
    const mls_reading again = {.rules = &rules,
                               .brief = true,
                               .steps = reading->steps,
                               .cutting = reading->cutting,
                               .work.threads = 1,
                               .state = &same,
                               .run = copy_verdict};
    mls_status status = mls_editions_find(editions, run->usage, mls_str_from(run->edition), &own, NULL);
    file->other_editions_tried = true;
    for (int step = 1; step >= -1 && status == MLS_OK && same.valid == run->valid; step -= 2) {
        const mls_edition *other = mls_editions_neighbour(editions, own, mls_str_from(run->benchmark), step);
        if (other != NULL) {
            status = mls_rulesets_get(rules.rulesets, other, &rules.ruleset, NULL);
            status = status == MLS_OK ? mls_read_sources(&again, source, 1, NULL) : status;
            status = status == MLS_STOPPED ? MLS_OK : status;
        }
        if (same.valid != run->valid) {
            mls_findings_add(&run->findings, MLS_FINDING_OTHER_EDITION,
                             (mls_finding_place){.line = run->benchmark_line, .key = MLS_S("submission_benchmark")},
                             "by the rules of %s, this log would %s; use --edition %s if this round is intended",
                             other->name, same.valid ? "be valid" : "not be valid", other->name);
            mls_findings_sort(&run->findings);
        }
    }
    return status;
}

/* If a run of the second reading begins at the same line as the run in `state`, copy its verdict to that run. */
static mls_status copy_verdict(void *state, size_t index, mls_run *run, void **notes)
{
    mls_run *same = state;
    (void)index;
    (void)notes;
    if (run->line != same->line)
        return MLS_OK;
    same->valid = run->valid;
    return MLS_STOPPED;
}

/* Pass the results of reading a file to the callbacks, and free them. */
static mls_status deliver(void *state, size_t item)
{
    reading_work *work = state;
    file_work *file = &work->files[item % FILES_AHEAD];
    const mls_reading *reading = work->reading;
    if (file->too_many_runs) {
        release_file(file);
        file->direct = true;
        file->status = read_source(work, file);
    }
    mls_status status = file->status;
    if (status != MLS_OK)
        *work->error = file->read.error;
    for (size_t i = 0; i < file->kept.count && status == MLS_OK; i++) {
        kept_run *kept = &file->kept.items[i];
        mls_printed *printed =
            file->printed != NULL ? mls_printed_of_run(file->printed, kept->run.run_start.line) : NULL;
        kept->run.part = file->kept.count > 1;
        if (printed != NULL) {
            kept->run.printed = mls_printed_share(printed);
            status = work->known.items == NULL ? mls_known_settings_load(&work->known, work->error) : MLS_OK;
        }
        if (status == MLS_OK && printed != NULL)
            mls_run_take_facts(&kept->run, &work->known, printed);
        status = status == MLS_OK ? reading->run(reading->state, file->read.index, &kept->run, &kept->notes) : status;
    }
    if (status == MLS_OK && reading->done != NULL)
        status = reading->done(reading->state, &file->read);
    release_file(file);
    return status;
}
