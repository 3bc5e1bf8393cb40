/* SPDX-License-Identifier: Apache-2.0 */
/* system.h - parse descriptions of systems, from systems/<system>.json of a submission or a line :::SYSJSON of a log,
 * and find their number and model of accelerators. */
#pragma once

#include "base/base.h"

struct mls_arena;

/** The maximum size of a description in bytes, in a file and in a log. */
#define MLS_SYSTEM_BYTES_MAX ((size_t)4 << 20)
#define MLS_SYSJSON_BYTES_MAX ((size_t)64 << 10)

/** The texts of a description.  Numbers are texts, as written in the description.  NULL: the member is missing. */
typedef struct mls_description {
    const char *submitter, *division, *status, *system_name, *number_of_nodes, *accelerators_per_node;
    const char *accelerator_model_name, *host_processor_model_name, *framework;
} mls_description;

/** Parse a description with the grammar of a record's payload.  Return NULL, with texts in `arena` and the object as a
 * span of a copy in `scratch`; or a static reason with the offset of the wrong byte. */
const char *mls_description_read(mls_str text, struct mls_arena *scratch, struct mls_arena *arena,
                                 mls_description *description, mls_str *object, size_t *wrong) MLS_MUST_USE;

/** Return the first integer in a text, such as 8 for "8 (4 per board)"; NAN if there is none or the text is NULL. */
double mls_first_number(const char *text);

/** The maximum size of the name of a model, including its NUL. */
#define MLS_MODEL_BYTES 64

/** A model of accelerators, such as "GB200"; "": unknown. */
typedef struct mls_accelerator_model {
    char text[MLS_MODEL_BYTES];
} mls_accelerator_model;

/** Return the model that a text names, in upper case, such as GB200 for "NVIDIA Blackwell GPU (GB200)" and H100 for
 * "DGXH100".  First, "(R)" and a leading DGX or HGX are removed, and Gaudi and its generation are joined.  Then the
 * model is the first word that consists of letters, digits and optional letters and is not a package or a type of
 * memory (SXM…, HBM…, PCIE…, DDR…); if there is none, all letters and digits.  "N/A", "none", "null" and texts without
 * letters and digits are unknown. */
mls_accelerator_model mls_accelerator_model_of(mls_str text);
