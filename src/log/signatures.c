/* SPDX-License-Identifier: Apache-2.0 */
/* signatures.c - read built-in and user signatures from JSON, and match lines against them. */
#include "log/signatures.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/needles.h"
#include "base/pattern.h"
#include "json/json_row.h"
#include "json/value.h"

enum { SIGNATURES_MAX = 4096, TEXTS_MAX = 64 };

/* An element of the list of signatures that need a string. */
typedef struct signature_need {
    uint32_t place; /* index of the signature in mls_signatures.order */
    struct signature_need *next;
} signature_need;

typedef struct signature_entry {
    mls_signature public;
    mls_pattern pattern; /* the compiled pattern, which is created on first use */
    bool after_traceback;
    bool overran; /* matching the pattern exceeded a limit on some line, so the signature is not used anymore */
} signature_entry;

struct mls_signatures {
    mls_arena arena;
    signature_entry *items; /* the signatures of users, then the built-in ones */
    size_t count, capacity;
    size_t own; /* number of signatures of users */
    /* The following members are set by mls_signatures_prepare(), and allocated in `index`. */
    mls_arena index;
    /* Searches without and with the marks after the first mark_count; NULL: not created yet. */
    mls_needles *searches[2];
    const mls_needles *needles; /* the search in use */
    const mls_str *marks;
    size_t mark_count;
    /* The strings to search for: the first mark_count marks, the strings that signatures need, and the other marks.
     * NULL: mls_signatures_prepare() was not called. */
    mls_str *needle_texts;
    size_t needle_count, all_count;
    /* Indices of items in the order in which signatures are tried: by falling precedence, and generic signatures last.
     */
    uint32_t *order;
    /* For each needle after the first mark_count, the list of signatures that need it; the first element of each list,
     * then all other elements. */
    signature_need *texts;
    uint64_t *always; /* one bit per index in `order`: the signature is tried on every line */
    /* One bit per index in `order`: the signature is to be tried on the line that was searched last. */
    uint64_t *tried;
    bool wants_all; /* `always` has set bits */
    /* Index in `order` of the signature python-exception, which matches only after a traceback; SIZE_MAX: none. */
    size_t exception;
};

mls_str mls_failure_word(const char *words, unsigned number)
{
    mls_str left = mls_str_from(words);
    mls_str word = {"", 0};
    for (unsigned i = 0; i < number; i++)
        word = mls_str_word(&left);
    return word;
}

#define MEMBER(name, kind, member, words) MLS_MEMBER_OF(mls_signature, name, kind, member, words)

static const mls_row_member signature_members[] = {
    MEMBER("pattern", TEXT, pattern, NULL),
    MEMBER("class", WORD, kind, MLS_FAILURE_CLASSES),
    MEMBER("origin", WORD, origin, MLS_FAILURE_ORIGINS),
    MEMBER("persistence", WORD, persistence, MLS_FAILURE_PERSISTENCES),
    MEMBER("role", WORD, role, MLS_FAILURE_ROLES),
    MEMBER("precedence", COUNT, precedence, NULL),
    MEMBER("explanation", TEXT, explanation, NULL),
    MEMBER("action", TEXT, action, NULL),
    MEMBER("source", TEXT, source, NULL),
    MEMBER("example", TEXT, example, NULL),
    MEMBER("generic", BOOL, generic, NULL), /* this and the following members are optional */
    MEMBER("recovers", TEXT, recovers, NULL),
};

/* Members of the JSON object "otherwise" of a signature, which applies to names that are not in the list "names". */
static const mls_row_member otherwise_members[] = {
    MEMBER("role", WORD, role, MLS_FAILURE_ROLES),
    MEMBER("explanation", TEXT, explanation, NULL),
    MEMBER("action", TEXT, action, NULL),
};

/* Members of an item in the list "memory" of a signature, which describes an out-of-memory message.  An item without
 * pattern and example uses those of its signature. */
static const mls_row_member wording_members[] = {
    MEMBER("framework", TEXT, framework, NULL), MEMBER("wording", TEXT, wording, NULL),
    MEMBER("pattern", TEXT, pattern, NULL),     MEMBER("example", TEXT, example, NULL),
    MEMBER("advice", TEXT, advice, NULL),
};

enum {
    MEMBERS = sizeof signature_members / sizeof *signature_members,
    NEEDED_MEMBERS = MEMBERS - 2,
    OTHERWISE_MEMBERS = sizeof otherwise_members / sizeof *otherwise_members
};

static mls_status wrong_signature(mls_error *error, const char *id, const char *why, const char *what)
{
    return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "signature '%s': %s%s", id, why, what);
}

/* Read the member `name` of a signature, an optional list of texts. */
static mls_status read_texts(mls_signatures *self, const cJSON *json, const char *name, const char *id,
                             const mls_str **texts, size_t *text_count, mls_error *error)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, name);
    const int count = cJSON_GetArraySize(list);
    if (list == NULL || cJSON_IsNull(list))
        return MLS_OK;
    if (!cJSON_IsArray(list) || count > TEXTS_MAX)
        return wrong_signature(error, id, name, " must be a list of texts");
    mls_str *to = mls_arena_array(&self->arena, (size_t)count, sizeof *to);
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        if (!cJSON_IsString(item) || item->valuestring[0] == '\0')
            return wrong_signature(error, id, name, " must be a list of texts");
        to[(*text_count)++] = mls_arena_copy(&self->arena, mls_str_from(item->valuestring));
    }
    *texts = to;
    return MLS_OK;
}

static mls_status read_signature(mls_signatures *self, const cJSON *json, mls_signature *to, mls_error *error)
{
    const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "id"));
    mls_error why = {0};
    *to = (mls_signature){0};
    if (id == NULL || *id == '\0')
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "a signature without an id");
    to->id = mls_arena_copy(&self->arena, mls_str_from(id)).ptr;
    for (size_t i = 0; i < NEEDED_MEMBERS; i++) {
        const cJSON *member = cJSON_GetObjectItemCaseSensitive(json, signature_members[i].name);
        if (member == NULL || cJSON_IsNull(member))
            return wrong_signature(error, to->id, signature_members[i].name, " is missing");
    }
    mls_status status = mls_json_row_read(json, signature_members, MEMBERS, &self->arena, to, &why);
    const cJSON *otherwise = cJSON_GetObjectItemCaseSensitive(json, "otherwise");
    if (status == MLS_OK && otherwise != NULL) {
        mls_signature *other = mls_arena_array(&self->arena, 1, sizeof *other);
        *other = *to;
        to->otherwise = other;
        status = mls_json_row_read(otherwise, otherwise_members, OTHERWISE_MEMBERS, &self->arena, other, &why);
    }
    if (status != MLS_OK)
        return wrong_signature(error, to->id, why.message, "");
    if (to->precedence > MLS_PRECEDENCE_MAX)
        return wrong_signature(error, to->id, "precedence must be from 0 to 100", "");
    status = read_texts(self, json, "names", to->id, &to->names, &to->name_count, error);
    return status == MLS_OK ? read_texts(self, json, "need", to->id, &to->needs, &to->need_count, error) : status;
}

static mls_status compile_entry(signature_entry *entry, mls_error *error)
{
    const mls_str text = mls_str_from(entry->public.pattern);
    const bool good =
        entry->pattern.code != NULL || mls_pattern_compile(&entry->pattern, MLS_PATTERN_LINES, text) == MLS_OK;
    return good ? MLS_OK : wrong_signature(error, entry->public.id, "its pattern does not compile", "");
}

/* Add a signature.  A user's signature replaces a signature with the same id, and is placed among the signatures of
 * users. */
static mls_status add_entry(mls_signatures *self, const mls_signature *signature, bool own, mls_error *error)
{
    signature_entry entry = {.public = *signature,
                             .after_traceback = mls_str_equal(mls_str_from(signature->id), MLS_S("python-exception"))};
    unsigned same = 0;
    const bool replaces = own && MLS_NAME_FIND(self->items, self->count, mls_str_from(signature->id), &same);
    size_t at = own ? self->own : self->count;
    mls_status status = own ? compile_entry(&entry, error) : MLS_OK;
    if (status != MLS_OK)
        return status;
    if (replaces) {
        at = same;
        mls_pattern_release(&self->items[at].pattern);
        if (at >= self->own) {
            memmove(&self->items[self->own + 1], &self->items[self->own], (at - self->own) * sizeof entry);
            at = self->own++;
        }
    } else if (self->count >= SIGNATURES_MAX) {
        mls_pattern_release(&entry.pattern);
        return mls_error_set(error, MLS_ERROR_LIMIT, 0, 0, "more than %d signatures", SIGNATURES_MAX);
    } else {
        MLS_GROW(self, items);
        memmove(&self->items[at + 1], &self->items[at], (self->count++ - at) * sizeof entry);
        self->own += own;
    }
    self->items[at] = entry;
    return MLS_OK;
}

static mls_status add_built_in(void *state, const cJSON *item, mls_error *error)
{
    mls_signatures *self = state;
    mls_signature signature;
    const mls_status status = read_signature(self, item, &signature, error);
    return status == MLS_OK ? add_entry(self, &signature, false, error) : status;
}

/* Add an entry for each item in the list "memory" of a signature. */
static mls_status add_of_memory(void *state, const cJSON *json, mls_error *error)
{
    mls_signatures *self = state;
    mls_signature signature;
    const size_t count = sizeof wording_members / sizeof *wording_members;
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "memory");
    const char *framework = NULL;
    bool whole = false; /* an item uses the pattern of the signature */
    mls_status status = read_signature(self, json, &signature, error);
    for (const cJSON *item = list != NULL ? list->child : NULL; item != NULL && status == MLS_OK; item = item->next) {
        mls_signature wording = signature;
        status = mls_json_row_read(item, wording_members, count, &self->arena, &wording, error);
        if (status == MLS_OK && (wording.framework == NULL || wording.wording == NULL))
            status = wrong_signature(error, signature.id, "'memory' needs a framework and a wording", "");
        status = status == MLS_OK ? add_entry(self, &wording, false, error) : status;
        whole = whole || wording.pattern == signature.pattern;
        framework = wording.framework;
    }
    /* Add a generic entry for messages that do not match any item.  Do this only for signatures with the role root,
     * because a message such as "Killed" may have another cause than memory. */
    const bool host = status == MLS_OK && signature.kind == MLS_CLASS_HOST_MEMORY;
    if (status != MLS_OK || whole || (!host && signature.kind != MLS_CLASS_GPU_MEMORY) ||
        signature.role != MLS_ROLE_ROOT)
        return status;
    signature.generic = true;
    signature.framework = framework != NULL ? framework : host ? "host" : "gpu";
    signature.wording = signature.id;
    return add_entry(self, &signature, false, error);
}

static void drop_index(mls_signatures *self)
{
    mls_needles_free(self->searches[false]);
    mls_needles_free(self->searches[true]);
    self->searches[false] = self->searches[true] = NULL;
    self->needles = NULL;
    self->needle_texts = NULL;
    mls_arena_release(&self->index);
}

/* Create a table from the built-in signatures, each of which is passed to `take`.  They are parsed one at a time,
 * because the JSON tree of all signatures would double the memory in use. */
static mls_status new_signatures(mls_signatures **signatures, mls_json_taker take, mls_error *error)
{
    mls_signatures *self = mls_calloc(1, sizeof *self);
    *signatures = self;
    const mls_status status = mls_json_data_each("signatures.json", take, self, error);
    if (status != MLS_OK) {
        mls_signatures_free(self);
        *signatures = NULL;
    }
    return status;
}

mls_status mls_signatures_new(mls_signatures **signatures, mls_error *error)
{
    return new_signatures(signatures, add_built_in, error);
}

mls_status mls_signatures_of_memory(mls_signatures **signatures, mls_error *error)
{
    return new_signatures(signatures, add_of_memory, error);
}

mls_status mls_signatures_add(mls_signatures *signatures, mls_str text, mls_error *error)
{
    drop_index(signatures);
    cJSON *json;
    mls_status status = mls_json_tree(text, &json, error);
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "signatures");
    if (status == MLS_OK && !cJSON_IsArray(list))
        status = mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "the list `signatures` is missing");
    for (const cJSON *item = list != NULL ? list->child : NULL; item != NULL && status == MLS_OK; item = item->next) {
        mls_signature signature;
        status = read_signature(signatures, item, &signature, error);
        status = status == MLS_OK ? add_entry(signatures, &signature, true, error) : status;
    }
    cJSON_Delete(json);
    return status;
}

void mls_signatures_free(mls_signatures *signatures)
{
    if (signatures != NULL) {
        for (size_t i = 0; i < signatures->count; i++)
            mls_pattern_release(&signatures->items[i].pattern);
        free(signatures->items);
        drop_index(signatures);
        mls_arena_release(&signatures->arena);
        free(signatures);
    }
}

size_t mls_signatures_count(const mls_signatures *signatures)
{
    return signatures->count;
}

const mls_signature *mls_signatures_get(const mls_signatures *signatures, size_t index)
{
    return &signatures->items[index].public;
}

bool mls_signatures_overran(const mls_signatures *signatures, size_t index)
{
    return signatures->items[index].overran;
}

/* Return how many strings are searched for because this signature needs them; 0: the signature is tried on every
 * line. */
static size_t searched_needs(const signature_entry *entry)
{
    bool searched = !entry->after_traceback;
    for (size_t i = 0; i < entry->public.need_count; i++)
        searched = searched && entry->public.needs[i].len >= MLS_NEEDLE_MIN;
    return searched ? entry->public.need_count : 0;
}

void mls_signatures_prepare(mls_signatures *self, const mls_str *marks, size_t mark_count, size_t all_count)
{
    /* Number of list elements stored at the end of self->texts, after the first elements of all lists. */
    size_t more = 0;
    if (self->needle_texts != NULL && self->marks == marks)
        return;
    drop_index(self);
    self->marks = marks;
    self->mark_count = mark_count;
    for (size_t i = 0; i < self->count; i++)
        more += searched_needs(&self->items[i]);
    self->exception = SIZE_MAX;
    self->wants_all = false;
    self->order = mls_arena_array(&self->index, self->count, sizeof *self->order);
    self->texts = mls_arena_array(&self->index, more, sizeof *self->texts);
    self->always = mls_arena_zeroed(&self->index, self->count / 64 + 1, sizeof *self->always);
    self->tried = mls_arena_zeroed(&self->index, self->count / 64 + 1, sizeof *self->tried);
    mls_str *texts = self->needle_texts = mls_arena_array(&self->index, more + all_count, sizeof *texts);
    /* Sort by precedence, generic signatures last.  Signatures of equal precedence keep the order of the file. */
    for (size_t i = 0; i < self->count; i++) {
        const mls_signature *own = &self->items[i].public;
        size_t at = i;
        for (; at > 0; at--) {
            const mls_signature *before = &self->items[self->order[at - 1]].public;
            if (own->generic != before->generic ? own->generic : own->precedence <= before->precedence)
                break;
            self->order[at] = self->order[at - 1];
        }
        self->order[at] = (uint32_t)i;
    }
    /* List the strings to search for, in the order described at needle_texts.  A string that several signatures need is
     * listed once. */
    mls_map known = {.arena = &self->index};
    size_t count = 0;
    for (; count < mark_count; count++)
        texts[count] = marks[count];
    for (size_t place = 0; place < self->count; place++) {
        const signature_entry *entry = &self->items[self->order[place]];
        const size_t needs = searched_needs(entry);
        for (size_t i = 0; i < needs; i++) {
            bool added;
            mls_map_entry *text = mls_map_put(&known, entry->public.needs[i], &added);
            signature_need *need = added ? &self->texts[count - mark_count] : &self->texts[--more];
            *need = (signature_need){.place = (uint32_t)place};
            if (added) {
                text->value.pointer = need;
                texts[count++] = entry->public.needs[i];
            } else {
                signature_need *first = text->value.pointer;
                need->next = first->next;
                first->next = need;
            }
        }
        if (entry->after_traceback) {
            self->exception = place;
        } else if (needs == 0) {
            self->always[place / 64] |= UINT64_C(1) << (place % 64);
            self->wants_all = true;
        }
    }
    self->needle_count = count;
    for (size_t i = mark_count; i < all_count; i++)
        texts[count++] = marks[i];
    self->all_count = count;
}

mls_needles *mls_signatures_needles(mls_signatures *self, bool all)
{
    mls_needles **needles = &self->searches[all];
    if (*needles != NULL ||
        mls_needles_new(self->needle_texts, all ? self->all_count : self->needle_count, needles) == MLS_OK)
        self->needles = *needles;
    return *needles;
}

bool mls_signatures_want_all(const mls_signatures *signatures)
{
    return signatures->wants_all;
}

bool mls_signatures_want_records(const mls_signatures *signatures)
{
    return signatures->own > 0;
}

typedef struct line_search {
    mls_signatures *signatures;
    uint32_t marks;
} line_search;

static bool note_needle(void *state, size_t needle, size_t at)
{
    line_search *search = state;
    (void)at;
    mls_signatures *self = search->signatures;
    if (needle < self->mark_count) {
        search->marks |= UINT32_C(1) << (needle < MLS_MARKS_MAX ? needle : MLS_MARKS_MAX);
    } else {
        const signature_need *need = needle < self->needle_count ? &self->texts[needle - self->mark_count] : NULL;
        for (; need != NULL; need = need->next)
            self->tried[need->place / 64] |= UINT64_C(1) << (need->place % 64);
        search->marks |= MLS_ANY_SIGNATURE;
    }
    return true;
}

uint32_t mls_signatures_search(mls_signatures *self, mls_str line)
{
    line_search search = {self, 0};
    memcpy(self->tried, self->always, (self->count / 64 + 1) * sizeof *self->tried);
    (void)mls_needles_find(self->needles, line, note_needle, &search);
    return search.marks;
}

ptrdiff_t mls_signatures_find(mls_signatures *self, mls_str message, bool traceback)
{
    if (traceback && self->exception != SIZE_MAX)
        self->tried[self->exception / 64] |= UINT64_C(1) << (self->exception % 64);
    for (size_t word = 0; word <= self->count / 64; word++) {
        for (uint64_t left = self->tried[word]; left != 0; left &= left - 1) {
            const size_t index = self->order[word * 64 + (size_t)__builtin_ctzll(left)];
            signature_entry *entry = &self->items[index];
            mls_str match = {NULL, 0};
            if (!entry->overran && compile_entry(entry, NULL) == MLS_OK)
                entry->overran = mls_pattern_find(&entry->pattern, message, 0, &match) == MLS_ERROR_LIMIT;
            if (match.ptr != NULL)
                return (ptrdiff_t)index;
        }
    }
    return -1;
}

mls_str mls_signatures_group(const mls_signatures *self, size_t found, mls_str message, const char *name)
{
    return mls_pattern_group(&self->items[found].pattern, message, name);
}

bool mls_signatures_maybe_exception(const mls_signatures *self, mls_str message)
{
    if (self->exception == SIZE_MAX)
        return false;
    const mls_signature *signature = &self->items[self->order[self->exception]].public;
    bool maybe = signature->need_count == 0;
    for (size_t i = 0; i < signature->need_count && !maybe; i++)
        maybe = mls_str_contains(message, signature->needs[i]);
    return maybe;
}
