/* SPDX-License-Identifier: Apache-2.0 */
/* secrets.c - find access tokens in the files of a submission.  A token is recognized by the prefix of its service and
 * the form of the text after the prefix.  Logs are searched while they are read; mls_secrets_judge() searches all other
 * files in parallel. */
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
    const bool fits = form == FORM_LETTERS ? marks == 0 && kinds >= 2
                      : form == FORM_MIXED ? kinds == 3
                      : form == FORM_UPPER ? marks == 0 && lower == 0 && kinds == 2
                                           : kinds >= 2;
    return fits && different >= DIFFERENT_MIN && !mls_str_contains(text, MLS_S("EXAMPLE"));
}

/* Find the next token from offset *at on, skipping placeholders.  Set *secret to the token and *at to its end, and
 * return its kind ("a Hugging Face token").  Return NULL if the text does not contain another token. */
static const char *next_secret(mls_str text, size_t *at, mls_str *secret)
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
        while (start < *at && (text.ptr[start] == '-' || text.ptr[start] == '_'))
            start++;
        const mls_str word = {text.ptr + start, *at - start};
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
            const mls_str prefix = forms[i].prefix;
            const mls_str rest = {word.ptr + prefix.len, word.len - prefix.len};
            if (word.ptr[0] != prefix.ptr[0] || !mls_str_starts(word, prefix) || rest.len < forms[i].least ||
                (forms[i].form == FORM_UPPER && rest.len != forms[i].least) || !is_drawn(rest, forms[i].form))
                continue;
            if (forms[i].form == FORM_JWT) {
                const size_t second = *at + 1;
                const size_t middle = secret_word_end(text, second);
                if (*at == text.len || text.ptr[*at] != '.' ||
                    !mls_str_starts((mls_str){text.ptr + second, middle - second}, prefix))
                    continue;
                *at = middle < text.len && text.ptr[middle] == '.' ? secret_word_end(text, middle + 1) : middle;
            }
            *secret = (mls_str){text.ptr + start, *at - start};
            return forms[i].what;
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

/* Search a text for tokens that begin before offset `end`.  *line is the line number of the start of the text; set it
 * to the line number of the end of the searched part.  Return the number of bytes that were searched. */
static size_t search_text(mls_str text, size_t end, size_t *line, const char *path, mls_findings *found)
{
    size_t at = 0;
    size_t done = 0;
    mls_str secret;
    const char *what;
    while (at < end && (what = next_secret(text, &at, &secret)) != NULL) {
        const size_t start = (size_t)(secret.ptr - text.ptr);
        if (start >= end)
            break;
        *line += count_line_ends(text.ptr + done, start - done);
        mls_findings_add(found, MLS_FINDING_SECRET, (mls_finding_place){.path = path, .line = *line}, "contains %s",
                         what);
        done = start + secret.len;
    }
    if (done < end && end < text.len)
        *line += count_line_ends(text.ptr + done, end - done);
    return done < end ? end : done;
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
