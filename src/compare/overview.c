/* SPDX-License-Identifier: Apache-2.0 */
/* overview.c - select the main results of each group, its most important problem, and the commands to run next. */
#include "compare/overview.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Thresholds: smaller values are not reported. */
#define WORTH_PART 0.005       /* a part of the difference, relative to the published score */
#define WORTH_COST 1           /* the percentage of the score that a slow or failed run costs */
#define WORTH_EVALUATIONS 0.15 /* the time of evaluations, relative to the time of the run */
#define WORTH_SAMPLES 0.03     /* the samples needed, relative to the mean of the reference, minus 1 */

static void find_compared(const mls_comparison *comparison, mls_overview_group *to);
static void find_causes(mls_overview_group *of);
static const mls_throughput *find_median(const mls_overview_group *of);
static mls_overview_first find_first(const mls_overview_group *of);
static void find_next(mls_overview_group *of);
static bool is_broken(const mls_group *group);
static int compare_worst(const void *left, const void *right);

void mls_overview_make(const mls_comparison *comparison, const mls_collection *collection,
                       const mls_throughputs *measured, const mls_telemetry_notes *notes, mls_overview *all)
{
    const size_t count = collection != NULL ? collection->group_count : comparison->groups.count;
    *all = (mls_overview){.what = collection != NULL ? "logs" : "export",
                          .command = "score",
                          .items = mls_calloc(count + 1, sizeof *all->items),
                          .worst_first = mls_calloc(count + 1, sizeof *all->worst_first),
                          .count = count,
                          .known = &comparison->known,
                          .published = comparison->published,
                          .collection = collection};
    for (size_t i = 0; i < count; i++) {
        mls_overview_group *of = &all->items[i];
        of->side = comparison->groups.items[i];
        if (collection != NULL) {
            of->group = &collection->groups[i];
            of->timed = &measured->groups[i];
            of->machine = mls_telemetry_note_of(notes, of->group).machine;
        }
        find_compared(comparison, of);
        find_causes(of);
        for (size_t k = 0; k < of->side->runs.count; k++)
            of->valid += of->side->runs.items[k].valid;
        of->sound = of->side->official && (of->group == NULL || !is_broken(of->group));
        of->median = find_median(of);
        for (size_t k = 0; of->timed != NULL && k < of->timed->cost_count && of->slow == NULL; k++)
            if (!of->timed->costs[k].within && of->timed->costs[k].kind != MLS_COST_FAILED_RUN)
                of->slow = &of->timed->costs[k];
        of->first = find_first(of);
        find_next(of);
        all->worst_first[i] = of;
    }
    qsort((void *)all->worst_first, count, sizeof(const mls_overview_group *), compare_worst);
}

void mls_overview_release(mls_overview *all)
{
    free(all->items);
    free((void *)all->worst_first);
}

bool mls_overview_is_failed(const mls_run *run)
{
    return !run->valid && run->status != MLS_RUN_SUCCESS;
}

const mls_finding *mls_overview_cause(const mls_run *run)
{
    for (size_t i = 0; i < run->findings.count; i++)
        if (run->findings.items[i].code == MLS_FINDING_DIAGNOSIS)
            return &run->findings.items[i];
    return mls_run_reason(run);
}

/* Find the results of the comparison for a group.  If the published result is the group itself, `why` remains NULL. */
static void find_compared(const mls_comparison *comparison, mls_overview_group *to)
{
    const mls_side_group *side = to->side;
    for (size_t i = 0; i < comparison->beside.count && to->beside == NULL; i++)
        to->beside = comparison->beside.items[i].group == side ? &comparison->beside.items[i] : NULL;
    for (size_t i = 0; i < comparison->blocks.count && to->block == NULL; i++) {
        const mls_block *block = &comparison->blocks.items[i];
        to->block = block->group_count == 2 && block->groups[1] == side ? block : NULL;
    }
    for (size_t i = 0; i < comparison->unmatched.count && to->block == NULL && to->unmatched == NULL; i++) {
        const mls_unmatched *unmatched = &comparison->unmatched.items[i];
        to->unmatched = comparison->mode == MLS_COMPARE_SIDES && unmatched->group == side ? unmatched->reason : NULL;
    }
    to->nearest = to->beside != NULL && to->beside->count > 0 ? &to->beside->near[0] : NULL;
    const mls_published_system *system = to->nearest != NULL ? to->nearest->result->system : NULL;
    if (system != NULL && side->accelerator != NULL && system->accelerators == side->accelerators &&
        strcmp(system->model.text, side->accelerator) == 0)
        to->fastest = to->nearest;
    to->ratio = to->block != NULL     ? to->block->differences[1].scaled_ratio
                : to->fastest != NULL ? to->fastest->ratio
                                      : (double)NAN;
    if (to->block != NULL)
        to->why = mls_why_of_block(comparison->arena, to->block);
    else if (comparison->mode != MLS_COMPARE_SIDES && to->fastest != NULL && !to->fastest->self)
        to->why = to->fastest->why;
}

/* Return a ratio in tenths of a percent, rounded as it is printed, so that the printed numbers add up. */
static double in_tenths(double ratio)
{
    return floor(ratio * 1000 + 0.5);
}

/* Select the parts of the difference and the most important settings that differ. */
static void find_causes(mls_overview_group *of)
{
    enum { RANKS = 6 };
    mls_why_part all[MLS_WHY_PARTS_MAX];
    const mls_published_why *why = of->why;
    if (why == NULL)
        return;
    /* Add the effect of scaling and the remainder as further parts, so that the sum of all parts is the difference. */
    const bool split = why->split.known && !why->split.has[MLS_SHARE_RUN] && isfinite(of->ratio);
    const size_t count = split ? mls_why_parts(why, WORTH_PART, all, MLS_WHY_PARTS_MAX) : 0;
    double rest = split ? in_tenths(of->ratio) : 0;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const double share = in_tenths(all[i].ratio);
        if (strcmp(all[i].name, "other") != 0 && share != 0) {
            of->parts[kept++] = (mls_why_part){all[i].name, share / 1000};
            rest -= share;
        }
    }
    if (fabs(rest) >= 1) {
        size_t at = kept++;
        for (; at > 0 && fabs(rest / 1000) > fabs(of->parts[at - 1].ratio); at--)
            of->parts[at] = of->parts[at - 1];
        of->parts[at] = (mls_why_part){"other", rest / 1000};
    }
    of->part_count = kept;
    /* List batch size and optimizer before counts and names. */
    for (unsigned rank = 0; rank < RANKS; rank++) {
        for (size_t i = 0; i < why->settings.count && of->setting_count < MLS_OVERVIEW_SETTINGS; i++) {
            const mls_why_setting *setting = &why->settings.items[i];
            const mls_str key = setting->key;
            const unsigned own = setting->known != NULL                                     ? 0
                                 : mls_str_equal(key, MLS_S("global_batch_size"))           ? 1
                                 : mls_str_any(key, "precision|parallel", mls_str_contains) ? 2
                                 : mls_str_starts(key, MLS_S("opt_"))                       ? 3
                                 : mls_str_ends(key, MLS_S("_samples"))                     ? 5
                                                                                            : 4;
            if (own == rank)
                of->settings[of->setting_count++] = setting;
        }
    }
}

static bool has_ended(const mls_throughput *run)
{
    return run->state == MLS_TIMED_ENDED && run->has_parts;
}

static const mls_throughput *find_median(const mls_overview_group *of)
{
    const size_t count = of->timed != NULL && of->group != NULL ? of->group->run_count : 0;
    size_t ended = 0;
    for (size_t i = 0; i < count; i++)
        ended += has_ended(&of->timed->runs[i]);
    for (size_t i = 0; i < count; i++) {
        const mls_throughput *run = &of->timed->runs[i];
        size_t before = 0;
        for (size_t k = 0; k < count; k++) {
            const mls_throughput *other = &of->timed->runs[k];
            before += has_ended(other) && (other->run_ms < run->run_ms || (k < i && !(other->run_ms > run->run_ms)));
        }
        if (has_ended(run) && before == (ended - 1) / 2)
            return run;
    }
    return NULL;
}

static bool fails_convergence(const mls_group *group)
{
    return group->rcp.check == MLS_CHECK_FAIL && group->rcp.result.match != MLS_RCP_TOO_FEW_RUNS;
}

static bool is_broken(const mls_group *group)
{
    return fails_convergence(group) || group->seeds.check == MLS_CHECK_FAIL;
}

/* Return whether two runs failed for the same reason.  A finding about a message of the job begins with the name of its
 * signature. */
static bool is_same_cause(const mls_run *a, const mls_run *b)
{
    const mls_finding *one = mls_overview_cause(a);
    const mls_finding *other = mls_overview_cause(b);
    if (one == NULL || other == NULL || one->code != other->code)
        return false;
    const bool named = one->code == MLS_FINDING_DIAGNOSIS;
    const char *left = named ? one->message : one->key != NULL ? one->key : "";
    const char *right = named ? other->message : other->key != NULL ? other->key : "";
    const size_t len = named ? strcspn(left, " :") : strlen(left);
    return len == (named ? strcspn(right, " :") : strlen(right)) && strncmp(left, right, len) == 0;
}

static mls_overview_first find_first(const mls_overview_group *of)
{
    const mls_group *group = of->group;
    mls_overview_first first = {.look = MLS_LOOK_RUN};
    if (group == NULL)
        return (mls_overview_first){.look = MLS_LOOK_NOTHING};

    /* First: a rule that a completed run or the group violates. */
    for (size_t i = 0; i < group->run_count; i++)
        if (!group->runs[i]->valid && !mls_overview_is_failed(group->runs[i]) && first.runs++ == 0)
            first.run = i;
    if (first.runs > 0)
        return first;
    if (fails_convergence(group))
        return (mls_overview_first){.look = MLS_LOOK_CONVERGENCE};
    if (group->seeds.check == MLS_CHECK_FAIL && group->seeds.findings.count > 0)
        return (mls_overview_first){.look = MLS_LOOK_SEEDS, .message = group->seeds.findings.items[0].message};
    for (size_t i = 0; i < group->findings.count; i++) {
        const mls_finding *finding = &group->findings.items[i];
        if (finding->severity == MLS_SEVERITY_ERROR && finding->code != MLS_FINDING_RUN_COUNT)
            return (mls_overview_first){.look = MLS_LOOK_FINDING, .message = finding->message};
    }

    for (size_t i = 0; i < of->timed->cost_count && !of->timed->costs[i].within; i++)
        if (of->timed->costs[i].percent >= WORTH_COST)
            return (mls_overview_first){.look = MLS_LOOK_COST, .cost = &of->timed->costs[i]};

    /* Then: several runs that failed for the same reason. */
    first = (mls_overview_first){.look = MLS_LOOK_ALIKE};
    for (size_t i = 0; i < group->run_count; i++) {
        size_t alike = 0;
        for (size_t k = 0; k < group->run_count && mls_overview_is_failed(group->runs[i]); k++)
            alike += mls_overview_is_failed(group->runs[k]) && is_same_cause(group->runs[i], group->runs[k]);
        if (alike > first.runs) {
            const mls_finding *cause = mls_overview_cause(group->runs[i]);
            first.message = cause != NULL ? cause->message : "";
            first.runs = alike;
        }
    }
    if (first.runs > 1)
        return first;
    if (of->machine != NULL && of->machine[0] != '\0')
        return (mls_overview_first){.look = MLS_LOOK_MACHINE};

    /* Then: if the pace differs from the published one, a different precision or parallelism. */
    mls_why_part parts[MLS_WHY_PARTS_MAX];
    const size_t count = of->why != NULL ? mls_why_parts(of->why, WORTH_PART, parts, MLS_WHY_PARTS_MAX) : 0;
    bool rate = false;
    for (size_t i = 0; i < count; i++)
        rate |= strcmp(parts[i].name, mls_share_direction(MLS_SHARE_THROUGHPUT, NULL, true)) == 0;
    for (size_t i = 0; rate && i < of->why->settings.count; i++) {
        const mls_why_setting *setting = &of->why->settings.items[i];
        const char *kind = setting->known != NULL                               ? setting->known->group
                           : mls_str_contains(setting->key, MLS_S("precision")) ? "precision"
                           : mls_str_contains(setting->key, MLS_S("parallel"))  ? "parallelism"
                                                                                : "";
        if (mls_str_among(mls_str_from(kind), "precision parallelism"))
            return (mls_overview_first){.look = MLS_LOOK_SETTING, .kind = kind, .setting = setting->key};
    }

    /* Then: costs of every run, which are evaluations, and more samples than the reference needs. */
    const mls_throughput *run = of->median;
    const mls_rcp_result *rcp = &group->rcp.result;
    const double evaluations = run != NULL && run->evaluations_from != MLS_EVALUATIONS_FROM_NOTHING
                                   ? run->parts.ms[MLS_PART_EVALUATION] / run->run_ms
                                   : (double)NAN;
    const double more = rcp->submission_mean / rcp->limit.bar.mean - 1;
    return evaluations > WORTH_EVALUATIONS ? (mls_overview_first){.look = MLS_LOOK_EVALUATIONS, .share = evaluations}
           : group->rcp.check != MLS_CHECK_NA && more > WORTH_SAMPLES
               ? (mls_overview_first){.look = MLS_LOOK_SAMPLES, .share = more}
               : (mls_overview_first){.look = MLS_LOOK_NOTHING};
}

static void add_next(mls_overview_group *of, mls_overview_next next)
{
    if (of->next_count < MLS_OVERVIEW_NEXT)
        of->next[of->next_count++] = next;
}

static void find_next(mls_overview_group *of)
{
    const mls_group *group = of->group;
    for (size_t i = 0; group != NULL && i < group->run_count && of->next_count == 0; i++) {
        const mls_run *run = group->runs[i];
        if (!run->valid && run->run_stop.line == 0)
            add_next(of, (mls_overview_next){.command = "diagnose", .run = run});
        else if (!run->valid && !mls_overview_is_failed(run))
            add_next(of, (mls_overview_next){.command = "check", .run = run});
    }
    if (group != NULL && of->next_count == 0 && is_broken(group))
        add_next(of, (mls_overview_next){.command = "score"});
    if (of->block == NULL && of->fastest != NULL && !of->fastest->self)
        add_next(of, (mls_overview_next){.command = "compare", .against = of->fastest->result});
    if (of->median != NULL) {
        /* If there is no problem, suggest to predict the score for other accelerator counts. */
        if (mls_group_passes(group, false) && of->first.look == MLS_LOOK_NOTHING && group->accelerators > 0 &&
            group->global_batch_size > 0 && !of->side->weak)
            add_next(of, (mls_overview_next){.command = "plan"});
        add_next(of, (mls_overview_next){.command = "throughput"});
    }
}

static double distance_from_fastest(const mls_overview_group *of)
{
    return of->fastest != NULL && of->fastest->self ? 0 : of->ratio;
}

static int compare_worst(const void *left, const void *right)
{
    const mls_overview_group *a = *(const mls_overview_group *const *)left;
    const mls_overview_group *b = *(const mls_overview_group *const *)right;
    const double ratios[] = {distance_from_fastest(a), distance_from_fastest(b)};
    if (a->sound != b->sound)
        return a->sound - b->sound;
    if (isnan(ratios[0]) || isnan(ratios[1]) || !(ratios[0] < ratios[1] || ratios[0] > ratios[1]))
        return isnan(ratios[0]) != isnan(ratios[1]) ? isnan(ratios[0]) - isnan(ratios[1]) : a < b ? -1 : 1;
    return ratios[0] > ratios[1] ? -1 : 1;
}
