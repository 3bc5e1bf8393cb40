/* SPDX-License-Identifier: Apache-2.0 */
/* verdicts.c - what is to be said of a profile: sentences with a number, what it means, and what to try. */
#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "profile/gather.h"

/* From which share on something is said. */
#define BOUND_FROM 0.5
#define ARITHMETIC_FROM 0.5
#define BYTES_FROM 0.4
#define ONE_KERNEL_FROM 0.4
#define FP32_FROM 0.2
#define EXPOSED_FROM 0.1
#define COMMUNICATION_FROM 0.2
#define IDLE_FROM 0.15
#define COPIES_FROM 0.05
#define PAGEABLE_FROM 0.01
#define SYNCHRONISATION_FROM 0.3
#define WAITING_FROM 0.5
#define SHORT_KERNEL_US 10

enum { VERDICTS_MAX = 20, NAME_SHOWN = 80 };

typedef struct verdict_list {
    mls_profile *profile;
    mls_arena *arena;
    bool failed;
} verdict_list;

MLS_PRINTF(3, 4)
static void say(verdict_list *list, const char *code, const char *format, ...)
{
    mls_profile *profile = list->profile;
    mls_buffer message = {0};
    mls_buffer clean = {0};
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&message, format, args);
    va_end(args);
    mls_escape_append(&clean, mls_buffer_str(&message));
    const mls_str kept = mls_arena_copy(list->arena, mls_buffer_str(&clean));
    list->failed |= message.failed || clean.failed || kept.ptr == NULL;
    profile->verdicts[profile->verdict_count++] = (mls_profile_verdict){code, kept.ptr};
    mls_buffer_release(&message);
    mls_buffer_release(&clean);
}

/* The share of activity that the classes with a role have. */
static double share_of_roles(const verdict_list *list, const mls_kernel_classes *classes, unsigned roles)
{
    const mls_profile_rows *rows = &list->profile->classes;
    double total = 0;
    for (size_t i = 0; i < rows->count; i++) {
        total += (mls_class_roles_of(classes, rows->items[i].class_name) & roles) != 0 ? rows->items[i].total_ms : 0;
    }
    return list->profile->activity_ms > 0 ? total / list->profile->activity_ms : 0;
}

static void judge_counters(verdict_list *list)
{
    static const struct {
        const char *code, *advice;
    } bounds[MLS_BOUND_COUNT] = {
        [MLS_BOUND_COMPUTE] = {"bound-compute", "bound by arithmetic: lower precision or fewer operations make them "
                                                "faster, better use of memory does not"},
        [MLS_BOUND_MEMORY] = {"bound-memory", "bound by memory: fuse them, use smaller types, keep what is reused "
                                              "close together"},
        [MLS_BOUND_BALANCED] = {"bound-balanced", "bound by arithmetic and memory alike: both must be relieved, by "
                                                  "lower precision or less work"},
        [MLS_BOUND_LATENCY] = {"bound-latency", "bound by latency, as they keep neither arithmetic nor memory busy: "
                                                "larger batches, more work per launch, CUDA graphs"},
    };
    for (size_t i = 0; i < MLS_BOUND_COUNT; i++) {
        const double share = list->profile->bounds[i].share;
        if (share >= BOUND_FROM) {
            say(list, bounds[i].code, "kernels with %.0f %% of the %s are %s", share * 100,
                list->profile->bounds_by_time ? "time" : "launches", bounds[i].advice);
        }
    }
}

static void judge_kernels(verdict_list *list, const mls_kernel_classes *classes)
{
    const mls_profile *profile = list->profile;
    double fp32 = 0;
    const double arithmetic = share_of_roles(list, classes, MLS_CLASS_ARITHMETIC);
    const double bytes = share_of_roles(list, classes, MLS_CLASS_BYTES);
    if (profile->kernels == 0) {
        say(list, "no-kernels",
            "there is no kernel in it: was the GPU traced? nsys needs --trace=cuda, PyTorch's profiler "
            "ProfilerActivity.CUDA");
    }
    if (arithmetic >= ARITHMETIC_FROM) {
        say(list, "compute-heavy",
            "%.0f %% of the GPU's time is matrix products, attention and convolution: FP8 or BF16, larger tiles and "
            "fewer recomputed activations shorten it; whether each kernel is bound by arithmetic, ncu tells",
            arithmetic * 100);
    }
    if (bytes >= BYTES_FROM) {
        say(list, "memory-heavy",
            "%.0f %% of the GPU's time goes to kernels that move bytes more than they compute: fuse them "
            "(torch.compile, fused norms, fused optimizers)",
            bytes * 100);
    }
    if (profile->names.count > 0 && profile->names.items[0].share >= ONE_KERNEL_FROM) {
        say(list, "one-kernel", "one kernel has %.0f %% of the kernels' time, the first to look at with ncu: %.*s",
            profile->names.items[0].share * 100, MLS_CUT(profile->names.items[0].name, NAME_SHOWN));
    }
    for (size_t i = 0; i < profile->names.count; i++) {
        const mls_profile_row *row = &profile->names.items[i];
        bool found = false;
        if ((mls_class_roles_of(classes, row->class_name) & MLS_CLASS_PRODUCT) != 0) {
            list->failed |= !mls_class_fp32(classes, row->name, &found);
            fp32 += found ? row->total_ms : 0;
        }
    }
    fp32 = profile->kernel_ms > 0 ? fp32 / profile->kernel_ms : 0;
    if (fp32 >= FP32_FROM) {
        say(list, "fp32-math",
            "%.0f %% of the kernels' time is products on FP32 cores: mixed precision (autocast, BF16) or TF32 moves "
            "them to tensor cores",
            fp32 * 100);
    }
}

/* Shares of the window are the worst device's. */
static void judge_line(verdict_list *list, const mls_kernel_classes *classes)
{
    const mls_profile *profile = list->profile;
    const mls_profile_device *exposed = NULL;
    const mls_profile_device *idle = NULL;
    double most_exposed = 0;
    double most_idle = 0;
    for (size_t i = 0; i < profile->device_count; i++) {
        const mls_profile_device *device = &profile->devices[i];
        if (device->window_ms > 0 && device->exposed_communication_ms / device->window_ms > most_exposed) {
            exposed = device;
            most_exposed = device->exposed_communication_ms / device->window_ms;
        }
        if (device->window_ms > 0 && device->idle_ms / device->window_ms > most_idle) {
            idle = device;
            most_idle = device->idle_ms / device->window_ms;
        }
    }
    const double communication = share_of_roles(list, classes, MLS_CLASS_COMMUNICATION);
    if (exposed != NULL && most_exposed >= EXPOSED_FROM) {
        say(list, "exposed-communication",
            "%.0f %% of device %.*s's time is communication that no computing hides: overlap it with the backward "
            "pass, use larger buckets, check that NCCL goes over NVLink or InfiniBand, not sockets",
            most_exposed * 100, MLS_CUT(exposed->device, NAME_SHOWN));
    }
    if (!profile->has_devices && communication >= COMMUNICATION_FROM) {
        say(list, "communication-share",
            "%.0f %% of the GPU's time is communication; how much of it computing hides a summary cannot tell, "
            "cuda_gpu_trace can",
            communication * 100);
    }
    if (idle != NULL && most_idle >= IDLE_FROM) {
        say(list, "idle",
            "device %.*s has no kernel for %.0f %% of the time: look at the input pipeline, at synchronisation, and at "
            "what the host does between launches",
            MLS_CUT(idle->device, NAME_SHOWN), most_idle * 100);
        const double mean_us = profile->kernels > 0 ? profile->kernel_ms * 1e3 / (double)profile->kernels : (double)NAN;
        if (mean_us < SHORT_KERNEL_US) {
            say(list, "launch-bound",
                "kernels take %.1f µs on average, less than launching them: CUDA graphs, larger batches, fusion",
                mean_us);
        }
    }
}

static bool is_prefixed(mls_str name, const char *const *prefixes, mls_str *rest)
{
    for (; *prefixes != NULL; prefixes++) {
        if (mls_str_starts(name, mls_str_from(*prefixes))) {
            const size_t len = strlen(*prefixes);
            *rest = (mls_str){name.ptr + len, name.len - len};
            return true;
        }
    }
    return false;
}

/* cu(da)?(Stream|Device|Event|Ctx)Synchronize, and copies that are not asynchronous. */
static bool is_synchronous(mls_str name)
{
    static const char *const libraries[] = {"cuda", "cu", NULL};
    static const char *const objects[] = {"Stream", "Device", "Event", "Ctx", NULL};
    mls_str rest;
    mls_str call;
    if (!is_prefixed(name, libraries, &rest)) {
        return false;
    }
    return is_prefixed(rest, objects, &call)
               ? mls_str_starts(call, MLS_S("Synchronize"))
               : mls_str_starts(rest, MLS_S("Memcpy")) && !mls_str_contains(rest, MLS_S("Async"));
}

/* cond_(timed)?wait, futex, sem_(timed)wait, poll, select, sleep. */
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
    return total > 0 ? part / total : 0;
}

static void judge_host(verdict_list *list, const mls_kernel_classes *classes)
{
    const mls_profile *profile = list->profile;
    const double copies = share_of_roles(list, classes, MLS_CLASS_COPY);
    if (copies >= COPIES_FROM) {
        say(list, "copies",
            "%.0f %% of the GPU's time is copies: keep data on the GPU, use pinned memory and asynchronous copies",
            copies * 100);
    }
    if (profile->pageable_share >= PAGEABLE_FROM) {
        say(list, "pageable-copies",
            "%.1f %% of the GPU's time is copies from or to pageable memory: pin_memory=True in the data loader",
            profile->pageable_share * 100);
    }
    const double synchronous = share_of_calls(&profile->api, is_synchronous);
    if (synchronous >= SYNCHRONISATION_FROM) {
        say(list, "synchronisation",
            "%.0f %% of the API time is waiting for the GPU: look for .item(), prints and blocking copies in the loop",
            synchronous * 100);
    }
    const double waiting = share_of_calls(&profile->osrt, is_waiting);
    if (waiting >= WAITING_FROM) {
        say(list, "host-wait",
            "%.0f %% of the OS runtime's time is waiting: threads that wait are normal; it matters when the GPU is "
            "idle too",
            waiting * 100);
    }
}

bool mls_profile_judge(mls_profile *profile, const mls_kernel_classes *classes, mls_arena *arena)
{
    verdict_list list = {.profile = profile, .arena = arena};
    profile->verdicts = mls_arena_array(arena, VERDICTS_MAX, sizeof *profile->verdicts);
    if (profile->verdicts == NULL) {
        return false;
    }
    if (profile->has_counters && profile->kernels > 0) {
        judge_counters(&list); /* of launches that somebody chose: shares of them tell nothing of the job */
    } else {
        judge_kernels(&list, classes);
        judge_line(&list, classes);
        judge_host(&list, classes);
    }
    return !list.failed;
}
