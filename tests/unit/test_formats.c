/* SPDX-License-Identifier: Apache-2.0 */
/* A format for which a report has no data is not offered, so that it is never printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/reports.h"
#include "shell_text.h"

static void every_format_asks_for_what_it_needs(void **state)
{
    static const mls_report nothing = {.begin = NULL};
    (void)state;
    for (mls_format format = 0; format < MLS_FORMAT_COUNT; format++) {
        assert_false(mls_report_offers(&nothing, format));
        const mls_report *report = format == MLS_FORMAT_HTML ? &mls_verify_report
                                   : format == MLS_FORMAT_OPENMETRICS || format == MLS_FORMAT_ONELINE
                                       ? &mls_score_report
                                       : &mls_check_report;
        assert_true(mls_report_offers(report, format));
    }
}

static void a_report_offers_what_it_has(void **state)
{
    (void)state;
    assert_true(mls_report_offers(&mls_editions_report, MLS_FORMAT_TABLE));
    assert_true(mls_report_offers(&mls_editions_report, MLS_FORMAT_JSON));
    assert_false(mls_report_offers(&mls_editions_report, MLS_FORMAT_CSV));
    assert_false(mls_report_offers(&mls_events_report, MLS_FORMAT_TABLE));
    assert_false(mls_report_offers(&mls_score_report, MLS_FORMAT_JUNIT));
}

/* No command prints configs as Markdown; values can be any text, so they would have to be escaped like findings. */
static void what_agrees_formats_nothing(void **state)
{
    mls_output output;
    mls_view view = {.output = &output, .format = MLS_FORMAT_MARKDOWN};
    mls_printer to = {.view = &view};
    mls_config_entry entry = {.name = mls_config_name_decode(MLS_S("A_1x2x1xtp1_[x](y)"))};
    const mls_config_list list = {.items = &entry, .count = 1};
    (void)state;
    entry.script = shell_text_read("config.sh", MLS_S("export DGXNNODES=1 \"DGXSYSTEM=A_1x2x1xtp1_[x](y)\""));
    mls_config_compare(&entry.name, entry.script, &entry.summary, &entry.findings);
    assert_int_equal(entry.summary.agreeing_count, 2);
    assert_int_equal(mls_output_open(&output, NULL, NULL), MLS_OK);
    mls_config_report.show(&to, &list);
    assert_true(mls_str_contains(mls_buffer_str(&output.buffer),
                                 MLS_S("- text agrees: DGXSYSTEM=A\\_1x2x1xtp1\\_\\[x\\](y) ")));
    assert_int_equal(mls_output_close(&output, true, NULL), MLS_ERROR_WRITE);
    mls_shell_free(entry.script);
    mls_findings_release(&entry.findings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_asks_for_what_it_needs),
        cmocka_unit_test(a_report_offers_what_it_has),
        cmocka_unit_test(what_agrees_formats_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
