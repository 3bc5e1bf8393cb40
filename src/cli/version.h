/* SPDX-License-Identifier: Apache-2.0 */
/* version.h - what --version prints. */
#pragma once

#include "base/output.h"

/* The version on a line of its own, which scripts may rely on; then what the program was built with: the processor,
 * whether it is static, compiler and C library, the libraries and what scans logs. */
void mls_cli_print_version(mls_output *output);
