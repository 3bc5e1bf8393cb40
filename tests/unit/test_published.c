/* SPDX-License-Identifier: Apache-2.0 */
/* Published results: the scores in the tables of past rounds follow from the published logs, to the four digits
 * printed. */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/rows.h"
#include "corpus.h"
#include "score/collect.h"

#define PUBLISHED "../shared/facts/published_results.csv"
#define PRINTED_DIGIT 1e-4

/* Folders with another published score, and the reason. */
static const struct {
    const char *edition;
    const char *folder;
    const char *reason;
} exceptions[] = {
    {"2.0.0", "Google/results/cloud-tpu-v4-4096-TF/ssd", "the review committee set the scale to 1.023"},
    {"4.0.0", "Google/results/cloud-tpu-v5p-3072-maxtext/gpt3", "the review committee set a scale of 1.010417"},
};

typedef struct published_row {
    char *usage;
    char *round;
    char *submitter;
    char *system;
    char *benchmark;
    double minutes;
} published_row;

typedef struct published_table {
    published_row *items;
    size_t count;
    size_t capacity;
    size_t at[6]; /* columns of these members, from the header */
    mls_editions *editions;
    size_t checked;
} published_table;

static const char *const names[] = {"usage", "round", "submitter", "system_id", "benchmark", "minutes"};

static mls_status take_row(void *state, const mls_text_row *row)
{
    published_table *table = state;
    if (row->line == 1) {
        for (size_t n = 0; n < 6; n++) {
            size_t field = 0;
            while (field < row->count && !mls_str_equal(row->cells[field], mls_str_from(names[n])))
                field++;
            assert_true(field < row->count);
            table->at[n] = field;
        }
        return MLS_OK;
    }
    published_row published = {0};
    char **texts[] = {&published.usage, &published.round, &published.submitter, &published.system,
                      &published.benchmark};
    for (size_t n = 0; n < 5; n++) {
        mls_str field = row->cells[table->at[n]];
        *texts[n] = strndup(field.ptr, field.len);
        assert_non_null(*texts[n]);
    }
    if (!mls_number_parse(row->cells[table->at[5]], &published.minutes))
        published.minutes = NAN;
    MLS_GROW(table, items);
    table->items[table->count++] = published;
    return MLS_OK;
}

/* Compare submitters' names, which folders and tables spell differently: letters only, in lower case, at least four. */
static bool same_submitter(const char *a, const char *b)
{
    for (int letters = 0; letters < 4; letters++) {
        while (*a != '\0' && !isalpha((unsigned char)*a))
            a++;
        while (*b != '\0' && !isalpha((unsigned char)*b))
            b++;
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        a += *a != '\0';
        b += *b != '\0';
    }
    return true;
}

/* Split submitter/results/system/…/benchmark in place. */
typedef struct folder_parts {
    char text[512];
    const char *submitter;
    const char *system;
    const char *benchmark;
    bool weak;
} folder_parts;

static void split_folder(const char *folder, folder_parts *parts)
{
    (void)snprintf(parts->text, sizeof parts->text, "%s", folder);
    parts->weak = strstr(folder, "/weak/") != NULL;
    parts->benchmark = strrchr(parts->text, '/') + 1;
    parts->submitter = parts->text;
    char *results = strstr(parts->text, "/results/");
    assert_non_null(results);
    *results = '\0';
    char *system = results + strlen("/results/");
    parts->system = system;
    *strchr(system, '/') = '\0';
}

/* Return whether a published row of the folder has these minutes; count its rows in *rows. */
static bool is_published(const published_table *table, const char *usage, const char *edition,
                         const folder_parts *parts, bool by_submitter, double minutes, size_t *rows)
{
    bool found = false;
    *rows = 0;
    for (size_t i = 0; i < table->count; i++) {
        const published_row *row = &table->items[i];
        if (strcmp(row->usage, usage) != 0 || strncmp(row->round, edition, strlen(row->round)) != 0 ||
            strcmp(row->system, parts->system) != 0 || strcmp(row->benchmark, parts->benchmark) != 0 ||
            (by_submitter && !same_submitter(row->submitter, parts->submitter)))
            continue;
        ++*rows;
        found = found || fabs(row->minutes - minutes) <= PRINTED_DIGIT;
    }
    return found;
}

static double score_folder(const published_table *table, const char *root, const cJSON *row)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", root, corpus_text(row, "dir"));
    const char *paths[] = {path};
    mls_collect_options options = {.work.threads = 1, .score = {.editions = table->editions}};
    assert_true(mls_usage_from_name(mls_str_from(corpus_text(row, "usage")), &options.usage));
    assert_int_equal(mls_editions_find(table->editions, options.usage, mls_str_from(corpus_text(row, "edition")),
                                       &options.edition, NULL),
                     MLS_OK);
    mls_collection collection;
    mls_error error = {0};
    assert_int_equal(mls_collect(paths, 1, &options, &collection, &error), MLS_OK);
    assert_int_equal(collection.group_count, 1);
    double minutes = collection.groups[0].scaled_minutes;
    mls_collection_release(&collection);
    return minutes;
}

static bool is_exception(const cJSON *row)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++)
        if (strcmp(exceptions[i].folder, corpus_text(row, "dir")) == 0 &&
            strcmp(exceptions[i].edition, corpus_text(row, "edition")) == 0)
            return true;
    return false;
}

static void compare_folder(const char *name, const cJSON *row, void *state)
{
    published_table *table = state;
    char root[512];
    folder_parts parts = {0};
    split_folder(corpus_text(row, "dir"), &parts);
    /* Made-up logs and weak scaling are not in the tables. */
    if (strncmp(parts.submitter, "Synth", 5) == 0 || !corpus_logs(name, root, sizeof root))
        return;
    double minutes = score_folder(table, root, row);
    size_t rows;
    const char *usage = corpus_text(row, "usage");
    const char *edition = corpus_text(row, "edition");
    bool published = is_published(table, usage, edition, &parts, true, minutes, &rows);
    if (rows == 0)
        published = is_published(table, usage, edition, &parts, false, minutes, &rows);
    if (parts.weak) {
        assert_int_equal(rows, 0);
        return;
    }
    if (published == is_exception(row)) {
        fail_msg("%s %s: %.6f min %s the published score", edition, corpus_text(row, "dir"), minutes,
                 published ? "is now" : "is not");
    }
    table->checked++;
}

static void scores_are_those_published(void **state)
{
    (void)state;
    mls_buffer text = {0};
    published_table table = {0};
    FILE *file = fopen(PUBLISHED, "r");
    if (file == NULL) {
        skip();
        return;
    }
    char block[4096];
    for (size_t got = 1; got > 0;) {
        got = fread(block, 1, sizeof block, file);
        mls_buffer_append(&text, (mls_str){block, got});
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(mls_editions_load(&table.editions, NULL), MLS_OK);
    assert_int_equal(mls_csv_read(mls_buffer_str(&text), take_row, &table, NULL), MLS_OK);
    bool tables = corpus_each_folder(compare_folder, &table);
    for (size_t i = 0; i < table.count; i++) {
        published_row *row = &table.items[i];
        free(row->usage);
        free(row->round);
        free(row->submitter);
        free(row->system);
        free(row->benchmark);
    }
    free(table.items);
    mls_editions_free(table.editions);
    mls_buffer_release(&text);
    if (!tables || table.checked == 0)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scores_are_those_published)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
