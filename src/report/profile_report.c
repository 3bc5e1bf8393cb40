/* SPDX-License-Identifier: Apache-2.0 */
/* profile_report.c - the reports of profiles: tables and lines about how GPUs spent their time, with advice; and the
 * ranks of a job side by side: the rank that the other ranks waited for, and the speed of collectives. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "report/reports.h"
#include "term/table.h"

enum {
    INDENT = 2,
    HANG = 4,
    FINDINGS_SHOWN = 10,
    RANKS_SHOWN = 16,
    COLLECTIVES_SHOWN = 12,
    NAME_SHOWN = 48,
    COLLECTIVE_NAME_SHOWN = 40,
    KEEP = MLS_COLUMN_KEEP,
    RIGHT = MLS_COLUMN_RIGHT,
    DECIMAL = MLS_COLUMN_DECIMAL,
    COUNT = RIGHT | MLS_COLUMN_DIM,
    TIME = DECIMAL | MLS_COLUMN_DIM,
    NAME = KEEP | MLS_COLUMN_CUT
};

/* Print a table.  In Markdown, print an empty line after the table. */
static void finish_table(mls_table *table, mls_view *view)
{
    const bool some = table->count > 0;
    mls_table_finish(table, view);
    if (some)
        mls_view_gap(view);
}

/* Print the title of a profile or job, and release the buffer. */
static void show_headline(mls_view *view, mls_str title, mls_buffer *rest)
{
    mls_output_text(view->output, view->format == MLS_FORMAT_MARKDOWN ? "### " : "");
    mls_view_headline(view, title, rest, HANG);
    mls_view_gap(view);
}

/* Print a table of the rows that --top allows, and `left`, the number of omitted rows. */
static void finish_top(mls_table *table, mls_view *view, size_t left)
{
    finish_table(table, view);
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
    finish_table(&table, view);
    if (!profile->has_devices)
        mls_view_printf(view, MLS_STYLE_DIM, INDENT, HANG,
                        "no timeline in this input: tables of devices and streams are unavailable");
}

static void show_tables(mls_view *view, const mls_profile *profile, mls_profile_by by)
{
    static const mls_table_member step_columns[] = {
        MLS_TABLE_MEMBER("step", COUNT, mls_profile_step, number, 0),
        MLS_TABLE_MEMBER("from ms", TIME, mls_profile_step, start_ms, 3),
        MLS_TABLE_MEMBER("ms", TIME, mls_profile_step, length_ms, 3),
        MLS_TABLE_MEMBER("GPU ms", TIME, mls_profile_step, gpu_ms, 3),
    };
    static const mls_table_member analysis_columns[] = {
        MLS_TABLE_MEMBER("rule", NAME, mls_profile_found, rule, NAME_SHOWN),
        MLS_TABLE_MEMBER("of", NAME, mls_profile_found, name, NAME_SHOWN),
        MLS_TABLE_MEMBER("count", COUNT, mls_profile_found, count, 0),
        MLS_TABLE_MEMBER("ms", TIME, mls_profile_found, total_ms, 3),
        MLS_TABLE_MEMBER("longest ms", TIME, mls_profile_found, longest_ms, 3),
    };
    static const mls_table_member launch_columns[] = {
        MLS_TABLE_MEMBER("kernel", NAME, mls_profile_launches, name, NAME_SHOWN),
        MLS_TABLE_MEMBER("launched by", NAME, mls_profile_launches, api, NAME_SHOWN),
        MLS_TABLE_MEMBER("count", COUNT, mls_profile_launches, count, 0),
        MLS_TABLE_MEMBER("call ms", TIME, mls_profile_launches, api_ms, 3),
        MLS_TABLE_MEMBER("queued ms", TIME, mls_profile_launches, queue_ms, 3),
        MLS_TABLE_MEMBER("kernel ms", TIME, mls_profile_launches, kernel_ms, 3),
    };
    enum { ADVICE_SHOWN = 10 };
    const bool verbose = view->verbose > 0;
    bool occupancy = false;
    for (size_t i = 0; i < profile->counter_count; i++)
        occupancy |= isfinite(profile->counters[i].occupancy_percent) || isfinite(profile->counters[i].waves);
    /* Print tables of classes, kernels, copies or calls with their count and time.  Kernels have more columns. */
    const struct {
        bool wanted, kernels;
        const char *header, *counted_as;
        const mls_profile_rows *rows;
    } tables[] = {{by == MLS_PROFILE_BY_CLASS, false, "class", "launches", &profile->classes},
                  {by == MLS_PROFILE_BY_NAME || (by == MLS_PROFILE_BY_CLASS && profile->has_counters), true, "kernel",
                   "launches", &profile->names},
                  {verbose, false, "copy", "count", &profile->copies},
                  {verbose, false, "API", "calls", &profile->api},
                  {verbose, false, "range", "calls", &profile->ranges},
                  {verbose, false, "OS runtime", "calls", &profile->osrt}};
    if (by == MLS_PROFILE_BY_STREAM || by == MLS_PROFILE_BY_DEVICE)
        show_lines(view, profile, by == MLS_PROFILE_BY_STREAM);
    if (by == MLS_PROFILE_BY_ANNOTATION) {
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
            mls_view_printf(view, MLS_STYLE_DIM, INDENT, HANG, "no host annotations in this profile");
    }
    mls_table steps = {.indent = INDENT};
    MLS_TABLE_ROWS(&steps, step_columns, profile->steps.each, verbose ? profile->steps.count : 0);
    finish_table(&steps, view);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const size_t count = tables[i].rows->count;
        const size_t shown = i == 0 ? count : mls_profile_top(profile, count);
        mls_table table = {.indent = INDENT};
        for (size_t k = 0; k < shown && tables[i].wanted; k++) {
            const mls_profile_row *row = &tables[i].rows->items[k];
            const mls_profile_counter *counter = row->counter;
            mls_table_row(&table);
            name_cell(&table, tables[i].header, row->name);
            if (tables[i].kernels)
                mls_table_text(&table, "class", MLS_COLUMN_LEFT, row->class_name);
            number_cell(&table, tables[i].counted_as, (double)row->count, 0);
            number_cell(&table, "ms", row->total_ms, 3);
            if (isfinite(row->share))
                mls_table_words(&table, "share", DECIMAL, mls_words_percent(row->share, 1));
            if (counter != NULL) {
                number_cell(&table, "compute %", counter->compute_percent, 1);
                mls_table_cell(&table, "memory %", DECIMAL, MLS_STYLE_PLAIN, "%s%s",
                               counter->memory_at_least ? ">" : "", mls_words_grouped(counter->memory_percent, 1).text);
                number_cell(&table, "DRAM %", counter->dram_percent, 1);
                if (occupancy) {
                    number_cell(&table, "occupancy %", counter->occupancy_percent, 1);
                    number_cell(&table, "waves", counter->waves, 2);
                }
                mls_table_cell(&table, "bound", MLS_COLUMN_LEFT, MLS_STYLE_PLAIN, "%s%s",
                               mls_profile_bound_names[counter->bound], counter->near_peak ? ", near peak" : "");
            } else if (tables[i].kernels) {
                number_cell(&table, "min µs", row->min_us, 1);
                number_cell(&table, "max µs", row->max_us, 1);
            }
            if (isfinite(row->megabytes))
                number_cell(&table, "MB", row->megabytes, 3);
        }
        if (tables[i].wanted)
            finish_top(&table, view, count - shown);
    }
    mls_table advice = {.indent = INDENT};
    const size_t top = mls_profile_top(profile, profile->advice_count);
    const size_t advised = verbose || top < ADVICE_SHOWN ? top : ADVICE_SHOWN;
    for (size_t i = 0; i < advised; i++) {
        const mls_profile_advice *row = &profile->advice[i];
        mls_table_row(&advice);
        name_cell(&advice, "kernel", row->name);
        name_cell(&advice, "rule", row->rule);
        mls_table_cell(&advice, "faster", RIGHT, MLS_STYLE_PLAIN, "%s%s",
                       mls_words_percent(row->speedup_percent / 100, 1).text, row->global ? "" : " of a part");
        number_cell(&advice, "gain ms", row->gain_ms, 3);
        mls_table_text(&advice, "by", MLS_COLUMN_CUT, row->words);
    }
    finish_table(&advice, view);
    mls_view_more(view, MLS_STYLE_DIM, INDENT, profile->advice_count - advised, NULL,
                  advised < top ? "-v lists more" : "--top 0 lists all");
    mls_table analysis = {.indent = INDENT};
    MLS_TABLE_ROWS(&analysis, analysis_columns, profile->analysis, profile->analysis_count);
    finish_table(&analysis, view);
    if (verbose || profile->names.count == 0) {
        mls_table launches = {.indent = INDENT};
        const size_t shown = mls_profile_top(profile, profile->launch_count);
        MLS_TABLE_ROWS(&launches, launch_columns, profile->launches, shown);
        finish_top(&launches, view, profile->launch_count - shown);
    }
}

static void show_profile(mls_view *view, const mls_profile *profile, mls_profile_by by)
{
    mls_finding_list found = {0};
    mls_buffer rest = {0};
    mls_buffer_printf(&rest, "   %s", mls_profile_kinds[profile->kind].words);
    if (profile->steps.count > 0) {
        mls_buffer_printf(&rest, "   %s, %s ms each",
                          mls_words_plural((size_t)profile->steps.count, "step", "steps").text,
                          mls_words_grouped(profile->steps.mean_ms, 1).text);
    }
    if (profile->device_count == 1) {
        mls_buffer_append_text(&rest, "   device ");
        mls_buffer_append(&rest, profile->devices[0].device.len > 0 ? profile->devices[0].device : MLS_S("?"));
        mls_buffer_printf(&rest, ": %s ms", mls_words_grouped(profile->devices[0].window_ms, 1).text);
    } else if (profile->device_count > 1) {
        mls_buffer_printf(&rest, "   %zu devices", profile->device_count);
    }
    mls_buffer_append_text(&rest, profile->complete ? "" : "   incomplete");
    show_headline(view, mls_str_from(mls_path_shown(profile->file)), &rest);
    for (size_t i = 0; i < profile->device_count; i++) {
        /* Print how a device spent its time.  If launches are known, print the duration of kernels and the time between
         * launch and start. */
        const mls_profile_device *device = &profile->devices[i];
        mls_buffer line = {0};
        const double window = device->window_ms;
        if (!(profile->device_count == 1)) {
            mls_buffer_append_text(&line, "device ");
            mls_buffer_append(&line, device->device.len > 0 ? device->device : MLS_S("?"));
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
        if (!isfinite(device->graph_share))
            continue;
        mls_buffer_printf(
            &line, "kernels take %s µs in the median · start %s µs after their launch, 95 %% of them within %s µs",
            mls_words_grouped(device->kernel_median_us, 1).text,
            mls_words_grouped(device->launch_delay_median_us, 1).text,
            mls_words_grouped(device->launch_delay_95_us, 1).text);
        if (device->graph_share > 0)
            mls_buffer_printf(&line, " · CUDA graphs %s of their time", mls_words_percent(device->graph_share, 1).text);
        if (device->without_launch > 0) {
            mls_buffer_printf(&line, " · %s without a launch in the trace",
                              mls_words_plural((size_t)device->without_launch, "kernel", "kernels").text);
        }
        mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
    }
    const double outside = profile->steps.outside_ms; /* unknown if no launch is known */
    if (profile->steps.count > 0 && outside > 0) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG,
                        "%s ms of the GPU's time (%s) was launched outside of steps",
                        mls_words_grouped(outside, 3).text,
                        mls_words_percent(mls_profile_share(outside, profile->activity_ms), 1).text);
    }
    for (size_t i = 0; i < profile->memory_count; i++) {
        const mls_profile_memory *memory = &profile->memory[i];
        mls_buffer line = {0};
        mls_buffer_append_text(&line, "peak memory of device ");
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
                        profile->run.inside ? ", entirely within the run" : ", partly outside the run");
    } else if (profile->run.file != NULL) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "position in %s unknown: %s", profile->run.file,
                        isfinite(profile->start_ms) ? "the log has no run with a run_start"
                                                    : "the profile does not contain the time of day");
    }
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

/* --------------------------------------------------------- ranks of a job */

/* Sort ranks by how long others waited for them, the longest first, then by number. */
static int compare_awaited(const void *a, const void *b)
{
    const mls_rank *x = *(const mls_rank *const *)a;
    const mls_rank *y = *(const mls_rank *const *)b;
    return x->others_waited_ms != y->others_waited_ms ? (x->others_waited_ms < y->others_waited_ms ? 1 : -1)
                                                      : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Show all ranks in their order.  If there are many ranks and `all` is false, show the ranks that others waited for
 * longest. */
static void show_ranks(mls_view *view, const mls_ranks *job, bool all)
{
    static const mls_table_member columns[] = {
        MLS_TABLE_MEMBER("transfer ms", DECIMAL | KEEP, mls_rank, transfer_ms, 3),
        MLS_TABLE_MEMBER("waiting ms", DECIMAL | KEEP, mls_rank, waiting_ms, 3),
        MLS_TABLE_MEMBER("others waited", DECIMAL | KEEP, mls_rank, others_waited_ms, 3),
        MLS_TABLE_MEMBER("computing", DECIMAL, mls_rank, compute_ms, 3),
        MLS_TABLE_MEMBER("idle", DECIMAL, mls_rank, idle_ms, 3),
        MLS_TABLE_MEMBER("by host", DECIMAL, mls_rank, idle_host_ms, 3),
    };
    mls_table table = {.indent = INDENT};
    const bool some = !all && job->count > RANKS_SHOWN;
    const mls_rank **order = mls_calloc(job->count + 1, sizeof(const mls_rank *));
    for (size_t i = 0; i < job->count; i++)
        order[i] = &job->items[i];
    if (some)
        qsort(order, job->count, sizeof(const mls_rank *), compare_awaited);
    for (size_t i = 0; i < (some ? RANKS_SHOWN : job->count); i++) {
        const mls_rank *rank = order[i];
        mls_table_row(&table);
        table.style = rank == job->straggler ? MLS_STYLE_WARN : MLS_STYLE_PLAIN;
        mls_table_cell(&table, "rank", RIGHT | KEEP, table.style, "%zu", rank->rank);
        mls_table_text(&table, "file", KEEP | MLS_COLUMN_CUT, mls_path_shown(rank->below));
        MLS_TABLE_MEMBERS(&table, columns, rank);
    }
    free(order);
    finish_table(&table, view);
    mls_view_more(view, MLS_STYLE_DIM, INDENT, some ? job->count - RANKS_SHOWN : 0, "rank", "--by rank lists all");
}

static bool has_verdict(const mls_rank *rank, const char *code)
{
    const mls_profile *profile = rank->profile;
    bool has = false;
    for (size_t i = 0; i < profile->verdict_count && !has; i++)
        has = strcmp(profile->verdicts[i].code, code) == 0;
    return has;
}

static void show_job(mls_view *view, const mls_profiles *all)
{
    static const mls_table_member columns[] = {
        MLS_TABLE_MEMBER("collective", KEEP | MLS_COLUMN_CUT, mls_collective_sum, name, COLLECTIVE_NAME_SHOWN),
        MLS_TABLE_MEMBER("bytes", RIGHT | KEEP, mls_collective_sum, bytes, 0),
        MLS_TABLE_MEMBER("in group", RIGHT, mls_collective_sum, members, 0),
        MLS_TABLE_MEMBER("count", RIGHT, mls_collective_sum, count, 0),
        MLS_TABLE_MEMBER("transfer ms", DECIMAL, mls_collective_sum, transfer_ms, 3),
        MLS_TABLE_MEMBER("waiting ms", DECIMAL, mls_collective_sum, waiting_ms, 3),
        MLS_TABLE_MEMBER("bus GB/s", DECIMAL, mls_collective_sum, bus_gb_s, 1),
    };
    const mls_ranks *job = all->job;
    const mls_str title = job->folder.len > 0 ? job->folder : MLS_S("job");
    mls_finding_list found = {0};
    mls_buffer rest = {0};
    double waiting = 0;
    for (size_t i = 0; i < job->count; i++)
        waiting += job->items[i].waiting_ms;
    mls_buffer_printf(&rest, "   %s   %s matched", mls_words_plural(job->count, "rank", "ranks").text,
                      mls_words_plural(job->matched, "collective", "collectives").text);
    if (job->unmatched > 0)
        mls_buffer_printf(&rest, ", %s not", mls_words_plural(job->unmatched, "kind", "kinds").text);
    if (job->matched > 0)
        mls_buffer_printf(&rest, "   %s ms of waiting", mls_words_trimmed(waiting, waiting < 10 ? 3 : 1).text);
    show_headline(view, title, &rest);
    if (!view->quiet) {
        show_ranks(view, job, view->verbose > 0 || all->by == MLS_PROFILE_BY_RANK);
        const bool every = view->verbose > 0 || all->by == MLS_PROFILE_BY_COLLECTIVE;
        mls_table table = {.indent = INDENT};
        const size_t shown =
            every || job->collective_count < COLLECTIVES_SHOWN ? job->collective_count : COLLECTIVES_SHOWN;
        MLS_TABLE_ROWS(&table, columns, job->collectives, shown);
        finish_table(&table, view);
        mls_view_more(view, MLS_STYLE_DIM, INDENT, job->collective_count - shown, NULL, "--by collective lists all");
    }
    if (job->matched + job->unmatched == 0) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG,
                        "no kernel names its collective, so it is unknown which rank waited for which");
    }
    for (size_t i = 0; i < job->verdict_count; i++) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "%s  [%s]", job->verdicts[i].message,
                        job->verdicts[i].code);
    }
    if (!all->each) {
        /* Show each piece of advice once, with the message of the first rank that has it: "rank 0 (also 1, 4-7): …". */
        for (size_t i = 0; i < job->count; i++) {
            const mls_profile *profile = job->items[i].profile;
            for (size_t v = 0; v < profile->verdict_count; v++) {
                const mls_profile_verdict *verdict = &profile->verdicts[v];
                mls_buffer more = {0};
                bool shown = false;
                for (size_t k = 0; k < i && !shown; k++)
                    shown = has_verdict(&job->items[k], verdict->code);
                if (shown)
                    continue;
                for (size_t k = i + 1, end; k<job->count; k = end> k ? end : k + 1) {
                    for (end = k; end < job->count &&
                                  (end == k || job->items[end].rank == job->items[end - 1].rank + 1) &&
                                  has_verdict(&job->items[end], verdict->code);)
                        end++;
                    if (end > k)
                        mls_buffer_printf(&more, "%s%zu", more.len > 0 ? ", " : "", job->items[k].rank);
                    if (end > k + 1)
                        mls_buffer_printf(&more, "%s%zu", end > k + 2 ? "-" : ", ", job->items[end - 1].rank);
                }
                mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "rank %zu%s%s%s: %s  [%s]", job->items[i].rank,
                                more.len > 0 ? " (also " : "", more.len > 0 ? more.ptr : "", more.len > 0 ? ")" : "",
                                verdict->message, verdict->code);
                mls_buffer_release(&more);
            }
        }
    }
    mls_finding_list_add(&found, &job->findings, (mls_owner){.path = NULL}, view);
    for (size_t i = 0; i < job->count && !all->each; i++) {
        const mls_profile *profile = job->items[i].profile;
        mls_finding_list_add(&found, &profile->findings, (mls_owner){.path = profile->file}, view);
    }
    const mls_finding_list_look look = {
        .indent = INDENT, .hang = HANG, .named = true, .sorted = true, .limit = mls_view_limit(view, FINDINGS_SHOWN)};
    mls_finding_list_show(view, &found, look);
}

static void show_profiles(mls_printer *to, const void *what)
{
    const mls_profiles *all = what;
    mls_view *view = to->view;
    bool some = all->job != NULL;
    if (all->job != NULL)
        show_job(view, all);
    for (size_t i = 0; i < all->count; i++) {
        bool of_job = false; /* the profile is of a rank of the job, whose ranks are shown together */
        for (size_t k = 0; all->job != NULL && k < all->job->count; k++)
            of_job |= all->job->items[k].profile == all->items[i];
        if (all->each || !of_job) {
            mls_output_text(view->output, some ? "\n" : "");
            show_profile(view, all->items[i], all->by);
            some = true;
        }
    }
    if (all->changes != NULL) {
        const bool steps = all->changes->per_step;
        const double factor = steps ? 1 : 100;
        mls_table table = {.indent = INDENT};
        mls_buffer rest = {0};
        mls_output_text(view->output, "\n");
        mls_buffer_printf(&rest, "   against %s, %s", mls_path_shown(all->base->file),
                          steps ? "milliseconds a step" : "percent of the activity");
        show_headline(view, mls_str_from(mls_path_shown(all->items[0]->file)), &rest);
        for (size_t i = 0; i < all->changes->count; i++) {
            const mls_profile_change *change = &all->changes->items[i];
            mls_table_row(&table);
            name_cell(&table, "class", change->name);
            number_cell(&table, "before", change->before * factor, 3);
            number_cell(&table, "after", change->after * factor, 3);
            mls_table_words(&table, "change", DECIMAL, mls_words_signed((change->after - change->before) * factor, 3));
        }
        finish_table(&table, view);
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

#define RANK_FIELDS(F)                                                                                                 \
    F(rank, rank, NUMBER, "", row->rank)                                                                               \
    F(rank, file, TEXT, "", row->profile->file)                                                                        \
    F(rank, transfer_ms, NUMBER, "ms", row->transfer_ms)                                                               \
    F(rank, waiting_ms, NUMBER, "ms", row->waiting_ms)                                                                 \
    F(rank, others_waited_ms, NUMBER, "ms", row->others_waited_ms)                                                     \
    F(rank, compute_ms, NUMBER, "ms", row->compute_ms)                                                                 \
    F(rank, idle_ms, NUMBER, "ms", row->idle_ms)                                                                       \
    F(rank, idle_host_ms, NUMBER, "ms", row->idle_host_ms)                                                             \
    F(rank, idle_queue_ms, NUMBER, "ms", row->idle_queue_ms)                                                           \
    F(rank, idle_unknown_ms, NUMBER, "ms", row->idle_unknown_ms)                                                       \
    F(rank, nccl_without_arguments, NUMBER, "", row->profile->nccl_without_arguments)
MLS_FIELDS(rank, mls_rank, RANK_FIELDS)

#define COLLECTIVE_FIELDS(F)                                                                                           \
    F(collective, collective, TEXT, "", row->name)                                                                     \
    F(collective, bytes, NUMBER_OR_NULL, "", row->bytes)                                                               \
    F(collective, members, NUMBER_OR_NULL, "", row->members)                                                           \
    F(collective, count, NUMBER, "", row->count)                                                                       \
    F(collective, transfer_ms, NUMBER, "ms", row->transfer_ms)                                                         \
    F(collective, waiting_ms, NUMBER, "ms", row->waiting_ms)                                                           \
    F(collective, bus_gb_per_second, NUMBER_OR_NULL, "", row->bus_gb_s)
MLS_FIELDS(collective, mls_collective_sum, COLLECTIVE_FIELDS)

#define JOB_FIELDS(F)                                                                                                  \
    F(job, matched, NUMBER, "", row->matched)                                                                          \
    F(job, unmatched, NUMBER, "", row->unmatched)                                                                      \
    F(job, straggler, NUMBER_OR_NULL, "", row->straggler != NULL ? (double)row->straggler->rank : (double)NAN)         \
    F(job, world_size, COUNT_OR_NULL, "", row->world_size)                                                             \
    F(job, ranks, LIST(rank), "", MLS_ROWS(row->items, row->count))                                                    \
    F(job, collectives, LIST(collective), "", MLS_ROWS(row->collectives, row->collective_count))                       \
    F(job, verdicts, LIST(verdict), "", MLS_ROWS(row->verdicts, row->verdict_count))                                   \
    F(job, findings, FINDINGS, "", mls_finding_list_add(&found, &row->findings, (mls_owner){.path = NULL}, NULL))
MLS_FIELDS(job, mls_ranks, JOB_FIELDS)

#define PROFILES_FIELDS(F)                                                                                             \
    F(profiles, profiles, LIST(profile), "", MLS_ROWS_AT(row->items, row->count))                                      \
    F(profiles, job, OBJECT_OF(job), "", row->job)                                                                     \
    F(profiles, against, OBJECT_OF(against), "", row->changes != NULL ? row : NULL)
MLS_FIELDS(profiles, mls_profiles, PROFILES_FIELDS)

/* CSV has the counters of a kernel in the row of the kernel. */
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
                       .rows = "job ranks", .sources = {&rank_fields}),
    [MLS_PROFILE_BY_COLLECTIVE] =
        PROFILE_REPORT(.section = "PROFILE BY COLLECTIVE CSV",
                       .names = "collective bytes members count transfer_ms waiting_ms bus_gb_per_second",
                       .rows = "job collectives", .sources = {&collective_fields}),
    [MLS_PROFILE_BY_CHANGE] =
        PROFILE_REPORT(.section = "PROFILE AGAINST CSV", .names = "file against unit class before after change",
                       .rows = "against classes", .sources = {&compared_fields, &against_fields, &change_fields}),
};
