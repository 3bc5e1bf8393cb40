/* SPDX-License-Identifier: Apache-2.0 */
/* pack_scrub.c - scrubbing what was laid out for a pack, and the proof that nothing else changed. */
#include "submission/pack_scrub.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "submission/made.h"

/* What is scrubbed. */
typedef struct scrubbing {
    mls_scrub *scrub;
    mls_pack *pack;
    const char *tree;
    mls_names *made;
    mls_error *error;
} scrubbing;

/* Keeps how often each kind was replaced in a file: `before` more than in those before it. */
static bool count_places(const scrubbing *self, const char *file, const size_t before[static MLS_SCRUB_KIND_COUNT])
{
    bool ok = true;
    for (int kind = 0; kind < MLS_SCRUB_KIND_COUNT; kind++) {
        const size_t places = self->scrub->places[kind] - before[kind];
        const mls_pack_scrubbed row = {file, mls_scrub_kind_name((mls_scrub_kind)kind), places};
        ok = ok && (places == 0 || MLS_ARENA_ADD(self->pack->arena, &self->pack->scrubbed, row));
    }
    return ok;
}

/* Learns from a file that was laid out, or replaces (`write`) what has been learnt. */
static mls_status scrub_file(const scrubbing *self, const char *path, bool write)
{
    mls_scrub *scrub = self->scrub;
    mls_buffer text = {0};
    mls_buffer scrubbed = {0};
    size_t before[MLS_SCRUB_KIND_COUNT];
    const char *file = mls_arena_copy(self->pack->arena, mls_str_from(path + strlen(self->tree) + 1)).ptr;
    mls_status status = file != NULL ? mls_file_read(path, false, MLS_LOG_BYTES_MAX, &text, self->error)
                                     : mls_error_memory(self->error);
    if (status == MLS_OK && !write) {
        mls_scrub_learn(scrub, NULL, mls_buffer_str(&text));
    } else if (status == MLS_OK) {
        memcpy(before, scrub->places, sizeof before);
        scrub->file = file;
        mls_scrub_text(scrub, mls_buffer_str(&text), &scrubbed);
        status = scrubbed.failed || !count_places(self, file, before) ? mls_error_memory(self->error)
                                                                      : mls_scrub_status(scrub, self->error);
        (void)remove(path);
        status =
            status == MLS_OK ? mls_made_file(self->made, path, 0666, mls_buffer_str(&scrubbed), self->error) : status;
    }
    mls_buffer_release(&text);
    mls_buffer_release(&scrubbed);
    return status;
}

/* The files that were laid out, but for a description that was there before, and the code. */
static mls_status scrub_all(const scrubbing *self, bool write)
{
    const mls_str described = mls_str_from(self->pack->described ? self->pack->system : "/");
    const size_t count = self->made->count;
    mls_status status = MLS_OK;
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        struct stat about;
        const char *path = self->made->items[i];
        if (lstat(path, &about) == 0 && S_ISREG(about.st_mode) && !mls_str_ends(mls_str_from(path), described) &&
            !mls_str_starts(mls_str_from(path + strlen(self->tree)), MLS_S("/benchmarks/"))) {
            status = scrub_file(self, path, write);
        }
    }
    return status;
}

static bool are_judged_alike(const mls_run *a, const mls_run *b)
{
    bool alike = a->valid == b->valid && a->records == b->records && a->malformed == b->malformed &&
                 a->status == b->status && mls_run_compare(a, b) == 0 && a->findings.count == b->findings.count &&
                 a->seed_count == b->seed_count;
    for (size_t i = 0; alike && i < a->findings.count; i++) {
        const mls_finding *left = &a->findings.items[i];
        const mls_finding *right = &b->findings.items[i];
        alike = left->code == right->code && left->line == right->line && left->severity == right->severity &&
                mls_str_equal(mls_str_from(left->key), mls_str_from(right->key));
    }
    return alike;
}

mls_status mls_pack_compare(const mls_pack *pack, const mls_submission *before, mls_error *error)
{
    const mls_submission_result *was = before->submitters[0].results;
    const mls_submission_result *is = pack->judged.submitters[0].results;
    const bool both = before->submitters[0].result_count == 1 && pack->judged.submitters[0].result_count == 1 &&
                      was->run_count == is->run_count;
    for (size_t i = 0; both && i < was->run_count; i++) {
        if (!are_judged_alike(&was->runs[i].run, &is->runs[i].run)) {
            return mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                                 "%.*s: is judged otherwise when scrubbed, so nothing is packed",
                                 MLS_CUT_TEXT(pack->files[i].run->file, 200));
        }
    }
    const mls_group *a = &was->group;
    const mls_group *b = &is->group;
    const bool same = both && a->seeds.count == b->seeds.count && a->seeds.different == b->seeds.different &&
                      a->seeds.check == b->seeds.check && a->rcp.check == b->rcp.check && a->scale == b->scale &&
                      (a->score.score_minutes == b->score.score_minutes ||
                       (isnan(a->score.score_minutes) && isnan(b->score.score_minutes)));
    return same ? MLS_OK
                : mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                                "seeds, convergence or the score differ when the logs are scrubbed, so nothing is "
                                "packed: two things may have become one");
}

static mls_status tell_replaced(const mls_scrub *scrub, mls_pack *pack, mls_error *error)
{
    bool ok = true;
    for (int kind = 0; kind < MLS_SCRUB_KIND_COUNT; kind++) {
        const size_t places = scrub->places[kind];
        const mls_pack_replaced row = {mls_scrub_kind_name((mls_scrub_kind)kind), scrub->things[kind], places};
        ok = ok && (places == 0 || MLS_ARENA_ADD(pack->arena, &pack->replaced, row));
    }
    for (size_t i = 0; i < scrub->entries.count && ok; i++) {
        const mls_scrub_entry *entry = &scrub->entries.items[i];
        const mls_pack_replacement row = {mls_scrub_kind_name(entry->kind),
                                          mls_arena_copy(pack->arena, entry->from).ptr,
                                          mls_arena_copy(pack->arena, entry->to).ptr};
        ok = row.from != NULL && row.to != NULL && MLS_ARENA_ADD(pack->arena, &pack->replacements, row);
    }
    pack->doubtful_count = scrub->doubtful_count;
    for (size_t i = 0; i < scrub->doubtful.count && ok; i++) {
        mls_pack_doubtful row = scrub->doubtful.items[i];
        row.text = mls_arena_copy(pack->arena, mls_str_from(row.text)).ptr;
        ok = row.text != NULL && MLS_ARENA_ADD(pack->arena, &pack->doubtful, row);
    }
    return ok ? MLS_OK : mls_error_memory(error);
}

mls_status mls_pack_scrub_files(mls_scrub *scrub, mls_pack *pack, const char *tree, mls_names *made, mls_error *error)
{
    const scrubbing self = {scrub, pack, tree, made, error};
    for (size_t i = 0; i < pack->file_count; i++) {
        mls_scrub_learn(scrub, pack->files[i].run, (mls_str){0});
    }
    mls_status status = scrub_all(&self, false);
    mls_scrub_number(scrub);
    status = status == MLS_OK ? scrub_all(&self, true) : status;
    status = status == MLS_OK ? mls_scrub_status(scrub, error) : status;
    return status == MLS_OK ? tell_replaced(scrub, pack, error) : status;
}
