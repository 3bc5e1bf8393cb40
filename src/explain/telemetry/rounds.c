/* SPDX-License-Identifier: Apache-2.0 */
/* rounds.c - rows that do not say which device they are about: nvidia-smi writes one of each device, one right after
 * the other, and waits, so that the times show how many there are. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/statistics.h"
#include "explain/telemetry/files.h"

/* The middle pause between rounds is that many times the middle distance within one; where it is less it is not clear
 * whether they are rounds. */
#define ROUND_FACTOR 3
#define UNCLEAR_FACTOR 1.5
#define SLOW_ROUND_MS 500
#define TIME_RESOLUTION_MS 1

/* A shorter log may be one round. */
#define SURE_MS 1000

/* Rounds by size, the size that covers most rows, and how often a round has another size than the one before. */
typedef struct round_sizes {
    size_t size, covered, last, rounds, changes;
    uint32_t of_size[MLS_DEVICES_MAX + 1];
} round_sizes;

/* The distance from a row to the one before that has a time; NaN: there is none. */
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

/* How many rows most rounds have when they are that far apart. */
static void measure_rounds(const mls_log_row *rows, size_t count, double apart_ms, round_sizes *sizes)
{
    double before_ms = (double)NAN;
    size_t size = 0;
    memset(sizes, 0, sizeof *sizes);
    for (size_t i = 0; i < count; i++) {
        if (next_distance(&rows[i], &before_ms) >= apart_ms) {
            end_round(sizes, size);
            size = 0;
        }
        size++;
    }
    end_round(sizes, size);
}

/* How many of the distances are so small beside the middle one that several rows are of one time. */
static size_t count_close(const double *sorted, size_t count)
{
    enum { FAR_SOONER = 4 };
    const double limit = fmin(MLS_ROUND_MS, mls_median(sorted, count) / FAR_SOONER);
    size_t close = 0;
    while (close < count && sorted[close] < limit)
        close++;
    return close;
}

/* How many times the middle distance within rounds the middle pause is, when the first `within` distances are within.
 */
static double pause_factor(const double *sorted, size_t within, size_t count)
{
    const double inside = mls_median(sorted, within);
    const double pause = mls_median(sorted + within, count - within);
    return inside > 0 ? (pause - TIME_RESOLUTION_MS / 2.0) / (inside + TIME_RESOLUTION_MS / 2.0) : (double)INFINITY;
}

/* Whether most rows are in rounds of one size, of which there are several and which seldom changes: it does where a
 * device is lost or a row is, but what delays a single device comes now earlier, now later. */
static bool is_steady(const round_sizes *sizes, size_t count)
{
    enum { CHANGES_AT_ENDS = 2, CHANGES_SHARE = 5 };
    return sizes->covered >= count / 2 && sizes->covered > sizes->size &&
           sizes->changes <= CHANGES_AT_ENDS + sizes->rounds / CHANGES_SHARE;
}

void mls_rows_rounds(const mls_log_row *rows, size_t count, mls_rounds *rounds)
{
    double before_ms = (double)NAN;
    double *distances = mls_malloc((count + 1) * sizeof *distances);
    round_sizes sizes;
    size_t known = 0;
    size_t best = 0; /* rows in such rounds */
    *rounds = (mls_rounds){.size = 1};
    for (size_t i = 0; i < count; i++) {
        distances[known] = next_distance(&rows[i], &before_ms);
        known += isnan(distances[known]) ? 0 : 1;
    }
    mls_sort_doubles(distances, known);
    rounds->close = count_close(distances, known);
    for (size_t i = 0; i + 1 < known && distances[i] < SLOW_ROUND_MS; i++) {
        const bool step = distances[i + 1] >= UNCLEAR_FACTOR * fmax(distances[i], TIME_RESOLUTION_MS);
        const double factor = step ? pause_factor(distances, i + 1, known) : 0;
        if (factor < UNCLEAR_FACTOR)
            continue;
        measure_rounds(rows, count, distances[i + 1], &sizes);
        if (sizes.covered <= best || !is_steady(&sizes, count))
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

/* ------------------------------------------------------------- taking apart */

#define STRAY UINT16_MAX

/* Says of the rows of a round which is of which device.  One that is too short or too long says nothing, but for the
 * last of the log, which breaks off behind a whole one (`*before`); rows that could not be read have their places. */
static size_t label_round(const mls_log_device *device, size_t first, size_t end, size_t size, bool *before,
                          uint16_t *labels)
{
    const bool last = end == device->count;
    while (end - first > size && isnan(device->rows[end - 1].time_ms))
        end--; /* of the next round */
    const bool whole = end - first == size;
    const bool known = whole || (last && *before && end - first < size);
    for (size_t i = first; i < end; i++) {
        const bool readable = !isnan(device->rows[i].time_ms);
        labels[i] = known && readable ? (uint16_t)(i - first) : STRAY;
    }
    *before = whole;
    return end;
}

static void label_rows(const mls_log_device *device, size_t size, double apart_ms, uint16_t *labels)
{
    double before_ms = (double)NAN;
    bool whole = true;
    size_t first = 0;
    memset(labels, 0xff, device->count * sizeof *labels); /* STRAY */
    for (size_t i = 0; i < device->count; i++)
        if (next_distance(&device->rows[i], &before_ms) >= apart_ms)
            first = label_round(device, first, i, size, &whole, labels);
    (void)label_round(device, first, device->count, size, &whole, labels);
}

/* Sorts the rows by their labels, those without one last, and counts each kind. */
static void sort_labelled(mls_log_device *device, const uint16_t *labels, size_t size, size_t *counts)
{
    size_t *order = mls_malloc((device->count + 1) * sizeof *order);
    size_t place = 0;
    for (size_t i = 0; i < device->count; i++)
        counts[labels[i] == STRAY ? size : labels[i]]++;
    /* Where each label begins, and where its next row comes. */
    for (size_t label = 0; label <= size; label++) {
        const size_t count = counts[label];
        counts[label] = place;
        place += count;
    }
    for (size_t i = 0; i < device->count; i++)
        order[counts[labels[i] == STRAY ? size : labels[i]]++] = i;
    for (size_t label = size; label > 0; label--)
        counts[label] -= counts[label - 1];
    mls_rows_arrange(device->rows, order, device->count);
    free(order);
}

/* Makes a device of some rows of another. */
static void cut_part(mls_log_device *part, const mls_log_device *whole, mls_str name, mls_log_row *rows, size_t count)
{
    *part = *whole;
    part->name = name;
    part->rows = rows;
    part->count = count;
    part->model = whole->models ? (mls_str){NULL, 0} : whole->model;
    part->has_power = part->has_reasons = false;
    for (size_t i = 0; i < count; i++) {
        part->has_power = part->has_power || !isnan(mls_device_power(part, &rows[i]));
        part->has_reasons = part->has_reasons || !isnan(mls_device_value(part, &rows[i], MLS_QUANTITY_REASONS));
    }
}

/* Makes `size` devices of one: the first keeps its place, and holds the rows of all.  One of which no row could be read
 * is none. */
static void make_parts(struct mls_telemetry_file *file, size_t at, size_t size, const size_t *counts)
{
    const mls_log_device whole = file->devices[at];
    mls_log_row *rows = whole.rows;
    for (size_t label = 0; label < size; label++) {
        char digits[24];
        (void)snprintf(digits, sizeof digits, "%zu", label);
        const mls_str name = mls_arena_copy(&file->arena, mls_str_from(digits));
        MLS_GROW(file, devices);
        if (counts[label] > 0) {
            const bool first = rows == whole.rows;
            mls_log_device *part = &file->devices[first ? at : file->count++];
            cut_part(part, &whole, name, rows, counts[label]);
            part->part = !first;
            part->stray = first ? counts[size] : 0;
            rows += counts[label];
        }
    }
}

/* Rows that could not be read have done their part. */
static void drop_unreadable(mls_log_device *device)
{
    size_t kept = 0;
    for (size_t i = 0; i < device->count; i++)
        if (!isnan(device->rows[i].time_ms))
            device->rows[kept++] = device->rows[i];
    device->count = kept;
}

/* Looks for rounds in the order of the log and, where its rows were mixed up, in that of time. */
static void find_rounds(mls_log_device *device, mls_rounds *rounds)
{
    enum { CLOSE_SHARE = 50 };
    mls_rows_rounds(device->rows, device->count, rounds);
    if (rounds->size > 1)
        return;
    drop_unreadable(device);
    if (device->disordered) {
        mls_device_sort(device);
        mls_rows_rounds(device->rows, device->count, rounds);
    }
    const double length_ms = fabs(device->rows[device->count - 1].time_ms - device->rows[0].time_ms);
    const bool often = rounds->close > 1 && rounds->close >= device->count / CLOSE_SHARE;
    if (rounds->size == 1 && (often || (device->count > 1 && length_ms < SURE_MS)))
        device->close = often ? rounds->close : device->count;
}

static void split_device(struct mls_telemetry_file *file, size_t at)
{
    mls_log_device *device = &file->devices[at];
    mls_rounds rounds;
    find_rounds(device, &rounds);
    const size_t size = rounds.size;
    if (size == 1 || file->count + size > MLS_DEVICES_MAX) {
        drop_unreadable(device);
        return;
    }
    uint16_t *labels = mls_malloc((device->count + 1) * sizeof *labels);
    size_t *counts = mls_calloc(size + 1, sizeof *counts);
    label_rows(device, size, rounds.apart_ms, labels);
    sort_labelled(device, labels, size, counts);

    const bool some = counts[size] < device->count;
    if (some) {
        const size_t strays = counts[size];
        counts[size] = 0;
        for (size_t i = device->count - strays; i < device->count; i++)
            counts[size] += isnan(device->rows[i].time_ms) ? 0 : 1;
        make_parts(file, at, size, counts);
    } else {
        device->close = device->count;
        drop_unreadable(device);
    }
    free(labels);
    free(counts);
}

void mls_devices_split(struct mls_telemetry_file *file)
{
    const size_t count = file->count;
    for (size_t i = 0; i < count; i++)
        if (file->devices[i].unnamed && file->devices[i].timed)
            split_device(file, i);
}
