/* SPDX-License-Identifier: Apache-2.0 */
/* published_search.c - filter and sort published results. */
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "base/statistics.h"
#include "compare/side.h"

const char *mls_published_text_name(mls_published_text which)
{
    static const char *const names[] = {"benchmark", "submitter", "system", "accelerator", "availability"};
    return which < MLS_PUBLISHED_TEXTS ? names[which] : "";
}

static void texts_of(const mls_published_result *result, mls_published_text which, const char *texts[2])
{
    const mls_published_system *system = result->system;
    texts[0] = which == MLS_PUBLISHED_BENCHMARK     ? result->benchmark
               : which == MLS_PUBLISHED_SUBMITTER   ? system->submitter
               : which == MLS_PUBLISHED_SYSTEM      ? system->system_id
               : which == MLS_PUBLISHED_ACCELERATOR ? system->accelerator
                                                    : system->availability;
    texts[1] = which == MLS_PUBLISHED_SYSTEM ? system->system_name : NULL;
}

static bool has_part(const char *text, const char *part)
{
    return text != NULL && strcasestr(text, part) != NULL;
}

bool mls_published_names_accelerator(const mls_published *published, const char *name)
{
    bool known = false;
    for (size_t i = 0; i < published->count && strchr(name, ' ') != NULL && !known; i++) {
        const char *accelerator = published->results[i].system->accelerator;
        known = accelerator != NULL && strcasecmp(accelerator, name) == 0;
    }
    return known;
}

static bool has_text(const mls_published_filter *filter, const mls_published_result *result, mls_published_text which)
{
    /* Texts that occur in the spellings of each availability, which differ between rounds: "onprem", "Available
     * on-premise". */
    static const char *const words[][3] = {{"cloud", "cloud", "cloud"},
                                           {"onprem", "on-prem", "premise"},
                                           {"preview", "preview", "preview"},
                                           {"research", "research", "research"}};
    const char *wanted = filter->texts[which];
    const char *texts[2];
    if (wanted == NULL)
        return true;
    texts_of(result, which, texts);
    if (which == MLS_PUBLISHED_BENCHMARK)
        return strcmp(texts[0], wanted) == 0;
    if (which == MLS_PUBLISHED_ACCELERATOR && filter->whole_accelerator)
        return texts[0] != NULL && strcasecmp(texts[0], wanted) == 0;
    if (which == MLS_PUBLISHED_ACCELERATOR) { /* the name of the accelerator must contain all words */
        mls_str rest = mls_str_from(wanted);
        bool all = texts[0] != NULL;
        for (mls_str word = mls_str_word(&rest); word.len > 0 && all; word = mls_str_word(&rest)) {
            const char *at = texts[0];
            while (*at != '\0' && strncasecmp(at, word.ptr, word.len) != 0)
                at++;
            all = *at != '\0';
        }
        return all;
    }
    for (size_t i = 0; which == MLS_PUBLISHED_AVAILABILITY && i < sizeof words / sizeof *words; i++)
        if (has_part(wanted, words[i][0]) || has_part(wanted, words[i][1]) || has_part(wanted, words[i][2]))
            return has_part(texts[0], words[i][0]) || has_part(texts[0], words[i][1]) ||
                   has_part(texts[0], words[i][2]);
    return has_part(texts[0], wanted) || has_part(texts[1], wanted);
}

bool mls_published_passes(const mls_published_filter *filter, const mls_published_result *result)
{
    const double accelerators = result->system->accelerators;
    bool passes = (filter->edition == 0 || filter->edition == result->edition) &&
                  (filter->division == MLS_DIVISION_NONE || filter->division == result->system->division) &&
                  (filter->precision == NULL ||
                   (result->precision != NULL && strcmp(filter->precision, result->precision) == 0)) &&
                  (!(filter->min_accelerators > 0) || accelerators >= filter->min_accelerators) &&
                  (!(filter->max_accelerators > 0) || accelerators <= filter->max_accelerators);
    for (int which = 0; which < MLS_PUBLISHED_TEXTS && passes; which++)
        passes = has_text(filter, result, (mls_published_text)which);
    return passes;
}

mls_suggestion mls_published_nearest_text(const mls_published *published, mls_published_text which, const char *text)
{
    mls_suggestion nearest = mls_suggest_for(mls_str_from(text));
    const char *texts[2];
    for (size_t i = 0; i < published->count; i++) {
        texts_of(&published->results[i], which, texts);
        if (which == MLS_PUBLISHED_ACCELERATOR) /* also suggest the accelerator model */
            texts[1] = published->results[i].system->model.text;
        for (size_t k = 0; k < 2; k++)
            if (texts[k] != NULL)
                mls_suggest_add(&nearest, mls_str_from(texts[k]));
    }
    return nearest;
}

static double number_of(const mls_published_result *result, mls_published_order by)
{
    return by == MLS_PUBLISHED_BY_MINUTES               ? result->minutes
           : by == MLS_PUBLISHED_BY_ACCELERATORS        ? result->system->accelerators
           : by == MLS_PUBLISHED_BY_ACCELERATOR_MINUTES ? result->accelerator_minutes
                                                        : 0;
}

/* Compare hits by the requested order.  Hits that are equal keep the order of mls_published, which is by edition. */
static int order_hits(const void *left, const void *right, void *wanted)
{
    const mls_published_result *a = ((const mls_published_hit *)left)->result;
    const mls_published_result *b = ((const mls_published_hit *)right)->result;
    const mls_published_order by = *(const mls_published_order *)wanted;
    const int order = by == MLS_PUBLISHED_BY_SUBMITTER ? strcasecmp(a->system->submitter, b->system->submitter)
                                                       : mls_compare_doubles(number_of(a, by), number_of(b, by));
    return order != 0 ? order : (a > b) - (a < b);
}

/* Compare results in the order of a trend: by benchmark, division, accelerator count and edition, the oldest first. */
static int compare_trends(const mls_published_result *a, const mls_published_result *b)
{
    int order = strcmp(a->benchmark, b->benchmark);
    order = order != 0 ? order : mls_division_compare(a->system->division, b->system->division);
    return order != 0 ? order : mls_compare_doubles(a->system->accelerators, b->system->accelerators);
}

static int by_trend(const void *left, const void *right)
{
    const mls_published_result *a = ((const mls_published_hit *)left)->result;
    const mls_published_result *b = ((const mls_published_hit *)right)->result;
    const int order = compare_trends(a, b);
    return order != 0 ? order : mls_compare_sizes(a->edition, b->edition);
}

static bool is_beaten(const mls_published_hit *hits, size_t count, const mls_published_result *result)
{
    while (count-- > 0) {
        const mls_published_result *other = hits[count].result;
        if (other->edition != result->edition || strcmp(other->benchmark, result->benchmark) != 0)
            return false;
        if (other->system->division == result->system->division &&
            mls_compare_doubles(other->system->accelerators, result->system->accelerators) == 0)
            return true;
    }
    return false;
}

void mls_published_search(const mls_published *published, const mls_published_filter *filter, mls_published_hit **hits,
                          size_t *count)
{
    mls_published_order order = filter->order;
    *hits = mls_calloc(published->count + 1, sizeof **hits);
    *count = 0;
    for (size_t i = 0; i < published->count; i++) {
        const mls_published_result *result = &published->results[i];
        if (mls_published_passes(filter, result) && !(filter->trend && isnan(result->system->accelerators)) &&
            !((filter->best || filter->trend) && (isnan(result->minutes) || is_beaten(*hits, *count, result))))
            (*hits)[(*count)++] = (mls_published_hit){.result = result, .ratio = (double)NAN};
    }
    if (!filter->trend) {
        qsort_r(*hits, *count, sizeof **hits, order_hits, &order);
        return;
    }
    /* Keep the hits whose accelerator count occurs in several editions, and set their ratios. */
    mls_published_hit *all = *hits;
    size_t kept = 0;
    qsort(all, *count, sizeof *all, by_trend);
    for (size_t first = 0, end; first < *count; first = end) {
        end = first + 1;
        while (end < *count && compare_trends(all[first].result, all[end].result) == 0) {
            all[end].ratio = all[end].result->minutes / all[end - 1].result->minutes - 1;
            end++;
        }
        if (end - first > 1) {
            memmove(all + kept, all + first, (end - first) * sizeof *all);
            kept += end - first;
        }
    }
    *count = kept;
}
