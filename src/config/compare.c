/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - check the name of a config against its text: the samples per step, contradictions, and settings that cost
 * speed or break runs.
 *
 * It is not documented which settings determine the batch size of a benchmark.  find_batch() considers them in the
 * order that agrees with the logs of published configs.  A file whose name does not contain a shape (nodes and GPUs per
 * node) is sourced by other configs, so missing or inconsistent settings in it are not reported. */
#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

#include "base/file.h"
#include "base/number.h"
#include "base/utf8.h"
#include "config/config.h"

/* Indexes of `degrees`: tp, pp, cp and ep as in mls_degree_letters, then the virtual pipeline. */
enum { EXPERT = MLS_DEGREES - 1, VIRTUAL, DEGREES };

static const struct {
    const char *left_out, *name, *long_name, *exports;
    mls_config_part part;
    uint64_t otherwise; /* the value of this degree if the script sets another degree but not this one; 0: unknown */
} degrees[DEGREES] = {
    {"no tp, which counts as ", "TP", "TENSOR_MODEL_PARALLEL", MLS_CONFIG_TP, MLS_CONFIG_PART_TP, 1},
    {"no pp, which counts as ", "PP", "PIPELINE_MODEL_PARALLEL", MLS_CONFIG_PP, MLS_CONFIG_PART_PP, 1},
    {"no cp, which counts as ", "CP", "CONTEXT_PARALLEL", MLS_CONFIG_CP, MLS_CONFIG_PART_CP, 1},
    {"no ep, which counts as ", "EP", "EXPERT_PARALLEL", MLS_CONFIG_EP, MLS_CONFIG_PART_EP, 0},
    {NULL, NULL, NULL, MLS_CONFIG_VP, MLS_CONFIG_PART_VP, 0},
};

const char *const mls_degree_letters[MLS_DEGREES] = {"tp", "pp", "cp", "ep"};

/* ---- the batch ---- */

/* A number that the script exports.  An empty value and "null" count as unset.  If the value is not a number, for
 * example an expression, `set` is true and `value` is 0. */
typedef struct setting {
    bool set;
    uint64_t value; /* 0: unknown */
} setting;

static setting read_setting(const mls_shell *script, const char *names)
{
    mls_str left = mls_str_from(names);
    for (mls_str name = mls_str_word(&left); name.len > 0 && script != NULL; name = mls_str_word(&left)) {
        const mls_shell_variable *variable = mls_shell_find(script, name);
        size_t number = 0;
        if (variable != NULL && mls_shell_is_set(variable))
            return (setting){true, variable->known && mls_size_parse(variable->value, &number) ? number : 0};
    }
    return (setting){0};
}

/* Return the value of the first variable in the list `names` that the script sets.  If the script sets none of them,
 * return `named`, the number from the name. */
static uint64_t setting_or(const mls_shell *script, const char *names, uint64_t named)
{
    const setting set = read_setting(script, names);
    return set.set ? set.value : named;
}

/* Return a * b.  Return 0 (unknown) if a factor is 0 or the product overflows. */
static uint64_t product_of(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? 0 : product;
}

/* Return the number of data-parallel ranks, GPUs / (tp x pp x cp), with the degrees from the script or else from the
 * name.  Return 0 if the quotient is unknown or not an integer. */
static uint64_t data_parallel_of(const mls_config_name *name, const mls_shell *script, uint64_t gpus)
{
    uint64_t named[MLS_DEGREES];
    uint64_t model_parallel = 1;
    mls_config_name_degrees(name, named);
    for (size_t i = 0; i < EXPERT; i++) {
        model_parallel =
            product_of(model_parallel, setting_or(script, degrees[i].exports, named[i] != 0 ? named[i] : 1));
    }
    return model_parallel != 0 && gpus % model_parallel == 0 ? gpus / model_parallel : 0;
}

static const char batch_exports[] = "BATCHSIZE BATCH_SIZE LOCAL_BATCH_SIZE";

/* Check whether BATCHSIZE is the batch of all GPUs together, as it is for HugeCTR, which trains recommenders.  A script
 * is for HugeCTR if it sets a variable that only HugeCTR uses, or is in a folder called hugectr or dlrm*. */
static bool batch_is_global(const mls_shell *script)
{
    mls_str exports = MLS_S("BATCHSIZE_EVAL SHARDING_PLAN DP_SHARDING_THRESHOLD MEM_COMM_BW_RATIO");
    for (mls_str name = mls_str_word(&exports); name.len > 0; name = mls_str_word(&exports))
        if (mls_shell_find(script, name) != NULL)
            return true;
    mls_str path = mls_path_folder(mls_str_from(script->path));
    mls_str folder;
    for (bool more = true; more;) {
        more = mls_str_cut(&path, '/', &folder);
        if (mls_str_equal(folder, MLS_S("hugectr")) || mls_str_starts(folder, MLS_S("dlrm")))
            return true;
    }
    return false;
}

/* Check whether BATCHSIZE is the batch of one GPU. */
static bool is_of_one_gpu(const mls_config_name *name, const mls_shell *script, uint64_t batch)
{
    /* Among published configs, the largest batch of one GPU is 4,096, and the smallest of all GPUs of a recommender is
     * 28,000. */
    enum { ONE_GPU_MAX = 16384 };
    const bool named = name->batch_per_gpu != 0;
    return !batch_is_global(script) && batch <= ONE_GPU_MAX &&
           (named ? batch / 2 < name->batch_per_gpu : !read_setting(script, MLS_CONFIG_MICRO_BATCH).set);
}

/* Find the number of samples per step; if `script` is NULL, from the name alone.  Use the first of these values that is
 * given: the exported global batch; MINIBS times the number of data-parallel ranks; the global batch of the name;
 * BATCHSIZE.  BATCHSIZE is the batch of all GPUs for recommenders, or if it is too large for one GPU.  Otherwise it is
 * the batch of one GPU, and is multiplied by the number of GPUs and by the number of samples packed into one.
 *
 * The result is 0 (unknown) if the value of an export is unknown, or if BATCHSIZE may be either the batch of one GPU or
 * of all GPUs.  It is also 0 if BATCHSIZE is 1 per GPU, since some GPUs may then only run evaluations. */
static void find_batch(const mls_config_name *name, const mls_shell *script, mls_config_summary *summary)
{
    const uint64_t gpus = product_of(setting_or(script, MLS_CONFIG_NODES, name->nodes),
                                     setting_or(script, MLS_CONFIG_GPUS_PER_NODE, name->gpus_per_node));
    const setting global = read_setting(script, MLS_CONFIG_GLOBAL_BATCH);
    const setting minibatch = read_setting(script, "MINIBS");
    const setting batch = read_setting(script, batch_exports);
    const uint64_t ranks = data_parallel_of(name, script, gpus);
    const uint64_t micro = setting_or(script, MLS_CONFIG_MICRO_BATCH, 0);
    if (global.set) {
        summary->global_batch_size = global.value;
    } else if (minibatch.set) {
        summary->global_batch_size = product_of(minibatch.value, ranks);
    } else if (name->global_batch_size != 0) {
        summary->global_batch_size = name->global_batch_size;
    } else if (batch.set && is_of_one_gpu(name, script, batch.value)) {
        bool packed = false;
        for (size_t i = 0; i < name->suffix_count; i++)
            packed = packed || mls_str_equal(name->suffixes[i], MLS_S("pack"));
        const uint64_t packing = packed ? 2 : setting_or(script, "PACKING_FACTOR", 1);
        summary->global_batch_size = batch.value > 1 ? product_of(product_of(batch.value, gpus), packing) : 0;
    } else if (batch.set) {
        const uint64_t at_once = product_of(micro, ranks);
        const bool whole = name->batch_per_gpu != 0 ? batch.value >= product_of(name->batch_per_gpu, gpus)
                                                    : at_once != 0 && batch.value % at_once == 0;
        summary->global_batch_size = whole || batch_is_global(script) ? batch.value : 0;
    }
    uint64_t samples = minibatch.set ? minibatch.value : name->batch_per_rank;
    if (samples == 0 && !minibatch.set && ranks != 0 && (global.set || name->global_batch_named != 0) &&
        summary->global_batch_size % ranks == 0)
        samples = summary->global_batch_size / ranks;
    summary->samples_per_rank = samples;
    summary->micro_batch_size = micro;
    summary->gradient_accumulation = micro != 0 && samples % micro == 0 ? samples / micro : 0;
}

/* ---- numbers that the text gives instead of the name ---- */

const char *const mls_config_parts[] = {
#define PART_NAME(id, member) #member,
    MLS_CONFIG_PARTS(PART_NAME)
#undef PART_NAME
};

/* Set a number that the name omits, and record that it is from the script. */
static void take_number(mls_config_name *name, mls_config_part part, uint64_t number)
{
    uint64_t *const members[] = {
#define PART_MEMBER(id, member) &name->member,
        MLS_CONFIG_PARTS(PART_MEMBER)
#undef PART_MEMBER
    };
    if (*members[part] == 0 && number != 0) {
        *members[part] = number;
        name->from_text |= 1U << part;
    }
}

void mls_config_name_take_text(mls_config_name *name, const mls_shell *script, const mls_config_summary *summary)
{
    if (name->kind == MLS_CONFIG_KIND_SHAPE || script == NULL)
        return;
    take_number(name, MLS_CONFIG_PART_NODES, read_setting(script, MLS_CONFIG_NODES).value);
    take_number(name, MLS_CONFIG_PART_GPUS_PER_NODE, read_setting(script, MLS_CONFIG_GPUS_PER_NODE).value);
    take_number(name, MLS_CONFIG_PART_GPUS, product_of(name->nodes, name->gpus_per_node));
    const bool named = mls_config_has_degrees(name);
    bool some = named;
    for (size_t i = 0; i < DEGREES && !some; i++)
        some = read_setting(script, degrees[i].exports).value != 0;
    if (!some) {
        const uint64_t batch = read_setting(script, batch_exports).value;
        const uint64_t one = batch != 0 && is_of_one_gpu(name, script, batch) ? batch : 0;
        take_number(name, MLS_CONFIG_PART_BATCH_PER_GPU, setting_or(script, "MINIBS", one));
        return;
    }
    for (size_t i = 0; i < DEGREES && !named; i++)
        take_number(name, degrees[i].part, setting_or(script, degrees[i].exports, degrees[i].otherwise));
    take_number(name, MLS_CONFIG_PART_DATA_PARALLEL, data_parallel_of(name, script, name->gpus));
    take_number(name, MLS_CONFIG_PART_BATCH_PER_RANK, summary->samples_per_rank);
}

/* ---- the name against the text ---- */

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

/* Return the number of an export; 0 if it is unset, unknown or not a number. */
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

/* Record that an exported variable agrees with the name, or add a finding that it disagrees.  `said` is the text in the
 * name, and `remark` is appended to the finding. */
static void judge_export(const comparison *self, const mls_shell_variable *variable, bool agrees, mls_str said,
                         const char *remark)
{
    if (agrees) {
        if (self->summary->agreeing_count < MLS_CONFIG_AGREEING_MAX)
            self->summary->agreeing[self->summary->agreeing_count++] = variable;
    } else {
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_DISAGREES, export_place(self, variable),
                         "name says %.*s, text exports %.*s=%.*s%s", (int)said.len, said.ptr, (int)variable->name.len,
                         variable->name.ptr, MLS_CUT(variable->value, 80), remark);
    }
}

/* Return the next variable in the list *exports that the script sets, and remove it from the list; return NULL at the
 * end. */
static const mls_shell_variable *next_set(const comparison *self, mls_str *exports)
{
    for (mls_str name = mls_str_word(exports); name.len > 0; name = mls_str_word(exports)) {
        const mls_shell_variable *variable = mls_shell_find(self->script, name);
        if (variable != NULL)
            return variable;
    }
    return NULL;
}

/* Check that each variable in the list `exports` that the script sets equals `one` or `other`.  A finding quotes the
 * name as `before`, `number`, `after`, such as "batch 2 per GPU"; if `number` is 0, nothing is checked.  If `gpus` is
 * not 0, a variable may be a total over this number of GPUs, so a finding also contains its value per GPU. */
static void compare_either(const comparison *self, const char *exports, uint64_t number, uint64_t one, uint64_t other,
                           uint64_t gpus, const char *before, const char *after)
{
    mls_str names = mls_str_from(number != 0 ? exports : "");
    char said[80];
    (void)snprintf(said, sizeof said, "%s%" PRIu64 "%s", before, number, after);
    for (const mls_shell_variable *variable; (variable = next_set(self, &names)) != NULL;) {
        const uint64_t value = exported_number(variable);
        char remark[80] = "";
        if (gpus > 1 && value >= gpus && value % gpus == 0)
            (void)snprintf(remark, sizeof remark, ", %" PRIu64 " per GPU", value / gpus);
        if (variable->known)
            judge_export(self, variable, value == one || value == other, mls_str_from(said), remark);
    }
}

static void compare_number(const comparison *self, const char *exports, uint64_t number, const char *before,
                           const char *after)
{
    compare_either(self, exports, number, number, number, 0, before, after);
}

/* Return the text to print before a degree: its letters if the name contains the degree, else a text such as "no tp,
 * which counts as ". */
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

/* Return the number of the first variable in the list `exports` that the script sets. */
static uint64_t first_number(const comparison *self, const char *exports)
{
    mls_str names = mls_str_from(exports);
    return exported_number(next_set(self, &names));
}

/* Parse a Slurm time limit into seconds: minutes[:seconds], hours:minutes:seconds, days-hours[:minutes[:seconds]]. */
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
        if (count == (days ? 4 : 3) || !mls_size_parse(piece, &number) || number > 1000000000)
            return false;
        *seconds = *seconds * (days && count == 1 ? 24 : 60) + number;
    }
    for (; count < (days ? 4 : 2); count++)
        *seconds *= 60;
    return true;
}

static uint64_t node_count(const comparison *self)
{
    mls_str names = mls_str_from(MLS_CONFIG_NODES);
    const mls_shell_variable *nodes = next_set(self, &names);
    return nodes != NULL ? exported_number(nodes) : self->name->nodes;
}

/* Check that the numbers of a name with a shape fit together: the degrees divide the GPUs, the chunks of a pipeline
 * layout are a multiple of its stages and match the virtual pipeline, and so on. */
static void check_shape(const comparison *self)
{
    const mls_shell_variable *last = NULL; /* variable of the last degree that is greater than 1 */
    uint64_t total;
    uint64_t product = 1;
    bool known = !__builtin_mul_overflow(first_number(self, MLS_CONFIG_NODES),
                                         first_number(self, MLS_CONFIG_GPUS_PER_NODE), &total);
    for (size_t i = 0; i < EXPERT && known; i++) {
        mls_str exports = mls_str_from(degrees[i].exports);
        const mls_shell_variable *found = next_set(self, &exports);
        const uint64_t degree = found == NULL && self->script->complete ? 1 : exported_number(found);
        known = degree != 0 && !__builtin_mul_overflow(product, degree, &product);
        last = degree > 1 ? found : last;
    }
    if (known && last != NULL && total % product != 0) {
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_PARALLEL, export_place(self, last),
                         "tensor x pipeline x context parallel is %" PRIu64 ", which does not divide %" PRIu64 " GPUs",
                         product, total);
    }
    mls_str exports = mls_str_from(MLS_CONFIG_LAYOUT);
    const mls_shell_variable *variable = next_set(self, &exports);
    if (variable != NULL && variable->known && mls_shell_is_set(variable)) {
        mls_pipeline_layout *layout = &self->summary->layout;
        const mls_finding_place place = export_place(self, variable);
        const int length = (int)variable->name.len;
        const char *wrong = mls_pipeline_layout_parse(variable->value, layout);
        const uint64_t set = first_number(self, MLS_CONFIG_PP);
        const uint64_t stages = set != 0 ? set : self->name->pipeline_parallel;
        const uint64_t chunks = first_number(self, MLS_CONFIG_VP);
        if (wrong != NULL) {
            mls_findings_add(self->findings, MLS_FINDING_CONFIG_PARALLEL, place, "%.*s=%.*s: %s", length,
                             variable->name.ptr, MLS_CUT(variable->value, 60), wrong);
        } else if (stages > 0 && layout->count % stages != 0) {
            mls_findings_add(self->findings, MLS_FINDING_CONFIG_PARALLEL, place,
                             "%.*s has %zu chunks, which %" PRIu64 " pipeline stages do not divide", length,
                             variable->name.ptr, layout->count, stages);
        } else if (stages > 0 && chunks > 0 && layout->count / stages != chunks) {
            mls_findings_add(self->findings, MLS_FINDING_CONFIG_PARALLEL, place,
                             "%.*s has %zu chunks for each of %" PRIu64 " stages, the virtual pipeline %" PRIu64,
                             length, variable->name.ptr, layout->count / stages, stages, chunks);
        }
    }
    const mls_shell_variable *job = find_export(self, "WALLTIME");
    const mls_shell_variable *run = find_export(self, "WALLTIME_RUNANDTIME");
    const mls_shell_variable *segment = find_export(self, "SEGMENT");
    const uint64_t nodes = node_count(self);
    const uint64_t ranks = first_number(self, MLS_CONFIG_GPUS_PER_NODE);
    uint64_t job_seconds;
    uint64_t run_seconds;
    size_t size;
    if (read_time(job, &job_seconds) && read_time(run, &run_seconds) && job_seconds < run_seconds) {
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_WALLTIME, export_place(self, job),
                         "WALLTIME=%.*s is shorter than WALLTIME_RUNANDTIME=%.*s (line %zu)", (int)job->value.len,
                         job->value.ptr, (int)run->value.len, run->value.ptr, run->line);
    }
    if (nodes > 0 && segment != NULL && mls_size_parse(segment->value, &size) && (size == 0 || nodes % size != 0)) {
        mls_findings_add(self->findings, MLS_FINDING_CONFIG_SEGMENT, export_place(self, segment),
                         "SEGMENT=%zu does not fit %" PRIu64 " node%s", size, nodes, nodes == 1 ? "" : "s");
    }
    if (ranks >= 8 && self->script->complete && find_export(self, "OMP_NUM_THREADS") == NULL) {
        mls_findings_add(
            self->findings, MLS_FINDING_CONFIG_ENVIRONMENT, (mls_finding_place){.key = MLS_S("OMP_NUM_THREADS")},
            "OMP_NUM_THREADS is not set: each of %" PRIu64 " ranks on a node may start a thread per processor", ranks);
    }
}

/* Settings that cost speed or break runs. */
static const struct {
    const char *name;
    const char *value;  /* compared without case, since NCCL ignores it */
    bool several_nodes; /* report the setting only for a job on several nodes */
    const char *why;
} unwise[] = {
    {"CUDA_LAUNCH_BLOCKING", "1", false, "every kernel waits for the one before it"},
    {"NCCL_IB_DISABLE", "1", true, "nodes talk over Ethernet sockets instead of InfiniBand"},
    {"NCCL_DEBUG", "TRACE", false, "NCCL writes a line for every call"},
    {"NCCL_SOCKET_IFNAME", "lo", true, "nodes cannot reach each other over the loopback interface"},
    {"PYTORCH_NO_CUDA_MEMORY_CACHING", "1", false, "every tensor is allocated and freed by the driver"},
};

void mls_config_compare(const mls_config_name *name, const mls_shell *script, mls_config_summary *summary,
                        mls_findings *findings)
{
    *summary = (mls_config_summary){0};
    const comparison self = {name, script, summary, findings};
    uint64_t named[MLS_DEGREES];
    uint64_t global;
    find_batch(name, script, summary);
    if (name->problem != NULL)
        mls_findings_add(findings, MLS_FINDING_CONFIG_NAME, (mls_finding_place){0}, "%s", name->problem);
    if (script == NULL)
        return;
    const mls_shell_variable *system = find_export(&self, "DGXSYSTEM");
    if (name->kind != MLS_CONFIG_KIND_NONE && system != NULL && /* only a name with a shape is a system's name */
        (system->value.len > name->system.len || mls_str_equal(system->value, name->name)))
        judge_export(&self, system, mls_str_equal(system->value, name->name), name->name, "");
    compare_number(&self, MLS_CONFIG_NODES, name->nodes, "", name->nodes == 1 ? " node" : " nodes");
    compare_number(&self, MLS_CONFIG_GPUS_PER_NODE, name->gpus_per_node, "",
                   name->gpus_per_node == 1 ? " GPU a node" : " GPUs a node");
    compare_number(&self, MLS_CONFIG_GLOBAL_BATCH, name->global_batch_named, "gbs", "");
    compare_number(&self, "MINIBS", name->batch_per_rank, "batch ", " per rank");
    compare_number(&self, "MINIBS", name->batch_per_gpu, "batch ", "");
    /* BATCHSIZE may be the batch per GPU or the global batch.  For a recommender, it must be the global batch. */
    if (!__builtin_mul_overflow(name->batch_per_gpu, name->gpus, &global)) {
        compare_either(&self, "BATCHSIZE", name->batch_per_gpu, batch_is_global(script) ? global : name->batch_per_gpu,
                       global, name->gpus, "batch ", " per GPU");
    }
    mls_config_name_degrees(name, named);
    /* An omitted degree is 1 in a name that contains another degree, and in a script that was read completely. */
    for (size_t i = 0; i < MLS_DEGREES && mls_config_has_degrees(name); i++) {
        mls_str exports = mls_str_from(degrees[i].exports);
        const char *before = before_degree(i, named[i]);
        const uint64_t degree = named[i] != 0 ? named[i] : 1;
        const bool set = !script->complete || next_set(&self, &exports) != NULL;
        compare_number(&self, degrees[i].exports, degree, before, "");
        if (i == EXPERT && named[i] == 0 && !set)
            continue; /* most models do not have experts */
        if (!set && degree == 1) {
            summary->absent[summary->absent_count++] = degrees[i].name;
        } else if (!set) {
            mls_findings_add(findings, MLS_FINDING_CONFIG_DISAGREES,
                             (mls_finding_place){.key = mls_str_from(degrees[i].name)},
                             "name says %s%" PRIu64 ", text does not set %s or %s", before, degree, degrees[i].name,
                             degrees[i].long_name);
        }
    }
    if (name->kind != MLS_CONFIG_KIND_NONE)
        check_shape(&self);
    /* If the number of nodes is unknown, settings that matter only for several nodes are not reported. */
    const bool one_node = node_count(&self) <= 1;
    for (size_t i = 0; i < sizeof unwise / sizeof *unwise; i++) {
        const mls_shell_variable *variable = find_export(&self, unwise[i].name);
        if (variable != NULL && variable->value.len == strlen(unwise[i].value) &&
            strncasecmp(variable->value.ptr, unwise[i].value, variable->value.len) == 0 &&
            !(one_node && unwise[i].several_nodes)) {
            mls_findings_add(findings, MLS_FINDING_CONFIG_ENVIRONMENT, export_place(&self, variable), "%s=%s: %s",
                             unwise[i].name, unwise[i].value, unwise[i].why);
        }
    }
}
