/* SPDX-License-Identifier: Apache-2.0 */
/* printed.c - from the lines of a log to the blocks of settings in them, and to the runs that these are of. */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "log/prefix.h"
#include "run/file.h"
#include "run/printed_lines.h"

enum {
    /* lines, and settings, of a block */
    LEVELS_MAX = 32, /* of yaml that a name is made of; deeper ones are read as if they were at this one */
    LOOK_BYTES = 32 * 1024,
    COUNT_STRIDE = 128,  /* at most what a byte can count */
    READINGS_MAX = 8192, /* ranks that are read by themselves */
    LINE_MAX_READ = 65536,
};

/* Blocks that are not known to be ones yet hold no more than this, all ranks together. */
static const size_t open_bytes_max = (size_t)8 << 20;

/* Setting and its place in the text of an open block. */
typedef struct open_setting {
    uint32_t name, name_len, value_len; /* the value follows the name */
} open_setting;

typedef struct yaml_level {
    size_t column;
    size_t path_len; /* of the path to the key that opened it, with the point */
} yaml_level;

/* The block that a rank is printing. */
typedef struct rank_reading {
    bool open;
    mls_printed_form form;
    size_t lines, found; /* of the block */
    size_t column;       /* of the arguments of Python */
    mls_buffer object;
    mls_buffer path; /* to the level of yaml */
    yaml_level levels[LEVELS_MAX];
    size_t level_count;
    mls_buffer text;
    MLS_LIST_OF(open_setting) settings;
} rank_reading;

/* A run that printed something, or the text before a run that is not known yet. */
typedef struct printed_run {
    size_t run_start; /* line; 0: none came */
    mls_printed *printed;
    mls_map names;
    size_t bytes;
} printed_run;

/* A line of a block that sets nothing; with it text may begin or cease to count. */
typedef enum text_edge { EDGE_NONE, EDGE_BEGINS, EDGE_ENDS } text_edge;
typedef struct printed_mark {
    size_t line;
    text_edge edge;
} printed_mark;

struct mls_printed_reader {
    mls_arena arena, scratch;
    mls_run_cut cut;
    bool counts;                     /* lines do: no run_start has come since the run before ended */
    bool lines_count;                /* the same, of the lines that were read */
    MLS_LIST_OF(printed_mark) marks; /* of the block: with a record in them, while lines count, and edges */
    MLS_LIST_OF(printed_run *) runs;
    printed_run *run; /* the last of them while it has no run_start */
    mls_map ranks;    /* to readings */
    MLS_LIST_OF(rank_reading *) readings;
    rank_reading *last;
    int32_t last_rank;
    size_t open_bytes, open_count; /* of blocks that have not ended */
};

const char *mls_printed_form_name(mls_printed_form form)
{
    static const char *const names[] = {"yaml", "python", "args"};
    return names[form];
}

mls_str mls_printed_value(const mls_printed *printed, mls_str name)
{
    for (size_t i = 0; i < printed->settings.count; i++) {
        if (mls_str_equal(printed->settings.items[i].name, name)) {
            return printed->settings.items[i].value;
        }
    }
    return (mls_str){0};
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
    (void)MLS_ARENA_ADD(&printed->arena, &printed->settings, copy);
}

mls_printed *mls_printed_share(mls_printed *printed)
{
    if (printed != NULL) {
        printed->owners++;
    }
    return printed;
}

void mls_printed_release(mls_printed *printed)
{
    if (printed != NULL && --printed->owners == 0) {
        mls_arena_release(&printed->arena);
        free(printed);
    }
}

/* Keep a setting, the first of its name, as far as there is room for it. */
static void keep_setting(printed_run *run, mls_str name, mls_str value)
{
    mls_printed *printed = run->printed;
    if (mls_map_find(&run->names, name) != NULL) {
        return;
    }
    if (printed->settings.count == MLS_PRINTED_SETTINGS_MAX ||
        run->bytes + name.len + value.len > MLS_PRINTED_BYTES_MAX) {
        printed->lost++;
        return;
    }
    run->bytes += name.len + value.len;
    (void)mls_map_put(&run->names, name, NULL);
    mls_printed_add(printed, name, value);
}

/* Return how many settings an open block has, by their names. */
static size_t count_names(mls_printed_reader *self, const rank_reading *rank)
{
    mls_map names = {.arena = &self->scratch};
    for (size_t i = 0; i < rank->settings.count; i++) {
        const open_setting *setting = &rank->settings.items[i];
        (void)mls_map_put(&names, (mls_str){rank->text.ptr + setting->name, setting->name_len}, NULL);
    }
    mls_arena_reset(&self->scratch);
    return names.count + rank->found - rank->settings.count;
}

/* A block that is one goes to the run; what is open of it goes in any case. */
static void end_block(mls_printed_reader *self, rank_reading *rank)
{
    const size_t count = rank->found < MLS_PRINTED_BLOCK_MIN ? 0 : count_names(self, rank);
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
            (void)MLS_ARENA_ADD(&printed->arena, &printed->blocks, block);
        }
        for (size_t i = 0; i < rank->settings.count; i++) {
            const open_setting *setting = &rank->settings.items[i];
            const char *name = rank->text.ptr + setting->name;
            keep_setting(self->run, (mls_str){name, setting->name_len},
                         (mls_str){name + setting->name_len, setting->value_len});
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

/* The path to a key of yaml in this column: the levels that are further left. */
static void set_path(rank_reading *rank, const mls_setting_line *line)
{
    while (rank->level_count > 0 && rank->levels[rank->level_count - 1].column >= line->column) {
        rank->level_count--;
    }
    mls_buffer_cut(&rank->path, rank->level_count > 0 ? rank->levels[rank->level_count - 1].path_len : 0);
}

static void open_level(rank_reading *rank, const mls_setting_line *line)
{
    if (rank->level_count < LEVELS_MAX && rank->path.len + line->key.len < LINE_MAX_READ) {
        mls_buffer_append(&rank->path, line->key);
        mls_buffer_append_char(&rank->path, '.');
        rank->levels[rank->level_count++] = (yaml_level){line->column, rank->path.len};
    }
}

/* " at 0x" stands in what an object without a text of its own is printed as. */
static bool is_worth_keeping(mls_str value)
{
    return value.len <= MLS_PRINTED_VALUE_MAX && !mls_str_contains(value, MLS_S(" at 0x"));
}

/* Add the setting of a line to the open block. */
static void add_setting(mls_printed_reader *self, rank_reading *rank, const mls_setting_line *line)
{
    const mls_str before = line->form == MLS_PRINTED_YAML   ? mls_buffer_str(&rank->path)
                           : line->form == MLS_PRINTED_ARGS ? MLS_S("args.")
                                                            : mls_buffer_str(&rank->object);
    rank->found++;
    if (self->open_bytes + before.len + line->key.len + line->value.len >= open_bytes_max) {
        return; /* counted as lost when the block ends */
    }
    const size_t from = rank->text.len;
    mls_buffer_append(&rank->text, before);
    mls_buffer_append_text(&rank->text, line->form == MLS_PRINTED_PYTHON ? "." : "");
    mls_buffer_append(&rank->text, line->key);
    const size_t name_len = rank->text.len - from;
    mls_buffer_append(&rank->text, line->value);
    self->open_bytes += rank->text.len - from;
    MLS_GROW(&rank->settings, items);
    rank->settings.items[rank->settings.count++] =
        (open_setting){(uint32_t)from, (uint32_t)name_len, (uint32_t)line->value.len};
}

/* Take a line, which was read as one of any form, to the block of its rank. */
static void take_setting_line(mls_printed_reader *self, rank_reading *rank, mls_str text, mls_setting_line line)
{
    if (rank->open && rank->form == MLS_PRINTED_PYTHON) {
        line = mls_setting_read(text, true, rank->column);
    }
    if (rank->open && (line.kind == MLS_SETTING_NONE || line.form != rank->form || line.object.len > 0)) {
        end_block(self, rank);
    }
    if (line.kind != MLS_SETTING_LINE) {
        return;
    }
    if (!rank->open) {
        rank->open = true;
        self->open_count++;
        rank->form = line.form;
        rank->column = line.column;
        mls_buffer_append(&rank->object, line.object);
    }
    rank->lines++;
    if (line.form == MLS_PRINTED_YAML) {
        set_path(rank, &line);
    }
    if (!line.has_value) {
        open_level(rank, &line);
    } else if (is_worth_keeping(line.value)) {
        add_setting(self, rank, &line);
    }
    if (line.closes) {
        end_block(self, rank);
    }
}

/* Return the reading of a rank; NULL: there are too many. */
static rank_reading *reading_of(mls_printed_reader *self, int32_t rank)
{
    if (self->last != NULL && self->last_rank == rank) {
        return self->last;
    }
    const mls_str key = {(const char *)&rank, sizeof rank};
    mls_map_entry *entry = mls_map_find(&self->ranks, key);
    if (entry == NULL && self->readings.count < READINGS_MAX) {
        entry = mls_map_put(&self->ranks, key, NULL);
        entry->value.pointer = mls_arena_zeroed(&self->arena, 1, sizeof(rank_reading));
        MLS_GROW(&self->readings, items);
        self->readings.items[self->readings.count++] = entry->value.pointer;
    }
    self->last = entry != NULL ? entry->value.pointer : NULL;
    self->last_rank = rank;
    return self->last;
}

static void end_all_blocks(mls_printed_reader *self)
{
    for (size_t i = 0; i < self->readings.count; i++) {
        end_block(self, self->readings.items[i]);
    }
}

/* Text ceases to count with a run_start, and counts again when the run has ended. */
static void pass_edge(mls_printed_reader *self, const printed_mark *mark)
{
    end_all_blocks(self);
    self->lines_count = mark->edge == EDGE_BEGINS;
    if (!self->lines_count && self->run != NULL) {
        self->run->run_start = mark->line;
        self->run = NULL;
    }
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
    if (self->counts) {
        mark_line(self, malformed->line, EDGE_NONE);
    }
    return MLS_OK;
}

static mls_status reader_record(void *state, const mls_record *record)
{
    mls_printed_reader *self = state;
    const bool begins =
        mls_run_cut_record(&self->cut, record) >= MLS_OWNER_NEXT_RUN || record->key_id == MLS_KEY_RUN_STOP;
    if (self->counts) {
        mark_line(self, record->line, record->key_id == MLS_KEY_RUN_START ? EDGE_ENDS : EDGE_NONE);
    } else if (begins) {
        mark_line(self, record->line, EDGE_BEGINS);
    }
    return MLS_OK;
}

static mls_status reader_marker(void *state, const mls_marker *marker)
{
    mls_printed_reader *self = state;
    const bool begins = mls_run_cut_marker(&self->cut, marker->kind);
    if (begins && !self->counts) {
        mark_line(self, marker->line, EDGE_BEGINS);
    }
    return MLS_OK;
}

/* Most lines set nothing while no block is open. */
static void take_whole_line(mls_printed_reader *self, mls_str text)
{
    if (text.len > LINE_MAX_READ) {
        return;
    }
    const int32_t number = mls_setting_rank(&text);
    const mls_setting_line line = mls_setting_read(text, false, 0);
    rank_reading *rank = self->open_count > 0 || line.kind == MLS_SETTING_LINE ? reading_of(self, number) : NULL;
    if (rank != NULL) {
        take_setting_line(self, rank, text, line);
    }
}

static mls_status reader_lines(void *state, const mls_lines *lines)
{
    mls_printed_reader *self = state;
    size_t next = 0;
    for (size_t i = 0; i < lines->count && (self->lines_count || next < self->marks.count); i++) {
        bool marked = false;
        for (; next < self->marks.count && self->marks.items[next].line <= lines->line + i; next++) {
            marked = true;
            if (self->marks.items[next].edge != EDGE_NONE) {
                pass_edge(self, &self->marks.items[next]);
            }
        }
        if (self->lines_count && !marked) {
            take_whole_line(self, mls_lines_text(lines, i));
        }
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
    if (reader == NULL) {
        return;
    }
    for (size_t i = 0; i < reader->readings.count; i++) {
        rank_reading *rank = reader->readings.items[i];
        mls_buffer_release(&rank->object);
        mls_buffer_release(&rank->path);
        mls_buffer_release(&rank->text);
        free(rank->settings.items);
    }
    for (size_t i = 0; i < reader->runs.count; i++) {
        mls_printed_release(reader->runs.items[i]->printed);
    }
    free(reader->readings.items);
    free(reader->runs.items);
    free(reader->marks.items);
    mls_arena_release(&reader->arena);
    mls_arena_release(&reader->scratch);
    free(reader);
}

/* In strides, of which compilers make a few instructions over many bytes at once. */
static size_t count_newlines(mls_str text)
{
    size_t count = 0;
    size_t at = 0;
    for (; text.len - at >= COUNT_STRIDE; at += COUNT_STRIDE) {
        unsigned char some = 0;
        for (size_t i = 0; i < COUNT_STRIDE; i++) {
            some = (unsigned char)(some + (text.ptr[at + i] == '\n'));
        }
        count += some;
    }
    for (; at < text.len; at++) {
        count += text.ptr[at] == '\n';
    }
    return count;
}

bool mls_printed_may_split(int fd, size_t run_start_line)
{
    /* Whoever prints degrees prints one of those that are called so. */
    const mls_str degree = MLS_S("model_parallel_size");
    char bytes[LOOK_BYTES];
    size_t kept = 0;
    size_t lines = 0;
    off_t at = 0;
    while (run_start_line == 0 || lines < run_start_line) {
        const ssize_t got = pread(fd, bytes + kept, sizeof bytes - kept, at);
        const mls_str text = {bytes, kept + (got > 0 ? (size_t)got : 0)};
        const bool text_alone = at > 0 || (memchr(bytes, '\0', text.len) == NULL && text.ptr[0] != '\x1f');
        if (got <= 0 || !text_alone || mls_str_contains(text, degree)) {
            return got > 0;
        }
        lines += count_newlines((mls_str){bytes + kept, (size_t)got});
        at += got;
        kept = text.len < degree.len ? text.len : degree.len;
        memmove(bytes, text.ptr + text.len - kept, kept);
    }
    return false;
}

/* The line up to which a log is read. */
static mls_status stop_behind(void *state, const mls_lines *lines)
{
    const size_t *last = state;
    return lines->line + lines->count > *last ? MLS_STOPPED : MLS_OK;
}

mls_status mls_printed_read_before(int fd, size_t run_start_line, mls_scan_room **room, mls_printed_reader **reader,
                                   mls_error *error)
{
    const mls_scan_options options = {.room = room};
    *reader = mls_printed_reader_new();
    const mls_sink sinks[] = {mls_printed_reader_sink(*reader), {.state = &run_start_line, .lines = stop_behind}};
    mls_status status = mls_log_scan_fd(fd, &options, sinks, run_start_line > 0 ? 2 : 1, NULL, error);
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
    mls_status status = MLS_ERROR_READ;
    *reader = fd >= 0 ? mls_printed_reader_new() : NULL;
    if (*reader != NULL) {
        const mls_sink sink = mls_printed_reader_sink(*reader);
        status = mls_log_scan_fd(fd, NULL, &sink, 1, totals, error);
        (void)close(fd);
    }
    if (status != MLS_OK) {
        mls_printed_reader_free(*reader);
        *reader = NULL;
    }
    return status;
}

const mls_printed *mls_printed_get(const mls_printed_reader *reader, size_t i, size_t *run_start_line)
{
    if (i >= reader->runs.count) {
        return NULL;
    }
    *run_start_line = reader->runs.items[i]->run_start;
    return reader->runs.items[i]->printed;
}

mls_printed *mls_printed_of_run(const mls_printed_reader *reader, size_t run_start_line)
{
    mls_printed *last = NULL;
    for (size_t i = 0; i < reader->runs.count; i++) {
        const printed_run *run = reader->runs.items[i];
        const bool open = run->run_start == 0;
        if (run_start_line == 0 ? open : !open && run->run_start <= run_start_line) {
            last = run->printed;
        }
    }
    return last;
}
