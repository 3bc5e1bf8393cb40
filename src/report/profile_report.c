/* SPDX-License-Identifier: Apache-2.0 */
/* profile_report.c - profiles: where the time of GPUs went, in tables and in words, and what to try. */
#include <math.h>

#include "base/utf8.h"
#include "report/profile_tables.h"

enum {
    INDENT = 2,
    HANG = 4,
    FINDINGS_SHOWN = 10,
    NAME_SHOWN = 48,
    RIGHT = MLS_COLUMN_RIGHT,
    DECIMAL = MLS_COLUMN_DECIMAL,
    COUNT = RIGHT | MLS_COLUMN_DIM,
    TIME = DECIMAL | MLS_COLUMN_DIM,
    NAME = MLS_COLUMN_KEEP | MLS_COLUMN_CUT
};

void mls_profile_table_finish(mls_table *table, mls_view *view)
{
    const bool some = table->count > 0;
    mls_table_finish(table, view);
    if (some)
        mls_view_gap(view);
}

void mls_profile_headline(mls_view *view, mls_str title, mls_buffer *rest)
{
    mls_output_text(view->output, view->format == MLS_FORMAT_MARKDOWN ? "### " : "");
    mls_view_headline(view, title, rest, HANG);
    mls_view_gap(view);
}

/* Print a table of the rows that --top allows, and how many it leaves out. */
static void finish_top(mls_table *table, mls_view *view, size_t left)
{
    mls_profile_table_finish(table, view);
    mls_view_more(view, MLS_STYLE_DIM, INDENT, left, NULL, "--top 0 lists all");
}

static void number_cell(mls_table *table, const char *header, double number, int decimals)
{
    mls_table_cell(table, header, decimals > 0 ? DECIMAL : RIGHT, isfinite(number) ? MLS_STYLE_PLAIN : MLS_STYLE_DIM,
                   "%s", mls_words_grouped(number, decimals).text);
}

static void name_cell(mls_table *table, const char *header, mls_str name)
{
    mls_buffer shown = {0};
    mls_utf8_append_cut(&shown, name, NAME_SHOWN);
    mls_table_text(table, header, NAME, mls_table_take(table, &shown));
}

/* A table of classes, kernels, copies or calls, each with its count and time; kernels have more columns. */
typedef struct counted_table {
    bool wanted;
    const char *header, *counted_as;
    const mls_profile_rows *rows;
    bool kernels;
    bool occupancy; /* is known of a kernel */
} counted_table;

static void add_profile_row(mls_table *table, const counted_table *of, const mls_profile_row *row)
{
    const mls_profile_counter *counter = row->counter;
    mls_table_row(table);
    name_cell(table, of->header, row->name);
    if (of->kernels)
        mls_table_text(table, "class", MLS_COLUMN_LEFT, row->class_name);
    number_cell(table, of->counted_as, (double)row->count, 0);
    number_cell(table, "ms", row->total_ms, 3);
    if (isfinite(row->share))
        mls_table_words(table, "share", DECIMAL, mls_words_percent(row->share, 1));
    if (counter != NULL) {
        number_cell(table, "compute %", counter->compute_percent, 1);
        mls_table_cell(table, "memory %", DECIMAL, MLS_STYLE_PLAIN, "%s%s", counter->memory_at_least ? ">" : "",
                       mls_words_grouped(counter->memory_percent, 1).text);
        number_cell(table, "DRAM %", counter->dram_percent, 1);
        if (of->occupancy) {
            number_cell(table, "occupancy %", counter->occupancy_percent, 1);
            number_cell(table, "waves", counter->waves, 2);
        }
        mls_table_cell(table, "bound", MLS_COLUMN_LEFT, MLS_STYLE_PLAIN, "%s%s",
                       mls_profile_bound_names[counter->bound], counter->near_peak ? ", near peak" : "");
    } else if (of->kernels) {
        number_cell(table, "min µs", row->min_us, 1);
        number_cell(table, "max µs", row->max_us, 1);
    }
    if (isfinite(row->megabytes))
        number_cell(table, "MB", row->megabytes, 3);
}

static void show_lines(mls_view *view, const mls_profile *profile, bool streams)
{
#define DEVICE(header, look, member, digits) MLS_TABLE_MEMBER(header, look, mls_profile_device, member, digits)
    static const mls_table_member device_columns[] = {
        DEVICE("device", MLS_COLUMN_KEEP, device, 0),
        DEVICE("activities", COUNT, activities, 0),
        DEVICE("window ms", TIME, window_ms, 3),
        DEVICE("computing", TIME, compute_ms, 3),
        DEVICE("communication", TIME, communication_ms, 3),
        DEVICE("exposed", TIME, exposed_communication_ms, 3),
        DEVICE("copies", TIME, copy_ms, 3),
        DEVICE("exposed", TIME, exposed_copy_ms, 3),
        DEVICE("idle", TIME, idle_ms, 3),
    };
    static const mls_table_member launch_columns[] = {
        DEVICE("host late", TIME, idle_host_ms, 3),
        DEVICE("queued", TIME, idle_queue_ms, 3),
        DEVICE("unknown", TIME, idle_unknown_ms, 3),
    };
    static const mls_table_member stream_columns[] = {
        MLS_TABLE_MEMBER("stream", MLS_COLUMN_KEEP, mls_profile_stream, stream, 0),
        MLS_TABLE_MEMBER("activities", COUNT, mls_profile_stream, activities, 0),
        MLS_TABLE_MEMBER("busy ms", TIME, mls_profile_stream, busy_ms, 3),
    };
    mls_table table = {.indent = INDENT};
    for (size_t i = 0; i < profile->device_count; i++) {
        const mls_profile_device *device = &profile->devices[i];
        for (size_t k = 0; streams && k < device->stream_count; k++) {
            mls_table_row(&table);
            mls_table_members(&table, device_columns, 1, device);
            MLS_TABLE_MEMBERS(&table, stream_columns, &device->streams[k]);
        }
        if (!streams) {
            mls_table_row(&table);
            MLS_TABLE_MEMBERS(&table, device_columns, device);
            if (isfinite(device->graph_share))
                MLS_TABLE_MEMBERS(&table, launch_columns, device);
        }
    }
    mls_profile_table_finish(&table, view);
    if (!profile->has_devices)
        mls_view_printf(view, MLS_STYLE_DIM, INDENT, HANG, "no time line: sums say nothing of devices and streams");
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
        number_cell(&table, "gain ms", row->gain_ms, 3);
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
        number_cell(&table, "count", (double)row->count, 0);
        number_cell(&table, "host ms", row->host_ms, 3);
        number_cell(&table, "activities", (double)row->activities, 0);
        number_cell(&table, "GPU ms", row->gpu_ms, 3);
        mls_table_words(&table, "share", DECIMAL, mls_words_percent(row->share, 1));
    }
    finish_top(&table, view, profile->annotation_count - shown);
    if (profile->annotation_count == 0)
        mls_view_printf(view, MLS_STYLE_DIM, INDENT, HANG, "no annotations of the host in it");
}

static void show_steps(mls_view *view, const mls_profile *profile)
{
    static const mls_table_member columns[] = {
        MLS_TABLE_MEMBER("step", COUNT, mls_profile_step, number, 0),
        MLS_TABLE_MEMBER("from ms", TIME, mls_profile_step, start_ms, 3),
        MLS_TABLE_MEMBER("ms", TIME, mls_profile_step, length_ms, 3),
        MLS_TABLE_MEMBER("GPU ms", TIME, mls_profile_step, gpu_ms, 3),
    };
    mls_table table = {.indent = INDENT};
    MLS_TABLE_ROWS(&table, columns, profile->steps.each, profile->steps.count);
    mls_profile_table_finish(&table, view);
}

static void show_launched(mls_view *view, const mls_profile *profile)
{
    static const mls_table_member columns[] = {
        MLS_TABLE_MEMBER("kernel", NAME, mls_profile_launches, name, NAME_SHOWN),
        MLS_TABLE_MEMBER("launched by", NAME, mls_profile_launches, api, NAME_SHOWN),
        MLS_TABLE_MEMBER("count", COUNT, mls_profile_launches, count, 0),
        MLS_TABLE_MEMBER("call ms", TIME, mls_profile_launches, api_ms, 3),
        MLS_TABLE_MEMBER("queued ms", TIME, mls_profile_launches, queue_ms, 3),
        MLS_TABLE_MEMBER("kernel ms", TIME, mls_profile_launches, kernel_ms, 3),
    };
    mls_table table = {.indent = INDENT};
    const size_t shown = mls_profile_top(profile, profile->launch_count);
    MLS_TABLE_ROWS(&table, columns, profile->launches, shown);
    finish_top(&table, view, profile->launch_count - shown);
}

static void show_analysis(mls_view *view, const mls_profile *profile)
{
    static const mls_table_member columns[] = {
        MLS_TABLE_MEMBER("rule", NAME, mls_profile_found, rule, NAME_SHOWN),
        MLS_TABLE_MEMBER("of", NAME, mls_profile_found, name, NAME_SHOWN),
        MLS_TABLE_MEMBER("count", COUNT, mls_profile_found, count, 0),
        MLS_TABLE_MEMBER("ms", TIME, mls_profile_found, total_ms, 3),
        MLS_TABLE_MEMBER("longest ms", TIME, mls_profile_found, longest_ms, 3),
    };
    mls_table table = {.indent = INDENT};
    MLS_TABLE_ROWS(&table, columns, profile->analysis, profile->analysis_count);
    mls_profile_table_finish(&table, view);
}

static void show_tables(mls_view *view, const mls_profile *profile, mls_profile_by by)
{
    bool occupancy = false;
    for (size_t i = 0; i < profile->counter_count; i++)
        occupancy |= isfinite(profile->counters[i].occupancy_percent) || isfinite(profile->counters[i].waves);
    const counted_table tables[] = {{by == MLS_PROFILE_BY_CLASS, "class", "launches", &profile->classes, false, false},
                                    {by == MLS_PROFILE_BY_NAME || (by == MLS_PROFILE_BY_CLASS && profile->has_counters),
                                     "kernel", "launches", &profile->names, true, occupancy},
                                    {view->verbose > 0, "copy", "count", &profile->copies, false, false},
                                    {view->verbose > 0, "API", "calls", &profile->api, false, false},
                                    {view->verbose > 0, "range", "calls", &profile->ranges, false, false},
                                    {view->verbose > 0, "OS runtime", "calls", &profile->osrt, false, false}};
    if (by == MLS_PROFILE_BY_STREAM || by == MLS_PROFILE_BY_DEVICE)
        show_lines(view, profile, by == MLS_PROFILE_BY_STREAM);
    if (by == MLS_PROFILE_BY_ANNOTATION)
        show_annotations(view, profile);
    if (view->verbose > 0)
        show_steps(view, profile);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const size_t count = tables[i].rows->count;
        const size_t shown = i == 0 ? count : mls_profile_top(profile, count);
        mls_table table = {.indent = INDENT};
        for (size_t k = 0; k < shown && tables[i].wanted; k++)
            add_profile_row(&table, &tables[i], &tables[i].rows->items[k]);
        if (tables[i].wanted)
            finish_top(&table, view, count - shown);
    }
    show_rules(view, profile);
    show_analysis(view, profile);
    if (view->verbose > 0 || profile->names.count == 0)
        show_launched(view, profile);
}

static void show_changes(mls_view *view, const mls_profiles *all)
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
        number_cell(&table, "before", change->before * factor, 3);
        number_cell(&table, "after", change->after * factor, 3);
        mls_table_words(&table, "change", DECIMAL, mls_words_signed((change->after - change->before) * factor, 3));
    }
    mls_profile_table_finish(&table, view);
}

/* Return the name of a device, "?" if the trace does not contain it. */
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
    if (isfinite(device->graph_share)) {
        mls_buffer_printf(&line, " (host late %s, queued %s, unknown %s)",
                          mls_words_percent(mls_profile_share(device->idle_host_ms, window), 1).text,
                          mls_words_percent(mls_profile_share(device->idle_queue_ms, window), 1).text,
                          mls_words_percent(mls_profile_share(device->idle_unknown_ms, window), 1).text);
    }
    mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
}

/* Show how long kernels take and start after their launch, if launches are known. */
static void show_launches(mls_view *view, const mls_profile_device *device)
{
    mls_buffer line = {0};
    if (!isfinite(device->graph_share))
        return;
    mls_buffer_printf(
        &line, "kernels take %s µs in the median · start %s µs after their launch, 95 %% of them within %s µs",
        mls_words_grouped(device->kernel_median_us, 1).text, mls_words_grouped(device->launch_delay_median_us, 1).text,
        mls_words_grouped(device->launch_delay_95_us, 1).text);
    if (device->graph_share > 0)
        mls_buffer_printf(&line, " · CUDA graphs %s of their time", mls_words_percent(device->graph_share, 1).text);
    if (device->without_launch > 0) {
        mls_buffer_printf(&line, " · %s without a launch in the trace",
                          mls_words_plural((size_t)device->without_launch, "kernel", "kernels").text);
    }
    mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
}

static void show_peaks(mls_view *view, const mls_profile *profile)
{
    for (size_t i = 0; i < profile->memory_count; i++) {
        const mls_profile_memory *memory = &profile->memory[i];
        mls_buffer line = {0};
        mls_buffer_append_text(&line, "most memory of device ");
        mls_buffer_append(&line, memory->device);
        mls_buffer_printf(&line, ": %s MB allocated", mls_words_grouped(memory->allocated / 1e6, 1).text);
        if (isfinite(memory->reserved))
            mls_buffer_printf(&line, " of %s MB reserved", mls_words_grouped(memory->reserved / 1e6, 1).text);
        if (isfinite(memory->at_ms))
            mls_buffer_printf(&line, ", %s ms after the first activity", mls_words_grouped(memory->at_ms, 3).text);
        if (isfinite(memory->step))
            mls_buffer_printf(&line, ", in step %s", mls_words_count(memory->step).text);
        mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
    }
}

static void show_profile_head(mls_view *view, const mls_profile *profile)
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
    mls_profile_headline(view, mls_str_from(mls_path_shown(profile->file)), &rest);
    for (size_t i = 0; i < profile->device_count; i++) {
        show_device_line(view, &profile->devices[i], profile->device_count == 1);
        show_launches(view, &profile->devices[i]);
    }
    const double outside = profile->steps.outside_ms; /* not known without a known launch */
    if (profile->steps.count > 0 && outside > 0) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG,
                        "%s ms of the GPU's time (%s) was launched outside of steps",
                        mls_words_grouped(outside, 3).text,
                        mls_words_percent(mls_profile_share(outside, profile->activity_ms), 1).text);
    }
    show_peaks(view, profile);
    mls_buffer bounds = {0};
    for (size_t i = 0; i < profile->bound_count; i++) {
        mls_buffer_printf(&bounds, "%s%s %s of the %s", i > 0 ? " · " : "bound by ",
                          mls_profile_bound_names[profile->bounds[i].bound],
                          mls_words_percent(profile->bounds[i].share, 1).text,
                          profile->bounds_by_time ? "time" : "launches");
    }
    if (profile->bound_count > 0)
        mls_view_line(view, &bounds, MLS_STYLE_PLAIN, INDENT, HANG);
    if (profile->run.known) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "%s min after run_start of %s%s",
                        mls_words_grouped(profile->run.offset_minutes, 2).text, profile->run.file,
                        profile->run.inside ? ", all of it inside of the run" : ", not all of it inside of the run");
    } else if (profile->run.file != NULL) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "where in %s it lies is not known: %s", profile->run.file,
                        isfinite(profile->start_ms) ? "there is no run with a run_start"
                                                    : "the profile does not say the time of day");
    }
}

static void show_profile(mls_view *view, const mls_profile *profile, mls_profile_by by)
{
    mls_finding_list found = {0};
    show_profile_head(view, profile);
    mls_view_gap(view);
    if (!view->quiet)
        show_tables(view, profile, by);
    for (size_t v = 0; v < profile->verdict_count; v++) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "%s  [%s]", profile->verdicts[v].message,
                        profile->verdicts[v].code);
    }
    mls_finding_list_add(&found, &profile->findings, (mls_owner){.path = profile->file}, view);
    const mls_finding_list_look look = {
        .indent = INDENT, .hang = HANG, .named = true, .limit = mls_view_limit(view, FINDINGS_SHOWN)};
    mls_finding_list_show(view, &found, look);
}

static void show_profiles(mls_printer *to, const void *what)
{
    const mls_profiles *all = what;
    mls_view *view = to->view;
    bool some = all->job != NULL;
    if (all->job != NULL)
        mls_ranks_show(view, all);
    for (size_t i = 0; i < all->count; i++) {
        bool of_job = false; /* its ranks are shown together */
        for (size_t k = 0; all->job != NULL && k < all->job->count; k++)
            of_job |= all->job->items[k].profile == all->items[i];
        if (all->each || !of_job) {
            mls_output_text(view->output, some ? "\n" : "");
            show_profile(view, all->items[i], all->by);
            some = true;
        }
    }
    if (all->changes != NULL) {
        mls_output_text(view->output, "\n");
        show_changes(view, all);
    }
}

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
#define LAUNCHES_FIELDS(F)                                                                                             \
    F(launches, name, TEXT, "", row->name)                                                                             \
    F(launches, api, TEXT, "", row->api)                                                                               \
    F(launches, count, NUMBER, "", row->count)                                                                         \
    F(launches, api_ms, NUMBER_OR_NULL, "ms", row->api_ms)                                                             \
    F(launches, queue_ms, NUMBER, "ms", row->queue_ms)                                                                 \
    F(launches, kernel_ms, NUMBER, "ms", row->kernel_ms)
MLS_FIELDS(launches, mls_profile_launches, LAUNCHES_FIELDS)
#define FOUND_FIELDS(F)                                                                                                \
    F(found, rule, TEXT, "", row->rule)                                                                                \
    F(found, name, TEXT, "", row->name)                                                                                \
    F(found, count, NUMBER, "", row->count)                                                                            \
    F(found, total_ms, NUMBER, "ms", row->total_ms)                                                                    \
    F(found, longest_ms, NUMBER, "ms", row->longest_ms)
MLS_FIELDS(found, mls_profile_found, FOUND_FIELDS)
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
    F(device, idle_host_ms, NUMBER, "ms", row->idle_host_ms)                                                           \
    F(device, idle_queue_ms, NUMBER, "ms", row->idle_queue_ms)                                                         \
    F(device, idle_unknown_ms, NUMBER, "ms", row->idle_unknown_ms)                                                     \
    F(device, graph_share, NUMBER_OR_NULL, "", row->graph_share)                                                       \
    F(device, launch_delay_median_us, NUMBER_OR_NULL, "us", row->launch_delay_median_us)                               \
    F(device, launch_delay_95_us, NUMBER_OR_NULL, "us", row->launch_delay_95_us)                                       \
    F(device, kernel_median_us, NUMBER_OR_NULL, "us", row->kernel_median_us)                                           \
    F(device, without_launch, NUMBER, "", row->without_launch)                                                         \
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
    F(counter, near_peak, BOOL, "", row->near_peak)                                                                    \
    F(counter, memory_at_least, BOOL, "", row->memory_at_least)                                                        \
    F(counter, occupancy_percent, NUMBER_OR_NULL, "", row->occupancy_percent)                                          \
    F(counter, occupancy_most_percent, NUMBER_OR_NULL, "", row->occupancy_most_percent)                                \
    F(counter, waves, NUMBER_OR_NULL, "", row->waves)                                                                  \
    F(counter, tail_share, NUMBER_OR_NULL, "", row->tail_share)
MLS_FIELDS(counter, mls_profile_counter, COUNTER_FIELDS)

#define ADVICE_FIELDS(F)                                                                                               \
    F(advice, name, TEXT, "", row->name)                                                                               \
    F(advice, rule, TEXT, "", row->rule)                                                                               \
    F(advice, scope, TEXT, "", row->global ? "global" : "local")                                                       \
    F(advice, launches, NUMBER, "", row->launches)                                                                     \
    F(advice, speedup_percent, NUMBER, "", row->speedup_percent)                                                       \
    F(advice, gain_ms, NUMBER_OR_NULL, "ms", row->gain_ms)
MLS_FIELDS(advice, mls_profile_advice, ADVICE_FIELDS)

#define BOUND_FIELDS(F)                                                                                                \
    F(bound, bound, TEXT, "", mls_profile_bound_names[row->bound])                                                     \
    F(bound, launches, NUMBER, "", row->launches)                                                                      \
    F(bound, share, NUMBER_OR_NULL, "", row->share)
MLS_FIELDS(bound, mls_profile_bounded, BOUND_FIELDS)
#define STEP_FIELDS(F)                                                                                                 \
    F(step, number, NUMBER, "", row->number)                                                                           \
    F(step, start_ms, NUMBER_OR_NULL, "ms", row->start_ms)                                                             \
    F(step, length_ms, NUMBER, "ms", row->length_ms)                                                                   \
    F(step, gpu_ms, NUMBER_OR_NULL, "ms", row->gpu_ms)
MLS_FIELDS(step, mls_profile_step, STEP_FIELDS)
#define ANNOTATION_FIELDS(F)                                                                                           \
    F(annotation, annotation, TEXT, "", row->name)                                                                     \
    F(annotation, count, NUMBER, "", row->count)                                                                       \
    F(annotation, host_ms, NUMBER, "ms", row->host_ms)                                                                 \
    F(annotation, activities, NUMBER, "", row->activities)                                                             \
    F(annotation, gpu_ms, NUMBER_OR_NULL, "ms", row->gpu_ms)                                                           \
    F(annotation, share_of_activity, NUMBER_OR_NULL, "", row->share)
MLS_FIELDS(annotation, mls_profile_annotation, ANNOTATION_FIELDS)
#define MEMORY_FIELDS(F)                                                                                               \
    F(memory, device, TEXT, "", row->device)                                                                           \
    F(memory, allocated_bytes, NUMBER, "bytes", row->allocated)                                                        \
    F(memory, reserved_bytes, NUMBER_OR_NULL, "bytes", row->reserved)                                                  \
    F(memory, at_ms, NUMBER_OR_NULL, "ms", row->at_ms)                                                                 \
    F(memory, step, NUMBER_OR_NULL, "", row->step)
MLS_FIELDS(memory, mls_profile_memory, MEMORY_FIELDS)
#define STEPS_FIELDS(F)                                                                                                \
    F(steps, count, NUMBER, "", row->steps.count)                                                                      \
    F(steps, mean_ms, NUMBER, "ms", row->steps.mean_ms)                                                                \
    F(steps, min_ms, NUMBER, "ms", row->steps.min_ms)                                                                  \
    F(steps, max_ms, NUMBER, "ms", row->steps.max_ms)                                                                  \
    F(steps, outside_ms, NUMBER_OR_NULL, "ms", row->steps.outside_ms)                                                  \
    F(steps, unknown_ms, NUMBER, "ms", row->steps.unknown_ms)                                                          \
    F(steps, each, LIST(step), "", MLS_ROWS(row->steps.each, row->steps.count))
MLS_FIELDS(steps, mls_profile, STEPS_FIELDS)
#define PLACE_FIELDS(F)                                                                                                \
    F(place, file, TEXT, "", row->run.file)                                                                            \
    F(place, offset_minutes, IF(NUMBER, row->run.known), "minutes", row->run.offset_minutes)                           \
    F(place, inside, IF(BOOL, row->run.known), "", row->run.inside)
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
    F(profile, launches, LIST_IF(launches, row->launches != NULL), "",                                                 \
      MLS_ROWS(row->launches, mls_profile_top(row, row->launch_count)))                                                \
    F(profile, analysis, LIST_IF(found, row->analysis != NULL), "", MLS_ROWS(row->analysis, row->analysis_count))      \
    F(profile, osrt, LIST_IF(call, row->osrt.known), "", MLS_ROWS(row->osrt.items, row->osrt.count))                   \
    F(profile, steps, OBJECT_OR_NULL(steps), "", row->steps.count > 0 ? row : NULL)                                    \
    F(profile, annotations, LIST_IF(annotation, row->annotation_count > 0), "",                                        \
      MLS_ROWS(row->annotations, mls_profile_top(row, row->annotation_count)))                                         \
    F(profile, memory, LIST_IF(memory, row->memory_count > 0), "", MLS_ROWS(row->memory, row->memory_count))           \
    F(profile, counters, LIST_IF(counter, row->has_counters), "", MLS_ROWS(row->counters, row->counter_count))         \
    F(profile, advice, LIST_IF(advice, row->has_counters), "", MLS_ROWS(row->advice, row->advice_count))               \
    F(profile, bounds, LIST_IF(bound, row->has_counters), "", MLS_ROWS(row->bounds, row->bound_count))                 \
    F(profile, run, OBJECT_OF(place), "", row->run.file != NULL ? row : NULL)                                          \
    F(profile, verdicts, LIST(verdict), "", MLS_ROWS(row->verdicts, row->verdict_count))                               \
    F(profile, findings, FINDINGS, "",                                                                                 \
      mls_finding_list_add(&found, &row->findings, (mls_owner){.path = row->file}, NULL))
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
    F(profiles, job, OBJECT_OF(mls_ranks), "", row->job)                                                               \
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
        .section = "PROFILE JSON", .show = show_profiles, .object = &profiles_fields, .lines = "profiles job against", \
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
                "dram_percent bound near_peak memory_at_least occupancy_percent occupancy_most_percent waves "
                "tail_share",
            .rows = "profiles names counter",
            .sources = {&profile_fields, &kernel_fields, &counted_fields, &counter_fields}),
    [MLS_PROFILE_BY_STREAM] =
        PROFILE_REPORT(.section = "PROFILE BY STREAM CSV", .names = "file kind device stream activities busy_ms",
                       .rows = "profiles devices streams",
                       .sources = {&profile_fields, &stream_fields, &device_fields}),
    [MLS_PROFILE_BY_DEVICE] =
        PROFILE_REPORT(.section = "PROFILE BY DEVICE CSV",
                       .names = "file kind device activities window_ms busy_ms idle_ms compute_ms communication_ms "
                                "exposed_communication_ms copy_ms exposed_copy_ms overlap idle_host_ms idle_queue_ms "
                                "idle_unknown_ms graph_share launch_delay_median_us launch_delay_95_us "
                                "kernel_median_us without_launch",
                       .rows = "profiles devices", .sources = {&profile_fields, &device_fields}),
    [MLS_PROFILE_BY_ANNOTATION] =
        PROFILE_REPORT(.section = "PROFILE BY ANNOTATION CSV",
                       .names = "file kind annotation count host_ms activities gpu_ms share_of_activity",
                       .rows = "profiles annotations", .sources = {&profile_fields, &annotation_fields}),
    [MLS_PROFILE_BY_RANK] =
        PROFILE_REPORT(.section = "PROFILE BY RANK CSV",
                       .names = "rank file transfer_ms waiting_ms others_waited_ms compute_ms idle_ms "
                                "idle_host_ms idle_queue_ms idle_unknown_ms nccl_without_arguments",
                       .rows = "job ranks", .sources = {&mls_rank_fields}),
    [MLS_PROFILE_BY_COLLECTIVE] =
        PROFILE_REPORT(.section = "PROFILE BY COLLECTIVE CSV",
                       .names = "collective bytes members count transfer_ms waiting_ms bus_gb_per_second",
                       .rows = "job collectives", .sources = {&mls_collective_fields}),
    [MLS_PROFILE_BY_CHANGE] =
        PROFILE_REPORT(.section = "PROFILE AGAINST CSV", .names = "file against unit class before after change",
                       .rows = "against classes", .sources = {&compared_fields, &against_fields, &change_fields}),
};
