/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs that configs call in $( ) and whose output follows from their
 * arguments: dirname, basename, readlink -f, realpath, sed, cat, pwd.
 */
#include <string.h>

#include "shell/script.h"

void mls_script_print(mls_script *script, mls_script_text text)
{
    if (script->output == NULL) {
        return;
    }
    if (!text.known || script->taint > script->output->taint) {
        script->output->known = false;
        return;
    }
    if (script->output->text.len + text.bytes.len > SCRIPT_VALUE_BYTES_MAX) {
        mls_script_limit(script, "length of a value");
        return;
    }
    mls_buffer_append(&script->output->text, text.bytes);
    if (script->output->text.failed) {
        mls_script_no_memory(script);
    }
}

static void print_line(mls_script *script, mls_str line)
{
    mls_script_print(script, mls_script_known(line));
    mls_script_print(script, mls_script_known(MLS_S("\n")));
}

static bool is_option(mls_script_text text)
{
    return text.bytes.len > 1 && text.bytes.ptr[0] == '-';
}

static mls_str without_slashes(mls_str path)
{
    while (path.len > 1 && path.ptr[path.len - 1] == '/') {
        path.len--;
    }
    return path;
}

/* Where the last part of a path begins. */
static size_t last_part(mls_str path)
{
    size_t at = path.len;
    while (at > 0 && path.ptr[at - 1] != '/') {
        at--;
    }
    return at;
}

static bool run_dirname(mls_script *script, const mls_script_text *arguments, size_t count)
{
    if (count != 1 || is_option(arguments[0])) {
        return false;
    }
    mls_str path = without_slashes(arguments[0].bytes);
    const size_t at = last_part(path);
    const bool root = path.len == 1 && at == 1;
    path.len = root ? 1 : at;
    print_line(script, path.len == 0 ? MLS_S(".") : without_slashes(path));
    return true;
}

static bool run_basename(mls_script *script, const mls_script_text *arguments, size_t count)
{
    if (count == 0 || count > 2 || is_option(arguments[0])) {
        return false;
    }
    mls_str path = without_slashes(arguments[0].bytes);
    const size_t at = last_part(path);
    if (at < path.len) {
        path = (mls_str){path.ptr + at, path.len - at};
    }
    if (count == 2 && arguments[1].bytes.len < path.len && mls_str_ends(path, arguments[1].bytes)) {
        path.len -= arguments[1].bytes.len;
    }
    print_line(script, path);
    return true;
}

/* A path seen from where cd went; false when that is not known. */
static bool join_directory(mls_script *script, mls_str path, mls_str *joined)
{
    *joined = path;
    if (!script->moved || (path.len > 0 && path.ptr[0] == '/')) {
        return true;
    }
    if (!script->directory.known) {
        return false;
    }
    mls_buffer made = {0};
    mls_buffer_append(&made, script->directory.bytes);
    mls_buffer_append_char(&made, '/');
    mls_buffer_append(&made, path);
    const mls_script_text text = mls_script_keep_buffer(script, &made);
    *joined = text.bytes;
    return text.known;
}

static bool resolve(mls_script *script, mls_str path, mls_str *resolved)
{
    mls_str joined;
    return join_directory(script, path, &joined) &&
           script->files->resolve(script->files->state, joined, &script->arena, resolved);
}

static bool run_readlink(mls_script *script, const mls_script_text *arguments, size_t count, bool option_needed)
{
    size_t at = 0;
    bool follows = !option_needed;
    while (at < count && is_option(arguments[at])) {
        const mls_str option = arguments[at++].bytes;
        if (mls_str_equal(option, MLS_S("--"))) {
            break;
        }
        follows = mls_str_equal(option, MLS_S("-f")) || mls_str_equal(option, MLS_S("-e")) ||
                  mls_str_equal(option, MLS_S("-m"));
        if (!follows) {
            return false;
        }
    }
    mls_str resolved;
    if (!follows || at + 1 != count || !resolve(script, arguments[at].bytes, &resolved)) {
        return false;
    }
    print_line(script, resolved);
    return true;
}

static bool run_pwd(mls_script *script, size_t count)
{
    if (count > 0 || !script->directory.known) {
        return false;
    }
    print_line(script, script->directory.bytes);
    return true;
}

static bool run_sed(mls_script *script, const mls_script_text *arguments, size_t count)
{
    mls_script_fields scripts = {0};
    bool extended = false;
    for (size_t i = 0; i < count; i++) {
        const mls_str word = arguments[i].bytes;
        if (mls_str_equal(word, MLS_S("-e")) && i + 1 < count) {
            mls_script_fields_add(script, &scripts, arguments[++i]);
        } else if (mls_str_equal(word, MLS_S("-E")) || mls_str_equal(word, MLS_S("-r"))) {
            extended = true;
        } else if (!is_option(arguments[i]) && scripts.count == 0) {
            mls_script_fields_add(script, &scripts, arguments[i]);
        } else {
            return false;
        }
    }
    if (scripts.count == 0 || script->input == NULL || !script->input->known) {
        return false;
    }
    const mls_script_text text = mls_script_sed(script, scripts.items, scripts.count, extended, script->input->bytes);
    mls_script_print(script, text);
    return text.known;
}

static bool run_cat(mls_script *script, size_t count)
{
    if (count > 0 || script->input == NULL) {
        return false;
    }
    mls_script_print(script, *script->input);
    return true;
}

static bool is_command(mls_str name, const char *tool)
{
    return mls_str_equal(name, mls_str_from(tool));
}

bool mls_script_tool(mls_script *script, const mls_script_fields *fields)
{
    for (size_t i = 0; i < fields->count; i++) {
        if (!fields->items[i].known) {
            return false;
        }
    }
    const mls_str name = fields->items[0].bytes;
    const mls_script_text *arguments = fields->items + 1;
    size_t count = fields->count - 1;
    const bool paths = is_command(name, "dirname") || is_command(name, "basename");
    if (paths && count > 0 && is_command(arguments[0].bytes, "--")) {
        arguments++;
        count--;
    }
    bool done = false;
    if (is_command(name, "dirname")) {
        done = run_dirname(script, arguments, count);
    } else if (is_command(name, "basename")) {
        done = run_basename(script, arguments, count);
    } else if (is_command(name, "readlink")) {
        done = run_readlink(script, arguments, count, true);
    } else if (is_command(name, "realpath")) {
        done = run_readlink(script, arguments, count, false);
    } else if (is_command(name, "pwd")) {
        done = run_pwd(script, count);
    } else if (is_command(name, "sed")) {
        done = run_sed(script, arguments, count);
    } else if (is_command(name, "cat")) {
        done = run_cat(script, count);
    }
    if (done) {
        mls_script_set_status(script, TRUTH_YES);
    }
    return done;
}
