/* SPDX-License-Identifier: Apache-2.0 */
/* test_plot.c - text and coordinates in a page, ticks, scales, thinning. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/chart.h"

/* A string literal and its length. */
#define TEXT(literal) (literal), sizeof(literal) - 1

static void assert_text(const char *raw, size_t len, const char *expected)
{
    mls_buffer out = {0};
    mls_markup_text(&out, (mls_str){raw, len});
    assert_string_equal(out.ptr, expected);
    mls_buffer_release(&out);
}

static void hostile_text_leaves_no_markup(void **state)
{
    (void)state;
    assert_text(TEXT("<script>a&b</script>"), "&lt;script&gt;a&amp;b&lt;/script&gt;");
    assert_text(TEXT("\"'><img onerror="), "&quot;&#39;&gt;&lt;img onerror=");
    assert_text(TEXT("]]>"), "]]&gt;");
    assert_text(TEXT("a\0b\x1b\n\x7f"), "a\xef\xbf\xbd"
                                        "b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_text(TEXT("\xe2\x80\xae\xe2\x80\xa8\xe2\x81\xa6"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    /* Each byte that does not begin a valid sequence counts as one, also those of an unpaired surrogate. */
    assert_text(TEXT("\xff\xc3\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_text(TEXT("\xc3\xbc\xf0\x9f\x98\x80"), "\xc3\xbc\xf0\x9f\x98\x80");
}

static void long_text_is_cut(void **state)
{
    (void)state;
    char text[1200];
    mls_buffer out = {0};
    memset(text, '<', sizeof text);
    mls_markup_text(&out, (mls_str){text, sizeof text});
    assert_int_equal(out.len, MLS_MARKUP_CHARACTERS_MAX * strlen("&lt;") + strlen("…"));
    mls_buffer_release(&out);
}

static void assert_coordinate(double number, const char *expected)
{
    mls_buffer out = {0};
    mls_markup_coordinate(&out, number);
    assert_string_equal(out.ptr, expected);
    mls_buffer_release(&out);
}

static void coordinates_are_short_and_finite(void **state)
{
    (void)state;
    assert_coordinate(12, "12");
    assert_coordinate(12.04, "12");
    assert_coordinate(12.05, "12.1");
    assert_coordinate(-0.01, "0");
    assert_coordinate(-0.5, "-0.5");
    assert_coordinate((double)NAN, "0");
    assert_coordinate((double)INFINITY, "0");
    assert_coordinate(1e300, "1000000");
}

static void steps_are_round(void **state)
{
    (void)state;
    assert_true(fabs(mls_tick_step(0, 7, 7) - 1) <= 1e-12);
    assert_true(fabs(mls_tick_step(0, 10, 7) - 2) <= 1e-12);
    assert_true(fabs(mls_tick_step(0, 1, 5) - 0.2) <= 1e-12);
    assert_true(fabs(mls_tick_step(0, 25, 5) - 5) <= 1e-12);
    assert_true(fabs(mls_tick_step(0, 36, 5) - 10) <= 1e-12);
    assert_true(fabs(mls_tick_step(3, 3, 5) - 1) <= 0);
    assert_true(fabs(mls_tick_step(0, (double)INFINITY, 5) - 1) <= 0);
    assert_string_equal(mls_tick_words(0.3, 0.05).text, "0.30");
    assert_string_equal(mls_tick_words(5000, 1000).text, "5,000");
    assert_string_equal(mls_tick_words(20000, 5000).text, "20 k");
    assert_string_equal(mls_tick_words(12500, 500).text, "12.5 k");
    assert_string_equal(mls_tick_words(1500000, 500000).text, "1.5 M");
}

static void any_values_have_a_place(void **state)
{
    (void)state;
    mls_extent extent = {0};
    mls_extent_add(&extent, (double)NAN);
    mls_extent_add(&extent, (double)INFINITY);
    assert_int_equal(extent.count, 0);
    mls_extent_add(&extent, 5);
    const mls_scale alike = mls_scale_of(&extent, 0.05, 0, 100);
    assert_true(fabs(mls_scale_at(&alike, 5) - 50) <= 1e-9);
    mls_extent_add(&extent, 50);
    const mls_scale scale = mls_scale_log(&extent, 1, 0, 100);
    assert_true(fabs(mls_scale_at(&scale, 5) - 0) <= 1e-9);
    assert_true(fabs(mls_scale_at(&scale, 500) - 100) <= 1e-9);
}

static void thinning_keeps_every_spike(void **state)
{
    (void)state;
    enum { COUNT = 100000, MOST = 1800 };
    static mls_chart_point points[COUNT];
    bool spikes[2] = {false};
    for (size_t i = 0; i < COUNT; i++)
        points[i] = (mls_chart_point){(double)i, i % 97 == 0 ? (double)NAN : 1};
    points[54321].y = 9;
    points[777].y = -9;
    const size_t kept = mls_chart_thin(points, COUNT, MOST, true);
    assert_true(kept <= MOST + 1 && kept >= MOST / 2);
    for (size_t i = 0; i < kept; i++) {
        spikes[0] |= points[i].x == 54321;
        spikes[1] |= points[i].x == 777;
        assert_true(i == 0 || points[i].x > points[i - 1].x);
    }
    assert_true(spikes[0] && spikes[1] && points[kept - 1].x == COUNT - 1);
    assert_int_equal(mls_chart_thin(points, MOST, MOST, false), MOST);
}

static void marks_are_elements(void **state)
{
    (void)state;
    mls_buffer out = {0};
    mls_chart chart = {.title = "a<b", .y = {.from = 50}, .continues = true, .continued = true};
    mls_buffer_append_text(&chart.description, "c&d");
    mls_svg_circle(&chart.marks, "run", 1.25, 2, 3);
    mls_svg_text(&chart.marks, NULL, 'm', 1, 2, "<x>");
    mls_svg_line(&chart.marks, "grid", 0, 1, 2, (double)NAN);
    mls_chart_draw(&out, &chart);
    assert_string_equal(out.ptr, "<svg role=\"img\" viewBox=\"0 0 1040 50\"><title>a&lt;b</title><desc>c&amp;d</desc>"
                                 "<circle class=\"run\" cx=\"1.3\" cy=\"2\" r=\"3\"/>"
                                 "<text x=\"1\" y=\"2\" text-anchor=\"middle\">&lt;x&gt;</text>"
                                 "<path class=\"grid\" d=\"M0 1L2 0\"/></svg>\n");
    mls_buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hostile_text_leaves_no_markup),
                                       cmocka_unit_test(long_text_is_cut),
                                       cmocka_unit_test(coordinates_are_short_and_finite),
                                       cmocka_unit_test(steps_are_round),
                                       cmocka_unit_test(any_values_have_a_place),
                                       cmocka_unit_test(thinning_keeps_every_spike),
                                       cmocka_unit_test(marks_are_elements)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
