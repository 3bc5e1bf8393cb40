/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding_table.h - every finding mlscore can make, one row each.
 *
 * An X-macro: define MLS_FINDING(id, name, severity, summary, explanation,
 * remedy) before including it.  There is no include guard, on purpose.
 * `mlscore help findings` prints it, and a test holds the manual to it.
 */
MLS_FINDING(MALFORMED, "malformed", ERROR, "a line with :::MLLOG that is not a record",
            "The compliance checker reads every line that holds :::MLLOG; one it cannot read makes the log invalid.",
            "Most often two ranks wrote into one line, or the job died while writing. Log from rank 0 only, and flush.")
MLS_FINDING(TORN_LINE, "torn-line", WARNING, "a record was overwritten by another one in the same line",
            "Only the last :::MLLOG of a line is read; what stood before it is lost.",
            "Let one rank write the log, line-buffered.")
MLS_FINDING(EMPTY, "empty", ERROR, "the log holds no record at all",
            "A log without a single :::MLLOG record is invalid.",
            "Check that the log directory holds what the training script printed.")
MLS_FINDING(MISSING_STEP, "missing-step", ERROR,
            "init_start, init_stop, run_start, an evaluation or run_stop is missing",
            "A run is timed from run_start to run_stop, and must have initialised before and evaluated in between.",
            "Look at the end of the log for why the job stopped early.")
MLS_FINDING(STEP_ORDER, "step-order", ERROR, "the steps of a run are out of order",
            "init_start, init_stop, run_start, evaluations and run_stop follow each other in time.",
            "Check where the training script logs them; clocks of different nodes may differ.")
MLS_FINDING(STATUS, "status", ERROR, "the run did not end with status success",
            "A run that was aborted did not reach the target quality; in a score it counts as the slowest run.",
            "Compare its last evaluations with the target.")
MLS_FINDING(CANCELLED, "cancelled", ADVICE, "Slurm cancelled the job step of this run",
            "slurmstepd reported that the step was cancelled, for example because of its time limit.",
            "Raise the time limit of the job, or find what hung.")
MLS_FINDING(TASK_FAILED, "task-failed", ADVICE, "srun reported that a task of this run failed",
            "A rank ended with an error; the run around it usually hangs or dies.",
            "Read the log above that line for the rank named.")
MLS_FINDING(MIXED_GROUP, "mixed-group", WARNING, "the runs of one group differ in what must be the same",
            "All runs of a result are made with the same benchmark, division, system and batch size.",
            "Remove the runs that do not belong, or score them on their own.")
MLS_FINDING(RUN_COUNT, "run-count", WARNING, "not the number of runs that the benchmark needs",
            "A score is official only with exactly the number of runs the rules name.",
            "Add the missing runs; with more runs than needed, see --window.")
MLS_FINDING(UNREADABLE, "unreadable", ERROR, "a file or folder could not be read",
            "What could not be read could not be judged.", "Check its permissions and the disk.")
MLS_FINDING(SEED_MISSING, "seed-missing", ERROR, "a log has no record `seed`",
            "Closed submissions log the seed of every run, so that reviewers see that the runs differ.",
            "Log the seed that was really used, with the key seed.")
MLS_FINDING(SEED_PLACE, "seed-place", ERROR, "a seed record does not say which line of which file logged it",
            "Seeds are compared together with metadata.file and metadata.lineno.",
            "Log seeds with the mllog package, which fills both in.")
MLS_FINDING(SEED_VALUE, "seed-value", ERROR, "a seed is not an integer",
            "Only integers, or text that reads as one, can be told apart reliably.",
            "Log the number that the random generator was seeded with.")
MLS_FINDING(SEED_REPEATED, "seed-repeated", ERROR, "two runs, or one run twice, used the same seed",
            "Runs with the same seed are not independent: olympic scoring would average copies of one result.",
            "Draw a new seed for every run; of several workers, log each worker's own.")
MLS_FINDING(SEED_SEVERAL, "seed-several", WARNING, "a log has more than one seed",
            "Reviewers will ask which of them counts.", "Nothing, if each worker logs its own.")
MLS_FINDING(SEED_UNSURE, "seed-unsure", ERROR, "the seeds of a log could not all be read",
            "A malformed line may have been a seed, so the seeds cannot be compared.",
            "Repair what makes lines malformed; most often several ranks write at once.")
MLS_FINDING(POWER_LOG, "power-log", ERROR, "a power file does not tell the energy",
            "Each node's file holds conversion_eff, power_measurement_start, power_reading and power_measurement_stop; "
            "a switch's conversion_eff and interconnect_power_est.",
            "Look at the file; most often the measurement started after the run, or two writers share the file.")
MLS_FINDING(POWER_STOP, "power-stop", WARNING, "a power file has no power_measurement_stop",
            "The measurement is then taken to end with its last reading.",
            "Let the power logger write its last record before it is killed.")
MLS_FINDING(CONFIG_LOGGED_BATCH, "config-logged-batch", ADVICE, "the logs were made with another batch size than the config's name gives",
            "The name of a config says nodes, parallelism and accumulation, from which the global batch follows.",
            "Check that DGXSYSTEM names the config that was really used, and its micro batch size.")
