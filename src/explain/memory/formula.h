/* SPDX-License-Identifier: Apache-2.0 */
/* formula.h - private to the memory room: sizes as src/data/models.json has them, formulas of a config.json's members.
 *
 * A formula is made of whole numbers, names, + - * / %, parentheses, `count list`, `a | b` (b where a is 0 or not
 * there), `c ? a : b` and `name ~ word` (whether a text, or one of a list, has the word in it).  A name is one of those
 * that are given, else another formula of the family, of its kind of state or of all families, else a member of the
 * file: true is 1, "auto" and -1 are not there, a[] may be a list for the layers, of which all are the same, a,b is the
 * first of a and b that the nearest place has, and a.b is member b of a.  In the formula of a name that name is the
 * member.  Subtraction ends at 0. */
#pragma once

#include "explain/memory/config_json.h"

/* The value of a formula, or of a member where there is none of that name; `otherwise` where the file lacks what it
 * takes.  A member that is no whole number is refused. */
uint64_t mls_formula_value(config_json *of, const char *name, uint64_t otherwise);

/* The same, refused by the name of what is lacking. */
uint64_t mls_formula_needed(config_json *of, const char *name);

/* Whether the family or its kind of state has a formula of that name. */
bool mls_formula_is_own(const config_json *of, const char *name);

/* Reads the sizes of a model by the formulas of their names; 0 of what the file lacks. */
void mls_formula_read_shape(config_json *of, mls_model_shape *shape);
