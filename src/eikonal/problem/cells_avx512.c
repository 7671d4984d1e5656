/* SPDX-License-Identifier: Apache-2.0
 * The maps of cells.h for avx512. */
#include "eikonal/problem/lanes_avx512.h"
#define NAME(x) x##_avx512
#include "eikonal/problem/chart.tmpl.h"
#include "eikonal/problem/clamp.tmpl.h"

const zm_cell_kernels zm_cell_kernels_avx512 = {
    .value = { [ZM_LOG_CHOLESKY] = cholesky_value_avx512,
               [ZM_LOG_EUCLIDEAN] = euclidean_value_avx512 },
    .pull = { [ZM_LOG_CHOLESKY] = cholesky_pull_avx512,
              [ZM_LOG_EUCLIDEAN] = euclidean_pull_avx512 },
    .clamp = clamp_value_avx512,
    .clamp_pull = clamp_pull_avx512
};
