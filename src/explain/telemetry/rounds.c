/* SPDX-License-Identifier: Apache-2.0 */
/* rounds.c - order the rows of a log by time, and assign rows that do not name their device to devices.  nvidia-smi
 * writes one row per device in quick succession and then waits, so the times show how many devices there are. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/statistics.h"
#include "explain/telemetry/files.h"

/* If the median time between rounds is at least ROUND_FACTOR times the median time between rows of a round, the rounds
 * are certain.  Below UNCLEAR_FACTOR there are no rounds. */
#define ROUND_FACTOR 3
#define UNCLEAR_FACTOR 1.5
#define SLOW_ROUND_MS 500
#define TIME_RESOLUTION_MS 1

/* Most rows of a round are fewer milliseconds apart. */
#define ROUND_MS 100

/* A log that covers fewer milliseconds may be a single round. */
#define SURE_MS 1000

/* How many rounds have each size; `size` is the size whose rounds have the most rows together (`covered`); `changes`
 * counts how often a round has another size than the round before (`last`). */
typedef struct round_sizes {
    size_t size, covered, last, rounds, changes;
    uint32_t of_size[MLS_DEVICES_MAX + 1];
} round_sizes;

/* Return the milliseconds between the row before and a row; NaN if one of them has no time.  Update *before_ms. */
static double next_distance(const mls_log_row *row, double *before_ms)
{
    const double distance = fabs(row->time_ms - *before_ms);
    *before_ms = isnan(row->time_ms) ? *before_ms : row->time_ms;
    return distance;
}

static void end_round(round_sizes *sizes, size_t size)
{
    sizes->changes += sizes->rounds > 0 && size != sizes->last;
    sizes->rounds++;
    sizes->last = size;
    if (size > 0 && size <= MLS_DEVICES_MAX) {
        const size_t covered = ++sizes->of_size[size] * size;
        if (covered > sizes->covered) {
            sizes->covered = covered;
            sizes->size = size;
        }
    }
}

void mls_rows_rounds(const mls_log_row *rows, size_t count, mls_rounds *rounds)
{
    enum { FAR_SOONER = 4, CHANGES_AT_ENDS = 2, CHANGES_SHARE = 5 };
    double before_ms = (double)NAN;
    double *distances = mls_malloc((count + 1) * sizeof *distances);
    round_sizes sizes;
    size_t known = 0;
    size_t best = 0; /* number of rows in the best rounds so far */
    *rounds = (mls_rounds){.size = 1};
    for (size_t i = 0; i < count; i++) {
        distances[known] = next_distance(&rows[i], &before_ms);
        known += isnan(distances[known]) ? 0 : 1;
    }
    mls_sort_doubles(distances, known);
    const double limit = fmin(ROUND_MS, mls_median(distances, known) / FAR_SOONER);
    while (rounds->close < known && distances[rounds->close] < limit)
        rounds->close++;
    /* Sorted distances rise in steps.  Try each step as the border: smaller distances are within rounds, larger ones
     * between rounds. */
    for (size_t i = 0; i + 1 < known && distances[i] < SLOW_ROUND_MS; i++) {
        if (!(distances[i + 1] >= UNCLEAR_FACTOR * fmax(distances[i], TIME_RESOLUTION_MS)))
            continue;
        const double inside = mls_median(distances, i + 1);
        const double pause = mls_median(distances + i + 1, known - i - 1);
        const double factor =
            inside > 0 ? (pause - TIME_RESOLUTION_MS / 2.0) / (inside + TIME_RESOLUTION_MS / 2.0) : (double)INFINITY;
        if (factor < UNCLEAR_FACTOR)
            continue;
        /* Count the rounds of each size for this border. */
        size_t size = 0;
        before_ms = (double)NAN;
        memset(&sizes, 0, sizeof sizes);
        for (size_t k = 0; k < count; k++) {
            if (next_distance(&rows[k], &before_ms) >= distances[i + 1]) {
                end_round(&sizes, size);
                size = 0;
            }
            size++;
        }
        end_round(&sizes, size);
        /* Accept the border if most rows are in several rounds of one size, and the size seldom changes.  The size of
         * real rounds only changes when a device or a row is lost; random delays of one device change it often. */
        if (sizes.covered <= best || sizes.covered < count / 2 || sizes.covered <= sizes.size ||
            sizes.changes > CHANGES_AT_ENDS + sizes.rounds / CHANGES_SHARE)
            continue;
        if (factor >= ROUND_FACTOR) {
            best = sizes.covered;
            rounds->size = sizes.size;
            rounds->apart_ms = distances[i + 1];
        } else if (sizes.size > 1) {
            rounds->close = count - sizes.covered / sizes.size;
        }
    }
    if (known > 0 && distances[known - 1] == 0 && count <= MLS_DEVICES_MAX) {
        rounds->size = count;
        rounds->apart_ms = INFINITY;
    }
    free(distances);
}

/* ------------------------------------------------------------------- order */

/* Sort rows by label, or by time if labels is NULL.  Rows that are equal in this stay in the order of the file. */
static void sort_rows(mls_log_device *device, const uint16_t *labels)
{
    mls_log_row *rows = device->rows;
    mls_placed *order = mls_malloc((device->count + 1) * sizeof *order);
    for (size_t i = 0; i < device->count; i++)
        order[i] = (mls_placed){labels != NULL ? labels[i] : rows[i].time_ms, i};
    mls_sort_placed(order, device->count, sizeof *order);
    for (size_t first = 0; first < device->count; first++) {
        const mls_log_row moved = rows[first];
        size_t to = first;
        for (size_t from = order[to].place; from != first && from != to; from = order[to].place) {
            rows[to] = rows[from];
            order[to].place = to;
            to = from;
        }
        rows[to] = moved;
        order[to].place = to;
    }
    free(order);
}

/* Sort the rows of a device by time, keep the last of several rows with the same time, and measure the interval. */
static void finish_device(mls_log_device *device)
{
    size_t kept = 0;
    if (!device->timed)
        return;
    if (device->disordered)
        sort_rows(device, NULL);
    double *distances = mls_malloc(device->count * sizeof *distances);
    for (size_t i = 0; i < device->count; i++) {
        const mls_log_row *row = &device->rows[i];
        if (kept > 0 && row->time_ms == device->rows[kept - 1].time_ms) {
            kept--;
            device->replaced += memcmp(row->values, device->rows[kept].values, sizeof row->values) != 0;
        }
        device->rows[kept] = *row;
        if (kept > 0)
            distances[kept - 1] = device->rows[kept].time_ms - device->rows[kept - 1].time_ms;
        kept++;
    }
    device->count = kept;
    mls_sort_doubles(distances, kept - 1);
    device->interval_ms = mls_median(distances, kept - 1);
    /* If two fifths of the distances are short, the rows may be of several devices or hosts. */
    const bool dense = kept > 1 && distances[(kept - 1) * 2 / 5] < ROUND_MS;
    free(distances);
    if (dense && !device->unnamed) {
        mls_rounds rounds;
        mls_rows_rounds(device->rows, device->count, &rounds);
        device->mixed = rounds.size > 1;
    }
}

/* ------------------------------------------------------------- separation */

#define STRAY UINT16_MAX

/* Label the rows of a round with the numbers of their devices and return the end of the round.  A round of another size
 * is not labelled, except the last round of the log, which may be truncated, if the round before was complete
 * (`*before`).  Rows that could not be read are counted. */
static size_t label_round(const mls_log_device *device, size_t first, size_t end, size_t size, bool *before,
                          uint16_t *labels)
{
    const bool last = end == device->count;
    while (end - first > size && isnan(device->rows[end - 1].time_ms))
        end--; /* this row begins the next round */
    const bool whole = end - first == size;
    const bool known = whole || (last && *before && end - first < size);
    for (size_t i = first; i < end; i++)
        labels[i] = known && !isnan(device->rows[i].time_ms) ? (uint16_t)(i - first) : STRAY;
    *before = whole;
    return end;
}

/* Drop the rows without values that were kept for unreadable rows. */
static void drop_unreadable(mls_log_device *device)
{
    size_t kept = 0;
    for (size_t i = 0; i < device->count; i++)
        if (!isnan(device->rows[i].time_ms))
            device->rows[kept++] = device->rows[i];
    device->count = kept;
}

/* Split a device into `size` devices by the labels of its sorted rows.  The first new device replaces the old one and
 * owns the rows of all.  A label without rows does not become a device. */
static void make_parts(struct mls_telemetry_file *file, size_t at, size_t size, const size_t *counts)
{
    const mls_log_device whole = file->devices[at];
    mls_log_row *rows = whole.rows;
    for (size_t label = 0; label < size; label++) {
        char digits[24];
        (void)snprintf(digits, sizeof digits, "%zu", label);
        MLS_GROW(file, devices);
        if (counts[label] == 0)
            continue;
        const bool first = rows == whole.rows;
        mls_log_device *part = &file->devices[first ? at : file->count++];
        *part = whole;
        part->name = mls_arena_copy(&file->arena, mls_str_from(digits));
        part->rows = rows;
        part->count = counts[label];
        part->model = whole.models ? (mls_str){NULL, 0} : whole.model;
        part->part = !first;
        part->stray = first ? counts[size] : 0;
        part->has_power = part->has_reasons = false;
        for (size_t i = 0; i < part->count; i++) {
            part->has_power = part->has_power || !isnan(mls_device_power(part, &rows[i]));
            part->has_reasons = part->has_reasons || !isnan(mls_device_value(part, &rows[i], MLS_QUANTITY_REASONS));
        }
        rows += counts[label];
    }
}

/* Split the rows of a log that does not name its devices into devices. */
static void split_device(struct mls_telemetry_file *file, size_t at)
{
    enum { CLOSE_SHARE = 50 };
    mls_log_device *device = &file->devices[at];
    mls_rounds rounds;
    mls_rows_rounds(device->rows, device->count, &rounds);
    if (rounds.size == 1) {
        drop_unreadable(device);
        if (device->disordered) {
            sort_rows(device, NULL);
            mls_rows_rounds(device->rows, device->count, &rounds);
        }
        const double length_ms = fabs(device->rows[device->count - 1].time_ms - device->rows[0].time_ms);
        const bool often = rounds.close > 1 && rounds.close >= device->count / CLOSE_SHARE;
        if (rounds.size == 1 && (often || (device->count > 1 && length_ms < SURE_MS)))
            device->close = often ? rounds.close : device->count;
    }
    const size_t size = rounds.size;
    if (size == 1 || file->count + size > MLS_DEVICES_MAX) {
        drop_unreadable(device);
        return;
    }

    uint16_t *labels = mls_malloc((device->count + 1) * sizeof *labels);
    size_t *counts = mls_calloc(size + 1, sizeof *counts);
    double before_ms = (double)NAN;
    bool whole = true;
    size_t first = 0;
    memset(labels, 0xff, device->count * sizeof *labels); /* STRAY */
    for (size_t i = 0; i < device->count; i++)
        if (next_distance(&device->rows[i], &before_ms) >= rounds.apart_ms)
            first = label_round(device, first, i, size, &whole, labels);
    (void)label_round(device, first, device->count, size, &whole, labels);

    for (size_t i = 0; i < device->count; i++)
        counts[labels[i] == STRAY ? size : labels[i]]++;
    sort_rows(device, labels); /* rows without a label come last */
    const size_t strays = counts[size];
    if (strays < device->count) {
        for (size_t i = device->count - strays; i < device->count; i++)
            counts[size] -= isnan(device->rows[i].time_ms) ? 1 : 0;
        make_parts(file, at, size, counts);
    } else {
        device->close = device->count;
        drop_unreadable(device);
    }
    free(labels);
    free(counts);
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

void mls_devices_arrange(struct mls_telemetry_file *file)
{
    const size_t count = file->count;
    bool gpus = false;
    for (size_t i = 0; i < count; i++)
        if (file->devices[i].unnamed && file->devices[i].timed)
            split_device(file, i);
    for (size_t i = 0; i < file->count; i++) {
        finish_device(&file->devices[i]);
        gpus |= file->devices[i].kind == MLS_LOG_DCGM && !file->devices[i].instance;
    }
    for (size_t i = 0; i < file->count; i++)
        file->devices[i].instance &= gpus; /* if only MIG instances are measured, treat them as devices */
    if (file->count > 1)
        qsort(file->devices, file->count, sizeof *file->devices, compare_devices);
    /* If several devices have the same name, name them by their UUIDs or buses. */
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
