/* SPDX-License-Identifier: Apache-2.0
 * What an experiment left behind, for those who run experiments: the tool. */
#ifndef ZM_EXPERIMENTS_OUTCOME_H
#define ZM_EXPERIMENTS_OUTCOME_H

#include "experiment.h"

typedef struct outcome_row {
    char *reference, *quantity, *unit; /**< "" where there is none */
    char *paper_text;                  /**< as printed in the paper; "" */
    double paper;                      /**< NaN: none */
    double ours;
    better_is better;
    double seconds;
} outcome_row;

typedef struct outcome_figure {
    char *name, *reference, *caption;
    char *png, *svg, *dark_svg; /**< paths */
} outcome_figure;

typedef struct outcome {
    const experiment *what;
    outcome_row *rows;
    size_t n_rows;
    outcome_figure *figures;
    size_t n_figures;
    char **remarks;
    size_t n_remarks;
    double seconds;
    zm_status status; /**< ZM_OK; ZM_E_CANCELLED: the user stopped it */
    char *failure;    /**< why it failed, or NULL */
} outcome;

/** How ours stands to the paper's, to half a unit of its last printed digit. */
typedef enum verdict {
    VERDICT_NONE,
    VERDICT_BETTER,
    VERDICT_SAME,
    VERDICT_WORSE
} verdict;
verdict outcome_verdict(const outcome_row *row);

typedef struct run_settings {
    const char *directory; /**< of all experiments; exists */
    bool quick;
    int32_t threads;
    uint64_t seed;
    /** Called with the share done of this experiment and what is being done. */
    void (*progress)(void *ctx, double share, const char *step);
    void *progress_ctx;
    bool (*stop)(void); /**< whether the user wants to stop; called often */
} run_settings;

/** Runs one experiment; its files go to directory/name. */
outcome outcome_of(const experiment *what, const run_settings *settings);
void outcome_free(outcome *o);

#endif
