/* SPDX-License-Identifier: Apache-2.0 */
/* finish.c - a group whose runs are known gets its edition, its score, and what it ran on. */
#include "score/slurm.h"

static mls_usage usage_of(const mls_collect_options *options, const mls_group *group)
{
    return options->any_usage
               ? mls_editions_usage_of(options->score.editions, options->usage, mls_str_from(group->runs[0]->benchmark))
               : options->usage;
}

mls_status mls_group_finish(const mls_collect_options *options, const mls_tree_editions *trees, mls_rcp_sets *points,
                            mls_group *group, mls_error *error)
{
    mls_score_options how = options->score;
    how.points = points;
    group->usage = usage_of(options, group);
    group->edition = options->edition;
    mls_status status = mls_tree_editions_tell(trees, how.editions, group);
    status = status == MLS_OK ? mls_group_score(group, &how, error) : status;
    status = status == MLS_OK ? mls_group_power(group) : status;
    return status == MLS_OK ? mls_group_environment(group) : status;
}
