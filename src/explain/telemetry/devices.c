/* SPDX-License-Identifier: Apache-2.0 */
/* devices.c - which device of its file a row is about.  A UUID tells devices of one number apart, and so does a bus
 * identifier, in logs that several hosts have written into; what a row does not say may be of any. */
#include <stdlib.h>

#include "explain/telemetry/files.h"

static mls_str keep_text(struct mls_telemetry_file *file, mls_str text)
{
    if (text.len == 0 || text.ptr[0] == '[' || mls_str_equal(text, MLS_S("N/A"))) {
        return (mls_str){NULL, 0};
    }
    const mls_str kept = mls_arena_copy(&file->arena, text);
    return kept;
}

/* Whether a device may be the one that a row names, as far as both say. */
static bool fits_row(const mls_log_device *device, const mls_parsed_row *row)
{
    for (size_t i = 1; i < MLS_ROW_NAMES; i++) {
        if (device->ids[i].len > 0 && row->names[i].len > 0) {
            return mls_str_equal(device->ids[i], row->names[i]);
        }
    }
    return device->unnamed == row->unnamed;
}

static mls_log_device *add_device(struct mls_telemetry_file *file, const mls_parsed_row *row, mls_str name)
{
    if (file->count == MLS_DEVICES_MAX) {
        return NULL;
    }
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
    for (size_t i = 0; i < MLS_ROW_NAMES; i++) {
        device->ids[i] = device->ids[i].len > 0 ? device->ids[i] : keep_text(file, row->names[i]);
    }
    device->model = device->model.len > 0 ? device->model : keep_text(file, row->model);
}

/* An entry of a map, a new one where there may be more devices; NULL: there is none, or memory runs out. */
static mls_map_entry *device_entry(struct mls_telemetry_file *file, mls_map *map, mls_str key)
{
    if (file->count == MLS_DEVICES_MAX) {
        return mls_map_find(map, key);
    }
    mls_map_entry *entry = mls_map_put(map, key, NULL);
    return entry;
}

/* Looks among the devices of a name, which are chained; a new one comes first. */
static mls_log_device *find_among_named(struct mls_telemetry_file *file, const mls_parsed_row *row)
{
    mls_str name = MLS_S("0");
    for (size_t i = MLS_ROW_NAMES; i-- > 0;) {
        name = row->names[i].len > 0 ? row->names[i] : name;
    }
    mls_map_entry *entry = device_entry(file, &file->numbers[row->kind], name);
    if (entry == NULL) {
        return NULL;
    }
    for (size_t number = entry->value.number; number > 0; number = file->devices[number - 1].alike) {
        if (fits_row(&file->devices[number - 1], row)) {
            return &file->devices[number - 1];
        }
    }
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
    for (size_t i = 0; i < MLS_ROW_NAMES && same; i++) {
        same = mls_str_equal(device->ids[i], row->names[i]);
    }
    return same;
}

/* As that does, but sooner where the names are those of a device, and its UUID or bus is that of no other. */
static mls_log_device *find_by_names(struct mls_telemetry_file *file, const mls_parsed_row *row)
{
    const mls_str id = row->names[1].len > 0 ? row->names[1] : row->names[2];
    if (id.len == 0) {
        return find_among_named(file, row);
    }
    mls_map_entry *entry = device_entry(file, &file->ids[row->kind], id);
    if (entry == NULL) {
        return NULL;
    }
    mls_log_device *device =
        entry->value.number > 0 && file->devices != NULL ? &file->devices[entry->value.number - 1] : NULL;
    if (device == NULL || !is_named_so(device, row)) {
        device = find_among_named(file, row);
        entry->value.number = device != NULL ? (size_t)(device - file->devices) + 1 : 0;
    }
    return device;
}

mls_log_device *mls_device_of(struct mls_telemetry_file *file, const mls_parsed_row *row)
{
    /* Rows come in the order of devices, mostly. */
    const size_t turn = file->turn < file->count ? file->turn : 0;
    mls_log_device *device = file->count > 0 ? &file->devices[turn] : NULL;
    if (device == NULL || !is_named_so(device, row)) {
        device = find_by_names(file, row);
        if (device == NULL || file->status != MLS_OK) {
            return NULL;
        }
        learn(file, device, row);
    }
    device->models |= row->unnamed && row->model.len > 0 && !mls_str_equal(row->model, device->model);
    file->turn = (size_t)(device - file->devices) + 1;
    return file->status == MLS_OK ? device : NULL;
}

static int compare_devices(const void *left, const void *right)
{
    const mls_log_device *a = left;
    const mls_log_device *b = right;
    int order = mls_str_compare_natural(a->name, b->name);
    order = order != 0 ? order : (a->kind > b->kind) - (a->kind < b->kind);
    for (size_t i = 0; i < MLS_ROW_NAMES && order == 0; i++) {
        order = mls_str_compare(a->ids[i], b->ids[i]);
    }
    return order;
}

/* Where instances alone are measured they are the devices. */
static void finish_instances(struct mls_telemetry_file *file)
{
    bool whole = false;
    for (size_t i = 0; i < file->count; i++) {
        whole |= file->devices[i].kind == MLS_LOG_DCGM && !file->devices[i].instance;
    }
    for (size_t i = 0; i < file->count; i++) {
        file->devices[i].instance &= whole;
    }
}

void mls_devices_sort(struct mls_telemetry_file *file)
{
    finish_instances(file);
    if (file->count > 1) {
        qsort(file->devices, file->count, sizeof *file->devices, compare_devices);
    }
    for (size_t first = 0, end = 0; first < file->count; first = end) {
        const mls_str name = file->devices[first].name;
        const mls_log_kind kind = file->devices[first].kind;
        while (end < file->count && file->devices[end].kind == kind && mls_str_equal(file->devices[end].name, name)) {
            end++;
        }
        for (size_t i = first; i < end && end - first > 1; i++) {
            const mls_str *ids = file->devices[i].ids;
            file->devices[i].name = ids[1].len > 0 ? ids[1] : ids[2].len > 0 ? ids[2] : name;
        }
    }
}
