/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job.c - what the marker lines of a Slurm log say about the job around a run.
 */
#include "mlscore/run.h"

#include <math.h>
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

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static mls_str trimmed(mls_str text)
{
    while (text.len > 0 && is_blank(*text.ptr)) {
        text.ptr++;
        text.len--;
    }
    while (text.len > 0 && is_blank(text.ptr[text.len - 1])) {
        text.len--;
    }
    return text;
}

/* The next word of *text, which moves behind it; empty at the end. */
static mls_str word_next(mls_str *text)
{
    *text = trimmed(*text);
    mls_str word = {text->ptr, 0};
    while (word.len < text->len && !is_blank(word.ptr[word.len])) {
        word.len++;
    }
    text->ptr += word.len;
    text->len -= word.len;
    return word;
}

static bool set(char **member, mls_str text)
{
    text = trimmed(text);
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
static bool take_dlpal(mls_job *job, mls_str rest)
{
    (void)word_next(&rest);
    const mls_str container = word_next(&rest);
    const mls_str number = word_next(&rest);
    const mls_str nodes = word_next(&rest);
    const mls_str node_list = word_next(&rest);
    mls_str cluster = trimmed(rest);
    const size_t end = cluster.len;
    while (cluster.len > 0 && !is_blank(cluster.ptr[cluster.len - 1])) {
        cluster.len--;
    }
    const mls_str config = {cluster.ptr + cluster.len, end - cluster.len};
    size_t count;
    if (mls_size_parse(nodes, &count)) {
        job->node_count = (double)count;
    }
    return set(&job->container, container) && set(&job->job, number) && set(&job->node_list, node_list) &&
           set(&job->cluster, cluster) && set(&job->config, config);
}

/* Beginning trial 3 of 10 */
static void take_trial(mls_job *job, mls_str rest)
{
    size_t trial;
    size_t trials;
    (void)word_next(&rest);
    (void)word_next(&rest);
    if (mls_size_parse(word_next(&rest), &trial)) {
        job->trial = (double)trial;
        (void)word_next(&rest);
        job->trials = mls_size_parse(word_next(&rest), &trials) ? (double)trials : (double)NAN;
    }
}

bool mls_job_marker(mls_job *job, const mls_marker *marker)
{
    if (marker->kind == MLS_MARKER_TRIAL_BEGIN) {
        take_trial(job, marker->text);
    }
    return marker->kind != MLS_MARKER_DLPAL || take_dlpal(job, marker->text);
}

static bool fill(char **member, const char *from)
{
    return *member != NULL || from == NULL || (*member = mls_copy_text(from, strlen(from))) != NULL;
}

bool mls_job_inherit(mls_job *job, const mls_job *from)
{
    job->node_count = isnan(job->node_count) ? from->node_count : job->node_count;
    return fill(&job->container, from->container) && fill(&job->job, from->job) &&
           fill(&job->node_list, from->node_list) && fill(&job->cluster, from->cluster) &&
           fill(&job->config, from->config);
}
