/* SPDX-License-Identifier: Apache-2.0
 * Algorithm 1 of the paper: Gauss-Seidel sweeps over all eight triangles of every node.
 */
#include "core/fail.h"
#include "reference/field.h"

/* On the causality test.  A two-point value that is not later than both of its donors is
 * rejected, and the better one-point update is taken.  As printed (line 7: both donors <
 * T(i,j) before anything is tried) no value ever leaves a single source node, since of
 * the two donors of every triangle around it one is still INFINITY.  The rejection is no
 * minimum, so the result depends on the order of the sweeps. */

/* The closed form of zm_forward with that test. */
static double best_causal(const zm_local_cell *s, const double T[8], double bound)
{
    for (int k = 0; k < 8; k++) {
        const int next = (k + 1) & 7;

        if (T[k] < bound || T[next] < bound) {
            const zm_triangle_shape *shape = &s->shape[k & 3];
            const double S1 = T[k] + s->drift[k], S2 = T[next] + s->drift[next];
            double t = zm_triangle(shape, S1, S2).T0;

            if (!(t > T[k] && t > T[next]))
                t = fmin(S1 + shape->length1, S2 + shape->length2);
            if (t < bound)
                bound = t;
        }
    }
    return bound;
}

static bool any_earlier(const double T[8], double bound)
{
    double least = T[0];

    for (int k = 1; k < 8; k++)
        least = T[k] < least ? T[k] : least;
    return least < bound;
}

typedef struct rule {
    bool closed_form, reject;
} rule;

static double minimum(const zm_reference_field *f, size_t cell, const double T[8], double bound,
                      rule r)
{
    if (r.closed_form) {
        const zm_local_cell s = zm_reference_field_stencil(f, cell);

        return r.reject ? best_causal(&s, T, bound)
                        : zm_local_best(&s, T, bound).update.T0;
    } else {
        const zm_paper_stencil s = zm_reference_field_paper_stencil(f, cell);

        return r.reject ? zm_paper_best(&s, T, bound, true).T0
                        : zm_paper_best(&s, T, bound, false).T0;
    }
}

/* Updates one node from its eight triangles; returns by how much it fell. */
static inline double relax(zm_reference_field *f, int32_t row, int32_t col, rule r)
{
    const size_t cell = (size_t)row * (size_t)f->grid.cols + (size_t)col;
    double *T0 = &f->T[row * f->stride + col];
    const double before = *T0;
    double T[8];

    if (f->problem->walls && f->problem->walls[cell])
        return 0;
    zm_reference_field_neighbours(f, T0, cell, T);
    if (!any_earlier(T, before))
        return 0;
    *T0 = minimum(f, cell, T, before, r);
    return *T0 < before ? before - *T0 : 0;
}

/* One sweep over all nodes, along dx in each row and along dy from row to row; returns
 * the largest fall of a value. */
static double sweep(zm_reference_field *f, int32_t dx, int32_t dy, rule r)
{
    const int32_t rows = f->grid.rows, cols = f->grid.cols;
    double most = 0;

    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < cols; j++) {
            const double fall =
                relax(f, dy > 0 ? i : rows - 1 - i, dx > 0 ? j : cols - 1 - j, r);

            if (fall > most)
                most = fall;
        }
    return most;
}

/* Right, down, left, up, each starting in another corner, as the paper has it.  All
 * four go through memory row by row: with columns outermost the same corners take as
 * many rounds or one fewer, and on large grids half as long again. */
static double iterate(zm_reference_field *f, rule r)
{
    const double right = sweep(f, 1, 1, r), down = sweep(f, -1, 1, r);
    const double left = sweep(f, -1, -1, r), up = sweep(f, 1, -1, r);

    return fmax(fmax(right, down), fmax(left, up));
}

zm_status zm_reference_sweep(zm_grid grid, const zm_problem *problem, double *T,
                             const zm_reference_opts *opts, zm_report *report,
                             zm_error *err)
{
    const zm_reference_opts o = zm_reference_opts_read(opts);
    const rule r = { o.closed_form != 0, o.causality_rejection != 0 };
    int32_t iterations = 0;
    bool converged = false;
    zm_reference_field f;

    ZM_TRY(zm_reference_check(grid, problem, T, &o, err));
    ZM_TRY(zm_reference_field_create(&f, grid, problem, err));
    zm_reference_field_set_sources(&f);
    while (!converged && iterations < o.max_iterations) {
        converged = iterate(&f, r) <= o.tol;
        iterations++;
    }
    zm_reference_field_store(&f, T);
    zm_reference_field_destroy(&f);
    return zm_reference_finish(grid, iterations, /* sweeps */ 4, converged, report,
                               err);
}
