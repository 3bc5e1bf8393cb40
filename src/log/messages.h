/* SPDX-License-Identifier: Apache-2.0 */
/* messages.h - signatures: known failure and out-of-memory messages, with their meaning.  They come from the sources
 * and manuals of programs. */
#pragma once

#include "base/base.h"

/** The role of a message in a failure.  A root may be the cause of a failure; a symptom may be the cause or a
 * consequence; an effect is only a consequence; a context is shown, but is neither. */
typedef enum mls_failure_role {
    MLS_ROLE_ROOT = 1,
    MLS_ROLE_SYMPTOM,
    MLS_ROLE_EFFECT,
    MLS_ROLE_CONTEXT,
    MLS_ROLE_END
} mls_failure_role;

/** The words for the numbers in mls_signature.  The first word of a list has number 1; number 0 means that no word is
 * given. */
#define MLS_FAILURE_ROLES "root symptom effect context"
#define MLS_FAILURE_ORIGINS "hardware infrastructure software user unknown"
#define MLS_FAILURE_PERSISTENCES "transient persistent unknown"
#define MLS_FAILURE_CLASSES                                                                                            \
    "gpu-hardware gpu-memory gpu-fault host-hardware host-memory node network communication-timeout storage "          \
    "scheduler preemption container configuration library-mismatch data numerics code convergence hang unknown"
enum {
    MLS_CLASS_GPU_HARDWARE = 1,
    MLS_CLASS_GPU_MEMORY = 2,
    MLS_CLASS_GPU_FAULT = 3,
    MLS_CLASS_HOST_HARDWARE = 4,
    MLS_CLASS_HOST_MEMORY = 5,
    MLS_CLASS_NODE = 6,
    MLS_CLASS_NETWORK = 7,
    MLS_CLASS_COMMUNICATION_TIMEOUT = 8,
    MLS_CLASS_STORAGE = 9,
    MLS_CLASS_SCHEDULER = 10,
    MLS_CLASS_PREEMPTION = 11,
    MLS_CLASS_CONTAINER = 12,
    MLS_CLASS_NUMERICS = 16,
    MLS_CLASS_CODE = 17,
    MLS_CLASS_HANG = 19,
    MLS_CLASS_UNKNOWN = 20,
    MLS_ORIGIN_HARDWARE = 1,
    MLS_ORIGIN_INFRASTRUCTURE = 2,
    MLS_ORIGIN_USER = 4,
    MLS_ORIGIN_UNKNOWN = 5,
    MLS_PERSISTENCE_TRANSIENT = 1,
    MLS_PERSISTENCE_PERSISTENT = 2,
    MLS_PERSISTENCE_UNKNOWN = 3
};

#define MLS_PRECEDENCE_MAX 100

typedef struct mls_signature {
    const char *id;
    const char *pattern;          /**< regular expression of PCRE2, matched against the bytes of a message */
    unsigned kind;                /**< the failure class, an index in MLS_FAILURE_CLASSES from 1 */
    unsigned origin, persistence; /**< indices in MLS_FAILURE_ORIGINS and MLS_FAILURE_PERSISTENCES, from 1 */
    unsigned role;                /**< an mls_failure_role */
    uint64_t precedence; /**< 0 to MLS_PRECEDENCE_MAX; if several signatures match, the highest precedence wins */
    bool generic;        /**< the signature is used only if no other signature matches */
    const char *explanation, *action, *source, *example;
    /** Strings of which a matching line contains at least one; if there are none, any line may match. */
    const mls_str *needs;
    size_t need_count;
    /** Names of the program and of its out-of-memory message; NULL except with mls_signatures_of_memory(). */
    const char *framework, *wording;
    /** If not empty, the signature applies only if its group `name` matched one of these texts; `otherwise` applies to
     * other texts. */
    const mls_str *names;
    size_t name_count;
    /** role, explanation and action for other names; NULL: they are the same for all names. */
    const struct mls_signature *otherwise;
    /** Ids of signatures, separated by blanks: this message shows that the failures of earlier messages with these ids
     * are over; NULL: none. */
    const char *recovers;
    /** For an out-of-memory message: name in mls_oom_advices of a suggestion that always applies; NULL: none. */
    const char *advice;
} mls_signature;

/** Return a word by its number, for example mls_failure_word(MLS_FAILURE_CLASSES, signature->kind).  Return "" for
 * number 0. */
mls_str mls_failure_word(const char *words, unsigned number);

/** A table of signatures.  Signatures added by the user precede the built-in ones. */
typedef struct mls_signatures mls_signatures;

/** Create a table with the built-in signatures, and free it with mls_signatures_free().  Return MLS_OK, or
 * MLS_ERROR_VALUE if the built-in data are wrong. */
mls_status mls_signatures_new(mls_signatures **signatures, mls_error *error) MLS_MUST_USE;

/** Add signatures from a text in the format of src/data/signatures.json, before the built-in ones.  A signature with an
 * existing id replaces the old one.  Their member `needs` is optional.  Return MLS_OK, MLS_ERROR_SYNTAX,
 * MLS_ERROR_VALUE (the message contains the id), or MLS_ERROR_LIMIT. */
mls_status mls_signatures_add(mls_signatures *signatures, mls_str text, mls_error *error) MLS_MUST_USE;

/** Create a table of the built-in out-of-memory messages.  It has one entry for each item in the list `memory` of a
 * signature in src/data/signatures.json, with the pattern and example of the item or, if the item lacks them, those of
 * the signature.  The groups of a pattern capture sizes and names; mlscore-diagnose(1) lists them.  After the entries
 * of a signature of class gpu-memory or host-memory with the role root, there is a generic entry, whose `wording` is
 * the id of the signature.  Return a status like mls_signatures_new(). */
mls_status mls_signatures_of_memory(mls_signatures **signatures, mls_error *error) MLS_MUST_USE;
void mls_signatures_free(mls_signatures *signatures);

size_t mls_signatures_count(const mls_signatures *signatures);
const mls_signature *mls_signatures_get(const mls_signatures *signatures, size_t index);
