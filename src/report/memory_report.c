/* SPDX-License-Identifier: Apache-2.0 */
/* memory_report.c - the report of the memory that a GPU needs: items with bars, the verdict, and the change that would
 * make the job fit; and the report of out-of-memory messages. */
#include "report/reports.h"

#include <inttypes.h>
#include <math.h>

#include "term/table.h"

static const double million = 1e6;

static void emit_setting(mls_emitter *to, mls_memory_setting setting, int64_t value)
{
    char name[32];
    const char *option = mls_memory_settings[setting].name;
    const mls_str word = mls_memory_setting_word(setting, value);
    size_t len = 0;
    for (; len < sizeof name && option[len] != '\0'; len++)
        name[len] = option[len] == '-' ? '_' : option[len];
    mls_emit_name(to, (mls_str){name, len});
    if (value == MLS_MEMORY_NOT_SET) {
        mls_emit_null(to);
    } else if (word.ptr != NULL) {
        mls_emit_str(to, word);
    } else if (mls_memory_settings[setting].kind == MLS_MEMORY_FLAG) {
        mls_emit_bool(to, value != 0);
    } else {
        mls_emit_number(to, mls_memory_settings[setting].kind == MLS_MEMORY_SHARE ? (double)value / million
                                                                                  : (double)value);
    }
}

#define CHANGE_FIELDS(F)                                                                                               \
    F(change, change, MAP, "", MLS_EACH(row->count, emit_setting(to, row->values[i].setting, row->values[i].value)))   \
    F(change, estimate_bytes, NUMBER, "", row->estimate)                                                               \
    F(change, verdict, TEXT, "", mls_memory_verdict_names[row->verdict])
MLS_FIELDS(change, mls_memory_change, CHANGE_FIELDS)

/* Return the size of an item in bytes; NAN if the item does not exist in training or in inference, such as the KV cache
 * in training. */
static double item_number(const mls_memory_estimate *of, mls_memory_item item)
{
    return (mls_memory_items[item].of & 1U << of->training) != 0 ? (double)of->items[item] : (double)NAN;
}

#define ITEM_FIELDS(F)                                                                                                 \
    F(memory_item, weights, NUMBER, "bytes", item_number(row, MLS_MEMORY_ITEM_WEIGHTS))                                \
    F(memory_item, kv_cache, NUMBER_OR_NULL, "bytes", item_number(row, MLS_MEMORY_ITEM_KV_CACHE))                      \
    F(memory_item, towers, NUMBER_OR_NULL, "bytes", item_number(row, MLS_MEMORY_ITEM_TOWERS))                          \
    F(memory_item, state, NUMBER_OR_NULL, "bytes", item_number(row, MLS_MEMORY_ITEM_STATE))                            \
    F(memory_item, cuda_graphs, NUMBER_OR_NULL, "bytes", item_number(row, MLS_MEMORY_ITEM_CUDA_GRAPHS))                \
    F(memory_item, gradients, NUMBER_OR_NULL, "bytes", item_number(row, MLS_MEMORY_ITEM_GRADIENTS))                    \
    F(memory_item, optimizer, NUMBER_OR_NULL, "bytes", item_number(row, MLS_MEMORY_ITEM_OPTIMIZER))                    \
    F(memory_item, gathered, NUMBER_OR_NULL, "bytes", item_number(row, MLS_MEMORY_ITEM_GATHERED))                      \
    F(memory_item, activations, NUMBER_OR_NULL, "bytes", item_number(row, MLS_MEMORY_ITEM_ACTIVATIONS))                \
    F(memory_item, recompute, NUMBER_OR_NULL, "bytes", item_number(row, MLS_MEMORY_ITEM_RECOMPUTE))                    \
    F(memory_item, logits, NUMBER_OR_NULL, "bytes", item_number(row, MLS_MEMORY_ITEM_LOGITS))                          \
    F(memory_item, working, NUMBER, "bytes", item_number(row, MLS_MEMORY_ITEM_WORKING))                                \
    F(memory_item, step, NUMBER_OR_NULL, "bytes", item_number(row, MLS_MEMORY_ITEM_STEP))                              \
    F(memory_item, runtime, NUMBER, "bytes", item_number(row, MLS_MEMORY_ITEM_RUNTIME))
MLS_FIELDS(memory_item, mls_memory_estimate, ITEM_FIELDS)

#define MODEL_FIELDS(F)                                                                                                \
    F(memory_model, name, TEXT, "", row->ask.model)                                                                    \
    F(memory_model, parameters, NUMBER, "", row->answer.estimate.parameters)                                           \
    F(memory_model, tower_parameters, NUMBER, "", row->ask.shape.tower_parameters)
MLS_FIELDS(memory_model, mls_memory_job, MODEL_FIELDS)

/* Return the total memory that nvidia-smi reports for the GPU, in MiB; 0 if unknown or if another capacity was given.
 */
static uint64_t reported_mib(const mls_memory_job *job)
{
    const mls_gpu *gpu = job->ask.gpu;
    return gpu != NULL && gpu->capacity_bytes == job->answer.estimate.capacity ? gpu->reported_mib : 0;
}

#define GPU_FIELDS(F)                                                                                                  \
    F(memory_gpu, name, TEXT_OR_NULL, "", row->ask.gpu != NULL ? row->ask.gpu->name : NULL)                            \
    F(memory_gpu, capacity_bytes, NUMBER, "", row->answer.estimate.capacity)                                           \
    F(memory_gpu, reported_mib, COUNT_OR_NULL, "", reported_mib(row))
MLS_FIELDS(memory_gpu, mls_memory_job, GPU_FIELDS)

#define HOST_FIELDS(F)                                                                                                 \
    F(memory_host, link, TEXT, "", row->link->name)                                                                    \
    F(memory_host, spill_bytes, NUMBER, "", row->spill)                                                                \
    F(memory_host, read_ms, NUMBER, "", row->read_ms)                                                                  \
    F(memory_host, fits, BOOL, "", row->spill <= row->host_bytes)
MLS_FIELDS(memory_host, mls_memory_estimate, HOST_FIELDS)

#define CACHE_FIELDS(F)                                                                                                \
    F(memory_cache, budget_bytes, NUMBER, "", row->budget)                                                             \
    F(memory_cache, cache_bytes, NUMBER, "", row->cache_bytes)                                                         \
    F(memory_cache, cache_blocks, IF(NUMBER, row->cache_blocks >= 0), "", row->cache_blocks)                           \
    F(memory_cache, cache_tokens, IF(NUMBER, row->cache_blocks >= 0), "", row->cache_blocks *MLS_MEMORY_BLOCK_TOKENS)
MLS_FIELDS(memory_cache, mls_memory_estimate, CACHE_FIELDS)

#define CHECKPOINT_FIELDS(F)                                                                                           \
    F(memory_checkpoint, weights_bytes, NUMBER, "", row->items[MLS_MEMORY_ITEM_WEIGHTS])                               \
    F(memory_checkpoint, estimate_bytes, NUMBER, "", row->estimate)                                                    \
    F(memory_checkpoint, low_bytes, NUMBER, "", row->low)                                                              \
    F(memory_checkpoint, high_bytes, NUMBER, "", row->high)                                                            \
    F(memory_checkpoint, verdict, TEXT_OR_NULL, "", mls_memory_verdict_names[row->verdict])                            \
    F(memory_checkpoint, max_tokens, IF(NUMBER, row->max_tokens >= 0), "", row->max_tokens)                            \
    F(memory_checkpoint, max_users, IF(NUMBER, row->max_users >= 0), "", row->max_users)
MLS_FIELDS(memory_checkpoint, mls_memory_estimate, CHECKPOINT_FIELDS)

#define OF row->answer.estimate
#define MEMORY_FIELDS(F)                                                                                               \
    F(memory, mode, TEXT, "", OF.training ? "training" : "inference")                                                  \
    F(memory, file, TEXT_OR_NULL, "", row->file)                                                                       \
    F(memory, model, OBJECT_OF(memory_model), "", row)                                                                 \
    F(memory, gpu, OBJECT_OR_NULL(memory_gpu), "", OF.capacity > 0 ? row : NULL)                                       \
    F(memory, gpus, NUMBER, "", OF.gpus)                                                                               \
    F(memory, items, OBJECT_OF(memory_item), "", &OF)                                                                  \
    F(memory, allocated_bytes, IF(NUMBER, OF.training), "", OF.allocated)                                              \
    F(memory, peak, TEXT_OR_NULL, "", OF.peak)                                                                         \
    F(memory, estimate_bytes, NUMBER, "", OF.estimate)                                                                 \
    F(memory, low_bytes, NUMBER, "", OF.low)                                                                           \
    F(memory, high_bytes, NUMBER, "", OF.high)                                                                         \
    F(memory, verdict, TEXT_OR_NULL, "", mls_memory_verdict_names[OF.verdict])                                         \
    F(memory, stage, IF(NUMBER, OF.training), "", OF.stage)                                                            \
    F(memory, in_flight, IF(NUMBER, OF.training), "", OF.in_flight)                                                    \
    F(memory, data_parallel, IF(NUMBER, OF.training), "", OF.data_parallel)                                            \
    F(memory, global_batch, IF(NUMBER, OF.training), "", OF.global_batch)                                              \
    F(memory, zero, IF(NUMBER, OF.training), "", mls_memory_value(&row->ask, MLS_MEMORY_ZERO))                         \
    F(memory, shared_by, IF(NUMBER, OF.training), "", OF.shared_by)                                                    \
    F(memory, kv_per_token_bytes, COUNT_OR_NULL, "", OF.kv_per_token)                                                  \
    F(memory, max_tokens, IF(NUMBER, OF.max_tokens >= 0), "", OF.max_tokens)                                           \
    F(memory, max_users, IF(NUMBER, OF.max_users >= 0), "", OF.max_users)                                              \
    F(memory, server, OBJECT_OR_NULL(memory_cache), "", OF.cache_bytes >= 0 ? mls_memory_shown(&row->answer) : NULL)   \
    F(memory, quantization, FILLED_OR_NULL, "", OF.form.words)                                                         \
    F(memory, checkpoint, OBJECT_OR_NULL(memory_checkpoint), "",                                                       \
      row->answer.published.estimate > 0 ? &row->answer.published : NULL)                                              \
    F(memory, host, OBJECT_OR_NULL(memory_host), "", OF.spill > 0 ? &OF : NULL)                                        \
    F(memory, smallest, OBJECT_OR_NULL(change), "", row->answer.has_smallest ? &row->answer.smallest : NULL)           \
    F(memory, tried, LIST(change), "", MLS_ROWS(row->answer.tried, row->answer.tried_count))                           \
    F(memory, logged_allocated_bytes, IF(NUMBER, row->logged.allocated > 0), "", row->logged.allocated)                \
    F(memory, logged_reserved_bytes, IF(NUMBER, row->logged.reserved > 0), "", row->logged.reserved)                   \
    F(memory, printed_in, TEXT_OR_NULL, "", row->printed_in)                                                           \
    F(memory, ended_well, BOOL, "", row->ask.ended_well)                                                               \
    F(memory, findings, FINDINGS, "",                                                                                  \
      mls_finding_list_add(&found, &row->findings, (mls_owner){.path = row->file}, NULL))
MLS_FIELDS(memory, mls_memory_job, MEMORY_FIELDS)

/* Append the options of mlscore memory that describe a change. */
static void append_change(mls_buffer *line, const mls_memory_ask *ask, const mls_memory_change *change)
{
    for (size_t i = 0; i < change->count; i++) {
        const mls_memory_setting setting = change->values[i].setting;
        const int64_t value = change->values[i].value;
        const mls_str word = mls_memory_setting_word(setting, value);
        if (value == MLS_MEMORY_NOT_SET || (uint64_t)value == mls_memory_value(ask, setting))
            continue;
        mls_buffer_printf(line, "%s--%s%s", line->len > 0 ? " " : "",
                          mls_memory_settings[setting].kind == MLS_MEMORY_FLAG && value == 0 ? "no-" : "",
                          mls_memory_settings[setting].name);
        if (word.ptr != NULL)
            mls_buffer_printf(line, " %.*s", (int)word.len, word.ptr);
        else if (mls_memory_settings[setting].kind == MLS_MEMORY_SHARE)
            mls_buffer_printf(line, " %.2f", (double)value / million);
        else if (mls_memory_settings[setting].kind != MLS_MEMORY_FLAG)
            mls_buffer_printf(line, " %" PRId64, value);
    }
}

#define MEMORY_CSV_FIELDS(F)                                                                                           \
    F(memory_csv, model, TEXT, "", row->ask.model)                                                                     \
    F(memory_csv, parameters, NUMBER, "", OF.parameters)                                                               \
    F(memory_csv, gpu, TEXT_OR_NULL, "", row->ask.gpu != NULL ? row->ask.gpu->name : NULL)                             \
    F(memory_csv, capacity_bytes, COUNT_OR_NULL, "", OF.capacity)                                                      \
    F(memory_csv, checkpoint_bytes, COUNT_OR_NULL, "", row->answer.published.estimate)                                 \
    F(memory_csv, smallest, WORDS_OR_NULL, "",                                                                         \
      row->answer.has_smallest ? append_change(words, &row->ask, &row->answer.smallest) : (void)0)
MLS_FIELDS_BESIDE(memory_csv, memory, MEMORY_CSV_FIELDS)

enum { INDENT = 2, HANG = 4, BAR = 40 };
static const double gb = 1e9;
static const double gib = 1073741824.0;

static const struct {
    const char *words;
    mls_style style;
} verdicts[] = {[MLS_MEMORY_UNKNOWN] = {"not known", MLS_STYLE_PLAIN},
                [MLS_MEMORY_FITS] = {"fits", MLS_STYLE_GOOD},
                [MLS_MEMORY_FITS_WITH_HOST] = {"fits with the host's memory", MLS_STYLE_GOOD},
                [MLS_MEMORY_TIGHT] = {"tight", MLS_STYLE_WARN},
                [MLS_MEMORY_DOES_NOT_FIT] = {"does not fit", MLS_STYLE_BAD}};

static mls_words gigabytes(double bytes)
{
    mls_words words = mls_words_grouped(bytes / gb, 1);
    (void)mls_text_printf(words.text + strlen(words.text), sizeof words.text - strlen(words.text), " GB");
    return words;
}

static void size_row(mls_table *table, const char *name, double bytes, mls_style style)
{
    const unsigned look = MLS_COLUMN_DECIMAL | MLS_COLUMN_KEEP;
    mls_table_row(table);
    table->style = style;
    mls_table_text(table, "", MLS_COLUMN_KEEP, name);
    mls_table_number(table, "GB", look, bytes / gb, 2);
    mls_table_number(table, "GiB", look, bytes / gib, 2);
}

static void show_items(mls_view *view, const mls_memory_job *job)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const mls_memory_estimate *of = mls_memory_shown(&job->answer);
    const double full = (double)of->capacity;
    const double scale = (double)(of->capacity > of->estimate ? of->capacity : of->estimate);
    const unsigned long limit = full > 0 ? (unsigned long)(full / scale * BAR + 0.5) : BAR + 1;
    mls_memory_item items[MLS_MEMORY_ITEM_COUNT];
    const size_t count = mls_memory_items_sort(of, items);
    mls_table table = {.indent = INDENT};
    for (size_t i = 0; i <= count; i++) {
        const bool last = i == count;
        const double bytes = (double)(last ? of->estimate : of->items[items[i]]);
        const mls_style style = last ? MLS_STYLE_BOLD : MLS_STYLE_PLAIN;
        size_row(&table, last ? "at the peak" : mls_memory_items[items[i]].name, bytes, style);
        /* Draw the bar in eighths of a cell, with a vertical line at the capacity of the GPU. */
        const unsigned long filled = (unsigned long)(bytes / scale * BAR * 8 + 0.5);
        mls_buffer bar = {0};
        for (unsigned long k = 0; k <= BAR; k++) {
            const unsigned long left = filled > k * 8 ? filled - k * 8 : 0;
            const char *cell = view->ascii ? (left >= 4 ? "#" : "") : left >= 8 ? "█" : eighths[left];
            mls_buffer_append_text(&bar, k == limit        ? (view->ascii ? "|" : "│")
                                         : cell[0] != '\0' ? cell
                                         : k < limit       ? " "
                                                           : "");
        }
        while (bar.len > 0 && bar.ptr[bar.len - 1] == ' ')
            mls_buffer_cut(&bar, bar.len - 1);
        mls_table_text(&table, "", MLS_COLUMN_LEFT, mls_table_take(&table, &bar));
        if (view->verbose > 0 && !last)
            mls_table_note(&table, MLS_STYLE_DIM, "%s", mls_memory_items[items[i]].words);
    }
    if (of->capacity > 0) {
        char name[64];
        (void)mls_text_printf(name, sizeof name, "%s holds", job->ask.gpu != NULL ? job->ask.gpu->name : "a GPU");
        size_row(&table, name, (double)of->capacity, MLS_STYLE_PLAIN);
        if (view->verbose > 0 && reported_mib(job) > 0) {
            mls_table_note(&table, MLS_STYLE_DIM, "available to a job; nvidia-smi reports %s MiB",
                           mls_words_grouped((double)reported_mib(job), 0).text);
        }
    }
    mls_table_finish(&table, view);
}

static void append_setting_value(mls_buffer *line, const mls_memory_ask *ask, const char *before,
                                 mls_memory_setting setting)
{
    const uint64_t value = mls_memory_value(ask, setting);
    const mls_str word = mls_memory_setting_word(setting, (int64_t)value);
    if (word.ptr != NULL)
        mls_buffer_printf(line, "%s%.*s", before, (int)word.len, word.ptr);
    else
        mls_buffer_printf(line, "%s%s", before, mls_words_count((double)value).text);
}

/* Append a setting if the user gave it and it is not 0. */
static void append_given(mls_buffer *line, const mls_memory_ask *ask, const char *before, mls_memory_setting setting)
{
    if (ask->values[setting] > 0)
        append_setting_value(line, ask, before, setting);
}

static void show_training(mls_view *view, const mls_memory_job *job)
{
    const mls_memory_ask *ask = &job->ask;
    const mls_memory_estimate *of = &job->answer.estimate;
    const uint64_t stages = mls_memory_value(ask, MLS_MEMORY_PP);
    const bool fsdp = ask->values[MLS_MEMORY_FSDP] != MLS_MEMORY_NOT_SET;
    mls_buffer line = {0};
    append_setting_value(&line, ask, "", MLS_MEMORY_PRECISION);
    for (mls_memory_setting flag = MLS_MEMORY_FP8; flag <= MLS_MEMORY_STEP_COPY; flag++) {
        const bool set = mls_memory_settings[flag].kind == MLS_MEMORY_FLAG && mls_memory_value(ask, flag) != 0;
        mls_buffer_printf(&line, set ? " %s" : "%.0s", mls_memory_settings[flag].name);
    }
    append_given(&line, ask, "  LoRA rank ", MLS_MEMORY_LORA);
    append_setting_value(&line, ask, "  ", MLS_MEMORY_OPTIMIZER);
    if (fsdp) /* also print the equivalent stage of ZeRO and the number of GPUs that share the model */
        append_setting_value(&line, ask, "  fsdp ", MLS_MEMORY_FSDP);
    append_setting_value(&line, ask, fsdp ? ", which is zero " : "  zero ", MLS_MEMORY_ZERO);
    if (fsdp && of->shared_by > 1)
        mls_buffer_printf(&line, " over %s", mls_words_plural(of->shared_by, "GPU", "GPUs").text);
    mls_buffer_append_text(&line, mls_memory_value(ask, MLS_MEMORY_BUCKET_VIEW) != 0 ? " with bucket views" : "");
    append_given(&line, ask, "  loss ", MLS_MEMORY_LOSS);
    append_given(&line, ask, "  recompute ", MLS_MEMORY_RECOMPUTE);
    append_given(&line, ask, " of layers ", MLS_MEMORY_RECOMPUTE_LAYERS);
    append_given(&line, ask, "  layers offloaded ", MLS_MEMORY_OFFLOAD_LAYERS);
    mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
    append_setting_value(&line, ask, "sequence ", MLS_MEMORY_SEQUENCE);
    append_setting_value(&line, ask, "  micro-batch ", MLS_MEMORY_MICRO_BATCH);
    append_setting_value(&line, ask, " x ", MLS_MEMORY_ACCUMULATION);
    mls_buffer_printf(&line, "  global batch %s", mls_words_count((double)of->global_batch).text);
    mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
    if (stages > 1) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG,
                        "the fullest stage is %" PRIu64 " of 0 to %" PRIu64 ": %" PRIu64 " layers, %" PRIu64
                        " %s in flight",
                        of->stage, stages - 1, of->layers, of->in_flight,
                        mls_memory_value(ask, MLS_MEMORY_VP) > 1 ? "chunks" : "micro-batches");
    }
}

static void show_inference(mls_view *view, const mls_memory_job *job)
{
    const mls_memory_ask *ask = &job->ask;
    const mls_memory_estimate *of = &job->answer.estimate;
    const mls_memory_estimate *published = &job->answer.published;
    mls_buffer line = {0};
    if (ask->quantization.bytes == 0 || ask->values[MLS_MEMORY_PRECISION] != MLS_MEMORY_NOT_SET)
        append_setting_value(&line, ask, "", MLS_MEMORY_PRECISION);
    else
        mls_buffer_append_text(&line, "quantized");
    append_setting_value(&line, ask, ", KV cache ", MLS_MEMORY_KV_PRECISION);
    if (ask->values[MLS_MEMORY_KV_PRECISION] == MLS_MEMORY_NOT_SET &&
        ask->values[MLS_MEMORY_PRECISION] == MLS_MEMORY_NOT_SET && ask->kv_precision != MLS_MEMORY_NOT_SET)
        mls_buffer_append_text(&line, " (as its file says)");
    append_setting_value(&line, ask, "   tokens ", MLS_MEMORY_CONTEXT);
    append_setting_value(&line, ask, "  users ", MLS_MEMORY_USERS);
    mls_buffer_printf(&line, "   KV cache of a token %s bytes", mls_words_count((double)of->kv_per_token).text);
    mls_view_item(view, &line, (mls_wrap){view->width, INDENT, HANG, "  ", false}, MLS_STYLE_PLAIN);
    /* Print the precisions of the weights if published checkpoints mix them, and the size with and without mixing. */
    if (published->decides) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG,
                        "weights as published checkpoints have them, %s (all alike they would be %s)", of->form.words,
                        gigabytes((double)of->items[MLS_MEMORY_ITEM_WEIGHTS]).text);
    } else if (published->estimate > 0) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "weights all alike; published checkpoints hold %s, %s",
                        gigabytes((double)published->items[MLS_MEMORY_ITEM_WEIGHTS]).text, of->form.words);
    } else if (of->form.words[0] != '\0') {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "weights %s", of->form.words);
    }
}

static void show_change(mls_view *view, const mls_memory_job *job, const mls_memory_change *change, const char *before,
                        mls_style style)
{
    mls_buffer line = {0};
    append_change(&line, &job->ask, change);
    mls_view_printf(view, style, INDENT, HANG, "%s%s: %s, %s", before, line.ptr != NULL ? line.ptr : "",
                    gigabytes((double)change->shown).text, verdicts[change->verdict].words);
    mls_buffer_release(&line);
}

static void show_memory_verdict(mls_view *view, const mls_memory_job *job)
{
    const mls_memory_estimate *of = mls_memory_shown(&job->answer);
    const mls_memory_estimate *published = &job->answer.published;
    const bool differs = published->estimate > 0 && published->verdict != of->verdict;
    const char *gpu = job->ask.gpu != NULL ? job->ask.gpu->name : "GPU";
    const bool share = of->cache_bytes >= 0;
    const uint64_t estimate = of->estimate - (share ? of->items[MLS_MEMORY_ITEM_CUDA_GRAPHS] : 0);
    const bool over = estimate > of->budget;
    const double apart = (double)(over ? estimate - of->budget : of->budget - estimate);
    const uint64_t beside = of->estimate - estimate;
    const bool band =
        of->verdict == MLS_MEMORY_TIGHT && of->low - beside <= of->budget && of->high - beside > of->budget;
    const char *estimated = job->ask.gpu != NULL && job->ask.gpu->estimated ? " (which is estimated)" : "";
    if (band) {
        mls_view_printf(view, verdicts[of->verdict].style, INDENT, HANG,
                        over ? "tight: does not fit, by %s, if the job needs %s as estimated; fits if it needs no more "
                               "than the %s that %s %s%s%s: it may need as little as %s%s"
                             : "tight: fits, with %s to spare, if the job needs %s as estimated; does not fit if it "
                               "needs more than the %s that %s %s%s%s: it may need up to %s%s",
                        gigabytes(apart).text, gigabytes((double)estimate).text, gigabytes((double)of->budget).text,
                        share ? "it may have of the" : "the", gpu, share ? "" : " holds", estimated,
                        gigabytes((double)((over ? of->low : of->high) - beside)).text,
                        differs ? ", with all weights alike" : "");
        if (of->training) {
            const char *depends =
                of->peak == NULL ? over ? "on how much of the estimate the implementation avoids"
                                        : "on memory lost in pieces, on workspaces and on copies of weights"
                : over           ? "on copies that other implementations avoid, such as logits in FP32 (--loss "
                                   "chunked)"
                                 : "on whether the allocator can reuse its free memory: with PYTORCH_CUDA_ALLOC_CONF="
                                   "expandable_segments:True, 1 % more than allocated was enough";
            mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "it depends %s", depends);
        }
    } else if (of->verdict != MLS_MEMORY_UNKNOWN) {
        mls_view_printf(view, verdicts[of->verdict].style, INDENT, HANG, "%s: %s %s than %sthe %s holds%s%s",
                        verdicts[of->verdict].words, gigabytes(apart).text, over ? "more" : "less",
                        share ? "it may have of what " : "", gpu, estimated, differs ? ", with all weights alike" : "");
    } else {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG,
                        "no verdict: give the GPU with --gpu, or its memory with --capacity");
    }
    if (job->ask.ended_well && over) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG,
                        "a run of this job succeeded, so it fits and the estimate is too high");
    }
    if (differs) {
        mls_view_printf(view, verdicts[published->verdict].style, INDENT, HANG, "as published checkpoints are: %s, %s",
                        gigabytes((double)published->estimate).text, verdicts[published->verdict].words);
    }
    if (share) { /* print how a server uses the share of the memory that it may use */
        mls_buffer line = {0};
        mls_buffer_printf(&line, "--gpu-memory-utilization: %s, which leave %s for the KV cache",
                          gigabytes((double)of->budget).text, gigabytes((double)of->cache_bytes).text);
        if (of->cache_blocks >= 0) {
            const double tokens = (double)of->cache_blocks * MLS_MEMORY_BLOCK_TOKENS;
            mls_buffer_printf(&line, ": %s tokens in %s", mls_words_count(tokens).text,
                              mls_words_plural((uint64_t)of->cache_blocks, "block", "blocks").text);
        }
        mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
        if (of->budget + of->items[MLS_MEMORY_ITEM_CUDA_GRAPHS] > of->capacity)
            mls_view_printf(view, MLS_STYLE_WARN, INDENT, HANG, "CUDA graphs are allocated in addition and do not fit");
    }
    if (of->spill > 0) { /* print the size of the part that could be in the host's memory, and the time to read it */
        const bool has_room = of->spill <= of->host_bytes;
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG,
                        "--offload%s %s in the host's memory%s, %s ms to read once",
                        of->verdict == MLS_MEMORY_FITS_WITH_HOST ? ":"
                        : has_room                               ? " would fit:"
                                                                 : " needs",
                        gigabytes((double)of->spill).text, has_room ? "" : ", if it has room",
                        mls_words_grouped(of->read_ms, 1).text);
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG,
                        "over %s, which carries %" PRIu64 " GB/s one way (%" PRIu64 " both ways)", of->link->name,
                        of->link->one_way_gb_s, of->link->both_ways_gb_s);
    }
    if (of->max_tokens > 0) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "fits %s tokens in total%s%s",
                        mls_words_count((double)of->max_tokens).text,
                        of->max_users > 0 ? ", or users like these: " : "",
                        of->max_users > 0 ? mls_words_count((double)of->max_users).text : "");
    }
    if (job->answer.has_smallest)
        show_change(view, job, &job->answer.smallest, "smallest change: ", MLS_STYLE_BOLD);
    else if (job->answer.tried_count > 0)
        mls_view_printf(view, MLS_STYLE_BOLD, INDENT, HANG, "no change that was tried fits, and no pair of changes");
    for (size_t i = 0; i < job->answer.tried_count && view->verbose > 0; i++)
        show_change(view, job, &job->answer.tried[i], "tried: ", MLS_STYLE_DIM);
}

/* Print the memory that the job logged beside what is estimated. */
static void show_logged(mls_view *view, const mls_memory_job *job)
{
    const mls_memory_estimate *of = &job->answer.estimate;
    const double allocated = job->logged.allocated;
    if (allocated > 0 && of->training) {
        const double off = 100 * ((double)of->allocated / allocated - 1);
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG,
                        "allocated at most: estimated %s, logged by the job %s (the estimate is %s %% %s)",
                        gigabytes((double)of->allocated).text, gigabytes(allocated).text,
                        mls_words_grouped(fabs(off), 1).text, off < 0 ? "lower" : "higher");
    }
    if (job->logged.reserved > 0) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG,
                        "reserved by the allocator at most: logged by the job %s, upper end of the estimate without "
                        "runtime %s",
                        gigabytes(job->logged.reserved).text,
                        gigabytes((double)(of->high - of->items[MLS_MEMORY_ITEM_RUNTIME])).text);
    }
}

static void show_memory(mls_printer *to, const void *what)
{
    const mls_memory_job *job = what;
    const mls_memory_estimate *of = &job->answer.estimate;
    const mls_memory_estimate *shown = mls_memory_shown(&job->answer);
    mls_view *view = to->view;
    mls_finding_list found = {0};
    mls_buffer line = {0};
    mls_buffer_printf(&line, "   %s parameters   %s on %s", mls_words_count((double)of->parameters).text,
                      of->training ? "training" : "inference", mls_words_plural(of->gpus, "GPU", "GPUs").text);
    append_setting_value(&line, &job->ask, "  tp ", MLS_MEMORY_TP);
    append_setting_value(&line, &job->ask, "  pp ", MLS_MEMORY_PP);
    if (of->training) {
        append_setting_value(&line, &job->ask, "  cp ", MLS_MEMORY_CP);
        append_given(&line, &job->ask, "  ep ", MLS_MEMORY_EP);
        append_given(&line, &job->ask, "  vp ", MLS_MEMORY_VP);
        mls_buffer_printf(&line, "  data %" PRIu64, of->data_parallel);
    }
    mls_view_headline(view, mls_str_from(job->ask.model), &line, HANG);
    (of->training ? show_training : show_inference)(view, job);
    if (job->printed_in != NULL) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "settings that the job printed in %s",
                        mls_path_shown(job->printed_in));
    }
    show_items(view, job);
    show_logged(view, job);
    if (of->peak != NULL)
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "most memory is allocated during %s", of->peak);
    show_memory_verdict(view, job);
    /* Print the range of the estimate, and the memory that is not estimated. */
    mls_view_printf(view, MLS_STYLE_DIM, INDENT, HANG, "band: %s to %s, %s",
                    mls_words_grouped((double)shown->low / gb, 1).text, gigabytes((double)shown->high).text,
                    of->peak != NULL ? "from what no implementation avoids to all that the allocator reserves"
                    : of->training   ? "from what no implementation avoids to a tenth more, with cast weights"
                                     : "from weights and KV cache alone to twice the working memory and runtime");
    mls_view_printf(view, MLS_STYLE_DIM, INDENT, HANG, "not counted: %s",
                    of->peak != NULL ? "evaluation, checkpoints, what hooks and other libraries allocate"
                    : of->training   ? "workspaces of cuBLAS, buffers in which experts swap tokens, evaluation"
                    : shown->items[MLS_MEMORY_ITEM_CUDA_GRAPHS] > 0
                        ? "fragments of the cache, what a server keeps beside it"
                        : "CUDA graphs, fragments of the cache, what a server keeps beside it");
    for (size_t i = 0; i < job->findings.count; i++) {
        const mls_finding *finding = &job->findings.items[i];
        const bool listed = finding->code == MLS_FINDING_MEMORY_EXPORT || finding->code == MLS_FINDING_MEMORY_MODEL;
        if (listed && !view->quiet)
            mls_finding_list_add_one(&found, finding, (mls_owner){.path = job->file}, NULL);
    }
    mls_finding_list_show(view, &found, (mls_finding_list_look){.indent = INDENT, .hang = HANG, .named = true});
}

const mls_report mls_memory_report = {
    .section = "MEMORY JSON",
    .show = show_memory,
    .object = &memory_fields,
    .columns = {
        .section = "MEMORY CSV",
        .names =
            "file mode model parameters gpu capacity_bytes gpus weights kv_cache gradients optimizer activations "
            "recompute logits working step runtime allocated_bytes estimate_bytes low_bytes high_bytes verdict stage "
            "in_flight data_parallel global_batch kv_per_token_bytes max_tokens max_users spill_bytes read_ms "
            "smallest state cuda_graphs budget_bytes cache_bytes cache_blocks cache_tokens towers quantization "
            "checkpoint_bytes gathered peak",
        .rows = "host items server",
        .sources = {&memory_cache_fields, &memory_host_fields, &memory_csv_fields, &memory_fields,
                    &memory_item_fields}}};

/* ----------------------------------------- out-of-memory messages */

/* An out-of-memory message, and the job with its estimate. */
typedef struct oom_row {
    const mls_oom *oom;
    const mls_memory_job *job; /* NULL: no model was given */
} oom_row;

static double known(int64_t number)
{
    return number >= 0 ? (double)number : (double)NAN;
}

static double estimate_of(const oom_row *row)
{
    return row->job != NULL ? (double)mls_memory_shown(&row->job->answer)->estimate : (double)NAN;
}

/* Return the estimate minus the memory that the job had allocated and tried to allocate, in bytes. */
static double difference_of(const oom_row *row)
{
    return estimate_of(row) - known(row->oom->allocated) - known(row->oom->tried);
}

static void append_advice(mls_buffer *line, const mls_oom *oom)
{
    for (mls_oom_advice i = 0; i < MLS_OOM_ADVICE_COUNT; i++)
        if ((oom->advice & 1U << i) != 0)
            mls_buffer_printf(line, "%s%s", line->len > 0 ? " " : "", mls_oom_advices[i].name);
}

#define OOM_FIELDS(F)                                                                                                  \
    F(oom, file, TEXT, "", row->oom->file)                                                                             \
    F(oom, line, NUMBER, "", row->oom->line)                                                                           \
    F(oom, framework, TEXT, "", row->oom->framework)                                                                   \
    F(oom, wording, TEXT, "", row->oom->wording)                                                                       \
    F(oom, rank, NUMBER_OR_NULL, "", known(row->oom->rank))                                                            \
    F(oom, gpu, NUMBER_OR_NULL, "", known(row->oom->gpu))                                                              \
    F(oom, tried_bytes, NUMBER_OR_NULL, "", known(row->oom->tried))                                                    \
    F(oom, capacity_bytes, NUMBER_OR_NULL, "", known(row->oom->capacity))                                              \
    F(oom, free_bytes, NUMBER_OR_NULL, "", known(row->oom->free))                                                      \
    F(oom, in_use_bytes, NUMBER_OR_NULL, "", known(row->oom->in_use))                                                  \
    F(oom, allocated_bytes, NUMBER_OR_NULL, "", known(row->oom->allocated))                                            \
    F(oom, reserved_bytes, NUMBER_OR_NULL, "", known(row->oom->reserved))                                              \
    F(oom, reserved_unallocated_bytes, NUMBER_OR_NULL, "", known(row->oom->reserved_unallocated))                      \
    F(oom, private_pool_bytes, NUMBER_OR_NULL, "", known(row->oom->private_pool))                                      \
    F(oom, allowed_bytes, NUMBER_OR_NULL, "", known(row->oom->allowed))                                                \
    F(oom, other_bytes, NUMBER_OR_NULL, "", known(row->oom->other))                                                    \
    F(oom, advice, VALUES, "",                                                                                         \
      MLS_EACH(MLS_OOM_ADVICE_COUNT,                                                                                   \
               (row->oom->advice & 1U << i) != 0 ? mls_emit_text(to, mls_oom_advices[i].name) : (void)0))              \
    F(oom, estimate_bytes, NUMBER_OR_NULL, "", estimate_of(row))                                                       \
    F(oom, difference_bytes, NUMBER_OR_NULL, "", difference_of(row))
MLS_FIELDS(oom, oom_row, OOM_FIELDS)
#define OOM_CSV_FIELDS(F) F(oom_csv, advice, WORDS, "", append_advice(words, row->oom))
MLS_FIELDS_BESIDE(oom_csv, oom, OOM_CSV_FIELDS)

#define OOM_LIST_FIELDS(F)                                                                                             \
    F(oom_list, ooms, LIST(oom), "", MLS_EACH(row->count, mls_emit_row(to, &(oom_row){&row->items[i], row->job})))     \
    F(oom_list, dropped, NUMBER, "", row->dropped)
MLS_FIELDS(oom_list, mls_oom_list, OOM_LIST_FIELDS)

static void show_ooms(mls_printer *to, const void *what)
{
    const mls_oom_list *list = what;
    mls_view *view = to->view;
    mls_table table = {.indent = INDENT};
    size_t with[MLS_OOM_ADVICE_COUNT] = {0};
    if (list->count == 0) {
        mls_output_text(view->output, "no out-of-memory messages found\n");
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        const mls_oom *oom = &list->items[i];
        const oom_row row = {oom, list->job};
        const struct {
            const char *header;
            double bytes;
        } sizes[] = {{"wanted", known(oom->tried)},
                     {"allocated", known(oom->allocated)},
                     {list->job != NULL ? "difference" : NULL, difference_of(&row)},
                     {"in pieces", known(oom->reserved_unallocated)},
                     {"free", known(oom->free)},
                     {"others'", known(oom->other)},
                     {"capacity", known(oom->capacity)}};
        mls_buffer advice = {0};
        append_advice(&advice, oom);
        mls_table_row(&table);
        mls_table_cell(&table, "GiB", MLS_COLUMN_KEEP | MLS_COLUMN_CUT, MLS_STYLE_PLAIN, "%s:%zu", oom->file,
                       oom->line);
        mls_table_cell(&table, "rank", MLS_COLUMN_RIGHT, MLS_STYLE_PLAIN, oom->rank >= 0 ? "%" PRId64 : "-", oom->rank);
        mls_table_cell(&table, "GPU", MLS_COLUMN_RIGHT, MLS_STYLE_PLAIN, oom->gpu >= 0 ? "%" PRId64 : "-", oom->gpu);
        mls_table_text(&table, "advice", MLS_COLUMN_LEFT, mls_table_take(&table, &advice));
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            if (sizes[k].header != NULL)
                mls_table_number(&table, sizes[k].header, MLS_COLUMN_DECIMAL, sizes[k].bytes / gib, 2);
        for (mls_oom_advice k = 0; k < MLS_OOM_ADVICE_COUNT; k++)
            with[k] += (oom->advice >> k) & 1;
    }
    mls_table_finish(&table, view);
    for (mls_oom_advice k = 0; k < MLS_OOM_ADVICE_COUNT; k++) {
        if (with[k] > 0) {
            mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "%s: %s (%zu of %zu)", mls_oom_advices[k].name,
                            mls_oom_advices[k].words, with[k], list->count);
        }
    }
    if (list->job != NULL) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG,
                        "difference: of %s GiB, the estimate of this job, to what was allocated and wanted",
                        mls_words_grouped((double)mls_memory_shown(&list->job->answer)->estimate / gib, 2).text);
    }
    mls_view_more(view, MLS_STYLE_WARN, INDENT, list->dropped, "message", NULL);
}

const mls_report mls_oom_report = {
    .section = "MEMORY OOM JSON",
    .show = show_ooms,
    .object = &oom_list_fields,
    .columns = {
        .section = "MEMORY OOM CSV",
        .names =
            "file line framework wording rank gpu tried_bytes capacity_bytes free_bytes in_use_bytes allocated_bytes "
            "reserved_bytes reserved_unallocated_bytes private_pool_bytes allowed_bytes other_bytes advice "
            "estimate_bytes difference_bytes",
        .rows = "ooms",
        .sources = {&oom_csv_fields, &oom_fields}}};
