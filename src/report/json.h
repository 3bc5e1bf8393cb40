/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - results as JSON, through cJSON.
 *
 * These wrappers make sure of what cJSON leaves to its caller: numbers that
 * JSON has no word for become null, text is valid UTF-8, nothing in the
 * output can steer a terminal, and lack of memory is noticed once, at the end.
 */
#ifndef MLS_REPORT_JSON_H
#define MLS_REPORT_JSON_H

#include <cjson/cJSON.h>

#include "base/output.h"
#include "mlscore/base.h"

typedef struct mls_json {
    bool failed; /* memory ran out somewhere */
} mls_json;

/* New values; NULL (and failed set) when memory runs out, which every function here accepts. */
cJSON *mls_json_object(mls_json *json);
cJSON *mls_json_array(mls_json *json);

/* Adds members to an object.  Text NULL and numbers that are not finite become null. */
void mls_json_put(mls_json *json, cJSON *object, const char *name, cJSON *value);
void mls_json_put_text(mls_json *json, cJSON *object, const char *name, const char *text);
void mls_json_put_str(mls_json *json, cJSON *object, const char *name, mls_str text);
void mls_json_put_number(mls_json *json, cJSON *object, const char *name, double number);
void mls_json_put_bool(mls_json *json, cJSON *object, const char *name, bool value);
void mls_json_put_null(mls_json *json, cJSON *object, const char *name);

/* Adds items to an array. */
void mls_json_append(mls_json *json, cJSON *array, cJSON *value);
void mls_json_append_text(mls_json *json, cJSON *array, mls_str text);
void mls_json_append_number(mls_json *json, cJSON *array, double number);

/* Prints a value, indented or in one line, and frees it.  What a terminal would obey is escaped. */
void mls_json_write(mls_json *json, cJSON *value, bool indented, mls_output *output);

/* The same with a line ending behind it. */
void mls_json_print(mls_json *json, cJSON *value, bool indented, mls_output *output);

/* {"severity", "code", "path" (unless NULL everywhere), "key", "line", "message"}; `path` is used for findings without
 * one. */
cJSON *mls_json_finding(mls_json *json, const mls_finding *finding, const char *path);

#endif
