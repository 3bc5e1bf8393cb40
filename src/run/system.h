/* SPDX-License-Identifier: Apache-2.0 */
/* system.h - what a system is, as systems/<system>.json of a submission or a line :::SYSJSON of a log describes it; and
 * how many accelerators, of which model, that means. */
#pragma once

#include "base/base.h"

struct mls_arena;

/** A description of more bytes is not read; nor is one of more bytes in a log. */
#define MLS_SYSTEM_BYTES_MAX ((size_t)4 << 20)
#define MLS_SYSJSON_BYTES_MAX ((size_t)64 << 10)

/** Texts of a description, numbers as written; NULL: it lacks them. */
typedef struct mls_description {
    const char *submitter, *division, *status, *system_name, *number_of_nodes, *accelerators_per_node;
    const char *accelerator_model_name, *host_processor_model_name, *framework;
} mls_description;

/** Reads a description, by the grammar of a record's payload.  Returns NULL with the texts in `arena`, and its object
 * in *object, a span of a copy in `scratch`; or a static reason (mls_reason_memory is no fault of the text), with the
 * offset of the byte that is wrong in *wrong. */
const char *mls_description_read(mls_str text, struct mls_arena *scratch, struct mls_arena *arena,
                                 mls_description *description, mls_str *object, size_t *wrong) MLS_MUST_USE;

/** The first whole number in a text: 8 of "8 (4 per board)"; NAN: there is none, or the text is NULL. */
double mls_first_number(const char *text);

/** The longest name of a model, with its NUL. */
#define MLS_MODEL_BYTES 64

/** A model of accelerators, by which results differ; "": not known. */
typedef struct mls_accelerator_model {
    char text[MLS_MODEL_BYTES];
} mls_accelerator_model;

/** The model that a text names: in upper case, without "(R)" and with Gaudi and its generation in one word, after a
 * leading DGX or HGX, the first word of letters, digits and perhaps letters that is no package or kind of memory (SXM…,
 * HBM…, PCIE…, DDR…); if there is none, all letters and digits.  "NVIDIA Blackwell GPU (GB200)" and "DGXH100" are GB200
 * and H100.  A text without any, "N/A", "none" and "null" name none. */
mls_accelerator_model mls_accelerator_model_of(mls_str text);
