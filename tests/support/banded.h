/* SPDX-License-Identifier: Apache-2.0
 * Problems with bands to test with: a medium for each band, all of one grid. */
#ifndef ZM_TESTS_BANDED_H
#define ZM_TESTS_BANDED_H

#include "support/cases.h"

enum { MOST_BANDS = 64 };

/** A problem that owns its fields; the sources and walls are those of band[0]. */
typedef struct banded {
    size_t n_bands, n;
    double starts[MOST_BANDS];
    test_case band[MOST_BANDS];
    uint8_t *stopped[MOST_BANDS]; /* or NULL */
    zm_band views[MOST_BANDS];
} banded;

/** G = I, b = 0, bands of length 1 from time 0, no source. */
banded banded_create(int32_t rows, int32_t cols, size_t n_bands);
void banded_free(banded *b);

/** Stops a cell (or all, cell < 0) in a band. */
void banded_stop(banded *b, size_t band, int64_t cell);

/** Every cell and band on its own: slowness 1 to `contrast`, axis ratio up to `ratio`, drift
 *  norm up to `drift`, smooth in space and turning from band to band if `smooth`; a source in the
 *  middle. */
banded banded_random(int32_t side, size_t n_bands, uint64_t seed, double contrast,
                     double ratio, double drift, bool smooth);

/** Borrowed view. */
zm_bands_problem banded_problem(banded *b);

/** A handle with the shortest steps, or the end of the program; a solve made for this call. */
zm_bands *banded_handle(const banded *b, zm_bands_cost cost);
zm_status banded_solve(banded *b, zm_bands_cost cost, double *T);

#endif
