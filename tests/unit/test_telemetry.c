/* SPDX-License-Identifier: Apache-2.0 */
/* Join measurements with runs.  All expected numbers were computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/moment.h"
#include "close.h"
#include "explain/telemetry/files.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* 2026-11-21 16:25:00 UTC. */
#define T0 1795278300000.0
#define HEADING "timestamp, index, power.draw [W], utilization.gpu [%], clocks.sm [MHz]\n"

/* Read a log from memory.  Release the file. */
static struct mls_telemetry_file read_text(const char *text, const mls_telemetry_options *options)
{
    static char path[] = "x.csv";
    struct mls_telemetry_file file = {.source.path = path};
    mls_input input = {.in_memory = true, .text = true, .bytes = mls_str_from(text)};
    const mls_telemetry_options none = mls_telemetry_defaults();
    mls_telemetry_input_read(&file, &input, options != NULL ? options : &none);
    assert_int_equal(file.status, MLS_OK);
    return file;
}

/* A log and its window for a run from T0 + `from` to T0 + `until` milliseconds.  Release both. */
typedef struct joined_log {
    struct mls_telemetry_file file;
    mls_telemetry_window window;
} joined_log;

static joined_log join(const char *text, double from, double until, const mls_telemetry_options *options)
{
    joined_log joined = {.file = read_text(text, options)};
    const mls_telemetry_options none = mls_telemetry_defaults();
    const mls_telemetry_run run = {"run.log", 1, T0 + from, T0 + until};
    mls_telemetry_window_make(&joined.file, 1, (mls_str){"", 0}, &run, options != NULL ? options : &none,
                              &joined.window);
    if (joined.window.devices == NULL)
        abort(); /* for the analyzer, which does not know that a failed assertion ends the test */
    return joined;
}

static void joined_release(joined_log *joined)
{
    mls_telemetry_window_release(&joined->window);
    mls_telemetry_file_release(&joined->file);
}

static size_t found(const joined_log *joined, mls_finding_code code)
{
    return mls_findings_found(&joined->window.findings, code);
}

/* ------------------------------------------------------------------ values */

static void values_keep_their_digits(void **state)
{
    (void)state;
    static const struct {
        const char *cell;
        double value;
    } table[] = {
        {"78.62 W", 78.62},
        {"576.283", 576.283},
        {"0", 0},
        {"0.000", 0},
        {"143771 MiB", 143771},
        {"97 %", 97},
        {"1980", 1980},
        {"-12.5 C", -12.5},
        {"78,62 W", 78.62},
        {"576,283 W", 576.283}, /* nvidia-smi does not group digits */
        {"134217727", 134217727},
        {"1342177270", 1342177270},
        {"987654321", 987654320}, /* eight digits */
        {"0.00000001", 1e-8},
        {"0.000000001", 0},
        {"12345678901234567890123 W", NAN},
        {"12345678901234 W", 12345678900000},
        {"[N/A]", NAN},
        {"N/A", NAN},
        {"-", NAN},
        {"", NAN},
        {"ERR!", NAN},
        {"[Not Supported]", NAN},
        {"0x10 MHz", NAN},
        {"1.2.3", NAN},
        {"1.1 kW", 1100},
        {"905 mW", 0.905},
        {"1.9 GHz", 1900},
        {"10 GiB", 10240},
        {"10GB", 10240},
        {"1048576 B", 1},
        {"2619Mhz", 2619},
        {"12 apples", 12},
        {"12apples", NAN},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        bool lost = false;
        const double value = mls_value_unpack(mls_value_read(mls_str_from(table[i].cell), &lost));
        if (isnan(table[i].value))
            assert_true(isnan(value));
        else
            assert_true(value == table[i].value);
        assert_false(lost);
    }
    bool lost = false;
    assert_true(mls_value_read(MLS_S("[GPU is lost]"), &lost) == MLS_NO_VALUE && lost);
    lost = false;
    assert_true(mls_value_read(MLS_S("[Unknown Error]"), &lost) == MLS_NO_VALUE && lost);
}

/* The values of every format fit into a row of 64 bytes. */
static void every_format_fits_into_a_row(void **state)
{
    (void)state;
    assert_true(sizeof(mls_log_row) <= 64);
    for (mls_log_kind kind = 0; kind < MLS_LOG_KINDS; kind++) {
        mls_log_device device;
        mls_device_init(&device, kind);
        for (size_t i = 0; i < MLS_QUANTITY_VALUES; i++)
            assert_true(device.slots[i] < MLS_ROW_VALUES);
    }
}

static void times_in_all_formats(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double time_ms; /* NaN: none */
        double zone;    /* of times without a zone */
    } table[] = {
        {"2026/11/21 16:25:00.869", T0 + 869, 0},
        {"2026/11/21 16:25:00", T0, 0},
        {"20261121 16:25:00", T0, 0},
        {"2026-11-21T16:25:00Z", T0, -480},
        {"2026-11-21 16:25:00,5", T0 + 500, 0},
        {"2026-11-21T17:55:00+01:30", T0, 0},
        {"2026-11-21T08:25:00 -0800", T0, 60},
        {"2026-11-21T08:25:00", T0, -480},
        {"2026-11-21T16:25:00.123456789", T0 + 123.456789, 0},
        {"1795278300000", T0, -480},
        {"1970/01/01 00:00:00", 0, 0},
        {"2000/02/29 00:00:00", 951782400000, 0},
        {"2026/12/31 23:59:60", 1798761600000, 0},
        {"1795278300", NAN, 0},
        {"1.0000000e300", NAN, 0},
        {"2026/02/29 00:00:00", NAN, 0},
        {"2100/02/29 00:00:00", NAN, 0},
        {"2026/13/01 00:00:00", NAN, 0},
        {"2026/11-21 00:00:00", NAN, 0},
        {"2026/11/21 24:00:00", NAN, 0},
        {"2026/11/21", NAN, 0},
        {"2026/11/21 16:25:00 CET", NAN, 0},
        {"2026/11/21 16:25:00+15:00", NAN, 0},
        {"", NAN, 0},
        {"timestamp", NAN, 0},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        double time_ms = 0;
        const bool is = mls_moment_parse(mls_str_from(table[i].text), table[i].zone, &time_ms);
        assert_int_equal(is, !isnan(table[i].time_ms));
        assert_true(!is || fabs(time_ms - table[i].time_ms) < 1e-3);
    }
}

/* Return the number of devices found in rounds whose rows are `within` ms apart and that begin every `between` ms, with
 * a random `jitter`.  An hour passes after every 50th round. */
static size_t rounds_seen(size_t devices, double within, double between, double jitter, size_t count, bool pauses)
{
    enum { ROWS_MAX = 4000 };
    static mls_log_row rows[ROWS_MAX];
    mls_rounds rounds;
    for (size_t i = 0; i < count && i < ROWS_MAX; i++) {
        const size_t turn = i / devices;
        const size_t hours = pauses ? turn / 50 : 0;
        const double pause = 3600e3 * (double)hours;
        const double shake = jitter * (double)(i * 7919 % 13) / 12;
        rows[i].time_ms = T0 + pause + (double)turn * between + (double)(i % devices) * within + shake;
    }
    mls_rows_rounds(rows, count, &rounds);
    return rounds.size;
}

static void rounds_give_the_number_of_devices(void **state)
{
    (void)state;
    static const struct {
        size_t devices;
        double within, between, jitter;
        bool pauses;
        size_t seen;
    } table[] = {
        {1, 0, 200, 30, false, 1},    {1, 0, 1000, 0, true, 1},
        {1, 0, 20, 15, false, 1},     {2, 0, 200, 0, false, 2},
        {2, 9, 200, 4, true, 2},      {8, 23, 1184, 5, true, 8},
        {8, 9, 210, 4, false, 8},     {8, 0, 1000, 0, true, 8},
        {16, 1, 100, 0, false, 16},   {72, 2, 1000, 1, false, 72},
        {5, 150, 5000, 10, false, 5}, {5, 150, 900, 10, false, 1}, /* too slow to be sure */
        {8, 23, 210, 4, false, 1},    {4, 0, 2, 0, false, 4},
        {4, 0, 10, 0, false, 4},      {8, 1, 20, 0, false, 8},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        for (size_t count = 1000; count < 1010; count += 3) {
            assert_int_equal(rounds_seen(table[i].devices, table[i].within, table[i].between, table[i].jitter, count,
                                         table[i].pauses),
                             table[i].seen);
        }
    }
    assert_int_equal(rounds_seen(8, 0, 1000, 0, 8, false), 8); /* a single round */
    assert_int_equal(rounds_seen(8, 0, 1000, 0, 1, false), 1);
}

/* A device queried every `step` ms, with a delay of `delay` ms after `every` rows, with a random `spread`. */
static void a_delayed_row_is_not_a_pause(void **state)
{
    (void)state;
    enum { ROWS = 3000 };
    static mls_log_row rows[ROWS];
    static const struct {
        double step, delay;
        size_t every, spread;
    } table[] = {
        {1, 1, 11, 0}, {1, 1, 11, 1}, {1, 1, 11, 5},    {1, 2, 2, 1},    {2, 1, 10, 0},   {2, 2, 10, 4},
        {5, 5, 8, 0},  {10, 1, 7, 0}, {10, 10, 100, 0}, {1, 30, 100, 4}, {1, 60, 20, 10}, {200, 200, 8, 0},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        mls_rounds rounds;
        double time_ms = T0;
        size_t left = table[i].every;
        for (size_t row = 0; row < ROWS; row++) {
            rows[row].time_ms = time_ms;
            time_ms += table[i].step + (left == 1 ? table[i].delay : 0);
            left =
                left > 1 ? left - 1 : table[i].every - table[i].spread + row * row % 10007 % (2 * table[i].spread + 1);
        }
        mls_rows_rounds(rows, ROWS, &rounds);
        assert_int_equal(rounds.size, 1);
    }
}

static void hosts_from_file_names(void **state)
{
    (void)state;
    static const char *const table[][2] = {
        {"logs/nvidia-smi.node02.csv", "node02"},
        {"node03-gpu.csv", "node03"},
        {"node04.dmon.txt", "node04"},
        {"dmon_notime.txt", "notime"},
        {"nvidia-smi.csv", ""},
        {"power.csv", ""},
        {"gpu_telemetry_node-5_power.log", "node-5"},
        {"117_node076_telemetry.log", "117_node076"},
        {"gpus.node1.out", "node1"},
        {"gpuserver.csv", "gpuserver"},
        {"smithers.csv", "smithers"},
        {"node02.dat", ""},
        {"a/b.csv/node02", ""},
        {".csv", ""},
        {"gpu-.csv", ""},
        {"gpu_log.csv", ""},
        {"Nvidia_SMI-usage.stats.CSV", ""},
        {"gpu_metrics_20261121.csv", ""},
        {"monitor-3.txt", ""},
        {"gpu7.csv", ""},
        {"gpu07.csv", "gpu07"},
        {"rank12_gpu.csv", ""},
        {"power (1).csv", ""},
        {"my host.csv", ""},
        {"gpu-10.0.0.7.csv", "10.0.0.7"},
        {"node1.csv.gz", "node1"},
        {"nvidia-smi.node02.log.zst", "node02"},
        {"node1.gz", ""},
        {".gz", ""},
        {"___.csv", ""},
    };
    for (size_t i = 0; i < COUNT(table); i++)
        assert_true(mls_str_equal(mls_host_of(table[i][0]), mls_str_from(table[i][1])));
}

/* ------------------------------------------------------------------ energy */

/* 100 W at 0 s, 300 W at 4 s, 300 W at 8 s. */
static const char ramp[] = HEADING "2026/11/21 16:25:00.000, 0, 100 W, 90 %, 1900 MHz\n"
                                   "2026/11/21 16:25:04.000, 0, 300 W, 94 %, 1920 MHz\n"
                                   "2026/11/21 16:25:08.000, 0, 300 W, 40 %, 345 MHz\n";

static void energy_is_interpolated_at_the_ends(void **state)
{
    (void)state;
    static const struct {
        double from, until, energy, coverage, power;
        size_t samples;
    } table[] = {
        {0, 8000, 800 + 1200, 1, 250, 3},    /* both trapezoids */
        {1000, 3000, 400, 1, 200, 0},        /* 150 W to 250 W for 2 s */
        {2000, 6000, 500 + 600, 1, 275, 1},  /* 200 W to 300 W for 2 s, 300 W for 2 s */
        {-2000, 4000, 800, 4.0 / 6, 200, 2}, /* one third was not measured */
        {6000, 16000, 600, 0.2, 300, 1},     {8000, 9000, NAN, 0, NAN, 1}, {20000, 30000, NAN, 0, NAN, 0},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        joined_log joined = join(ramp, table[i].from, table[i].until, NULL);
        const mls_telemetry_device *device = joined.window.devices;
        const double energy = table[i].energy;
        assert_int_equal(joined.window.device_count, 1);
        assert_int_equal(device->samples, table[i].samples);
        assert_close(device->coverage, table[i].coverage, 1e-12);
        if (isnan(energy)) {
            assert_true(isnan(device->energy_joules) && isnan(joined.window.energy_joules));
            assert_int_equal(found(&joined, MLS_FINDING_NO_OVERLAP), 1);
        } else {
            assert_close(device->energy_joules, energy, 1e-12);
            assert_close(device->mean_power_w, table[i].power, 1e-12);
            assert_int_equal(found(&joined, MLS_FINDING_COVERAGE), table[i].coverage < 0.9);
            assert_int_equal(isnan(device->energy_estimate_joules), table[i].coverage < 0.9);
        }
        joined_release(&joined);
    }
}

static void energy_is_estimated_for_the_whole_run(void **state)
{
    (void)state;
    /* 8 of 8.5 s were measured: 2,000 J for 94 %, so 2,125 J for the whole run. */
    joined_log joined = join(ramp, 0, 8500, NULL);
    assert_close(joined.window.devices[0].energy_estimate_joules, 2125, 1e-12);
    assert_close(joined.window.energy_estimate_joules, 2125, 1e-12);
    /* Clocks are averaged while the device is in use: 1,900 and 1,920, not 345. */
    assert_close(joined.window.devices[0].busy_clock_mhz, 1910, 1e-12);
    assert_close(joined.window.devices[0].metrics[MLS_METRIC_SM_CLOCK_MHZ].mean, (1900 + 1920 + 345) / 3.0, 1e-12);
    joined_release(&joined);
}

static void gaps_are_not_filled(void **state)
{
    (void)state;
    /* Rows at 0, 1, 2, 9, 10 s: the median distance is 1 s and the limit 5 s, so 7 s are a gap. */
    static const char text[] = HEADING "2026/11/21 16:25:00.000, 0, 100, 90, 1900\n"
                                       "2026/11/21 16:25:01.000, 0, 100, 90, 1900\n"
                                       "2026/11/21 16:25:02.000, 0, 100, 90, 1900\n"
                                       "2026/11/21 16:25:09.000, 0, 200, 90, 1900\n"
                                       "2026/11/21 16:25:10.000, 0, 200, 90, 1900\n";
    joined_log joined = join(text, 0, 10000, NULL);
    const mls_telemetry_device *device = joined.window.devices;
    assert_true(device->interval_ms == 1000 && device->gaps == 1 && device->longest_gap_ms == 7000);
    assert_close(device->energy_joules, 200 + 200, 1e-12);
    assert_close(device->coverage, 0.3, 1e-12);
    assert_close(device->mean_power_w, 400.0 / 3, 1e-12);
    assert_true(isnan(device->energy_estimate_joules) && found(&joined, MLS_FINDING_GAP) == 1);
    joined_release(&joined);
    /* A run inside the gap is not measured and has a gap; a run after it does not. */
    joined = join(text, 4000, 8000, NULL);
    assert_true(joined.window.devices[0].gaps == 1 && joined.window.devices[0].coverage == 0);
    joined_release(&joined);
    joined = join(text, 9000, 10000, NULL);
    assert_true(joined.window.devices[0].gaps == 0 && isnan(joined.window.devices[0].longest_gap_ms));
    joined_release(&joined);
    /* If distances of 7 s are allowed, 100 W to 200 W over 7 s add 1,050 J. */
    mls_telemetry_options options = mls_telemetry_defaults();
    options.gap_ms = 7000;
    joined = join(text, 0, 10000, &options);
    assert_close(joined.window.devices[0].energy_joules, 1450, 1e-12);
    assert_true(joined.window.devices[0].gaps == 0 && joined.window.devices[0].coverage == 1);
    joined_release(&joined);
}

static void rows_are_sorted_and_the_last_of_a_time_counts(void **state)
{
    (void)state;
    joined_log joined = join(HEADING "2026/11/21 16:25:02.000, 0, 999, 90, 1900\n"
                                     "2026/11/21 16:25:00.000, 0, 100, 90, 1900\n"
                                     "2026/11/21 16:25:02.000, 0, 300, 90, 1900\n"
                                     "2026/11/21 16:25:01.500, 0, 100, 90, 1900\n",
                             0, 2000, NULL);
    /* 100 W for 1.5 s, then up to 300 W in half a second. */
    assert_close(joined.window.devices[0].energy_joules, 150 + 100, 1e-12);
    assert_true(joined.window.devices[0].samples == 3 && joined.window.devices[0].interval_ms == 1000);
    assert_int_equal(found(&joined, MLS_FINDING_TIME_BACK), 1); /* half a second back is ignored */
    joined_release(&joined);
}

static void rows_of_the_same_time_are_merged(void **state)
{
    (void)state;
    /* Instant power counts if there is no other. */
    joined_log joined = join("timestamp, power.draw.instant [W]\n2026/11/21 16:25:00.000, 100 W\n"
                             "2026/11/21 16:25:01.000, 900 W\n2026/11/21 16:25:01.000, 300 W\n",
                             0, 1000, NULL);
    assert_true(joined.window.devices[0].samples == 2 && joined.window.devices[0].energy_joules == 200);
    joined_release(&joined);
}

static void rows_without_power_are_not_covered(void **state)
{
    (void)state;
    joined_log joined = join(HEADING "2026/11/21 16:25:00.000, 0, 100, 90, 1900\n"
                                     "2026/11/21 16:25:01.000, 0, 100, 90, 1900\n"
                                     "2026/11/21 16:25:02.000, 0, [N/A], 90, 1900\n"
                                     "2026/11/21 16:25:00.000, 1, [N/A], 90, 1900\n"
                                     "2026/11/21 16:25:02.000, 1, [N/A], 90, 1900\n",
                             0, 2000, NULL);
    const mls_telemetry_device *devices = joined.window.devices;
    assert_true(devices[0].coverage == 0.5 && devices[0].energy_joules == 100);
    assert_true(devices[1].coverage == 1 && isnan(devices[1].energy_joules) && isnan(devices[1].mean_power_w));
    assert_true(joined.window.energy_joules == 100 && isnan(joined.window.energy_estimate_joules));
    joined_release(&joined);
}

/* --------------------------------------------------- counters and reasons */

static void counters_may_be_reset(void **state)
{
    (void)state;
    joined_log joined =
        join("timestamp, index, ecc.errors.corrected.volatile.total, ecc.errors.uncorrected.volatile.total\n"
             "2026/11/21 16:24:59.000, 0, 0, 0\n" /* before the run */
             "2026/11/21 16:25:00.000, 0, 5, 7\n"
             "2026/11/21 16:25:01.000, 0, 9, [N/A]\n"
             "2026/11/21 16:25:02.000, 0, 2, 7\n" /* a reset */
             "2026/11/21 16:25:03.000, 0, 3, 8\n",
             0, 3000, NULL);
    const mls_telemetry_device *device = joined.window.devices;
    assert_true(device->counters[MLS_COUNTER_ECC_CORRECTED] == 4 + 1);
    assert_true(device->counters[MLS_COUNTER_ECC_UNCORRECTED] == 1);
    assert_true(isnan(device->counters[MLS_COUNTER_ENERGY_JOULES]));
    assert_true(found(&joined, MLS_FINDING_ECC_CORRECTED) == 1 && found(&joined, MLS_FINDING_ECC_UNCORRECTED) == 1);
    joined_release(&joined);
    /* 884 MJ since the machine started, 5 kJ of them in the run: the difference keeps its digits. */
    mls_telemetry_options options = mls_telemetry_defaults();
    options.start_ms = T0;
    options.interval_ms = 10000;
    joined = join("#Entity POWER TOTEC\nID W mJ\nGPU 0 500 884213000123\nGPU 0 500 884218000456\n", 0, 10000, &options);
    assert_close(joined.window.devices[0].counters[MLS_COUNTER_ENERGY_JOULES], 5000.333, 1e-9);
    joined_release(&joined);
}

static void reasons_last_until_the_next_row(void **state)
{
    (void)state;
    /* The run is from 1 to 9 s: 0x4 for 1 s of it, 0x60 for 4 s, nothing for 3 s. */
    joined_log joined = join("timestamp, index, power.draw, clocks_event_reasons.active\n"
                             "2026/11/21 16:25:00.000, 0, 100, 0x0000000000000004\n"
                             "2026/11/21 16:25:02.000, 0, 100, 0x0000000000000060\n"
                             "2026/11/21 16:25:06.000, 0, 100, 0x0000000000000000\n"
                             "2026/11/21 16:25:10.000, 0, 100, 0xffffffffffffffff\n",
                             1000, 9000, NULL);
    const double *reasons = joined.window.devices[0].reasons;
    assert_true(joined.window.devices[0].has_reasons);
    assert_close(reasons[MLS_REASON_SW_POWER_CAP], 0.125, 1e-12);
    assert_close(reasons[MLS_REASON_SW_THERMAL_SLOWDOWN], 0.5, 1e-12);
    assert_close(reasons[MLS_REASON_HW_THERMAL_SLOWDOWN], 0.5, 1e-12);
    assert_true(reasons[MLS_REASON_GPU_IDLE] == 0);
    assert_true(found(&joined, MLS_FINDING_THROTTLED) == 1 && found(&joined, MLS_FINDING_POWER_CAP) == 1);
    joined_release(&joined);
    /* One column for each reason, one of them without a value. */
    joined = join("timestamp, clocks_throttle_reasons.hw_slowdown, clocks_throttle_reasons.gpu_idle\n"
                  "2026/11/21 16:25:00.000, Active, [N/A]\n2026/11/21 16:25:01.000, Not Active, [N/A]\n"
                  "2026/11/21 16:25:02.000, Not Active, [N/A]\n",
                  0, 2000, NULL);
    assert_close(joined.window.devices[0].reasons[MLS_REASON_HW_SLOWDOWN], 0.5, 1e-12);
    joined_release(&joined);
    joined = join(ramp, 0, 8000, NULL);
    assert_false(joined.window.devices[0].has_reasons);
    joined_release(&joined);
}

/* ---------------------------------------------------------------- outliers */

/* Make a log of devices with these means, two rows each, one second apart. */
static joined_log join_means(const double *clocks, const double *uses, const double *powers, size_t count)
{
    mls_buffer text = {0};
    mls_buffer_append_text(&text, HEADING);
    for (int second = 0; second < 2; second++) {
        for (size_t i = 0; i < count; i++) {
            mls_buffer_printf(&text, "2026/11/21 16:25:0%d.000, %zu, %.6f, %.6f, %.6f\n", second, i, powers[i], uses[i],
                              clocks[i]);
        }
    }
    joined_log joined = join(text.ptr, 0, 1000, NULL);
    mls_buffer_release(&text);
    return joined;
}

static void check_outlier(const joined_log *joined, size_t at, const char *device, mls_metric metric, double median)
{
    assert_true(at < joined->window.outlier_count);
    const mls_telemetry_outlier *outlier = &joined->window.outliers[at];
    assert_string_equal(outlier->device->device, device);
    assert_int_equal(outlier->metric, metric);
    assert_close(outlier->median, median, 1e-12);
}

static void outliers_by_median_and_spread(void **state)
{
    (void)state;
    const double alike[] = {600, 600, 600, 600};
    const double used[] = {95, 95, 95, 95};
    /* Median 1,950; the lowest is 60 below it, 3.08 %.  MAD of 0, 0, 0, 60 is 0. */
    const double clocks[] = {1950, 1950, 1950, 1890};
    joined_log joined = join_means(clocks, used, alike, 4);
    check_outlier(&joined, 0, "3", MLS_METRIC_SM_CLOCK_MHZ, 1950);
    assert_true(joined.window.outlier_count == 1 && found(&joined, MLS_FINDING_STRAGGLER) == 1);
    joined_release(&joined);
    /* 1,892 is 2.97 % below. */
    const double nearly[] = {1950, 1950, 1950, 1892};
    joined = join_means(nearly, used, alike, 4);
    assert_int_equal(joined.window.outlier_count, 0);
    joined_release(&joined);
    /* Median 1,900, distances 100, 0, 50, 50, 100: MAD 50, three deviations are 222, and 100 is within them. */
    const double spread[] = {2000, 1900, 1950, 1850, 1800};
    const double use5[] = {95, 95, 95, 95, 95};
    const double power5[] = {600, 610, 590, 605, 500};
    joined = join_means(spread, use5, power5, 5);
    /* Power: median 600, 500 is 16.7 % below; distances 0, 10, 10, 5, 100, MAD 10, 44 W. */
    check_outlier(&joined, 0, "4", MLS_METRIC_POWER_W, 600);
    assert_true(joined.window.outlier_count == 1 && found(&joined, MLS_FINDING_STRAGGLER) == 0);
    joined_release(&joined);
    /* Utilization: median 95, 80 is 15 below.  The clock does not count while the utilization is below 50 %. */
    const double use_low[] = {95, 95, 95, 80};
    joined = join_means(clocks, use_low, alike, 4);
    check_outlier(&joined, 0, "3", MLS_METRIC_SM_CLOCK_MHZ, 1950);
    check_outlier(&joined, 1, "3", MLS_METRIC_UTILIZATION_GPU_PERCENT, 95);
    joined_release(&joined);
    const double unused[] = {95, 95, 95, 2};
    joined = join_means(clocks, unused, alike, 4);
    check_outlier(&joined, 0, "3", MLS_METRIC_UTILIZATION_GPU_PERCENT, 95);
    assert_true(joined.window.outlier_count == 1 && found(&joined, MLS_FINDING_UNUSED_DEVICE) == 1);
    joined_release(&joined);
}

static void only_devices_of_one_model_are_peers(void **state)
{
    (void)state;
    /* Three devices A, one of them 60 of 1,950 MHz below the median, three B, and two without a model. */
    joined_log joined = join("timestamp, index, name, clocks.sm [MHz]\n"
                             "2026/11/21 16:25:00.000, 0, A, 1950\n2026/11/21 16:25:00.000, 1, B, 1000\n"
                             "2026/11/21 16:25:00.000, 2, [N/A], 500\n2026/11/21 16:25:00.000, 3, B, 1000\n"
                             "2026/11/21 16:25:00.000, 4, A, 1890\n2026/11/21 16:25:00.000, 5, [N/A], 100\n"
                             "2026/11/21 16:25:00.000, 6, B, 900\n2026/11/21 16:25:00.000, 7, A, 1950\n",
                             0, 1000, NULL);
    check_outlier(&joined, 0, "4", MLS_METRIC_SM_CLOCK_MHZ, 1950);
    check_outlier(&joined, 1, "6", MLS_METRIC_SM_CLOCK_MHZ, 1000);
    assert_true(joined.window.outlier_count == 2 && found(&joined, MLS_FINDING_STRAGGLER) == 2);
    joined_release(&joined);
}

static void a_header_may_change(void **state)
{
    (void)state;
    /* The header may begin with an unknown column; a row without numbers is not a header. */
    joined_log joined = join("timestamp, index, power.draw [W]\n2026/11/21 16:25:00.000, 0, 100\n"
                             "pstate, timestamp, index, temperature.gpu, power.draw [W]\n"
                             "P0, 2026/11/21 16:25:01.000, 0, 50, 300\n[N/A], [N/A], [N/A], [N/A], [N/A]\n",
                             0, 1000, NULL);
    assert_true(joined.window.device_count == 1 && joined.window.devices[0].energy_joules == 200);
    assert_true(joined.window.devices[0].metrics[MLS_METRIC_TEMPERATURE_GPU_C].mean == 50);
    assert_int_equal(found(&joined, MLS_FINDING_ROW_DAMAGED), 1);
    joined_release(&joined);
}

static void two_devices_are_compared_by_utilization(void **state)
{
    (void)state;
    const double clocks[] = {1950, 1500};
    const double powers[] = {600, 300};
    const double apart[] = {95, 70};
    const double nearer[] = {95, 70.1};
    joined_log joined = join_means(clocks, apart, powers, 2);
    check_outlier(&joined, 0, "1", MLS_METRIC_UTILIZATION_GPU_PERCENT, 95);
    assert_int_equal(joined.window.outlier_count, 1);
    joined_release(&joined);
    joined = join_means(clocks, nearer, powers, 2);
    assert_int_equal(joined.window.outlier_count, 0);
    joined_release(&joined);
}

/* ------------------------------------------------------------------- zones */

static void the_best_time_zone_is_suggested(void **state)
{
    (void)state;
    static const struct {
        const char *time; /* of the first of two rows a minute apart */
        double given;     /* minutes */
        const char *zone;
    } table[] = {
        {"2026/11/21 08:25:%s.000", 0, "-08:00"}, {"2026/11/21 22:10:%s.000", 0, "+05:45"},
        {"2026/11/22 06:25:%s.000", 0, "+14:00"}, {"2026/11/21 04:25:%s.000", 0, "-12:00"},
        {"2026/11/21 16:25:%s.000", 60, "UTC"},   {"2026/11/21 16:25:%s.000", 0, ""},
        {"2026/11/22 06:40:%s.000", 0, ""},       {"2026-11-21T08:25:%s.000Z", 0, ""},
        {"2026/11/21 08:25:%s.000", -480, ""},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        mls_telemetry_options options = mls_telemetry_defaults();
        const mls_telemetry_run run = {"run.log", 1, T0 + 10000, T0 + 50000};
        char zone[8];
        mls_buffer text = {0};
        options.timezone_minutes = table[i].given;
        options.gap_ms = 120000;
        mls_buffer_append_text(&text, HEADING);
        for (int row = 0; row < 2; row++) {
            const size_t place = strcspn(table[i].time, "%");
            mls_buffer_append(&text, (mls_str){table[i].time, place});
            mls_buffer_printf(&text, "%s%s, 0, 100, 90, 1900\n", row == 0 ? "00" : "59", table[i].time + place + 2);
        }
        struct mls_telemetry_file file = read_text(text.ptr, &options);
        mls_timezone_suggest(&file, 1, &run, 1, &options, zone);
        assert_string_equal(zone, table[i].zone);
        mls_telemetry_file_release(&file);
        mls_buffer_release(&text);
    }
}

static void the_nearest_of_equal_time_zones_is_suggested(void **state)
{
    (void)state;
    /* Measured from 10:00 to 14:20 without a gap: at UTC-2 the log ends before the run at 16:25, at UTC-2:15 it does
     * not. */
    mls_telemetry_options options = mls_telemetry_defaults();
    const mls_telemetry_run runs[] = {{"run.log", 1, T0 + 10000, T0 + 50000}, {"two.log", 1, T0 + 1e9, T0 + 1.1e9}};
    char zone[8];
    options.gap_ms = 1e9;
    struct mls_telemetry_file file = read_text(HEADING "2026/11/21 10:00:00.000, 0, 100, 90, 1900\n"
                                                       "2026/11/21 14:20:00.000, 0, 100, 90, 1900\n",
                                               &options);
    mls_timezone_suggest(&file, 1, runs, 2, &options, zone);
    assert_string_equal(zone, "-02:15");
    mls_telemetry_file_release(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_keep_their_digits),
        cmocka_unit_test(every_format_fits_into_a_row),
        cmocka_unit_test(times_in_all_formats),
        cmocka_unit_test(rounds_give_the_number_of_devices),
        cmocka_unit_test(a_delayed_row_is_not_a_pause),
        cmocka_unit_test(hosts_from_file_names),
        cmocka_unit_test(energy_is_interpolated_at_the_ends),
        cmocka_unit_test(energy_is_estimated_for_the_whole_run),
        cmocka_unit_test(gaps_are_not_filled),
        cmocka_unit_test(rows_are_sorted_and_the_last_of_a_time_counts),
        cmocka_unit_test(rows_of_the_same_time_are_merged),
        cmocka_unit_test(rows_without_power_are_not_covered),
        cmocka_unit_test(counters_may_be_reset),
        cmocka_unit_test(reasons_last_until_the_next_row),
        cmocka_unit_test(outliers_by_median_and_spread),
        cmocka_unit_test(only_devices_of_one_model_are_peers),
        cmocka_unit_test(a_header_may_change),
        cmocka_unit_test(two_devices_are_compared_by_utilization),
        cmocka_unit_test(the_best_time_zone_is_suggested),
        cmocka_unit_test(the_nearest_of_equal_time_zones_is_suggested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
