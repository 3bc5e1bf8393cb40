/* SPDX-License-Identifier: Apache-2.0 */
/* verdicts.c - what is to be said of a profile: sentences with a number, what it means, and what to try. */
#include <math.h>

#include "base/utf8.h"
#include "base/words.h"
#include "profile/gather.h"

enum { VERDICTS_MAX = 20, NAME_SHOWN = 80, SHORT_KERNEL_US = 10 };

/*
 * Says a sentence when a share is large enough, and whether it is.  In it @ stands for the percentage, # for that with
 * a decimal, $ for the name.
 */
static bool judge_share(mls_gather *gather, const char *code, double share, double from, mls_str name,
                        const char *sentence)
{
    mls_profile *profile = gather->profile;
    mls_buffer message = {0};
    mls_buffer clean = {0};
    if (!(share >= from)) {
        return false;
    }
    for (; *sentence != '\0'; sentence++) {
        if (*sentence == '@' || *sentence == '#') {
            mls_buffer_append_text(&message, mls_words_percent(share, *sentence == '#').text);
        } else if (*sentence == '$') {
            mls_buffer_append(&message, name.len > 0 ? mls_utf8_cut(name, NAME_SHOWN) : MLS_S("?"));
        } else {
            mls_buffer_append_char(&message, *sentence);
        }
    }
    mls_escape_append(&clean, mls_buffer_str(&message));
    const mls_str kept = mls_arena_copy(gather->arena, mls_buffer_str(&clean));
    profile->findings.out_of_memory |= message.failed || clean.failed || kept.ptr == NULL;
    profile->verdicts[profile->verdict_count++] = (mls_profile_verdict){code, kept.ptr};
    mls_buffer_release(&message);
    mls_buffer_release(&clean);
    return true;
}

/* The share of activity that the classes with a role have. */
static double share_of_roles(const mls_gather *gather, unsigned roles)
{
    double total = 0;
    for (size_t i = 0; i < gather->classes->count; i++) {
        total += (gather->classes->roles[i] & roles) != 0 ? gather->by_class[i].in[gather->locale].total : 0;
    }
    return mls_profile_share(total / 1e6, gather->profile->activity_ms);
}

static double share_of_fp32(const mls_gather *gather)
{
    const mls_tally *kernels = &gather->tallies[MLS_TALLY_KERNELS];
    double total = 0;
    for (size_t i = MLS_ROW_NAME; i < kernels->count; i++) {
        total += kernels->rows[i].fp32 ? kernels->rows[i].in[gather->locale].total : 0;
    }
    return mls_profile_share(total / 1e6, gather->profile->kernel_ms);
}

/* cu(da)?(Stream|Device|Event|Ctx)Synchronize, and copies that are not asynchronous. */
static bool is_synchronous(mls_str name)
{
    static const char *const calls[] = {"StreamSynchronize", "DeviceSynchronize", "EventSynchronize", "CtxSynchronize"};
    const mls_str call = mls_cuda_call(name);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (mls_str_starts(call, mls_str_from(calls[i]))) {
            return true;
        }
    }
    return mls_str_starts(call, MLS_S("Memcpy")) && !mls_str_contains(call, MLS_S("Async"));
}

static bool is_waiting(mls_str name)
{
    static const char *const words[] = {"cond_wait",     "cond_timedwait", "futex",  "sem_wait",
                                        "sem_timedwait", "poll",           "select", "sleep"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (mls_str_contains(name, mls_str_from(words[i]))) {
            return true;
        }
    }
    return false;
}

static double share_of_calls(const mls_profile_rows *rows, bool (*counts)(mls_str name))
{
    double part = 0;
    double total = 0;
    for (size_t i = 0; i < rows->count; i++) {
        part += counts(rows->items[i].name) ? rows->items[i].total_ms : 0;
        total += rows->items[i].total_ms;
    }
    return mls_profile_share(part, total);
}

static void judge_counters(mls_gather *gather)
{
    static const struct {
        const char *code, *sentence;
    } bounds[MLS_BOUND_COUNT] = {
        [MLS_BOUND_COMPUTE] = {"bound-compute", "kernels with @ of the $ are bound by arithmetic: lower precision or "
                                                "fewer operations make them faster, better use of memory does not"},
        [MLS_BOUND_MEMORY] = {"bound-memory", "kernels with @ of the $ are bound by memory: fuse them, use smaller "
                                              "types, keep what is reused close together"},
        [MLS_BOUND_BALANCED] = {"bound-balanced", "kernels with @ of the $ are bound by arithmetic and memory alike: "
                                                  "both must be relieved, by lower precision or less work"},
        [MLS_BOUND_LATENCY] = {"bound-latency", "kernels with @ of the $ are bound by latency, as they keep neither "
                                                "arithmetic nor memory busy: larger batches, more work per launch, "
                                                "CUDA graphs"},
    };
    const mls_profile *profile = gather->profile;
    for (size_t i = 0; i < profile->bound_count; i++) {
        const mls_profile_bound bound = profile->bounds[i].bound;
        judge_share(gather, bounds[bound].code, profile->bounds[i].share, 0.5,
                    profile->bounds_by_time ? MLS_S("time") : MLS_S("launches"), bounds[bound].sentence);
    }
}

static void judge_kernels(mls_gather *gather)
{
    const mls_profile *profile = gather->profile;
    const mls_str none = {"", 0};
    judge_share(gather, "no-kernels", profile->kernels == 0, 1, none,
                "there is no kernel in it: was the GPU traced? nsys needs --trace=cuda, PyTorch's profiler "
                "ProfilerActivity.CUDA");
    judge_share(
        gather, "compute-heavy", share_of_roles(gather, MLS_CLASS_ARITHMETIC), 0.5, none,
        "@ of the GPU's time is matrix products, attention and convolution: FP8 or BF16, larger tiles and fewer "
        "recomputed activations shorten it; whether each kernel is bound by arithmetic, ncu tells");
    judge_share(
        gather, "memory-heavy", share_of_roles(gather, MLS_CLASS_BYTES), 0.4, none,
        "@ of the GPU's time goes to kernels that move bytes more than they compute: fuse them (torch.compile, fused "
        "norms, fused optimizers)");
    if (profile->names.count > 0) {
        judge_share(gather, "one-kernel", profile->names.items[0].share, 0.4, profile->names.items[0].name,
                    "one kernel has @ of the kernels' time, the first to look at with ncu: $");
    }
    judge_share(
        gather, "fp32-math", share_of_fp32(gather), 0.2, none,
        "@ of the kernels' time is products on FP32 cores: mixed precision (autocast, BF16) or TF32 moves them to "
        "tensor cores");
}

/* Shares of the window are the worst device's. */
static void judge_line(mls_gather *gather)
{
    const mls_profile *profile = gather->profile;
    mls_str exposed_on = {"", 0};
    mls_str idle_on = {"", 0};
    double exposed = 0;
    double idle = 0;
    char mean[32];
    for (size_t i = 0; i < profile->device_count; i++) {
        const mls_profile_device *device = &profile->devices[i];
        if (mls_profile_share(device->exposed_communication_ms, device->window_ms) > exposed) {
            exposed = device->exposed_communication_ms / device->window_ms;
            exposed_on = device->device;
        }
        if (mls_profile_share(device->idle_ms, device->window_ms) > idle) {
            idle = device->idle_ms / device->window_ms;
            idle_on = device->device;
        }
    }
    judge_share(gather, "exposed-communication", exposed, 0.1, exposed_on,
                "@ of device $'s time is communication that no computing hides: overlap it with the backward pass, use "
                "larger buckets, check that NCCL goes over NVLink or InfiniBand, not sockets");
    judge_share(
        gather, "communication-share", profile->has_devices ? 0 : share_of_roles(gather, MLS_CLASS_COMMUNICATION), 0.2,
        (mls_str){"", 0},
        "@ of the GPU's time is communication; how much of it computing hides a summary cannot tell, cuda_gpu_trace "
        "can");
    const bool idles = judge_share(gather, "idle", idle, 0.15, idle_on,
                                   "device $ has no kernel for @ of the time: look at the input pipeline, at "
                                   "synchronisation, and at what the host does between launches");
    const double mean_us = profile->kernel_ms * 1e3 / (double)profile->kernels; /* NAN: there are none */
    (void)mls_text_printf(mean, sizeof mean, "%.1f", mean_us);
    judge_share(gather, "launch-bound", idles && mean_us < SHORT_KERNEL_US, 1, mls_str_from(mean),
                "kernels take $ µs on average, less than launching them: CUDA graphs, larger batches, fusion");
}

static void judge_host(mls_gather *gather)
{
    const mls_profile *profile = gather->profile;
    const mls_str none = {"", 0};
    judge_share(gather, "copies", share_of_roles(gather, MLS_CLASS_COPY), 0.05, none,
                "@ of the GPU's time is copies: keep data on the GPU, use pinned memory and asynchronous copies");
    judge_share(gather, "pageable-copies", profile->pageable_share, 0.01, none,
                "# of the GPU's time is copies from or to pageable memory: pin_memory=True in the data loader");
    judge_share(gather, "synchronisation", share_of_calls(&profile->api, is_synchronous), 0.3, none,
                "@ of the API time is waiting for the GPU: look for .item(), prints and blocking copies in the loop");
    judge_share(
        gather, "host-wait", share_of_calls(&profile->osrt, is_waiting), 0.5, none,
        "@ of the OS runtime's time is waiting: threads that wait are normal; it matters when the GPU is idle too");
}

bool mls_gather_judge(mls_gather *gather)
{
    mls_profile *profile = gather->profile;
    profile->verdicts = mls_arena_array(gather->arena, VERDICTS_MAX, sizeof *profile->verdicts);
    if (profile->verdicts == NULL) {
        return false;
    }
    if (profile->has_counters && profile->kernels > 0) {
        judge_counters(gather); /* of launches that somebody chose: shares of them tell nothing of the job */
    } else {
        judge_kernels(gather);
        judge_line(gather);
        judge_host(gather);
    }
    return true;
}
