/* SPDX-License-Identifier: Apache-2.0
 * The kernels of adaptive stencils for avx2. */
#include "eikonal/blocks/adaptive_kernel.h"
#include "vec_avx2_f64.h"
#include "eikonal/blocks/adaptive_build.tmpl.h"
#include "eikonal/blocks/adaptive_visit.tmpl.h"
