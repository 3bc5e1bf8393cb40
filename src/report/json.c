/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

cJSON *mls_json_object(mls_json *json)
{
    cJSON *object = cJSON_CreateObject();
    json->failed |= object == NULL;
    return object;
}

cJSON *mls_json_array(mls_json *json)
{
    cJSON *array = cJSON_CreateArray();
    json->failed |= array == NULL;
    return array;
}

void mls_json_put(mls_json *json, cJSON *object, const char *name, cJSON *value)
{
    if (value == NULL || object == NULL || !cJSON_AddItemToObject(object, name, value)) {
        json->failed = true;
        cJSON_Delete(value);
    }
}

void mls_json_append(mls_json *json, cJSON *array, cJSON *value)
{
    if (value == NULL || array == NULL || !cJSON_AddItemToArray(array, value)) {
        json->failed = true;
        cJSON_Delete(value);
    }
}

/* Bytes that are no UTF-8 (log text may be anything) become U+FFFD. */
static cJSON *mls_json_string_make(mls_str text)
{
    mls_buffer clean = {0};
    mls_buffer_reserve(&clean, text.len);
    for (size_t at = 0; at < text.len;) {
        const size_t start = at;
        if (mls_utf8_next(text, &at) >= 0 && text.ptr[start] != '\0') {
            mls_buffer_append(&clean, (mls_str){text.ptr + start, at - start});
        } else {
            mls_utf8_append(&clean, 0xfffd);
        }
    }
    cJSON *string = clean.failed ? NULL : cJSON_CreateString(clean.ptr);
    mls_buffer_release(&clean);
    return string;
}

void mls_json_put_text(mls_json *json, cJSON *object, const char *name, const char *text)
{
    mls_json_put(json, object, name, text != NULL ? mls_json_string_make(mls_str_from(text)) : cJSON_CreateNull());
}

void mls_json_put_str(mls_json *json, cJSON *object, const char *name, mls_str text)
{
    mls_json_put(json, object, name, mls_json_string_make(text));
}

void mls_json_put_number(mls_json *json, cJSON *object, const char *name, double number)
{
    mls_json_put(json, object, name, isfinite(number) ? cJSON_CreateNumber(number) : cJSON_CreateNull());
}

void mls_json_put_bool(mls_json *json, cJSON *object, const char *name, bool value)
{
    mls_json_put(json, object, name, cJSON_CreateBool(value));
}

void mls_json_put_null(mls_json *json, cJSON *object, const char *name)
{
    mls_json_put(json, object, name, cJSON_CreateNull());
}

void mls_json_append_text(mls_json *json, cJSON *array, mls_str text)
{
    mls_json_append(json, array, mls_json_string_make(text));
}

void mls_json_append_number(mls_json *json, cJSON *array, double number)
{
    mls_json_append(json, array, isfinite(number) ? cJSON_CreateNumber(number) : cJSON_CreateNull());
}

/* cJSON escapes what JSON demands; DEL, C1 controls and bidirectional overrides are left, and only strings hold them.
 */
static void mls_json_write_safe(mls_output *output, mls_str text)
{
    size_t plain = 0;
    for (size_t at = 0; at < text.len;) {
        const size_t start = at;
        const int32_t code = mls_utf8_next(text, &at);
        /* Below 0x20 only the line endings and tabs between the values are left. */
        if (code >= 0x20 && mls_code_point_is_hostile(code)) {
            mls_output_write(output, (mls_str){text.ptr + plain, start - plain});
            mls_output_printf(output, "\\u%04x", (unsigned)code);
            plain = at;
        }
    }
    mls_output_write(output, (mls_str){text.ptr + plain, text.len - plain});
}

void mls_json_write(mls_json *json, cJSON *value, bool indented, mls_output *output)
{
    char *text = NULL;
    if (value != NULL && !json->failed) {
        text = indented ? cJSON_Print(value) : cJSON_PrintUnformatted(value);
    }
    if (text != NULL) {
        mls_json_write_safe(output, mls_str_from(text));
    }
    json->failed |= text == NULL;
    cJSON_free(text);
    cJSON_Delete(value);
}

void mls_json_print(mls_json *json, cJSON *value, bool indented, mls_output *output)
{
    mls_json_write(json, value, indented, output);
    mls_output_text(output, "\n");
}

cJSON *mls_json_finding(mls_json *json, const mls_finding *finding, const char *path)
{
    cJSON *object = mls_json_object(json);
    mls_json_put_text(json, object, "severity", mls_severity_name(finding->severity));
    mls_json_put_text(json, object, "code", mls_finding_info_get(finding->code)->name);
    if (path != NULL || finding->path != NULL) {
        mls_json_put_text(json, object, "path", finding->path != NULL ? finding->path : path);
    }
    mls_json_put_text(json, object, "key", finding->key);
    mls_json_put_number(json, object, "line", finding->line > 0 ? (double)finding->line : (double)NAN);
    mls_json_put_text(json, object, "message", finding->message);
    return object;
}
