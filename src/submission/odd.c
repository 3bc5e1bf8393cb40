/* SPDX-License-Identifier: Apache-2.0 */
/* odd.c - report suspicious results: duplicate logs, and numbers far from those of similar results.
 *
 * All findings are advice, because a suspicious result may have a good reason.  They belong to the whole submission,
 * because it is unknown which of two equal results is the original. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "base/statistics.h"
#include "base/utf8.h"
#include "base/words.h"
#include "compare/published/published.h"
#include "score/accelerators.h"
#include "submission/judge.h"

typedef struct judged_result {
    mls_submitter *submitter;
    mls_submission_result *result;
} judged_result;

/* All judged results in the order of their folders, with the total number of runs. */
typedef struct judged_results {
    judged_result *items;
    size_t count, capacity, runs;
} judged_results;

static void judge_copies(mls_submission *submission, const judged_results *judged);
static void judge_peers(mls_submission *submission, const judged_results *judged);
static mls_status judge_config_used(mls_submission *submission, const judged_result *judged, mls_accelerators **known);
static mls_status judge_platform(mls_submission *submission, const judged_result *judged, mls_accelerators **known);
static void judge_configs(mls_submission *submission, const mls_submitter *submitter);

mls_status mls_odd_judge(mls_submission *submission)
{
    judged_results judged = {0};
    mls_accelerators *known = NULL;
    for (size_t s = 0; s < submission->submitter_count; s++) {
        mls_submitter *submitter = &submission->submitters[s];
        for (size_t r = 0; r < submitter->result_count; r++) {
            mls_submission_result *result = &submitter->results[r];
            if (result->judged) {
                MLS_ARENA_ADD(submission->arena, &judged, (judged_result){submitter, result});
                judged.runs += result->run_count;
            }
        }
    }
    judge_copies(submission, &judged);
    judge_peers(submission, &judged);
    mls_status status = MLS_OK;
    for (size_t i = 0; i < judged.count && status == MLS_OK; i++) {
        const size_t found = mls_findings_found(&submission->findings, MLS_FINDING_CONFIG_SYSTEM);
        status = judge_config_used(submission, &judged.items[i], &known);
        if (status == MLS_OK && mls_findings_found(&submission->findings, MLS_FINDING_CONFIG_SYSTEM) == found)
            status = judge_platform(submission, &judged.items[i], &known);
    }
    for (size_t s = 0; s < submission->submitter_count && status == MLS_OK; s++)
        judge_configs(submission, &submission->submitters[s]);
    mls_accelerators_free(known);
    return status;
}

/* ----------------------------------------------------------------------------------------------------- copied logs */

/* A log; the first log with the same bytes (possibly the log itself); and the number of equal logs in the results of
 * these two logs. */
typedef struct odd_log {
    const mls_submission_result *result;
    mls_submission_run *run;
    const struct odd_log *first;
    size_t shared;
} odd_log;

/* ALIKE_MAX: maximum number of logs of equal size and summary with which a log is compared. */
enum { BLOCK_BYTES = 32768, ALIKE_MAX = 16 };

static int compare_result_paths(const mls_submission_result *a, const mls_submission_result *b)
{
    return mls_str_compare_natural(mls_str_from(a->path), mls_str_from(b->path));
}

/* Compare the properties of two logs that are known without reading the logs again.  They are hardly ever equal unless
 * one log is a copy of the other. */
static int compare_read(const odd_log *a, const odd_log *b)
{
    const uint64_t size_a = a->run->file.size;
    const uint64_t size_b = b->run->file.size;
    const int order = (size_a > size_b) - (size_a < size_b);
    return order != 0 ? order : mls_run_compare(&a->run->run, &b->run->run);
}

static int compare_odd_logs(const void *left, const void *right)
{
    const odd_log *a = left;
    const odd_log *b = right;
    int order = compare_read(a, b);
    order = order != 0 ? order : compare_result_paths(a->result, b->result);
    return order != 0 ? order : (a->run > b->run) - (a->run < b->run);
}

/* Order logs by the pair of results that contain the log and its duplicate. */
static int compare_sharing(const void *left, const void *right)
{
    const odd_log *a = left;
    const odd_log *b = right;
    int order = compare_result_paths(a->result, b->result);
    order = order != 0 ? order : compare_result_paths(a->first->result, b->first->result);
    return order != 0 ? order : (a->run > b->run) - (a->run < b->run);
}

static int compare_copies(const void *left, const void *right)
{
    const int order = mls_compare_sizes(((const odd_log *)right)->shared, ((const odd_log *)left)->shared);
    return order != 0 ? order : compare_sharing(left, right);
}

/* Read a block of BLOCK_BYTES, or less at the end of the file.  Return false on a read error. */
static bool read_block(int fd, char block[static BLOCK_BYTES], size_t *len)
{
    ssize_t got = 1;
    for (*len = 0; *len < BLOCK_BYTES && got > 0; *len += got > 0 ? (size_t)got : 0)
        got = read(fd, block + *len, BLOCK_BYTES - *len);
    return got >= 0;
}

/* Return whether two logs have the same bytes.  Read both logs again: this is faster than computing a checksum of
 * every log, because few logs have equal properties. */
static bool same_bytes(mls_submission *submission, const odd_log *a, const odd_log *b)
{
    const int fd_a = mls_tree_open(submission, a->run->file.path);
    const int fd_b = mls_tree_open(submission, b->run->file.path);
    bool same = fd_a >= 0 && fd_b >= 0;
    size_t len_a = BLOCK_BYTES;
    while (same && len_a == BLOCK_BYTES) {
        char block_a[BLOCK_BYTES];
        char block_b[BLOCK_BYTES];
        size_t len_b = 0;
        same = read_block(fd_a, block_a, &len_a) && read_block(fd_b, block_b, &len_b) &&
               mls_str_equal((mls_str){block_a, len_a}, (mls_str){block_b, len_b});
    }
    if (fd_a >= 0)
        (void)close(fd_a);
    if (fd_b >= 0)
        (void)close(fd_b);
    return same;
}

static void judge_copies(mls_submission *submission, const judged_results *judged)
{
    odd_log *logs = mls_calloc(judged->runs + 1, sizeof *logs);
    odd_log *copies = mls_calloc(judged->runs + 1, sizeof *copies);
    size_t count = 0;
    size_t copied = 0;
    size_t pairs = 0;
    for (size_t r = 0; r < judged->count; r++) {
        const mls_submission_result *result = judged->items[r].result;
        for (size_t i = 0; i < result->run_count; i++)
            if (!result->runs[i].run.unread && result->runs[i].file.size > 0)
                logs[count++] = (odd_log){result, &result->runs[i], NULL, 1};
    }
    qsort(logs, count, sizeof *logs, compare_odd_logs);
    /* For each log, find the first log with the same bytes among the logs with equal properties. */
    const odd_log *firsts[ALIKE_MAX];
    size_t alike = 0;
    for (size_t i = 0; i < count; i++) {
        alike = i > 0 && compare_read(&logs[i - 1], &logs[i]) == 0 ? alike : 0;
        logs[i].first = &logs[i];
        for (size_t k = 0; k < alike && logs[i].first == &logs[i]; k++)
            logs[i].first = same_bytes(submission, firsts[k], &logs[i]) ? firsts[k] : &logs[i];
        if (logs[i].first != &logs[i]) {
            logs[i].run->copy_of = logs[i].first->run;
            copies[copied++] = logs[i];
        } else if (alike < ALIKE_MAX) {
            firsts[alike++] = &logs[i];
        }
    }
    qsort(copies, copied, sizeof *copies, compare_sharing);
    for (size_t i = 0; i < copied; i++) {
        odd_log *before = pairs > 0 ? &copies[pairs - 1] : NULL;
        if (before != NULL && before->result == copies[i].result && before->first->result == copies[i].first->result)
            before->shared++;
        else
            copies[pairs++] = copies[i];
    }
    qsort(copies, pairs, sizeof *copies, compare_copies);
    for (size_t i = 0; i < pairs; i++) {
        const odd_log *log = &copies[i];
        const odd_log *first = log->first;
        const mls_finding_place place = {.path = log->result->path};
        if (log->shared == 1) {
            mls_findings_add(&submission->findings, MLS_FINDING_COPIED_LOG, place, "%s is a copy of %s",
                             mls_path_name(log->run->file.path), first->run->file.path);
        } else {
            const bool own = log->result == first->result;
            mls_findings_add(&submission->findings, MLS_FINDING_COPIED_LOG, place,
                             "%zu of its %zu logs are copies of %s%s", log->shared, log->result->run_count,
                             own ? "its other logs" : "logs in ", own ? "" : first->result->path);
        }
    }
    free(logs);
    free(copies);
}

/* -------------------------------------------------------------------------------------------------- far from peers */

/* PEERS_MIN: number of results needed for a median.  Each …_FAR: the relative distance from the median that is
 * reported. */
enum { PEERS_MIN = 3 };
#define MINUTES_FAR 0.15
#define CONVERGENCE_FAR 0.10

/* A number of a result, its relative distance from the median of comparable results (NAN: unknown), and the number of
 * results in this median. */
typedef struct odd_number {
    double number, off;
    size_t of;
} odd_number;

/* A result with the properties that determine which other results are comparable with it. */
typedef struct odd_peer {
    const mls_submission_result *result;
    mls_accelerator_model model;
    bool pcie; /* a PCIe card, which is slower than a module of the same model */
    double accelerators, batch;
    const char *unit; /* unit of convergence; "": unknown */
    odd_number minutes, convergence;
    double far; /* the larger of the two distances, each divided by its threshold */
} odd_peer;

/* Compare the properties that must be equal for results to be comparable.  If `convergence` is true, also compare its
 * unit and the batch size. */
static int compare_kinds(const odd_peer *a, const odd_peer *b, bool convergence)
{
    int order = strcmp(a->result->benchmark, b->result->benchmark);
    order = order != 0 ? order : strcmp(a->model.text, b->model.text);
    order = order != 0 ? order : (int)a->pcie - (int)b->pcie;
    order = order != 0 ? order : mls_compare_doubles(a->accelerators, b->accelerators);
    if (order == 0 && convergence) {
        order = strcmp(a->unit, b->unit);
        order = order != 0 ? order : mls_compare_doubles(a->batch, b->batch);
    }
    return order;
}

static int compare_odd_peers(const void *left, const void *right)
{
    const odd_peer *a = left;
    const odd_peer *b = right;
    const int order = compare_kinds(a, b, true);
    return order != 0 ? order : compare_result_paths(a->result, b->result);
}

static int compare_far(const void *left, const void *right)
{
    const odd_peer *a = left;
    const odd_peer *b = right;
    const int order = mls_compare_doubles(b->far, a->far);
    return order != 0 ? order : compare_result_paths(a->result, b->result);
}

static void measure_kinds(odd_peer *peers, size_t count, bool convergence)
{
    double *scratch = mls_calloc(count + 1, sizeof *scratch);
    for (size_t first = 0, end = 0; first < count; first = end) {
        size_t known = 0;
        for (; end < count && compare_kinds(&peers[first], &peers[end], convergence) == 0; end++) {
            const double number = (convergence ? &peers[end].convergence : &peers[end].minutes)->number;
            if (number > 0 && isfinite(number))
                scratch[known++] = number;
        }
        mls_sort_doubles(scratch, known);
        for (size_t i = first; i < end; i++) {
            odd_number *of = convergence ? &peers[i].convergence : &peers[i].minutes;
            of->of = known;
            of->off = known >= PEERS_MIN && of->number > 0 ? of->number / mls_median(scratch, known) - 1 : (double)NAN;
        }
    }
    free(scratch);
}

/* Append a number and its distance: "; 3,120 samples to converge, 29.4 % over the median of 5 results". */
static void append_number(mls_buffer *line, const char *number, const char *unit, const odd_number *of)
{
    const bool converged = strcmp(unit, "min") != 0;
    mls_buffer_printf(line, "%s%s %s%s, %s %s the median of %zu results", line->len > 0 ? "; " : "", number, unit,
                      converged ? " to converge" : "", mls_words_percent(fabs(of->off), 1).text,
                      of->off > 0 ? "over" : "under", of->of);
}

static void judge_peers(mls_submission *submission, const judged_results *judged)
{
    odd_peer *peers = mls_calloc(judged->count + 1, sizeof *peers);
    size_t count = 0;
    for (size_t i = 0; i < judged->count; i++) {
        const mls_submission_result *result = judged->items[i].result;
        const mls_group *group = &result->group;
        const mls_description *says = &mls_submitter_system(judged->items[i].submitter, result->system)->says;
        const mls_str name = mls_str_from(says->accelerator_model_name);
        const mls_convergence convergence =
            isfinite(group->score.score_minutes) ? mls_group_to_converge(group) : (mls_convergence){0};
        const odd_peer peer = {
            .result = result,
            .model = mls_accelerator_model_of(name),
            .pcie = mls_str_any(name, "PCIe|PCIE|pcie", mls_str_contains),
            .accelerators = mls_first_number(says->number_of_nodes) * mls_first_number(says->accelerators_per_node),
            .batch = group->global_batch_size,
            .unit = convergence.unit != NULL ? convergence.unit : "",
            .minutes = {.number = group->scaled_minutes},
            .convergence = {.number = convergence.unit != NULL && *convergence.unit != '\0' ? convergence.number
                                                                                            : (double)NAN}};
        /* Skip results of the open division, because their models are not comparable. */
        if (!result->weak && mls_division_described(result->division) == MLS_DIVISION_CLOSED &&
            peer.model.text[0] != '\0' && peer.accelerators > 0 && isfinite(peer.minutes.number))
            peers[count++] = peer;
    }
    qsort(peers, count, sizeof *peers, compare_odd_peers);
    measure_kinds(peers, count, false);
    measure_kinds(peers, count, true);
    for (size_t i = 0; i < count; i++) {
        const double minutes = fabs(peers[i].minutes.off) / MINUTES_FAR;
        const double convergence = fabs(peers[i].convergence.off) / CONVERGENCE_FAR;
        peers[i].far = fmax(0, fmax(minutes, convergence)); /* 0: both are unknown */
    }
    qsort(peers, count, sizeof *peers, compare_far);
    for (size_t i = 0; i < count && peers[i].far > 1; i++) {
        const odd_peer *peer = &peers[i];
        mls_buffer line = {0};
        if (fabs(peer->minutes.off) > MINUTES_FAR)
            append_number(&line, mls_words_grouped(peer->minutes.number, 3).text, "min", &peer->minutes);
        if (fabs(peer->convergence.off) > CONVERGENCE_FAR) {
            append_number(&line, mls_words_count(peer->convergence.number).text, peer->unit, &peer->convergence);
            mls_buffer_append_text(&line, " with its batch size");
        }
        mls_buffer_printf(&line, " on %s x %s%s", mls_words_count(peer->accelerators).text, peer->model.text,
                          peer->pcie ? " PCIe" : "");
        mls_findings_add(&submission->findings, MLS_FINDING_FAR_FROM_PEERS,
                         (mls_finding_place){.path = peer->result->path}, "%s", line.ptr);
        mls_buffer_release(&line);
    }
    free(peers);
}

/* ---------------------------------------------------------------------------------------- configs of other systems */

/* Return whether a number in a config's name differs from a field of the description.  Return false if the number is 0,
 * that is, missing. */
static bool is_other_count(uint64_t named, const char *described)
{
    const double number = mls_first_number(described);
    return named > 0 && isfinite(number) && mls_compare_doubles((double)named, number) != 0;
}

/* Report a result whose config is for another number of nodes or accelerators, or another accelerator model, than its
 * description.  The table of accelerators is loaded on first use because few results need it. */
static mls_status judge_config_used(mls_submission *submission, const judged_result *judged, mls_accelerators **known)
{
    const mls_submission_result *result = judged->result;
    const mls_finding_place place = {.path = result->path};
    const mls_config_name name = mls_config_name_decode(mls_str_from(result->group.config));
    const mls_description *says = &mls_submitter_system(judged->submitter, result->system)->says;
    mls_findings *findings = &submission->findings;
    if (name.kind != MLS_CONFIG_KIND_SHAPE)
        return MLS_OK;
    if (is_other_count(name.nodes, says->number_of_nodes) ||
        is_other_count(name.gpus_per_node, says->accelerators_per_node)) {
        const char *nodes = says->number_of_nodes != NULL ? says->number_of_nodes : "?";
        const char *each = says->accelerators_per_node != NULL ? says->accelerators_per_node : "?";
        mls_findings_add(findings, MLS_FINDING_CONFIG_SYSTEM, place,
                         "its runs name the config %s, of %ju x %ju accelerators; its description says %.*s x %.*s",
                         result->group.config, (uintmax_t)name.nodes, (uintmax_t)name.gpus_per_node,
                         MLS_CUT_TEXT(nodes, 20), MLS_CUT_TEXT(each, 20));
    }
    const mls_accelerator_model described = mls_accelerator_model_of(mls_str_from(says->accelerator_model_name));
    const mls_accelerator_model model = mls_accelerator_model_of(name.system);
    if (described.text[0] == '\0' || model.text[0] == '\0' || strcmp(model.text, described.text) == 0)
        return MLS_OK;
    const mls_status status = *known == NULL ? mls_accelerators_load(known, NULL) : MLS_OK;
    const mls_accelerator *of_config =
        status == MLS_OK ? mls_accelerators_find(*known, mls_str_from(model.text)) : NULL;
    if (of_config != NULL && of_config->pattern != NULL &&
        of_config != mls_accelerators_find(*known, mls_str_from(described.text))) {
        mls_findings_add(findings, MLS_FINDING_CONFIG_SYSTEM, place,
                         "its runs name the config %s, of %s; its description says %s", result->group.config,
                         model.text, described.text);
    }
    return status;
}

/* Report a result whose logs name a platform with another accelerator than its description. */
static mls_status judge_platform(mls_submission *submission, const judged_result *judged, mls_accelerators **known)
{
    const mls_submission_result *result = judged->result;
    const char *described = mls_submitter_system(judged->submitter, result->system)->says.accelerator_model_name;
    const mls_accelerator *of_platform = NULL;
    const mls_accelerator *of_system = NULL;
    const char *platform = NULL;
    for (size_t i = 0; i < result->run_count && platform == NULL; i++)
        platform = result->runs[i].run.platform;
    if (platform == NULL || described == NULL)
        return MLS_OK;
    mls_str name = mls_str_from(platform); /* without the number of nodes: "MI325X" of "1xMI325X" */
    for (size_t digits; (digits = strspn(name.ptr, "0123456789")) > 0 && name.ptr[digits] == 'x';)
        name = mls_str_rest(name, digits + 1);
    mls_status status = *known == NULL ? mls_accelerators_load(known, NULL) : MLS_OK;
    status = status == MLS_OK ? mls_accelerators_match(*known, name, MLS_S(""), &of_platform) : status;
    status = status == MLS_OK ? mls_accelerators_match(*known, mls_str_from(described), MLS_S(""), &of_system) : status;
    if (status != MLS_OK || of_platform == NULL || of_system == NULL)
        return status;
    /* Compare models, not memory or form.  Platforms such as "gaudi-8" name a series and a number, but no model. */
    const mls_accelerator_model model = mls_accelerator_model_of(mls_str_from(of_platform->name));
    const mls_accelerator_model other = mls_accelerator_model_of(mls_str_from(of_system->name));
    if (strcasestr(name.ptr, model.text) != NULL && strncmp(other.text, model.text, strlen(model.text)) != 0) {
        mls_findings_add(&submission->findings, MLS_FINDING_SYSTEM_DIFFERS, (mls_finding_place){.path = result->path},
                         "its logs name the platform %.*s, with %s; its description says %.*s",
                         MLS_CUT_TEXT(platform, 60), model.text, MLS_CUT_TEXT(described, 60));
    }
    return status;
}

/* The configs of a benchmark for an accelerator, from their names. */
typedef struct named_configs {
    const char *path;  /* of the first one */
    uint64_t per_node; /* its number of accelerators per node */
    bool differ;       /* others have another number */
} named_configs;

/* Return a key of maps: a benchmark, and the model of an accelerator or the name of a config. */
static mls_str config_key(mls_buffer *key, mls_str benchmark, mls_str name)
{
    key->len = 0;
    mls_buffer_append(key, benchmark);
    mls_buffer_append_char(key, '/');
    mls_buffer_append(key, name);
    return mls_buffer_str(key);
}

/* Compare results with the names of all configs below benchmarks/<benchmark>, even outside of its implementations:
 * report a description whose number of accelerators per node no config for this accelerator has, and a system without a
 * config config_<system>….sh if another system of the same benchmark has one. */
static void judge_configs(mls_submission *submission, const mls_submitter *submitter)
{
    mls_arena scratch = {0};
    mls_map shapes = {.arena = &scratch}; /* by benchmark and model: named_configs */
    mls_map names = {.arena = &scratch};  /* by benchmark and name, and each part of the name before a '_' */
    mls_map with = {.arena = &scratch};   /* benchmarks with a config that is named after a system: its path */
    mls_buffer key = {0};
    const size_t above = strlen(submitter->path) + (*submitter->path != '\0');
    for (size_t i = 0; i < submitter->files.count; i++) {
        const char *path = submitter->files.items[i].path;
        const char *file = mls_path_name(path);
        mls_str below = mls_str_from(path + above);
        mls_str benchmark;
        if (!mls_name_matches(file, "config_*.sh") || !mls_str_cut(&below, '/', &benchmark) ||
            !mls_str_equal(benchmark, MLS_S("benchmarks")) || !mls_str_cut(&below, '/', &benchmark))
            continue;
        const mls_config_name name = mls_config_name_decode(mls_str_from(file));
        const mls_accelerator_model model = mls_accelerator_model_of(name.system);
        if (name.kind != MLS_CONFIG_KIND_NONE && name.gpus_per_node > 0 && model.text[0] != '\0') {
            mls_map_entry *entry = mls_map_put(&shapes, config_key(&key, benchmark, mls_str_from(model.text)), NULL);
            named_configs *configs = entry->value.pointer;
            if (configs == NULL) {
                entry->value.pointer = configs = mls_arena_zeroed(&scratch, 1, sizeof *configs);
                *configs = (named_configs){path, name.gpus_per_node, false};
            }
            configs->differ |= configs->per_node != name.gpus_per_node;
        }
        for (size_t len = 1; len <= name.name.len; len++)
            if (len == name.name.len || name.name.ptr[len] == '_')
                mls_map_put(&names, config_key(&key, benchmark, (mls_str){name.name.ptr, len}), NULL)->value.pointer =
                    (void *)(uintptr_t)path;
    }
    for (size_t i = 0; i < submitter->result_count && names.count > 0; i++) {
        const mls_submission_result *result = &submitter->results[i];
        const mls_str benchmark = mls_str_from(result->benchmark);
        const mls_description *says = &mls_submitter_system(submitter, result->system)->says;
        const mls_accelerator_model model = mls_accelerator_model_of(mls_str_from(says->accelerator_model_name));
        const mls_map_entry *shape = mls_map_find(&shapes, config_key(&key, benchmark, mls_str_from(model.text)));
        const named_configs *configs = shape != NULL ? shape->value.pointer : NULL;
        if (configs != NULL && !configs->differ && is_other_count(configs->per_node, says->accelerators_per_node)) {
            mls_findings_add(&submission->findings, MLS_FINDING_SYSTEM_DIFFERS,
                             (mls_finding_place){.path = result->path},
                             "its description says %.*s accelerators per node; each config for %s, such as %s, is for "
                             "%ju",
                             MLS_CUT_TEXT(says->accelerators_per_node, 20), model.text, mls_path_name(configs->path),
                             (uintmax_t)configs->per_node);
        }
        const mls_map_entry *own = mls_map_find(&names, config_key(&key, benchmark, mls_str_from(result->system)));
        if (own != NULL)
            mls_map_put(&with, benchmark, NULL)->value.pointer = own->value.pointer;
    }
    for (size_t i = 0; i < submitter->result_count && with.count > 0; i++) {
        const mls_submission_result *result = &submitter->results[i];
        const mls_str benchmark = mls_str_from(result->benchmark);
        const mls_map_entry *other = mls_map_find(&with, benchmark);
        if (other != NULL && mls_map_find(&names, config_key(&key, benchmark, mls_str_from(result->system))) == NULL) {
            mls_findings_add(
                &submission->findings, MLS_FINDING_CONFIG_MISSING, (mls_finding_place){.path = result->path},
                "no config is named after the system, as %s is after another one", (const char *)other->value.pointer);
        }
    }
    mls_buffer_release(&key);
    mls_arena_release(&scratch);
}
