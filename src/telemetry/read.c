/* SPDX-License-Identifier: Apache-2.0 */
/* read.c - a file, line by line: headings, rows, and records of power, until it is clear that it is none of these. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/file.h"
#include "base/number.h"
#include "base/utf8.h"
#include "mlscore/value.h"
#include "telemetry/telemetry.h"

/* A longer line is damaged; a step back of less is the order in which devices are asked. */
#define LINE_LENGTH_MAX ((size_t)1 << 20)
#define STEP_BACK_MS 1000
#define MINUTE_MS 60000.0

/* A counter that has come further than this is none. */
#define COUNTER_MAX 1e15

static const mls_str mllog = MLS_STR(":::MLLOG ");

typedef struct log_reading {
    struct mls_telemetry_file *file;
    const mls_telemetry_options *options;
    mls_log_heading heading;
    mls_log_device blank; /* a new device of that heading's format */
    size_t line, rows;
    size_t next;        /* the device whose turn it is, mostly */
    size_t stepped_row; /* the row that stepped back last; 0: none */
    mls_buffer carry;   /* the begin of a line that goes on in the next block */
    mls_arena scratch;  /* of one record */
    double efficiency;  /* of a power log; NaN: not logged */
    bool power, overlong;
    bool headless; /* a row of nvidia-smi came before any heading */
} log_reading;

static void note_row(log_reading *reading, mls_finding_code code, const char *message)
{
    mls_findings_add(&reading->file->findings, code,
                     (mls_finding_place){.path = reading->file->path, .line = reading->line}, "%s", message);
}

static void run_short(log_reading *reading)
{
    reading->file->status = mls_error_memory(&reading->file->error);
}

/* ----------------------------------------------------------------- devices */

/* Its place in the file's list; false when there are too many, or memory runs out. */
static bool find_device(log_reading *reading, mls_str name, size_t *place)
{
    struct mls_telemetry_file *file = reading->file;
    const char *source = reading->blank.format->source;
    if (reading->next < file->count && file->devices[reading->next].format == reading->blank.format &&
        mls_str_equal(file->devices[reading->next].name, name)) {
        *place = reading->next;
        return true;
    }
    char key[80];
    bool added = false;
    const int len = snprintf(key, sizeof key, "%s %.*s", source, MLS_CUT(name, 60));
    mls_map_entry *entry = file->count < MLS_DEVICES_MAX
                               ? mls_map_put(&file->numbers, (mls_str){key, (size_t)len}, &added)
                               : mls_map_find(&file->numbers, (mls_str){key, (size_t)len});
    if (entry == NULL) {
        if (file->count < MLS_DEVICES_MAX) {
            run_short(reading);
        }
        return false;
    }
    *place = entry->value.number;
    if (file->count == MLS_DEVICES_MAX || !added) {
        return true;
    }
    *place = entry->value.number = file->count;
    const mls_str copy = mls_arena_copy(&file->arena, name);
    if (copy.ptr == NULL || !MLS_GROW(file, devices)) {
        run_short(reading);
        return false;
    }
    file->devices[file->count] = reading->blank;
    file->devices[file->count++].name = copy;
    return true;
}

static void add_row(log_reading *reading, mls_log_device *device, mls_log_row *row)
{
    if (isnan(row->time_ms) && !isnan(reading->options->start_ms)) {
        row->time_ms = reading->options->start_ms + (double)device->count * reading->options->interval_ms;
    }
    if (device->count == 0) {
        device->timed = !isnan(row->time_ms);
    }
    if (device->timed && isnan(row->time_ms)) {
        note_row(reading, MLS_FINDING_ROW_DAMAGED, "a row without a time among others that have one");
        return;
    }
    if (device->count > 0 && (row->time_ms < reading->options->from_ms || row->time_ms > reading->options->until_ms)) {
        return;
    }
    /* One step of the clock is seen by all devices, one after the other. */
    const size_t apart = reading->rows - reading->stepped_row;
    if (device->count > 0 && row->time_ms < mls_device_row(device, device->count - 1)->time_ms - STEP_BACK_MS) {
        if (reading->stepped_row == 0 || apart > reading->file->count) {
            note_row(reading, MLS_FINDING_TIME_BACK, "the time steps back: a clock was set, or logs were joined");
        }
        reading->stepped_row = reading->rows;
    }
    device->has_power |= !isnan(mls_device_power(device, row));
    if (!mls_device_add(device, row)) {
        run_short(reading);
    }
}

/* -------------------------------------------------------------------- rows */

/* What a row says, and of whom. */
typedef struct parsed_row {
    mls_log_row row;
    mls_str names[3]; /* index, UUID and bus */
    mls_str model;
    double date_ms, clock_ms;
    double counters[MLS_COUNTER_COUNT];
    bool zoned, lost, has_reasons, other; /* `other`: of something that is no GPU */
    uint32_t reasons;
} parsed_row;

/* A cell that holds bits, "0x0000000000000004", or "Active". */
static void take_reasons(parsed_row *parsed, unsigned tells, mls_str cell)
{
    uint32_t bits = 0;
    if (tells >= MLS_TELLS_REASON) {
        const bool active = mls_str_equal(cell, MLS_S("Active"));
        if (!active && !mls_str_equal(cell, MLS_S("Not Active"))) {
            parsed->lost |= mls_text_tells_lost(cell);
            return;
        }
        bits = active ? 1U << (tells - MLS_TELLS_REASON) : 0;
    } else {
        if (!mls_str_starts(cell, MLS_S("0x")) || cell.len < 3 || cell.len > 18) {
            parsed->lost |= mls_text_tells_lost(cell);
            return;
        }
        for (size_t i = 2; i < cell.len; i++) {
            const char c = cell.ptr[i];
            const bool digit = mls_is_digit(c);
            if (!digit && !((c | 0x20) >= 'a' && (c | 0x20) <= 'f')) {
                return;
            }
            bits = bits << 4 | (uint32_t)(digit ? c - '0' : (c | 0x20) - 'a' + 10);
        }
    }
    parsed->reasons |= bits & ((1U << MLS_REASON_COUNT) - 1);
    parsed->has_reasons = true;
}

/* False: a time that is none. */
static bool take_cell(parsed_row *parsed, const log_reading *reading, size_t column, mls_str cell, mls_str *rest)
{
    const unsigned tells = reading->heading.tells[column];
    if (tells < MLS_TELLS_COUNTER) {
        parsed->row.values[reading->blank.slots[tells]] = mls_value_read(cell, &parsed->lost);
        return true;
    }
    if (tells < MLS_TELLS_REASONS) {
        double *counter = &parsed->counters[tells - MLS_TELLS_COUNTER];
        const bool counted = mls_number_parse(cell, counter);
        *counter = counted ? *counter / reading->heading.per[column] : (double)NAN;
        parsed->lost |= !counted && mls_text_tells_lost(cell);
        return true;
    }
    switch (tells) {
    case MLS_TELLS_MOMENT:
        return mls_moment_read(cell, &parsed->row.time_ms, &parsed->zoned);
    case MLS_TELLS_DATE:
        return mls_date_read(cell, &parsed->date_ms);
    case MLS_TELLS_CLOCK:
        return mls_clock_read(cell, &parsed->clock_ms) || !reading->heading.timed;
    case MLS_TELLS_ENTITY:
        parsed->other = !mls_str_equal(cell, MLS_S("GPU"));
        parsed->names[0] = parsed->other ? cell : mls_str_word(rest);
        return true;
    case MLS_TELLS_INDEX:
    case MLS_TELLS_UUID:
    case MLS_TELLS_BUS:
        parsed->names[tells - MLS_TELLS_INDEX] = cell.len > 0 && cell.ptr[0] != '[' ? cell : (mls_str){NULL, 0};
        return true;
    case MLS_TELLS_NAME:
        parsed->model = cell;
        return true;
    case MLS_TELLS_NOTHING:
        return true;
    default:
        take_reasons(parsed, tells, cell);
        return true;
    }
}

/* Whether a line is a row of the heading; why not, when it is damaged. */
static bool parse_row(const log_reading *reading, mls_str line, parsed_row *parsed, const char **why)
{
    const mls_log_heading *heading = &reading->heading;
    mls_str rest = line;
    mls_str cell;
    size_t column = 0;
    *parsed = (parsed_row){.row = {.time_ms = (double)NAN}, .date_ms = (double)NAN, .clock_ms = (double)NAN};
    for (size_t i = 0; i < MLS_ROW_VALUES; i++) {
        parsed->row.values[i] = MLS_NO_VALUE;
    }
    for (size_t i = 0; i < MLS_COUNTER_COUNT; i++) {
        parsed->counters[i] = (double)NAN;
    }
    *why = "a row with more or fewer fields than its heading";
    while (mls_heading_cell(heading, &rest, &cell)) {
        if (column == heading->count) {
            return false;
        }
        if (!take_cell(parsed, reading, column++, cell, &rest)) {
            *why = "a row whose time cannot be read";
            return false;
        }
        if (parsed->other) {
            return false;
        }
    }
    if (heading->timed && isnan(parsed->row.time_ms)) {
        parsed->row.time_ms = parsed->date_ms + parsed->clock_ms;
    }
    return column == heading->count && (!heading->timed || !isnan(parsed->row.time_ms));
}

static mls_str known_text(mls_arena *arena, mls_str text)
{
    const bool known = text.len > 0 && text.ptr[0] != '[' && !mls_str_equal(text, MLS_S("N/A"));
    return known ? mls_arena_copy(arena, text) : (mls_str){NULL, 0};
}

static void take_parsed(log_reading *reading, parsed_row *parsed)
{
    struct mls_telemetry_file *file = reading->file;
    const mls_str *names = parsed->names;
    const mls_str name = names[0].len > 0   ? names[0]
                         : names[1].len > 0 ? names[1]
                         : names[2].len > 0 ? names[2]
                                            : MLS_S("0");
    const size_t before = file->count;
    size_t place;
    if (!find_device(reading, name, &place)) {
        note_row(reading, MLS_FINDING_ROW_DAMAGED, "a row of one device too many");
        return;
    }
    mls_log_device *device = &file->devices[place];
    reading->next = place + 1 < file->count ? place + 1 : 0;
    if (file->count > before) {
        device->uuid = known_text(&file->arena, names[1]);
        device->model = known_text(&file->arena, parsed->model);
    }
    const bool local = !isnan(parsed->row.time_ms) && !parsed->zoned;
    device->local |= local;
    parsed->row.time_ms += reading->options->offset_ms;
    parsed->row.time_ms -= local ? reading->options->timezone_minutes * MINUTE_MS : 0;
    for (unsigned i = 0; i < MLS_COUNTER_COUNT; i++) {
        const double value = parsed->counters[i];
        device->first[i] = isnan(device->first[i]) ? value : device->first[i];
        if (isfinite(value) && fabs(value - device->first[i]) < COUNTER_MAX) {
            const double thousandths = round((value - device->first[i]) * 1000);
            parsed->row.values[device->slots[MLS_TELLS_COUNTER + i]] =
                mls_value_pack((uint64_t)fabs(thousandths), -3, thousandths < 0);
        }
    }
    if (parsed->has_reasons) {
        parsed->row.values[device->slots[MLS_TELLS_REASONS]] = mls_value_pack(parsed->reasons, 0, false);
        device->has_reasons = true;
    }
    if (parsed->lost && !device->lost) {
        device->lost = true;
        mls_findings_add(&file->findings, MLS_FINDING_DEVICE_LOST,
                         (mls_finding_place){.path = file->path, .line = reading->line},
                         "device %.*s was lost: from here on it could not be asked any more", MLS_CUT(name, 60));
    }
    add_row(reading, device, &parsed->row);
}

static void take_row(log_reading *reading, mls_str line)
{
    parsed_row parsed;
    const char *why;
    reading->rows++;
    if (parse_row(reading, line, &parsed, &why)) {
        take_parsed(reading, &parsed);
    } else if (mls_text_tells_lost(line)) {
        note_row(reading, MLS_FINDING_DEVICE_LOST, "a device was lost: it could not be asked any more");
    } else if (!parsed.other) {
        note_row(reading, MLS_FINDING_ROW_DAMAGED, why);
    }
}

/* ----------------------------------------------------------- power records */

/* A record of the power measurement of MLPerf; what other records say is not asked. */
static void take_power_record(log_reading *reading, mls_str line)
{
    mls_record record;
    size_t where;
    double number;
    mls_decimal decimal;
    const char *payload = memmem(line.ptr, line.len, mllog.ptr, mllog.len);
    mls_str text = {payload + mllog.len, line.len - (size_t)(payload - line.ptr) - mllog.len};
    mls_arena_reset(&reading->scratch);
    const char *wrong = mls_record_validate(text, &record, &reading->scratch, &where);
    if (wrong == mls_reason_memory) {
        run_short(reading);
        return;
    }
    const bool readable = wrong == NULL && mls_json_number(record.value, &number) && isfinite(number);
    if (wrong != NULL || (record.key_id == MLS_KEY_POWER_READING && !readable)) {
        if (reading->power) {
            note_row(reading, MLS_FINDING_ROW_DAMAGED, wrong != NULL ? wrong : "a power reading that is no number");
        }
    } else if (record.key_id == MLS_KEY_CONVERSION_EFF) {
        reading->power = true;
        reading->efficiency = readable ? number : (double)NAN;
    } else if (record.key_id == MLS_KEY_POWER_READING) {
        size_t place;
        const mls_words words = mls_words_exact(number);
        mls_log_row row = {.time_ms = record.time_ms + reading->options->offset_ms};
        reading->power = true;
        reading->rows++;
        mls_device_init(&reading->blank, &mls_power_log_format);
        if (mls_decimal_parse(mls_str_from(words.text), &decimal) && find_device(reading, MLS_S("node"), &place)) {
            row.values[0] = mls_value_pack(decimal.digits, decimal.exponent, decimal.negative);
            add_row(reading, &reading->file->devices[place], &row);
        }
    }
}

/* ------------------------------------------------------------------- lines */

/* Rows begin with digits or marks mostly; a heading with the name of a column, or behind a mark. */
static bool may_be_heading(const log_reading *reading, mls_str line)
{
    const mls_log_format *format = reading->heading.format;
    const char c = line.ptr[0];
    const char *end = memchr(line.ptr, ',', line.len);
    if (format == NULL || c == '#') {
        return true;
    }
    if (end == NULL || !((c | 0x20) >= 'a' && (c | 0x20) <= 'z')) {
        return false;
    }
    const char *bracket = memchr(line.ptr, ' ', (size_t)(end - line.ptr));
    const mls_str first = {line.ptr, (size_t)((bracket != NULL ? bracket : end) - line.ptr)};
    for (format = mls_log_formats; format->source != NULL; format++) {
        if (format->mark == '\0' && mls_log_column_find(format, first) != NULL) {
            return true;
        }
    }
    return false;
}

/* A line of a file for which --columns says what a heading would; true when it is a row so. */
static bool is_listed_row(log_reading *reading, mls_str line)
{
    const char *columns = reading->options->columns;
    const char *comma = memchr(line.ptr, ',', line.len);
    double time_ms;
    bool zoned;
    reading->headless |=
        comma != NULL && mls_moment_read((mls_str){line.ptr, (size_t)(comma - line.ptr)}, &time_ms, &zoned);
    parsed_row parsed;
    const char *why;
    if (columns == NULL || !mls_heading_read(mls_str_from(columns), &reading->heading, true)) {
        return false;
    }
    mls_device_init(&reading->blank, reading->heading.format);
    if (!parse_row(reading, line, &parsed, &why)) {
        reading->heading.format = NULL;
    }
    return reading->heading.format != NULL;
}

static void take_line(log_reading *reading, mls_str line)
{
    mls_log_heading heading;
    reading->line++;
    while (line.len > 0 && mls_is_blank(line.ptr[line.len - 1])) {
        line.len--;
    }
    while (line.len > 0 && (line.ptr[0] == ' ' || line.ptr[0] == '\t')) {
        line = (mls_str){line.ptr + 1, line.len - 1};
    }
    const mls_log_format *format = reading->heading.format;
    if (line.len == 0) {
        return;
    }
    if ((format == NULL || line.ptr[0] == ':') && mls_str_contains(line, mllog)) {
        take_power_record(reading, line);
    } else if (may_be_heading(reading, line) && mls_heading_read(line, &heading, false)) {
        reading->heading = heading;
        mls_device_init(&reading->blank, heading.format);
        reading->file->skip = heading.format->refused;
    } else if (format != NULL && format->refused == NULL && !(format->mark != '\0' && line.ptr[0] == format->mark)) {
        /* A power record in between has left its own blank. */
        if (reading->blank.format != format) {
            mls_device_init(&reading->blank, format);
        }
        take_row(reading, line);
    } else if (format == NULL && is_listed_row(reading, line)) {
        take_row(reading, line);
    }
}

/* Whether a file that has not shown what it is by now is none of ours, or is one that is not read. */
static bool is_none(const log_reading *reading)
{
    return (reading->heading.format == NULL && !reading->power) ||
           (reading->heading.format != NULL && reading->heading.format->refused != NULL);
}

static void cut_lines(log_reading *reading, mls_str block)
{
    while (block.len > 0 && reading->file->status == MLS_OK) {
        const char *newline = memchr(block.ptr, '\n', block.len);
        const mls_str part = {block.ptr, newline != NULL ? (size_t)(newline - block.ptr) : block.len};
        if (newline == NULL || reading->carry.len > 0 || reading->overlong) {
            reading->overlong |= reading->carry.len + part.len > LINE_LENGTH_MAX;
            if (!reading->overlong) {
                mls_buffer_append(&reading->carry, part);
            }
            if (reading->carry.failed) {
                run_short(reading);
                return;
            }
        }
        if (newline == NULL) {
            return;
        }
        if (reading->overlong) {
            reading->line++;
            note_row(reading, MLS_FINDING_ROW_DAMAGED, "a line of more than 1 MiB");
        } else {
            take_line(reading, reading->carry.len > 0 ? mls_buffer_str(&reading->carry) : part);
        }
        reading->overlong = false;
        mls_buffer_clear(&reading->carry);
        block = (mls_str){newline + 1, block.len - part.len - 1};
    }
}

static void read_blocks(log_reading *reading, mls_input *input)
{
    struct mls_telemetry_file *file = reading->file;
    char *block = malloc(MLS_BLOCK_SIZE);
    size_t bytes = 0;
    size_t len = 0;
    if (block == NULL) {
        run_short(reading);
        return;
    }
    do {
        if (!mls_input_fill(input, block, &len)) {
            run_short(reading);
        } else {
            bytes += len;
            cut_lines(reading, (mls_str){block, len});
        }
    } while (file->status == MLS_OK && !input->ended && !is_none(reading));
    if (file->status == MLS_OK && mls_input_status(input, &file->error) != MLS_OK) {
        file->failed = true;
    }
    /* A log cut in a number looks whole: a last line without an ending is left out. */
    if (file->status == MLS_OK && input->ended && (reading->carry.len > 0 || reading->overlong) && !is_none(reading)) {
        reading->line++;
        note_row(reading, MLS_FINDING_ROW_DAMAGED, "the last line has no ending: it may be cut off, and is left out");
    }
    file->skip = file->failed               ? NULL
                 : input->unread != NULL    ? input->unread
                 : file->skip != NULL       ? file->skip
                 : bytes == 0               ? "empty"
                 : is_none(reading)         ? reading->headless ? "has no heading: --columns says what was queried"
                                                                : "none of the formats that telemetry reads"
                 : file->count > 0          ? NULL
                 : file->findings.count > 0 ? "no row of it can be read"
                                            : "no measurement in it";
    free(block);
}

/* What is known only at the end: the efficiency of a power log, the order of rows. */
static void finish_devices(const log_reading *reading)
{
    struct mls_telemetry_file *file = reading->file;
    bool untimed = false;
    for (size_t i = 0; i < file->count && file->status == MLS_OK; i++) {
        mls_log_device *device = &file->devices[i];
        untimed |= !device->timed;
        if (device->format == &mls_power_log_format && isnan(reading->efficiency)) {
            mls_findings_add(&file->findings, MLS_FINDING_POWER_LOG, (mls_finding_place){.path = file->path},
                             "the power file does not say conversion_eff: its readings are taken as they are");
        } else if (device->format == &mls_power_log_format) {
            device->power_scale = reading->efficiency;
        }
        if (!mls_device_finish(device)) {
            file->status = mls_error_memory(&file->error);
        }
    }
    if (untimed) {
        mls_findings_add(&file->findings, MLS_FINDING_NO_TIME, (mls_finding_place){.path = file->path},
                         "the log has no times: it is told as a whole; --start and --interval give them");
    }
    if (file->findings.out_of_memory) {
        file->status = mls_error_memory(&file->error);
    }
}

static int compare_devices(const void *left, const void *right)
{
    const mls_log_device *a = left;
    const mls_log_device *b = right;
    const int order = mls_str_compare_natural(a->name, b->name);
    return order != 0 ? order : (a->format > b->format) - (a->format < b->format);
}

void mls_telemetry_input_read(struct mls_telemetry_file *file, mls_input *input, const mls_telemetry_options *options)
{
    log_reading reading = {.file = file, .options = options, .efficiency = (double)NAN};
    file->numbers.arena = &file->arena;
    read_blocks(&reading, input);
    finish_devices(&reading);
    if (file->count > 1) {
        qsort(file->devices, file->count, sizeof *file->devices, compare_devices);
    }
    mls_buffer_release(&reading.carry);
    mls_arena_release(&reading.scratch);
    mls_input_release(input);
}

void mls_telemetry_file_read(struct mls_telemetry_file *file, const mls_telemetry_options *options)
{
    struct stat about;
    mls_input input = {.fd = mls_file_open(file->path, file->named, &file->error), .text = true};
    if (input.fd < 0) {
        file->failed = true;
        return;
    }
    if (fstat(input.fd, &about) == 0) {
        file->volume = (uint64_t)about.st_dev;
        file->number = (uint64_t)about.st_ino;
    }
    mls_telemetry_input_read(file, &input, options);
    (void)close(input.fd);
}

void mls_telemetry_file_release(struct mls_telemetry_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        mls_device_release(&file->devices[i]);
    }
    free(file->devices);
    mls_arena_release(&file->arena);
    mls_findings_release(&file->findings);
}
