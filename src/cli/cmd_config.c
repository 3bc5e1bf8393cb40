/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_config.c - mlscore config: decode names of configs, compare them with their exports, and show printed settings.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/walk.h"
#include "cli/command.h"
#include "report/reports.h"

typedef struct config_settings {
    bool exports, diff;
    mls_names found;                           /* paths of configs found below folders; `list` refers to these texts */
    mls_config_list list;                      /* the configs to print */
    MLS_LIST_OF(mls_printed_reader *) readers; /* one reader for each log */
} config_settings;

static const mls_option options[] = {
    MLS_ROW_FLAG('\0', "exports", offsetof(config_settings, exports),
                 "print every exported variable, or every printed setting of a log, as KEY=VALUE"),
    MLS_ROW_FLAG('\0', "diff", offsetof(config_settings, diff),
                 "compare names, files and logs side by side, one column each"),
    MLS_ROW_FORMAT("table|csv|json"),
    MLS_ROWS_FILES,
    MLS_ROWS_VIEW("omit advice", "also show advice for folders, and the memory estimate",
                  "treat every finding as an error"),
    MLS_ROWS_LAST,
};

static mls_config_entry *add_entry(config_settings *settings)
{
    MLS_GROW(&settings->list, items);
    return &settings->list.items[settings->list.count++];
}

/* Decode a name, and read the script if the file exists. */
static void config_add(mls_cli *cli, const char *text, bool is_file)
{
    config_settings *settings = cli->settings;
    mls_error error = {0};
    mls_config_entry *entry = add_entry(settings);
    *entry = (mls_config_entry){.file = is_file ? text : NULL,
                                .missing = !is_file && mls_str_ends(mls_str_from(text), MLS_S(".sh")),
                                .name = mls_config_name_decode(mls_str_from(text)),
                                .exports = settings->exports};
    if (is_file && mls_shell_read(text, NULL, &entry->script, &error) != MLS_OK)
        mls_cli_error(cli, MLS_EXIT_IO, text, "%s", error.message);
    mls_config_compare(&entry->name, entry->script, &entry->summary, &entry->findings);
    mls_config_name_take_text(&entry->name, entry->script, &entry->summary);
    if (entry->script != NULL)
        mls_findings_append(&entry->findings, &entry->script->findings);
    if (entry->script != NULL && cli->accelerators != NULL) {
        /* Estimate the memory that the job needs per GPU, if the config contains enough settings. */
        mls_memory_ask ask;
        mls_memory_estimate estimate;
        mls_findings ignored = {0};
        char words[MLS_MEMORY_WORDS_MAX];
        mls_memory_ask_init(&ask, cli->models, cli->accelerators);
        if (mls_memory_config(&ask, entry->script, entry->file, &ignored)) {
            const bool known = mls_memory_estimate_make(&ask, &estimate, &error) == MLS_OK;
            if (known)
                mls_memory_words(&ask, &estimate, words);
            entry->memory = mls_strdup(known ? words : error.message);
        }
        mls_findings_release(&ignored);
    }
    mls_findings_sort(&entry->findings);
    mls_cli_judge_findings(cli, &entry->findings);
}

/* Add a row for each run of a log that printed settings.  If no run printed any, add one row without settings. */
static mls_status config_add_log(mls_cli *cli, const char *path, mls_error *error)
{
    static const mls_printed nothing;
    config_settings *settings = cli->settings;
    mls_log_totals totals = {0};
    mls_printed_reader *reader = NULL;
    const mls_status status = mls_printed_read(path, &reader, &totals, error);
    if (status != MLS_OK)
        return status;
    MLS_GROW(&settings->readers, items);
    settings->readers.items[settings->readers.count++] = reader;
    for (size_t i = 0;; i++) {
        size_t line = 0;
        const mls_printed *printed = mls_printed_get(reader, i, &line);
        if (printed == NULL && i > 0)
            break;
        mls_config_entry *entry = add_entry(settings);
        *entry = (mls_config_entry){.file = path,
                                    .name.name = mls_str_from(mls_path_name(path)),
                                    .exports = settings->exports,
                                    .printed = printed != NULL ? printed : &nothing,
                                    .run_line = line,
                                    .known = &cli->known_settings};
        if (printed == NULL)
            break;
    }
    return totals.unread == NULL ? MLS_OK : mls_error_set(error, MLS_ERROR_READ, 0, 0, "%s", totals.unread);
}

/* Check whether a file is a log.  It is if its name ends with one of `logs` or, unless its name ends with .sh, if it
 * has a record near its beginning. */
static bool is_log(const char *path)
{
    static const char logs[] = ".log|.txt|.out|.err|.gz";
    mls_buffer text = {0};
    const mls_str name = mls_str_from(path);
    bool log = mls_str_any(name, logs, mls_str_ends);
    if (!log && !mls_str_ends(name, MLS_S(".sh"))) {
        /* If the file is longer than the limit, the buffer contains its beginning. */
        const mls_status status = mls_file_read(path, false, (size_t)1 << 16, &text, NULL);
        log = (status == MLS_OK || status == MLS_ERROR_LIMIT) &&
              mls_str_contains(mls_buffer_str(&text), MLS_S(":::MLLOG "));
    }
    mls_buffer_release(&text);
    return log;
}

static mls_status config_found(void *state, mls_walk_entry *entry)
{
    mls_cli *cli = state;
    config_settings *settings = cli->settings;
    const mls_str name = mls_str_from(entry->name);
    entry->enter = entry->enter && !entry->link;
    if (entry->too_deep && !entry->link)
        mls_cli_error(cli, MLS_EXIT_IO, NULL, "%s: folders nested too deeply", entry->path);
    if (entry->kind == MLS_WALK_FILE && mls_str_starts(name, MLS_S("config_")) && mls_str_ends(name, MLS_S(".sh")))
        mls_names_add(&settings->found, mls_str_from(entry->path));
    return MLS_OK;
}

static mls_status config_listed(void *state, const mls_walk_entry *folder, const mls_names *names, int system_errno)
{
    mls_cli *cli = state;
    (void)names;
    if (system_errno != 0)
        mls_cli_error(cli, MLS_EXIT_IO, NULL, "%s: %s", folder->path, strerror(system_errno));
    return MLS_OK;
}

/* Add an operand: a folder with config_*.sh files, a log, a config, or the name of a config. */
static void config_add_operand(mls_cli *cli, const char *operand)
{
    config_settings *settings = cli->settings;
    struct stat info;
    mls_error error = {0};
    const bool exists = stat(operand, &info) == 0;
    const int reason = errno;
    const mls_config_name name = mls_config_name_decode(mls_str_from(operand));
    if (exists && S_ISDIR(info.st_mode)) {
        /* Add every config_*.sh below it, in natural order, without following links to folders. */
        const mls_names *found = &settings->found;
        const size_t first = found->count;
        mls_folder_walk walk = {.visitor = {cli, config_found, config_listed},
                                .entries_max = MLS_WALK_FILES_MAX,
                                .depth_max = MLS_WALK_DEPTH_MAX};
        if (mls_folder_walk_from(&walk, operand, 0, &error) != MLS_OK)
            mls_cli_error(cli, MLS_EXIT_IO, NULL, "%s", error.message);
        mls_folder_walk_release(&walk);
        settings->list.folders = true;
        if (found->count == first)
            mls_cli_note(cli, NULL, "no config_*.sh below %s", operand);
        else
            qsort(found->items + first, found->count - first, sizeof *found->items, mls_compare_names);
        for (size_t i = first; i < found->count; i++)
            config_add(cli, found->items[i], true);
    } else if (!exists && strchr(operand, '/') != NULL) {
        mls_cli_error(cli, MLS_EXIT_IO, operand, "%s", strerror(reason));
    } else if (exists && is_log(operand)) {
        if (mls_cli_load_settings(cli) && config_add_log(cli, operand, &error) != MLS_OK)
            mls_cli_error(cli, MLS_EXIT_IO, operand, "%s", error.message);
    } else if (exists || name.kind != MLS_CONFIG_KIND_NONE || name.problem != NULL || name.suffix_count > 0) {
        config_add(cli, operand, exists);
    } else {
        mls_cli_error(cli, MLS_EXIT_IO, operand, "not the name of a config, and no such file (%s)", strerror(reason));
    }
}

static void config_print_diff(mls_cli *cli)
{
    config_settings *settings = cli->settings;
    const mls_config_list *list = &settings->list;
    mls_config_side *sides = mls_calloc(list->count + 1, sizeof *sides);
    mls_arena arena = {0};
    mls_map names = {.arena = &arena}; /* for each name, the number of configs with this name */
    mls_config_diff diff = {0};
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        mls_map_put(&names, list->items[i].name.name, NULL)->value.number++;
    for (size_t i = 0; i < list->count; i++) {
        const mls_config_entry *entry = &list->items[i];
        if (i > 0 && entry->printed != NULL && list->items[i - 1].file == entry->file) {
            mls_cli_note(cli, entry->file,
                         "settings were printed before several runs: only those before the first run are compared");
            continue;
        }
        const mls_map_entry *same = mls_map_find(&names, entry->name.name);
        const bool ambiguous = same != NULL && same->value.number > 1; /* the label is then the path */
        sides[count++] = (mls_config_side){.label = entry->file == NULL ? entry->name.name.ptr
                                                    : ambiguous         ? entry->file
                                                                        : mls_path_name(entry->file),
                                           .name = entry->printed == NULL ? &entry->name : NULL,
                                           .summary = &entry->summary,
                                           .script = entry->script,
                                           .printed = entry->printed};
    }
    mls_config_diff_make(sides, count, &cli->known_settings, &diff);
    if (count < 2 && cli->status != MLS_EXIT_IO) { /* an unreadable path was already reported */
        mls_cli_usage_error(cli, "--diff needs at least two configs, not %zu", count);
    } else if (count >= 2) {
        mls_cli_print(cli, &mls_config_diff_report, &diff);
        mls_cli_set_status(cli, diff.differs.count > 0 ? MLS_EXIT_INVALID : MLS_EXIT_OK);
    }
    mls_config_diff_release(&diff);
    mls_arena_release(&arena);
    free(sides);
}

static void config_run(mls_cli *cli)
{
    config_settings *settings = cli->settings;
    const mls_config_list *list = &settings->list;
    if (cli->view.verbose > 0)
        (void)mls_cli_load_models(cli);
    for (size_t i = 0; i < cli->operands.count; i++)
        config_add_operand(cli, cli->operands.items[i]);
    if (settings->diff && mls_cli_load_settings(cli))
        config_print_diff(cli);
    else if (!settings->diff)
        mls_cli_print(cli, settings->exports ? &mls_config_exports_report : &mls_config_report, list);
    for (size_t i = 0; i < list->count; i++) {
        mls_shell_free(list->items[i].script);
        mls_findings_release(&list->items[i].findings);
        free(list->items[i].memory);
    }
    for (size_t i = 0; i < settings->readers.count; i++)
        mls_printed_reader_free(settings->readers.items[i]);
    free(settings->readers.items);
    free(list->items);
    mls_names_release(&settings->found);
}

const mls_command mls_command_config = {
    .name = "config",
    .summary = "decode config file names and show the settings a job printed",
    .usage = "[OPTION]… NAME|FILE|FOLDER|LOG…",
    .about = "Decodes the names of config_*.sh scripts: nodes, GPUs, parallelism and batch\n"
             "size. For a file, also reads its exports, without running anything, and reports\n"
             "contradictions with the name. For a folder, prints one row per config_*.sh\n"
             "below it. For a log, shows the settings that the job printed.",
    .options = options,
    .settings_size = sizeof(config_settings),
    .paths = "no name, file or folder given",
    .run = config_run,
};
