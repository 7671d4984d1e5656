/* SPDX-License-Identifier: Apache-2.0
 * Random media to attack engines with: metrics as strong, drifts as large, contrasts as
 * high and grids as odd as a solver may meet. */
#ifndef ZM_TESTS_RANDOM_MEDIA_H
#define ZM_TESTS_RANDOM_MEDIA_H

#include "support/cases.h"

typedef struct medium_limits {
    double ratio;    /* largest ratio of the eigenvalues of G */
    double drift;    /* largest |b|_{G^-1} */
    double contrast; /* largest ratio of slownesses of two cells */
    double walls;    /* largest share of cells that are walls */
    size_t
        cells; /* a grid has fewer, but for one in a hundred, which has up to 200 x 150 */
} medium_limits;

extern const medium_limits medium_hardest;

/** Such that the eight neighbours suffice in most media: for engines that need that. */
extern const medium_limits medium_mild;

/** A random medium, that of this seed. */
typedef struct random_medium {
    test_case c;
    uint64_t seed;
    double ratio, drift, contrast, walls; /* what it was drawn with */
    bool smooth;                          /* else every cell is on its own */
} random_medium;

random_medium medium_draw(uint64_t seed, const medium_limits *limits);
void medium_free(random_medium *m);

/** What it is, in a line of text. */
void medium_describe(const random_medium *m, char *text, size_t size);

#endif
