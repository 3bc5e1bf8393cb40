/* SPDX-License-Identifier: Apache-2.0 */
/* oom.c - parse out-of-memory messages, and derive advice from their sizes. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/moment.h"
#include "base/number.h"
#include "explain/memory/sizes.h"
#include "log/marked.h"
#include "log/prefix.h"

/* Maximum number of messages that a search stores; further messages are only counted. */
enum { MESSAGES_KEPT = 100000 };

/* Maximum number of lines after the first line of a message that may continue it, and maximum size of all these lines
 * joined, in bytes. */
enum { LINES_JOINED = 12, JOINED_MAX = 4096 };

/* Text that shows, if it is outside of out-of-memory messages, that the advice on fragmentation was followed. */
static const mls_str marks[] = {MLS_STR("expandable_segments:True")};

/* A message and its following lines, joined with one of the separators in `glues`. */
typedef struct open_text {
    char bytes[JOINED_MAX];
    size_t length;
} open_text;

enum { GLUES = 2 };
static const char *const glues[GLUES] = {" ", ""};

struct mls_oom_search {
    mls_signatures *signatures;
    mls_marked_lines marked;
    char *scratch; /* buffer for a line */
    mls_oom *items;
    size_t count, capacity;
    size_t dropped;
    const char *file;
    unsigned left;          /* number of following lines that may continue the last message; 0: none */
    int32_t rank;           /* rank that printed the last message */
    open_text texts[GLUES]; /* text of the current message, for each separator */
    size_t first;           /* index of the file's first message */
    bool expandable;        /* the file enables expandable segments */
};

/* Return the number of bytes of a size such as "12.50 GiB", "86G" or "87kB", or -1 if it is not a size.  All units in
 * messages are powers of 1024. */
static int64_t message_size(mls_str text)
{
    static const char units[] = "KMGT";
    mls_str unit;
    double number;
    mls_str digits = mls_size_split(text, &unit);
    digits.len -= digits.len > 0 && digits.ptr[digits.len - 1] == '.'; /* the period that ends a sentence */
    const char letter = unit.len > 0 ? unit.ptr[0] : 'b';
    const char *place = strchr(units, letter == 'k' ? 'K' : letter);
    if (!mls_number_parse(digits, &number) || (place == NULL && letter != 'b' && letter != 'B'))
        return -1;
    const double bytes = floor(ldexp(number, place != NULL ? 10 * (int)(place - units + 1) : 0) + 0.5);
    return bytes <= (double)MLS_BYTES_MAX ? (int64_t)bytes : -1;
}

/* A message and the signature that it matches. */
typedef struct oom_message {
    const mls_signatures *signatures;
    size_t found;
    mls_str text;
} oom_message;

static mls_str capture_text(const oom_message *message, const char *name)
{
    return mls_signatures_group(message->signatures, message->found, message->text, name);
}

static int64_t capture_size(const oom_message *message, const char *name)
{
    const mls_str text = capture_text(message, name);
    return text.ptr != NULL ? message_size(text) : -1;
}

static int64_t capture_number(const oom_message *message, const char *name)
{
    const mls_str text = capture_text(message, name);
    size_t number;
    return text.ptr != NULL && mls_size_parse(text, &number) && number <= MLS_BYTES_MAX ? (int64_t)number : -1;
}

static int64_t difference(int64_t a, int64_t b)
{
    return a < 0 || b < 0 ? -1 : a > b ? a - b : 0;
}

/* Parse a text.  Return false if it is not an out-of-memory message. */
static bool read_message(const mls_oom_search *search, mls_str text, mls_oom *oom)
{
    static const struct {
        const char *names;
        uint64_t bytes;
    } tensor_types[] = {{"bool int8 uint8 qint8 quint8 float8_e4m3fn float8_e5m2", 1},
                        {"half bfloat16 int16 uint16 qint16 quint16", 2},
                        {"float int32 uint32 qint32", 4},
                        {"double int64 uint64 complex64", 8},
                        {"complex128", 16}};
    const ptrdiff_t found = mls_signatures_find(search->signatures, text, false);
    if (found < 0)
        return false;
    const oom_message message = {.signatures = search->signatures, .found = (size_t)found, .text = text};
    oom->signature = mls_signatures_get(search->signatures, message.found);
    oom->framework = oom->signature->framework;
    oom->wording = oom->signature->wording;
    oom->gpu = capture_number(&message, "gpu");
    oom->tried = capture_size(&message, "tried");
    oom->capacity = capture_size(&message, "capacity");
    const mls_str free_text = capture_text(&message, "free");
    const mls_str unit = capture_text(&message, "unit");
    char whole[64]; /* free memory with its unit: "5.36 GiB" of "5.36/23.64 GiB" */
    oom->free = free_text.ptr != NULL ? message_size(free_text) : -1;
    if (free_text.ptr != NULL && unit.ptr != NULL && free_text.len + unit.len <= sizeof whole) {
        memcpy(whole, free_text.ptr, free_text.len);
        memcpy(whole + free_text.len, unit.ptr, unit.len);
        oom->free = message_size((mls_str){whole, free_text.len + unit.len});
    }
    oom->in_use = capture_size(&message, "in_use");
    oom->allocated = capture_size(&message, "allocated");
    oom->reserved = capture_size(&message, "reserved");
    oom->reserved_unallocated = capture_size(&message, "reserved_unallocated");
    oom->private_pool = capture_size(&message, "private_pool");
    oom->allowed = capture_size(&message, "allowed");
    oom->other = capture_size(&message, "other");
    const int64_t rounded = capture_number(&message, "rounded");
    oom->tried = rounded >= 0 ? rounded : oom->tried;
    oom->rank = oom->rank >= 0 ? oom->rank : capture_number(&message, "rank");
    mls_str shape = capture_text(&message, "shape"); /* shape of a tensor: "53,788,1024" */
    if (shape.ptr != NULL) {
        const mls_str type = capture_text(&message, "type");
        uint64_t bytes = 0;
        for (size_t i = 0; i < sizeof tensor_types / sizeof *tensor_types; i++)
            bytes = mls_str_among(type, tensor_types[i].names) ? tensor_types[i].bytes : bytes;
        for (mls_str one; shape.len > 0 && bytes != 0;) {
            size_t number;
            (void)mls_str_cut(&shape, ',', &one);
            (void)mls_take_char(&one, " ");
            bytes = mls_size_parse(one, &number) ? MUL(bytes, number) : 0;
        }
        oom->tried = bytes != 0 && bytes <= MLS_BYTES_MAX ? (int64_t)bytes : -1;
    }
    if (oom->reserved >= 0)
        oom->reserved_unallocated = difference(oom->reserved, oom->allocated);
    else if (oom->reserved_unallocated >= 0 && oom->allocated >= 0)
        oom->reserved = oom->allocated + oom->reserved_unallocated;
    /* The message may list processes, " Process 4711 has 512.00 MiB memory in use." each.  A process in a
     * container does not know its own process number and lists itself like another process.  Assume that the process
     * itself is the largest one in the list if that uses at least the memory that PyTorch has reserved, and at most a
     * tenth of the GPU more, for contexts, libraries and communication. */
    int64_t largest = -1;
    int64_t sum = -1;
    mls_str rest = capture_text(&message, "processes");
    for (mls_str before; rest.ptr != NULL && mls_str_after(rest, MLS_S(" has "), &before);) {
        const char *end = memmem(before.ptr, before.len, " memory in use.", 15);
        if (end == NULL)
            break;
        const int64_t size = message_size((mls_str){before.ptr, (size_t)(end - before.ptr)});
        if (size >= 0 && sum < (int64_t)MLS_BYTES_MAX - size) {
            sum = (sum < 0 ? 0 : sum) + size;
            largest = size > largest ? size : largest;
        }
        rest = (mls_str){end + 15, (size_t)(rest.ptr + rest.len - end) - 15};
    }
    if (sum >= 0 && oom->in_use < 0 && oom->reserved >= 0) {
        const bool own = largest >= oom->reserved && largest - oom->reserved <= oom->capacity / 10;
        oom->in_use = own ? largest : -1;
        oom->other = own ? sum - largest : sum;
    }
    if (oom->capacity >= 0 && oom->free >= 0 && oom->in_use >= 0)
        oom->other = difference(difference(oom->capacity, oom->free), oom->in_use);
    return true;
}

static unsigned sizes_known(const mls_oom *oom)
{
    const int64_t sizes[] = {oom->tried,    oom->capacity,     oom->free,    oom->in_use, oom->allocated,
                             oom->reserved, oom->private_pool, oom->allowed, oom->other};
    unsigned known = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        known += sizes[i] >= 0;
    return known;
}

/* Append a line to a message.  Return false if it does not fit. */
static bool open_add(open_text *to, mls_str line, const char *glue)
{
    const size_t gap = to->length > 0 ? strlen(glue) : 0;
    if (line.len + gap > sizeof to->bytes - to->length)
        return false;
    memcpy(to->bytes + to->length, glue, gap);
    memcpy(to->bytes + to->length + gap, line.ptr, line.len);
    to->length += gap + line.len;
    return true;
}

/* Return whether line `i` continues the current message, that is, adds values to it.  A message may have several lines,
 * and terminals wrap long lines between or inside words.  A line of another rank, another message or a record ends the
 * message. */
static bool message_goes_on(mls_oom_search *search, size_t i)
{
    const mls_log_line line = mls_log_line_of(&search->marked.lines, i, search->scratch);
    const int32_t rank = mls_log_line_rank(&line);
    mls_oom *oom = &search->items[search->count - 1];
    bool goes_on = false;
    search->left--;
    if ((rank >= 0 && rank != search->rank) || mls_str_contains(line.text, MLS_S("ut of memory")) ||
        mls_str_contains(line.text, MLS_S(":::MLL")))
        search->left = 0;
    for (size_t k = 0; k < GLUES && search->left > 0; k++) {
        open_text *text = &search->texts[k];
        mls_oom more = {.file = oom->file, .line = oom->line, .rank = search->rank};
        if (!open_add(text, mls_str_trim(line.message, mls_is_blank), glues[k])) {
            search->left = 0;
            break;
        }
        const mls_str whole = {text->bytes, text->length};
        (void)mls_signatures_search(search->signatures, whole);
        if (read_message(search, whole, &more) && strcmp(more.signature->id, oom->signature->id) == 0 &&
            sizes_known(&more) > sizes_known(oom)) {
            *oom = more;
            goes_on = true;
        }
    }
    return goes_on;
}

static void examine_line(mls_oom_search *search, size_t i)
{
    const mls_lines *lines = &search->marked.lines;
    const mls_log_line line = mls_log_line_of(lines, i, search->scratch);
    const bool expandable = (mls_signatures_search(search->signatures, line.text) & 1) != 0;
    mls_oom oom = {.file = search->file, .line = lines->line + i, .rank = mls_log_line_rank(&line)};
    if (!read_message(search, line.message, &oom)) {
        /* Ignore the mark in the advice of a wrapped message: "try setting …". */
        search->expandable |= expandable && !mls_str_contains(line.text, MLS_S("try setting"));
        return;
    }
    search->rank = mls_log_line_rank(&line);
    if (search->count == MESSAGES_KEPT) {
        search->dropped++;
        return;
    }
    MLS_GROW(search, items);
    search->items[search->count++] = oom;
    /* The following lines may continue this message. */
    search->left = LINES_JOINED;
    for (size_t k = 0; k < GLUES; k++) {
        search->texts[k].length = 0;
        if (!open_add(&search->texts[k], mls_str_trim(line.message, mls_is_blank), glues[k]))
            search->left = 0;
    }
}

mls_status mls_oom_search_lines(void *state, const mls_lines *lines)
{
    mls_oom_search *search = state;
    mls_marked_block(&search->marked, search->signatures, lines, search->scratch);
    for (size_t i = 0; i < lines->count; i++) {
        const bool open = search->left > 0;
        i = open ? i : mls_marked_next(&search->marked, i, lines->count);
        if (i < lines->count && !(open && message_goes_on(search, i)) &&
            mls_marked_next(&search->marked, i, i + 1) == i)
            examine_line(search, i);
    }
    return MLS_OK;
}

const struct mls_oom_advice_row mls_oom_advices[] = {
#define ADVICE_ROW(id, name, words) {name, words},
    MLS_OOM_ADVICE(ADVICE_ROW)
#undef ADVICE_ROW
};

/* Separately for host memory and GPU memory, keep only the most specific messages of the file: those with a known
 * wording.  Messages that match only the generic entry of a signature often repeat them; if there are no others, keep
 * those with the highest precedence. */
void mls_oom_search_end(mls_oom_search *search)
{
    uint64_t most[2] = {0};
    size_t kept = search->first;
    for (size_t i = search->first; i < search->count; i++) {
        const mls_signature *signature = search->items[i].signature;
        uint64_t *of = &most[signature->kind == MLS_CLASS_HOST_MEMORY];
        const uint64_t weight = signature->generic ? signature->precedence : MLS_PRECEDENCE_MAX + 1;
        *of = weight > *of ? weight : *of;
    }
    for (size_t i = search->first; i < search->count; i++) {
        mls_oom *oom = &search->items[i];
        const mls_signature *signature = oom->signature;
        const uint64_t weight = signature->generic ? signature->precedence : MLS_PRECEDENCE_MAX + 1;
        if (weight != most[signature->kind == MLS_CLASS_HOST_MEMORY])
            continue;
        /* Compare memory of other processes and of private pools with 5 % of the GPU, which is more than the context of
         * a process needs. */
        const bool whole = signature->advice != NULL; /* of a whole program, which consists of several allocations */
        const bool larger = !whole && oom->capacity >= 0 && oom->tried > oom->capacity;
        const bool enough = !larger && oom->tried >= 0 && oom->free >= oom->tried;
        const bool fragmented = !larger && !enough && oom->tried >= 0 && oom->reserved_unallocated >= oom->tried;
        const char *said = signature->advice;
        const bool holds[] = {
            [MLS_OOM_LARGER_THAN_GPU] = larger,
            [MLS_OOM_FREE_ENOUGH] = enough,
            [MLS_OOM_FRAGMENTED] = fragmented && !search->expandable,
            [MLS_OOM_FRAGMENTED_STILL] = fragmented && search->expandable,
            [MLS_OOM_OTHER_PROCESS] = oom->capacity >= 0 && oom->other > oom->capacity / 20,
            [MLS_OOM_MEMORY_FRACTION] = oom->allowed >= 0 && oom->allowed < oom->capacity,
            [MLS_OOM_CUDA_GRAPHS] = oom->capacity >= 0 && oom->private_pool > oom->capacity / 20,
            [MLS_OOM_HOST_MEMORY] = signature->kind == MLS_CLASS_HOST_MEMORY && said == NULL,
            [MLS_OOM_TOO_MUCH] = false,
        };
        for (unsigned k = 0; k < sizeof holds / sizeof *holds; k++) {
            const bool follows = said != NULL && strcmp(said, mls_oom_advices[k].name) == 0;
            oom->advice |= holds[k] || follows ? 1U << k : 0;
        }
        oom->advice = oom->advice != 0 ? oom->advice : 1U << MLS_OOM_TOO_MUCH;
        search->items[kept++] = *oom;
    }
    search->count = kept;
    search->first = kept;
}

void mls_oom_search_begin(mls_oom_search *search, const char *file)
{
    search->file = file;
    search->first = search->count;
    search->expandable = false;
    search->left = 0;
}

const mls_oom *mls_oom_search_items(const mls_oom_search *search, size_t *count, size_t *dropped)
{
    *count = search->count;
    *dropped = search->dropped;
    return search->items;
}

mls_status mls_oom_search_new(mls_oom_search **search, mls_error *error)
{
    mls_oom_search *made = mls_calloc(1, sizeof *made);
    made->scratch = mls_malloc(MLS_LINE_EXAMINED);
    *search = made;
    const mls_status status = mls_signatures_of_memory(&made->signatures, error);
    if (status == MLS_OK)
        mls_signatures_prepare(made->signatures, marks, 1, 1);
    return status;
}

void mls_oom_search_free(mls_oom_search *search)
{
    if (search != NULL) {
        mls_signatures_free(search->signatures);
        free(search->marked.bits);
        free(search->scratch);
        free(search->items);
        free(search);
    }
}
