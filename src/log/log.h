/* SPDX-License-Identifier: Apache-2.0 */
/* log.h - from bytes to records: the only reader of training logs there is.
 *
 * A log is read once, in blocks; memory does not grow with it.  Whoever wants its records hands in a sink: callbacks
 * and a state.  One pass feeds any number of sinks, always from one thread, in file order.
 *
 * Lines and records are what the MLPerf compliance checker takes for such: lines end at \n, \r\n or a lone \r; a line
 * is a record if it contains ":::MLLOG "; what follows the last one, less white space at both ends, must be one JSON
 * object with time_ms, key, value and metadata.  A line that breaks this is malformed, and one malformed line makes a
 * log invalid. */
#pragma once

#include "base/base.h"
#include "json/value.h"

/** A record is malformed with a longer payload, or JSON nested deeper than MLS_JSON_DEPTH_MAX. */
#define MLS_RECORD_LENGTH_MAX ((size_t)16 << 20)

/** The number of a record key that code asks for by name; the table is key_table.h. */
typedef enum mls_key {
    MLS_KEY_OTHER = 0, /**< any key without a row, and no key at all */
#define MLS_KEY(id, text) MLS_KEY_##id,
#include "log/key_table.h"
#undef MLS_KEY
    MLS_KEY_COUNT
} mls_key;

/** The number of a key's text, as in mls_record.key_id; the text of a number, NUL-terminated, "" for OTHER. */
mls_key mls_key_of(mls_str text);
mls_str mls_key_text(mls_key key);

/** Return the key that a text means: itself, or for another spelling of a key, or of the variable by which configs set
 * it, that of the rules.  AMD logs lowest_numerical_precision_linear for lowest_numerical_precision_in_linear.  The
 * checker does not know the other spelling; whatever shows or compares the key does. */
mls_str mls_key_meant(mls_str text);

/** Return the other spelling of a key, or ptr NULL if it has none. */
mls_str mls_key_also_spelt(mls_str key);

/** One well-formed record.  Its spans are valid until the callback that got it returns. */
typedef struct mls_record {
    size_t line;        /**< in the file, from 1 */
    size_t column;      /**< of the payload's first byte in its line, from 1 */
    mls_str prefix;     /**< what stood before the last ":::MLLOG " of the line */
    mls_str payload;    /**< the JSON object, trimmed */
    double time_ms;     /**< milliseconds since 1970; a boolean counts 1 or 0, a string is read as a number */
    mls_str key;        /**< the decoded key; ptr NULL when the key is not a string and so matches no rule */
    mls_key key_id;     /**< the key's number: compare this, not the text */
    mls_str value;      /**< JSON text of the value, validated */
    mls_str metadata;   /**< JSON text of the metadata, validated */
    mls_str event_type; /**< JSON text, validated; ptr NULL when absent */
    mls_member_places value_places, metadata_places;
    bool torn;           /**< another ":::MLLOG " stands before the one that counts: a record was overwritten … */
    size_t whole_before; /**< … unless it is whole: so many are */
} mls_record;

/** Say what is wrong with the line of a record that is torn. */
typedef struct mls_torn_words {
    char text[96];
} mls_torn_words;
mls_torn_words mls_record_torn_words(const mls_record *record);

/** A line with ":::MLLOG " in it that is not a record, and why. */
typedef struct mls_malformed {
    size_t line;
    size_t column;      /**< of the first byte that is wrong, in the line, from 1 */
    const char *reason; /**< static text: "expected ',' or '}'" */
    mls_str payload;    /**< what followed the marker; may be cut for a record over the limit */
    bool torn;
    bool quoted; /**< the marker is in a sentence or a command, not of a record */
} mls_malformed;

/** A line that is not a record but says something of the job, at its start or after the "13: " of `srun -l`. */
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
    mls_str text; /**< the whole line from the marker word on, without its ending */
} mls_marker;

/** Totals of a file, known when the scanner has come to its end. */
typedef struct mls_log_totals {
    uint64_t bytes;
    size_t lines;   /**< an unfinished last line counts */
    size_t records; /**< well formed */
    size_t malformed;
    size_t quoted;      /**< of the malformed lines */
    const char *reason; /**< why the first of the others is malformed; NULL: there is none */
    size_t torn;        /**< lines in which an earlier marker was overwritten */
    const char *unread; /**< why it was not read as a log at all: "compressed by xz; …"; NULL: it was */
    const char *suite;  /**< why it is not read but for its lines, as it is a log of another suite; NULL: it is none */
    bool old_format;    /**< no record, but lines as logs of training 0.6 and older have them */
    bool binary;        /**< NUL bytes near the start and not one line with a marker: not a log */
    bool json;          /**< the whole file is a list or an object of JSON, such as the description of a system */
} mls_log_totals;

/** Why a log of that format is of no use, and what to do: static text. */
extern const char mls_reason_old_format[];

/** Logs that are known but not read: the number of why they are not, of MLS_FOREIGN_REASONS; that number for any other
 * reason, and NULL. */
enum { MLS_FOREIGN_REASONS = 3 };
extern const char *const mls_foreign_reasons[MLS_FOREIGN_REASONS];
size_t mls_foreign_reason(const char *why);

/** Why a log with that beginning is one of another benchmark suite, which is not read: static text; NULL: it is not. */
const char *mls_foreign_log(mls_str head);

/** Says that a log has records of which none can be read, and why: "314 records, none can be read: no time_ms".  False:
 * some can, or there are none. */
enum { MLS_NONE_READ_LENGTH = 160 };
bool mls_log_none_read(size_t records, size_t malformed, const char *reason, char words[MLS_NONE_READ_LENGTH]);

/** Whole lines as they stand in the file, those of records among them. */
typedef struct mls_lines {
    mls_str text; /**< the last of them may lack its line ending; valid until the callback returns */
    size_t line;  /**< number of the first, from 1 */
    bool cut;     /**< it is the beginning of one line, at least 16 MiB long, the rest of which is not given */
    const uint32_t *starts; /**< where in the text each line begins, and after them its end; with MLS_LINE_ODD */
    size_t count;           /**< of the lines */
} mls_lines;

/** Set in the start of a line that holds control characters other than tabs and its own ending. */
#define MLS_LINE_ODD (UINT32_C(1) << 31)

/** Who wants to know.  Callbacks may be NULL; one that returns anything but MLS_OK ends the scan with that. */
typedef struct mls_sink {
    void *state;
    mls_status (*record)(void *state, const mls_record *record);
    mls_status (*earlier)(void *state, const mls_record *record); /**< whole, but not the last of its line: not read */
    mls_status (*malformed)(void *state, const mls_malformed *malformed);
    mls_status (*marker)(void *state, const mls_marker *marker);
    mls_status (*lines)(void *state, const mls_lines *lines); /**< right after the callbacks for what is in them */
    mls_status (*end)(void *state, const mls_log_totals *totals);
} mls_sink;

/** Memory that one thread reads into: it can be kept from one scan to the next, for mls_scan_room_free(). */
typedef struct mls_scan_room mls_scan_room;
void mls_scan_room_free(mls_scan_room *room);

/** How to read.  Zero-initialised: one thread, to the end. */
typedef struct mls_scan_options {
    mls_scan_room **room; /**< kept there, made where it is NULL, when one thread scans; NULL: kept nowhere */
    uint64_t size;        /**< of a regular file that is read from its start, as far as it is known; 0: it is not */
    unsigned threads;     /**< threads for one large regular file; 0 and 1: the calling one only */
    bool foreign;         /**< a log of another suite is not left unread, but all that is given of it is lines */
    bool plain;           /**< what is packed by gzip is not unpacked but left unread */
    double deadline_ms;   /**< as mls_work has it */
} mls_scan_options;

/** Reads an open file, pipe or device, which stays the caller's, to its end and feeds `sinks` in order, from the
 * calling thread.  What is packed by gzip is unpacked, where the library was built with zlib; totals.bytes counts what
 * it unpacks to.  What cannot be a log by its first bytes is not read: no callback is called, and totals.unread says
 * why.
 *
 * Returns MLS_OK; MLS_ERROR_READ (the totals and the sinks hold what came before the failure, and `end` was called);
 * or what a callback returned. */
mls_status mls_log_scan_fd(int fd, const mls_scan_options *options, const mls_sink *sinks, size_t sink_count,
                           mls_log_totals *totals, mls_error *error) MLS_MUST_USE;

/** As mls_log_scan_fd(), from memory.  The bytes need no padding and stay the caller's. */
mls_status mls_log_scan_bytes(mls_str bytes, const mls_sink *sinks, size_t sink_count, mls_log_totals *totals,
                              mls_error *error) MLS_MUST_USE;

/** A log that is read as it grows: the last line waits until it has ended. */
typedef struct mls_log_feed mls_log_feed;

/** Of sinks that are the caller's and outlive it. */
mls_log_feed *mls_log_feed_new(const mls_sink *sinks, size_t sink_count);
void mls_log_feed_free(mls_log_feed *feed);

/** Reads what a file has from *offset on, which is moved past it, `most` bytes and a block at most.  As the bytes
 * stand: what is packed by gzip is not for it.  MLS_OK, MLS_ERROR_READ, or what a callback returned. */
mls_status mls_log_feed_read(mls_log_feed *feed, int fd, uint64_t *offset, uint64_t most, mls_scan_room **room,
                             mls_error *error) MLS_MUST_USE;

/** The log ends here, with or without a line ending.  MLS_OK, or what a callback returned. */
mls_status mls_log_feed_end(mls_log_feed *feed, mls_log_totals *totals) MLS_MUST_USE;

struct mls_arena;

/** The payload of the record in a line: what follows the last ":::MLLOG " in it.  False: the line has none. */
bool mls_record_find(mls_str line, mls_str *payload);

/** Validates one record's payload (RFC 8259 and the bare words NaN, Infinity and -Infinity; no control character inside
 * a string; the last of duplicate members wins) and marks its spans, which lie in `scratch`.  Returns NULL and fills
 * the record but for its place in a file; or a static reason, with the offset of the byte that is wrong in *where. */
const char *mls_record_validate(mls_str payload, mls_record *record, struct mls_arena *scratch,
                                size_t *where) MLS_MUST_USE;

/** The span of one member of a record's value, or of its metadata, whose places are known as a rule: as
 * mls_json_member(). */
bool mls_record_value_member(const mls_record *record, mls_str name, mls_str *span);
bool mls_record_metadata_member(const mls_record *record, mls_str name, mls_str *span);
