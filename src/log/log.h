/* SPDX-License-Identifier: Apache-2.0 */
/* log.h - read training logs: from bytes to records.  The main header of log/.
 *
 * Pass one or more sinks (callbacks with a state) to mls_log_scan_fd() or mls_log_scan_bytes().  The log is read once,
 * in blocks, with constant memory.  All callbacks are called on the calling thread, in the order of the file.  Other
 * headers of log/: signatures.h finds failure messages, and prefix.h parses the prefixes that launchers and loggers add
 * to lines.
 *
 * Lines and records are defined as in the MLPerf compliance checker: lines end with \n, \r\n or a lone \r, and a line
 * that contains ":::MLLOG " is a record.  The text after the last ":::MLLOG ", without surrounding white space, must be
 * a JSON object with time_ms, key, value and metadata.  Otherwise, the line is malformed; a single malformed line makes
 * the log invalid. */
#pragma once

#include "base/base.h"
#include "json/value.h"

/** The maximum length of a record's payload in bytes.  A longer record is malformed, and so is one whose JSON is nested
 * deeper than MLS_JSON_DEPTH_MAX. */
#define MLS_RECORD_LENGTH_MAX ((size_t)16 << 20)

/** The numbers of the record keys in key_table.h. */
typedef enum mls_key {
    MLS_KEY_OTHER = 0, /**< any other key, or no key */
#define MLS_KEY(id, text) MLS_KEY_##id,
#include "log/key_table.h"
#undef MLS_KEY
    MLS_KEY_COUNT
} mls_key;

/** Return the number of a key; MLS_KEY_OTHER if the key is not in key_table.h. */
mls_key mls_key_of(mls_str text);

/** Return the text of a key, which is NUL-terminated; "" for MLS_KEY_OTHER. */
mls_str mls_key_text(mls_key key);

/** Return a key in the spelling of the rules.  AMD logs lowest_numerical_precision_linear instead of
 * lowest_numerical_precision_in_linear; the environment variables with which configs set this key differ in the same
 * way, and are converted, too.  The compliance checker does not know AMD's spelling, so use this function only to show
 * or compare keys. */
mls_str mls_key_meant(mls_str text);

/** Return AMD's spelling of a key or variable that is given in the spelling of the rules.  If there is only one
 * spelling, `ptr` of the result is NULL. */
mls_str mls_key_also_spelt(mls_str key);

/** A well-formed record.  Its spans are valid until the callback returns. */
typedef struct mls_record {
    size_t line;     /**< line number in the file, from 1 */
    size_t column;   /**< position of the payload's first byte in the line, from 1 */
    mls_str prefix;  /**< the text before the last ":::MLLOG " of the line */
    mls_str payload; /**< the JSON object, without surrounding white space */
    /** Milliseconds since 1970 in UTC, from a number, a boolean (1 or 0) or a string with a number. */
    double time_ms;
    /** The key without JSON escapes; ptr is NULL if the key is not a string, and then no rule matches it. */
    mls_str key;
    mls_key key_id;     /**< the number of the key; compare this instead of the text */
    mls_str value;      /**< JSON text of the value, validated */
    mls_str metadata;   /**< JSON text of the metadata, validated */
    mls_str event_type; /**< JSON text of the event type, validated; ptr is NULL if the record has no event type */
    /** For mls_record_value_member() and mls_record_metadata_member(). */
    mls_member_places value_places, metadata_places;
    bool torn;           /**< the line contains several ":::MLLOG ", so another record was probably overwritten */
    size_t whole_before; /**< the number of complete records before this one in the line */
} mls_record;

/** A message about the line of a torn record, which mls_record_torn_words() returns. */
typedef struct mls_torn_words {
    char text[96];
} mls_torn_words;
mls_torn_words mls_record_torn_words(const mls_record *record);

/** A line that contains ":::MLLOG " but not a valid record. */
typedef struct mls_malformed {
    size_t line;
    size_t column;      /**< position of the first wrong byte in the line, from 1 */
    const char *reason; /**< why the line is malformed, as a static text: "expected ',' or '}'" */
    mls_str payload;    /**< the text after the last ":::MLLOG "; may be truncated if the record is too long */
    bool torn;          /**< the line contains several ":::MLLOG " */
    bool quoted;        /**< the ":::MLLOG " is quoted in a sentence or a command */
} mls_malformed;

/** The kinds of markers.  A marker is a line that is not a record but contains facts about the job.  The line begins
 * with one of the words below, which may follow a prefix of `srun -l` such as "13: ". */
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

/** The totals of a file, which are complete at the end of the file. */
typedef struct mls_log_totals {
    uint64_t bytes;
    size_t lines;   /**< including an unfinished last line */
    size_t records; /**< well-formed records */
    size_t malformed;
    size_t quoted;      /**< number of malformed lines whose ":::MLLOG " is quoted in a sentence or a command */
    const char *reason; /**< why the first malformed line that is not quoted is malformed; NULL: no such line */
    size_t torn;        /**< number of lines with several ":::MLLOG ", in which a record was probably overwritten */
    const char *unread; /**< why the file was not read as a log, such as "compressed by xz; …"; NULL: it was read */
    /** Why only the lines of this log of another benchmark suite were read; NULL: it is not such a log. */
    const char *suite;
    bool old_format; /**< the file has no records, but lines in the format of training 0.6 and older */
    bool binary;     /**< the file is not a log: it has NUL bytes near its start and no line with ":::MLLOG " */
    bool json;       /**< the whole file is a JSON list or object, such as a system description */
} mls_log_totals;

/** Why logs of the old format are not supported, and what to do instead. */
extern const char mls_reason_old_format[];

/** The reasons why mlscore does not read logs of the old format and logs of other benchmark suites. */
enum { MLS_FOREIGN_REASONS = 3 };
extern const char *const mls_foreign_reasons[MLS_FOREIGN_REASONS];

/** Return the index of a reason in mls_foreign_reasons; MLS_FOREIGN_REASONS for any other text and for NULL. */
size_t mls_foreign_reason(const char *why);

/** If a log that begins with `head` is of another benchmark suite, return the reason not to read it, a static text;
 * otherwise return NULL. */
const char *mls_foreign_log(mls_str head);

/** Describe a log that contains only malformed records, such as "314 records, none can be read: no time_ms".  `reason`
 * is that of the first one.  Return false if some records can be read, or if the log does not contain any. */
enum { MLS_NONE_READ_LENGTH = 160 };
bool mls_log_none_read(size_t records, size_t malformed, const char *reason, char words[MLS_NONE_READ_LENGTH]);

/** Consecutive whole lines of the file, including lines with records. */
typedef struct mls_lines {
    mls_str text; /**< the last line may lack its line ending; valid until the callback returns */
    size_t line;  /**< number of the first line, from 1 */
    bool cut;     /**< `text` is only the beginning of a line of at least 16 MiB */
    /** For each line its offset in `text`, possibly with the flag MLS_LINE_ODD; finally, the length of `text`. */
    const uint32_t *starts;
    size_t count; /**< number of lines */
} mls_lines;

/** A flag in mls_lines.starts: the line contains control characters other than tabs and its line ending. */
#define MLS_LINE_ODD (UINT32_C(1) << 31)

/** The callbacks that receive the contents of a log.  Each callback may be NULL.  If a callback does not return MLS_OK,
 * the scan ends and returns the status of the callback. */
typedef struct mls_sink {
    void *state;
    mls_status (*record)(void *state, const mls_record *record);
    /** Receives a complete record that is followed by another one in its line, and is therefore not counted. */
    mls_status (*earlier)(void *state, const mls_record *record);
    mls_status (*malformed)(void *state, const mls_malformed *malformed);
    mls_status (*marker)(void *state, const mls_marker *marker);
    /** Called after the callbacks for the records and markers in these lines. */
    mls_status (*lines)(void *state, const mls_lines *lines);
    mls_status (*end)(void *state, const mls_log_totals *totals);
} mls_sink;

/** Buffers of one thread, which can be reused for further scans.  Release them with mls_scan_room_free(). */
typedef struct mls_scan_room mls_scan_room;
void mls_scan_room_free(mls_scan_room *room);

/** Options for reading.  Zero-initialized: one thread, no limits. */
typedef struct mls_scan_options {
    /** Buffers to reuse if one thread scans; if *room is NULL, it is set to new buffers.  If `room` is NULL, buffers
     * are allocated for this scan only. */
    mls_scan_room **room;
    uint64_t size;    /**< size in bytes of a regular file that is read from its start; 0: unknown */
    unsigned threads; /**< maximum number of threads for a large regular file; 0 and 1: only the calling thread */
    /** Read logs of other benchmark suites, and pass their lines to the sinks, but no records; false: do not read them.
     */
    bool other_suites;
    bool plain;         /**< do not read gzip files */
    double deadline_ms; /**< see mls_work */
} mls_scan_options;

/** Read an open file, pipe or device to its end and pass its contents to the sinks in order, on the calling thread. The
 * caller keeps the descriptor. gzip files are unpacked if the library was built with zlib; totals.bytes is the unpacked
 * size.  A file whose first bytes show that it is not a log is not read: no callback is called, and totals.unread is
 * the reason.
 *
 * Return MLS_OK; MLS_ERROR_READ, after passing everything before the error to the sinks and calling `end`; or the
 * status returned by a callback. */
mls_status mls_log_scan_fd(int fd, const mls_scan_options *options, const mls_sink *sinks, size_t sink_count,
                           mls_log_totals *totals, mls_error *error) MLS_MUST_USE;

/** Scan a log in memory like mls_log_scan_fd().  The bytes stay owned by the caller, and no padding is needed after
 * them. */
mls_status mls_log_scan_bytes(mls_str bytes, const mls_sink *sinks, size_t sink_count, mls_log_totals *totals,
                              mls_error *error) MLS_MUST_USE;

/** A log that is read while it grows.  An incomplete last line is kept until it is complete. */
typedef struct mls_log_feed mls_log_feed;

/** Create a feed.  The sinks must live as long as the feed. */
mls_log_feed *mls_log_feed_new(const mls_sink *sinks, size_t sink_count);
void mls_log_feed_free(mls_log_feed *feed);

/** Read from *offset on at most `most` bytes and at most one block, and advance *offset.  A gzip file is not unpacked.
 * *room contains the buffers to use; if it is NULL, it is set to new ones.  Return MLS_OK, MLS_ERROR_READ, or the
 * status returned by a callback. */
mls_status mls_log_feed_read(mls_log_feed *feed, int fd, uint64_t *offset, uint64_t most, mls_scan_room **room,
                             mls_error *error) MLS_MUST_USE;

/** End the log, pass on an incomplete last line, and set *totals.  Return MLS_OK, or the status returned by a
 * callback. */
mls_status mls_log_feed_end(mls_log_feed *feed, mls_log_totals *totals) MLS_MUST_USE;

struct mls_arena;

/** Find the payload of the record in a line: the text after its last ":::MLLOG ".  Return false if the line does not
 * contain a marker. */
bool mls_record_find(mls_str line, mls_str *payload);

/** Validate the payload of a record.  The grammar is RFC 8259 plus the bare words NaN, Infinity and -Infinity; strings
 * must not contain control characters; if a member occurs several times, the last one is used.  If the payload is
 * valid, set *record except for its position in a file, and return NULL; decoded texts are allocated in `scratch`.
 * Otherwise, set *where to the offset of the wrong byte, and return the reason, a static text. */
const char *mls_record_validate(mls_str payload, mls_record *record, struct mls_arena *scratch,
                                size_t *where) MLS_MUST_USE;

/** Find a member of a record's value or metadata, and set *span to the JSON text of the member.  Return false if the
 * member does not exist.  This is faster than mls_json_member(), because the offsets of members are usually known. */
bool mls_record_value_member(const mls_record *record, mls_str name, mls_str *span);
bool mls_record_metadata_member(const mls_record *record, mls_str name, mls_str *span);
