/* SPDX-License-Identifier: Apache-2.0 */
/* hyperparameter.c - how a run was set up, as JSON texts of bounded length. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "mlscore/value.h"
#include "score/score.h"

#define CUT_STRING_END "…\""

mls_arena *mls_run_arena(mls_run *run)
{
    run->arena = run->arena != NULL ? run->arena : calloc(1, sizeof *run->arena);
    return run->arena;
}

const char *mls_run_hyperparameter(const mls_run *run, mls_str key)
{
    for (size_t i = 0; i < run->hyperparameter_count; i++) {
        if (mls_str_equal(run->hyperparameters[i].key, key)) {
            return run->hyperparameters[i].value;
        }
    }
    return NULL;
}

/* How many bytes of a string's span are kept, so that neither a character nor an escape is cut in two. */
static size_t string_kept(mls_str span)
{
    size_t kept = 1;
    for (size_t at = 1; at <= MLS_HYPERPARAMETER_LENGTH;) {
        kept = at;
        if (span.ptr[at] == '\\') {
            at += span.ptr[at + 1] == 'u' ? sizeof "\\u0000" - 1 : 2;
        } else {
            (void)mls_utf8_next(span, &at);
        }
    }
    return kept;
}

bool mls_run_hyperparameter_add(mls_run *run, mls_str key, mls_str value, size_t line)
{
    mls_arena *arena = mls_run_arena(run);
    const bool string = mls_json_kind_of(value) == MLS_JSON_STRING;
    const bool cut = value.len > MLS_HYPERPARAMETER_LENGTH;
    double number = (double)NAN;
    mls_words words;      /* of value, if it is another */
    if (cut && !string) { /* a number of very many digits */
        (void)mls_json_number(value, &number);
        words = mls_words_exact(number);
        value = mls_str_from(words.text);
    }
    const size_t kept = cut && string ? string_kept(value) : value.len;
    const mls_str copy = arena != NULL ? mls_arena_copy(arena, key) : (mls_str){0};
    char *text = arena != NULL ? mls_arena_alloc(arena, kept + sizeof CUT_STRING_END) : NULL;
    if (copy.ptr == NULL || text == NULL ||
        !mls_grow((void **)&run->hyperparameters, run->hyperparameter_count, &run->hyperparameter_capacity,
                  sizeof *run->hyperparameters)) {
        return false;
    }
    memcpy(text, value.ptr, kept);
    memcpy(text + kept, cut && string ? CUT_STRING_END : "", cut && string ? sizeof CUT_STRING_END : 1);
    run->hyperparameters[run->hyperparameter_count++] = (mls_hyperparameter){copy, text, line};
    return true;
}
