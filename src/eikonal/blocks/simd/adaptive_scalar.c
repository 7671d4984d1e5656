/* SPDX-License-Identifier: Apache-2.0
 * The kernels of adaptive stencils for scalar. */
#include "eikonal/blocks/adaptive_kernel.h"
#include "vec_scalar.h"
#include "eikonal/blocks/adaptive_build.tmpl.h"
#include "eikonal/blocks/adaptive_visit.tmpl.h"
