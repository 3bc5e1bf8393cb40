/* SPDX-License-Identifier: Apache-2.0 */
/* overview_words.c - an overview's answers in words: why a group differs, where its time went, what to look at first.
 */
#include "report/overview.h"

#include <math.h>

#include "base/utf8.h"

enum { SETTINGS_SHOWN = 4, VALUE_COLUMNS = 24 };

/* ------------------------------------------------------------- what it is measured by */

const mls_published_near *mls_overview_nearest(const mls_overview_group *of)
{
    return of->beside != NULL && of->beside->count > 0 ? &of->beside->near[0] : NULL;
}

const mls_published_near *mls_overview_fastest(const mls_overview_group *of)
{
    const mls_published_near *near = mls_overview_nearest(of);
    const mls_side_group *side = of->side;
    const bool alike = near != NULL && side->accelerator != NULL &&
                       near->result->system->accelerators == side->accelerators &&
                       strcmp(near->result->system->model.text, side->accelerator) == 0;
    return alike ? near : NULL;
}

double mls_overview_ratio(const mls_overview_group *of)
{
    const mls_published_near *fastest = mls_overview_fastest(of);
    return of->block != NULL ? of->block->differences[1].scaled_ratio : fastest != NULL ? fastest->ratio : (double)NAN;
}

bool mls_overview_is_failed(const mls_run *run)
{
    return !run->valid && run->status != MLS_RUN_SUCCESS;
}

/* "FP4 until step 350, then FP8", as the first run printed it. */
void mls_overview_append_precision(mls_buffer *line, const mls_overview *all, const mls_group *group)
{
    mls_str values[MLS_KNOWN_SETTINGS_MAX] = {0};
    const mls_printed *printed = group->runs[0]->printed;
    if (printed == NULL || all->known == NULL) {
        return;
    }
    const mls_printed_facts facts = group->runs[0]->facts;
    (void)mls_known_values(all->known, printed, values);
    mls_buffer_append_text(line, facts.precision == MLS_PRINTED_FP4   ? "   FP4"
                                 : facts.precision == MLS_PRINTED_FP8 ? "   FP8"
                                                                      : "");
    if (facts.precision != MLS_PRINTED_NO_PRECISION && facts.healing > 0) {
        const bool eight = facts.precision == MLS_PRINTED_FP4 && mls_known_is_on(all->known, values, MLS_S("fp8"));
        mls_buffer_printf(line, " until step %s, then %s", mls_words_count((double)facts.healing).text,
                          eight ? "FP8" : "more bits");
    }
}

/* ------------------------------------------------------------------ why, and differs */

/* A ratio in tenths of a percent, as it is shown: what is added up is what a person adds up. */
static double in_tenths(double ratio)
{
    return floor(ratio * 1000 + 0.5);
}

static const mls_published_why *why_of(const mls_overview_group *of)
{
    return of->block != NULL || mls_overview_fastest(of) != NULL ? of->why : NULL;
}

/* The parts in tenths of a percent, the largest first; what the others come to is one of them, and what scaling makes
 * of the difference itself, so that they add up. */
static size_t parts_in_tenths(const mls_overview_group *of, mls_why_part parts[MLS_WHY_PARTS_MAX + 1])
{
    mls_why_part all[MLS_WHY_PARTS_MAX];
    const size_t count = mls_why_parts(why_of(of), MLS_OVERVIEW_PART, all, MLS_WHY_PARTS_MAX);
    double rest = in_tenths(mls_overview_ratio(of));
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const double share = in_tenths(all[i].ratio);
        if (strcmp(all[i].name, "other") != 0 && share != 0) {
            parts[kept++] = (mls_why_part){all[i].name, share};
            rest -= share;
        }
    }
    size_t at = kept;
    while (at > 0 && fabs(rest) > fabs(parts[at - 1].ratio)) {
        parts[at] = parts[at - 1];
        at--;
    }
    parts[at] = (mls_why_part){"other", rest};
    return kept + 1;
}

void mls_overview_append_why(mls_buffer *line, const mls_overview_group *of)
{
    mls_why_part parts[MLS_WHY_PARTS_MAX + 1];
    const mls_published_why *why = why_of(of);
    /* A difference that is not split is all that there is to say. */
    const bool split = why != NULL && why->split.known && !why->split.has[MLS_SHARE_RUN];
    const size_t count = split && isfinite(mls_overview_ratio(of)) ? parts_in_tenths(of, parts) : 0;
    for (size_t i = 0; i < count; i++) {
        if (fabs(parts[i].ratio) >= 1) {
            mls_buffer_printf(line, "%s%s %s", line->len > 0 ? " · " : "", parts[i].name,
                              mls_words_change(parts[i].ratio / 1000).text);
        }
    }
}

static void append_shown(mls_buffer *line, const mls_setting_value *value)
{
    const mls_str text = value->lacking ? MLS_S("none") : value->setting.text;
    const mls_str fitted = mls_utf8_fit(text, VALUE_COLUMNS);
    mls_buffer_append(line, fitted);
    mls_buffer_append_text(line, fitted.len < text.len ? "…" : "");
}

/* The batch and what the optimizer is told matter before what only counts or names. */
static unsigned setting_rank(const mls_why_setting *setting)
{
    return setting->known != NULL                                                                                    ? 0
           : mls_str_equal(setting->key, MLS_S("global_batch_size"))                                                 ? 1
           : mls_str_contains(setting->key, MLS_S("precision")) || mls_str_contains(setting->key, MLS_S("parallel")) ? 2
           : mls_str_starts(setting->key, MLS_S("opt_"))                                                             ? 3
           : mls_str_ends(setting->key, MLS_S("_samples"))                                                           ? 5
                                                           : 4;
}

enum { RANKS = 6 };

void mls_overview_append_differs(mls_buffer *line, const mls_overview_group *of)
{
    const mls_published_why *why = why_of(of);
    const size_t count = why != NULL ? why->settings.count : 0;
    size_t shown = 0;
    for (unsigned rank = 0; rank < RANKS; rank++) {
        for (size_t i = 0; i < count; i++) {
            const mls_why_setting *setting = &why->settings.items[i];
            if (setting_rank(setting) != rank || shown == SETTINGS_SHOWN) {
                continue;
            }
            mls_buffer_append_text(line, shown++ > 0 ? " · " : "");
            mls_buffer_append(line, setting->key);
            mls_buffer_append_text(line, ": ");
            append_shown(line, &setting->yours);
            mls_buffer_append_text(line, ", theirs ");
            append_shown(line, &setting->theirs);
        }
    }
    mls_buffer_append_text(line, count > shown ? " · " : "");
    mls_words_append_more(line, count - shown, NULL, NULL);
}

/* ------------------------------------------------------------------------- inside */

const mls_throughput *mls_overview_median(const mls_overview_group *of)
{
    const size_t count = of->timed != NULL ? of->group->run_count : 0;
    size_t ended = 0;
    for (size_t i = 0; i < count; i++) {
        ended += of->timed->runs[i].state == MLS_TIMED_ENDED && of->timed->runs[i].has_parts;
    }
    for (size_t i = 0; i < count; i++) {
        const mls_throughput *run = &of->timed->runs[i];
        size_t before = 0;
        for (size_t k = 0; k < count; k++) {
            const mls_throughput *other = &of->timed->runs[k];
            before += other->state == MLS_TIMED_ENDED && other->has_parts &&
                      (other->run_ms < run->run_ms || (k < i && !(other->run_ms > run->run_ms)));
        }
        if (run->state == MLS_TIMED_ENDED && run->has_parts && before == (ended - 1) / 2) {
            return run;
        }
    }
    return NULL;
}

static void offer_slow(mls_overview_slow *slowest, const mls_overview_group *of, mls_overview_slow slow)
{
    const mls_throughput *median = mls_overview_median(of);
    const double minutes = of->side->score_minutes;
    if (slow.lost_ms > slowest->lost_ms && median != NULL) {
        *slowest = slow;
        slowest->share = slow.lost_ms / (isnan(minutes) ? median->run_ms : minutes * 60000);
    }
}

mls_overview_slow mls_overview_slowest(const mls_overview_group *of)
{
    const mls_throughput_group *timed = of->timed;
    mls_overview_slow slowest = {0};
    for (size_t i = 0; timed != NULL && i < timed->shared_phase_count; i++) {
        const mls_shared_phase *shared = &timed->shared_phases[i];
        offer_slow(
            &slowest, of,
            (mls_overview_slow){.lost_ms = shared->middle.lost_ms, .phase = &shared->middle, .runs = shared->runs});
    }
    for (size_t i = 0; timed != NULL && i < of->group->run_count; i++) {
        const mls_throughput *run = &timed->runs[i];
        for (size_t k = 0; k < run->slow_phase_count; k++) {
            const mls_slow_phase *phase = &run->slow_phases[k];
            offer_slow(&slowest, of,
                       (mls_overview_slow){.lost_ms = phase->shared ? 0 : phase->lost_ms, .phase = phase, .run = run});
        }
    }
    for (size_t i = 0; timed != NULL && i < timed->slow_run_count; i++) {
        const mls_slow_run *slow = &timed->slow_runs[i];
        offer_slow(&slowest, of,
                   (mls_overview_slow){
                       .lost_ms = slow->extra_ms, .part = mls_slow_part_name(slow->largest), .run = slow->run});
    }
    return slowest;
}

static void append_slow(mls_buffer *line, const mls_overview_group *of, const mls_overview_slow *slow)
{
    const char *unit = mls_throughput_unit(&of->timed->runs[0]);
    if (slow->run != NULL) {
        mls_buffer_printf(line, "run %zu", (size_t)(slow->run - of->timed->runs) + 1);
    } else {
        mls_buffer_printf(line, "%s%zu runs", slow->runs == of->timed->timed ? "all " : "", slow->runs);
    }
    if (slow->phase != NULL) {
        const int decimals = slow->phase->from_samples < 100 ? 2 : 0;
        mls_buffer_printf(line, " slow from %s to %s %s", mls_words_grouped(slow->phase->from_samples, decimals).text,
                          mls_words_grouped(slow->phase->to_samples, decimals).text, unit);
    } else {
        mls_buffer_printf(line, " slow (%s)", slow->part);
    }
    mls_buffer_printf(line, ": %s lost, %s of the %s", mls_words_duration(slow->lost_ms).text,
                      mls_words_percent(slow->share, 1).text, isnan(of->side->score_minutes) ? "median run" : "score");
}

/* "MFU 0.31 of BF16's peak, 0.16 of FP8's" */
static void append_utilization(mls_buffer *line, const mls_utilization *of)
{
    const double share = isnan(of->bf16) ? of->derived : of->bf16;
    if (of->accelerator == NULL || isnan(share) || of->narrowest > 1) {
        return;
    }
    mls_buffer_printf(line, "   MFU %s of %s's peak", mls_words_grouped(share, 2).text,
                      isnan(of->accelerator->peak[MLS_PRECISION_BF16]) ? "FP16" : "BF16");
    if (of->has_precision && !isnan(of->bf16) && !isnan(of->precision)) {
        mls_buffer_printf(line, ", %s of %s's", mls_words_grouped(of->precision, 2).text,
                          of->named == MLS_PRECISION_FP8 ? "FP8" : "FP4");
    }
}

void mls_overview_append_inside(mls_buffer *line, const mls_overview_group *of)
{
    const mls_throughput *run = mls_overview_median(of);
    if (run == NULL || !(run->run_ms > 0)) {
        return;
    }
    const double *ms = run->parts.ms;
    const double other = ms[MLS_PART_STARTUP] + ms[MLS_PART_BETWEEN] + ms[MLS_PART_TAIL];
    mls_buffer_printf(line, "training %s", mls_words_percent(ms[MLS_PART_TRAINING] / run->run_ms, 0).text);
    if (run->evaluations_from != MLS_EVALUATIONS_FROM_NOTHING) {
        mls_buffer_printf(line, "  evaluations %s", mls_words_percent(ms[MLS_PART_EVALUATION] / run->run_ms, 0).text);
    }
    mls_buffer_printf(line, "  other %s", mls_words_percent(other / run->run_ms, 0).text);
    if (ms[MLS_PART_STARTUP] > MLS_OVERVIEW_STARTUP * run->run_ms) {
        mls_buffer_printf(line, " (startup %s)", mls_words_percent(ms[MLS_PART_STARTUP] / run->run_ms, 0).text);
    }
    append_utilization(line, &run->utilization);
    const mls_overview_slow slow = mls_overview_slowest(of);
    if (slow.lost_ms > 0) {
        mls_buffer_append_text(line, "   ");
        append_slow(line, of, &slow);
    } else if (of->timed->healed != NULL) {
        mls_buffer_printf(line, "   healing by design at step %zu", of->timed->healed->healing_step);
    } else if (run->segment_count > 0) {
        mls_buffer_append_text(line, "   pace even");
    }
}

/* ------------------------------------------------------------------------- failed */

/* Why a run did not end well: what the messages of its job show, else what its log does. */
static const mls_finding *cause_of(const mls_run *run)
{
    for (size_t i = 0; i < run->findings.count; i++) {
        if (run->findings.items[i].code == MLS_FINDING_DIAGNOSIS) {
            return &run->findings.items[i];
        }
    }
    return mls_run_reason(run);
}

void mls_overview_append_run(mls_buffer *line, const mls_group *group, size_t index)
{
    const mls_run *run = group->runs[index];
    const mls_finding *cause = cause_of(run);
    mls_buffer_printf(line, "run %zu (%s): %s", index + 1, mls_group_name_below(group, run->file),
                      cause != NULL ? cause->message : "not valid");
}

/* What a finding of a job's messages begins with is the name of its signature. */
static bool is_same_cause(const mls_run *a, const mls_run *b)
{
    const mls_finding *one = cause_of(a);
    const mls_finding *other = cause_of(b);
    if (one == NULL || other == NULL || one->code != other->code) {
        return false;
    }
    const bool named = one->code == MLS_FINDING_DIAGNOSIS;
    const char *left = named ? one->message : one->key != NULL ? one->key : "";
    const char *right = named ? other->message : other->key != NULL ? other->key : "";
    const size_t len = named ? strcspn(left, " :") : strlen(left);
    return len == (named ? strcspn(right, " :") : strlen(right)) && strncmp(left, right, len) == 0;
}

/* -------------------------------------------------------------------------- first */

bool mls_overview_is_broken(const mls_group *group)
{
    return (group->rcp.check == MLS_CHECK_FAIL && group->rcp.result.match != MLS_RCP_TOO_FEW_RUNS) ||
           group->seeds.check == MLS_CHECK_FAIL;
}

/* A rule that is broken: by a run that ended, by the group as a whole. */
static void append_broken(mls_buffer *line, const mls_group *group)
{
    size_t broken = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        if (!group->runs[i]->valid && !mls_overview_is_failed(group->runs[i]) && broken++ == 0) {
            mls_overview_append_run(line, group, i);
        }
    }
    if (broken > 1) {
        mls_buffer_printf(line, " (and %s)", mls_words_plural(broken - 1, "more run", "more runs").text);
    }
    if (broken == 0 && group->rcp.check == MLS_CHECK_FAIL && group->rcp.result.match != MLS_RCP_TOO_FEW_RUNS) {
        mls_buffer_append_text(line, "convergence: ");
        mls_rcp_result_describe(&group->rcp.result, (double)NAN, line);
    } else if (broken == 0 && group->seeds.check == MLS_CHECK_FAIL && group->seeds.findings.count > 0) {
        mls_buffer_printf(line, "seeds: %s", group->seeds.findings.items[0].message);
    }
    for (size_t i = 0; i < group->findings.count && line->len == 0; i++) {
        const mls_finding *finding = &group->findings.items[i];
        if (finding->severity == MLS_SEVERITY_ERROR && finding->code != MLS_FINDING_RUN_COUNT) {
            mls_buffer_append_text(line, finding->message);
        }
    }
}

/* Several runs that failed for one cause. */
static void append_failed(mls_buffer *line, const mls_group *group)
{
    size_t most = 0;
    size_t first = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        size_t alike = 0;
        for (size_t k = 0; k < group->run_count && mls_overview_is_failed(group->runs[i]); k++) {
            alike += mls_overview_is_failed(group->runs[k]) && is_same_cause(group->runs[i], group->runs[k]);
        }
        first = alike > most ? i : first;
        most = alike > most ? alike : most;
    }
    if (most > 1) {
        const mls_finding *cause = cause_of(group->runs[first]);
        mls_buffer_printf(line, "%zu of %zu runs failed alike: %s", most, group->run_count,
                          cause != NULL ? cause->message : "");
    }
}

/* A precision or a way of cutting the model that differs, where the rate does. */
static void append_precision(mls_buffer *line, const mls_overview_group *of)
{
    mls_why_part parts[MLS_WHY_PARTS_MAX];
    const mls_published_why *why = why_of(of);
    const size_t count = why != NULL ? mls_why_parts(why, MLS_OVERVIEW_PART, parts, MLS_WHY_PARTS_MAX) : 0;
    bool rate = false;
    for (size_t i = 0; i < count; i++) {
        rate |= strcmp(parts[i].name, mls_share_direction(MLS_SHARE_THROUGHPUT, NULL, true)) == 0;
    }
    for (size_t i = 0; rate && i < why->settings.count && line->len == 0; i++) {
        const mls_why_setting *setting = &why->settings.items[i];
        const char *group = setting->known != NULL                               ? setting->known->group
                            : mls_str_contains(setting->key, MLS_S("precision")) ? "precision"
                            : mls_str_contains(setting->key, MLS_S("parallel"))  ? "parallelism"
                                                                                 : "";
        if (strcmp(group, "precision") == 0 || strcmp(group, "parallelism") == 0) {
            mls_buffer_printf(line, "%s: ", group);
            mls_buffer_append(line, setting->key);
            mls_buffer_append_text(line, " differs, and the rate with it");
        }
    }
}

/* What takes time in every run: evaluations, and more samples than the reference needs. */
static void append_habits(mls_buffer *line, const mls_overview_group *of)
{
    const mls_throughput *run = mls_overview_median(of);
    const mls_rcp_result *rcp = &of->group->rcp.result;
    const double evaluations = run != NULL && run->evaluations_from != MLS_EVALUATIONS_FROM_NOTHING
                                   ? run->parts.ms[MLS_PART_EVALUATION] / run->run_ms
                                   : (double)NAN;
    const double more = rcp->submission_mean / rcp->limit.bar.mean - 1;
    if (evaluations > MLS_OVERVIEW_EVALUATIONS) {
        mls_buffer_printf(line, "evaluations: %s of the time", mls_words_percent(evaluations, 0).text);
    } else if (of->group->rcp.check != MLS_CHECK_NOT_MADE && more > MLS_OVERVIEW_CONVERGENCE) {
        mls_buffer_printf(line, "convergence: %s %s, the reference needs %s: %s",
                          mls_words_grouped(rcp->submission_mean, rcp->submission_mean < 100 ? 2 : 0).text,
                          rcp->limit.unit,
                          mls_words_grouped(rcp->limit.bar.mean, rcp->submission_mean < 100 ? 2 : 0).text,
                          mls_words_change(more).text);
    }
}

void mls_overview_append_first(mls_buffer *line, const mls_overview_group *of)
{
    if (of->group == NULL) {
        return;
    }
    append_broken(line, of->group);
    if (line->len == 0) {
        append_failed(line, of->group);
    }
    if (line->len == 0 && of->machine != NULL) {
        mls_buffer_append_text(line, of->machine);
    }
    if (line->len == 0) {
        append_precision(line, of);
    }
    const mls_overview_slow slow = line->len == 0 ? mls_overview_slowest(of) : (mls_overview_slow){0};
    if (slow.share > MLS_OVERVIEW_LOST) {
        append_slow(line, of, &slow);
    }
    if (line->len == 0) {
        append_habits(line, of);
    }
}
