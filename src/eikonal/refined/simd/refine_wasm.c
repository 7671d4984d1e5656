/* SPDX-License-Identifier: Apache-2.0
 * The kernels of phase two for wasm. */
#include "eikonal/blocks/simd/vec_wasm_f64.h"

#include "eikonal/refined/refine.tmpl.h"
#include "eikonal/refined/gradient.tmpl.h"
