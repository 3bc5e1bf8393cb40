/* SPDX-License-Identifier: Apache-2.0 */
/* member.c - store values in members of structs. */
#include "json/member.h"

#include <math.h>
#include <stdio.h>

#include "base/number.h"

/* Up to this number, every integer is exact as a double. */
static const double exact_max = 9007199254740992;

mls_scalar mls_scalar_of_text(mls_member_kind kind, mls_str text)
{
    mls_scalar scalar = {.kind = text.len > 0 ? MLS_SCALAR_TEXT : MLS_SCALAR_NONE, .text = text};
    if (text.len == 0)
        return scalar;
    if (kind == MLS_MEMBER_COUNT || kind == MLS_MEMBER_NUMBER) {
        scalar.kind = mls_number_parse(text, &scalar.number) ? MLS_SCALAR_NUMBER : MLS_SCALAR_TEXT;
    } else if (kind == MLS_MEMBER_BOOL || kind == MLS_MEMBER_SAID) {
        scalar.number = mls_str_equal(text, MLS_S("true"));
        scalar.kind = scalar.number > 0 || mls_str_equal(text, MLS_S("false")) ? MLS_SCALAR_BOOL : MLS_SCALAR_TEXT;
    }
    return scalar;
}

static bool is_count(double number)
{
    return number >= 0 && number <= exact_max && floor(number) >= number;
}

static unsigned place_of_word(mls_str word, const char *words)
{
    mls_str left = mls_str_from(words);
    unsigned place = 0;
    mls_str one;
    do {
        one = mls_str_word(&left);
        place++;
    } while (one.len > 0 && !mls_str_equal(one, word));
    return one.len > 0 ? place : 0;
}

void mls_members_clear(const mls_row_member *members, size_t count, void *row, size_t size)
{
    memset(row, 0, size);
    for (size_t i = 0; i < count; i++)
        if (members[i].kind == MLS_MEMBER_NUMBER)
            *(double *)(void *)((char *)row + members[i].offset) = NAN;
}

const char *mls_member_set(const mls_row_member *member, const mls_scalar *scalar, mls_arena *arena, void *row)
{
    void *at = (char *)row + member->offset;
    const bool none = scalar->kind == MLS_SCALAR_NONE;
    const bool is_bool = scalar->kind == MLS_SCALAR_BOOL;
    const bool is_text = scalar->kind == MLS_SCALAR_TEXT;
    const double number = scalar->kind == MLS_SCALAR_NUMBER && isfinite(scalar->number) ? scalar->number : (double)NAN;
    switch (member->kind) {
    case MLS_MEMBER_COUNT:
        *(uint64_t *)at = is_count(number) ? (uint64_t)number : 0;
        return none || is_count(number) ? NULL : "a whole number from 0 to 2^53";
    case MLS_MEMBER_NUMBER:
        *(double *)at = number;
        return none || !isnan(number) ? NULL : "a number";
    case MLS_MEMBER_BOOL:
        *(bool *)at = is_bool && scalar->number > 0;
        return none || is_bool ? NULL : "true or false";
    case MLS_MEMBER_SAID:
        *(unsigned *)at = !is_bool ? 0 : scalar->number > 0 ? 2 : 1;
        return none || is_bool ? NULL : "true or false";
    case MLS_MEMBER_TEXT:
        *(const char **)at = is_text ? mls_arena_copy(arena, scalar->text).ptr : NULL;
        return none || is_text ? NULL : "a text";
    case MLS_MEMBER_SPAN:
        *(mls_str *)at = is_text ? scalar->text : (mls_str){"", 0};
        return none || is_text ? NULL : "a text";
    case MLS_MEMBER_WORD:
        *(unsigned *)at = is_text ? place_of_word(scalar->text, member->words) : 0;
        return none || *(unsigned *)at != 0 ? NULL : member->words;
    }
    return NULL;
}

mls_member_refusal mls_member_refuse(const mls_row_member *member, const char *wanted)
{
    mls_member_refusal refusal;
    (void)snprintf(refusal.text, sizeof refusal.text, "%s must be %s%s", member->name,
                   member->kind == MLS_MEMBER_WORD ? "one of: " : "", wanted);
    return refusal;
}
