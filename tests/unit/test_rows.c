/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/rows.h"
#include "base/words.h"

static mls_status append_row(void *state, const mls_text_row *row)
{
    mls_buffer *seen = state;
    mls_buffer_printf(seen, "%zu@%zu", row->line, row->offset);
    for (size_t i = 0; i < row->count; i++) {
        mls_buffer_append_text(seen, "|");
        mls_buffer_append(seen, row->cells[i]);
    }
    mls_buffer_append_text(seen, "\n");
    return row->count == 1 && mls_str_equal(row->cells[0], MLS_S("stop")) ? MLS_STOPPED : MLS_OK;
}

typedef mls_status (*rows_reader)(mls_str text, mls_text_row_function function, void *state, mls_error *error);

static void assert_rows(rows_reader read, mls_str text, mls_status status, const char *expected)
{
    mls_buffer seen = {0};
    mls_buffer_append_text(&seen, "");
    assert_int_equal(read(text, append_row, &seen, NULL), status);
    assert_string_equal(seen.ptr, expected);
    mls_buffer_release(&seen);
}

static void rows_come_with_their_places(void **state)
{
    (void)state;
    assert_rows(mls_csv_read, MLS_S(""), MLS_OK, "");
    assert_rows(mls_csv_read,
                MLS_S("\xef\xbb\xbf"
                      "a, b ,\n\r\n \n1,\"x\n\"\"y\"\"\",3\nlast"),
                MLS_OK, "1@3|a|b|\n4@14|1|x\n\"y\"|3\n6@28|last\n");
    assert_rows(mls_csv_read, MLS_S("a\nstop\nb\n"), MLS_STOPPED, "1@0|a\n2@2|stop\n");
    assert_rows(mls_csv_read, MLS_S("a\nb\"c\n"), MLS_ERROR_SYNTAX, "1@0|a\n");
    assert_rows(mls_csv_read, MLS_S("a\n\"b\n"), MLS_ERROR_SYNTAX, "1@0|a\n");
}

static void bars_have_no_quotes(void **state)
{
    (void)state;
    assert_rows(mls_bars_read, MLS_S(""), MLS_OK, "");
    assert_rows(mls_bars_read,
                MLS_S("\xef\xbb\xbf"
                      "a| b |\n\r\n \n1|\"x|y\"\r\nlast"),
                MLS_OK, "1@3|a| b |\n4@14|1|\"x|y\"\n5@23|last\n");
    assert_rows(mls_bars_read, MLS_S("a\nstop\nb\n"), MLS_STOPPED, "1@0|a\n2@2|stop\n");
}

static mls_status note_place(void *state, const mls_text_row *row)
{
    *(mls_text_row *)state = *row;
    return MLS_OK;
}

static void places_of_cells(void **state)
{
    (void)state;
    mls_str text = MLS_S("head\n\"a,\n\"\"b\", cd ,\"e\"\n");
    mls_text_row row = {0};
    assert_int_equal(mls_csv_read(text, note_place, &row, NULL), MLS_OK);
    const size_t places[][2] = {{2, 2}, {3, 7}, {3, 12}};
    for (size_t field = 0; field < 3; field++) {
        size_t line;
        size_t column;
        mls_csv_place(text, &row, field, &line, &column);
        assert_int_equal(line, places[field][0]);
        assert_int_equal(column, places[field][1]);
    }
}

static void too_many_cells_are_refused(void **state)
{
    (void)state;
    mls_buffer text = {0};
    static const rows_reader readers[] = {mls_csv_read, mls_bars_read};
    for (size_t i = 0; i < 2; i++) {
        mls_text_row row;
        mls_error error;
        mls_buffer_clear(&text);
        mls_buffer_append_repeated(&text, i == 0 ? ',' : '|', MLS_TABLE_CELLS_MAX);
        assert_int_equal(readers[i](mls_buffer_str(&text), note_place, &row, &error), MLS_ERROR_LIMIT);
        text.len--;
        assert_int_equal(readers[i](mls_buffer_str(&text), note_place, &row, &error), MLS_OK);
        assert_int_equal(row.count, MLS_TABLE_CELLS_MAX);
    }
    mls_buffer_release(&text);
}

static void numbers_are_grouped(void **state)
{
    (void)state;
    static const struct {
        double number;
        int decimals;
        const char *text;
    } table[] = {{0, 0, "0"},
                 {999, 0, "999"},
                 {1000, 0, "1,000"},
                 {-1234567.891, 2, "-1,234,567.89"},
                 {-100, 0, "-100"},
                 {999.96, 1, "1,000.0"},
                 {0.5, 30, "0.500000000000000"},
                 {999999999999999.0, 0, "999,999,999,999,999"},
                 {1e15, 0, "1e+15"},
                 {-1e308, 3, "-1e+308"},
                 {INFINITY, 0, "-"}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        assert_string_equal(mls_words_grouped(table[i].number, table[i].decimals).text, table[i].text);
}

static void zeros_at_the_end_are_trimmed(void **state)
{
    (void)state;
    static const struct {
        double number;
        const char *text;
    } table[] = {{0, "0"},        {9, "9"},       {3061.25, "3,061.25"},
                 {1000, "1,000"}, {-0.5, "-0.5"}, {1234.00001, "1,234"},
                 {NAN, "-"},      {1e20, "1e+20"}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        assert_string_equal(mls_words_trimmed(table[i].number, 4).text, table[i].text);
    assert_string_equal(mls_words_trimmed(1000, 0).text, "1,000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_with_their_places),
        cmocka_unit_test(bars_have_no_quotes),
        cmocka_unit_test(places_of_cells),
        cmocka_unit_test(too_many_cells_are_refused),
        cmocka_unit_test(numbers_are_grouped),
        cmocka_unit_test(zeros_at_the_end_are_trimmed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
