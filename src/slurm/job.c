/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

void mls_job_init(mls_job *job)
{
    *job = (mls_job){.node_count = (double)NAN, .trial = (double)NAN, .trials = (double)NAN};
}

void mls_job_release(mls_job *job)
{
    free(job->container);
    free(job->job);
    free(job->node_list);
    free(job->cluster);
    free(job->config);
    mls_job_init(job);
}

/* The next word of *text, which moves behind it; empty at the end. */
static mls_str mls_word_next(mls_str *text)
{
    while (text->len > 0 && (*text->ptr == ' ' || *text->ptr == '\t')) {
        text->ptr++;
        text->len--;
    }
    mls_str word = {text->ptr, 0};
    while (word.len < text->len && word.ptr[word.len] != ' ' && word.ptr[word.len] != '\t') {
        word.len++;
    }
    text->ptr += word.len;
    text->len -= word.len;
    return word;
}

static bool mls_job_set(char **member, mls_str text)
{
    while (text.len > 0 && (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\t')) {
        text.len--;
    }
    if (text.len >= 2 && (text.ptr[0] == '\'' || text.ptr[0] == '"') && text.ptr[text.len - 1] == text.ptr[0]) {
        text.ptr++;
        text.len -= 2;
    }
    if (text.len == 0) {
        return true;
    }
    char *copy = mls_copy_text(text.ptr, text.len);
    if (copy != NULL) {
        free(*member);
        *member = copy;
    }
    return copy != NULL;
}

/* :::DLPAL <container> <job> <nodes> <nodelist> <cluster, perhaps several words> <DGXSYSTEM> */
static bool mls_job_dlpal(mls_job *job, mls_str text)
{
    mls_str rest = text;
    (void)mls_word_next(&rest);
    const mls_str container = mls_word_next(&rest);
    const mls_str number = mls_word_next(&rest);
    const mls_str nodes = mls_word_next(&rest);
    const mls_str node_list = mls_word_next(&rest);
    size_t count;
    mls_str cluster = rest;
    while (cluster.len > 0 && (cluster.ptr[cluster.len - 1] == ' ' || cluster.ptr[cluster.len - 1] == '\t')) {
        cluster.len--;
    }
    mls_str config = {cluster.ptr + cluster.len, 0};
    while (cluster.len > 0 && config.ptr[-1] != ' ' && config.ptr[-1] != '\t') {
        config.ptr--;
        config.len++;
        cluster.len--;
    }
    while (cluster.len > 0 && (*cluster.ptr == ' ' || *cluster.ptr == '\t')) {
        cluster.ptr++;
        cluster.len--;
    }
    if (mls_size_parse(nodes, &count)) {
        job->node_count = (double)count;
    }
    return mls_job_set(&job->container, container) && mls_job_set(&job->job, number) &&
           mls_job_set(&job->node_list, node_list) && mls_job_set(&job->cluster, cluster) &&
           mls_job_set(&job->config, config);
}

/* Beginning trial 3 of 10 */
static void mls_job_trial(mls_job *job, mls_str text)
{
    size_t trial;
    size_t trials;
    mls_str rest = text;
    (void)mls_word_next(&rest);
    (void)mls_word_next(&rest);
    if (mls_size_parse(mls_word_next(&rest), &trial)) {
        job->trial = (double)trial;
        (void)mls_word_next(&rest);
        job->trials = mls_size_parse(mls_word_next(&rest), &trials) ? (double)trials : (double)NAN;
    }
}

bool mls_job_marker(mls_job *job, const mls_marker *marker)
{
    switch (marker->kind) {
    case MLS_MARKER_DLPAL:
        return mls_job_dlpal(job, marker->text);
    case MLS_MARKER_TRIAL_BEGIN:
        mls_job_trial(job, marker->text);
        return true;
    default:
        return true;
    }
}

static bool mls_job_fill(char **member, const char *from)
{
    return *member != NULL || from == NULL || (*member = mls_copy_text(from, strlen(from))) != NULL;
}

bool mls_job_inherit(mls_job *job, const mls_job *from)
{
    job->node_count = isnan(job->node_count) ? from->node_count : job->node_count;
    return mls_job_fill(&job->container, from->container) && mls_job_fill(&job->job, from->job) &&
           mls_job_fill(&job->node_list, from->node_list) && mls_job_fill(&job->cluster, from->cluster) &&
           mls_job_fill(&job->config, from->config);
}

/* ----------------------------------------------------------------- hosts */

typedef struct mls_hosts {
    void (*each)(void *state, mls_str host);
    void *state;
    size_t count;
} mls_hosts;

static void mls_host_emit(mls_hosts *hosts, mls_str host)
{
    if (host.len > 0) {
        hosts->count++;
        if (hosts->each != NULL) {
            hosts->each(hosts->state, host);
        }
    }
}

/* One of the ranges between brackets: "01-03" or "07", with its zeros.  hosts NULL: only looks whether it is one. */
static bool mls_hosts_range(mls_hosts *hosts, mls_str before, mls_str range, mls_str after)
{
    char name[512];
    const char *dash = range.len > 0 ? memchr(range.ptr, '-', range.len) : NULL;
    const mls_str low = {range.ptr, dash != NULL ? (size_t)(dash - range.ptr) : range.len};
    const mls_str high = dash != NULL ? (mls_str){dash + 1, range.len - low.len - 1} : low;
    size_t first;
    size_t last;
    if (!mls_size_parse(low, &first) || !mls_size_parse(high, &last) || first > last || low.len > 20 ||
        before.len + after.len > sizeof name - 32) {
        return false;
    }
    /* Counted from 0, since `last` may be the largest number there is. */
    for (size_t k = 0; hosts != NULL && k <= last - first && hosts->count <= MLS_HOSTS_MAX; k++) {
        const int len = snprintf(name, sizeof name, "%.*s%0*zu%.*s", (int)before.len, before.ptr, (int)low.len,
                                 first + k, (int)after.len, after.ptr);
        mls_host_emit(hosts, (mls_str){name, len > 0 ? (size_t)len : 0});
    }
    return true;
}

/* The ranges between a word's brackets, up to the first that is none, and then false. */
static bool mls_hosts_ranges(mls_hosts *hosts, mls_str before, mls_str ranges, mls_str after)
{
    while (ranges.len > 0) {
        const char *comma = memchr(ranges.ptr, ',', ranges.len);
        const mls_str range = {ranges.ptr, comma != NULL ? (size_t)(comma - ranges.ptr) : ranges.len};
        if (!mls_hosts_range(hosts, before, range, after)) {
            return false;
        }
        const size_t used = range.len + (comma != NULL);
        ranges.ptr += used;
        ranges.len -= used;
    }
    return true;
}

/* A word of the list, with at most one pair of brackets; false, with nothing emitted, when it does not follow the
 * syntax. */
static bool mls_hosts_word(mls_hosts *hosts, mls_str word)
{
    const char *open = word.len > 0 ? memchr(word.ptr, '[', word.len) : NULL;
    if (open == NULL) {
        mls_host_emit(hosts, word);
        return true;
    }
    const size_t start = (size_t)(open - word.ptr) + 1;
    const char *close = memchr(open, ']', word.len - start + 1);
    if (close == NULL || close == open + 1) {
        return false;
    }
    const mls_str before = {word.ptr, start - 1};
    const mls_str after = {close + 1, (size_t)(word.ptr + word.len - close) - 1};
    const mls_str ranges = {open + 1, (size_t)(close - open) - 1};
    if (memchr(after.ptr, '[', after.len) != NULL || !mls_hosts_ranges(NULL, before, ranges, after)) {
        return false;
    }
    return mls_hosts_ranges(hosts, before, ranges, after);
}

static void mls_hosts_words(mls_hosts *hosts, mls_str list)
{
    size_t start = 0;
    bool bracket = false;
    for (size_t i = 0; i <= list.len && hosts->count <= MLS_HOSTS_MAX; i++) {
        const char c = i < list.len ? list.ptr[i] : ',';
        bracket = c == '[' || (bracket && c != ']' && i < list.len);
        if (c == ',' && !bracket) {
            const mls_str word = {list.ptr + start, i - start};
            if (!mls_hosts_word(hosts, word)) {
                mls_host_emit(hosts, word);
            }
            start = i + 1;
        }
    }
}

void mls_hosts_expand(mls_str list, void (*each)(void *state, mls_str host), void *state)
{
    mls_hosts counted = {NULL, NULL, 0};
    mls_hosts hosts = {each, state, 0};
    mls_hosts_words(&counted, list);
    if (counted.count > MLS_HOSTS_MAX) {
        mls_host_emit(&hosts, list);
    } else {
        mls_hosts_words(&hosts, list);
    }
}
