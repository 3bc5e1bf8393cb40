/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_profile.c - mlscore profile: summarize the time of GPUs from the output of profilers. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "cli/command.h"
#include "explain/profile/ranks.h"
#include "report/reports.h"

/* The default of --top, and the maximum number of files named that are not profiles. */
enum { TOP_DEFAULT = 20, OTHERS_MAX = 5 };

/* The result of reading a file. */
typedef struct profile_read {
    mls_profile *profile; /* NULL: the file is not a profile, or cannot be read */
    mls_status status;
    mls_error error;
} profile_read;

typedef struct profile_settings {
    unsigned by; /* an mls_profile_by plus 1; 0: not given */
    bool by_annotation;
    const char *top, *kernels, *against, *run; /* as given */
    /* The following members are not options, but the state of the command. */
    mls_kernel_classes *classes;
    mls_sources sources; /* the named files, and those of folders */
    size_t *ends;        /* for each operand, the index in `sources` after the last source of the operand */
    profile_read *reads; /* the results of reading the sources, in the order of `sources` */
    mls_profiles profiles;
    mls_ranks *job;    /* the profiles of all ranks of a job, joined; NULL: they are not of one job */
    mls_profile *base; /* the profile of --against */
    size_t kernel_count;
    bool run_found; /* the log of --run has a run_start */
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
    MLS_ROWS_LOGS("do not print tables", "also print steps, launches, copies, API calls, ranges and all findings",
                  MLS_HELP_STRICT),
};

static void read_profile(const profile_settings *settings, const char *path, bool named, profile_read *read)
{
    const int fd = mls_file_open(path, named, &read->error);
    read->status =
        fd >= 0 ? mls_profile_read(fd, path, settings->classes, &read->profile, &read->error) : MLS_ERROR_READ;
    if (fd >= 0)
        (void)close(fd);
    if (read->profile != NULL) {
        read->profile->top = settings->kernel_count;
        read->profile->in_folder = !named;
    }
}

static void read_item(void *state, size_t item)
{
    const profile_settings *settings = state;
    const mls_source *source = &settings->sources.items[item];
    if (source->skip == NULL)
        read_profile(settings, source->path, source->named, &settings->reads[item]);
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

/* Read the options, and list the files.  Return false after printing an error. */
static bool read_settings(mls_cli *cli, profile_settings *settings)
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
    settings->kernel_count = TOP_DEFAULT;
    settings->by = settings->by_annotation ? MLS_PROFILE_BY_ANNOTATION + 1 : settings->by;
    settings->profiles.by = (mls_profile_by)(settings->by - (settings->by > 0));
    if (settings->top != NULL && !mls_size_parse(mls_str_from(settings->top), &settings->kernel_count))
        return mls_cli_usage_error(cli, "invalid --top '%s': expected a whole number", settings->top);
    if (settings->against != NULL && sources->count > 1)
        return mls_cli_usage_error(cli, "--against needs exactly one file to compare, not %zu", sources->count);
    mls_buffer text = {0};
    bool ok = mls_cli_read_file(cli, settings->kernels, &text);
    if (ok && mls_kernel_classes_new(mls_buffer_str(&text), &settings->classes, &error) != MLS_OK)
        ok = mls_cli_file_error(cli, settings->kernels, &error);
    mls_buffer_release(&text);
    return ok;
}

/* Collect the profiles in the order of operands and files, and report files that are not profiles. */
static void collect_profiles(mls_cli *cli, profile_settings *settings)
{
    mls_profiles *profiles = &settings->profiles;
    size_t others = 0; /* number of files in folders that are not profiles, of which the first few are named */
    for (size_t i = 0, next = 0; i < cli->operands.count; i++) {
        const size_t first = next;
        const size_t before = profiles->count;
        for (; next < settings->ends[i]; next++) {
            const mls_source *source = &settings->sources.items[next];
            profile_read *read = &settings->reads[next];
            if (read->profile != NULL) {
                MLS_GROW(profiles, items);
                profiles->items[profiles->count++] = read->profile;
                mls_cli_judge_findings(cli, &read->profile->findings);
                read->profile = NULL;
            } else if (source->failed) {
                mls_cli_error(cli, MLS_EXIT_IO, source->path, "%s", source->skip);
            } else if (source->named || read->status == MLS_ERROR_READ) {
                mls_cli_error(cli, MLS_EXIT_IO, source->path, "%s", read->error.message);
            } else if (source->skip == NULL && others++ < OTHERS_MAX) {
                mls_cli_note(cli, source->path, "skipped: %s", read->error.message);
            }
        }
        if (profiles->count == before && (next == first || !settings->sources.items[first].named))
            mls_cli_error(cli, MLS_EXIT_IO, cli->operands.items[i], "no profile found");
    }
    if (others > OTHERS_MAX)
        mls_cli_note(cli, NULL, "skipped: %zu more files that are not profiles", others - OTHERS_MAX);
}

static void profile_run(mls_cli *cli)
{
    profile_settings *settings = cli->settings;
    mls_profiles *profiles = &settings->profiles;
    mls_profile_changes changes = {0};
    const bool ok = read_settings(cli, settings);
    if (ok && settings->against != NULL) {
        profile_read base = {0};
        read_profile(settings, settings->against, true, &base);
        settings->base = base.profile;
        if (base.profile == NULL)
            mls_cli_error(cli, MLS_EXIT_IO, settings->against, "%s", base.error.message);
        /* This profile is not part of the result, so print its errors as messages. */
        for (size_t i = 0; base.profile != NULL && i < base.profile->findings.count; i++) {
            const mls_finding *finding = &base.profile->findings.items[i];
            if (finding->severity == MLS_SEVERITY_ERROR)
                mls_cli_error(cli, MLS_EXIT_INVALID, base.profile->file, "%s", finding->message);
        }
    }
    if (ok) {
        const mls_relay relay = {.threads = cli->work.threads > 0 ? cli->work.threads : mls_processor_count(),
                                 .slots = MLS_RELAY_SLOTS_MAX,
                                 .count = settings->sources.count,
                                 .state = settings,
                                 .work = read_item};
        (void)!mls_relay_run(&relay);
        collect_profiles(cli, settings);
        /* Join the ranks of a job. */
        mls_ranks_join(profiles->items, profiles->count, &settings->job);
        profiles->job = settings->job;
        profiles->each = settings->by > 0 ? profiles->by < MLS_PROFILE_BY_RANK : cli->view.verbose > 0;
        if (settings->job != NULL)
            mls_cli_judge_findings(cli, &settings->job->findings);
        else if (profiles->by >= MLS_PROFILE_BY_RANK && profiles->count > 0)
            mls_cli_error(cli, MLS_EXIT_IO, NULL, "these are not traces of the ranks of one job");
    }
    if (ok && settings->run != NULL) {
        const mls_reading reading = {.work.threads = 1, .state = cli, .run = place_profiles, .done = mls_cli_read_done};
        for (size_t i = 0; i < profiles->count; i++)
            profiles->items[i]->run.file = settings->run;
        if (mls_cli_read(cli, settings->run, &reading, NULL, NULL) && !settings->run_found)
            mls_cli_error(cli, MLS_EXIT_IO, settings->run, "no run found for --run");
    }
    if (ok) {
        if (settings->base != NULL && profiles->count > 0) {
            mls_profile_compare(settings->base, profiles->items[0], &changes);
            profiles->base = settings->base;
            profiles->changes = &changes;
        }
        /* A table shows changes in addition to everything else.  Other formats have only one kind of rows, so with
         * --against they show only changes. */
        const bool changed = settings->against != NULL && settings->by == 0;
        mls_cli_print(cli, &mls_profile_reports[changed ? MLS_PROFILE_BY_CHANGE : profiles->by], profiles);
    }

    free(changes.items);
    for (size_t i = 0; i < settings->sources.count; i++)
        mls_profile_free(settings->reads[i].profile);
    free(settings->reads);
    free(settings->ends);
    mls_sources_release(&settings->sources);
    mls_ranks_free(settings->job);
    for (size_t i = 0; i < profiles->count; i++)
        mls_profile_free(profiles->items[i]);
    free(profiles->items);
    mls_profile_free(settings->base);
    mls_kernel_classes_free(settings->classes);
}

const mls_command mls_command_profile = {
    .name = "profile",
    .summary = "summarize GPU time from profiler output",
    .usage = "[OPTION]… FILE|DIR…",
    .about = "Reads traces of the PyTorch profiler, and CSV reports of nsys stats, ncu and\n"
             "rocprof. Prints the time per class of kernels, the idle time of the GPU and its\n"
             "causes, communication that does not overlap with compute, what limits the\n"
             "kernels, and what to try. From the traces of all ranks of a job, also finds the\n"
             "rank that the others waited for.",
    .options = options,
    .settings_size = sizeof(profile_settings),
    .paths = "no file given",
    .run = profile_run,
};
