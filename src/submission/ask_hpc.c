/* SPDX-License-Identifier: Apache-2.0 */
/* ask_hpc.c - questions about hpc results: weak scaling without strong scaling, and another system in the logs than in
 * the description. */
#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/statistics.h"
#include "base/words.h"
#include "submission/judge.h"

static void ask_weak_alone(mls_submission *submission, mls_ask_about about)
{
    for (size_t i = 0; i < about.submitter->result_count; i++) {
        const mls_submission_result *other = &about.submitter->results[i];
        if (!other->weak && other->run_count > 0 && strcmp(other->benchmark, about.result->benchmark) == 0)
            return;
    }
    (void)mls_ask(submission, MLS_FINDING_WEAK_ALONE, about, NULL, "the submitter has no strong scaling result of %s",
                  about.result->benchmark);
}

/* Return the number that a run logged for a key; NAN: none. */
static double logged_count(const mls_run *run, mls_str key)
{
    const char *value = mls_run_hyperparameter(run, key);
    return value != NULL ? mls_first_number(value) : (double)NAN;
}

/* Ask about a strong scaling result whose logs are of another number of accelerators than its description.  Nodes
 * without accelerators count as one: some loggers log the ranks as nodes. */
static void ask_system_logged(mls_submission *submission, mls_ask_about about)
{
    const mls_submission_result *result = about.result;
    const mls_description *says = &mls_submitter_system(about.submitter, result->system)->says;
    const double described =
        mls_first_number(says->number_of_nodes) * fmax(mls_first_number(says->accelerators_per_node), 1);
    double *logged = mls_calloc(result->run_count + 1, sizeof *logged);
    size_t count = 0;
    bool differs = false;
    for (size_t i = 0; i < result->run_count; i++) {
        const mls_run *run = &result->runs[i].run;
        const double number =
            logged_count(run, MLS_S("number_of_nodes")) * fmax(logged_count(run, MLS_S("accelerators_per_node")), 1);
        if (isfinite(number)) {
            logged[count++] = number;
            differs |= number != described;
        }
    }
    if (differs && isfinite(described)) {
        cJSON *fields = cJSON_CreateObject();
        (void)cJSON_AddNumberToObject(fields, "described", described);
        cJSON *list = cJSON_AddArrayToObject(fields, "logged");
        mls_buffer words = {0};
        mls_sort_doubles(logged, count);
        for (size_t i = 0; i < count; i++) {
            if (i > 0 && logged[i] == logged[i - 1])
                continue;
            (void)cJSON_AddItemToArray(list, cJSON_CreateNumber(logged[i]));
            mls_buffer_printf(&words, "%s%s", words.len > 0 ? " and " : "", mls_words_count(logged[i]).text);
        }
        (void)mls_ask(submission, MLS_FINDING_SYSTEM_LOGGED, about, fields,
                      "its logs are of %s accelerators; the description says %s", words.ptr,
                      mls_words_count(described).text);
        mls_buffer_release(&words);
    }
    free(logged);
}

void mls_hpc_ask(mls_submission *submission, mls_submitter *submitter)
{
    for (size_t i = 0; i < submitter->result_count && submission->options.usage == MLS_USAGE_HPC; i++) {
        const mls_ask_about about = {.submitter = submitter, .result = &submitter->results[i]};
        if (!about.result->judged || about.result->run_count == 0)
            continue;
        if (about.result->weak)
            ask_weak_alone(submission, about);
        else
            ask_system_logged(submission, about);
    }
}
