/* SPDX-License-Identifier: Apache-2.0 */
/* messages.h - signatures: the messages of failures and of memory that ran out that are known from programs' sources
 * and manuals, with what each means. */
#pragma once

#include "base/base.h"

/** How a message can be part of a failure: it may start one; start one or follow; only follow; is only for reading. */
typedef enum mls_failure_role {
    MLS_ROLE_ROOT = 1,
    MLS_ROLE_SYMPTOM,
    MLS_ROLE_EFFECT,
    MLS_ROLE_CONTEXT,
    MLS_ROLE_END
} mls_failure_role;

/** Numbers from 1 on, in the order of these words; 0: there was none. */
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
    const char *pattern; /**< PCRE2, over the bytes of a message */
    unsigned kind;       /**< its class */
    unsigned origin, persistence;
    unsigned role;       /**< an mls_failure_role */
    uint64_t precedence; /**< 0 to MLS_PRECEDENCE_MAX */
    bool generic;        /**< tried only for lines that nothing else matches */
    const char *explanation, *action, *source, *example;
    const mls_str *needs; /**< a line that matches contains one of these; none: any line may match */
    size_t need_count;
    const char *framework, *wording; /**< of mls_signatures_of_memory(): who says it, and in which words; else NULL */
    const mls_str *names;            /**< it says so only where its group `name` is one of these */
    size_t name_count;
    const struct mls_signature *otherwise; /**< what it says where that is none of them; NULL: the same */
    const char *recovers;                  /**< id of the messages before it that are over with it; NULL: of none */
    const char *advice; /**< of a wording: a name of mls_oom_advices that always follows; NULL: none */
} mls_signature;

/** The word of a number, such as mls_failure_word(MLS_FAILURE_CLASSES, signature->kind); "" of 0. */
mls_str mls_failure_word(const char *words, unsigned number);

/** Signatures, the users' before the built-in ones. */
typedef struct mls_signatures mls_signatures;

/** The built-in ones.  MLS_OK, or MLS_ERROR_VALUE with what is wrong with the program's own data. */
mls_status mls_signatures_new(mls_signatures **signatures, mls_error *error) MLS_MUST_USE;

/** Adds those of a text like src/data/signatures.json, in front of the built-in ones; one whose id there is already
 * takes its place.  `needs` may be missing.  MLS_ERROR_SYNTAX, _VALUE (the message names the id), or _LIMIT. */
mls_status mls_signatures_add(mls_signatures *signatures, mls_str text, mls_error *error) MLS_MUST_USE;

/** The built-in wordings of memory that ran out: for each member `memory` of a signature its signature, with a pattern
 * and an example of the wording's own where it has them.  Groups of the pattern hold the sizes and names that
 * mlscore-diagnose(1) lists.  And after all these, as `generic`, the signatures of class gpu-memory and host-memory
 * themselves that may start a failure: their id is the wording.  Errors as of mls_signatures_new(). */
mls_status mls_signatures_of_memory(mls_signatures **signatures, mls_error *error) MLS_MUST_USE;
void mls_signatures_free(mls_signatures *signatures);

size_t mls_signatures_count(const mls_signatures *signatures);
const mls_signature *mls_signatures_get(const mls_signatures *signatures, size_t index);
