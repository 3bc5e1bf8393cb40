/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_settings.c - read the settings that a run printed from any bytes.  They must be within their limits, each name
 * once. */
#include <stdlib.h>

#include "run/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mls_log_totals totals = {0};
    mls_printed_reader *reader = mls_printed_reader_new();
    if (reader == NULL)
        abort();
    const mls_sink sink = mls_printed_reader_sink(reader);
    if (mls_log_scan_bytes((mls_str){(const char *)data, size}, &sink, 1, &totals, NULL) != MLS_OK)
        abort();
    const mls_printed *printed;
    size_t line = 0;
    size_t last = 0;
    for (size_t i = 0; (printed = mls_printed_get(reader, i, &line)) != NULL; i++) {
        size_t bytes = 0;
        if (printed->blocks.count == 0 || (last == 0 && i > 0) || (line != 0 && line <= last))
            abort();
        for (size_t k = 0; k < printed->settings.count; k++) {
            const mls_printed_setting *setting = &printed->settings.items[k];
            bytes += setting->name.len + setting->value.len;
            if (setting->value.len > MLS_PRINTED_VALUE_MAX || setting->name.len == 0)
                abort();
            for (size_t before = 0; before < k; before++)
                if (mls_str_equal(printed->settings.items[before].name, setting->name))
                    abort();
        }
        if (bytes > MLS_PRINTED_BYTES_MAX || printed->settings.count > MLS_PRINTED_SETTINGS_MAX)
            abort();
        last = line;
    }
    mls_printed_reader_free(reader);
    return 0;
}
