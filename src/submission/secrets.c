/* SPDX-License-Identifier: Apache-2.0 */
/* secrets.c - find secrets in the files of a submission: access tokens, recognized by the prefix of their service and
 * the form of the text after the prefix; keys that a name such as WANDB_API_KEY announces; private keys; and passwords
 * in URLs.  Logs are searched while they are read; mls_secrets_judge() searches all other files in parallel. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/parallel.h"
#include "submission/judge.h"

/* Files are read in blocks of BLOCK bytes.  The last SECRET_BYTES of a block are searched again with the next block,
 * because a token may be in both. */
enum { BLOCK = 1 << 20, SECRET_BYTES = 1024 };

/* Minimum length in bytes of the first word of a token. */
enum { WORD_MIN = 20 };

typedef enum secret_form {
    FORM_LETTERS, /* letters of both cases and digits */
    FORM_WORD,    /* FORM_LETTERS, '_' and '-' */
    FORM_MIXED,   /* FORM_WORD with at least one small letter, capital letter and digit */
    FORM_UPPER,   /* exactly `least` capital letters and digits */
    FORM_EXACT,   /* exactly `least` characters of FORM_MIXED */
    FORM_JWT      /* words separated by '.'; the first two begin with the prefix, which is '{' in base64 */
} secret_form;

static const struct {
    mls_str prefix;
    secret_form form;
    size_t least; /* minimum length after the prefix */
    const char *what;
} forms[] = {
    {MLS_STR("hf_"), FORM_LETTERS, 30, "a Hugging Face token"},
    {MLS_STR("ghp_"), FORM_LETTERS, 36, "a GitHub token"},
    {MLS_STR("gho_"), FORM_LETTERS, 36, "a GitHub token"},
    {MLS_STR("ghu_"), FORM_LETTERS, 36, "a GitHub token"},
    {MLS_STR("ghs_"), FORM_LETTERS, 36, "a GitHub token"},
    {MLS_STR("ghr_"), FORM_LETTERS, 36, "a GitHub token"},
    {MLS_STR("github_pat_"), FORM_WORD, 40, "a GitHub token"},
    {MLS_STR("glpat-"), FORM_WORD, 20, "a GitLab token"},
    {MLS_STR("sk-"), FORM_MIXED, 32, "a service key (sk-…)"},
    {MLS_STR("nvapi-"), FORM_WORD, 40, "an NVIDIA API key"},
    {MLS_STR("AKIA"), FORM_UPPER, 16, "an AWS access key"},
    {MLS_STR("ASIA"), FORM_UPPER, 16, "an AWS access key"},
    {MLS_STR("AIza"), FORM_EXACT, 35, "a Google API key"},
    {MLS_STR("xoxa-"), FORM_WORD, 20, "a Slack token"},
    {MLS_STR("xoxb-"), FORM_WORD, 20, "a Slack token"},
    {MLS_STR("xoxp-"), FORM_WORD, 20, "a Slack token"},
    {MLS_STR("xapp-"), FORM_WORD, 20, "a Slack token"},
    {MLS_STR("eyJ"), FORM_JWT, WORD_MIN, "a JSON web token"},
};

/* The characters of words.  A table is fast, which matters because every file is searched for long words. */
static const bool word_characters[256] = {
    ['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1, ['5'] = 1, ['6'] = 1, ['7'] = 1, ['8'] = 1, ['9'] = 1,
    ['A'] = 1, ['B'] = 1, ['C'] = 1, ['D'] = 1, ['E'] = 1, ['F'] = 1, ['G'] = 1, ['H'] = 1, ['I'] = 1, ['J'] = 1,
    ['K'] = 1, ['L'] = 1, ['M'] = 1, ['N'] = 1, ['O'] = 1, ['P'] = 1, ['Q'] = 1, ['R'] = 1, ['S'] = 1, ['T'] = 1,
    ['U'] = 1, ['V'] = 1, ['W'] = 1, ['X'] = 1, ['Y'] = 1, ['Z'] = 1, ['a'] = 1, ['b'] = 1, ['c'] = 1, ['d'] = 1,
    ['e'] = 1, ['f'] = 1, ['g'] = 1, ['h'] = 1, ['i'] = 1, ['j'] = 1, ['k'] = 1, ['l'] = 1, ['m'] = 1, ['n'] = 1,
    ['o'] = 1, ['p'] = 1, ['q'] = 1, ['r'] = 1, ['s'] = 1, ['t'] = 1, ['u'] = 1, ['v'] = 1, ['w'] = 1, ['x'] = 1,
    ['y'] = 1, ['z'] = 1, ['_'] = 1, ['-'] = 1};

static bool is_word(char c)
{
    return word_characters[(unsigned char)c];
}

static bool is_base64(char c)
{
    return c != '-' && c != '_' && (is_word(c) || c == '+' || c == '/' || c == '=');
}

static size_t secret_word_end(mls_str text, size_t at)
{
    while (at < text.len && is_word(text.ptr[at]))
        at++;
    return at;
}

/* Return whether a text looks random, unlike placeholders such as "xxxx" and "your-token-here". */
static bool is_drawn(mls_str text, secret_form form)
{
    enum { DIFFERENT_MIN = 8 };
    bool seen[256] = {false};
    size_t different = 0;
    size_t upper = 0;
    size_t lower = 0;
    size_t digits = 0;
    size_t marks = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        different += !seen[(unsigned char)c];
        seen[(unsigned char)c] = true;
        upper += c >= 'A' && c <= 'Z';
        lower += c >= 'a' && c <= 'z';
        digits += mls_is_digit(c);
        marks += c == '_' || c == '-';
    }
    const int kinds = (upper > 0) + (lower > 0) + (digits > 0);
    const bool fits = form == FORM_LETTERS                       ? marks == 0 && kinds >= 2
                      : form == FORM_MIXED || form == FORM_EXACT ? kinds == 3
                      : form == FORM_UPPER                       ? marks == 0 && lower == 0 && kinds == 2
                                                                 : kinds >= 2;
    return fits && different >= DIFFERENT_MIN && !mls_str_contains(text, MLS_S("EXAMPLE"));
}

/* Return the kind of the token that begins at offset `start` of the text, in a word that ends at *at; NULL: none.  If
 * the token continues after the word, advance *at to its end. */
static const char *token_at(mls_str text, size_t start, size_t *at)
{
    const mls_str word = {text.ptr + start, *at - start};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const mls_str prefix = forms[i].prefix;
        const mls_str rest = {word.ptr + prefix.len, word.len - prefix.len};
        const bool exact = forms[i].form == FORM_UPPER || forms[i].form == FORM_EXACT;
        if (word.ptr[0] != prefix.ptr[0] || !mls_str_starts(word, prefix) || rest.len < forms[i].least ||
            (exact && rest.len != forms[i].least) || !is_drawn(rest, forms[i].form))
            continue;
        if (forms[i].form == FORM_JWT) {
            const size_t second = *at + 1;
            const size_t middle = secret_word_end(text, second);
            if (*at == text.len || text.ptr[*at] != '.' ||
                !mls_str_starts((mls_str){text.ptr + second, middle - second}, prefix))
                continue;
            *at = middle < text.len && text.ptr[middle] == '.' ? secret_word_end(text, middle + 1) : middle;
        }
        return forms[i].what;
    }
    return NULL;
}

static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Return the number of characters between the name of a key and its value at the start of a text, at most MARKS_MAX. */
enum { MARKS_MAX = 8 };
static const char marks[] = " \t=:\"'\\";
static size_t skip_marks(mls_str text)
{
    size_t len = 0;
    while (len < text.len && len < MARKS_MAX && text.ptr[len] != '\0' && strchr(marks, text.ptr[len]) != NULL)
        len++;
    return len;
}

/* Return whether a text ends with `end`, which is in small letters, in any case. */
static bool ends_with(mls_str text, mls_str end)
{
    size_t same = 0;
    while (same < end.len && same < text.len && small(text.ptr[text.len - 1 - same]) == end.ptr[end.len - 1 - same])
        same++;
    return same == end.len;
}

/* Return whether the text before offset `start` announces a key, as in `export WANDB_API_KEY=` and `"api_key": "`. */
static bool is_announced(mls_str text, size_t start)
{
    static const mls_str names[] = {MLS_STR("api_key"), MLS_STR("apikey"), MLS_STR("secret_key"),
                                    MLS_STR("wandb login")};
    size_t end = start;
    bool found = false;
    while (end > 0 && start - end < MARKS_MAX && text.ptr[end - 1] != '\0' && strchr(marks, text.ptr[end - 1]) != NULL)
        end--;
    for (size_t i = 0; i < sizeof names / sizeof *names && end < start && !found; i++)
        found = ends_with((mls_str){text.ptr, end}, names[i]);
    return found;
}

/* Return whether a word looks like a key of no particular service: 32 hexadecimal digits or more, or letters of both
 * cases and digits. */
static bool is_key(mls_str word)
{
    enum { HEX_MIN = 32 };
    size_t hex = 0;
    while (hex < word.len &&
           (mls_is_digit(word.ptr[hex]) || (small(word.ptr[hex]) >= 'a' && small(word.ptr[hex]) <= 'f')))
        hex++;
    return hex == word.len && hex >= HEX_MIN ? is_drawn(word, FORM_LETTERS) : is_drawn(word, FORM_MIXED);
}

/* Return whether the word from `start` to *at is the name of a secret key of AWS, followed by the key, which consists
 * of 40 characters of base64.  If so, advance *at to its end. */
static bool is_aws_key(mls_str text, size_t start, size_t *at)
{
    enum { KEY_BYTES = 40 };
    if (!ends_with((mls_str){text.ptr + start, *at - start}, MLS_S("secret_access_key")))
        return false;
    const size_t key = *at + skip_marks(mls_str_rest(text, *at));
    size_t end = key;
    while (end < text.len && end <= key + KEY_BYTES && is_base64(text.ptr[end]))
        end++;
    const bool found = end == key + KEY_BYTES && is_drawn((mls_str){text.ptr + key, KEY_BYTES}, FORM_MIXED);
    *at = found ? end : *at;
    return found;
}

/* Return the offset at which the private key with the word from `start` to *at begins, and advance *at to its end, or
 * return text.len.  A key in PEM format is lines of base64 after a line "-----BEGIN … PRIVATE KEY-----" and optional
 * headers. */
static size_t private_key_begin(mls_str text, size_t start, size_t *at)
{
    enum { LINE_BYTES = 80, HEAD_BYTES = 300 };
    size_t line = start;
    while (line > 0 && start - line < LINE_BYTES && is_base64(text.ptr[line - 1]))
        line--;
    if (line == 0 || text.ptr[line - 1] != '\n')
        return text.len;
    const size_t from = line > HEAD_BYTES ? line - HEAD_BYTES : 0;
    mls_str rest = {text.ptr + from, line - from};
    size_t begin = text.len;
    while (mls_str_after(rest, MLS_S("PRIVATE KEY-----"), &rest))
        begin = (size_t)(rest.ptr - text.ptr) - strlen("PRIVATE KEY-----");
    if (begin == text.len)
        return begin;
    while (begin > from && text.ptr[begin - 1] != '\n')
        begin--;
    while (*at < text.len && (is_base64(text.ptr[*at]) || mls_is_space(text.ptr[*at])))
        ++*at;
    return mls_str_starts(mls_str_rest(text, begin), MLS_S("-----BEGIN ")) ? begin : text.len;
}

/* Find the next token or key from offset *at on, skipping placeholders.  Set *secret to it and *at to its end, and
 * return its kind ("a Hugging Face token").  Return NULL if the text does not contain another one. */
static const char *next_token(mls_str text, size_t *at, mls_str *secret)
{
    while (text.len - *at >= WORD_MIN) {
        /* Find the next word of at least WORD_MIN characters.  Outside of such words, only every WORD_MIN-th character
         * is examined. */
        size_t start = *at + WORD_MIN;
        while (start > *at && is_word(text.ptr[start - 1]))
            start--;
        if (start == *at + WORD_MIN) {
            *at = start;
            continue;
        }
        *at = secret_word_end(text, start);
        if (*at - start < WORD_MIN)
            continue;
        /* A token may follow other parts of its word, as in "token_hf_…". */
        const size_t end = *at;
        const char *what = NULL;
        size_t begin = start;
        for (size_t i = start; i + WORD_MIN <= end && what == NULL; i++) {
            if (i == start || text.ptr[i - 1] == '_' || text.ptr[i - 1] == '-') {
                what = token_at(text, i, at);
                begin = what != NULL ? i : begin;
            }
        }
        if (what == NULL && is_announced(text, start) && is_key((mls_str){text.ptr + start, end - start}))
            what = "an API key";
        if (what == NULL && is_aws_key(text, start, at))
            what = "an AWS secret key";
        if (what == NULL && (begin = private_key_begin(text, start, at)) < text.len)
            what = "a private key";
        if (what != NULL) {
            *secret = (mls_str){text.ptr + begin, *at - begin};
            return what;
        }
    }
    *at = text.len;
    return NULL;
}

/* Return whether a password in a URL is a placeholder or a variable: "$PASSWORD", "{password}", "<token>", "secret". */
static bool is_sample_password(mls_str password)
{
    static const mls_str samples[] = {MLS_STR("password"), MLS_STR("passwd"),   MLS_STR("secret"), MLS_STR("token"),
                                      MLS_STR("example"),  MLS_STR("changeme"), MLS_STR("your")};
    char text[32];
    const size_t len = password.len < sizeof text ? password.len : sizeof text;
    bool other = false; /* different characters */
    for (size_t i = 0; i < password.len; i++) {
        if (strchr("$<>{}()[]*|,;", password.ptr[i]) != NULL)
            return true;
        other |= password.ptr[i] != password.ptr[0];
    }
    for (size_t i = 0; i < len; i++)
        text[i] = small(password.ptr[i]);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        if (mls_str_contains((mls_str){text, len}, samples[i]))
            return true;
    return !other || mls_str_contains(password, MLS_S("%s"));
}

/* Find the next URL with the password of a user, like next_token(): from the '@' back to the "://". */
static const char *next_password(mls_str text, size_t *at, mls_str *secret)
{
    enum { USER_BYTES = 200, PASSWORD_MIN = 6 };
    const char *mark;
    while (*at < text.len && (mark = memchr(text.ptr + *at, '@', text.len - *at)) != NULL) {
        const size_t end = (size_t)(mark - text.ptr);
        const size_t most = end - *at < USER_BYTES ? *at : end - USER_BYTES;
        size_t start = end;
        size_t colon = end;
        while (start > most && (unsigned char)text.ptr[start - 1] > ' ' &&
               strchr("/?#\"'`\\", text.ptr[start - 1]) == NULL) {
            start--;
            colon = text.ptr[start] == ':' ? start : colon;
        }
        *at = end + 1;
        const mls_str password = mls_str_rest((mls_str){text.ptr, end}, colon + (colon < end));
        size_t begin = 0; /* next_token() finds a token that is used as a password */
        if (colon > start && mls_str_ends((mls_str){text.ptr, start}, MLS_S("://")) && password.len >= PASSWORD_MIN &&
            !mls_str_starts(mls_str_rest(text, end), MLS_S("@sha256")) && !is_sample_password(password) &&
            next_token(password, &begin, secret) == NULL) {
            *secret = (mls_str){text.ptr + start, end - start};
            return "a password in a URL";
        }
    }
    *at = text.len;
    return NULL;
}

static size_t count_line_ends(const char *text, size_t len)
{
    size_t count = 0;
    for (size_t i = 0; i < len; i++)
        count += text[i] == '\n';
    return count;
}

/* Search a text for secrets that begin before offset `end`.  *line is the line number of the start of the text; set it
 * to the line number of the end of the searched part.  Return the number of bytes that were searched. */
static size_t search_text(mls_str text, size_t end, size_t *line, const char *path, mls_findings *found)
{
    static const char *(*const next[])(mls_str text, size_t * at, mls_str * secret) = {next_token, next_password};
    const size_t first = *line;
    size_t last = 0; /* end of the last secret, if it is after `end` */
    for (size_t i = 0; i < sizeof next / sizeof *next; i++) {
        size_t at = 0;
        size_t counted = 0; /* `number` is the line at this offset */
        size_t number = first;
        mls_str secret;
        const char *what;
        while (at < end && (what = next[i](text, &at, &secret)) != NULL) {
            const size_t start = (size_t)(secret.ptr - text.ptr);
            if (start >= end)
                break;
            if (start > counted) /* false if a private key begins in the line of another secret */
                number += count_line_ends(text.ptr + counted, start - counted);
            counted = start > counted ? start : counted;
            mls_findings_add(found, MLS_FINDING_SECRET, (mls_finding_place){.path = path, .line = number},
                             "contains %s", what);
            last = start + secret.len > last ? start + secret.len : last;
        }
    }
    last = last > end ? last : end;
    if (end < text.len)
        *line += count_line_ends(text.ptr, last);
    return last;
}

bool mls_secrets_of_lines(const char *path, const mls_lines *lines, mls_findings *found)
{
    size_t line = lines->line;
    (void)search_text(lines->text, lines->text.len, &line, path, found);
    return !lines->cut;
}

/* The search of a submitter's files, and the findings that have not been added to the submitter yet. */
enum { SLOTS = 64 };
typedef struct secret_search {
    mls_submission *submission;
    mls_submitter *submitter;
    mls_findings found[SLOTS]; /* index: number of the file modulo SLOTS */
} secret_search;

static void search_file(void *state, size_t item)
{
    secret_search *search = state;
    const mls_submission_file *file = &search->submitter->files.items[item];
    mls_findings *found = &search->found[item % SLOTS];
    if (file->secrets != NULL)
        return;
    const int fd = mls_tree_open(search->submission, file->path);
    int system_errno = fd < 0 ? errno : 0;
    char *text = fd >= 0 ? mls_malloc(BLOCK + SECRET_BYTES) : NULL;
    size_t line = 1;
    size_t len = 0;
    ssize_t got = 1;
    for (uint64_t all = 0; fd >= 0 && got > 0 && all < MLS_LOG_BYTES_MAX; all += (uint64_t)got) {
        do {
            got = read(fd, text + len, BLOCK + SECRET_BYTES - len);
        } while (got < 0 && errno == EINTR);
        system_errno = got < 0 ? errno : 0;
        got = got > 0 ? got : 0;
        len += (size_t)got;
        if (got == 0 || len > BLOCK) {
            const size_t done =
                search_text((mls_str){text, len}, got == 0 ? len : len - SECRET_BYTES, &line, file->path, found);
            memmove(text, text + done, len - done);
            len -= done;
        }
    }
    /* Report read errors only for code.  All other files are also read by other functions, which report their errors.
     */
    const mls_str below = mls_str_from(file->path + strlen(search->submitter->path));
    if (system_errno != 0 &&
        (mls_str_starts(below, MLS_S("benchmarks/")) || mls_str_starts(below, MLS_S("/benchmarks/")))) {
        mls_findings_add(found, MLS_FINDING_UNREADABLE, (mls_finding_place){.path = file->path},
                         "%s: not searched for tokens", strerror(system_errno));
    }
    free(text);
    if (fd >= 0)
        (void)close(fd);
}

static mls_status deliver_secrets(void *state, size_t item)
{
    secret_search *search = state;
    mls_findings *heard = search->submitter->files.items[item].secrets;
    mls_findings *found = heard != NULL ? heard : &search->found[item % SLOTS];
    mls_findings_append(&search->submitter->findings, found);
    mls_findings_release(found);
    return MLS_OK;
}

mls_status mls_secrets_judge(mls_submission *submission)
{
    const mls_work *work = &submission->options.work;
    mls_status status = MLS_OK;
    for (size_t i = 0; i < submission->submitter_count && status == MLS_OK; i++) {
        secret_search search = {.submission = submission, .submitter = &submission->submitters[i]};
        const mls_relay relay = {.threads = work->threads != 0 ? work->threads : mls_processor_count(),
                                 .slots = SLOTS,
                                 .count = search.submitter->files.count,
                                 .state = &search,
                                 .work = search_file,
                                 .deliver = deliver_secrets};
        status = mls_relay_run(&relay);
    }
    return status;
}
