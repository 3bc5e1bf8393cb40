/* SPDX-License-Identifier: Apache-2.0 */
/* layout.c - Megatron's language for pipelines whose stages are not even. */
#include "base/number.h"
#include "config/config.h"

enum {
    DEPTH_MAX = 8,      /* of groups inside each other */
    REPEAT_MAX = 10000, /* of one "*N" */
    STEPS_MAX = 100000  /* so that repetitions of repetitions come to an end */
};

/* The text, and the groups that are open: where each begins, and how often it is still to come. */
typedef struct layout_reader {
    mls_str text;
    size_t at;
    struct {
        size_t begin, left;
    } groups[DEPTH_MAX];
    size_t depth;
    bool embedding, loss;
    mls_pipeline_layout *layout;
} layout_reader;

/* Takes "*N" off; 1 without it.  0: it is not a number from 1 to REPEAT_MAX. */
static size_t take_repeat(layout_reader *reader)
{
    const mls_str text = reader->text;
    size_t number = 1;
    if (reader->at == text.len || text.ptr[reader->at] != '*') {
        return number;
    }
    const size_t begin = ++reader->at;
    while (reader->at < text.len && mls_is_digit(text.ptr[reader->at])) {
        reader->at++;
    }
    const bool known = mls_size_parse((mls_str){text.ptr + begin, reader->at - begin}, &number);
    return known && number <= REPEAT_MAX ? number : 0;
}

/* NULL, or what is wrong with the letter. */
static const char *put_letter(layout_reader *reader, char letter, size_t times)
{
    mls_pipeline_layout *layout = reader->layout;
    mls_pipeline_chunk *chunk = &layout->chunks[layout->count - 1];
    const bool first = layout->count == 1 && chunk->layers == 0 && chunk->predictors == 0;
    if (reader->loss) {
        return "nothing follows the loss, L";
    }
    switch (letter) {
    case 'E':
        if (reader->embedding || !first || times != 1) {
            return "the embedding, E, stands once, at the start";
        }
        reader->embedding = true;
        return NULL;
    case 't':
        chunk->layers += (uint32_t)times;
        layout->layers += times;
        return layout->predictors > 0 ? "no layer, t, follows one that predicts, m" : NULL;
    case 'm':
        chunk->predictors += (uint32_t)times;
        layout->predictors += times;
        return NULL;
    case 'L':
        reader->loss = true;
        return times != 1 ? "the loss, L, stands once, at the end" : NULL;
    default:
        return "its letters are E, t, m and L";
    }
}

/* Begins as many chunks as there are bars. */
static const char *put_bars(layout_reader *reader, size_t times)
{
    if (reader->loss) {
        return "nothing follows the loss, L";
    }
    if (times > MLS_CONFIG_CHUNKS_MAX - reader->layout->count) {
        return "it has too many stages";
    }
    reader->layout->count += times;
    return NULL;
}

/* The end of a group, which begins anew as often as it is repeated. */
static const char *end_group(layout_reader *reader)
{
    if (reader->depth == 0) {
        return "a ) closes no (";
    }
    size_t *left = &reader->groups[reader->depth - 1].left;
    const size_t times = take_repeat(reader);
    if (times == 0) {
        return "a * is not followed by a number from 1 to 10000";
    }
    *left = (*left == 0 ? times : *left) - 1;
    if (*left > 0) {
        reader->at = reader->groups[reader->depth - 1].begin;
    } else {
        reader->depth--;
    }
    return NULL;
}

static const char *begin_group(layout_reader *reader)
{
    if (reader->depth == DEPTH_MAX) {
        return "its groups are too deep inside each other";
    }
    reader->groups[reader->depth].begin = reader->at;
    reader->groups[reader->depth++].left = 0;
    return NULL;
}

/* The next letter, bar or parenthesis.  Commas are for people. */
static const char *read_one(layout_reader *reader)
{
    const char letter = reader->text.ptr[reader->at++];
    if (letter == ',' || letter == ' ') {
        return NULL;
    }
    if (letter == '(') {
        return begin_group(reader);
    }
    if (letter == ')') {
        return end_group(reader);
    }
    const size_t times = take_repeat(reader);
    if (times == 0) {
        return "a * is not followed by a number from 1 to 10000";
    }
    return letter == '|' ? put_bars(reader, times) : put_letter(reader, letter, times);
}

const char *mls_pipeline_layout_parse(mls_str text, mls_pipeline_layout *layout)
{
    *layout = (mls_pipeline_layout){.count = 1};
    layout_reader reader = {.text = text, .layout = layout};
    const char *wrong = NULL;
    for (size_t steps = 0; wrong == NULL && reader.at < text.len; steps++) {
        wrong = steps == STEPS_MAX ? "it repeats too much" : read_one(&reader);
    }
    if (wrong == NULL) {
        wrong = reader.depth > 0    ? "a ( is not closed"
                : !reader.embedding ? "the embedding, E, is missing"
                : !reader.loss      ? "the loss, L, is missing"
                                    : NULL;
    }
    if (wrong != NULL) {
        layout->count = 0;
    }
    return wrong;
}
