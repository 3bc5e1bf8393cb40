/* SPDX-License-Identifier: Apache-2.0 */
/*
 * converge.h - how much training one run took to converge.
 *
 * An accumulator that is fed with the records of one run, in the order of the
 * log, before anybody knows for sure which benchmark and edition it is; both
 * are asked for only at the end.  Keys are compared exactly.
 */
#ifndef MLS_SCORE_CONVERGE_H
#define MLS_SCORE_CONVERGE_H

#include "mlscore/base.h"
#include "mlscore/edition.h"
#include "mlscore/log.h"

/* Further FID and CLIP evaluations of a stable_diffusion run are not looked at. */
#define MLS_CONVERGE_EVALUATIONS_MAX 100000

/* Where training stood, as the metadata of an evaluation says; NaN: it does not. */
typedef struct mls_training_progress {
    double samples_count;
    double epoch_num;
    double step_num;
} mls_training_progress;

/* One FID or CLIP evaluation. */
typedef struct mls_image_evaluation {
    mls_training_progress at;
    double value;
    bool is_clip; /* else FID */
} mls_image_evaluation;

/* What the records of a run have said so far. */
typedef struct mls_converge {
    double global_batch_size;      /* of the last such record; NaN: none, or no number */
    double train_samples;          /* of the last such record; NaN: none */
    mls_training_progress last;    /* of the evaluations so far */
    mls_training_progress at_stop; /* of those before the last run_stop */
    bool stopped;                  /* there was a run_stop */
    bool converged;                /* the last run_stop says success */
    mls_image_evaluation *items;
    size_t count;
    size_t capacity;
} mls_converge;

void mls_converge_init(mls_converge *converge);
void mls_converge_release(mls_converge *converge);

/* Looks at one record; records that have nothing to say are passed over quickly. MLS_OK or MLS_ERROR_MEMORY. */
mls_status mls_converge_record(mls_converge *converge, const mls_record *record) MLS_MUST_USE;

/*
 * How far training went, converged or not, counted as the benchmark's row says
 * for the edition; NaN when the log does not say: of the last evaluation, or
 * for a benchmark with images at the smallest count at which FID and CLIP both
 * reach their targets.  Epochs are rounded to three digits.  With
 * `train_samples` that record counts instead where the benchmark allows it.
 * MLS_OK or MLS_ERROR_MEMORY.
 */
mls_status mls_converge_reached(const mls_converge *converge, const mls_benchmark *benchmark,
                                const mls_edition *edition, bool train_samples, double *reached) MLS_MUST_USE;

/*
 * The run's number for the check against reference points: as above, or
 * MLS_RCP_NOT_CONVERGED when the last run_stop does not say success.
 */
mls_status mls_converge_number(const mls_converge *converge, const mls_benchmark *benchmark, const mls_edition *edition,
                               bool train_samples, double *number) MLS_MUST_USE;

#endif
