/* SPDX-License-Identifier: Apache-2.0 */
/* scrub.c - remove private data from logs by an allowlist, because a blocklist is never complete.
 *
 * Only records are written.  A key is kept if the rules of an edition or the logging library define it.  Numbers are
 * kept. A text is kept if rules compare values with it (benchmarks, divisions, statuses, precisions, optimizers …) or
 * if it is listed below; any other text is replaced with REDACTED.  Records with unknown keys and members with unknown
 * names are dropped.
 *
 * Kept values are written as they were logged, so that scrubbing again changes nothing. */
#include "base/data.h"
#include "base/map.h"
#include "base/number.h"
#include "config/config.h"
#include "log/log.h"
#include "submission/pack.h"
#include "json/value.h"

#define REDACTED "REDACTED"

enum { WORD_MAX = 100 };

typedef struct scrubbing {
    mls_pack *pack;
    mls_buffer *out;
    mls_arena memory;  /* memory of the maps */
    mls_map key, word; /* caches of whether the rules contain a text as a key, or as a word; 1: no, 2: yes */
    mls_arena scratch; /* temporary memory for one record */
    mls_str record;    /* key of the record */
} scrubbing;

static const char names[] =
    "file lineno epoch_num epoch_count first_epoch_num samples_count step_num step status method metric tensor epoch "
    "instance duration time iteration lr loss train_loss throughput train_step_time validation_step_time "
    "reduced_train_loss train_time max_memory_usage validation_time";

/* Further texts that are kept, in lower case; case is ignored when comparing. */
static const char words[] =
    "interval_start interval_end point_in_time success aborted abort true false none n/a closed "
    "open cloud onprem bf16 fp4 fp6 amp adam adamw adagrad nadam lamb lars sgd nag muon lion "
    "rmsprop momentum redacted";

/* Extensions of source files that may be named in a record. */
static const char code[] = ".py|.pyc|.pyx|.sh|.c|.cc|.cpp|.cu|.h|.hpp|.rs|.jl|.go|.ipynb|.yaml|<string>|<stdin>";

/* Return whether a text consists only of letters, digits and the characters in `marks`. */
static bool is_plain(mls_str text, const char *marks)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (!mls_is_digit(c) && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z') && (c == '\0' || strchr(marks, c) == NULL))
            return false;
    }
    return text.len > 0 && text.len <= WORD_MAX;
}

static bool is_in_rules(mls_map *asked, mls_str text, const char *before, const char *after)
{
    bool added = false;
    char quoted[WORD_MAX + 8];
    if (!is_plain(text, " ._-+/:"))
        return false;
    mls_map_entry *entry = mls_map_put(asked, text, &added);
    if (added) {
        const int len = snprintf(quoted, sizeof quoted, "%s%.*s%s", before, (int)text.len, text.ptr, after);
        entry->value.number = 1;
        for (const mls_data_file *file = mls_data_files; file->name != NULL; file++) {
            const mls_str rules = {file->begin, (size_t)(file->end - file->begin)};
            if (strncmp(file->name, "rules/", 6) == 0 && mls_str_contains(rules, (mls_str){quoted, (size_t)len}))
                entry->value.number = 2;
        }
    }
    return entry->value.number == 2;
}

static bool is_key(scrubbing *self, mls_str text)
{
    return mls_key_of(text) != MLS_KEY_OTHER || is_in_rules(&self->key, text, "\"", "\": ");
}

static void append_text(scrubbing *self, mls_str span, mls_str name)
{
    mls_str text;
    double number;
    (void)mls_json_string(span, &self->scratch, &text);
    /* If the value is the path of a config or of a source file, keep only the file name. */
    const bool config = mls_str_equal(name, MLS_S("config_filename"));
    if (config || mls_str_equal(name, MLS_S("file"))) {
        mls_str last = text;
        for (size_t i = 0; i < text.len; i++)
            last = text.ptr[i] == '/' || text.ptr[i] == '\\' ? mls_str_rest(text, i + 1) : last;
        const bool kept = config ? mls_str_starts(last, MLS_S("config")) || mls_config_name_decode(last).gpus > 0
                                 : mls_str_any(last, code, mls_str_ends);
        if (kept && is_plain(last, config ? "._-+" : "._-+<>")) {
            mls_buffer_printf(self->out, "\"%.*s\"", (int)last.len, last.ptr);
            return;
        }
    }
    char small[WORD_MAX]; /* the text in lower case */
    for (size_t i = 0; i < text.len && i < WORD_MAX; i++)
        small[i] = text.ptr[i] >= 'A' && text.ptr[i] <= 'Z' ? (char)(text.ptr[i] | 0x20) : text.ptr[i];
    const bool word = text.len == 0 || (text.len <= WORD_MAX && mls_str_among((mls_str){small, text.len}, words)) ||
                      is_in_rules(&self->word, text, "\\\"", "\\\"");
    const bool numeric = mls_str_equal(name, MLS_S("seed")) || mls_str_equal(name, MLS_S("time_ms"));
    const bool published =
        mls_str_equal(name, MLS_S("submission_org")) || mls_str_equal(name, MLS_S("submission_platform"));
    if (published || word || (numeric && mls_number_parse(text, &number))) {
        mls_buffer_append(self->out, span);
        return;
    }
    mls_buffer_append_text(self->out, "\"" REDACTED "\"");
    size_t row = 0;
    while (row < self->pack->redacted.count &&
           !mls_str_equal(mls_str_from(self->pack->redacted.items[row].key), self->record))
        row++;
    if (row == self->pack->redacted.count) {
        const mls_pack_redacted more = {mls_arena_copy(self->pack->arena, self->record).ptr, 0};
        MLS_ARENA_ADD(self->pack->arena, &self->pack->redacted, more);
    }
    self->pack->redacted.items[row].texts++;
}

static void append_value(scrubbing *self, mls_str span, mls_str name)
{
    const mls_json_kind kind = mls_json_kind_of(span);
    if (kind == MLS_JSON_STRING) {
        append_text(self, span, name);
    } else if (kind != MLS_JSON_LIST && kind != MLS_JSON_OBJECT) {
        mls_buffer_append(self->out, span);
    } else {
        mls_json_walk walk = mls_json_walk_begin(span);
        mls_raw_member member;
        const char *separator = "";
        mls_buffer_append_text(self->out, kind == MLS_JSON_LIST ? "[" : "{");
        while (mls_json_walk_next(&walk, &member)) {
            if (kind == MLS_JSON_OBJECT && !mls_str_among(member.name, names) &&
                !is_in_rules(&self->word, member.name, "\\\"", "\\\"")) {
                self->pack->dropped_members++;
                continue;
            }
            mls_buffer_append_text(self->out, separator);
            if (kind == MLS_JSON_OBJECT)
                mls_buffer_printf(self->out, "\"%.*s\": ", (int)member.name.len, member.name.ptr);
            append_value(self, member.value, kind == MLS_JSON_OBJECT ? member.name : name);
            separator = ", ";
        }
        mls_buffer_append_text(self->out, kind == MLS_JSON_LIST ? "]" : "}");
    }
}

static mls_status scrub_record(void *state, const mls_record *record)
{
    static const char *const known[] = {"namespace", "time_ms", "event_type", "key", "value", "metadata"};
    scrubbing *self = state;
    mls_json_walk walk = mls_json_walk_begin(record->payload);
    mls_raw_member member;
    const char *separator = "";
    unsigned place;
    mls_arena_reset(&self->scratch);
    if (record->key.ptr == NULL || !is_key(self, record->key)) {
        self->pack->dropped_records++;
        return MLS_OK;
    }
    self->record = record->key;
    mls_buffer_append_text(self->out, ":::MLLOG {");
    while (mls_json_walk_next(&walk, &member)) {
        mls_str text;
        if (!MLS_NAME_FIND(known, sizeof known / sizeof *known, member.name, &place)) {
            self->pack->dropped_members++;
            continue;
        }
        mls_buffer_printf(self->out, "%s\"%s\": ", separator, known[place]);
        separator = ", ";
        if (place == 3 && mls_json_string(member.value, &self->scratch, &text) && is_key(self, text))
            mls_buffer_append(self->out, member.value);
        else
            append_value(self, member.value, place == 4 ? record->key : member.name);
    }
    mls_buffer_append_text(self->out, "}\n");
    return MLS_OK;
}

/* Replace a malformed record with another malformed record, so that the verdict does not change. */
static mls_status scrub_malformed(void *state, const mls_malformed *malformed)
{
    scrubbing *self = state;
    (void)malformed;
    mls_buffer_append_text(self->out, ":::MLLOG " REDACTED "\n");
    return MLS_OK;
}

mls_status mls_pack_scrub(mls_pack *pack, mls_str text, mls_buffer *out, mls_error *error)
{
    scrubbing self = {.pack = pack, .out = out};
    self.key.arena = self.word.arena = &self.memory;
    const mls_sink sink = {.state = &self, .record = scrub_record, .malformed = scrub_malformed};
    mls_log_totals totals = {0};
    const mls_status status = mls_log_scan_bytes(text, &sink, 1, &totals, error);
    pack->dropped_lines += totals.lines - totals.records - totals.malformed;
    mls_arena_release(&self.scratch);
    mls_arena_release(&self.memory);
    return status;
}
