/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_watch.c - mlscore watch: follow running jobs, on a live screen or as a line or object per event. */
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/temporary.h"
#include "cli/command.h"
#include "compare/published/published.h"
#include "explain/watch/watch.h"
#include "report/reports.h"
#include "term/terminal.h"

enum { MLS_EXIT_TIMEOUT = 4, MLS_EXIT_INTERRUPTED = 130 };

enum {
    INTERVAL_MS = 2000, /* default of --interval, in milliseconds */
    READ_MS = 50,       /* minimum time between two readings of the logs, in milliseconds */
    FRAME_MS = 250,     /* minimum time between two updates of the screen, in milliseconds */
    TICK_MS = 1000,     /* time between two updates of the screen if nothing has changed, in milliseconds */
    JOB_MS = 30000,     /* minimum time between two queries of Slurm, in milliseconds */
    NARROW = 40         /* minimum width of the screen in columns; in a narrower window, lines are printed instead */
};

typedef struct watch_settings {
    bool once, poll, exit_on_end, full;
    const char *interval, *timeout, *beat;
    double interval_ms, timeout_ms;
    mls_collect_options how;
    mls_watch watch;
    mls_screen screen;
    mls_terminal terminal;
    mls_signatures *signatures;
    mls_running_job job; /* the Slurm job whose folder is followed; its member `job` is NULL if no job was given */
    double asked_ms;     /* time of the last query of Slurm (mls_clock_ms()) */
    mls_buffer above;    /* lines to print above the screen */
    bool draws;          /* draw a screen; otherwise print a line or an object per event */
    bool quiet_events;   /* print only the score and the end of watching */
    bool frozen;         /* the user has paused the screen */
    bool timed_out;
    bool closed; /* the reader of the output, such as head, has closed the pipe */
} watch_settings;

#define AT(member) offsetof(watch_settings, member)

static const mls_option options[] = {
    MLS_ROWS_ROUND,
    MLS_ROW_RULES_AS("use the rules in FILE"),
    MLS_ROW_FLAG('\0', "once", AT(once), "print the current state once and exit"),
    MLS_ROW_FLAG('\0', "exit-on-end", AT(exit_on_end),
                 "exit when every group has all its runs, or the Slurm job has ended"),
    MLS_ROW_TEXT('\0', "timeout", "SECONDS", AT(timeout), "exit with status 4 after SECONDS"),
    MLS_ROW_TEXT('\0', "interval", "SECONDS", AT(interval),
                 "time between searches for new files, and minimum time between progress lines of a run: 0.1 to 3600 "
                 "(default: 2)"),
    MLS_ROW_FLAG('\0', "poll", AT(poll), "poll files instead of using inotify"),
    MLS_ROW_WORD("beat", "MINUTES", "published", AT(beat),
                 "time to beat in minutes, or 'published' for the fastest published result; shows the average that the "
                 "remaining runs need"),
    MLS_ROW_FLAG('\0', "full", AT(full), "use the full screen"),
    MLS_ROW_FORMAT("table|ndjson"),
    MLS_ROW_THREADS,
    MLS_ROW_COLOR,
    MLS_ROW_QUIET_AS("omit progress and newly found files"),
    MLS_ROW_VERBOSE_AS("list every finding in the final table"),
    MLS_ROWS_LAST,
};

static double time_of_day_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec * 1000 + floor((double)now.tv_nsec / 1e6);
}

static void handle_event(void *state, const mls_watch_event *event)
{
    mls_cli *cli = state;
    watch_settings *self = cli->settings;
    if (event->kind == MLS_WATCH_FAILURE && event->line > 0) {
        mls_buffer line = {0};
        mls_buffer_printf(&line, "%s:%zu %s", mls_path_name(event->file), event->line, event->message);
        mls_screen_note(&self->screen, mls_buffer_str(&line));
        mls_buffer_release(&line);
    }
    if (self->draws) {
        const bool narrow = self->screen.width < NARROW;
        /* Progress is shown on the screen only.  Events that remain visible are printed above the screen. */
        if (narrow || event->kind == MLS_WATCH_STOP || event->kind == MLS_WATCH_DIED ||
            event->kind == MLS_WATCH_STALLED || event->kind == MLS_WATCH_RESUMED || event->kind == MLS_WATCH_FAILURE ||
            event->kind == MLS_WATCH_FINDING ||
            (event->kind == MLS_WATCH_FILE && strcmp(event->message, "found") != 0 &&
             strcmp(event->message, MLS_WATCH_WAITING) != 0))
            mls_watch_line(event, narrow, &self->above);
    } else if (!self->closed &&
               !(cli->view.quiet && (event->kind == MLS_WATCH_PROGRESS || event->kind == MLS_WATCH_FILE)) &&
               (!self->quiet_events || event->kind == MLS_WATCH_SCORE || event->kind == MLS_WATCH_END)) {
        mls_print_item(&cli->printer, event);
        self->closed |= mls_output_is_closed(cli->view.output);
    }
}

static mls_status collect_paths(void *state, const mls_names *paths, mls_collection *collection, mls_error *error)
{
    mls_cli *cli = state;
    const watch_settings *self = cli->settings;
    (void)error; /* it was already printed */
    return mls_cli_collect(cli, paths, &self->how, NULL, collection) && mls_cli_note_endings(cli, collection)
               ? MLS_OK
               : MLS_ERROR_VALUE;
}

/* Return the minutes of the fastest published result for a group. */
static double find_published(const mls_group *group)
{
    mls_published_beside beside = {0};
    mls_error ignored;
    const bool found = mls_published_beside_find(&beside, group, 1, &ignored) == MLS_OK && beside.near->result != NULL;
    const double minutes = found ? beside.near->result->minutes : (double)NAN;
    mls_published_beside_release(&beside);
    return minutes;
}

/* Parse the argument of an option, a number of seconds from `least` to `most`, and convert it to milliseconds.  If the
 * option is not given, *ms is unchanged.  Return false after printing an error. */
static bool read_watch_seconds(mls_cli *cli, const char *name, const char *text, double least, double most, double *ms)
{
    double seconds;
    if (text == NULL)
        return true;
    if (!mls_number_parse(mls_str_from(text), &seconds) || !(seconds >= least && seconds <= most))
        return mls_cli_usage_error(cli, "invalid --%s '%s': expected %.15g to %.15g seconds", name, text, least, most);
    *ms = seconds * 1000;
    return true;
}

/* Check whether an operand is the number of a Slurm job: it has the form of one, and a file with this name does not
 * exist. */
static bool is_job(const char *operand)
{
    return mls_is_job_number(mls_str_from(operand)) && access(operand, F_OK) != 0;
}

/* Ask Slurm for the folder to which a job writes its output, and whether the job is still running. */
static mls_status ask_slurm(mls_cli *cli, mls_running_job *running, mls_error *error)
{
    watch_settings *self = cli->settings;
    const char *program = getenv("MLSCORE_SCONTROL");
    const mls_status status =
        mls_scontrol_ask(program != NULL ? program : "scontrol", cli->operands.items[0], running, error);
    self->asked_ms = mls_clock_ms();
    return status;
}

/* Set the width of the screen to that of the terminal window, and return the number of rows of the window. */
static size_t measure_window(watch_settings *self)
{
    size_t rows = 24;
    self->screen.width = 80;
    self->screen.height = 24;
    if (mls_terminal_size(&self->terminal, &self->screen.width, &rows))
        self->screen.height = rows > 1 ? rows - 1 : 1;
    return rows;
}

/* Draw the screen, or only lines if the window is too narrow.  Return false if the output was closed. */
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

static void wait_for_news(const watch_settings *self, double ms, bool read)
{
    struct pollfd ends[] = {{.fd = self->terminal.signals, .events = POLLIN},
                            {.fd = self->terminal.raw ? self->terminal.keys : -1, .events = POLLIN},
                            {.fd = read ? self->watch.follow.notify_fd : -1, .events = POLLIN}};
    (void)poll(ends, sizeof ends / sizeof *ends, ms > 0 ? (int)ceil(ms) : 0);
}

/* Follow the logs until the end, a timeout or a key.  Return false after printing an error. */
static bool follow(mls_cli *cli)
{
    watch_settings *self = cli->settings;
    mls_error error = {0};
    const double began = mls_clock_ms();
    double drawn = 0;
    bool redraw = true;
    mls_status status = MLS_OK;
    for (;;) {
        int key;
        while ((key = mls_terminal_take(&self->terminal)) != MLS_TERMINAL_NOTHING) {
            if (key == MLS_TERMINAL_END || key == 'q' || key == 3)
                return true;
            if (key == ' ')
                self->frozen = !self->frozen;
            else if (key == 'f')
                mls_terminal_fill(&self->terminal, !self->terminal.full);
            redraw = true;
        }
        const double now = mls_clock_ms();
        if (self->job.job != NULL && !self->watch.job_ended &&
            now - self->asked_ms >= fmax(JOB_MS, self->interval_ms)) {
            mls_running_job running;
            (void)!ask_slurm(cli, &running, &(mls_error){0});
            self->watch.job_ended = running.ended;
            mls_running_job_release(&running);
        }
        status = mls_watch_step(&self->watch, time_of_day_ms(), &error);
        self->timed_out = self->timeout_ms > 0 && now - began >= self->timeout_ms;
        if (!self->draws) {
            mls_output_flush(cli->view.output);
            self->closed |= mls_output_is_closed(cli->view.output);
        }
        if (status != MLS_OK || self->closed || self->timed_out ||
            (self->exit_on_end && (mls_watch_ended(&self->watch) || self->watch.job_ended)))
            break;
        const double since = now - drawn;
        const bool tick = since >= TICK_MS || ((self->watch.moved || self->above.len > 0) && since >= FRAME_MS);
        if (self->draws && (redraw || (tick && !self->frozen))) {
            self->closed = !draw(self, false);
            drawn = now;
            redraw = self->watch.moved = false;
        }
        const double until_look = self->watch.look_ms - time_of_day_ms();
        const double frame_ms = self->watch.moved ? FRAME_MS : TICK_MS;
        const double until_frame = self->draws && !self->frozen ? drawn + frame_ms - mls_clock_ms() : INFINITY;
        const double until_end = self->timeout_ms > 0 ? began + self->timeout_ms - mls_clock_ms() : INFINITY;
        wait_for_news(self, fmin(READ_MS, until_end), false);
        wait_for_news(self, fmin(fmin(until_look, until_frame), until_end) - READ_MS, true);
    }
    /* An error without a message was already printed. */
    return status == MLS_OK || (error.message[0] != '\0' && mls_cli_print_error(cli, NULL, &error));
}

static int compare_files(const void *a, const void *b)
{
    const mls_live_run *left = *(mls_live_run *const *)a;
    const mls_live_run *right = *(mls_live_run *const *)b;
    const int order = mls_str_compare_natural(mls_str_from(left->file), mls_str_from(right->file));
    return order != 0 ? order : (left->line > right->line) - (left->line < right->line);
}

/* For --once: print the screen once.  As NDJSON, print the progress of each running run and the last evaluation of each
 * ended run, in the order of the files. */
static void print_once(mls_cli *cli)
{
    watch_settings *self = cli->settings;
    mls_live_run **runs = self->watch.live.runs.items;
    if (cli->view.format != MLS_FORMAT_NDJSON) {
        mls_buffer block = {0};
        self->screen.width = cli->view.width;
        mls_screen_compose(&self->screen, &self->watch, &block);
        mls_output_buffer(cli->view.output, &block);
        return;
    }
    if (self->watch.live.runs.count > 1)
        qsort((void *)runs, self->watch.live.runs.count, sizeof *runs, compare_files);
    for (size_t i = 0; i < self->watch.live.runs.count; i++) {
        const bool ended = mls_live_run_ended(runs[i]);
        if (runs[i]->same == NULL && (ended ? runs[i]->evaluations > 0 : runs[i]->run_start.line > 0)) {
            const mls_watch_event event = {.kind = ended ? MLS_WATCH_EVALUATION : MLS_WATCH_PROGRESS,
                                           .time_ms = ended ? runs[i]->evaluated.time_ms : runs[i]->newest_ms,
                                           .line = ended ? runs[i]->evaluated.line : 0,
                                           .seen_ms = self->watch.live.now_ms,
                                           .file = runs[i]->file,
                                           .run = runs[i]};
            mls_print_item(&cli->printer, &event);
        }
    }
}

/* Handle a second Ctrl-C, by exiting without printing the summary. */
static void leave_at_once(int number)
{
    (void)number;
    mls_temporary_remove(); /* NOLINT(bugprone-signal-handler): only calls async-signal-safe functions */
    _exit(MLS_EXIT_INTERRUPTED);
}

/* Read the rest of the logs, set the exit status and print remaining events.  Return whether the caller is to print the
 * table of scores. */
static bool finish_watch(mls_cli *cli)
{
    watch_settings *self = cli->settings;
    const mls_collection *collection = &self->watch.collection;
    mls_error error = {0};
    const bool events = cli->view.format == MLS_FORMAT_NDJSON;
    if (self->closed)
        return false;
    if (self->draws) {
        (void)draw(self, true);
        self->quiet_events = true; /* the table of scores contains the other events */
    }
    self->draws = false;
    mls_terminal_close(&self->terminal);
    (void)signal(SIGINT, leave_at_once);
    if (mls_watch_finish(&self->watch, time_of_day_ms(), &error) != MLS_OK)
        return error.message[0] != '\0' && mls_cli_print_error(cli, NULL, &error);
    for (size_t i = 0; i < collection->run_count; i++)
        if (!collection->runs[i].valid && mls_watch_run_ended(&self->watch, &collection->runs[i]))
            mls_cli_set_status(cli, MLS_EXIT_INVALID);
    mls_cli_print_skipped(cli, &collection->skipped);
    /* It is not a failure that a file does not exist yet. */
    const bool failed = cli->status == MLS_EXIT_IO && self->watch.follow.missing.count == 0;
    if (self->timed_out && !mls_watch_ended(&self->watch) && !failed)
        cli->status = MLS_EXIT_TIMEOUT;
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
    const char *terminal = getenv("TERM");
    self->how.facts = MLS_FACTS_OF_GROUPS;
    self->how.work.progress = NULL;
    self->draws = !self->once && cli->view.format == MLS_FORMAT_TABLE && isatty(STDOUT_FILENO) == 1 &&
                  terminal != NULL && *terminal != '\0' && strcmp(terminal, "dumb") != 0;
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
                                       .event = handle_event,
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
    const bool table = ok && finish_watch(cli);
    mls_print_end(&cli->printer);
    if (table) {
        const mls_collection *collection = &self->watch.collection;
        mls_published_beside published = {0};
        mls_error error = {0};
        if (!cli->view.quiet &&
            mls_published_beside_find(&published, collection->groups, collection->group_count, &error) != MLS_OK)
            mls_cli_print_error(cli, NULL, &error);
        if (collection->group_count > 0) {
            mls_print_begin(&cli->printer, &cli->view, &mls_score_report, &(mls_score_beside){NULL, published.near});
            mls_print_item(&cli->printer, collection);
            mls_print_end(&cli->printer);
        }
        mls_published_beside_release(&published);
    }
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
    self->interval_ms = INTERVAL_MS;
    self->screen.beat = (double)NAN;
    if (!read_watch_seconds(cli, "interval", self->interval, 0.1, 3600, &self->interval_ms) ||
        !read_watch_seconds(cli, "timeout", self->timeout, 0.1, 31536000, &self->timeout_ms))
        return;
    if (self->beat != NULL && strcmp(self->beat, "published") == 0) {
        self->screen.beat_of = find_published;
    } else if (self->beat != NULL &&
               !(mls_number_parse(mls_str_from(self->beat), &self->screen.beat) && self->screen.beat > 0)) {
        mls_cli_usage_error(cli, "invalid --beat '%s': expected minutes above 0, or published", self->beat);
        return;
    }
    for (size_t i = 0; i < cli->operands.count; i++) {
        const char *path = cli->operands.items[i];
        struct stat about;
        mls_error why = {0};
        bool ok = true;
        if (is_job(path) && cli->operands.count > 1)
            ok = mls_cli_usage_error(cli, "job %s cannot be combined with other paths", path);
        else if (strcmp(path, "-") == 0)
            ok = mls_cli_usage_error(cli, "cannot follow standard input: name a file or a folder");
        else if (mls_file_look(path, &about, &why) != MLS_OK && why.system_errno == 0)
            ok = mls_cli_error(cli, MLS_EXIT_IO, path, "%s", why.message);
        if (!ok)
            return;
    }
    if (is_job(operand) && ask_slurm(cli, &self->job, &error) != MLS_OK) {
        mls_cli_error(cli, MLS_EXIT_IO, NULL, "job %s: %s", operand, error.message);
    } else if (mls_cli_judge_options(cli, &self->how)) {
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
             "remaining, the score so far, and (with --beat) the average that the remaining\n"
             "runs must reach. It only reads: it never signals or cancels jobs or writes to\n"
             "the files it follows.",
    .options = options,
    .settings_size = sizeof(watch_settings),
    .paths = "no path given",
    .run = watch_run,
};
