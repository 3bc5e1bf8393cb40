/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key_table.h - every record key that code asks for by name, one row each.
 *
 * An X-macro without include guard: define MLS_KEY(id, text) before including it, and MLS_KEY_LENGTH(n) to learn where
 * the keys of n bytes begin.  Keys are found by their length, so a test holds each to its group.  Keys that only rules
 * name need no row.
 */
#ifndef MLS_KEY_LENGTH
#define MLS_KEY_LENGTH(length)
#endif

MLS_KEY_LENGTH(4)
MLS_KEY(SEED, "seed")
MLS_KEY_LENGTH(8)
MLS_KEY(RUN_STOP, "run_stop")
MLS_KEY_LENGTH(9)
MLS_KEY(RUN_START, "run_start")
MLS_KEY(INIT_STOP, "init_stop")
MLS_KEY(EVAL_STOP, "eval_stop")
MLS_KEY(DATA_FILE, "data_file")
MLS_KEY_LENGTH(10)
MLS_KEY(INIT_START, "init_start")
MLS_KEY(EVAL_START, "eval_start")
MLS_KEY(EVAL_ERROR, "eval_error")
MLS_KEY(BLOCK_STOP, "block_stop")
MLS_KEY(EPOCH_STOP, "epoch_stop")
MLS_KEY(THROUGHPUT, "throughput")
MLS_KEY(TRAIN_LOSS, "train_loss")
MLS_KEY(CHECKPOINT, "checkpoint")
MLS_KEY_LENGTH(11)
MLS_KEY(BLOCK_START, "block_start")
MLS_KEY(EPOCH_START, "epoch_start")
MLS_KEY(EPOCH_COUNT, "epoch_count")
MLS_KEY(CACHE_CLEAR, "cache_clear")
MLS_KEY_LENGTH(13)
MLS_KEY(TRACKED_STATS, "tracked_stats")
MLS_KEY(EVAL_ACCURACY, "eval_accuracy")
MLS_KEY(TRAIN_SAMPLES, "train_samples")
MLS_KEY(POWER_READING, "power_reading")
MLS_KEY_LENGTH(14)
MLS_KEY(SUBMISSION_ORG, "submission_org")
MLS_KEY(CONVERSION_EFF, "conversion_eff")
MLS_KEY_LENGTH(15)
MLS_KEY(CONFIG_FILENAME, "config_filename")
MLS_KEY(NUMBER_OF_NODES, "number_of_nodes")
MLS_KEY(TARGET_ACCURACY, "target_accuracy")
MLS_KEY_LENGTH(16)
MLS_KEY(SUBMISSION_ENTRY, "submission_entry")
MLS_KEY_LENGTH(17)
MLS_KEY(GLOBAL_BATCH_SIZE, "global_batch_size")
MLS_KEY(SUBMISSION_STATUS, "submission_status")
MLS_KEY_LENGTH(19)
MLS_KEY(SUBMISSION_DIVISION, "submission_division")
MLS_KEY(SUBMISSION_PLATFORM, "submission_platform")
MLS_KEY(SUBMISSION_POC_NAME, "submission_poc_name")
MLS_KEY_LENGTH(20)
MLS_KEY(SUBMISSION_BENCHMARK, "submission_benchmark")
MLS_KEY(SUBMISSION_POC_EMAIL, "submission_poc_email")
MLS_KEY_LENGTH(21)
MLS_KEY(ACCELERATORS_PER_NODE, "accelerators_per_node")
MLS_KEY_LENGTH(22)
MLS_KEY(POWER_MEASUREMENT_STOP, "power_measurement_stop")
MLS_KEY(INTERCONNECT_POWER_EST, "interconnect_power_est")
MLS_KEY(WEIGHTS_INITIALIZATION, "weights_initialization")
MLS_KEY_LENGTH(23)
MLS_KEY(POWER_MEASUREMENT_START, "power_measurement_start")

#undef MLS_KEY_LENGTH
