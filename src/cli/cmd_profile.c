/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_profile.c - mlscore profile: where the time of the GPUs went, by what a profiler wrote. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/command.h"
#include "mlscore/profile.h"
#include "report/reports.h"

enum { TOP_USUAL = 20 };

typedef struct profile_settings {
    unsigned by;     /* mls_profile_by, from 1; 0: not given */
    const char *top; /* as given */
    const char *kernels, *against, *run;
    /* What is worked on. */
    mls_kernel_classes *classes;
    mls_profiles profiles;
    mls_profile *base; /* that of --against */
    size_t shown;      /* of the longest kernels */
    bool run_found;    /* by --run, with a begin */
} profile_settings;

#define AT(member) offsetof(profile_settings, member)

static const mls_option options[] = {
    MLS_ROW_OF(MLS_SETS_VALUE, "by", "class|name|stream|device", AT(by), "what the table lists (class)"),
    MLS_ROW_TEXT('\0', "top", "N", AT(top), "list the N longest kernels (20; 0: all)"),
    MLS_ROW_TEXT('\0', "kernels", "FILE", AT(kernels), "classes of kernels of your own"),
    MLS_ROW_TEXT('\0', "against", "FILE", AT(against), "say how the classes changed since this profile"),
    MLS_ROW_TEXT('\0', "run", "LOG", AT(run), "say where in the run of this log the profile lies"),
    MLS_ROW_FORMAT("table|csv|json|ndjson|markdown"),
    MLS_ROWS_FILES,
    MLS_ROWS_VIEW,
    MLS_ROWS_LAST,
};

/* Reads one file; NULL after a complaint. */
static mls_profile *read_profile(mls_cli *cli, const char *path)
{
    const profile_settings *settings = cli->settings;
    mls_error error = {0};
    mls_profile *profile = NULL;
    const int fd = mls_file_open(path, true, &error);
    const mls_status status =
        fd >= 0 ? mls_profile_read(fd, path, settings->classes, &profile, &error) : MLS_ERROR_READ;
    if (fd >= 0) {
        (void)close(fd);
    }
    if (status != MLS_OK) {
        mls_cli_say(cli, MLS_EXIT_IO, path, "%s", error.message);
    } else {
        profile->top = settings->shown;
    }
    return profile;
}

/* The classes of --kernels, or our own.  False after a complaint. */
static bool load_classes(mls_cli *cli, profile_settings *settings)
{
    mls_buffer text = {0};
    mls_error error = {0};
    bool ok = mls_cli_read_file(cli, settings->kernels, &text);
    if (ok && mls_kernel_classes_new(mls_buffer_str(&text), &settings->classes, &error) != MLS_OK) {
        ok = mls_cli_say_wrong_file(cli, settings->kernels, &error);
    }
    mls_buffer_release(&text);
    return ok;
}

static mls_status place_profiles(void *state, size_t index, mls_run *run, bool part)
{
    profile_settings *settings = ((const mls_cli *)state)->settings;
    (void)index;
    (void)part;
    settings->run_found |= isfinite(run->run_start.time_ms);
    for (size_t i = 0; i < settings->profiles.count; i++) {
        mls_profile_place(settings->profiles.items[i], run->run_start.time_ms, run->run_stop.time_ms);
    }
    return MLS_OK;
}

/* Reads the log of --run, and says of each profile where in it it lies. */
static void read_run(mls_cli *cli)
{
    const profile_settings *settings = cli->settings;
    const mls_reading reading = {.work.threads = 1, .state = cli, .run = place_profiles, .done = mls_cli_read_done};
    for (size_t i = 0; i < settings->profiles.count; i++) {
        settings->profiles.items[i]->run.file = settings->run;
    }
    if (mls_cli_read(cli, settings->run, &reading, NULL, NULL) && !settings->run_found) {
        mls_cli_say(cli, MLS_EXIT_IO, settings->run, "no run found to place the profile in");
    }
}

static void print_profiles(mls_cli *cli, profile_settings *settings)
{
    mls_profiles *profiles = &settings->profiles;
    mls_profile_changes changes = {0};
    if (settings->base != NULL && profiles->count > 0) {
        if (mls_profile_compare(settings->base, profiles->items[0], &changes) != MLS_OK) {
            mls_cli_say_no_memory(cli);
            return;
        }
        profiles->base = settings->base;
        profiles->changes = &changes;
    }
    /* A table shows both; cells can be of one kind only. */
    const bool changed = settings->against != NULL && settings->by == 0;
    mls_cli_print(cli, &mls_profile_reports[changed ? MLS_PROFILE_BY_CHANGE : profiles->by], profiles);
    free(changes.items);
}

/* Takes over what the options say.  False after a complaint. */
static bool read_settings(mls_cli *cli, profile_settings *settings)
{
    settings->shown = TOP_USUAL;
    settings->profiles.by = (mls_profile_by)(settings->by - (settings->by > 0));
    if (settings->top != NULL && !mls_size_parse(mls_str_from(settings->top), &settings->shown)) {
        return mls_cli_say(cli, MLS_WRONG_USAGE, NULL, "--top takes a whole number, not '%s'", settings->top);
    }
    if (settings->against != NULL && cli->operands.count > 1) {
        return mls_cli_say(cli, MLS_WRONG_USAGE, NULL, "--against compares one file with another, not %zu",
                           cli->operands.count);
    }
    return load_classes(cli, settings);
}

/* The profile that others are compared with is not shown: its errors are said here. */
static void say_base_errors(mls_cli *cli, const mls_profile *base)
{
    for (size_t i = 0; base != NULL && i < base->findings.count; i++) {
        if (base->findings.items[i].severity == MLS_SEVERITY_ERROR) {
            mls_cli_say(cli, MLS_EXIT_INVALID, base->file, "%s", base->findings.items[i].message);
        }
    }
}

static void profile_run(mls_cli *cli)
{
    profile_settings *settings = cli->settings;
    mls_profiles *profiles = &settings->profiles;
    if (read_settings(cli, settings)) {
        if (settings->against != NULL) {
            settings->base = read_profile(cli, settings->against);
            say_base_errors(cli, settings->base);
        }
        for (size_t i = 0; i < cli->operands.count; i++) {
            mls_profile *profile = read_profile(cli, cli->operands.items[i]);
            if (profile != NULL && MLS_GROW(profiles, items)) {
                profiles->items[profiles->count++] = profile;
                mls_cli_judge_findings(cli, &profile->findings);
            } else if (profile != NULL) {
                mls_cli_say_no_memory(cli);
                mls_profile_free(profile);
            }
        }
        if (settings->run != NULL) {
            read_run(cli);
        }
        print_profiles(cli, settings);
    }
    for (size_t i = 0; i < profiles->count; i++) {
        mls_profile_free(profiles->items[i]);
    }
    free(profiles->items);
    mls_profile_free(settings->base);
    mls_kernel_classes_free(settings->classes);
}

const mls_command mls_command_profile = {
    .name = "profile",
    .summary = "tell where the time of the GPUs went, from a profiler's files",
    .usage = "[OPTION]… FILE…",
    .about = "Reads traces of the PyTorch profiler, and as CSV reports of nsys stats, of ncu\n"
             "and of rocprof, and prints which kinds of kernels the time went to, how long the\n"
             "GPU was idle and why, or waited for communication that nothing hides, what\n"
             "bounds its kernels, and what to try.",
    .options = options,
    .settings_size = sizeof(profile_settings),
    .paths = "no file given",
    .run = profile_run,
};
