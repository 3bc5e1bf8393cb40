/* SPDX-License-Identifier: Apache-2.0 */
/* export.h - the columns of the CSV that `mlscore score` writes and `mlscore compare` reads back.  Column names are
 * defined only here.
 *
 * Each entry of a list consists of the name of a column; the type that `compare` reads it as, or UNREAD if `compare`
 * ignores it; the JSON object that has a member of this name (CSV joins the objects of a run in one row); and flags.
 * Rows with equal KEY columns form a group.  A table that lacks a NEEDED column is refused. */
#pragma once

enum { MLS_EXPORT_NEEDED = 1, MLS_EXPORT_KEY = 2, MLS_EXPORT_GROUP = 4, MLS_EXPORT_RUN = 8, MLS_EXPORT_PARTS = 16 };

#define MLS_SCORE_COLUMN_LIST(F)                                                                                       \
    F(path, TEXT, GROUP, MLS_EXPORT_KEY | MLS_EXPORT_NEEDED)                                                           \
    F(benchmark, TEXT, GROUP, MLS_EXPORT_KEY | MLS_EXPORT_NEEDED)                                                      \
    F(division, TEXT, GROUP, MLS_EXPORT_KEY)                                                                           \
    F(usage, TEXT, GROUP, 0)                                                                                           \
    F(edition, TEXT, GROUP, 0)                                                                                         \
    F(config, TEXT, GROUP, MLS_EXPORT_KEY)                                                                             \
    F(global_batch_size, NUMBER, GROUP, MLS_EXPORT_KEY)                                                                \
    F(score_minutes, NUMBER, GROUP, 0)                                                                                 \
    F(official, BOOL, GROUP, 0)                                                                                        \
    F(dropped, NUMBER, GROUP, 0)                                                                                       \
    F(file, TEXT, RUN, MLS_EXPORT_NEEDED)                                                                              \
    F(line, NUMBER, RUN, 0)                                                                                            \
    F(start_ms, NUMBER, RUN, 0)                                                                                        \
    F(stop_ms, NUMBER, RUN, 0)                                                                                         \
    F(minutes, NUMBER, RUN, MLS_EXPORT_NEEDED)                                                                         \
    F(status, UNREAD, RUN, 0)                                                                                          \
    F(valid, BOOL, RUN, MLS_EXPORT_NEEDED)                                                                             \
    F(counted, TEXT, RUN, 0)                                                                                           \
    F(to_converge, NUMBER, RUN, 0)                                                                                     \
    F(unit, TEXT, RUN, 0)                                                                                              \
    F(final_eval, UNREAD, RUN, 0)                                                                                      \
    F(init_minutes, NUMBER, RUN, 0)                                                                                    \
    F(throughput, UNREAD, RUN, 0)                                                                                      \
    F(job, UNREAD, RUN, 0)                                                                                             \
    F(node_count, NUMBER, RUN, 0)                                                                                      \
    F(scale, NUMBER, GROUP, 0)                                                                                         \
    F(scaled_minutes, NUMBER, GROUP, 0)                                                                                \
    F(rcp_pass, TEXT, GROUP, 0)                                                                                        \
    F(rcp_message, UNREAD, GROUP, 0)                                                                                   \
    F(seeds_ok, TEXT, GROUP, 0)                                                                                        \
    F(joules, UNREAD, RUN, 0)                                                                                          \
    F(energy_joules, UNREAD, GROUP, 0)

/* The columns that --wide adds before those of the hyperparameters. */
#define MLS_WIDE_COLUMN_LIST(F)                                                                                        \
    F(training_ms, NUMBER, PARTS, 0)                                                                                   \
    F(evaluation_ms, NUMBER, PARTS, 0)                                                                                 \
    F(evaluations, NUMBER, PARTS, 0)                                                                                   \
    F(startup_ms, NUMBER, PARTS, 0)                                                                                    \
    F(between_ms, NUMBER, PARTS, 0)                                                                                    \
    F(tail_ms, NUMBER, PARTS, 0)                                                                                       \
    F(parts_by, TEXT, PARTS, 0)                                                                                        \
    F(accelerators, NUMBER, GROUP, 0)

/* The last columns: further facts about a group or run; `compare` reads those that are not UNREAD. */
#define MLS_PLACE_COLUMN_LIST(F)                                                                                       \
    F(accelerator, TEXT, GROUP, 0)                                                                                     \
    F(nodes, NUMBER, GROUP, 0)                                                                                         \
    F(system_id, TEXT, GROUP, 0)                                                                                       \
    F(run_config, TEXT, RUN, 0)                                                                                        \
    F(container, TEXT, RUN, 0)                                                                                         \
    F(node_list, TEXT, RUN, 0)                                                                                         \
    F(submission_org, TEXT, RUN, 0)                                                                                    \
    F(submission_platform, TEXT, RUN, 0)                                                                               \
    F(seed, UNREAD, RUN, 0)                                                                                            \
    F(reason, TEXT, RUN, 0)                                                                                            \
    F(precision, TEXT, GROUP, 0)

/* The names of the columns in each list, separated by blanks: "path benchmark … ". */
#define MLS_EXPORT_NAME(name, kind, object, use) #name " "
#define MLS_SCORE_COLUMNS MLS_SCORE_COLUMN_LIST(MLS_EXPORT_NAME)
#define MLS_WIDE_COLUMNS MLS_WIDE_COLUMN_LIST(MLS_EXPORT_NAME)
#define MLS_PLACE_COLUMNS MLS_PLACE_COLUMN_LIST(MLS_EXPORT_NAME)

/* The prefix of the names of hyperparameter columns. */
#define MLS_PARAM_PREFIX "param."
