/* SPDX-License-Identifier: Apache-2.0 */
/* verdicts.c - judge a profile: add sentences that name a number, explain it, and suggest what to try. */
#include <math.h>

#include "base/utf8.h"
#include "base/words.h"
#include "explain/profile/gather.h"

const char *mls_sentence_keep(mls_arena *arena, mls_buffer *sentence)
{
    mls_buffer clean = {0};
    mls_escape_append(&clean, mls_buffer_str(sentence));
    const char *kept = mls_arena_copy(arena, mls_buffer_str(&clean)).ptr;
    mls_buffer_release(sentence);
    mls_buffer_release(&clean);
    return kept;
}

/* Limits: the number of verdicts; the bytes of a name in a verdict; the length in microseconds of a short kernel, about
 * the time of a launch; and the length in microseconds below which CUDA graphs help. */
enum { VERDICTS_MAX = 20, NAME_SHOWN = 80, SHORT_KERNEL_US = 10, GRAPH_KERNEL_US = 20 };

/* If `holds`, add a verdict.  Return `holds`. */
MLS_PRINTF(4, 5)
static bool add_verdict(mls_gather *gather, bool holds, const char *code, const char *format, ...)
{
    mls_profile *profile = gather->profile;
    mls_buffer sentence = {0};
    va_list args;
    if (!holds)
        return false;
    va_start(args, format);
    mls_buffer_vprintf(&sentence, format, args);
    va_end(args);
    profile->verdicts[profile->verdict_count++] =
        (mls_profile_verdict){code, mls_sentence_keep(gather->arena, &sentence)};
    return true;
}

/* Add a verdict that begins with a share, such as "5 % of the GPU's time is …", if the share is at least `from`. */
static void add_share(mls_gather *gather, double share, double from, const char *code, int decimals, const char *words)
{
    add_verdict(gather, share >= from, code, "%s of %s", mls_words_percent(share, decimals).text, words);
}

/* Return a name, or "?" if it is empty. */
static mls_str name_or_mark(mls_str name)
{
    return name.len > 0 ? name : MLS_S("?");
}

/* Return the share of activity in classes with one of these roles. */
static double share_of_roles(const mls_gather *gather, unsigned roles)
{
    double total = 0;
    for (size_t i = 0; i < gather->classes->count; i++)
        total += (gather->classes->roles[i] & roles) != 0 ? gather->by_class[i].sums.total : 0;
    return mls_profile_share(total / 1e6, gather->profile->activity_ms);
}

/* Return whether a CUDA call waits for the GPU: a call such as cudaStreamSynchronize, or a copy that is not
 * asynchronous. */
static bool is_synchronous(mls_str name)
{
    const mls_str call = mls_cuda_call(name);
    if (mls_str_any(call, "StreamSynchronize|DeviceSynchronize|EventSynchronize|CtxSynchronize", mls_str_starts))
        return true;
    return mls_str_starts(call, MLS_S("Memcpy")) && !mls_str_contains(call, MLS_S("Async"));
}

static bool is_waiting(mls_str name)
{
    return mls_str_any(name, "cond_wait|cond_timedwait|futex|sem_wait|sem_timedwait|poll|select|sleep",
                       mls_str_contains);
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
        const char *code, *advice;
    } bounds[MLS_BOUND_COUNT] = {
        [MLS_BOUND_COMPUTE] =
            {"bound-compute",
             "arithmetic: lower precision or fewer operations make them faster, but better use of memory does not"},
        [MLS_BOUND_MEMORY] = {"bound-memory", "memory: fuse them, use smaller types, keep reused data close together"},
        [MLS_BOUND_BALANCED] = {"bound-balanced",
                                "arithmetic and memory alike: reduce both by lower precision or less work"},
        [MLS_BOUND_LATENCY] =
            {"bound-latency",
             "latency, since neither arithmetic nor memory is busy: use larger batches, more work per launch"},
        [MLS_BOUND_UNKNOWN] = {NULL, NULL},
    };
    const mls_profile *profile = gather->profile;
    for (size_t i = 0; i < profile->bound_count; i++) {
        const double share = profile->bounds[i].share;
        const mls_profile_bound bound = profile->bounds[i].bound;
        double mean_us = 0; /* NAN: the duration of some launches is unknown */
        double launches = 0;
        for (size_t k = 0; k < profile->counter_count; k++) {
            const mls_profile_counter *counter = &profile->counters[k];
            mean_us += counter->bound == bound ? counter->duration_ms * 1e3 : 0;
            launches += counter->bound == bound ? (double)counter->launches : 0;
        }
        mean_us /= launches;
        add_verdict(gather, share >= 0.5 && bounds[bound].code != NULL, bounds[bound].code,
                    "kernels with %s of the %s are bound by %s%s", mls_words_percent(share, 0).text,
                    profile->bounds_by_time ? "time" : "launches", bounds[bound].advice,
                    bound == MLS_BOUND_LATENCY && mean_us < GRAPH_KERNEL_US ? ", CUDA graphs" : "");
    }
}

/* The largest share of a device's window so far, and the device with that share. */
typedef struct device_share {
    double share;
    const mls_profile_device *device; /* NULL: no share yet */
} device_share;

static void take_larger(device_share *to, const mls_profile_device *device, double part_ms)
{
    const double share = mls_profile_share(part_ms, device->window_ms);
    if (share > to->share)
        *to = (device_share){share, device};
}

static mls_str device_name(const device_share *of)
{
    return of->device != NULL ? name_or_mark(of->device->device) : MLS_S("?");
}

/* Add verdicts on the timeline of the worst device.  If the trace contains CUDA calls, they show why the device was
 * idle. Otherwise, if kernels are short, the host was probably too late with launches. */
static void judge_line(mls_gather *gather)
{
    const mls_profile *profile = gather->profile;
    const double mean_us = profile->kernel_ms * 1e3 / (double)profile->kernels; /* NAN: no kernels */
    device_share exposed = {0};
    device_share idle = {0};
    device_share late = {0};
    for (size_t i = 0; i < profile->device_count; i++) {
        const mls_profile_device *device = &profile->devices[i];
        take_larger(&exposed, device, device->exposed_communication_ms);
        take_larger(&idle, device, device->idle_ms);
        take_larger(&late, device, device->idle_host_ms);
    }
    add_verdict(gather, exposed.share >= 0.1, "exposed-communication",
                "%s of device %.*s's time is communication not overlapped with compute: overlap it with the backward "
                "pass, use larger buckets, check that NCCL uses NVLink or InfiniBand, not sockets",
                mls_words_percent(exposed.share, 0).text, MLS_CUT(device_name(&exposed), NAME_SHOWN));
    if (!profile->has_devices) {
        add_share(
            gather, share_of_roles(gather, MLS_CLASS_COMMUNICATION), 0.2, "communication-share", 0,
            "the GPU's time is communication; cuda_gpu_trace shows how much of it is not overlapped with compute");
    }
    const bool host = late.device != NULL && late.share > 0.15;
    const bool known = idle.device != NULL && isfinite(idle.device->graph_share);
    const bool graphs = host && late.device->graph_share < 0.5 && late.device->kernel_median_us < GRAPH_KERNEL_US;
    const bool idles =
        add_verdict(gather, idle.share >= 0.15, "idle", "device %.*s is idle for %s of the time%s",
                    MLS_CUT(device_name(&idle), NAME_SHOWN), mls_words_percent(idle.share, 0).text,
                    host    ? ""
                    : known ? ", but most of its next kernels were already queued: check what kernels wait for, and "
                              "the gaps between short kernels"
                            : ": check the input pipeline, synchronization, and what the host does between launches");
    add_verdict(gather, host, "host-bound",
                "device %.*s waits for the host for %s of the time: check what the CPU does between launches, such as "
                "loading data, synchronization and Python%s",
                MLS_CUT(device_name(&late), NAME_SHOWN), mls_words_percent(late.share, 0).text,
                graphs ? "; CUDA graphs launch many short kernels at once" : "");
    add_verdict(gather, idles && mean_us < SHORT_KERNEL_US && (host || !known), "launch-bound",
                "kernels take %.1f µs on average, less than launching them: use %slarger batches, fusion", mean_us,
                host ? "" : "CUDA graphs, ");
}

/* Add up the results of some rules of nsys analyze; `rules` is a list such as "a|b". */
static mls_profile_found sum_found(const mls_profile *profile, const char *rules)
{
    mls_profile_found sum = {0};
    for (size_t i = 0; i < profile->analysis_count; i++) {
        const mls_profile_found *found = &profile->analysis[i];
        if (mls_str_any(found->rule, rules, mls_str_equal)) {
            sum.count += found->count;
            sum.total_ms += found->total_ms;
            sum.longest_ms = fmax(sum.longest_ms, found->longest_ms);
        }
    }
    return sum;
}

void mls_gather_judge(mls_gather *gather)
{
    mls_profile *profile = gather->profile;
    profile->verdicts = mls_arena_array(gather->arena, VERDICTS_MAX, sizeof *profile->verdicts);
    if (profile->has_counters && profile->kernels > 0) {
        judge_counters(
            gather); /* the user chose which launches ncu measured, so shares of these do not describe the job */
        return;
    }
    add_verdict(gather, profile->kernels == 0 && profile->analysis == NULL, "no-kernels",
                "it contains no kernels: was the GPU traced? nsys needs --trace=cuda, PyTorch's profiler "
                "ProfilerActivity.CUDA");
    add_share(gather, share_of_roles(gather, MLS_CLASS_ARITHMETIC), 0.5, "compute-heavy", 0,
              "the GPU's time is matrix products, attention and convolution: FP8 or BF16, larger tiles and fewer "
              "recomputed activations shorten it; ncu shows whether each kernel is bound by arithmetic");
    add_share(gather, share_of_roles(gather, MLS_CLASS_BYTES), 0.4, "memory-heavy", 0,
              "the GPU's time goes to kernels that move bytes more than they compute: fuse them (torch.compile, fused "
              "norms, fused optimizers)");
    if (profile->names.count > 0) {
        const mls_profile_row *first = &profile->names.items[0];
        add_verdict(gather, first->share >= 0.4, "one-kernel",
                    "one kernel takes %s of the kernels' time; analyze it with ncu first: %.*s",
                    mls_words_percent(first->share, 0).text, MLS_CUT(name_or_mark(first->name), NAME_SHOWN));
    }
    const mls_tally *kernels = &gather->tallies[MLS_TALLY_KERNELS];
    double fp32 = 0;
    for (size_t i = MLS_ROW_NAME; i < kernels->count; i++)
        fp32 += kernels->rows[i].fp32 ? kernels->rows[i].sums.total : 0;
    add_share(
        gather, mls_profile_share(fp32 / 1e6, profile->kernel_ms), 0.2, "fp32-math", 0,
        "the kernels' time is products on FP32 cores: mixed precision (autocast, BF16) or TF32 moves them to tensor "
        "cores");
    judge_line(gather);

    const mls_profile_found gaps = sum_found(profile, "gpu_gaps");
    const mls_profile_found copies = sum_found(profile, "cuda_memcpy_sync|cuda_memset_sync");
    add_verdict(gather, gaps.count > 0, "gaps",
                "a GPU is idle in %s, %s ms in total and %s ms in the longest: check what the host does then",
                mls_words_plural((size_t)gaps.count, "gap", "gaps").text, mls_words_grouped(gaps.total_ms, 1).text,
                mls_words_grouped(gaps.longest_ms, 1).text);
    add_verdict(gather, copies.count > 0, "synchronous-copies",
                "%s that the host waits for take %s ms: use cudaMemcpyAsync with pinned memory, and cudaMemsetAsync",
                mls_words_plural((size_t)copies.count, "copy or set", "copies and sets").text,
                mls_words_grouped(copies.total_ms, 3).text);
    add_share(gather, share_of_roles(gather, MLS_CLASS_COPY), 0.05, "copies", 0,
              "the GPU's time is copies: keep data on the GPU, use pinned memory and asynchronous copies");
    add_share(gather, profile->pageable_share, 0.01, "pageable-copies", 1,
              "the GPU's time is copies from or to pageable memory: pin_memory=True in the data loader");
    add_share(gather, share_of_calls(&profile->api, is_synchronous), 0.3, "synchronisation", 0,
              "the API time is waiting for the GPU: look for .item(), prints and blocking copies in the loop");
    add_share(gather, share_of_calls(&profile->osrt, is_waiting), 0.5, "host-wait", 0,
              "the OS runtime's time is waiting: waiting threads are normal, unless the GPU is idle too");
}
