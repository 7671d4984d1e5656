/* SPDX-License-Identifier: Apache-2.0
 * The kernels of adaptive stencils for wasm. */
#include "eikonal/blocks/adaptive_kernel.h"
#include "vec_wasm_f64.h"
#include "eikonal/blocks/adaptive_build.tmpl.h"
#include "eikonal/blocks/adaptive_visit.tmpl.h"
