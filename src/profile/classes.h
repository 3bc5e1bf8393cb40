/* SPDX-License-Identifier: Apache-2.0 */
/* classes.h - classes of kernels by number, private to the profile room. */
#ifndef MLS_PROFILE_CLASSES_H
#define MLS_PROFILE_CLASSES_H

#include "mlscore/profile.h"

/* Classes that a file may define. */
enum { MLS_CLASSES_MAX = 64 };

/* What verdicts and the time line ask of a class. */
enum {
    MLS_CLASS_COMMUNICATION = 1,
    MLS_CLASS_COPY = 2,
    MLS_CLASS_PRODUCT = 4,    /* gemm, convolution: what fp32_pattern is for */
    MLS_CLASS_ARITHMETIC = 8, /* they, and attention */
    MLS_CLASS_BYTES = 16      /* moves bytes more than it computes */
};

size_t mls_class_count(const mls_kernel_classes *classes);
const char *mls_class_name(const mls_kernel_classes *classes, size_t number);
unsigned mls_class_roles(const mls_kernel_classes *classes, size_t number);

/* The number of the class of copies. */
size_t mls_class_copy(const mls_kernel_classes *classes);

/* The number of a name's class; false: memory ran out. */
bool mls_class_find(const mls_kernel_classes *classes, mls_str name, size_t *number);

/* The roles of a class by its name. */
unsigned mls_class_roles_of(const mls_kernel_classes *classes, const char *name);

/* Whether a name says that the kernel multiplies on FP32 cores; false: memory ran out. */
bool mls_class_fp32(const mls_kernel_classes *classes, mls_str name, bool *found);

#endif
