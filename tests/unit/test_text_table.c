/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "json/text_table.h"

typedef struct fruit {
    const char *name;
    mls_str colour;
    double grams;
    uint64_t seeds;
    bool ripe;
    unsigned peeled, season;
} fruit;

#define MEMBER(kind, name, words, flags) MLS_ROW_MEMBER(fruit, #name, kind, name, words, flags, 0, NULL)
static const mls_row_member members[] = {MEMBER(TEXT, name, NULL, MLS_MEMBER_NEEDED),
                                         MEMBER(SPAN, colour, NULL, 0),
                                         MEMBER(NUMBER, grams, NULL, 0),
                                         MEMBER(COUNT, seeds, NULL, 0),
                                         MEMBER(BOOL, ripe, NULL, 0),
                                         MEMBER(SAID, peeled, NULL, 0),
                                         MEMBER(WORD, season, "summer autumn", 0)};

typedef struct basket {
    mls_text_table table;
    fruit one, all[4];
    size_t count, headings;
} basket;

static mls_status count_heading(void *state, const mls_text_row *row)
{
    ((basket *)state)->headings += row->count;
    return MLS_OK;
}

static mls_status take_fruit(void *state, const mls_text_row *row)
{
    basket *to = state;
    (void)row;
    assert_true(to->count < 4);
    to->all[to->count++] = to->one;
    return MLS_OK;
}

static mls_status read_fruit(basket *to, mls_str text, unsigned options, bool bars, mls_arena *arena, mls_error *error)
{
    *to = (basket){.table = {.what = "a list of fruit",
                             .members = members,
                             .count = sizeof members / sizeof *members,
                             .options = options,
                             .bars = bars,
                             .text = text,
                             .arena = arena,
                             .error = error,
                             .take_heading = count_heading,
                             .take_row = take_fruit}};
    to->table.state = to;
    to->table.into = &to->one;
    return mls_text_table_read(&to->table);
}

static void cells_become_members(void **state)
{
    (void)state;
    static const char *const texts[] = {"seeds,other,name,grams,ripe,peeled,season,name\n"
                                        "7,x,\"'apple\",150.5,true,false,autumn,no\n"
                                        ",,,,,,,\n",
                                        "seeds|other|name|grams|ripe|peeled|season|name\n"
                                        "7|x|'apple|150.5|true|false|autumn|no\n"
                                        "|||||||\n"};
    for (int bars = 0; bars < 2; bars++) {
        mls_arena arena = {0};
        basket to;
        assert_int_equal(read_fruit(&to, mls_str_from(texts[bars]), MLS_TABLE_MARKED, bars != 0, &arena, NULL), MLS_OK);
        assert_int_equal(to.headings, 8);
        assert_int_equal(to.count, 2);
        const fruit *apple = &to.all[0];
        assert_string_equal(apple->name, "apple");
        assert_int_equal(apple->colour.len, 0);
        assert_int_equal(apple->seeds, 7);
        assert_true(apple->grams > 150.4 && apple->grams < 150.6);
        assert_true(apple->ripe);
        assert_int_equal(apple->peeled, 1);
        assert_int_equal(apple->season, 2);
        const fruit *none = &to.all[1];
        assert_null(none->name);
        assert_true(isnan(none->grams));
        assert_int_equal(none->seeds + none->ripe + none->peeled + none->season, 0);
        mls_arena_release(&arena);
    }
}

static void wrong_tables_are_refused_with_the_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned options;
        bool bars;
        const char *message;
        size_t line, column;
    } table[] = {
        {"", 0, false, "empty: not a list of fruit", 1, 1},
        {"\n\n", 0, true, "empty: not a list of fruit", 1, 1},
        {"\ngrams\n", 0, false, "no column 'name': not a list of fruit", 2, 1},
        {"name, taste\n", MLS_TABLE_EXACT, false, "a list of fruit has no such column: 'taste'", 1, 7},
        {"name|name\n", MLS_TABLE_EXACT, true, "duplicate column: 'name'", 1, 6},
        {"name,grams\na,1\n\n\"b\",\"much\"\n", 0, false, "grams must be a number: 'much'", 4, 6},
        {"name|grams\na|1e999\n", 0, true, "grams must be a number: '1e999'", 2, 3},
        {"name|seeds\na|1.5\n", 0, true, "seeds must be a whole number from 0 to 2^53: '1.5'", 2, 3},
        {"name,ripe\na,yes\n", 0, false, "ripe must be true or false: 'yes'", 2, 3},
        {"name,peeled\na,yes\n", 0, false, "peeled must be true or false: 'yes'", 2, 3},
        {"name,season\na,winter\n", 0, false, "season must be one of: summer autumn: 'winter'", 2, 3},
        {"name,grams\na\n", 0, false, "1 field, but the header has 2", 2, 1},
        {"name|grams\na|1|2\n", 0, true, "3 fields, but the header has 2", 2, 5},
        {"grams|name\n1\n", MLS_TABLE_RAGGED, true, "1 field, but the header has 2", 2, 1},
        {"name,grams\na,\"1\n", 0, false, "a quoted field is not closed", 2, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        mls_arena arena = {0};
        mls_error error = {0};
        basket to;
        assert_int_not_equal(
            read_fruit(&to, mls_str_from(table[i].text), table[i].options, table[i].bars, &arena, &error), MLS_OK);
        assert_string_equal(error.message, table[i].message);
        assert_int_equal(error.line, table[i].line);
        assert_int_equal(error.column, table[i].column);
        mls_arena_release(&arena);
    }
}

static void ragged_rows_may_lack_what_is_not_needed(void **state)
{
    (void)state;
    mls_arena arena = {0};
    basket to;
    assert_int_equal(read_fruit(&to, MLS_S("name|colour\na\nb|red|round\n"), MLS_TABLE_RAGGED, true, &arena, NULL),
                     MLS_OK);
    assert_int_equal(to.count, 2);
    assert_int_equal(to.all[0].colour.len, 0);
    assert_true(mls_str_equal(to.all[1].colour, MLS_S("red")));
    mls_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_become_members),
        cmocka_unit_test(wrong_tables_are_refused_with_the_place),
        cmocka_unit_test(ragged_rows_may_lack_what_is_not_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
