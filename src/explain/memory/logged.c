/* SPDX-License-Identifier: Apache-2.0 */
/* logged.c - find the memory that a job printed in its log. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "explain/memory/sizes.h"

/* Return the number after `name` and blanks in a line, or -1 if there is none.  Numbers with an exponent, which no job
 * prints, are not read. */
static double number_after(mls_str line, mls_str name)
{
    mls_str rest;
    double number = -1;
    if (!mls_str_after(line, name, &rest))
        return -1;
    while (rest.len > 0 && rest.ptr[0] == ' ')
        rest = mls_str_rest(rest, 1);
    size_t digits = 0;
    while (digits < rest.len && (mls_is_digit(rest.ptr[digits]) || rest.ptr[digits] == '.'))
        digits++;
    if (digits < rest.len && (rest.ptr[digits] == 'e' || rest.ptr[digits] == 'E'))
        return -1;
    return mls_number_parse((mls_str){rest.ptr, digits}, &number) ? number : -1;
}

/* Look for the numbers in lines: those of records in GiB, and those of Megatron, "memory (MB) | … | max
 * allocated: 7.5", in MiB. */
static mls_status logged_lines(void *state, const mls_lines *lines)
{
    static const mls_str usage = MLS_STR("\"max_memory_usage\":");
    static const mls_str megatron = MLS_STR("memory (MB) |");
    static const double mib = 1048576;
    mls_memory_logged *to = state;
    if (!mls_str_contains(lines->text, usage) && !mls_str_contains(lines->text, megatron))
        return MLS_OK;
    for (size_t i = 0; i < lines->count; i++) {
        const size_t start = lines->starts[i] & ~MLS_LINE_ODD;
        const mls_str line = {lines->text.ptr + start, (lines->starts[i + 1] & ~MLS_LINE_ODD) - start};
        const bool is_megatron = mls_str_contains(line, megatron);
        const double allocated =
            is_megatron ? mib * number_after(line, MLS_S("max allocated:")) : mib * 1024 * number_after(line, usage);
        const double reserved = is_megatron ? mib * number_after(line, MLS_S("max reserved:")) : -1;
        if (allocated > to->allocated && allocated < (double)MLS_BYTES_MAX)
            to->allocated = floor(allocated + 0.5);
        if (reserved > to->reserved && reserved < (double)MLS_BYTES_MAX)
            to->reserved = floor(reserved + 0.5);
    }
    return MLS_OK;
}

void mls_memory_logged_read(const char *path, size_t root, mls_memory_logged *to)
{
    const mls_sink sink = {.state = to, .lines = logged_lines};
    struct stat info;
    mls_log_totals totals;
    const int fd = mls_file_open_again(path, root, NULL);
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
        (void)!mls_log_scan_fd(fd, &(mls_scan_options){.size = (uint64_t)info.st_size}, &sink, 1, &totals, NULL);
    if (fd >= 0)
        close(fd);
}
