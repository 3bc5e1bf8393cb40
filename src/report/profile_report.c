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
    F(device, streams, LIST(stream), "", MLS_ROWS(row->streams, row->stream_count))
MLS_FIELDS(device, mls_profile_device, DEVICE_FIELDS)
#define COUNTER_FIELDS(F)                                                                                              \
    F(counter, name, TEXT, "", row->name)                                                                              \
    F(counter, class, TEXT, "", row->class_name)                                                                       \
    F(counter, launches, NUMBER, "", row->launches)                                                                    \
    F(counter, duration_ms, NUMBER_OR_NULL, "ms", row->duration_ms)                                                    \
    F(counter, compute_percent, NUMBER, "", row->compute_percent)                                                      \
    F(counter, memory_percent, NUMBER, "", row->memory_percent)                                                        \
    F(counter, dram_percent, NUMBER_OR_NULL, "", row->dram_percent)                                                    \
    F(counter, bound, TEXT, "", mls_profile_bound_names[row->bound])                                                   \
    F(counter, near_peak, BOOL, "", row->near_peak)
MLS_FIELDS(counter, mls_profile_counter, COUNTER_FIELDS)

#define BOUND_FIELDS(F)                                                                                                \
    F(bound, bound, TEXT, "", mls_profile_bound_names[row->bound])                                                     \
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
    F(place, offset_minutes, NUMBER_IF(row->run.known), "minutes", row->run.offset_minutes)                            \
    F(place, inside, BOOL_IF(row->run.known), "", row->run.inside)
MLS_FIELDS(place, mls_profile, PLACE_FIELDS)
#define VERDICT_FIELDS(F)                                                                                              \
    F(verdict, code, TEXT, "", row->code)                                                                              \
    F(verdict, message, TEXT, "", row->message)
MLS_FIELDS(verdict, mls_profile_verdict, VERDICT_FIELDS)

#define PROFILE_FIELDS(F)                                                                                              \
    F(profile, file, TEXT, "", row->file)                                                                              \
    F(profile, kind, TEXT, "", mls_profile_kinds[row->kind].name)                                                      \
    F(profile, complete, BOOL, "", row->complete)                                                                      \
    F(profile, start_ms, NUMBER_OR_NULL, "ms", row->start_ms)                                                          \
    F(profile, kernels, NUMBER, "", row->kernels)                                                                      \
    F(profile, kernel_ms, NUMBER, "ms", row->kernel_ms)                                                                \
    F(profile, activity_ms, NUMBER, "ms", row->activity_ms)                                                            \
    F(profile, classes, LIST(class), "", MLS_ROWS(row->classes.items, row->classes.count))                             \
    F(profile, names, LIST(kernel), "", MLS_ROWS(row->names.items, mls_profile_top(row, row->names.count)))            \
    F(profile, copies, LIST(copy), "", MLS_ROWS(row->copies.items, row->copies.count))                                 \
    F(profile, devices, LIST_IF(device, row->has_devices), "", MLS_ROWS(row->devices, row->device_count))              \
    F(profile, api, LIST_IF(call, row->api.known), "", MLS_ROWS(row->api.items, row->api.count))                       \
    F(profile, ranges, LIST_IF(call, row->ranges.known), "", MLS_ROWS(row->ranges.items, row->ranges.count))           \
    F(profile, osrt, LIST_IF(call, row->osrt.known), "", MLS_ROWS(row->osrt.items, row->osrt.count))                   \
    F(profile, steps, OBJECT_OR_NULL(steps), "", row->steps.count > 0 ? row : NULL)                                    \
    F(profile, counters, LIST_IF(counter, row->has_counters), "", MLS_ROWS(row->counters, row->counter_count))         \
    F(profile, bounds, LIST_IF(bound, row->has_counters), "", MLS_ROWS(row->bounds, row->bound_count))                 \
    F(profile, run, OBJECT_OF(place), "", row->run.file != NULL ? row : NULL)                                          \
    F(profile, verdicts, LIST(verdict), "", MLS_ROWS(row->verdicts, row->verdict_count))                               \
    F(profile, findings, FINDINGS, "", mls_found_add(&found, &row->findings, (mls_owner){.path = row->file}, NULL))
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
    F(against, classes, LIST(change), "", MLS_ROWS(row->changes->items, row->changes->count))
MLS_FIELDS(against, mls_profiles, AGAINST_FIELDS)

#define PROFILES_FIELDS(F)                                                                                             \
    F(profiles, profiles, LIST(profile), "", MLS_ROWS_AT(row->items, row->count))                                      \
    F(profiles, against, OBJECT_OF(against), "", row->changes != NULL ? row : NULL)
MLS_FIELDS(profiles, mls_profiles, PROFILES_FIELDS)

/* Counters of a kernel beside its sums, in cells. */
#define COUNTED_FIELDS(F) F(counted, counter, OBJECT_OR_NULL(counter), "", row->counter)
MLS_FIELDS_BESIDE(counted, kernel, COUNTED_FIELDS)
#define COMPARED_FIELDS(F)                                                                                             \
    F(compared, file, TEXT, "", row->items[0]->file)                                                                   \
    F(compared, against, TEXT, "", row->base->file)
MLS_FIELDS_BESIDE(compared, profiles, COMPARED_FIELDS)
#define PROFILE_REPORT(...)                                                                                            \
    {                                                                                                                  \
        .section = "PROFILE JSON", .show = mls_profiles_show, .object = &profiles_fields, .lines = "profiles against", \
        .columns = {                                                                                                   \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
const mls_report mls_profile_reports[MLS_PROFILE_BY_COUNT] = {
    [MLS_PROFILE_BY_CLASS] =
        PROFILE_REPORT(.section = "PROFILE CSV", .names = "file kind class launches total_ms share_of_activity",
                       .rows = "profiles classes", .sources = {&profile_fields, &class_fields}),
    [MLS_PROFILE_BY_NAME] = PROFILE_REPORT(
            .section = "PROFILE BY NAME CSV",
            .names =
                "file kind name class launches total_ms min_us max_us share_of_kernels compute_percent memory_percent "
                "dram_percent bound near_peak",
            .rows = "profiles names counter",
            .sources = {&profile_fields, &kernel_fields, &counted_fields, &counter_fields}),
    [MLS_PROFILE_BY_STREAM] =
        PROFILE_REPORT(.section = "PROFILE BY STREAM CSV", .names = "file kind device stream activities busy_ms",
                       .rows = "profiles devices streams",
                       .sources = {&profile_fields, &stream_fields, &device_fields}),
    [MLS_PROFILE_BY_DEVICE] =
        PROFILE_REPORT(.section = "PROFILE BY DEVICE CSV",
                       .names = "file kind device activities window_ms busy_ms idle_ms compute_ms communication_ms "
                                "exposed_communication_ms copy_ms exposed_copy_ms overlap",
                       .rows = "profiles devices", .sources = {&profile_fields, &device_fields}),
    [MLS_PROFILE_BY_CHANGE] =
        PROFILE_REPORT(.section = "PROFILE AGAINST CSV", .names = "file against unit class before after change",
                       .rows = "against classes", .sources = {&compared_fields, &against_fields, &change_fields}),
};
