/* SPDX-License-Identifier: Apache-2.0 */
/* model_tables.h - load the tables for estimates of memory, for a group of tests. */
#pragma once

#include "explain/memory/memory.h"

static mls_models *models;
static mls_accelerators *accelerators;

static int load_tables(void **state)
{
    (void)state;
    return mls_models_load(&models, NULL) != MLS_OK || mls_accelerators_load(&accelerators, NULL) != MLS_OK;
}

static int free_tables(void **state)
{
    (void)state;
    mls_models_free(models);
    mls_accelerators_free(accelerators);
    return 0;
}
