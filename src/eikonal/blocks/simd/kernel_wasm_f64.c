/* SPDX-License-Identifier: Apache-2.0
 * The block kernels for wasm, f64. */
#include "eikonal/blocks/kernel.h"
#include "vec_wasm_f64.h"
#include "eikonal/blocks/coefficients.tmpl.h"
#include "eikonal/blocks/update.tmpl.h"
#include "eikonal/blocks/fetch.tmpl.h"
#include "eikonal/blocks/visit.tmpl.h"
#include "eikonal/blocks/donors.tmpl.h"
