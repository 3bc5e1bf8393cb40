/* SPDX-License-Identifier: Apache-2.0 */
/* parse.c - the cells of a row, each as what its column holds. */
#include "explain/telemetry/parse.h"

#include <math.h>

#include "base/moment.h"
#include "base/number.h"

void mls_row_begin(mls_parsed_row *row, mls_log_kind kind)
{
    const double none = (double)NAN;
    *row = (mls_parsed_row){.kind = kind, .packed.time_ms = none, .date_ms = none, .clock_ms = none};
    for (size_t i = 0; i < MLS_ROW_VALUES; i++) {
        row->packed.values[i] = MLS_NO_VALUE;
    }
    for (size_t i = 0; i < MLS_COUNTER_COUNT; i++) {
        row->counters[i] = none;
    }
}

/* "0x0000000000000004" */
static bool read_bits(mls_str cell, uint32_t *bits)
{
    bool ok = mls_str_starts(cell, MLS_S("0x")) && cell.len > 2 && cell.len <= 18;
    for (size_t i = 2; i < cell.len && ok; i++) {
        const char c = mls_is_digit(cell.ptr[i]) ? cell.ptr[i] : (char)(cell.ptr[i] | 0x20);
        ok = mls_is_digit(c) || (c >= 'a' && c <= 'f');
        *bits = *bits << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return ok;
}

/* A cell that holds bits, or that of one of them: "Active". */
static void take_reasons(mls_parsed_row *row, unsigned quantity, mls_str cell)
{
    const bool active = mls_str_equal(cell, MLS_S("Active"));
    uint32_t bits = 0;
    if (quantity == MLS_QUANTITY_REASONS ? !read_bits(cell, &bits)
                                         : !active && !mls_str_equal(cell, MLS_S("Not Active"))) {
        row->lost |= mls_text_says_lost(cell);
        return;
    }
    bits |= active ? 1U << (quantity - MLS_QUANTITY_REASON) : 0;
    row->reasons |= bits & ((1U << MLS_REASON_COUNT) - 1);
    row->has_reasons = true;
}

static void take_counter(mls_parsed_row *row, const mls_log_column *column, mls_str cell)
{
    double *counter = &row->counters[column->quantity - MLS_QUANTITY_COUNTER];
    const bool counted = mls_number_parse(cell, counter);
    *counter = counted ? *counter / column->per : (double)NAN;
    row->lost |= !counted && mls_text_says_lost(cell);
}

static bool names_something(mls_str cell)
{
    return cell.len > 0 && cell.ptr[0] != '[' && !mls_str_equal(cell, MLS_S("N/A"));
}

/* "GPU 0", or "GPU-I 0" of MIG, which is called so; false: of something else. */
static bool take_entity(mls_parsed_row *row, mls_str cell, mls_str *rest)
{
    const mls_str number = mls_str_word(rest);
    row->entity = cell;
    row->instance = mls_str_starts(cell, MLS_S("GPU-"));
    row->other = !row->instance && !mls_str_equal(cell, MLS_S("GPU"));
    row->names[0] = row->instance ? (mls_str){cell.ptr, (size_t)(number.ptr + number.len - cell.ptr)} : number;
    return !row->other;
}

/* Seconds since 1970, as date +%s and amd-smi write them. */
static bool read_seconds(mls_str cell, mls_parsed_row *row)
{
    double seconds;
    row->zoned = mls_number_parse(cell, &seconds) && seconds > 1e8 && seconds < 1e11;
    row->packed.time_ms = row->zoned ? seconds * 1000 : (double)NAN;
    return row->zoned;
}

/* A cell without a value leaves it to another. */
static void take_metric_cell(mls_parsed_row *row, const mls_log_column *column, bool second, mls_str cell,
                             int32_t *value)
{
    /* rocm-smi has clocks in parentheses. */
    if (cell.len > 2 && cell.ptr[0] == '(' && cell.ptr[cell.len - 1] == ')') {
        cell = (mls_str){cell.ptr + 1, cell.len - 2};
    }
    const int32_t read = mls_value_read(cell, &row->lost);
    if (read == MLS_NO_VALUE || (second && *value != MLS_NO_VALUE)) {
        return;
    }
    *value = column->per > 1 ? mls_value_of(mls_value_unpack(read) / column->per) : read;
}

/* False: a time that is none. */
static bool take_cell(mls_parsed_row *row, const mls_log_heading *heading, const mls_log_column *column, bool second,
                      mls_str cell, mls_str *rest)
{
    const unsigned quantity = column->quantity;
    if (quantity < MLS_QUANTITY_COUNTER) {
        take_metric_cell(row, column, second, cell, &row->packed.values[heading->slots[quantity]]);
        return true;
    }
    switch (quantity) {
    case MLS_QUANTITY_MOMENT:
        return mls_moment_read(cell, &row->packed.time_ms, &row->zoned) || read_seconds(cell, row);
    case MLS_QUANTITY_DATE:
        return mls_date_read(cell, &row->date_ms);
    case MLS_QUANTITY_CLOCK:
        return mls_clock_read(cell, &row->clock_ms) || !heading->timed;
    case MLS_QUANTITY_ENTITY:
        return take_entity(row, cell, rest);
    case MLS_QUANTITY_INDEX:
    case MLS_QUANTITY_UUID:
    case MLS_QUANTITY_BUS:
        if (heading->kind == MLS_LOG_ROCM && mls_str_starts(cell, MLS_S("card"))) {
            cell = (mls_str){cell.ptr + 4, cell.len - 4};
        }
        row->names[quantity - MLS_QUANTITY_INDEX] = names_something(cell) ? cell : (mls_str){NULL, 0};
        return true;
    case MLS_QUANTITY_NAME:
        row->model = cell;
        return true;
    default:
        break;
    }
    if (quantity < MLS_QUANTITY_REASONS) {
        take_counter(row, column, cell);
    } else {
        take_reasons(row, quantity, cell);
    }
    return true;
}

const char *mls_row_parse(const mls_log_heading *heading, mls_str line, mls_parsed_row *row)
{
    static const char fields[] = "a row with more or fewer fields than its heading";
    static const char time[] = "a row whose time cannot be read";
    mls_str cell;
    size_t column = 0;
    mls_row_begin(row, heading->kind);
    row->unnamed = !heading->named;
    while (mls_heading_cell(heading, &line, &cell)) {
        if (column == heading->count) {
            return fields;
        }
        const mls_log_column *known = heading->columns[column];
        const bool second = heading->second[column++];
        if (known != NULL && !take_cell(row, heading, known, second, cell, &line)) {
            return time;
        }
        row->end = cell;
    }
    if (heading->timed && isnan(row->packed.time_ms)) {
        row->packed.time_ms = row->date_ms + row->clock_ms;
    }
    return column == heading->count && (!heading->timed || !isnan(row->packed.time_ms)) ? NULL : fields;
}

/* Returns the text behind a cell's digits. */
static mls_str unit_of(mls_str cell)
{
    size_t at = cell.len;
    while (at > 0 && !mls_is_digit(cell.ptr[at - 1])) {
        at--;
    }
    return mls_str_rest(cell, at);
}

bool mls_cell_is_cut(mls_str cell, mls_str before)
{
    const mls_str unit = unit_of(cell);
    if (unit.len == cell.len) {
        return cell.len == 0 ? before.len > 0 : cell.ptr[0] == '[' && cell.ptr[cell.len - 1] != ']';
    }
    const mls_str known = unit_of(before);
    return mls_str_starts(before, MLS_S("0x")) ? cell.len != before.len
                                               : known.len < before.len && !mls_str_equal(unit, known);
}
