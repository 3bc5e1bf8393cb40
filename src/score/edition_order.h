/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edition_order.h - which of two editions is the later one.
 */
#ifndef MLS_SCORE_EDITION_ORDER_H
#define MLS_SCORE_EDITION_ORDER_H

#include "mlscore/base.h"

/* Splits "5.1.0", "5.1" or "5" into three numbers, absent ones 0; false for anything else. */
bool mls_edition_numbers(mls_str edition, unsigned numbers[3]);

/* Order of two editions: <0, 0 or >0.  One that is no edition comes before all others. */
int mls_edition_compare(mls_str a, mls_str b);

#endif
