/* SPDX-License-Identifier: Apache-2.0
 * Jacobi iteration: every node from the values of the iteration before. */
#include "core/fail.h"
#include "reference/field.h"

/* to = min(from, the eight triangles of `from`) in every cell that is no wall; returns
 * the largest fall of a value. */
static double iterate(const zm_reference_field *from, zm_reference_field *to)
{
    const uint8_t *walls = from->problem->walls;
    double most = 0;
    size_t cell = 0;

    for (int32_t row = 0; row < from->grid.rows; row++)
        for (int32_t col = 0; col < from->grid.cols; col++, cell++) {
            const ptrdiff_t at = row * from->stride + col;
            const double before = from->T[at];
            zm_local_cell s;
            double T[8];

            if (walls && walls[cell])
                continue;
            zm_reference_field_neighbours(from, &from->T[at], cell, T);
            s = zm_reference_field_stencil(from, cell);
            to->T[at] = zm_local_best(&s, T, before).update.T0;
            if (to->T[at] < before)
                most = fmax(most, before - to->T[at]);
        }
    return most;
}

zm_status zm_reference_jacobi(zm_grid grid, const zm_problem *problem, double *T,
                              const zm_reference_opts *opts, zm_report *report,
                              zm_error *err)
{
    const zm_reference_opts o = zm_reference_opts_read(opts);
    int32_t iterations = 0;
    bool converged = false;
    zm_reference_field f[2] = { 0 };
    zm_status st;

    ZM_TRY(zm_reference_check(grid, problem, T, &o, err));
    ZM_GO(zm_reference_field_create(&f[0], grid, problem, err));
    ZM_GO(zm_reference_field_create(&f[1], grid, problem, err));
    zm_reference_field_set_sources(&f[0]);
    while (!converged && iterations < o.max_iterations) {
        converged = iterate(&f[iterations & 1], &f[(iterations + 1) & 1]) <= o.tol;
        iterations++;
    }
    zm_reference_field_store(&f[iterations & 1], T);
    st = zm_reference_finish(grid, iterations, /* sweeps */ 1, converged, report, err);
done:
    zm_reference_field_destroy(&f[1]);
    zm_reference_field_destroy(&f[0]);
    return st;
}
