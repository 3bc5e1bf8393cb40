/* SPDX-License-Identifier: Apache-2.0 */
/* collectives.h - the kernels of a trace that are one rank's part of a collective; private to the profile room.
 *
 * A kernel takes 24 bytes; what several have in common, by which those of two ranks are the same, is kept once. */
#pragma once

#include "base/buffer.h"
#include "base/map.h"
#include "explain/profile/profile.h"

/* Parts of a collective that a kernel's arguments name, in this order in trace_part too. */
typedef enum mls_collective_part {
    MLS_COLLECTIVE_GROUP,   /* its process group's name */
    MLS_COLLECTIVE_NAME,    /* "allreduce"; a kernel without it is part of none */
    MLS_COLLECTIVE_IN,      /* elements that go in, and that come out */
    MLS_COLLECTIVE_TYPE,    /* "BFloat16" */
    MLS_COLLECTIVE_MEMBERS, /* "[0, 1]": two groups may have one name */
    MLS_COLLECTIVE_KEYED,   /* those before tell collectives apart */
    MLS_COLLECTIVE_OUT = MLS_COLLECTIVE_KEYED,
    MLS_COLLECTIVE_SIZE, /* ranks in the group */
    MLS_COLLECTIVE_PARTS
} mls_collective_part;

/* The arguments of the event that is being read. */
typedef struct mls_collective_texts {
    mls_buffer texts[MLS_COLLECTIVE_PARTS];
    unsigned there; /* a bit for each that is */
} mls_collective_texts;

typedef struct mls_collective {
    int64_t start, length; /* nanoseconds */
    uint32_t key;
    uint32_t number; /* in the order of the file */
} mls_collective;
_Static_assert(sizeof(mls_collective) == 24, "a kernel of a collective takes 24 bytes");

/* More keys, or more bytes of their texts, are not kept: their kernels are counted in `dropped`. */
enum { MLS_COLLECTIVE_KEYS_MAX = 65536, MLS_COLLECTIVE_BYTES_MAX = 8 << 20 };

typedef struct mls_collective_key {
    mls_str whole; /* all of its texts */
    mls_str texts[MLS_COLLECTIVE_KEYED];
    double in, out, size; /* NAN: not known */
    size_t first, count;  /* of its kernels, when these are sorted */
} mls_collective_key;

struct mls_collectives {
    mls_map map; /* an entry's number is that of its key */
    MLS_LIST_OF(mls_collective) kernels;
    MLS_LIST_OF(mls_collective_key) keys;
    size_t bytes;
    uint64_t dropped;
    int64_t base_ns; /* what the starts count from; -1: not known */
};

/* The part of that name among the arguments; MLS_COLLECTIVE_PARTS: none. */
mls_collective_part mls_collective_part_of(mls_str name);

/* Takes the text of a part; the first one counts. */
void mls_collective_take(mls_collective_texts *texts, mls_collective_part part, mls_str text);

/* Adds the kernel whose arguments were read, or counts one of NCCL that has none. */
void mls_collective_add(mls_profile *profile, const mls_collective_texts *texts, bool nccl, int64_t start,
                        int64_t length);
void mls_collective_texts_release(mls_collective_texts *texts);

/* When all has been read: puts the kernels of each key together, as they follow each other. */
void mls_collectives_sort(struct mls_collectives *collectives, int64_t base_ns);
void mls_collectives_free(struct mls_collectives *collectives);

/* The bytes that a collective of a group of so many is measured by, and how many of them each rank's link has to move
 * for each (as NVIDIA's nccl-tests count them); NAN: not known. */
double mls_collective_bytes(const mls_collective_key *key);
double mls_collective_factor(mls_str name, double ranks);
