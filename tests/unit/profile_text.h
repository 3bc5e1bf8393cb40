/* SPDX-License-Identifier: Apache-2.0 */
/* profile_text.h - read the profiles that a test writes, with the default kernel classes. */
#pragma once

#include "base/buffer.h"
#include "explain/profile/gather.h"
#include "log/input.h"

static mls_kernel_classes *classes;

static int load_classes(void **state)
{
    (void)state;
    return mls_kernel_classes_new((mls_str){NULL, 0}, &classes, NULL) == MLS_OK ? 0 : -1;
}

static int free_classes(void **state)
{
    (void)state;
    mls_kernel_classes_free(classes);
    return 0;
}

/* Read a text that is a profile, and free the text. */
static mls_profile *read_profile(mls_buffer *text)
{
    mls_profile *profile = NULL;
    mls_error error = {0};
    mls_input input = {.in_memory = true, .bytes = mls_buffer_str(text), .text = true};
    if (mls_profile_input_read(&input, "x", classes, &profile, &error) != MLS_OK)
        fail_msg("%s", error.message);
    mls_buffer_release(text);
    return profile;
}
