/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands.h - the entries of all commands; each is defined in cmd_<name>.c.
 */
#ifndef MLS_CLI_COMMANDS_H
#define MLS_CLI_COMMANDS_H

#include "cli/command.h"

extern const mls_command mls_command_check;
extern const mls_command mls_command_completion;
extern const mls_command mls_command_config;
extern const mls_command mls_command_events;
extern const mls_command mls_command_help;
extern const mls_command mls_command_rcp;
extern const mls_command mls_command_rules;
extern const mls_command mls_command_score;
extern const mls_command mls_command_verify;

#endif
