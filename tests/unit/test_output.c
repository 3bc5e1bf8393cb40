/* SPDX-License-Identifier: Apache-2.0 */
/* Output files are complete or absent; input files are found. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/output.h"
#include "run/reading.h"
#include "scratch.h"

static int enter(void **state)
{
    (void)signal(SIGPIPE, SIG_IGN);
    (void)umask(022);
    return enter_scratch(state);
}

static void make_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *path, const char *expected)
{
    char text[200] = "";
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    (void)fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    assert_string_equal(text, expected);
}

/* Return the names in the folder in natural order. */
static void assert_files(const char *expected)
{
    mls_sources list = {0};
    const char *here = ".";
    mls_buffer text = {0};
    assert_int_equal(mls_sources_find(&here, 1, &list, NULL), MLS_OK);
    mls_buffer_append_text(&text, "");
    for (size_t i = 0; i < list.count; i++)
        mls_buffer_printf(&text, "%s%s", i > 0 ? " " : "", list.items[i].path + 2);
    assert_string_equal(text.ptr, expected);
    mls_buffer_release(&text);
    mls_sources_release(&list);
}

static mode_t mode_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 07777;
}

static void a_file_appears_when_it_is_closed(void **state)
{
    mls_output output;
    (void)state;
    assert_int_equal(mls_output_open(&output, "new", NULL), MLS_OK);
    mls_output_printf(&output, "%s %d\n", "one", 2);
    mls_output_flush(&output);
    assert_int_equal(access("new", F_OK), -1);
    mls_output_text(&output, "three\n");
    assert_int_equal(mls_output_close(&output, false, NULL), MLS_OK);
    assert_holds("new", "one 2\nthree\n");
    assert_int_equal(mode_of("new"), 0644);
    assert_files("new");
    assert_int_equal(unlink("new"), 0);
}

static void what_is_abandoned_leaves_no_trace(void **state)
{
    mls_output output;
    (void)state;
    make_file("old", "old");
    assert_int_equal(chmod("old", 0640), 0);
    assert_int_equal(mls_output_open(&output, "old", NULL), MLS_OK);
    mls_output_text(&output, "new");
    mls_output_flush(&output);
    assert_int_equal(mls_output_close(&output, true, NULL), MLS_ERROR_WRITE);
    assert_holds("old", "old");
    assert_files("old");
    assert_int_equal(mls_output_open(&output, "old", NULL), MLS_OK);
    mls_output_text(&output, "new");
    assert_int_equal(mls_output_close(&output, false, NULL), MLS_OK);
    assert_holds("old", "new");
    assert_int_equal(mode_of("old"), 0640);
    assert_int_equal(unlink("old"), 0);
}

static void links_are_followed(void **state)
{
    mls_output output;
    (void)state;
    make_file("target", "old");
    assert_int_equal(symlink("target", "link"), 0);
    assert_int_equal(mls_output_open(&output, "link", NULL), MLS_OK);
    mls_output_text(&output, "new");
    assert_int_equal(mls_output_close(&output, false, NULL), MLS_OK);
    assert_holds("target", "new");
    struct stat about;
    assert_true(lstat("link", &about) == 0 && S_ISLNK(about.st_mode));
    assert_int_equal(unlink("link"), 0);
    assert_int_equal(unlink("target"), 0);
}

/* Like > in the shell: the file that the last link names is created. */
static void links_that_lead_nowhere_yet_are_followed(void **state)
{
    mls_output output;
    mls_error error = {0};
    struct stat about;
    (void)state;
    assert_int_equal(mkdir("there", 0700), 0);
    assert_int_equal(symlink("there/second", "first"), 0);
    assert_int_equal(symlink("new", "there/second"), 0);
    assert_int_equal(mls_output_open(&output, "first", NULL), MLS_OK);
    mls_output_text(&output, "written");
    assert_int_equal(mls_output_close(&output, false, NULL), MLS_OK);
    assert_holds("there/new", "written");
    assert_true(lstat("first", &about) == 0 && S_ISLNK(about.st_mode));
    assert_true(lstat("there/second", &about) == 0 && S_ISLNK(about.st_mode));
    assert_int_equal(unlink("first") | unlink("there/second") | unlink("there/new") | rmdir("there"), 0);
    assert_int_equal(symlink("gone/file", "lost"), 0);
    assert_int_equal(mls_output_open(&output, "lost", &error), MLS_ERROR_WRITE);
    assert_int_equal(error.system_errno, ENOENT);
    assert_int_equal(symlink("circle", "circle"), 0);
    assert_int_equal(mls_output_open(&output, "circle", &error), MLS_ERROR_WRITE);
    assert_int_equal(unlink("lost") | unlink("circle"), 0);
}

static void places_that_cannot_be_written(void **state)
{
    static const char *const paths[] = {"no/such/folder", ".", ""};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        mls_output output;
        mls_error error = {0};
        mls_status status = mls_output_open(&output, paths[i], &error);
        if (status == MLS_OK)
            status = mls_output_close(&output, false, &error);
        assert_int_equal(status, MLS_ERROR_WRITE);
        assert_true(strncmp(error.message, "cannot write: ", 14) == 0);
        assert_files("");
    }
}

static void a_full_disk_and_a_closed_pipe(void **state)
{
    mls_output output;
    mls_error error = {0};
    char path[40];
    int ends[2];
    (void)state;
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(mls_output_open(&output, "/dev/full", NULL), MLS_OK);
        mls_output_text(&output, "x");
        assert_int_equal(mls_output_close(&output, false, &error), MLS_ERROR_WRITE);
        assert_int_equal(error.system_errno, ENOSPC);
    }
    assert_int_equal(pipe(ends), 0);
    (void)snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    assert_int_equal(mls_output_open(&output, path, NULL), MLS_OK);
    (void)close(ends[0]);
    assert_false(mls_output_is_closed(&output));
    mls_output_text(&output, "x");
    mls_output_flush(&output);
    assert_true(mls_output_is_closed(&output));
    assert_int_equal(mls_output_close(&output, false, NULL), MLS_STOPPED);
    (void)close(ends[1]);
}

/* ---------------------------------------------------------------- walking */

/* Each source as a path with letters (r: result, n: named, f: failed) and the reason why it is skipped. */
static void assert_walk(const char *const *paths, size_t count, const char *expected)
{
    mls_sources list = {0};
    mls_buffer text = {0};
    assert_int_equal(mls_sources_find(paths, count, &list, NULL), MLS_OK);
    mls_buffer_append_text(&text, "");
    for (size_t i = 0; i < list.count; i++) {
        const mls_source *source = &list.items[i];
        mls_buffer_printf(&text, "%s %s%s%s%s%s\n", source->path, source->result ? "r" : "", source->named ? "n" : "",
                          source->failed ? "f" : "", source->skip != NULL ? " " : "",
                          source->skip != NULL ? source->skip : "");
    }
    assert_string_equal(text.ptr, expected);
    mls_buffer_release(&text);
    mls_sources_release(&list);
}

static void make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    (void)close(fd);
}

static void make_tree(void)
{
    assert_int_equal(mkdir("w", 0755), 0);
    assert_int_equal(mkdir("w/sub", 0755), 0);
    assert_int_equal(mkdir("w/sub10", 0755), 0);
    make_file("w/result_10.txt", "x");
    make_file("w/result_2.txt", "x");
    make_file("w/result_.txt", "x");
    make_file("w/result_2.txt.bak", "x");
    make_file("w/sub/a.log", "x");
    make_file("w/compliance_1.out", "x");
    make_file("w/x_nccl.log", "x");
    make_file("w/core.123", "x");
    make_file("w/.hidden", "x");
    assert_int_equal(symlink("..", "w/sub/up"), 0);
    assert_int_equal(symlink("../sub10", "w/sub/aside"), 0);
    assert_int_equal(symlink("gone", "w/broken"), 0);
    assert_int_equal(symlink("circle", "w/circle"), 0);
    assert_int_equal(mkfifo("w/fifo", 0644), 0);
    make_socket("w/socket");
}

static void folders_are_walked_in_natural_order(void **state)
{
    const char *paths[] = {"w"};
    (void)state;
    make_tree();
    assert_walk(paths, 1,
                "w/.hidden  hidden\n"
                "w/broken  broken link\n"
                "w/circle  broken link\n"
                "w/compliance_1.out  compliance report: quotes lines of a log\n"
                "w/core.123  core dump\n"
                "w/fifo  named pipe\n"
                "w/result_.txt r\n"
                "w/result_2.txt r\n"
                "w/result_2.txt.bak \n"
                "w/result_10.txt r\n"
                "w/socket  socket\n"
                "w/sub/a.log \n"
                "w/sub/up  folder already read\n"
                "w/sub10  folder already read\n"
                "w/x_nccl.log  NCCL test\n");
}

static void named_paths_are_taken_as_they_are(void **state)
{
    const char *paths[] = {"w/compliance_1.out", "w/fifo", "-", "absent", "w/.hidden", "w/sub10", "w/sub10/"};
    (void)state;
    assert_walk(paths, 7, "w/compliance_1.out n\nw/fifo n\n- n\nabsent nf No such file or directory\nw/.hidden n\n");
}

static void results_named_twice_count_once(void **state)
{
    const char *paths[] = {"w/result_2.txt", "w/../w/result_2.txt",    "w/sub/a.log",
                           "w/sub/a.log",    "w/sub/up/result_10.txt", "w/result_10.txt"};
    (void)state;
    assert_walk(paths, 6,
                "w/result_2.txt rn\nw/../w/result_2.txt rn named twice\nw/sub/a.log n\nw/sub/a.log n\n"
                "w/sub/up/result_10.txt rn\nw/result_10.txt rn named twice\n");
}

static void deep_folders_end_somewhere(void **state)
{
    mls_sources list = {0};
    const char *path = "deep";
    mls_buffer name = {0};
    (void)state;
    mls_buffer_append_text(&name, "deep");
    for (int i = 0; i < 80; i++) {
        assert_int_equal(mkdir(name.ptr, 0755), 0);
        mls_buffer_append_text(&name, "/d");
    }
    assert_int_equal(mls_sources_find(&path, 1, &list, NULL), MLS_OK);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.items[0].skip, "folders nested too deeply");
    mls_sources_release(&list);
    mls_buffer_release(&name);
}

static void files_that_are_no_logs(void **state)
{
    (void)state;
    assert_non_null(mls_file_magic_words(MLS_S("\x1f\x8b\x08")));
    assert_non_null(mls_file_magic_words(MLS_S("\x7f"
                                               "ELF\2\1")));
    assert_null(mls_file_magic_words(MLS_S("\x7f"
                                           "EL")));
    assert_null(mls_file_magic_words(MLS_S("")));
    assert_null(mls_file_magic_words(MLS_S(":::MLLOG {")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_appears_when_it_is_closed),
        cmocka_unit_test(what_is_abandoned_leaves_no_trace),
        cmocka_unit_test(links_are_followed),
        cmocka_unit_test(links_that_lead_nowhere_yet_are_followed),
        cmocka_unit_test(places_that_cannot_be_written),
        cmocka_unit_test(a_full_disk_and_a_closed_pipe),
        cmocka_unit_test(folders_are_walked_in_natural_order),
        cmocka_unit_test(named_paths_are_taken_as_they_are),
        cmocka_unit_test(results_named_twice_count_once),
        cmocka_unit_test(deep_folders_end_somewhere),
        cmocka_unit_test(files_that_are_no_logs),
    };
    return cmocka_run_group_tests(tests, enter, leave_scratch);
}
