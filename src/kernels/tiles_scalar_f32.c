/* SPDX-License-Identifier: Apache-2.0
 * The tile kernels for scalar, f32. */
#include "tile.h"
#define ZM_SCALAR_F32
#include "vec_scalar.h"
#include "tile_coef.tmpl.h"
#include "tile_sweep.tmpl.h"
#include "tile_fetch.tmpl.h"
#include "tile_visit.tmpl.h"
#include "tile_stencil.tmpl.h"
