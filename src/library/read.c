/* SPDX-License-Identifier: Apache-2.0 */
/* read.c - records for outsiders: their takers fed from one sink. */
#include "mlscore/read.h"

#include "base/file.h"
#include "library/library.h"
#include "json/value.h"

/* Those who take what is read. */
typedef struct takers {
    mls_record_taker *record;
    mls_malformed_taker *malformed;
    void *state;
} takers;

static mls_status give_record(void *state, const mls_record *record)
{
    const takers *to = state;
    return to->record(to->state, record);
}

static mls_status give_malformed(void *state, const mls_malformed *malformed)
{
    const takers *to = state;
    return to->malformed(to->state, malformed->line, malformed->column, malformed->reason);
}

static mls_sink sink_of(takers *to)
{
    return (mls_sink){.state = to,
                      .record = to->record != NULL ? give_record : NULL,
                      .malformed = to->malformed != NULL ? give_malformed : NULL};
}

mls_status mls_log_was_read(mls_status status, const mls_log_totals *totals, mls_error *error)
{
    const char *reason = totals->old_format ? mls_reason_old_format : totals->unread;
    return status == MLS_OK && reason != NULL ? mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "%s", reason) : status;
}

mls_status mls_log_read_fd(int fd, mls_record_taker *record, mls_malformed_taker *malformed, void *state,
                           mls_error *error)
{
    takers to = {.record = record, .malformed = malformed, .state = state};
    const mls_sink sink = sink_of(&to);
    mls_log_totals totals = {0};
    mls_status status = mls_file_check(fd, error);
    status = status == MLS_OK ? mls_log_scan_fd(fd, NULL, &sink, 1, &totals, error) : status;
    return mls_log_was_read(status, &totals, error);
}

mls_status mls_log_read_bytes(mls_str log, mls_record_taker *record, mls_malformed_taker *malformed, void *state,
                              mls_error *error)
{
    takers to = {.record = record, .malformed = malformed, .state = state};
    const mls_sink sink = sink_of(&to);
    mls_log_totals totals;
    if (log.ptr == NULL && log.len > 0) {
        return mls_error_missing("the log", error);
    }
    return mls_log_was_read(mls_log_scan_bytes(log, &sink, 1, &totals, error), &totals, error);
}

size_t mls_record_line(const mls_record *record)
{
    return record->line;
}

double mls_record_time_ms(const mls_record *record)
{
    return record->time_ms;
}

mls_str mls_record_key(const mls_record *record)
{
    return record->key;
}

mls_str mls_record_value(const mls_record *record)
{
    return record->value;
}

mls_str mls_record_event(const mls_record *record)
{
    return record->event_type;
}

mls_str mls_record_metadata(const mls_record *record, const char *member)
{
    mls_str span;
    return member != NULL && mls_record_metadata_member(record, mls_str_from(member), &span) ? span
                                                                                             : (mls_str){NULL, 0};
}
