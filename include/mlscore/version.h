/* SPDX-License-Identifier: Apache-2.0 */
/* version.h - the version of the library, and the macros that every header uses for declarations. */
#pragma once

#ifdef __cplusplus
#define MLS_C_LANGUAGE_BEGIN extern "C" {
#define MLS_C_LANGUAGE_END }
#else
#define MLS_C_LANGUAGE_BEGIN
#define MLS_C_LANGUAGE_END
#endif

/* MLS_C_BEGIN and MLS_C_END enclose all declarations, which have C linkage and are exported by a shared library.
 * MLS_MUST_USE makes compilers warn if the result of a function is ignored. */
#if defined(__GNUC__)
#define MLS_C_BEGIN _Pragma("GCC visibility push(default)") MLS_C_LANGUAGE_BEGIN
#define MLS_C_END MLS_C_LANGUAGE_END _Pragma("GCC visibility pop")
#define MLS_MUST_USE __attribute__((warn_unused_result))
#else
#define MLS_C_BEGIN MLS_C_LANGUAGE_BEGIN
#define MLS_C_END MLS_C_LANGUAGE_END
#define MLS_MUST_USE
#endif

/** The version of these headers. */
#define MLS_VERSION "0.9.0"

MLS_C_BEGIN

/** Return the version of the library that the program is linked with.  The text is static. */
const char *mls_version(void);

MLS_C_END
