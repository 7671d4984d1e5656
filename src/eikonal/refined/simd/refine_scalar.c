/* SPDX-License-Identifier: Apache-2.0
 * The kernels of phase two for scalar. */
#include "eikonal/blocks/simd/vec_scalar.h"

#include "eikonal/refined/refine.tmpl.h"
#include "eikonal/refined/gradient.tmpl.h"
