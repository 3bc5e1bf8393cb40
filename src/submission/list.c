/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c - all findings of a submitter, whatever owns them, in one order.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mlscore/submission.h"

/* What is done with one owner's list. */
typedef struct owner_visit {
    void (*visit)(struct owner_visit *owners, const mls_findings *findings, mls_placed_finding owner);
    mls_placed_finding *items; /* NULL: they are only counted */
    size_t count;
    mls_finding_code code;
} owner_visit;

static void visit_submitter(owner_visit *owners, const mls_submitter *submitter)
{
    mls_placed_finding owner = {.path = *submitter->path != '\0' ? submitter->path : "."};
    owners->visit(owners, &submitter->findings, owner);
    for (size_t i = 0; i < submitter->system_count; i++) {
        owner.system = &submitter->systems[i];
        owners->visit(owners, &owner.system->findings, owner);
    }
    owner.system = NULL;
    for (size_t i = 0; i < submitter->result_count; i++) {
        owner.result = &submitter->results[i];
        owner.path = owner.result->path;
        owners->visit(owners, &owner.result->findings, owner);
        for (size_t k = 0; k < owner.result->run_count; k++) {
            owner.path = owner.result->runs[k].file.path;
            owners->visit(owners, &owner.result->runs[k].run.findings, owner);
        }
    }
}

static void take_findings(owner_visit *owners, const mls_findings *findings, mls_placed_finding owner)
{
    for (size_t i = 0; i < findings->count && owners->items != NULL; i++) {
        mls_placed_finding *item = &owners->items[owners->count + i];
        *item = owner;
        item->finding = &findings->items[i];
        item->path = item->finding->path != NULL ? item->finding->path : owner.path;
    }
    owners->count += findings->count;
}

static void count_unkept(owner_visit *owners, const mls_findings *findings, mls_placed_finding owner)
{
    const size_t found = findings->found[owners->code];
    (void)owner;
    owners->count += found > MLS_FINDINGS_KEPT_PER_CODE ? found - MLS_FINDINGS_KEPT_PER_CODE : 0;
}

static int compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

/* The worst first, then by place. */
static int compare_placed(const void *left, const void *right)
{
    const mls_placed_finding *placed_a = left;
    const mls_placed_finding *placed_b = right;
    const mls_finding *a = placed_a->finding;
    const mls_finding *b = placed_b->finding;
    int order = (int)a->severity - (int)b->severity;
    if (order == 0) {
        order = mls_str_compare_natural(mls_str_from(placed_a->path), mls_str_from(placed_b->path));
    }
    order = order != 0 ? order : compare_sizes(a->line, b->line);
    order = order != 0 ? order : compare_sizes(a->column, b->column);
    order = order != 0 ? order : (int)a->code - (int)b->code;
    return order != 0 ? order : mls_str_compare(mls_str_from(a->message), mls_str_from(b->message));
}

mls_status mls_submitter_list(const mls_submitter *submitter, mls_placed_finding **items, size_t *count)
{
    owner_visit owners = {.visit = take_findings};
    size_t bytes;
    visit_submitter(&owners, submitter);
    *items = mls_size_mul(owners.count + 1, sizeof **items, &bytes) ? malloc(bytes) : NULL;
    *count = 0;
    if (*items == NULL) {
        return MLS_ERROR_MEMORY;
    }
    owners = (owner_visit){.visit = take_findings, .items = *items};
    visit_submitter(&owners, submitter);
    qsort(*items, owners.count, sizeof **items, compare_placed);
    *count = owners.count;
    return MLS_OK;
}

size_t mls_submitter_unkept(const mls_submitter *submitter, mls_finding_code code)
{
    owner_visit owners = {.visit = count_unkept, .code = code};
    visit_submitter(&owners, submitter);
    return owners.count;
}
