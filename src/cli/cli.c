/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli.c - what every command needs around its work.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "cli/command.h"

void mls_cli_worsen(mls_cli *cli, int status)
{
    cli->status = status > cli->status ? status : cli->status;
}

/* -------------------------------------------------------------- complaints */

/* The one place that writes to standard error; nobody can be told if that fails. */
static void say(const mls_cli *cli, const char *path, const char *format, va_list args) MLS_PRINTF(3, 0);

static void say(const mls_cli *cli, const char *path, const char *format, va_list args)
{
    mls_buffer message = {0};
    mls_buffer line = {0};
    mls_buffer_printf(&line, "mlscore%s%s: ", cli->command != NULL ? " " : "",
                      cli->command != NULL ? cli->command->name : "");
    if (path != NULL) {
        mls_buffer_append_char(&line, '\'');
        mls_escape_append(&line, mls_str_from(path));
        mls_buffer_append_text(&line, "': ");
    }
    mls_buffer_vprintf(&message, format, args);
    mls_escape_append(&line, mls_buffer_str(&message));
    mls_buffer_append_char(&line, '\n');
    (void)fputs(line.failed || message.failed ? "mlscore: out of memory\n" : line.ptr, stderr);
    mls_buffer_release(&message);
    mls_buffer_release(&line);
}

void mls_cli_complain(const mls_cli *cli, const char *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(cli, path, format, args);
    va_end(args);
}

int mls_cli_fail(mls_cli *cli, const char *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(cli, path, format, args);
    va_end(args);
    return cli->status = MLS_EXIT_IO;
}

void mls_cli_note(const mls_cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!cli->view.quiet) {
        say(cli, NULL, format, args);
    }
    va_end(args);
}

int mls_cli_usage_error(const mls_cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(cli, NULL, format, args);
    va_end(args);
    return mls_cli_name_help(cli);
}

mls_cli_hint mls_cli_meant(const mls_nearest *nearest)
{
    mls_cli_hint hint = {""};
    if (nearest->found.len > 0) {
        (void)snprintf(hint.text, sizeof hint.text, "; did you mean '%.*s'?", (int)nearest->found.len,
                       nearest->found.ptr);
    }
    return hint;
}

int mls_cli_complain_error(mls_cli *cli, const char *path, const mls_error *error)
{
    if (error->line > 0) {
        mls_cli_complain(cli, path, "line %zu, column %zu: %s", error->line, error->column, error->message);
    } else {
        mls_cli_complain(cli, NULL, "%s", error->message);
    }
    return error->status == MLS_ERROR_READ || error->status == MLS_ERROR_MEMORY ? MLS_EXIT_IO : MLS_EXIT_USAGE;
}

int mls_cli_name_help(const mls_cli *cli)
{
    if (cli->command == NULL || cli->command == &mls_command_help) {
        (void)fputs("try 'mlscore help'\n", stderr);
    } else {
        (void)fprintf(stderr, "try 'mlscore %s --help'\n", cli->command->name);
    }
    return MLS_EXIT_USAGE;
}

static void offer_findings(mls_nearest *nearest)
{
    for (mls_finding_code code = 0; code < MLS_FINDING_COUNT; code++) {
        mls_nearest_offer(nearest, mls_str_from(mls_finding_info_get(code)->name));
    }
}

const mls_command *mls_command_find(const mls_cli *cli, const char *name)
{
    mls_nearest nearest = mls_nearest_to(mls_str_from(name));
    for (size_t i = 0; mls_commands[i] != NULL; i++) {
        if (strcmp(name, mls_commands[i]->name) == 0) {
            return mls_commands[i];
        }
        mls_nearest_offer(&nearest, mls_str_from(mls_commands[i]->name));
    }
    if (cli->command == &mls_command_help) {
        mls_nearest_offer(&nearest, MLS_S("findings"));
        offer_findings(&nearest);
    }
    (void)mls_cli_usage_error(cli, *name == '-' ? "unknown option '%s'%s" : "there is no command '%s'%s", name,
                              mls_cli_meant(&nearest).text);
    return NULL;
}

int mls_cli_explain(mls_cli *cli, const char *name)
{
    mls_output output;
    mls_finding_code code;
    mls_nearest nearest = mls_nearest_to(mls_str_from(name));
    if (!mls_finding_code_from_name(mls_str_from(name), &code)) {
        offer_findings(&nearest);
        return mls_cli_usage_error(cli, "there is no finding '%s'; 'mlscore help findings' lists them%s", name,
                                   mls_cli_meant(&nearest).text);
    }
    if (!mls_cli_output_open(cli, &output)) {
        return MLS_EXIT_IO;
    }
    const mls_finding_info *info = mls_finding_info_get(code);
    mls_output_printf(&output, "%s (%s): %s\n\n%s\n\nwhat to do: %s\n", info->name, mls_severity_name(info->severity),
                      info->summary, info->explanation, info->remedy);
    return mls_cli_output_close(cli, &output);
}

/* ------------------------------------------------------------------- rules */

const mls_editions *mls_cli_editions(mls_cli *cli)
{
    mls_error error = {0};
    if (cli->rulesets == NULL && mls_rulesets_new(&cli->rulesets, &error) != MLS_OK) {
        (void)mls_cli_fail(cli, NULL, "%s", error.message);
        return NULL;
    }
    return mls_rulesets_editions(cli->rulesets);
}

mls_nearest mls_cli_nearest_benchmark(mls_cli *cli, mls_usage usage, const char *name)
{
    const mls_editions *editions = mls_cli_editions(cli);
    mls_nearest nearest = mls_nearest_to(mls_str_from(name));
    for (size_t i = editions != NULL ? mls_editions_count(editions, usage) : 0; i-- > 0;) {
        const mls_edition *edition = mls_editions_get(editions, usage, i);
        for (size_t b = 0; b < edition->benchmark_count; b++) {
            mls_nearest_offer(&nearest, mls_str_from(edition->benchmarks[b]->name));
        }
    }
    return nearest;
}

int mls_cli_own_rules(mls_cli *cli)
{
    mls_error error = {0};
    return mls_ruleset_load_file(cli->rules_path, &cli->own_ruleset, &error) == MLS_OK
               ? MLS_EXIT_OK
               : mls_cli_complain_error(cli, cli->rules_path, &error);
}

bool mls_cli_edition(mls_cli *cli, const char *text, const mls_edition **edition)
{
    mls_error error = {0};
    const mls_editions *editions = mls_cli_editions(cli);
    text = text != NULL ? text : cli->edition;
    *edition = NULL;
    if (editions == NULL || text == NULL) {
        return editions != NULL;
    }
    if (mls_editions_find(editions, cli->usage, mls_str_from(text), edition, &error) == MLS_OK) {
        return true;
    }
    mls_cli_worsen(cli, error.status == MLS_ERROR_MEMORY ? MLS_EXIT_IO : MLS_EXIT_OK);
    mls_nearest nearest = mls_nearest_to(mls_str_from(text));
    for (size_t i = mls_editions_count(editions, cli->usage); error.status == MLS_ERROR_UNKNOWN && i-- > 0;) {
        const mls_str name = mls_str_from(mls_editions_get(editions, cli->usage, i)->name);
        mls_nearest_offer(&nearest, name);
        mls_nearest_offer(&nearest, (mls_str){name.ptr, name.len - 2}); /* 5.1 of 5.1.0 */
    }
    mls_cli_complain(cli, NULL, "%s%s", error.message, mls_cli_meant(&nearest).text);
    return false;
}

/* The user's file, and the edition that it builds on or stands for. */
static int judge_by_file(mls_cli *cli, mls_checker_options *judge, const mls_edition **behind)
{
    if (cli->edition != NULL) {
        return mls_cli_usage_error(cli, "--rules and --edition exclude each other");
    }
    const int status = mls_cli_own_rules(cli);
    if (status == MLS_EXIT_OK) {
        judge->ruleset = cli->own_ruleset;
        judge->usage = mls_ruleset_usage(cli->own_ruleset);
        *behind = mls_ruleset_base(cli->own_ruleset, mls_cli_editions(cli));
    }
    return status;
}

int mls_cli_judge(mls_cli *cli, mls_checker_options *judge, const mls_edition **edition)
{
    const mls_edition *behind = NULL;
    mls_error error = {0};
    const mls_editions *editions = mls_cli_editions(cli);
    int status = MLS_EXIT_OK;
    *judge = (mls_checker_options){.rulesets = cli->rulesets, .usage = cli->usage};
    if (editions == NULL) {
        status = MLS_EXIT_IO;
    } else if (cli->rules_path != NULL) {
        status = judge_by_file(cli, judge, &behind);
    } else if (!mls_cli_edition(cli, NULL, &behind)) {
        status = MLS_EXIT_USAGE;
    } else if (behind != NULL && mls_rulesets_get(cli->rulesets, behind, &judge->ruleset, &error) != MLS_OK) {
        status = mls_cli_complain_error(cli, NULL, &error);
    }
    if (edition != NULL) {
        *edition = behind;
    }
    return status;
}

/* ---------------------------------------------------------- files, printing */

bool mls_cli_read_file(mls_cli *cli, const char *path, mls_buffer *text)
{
    mls_error error = {0};
    if (mls_file_read(path, true, SIZE_MAX, text, &error) == MLS_OK) {
        return true;
    }
    (void)mls_cli_fail(cli, path, "%s", strerror(error.system_errno != 0 ? error.system_errno : ENOMEM));
    return false;
}

bool mls_cli_output_open(mls_cli *cli, mls_output *output)
{
    mls_error error = {0};
    cli->view.output = output;
    if (mls_output_open(output, cli->output_path, &error) == MLS_OK) {
        return true;
    }
    (void)mls_cli_fail(cli, cli->output_path, "%s", error.message);
    return false;
}

int mls_cli_output_close(mls_cli *cli, mls_output *output)
{
    mls_error error = {0};
    if (output->failed_errno == ENOMEM) {
        mls_output_abandon(output);
        return mls_cli_fail(cli, NULL, "out of memory");
    }
    const mls_status status = mls_output_close(output, &error);
    if (status == MLS_OK || status == MLS_STOPPED) {
        return MLS_EXIT_OK;
    }
    return mls_cli_fail(cli, cli->output_path != NULL ? cli->output_path : "standard output", "%s", error.message);
}

/* Opens the output and begins to print; an exit status, after a complaint when it is not MLS_EXIT_OK. */
static int print_begin(mls_cli *cli, mls_output *output, mls_printer *printer, const mls_report *report, void *state)
{
    if (!mls_report_offers(report, cli->view.format)) {
        (void)mls_cli_usage_error(cli, "this cannot be printed as %s", mls_format_name(cli->view.format));
        return MLS_EXIT_USAGE;
    }
    if (!mls_cli_output_open(cli, output)) {
        return MLS_EXIT_IO;
    }
    mls_print_begin(printer, &cli->view, report, state);
    return MLS_EXIT_OK;
}

int mls_cli_print(mls_cli *cli, const mls_report *report, const void *what)
{
    mls_output output;
    mls_printer printer;
    const int status = print_begin(cli, &output, &printer, report, NULL);
    if (status != MLS_EXIT_OK) {
        return status;
    }
    mls_print_item(&printer, what);
    mls_print_end(&printer);
    return mls_cli_output_close(cli, &output);
}

/* ------------------------------------------------------------ reading logs */

void mls_cli_read_done(mls_cli_reading *work, const mls_read *read)
{
    const char *why = read->status != MLS_OK ? read->error.message : read->source->named ? read->unread : NULL;
    if (why != NULL) {
        (void)mls_cli_fail(work->cli, read->source->path, "%s", why);
    }
}

/* Reads and prints; the sources have been found. */
static int read_sources(mls_cli_reading *work, const mls_reading *reading, const mls_report *report, void *state)
{
    mls_cli *cli = work->cli;
    mls_error error = {0};
    const int begun = report != NULL ? print_begin(cli, &work->output, &work->printer, report, state)
                      : mls_cli_output_open(cli, &work->output) ? MLS_EXIT_OK
                                                                : MLS_EXIT_IO;
    if (begun != MLS_EXIT_OK) {
        return begun;
    }
    for (size_t i = 0; i < work->sources.count; i++) {
        if (work->sources.items[i].failed) {
            (void)mls_cli_fail(cli, work->sources.items[i].path, "%s", work->sources.items[i].skip);
        }
    }
    const mls_status status = mls_read_sources(reading, work->sources.items, work->sources.count, &error);
    if (report != NULL) {
        mls_print_end(&work->printer);
    }
    if (status == MLS_OK || status == MLS_STOPPED) {
        return mls_cli_output_close(cli, &work->output);
    }
    mls_output_abandon(&work->output);
    return mls_cli_fail(cli, NULL, "%s", error.message);
}

int mls_cli_read(mls_cli *cli, mls_cli_reading *work, const mls_reading *reading, const mls_report *report, void *state)
{
    mls_error error = {0};
    work->cli = cli;
    const int status =
        mls_sources_find((const char *const *)cli->operands, cli->operand_count, &work->sources, &error) == MLS_OK
            ? read_sources(work, reading, report, state)
            : mls_cli_fail(cli, NULL, "%s", error.message);
    mls_sources_release(&work->sources);
    return status;
}

void mls_cli_release(mls_cli *cli)
{
    for (size_t i = 0; i < cli->operand_count; i++) {
        free(cli->operands[i]);
    }
    free((void *)cli->operands);
    mls_ruleset_free(cli->own_ruleset);
    mls_rulesets_free(cli->rulesets);
}

/* -------------------------------------------------------------- progress */

enum { PROGRESS_AFTER_MS = 500, PROGRESS_EVERY_MS = 100 };

void mls_cli_progress(void *state, size_t files_done, size_t files, uint64_t bytes_done)
{
    mls_cli *cli = state;
    struct timespec clock = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &clock);
    const double now = (double)clock.tv_sec * 1000 + (double)clock.tv_nsec / 1e6;
    if (cli->progress_ms == 0) {
        const char *terminal = getenv("TERM");
        const bool wanted =
            !cli->view.quiet && isatty(STDERR_FILENO) == 1 && terminal != NULL && strcmp(terminal, "dumb") != 0;
        cli->progress_ms = wanted ? now + PROGRESS_AFTER_MS : (double)INFINITY;
    }
    if (now >= cli->progress_ms) {
        (void)fprintf(stderr, "\r%zu of %zu files, %.1f MB\033[K", files_done, files, (double)bytes_done / 1e6);
        (void)fflush(stderr);
        cli->progress_shown = true;
        cli->progress_ms = now + PROGRESS_EVERY_MS;
    }
}

void mls_cli_progress_end(const mls_cli *cli)
{
    if (cli->progress_shown) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
    }
}
