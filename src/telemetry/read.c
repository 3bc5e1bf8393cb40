/* SPDX-License-Identifier: Apache-2.0 */
/* read.c - a file, line by line: headings, rows, and records of power, until it is clear that it is none of these. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/file.h"
#include "base/moment.h"
#include "base/number.h"
#include "base/utf8.h"
#include "mlscore/value.h"
#include "telemetry/files.h"

/* A step back of less is the order in which devices are asked. */
#define STEP_BACK_MS 1000

/* A counter that has come further than this is none. */
#define COUNTER_MAX 1e15

typedef struct log_reading {
    struct mls_telemetry_file *file;
    const mls_telemetry_options *options;
    mls_log_heading heading;
    size_t line, rows;
    size_t next;        /* the device whose turn it is, mostly */
    size_t stepped_row; /* the row that stepped back last; 0: none */
    mls_arena scratch;  /* of one record */
    double efficiency;  /* of a power log; NaN: not logged */
    bool power;
    bool overlong; /* the begin of a line too long to be kept has been dropped */
    bool headless; /* a row of nvidia-smi came before any heading */
} log_reading;

static void note_row(log_reading *reading, mls_finding_code code, const char *message)
{
    mls_findings_add(&reading->file->findings, code,
                     (mls_finding_place){.path = reading->file->source.path, .line = reading->line}, "%s", message);
}

static void out_of_memory(struct mls_telemetry_file *file)
{
    file->status = mls_error_memory(&file->error);
}

/* -------------------------------------------------------------------- rows */

/* A row that has been read, and the device that it is about. */
typedef struct parsed_row {
    mls_log_kind kind;
    mls_log_row packed; /* but for counters and reasons */
    double date_ms, clock_ms;
    double counters[MLS_COUNTER_COUNT];
    uint32_t reasons;
    mls_str names[3]; /* index, UUID and bus */
    mls_str model;
    bool zoned, lost, has_reasons, other; /* `other`: of something that is no GPU */
} parsed_row;

static void row_begin(parsed_row *row, mls_log_kind kind)
{
    const double none = (double)NAN;
    *row = (parsed_row){.kind = kind, .packed.time_ms = none, .date_ms = none, .clock_ms = none};
    for (size_t i = 0; i < MLS_ROW_VALUES; i++) {
        row->packed.values[i] = MLS_NO_VALUE;
    }
    for (size_t i = 0; i < MLS_COUNTER_COUNT; i++) {
        row->counters[i] = none;
    }
}

/* "0x0000000000000004" */
static bool read_bits(mls_str cell, uint32_t *bits)
{
    bool ok = mls_str_starts(cell, MLS_S("0x")) && cell.len > 2 && cell.len <= 18;
    for (size_t i = 2; i < cell.len && ok; i++) {
        const char c = mls_is_digit(cell.ptr[i]) ? cell.ptr[i] : (char)(cell.ptr[i] | 0x20);
        ok = mls_is_digit(c) || (c >= 'a' && c <= 'f');
        *bits = *bits << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return ok;
}

/* A cell that holds bits, or that of one of them: "Active". */
static void take_reasons(parsed_row *row, unsigned quantity, mls_str cell)
{
    const bool active = mls_str_equal(cell, MLS_S("Active"));
    uint32_t bits = 0;
    if (quantity == MLS_QUANTITY_REASONS ? !read_bits(cell, &bits)
                                         : !active && !mls_str_equal(cell, MLS_S("Not Active"))) {
        row->lost |= mls_text_says_lost(cell);
        return;
    }
    bits |= active ? 1U << (quantity - MLS_QUANTITY_REASON) : 0;
    row->reasons |= bits & ((1U << MLS_REASON_COUNT) - 1);
    row->has_reasons = true;
}

static void take_counter(parsed_row *row, const mls_log_column *column, mls_str cell)
{
    double *counter = &row->counters[column->quantity - MLS_QUANTITY_COUNTER];
    const bool counted = mls_number_parse(cell, counter);
    *counter = counted ? *counter / column->per : (double)NAN;
    row->lost |= !counted && mls_text_says_lost(cell);
}

/* False: a time that is none. */
static bool take_cell(parsed_row *row, const mls_log_heading *heading, const mls_log_column *column, mls_str cell,
                      mls_str *rest)
{
    const unsigned quantity = column->quantity;
    if (quantity < MLS_QUANTITY_COUNTER) {
        row->packed.values[heading->slots[quantity]] = mls_value_read(cell, &row->lost);
        return true;
    }
    switch (quantity) {
    case MLS_QUANTITY_MOMENT:
        return mls_moment_read(cell, &row->packed.time_ms, &row->zoned);
    case MLS_QUANTITY_DATE:
        return mls_date_read(cell, &row->date_ms);
    case MLS_QUANTITY_CLOCK:
        return mls_clock_read(cell, &row->clock_ms) || !heading->timed;
    case MLS_QUANTITY_ENTITY:
        row->other = !mls_str_equal(cell, MLS_S("GPU"));
        row->names[0] = mls_str_word(rest);
        return !row->other;
    case MLS_QUANTITY_INDEX:
    case MLS_QUANTITY_UUID:
    case MLS_QUANTITY_BUS:
        row->names[quantity - MLS_QUANTITY_INDEX] = cell.len > 0 && cell.ptr[0] != '[' ? cell : (mls_str){NULL, 0};
        return true;
    case MLS_QUANTITY_NAME:
        row->model = cell;
        return true;
    default:
        break;
    }
    if (quantity < MLS_QUANTITY_REASONS) {
        take_counter(row, column, cell);
    } else {
        take_reasons(row, quantity, cell);
    }
    return true;
}

/* NULL: a line is a row of the heading; else why not. */
static const char *parse_row(const mls_log_heading *heading, mls_str line, parsed_row *row)
{
    static const char fields[] = "a row with more or fewer fields than its heading";
    static const char time[] = "a row whose time cannot be read";
    mls_str cell;
    size_t column = 0;
    row_begin(row, heading->kind);
    while (mls_heading_cell(heading, &line, &cell)) {
        if (column == heading->count) {
            return fields;
        }
        const mls_log_column *known = heading->columns[column++];
        if (known != NULL && !take_cell(row, heading, known, cell, &line)) {
            return time;
        }
    }
    if (heading->timed && isnan(row->packed.time_ms)) {
        row->packed.time_ms = row->date_ms + row->clock_ms;
    }
    return column == heading->count && (!heading->timed || !isnan(row->packed.time_ms)) ? NULL : fields;
}

/* ----------------------------------------------------------------- devices */

static mls_str keep_text(struct mls_telemetry_file *file, mls_str text)
{
    if (text.len == 0 || text.ptr[0] == '[' || mls_str_equal(text, MLS_S("N/A"))) {
        return (mls_str){NULL, 0};
    }
    const mls_str kept = mls_arena_copy(&file->arena, text);
    if (kept.ptr == NULL) {
        out_of_memory(file);
    }
    return kept;
}

/* The device that a row is about; NULL when there are too many, or memory runs out. */
static mls_log_device *find_device(log_reading *reading, const parsed_row *row)
{
    struct mls_telemetry_file *file = reading->file;
    mls_map *numbers = &file->numbers[row->kind];
    mls_str name = MLS_S("0");
    for (size_t i = 3; i-- > 0;) {
        name = row->names[i].len > 0 ? row->names[i] : name;
    }
    const size_t turn = reading->next < file->count ? reading->next : 0;
    mls_log_device *next = file->count > 0 ? &file->devices[turn] : NULL;
    if (next != NULL && next->kind == row->kind && mls_str_equal(next->name, name)) {
        reading->next = turn + 1;
        return next;
    }
    mls_map_entry *entry = mls_map_find(numbers, name);
    if (entry == NULL) {
        if (file->count == MLS_DEVICES_MAX) {
            note_row(reading, MLS_FINDING_ROW_DAMAGED, "a row of one device too many");
            return NULL;
        }
        entry = MLS_GROW(file, devices) ? mls_map_put(numbers, name, NULL) : NULL;
        if (entry == NULL) {
            out_of_memory(file);
            return NULL;
        }
        mls_log_device *device = &file->devices[file->count];
        entry->value.number = file->count++;
        mls_device_init(device, row->kind);
        device->name = entry->key;
        device->uuid = keep_text(file, row->names[1]);
        device->model = keep_text(file, row->model);
    }
    reading->next = entry->value.number + 1;
    return &file->devices[entry->value.number];
}

/* Adds a row.  Counters are so large that only how far they have come has the digits that matter. */
static void add_row(mls_log_device *device, parsed_row *row)
{
    for (unsigned i = 0; i < MLS_COUNTER_COUNT; i++) {
        const double value = row->counters[i];
        device->first[i] = isnan(device->first[i]) ? value : device->first[i];
        if (isfinite(value) && fabs(value - device->first[i]) < COUNTER_MAX) {
            const double thousandths = round((value - device->first[i]) * 1000);
            row->packed.values[device->slots[MLS_QUANTITY_COUNTER + i]] =
                mls_value_pack((uint64_t)fabs(thousandths), -3, thousandths < 0);
        }
    }
    if (row->has_reasons) {
        row->packed.values[device->slots[MLS_QUANTITY_REASONS]] = mls_value_pack(row->reasons, 0, false);
        device->has_reasons = true;
    }
    device->has_power = device->has_power || !isnan(mls_device_power(device, &row->packed));
    device->rows[device->count++] = row->packed;
}

/* Whether a row is to be kept: not one of another time than is wanted, but for the first of a device. */
static bool place_row(log_reading *reading, mls_log_device *device, parsed_row *row)
{
    const mls_telemetry_options *options = reading->options;
    const bool local = !isnan(row->packed.time_ms) && !row->zoned;
    device->local |= local;
    row->packed.time_ms += options->offset_ms;
    row->packed.time_ms -= local ? options->timezone_minutes * MLS_MINUTE_MS : 0;
    if (isnan(row->packed.time_ms) && !isnan(options->start_ms)) {
        row->packed.time_ms = options->start_ms + (double)device->count * options->interval_ms;
    }
    if (device->count == 0) {
        device->timed = !isnan(row->packed.time_ms);
        return true;
    }
    if (device->timed && isnan(row->packed.time_ms)) {
        note_row(reading, MLS_FINDING_ROW_DAMAGED, "a row without a time among others that have one");
        return false;
    }
    if (row->packed.time_ms < options->from_ms || row->packed.time_ms > options->until_ms) {
        return false;
    }
    const double before_ms = device->rows[device->count - 1].time_ms;
    device->disordered |= row->packed.time_ms < before_ms;
    if (row->packed.time_ms < before_ms - STEP_BACK_MS) {
        /* One step of the clock is seen by all devices, one after the other. */
        if (reading->stepped_row == 0 || reading->rows - reading->stepped_row > reading->file->count) {
            note_row(reading, MLS_FINDING_TIME_BACK, "the time steps back: a clock was set, or logs were joined");
        }
        reading->stepped_row = reading->rows;
    }
    return true;
}

static void keep_row(log_reading *reading, parsed_row *row)
{
    struct mls_telemetry_file *file = reading->file;
    mls_log_device *device = find_device(reading, row);
    if (device == NULL) {
        return;
    }
    if (row->lost && !device->lost) {
        device->lost = true;
        mls_findings_add(&file->findings, MLS_FINDING_DEVICE_LOST,
                         (mls_finding_place){.path = file->source.path, .line = reading->line},
                         "device %.*s was lost: from here on it could not be asked any more",
                         MLS_CUT(device->name, 60));
    }
    if (!place_row(reading, device, row)) {
        return;
    }
    if (!MLS_GROW(device, rows)) {
        out_of_memory(file);
        return;
    }
    add_row(device, row);
}

static void take_row(log_reading *reading, mls_str line)
{
    parsed_row row;
    const char *why = parse_row(&reading->heading, line, &row);
    reading->rows++;
    if (why == NULL) {
        keep_row(reading, &row);
    } else if (mls_text_says_lost(line)) {
        note_row(reading, MLS_FINDING_DEVICE_LOST, "a device was lost: it could not be asked any more");
    } else if (!row.other) {
        note_row(reading, MLS_FINDING_ROW_DAMAGED, why);
    }
}

/* ----------------------------------------------------------- power records */

/* A record of the power measurement of MLPerf; what other records say is not asked. */
static void take_power_record(log_reading *reading, mls_str payload)
{
    mls_record record;
    size_t where;
    double number;
    mls_decimal decimal;
    mls_arena_reset(&reading->scratch);
    const char *wrong = mls_record_validate(payload, &record, &reading->scratch, &where);
    if (wrong == mls_reason_memory) {
        out_of_memory(reading->file);
        return;
    }
    const bool readable = wrong == NULL && mls_json_number(record.value, &number) && isfinite(number);
    if (wrong != NULL || (record.key_id == MLS_KEY_POWER_READING && !readable)) {
        if (reading->power) {
            note_row(reading, MLS_FINDING_ROW_DAMAGED, wrong != NULL ? wrong : "a power reading that is not a number");
        }
    } else if (record.key_id == MLS_KEY_CONVERSION_EFF) {
        reading->power = true;
        reading->efficiency = readable ? number : (double)NAN;
    } else if (record.key_id == MLS_KEY_POWER_READING) {
        const mls_words words = mls_words_exact(number);
        parsed_row row;
        row_begin(&row, MLS_LOG_MLPERF);
        reading->power = true;
        reading->rows++;
        if (mls_decimal_parse(mls_str_from(words.text), &decimal)) {
            row.packed.time_ms = record.time_ms;
            row.zoned = true;
            row.names[0] = MLS_S("node");
            row.packed.values[0] = mls_value_pack(decimal.digits, decimal.exponent, decimal.negative);
            keep_row(reading, &row);
        }
    }
}

/* ------------------------------------------------------------------- lines */

/* A heading begins with a mark or is of names, none of which begins with a digit as some cell of a row mostly does. */
static bool may_be_heading(mls_str line)
{
    const char *end = line.ptr + line.len;
    const char *cell = line.ptr;
    if (*cell == '#') {
        return true;
    }
    for (; cell != NULL && cell < end; cell = memchr(cell, ',', (size_t)(end - cell))) {
        cell += *cell == ',';
        cell += cell < end && *cell == ' ';
        if (cell < end && mls_is_digit(*cell)) {
            return false;
        }
    }
    return memchr(line.ptr, ',', line.len) != NULL;
}

/* Whether a line is a row of what --columns says, before any heading came. */
static bool is_listed_row(log_reading *reading, mls_str line)
{
    const char *columns = reading->options->columns;
    const char *comma = memchr(line.ptr, ',', line.len);
    parsed_row row;
    reading->headless |= comma != NULL && mls_moment_read((mls_str){line.ptr, (size_t)(comma - line.ptr)},
                                                          &row.packed.time_ms, &row.zoned);
    reading->heading.read = columns != NULL && mls_heading_read(mls_str_from(columns), &reading->heading, true) &&
                            parse_row(&reading->heading, line, &row) == NULL;
    return reading->heading.read;
}

static void take_line(log_reading *reading, mls_str line)
{
    const mls_log_heading *now = &reading->heading;
    const char mark = mls_log_formats[now->kind].mark;
    mls_log_heading heading;
    mls_str payload;
    line = mls_str_trim(line, mls_is_blank);
    reading->line++;
    if (line.len == 0) {
        return;
    }
    if ((!now->read || line.ptr[0] == ':') && mls_record_find(line, &payload)) {
        take_power_record(reading, payload);
    } else if ((!now->read || may_be_heading(line)) && mls_heading_read(line, &heading, false)) {
        reading->heading = heading;
    } else if (!now->read) {
        if (is_listed_row(reading, line)) {
            take_row(reading, line);
        }
    } else if (!now->processes && (mark == '\0' || line.ptr[0] != mark)) {
        take_row(reading, line);
    }
}

/* Whether a file that has not shown what it is by now is none of ours, or is one that is not read. */
static bool is_none(const log_reading *reading)
{
    return reading->heading.read ? reading->heading.processes : !reading->power;
}

static void take_lines(log_reading *reading, mls_window *window)
{
    mls_str line;
    while (reading->file->status == MLS_OK && mls_window_line(window, 0, &line)) {
        if (reading->overlong || line.len > MLS_WINDOW_KEPT) {
            reading->line++;
            note_row(reading, MLS_FINDING_ROW_DAMAGED, "a line of more than 1 MiB");
        } else {
            take_line(reading, line);
        }
        reading->overlong = false;
        window->at += line.len + 1;
    }
    if (window->end - window->at > MLS_WINDOW_KEPT) {
        reading->overlong = true;
        window->at = window->end;
    }
}

/* A log cut in a number looks whole: a last line without an ending is left out. */
static void end_lines(log_reading *reading, const mls_window *window)
{
    const mls_input *input = window->input;
    struct mls_telemetry_file *file = reading->file;
    if (input->trouble.read_errno != 0 || (input->trouble.wrong != NULL && file->count == 0)) {
        file->status = mls_input_status(input, &file->error);
    } else if (input->trouble.wrong != NULL) {
        mls_findings_add_as(&file->findings, MLS_FINDING_ROW_DAMAGED, MLS_SEVERITY_WARNING,
                            (mls_finding_place){.path = file->source.path, .line = reading->line},
                            "the log is read up to here only: %s", input->trouble.wrong);
    } else if (input->ended && (window->at < window->end || reading->overlong) && !is_none(reading)) {
        reading->line++;
        note_row(reading, MLS_FINDING_ROW_DAMAGED, "the last line has no ending: it may be cut off, and is left out");
    }
}

/* Why a file that was read is of no use; NULL: it has measurements. */
static const char *skip_reason(const log_reading *reading, bool empty)
{
    const struct mls_telemetry_file *file = reading->file;
    if (reading->heading.processes) {
        return "nvidia-smi pmon: it measures processes, not devices";
    }
    if (empty) {
        return "empty";
    }
    if (file->count > 0) {
        return NULL;
    }
    if (!is_none(reading)) {
        return file->findings.count > 0 ? "no row of it can be read" : "no measurement in it";
    }
    return reading->headless ? "has no heading: --columns says what was queried"
                             : "none of the formats that telemetry reads";
}

static void read_blocks(log_reading *reading, mls_input *input)
{
    struct mls_telemetry_file *file = reading->file;
    mls_window window;
    bool empty = true;
    const bool room = mls_window_init(&window, input);
    do {
        if (!room || !mls_window_fill(&window)) {
            out_of_memory(file);
        } else {
            empty = empty && window.at == window.end;
            take_lines(reading, &window);
        }
    } while (file->status == MLS_OK && !input->ended && !is_none(reading));
    if (file->status == MLS_OK) {
        end_lines(reading, &window);
    }
    mls_window_release(&window);
    file->skip = input->unread != NULL ? input->unread : skip_reason(reading, empty);
}

/* Takes what is known only at the end: the efficiency of a power log, the order of rows. */
static void finish_devices(log_reading *reading)
{
    struct mls_telemetry_file *file = reading->file;
    const mls_finding_place place = {.path = file->source.path};
    bool untimed = false;
    for (size_t i = 0; i < file->count && file->status == MLS_OK; i++) {
        mls_log_device *device = &file->devices[i];
        untimed |= !device->timed;
        if (device->kind == MLS_LOG_MLPERF && isnan(reading->efficiency)) {
            mls_findings_add(&file->findings, MLS_FINDING_POWER_LOG, place,
                             "the power file does not say conversion_eff: its readings are taken as they are");
        } else if (device->kind == MLS_LOG_MLPERF) {
            device->power_scale = reading->efficiency;
        }
        if (!mls_device_finish(device)) {
            out_of_memory(file);
        }
    }
    if (untimed) {
        mls_findings_add(&file->findings, MLS_FINDING_NO_TIME, place,
                         "the log has no times: it is told as a whole; --start and --interval give them");
    }
    if (file->findings.out_of_memory) {
        out_of_memory(file);
    }
}

static int compare_devices(const void *left, const void *right)
{
    const mls_log_device *a = left;
    const mls_log_device *b = right;
    const int order = mls_str_compare_natural(a->name, b->name);
    return order != 0 ? order : (a->kind > b->kind) - (a->kind < b->kind);
}

void mls_telemetry_input_read(struct mls_telemetry_file *file, mls_input *input, const mls_telemetry_options *options)
{
    log_reading reading = {.file = file, .options = options, .efficiency = (double)NAN};
    for (size_t i = 0; i < MLS_LOG_KINDS; i++) {
        file->numbers[i].arena = &file->arena;
    }
    read_blocks(&reading, input);
    finish_devices(&reading);
    if (file->count > 1) {
        qsort(file->devices, file->count, sizeof *file->devices, compare_devices);
    }
    mls_arena_release(&reading.scratch);
    mls_input_release(input);
}

void mls_telemetry_file_read(struct mls_telemetry_file *file, const mls_telemetry_options *options)
{
    struct stat about;
    mls_input input = {.fd = mls_file_open(file->source.path, file->source.named, &file->error), .text = true};
    if (input.fd < 0) {
        file->status = MLS_ERROR_READ;
        return;
    }
    if (fstat(input.fd, &about) == 0) {
        file->volume = (uint64_t)about.st_dev;
        file->inode = (uint64_t)about.st_ino;
    }
    mls_telemetry_input_read(file, &input, options);
    (void)close(input.fd);
}

void mls_telemetry_file_release(struct mls_telemetry_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        free(file->devices[i].rows);
    }
    free(file->devices);
    mls_arena_release(&file->arena);
    mls_findings_release(&file->findings);
}
