/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a file as text: byte order marks, and UTF-16 as PowerShell's > writes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "log/input.h"

/* Return all text from these bytes. Free it after use. */
static mls_buffer read_all(mls_str bytes, bool text)
{
    mls_buffer all = {0};
    mls_input input = {.in_memory = true, .bytes = bytes, .text = text};
    char *block = malloc(MLS_BLOCK_SIZE);
    assert_non_null(block);
    mls_buffer_append_text(&all, "");
    do {
        size_t len = 0;
        mls_input_fill(&input, block, &len);
        assert_true(len <= MLS_BLOCK_SIZE);
        mls_buffer_append(&all, (mls_str){block, len});
    } while (!input.ended);
    assert_int_equal(mls_input_status(&input, NULL), MLS_OK);
    mls_input_release(&input);
    free(block);
    return all;
}

static void check_text(mls_str bytes, bool text, mls_str expected)
{
    mls_buffer all = read_all(bytes, text);
    assert_true(mls_str_equal(mls_buffer_str(&all), expected));
    mls_buffer_release(&all);
}

static void marks_are_dropped(void **state)
{
    (void)state;
    check_text(MLS_S("\xef\xbb\xbf"
                     "a,b"),
               true, MLS_S("a,b"));
    check_text(MLS_S("\xef\xbb\xbf"), true, MLS_S(""));
    check_text(MLS_S("\xef\xbb"), true, MLS_S("\xef\xbb"));
    check_text(MLS_S(""), true, MLS_S(""));
    check_text(MLS_S("\xff\xfe"), true, MLS_S(""));
    /* Without a request for text, the bytes are unchanged. */
    check_text(MLS_S("\xef\xbb\xbfx"), false, MLS_S("\xef\xbb\xbfx"));
    check_text(MLS_S("\xff\xfex\0"), false, MLS_S("\xff\xfex\0"));
}

static void utf16_becomes_utf8(void **state)
{
    (void)state;
    check_text(MLS_S("\xff\xfe"
                     "a\0,\0\xe9\0\xac\x20\r\0\n\0"),
               true, MLS_S("a,\xc3\xa9\xe2\x82\xac\r\n"));
    check_text(MLS_S("\xfe\xff\0a\0,\0\xe9\x20\xac"), true, MLS_S("a,\xc3\xa9\xe2\x82\xac"));
    /* Without a mark. */
    check_text(MLS_S("a\0,\0\xac\x20"), true, MLS_S("a,\xe2\x82\xac"));
    check_text(MLS_S("\0a\0,\x20\xac"), true, MLS_S("a,\xe2\x82\xac"));
    check_text(MLS_S("a\0b"), true, MLS_S("a\0b"));
    check_text(MLS_S("a\0\0b"), true, MLS_S("a\0\0b"));
    check_text(MLS_S("\xff\xfe\x3d\xd8\x00\xde"
                     "z\0"),
               true, MLS_S("\xf0\x9f\x98\x80z"));                           /* two halves */
    check_text(MLS_S("\xff\xfe\x3d\xd8z\0"), true, MLS_S("\xef\xbf\xbdz")); /* the first alone */
    check_text(MLS_S("\xff\xfe\x00\xdez\0"), true, MLS_S("\xef\xbf\xbdz")); /* the second alone */
    check_text(MLS_S("\xff\xfe\x3d\xd8\x3d\xd8\x00\xde"), true, MLS_S("\xef\xbf\xbd\xf0\x9f\x98\x80"));
    check_text(MLS_S("\xff\xfez\0y"), true, MLS_S("z")); /* cut inside of a unit */
}

/* Units and pairs come whole over the borders of blocks. */
static void blocks_part_nothing(void **state)
{
    (void)state;
    mls_buffer wide = {0};
    mls_buffer expected = {0};
    mls_buffer_append(&wide, MLS_S("\xff\xfe"));
    for (size_t i = 0; i < 200000; i++) {
        mls_buffer_append(&wide, i % 3 == 0 ? MLS_S("\x3d\xd8\x00\xde") : MLS_S("\xac\x20"));
        mls_buffer_append(&expected, i % 3 == 0 ? MLS_S("\xf0\x9f\x98\x80") : MLS_S("\xe2\x82\xac"));
    }
    assert_true(wide.len > 2 * MLS_BLOCK_SIZE);
    check_text(mls_buffer_str(&wide), true, mls_buffer_str(&expected));
    check_text(mls_buffer_str(&expected), true, mls_buffer_str(&expected));
    mls_buffer_release(&wide);
    mls_buffer_release(&expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_are_dropped),
        cmocka_unit_test(utf16_becomes_utf8),
        cmocka_unit_test(blocks_part_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
