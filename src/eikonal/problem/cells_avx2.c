/* SPDX-License-Identifier: Apache-2.0
 * The maps of cells.h for avx2. */
#include "eikonal/problem/lanes_avx2.h"
#define NAME(x) x##_avx2
#include "eikonal/problem/chart.tmpl.h"
#include "eikonal/problem/clamp.tmpl.h"

const zm_cell_kernels zm_cell_kernels_avx2 = {
    .value = { [ZM_LOG_CHOLESKY] = cholesky_value_avx2,
               [ZM_LOG_EUCLIDEAN] = euclidean_value_avx2 },
    .pull = { [ZM_LOG_CHOLESKY] = cholesky_pull_avx2,
              [ZM_LOG_EUCLIDEAN] = euclidean_pull_avx2 },
    .clamp = clamp_value_avx2,
    .clamp_pull = clamp_pull_avx2
};
