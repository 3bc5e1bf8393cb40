/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_hosts.c - mlscore hosts: expand or fold Slurm's host lists. */
#include "base/utf8.h"
#include "cli/command.h"
#include "score/hosts.h"

typedef struct hosts_settings {
    bool fold, count;
} hosts_settings;

static const mls_option options[] = {
    MLS_ROW_FLAG('\0', "fold", offsetof(hosts_settings, fold),
                 "print the shortest list that expands to these names in this order"),
    MLS_ROW_FLAG('\0', "count", offsetof(hosts_settings, count), "print the number of names"),
    MLS_ROW_OUTPUT,
    MLS_ROWS_LAST,
};

static void hosts_run(mls_cli *cli)
{
    const hosts_settings *settings = cli->settings;
    mls_buffer lists = {0};
    mls_buffer names = {0}; /* the names of the hosts, each followed by a NUL byte */
    mls_buffer text = {0};
    mls_findings findings = {0};
    if (cli->operands.count == 0) {
        mls_cli_usage_error(cli, "no list of hosts given");
        return;
    }
    for (size_t i = 0; i < cli->operands.count; i++)
        mls_buffer_printf(&lists, "%s%s", i > 0 ? "," : "", cli->operands.items[i]);
    const size_t count = mls_hosts_expand(mls_buffer_str(&lists), &names, &findings, (mls_finding_place){0});
    mls_str rest = mls_buffer_str(&names);
    if (settings->count) {
        mls_buffer_printf(&text, "%zu\n", count);
    } else if (settings->fold) {
        mls_buffer_clear(&lists);
        mls_hosts_fold(rest, &lists);
        mls_escape_append(&text, mls_buffer_str(&lists));
        mls_buffer_append_char(&text, '\n');
    } else {
        for (mls_str name; mls_str_cut(&rest, '\0', &name);) {
            mls_escape_append(&text, name);
            mls_buffer_append_char(&text, '\n');
        }
    }
    if (mls_cli_open(cli))
        mls_output_write(&cli->output, mls_buffer_str(&text));
    for (size_t i = 0; i < findings.count; i++)
        mls_cli_error(cli, MLS_EXIT_INVALID, NULL, "%s", findings.items[i].message);
    mls_findings_release(&findings);
    mls_buffer_release(&text);
    mls_buffer_release(&names);
    mls_buffer_release(&lists);
}

const mls_command mls_command_hosts = {
    .name = "hosts",
    .summary = "expand or fold Slurm host lists",
    .usage = "[OPTION]… LIST…",
    .about = "Prints the names in each LIST, such as node[01-03,07],gpu1, one per line, like\n"
             "scontrol show hostnames, without Slurm.",
    .options = options,
    .settings_size = sizeof(hosts_settings),
    .run = hosts_run,
};
