/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <stddef.h>

/* In the order in which help lists them. */
const mls_command *const mls_commands[] = {
    // clang-format off
    &mls_command_score,
    &mls_command_check,
    &mls_command_verify,
    &mls_command_config,
    &mls_command_events,
    &mls_command_rcp,
    &mls_command_rules,
    &mls_command_help,
    &mls_command_completion,
    NULL,
    // clang-format on
};
