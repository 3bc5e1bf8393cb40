/* SPDX-License-Identifier: Apache-2.0 */
/* advice.c - what the rules of Nsight Compute say of each kernel, what gains most first. */
#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "explain/profile/gather.h"

/* Whether advice is not of one rule for one kernel, and which comes first. */
static int compare_rules(const mls_ncu_advice *x, const mls_ncu_advice *y)
{
    const int64_t order = x->row != y->row     ? (int64_t)x->row - y->row
                          : x->rule != y->rule ? (int64_t)x->rule - y->rule
                                               : (int64_t)x->global - y->global;
    return (order > 0) - (order < 0);
}

static int compare_advice(const void *a, const void *b)
{
    const mls_ncu_advice *x = a;
    const mls_ncu_advice *y = b;
    const int order = compare_rules(x, y);
    return order != 0 ? order : (x->launch > y->launch) - (x->launch < y->launch);
}

/* Advice on the whole kernel comes before advice on a part, as only the former can be compared. */
static int compare_gains(const void *a, const void *b)
{
    const mls_profile_advice *x = a;
    const mls_profile_advice *y = b;
    const double left = x->global && isfinite(x->gain_ms) ? x->gain_ms : -1;
    const double right = y->global && isfinite(y->gain_ms) ? y->gain_ms : -1;
    const double most = y->speedup_percent - x->speedup_percent;
    return x->global != y->global ? (x->global ? -1 : 1)
           : left != right        ? (left < right ? 1 : -1)
           : most != 0            ? (most > 0 ? 1 : -1)
                                  : mls_str_compare(x->name, y->name);
}

static const char *words_of(const mls_kernel_classes *classes, mls_str rule)
{
    unsigned i;
    return MLS_NAME_FIND(classes->ncu_rules, classes->ncu_rule_count, rule, &i) ? classes->ncu_rules[i].words : "";
}

/* Adds the speedup that a rule expects of a launch. */
static void add_launch(mls_profile_advice *to, const mls_launch *launch, double speedup)
{
    const double duration = launch->rank[MLS_NCU_DURATION] > 0 ? launch->value[MLS_NCU_DURATION] : (double)NAN;
    to->launches++;
    to->duration_ms += duration;
    to->gain_ms += duration * speedup / 100;
    to->speedup_percent += speedup;
}

bool mls_gather_list_advice(mls_gather *gather)
{
    const mls_tally *kernels = &gather->tallies[MLS_TALLY_KERNELS];
    mls_profile *profile = gather->profile;
    mls_ncu_advice *items = gather->advice.items;
    const size_t count = gather->advice.count;
    mls_profile_advice *to = mls_arena_array(gather->arena, count + 1, sizeof *to);
    profile->advice = to;
    for (size_t i = 0; i < count; i++) {
        items[i].row = gather->launches.items[items[i].launch].row;
        items[i].speedup /= mls_locale_divisor(gather->locale, items[i].open, true);
    }
    if (to == NULL || count == 0) {
        return to != NULL;
    }
    qsort(items, count, sizeof *items, compare_advice);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_rules(&items[i - 1], &items[i]) != 0) {
            const mls_str rule = gather->tallies[MLS_TALLY_RULES].rows[items[i].rule].name;
            to = &profile->advice[profile->advice_count++];
            *to = (mls_profile_advice){.name = kernels->rows[items[i].row].name,
                                       .rule = rule,
                                       .words = words_of(gather->classes, rule),
                                       .global = items[i].global};
        }
        double most = items[i].speedup; /* a rule may say several things of a launch */
        while (i + 1 < count && compare_advice(&items[i], &items[i + 1]) == 0) {
            most = fmax(most, items[++i].speedup);
        }
        add_launch(to, &gather->launches.items[items[i].launch], most);
    }
    for (size_t i = 0; i < profile->advice_count; i++) {
        to = &profile->advice[i];
        to->speedup_percent =
            to->duration_ms > 0 ? 100 * to->gain_ms / to->duration_ms : to->speedup_percent / (double)to->launches;
        to->gain_ms = to->global ? mls_number_round(to->gain_ms, 9) : (double)NAN;
    }
    qsort(profile->advice, profile->advice_count, sizeof *profile->advice, compare_gains);
    return true;
}
