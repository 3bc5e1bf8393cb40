/* SPDX-License-Identifier: Apache-2.0 */
/* published_words.c - find the published results of a side "published:WORDS".
 *
 * The words are separated by commas.  Each word, such as a submitter or a system, restricts the results of a round
 * until one system remains.  The words "best" and "nearest" select one of the remaining results, depending on the other
 * side.  If no system or several systems remain, explain() reports the reason and suggests other words. */
#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/map.h"
#include "base/utf8.h"
#include "base/words.h"
#include "compare/side.h"

enum { WORDS_MOST = 16, CANDIDATES_MOST = 10 };

typedef struct published_words {
    mls_side *side;
    mls_str all;
    mls_str texts[WORDS_MOST];
    bool whole[WORDS_MOST]; /* whole[i]: texts[i] is exactly the name of a system */
    size_t text_count;
    unsigned edition; /* number of the edition among the words; 0: no word is an edition */
    /* Numbers of the editions to search: `edition`, or without it those of the logs, of another published side, or of
     * the options. */
    MLS_LIST_OF(unsigned) rounds;
    bool best, nearest;
    mls_published left; /* the results that match; only `results` and `count` are used */
} published_words;

typedef struct choosing {
    const mls_compare_request *request;
    mls_comparison *to;
    mls_published all;
    size_t logged; /* number of groups before published sides are added: groups of logs and exports */
    MLS_LIST_OF(published_words) sides;
} choosing;

bool mls_is_published_side(const char *path)
{
    return mls_str_starts(mls_str_from(path), MLS_S(MLS_PUBLISHED_PREFIX));
}

bool mls_request_has_published(const mls_compare_request *request)
{
    for (size_t i = 0; i < request->sides.count; i++)
        for (size_t k = 0; k < request->sides.items[i]->paths.count; k++)
            if (mls_is_published_side(request->sides.items[i]->paths.items[k]))
                return true;
    return false;
}

static mls_status read_words(choosing *in, published_words *of, mls_error *error);
static bool is_meant(const published_words *of, const mls_published_result *result);
static mls_status choose_side(const choosing *in, published_words *of, mls_error *error);
static mls_status explain(const choosing *in, const published_words *of, bool narrowed, mls_error *error);
static void name_side(const choosing *in, const published_words *of);

mls_status mls_sides_take_published(const mls_compare_request *request, mls_comparison *comparison, mls_error *error)
{
    mls_arena *arena = comparison->arena;
    choosing in = {.request = request, .to = comparison, .all = comparison->opened, .logged = comparison->groups.count};
    mls_status status = MLS_OK;
    for (size_t i = 0; i < request->sides.count; i++) {
        mls_side *side = request->sides.items[i];
        for (size_t k = 0; k < side->paths.count && status == MLS_OK; k++) {
            published_words of = {.side = side};
            if (mls_is_published_side(side->paths.items[k])) {
                of.all = mls_str_from(side->paths.items[k] + strlen(MLS_PUBLISHED_PREFIX));
                status = read_words(&in, &of, error);
                MLS_ARENA_ADD(arena, &in.sides, of);
            }
        }
    }
    for (size_t s = 0; s < in.sides.count; s++) {
        published_words *of = &in.sides.items[s];
        unsigned edition = 0;
        if (of->edition != 0)
            MLS_ARENA_ADD(arena, &of->rounds, of->edition);
        for (size_t i = 0; i < in.logged && of->edition == 0; i++)
            if (mls_edition_number(mls_str_from(comparison->groups.items[i]->edition), &edition))
                MLS_ARENA_ADD(arena, &of->rounds, edition);
        for (size_t i = 0; i < in.sides.count && of->edition == 0 && in.logged == 0; i++)
            if (in.sides.items[i].edition != 0)
                MLS_ARENA_ADD(arena, &of->rounds, in.sides.items[i].edition);
        if (of->rounds.count == 0 && request->collect.edition != NULL)
            MLS_ARENA_ADD(arena, &of->rounds, request->collect.edition->number);
    }
    /* First report a side whose words do not match any result, then a side that only matches results on other
     * benchmarks. */
    for (size_t i = 0; i < in.sides.count && status == MLS_OK; i++) {
        bool meant = false;
        for (size_t k = 0; k < in.all.count && !meant; k++)
            meant = is_meant(&in.sides.items[i], &in.all.results[k]);
        status = meant ? MLS_OK : explain(&in, &in.sides.items[i], false, error);
    }
    /* Choose the results of sides with "best" or "nearest" last, because they depend on other sides. */
    for (int relative = 0; relative < 2; relative++) {
        for (size_t i = 0; i < in.sides.count && status == MLS_OK; i++) {
            published_words *of = &in.sides.items[i];
            if ((of->best || of->nearest) == (relative == 1))
                status = choose_side(&in, of, error);
        }
    }
    for (size_t i = 0; i < in.sides.count && status == MLS_OK; i++)
        if (!in.sides.items[i].side->given)
            name_side(&in, &in.sides.items[i]);
    /* Sort the groups by side, as mls_comparison requires. */
    mls_side_group **sorted = mls_arena_array(arena, comparison->groups.count + 1, sizeof *sorted);
    size_t count = 0;
    for (size_t s = 0; s < request->sides.count; s++)
        for (size_t i = 0; i < comparison->groups.count; i++)
            if (comparison->groups.items[i]->side == request->sides.items[s])
                sorted[count++] = comparison->groups.items[i];
    comparison->groups.items = sorted;
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- words */

static mls_status refuse_words(const published_words *of, const char *why, mls_error *error)
{
    return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, MLS_PUBLISHED_PREFIX "%.*s: %s", MLS_CUT(of->all, 80), why);
}

static bool is_called(const mls_published_result *result, mls_str text)
{
    return mls_str_alike(mls_str_from(result->system->system_id), text);
}

static bool is_one_blank(char c)
{
    return c == ' ';
}

static mls_status read_words(choosing *in, published_words *of, mls_error *error)
{
    mls_str rest = of->all;
    for (bool more = true; more;) {
        mls_str word;
        unsigned edition;
        more = mls_str_cut(&rest, ',', &word);
        word = mls_str_trim(word, is_one_blank);
        if (mls_str_alike(word, MLS_S("best"))) {
            of->best = true;
        } else if (mls_str_alike(word, MLS_S("nearest"))) {
            of->nearest = true;
        } else if (mls_edition_number(word, &edition)) {
            if (of->edition != 0 && of->edition != edition)
                return refuse_words(of, "more than one round", error);
            of->edition = edition;
        } else if (word.len > 0) {
            if (of->text_count == WORDS_MOST)
                return refuse_words(of, "too many words", error);
            for (size_t i = 0; i < in->all.count; i++)
                of->whole[of->text_count] |= is_called(&in->all.results[i], word);
            of->texts[of->text_count++] = mls_arena_copy(in->to->arena, word);
        }
    }
    return of->best && of->nearest ? refuse_words(of, "best and nearest cannot be combined", error) : MLS_OK;
}

/* ------------------------------------------------------------------------------------------------ matching results */

static bool is_of_round(const published_words *of, const mls_published_result *result)
{
    for (size_t i = 0; i < of->rounds.count; i++)
        if (of->rounds.items[i] == result->edition)
            return true;
    return false;
}

static bool has_word(const published_words *of, size_t i, const mls_published_result *result)
{
    return of->whole[i] ? is_called(result, of->texts[i])
                        : strcasestr(result->system->submitter, of->texts[i].ptr) != NULL ||
                              strcasestr(result->system->system_id, of->texts[i].ptr) != NULL;
}

static bool is_meant(const published_words *of, const mls_published_result *result)
{
    bool meant = is_of_round(of, result);
    for (size_t i = 0; i < of->text_count && meant; i++)
        meant = has_word(of, i, result);
    return meant;
}

static bool is_result_on(const mls_published_result *result, mls_usage usage, const char *benchmark)
{
    return benchmark != NULL && result->usage == usage && strcmp(result->benchmark, benchmark) == 0;
}

static bool same_system(const mls_published_result *a, const mls_published_result *b)
{
    return a->usage == b->usage && a->edition == b->edition &&
           strcmp(a->system->system_id, b->system->system_id) == 0 &&
           strcmp(a->system->submitter, b->system->submitter) == 0;
}

/* Find the results that match the words of a side.  If sides are compared, keep only results on a benchmark that the
 * logs or, without logs, all other published sides have. */
static void take_left(const choosing *in, published_words *of)
{
    const mls_collect_options *collect = &in->request->collect;
    of->left = (mls_published){.results = mls_arena_array(in->to->arena, in->all.count + 1, sizeof *of->left.results)};
    for (size_t r = 0; r < in->all.count; r++) {
        const mls_published_result *result = &in->all.results[r];
        bool on = in->request->mode != MLS_COMPARE_SIDES;
        if (!is_meant(of, result))
            continue;
        for (size_t i = 0; i < in->logged && !on; i++)
            on = is_result_on(result, in->to->groups.items[i]->usage, in->to->groups.items[i]->benchmark);
        if (in->logged == 0 && !on) {
            on = collect->any_usage || collect->usage == result->usage;
            for (size_t i = 0; i < in->sides.count && on; i++) {
                const published_words *other = &in->sides.items[i];
                on = other->all.ptr == of->all.ptr;
                for (size_t k = 0; k < in->all.count && !on; k++)
                    on = is_result_on(&in->all.results[k], result->usage, result->benchmark) &&
                         is_meant(other, &in->all.results[k]);
            }
        }
        if (on)
            of->left.results[of->left.count++] = *result;
    }
}

/* ------------------------------------------------------------------------------------------------ choosing results */

/* Apply "best" or "nearest": keep one result of each benchmark.  The results are sorted by benchmark, then by
 * minutes. */
static void choose_one(const choosing *in, published_words *of)
{
    mls_published_result *results = of->left.results;
    size_t kept = 0;
    for (size_t first = 0, end; first < of->left.count; first = end) {
        const mls_side_group *group = NULL; /* the first group of another side with the same benchmark */
        for (size_t i = 0; i < in->to->groups.count && group == NULL; i++) {
            const mls_side_group *other = in->to->groups.items[i];
            const bool on = other->side != of->side && is_result_on(&results[first], other->usage, other->benchmark);
            group = on ? other : NULL;
        }
        mls_published those = {.results = &results[first]};
        const mls_published_result *chosen = NULL;
        for (end = first; end < of->left.count && strcmp(results[end].benchmark, results[first].benchmark) == 0;
             end++) {
            those.count++;
            const mls_published_system *system = results[end].system;
            const bool on_as_many = group != NULL && group->accelerator != NULL &&
                                    strcmp(group->accelerator, system->model.text) == 0 &&
                                    group->accelerators == system->accelerators;
            if (of->best && chosen == NULL && on_as_many && mls_published_is_precise(results[end].known))
                chosen = &results[end];
        }
        if (of->nearest && group != NULL) {
            mls_published_query query = mls_query_of_side(group);
            mls_published_near near;
            query.edition = results[first].edition;
            chosen = mls_published_nearest(&those, &query, &near, 1) == 1 ? near.result : NULL;
        }
        if (chosen != NULL)
            results[kept++] = *chosen;
    }
    of->left.count = kept;
}

static mls_status choose_side(const choosing *in, published_words *of, mls_error *error)
{
    const mls_score_options *how = &in->request->collect.score;
    mls_comparison *to = in->to;
    bool several = false;
    take_left(in, of);
    const bool narrowed = of->left.count > 0;
    if (of->best || of->nearest)
        choose_one(in, of);
    for (size_t i = 1; i < of->left.count; i++)
        several |= !same_system(&of->left.results[0], &of->left.results[i]);
    if (of->left.count == 0 || (several && in->request->mode == MLS_COMPARE_SIDES && !of->best && !of->nearest))
        return explain(in, of, narrowed, error);
    for (size_t r = 0; r < of->left.count; r++) {
        const mls_published_result *result = &of->left.results[r];
        const mls_benchmark *rules = mls_benchmark_in(
            mls_benchmark_find(how->editions, result->usage, mls_str_from(result->benchmark)), result->edition);
        mls_side_group group;
        const mls_status status = mls_published_group(to->arena, result, rules, how->select_window, &group, error);
        if (status != MLS_OK)
            return status;
        group.side = of->side;
        /* Several systems with the same identifier cannot be distinguished, so use the one whose runs are public. */
        mls_side_group *same = NULL;
        for (size_t i = in->logged; i < to->groups.count && same == NULL; i++) {
            mls_side_group *other = to->groups.items[i];
            const bool is = other->side == of->side && same_system(other->published, result) &&
                            strcmp(other->benchmark, result->benchmark) == 0;
            same = is ? other : NULL;
        }
        if (same == NULL)
            mls_side_group_add(to, &group);
        else if (same->runs.count == 0)
            *same = group;
    }
    return MLS_OK;
}

/* --------------------------------------------------------------------------------------------------- errors. */

/* List the remaining systems as candidates: for each, the words that select it, and a description.  Return their
 * number. */
static size_t list_systems(const choosing *in, const published_words *of)
{
    mls_comparison *to = in->to;
    size_t systems = 0;
    for (size_t i = 0; i < of->left.count; i++) {
        const mls_published_result *result = &of->left.results[i];
        const mls_published_system *system = result->system;
        bool again = false;
        for (size_t k = 0; k < i && !again; k++)
            again = same_system(&of->left.results[k], result);
        systems += !again;
        if (again || systems > CANDIDATES_MOST)
            continue;
        const char *size = system->accelerators > 0 && system->model.text[0] != '\0'
                               ? mls_arena_printf(to->arena, ", %s x %s", mls_words_count(system->accelerators).text,
                                                  system->model.text)
                               : "";
        MLS_ARENA_ADD(to->arena, &to->candidates,
                      mls_arena_printf(to->arena, MLS_PUBLISHED_PREFIX "%s,%s  (%s%s)", result->round,
                                       system->system_id, system->submitter, size));
    }
    return systems;
}

/* Report that no result or several systems match the words.  `narrowed`: results matched until "best" or "nearest" was
 * applied. */
static mls_status explain(const choosing *in, const published_words *of, bool narrowed, mls_error *error)
{
    mls_arena *arena = in->to->arena;
    const char *why = NULL;
    size_t results = 0; /* number of results of the round */
    size_t meant = 0;   /* number of results that match the words */
    size_t unknown = 0; /* index of the first word that does not match any result */
    for (size_t i = 0; i < in->all.count; i++) {
        results += is_of_round(of, &in->all.results[i]);
        meant += is_meant(of, &in->all.results[i]);
    }
    for (bool found = true; unknown < of->text_count && found; unknown += found) {
        found = false;
        for (size_t i = 0; i < in->all.count && !found; i++)
            found = is_of_round(of, &in->all.results[i]) && has_word(of, unknown, &in->all.results[i]);
    }
    if (of->left.count > 0) {
        const size_t systems = list_systems(in, of);
        why = mls_arena_printf(arena, "matches %zu systems; be more specific%s", systems,
                               systems > CANDIDATES_MOST ? " (ten of them are listed)" : "");
    } else if (of->rounds.count == 0) {
        why = "add a round, such as 5.1: the other sides do not determine one";
    } else if (results == 0) {
        why = "the round has no published results";
    } else if (unknown < of->text_count) { /* suggest a word that is similar to the one without a match */
        const mls_str word = of->texts[unknown];
        mls_suggestion nearest = mls_suggest_for(word);
        const mls_str benchmark =
            mls_editions_nearest_benchmark(in->request->collect.score.editions, MLS_USAGE_TRAINING, word).found;
        for (size_t i = 0; i < in->all.count; i++) {
            if (is_of_round(of, &in->all.results[i])) {
                mls_suggest_add(&nearest, mls_str_from(in->all.results[i].system->submitter));
                mls_suggest_add(&nearest, mls_str_from(in->all.results[i].system->system_id));
            }
        }
        const bool near = nearest.found.len > 0;
        why = mls_arena_printf(arena, "no published result of the round has '%.*s' in its submitter or system",
                               MLS_CUT(word, 40));
        if (near || benchmark.len > 0) {
            why = mls_arena_printf(arena, "%s; did you mean '%.*s'?%s", why,
                                   MLS_CUT(near ? nearest.found : benchmark, 80),
                                   near ? "" : " The benchmark is that of the other side, or of --benchmark");
        }
        /* Each word matches, but not all together: omit the last word without which there are matches, and list them.
         */
    } else if (meant == 0) {
        why = "no published result matches all words";
        size_t systems = 0;
        for (size_t at = of->text_count; at-- > 0 && systems == 0;) {
            published_words rest = *of;
            rest.text_count = 0;
            for (size_t i = 0; i < of->text_count; i++) {
                rest.texts[rest.text_count] = of->texts[i];
                rest.whole[rest.text_count] = of->whole[i];
                rest.text_count += i != at;
            }
            take_left(in, &rest);
            systems = list_systems(in, &rest);
            if (systems > 0) {
                why = mls_arena_printf(arena, "%s; without '%.*s' %s", why, MLS_CUT(of->texts[at], 40),
                                       systems > CANDIDATES_MOST ? "ten of the matches are"
                                       : systems == 1            ? "the only match is"
                                                                 : "the matches are");
            }
        }
    } else if (!narrowed) { /* list the benchmarks of the results that match */
        mls_map known = {.arena = arena};
        why = "no published result on a benchmark of the other sides; it has results on";
        for (size_t i = 0; i < in->all.count; i++) {
            const mls_published_result *result = &in->all.results[i];
            bool added = false;
            if (is_meant(of, result))
                mls_map_put(&known, mls_str_from(result->benchmark), &added);
            if (added)
                why = mls_arena_printf(arena, "%s%s %s", why, known.count > 1 ? "," : "", result->benchmark);
        }
    } else {
        why = of->best ? "no published score on the same number of the same accelerators is known exactly"
                       : "no published score of this benchmark and division is known exactly";
    }
    return refuse_words(of, why, error);
}

static const char *name_for(const published_words *of, unsigned choice)
{
    const mls_published_result *first = &of->left.results[0];
    bool submitter = choice == 0;
    bool system = choice == 1;
    for (size_t i = 1; i < of->left.count; i++) {
        submitter &= strcmp(first->system->submitter, of->left.results[i].system->submitter) == 0;
        system &= same_system(first, &of->left.results[i]);
    }
    return submitter ? first->system->submitter : system ? first->system->system_id : of->all.ptr;
}

static void name_side(const choosing *in, const published_words *of)
{
    for (unsigned choice = 0; choice < 3; choice++) {
        const char *name = name_for(of, choice);
        bool taken = false;
        for (size_t i = 0; i < in->request->sides.count; i++) {
            const mls_side *side = in->request->sides.items[i];
            taken |= side != of->side && strcmp(side->name, name) == 0;
        }
        for (size_t i = 0; i < in->sides.count; i++) {
            const published_words *other = &in->sides.items[i];
            taken |= other->side != of->side && strcmp(name_for(other, choice), name) == 0;
        }
        if (!taken) {
            of->side->name = name;
            return;
        }
    }
}
