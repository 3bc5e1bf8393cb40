/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - the hosts that names of logs of measurements say. */
#include "base/file.h"
#include "telemetry/files.h"

/* Words of a name that are about the log, not about the host; longer ones before those that they begin with. */
static const mls_str log_words[] = {
    MLS_STR("nvidia-smi"), MLS_STR("nvsmi"), MLS_STR("amd-smi"), MLS_STR("rocm-smi"),  MLS_STR("smi"),
    MLS_STR("gpus"),       MLS_STR("gpu"),   MLS_STR("dmon"),    MLS_STR("telemetry"), MLS_STR("power"),
    MLS_STR("pmon"),       MLS_STR("dcgmi"), MLS_STR("dcgm"),    MLS_STR("ipmi"),
};

static bool is_separator(char c)
{
    return c == '.' || c == '_' || c == '-';
}

/* Drops one such word from the begin or the end. */
static bool drop_word(mls_str *name)
{
    for (size_t i = 0; i < sizeof log_words / sizeof *log_words; i++) {
        const size_t len = log_words[i].len;
        const bool whole = name->len == len;
        if (mls_str_starts(*name, log_words[i]) && (whole || is_separator(name->ptr[len]))) {
            *name = (mls_str){name->ptr + len + !whole, name->len - len - !whole};
            return true;
        }
        if (mls_str_ends(*name, log_words[i]) && is_separator(name->ptr[name->len - len - 1])) {
            name->len -= len + 1;
            return true;
        }
    }
    return false;
}

mls_str mls_log_stem(const char *path)
{
    static const mls_str endings[] = {MLS_STR(".csv"), MLS_STR(".log"), MLS_STR(".txt"), MLS_STR(".out")};
    const mls_str name = mls_str_from(mls_path_name(path));
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (mls_str_ends(name, endings[i])) {
            return (mls_str){name.ptr, name.len - endings[i].len};
        }
    }
    return (mls_str){NULL, 0};
}

mls_str mls_host_of(const char *path)
{
    mls_str name = mls_log_stem(path);
    while (name.len > 0 && drop_word(&name)) {
    }
    return name;
}
