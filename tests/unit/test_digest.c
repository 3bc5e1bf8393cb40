/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 against digests that coreutils' sha256sum printed. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include "base/buffer.h"
#include "base/digest.h"

static void digests_are_those_of_sha256sum(void **state)
{
    /* The letter a repeated: lengths around the ends of blocks. */
    static const struct {
        size_t length;
        const char *digits;
    } cases[] = {
        {0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {1, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"},
        {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
        {119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
        {120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
        {128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e"},
        {1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    char digits[MLS_DIGEST_BYTES];
    mls_buffer text = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mls_buffer_clear(&text);
        mls_buffer_append_repeated(&text, 'a', cases[i].length);
        mls_digest(mls_buffer_str(&text), digits);
        assert_string_equal(digits, cases[i].digits);
    }
    mls_buffer_release(&text);
    mls_digest(MLS_S("abc"), digits);
    assert_string_equal(digits, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void pieces_have_the_digest_of_the_whole(void **state)
{
    static const size_t steps[] = {1, 63, 64, 65, 1, 0, 127, 128, 200, 3};
    char whole[MLS_DIGEST_BYTES];
    char digits[MLS_DIGEST_BYTES];
    mls_buffer text = {0};
    mls_digester pieces;
    (void)state;
    mls_digest_begin(&pieces);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const size_t before = text.len;
        mls_buffer_append_repeated(&text, (char)('a' + (int)i), steps[i]);
        mls_digest_feed(&pieces, (mls_str){text.ptr + before, steps[i]});
        mls_digester here = pieces;
        mls_digest_end(&here, digits);
        mls_digest(mls_buffer_str(&text), whole);
        assert_string_equal(digits, whole);
    }
    mls_buffer_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(digests_are_those_of_sha256sum),
                                       cmocka_unit_test(pieces_have_the_digest_of_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
