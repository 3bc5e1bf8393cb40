/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_reports.c - read any bytes as the output of nsys stats and ncu.  Shares must be between 0 and 1, and a table
 * after other text must give the same result. */
#include <math.h>
#include <stdlib.h>

#include "explain/profile/gather.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char before[] = "noise, with \"a quote\n";

static mls_profile *read_reports(mls_str bytes)
{
    static mls_kernel_classes *classes;
    mls_profile *profile = NULL;
    mls_error error = {0};
    mls_input input = {.in_memory = true, .bytes = bytes, .text = true};

    if (classes == NULL && mls_kernel_classes_new((mls_str){NULL, 0}, &classes, NULL) != MLS_OK)
        abort();
    const mls_status status = mls_profile_input_read(&input, "x", classes, &profile, &error);
    if ((status != MLS_OK && status != MLS_ERROR_UNKNOWN) || (status != MLS_OK && error.message[0] == '\0'))
        abort();
    for (size_t i = 0; profile != NULL && i < profile->classes.count; i++)
        if (profile->classes.items[i].share < 0 || profile->classes.items[i].share > 1 + 1e-9)
            abort();
    for (size_t i = 0; profile != NULL && i < profile->names.count; i++) {
        const mls_profile_counter *counter = profile->names.items[i].counter;
        if (counter != NULL && !mls_str_equal(counter->name, profile->names.items[i].name))
            abort();
    }
    return profile;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *moved = malloc(sizeof before - 1 + size);

    if (moved == NULL)
        abort();
    memcpy(moved, before, sizeof before - 1);
    memcpy(moved + sizeof before - 1, data, size);
    mls_profile *one = read_reports((mls_str){(const char *)data, size});
    mls_profile *two = read_reports((mls_str){moved, sizeof before - 1 + size});
    if (one != NULL && two != NULL && data[0] < 0x80 && one->kind != MLS_PROFILE_KINETO &&
        (one->kernels != two->kernels || one->kind != two->kind || one->findings.count != two->findings.count))
        abort();
    mls_profile_free(one);
    mls_profile_free(two);
    free(moved);
    return 0;
}
