/* SPDX-License-Identifier: Apache-2.0 */
#include "report/csv.h"

#include <csv.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

void mls_csv_str(mls_csv *csv, mls_str text)
{
    mls_buffer clean = {0};
    mls_buffer quoted = {0};
    mls_escape_append(&clean, text);
    /* Each byte becomes at most two, and two quotes go around. */
    if (!clean.failed && clean.len < SIZE_MAX / 2 - 2 && mls_buffer_reserve(&quoted, clean.len * 2 + 2)) {
        quoted.len = csv_write(quoted.ptr, quoted.capacity, clean.ptr != NULL ? clean.ptr : "", clean.len);
        if (csv->fields > 0) {
            mls_output_text(csv->output, ",");
        }
        mls_output_write(csv->output, mls_buffer_str(&quoted));
        csv->fields++;
    } else {
        csv->failed = true;
    }
    mls_buffer_release(&clean);
    mls_buffer_release(&quoted);
}

void mls_csv_text(mls_csv *csv, const char *text)
{
    mls_csv_str(csv, mls_str_from(text));
}

void mls_csv_number(mls_csv *csv, double number)
{
    mls_buffer text = {0};
    if (isfinite(number)) {
        mls_number_append(&text, number);
    }
    csv->failed |= text.failed;
    mls_csv_str(csv, mls_buffer_str(&text));
    mls_buffer_release(&text);
}

void mls_csv_bool(mls_csv *csv, bool value)
{
    mls_csv_text(csv, value ? "true" : "false");
}

void mls_csv_end_row(mls_csv *csv)
{
    mls_output_text(csv->output, "\r\n");
    csv->fields = 0;
}

void mls_csv_header(mls_csv *csv, const char *names)
{
    while (*names != '\0') {
        const size_t len = strcspn(names, " ");
        mls_csv_str(csv, (mls_str){names, len});
        names += len;
        names += *names == ' ';
    }
    mls_csv_end_row(csv);
}
