/* SPDX-License-Identifier: Apache-2.0 */
/* log_script.h - logs in a shorthand, one word per line:
 *
 * c i I r e s a n  cache_clear, init_start, init_stop, run_start, eval_accuracy, run_stop (success, aborted, without
 * status), followed by the time: r400
 * b  submission_benchmark, followed by the time
 * e400/3072=0.9  an evaluation at 3072 samples; e400#3=0.9 at epoch 3
 * B X  "Beginning trial 1 of 2", "EXPERIMENT_START 1"
 * m  a malformed line; -  another line
 * key=json  a record with any key at time 1
 *
 * Text with ::: or quoted text with blanks '…' is copied unchanged. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

static inline void script_record(mls_buffer *log, const char *key, double time_ms, const char *value,
                                 const char *metadata)
{
    mls_buffer_printf(log, ":::MLLOG {\"time_ms\": %.0f, \"key\": \"%s\", \"value\": %s, \"metadata\": {%s}}\n",
                      time_ms, key, value, metadata);
}

static inline void script_evaluation(mls_buffer *log, const char *word)
{
    char metadata[64] = "";
    const double time_ms = strtod(word + 1, NULL);
    const char *samples = strchr(word, '/');
    const char *epochs = strchr(word, '#');
    const char *value = strchr(word, '=');
    if (samples != NULL)
        (void)snprintf(metadata, sizeof metadata, "\"samples_count\": %ld", strtol(samples + 1, NULL, 10));
    else if (epochs != NULL)
        (void)snprintf(metadata, sizeof metadata, "\"epoch_num\": %ld", strtol(epochs + 1, NULL, 10));
    script_record(log, "eval_accuracy", time_ms, value != NULL ? value + 1 : "0.5", metadata);
}

static inline void script_word(mls_buffer *log, const char *word)
{
    static const char letters[] = "ciIrsanb";
    static const char *const keys[] = {"cache_clear", "init_start", "init_stop", "run_start",
                                       "run_stop",    "run_stop",   "run_stop",  "submission_benchmark"};
    static const char *const statuses[] = {"", "", "", "", "\"status\": \"success\"", "\"status\": \"aborted\"",
                                           "", ""};
    const char *kind = strchr(letters, word[0]);
    const char *equal = strchr(word, '=');
    if (word[0] == 'e' && word[1] >= '0' && word[1] <= '9') {
        script_evaluation(log, word);
    } else if (kind != NULL && word[1] >= '0' && word[1] <= '9') {
        script_record(log, keys[kind - letters], strtod(word + 1, NULL), "null", statuses[kind - letters]);
    } else if (word[0] == '\'') {
        mls_buffer_append(log, (mls_str){word + 1, strlen(word) - 2});
        mls_buffer_append_char(log, '\n');
    } else if (equal != NULL) {
        char key[64];
        (void)snprintf(key, sizeof key, "%.*s", (int)(equal - word), word);
        script_record(log, key, 1, equal + 1, "");
    } else {
        mls_buffer_append_text(log, strcmp(word, "B") == 0   ? "Beginning trial 1 of 2\n"
                                    : strcmp(word, "X") == 0 ? "EXPERIMENT_START 1\n"
                                    : strcmp(word, "m") == 0 ? ":::MLLOG {\n"
                                                             : "noise\n");
    }
}

/* Return the log that a script describes.  Release it after use. */
static inline mls_buffer script_log(const char *script)
{
    mls_buffer log = {0};
    mls_buffer_append_text(&log, "");
    while (*script != '\0') {
        char word[400];
        size_t len = strcspn(script, " ");
        if (*script == '\'')
            len = strcspn(script + 1, "'") + 2;
        (void)snprintf(word, sizeof word, "%.*s", (int)len, script);
        script_word(&log, word);
        script += len;
        script += strspn(script, " ");
    }
    return log;
}
