/* SPDX-License-Identifier: Apache-2.0 */
/* ask_code.c - ask where the code of a submitter's benchmarks is: in benchmarks/BENCHMARK/implementations/X, somewhere
 * else, or nowhere, and whether it has a README and a run script. */
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "submission/judge.h"

/* What the files of a submitter say about a benchmark. */
typedef struct code_places {
    const char *benchmark;
    bool placed, readme, script; /* a file in implementations/X; a README*, a run script below the benchmark's folder */
    cJSON *beside, *misnamed, *renamed; /* names of folders with files */
    bool any_beside;
} code_places;

static bool is_run_script(const char *name)
{
    static const char *const endings[] = {".sh", ".sub", ".py", ".slurm"};
    const size_t len = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t end = strlen(endings[i]);
        if (strncasecmp(name, "run", 3) == 0 && len >= 3 + end && strcasecmp(name + len - end, endings[i]) == 0)
            return true;
    }
    return false;
}

/* Note a file, whose path `below` is relative to the submitter's folder. */
static void note_file(code_places *places, const char *below)
{
    mls_str rest = mls_str_from(below);
    mls_str top;
    mls_str benchmark;
    mls_str folder;
    mls_str inner;
    if (!mls_str_cut(&rest, '/', &top) || !mls_str_cut(&rest, '/', &benchmark) ||
        mls_str_equal(top, MLS_S("results")) || mls_str_equal(top, MLS_S("systems")))
        return;
    const bool ours = mls_str_equal(benchmark, mls_str_from(places->benchmark));
    if (!mls_str_equal(top, MLS_S("benchmarks"))) {
        if (ours)
            mls_ask_name(places->misnamed, top);
        return;
    }
    if (!ours) {
        mls_ask_name(places->renamed, benchmark);
        return;
    }
    const char *name = mls_path_name(below);
    places->readme |= strncasecmp(name, "readme", strlen("readme")) == 0;
    places->script |= is_run_script(name);
    if (!mls_str_cut(&rest, '/', &folder)) {
        places->any_beside = true; /* a file in the folder itself */
    } else if (mls_str_equal(folder, MLS_S("implementations")) && mls_str_cut(&rest, '/', &inner)) {
        places->placed = true;
    } else {
        places->any_beside = true;
        mls_ask_name(places->beside, folder);
    }
}

/* Return whether a folder of an implementation of a benchmark is a link; the files behind it are listed elsewhere. */
static bool is_linked(const mls_submission *submission, const mls_submitter *submitter, const char *folder)
{
    bool linked = false;
    for (size_t i = 0; i < submitter->implementations.count && !linked; i++) {
        const char *path = submitter->implementations.items[i].path;
        struct stat about;
        char *joined = mls_path_join(submission->real, path);
        linked = strncmp(path, folder, strlen(folder)) == 0 && path[strlen(folder)] == '/' &&
                 lstat(joined, &about) == 0 && S_ISLNK(about.st_mode);
        free(joined);
    }
    return linked;
}

/* Ask about the folder of a benchmark, for all results of the submitter on it. */
static void ask(mls_submission *submission, const mls_ask_about *about, mls_finding_code code, cJSON *fields,
                const char *message)
{
    mls_question *question = mls_ask(submission, code, *about, fields, "%s", message);
    const char *benchmark = mls_path_name(about->path);
    for (size_t i = 0; i < about->submitter->result_count; i++)
        if (strcmp(about->submitter->results[i].benchmark, benchmark) == 0)
            mls_question_add_result(question, about->submitter->results[i].path);
}

static void ask_about(mls_submission *submission, mls_submitter *submitter, mls_submission_result *result)
{
    const size_t above = strlen(submitter->path) + (*submitter->path != '\0');
    const char *folder = mls_arena_printf(submission->arena, "%s%sbenchmarks/%s", submitter->path, above > 0 ? "/" : "",
                                          result->benchmark);
    const mls_ask_about about = {.submitter = submitter, .path = folder};
    code_places places = {.benchmark = result->benchmark,
                          .beside = cJSON_CreateArray(),
                          .misnamed = cJSON_CreateArray(),
                          .renamed = cJSON_CreateArray()};
    for (size_t i = 0; i < submitter->files.count; i++)
        note_file(&places, submitter->files.items[i].path + above);
    for (size_t i = 0; i < submitter->result_count; i++) /* these have results */
        for (int k = cJSON_GetArraySize(places.renamed); k-- > 0;)
            if (strcmp(cJSON_GetArrayItem(places.renamed, k)->valuestring, submitter->results[i].benchmark) == 0)
                cJSON_DeleteItemFromArray(places.renamed, k);
    if (is_linked(submission, submitter, folder))
        places.placed = places.readme = places.script = true;
    mls_ask_sort_names(&places.beside);
    mls_ask_sort_names(&places.misnamed);
    mls_ask_sort_names(&places.renamed);
    const struct {
        const char *how, *message;
        cJSON *near;
        bool is;
    } elsewhere[] = {
        {"beside", "the code is not in implementations/<implementation>", places.beside, places.any_beside},
        {"misnamed", "the code is in a folder that is not called benchmarks", places.misnamed,
         places.misnamed->child != NULL},
        {"renamed", "there is code only for benchmarks of other names, which have no results", places.renamed,
         places.renamed->child != NULL}};
    cJSON *fields = cJSON_CreateObject();
    size_t how = 0;
    while (how < 3 && !elsewhere[how].is)
        how++;
    if (!places.placed && how < 3) {
        (void)cJSON_AddStringToObject(fields, "how", elsewhere[how].how);
        (void)cJSON_AddItemToObject(fields, "near", cJSON_Duplicate(elsewhere[how].near, true));
        char *near = cJSON_PrintUnformatted(elsewhere[how].near);
        ask(submission, &about, MLS_FINDING_IMPLEMENTATION_ELSEWHERE, fields,
            mls_arena_printf(submission->arena, "%s: %s", elsewhere[how].message, near));
        cJSON_free(near);
    } else if (!places.placed) {
        const bool empty =
            mls_tree_has_folder(submission->real, mls_path_folder(mls_str_from(folder)), mls_path_name(folder));
        (void)cJSON_AddStringToObject(fields, "how", empty ? "empty" : "none");
        ask(submission, &about, MLS_FINDING_NO_IMPLEMENTATION, fields,
            empty ? "there is no code: the folder has no file" : "there is no code: the folder is missing");
    } else {
        cJSON_Delete(fields);
    }
    if ((places.placed || places.any_beside) && !(places.readme && places.script)) {
        fields = cJSON_CreateObject();
        cJSON *missing = cJSON_AddArrayToObject(fields, "missing");
        if (!places.readme)
            (void)cJSON_AddItemToArray(missing, cJSON_CreateString("README"));
        if (!places.script)
            (void)cJSON_AddItemToArray(missing, cJSON_CreateString("run script"));
        ask(submission, &about, MLS_FINDING_IMPLEMENTATION_LACKS, fields,
            places.readme   ? "the code has no run script (run*.sh, .sub, .py or .slurm)"
            : places.script ? "the code has no README"
                            : "the code has no README and no run script (run*.sh, .sub, .py or .slurm)");
    }
    cJSON_Delete(places.beside);
    cJSON_Delete(places.misnamed);
    cJSON_Delete(places.renamed);
}

void mls_code_ask(mls_submission *submission, mls_submitter *submitter)
{
    const mls_submission_options *options = &submission->options;
    if (options->system != NULL || options->benchmark != NULL)
        return; /* the files of code were not listed */
    for (size_t i = 0; i < submitter->result_count; i++) {
        bool first = submitter->results[i].judged && submitter->results[i].run_count > 0;
        for (size_t k = 0; k < i && first; k++)
            first = strcmp(submitter->results[k].benchmark, submitter->results[i].benchmark) != 0;
        if (first)
            ask_about(submission, submitter, &submitter->results[i]);
    }
}
