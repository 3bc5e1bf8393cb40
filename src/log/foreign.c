/* SPDX-License-Identifier: Apache-2.0 */
/* foreign.c - recognize logs that mlscore cannot read: logs of MLPerf Inference and Storage, logs of old rounds, and
 * logs in which every record is malformed. */
#include "base/words.h"
#include "log/log.h"

/* Number of bytes at the start of a log that are searched to recognize its benchmark suite. */
enum { SEARCHED = 16 * 1024 };

const char mls_reason_old_format[] =
    "a log of training 0.6 or older (:::MLL, :::MLPv0…), and mlscore reads those of 0.7 and later (:::MLLOG); "
    "the compliance checker of its own round judges it";

#define NOT_JUDGED ", which mlscore does not judge: it reads logs of MLPerf Training and HPC"
static const char inference[] = "a log of MLPerf inference (loadgen)" NOT_JUDGED;
static const char storage[] = "a log of MLPerf storage (DLIO)" NOT_JUDGED;

const char *const mls_foreign_reasons[MLS_FOREIGN_REASONS] = {mls_reason_old_format, inference, storage};

size_t mls_foreign_reason(const char *why)
{
    size_t i = 0;
    while (i < MLS_FOREIGN_REASONS && (why == NULL || strcmp(why, mls_foreign_reasons[i]) != 0))
        i++;
    return i;
}

/* Examine only the first record: loadgen, the logger of MLPerf Inference, writes its version there. */
const char *mls_foreign_log(mls_str head)
{
    mls_str rest;
    mls_str line;
    head.len = head.len < SEARCHED ? head.len : SEARCHED;
    if (mls_str_after(head, MLS_S(":::MLLOG "), &rest)) {
        (void)mls_str_cut(&rest, '\n', &line);
        return mls_str_contains(line, MLS_S("\"mlperf::logging\"")) || mls_str_contains(line, MLS_S("\"loadgen_"))
                   ? inference
                   : NULL;
    }
    return mls_str_contains(head, MLS_S("MLPerf Results Summary")) && mls_str_contains(head, MLS_S("SUT name"))
               ? inference
           : mls_str_contains(head, MLS_S(" Running DLIO [")) ? storage
                                                              : NULL;
}

bool mls_log_none_read(size_t records, size_t malformed, const char *reason, char words[MLS_NONE_READ_LENGTH])
{
    mls_str why = mls_str_from(reason != NULL ? reason : "malformed");
    (void)mls_str_after(why, MLS_S("the record has "), &why);
    if (malformed == 0 || records > 0)
        return false;
    (void)mls_text_printf(words, MLS_NONE_READ_LENGTH,
                          malformed == 1 ? "%s, which cannot be read: %.*s" : "%s, none can be read: %.*s",
                          mls_words_plural(malformed, "record", "records").text, (int)why.len, why.ptr);
    return true;
}

mls_torn_words mls_record_torn_words(const mls_record *record)
{
    mls_torn_words words;
    const size_t count = record->whole_before + 1;
    const mls_words number = mls_words_count((double)count);
    if (count == 1) {
        (void)mls_text_printf(words.text, sizeof words.text,
                              "an earlier record in this line was overwritten and is lost");
    } else {
        (void)mls_text_printf(words.text, sizeof words.text,
                              "%s records in this line; the compliance checker reads only the last",
                              count == 2 ? "two" : number.text);
    }
    return words;
}
