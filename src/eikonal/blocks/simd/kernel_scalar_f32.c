/* SPDX-License-Identifier: Apache-2.0
 * The block kernels for scalar, f32. */
#include "eikonal/blocks/kernel.h"
#define ZM_SCALAR_F32
#include "vec_scalar.h"
#include "eikonal/blocks/coefficients.tmpl.h"
#include "eikonal/blocks/update.tmpl.h"
#include "eikonal/blocks/fetch.tmpl.h"
#include "eikonal/blocks/visit.tmpl.h"
#include "eikonal/blocks/donors.tmpl.h"
