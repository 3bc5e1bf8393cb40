/* SPDX-License-Identifier: Apache-2.0 */
/* profile_tables.c - the tables of profiles, for people. */
#include "report/profile_tables.h"

#include <math.h>

#include "base/utf8.h"

enum { INDENT = 2, HANG = 4, NAME_SHOWN = 48, RIGHT = MLS_COLUMN_RIGHT, DECIMAL = MLS_COLUMN_DECIMAL };

void mls_profile_table_finish(mls_table *table, mls_view *view)
{
    const bool some = table->count > 0;
    mls_table_finish(table, view);
    if (some) {
        mls_view_gap(view);
    }
}

void mls_profile_headline(mls_view *view, mls_str title, mls_buffer *rest)
{
    mls_output_text(view->output, view->format == MLS_FORMAT_MARKDOWN ? "### " : "");
    mls_view_headline(view, title, rest, HANG);
    mls_view_gap(view);
}

/* Ends a table of the rows that --top lets through, and says how many it does not. */
static void finish_top(mls_table *table, mls_view *view, size_t left)
{
    mls_profile_table_finish(table, view);
    mls_view_more(view, MLS_STYLE_DIM, INDENT, left, NULL, "--top 0 lists all");
}

static void profile_cell(mls_table *table, const char *header, double number, int decimals)
{
    mls_table_cell(table, header, decimals > 0 ? DECIMAL : RIGHT, isfinite(number) ? MLS_STYLE_PLAIN : MLS_STYLE_DIM,
                   "%s", mls_words_grouped(number, decimals).text);
}

static void name_cell(mls_table *table, const char *header, mls_str name)
{
    mls_buffer shown = {0};
    mls_utf8_append_cut(&shown, name, NAME_SHOWN);
    mls_table_text(table, header, MLS_COLUMN_KEEP | MLS_COLUMN_CUT, mls_table_take(table, &shown));
}

/* A table of rows that are counted: of `kernels` with what is known of them only. */
typedef struct counted_table {
    bool wanted;
    const char *header, *counted_as;
    const mls_profile_rows *rows;
    bool kernels;
    bool occupancy; /* of one of them is known */
} counted_table;

static void add_profile_row(mls_table *table, const counted_table *of, const mls_profile_row *row)
{
    const mls_profile_counter *counter = row->counter;
    mls_table_row(table);
    name_cell(table, of->header, row->name);
    if (of->kernels) {
        mls_table_text(table, "class", MLS_COLUMN_LEFT, row->class_name);
    }
    profile_cell(table, of->counted_as, (double)row->count, 0);
    profile_cell(table, "ms", row->total_ms, 3);
    if (isfinite(row->share)) {
        mls_table_words(table, "share", DECIMAL, mls_words_percent(row->share, 1));
    }
    if (counter != NULL) {
        profile_cell(table, "compute %", counter->compute_percent, 1);
        mls_table_cell(table, "memory %", DECIMAL, MLS_STYLE_PLAIN, "%s%s", counter->memory_at_least ? ">" : "",
                       mls_words_grouped(counter->memory_percent, 1).text);
        profile_cell(table, "DRAM %", counter->dram_percent, 1);
        if (of->occupancy) {
            profile_cell(table, "occupancy %", counter->occupancy_percent, 1);
            profile_cell(table, "waves", counter->waves, 2);
        }
        mls_table_cell(table, "bound", MLS_COLUMN_LEFT, MLS_STYLE_PLAIN, "%s%s",
                       mls_profile_bound_names[counter->bound], counter->near_peak ? ", near peak" : "");
    } else if (of->kernels) {
        profile_cell(table, "min µs", row->min_us, 1);
        profile_cell(table, "max µs", row->max_us, 1);
    }
    if (isfinite(row->megabytes)) {
        profile_cell(table, "MB", row->megabytes, 3);
    }
}

static void show_rows(mls_view *view, const counted_table *of, size_t shown)
{
    mls_table table = {.indent = INDENT};
    for (size_t i = 0; i < shown; i++) {
        add_profile_row(&table, of, &of->rows->items[i]);
    }
    finish_top(&table, view, of->rows->count - shown);
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
            profile_cell(&table, "activities", (double)device->activities, 0);
            profile_cell(&table, "window ms", device->window_ms, 3);
            profile_cell(&table, "computing", device->compute_ms, 3);
            profile_cell(&table, "communication", device->communication_ms, 3);
            profile_cell(&table, "exposed", device->exposed_communication_ms, 3);
            profile_cell(&table, "copies", device->copy_ms, 3);
            profile_cell(&table, "exposed", device->exposed_copy_ms, 3);
            profile_cell(&table, "idle", device->idle_ms, 3);
            if (isfinite(device->graph_share)) {
                profile_cell(&table, "host late", device->idle_host_ms, 3);
                profile_cell(&table, "queued", device->idle_queue_ms, 3);
                profile_cell(&table, "unknown", device->idle_unknown_ms, 3);
            }
        }
    }
    mls_profile_table_finish(&table, view);
    if (!profile->has_devices) {
        mls_view_printf(view, MLS_STYLE_DIM, INDENT, HANG, "no time line: sums say nothing of devices and streams");
    }
}

static void show_rules(mls_view *view, const mls_profile *profile)
{
    enum { USUAL = 10 };
    mls_table table = {.indent = INDENT};
    const size_t top = mls_profile_top(profile, profile->advice_count);
    const size_t shown = view->verbose > 0 || top < USUAL ? top : USUAL;
    for (size_t i = 0; i < shown; i++) {
        const mls_profile_advice *row = &profile->advice[i];
        mls_table_row(&table);
        name_cell(&table, "kernel", row->name);
        name_cell(&table, "rule", row->rule);
        mls_table_cell(&table, "faster", RIGHT, MLS_STYLE_PLAIN, "%s%s",
                       mls_words_percent(row->speedup_percent / 100, 1).text, row->global ? "" : " of a part");
        profile_cell(&table, "gain ms", row->gain_ms, 3);
        mls_table_text(&table, "by", MLS_COLUMN_CUT, row->words);
    }
    mls_profile_table_finish(&table, view);
    mls_view_more(view, MLS_STYLE_DIM, INDENT, profile->advice_count - shown, NULL,
                  shown < top ? "-v lists more" : "--top 0 lists all");
}

static void show_annotations(mls_view *view, const mls_profile *profile)
{
    mls_table table = {.indent = INDENT};
    const size_t shown = mls_profile_top(profile, profile->annotation_count);
    for (size_t i = 0; i < shown; i++) {
        const mls_profile_annotation *row = &profile->annotations[i];
        mls_table_row(&table);
        name_cell(&table, "annotation", row->name.len > 0 ? row->name : MLS_S("(outside of all)"));
        profile_cell(&table, "count", (double)row->count, 0);
        profile_cell(&table, "host ms", row->host_ms, 3);
        profile_cell(&table, "activities", (double)row->activities, 0);
        profile_cell(&table, "GPU ms", row->gpu_ms, 3);
        mls_table_words(&table, "share", DECIMAL, mls_words_percent(row->share, 1));
    }
    finish_top(&table, view, profile->annotation_count - shown);
    if (profile->annotation_count == 0) {
        mls_view_printf(view, MLS_STYLE_DIM, INDENT, HANG, "no annotations of the host in it");
    }
}

static void show_steps(mls_view *view, const mls_profile *profile)
{
    mls_table table = {.indent = INDENT};
    for (size_t i = 0; i < profile->steps.count; i++) {
        const mls_profile_step *step = &profile->steps.each[i];
        mls_table_row(&table);
        profile_cell(&table, "step", (double)step->number, 0);
        profile_cell(&table, "from ms", step->start_ms, 3);
        profile_cell(&table, "ms", step->length_ms, 3);
        profile_cell(&table, "GPU ms", step->gpu_ms, 3);
    }
    mls_profile_table_finish(&table, view);
}

static void show_launched(mls_view *view, const mls_profile *profile)
{
    mls_table table = {.indent = INDENT};
    const size_t shown = mls_profile_top(profile, profile->launch_count);
    for (size_t i = 0; i < shown; i++) {
        const mls_profile_launches *row = &profile->launches[i];
        mls_table_row(&table);
        name_cell(&table, "kernel", row->name);
        name_cell(&table, "launched by", row->api);
        profile_cell(&table, "count", (double)row->count, 0);
        profile_cell(&table, "call ms", row->api_ms, 3);
        profile_cell(&table, "queued ms", row->queue_ms, 3);
        profile_cell(&table, "kernel ms", row->kernel_ms, 3);
    }
    finish_top(&table, view, profile->launch_count - shown);
}

static void show_analysis(mls_view *view, const mls_profile *profile)
{
    mls_table table = {.indent = INDENT};
    for (size_t i = 0; i < profile->analysis_count; i++) {
        const mls_profile_found *row = &profile->analysis[i];
        mls_table_row(&table);
        name_cell(&table, "rule", row->rule);
        name_cell(&table, "of", row->name);
        profile_cell(&table, "count", (double)row->count, 0);
        profile_cell(&table, "ms", row->total_ms, 3);
        profile_cell(&table, "longest ms", row->longest_ms, 3);
    }
    mls_profile_table_finish(&table, view);
}

static bool knows_occupancy(const mls_profile *profile)
{
    bool known = false;
    for (size_t i = 0; i < profile->counter_count; i++) {
        known |= isfinite(profile->counters[i].occupancy_percent) || isfinite(profile->counters[i].waves);
    }
    return known;
}

void mls_profile_tables_show(mls_view *view, const mls_profile *profile, mls_profile_by by)
{
    const counted_table tables[] = {{by == MLS_PROFILE_BY_CLASS, "class", "launches", &profile->classes, false, false},
                                    {by == MLS_PROFILE_BY_NAME || (by == MLS_PROFILE_BY_CLASS && profile->has_counters),
                                     "kernel", "launches", &profile->names, true, knows_occupancy(profile)},
                                    {view->verbose > 0, "copy", "count", &profile->copies, false, false},
                                    {view->verbose > 0, "API", "calls", &profile->api, false, false},
                                    {view->verbose > 0, "range", "calls", &profile->ranges, false, false},
                                    {view->verbose > 0, "OS runtime", "calls", &profile->osrt, false, false}};
    if (by == MLS_PROFILE_BY_STREAM || by == MLS_PROFILE_BY_DEVICE) {
        show_lines(view, profile, by == MLS_PROFILE_BY_STREAM);
    }
    if (by == MLS_PROFILE_BY_ANNOTATION) {
        show_annotations(view, profile);
    }
    if (view->verbose > 0) {
        show_steps(view, profile);
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const size_t count = tables[i].rows->count;
        if (tables[i].wanted) {
            show_rows(view, &tables[i], i == 0 ? count : mls_profile_top(profile, count));
        }
    }
    show_rules(view, profile);
    show_analysis(view, profile);
    if (view->verbose > 0 || profile->names.count == 0) {
        show_launched(view, profile);
    }
}

void mls_profile_changes_show(mls_view *view, const mls_profiles *all)
{
    mls_table table = {.indent = INDENT};
    const bool steps = all->changes->per_step;
    mls_buffer rest = {0};
    mls_buffer_printf(&rest, "   against %s, %s", mls_path_shown(all->base->file),
                      steps ? "milliseconds a step" : "percent of the activity");
    mls_profile_headline(view, mls_str_from(mls_path_shown(all->items[0]->file)), &rest);
    for (size_t i = 0; i < all->changes->count; i++) {
        const mls_profile_change *change = &all->changes->items[i];
        const double factor = steps ? 1 : 100;
        mls_table_row(&table);
        name_cell(&table, "class", change->name);
        profile_cell(&table, "before", change->before * factor, 3);
        profile_cell(&table, "after", change->after * factor, 3);
        mls_table_words(&table, "change", DECIMAL, mls_words_signed((change->after - change->before) * factor, 3));
    }
    mls_profile_table_finish(&table, view);
}
