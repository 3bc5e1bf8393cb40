/* SPDX-License-Identifier: Apache-2.0 */
/* profile_report.c - profiles for programs: JSON, NDJSON and CSV. */
#include <math.h>

#include "report/reports.h"

#define CLASS_FIELDS(F)                                                                                                \
    F(class, class, TEXT, "", row->name)                                                                               \
    F(class, launches, NUMBER, "", row->count)                                                                         \
    F(class, total_ms, NUMBER, "ms", row->total_ms)                                                                    \
    F(class, share_of_activity, NUMBER_OR_NULL, "", row->share)
MLS_FIELDS(class, mls_profile_row, CLASS_FIELDS)
#define KERNEL_FIELDS(F)                                                                                               \
    F(kernel, name, TEXT, "", row->name)                                                                               \
    F(kernel, class, TEXT, "", row->class_name)                                                                        \
    F(kernel, launches, NUMBER, "", row->count)                                                                        \
    F(kernel, total_ms, NUMBER, "ms", row->total_ms)                                                                   \
    F(kernel, min_us, NUMBER_OR_NULL, "us", row->min_us)                                                               \
    F(kernel, max_us, NUMBER_OR_NULL, "us", row->max_us)                                                               \
    F(kernel, share_of_kernels, NUMBER_OR_NULL, "", row->share)
MLS_FIELDS(kernel, mls_profile_row, KERNEL_FIELDS)
#define COPY_FIELDS(F)                                                                                                 \
    F(copy, operation, TEXT, "", row->name)                                                                            \
    F(copy, count, NUMBER, "", row->count)                                                                             \
    F(copy, total_ms, NUMBER, "ms", row->total_ms)                                                                     \
    F(copy, megabytes, NUMBER_OR_NULL, "", row->megabytes)
MLS_FIELDS(copy, mls_profile_row, COPY_FIELDS)
#define CALL_FIELDS(F)                                                                                                 \
    F(call, name, TEXT, "", row->name)                                                                                 \
    F(call, calls, NUMBER, "", row->count)                                                                             \
    F(call, total_ms, NUMBER, "ms", row->total_ms)
MLS_FIELDS(call, mls_profile_row, CALL_FIELDS)
#define STREAM_FIELDS(F)                                                                                               \
    F(stream, stream, TEXT, "", row->stream)                                                                           \
    F(stream, activities, NUMBER, "", row->activities)                                                                 \
    F(stream, busy_ms, NUMBER, "ms", row->busy_ms)
MLS_FIELDS(stream, mls_profile_stream, STREAM_FIELDS)
#define DEVICE_FIELDS(F)                                                                                               \
    F(device, device, TEXT, "", row->device)                                                                           \
    F(device, activities, NUMBER, "", row->activities)                                                                 \
    F(device, window_ms, NUMBER, "ms", row->window_ms)                                                                 \
    F(device, busy_ms, NUMBER, "ms", row->busy_ms)                                                                     \
    F(device, idle_ms, NUMBER, "ms", row->idle_ms)                                                                     \
    F(device, compute_ms, NUMBER, "ms", row->compute_ms)                                                               \
    F(device, communication_ms, NUMBER, "ms", row->communication_ms)                                                   \
    F(device, exposed_communication_ms, NUMBER, "ms", row->exposed_communication_ms)                                   \
    F(device, copy_ms, NUMBER, "ms", row->copy_ms)                                                                     \
    F(device, exposed_copy_ms, NUMBER, "ms", row->exposed_copy_ms)                                                     \
    F(device, overlap, NUMBER_OR_NULL, "", row->overlap)                                                               \
    F(device, streams, ARRAY, "", MLS_EMIT_ROWS(stream, row->streams, row->stream_count))
MLS_FIELDS(device, mls_profile_device, DEVICE_FIELDS)
#define COUNTER_FIELDS(F)                                                                                              \
    F(counter, name, TEXT, "", row->name)                                                                              \
    F(counter, class, TEXT, "", row->class_name)                                                                       \
    F(counter, launches, NUMBER, "", row->launches)                                                                    \
    F(counter, duration_ms, NUMBER_OR_NULL, "ms", row->duration_ms)                                                    \
    F(counter, compute_percent, NUMBER, "", row->compute_percent)                                                      \
    F(counter, memory_percent, NUMBER, "", row->memory_percent)                                                        \
    F(counter, dram_percent, NUMBER_OR_NULL, "", row->dram_percent)                                                    \
    F(counter, bound, TEXT, "", mls_profile_bound_name(row->bound))                                                    \
    F(counter, near_peak, BOOL, "", row->near_peak)
MLS_FIELDS(counter, mls_profile_counter, COUNTER_FIELDS)

#define BOUND_FIELDS(F)                                                                                                \
    F(bound, bound, TEXT, "", mls_profile_bound_name(row->bound))                                                      \
    F(bound, launches, NUMBER, "", row->launches)                                                                      \
    F(bound, share, NUMBER_OR_NULL, "", row->share)
MLS_FIELDS(bound, mls_profile_bounded, BOUND_FIELDS)
#define STEPS_FIELDS(F)                                                                                                \
    F(steps, count, NUMBER, "", row->steps.count)                                                                      \
    F(steps, mean_ms, NUMBER, "ms", row->steps.mean_ms)                                                                \
    F(steps, min_ms, NUMBER, "ms", row->steps.min_ms)                                                                  \
    F(steps, max_ms, NUMBER, "ms", row->steps.max_ms)
MLS_FIELDS(steps, mls_profile, STEPS_FIELDS)
#define PLACE_FIELDS(F)                                                                                                \
    F(place, file, TEXT, "", row->run.file)                                                                            \
    F(place, offset_minutes, NUMBER_OR_NULL, "minutes", row->run.known ? row->run.offset_minutes : (double)NAN)        \
    F(place, inside, BOOL_OR_NULL, "", row->run.known ? mls_emit_bool(to, row->run.inside) : mls_emit_null(to))
MLS_FIELDS(place, mls_profile, PLACE_FIELDS)
#define VERDICT_FIELDS(F)                                                                                              \
    F(verdict, code, TEXT, "", row->code)                                                                              \
    F(verdict, message, TEXT, "", row->message)
MLS_FIELDS(verdict, mls_profile_verdict, VERDICT_FIELDS)

/* The rows of a list, or null where the input does not tell of such things. */
#define EMIT_TOLD(told, kind, items, count)                                                                            \
    do {                                                                                                               \
        if (told) {                                                                                                    \
            MLS_EMIT_ROWS(kind, items, count);                                                                         \
        } else {                                                                                                       \
            mls_emit_null(to);                                                                                         \
        }                                                                                                              \
    } while (0)
#define EMIT_CALLS(rows) EMIT_TOLD((rows).told, call, (rows).items, (rows).count)

static void emit_place(mls_emitter *to, const mls_profile *profile)
{
    if (profile->run.file != NULL) {
        mls_emit_object(to, &place_fields, profile);
    }
}

static void emit_profile_findings(mls_emitter *to, const mls_profile *profile)
{
    mls_found found = {0};
    mls_found_add(&found, &profile->findings, (mls_owner){.path = profile->file}, NULL);
    mls_emit_found(to, found);
}

#define PROFILE_FIELDS(F)                                                                                              \
    F(profile, file, TEXT, "", row->file)                                                                              \
    F(profile, kind, TEXT, "", mls_profile_kind_name(row->kind))                                                       \
    F(profile, complete, BOOL, "", row->complete)                                                                      \
    F(profile, start_ms, NUMBER_OR_NULL, "ms", row->start_ms)                                                          \
    F(profile, kernels, NUMBER, "", row->kernels)                                                                      \
    F(profile, kernel_ms, NUMBER, "ms", row->kernel_ms)                                                                \
    F(profile, activity_ms, NUMBER, "ms", row->activity_ms)                                                            \
    F(profile, classes, ARRAY, "", MLS_EMIT_ROWS(class, row->classes.items, row->classes.count))                       \
    F(profile, names, ARRAY, "", MLS_EMIT_ROWS(kernel, row->names.items, mls_profile_top(row, row->names.count)))      \
    F(profile, copies, ARRAY, "", MLS_EMIT_ROWS(copy, row->copies.items, row->copies.count))                           \
    F(profile, devices, ARRAY_OR_NULL, "", EMIT_TOLD(row->has_devices, device, row->devices, row->device_count))       \
    F(profile, api, ARRAY_OR_NULL, "", EMIT_CALLS(row->api))                                                           \
    F(profile, ranges, ARRAY_OR_NULL, "", EMIT_CALLS(row->ranges))                                                     \
    F(profile, osrt, ARRAY_OR_NULL, "", EMIT_CALLS(row->osrt))                                                         \
    F(profile, steps, OBJECT_OR_NULL, "", mls_emit_object(to, &steps_fields, row->steps.count > 0 ? row : NULL))       \
    F(profile, counters, ARRAY_OR_NULL, "", EMIT_TOLD(row->has_counters, counter, row->counters, row->counter_count))  \
    F(profile, bounds, ARRAY_OR_NULL, "", EMIT_TOLD(row->has_counters, bound, row->bounds, row->bound_count))          \
    F(profile, run, OBJECT, "", emit_place(to, row))                                                                   \
    F(profile, verdicts, ARRAY, "", MLS_EMIT_ROWS(verdict, row->verdicts, row->verdict_count))                         \
    F(profile, findings, ARRAY, "", emit_profile_findings(to, row))
MLS_FIELDS(profile, mls_profile, PROFILE_FIELDS)

#define CHANGE_FIELDS(F)                                                                                               \
    F(change, class, TEXT, "", row->name)                                                                              \
    F(change, before, NUMBER, "", row->before)                                                                         \
    F(change, after, NUMBER, "", row->after)                                                                           \
    F(change, change, NUMBER, "", row->after - row->before)
MLS_FIELDS(change, mls_profile_change, CHANGE_FIELDS)
#define AGAINST_FIELDS(F)                                                                                              \
    F(against, file, TEXT, "", row->base->file)                                                                        \
    F(against, unit, TEXT, "", row->changes->per_step ? "ms_per_step" : "share")                                       \
    F(against, classes, ARRAY, "", MLS_EMIT_ROWS(change, row->changes->items, row->changes->count))
MLS_FIELDS(against, mls_profiles, AGAINST_FIELDS)

static void emit_against(mls_emitter *to, const mls_profiles *all)
{
    if (all->changes != NULL) {
        mls_emit_object(to, &against_fields, all);
    }
}

#define PROFILES_FIELDS(F)                                                                                             \
    F(profiles, profiles, ARRAY, "",                                                                                   \
      MLS_EMIT_LIST(to, row->count, mls_emit_object(to, &profile_fields, row->items[i])))                              \
    F(profiles, against, OBJECT, "", emit_against(to, row))
MLS_FIELDS(profiles, mls_profiles, PROFILES_FIELDS)

static const mls_fields *const tables[] = {&profiles_fields, &profile_fields, &class_fields,  &kernel_fields,
                                           &copy_fields,     &device_fields,  &stream_fields, &call_fields,
                                           &steps_fields,    &counter_fields, &bound_fields,  &place_fields,
                                           &verdict_fields,  &against_fields, &change_fields, NULL};

/* A line for each profile, and one for what changed. */
static void profile_lines(mls_emitter *to, const void *what)
{
    const mls_profiles *all = what;
    for (size_t i = 0; i < all->count; i++) {
        mls_emit_object(to, &profile_fields, all->items[i]);
        mls_emit_end(to);
    }
    if (all->changes != NULL) {
        mls_emit_object(to, &against_fields, all);
        mls_emit_end(to);
    }
}

static const mls_columns class_columns = {
    "PROFILE CSV", "file kind class launches total_ms share_of_activity", {&profile_fields, &class_fields}, 0};
/* Counters of a kernel beside its sums, in cells. */
#define COUNTED_PERCENT(member) (row->counter != NULL ? row->counter->member : (double)NAN)
#define COUNTED_FIELDS(F)                                                                                              \
    F(counted, compute_percent, NUMBER_OR_NULL, "", COUNTED_PERCENT(compute_percent))                                  \
    F(counted, memory_percent, NUMBER_OR_NULL, "", COUNTED_PERCENT(memory_percent))                                    \
    F(counted, dram_percent, NUMBER_OR_NULL, "", COUNTED_PERCENT(dram_percent))                                        \
    F(counted, bound, TEXT_OR_NULL, "", row->counter != NULL ? mls_profile_bound_name(row->counter->bound) : NULL)     \
    F(counted, near_peak, BOOL_OR_NULL, "",                                                                            \
      row->counter != NULL ? mls_emit_bool(to, row->counter->near_peak) : mls_emit_null(to))
MLS_FIELDS(counted, mls_profile_row, COUNTED_FIELDS)
static const mls_columns kernel_columns = {"PROFILE BY NAME CSV",
                                           "file kind name class launches total_ms min_us max_us share_of_kernels "
                                           "compute_percent memory_percent dram_percent bound near_peak",
                                           {&profile_fields, &kernel_fields, &counted_fields},
                                           0};
static const mls_columns stream_columns = {"PROFILE BY STREAM CSV",
                                           "file kind device stream activities busy_ms",
                                           {&profile_fields, &stream_fields, &device_fields},
                                           0};
static const mls_columns device_columns = {"PROFILE BY DEVICE CSV",
                                           "file kind device activities window_ms busy_ms idle_ms compute_ms "
                                           "communication_ms exposed_communication_ms copy_ms "
                                           "exposed_copy_ms overlap",
                                           {&profile_fields, &device_fields},
                                           0};
#define COMPARED_FIELDS(F)                                                                                             \
    F(compared, against, TEXT, "", row->base->file)                                                                    \
    F(compared, unit, TEXT, "", row->changes->per_step ? "ms_per_step" : "share")
MLS_FIELDS(compared, mls_profiles, COMPARED_FIELDS)
static const mls_columns change_columns = {"PROFILE AGAINST CSV",
                                           "file against unit class before after change",
                                           {&profile_fields, &compared_fields, &change_fields},
                                           0};

/* A row of cells: of the profile, and of what it lists. */
static void emit_cells(mls_emitter *to, const mls_columns *columns, const mls_profile *profile, const void *row,
                       const void *beside)
{
    mls_emit_row(to, columns, (const void *[MLS_SOURCES_MAX]){profile, row, beside});
}

static void change_rows(mls_emitter *to, const void *what)
{
    const mls_profiles *all = what;
    for (size_t i = 0; all->changes != NULL && i < all->changes->count; i++) {
        emit_cells(to, &change_columns, all->items[0], all, &all->changes->items[i]);
    }
}

static void class_rows(mls_emitter *to, const void *what)
{
    const mls_profiles *all = what;
    for (size_t i = 0; i < all->count; i++) {
        const mls_profile *profile = all->items[i];
        for (size_t k = 0; k < profile->classes.count; k++) {
            emit_cells(to, &class_columns, profile, &profile->classes.items[k], NULL);
        }
    }
}

static void kernel_rows(mls_emitter *to, const void *what)
{
    const mls_profiles *all = what;
    for (size_t i = 0; i < all->count; i++) {
        const mls_profile *profile = all->items[i];
        for (size_t k = 0; k < mls_profile_top(profile, profile->names.count); k++) {
            const mls_profile_row *row = &profile->names.items[k];
            emit_cells(to, &kernel_columns, profile, row, row);
        }
    }
}

static void line_rows(mls_emitter *to, const void *what)
{
    const mls_profiles *all = what;
    for (size_t i = 0; i < all->count; i++) {
        for (size_t d = 0; d < all->items[i]->device_count; d++) {
            const mls_profile_device *device = &all->items[i]->devices[d];
            if (all->by == MLS_PROFILE_BY_DEVICE) {
                emit_cells(to, &device_columns, all->items[i], device, NULL);
                continue;
            }
            for (size_t k = 0; k < device->stream_count; k++) {
                emit_cells(to, &stream_columns, all->items[i], &device->streams[k], device);
            }
        }
    }
}

#define PROFILE_REPORT(told, table, fill)                                                                              \
    {                                                                                                                  \
        .section = "PROFILE JSON", .show = mls_profiles_show, .object = &profiles_fields, .tables = (told),                \
        .lines = profile_lines, .columns = &(table), .rows = (fill)                                                    \
    }
const mls_report mls_profile_reports[MLS_PROFILE_BY_COUNT] = {
    [MLS_PROFILE_BY_CLASS] = PROFILE_REPORT(tables, class_columns, class_rows),
    [MLS_PROFILE_BY_NAME] = PROFILE_REPORT(NULL, kernel_columns, kernel_rows),
    [MLS_PROFILE_BY_STREAM] = PROFILE_REPORT(NULL, stream_columns, line_rows),
    [MLS_PROFILE_BY_DEVICE] = PROFILE_REPORT(NULL, device_columns, line_rows),
    [MLS_PROFILE_BY_CHANGE] = PROFILE_REPORT(NULL, change_columns, change_rows),
};
