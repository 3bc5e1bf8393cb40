/* SPDX-License-Identifier: Apache-2.0 */
/* test_shard.c - which shard reads a file, and reading a run back from a part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "score/part.h"

static void hashes_of_paths(void **state)
{
    static const struct {
        const char *path;
        size_t of_2, of_10, of_1000;
    } rows[] = {
        {"result_0.txt", 1, 4, 351},
        {"ACME/results/x/bert/result_0.txt", 1, 3, 225},
        {"250419104520_1.log", 2, 9, 840},
        {"a b\n", 1, 3, 283},
        {"ä.log", 2, 8, 770},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const mls_str path = mls_str_from(rows[i].path);
        assert_int_equal(mls_shard_of(path, MLS_S(""), 1), 1);
        assert_int_equal(mls_shard_of(path, MLS_S(""), 2), rows[i].of_2);
        assert_int_equal(mls_shard_of(path, MLS_S(""), 10), rows[i].of_10);
        assert_int_equal(mls_shard_of(path, MLS_S(""), 1000), rows[i].of_1000);
    }
}

static void only_what_follows_the_root_counts(void **state)
{
    const size_t count = 1000;
    (void)state;
    const size_t below = mls_shard_of(MLS_S("b/c"), MLS_S(""), count);
    assert_int_equal(mls_shard_of(MLS_S("a/b/c"), MLS_S("a"), count), below);
    assert_int_equal(mls_shard_of(MLS_S("a/b/c"), MLS_S("a/"), count), below);
    assert_int_equal(mls_shard_of(MLS_S("b/c"), MLS_S("b/c"), count), below);
}

static void shards_as_written(void **state)
{
    mls_shard shard;
    (void)state;
    assert_true(mls_shard_parse(MLS_S("3/64"), &shard) && shard.number == 3 && shard.count == 64);
    assert_true(mls_shard_parse(MLS_S("1000000/1000000"), &shard));
    static const char *const wrong[] = {"", "3", "3/", "/3", "0/3", "4/3", "1/1000001", "1/2/3", "-1/3", " 1/3", "a/b"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(mls_shard_parse(mls_str_from(wrong[i]), &shard));
}

static void order_of_paths(void **state)
{
    /* As in a walk: a folder comes before its content, whatever follows its name elsewhere. */
    static const char *const rows[] = {"c", "c/a", "c/a/z.log", "c/a.log", "c/b2", "c/b2/x", "c/b10/a", "d"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            const int order = mls_compare_paths(mls_str_from(rows[i]), mls_str_from(rows[k]));
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
    }
}

static void words_of_ranges(void **state)
{
    mls_shard_ranges ranges = {0};
    mls_shard_ranges missing = {0};
    mls_buffer words = {0};
    (void)state;
    assert_int_equal(mls_shard_ranges_add(&ranges, 5, 6), 0);
    assert_int_equal(mls_shard_ranges_add(&ranges, 1, 2), 0);
    assert_int_equal(mls_shard_ranges_add(&ranges, 7, 7), 0);
    mls_shard_ranges_words(&ranges, &words);
    assert_string_equal(words.ptr, "1-2,5-7");
    mls_shard_ranges_missing(&ranges, 10, &missing);
    mls_buffer_clear(&words);
    mls_shard_ranges_words(&missing, &words);
    assert_string_equal(words.ptr, "3-4,8-10");
    assert_int_equal(mls_shard_ranges_add(&ranges, 6, 9), 6);
    mls_buffer_clear(&words);
    mls_shard_ranges_words(&ranges, &words);
    assert_string_equal(words.ptr, "1-2,5-9");
    assert_int_equal(mls_shard_ranges_add(&ranges, 12, 12), 0);
    assert_int_equal(mls_shard_ranges_add(&ranges, 3, 13), 5);
    assert_int_equal(ranges.count, 1);
    assert_int_equal(mls_shard_ranges_add(&ranges, 4, 4), 4);
    assert_int_equal(mls_shard_ranges_add(&ranges, 20, 21), 0);
    assert_int_equal(mls_shard_ranges_add(&ranges, 16, 17), 0);
    mls_buffer_clear(&words);
    mls_shard_ranges_words(&ranges, &words);
    assert_string_equal(words.ptr, "1-13,16-17,20-21");
    mls_buffer_release(&words);
    free(ranges.items);
    free(missing.items);
}

/* Write a run as that of a file, and read it back.  The file gets the run. */
static void carry_over(mls_part_run *run, mls_part_file *back, mls_map *texts)
{
    mls_buffer line = {0};
    mls_arena scratch = {0};
    mls_str json;
    size_t where;
    mls_schema_room room = {.texts = *texts};
    mls_part_file file = {.runs = {.items = run, .count = 1}};
    mls_part_file_write(&line, &file);
    assert_null(mls_json_validate(mls_buffer_str(&line), &scratch, &json, &where));
    assert_true(mls_part_file_read(json, &room, back));
    assert_int_equal(back->runs.count, 1);
    *texts = room.texts;
    mls_arena_release(&room.scratch);
    mls_arena_release(&scratch);
    mls_buffer_release(&line);
}

static void numbers_and_texts_come_back(void **state)
{
    static const double numbers[] = {0.0,    -0.0,          1.0 / 3,   1e300 * 1e10, -1e300 * 1e10,
                                     5e-324, 1745066800123, 0.1 + 0.2, 1e22,         4503599627370497.5};
    static const char *const names[] = {"plain", "", "\"\\\x01\x7f\n", "ä ☃ 😀", "\xff\xfe bytes \x80", "a\xed\xa0\x80"};
    mls_arena arena = {0};
    mls_map texts = {.arena = &arena};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        mls_part_run run;
        mls_part_file back;
        mls_part_run_init(&run);
        run.run.first_ms = numbers[i];
        run.run.throughput = numbers[i];
        run.run.benchmark = strdup(names[i % (sizeof names / sizeof *names)]);
        carry_over(&run, &back, &texts);
        const mls_part_run *same = back.runs.items;
        assert_memory_equal(&same->run.first_ms, &run.run.first_ms, sizeof(double));
        assert_memory_equal(&same->run.throughput, &run.run.throughput, sizeof(double));
        assert_true(isnan(same->run.global_batch_size) && isnan(same->extra.joules));
        assert_string_equal(same->run.benchmark, run.run.benchmark);
        mls_part_run_release(&run);
        mls_part_file_release(&back);
    }
    mls_arena_release(&arena);
}

static void findings_come_back(void **state)
{
    mls_arena arena = {0};
    mls_map texts = {.arena = &arena};
    mls_part_run run;
    mls_part_file back;
    (void)state;
    mls_part_run_init(&run);
    for (size_t i = 0; i < MLS_FINDINGS_KEPT_PER_CODE + 7; i++) {
        mls_findings_add(&run.run.findings, MLS_FINDING_VALUE, (mls_finding_place){"p", i, 2, MLS_S("key")}, "%zu", i);
        mls_findings_add(&run.run.findings, MLS_FINDING_TORN_LINE, (mls_finding_place){.line = i}, "torn\t%zu", i);
    }
    carry_over(&run, &back, &texts);
    const mls_findings *from = &run.run.findings;
    const mls_findings *to = &back.runs.items->run.findings;
    assert_int_equal(to->count, from->count);
    assert_memory_equal(&to->counts, &from->counts, sizeof from->counts);
    assert_memory_equal(to->beyond, from->beyond, MLS_FINDING_COUNT * sizeof *from->beyond);
    for (size_t i = 0; i < from->count; i++) {
        assert_int_equal(to->items[i].code, from->items[i].code);
        assert_int_equal(to->items[i].severity, from->items[i].severity);
        assert_int_equal(to->items[i].line, from->items[i].line);
        assert_string_equal(to->items[i].message, from->items[i].message);
        assert_int_equal(to->items[i].key == NULL, from->items[i].key == NULL);
    }
    mls_part_run_release(&run);
    mls_part_file_release(&back);
    mls_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_of_paths),
        cmocka_unit_test(shards_as_written),
        cmocka_unit_test(only_what_follows_the_root_counts),
        cmocka_unit_test(order_of_paths),
        cmocka_unit_test(words_of_ranges),
        cmocka_unit_test(findings_come_back),
        cmocka_unit_test(numbers_and_texts_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
