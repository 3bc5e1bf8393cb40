/* SPDX-License-Identifier: Apache-2.0 */
/* rule_words.c - describe expressions in English.  If the form of an expression matches a phrase in
 * src/data/phrases.table, this phrase is used; otherwise the descriptions of its operators in MLS_EXPR_LIST are
 * combined. */
#include "rules/ruleset.h"

#include "base/data.h"
#include "base/number.h"
#include "base/utf8.h"

enum {
    CAPITALS_MAX = 3,
    /* Maximum number of phrases to try, because a hostile expression may match phrases in very many ways. */
    STEPS_MAX = 1 << 14,
    WORDS_TEXT_MAX = 600
};

const mls_phrase *mls_rule_phrases(mls_arena *arena)
{
    MLS_LIST_OF(mls_phrase) all = {0};
    for (const char *row = mls_data_find("phrases.table").ptr; row != NULL && *row != '\0';
         row += strcspn(row, "\n") + 1) {
        const char *form = row + 2;
        if (*row != '#')
            MLS_ARENA_ADD(arena, &all, (mls_phrase){*row, form, form + strcspn(form, "\t") + 1});
    }
    MLS_ARENA_ADD(arena, &all, (mls_phrase){0});
    return all.items;
}

typedef struct words_writer {
    mls_buffer *out;
    const mls_scope *scope;
    mls_expr_input *input; /* the values of variables, which are added in brackets; NULL: do not show them */
    unsigned steps;
    mls_expr_input none; /* an input without a record, to evaluate constant expressions */
} words_writer;

/* A phrase that matches an expression, and the nodes that match the capital letters of its form. */
typedef struct fit {
    const char *words; /* the words of the phrase, which end at a line feed */
    const mls_expr_node *nodes[CAPITALS_MAX];
    char capitals[CAPITALS_MAX];
    size_t count;
    /* The comparison operator that matches '~', as an index from the first comparison in mls_expr_op. */
    unsigned comparison;
} fit;

static bool find_phrase(words_writer *w, char kind, const mls_expr_node *node, fit *found);

/* Check whether a node matches the next item of a phrase's form, and advance *form past the item. */
static bool form_fits(words_writer *w, const char **form, const mls_expr_node *node, fit *found)
{
    const bool constant = node->op == MLS_EXPR_CONSTANT;
    const bool variable = node->op == MLS_EXPR_VARIABLE;
    const char *name = constant ? node->text.ptr : mls_expr_table[node->op].name;
    const bool capital = **form >= 'A' && **form <= 'Z';
    if (!capital && **form != '~' && **form != name[0])
        return false; /* most phrases do not match, which is found here */
    const mls_str word = {*form, strcspn(*form, " \t")};
    *form += word.len + ((*form)[word.len] == ' ');
    if (capital) {
        found->capitals[found->count] = word.ptr[0];
        found->nodes[found->count++] = node;
        switch (word.ptr[0]) {
        case 'D':
        case 'T':
        case 'X':
            return true;
        case 'Y':
            return variable;
        case 'K':
            return variable && w->scope->setters[node->slot].key.ptr != NULL;
        case 'F':
            return node->op == MLS_EXPR_MEMBER;
        case 'N':
            return constant && node->constant.kind == MLS_JSON_STRING;
        case 'L':
        case 'Q':
            return constant && node->constant.kind == MLS_JSON_LIST;
        default:
            return find_phrase(w, word.ptr[0], node, &(fit){0});
        }
    }
    bool fits = mls_str_equal(word, constant ? node->text : mls_str_from(name));
    if (word.ptr[0] == '~') {
        fits = node->op >= MLS_EXPR_EQUAL && node->op <= MLS_EXPR_GREATER_EQUAL;
        found->comparison = node->op - MLS_EXPR_EQUAL;
    }
    for (uint32_t i = 0; fits && i < node->count; i++)
        fits = form_fits(w, form, node->operands[i], found);
    return fits;
}

static bool find_phrase(words_writer *w, char kind, const mls_expr_node *node, fit *found)
{
    bool fits = false;
    for (const mls_phrase *phrase = w->scope->phrases; phrase->kind != '\0' && !fits; phrase++) {
        if (phrase->kind == kind && w->steps < STEPS_MAX) {
            const char *form = phrase->form;
            w->steps++;
            found->words = phrase->words;
            found->count = 0;
            fits = form_fits(w, &form, node, found);
        }
    }
    return fits;
}

/* Get the value of an operand that does not depend on the log: a constant, a variable that no rule sets, or arithmetic
 * on such operands. */
static bool fixed_value(words_writer *w, const mls_expr_node *node, mls_value *value)
{
    mls_value values[2];
    if (node->op == MLS_EXPR_VARIABLE && w->scope->setters[node->slot].key.ptr == NULL) {
        *value = w->scope->initial[node->slot].value;
        return w->scope->initial[node->slot].set;
    }
    if (node->op < MLS_EXPR_NEGATE || node->op > MLS_EXPR_POWER) {
        *value = node->constant;
        return node->op == MLS_EXPR_CONSTANT;
    }
    for (uint32_t i = 0; i < node->count; i++)
        if (!fixed_value(w, node->operands[i], &values[i]) || values[i].kind != MLS_JSON_NUMBER)
            return false;
    return mls_expr_table[node->op].call(&(mls_call){(mls_expr_op)node->op, node, values, &w->none, value});
}

static bool known_value(words_writer *w, const mls_expr_node *node, mls_value *value)
{
    return fixed_value(w, node, value) || (w->input != NULL && mls_expr_evaluate(node, w->input, value));
}

static void write_value(words_writer *w, const mls_value *value)
{
    const size_t count = value->kind == MLS_JSON_LIST ? value->as.list.count : 0;
    for (size_t i = 0; i < count; i++) {
        mls_buffer_append_text(w->out, i == 0 ? "" : i + 1 == count ? " or " : ", ");
        mls_value_show(w->out, &value->as.list.items[i]);
    }
    if (count == 0)
        mls_value_show(w->out, value);
}

/* Append the value of an operand in brackets, such as " (16)", if it is known and the operand is not a constant. */
static void write_known(words_writer *w, const mls_expr_node *node)
{
    mls_value value;
    if (!fixed_value(w, node, &value) && known_value(w, node, &value)) {
        mls_buffer_append_text(w->out, " (");
        mls_value_show(w->out, &value);
        mls_buffer_append_char(w->out, ')');
    }
}

static void write_fit(words_writer *w, char kind, const fit *found, const mls_expr_node *node);

/* Append a description of any expression.  Enclose it in brackets if its operator binds less tightly than `power`. */
static void write_words(words_writer *w, const mls_expr_node *node, unsigned power)
{
    const mls_expr_info *info = &mls_expr_table[node->op];
    const unsigned own = info->power > 0            ? info->power
                         : node->op >= MLS_EXPR_NOT ? (unsigned)MLS_POWER_SUM
                                                    : (unsigned)MLS_POWER_UNARY;
    mls_value value;
    fit found = {0};
    if (node->op == MLS_EXPR_CONSTANT && node->constant.kind != MLS_JSON_LIST) {
        mls_buffer_append(w->out, node->text);
        return;
    }
    if (fixed_value(w, node, &value)) {
        write_value(w, &value);
        return;
    }
    if (node->op == MLS_EXPR_VARIABLE) {
        const mls_setter *setter = &w->scope->setters[node->slot];
        mls_buffer_append(w->out, setter->copies ? setter->key : w->scope->symbols.entries[node->slot].key);
        write_known(w, node);
        return;
    }
    if (!find_phrase(w, 'W', node, &found)) {
        found = (fit){.words = info->words, .capitals = "TTT"};
        memcpy(found.nodes, node->operands, (node->count < CAPITALS_MAX ? node->count : CAPITALS_MAX) * sizeof node);
    }
    mls_buffer_append_text(w->out, own < power ? "(" : "");
    write_fit(w, 'W', &found, node);
    mls_buffer_append_text(w->out, own < power ? ")" : "");
}

static void write_phrase(words_writer *w, char kind, const mls_expr_node *node);

/* Append a description of a node that matched a capital letter of a phrase.  src/data/phrases.table explains the
 * letters. */
static void write_capital(words_writer *w, char capital, const mls_expr_node *node, unsigned power)
{
    mls_expr_input *input = w->input;
    double milliseconds = 1;
    mls_value value;
    double number;
    switch (capital) {
    case 'X':
    case 'Y': /* append the value once after the whole expression, not after each variable in it */
        w->input = NULL;
        write_words(w, node, MLS_POWER_SUM);
        w->input = input;
        write_known(w, node);
        break;
    case 'F':
        if (node->operands[0]->op == MLS_EXPR_VALUE) {
            mls_buffer_append(w->out, node->operands[1]->constant.as.string);
            break;
        }
        /* fall through */
    case 'T':
        write_words(w, node, power);
        break;
    case 'N':
        mls_buffer_append(w->out, node->constant.as.string);
        break;
    case 'K':
        mls_buffer_append(w->out, w->scope->setters[node->slot].key);
        break;
    case 'L':
        mls_buffer_printf(w->out, "%zu: ", node->constant.as.list.count);
        mls_value_show(w->out, &node->constant);
        break;
    case 'D':
        if (known_value(w, node, &value) && mls_value_number(&value, &milliseconds)) {
            mls_buffer_append_text(w->out, mls_words_exact(milliseconds / 60000).text);
        } else {
            for (; node->op == MLS_EXPR_MULTIPLY && fixed_value(w, node->operands[1], &value) &&
                   mls_value_number(&value, &number);
                 node = node->operands[0])
                milliseconds *= number;
            write_words(w, node, MLS_POWER_PRODUCT);
            if (milliseconds != 60000)
                mls_buffer_printf(w->out, " times %s", mls_words_exact(milliseconds / 60000).text);
        }
        mls_buffer_append_text(w->out, " minutes");
        break;
    case 'Q':
        write_value(w, &node->constant);
        break;
    default:
        write_phrase(w, capital, node);
    }
}

static void write_fit(words_writer *w, char kind, const fit *found, const mls_expr_node *node)
{
    static const char *const comparisons[] = {"", "other than ", "below ", "at most ", "above ", "at least "};
    static const unsigned swapped[] = {0, 1, 4, 5, 2, 3};
    const mls_str must_be = MLS_S("must be ");
    const unsigned own = mls_expr_table[node->op].power;
    const size_t begin = w->out->len;
    for (const char *c = found->words; *c != '\0' && *c != '\n';) {
        const size_t mark = w->out->len;
        const size_t plain = strcspn(c, "123~^*\n");
        if (plain > 0) {
            mls_buffer_append(w->out, (mls_str){c, plain});
            c += plain;
        } else if (*c >= '1' && *c <= '3') {
            const size_t at = (size_t)(*c++ - '1');
            const mls_expr_node *inner = found->nodes[at];
            const unsigned tighter = own < MLS_POWER_COMPARISON ? (unsigned)MLS_POWER_COMPARISON : own + 1;
            write_capital(w, found->capitals[at], inner,
                          kind != 'W'                        ? 0
                          : own == 0                         ? (unsigned)MLS_POWER_UNARY
                          : at == 0 && inner->op == node->op ? own
                                                             : tighter);
            /* Remove the second "must be " of "must be above 0 and must be below 1". */
            if (found->capitals[at] == 'R' && mark > begin &&
                mls_str_starts(mls_str_rest(mls_buffer_str(w->out), begin), must_be) &&
                mls_str_starts(mls_str_rest(mls_buffer_str(w->out), mark), must_be)) {
                w->out->len -= must_be.len;
                memmove(w->out->ptr + mark, w->out->ptr + mark + must_be.len, w->out->len - mark + 1);
            }
        } else if (*c++ == '*') {
            for (uint32_t i = 0; i < node->count; i++) {
                mls_buffer_append_text(w->out, i == 0 ? "" : i + 1 == node->count ? " and " : ", ");
                write_words(w, node->operands[i], MLS_POWER_UNARY);
            }
        } else {
            mls_buffer_append_text(w->out, comparisons[c[-1] == '^' ? swapped[found->comparison] : found->comparison]);
        }
    }
}

static void write_phrase(words_writer *w, char kind, const mls_expr_node *node)
{
    fit found = {0};
    if (find_phrase(w, kind, node, &found)) {
        write_fit(w, kind, &found, node);
    } else {
        mls_buffer_append_text(w->out, kind == 'R' ? "must hold: " : kind == 'G' ? "that " : "");
        write_words(w, node, 0);
    }
}

void mls_rule_words_expr(mls_buffer *buffer, const mls_scope *scope, const mls_expr *expr, mls_expr_input *input,
                         bool target)
{
    words_writer w = {.out = buffer, .scope = scope, .input = input};
    const size_t mark = buffer->len;
    write_phrase(&w, target ? 'G' : 'R', expr->root);
    const mls_str words = {buffer->ptr + mark, buffer->len - mark};
    if (words.len > WORDS_TEXT_MAX) {
        mls_buffer_cut(buffer, mark + mls_utf8_cut(words, WORDS_TEXT_MAX).len);
        mls_buffer_append_text(buffer, " …");
    }
}

void mls_rule_words_rule(mls_buffer *buffer, const mls_scope *scope, const mls_rule *rule)
{
    const mls_expr_list *const lists[] = {&rule->check, &rule->check_first, &rule->check_any};
    static const char *const before[] = {"", "the first ", "one must reach "};
    const size_t mark = buffer->len;
    for (size_t l = 0; l < 3; l++) {
        for (size_t i = 0; i < lists[l]->count; i++) {
            mls_buffer_append_text(buffer, buffer->len > mark ? "; " : "");
            mls_buffer_append_text(buffer, before[l]);
            mls_rule_words_expr(buffer, scope, &lists[l]->items[i], NULL, l == 2);
        }
    }
    for (size_t i = 0; i < rule->advice.count; i++) {
        mls_buffer_append_text(buffer, i > 0 ? " and " : buffer->len > mark ? "; " : "");
        if (i == 0)
            mls_buffer_printf(buffer, "not tested by the MLCommons checkers (%s): ", rule->advice_source.ptr);
        mls_rule_words_expr(buffer, scope, &rule->advice.items[i], NULL, false);
    }
}

void mls_rule_words_occurs(mls_buffer *buffer, const mls_rule *rule)
{
    if (rule->max > 1 && rule->min != 1) {
        mls_buffer_printf(buffer, "at least %zu times", rule->min);
    } else {
        mls_buffer_append_text(buffer, rule->max == 0   ? "any number of times"
                                       : rule->max == 1 ? "exactly once"
                                                        : "at least once");
    }
    for (size_t i = 0; i < rule->other_count; i++) {
        mls_buffer_append_text(buffer, i > 0 ? " or " : ", or ");
        mls_buffer_append(buffer, rule->others[i]);
    }
}

mls_finding_code mls_rule_words_code(const mls_expr *expr)
{
    const bool value = mls_expr_uses(expr, MLS_EXPR_VALUE) || mls_expr_uses(expr, MLS_EXPR_RECORD);
    return value                                    ? MLS_FINDING_VALUE
           : mls_expr_uses(expr, MLS_EXPR_METADATA) ? MLS_FINDING_METADATA
           : mls_expr_uses(expr, MLS_EXPR_VARIABLE) ? MLS_FINDING_ORDER
                                                    : MLS_FINDING_VALUE;
}
