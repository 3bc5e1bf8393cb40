/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - where the name of a config and its text disagree, and what in the text costs speed or breaks runs.
 *
 * A file whose name says nothing of a shape is a fragment that others source: what it leaves out, and what does not fit
 * together before they say the rest, is no fault of it. */
#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

#include "base/number.h"
#include "base/utf8.h"
#include "config/config.h"

typedef struct comparison {
    const mls_config_name *name;
    const mls_shell *script;
    mls_config_summary *summary;
    mls_findings *findings;
} comparison;

static const mls_shell_variable *find_export(const comparison *self, const char *name)
{
    return mls_shell_find(self->script, mls_str_from(name));
}

/* 0: it is not set, not a number, or not known (then it is empty). */
static uint64_t exported_number(const mls_shell_variable *variable)
{
    size_t number;
    return variable != NULL && mls_size_parse(variable->value, &number) ? number : 0;
}

static mls_finding_place export_place(const comparison *self, const mls_shell_variable *variable)
{
    const bool own = strcmp(variable->path, self->script->path) == 0;
    return (mls_finding_place){own ? NULL : variable->path, variable->line, 0, variable->name};
}

/* Notes that the text exports what the name says too, or finds that it does not. */
static void judge_export(const comparison *self, const mls_shell_variable *variable, bool agrees, mls_str said,
                         const char *remark)
{
    if (agrees) {
        if (self->summary->agreeing_count < MLS_CONFIG_AGREEING_MAX) {
            self->summary->agreeing[self->summary->agreeing_count++] = variable;
        }
    } else {
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_DISAGREES, export_place(self, variable),
                         "name says %.*s, text exports %.*s=%.*s%s", (int)said.len, said.ptr, (int)variable->name.len,
                         variable->name.ptr, MLS_CUT(variable->value, 80), remark);
    }
}

/* The next of a list of exports that the text sets, which is moved past it; NULL: no more. */
static const mls_shell_variable *next_set(const comparison *self, mls_str *exports)
{
    for (mls_str name = mls_str_word(exports); name.len > 0; name = mls_str_word(exports)) {
        const mls_shell_variable *variable = mls_shell_find(self->script, name);
        if (variable != NULL) {
            return variable;
        }
    }
    return NULL;
}

/* A number of the name against exports of the text, which are to be `one` or `other`; 0 in the name agrees with
 * everything.  `gpus`: the export may be of all of them together (0: it is not). */
static void compare_either(const comparison *self, const char *exports, uint64_t number, uint64_t one, uint64_t other,
                           uint64_t gpus, const char *before, const char *after)
{
    mls_str names = mls_str_from(number != 0 ? exports : "");
    char said[80];
    (void)snprintf(said, sizeof said, "%s%" PRIu64 "%s", before, number, after);
    for (const mls_shell_variable *variable; (variable = next_set(self, &names)) != NULL;) {
        const uint64_t value = exported_number(variable);
        char remark[80] = "";
        if (gpus > 1 && value >= gpus && value % gpus == 0) {
            (void)snprintf(remark, sizeof remark, ", %" PRIu64 " per GPU", value / gpus);
        }
        if (variable->known) {
            judge_export(self, variable, value == one || value == other, mls_str_from(said), remark);
        }
    }
}

static void compare_number(const comparison *self, const char *exports, uint64_t number, const char *before,
                           const char *after)
{
    compare_either(self, exports, number, number, number, 0, before, after);
}

/* BATCHSIZE is the batch per GPU or the global one.  Where the benchmark has it global, it agrees as such only. */
static void compare_batches(const comparison *self)
{
    const mls_config_name *name = self->name;
    uint64_t global;
    compare_number(self, MLS_CONFIG_GLOBAL_BATCH, name->global_batch_named, "gbs", "");
    compare_number(self, "MINIBS", name->batch_per_rank, "batch ", " per rank");
    compare_number(self, "MINIBS", name->batch_per_gpu, "batch ", "");
    if (!__builtin_mul_overflow(name->batch_per_gpu, name->gpus, &global)) {
        const uint64_t agrees = mls_config_batch_is_global(self->script) ? global : name->batch_per_gpu;
        compare_either(self, "BATCHSIZE", name->batch_per_gpu, agrees, global, name->gpus, "batch ", " per GPU");
    }
}

/* Only a DGXSYSTEM that has a shape itself can be another one. */
static void compare_system(const comparison *self)
{
    const mls_shell_variable *variable = find_export(self, "DGXSYSTEM");
    const mls_config_name *name = self->name;
    if (name->kind != MLS_CONFIG_KIND_NONE && variable != NULL &&
        (variable->value.len > name->system.len || mls_str_equal(variable->value, name->name))) {
        judge_export(self, variable, mls_str_equal(variable->value, name->name), name->name, "");
    }
}

enum { EXPERT = MLS_DEGREES - 1 };

const char *const mls_degree_letters[MLS_DEGREES] = {"tp", "pp", "cp", "ep"};

static const struct {
    const char *left_out, *name, *long_name, *exports;
} degrees[MLS_DEGREES] = {
    {"no tp, which counts as ", "TP", "TENSOR_MODEL_PARALLEL", MLS_CONFIG_TP},
    {"no pp, which counts as ", "PP", "PIPELINE_MODEL_PARALLEL", MLS_CONFIG_PP},
    {"no cp, which counts as ", "CP", "CONTEXT_PARALLEL", MLS_CONFIG_CP},
    {"no ep, which counts as ", "EP", "EXPERT_PARALLEL", MLS_CONFIG_EP},
};

/* The words before the number that a name gives, or that counts as its. */
static const char *before_degree(size_t index, uint64_t named)
{
    return named != 0 ? mls_degree_letters[index] : degrees[index].left_out;
}

void mls_config_compare_printed(const mls_config_name *name, const uint32_t printed[MLS_DEGREES], const char *path,
                                mls_findings *findings)
{
    uint64_t named[MLS_DEGREES];
    mls_config_name_degrees(name, named);
    for (size_t i = 0; i < MLS_DEGREES && mls_config_has_degrees(name); i++) {
        const uint64_t degree = named[i] != 0 ? named[i] : 1;
        if (printed[i] != 0 && printed[i] != degree) {
            mls_findings_add(findings, MLS_FINDING_CONFIG_DISAGREES, (mls_finding_place){.path = path},
                             "name says %s%" PRIu64 ", the job printed %s%" PRIu32, before_degree(i, named[i]), degree,
                             mls_degree_letters[i], printed[i]);
        }
    }
}

/* One left out in the name counts as 1 where one of them is there, and in the text if it is read whole. */
static void compare_degree(const comparison *self, size_t index, uint64_t named)
{
    mls_str exports = mls_str_from(degrees[index].exports);
    const char *before = before_degree(index, named);
    const uint64_t degree = named != 0 ? named : 1;
    const bool set = !self->script->complete || next_set(self, &exports) != NULL;
    compare_number(self, degrees[index].exports, degree, before, "");
    if (index == EXPERT && named == 0 && !set) {
        return; /* most models have no experts */
    }
    if (!set && degree == 1) {
        self->summary->absent[self->summary->absent_count++] = degrees[index].name;
    } else if (!set) {
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_DISAGREES,
                         (mls_finding_place){.key = mls_str_from(degrees[index].name)},
                         "name says %s%" PRIu64 ", text does not set %s or %s", before, named, degrees[index].name,
                         degrees[index].long_name);
    }
}

/* The number of the first of a list of exports that is set. */
static uint64_t first_number(const comparison *self, const char *exports)
{
    mls_str names = mls_str_from(exports);
    return exported_number(next_set(self, &names));
}

/* How uneven stages are laid out, which must be a whole number of chunks for each stage. */
static void check_pipeline_layout(const comparison *self)
{
    mls_str exports = mls_str_from(MLS_CONFIG_LAYOUT);
    const mls_shell_variable *variable = next_set(self, &exports);
    if (variable == NULL || !variable->known || !mls_shell_is_set(variable)) {
        return;
    }
    mls_pipeline_layout *layout = &self->summary->layout;
    const char *wrong = mls_pipeline_layout_parse(variable->value, layout);
    const uint64_t set = first_number(self, MLS_CONFIG_PP);
    const uint64_t stages = set != 0 ? set : self->name->pipeline_parallel;
    const uint64_t chunks = first_number(self, MLS_CONFIG_VP);
    if (wrong != NULL) {
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_PARALLEL, export_place(self, variable), "%.*s=%.*s: %s",
                         (int)variable->name.len, variable->name.ptr, MLS_CUT(variable->value, 60), wrong);
    } else if (stages > 0 && layout->count % stages != 0) {
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_PARALLEL, export_place(self, variable),
                         "%.*s has %zu chunks, which %" PRIu64 " pipeline stages do not divide",
                         (int)variable->name.len, variable->name.ptr, layout->count, stages);
    } else if (stages > 0 && chunks > 0 && layout->count / stages != chunks) {
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_PARALLEL, export_place(self, variable),
                         "%.*s has %zu chunks for each of %" PRIu64 " stages, the virtual pipeline %" PRIu64,
                         (int)variable->name.len, variable->name.ptr, layout->count / stages, stages, chunks);
    }
}

static void check_parallel(const comparison *self)
{
    const mls_shell_variable *variable = NULL;
    uint64_t total;
    uint64_t product = 1;
    bool known = !__builtin_mul_overflow(first_number(self, MLS_CONFIG_NODES),
                                         first_number(self, MLS_CONFIG_GPUS_PER_NODE), &total);
    for (size_t i = 0; i < EXPERT && known; i++) {
        mls_str exports = mls_str_from(degrees[i].exports);
        const mls_shell_variable *found = next_set(self, &exports);
        const uint64_t degree = found == NULL && self->script->complete ? 1 : exported_number(found);
        known = degree != 0 && !__builtin_mul_overflow(product, degree, &product);
        variable = degree > 1 ? found : variable;
    }
    if (known && variable != NULL && total % product != 0) {
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_PARALLEL, export_place(self, variable),
                         "tensor x pipeline x context parallel is %" PRIu64 ", which does not divide %" PRIu64 " GPUs",
                         product, total);
    }
}

/* Slurm's times in seconds: minutes[:seconds], hours:minutes:seconds, days-hours[:minutes[:seconds]]. */
static bool read_time(const mls_shell_variable *variable, uint64_t *seconds)
{
    mls_str rest = variable != NULL ? variable->value : MLS_S("");
    const bool days = mls_str_contains(rest, MLS_S("-"));
    size_t count = 0;
    *seconds = 0;
    for (bool more = true; more; count++) {
        mls_str piece;
        size_t number;
        more = mls_str_cut(&rest, days && count == 0 ? '-' : ':', &piece);
        if (count == (days ? 4 : 3) || !mls_size_parse(piece, &number) || number > 1000000000) {
            return false;
        }
        *seconds = *seconds * (days && count == 1 ? 24 : 60) + number;
    }
    for (; count < (days ? 4 : 2); count++) {
        *seconds *= 60;
    }
    return true;
}

static void check_walltime(const comparison *self)
{
    const mls_shell_variable *job = find_export(self, "WALLTIME");
    const mls_shell_variable *run = find_export(self, "WALLTIME_RUNANDTIME");
    uint64_t job_seconds;
    uint64_t run_seconds;
    if (read_time(job, &job_seconds) && read_time(run, &run_seconds) && job_seconds < run_seconds) {
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_WALLTIME, export_place(self, job),
                         "WALLTIME=%.*s is shorter than WALLTIME_RUNANDTIME=%.*s (line %zu)", (int)job->value.len,
                         job->value.ptr, (int)run->value.len, run->value.ptr, run->line);
    }
}

static uint64_t node_count(const comparison *self)
{
    mls_str names = mls_str_from(MLS_CONFIG_NODES);
    const mls_shell_variable *nodes = next_set(self, &names);
    return nodes != NULL ? exported_number(nodes) : self->name->nodes;
}

static void check_segment(const comparison *self)
{
    const mls_shell_variable *segment = find_export(self, "SEGMENT");
    const uint64_t nodes = node_count(self);
    size_t size;
    if (nodes > 0 && segment != NULL && mls_size_parse(segment->value, &size) && (size == 0 || nodes % size != 0)) {
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_SEGMENT, export_place(self, segment),
                         "SEGMENT=%zu does not fit %" PRIu64 " node%s", size, nodes, nodes == 1 ? "" : "s");
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
        const mls_shell_variable *variable = find_export(self, unwise[i].name);
        if (variable != NULL && variable->value.len == strlen(unwise[i].value) &&
            strncasecmp(variable->value.ptr, unwise[i].value, variable->value.len) == 0 &&
            !(one_node && unwise[i].several_nodes)) {
            mls_findings_add(self->findings, MLS_FINDING_CONFIG_ENVIRONMENT, export_place(self, variable), "%s=%s: %s",
                             unwise[i].name, unwise[i].value, unwise[i].why);
        }
    }
}

static void check_threads(const comparison *self)
{
    const uint64_t ranks = first_number(self, MLS_CONFIG_GPUS_PER_NODE);
    if (ranks >= 8 && self->script->complete && find_export(self, "OMP_NUM_THREADS") == NULL) {
        mls_findings_add(
            self->findings, MLS_FINDING_CONFIG_ENVIRONMENT, (mls_finding_place){.key = MLS_S("OMP_NUM_THREADS")},
            "OMP_NUM_THREADS is not set: each of %" PRIu64 " ranks on a node may start a thread per processor", ranks);
    }
}

static void compare_text(const comparison *self)
{
    const mls_config_name *name = self->name;
    uint64_t named[MLS_DEGREES];
    mls_config_name_degrees(name, named);
    compare_system(self);
    compare_number(self, MLS_CONFIG_NODES, name->nodes, "", name->nodes == 1 ? " node" : " nodes");
    compare_number(self, MLS_CONFIG_GPUS_PER_NODE, name->gpus_per_node, "",
                   name->gpus_per_node == 1 ? " GPU a node" : " GPUs a node");
    compare_batches(self);
    for (size_t i = 0; i < MLS_DEGREES && mls_config_has_degrees(name); i++) {
        compare_degree(self, i, named[i]);
    }
    if (name->kind != MLS_CONFIG_KIND_NONE) {
        check_parallel(self);
        check_pipeline_layout(self);
        check_walltime(self);
        check_segment(self);
        check_threads(self);
    }
    check_environment(self);
}

void mls_config_compare(const mls_config_name *name, const mls_shell *script, mls_config_summary *summary,
                        mls_findings *findings)
{
    *summary = (mls_config_summary){0};
    mls_config_batch(name, script, summary);
    if (name->problem != NULL) {
        mls_findings_add(findings, MLS_FINDING_CONFIG_NAME, (mls_finding_place){0}, "%s", name->problem);
    }
    if (script != NULL) {
        const comparison self = {name, script, summary, findings};
        compare_text(&self);
    }
}
