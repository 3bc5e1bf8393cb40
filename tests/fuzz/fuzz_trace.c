/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_trace.c - read any bytes as a trace, which is read or refused.  The times of a device must add up.  For one in
 * eight inputs, because it takes time, blanks are added in front so that a block ends inside the trace, which must give
 * the same result. */
#include <math.h>
#include <stdlib.h>

#include "explain/profile/gather.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const mls_kernel_classes *the_classes(void)
{
    static mls_kernel_classes *classes;
    if (classes == NULL && mls_kernel_classes_new((mls_str){NULL, 0}, &classes, NULL) != MLS_OK)
        abort();
    return classes;
}

static mls_profile *read_trace(mls_str bytes)
{
    mls_profile *profile = NULL;
    mls_error error = {0};
    mls_input input = {.in_memory = true, .bytes = bytes, .text = true};
    const mls_status status = mls_profile_input_read(&input, "x", the_classes(), &profile, &error);

    if ((status != MLS_OK && status != MLS_ERROR_UNKNOWN) || (status != MLS_OK && error.message[0] == '\0'))
        abort();
    for (size_t i = 0; profile != NULL && i < profile->device_count; i++) {
        const mls_profile_device *d = &profile->devices[i];
        const double sum = d->compute_ms + d->exposed_communication_ms + d->exposed_copy_ms + d->idle_ms;

        const double causes = d->idle_host_ms + d->idle_queue_ms + d->idle_unknown_ms;

        if (fabs(sum - d->window_ms) > 1e-9 * d->window_ms || d->idle_ms < 0 || d->exposed_copy_ms < 0 ||
            fabs(causes - d->idle_ms) > 1e-9 * d->window_ms || d->launch_delay_median_us > d->launch_delay_95_us)
            abort();
    }
    return profile;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t blanks = MLS_BLOCK_SIZE - 1 - size % 300;
    char *moved = malloc(blanks + size);

    if (moved == NULL)
        abort();
    memset(moved, ' ', blanks);
    memcpy(moved + blanks, data, size);
    mls_profile *one = read_trace((mls_str){(const char *)data, size});
    mls_profile *two = size % 8 == 0 ? read_trace((mls_str){moved, blanks + size}) : NULL;
    if (one != NULL && two != NULL && data[0] < 0x80 && one->kind == MLS_PROFILE_KINETO && two->kind == one->kind &&
        (one->kernels != two->kernels || one->kernel_ms != two->kernel_ms || one->complete != two->complete ||
         one->findings.count != two->findings.count || one->device_count != two->device_count))
        abort();
    mls_profile_free(one);
    mls_profile_free(two);
    free(moved);
    return 0;
}
