/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "term/table.h"

/* Print and release a table.  Return the text; free it. */
static char *printed(mls_table *table, size_t width, bool color, bool markdown)
{
    mls_output output;
    char path[] = "/tmp/mlscore-table-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(mls_output_open(&output, path, NULL), MLS_OK);
    mls_view view = {
        .output = &output, .format = markdown ? MLS_FORMAT_MARKDOWN : MLS_FORMAT_TABLE, .width = width, .color = color};
    mls_table_finish(table, &view);
    assert_int_equal(mls_output_close(&output, false, NULL), MLS_OK);
    FILE *file = fopen(path, "re");
    char *text = calloc(1, 100000);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, 99999, file) < 99999);
    (void)fclose(file);
    (void)close(fd);
    (void)unlink(path);
    return text;
}

static void row(mls_table *table, const char *log, const char *init, const char *train, const char *eval,
                const char *valid, const char *note)
{
    mls_table_row(table);
    mls_table_cell(table, "run", MLS_COLUMN_RIGHT | MLS_COLUMN_KEEP, MLS_STYLE_PLAIN, "%zu", table->count);
    mls_table_cell(table, "log", MLS_COLUMN_KEEP | MLS_COLUMN_CUT, MLS_STYLE_PLAIN, "%s", log);
    mls_table_cell(table, "init", MLS_COLUMN_RIGHT, MLS_STYLE_PLAIN, "%s", init);
    mls_table_cell(table, "train (min)", MLS_COLUMN_DECIMAL | MLS_COLUMN_KEEP, MLS_STYLE_PLAIN, "%s", train);
    mls_table_cell(table, "eval", MLS_COLUMN_DECIMAL, MLS_STYLE_PLAIN, "%s", eval);
    mls_table_cell(table, "valid", MLS_COLUMN_KEEP, MLS_STYLE_BAD, "%s", valid);
    if (note != NULL)
        mls_table_note(table, MLS_STYLE_PLAIN, "%s", note);
}

static void fill(mls_table *table)
{
    *table = (mls_table){.indent = 2};
    row(table, "a-name-of-some-length-1.log", "2:28.7", "1.524", "0.92474", "yes", NULL);
    row(table, "b.log", "-", "-", "-", "no", "it was aborted");
    row(table, "caf\xc3\xa9-\xe6\x97\xa5\xe6\x9c\xac-long-enough-to-be-cut.log", "10:00.0", "1234.5", "-", "yes", NULL);
    row(table, "d.log", "", "17", "0.5", "yes", NULL);
}

static void assert_printed(mls_table *table, size_t width, const char *expected)
{
    char *text = printed(table, width, false, false);
    assert_string_equal(text, expected);
    free(text);
}

static void without_a_width_nothing_is_left_out(void **state)
{
    mls_table table;
    (void)state;
    fill(&table);
    assert_printed(
        &table, 0,
        "  run  log                                     init  train (min)     eval  valid\n"
        "    1  a-name-of-some-length-1.log           2:28.7        1.524  0.92474  yes\n"
        "    2  b.log                                      -        -      -        no     it was aborted\n"
        "    3  caf\xc3\xa9-\xe6\x97\xa5\xe6\x9c\xac-long-enough-to-be-cut.log  10:00.0     1234.5    -        yes\n"
        "    4  d.log                                              17      0.5      yes\n");
}

static void columns_are_dropped_from_the_right(void **state)
{
    mls_table table;
    (void)state;
    fill(&table);
    assert_printed(&table, 56,
                   "  run  log                      init  train (min)  valid\n"
                   "    1  a-name-of\xe2\x80\xa6ngth-1.log   2:28.7        1.524  yes\n"
                   "    2  b.log                       -        -      no\n"
                   "      it was aborted\n"
                   "    3  caf\xc3\xa9-\xe6\x97\xa5\xe6\x9c\xac\xe2\x80\xa6"
                   "be-cut.log  10:00.0     1234.5    yes\n"
                   "    4  d.log                               17      yes\n");
}

static size_t widest_line(const char *text, bool *trailing)
{
    size_t widest = 0;
    while (*text != '\0') {
        const size_t len = strcspn(text, "\n");
        const size_t width = mls_display_width((mls_str){text, len});
        widest = width > widest ? width : widest;
        *trailing |= len > 0 && text[len - 1] == ' ';
        text += len + (text[len] == '\n');
    }
    return widest;
}

static void no_row_is_wider_than_the_terminal(void **state)
{
    mls_table table;
    size_t before = 0;
    (void)state;
    for (size_t width = 1; width < 200; width++) {
        bool trailing = false;
        fill(&table);
        char *text = printed(&table, width, false, false);
        const size_t widest = widest_line(text, &trailing);
        assert_false(trailing);
        /* The minimum needs 2 + 3 + 2 + 12 + 2 + 11 + 2 + 5 columns. */
        assert_true(widest <= (width < 39 ? 39 : width));
        assert_true(widest >= before || widest + 14 > before); /* a wider screen never shows much less */
        assert_true(width < 39 || strstr(text, "it was aborted") != NULL);
        before = widest;
        free(text);
    }
}

static void colour_adds_codes_and_nothing_else(void **state)
{
    mls_table table;
    (void)state;
    fill(&table);
    char *plain = printed(&table, 70, false, false);
    fill(&table);
    char *colored = printed(&table, 70, true, false);
    char *to = colored;
    size_t codes = 0;
    for (const char *from = colored; *from != '\0';) {
        if (*from == '\033') {
            from += strcspn(from, "m") + 1;
            codes++;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
    assert_string_equal(plain, colored);
    assert_true(codes > 0 && codes % 2 == 0);
    free(plain);
    free(colored);
}

static void fill_hostile(mls_table *table)
{
    *table = (mls_table){0};
    mls_table_row(table);
    mls_table_cell(table, "run", MLS_COLUMN_RIGHT, MLS_STYLE_PLAIN, "%s", "1");
    mls_table_cell(table, "log", MLS_COLUMN_LEFT, MLS_STYLE_PLAIN, "%s", "\033[31m\n\xff|x_y*");
    mls_table_note(table, MLS_STYLE_PLAIN, "%s", "a\rb");
}

static void log_text_is_escaped(void **state)
{
    mls_table table;
    (void)state;
    fill_hostile(&table);
    assert_printed(&table, 0, "run  log\n  1  \\x1b[31m\\n\\xff|x_y*  a\\rb\n");
    fill_hostile(&table);
    char *text = printed(&table, 0, false, true);
    assert_string_equal(text, "| run | log | note |\n| ---: | --- | --- |\n"
                              "| 1 | \\\\x1b\\[31m\\\\n\\\\xff\\|x\\_y\\* | a\\\\rb |\n");
    free(text);
}

static void an_empty_table_prints_nothing(void **state)
{
    mls_table table = {.indent = 2};
    (void)state;
    mls_table_cell(&table, "run", MLS_COLUMN_LEFT, MLS_STYLE_PLAIN, "no row");
    assert_printed(&table, 80, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_width_nothing_is_left_out),
        cmocka_unit_test(columns_are_dropped_from_the_right),
        cmocka_unit_test(no_row_is_wider_than_the_terminal),
        cmocka_unit_test(colour_adds_codes_and_nothing_else),
        cmocka_unit_test(log_text_is_escaped),
        cmocka_unit_test(an_empty_table_prints_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
