/* SPDX-License-Identifier: Apache-2.0 */
/* writer.c - records put together and written, a line a time. */
#include "mlscore/write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/utf8.h"
#include "log/log.h"
#include "json/dump.h"
#include "json/json_check.h"

typedef struct log_target {
    int fd;
    char *path; /* of what was opened; NULL: the caller's descriptor */
    bool torn;  /* the last line that it took is not all there */
} log_target;

/* What was put for the next record. */
typedef struct staged_member {
    mls_str name, json;
} staged_member;

struct mls_log_writer {
    MLS_LIST_OF(log_target) places;
    mls_buffer space; /* the namespace, as JSON; empty: "" */
    bool silent;      /* another rank writes */
    /* Of the next record: */
    mls_arena memory;
    MLS_LIST_OF(staged_member) members; /* in the arena */
    mls_str value;
    bool timed;
    int64_t time_ms;
    mls_error wrong; /* what was put wrong first, if its status is not MLS_OK */
    mls_buffer text; /* what is being written */
};

mls_status mls_log_writer_new(mls_log_writer **writer, mls_error *error)
{
    *writer = calloc(1, sizeof **writer);
    return *writer != NULL ? MLS_OK : mls_error_memory(error);
}

/* ------------------------------------------------------------------ places */

static mls_status cannot_log(const log_target *where, int system_errno, mls_error *error)
{
    char what[200];
    if (where->path != NULL) {
        (void)mls_text_printf(what, sizeof what, "cannot write '%.*s'", MLS_CUT_TEXT(where->path, 160));
    } else if (where->fd == STDOUT_FILENO) {
        (void)mls_text_printf(what, sizeof what, "cannot write to standard output");
    } else {
        (void)mls_text_printf(what, sizeof what, "cannot write to descriptor %d", where->fd);
    }
    return mls_error_set_errno(error, MLS_ERROR_WRITE, system_errno, what);
}

/* The descriptor and the path are the writer's then, or nobody's. */
static mls_status add_target(mls_log_writer *writer, log_target added, mls_error *error)
{
    if (!MLS_GROW(&writer->places, items)) {
        if (added.path != NULL) {
            (void)close(added.fd);
            free(added.path);
        }
        return mls_error_memory(error);
    }
    writer->places.items[writer->places.count++] = added;
    return MLS_OK;
}

mls_status mls_log_writer_add_file(mls_log_writer *writer, const char *path, mls_error *error)
{
    if (path == NULL) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "the path of a log is missing: NULL was given");
    }
    if (writer->silent) {
        return MLS_OK;
    }
    log_target added = {.path = strdup(path)};
    const char *refused = mls_output_refused(path);
    if (added.path == NULL) {
        return mls_error_memory(error);
    }
    mls_status status = MLS_OK;
    if (refused != NULL) {
        status = mls_error_set(error, MLS_ERROR_WRITE, 0, 0, "cannot write '%.*s': root does not write there: %s",
                               MLS_CUT_TEXT(path, 160), refused);
    } else {
        added.fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
        status = added.fd < 0 ? cannot_log(&added, errno, error) : MLS_OK;
    }
    if (status != MLS_OK) {
        free(added.path);
        return status;
    }
    return add_target(writer, added, error);
}

mls_status mls_log_writer_add_fd(mls_log_writer *writer, int fd, mls_error *error)
{
    return add_target(writer, (log_target){.fd = fd}, error);
}

static mls_status close_places(mls_log_writer *writer, mls_error *error)
{
    mls_status status = MLS_OK;
    for (size_t i = 0; i < writer->places.count; i++) {
        const log_target *where = &writer->places.items[i];
        if (where->path != NULL && close(where->fd) != 0 && errno != EINTR && status == MLS_OK) {
            status = cannot_log(where, errno, error);
        }
        free(where->path);
    }
    writer->places.count = 0;
    return status;
}

mls_status mls_log_writer_close(mls_log_writer *writer, mls_error *error)
{
    return close_places(writer, error);
}

void mls_log_writer_free(mls_log_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    (void)close_places(writer, NULL);
    free(writer->places.items);
    mls_buffer_release(&writer->space);
    mls_buffer_release(&writer->text);
    mls_arena_release(&writer->memory);
    free(writer);
}

/* ------------------------------------------------------------------- ranks */

/* mpirun inside of a job leaves all processes the SLURM_PROCID of the script, and torchrun starts many in one task: who
 * stands nearest to the process is asked first. */
static mls_status rank_of_environment(long *rank, mls_error *error)
{
    static const char *const names[] = {"RANK",     "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                        "PMI_RANK", "FLUX_TASK_RANK",       "SLURM_PROCID"};
    *rank = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        size_t number = 0;
        if (text != NULL && (!mls_size_parse(mls_str_from(text), &number) || number > LONG_MAX)) {
            return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "%s is no rank: '%.*s'", names[i],
                                 MLS_CUT_TEXT(text, 40));
        }
        if (text != NULL) {
            *rank = (long)number;
            break;
        }
    }
    return MLS_OK;
}

mls_status mls_log_writer_only_rank(mls_log_writer *writer, long wanted, long own, mls_error *error)
{
    if (wanted < 0) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "ranks count from 0: %ld is none", wanted);
    }
    const mls_status status = own < 0 ? rank_of_environment(&own, error) : MLS_OK;
    writer->silent = status == MLS_OK && own != wanted;
    return status;
}

/* ---------------------------------------------------------- what is put */

void mls_log_writer_namespace(mls_log_writer *writer, const char *text)
{
    mls_buffer_clear(&writer->space);
    mls_dump_text(&writer->space, mls_str_from(text));
}

static void lose_put(mls_log_writer *writer)
{
    if (writer->wrong.status == MLS_OK) {
        (void)mls_error_memory(&writer->wrong);
    }
}

/* What was put by a name; NULL: nothing. */
static staged_member *find_staged(const mls_log_writer *writer, mls_str name)
{
    for (size_t i = 0; i < writer->members.count; i++) {
        if (mls_str_equal(writer->members.items[i].name, name)) {
            return &writer->members.items[i];
        }
    }
    return NULL;
}

/* Keeps what `text` holds as JSON. */
static void put_staged(mls_log_writer *writer, const char *name)
{
    const mls_str json = mls_arena_copy(&writer->memory, mls_buffer_str(&writer->text));
    if (json.ptr == NULL || writer->text.failed) {
        lose_put(writer);
    } else if (name == NULL) {
        writer->value = json;
    } else {
        staged_member *before = find_staged(writer, mls_str_from(name));
        if (before != NULL) {
            before->json = json;
            return;
        }
        const mls_str kept = mls_arena_copy(&writer->memory, mls_str_from(name));
        if (kept.ptr == NULL || !MLS_ARENA_ADD(&writer->memory, &writer->members, (staged_member){kept, json})) {
            lose_put(writer);
        }
    }
}

void mls_log_writer_put_text(mls_log_writer *writer, const char *name, const char *text)
{
    mls_buffer_clear(&writer->text);
    if (text != NULL) {
        mls_dump_text(&writer->text, mls_str_from(text));
    } else {
        mls_buffer_append_text(&writer->text, "null");
    }
    put_staged(writer, name);
}

void mls_log_writer_put_integer(mls_log_writer *writer, const char *name, int64_t number)
{
    mls_buffer_clear(&writer->text);
    mls_buffer_printf(&writer->text, "%lld", (long long)number);
    put_staged(writer, name);
}

void mls_log_writer_put_number(mls_log_writer *writer, const char *name, double number)
{
    mls_buffer_clear(&writer->text);
    mls_dump_number(&writer->text, number);
    put_staged(writer, name);
}

void mls_log_writer_put_bool(mls_log_writer *writer, const char *name, bool yes)
{
    mls_buffer_clear(&writer->text);
    mls_buffer_append_text(&writer->text, yes ? "true" : "false");
    put_staged(writer, name);
}

/* Whether brackets of validated JSON nest deeper than a record has room for, inside of itself and of its metadata. */
static bool too_deep(mls_str json)
{
    size_t depth = 0;
    for (size_t i = 0; i < json.len; i++) {
        const char c = json.ptr[i];
        if (c == '"') {
            i = (size_t)(mls_span_skip_value(json.ptr + i, json.ptr + json.len) - json.ptr) - 1;
        } else if (c == '[' || c == '{') {
            depth++;
        } else if (c == ']' || c == '}') {
            depth--;
        }
        if (depth > MLS_JSON_DEPTH_MAX - 2) {
            return true;
        }
    }
    return false;
}

/* `or_text`: what is no JSON is a text. */
static void put_checked(mls_log_writer *writer, const char *name, const char *text, bool or_text)
{
    mls_arena scratch = {0};
    mls_str json;
    size_t where;
    const char *reason = mls_json_validate(mls_str_from(text), &scratch, &json, &where);
    if (reason == mls_reason_memory) {
        lose_put(writer);
    } else if (reason != NULL && or_text) {
        mls_log_writer_put_text(writer, name, text);
    } else if (reason != NULL || too_deep(json)) {
        if (writer->wrong.status == MLS_OK) {
            (void)mls_error_set(&writer->wrong, MLS_ERROR_SYNTAX, 0, 0, "the JSON of '%.*s' is wrong: %s",
                                MLS_CUT_TEXT(name != NULL ? name : "value", 60),
                                reason != NULL ? reason : "brackets are nested too deep");
        }
    } else {
        mls_buffer_clear(&writer->text);
        mls_dump_json(&writer->text, json);
        put_staged(writer, name);
    }
    mls_arena_release(&scratch);
}

void mls_log_writer_put_json(mls_log_writer *writer, const char *name, const char *json)
{
    put_checked(writer, name, json, false);
}

void mls_log_writer_put_word(mls_log_writer *writer, const char *name, const char *text)
{
    put_checked(writer, name, text, true);
}

void mls_log_writer_put_time(mls_log_writer *writer, int64_t time_ms)
{
    writer->timed = true;
    writer->time_ms = time_ms;
}

/* ----------------------------------------------------------------- records */

static void forget(mls_log_writer *writer)
{
    mls_arena_reset(&writer->memory);
    writer->members.items = NULL;
    writer->members.count = writer->members.capacity = 0;
    writer->value = (mls_str){NULL, 0};
    writer->timed = false;
    writer->wrong = (mls_error){.status = MLS_OK};
    writer->text.failed = false;
}

static int64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The place in the program comes first; what was put by one of its names takes that place. */
static void print_metadata(mls_log_writer *writer, const char *file, int line)
{
    mls_buffer *text = &writer->text;
    const mls_str first[] = {MLS_STR("file"), MLS_STR("lineno")};
    const char *between = "";
    mls_buffer_append_text(text, "{");
    for (size_t i = 0; i < 2 && file != NULL; i++) {
        const staged_member *put = find_staged(writer, first[i]);
        mls_buffer_printf(text, "%s\"%s\": ", between, first[i].ptr);
        if (put != NULL) {
            mls_buffer_append(text, put->json);
        } else if (i == 0) {
            mls_dump_text(text, mls_str_from(file));
        } else {
            mls_buffer_printf(text, "%d", line);
        }
        between = ", ";
    }
    for (size_t k = 0; k < writer->members.count; k++) {
        const staged_member *member = &writer->members.items[k];
        if (file == NULL || (!mls_str_equal(member->name, first[0]) && !mls_str_equal(member->name, first[1]))) {
            mls_buffer_append_text(text, between);
            mls_dump_text(text, member->name);
            mls_buffer_append_text(text, ": ");
            mls_buffer_append(text, member->json);
            between = ", ";
        }
    }
    mls_buffer_append_text(text, "}");
}

/* In a record no text may hold the mark that records begin with: readers take the last one of a line.  So its first
 * byte is written as an escape. */
static void hide_marks(mls_buffer *text, size_t begin)
{
    static const mls_str mark = MLS_STR(":::MLLOG ");
    const mls_str payload = {text->ptr + begin, text->len - begin};
    if (text->failed || !mls_str_contains(payload, mark)) {
        return;
    }
    mls_buffer hidden = {0};
    mls_buffer_append(&hidden, (mls_str){text->ptr, begin});
    for (size_t i = 0; i < payload.len; i++) {
        const mls_str rest = mls_str_rest(payload, i);
        if (mls_str_starts(rest, mark)) {
            mls_buffer_append_text(&hidden, "\\u003a");
        } else {
            mls_buffer_append_char(&hidden, payload.ptr[i]);
        }
    }
    mls_buffer_release(text);
    *text = hidden;
}

/* The line, after a line ending for a place whose last line was torn. */
static void print_record_line(mls_log_writer *writer, mls_log_event event, const char *key, const char *file, int line)
{
    static const char *const types[] = {"INTERVAL_START", "INTERVAL_END", "POINT_IN_TIME"};
    mls_buffer *text = &writer->text;
    mls_buffer_clear(text);
    mls_buffer_append_text(text, "\n:::MLLOG ");
    const size_t begin = text->len;
    mls_buffer_append_text(text, "{\"namespace\": ");
    mls_buffer_append(text, writer->space.len > 0 ? mls_buffer_str(&writer->space) : MLS_S("\"\""));
    mls_buffer_printf(text, ", \"time_ms\": %lld, \"event_type\": \"%s\", \"key\": ",
                      (long long)(writer->timed ? writer->time_ms : now_ms()), types[event]);
    mls_dump_text(text, mls_str_from(key));
    mls_buffer_append_text(text, ", \"value\": ");
    mls_buffer_append(text, writer->value.ptr != NULL ? writer->value : MLS_S("null"));
    mls_buffer_append_text(text, ", \"metadata\": ");
    print_metadata(writer, file, line);
    mls_buffer_append_text(text, "}");
    hide_marks(text, begin);
    mls_buffer_append_text(text, "\n");
}

/* 0, or the errno of what failed.  One write() is enough but where the disk is full, a signal came or a pipe is. */
static int write_line(log_target *where, mls_str line)
{
    size_t done = where->torn ? 0 : 1; /* over the line ending in front */
    const size_t begin = done;
    while (done < line.len) {
        const ssize_t wrote = write(where->fd, line.ptr + done, line.len - done);
        struct pollfd wait = {.fd = where->fd, .events = POLLOUT};
        if (wrote > 0) {
            done += (size_t)wrote;
        } else if (wrote == 0 || (errno != EINTR && (errno != EAGAIN || (poll(&wait, 1, -1) < 0 && errno != EINTR)))) {
            where->torn |= done > begin;
            return wrote == 0 ? EIO : errno;
        }
    }
    where->torn = false;
    return 0;
}

static mls_status log_record(mls_log_writer *writer, mls_log_event event, const char *key, const char *file, int line,
                             mls_error *error)
{
    mls_status status = MLS_OK;
    if (writer->wrong.status != MLS_OK) {
        return mls_error_set(error, writer->wrong.status, 0, 0, "%s", writer->wrong.message);
    }
    if (key == NULL || *key == '\0' || event < MLS_LOG_START || event > MLS_LOG_POINT) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "a record needs a key and the kind of its event");
    }
    if (writer->places.count == 0) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "there is no place to write to");
    }
    print_record_line(writer, event, key, file, line);
    if (writer->text.failed || writer->space.failed) {
        return mls_error_memory(error);
    }
    if (writer->text.len > MLS_RECORD_LENGTH_MAX) {
        return mls_error_set(error, MLS_ERROR_LIMIT, 0, 0, "the record is longer than 16 MiB");
    }
    for (size_t i = 0; i < writer->places.count; i++) {
        const int failed = write_line(&writer->places.items[i], mls_buffer_str(&writer->text));
        if (failed != 0 && status == MLS_OK) {
            status = cannot_log(&writer->places.items[i], failed, error);
        }
    }
    return status;
}

mls_status mls_log_writer_record(mls_log_writer *writer, mls_log_event event, const char *key, const char *file,
                                 int line, mls_error *error)
{
    const mls_status status = writer->silent ? MLS_OK : log_record(writer, event, key, file, line, error);
    forget(writer);
    return status;
}
