/* SPDX-License-Identifier: Apache-2.0 */
/* skeleton.h - the beginning of a system's description: all fields that are required, as far as logs know them. */
#pragma once

#include "base/buffer.h"
#include "base/memory.h"
#include "score/group.h"

/* Appends a description of the system `name`.  A field is taken from `described` (an object of JSON; empty: none), else
 * from what all runs that log a description log alike, else from the config's name and the records; what nothing says
 * is empty, and `lack` is called with its name, as it is where runs disagree, which is a finding.  MLS_OK,
 * MLS_ERROR_SYNTAX for another text in `described`, or MLS_ERROR_MEMORY. */
mls_status mls_skeleton_append(const mls_group *group, const char *name, mls_str described, mls_buffer *text,
                               mls_findings *findings, bool (*lack)(void *state, const char *field), void *state,
                               mls_error *error) MLS_MUST_USE;
