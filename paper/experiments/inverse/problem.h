/* SPDX-License-Identifier: Apache-2.0
 * Inverse problems whose solution is known: a true medium, fronts in it, and when these
 * were seen where. */
#ifndef ZM_EXPERIMENTS_PROBLEM_H
#define ZM_EXPERIMENTS_PROBLEM_H

#include "medium.h"
#include "zermelo/invert.h"

/** True media on a square of 80 x 80 cells, or the same in proportion on another. */
typedef enum truth {
    TRUTH_HALF = 0,        /**< g = 1 for x < 40, 2 beyond */
    TRUTH_DISC,            /**< g = 2 in a disc about (50, 40) of radius 15, else 1 */
    TRUTH_EVEN,            /**< g = 1.5 */
    TRUTH_SQUARES,         /**< squares of 16 cells with g from 0.8 to 2.4 */
    TRUTH_SMOOTH,          /**< g = exp(0.3 u), u a random field of length 8 */
    TRUTH_ROUGH,           /**< sqrt(g) = 1 + x, x normal with inverse covariance
                                ROUGH_PRECISION D'D, D being differences: what H1 expects;
                                another one with each seed, for the grid itself only */
    TRUTH_DIAGONAL,        /**< halves diag(1, 1.5) and diag(2, 0.8) */
    TRUTH_SMOOTH_DIAGONAL, /**< g11 and g22 as SMOOTH, each by itself */
    TRUTH_DRIFT,           /**< G = I, b = (0.15, 0.08) */
    TRUTH_SMOOTH_DRIFT,    /**< G = I, components of b 0.1 u, as SMOOTH */
    TRUTH_TWO_DRIFTS,      /**< G = I, halves b = (0.15, 0.08) and (-0.1, 0.2) */
    TRUTH_JOINT /**< halves [1, 0.2; 0.2, 1.5], [2, -0.3; -0.3, 1], the drifts above */
} truth;

enum { ROUGH_PRECISION = 50 };

/** What is observed of which medium. */
typedef struct design {
    const char *name; /**< in rows and progress */
    double progress;  /**< share of the experiment behind us */
    truth truth;
    zm_unknown unknown;  /**< 0: isotropic */
    int32_t side;        /**< cells; 0: 80, or 40 with --quick */
    size_t fronts;       /**< each from a source of its own; 0: one */
    bool together;       /**< these sources make a single front */
    bool centred;        /**< one front, from the middle */
    double share;        /**< of the cells observed of each front; 1: all but sources */
    size_t observations; /**< of each front; 0: by `share` */
    double noise;        /**< standard deviation over that of T on the grid */
    double sigma;        /**< stated to the inversion; 0: that of the noise */
    int32_t finer;       /**< times from a grid so many times finer; 0: from the same */
    uint64_t purpose;    /**< of the random numbers: see run_seed */
} design;

/** A front and when it was seen where. */
typedef struct sighting {
    zm_source *sources;
    size_t n_sources;
    double *T;      /**< true times, on the grid */
    int64_t *cells; /**< n observed ones, ascending */
    double *times;
    size_t n;
    double sigma; /**< 0: no noise */
} sighting;

enum { MOST_FRONTS = 5 };
typedef struct problem {
    design d;
    medium truth; /**< its sources are those of all fronts */
    sighting fronts[MOST_FRONTS];
    size_t n_fronts;
} problem;

/** `seed` 0, 1, ...: one of several samples of observations and noise. */
problem problem_new(experiment_run *run, const design *d, uint64_t seed);

/** What is sought. */
bool seeks_metric(const design *d);
bool seeks_drift(const design *d);
bool seeks_plane(const design *d, int plane);

/** All cells are observed, without noise: nothing is random. */
bool is_certain(const design *d);

/** |found - true| / |true| in % over all cells: G in the Frobenius norm; b; one plane. */
double error_of_metric(const problem *p, const medium *found);
double error_of_drift(const problem *p, const medium *found);
double error_of_plane(const problem *p, const medium *found, int plane);

/** The least such error that constants can have, of G or, where only that is sought, b:
 *  what a method must beat. */
double best_constant(const problem *p);

/** Largest |found - true| of the planes sought, in cells that are no source. */
double largest_error(const problem *p, const medium *found);

/** The plane of a medium. */
double *medium_plane(const medium *m, int plane);

/** Cells a side: 80, or 40 with --quick. */
int32_t inverse_side(const experiment_run *run);

#endif
