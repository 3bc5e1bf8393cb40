/* SPDX-License-Identifier: Apache-2.0 */
/* printed.h - the settings that a job printed, for a person. */
#pragma once

#include "run/settings.h"
#include "term/view.h"

/* Headline `title`, then a line for each group of known settings; `others` says where the rest is listed. */
void mls_printed_show(mls_view *view, mls_str title, size_t run_line, const mls_printed *printed,
                      const mls_known_settings *known);
