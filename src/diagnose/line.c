/* SPDX-License-Identifier: Apache-2.0 */
/* line.c - what launchers, loggers and kernels put in front of a message. */
#include "diagnose/line.h"

#include <math.h>

#include "base/moment.h"

enum { PREFIXES_MAX = 6, NODE_MAX = 64 };

/* The leap year, long past, in which times without a year stand. */
enum { NO_YEAR = 4 };

/* ---------------------------------------------------------------- pieces */

static mls_str behind(mls_str text, size_t count)
{
    return (mls_str){text.ptr + count, text.len - count};
}

bool mls_take_number(mls_str *text, int32_t *number)
{
    int64_t value = 0;
    size_t digits = 0;
    while (digits < text->len && mls_is_digit(text->ptr[digits]) && value <= INT32_MAX) {
        value = value * 10 + (text->ptr[digits++] - '0');
    }
    if (digits == 0 || value > INT32_MAX) {
        return false;
    }
    *number = (int32_t)value;
    *text = behind(*text, digits);
    return true;
}

/* ----------------------------------------------------------------- times */

double mls_time_resolve(double time_ms, double near_ms)
{
    double best = NAN;
    if (!(time_ms < 0)) {
        return time_ms;
    }
    const double of_year = time_ms - mls_days_of(NO_YEAR, 1, 1) * MLS_DAY_MS;
    const double year_10000 = 253402300800000.0; /* a record may say any number */
    const int near_year = fabs(near_ms) < year_10000 ? 1970 + (int)(near_ms / (365.2425 * MLS_DAY_MS)) : 0;
    for (int year = near_year - 1; near_year > 0 && year <= near_year + 1; year++) {
        const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        const bool late = !leap && of_year >= 60 * MLS_DAY_MS; /* behind 29 February */
        const double time = mls_days_of(year, 1, 1) * MLS_DAY_MS + of_year - (late ? MLS_DAY_MS : 0);
        best = !isnan(best) && fabs(best - near_ms) <= fabs(time - near_ms) ? best : time;
    }
    return best;
}

/* Z, +02:00, +0200, or nothing: UTC */
static void take_zone(mls_str *text, double *ms)
{
    mls_str rest = *text;
    int hours, minutes;
    if (mls_take_char(text, "Z")) {
        return;
    }
    const bool east = mls_take_char(&rest, "+");
    if ((east || mls_take_char(&rest, "-")) && mls_take_digits(&rest, 2, &hours)) {
        (void)mls_take_char(&rest, ":");
        if (mls_take_digits(&rest, 2, &minutes)) {
            *ms += (east ? -1 : 1) * (hours * 60 + minutes) * 60000.0;
            *text = rest;
        }
    }
}

/* --------------------------------------------------------------- formats */

static bool is_host_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || mls_is_digit(c) || c == '-' || c == '_' || c == '.';
}

/* "Apr " */
static bool take_month(mls_str *text, int *month)
{
    static const char names[] = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec ";
    *month = 1;
    while (*month <= 12 && !mls_str_starts(*text, (mls_str){names + 4 * (*month - 1), 4})) {
        (*month)++;
    }
    *text = behind(*text, *month <= 12 ? 4 : 0);
    return *month <= 12;
}

static bool take_host(mls_str *text, mls_str *host)
{
    *host = (mls_str){text->ptr, 0};
    while (host->len < text->len && host->len < NODE_MAX && is_host_char(text->ptr[host->len])) {
        host->len++;
    }
    *text = behind(*text, host->len);
    return host->len > 0;
}

static bool take_between(mls_str *text, size_t digits, int least, int most, int *number)
{
    return mls_take_digits(text, digits, number) && *number >= least && *number <= most;
}

/* What one letter of a format stands for. */
static bool take_letter(mls_str *text, char letter, mls_line_parts *parts)
{
    const char *begin = text->ptr;
    size_t digits;
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
    case 'l':
        return mls_take_number(text, &parts->local_rank);
    case 'n':
        return mls_take_number(text, &parts->number);
    case 'g':
        if (!mls_take_number(text, &parts->number)) {
            return false;
        }
        parts->gpu = (mls_str){begin, (size_t)(text->ptr - begin)};
        return true;
    case 'Y':
        return take_between(text, 4, 1970, 9999, &parts->year);
    case 'M':
        return take_between(text, 2, 1, 12, &parts->month);
    case 'D':
        return take_between(text, 2, 1, 31, &parts->day);
    case 'B':
        return take_month(text, &parts->month);
    case 'E':
        digits = mls_take_char(text, " ") || (text->len > 1 && text->ptr[1] == ' ') ? 1 : 2;
        return take_between(text, digits, 1, 31, &parts->day);
    case 'G':
        digits = text->len > 3 && text->ptr[3] == ' ' ? 1 : 2;
        return take_between(text, digits, 1, 12, &parts->month) && take_between(text, 2, 1, 31, &parts->day);
    case 'T':
        return mls_take_char(text, "T _");
    case 'C':
        return mls_take_clock(text, &parts->clock_ms);
    case 'Z':
        take_zone(text, &parts->clock_ms);
        return true;
    case 'W':
        *text = behind(*text, text->len < 3 ? text->len : 3);
        return true;
    case 'L':
        return mls_take_char(text, "IWEF");
    case 'h':
        return take_host(text, &parts->node);
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
    *parts = (mls_line_parts){.rank = -1, .local_rank = -1, .number = -1};
    for (; *format != '\0'; format++) {
        if (*format == '%' ? !take_letter(&rest, *++format, parts)
                           : !mls_take_char(&rest, (const char[]){*format, '\0'})) {
            return false;
        }
    }
    *text = rest;
    return true;
}

static double time_of_parts(const mls_line_parts *parts)
{
    return mls_days_of(parts->year > 0 ? parts->year : NO_YEAR, parts->month, parts->day) * MLS_DAY_MS +
           parts->clock_ms;
}

size_t mls_time_parse(mls_str text, double *time_ms)
{
    mls_line_parts parts;
    mls_str rest = text;
    if (!mls_line_take(&rest, "%Y-%M-%D%T%C%Z", &parts)) {
        return 0;
    }
    *time_ms = time_of_parts(&parts);
    return text.len - rest.len;
}

/* -------------------------------------------------------------- prefixes */

/* Each with the bytes that it can begin with; NULL: those of a host. */
static const struct {
    const char *first, *format;
} prefixes[] = {
    {" \t0123456789", "%_%r: "}, /* srun -l */
    {"[", "[%n,%r]<stderr>:"},   /* mpirun */
    {"[", "[%n,%r]<stdout>:"},   /* and the same for others of its streams */
    {"[", "[%n,%r]<stddiag>:"},
    {"[", "[rank%r]:"},                    /* torch */
    {"[", "[default%l]:"},                 /* torchrun */
    {" 0123456789", "%?%Y-%M-%D%T%C%Z%|"}, /* 2026-04-19T13:28:01.123Z */
    {" [", "%?[%Y-%M-%D%T%C%Z]"},          /* [2026-04-19 13:28:01] */
    {" [", "%?[%W %B%E %C %Y]"},           /* [Sun Apr 19 13:28:01 2026] of dmesg -T */
    {"[", "[%L%G %C%|"},                   /* [E0419 13:28:01.123456 of glog; of PyTorch [E419 */
    {"IWEF", "%L%G %C%|"},                 /* and without a bracket */
    {"JFMASOND", "%B%E %C %N%P"},          /* Apr 19 13:28:01 node076 kernel: of syslog */
    {"[", "[%_%n.%n]"},                    /* [ 8123.456789] */
    {NULL, "%h:%n:%n [%g]"},               /* node076:984:1357 [4] of NCCL */
};

/* Devices are named like nodes: "nvidia-nvswitch3: SXid …", "mlx5_0: link down", "nvme0n1: I/O timeout". */
static bool names_node(mls_str name)
{
    static const char *const others[] = {"python", "nvidia-", "mlx5_", "nvme"};
    bool digit = false;
    for (size_t i = 0; i < name.len; i++) {
        digit |= mls_is_digit(name.ptr[i]);
        if (name.ptr[i] >= 'A' && name.ptr[i] <= 'Z') {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (mls_str_starts(name, mls_str_from(others[i]))) {
            return false;
        }
    }
    return digit && name.ptr[0] >= 'a' && name.ptr[0] <= 'z' &&
           !(mls_str_starts(name, MLS_S("ib")) && name.len > 2 && mls_is_digit(name.ptr[2]));
}

/* One prefix; of several ranks, times, nodes and GPUs the first counts. */
static bool peel(mls_str *rest, mls_log_line *line, bool first)
{
    mls_line_parts parts;
    mls_str at = *rest;
    bool found = false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && !found; i++) {
        const char *begins = prefixes[i].first;
        found = (begins != NULL ? strchr(begins, at.ptr[0]) != NULL : is_host_char(at.ptr[0])) &&
                mls_line_take(&at, prefixes[i].format, &parts);
    }
    if (!found && !(first && mls_line_take(&at, "%h: ", &parts) && names_node(parts.node))) {
        return false;
    }
    line->rank = line->rank < 0 ? parts.rank : line->rank;
    line->local_rank = line->local_rank < 0 ? parts.local_rank : line->local_rank;
    line->time_ms = isnan(line->time_ms) && parts.month > 0 ? time_of_parts(&parts) : line->time_ms;
    line->node = line->node.len == 0 ? parts.node : line->node;
    line->gpu = line->gpu.len == 0 ? parts.gpu : line->gpu;
    *rest = at;
    return true;
}

mls_str mls_log_line_clean(mls_str raw, char *scratch)
{
    size_t to = 0;
    raw.len = raw.len < MLS_LINE_LOOKED_AT ? raw.len : MLS_LINE_LOOKED_AT;
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
        } else { /* two bytes, or more where the second is one of those that go on, as in "ESC ( B" */
            for (i++; i < raw.len && raw.ptr[i] >= 0x20 && raw.ptr[i] <= 0x2f; i++) {
            }
        }
    }
    return (mls_str){scratch, to};
}

mls_log_line mls_log_line_read(mls_str raw, bool clean, char *scratch)
{
    const mls_str cut = {raw.ptr, raw.len < MLS_LINE_LOOKED_AT ? raw.len : MLS_LINE_LOOKED_AT};
    mls_log_line line = {
        .text = clean ? cut : mls_log_line_clean(cut, scratch), .time_ms = (double)NAN, .rank = -1, .local_rank = -1};
    line.message = line.text;
    for (int i = 0; i < PREFIXES_MAX && line.message.len > 0 && peel(&line.message, &line, i == 0); i++) {
        (void)mls_take_char(&line.message, " ");
    }
    return line;
}

double mls_log_line_time(const mls_log_line *line)
{
    double time_ms = line->time_ms;
    mls_str rest = line->message;
    mls_line_parts parts;
    if (!isnan(time_ms)) {
        return time_ms;
    }
    if (mls_line_take(&rest, "%_time %_: ", &parts)) { /* torchrun's row "  time      : 2026-04-19_13:28:01" */
        (void)mls_time_parse(rest, &time_ms);
    } else if (mls_str_contains(rest, MLS_S("slurmstepd: "))) {
        const char *at = memmem(rest.ptr, rest.len, " AT ", 4);
        if (at != NULL) {
            (void)mls_time_parse((mls_str){at + 4, (size_t)(rest.ptr + rest.len - at) - 4}, &time_ms);
        }
    }
    return time_ms;
}
