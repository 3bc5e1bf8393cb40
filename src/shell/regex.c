/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.c - shell patterns, =~, and the sed that takes "config_" and ".sh" from a name, by the C library, as bash and
 * sed have them.  What sed reads before that (\n, \w, \|), and repeats that are counted, are unknown instead.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <regex.h>

#include "shell/state.h"

enum { RULE_BYTES_MAX = 256, TEXT_BYTES_MAX = 4096 }; /* of regular expressions */

/* False when it cannot be known what the text matches, or there are no steps for it. */
static bool regex_init(mls_shell_state *state, regex_t *self, mls_str rule, int flags, mls_str text)
{
    const bool extended = (flags & REG_EXTENDED) != 0;
    bool plain = mls_shell_known(rule) && mls_shell_known(text) && rule.len <= RULE_BYTES_MAX &&
                 text.len <= TEXT_BYTES_MAX && !(extended && mls_str_contains(rule, MLS_S("{")));
    for (size_t i = 0; i + 1 < rule.len && plain; i++) {
        if (rule.ptr[i] == '\\') {
            const char c = rule.ptr[++i];
            plain = !isalnum((unsigned char)c) && strchr(extended ? "<>'`\n" : "+?|<>'`\n{", c) == NULL;
        }
    }
    if (!plain || !mls_shell_step(state, 16 * rule.len + text.len * text.len / 16)) {
        return false;
    }
    const mls_str kept = mls_shell_keep(state, rule);
    const int error = state->stopped ? REG_NOERROR : regcomp(self, kept.ptr, flags);
    if (error == REG_ESPACE) {
        mls_shell_no_memory(state);
    }
    return error == REG_NOERROR && !state->stopped;
}

/* Whether something matches behind `at`, of a text with a NUL behind it. */
static int regex_find(mls_shell_state *state, const regex_t *self, mls_str text, size_t at, regmatch_t *match)
{
    const int error = regexec(self, text.ptr + at, 1, match, at > 0 ? REG_NOTBOL : 0);
    if (error == REG_ESPACE) {
        mls_shell_no_memory(state);
    }
    return error == REG_ESPACE ? STATUS_UNKNOWN : mls_shell_status_of(error == 0);
}

int mls_shell_match(mls_shell_state *state, mls_str rule, bool extended, mls_str text)
{
    const mls_str kept = mls_shell_keep(state, text);
    regex_t self;
    regmatch_t match;
    if (!extended) {
        const mls_str pattern = mls_shell_keep(state, rule);
        const bool known = mls_shell_known(pattern) && mls_shell_known(kept);
        return known ? mls_shell_status_of(fnmatch(pattern.ptr, kept.ptr, 0) == 0) : STATUS_UNKNOWN;
    }
    if (!regex_init(state, &self, rule, REG_EXTENDED, kept)) {
        return STATUS_UNKNOWN;
    }
    const int found = regex_find(state, &self, kept, 0, &match);
    regfree(&self);
    return found;
}

mls_str mls_shell_pattern_strip(mls_shell_state *state, mls_str text, mls_str pattern, bool from_end, bool longest)
{
    mls_str left = text;
    int found = STATUS_NO;
    for (size_t i = 0; i <= text.len && found == STATUS_NO; i++) {
        const size_t cut = longest ? text.len - i : i;
        found = mls_shell_match(state, pattern, false, (mls_str){text.ptr + (from_end ? text.len - cut : 0), cut});
        if (found == STATUS_YES) {
            left = (mls_str){text.ptr + (from_end ? 0 : cut), text.len - cut};
        }
    }
    return found == STATUS_UNKNOWN || !mls_shell_known(text) ? SHELL_HOLE : left;
}

/* The next part of an s command; false when it has no end, or, in the text, holds more than letters as they stand. */
static bool take_part(mls_str *script, char mark, bool text, mls_str *part)
{
    size_t at = 0;
    bool plain = true;
    for (; at < script->len && script->ptr[at] != mark && script->ptr[at] != '\n'; at++) {
        plain = plain && !(text && strchr("\\&", script->ptr[at]) != NULL);
        at += script->ptr[at] == '\\' && at + 1 < script->len;
    }
    *part = (mls_str){script->ptr, at};
    const bool ends = at < script->len && script->ptr[at] == mark;
    *script = mls_shell_from(*script, at + ends);
    return ends && plain;
}

/* What the s command at the start of *script makes of a line; *script is what is behind it and what ends it then. */
static mls_str substitute(mls_shell_state *state, mls_str *script, mls_str line)
{
    const char mark = script->len > 2 && script->ptr[0] == 's' ? script->ptr[1] : ' ';
    mls_buffer made = {0};
    mls_str rule;
    mls_str text;
    regex_t self;
    regmatch_t match;
    *script = mls_shell_from(*script, script->len < 2 ? script->len : 2);
    const bool plain = strchr("/|,:;#@!%_~", mark) != NULL && take_part(script, mark, false, &rule) &&
                       take_part(script, mark, true, &text) && rule.len > 0;
    const bool global = mls_str_starts(*script, MLS_S("g"));
    *script = mls_shell_from(*script, global);
    if (!plain || (script->len > 0 && strchr("; \n", script->ptr[0]) == NULL) ||
        !regex_init(state, &self, rule, 0, line)) {
        return SHELL_HOLE;
    }
    size_t behind = 0;
    int found = regex_find(state, &self, line, behind, &match);
    while (found == STATUS_YES) {
        mls_buffer_append(&made, (mls_str){line.ptr + behind, (size_t)match.rm_so});
        mls_buffer_append(&made, text);
        behind += (size_t)match.rm_eo;
        found = !global ? STATUS_NO : match.rm_so < match.rm_eo ? regex_find(state, &self, line, behind, &match) : -1;
    }
    mls_buffer_append(&made, found == STATUS_NO ? mls_shell_from(line, behind) : SHELL_HOLE);
    regfree(&self);
    while (script->len > 0 && strchr("; \n", script->ptr[0]) != NULL) {
        *script = mls_shell_from(*script, 1);
    }
    return mls_shell_keep_buffer(state, &made);
}

mls_str mls_shell_sed(mls_shell_state *state, const mls_shell_fields *scripts, mls_str input)
{
    const bool ended = input.len > 0 && input.ptr[input.len - 1] == '\n';
    mls_str line = mls_shell_keep(state, (mls_str){input.ptr, input.len - ended});
    bool known = mls_shell_known(line) && (line.len == 0 || memchr(line.ptr, '\n', line.len) == NULL);
    for (size_t i = 0; i < scripts->count; i++) {
        mls_str script = scripts->items[i];
        for (known = known && mls_shell_known(script); known && script.len > 0; known = mls_shell_known(line)) {
            line = substitute(state, &script, line);
        }
    }
    return known ? mls_shell_join(state, line, ended ? MLS_S("\n") : MLS_S("")) : SHELL_HOLE;
}
