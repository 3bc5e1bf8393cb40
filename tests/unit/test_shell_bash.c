/* SPDX-License-Identifier: Apache-2.0 */
/* One-line scripts: A has the value that bash gives it or is unknown; it never has another value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "shell_text.h"

/* "?": unknown; "-": not exported, or after something that is not followed. */
static const struct {
    const char *text, *expected;
} rows[] = {
    /* functions */
    {"function f { A=1; }; f", "1"},
    {"function f() { A=$2; }; f a b", "b"},
    {"f() { A=1; }; unset f; A=2; f", "-"},
    {"f() { return 3; }; f; A=$?", "3"},
    {"f() { return; A=1; }; A=2; f", "2"},
    {"A=1; f() ( A=2 ); f", "-"},
    /* conditions */
    {"[ -n x ] && A=1", "1"},
    {"[ -z x ] || A=1", "1"},
    {"[ x = y -o z = z ] && A=1", "1"},
    {"[ x = x -a y = z ] || A=2", "2"},
    {"[ ! x = y ] && A=1", "1"},
    {"[ \\( x = x \\) ] && A=1", "?"},
    {"[ 3 -gt 2 -a 2 -ge 2 -a 1 -lt 2 -a 1 -le 1 -a 1 -ne 2 -a 2 -eq 2 ] && A=1", "1"},
    {"A=1; [ x = x", "1"},
    {"A=1; [ 1 -eq x ] && A=2", "1"},
    {"A=1; [ a b c d ] && A=2", "1"},
    {"[[ a < b && b > a ]] && A=1", "?"},
    {"[[ ( a == a ) && ! ( a == b ) ]] && A=1", "?"},
    {"[[ a == b || abc == a*c ]] && A=1", "1"},
    {"[[ abc != a* ]] || A=1", "1"},
    {"B=; [[ -v B ]] && A=1", "?"},
    {"[[ -n $RANDOM || x == x ]] && A=1", "1"},
    {"! false && A=1", "1"},
    {"! true || A=1", "1"},
    {"time true; A=1", "-"},
    {"test x = x && A=1", "1"},
    {"if false; then A=1; elif true; then A=2; else A=3; fi", "2"},
    {"case x in y) A=1;; x|z) A=2;; *) A=3;; esac", "-"},
    /* expansions */
    {"B=x; A=${B:-y}${C:-y}${C-z}${B+w}", "xyzw"},
    {"A=${B:=x}$B", "xx"},
    {"B=; A=${B:-y}${B-z}${B:+w}${B+v}", "yv"},
    {"B=a/b/c.sh; A=${B##*/}+${B#*/}+${B%%/*}+${B%/*}", "c.sh+b/c.sh+a+a/b"},
    {"B=abc; A=${#B}", "?"},
    {"A=${#}", "0"},
    {"B=x; A='$B'\"$B\"\\$B", "$Bx$B"},
    {"A=$'a\\tb\\x41\\101'", "?"},
    {"A=$((1 + 2 * 3 - 4 / 2 % 3))", "5"},
    {"A=$(( (1 << 4 | 3) ^ 1 ))", "?"},
    {"A=$((5 > 3 ? 7 : 9))", "?"},
    {"A=$[1 + 2]", "-"},
    {"A=`printf %s x`", "?"},
    {"A=$(dirname /a/b/c)", "/a/b"},
    {"A=$(basename /a/b.sh .sh)", "b"},
    {"A=$(basename /a/b.sh)", "b.sh"},
    {"A=$(echo a   b)", "a b"},
    {"A=$(echo -n a)", "a"},
    {"A=$(echo -e a)", "?"},
    {"A=$(expr 2 + 3 \\* 4)", "14"},
    {"A=$(expr a + 1)", "?"},
    {"A=a; A+=b", "ab"},
    {"A=x; A=${A}_${A}", "x_x"},
    {"A=a{1,2}", "a{1,2}"},
    {"B='a  b'; A=$B", "a  b"},
    /* names */
    {"export A=1; export -n A", "?"},
    {"A=1; unset A", "-"},
    {"A=1; unset -v A", "-"},
    {"declare A=1", "-"},
    {"set +a; A=1; export A", "-"},
    {"B=1 A=2 true; A=3$B", "3"},
    {"B[1]=2; A=1", "1"},
    {"exec 2>/dev/null; A=1", "1"},
    {"{ A=1; } >/dev/null", "1"},
    {"A=1 >/dev/null", "1"},
    {"cat <<E >/dev/null\n$(A=2)\nE\nA=1", "-"},
    {"true | true |& true; A=1", "-"},
};

/* Get the value that bash prints for A. */
static void bash_value(const char *text, mls_buffer *value)
{
    char script[] = "/tmp/mlscore-bash_XXXXXX";
    char command[256];
    char block[256];
    size_t got;
    const int fd = mkstemp(script);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(close(fd), 0);
    (void)snprintf(command, sizeof command,
                   "env -i bash -c 'set -a; . %s; printenv A || printf -- \"-\\n\"' 2>/dev/null", script);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while ((got = fread(block, 1, sizeof block, pipe)) > 0)
        mls_buffer_append(value, (mls_str){block, got});
    (void)pclose(pipe);
    assert_int_equal(unlink(script), 0);
    mls_buffer_cut(value, value->len > 0 ? value->len - 1 : 0);
}

static void a_value_is_that_of_bash_or_not_known(void **state)
{
    const bool bash = access("/bin/bash", X_OK) == 0;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mls_shell *script = shell_text_read("config_X_2x8.sh", mls_str_from(rows[i].text));
        const mls_shell_variable *variable = mls_shell_find(script, MLS_S("A"));
        const mls_str ours = variable == NULL ? MLS_S("-") : variable->known ? variable->value : MLS_S("?");
        mls_buffer theirs = {0};
        if (!mls_str_equal(ours, mls_str_from(rows[i].expected)))
            fail_msg("%s: A is '%.*s', not '%s'", rows[i].text, (int)ours.len, ours.ptr, rows[i].expected);
        if (bash && !mls_str_equal(ours, MLS_S("?")) && script->complete) {
            bash_value(rows[i].text, &theirs);
            if (!mls_str_equal(ours, mls_buffer_str(&theirs))) {
                fail_msg("%s: A is '%.*s' in bash, not '%.*s'", rows[i].text, (int)theirs.len, theirs.ptr,
                         (int)ours.len, ours.ptr);
            }
        }
        mls_buffer_release(&theirs);
        mls_shell_free(script);
    }
}

/* An error in bash is a finding with its line; the commands before it have run. */
static void a_mistake_is_a_finding(void **state)
{
    static const char *const mistakes[] = {
        "B=$[1",         "B=${a b}", "B=${}",     "B=${#C[0]x}",     "B=${1:=x}",
        "true >",        "true > >", "[[ a == b", "[[ a ==",         "{ true; } true",
        "if true; then", "f() {",    "true | ",   "true && && true", ")",
        "function",      ";;",
    };
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char text[128];
        (void)snprintf(text, sizeof text, "A=1\n%s\n", mistakes[i]);
        mls_shell *script = shell_text_read("config_X_2x8.sh", mls_str_from(text));
        const mls_shell_variable *variable = mls_shell_find(script, MLS_S("A"));
        const mls_findings *findings = &script->findings;
        if (mls_findings_found(findings, MLS_FINDING_CONFIG_SYNTAX) != 1 || variable == NULL)
            fail_msg("%s: %zu findings", mistakes[i], mls_findings_found(findings, MLS_FINDING_CONFIG_SYNTAX));
        assert_true(findings->items[0].line == 2 || findings->items[0].line == 3);
        mls_shell_free(script);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_that_of_bash_or_not_known),
        cmocka_unit_test(a_mistake_is_a_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
