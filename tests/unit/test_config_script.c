/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "config/config.h"
#include "shell_text.h"

#define FOLDER "testdata/configs"

static mls_shell *read_text(const char *text)
{
    return shell_text_read("config_X_2x8.sh", mls_str_from(text));
}

/* Return the value of a name: its text, "?" if it is unknown, "-" if it is not exported. */
static char *value_of(const mls_shell *script, const char *name)
{
    const mls_shell_variable *variable = mls_shell_find(script, mls_str_from(name));
    mls_buffer text = {0};
    if (variable == NULL)
        mls_buffer_append_text(&text, "-");
    else if (!variable->known)
        mls_buffer_append_text(&text, "?");
    else
        mls_buffer_append(&text, variable->value);
    char *made = mls_buffer_detach(&text);
    assert_non_null(made);
    return made;
}

static void assert_value(const char *text, const char *name, const char *expected)
{
    mls_shell *script = read_text(text);
    char *value = value_of(script, name);
    assert_string_equal(value, expected);
    free(value);
    mls_shell_free(script);
}

static void assert_finds(const char *text, mls_finding_code code, size_t line)
{
    mls_shell *script = read_text(text);
    const mls_findings *findings = &script->findings;
    assert_int_equal(mls_findings_found(findings, code), 1);
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].code == code)
            assert_int_equal(findings->items[i].line, line);
    mls_shell_free(script);
}

/* ---- the same as bash ---- */

/* Get bash's environment after `set -a; source FILE`, NUL-separated; empty without bash. */
static void bash_environment(const char *name, mls_buffer *out)
{
    mls_buffer command = {0};
    mls_buffer_printf(
        &command, "cd " FOLDER " && env -i bash -c 'set -a; . ./%s 2>/dev/null; /usr/bin/env -0' 2>/dev/null", name);
    FILE *pipe = popen(command.ptr, "r");
    assert_non_null(pipe);
    char block[4096];
    size_t got;
    while ((got = fread(block, 1, sizeof block, pipe)) > 0)
        mls_buffer_append(out, (mls_str){block, got});
    (void)pclose(pipe);
    mls_buffer_release(&command);
}

static bool is_of_bash(mls_str name)
{
    return mls_str_equal(name, MLS_S("PWD")) || mls_str_equal(name, MLS_S("OLDPWD")) ||
           mls_str_equal(name, MLS_S("SHLVL")) || mls_str_equal(name, MLS_S("_"));
}

/* Check that each variable that bash exports is exported with the same value or an unknown one. */
static size_t compare_environment(const char *name, mls_str environment, const mls_shell *script)
{
    size_t count = 0;
    for (size_t at = 0; at < environment.len;) {
        const mls_str entry = {environment.ptr + at, strnlen(environment.ptr + at, environment.len - at)};
        at += entry.len + 1;
        const char *equals = memchr(entry.ptr, '=', entry.len);
        assert_non_null(equals);
        const mls_str variable = {entry.ptr, (size_t)(equals - entry.ptr)};
        const mls_str value = {equals + 1, entry.len - variable.len - 1};
        if (is_of_bash(variable))
            continue;
        const mls_shell_variable *ours = mls_shell_find(script, variable);
        if (ours == NULL || (ours->known && !mls_str_equal(ours->value, value))) {
            fail_msg("%s: bash has %.*s, we have '%.*s'", name, (int)entry.len, entry.ptr,
                     ours != NULL ? (int)ours->value.len : 0, ours != NULL ? ours->value.ptr : "");
        }
        count++;
    }
    return count;
}

/* Check that bash exports everything we export, except unknown values, and that only the names made for it are unknown.
 */
static void compare_exports(const char *name, size_t in_bash, const mls_shell *script)
{
    size_t known = 0;
    size_t unknown = 0;
    const mls_shell_variable *exports = script->exports;
    for (size_t i = 0; i < script->export_count; i++) {
        known += exports[i].known;
        unknown += !exports[i].known;
        if (!exports[i].known && !mls_str_starts(exports[i].name, MLS_S("UNKNOWN")))
            fail_msg("%s: %.*s should be known", name, (int)exports[i].name.len, exports[i].name.ptr);
        if (exports[i].known && mls_str_starts(exports[i].name, MLS_S("UNKNOWN")))
            fail_msg("%s: %.*s cannot be known", name, (int)exports[i].name.len, exports[i].name.ptr);
    }
    if (known > in_bash || known + unknown < in_bash)
        fail_msg("%s: bash exports %zu variables, we %zu and %zu unknown ones", name, in_bash, known, unknown);
}

static void test_exports_equal_those_of_bash(void **state)
{
    (void)state;
    mls_buffer probe = {0};
    bash_environment("quoting.sh", &probe);
    const bool bash = probe.len > 0;
    mls_buffer_release(&probe);
    if (!bash)
        skip();
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    size_t scripts = 0;
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        if (!mls_str_ends(mls_str_from(entry->d_name), MLS_S(".sh")))
            continue;
        mls_buffer environment = {0};
        bash_environment(entry->d_name, &environment);
        mls_buffer path = {0};
        mls_buffer_printf(&path, "./%s", entry->d_name);
        mls_shell *script;
        assert_int_equal(chdir(FOLDER), 0);
        const mls_status status = mls_shell_read(path.ptr, NULL, &script, NULL);
        assert_int_equal(chdir("../.."), 0);
        assert_int_equal(status, MLS_OK);
        const size_t in_bash = compare_environment(entry->d_name, mls_buffer_str(&environment), script);
        compare_exports(entry->d_name, in_bash, script);
        mls_shell_free(script);
        mls_buffer_release(&environment);
        mls_buffer_release(&path);
        scripts++;
    }
    (void)closedir(folder);
    assert_true(scripts >= 15);
}

/* ---- unknown values, which are never guessed ---- */

static void test_unknown_values_spread(void **state)
{
    (void)state;
    const struct {
        const char *text;
        const char *expected;
    } cases[] = {
        {"A=$(nvidia-smi -L | wc -l)", "?"},
        {"A=$RANDOM", "?"},
        {"B=$RANDOM; A=x${B}y", "?"},
        {"B=$RANDOM; A=$((B * 0))", "?"},
        {"B=$RANDOM; A=$((1 || B))", "?"},
        {"A=1; if [ $RANDOM -gt 5 ]; then A=2; fi", "?"},
        {"A=1; if [ $RANDOM -gt 5 ]; then A=1; fi", "1"},
        {"A=1; nvidia-smi && A=2", "?"},
        {"A=1; nvidia-smi || true; A=3", "3"},
        {"A=1; eval \"$B\"", "?"},
        {"A=1; f() { A=2; }; A=1; f", "2"},
        {"A=1; f() { A=$1; return; A=3; }; f 2", "2"},
        {"A=1; f() { local A=2; }; f", "?"},
        {"A=1; if [ $RANDOM = 1 ]; then f() { A=2; }; fi; f", "?"},
        {"A=1; for i in 1 2; do A=$B; B=2; done", "-"},
        {"A=5; B=$((A++))", "?"},
        {"A=5; B=$((6 & A))", "5"},
        {"B=x; A=${B/x/y}", "?"},
        {"B=C; C=1; A=${!B}", "?"},
        {"A=1; cd /tmp; source x.sh", "?"},
        {"A=1; cd /tmp", "1"},
        {"A=1; (( A = $(nproc) ))", "-"},
        {"set -euo pipefail; A=${1:-2}", "2"},
        {"set -eo allexport -u; A=$#", "-"},
        {"set -- x; A=$1", "?"},
        {"A=a$RANDOM; A=${A:+b}", "?"},
        {"A=1\ncoproc C { A=2; }", "?"},
        {"A=$(case 1 in (1) echo x;; esac)", "?"},
        {"A=$(for i in 1 2; do exit; done >/dev/null; echo x)", "?"},
        {"(for i in 1 2; do exit 3; done); A=$?", "-"},
        {"f() { while :; do A=2; return; done; }; A=1", "-"},
        {"select A in 1 2; do break; done </dev/null; A=1", "-"},
        {"let 'A = 1' B=2", "-"},
        {"set +a; readonly A=1", "-"},
        {"[ $RANDOM = 1 ] && set +a; A=1", "-"},
        {"declare -r A=1; A=2", "-"},
        {"f() { local B=1; A=$B; }; f", "-"},
        {"A=$(printf %s-%s a b)", "?"},
        {"A=1; printf -v B %s x", "?"},
        {"B=(1 2); B=7; A=${B}", "?"},
        {"B=abc; A=${B:1:1}", "?"},
        {"B=abc; C=${B:A=1}", "-"},
        {"A=1; B=abc; C=${B:A++:1}", "?"},
        {"A=1; D='A=2'; B=abc; C=${B:D}", "?"},
        {"A=1; D='A=2'; C=$((D + E++))", "?"},
        {"B=abc; A=${B^^}", "?"},
        {"A=$((16#ff))", "?"},
        {"A=$((0xfF + 0x))", "255"},
        {"A=1; source /etc/profile", "?"},
        {"source /etc/profile; A=${B:-x}", "?"},
        {"A=1; source $(which setup.sh)", "?"},
        {"A=1; while read -r x; do A=2; done", "-"},
        {"A=1; ls | while read -r x; do A=2; done", "-"},
        {"A=~/x", "?"},
        {"A=$PATH:/x", "?"},
        {"PATH+=:/x; A=$PATH", "?"},
        {"export PATH+=:/x; A=$PATH", "?"},
        {"unset PATH; A=${PATH-none}", "none"},
        {"[[ b > a ]] && B=1; A=$B", "?"},
        {"[[ ab =~ ^a(b)$ ]] && A=1", "?"},
        {"A=A; B=$((A)); A=1", "?"},
        {"B=(1 2); A=$((B[A=3]))", "-"},
        {"export A=1 $RANDOM", "?"},
        {"read A <<< 1", "-"},
        {"printf -v A %d 1", "-"},
        {"A=1; [ -d /sys ] && return; A=2", "?"},
        {"A=1; [ $RANDOM = 1 ] && exit 1; B=1", "1"},
        {"A=1; case $RANDOM in 1) A=2;; esac", "-"},
        {"IFS=,; B=1,2; export A=3 $B", "-"},
        {"A=$(cat /etc/hostname)", "?"},
        {"A=$(sed s/a/b/ file)", "?"},
        {"A=$(echo ab | sed -n 's/a/b/p')", "?"},
        {"A=$(echo ab | sed -E 's/a|b/c/')", "?"},
        {"A=$(echo *.sh)", "?"},
        {"declare -i A; A=1+1", "-"},
        {"A=(1 2)", "?"},
        {"trap 'A=2' EXIT; A=1", "1"},
        {"(A=2)", "-"},
        {"A=1 & ", "-"},
        {"A=1 | true", "-"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mls_shell *script = read_text(cases[i].text);
        char *value = value_of(script, "A");
        if (strcmp(value, cases[i].expected) != 0)
            fail_msg("%s: A is '%s', not '%s'", cases[i].text, value, cases[i].expected);
        free(value);
        mls_shell_free(script);
    }
}

static void test_lines_and_completeness(void **state)
{
    (void)state;
    mls_shell *script = read_text("A=1\n\nexport B=2 \\\n  C=3\nD='a\nb'\nE=5\n");
    assert_int_equal(mls_shell_find(script, MLS_S("A"))->line, 1);
    assert_int_equal(mls_shell_find(script, MLS_S("B"))->line, 3);
    assert_int_equal(mls_shell_find(script, MLS_S("E"))->line, 7);
    assert_true(script->complete);
    assert_null(mls_shell_find(script, MLS_S("F")));
    mls_shell_free(script);
    script = read_text("eval x");
    assert_false(script->complete);
    mls_shell_free(script);
}

/* ---- limits and errors, each with its line ---- */

static void test_mistakes_are_findings(void **state)
{
    (void)state;
    assert_finds("A=1\nB=$((08))\n", MLS_FINDING_CONFIG_ARITHMETIC, 2);
    assert_finds("A=1\nif true; then\nA='\n", MLS_FINDING_CONFIG_SYNTAX, 3);
    assert_finds("A=1\nfi\n", MLS_FINDING_CONFIG_SYNTAX, 2);
    assert_finds("\n. ./missing.sh\n", MLS_FINDING_CONFIG_SOURCE, 2);
    assert_finds("\n\neval x\n", MLS_FINDING_CONFIG_UNKNOWN, 3);
    assert_finds("\nfor i in 1; do :; done\n", MLS_FINDING_CONFIG_UNKNOWN, 2);
    assert_value("A=1; B=$((1/0)); C=3\nD=4\n", "B", "?");
    assert_value("A=1; B=$((1/0)); C=3\nD=4\n", "D", "4");
    assert_value("A=${B:?must be set}\nC=1\n", "A", "?");
    assert_value("A=${B:?must be set}\nC=1\n", "B", "?");
    assert_value("A=${B:?must be set}\nC=1\n", "C", "1");
    assert_value("exit 0\nC=1\n", "C", "-");
}

static char *repeated(const char *begin, const char *middle, size_t count, const char *end)
{
    mls_buffer text = {0};
    mls_buffer_append_text(&text, begin);
    for (size_t i = 0; i < count; i++)
        mls_buffer_append_text(&text, middle);
    mls_buffer_append_text(&text, end);
    char *made = mls_buffer_detach(&text);
    assert_non_null(made);
    return made;
}

static void assert_limited(char *text)
{
    mls_shell *script = read_text(text);
    const mls_findings *findings = &script->findings;
    assert_int_equal(mls_findings_found(findings, MLS_FINDING_CONFIG_LIMIT), 1);
    char *value = value_of(script, "A");
    assert_string_equal(value, "?");
    free(value);
    mls_shell_free(script);
    free(text);
}

static void test_limits_end_the_reading(void **state)
{
    (void)state;
    assert_limited(repeated("A=xxxxxxxxxxxxxxxx", "; A=$A$A", 30, ""));
    assert_limited(repeated("A=1\n", "A=1\n", 60000, ""));
    assert_limited(repeated("A=1\n", "", 0, "f() { f; }; f\n"));
    assert_limited(repeated("A=1\nf1() { :; }\n", "", 0,
                            "f2() { f1; f1; f1; f1; f1; f1; f1; f1; }; f3() { f2; f2; f2; f2; f2; f2; f2; f2; }\n"
                            "f4() { f3; f3; f3; f3; f3; f3; f3; f3; }; f5() { f4; f4; f4; f4; f4; f4; f4; f4; }\n"
                            "f6() { f5; f5; f5; f5; f5; f5; f5; f5; }; f6; f6; f6; f6; f6; f6; f6; f6\n"));
    assert_limited(repeated("A=1; B='", "(", 1000, "1'\nC=$((B))\n"));
    assert_limited(repeated("A=1; B='", "ab", 4000,
                            "'; f() { [[ $B == x ]]; }; g() { f;f;f;f;f;f;f;f;f;f; };"
                            "h() { g;g;g;g;g;g;g;g;g;g; }; h;h;h;h;h;h;h;h;h;h\n"));
    assert_limited(repeated("A=1; B1=2+2\n", "", 0,
                            "B2=B1+B1+B1 B3=B2+B2+B2 B4=B3+B3+B3 B5=B4+B4+B4 B6=B5+B5+B5 B7=B6+B6+B6 B8=B7+B7+B7\n"
                            "B9=B8+B8+B8 Ba=B9+B9+B9 Bb=Ba+Ba+Ba Bc=Bb+Bb+Bb Bd=Bc+Bc+Bc Be=Bd+Bd+Bd Bf=Be+Be+Be\n"
                            "C=$((Bf))\n"));
}

static void test_large_scripts_are_read(void **state)
{
    (void)state;
    mls_buffer text = {0};
    for (unsigned i = 0; i < 10000; i++)
        mls_buffer_printf(&text, "export SETTING_%u=value_%u\n", i * 7919 % 10000, i);
    mls_buffer_append_text(&text, "A=1\n");
    assert_value(text.ptr, "A", "1");
    assert_value(text.ptr, "SETTING_0", "value_0");
    mls_buffer_clear(&text);
    for (unsigned i = 0; i < 25000; i++)
        mls_buffer_printf(&text, "export A=value_%u\n", i);
    assert_value(text.ptr, "A", "value_24999");
    mls_buffer_release(&text);
}

static void write_spaces(const char *path, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fprintf(file, "%*s", (int)count, "") == (int)count);
    assert_int_equal(fclose(file), 0);
}

static void test_files_stay_in_their_folder(void **state)
{
    (void)state;
    char folder[] = "/tmp/mlscore-config-XXXXXX";
    if (mkdtemp(folder) == NULL)
        skip();
    mls_buffer path = {0};
    mls_buffer_printf(&path, "%s/config_A_1x2.sh", folder);
    const struct {
        const char *text;
        const char *expected;
        mls_finding_code code;
    } cases[] = {
        {"A=1; source ${BASH_SOURCE[0]}", "?", MLS_FINDING_CONFIG_LIMIT},
        {"A=1; source /etc/passwd", "?", MLS_FINDING_CONFIG_SOURCE},
        {"A=1; source fifo", "?", MLS_FINDING_CONFIG_SOURCE},
        {"A=1; source .", "?", MLS_FINDING_CONFIG_SOURCE},
        {"A=1; source nothing", "1", MLS_FINDING_CONFIG_SOURCE},
        {"A=1; source link", "?", MLS_FINDING_CONFIG_SOURCE},
        {"A=1; source $(dirname $BASH_SOURCE)/../../etc/passwd", "?", MLS_FINDING_CONFIG_SOURCE},
        {"A=1; source $(dirname $BASH_SOURCE)/../nothing", "?", MLS_FINDING_CONFIG_SOURCE},
        {"A=1; f() { source large; source large; source large; source large; source large; source large; }; f; f; f",
         "?", MLS_FINDING_CONFIG_LIMIT},
        {"A=1; f() { [ -f ${BASH_SOURCE%/*}/large ]; [ -f large ]; }; f; f; f; f; f; f; f; f; f", "?",
         MLS_FINDING_CONFIG_LIMIT},
        {"A=1; [ -f config_data_$RANDOM.sh ] && source config_data_$RANDOM.sh; source nothing", "1",
         MLS_FINDING_CONFIG_SOURCE},
        {"A=1; if [[ -e config_$RANDOM.sh ]]; then A=2; source config_$RANDOM.sh; fi; source nothing", "?",
         MLS_FINDING_CONFIG_SOURCE},
        {"A=1; source config_data_$RANDOM.sh", "?", MLS_FINDING_CONFIG_SOURCE},
        {"A=1; [ -f $RANDOM.sh ] && source $RANDOM.sh", "?", MLS_FINDING_CONFIG_SOURCE},
    };
    mls_buffer link = {0};
    mls_buffer_printf(&link, "%s/link", folder);
    assert_int_equal(symlink("/etc/passwd", link.ptr), 0);
    mls_buffer large = {0};
    mls_buffer_printf(&large, "%s/large", folder);
    write_spaces(large.ptr, MLS_SHELL_BYTES_MAX);
    mls_buffer fifo = {0};
    mls_buffer_printf(&fifo, "%s/fifo", folder);
    assert_int_equal(mkfifo(fifo.ptr, 0600), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FILE *file = fopen(path.ptr, "wb");
        assert_non_null(file);
        assert_true(fputs(cases[i].text, file) >= 0);
        assert_int_equal(fclose(file), 0);
        mls_shell *script;
        assert_int_equal(mls_shell_read(path.ptr, NULL, &script, NULL), MLS_OK);
        char *value = value_of(script, "A");
        assert_string_equal(value, cases[i].expected);
        assert_int_equal(mls_findings_found(&script->findings, cases[i].code), 1);
        free(value);
        mls_shell_free(script);
    }
    mls_shell *script;
    mls_error error;
    assert_int_equal(mls_shell_read(fifo.ptr, NULL, &script, &error), MLS_ERROR_READ);
    assert_int_equal(mls_shell_read(folder, NULL, &script, &error), MLS_ERROR_READ);
    assert_int_equal(mls_shell_read("no/such/file", NULL, &script, &error), MLS_ERROR_READ);
    FILE *file = fopen(path.ptr, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite("A\0B", 1, 3, file), 3);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(mls_shell_read(path.ptr, NULL, &script, &error), MLS_ERROR_SYNTAX);
    assert_int_equal(unlink(path.ptr), 0);
    assert_int_equal(unlink(fifo.ptr), 0);
    assert_int_equal(unlink(link.ptr), 0);
    assert_int_equal(unlink(large.ptr), 0);
    assert_int_equal(rmdir(folder), 0);
    mls_buffer_release(&path);
    mls_buffer_release(&fifo);
    mls_buffer_release(&link);
    mls_buffer_release(&large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exports_equal_those_of_bash), cmocka_unit_test(test_unknown_values_spread),
        cmocka_unit_test(test_lines_and_completeness),      cmocka_unit_test(test_mistakes_are_findings),
        cmocka_unit_test(test_limits_end_the_reading),      cmocka_unit_test(test_large_scripts_are_read),
        cmocka_unit_test(test_files_stay_in_their_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
