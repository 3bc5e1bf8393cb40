/* SPDX-License-Identifier: Apache-2.0 */
/* Reading whole files, and walking through folders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/walk.h"
#include "scratch.h"

static void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void whole_files_are_read_without_waiting(void **state)
{
    char folder[] = "/tmp/mlscore-files-XXXXXX";
    mls_buffer text = {0};
    mls_error error;
    (void)state;

    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    put_file("plain", "some text");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(mls_file_read("plain", false, 9, &text, &error), MLS_OK);
    assert_string_equal(text.ptr, "some text");
    assert_int_equal(mls_file_read("plain", true, SIZE_MAX, &text, &error), MLS_OK);
    assert_int_equal(text.len, 18);
    assert_int_equal(mls_file_read("plain", false, 8, &text, &error), MLS_ERROR_LIMIT);
    assert_string_equal(error.message, "is larger than 8 bytes");
    /* Reading this would wait forever. */
    assert_int_equal(mls_file_read("pipe", false, 100, &text, &error), MLS_ERROR_READ);
    assert_string_equal(error.message, "is a named pipe");
    assert_int_equal(mls_file_read(".", true, 100, &text, &error), MLS_ERROR_READ);
    assert_string_equal(error.message, "is a folder");
    assert_int_equal(mls_file_read("/dev/null", false, 100, &text, NULL), MLS_ERROR_READ);
    mls_buffer_clear(&text);
    assert_int_equal(mls_file_read("/dev/null", true, 100, &text, NULL), MLS_OK);
    assert_int_equal(text.len, 0);
    assert_int_equal(mls_file_read("gone", true, 100, &text, &error), MLS_ERROR_READ);
    assert_int_equal(error.system_errno, ENOENT);
    assert_string_equal(error.message, "No such file or directory");
    mls_buffer_release(&text);
    assert_int_equal(unlink("plain") + unlink("pipe"), 0);
    assert_int_equal(chdir("/") + rmdir(folder), 0);
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    return remove(path);
}

/* Record what a walk shows. Stop at a given name, and follow links out of the tree if told to. */
typedef struct tale {
    mls_buffer text;
    const char *stop_at;
} tale;

static mls_status tell_found(void *state, mls_walk_entry *entry)
{
    static const char *const kinds[] = {"file", "folder", "special", "lost", "failed"};
    tale *self = state;

    mls_buffer_printf(&self->text, "%s %s %d%s%s%s%s\n", kinds[entry->kind], entry->below, entry->role,
                      entry->link ? " link" : "", entry->outside ? " outside" : "", entry->before ? " before" : "",
                      entry->too_deep ? " too deep" : "");
    assert_string_equal(entry->name, mls_path_name(entry->path));
    entry->inner = entry->role + 1;
    return self->stop_at != NULL && strcmp(entry->name, self->stop_at) == 0 ? MLS_STOPPED : MLS_OK;
}

static mls_status tell_listed(void *state, const mls_walk_entry *folder, const mls_names *names, int system_errno)
{
    tale *self = state;

    mls_buffer_printf(&self->text, "[%s] %zu%s%s\n", folder->below, names->count, system_errno != 0 ? " " : "",
                      system_errno != 0 ? strerror(system_errno) : "");
    return MLS_OK;
}

static void walks(const char *root, mls_folder_walk walk, const char *stop_at, mls_status expected, const char *story)
{
    mls_error error = {0};
    tale self = {.stop_at = stop_at};

    walk.visitor = (mls_walk_visitor){&self, tell_found, tell_listed};
    assert_int_equal(mls_folder_walk_from(&walk, root, 1, &error), expected);
    assert_string_equal(self.text.ptr, story);
    /* A root that was walked already is skipped. */
    mls_buffer_clear(&self.text);
    if (expected == MLS_OK && walk.entries > 0) {
        assert_int_equal(mls_folder_walk_from(&walk, root, 1, &error), MLS_OK);
        assert_int_equal(self.text.len, 0);
    }
    mls_folder_walk_release(&walk);
    mls_buffer_release(&self.text);
}

static void folders_are_walked_once_and_in_order(void **state)
{
    char folder[] = "/tmp/mlscore-walk-XXXXXX";
    (void)state;

    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("out", 0700) | mkdir("r", 0700) | mkdir("r/a", 0700) | mkdir("r/a/b", 0700), 0);
    put_file("r/x10", "");
    put_file("r/x9", "12345");
    put_file("r/a/b/deep", "");
    put_file("out/secret", "");
    assert_int_equal(mkfifo("r/pipe", 0600), 0);
    assert_int_equal(symlink("..", "r/a/up") | symlink("nowhere", "r/lost") | symlink("../out", "r/away") |
                         symlink("x9", "r/near"),
                     0);
    walks("r", (mls_folder_walk){.entries_max = 100, .depth_max = 9, .inside = true}, NULL, MLS_OK,
          "[] 7\nfolder a 1\n[a] 2\nfolder a/b 2\n[a/b] 1\nfile a/b/deep 3\nfolder a/up 2 link before\n"
          "folder away 1 link outside\nlost lost 1 link outside\nfile near 1 link\nspecial pipe 1\nfile x9 1\n"
          "file x10 1\n");
    walks("r/", (mls_folder_walk){.entries_max = 100, .depth_max = 1}, NULL, MLS_OK,
          "[] 7\nfolder a 1\n[a] 2\nfolder a/b 2 too deep\nfolder a/up 2 link before too deep\n"
          "folder away 1 link outside\n[away] 1\nfile away/secret 2\nlost lost 1 link outside\nfile near 1 link\n"
          "special pipe 1\nfile x9 1\nfile x10 1\n");
    walks("r", (mls_folder_walk){.entries_max = 100, .depth_max = 9}, "b", MLS_STOPPED,
          "[] 7\nfolder a 1\n[a] 2\nfolder a/b 2\n");
    walks("r/a", (mls_folder_walk){.entries_max = 2, .depth_max = 9}, NULL, MLS_ERROR_LIMIT,
          "[] 2\nfolder b 1\n[b] 1\nfile b/deep 2\n");
    walks("gone", (mls_folder_walk){.entries_max = 2, .depth_max = 9}, NULL, MLS_OK,
          "[] 0 No such file or directory\n");
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* Open "in/name" again, below "in" or anywhere, and close it. Return whether it could be opened. */
static bool opens_again(const char *name, bool below)
{
    char path[64];
    mls_error error = {0};
    (void)snprintf(path, sizeof path, "in/%s", name);
    const int fd = mls_file_open_again(path, below ? strlen("in") : 0, &error);
    assert_true((fd >= 0) == (error.status == MLS_OK));
    return fd >= 0 && close(fd) == 0;
}

static void no_link_leads_out_when_a_file_is_opened_again(void **state)
{
    /* Otherwise no link below a folder is followed. */
    const bool has_openat2 = syscall(SYS_openat2, -1, "", NULL, 0) >= 0 || errno != ENOSYS;
    (void)state;
    assert_int_equal(mkdir("in", 0700) | mkdir("in/sub", 0700), 0);
    put_file("in/sub/run.log", "");
    assert_int_equal(symlink("sub/run.log", "in/inside.log") | symlink("/etc/passwd", "in/outside.log") |
                         symlink("/etc", "in/away"),
                     0);
    assert_int_equal(mkfifo("in/pipe.log", 0600), 0);
    for (int below = 0; below < 2; below++) {
        assert_true(opens_again("sub/run.log", below));
        assert_true(opens_again("inside.log", below) == (!below || has_openat2));
        assert_true(opens_again("outside.log", below) == !below);
        assert_true(opens_again("away/passwd", below) == !below);
        assert_false(opens_again("pipe.log", below));
        assert_false(opens_again("sub", below));
        assert_false(opens_again("gone.log", below));
    }
}

static void no_link_leads_out_of_a_folder_that_is_walked_down(void **state)
{
    const int flags = O_RDONLY | O_CLOEXEC;
    int folder;
    int fd;
    (void)state;

    assert_int_equal(mkdir("top", 0700) + mkdir("top/in", 0700) + mkdir("out", 0700), 0);
    put_file("top/in/log", "text");
    put_file("out/log", "text");
    assert_int_equal(symlink("../out", "top/way") + symlink("in", "top/again") + symlink("log", "top/in/link"), 0);
    folder = open("top", O_PATH | O_DIRECTORY);
    assert_true(folder >= 0);
    for (size_t i = 0; i < 3; i++) {
        static const char *const good[] = {"in/log", "in//./log", "/in/log"};
        fd = mls_file_walk_below(folder, good[i], flags);
        assert_true(fd >= 0 && close(fd) == 0);
    }
    fd = mls_file_walk_below(folder, "in/", flags | O_DIRECTORY);
    assert_true(fd >= 0 && close(fd) == 0);
    assert_int_equal(mls_file_walk_below(folder, "way/log", flags), -1);
    assert_int_equal(errno, ENOTDIR);
    assert_int_equal(mls_file_walk_below(folder, "again/log", flags), -1);
    assert_int_equal(mls_file_walk_below(folder, "in/link", flags), -1);
    assert_int_equal(errno, ELOOP);
    assert_int_equal(mls_file_walk_below(folder, "in/../../out/log", flags), -1);
    assert_int_equal(errno, EXDEV);
    assert_int_equal(mls_file_walk_below(folder, "in/gone", flags), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(close(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_files_are_read_without_waiting),
        cmocka_unit_test(folders_are_walked_once_and_in_order),
        cmocka_unit_test_setup_teardown(no_link_leads_out_when_a_file_is_opened_again, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(no_link_leads_out_of_a_folder_that_is_walked_down, enter_scratch,
                                        leave_scratch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
