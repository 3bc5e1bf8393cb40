/* SPDX-License-Identifier: Apache-2.0 */
/* classes.h - classes of kernels by number, private to the profile room. */
#pragma once

#include <pthread.h>

#include "base/memory.h"
#include "base/pattern.h"
#include "explain/profile/profile.h"

/* Limits of what a file defines. */
enum { MLS_CLASSES_MAX = 64, MLS_CLASS_RULES_MAX = 256 };

/* The roles of classes in verdicts and on the time line. */
enum {
    MLS_CLASS_COMMUNICATION = 1,
    MLS_CLASS_COPY = 2,
    MLS_CLASS_PRODUCT = 4,    /* gemm, convolution, to which fp32_pattern applies */
    MLS_CLASS_ARITHMETIC = 8, /* they, and attention */
    MLS_CLASS_BYTES = 16      /* moves bytes more than it computes */
};

/* By what a kernel gets faster where a rule of Nsight Compute says so. */
typedef struct mls_ncu_rule {
    const char *rule, *words;
} mls_ncu_rule;

struct mls_kernel_classes {
    mls_arena memory;
    const mls_ncu_rule *ncu_rules;
    size_t ncu_rule_count;
    pthread_mutex_t *lock; /* a pattern is matched by one thread at a time; NULL: not made yet */
    const char *names[MLS_CLASSES_MAX];
    unsigned roles[MLS_CLASSES_MAX];
    size_t count;
    size_t other, copy; /* the numbers of these */
    struct {
        size_t number; /* of the class */
        mls_pattern pattern;
    } rules[MLS_CLASS_RULES_MAX];
    size_t rule_count;
    mls_pattern fp32; /* without code: none */
};

/* The number of a name's class, and whether it is a product on FP32 cores; false: memory ran out. */
bool mls_class_find(const mls_kernel_classes *classes, mls_str name, size_t *number, bool *fp32);
