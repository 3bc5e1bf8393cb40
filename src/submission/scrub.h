/* SPDX-License-Identifier: Apache-2.0 */
/* scrub.h - what logs give away, replaced: hosts, users, addresses, tokens, and what a person names.
 *
 * One table holds for a whole submission: the same thing has the same replacement in every file and in each later pack,
 * and different things never get the same one.  It is private, and kept in a record between packs. */
#pragma once

#include "base/buffer.h"
#include "base/map.h"
#include "submission/pack.h"

/* The names of kinds stand in the record. */
#define MLS_SCRUB_KINDS(K)                                                                                             \
    K(HOST, "host")                                                                                                    \
    K(USER, "user")                                                                                                    \
    K(ADDRESS, "address")                                                                                              \
    K(ADDRESS6, "address6")                                                                                            \
    K(HARDWARE, "hardware")                                                                                            \
    K(GUID, "guid")                                                                                                    \
    K(MAIL, "mail")                                                                                                    \
    K(SECRET, "secret")                                                                                                \
    K(NAMED, "named")
#define MLS_SCRUB_ID(id, name) MLS_SCRUB_##id,
typedef enum mls_scrub_kind { MLS_SCRUB_KINDS(MLS_SCRUB_ID) MLS_SCRUB_KIND_COUNT } mls_scrub_kind;
#undef MLS_SCRUB_ID

/* A thing and what stands for it. */
typedef struct mls_scrub_entry {
    mls_scrub_kind kind;
    mls_str from, to;
} mls_scrub_entry;

typedef struct mls_scrub {
    mls_arena arena;
    MLS_LIST_OF(mls_scrub_entry) entries;
    mls_map known;                        /* by kind and text: the number of the entry */
    mls_map used;                         /* by kind and text: what stands for something, or in a log as it is */
    mls_map learnt[2];                    /* names of hosts and users that have no replacement yet */
    size_t things[MLS_SCRUB_KIND_COUNT];  /* how many entries there are of each kind */
    size_t numbers[MLS_SCRUB_KIND_COUNT]; /* of the last replacement that was tried */
    size_t places[MLS_SCRUB_KIND_COUNT];  /* how often something was replaced */
    const char *file;                     /* the log that is read, and the line of it */
    size_t line;
    MLS_LIST_OF(mls_pack_doubtful) doubtful; /* addresses that may be versions, and stay: the first ones of all */
    size_t doubtful_count;
    const mls_pack_options *options;    /* patterns of the names of hosts */
    MLS_LIST_OF(mls_scrub_entry) named; /* FROM=TO */
    const char *full;                   /* the kind of which there are too many; NULL: none */
    bool failed;                        /* memory ran out */
} mls_scrub;

/* Begins with FROM=TO of a person and an empty table.  MLS_OK, MLS_ERROR_UNKNOWN for what is no FROM=TO, or
 * MLS_ERROR_MEMORY.  *scrub is to be released in any case. */
mls_status mls_scrub_begin(mls_scrub *scrub, const mls_pack_options *options, mls_error *error) MLS_MUST_USE;
void mls_scrub_release(mls_scrub *scrub);

/* Adds what an earlier pack has kept.  MLS_OK; MLS_ERROR_VALUE: there is no such kind, or the table has another
 * replacement for the thing, or it for another thing; MLS_ERROR_MEMORY. */
mls_status mls_scrub_know(mls_scrub *scrub, mls_str kind, mls_str from, mls_str to) MLS_MUST_USE;

/* "host", as in the record. */
const char *mls_scrub_kind_name(mls_scrub_kind kind);

/* What stands for a thing; new is what comes next of its kind.  The text itself once there is no more. */
mls_str mls_scrub_replace(mls_scrub *scrub, mls_scrub_kind kind, mls_str text);

/* The same of what has a replacement; false: it has none. */
bool mls_scrub_find(const mls_scrub *scrub, mls_scrub_kind kind, mls_str text, mls_str *to);

/* Learns the names of hosts and users of a log, and, when all have been read, gives each one a number in natural order,
 * so that the order of racks stays. */
void mls_scrub_learn(mls_scrub *scrub, const mls_run *run, mls_str text);
void mls_scrub_number(mls_scrub *scrub);

/* Notes a text that stands in a log and could stand for something: it is left, and never stands for anything else. */
void mls_scrub_reserve(mls_scrub *scrub, mls_scrub_kind kind, mls_str text);

/* Appends a log with all that is known replaced.  Lines stay lines; of a record only texts that are values change, but
 * those of key and event_type. */
void mls_scrub_text(mls_scrub *scrub, mls_str text, mls_buffer *out);

/* MLS_OK, or why not all could be replaced. */
mls_status mls_scrub_status(const mls_scrub *scrub, mls_error *error) MLS_MUST_USE;

/* Letters and digits in ASCII; the same and the marks of a host's name, or of a user's. */
static inline bool mls_is_alnum(char c)
{
    return mls_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The part of a text from `at` on that has only letters, digits and the given marks. */
mls_str mls_scrub_word(mls_str text, size_t at, const char *marks);
