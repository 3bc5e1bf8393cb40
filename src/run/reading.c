/* SPDX-License-Identifier: Apache-2.0 */
/* reading.c - read sources on all threads, and pass on their runs in order.
 *
 * Paths given by the user come first to last, the files of a folder in natural order.  Small files are read in
 * parallel, and their runs are kept until their turn; a large file is read alone, and its runs are passed on as they
 * end.  So memory grows neither with the number of files nor with their size. */
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
#include "run/file.h"
#include "run/settings.h"

/* ----------------------------------------------------------------- sources */

enum { HEAD_BYTES = 4096 }; /* bytes of a log to look at first, which usually contain its first record */

typedef struct source_finder {
    mls_sources *list;
    mls_error *error;
    bool foreign;    /* the current folder belongs to another user, and root must not be led out of it */
    size_t argument; /* index of the current path */
} source_finder;

/* Names of files that run.sub and related tools write beside the logs. */
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
    for (size_t i = 0; i < sizeof names_skipped / sizeof *names_skipped; i++)
        if (mls_str_starts(text, names_skipped[i].prefix) && mls_str_ends(text, names_skipped[i].suffix))
            return names_skipped[i].reason;
    return strcmp(name, "core") == 0 ? "core dump" : NULL;
}

/* Check whether a file with that name contains one run of a result. */
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
           : entry->outside && finder->foreign ? "link out of the folder"
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
    if (system_errno != 0)
        add_failed(state, folder->path, system_errno, folder->depth == 0);
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

/* Get the place of a result_*.txt: the identity of its folder, and its name.  Return false if it is unknown.  `about`
 * caches the folder *known, which often contains the next file, too. */
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

/* Skip a result_*.txt that several paths lead to, such as its folder and its own name.  Duplicate runs are not removed
 * from results, so each file must be read once. */
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
        if (source->result && source->skip == NULL && result_place(mls_str_from(source->path), &known, &about, &place))
            (void)mls_map_put(&places, mls_buffer_str(&place), &added);
        if (!added)
            source->skip = mls_strdup("named twice");
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
    if (status == MLS_OK)
        skip_repeated_results(list);
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
    if (fd < 0)
        return MLS_OK;
    /* The first record is usually in one of the first complete lines. */
    const ssize_t len = pread(fd, head, sizeof head, 0);
    mls_str text = {head, len > 0 ? (size_t)len : 0};
    mls_arena scratch = {0};
    for (mls_str line; isnan(*time_ms) && mls_str_cut(&text, '\n', &line);) {
        mls_record record;
        mls_str payload;
        if (mls_record_find(line, &payload) && mls_record_validate(payload, &record, &scratch, &(size_t){0}) == NULL)
            *time_ms = record.time_ms;
    }
    mls_arena_release(&scratch);
    if (isnan(*time_ms)) {
        const mls_sink sink = {.state = time_ms, .record = first_record};
        const mls_scan_options options = {.room = room, .plain = plain};
        const mls_status status = mls_log_scan_fd(fd, &options, &sink, 1, NULL, NULL);
        (void)status; /* a log that cannot be read does not have a date */
    }
    (void)close(fd);
    return MLS_OK;
}

int mls_source_open(const mls_source *source, bool waits)
{
    if (source->named && strcmp(source->path, "-") == 0)
        return STDIN_FILENO;
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

/* ----------------------------------------------------------------- reading */

enum {
    LARGE_FILE = 32 * 1024 * 1024, /* from this size on, all threads scan one file together */
    FILES_AHEAD = 64,              /* small files to read ahead of their turn */
    WAITING_MAX = 64, /* runs of a small file to keep; a file with more is read again when its turn comes */
};

/* Objects for reading a file that the next file can reuse. */
typedef struct reading_tools {
    mls_checker *checker; /* NULL: no rules */
    mls_scan_room *room;
} reading_tools;

typedef struct reading_work {
    const mls_reading *reading;
    const mls_source *sources;
    size_t next, end;         /* the range of sources still to read, in parallel, or just one */
    struct ahead_file *ahead; /* FILES_AHEAD items */
    mls_error *error;
    mls_known_settings known; /* loaded on first use */
    unsigned threads;
    pthread_mutex_t lock;                 /* protects the following members */
    reading_tools tools[FILES_AHEAD + 1]; /* unused ones */
    size_t idle;
    size_t files_done, files;
    uint64_t bytes_done;
} reading_work;

/* A run that waits for its turn, with its notes. */
typedef struct waiting_run {
    mls_run run;
    void *notes;
} waiting_run;

/* A file being read. */
typedef struct ahead_file {
    reading_work *work;
    mls_read read;
    mls_status status; /* ends the reading unless it is MLS_OK */
    MLS_LIST_OF(waiting_run) waiting;
    mls_printed_reader *printed; /* if requested; runs then wait for the end of the file */
    bool direct;                 /* its turn has come: pass on runs as they end */
    bool again;                  /* too many runs to keep */
    bool asked;                  /* other editions were tried for one of its runs */
} ahead_file;

/* Get unused tools, or new ones, and prepare the checker for the source. */
static mls_status take_tools(reading_work *work, const mls_source *source, reading_tools *tools)
{
    const mls_checker_options *rules = work->reading->run != NULL ? work->reading->rules : NULL;
    mls_status status = MLS_OK;
    *tools = (reading_tools){NULL, NULL};
    (void)pthread_mutex_lock(&work->lock);
    if (work->idle > 0)
        *tools = work->tools[--work->idle];
    (void)pthread_mutex_unlock(&work->lock);
    if (rules != NULL) {
        const mls_ruleset *ruleset = rules->ruleset;
        status = source->edition != NULL ? mls_rulesets_get(rules->rulesets, source->edition, &ruleset, NULL) : MLS_OK;
        status = status == MLS_OK && tools->checker == NULL ? mls_checker_new(rules, &tools->checker) : status;
        if (status == MLS_OK)
            mls_checker_turn(tools->checker, ruleset);
    }
    return status;
}

/* Copy the verdict by other rules to the run that begins at the same line. */
static mls_status copy_verdict(void *state, size_t index, mls_run *run, void **notes)
{
    mls_run *look = state;
    (void)index;
    (void)notes;
    if (run->line != look->line)
        return MLS_OK;
    look->valid = run->valid;
    return MLS_STOPPED;
}

/* Try the editions after and before the guessed one for a run that ended well, since they may give another verdict.
 * The file is read again, only for the first such run. */
static mls_status try_neighbours(ahead_file *file, mls_run *run)
{
    const mls_reading *reading = file->work->reading;
    mls_checker_options rules = *reading->rules;
    const mls_editions *editions = mls_rulesets_editions(rules.rulesets);
    const mls_edition *own;
    mls_run look = {.line = run->line, .valid = run->valid};
    const mls_reading again = {.rules = &rules,
                               .brief = true,
                               .steps = reading->steps,
                               .cutting = reading->cutting,
                               .work.threads = 1,
                               .state = &look,
                               .run = copy_verdict};
    mls_status status = mls_editions_find(editions, run->usage, mls_str_from(run->edition), &own, NULL);
    file->asked = true;
    for (int step = 1; step >= -1 && status == MLS_OK && look.valid == run->valid; step -= 2) {
        const mls_edition *other = mls_editions_neighbour(editions, own, mls_str_from(run->benchmark), step);
        if (other != NULL) {
            status = mls_rulesets_get(rules.rulesets, other, &rules.ruleset, NULL);
            status = status == MLS_OK ? mls_read_sources(&again, file->read.source, 1, NULL) : status;
            status = status == MLS_STOPPED ? MLS_OK : status;
        }
        if (look.valid != run->valid) {
            mls_findings_add(&run->findings, MLS_FINDING_OTHER_EDITION,
                             (mls_finding_place){.line = run->benchmark_line, .key = MLS_S("submission_benchmark")},
                             "by the rules of %s this log is %svalid: if they are meant, say --edition %s", other->name,
                             look.valid ? "" : "not ", other->name);
            mls_findings_sort(&run->findings);
        }
    }
    return status;
}

/* Check whether other editions are worth trying.  Only a regular file can be read again. */
static bool is_doubtful(const ahead_file *file, const mls_run *run)
{
    const mls_source *source = file->read.source;
    return run->edition_guessed && (!run->valid || file->work->reading->doubting) && run->malformed == 0 &&
           run->status == MLS_RUN_SUCCESS && run->benchmark != NULL && !file->asked &&
           file->work->reading->open == NULL && source->size > 0 && source->size < LARGE_FILE;
}

static mls_status pass_run(void *state, mls_run *run, void **notes)
{
    ahead_file *file = state;
    const mls_reading *reading = file->work->reading;
    const mls_status status = is_doubtful(file, run) ? try_neighbours(file, run) : MLS_OK;
    run->file = mls_strdup(file->read.source->path);
    run->result = file->read.source->result;
    run->root = file->read.source->root;
    if (status != MLS_OK)
        return status;
    file->read.runs++;
    if (file->direct && file->printed == NULL)
        return reading->run(reading->state, file->read.index, run, notes);
    /* A listener would get everything twice. */
    if (file->waiting.count == WAITING_MAX && reading->listen == NULL && file->printed == NULL) {
        file->again = true;
        return MLS_STOPPED;
    }
    MLS_GROW(&file->waiting, items);
    file->waiting.items[file->waiting.count++] = (waiting_run){*run, *notes};
    *notes = NULL;
    mls_run_init(run);
    return MLS_OK;
}

/* Read a source: feed the splitter of runs, and the sink of the listener. */
static mls_status read_source(reading_work *work, ahead_file *file)
{
    const mls_reading *reading = work->reading;
    mls_read *read = &file->read;
    const mls_source *source = read->source;
    const bool never = reading->cutting == MLS_CUT_NEVER;
    const bool is_run = source->result || never;
    const bool may_be_json = source->named && !source->result; /* the user may have named a file that is not a log */
    const double deadline_ms = reading->work.deadline_ms;
    const bool late = deadline_ms > 0 && mls_clock_ms() >= deadline_ms;
    const int fd = late                    ? -1
                   : reading->open != NULL ? reading->open(reading->state, read->index)
                                           : mls_source_open(source, deadline_ms <= 0);
    reading_tools tools;
    if (late)
        read->status = mls_error_set(&read->error, MLS_ERROR_READ, 0, 0, "not read before the timeout");
    else if (fd < 0)
        read->status = mls_error_set_errno(&read->error, MLS_ERROR_READ, errno, "");
    if (fd < 0 && !(reading->unread_runs && is_run))
        return MLS_OK;
    mls_status status = take_tools(work, source, &tools);
    mls_file cutter = {.reading = reading,
                       .whole = never || (reading->cutting == MLS_CUT_RUNS && source->result),
                       .asked_for = source->named || is_run,
                       .not_json = may_be_json,
                       .checker = tools.checker,
                       .run = pass_run,
                       .state = file};
    mls_sink sinks[3] = {mls_file_begin(&cutter)};
    size_t count = reading->run != NULL;
    if (status == MLS_OK && reading->listen != NULL) {
        read->heard = reading->heard_size > 0 ? mls_calloc(1, reading->heard_size) : NULL;
        sinks[count] = (mls_sink){.state = read->heard};
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
                                          .foreign = reading->foreign,
                                          .deadline_ms = deadline_ms};
        status = mls_log_scan_fd(fd, &options, sinks, count, &read->totals, &read->error);
    }
    /* A file that is always one run is then an empty run, if requested. */
    const char *unread = read->totals.unread;
    const bool wanted = mls_foreign_reason(unread) == MLS_FOREIGN_REASONS || never;
    if (status == MLS_OK && (fd < 0 || (unread != NULL && wanted && reading->unread_runs && is_run)))
        status = mls_log_scan_bytes((mls_str){NULL, 0}, sinks, count, NULL, &read->error);
    mls_file_release(&cutter);
    const char *foreign = read->totals.old_format ? mls_reason_old_format : unread;
    if (status == MLS_OK && mls_foreign_reason(foreign) < MLS_FOREIGN_REASONS)
        status = mls_error_set(&read->error, MLS_ERROR_READ, 0, 0, "%s", foreign);
    if (read->totals.json && read->runs == 0 && may_be_json && reading->run != NULL)
        read->totals.unread = "JSON, not a log";
    (void)pthread_mutex_lock(&work->lock);
    work->tools[work->idle++] = tools;
    (void)pthread_mutex_unlock(&work->lock);
    if (fd >= 0 && fd != STDIN_FILENO)
        (void)close(fd);
    if (status == MLS_ERROR_READ) {
        read->status = status;
        status = MLS_OK;
    }
    return status;
}

/* Check whether a source is scanned by all threads alone.  This includes pipes, which can be read only once. */
static bool is_alone(const reading_work *work, const mls_source *source)
{
    const bool large = source->size >= LARGE_FILE || (source->named && source->size == 0);
    const bool in_order = work->reading->run == NULL && !work->reading->apart;
    return source->skip == NULL && (large || work->files == 1 || in_order);
}

/* Replace a delivered source with the next one that is not skipped. */
static bool next_source(void *state, size_t item)
{
    reading_work *work = state;
    while (work->next < work->end && work->sources[work->next].skip != NULL)
        work->next++;
    if (work->next == work->end)
        return false;
    const mls_source *source = &work->sources[work->next];
    work->ahead[item % FILES_AHEAD] =
        (ahead_file){.work = work, .read = {.index = work->next, .source = source}, .direct = is_alone(work, source)};
    work->next++;
    return true;
}

static void read_item(void *state, size_t item)
{
    reading_work *work = state;
    ahead_file *file = &work->ahead[item % FILES_AHEAD];
    const mls_reading *reading = work->reading;
    file->status = read_source(work, file);
    (void)pthread_mutex_lock(&work->lock);
    work->files_done++;
    work->bytes_done += file->read.totals.bytes;
    if (reading->work.progress != NULL)
        reading->work.progress(reading->work.progress_state, work->files_done, work->files, work->bytes_done);
    (void)pthread_mutex_unlock(&work->lock);
}

static void forget_runs(ahead_file *file)
{
    for (size_t i = 0; i < file->waiting.count; i++) {
        mls_run_release(&file->waiting.items[i].run);
        mls_notes_release(file->work->reading->observer, &file->waiting.items[i].notes);
    }
    free(file->waiting.items);
    free(file->read.heard);
    mls_printed_reader_free(file->printed);
    *file = (ahead_file){.work = file->work, .read = {.index = file->read.index, .source = file->read.source}};
}

/* Pass on the results of reading a file, and free them. */
static mls_status deliver(void *state, size_t item)
{
    reading_work *work = state;
    ahead_file *file = &work->ahead[item % FILES_AHEAD];
    const mls_reading *reading = work->reading;
    if (file->again) {
        forget_runs(file);
        file->direct = true;
        file->status = read_source(work, file);
    }
    mls_status status = file->status;
    if (status != MLS_OK)
        *work->error = file->read.error;
    for (size_t i = 0; i < file->waiting.count && status == MLS_OK; i++) {
        waiting_run *each = &file->waiting.items[i];
        mls_printed *printed =
            file->printed != NULL ? mls_printed_of_run(file->printed, each->run.run_start.line) : NULL;
        each->run.part = file->waiting.count > 1;
        if (printed != NULL) {
            each->run.printed = mls_printed_share(printed);
            status = work->known.items == NULL ? mls_known_settings_load(&work->known, work->error) : MLS_OK;
        }
        if (status == MLS_OK && printed != NULL)
            each->run.facts = mls_known_facts(&work->known, printed);
        status = status == MLS_OK ? reading->run(reading->state, file->read.index, &each->run, &each->notes) : status;
    }
    if (status == MLS_OK && reading->done != NULL)
        status = reading->done(reading->state, &file->read);
    forget_runs(file);
    return status;
}

mls_status mls_read_sources(const mls_reading *reading, const mls_source *sources, size_t count, mls_error *error)
{
    mls_error ignored = {0};
    reading_work work = {.reading = reading,
                         .sources = sources,
                         .ahead = mls_calloc(FILES_AHEAD, sizeof *work.ahead),
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
        work.files += sources[i].skip == NULL;
    while (work.next < count && status == MLS_OK) {
        const bool alone = is_alone(&work, &sources[work.end++]);
        while (!alone && work.end < count && !is_alone(&work, &sources[work.end]))
            work.end++;
        relay.threads = alone ? 1 : work.threads;
        status = mls_relay_run(&relay);
    }
    for (size_t i = 0; i < FILES_AHEAD; i++) {
        work.ahead[i].work = &work;
        forget_runs(&work.ahead[i]);
    }
    mls_known_settings_release(&work.known);
    for (size_t i = 0; i < work.idle; i++) {
        mls_checker_free(work.tools[i].checker);
        mls_scan_room_free(work.tools[i].room);
    }
    free(work.ahead);
    (void)pthread_mutex_destroy(&work.lock);
    return status;
}
