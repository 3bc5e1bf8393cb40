/* SPDX-License-Identifier: Apache-2.0 */
/* all_reports.c - the list of all reports: nothing else of this room knows it. */
#include "report/reports.h"

static const mls_report *const reports[] = {&mls_score_report,
                                            &mls_score_wide_report,
                                            &mls_summary_report,
                                            &mls_check_report,
                                            &mls_verify_report,
                                            &mls_config_report,
                                            &mls_rcp_report,
                                            &mls_rcp_limit_report,
                                            &mls_config_exports_report,
                                            &mls_editions_report,
                                            &mls_checklist_report,
                                            &mls_events_report,
                                            &mls_throughput_report,
                                            &mls_telemetry_report,
                                            &mls_memory_report,
                                            &mls_oom_report,
                                            &mls_compare_report,
                                            &mls_nearest_report,
                                            &mls_scaling_report,
                                            &mls_plan_report,
                                            &mls_published_report,
                                            &mls_diagnose_report,
                                            &mls_published_trend_report,
                                            &mls_profile_reports[0],
                                            &mls_profile_reports[1],
                                            &mls_profile_reports[2],
                                            &mls_profile_reports[3],
                                            &mls_profile_reports[4],
                                            &mls_profile_reports[5],
                                            &mls_profile_reports[6],
                                            &mls_campaign_report,
                                            &mls_config_diff_report,
                                            &mls_published_settings_report,
                                            &mls_published_runs_report,
                                            &mls_overview_report,
                                            &mls_pack_report,
                                            &mls_page_report,
                                            &mls_watch_report};

/* Whether a report before this one prints the same in JSON. */
static bool is_printed_already(size_t index)
{
    bool printed = false;
    for (size_t i = 0; i < index; i++) {
        printed |= reports[i]->object == reports[index]->object;
    }
    return printed;
}

/* Tables that have a section of their own, and those of other reports that an overview puts together. */
static const mls_fields *const apart[] = {&mls_finding_fields, NULL};
static const mls_fields *const apart_of_overview[] = {&mls_group_fields, &mls_beside_fields, &mls_block_fields,
                                                      &mls_timed_group_fields, NULL};

void mls_reports_print_fields(mls_output *output)
{
    mls_fields_print(output, "FINDING", &mls_finding_fields, apart);
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        const mls_report *report = reports[i];
        const mls_walk walk = mls_walk_of(&report->columns, report->object);
        if (report->object != NULL && !is_printed_already(i)) {
            mls_fields_print(output, report->section, report->object,
                             report == &mls_overview_report || report == &mls_watch_report ? apart_of_overview : apart);
        }
        if (report->columns.names != NULL) {
            mls_walk_print(&walk, output);
        }
    }
}
