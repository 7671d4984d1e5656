/* SPDX-License-Identifier: Apache-2.0
 * The maps of cells.h for scalar. */
#include "eikonal/problem/lanes_scalar.h"
#define NAME(x) x##_scalar
#include "eikonal/problem/chart.tmpl.h"
#include "eikonal/problem/clamp.tmpl.h"

const zm_cell_kernels zm_cell_kernels_scalar = {
    .value = { [ZM_LOG_CHOLESKY] = cholesky_value_scalar,
               [ZM_LOG_EUCLIDEAN] = euclidean_value_scalar },
    .pull = { [ZM_LOG_CHOLESKY] = cholesky_pull_scalar,
              [ZM_LOG_EUCLIDEAN] = euclidean_pull_scalar },
    .clamp = clamp_value_scalar,
    .clamp_pull = clamp_pull_scalar
};
