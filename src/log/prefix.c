/* SPDX-License-Identifier: Apache-2.0 */
/* prefix.c - parse the prefixes that launchers, loggers and kernels add to lines, with a table of their formats. */
#include "log/prefix.h"

#include <math.h>

#include "base/moment.h"

enum { PREFIXES_MAX = 6, NODE_MAX = 64 };

static bool take_host(mls_str *text, mls_str *host)
{
    *host = (mls_str){text->ptr, 0};
    for (; host->len < text->len && host->len < NODE_MAX; host->len++) {
        const char c = text->ptr[host->len];
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !mls_is_digit(c) && c != '-' && c != '_' && c != '.')
            break;
    }
    *text = (mls_str){text->ptr + host->len, text->len - host->len};
    return host->len > 0;
}

static bool take_between(mls_str *text, size_t digits, int min, int max, int *number)
{
    return mls_take_digits(text, digits, number) && *number >= min && *number <= max;
}

/* Read the part of the text that a letter of a format describes (see mls_line_take()), and advance *text past it.
 * Return false if the text does not match. */
static bool take_letter(mls_str *text, char letter, mls_line_parts *parts)
{
    static const char months[] = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec ";
    const char *begin = text->ptr;
    bool numbered = false;
    size_t digits;
    bool zoned;
    mls_str word;
    switch (letter) {
    case '_':
        while (mls_take_char(text, " \t")) {
        }
        return true;
    case '?':
        (void)mls_take_char(text, " ");
        return true;
    case '|':
        return text->len == 0 || text->ptr[0] == ' ' || text->ptr[0] == '\t';
    case 'r':
        return mls_take_number(text, &parts->rank);
    case 'k':
        return mls_take_number(text, &parts->task);
    case 'l':
        return mls_take_number(text, &parts->local_rank);
    case 'n':
        return mls_take_number(text, &parts->number);
    case 'g':
        if (!mls_take_number(text, &parts->number))
            return false;
        parts->gpu = (mls_str){begin, (size_t)(text->ptr - begin)};
        return true;
    case 'Y':
        return take_between(text, 4, 1970, 9999, &parts->year);
    case 'B':
        parts->month = 1;
        while (parts->month <= 12 && !mls_str_starts(*text, (mls_str){months + 4 * (parts->month - 1), 4}))
            parts->month++;
        *text = parts->month <= 12 ? mls_str_rest(*text, 4) : *text;
        return parts->month <= 12;
    case 'E':
        digits = mls_take_char(text, " ") || (text->len > 1 && text->ptr[1] == ' ') ? 1 : 2;
        return take_between(text, digits, 1, 31, &parts->day);
    case 'G':
        digits = text->len > 3 && text->ptr[3] == ' ' ? 1 : 2;
        return take_between(text, digits, 1, 12, &parts->month) && take_between(text, 2, 1, 31, &parts->day);
    case 't':
        return mls_take_moment(text, "-", &parts->moment_ms, &zoned);
    case 'C':
        return mls_take_clock(text, &parts->clock_ms);
    case 'W':
        word = (mls_str){text->ptr, text->len < 3 ? text->len : 3};
        *text = (mls_str){text->ptr + word.len, text->len - word.len};
        return true;
    case 'L':
        return mls_take_char(text, "IWEF");
    case 'h':
        return take_host(text, &parts->node);
    case 'w': /* a role of torchx does not begin with a digit; "331/1063 [" is a progress bar */
        return take_host(text, &word) && !mls_is_digit(word.ptr[0]);
    case 'c': /* the name of a docker compose container, which ends with a number: "pytorch-3" */
        if (!take_host(text, &word))
            return false;
        parts->node = word;
        for (size_t i = 1; i < word.len; i++)
            numbered |= mls_is_digit(word.ptr[i]) && (word.ptr[i - 1] == '-' || word.ptr[i - 1] == '_');
        return numbered && !mls_is_digit(word.ptr[0]);
    case '[':
        return text->len > 0 && text->ptr[0] == '[';
    case 'q': /* numbers of kinds of parallelism: " DP1 TP3" */
        do {
            if (!mls_take_char(text, " ") || text->len < 3 || text->ptr[1] != 'P')
                return false;
            *text = mls_str_rest(*text, 2);
            numbered = mls_take_number(text, &parts->number);
        } while (numbered && text->len > 0 && text->ptr[0] == ' ');
        return numbered;
    case 'V':
        return text->len > 1 && text->ptr[1] >= 'A' && text->ptr[1] <= 'Z' &&
               mls_str_among(mls_str_word(text), "TRACE DEBUG INFO SUCCESS WARNING ERROR CRITICAL");
    case 'm':
        return mls_str_word(text).len > 0;
    case 'N':
        word = mls_str_word(text);
        parts->node = word.len <= NODE_MAX ? word : parts->node;
        return word.len > 0;
    default: /* 'P' */
        return mls_str_ends(mls_str_word(text), MLS_S(":"));
    }
}

bool mls_line_take(mls_str *text, const char *format, mls_line_parts *parts)
{
    mls_str rest = *text;
    *parts = (mls_line_parts){.moment_ms = (double)NAN, .rank = -1, .task = -1, .local_rank = -1, .number = -1};
    for (; *format != '\0'; format++)
        if (*format == '%' ? !take_letter(&rest, *++format, parts)
                           : !mls_take_char(&rest, (const char[]){*format, '\0'}))
            return false;
    *text = rest;
    return true;
}

/* Kinds of bytes with which prefixes begin. */
enum {
    BLANK = 1,
    TAB = 2,
    DIGIT = 4,
    BRACKET = 8,
    PAREN = 16,
    BAR = 32,
    GLOG = 64,   /* I W E F */
    LEVEL = 128, /* D I W E C */
    MONTH = 256, /* J F M A S O N D */
    SMALL_S = 512
};

static unsigned kinds_of(char c)
{
    static const struct {
        const char *bytes;
        unsigned kind;
    } kinds[] = {{"IWEF", GLOG}, {"DIWEC", LEVEL}, {"JFMASOND", MONTH}};
    unsigned found = 0;
    switch (c) {
    case ' ':
        return BLANK;
    case '\t':
        return TAB;
    case '[':
        return BRACKET;
    case '(':
        return PAREN;
    case '|':
        return BAR;
    case 's':
        return SMALL_S;
    default:
        if (mls_is_digit(c))
            return DIGIT;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds && c >= 'A' && c <= 'Z'; i++)
            found |= strchr(kinds[i].bytes, c) != NULL ? kinds[i].kind : 0;
        return found;
    }
}

/* The formats of prefixes (see mls_line_take()), each with the kinds of bytes with which such a prefix can begin. */
static const struct {
    unsigned firsts;
    const char *format;
} prefixes[] = {
    {BLANK | TAB | DIGIT, "%_%k: "}, /* srun -l */
    {BRACKET, "[%n,%k]<stderr>:"},   /* mpirun */
    {BRACKET, "[%n,%k]<stdout>:"},   /* other streams of mpirun */
    {BRACKET, "[%n,%k]<stddiag>:"},
    {BRACKET, "[%k]<stderr>:"}, /* horovodrun */
    {BRACKET, "[%k]<stdout>:"},
    {BRACKET, "[%n,mpirank:%k,%h]<stderr>:"}, /* SageMaker */
    {BRACKET, "[%n,mpirank:%k,%h]<stdout>:"},
    {BRACKET, "[rank: %r]"},       /* Lightning */
    {BRACKET, "[pod/%h/%w]"},      /* kubectl logs --prefix */
    {PAREN, "(%w pid=%n, ip=%h)"}, /* Ray */
    {PAREN, "(%w(rank=%r) pid=%n, ip=%h)"},
    {PAREN, "(%w(rank=%r) pid=%n)"},
    {PAREN, "(%w rank=%r pid=%n)"}, /* vLLM */
    {PAREN, "(%w, rank=%r, pid=%n)"},
    {PAREN, "(%w pid=%n)"},
    {PAREN, "(pid=%n, ip=%h)"},
    {PAREN, "(pid=%n)"},
    {PAREN, "(%w, ip=%h)"},
    {BAR, "| %V%_| %m - "}, /* loguru; follows the time */
    {BRACKET, "[rank%r]:"}, /* torch */
    {BRACKET, "[rank%r]%|"},
    {BRACKET, "[RANK %r]"},
    {BRACKET, "[default%l]:"},              /* torchrun */
    {BLANK | DIGIT, "%?%t%|"},              /* 2026-04-19T13:28:01.123Z */
    {BLANK | BRACKET, "%?[%t]"},            /* [2026-04-19 13:28:01] */
    {BRACKET, "[%t%q]"},                    /* SGLang: [2025-04-11 08:51:14 DP1 TP0] */
    {BLANK | BRACKET, "%?[%W %B%E %C %Y]"}, /* dmesg -T: [Sun Apr 19 13:28:01 2026] */
    {BRACKET, "[%L%G %C%|"},                /* glog: [E0419 13:28:01.123456; PyTorch: [E419 */
    {GLOG, "%L%G %C%|"},                    /* glog without a bracket */
    {MONTH, "%B%E %C %N%P"},                /* syslog: Apr 19 13:28:01 node076 kernel: */
    {BRACKET, "[%_%n.%n]"},                 /* [ 8123.456789] */
    {LEVEL, "%V %n-%n %C %m "},             /* vLLM: ERROR 09-10 21:04:11 [core.py:700] */
    {SMALL_S, "stderr F "},                 /* containerd; follows the time.  F: a full line, P: a part of a line */
    {SMALL_S, "stdout F "},
    {SMALL_S, "stderr P "},
    {SMALL_S, "stdout P "},
};

/* The formats of prefixes that begin with the name of a host or process, each with the byte that follows the name. */
static const struct {
    char after;
    const char *format;
} named_prefixes[] = {
    {':', "%h:%n:%n [%g]"}, /* NCCL: node076:984:1357 [4] */
    {'/', "%w/%n [%l]:"},   /* torchx and NeMo-Run: train/0 [3]: */
    {'/', "%w/%n %["},
    {' ', "%c%_| "}, /* docker compose: trainer-1  | */
};

/* Return whether a name is the name of a node.  Some devices have similar names: "nvidia-nvswitch3: SXid …", "mlx5_0:
 * link down", "nvme0n1: I/O timeout". */
static bool names_node(mls_str name)
{
    static const char *const others[] = {"python", "nvidia-", "mlx5_", "nvme"};
    bool digit = false;
    for (size_t i = 0; i < name.len; i++) {
        digit |= mls_is_digit(name.ptr[i]);
        if (name.ptr[i] >= 'A' && name.ptr[i] <= 'Z')
            return false;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (mls_str_starts(name, mls_str_from(others[i])))
            return false;
    return digit && name.ptr[0] >= 'a' && name.ptr[0] <= 'z' &&
           !(mls_str_starts(name, MLS_S("ib")) && name.len > 2 && mls_is_digit(name.ptr[2]));
}

/* Remove one prefix from the start of *rest, and store its parts in `line`.  A rank, time, node or GPU that is already
 * known is kept. */
static bool strip_prefix(mls_str *rest, mls_log_line *line, bool first)
{
    mls_line_parts parts;
    mls_str at = *rest;
    mls_str host;
    const unsigned kinds = kinds_of(at.ptr[0]);
    bool found = false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && !found && kinds != 0; i++)
        found = (prefixes[i].firsts & kinds) != 0 && mls_line_take(&at, prefixes[i].format, &parts);
    mls_str behind = at;
    const char after = !found && take_host(&behind, &host) && behind.len > 0 ? behind.ptr[0] : '\0';
    for (size_t i = 0; i < sizeof named_prefixes / sizeof *named_prefixes && !found && after != '\0'; i++)
        found = after == named_prefixes[i].after && mls_line_take(&at, named_prefixes[i].format, &parts);
    if (!found && !(first && after == ':' && mls_line_take(&at, "%h: ", &parts) && names_node(parts.node)))
        return false;
    line->rank = line->rank < 0 ? parts.rank : line->rank;
    line->task = line->task < 0 ? parts.task : line->task;
    line->local_rank = line->local_rank < 0 ? parts.local_rank : line->local_rank;
    const int year = parts.year > 0 ? parts.year : MLS_NO_YEAR;
    if (isnan(line->time_ms) && parts.month > 0)
        line->time_ms = mls_days_of(year, parts.month, parts.day) * MLS_DAY_MS + parts.clock_ms;
    else if (isnan(line->time_ms))
        line->time_ms = parts.moment_ms;
    line->node = line->node.len == 0 ? parts.node : line->node;
    line->gpu = line->gpu.len == 0 ? parts.gpu : line->gpu;
    *rest = at;
    return true;
}

mls_str mls_log_line_clean(mls_str raw, char *scratch)
{
    size_t to = 0;
    raw.len = raw.len < MLS_LINE_EXAMINED ? raw.len : MLS_LINE_EXAMINED;
    for (size_t i = 0; i < raw.len; i++) {
        const unsigned char c = (unsigned char)raw.ptr[i];
        if (c != 0x1b) {
            scratch[to] = (char)c;
            to += (c >= 0x20 && c != 0x7f) || c == '\t';
        } else if (i + 1 < raw.len && raw.ptr[i + 1] == '[') {
            for (i += 2; i < raw.len && !(raw.ptr[i] >= 0x40 && raw.ptr[i] <= 0x7e); i++) {
            }
        } else if (i + 1 < raw.len && raw.ptr[i + 1] == ']') {
            for (i += 2; i < raw.len && raw.ptr[i] != '\a' && raw.ptr[i] != 0x1b; i++) {
            }
            i += i + 1 < raw.len && raw.ptr[i] == 0x1b && raw.ptr[i + 1] == '\\';
        } else { /* two-byte escapes, or longer ones with intermediate bytes, as in "ESC ( B" */
            for (i++; i < raw.len && raw.ptr[i] >= 0x20 && raw.ptr[i] <= 0x2f; i++) {
            }
        }
    }
    return (mls_str){scratch, to};
}

mls_log_line mls_log_line_read(mls_str raw, bool clean, char *scratch)
{
    const mls_str cut = {raw.ptr, raw.len < MLS_LINE_EXAMINED ? raw.len : MLS_LINE_EXAMINED};
    mls_log_line line = {.text = clean ? cut : mls_log_line_clean(cut, scratch),
                         .time_ms = (double)NAN,
                         .rank = -1,
                         .task = -1,
                         .local_rank = -1};
    line.message = line.text;
    for (int i = 0; i < PREFIXES_MAX && line.message.len > 0 && strip_prefix(&line.message, &line, i == 0); i++)
        (void)mls_take_char(&line.message, " ");
    /* The launcher's number of the process is the rank, unless the process is torchrun, which numbers its own
     * processes. */
    line.rank = line.rank < 0 && line.local_rank < 0 ? line.task : line.rank;
    return line;
}

/* If *line begins with `begins`, a number and the two bytes of `ends`, advance *line past them and return the number;
 * otherwise return -1. */
static int32_t take_quickly(const char **line, const char *begins, const char *ends)
{
    const char *at = *line;
    int32_t number = 0;
    while (*begins != '\0' && *at == *begins) { /* in most lines, the first byte differs */
        at++;
        begins++;
    }
    const char *const digits = at;
    for (; mls_is_digit(*at) && number < INT32_MAX / 10 - 1; at++)
        number = number * 10 + (*at - '0');
    if (*begins != '\0' || at == digits || at[0] != ends[0] || at[1] != ends[1])
        return -1;
    *line = at + 2;
    return number;
}

/* Parses "13: " or "[1,13]<stderr>:", then "[default3]:", then "[rank13]:".  Some logs have such a prefix on every
 * line, so these prefixes are parsed here without the table of formats. */
int32_t mls_log_line_first_rank(const char *at)
{
    int32_t task;
    while (*at == ' ')
        at++;
    if (*at == '[') {
        const char *after = at + 1 + strspn(at + 1, "0123456789");
        task = take_quickly(&after, ",", "]<");
        if (task >= 0) {
            after += strspn(after, "stderouiag>");
            at = after + (*after == ':');
        }
    } else {
        task = take_quickly(&at, "", ": ");
    }
    at += task >= 0 && *at == ' ';
    if (*at != '[')
        return task;
    const bool local = take_quickly(&at, "[default", "]:") >= 0;
    at += local && *at == ' ';
    const int32_t rank = take_quickly(&at, "[rank", "]:");
    return rank >= 0 || local ? rank : task;
}

mls_str mls_lines_text(const mls_lines *lines, size_t i)
{
    const char *begin = lines->text.ptr + mls_lines_begin(lines, i);
    const char *end = lines->text.ptr + mls_lines_begin(lines, i + 1);
    while (end > begin && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    return (mls_str){begin, (size_t)(end - begin)};
}

mls_log_line mls_log_line_of(const mls_lines *lines, size_t i, char *scratch)
{
    return mls_log_line_read(mls_lines_text(lines, i), !mls_lines_odd(lines, i), scratch);
}

double mls_log_line_time(const mls_log_line *line)
{
    mls_str rest = line->message;
    mls_line_parts parts;
    if (!isnan(line->time_ms))
        return line->time_ms;
    if (mls_line_take(&rest, "%_time %_: %t", &parts) || /* a row of torchrun: "  time      : 2026-04-19_13:28:01" */
        (mls_str_contains(rest, MLS_S("slurmstepd: ")) && mls_str_after(rest, MLS_S(" AT "), &rest) &&
         mls_line_take(&rest, "%t", &parts)))
        return parts.moment_ms;
    return NAN;
}

/* Return the word after the word `wanted` in a message; empty if the message does not contain `wanted`. */
static mls_str word_after(mls_str message, mls_str wanted)
{
    for (mls_str rest = message; mls_str_after(rest, wanted, &rest);) {
        const char *at = rest.ptr - wanted.len;
        if (at == message.ptr || memchr(" [(,:", at[-1], 6) != NULL) {
            size_t len = 0;
            while (len < rest.len && memchr(" ,;:()[]'\"", rest.ptr[len], 11) == NULL)
                len++;
            return (mls_str){rest.ptr, len};
        }
    }
    return (mls_str){"", 0};
}

int32_t mls_log_line_rank(const mls_log_line *line)
{
    int32_t rank;
    mls_str rest = line->message;
    /* The prefix "[rank3]:" of PyTorch may follow the prefix of a logger. */
    while ((line->rank < 0 || line->rank == line->task) && mls_str_after(rest, MLS_S("[rank"), &rest))
        if (mls_take_number(&rest, &rank) && mls_str_starts(rest, MLS_S("]:")))
            return rank;
    if (line->rank >= 0)
        return line->rank;
    mls_str word = word_after(line->message, MLS_S("rank "));
    word = word.len == 0 ? word_after(line->message, MLS_S("Rank ")) : word;
    const mls_str before = {line->message.ptr, word.len > 0 ? (size_t)(word.ptr - line->message.ptr) : 0};
    return !mls_str_ends(before, MLS_S("local rank ")) && mls_take_number(&word, &rank) && word.len == 0 ? rank : -1;
}

mls_str mls_log_line_node(const mls_log_line *line)
{
    if (line->node.len > 0)
        return line->node;
    mls_str node = word_after(line->message, MLS_S("node: "));
    node = node.len > 0 ? node : word_after(line->message, MLS_S("node "));
    bool digit = false;
    bool letter = false;
    for (size_t i = 0; i < node.len; i++) {
        digit |= mls_is_digit(node.ptr[i]);
        letter |= !mls_is_digit(node.ptr[i]);
    }
    return digit && letter ? node : (mls_str){"", 0};
}
