/* SPDX-License-Identifier: Apache-2.0 */
/* path_kind.c - detect the kind of a path, such as logs, a submission or a config, from the first bytes of its
 * files. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "base/walk.h"
#include "explain/diagnose/diagnose.h"
#include "explain/profile/gather.h"
#include "explain/telemetry/files.h"
#include "log/input.h"
#include "run/reading.h"
#include "submission/judge.h"

/* The state of detecting the kind of a path, which all files below it share. */
typedef struct looker {
    mls_kernel_classes *classes;
    mls_path_seen *seen;
    mls_error *error;
} looker;

/* ------------------------------------------------------------- the beginning of a file */

/* Return whether a text is a JSON object, or a list of objects, whose first member has a name, as in output of
 * score. */
static bool begins_with_member(mls_str head, mls_str member)
{
    const size_t at = strspn(head.ptr, "[{\"\t\n\r ");
    return at > 0 && at < head.len && mls_str_starts(mls_str_rest(head, at), member);
}

/* The machine-readable formats of each command: the name of the first member or column, and another name that only this
 * command writes. */
static const struct {
    const char *first, *also, *written_by;
} written[] = {
    {"file\"", "\"launches\"", "profile"},
    {"logs\"", "\"findings\"", "check"},
    {"file\"", "\"malformed\",\"severity\"", "check"},
    {"file\"", "\"findings\":", "check"},
    {"file\"", "\"event_type\"", "events"},
    {"file\"", "\"parts_ms\"", "throughput"},
    {"file\"", "\"backwards\"", "throughput"},
    {"file\"", "\"kv_cache\"", "memory"},
    {"file\"", "\"uuid\"", "telemetry"},
    {"groups\"", "\"median_ms_per_sample\"", "throughput"},
    {"windows\"", "\"devices\"", "telemetry"},
    {"run\"", "\"devices\"", "telemetry"},
    {"profiles\"", "", "profile"},
    {"mode\"", "\"parameters\"", "memory"},
    {"jobs\"", "\"outcome\"", "diagnose"},
    {"path\"", "\"outcome\"", "diagnose"},
    {"path\"", "\"submitters\"", "verify"},
    {"severity\"", "\"submitter\"", "verify"},
    {"baseline\"", "\"sides\"", "compare"},
    {"benchmark\"", "\"groups\"", "compare"},
    {"benchmark\"", "\"baseline\"", "compare"},
    {"side\"", "\"accelerators\"", "compare"},
    {"usage\"", "\"side\"", "compare"},
    {"base\"", "\"accelerators\"", "plan"},
    {"base_accelerators\"", "", "plan"},
    {"results\"", "\"submitter\"", "published"},
    {"runs\"", "\"submitter\"", "published"},
    {"rank\"", "\"accelerator_minutes\"", "published"},
    {"usage\"", "\"official\"", "score --summary"},
    {"usage\"", "\"submitter\"", "published"},
    {"usage\"", "\"editions\"", "rules"},
    {"usage\"", "\"runs_needed\"", "rcp"},
    {"usage\"", "\"stdev\"", "rcp"},
    {"benchmarks\"", "\"points\"", "rcp"},
    {"configs\"", "\"gpus_per_node\"", "config"},
    {"name\"", "\"gpus_per_node\"", "config"},
    {"what\"", "\"command\"", "PATH"},
    {"event\"", "\"seen_ms\"", "watch"},
};

static bool is_model_config(mls_str head)
{
    mls_str rest = head;
    const mls_str word = mls_str_word(&rest);
    return word.len > 0 && *word.ptr == '{' &&
           (mls_str_contains(head, MLS_S("\"model_type\"")) || mls_str_contains(head, MLS_S("\"num_hidden_layers\"")));
}

/* Return whether a text is a script whose first command exports, assigns or sources, and that exports a variable. */
static bool is_config(mls_str head)
{
    static const char first[] = "export |source |. |: |if |set ";
    mls_str rest = head;
    mls_str line;
    bool begun = false;
    while (rest.len > 0) {
        (void)mls_str_cut(&rest, '\n', &line);
        const mls_str words = line;
        const mls_str command = mls_str_word(&line);
        if (command.len == 0 || *command.ptr == '#')
            continue;
        if (!begun && !mls_str_any(words, first, mls_str_starts) && memchr(command.ptr, '=', command.len) == NULL)
            return false;
        begun = true;
        if (mls_str_equal(command, MLS_S("export")) && memchr(line.ptr, '=', line.len) != NULL)
            return true;
    }
    return false;
}

/* Return whether a text is telemetry.  If `records` is set, accept only MLPerf power logs, whose measurements are
 * records. */
static bool is_telemetry(mls_str head, bool records)
{
    struct mls_telemetry_file file = {.source = {.path = NULL}};
    const mls_telemetry_options options = mls_telemetry_defaults();
    mls_input input = {.in_memory = true, .bytes = head};
    mls_telemetry_input_read(&file, &input, &options);
    const bool is_one = file.count > 0 && (!records || file.devices[0].kind == MLS_LOG_MLPERF);
    mls_telemetry_file_release(&file);
    return is_one;
}

/* ------------------------------------------------------------------------ files */

/* Detect the kind of a text.  A record in the first block makes any file a log; a later record does so only if no other
 * kind matches. */
static mls_path_kind kind_of_text(looker *looking, const char *path, mls_window *window)
{
    static const mls_str mark = MLS_STR(":::MLLOG ");
    const mls_str head = {window->at, (size_t)(window->end - window->at)};
    const mls_str name = mls_str_from(path);
    mls_path_seen *seen = looking->seen;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        if (begins_with_member(head, mls_str_from(written[i].first)) &&
            mls_str_contains(head, mls_str_from(written[i].also))) {
            (void)mls_text_printf(seen->written, sizeof seen->written,
                                  "output of mlscore %s; only the output of mlscore score can be read back",
                                  written[i].written_by);
            seen->why = seen->written;
            return MLS_PATH_UNKNOWN;
        }
    }
    mls_str rest = head;
    mls_str line = MLS_S("");
    (void)mls_str_cut(&rest, '\n', &line);
    const bool csv = mls_str_ends(name, MLS_S(".csv"));
    if (csv ? mls_str_contains(line, MLS_S("\"path\"")) && mls_str_contains(line, MLS_S("\"file\"")) &&
                  mls_str_contains(line, MLS_S("\"minutes\""))
            : (mls_str_ends(name, MLS_S(".json")) && begins_with_member(head, MLS_S("groups\""))) ||
                  (mls_str_ends(name, MLS_S(".ndjson")) && begins_with_member(head, MLS_S("path\""))))
        return MLS_PATH_EXPORT;
    if (mls_str_contains(head, mark))
        return is_telemetry(head, true) ? MLS_PATH_TELEMETRY : MLS_PATH_LOGS;
    if (is_model_config(head) || is_config(head))
        return is_model_config(head) ? MLS_PATH_MODEL : MLS_PATH_CONFIG;
    if (is_telemetry(head, false))
        return MLS_PATH_TELEMETRY;

    mls_profile *profile = NULL;
    mls_input input = {.in_memory = true, .bytes = head};
    if (looking->classes == NULL)
        (void)!mls_kernel_classes_new((mls_str){0}, &looking->classes, NULL);
    const bool is_profile = looking->classes != NULL &&
                            mls_profile_input_read(&input, "", looking->classes, &profile, NULL) == MLS_OK &&
                            profile != NULL;
    mls_profile_free(profile);
    if (is_profile)
        return MLS_PATH_PROFILE;

    mls_log_totals totals = {0};
    const bool old = mls_log_scan_bytes(head, NULL, 0, &totals, NULL) == MLS_OK && totals.old_format;
    while (line.len == 0 && rest.len > 0) /* the first line that is not empty */
        (void)mls_str_cut(&rest, '\n', &line);
    (void)mls_text_printf(seen->beginning, sizeof seen->beginning, "%.*s", MLS_CUT(line, sizeof seen->beginning - 1));
    while (!window->input->ended) { /* search the rest of the file, block by block */
        const size_t left = (size_t)(window->end - window->at);
        window->at = left < mark.len ? window->at : window->end - mark.len;
        mls_window_fill(window);
        if (mls_str_contains((mls_str){window->at, (size_t)(window->end - window->at)}, mark))
            return MLS_PATH_LOGS;
    }
    seen->why = old ? mls_reason_old_format : seen->why;
    return MLS_PATH_UNKNOWN;
}

/* Detect the kind of a file.  `found` describes a file that was found in a folder; it is NULL for a path given by the
 * user. */
static mls_status look_at_file(looker *looking, const char *path, const mls_source *found, mls_path_kind *kind)
{
    mls_input input = {.fd = found != NULL ? mls_file_open_again(path, found->root, looking->error)
                                           : mls_file_open(path, true, looking->error),
                       .text = true};
    mls_window window;
    *kind = MLS_PATH_UNKNOWN;
    if (input.fd < 0)
        return MLS_ERROR_READ;
    mls_status status = MLS_OK;
    mls_window_init(&window, &input);
    mls_window_fill(&window);
    if (input.unread != NULL || window.at == window.end) {
        looking->seen->why = input.unread != NULL ? input.unread : "empty";
    } else {
        *kind = kind_of_text(looking, path, &window);
        status = mls_input_status(&input, looking->error);
    }
    mls_window_release(&window);
    mls_input_release(&input);
    (void)close(input.fd);
    return status;
}

/* ---------------------------------------------------------------------- folders */

/* Return whether a folder is a submitter's: it has results, and descriptions or implementations next to them. */
static bool is_whole_submitter(const char *root, mls_str path)
{
    return mls_tree_has_folder(root, path, "results") &&
           (mls_tree_has_folder(root, path, "systems") || mls_tree_has_folder(root, path, "benchmarks"));
}

static mls_status look_at_folder(looker *looking, const char *path, mls_path_kind *kind)
{
    enum { NAMES_MAX = 10000 };
    mls_names names = {0};
    int ignored;
    bool is_submission = is_whole_submitter(path, MLS_S(""));
    if (!is_submission)
        mls_folder_names(path, NAMES_MAX, &names, &ignored);
    for (size_t i = 0; i < names.count && !is_submission; i++) /* a round's folder */
        is_submission = is_whole_submitter(path, mls_str_from(names.items[i]));
    mls_names_release(&names);
    *kind = is_submission ? MLS_PATH_SUBMISSION : MLS_PATH_UNKNOWN;
    if (is_submission)
        return MLS_OK;

    mls_sources sources = {0};
    const char *foreign = NULL;
    mls_status status = mls_sources_find(&path, 1, &sources, looking->error);
    for (size_t i = 0; i < sources.count && status == MLS_OK && *kind > MLS_PATH_LOGS; i++) {
        const mls_source *source = &sources.items[i];
        mls_path_kind one = MLS_PATH_UNKNOWN;
        if (!source->failed && !source->result && (source->size > 0 || source->skip != NULL)) {
            status = look_at_file(looking, source->path, source, &one);
            status = status == MLS_ERROR_READ ? MLS_OK : status; /* the reader will report the error */
        }
        foreign = mls_foreign_reason(looking->seen->why) < MLS_FOREIGN_REASONS ? looking->seen->why : foreign;
        /* Files that are skipped when logs are read, such as scripts and telemetry, may have another kind. */
        const bool config = mls_str_starts(mls_str_from(mls_path_name(source->path)), MLS_S("config_"));
        if (source->result)
            one = MLS_PATH_LOGS;
        else if (one >= MLS_PATH_EXPORT || (one == MLS_PATH_LOGS && source->skip != NULL) ||
                 (one == MLS_PATH_CONFIG && !config))
            one = MLS_PATH_UNKNOWN;
        *kind = one < *kind ? one : *kind;
    }
    looking->seen->why = foreign != NULL      ? foreign
                         : sources.count == 0 ? "a folder without files"
                                              : "a folder without files that mlscore reads";
    mls_sources_release(&sources);
    return status;
}

mls_status mls_path_look(const char *path, mls_path_seen *seen, mls_error *error)
{
    looker looking = {.seen = seen, .error = error};
    struct stat about;
    *seen = (mls_path_seen){.kind = MLS_PATH_LOGS};
    mls_status status = MLS_OK;
    if (strcmp(path, "-") == 0)
        return MLS_OK;
    if (stat(path, &about) != 0) {
        const int reason = errno;
        /* The name of a config need not exist as a file; with a slash it is a missing file. */
        const mls_config_name name = mls_config_name_decode(mls_str_from(path));
        seen->kind = strchr(path, '/') == NULL && name.kind != MLS_CONFIG_KIND_NONE && name.gpus > 0 ? MLS_PATH_CONFIG
                                                                                                     : MLS_PATH_ABSENT;
        return reason == ENOENT || reason == ENOTDIR ? MLS_OK : mls_error_set_errno(error, MLS_ERROR_READ, reason, "");
    }
    if (S_ISDIR(about.st_mode))
        status = look_at_folder(&looking, path, &seen->kind);
    else if (S_ISREG(about.st_mode))
        status = look_at_file(&looking, path, NULL, &seen->kind);
    /* Known kinds of logs that are not supported: the reader of logs reports them. */
    if (seen->kind == MLS_PATH_UNKNOWN && mls_foreign_reason(seen->why) < MLS_FOREIGN_REASONS)
        seen->kind = MLS_PATH_LOGS;
    if (status == MLS_OK && seen->kind == MLS_PATH_UNKNOWN && (seen->why == NULL || S_ISDIR(about.st_mode))) {
        /* Look for known failure messages. */
        mls_signatures *signatures;
        mls_diagnosis diagnosis = {0};
        status = mls_signatures_new(&signatures, error);
        const mls_diagnose_options wanted = {.signatures = signatures, .unpack = true};
        status = status == MLS_OK ? mls_diagnose(path, &wanted, &diagnosis, error) : status;
        if (status == MLS_OK && diagnosis.matched_count > 0)
            seen->kind = MLS_PATH_MESSAGES;
        mls_diagnosis_release(&diagnosis);
        mls_signatures_free(signatures);
    }
    mls_kernel_classes_free(looking.classes);
    return status;
}
