/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_report.h - what `mlscore config` prints of names and scripts.
 */
#ifndef MLS_REPORT_CONFIG_REPORT_H
#define MLS_REPORT_CONFIG_REPORT_H

#include "mlscore/config.h"
#include "report/fields.h"

/* One config, and what was found in its name and its text together. */
typedef struct mls_config_entry {
    const char *file; /* NULL: there is only a name */
    mls_config_name name;
    mls_shell *script; /* NULL: none was read */
    mls_config_summary summary;
    mls_findings findings;
} mls_config_entry;

typedef struct mls_config_list {
    mls_config_entry *items;
    size_t count, capacity;
    bool folders; /* some are of a folder: a row each, findings below; else a few lines each */
    bool exports; /* print what scripts export: KEY=VALUE, `# …` for what cannot be known */
} mls_config_list;

/* Of an mls_config_list; CSV has one row a config, or one a variable. */
extern const mls_report mls_config_report, mls_config_exports_report;

/* config_table.c */
void mls_config_show(mls_printer *to, const void *list);
void mls_config_show_exports(mls_printer *to, const void *list);

#endif
