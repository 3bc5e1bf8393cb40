/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/locate.h"

#include <string.h>

#include "base/buffer.h"

static size_t mls_locate_blanks(mls_str json, size_t at)
{
    while (at < json.len && (unsigned char)json.ptr[at] <= ' ') {
        at++;
    }
    return at;
}

/* Behind the string whose opening quote is at `at`. */
static size_t mls_locate_string_end(mls_str json, size_t at)
{
    for (at++; at < json.len && json.ptr[at] != '"'; at++) {
        at += json.ptr[at] == '\\';
    }
    return at < json.len ? at + 1 : json.len;
}

/* Behind the value at `at`. */
static size_t mls_locate_value_end(mls_str json, size_t at)
{
    size_t depth = 0;
    do {
        at = mls_locate_blanks(json, at);
        if (at >= json.len) {
            return json.len;
        }
        const char c = json.ptr[at];
        if (c == '"') {
            at = mls_locate_string_end(json, at);
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= (c == '}' || c == ']') && depth > 0;
        at++;
        if (c != '{' && c != '[' && c != '}' && c != ']' && c != ',' && c != ':') {
            while (at < json.len && (unsigned char)json.ptr[at] > ' ' && strchr(",:]}[{\"", json.ptr[at]) == NULL) {
                at++;
            }
        }
    } while (depth > 0);
    return at;
}

/* Whether the string at `at` says `name`; names in rule files hold no escapes worth decoding here. */
static bool mls_locate_name_is(mls_str json, size_t at, const char *name)
{
    const size_t end = mls_locate_string_end(json, at);
    return end >= at + 2 && mls_str_equal((mls_str){json.ptr + at + 1, end - at - 2}, mls_str_from(name));
}

static bool mls_locate_step(mls_str json, const mls_path_step *step, size_t *at)
{
    const char opening = step->name != NULL ? '{' : '[';
    size_t here = mls_locate_blanks(json, *at);
    if (here >= json.len || json.ptr[here] != opening) {
        return false;
    }
    here = mls_locate_blanks(json, here + 1);
    for (size_t index = 0; here < json.len && json.ptr[here] != '}' && json.ptr[here] != ']'; index++) {
        bool found = step->name == NULL && index == step->index;
        if (step->name != NULL) {
            if (json.ptr[here] != '"') {
                return false;
            }
            found = mls_locate_name_is(json, here, step->name);
            here = mls_locate_blanks(json, mls_locate_string_end(json, here));
            here = mls_locate_blanks(json, here + 1); /* the colon */
        }
        if (found) {
            *at = here;
            return here < json.len;
        }
        here = mls_locate_blanks(json, mls_locate_value_end(json, here));
        if (here < json.len && json.ptr[here] == ',') {
            here = mls_locate_blanks(json, here + 1);
        }
    }
    return false;
}

bool mls_json_locate(mls_str json, const mls_path *path, size_t *at)
{
    size_t here = mls_locate_blanks(json, 0);
    for (size_t i = 0; i < path->count; i++) {
        if (!mls_locate_step(json, &path->steps[i], &here)) {
            return false;
        }
    }
    *at = here;
    return here < json.len;
}

size_t mls_json_string_offset(mls_str json, size_t at, size_t count)
{
    const size_t end = mls_locate_string_end(json, at);
    at++;
    while (count > 0 && at + 1 < end) {
        count--;
        if (json.ptr[at] != '\\') {
            at++;
        } else {
            at += json.ptr[at + 1] == 'u' ? 6 : 2;
        }
    }
    return at < json.len ? at : json.len;
}
