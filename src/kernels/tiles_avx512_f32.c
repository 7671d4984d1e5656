/* SPDX-License-Identifier: Apache-2.0
 * The tile kernels for avx512, f32. */
#include "tile.h"
#include "vec_avx512_f32.h"
#include "tile_coef.tmpl.h"
#include "tile_sweep.tmpl.h"
#include "tile_fetch.tmpl.h"
#include "tile_visit.tmpl.h"
#include "tile_stencil.tmpl.h"
