/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_config.c - mlscore config: what a config's name and its text say.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "cli/command.h"
#include "report/reports.h"

static const mls_option options[] = {
    MLS_ROW_FLAG('\0', "exports", exports, "print every variable a file exports, as KEY=VALUE"),
    MLS_ROW_FORMAT("table|csv|json"),
    MLS_ROWS_FILES,
    MLS_ROWS_VIEW,
    MLS_ROWS_LAST,
};

/* The configs to print.  Names and files are spans of operands and of found paths. */
typedef struct config_work {
    mls_cli *cli;
    mls_config_paths *found; /* one list for each operand */
    mls_config_list list;
} config_work;

/* Decodes a name, and reads the script if there is a file. */
static void config_add(config_work *work, const char *text, bool is_file)
{
    mls_error error = {0};
    if (!MLS_GROW(&work->list, items)) {
        mls_cli_say(work->cli, MLS_EXIT_IO, NULL, "out of memory");
        return;
    }
    mls_config_entry *entry = &work->list.items[work->list.count++];
    *entry = (mls_config_entry){.file = is_file ? text : NULL,
                                .name = mls_config_name_decode(mls_str_from(text)),
                                .exports = work->cli->exports};
    if (is_file && mls_shell_read(text, NULL, &entry->script, &error) != MLS_OK) {
        mls_cli_say(work->cli, MLS_EXIT_IO, text, "%s", error.message);
    }
    mls_config_compare(&entry->name, entry->script, &entry->summary, &entry->findings);
    if (entry->script != NULL) {
        mls_findings_append(&entry->findings, mls_shell_findings(entry->script));
    }
    mls_findings_sort(&entry->findings);
    if (entry->findings.out_of_memory) {
        mls_cli_say(work->cli, MLS_EXIT_IO, NULL, "out of memory");
    }
    if (!mls_findings_pass(&entry->findings.counts, work->cli->view.strict)) {
        mls_cli_worsen(work->cli, MLS_EXIT_INVALID);
    }
}

static void config_add_folder(config_work *work, const char *folder, mls_config_paths *found)
{
    mls_error error = {0};
    work->list.folders = true;
    if (mls_config_paths_find(folder, found, &error) != MLS_OK) {
        mls_cli_say(work->cli, MLS_EXIT_IO, NULL, "%s", error.message);
    }
    for (size_t i = 0; i < found->count; i++) {
        config_add(work, found->items[i], true);
    }
    if (found->count == 0) {
        mls_cli_say(work->cli, MLS_EXIT_OK, NULL, "no config_*.sh below %s", folder);
    }
}

/* A folder, a file, or a name; something else than these is a file that is not there. */
static void config_add_operand(config_work *work, const char *operand, mls_config_paths *found)
{
    struct stat info;
    if (stat(operand, &info) == 0) {
        if (S_ISDIR(info.st_mode)) {
            config_add_folder(work, operand, found);
        } else {
            config_add(work, operand, true);
        }
        return;
    }
    const int reason = errno;
    const mls_config_name name = mls_config_name_decode(mls_str_from(operand));
    if (name.kind != MLS_CONFIG_KIND_NONE || name.problem != NULL || name.suffix_count > 0) {
        config_add(work, operand, false);
    } else {
        mls_cli_say(work->cli, MLS_EXIT_IO, operand, "no shape in this name, and no such file (%s)", strerror(reason));
    }
}

static void config_release(config_work *work)
{
    for (size_t i = 0; i < work->list.count; i++) {
        mls_shell_free(work->list.items[i].script);
        mls_findings_release(&work->list.items[i].findings);
    }
    free(work->list.items);
    for (size_t i = 0; i < work->cli->operand_count; i++) {
        mls_config_paths_release(&work->found[i]);
    }
    free(work->found);
}

static void config_run(mls_cli *cli)
{
    config_work work = {.cli = cli, .found = calloc(cli->operand_count, sizeof *work.found)};
    if (work.found == NULL) {
        mls_cli_say(cli, MLS_EXIT_IO, NULL, "out of memory");
        return;
    }
    for (size_t i = 0; i < cli->operand_count; i++) {
        config_add_operand(&work, cli->operands[i], &work.found[i]);
    }
    mls_cli_print(cli, cli->exports ? &mls_config_exports_report : &mls_config_report, &work.list);
    config_release(&work);
}

const mls_command mls_command_config = {
    .name = "config",
    .summary = "decode names of configs, and say where name and text disagree",
    .usage = "[OPTION]… NAME|FILE|FOLDER…",
    .about = "Decodes the names of config_*.sh scripts: nodes, GPUs, parallelism and batch size.\n"
             "Of a file it also reads the exports, without running anything, and says where they\n"
             "disagree with the name.  A folder stands for every config_*.sh below it, a row each.",
    .options = options,
    .path_arguments = true,
    .missing = "no name, file or folder given",
    .run = config_run,
};
