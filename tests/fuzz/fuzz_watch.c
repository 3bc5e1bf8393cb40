/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_watch.c - watch any bytes as a growing log.  The events must be the same whether the log is read at once or in
 * pieces.  The first byte determines the sizes of the pieces. */
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "explain/watch/watch.h"
#include "log/log.h"
#include "log/signatures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Print an event and the progress of its run, and check the limits of the run. */
static void print_event(void *state, const mls_watch_event *event)
{
    mls_buffer *printed = state;
    const mls_live_run *run = event->run;
    mls_watch_line(event, false, printed);
    mls_buffer_printf(printed, " %zu %.17g %s\n", event->line, event->time_ms,
                      run != NULL && run->facts.benchmark != NULL ? run->facts.benchmark : "");
    if (run != NULL && run->run_start.line > 0) {
        const mls_estimate *left = &run->estimate;
        mls_buffer_printf(printed, "%s %.17g %.17g %.17g %.17g %d\n", mls_live_state_name(run->state), run->at,
                          left->left, left->low, left->high, left->beyond);
        if (run->curve.count > MLS_CURVE_POINTS_MAX || left->left < 0 || left->low > left->high)
            abort();
    }
}

/* Let a file grow by `most` bytes, then by larger pieces each time, and collect its events. */
static void grow(mls_live *live, mls_str log, size_t most, mls_buffer *printed)
{
    const int memory = memfd_create("log", MFD_CLOEXEC);
    mls_followed file = {.path = (char *)(uintptr_t) "fuzzed.log"};
    mls_scan_room *room = NULL;
    mls_log_totals totals;
    live->state = printed;
    mls_live_file_begin(live, &file);
    bool ok = memory >= 0;
    for (size_t torn = most; ok && file.offset < log.len; torn = torn * 5 / 3 + 1) {
        const size_t left = log.len - (size_t)file.offset;
        const size_t piece = left < torn ? left : torn;
        ok = pwrite(memory, log.ptr + file.offset, piece, (off_t)file.offset) == (ssize_t)piece &&
             mls_log_feed_read(file.feed, memory, &file.offset, piece, &room, NULL) == MLS_OK;
        mls_live_apply(live);
    }
    if (!ok || mls_log_feed_end(file.feed, &totals) != MLS_OK || totals.bytes != log.len)
        abort();
    mls_live_apply(live);
    mls_live_file_forget(live, &file);
    mls_scan_room_free(room);
    (void)close(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static mls_signatures *signatures;
    static mls_editions *editions;
    mls_buffer whole = {0};
    mls_buffer torn = {0};
    if (editions == NULL) {
        if (mls_editions_load(&editions, NULL) != MLS_OK || mls_signatures_new(&signatures, NULL) != MLS_OK)
            abort();
        mls_signatures_prepare(signatures, NULL, 0, 0);
    }
    if (size == 0)
        return 0;
    const mls_collect_options how = {.any_usage = true, .score = {.editions = editions}};
    mls_live live = {
        .how = &how, .reading = {.steps = true}, .signatures = signatures, .interval_ms = 2000, .event = print_event};
    const mls_str log = {(const char *)data + 1, size - 1};
    grow(&live, log, log.len, &whole);
    grow(&live, log, 1 + data[0], &torn);
    if (!mls_str_equal(mls_buffer_str(&whole), mls_buffer_str(&torn)))
        abort();
    mls_live_release(&live);
    mls_buffer_release(&whole);
    mls_buffer_release(&torn);
    return 0;
}
