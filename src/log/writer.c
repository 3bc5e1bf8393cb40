/* SPDX-License-Identifier: Apache-2.0 */
/* writer.c - compose records and write them to files, one line per record.
 *
 * The writer runs inside training programs, so memory is allocated only when a writer or a target is created, and a
 * failed allocation is returned as a status.  All other functions use fixed buffers, and return MLS_ERROR_LIMIT if they
 * are too small. */
#include "mlscore/write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "base/output.h"
#include "base/utf8.h"
#include "log/log.h"
#include "json/dump.h"
#include "json/json_check.h"

typedef struct log_target {
    int fd;
    char *path; /* path of the file that the writer opened; NULL: the caller opened `fd` */
    bool torn;  /* the last line was written incompletely */
} log_target;

/* Buffer sizes of a writer.  Memory that is not used does not become resident.  The values and names of a record have
 * at most MLS_RECORD_LENGTH_MAX bytes, each of which takes at most ESCAPED bytes as JSON. */
enum { MEMBERS_MAX = 4096, NAMESPACE_MAX = 4096, ESCAPED = 6, SLACK = 4096 };
#define STAGED_ROOM ((1 + ESCAPED) * MLS_RECORD_LENGTH_MAX + SLACK)
#define LINE_ROOM (MLS_RECORD_LENGTH_MAX + SLACK)

/* A metadata member of the next record: its name and value as JSON. */
typedef struct staged_member {
    mls_str name, json;
} staged_member;

struct mls_log_writer {
    log_target *places;
    size_t place_count;
    mls_buffer space; /* the namespace, as JSON */
    bool space_refused;
    bool silent; /* this rank does not write records */
    /* The following members describe the next record. */
    mls_buffer staged; /* the names and values put so far, as JSON */
    staged_member members[MEMBERS_MAX];
    size_t member_count;
    mls_str value; /* the value as JSON; ptr is NULL if it was not put */
    bool timed;
    int64_t time_ms;
    mls_error wrong; /* the first error of a put function; its status is MLS_OK if there was no error */
    mls_buffer line; /* the line being written, or JSON being checked */
};

static bool make_room(mls_buffer *buffer, size_t size)
{
    buffer->ptr = malloc(size);
    buffer->capacity = buffer->ptr != NULL ? size : 0;
    return buffer->ptr != NULL;
}

mls_status mls_log_writer_new(mls_log_writer **writer, mls_error *error)
{
    char warm[8];
    mls_log_writer *made = calloc(1, sizeof *made);
    *writer = made;
    if (made == NULL || !make_room(&made->space, ESCAPED * NAMESPACE_MAX + SLACK) ||
        !make_room(&made->staged, STAGED_ROOM) || !make_room(&made->line, LINE_ROOM)) {
        mls_log_writer_free(made);
        *writer = NULL;
        return mls_error_set(error, MLS_ERROR_MEMORY, 0, 0, "out of memory");
    }
    /* Creates the C locale for printing numbers now, so that memory is not allocated later. */
    (void)mls_text_printf(warm, sizeof warm, "%d", 0);
    mls_log_writer_namespace(made, "");
    return MLS_OK;
}

/* ------------------------------------------------------------------ places */

static mls_status cannot_log(const log_target *where, int system_errno, mls_error *error)
{
    char what[200];
    if (where->path != NULL)
        (void)mls_text_printf(what, sizeof what, "cannot write '%.*s'", MLS_CUT_TEXT(where->path, 160));
    else if (where->fd == STDOUT_FILENO)
        (void)mls_text_printf(what, sizeof what, "cannot write to standard output");
    else
        (void)mls_text_printf(what, sizeof what, "cannot write to descriptor %d", where->fd);
    return mls_error_set_errno(error, MLS_ERROR_WRITE, system_errno, what);
}

/* Add a target.  On failure, close its file if the writer opened it. */
static mls_status add_target(mls_log_writer *writer, log_target added, mls_error *error)
{
    log_target *grown = realloc(writer->places, (writer->place_count + 1) * sizeof *grown);
    if (grown == NULL) {
        if (added.path != NULL) {
            (void)close(added.fd);
            free(added.path);
        }
        return mls_error_set(error, MLS_ERROR_MEMORY, 0, 0, "out of memory");
    }
    writer->places = grown;
    writer->places[writer->place_count++] = added;
    return MLS_OK;
}

mls_status mls_log_writer_add_file(mls_log_writer *writer, const char *path, mls_error *error)
{
    if (path == NULL)
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "the path of a log is missing: NULL was given");
    if (writer->silent)
        return MLS_OK;
    const char *refused = mls_output_refused(path);
    if (refused != NULL) {
        return mls_error_set(error, MLS_ERROR_WRITE, 0, 0,
                             "cannot write '%.*s': refused, because mlscore runs as root: %s", MLS_CUT_TEXT(path, 160),
                             refused);
    }
    log_target added = {.path = strdup(path)};
    if (added.path == NULL)
        return mls_error_set(error, MLS_ERROR_MEMORY, 0, 0, "out of memory");
    added.fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (added.fd < 0) {
        const mls_status status = cannot_log(&added, errno, error);
        free(added.path);
        return status;
    }
    return add_target(writer, added, error);
}

mls_status mls_log_writer_add_fd(mls_log_writer *writer, int fd, mls_error *error)
{
    return add_target(writer, (log_target){.fd = fd}, error);
}

mls_status mls_log_writer_close(mls_log_writer *writer, mls_error *error)
{
    mls_status status = MLS_OK;
    for (size_t i = 0; i < writer->place_count; i++) {
        const log_target *where = &writer->places[i];
        if (where->path != NULL && close(where->fd) != 0 && errno != EINTR && status == MLS_OK)
            status = cannot_log(where, errno, error);
        free(where->path);
    }
    writer->place_count = 0;
    return status;
}

void mls_log_writer_free(mls_log_writer *writer)
{
    if (writer != NULL) {
        (void)!mls_log_writer_close(writer, NULL);
        free(writer->places);
        mls_buffer_release(&writer->space);
        mls_buffer_release(&writer->staged);
        mls_buffer_release(&writer->line);
        free(writer);
    }
}

/* ------------------------------------------------------------------- ranks */

mls_status mls_log_writer_only_rank(mls_log_writer *writer, long wanted, long own, mls_error *error)
{
    /* Use the variable of the innermost launcher.  mpirun in a Slurm job passes the SLURM_PROCID of the job script to
     * all processes, and torchrun starts several processes in one Slurm task. */
    static const char *const names[] = {"RANK",     "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                        "PMI_RANK", "FLUX_TASK_RANK",       "SLURM_PROCID"};
    if (wanted < 0)
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "invalid rank %ld: ranks start at 0", wanted);
    writer->silent = false;
    for (size_t i = 0; own < 0 && i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        size_t number = 0;
        if (text != NULL && (!mls_size_parse(mls_str_from(text), &number) || number > LONG_MAX)) {
            return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "%s is not a rank: '%.*s'", names[i],
                                 MLS_CUT_TEXT(text, 40));
        }
        own = text != NULL ? (long)number : own;
    }
    writer->silent = (own < 0 ? 0 : own) != wanted;
    return MLS_OK;
}

/* ---------------------------------------------------------- what is put */

void mls_log_writer_namespace(mls_log_writer *writer, const char *text)
{
    const mls_str space = mls_str_from(text);
    writer->space_refused = space.len > NAMESPACE_MAX;
    mls_buffer_clear(&writer->space);
    mls_dump_text(&writer->space, writer->space_refused ? MLS_S("") : space);
}

/* Return the place to store an error of a put function; NULL if there already is one, because only the first error is
 * reported. */
static mls_error *wrong_of(mls_log_writer *writer)
{
    return writer->wrong.status == MLS_OK ? &writer->wrong : NULL;
}

static mls_status too_long(mls_error *error)
{
    return mls_error_set(error, MLS_ERROR_LIMIT, 0, 0, "the record is longer than 16 MiB");
}

/* Check that the buffers have room for a name and a value of `length` bytes; if not, store an error and return
 * false. */
static bool has_room(mls_log_writer *writer, const char *name, size_t length)
{
    const size_t name_length = name != NULL ? strlen(name) : 0;
    const bool fits = writer->staged.len <= MLS_RECORD_LENGTH_MAX && length <= MLS_RECORD_LENGTH_MAX &&
                      name_length <= MLS_RECORD_LENGTH_MAX - length;
    if (!fits)
        (void)too_long(wrong_of(writer));
    return fits && !writer->silent;
}

/* Return the member that was put with a name, which is given as JSON; NULL if it was not put. */
static staged_member *find_staged(mls_log_writer *writer, mls_str name)
{
    for (size_t i = 0; i < writer->member_count; i++)
        if (mls_str_equal(writer->members[i].name, name))
            return &writer->members[i];
    return NULL;
}

/* Store the JSON appended to `staged` from `begin` on as a member, or as the value if `name` is NULL. */
static void keep_staged(mls_log_writer *writer, const char *name, size_t begin)
{
    mls_buffer *staged = &writer->staged;
    const mls_str json = {staged->ptr + begin, staged->len - begin};
    if (name == NULL) {
        writer->value = json;
        return;
    }
    const size_t at = staged->len;
    mls_dump_text(staged, mls_str_from(name));
    const mls_str key = {staged->ptr + at, staged->len - at};
    staged_member *before = find_staged(writer, key);
    if (before != NULL) {
        before->json = json;
    } else if (writer->member_count < MEMBERS_MAX) {
        writer->members[writer->member_count++] = (staged_member){key, json};
    } else {
        (void)mls_error_set(wrong_of(writer), MLS_ERROR_LIMIT, 0, 0, "the metadata has more than %d members",
                            MEMBERS_MAX);
    }
}

void mls_log_writer_put_text(mls_log_writer *writer, const char *name, const char *text)
{
    const size_t begin = writer->staged.len;
    if (!has_room(writer, name, text != NULL ? strlen(text) : 0))
        return;
    if (text != NULL)
        mls_dump_text(&writer->staged, mls_str_from(text));
    else
        mls_buffer_append_text(&writer->staged, "null");
    keep_staged(writer, name, begin);
}

void mls_log_writer_put_integer(mls_log_writer *writer, const char *name, int64_t number)
{
    const size_t begin = writer->staged.len;
    if (has_room(writer, name, 0)) {
        mls_buffer_printf(&writer->staged, "%lld", (long long)number);
        keep_staged(writer, name, begin);
    }
}

void mls_log_writer_put_number(mls_log_writer *writer, const char *name, double number)
{
    const size_t begin = writer->staged.len;
    if (has_room(writer, name, 0)) {
        mls_dump_number(&writer->staged, number);
        keep_staged(writer, name, begin);
    }
}

void mls_log_writer_put_bool(mls_log_writer *writer, const char *name, bool yes)
{
    const size_t begin = writer->staged.len;
    if (has_room(writer, name, 0)) {
        mls_buffer_append_text(&writer->staged, yes ? "true" : "false");
        keep_staged(writer, name, begin);
    }
}

/* Put JSON after validating it.  `or_text`: if the text is not JSON, put it as a string. */
static void put_checked(mls_log_writer *writer, const char *name, const char *text, bool or_text)
{
    const size_t begin = writer->staged.len;
    const mls_str given = mls_str_from(text);
    const mls_str copy = {writer->line.ptr, given.len};
    mls_str json;
    size_t where;
    if (!has_room(writer, name, copy.len))
        return;
    memcpy(writer->line.ptr, given.len > 0 ? given.ptr : "", given.len);
    memset(writer->line.ptr + copy.len, 0, MLS_JSON_PADDING);
    const char *reason = mls_json_validate(copy, NULL, &json, &where);
    if (reason != NULL && or_text) {
        mls_log_writer_put_text(writer, name, text);
        return;
    }
    /* The value is nested in the record and its metadata, so fewer levels are allowed. */
    size_t depth = 0;
    bool too_deep = false;
    for (size_t i = 0; reason == NULL && i < json.len && !too_deep; i++) {
        const char c = json.ptr[i];
        if (c == '"')
            i = (size_t)(mls_span_skip_value(json.ptr + i, json.ptr + json.len) - json.ptr) - 1;
        else if (c == '[' || c == '{')
            depth++;
        else if (c == ']' || c == '}')
            depth--;
        too_deep = depth > MLS_JSON_DEPTH_MAX - 2;
    }
    if (reason != NULL || too_deep) {
        (void)mls_error_set(wrong_of(writer), MLS_ERROR_SYNTAX, 0, 0, "the JSON of '%.*s' is wrong: %s",
                            MLS_CUT_TEXT(name != NULL ? name : "value", 60),
                            reason != NULL ? reason : "brackets are nested too deep");
    } else {
        mls_dump_json(&writer->staged, json);
        keep_staged(writer, name, begin);
    }
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

/* Replace the first byte of each ":::MLLOG " inside the record with an escape, because the payload of a line begins
 * after its last ":::MLLOG ".  Return false if the line would be too long. */
static bool hide_marks(mls_buffer *line, size_t begin)
{
    static const mls_str mark = MLS_STR(":::MLLOG ");
    static const mls_str hidden = MLS_STR("\\u003a");
    const mls_str payload = {line->ptr + begin, line->len - begin};
    size_t count = 0;
    mls_str rest;
    for (mls_str at = payload; mls_str_after(at, mark, &rest); at = rest)
        count++;
    const size_t length = line->len + count * (hidden.len - 1);
    if (length > MLS_RECORD_LENGTH_MAX)
        return false;
    char *to = line->ptr + length;
    const char *end = to;
    const mls_str behind = mls_str_rest(mark, 1);
    /* Move bytes from the end, until the remaining ones need not be moved. */
    for (const char *from = line->ptr + line->len; to > from;) {
        if (*--from == ':' && mls_str_starts((mls_str){to, (size_t)(end - to)}, behind)) {
            to -= hidden.len;
            memcpy(to, hidden.ptr, hidden.len);
        } else {
            *--to = *from;
        }
    }
    line->len = length;
    return true;
}

/* Compose the line of a record in writer->line, starting with a line ending, which is written only to targets whose
 * last line was torn.  Return false if the line is too long. */
static bool print_record_line(mls_log_writer *writer, mls_log_event event, const char *key, const char *file, int line)
{
    static const char *const types[] = {"INTERVAL_START", "INTERVAL_END", "POINT_IN_TIME"};
    enum { BETWEEN = 4, AROUND = 512 }; /* bytes between members, and bytes of the fixed parts of a record */
    mls_buffer *text = &writer->line;
    size_t length = writer->space.len + writer->value.len + AROUND;
    const size_t raw = strlen(key) + (file != NULL ? strlen(file) : 0);
    for (size_t i = 0; i < writer->member_count; i++)
        length += writer->members[i].name.len + writer->members[i].json.len + BETWEEN;
    if (raw > MLS_RECORD_LENGTH_MAX / ESCAPED || length > MLS_RECORD_LENGTH_MAX - raw * ESCAPED)
        return false;
    mls_buffer_clear(text);
    mls_buffer_append_text(text, "\n:::MLLOG ");
    const size_t begin = text->len;
    mls_buffer_append_text(text, "{\"namespace\": ");
    mls_buffer_append(text, mls_buffer_str(&writer->space));
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    const int64_t now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    mls_buffer_printf(text, ", \"time_ms\": %lld, \"event_type\": \"%s\", \"key\": ",
                      (long long)(writer->timed ? writer->time_ms : now_ms), types[event]);
    mls_dump_text(text, mls_str_from(key));
    mls_buffer_append_text(text, ", \"value\": ");
    mls_buffer_append(text, writer->value.ptr != NULL ? writer->value : MLS_S("null"));
    /* The metadata begins with "file" and "lineno": the position in the program, or the values that were put with these
     * names. */
    const mls_str first[] = {MLS_STR("\"file\""), MLS_STR("\"lineno\"")};
    const char *between = "";
    mls_buffer_append_text(text, ", \"metadata\": {");
    for (size_t i = 0; i < 2 && file != NULL; i++) {
        const staged_member *put = find_staged(writer, first[i]);
        mls_buffer_printf(text, "%s%s: ", between, first[i].ptr);
        if (put != NULL)
            mls_buffer_append(text, put->json);
        else if (i == 0)
            mls_dump_text(text, mls_str_from(file));
        else
            mls_buffer_printf(text, "%d", line);
        between = ", ";
    }
    for (size_t k = 0; k < writer->member_count; k++) {
        const staged_member *member = &writer->members[k];
        if (file == NULL || (!mls_str_equal(member->name, first[0]) && !mls_str_equal(member->name, first[1]))) {
            mls_buffer_append_text(text, between);
            mls_buffer_append(text, member->name);
            mls_buffer_append_text(text, ": ");
            mls_buffer_append(text, member->json);
            between = ", ";
        }
    }
    mls_buffer_append_text(text, "}}");
    const bool fits = hide_marks(text, begin);
    mls_buffer_append_text(text, "\n");
    return fits;
}

mls_status mls_log_writer_record(mls_log_writer *writer, mls_log_event event, const char *key, const char *file,
                                 int line, mls_error *error)
{
    mls_status status = MLS_OK;
    if (writer->silent) {
        status = MLS_OK;
    } else if (writer->wrong.status != MLS_OK) {
        status = mls_error_set(error, writer->wrong.status, 0, 0, "%s", writer->wrong.message);
    } else if (key == NULL || *key == '\0' || event < MLS_LOG_START || event > MLS_LOG_POINT) {
        status = mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "a record needs a key and the kind of its event");
    } else if (writer->place_count == 0) {
        status = mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "no file or descriptor to write to");
    } else if (writer->space_refused) {
        status = mls_error_set(error, MLS_ERROR_LIMIT, 0, 0, "the namespace is longer than %d bytes", NAMESPACE_MAX);
    } else if (!print_record_line(writer, event, key, file, line)) {
        status = too_long(error);
    } else {
        /* Usually one write() writes the whole line.  It writes less if the disk or a pipe is full or a signal
         * arrives. */
        for (size_t i = 0; i < writer->place_count; i++) {
            log_target *where = &writer->places[i];
            const size_t begin = where->torn ? 0 : 1; /* skip the leading line ending unless the last line was torn */
            int failed = 0;
            for (size_t done = begin; done < writer->line.len && failed == 0;) {
                const ssize_t wrote = write(where->fd, writer->line.ptr + done, writer->line.len - done);
                struct pollfd wait = {.fd = where->fd, .events = POLLOUT};
                if (wrote > 0)
                    done += (size_t)wrote;
                else if (wrote == 0 ||
                         (errno != EINTR && (errno != EAGAIN || (poll(&wait, 1, -1) < 0 && errno != EINTR))))
                    failed = wrote == 0 ? EIO : errno;
                where->torn = done > begin || where->torn;
            }
            where->torn = failed != 0 && where->torn;
            if (failed != 0 && status == MLS_OK)
                status = cannot_log(where, failed, error);
        }
    }
    mls_buffer_clear(&writer->staged);
    writer->member_count = 0;
    writer->value = (mls_str){NULL, 0};
    writer->timed = false;
    writer->wrong = (mls_error){.status = MLS_OK};
    return status;
}
