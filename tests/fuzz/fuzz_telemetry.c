/* SPDX-License-Identifier: Apache-2.0 */
/* A log of measurements of any format, behind a byte that says which options are given, joined with two runs. */
#include <math.h>

#include "telemetry/files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Shares are between 0 and 1, energy is there only where time was measured, rows stand in order. */
static void check_device(const mls_telemetry_device *device)
{
    bool ok = !(device->coverage < 0) && !(device->coverage > 1 + 1e-9);
    ok &= isnan(device->energy_joules) || device->coverage > 0;
    for (size_t i = 0; i < MLS_REASON_COUNT; i++) {
        ok &= device->reasons[i] >= 0 && device->reasons[i] <= 1 + 1e-9;
    }
    for (size_t i = 0; i < MLS_METRIC_COUNT; i++) {
        ok &= isnan(device->metrics[i].mean) || device->metrics[i].min <= device->metrics[i].max;
    }
    if (!ok) {
        __builtin_trap();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const mls_telemetry_run runs[] = {{"run", 1, 1795278300000, 1795278360000}, {"run", 9, 0, 1e12}};
    const uint8_t given = size > 0 ? data[0] : 0;
    mls_telemetry_options options = mls_telemetry_defaults();
    mls_input input = {.in_memory = true, .text = true};
    char path[] = "fuzz.csv";
    struct mls_telemetry_file file = {.source.path = path};
    char zone[8];
    input.bytes = (mls_str){(const char *)data + (size > 0), size - (size > 0)};
    options.columns = given & 1 ? "timestamp,index,power.draw,clocks.sm" : NULL;
    options.start_ms = given & 2 ? 1795278290000 : options.start_ms;
    options.interval_ms = given & 2 ? 1000 : options.interval_ms;
    options.gap_ms = given & 4 ? 3 : options.gap_ms;
    options.timezone_minutes = given & 8 ? -480 : 0;
    mls_telemetry_input_read(&file, &input, &options);
    for (size_t i = 0; i < file.count && file.status == MLS_OK; i++) {
        for (size_t k = 1; k < file.devices[i].count && file.devices[i].timed; k++) {
            if (!(file.devices[i].rows[k - 1].time_ms < file.devices[i].rows[k].time_ms)) {
                __builtin_trap();
            }
        }
    }
    for (size_t i = 0; i < 2 && file.status == MLS_OK; i++) {
        mls_telemetry_window window;
        (void)!mls_telemetry_window_make(&file, 1, (mls_str){"", 0}, &runs[i], &options, &window);
        for (size_t k = 0; k < window.device_count; k++) {
            check_device(&window.devices[k]);
        }
        mls_telemetry_window_release(&window);
        (void)!mls_timezone_suggest(&file, 1, runs, 2, &options, zone);
    }
    mls_telemetry_file_release(&file);
    return 0;
}
