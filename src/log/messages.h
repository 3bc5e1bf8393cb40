/* SPDX-License-Identifier: Apache-2.0 */
/* messages.h - signatures: known failure and out-of-memory messages, with their meaning.  They come from the sources
 * and manuals of programs. */
#pragma once

#include "base/base.h"

/** The role of a message in a failure: a root may start a failure, a symptom may start or follow one, an effect only
 * follows one, and a context is only shown. */
typedef enum mls_failure_role {
    MLS_ROLE_ROOT = 1,
    MLS_ROLE_SYMPTOM,
    MLS_ROLE_EFFECT,
    MLS_ROLE_CONTEXT,
    MLS_ROLE_END
} mls_failure_role;

/** The words of enumerations.  The first word of a list has number 1; number 0 means that no word is given. */
#define MLS_FAILURE_ROLES "root symptom effect context"
#define MLS_FAILURE_ORIGINS "hardware infrastructure software user unknown"
#define MLS_FAILURE_PERSISTENCES "transient persistent unknown"
#define MLS_FAILURE_CLASSES                                                                                            \
    "gpu-hardware gpu-memory gpu-fault host-hardware host-memory node network communication-timeout storage "          \
    "scheduler preemption container configuration library-mismatch data numerics code convergence hang unknown"
enum {
    MLS_CLASS_GPU_MEMORY = 2,
    MLS_CLASS_HOST_MEMORY = 5,
    MLS_CLASS_NODE = 6,
    MLS_CLASS_COMMUNICATION_TIMEOUT = 8,
    MLS_CLASS_SCHEDULER = 10,
    MLS_CLASS_PREEMPTION = 11,
    MLS_CLASS_NUMERICS = 16,
    MLS_CLASS_CODE = 17,
    MLS_CLASS_HANG = 19,
    MLS_CLASS_UNKNOWN = 20,
    MLS_ORIGIN_USER = 4,
    MLS_ORIGIN_UNKNOWN = 5,
    MLS_PERSISTENCE_UNKNOWN = 3
};

#define MLS_PRECEDENCE_MAX 100

typedef struct mls_signature {
    const char *id;
    const char *pattern; /**< PCRE2, matched against the bytes of a message */
    unsigned kind;       /**< the failure class */
    unsigned origin, persistence;
    unsigned role;       /**< an mls_failure_role */
    uint64_t precedence; /**< 0 to MLS_PRECEDENCE_MAX */
    bool generic;        /**< tried only on lines that match no other signature */
    const char *explanation, *action, *source, *example;
    const mls_str *needs; /**< a matching line contains one of these; none: any line may match */
    size_t need_count;
    const char *framework,
        *wording;         /**< set by mls_signatures_of_memory(): the program and the wording; otherwise NULL */
    const mls_str *names; /**< the meaning applies only if the group `name` matched one of these */
    size_t name_count;
    const struct mls_signature *otherwise; /**< the meaning for other names; NULL: the same */
    const char *recovers;                  /**< id of the earlier messages whose failure this one ends; NULL: none */
    const char *advice; /**< of a wording: a name of mls_oom_advices that always applies; NULL: none */
} mls_signature;

/** Return the word of a number, such as mls_failure_word(MLS_FAILURE_CLASSES, signature->kind), or "" for 0. */
mls_str mls_failure_word(const char *words, unsigned number);

/** A table of signatures, those of users before the built-in ones. */
typedef struct mls_signatures mls_signatures;

/** Load the built-in signatures.  Return MLS_OK, or MLS_ERROR_VALUE if the program's own data is wrong. */
mls_status mls_signatures_new(mls_signatures **signatures, mls_error *error) MLS_MUST_USE;

/** Add signatures from a text in the format of src/data/signatures.json, before the built-in ones.  A signature with an
 * existing id replaces the old one.  `needs` is optional.  Return MLS_OK, MLS_ERROR_SYNTAX, _VALUE (the message
 * contains the id), or _LIMIT. */
mls_status mls_signatures_add(mls_signatures *signatures, mls_str text, mls_error *error) MLS_MUST_USE;

/** Load the built-in wordings of out-of-memory messages: one signature for each item of a signature's `memory`, with
 * the pattern and example of the item, if it has them.  Groups of the pattern capture the sizes and names listed in
 * mlscore-diagnose(1).  They are followed by generic entries, whose wording is the id, for signatures of class
 * gpu-memory and host-memory that may start a failure.  Errors as of mls_signatures_new(). */
mls_status mls_signatures_of_memory(mls_signatures **signatures, mls_error *error) MLS_MUST_USE;
void mls_signatures_free(mls_signatures *signatures);

size_t mls_signatures_count(const mls_signatures *signatures);
const mls_signature *mls_signatures_get(const mls_signatures *signatures, size_t index);
