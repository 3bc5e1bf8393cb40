/* SPDX-License-Identifier: Apache-2.0 */
/* review.c - count questions by kind, submitter and result, pair submitters, and write the text of an issue. */
#include "submission/review.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "base/number.h"
#include "base/statistics.h"
#include "base/utf8.h"
#include "base/words.h"
#include "submission/judge.h"

enum { LARGE = 512 };

/* ---------------------------------------------------------------------------------------------------- accelerators */

/* Return the number of accelerators of a system, or of its host processors if it has no accelerators. */
static double accelerators_of(const mls_system *system)
{
    const mls_description *says = &system->says;
    const double nodes = mls_first_number(says->number_of_nodes);
    const double accelerators = mls_first_number(says->accelerators_per_node);
    return nodes *
           (accelerators > 0 || isnan(accelerators) ? accelerators : mls_first_number(says->host_processors_per_node));
}

/* ------------------------------------------------------------------------------------------------------ assignment */

typedef struct ranked_submitter {
    const char *name;
    double weight;
} ranked_submitter;

static int compare_ranked(const void *left, const void *right)
{
    const ranked_submitter *a = left;
    const ranked_submitter *b = right;
    const int order = mls_compare_doubles(b->weight, a->weight);
    return order != 0 ? order : strcmp(a->name, b->name);
}

/* Pair the submitters, the one with the greatest weight first; of an odd number, the last three review each other.  A
 * single one is not paired. */
static void pair_submitters(mls_arena *arena, ranked_submitter *ranked, size_t count, mls_assignment *assignment)
{
    if (count > 1)
        qsort(ranked, count, sizeof *ranked, compare_ranked);
    for (size_t i = 0; i + 1 < count;) {
        mls_reviewers reviewers = {.count = count - i == MLS_REVIEWERS_MAX ? MLS_REVIEWERS_MAX : 2};
        for (size_t k = 0; k < reviewers.count; k++)
            reviewers.names[k] = ranked[i + k].name;
        MLS_ARENA_ADD(arena, assignment, reviewers);
        i += reviewers.count;
    }
}

static void assign(mls_review *review)
{
    ranked_submitter *ranked = mls_calloc(review->submitters.count + 1, sizeof *ranked);
    size_t count = 0;
    for (size_t i = 0; i < review->submitters.count; i++) {
        const mls_review_submitter *submitter = &review->submitters.items[i];
        if (submitter->below_512 > 0)
            ranked[count++] = (ranked_submitter){submitter->name, (double)submitter->below_512};
    }
    pair_submitters(&review->arena, ranked, count, &review->by_results);
    count = 0;
    for (size_t i = 0; i < review->submitters.count; i++) {
        const mls_review_submitter *submitter = &review->submitters.items[i];
        if (submitter->accelerators_most >= LARGE)
            ranked[count++] = (ranked_submitter){submitter->name, submitter->accelerators_most};
    }
    pair_submitters(&review->arena, ranked, count, &review->large);
    free(ranked);
}

/* ---------------------------------------------------------------------------------------------------------- counts */

static void add_results(mls_review *review, const mls_submitter *submitter)
{
    mls_review_submitter row = {.name = submitter->name, .accelerators_most = NAN};
    for (size_t i = 0; i < submitter->system_count; i++)
        review->descriptions += submitter->systems[i].description.path != NULL;
    for (size_t i = 0; i < submitter->result_count; i++) {
        const mls_submission_result *result = &submitter->results[i];
        const mls_system *system = mls_submitter_system(submitter, result->system);
        mls_review_result made = {.submitter = submitter,
                                  .result = result,
                                  .accelerators = system != NULL ? accelerators_of(system) : (double)NAN,
                                  .first_ms = NAN,
                                  .last_ms = NAN};
        if (!result->judged || result->run_count == 0)
            continue;
        for (size_t k = 0; k < result->run_count; k++) {
            const double start = result->runs[k].run.run_start.time_ms;
            if (mls_time_is_date(start)) {
                made.first_ms = fmin(made.first_ms, start);
                made.last_ms = fmax(made.last_ms, start);
            }
        }
        review->logs += result->run_count;
        row.results++;
        row.below_512 += !(made.accelerators >= LARGE);
        row.accelerators_most = fmax(row.accelerators_most, made.accelerators);
        MLS_ARENA_ADD(&review->arena, &review->results, made);
    }
    MLS_ARENA_ADD(&review->arena, &review->submitters, row);
}

/* Add the kinds of the submission with the numbers of their questions, results and submitters, and the kinds and
 * questions of each result and submitter. */
static void count_kinds(mls_review *review)
{
    const mls_submission *submission = review->submission;
    mls_arena scratch = {0};
    mls_map places = {.arena = &scratch};                                                     /* paths of results */
    size_t *results = mls_arena_zeroed(&scratch, review->results.count + 1, sizeof *results); /* last kind, from 1 */
    size_t *submitters = mls_arena_zeroed(&scratch, submission->submitter_count + 1, sizeof *submitters);
    for (size_t i = 0; i < review->results.count; i++)
        (void)mls_map_put(&places, mls_str_from(review->results.items[i].result->path), NULL);
    for (size_t k = 0;; k++) {
        mls_review_kind row = {.kind = mls_question_kind_at(submission, k)};
        if (row.kind.code == MLS_FINDING_COUNT)
            break;
        row.name = mls_finding_info_get(row.kind.code)->name;
        for (size_t i = 0; i < review->questions.count; i++) {
            const mls_question *question = &review->questions.items[i];
            if (question->code != row.kind.code)
                continue;
            row.first = row.questions++ == 0 ? i : row.first;
            for (size_t r = 0; r <= question->results.count; r++) {
                const mls_submitter *owner;
                if (r < question->results.count) {
                    const mls_map_entry *entry = mls_map_find(&places, mls_str_from(question->results.items[r]));
                    const size_t at = entry != NULL ? (size_t)(entry - places.entries) : review->results.count;
                    owner = entry != NULL ? review->results.items[at].submitter : NULL;
                    if (entry != NULL && results[at] != k + 1) {
                        results[at] = k + 1;
                        row.results++;
                        MLS_ARENA_ADD(&review->arena, &review->results.items[at].kinds, row.name);
                    }
                } else {
                    owner = question->submitter;
                }
                const size_t of = owner != NULL ? (size_t)(owner - submission->submitters) : 0;
                if (owner != NULL && submitters[of] != k + 1) {
                    submitters[of] = k + 1;
                    row.submitters++;
                }
            }
            if (question->submitter != NULL) {
                mls_review_submitter *counts = &review->submitters.items[question->submitter - submission->submitters];
                *(row.kind.form ? &counts->form : &counts->questions) += 1;
            }
        }
        if (row.kind.form && row.questions == 0)
            continue; /* most of them are about other commands */
        mls_buffer next = {0};
        mls_review_append_only(&next, review, row.name);
        row.next = mls_arena_copy(&review->arena, mls_buffer_str(&next)).ptr;
        mls_buffer_release(&next);
        MLS_ARENA_ADD(&review->arena, &review->kinds, row);
    }
    mls_arena_release(&scratch);
}

void mls_review_make(const mls_submission *submission, const mls_review_options *options, mls_review *review)
{
    *review = (mls_review){.submission = submission, .options = *options};
    mls_questions_all(submission, &review->questions);
    for (size_t i = 0; i < submission->submitter_count; i++)
        add_results(review, &submission->submitters[i]);
    count_kinds(review);
    assign(review);
}

void mls_review_release(mls_review *review)
{
    mls_questions_release(&review->questions);
    mls_arena_release(&review->arena);
    *review = (mls_review){0};
}

bool mls_review_shows(const mls_review *review, mls_finding_code code)
{
    return !review->options.only || review->options.chosen[code];
}

/* -------------------------------------------------------------------------------------------------------- commands */

/* Append `before`, and the path of the tree or of a file in it as an argument of a shell. */
static void append_path(mls_buffer *line, const mls_review *review, const char *before, const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./+:=,@%";
    char *joined = path != NULL ? mls_path_join(review->submission->path, path) : NULL;
    const char *text = joined != NULL ? joined : review->submission->path;
    mls_buffer_append_text(line, before);
    if (text[0] != '\0' && text[strspn(text, plain)] == '\0') {
        mls_buffer_append_text(line, text);
    } else {
        mls_buffer_append_char(line, '\'');
        for (const char *at = text; *at != '\0'; at++)
            if (*at == '\'')
                mls_buffer_append_text(line, "'\\''");
            else
                mls_buffer_append_char(line, *at);
        mls_buffer_append_char(line, '\'');
    }
    free(joined);
}

void mls_review_append_next(mls_buffer *line, const mls_review *review, size_t number)
{
    const mls_question *question = &review->questions.items[number - 1];
    const mls_question_next next = mls_question_kind_of(review->submission, question->code).next;
    const mls_result_paths *results = &question->results;
    if (next == MLS_NEXT_COMPARE && results->count > 0 && (results->count > 1 || question->against != NULL)) {
        append_path(line, review, "mlscore compare ", results->items[0]);
        if (question->against != NULL)
            mls_buffer_printf(line, " %s", question->against);
        else
            append_path(line, review, " ", results->items[1]);
    } else if (next == MLS_NEXT_THROUGHPUT && results->count > 0) {
        append_path(line, review, "mlscore throughput ", results->items[0]);
    } else if (next == MLS_NEXT_TELEMETRY && results->count > 0) {
        char *power = mls_path_join(results->items[0], "power");
        append_path(line, review, "mlscore telemetry ", power);
        append_path(line, review, " --run=", results->items[0]);
        free(power);
    } else {
        mls_buffer_printf(line, "mlscore review --issue %zu", number);
        append_path(line, review, " ", NULL);
    }
}

void mls_review_append_only(mls_buffer *line, const mls_review *review, const char *kind)
{
    mls_buffer_printf(line, "mlscore review --only %s", kind);
    append_path(line, review, " ", NULL);
}

/* ------------------------------------------------------------------------------------------------------- an issue */

/* RECORD_BYTES: the longest record or member that is shown whole.  SEARCHED_BYTES: files that are larger are listed
 * without a line. */
enum { RECORD_BYTES = 240, SEARCHED_BYTES = 64 << 20 };

/* The files that an issue lists, and the keys of the records or members of which the first line is shown. */
typedef struct issue_places {
    MLS_LIST_OF(const char *) files, keys;
    mls_arena arena;
} issue_places;

static void add_file(issue_places *places, const char *path)
{
    for (size_t i = 0; i < places->files.count; i++)
        if (strcmp(places->files.items[i], path) == 0)
            return;
    MLS_ARENA_ADD(&places->arena, &places->files, path);
}

/* Collect texts of the members of a question: those of `key` and `fields` are keys, others with a slash are files. */
static void collect_places(const cJSON *value, bool key, issue_places *places)
{
    if (cJSON_IsString(value) && key)
        MLS_ARENA_ADD(&places->arena, &places->keys, value->valuestring);
    else if (cJSON_IsString(value) && strchr(value->valuestring, '/') != NULL)
        add_file(places, value->valuestring);
    const cJSON *item;
    cJSON_ArrayForEach(item, value)
    {
        const char *name = item->string;
        collect_places(item, name != NULL ? strcmp(name, "key") == 0 || strcmp(name, "fields") == 0 : key, places);
    }
}

/* Where to look for the records that a kind of question is about, if its members do not tell. */
typedef struct issue_kind {
    const char *kind; /* name of the kind, or its beginning; "": all others */
    const char *keys[2];
    bool described; /* the question is also about the description of the system */
} issue_kind;

static const issue_kind *issue_kind_of(mls_finding_code code)
{
    static const issue_kind kinds[] = {{"cache-clear", {"cache_clear"}, false},
                                       {"evaluation-interval", {"eval_accuracy", "eval_error"}, false},
                                       {"power-nodes", {"number_of_nodes"}, true},
                                       {"power-", {"power_reading"}, false},
                                       {"resubmitted", {"run_start"}, true},
                                       {"run-fast", {"run_stop"}, false},
                                       {"run-slow", {"run_stop"}, false},
                                       {"system-logged", {"number_of_nodes", "accelerators_per_node"}, true},
                                       {"", {"run_start"}, false}};
    const char *name = mls_finding_info_get(code)->name;
    const issue_kind *kind = kinds;
    while (strncmp(name, kind->kind, strlen(kind->kind)) != 0)
        kind++;
    return kind;
}

/* Collect the files and keys that a question is about.  The logs of its results are only listed if nothing else is. */
static void find_places(const mls_review *review, const mls_question *question, issue_places *places)
{
    const issue_kind *kind = issue_kind_of(question->code);
    const char *suffix = strrchr(question->path, '.');
    if (suffix != NULL && (strcmp(suffix, ".txt") == 0 || strcmp(suffix, ".json") == 0))
        add_file(places, question->path);
    for (size_t i = 0; i < review->results.count && kind->described; i++) {
        const mls_review_result *of = &review->results.items[i];
        const mls_system *system = mls_submitter_system(of->submitter, of->result->system);
        if (strcmp(of->result->path, question->path) == 0 && system != NULL && system->description.path != NULL)
            add_file(places, system->description.path);
    }
    const size_t described = kind->described ? places->files.count : 0;
    collect_places(question->fields, false, places);
    for (size_t i = 0; i < 2 && kind->keys[i] != NULL; i++)
        if (places->keys.count == i || kind->described)
            MLS_ARENA_ADD(&places->arena, &places->keys, kind->keys[i]);
    for (size_t i = 0; i < review->results.count && places->files.count == described; i++) {
        const mls_submission_result *result = review->results.items[i].result;
        for (size_t k = 0; strcmp(result->path, question->path) == 0 && k < result->run_count; k++)
            add_file(places, result->runs[k].file.path);
    }
}

/* Append formatted text with its control characters escaped, so that names and messages cannot add lines. */
static void put(mls_buffer *text, const char *format, ...) MLS_PRINTF(2, 3);
static void put(mls_buffer *text, const char *format, ...)
{
    mls_buffer raw = {0};
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&raw, format, args);
    va_end(args);
    mls_escape_append(text, mls_buffer_str(&raw));
    mls_buffer_append_char(text, '\n');
    mls_buffer_release(&raw);
}

/* Append the path of a file, and line number `wanted` (if it is not 0) or the first line with each of the keys. */
static void append_file(mls_buffer *text, const mls_review *review, const char *path, size_t wanted,
                        const issue_places *places)
{
    const char *root = review->submission->real;
    char *joined = mls_path_join(root, path);
    mls_buffer contents = {0};
    bool listed = false;
    if (mls_file_read_again(joined, strlen(root), SEARCHED_BYTES, &contents, NULL) != MLS_OK) /* no link out of it */
        mls_buffer_clear(&contents);
    free(joined);
    for (size_t k = 0; k < (wanted > 0 ? 1 : places->keys.count); k++) {
        char key[RECORD_BYTES];
        mls_str rest = mls_buffer_str(&contents);
        mls_str line;
        mls_str found;
        const int length = snprintf(key, sizeof key, "\"%s\"", wanted > 0 ? "" : places->keys.items[k]);
        bool is = false;
        for (size_t number = 1; rest.len > 0 && !is; number++) {
            (void)mls_str_cut(&rest, '\n', &line);
            is = wanted > 0 ? number == wanted
                            : length < RECORD_BYTES && mls_str_after(line, (mls_str){key, (size_t)length}, &found);
            if (is) {
                line = mls_str_trim(line, mls_is_blank);
                put(text, "  %s:%zu", path, number);
                put(text, "    %.*s%s", MLS_CUT(line, RECORD_BYTES), line.len > RECORD_BYTES ? "…" : "");
                listed = true;
            }
        }
    }
    mls_buffer_release(&contents);
    if (!listed)
        put(text, "  %s", path);
}

void mls_review_append_issue(mls_buffer *text, const mls_review *review, size_t number, size_t files)
{
    const mls_question *question = &review->questions.items[number - 1];
    const mls_question_kind kind = mls_question_kind_of(review->submission, question->code);
    const char *name = mls_finding_info_get(question->code)->name;
    mls_buffer next = {0};
    issue_places places = {0};
    put(text, "%s: %s", name, question->path);
    put(text, "%s", "");
    put(text, "by <your organization>");
    put(text, "against <%s>", question->submitter != NULL ? question->submitter->name : "several submitters");
    put(text, "%s", "");
    if (kind.section != NULL)
        put(text, "Rule: %s, \"%s\"", kind.document, kind.section);
    for (size_t i = 0; i < question->results.count && i < files; i++)
        put(text, "Result: %s", question->results.items[i]);
    if (kind.section != NULL || question->results.count > 0)
        put(text, "%s", "");
    put(text, "%s", question->message);
    put(text, "%s", "");
    const cJSON *field;
    cJSON_ArrayForEach(field, question->fields)
    {
        char *value = cJSON_PrintUnformatted(field);
        put(text, "  %s: %.*s", field->string, MLS_CUT_TEXT(value, 4 * RECORD_BYTES));
        cJSON_free(value);
    }
    find_places(review, question, &places);
    if (places.files.count > 0) {
        put(text, "%s", "");
        put(text, "Files:");
    }
    for (size_t i = 0; i < places.files.count && i < files; i++) {
        const bool own = strcmp(places.files.items[i], question->path) == 0;
        append_file(text, review, places.files.items[i], own ? question->line : 0, &places);
    }
    if (places.files.count > files)
        put(text, "  and %zu more", places.files.count - files);
    mls_arena_release(&places.arena);
    if (kind.next == MLS_NEXT_ISSUE)
        mls_review_append_only(&next, review, name);
    else
        mls_review_append_next(&next, review, number);
    put(text, "%s", "");
    put(text, "To see it: %s", next.ptr);
    mls_buffer_release(&next);
}
