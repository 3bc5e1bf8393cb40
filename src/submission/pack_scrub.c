/* SPDX-License-Identifier: Apache-2.0 */
/* pack_scrub.c - scrubbing what was laid out for a pack, the proof that nothing else changed, and the record. */
#include "submission/pack_scrub.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/rows.h"
#include "base/utf8.h"
#include "submission/made.h"

mls_status mls_pack_scrub_begin(mls_pack_scrub *self, const mls_pack_options *options, mls_error *error)
{
    mls_buffer text = {0};
    mls_buffer path = {0};
    mls_str into = mls_str_from(options->into);
    while (into.len > 1 && into.ptr[into.len - 1] == '/') {
        into.len--;
    }
    if (options->record != NULL) {
        mls_buffer_append_text(&path, options->record);
    } else {
        mls_buffer_printf(&path, "%.*s.scrub.csv", (int)into.len, into.ptr);
    }
    self->record = mls_buffer_detach(&path);
    struct stat about;
    self->recorded = self->record != NULL && stat(self->record, &about) == 0;
    mls_status status = self->record == NULL ? mls_error_memory(error)
                        : self->recorded     ? mls_file_read(self->record, false, MLS_TABLE_TEXT_MAX, &text, error)
                                             : MLS_OK;
    status = status == MLS_OK ? mls_scrub_begin(&self->scrub, options, mls_buffer_str(&text), error) : status;
    if (status == MLS_ERROR_SYNTAX) { /* not of the file of --describe */
        mls_error why = *error;
        status = mls_error_set(error, MLS_ERROR_READ, 0, 0, "%.*s: line %zu: %s", MLS_CUT_TEXT(self->record, 150),
                               why.line, why.message);
    }
    mls_buffer_release(&text);
    return status;
}

/* Learns from a file that was laid out, or replaces (`write`) what has been learnt. */
static mls_status scrub_file(mls_pack_scrub *self, mls_names *made, const char *path, bool write, mls_error *error)
{
    mls_buffer text = {0};
    mls_buffer scrubbed = {0};
    mls_status status = mls_file_read(path, false, MLS_LOG_BYTES_MAX, &text, error);
    if (status == MLS_OK && !write) {
        mls_scrub_learn(&self->scrub, NULL, mls_buffer_str(&text));
    } else if (status == MLS_OK) {
        mls_scrub_text(&self->scrub, mls_buffer_str(&text), &scrubbed);
        status = scrubbed.failed ? mls_error_memory(error) : mls_scrub_status(&self->scrub, error);
        (void)remove(path);
        status = status == MLS_OK ? mls_made_file(made, path, 0666, mls_buffer_str(&scrubbed), error) : status;
    }
    mls_buffer_release(&text);
    mls_buffer_release(&scrubbed);
    return status;
}

/* The files that were laid out, but for a description that was there before. */
static mls_status scrub_all(mls_pack_scrub *self, const mls_pack *pack, mls_names *made, bool write, mls_error *error)
{
    const mls_str described = mls_str_from(pack->described ? pack->system : "/");
    const size_t count = made->count;
    mls_status status = MLS_OK;
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        struct stat about;
        const char *path = made->items[i];
        if (lstat(path, &about) == 0 && S_ISREG(about.st_mode) && !mls_str_ends(mls_str_from(path), described)) {
            status = scrub_file(self, made, path, write, error);
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

static mls_status tell_replaced(const mls_pack_scrub *self, mls_pack *pack, mls_error *error)
{
    bool ok = true;
    pack->doubtful = self->scrub.doubtful;
    for (int kind = 0; kind < MLS_SCRUB_KIND_COUNT; kind++) {
        const size_t places = self->scrub.places[kind];
        const mls_pack_replaced row = {mls_scrub_kind_name((mls_scrub_kind)kind), self->scrub.numbers[kind], places};
        ok = ok && (places == 0 || MLS_ARENA_ADD(pack->arena, &pack->replaced, row));
    }
    return ok ? MLS_OK : mls_error_memory(error);
}

mls_status mls_pack_scrub_files(mls_pack_scrub *self, mls_pack *pack, mls_names *made, mls_error *error)
{
    for (size_t i = 0; i < pack->file_count; i++) {
        mls_scrub_learn(&self->scrub, pack->files[i].run, (mls_str){0});
    }
    mls_status status = scrub_all(self, pack, made, false, error);
    mls_scrub_number(&self->scrub);
    status = status == MLS_OK ? scrub_all(self, pack, made, true, error) : status;
    status = status == MLS_OK ? mls_scrub_status(&self->scrub, error) : status;
    return status == MLS_OK ? tell_replaced(self, pack, error) : status;
}

mls_status mls_pack_scrub_keep(const mls_pack_scrub *self, mls_names *placed, mls_error *error)
{
    mls_buffer text = {0};
    mls_output output;
    mls_status status = MLS_OK;
    mls_scrub_record(&self->scrub, &text);
    if (text.failed) {
        status = mls_error_memory(error);
    } else if (!self->recorded) {
        status = mls_made_file(placed, self->record, 0600, mls_buffer_str(&text), error);
    } else if ((status = mls_output_open(&output, self->record, error)) == MLS_OK) {
        mls_output_write(&output, mls_buffer_str(&text));
        status = mls_output_close(&output, false, error);
    }
    mls_buffer_release(&text);
    return status;
}

void mls_pack_scrub_release(mls_pack_scrub *self)
{
    free(self->record);
    mls_scrub_release(&self->scrub);
}
