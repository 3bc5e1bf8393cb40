/* SPDX-License-Identifier: Apache-2.0 */
/* cli.c - functions that all commands use: messages, rules, files, output and progress. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "rules/finding_texts.h"
#include "score/part.h"

void mls_cli_set_status(mls_cli *cli, int status)
{
    cli->status = cli->status != MLS_EXIT_IO && (status == MLS_EXIT_IO || status > cli->status) ? status : cli->status;
}

/* ---------------------------------------------------------------- messages */

/* Print a message on standard error, and set the status. */
__attribute__((format(printf, 4, 0))) static void print_message(mls_cli *cli, int status, const char *path,
                                                                const char *format, va_list args)
{
    const char *name = cli->command != NULL ? cli->command->name : "";
    const bool no_command = *name == '\0' || strcmp(name, "help") == 0;
    mls_buffer message = {0};
    mls_buffer line = {0};
    if (status == MLS_EXIT_OK && cli->view.quiet)
        return;
    mls_buffer_printf(&message, "mlscore%s%s: ", *name != '\0' ? " " : "", name);
    if (path != NULL)
        mls_buffer_printf(&message, "'%s': ", path);
    mls_buffer_vprintf(&message, format, args);
    mls_escape_append(&line, mls_buffer_str(&message));
    mls_buffer_append_char(&line, '\n');
    if (status & MLS_EXIT_SHOW_HELP)
        mls_buffer_printf(&line, "try 'mlscore %s%s'\n", no_command ? "help" : name, no_command ? "" : " --help");
    (void)fputs(line.ptr, stderr); /* a failure cannot be reported anywhere */
    mls_cli_set_status(cli, status & ~MLS_EXIT_SHOW_HELP);
    mls_buffer_release(&message);
    mls_buffer_release(&line);
}

bool mls_cli_error(mls_cli *cli, int status, const char *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(cli, status, path, format, args);
    va_end(args);
    return false;
}

bool mls_cli_usage_error(mls_cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(cli, MLS_WRONG_USAGE, NULL, format, args);
    va_end(args);
    return false;
}

void mls_cli_note(mls_cli *cli, const char *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(cli, MLS_EXIT_OK, path, format, args);
    va_end(args);
}

mls_cli_hint mls_cli_suggestion(const mls_suggestion *nearest)
{
    mls_cli_hint hint = {""};
    if (nearest->found.len > 0) {
        (void)snprintf(hint.text, sizeof hint.text, "; did you mean '%.*s'?", (int)nearest->found.len,
                       nearest->found.ptr);
    }
    return hint;
}

bool mls_cli_print_error(mls_cli *cli, const char *path, const mls_error *error)
{
    const bool failed = error->status == MLS_ERROR_READ || error->status == MLS_ERROR_WRITE;
    const int kind = failed ? MLS_EXIT_IO : MLS_EXIT_USAGE;
    return error->line > 0
               ? mls_cli_error(cli, kind, path, "line %zu, column %zu: %s", error->line, error->column, error->message)
               : mls_cli_error(cli, kind, NULL, "%s", error->message);
}

bool mls_cli_file_error(mls_cli *cli, const char *path, const mls_error *error)
{
    if (path == NULL || error->line > 0)
        return mls_cli_print_error(cli, path, error);
    return mls_cli_error(cli, error->status == MLS_ERROR_READ ? MLS_EXIT_IO : MLS_EXIT_USAGE, path, "%s",
                         error->message);
}

void mls_cli_judge_findings(mls_cli *cli, const mls_findings *findings)
{
    mls_cli_set_status(cli, mls_findings_pass(&findings->counts, cli->view.strict) ? MLS_EXIT_OK : MLS_EXIT_INVALID);
}

static void suggest_findings(mls_suggestion *nearest)
{
    for (mls_finding_code code = 0; code < MLS_FINDING_COUNT; code++)
        mls_suggest_add(nearest, mls_str_from(mls_finding_info_get(code)->name));
}

mls_suggestion mls_cli_nearest_file(const char *path, mls_names *names)
{
    enum { LOOKED_AT = 10000 };
    const mls_str folder = mls_path_folder(mls_str_from(path));
    char *where = folder.len > 0 ? mls_strndup(folder.ptr, folder.len) : mls_strdup(".");
    mls_suggestion nearest = mls_suggest_for(mls_str_from(mls_path_name(path)));
    int ignored;
    mls_folder_names(where, LOOKED_AT, names, &ignored);
    for (size_t i = 0; i < names->count; i++)
        mls_suggest_add(&nearest, mls_str_from(names->items[i]));
    free(where);
    return nearest;
}

const mls_command *mls_command_named(const mls_cli *cli, const char *name)
{
    size_t i = 0;
    while (cli->commands[i] != NULL && strcmp(name, cli->commands[i]->name) != 0)
        i++;
    return cli->commands[i];
}

const mls_command *mls_command_find(mls_cli *cli, const char *name)
{
    const mls_command *found = mls_command_named(cli, name);
    mls_suggestion nearest = mls_suggest_for(mls_str_from(name));
    mls_names names = {0};
    for (size_t i = 0; found == NULL && cli->commands[i] != NULL; i++)
        mls_suggest_add(&nearest, mls_str_from(cli->commands[i]->name));
    if (found == NULL && cli->command == NULL) {
        const mls_suggestion file = mls_cli_nearest_file(name, &names);
        const bool nearer = file.found.len > 0 && (nearest.found.len == 0 || file.distance < nearest.distance);
        mls_cli_usage_error(cli, nearer ? "unknown command '%s', and no such file%s" : "unknown command '%s'%s", name,
                            mls_cli_suggestion(nearer ? &file : &nearest).text);
    } else if (found == NULL) {
        mls_suggest_add(&nearest, MLS_S("findings"));
        mls_suggest_add(&nearest, MLS_S("signatures"));
        suggest_findings(&nearest);
        mls_cli_usage_error(cli, "unknown command '%s'%s", name, mls_cli_suggestion(&nearest).text);
    }
    mls_names_release(&names);
    return found;
}

void mls_cli_explain(mls_cli *cli, const char *name)
{
    mls_finding_code code;
    mls_suggestion nearest = mls_suggest_for(mls_str_from(name));
    if (!mls_finding_code_from_name(mls_str_from(name), &code)) {
        suggest_findings(&nearest);
        mls_cli_usage_error(cli, "unknown finding '%s'; 'mlscore help findings' lists all findings%s", name,
                            mls_cli_suggestion(&nearest).text);
    } else if (cli->view.output != NULL || mls_cli_open(cli)) {
        const mls_finding_info *info = mls_finding_info_get(code);
        mls_arena arena = {0};
        mls_finding_texts texts[MLS_FINDING_COUNT];
        mls_error error = {0};
        if (mls_finding_texts_read(&arena, texts, &error) == MLS_OK) {
            mls_output_printf(&cli->output, "%s (%s): %s\n\n%s\n\nwhat to do: %s\n", info->name,
                              mls_severity_name(info->severity), texts[code].summary, texts[code].explanation,
                              texts[code].remedy);
        } else {
            mls_cli_print_error(cli, NULL, &error);
        }
        mls_arena_release(&arena);
    }
}

/* ------------------------------------------------------------------- rules */

const mls_editions *mls_cli_editions(mls_cli *cli)
{
    mls_error error = {0};
    if (cli->rulesets == NULL && mls_rulesets_new(&cli->rulesets, &error) != MLS_OK) {
        mls_cli_error(cli, MLS_EXIT_IO, NULL, "%s", error.message);
        return NULL;
    }
    return mls_rulesets_editions(cli->rulesets);
}

const mls_edition *mls_cli_newest_with(mls_cli *cli, const char *benchmark)
{
    const mls_editions *editions = mls_rulesets_editions(cli->rulesets);
    const mls_edition *newest = mls_editions_newest_with(editions, cli->usage, mls_str_from(benchmark));
    if (newest == NULL && !cli->usage_given) {
        cli->usage = mls_editions_usage_of(editions, cli->usage, mls_str_from(benchmark));
        newest = mls_editions_newest_with(editions, cli->usage, mls_str_from(benchmark));
    }
    return newest;
}

bool mls_cli_load_models(mls_cli *cli)
{
    mls_error error = {0};
    return (mls_models_load(&cli->models, &error) == MLS_OK &&
            mls_accelerators_load(&cli->accelerators, &error) == MLS_OK) ||
           mls_cli_print_error(cli, NULL, &error);
}

bool mls_cli_load_settings(mls_cli *cli)
{
    mls_error error = {0};
    return cli->known_settings.arena != NULL || mls_known_settings_load(&cli->known_settings, &error) == MLS_OK ||
           mls_cli_print_error(cli, NULL, &error);
}

bool mls_cli_own_rules(mls_cli *cli)
{
    mls_error error = {0};
    return mls_ruleset_load_file(cli->rules_path, &cli->own_ruleset, &error) == MLS_OK ||
           mls_cli_print_error(cli, cli->rules_path, &error);
}

bool mls_cli_edition(mls_cli *cli, const char *text, const mls_edition **edition)
{
    mls_error error = {0};
    const mls_editions *editions = mls_cli_editions(cli);
    const mls_str wanted = mls_str_from(text != NULL ? text : cli->edition);
    *edition = NULL;
    if (editions == NULL || wanted.ptr == NULL ||
        mls_editions_find(editions, cli->usage, wanted, edition, &error) == MLS_OK)
        return editions != NULL;
    mls_suggestion nearest = mls_suggest_for(wanted);
    for (size_t i = mls_editions_count(editions, cli->usage); error.status == MLS_ERROR_UNKNOWN && i-- > 0;) {
        const mls_str name = mls_str_from(mls_editions_get(editions, cli->usage, i)->name);
        mls_suggest_add(&nearest, name);
        /* Suggest the short name, 5.1, for the edition 5.1.0. */
        mls_suggest_add(&nearest, (mls_str){name.ptr, name.len - 2});
    }
    const int kind = text != NULL ? MLS_WRONG_USAGE : MLS_EXIT_USAGE;
    return mls_cli_error(cli, kind, NULL, "%s%s", error.message, mls_cli_suggestion(&nearest).text);
}

bool mls_cli_collect_options(mls_cli *cli, mls_collect_options *how)
{
    *how = (mls_collect_options){.usage = cli->usage, .work = cli->work, .score = {.editions = mls_cli_editions(cli)}};
    if (how->score.editions == NULL || !mls_cli_edition(cli, NULL, &how->edition))
        return false;
    how->any_usage = !cli->usage_given && how->edition == NULL;
    return true;
}

bool mls_cli_judge_options(mls_cli *cli, mls_collect_options *how)
{
    mls_error error = {0};
    if (!mls_cli_collect_options(cli, how) || (cli->rules_path != NULL && !mls_cli_own_rules(cli)))
        return false;
    how->checker = (mls_checker_options){
        .rulesets = cli->rulesets, .usage = cli->usage, .any_usage = how->any_usage, .ruleset = cli->own_ruleset};
    if (cli->rules_path != NULL) {
        how->any_usage = false;
        how->usage = how->checker.usage = mls_ruleset_usage(cli->own_ruleset);
        how->edition = mls_ruleset_base(cli->own_ruleset, how->score.editions);
        return true;
    }
    return how->edition == NULL ||
           mls_rulesets_get(cli->rulesets, how->edition, &how->checker.ruleset, &error) == MLS_OK ||
           mls_cli_print_error(cli, NULL, &error);
}

/* ---------------------------------------------------------- files, printing */

bool mls_cli_read_file(mls_cli *cli, const char *path, mls_buffer *text)
{
    mls_error error = {0};
    if (path != NULL && mls_file_read(path, true, MLS_CLI_FILE_MAX, text, &error) != MLS_OK)
        return mls_cli_error(cli, MLS_EXIT_IO, path, "%s", error.message);
    if (path != NULL)
        mls_buffer_reserve(text, 0);
    return true;
}

bool mls_cli_read_sacct(mls_cli *cli, const char *path, mls_sacct_zone zone, mls_sacct *sacct)
{
    mls_buffer text = {0};
    mls_error error = {0};
    const bool ok = mls_cli_read_file(cli, path, &text) &&
                    (mls_sacct_read(sacct, mls_buffer_str(&text), path, zone, &error) == MLS_OK ||
                     mls_cli_file_error(cli, path, &error));
    mls_buffer_release(&text);
    return ok;
}

bool mls_cli_open(mls_cli *cli)
{
    mls_error error = {0};
    if (mls_output_open(&cli->output, cli->output_path, &error) != MLS_OK)
        return mls_cli_error(cli, MLS_EXIT_IO, cli->output_path, "%s", error.message);
    cli->view.output = &cli->output;
    /* Another user's collector of metrics must be able to read the file, even if the job has a strict umask. */
    if (cli->view.format == MLS_FORMAT_OPENMETRICS && cli->output.temporary != NULL)
        (void)fchmod(cli->output.fd, 0644);
    return true;
}

void mls_cli_close(mls_cli *cli, const char *failure)
{
    mls_error error = {0};
    const mls_status status =
        cli->view.output != NULL ? mls_output_close(&cli->output, failure != NULL, &error) : MLS_OK;
    cli->view.output = NULL;
    if (failure != NULL) {
        mls_cli_error(cli, MLS_EXIT_IO, NULL, "%s", failure);
    } else if (status == MLS_ERROR_WRITE) {
        mls_cli_error(cli, MLS_EXIT_IO, cli->output_path != NULL ? cli->output_path : "standard output", "%s",
                      error.message);
    }
}

bool mls_cli_may_print(mls_cli *cli)
{
    return cli->view.format != MLS_FORMAT_HTML || cli->output_path != NULL || !isatty(STDOUT_FILENO) ||
           mls_cli_usage_error(cli, "HTML is not written to a terminal: use -o FILE, or redirect it");
}

/* Open the output and begin a report.  Return false after printing an error. */
static bool print_begin(mls_cli *cli, const mls_report *report, void *state)
{
    if (!mls_report_offers(report, cli->view.format))
        return mls_cli_usage_error(cli, "this result cannot be printed as %s", mls_format_name(cli->view.format));
    if (!mls_cli_may_print(cli) || !mls_cli_open(cli))
        return false;
    if (cli->equivalent != NULL && cli->view.format == MLS_FORMAT_TABLE) {
        mls_view_text(&cli->view, MLS_STYLE_DIM, "%s", cli->equivalent);
        mls_output_text(cli->view.output, "\n");
    }
    mls_print_begin(&cli->printer, &cli->view, report, state);
    return true;
}

void mls_cli_print(mls_cli *cli, const mls_report *report, const void *what)
{
    mls_cli_print_beside(cli, report, what, NULL);
}

void mls_cli_print_beside(mls_cli *cli, const mls_report *report, const void *what, void *state)
{
    if (print_begin(cli, report, state)) {
        mls_print_item(&cli->printer, what);
        mls_print_end(&cli->printer);
        mls_cli_close(cli, NULL);
    }
}

/* ------------------------------------------------------------ reading logs */

mls_status mls_cli_read_done(void *state, const mls_read *read)
{
    mls_cli *cli = state;
    const mls_source *source = read->source;
    const char *why = read->status != MLS_OK ? read->error.message : read->totals.unread;
    const bool wanted = read->status != MLS_OK || source->named || source->result;
    if (why != NULL && wanted)
        mls_cli_unread(cli, source->path, why, NULL);
    else if (why != NULL)
        mls_cli_note(cli, source->path, "skipped: %s", why);
    return MLS_OK;
}

bool mls_cli_read(mls_cli *cli, const char *path, const mls_reading *reading, const mls_report *report, void *state)
{
    mls_error error = {0};
    const char *const *paths = path != NULL ? &path : (const char *const *)cli->operands.items;
    mls_status status = MLS_OK;
    if (cli->merge != NULL)
        mls_merge_sources(cli->merge, &cli->sources);
    else
        status = mls_sources_find(paths, path != NULL ? 1 : cli->operands.count, &cli->sources, &error);
    if (status == MLS_OK && report != NULL && !print_begin(cli, report, state))
        return false;
    if (status == MLS_OK) {
        mls_cli_print_skipped(cli, &cli->sources);
        status = cli->merge != NULL ? mls_merge_read(cli->merge, reading, &cli->sources)
                                    : mls_read_sources(reading, cli->sources.items, cli->sources.count, &error);
        mls_cli_print_foreign(cli);
        if (report != NULL)
            mls_print_end(&cli->printer);
    }
    const bool failed = status != MLS_OK && status != MLS_STOPPED;
    if (failed || report != NULL)
        mls_cli_close(cli, failed ? error.message : NULL);
    return !failed;
}

void mls_cli_unread(mls_cli *cli, const char *path, const char *why, const char *finding)
{
    const size_t reason = mls_foreign_reason(why);
    if (finding != NULL) {
        const bool malformed = strcmp(finding, mls_finding_info_get(MLS_FINDING_MALFORMED)->name) == 0;
        mls_cli_error(cli, malformed ? MLS_EXIT_INVALID : MLS_EXIT_IO, path, "%s  [%s]", why, finding);
    } else if (reason == MLS_FOREIGN_REASONS) {
        mls_cli_error(cli, MLS_EXIT_IO, path, "%s", why);
    } else if (cli->foreign.counts[reason]++ == 0) {
        cli->foreign.first[reason] = mls_strdup(path);
    }
}

void mls_cli_print_foreign(mls_cli *cli)
{
    for (size_t i = 0; i < MLS_FOREIGN_REASONS; i++) {
        const size_t count = cli->foreign.counts[i];
        if (count == 1) {
            mls_cli_error(cli, MLS_EXIT_IO, cli->foreign.first[i], "%s", mls_foreign_reasons[i]);
        } else if (count > 1) {
            mls_cli_error(cli, MLS_EXIT_IO, cli->foreign.first[i], "%s (and %s)", mls_foreign_reasons[i],
                          mls_words_plural(count - 1, "more file", "more files").text);
        }
        free(cli->foreign.first[i]);
    }
    cli->foreign = (mls_foreign_logs){0};
}

void mls_cli_print_skipped(mls_cli *cli, const mls_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        if (sources->items[i].failed)
            mls_cli_unread(cli, sources->items[i].path, sources->items[i].skip, sources->items[i].finding);
    mls_cli_print_foreign(cli);
}

void mls_cli_release(mls_cli *cli)
{
    mls_names_release(&cli->operands);
    for (const mls_option *option = cli->command->options; option->name != NULL; option++)
        if (option->does == MLS_ADDS_TEXT)
            mls_names_release((void *)((char *)cli->settings + option->at));
    free(cli->settings);
    mls_sources_release(&cli->sources);
    mls_accelerators_free(cli->accelerators);
    mls_models_free(cli->models);
    mls_known_settings_release(&cli->known_settings);
    mls_ruleset_free(cli->own_ruleset);
    mls_rulesets_free(cli->rulesets);
}

/* -------------------------------------------------------------- progress */

enum { PROGRESS_AFTER_MS = 500, PROGRESS_EVERY_MS = 100 };

void mls_cli_progress(void *state, size_t files_done, size_t files, uint64_t bytes_done)
{
    mls_cli *cli = state;
    const double now = mls_clock_ms();
    if (cli->progress_ms == 0) {
        const char *terminal = getenv("TERM");
        const bool wanted =
            !cli->view.quiet && isatty(STDERR_FILENO) == 1 && terminal != NULL && strcmp(terminal, "dumb") != 0;
        cli->progress_ms = wanted ? now + PROGRESS_AFTER_MS : (double)INFINITY;
    }
    if (now >= cli->progress_ms) {
        (void)fprintf(stderr, "\r%zu of %zu files, %.1f MB\033[K", files_done, files, (double)bytes_done / 1e6);
        cli->progress_shown = true;
        cli->progress_ms = now + PROGRESS_EVERY_MS;
    }
}

void mls_cli_progress_end(const mls_cli *cli)
{
    if (cli->progress_shown)
        (void)fputs("\r\033[K", stderr);
}

bool mls_cli_precision_is_right(mls_cli *cli, const char *precision)
{
    return precision == NULL || mls_str_any(mls_str_from(precision), MLS_PRECISION_WORDS, mls_str_equal) ||
           mls_cli_usage_error(cli, "invalid --precision '%s': expected " MLS_PRECISION_WORDS, precision);
}
