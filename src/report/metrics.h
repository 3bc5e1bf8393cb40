/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.h - the labels that a user adds to metrics, or leaves out. */
#pragma once

#include "base/walk.h"

typedef struct mls_metrics_labels {
    mls_names added; /* "site=north": names of our own and twice the same are refused before */
    bool no_path;
} mls_metrics_labels;

/* NULL, or what is wrong with the added label of that number. */
const char *mls_metrics_label_wrong(const mls_metrics_labels *labels, size_t number);
