/* SPDX-License-Identifier: Apache-2.0 */
/* demands.c - load the tables of fixed values and evaluation schedules, and compute what they demand of a run. */
#include "rules/demands.h"

#include <limits.h>
#include <math.h>

#include "json/json_row.h"

#define FILE_NAME "demands.json"

static const double SAME = 1e-9; /* relative difference of equal numbers */

typedef struct demand_row {
    mls_fixed_value fixed;
    mls_schedule schedule;
    const char *benchmark, *first_edition, *last_edition;
    const char *demanded, *every, *skip, *first;
} demand_row;

#define MEMBER(kind, member) MLS_MEMBER_OF(demand_row, #member, kind, member, NULL)
#define FIXED(kind, member) MLS_MEMBER_OF(demand_row, #member, kind, fixed.member, NULL)
#define SCHEDULE(kind, member) MLS_MEMBER_OF(demand_row, #member, kind, schedule.member, NULL)
static const mls_row_member members[] = {MEMBER(TEXT, benchmark),
                                         MEMBER(TEXT, first_edition),
                                         MEMBER(TEXT, last_edition),
                                         MEMBER(TEXT, demanded),
                                         MEMBER(TEXT, every),
                                         MEMBER(TEXT, skip),
                                         MEMBER(TEXT, first),
                                         FIXED(TEXT, key),
                                         FIXED(NUMBER, tolerance),
                                         SCHEDULE(BOOL, samples),
                                         SCHEDULE(BOOL, rounded),
                                         SCHEDULE(BOOL, unordered),
                                         SCHEDULE(BOOL, round_up),
                                         SCHEDULE(NUMBER, least_first),
                                         SCHEDULE(NUMBER, first_tolerance),
                                         SCHEDULE(NUMBER, set),
                                         SCHEDULE(NUMBER, times)};

typedef struct demands_reading {
    mls_demands *to;
    unsigned edition;
} demands_reading;

/* Read the edition of a row, or `otherwise` if it has none. */
static bool read_edition(const char *text, unsigned otherwise, unsigned *number)
{
    *number = otherwise;
    return text == NULL || mls_edition_number(mls_str_from(text), number);
}

/* Take a row if it applies to the edition: a fixed value if it has a key, otherwise a schedule. */
static mls_status take_demand(void *state, const cJSON *item, mls_error *error)
{
    const demands_reading *reading = state;
    mls_demands *to = reading->to;
    demand_row row;
    unsigned first = 0;
    unsigned last = 0;
    mls_schema_clear(&(mls_schema)MLS_SCHEMA_OF(demand_row, members), &row);
    mls_status status = mls_json_row_read(item, members, sizeof members / sizeof *members, to->arena, &row, error);
    if (status == MLS_OK &&
        (row.benchmark == NULL || (row.fixed.key != NULL ? row.demanded : row.every) == NULL ||
         !read_edition(row.first_edition, 0, &first) || !read_edition(row.last_edition, UINT_MAX, &last)))
        status = mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "src/data/" FILE_NAME ": a row is incomplete");
    if (status != MLS_OK || reading->edition < first || reading->edition > last)
        return status;
    const struct {
        const char *text;
        mls_expr *expr;
    } expressions[] = {{row.demanded, &row.fixed.demanded},
                       {row.every, &row.schedule.every},
                       {row.skip, &row.schedule.skip},
                       {row.first, &row.schedule.first}};
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions && status == MLS_OK; i++)
        if (expressions[i].text != NULL)
            status = mls_expr_compile(mls_str_from(expressions[i].text), &to->symbols, to->arena, expressions[i].expr,
                                      error);
    row.fixed.benchmark = row.schedule.benchmark = row.benchmark;
    if (row.fixed.key != NULL)
        MLS_ARENA_ADD(to->arena, &to->fixed, row.fixed);
    else
        MLS_ARENA_ADD(to->arena, &to->schedules, row.schedule);
    return status;
}

mls_status mls_demands_load(const mls_edition *edition, mls_demands *demands, mls_error *error)
{
    demands_reading reading = {.to = demands, .edition = edition->number};
    *demands = (mls_demands){.arena = mls_calloc(1, sizeof(mls_arena))};
    demands->symbols.arena = demands->arena;
    return edition->usage == MLS_USAGE_TRAINING ? mls_json_data_each(FILE_NAME, take_demand, &reading, error) : MLS_OK;
}

void mls_demands_release(mls_demands *demands)
{
    mls_arena_free(demands->arena);
    *demands = (mls_demands){0};
}

/* Evaluate an expression to numbers: those of a list, or a single one.  Leave out other values, such as the false of a
 * condition.  Return their number, which is 0 if the run did not log one of the $variables. */
static size_t evaluate(const mls_demands *demands, const mls_expr *expr, mls_logged_number logged, void *state,
                       double *numbers, size_t limit)
{
    mls_variable variables[MLS_VARIABLES_PER_SCOPE_MAX] = {0};
    mls_arena scratch = {0};
    mls_expr_input input = {.variables = variables, .arena = &scratch};
    mls_value result;
    size_t count = 0;
    for (size_t i = 0; i < demands->symbols.count && i < MLS_VARIABLES_PER_SCOPE_MAX; i++) {
        const double number = logged(state, demands->symbols.entries[i].key);
        variables[i] = (mls_variable){.set = isfinite(number), .value = mls_value_of_number(number, false)};
    }
    if (mls_expr_evaluate(expr->root, &input, &result)) {
        const bool is_list = result.kind == MLS_JSON_LIST;
        const mls_value *values = is_list ? result.as.list.items : &result;
        for (size_t i = 0; i < (is_list ? result.as.list.count : 1); i++)
            if (values[i].kind == MLS_JSON_NUMBER && isfinite(values[i].as.number) && count < limit)
                numbers[count++] = values[i].as.number;
    }
    mls_arena_release(&scratch);
    return count;
}

size_t mls_fixed_value_demand(const mls_demands *demands, const mls_fixed_value *fixed, mls_logged_number logged,
                              void *state, double demanded[static MLS_DEMANDED_MAX])
{
    return evaluate(demands, &fixed->demanded, logged, state, demanded, MLS_DEMANDED_MAX);
}

bool mls_same_number(double a, double b)
{
    return a == b || fabs(a - b) <= SAME * fmax(fabs(a), fabs(b));
}

bool mls_fixed_value_allows(const mls_fixed_value *fixed, const double *demanded, size_t count, double logged)
{
    bool allowed = false;
    for (size_t i = 0; i < count; i++)
        allowed |= mls_same_number(demanded[i], logged) || fabs(demanded[i] - logged) <= fixed->tolerance;
    return allowed;
}

const mls_schedule *mls_demands_schedule(const mls_demands *demands, mls_str benchmark)
{
    for (size_t i = 0; i < demands->schedules.count; i++)
        if (mls_str_equal(benchmark, mls_str_from(demands->schedules.items[i].benchmark)))
            return &demands->schedules.items[i];
    return NULL;
}

static double batch_only(void *batch, mls_str key)
{
    return mls_str_equal(key, MLS_S("global_batch_size")) ? *(const double *)batch : (double)NAN;
}

bool mls_schedule_demand(const mls_demands *demands, const mls_schedule *schedule, double batch,
                         mls_schedule_range *range)
{
    double every;
    double skipped = 0;
    const double times = isnan(schedule->times) ? 1 : schedule->times;
    if (!(batch > 0) || !isfinite(batch) || evaluate(demands, &schedule->every, batch_only, &batch, &every, 1) == 0)
        return false;
    if (schedule->skip.root != NULL)
        (void)evaluate(demands, &schedule->skip, batch_only, &batch, &skipped, 1);
    range->interval[0] = every * times;
    range->interval[1] = (schedule->round_up ? ceil(every / batch) * batch : every) * times;
    for (int i = 0; i < 2; i++)
        range->first[i] = (skipped + 1) * range->interval[i];
    if (schedule->first.root != NULL && evaluate(demands, &schedule->first, batch_only, &batch, range->first, 2) == 1)
        range->first[1] = range->first[0];
    return true;
}
