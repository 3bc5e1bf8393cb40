/* SPDX-License-Identifier: Apache-2.0 */
/* draw.h - reproducible pseudo-random numbers. */
#pragma once

#include <stdint.h>

static inline uint32_t draw(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}
