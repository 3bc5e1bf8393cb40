/* SPDX-License-Identifier: Apache-2.0 */
/* version.h - the library's version, and what every header declares its functions with. */
#pragma once

#ifdef __cplusplus
#define MLS_C_LANGUAGE_BEGIN extern "C" {
#define MLS_C_LANGUAGE_END }
#else
#define MLS_C_LANGUAGE_BEGIN
#define MLS_C_LANGUAGE_END
#endif

/* Around all declarations: they have C linkage, and are what a shared library shows. */
#if defined(__GNUC__)
#define MLS_C_BEGIN _Pragma("GCC visibility push(default)") MLS_C_LANGUAGE_BEGIN
#define MLS_C_END MLS_C_LANGUAGE_END _Pragma("GCC visibility pop")
#define MLS_MUST_USE __attribute__((warn_unused_result))
#else
#define MLS_C_BEGIN MLS_C_LANGUAGE_BEGIN
#define MLS_C_END MLS_C_LANGUAGE_END
#define MLS_MUST_USE
#endif

/** The version of these headers: `mlscore --version` prints that of the program. */
#define MLS_VERSION "0.9.0"

MLS_C_BEGIN

/** The version of the library that the program runs with; the text is never freed. */
const char *mls_version(void);

MLS_C_END
