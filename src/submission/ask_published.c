/* SPDX-License-Identifier: Apache-2.0 */
/* ask_published.c - ask about results whose runs are published as those of an earlier round, and whether their system
 * description was changed since.  Runs are recognized by the milliseconds of run_start. */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "compare/published/published.h"
#include "submission/judge.h"
#include "json/json_row.h"
#include "json/value.h"

/* A run and its start time.  `start_ms` must be the first member, because the runs are sorted by it. */
typedef struct own_start {
    double start_ms;
    mls_ask_about about;
    const char *as; /* system of the last published result that contains the run; NULL: not found in any */
} own_start;

/* The number of runs that a result shares with a published one. */
typedef struct known_again {
    mls_ask_about about;
    mls_published_starts as;
    const mls_published_result *published; /* NULL: its scores are not known */
    size_t count;
} known_again;

typedef struct resubmitted_search {
    mls_submission *submission;
    own_start *starts; /* sorted by time, ascending */
    size_t count;
    mls_str round; /* round of the submission */
    MLS_LIST_OF(known_again) found;
} resubmitted_search;

/* Return the first of the sorted starts that is not before a time. */
static size_t first_start(const resubmitted_search *in, double time_ms)
{
    size_t at = 0;
    for (size_t high = in->count; at < high;) {
        const size_t middle = at + (high - at) / 2;
        if (in->starts[middle].start_ms < time_ms)
            at = middle + 1;
        else
            high = middle;
    }
    return at;
}

/* Compare the runs of a published result of an earlier round with those of the submission's results of the same
 * benchmark. */
static mls_status take_starts(void *state, mls_published_starts *starts)
{
    resubmitted_search *in = state;
    const size_t before = in->found.count; /* number of matches found with other published results */
    mls_status status = MLS_OK;
    if (mls_str_compare_natural(starts->round, in->round) >= 0)
        return MLS_OK;
    while ((status = mls_published_next_start(starts)) == MLS_OK) {
        for (size_t at = first_start(in, starts->start_ms);
             at < in->count && in->starts[at].start_ms == starts->start_ms; at++) {
            own_start *own = &in->starts[at];
            if (own->as == starts->system_id.ptr ||
                !mls_str_equal(starts->benchmark, mls_str_from(own->about.result->benchmark)))
                continue;
            own->as = starts->system_id.ptr;
            own->about.run->published = true;
            size_t again = before;
            while (again < in->found.count && in->found.items[again].about.result != own->about.result)
                again++;
            if (again == in->found.count) {
                known_again found = {.about = own->about, .as = *starts};
                found.about.run = NULL;
                MLS_ARENA_ADD(in->submission->arena, &in->found, found);
            }
            in->found.items[again].count++;
        }
    }
    return status == MLS_STOPPED ? MLS_OK : status;
}

/* Compare by result; then by round, the latest first; by number of runs, the largest first; by names. */
static int compare_again(const void *left, const void *right)
{
    const known_again *a = left;
    const known_again *b = right;
    int order = strcmp(a->about.result->path, b->about.result->path);
    order = order != 0 ? order : mls_str_compare_natural(b->as.round, a->as.round);
    order = order != 0 ? order : mls_compare_sizes(b->count, a->count);
    if (order == 0 && a->published != NULL && b->published != NULL)
        order = strcmp(a->published->system->folder, b->published->system->folder);
    return order != 0 ? order : mls_str_compare(a->as.system_id, b->as.system_id);
}

/* Compare the description of a result's system with the published one.  Return NULL if either is unknown, "equal", or
 * "differs" with the names of the required fields that differ. */
static const char *compare_descriptions(const mls_submission *submission, const known_again *again,
                                        const cJSON *required, cJSON *fields)
{
    const mls_system *system = mls_submitter_system(again->about.submitter, again->about.result->system);
    const mls_published_system *theirs = again->published != NULL ? again->published->system : NULL;
    const mls_published_description *other = theirs != NULL ? theirs->description : NULL;
    const char *answer = NULL;
    mls_published_description own;
    mls_description ignored;
    mls_buffer text = {0};
    mls_arena scratch = {0};
    mls_str object;
    size_t wrong;
    if (other != NULL && mls_tree_read(submission, &system->description, MLS_SYSTEM_BYTES_MAX, &text, NULL) == MLS_OK &&
        mls_description_read(mls_buffer_str(&text), &scratch, &scratch, &ignored, &object, &wrong) == NULL) {
        mls_published_description_make(object, required, &own);
        answer = own.whole == other->whole ? "equal" : "differs";
        const cJSON *name = required->child;
        for (size_t i = 0; i < MLS_DESCRIPTION_FIELDS && name != NULL && own.whole != other->whole; i++) {
            if (own.fields[i] != other->fields[i])
                (void)cJSON_AddItemToArray(fields, cJSON_CreateString(name->valuestring));
            name = name->next;
        }
    }
    mls_arena_release(&scratch);
    mls_buffer_release(&text);
    return answer;
}

static void ask_again(mls_submission *submission, const known_again *again, const cJSON *required)
{
    const mls_published_system *system = again->published != NULL ? again->published->system : NULL;
    cJSON *fields = cJSON_CreateObject();
    cJSON *published = cJSON_AddObjectToObject(fields, "published");
    const char *round = mls_arena_copy(submission->arena, again->as.round).ptr;
    const char *name = mls_arena_copy(submission->arena, again->as.system_id).ptr;
    (void)cJSON_AddStringToObject(published, "round", round);
    (void)cJSON_AddItemToObject(published, "submitter",
                                system != NULL ? cJSON_CreateString(system->folder) : cJSON_CreateNull());
    (void)cJSON_AddStringToObject(published, "system", name);
    (void)cJSON_AddStringToObject(published, "benchmark", again->about.result->benchmark);
    (void)cJSON_AddNumberToObject(fields, "runs", (double)again->count);
    cJSON *differing = cJSON_CreateArray();
    const char *description = compare_descriptions(submission, again, required, differing);
    const bool differs = description != NULL && strcmp(description, "differs") == 0;
    (void)cJSON_AddStringToObject(fields, "description", description != NULL ? description : "unknown");
    (void)cJSON_AddItemToObject(fields, "fields", differing);
    mls_buffer words = {0};
    const cJSON *field;
    cJSON_ArrayForEach(field, differing)
    {
        mls_buffer_printf(&words, "%s%s", words.len > 0 ? ", " : " in ", field->valuestring);
    }
    mls_question *question =
        mls_ask(submission, differs ? MLS_FINDING_RESUBMITTED_CHANGED : MLS_FINDING_RESUBMITTED, again->about, fields,
                "%zu of its %zu runs are published as those of %s in %s %s%s%s", again->count,
                again->about.result->run_count, name, mls_usage_name(submission->options.usage), round,
                differs ? ", whose description differs" : "", words.len > 0 ? words.ptr : "");
    question->against = mls_arena_printf(submission->arena, "published:%s,%s", round, name);
    mls_buffer_release(&words);
}

mls_status mls_published_ask(mls_submission *submission)
{
    resubmitted_search in = {.submission = submission, .round = mls_str_from(submission->edition->name)};
    mls_published published = {0};
    cJSON *systems = NULL;
    mls_status status = MLS_OK;
    size_t runs = 0;
    in.round.len -= mls_str_ends(in.round, MLS_S(".0")) ? strlen(".0") : 0; /* "5.1" of "5.1.0" */
    for (size_t s = 0; s < submission->submitter_count; s++)
        for (size_t r = 0; r < submission->submitters[s].result_count; r++)
            runs += submission->submitters[s].results[r].run_count;
    in.starts = mls_calloc(runs + 1, sizeof *in.starts);
    for (size_t s = 0; s < submission->submitter_count; s++) {
        mls_submitter *submitter = &submission->submitters[s];
        for (size_t r = 0; r < submitter->result_count; r++) {
            mls_submission_result *result = &submitter->results[r];
            for (size_t i = 0; i < result->run_count && result->judged; i++) {
                const double start_ms = result->runs[i].run.run_start.time_ms;
                const mls_ask_about about = {.submitter = submitter, .result = result, .run = &result->runs[i]};
                if (!isnan(start_ms))
                    in.starts[in.count++] = (own_start){round(start_ms), about, NULL};
            }
        }
    }
    mls_sort_by_double(in.starts, in.count, sizeof *in.starts);
    if (in.count > 0)
        status = mls_published_each_starts(submission->options.usage, take_starts, &in);
    if (in.found.count > 0 && status == MLS_OK)
        status = mls_published_load(submission->options.usage, 0, &published, NULL);
    if (in.found.count > 0 && status == MLS_OK)
        status = mls_json_data("systems.json", &systems, NULL);
    for (size_t i = 0; i < in.found.count; i++) {
        known_again *again = &in.found.items[i];
        for (size_t k = 0; k < published.count && again->published == NULL; k++) {
            const mls_published_result *result = &published.results[k];
            if (mls_str_equal(again->as.round, mls_str_from(result->round)) &&
                mls_str_equal(again->as.system_id, mls_str_from(result->system->system_id)) &&
                mls_str_equal(again->as.benchmark, mls_str_from(result->benchmark)))
                again->published = result;
        }
    }
    if (in.found.count > 1)
        qsort(in.found.items, in.found.count, sizeof *in.found.items, compare_again);
    const cJSON *required =
        cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(systems, "entries"), 0), "required");
    for (size_t i = 0; i < in.found.count && status == MLS_OK; i++)
        if (i == 0 || in.found.items[i].about.result != in.found.items[i - 1].about.result)
            ask_again(submission, &in.found.items[i], required);
    cJSON_Delete(systems);
    mls_published_release(&published);
    free(in.starts);
    return status;
}
