/* SPDX-License-Identifier: Apache-2.0
 * The kernels of adaptive stencils for scalar. */
#include "eikonal/blocks/fan_tile.h"
#include "vec_scalar.h"
#include "eikonal/blocks/fan_tile.tmpl.h"
