/* SPDX-License-Identifier: Apache-2.0 */
/* test_hosts.c - expand and fold host lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "score/hosts.h"

/* Expand a list to names separated by blanks. */
static void expand_hosts(const char *list, mls_buffer *text, mls_findings *findings)
{
    mls_buffer_clear(text);
    mls_buffer_append_text(text, "");
    const size_t count = mls_hosts_expand(mls_str_from(list), text, findings, (mls_finding_place){.line = 7});
    size_t names = 0;
    for (size_t i = 0; i < text->len; i++) {
        names += text->ptr[i] == '\0';
        text->ptr[i] = text->ptr[i] == '\0' && i + 1 < text->len ? ' ' : text->ptr[i];
    }
    assert_int_equal(names, count);
}

static void names_of_lists(void **state)
{
    static const char *const rows[][2] = {
        {"", ""},
        {"node1", "node1"},
        {"node1,gpu2", "node1 gpu2"},
        {"node1 gpu[2-3]", "node1 gpu2 gpu3"},
        {"node[1-3]", "node1 node2 node3"},
        {"node[01-03,07],gpu1", "node01 node02 node03 node07 gpu1"},
        {"node[098-101]", "node098 node099 node100 node101"},
        {"n[9-11]", "n9 n10 n11"},
        {"n[1-02]", "n1 n2"},
        {"n[1,3]-ib,x[9]", "n1-ib n3-ib x9"},
        {"a[1-3]b", "a1b a2b a3b"},
        {"r[1-2]n[3-4]", "r1n3 r1n4 r2n3 r2n4"},
        /* As in scontrol. */
        {"x[1,5]c[0-1]s[0-2]", "x1c0s0 x1c0s1 x1c0s2 x5c0s0 x5c0s1 x5c0s2 x1c1s0 x1c1s1 x1c1s2 x5c1s0 x5c1s1 x5c1s2"},
        {"a[1-2]b[1-2]c[1-2]d[1-2]", "a1b1c1d1 a1b1c1d2 a2b1c1d1 a2b1c1d2 a1b2c1d1 a1b2c1d2 a2b2c1d1 a2b2c1d2 "
                                     "a1b1c2d1 a1b1c2d2 a2b1c2d1 a2b1c2d2 a1b2c2d1 a1b2c2d2 a2b2c2d1 a2b2c2d2"},
        {"x[1-2][3-4][5-6]", "x135 x136 x235 x236 x145 x146 x245 x246"},
        {"[1-3]", "1 2 3"},
        {"n[1-3,2],n2", "n1 n2 n3 n2 n2"},
        {"a,,b,", "a b"},
        {"node]1", "node]1"},
        {"n[999999999999999998-999999999999999999]", "n999999999999999998 n999999999999999999"},
    };
    mls_buffer text = {0};
    mls_findings none = {0};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expand_hosts(rows[i][0], &text, &none);
        assert_string_equal(text.ptr, rows[i][1]);
        assert_int_equal(none.count, 0);
    }
    mls_buffer_release(&text);
}

static void words_that_stay(void **state)
{
    /* A list, its names, and the word that is kept with the reason. */
    static const char *const rows[][3] = {
        {"n[3-1],b", "n[3-1] b", "n[3-1] is not expanded: a range in it is descending"},
        {"a,n[1-3", "a n[1-3", "n[1-3 is not expanded: a bracket in it is not closed"},
        {"n[1-3,x],b", "n[1-3,x] b", "n[1-3,x] is not expanded: its brackets do not contain numbers and ranges"},
        {"n[]", "n[]", "n[] is not expanded: its brackets do not contain numbers and ranges"},
        {"n[-3]", "n[-3]", "n[-3] is not expanded: its brackets do not contain numbers and ranges"},
        {"n[1-]", "n[1-]", "n[1-] is not expanded: its brackets do not contain numbers and ranges"},
        {"n[1-2-3]", "n[1-2-3]", "n[1-2-3] is not expanded: its brackets do not contain numbers and ranges"},
        {"n[1-2]x[3-1]", "n[1-2]x[3-1]", "n[1-2]x[3-1] is not expanded: a range in it is descending"},
        {"n]1[", "n]1[", "n]1[ is not expanded: a bracket in it is not closed"},
        {"n[1-10001],b", "n[1-10001] b", "n[1-10001] is not expanded: it expands to too many hosts"},
        {"n[0-999999999999999999]", "n[0-999999999999999999]",
         "n[0-999999999999999999] is not expanded: it expands to too many hosts"},
        {"a[1-101][1-100]", "a[1-101][1-100]", "a[1-101][1-100] is not expanded: it expands to too many hosts"},
        {"[1][1][1][1][1][1][1][1][1]", "[1][1][1][1][1][1][1][1][1]",
         "[1][1][1][1][1][1][1][1][1] is not expanded: it has too many brackets"},
    };
    mls_buffer text = {0};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mls_findings findings = {0};
        expand_hosts(rows[i][0], &text, &findings);
        assert_string_equal(text.ptr, rows[i][1]);
        assert_int_equal(findings.count, 1);
        assert_int_equal(findings.items[0].code, MLS_FINDING_HOST_LIST);
        assert_int_equal(findings.items[0].line, 7);
        assert_string_equal(findings.items[0].message, rows[i][2]);
        mls_findings_release(&findings);
    }
    /* The limit of ten thousand names applies to all words together. */
    mls_findings findings = {0};
    mls_buffer longest = {0};
    mls_buffer_clear(&text);
    const mls_str many = MLS_S("a[1-6000],b[1-4000],c[1-2],d");
    assert_int_equal(mls_hosts_expand(many, &text, &findings, (mls_finding_place){0}), 10002);
    assert_int_equal(findings.count, 1);
    mls_buffer_append_repeated(&longest, 'n', 5000);
    mls_buffer_append_text(&longest, "[1-2]");
    mls_buffer_clear(&text);
    assert_int_equal(mls_hosts_expand(mls_buffer_str(&longest), &text, &findings, (mls_finding_place){0}), 1);
    assert_int_equal(findings.count, 2);
    mls_findings_release(&findings);
    mls_buffer_release(&longest);
    mls_buffer_release(&text);
}

static void lists_of_names(void **state)
{
    static const char *const rows[][2] = {
        {"", ""},
        {"a", "a"},
        {"n1", "n1"},
        {"n1,n2,n10,n03", "n[1-2,10,03]"},
        {"n9,n10,n11", "n[9-11]"},
        {"n98,n099", "n[98,099]"},
        {"n098,n099,n100", "n[098-100]"},
        {"n0099,n0100,n101", "n[0099-0100,101]"},
        {"n3,n1,n2,n2", "n[3,1-2,2]"},
        {"a1,b1,a2", "a1,b1,a2"},
        {"r1n3,r1n4,r2n3,r2n4", "r1n[3-4],r2n[3-4]"},
        {"1,2,3", "[1-3]"},
        {"n1-ib,n2-ib", "n1-ib,n2-ib"},
        {"n[3-1],n[3-2", "n[3-1],n[3-2"},
        {"n12345678901234567899,n12345678901234567900", "n12[345678901234567899-345678901234567900]"},
    };
    mls_buffer names = {0};
    mls_buffer again = {0};
    mls_buffer list = {0};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mls_buffer_clear(&names);
        mls_buffer_clear(&again);
        mls_buffer_clear(&list);
        mls_buffer_append_text(&list, "");
        (void)mls_hosts_expand(mls_str_from(rows[i][0]), &names, NULL, (mls_finding_place){0});
        mls_hosts_fold(mls_buffer_str(&names), &list);
        assert_string_equal(list.ptr, rows[i][1]);
        (void)mls_hosts_expand(mls_buffer_str(&list), &again, NULL, (mls_finding_place){0});
        assert_true(mls_str_equal(mls_buffer_str(&again), mls_buffer_str(&names)));
    }
    mls_buffer_release(&names);
    mls_buffer_release(&again);
    mls_buffer_release(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_lists),
        cmocka_unit_test(words_that_stay),
        cmocka_unit_test(lists_of_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
