/* SPDX-License-Identifier: Apache-2.0
 * The block kernels for wasm, f32. */
#include "eikonal/blocks/kernel.h"
#include "vec_wasm_f32.h"
#include "eikonal/blocks/coefficients.tmpl.h"
#include "eikonal/blocks/update.tmpl.h"
#include "eikonal/blocks/fetch.tmpl.h"
#include "eikonal/blocks/visit.tmpl.h"
#include "eikonal/blocks/donors.tmpl.h"
