/* SPDX-License-Identifier: Apache-2.0 */
/* read.c - read a log of measurements line by line: headers, rows and power records, until its format is known to be
 * unsupported. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/file.h"
#include "base/moment.h"
#include "base/utf8.h"
#include "base/words.h"
#include "explain/telemetry/files.h"
#include "json/value.h"

static mls_str keep_text(struct mls_telemetry_file *file, mls_str text)
{
    if (text.len == 0 || text.ptr[0] == '[' || mls_str_equal(text, MLS_S("N/A")))
        return (mls_str){NULL, 0};
    return mls_arena_copy(&file->arena, text);
}

/* Whether a device may be the one that a row names, as far as both say. */
static bool fits_row(const mls_log_device *device, const mls_parsed_row *row)
{
    for (size_t i = 1; i < MLS_ROW_NAMES; i++)
        if (device->ids[i].len > 0 && row->names[i].len > 0)
            return mls_str_equal(device->ids[i], row->names[i]);
    return device->unnamed == row->unnamed;
}

static mls_log_device *add_device(struct mls_telemetry_file *file, const mls_parsed_row *row, mls_str name)
{
    if (file->count == MLS_DEVICES_MAX)
        return NULL;
    MLS_GROW(file, devices);
    mls_log_device *device = &file->devices[file->count++];
    mls_device_init(device, row->kind);
    device->name = name;
    device->unnamed = row->unnamed;
    device->instance = row->instance;
    return device;
}

/* Adds ids and model of a row that its device did not have. */
static void learn(struct mls_telemetry_file *file, mls_log_device *device, const mls_parsed_row *row)
{
    for (size_t i = 0; i < MLS_ROW_NAMES; i++)
        device->ids[i] = device->ids[i].len > 0 ? device->ids[i] : keep_text(file, row->names[i]);
    device->model = device->model.len > 0 ? device->model : keep_text(file, row->model);
}

/* Return an entry of a map, which is added unless there may be no more devices; NULL if it does not exist. */
static mls_map_entry *device_entry(struct mls_telemetry_file *file, mls_map *map, mls_str key)
{
    return file->count == MLS_DEVICES_MAX ? mls_map_find(map, key) : mls_map_put(map, key, NULL);
}

/* Looks among the devices of a name, which are chained; a new one comes first. */
static mls_log_device *find_among_named(struct mls_telemetry_file *file, const mls_parsed_row *row)
{
    mls_str name = MLS_S("0");
    for (size_t i = MLS_ROW_NAMES; i-- > 0;)
        name = row->names[i].len > 0 ? row->names[i] : name;
    mls_map_entry *entry = device_entry(file, &file->numbers[row->kind], name);
    if (entry == NULL)
        return NULL;
    for (size_t number = entry->value.number; number > 0; number = file->devices[number - 1].alike)
        if (fits_row(&file->devices[number - 1], row))
            return &file->devices[number - 1];
    mls_log_device *device = add_device(file, row, entry->key);
    if (device != NULL) {
        device->alike = entry->value.number;
        entry->value.number = file->count;
    }
    return device;
}

static bool is_named_so(const mls_log_device *device, const mls_parsed_row *row)
{
    bool same = device->kind == row->kind && device->unnamed == row->unnamed;
    for (size_t i = 0; i < MLS_ROW_NAMES && same; i++)
        same = mls_str_equal(device->ids[i], row->names[i]);
    return same;
}

/* Return the same device faster if its UUID or bus identifier is known and unique. */
static mls_log_device *find_by_names(struct mls_telemetry_file *file, const mls_parsed_row *row)
{
    const mls_str id = row->names[1].len > 0 ? row->names[1] : row->names[2];
    if (id.len == 0)
        return find_among_named(file, row);
    mls_map_entry *entry = device_entry(file, &file->ids[row->kind], id);
    if (entry == NULL)
        return NULL;
    mls_log_device *device =
        entry->value.number > 0 && file->devices != NULL ? &file->devices[entry->value.number - 1] : NULL;
    if (device == NULL || !is_named_so(device, row)) {
        device = find_among_named(file, row);
        entry->value.number = device != NULL ? (size_t)(device - file->devices) + 1 : 0;
    }
    return device;
}

/* Return the device that a row is about; NULL if it would be one too many. */
static mls_log_device *device_of(struct mls_telemetry_file *file, const mls_parsed_row *row)
{
    /* Rows come in the order of devices, mostly. */
    const size_t turn = file->turn < file->count ? file->turn : 0;
    mls_log_device *device = file->count > 0 ? &file->devices[turn] : NULL;
    if (device == NULL || !is_named_so(device, row)) {
        device = find_by_names(file, row);
        if (device == NULL)
            return NULL;
        learn(file, device, row);
    }
    device->models |= row->unnamed && row->model.len > 0 && !mls_str_equal(row->model, device->model);
    file->turn = (size_t)(device - file->devices) + 1;
    return device;
}

static int compare_devices(const void *left, const void *right)
{
    const mls_log_device *a = left;
    const mls_log_device *b = right;
    int order = mls_str_compare_natural(a->name, b->name);
    order = order != 0 ? order : (a->kind > b->kind) - (a->kind < b->kind);
    for (size_t i = 0; i < MLS_ROW_NAMES && order == 0; i++)
        order = mls_str_compare(a->ids[i], b->ids[i]);
    return order;
}

/* Sorts the devices by their names; those of one name are called by what tells them apart. */
static void devices_sort(struct mls_telemetry_file *file)
{
    bool whole = false;
    for (size_t i = 0; i < file->count; i++)
        whole |= file->devices[i].kind == MLS_LOG_DCGM && !file->devices[i].instance;
    for (size_t i = 0; i < file->count; i++)
        file->devices[i].instance &= whole; /* where only instances are measured, they are the devices */
    if (file->count > 1)
        qsort(file->devices, file->count, sizeof *file->devices, compare_devices);
    for (size_t first = 0, end = 0; first < file->count; first = end) {
        const mls_str name = file->devices[first].name;
        const mls_log_kind kind = file->devices[first].kind;
        while (end < file->count && file->devices[end].kind == kind && mls_str_equal(file->devices[end].name, name))
            end++;
        for (size_t i = first; i < end && end - first > 1; i++) {
            const mls_str *ids = file->devices[i].ids;
            file->devices[i].name = ids[1].len > 0 ? ids[1] : ids[2].len > 0 ? ids[2] : name;
        }
    }
}

/* Smaller backward steps of the timestamp are ignored: devices are queried one after the other. */
#define STEP_BACK_MS 1000

/* Lines in which a log says what it is. */
enum { LINES_OF_HEAD = 100 };

/* A value that grows by more than this is not a counter. */
#define COUNTER_MAX 1e15

typedef struct log_reading {
    struct mls_telemetry_file *file;
    const mls_telemetry_options *options;
    mls_log_heading heading;
    size_t line, rows;
    size_t stepped_row; /* the row that stepped back last; 0: none */
    mls_arena scratch;  /* of one record */
    double efficiency;  /* of a power log; NaN: not logged */
    bool power;
    bool overlong;       /* the begin of a line too long to be kept has been dropped */
    bool headless;       /* a row of nvidia-smi came before any heading */
    const char *foreign; /* name of a recognized but unsupported format; NULL: none */
    bool others;         /* rows of no GPU were reported */
    bool too_many;       /* rows are of more devices than are kept */
    bool last;           /* the line is the last one, and nothing ends it */
    char cell[24];       /* the last one of the row before; "": a long one */
} log_reading;

static void note_row(log_reading *reading, mls_finding_code code, const char *message)
{
    mls_findings_add(&reading->file->findings, code,
                     (mls_finding_place){.path = reading->file->source.path, .line = reading->line}, "%s", message);
}

/* "12 rows left out", if any is. */
static void note_rows(log_reading *reading, mls_finding_code code, size_t count, const char *message)
{
    if (count == 0)
        return;
    const mls_severity severity = code == MLS_FINDING_DEVICE_ORDER ? MLS_SEVERITY_ADVICE : MLS_SEVERITY_WARNING;
    mls_findings_add_as(&reading->file->findings, code, severity,
                        (mls_finding_place){.path = reading->file->source.path}, "%s %s",
                        mls_words_plural(count, "row", "rows").text, message);
}

static const char last_cut[] = "the last line has no ending and is not whole: it was cut off, and is left out";

/* -------------------------------------------------------------------- rows */

/* Append a row.  Counters are stored as differences from their first value, which keeps their significant digits. */
static void add_row(mls_log_device *device, mls_parsed_row *row)
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

/* Return whether to keep a row: it is in the requested time range, or the first row of its device. */
static bool place_row(log_reading *reading, mls_log_device *device, mls_parsed_row *row)
{
    const mls_telemetry_options *options = reading->options;
    const bool local = !isnan(row->packed.time_ms) && !row->zoned;
    device->local |= local;
    row->packed.time_ms += options->offset_ms;
    row->packed.time_ms -= local ? options->timezone_minutes * MLS_MINUTE_MS : 0;
    if (isnan(row->packed.time_ms) && !isnan(options->start_ms))
        row->packed.time_ms = options->start_ms + (double)device->count * options->interval_ms;
    const double before_ms = device->last_ms;
    if (device->count == 0) {
        device->timed = !isnan(row->packed.time_ms);
        device->last_ms = row->packed.time_ms;
        return true;
    }
    if (device->timed && isnan(row->packed.time_ms)) {
        note_row(reading, MLS_FINDING_ROW_DAMAGED, "a row without a time among others that have one");
        return false;
    }
    if (row->packed.time_ms < options->from_ms || row->packed.time_ms > options->until_ms)
        return false;
    device->last_ms = row->packed.time_ms;
    device->disordered |= row->packed.time_ms < before_ms;
    if (row->packed.time_ms < before_ms - STEP_BACK_MS) {
        /* One step of the clock is seen by all devices, one after the other. */
        if (reading->stepped_row == 0 || reading->rows - reading->stepped_row > reading->file->count)
            note_row(reading, MLS_FINDING_TIME_BACK, "the time steps back: a clock was set, or logs were joined");
        reading->stepped_row = reading->rows;
    }
    return true;
}

static void keep_row(log_reading *reading, mls_parsed_row *row)
{
    struct mls_telemetry_file *file = reading->file;
    mls_log_device *device = device_of(file, row);
    if (device == NULL) {
        if (!reading->too_many) {
            reading->too_many = true;
            mls_findings_add_as(&file->findings, MLS_FINDING_ROW_DAMAGED, MLS_SEVERITY_WARNING,
                                (mls_finding_place){.path = file->source.path, .line = reading->line},
                                "more than %s devices in a file: from here on rows of others are left out",
                                mls_words_count(MLS_DEVICES_MAX).text);
        }
        return;
    }
    if (row->lost && !device->lost) {
        char name[80] = "a device";
        if (!row->unnamed)
            (void)snprintf(name, sizeof name, "device %.*s", MLS_CUT(device->name, 60));
        device->lost = true;
        mls_findings_add(&file->findings, MLS_FINDING_DEVICE_LOST,
                         (mls_finding_place){.path = file->source.path, .line = reading->line},
                         "%s was lost: from here on it could not be asked any more", name);
    }
    if (!place_row(reading, device, row))
        return;
    MLS_GROW(device, rows);
    add_row(device, row);
}

/* If rows do not name their device, an unreadable row still counts in the order of devices. */
static void keep_place(log_reading *reading)
{
    mls_parsed_row row;
    mls_row_begin(&row, reading->heading.kind);
    row.unnamed = true;
    mls_log_device *device = device_of(reading->file, &row);
    if (device == NULL || device->count == 0)
        return;
    MLS_GROW(device, rows);
    device->rows[device->count++] = row.packed;
}

/* Keep the last cell of a row.  Return false if it is the last cell of the file and truncated. */
static bool take_end(log_reading *reading, mls_str cell)
{
    const bool cut = reading->last && mls_cell_is_cut(cell, mls_str_from(reading->cell));
    const size_t len = cell.len < sizeof reading->cell ? cell.len : 0;
    memcpy(reading->cell, cell.ptr, len);
    reading->cell[len] = '\0';
    return !cut;
}

static void take_row(log_reading *reading, mls_str line)
{
    mls_parsed_row row;
    const char *why = mls_row_parse(&reading->heading, line, &row);
    reading->rows++;
    if ((why == NULL && !take_end(reading, row.end)) || (why != NULL && reading->last))
        why = last_cut;
    if (why == NULL) {
        keep_row(reading, &row);
    } else if (mls_text_says_lost(line)) {
        note_row(reading, MLS_FINDING_DEVICE_LOST, "a device was lost: it could not be asked any more");
    } else if (!row.other) {
        note_row(reading, MLS_FINDING_ROW_DAMAGED, why);
    } else if (!reading->others && !mls_str_alike(row.entity, MLS_S("ID"))) {
        reading->others = true;
        note_row(reading, MLS_FINDING_ROW_DAMAGED, "rows of what is no GPU, such as a switch or a link, are not read");
    }
    if (why != NULL && !reading->last && !reading->heading.named && reading->file->count > 0)
        keep_place(reading);
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
    const bool readable = wrong == NULL && mls_json_number(record.value, &number) && isfinite(number);
    if (wrong != NULL || (record.key_id == MLS_KEY_POWER_READING && !readable)) {
        if (reading->power) {
            wrong = wrong == NULL ? "a power reading that is not a number" : reading->last ? last_cut : wrong;
            note_row(reading, MLS_FINDING_ROW_DAMAGED, wrong);
        }
    } else if (record.key_id == MLS_KEY_CONVERSION_EFF) {
        reading->power = true;
        reading->efficiency = readable ? number : (double)NAN;
    } else if (record.key_id == MLS_KEY_POWER_READING) {
        const mls_words words = mls_words_exact(number);
        mls_parsed_row row;
        mls_row_begin(&row, MLS_LOG_MLPERF);
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

/* Return whether a line may be a header: it starts with a mark, or none of its names starts with a digit. */
static bool may_be_heading(mls_str line)
{
    const char *end = line.ptr + line.len;
    const char *cell = line.ptr;
    if (*cell == '#')
        return true;
    for (; cell != NULL && cell < end; cell = memchr(cell, ',', (size_t)(end - cell))) {
        cell += *cell == ',';
        cell += cell < end && *cell == ' ';
        if (cell < end && mls_is_digit(*cell))
            return false;
    }
    return memchr(line.ptr, ',', line.len) != NULL;
}

/* Logs that have the same quantities in the same order come from the same way to measure. */
static uint64_t hash_columns(const mls_log_heading *heading)
{
    unsigned char quantities[MLS_HEADING_COLUMNS_MAX + 1] = {(unsigned char)heading->kind};
    for (size_t i = 0; i < heading->count; i++)
        quantities[i + 1] = heading->columns[i] != NULL ? heading->columns[i]->quantity : MLS_QUANTITY_COUNT;
    return mls_str_hash((mls_str){(const char *)quantities, heading->count + 1}, 0);
}

static void take_line(log_reading *reading, mls_str line)
{
    const mls_log_heading *now = &reading->heading;
    const char mark = mls_log_formats[now->kind].mark;
    mls_log_heading heading;
    mls_str payload;
    line = mls_str_trim(line, mls_is_blank);
    reading->line++;
    if (line.len == 0)
        return;
    if ((!now->read || line.ptr[0] == ':') && mls_record_find(line, &payload)) {
        take_power_record(reading, payload);
    } else if ((!now->read || may_be_heading(line)) && mls_heading_read(line, &heading, false)) {
        reading->heading = heading;
        reading->file->columns = reading->file->columns != 0 ? reading->file->columns : hash_columns(&heading);
    } else if (!now->read) {
        const char *columns = reading->options->columns;
        const char *comma = memchr(line.ptr, ',', line.len);
        mls_parsed_row row;
        reading->headless |= comma != NULL && mls_moment_read((mls_str){line.ptr, (size_t)(comma - line.ptr)},
                                                              &row.packed.time_ms, &row.zoned);
        /* Before any heading, a line may be a row of what --columns lists. */
        reading->heading.read = columns != NULL && mls_heading_read(mls_str_from(columns), &reading->heading, true) &&
                                mls_row_parse(&reading->heading, line, &row) == NULL;
        if (reading->heading.read)
            take_row(reading, line);
        else if (reading->foreign == NULL && reading->line <= LINES_OF_HEAD)
            reading->foreign = mls_log_foreign(line);
    } else if (now->skipped == NULL && (mark == '\0' || line.ptr[0] != mark)) {
        take_row(reading, line);
    }
}

/* Return whether a file is not a log of measurements, or has an unsupported format. */
static bool is_none(const log_reading *reading)
{
    return reading->heading.read ? reading->heading.skipped != NULL : !reading->power;
}

static void take_lines(log_reading *reading, mls_window *window)
{
    mls_str line;
    while (mls_window_line(window, 0, &line)) {
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

/* Many tools end without the end of their last line. */
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
    } else if (reading->overlong) {
        reading->line++;
        note_row(reading, MLS_FINDING_ROW_DAMAGED, "a line of more than 1 MiB");
    } else if (input->ended && window->at < window->end) {
        reading->last = true;
        take_line(reading, (mls_str){window->at, (size_t)(window->end - window->at)});
    }
}

/* Why a file that was read is of no use; NULL: it has measurements. */
static const char *skip_reason(const log_reading *reading, bool empty)
{
    const struct mls_telemetry_file *file = reading->file;
    if (reading->heading.skipped != NULL)
        return reading->heading.skipped;
    if (empty)
        return "empty";
    if (file->count > 0)
        return NULL;
    if (!is_none(reading))
        return file->findings.count > 0 ? "no row of it can be read" : "no measurement in it";
    return reading->foreign != NULL ? reading->foreign
           : reading->headless      ? "has no heading: --columns says what was queried"
                                    : "none of the formats that telemetry reads";
}

/* Says what devices lack that the log should tell; `parts` of them were found by their order. */
static void note_devices(log_reading *reading, size_t parts)
{
    struct mls_telemetry_file *file = reading->file;
    size_t untimed = 0;
    size_t unscaled = 0;
    size_t stray = 0;
    size_t close = 0;
    size_t replaced = 0;
    size_t mixed = 0;
    reading->line = 0;
    for (size_t i = 0; i < file->count; i++) {
        const mls_log_device *device = &file->devices[i];
        untimed += !device->timed;
        unscaled += device->kind == MLS_LOG_MLPERF && isnan(reading->efficiency);
        stray += device->stray;
        close += device->close;
        replaced += device->replaced;
        mixed += device->mixed;
    }
    if (unscaled > 0) {
        note_row(reading, MLS_FINDING_POWER_LOG,
                 "the power file does not say conversion_eff: its readings are taken as they are");
    }
    if (untimed > 0) {
        note_row(reading, MLS_FINDING_NO_TIME,
                 "the log has no times: it is summed up as a whole; --start and --interval give them");
    }
    note_rows(reading, MLS_FINDING_DEVICE_ORDER, parts > 0 ? parts + 1 : 0,
              "at a time, of which none says its device: they are taken for those of as many devices, in their "
              "order");
    note_rows(reading, MLS_FINDING_SAME_TIME, stray,
              "left out: where there are fewer or more at a time than elsewhere, nobody knows whose they are");
    note_rows(reading, MLS_FINDING_SAME_TIME, close,
              "right behind another one, of which none says its device: how many devices there are is not clear, "
              "and they are taken for one");
    note_rows(reading, MLS_FINDING_SAME_TIME, replaced,
              "left out: a later one of the same time and device says something else, and counts");
    if (mixed > 0) {
        note_row(reading, MLS_FINDING_SAME_TIME,
                 "rows of one device come several at a time, as those of several hosts in one log do: they cannot be "
                 "told apart, and count as one device's");
    }
}

/* Finds what only all rows show: whose they are, and their order. */
static void finish_devices(log_reading *reading)
{
    struct mls_telemetry_file *file = reading->file;
    const size_t named = file->count;
    if (file->status != MLS_OK)
        return;
    mls_devices_split(file);
    for (size_t i = 0; i < file->count; i++) {
        mls_log_device *device = &file->devices[i];
        if (device->kind == MLS_LOG_MLPERF && !isnan(reading->efficiency))
            device->power_scale = reading->efficiency;
        mls_rounds rounds = {.size = 1};
        mls_device_finish(device);
        if (device->dense && !device->unnamed)
            mls_rows_rounds(device->rows, device->count, &rounds);
        device->mixed = rounds.size > 1;
    }
    note_devices(reading, file->count - named);
    devices_sort(file);
}

void mls_telemetry_file_release(struct mls_telemetry_file *file)
{
    for (size_t i = 0; i < file->count; i++)
        if (!file->devices[i].part)
            free(file->devices[i].rows);
    free(file->devices);
    mls_arena_release(&file->arena);
    mls_findings_release(&file->findings);
    file->devices = NULL;
    file->count = 0;
    file->findings = (mls_findings){0};
}

void mls_telemetry_input_read(struct mls_telemetry_file *file, mls_input *input, const mls_telemetry_options *options)
{
    log_reading reading = {.file = file, .options = options, .efficiency = (double)NAN};
    for (size_t i = 0; i < MLS_LOG_KINDS; i++) {
        file->numbers[i].arena = &file->arena;
        file->ids[i].arena = &file->arena;
    }
    mls_window window;
    bool empty = true;
    mls_window_init(&window, input);
    do {
        (void)mls_window_fill(&window);
        empty = empty && window.at == window.end;
        take_lines(&reading, &window);
    } while (!input->ended && !is_none(&reading));
    end_lines(&reading, &window);
    mls_window_release(&window);
    file->skip = input->unread != NULL ? input->unread : skip_reason(&reading, empty);
    finish_devices(&reading);
    mls_arena_release(&reading.scratch);
    mls_input_release(input);
}

void mls_telemetry_file_read(struct mls_telemetry_file *file, const mls_telemetry_options *options)
{
    struct stat about;
    const mls_source *source = &file->source;
    mls_input input = {.fd = source->named ? mls_file_open(source->path, true, &file->error)
                                           : mls_file_open_again(source->path, source->root, &file->error),
                       .text = true};
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
