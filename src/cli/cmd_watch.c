/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_watch.c - mlscore watch: running jobs, how far they are, how long still, and what the score is so far. */
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/temporary.h"
#include "cli/command.h"
#include "compare/published/published.h"
#include "explain/watch/screen.h"
#include "report/reports.h"
#include "term/terminal.h"

enum { MLS_EXIT_TIMEOUT = 4, MLS_EXIT_INTERRUPTED = 130 };

/* Milliseconds: between looks, at least between readings, frames and ticks of the clock. */
enum { INTERVAL_MS = 2000, READ_MS = 50, FRAME_MS = 250, TICK_MS = 1000, JOB_MS = 30000, NARROW = 40 };

typedef struct watch_settings {
    bool once, poll, exit_on_end, full;
    const char *interval, *timeout, *beat;
    double interval_ms, timeout_ms;
    mls_collect_options how;
    mls_watch watch;
    mls_screen screen;
    mls_terminal terminal;
    mls_signatures *signatures;
    mls_running_job job; /* whose folder is watched; job NULL: none */
    double asked_ms;     /* when Slurm was asked last */
    mls_buffer above;    /* lines that are still to be drawn */
    bool draws;          /* on a terminal; else a line or an object an event */
    bool quiet_events, frozen;
    bool timed_out, gone; /* gone: nobody reads the output any more */
} watch_settings;

#define AT(member) offsetof(watch_settings, member)

static const mls_option options[] = {
    MLS_ROWS_ROUND,
    MLS_ROW_RULES_AS("judge by the rules in FILE"),
    MLS_ROW_FLAG('\0', "once", AT(once), "print the current state once and exit"),
    MLS_ROW_FLAG('\0', "exit-on-end", AT(exit_on_end),
                 "exit when every group has all its runs, or the Slurm job has ended"),
    MLS_ROW_TEXT('\0', "timeout", "SECONDS", AT(timeout), "exit with status 4 after SECONDS"),
    MLS_ROW_TEXT('\0', "interval", "SECONDS", AT(interval), "polling interval, 0.1 to 3600 (default: 2)"),
    MLS_ROW_FLAG('\0', "poll", AT(poll), "poll files instead of using inotify"),
    MLS_ROW_WORD("beat", "MINUTES", "published", AT(beat),
                 "show the average that the remaining runs need to beat MINUTES, or the fastest result (published)"),
    MLS_ROW_FLAG('\0', "full", AT(full), "use the full screen"),
    MLS_ROW_FORMAT("table|ndjson"),
    MLS_ROW_THREADS,
    MLS_ROW_COLOR,
    MLS_ROW_QUIET_AS("omit progress and found files"),
    MLS_ROW_VERBOSE_AS("list every finding in the final table"),
    MLS_ROWS_LAST,
};

static double now_of_day(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec * 1000 + floor((double)now.tv_nsec / 1e6);
}

/* Events that stay on a screen above what is drawn, which shows what is waited for. */
static bool is_lasting(const mls_watch_event *event)
{
    return event->kind == MLS_WATCH_STOP || event->kind == MLS_WATCH_DIED || event->kind == MLS_WATCH_STALLED ||
           event->kind == MLS_WATCH_RESUMED || event->kind == MLS_WATCH_FAILURE || event->kind == MLS_WATCH_FINDING ||
           (event->kind == MLS_WATCH_FILE && strcmp(event->message, "found") != 0 &&
            strcmp(event->message, MLS_WATCH_WAITING) != 0);
}

static void take_event(void *state, const mls_watch_event *event)
{
    mls_cli *cli = state;
    watch_settings *self = cli->settings;
    if (event->kind == MLS_WATCH_FAILURE && event->line > 0) {
        mls_buffer line = {0};
        mls_buffer_printf(&line, "%s:%zu %s", mls_path_name(event->file), event->line, event->message);
        mls_screen_note(&self->screen, mls_buffer_str(&line));
        mls_buffer_release(&line);
    }
    if (self->draws && self->screen.width < NARROW) {
        mls_watch_dated_line(event, &self->above);
    } else if (self->draws && is_lasting(event)) {
        mls_watch_line(event, &self->above);
        mls_buffer_append_char(&self->above, '\n');
    } else if (!self->draws && !self->gone &&
               !(cli->view.quiet && (event->kind == MLS_WATCH_PROGRESS || event->kind == MLS_WATCH_FILE)) &&
               (!self->quiet_events || event->kind == MLS_WATCH_SCORE || event->kind == MLS_WATCH_END)) {
        mls_print_item(&cli->printer, event);
        self->gone |= mls_output_is_closed(cli->view.output);
    }
}

static mls_status collect_paths(void *state, const mls_names *paths, mls_collection *collection, mls_error *error)
{
    mls_cli *cli = state;
    const watch_settings *self = cli->settings;
    (void)error; /* it has been printed */
    return mls_cli_collect(cli, paths, &self->how, NULL, collection) && mls_cli_note_endings(cli, collection)
               ? MLS_OK
               : MLS_ERROR_VALUE;
}

/* Return the minutes of the fastest published result beside a group. */
static double find_published(const mls_group *group)
{
    mls_published_beside beside = {0};
    mls_error ignored;
    const bool found = mls_published_beside_find(&beside, group, 1, &ignored) == MLS_OK && beside.near->result != NULL;
    const double minutes = found ? beside.near->result->minutes : (double)NAN;
    mls_published_beside_release(&beside);
    return minutes;
}

/* Read a number of seconds in a range.  False after a complaint. */
static bool read_watch_seconds(mls_cli *cli, const char *name, const char *text, double least, double most, double *ms)
{
    double seconds;
    if (text == NULL)
        return true;
    if (!mls_number_parse(mls_str_from(text), &seconds) || !(seconds >= least && seconds <= most))
        return mls_cli_usage_error(cli, "--%s takes seconds, %.15g to %.15g, not '%s'", name, least, most, text);
    *ms = seconds * 1000;
    return true;
}

/* Return whether an operand is a job's number; a file of that name comes first. */
static bool is_job(const char *operand)
{
    return mls_is_job_number(mls_str_from(operand)) && access(operand, F_OK) != 0;
}

/* Ask Slurm where the job writes, and whether it still runs. */
static mls_status ask_slurm(mls_cli *cli, mls_running_job *running, mls_error *error)
{
    watch_settings *self = cli->settings;
    const char *program = getenv("MLSCORE_SCONTROL");
    const mls_status status =
        mls_scontrol_ask(program != NULL ? program : "scontrol", cli->operands.items[0], running, error);
    self->asked_ms = mls_clock_ms();
    return status;
}

/* Ask again now and then. */
static void ask_job(mls_cli *cli, double now_ms)
{
    watch_settings *self = cli->settings;
    mls_running_job running;
    mls_error error = {0};
    if (self->job.job != NULL && !self->watch.job_ended && now_ms - self->asked_ms >= fmax(JOB_MS, self->interval_ms)) {
        (void)!ask_slurm(cli, &running, &error);
        self->watch.job_ended = running.ended;
        mls_running_job_release(&running);
    }
}

static bool read_watch_settings(mls_cli *cli)
{
    watch_settings *self = cli->settings;
    self->interval_ms = INTERVAL_MS;
    self->screen.beat = (double)NAN;
    if (!read_watch_seconds(cli, "interval", self->interval, 0.1, 3600, &self->interval_ms) ||
        !read_watch_seconds(cli, "timeout", self->timeout, 0.1, 31536000, &self->timeout_ms))
        return false;
    if (self->beat != NULL && strcmp(self->beat, "published") == 0)
        self->screen.beat_of = find_published;
    else if (self->beat != NULL &&
             !(mls_number_parse(mls_str_from(self->beat), &self->screen.beat) && self->screen.beat > 0))
        return mls_cli_usage_error(cli, "--beat takes minutes above 0, or published, not '%s'", self->beat);
    struct stat about;
    mls_error why = {0};
    for (size_t i = 0; i < cli->operands.count; i++) {
        if (is_job(cli->operands.items[i]) && cli->operands.count > 1)
            return mls_cli_usage_error(cli, "job %s: a job is watched alone", cli->operands.items[i]);
        if (strcmp(cli->operands.items[i], "-") == 0)
            return mls_cli_usage_error(cli, "standard input does not grow: name a file or a folder");
        if (mls_file_look(cli->operands.items[i], &about, &why) != MLS_OK && why.system_errno == 0)
            return mls_cli_error(cli, MLS_EXIT_IO, cli->operands.items[i], "%s", why.message);
    }
    return true;
}

/* Return whether results go to a terminal that can be drawn on. */
static bool can_draw(const mls_cli *cli)
{
    const char *terminal = getenv("TERM");
    return cli->view.format == MLS_FORMAT_TABLE && isatty(STDOUT_FILENO) == 1 && terminal != NULL &&
           *terminal != '\0' && strcmp(terminal, "dumb") != 0;
}

/* Fit the screen into the window, and return how many rows that has. */
static size_t measure_window(watch_settings *self)
{
    size_t rows = 24;
    self->screen.width = 80;
    self->screen.height = 24;
    if (mls_terminal_size(&self->terminal, &self->screen.width, &rows))
        self->screen.height = rows > 1 ? rows - 1 : 1;
    return rows;
}

/* In a window too narrow for a picture there are only lines. */
static bool draw(watch_settings *self, bool last)
{
    mls_buffer block = {0};
    const size_t rows = measure_window(self);
    if (self->screen.width >= NARROW)
        mls_screen_compose(&self->screen, &self->watch, &block);
    const bool ok =
        mls_terminal_draw(&self->terminal, mls_buffer_str(&self->above), mls_buffer_str(&block), rows, last);
    if (!self->terminal.full)
        mls_buffer_clear(&self->above);
    mls_buffer_release(&block);
    return ok;
}

/* Take keys and signals.  False: watching is to end. */
static bool take_keys(watch_settings *self, bool *redraw)
{
    int what;
    while ((what = mls_terminal_take(&self->terminal)) != MLS_TERMINAL_NOTHING) {
        if (what == MLS_TERMINAL_END || what == 'q' || what == 3)
            return false;
        if (what == ' ')
            self->frozen = !self->frozen;
        else if (what == 'f')
            mls_terminal_fill(&self->terminal, !self->terminal.full);
        *redraw = true;
    }
    return true;
}

static void wait_for_news(const watch_settings *self, double ms, bool read)
{
    struct pollfd ends[] = {{.fd = self->terminal.signals, .events = POLLIN},
                            {.fd = self->terminal.raw ? self->terminal.keys : -1, .events = POLLIN},
                            {.fd = read ? self->watch.follow.notify_fd : -1, .events = POLLIN}};
    (void)poll(ends, sizeof ends / sizeof *ends, ms > 0 ? (int)ceil(ms) : 0);
}

/* Print an error that has not been printed.  False. */
static bool complain_watch(mls_cli *cli, const mls_error *error)
{
    return error->message[0] != '\0' && mls_cli_print_error(cli, NULL, error);
}

/* Follow until it ends by itself, or somebody ends it.  False after a complaint. */
static bool follow(mls_cli *cli)
{
    watch_settings *self = cli->settings;
    mls_error error = {0};
    const double began = mls_clock_ms();
    double drawn = 0;
    bool redraw = true;
    mls_status status = MLS_OK;
    while (take_keys(self, &redraw)) {
        const double stepped = mls_clock_ms();
        ask_job(cli, stepped);
        status = mls_watch_step(&self->watch, now_of_day(), &error);
        self->timed_out = self->timeout_ms > 0 && stepped - began >= self->timeout_ms;
        if (!self->draws) {
            mls_output_flush(cli->view.output);
            self->gone |= mls_output_is_closed(cli->view.output);
        }
        if (status != MLS_OK || self->gone || self->timed_out ||
            (self->exit_on_end && (mls_watch_ended(&self->watch) || self->watch.job_ended)))
            break;
        const double since = stepped - drawn;
        const bool tick = since >= TICK_MS || ((self->watch.moved || self->above.len > 0) && since >= FRAME_MS);
        if (self->draws && (redraw || (tick && !self->frozen))) {
            self->gone = !draw(self, false);
            drawn = stepped;
            redraw = self->watch.moved = false;
        }
        const double until_look = self->watch.look_ms - now_of_day();
        const double frame_ms = self->watch.moved ? FRAME_MS : TICK_MS;
        const double until_frame = self->draws && !self->frozen ? drawn + frame_ms - mls_clock_ms() : INFINITY;
        const double until_end = self->timeout_ms > 0 ? began + self->timeout_ms - mls_clock_ms() : INFINITY;
        wait_for_news(self, fmin(READ_MS, until_end), false);
        wait_for_news(self, fmin(fmin(until_look, until_frame), until_end) - READ_MS, true);
    }
    return status == MLS_OK || complain_watch(cli, &error);
}

/* 1: a run that is over is not valid, or a group can have no score; 3: something could not be read. */
static void judge_watched(mls_cli *cli)
{
    watch_settings *self = cli->settings;
    const mls_collection *collection = &self->watch.collection;
    for (size_t i = 0; i < collection->run_count; i++) {
        const mls_run *run = &collection->runs[i];
        if (!run->valid && mls_watch_run_ended(&self->watch, run))
            mls_cli_set_status(cli, MLS_EXIT_INVALID);
    }
    mls_cli_print_skipped(cli, &collection->skipped);
    /* A file that has not come yet could not be read: that is no failure. */
    const bool failed = cli->status == MLS_EXIT_IO && self->watch.follow.missing.count == 0;
    if (self->timed_out && !mls_watch_ended(&self->watch) && !failed)
        cli->status = MLS_EXIT_TIMEOUT;
}

static int compare_files(const void *a, const void *b)
{
    const mls_live_run *left = *(mls_live_run *const *)a;
    const mls_live_run *right = *(mls_live_run *const *)b;
    const int order = mls_str_compare_natural(mls_str_from(left->file), mls_str_from(right->file));
    return order != 0 ? order : (left->line > right->line) - (left->line < right->line);
}

/* Print how far each run is that goes on, and the last evaluation of each that has ended, in the order of files. */
static void print_runs(mls_cli *cli)
{
    watch_settings *self = cli->settings;
    if (self->watch.live.runs.count > 1)
        qsort((void *)self->watch.live.runs.items, self->watch.live.runs.count, sizeof(mls_live_run *), compare_files);
    for (size_t i = 0; i < self->watch.live.runs.count; i++) {
        const mls_live_run *run = self->watch.live.runs.items[i];
        const bool ended = mls_live_run_ended(run);
        if (run->same == NULL && (ended ? run->evaluations > 0 : run->run_start.line > 0)) {
            const mls_watch_event event = {.kind = ended ? MLS_WATCH_EVALUATION : MLS_WATCH_PROGRESS,
                                           .time_ms = ended ? run->evaluated.time_ms : run->newest_ms,
                                           .line = ended ? run->evaluated.line : 0,
                                           .seen_ms = self->watch.live.now_ms,
                                           .file = run->file,
                                           .run = run};
            mls_print_item(&cli->printer, &event);
        }
    }
}

static void print_once(mls_cli *cli)
{
    watch_settings *self = cli->settings;
    mls_buffer block = {0};
    if (cli->view.format == MLS_FORMAT_NDJSON) {
        print_runs(cli);
        return;
    }
    self->screen.width = cli->view.width;
    mls_screen_compose(&self->screen, &self->watch, &block);
    mls_output_buffer(cli->view.output, &block);
}

/* The table that `score` prints. */
static void print_last(mls_cli *cli)
{
    watch_settings *self = cli->settings;
    const mls_collection *collection = &self->watch.collection;
    mls_published_beside beside = {0};
    mls_error error = {0};
    if (!cli->view.quiet &&
        mls_published_beside_find(&beside, collection->groups, collection->group_count, &error) != MLS_OK)
        mls_cli_print_error(cli, NULL, &error);
    if (collection->group_count > 0) {
        mls_print_begin(&cli->printer, &cli->view, &mls_score_report, &(mls_score_beside){NULL, beside.near});
        mls_print_item(&cli->printer, collection);
        mls_print_end(&cli->printer);
    }
    mls_published_beside_release(&beside);
}

/* A second Ctrl-C does not wait for the summary. */
static void leave_at_once(int number)
{
    (void)number;
    mls_temporary_remove(); /* NOLINT(bugprone-signal-handler): it calls nothing else that a handler may not call */
    _exit(MLS_EXIT_INTERRUPTED);
}

/* Read what is left and print it.  Return whether the last table is to follow. */
static bool end_watch(mls_cli *cli)
{
    watch_settings *self = cli->settings;
    mls_error error = {0};
    const bool events = cli->view.format == MLS_FORMAT_NDJSON;
    if (self->gone)
        return false;
    if (self->draws) {
        (void)draw(self, true);
        self->quiet_events = true; /* the table has them */
    }
    self->draws = false;
    mls_terminal_close(&self->terminal);
    (void)signal(SIGINT, leave_at_once);
    const mls_status status = mls_watch_finish(&self->watch, now_of_day(), &error);
    if (status != MLS_OK)
        return complain_watch(cli, &error);
    judge_watched(cli);
    if (self->once)
        print_once(cli);
    if (events) {
        const mls_watch_event event = {.kind = MLS_WATCH_END,
                                       .time_ms = (double)NAN,
                                       .seen_ms = self->watch.live.now_ms,
                                       .exit_status = cli->status};
        mls_print_item(&cli->printer, &event);
    }
    return !events && !self->once;
}

static void watch_paths(mls_cli *cli)
{
    watch_settings *self = cli->settings;
    self->how.facts = MLS_FACTS_OF_GROUPS;
    self->how.work.progress = NULL;
    self->draws = !self->once && can_draw(cli);
    self->screen.job = self->job.job;
    self->screen.ascii = cli->view.ascii;
    self->screen.color = cli->view.color;
    self->screen.live = !self->once;
    self->quiet_events = self->once;
    const char *const folder = self->job.folder;
    const mls_watch_options watched = {.paths = folder != NULL ? &folder : (const char *const *)cli->operands.items,
                                       .path_count = cli->operands.count,
                                       .job = self->job.job,
                                       .signatures = self->signatures,
                                       .poll = self->poll || self->once,
                                       .interval_ms = self->interval_ms,
                                       .how = &self->how,
                                       .state = cli,
                                       .event = take_event,
                                       .collect = collect_paths};
    mls_print_begin(&cli->printer, &cli->view, &mls_watch_report, NULL);
    self->terminal = (mls_terminal){.signals = -1, .keys = -1, .drawn_on = -1};
    mls_watch_begin(&self->watch, &watched);
    self->watch.job_ended = self->job.ended;
    bool ok = true;
    if (!self->once) {
        mls_terminal_open(&self->terminal, self->draws ? STDOUT_FILENO : -1, self->full);
        (void)measure_window(self);
        ok = follow(cli);
    }
    const bool table = ok && end_watch(cli);
    mls_print_end(&cli->printer);
    if (table)
        print_last(cli);
    mls_terminal_close(&self->terminal);
    mls_watch_release(&self->watch);
    mls_screen_release(&self->screen);
    mls_buffer_release(&self->above);
}

static void watch_run(mls_cli *cli)
{
    watch_settings *self = cli->settings;
    const char *operand = cli->operands.items[0];
    mls_error error = {0};
    if (!read_watch_settings(cli))
        return;
    if (is_job(operand) && ask_slurm(cli, &self->job, &error) != MLS_OK) {
        mls_cli_error(cli, MLS_EXIT_IO, NULL, "job %s: %s", operand, error.message);
    } else if (mls_cli_judge(cli, &self->how)) {
        if (mls_signatures_new(&self->signatures, &error) != MLS_OK)
            mls_cli_print_error(cli, NULL, &error);
        else if (mls_cli_open(cli))
            watch_paths(cli);
    }
    mls_signatures_free(self->signatures);
    mls_running_job_release(&self->job);
}

const mls_command mls_command_watch = {
    .name = "watch",
    .summary = "monitor running jobs: progress, time remaining, score so far",
    .usage = "[OPTION]… DIR|FILE|JOBID…",
    .about = "Follows the logs of running jobs and shows the progress of each run, its time\n"
             "remaining, the score so far, and what the remaining runs need. It only reads:\n"
             "it never signals or cancels jobs or writes to the files it follows.",
    .options = options,
    .settings_size = sizeof(watch_settings),
    .paths = "no path given",
    .run = watch_run,
};
