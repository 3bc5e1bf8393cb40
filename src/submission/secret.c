/* SPDX-License-Identifier: Apache-2.0 */
/* secret.c - tokens by their form: what each service lets them begin with, and what follows. */
#include "submission/secret.h"

/* A token's first word has this many characters at least. */
enum { WORD_MIN = 20 };

/* What a token is made of behind its prefix. */
typedef enum secret_form {
    FORM_LETTERS, /* letters of both cases and digits */
    FORM_WORD,    /* the same, '_' and '-' */
    FORM_MIXED,   /* the same; small and capital letters and digits are all there */
    FORM_UPPER,   /* capital letters and digits, as many as `least` */
    FORM_JWT      /* words with points between them; the first two begin with the prefix, a brace in base 64 */
} secret_form;

static const struct {
    mls_str prefix;
    secret_form form;
    size_t least; /* behind the prefix */
    const char *what;
} forms[] = {
    {MLS_STR("hf_"), FORM_LETTERS, 30, "a token of Hugging Face"},
    {MLS_STR("ghp_"), FORM_LETTERS, 36, "a token of GitHub"},
    {MLS_STR("gho_"), FORM_LETTERS, 36, "a token of GitHub"},
    {MLS_STR("ghu_"), FORM_LETTERS, 36, "a token of GitHub"},
    {MLS_STR("ghs_"), FORM_LETTERS, 36, "a token of GitHub"},
    {MLS_STR("ghr_"), FORM_LETTERS, 36, "a token of GitHub"},
    {MLS_STR("github_pat_"), FORM_WORD, 40, "a token of GitHub"},
    {MLS_STR("glpat-"), FORM_WORD, 20, "a token of GitLab"},
    {MLS_STR("sk-"), FORM_MIXED, 32, "a key of a service (sk-…)"},
    {MLS_STR("nvapi-"), FORM_WORD, 40, "a key of NVIDIA's services"},
    {MLS_STR("AKIA"), FORM_UPPER, 16, "an access key of AWS"},
    {MLS_STR("eyJ"), FORM_JWT, WORD_MIN, "a JSON web token"},
};

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

/* Characters of words: every file of a submission is looked through for long ones. */
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
    while (at < text.len && is_word(text.ptr[at])) {
        at++;
    }
    return at;
}

/* Whether characters look as if drawn at random: not the "xxxx" and "your-token-here" of a manual. */
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
        upper += is_upper(c);
        lower += is_lower(c);
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

/* What the word at [start, *end) is; the end of one with more words is moved. */
static const char *know_secret(mls_str text, size_t start, size_t *end)
{
    const mls_str word = {text.ptr + start, *end - start};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const mls_str rest = {word.ptr + forms[i].prefix.len, word.len - forms[i].prefix.len};
        if (word.ptr[0] != forms[i].prefix.ptr[0] || !mls_str_starts(word, forms[i].prefix) ||
            rest.len < forms[i].least || (forms[i].form == FORM_UPPER && rest.len != forms[i].least) ||
            !is_drawn(rest, forms[i].form)) {
            continue;
        }
        if (forms[i].form != FORM_JWT) {
            return forms[i].what;
        }
        const size_t second = *end + 1;
        const size_t middle = secret_word_end(text, second);
        if (*end < text.len && text.ptr[*end] == '.' &&
            mls_str_starts((mls_str){text.ptr + second, middle - second}, forms[i].prefix)) {
            *end = middle < text.len && text.ptr[middle] == '.' ? secret_word_end(text, middle + 1) : middle;
            return forms[i].what;
        }
    }
    return NULL;
}

/* The next word of WORD_MIN characters: only each of that many is looked at where there is none. */
static bool next_long_word(mls_str text, size_t *at, size_t *start)
{
    while (text.len - *at >= WORD_MIN) {
        size_t first = *at + WORD_MIN;
        while (first > *at && is_word(text.ptr[first - 1])) {
            first--;
        }
        if (first == *at + WORD_MIN) {
            *at = first;
            continue;
        }
        *start = first;
        *at = secret_word_end(text, first);
        if (*at - first >= WORD_MIN) {
            return true;
        }
    }
    *at = text.len;
    return false;
}

const char *mls_secret_next(mls_str text, size_t *at, mls_str *secret)
{
    size_t start;
    while (*at < text.len && next_long_word(text, at, &start)) {
        while (start < *at && (text.ptr[start] == '-' || text.ptr[start] == '_')) {
            start++;
        }
        const char *what = know_secret(text, start, at);
        if (what != NULL) {
            *secret = (mls_str){text.ptr + start, *at - start};
            return what;
        }
    }
    return NULL;
}
