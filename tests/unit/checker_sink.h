/* SPDX-License-Identifier: Apache-2.0 */
/* checker_sink.h - a sink that passes the records of a scan to a checker. */
#ifndef CHECKER_SINK_H
#define CHECKER_SINK_H

#include "rules/rules.h"

static inline mls_status checker_take_record(void *state, const mls_record *record)
{
    return mls_checker_record(state, record);
}

static inline mls_status checker_take_malformed(void *state, const mls_malformed *malformed)
{
    mls_checker_malformed(state, malformed);
    return MLS_OK;
}

static inline mls_status checker_take_end(void *state, const mls_log_totals *totals)
{
    (void)totals;
    return mls_checker_end(state);
}

static inline mls_sink checker_sink(mls_checker *checker)
{
    return (mls_sink){
        .state = checker, .record = checker_take_record, .malformed = checker_take_malformed, .end = checker_take_end};
}

#endif
