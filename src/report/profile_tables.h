/* SPDX-License-Identifier: Apache-2.0 */
/* profile_tables.h - the tables of profiles, for profile_report.c. */
#pragma once

#include "report/reports.h"

/* What was asked for, and with -v more. */
void mls_profile_tables_show(mls_view *view, const mls_profile *profile, mls_profile_by by);

/* How the classes of the only profile changed. */
void mls_profile_changes_show(mls_view *view, const mls_profiles *all);
