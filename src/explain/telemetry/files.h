/* SPDX-License-Identifier: Apache-2.0 */
/* files.h - files that were read, and what their devices measured during a run. */
#pragma once

#include "base/map.h"
#include "explain/telemetry/parse.h"
#include "log/window.h"

/* More devices in a file are no devices. */
enum { MLS_DEVICES_MAX = 4096 };

struct mls_telemetry_file {
    mls_source source;
    const char *skip; /* why it is of no use; NULL: it has measurements */
    mls_str host;
    bool alone;                     /* nothing says its host, and it is not that of another such file */
    uint64_t columns;               /* the same for logs whose first headings have the same quantities */
    mls_arena arena;                /* of the texts */
    mls_map numbers[MLS_LOG_KINDS]; /* name → place in devices, plus 1, of the last one so called; while it is read */
    mls_map ids[MLS_LOG_KINDS];     /* UUID or bus → place in devices, plus 1, of the last one with it */
    size_t turn;                    /* the device of which a row comes next, mostly */
    mls_log_device *devices;
    size_t count, capacity;
    mls_findings findings;
    mls_status status; /* MLS_ERROR_READ: it could not be read; MLS_ERROR_MEMORY: it is too large */
    mls_error error;
    uint64_t volume, inode; /* the same file is read once */
};

/* Reads a file whole, or what it holds (which is released).  What went wrong stands in the file. */
void mls_telemetry_input_read(struct mls_telemetry_file *file, mls_input *input, const mls_telemetry_options *options);
void mls_telemetry_file_read(struct mls_telemetry_file *file, const mls_telemetry_options *options);

/* Releases what was read, not the source. */
void mls_telemetry_file_release(struct mls_telemetry_file *file);

/* The device that a row is about; NULL: it would be one too many, or memory runs out (the file's status). */
mls_log_device *mls_device_of(struct mls_telemetry_file *file, const mls_parsed_row *row);

/* Takes the rows that name no device apart, and says so.  False: no memory. */
bool mls_devices_split(struct mls_telemetry_file *file) MLS_MUST_USE;

/* Sorts the devices by their names; those of one name are called by what tells them apart. */
void mls_devices_sort(struct mls_telemetry_file *file);

/* Reads the files of telemetry->skipped; those with measurements become its sources, with their hosts, the others stay.
 * As mls_telemetry_read(). */
mls_status mls_telemetry_open(mls_telemetry *telemetry, const mls_telemetry_options *options,
                              mls_error *error) MLS_MUST_USE;

/* The name of a file without its ending, packed or not; ptr NULL when it has none of those that logs of measurements
 * have. */
mls_str mls_log_stem(const char *path);

/* The host that a file is named after; empty: none. */
mls_str mls_host_of(const char *path);

/* Names the hosts of files whose names say none: by their folders, or as hosts of their own where they must be of
 * several.  `by_names`: what hosts are called yet is from names, which say none where logs of several hosts have the
 * same.  False: no memory. */
bool mls_hosts_name(struct mls_telemetry_file *files, size_t count, bool by_names) MLS_MUST_USE;

/* Sums up what files measured during a run: of all, or (`folder` not empty) of those below a folder, without the '/' at
 * its end. MLS_OK or MLS_ERROR_MEMORY; to be released in any case. */
mls_status mls_telemetry_window_make(const struct mls_telemetry_file *files, size_t count, mls_str folder,
                                     const mls_telemetry_run *run, const mls_telemetry_options *options,
                                     mls_telemetry_window *window);

/* The share that must have been measured for an estimate. */
#define MLS_COVERAGE_MIN 0.9

/* Sums up the devices of a window, each moment once, however many logs have it; `devices` are the logs of its devices.
 * False when memory runs out. */
bool mls_telemetry_window_sum(mls_telemetry_window *window, const mls_log_device *const *devices,
                              const mls_telemetry_options *options) MLS_MUST_USE;

/* Who stands out, with findings.  False when memory runs out. */
bool mls_telemetry_window_compare(mls_telemetry_window *window) MLS_MUST_USE;

/* The zone with which the files cover most of the runs, as "-08:00"; "" when they do so already, or none helps. */
mls_status mls_timezone_suggest(const struct mls_telemetry_file *files, size_t count, const mls_telemetry_run *runs,
                                size_t run_count, const mls_telemetry_options *options, char text[8]);

/* "node02 device 1", for findings. */
typedef struct mls_device_words {
    char text[160];
} mls_device_words;
mls_device_words mls_device_called(const mls_telemetry_device *device);
