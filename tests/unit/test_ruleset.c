/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "rules/ruleset.h"

static int setup(void **state)
{
    mls_editions *editions;
    if (mls_editions_load(&editions, NULL) != MLS_OK)
        return -1;
    *state = editions;
    return 0;
}

static int teardown(void **state)
{
    mls_editions_free(*state);
    return 0;
}

static cJSON *read_facts(const mls_edition *edition)
{
    char path[128];
    (void)snprintf(path, sizeof path, "../shared/facts/rules/%s-%s.json", mls_usage_name(edition->usage),
                   edition->name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    static char text[1 << 18];
    const size_t length = fread(text, 1, sizeof text, file);
    (void)fclose(file);
    return cJSON_ParseWithLength(text, length);
}

static void compare_exprs(const mls_expr_list *list, const cJSON *facts)
{
    assert_int_equal(list->count, cJSON_GetArraySize(facts));
    for (size_t i = 0; i < list->count; i++)
        assert_string_equal(list->items[i].text.ptr, cJSON_GetArrayItem(facts, (int)i)->valuestring);
}

static const char *fact_text(const cJSON *action, int index)
{
    return cJSON_GetArrayItem(action, index)->valuestring;
}

static void compare_actions(const mls_scope *scope, const mls_action *actions, size_t count, const cJSON *facts)
{
    assert_int_equal(count, cJSON_GetArraySize(facts));
    for (size_t i = 0; i < count; i++) {
        const cJSON *fact = cJSON_GetArrayItem(facts, (int)i);
        if (strcmp(fact_text(fact, 0), "use") == 0) {
            assert_int_equal(actions[i].kind, MLS_ACTION_USE);
            assert_string_equal(actions[i].text.ptr, fact_text(fact, 1));
        } else if (strcmp(fact_text(fact, 0), "if") == 0) {
            assert_int_equal(actions[i].kind, MLS_ACTION_IF);
            assert_string_equal(actions[i].expr.text.ptr, fact_text(fact, 1));
            compare_actions(scope, actions[i].actions, actions[i].action_count, cJSON_GetArrayItem(fact, 2));
        } else {
            assert_true(actions[i].kind == MLS_ACTION_SET || actions[i].kind == MLS_ACTION_APPEND);
            assert_string_equal(scope->symbols.entries[actions[i].slot].key.ptr, fact_text(fact, 1) + 1);
            assert_string_equal(actions[i].expr.text.ptr, fact_text(fact, 2));
        }
    }
}

static void compare_rule(const mls_scope *scope, const mls_rule *rule, const cJSON *fact)
{
    const cJSON *occurs = cJSON_GetObjectItem(fact, "occurs");
    assert_string_equal(rule->occurs_text.ptr != NULL ? rule->occurs_text.ptr : "",
                        occurs != NULL ? occurs->valuestring : "");
    compare_exprs(&rule->check, cJSON_GetObjectItem(fact, "check"));
    compare_exprs(&rule->check_first, cJSON_GetObjectItem(fact, "check_first"));
    compare_exprs(&rule->check_any, cJSON_GetObjectItem(fact, "check_any"));
    compare_actions(scope, rule->actions, rule->action_count, cJSON_GetObjectItem(fact, "after"));
}

static const mls_rule *find_rule(const mls_scope *scope, const char *key)
{
    for (size_t i = 0; i < scope->rule_count; i++)
        if (mls_str_equal(scope->rules[i].key, mls_str_from(key)))
            return &scope->rules[i];
    fail_msg("scope %s has no rule %s", scope->name.ptr, key);
    return NULL;
}

static void compare_begin(const mls_scope *scope, const cJSON *begin)
{
    size_t count = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, begin)
    {
        if (strcmp(item->string, "#derive") == 0) {
            assert_string_equal(scope->derive.key.ptr, cJSON_GetObjectItem(item, "key")->valuestring);
            assert_string_equal(scope->derive.from.ptr, cJSON_GetObjectItem(item, "from")->valuestring);
            assert_string_equal(scope->derive.group_by.ptr,
                                strchr(cJSON_GetObjectItem(item, "group_by")->valuestring, '.') + 1);
            assert_string_equal(scope->derive.field.ptr,
                                strchr(cJSON_GetObjectItem(item, "field")->valuestring, '.') + 1);
            continue;
        }
        const mls_map_entry *entry = mls_map_find(&scope->symbols, mls_str_from(item->string));
        assert_non_null(entry);
        const mls_variable *variable = &scope->initial[entry - scope->symbols.entries];
        assert_true(variable->set);
        count++;
        if (cJSON_IsNumber(item))
            assert_true(variable->value.as.number == item->valuedouble);
        else if (cJSON_IsBool(item))
            assert_int_equal(variable->value.as.boolean, cJSON_IsTrue(item));
        else
            assert_int_equal(variable->value.kind, cJSON_IsNull(item) ? MLS_JSON_NULL : MLS_JSON_LIST);
    }
    for (size_t i = 0; i < scope->symbols.count; i++)
        count -= scope->initial[i].set;
    assert_int_equal(count, 0);
}

static void compare_edition(const mls_edition *edition, const cJSON *facts)
{
    mls_ruleset *ruleset;
    mls_error error = {0};
    if (mls_ruleset_load(edition, &ruleset, &error) != MLS_OK)
        fail_msg("%s:%zu:%zu: %s", edition->name, error.line, error.column, error.message);
    const cJSON *scopes = cJSON_GetObjectItem(facts, "scopes");
    assert_int_equal(ruleset->scope_count, cJSON_GetArraySize(scopes));
    const cJSON *fact;
    cJSON_ArrayForEach(fact, scopes)
    {
        const size_t index = mls_ruleset_find_scope(ruleset, mls_str_from(fact->string));
        assert_int_not_equal(index, SIZE_MAX);
        const mls_scope *scope = &ruleset->scopes[index];
        const cJSON *keys = cJSON_GetObjectItem(fact, "keys");
        int duplicates = 0;
        const cJSON *key;
        cJSON_ArrayForEach(key, keys)
        {
            const char *name = cJSON_GetObjectItem(key, "key")->valuestring;
            const cJSON *later;
            bool last = true;
            for (later = key->next; later != NULL; later = later->next)
                last = last && strcmp(cJSON_GetObjectItem(later, "key")->valuestring, name) != 0;
            duplicates += !last; /* the last of two rules for a key counts */
            if (last)
                compare_rule(scope, find_rule(scope, name), key);
        }
        assert_int_equal(scope->rule_count, cJSON_GetArraySize(keys) - duplicates);
        compare_exprs(&scope->end, cJSON_GetObjectItem(fact, "end"));
        compare_begin(scope, cJSON_GetObjectItem(fact, "begin"));
    }
    mls_ruleset_free(ruleset);
}

static void test_every_edition_agrees_with_the_facts(void **state)
{
    size_t compared = 0;
    for (int usage = 0; usage < MLS_USAGE_COUNT; usage++) {
        for (size_t i = 0; i < mls_editions_count(*state, (mls_usage)usage); i++) {
            const mls_edition *edition = mls_editions_get(*state, (mls_usage)usage, i);
            cJSON *facts = read_facts(edition);
            if (facts == NULL)
                skip();
            compare_edition(edition, facts);
            cJSON_Delete(facts);
            compared++;
        }
    }
    assert_int_equal(compared, 16);
}

static void test_every_edition_loads(void **state)
{
    for (int usage = 0; usage < MLS_USAGE_COUNT; usage++) {
        for (size_t i = 0; i < mls_editions_count(*state, (mls_usage)usage); i++) {
            const mls_edition *edition = mls_editions_get(*state, (mls_usage)usage, i);
            mls_ruleset *ruleset;
            assert_int_equal(mls_ruleset_load(edition, &ruleset, NULL), MLS_OK);
            assert_string_equal(mls_ruleset_edition(ruleset), edition->name);
            assert_int_equal(mls_ruleset_usage(ruleset), edition->usage);
            for (size_t b = 0; b < edition->benchmark_count; b++) {
                char name[80];
                /* gpt3 of 3.0 and 3.1 had no rules for the open division */
                (void)snprintf(name, sizeof name, "closed_%s", edition->benchmarks[b]->name);
                assert_int_not_equal(mls_ruleset_find_scope(ruleset, mls_str_from(name)), SIZE_MAX);
            }
            mls_ruleset_free(ruleset);
        }
    }
}

#define HEAD "{\"usage\": \"training\", \"edition\": \"x\", "

#define SCOPE HEAD "\"scopes\": {\"common\": {\n"
#define RULE SCOPE "\"keys\": {\"a\":\n"

static void test_errors_name_the_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t line;
        size_t column;
        const char *message;
    } cases[] = {
        {"{\"usage\": \"training\",\n \"edition\": }", 2, 13, "invalid JSON: expected a value"},
        {"{} x", 1, 4, "invalid JSON: something follows the value"},
        {"{\"a\": \"\x01\"}", 1, 8, "invalid JSON: control character inside a string"},
        {"[]", 1, 1, "a rule file must be a JSON object"},
        {"{\"usage\": \"inference\", \"edition\": \"x\"}", 1, 11, "'usage' must be \"training\" or \"hpc\""},
        {HEAD "\"scopes\": {}}", 1, 49, "there must be a scope named \"common\""},
        {HEAD "\"scope\": {}}", 1, 39, "unknown member 'scope'"},
        {HEAD "\"scopes\": {\"common\": {\"keys\": {\n  \"seed\": {\"occurs\": \"exactly_one\",\n           \"check\": "
              "\"value = 1\"}}}}}",
         3, 28,
         "rule seed of scope common: check: unexpected '='; to compare, write '==' (column 7 of the "
         "expression)"},
        {HEAD "\"scopes\": {\"common\": {\"keys\": {\"seed\": {\"check\": [\"true\",\n \"value == \\\"a\\\" +\"]}}}}}",
         2, 19,
         "rule seed of scope common: check: the expression ends where a value is expected (column 15 of the "
         "expression)"},
        {HEAD "\"scopes\": {\"common\": {\"keys\": {\"seed\":\n {\"chek\": \"true\"}}}}}", 2, 3,
         "rule seed of scope common: unknown member 'chek'"},
        {HEAD "\"scopes\": {\"common\": {\"keys\": {\"seed\":\n \"sometimes\"}}}}", 2, 2,
         "rule seed of scope common: 'occurs' must be \"exactly_one\", \"at_least_one\", \"at_least(n)\", "
         "\"at_least_one_or(other_key)\" or \"optional\""},
        {HEAD "\"scopes\": {\"common\": {\"keys\": {\"seed\": \"optional\",\n \"seed\": \"optional\"}}}}", 2, 2,
         "rule seed of scope common: duplicate rule in the scope"},
        {HEAD "\"scopes\": {\"common\": {\n\"end\": \"$x == 1\"}}}", 1, 60,
         "scope common: $x has no value: neither \"begin\" nor a \"set\" defines it"},
        {HEAD "\"scopes\": {\"common\": {\n\"end\": \"value == 1\"}}}", 2, 8,
         "end of scope common: 'end' has no record: only $variables are available"},
        {HEAD "\"scopes\": {\"common\": {\"keys\": {\"a\": {\"after\": [{\"use\":\n\"x_{value\"}]}}}}}", 2, 1,
         "rule a of scope common: after: use: braces do not match"},
        {HEAD "\"scopes\": {\"common\": {\"keys\": {\"a\": {\"after\": [{\"use\":\n\"x_{valu}\"}]}}}}}", 2, 5,
         "rule a of scope common: after: use: unknown name 'valu'; expected value, metadata, time_ms, record, a "
         "$variable, a \"string\" or a function (column 4 of the expression)"},
        {HEAD "\"extends\": \"9.9\", \"scopes\": {}}", 1, 50, "unknown round to extend: 'training 9.9'"},
        {HEAD "\"extends\": \"5.1\", \"scopes\": {\"closed_moon\": null}}", 1, 68,
         "scope closed_moon: null removes a scope that the extended rules do not have"},
        {HEAD "\"extends\": \"5.1\", \"scopes\": {\"common\": {\"keys\": {\"moon\": null}}}}", 1, 88,
         "rule moon of scope common: null removes a member or rule that the extended rules do not have"},
        {HEAD "\"scopes\": {\"common\": {\"keys\": {\"a\": {\"check\": \"value == \\u0000\"}}}}}", 1, 85,
         "rule a of scope common: check: a text must not contain \\u0000"},
        {HEAD "\"extends\": \"5.1\", \"scopes\": {\"common\": {}, \"common\": null}}", 1, 82,
         "scope common: duplicate scope in the file"},
        {HEAD "\"extends\": \"5.1\", \"scopes\": {\"common\": {\"keys\": {\"moon\\u0000\": null}}}}", 1, 88,
         "rule moon\\u0000 of scope common: a text must not contain \\u0000"},
        {HEAD "\"edition\": \"y\"}", 1, 39, "duplicate member 'edition'"},
        {"{\"usage\": \"training\", \"edition\": \"\"}", 1, 34, "'edition' must name the edition, as in \"5.1.0\""},
        {HEAD "\"extends\": 1}", 1, 50, "'extends' must name a round or a file"},
        {HEAD "\"scopes\": []}", 1, 49, "'scopes' must be an object of scopes"},
        {HEAD "\"scopes\": {\"common\": 1}}", 1, 60, "scope common: a scope must be an object, or null to drop it"},
        {HEAD "\"scopes\": {\"common\": {}, \"\": {}}}", 1, 68, "scope : the name of a scope must have 1 to 64 bytes"},
        {SCOPE "\"keys\": []}}}", 2, 9, "scope common: 'keys' must be an object of rules"},
        {SCOPE "\"begin\": []}}}", 2, 10, "begin of scope common: 'begin' must be an object of variables"},
        {SCOPE "\"begin\": {\"a b\": 1}}}}", 2, 11,
         "begin of scope common: a b: 'a b' cannot be the name of a variable"},
        {SCOPE "\"begin\": {\"a\": 1, \"a\": 2}}}}", 2, 19, "begin of scope common: a: duplicate variable"},
        {SCOPE "\"begin\": {\"a\": {}}}}}", 2, 16,
         "begin of scope common: a: the initial value of a variable must be a number, string, boolean, null or a list "
         "of these"},
        {SCOPE "\"begin\": {\"a\": 1e999}}}}", 2, 16,
         "begin of scope common: a: the initial value of a variable must be a number, string, boolean, null or a list "
         "of these"},
        {SCOPE "\"begin\": {\"a\": [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]}}}}", 2, 24,
         "begin of scope common: a: the initial value of a variable must be a number, string, boolean, null or a list "
         "of these"},
        {RULE "1}}}}", 3, 1, "rule a of scope common: a rule must be an object, or a string for 'occurs'"},
        {RULE "\"at_least(x)\"}}}}", 3, 1,
         "rule a of scope common: 'occurs' must be \"exactly_one\", \"at_least_one\", \"at_least(n)\", "
         "\"at_least_one_or(other_key)\" or \"optional\""},
        {RULE "\"at_least_one_or()\"}}}}", 3, 1, "rule a of scope common: at_least_one_or(…) must name other keys"},
        {RULE "{\"check\": {\"lines\": \"value\"}}}}}}", 3, 11,
         "rule a of scope common: check: 'lines' must be a list of strings"},
        {RULE "{\"after\": 1}}}}}", 3, 11, "rule a of scope common: after: actions must be a list of at most 64"},
        {RULE "{\"after\": [{\"set\": \"x\"}]}}}}}", 3, 12,
         "rule a of scope common: after: an action must be {\"set\": …, \"to\": …}, {\"use\": …} or {\"if\": …, "
         "\"then\": "
         "[…]}"},
        {RULE "{\"after\": [{\"use\": \"a\", \"if\": \"true\"}]}}}}}", 3, 12,
         "rule a of scope common: after: an action must be {\"set\": …, \"to\": …}, {\"use\": …} or {\"if\": …, "
         "\"then\": "
         "[…]}"},
        {RULE "{\"after\": [{\"set\": \"a b\", \"to\": \"1\"}]}}}}}", 3, 20,
         "rule a of scope common: after: set: 'a b' cannot be the name of a variable"},
        {RULE "{\"after\": [{}]}}}}}", 3, 12,
         "rule a of scope common: after: an action must be {\"set\": …, \"to\": …}, {\"use\": …} or {\"if\": …, "
         "\"then\": "
         "[…]}"},
        {SCOPE "\"derive\": {}}}}", 2, 11,
         "derive of scope common: \"derive\" needs \"key\" and \"from\" (keys), \"group_by\" and \"field\" "
         "(\"metadata.…\")"},
        {SCOPE "\"derive\": 1}}}", 2, 11,
         "derive of scope common: \"derive\" needs \"key\" and \"from\" (keys), \"group_by\" and \"field\" "
         "(\"metadata.…\")"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mls_ruleset *ruleset;
        mls_error error = {0};
        assert_int_not_equal(mls_ruleset_load_text(mls_str_from(cases[i].text), &ruleset, &error), MLS_OK);
        assert_null(ruleset);
        assert_string_equal(error.message, cases[i].message);
        assert_int_equal(error.line, cases[i].line);
        assert_int_equal(error.column, cases[i].column);
    }
}

/* Check that `count` copies of a piece, with their number for each #, are rejected. */
static void refuse_many(const char *before, const char *piece, int count, const char *behind, const char *message)
{
    mls_buffer text = {0};
    mls_ruleset *ruleset;
    mls_error error = {0};
    mls_buffer_append_text(&text, before);
    for (int i = 0; i < count; i++) {
        for (const char *at = piece; *at != '\0'; at++)
            if (*at == '#')
                mls_buffer_printf(&text, "%d", i);
            else
                mls_buffer_append_char(&text, *at);
    }
    mls_buffer_append_text(&text, behind);
    assert_int_equal(mls_ruleset_load_text(mls_buffer_str(&text), &ruleset, &error), MLS_ERROR_LIMIT);
    assert_string_equal(error.message, message);
    mls_buffer_release(&text);
}

#define ENDS "}]}]}]}]}]}]}]}]}]}]"

static void test_what_would_not_end_is_refused(void **state)
{
    (void)state;
    refuse_many(HEAD "\"scopes\": {\"common\": {}", ", \"s#\": {}", 256, "}}", "scope s255: more than 256 scopes");
    refuse_many(SCOPE "\"keys\": {\"k\": \"optional\"", ", \"k#\": \"optional\"", 1024, "}}}}",
                "rule k1023 of scope common: more than 1024 rules in a scope, or 8192 in a file");
    refuse_many(SCOPE "\"begin\": {\"v\": 1", ", \"v#\": 1", 256, "}}}}",
                "begin of scope common: v255: more than 256 variables");
    refuse_many(RULE "{\"after\": ", "[{\"if\": \"true\", \"then\": ", 40, "[]" ENDS ENDS ENDS ENDS "}}}}}",
                "rule a of scope common: after: then: then: then: then: \"if\" nested more than 4 deep");
}

/* A NUL terminates neither a text nor the file. */
static void test_a_nul_byte_is_refused(void **state)
{
    (void)state;
    static const char in_text[] = HEAD "\"scopes\": {\"common\": {\"comment\": \"a\0b\"}}}";
    static const char behind[] = HEAD "\"scopes\": {\"common\": {}}}\0 {";
    mls_ruleset *ruleset;
    mls_error error;
    assert_int_equal(mls_ruleset_load_text((mls_str){in_text, sizeof in_text - 1}, &ruleset, &error), MLS_ERROR_SYNTAX);
    assert_string_equal(error.message, "invalid JSON: control character inside a string");
    assert_int_equal(mls_ruleset_load_text((mls_str){behind, sizeof behind - 1}, &ruleset, &error), MLS_ERROR_SYNTAX);
    assert_string_equal(error.message, "invalid JSON: something follows the value");
}

static void test_extends_replaces_adds_and_drops(void **state)
{
    (void)state;
    static const char text[] = HEAD "\"extends\": \"5.1\", \"scopes\": {\"closed_bert\": null,"
                                    " \"closed_llama2_70b_lora\": {\"comment\": \"a trial\", \"keys\": {"
                                    "   \"lora_rank\": {\"occurs\": \"exactly_one\", \"check\": \"value == 32\"},"
                                    "   \"lora_alpha\": null, \"moon_phase\": \"optional\"}},"
                                    " \"closed_moon\": {\"keys\": {}}}}";
    mls_ruleset *ruleset;
    mls_error error;
    assert_int_equal(mls_ruleset_load_text(mls_str_from(text), &ruleset, &error), MLS_OK);
    assert_int_equal(mls_ruleset_find_scope(ruleset, MLS_S("closed_bert")), SIZE_MAX);
    assert_int_not_equal(mls_ruleset_find_scope(ruleset, MLS_S("closed_moon")), SIZE_MAX);
    const size_t lora = mls_ruleset_find_scope(ruleset, MLS_S("closed_llama2_70b_lora"));
    const size_t rank = mls_ruleset_find_key(ruleset, MLS_S("lora_rank"));
    assert_string_equal(mls_scope_find_rule(ruleset, lora, rank)->check.items[0].text.ptr, "value == 32");
    assert_int_equal(mls_ruleset_find_key(ruleset, MLS_S("lora_alpha")), SIZE_MAX);
    assert_non_null(mls_scope_find_rule(ruleset, lora, mls_ruleset_find_key(ruleset, MLS_S("moon_phase"))));
    assert_non_null(mls_scope_find_rule(ruleset, lora, mls_ruleset_find_key(ruleset, MLS_S("eval_accuracy"))));
    mls_ruleset_free(ruleset);
}

static void test_a_chain_of_files_may_not_loop(void **state)
{
    (void)state;
    char name[] = "/tmp/mlscore-ruleset-XXXXXX";
    const int fd = mkstemp(name);
    assert_true(fd >= 0);
    char path[64];
    (void)snprintf(path, sizeof path, "%s.json", name);
    assert_int_equal(rename(name, path), 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    (void)fprintf(file, HEAD "\"extends\": \"%s\",\n\"scopes\": {}}", path);
    assert_int_equal(fclose(file), 0);
    mls_ruleset *ruleset;
    mls_error error;
    assert_int_equal(mls_ruleset_load_file(path, &ruleset, &error), MLS_ERROR_VALUE);
    assert_non_null(strstr(error.message, "extends itself"));
    assert_int_equal(error.line, 1);
    assert_int_equal(remove(path), 0);
    assert_int_equal(mls_ruleset_load_file(path, &ruleset, &error), MLS_ERROR_READ);
}

/* "<=": at most 0.925 and above 0; ">=" for hpc's eval_error; both inherited from the base edition, without a number.
 */
static void test_a_number_meets_a_target(void **state)
{
    static const struct {
        mls_usage usage;
        const char *edition, *benchmark;
        double number;
        bool known, meets;
        double batch_size;
    } rows[] = {
        {MLS_USAGE_TRAINING, "5.1.0", "llama2_70b_lora", 0.925, true, true, 0},
        {MLS_USAGE_TRAINING, "5.1.0", "llama2_70b_lora", 0.9251, true, false, 0},
        {MLS_USAGE_TRAINING, "5.1.0", "llama2_70b_lora", 0, true, false, 0},
        {MLS_USAGE_TRAINING, "3.1.0", "resnet", 0.759, true, true, 0},
        {MLS_USAGE_TRAINING, "3.1.0", "resnet", 0.7589, true, false, 0},
        {MLS_USAGE_HPC, "3.0.0", "cosmoflow", 0.124, true, true, 0},
        {MLS_USAGE_HPC, "3.0.0", "cosmoflow", 0.125, true, false, 0},
        {MLS_USAGE_TRAINING, "3.1.0", "stable_diffusion", 90, false, false, 0}, /* compares FID and CLIP */
        {MLS_USAGE_TRAINING, "0.7.0", "bert", 0.71, true, false, 8191},
        {MLS_USAGE_TRAINING, "0.7.0", "bert", 0.71, true, true, 8192},
        {MLS_USAGE_TRAINING, "0.7.0", "bert", 0.71, false, false, NAN},
        {MLS_USAGE_TRAINING, "3.1.0", "no_such_benchmark", 1, false, false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const mls_edition *edition;
        mls_ruleset *ruleset;
        bool meets;
        assert_int_equal(mls_editions_find(*state, rows[i].usage, mls_str_from(rows[i].edition), &edition, NULL),
                         MLS_OK);
        assert_int_equal(mls_ruleset_load(edition, &ruleset, NULL), MLS_OK);
        assert_int_equal(
            mls_ruleset_meets_target(ruleset, rows[i].benchmark, rows[i].batch_size, rows[i].number, &meets),
            rows[i].known);
        assert_int_equal(meets, rows[i].meets);
        mls_ruleset_free(ruleset);
    }
}

/* The first bound, of a member or not, is the target.  One that depends on the batch size is known only with it. */
static void test_a_target_is_a_number(void **state)
{
    static const struct {
        mls_usage usage;
        const char *edition, *benchmark, *member;
        double batch_size;
        mls_target target;
    } rows[] = {
        {MLS_USAGE_TRAINING, "5.1.0", "llama2_70b_lora", NULL, NAN, {0.925, -1}},
        {MLS_USAGE_TRAINING, "3.1.0", "resnet", NULL, NAN, {0.759, 1}},
        {MLS_USAGE_HPC, "3.0.0", "cosmoflow", NULL, NAN, {0.124, -1}},
        {MLS_USAGE_TRAINING, "0.7.0", "maskrcnn", NULL, NAN, {0, 0}},
        {MLS_USAGE_TRAINING, "0.7.0", "maskrcnn", "BBOX", NAN, {0.377, 1}},
        {MLS_USAGE_TRAINING, "0.7.0", "maskrcnn", "SEGM", NAN, {0.339, 1}},
        {MLS_USAGE_TRAINING, "0.7.0", "bert", NULL, 8191, {0.712, 1}},
        {MLS_USAGE_TRAINING, "0.7.0", "bert", NULL, 8192, {0.706, 1}},
        {MLS_USAGE_TRAINING, "0.7.0", "bert", NULL, NAN, {0, 0}},
        {MLS_USAGE_TRAINING, "3.1.0", "no_such_benchmark", NULL, NAN, {0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const mls_edition *edition;
        mls_ruleset *ruleset;
        assert_int_equal(mls_editions_find(*state, rows[i].usage, mls_str_from(rows[i].edition), &edition, NULL),
                         MLS_OK);
        assert_int_equal(mls_ruleset_load(edition, &ruleset, NULL), MLS_OK);
        const mls_target target = mls_ruleset_target(ruleset, rows[i].benchmark, rows[i].batch_size, rows[i].member);
        assert_true(target.number == rows[i].target.number);
        assert_int_equal(target.direction, rows[i].target.direction);
        mls_ruleset_free(ruleset);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_edition_loads),
        cmocka_unit_test(test_every_edition_agrees_with_the_facts),
        cmocka_unit_test(test_errors_name_the_place),
        cmocka_unit_test(test_what_would_not_end_is_refused),
        cmocka_unit_test(test_a_nul_byte_is_refused),
        cmocka_unit_test(test_extends_replaces_adds_and_drops),
        cmocka_unit_test(test_a_chain_of_files_may_not_loop),
        cmocka_unit_test(test_a_number_meets_a_target),
        cmocka_unit_test(test_a_target_is_a_number),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
