/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.c - descriptions are checked with the grammar that logs are checked
 * with, because it is the one the package checker's reader has.
 */
#include "submission/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "mlscore/value.h"

static const mls_str required_fields[] = {
    MLS_STR("submitter"),
    MLS_STR("division"),
    MLS_STR("status"),
    MLS_STR("system_name"),
    MLS_STR("number_of_nodes"),
    MLS_STR("host_processors_per_node"),
    MLS_STR("host_processor_model_name"),
    MLS_STR("host_processor_core_count"),
    MLS_STR("host_processor_vcpu_count"),
    MLS_STR("host_processor_frequency"),
    MLS_STR("host_processor_caches"),
    MLS_STR("host_processor_interconnect"),
    MLS_STR("host_memory_capacity"),
    MLS_STR("host_storage_type"),
    MLS_STR("host_storage_capacity"),
    MLS_STR("host_networking"),
    MLS_STR("host_networking_topology"),
    MLS_STR("host_memory_configuration"),
    MLS_STR("accelerators_per_node"),
    MLS_STR("accelerator_model_name"),
    MLS_STR("accelerator_host_interconnect"),
    MLS_STR("accelerator_frequency"),
    MLS_STR("accelerator_on-chip_memories"),
    MLS_STR("accelerator_memory_configuration"),
    MLS_STR("accelerator_memory_capacity"),
    MLS_STR("accelerator_interconnect"),
    MLS_STR("accelerator_interconnect_topology"),
    MLS_STR("cooling"),
    MLS_STR("hw_notes"),
    MLS_STR("framework"),
    MLS_STR("other_software_stack"),
    MLS_STR("operating_system"),
    MLS_STR("sw_notes"),
};

static const mls_str statuses[] = {
    MLS_STR("Available on-premise"),
    MLS_STR("Available cloud"),
    MLS_STR("Preview"),
    MLS_STR("Research, Development, or Internal (RDI)"),
};

bool mls_system_judged(const mls_edition *edition)
{
    return edition->number >= MLS_EDITION_NUMBER(1, 0, 0);
}

/* ------------------------------------------------------------------ JSON */

/* The offset of the first byte that is no part of valid UTF-8; SIZE_MAX when there is none. */
static size_t mls_text_invalid_utf8(mls_str text)
{
    for (size_t at = 0; at < text.len;) {
        const size_t start = at;
        if (mls_utf8_next(text, &at) < 0) {
            return start;
        }
    }
    return SIZE_MAX;
}

/* Finds the object that the text is.  Returns NULL or what is wrong at *wrong. */
static const char *mls_text_object(mls_str text, mls_arena *arena, mls_str *object, size_t *wrong)
{
    *wrong = mls_text_invalid_utf8(text);
    if (*wrong != SIZE_MAX) {
        return "not UTF-8";
    }
    const char *reason = mls_json_validate(text, arena, object, wrong);
    return reason != NULL || *object->ptr == '{' ? reason : "not an object";
}

/* ---------------------------------------------------------------- fields */

/* The text of a member: a string decoded, anything else as written; NULL when it is not there. */
static mls_status mls_system_text(mls_str object, const char *name, mls_arena *arena, char **text)
{
    mls_str span;
    mls_str decoded;
    if (!mls_json_member(object, mls_str_from(name), &span)) {
        return MLS_OK;
    }
    if (mls_json_kind_of(span) == MLS_JSON_STRING) {
        if (!mls_json_string(span, arena, &decoded)) {
            return MLS_ERROR_MEMORY;
        }
        span = decoded;
    }
    *text = mls_copy_text(span.ptr, span.len);
    return *text != NULL ? MLS_OK : MLS_ERROR_MEMORY;
}

static void mls_system_check_fields(const mls_system *system, mls_str object, mls_findings *findings)
{
    for (size_t i = 0; i < sizeof required_fields / sizeof *required_fields; i++) {
        mls_str span;
        if (!mls_json_member(object, required_fields[i], &span)) {
            mls_findings_add(findings, MLS_FINDING_SYSTEM_FIELD,
                             (mls_finding_place){.path = system->path, .key = required_fields[i]},
                             "the field '%s' is missing", required_fields[i].ptr);
        }
    }
}

static void mls_system_check_status(const mls_system *system, const mls_edition *edition, mls_findings *findings)
{
    if (system->status == NULL || edition->number < MLS_EDITION_NUMBER(4, 0, 0)) {
        return;
    }
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        if (mls_str_equal(mls_str_from(system->status), statuses[i])) {
            return;
        }
    }
    mls_findings_add(findings, MLS_FINDING_SYSTEM_STATUS,
                     (mls_finding_place){.path = system->path, .key = MLS_S("status")},
                     "the status '%.80s' is not one of '%s', '%s', '%s', '%s'", system->status, statuses[0].ptr,
                     statuses[1].ptr, statuses[2].ptr, statuses[3].ptr);
}

static void mls_system_check_division(const mls_system *system, mls_findings *findings)
{
    if (system->division != NULL && strcmp(system->division, "closed") != 0 && strcmp(system->division, "open") != 0) {
        mls_findings_add(findings, MLS_FINDING_DIVISION_SPELLING,
                         (mls_finding_place){.path = system->path, .key = MLS_S("division")},
                         "the division is spelled '%.40s': seeds and convergence are not checked", system->division);
    }
}

static mls_status mls_system_fill(mls_system *system, mls_str object)
{
    mls_arena arena = {0};
    const struct {
        const char *name;
        char **text;
    } texts[] = {
        {"submitter", &system->submitter},
        {"division", &system->division},
        {"status", &system->status},
        {"number_of_nodes", &system->number_of_nodes},
        {"accelerators_per_node", &system->accelerators_per_node},
        {"accelerator_model_name", &system->accelerator_model_name},
    };
    mls_status status = MLS_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && status == MLS_OK; i++) {
        status = mls_system_text(object, texts[i].name, &arena, texts[i].text);
    }
    mls_arena_release(&arena);
    return status;
}

mls_status mls_system_judge(mls_system *system, mls_str text, const mls_edition *edition, mls_findings *findings)
{
    mls_arena arena = {0};
    mls_str object = {0};
    size_t wrong;
    const size_t errors = findings->counts.error;
    mls_status status = MLS_OK;
    const char *reason = mls_text_object(text, &arena, &object, &wrong);
    if (reason == mls_reason_memory) {
        return MLS_ERROR_MEMORY;
    }
    if (reason != NULL) {
        mls_finding_place place = {.path = system->path};
        mls_text_position(text, wrong, &place.line, &place.column);
        mls_findings_add(findings, MLS_FINDING_SYSTEM_JSON, place, "not JSON: %s", reason);
    } else {
        status = mls_system_fill(system, object);
        mls_system_check_fields(system, object, findings);
        mls_system_check_status(system, edition, findings);
        mls_system_check_division(system, findings);
    }
    system->valid = findings->counts.error == errors;
    mls_arena_release(&arena);
    return status;
}

mls_status mls_system_read(mls_system *system, const mls_tree *tree, const mls_tree_file *file,
                           const mls_edition *edition, mls_findings *findings)
{
    mls_buffer text = {0};
    mls_error error = {0};
    int system_errno = 0;
    if (!file->readable) {
        return MLS_OK;
    }
    const int fd = mls_tree_open(tree, file);
    system_errno = errno;
    mls_status status = fd >= 0 ? mls_read_all(fd, MLS_SYSTEM_BYTES_MAX, &text, &system_errno) : MLS_ERROR_READ;
    if (fd >= 0) {
        (void)close(fd);
    }
    if (status == MLS_OK) {
        status = mls_system_judge(system, mls_buffer_str(&text), edition, findings);
    } else if (status == MLS_ERROR_LIMIT) {
        mls_findings_add(findings, MLS_FINDING_SYSTEM_JSON, (mls_finding_place){.path = system->path},
                         "larger than %zu bytes; not read", MLS_SYSTEM_BYTES_MAX);
        status = MLS_OK;
    } else if (status == MLS_ERROR_READ) {
        (void)mls_error_set_errno(&error, status, system_errno, "%s", "cannot be read");
        mls_findings_add(findings, MLS_FINDING_UNREADABLE, (mls_finding_place){.path = system->path}, "%s",
                         error.message);
        status = MLS_OK;
    }
    mls_buffer_release(&text);
    return status;
}

void mls_system_release(mls_system *system)
{
    free(system->name);
    free(system->path);
    free(system->submitter);
    free(system->division);
    free(system->status);
    free(system->number_of_nodes);
    free(system->accelerators_per_node);
    free(system->accelerator_model_name);
}
