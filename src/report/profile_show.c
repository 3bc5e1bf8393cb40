/* SPDX-License-Identifier: Apache-2.0 */
/* profile_show.c - profiles for people: where the time of GPUs went, and what to try. */
#include <inttypes.h>
#include <math.h>

#include "base/utf8.h"
#include "report/reports.h"
#include "report/table.h"

enum {
    INDENT = 2,
    HANG = 4,
    NAME_SHOWN = 48,
    FINDINGS_SHOWN = 10,
    RIGHT = MLS_COLUMN_RIGHT,
    DECIMAL = MLS_COLUMN_DECIMAL
};

/* A trace may not say which device an activity is of. */
static mls_str device_shown(const mls_profile_device *device)
{
    return device->device.len > 0 ? device->device : MLS_S("?");
}

static void show_device_line(mls_view *view, const mls_profile_device *device, bool alone)
{
    mls_buffer line = {0};
    const double window = device->window_ms;
    if (!alone) {
        mls_buffer_append_text(&line, "device ");
        mls_buffer_append(&line, device_shown(device));
        mls_buffer_printf(&line, ": %s ms · ", mls_words_grouped(window, 1).text);
    }
    mls_buffer_printf(&line, "busy %s · computing %s · exposed communication %s · exposed copies %s · idle %s",
                      mls_words_percent(mls_profile_share(device->busy_ms, window), 1).text,
                      mls_words_percent(mls_profile_share(device->compute_ms, window), 1).text,
                      mls_words_percent(mls_profile_share(device->exposed_communication_ms, window), 1).text,
                      mls_words_percent(mls_profile_share(device->exposed_copy_ms, window), 1).text,
                      mls_words_percent(mls_profile_share(device->idle_ms, window), 1).text);
    mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
}

static void show_bounds(mls_view *view, const mls_profile *profile)
{
    mls_buffer line = {0};
    for (size_t i = 0; i < profile->bound_count; i++) {
        mls_buffer_printf(
            &line, "%s%s %s of the %s", i > 0 ? " · " : "bound by ", mls_profile_bound_names[profile->bounds[i].bound],
            mls_words_percent(profile->bounds[i].share, 1).text, profile->bounds_by_time ? "time" : "launches");
    }
    if (line.len > 0 || line.failed) {
        mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
    }
}

static void show_run(mls_view *view, const mls_profile *profile)
{
    if (profile->run.known) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "%s min after run_start of %s%s",
                        mls_words_grouped(profile->run.offset_minutes, 2).text, profile->run.file,
                        profile->run.inside ? ", all of it inside of the run" : ", not all of it inside of the run");
    } else if (profile->run.file != NULL) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "where in %s it lies cannot be told: %s",
                        profile->run.file,
                        isfinite(profile->start_ms) ? "there is no run with a run_start"
                                                    : "the profile does not tell the time of day");
    }
}

static void show_head(mls_view *view, const mls_profile *profile)
{
    mls_buffer rest = {0};
    mls_buffer_printf(&rest, "   %s", mls_profile_kinds[profile->kind].words);
    if (profile->steps.count > 0) {
        mls_buffer_printf(&rest, "   %s, %s ms each",
                          mls_words_plural((size_t)profile->steps.count, "step", "steps").text,
                          mls_words_grouped(profile->steps.mean_ms, 1).text);
    }
    if (profile->device_count == 1) {
        mls_buffer_append_text(&rest, "   device ");
        mls_buffer_append(&rest, device_shown(&profile->devices[0]));
        mls_buffer_printf(&rest, ": %s ms", mls_words_grouped(profile->devices[0].window_ms, 1).text);
    } else if (profile->device_count > 1) {
        mls_buffer_printf(&rest, "   %zu devices", profile->device_count);
    }
    mls_buffer_append_text(&rest, profile->complete ? "" : "   not complete");
    mls_view_headline(view, mls_str_from(mls_path_shown(profile->file)), &rest, HANG);
    for (size_t i = 0; i < profile->device_count; i++) {
        show_device_line(view, &profile->devices[i], profile->device_count == 1);
    }
    show_bounds(view, profile);
    show_run(view, profile);
}

/* ------------------------------------------------------------------- tables */

static void profile_cell(mls_table *table, const char *header, double number, int decimals)
{
    mls_table_cell(table, header, decimals > 0 ? DECIMAL : RIGHT, isfinite(number) ? MLS_STYLE_PLAIN : MLS_STYLE_DIM,
                   "%s", mls_words_grouped(number, decimals).text);
}

static void name_cell(mls_table *table, const char *header, mls_str name)
{
    mls_buffer shown = {0};
    mls_utf8_append_cut(&shown, name, NAME_SHOWN);
    table->failed |= shown.failed;
    mls_table_text(table, header, MLS_COLUMN_KEEP | MLS_COLUMN_CUT, shown.ptr != NULL ? shown.ptr : "");
    mls_buffer_release(&shown);
}

/* `kernels`: with what is known of them only. */
static void add_profile_row(mls_table *table, const char *header, const char *counted_as, const mls_profile_row *row,
                            bool kernels)
{
    const mls_profile_counter *counter = row->counter;
    mls_table_row(table);
    name_cell(table, header, row->name);
    if (kernels) {
        mls_table_text(table, "class", MLS_COLUMN_LEFT, row->class_name);
    }
    profile_cell(table, counted_as, (double)row->count, 0);
    profile_cell(table, "ms", row->total_ms, 3);
    if (isfinite(row->share)) {
        mls_table_words(table, "share", DECIMAL, mls_words_percent(row->share, 1));
    }
    if (counter != NULL) {
        profile_cell(table, "compute %", counter->compute_percent, 1);
        profile_cell(table, "memory %", counter->memory_percent, 1);
        profile_cell(table, "DRAM %", counter->dram_percent, 1);
        mls_table_cell(table, "bound", MLS_COLUMN_LEFT, MLS_STYLE_PLAIN, "%s%s",
                       mls_profile_bound_names[counter->bound], counter->near_peak ? ", near peak" : "");
    } else if (kernels) {
        profile_cell(table, "min µs", row->min_us, 1);
        profile_cell(table, "max µs", row->max_us, 1);
    }
    if (isfinite(row->megabytes)) {
        profile_cell(table, "MB", row->megabytes, 3);
    }
}

static void show_rows(mls_view *view, const char *header, const char *counted_as, const mls_profile_rows *rows,
                      size_t shown, bool kernels)
{
    mls_table table = {.indent = INDENT};
    for (size_t i = 0; i < shown; i++) {
        add_profile_row(&table, header, counted_as, &rows->items[i], kernels);
    }
    mls_table_finish(&table, view);
    mls_view_more(view, MLS_STYLE_DIM, INDENT, rows->count - shown, NULL, "--top 0 lists all");
}

static void show_lines(mls_view *view, const mls_profile *profile, bool streams)
{
    mls_table table = {.indent = INDENT};
    for (size_t i = 0; i < profile->device_count; i++) {
        const mls_profile_device *device = &profile->devices[i];
        for (size_t k = 0; k < (streams ? device->stream_count : 1); k++) {
            mls_table_row(&table);
            mls_table_cell(&table, "device", MLS_COLUMN_KEEP, MLS_STYLE_PLAIN, "%.*s", (int)device->device.len,
                           device->device.ptr);
            if (streams) {
                const mls_profile_stream *stream = &device->streams[k];
                mls_table_cell(&table, "stream", MLS_COLUMN_KEEP, MLS_STYLE_PLAIN, "%.*s", (int)stream->stream.len,
                               stream->stream.ptr);
                profile_cell(&table, "activities", (double)stream->activities, 0);
                profile_cell(&table, "busy ms", stream->busy_ms, 3);
                continue;
            }
            const struct {
                const char *header;
                double ms;
            } cells[] = {{"window ms", device->window_ms},
                         {"computing", device->compute_ms},
                         {"communication", device->communication_ms},
                         {"exposed", device->exposed_communication_ms},
                         {"copies", device->copy_ms},
                         {"exposed", device->exposed_copy_ms},
                         {"idle", device->idle_ms}};
            profile_cell(&table, "activities", (double)device->activities, 0);
            for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) {
                profile_cell(&table, cells[c].header, cells[c].ms, 3);
            }
        }
    }
    mls_table_finish(&table, view);
    if (!profile->has_devices) {
        mls_view_printf(view, MLS_STYLE_DIM, INDENT, HANG, "no time line: sums do not tell of devices and streams");
    }
}

static void show_profile_tables(mls_view *view, const mls_profile *profile, mls_profile_by by)
{
    const struct {
        bool wanted;
        const char *header, *counted_as;
        const mls_profile_rows *rows;
        bool kernels;
    } tables[] = {{by == MLS_PROFILE_BY_CLASS, "class", "launches", &profile->classes, false},
                  {by == MLS_PROFILE_BY_NAME || (by == MLS_PROFILE_BY_CLASS && profile->has_counters), "kernel",
                   "launches", &profile->names, true},
                  {view->verbose > 0, "copy", "count", &profile->copies, false},
                  {view->verbose > 0, "API", "calls", &profile->api, false},
                  {view->verbose > 0, "range", "calls", &profile->ranges, false},
                  {view->verbose > 0, "OS runtime", "calls", &profile->osrt, false}};
    if (by == MLS_PROFILE_BY_STREAM || by == MLS_PROFILE_BY_DEVICE) {
        show_lines(view, profile, by == MLS_PROFILE_BY_STREAM);
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const size_t count = tables[i].rows->count;
        if (tables[i].wanted) {
            show_rows(view, tables[i].header, tables[i].counted_as, tables[i].rows,
                      i == 0 ? count : mls_profile_top(profile, count), tables[i].kernels);
        }
    }
}

static void show_changes(mls_view *view, const mls_profiles *all)
{
    mls_table table = {.indent = INDENT};
    const bool steps = all->changes->per_step;
    mls_buffer rest = {0};
    mls_buffer_printf(&rest, "   against %s, %s", mls_path_shown(all->base->file),
                      steps ? "milliseconds a step" : "percent of the activity");
    mls_view_headline(view, mls_str_from(mls_path_shown(all->items[0]->file)), &rest, HANG);
    for (size_t i = 0; i < all->changes->count; i++) {
        const mls_profile_change *change = &all->changes->items[i];
        const double factor = steps ? 1 : 100;
        mls_table_row(&table);
        name_cell(&table, "class", change->name);
        profile_cell(&table, "before", change->before * factor, 3);
        profile_cell(&table, "after", change->after * factor, 3);
        mls_table_words(&table, "change", DECIMAL, mls_words_signed((change->after - change->before) * factor, 3));
    }
    mls_table_finish(&table, view);
}

void mls_profiles_show(mls_printer *to, const void *what)
{
    const mls_profiles *all = what;
    mls_view *view = to->view;
    for (size_t i = 0; i < all->count; i++) {
        const mls_profile *profile = all->items[i];
        mls_found found = {0};
        mls_output_text(view->output, i > 0 ? "\n" : "");
        show_head(view, profile);
        if (!view->quiet) {
            show_profile_tables(view, profile, all->by);
        }
        for (size_t v = 0; v < profile->verdict_count; v++) {
            mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "%s  [%s]", profile->verdicts[v].message,
                            profile->verdicts[v].code);
        }
        mls_found_add(&found, &profile->findings, (mls_owner){.path = profile->file}, view);
        mls_found_show(
            view, &found,
            (mls_found_look){.indent = INDENT, .named = true, .limit = mls_view_limit(view, FINDINGS_SHOWN)});
    }
    if (all->changes != NULL) {
        mls_output_text(view->output, "\n");
        show_changes(view, all);
    }
}
