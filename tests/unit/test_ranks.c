/* SPDX-License-Identifier: Apache-2.0 */
/* Random jobs of many ranks compared with a second count, and limits, in addition to the command cases. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "close.h"
#include "draw.h"
#include "explain/profile/ranks.h"
#include "profile_text.h"

enum { RANKS = 64, KEYS = 6, KERNELS = 40 };

/* Read a text as a file found in a folder. */
static mls_profile *read_trace(mls_buffer *text)
{
    mls_profile *profile = read_profile(text);
    profile->in_folder = true;
    return profile;
}

static int64_t ns(double ms)
{
    return (int64_t)floor(ms * 1e6 + 0.5);
}

/* The length of kernel i of a key and a rank, and the number of kernels. */
typedef struct random_job {
    size_t ranks;
    int64_t lengths[RANKS][KEYS][KERNELS];
    size_t counts[RANKS][KEYS];
} random_job;

static void draw_job(random_job *job, uint32_t seed)
{
    job->ranks = 2 + draw(&seed, seed % 4 == 0 ? RANKS - 1 : 4);
    for (size_t k = 0; k < KEYS; k++) {
        const size_t count = draw(&seed, KERNELS);
        const bool odd = draw(&seed, 4) == 0;
        for (size_t r = 0; r < job->ranks; r++) {
            job->counts[r][k] = draw(&seed, 3) == 0 ? 0 : count;
            job->counts[r][k] -= odd && job->counts[r][k] > 0 && draw(&seed, 5) == 0;
            for (size_t i = 0; i < KERNELS; i++)
                job->lengths[r][k][i] = draw(&seed, 2) == 0 ? draw(&seed, 10) : draw(&seed, 1000000);
        }
    }
}

static void append_event(mls_buffer *text, size_t key, size_t at, int64_t length)
{
    mls_buffer_printf(text,
                      ",{\"args\":{\"dtype\":\"Float\",\"In msg nelems\":%zu,\"Process Group Name\":\"%zu\","
                      "\"Collective name\":\"%s\",\"stream\":%zu},\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclX\","
                      "\"ts\":%zu,\"dur\":%lld.%03lld}",
                      key % 3, key / 3, key % 2 == 0 ? "allreduce" : "broadcast", key, at, (long long)length / 1000,
                      (long long)length % 1000);
}

/* Write the trace of a rank with its kernels in random order. */
static mls_profile *write_rank(const random_job *job, size_t rank)
{
    mls_buffer text = {0};
    mls_buffer_printf(&text,
                      "{\"distributedInfo\":{\"rank\":%zu,\"world_size\":%zu},\"traceEvents\":"
                      "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"ts\":0,\"dur\":10}",
                      rank, job->ranks);
    for (size_t i = 0; i < KERNELS; i++) {
        const size_t at = (i * 7 + rank) % KERNELS; /* each kernel once, as 7 and 40 have no common divisor */
        for (size_t k = 0; k < KEYS; k++)
            if (at < job->counts[rank][k])
                append_event(&text, k, 1000 * at + 3 * k, job->lengths[rank][k][at]);
    }
    mls_buffer_append_text(&text, "]}");
    return read_trace(&text);
}

typedef struct counted_rank {
    int64_t transfer, waiting, others_waited;
} counted_rank;

/* Count the collectives one by one.  Return their number. */
static size_t recount(const random_job *job, counted_rank *ranks, size_t *unmatched)
{
    size_t matched = 0;
    *unmatched = 0;
    for (size_t k = 0; k < KEYS; k++) {
        size_t with = 0;
        size_t count = 0;
        bool differ = false;
        for (size_t r = 0; r < job->ranks; r++) {
            differ |= with > 0 && job->counts[r][k] > 0 && job->counts[r][k] != count;
            with += job->counts[r][k] > 0;
            count = job->counts[r][k] > 0 ? job->counts[r][k] : count;
        }
        *unmatched += with == 1 || differ;
        for (size_t i = 0; i < count && with > 1 && !differ; i++, matched++) {
            size_t last = RANKS;
            for (size_t r = 0; r < job->ranks; r++)
                if (job->counts[r][k] > 0 && (last == RANKS || job->lengths[r][k][i] < job->lengths[last][k][i]))
                    last = r;
            for (size_t r = 0; r < job->ranks; r++) {
                const int64_t wait = job->lengths[r][k][i] - job->lengths[last][k][i];
                if (job->counts[r][k] > 0) {
                    ranks[r].transfer += job->lengths[last][k][i];
                    ranks[r].waiting += wait;
                    ranks[last].others_waited += wait;
                }
            }
        }
    }
    return matched;
}

static void test_random(void **state)
{
    (void)state;
    random_job *job = calloc(1, sizeof *job);
    assert_non_null(job);
    for (uint32_t seed = 1; seed <= 60; seed++) {
        counted_rank counted[RANKS] = {{0}};
        mls_profile *profiles[RANKS];
        mls_ranks *ranks = NULL;
        size_t unmatched;
        draw_job(job, seed);
        for (size_t r = 0; r < job->ranks; r++)
            profiles[job->ranks - 1 - r] = write_rank(job, r);
        const size_t matched = recount(job, counted, &unmatched);
        mls_ranks_join(profiles, job->ranks, &ranks);
        assert_non_null(ranks);
        assert_int_equal(ranks->count, job->ranks);
        assert_int_equal(ranks->matched, matched);
        assert_int_equal(ranks->unmatched, unmatched);
        for (size_t r = 0; r < job->ranks; r++) {
            assert_int_equal(ranks->items[r].rank, r);
            assert_int_equal(ns(ranks->items[r].transfer_ms), counted[r].transfer);
            assert_int_equal(ns(ranks->items[r].waiting_ms), counted[r].waiting);
            assert_int_equal(ns(ranks->items[r].others_waited_ms), counted[r].others_waited);
        }
        double waiting = 0;
        for (size_t i = 0; i < ranks->collective_count; i++)
            waiting += ranks->collectives[i].waiting_ms;
        for (size_t r = 0; r < job->ranks; r++)
            waiting -= ranks->items[r].waiting_ms;
        assert_close(waiting, 0, 1e-6);
        mls_ranks_free(ranks);
        for (size_t r = 0; r < job->ranks; r++)
            mls_profile_free(profiles[r]);
    }
    free(job);
}

/* Two ranks with too many kinds of collectives: the first kinds are matched, the rest is reported. */
static void test_kinds_max(void **state)
{
    (void)state;
    enum { MORE = 65536 + 10 };
    mls_profile *profiles[2];
    mls_ranks *ranks = NULL;
    for (size_t r = 0; r < 2; r++) {
        mls_buffer text = {0};
        mls_buffer_printf(&text, "{\"distributedInfo\":{\"rank\":%zu,\"world_size\":2},\"traceEvents\":[{}", r);
        for (size_t i = 0; i < MORE; i++) {
            mls_buffer_printf(&text,
                              ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"nccl\",\"ts\":%zu,\"dur\":%zu,"
                              "\"args\":{\"Collective name\":\"%zu\"}}",
                              i, r + 1, i);
        }
        mls_buffer_append_text(&text, "]}");
        profiles[r] = read_trace(&text);
    }
    mls_ranks_join(profiles, 2, &ranks);
    assert_int_equal(ranks->matched, 65536);
    assert_int_equal(ns(ranks->items[1].waiting_ms), 65536 * 1000);
    assert_int_equal(mls_findings_found(&ranks->findings, MLS_FINDING_TOO_MUCH), 2);
    mls_ranks_free(ranks);
    mls_profile_free(profiles[0]);
    mls_profile_free(profiles[1]);
}

/* Read files concurrently with the same classes. */
enum { FILES = 8, NAMES = 3000 };

static void read_many_names(void *state, size_t item)
{
    mls_profile **profiles = state;
    mls_buffer text = {0};
    mls_buffer_append_text(&text, "[{}");
    for (size_t i = 0; i < NAMES; i++) {
        static const char *const names[] = {"sm90_xmma_gemm", "ncclDevKernel", "layer_norm", "unknown", "flash_fwd"};
        mls_buffer_printf(&text, ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s_%zu\",\"ts\":%zu,\"dur\":1}",
                          names[(i + item) % 5], i, i);
    }
    mls_buffer_append_text(&text, "]");
    profiles[item] = read_trace(&text);
}

static void test_threads(void **state)
{
    (void)state;
    mls_profile *profiles[FILES] = {NULL};
    const mls_relay relay = {
        .threads = FILES, .slots = FILES, .count = FILES, .state = profiles, .work = read_many_names};
    assert_int_equal(mls_relay_run(&relay), MLS_OK);
    for (size_t i = 0; i < FILES; i++) {
        const mls_profile_rows *rows = &profiles[i]->classes;
        assert_int_equal(rows->count, 5);
        for (size_t k = 0; k < rows->count; k++)
            assert_int_equal(rows->items[k].count, NAMES / 5);
        mls_profile_free(profiles[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_kinds_max),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, load_classes, free_classes);
}
