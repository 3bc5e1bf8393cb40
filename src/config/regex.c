/* SPDX-License-Identifier: Apache-2.0 */
/* regex.c - shell patterns, =~, and the sed that takes "config_" and ".sh" from a name. */
#include "base/pattern.h"
#include "config/script_state.h"

/* False when it cannot be known what the text matches.  Memory that is not there ends the reading. */
static bool regex_init(mls_shell_state *state, mls_pattern *self, mls_str rule, mls_pattern_kind kind)
{
    *self = (mls_pattern){0};
    const mls_status status = mls_shell_known(rule) ? mls_pattern_compile(self, kind, rule) : MLS_ERROR_SYNTAX;
    return mls_shell_memory(state, status != MLS_ERROR_MEMORY) && status == MLS_OK;
}

static int regex_find(mls_shell_state *state, const mls_pattern *self, mls_str text, size_t at, mls_str *match)
{
    const bool goes = mls_shell_known(text) && mls_shell_step(state, text.len + 64);
    const mls_status status = goes ? mls_pattern_find(self, text, at, match) : MLS_STOPPED;
    (void)mls_shell_memory(state, status != MLS_ERROR_MEMORY);
    return status != MLS_OK ? STATUS_UNKNOWN : mls_shell_status_of(match->ptr != NULL);
}

int mls_shell_match(mls_shell_state *state, mls_str rule, bool extended, mls_str text)
{
    mls_pattern self;
    mls_str match;
    const bool made = regex_init(state, &self, rule, extended ? MLS_PATTERN_EXTENDED : MLS_PATTERN_SHELL);
    const int found = made ? regex_find(state, &self, text, 0, &match) : STATUS_UNKNOWN;
    mls_pattern_release(&self);
    return found;
}

mls_str mls_shell_pattern_strip(mls_shell_state *state, mls_str text, mls_str pattern, bool from_end, bool longest)
{
    mls_str left = text;
    mls_pattern self;
    mls_str match;
    int found = regex_init(state, &self, pattern, MLS_PATTERN_SHELL) ? STATUS_NO : STATUS_UNKNOWN;
    for (size_t i = 0; i <= text.len && found == STATUS_NO; i++) {
        const size_t cut = longest ? text.len - i : i;
        found = regex_find(state, &self, (mls_str){text.ptr + (from_end ? text.len - cut : 0), cut}, 0, &match);
        if (found == STATUS_YES) {
            left = (mls_str){text.ptr + (from_end ? 0 : cut), text.len - cut};
        }
    }
    mls_pattern_release(&self);
    return found == STATUS_UNKNOWN || !mls_shell_known(text) ? SHELL_HOLE : left;
}

/* The next part of an s command; false when it has no plain end. */
static bool take_part(mls_str *script, char mark, mls_str *part)
{
    return mls_str_cut(script, mark, part) && !mls_str_ends(*part, MLS_S("\\"));
}

/* Applies the s command at the start of *script to a line; *script is moved after it and what ends it. */
static mls_str substitute(mls_shell_state *state, mls_str *script, mls_str line)
{
    const char mark = script->len > 2 && script->ptr[0] == 's' ? script->ptr[1] : ' ';
    mls_buffer made = {0};
    mls_str rule;
    mls_str text;
    mls_pattern self;
    mls_str match;
    *script = mls_str_rest(*script, script->len < 2 ? script->len : 2);
    const bool plain = strchr("/|,:#@!%_~", mark) != NULL && take_part(script, mark, &rule) && rule.len > 0 &&
                       take_part(script, mark, &text) && !mls_str_contains(text, MLS_S("\\")) &&
                       !mls_str_contains(text, MLS_S("&"));
    const bool global = mls_str_starts(*script, MLS_S("g"));
    *script = mls_str_rest(*script, global);
    if (!plain || (script->len > 0 && strchr("; ", script->ptr[0]) == NULL) ||
        !regex_init(state, &self, rule, MLS_PATTERN_BASIC)) {
        return SHELL_HOLE;
    }
    size_t after = 0;
    int found = regex_find(state, &self, line, after, &match);
    while (found == STATUS_YES) {
        mls_buffer_append(&made, (mls_str){line.ptr + after, (size_t)(match.ptr - line.ptr) - after});
        mls_buffer_append(&made, text);
        after = (size_t)(match.ptr - line.ptr) + match.len;
        found = !global ? STATUS_NO : match.len > 0 ? regex_find(state, &self, line, after, &match) : STATUS_UNKNOWN;
    }
    mls_buffer_append(&made, found == STATUS_NO ? mls_str_rest(line, after) : SHELL_HOLE);
    mls_pattern_release(&self);
    while (script->len > 0 && strchr("; ", script->ptr[0]) != NULL) {
        *script = mls_str_rest(*script, 1);
    }
    return mls_shell_keep_buffer(state, &made);
}

mls_str mls_shell_sed(mls_shell_state *state, const mls_shell_fields *scripts, mls_str input)
{
    const bool ended = input.len > 0 && input.ptr[input.len - 1] == '\n';
    mls_str line = {input.ptr, input.len - ended};
    bool known = mls_shell_known(line) && (line.len == 0 || memchr(line.ptr, '\n', line.len) == NULL);
    for (size_t i = 0; i < scripts->count; i++) {
        mls_str script = scripts->items[i];
        known = known && mls_shell_known(script) && !mls_str_contains(script, MLS_S("\n"));
        for (; known && script.len > 0; known = mls_shell_known(line)) {
            line = substitute(state, &script, line);
        }
    }
    return known ? mls_shell_join(state, line, ended ? MLS_S("\n") : MLS_S("")) : SHELL_HOLE;
}
