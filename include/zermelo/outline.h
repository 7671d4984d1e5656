/* SPDX-License-Identifier: Apache-2.0
 * Outlines of where a front has been: closed polygons, with holes, of {T <= level}.
 *
 *     zm_outline *outline;
 *
 *     zm_outline_create(&outline, NULL, &err);
 *     zm_outline_find(outline, grid, ZM_F64, T, 2.5, &err);
 *     rings = zm_outline_rings(outline, &n_rings);
 *     points = zm_outline_points(outline, &n_points);
 *     zm_outline_destroy(outline);
 *
 * A ring runs straight between points on the lines that join the middles of neighbouring
 * cells, where T is interpolated; halfway towards cells that are not reached, so along the
 * border of the grid and around walls.  Cells that touch at a corner alone are joined: a
 * front passes there.  So the outline of a level lies inside those of all later levels. */
#ifndef ZM_OUTLINE_H
#define ZM_OUTLINE_H

#include <stddef.h>

#include "alloc.h"
#include "export.h"
#include "problem.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The outline of one level, and the memory to find the next.  One thread at a time per
 *  outline; any number of outlines. */
typedef struct zm_outline zm_outline;

/** A place in rows and columns: whole numbers are the middles of cells, so that the grid
 *  ends at -0.5 and rows - 0.5.  This struct is frozen. */
typedef struct zm_outline_point {
    double row, col;
} zm_outline_point;

/** A closed ring of points; the last one is not the first again.  This struct is frozen. */
typedef struct zm_outline_ring {
    /** Of zm_outline_points; n >= 4. */
    size_t begin, n;
    /** In cells.  > 0: a shell, counter-clockwise as seen with row 0 on top; < 0: a hole,
     *  clockwise. */
    double area;
    /** Of a hole the number of the ring that it is a hole of, which comes before it; of a shell
     *  its own. */
    size_t shell;
} zm_outline_ring;

/**
 * Makes an empty outline.
 *
 * @param out out  to be given to zm_outline_destroy; NULL after a failure
 * @param mem in   NULL: malloc and free.  zm_outline_find takes memory from it as needed
 * @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM
 */
ZM_API zm_status zm_outline_create(zm_outline **out, const zm_alloc *mem,
                                   zm_error *err);

/** Frees an outline; NULL is allowed. */
ZM_API void zm_outline_destroy(zm_outline *outline);

/**
 * Finds the outline of {T <= level}.  Its rings have no point in common with each other or
 * with themselves: none comes nearer than 0.02 to the middle of a cell.  A find that needs no
 * more memory than those before it allocates nothing.
 *
 * @param outline in,out  what it had before is replaced; empty after a failure
 * @param T       in      rows*cols values of type dtype; what is not finite is not reached
 * @param level   in      a number or infinity: all that was reached
 * @return ZM_OK (also where no cell is reached by then: no rings), ZM_E_ARG, ZM_E_NOMEM
 */
ZM_API zm_status zm_outline_find(zm_outline *outline, zm_grid grid, zm_dtype dtype,
                                 const void *T, double level, zm_error *err);

/** The rings of the last outline, which belong to it until the next call; *n of them. */
ZM_API const zm_outline_ring *zm_outline_rings(const zm_outline *outline, size_t *n);

/** Their points, one ring after the other; *n of all rings. */
ZM_API const zm_outline_point *zm_outline_points(const zm_outline *outline, size_t *n);

#ifdef __cplusplus
}
#endif
#endif
