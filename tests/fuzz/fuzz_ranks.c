/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_ranks.c - read any bytes as traces of one job, separated by bytes 0x1e.  The bits of the first byte select which
 * traces were named by the user.  The time that ranks waited must equal the time that others were waited for, and each
 * rank must occur once. */
#include <math.h>
#include <stdlib.h>

#include "explain/profile/gather.h"
#include "explain/profile/ranks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TRACES_MAX = 8 };

static const mls_kernel_classes *the_classes(void)
{
    static mls_kernel_classes *classes;
    if (classes == NULL && mls_kernel_classes_new((mls_str){NULL, 0}, &classes, NULL) != MLS_OK)
        abort();
    return classes;
}

static void check_job(const mls_ranks *job)
{
    double waiting = 0;
    double awaited = 0;
    double most = 0;

    for (size_t i = 0; i < job->count; i++) {
        const mls_rank *rank = &job->items[i];

        if (!(rank->transfer_ms >= 0) || !(rank->waiting_ms >= 0) || (i > 0 && rank->rank <= rank[-1].rank))
            abort();
        waiting += rank->waiting_ms;
        awaited += rank->others_waited_ms;
        most = fmax(most, rank->waiting_ms + rank->transfer_ms);
    }
    for (size_t i = 0; i < job->collective_count; i++) {
        if (job->collectives[i].count == 0 || !(job->collectives[i].transfer_ms >= 0))
            abort();
        waiting -= job->collectives[i].waiting_ms;
        awaited -= job->collectives[i].waiting_ms;
    }
    if (fabs(waiting) > 1e-6 * (1 + most) || fabs(awaited) > 1e-6 * (1 + most) ||
        (job->straggler != NULL && (job->verdict_count != 1 || job->verdicts[0].message == NULL)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const files[TRACES_MAX] = {"rank0/a",     "rank1/a", "b", "c/rank-2",
                                                  "local_rank0", "d",       "-", "e/e"};
    mls_profile *profiles[TRACES_MAX];
    mls_str rest = {(const char *)data + (size > 0), size - (size > 0)};
    mls_ranks *job = NULL;
    size_t count = 0;

    for (size_t i = 0; i < TRACES_MAX && rest.len > 0; i++) {
        mls_error error = {0};
        mls_str bytes;
        (void)mls_str_cut(&rest, 0x1e, &bytes);
        mls_input input = {.in_memory = true, .bytes = bytes, .text = true};
        if (mls_profile_input_read(&input, files[i], the_classes(), &profiles[count], &error) == MLS_OK)
            profiles[count++]->in_folder = (data[0] >> i & 1) == 0;
    }
    mls_ranks_join(profiles, count, &job);
    if (job != NULL)
        check_job(job);
    mls_ranks_free(job);
    for (size_t i = 0; i < count; i++)
        mls_profile_free(profiles[i]);
    return 0;
}
