/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding_table.h - every finding mlscore can make, one row each.
 *
 * An X-macro: define MLS_FINDING(id, name, severity, summary, explanation, remedy) before including it.  There is no
 * include guard, on purpose. `mlscore help findings` prints it, and a test holds the manual to it.
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
MLS_FINDING(DIAGNOSIS, "diagnosis", ADVICE, "why a run that never ended did not",
            "The first cause among the messages of its log, as mlscore diagnose finds it.",
            "mlscore diagnose on the job's folder says more, and reads what other ranks and nodes printed.")
MLS_FINDING(MIXED_GROUP, "mixed-group", WARNING, "the runs of one group differ in what must be the same",
            "All runs of a result are made with the same benchmark, division, system and batch size.",
            "Remove the runs that do not belong, or score them on their own.")
MLS_FINDING(RUN_COUNT, "run-count", WARNING, "not the number of runs that the benchmark needs",
            "A score is official only with exactly the number of runs the rules name.",
            "Add the missing runs; with more runs than needed, see --window.")
MLS_FINDING(UNREADABLE, "unreadable", ERROR, "a file or folder could not be read",
            "What could not be read could not be judged.", "Check its permissions and the disk.")
/* Compliance: what a rule of the edition found wrong with a record, with a key, or with the log. */
MLS_FINDING(VALUE, "value", ERROR, "a record's value is not what the rule for its key allows",
            "Each edition fixes hyperparameters and ranges; a logged value outside of them makes the log invalid.",
            "Correct what the training script uses, or what it logs if it logs something else than it uses.")
MLS_FINDING(METADATA, "metadata", ERROR, "a record's metadata lacks something, or holds a wrong value",
            "Records of evaluations, blocks and epochs must say in their metadata what they belong to.",
            "Add the member to the metadata where the training script logs the record.")
MLS_FINDING(ORDER, "order", ERROR, "a record came too early or too late",
            "The rules keep track of the run's state: initialising, running, stopped; a record came in the wrong one.",
            "Log the record where its step really happens; compare with the order of the records around it.")
MLS_FINDING(UNEVALUATED, "unevaluated", ERROR, "a rule could not be evaluated for a record",
            "The rule needs a member, a type or an earlier record that is not there; that counts as a failure.",
            "The message says what is missing. Log it, or log it earlier.")
MLS_FINDING(TARGET, "target", ERROR, "no record of this key reached what at least one must reach",
            "The run must reach the quality target at least once, or it does not count as converged.",
            "Train longer, or look for what keeps the model from converging.")
MLS_FINDING(EVALUATION, "evaluation", ERROR, "whether the target was reached could not be evaluated for a record",
            "The target is compared with the value of each record of the key; one of them cannot be compared.",
            "Log a value of the right type and shape in every record of the key.")
MLS_FINDING(ACTION, "action", ERROR, "what a rule computes from a record could not be computed",
            "Some records set what later rules compare with, such as the batch size; this one could not be used.",
            "Log a value of the right type.")
MLS_FINDING(END, "end", ERROR, "something that must hold at the end of the log does not",
            "A few rules look at everything that was logged, for example whether all weights were initialised.",
            "The message shows the rule.")
MLS_FINDING(OCCURRENCE, "occurrence", ERROR, "a key is logged too rarely, or more than once with different values",
            "The rules say of each key how often it must be logged.",
            "Log the key as often as the message says. `mlscore rules EDITION BENCHMARK` prints the whole list.")
MLS_FINDING(REPEATED, "repeated", WARNING, "a key that must be logged once is logged several times with one value",
            "The compliance checker only warns about this as long as all values are equal.",
            "Log it from one rank, once.")
MLS_FINDING(UNKNOWN_SCOPE, "unknown-scope", ERROR, "the division or benchmark is one the edition has no rules for",
            "The value of submission_division or submission_benchmark chooses the rules; there are none for this one.",
            "Check the spelling, and --usage and --edition.")
MLS_FINDING(TOO_MUCH, "too-much", ERROR, "the log holds more of something than can be kept to judge it",
            "Judging a log takes a bounded amount of memory; no honest log comes near the bounds.",
            "Look for what logs this over and over.")
/* Advice beyond the rules. */
MLS_FINDING(
    OTHER_EDITION, "other-edition", ADVICE, "the log may belong to another edition",
    "The edition that the log is judged by does not have its benchmark, or nobody named one and the rules of the "
    "neighbouring edition give another verdict.",
    "Name the edition with --edition.")
MLS_FINDING(MISSPELT, "misspelt", ADVICE, "a key looks like a misspelling of one that is missing",
            "A key that no rule knows is ignored, so the one it stands for counts as missing.",
            "Correct the key's name.")
MLS_FINDING(CLOCK, "clock", ADVICE, "the times of a run's steps run backwards",
            "init_start, init_stop, run_start and run_stop are expected in the order of their times; clocks of "
            "different nodes may differ.",
            "Log from one process, and check the nodes' clocks.")
MLS_FINDING(LONG_RUN, "long-run", ADVICE, "the run took longer than a day",
            "From run_start to run_stop more than 24 hours passed; often that is a wrong time, or two logs in one.",
            "Check that the file holds one run.")
MLS_FINDING(SEVERAL_VALUES, "several-values", ADVICE, "a key that should have one value is logged with several",
            "No rule that applies to this log forbids it, but other divisions or benchmarks want the key once.",
            "Log it once, with the value that was used.")
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
MLS_FINDING(
    POWER_LOG, "power-log", WARNING, "a power file does not tell the energy",
    "Each node's file holds conversion_eff, power_measurement_start, power_reading and power_measurement_stop; "
    "a switch's conversion_eff and interconnect_power_est.  The package checker looks only which files there are.",
    "Look at the file; most often the measurement started after the run, or two writers share the file.")
MLS_FINDING(POWER_STOP, "power-stop", WARNING, "a power file has no power_measurement_stop",
            "The measurement is then taken to end with its last reading.",
            "Let the power logger write its last record before it is killed.")
MLS_FINDING(CONFIG_LOGGED_BATCH, "config-logged-batch", ADVICE,
            "the logs were made with another batch size than the config's name gives",
            "The name of a config says nodes, parallelism and accumulation, from which the global batch follows.",
            "Check that DGXSYSTEM names the config that was really used, and its micro batch size.")
MLS_FINDING(
    CONFIG_NAME, "config-name", ERROR, "the numbers in a config's name do not fit together",
    "A name like GB200_18x4x1xtp1pp1cp8 gives nodes, GPUs and degrees of parallelism; tp*pp*cp divides the GPUs.",
    "Rename the config, or correct its shape.")
MLS_FINDING(CONFIG_DISAGREES, "config-disagrees", WARNING, "a config's text says something else than its name",
            "The name is what logs, results and readers know a config by; the text is what was run.",
            "Make the export and the name say the same.")
MLS_FINDING(
    CONFIG_PARALLEL, "config-parallel", ERROR, "tensor x pipeline x context parallel does not divide the GPUs",
    "Data parallel is the number of GPUs divided by these three; a remainder leaves GPUs without work, or no start.",
    "Check DGXNNODES, DGXNGPU and the degrees of parallelism.")
MLS_FINDING(CONFIG_WALLTIME, "config-walltime", WARNING, "WALLTIME is shorter than WALLTIME_RUNANDTIME",
            "The job ends before the time that one run is allowed to take.",
            "Give the job at least the time of its runs, and some minutes to start.")
MLS_FINDING(CONFIG_SEGMENT, "config-segment", WARNING, "SEGMENT does not fit the number of nodes",
            "Slurm places a job in segments of that many nodes; the number of nodes must be a multiple of it.",
            "Choose a SEGMENT that divides DGXNNODES.")
MLS_FINDING(CONFIG_ENVIRONMENT, "config-environment", ADVICE, "a setting that costs speed or breaks runs",
            "Settings that help to find an error are easily left in a config that is timed.",
            "Remove the export, unless it is meant.")
MLS_FINDING(CONFIG_SYNTAX, "config-syntax", WARNING, "a config's text is not shell, or stops there",
            "bash would report an error at that place; what follows may never be set.", "Run bash -n on the file.")
MLS_FINDING(CONFIG_ARITHMETIC, "config-arithmetic", WARNING, "an arithmetic expression that bash reports as wrong",
            "bash gives up the command and goes on, so the variable is not set. Numbers like 08 are octal.",
            "Correct the expression; write 10#$A for numbers with zeros in front.")
MLS_FINDING(CONFIG_SOURCE, "config-source", ADVICE, "a config sources a file that is not read",
            "Only files beside a config are read; what another file sets cannot be known.",
            "Look at the values in a job's log instead.")
MLS_FINDING(CONFIG_UNKNOWN, "config-unknown", ADVICE, "a command in a config may set anything",
            "Commands like eval and functions are not followed; all values before them are unknown.",
            "Look at the values in a job's log instead.")
MLS_FINDING(CONFIG_LIMIT, "config-limit", WARNING, "a config is too large or too deep to be read",
            "Reading it ended at one of the limits of mlscore; no value of it is known.",
            "Check for files that source themselves, and for endless expansions.")
/* What runs did over time. */
MLS_FINDING(SLOW_PHASE, "slow-phase", ADVICE, "training slowed down for a while",
            "Segments of training next to each other took longer than the run's own steady pace allows, and what was "
            "lost matters.",
            "Look at what the machine and its network did at that time, and whether other runs have the same.")
MLS_FINDING(SLOW_RUN, "slow-run", ADVICE, "a run took longer than its group would have for the same samples",
            "Its pace, or the time of one of its parts, is well above what the other runs of the group need; having "
            "to train for longer is not counted.",
            "Look at the part that is named: the nodes of that run, loading, evaluation or what comes between.")
MLS_FINDING(MFU_IMPOSSIBLE, "mfu-impossible", WARNING, "more FLOPs than the accelerators have",
            "The model's FLOPs at the steady pace are above the narrowest peak of all accelerators together.",
            "Check the number of accelerators and their model, and what the log says of samples.")
MLS_FINDING(NOT_MEASURED, "not-measured", ADVICE, "a run has too many records to be measured",
            "What is kept of one run is bounded, so its parts and its pace are not told.",
            "Log evaluations and blocks less often.")
/* Telemetry: what logs of measurements show, and what they lack. */
MLS_FINDING(ROW_DAMAGED, "row-damaged", ADVICE, "a row of measurements, or of a report, could not be read",
            "A row with more or fewer fields than its heading, or without the end of its line, was cut or mixed up.",
            "One is what a job that ends leaves behind; many mean that two programs write into one file.")
MLS_FINDING(TIME_BACK, "time-back", WARNING, "the times of measurements step back",
            "A clock was set, or logs of several jobs were joined: what was measured when is no longer certain.",
            "Keep the clocks in step, and log each job into a file of its own.")
MLS_FINDING(NO_TIME, "no-time", ADVICE, "measurements have no times, so they cannot be joined with a run",
            "dmon without -o DT and dcgmi dmon print no date; only means over the whole log can be told.",
            "Say when it began and how often it measured with --start and --interval; log with -o DT.")
MLS_FINDING(DEVICE_LOST, "device-lost", ERROR, "a device was lost while it was measured",
            "The driver could not reach it any more: the run that used it has ended or hangs.",
            "Look for Xid messages in the kernel's log of that host, and take it out of service.")
MLS_FINDING(NO_OVERLAP, "no-overlap", ERROR, "a device was not measured during the run",
            "No measurement lies between run_start and run_stop: another day, another clock, or another time zone.",
            "Try the zone that is suggested with --timezone, or --offset where clocks differ.")
MLS_FINDING(COVERAGE, "coverage", WARNING, "less than 90 % of the run was measured",
            "Energy and means are of the measured part only; the energy of the whole run is not estimated.",
            "Start measuring before the job and stop after it.")
MLS_FINDING(GAP, "gap", WARNING, "nothing was measured for a while during the run",
            "Measurements further apart than 5 seconds and 5 intervals are a gap, for which nothing is made up.",
            "See what else the host did then; --gap says what counts as one.")
MLS_FINDING(THROTTLED, "throttled", WARNING, "a device was slowed down for more than 1 % of the run",
            "hw_slowdown, hw_thermal_slowdown, hw_power_brake_slowdown or sw_thermal_slowdown was active.",
            "Look at its cooling and at the power supply of its host.")
MLS_FINDING(POWER_CAP, "power-cap", ADVICE, "a device ran at its power limit for more than 10 % of the run",
            "sw_power_cap is normal at full load, but clocks vary with it, and so do times.",
            "Compare with its sisters; see power_limit_w.")
MLS_FINDING(ECC_UNCORRECTED, "ecc-uncorrected", WARNING, "a device counted uncorrected memory errors during the run",
            "What was computed with that memory may be wrong.", "Reset the device, and replace it if it happens again.")
MLS_FINDING(ECC_CORRECTED, "ecc-corrected", ADVICE, "a device counted corrected memory errors during the run",
            "They did no harm; many of them come before uncorrected ones.", "Watch that device.")
MLS_FINDING(UNUSED_DEVICE, "unused-device", WARNING, "a device was used for less than 5 % of the run",
            "It was measured, and did next to nothing: the job ran on fewer devices than the host has, or elsewhere.",
            "Compare the devices of the job with those that were measured.")
MLS_FINDING(STRAGGLER, "straggler", WARNING, "a device is slower, or used less, than its sisters",
            "The others wait for it inside of collectives, which counts as use: the one used less is the suspect.",
            "Look at its clock, its cooling and the processes of its host; run without it.")

MLS_FINDING(MEMORY_DOES_NOT_FIT, "memory-does-not-fit", ERROR, "a GPU would have to hold more than it can",
            "Even without what some implementation avoids, the model in this configuration is larger than the GPU's "
            "memory: the job dies of it in its first step.",
            "mlscore memory lists the items and the smallest single change that fits.")
MLS_FINDING(MEMORY_TIGHT, "memory-tight", WARNING, "whether a GPU can hold it depends on what no formula knows",
            "The estimate has a band; its lower end fits, its upper end (fragments, workspaces, copies) does not.",
            "Try it, or take the change that mlscore memory proposes.")
MLS_FINDING(MEMORY_EXPORT, "memory-export", ADVICE, "an export that memory is estimated without",
            "The value is no number, or no yes or no, where the estimate needs one.",
            "Correct it, or say it by an option of mlscore memory.")
/* Profiles. */
MLS_FINDING(TRACE_TRUNCATED, "trace-truncated", ERROR, "a trace breaks off, or is broken in the middle",
            "What comes before that place counts; sums, shares and the time line lack the rest.",
            "Export the trace again: a job that is killed while it writes leaves half of one.")
MLS_FINDING(EVENT_DAMAGED, "event-damaged", WARNING, "an activity of the GPU in a trace has no name or no time",
            "It cannot be counted, so what the profile says of its time line and sums lacks it.",
            "One in a million is the profiler's own mistake; many mean that the file was changed.")
MLS_FINDING(REPORT_IGNORED, "report-ignored", ADVICE, "a table that no report which is read looks like",
            "nsys stats prints many reports; those on kernels, copies, API calls, ranges and the OS are read.",
            "Nothing, or ask nsys for one of the reports that mlscore-profile(1) lists.")
MLS_FINDING(REPORT_REPEATED, "report-repeated", WARNING, "a report stands twice in a file, or beside a better one",
            "Only the first of its kind counts; sums of kernels and copies do not count beside cuda_gpu_trace.",
            "Put the reports of one profile into one file, each once.")
MLS_FINDING(NUMBER_FORMAT, "number-format", ERROR, "decimal points and decimal commas in one file",
            "nsys and ncu print by the locale of the machine; in one file of two, 1,234 can be either number.",
            "Make the report anew with LC_ALL=C, in one go.")
MLS_FINDING(COUNTERS_MISSING, "counters-missing", WARNING, "a launch without the counters of both throughputs",
            "What bounds a kernel is told by the throughputs of computing and of memory together.",
            "Profile with the section SpeedOfLight: ncu --set basic, or --section SpeedOfLight.")
/* A whole submission. */
MLS_FINDING(NO_RESULTS, "no-results", ERROR, "the folder holds no submission",
            "A submission is a folder with results/ and systems/ in it, or a folder of such folders.",
            "Name the submitter's folder, or the round's.")
MLS_FINDING(SYSTEM_MISSING, "system-missing", ERROR, "results without a system description",
            "Every folder results/<system> needs systems/<system>.json, of exactly the same name.",
            "Add the description, or correct the spelling of one of the two.")
MLS_FINDING(SYSTEM_JSON, "system-json", ERROR, "a system description is not JSON",
            "The description of a system is one JSON object; the package checker stops at one it cannot read.",
            "Correct it at the line and column named; a comma too many is the usual cause.")
MLS_FINDING(SYSTEM_FIELD, "system-field", ERROR, "a system description lacks a required field",
            "The rules list the fields that every description has; an empty text is a value too.",
            "Add the field that is named.")
MLS_FINDING(SYSTEM_STATUS, "system-status", ERROR, "a system's status is not one that the rules know",
            "From 4.0.0 on the status is exactly one of: Available on-premise; Available cloud; Preview; Research, "
            "Development, or Internal (RDI).",
            "Write the status exactly like that.")
MLS_FINDING(RESULT_COUNT, "result-count", ERROR, "not the number of result files that the benchmark needs",
            "A result is made of exactly as many runs as the rules name for the benchmark; weak scaling needs at "
            "least as many.",
            "Add the missing runs; of more runs choose as the rules say (mlscore score --window).")
MLS_FINDING(INVALID_LOGS, "invalid-logs", ERROR, "more logs are invalid than the benchmark may drop",
            "One invalid run (unet3d: four) is dropped as the slowest; with more there is no score.",
            "Run the invalid ones again; `mlscore check` says what is wrong with each.")
MLS_FINDING(RCP, "rcp", ERROR, "the runs converge faster than the reference allows",
            "In the closed division a submission must not need significantly fewer samples to converge than the "
            "reference implementation at that batch size.",
            "Compare hyperparameters with the reference (`mlscore rcp BENCHMARK`), or submit reference points for "
            "the batch size.")
MLS_FINDING(POWER_FILES, "power-files", ERROR, "the power files of a run are not as they must be",
            "Every result has a folder power/result_<i> with node_0.txt, node_1.txt … and sw_0.txt …, the same "
            "number in every run.  A run whose power files are wrong counts as invalid.",
            "Complete or renumber the power files.")
MLS_FINDING(NOT_A_FILE, "not-a-file", ERROR, "what should be a file is something else",
            "A log or description must be a plain file inside the submission; pipes, devices, folders and links out "
            "of the tree are not read.",
            "Put the file itself in its place.")
MLS_FINDING(LOG_SIZE, "log-size", ERROR, "a log is too large to be one",
            "A log of more than a gibibyte is not read; no published log comes near it.",
            "Find out what wrote into it, and log records only.")
MLS_FINDING(TREE_LIMIT, "tree-limit", ERROR, "there is more in the submission than is looked at",
            "Files, folders and their nesting have limits, so that judging a submission ends; nothing beyond them "
            "was judged.",
            "Remove what does not belong into the submission.")
MLS_FINDING(BENCHMARK_SKIPPED, "benchmark-skipped", ADVICE, "a results folder is no benchmark of the edition",
            "The package checker passes over folders that are not in the edition's list, so nobody judges them.",
            "Correct the folder's name, or name the right --edition or --usage.")
MLS_FINDING(BENCHMARK_DIFFERS, "benchmark-differs", ADVICE, "a log names another benchmark than its folder",
            "The folder decides what a result counts for; submission_benchmark should say the same.",
            "Move the log, or correct the folder's name.")
MLS_FINDING(DIVISION_SPELLING, "division-spelling", ADVICE, "a division is spelled other than closed or open",
            "Seeds and convergence are checked only where the description says exactly `closed`; any other spelling "
            "silently skips them.",
            "Write closed or open, in small letters.")
MLS_FINDING(DIVISION_DIFFERS, "division-differs", ADVICE, "a log and the system description disagree on the division",
            "submission_division in the log chooses its rules, the description decides what else is checked.",
            "Correct whichever is wrong.")
MLS_FINDING(SUBMITTER_DIFFERS, "submitter-differs", ADVICE,
            "a log and the system description disagree on the submitter",
            "submission_org in the log and submitter in the description should be the same.",
            "Correct whichever is wrong.")
MLS_FINDING(FORGIVEN, "forgiven", ADVICE, "an invalid log is forgiven although it converged",
            "The rules forgive only a run that did not converge; the package checker drops any invalid log.  "
            "A reviewer may object.",
            "Run it again, or be ready to explain it.")
MLS_FINDING(RESULT_NAME, "result-name", ADVICE, "result files are not numbered from 0 without gaps",
            "Results are named result_0.txt to result_<N-1>.txt.",
            "Rename them; mind that the files below power/ have the same numbers.")
MLS_FINDING(STRAY_FILE, "stray-file", ADVICE, "a file or folder has no place where it stands",
            "The layout of a submission is fixed, and reviewers' tools expect nothing else in it.",
            "Move it to where it belongs, or remove it.")
MLS_FINDING(EMPTY_FOLDER, "empty-folder", ADVICE, "an empty folder",
            "Version control does not keep empty folders, so this one will be missing in the upload.",
            "Remove it, or add what belongs there.")
MLS_FINDING(SYSTEM_UNUSED, "system-unused", ADVICE, "a system description without results",
            "A description without a folder results/<system> describes nothing.",
            "Remove it, or correct the spelling of one of the two.")
MLS_FINDING(NO_IMPLEMENTATION, "no-implementation", ADVICE, "no implementation of a benchmark that has results",
            "The code that made the results belongs into benchmarks/<benchmark>/implementations/<implementation>.",
            "Add it.")
MLS_FINDING(SPACE_IN_NAME, "space-in-name", ADVICE, "a name with a space", "Reviewers' scripts fail on such names.",
            "Rename it.")
MLS_FINDING(HIDDEN_NAME, "hidden-name", ADVICE, "a name that starts with a dot",
            "Hidden files are most often left over from an editor or a desktop.", "Remove it.")
MLS_FINDING(LARGE_FILE, "large-file", ADVICE, "a file over 50 MiB", "Repositories of results refuse large files.",
            "Remove it, or compress what must stay.")
MLS_FINDING(BROKEN_LINK, "broken-link", ADVICE, "a link that leads nowhere",
            "What it stands for is not part of the submission.", "Put the file itself there, or remove the link.")
MLS_FINDING(LINK_OUTSIDE, "link-outside", ADVICE, "a link that leaves the submission",
            "Whoever gets the submission does not get what the link leads to.  It was not followed.",
            "Put the file itself there.")
MLS_FINDING(SCALING_FILE, "scaling-file", WARNING, "a scaling.json beside the results",
            "Only the review committee multiplies a result with a factor.",
            "Remove it before the upload, unless the committee asked for it.")
MLS_FINDING(
    PARAMS_IGNORED, "params-ignored", ADVICE, "package_checker_params has no effect, or part of it",
    "It is read from results/<system> and from a benchmark's results folder, and knows the lines rcp-bypass and "
    "seed-checker-bypass.",
    "Move it there, and spell the options with hyphens.")
