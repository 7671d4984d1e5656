/* SPDX-License-Identifier: Apache-2.0
 * The kernels of adaptive stencils for scalar. */
#include "fan_tile.h"
#include "vec_scalar.h"
#include "fan_tile.tmpl.h"
