/* SPDX-License-Identifier: Apache-2.0
 * Correlations of paired values. */
#ifndef ZM_FIRE_CORRELATION_H
#define ZM_FIRE_CORRELATION_H

#include <stddef.h>

#include "zermelo/fire/score.h"

/** Pearson's correlation; NAN where one of them has no spread. */
double zm_correlation_pearson(const double *x, const double *y, size_t n);

/** Ranks from 1; equal values share the mean of theirs. */
zm_status zm_correlation_ranks(const double *x, size_t n, double *rank, zm_error *err);

/** Spearman's: that of the ranks. */
zm_status zm_correlation_spearman(const double *x, const double *y, size_t n,
                                  double *out, zm_error *err);

/** Why there is none; x is the truth.  `reached`: how many y were predicted at all. */
zm_score_flaw zm_correlation_flaw(const double *x, const double *y, size_t n,
                                  size_t reached);

/** For qsort of doubles, the smallest first. */
int zm_correlation_ascending(const void *a, const void *b);

#endif
