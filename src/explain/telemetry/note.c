/* SPDX-License-Identifier: Apache-2.0 */
/* note.c - the telemetry line of a group, from measurement logs next to the logs of its runs. */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/words.h"
#include "explain/telemetry/files.h"

/* Rows are kept from this many milliseconds before the first run to this many after the last one.  It is longer than
 * any gap. */
#define AROUND_MS 600000.0

/* Sums over the windows of a group's runs. */
typedef struct group_note {
    /* Number of devices; of runs; of runs that were measured; of runs that were slowed down. */
    size_t devices, runs, measured, throttled;
    double coverage, energy, power; /* sums over the measured runs; energy and power over the `powered` runs */
    size_t powered;
    mls_device_words straggler; /* name of the first straggler; "": none */
    mls_buffer worst;           /* message of the worst finding about a device; empty: none */
    size_t rank;                /* position of that finding's code in `worst_first`, from 1 */
} group_note;

/* Findings about the machine, the worst first. */
static const mls_finding_code worst_first[] = {
    MLS_FINDING_DEVICE_LOST,   MLS_FINDING_ECC_UNCORRECTED, MLS_FINDING_THROTTLED,    MLS_FINDING_STRAGGLER,
    MLS_FINDING_UNUSED_DEVICE, MLS_FINDING_POWER_CAP,       MLS_FINDING_ECC_CORRECTED};

static void add_window(group_note *note, const mls_telemetry_window *window)
{
    const mls_telemetry_device *slowest = window->devices;
    double min = 1; /* the coverage of a run is that of its least covered device */
    for (size_t i = 0; i < window->device_count; i++) {
        min = fmin(min, window->devices[i].together);
        slowest = window->devices[i].slowed > slowest->slowed ? &window->devices[i] : slowest;
    }
    const bool heat = fmax(slowest->reasons[MLS_REASON_SW_THERMAL_SLOWDOWN],
                           slowest->reasons[MLS_REASON_HW_THERMAL_SLOWDOWN]) >= slowest->slowed;
    note->devices = window->different;
    note->runs++;
    note->coverage += min;
    note->measured += min > 0;
    note->throttled += mls_findings_found(&window->findings, MLS_FINDING_THROTTLED) > 0;
    if (!isnan(window->energy_joules)) {
        note->energy += window->energy_joules;
        note->power += window->mean_power_w;
        note->powered++;
    }
    /* An outlier is a straggler only if the other devices wait for it: not if it is hotter, or waits itself. */
    for (size_t i = 0; i < window->outlier_count && note->straggler.text[0] == '\0'; i++)
        if (window->outliers[i].straggles)
            note->straggler = mls_device_called(window->outliers[i].device);
    for (size_t rank = 1; rank <= sizeof worst_first / sizeof *worst_first; rank++) {
        for (size_t i = 0; i < window->findings.count && (note->rank == 0 || rank < note->rank); i++) {
            const mls_finding *finding = &window->findings.items[i];
            if (finding->code == worst_first[rank - 1]) {
                note->rank = rank;
                mls_buffer_clear(&note->worst);
                mls_buffer_printf(&note->worst, "%s%s", finding->message,
                                  finding->code == MLS_FINDING_THROTTLED && heat ? " (heat)" : "");
            }
        }
    }
}

bool mls_telemetry_measures(const mls_source *source)
{
    mls_telemetry_options options = mls_telemetry_defaults();
    struct mls_telemetry_file file = {.source = {.path = source->path}};
    if (source->failed || mls_log_stem(source->path).ptr == NULL)
        return false;
    options.threads = 1;
    mls_telemetry_file_read(&file, &options);
    const bool measures = file.status == MLS_OK && file.skip == NULL;
    mls_telemetry_file_release(&file);
    return measures;
}

static void note_group(const mls_telemetry *telemetry, const mls_telemetry_options *options, const mls_group *group,
                       mls_telemetry_note *to)
{
    group_note note = {0};
    const mls_str path = mls_str_from(group->path);
    mls_str folder = strcmp(group->path, group->runs[0]->file) == 0 ? mls_path_folder(path) : path;
    folder.len -= mls_str_ends(folder, MLS_S("/"));
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_run *run = group->runs[i];
        const mls_telemetry_run when = {run->file, run->line, run->run_start.time_ms, run->run_stop.time_ms};
        mls_telemetry_window window = {0};
        if (when.stop_ms > when.start_ms)
            mls_telemetry_window_make(telemetry->sources, telemetry->source_count, folder, &when, options, &window);
        if (window.device_count > 0)
            add_window(&note, &window);
        mls_telemetry_window_release(&window);
    }
    if (note.runs == 0)
        return;
    mls_buffer line = {0};
    mls_buffer_printf(&line, "telemetry: %s", mls_words_plural(note.devices, "device", "devices").text);
    if (note.measured > 0)
        mls_buffer_printf(&line, " · %s measured", mls_words_percent(note.coverage / (double)note.runs, 0).text);
    else
        mls_buffer_append_text(&line, ", not measured during the runs (wrong clock or time zone?)");
    if (note.measured > 0 && note.powered > 0) {
        const double count = (double)note.powered;
        mls_buffer_printf(&line, " · %s%s, %s", mls_words_quantity(note.energy / count, "J").text,
                          note.powered > 1 ? " a run" : "", mls_words_quantity(note.power / count, "W").text);
    }
    if (note.measured > 0 && note.straggler.text[0] != '\0')
        mls_buffer_printf(&line, " · straggler: %s", note.straggler.text);
    if (note.measured > 0 && note.throttled > 0)
        mls_buffer_printf(&line, " · throttled in %zu of %zu runs", note.throttled, note.runs);
    to->line = mls_buffer_detach(&line);
    to->machine = note.rank > 0 ? mls_buffer_detach(&note.worst) : NULL;
    mls_buffer_release(&note.worst);
}

mls_status mls_telemetry_note_groups(const mls_collection *collection, unsigned threads, mls_telemetry_notes *notes)
{
    mls_telemetry telemetry = {0};
    mls_telemetry_options options = mls_telemetry_defaults();
    options.threads = threads;
    *notes = (mls_telemetry_notes){.groups = collection->groups};
    /* Keep only rows near the runs: a log may cover weeks. */
    for (size_t i = 0; i < collection->group_count; i++) {
        const mls_group *group = &collection->groups[i];
        for (size_t k = 0; k < group->run_count && !group->result_folder; k++) {
            const double start_ms = group->runs[k]->run_start.time_ms;
            const double stop_ms = group->runs[k]->run_stop.time_ms;
            if (stop_ms > start_ms) {
                options.from_ms = fmin(options.from_ms, start_ms - AROUND_MS);
                options.until_ms = fmax(options.until_ms, stop_ms + AROUND_MS);
            }
        }
    }
    if (isnan(options.from_ms))
        return MLS_OK;
    /* Logs without records may contain measurements if their names end like those of measurement logs. */
    for (size_t i = 0; i < collection->skipped.count; i++) {
        const mls_source *source = &collection->skipped.items[i];
        if (mls_log_stem(source->path).ptr != NULL && !source->failed) {
            MLS_GROW(&telemetry.skipped, items);
            telemetry.skipped.items[telemetry.skipped.count++] = (mls_source){.path = mls_strdup(source->path)};
        }
    }
    const mls_status status = mls_telemetry_open(&telemetry, &options, NULL);
    if (telemetry.source_count > 0 && status == MLS_OK) {
        notes->items = mls_calloc(collection->group_count, sizeof *notes->items);
        notes->count = collection->group_count;
    }
    for (size_t i = 0; i < notes->count; i++)
        if (!collection->groups[i].result_folder)
            note_group(&telemetry, &options, &collection->groups[i], &notes->items[i]);
    mls_telemetry_release(&telemetry);
    return status;
}

void mls_telemetry_notes_release(mls_telemetry_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++) {
        free(notes->items[i].line);
        free(notes->items[i].machine);
    }
    free(notes->items);
    *notes = (mls_telemetry_notes){0};
}

mls_telemetry_note mls_telemetry_note_of(const mls_telemetry_notes *notes, const mls_group *group)
{
    return notes != NULL && notes->count > 0 ? notes->items[group - notes->groups] : (mls_telemetry_note){NULL, NULL};
}
