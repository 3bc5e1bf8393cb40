/* SPDX-License-Identifier: Apache-2.0 */
/* system.h - parse descriptions of systems, and find the number and the model of accelerators in them.  Descriptions
 * are in the file systems/<system>.json of a submission, or in a line :::SYSJSON of a log. */
#pragma once

#include "base/base.h"

struct mls_arena;

/** The maximum size of a description in bytes: in a file, and in a log. */
#define MLS_SYSTEM_BYTES_MAX ((size_t)4 << 20)
#define MLS_SYSJSON_BYTES_MAX ((size_t)64 << 10)

/** The members of a description.  Numbers are stored as they are written in the description.  NULL: the member is
 * missing. */
typedef struct mls_description {
    const char *submitter, *division, *status, *system_name, *number_of_nodes, *accelerators_per_node;
    const char *host_processors_per_node, *accelerator_model_name, *host_processor_model_name, *framework;
} mls_description;

/** Parse a description, which has the grammar of a record's payload.  On success, return NULL; the texts are allocated
 * in `arena`, and *object is the JSON object in a copy of the text in `scratch`.  Otherwise, return the reason as a
 * static text, and set *wrong to the offset of the wrong byte. */
const char *mls_description_read(mls_str text, struct mls_arena *scratch, struct mls_arena *arena,
                                 mls_description *description, mls_str *object, size_t *wrong) MLS_MUST_USE;

/** Return the first integer in a text, such as 8 for "8 (4 per board)"; NAN if the text does not contain an integer or
 * is NULL. */
double mls_first_number(const char *text);

/** The maximum size in bytes of the name of a model, including its NUL. */
#define MLS_MODEL_BYTES 64

/** The name of a model of accelerators, such as "GB200"; an empty text if it is unknown. */
typedef struct mls_accelerator_model {
    char text[MLS_MODEL_BYTES];
} mls_accelerator_model;

/** Return the model of accelerators in a description, in upper case, such as GB200 for "NVIDIA Blackwell GPU (GB200)"
 * and H100 for "DGXH100".  First, "(R)" and a leading DGX or HGX are removed, and "Gaudi 2" is joined to one word.
 * Then the model is the first word that consists of letters, digits and optionally more letters, except packages and
 * types of memory (SXM…, HBM…, PCIE…, DDR…).  If there is no such word, the model consists of all letters and digits of
 * the text.  It is unknown for "N/A", "none", "null" and texts without letters and digits. */
mls_accelerator_model mls_accelerator_model_of(mls_str text);
