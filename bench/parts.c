/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - writes the parts of more runs than logs could be made of: those of one log, again and again.
 *
 * usage: parts PART RUNS EACH SHARDS FOLDER
 * PART is of one shard and has a file with a run.  FOLDER gets the parts 1.ndjson … of RUNS result_*.txt, so many in
 * each folder, which are told apart by their paths and, of score, the second in which they stopped and their first
 * seed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "base/output.h"
#include "slurm/part_read.h"

#define ROOT "campaign"

/* What of the line of a file stays, and what changes in it; of check there is neither. */
typedef struct copied_line {
    mls_str rest; /* behind the path */
    mls_str stop; /* run_stop */
    mls_str seed; /* with its quotation mark in front */
    uint64_t bytes;
} copied_line;

/* What is behind a text; ptr NULL: it is not there. */
static mls_str behind(mls_str text, mls_str what)
{
    mls_str rest = {NULL, 0};
    return text.ptr != NULL && mls_str_after(text, what, &rest) ? rest : (mls_str){NULL, 0};
}

static size_t digits_of(mls_str text)
{
    size_t count = 0;
    while (count < text.len && text.ptr[count] >= '0' && text.ptr[count] <= '9') {
        count++;
    }
    return count;
}

static bool take_apart(mls_str line, copied_line *copied)
{
    const mls_str stop = behind(line, MLS_S("\"run_stop\":{\"ms\":"));
    const mls_str seed = behind(behind(line, MLS_S("\"seeds\":[")), MLS_S("\"identity\":"));
    const mls_str read = behind(line, MLS_S("\"read\":"));
    size_t bytes = 0;
    *copied = (copied_line){.rest = behind(line, MLS_S("\","))};
    if (digits_of(stop) == 13 && seed.len > 1) {
        copied->stop = (mls_str){stop.ptr, 13};
        copied->seed = (mls_str){seed.ptr, 1 + digits_of(mls_str_rest(seed, 1))};
    }
    const bool ok = mls_size_parse((mls_str){read.ptr, digits_of(read)}, &bytes);
    copied->bytes = bytes;
    return ok;
}

/* The line of a run; wherever the seed stands as a text, or as the first part of one, is another. */
static void make_line(const copied_line *copied, const char *path, size_t number, mls_buffer *line)
{
    mls_str rest = copied->rest;
    mls_buffer_clear(line);
    mls_buffer_printf(line, "{\"path\":\"%s\",", path);
    for (mls_str next; copied->seed.len > 0 && (next = behind(rest, copied->seed)).ptr != NULL; rest = next) {
        const mls_str between = {rest.ptr, (size_t)(next.ptr - rest.ptr) - copied->seed.len};
        const size_t at = (size_t)(copied->stop.ptr - between.ptr);
        if (copied->stop.ptr >= between.ptr && at + copied->stop.len <= between.len) {
            mls_buffer_append(line, (mls_str){between.ptr, at + 9});
            mls_buffer_printf(line, "%04zu", number * 7919 % 10000);
            mls_buffer_append(line, (mls_str){between.ptr + at + 13, between.len - at - 13});
        } else {
            mls_buffer_append(line, between);
        }
        mls_buffer_printf(line, "\"%zu", number);
    }
    mls_buffer_append(line, rest);
}

static int write_parts(const copied_line *copied, mls_part_head *head, size_t runs, size_t each)
{
    mls_output *outputs = calloc(head->shards, sizeof *outputs);
    mls_part_writer *writers = calloc(head->shards, sizeof *writers);
    mls_buffer line = {0};
    mls_error error = {0};
    bool ok = outputs != NULL && writers != NULL;
    for (size_t i = 0; i < head->shards && ok; i++) {
        char path[32];
        (void)snprintf(path, sizeof path, "%zu.ndjson", i + 1);
        head->shard = i + 1;
        ok = mls_output_open(&outputs[i], path, &error) == MLS_OK;
        mls_part_writer_begin(&writers[i], &outputs[i], head);
    }
    for (size_t i = 0; i < runs && ok; i++) {
        char path[128];
        (void)snprintf(path, sizeof path, ROOT "/results/18xGB200_NVL72/llama2_70b_lora/trial-%07zu/result_%zu.txt",
                       i / each, i % each);
        make_line(copied, path, i + 1, &line);
        const mls_str below = mls_path_below(mls_str_from(path), MLS_S(ROOT));
        mls_part_writer_line(&writers[mls_shard_of(below, head->shards) - 1], mls_buffer_str(&line), 1, copied->bytes);
        ok = !line.failed;
    }
    for (size_t i = 0; i < head->shards && ok; i++) {
        ok = mls_part_writer_end(&writers[i]) && mls_output_close(&outputs[i], false, &error) == MLS_OK;
    }
    if (!ok) {
        (void)fprintf(stderr, "parts: %s\n", error.status != MLS_OK ? error.message : "no memory");
    }
    mls_buffer_release(&line);
    free(outputs);
    free(writers);
    return ok ? 0 : 1;
}

/* The first line that has runs, whose text is the reader's. */
static mls_status find_run(mls_part_reader *reader, mls_carry_room *room, mls_part_head *head, mls_str *line,
                           mls_error *error)
{
    mls_status status = MLS_OK;
    for (size_t number = 1; status == MLS_OK; number++) {
        const int got = mls_part_next(reader, line, error);
        if (got <= 0) {
            return got < 0 ? error->status : mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "no run in it");
        }
        if (number == 1) {
            status = mls_part_line_read(&mls_part_head_table, *line, 1, room, head, error);
        } else if (mls_str_contains(*line, MLS_S("\"runs\":["))) {
            return MLS_OK;
        }
    }
    return status;
}

int main(int argc, char **argv)
{
    mls_part_reader reader = {0};
    mls_arena arena = {0};
    mls_map texts = {.arena = &arena};
    mls_carry_room room = {.texts = &texts};
    mls_part_head head;
    mls_error error = {0};
    mls_str line = {NULL, 0};
    copied_line copied;
    size_t runs = 0;
    size_t each = 0;
    size_t shards = 0;
    int status = 1;
    mls_carry_clear(&mls_part_head_table, &head);
    if (argc != 6 || !mls_size_parse(mls_str_from(argv[2]), &runs) || !mls_size_parse(mls_str_from(argv[3]), &each) ||
        !mls_size_parse(mls_str_from(argv[4]), &shards) || each < 1 || shards < 1 || shards > MLS_SHARDS_MAX) {
        fputs("usage: parts PART RUNS EACH SHARDS FOLDER\n", stderr);
        return 2;
    }
    reader.fd = mls_file_open(argv[1], false, &error);
    if (reader.fd < 0 || find_run(&reader, &room, &head, &line, &error) != MLS_OK) {
        (void)fprintf(stderr, "parts: %s: %s\n", argv[1], error.message);
    } else if (!take_apart(line, &copied)) {
        (void)fprintf(stderr, "parts: %s: its run is of no file that was read\n", argv[1]);
    } else if (chdir(argv[5]) != 0) {
        perror(argv[5]);
    } else {
        mls_names_release(&head.roots);
        head.shards = shards;
        status = mls_names_add(&head.roots, MLS_S(ROOT)) ? write_parts(&copied, &head, runs, each) : 1;
    }
    mls_carry_release(&mls_part_head_table, &head);
    mls_part_reader_release(&reader);
    mls_arena_release(&room.scratch);
    mls_arena_release(&arena);
    return status;
}
