/* SPDX-License-Identifier: Apache-2.0 */
/* sacct_json.c - what `sacct --json` printed.  Its shape changed with Slurm 23.11, and is told by what stands there:
 * a state is a text or a list of texts, a number plain or {"set": true, "infinite": false, "number": 17}. */
#include <cjson/cJSON.h>
#include <math.h>

#include "base/buffer.h"
#include "base/number.h"
#include "score/sacct.h"
#include "json/value.h"

static const cJSON *member(const cJSON *of, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(of, name);
}

static double json_number(const cJSON *value)
{
    if (cJSON_IsObject(value)) {
        const bool known = cJSON_IsTrue(member(value, "set")) && !cJSON_IsTrue(member(value, "infinite"));
        value = known ? member(value, "number") : NULL;
    }
    return value != NULL && cJSON_IsNumber(value) ? value->valuedouble : (double)NAN;
}

/* Of a list the first text. */
static mls_str text_within(const cJSON *value)
{
    value = cJSON_IsArray(value) ? value->child : value;
    return mls_str_from(cJSON_IsString(value) ? value->valuestring : "");
}

/* Slurm writes 0 for a time that has not come. */
static double json_time(const cJSON *times, const char *name)
{
    const double seconds = json_number(member(times, name));
    return seconds > 0 ? seconds * 1000 : (double)NAN;
}

/* Slurm 22.05 says return_code 0 of every job that ended by itself. */
static bool codes_are_right(const cJSON *json)
{
    mls_str version = text_within(member(member(member(json, "meta"), "plugin"), "type"));
    size_t number;
    return !mls_str_after(version, MLS_S("dbv0.0."), &version) || !mls_size_parse(version, &number) || number > 38;
}

static void read_exit(const cJSON *of, bool right, double *code, double *signal)
{
    const cJSON *ended = member(of, "signal");
    const cJSON *number = member(ended, "signal_id");
    *code = right ? json_number(member(of, "return_code")) : (double)NAN;
    *signal = json_number(number != NULL ? number : member(ended, "id"));
    *signal = of != NULL && isnan(*signal) ? 0 : *signal;
}

/* JobID as the table has it: "5_2" of an array's task, "8+1" of a part, else the number. */
static void line_id(mls_buffer *id, const cJSON *job, double number)
{
    const cJSON *array = member(job, "array");
    const cJSON *het = member(job, "het");
    const double array_job = json_number(member(array, "job_id"));
    const double task = json_number(member(array, "task_id"));
    const double part = json_number(member(het, "job_id"));
    const double offset = json_number(member(het, "job_offset"));
    if (array_job > 0 && task >= 0) {
        mls_buffer_printf(id, "%.0f_%.0f", array_job, task);
    } else if (part > 0 && offset >= 0) {
        mls_buffer_printf(id, "%.0f+%.0f", part, offset);
    } else {
        mls_buffer_printf(id, "%.0f", number);
    }
}

static bool add_object(mls_sacct *sacct, const cJSON *job, double number, bool right, const char *source)
{
    mls_slurm_job row = mls_sacct_row(source);
    const cJSON *times = member(job, "time");
    const mls_str nodes = text_within(member(job, "nodes"));
    const mls_str who = text_within(member(job, "kill_request_user"));
    const bool placed = nodes.len > 0 && !mls_str_equal(nodes, MLS_S("None assigned"));
    mls_buffer id = {0};
    mls_buffer raw = {0};
    line_id(&id, job, number);
    mls_buffer_printf(&raw, "%.0f", number);
    row.submit_ms = json_time(times, "submission");
    row.eligible_ms = json_time(times, "eligible");
    row.start_ms = json_time(times, "start");
    row.end_ms = json_time(times, "end");
    row.elapsed_seconds = json_number(member(times, "elapsed"));
    row.limit_seconds = json_number(member(times, "limit")) * 60;
    row.node_count = json_number(member(job, "allocation_nodes"));
    read_exit(member(job, "exit_code"), right, &row.exit_code, &row.signal);
    read_exit(member(job, "derived_exit_code"), right, &row.derived_exit_code, &row.derived_signal);
    row.node_list = placed ? mls_arena_copy(&sacct->arena, nodes).ptr : NULL;
    bool kept = !id.failed && !raw.failed && (row.node_list != NULL || !placed) &&
                mls_sacct_state(sacct, text_within(member(member(job, "state"), "current")), &row) &&
                mls_sacct_id(sacct, mls_buffer_str(&raw), mls_buffer_str(&id), &row);
    if (who.len > 0 && row.cancelled_by == NULL) {
        row.cancelled_by = mls_arena_copy(&sacct->arena, who).ptr;
        kept &= row.cancelled_by != NULL;
    }
    mls_buffer_release(&id);
    mls_buffer_release(&raw);
    return kept && mls_sacct_add(sacct, &row);
}

mls_status mls_sacct_read_json(mls_sacct *sacct, mls_str text, const char *source, mls_error *error)
{
    cJSON *json;
    size_t place = 0;
    mls_status status = mls_json_tree(text, &json, error);
    const cJSON *jobs = status == MLS_OK ? member(json, "jobs") : NULL;
    if (status == MLS_OK && !cJSON_IsArray(jobs)) {
        status = mls_error_set(error, MLS_ERROR_VALUE, 1, 1, "no list 'jobs': not what sacct --json prints");
    }
    const bool right = status == MLS_OK && codes_are_right(json);
    for (const cJSON *job = jobs != NULL ? jobs->child : NULL; job != NULL && status == MLS_OK; job = job->next) {
        const double number = json_number(member(job, "job_id"));
        place++;
        if (!(number > 0 && number < 1e15)) {
            mls_findings_add(&sacct->findings, MLS_FINDING_SACCT_ROW, (mls_finding_place){.path = source},
                             "the object %zu of its jobs has no job_id: it is not used", place);
        } else if (!add_object(sacct, job, number, right, source)) {
            status = mls_error_memory(error);
        }
    }
    cJSON_Delete(json);
    return status == MLS_OK && sacct->findings.out_of_memory ? mls_error_memory(error) : status;
}
