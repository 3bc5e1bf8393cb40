/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.c - where the name of a config and its text disagree, and what in
 * the text costs speed or breaks runs.
 *
 * A file whose name says nothing of a shape is a fragment that others source:
 * what it leaves out, and what does not fit together before they say the rest,
 * is no fault of it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "base/utf8.h"
#include "mlscore/config.h"

/* Ranks on a node from which it matters that each starts a thread per processor. */
#define MANY_RANKS 8

typedef struct comparison {
    const mls_config_name *name;
    const mls_shell *script;
    mls_config_summary *summary;
    mls_findings *findings;
} comparison;

/* A number that the text sets.  known: false when it is not set or nobody knows. */
typedef struct setting {
    const mls_shell_variable *variable; /* NULL: not exported */
    uint64_t value;
    bool known;
} setting;

static setting look_up(const comparison *self, const char *name)
{
    const mls_shell_variable *variable = mls_shell_find(self->script, mls_str_from(name));
    size_t number = 0;
    const bool known = variable != NULL && variable->known && mls_size_parse(variable->value, &number);
    return (setting){variable, known ? number : 0, known};
}

static mls_finding_place place_of(const comparison *self, const mls_shell_variable *variable)
{
    const bool own = strcmp(variable->path, mls_shell_path(self->script)) == 0;
    return (mls_finding_place){own ? NULL : variable->path, variable->line, 0, variable->name};
}

static void agree(const comparison *self, const mls_shell_variable *variable)
{
    mls_config_summary *summary = self->summary;
    if (summary->agreeing_count < MLS_CONFIG_AGREEING_MAX) {
        summary->agreeing[summary->agreeing_count++] = variable;
    }
}

static void disagree(const comparison *self, const mls_shell_variable *variable, mls_str said, const char *remark)
{
    mls_findings_add(self->findings, MLS_FINDING_CONFIG_DISAGREES, place_of(self, variable),
                     "name says %.*s, text exports %.*s=%.*s%s", (int)said.len, said.ptr, (int)variable->name.len,
                     variable->name.ptr, MLS_CUT(variable->value, 80), remark);
}

/*
 * A number of the name against an export of the text that is it, or `either`;
 * 0 in the name agrees with everything.  `gpus`: the export may be of all of
 * them together (0: it is not).
 */
static void compare_number(const comparison *self, const char *export, uint64_t number, uint64_t either, uint64_t gpus,
                           const char *before, const char *after)
{
    const setting found = look_up(self, export);
    char said[80];
    char remark[80] = "";
    if (number == 0 || found.variable == NULL || !found.variable->known) {
        return;
    }
    if (found.known && (found.value == number || found.value == either)) {
        agree(self, found.variable);
        return;
    }
    (void)snprintf(said, sizeof said, "%s%" PRIu64 "%s", before, number, after);
    if (found.known && gpus > 1 && found.value >= gpus && found.value % gpus == 0) {
        (void)snprintf(remark, sizeof remark, ", %" PRIu64 " per GPU", found.value / gpus);
    }
    disagree(self, found.variable, mls_str_from(said), remark);
}

/* MINIBS counts micro-batches or samples; BATCHSIZE is the batch per GPU or the global one, as the benchmark has it. */
static void compare_batches(const comparison *self)
{
    const mls_config_name *name = self->name;
    const uint64_t micro = self->summary->micro_batch_size != 0 ? self->summary->micro_batch_size : 1;
    uint64_t samples;
    uint64_t global;
    if (!__builtin_mul_overflow(name->third, micro, &samples)) {
        compare_number(self, "MINIBS", name->third, samples, 0,
                       name->gradient_accumulation != 0 ? "accumulation " : "batch ", "");
    }
    if (!__builtin_mul_overflow(name->batch_per_gpu, name->gpus, &global)) {
        compare_number(self, "BATCHSIZE", name->batch_per_gpu, global, name->gpus, "batch ", " per GPU");
    }
}

/* Only a DGXSYSTEM that has a shape itself can be another one. */
static void compare_system(const comparison *self)
{
    const mls_shell_variable *variable = mls_shell_find(self->script, MLS_S("DGXSYSTEM"));
    const mls_config_name *name = self->name;
    if (name->kind == MLS_CONFIG_KIND_NONE || variable == NULL || !variable->known) {
        return;
    }
    if (mls_str_equal(variable->value, name->name)) {
        agree(self, variable);
    } else if (variable->value.len > name->system.len) {
        disagree(self, variable, name->name, "");
    }
}

/* ------------------------------------------------------------- parallelism */

enum { DEGREES = 3, EXPORTS = 2 };

static const struct {
    const char *letters;
    size_t in_name;
    const char *exports[EXPORTS]; /* the same setting goes by two names */
} degrees[DEGREES] = {
    {"tp", offsetof(mls_config_name, tensor_parallel), {"TP", "TENSOR_MODEL_PARALLEL"}},
    {"pp", offsetof(mls_config_name, pipeline_parallel), {"PP", "PIPELINE_MODEL_PARALLEL"}},
    {"cp", offsetof(mls_config_name, context_parallel), {"CP", "CONTEXT_PARALLEL"}},
};

static uint64_t named_degree(const comparison *self, size_t index)
{
    uint64_t named;
    memcpy(&named, (const char *)self->name + degrees[index].in_name, sizeof named);
    return named;
}

/* One left out in the name counts as 1 where one of them is there, and in the text if it is read whole. */
static void compare_degree(const comparison *self, size_t index)
{
    const uint64_t named = named_degree(self, index);
    const char *const *exports = degrees[index].exports;
    char said[64];
    bool set = false;
    if (named != 0) {
        (void)snprintf(said, sizeof said, "%s%" PRIu64, degrees[index].letters, named);
    } else {
        (void)snprintf(said, sizeof said, "no %s, which counts as 1", degrees[index].letters);
    }
    for (size_t i = 0; i < EXPORTS; i++) {
        const setting found = look_up(self, exports[i]);
        set = set || found.variable != NULL;
        if (found.known && found.value == (named != 0 ? named : 1)) {
            agree(self, found.variable);
        } else if (found.variable != NULL && found.variable->known) {
            disagree(self, found.variable, mls_str_from(said), "");
        }
    }
    if (set || !mls_shell_is_complete(self->script)) {
        return;
    }
    if (named <= 1) {
        self->summary->absent[self->summary->absent_count++] = exports[0];
    } else {
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_DISAGREES,
                         (mls_finding_place){.key = mls_str_from(exports[0])},
                         "name says %s, text does not set %s or %s", said, exports[0], exports[1]);
    }
}

static void check_parallel(const comparison *self)
{
    const setting nodes = look_up(self, "DGXNNODES");
    const setting gpus = look_up(self, "DGXNGPU");
    const mls_shell_variable *variable = NULL;
    uint64_t total;
    uint64_t product = 1;
    if (!nodes.known || !gpus.known || __builtin_mul_overflow(nodes.value, gpus.value, &total)) {
        return;
    }
    for (size_t i = 0; i < DEGREES; i++) {
        const setting first = look_up(self, degrees[i].exports[0]);
        const setting found = first.variable != NULL ? first : look_up(self, degrees[i].exports[1]);
        const bool unset = found.variable == NULL && mls_shell_is_complete(self->script);
        const uint64_t degree = unset ? 1 : found.value;
        if (degree == 0 || __builtin_mul_overflow(product, degree, &product)) {
            return;
        }
        variable = degree > 1 ? found.variable : variable;
    }
    if (variable != NULL && total % product != 0) {
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_PARALLEL, place_of(self, variable),
                         "tensor x pipeline x context parallel is %" PRIu64 ", which does not divide %" PRIu64 " GPUs",
                         product, total);
    }
}

/* ---------------------------------------------------------------- the rest */

/* Slurm's times in seconds: minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]]. */
static bool read_time(mls_str text, uint64_t *seconds)
{
    static const uint64_t units[] = {86400, 3600, 60, 1};
    uint64_t parts[4] = {0};
    size_t count = 0;
    bool days = false;
    for (size_t begin = 0, at = 0; at <= text.len; at++) {
        const char c = at < text.len ? text.ptr[at] : ':';
        if (c == ':' || c == '-') {
            size_t number;
            if (count == 4 || (c == '-' && count > 0) ||
                !mls_size_parse((mls_str){text.ptr + begin, at - begin}, &number) || number > 1000000000) {
                return false;
            }
            days = days || c == '-';
            parts[count++] = number;
            begin = at + 1;
        }
    }
    *seconds = 0;
    for (size_t i = 0, first = days ? 0 : count == 3 ? 1 : 2; i < count && first + i < 4; i++) {
        *seconds += parts[i] * units[first + i];
    }
    return days ? count >= 2 : count <= 3;
}

static void check_walltime(const comparison *self)
{
    const mls_shell_variable *job = mls_shell_find(self->script, MLS_S("WALLTIME"));
    const mls_shell_variable *run = mls_shell_find(self->script, MLS_S("WALLTIME_RUNANDTIME"));
    uint64_t job_seconds;
    uint64_t run_seconds;
    if (job != NULL && run != NULL && job->known && run->known && read_time(job->value, &job_seconds) &&
        read_time(run->value, &run_seconds) && job_seconds < run_seconds) {
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_WALLTIME, place_of(self, job),
                         "WALLTIME=%.*s is shorter than WALLTIME_RUNANDTIME=%.*s (line %zu)", (int)job->value.len,
                         job->value.ptr, (int)run->value.len, run->value.ptr, run->line);
    }
}

static uint64_t node_count(const comparison *self)
{
    const setting nodes = look_up(self, "DGXNNODES");
    return nodes.known ? nodes.value : nodes.variable == NULL ? self->name->nodes : 0;
}

static void check_segment(const comparison *self)
{
    const setting segment = look_up(self, "SEGMENT");
    const uint64_t nodes = node_count(self);
    if (segment.known && nodes > 0 && (segment.value == 0 || nodes % segment.value != 0)) {
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_SEGMENT, place_of(self, segment.variable),
                         "SEGMENT=%" PRIu64 " does not fit %" PRIu64 " node%s", segment.value, nodes,
                         nodes == 1 ? "" : "s");
    }
}

static void check_environment(const comparison *self)
{
    static const struct {
        const char *name;
        const char *value;  /* NCCL reads such words in either case */
        bool several_nodes; /* it does no harm on one node */
        const char *why;
    } unwise[] = {
        {"CUDA_LAUNCH_BLOCKING", "1", false, "every kernel waits for the one before it"},
        {"NCCL_IB_DISABLE", "1", true, "nodes talk over Ethernet sockets instead of InfiniBand"},
        {"NCCL_DEBUG", "TRACE", false, "NCCL writes a line for every call"},
        {"NCCL_SOCKET_IFNAME", "lo", true, "nodes cannot reach each other over the loopback interface"},
        {"PYTORCH_NO_CUDA_MEMORY_CACHING", "1", false, "every tensor is allocated and freed by the driver"},
    };
    const bool one_node = node_count(self) <= 1; /* a number that is not known is nobody's fault */
    for (size_t i = 0; i < sizeof unwise / sizeof *unwise; i++) {
        const mls_shell_variable *variable = mls_shell_find(self->script, mls_str_from(unwise[i].name));
        if (variable != NULL && variable->known && variable->value.len == strlen(unwise[i].value) &&
            strncasecmp(variable->value.ptr, unwise[i].value, variable->value.len) == 0 &&
            !(one_node && unwise[i].several_nodes)) {
            mls_findings_add(self->findings, MLS_FINDING_CONFIG_ENVIRONMENT, place_of(self, variable), "%s=%s: %s",
                             unwise[i].name, unwise[i].value, unwise[i].why);
        }
    }
}

static void check_threads(const comparison *self)
{
    const setting ranks = look_up(self, "DGXNGPU");
    if (ranks.known && ranks.value >= MANY_RANKS && mls_shell_is_complete(self->script) &&
        mls_shell_find(self->script, MLS_S("OMP_NUM_THREADS")) == NULL) {
        mls_findings_add(
            self->findings, MLS_FINDING_CONFIG_ENVIRONMENT, (mls_finding_place){.key = MLS_S("OMP_NUM_THREADS")},
            "OMP_NUM_THREADS is not set: each of %" PRIu64 " ranks on a node may start a thread per processor",
            ranks.value);
    }
}

static void compare_text(const comparison *self)
{
    const mls_config_name *name = self->name;
    const setting micro = look_up(self, "MICRO_BATCH_SIZE");
    if (micro.variable != NULL || !mls_shell_is_complete(self->script)) {
        self->summary->micro_batch_size = micro.value;
    }
    compare_system(self);
    compare_number(self, "DGXNNODES", name->nodes, name->nodes, 0, "", name->nodes == 1 ? " node" : " nodes");
    compare_number(self, "DGXNGPU", name->gpus_per_node, name->gpus_per_node, 0, "",
                   name->gpus_per_node == 1 ? " GPU a node" : " GPUs a node");
    compare_batches(self);
    if (name->tensor_parallel != 0 || name->pipeline_parallel != 0 || name->context_parallel != 0) {
        for (size_t i = 0; i < DEGREES; i++) {
            compare_degree(self, i);
        }
    }
    if (name->kind != MLS_CONFIG_KIND_NONE) {
        check_parallel(self);
        check_walltime(self);
        check_segment(self);
        check_threads(self);
    }
    check_environment(self);
}

void mls_config_compare(const mls_config_name *name, const mls_shell *script, mls_config_summary *summary,
                        mls_findings *findings)
{
    *summary = (mls_config_summary){.micro_batch_size = 1};
    if (name->problem != NULL) {
        mls_findings_add(findings, MLS_FINDING_CONFIG_NAME, (mls_finding_place){0}, "%s", name->problem);
    }
    if (script != NULL) {
        const comparison self = {name, script, summary, findings};
        compare_text(&self);
    }
    if (__builtin_mul_overflow(name->global_batch_size, summary->micro_batch_size, &summary->global_batch_size)) {
        summary->global_batch_size = 0;
    }
}
