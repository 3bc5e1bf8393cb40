/* SPDX-License-Identifier: Apache-2.0 */
/* json_flow.c - check JSON that arrives in blocks: the structure here, numbers and words with json_check.c. */
#include "json/json_flow.h"

static bool in_object(const mls_json_flow *flow)
{
    const unsigned top = flow->depth - 1;
    return flow->depth > 0 && (flow->objects[top / 64] >> top % 64 & 1) != 0;
}

static bool flow_open(mls_json_flow *flow, bool object)
{
    const uint64_t bit = UINT64_C(1) << flow->depth % 64;
    uint64_t *objects = &flow->objects[flow->depth / 64];
    if (flow->due > MLS_FLOW_FIRST_ITEM || flow->depth == MLS_JSON_DEPTH_MAX)
        return false;
    *objects = object ? *objects | bit : *objects & ~bit;
    flow->depth++;
    flow->due = object ? MLS_FLOW_FIRST_NAME : MLS_FLOW_FIRST_ITEM;
    return true;
}

static bool flow_close(mls_json_flow *flow, bool object)
{
    const bool ends = flow->due == MLS_FLOW_AFTER || flow->due == (object ? MLS_FLOW_FIRST_NAME : MLS_FLOW_FIRST_ITEM);
    if (!ends || flow->depth == 0 || in_object(flow) != object)
        return false;
    flow->depth--;
    flow->due = MLS_FLOW_AFTER;
    return true;
}

static bool flow_comma(mls_json_flow *flow)
{
    const bool between = flow->due == MLS_FLOW_AFTER && flow->depth > 0;
    flow->due = in_object(flow) ? MLS_FLOW_NAME : MLS_FLOW_VALUE;
    return between;
}

static bool is_name_due(const mls_json_flow *flow)
{
    return flow->due == MLS_FLOW_FIRST_NAME || flow->due == MLS_FLOW_NAME;
}

static bool is_value_due(const mls_json_flow *flow)
{
    return flow->due == MLS_FLOW_VALUE || flow->due == MLS_FLOW_FIRST_ITEM;
}

/* Handle a byte that begins a token or is one. */
static bool flow_between(mls_json_flow *flow, char c)
{
    switch (c) {
    case ' ':
    case '\t':
    case '\n':
    case '\r':
        return true;
    case '{':
    case '[':
        return flow_open(flow, c == '{');
    case '}':
    case ']':
        return flow_close(flow, c == '}');
    case ',':
        return flow_comma(flow);
    case ':': {
        const bool due = flow->due == MLS_FLOW_COLON;
        flow->due = MLS_FLOW_VALUE;
        return due;
    }
    case '"':
        flow->inside = MLS_FLOW_STRING;
        return is_name_due(flow) || is_value_due(flow);
    default:
        flow->inside = MLS_FLOW_WORD;
        flow->word[0] = c;
        flow->word_length = 1;
        return is_value_due(flow);
    }
}

static void end_string(mls_json_flow *flow)
{
    flow->inside = MLS_FLOW_BETWEEN;
    flow->due = is_name_due(flow) ? MLS_FLOW_COLON : MLS_FLOW_AFTER;
}

static bool end_word(mls_json_flow *flow)
{
    mls_json_fault fault;
    memset(flow->word + flow->word_length, 0, MLS_SCAN_PADDING);
    flow->inside = MLS_FLOW_BETWEEN;
    flow->due = MLS_FLOW_AFTER;
    return mls_json_check_value(flow->word, 1, &fault) == flow->word + flow->word_length;
}

static bool flow_byte(mls_json_flow *flow, char c)
{
    switch (flow->inside) {
    case MLS_FLOW_STRING:
        if (c == '"')
            end_string(flow);
        else if (c == '\\')
            flow->inside = MLS_FLOW_ESCAPE;
        return (unsigned char)c >= 0x20;
    case MLS_FLOW_ESCAPE:
        flow->inside = MLS_FLOW_STRING;
        return c != '\0' && strchr("\"\\/bfnrtu", c) != NULL;
    case MLS_FLOW_WORD:
        if (strchr(" \t\r\n,:[]{}\"", c) != NULL)
            return c != '\0' && end_word(flow) && flow_between(flow, c);
        if (flow->word_length < MLS_JSON_WORD_MAX)
            flow->word[flow->word_length++] = c;
        return flow->word_length < MLS_JSON_WORD_MAX || mls_is_digit(c);
    default:
        return flow_between(flow, c);
    }
}

void mls_json_flow_feed(mls_json_flow *flow, mls_str block)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t i = 0;
    while (i < block.len && flow->marked < sizeof mark - 1 && block.ptr[i] == mark[flow->marked]) {
        flow->marked++;
        i++;
    }
    if (i < block.len) {
        const bool part = flow->marked > 0 && flow->marked < sizeof mark - 1;
        flow->due = part ? MLS_FLOW_NONE : flow->due;
        flow->marked = sizeof mark - 1;
    }
    for (; i < block.len && flow->due != MLS_FLOW_NONE; i++) {
        const bool plain = flow->inside == MLS_FLOW_STRING && block.ptr[i] > '\\';
        flow->due = plain || flow_byte(flow, block.ptr[i]) ? flow->due : MLS_FLOW_NONE;
    }
}

bool mls_json_flow_whole(const mls_json_flow *flow)
{
    return flow->due == MLS_FLOW_AFTER && flow->depth == 0;
}
