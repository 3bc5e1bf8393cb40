/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_words.c - expressions in words, form by form; every expression of every
 * embedded edition has one of these forms, and a test holds them to it.
 */
#include "rules/rule_words.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "rules/expr_eval.h"

typedef struct mls_words {
    mls_buffer *out;
    const mls_scope *scope;
    const mls_expr *expr;
    mls_expr_input *input; /* NULL: values of variables are not shown */
} mls_words;

static bool words_write(const mls_words *words, const mls_expr_node *node);

static const mls_expr_node *node_at(const mls_words *words, uint32_t index)
{
    return &words->expr->nodes[index];
}

static const mls_expr_node *node_argument(const mls_words *words, const mls_expr_node *call, uint32_t index)
{
    return &words->expr->nodes[words->expr->children[call->first + index]];
}

static bool node_is_call(const mls_expr_node *node, mls_expr_function function)
{
    return node->op == MLS_EXPR_CALL && node->function == function;
}

static const mls_value *words_node_constant(const mls_words *words, const mls_expr_node *node)
{
    return node->op == MLS_EXPR_CONSTANT ? &words->expr->constants[node->first] : NULL;
}

static bool node_is_string(const mls_words *words, const mls_expr_node *node, mls_str *text)
{
    const mls_value *constant = words_node_constant(words, node);
    return constant != NULL && mls_value_string(constant, text);
}

/* A side of a comparison: its text, and what that comes to when it is not a constant. */
static void words_operand(const mls_words *words, const mls_expr_node *node)
{
    mls_buffer_append(words->out, mls_expr_node_text(words->expr, node));
    mls_value value;
    if (node->op != MLS_EXPR_CONSTANT && words->input != NULL &&
        mls_expr_evaluate_node(words->expr, node, words->input, &value)) {
        mls_buffer_append_text(words->out, " (");
        mls_value_show(words->out, &value);
        mls_buffer_append_text(words->out, ")");
    }
}

static bool is_comparison(uint8_t op)
{
    return op >= MLS_EXPR_EQUAL && op <= MLS_EXPR_GREATER_EQUAL;
}

/* Of a comparison, in the order of the operators. */
static const char *comparison_words(uint8_t op)
{
    static const char *const words[] = {"", "other than ", "below ", "at most ", "above ", "at least "};
    return words[op - MLS_EXPR_EQUAL];
}

/* The comparison with its sides swapped. */
static uint8_t comparison_mirror(uint8_t op)
{
    static const uint8_t mirrors[] = {MLS_EXPR_EQUAL,         MLS_EXPR_UNEQUAL, MLS_EXPR_GREATER,
                                      MLS_EXPR_GREATER_EQUAL, MLS_EXPR_LESS,    MLS_EXPR_LESS_EQUAL};
    return mirrors[op - MLS_EXPR_EQUAL];
}

mls_str mls_rule_words_setter(const mls_scope *scope, size_t slot)
{
    for (size_t r = 0; r < scope->rule_count; r++) {
        for (size_t a = 0; a < scope->rules[r].action_count; a++) {
            const mls_action *action = &scope->rules[r].actions[a];
            if ((action->kind == MLS_ACTION_SET || action->kind == MLS_ACTION_APPEND) && action->slot == slot) {
                return scope->rules[r].key;
            }
        }
    }
    return (mls_str){NULL, 0};
}

/* $run_started, !$run_started, $run_started == true: the key that sets it must, or must not, have come. */
static bool words_order(const mls_words *words, const mls_expr_node *node)
{
    bool wanted = true;
    while (node->op == MLS_EXPR_NOT || node->op == MLS_EXPR_EQUAL) {
        if (node->op == MLS_EXPR_EQUAL) {
            const mls_value *constant = words_node_constant(words, node_at(words, node->second));
            if (constant == NULL || constant->kind != MLS_JSON_BOOL) {
                return false;
            }
            wanted = wanted == constant->as.boolean;
        } else {
            wanted = !wanted;
        }
        node = node_at(words, node->first);
    }
    if (node->op != MLS_EXPR_VARIABLE) {
        return false;
    }
    const mls_str key = mls_rule_words_setter(words->scope, node->first);
    if (key.ptr == NULL) {
        return false;
    }
    mls_buffer_append_text(words->out, wanted ? "must come after " : "must come before ");
    mls_buffer_append(words->out, key);
    return true;
}

/* has(metadata, "a") || has(metadata, "b"): the names, joined by "or"; `object` is what they must be in. */
static bool words_names(const mls_words *words, const mls_expr_node *node, uint8_t object)
{
    if (node->op == MLS_EXPR_OR) {
        if (!words_names(words, node_at(words, node->first), object)) {
            return false;
        }
        mls_buffer_append_text(words->out, " or ");
        return words_names(words, node_at(words, node->second), object);
    }
    mls_str name;
    if (!node_is_call(node, MLS_FUNCTION_HAS) || node_argument(words, node, 0)->op != object ||
        !node_is_string(words, node_argument(words, node, 1), &name)) {
        return false;
    }
    mls_buffer_append(words->out, name);
    return true;
}

/* Takes back what was appended since `mark`. */
static void words_undo(const mls_words *words, size_t mark)
{
    if (words->out->len > mark) {
        words->out->len = mark;
        words->out->ptr[mark] = '\0';
    }
}

static bool words_has(const mls_words *words, const mls_expr_node *node)
{
    static const struct {
        uint8_t op;
        const char *words;
    } objects[] = {{MLS_EXPR_METADATA, " in its metadata"}, {MLS_EXPR_VALUE, " in its value"}, {MLS_EXPR_RECORD, ""}};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        const size_t mark = words->out->len;
        mls_buffer_append_text(words->out, "must have ");
        if (words_names(words, node, objects[i].op)) {
            mls_buffer_append_text(words->out, objects[i].words);
            return true;
        }
        words_undo(words, mark);
    }
    return false;
}

static bool words_one_of(const mls_words *words, const mls_expr_node *node)
{
    const mls_expr_node *left = node_at(words, node->first);
    const mls_value *list = words_node_constant(words, node_at(words, node->second));
    if (node->op != MLS_EXPR_IN || list == NULL || list->kind != MLS_JSON_LIST) {
        return false;
    }
    mls_buffer_append_text(words->out, "must ");
    if (left->op != MLS_EXPR_VALUE) {
        mls_buffer_append_text(words->out, "have ");
        mls_buffer_append(words->out, mls_expr_node_text(words->expr, left));
        mls_buffer_append_text(words->out, " ");
    } else {
        mls_buffer_append_text(words->out, "be ");
    }
    const size_t count = list->as.list.count;
    for (size_t i = 0; i < count; i++) {
        mls_buffer_append_text(words->out, i == 0 ? "" : i + 1 == count ? " or " : ", ");
        mls_value_show(words->out, &list->as.list.items[i]);
    }
    return true;
}

/*
 * What a comparison is about, as the beginning of a sentence that the
 * comparison ends: "must be ", "must have metadata.epoch_num ", "must have a
 * length of ", "must be, times 1152, ".  False when it is not about the record.
 */
static bool words_subject(const mls_words *words, const mls_expr_node *node)
{
    if (node->op == MLS_EXPR_VALUE) {
        mls_buffer_append_text(words->out, "must be ");
        return true;
    }
    if (node->op == MLS_EXPR_MEMBER) {
        const mls_str text = mls_expr_node_text(words->expr, node);
        const bool of_value = mls_str_starts(text, MLS_S("value."));
        mls_buffer_append_text(words->out, "must have ");
        mls_buffer_append(words->out, of_value ? (mls_str){text.ptr + 6, text.len - 6} : text);
        mls_buffer_append_char(words->out, ' ');
        return true;
    }
    if (node_is_call(node, MLS_FUNCTION_INT)) {
        return words_subject(words, node_argument(words, node, 0));
    }
    if (node_is_call(node, MLS_FUNCTION_LEN) && node_argument(words, node, 0)->op == MLS_EXPR_VALUE) {
        mls_buffer_append_text(words->out, "must have a length of ");
        return true;
    }
    if (node->op != MLS_EXPR_MULTIPLY) {
        return false;
    }
    const mls_expr_node *left = node_at(words, node->first);
    const mls_expr_node *right = node_at(words, node->second);
    if (left->op != MLS_EXPR_VALUE && right->op != MLS_EXPR_VALUE) {
        return false;
    }
    mls_buffer_append_text(words->out, "must be, times ");
    words_operand(words, left->op == MLS_EXPR_VALUE ? right : left);
    mls_buffer_append_text(words->out, ", ");
    return true;
}

/* Forms of their own: a remainder that is 0, a difference that is small, all values of a list in any order. */
static bool words_special(const mls_words *words, const mls_expr_node *node)
{
    const mls_expr_node *left = node_at(words, node->first);
    const mls_expr_node *right = node_at(words, node->second);
    const mls_value *zero = words_node_constant(words, right);
    if (node->op == MLS_EXPR_EQUAL && left->op == MLS_EXPR_REMAINDER && zero != NULL && zero->kind == MLS_JSON_NUMBER &&
        zero->as.number == 0 && words_subject(words, node_at(words, left->first))) {
        mls_buffer_append_text(words->out, "a multiple of ");
        words_operand(words, node_at(words, left->second));
        return true;
    }
    if ((node->op == MLS_EXPR_LESS || node->op == MLS_EXPR_LESS_EQUAL) && node_is_call(left, MLS_FUNCTION_ABS)) {
        const mls_expr_node *difference = node_argument(words, left, 0);
        if (difference->op == MLS_EXPR_SUBTRACT && words_subject(words, node_at(words, difference->first))) {
            mls_buffer_append_text(words->out, "within ");
            words_operand(words, right);
            mls_buffer_append_text(words->out, " of ");
            words_operand(words, node_at(words, difference->second));
            return true;
        }
    }
    if (node->op == MLS_EXPR_EQUAL && node_is_call(left, MLS_FUNCTION_SORTED) &&
        node_is_call(right, MLS_FUNCTION_SORTED) && node_argument(words, left, 0)->op == MLS_EXPR_VARIABLE) {
        const mls_value *list = words_node_constant(words, node_argument(words, right, 0));
        const mls_str key = mls_rule_words_setter(words->scope, node_argument(words, left, 0)->first);
        if (list != NULL && list->kind == MLS_JSON_LIST && key.ptr != NULL) {
            mls_buffer_append(words->out, key);
            mls_buffer_printf(words->out, " must have named, in any order, these %zu: ", list->as.list.count);
            mls_value_show(words->out, list);
            return true;
        }
    }
    return false;
}

static bool words_comparison(const mls_words *words, const mls_expr_node *node)
{
    const mls_expr_node *left = node_at(words, node->first);
    const mls_expr_node *right = node_at(words, node->second);
    mls_str text;
    uint8_t op = node->op;
    if (!is_comparison(op)) {
        return false;
    }
    if (words_special(words, node)) {
        return true;
    }
    if (!words_subject(words, left)) {
        if (!words_subject(words, right)) {
            return false;
        }
        op = comparison_mirror(op);
        const mls_expr_node *swap = left;
        left = right;
        right = swap;
    }
    if (op == MLS_EXPR_UNEQUAL && left->op == MLS_EXPR_VALUE && node_is_string(words, right, &text) && text.len == 0) {
        words_undo(words, words->out->len - strlen("be "));
        mls_buffer_append_text(words->out, "not be empty");
        return true;
    }
    mls_buffer_append_text(words->out, comparison_words(op));
    words_operand(words, right);
    return true;
}

/* $global_batch_size < 16: a condition that is not about the record. */
static bool words_condition(const mls_words *words, const mls_expr_node *node)
{
    mls_str name;
    if (node_is_call(node, MLS_FUNCTION_HAS) && node_is_string(words, node_argument(words, node, 1), &name)) {
        mls_buffer_append_text(words->out, "it has ");
        mls_buffer_append(words->out, name);
        return true;
    }
    if (!is_comparison(node->op) || node_at(words, node->first)->op != MLS_EXPR_VARIABLE) {
        return false;
    }
    words_operand(words, node_at(words, node->first));
    mls_buffer_printf(words->out, " is %s", comparison_words(node->op));
    words_operand(words, node_at(words, node->second));
    return true;
}

/* time_ms - $first_init_start < 20 * 60 * 1000: how soon after the key that sets the variable. */
static bool words_duration(const mls_words *words, const mls_expr_node *node)
{
    const mls_expr_node *left = node_at(words, node->first);
    mls_value limit;
    if ((node->op != MLS_EXPR_LESS && node->op != MLS_EXPR_LESS_EQUAL) || left->op != MLS_EXPR_SUBTRACT ||
        node_at(words, left->first)->op != MLS_EXPR_TIME || node_at(words, left->second)->op != MLS_EXPR_VARIABLE) {
        return false;
    }
    const mls_str key = mls_rule_words_setter(words->scope, node_at(words, left->second)->first);
    if (key.ptr == NULL) {
        return false;
    }
    mls_buffer_append_text(words->out, "must come within ");
    double milliseconds;
    mls_expr_input none = {0};
    mls_expr_input *input = words->input != NULL ? words->input : &none;
    const mls_expr_node *right = node_at(words, node->second);
    if ((words->input != NULL || !words->expr->uses_variables || right->op == MLS_EXPR_CONSTANT) &&
        mls_expr_evaluate_node(words->expr, right, input, &limit) && mls_value_number(&limit, &milliseconds)) {
        mls_number_append(words->out, milliseconds / 60000);
        mls_buffer_append_text(words->out, " minutes");
    } else {
        mls_buffer_append(words->out, mls_expr_node_text(words->expr, right));
        mls_buffer_append_text(words->out, " ms");
    }
    mls_buffer_append_text(words->out, " of ");
    mls_buffer_append(words->out, key);
    return true;
}

static bool words_kind(const mls_words *words, const mls_expr_node *node)
{
    const char *text = NULL;
    if (node->op == MLS_EXPR_VALUE) {
        text = "must not be empty, 0 or false";
    } else if (node->op == MLS_EXPR_CALL && node_argument(words, node, 0)->op == MLS_EXPR_VALUE) {
        text = node->function == MLS_FUNCTION_IS_BOOL      ? "must be true or false"
               : node->function == MLS_FUNCTION_IS_INT     ? "must be an integer"
               : node->function == MLS_FUNCTION_IS_INTEGER ? "must be a whole number"
                                                           : NULL;
    }
    if (text != NULL) {
        mls_buffer_append_text(words->out, text);
        return true;
    }
    if (node_is_call(node, MLS_FUNCTION_ISCLOSE) && words_subject(words, node_argument(words, node, 0))) {
        mls_buffer_append_text(words->out, "close to ");
        words_operand(words, node_argument(words, node, 1));
        return true;
    }
    if (!node_is_call(node, MLS_FUNCTION_IS_INTEGER)) {
        return false;
    }
    const mls_expr_node *inner = node_argument(words, node, 0);
    const bool logarithm = node_is_call(inner, MLS_FUNCTION_LOG2);
    inner = logarithm ? node_argument(words, inner, 0) : inner;
    const bool divides = inner->op == MLS_EXPR_DIVIDE;
    if (divides && node_at(words, inner->first)->op == MLS_EXPR_VALUE) {
        mls_buffer_append_text(words->out, logarithm ? "must be a power of two times " : "must be a multiple of ");
        words_operand(words, node_at(words, inner->second));
    } else if (divides && !logarithm && node_at(words, inner->second)->op == MLS_EXPR_VALUE) {
        mls_buffer_append_text(words->out, "must be a whole fraction of ");
        words_operand(words, node_at(words, inner->first));
    } else {
        mls_buffer_append_text(words->out, "must make ");
        mls_buffer_append(words->out, mls_expr_node_text(words->expr, node_argument(words, node, 0)));
        mls_buffer_append_text(words->out, " a whole number");
    }
    return true;
}

/* a && b and a || b: both sides in words, or neither. */
static bool words_both(const mls_words *words, const mls_expr_node *node)
{
    const size_t mark = words->out->len;
    if (!words_write(words, node_at(words, node->first))) {
        words_undo(words, mark);
        if (node->op != MLS_EXPR_AND || !words_write(words, node_at(words, node->second))) {
            return false;
        }
        mls_buffer_append_text(words->out, " when ");
        return words_condition(words, node_at(words, node->first));
    }
    mls_buffer_append_text(words->out, node->op == MLS_EXPR_AND ? " and " : " or ");
    const size_t second = words->out->len;
    if (!words_write(words, node_at(words, node->second))) {
        words_undo(words, mark);
        return false;
    }
    static const char must_be[] = "must be ";
    const size_t length = sizeof must_be - 1;
    if (words->out->ptr != NULL && words->out->len - second > length &&
        memcmp(words->out->ptr + mark, must_be, length) == 0 &&
        memcmp(words->out->ptr + second, must_be, length) == 0) {
        memmove(words->out->ptr + second, words->out->ptr + second + length, words->out->len - second - length + 1);
        words->out->len -= length; /* "must be above 0 and below 1" */
    }
    return true;
}

/* c ? a : true: a, when c. */
static bool words_choice(const mls_words *words, const mls_expr_node *node)
{
    const mls_value *otherwise = words_node_constant(words, node_at(words, node->third));
    if (otherwise == NULL || otherwise->kind != MLS_JSON_BOOL || !otherwise->as.boolean ||
        !words_write(words, node_at(words, node->second))) {
        return false;
    }
    mls_buffer_append_text(words->out, " when ");
    if (!words_condition(words, node_at(words, node->first))) {
        mls_buffer_append(words->out, mls_expr_node_text(words->expr, node_at(words, node->first)));
    }
    return true;
}

static bool words_write(const mls_words *words, const mls_expr_node *node)
{
    switch (node->op) {
    case MLS_EXPR_OR:
    case MLS_EXPR_AND:
        return words_has(words, node) || words_both(words, node);
    case MLS_EXPR_CHOICE:
        return words_choice(words, node);
    case MLS_EXPR_NOT:
    case MLS_EXPR_VARIABLE:
        return words_order(words, node);
    case MLS_EXPR_IN:
        return words_one_of(words, node);
    case MLS_EXPR_CALL:
        return words_has(words, node) || words_kind(words, node);
    case MLS_EXPR_VALUE:
        return words_kind(words, node);
    case MLS_EXPR_EQUAL:
        return words_order(words, node) || words_comparison(words, node);
    case MLS_EXPR_LESS:
    case MLS_EXPR_LESS_EQUAL:
        return words_duration(words, node) || words_comparison(words, node);
    case MLS_EXPR_UNEQUAL:
    case MLS_EXPR_GREATER:
    case MLS_EXPR_GREATER_EQUAL:
        return words_comparison(words, node);
    default:
        return false;
    }
}

/* Names the variables of an expression with their values: "; $a is 3, $b is not set". */
static void words_variables(const mls_words *words)
{
    uint32_t shown[8];
    size_t count = 0;
    for (uint32_t i = 0; i < words->expr->node_count && count < sizeof shown / sizeof *shown; i++) {
        const mls_expr_node *node = &words->expr->nodes[i];
        bool again = node->op != MLS_EXPR_VARIABLE;
        for (size_t j = 0; j < count && !again; j++) {
            again = shown[j] == node->first;
        }
        if (again) {
            continue;
        }
        const mls_variable *variable = &words->input->variables[node->first];
        mls_buffer_append_text(words->out, count == 0 ? "; " : ", ");
        mls_buffer_append(words->out, mls_expr_node_text(words->expr, node));
        mls_buffer_append_text(words->out, variable->set ? " is " : " is not set");
        if (variable->set) {
            mls_value_show(words->out, &variable->value);
        }
        shown[count++] = node->first;
    }
}

enum { MLS_WORDS_TEXT_MAX = 160 };

void mls_rule_words_requirement(mls_buffer *buffer, const mls_scope *scope, const mls_expr *expr, mls_expr_input *input)
{
    const mls_words words = {buffer, scope, expr, input};
    const size_t mark = buffer->len;
    if (words_write(&words, mls_expr_root(expr))) {
        return;
    }
    words_undo(&words, mark);
    const bool cut = expr->text.len > MLS_WORDS_TEXT_MAX;
    mls_buffer_append_text(buffer, "must satisfy ");
    mls_buffer_append(buffer, (mls_str){expr->text.ptr, cut ? MLS_WORDS_TEXT_MAX : expr->text.len});
    mls_buffer_append_text(buffer, cut ? " …" : "");
    if (input != NULL && expr->uses_variables) {
        words_variables(&words);
    }
}

/* "<= 0.925 and > 0.0" from value <= 0.925 && value > 0.0, and "BBOX >= 0.377" of a member; false for other forms. */
static bool words_bounds(const mls_words *words, const mls_expr_node *node)
{
    static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">="};
    const mls_expr_node *first = node_at(words, node->first);
    const mls_expr_node *second = node_at(words, node->second);
    if (node->op == MLS_EXPR_AND) {
        if (!words_bounds(words, first)) {
            return false;
        }
        mls_buffer_append_text(words->out, first->op == MLS_EXPR_CHOICE ? ", and " : " and ");
        return words_bounds(words, second);
    }
    if (node->op == MLS_EXPR_CHOICE) {
        if (!words_bounds(words, second)) {
            return false;
        }
        mls_buffer_append_text(words->out, " when ");
        if (!words_condition(words, first)) {
            return false;
        }
        mls_buffer_append_text(words->out, ", else ");
        return words_bounds(words, node_at(words, node->third));
    }
    if (!is_comparison(node->op)) {
        return false;
    }
    const bool left = first->op == MLS_EXPR_VALUE || first->op == MLS_EXPR_MEMBER;
    const mls_expr_node *measured = left ? first : second;
    const mls_str name = mls_expr_node_text(words->expr, measured);
    const uint8_t op = left ? node->op : comparison_mirror(node->op);
    if (measured->op == MLS_EXPR_MEMBER && mls_str_starts(name, MLS_S("value."))) {
        mls_buffer_append(words->out, (mls_str){name.ptr + 6, name.len - 6});
        mls_buffer_append_char(words->out, ' ');
    } else if (measured->op != MLS_EXPR_VALUE) {
        return false;
    }
    mls_buffer_printf(words->out, "%s ", signs[op - MLS_EXPR_EQUAL]);
    words_operand(words, left ? second : first);
    return true;
}

void mls_rule_words_target(mls_buffer *buffer, const mls_scope *scope, const mls_expr *expr, mls_expr_input *input)
{
    const mls_words words = {buffer, scope, expr, input};
    const size_t mark = buffer->len;
    if (!words_bounds(&words, mls_expr_root(expr))) {
        words_undo(&words, mark);
        mls_buffer_append(buffer, expr->text);
        if (input != NULL && expr->uses_variables) {
            words_variables(&words);
        }
    }
}

void mls_rule_words_occurs(mls_buffer *buffer, const mls_rule *rule)
{
    switch (rule->occurs) {
    case MLS_OCCURS_ANY:
        mls_buffer_append_text(buffer, "any number of times");
        break;
    case MLS_OCCURS_EXACTLY_ONE:
        mls_buffer_append_text(buffer, "exactly once");
        break;
    case MLS_OCCURS_AT_LEAST:
        if (rule->occurs_count == 1) {
            mls_buffer_append_text(buffer, "at least once");
        } else {
            mls_buffer_printf(buffer, "at least %zu times", rule->occurs_count);
        }
        break;
    case MLS_OCCURS_AT_LEAST_ONE_OR:
        mls_buffer_append_text(buffer, "at least once, or ");
        for (size_t i = 0; i < rule->other_count; i++) {
            mls_buffer_append_text(buffer, i > 0 ? " or " : "");
            mls_buffer_append(buffer, rule->others[i]);
        }
        break;
    }
}

mls_check_topic mls_rule_words_topic(const mls_expr *expr)
{
    bool metadata = false;
    bool value = false;
    bool variable = false;
    for (uint32_t i = 0; i < expr->node_count; i++) {
        metadata |= expr->nodes[i].op == MLS_EXPR_METADATA;
        value |= expr->nodes[i].op == MLS_EXPR_VALUE || expr->nodes[i].op == MLS_EXPR_RECORD;
        variable |= expr->nodes[i].op == MLS_EXPR_VARIABLE;
    }
    return value ? MLS_TOPIC_VALUE : metadata ? MLS_TOPIC_METADATA : variable ? MLS_TOPIC_ORDER : MLS_TOPIC_VALUE;
}
