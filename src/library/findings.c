/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - what outsiders ask of findings. */
#include "mlscore/findings.h"

#include "base/base.h"

size_t mls_findings_kept(const mls_findings *findings)
{
    return findings->count;
}

const mls_finding *mls_findings_at(const mls_findings *findings, size_t index)
{
    return index < findings->count ? &findings->items[index] : NULL;
}

size_t mls_findings_total(const mls_findings *findings, mls_severity severity)
{
    return mls_finding_counts_of(&findings->counts, severity);
}

const char *mls_finding_kind(const mls_finding *finding)
{
    return mls_finding_info_get(finding->code)->name;
}

mls_severity mls_finding_severity(const mls_finding *finding)
{
    return finding->severity;
}

const char *mls_finding_message(const mls_finding *finding)
{
    return finding->message;
}

size_t mls_finding_line(const mls_finding *finding)
{
    return finding->line;
}

size_t mls_finding_column(const mls_finding *finding)
{
    return finding->column;
}

const char *mls_finding_path(const mls_finding *finding)
{
    return finding->path;
}

const char *mls_finding_key(const mls_finding *finding)
{
    return finding->key;
}
