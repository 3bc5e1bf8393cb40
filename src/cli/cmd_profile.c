/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_profile.c - mlscore profile: where the time of the GPUs went, by what a profiler wrote. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "cli/command.h"
#include "explain/profile/ranks.h"
#include "report/reports.h"

enum { TOP_USUAL = 20, NOTED_MAX = 5 };

typedef struct profile_settings {
    unsigned by; /* mls_profile_by, from 1; 0: not given */
    bool by_annotation;
    const char *top; /* as given */
    const char *kernels, *against, *run;
    /* The working state. */
    mls_kernel_classes *classes;
    mls_sources sources;        /* the files that are named, and those of folders */
    size_t *ends;               /* of those of each operand */
    struct profile_read *reads; /* one for each of them */
    mls_profiles profiles;
    mls_ranks *job;
    mls_profile *base; /* that of --against */
    size_t shown;      /* of the longest kernels */
    bool run_found;    /* by --run, with a begin */
} profile_settings;

#define AT(member) offsetof(profile_settings, member)

static const mls_option options[] = {
    MLS_ROW_OF(MLS_SETS_VALUE, "by", "class|name|stream|device|annotation|rank|collective", AT(by),
               "rows of the table and of CSV (default: class)"),
    MLS_ROW_FLAG('\0', "by-annotation", AT(by_annotation), "same as --by=annotation"),
    MLS_ROW_TEXT('\0', "top", "N", AT(top), "list the N longest kernels (default: 20; 0: all)"),
    MLS_ROW_TEXT('\0', "kernels", "FILE", AT(kernels), "use kernel classes from a JSON file"),
    MLS_ROW_TEXT('\0', "against", "FILE", AT(against), "show how the classes changed since the profile in FILE"),
    MLS_ROW_TEXT('\0', "run", "LOG", AT(run), "show where in the run of this log the profile was taken"),
    MLS_ROW_FORMAT("table|csv|json|ndjson|markdown"),
    MLS_ROWS_LOGS("print no tables", "also print steps, launches, copies, API calls, ranges and all findings",
                  MLS_HELP_STRICT),
};

/* The result of reading a file. */
typedef struct profile_read {
    mls_profile *profile; /* NULL: it is none, or cannot be read */
    mls_status status;
    mls_error error;
} profile_read;

static void read_profile(const profile_settings *settings, const char *path, bool named, profile_read *read)
{
    const int fd = mls_file_open(path, named, &read->error);
    read->status =
        fd >= 0 ? mls_profile_read(fd, path, settings->classes, &read->profile, &read->error) : MLS_ERROR_READ;
    if (fd >= 0)
        (void)close(fd);
    if (read->profile != NULL) {
        read->profile->top = settings->shown;
        read->profile->in_folder = !named;
    }
}

static void read_file_of(void *state, size_t item)
{
    const profile_settings *settings = state;
    const mls_source *source = &settings->sources.items[item];
    if (source->skip == NULL)
        read_profile(settings, source->path, source->named, &settings->reads[item]);
}

/* The classes of --kernels, or our own.  False after a complaint. */
static bool load_classes(mls_cli *cli, profile_settings *settings)
{
    mls_buffer text = {0};
    mls_error error = {0};
    bool ok = mls_cli_read_file(cli, settings->kernels, &text);
    if (ok && mls_kernel_classes_new(mls_buffer_str(&text), &settings->classes, &error) != MLS_OK)
        ok = mls_cli_file_error(cli, settings->kernels, &error);
    mls_buffer_release(&text);
    return ok;
}

static mls_status place_profiles(void *state, size_t index, mls_run *run, void **notes)
{
    profile_settings *settings = ((const mls_cli *)state)->settings;
    (void)index;
    (void)notes;
    settings->run_found |= isfinite(run->run_start.time_ms);
    for (size_t i = 0; i < settings->profiles.count; i++)
        mls_profile_place(settings->profiles.items[i], run->run_start.time_ms, run->run_stop.time_ms);
    return MLS_OK;
}

/* Reads the log of --run, and says of each profile where in it it lies. */
static void read_run(mls_cli *cli)
{
    const profile_settings *settings = cli->settings;
    const mls_reading reading = {.work.threads = 1, .state = cli, .run = place_profiles, .done = mls_cli_read_done};
    for (size_t i = 0; i < settings->profiles.count; i++)
        settings->profiles.items[i]->run.file = settings->run;
    if (mls_cli_read(cli, settings->run, &reading, NULL, NULL) && !settings->run_found)
        mls_cli_error(cli, MLS_EXIT_IO, settings->run, "no run found to place the profile in");
}

static void print_profiles(mls_cli *cli, profile_settings *settings)
{
    mls_profiles *profiles = &settings->profiles;
    mls_profile_changes changes = {0};
    if (settings->base != NULL && profiles->count > 0) {
        mls_profile_compare(settings->base, profiles->items[0], &changes);
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
    settings->by = settings->by_annotation ? MLS_PROFILE_BY_ANNOTATION + 1 : settings->by;
    settings->profiles.by = (mls_profile_by)(settings->by - (settings->by > 0));
    if (settings->top != NULL && !mls_size_parse(mls_str_from(settings->top), &settings->shown))
        return mls_cli_usage_error(cli, "--top takes a whole number, not '%s'", settings->top);
    if (settings->against != NULL && settings->sources.count > 1)
        return mls_cli_usage_error(cli, "--against compares one file with another, not %zu", settings->sources.count);
    return load_classes(cli, settings);
}

/* Lists the files; false after a complaint. */
static bool find_sources(mls_cli *cli, profile_settings *settings)
{
    mls_sources *sources = &settings->sources;
    const char *const *operands = (const char *const *)cli->operands.items;
    mls_error error = {0};
    bool piped = false;
    settings->ends = mls_calloc(cli->operands.count + 1, sizeof *settings->ends);
    for (size_t i = 0; i < cli->operands.count; i++) {
        const bool pipe = strcmp(operands[i], "-") == 0;
        if (mls_sources_find(&operands[i], 1, sources, &error) != MLS_OK)
            return mls_cli_print_error(cli, NULL, &error);
        settings->ends[i] = sources->count;
        if (pipe && piped) {
            sources->items[sources->count - 1].skip = mls_strdup("is named twice");
            sources->items[sources->count - 1].failed = true;
        }
        piped |= pipe;
    }
    settings->reads = mls_calloc(sources->count + 1, sizeof *settings->reads);
    return true;
}

/* Says why a file is none of the profiles.  In a folder anything may stand beside them: that is only noted. */
static void say_unread(mls_cli *cli, const mls_source *source, const profile_read *read, size_t *others)
{
    if (source->failed)
        mls_cli_error(cli, MLS_EXIT_IO, source->path, "%s", source->skip);
    else if (source->named || read->status == MLS_ERROR_READ)
        mls_cli_error(cli, MLS_EXIT_IO, source->path, "%s", read->error.message);
    else if (source->skip == NULL && (*others)++ < NOTED_MAX)
        mls_cli_note(cli, source->path, "skipped: %s", read->error.message);
}

/* Takes over the profiles of an operand, in the order of its files, and says which are none. */
static void take_profiles(mls_cli *cli, profile_settings *settings, size_t from, size_t to, size_t *others)
{
    mls_profiles *profiles = &settings->profiles;
    for (size_t i = from; i < to; i++) {
        profile_read *read = &settings->reads[i];
        if (read->profile == NULL) {
            say_unread(cli, &settings->sources.items[i], read, others);
        } else {
            MLS_GROW(profiles, items);
            profiles->items[profiles->count++] = read->profile;
            mls_cli_judge_findings(cli, &read->profile->findings);
            read->profile = NULL;
        }
    }
}

static void take_all_profiles(mls_cli *cli, profile_settings *settings)
{
    size_t others = 0;
    for (size_t i = 0, from = 0; i < cli->operands.count; from = settings->ends[i++]) {
        const size_t before = settings->profiles.count;
        const size_t to = settings->ends[i];
        take_profiles(cli, settings, from, to, &others);
        if (settings->profiles.count == before && (to == from || !settings->sources.items[from].named))
            mls_cli_error(cli, MLS_EXIT_IO, cli->operands.items[i], "no profile found");
    }
    if (others > NOTED_MAX)
        mls_cli_note(cli, NULL, "skipped: %zu more files of folders that are no profiles", others - NOTED_MAX);
}

/* Reads all files, on all threads, and puts those of one job side by side. */
static void read_profiles(mls_cli *cli, profile_settings *settings)
{
    mls_profiles *profiles = &settings->profiles;
    const mls_relay relay = {.threads = cli->work.threads > 0 ? cli->work.threads : mls_processor_count(),
                             .slots = MLS_RELAY_SLOTS_MAX,
                             .count = settings->sources.count,
                             .state = settings,
                             .work = read_file_of};
    if (mls_relay_run(&relay) != MLS_OK)
        return;
    take_all_profiles(cli, settings);
    mls_ranks_join(profiles->items, profiles->count, &settings->job);
    profiles->job = settings->job;
    profiles->each = settings->by > 0 ? profiles->by < MLS_PROFILE_BY_RANK : cli->view.verbose > 0;
    if (settings->job != NULL)
        mls_cli_judge_findings(cli, &settings->job->findings);
    else if (profiles->by >= MLS_PROFILE_BY_RANK && profiles->count > 0)
        mls_cli_error(cli, MLS_EXIT_IO, NULL, "these are no traces of the ranks of one job");
}

static void read_base(mls_cli *cli, profile_settings *settings)
{
    profile_read base = {0};
    read_profile(settings, settings->against, true, &base);
    settings->base = base.profile;
    if (base.profile == NULL)
        mls_cli_error(cli, MLS_EXIT_IO, settings->against, "%s", base.error.message);
    /* It is not shown: its errors are said here. */
    for (size_t i = 0; base.profile != NULL && i < base.profile->findings.count; i++) {
        const mls_finding *finding = &base.profile->findings.items[i];
        if (finding->severity == MLS_SEVERITY_ERROR)
            mls_cli_error(cli, MLS_EXIT_INVALID, base.profile->file, "%s", finding->message);
    }
}

static void release_settings(profile_settings *settings)
{
    for (size_t i = 0; i < settings->sources.count; i++)
        mls_profile_free(settings->reads[i].profile);
    free(settings->reads);
    free(settings->ends);
    mls_sources_release(&settings->sources);
    mls_ranks_free(settings->job);
    for (size_t i = 0; i < settings->profiles.count; i++)
        mls_profile_free(settings->profiles.items[i]);
    free(settings->profiles.items);
    mls_profile_free(settings->base);
    mls_kernel_classes_free(settings->classes);
}

static void profile_run(mls_cli *cli)
{
    profile_settings *settings = cli->settings;
    if (find_sources(cli, settings) && read_settings(cli, settings)) {
        if (settings->against != NULL)
            read_base(cli, settings);
        read_profiles(cli, settings);
        if (settings->run != NULL)
            read_run(cli);
        print_profiles(cli, settings);
    }
    release_settings(settings);
}

const mls_command mls_command_profile = {
    .name = "profile",
    .summary = "summarize GPU time from profiler output",
    .usage = "[OPTION]… FILE|DIR…",
    .about = "Reads traces of the PyTorch profiler, and CSV reports of nsys stats, ncu and\n"
             "rocprof. Prints the time per class of kernels, how long the GPU was idle or\n"
             "waiting for exposed communication and why, what limits its kernels, and what to\n"
             "try. From the traces of all ranks of a job, shows which rank the others waited\n"
             "for.",
    .options = options,
    .settings_size = sizeof(profile_settings),
    .paths = "no file given",
    .run = profile_run,
};
