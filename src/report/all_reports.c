/* SPDX-License-Identifier: Apache-2.0 */
/* all_reports.c - the list of all reports, from which `mlscore help fields` is printed. */
#include "report/reports.h"

#define REPORT(name) &mls_##name##_report,
#define PROFILE(by) &mls_profile_reports[by],
/* clang-format off */
static const mls_report *const reports[] = {
    REPORT(score) REPORT(score_wide) REPORT(summary) REPORT(check) REPORT(verify) REPORT(review) REPORT(config) REPORT(rcp)
    REPORT(rcp_limit) REPORT(config_exports) REPORT(editions) REPORT(checklist) REPORT(events) REPORT(throughput)
    REPORT(telemetry) REPORT(memory) REPORT(oom) REPORT(compare) REPORT(nearest) REPORT(scaling) REPORT(plan)
    REPORT(published) REPORT(diagnose) REPORT(published_trend) PROFILE(0) PROFILE(1) PROFILE(2) PROFILE(3) PROFILE(4)
    PROFILE(5) PROFILE(6) REPORT(campaign) REPORT(config_diff) REPORT(published_settings) REPORT(published_runs)
    REPORT(overview) REPORT(pack) REPORT(page) REPORT(watch)
};
/* clang-format on */

/* Tables of fields that other sections of mlscore-formats(5) document.  `apart` applies to every report,
 * `apart_of_overview` to the reports of overview and watch, which contain other reports. */
static const mls_fields *const apart[] = {&mls_finding_fields, NULL};
static const mls_fields *const apart_of_overview[] = {&mls_group_fields, &mls_published_match_fields, &mls_block_fields,
                                                      &mls_timed_group_fields, NULL};

void mls_reports_print_fields(mls_output *output)
{
    mls_fields_print(output, "FINDING", &mls_finding_fields, apart);
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        const mls_report *report = reports[i];
        const mls_walk walk = mls_walk_of(&report->columns, report->object);
        bool printed = false; /* an earlier report in the list has the same JSON, so its fields were printed */
        for (size_t k = 0; k < i; k++)
            printed |= reports[k]->object == report->object;
        if (report->object != NULL && !printed) {
            mls_fields_print(output, report->section, report->object,
                             report == &mls_overview_report || report == &mls_watch_report ? apart_of_overview : apart);
        }
        if (report->columns.names != NULL)
            mls_walk_print(&walk, output);
    }
}
