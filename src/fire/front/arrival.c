/* SPDX-License-Identifier: Apache-2.0
 * Arrival times of a fire and their derivatives. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/options.h"
#include "fire/front/change.h"
#include "fire/front/spotting.h"

zm_status zm_front_need_fire(const zm_physics *p, zm_error *err)
{
    if (!p->has_fire)
        return zm_fail(err, ZM_E_STATE, -1, "no fire: call zm_physics_set_fire first");
    return ZM_OK;
}

zm_status zm_front_sources_check(const zm_physics *p, const zm_source *sources,
                                 size_t n, zm_error *err)
{
    if (n == 0)
        return zm_fail(err, ZM_E_SOURCE, -1, "no sources");
    for (size_t i = 0; i < n; i++) {
        const zm_source *s = &sources[i];
        const bool whole = s->row == floor(s->row) && s->col == floor(s->col);

        if (!(s->row >= 0 && s->row <= p->land.rows - 1 && s->col >= 0 &&
              s->col <= p->land.cols - 1))
            return zm_fail(err, ZM_E_SOURCE, -1,
                           "source %zu at (%g, %g) is outside the landscape of %d x %d",
                           i, s->row, s->col, (int)p->land.rows, (int)p->land.cols);
        if (!(s->time >= 0 && s->time < HUGE_VAL))
            return zm_fail(err, ZM_E_SOURCE, -1,
                           "source %zu has time %g h, must be finite and at least 0", i,
                           s->time);
        if (!whole)
            return zm_fail(err, ZM_E_SOURCE, -1,
                           "source %zu at (%g, %g) is not in the middle of a cell", i,
                           s->row, s->col);
    }
    return ZM_OK;
}

/* FARSITE starts a fire as an octagon of one cell radius: the block of 3 x 3 cells counts as
 * burned at time 0, and the centres of the middle and its four neighbours are in it.  A point
 * fire covers R (t - 1/a) when its acceleration is over (McAlpine and Wakimoto 1991): its
 * start is late by 1/a. */
static size_t ignition(const zm_physics *p, zm_source sources[5])
{
    static const int32_t step[5][2] = {
        { 0, 0 }, { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 }
    };
    const double late = zm_front_late(p);
    size_t n = 0;

    for (int i = 0; i < 5; i++) {
        const int32_t r = p->fire.row + step[i][0], c = p->fire.col + step[i][1];

        if (r >= 0 && c >= 0 && r < p->land.rows && c < p->land.cols &&
            !zm_front_barred(p, zm_cell_number(p, r, c), 0))
            sources[n++] = (zm_source){ r, c, late };
    }
    return n;
}

static bool burns_never(const zm_physics *p, int32_t row, int32_t col)
{
    return !p->beds[zm_fuel_at(p, row, col)].burns;
}

void zm_front_set_walls(zm_physics *p)
{
    for (int32_t row = 0; row < p->land.rows; row++)
        for (int32_t col = 0; col < p->land.cols; col++)
            p->walls[zm_cell_number(p, row, col)] =
                burns_never(p, row, col) ||
                zm_front_barred(p, zm_cell_number(p, row, col), 0);
    for (size_t i = 0; i < p->problem.n_sources; i++)
        p->walls[zm_cell_number(p, (int32_t)p->sources[i].row,
                                (int32_t)p->sources[i].col)] = 0;
}

/* Sources, or the ignition of the fire, and with them the problem.  Nothing enters fuel that never
 * burns: a wall, which the front need not try again every hour.  What is set on fire there burns
 * for itself. */
static zm_status set_problem(zm_physics *p, const zm_source *sources, size_t n,
                             zm_error *err)
{
    zm_source block[5];

    p->lit_as_block = !sources;
    if (!sources) {
        ZM_TRY(zm_front_ignition_check(p, err));
        n = ignition(p, block);
    }
    zm_release(&p->mem, p->sources);
    p->sources = NULL;
    ZM_TRY(zm_front_sources_outside_barriers(p, sources ? sources : block, n,
                                             &p->sources, &n, err));
    p->n_lit = n;
    p->problem = (zm_problem){ .size = sizeof(zm_problem),
                               .n_intervals = (size_t)zm_front_hours(p),
                               .starts = p->starts,
                               .fill = zm_front_metric_window,
                               .fill_ctx = p,
                               .sources = p->sources,
                               .n_sources = n,
                               .walls = p->walls };
    zm_front_set_walls(p);
    return ZM_OK;
}

/* ---- cells that cannot burn but that the fire closes over
 *
 * FARSITE's front is a polygon with a point every two cells: it cuts across what juts into it.
 * A cell is inside once n of its eight neighbours burn that stand in a row around it, or two
 * of its sides that meet and the corner between them. */

/* Side, corner, side. */
enum { CORNER = 3 };

/* The eight neighbours around a cell: even ones at its corners, odd ones at its sides. */
static const int32_t RING[8][2] = { { -1, -1 }, { -1, 0 }, { -1, 1 }, { 0, 1 },
                                    { 1, 1 },   { 1, 0 },  { 1, -1 }, { 0, -1 } };

static double time_at(const zm_physics *p, const double *T, int32_t row, int32_t col,
                      size_t *cell)
{
    if (row < 0 || col < 0 || row >= p->land.rows || col >= p->land.cols)
        return INFINITY;
    *cell = zm_cell_number(p, row, col);
    return T[*cell];
}

/* The neighbour with which the first row of burned neighbours becomes complete, or false. */
static bool closing_neighbour(const zm_physics *p, const double *T, int32_t row,
                              int32_t col, size_t *out)
{
    size_t cells[8] = { 0 };
    double times[8], first = INFINITY;

    for (int i = 0; i < 8; i++)
        times[i] = time_at(p, T, row + RING[i][0], col + RING[i][1], &cells[i]);
    for (int start = 0; start < 8; start++) {
        const int n =
            start % 2 && p->opts.enclosed > CORNER ? CORNER : p->opts.enclosed;
        int last = start;

        for (int i = start + 1; i < start + n; i++)
            if (times[i % 8] > times[last % 8])
                last = i;
        if (times[last % 8] < first) {
            first = times[last % 8];
            *out = cells[last % 8];
        }
    }
    return first < INFINITY;
}

/* Notes them in p->enclosed, or counts them where that is NULL. */
static size_t find(const zm_physics *p, const double *T, zm_enclosed *out)
{
    size_t n = 0, neighbour;

    for (int32_t row = 0; row < p->land.rows; row++)
        for (int32_t col = 0; col < p->land.cols; col++) {
            const size_t cell = zm_cell_number(p, row, col);

            if (T[cell] < INFINITY || !burns_never(p, row, col) ||
                zm_front_barred(p, cell, p->t_max) ||
                !closing_neighbour(p, T, row, col, &neighbour))
                continue;
            if (out)
                out[n] = (zm_enclosed){ cell, neighbour };
            n++;
        }
    return n;
}

static zm_status enclosed_times(zm_physics *p, double *T, zm_error *err)
{
    const size_t n = p->opts.enclosed > 0 ? find(p, T, NULL) : 0;

    zm_release(&p->mem, p->enclosed);
    p->enclosed = NULL;
    p->n_enclosed = 0;
    if (n == 0)
        return ZM_OK;
    p->enclosed = zm_block(&p->mem, n, sizeof *p->enclosed);
    if (!p->enclosed)
        return zm_fail(err, ZM_E_NOMEM, -1, "%zu cells that do not burn", n);
    p->n_enclosed = find(p, T, p->enclosed);
    for (size_t i = 0; i < n; i++)
        T[p->enclosed[i].cell] = T[p->enclosed[i].neighbour];
    return ZM_OK;
}

/* ---- times ------------------------------------------------------------------------ */

zm_status zm_front_solve(zm_physics *p, double *T, zm_error *err)
{
    const size_t n = (size_t)p->land.rows * (size_t)p->land.cols;
    zm_forward_opts opts = ZM_FORWARD_OPTS_INIT;
    zm_status st, solved;

    opts.t_max = p->t_max;
    /* A barrier that comes up later is a wall for what arrives after that; then what was behind it
     * may be later too, and reach others too late.  Walls only become more. */
    do {
        ZM_GO(solved =
                  zm_forward(p->solver, &p->problem, p->travel_time, &opts, NULL, err));
    } while (zm_front_barriers_close(p, p->travel_time, p->walls) > 0);
    memcpy(T, p->travel_time, n * sizeof *T);
    st = solved;
done:
    return st;
}

/* Minimum travel times to T, and what their derivatives need.  ZM_NOT_CONVERGED is usable. */
static zm_status solve_travel_time(zm_physics *p, double *T, zm_error *err)
{
    zm_status st, solved;

    ZM_GO(solved = p->spotting.probability > 0 ? zm_front_solve_spotting(p, T, err)
                                               : zm_front_solve(p, T, err));
    ZM_GO(enclosed_times(p, T, err));
    p->has_travel_time = true;
    st = solved;
done:
    return st;
}

zm_status zm_physics_spotting(const zm_physics *p, zm_spotting_report *report,
                              zm_error *err)
{
    ZM_TRY(zm_options_check_report(report, "zm_spotting_report", err));
    if (!p->has_times)
        return zm_fail(err, ZM_E_STATE, -1, "no times: call zm_physics_arrival first");
    zm_options_write_report(report, &p->spots, sizeof p->spots);
    return ZM_OK;
}

zm_status zm_physics_arrival(zm_physics *p, const zm_source *sources, size_t n_sources,
                             double t_max, double *T, zm_error *err)
{
    zm_status st;

    ZM_GO(zm_front_need_fire(p, err));
    if (!(t_max >= 0))
        return zm_fail(err, ZM_E_ARG, -1, "t_max %g h, must be at least 0", t_max);
    if (!sources && p->fire.n_sources > 0) {
        sources = p->fire.sources;
        n_sources = p->fire.n_sources;
    }
    p->has_times = p->has_travel_time = false;
    p->spots = (zm_spotting_report)ZM_SPOTTING_REPORT_INIT;
    ZM_GO(set_problem(p, sources, n_sources, err));
    p->t_max = t_max;
    if (p->opts.front == ZM_FRONT_MARKERS) {
        ZM_GO(zm_physics_markers(p, sources, n_sources, t_max, T, NULL, err));
    } else {
        ZM_GO(solve_travel_time(p, T, err));
        if (p->lit_as_block)
            zm_front_clear_ignition(p, T);
    }
    p->has_times = true;
done:
    return st;
}

zm_status zm_front_need_travel_time(zm_physics *p, zm_error *err)
{
    const size_t n = (size_t)p->land.rows * (size_t)p->land.cols;
    double *T;
    zm_status st;

    if (!p->has_fire || !p->has_times)
        return zm_fail(err, ZM_E_STATE, -1, "no times: call zm_physics_arrival first");
    if (p->has_travel_time)
        return ZM_OK;
    T = zm_block(&p->mem, n, sizeof *T);
    if (!T)
        return zm_fail(err, ZM_E_NOMEM, -1, "times of %zu cells", n);
    st = solve_travel_time(p, T, err);
    zm_release(&p->mem, T);
    return st;
}

zm_status zm_physics_tangent(zm_physics *p, const zm_physics_change *change, double *dT,
                             zm_error *err)
{
    zm_physics_change copy = ZM_PHYSICS_CHANGE_INIT; /* only read */
    zm_change_pass pass;
    zm_status st;

    st = zm_front_need_travel_time(p, err);
    if (st >= 0)
        st = zm_options_read(&copy, sizeof copy, change, "zm_physics_change", err);
    if (st >= 0)
        st = zm_change_open(&pass, p, &copy, true, err);
    if (st == ZM_OK) {
        const zm_direction direction = { .size = sizeof direction,
                                         .fill = zm_change_window,
                                         .fill_ctx = &pass };

        st = zm_tangent(p->solver, &p->problem, p->travel_time, &direction, dT, err);
        for (size_t i = 0; st >= 0 && i < p->n_enclosed; i++)
            dT[p->enclosed[i].cell] = dT[p->enclosed[i].neighbour];
        if (st >= 0 && p->lit_as_block)
            zm_front_clear_ignition(p, dT);
        zm_change_close(&pass);
    }
    return st;
}

zm_status zm_physics_adjoint(zm_physics *p, const double *dL_dT,
                             zm_physics_change *change, zm_error *err)
{
    const size_t n = (size_t)p->land.rows * (size_t)p->land.cols;
    zm_change_pass pass;
    double *lambda;
    zm_status st;

    ZM_TRY(zm_front_need_travel_time(p, err));
    lambda = zm_block(&p->mem, n, sizeof *lambda);
    if (!lambda)
        return zm_fail(err, ZM_E_NOMEM, -1, "derivatives of %zu cells", n);
    st = zm_change_open(&pass, p, change, false, err);
    if (st == ZM_OK) {
        const zm_gradient out = { .size = sizeof out,
                                  .take = zm_change_take,
                                  .take_ctx = &pass };

        memcpy(lambda, dL_dT, n * sizeof *lambda);
        if (p->lit_as_block)
            zm_front_clear_ignition(p, lambda);
        for (size_t i = 0; i < p->n_enclosed; i++)
            lambda[p->enclosed[i].neighbour] += lambda[p->enclosed[i].cell];
        st = zm_adjoint(p->solver, &p->problem, p->travel_time, lambda, &out, err);
        if (st >= 0) {
            const zm_status gathered = zm_change_gather(&pass, err);

            st = gathered < 0 ? gathered : st;
        }
        zm_change_close(&pass);
    }
    zm_release(&p->mem, lambda);
    return st;
}
