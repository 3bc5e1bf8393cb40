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

/* The next word of *text, which moves behind it; empty at the end. */
static mls_str word_next(mls_str *text)
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

static bool set(char **member, mls_str text)
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
static bool take_dlpal(mls_job *job, mls_str text)
{
    mls_str rest = text;
    (void)word_next(&rest);
    const mls_str container = word_next(&rest);
    const mls_str number = word_next(&rest);
    const mls_str nodes = word_next(&rest);
    const mls_str node_list = word_next(&rest);
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
    return set(&job->container, container) && set(&job->job, number) && set(&job->node_list, node_list) &&
           set(&job->cluster, cluster) && set(&job->config, config);
}

/* Beginning trial 3 of 10 */
static void take_trial(mls_job *job, mls_str text)
{
    size_t trial;
    size_t trials;
    mls_str rest = text;
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
    switch (marker->kind) {
    case MLS_MARKER_DLPAL:
        return take_dlpal(job, marker->text);
    case MLS_MARKER_TRIAL_BEGIN:
        take_trial(job, marker->text);
        return true;
    default:
        return true;
    }
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
