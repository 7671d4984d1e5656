/* SPDX-License-Identifier: Apache-2.0
 * The tile kernels for avx512, f64. */
#include "eikonal/blocks/tile.h"
#include "vec_avx512_f64.h"
#include "eikonal/blocks/tile_coef.tmpl.h"
#include "eikonal/blocks/tile_sweep.tmpl.h"
#include "eikonal/blocks/tile_fetch.tmpl.h"
#include "eikonal/blocks/tile_visit.tmpl.h"
#include "eikonal/blocks/tile_stencil.tmpl.h"
