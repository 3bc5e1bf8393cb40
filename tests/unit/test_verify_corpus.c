/* SPDX-License-Identifier: Apache-2.0 */
/* The published trees, verified as whole submissions: the verdicts of logs, systems and benchmarks are those of the
 * tables, and each submitter's follows from them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "corpus.h"
#include "submission/submission.h"

/* The verdict of the tables on a submitter. */
typedef struct expectation {
    char name[128];
    bool valid;
    bool unknown; /* the package checker crashed on one of the benchmarks */
} expectation;

typedef struct table_run {
    const char *table;
    char root[600];
    char edition[16];
    mls_usage usage;
    mls_submission submission;
    expectation expected[64];
    size_t expected_count;
    size_t logs, systems, benchmarks, wrong;
} table_run;

static void complain(table_run *run, const char *path, const char *what)
{
    run->wrong++;
    print_error("%s %s: %s\n", run->table, path, what);
}

static expectation *expected_of(table_run *run, const char *path)
{
    const size_t len = strcspn(path, "/");
    for (size_t i = 0; i < run->expected_count; i++)
        if (strlen(run->expected[i].name) == len && strncmp(run->expected[i].name, path, len) == 0)
            return &run->expected[i];
    assert_true(run->expected_count < sizeof run->expected / sizeof *run->expected);
    expectation *added = &run->expected[run->expected_count++];
    *added = (expectation){.valid = true};
    (void)snprintf(added->name, sizeof added->name, "%.*s", (int)len, path);
    return added;
}

static const mls_submission_result *find_result(const table_run *run, const char *path)
{
    for (size_t i = 0; i < run->submission.submitter_count; i++) {
        const mls_submitter *submitter = &run->submission.submitters[i];
        for (size_t k = 0; k < submitter->result_count; k++)
            if (strcmp(submitter->results[k].path, path) == 0)
                return &submitter->results[k];
    }
    return NULL;
}

static const mls_system *find_system(const table_run *run, const char *path)
{
    for (size_t i = 0; i < run->submission.submitter_count; i++) {
        const mls_submitter *submitter = &run->submission.submitters[i];
        for (size_t k = 0; k < submitter->system_count; k++)
            if (submitter->systems[k].description.path != NULL &&
                strcmp(submitter->systems[k].description.path, path) == 0)
                return &submitter->systems[k];
    }
    return NULL;
}

/* Return the division in the description of the system whose results are in `folder`, read by another JSON reader
 * than ours. */
static void described_division(const table_run *run, const char *folder, bool *there, char *division, size_t size)
{
    char path[1400];
    char text[65536];
    const char *results = strstr(folder, "/results/");
    const char *system = results + strlen("/results/");
    *there = false;
    division[0] = '\0';
    (void)snprintf(path, sizeof path, "%s/%.*s/systems/%.*s.json", run->root, (int)(results - folder), folder,
                   (int)strcspn(system, "/"), system);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return;
    *there = true;
    const size_t got = fread(text, 1, sizeof text, file);
    (void)fclose(file);
    cJSON *json = cJSON_ParseWithLength(text, got);
    (void)snprintf(division, size, "%s", corpus_text(json, "division"));
    cJSON_Delete(json);
}

static void check_system(table_run *run, const cJSON *row)
{
    const char *path = corpus_text(row, "file");
    const mls_system *system = find_system(run, path);
    const bool valid = cJSON_IsTrue(cJSON_GetObjectItem(row, "valid"));
    run->systems++;
    if (system == NULL)
        complain(run, path, "not found");
    else if (system->valid != valid)
        complain(run, path, valid ? "should be valid" : "should not be valid");
    if (strcmp(run->edition, "0.7.0") != 0)
        expected_of(run, path)->valid &= valid;
}

static void check_log(table_run *run, const cJSON *row)
{
    const char *path = corpus_text(row, "file");
    char folder[1024];
    (void)snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    const mls_submission_result *result = find_result(run, folder);
    run->logs++;
    for (size_t i = 0; result != NULL && i < result->run_count; i++) {
        if (strcmp(result->runs[i].file.path, path) == 0) {
            if (result->runs[i].run.valid != cJSON_IsTrue(cJSON_GetObjectItem(row, "valid")))
                complain(run, path, result->runs[i].run.valid ? "should not be valid" : "should be valid");
            return;
        }
    }
    complain(run, path, "not found");
}

static void check_rcp(table_run *run, const cJSON *row, const mls_submission_result *result, bool closed)
{
    const cJSON *rcp = cJSON_GetObjectItem(row, "rcp");
    const char *path = result->path;
    const bool applies = closed && strcmp(result->benchmark, "minigo") != 0;
    expectation *expected = expected_of(run, path);
    if (!applies) {
        if (result->group.rcp.check != MLS_CHECK_NA)
            complain(run, path, "convergence should not be checked");
        return;
    }
    if (!cJSON_IsObject(rcp)) {
        expected->unknown = true;
        return;
    }
    const bool pass = cJSON_IsTrue(cJSON_GetObjectItem(rcp, "pass"));
    const double scale = cJSON_GetNumberValue(cJSON_GetObjectItem(rcp, "scale"));
    expected->valid &= pass;
    if ((result->group.rcp.check == MLS_CHECK_PASS) != pass ||
        strcmp(result->group.rcp.result.message, corpus_text(rcp, "message")) != 0 ||
        fabs(result->group.rcp.result.scale - scale) > 1e-6 * fmax(1, scale))
        complain(run, path, "another verdict on convergence");
}

static void check_benchmark(table_run *run, const cJSON *row, const mls_editions *editions)
{
    const char *path = corpus_text(row, "dir");
    const mls_submission_result *result = find_result(run, path);
    expectation *expected = expected_of(run, path);
    const size_t runs = (size_t)cJSON_GetNumberValue(cJSON_GetObjectItem(row, "runs"));
    const size_t dropped = (size_t)cJSON_GetNumberValue(cJSON_GetObjectItem(row, "dropped"));
    run->benchmarks++;
    if (result == NULL) {
        complain(run, path, "not found");
        return;
    }
    if (result->run_count != runs || result->invalid != dropped)
        complain(run, path, "another number of runs, or of invalid ones");
    const size_t needed = mls_benchmark_find(editions, run->usage, mls_str_from(result->benchmark))->runs_needed;
    const size_t allowed = strcmp(result->benchmark, "unet3d") == 0 ? 4 : 1;
    const bool weak = strstr(path, "/weak/") != NULL;
    expected->valid &= (weak ? runs >= needed : runs == needed) && dropped <= allowed;
    if (runs == needed && dropped <= allowed &&
        fabs(result->group.score.score_minutes - cJSON_GetNumberValue(cJSON_GetObjectItem(row, "score"))) > 1e-9 * 1e4)
        complain(run, path, "another score");
    char division[32];
    bool described;
    described_division(run, path, &described, division, sizeof division);
    const bool late = strcmp(run->edition, "0.7.0") != 0;
    const bool closed = late && strcmp(division, "closed") == 0;
    expected->valid &= described || !late;
    if (!closed) {
        if (result->group.seeds.check != MLS_CHECK_NA)
            complain(run, path, "seeds should not be checked");
    } else {
        const bool seeds_ok = cJSON_IsTrue(cJSON_GetObjectItem(row, "seeds_ok"));
        expected->valid &= seeds_ok;
        if ((result->group.seeds.check == MLS_CHECK_PASS) != seeds_ok)
            complain(run, path, "another verdict on the seeds");
    }
    check_rcp(run, row, result, closed);
}

static void check_submitters(table_run *run)
{
    for (size_t i = 0; i < run->submission.submitter_count; i++) {
        const mls_submitter *submitter = &run->submission.submitters[i];
        const expectation *expected = expected_of(run, submitter->name);
        if (!(expected->unknown && expected->valid) && submitter->valid != expected->valid)
            complain(run, submitter->name, expected->valid ? "should be valid" : "should not be valid");
    }
}

/* Read the first row of the table for the usage and edition, verify the tree, then compare row by row. */
static bool check_table(table_run *run, mls_rulesets *rulesets)
{
    char path[600];
    char *line = NULL;
    size_t capacity = 0;
    const mls_edition *edition;
    const mls_editions *editions = mls_rulesets_editions(rulesets);
    mls_error error = {0};
    if (!corpus_logs(run->table, run->root, sizeof run->root))
        return false;
    (void)snprintf(path, sizeof path, CORPUS_FOLDER "/%s", run->table);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(getline(&line, &capacity, file) > 0);
    cJSON *row = cJSON_Parse(line);
    (void)snprintf(run->edition, sizeof run->edition, "%s", corpus_text(row, "edition"));
    assert_true(mls_usage_from_name(mls_str_from(corpus_text(row, "usage")), &run->usage));
    cJSON_Delete(row);
    assert_int_equal(mls_editions_find(editions, run->usage, mls_str_from(run->edition), &edition, NULL), MLS_OK);
    const mls_submission_options options = {.rulesets = rulesets, .usage = run->usage, .edition = edition};
    assert_int_equal(mls_submission_verify(run->root, &options, &run->submission, &error), MLS_OK);
    rewind(file);
    while (getline(&line, &capacity, file) > 0) {
        row = cJSON_Parse(line);
        const char *kind = corpus_text(row, "kind");
        if (row == NULL) {
            /* NaN is not valid JSON: there are too few runs for a mean, and the count is wrong anyway. */
            const char *folder = strstr(line, "\"dir\": \"");
            expected_of(run, folder + strlen("\"dir\": \""))->valid = false;
        } else if (strcmp(kind, "log") == 0) {
            check_log(run, row);
        } else if (strcmp(kind, "system") == 0) {
            check_system(run, row);
        } else if (strcmp(kind, "bench") == 0) {
            check_benchmark(run, row, editions);
        }
        cJSON_Delete(row);
    }
    free(line);
    (void)fclose(file);
    check_submitters(run);
    mls_submission_release(&run->submission);
    return true;
}

static void published_trees_are_judged_as_the_tables_say(void **state)
{
    static const char *const tables[] = {"training_0.7.jsonl", "training_2.0.jsonl", "training_3.1.jsonl",
                                         "training_4.0.jsonl", "training_5.1.jsonl", "training_6.0.jsonl",
                                         "training_6.1.jsonl", "hpc_3.0.jsonl"};
    mls_rulesets *rulesets;
    size_t judged = 0;
    size_t wrong = 0;
    (void)state;
    struct stat about;
    if (stat(CORPUS_FOLDER, &about) != 0)
        skip();
    assert_int_equal(mls_rulesets_new(&rulesets, NULL), MLS_OK);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        table_run *run = calloc(1, sizeof *run);
        assert_non_null(run);
        run->table = tables[i];
        if (check_table(run, rulesets)) {
            print_message("%s: %zu logs, %zu systems, %zu benchmarks, %zu differences\n", run->table, run->logs,
                          run->systems, run->benchmarks, run->wrong);
            judged++;
            wrong += run->wrong;
        }
        free(run);
    }
    mls_rulesets_free(rulesets);
    if (judged == 0)
        skip();
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(published_trees_are_judged_as_the_tables_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
