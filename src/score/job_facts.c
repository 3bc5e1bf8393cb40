/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - what the job of a run printed of how it computes. */
#include <unistd.h>

#include "base/file.h"
#include "score/part.h"
#include "score/slurm.h"

mls_status mls_facts_take(mls_known_settings *known, const mls_printed *printed, mls_printed_facts *facts)
{
    const mls_status status = known->items == NULL ? mls_known_settings_load(known, NULL) : MLS_OK;
    if (status == MLS_OK) {
        *facts = mls_known_facts(known, printed);
    }
    return status;
}

mls_status mls_facts_read(mls_known_settings *known, mls_scan_room **room, const mls_run *run, mls_printed_facts *facts)
{
    const size_t line = run->run_start.line;
    const bool may = line == 0 || run->unlogged_lines >= MLS_PRINTED_BLOCK_MIN;
    const int fd = may ? mls_file_open_again(run->file, run->root, NULL) : -1;
    mls_printed_reader *reader = NULL;
    mls_status status = MLS_OK;
    if (fd >= 0 && mls_printed_may_split(fd, line)) {
        status = mls_printed_read_before(fd, line, room, &reader, NULL);
        status = status == MLS_ERROR_READ ? MLS_OK : status;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    const mls_printed *printed = reader != NULL ? mls_printed_of_run(reader, line) : NULL;
    if (printed != NULL && status == MLS_OK) {
        status = mls_facts_take(known, printed, facts);
    }
    mls_printed_reader_free(reader);
    return status;
}

void mls_run_take_carried(mls_run *run, const mls_collect_options *options)
{
    const struct mls_carried *carried = run->carried;
    if (carried != NULL && options->facts == MLS_FACTS_OF_RUNS) {
        run->facts = carried->heard;
    }
    if (carried != NULL && carried->has_printed && options->printed) {
        run->printed = &carried->printed;
    }
}
