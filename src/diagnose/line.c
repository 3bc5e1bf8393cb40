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

bool mls_take_text(mls_str *text, mls_str wanted)
{
    if (!mls_str_starts(*text, wanted)) {
        return false;
    }
    *text = behind(*text, wanted.len);
    return true;
}

static bool peel_char(mls_str *text, char c)
{
    if (text->len == 0 || text->ptr[0] != c) {
        return false;
    }
    *text = behind(*text, 1);
    return true;
}

void mls_skip_blanks(mls_str *text)
{
    while (text->len > 0 && (text->ptr[0] == ' ' || text->ptr[0] == '\t')) {
        *text = behind(*text, 1);
    }
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
    const int near_year = isfinite(near_ms) ? 1970 + (int)(near_ms / (365.2425 * MLS_DAY_MS)) : 0;
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
    if (peel_char(&rest, 'Z')) {
        *text = rest;
        return;
    }
    const bool east = peel_char(&rest, '+');
    if ((east || peel_char(&rest, '-')) && mls_take_digits(&rest, 2, &hours)) {
        (void)peel_char(&rest, ':');
        if (mls_take_digits(&rest, 2, &minutes)) {
            *ms += (east ? -1 : 1) * (hours * 60 + minutes) * 60000.0;
            *text = rest;
        }
    }
}

size_t mls_time_parse(mls_str text, double *time_ms)
{
    mls_str rest = text;
    int year, month, day;
    double clock;
    if (text.len < 19 || text.ptr[4] != '-' || !mls_take_digits(&rest, 4, &year) || !peel_char(&rest, '-') ||
        !mls_take_digits(&rest, 2, &month) || !peel_char(&rest, '-') || !mls_take_digits(&rest, 2, &day) ||
        year < 1970 || month < 1 || month > 12 || day < 1 || day > 31 ||
        !(peel_char(&rest, 'T') || peel_char(&rest, ' ') || peel_char(&rest, '_')) || !mls_take_clock(&rest, &clock)) {
        return 0;
    }
    clock += mls_days_of(year, month, day) * MLS_DAY_MS;
    take_zone(&rest, &clock);
    *time_ms = clock;
    return text.len - rest.len;
}

static bool take_month(mls_str *text, int *month)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (int i = 0; i < 12 && text->len >= 4; i++) {
        if (memcmp(text->ptr, names + 3 * i, 3) == 0 && text->ptr[3] == ' ') {
            *month = i + 1;
            *text = behind(*text, 4);
            return true;
        }
    }
    return false;
}

/* "Apr 19 13:28:01 ", where the day may have a blank for its first digit; days since 1970 come by the year. */
static bool take_month_day(mls_str *text, int *month, int *day, double *clock)
{
    mls_str rest = *text;
    if (!take_month(&rest, month)) {
        return false;
    }
    const size_t digits = peel_char(&rest, ' ') || (rest.len > 1 && rest.ptr[1] == ' ') ? 1 : 2;
    if (!mls_take_digits(&rest, digits, day) || !peel_char(&rest, ' ') || *day < 1 || *day > 31 ||
        !mls_take_clock(&rest, clock) || !peel_char(&rest, ' ')) {
        return false;
    }
    *text = rest;
    return true;
}

/* -------------------------------------------------------------- prefixes */

/* Of several times the first is the time. */
static void set_time(mls_log_line *line, double time_ms)
{
    line->time_ms = isnan(line->time_ms) ? time_ms : line->time_ms;
}

static void set_node(mls_log_line *line, mls_str node)
{
    line->node = line->node.len == 0 && node.len <= NODE_MAX ? node : line->node;
}

/* " 13: " of srun -l */
static bool peel_srun(mls_str *rest, mls_log_line *line)
{
    mls_str at = *rest;
    int32_t rank;
    mls_skip_blanks(&at);
    if (!mls_take_number(&at, &rank) || !mls_take_text(&at, MLS_S(": "))) {
        return false;
    }
    line->rank = line->rank < 0 ? rank : line->rank;
    *rest = at;
    return true;
}

/* "[1,13]<stderr>:" of mpirun, "[rank13]:" of torch, "[default3]:" of torchrun */
static bool peel_bracket(mls_str *rest, mls_log_line *line)
{
    mls_str at = behind(*rest, 1);
    int32_t job, number;
    const bool rank = mls_take_text(&at, MLS_S("rank"));
    if (rank || mls_take_text(&at, MLS_S("default"))) {
        if (!mls_take_number(&at, &number) || !mls_take_text(&at, MLS_S("]:"))) {
            return false;
        }
    } else if (!mls_take_number(&at, &job) || !peel_char(&at, ',') || !mls_take_number(&at, &number) ||
               !(mls_take_text(&at, MLS_S("]<stderr>:")) || mls_take_text(&at, MLS_S("]<stdout>:")) ||
                 mls_take_text(&at, MLS_S("]<stddiag>:")))) {
        return false;
    }
    int32_t *to = rank || rest->ptr[1] != 'd' ? &line->rank : &line->local_rank;
    *to = *to < 0 ? number : *to;
    *rest = at;
    return true;
}

/* "2026-04-19T13:28:01.123Z ", "[2026-04-19 13:28:01]", "[Sun Apr 19 13:28:01 2026] ", one blank before it or none */
static bool peel_time(mls_str *rest, mls_log_line *line)
{
    mls_str at = *rest;
    double time_ms, clock;
    int month, day, year;
    (void)peel_char(&at, ' ');
    const bool bracket = peel_char(&at, '[');
    const size_t used = mls_time_parse(at, &time_ms);
    if (used > 0) {
        at = behind(at, used);
    } else {
        if (!bracket || at.len < 4 || at.ptr[3] != ' ') {
            return false;
        }
        at = behind(at, 4);
        if (!take_month_day(&at, &month, &day, &clock) || !mls_take_digits(&at, 4, &year) || year < 1970) {
            return false;
        }
        time_ms = mls_days_of(year, month, day) * MLS_DAY_MS + clock;
    }
    if (bracket ? !peel_char(&at, ']') : at.len > 0 && at.ptr[0] != ' ' && at.ptr[0] != '\t') {
        return false;
    }
    set_time(line, time_ms);
    *rest = at;
    return true;
}

/* "Apr 19 13:28:01 node076 kernel: " */
static bool peel_syslog(mls_str *rest, mls_log_line *line)
{
    mls_str at = *rest;
    int month, day;
    double clock;
    if (!take_month_day(&at, &month, &day, &clock)) {
        return false;
    }
    const mls_str node = mls_str_word(&at);
    const mls_str who = mls_str_word(&at);
    if (node.len == 0 || !mls_str_ends(who, MLS_S(":"))) {
        return false;
    }
    set_time(line, mls_days_of(NO_YEAR, month, day) * MLS_DAY_MS + clock);
    set_node(line, node);
    *rest = (mls_str){who.ptr + who.len, (size_t)(rest->ptr + rest->len - who.ptr) - who.len};
    return true;
}

/* "E0419 13:28:01.123456 ", with a bracket before it or none */
static bool peel_glog(mls_str *rest, mls_log_line *line)
{
    mls_str at = *rest;
    int month, day;
    double clock;
    (void)peel_char(&at, '[');
    if (at.len < 2 || !(at.ptr[0] == 'I' || at.ptr[0] == 'W' || at.ptr[0] == 'E' || at.ptr[0] == 'F')) {
        return false;
    }
    at = behind(at, 1);
    if (!mls_take_digits(&at, 2, &month) || !mls_take_digits(&at, 2, &day) || month < 1 || month > 12 || day < 1 ||
        day > 31 || !peel_char(&at, ' ') || !mls_take_clock(&at, &clock) || at.len == 0 || at.ptr[0] != ' ') {
        return false;
    }
    set_time(line, mls_days_of(NO_YEAR, month, day) * MLS_DAY_MS + clock);
    *rest = at;
    return true;
}

/* "[ 8123.456789] " */
static bool peel_uptime(mls_str *rest)
{
    mls_str at = behind(*rest, 1);
    int32_t seconds, fraction;
    mls_skip_blanks(&at);
    if (!mls_take_number(&at, &seconds) || !peel_char(&at, '.') || !mls_take_number(&at, &fraction) ||
        !peel_char(&at, ']')) {
        return false;
    }
    *rest = at;
    return true;
}

static bool is_host_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || mls_is_digit(c) || c == '-' || c == '_' || c == '.';
}

/* "node076:984:1357 [4] " of NCCL; "node076: " of srun --label, only as the first prefix */
static bool peel_host(mls_str *rest, mls_log_line *line, bool first)
{
    mls_str at = *rest;
    mls_str node = {at.ptr, 0};
    int32_t number, thread;
    bool digit = false;
    bool upper = false;
    while (node.len < at.len && node.len <= NODE_MAX && is_host_char(at.ptr[node.len])) {
        digit |= mls_is_digit(at.ptr[node.len]);
        upper |= at.ptr[node.len] >= 'A' && at.ptr[node.len] <= 'Z';
        node.len++;
    }
    at = behind(at, node.len);
    if (node.len == 0 || !peel_char(&at, ':')) {
        return false;
    }
    if (mls_take_number(&at, &number) && peel_char(&at, ':') && mls_take_number(&at, &thread) &&
        mls_take_text(&at, MLS_S(" ["))) {
        const char *digits = at.ptr;
        if (!mls_take_number(&at, &number) || !peel_char(&at, ']')) {
            return false;
        }
        line->gpu = line->gpu.len == 0 ? (mls_str){digits, (size_t)(at.ptr - digits) - 1} : line->gpu;
    } else {
        /* Devices are named like nodes: "nvidia-nvswitch3: SXid …", "mlx5_0: link down", "nvme0n1: I/O timeout". */
        static const char *const others[] = {"python", "nvidia-", "mlx5_", "nvme", "ib"};
        at = behind(*rest, node.len);
        bool other = !first || !digit || upper || !(node.ptr[0] >= 'a' && node.ptr[0] <= 'z');
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            const mls_str name = mls_str_from(others[i]);
            other |= mls_str_starts(node, name) && (name.len > 2 || (node.len > 2 && mls_is_digit(node.ptr[2])));
        }
        if (other || !mls_take_text(&at, MLS_S(": "))) {
            return false;
        }
    }
    set_node(line, node);
    *rest = at;
    return true;
}

/* One prefix, by its first bytes. */
static bool peel(mls_str *rest, mls_log_line *line, bool first)
{
    const char c = rest->ptr[0];
    const bool digit = mls_is_digit(c);
    if (c == ' ' || c == '\t' || digit) {
        return peel_srun(rest, line) || peel_time(rest, line) || (digit && peel_host(rest, line, first));
    }
    if (c == '[') {
        return rest->len > 1 &&
               (peel_bracket(rest, line) || peel_time(rest, line) || peel_glog(rest, line) || peel_uptime(rest));
    }
    if (c >= 'A' && c <= 'Z' && (peel_glog(rest, line) || peel_syslog(rest, line))) {
        return true;
    }
    return is_host_char(c) && peel_host(rest, line, first);
}

mls_str mls_log_line_clean(mls_str raw, char *scratch)
{
    size_t to = 0;
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
        (void)peel_char(&line.message, ' ');
    }
    return line;
}

double mls_log_line_time(const mls_log_line *line)
{
    double time_ms = line->time_ms;
    mls_str rest = line->message;
    if (!isnan(time_ms)) {
        return time_ms;
    }
    mls_skip_blanks(&rest);
    if (mls_take_text(&rest, MLS_S("time "))) { /* torchrun's row "  time      : 2026-04-19_13:28:01" */
        mls_skip_blanks(&rest);
        if (mls_take_text(&rest, MLS_S(": "))) {
            (void)mls_time_parse(rest, &time_ms);
        }
    } else if (mls_str_contains(rest, MLS_S("slurmstepd: "))) {
        const char *at = memmem(rest.ptr, rest.len, " AT ", 4);
        if (at != NULL) {
            (void)mls_time_parse((mls_str){at + 4, (size_t)(rest.ptr + rest.len - at) - 4}, &time_ms);
        }
    }
    return time_ms;
}
