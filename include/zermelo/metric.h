/* SPDX-License-Identifier: Apache-2.0
 * Grid and metric: the ground that a front runs over.
 *
 * Conventions (docs/theory.md).  A field is row-major, cell = row*cols + col.  x runs
 * along columns with spacing dx, y along rows (downwards) with spacing dy.  The cost of
 * moving by v is
 *
 *     F(v) = sqrt(v' G v) - b.v,     G = [[g11, g12], [g12, g22]],  b = (b1, b2),
 *
 * so the front runs faster along +b.  Arrival times obey |grad T + b|_{G^-1} = 1.
 * Admissible: G positive definite and |b|_{G^-1} < 1 in every cell that is no wall. */
#ifndef ZM_METRIC_H
#define ZM_METRIC_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum zm_dtype { ZM_F64 = 0, ZM_F32 = 1 } zm_dtype;

/** Bytes of one value: 8 or 4. */
ZM_API size_t zm_dtype_size(zm_dtype dtype);

/** Most cells of a grid: engines keep two bits of a 32-bit cell number for marks. */
#define ZM_MOST_CELLS 0x3FFFFFFF

/** What is done with derivatives that are given and are not finite. */
typedef enum zm_nonfinite {
    ZM_NONFINITE_REFUSE = 0,   /**< ZM_E_ARG, with the first such cell */
    ZM_NONFINITE_PROPAGATE = 1 /**< what depends on them is nan or infinite */
} zm_nonfinite;

/** Size and spacing of a grid.  This struct is frozen: it will not grow. */
typedef struct zm_grid {
    int32_t rows, cols; /**< >= 1 each; solvers take at most ZM_MOST_CELLS cells */
    double dx, dy;      /**< spacing along columns and along rows, > 0 and finite */
} zm_grid;

/**
 * View of a metric field: planes of rows*cols values of type `dtype`, owned by the caller.
 * g12 NULL means 0.  g22 NULL means the same as g11 (so g11 alone is the isotropic
 * metric g I, and derivatives are then with respect to that one scalar).  b1 and b2 NULL
 * mean no drift.  Values in wall cells are ignored.  This struct is frozen.
 */
typedef struct zm_metric {
    zm_dtype dtype;
    const void *g11, *g12, *g22, *b1, *b2;
} zm_metric;

#ifdef __cplusplus
}
#endif
#endif
