/* SPDX-License-Identifier: Apache-2.0 */
/* test_file.c - a file that was found is opened once more without being led elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/* Opens folder/name again below the folder, or with no folder to stay in; closes it, and says whether it was opened. */
static bool opens(const char *folder, const char *name, bool below)
{
    char *path = mls_path_join(folder, name);
    mls_error error = {0};
    assert_non_null(path);
    const int fd = mls_file_open_again(path, below ? strlen(folder) : 0, &error);
    assert_true((fd >= 0) == (error.status == MLS_OK));
    free(path);
    return fd >= 0 && close(fd) == 0;
}

static void test_no_link_leads_out(void **state)
{
    (void)state;
    char folder[] = "/tmp/mlscore-file.XXXXXX";
    assert_non_null(mkdtemp(folder));
    const int above = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(above >= 0);
    assert_int_equal(mkdirat(above, "sub", 0700), 0);
    const int fd = openat(above, "sub/run.log", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && close(fd) == 0);
    assert_int_equal(symlinkat("sub/run.log", above, "inside.log"), 0);
    assert_int_equal(symlinkat("/etc/passwd", above, "outside.log"), 0);
    assert_int_equal(symlinkat("/etc", above, "away"), 0);
    assert_int_equal(mkfifoat(above, "pipe.log", 0600), 0);

    for (int below = 0; below < 2; below++) {
        assert_true(opens(folder, "sub/run.log", below));
        assert_true(opens(folder, "inside.log", below));
        assert_true(opens(folder, "outside.log", below) == !below);
        assert_true(opens(folder, "away/passwd", below) == !below);
        assert_false(opens(folder, "pipe.log", below));
        assert_false(opens(folder, "sub", below));
        assert_false(opens(folder, "gone.log", below));
    }

    static const char *const names[] = {"sub/run.log", "inside.log", "outside.log", "away", "pipe.log"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(unlinkat(above, names[i], 0), 0);
    }
    assert_int_equal(unlinkat(above, "sub", AT_REMOVEDIR), 0);
    assert_int_equal(close(above), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_link_leads_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
