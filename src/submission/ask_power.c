/* SPDX-License-Identifier: Apache-2.0 */
/* ask_power.c - ask about the power files of results: whether they cover their runs, are plausible and complete. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/statistics.h"
#include "submission/judge.h"

/* Limits: how far readings may be from the ends of a run and from each other, and the watts of an accelerator. */
enum { APART_MS = 3000, WATTS_MIN = 100, WATTS_MAX = 3000 };

/* A power file of a node, and its readings. */
typedef struct node_file {
    const mls_submission_file *file;
    const mls_power_readings *readings;
} node_file;
typedef MLS_LIST_OF(node_file) node_files;

static double rounded(double number, double unit)
{
    return round(number * unit) / unit;
}

/* Add a file and a number to the list of a question, which is created for the first one. */
static void add_measured(cJSON **list, const node_file *node, const char *name, double number)
{
    cJSON *item = cJSON_CreateObject();
    (void)cJSON_AddStringToObject(item, "file", node->file->path);
    (void)cJSON_AddNumberToObject(item, name, number);
    *list = *list != NULL ? *list : cJSON_CreateArray();
    (void)cJSON_AddItemToArray(*list, item);
}

/* Ask about files, if there are any in the list. */
static void ask(mls_submission *submission, mls_ask_about about, mls_finding_code code, cJSON *list,
                const char *message)
{
    if (list == NULL)
        return;
    cJSON *fields = cJSON_CreateObject();
    const cJSON *first = cJSON_IsArray(list->child) ? list->child->child : cJSON_GetObjectItem(list->child, "file");
    (void)cJSON_AddItemToObject(fields, "files", list);
    (void)mls_ask(submission, code, about, fields, "%s: %s, the first of %d", message, first->valuestring,
                  cJSON_GetArraySize(list));
}

/* Order files by their size and readings, so that copies are adjacent. */
static int compare_nodes(const void *left, const void *right)
{
    const node_file *a = left;
    const node_file *b = right;
    int order = mls_compare_doubles((double)a->file->size, (double)b->file->size);
    order = order != 0 ? order : mls_compare_doubles(a->readings->first_ms, b->readings->first_ms);
    order = order != 0 ? order : mls_compare_doubles(a->readings->last_ms, b->readings->last_ms);
    return order != 0 ? order : mls_str_compare_natural(mls_str_from(a->file->path), mls_str_from(b->file->path));
}

static bool is_copy(const mls_submission *submission, const node_file *a, const node_file *b)
{
    mls_buffer texts[2] = {{0}, {0}};
    const bool equal = a->file->size == b->file->size && a->readings->count == b->readings->count &&
                       a->readings->count > 0 && a->readings->first_ms == b->readings->first_ms &&
                       mls_tree_read(submission, a->file, (size_t)MLS_LOG_BYTES_MAX, &texts[0], NULL) == MLS_OK &&
                       mls_tree_read(submission, b->file, (size_t)MLS_LOG_BYTES_MAX, &texts[1], NULL) == MLS_OK &&
                       mls_str_equal(mls_buffer_str(&texts[0]), mls_buffer_str(&texts[1]));
    mls_buffer_release(&texts[0]);
    mls_buffer_release(&texts[1]);
    return equal;
}

/* Ask about files that are copies; the files are reordered. */
static void ask_copied(mls_submission *submission, mls_ask_about about, node_files *nodes)
{
    cJSON *list = NULL;
    cJSON *copies = NULL; /* the group of the file before */
    if (nodes->count > 1)
        qsort(nodes->items, nodes->count, sizeof *nodes->items, compare_nodes);
    for (size_t i = 1; i < nodes->count; i++) {
        if (!is_copy(submission, &nodes->items[i - 1], &nodes->items[i])) {
            copies = NULL;
            continue;
        }
        if (copies == NULL) {
            list = list != NULL ? list : cJSON_CreateArray();
            copies = cJSON_CreateArray();
            (void)cJSON_AddItemToArray(list, copies);
            (void)cJSON_AddItemToArray(copies, cJSON_CreateString(nodes->items[i - 1].file->path));
        }
        (void)cJSON_AddItemToArray(copies, cJSON_CreateString(nodes->items[i].file->path));
    }
    ask(submission, about, MLS_FINDING_POWER_COPIED, list, "power files are copies of each other");
}

static void ask_about(mls_submission *submission, mls_ask_about about, const mls_system *system)
{
    node_files nodes = {0};
    cJSON *uncovered = NULL;
    cJSON *implausible = NULL;
    cJSON *gaps = NULL;
    cJSON *measured = cJSON_CreateArray();
    const double described = system != NULL ? mls_first_number(system->says.number_of_nodes) : (double)NAN;
    const double accelerators = system != NULL ? mls_first_number(system->says.accelerators_per_node) : (double)NAN;
    for (size_t i = 0; i < about.result->run_count; i++) {
        const mls_submission_run *run = &about.result->runs[i];
        const size_t count = run->readings != NULL ? run->power->files[0].count : 0;
        bool known = run->readings == NULL || (double)count == described;
        const cJSON *item;
        cJSON_ArrayForEach(item, measured)
        {
            known |= item->valuedouble == (double)count;
        }
        if (!known)
            (void)cJSON_AddItemToArray(measured, cJSON_CreateNumber((double)count));
        for (size_t k = 0; k < count; k++) {
            const node_file node = {&run->power->files[0].items[k], &run->readings[k]};
            const mls_power_readings *readings = node.readings;
            if (!readings->read)
                continue;
            MLS_GROW(&nodes, items);
            nodes.items[nodes.count++] = node;
            if (!(readings->first_ms <= readings->start_ms + APART_MS) ||
                !(readings->last_ms >= readings->stop_ms - APART_MS)) {
                const double covered =
                    (fmin(readings->last_ms, readings->stop_ms) - fmax(readings->first_ms, readings->start_ms)) /
                    (readings->stop_ms - readings->start_ms);
                add_measured(&uncovered, &node, "covered", covered > 0 ? rounded(covered, 10000) : 0);
            }
            const double watts = readings->watts / accelerators;
            if (accelerators > 0 && (watts < WATTS_MIN || watts > WATTS_MAX))
                add_measured(&implausible, &node, "watts", rounded(watts, 10));
            if (readings->gap_ms > APART_MS)
                add_measured(&gaps, &node, "ms", readings->gap_ms);
        }
    }
    ask(submission, about, MLS_FINDING_POWER_COVERAGE, uncovered, "power files do not cover their runs");
    ask(submission, about, MLS_FINDING_POWER_WATTS, implausible,
        "power files have readings outside of 100 to 3,000 watts per accelerator");
    if (described > 0 && measured->child != NULL) {
        cJSON *fields = cJSON_CreateObject();
        (void)cJSON_AddNumberToObject(fields, "described", described);
        (void)cJSON_AddItemToObject(fields, "measured", measured);
        (void)mls_ask(submission, MLS_FINDING_POWER_NODES, about, fields,
                      "the description has %.0f nodes, but a run has power files of %.0f", described,
                      measured->child->valuedouble);
    } else {
        cJSON_Delete(measured);
    }
    ask_copied(submission, about, &nodes);
    ask(submission, about, MLS_FINDING_POWER_GAP, gaps, "power readings are more than 3 seconds apart");
    free(nodes.items);
}

void mls_power_ask(mls_submission *submission)
{
    for (size_t s = 0; s < submission->submitter_count; s++) {
        mls_submitter *submitter = &submission->submitters[s];
        for (size_t i = 0; i < submitter->result_count; i++) {
            mls_submission_result *result = &submitter->results[i];
            if (result->judged && result->has_power)
                ask_about(submission, (mls_ask_about){.submitter = submitter, .result = result},
                          mls_submitter_system(submitter, result->system));
        }
    }
}
