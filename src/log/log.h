/* SPDX-License-Identifier: Apache-2.0 */
/* log.h - read training logs: from bytes to records.  The main header of log/.
 *
 * Pass one or more sinks (callbacks with a state) to mls_log_scan_fd() or mls_log_scan_bytes().  The log is read once,
 * in blocks, with constant memory; all callbacks are called from the calling thread in file order. signatures.h finds
 * failure messages, prefix.h parses the prefixes of launchers and loggers, and writer.c writes records.
 *
 * Lines and records are defined as in the MLPerf compliance checker: lines end with \n, \r\n or a lone \r, and a line
 * that contains ":::MLLOG " is a record.  The text after the last ":::MLLOG ", without surrounding white space, must be
 * a JSON object with time_ms, key, value and metadata.  Otherwise, the line is malformed; a single malformed line makes
 * the log invalid. */
#pragma once

#include "base/base.h"
#include "json/value.h"

/** A record is malformed if its payload is longer than this, or its JSON is nested deeper than MLS_JSON_DEPTH_MAX. */
#define MLS_RECORD_LENGTH_MAX ((size_t)16 << 20)

/** The numbers of the record keys in key_table.h. */
typedef enum mls_key {
    MLS_KEY_OTHER = 0, /**< any other key, or no key */
#define MLS_KEY(id, text) MLS_KEY_##id,
#include "log/key_table.h"
#undef MLS_KEY
    MLS_KEY_COUNT
} mls_key;

/** Return the number of a key, as in mls_record.key_id. */
mls_key mls_key_of(mls_str text);

/** Return the text of a key, which is NUL-terminated; "" for MLS_KEY_OTHER. */
mls_str mls_key_text(mls_key key);

/** Return the spelling of a key that the rules use.  A key may have another spelling, or be the variable with which
 * configs set it: AMD logs lowest_numerical_precision_linear for lowest_numerical_precision_in_linear.  The compliance
 * checker does not know the other spelling; use this function only to show or compare keys. */
mls_str mls_key_meant(mls_str text);

/** Return the other spelling of a key, or ptr NULL if it has none. */
mls_str mls_key_also_spelt(mls_str key);

/** A well-formed record.  Its spans are valid until the callback returns. */
typedef struct mls_record {
    size_t line;        /**< in the file, from 1 */
    size_t column;      /**< of the payload's first byte in the line, from 1 */
    mls_str prefix;     /**< the text before the last ":::MLLOG " of the line */
    mls_str payload;    /**< the JSON object, without surrounding white space */
    double time_ms;     /**< milliseconds since 1970; a boolean counts as 1 or 0, a string is parsed as a number */
    mls_str key;        /**< the decoded key; ptr is NULL if the key is not a string, so that no rule matches it */
    mls_key key_id;     /**< the number of the key; compare this instead of the text */
    mls_str value;      /**< JSON text of the value, validated */
    mls_str metadata;   /**< JSON text of the metadata, validated */
    mls_str event_type; /**< JSON text, validated; ptr is NULL if absent */
    mls_member_places value_places, metadata_places;
    bool torn;           /**< the line contains an earlier ":::MLLOG ", so a record may have been overwritten */
    size_t whole_before; /**< the number of complete records before this one in the line */
} mls_record;

/** Return a description of what is wrong with the line of a torn record. */
typedef struct mls_torn_words {
    char text[96];
} mls_torn_words;
mls_torn_words mls_record_torn_words(const mls_record *record);

/** A line that contains ":::MLLOG " but not a valid record. */
typedef struct mls_malformed {
    size_t line;
    size_t column;      /**< of the first wrong byte in the line, from 1 */
    const char *reason; /**< static text: "expected ',' or '}'" */
    mls_str payload;    /**< the text after the marker; may be truncated if the record is too long */
    bool torn;
    bool quoted; /**< the marker is quoted in a sentence or a command */
} mls_malformed;

/** The kinds of markers: lines that are not records but contain facts about the job.  The marker is at the start of the
 * line or after the prefix of `srun -l`, such as "13: ". */
typedef enum mls_marker_kind {
    MLS_MARKER_TRIAL_BEGIN,      /**< Beginning trial 3 of 10 */
    MLS_MARKER_EXPERIMENT_START, /**< EXPERIMENT_START <epoch> */
    MLS_MARKER_EXPERIMENT_STOP,  /**< EXPERIMENT_STOP <epoch> */
    MLS_MARKER_RUNANDTIME_START, /**< RUNANDTIME_START <epoch> */
    MLS_MARKER_RUNANDTIME_STOP,  /**< RUNANDTIME_STOP <epoch> */
    MLS_MARKER_DLPAL,            /**< :::DLPAL <container> <job> <nodes> <nodelist> <cluster> <DGXSYSTEM> */
    MLS_MARKER_SYSJSON,          /**< :::SYSJSON {…} */
    MLS_MARKER_GITCOMMITID,      /**< :::GITCOMMITID <a> <b> */
    MLS_MARKER_RESULT,           /**< RESULT,<NAME>,,<seconds>,<user>,<start> */
    MLS_MARKER_STEP              /**< slurmstepd: error: *** STEP <job>.<step> ON <node> CANCELLED AT … */
} mls_marker_kind;

typedef struct mls_marker {
    mls_marker_kind kind;
    size_t line;
    mls_str text; /**< the line from the marker word on, without its ending */
} mls_marker;

/** The totals of a file, complete at its end. */
typedef struct mls_log_totals {
    uint64_t bytes;
    size_t lines;   /**< including an unfinished last line */
    size_t records; /**< well-formed records */
    size_t malformed;
    size_t quoted;      /**< number of malformed lines whose marker is quoted */
    const char *reason; /**< why the first malformed line that is not quoted is malformed; NULL: no such line */
    size_t torn;        /**< number of lines in which an earlier marker was overwritten */
    const char *unread; /**< why the file was not read as a log: "compressed by xz; …"; NULL: it was read */
    const char *suite;  /**< why only lines were read: the log is of another benchmark suite; NULL: it is not */
    bool old_format;    /**< no records, but lines in the format of training 0.6 and older */
    bool binary;        /**< NUL bytes near the start and no line with a marker: not a log */
    bool json;          /**< the whole file is a JSON list or object, such as a system description */
} mls_log_totals;

/** Why logs of the old format are not supported, and what to do instead. */
extern const char mls_reason_old_format[];

/** The reasons why known kinds of logs are not read: the old format, and logs of other benchmark suites. */
enum { MLS_FOREIGN_REASONS = 3 };
extern const char *const mls_foreign_reasons[MLS_FOREIGN_REASONS];

/** Return the index of a reason in mls_foreign_reasons; MLS_FOREIGN_REASONS for any other text and for NULL. */
size_t mls_foreign_reason(const char *why);

/** Return the reason not to read a log that begins with `head` if the log is of another benchmark suite, otherwise
 * NULL. The reason is static text. */
const char *mls_foreign_log(mls_str head);

/** Describe a log none of whose records can be read: "314 records, none can be read: no time_ms".  Return false if some
 * records can be read, or if the log does not contain any. */
enum { MLS_NONE_READ_LENGTH = 160 };
bool mls_log_none_read(size_t records, size_t malformed, const char *reason, char words[MLS_NONE_READ_LENGTH]);

/** Whole lines of the file, including lines that are records. */
typedef struct mls_lines {
    mls_str text; /**< the last line may lack its line ending; valid until the callback returns */
    size_t line;  /**< number of the first line, from 1 */
    bool cut;     /**< `text` is the beginning of one line of at least 16 MiB, whose rest is omitted */
    const uint32_t
        *starts;  /**< the offset of each line in the text, with MLS_LINE_ODD, and finally the offset of the end */
    size_t count; /**< number of lines */
} mls_lines;

/** Flag in the offset of a line that contains control characters other than tabs and its own ending. */
#define MLS_LINE_ODD (UINT32_C(1) << 31)

/** The callbacks that receive the contents of a log.  Each may be NULL. A callback that returns anything but MLS_OK
 * ends the scan, which returns that status. */
typedef struct mls_sink {
    void *state;
    mls_status (*record)(void *state, const mls_record *record);
    mls_status (*earlier)(
        void *state,
        const mls_record *record); /**< complete, but not the last record of its line, so it does not count */
    mls_status (*malformed)(void *state, const mls_malformed *malformed);
    mls_status (*marker)(void *state, const mls_marker *marker);
    mls_status (*lines)(
        void *state, const mls_lines *lines); /**< called right after the callbacks for the contents of these lines */
    mls_status (*end)(void *state, const mls_log_totals *totals);
} mls_sink;

/** Read buffers of one thread.  They can be reused for further scans; release them with mls_scan_room_free(). */
typedef struct mls_scan_room mls_scan_room;
void mls_scan_room_free(mls_scan_room *room);

/** Options for reading.  Zero-initialized: one thread, no limits. */
typedef struct mls_scan_options {
    mls_scan_room *
        *room;         /**< buffers to reuse if one thread scans; allocated if *room is NULL. NULL: do not keep them */
    uint64_t size;     /**< of a regular file that is read from its start; 0: unknown */
    unsigned threads;  /**< threads for one large regular file; 0 and 1: only the calling one */
    bool other_suites; /**< pass only the lines of logs of other benchmark suites to the sinks; false: do not read these
                        * logs
                        */
    bool plain;        /**< do not unpack gzip files and do not read them */
    double deadline_ms; /**< see mls_work */
} mls_scan_options;

/** Read an open file, pipe or device to its end and pass its contents to the sinks in order, on the calling thread. The
 * caller keeps the descriptor. gzip files are unpacked if the library was built with zlib; totals.bytes is the unpacked
 * size.  A file whose first bytes show that it is not a log is not read: no callback is called, and totals.unread is
 * the reason.
 *
 * Return MLS_OK; MLS_ERROR_READ, in which case the sinks got everything before the error, including `end`; or what a
 * callback returned. */
mls_status mls_log_scan_fd(int fd, const mls_scan_options *options, const mls_sink *sinks, size_t sink_count,
                           mls_log_totals *totals, mls_error *error) MLS_MUST_USE;

/** Scan bytes in memory like mls_log_scan_fd().  They need no padding and stay owned by the caller. */
mls_status mls_log_scan_bytes(mls_str bytes, const mls_sink *sinks, size_t sink_count, mls_log_totals *totals,
                              mls_error *error) MLS_MUST_USE;

/** A log that is read while it grows.  An incomplete last line is kept until it is complete. */
typedef struct mls_log_feed mls_log_feed;

/** Create a feed.  The sinks are borrowed and must outlive it. */
mls_log_feed *mls_log_feed_new(const mls_sink *sinks, size_t sink_count);
void mls_log_feed_free(mls_log_feed *feed);

/** Read at most `most` bytes, and at most one block, from *offset on, and advance *offset. gzip files are not unpacked.
 * Return MLS_OK, MLS_ERROR_READ, or what a callback returned. */
mls_status mls_log_feed_read(mls_log_feed *feed, int fd, uint64_t *offset, uint64_t most, mls_scan_room **room,
                             mls_error *error) MLS_MUST_USE;

/** End the log, with or without a final line ending.  Return MLS_OK, or what a callback returned. */
mls_status mls_log_feed_end(mls_log_feed *feed, mls_log_totals *totals) MLS_MUST_USE;

struct mls_arena;

/** Find the payload of the record in a line: the text after its last ":::MLLOG ".  Return false if the line does not
 * contain a marker. */
bool mls_record_find(mls_str line, mls_str *payload);

/** Validate the payload of a record and set its spans, which are in `scratch`.  The grammar is RFC 8259 plus the bare
 * words NaN, Infinity and -Infinity; strings must not contain control characters; the last of duplicate members counts.
 * Return NULL and fill the record, except for its position in a file; otherwise return a static reason and set *where
 * to the offset of the wrong byte. */
const char *mls_record_validate(mls_str payload, mls_record *record, struct mls_arena *scratch,
                                size_t *where) MLS_MUST_USE;

/** Find a member of a record's value or metadata, like mls_json_member(), but faster because the offsets of names are
 * usually known. */
bool mls_record_value_member(const mls_record *record, mls_str name, mls_str *span);
bool mls_record_metadata_member(const mls_record *record, mls_str name, mls_str *span);
