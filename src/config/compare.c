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
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
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
    setting found = {0};
    size_t number;
    found.variable = mls_shell_find(self->script, mls_str_from(name));
    found.known = found.variable != NULL && found.variable->known && mls_size_parse(found.variable->value, &number);
    found.value = found.known ? number : 0;
    return found;
}

/* The same setting goes by two names. */
static setting look_up_either(const comparison *self, const char *name, const char *other)
{
    const setting found = look_up(self, name);
    return found.variable != NULL ? found : look_up(self, other);
}

static mls_finding_place place_of(const comparison *self, const mls_shell_variable *variable)
{
    const char *root = mls_shell_path(self->script);
    return (mls_finding_place){.path = strcmp(variable->path, root) == 0 ? NULL : variable->path,
                               .line = variable->line,
                               .key = variable->name};
}

static void agree(const comparison *self, const mls_shell_variable *variable)
{
    mls_config_summary *summary = self->summary;
    if (summary->agreeing_count < MLS_CONFIG_AGREEING_MAX) {
        summary->agreeing[summary->agreeing_count++] = variable;
    }
}

static void disagree(const comparison *self, const mls_shell_variable *variable, const char *said, const char *remark)
{
    mls_findings_add(self->findings, MLS_FINDING_CONFIG_DISAGREES, place_of(self, variable),
                     "name says %s, text exports %.*s=%.*s%s", said, (int)variable->name.len, variable->name.ptr,
                     MLS_CUT(variable->value, 80), remark);
}

/* A number of the name against an export of the text that is `either` or `or`; 0 in the name agrees with everything. */
static void compare_number(const comparison *self, const char *export, uint64_t number, uint64_t either,
                           const char *before, const char *after)
{
    const setting found = look_up(self, export);
    if (number == 0 || found.variable == NULL || !found.variable->known) {
        return;
    }
    if (found.known && (found.value == number || found.value == either)) {
        agree(self, found.variable);
        return;
    }
    char said[80];
    char remark[80] = "";
    const uint64_t gpus = self->name->gpus;
    const bool batch = strcmp(export, "BATCHSIZE") == 0;
    (void)snprintf(said, sizeof said, "%s%" PRIu64 "%s", before, number, after);
    if (batch && found.known && gpus > 1 && found.value >= gpus && found.value % gpus == 0) {
        (void)snprintf(remark, sizeof remark, ", %" PRIu64 " per GPU", found.value / gpus);
    }
    disagree(self, found.variable, said, remark);
}

/* tp, pp, cp: left out in the name they count as 1 where one of them is there, and in the text if it is read whole. */
static void compare_degree(const comparison *self, const char *letters, uint64_t named, const char *first,
                           const char *second)
{
    const mls_config_name *name = self->name;
    const bool any = name->tensor_parallel != 0 || name->pipeline_parallel != 0 || name->context_parallel != 0;
    if (!any) {
        return;
    }
    char said[64];
    if (named != 0) {
        (void)snprintf(said, sizeof said, "%s%" PRIu64, letters, named);
    } else {
        (void)snprintf(said, sizeof said, "no %s, which counts as 1", letters);
    }
    const char *const exports[] = {first, second};
    bool set = false;
    for (size_t i = 0; i < sizeof exports / sizeof *exports; i++) {
        const setting found = look_up(self, exports[i]);
        set = set || found.variable != NULL;
        if (found.variable == NULL || !found.variable->known) {
            continue;
        }
        if (found.known && found.value == (named != 0 ? named : 1)) {
            agree(self, found.variable);
        } else {
            disagree(self, found.variable, said, "");
        }
    }
    if (set || !mls_shell_is_complete(self->script)) {
        return;
    }
    if (named <= 1) {
        self->summary->absent[self->summary->absent_count++] = first;
    } else {
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_DISAGREES, (mls_finding_place){.key = mls_str_from(first)},
                         "name says %s, text does not set %s or %s", said, first, second);
    }
}

/* MINIBS counts micro-batches or samples; BATCHSIZE is the batch per GPU or the global one, as the benchmark has it. */
static void compare_batches(const comparison *self)
{
    const mls_config_name *name = self->name;
    const uint64_t micro = self->summary->micro_batch_size != 0 ? self->summary->micro_batch_size : 1;
    uint64_t samples;
    uint64_t global;
    if (!__builtin_mul_overflow(name->third, micro, &samples)) {
        compare_number(self, "MINIBS", name->third, samples,
                       name->gradient_accumulation != 0 ? "accumulation " : "batch ", "");
    }
    if (!__builtin_mul_overflow(name->batch_per_gpu, name->gpus, &global)) {
        compare_number(self, "BATCHSIZE", name->batch_per_gpu, global, "batch ", " per GPU");
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
    const bool shaped = variable->value.len > name->system.len;
    if (mls_str_equal(variable->value, name->name)) {
        agree(self, variable);
    } else if (shaped && !mls_str_equal(variable->value, name->system)) {
        mls_buffer said = {0};
        mls_buffer_append(&said, name->name);
        if (said.failed) {
            self->findings->out_of_memory = true;
        } else {
            disagree(self, variable, said.ptr, "");
        }
        mls_buffer_release(&said);
    }
}

/* A degree of the text: 1 when it is certainly not set; 0 when nobody knows. */
static uint64_t degree_of_text(const comparison *self, const setting *found)
{
    if (found->variable == NULL) {
        return mls_shell_is_complete(self->script) ? 1 : 0;
    }
    return found->value;
}

static void check_parallel(const comparison *self)
{
    const setting nodes = look_up(self, "DGXNNODES");
    const setting gpus = look_up(self, "DGXNGPU");
    const setting degrees[] = {look_up_either(self, "TP", "TENSOR_MODEL_PARALLEL"),
                               look_up_either(self, "PP", "PIPELINE_MODEL_PARALLEL"),
                               look_up_either(self, "CP", "CONTEXT_PARALLEL")};
    uint64_t total;
    uint64_t product = 1;
    const mls_shell_variable *variable = NULL;
    if (!nodes.known || !gpus.known || __builtin_mul_overflow(nodes.value, gpus.value, &total)) {
        return;
    }
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
        const uint64_t degree = degree_of_text(self, &degrees[i]);
        if (degree == 0 || __builtin_mul_overflow(product, degree, &product)) {
            return;
        }
        variable = degree > 1 ? degrees[i].variable : variable;
    }
    if (variable != NULL && total % product != 0) {
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_PARALLEL, place_of(self, variable),
                         "tensor x pipeline x context parallel is %" PRIu64 ", which does not divide %" PRIu64 " GPUs",
                         product, total);
    }
}

/* Slurm's times in seconds: minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]]. */
static bool read_time(mls_str text, uint64_t *seconds)
{
    uint64_t parts[4] = {0};
    size_t count = 0;
    bool days = false;
    size_t begin = 0;
    for (size_t at = 0; at <= text.len; at++) {
        const char c = at < text.len ? text.ptr[at] : ':';
        if (c != ':' && c != '-') {
            continue;
        }
        size_t number;
        if (count == 4 || (c == '-' && count > 0) ||
            !mls_size_parse((mls_str){text.ptr + begin, at - begin}, &number) || number > 1000000000) {
            return false;
        }
        days = days || c == '-';
        parts[count++] = number;
        begin = at + 1;
    }
    if (days) {
        *seconds = parts[0] * 86400 + parts[1] * 3600 + parts[2] * 60 + parts[3];
        return count >= 2;
    }
    *seconds = count == 3 ? parts[0] * 3600 + parts[1] * 60 + parts[2] : parts[0] * 60 + (count == 2 ? parts[1] : 0);
    return count <= 3;
}

static void check_walltime(const comparison *self)
{
    const mls_shell_variable *job = mls_shell_find(self->script, MLS_S("WALLTIME"));
    const mls_shell_variable *run = mls_shell_find(self->script, MLS_S("WALLTIME_RUNANDTIME"));
    uint64_t job_seconds;
    uint64_t run_seconds;
    if (job == NULL || run == NULL || !job->known || !run->known || !read_time(job->value, &job_seconds) ||
        !read_time(run->value, &run_seconds) || job_seconds >= run_seconds) {
        return;
    }
    mls_findings_add(self->findings, MLS_FINDING_CONFIG_WALLTIME, place_of(self, job),
                     "WALLTIME=%.*s is shorter than WALLTIME_RUNANDTIME=%.*s (line %zu)", (int)job->value.len,
                     job->value.ptr, (int)run->value.len, run->value.ptr, run->line);
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

static const struct {
    const char *name;
    const char *value;
    bool several_nodes; /* it does no harm on one node */
    const char *why;
} unwise[] = {
    {"CUDA_LAUNCH_BLOCKING", "1", false, "every kernel waits for the one before it"},
    {"NCCL_IB_DISABLE", "1", true, "nodes talk over Ethernet sockets instead of InfiniBand"},
    {"NCCL_DEBUG", "TRACE", false, "NCCL writes a line for every call"},
    {"NCCL_SOCKET_IFNAME", "lo", true, "nodes cannot reach each other over the loopback interface"},
    {"PYTORCH_NO_CUDA_MEMORY_CACHING", "1", false, "every tensor is allocated and freed by the driver"},
};

/* NCCL reads the words of its settings in either case. */
static bool is_word(mls_str value, const char *word)
{
    return value.len == strlen(word) && strncasecmp(value.ptr, word, value.len) == 0;
}

static void check_environment(const comparison *self)
{
    const bool one_node = node_count(self) <= 1; /* a number that is not known is nobody's fault */
    for (size_t i = 0; i < sizeof unwise / sizeof *unwise; i++) {
        const mls_shell_variable *variable = mls_shell_find(self->script, mls_str_from(unwise[i].name));
        if (variable == NULL || !variable->known || !is_word(variable->value, unwise[i].value) ||
            (one_node && unwise[i].several_nodes)) {
            continue;
        }
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_ENVIRONMENT, place_of(self, variable), "%s=%s: %s",
                         unwise[i].name, unwise[i].value, unwise[i].why);
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
    compare_number(self, "DGXNNODES", name->nodes, name->nodes, "", name->nodes == 1 ? " node" : " nodes");
    compare_number(self, "DGXNGPU", name->gpus_per_node, name->gpus_per_node, "",
                   name->gpus_per_node == 1 ? " GPU a node" : " GPUs a node");
    compare_batches(self);
    compare_degree(self, "tp", name->tensor_parallel, "TP", "TENSOR_MODEL_PARALLEL");
    compare_degree(self, "pp", name->pipeline_parallel, "PP", "PIPELINE_MODEL_PARALLEL");
    compare_degree(self, "cp", name->context_parallel, "CP", "CONTEXT_PARALLEL");
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
    if (name->problem != MLS_CONFIG_PROBLEM_NONE) {
        mls_findings_add(findings, MLS_FINDING_CONFIG_NAME, (mls_finding_place){0}, "%s",
                         mls_config_problem_text(name->problem));
    }
    if (script != NULL) {
        const comparison self = {name, script, summary, findings};
        compare_text(&self);
    }
    if (__builtin_mul_overflow(name->global_batch_size, summary->micro_batch_size, &summary->global_batch_size)) {
        summary->global_batch_size = 0;
    }
}
