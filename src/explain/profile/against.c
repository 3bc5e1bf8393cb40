/* SPDX-License-Identifier: Apache-2.0 */
/* against.c - one profile beside another, and beside the run that it is of. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "explain/profile/profile.h"

static const mls_profile_row *class_row(const mls_profile *profile, mls_str name)
{
    for (size_t i = 0; i < profile->classes.count; i++) {
        if (mls_str_equal(profile->classes.items[i].name, name)) {
            return &profile->classes.items[i];
        }
    }
    return NULL;
}

/* Milliseconds a step, or the share of all activity; 0 where the class is not. */
static double measure_class(const mls_profile *profile, mls_str name, bool per_step)
{
    const mls_profile_row *row = class_row(profile, name);
    return row == NULL            ? 0
           : per_step             ? row->total_ms / (double)profile->steps.count
           : isfinite(row->share) ? row->share
                                  : 0;
}

static int compare_changes(const void *a, const void *b)
{
    const mls_profile_change *x = a;
    const mls_profile_change *y = b;
    const double left = fabs(x->after - x->before);
    const double right = fabs(y->after - y->before);
    return left != right ? (left < right ? 1 : -1) : mls_str_compare(x->name, y->name);
}

mls_status mls_profile_compare(const mls_profile *base, const mls_profile *profile, mls_profile_changes *changes)
{
    const size_t max = base->classes.count + profile->classes.count;
    *changes = (mls_profile_changes){.items = mls_calloc(max + 1, sizeof *changes->items),
                                     .per_step = base->steps.count > 0 && profile->steps.count > 0};
    if (changes->items == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < max; i++) {
        const bool old = i < base->classes.count;
        const mls_str name = old ? base->classes.items[i].name : profile->classes.items[i - base->classes.count].name;
        if (old || class_row(base, name) == NULL) {
            changes->items[changes->count++] = (mls_profile_change){name, measure_class(base, name, changes->per_step),
                                                                    measure_class(profile, name, changes->per_step)};
        }
    }
    qsort(changes->items, changes->count, sizeof *changes->items, compare_changes);
    return MLS_OK;
}

void mls_profile_place(mls_profile *profile, double start_ms, double stop_ms)
{
    const double end = isfinite(stop_ms) ? stop_ms : (double)INFINITY;
    /* Less than nothing is how far they are apart. */
    const double shared = fmin(profile->start_ms + profile->length_ms, end) - fmax(profile->start_ms, start_ms);
    if (!isfinite(profile->start_ms) || !isfinite(start_ms) ||
        (profile->run.known && !(shared > profile->run.shared_ms))) {
        return;
    }
    profile->run.known = true;
    profile->run.shared_ms = shared;
    profile->run.offset_minutes = (profile->start_ms - start_ms) / 60000;
    profile->run.inside = profile->start_ms >= start_ms && profile->start_ms + profile->length_ms <= end;
}
