/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c - the choices of how logs are judged. */
#include <stdlib.h>

#include "base/memory.h"
#include "library/library.h"

const char *mls_version(void)
{
    return MLS_VERSION;
}

mls_status mls_error_missing(const char *what, mls_error *error)
{
    return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "%s is missing: NULL was given", what);
}

mls_status mls_rules_new(mls_rules **rules, mls_error *error)
{
    mls_rules *made = mls_calloc(1, sizeof *made);
    mls_status status = made != NULL ? mls_rulesets_new(&made->rulesets, error) : mls_error_memory(error);
    if (status != MLS_OK) {
        mls_rules_free(made);
        made = NULL;
    }
    *rules = made;
    return status;
}

void mls_rules_free(mls_rules *rules)
{
    if (rules != NULL) {
        mls_ruleset_free(rules->own);
        mls_rulesets_free(rules->rulesets);
        free(rules);
    }
}

void mls_rules_set_usage(mls_rules *rules, mls_usage usage)
{
    if ((size_t)usage <= MLS_USAGE_HPC) {
        rules->usage = usage;
        rules->usage_given = true;
    }
}

/* From now on these, instead of what was chosen before. */
static void set_rules(mls_rules *rules, mls_ruleset *own, const mls_ruleset *chosen, const mls_edition *edition)
{
    mls_ruleset_free(rules->own);
    rules->own = own;
    rules->chosen = chosen;
    rules->edition = edition;
}

mls_status mls_rules_set_edition(mls_rules *rules, const char *name, mls_error *error)
{
    const mls_edition *edition;
    const mls_ruleset *chosen;
    if (name == NULL) {
        return mls_error_missing("the name of an edition", error);
    }
    mls_status status =
        mls_editions_find(mls_rulesets_editions(rules->rulesets), rules->usage, mls_str_from(name), &edition, error);
    status = status == MLS_OK ? mls_rulesets_get(rules->rulesets, edition, &chosen, error) : status;
    if (status == MLS_OK) {
        set_rules(rules, NULL, chosen, edition);
    }
    return status;
}

mls_status mls_rules_set_file(mls_rules *rules, const char *path, mls_error *error)
{
    mls_ruleset *own = NULL;
    const mls_status status =
        path != NULL ? mls_ruleset_load_file(path, &own, error) : mls_error_missing("the path of a rule file", error);
    if (status == MLS_OK) {
        set_rules(rules, own, own, mls_ruleset_base(own, mls_rulesets_editions(rules->rulesets)));
        mls_rules_set_usage(rules, mls_ruleset_usage(own));
    }
    return status;
}

void mls_rules_set_window(mls_rules *rules, bool window)
{
    rules->window = window;
}

void mls_rules_set_rcp_bypass(mls_rules *rules, bool bypass)
{
    rules->rcp_bypass = bypass;
}

void mls_rules_set_seed_bypass(mls_rules *rules, bool bypass)
{
    rules->seed_bypass = bypass;
}

void mls_rules_set_bert_train_samples(mls_rules *rules, bool believe)
{
    rules->bert_train_samples = believe;
}

void mls_rules_set_as_repo(mls_rules *rules, bool as_repo)
{
    rules->as_repo = as_repo;
}

void mls_rules_set_strict(mls_rules *rules, bool strict)
{
    rules->strict = strict;
}

void mls_rules_set_threads(mls_rules *rules, unsigned threads)
{
    rules->threads = threads;
}

const char *mls_rules_edition(const mls_rules *rules, mls_usage usage, size_t index)
{
    const mls_edition *edition = mls_editions_get(mls_rulesets_editions(rules->rulesets), usage, index);
    return edition != NULL ? edition->name : NULL;
}

const char *mls_rules_benchmark(const mls_rules *rules, mls_usage usage, size_t edition, size_t index)
{
    const mls_edition *of = mls_editions_get(mls_rulesets_editions(rules->rulesets), usage, edition);
    return of != NULL && index < of->benchmark_count ? of->benchmarks[index]->name : NULL;
}

mls_collect_options mls_rules_collecting(const mls_rules *rules)
{
    const bool any_usage = !rules->usage_given && rules->chosen == NULL;
    return (mls_collect_options){
        .usage = rules->usage,
        .any_usage = any_usage,
        .edition = rules->edition,
        .work = {.threads = rules->threads},
        .score = {.editions = mls_rulesets_editions(rules->rulesets),
                  .select_window = rules->window,
                  .bert_train_samples = rules->bert_train_samples,
                  .rcp_bypass = rules->rcp_bypass,
                  .seed_bypass = rules->seed_bypass},
        .checker = {.ruleset = rules->chosen,
                    .rulesets = rules->rulesets,
                    .usage = rules->usage,
                    .any_usage = any_usage},
    };
}
