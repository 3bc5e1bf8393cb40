/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "shell/script.h"

/* A path beside the current file. */
static mls_script_text beside(mls_script *script, mls_str path)
{
    const mls_str file = mls_str_from(script->path);
    size_t at = file.len;
    while (at > 0 && file.ptr[at - 1] != '/') {
        at--;
    }
    mls_buffer joined_path = {0};
    mls_buffer_append(&joined_path, (mls_str){file.ptr, at});
    mls_buffer_append(&joined_path, path);
    return mls_script_keep_buffer(script, &joined_path);
}

mls_status mls_script_read_file(mls_script *script, mls_str path, mls_str *bytes)
{
    const mls_status status = script->files->read(script->files->state, path, &script->arena, bytes);
    if (bytes->len > SCRIPT_FILES_BYTES_MAX - script->file_bytes) {
        mls_script_limit(script, "length of all files together");
        return MLS_ERROR_LIMIT;
    }
    script->file_bytes += bytes->len;
    return status;
}

static mls_status read_source(mls_script *script, mls_str *path, mls_str *bytes)
{
    const bool relative = path->len > 0 && path->ptr[0] != '/';
    const bool bare = path->len > 0 && memchr(path->ptr, '/', path->len) == NULL;
    if (!bare) {
        const mls_status status = mls_script_read_file(script, *path, bytes);
        if (status == MLS_OK || !relative) {
            return status;
        }
    }
    const mls_script_text joined_path = beside(script, *path);
    if (!joined_path.known) {
        return MLS_ERROR_LIMIT;
    }
    *path = joined_path.bytes;
    return mls_script_read_file(script, *path, bytes);
}

static void run_file(mls_script *script, mls_str path, mls_str text)
{
    const mls_str kept = mls_arena_copy(&script->arena, path);
    if (kept.ptr == NULL) {
        mls_script_no_memory(script);
        return;
    }
    const char *outer_path = script->path;
    const size_t outer_line = script->line;
    const bool outer_doubt = script->doubtful_rest;
    script->doubtful_rest = false;
    script->path = kept.ptr;
    script->sources[script->source_depth++] = kept.ptr;
    mls_script_set_status(script, TRUTH_YES);
    mls_script_run_text(script, text, 1, true);
    if (script->flow == FLOW_RETURN) {
        script->flow = FLOW_GO;
    }
    script->source_depth--;
    script->path = outer_path;
    script->line = outer_line;
    script->doubtful_rest = outer_doubt;
}

void mls_script_source(mls_script *script, mls_str path)
{
    if (script->source_depth >= SCRIPT_SOURCE_DEPTH_MAX) {
        mls_script_limit(script, "depth of source");
        return;
    }
    const mls_str named = path;
    mls_str text;
    const mls_status status = read_source(script, &path, &text);
    if (script->flow != FLOW_GO) {
        return;
    }
    if (status == MLS_OK) {
        for (size_t i = 0; i < script->source_depth; i++) {
            if (mls_str_equal(mls_str_from(script->sources[i]), path)) {
                mls_script_limit(script, "a file that sources itself");
                return;
            }
        }
        run_file(script, path, text);
    } else if (status == MLS_ERROR_READ) {
        mls_script_find(script, MLS_FINDING_CONFIG_SOURCE, "sources '%.*s', which is not there", (int)named.len,
                        named.ptr);
        mls_script_set_status(script, TRUTH_NO);
    } else if (status == MLS_ERROR_MEMORY) {
        mls_script_no_memory(script);
    } else {
        mls_script_find(script, MLS_FINDING_CONFIG_SOURCE,
                        "sources '%.*s', which is not read: values from before line %zu are unknown", (int)named.len,
                        named.ptr, script->line);
        mls_script_forget_all(script);
        mls_script_set_status(script, TRUTH_UNKNOWN);
    }
}

void mls_script_start(mls_script *script, const char *path, mls_str text)
{
    script->path = path;
    script->export_all = true;
    mls_script_set_status(script, TRUTH_YES);
    run_file(script, mls_str_from(path), text);
    if (script->flow == FLOW_STOP) {
        script->forgotten = true;
        for (size_t i = 0; i < script->variable_count; i++) {
            mls_script_variable_forget(&script->variables[i]);
        }
    }
}
