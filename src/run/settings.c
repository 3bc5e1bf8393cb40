/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - parse the settings that jobs print in three forms, assign them to runs, and find the settings that
 * determine speed. */
#include "run/settings.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "log/prefix.h"
#include "run/splitter.h"
#include "json/json_row.h"

enum {
    RANK_BLANKS_MAX = 8,
    RANK_DIGITS_MAX = 6,
    DOTS_MIN = 3,
    LEVELS_MAX = 32, /* maximum nesting of YAML; deeper levels are treated as this level */
    LOOK_BYTES = 32 * 1024,
    COUNT_STRIDE = 128,  /* number of bytes whose line feeds are counted in a single byte; at most 255 */
    READINGS_MAX = 8192, /* maximum number of ranks whose output is parsed separately */
    LINE_MAX_READ = 65536,
};

/* Maximum size in bytes of the open blocks of all ranks together. */
static const size_t open_bytes_max = (size_t)8 << 20;

/* ----------------------------------------------------------------- lines */

typedef enum line_kind {
    MLS_SETTING_NONE, /* the line is not a setting, and ends the block */
    MLS_SETTING_LINE, /* the line is a setting, or begins a nested level of YAML */
    /* The line belongs to the block but is not a setting: an item of a list, or the continuation of a value. */
    MLS_SETTING_INSIDE
} line_kind;

typedef struct setting_line {
    line_kind kind;
    mls_printed_form form;
    mls_str object; /* Python: the name of the object that begins on this line; otherwise empty */
    mls_str key;
    mls_str value;  /* the value without surrounding blanks and quotes */
    bool has_value; /* false: the line begins a nested level of YAML */
    bool closes;    /* Python: the line closes the object */
    /* Column of the key in bytes, from 0; if the line begins a Python object, the column of the following arguments. */
    size_t column;
} setting_line;

/* Return how often the character `c` is repeated from offset `from` on. */
static size_t count_repeats(mls_str text, size_t from, char c)
{
    size_t count = 0;
    while (from + count < text.len && text.ptr[from + count] == c)
        count++;
    return count;
}

/* Return the length of the key at offset `from`.  With `dashes`, which is for YAML, the key may contain '-' after its
 * first character. */
static size_t key_length(mls_str line, size_t from, bool dashes)
{
    size_t len = mls_str_name_length(mls_str_rest(line, from));
    while (dashes && len > 0 && from + len < line.len) {
        const char c = line.ptr[from + len];
        if (c != '-' && c != '_' && !mls_is_digit(c) && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
            break;
        len++;
    }
    return len;
}

/* Remove blanks, and then one pair of equal quotes, around a value. */
static mls_str clean_value(mls_str value)
{
    value = mls_str_trim(value, mls_is_blank);
    const char last = value.len > 1 ? value.ptr[value.len - 1] : '\0';
    const bool quoted = (last == '"' || last == '\'') && value.ptr[0] == last;
    return quoted ? (mls_str){value.ptr + 1, value.len - 2} : value;
}

/* Parse an argument KEY=VALUE of a Python object at offset `from`.  An unmatched closing bracket ends the object.
 * Return false if there is no argument. */
static bool read_argument(mls_str line, size_t from, setting_line *read)
{
    const size_t len = key_length(line, from, false);
    if (len == 0 || from + len >= line.len || line.ptr[from + len] != '=')
        return false;
    mls_str value = mls_str_rest(line, from + len + 1);
    value.len -= value.len > 0 && value.ptr[value.len - 1] == ',';
    ptrdiff_t open = 0;
    for (size_t i = 0; i < value.len; i++)
        open += (value.ptr[i] == '(') - (value.ptr[i] == ')');
    for (; open < 0 && value.ptr[value.len - 1] == ')'; open++) {
        value.len--;
        read->closes = true;
    }
    read->kind = MLS_SETTING_LINE;
    read->form = MLS_PRINTED_PYTHON;
    read->key = (mls_str){line.ptr + from, len};
    read->value = clean_value(value);
    read->has_value = true;
    read->column = from;
    return true;
}

/* Parse a line that may have any of the three forms.  Most lines of a log are rejected by the character after the first
 * word. */
static setting_line read_any(mls_str line)
{
    setting_line read = {0};
    const size_t blanks = count_repeats(line, 0, ' ');
    const bool item =
        blanks < line.len && line.ptr[blanks] == '-' && (blanks + 1 == line.len || line.ptr[blanks + 1] == ' ');
    const size_t column = blanks + (item ? 2 : 0);
    const size_t len = column < line.len ? key_length(line, column, true) : 0;
    const size_t end = column + len;
    const char after = len > 0 && end < line.len ? line.ptr[end] : '\0';
    const mls_str key = {line.ptr + column, len};
    if (after == ':') { /* KEY: VALUE, KEY: or - KEY: VALUE */
        read = (setting_line){.form = MLS_PRINTED_YAML,
                              .column = column,
                              .key = key,
                              .value = clean_value(mls_str_rest(line, end + 1)),
                              .has_value = end + 1 < line.len};
        read.kind = mls_str_starts(read.value, MLS_S("//")) ? MLS_SETTING_NONE : MLS_SETTING_LINE;
    } else if (after == ' ' && blanks > 0 && !item && key_length(line, column, false) == len) { /* KEY ..... VALUE */
        const size_t dots = count_repeats(line, end + 1, '.');
        if (dots >= DOTS_MIN)
            read = (setting_line){.kind = MLS_SETTING_LINE,
                                  .form = MLS_PRINTED_ARGS,
                                  .column = column,
                                  .key = key,
                                  .value = clean_value(mls_str_rest(line, end + 1 + dots)),
                                  .has_value = true};
    } else if (after == '(' && !item && key_length(line, column, false) == len && read_argument(line, end + 1, &read)) {
        read.object = key;
    }
    read.kind = read.kind == MLS_SETTING_NONE && item ? MLS_SETTING_INSIDE : read.kind;
    read.form = read.kind == MLS_SETTING_INSIDE ? MLS_PRINTED_YAML : read.form;
    return read;
}

/* ---------------------------------------------------------------- blocks */

/* The position of a setting in rank_reading.text. */
typedef struct open_setting {
    /* Offset and length of the name, and length of the value, which follows the name. */
    uint32_t name, name_len, value_len;
} open_setting;

typedef struct yaml_level {
    size_t column;
    size_t path_len; /* length of the path up to the key of this level, including the dot after the key */
} yaml_level;

/* The state of parsing the output of a rank, with the block that the rank is printing. */
typedef struct rank_reading {
    bool open;
    mls_printed_form form;
    size_t lines, found; /* numbers of lines and of settings in the block */
    size_t column;       /* column of the arguments of a Python object */
    mls_buffer object;
    mls_buffer path; /* path to the current level of YAML */
    yaml_level levels[LEVELS_MAX];
    size_t level_count;
    mls_buffer text;
    MLS_LIST_OF(open_setting) settings;
} rank_reading;

/* The settings printed before a run_start, which may not have been read yet. */
typedef struct printed_run {
    size_t run_start; /* line number of the run_start; 0: it was not read yet */
    mls_printed *printed;
    mls_map names;
    size_t bytes;
} printed_run;

/* A line with a record, and whether settings are parsed from this line on (EDGE_BEGINS), or no longer (EDGE_ENDS). */
typedef enum text_edge { EDGE_NONE, EDGE_BEGINS, EDGE_ENDS } text_edge;
typedef struct printed_mark {
    size_t line;
    text_edge edge;
} printed_mark;

struct mls_printed_reader {
    mls_arena arena, scratch;
    mls_run_boundary boundary;
    /* Settings are to be parsed at the current record: no run_start was read since the last run ended. */
    bool counts;
    /* Settings are to be parsed at the current line; lines are processed after the records of their block. */
    bool lines_count;
    /* The lines with a record among the lines to be processed next, if settings are parsed there, and all edges. */
    MLS_LIST_OF(printed_mark) marks;
    MLS_LIST_OF(printed_run *) runs;
    printed_run *run; /* the last run, while its run_start was not read; otherwise NULL */
    mls_map ranks;    /* from a rank to its element of `readings` */
    MLS_LIST_OF(rank_reading *) readings;
    rank_reading *last;
    int32_t last_rank;
    size_t open_bytes, open_count; /* size in bytes and number of the open blocks */
};

const char *mls_printed_form_name(mls_printed_form form)
{
    static const char *const names[] = {"yaml", "python", "args"};
    return names[form];
}

mls_printed *mls_printed_new(void)
{
    mls_printed *printed = mls_calloc(1, sizeof *printed);
    printed->owners = 1;
    return printed;
}

void mls_printed_add(mls_printed *printed, mls_str name, mls_str value)
{
    const mls_printed_setting copy = {mls_arena_copy(&printed->arena, name), mls_arena_copy(&printed->arena, value)};
    MLS_ARENA_ADD(&printed->arena, &printed->settings, copy);
}

mls_printed *mls_printed_share(mls_printed *printed)
{
    if (printed != NULL)
        printed->owners++;
    return printed;
}

void mls_printed_release(mls_printed *printed)
{
    if (printed != NULL && --printed->owners == 0) {
        mls_arena_release(&printed->arena);
        free(printed);
    }
}

/* End a block.  If it has at least MLS_PRINTED_BLOCK_MIN lines and different settings, add them to the run; otherwise
 * discard the block. */
static void end_block(mls_printed_reader *self, rank_reading *rank)
{
    size_t count = 0; /* number of different names in the block */
    if (rank->found >= MLS_PRINTED_BLOCK_MIN) {
        mls_map names = {.arena = &self->scratch};
        for (size_t i = 0; i < rank->settings.count; i++) {
            const open_setting *setting = &rank->settings.items[i];
            (void)mls_map_put(&names, (mls_str){rank->text.ptr + setting->name, setting->name_len}, NULL);
        }
        count = names.count + rank->found - rank->settings.count;
        mls_arena_reset(&self->scratch);
    }
    if (rank->lines >= MLS_PRINTED_BLOCK_MIN && count >= MLS_PRINTED_BLOCK_MIN) {
        if (self->run == NULL) {
            self->run = mls_arena_zeroed(&self->arena, 1, sizeof *self->run);
            self->run->printed = mls_printed_new();
            self->run->names.arena = &self->arena;
            MLS_GROW(&self->runs, items);
            self->runs.items[self->runs.count++] = self->run;
        }
        mls_printed *printed = self->run->printed;
        const mls_str object = rank->form == MLS_PRINTED_ARGS ? MLS_S("args") : mls_buffer_str(&rank->object);
        if (printed->blocks.count < MLS_PRINTED_BLOCKS_MAX) {
            const mls_printed_block block = {rank->form, mls_arena_copy(&printed->arena, object), count};
            MLS_ARENA_ADD(&printed->arena, &printed->blocks, block);
        }
        for (size_t i = 0; i < rank->settings.count; i++) {
            const open_setting *setting = &rank->settings.items[i];
            const mls_str name = {rank->text.ptr + setting->name, setting->name_len};
            const size_t bytes = self->run->bytes + setting->name_len + setting->value_len;
            if (mls_map_find(&self->run->names, name) != NULL)
                continue; /* if a name occurs several times, the first setting is kept */
            if (printed->settings.count == MLS_PRINTED_SETTINGS_MAX || bytes > MLS_PRINTED_BYTES_MAX) {
                printed->lost++;
                continue;
            }
            self->run->bytes = bytes;
            (void)mls_map_put(&self->run->names, name, NULL);
            mls_printed_add(printed, name, (mls_str){name.ptr + name.len, setting->value_len});
        }
        printed->lost += rank->found - rank->settings.count;
    }
    self->open_bytes -= rank->text.len;
    self->open_count -= rank->open;
    mls_buffer_clear(&rank->text);
    mls_buffer_clear(&rank->object);
    mls_buffer_clear(&rank->path);
    rank->open = false;
    rank->settings.count = rank->lines = rank->found = rank->level_count = 0;
}

/* Process a line of a rank.  `line` is the result of read_any() for the line `text`. */
static void add_line(mls_printed_reader *self, rank_reading *rank, mls_str text, setting_line line)
{
    if (rank->open && rank->form == MLS_PRINTED_PYTHON) {
        /* All arguments of an object begin in the same column.  A line that begins further to the right, or consists of
         * brackets, continues an argument.  Any other line does not belong to the object. */
        setting_line argument = {.kind = MLS_SETTING_INSIDE, .form = MLS_PRINTED_PYTHON};
        const size_t blanks = count_repeats(text, 0, ' ');
        size_t i = 0;
        while (i < text.len && strchr(" ,()[]{}", text.ptr[i]) != NULL)
            i++;
        if ((blanks == rank->column && read_argument(text, rank->column, &argument)) || blanks > rank->column ||
            i == text.len)
            line = argument;
    }
    if (rank->open && (line.kind == MLS_SETTING_NONE || line.form != rank->form || line.object.len > 0))
        end_block(self, rank);
    if (line.kind != MLS_SETTING_LINE)
        return;
    if (!rank->open) {
        rank->open = true;
        self->open_count++;
        rank->form = line.form;
        rank->column = line.column;
        mls_buffer_append(&rank->object, line.object);
    }
    rank->lines++;
    if (line.form == MLS_PRINTED_YAML) { /* the path of the key consists of the levels that begin further to the left */
        while (rank->level_count > 0 && rank->levels[rank->level_count - 1].column >= line.column)
            rank->level_count--;
        mls_buffer_cut(&rank->path, rank->level_count > 0 ? rank->levels[rank->level_count - 1].path_len : 0);
    }
    if (!line.has_value) {
        if (rank->level_count < LEVELS_MAX && rank->path.len + line.key.len < LINE_MAX_READ) {
            mls_buffer_append(&rank->path, line.key);
            mls_buffer_append_char(&rank->path, '.');
            rank->levels[rank->level_count++] = (yaml_level){line.column, rank->path.len};
        }
    } else if (line.value.len <= MLS_PRINTED_VALUE_MAX && !mls_str_contains(line.value, MLS_S(" at 0x"))) {
        /* Values such as "<Model object at 0x7f…>", which Python prints for objects without a text form, are
         * skipped. */
        const mls_str before = line.form == MLS_PRINTED_YAML   ? mls_buffer_str(&rank->path)
                               : line.form == MLS_PRINTED_ARGS ? MLS_S("args.")
                                                               : mls_buffer_str(&rank->object);
        rank->found++;
        /* A setting that does not fit is not stored, but counted as lost when the block ends. */
        if (self->open_bytes + before.len + line.key.len + line.value.len < open_bytes_max) {
            const size_t from = rank->text.len;
            mls_buffer_append(&rank->text, before);
            mls_buffer_append_text(&rank->text, line.form == MLS_PRINTED_PYTHON ? "." : "");
            mls_buffer_append(&rank->text, line.key);
            const size_t name_len = rank->text.len - from;
            mls_buffer_append(&rank->text, line.value);
            self->open_bytes += rank->text.len - from;
            MLS_GROW(&rank->settings, items);
            rank->settings.items[rank->settings.count++] =
                (open_setting){(uint32_t)from, (uint32_t)name_len, (uint32_t)line.value.len};
        }
    }
    if (line.closes)
        end_block(self, rank);
}

static void end_all_blocks(mls_printed_reader *self)
{
    for (size_t i = 0; i < self->readings.count; i++)
        end_block(self, self->readings.items[i]);
}

static void mark_line(mls_printed_reader *self, size_t line, text_edge edge)
{
    MLS_GROW(&self->marks, items);
    self->counts = edge == EDGE_NONE ? self->counts : edge == EDGE_BEGINS;
    self->marks.items[self->marks.count++] = (printed_mark){line, edge};
}

static mls_status reader_malformed(void *state, const mls_malformed *malformed)
{
    mls_printed_reader *self = state;
    if (self->counts)
        mark_line(self, malformed->line, EDGE_NONE);
    return MLS_OK;
}

static mls_status reader_record(void *state, const mls_record *record)
{
    mls_printed_reader *self = state;
    const bool begins =
        mls_run_boundary_record(&self->boundary, record) >= MLS_OWNER_NEXT_RUN || record->key_id == MLS_KEY_RUN_STOP;
    if (self->counts)
        mark_line(self, record->line, record->key_id == MLS_KEY_RUN_START ? EDGE_ENDS : EDGE_NONE);
    else if (begins)
        mark_line(self, record->line, EDGE_BEGINS);
    return MLS_OK;
}

static mls_status reader_marker(void *state, const mls_marker *marker)
{
    mls_printed_reader *self = state;
    const bool begins = mls_run_boundary_marker(&self->boundary, marker->kind);
    if (begins && !self->counts)
        mark_line(self, marker->line, EDGE_BEGINS);
    return MLS_OK;
}

static mls_status reader_lines(void *state, const mls_lines *lines)
{
    mls_printed_reader *self = state;
    size_t next = 0;
    for (size_t i = 0; i < lines->count && (self->lines_count || next < self->marks.count); i++) {
        bool marked = false;
        for (; next < self->marks.count && self->marks.items[next].line <= lines->line + i; next++) {
            const printed_mark *mark = &self->marks.items[next];
            marked = true;
            if (mark->edge == EDGE_NONE)
                continue;
            end_all_blocks(self);
            self->lines_count = mark->edge == EDGE_BEGINS;
            if (!self->lines_count && self->run != NULL) {
                self->run->run_start = mark->line;
                self->run = NULL;
            }
        }
        mls_str text = mls_lines_text(lines, i);
        if (!self->lines_count || marked || text.len > LINE_MAX_READ)
            continue;
        /* Remove a rank at the start of the line, such as "12: ", and trailing blanks. */
        const size_t blanks = count_repeats(text, 0, ' ');
        size_t at = blanks;
        int32_t number = 0;
        while (at < text.len && at - blanks < RANK_DIGITS_MAX && mls_is_digit(text.ptr[at]))
            number = number * 10 + (text.ptr[at++] - '0');
        if (blanks <= RANK_BLANKS_MAX && at > blanks && at < text.len && text.ptr[at] == ':')
            text = mls_str_rest(text, at + 1 + (at + 1 < text.len && text.ptr[at + 1] == ' '));
        else
            number = -1;
        while (text.len > 0 && mls_is_blank(text.ptr[text.len - 1]))
            text.len--;
        const setting_line line = read_any(text);
        /* Skip most lines: if no block is open, only settings matter. */
        if (self->open_count == 0 && line.kind != MLS_SETTING_LINE)
            continue;
        if (self->last == NULL || self->last_rank != number) {
            const mls_str key = {(const char *)&number, sizeof number};
            mls_map_entry *entry = mls_map_find(&self->ranks, key);
            if (entry == NULL && self->readings.count < READINGS_MAX) {
                entry = mls_map_put(&self->ranks, key, NULL);
                entry->value.pointer = mls_arena_zeroed(&self->arena, 1, sizeof(rank_reading));
                MLS_GROW(&self->readings, items);
                self->readings.items[self->readings.count++] = entry->value.pointer;
            }
            self->last = entry != NULL ? entry->value.pointer : NULL;
            self->last_rank = number;
        }
        if (self->last != NULL) /* it is NULL if there are more than READINGS_MAX ranks */
            add_line(self, self->last, text, line);
    }
    self->marks.count = 0;
    return MLS_OK;
}

static mls_status reader_end(void *state, const mls_log_totals *totals)
{
    (void)totals;
    end_all_blocks(state);
    return MLS_OK;
}

mls_printed_reader *mls_printed_reader_new(void)
{
    mls_printed_reader *self = mls_calloc(1, sizeof *self);
    self->ranks.arena = &self->arena;
    self->counts = self->lines_count = true;
    return self;
}

mls_sink mls_printed_reader_sink(mls_printed_reader *reader)
{
    return (mls_sink){.state = reader,
                      .record = reader_record,
                      .malformed = reader_malformed,
                      .marker = reader_marker,
                      .lines = reader_lines,
                      .end = reader_end};
}

void mls_printed_reader_free(mls_printed_reader *reader)
{
    if (reader == NULL)
        return;
    for (size_t i = 0; i < reader->readings.count; i++) {
        rank_reading *rank = reader->readings.items[i];
        mls_buffer_release(&rank->object);
        mls_buffer_release(&rank->path);
        mls_buffer_release(&rank->text);
        free(rank->settings.items);
    }
    for (size_t i = 0; i < reader->runs.count; i++)
        mls_printed_release(reader->runs.items[i]->printed);
    free(reader->readings.items);
    free(reader->runs.items);
    free(reader->marks.items);
    mls_arena_release(&reader->arena);
    mls_arena_release(&reader->scratch);
    free(reader);
}

/* Check whether a log contains a printed degree of parallelism before the line `run_start_line` or, if this is 0,
 * anywhere.  `fd` is a regular file, whose offset is not changed.  This search is much faster than parsing the
 * lines. */
static bool may_split(int fd, size_t run_start_line)
{
    /* Every job that prints degrees of parallelism prints a name that contains this text. */
    const mls_str degree = MLS_S("model_parallel_size");
    char bytes[LOOK_BYTES];
    size_t kept = 0;
    size_t lines = 0;
    off_t at = 0;
    while (run_start_line == 0 || lines < run_start_line) {
        const ssize_t got = pread(fd, bytes + kept, sizeof bytes - kept, at);
        const mls_str text = {bytes, kept + (got > 0 ? (size_t)got : 0)};
        const bool text_alone = at > 0 || (memchr(bytes, '\0', text.len) == NULL && text.ptr[0] != '\x1f');
        if (got <= 0 || !text_alone || mls_str_contains(text, degree))
            return got > 0;
        const char *from = bytes + kept;
        const char *const end = from + got;
        /* Count in strides, because compilers vectorize such a loop. */
        for (; end - from >= COUNT_STRIDE; from += COUNT_STRIDE) {
            unsigned char some = 0;
            for (size_t i = 0; i < COUNT_STRIDE; i++)
                some = (unsigned char)(some + (from[i] == '\n'));
            lines += some;
        }
        for (; from < end; from++)
            lines += *from == '\n';
        at += got;
        kept = text.len < degree.len ? text.len : degree.len;
        memmove(bytes, text.ptr + text.len - kept, kept);
    }
    return false;
}

/* Stop reading when the line number in `state` was read. */
static mls_status stop_behind(void *state, const mls_lines *lines)
{
    const size_t *last = state;
    return lines->line + lines->count > *last ? MLS_STOPPED : MLS_OK;
}

mls_status mls_printed_read_before(int fd, size_t run_start_line, mls_scan_room **room, mls_printed_reader **reader,
                                   mls_log_totals *totals, mls_error *error)
{
    const mls_scan_options options = {.room = room};
    *reader = mls_printed_reader_new();
    const mls_sink sinks[] = {mls_printed_reader_sink(*reader), {.state = &run_start_line, .lines = stop_behind}};
    mls_status status = mls_log_scan_fd(fd, &options, sinks, run_start_line > 0 ? 2 : 1, totals, error);
    status = status == MLS_STOPPED ? MLS_OK : status;
    if (status != MLS_OK) {
        mls_printed_reader_free(*reader);
        *reader = NULL;
    }
    return status;
}

mls_status mls_printed_read(const char *path, mls_printed_reader **reader, mls_log_totals *totals, mls_error *error)
{
    const int fd = mls_file_open(path, true, error);
    *reader = NULL;
    if (fd < 0)
        return MLS_ERROR_READ;
    const mls_status status = mls_printed_read_before(fd, 0, NULL, reader, totals, error);
    (void)close(fd);
    return status;
}

const mls_printed *mls_printed_get(const mls_printed_reader *reader, size_t i, size_t *run_start_line)
{
    if (i >= reader->runs.count)
        return NULL;
    *run_start_line = reader->runs.items[i]->run_start;
    return reader->runs.items[i]->printed;
}

mls_printed *mls_printed_of_run(const mls_printed_reader *reader, size_t run_start_line)
{
    mls_printed *last = NULL;
    for (size_t i = 0; i < reader->runs.count; i++) {
        const printed_run *run = reader->runs.items[i];
        const bool open = run->run_start == 0;
        if (run_start_line == 0 ? open : !open && run->run_start <= run_start_line)
            last = run->printed;
    }
    return last;
}

/* ---------------------------------------------------------- known settings */

mls_status mls_known_settings_load(mls_known_settings *known, mls_error *error)
{
    static const mls_row_member members[] = {
        MLS_MEMBER_OF(mls_known_setting, "name", TEXT, name, NULL),
        MLS_MEMBER_OF(mls_known_setting, "group", TEXT, group, NULL),
        MLS_MEMBER_OF(mls_known_setting, "kind", WORD, kind, "int bool word"),
        MLS_MEMBER_OF(mls_known_setting, "printed", TEXT, printed, NULL),
        MLS_MEMBER_OF(mls_known_setting, "exports", TEXT, exports, NULL),
        MLS_MEMBER_OF(mls_known_setting, "effect", TEXT, effect, NULL),
    };
    cJSON *json = NULL;
    void *rows = NULL;
    *known = (mls_known_settings){.arena = mls_calloc(1, sizeof(mls_arena))};
    mls_status status = mls_json_data("settings.json", &json, error);
    if (status == MLS_OK) {
        status = mls_json_table_read(json, "settings", members, sizeof members / sizeof *members, known->arena, &rows,
                                     &known->count, sizeof(mls_known_setting), error);
    }
    known->items = rows;
    if (status == MLS_OK && known->count > MLS_KNOWN_SETTINGS_MAX)
        status = mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "too many settings");
    if (status == MLS_OK) {
        const char *never = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "never"));
        known->never = mls_arena_copy(known->arena, mls_str_from(never)).ptr;
        known->printed = mls_arena_zeroed(known->arena, 1, sizeof *known->printed);
        known->printed->arena = known->arena;
        for (size_t i = 0; i < known->count; i++) {
            const char *names = known->items[i].printed;
            for (mls_str name; mls_list_next(&names, '|', &name);)
                mls_map_put(known->printed, name, NULL)->value.number = i;
        }
    }
    cJSON_Delete(json);
    if (status != MLS_OK)
        mls_known_settings_release(known);
    return status;
}

void mls_known_settings_release(mls_known_settings *known)
{
    mls_arena_free(known->arena);
    *known = (mls_known_settings){0};
}

static mls_str last_part(mls_str name)
{
    for (size_t i = name.len; i > 0; i--)
        if (name.ptr[i - 1] == '.')
            return mls_str_rest(name, i);
    return name;
}

const mls_known_setting *mls_known_setting_printed(const mls_known_settings *known, mls_str name)
{
    const mls_map_entry *entry = mls_map_find(known->printed, last_part(name));
    return entry != NULL ? &known->items[entry->value.number] : NULL;
}

const mls_known_setting *mls_known_setting_exported(const mls_known_settings *known, mls_str variable)
{
    for (size_t i = 0; i < known->count; i++)
        if (mls_str_any(variable, known->items[i].exports, mls_str_equal))
            return &known->items[i];
    return NULL;
}

const mls_known_setting *mls_known_setting_named(const mls_known_settings *known, mls_str name)
{
    unsigned place;
    return MLS_NAME_FIND(known->items, known->count, name, &place) ? &known->items[place] : NULL;
}

bool mls_setting_is_none(mls_str value)
{
    return value.len == 0 || mls_str_among(value, "null None ~");
}

size_t mls_known_values(const mls_known_settings *known, const mls_printed *printed, mls_str *values)
{
    size_t count = 0;
    memset(values, 0, known->count * sizeof *values);
    for (size_t i = 0; i < printed->settings.count; i++) {
        const mls_printed_setting *setting = &printed->settings.items[i];
        const mls_known_setting *row = mls_known_setting_printed(known, setting->name);
        mls_str *value = row != NULL ? &values[row - known->items] : NULL;
        count += row != NULL;
        if (value != NULL &&
            (value->ptr == NULL || (mls_setting_is_none(*value) && !mls_setting_is_none(setting->value))))
            *value = setting->value;
    }
    return count;
}

mls_str mls_known_value(const mls_known_settings *known, const mls_str *values, mls_str name)
{
    const mls_known_setting *row = mls_known_setting_named(known, name);
    return row != NULL ? values[row - known->items] : (mls_str){0};
}

bool mls_known_is_on(const mls_known_settings *known, const mls_str *values, mls_str name)
{
    const mls_str value = mls_known_value(known, values, name);
    return !mls_setting_is_none(value) && mls_setting_truth(value) != 0 && !mls_str_alike(value, MLS_S("no")) &&
           !mls_str_alike(value, MLS_S("off"));
}

uint32_t mls_known_number(const mls_known_settings *known, const mls_str *values, mls_str name)
{
    size_t number;
    return mls_size_parse(mls_known_value(known, values, name), &number) && number <= UINT32_MAX ? (uint32_t)number : 0;
}

const char *mls_printed_precision_name(mls_printed_precision precision)
{
    static const char *const names[] = {NULL, "fp8", "fp4", "bf16", "fp16", "tf32", "fp32"};
    return names[precision];
}

void mls_run_take_facts(mls_run *run, const mls_known_settings *known, const mls_printed *printed)
{
    static const mls_str degrees[MLS_DEGREES] = {MLS_STR("tensor_parallel"), MLS_STR("pipeline_parallel"),
                                                 MLS_STR("context_parallel"), MLS_STR("expert_parallel")};
    static const struct {
        const char *name;  /* of a known setting; NULL: the setting "precision" */
        const char *value; /* with which its value begins; NULL: any that is not off */
        mls_printed_precision precision;
    } signs[] = {{"fp4", NULL, MLS_PRINTED_FP4},       {"fp8", NULL, MLS_PRINTED_FP8},
                 {NULL, "bf16", MLS_PRINTED_BF16},     {NULL, "bfloat16", MLS_PRINTED_BF16},
                 {NULL, "16-mixed", MLS_PRINTED_FP16}, {NULL, "fp16", MLS_PRINTED_FP16},
                 {NULL, "fp32", MLS_PRINTED_FP32},     {NULL, "tf32", MLS_PRINTED_TF32},
                 {NULL, "=16", MLS_PRINTED_FP16},      {NULL, "=32", MLS_PRINTED_FP32}};
    mls_str values[MLS_KNOWN_SETTINGS_MAX];
    mls_str precision = {0};
    (void)mls_known_values(known, printed, values);
    for (size_t i = 0; i < printed->settings.count && precision.ptr == NULL; i++)
        if (mls_str_equal(last_part(printed->settings.items[i].name), MLS_S("precision")))
            precision = printed->settings.items[i].value;
    mls_printed_facts facts = {.healing = mls_known_number(known, values, MLS_S("healing"))};
    for (size_t i = 0; i < MLS_DEGREES; i++)
        facts.degrees[i] = mls_known_number(known, values, degrees[i]);
    for (size_t i = 0; i < sizeof signs / sizeof *signs && facts.precision == MLS_PRINTED_NO_PRECISION; i++) {
        const mls_str name = mls_str_from(signs[i].name != NULL ? signs[i].name : "precision");
        const mls_str value = signs[i].name != NULL ? mls_known_value(known, values, name) : precision;
        const mls_str begins = mls_str_from(signs[i].value);
        const bool whole = mls_str_starts(begins, MLS_S("="));
        const bool says = signs[i].name != NULL ? mls_known_is_on(known, values, name)
                          : whole               ? mls_str_equal(value, mls_str_rest(begins, 1))
                                                : mls_str_starts(value, begins);
        if (!says)
            continue;
        mls_buffer words = {0};
        mls_buffer_printf(&words, "%.*s: %.*s", (int)name.len, name.ptr, (int)value.len, value.ptr);
        run->arena = run->arena != NULL ? run->arena : mls_calloc(1, sizeof *run->arena);
        facts.precision = signs[i].precision;
        facts.words = mls_arena_copy(run->arena, mls_buffer_str(&words)).ptr;
        mls_buffer_release(&words);
    }
    run->facts = facts;
}

mls_status mls_run_read_facts(mls_known_settings *known, mls_scan_room **room, mls_run *run)
{
    const size_t line = run->run_start.line;
    const bool may = line == 0 || run->unlogged_lines >= MLS_PRINTED_BLOCK_MIN;
    const int fd = may ? mls_file_open_again(run->file, run->root, NULL) : -1;
    mls_printed_reader *reader = NULL;
    mls_status status = MLS_OK;
    if (fd >= 0 && may_split(fd, line)) {
        status = mls_printed_read_before(fd, line, room, &reader, NULL, NULL);
        status = status == MLS_ERROR_READ ? MLS_OK : status;
    }
    if (fd >= 0)
        (void)close(fd);
    const mls_printed *printed = reader != NULL ? mls_printed_of_run(reader, line) : NULL;
    if (printed != NULL && status == MLS_OK)
        status = known->items == NULL ? mls_known_settings_load(known, NULL) : MLS_OK;
    if (printed != NULL && status == MLS_OK)
        mls_run_take_facts(run, known, printed);
    mls_printed_reader_free(reader);
    return status;
}

bool mls_setting_is_comparable(const mls_known_settings *known, const mls_printed_setting *setting)
{
    mls_str rest = last_part(setting->name);
    bool comparable = !mls_str_contains(setting->value, MLS_S("/")) && setting->value.len > 0;
    for (mls_str word; comparable && rest.len > 0;) {
        (void)mls_str_cut(&rest, '_', &word);
        comparable = !mls_str_any(word, known->never, mls_str_alike);
    }
    return comparable;
}

int mls_setting_truth(mls_str value)
{
    return mls_str_alike(value, MLS_S("true")) || mls_str_equal(value, MLS_S("1"))    ? 1
           : mls_str_alike(value, MLS_S("false")) || mls_str_equal(value, MLS_S("0")) ? 0
                                                                                      : -1;
}

int mls_known_truth(const mls_known_setting *known, mls_str value)
{
    const bool none = known != NULL && known->kind == MLS_KNOWN_WORD && mls_setting_is_none(value);
    return none ? 0 : mls_setting_truth(value);
}
