/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed logs: unpacked while they are read, or reported without zlib (see test_unpack_plain.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "log/reader.h"

/* One line with one record. */
static const unsigned char packed[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xb3, 0xb2, 0xb2, 0xf2, 0xf5, 0xf1, 0xf1, 0x77, 0x57,
    0xa8, 0x56, 0xca, 0x4b, 0xcc, 0x4d, 0x2d, 0x2e, 0x48, 0x4c, 0x4e, 0x55, 0xb2, 0x52, 0x50, 0x52, 0xd2, 0x51, 0x50,
    0x2a, 0xc9, 0xcc, 0x4d, 0x8d, 0xcf, 0x2d, 0x06, 0x72, 0x0d, 0x81, 0xbc, 0xd4, 0xb2, 0xd4, 0xbc, 0x92, 0xf8, 0x92,
    0xca, 0x02, 0xb0, 0x7c, 0x80, 0xbf, 0xa7, 0x5f, 0x48, 0xbc, 0xa7, 0x5f, 0x7c, 0x88, 0xa7, 0xaf, 0x2b, 0x48, 0x71,
    0x76, 0x6a, 0x25, 0x48, 0x3c, 0x1b, 0xc4, 0x2e, 0x4b, 0xcc, 0x29, 0x4d, 0x85, 0x6a, 0xcb, 0x4d, 0x2d, 0x49, 0x4c,
    0x49, 0x2c, 0x49, 0x04, 0x72, 0xab, 0x95, 0xd2, 0x32, 0x73, 0xc0, 0xba, 0x13, 0x41, 0xaa, 0x72, 0x32, 0xf3, 0x52,
    0xf3, 0xf2, 0x41, 0xca, 0x6a, 0x6b, 0xb9, 0x00, 0x0b, 0x23, 0x1c, 0x3d, 0x88, 0x00, 0x00, 0x00};

static mls_status count_call(void *state, const mls_log_totals *totals)
{
    (void)totals;
    ++*(size_t *)state;
    return MLS_OK;
}

/* Scan `count` copies of the packed line from a pipe, without the last `cut` bytes. */
static mls_status scan(size_t count, size_t cut, bool plain, mls_log_totals *totals, size_t *ended, mls_error *error)
{
    const mls_sink sink = {.state = ended, .end = count_call};
    const mls_scan_options options = {.plain = plain};
    int ends[2];

    *ended = 0;
    *totals = (mls_log_totals){0};
    assert_int_equal(pipe(ends), 0);
    for (size_t i = 0; i < count; i++) {
        const size_t len = sizeof packed - (i + 1 == count ? cut : 0);
        assert_int_equal(write(ends[1], packed, len), len);
    }
    (void)close(ends[1]);
    const mls_status status = mls_log_scan_fd(ends[0], &options, &sink, 1, totals, error);
    (void)close(ends[0]);
    return status;
}

static void packed_logs_are_read_or_named(void **state)
{
    const mls_str head = {(const char *)packed, sizeof packed};
    mls_log_totals totals;
    mls_error error = {0};
    size_t ended;
    (void)state;

    assert_int_equal(scan(1, 0, true, &totals, &ended, &error), MLS_OK);
    assert_string_equal(totals.unread, "compressed by gzip; gzip -dc FILE unpacks it");
    assert_int_equal(totals.lines + totals.bytes + ended, 0);
    if (!mls_unpack_can(head)) {
        assert_int_equal(scan(2, 0, false, &totals, &ended, &error), MLS_OK);
        assert_non_null(totals.unread);
        return;
    }
    assert_int_equal(scan(3, 0, false, &totals, &ended, &error), MLS_OK);
    assert_null(totals.unread);
    assert_int_equal(totals.records, 3);
    assert_int_equal(ended, 1);
    /* Without its last bytes, which are the checksum, the end of the last member is not trusted, but its lines
     * count. */
    for (size_t cut = 1; cut < sizeof packed - 1; cut++) {
        assert_int_equal(scan(2, cut, false, &totals, &ended, &error), MLS_ERROR_READ);
        assert_string_equal(error.message, "the gzip file is truncated");
        assert_true(totals.records >= 1);
        assert_int_equal(ended, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(packed_logs_are_read_or_named)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
