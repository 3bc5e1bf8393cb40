/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_report.h - what `mlscore config` prints of names and scripts.
 *
 * Every function returns false when memory ran out and the output is not
 * complete.
 */
#ifndef MLS_REPORT_CONFIG_REPORT_H
#define MLS_REPORT_CONFIG_REPORT_H

#include "base/output.h"
#include "mlscore/config.h"

/* One config, and what was found in its name and its text together. */
typedef struct mls_config_entry {
    const char *file; /* NULL: there is only a name */
    mls_config_name name;
    mls_shell *script; /* NULL: none was read */
    mls_config_summary summary;
    mls_findings findings;
} mls_config_entry;

typedef struct mls_config_style {
    size_t width; /* columns of the terminal; 0: no limit */
    bool color;
    bool advice; /* list it too */
} mls_config_style;

/* A few lines for each config. */
bool mls_report_config_blocks(const mls_config_entry *entries, size_t count, mls_config_style style,
                              mls_output *output) MLS_MUST_USE;

/* A row for each config, findings below. */
bool mls_report_config_table(const mls_config_entry *entries, size_t count, mls_config_style style,
                             mls_output *output) MLS_MUST_USE;

/* KEY=VALUE for each config, `# …` for what cannot be known. */
bool mls_report_config_exports(const mls_config_entry *entries, size_t count, mls_output *output) MLS_MUST_USE;

/* One row a config; with `exports` one row a variable. */
bool mls_report_config_csv(const mls_config_entry *entries, size_t count, bool exports,
                           mls_output *output) MLS_MUST_USE;

/* {"configs": [{…, "exports": {…} (only if asked for), "findings": […]}]} */
bool mls_report_config_json(const mls_config_entry *entries, size_t count, bool exports,
                            mls_output *output) MLS_MUST_USE;

#endif
