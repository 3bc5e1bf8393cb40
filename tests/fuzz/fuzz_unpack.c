/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_unpack.c - read any bytes as a file that may be packed by gzip.  It must be read to its end, or give an error,
 * with any number of threads; a file that is not packed must give the same result as from memory. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "log/log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Scan the bytes from a file with the given number of threads. */
static mls_status scan(mls_str bytes, unsigned threads, mls_log_totals *totals)
{
    const mls_sink sink = {0};
    const mls_scan_options options = {.threads = threads};
    const int fd = memfd_create("packed", MFD_CLOEXEC);
    mls_error error = {0};

    if (fd < 0 || write(fd, bytes.ptr, bytes.len) != (ssize_t)bytes.len || lseek(fd, 0, SEEK_SET) != 0)
        abort();
    const mls_status status = mls_log_scan_fd(fd, &options, &sink, 1, totals, &error);
    if ((status != MLS_OK && status != MLS_ERROR_READ) || (status == MLS_ERROR_READ && error.message[0] == '\0'))
        abort();
    (void)close(fd);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const mls_str bytes = {(const char *)data, size};
    mls_log_totals one = {0};
    mls_log_totals two = {0};
    mls_log_totals plain = {0};
    const mls_status status = scan(bytes, 1, &one);

    if (scan(bytes, 2, &two) != status || one.bytes != two.bytes || one.records != two.records ||
        one.malformed != two.malformed || one.unread != two.unread)
        abort();
    if (size >= 2 && (data[0] != 0x1f || data[1] != 0x8b) && one.unread == NULL &&
        (mls_log_scan_bytes(bytes, &(mls_sink){0}, 1, &plain, NULL) != MLS_OK || plain.records != one.records))
        abort();
    return 0;
}
