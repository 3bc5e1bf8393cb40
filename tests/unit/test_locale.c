/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers are read and written with a decimal point in a program whose locale has a decimal comma. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "base/words.h"
#include "json/value.h"

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    return remove(path);
}

/* Set a locale with a decimal comma: an installed one, or one made for this test. */
static bool set_comma(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    char folder[] = "/tmp/mlscore-locale-XXXXXX";
    char command[200];
    bool set = false;

    for (size_t i = 0; i < sizeof names / sizeof *names && !set; i++)
        set = setlocale(LC_ALL, names[i]) != NULL;
    if (!set && mkdtemp(folder) != NULL) {
        (void)snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
        /* NOLINTNEXTLINE(cert-env33-c): a fixed command */
        set = system(command) >= 0 && setenv("LOCPATH", folder, 1) == 0 && setlocale(LC_ALL, names[0]) != NULL;
        (void)nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    }
    return set && strcmp(localeconv()->decimal_point, ",") == 0;
}

static void numbers_have_a_point_under_any_locale(void **state)
{
    mls_buffer text = {0};
    mls_error error;
    mls_findings findings = {0};
    char cut[20];
    double number = 0;
    (void)state;

    if (!set_comma()) {
        print_message("no locale with a decimal comma to be had\n");
        skip();
    }
    (void)snprintf(cut, sizeof cut, "%.1f", 0.5);
    assert_string_equal(cut, "0,5");

    mls_buffer_printf(&text, "%.1f %g %s %s %s", 0.5, 1e-7, mls_words_exact(0.1).text,
                      mls_words_grouped(12345.678, 2).text, mls_words_trimmed(1.5e20, 3).text);
    assert_string_equal(text.ptr, "0.5 1e-07 0.1 12,345.68 1.5e+20");
    assert_int_equal(mls_text_printf(cut, sizeof cut, "%.2f", 1.25), 4);
    assert_string_equal(cut, "1.25");
    (void)mls_error_set(&error, MLS_ERROR_VALUE, 0, 0, "%.3f is too much", 1.125);
    assert_string_equal(error.message, "1.125 is too much");
    mls_findings_add(&findings, MLS_FINDING_CLOCK, (mls_finding_place){0}, "%.1f s", 2.5);
    assert_string_equal(findings.items[0].message, "2.5 s");
    assert_true(mls_number_round(2.6789, 2) == 2.68);
    /* Too long for the fast path. */
    assert_true(mls_number_parse(MLS_S("0.12345678901234567890123"), &number) && number > 0.1234 && number < 0.1235);
    assert_true(mls_number_parse(MLS_S("1234567.8901234567890123e-3"), &number) && number > 1234.5);
    assert_false(mls_number_parse(MLS_S("0,5"), &number));
    /* The locale of the program has not changed. */
    (void)snprintf(cut, sizeof cut, "%.1f", 0.5);
    assert_string_equal(cut, "0,5");
    mls_findings_release(&findings);
    mls_buffer_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_have_a_point_under_any_locale)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
