/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_telemetry.c - read any bytes as a telemetry log, and join it with two runs.  The bits of the first byte select
 * options. */
#include <math.h>

#include "explain/telemetry/files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Check that shares are between 0 and 1, that energy exists only if some time was measured, and that no minimum exceeds
 * its maximum. */
static void check_device(const mls_telemetry_device *device)
{
    bool ok = !(device->coverage < 0) && !(device->coverage > 1 + 1e-9);
    ok &= isnan(device->energy_joules) || device->coverage > 0;
    for (size_t i = 0; i < MLS_REASON_COUNT; i++)
        ok &= device->reasons[i] >= 0 && device->reasons[i] <= 1 + 1e-9;
    for (size_t i = 0; i < MLS_METRIC_COUNT; i++)
        ok &= isnan(device->metrics[i].mean) || device->metrics[i].min <= device->metrics[i].max;
    if (!ok)
        __builtin_trap();
}

static struct mls_telemetry_file read_bytes(char *path, mls_str bytes, const mls_telemetry_options *options)
{
    mls_input input = {.in_memory = true, .text = true, .bytes = bytes};
    struct mls_telemetry_file file = {.source.path = path};
    mls_telemetry_input_read(&file, &input, options);
    for (size_t i = 0; i < file.count && file.status == MLS_OK; i++) {
        for (size_t k = 1; k < file.devices[i].count && file.devices[i].timed; k++)
            if (!(file.devices[i].rows[k - 1].time_ms < file.devices[i].rows[k].time_ms))
                __builtin_trap();
    }
    return file;
}

static bool are_same(double a, double b)
{
    return isnan(a) ? isnan(b) : fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Check that two logs give the same sums in either order, and that no time counts twice. */
static void check_orders(struct mls_telemetry_file files[2], const mls_telemetry_run *run,
                         const mls_telemetry_options *options)
{
    mls_telemetry_window windows[2];
    for (size_t i = 0; i < 2; i++) {
        const struct mls_telemetry_file turned[] = {files[i], files[1 - i]};
        mls_telemetry_window_make(turned, 2, (mls_str){"", 0}, run, options, &windows[i]);
    }
    const double length = run->stop_ms - run->start_ms;
    double counted_ms = 0;
    for (size_t i = 0; i < windows[0].device_count; i++) {
        check_device(&windows[0].devices[i]);
        counted_ms += isnan(windows[0].devices[i].counted_ms) ? 0 : windows[0].devices[i].counted_ms;
    }
    if (windows[0].different != windows[1].different || !are_same(windows[0].energy_joules, windows[1].energy_joules) ||
        counted_ms > (double)windows[0].different * length * (1 + 1e-9))
        __builtin_trap();
    mls_telemetry_window_release(&windows[0]);
    mls_telemetry_window_release(&windows[1]);
}

/* With a certain option bit, the second half of the bytes is a second log, which does not name a host either. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const mls_telemetry_run runs[] = {{"run", 1, 1795278300000, 1795278360000}, {"run", 9, 0, 1e12}};
    const uint8_t given = size > 0 ? data[0] : 0;
    mls_telemetry_options options = mls_telemetry_defaults();
    char paths[2][8] = {"1.csv", "2.csv"};
    char zone[8];
    const mls_str bytes = {(const char *)data + (size > 0), size - (size > 0)};
    const size_t half = given & 16 ? bytes.len / 2 : bytes.len;
    options.columns = given & 1 ? "timestamp,index,power.draw,clocks.sm" : NULL;
    options.start_ms = given & 2 ? 1795278290000 : options.start_ms;
    options.interval_ms = given & 2 ? 1000 : options.interval_ms;
    options.gap_ms = given & 4 ? 3 : options.gap_ms;
    options.timezone_minutes = given & 8 ? -480 : 0;
    struct mls_telemetry_file files[] = {
        read_bytes(paths[0], (mls_str){bytes.ptr, half}, &options),
        read_bytes(paths[1], (mls_str){bytes.ptr + half, bytes.len - half}, &options),
    };
    if (files[0].status == MLS_OK && files[1].status == MLS_OK) {
        if (given & 32)
            mls_hosts_name(files, 2, given & 64);
        for (size_t i = 0; i < 2; i++)
            check_orders(files, &runs[i], &options);
        mls_timezone_suggest(files, 2, runs, 2, &options, zone);
    }
    mls_telemetry_file_release(&files[0]);
    mls_telemetry_file_release(&files[1]);
    return 0;
}
