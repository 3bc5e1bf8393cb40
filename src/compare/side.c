/* SPDX-License-Identifier: Apache-2.0 */
/* side.c - create the groups of a side from logs (export.c does this for exports), and convert settings that were
 * logged, printed or exported to values that can be compared. */
#include <math.h>

#include "base/buffer.h"
#include "base/number.h"
#include "base/utf8.h"
#include "compare/side.h"
#include "score/score.h"
#include "json/value.h"

/* Maximum time of a run in milliseconds, about 30,000 years; larger values might overflow a sum. */
#define WHOLE_MS_MAX 1e15

bool mls_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

mls_side *mls_side_find(const mls_side_list *sides, mls_str name)
{
    for (size_t i = 0; i < sides->count; i++)
        if (mls_str_equal(mls_str_from(sides->items[i]->name), name))
            return sides->items[i];
    return NULL;
}

mls_side *mls_side_add(mls_side_list *sides, mls_arena *arena, mls_str name, const char *path)
{
    mls_side *side = mls_side_find(sides, name);
    if (side == NULL) {
        side = mls_arena_zeroed(arena, 1, sizeof *side);
        side->name = mls_arena_copy(arena, name).ptr;
        MLS_ARENA_ADD(arena, sides, side);
    }
    MLS_ARENA_ADD(arena, &side->paths, path);
    return side;
}

mls_side_group *mls_side_group_add(mls_comparison *to, const mls_side_group *group)
{
    mls_side_group *copy = mls_arena_alloc(to->arena, sizeof *copy);
    MLS_ARENA_ADD(to->arena, &to->groups, copy);
    *copy = *group;
    return copy;
}

/* Round a time to whole milliseconds.  Return false if the value is too large or not finite. */
static bool whole_ms(double ms, int64_t *whole)
{
    const bool usable = fabs(ms) <= WHOLE_MS_MAX;
    *whole = usable ? llround(ms) : 0;
    return usable;
}

void mls_side_run_times(mls_side_run *run, double ms, double init_ms)
{
    run->has_ms = whole_ms(ms, &run->ms);
    run->has_init = whole_ms(init_ms, &run->init_ms);
}

void mls_side_run_parts(mls_side_run *run, bool delimited, const double ms[MLS_PART_COUNT], double evaluations)
{
    int64_t sum = 0;
    int64_t count = 0;
    run->has_parts = run->has_ms && delimited;
    run->evaluation_delimited = whole_ms(evaluations, &count) && count >= 0;
    run->evaluations = run->evaluation_delimited ? (size_t)count : 0;
    for (int part = 0; part < MLS_PART_COUNT; part++) {
        const bool absent = part == MLS_PART_EVALUATION && !run->evaluation_delimited;
        run->has_parts &= whole_ms(absent ? 0 : ms[part], &run->part_ms[part]) && run->part_ms[part] >= 0;
        sum += run->part_ms[part];
    }
    run->ms = run->has_parts ? sum : run->ms;
}

/* Numbers with a smaller relative difference count as equal, because one may have been written with fewer digits. */
#define SAME_NUMBER 1e-9

static void add_number(mls_arena *arena, mls_settings *settings, mls_str key, double number)
{
    const mls_words words = mls_words_exact(number);
    if (isfinite(number)) {
        const mls_str text = mls_arena_copy(arena, mls_str_from(words.text));
        MLS_ARENA_ADD(arena, settings, (mls_setting){key, MLS_SETTING_NUMBER, number, text});
    }
}

/* Convert a text to a setting without a key.  The setting refers to the text, which is not copied. */
static mls_setting read_shown(mls_str text)
{
    double number;
    if (mls_number_parse(text, &number) && isfinite(number))
        return (mls_setting){.kind = MLS_SETTING_NUMBER, .number = number, .text = text};
    const bool yes = mls_str_equal(text, MLS_S("true"));
    const bool truth = yes || mls_str_equal(text, MLS_S("false"));
    return (mls_setting){.kind = truth ? MLS_SETTING_BOOL : MLS_SETTING_TEXT, .number = yes, .text = text};
}

void mls_setting_add_shown(mls_arena *arena, mls_settings *settings, mls_str key, mls_str text)
{
    mls_setting setting = read_shown(text);
    if (text.len > 0 && setting.kind == MLS_SETTING_NUMBER) {
        add_number(arena, settings, key, setting.number);
    } else if (text.len > 0) {
        setting.key = key;
        setting.text = mls_arena_copy(arena, text);
        MLS_ARENA_ADD(arena, settings, setting);
    }
}

/* Add a setting with the value `text`.  The text "true" becomes a boolean, because CSV does not distinguish texts and
 * booleans. */
static void add_plain(mls_arena *arena, mls_settings *settings, mls_str key, mls_str text)
{
    mls_buffer shown = {0};
    mls_escape_append(&shown, text);
    mls_setting_add_shown(arena, settings, key, mls_buffer_str(&shown));
    mls_buffer_release(&shown);
}

void mls_setting_add_json(mls_arena *arena, mls_settings *settings, mls_str key, mls_str json)
{
    const mls_json_kind kind = mls_json_kind_of(json);
    mls_str text;
    if (kind == MLS_JSON_STRING && mls_json_string(json, arena, &text))
        add_plain(arena, settings, key, text);
    else if (kind == MLS_JSON_NUMBER || kind == MLS_JSON_BOOL)
        mls_setting_add_shown(arena, settings, key, json);
}

mls_setting mls_setting_of_printed(const mls_known_setting *known, mls_str value)
{
    const int truth = mls_known_truth(known, value);
    mls_setting setting = read_shown(mls_setting_is_none(value) ? MLS_S("none") : value);
    if (truth >= 0) {
        setting.kind = MLS_SETTING_NUMBER;
        setting.number = truth;
    }
    return setting;
}

bool mls_setting_same(const mls_setting *a, const mls_setting *b)
{
    if (a->kind != b->kind)
        return false;
    return a->kind == MLS_SETTING_TEXT
               ? mls_str_equal(a->text, b->text)
               : a->number == b->number ||
                     fabs(a->number - b->number) <= SAME_NUMBER * fmax(fabs(a->number), fabs(b->number));
}

void mls_setting_add_printed(mls_arena *arena, mls_settings *settings, const mls_known_settings *known, mls_str key,
                             mls_str value)
{
    const mls_setting setting = mls_setting_of_printed(mls_known_setting_named(known, key), value);
    const size_t before = settings->count;
    add_plain(arena, settings, key, setting.text);
    if (settings->count > before) {
        settings->items[before].kind = setting.kind;
        settings->items[before].number = setting.number;
    }
}

void mls_side_run_environment(mls_arena *arena, mls_side_run *run, const mls_side_place *place,
                              const mls_side_group *group)
{
    const struct {
        const char *key, *text; /* text is NULL if the value is `number` */
        double number;
    } facts[] = {{"config", place->config, NAN},
                 {"nodes", NULL, place->nodes},
                 {"accelerators", NULL, group->accelerators},
                 {"accelerator", group->accelerator, NAN},
                 {"container", place->container, NAN},
                 {"node_list", place->node_list, NAN},
                 {"submission_org", place->organisation, NAN},
                 {"submission_platform", place->platform, NAN},
                 {"host_processor", place->host_processor, NAN},
                 {"framework", place->framework, NAN},
                 {"precision", place->precision, NAN}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        if (facts[i].text != NULL)
            add_plain(arena, &run->environment, mls_str_from(facts[i].key), mls_str_from(facts[i].text));
        add_number(arena, &run->environment, mls_str_from(facts[i].key), facts[i].number);
    }
}

mls_side_group mls_side_group_of(const mls_group *group)
{
    const bool weak = mls_is_weak(&group->weak);
    const mls_group_outcome result = mls_group_result(group);
    return (mls_side_group){.path = group->path,
                            .benchmark = group->benchmark,
                            .config = group->config,
                            .accelerator = group->accelerator,
                            .system_id = group->system_id,
                            .usage = group->usage,
                            .division = group->division,
                            .edition = group->edition->name,
                            .global_batch_size = group->global_batch_size,
                            .accelerators = weak ? group->weak.instance_scale : group->accelerators,
                            .official = result.official,
                            .weak = weak,
                            .dropped = group->score.dropped,
                            .score_minutes = result.minutes,
                            .scale = result.scale,
                            .scaled_minutes = result.scaled_minutes};
}

mls_side_group *mls_side_take_group(mls_comparison *to, const mls_side *side, const mls_group *group, bool setups)
{
    mls_arena *arena = to->arena;
    const mls_known_settings *known = &to->known;
    /* Also add facts from system descriptions, which published results have, unlike exports. */
    const bool described = to->opened.count > 0;
    mls_side_group of_side = mls_side_group_of(group);
    of_side.side = side;
    of_side.logged = setups ? group : NULL;
    mls_side_group *made = mls_side_group_add(to, &of_side);
    const mls_str folder = setups ? mls_group_folder(group) : (mls_str){0};
    if (folder.ptr != NULL)
        made->folder = mls_arena_copy(arena, folder.len > 0 ? folder : MLS_S(".")).ptr;
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_run *run = group->runs[i];
        const mls_convergence converge = mls_run_to_converge(run);
        const mls_finding *reason = mls_run_reason(run);
        mls_side_run copy = {.file = run->file,
                             .reason = reason != NULL ? reason->message : NULL,
                             .valid = run->valid,
                             .mark = group->marks[i],
                             .start_ms = run->run_start.time_ms,
                             .minutes = mls_run_minutes(run),
                             .init_minutes = mls_run_init_minutes(run),
                             .to_converge = converge.number,
                             .unit = isnan(converge.number) ? NULL : converge.unit};
        mls_side_run_times(&copy, run->run_stop.time_ms - run->run_start.time_ms,
                           run->init_stop.time_ms - run->init_start.time_ms);
        mls_side_run_parts(&copy, run->has_parts, run->parts.ms,
                           run->parts.evaluation_delimited ? (double)run->parts.evaluations : (double)NAN);
        const mls_side_place place = {.config = mls_run_config(run),
                                      .container = run->job.container,
                                      .node_list = run->job.node_list,
                                      .organisation = run->organisation,
                                      .platform = run->platform,
                                      .host_processor = described ? group->system.host_processor_model_name : NULL,
                                      .framework = described ? group->system.framework : NULL,
                                      .precision = group->precision.value,
                                      .nodes = isnan(run->job.node_count) ? group->nodes : run->job.node_count};
        if (setups)
            mls_side_run_environment(arena, &copy, &place, made);
        /* Add the settings that the job printed before the run: first known settings with their names in the table,
         * then all others. */
        mls_str values[MLS_KNOWN_SETTINGS_MAX];
        const mls_printed *printed = setups ? run->printed : NULL;
        if (printed != NULL)
            (void)mls_known_values(known, printed, values);
        for (size_t k = 0; printed != NULL && k < known->count; k++)
            if (values[k].ptr != NULL)
                mls_setting_add_printed(arena, &copy.printed, known, mls_str_from(known->items[k].name), values[k]);
        for (size_t k = 0; printed != NULL && k < printed->settings.count; k++) {
            const mls_printed_setting *setting = &printed->settings.items[k];
            if (mls_known_setting_printed(known, setting->name) == NULL && mls_setting_is_comparable(known, setting))
                mls_setting_add_printed(arena, &copy.printed, known, setting->name, setting->value);
        }
        for (size_t k = 0; setups && k < run->hyperparameter_count; k++) {
            mls_setting_add_json(arena, &copy.settings, run->hyperparameters[k].key,
                                 mls_str_from(run->hyperparameters[k].value));
        }
        MLS_ARENA_ADD(arena, &made->runs, copy);
    }
    return made;
}
