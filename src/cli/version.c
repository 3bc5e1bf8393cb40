/* SPDX-License-Identifier: Apache-2.0 */
/* version.c - print the version, and how the program was built. */
#include <cjson/cJSON.h>
#include <csv.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#ifdef MLS_HAVE_ZLIB
#include <zlib.h>
#define ZLIB_WORDS "zlib " ZLIB_VERSION
#else
#define ZLIB_WORDS "no zlib"
#endif

#include "cli/command.h"
#include "mlscore/version.h"
#include "json/json_check.h"

#define WORDS(value) #value
#define TEXT(value) WORDS(value)

#if defined(__x86_64__)
#define PROCESSOR "x86_64"
#elif defined(__aarch64__)
#define PROCESSOR "aarch64"
#else
#define PROCESSOR "another processor"
#endif

#if defined(__clang__)
#define COMPILER "clang " TEXT(__clang_major__) "." TEXT(__clang_minor__) "." TEXT(__clang_patchlevel__)
#else
#define COMPILER "gcc " TEXT(__GNUC__) "." TEXT(__GNUC_MINOR__) "." TEXT(__GNUC_PATCHLEVEL__)
#endif

#if defined(__GLIBC__)
#define C_LIBRARY "glibc " TEXT(__GLIBC__) "." TEXT(__GLIBC_MINOR__)
#else
#define C_LIBRARY "another C library"
#endif

#ifdef MLS_STATIC
#define LINKED "static"
#else
#define LINKED "shared libraries"
#endif

void mls_cli_print_version(mls_output *output)
{
    mls_output_printf(output,
                      "mlscore " MLS_VERSION "\n"
                      "built for " PROCESSOR " Linux, " LINKED ", by " COMPILER " with " C_LIBRARY "\n"
                      "libraries: cJSON %d.%d.%d, PCRE2 %d.%d, libcsv %d.%d.%d, " ZLIB_WORDS "\n"
                      "SIMD: " MLS_SIMD_WORDS "\n",
                      CJSON_VERSION_MAJOR, CJSON_VERSION_MINOR, CJSON_VERSION_PATCH, PCRE2_MAJOR, PCRE2_MINOR,
                      CSV_MAJOR, CSV_MINOR, CSV_RELEASE);
}
