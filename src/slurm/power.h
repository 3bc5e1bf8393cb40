/* SPDX-License-Identifier: Apache-2.0 */
/*
 * power.h - the energy of a benchmark folder that has power files.
 *
 * results/<system>/<benchmark>/power/result_<i>/node_<k>.txt and sw_<k>.txt
 * belong to the run of result_<i>.txt beside the folder.
 */
#ifndef MLS_SLURM_POWER_H
#define MLS_SLURM_POWER_H

#include "mlscore/group.h"

/*
 * Reads the power files of a scored group, if it has any, and fills joules and
 * energy_joules; what is wrong with them becomes findings of the group.
 * MLS_OK or MLS_ERROR_MEMORY.
 */
mls_status mls_group_power(mls_group *group) MLS_MUST_USE;

#endif
