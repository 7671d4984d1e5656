/* SPDX-License-Identifier: Apache-2.0
 * Checks of grids, sources and metrics; sources from a mask. */
#include "eikonal/problem/problem.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/options.h"
#include "core/products.h"
#include "eikonal/problem/intervals.h"

size_t zm_dtype_size(zm_dtype dtype)
{
    return dtype == ZM_F32 ? sizeof(float) : sizeof(double);
}

bool zm_grid_cells(zm_grid grid, size_t *n)
{
    const int64_t cells = (int64_t)grid.rows * grid.cols;

    if (grid.rows < 1 || grid.cols < 1 || cells > ZM_MOST_CELLS)
        return false;
    *n = (size_t)cells;
    return true;
}

zm_status zm_grid_check(zm_grid grid, zm_error *err)
{
    size_t n;

    if (grid.rows < 1 || grid.cols < 1)
        return zm_fail(err, ZM_E_ARG, -1,
                       "grid of %d rows and %d cols, needs at least 1", (int)grid.rows,
                       (int)grid.cols);
    if (!zm_grid_cells(grid, &n))
        return zm_fail(err, ZM_E_ARG, -1,
                       "grid of %d rows and %d cols has %lld cells, more than the %d that "
                       "engines can number in 32 bits",
                       (int)grid.rows, (int)grid.cols,
                       (long long)grid.rows * grid.cols, (int)ZM_MOST_CELLS);
    if (!(grid.dx > 0 && grid.dy > 0 && isfinite(grid.dx) && isfinite(grid.dy)))
        return zm_fail(err, ZM_E_ARG, -1,
                       "spacing dx = %g, dy = %g, must be positive and finite", grid.dx,
                       grid.dy);
    return ZM_OK;
}

static zm_status check_planes(const zm_metric *m, zm_error *err)
{
    if (m->dtype != ZM_F64 && m->dtype != ZM_F32)
        return zm_fail(err, ZM_E_ARG, -1, "metric dtype %d, must be ZM_F64 or ZM_F32",
                       (int)m->dtype);
    if (!m->g11)
        return zm_fail(err, ZM_E_ARG, -1, "metric plane g11 is NULL");
    if (!m->b1 != !m->b2)
        return zm_fail(err, ZM_E_ARG, -1,
                       "drift plane %s is NULL, give both b1 and b2 or neither",
                       m->b1 ? "b2" : "b1");
    return ZM_OK;
}

zm_status zm_problem_check_whole(const zm_problem *problem, zm_error *err)
{
    for (size_t i = 0; i < problem->n_sources; i++) {
        const zm_source *s = &problem->sources[i];

        if (s->row != floor(s->row) || s->col != floor(s->col))
            return zm_fail(
                err, ZM_E_SOURCE, -1,
                "source %zu at row %.9g, col %.9g, must be whole numbers here; "
                "solvers with adaptive stencils take sources between cells",
                i, s->row, s->col);
    }
    return ZM_OK;
}

zm_status zm_source_in_wall(zm_grid grid, const zm_source *s, size_t i, zm_error *err)
{
    return zm_fail(err, ZM_E_SOURCE, (int64_t)zm_source_cell(grid, s),
                   "source %zu at row %.9g, col %.9g is in a wall", i, s->row, s->col);
}

zm_status zm_source_check(zm_grid grid, const zm_source *s, size_t i,
                          const uint8_t *walls, zm_error *err)
{
    size_t cell;

    if (!zm_place_inside(grid, s->row, s->col))
        return zm_fail(err, ZM_E_SOURCE, -1,
                       "source %zu at row %.9g, col %.9g, must be in 0..%d and 0..%d",
                       i, s->row, s->col, (int)grid.rows - 1, (int)grid.cols - 1);
    cell = zm_source_cell(grid, s);
    if (walls && walls[cell])
        return zm_source_in_wall(grid, s, i, err);
    if (!isfinite(s->time))
        return zm_fail(err, ZM_E_SOURCE, (int64_t)cell,
                       "source %zu at row %.9g, col %.9g starts at time %g, must be "
                       "finite",
                       i, s->row, s->col, s->time);
    return ZM_OK;
}

zm_status zm_problem_read_at(zm_problem *problem, const zm_problem *array, size_t i,
                             zm_error *err)
{
    *problem = (zm_problem)ZM_PROBLEM_INIT;
    if (!array)
        return zm_fail(err, ZM_E_ARG, -1, "problem is NULL");
    return zm_options_read_at(problem, sizeof *problem, array, i, "zm_problem", err);
}

zm_status zm_problem_check_dtype(const zm_problem *problem, zm_dtype dtype,
                                 zm_error *err)
{
    if (problem->n_intervals > 0)
        return zm_intervals_check_dtype(problem, dtype, err);
    if (problem->metric.dtype == dtype)
        return ZM_OK;
    return zm_fail(err, ZM_E_ARG, -1, "metric is %s, the solver was made for %s",
                   zm_dtype_name(problem->metric.dtype), zm_dtype_name(dtype));
}

void zm_source_winners(zm_grid grid, const zm_problem *p, uint32_t *winner)
{
    for (size_t i = 0; i < p->n_sources; i++)
        winner[zm_source_cell(grid, &p->sources[i])] = UINT32_MAX;
    for (size_t i = 0; i < p->n_sources; i++) {
        uint32_t *w = &winner[zm_source_cell(grid, &p->sources[i])];

        if (!(*w < p->n_sources) || p->sources[i].time < p->sources[*w].time)
            *w = (uint32_t)i;
    }
}

zm_status zm_problem_check_sources(zm_grid grid, const zm_source *sources,
                                   size_t n_sources, const uint8_t *walls,
                                   zm_error *err)
{
    zm_status st = ZM_OK;

    if (n_sources < 1 || !sources)
        return zm_fail(err, ZM_E_SOURCE, -1, "no source given, needs at least 1");
    for (size_t i = 0; st >= 0 && i < n_sources; i++)
        st = zm_source_check(grid, &sources[i], i, walls, err);
    return st;
}

zm_status zm_problem_check_shape(zm_grid grid, const zm_problem *problem, zm_error *err)
{
    zm_status st;

    ZM_TRY(zm_grid_check(grid, err));
    if (!problem)
        return zm_fail(err, ZM_E_ARG, -1, "problem is NULL");
    if (problem->n_intervals > 0 ? (st = zm_intervals_check(problem, err)) < 0
                                 : (st = check_planes(&problem->metric, err)) < 0)
        return st;
    return zm_problem_check_sources(grid, problem->sources, problem->n_sources,
                                    problem->walls, err);
}

/* First cell at or after i that the mask has; n if there is none.  Masks are mostly empty:
 * eight bytes at a time. */
static size_t next_in_mask(const uint8_t *mask, size_t i, size_t n)
{
    uint64_t eight;

    while (i < n) {
        if (n - i >= sizeof eight) {
            memcpy(&eight, mask + i, sizeof eight);
            if (!eight) {
                i += sizeof eight;
                continue;
            }
        }
        if (mask[i])
            return i;
        i++;
    }
    return n;
}

zm_status zm_sources_from_mask(zm_grid grid, const uint8_t *mask, double time,
                               zm_source *sources, size_t capacity, size_t *count,
                               zm_error *err)
{
    size_t n = 0, found = 0, next = 0;

    ZM_TRY(zm_grid_check(grid, err));
    if (!mask || !count)
        return zm_fail(err, ZM_E_ARG, -1, "source %s is NULL", mask ? "count" : "mask");
    if (!isfinite(time))
        return zm_fail(err, ZM_E_ARG, -1, "source time %g, must be finite", time);
    zm_grid_cells(grid, &n);
    for (size_t i = next_in_mask(mask, 0, n); i < n; i = next_in_mask(mask, i + 1, n))
        found++;
    *count = found;
    if (!sources)
        return ZM_OK;
    if (found > capacity)
        return zm_fail(err, ZM_E_ARG, -1, "mask has %zu sources, room for %zu", found,
                       capacity);
    for (size_t i = next_in_mask(mask, 0, n); i < n; i = next_in_mask(mask, i + 1, n))
        sources[next++] = (zm_source){ (double)(i / (size_t)grid.cols),
                                       (double)(i % (size_t)grid.cols), time };
    return ZM_OK;
}

/* The metric in a unit in which its products are in the range of numbers.  A power of two: the
 * answer is the same. */
static zm_cell_metric in_range(const zm_cell_metric *m, int *exponent)
{
    frexp(fmax(fabs(m->g11), fabs(m->g22)), exponent);
    *exponent = *exponent / 2;
    return (zm_cell_metric){ ldexp(m->g11, -2 * *exponent),
                             ldexp(m->g12, -2 * *exponent),
                             ldexp(m->g22, -2 * *exponent), ldexp(m->b1, -*exponent),
                             ldexp(m->b2, -*exponent) };
}

/* G is positive definite: g11 > 0, g22 > 0, det > 0, and in double det must not
 * overflow. */
static bool is_positive_definite(const zm_cell_metric *m, double *det)
{
    *det = zm_difference_of_products(m->g11, m->g22, m->g12, m->g12);
    return m->g11 > 0 && m->g22 > 0 && *det > 0 && isfinite(*det);
}

/* Squared drift norm, by completing the square so that nothing cancels:
 *
 *     |b|_{G^-1}^2 = (b1^2 g22 - 2 b1 b2 g12 + b2^2 g11) / det
 *                  = (b1^2 + (g11 b2 - g12 b1)^2 / det) / g11. */
static double drift_norm2(const zm_cell_metric *m, double det)
{
    const double u = zm_difference_of_products(m->g11, m->b2, m->g12, m->b1);

    return (m->b1 * m->b1 + u * u / det) / m->g11;
}

static zm_status not_finite(zm_grid grid, const zm_cell_metric *m, size_t cell,
                            zm_error *err)
{
    const struct {
        const char *name;
        double value;
    } values[] = { { "g11", m->g11 },
                   { "g12", m->g12 },
                   { "g22", m->g22 },
                   { "b1", m->b1 },
                   { "b2", m->b2 } };
    size_t i = 0;

    while (i < 4 && isfinite(values[i].value))
        i++;
    return zm_fail(err, ZM_E_METRIC, (int64_t)cell,
                   "%s is %s at row %zu, col %zu, must be finite", values[i].name,
                   isnan(values[i].value) ? "nan" : "infinite",
                   cell / (size_t)grid.cols, cell % (size_t)grid.cols);
}

zm_status zm_cell_check(zm_grid grid, zm_cell_metric m, size_t cell, zm_error *err)
{
    const size_t row = cell / (size_t)grid.cols, col = cell % (size_t)grid.cols;
    zm_cell_metric near;
    double det, norm2;
    int exponent;

    if (!isfinite(m.g11) || !isfinite(m.g12) || !isfinite(m.g22) || !isfinite(m.b1) ||
        !isfinite(m.b2))
        return not_finite(grid, &m, cell, err);
    near = in_range(&m, &exponent);
    if (!is_positive_definite(&near, &det))
        return zm_fail(err, ZM_E_METRIC, (int64_t)cell,
                       "metric not positive definite at row %zu, col %zu: g11 = %.9g, "
                       "g12 = %.9g, g22 = %.9g, determinant %.9g, must be > 0%s",
                       row, col, m.g11, m.g12, m.g22, ldexp(det, 4 * exponent),
                       isfinite(det) ? "" : " and finite");
    norm2 = drift_norm2(&near, det);
    if (!(norm2 < 1))
        return zm_fail(err, ZM_E_METRIC, (int64_t)cell,
                       "drift norm %.9g at row %zu, col %zu, must be < 1: b1 = %.9g, "
                       "b2 = %.9g, g11 = %.9g, g12 = %.9g, g22 = %.9g",
                       sqrt(norm2), row, col, m.b1, m.b2, m.g11, m.g12, m.g22);
    return ZM_OK;
}

zm_status zm_cell_check_folded(zm_grid grid, zm_cell_metric m,
                               const zm_cell_metric *folded, size_t cell, zm_error *err)
{
    ZM_TRY(zm_cell_check(grid, m, cell, err));
    if (zm_cell_in_range(folded))
        return ZM_OK;
    return zm_fail(err, ZM_E_METRIC, (int64_t)cell,
                   "metric at row %zu, col %zu (g11 = %g, g22 = %g) is %.0e times off that "
                   "of the first source or more: use walls for cells that nothing should "
                   "cross",
                   cell / (size_t)grid.cols, cell % (size_t)grid.cols, m.g11, m.g22,
                   ZM_CELL_LARGEST);
}

zm_status zm_problem_check(zm_grid grid, const zm_problem *given, zm_error *err)
{
    zm_problem problem;
    size_t n = 0;
    zm_status st;

    ZM_TRY(zm_grid_check(grid, err));
    ZM_TRY(zm_problem_read(&problem, given, err));
    if (problem.n_intervals > 0) {
        st = zm_intervals_check(&problem, err);
        return st < 0 ? st : zm_intervals_check_metrics(grid, &problem, err);
    }
    ZM_TRY(check_planes(&problem.metric, err));
    zm_grid_cells(grid, &n);
    for (size_t cell = 0; cell < n; cell++) {
        if (problem.walls && problem.walls[cell])
            continue;
        ZM_TRY(zm_cell_check(grid, zm_metric_at(&problem.metric, cell), cell, err));
    }
    return ZM_OK;
}

zm_status zm_nonfinite_check(zm_nonfinite nonfinite, zm_error *err)
{
    if (nonfinite == ZM_NONFINITE_REFUSE || nonfinite == ZM_NONFINITE_PROPAGATE)
        return ZM_OK;
    return zm_fail(err, ZM_E_ARG, -1,
                   "nonfinite %d, must be ZM_NONFINITE_REFUSE or ZM_NONFINITE_PROPAGATE",
                   (int)nonfinite);
}
