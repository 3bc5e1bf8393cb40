/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_expr.c - compile any bytes as an expression.  It is refused with a column inside or just after the text, or it
 * is compiled; then describing it works, and evaluating it twice gives the same result. */
#include <stdlib.h>

#include "rules/ruleset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char payload[] = "{\"time_ms\": 5, \"key\": \"k\", \"value\": {\"BBOX\": 0.4, \"list\": [1, 2.0, \"x\"], "
                              "\"s\": \"\\u00e9\", \"n\": null}, \"metadata\": {\"epoch_num\": 3, \"inf\": Infinity}}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static mls_variable variables[MLS_VARIABLES_PER_SCOPE_MAX];
    static mls_setter setters[MLS_VARIABLES_PER_SCOPE_MAX];
    mls_arena rules = {0};
    mls_arena scratch = {0};
    mls_scope scope = {
        .phrases = mls_rule_phrases(&rules), .symbols = {.arena = &rules}, .initial = variables, .setters = setters};
    mls_record record = {0};
    mls_expr expr;
    mls_error error = {0};
    mls_buffer words = {0};
    size_t where = 0;

    if (mls_record_validate(mls_str_from(payload), &record, &scratch, &where) != NULL)
        abort();
    variables[0] = (mls_variable){.set = true, .value = {.kind = MLS_JSON_NUMBER, .as.number = 2.5}};
    if (scope.phrases == NULL ||
        mls_expr_compile((mls_str){(const char *)data, size}, &scope.symbols, &rules, &expr, &error) != MLS_OK) {
        if (error.column > size + 1)
            abort();
    } else {
        mls_expr_input input = {.variables = variables, .arena = &scratch};
        mls_expr_input_begin(&input, &record);
        const mls_outcome first = mls_expr_test(&expr, &input);
        mls_rule_words_expr(&words, &scope, &expr, &input, false);
        mls_rule_words_expr(&words, &scope, &expr, &input, true);
        (void)mls_rule_words_code(&expr);
        mls_expr_input_begin(&input, &record);
        if (mls_expr_test(&expr, &input) != first)
            abort();
    }
    mls_buffer_release(&words);
    mls_arena_release(&rules);
    mls_arena_release(&scratch);
    return 0;
}
