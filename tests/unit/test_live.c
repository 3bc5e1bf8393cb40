/* SPDX-License-Identifier: Apache-2.0 */
/* How long a run may be silent before it counts as stalled or dead, with a simulated clock. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "explain/watch/live.h"

enum { WRITTEN_MS = 1000000 };

/* A run in its own group, whose file was last written at WRITTEN_MS. */
typedef struct watched {
    mls_live live;
    mls_followed file;
    mls_live_run *run;
    mls_live_group *group;
    size_t events[MLS_WATCH_EVAL_START + 1]; /* events by kind */
} watched;

static void count_event(void *state, const mls_watch_event *event)
{
    ((watched *)state)->events[event->kind]++;
}

static void begin(watched *self, mls_live_state state)
{
    *self = (watched){.live = {.event = count_event, .state = self},
                      .file = {.path = (char *)(uintptr_t) "logs/1.log", .written_ms = WRITTEN_MS}};
    self->run = mls_live_run_add(&self->live, &self->file, NULL);
    self->group = calloc(1, sizeof *self->group);
    assert_non_null(self->run);
    assert_non_null(self->group);
    MLS_GROW(&self->live.groups, items);
    self->live.groups.items[self->live.groups.count++] = self->group;
    self->run->state = state;
    self->run->group = state >= MLS_LIVE_TRAINING ? self->group : NULL;
}

/* Return whether the run is stalled so many seconds after the last write. */
static bool stalls_after(watched *self, double seconds)
{
    self->live.now_ms = WRITTEN_MS + seconds * 1000;
    mls_live_check_silence(&self->live, false);
    return self->run->stalled;
}

static void a_minute_is_not_a_stall(void **state)
{
    watched self;
    (void)state;
    begin(&self, MLS_LIVE_TRAINING);
    assert_false(stalls_after(&self, 60));
    assert_true(stalls_after(&self, 61));
    assert_true(stalls_after(&self, 300));
    assert_int_equal(self.events[MLS_WATCH_STALLED], 1);
    self.file.written_ms += 299000;
    assert_false(stalls_after(&self, 300));
    assert_int_equal(self.events[MLS_WATCH_RESUMED], 1);
    mls_live_release(&self.live);
}

static void four_times_the_longest_silence_is_not_a_stall(void **state)
{
    watched self;
    (void)state;
    begin(&self, MLS_LIVE_TRAINING);
    mls_live_grown(self.run, 50000);
    self.run->state = MLS_LIVE_EVALUATING;
    assert_false(stalls_after(&self, 200));
    assert_true(stalls_after(&self, 201));
    mls_live_release(&self.live);
}

static void twice_the_silence_of_finished_runs_is_not_a_stall(void **state)
{
    watched self;
    (void)state;
    begin(&self, MLS_LIVE_EVALUATING);
    self.group->finished_well = true;
    self.group->longest_silence_ms[MLS_LIVE_EVALUATING] = 100000;
    self.group->longest_silence_ms[MLS_LIVE_TRAINING] = 900000;
    assert_false(stalls_after(&self, 200));
    assert_true(stalls_after(&self, 201));
    mls_live_release(&self.live);
}

static void initialization_may_take_half_an_hour_until_it_is_known(void **state)
{
    watched self;
    (void)state;
    begin(&self, MLS_LIVE_INIT);
    assert_false(stalls_after(&self, 1800));
    assert_true(stalls_after(&self, 1801));
    mls_live_release(&self.live);
    begin(&self, MLS_LIVE_INIT);
    self.group->finished_well = true;
    self.group->longest_silence_ms[MLS_LIVE_INIT] = 40000;
    assert_false(stalls_after(&self, 80));
    assert_true(stalls_after(&self, 81));
    mls_live_release(&self.live);
}

static void runs_end_with_their_job(void **state)
{
    watched self;
    (void)state;
    begin(&self, MLS_LIVE_TRAINING);
    self.live.now_ms = WRITTEN_MS + 1000;
    for (int times = 0; times < 2; times++)
        mls_live_check_silence(&self.live, true);
    assert_int_equal(self.run->state, MLS_LIVE_DIED);
    assert_int_equal(self.events[MLS_WATCH_DIED], 1);
    mls_live_release(&self.live);
}

/* Only a silent run has died when a newer trial began in its folder: trials may run in parallel. */
static void a_newer_trial_outlives_a_silent_one(void **state)
{
    watched self;
    mls_followed other = {.path = (char *)(uintptr_t) "logs/2.log", .written_ms = WRITTEN_MS + 60000};
    (void)state;
    begin(&self, MLS_LIVE_TRAINING);
    self.run->newest_ms = 5000;
    mls_live_run *newer = mls_live_run_add(&self.live, &other, NULL);
    assert_non_null(newer);
    newer->state = MLS_LIVE_INIT;
    newer->init_start.time_ms = 6000;
    assert_false(stalls_after(&self, 60));
    assert_int_equal(self.run->state, MLS_LIVE_TRAINING);
    (void)stalls_after(&self, 61);
    assert_int_equal(self.run->state, MLS_LIVE_DIED);
    assert_int_equal(newer->state, MLS_LIVE_INIT);
    mls_live_release(&self.live);
}

/* The order of addition changes the last digit of a sum. */
static void an_estimate_is_the_same_whichever_run_was_found_first(void **state)
{
    static const char *const paths[] = {"logs/2.log", "logs/3.log", "logs/4.log"};
    double left[2];
    (void)state;
    for (size_t turn = 0; turn < 2; turn++) {
        watched self;
        begin(&self, MLS_LIVE_TRAINING);
        self.run->run_start = (mls_step){30000, 1};
        for (size_t i = 0; i < 3; i++) {
            const size_t run = turn == 0 ? i : 2 - i;
            mls_followed file = {.path = (char *)(uintptr_t)paths[run], .written_ms = WRITTEN_MS};
            mls_live_run *other = mls_live_run_add(&self.live, &file, NULL);
            assert_non_null(other);
            other->group = self.group;
            other->state = MLS_LIVE_SUCCESS;
            other->run_start = (mls_step){0, 1};
            other->run_stop = (mls_step){6000.0 * (double)(run + 1), 2};
            other->needed = 100;
            mls_live_finished_add(other);
        }
        left[turn] = mls_live_estimate(self.run, 30000).left;
        assert_int_equal(mls_live_estimate(self.run, 0).from, MLS_ESTIMATE_NONE); /* no run had ended by then */
        mls_live_release(&self.live);
    }
    assert_true(left[0] > 0.19 && left[0] < 0.21);
    assert_memory_equal(&left[0], &left[1], sizeof left[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_minute_is_not_a_stall),
        cmocka_unit_test(four_times_the_longest_silence_is_not_a_stall),
        cmocka_unit_test(twice_the_silence_of_finished_runs_is_not_a_stall),
        cmocka_unit_test(initialization_may_take_half_an_hour_until_it_is_known),
        cmocka_unit_test(runs_end_with_their_job),
        cmocka_unit_test(a_newer_trial_outlives_a_silent_one),
        cmocka_unit_test(an_estimate_is_the_same_whichever_run_was_found_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
