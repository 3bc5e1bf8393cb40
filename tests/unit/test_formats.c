/* SPDX-License-Identifier: Apache-2.0 */
/* A format that a report has nothing for is not offered, so that nobody prints it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/reports.h"

static void every_format_asks_for_what_it_needs(void **state)
{
    static const mls_report nothing = {.begin = NULL};
    (void)state;
    for (mls_format format = 0; format < MLS_FORMAT_COUNT; format++) {
        assert_false(mls_report_offers(&nothing, format));
        assert_true(mls_report_offers(&mls_check_report, format));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_asks_for_what_it_needs),
        cmocka_unit_test(a_report_offers_what_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
