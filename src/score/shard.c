/* SPDX-License-Identifier: Apache-2.0 */
/* shard.c - assign paths to shards; read one shard, and write it as a part.
 *
 * Each shard lists all sources and finds the editions of their trees, which depend on logs of other shards, but reads
 * only its own sources.  The line of a file is written when the file has been read, so only the runs of one file are in
 * memory. */
#include "score/shard.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"
#include "score/part.h"
#include "score/score.h"

bool mls_shard_parse(mls_str text, mls_shard *shard)
{
    mls_str number;
    return mls_str_cut(&text, '/', &number) && mls_size_parse(number, &shard->number) &&
           mls_size_parse(text, &shard->count) && shard->number >= 1 && shard->number <= shard->count &&
           shard->count <= MLS_SHARDS_MAX;
}

uint64_t mls_fnv1a(uint64_t hash, mls_str bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        hash = (hash ^ (unsigned char)bytes.ptr[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Apply the finaliser of MurmurHash3, since the high bits of FNV-1a are unevenly distributed. */
uint64_t mls_shard_hash(mls_str path)
{
    uint64_t hash = mls_fnv1a(MLS_FNV_START, path);
    hash ^= hash >> 33;
    hash *= UINT64_C(0xff51afd7ed558ccd);
    hash ^= hash >> 33;
    hash *= UINT64_C(0xc4ceb9fe1a85ec53);
    return hash ^ hash >> 33;
}

/* Compute floor(hash × count / 2^64) from the halves of the hash, since count is small. */
size_t mls_shard_of(mls_str path, size_t count)
{
    const uint64_t hash = mls_shard_hash(path);
    const uint64_t low = (hash & UINT32_MAX) * count;
    const uint64_t high = (hash >> 32) * count;
    return 1 + (size_t)((high + (low >> 32)) >> 32);
}

mls_str mls_path_below(mls_str path, mls_str root)
{
    if (path.len <= root.len || !mls_str_starts(path, root))
        return path;
    const mls_str below = mls_str_rest(path, root.len);
    const size_t slash = *below.ptr == '/';
    return mls_str_rest(below, slash);
}

int mls_compare_paths(mls_str a, mls_str b)
{
    mls_str x;
    mls_str y;
    int order = 0;
    bool more = true;
    while (order == 0 && more) {
        const bool more_a = mls_str_cut(&a, '/', &x);
        const bool more_b = mls_str_cut(&b, '/', &y);
        order = mls_str_compare_natural(x, y);
        order = order != 0 ? order : more_a - more_b;
        more = more_a && more_b;
    }
    return order;
}

void mls_shard_ranges_add(mls_shard_ranges *ranges, size_t first, size_t last)
{
    MLS_GROW(ranges, items);
    ranges->items[ranges->count++] = (mls_shard_range){first, last};
}

static int compare_ranges(const void *a, const void *b)
{
    return mls_compare_sizes(((const mls_shard_range *)a)->first, ((const mls_shard_range *)b)->first);
}

bool mls_shard_ranges_unite(mls_shard_ranges *ranges, size_t *twice)
{
    size_t joined = 0;
    *twice = 0;
    if (ranges->count > 1)
        qsort(ranges->items, ranges->count, sizeof *ranges->items, compare_ranges);
    for (size_t i = 1; i < ranges->count; i++) {
        mls_shard_range *last = &ranges->items[joined];
        const mls_shard_range next = ranges->items[i];
        *twice = *twice == 0 && next.first <= last->last ? next.first : *twice;
        if (next.first <= last->last + 1)
            last->last = next.last > last->last ? next.last : last->last;
        else
            ranges->items[++joined] = next;
    }
    ranges->count = ranges->count > 0 ? joined + 1 : 0;
    return *twice == 0;
}

void mls_shard_ranges_words(const mls_shard_ranges *ranges, mls_buffer *to)
{
    for (size_t i = 0; i < ranges->count; i++) {
        const mls_shard_range *range = &ranges->items[i];
        mls_buffer_printf(to, "%s%zu", i > 0 ? "," : "", range->first);
        if (range->last > range->first)
            mls_buffer_printf(to, "-%zu", range->last);
    }
}

void mls_shard_ranges_missing(const mls_shard_ranges *ranges, size_t count, mls_shard_ranges *missing)
{
    size_t next = 1;
    for (size_t i = 0; i <= ranges->count; i++) {
        const size_t first = i < ranges->count ? ranges->items[i].first : count + 1;
        if (first > next)
            mls_shard_ranges_add(missing, next, first - 1);
        next = i < ranges->count ? ranges->items[i].last + 1 : next;
    }
}

/* ----------------------------------------------------- reading one shard */

typedef struct shard_reading {
    const mls_shard_job *job;
    mls_sources own; /* of this shard; they share texts with the list of all sources */
    mls_part_writer writer;
    mls_tree_editions trees;
    mls_known_settings known;
    mls_scan_room *room;
    MLS_LIST_OF(mls_part_run) runs; /* of the current file */
    size_t next;                    /* the first source whose line is not written yet */
    mls_arena arena;
    mls_map folders; /* folders whose system was written in a line */
    mls_error *error;
} shard_reading;

static mls_status listen_for_job(void *state, size_t index, mls_sink *sink)
{
    const mls_reading *reading = &((const shard_reading *)state)->job->reading;
    return reading->listen(reading->state, index, sink);
}

/* Look up everything that scoring would look up on this disk, and keep the known settings printed before the run. */
static mls_status look_up(shard_reading *self, mls_part_run *run)
{
    const mls_printed *printed = run->run.printed;
    const mls_printed_facts heard = run->run.facts;
    const mls_findings findings = run->run.findings;
    mls_status status =
        printed != NULL && self->known.items == NULL ? mls_known_settings_load(&self->known, self->error) : MLS_OK;
    for (size_t i = 0; printed != NULL && i < printed->settings.count && status == MLS_OK; i++) {
        if (mls_known_setting_printed(&self->known, printed->settings.items[i].name) != NULL) {
            MLS_GROW(&run->printed, items);
            run->printed.items[run->printed.count++] = printed->settings.items[i];
        }
    }
    run->run.facts = (mls_printed_facts){0};
    status = status == MLS_OK ? mls_run_read_facts(&self->known, &self->room, &run->run) : status;
    run->extra.facts = run->run.facts;
    run->run.facts = heard;
    mls_run_extra_find_power(&run->run, &run->extra);
    if (status == MLS_OK && self->job->ending != NULL) { /* without the other findings about the run */
        run->run.findings = (mls_findings){0};
        status = self->job->ending(self->job->state, &run->run, self->error);
        run->extra.ending = run->run.findings;
        run->run.findings = findings;
    }
    return status;
}

/* Write the line of a file, read or not, and free its runs. */
static mls_status write_source(shard_reading *self, size_t index, mls_part_source *line)
{
    const mls_shard_job *job = self->job;
    const mls_source *source = &self->own.items[index];
    mls_status status = MLS_OK;
    line->source = *source;
    if (source->failed || line->error != NULL)
        job->say_failed(job->state, source->path, source->failed ? source->skip : line->error, source->finding);
    if (job->groups && self->runs.count > 0) {
        const mls_str folder = mls_path_folder(mls_str_from(source->path));
        bool added = false;
        if (source->result)
            mls_place_find_tree(&self->trees, source->path, &line->place);
        (void)mls_map_put(&self->folders, folder, &added);
        if (added)
            mls_place_find_system(folder, &self->arena, &line->place);
    }
    if (job->measures != NULL && self->runs.count == 0)
        line->measures = job->measures(job->state, source);
    for (size_t i = 0; i < self->runs.count && status == MLS_OK && job->groups; i++)
        status = look_up(self, &self->runs.items[i]);
    if (status == MLS_OK)
        mls_part_writer_add(&self->writer, line, self->runs.items, self->runs.count);
    for (size_t i = 0; i < self->runs.count; i++)
        mls_part_run_release(&self->runs.items[i]);
    self->runs.count = 0;
    return status;
}

/* Write the lines of skipped sources before `end`. */
static mls_status write_skipped(shard_reading *self, size_t end)
{
    mls_status status = MLS_OK;
    for (; self->next < end && status == MLS_OK; self->next++)
        status = write_source(self, self->next, &(mls_part_source){0});
    return status;
}

/* Keep a run until its file has ended. */
static mls_status keep_run(void *state, size_t index, mls_run *run, void **notes)
{
    shard_reading *self = state;
    const mls_status status = self->runs.count == 0 ? write_skipped(self, index) : MLS_OK;
    if (status == MLS_OK) {
        MLS_GROW(&self->runs, items);
        mls_part_run *kept = &self->runs.items[self->runs.count++];
        mls_part_run_init(kept);
        kept->run = *run;
        kept->tracked = *notes;
        *notes = NULL;
        mls_run_init(run);
    }
    return status;
}

static mls_status end_source(void *state, const mls_read *read)
{
    shard_reading *self = state;
    mls_part_source line = {.totals = read->totals, .error = read->status != MLS_OK ? read->error.message : NULL};
    mls_status status = self->runs.count == 0 ? write_skipped(self, read->index) : MLS_OK;
    self->next = read->index + 1;
    if (status == MLS_OK && self->job->heard != NULL)
        status = self->job->heard(self->job->reading.state, read, &line);
    status = status == MLS_OK ? write_source(self, read->index, &line) : status;
    free(line.lines.items);
    return status;
}

mls_status mls_shard_read(const mls_shard_job *job, mls_output *output, mls_error *error)
{
    shard_reading self = {.job = job, .error = error};
    const mls_part_head *head = job->head;
    const mls_names *roots = &head->roots;
    mls_reading reading = job->reading;
    self.folders.arena = &self.arena;
    if (job->options != NULL) {
        mls_tree_editions_find((const char *const *)roots->items, roots->count, job->options, job->sources,
                               &self.trees);
    }
    for (size_t i = 0; i < job->sources->count; i++) {
        const mls_source *source = &job->sources->items[i];
        const mls_str below = mls_path_below(mls_str_from(source->path), mls_str_from(roots->items[source->argument]));
        if (mls_shard_of(below, head->shards) == head->shard) {
            MLS_GROW(&self.own, items);
            self.own.items[self.own.count++] = *source;
        }
    }
    reading.state = &self;
    reading.printed = head->options.wide ? MLS_PRINTED_OF_ALL : MLS_PRINTED_OF_NONE;
    reading.run = job->heard == NULL ? keep_run : NULL;
    reading.done = end_source;
    reading.listen = job->heard != NULL ? listen_for_job : NULL;
    mls_part_writer_begin(&self.writer, output, head);
    mls_status status = mls_read_sources(&reading, self.own.items, self.own.count, error);
    status = status == MLS_OK ? write_skipped(&self, self.own.count) : status;
    mls_part_writer_end(&self.writer);
    for (size_t i = 0; i < self.runs.count; i++)
        mls_part_run_release(&self.runs.items[i]);
    free(self.runs.items);
    free(self.own.items);
    mls_tree_editions_release(&self.trees);
    mls_known_settings_release(&self.known);
    mls_scan_room_free(self.room);
    mls_arena_release(&self.arena);
    return status;
}
