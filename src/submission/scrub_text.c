/* SPDX-License-Identifier: Apache-2.0 */
/* scrub_text.c - a log, byte for byte but for what is replaced. */
#include <arpa/inet.h>
#include <strings.h>

#include "base/number.h"
#include "log/log.h"
#include "slurm/hosts.h"
#include "submission/scrub.h"
#include "submission/secret.h"

#define HEXADECIMAL "0123456789abcdefABCDEF"

/* The longest address, the 20 octets of IP over InfiniBand, with its NUL. */
enum { SETTLED_MAX = 64 };

/* A line, or a text of a record, that is copied. */
typedef struct scrub_span {
    mls_scrub *scrub;
    mls_str text;
    mls_buffer *out;
    mls_str token; /* the next one; ptr NULL: none */
    size_t token_from;
} scrub_span;

static void replace_with(scrub_span *span, mls_scrub_kind kind, mls_str to)
{
    mls_buffer_append(span->out, to);
    span->scrub->places[kind]++;
}

static bool ends_here(mls_str text, size_t at, const char *marks)
{
    return at >= text.len || !(mls_is_alnum(text.ptr[at]) || strchr(marks, text.ptr[at]) != NULL);
}

/* Each try_…() returns how many bytes at `at` it has replaced; 0: it is none of that. */

static size_t try_token(scrub_span *span, size_t at)
{
    if (span->token_from <= at) {
        size_t from = at;
        span->token = (mls_str){0};
        span->token_from = mls_secret_next(span->text, &from, &span->token) != NULL
                               ? (size_t)(span->token.ptr - span->text.ptr) + 1
                               : span->text.len + 1;
    }
    if (span->token.ptr != span->text.ptr + at) {
        return 0;
    }
    replace_with(span, MLS_SCRUB_SECRET, MLS_S("REDACTED"));
    return span->token.len;
}

/* "://user:password@" of an address. */
static size_t try_password(scrub_span *span, size_t at)
{
    const mls_str text = span->text;
    bool colon = false;
    if (!mls_str_starts(mls_str_rest(text, at), MLS_S("://"))) {
        return 0;
    }
    for (size_t end = at + 3; end < text.len && (unsigned char)text.ptr[end] > ' ' && text.ptr[end] != '/' &&
                              text.ptr[end] != '"' && text.ptr[end] != '\\';
         end++) {
        colon |= text.ptr[end] == ':';
        if (text.ptr[end] == '@' && colon) {
            replace_with(span, MLS_SCRUB_SECRET, MLS_S("://REDACTED@"));
            return end + 1 - at;
        }
    }
    return 0;
}

/* Whether the name of a variable says that its value is secret: HF_TOKEN does, MAX_TOKENS and TOKENIZER do not. */
static bool is_secret_name(mls_str name)
{
    static const char *const words[] = {"TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "CREDENTIAL"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t len = strlen(words[i]);
        for (size_t at = 0; at + len <= name.len; at++) {
            if (strncasecmp(name.ptr + at, words[i], len) == 0 && (i != 0 || ends_here(name, at + len, ""))) {
                return true;
            }
        }
    }
    return false;
}

static bool is_quote(char c)
{
    return c == '\'' || c == '"';
}

/* Where the value of a variable begins, whose name ends before `at`: NAME=value, and NAME': 'value' as environments are
 * printed by programs, where names are in capitals.  0: there is none. */
static size_t find_value(mls_str text, mls_str name, size_t at)
{
    if (at < text.len && text.ptr[at] == '=') {
        return at + 1;
    }
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] >= 'a' && name.ptr[i] <= 'z') {
            return 0;
        }
    }
    at += at < text.len && text.ptr[at] == '\\';
    if (at + 1 >= text.len || !is_quote(text.ptr[at]) || text.ptr[at + 1] != ':') {
        return 0;
    }
    at += 2;
    while (at < text.len && text.ptr[at] == ' ') {
        at++;
    }
    return at;
}

/* The value that begins there, without its quotes, which are \" in a text of JSON: up to the same quote again, else as
 * far as a shell has a word of it. */
static mls_str read_value(mls_str text, size_t start)
{
    const bool escaped = start + 1 < text.len && text.ptr[start] == '\\' && is_quote(text.ptr[start + 1]);
    start += escaped;
    const char quote = start < text.len && is_quote(text.ptr[start]) ? text.ptr[start] : '\0';
    start += quote != '\0';
    size_t end = quote != '\0' ? start : text.len;
    while (end < text.len && (text.ptr[end] != quote || (text.ptr[end - 1] == '\\') != escaped)) {
        end++;
    }
    if (end < text.len) {
        return (mls_str){text.ptr + start, end - escaped - start};
    }
    for (end = start; end < text.len; end++) {
        const bool blank_follows = text.ptr[end] == '\\' && end + 1 < text.len && text.ptr[end + 1] == ' ';
        if (blank_follows) {
            end++;
        } else if ((unsigned char)text.ptr[end] <= ' ' || strchr("'\"\\;&|)", text.ptr[end]) != NULL) {
            break;
        }
    }
    return (mls_str){text.ptr + start, end - start};
}

static size_t try_variable(scrub_span *span, size_t at)
{
    const mls_str name = mls_scrub_word(span->text, at, "_");
    double number;
    const size_t start = is_secret_name(name) ? find_value(span->text, name, at + name.len) : 0;
    const mls_str value = start > 0 ? read_value(span->text, start) : MLS_S("");
    if (value.len == 0 || mls_number_parse(value, &number) || mls_str_equal(value, MLS_S("REDACTED"))) {
        return 0;
    }
    const size_t before = (size_t)(value.ptr - span->text.ptr) - at;
    mls_buffer_append(span->out, (mls_str){span->text.ptr + at, before});
    replace_with(span, MLS_SCRUB_SECRET, MLS_S("REDACTED"));
    return before + value.len;
}

static size_t try_mail(scrub_span *span, size_t at)
{
    const mls_str local = mls_scrub_word(span->text, at, "._+-");
    const size_t sign = at + local.len;
    if (sign >= span->text.len || span->text.ptr[sign] != '@') {
        return 0;
    }
    mls_str domain = mls_scrub_word(span->text, sign + 1, ".-");
    while (domain.len > 0 && !mls_is_alnum(domain.ptr[domain.len - 1])) {
        domain.len--;
    }
    const char *dot = domain.len > 0 ? memrchr(domain.ptr, '.', domain.len) : NULL;
    const mls_str whole = {local.ptr, local.len + 1 + domain.len};
    if (dot == NULL || mls_is_digit(dot[1]) || mls_str_equal(domain, MLS_S("example.com"))) {
        return 0;
    }
    replace_with(span, MLS_SCRUB_MAIL, mls_scrub_replace(span->scrub, MLS_SCRUB_MAIL, whole));
    return whole.len;
}

/* Whether what stands before says that four numbers are a version. */
static bool follows_version(mls_str before)
{
    if (mls_str_ends(before, MLS_S("-")) || mls_str_ends(before, MLS_S("=="))) {
        return true;
    }
    while (before.len > 0 && strchr(" \t:='\"(", before.ptr[before.len - 1]) != NULL) {
        before.len--;
    }
    return before.len >= 7 && (strncasecmp(before.ptr + before.len - 7, "version", 7) == 0 ||
                               strncasecmp(before.ptr + before.len - 7, "release", 7) == 0);
}

/* Addresses of nobody: of the machine itself, masks, and those of documentation. */
static bool is_kept_address(const unsigned char octets[4])
{
    const unsigned network = (unsigned)octets[0] << 16 | (unsigned)octets[1] << 8 | octets[2];
    return (octets[0] == 127 && octets[3] == 1) || octets[0] == 255 || (network == 0 && octets[3] == 0) ||
           network == 0xc00002 || network == 0xc63364 || network == 0xcb0071;
}

/* Lines that end in a lone carriage return, as those of progress bars do. */
static size_t count_returns(mls_str text)
{
    size_t count = 0;
    for (size_t i = 0; i + 1 < text.len; i++) {
        count += text.ptr[i] == '\r';
    }
    return count;
}

static void note_doubtful(const scrub_span *span, size_t at, mls_str word)
{
    mls_scrub *scrub = span->scrub;
    if (scrub->doubtful_count++ < MLS_PACK_DOUBTFUL_KEPT) {
        const mls_pack_doubtful row = {scrub->file, scrub->line + count_returns((mls_str){span->text.ptr, at + 1}),
                                       mls_arena_copy(&scrub->arena, word).ptr};
        scrub->failed |= row.text == NULL || !MLS_ARENA_ADD(&scrub->arena, &scrub->doubtful, row);
    }
}

/* "v1.2.3.4": a version in any case. */
static size_t try_version(scrub_span *span, size_t at)
{
    char copy[16];
    unsigned char octets[4];
    const mls_str word = mls_scrub_word(span->text, at, ".");
    if ((word.ptr[0] != 'v' && word.ptr[0] != 'V') || word.len < 8 || word.len > sizeof copy) {
        return 0;
    }
    memcpy(copy, word.ptr + 1, word.len - 1);
    copy[word.len - 1 - (copy[word.len - 2] == '.')] = '\0';
    if (inet_pton(AF_INET, copy, octets) != 1) {
        return 0;
    }
    note_doubtful(span, at, (mls_str){word.ptr + 1, strlen(copy)});
    mls_buffer_append(span->out, word);
    return word.len;
}

static size_t try_address(scrub_span *span, size_t at)
{
    char copy[16];
    unsigned char octets[4];
    mls_str word = mls_scrub_word(span->text, at, ".");
    word.len -= word.len > 0 && word.ptr[word.len - 1] == '.';
    if (word.len < 7 || word.len >= sizeof copy || (at > 0 && span->text.ptr[at - 1] == '.')) {
        return 0;
    }
    memcpy(copy, word.ptr, word.len);
    copy[word.len] = '\0';
    if (inet_pton(AF_INET, copy, octets) != 1 || is_kept_address(octets)) {
        return 0;
    }
    if (follows_version((mls_str){span->text.ptr, at})) {
        note_doubtful(span, at, word);
        mls_buffer_append(span->out, word);
        return word.len;
    }
    replace_with(span, MLS_SCRUB_ADDRESS, mls_scrub_replace(span->scrub, MLS_SCRUB_ADDRESS, word));
    return word.len;
}

/* Whether a word is hexadecimal in groups of `size` digits with colons between them. */
static bool is_grouped(mls_str word, size_t size, size_t groups)
{
    bool good = word.len == groups * (size + 1) - 1;
    for (size_t i = 0; i < word.len && good; i++) {
        good = (word.ptr[i] == ':') == (i % (size + 1) == size);
    }
    return good;
}

/* The one spelling of an address of hexadecimal digits: of IPv6 the shortest, of others small digits without marks. */
static bool settle_address(mls_scrub_kind kind, mls_str word, char settled[static SETTLED_MAX])
{
    char copy[SETTLED_MAX];
    unsigned char octets[16];
    size_t len = 0;
    if (word.len >= SETTLED_MAX) {
        return false;
    }
    if (kind == MLS_SCRUB_ADDRESS6) {
        memcpy(copy, word.ptr, word.len);
        copy[word.len] = '\0';
        return word.len > strlen("::1") && inet_pton(AF_INET6, copy, octets) == 1 &&
               inet_ntop(AF_INET6, octets, settled, SETTLED_MAX) != NULL;
    }
    for (size_t i = 0; i < word.len; i++) {
        const char c = word.ptr[i];
        settled[len] = (char)(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
        len += c != ':' || kind == MLS_SCRUB_HARDWARE;
    }
    settled[len] = '\0';
    return true;
}

/* Whether an address is one that stands for others. */
static bool is_replacement(mls_scrub_kind kind, mls_str settled)
{
    return kind != MLS_SCRUB_GUID &&
           mls_str_starts(settled, kind == MLS_SCRUB_ADDRESS6 ? MLS_S("2001:db8::") : MLS_S("00:00:5e:00:53:"));
}

/* Replaces an address of this kind by what stands for its one spelling. */
static size_t replace_settled(scrub_span *span, mls_scrub_kind kind, mls_str word)
{
    char settled[SETTLED_MAX];
    if (!settle_address(kind, word, settled) || is_replacement(kind, mls_str_from(settled))) {
        return 0;
    }
    replace_with(span, kind, mls_scrub_replace(span->scrub, kind, mls_str_from(settled)));
    return word.len;
}

/* A GUID of InfiniBand as tools print it, 0x0c42a103005f1122; what begins with four zeros is an address in memory. */
static size_t try_guid(scrub_span *span, size_t at)
{
    enum { DIGITS = 16 };
    const mls_str word = mls_scrub_word(span->text, at, "_");
    bool is_one = word.len == 2 + DIGITS && word.ptr[0] == '0' && (word.ptr[1] == 'x' || word.ptr[1] == 'X');
    for (size_t i = 2; i < word.len && is_one; i++) {
        is_one = strchr(HEXADECIMAL, word.ptr[i]) != NULL;
    }
    const mls_str digits = {word.ptr + 2, word.len - 2};
    if (!is_one || mls_str_starts(digits, MLS_S("0000"))) {
        return 0;
    }
    mls_buffer_append(span->out, MLS_S("0x"));
    return 2 + replace_settled(span, MLS_SCRUB_GUID, digits);
}

/* Hardware addresses, GUIDs of InfiniBand and addresses of IPv6: digits and letters to f with colons. */
static size_t try_colons(scrub_span *span, size_t at)
{
    size_t len = 0;
    size_t colons = 0;
    const mls_str text = span->text;
    for (; at + len < text.len && len < 2 * (size_t)SETTLED_MAX &&
           (text.ptr[at + len] == ':' || strchr(HEXADECIMAL, text.ptr[at + len]) != NULL);
         len++) {
        colons += text.ptr[at + len] == ':';
    }
    mls_str word = {text.ptr + at, len};
    const bool open = len > 0 && text.ptr[at + len - 1] == ':' && !mls_str_ends(word, MLS_S("::"));
    word.len -= open;
    const bool mapped = at + len + 1 < text.len && text.ptr[at + len] == '.' && mls_is_digit(text.ptr[at + len + 1]);
    if (colons - open < 2 || mapped || !ends_here(text, at + len, "_") || (at > 0 && text.ptr[at - 1] == ':')) {
        return 0;
    }
    return replace_settled(span,
                           is_grouped(word, 2, 6) ? MLS_SCRUB_HARDWARE
                           : is_grouped(word, 4, 4) || is_grouped(word, 2, 8) || is_grouped(word, 2, 20)
                               ? MLS_SCRUB_GUID
                               : MLS_SCRUB_ADDRESS6,
                           word);
}

/* The length of the name with brackets at `at`, none of which stands in another; 0: they do not end. */
static size_t list_length(mls_str text, size_t at)
{
    enum { LIST_MAX = 4096 };
    bool inside = false;
    size_t len = 0;
    for (; at + len < text.len && len < LIST_MAX && !ends_here(text, at + len, "-_,[]"); len++) {
        const char c = text.ptr[at + len];
        if ((c == '[' && inside) || (c == ',' && !inside)) {
            break;
        }
        inside = c == '[' || (inside && c != ']');
    }
    return inside ? 0 : len;
}

/* A list of hosts with brackets, all of which are known: "node[01-18]". */
static size_t try_list(scrub_span *span, size_t at, mls_str host)
{
    const bool list = at + host.len < span->text.len && span->text.ptr[at + host.len] == '[';
    const size_t len = list ? list_length(span->text, at) : 0;
    mls_buffer names = {0};
    mls_buffer renamed = {0};
    mls_buffer folded = {0};
    size_t left = mls_hosts_expand((mls_str){span->text.ptr + at, len}, &names, NULL, (mls_finding_place){0});
    bool all = left > 0;
    const char *name = names.ptr;
    for (; left > 0 && all; left--, name += strlen(name) + 1) {
        mls_str to = {0};
        all = mls_scrub_find(span->scrub, MLS_SCRUB_HOST, mls_str_from(name), &to);
        mls_buffer_append(&renamed, to);
        mls_buffer_append_char(&renamed, '\0');
    }
    if (all) {
        mls_hosts_fold(mls_buffer_str(&renamed), &folded);
        replace_with(span, MLS_SCRUB_HOST, mls_buffer_str(&folded));
    }
    span->scrub->failed |= names.failed || renamed.failed || folded.failed;
    mls_buffer_release(&names);
    mls_buffer_release(&renamed);
    mls_buffer_release(&folded);
    return all ? len : 0;
}

/* The domain behind the name of a host: two names or more with points between them. */
static size_t domain_length(mls_str text, size_t at)
{
    size_t end = at;
    size_t names = 0;
    while (end + 1 < text.len && text.ptr[end] == '.' && mls_is_alnum(text.ptr[end + 1]) &&
           !mls_is_digit(text.ptr[end + 1])) {
        end += 1 + mls_scrub_word(text, end + 1, "-").len;
        names++;
    }
    return names >= 2 ? end - at : 0;
}

static size_t try_host(scrub_span *span, size_t at)
{
    const mls_str word = mls_scrub_word(span->text, at, "-");
    mls_str to;
    if (at > 0 && span->text.ptr[at - 1] == '-') {
        return 0;
    }
    const size_t list = try_list(span, at, word);
    if (list > 0 || !mls_scrub_find(span->scrub, MLS_SCRUB_HOST, word, &to)) {
        return list;
    }
    replace_with(span, MLS_SCRUB_HOST, to);
    return word.len + domain_length(span->text, at + word.len);
}

/* A user's name stands in a path, or where one is said; elsewhere it may be any word. */
static size_t try_user(scrub_span *span, size_t at)
{
    const size_t first = at > 1024 ? at - 1024 : 0; /* a hostile line is not looked through for each word */
    const mls_str before = {span->text.ptr + first, at - first};
    const mls_str word = mls_scrub_word(span->text, at, "._-");
    mls_str to;
    if (!mls_scrub_find(span->scrub, MLS_SCRUB_USER, word, &to)) {
        return 0;
    }
    const bool said = mls_str_ends(before, MLS_S("/")) || mls_str_ends(before, MLS_S("~")) ||
                      mls_str_ends(before, MLS_S("USER=")) || mls_str_ends(before, MLS_S("LOGNAME=")) ||
                      (mls_str_ends(before, MLS_S("(")) &&
                       (mls_str_contains(before, MLS_S("uid=")) || mls_str_contains(before, MLS_S("gid=")))) ||
                      (mls_str_ends(before, MLS_S(",")) && mls_str_contains(before, MLS_S("RESULT,")));
    if (said) {
        replace_with(span, MLS_SCRUB_USER, to);
    }
    return said ? word.len : 0;
}

static size_t try_named(scrub_span *span, size_t at)
{
    if (at > 0 && !ends_here(span->text, at - 1, "_-")) {
        return 0;
    }
    const mls_str rest = mls_str_rest(span->text, at);
    for (size_t i = 0; i < span->scrub->named.count; i++) {
        const mls_scrub_entry *named = &span->scrub->named.items[i];
        if (mls_str_starts(rest, named->from) && ends_here(rest, named->from.len, "_-")) {
            replace_with(span, MLS_SCRUB_NAMED, named->to);
            return named->from.len;
        }
    }
    return 0;
}

/* Copies a text with all that is known in it replaced. */
static void scrub_span_copy(mls_scrub *scrub, mls_str text, mls_buffer *out)
{
    static size_t (*const tries[])(scrub_span * span, size_t at) = {try_named,   try_token,   try_variable, try_mail,
                                                                    try_version, try_address, try_guid,     try_colons,
                                                                    try_host,    try_user};
    scrub_span span = {.scrub = scrub, .text = text, .out = out};
    for (size_t at = 0; at < text.len;) {
        size_t done = 0;
        const bool word = mls_is_alnum(text.ptr[at]);
        for (size_t i = 0; word && i < sizeof tries / sizeof *tries && done == 0; i++) {
            done = tries[i](&span, at);
        }
        done = done == 0 && !word ? try_named(&span, at) : done;
        done = done == 0 && text.ptr[at] == ':' ? try_password(&span, at) : done;
        done = done == 0 && text.ptr[at] == ':' ? try_colons(&span, at) : done;
        if (done == 0) {
            done = word ? mls_scrub_word(text, at, "").len : 1;
            mls_buffer_append(out, (mls_str){text.ptr + at, done});
        }
        at += done;
    }
}

/* Copies the payload of a record: only its texts that are values change, but those of key and event_type. */
static void scrub_payload(mls_scrub *scrub, mls_str payload, mls_buffer *out)
{
    mls_str name = {0};
    for (size_t at = 0; at < payload.len;) {
        if (payload.ptr[at] != '"') {
            mls_buffer_append_char(out, payload.ptr[at++]);
            continue;
        }
        size_t end = at + 1;
        while (end < payload.len && payload.ptr[end] != '"') {
            end += payload.ptr[end] == '\\' && end + 1 < payload.len ? 2 : 1;
        }
        const mls_str inner = {payload.ptr + at + 1, end - at - 1};
        size_t next = end + 1;
        while (next < payload.len && mls_is_blank(payload.ptr[next])) {
            next++;
        }
        const bool is_name = next < payload.len && payload.ptr[next] == ':';
        mls_buffer_append_char(out, '"');
        if (is_name || mls_str_equal(name, MLS_S("key")) || mls_str_equal(name, MLS_S("event_type"))) {
            mls_buffer_append(out, inner);
        } else {
            scrub_span_copy(scrub, inner, out);
        }
        mls_buffer_append(out, (mls_str){payload.ptr + end, end < payload.len});
        name = is_name ? inner : name;
        at = end + 1;
    }
}

void mls_scrub_text(mls_scrub *scrub, mls_str text, mls_buffer *out)
{
    mls_arena scratch = {0};
    for (size_t number = 1; text.len > 0; number++) {
        mls_str line;
        mls_str payload;
        mls_record record;
        size_t wrong;
        const bool ended = mls_str_cut(&text, '\n', &line);
        const size_t returns = count_returns(line);
        scrub->line = number;
        if (mls_record_find(line, &payload) && mls_record_validate(payload, &record, &scratch, &wrong) == NULL) {
            scrub_span_copy(scrub, (mls_str){line.ptr, (size_t)(payload.ptr - line.ptr)}, out);
            scrub->line += count_returns((mls_str){line.ptr, (size_t)(payload.ptr - line.ptr)});
            scrub_payload(scrub, payload, out);
            mls_buffer_append(
                out, (mls_str){payload.ptr + payload.len, (size_t)(line.ptr + line.len - payload.ptr) - payload.len});
        } else {
            scrub_span_copy(scrub, line, out);
        }
        number += returns;
        mls_buffer_append_text(out, ended ? "\n" : "");
        mls_arena_reset(&scratch);
        text = ended ? text : (mls_str){0};
    }
    mls_arena_release(&scratch);
}
