/* SPDX-License-Identifier: Apache-2.0 */
/* scrub_learn.c - which words of logs are names of hosts and of users. */
#include <fnmatch.h>
#include <stdlib.h>

#include "log/prefix.h"
#include "slurm/hosts.h"
#include "submission/scrub.h"

/* Keeps a name until all have been read. */
static void learn_name(mls_scrub *scrub, mls_scrub_kind kind, mls_str name)
{
    mls_str to;
    const bool none = name.len == 0 || name.len > 255 || mls_str_equal(name, MLS_S("localhost")) ||
                      mls_str_equal(name, MLS_S("root")) || name.ptr[0] == '.' || name.ptr[0] == '-';
    if (!none && !mls_scrub_find(scrub, kind, name, &to)) {
        scrub->failed |= mls_map_put(&scrub->learnt[kind == MLS_SCRUB_USER], name, NULL) == NULL;
    }
}

/* The name after each place of some words, which follow no letter or digit. */
static void learn_after(mls_scrub *scrub, mls_scrub_kind kind, mls_str line, mls_str words, const char *marks)
{
    mls_str rest;
    for (mls_str text = line; mls_str_after(text, words, &rest); text = rest) {
        const char *start = rest.ptr - words.len;
        if (start == line.ptr || !mls_is_alnum(start[-1])) {
            learn_name(scrub, kind, mls_scrub_word(rest, 0, marks));
        }
    }
}

static void learn_users(mls_scrub *scrub, mls_str line)
{
    static const mls_str before[] = {MLS_STR("/home/"), MLS_STR("/Users/"), MLS_STR("/u/"), MLS_STR("USER="),
                                     MLS_STR("LOGNAME=")};
    mls_str rest;
    mls_str field;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        learn_after(scrub, MLS_SCRUB_USER, line, before[i], "._-");
    }
    if (mls_str_after(line, MLS_S("uid="), &rest)) {
        const mls_str number = mls_scrub_word(rest, 0, "");
        if (number.len > 0 && number.len < rest.len && rest.ptr[number.len] == '(') {
            learn_name(scrub, MLS_SCRUB_USER, mls_scrub_word(rest, number.len + 1, "._-"));
        }
    }
    if (mls_str_after(line, MLS_S("RESULT,"), &rest)) {
        for (int i = 0; i < 4; i++) {
            (void)mls_str_cut(&rest, ',', &field);
        }
        learn_name(scrub, MLS_SCRUB_USER, mls_scrub_word(field, 0, "._-"));
    }
}

/* A name that has a digit: of words before a colon those without one are rarely hosts. */
static void learn_numbered(mls_scrub *scrub, mls_str name)
{
    const mls_str word = name.len > 0 ? mls_scrub_word(name, 0, "-") : name;
    for (size_t i = 0; i < word.len; i++) {
        if (mls_is_digit(word.ptr[i])) {
            learn_name(scrub, MLS_SCRUB_HOST, word);
            return;
        }
    }
}

/* Whether a word is like what hosts are replaced with: such words are hosts, so that scrubbing twice changes nothing;
 * or like a pattern that a person gave. */
static bool is_host_like(const mls_scrub *scrub, mls_str word)
{
    char name[256];
    const mls_str digits = word.len > 6 ? (mls_str){word.ptr + 4, word.len - 4} : (mls_str){0};
    bool like = digits.len >= 3 && mls_str_starts(word, MLS_S("node"));
    for (size_t i = 0; like && i < digits.len; i++) {
        like = mls_is_digit(digits.ptr[i]);
    }
    if (!like && word.len > 0 && word.len < sizeof name && scrub->options->host_count > 0) {
        memcpy(name, word.ptr, word.len);
        name[word.len] = '\0';
        for (size_t i = 0; i < scrub->options->host_count && !like; i++) {
            like = fnmatch(scrub->options->hosts[i], name, 0) == 0;
        }
    }
    return like;
}

static void learn_hosts(mls_scrub *scrub, mls_str line)
{
    char scratch[MLS_LINE_EXAMINED];
    mls_str rest;
    const mls_log_line read = mls_log_line_read(line, false, scratch);
    learn_numbered(scrub, read.node);
    learn_after(scrub, MLS_SCRUB_HOST, line, MLS_S("Clearing cache on "), "-");
    learn_after(scrub, MLS_SCRUB_HOST, line, MLS_S("Clearing caches on "), "-");
    if (mls_str_after(line, MLS_S("srun: error: "), &rest)) { /* a message without a host has no colon there */
        const mls_str word = mls_scrub_word(rest, 0, "-");
        if (word.len < rest.len && rest.ptr[word.len] == ':') {
            learn_name(scrub, MLS_SCRUB_HOST, word);
        }
    }
    if (mls_str_contains(line, MLS_S("slurmstepd: error:")) && mls_str_after(line, MLS_S(" ON "), &rest)) {
        learn_name(scrub, MLS_SCRUB_HOST, mls_scrub_word(rest, 0, "-"));
    }
    for (size_t at = 0; at < line.len; at++) {
        const mls_str word = mls_scrub_word(line, at, "-");
        if (is_host_like(scrub, word)) {
            learn_name(scrub, MLS_SCRUB_HOST, word);
        }
        at += word.len;
    }
}

/* What could stand for something, and stands in a log already: it is kept there, and must stand for nothing else. */
static void learn_reserved(mls_scrub *scrub, mls_str line)
{
    static const struct {
        mls_str begins;
        mls_scrub_kind kind;
        const char *marks;
    } kinds[] = {
        {MLS_STR("192.0.2."), MLS_SCRUB_ADDRESS, "."},         {MLS_STR("198.51.100."), MLS_SCRUB_ADDRESS, "."},
        {MLS_STR("203.0.113."), MLS_SCRUB_ADDRESS, "."},       {MLS_STR("2001:db8::"), MLS_SCRUB_ADDRESS6, ":"},
        {MLS_STR("00:00:5e:00:53:"), MLS_SCRUB_HARDWARE, ":"}, {MLS_STR("0x0000"), MLS_SCRUB_GUID, ""}};
    mls_str rest;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (mls_str text = line; mls_str_after(text, kinds[i].begins, &rest); text = rest) {
            mls_str word = mls_scrub_word(line, (size_t)(rest.ptr - line.ptr) - kinds[i].begins.len, kinds[i].marks);
            while (word.len > 0 && !mls_is_alnum(word.ptr[word.len - 1])) {
                word.len--;
            }
            const size_t skipped = kinds[i].kind == MLS_SCRUB_GUID ? 2 : 0;
            mls_scrub_reserve(scrub, kinds[i].kind, mls_str_rest(word, skipped));
        }
    }
    for (mls_str text = line; mls_str_after(text, MLS_S("@example.com"), &rest); text = rest) {
        const char *start = rest.ptr - strlen("@example.com");
        const char *end = rest.ptr;
        while (start > line.ptr && mls_is_alnum(start[-1]) && end - start < 64) {
            start--;
        }
        mls_scrub_reserve(scrub, MLS_SCRUB_MAIL, (mls_str){start, (size_t)(end - start)});
    }
}

void mls_scrub_learn(mls_scrub *scrub, const mls_run *run, mls_str text)
{
    mls_buffer names = {0};
    mls_str line;
    const mls_str list = run != NULL ? mls_str_from(run->job.node_list) : (mls_str){0};
    const char *name = NULL;
    for (size_t left = mls_hosts_expand(list, &names, NULL, (mls_finding_place){0}); left > 0; left--) {
        name = name == NULL ? names.ptr : name + strlen(name) + 1;
        learn_name(scrub, MLS_SCRUB_HOST, mls_str_from(name));
    }
    scrub->failed |= names.failed;
    mls_buffer_release(&names);
    while (text.len > 0) {
        (void)mls_str_cut(&text, '\n', &line);
        learn_hosts(scrub, line);
        learn_users(scrub, line);
        learn_reserved(scrub, line);
    }
}

static int compare_learnt(const void *a, const void *b)
{
    return mls_str_compare_natural(((const mls_map_entry *)a)->key, ((const mls_map_entry *)b)->key);
}

void mls_scrub_number(mls_scrub *scrub)
{
    for (size_t i = 0; i < 2; i++) {
        mls_map *learnt = &scrub->learnt[i];
        mls_map_entry *sorted = mls_arena_array(&scrub->arena, learnt->count + 1, sizeof *sorted);
        scrub->failed |= sorted == NULL;
        if (sorted != NULL && learnt->count > 0) {
            memcpy(sorted, learnt->entries, learnt->count * sizeof *sorted);
            qsort(sorted, learnt->count, sizeof *sorted, compare_learnt);
        }
        for (size_t k = 0; sorted != NULL && k < learnt->count; k++) {
            (void)mls_scrub_replace(scrub, i == 0 ? MLS_SCRUB_HOST : MLS_SCRUB_USER, sorted[k].key);
        }
        *learnt = (mls_map){.arena = &scrub->arena};
    }
}
