/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_memory.c - mlscore memory: estimate whether a model in a configuration fits on a GPU. */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/command.h"
#include "explain/memory/memory.h"
#include "report/reports.h"
#include "score/collect.h"

typedef struct memory_settings {
    const char *given[MLS_MEMORY_SETTING_COUNT]; /* argument of each option, "" if it takes none; NULL: the option is
                                                    not given */
    bool oom;
    mls_oom_search *search; /* for out-of-memory messages, with --oom */
} memory_settings;

static const mls_option options[] = {
#define SETTING_OPTION(id, about, option, kind, argument, help)                                                        \
    MLS_ROW_WORD(option, argument, MLS_MEMORY_##id == MLS_MEMORY_PRECISION ? MLS_MEMORY_PRECISIONS : NULL,             \
                 offsetof(memory_settings, given[MLS_MEMORY_##id]), help),
    MLS_MEMORY_SETTINGS(SETTING_OPTION)
#undef SETTING_OPTION
        MLS_ROW_FLAG('\0', "oom", offsetof(memory_settings, oom), "explain out-of-memory messages in logs"),
    MLS_ROW_FORMAT("table|csv|json"),
    MLS_ROWS_LOGS("do not mention exports that cannot be used",
                  "explain each item and list every change that was tried",
                  "treat a tight fit and all findings as errors"),
};

static mls_status oom_listen(void *state, size_t index, mls_sink *sink)
{
    const mls_cli *cli = state;
    mls_oom_search *search = ((const memory_settings *)cli->settings)->search;
    mls_oom_search_begin(search, cli->sources.items[index].path);
    *sink = (mls_sink){.state = search, .lines = mls_oom_search_lines};
    return MLS_OK;
}

static mls_status oom_done(void *state, const mls_read *read)
{
    const mls_cli *cli = state;
    mls_oom_search_end(((const memory_settings *)cli->settings)->search);
    return mls_cli_read_done(state, read);
}

/* Fill in the job from the options, then from the logs of a config's job, then from the exports of the config.  Return
 * false after printing an error. */
static bool memory_ask(mls_cli *cli, mls_memory_job *job, mls_collection *runs)
{
    const memory_settings *settings = cli->settings;
    const char *config = job->file;
    const bool logs = !settings->oom && cli->operands.count > 0;
    mls_collect_options how;
    mls_error error = {0};
    mls_shell *script;
    for (size_t i = 0; logs && i < cli->operands.count; i++)
        if (mls_str_ends(mls_str_from(cli->operands.items[i]), MLS_S(".sh")))
            return mls_cli_usage_error(cli, "unexpected argument '%s': expected one config", cli->operands.items[i]);
    if (settings->oom && cli->operands.count == 0)
        return mls_cli_usage_error(cli, "--oom needs logs to search");
    for (size_t i = 0; i < MLS_MEMORY_SETTING_COUNT; i++) {
        const char *text = settings->given[i];
        const bool file =
            i == MLS_MEMORY_MODEL && text != NULL && (mls_memory_model_is_file(text) || access(text, F_OK) == 0);
        if (text != NULL && mls_memory_set(&job->ask, (mls_memory_setting)i, text, &error) != MLS_OK)
            return mls_cli_file_error(cli, file ? text : NULL, &error);
    }
    if (logs) {
        if (!mls_cli_load_settings(cli) || !mls_cli_collect_options(cli, &how))
            return false;
        how.runs_only = how.named_runs = how.printed = true;
        if (!mls_cli_collect(cli, &cli->operands, &how, NULL, runs))
            return false;
        const mls_run *run = mls_memory_runs(&job->ask, &cli->known_settings, runs->runs, runs->run_count,
                                             mls_config_name_decode(mls_str_from(config)).gpus);
        job->printed_in = run != NULL ? run->file : NULL;
        for (size_t i = 0; i < runs->run_count; i++)
            if (i == 0 || strcmp(runs->runs[i].file, runs->runs[i - 1].file) != 0)
                mls_memory_logged_read(runs->runs[i].file, runs->runs[i].root, &job->logged);
        mls_cli_print_skipped(cli, &runs->skipped);
    }
    if (config != NULL) {
        if (mls_shell_read(config, NULL, &script, &error) != MLS_OK)
            return mls_cli_file_error(cli, config, &error);
        (void)mls_memory_config(&job->ask, script, config, &job->findings);
        mls_shell_free(script);
        if (job->ask.shape.layers == 0) {
            return mls_cli_error(
                cli, MLS_EXIT_USAGE, config,
                "no MODEL_SIZE, and no folder that names the model: use --model with a name or a config.json");
        }
    }
    /* Report an error for options that would have no effect. */
    const bool training = mls_memory_value(&job->ask, MLS_MEMORY_TRAIN) != 0;
    const bool nothing = settings->oom && job->ask.shape.layers == 0;
    const char *reason = nothing    ? "needs a model: add --model or a config"
                         : training ? "applies only to inference, not to training"
                                    : "applies only to training: add --train or a config";
    for (size_t i = 0; i < MLS_MEMORY_SETTING_COUNT; i++) {
        const mls_memory_setting setting = (mls_memory_setting)i;
        if (settings->given[i] != NULL && (nothing || (mls_memory_settings[setting].of & 1U << training) == 0))
            return mls_cli_usage_error(cli, "--%s %s", mls_memory_settings[setting].name, reason);
    }
    static const mls_memory_setting either[][2] = {{MLS_MEMORY_SEQUENCE_PARALLEL, MLS_MEMORY_NO_SEQUENCE_PARALLEL},
                                                   {MLS_MEMORY_ZERO, MLS_MEMORY_FSDP}};
    for (size_t i = 0; i < sizeof either / sizeof *either; i++) {
        if (settings->given[either[i][0]] != NULL && settings->given[either[i][1]] != NULL) {
            return mls_cli_usage_error(cli, "--%s and --%s cannot be combined", mls_memory_settings[either[i][0]].name,
                                       mls_memory_settings[either[i][1]].name);
        }
    }
    return true;
}

static void memory_run(mls_cli *cli)
{
    memory_settings *settings = cli->settings;
    mls_memory_job job = {0};
    mls_collection runs = {0};
    mls_error error = {0};
    /* Remove the config from the operands; with --oom, operands may be logs only. */
    mls_names *operands = &cli->operands;
    char *config = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < operands->count; i++) {
        const mls_str name = mls_str_from(mls_path_name(operands->items[i]));
        if (config == NULL &&
            (!settings->oom || (mls_str_starts(name, MLS_S("config_")) && mls_str_ends(name, MLS_S(".sh")))))
            config = operands->items[i];
        else
            operands->items[kept++] = operands->items[i];
    }
    operands->count = kept;
    job.file = config;
    bool ok = mls_cli_load_models(cli);
    if (ok)
        mls_memory_ask_init(&job.ask, cli->models, cli->accelerators);
    ok = ok && memory_ask(cli, &job, &runs);
    const bool modelled = ok && job.ask.shape.layers > 0;
    if (ok && (modelled || !settings->oom) && mls_memory_answer_make(&job.ask, &job.answer, &error) != MLS_OK) {
        /* Print the findings about the config, because they may explain the error. */
        for (size_t i = 0; i < job.findings.count; i++)
            mls_cli_note(cli, job.file, "%s", job.findings.items[i].message);
        ok = mls_cli_file_error(cli, job.file, &error);
    }
    if (ok && settings->oom) {
        /* Find the out-of-memory messages in all logs, and compare each with the estimate if there is one. */
        mls_oom_list list = {.job = modelled ? &job : NULL};
        const mls_reading reading = {
            .work.threads = cli->work.threads, .state = cli, .listen = oom_listen, .done = oom_done};
        if (mls_oom_search_new(&settings->search, &error) != MLS_OK) {
            mls_cli_print_error(cli, NULL, &error);
        } else if (mls_cli_read(cli, NULL, &reading, NULL, NULL)) {
            list.items = mls_oom_search_items(settings->search, &list.count, &list.dropped);
            mls_cli_print(cli, &mls_oom_report, &list);
            mls_cli_set_status(cli, list.count > 0 ? MLS_EXIT_INVALID : MLS_EXIT_OK);
        }
        mls_oom_search_free(settings->search);
    } else if (ok) {
        mls_memory_judge(&job.ask, &job.answer, &job.findings);
        mls_cli_judge_findings(cli, &job.findings);
        mls_cli_set_status(cli, job.ask.unsure ? MLS_EXIT_INVALID : MLS_EXIT_OK);
        mls_cli_print(cli, &mls_memory_report, &job);
    }
    free(config);
    mls_collection_release(&runs);
    mls_findings_release(&job.findings);
}

const mls_command mls_command_memory = {
    .name = "memory",
    .summary = "estimate GPU memory and suggest changes that make a job fit",
    .usage = "[OPTION]… [CONFIG [LOG…] | --oom LOG…]",
    .about = "Estimates the memory that one GPU needs, item by item, compares it with the\n"
             "GPU's capacity, and suggests the smallest change that makes the job fit. The\n"
             "default is inference; --train selects training; CONFIG, a config_*.sh,\n"
             "describes a training job (options override the settings printed in LOG, and\n"
             "these override the exports of CONFIG). --oom explains out-of-memory messages\n"
             "in logs.",
    .options = options,
    .settings_size = sizeof(memory_settings),
    .paths = "",
    .run = memory_run,
};
