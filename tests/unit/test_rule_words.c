/* SPDX-License-Identifier: Apache-2.0 */
/* Rules in words: no line of `mlscore rules` contains an expression. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/ruleset.h"

/* Parts of an expression, besides the name of a function and its bracket. */
static const char *const signs[] = {"must satisfy", "$",   "==",  "!=",     "&&",     "||",    "?", "<", ">", "+", "*",
                                    " / ",          " - ", " ^ ", "value.", "value[", "(value"};

static size_t fallen_back;

static void look_at(const char *edition, const mls_scope *scope, const mls_expr *expr, mls_buffer *words)
{
    const size_t count = sizeof signs / sizeof *signs;
    for (size_t i = 0; i < count + MLS_EXPR_OP_COUNT - MLS_EXPR_ABS; i++) {
        char call[32] = "";
        if (i >= count)
            (void)snprintf(call, sizeof call, "%s(", mls_expr_table[MLS_EXPR_ABS + i - count].name);
        if (words->ptr == NULL || strstr(words->ptr, i < count ? signs[i] : call) != NULL) {
            (void)fprintf(stderr, "%s %s: %s\n    %s\n", edition, scope->name.ptr, expr->text.ptr,
                          words->ptr != NULL ? words->ptr : "");
            fallen_back++;
            break;
        }
    }
    mls_buffer_clear(words);
}

static void look_at_list(const char *edition, const mls_scope *scope, const mls_expr_list *list)
{
    mls_buffer words = {0};
    for (size_t i = 0; i < list->count; i++) {
        mls_rule_words_expr(&words, scope, &list->items[i], NULL, false);
        look_at(edition, scope, &list->items[i], &words);
    }
    mls_buffer_release(&words);
}

static void every_rule_of_every_edition_has_words(void **state)
{
    mls_editions *editions;
    (void)state;
    assert_int_equal(mls_editions_load(&editions, NULL), MLS_OK);
    for (int usage = 0; usage < MLS_USAGE_COUNT; usage++) {
        const mls_edition *edition;
        for (size_t i = 0; (edition = mls_editions_get(editions, (mls_usage)usage, i)) != NULL; i++) {
            mls_ruleset *ruleset;
            assert_int_equal(mls_ruleset_load(edition, &ruleset, NULL), MLS_OK);
            for (size_t s = 0; s < ruleset->scope_count; s++) {
                const mls_scope *scope = &ruleset->scopes[s];
                for (size_t r = 0; r < scope->rule_count; r++) {
                    look_at_list(edition->name, scope, &scope->rules[r].check);
                    look_at_list(edition->name, scope, &scope->rules[r].check_first);
                    for (size_t k = 0; k < scope->rules[r].check_any.count; k++) {
                        mls_buffer words = {0};
                        mls_rule_words_expr(&words, scope, &scope->rules[r].check_any.items[k], NULL, true);
                        look_at(edition->name, scope, &scope->rules[r].check_any.items[k], &words);
                        mls_buffer_release(&words);
                    }
                }
                look_at_list(edition->name, scope, &scope->end);
            }
            mls_ruleset_free(ruleset);
        }
    }
    mls_editions_free(editions);
    assert_int_equal(fallen_back, 0);
}

static void every_operator_and_function_has_words(void **state)
{
    (void)state;
    for (int op = 0; op < MLS_EXPR_OP_COUNT; op++)
        assert_true(mls_expr_table[op].words != NULL || op == MLS_EXPR_CONSTANT || op == MLS_EXPR_VARIABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_rule_of_every_edition_has_words),
                                       cmocka_unit_test(every_operator_and_function_has_words)};
    return cmocka_run_group_tests_name("rule_words", tests, NULL, NULL);
}
