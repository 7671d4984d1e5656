/* SPDX-License-Identifier: Apache-2.0
 * The unit of time of a solve. */
#include "eikonal/problem/unit.h"

#include "core/fail.h"

/* Within this power of two the caller's unit is good enough. */
enum { SLACK = 16 };

/* Units of times that numbers of a type hold in full, with room for shorter steps in fast cells
 * and for long ways: powers of two. */
enum { LEAST_F64 = -960, MOST_F64 = 1000, LEAST_F32 = -96, MOST_F32 = 116 };

/* x = m 2^e, and the square root of that; exact for every power of two in x. */
static double root_frexp(double x, int *e)
{
    double m = frexp(x, e);

    if (*e % 2 != 0) {
        m *= 2;
        *e -= 1;
    }
    *e /= 2;
    return sqrt(m);
}

double zm_unit_of(zm_grid grid, const zm_cell_metric *m)
{
    int of_metric, of_spacing, of_step, exponent;
    double step;

    if (!(m->g11 > 0) || isinf(m->g11))
        return 1;
    step = root_frexp(m->g11, &of_metric);
    step *= frexp(grid.dx, &of_spacing);
    frexp(step, &of_step);
    exponent = of_metric + of_spacing + of_step;
    return exponent >= -SLACK && exponent <= SLACK ? 1 : ldexp(1, exponent);
}

zm_status zm_unit_check(zm_dtype dtype, double unit, size_t cell, zm_error *err)
{
    const int least = dtype == ZM_F32 ? LEAST_F32 : LEAST_F64;
    const int most = dtype == ZM_F32 ? MOST_F32 : MOST_F64;

    if (unit >= ldexp(1, least) && unit <= ldexp(1, most))
        return ZM_OK;
    return zm_fail(
        err, ZM_E_METRIC, (int64_t)cell,
        "metric and spacing at the first source make times that are out of the "
        "range of %s numbers (%.0e a cell, must be within %.0e and %.0e): use "
        "other units",
        zm_dtype_name(dtype), unit, ldexp(1, least), ldexp(1, most));
}

zm_status zm_unit_check_sources(const zm_problem *problem, double unit, zm_error *err)
{
    for (size_t i = 0; i < problem->n_sources; i++)
        if (!(fabs(problem->sources[i].time) / unit < ldexp(1, MOST_F64)))
            return zm_fail(
                err, ZM_E_SOURCE, -1,
                "source %zu starts at time %g, where a cell takes about %.0e: use "
                "times nearer to 0",
                i, problem->sources[i].time, unit);
    return ZM_OK;
}

zm_status zm_unit_check_derivatives(zm_dtype dtype, zm_grid grid, double unit,
                                    bool metric, bool drift, zm_error *err)
{
    const double most = ldexp(1, dtype == ZM_F32 ? MOST_F32 : MOST_F64),
                 least = 1 / most;
    const double spacing[2] = { grid.dx, grid.dy };

    for (int i = 0; i < 2; i++) {
        const double by_drift = spacing[i], by_metric = spacing[i] / unit * spacing[i];

        if ((metric && !(by_metric >= least && by_metric <= most)) ||
            (drift && !(by_drift >= least && by_drift <= most)))
            return zm_fail(
                err, ZM_E_UNSUPPORTED, -1,
                "derivatives of a time are about %.0e with respect to the metric "
                "and %.0e with respect to the drift, out of the range of %s "
                "numbers: use other units",
                by_metric, by_drift, zm_dtype_name(dtype));
    }
    return ZM_OK;
}

zm_status zm_unit_find(zm_grid grid, const zm_problem *problem, double *unit,
                       zm_error *err)
{
    const size_t cell = zm_source_cell(grid, &problem->sources[0]);
    const zm_cell_metric m = zm_metric_at(&problem->metric, cell);

    *unit = zm_unit_of(grid, &m);
    ZM_TRY(zm_unit_check(problem->metric.dtype, *unit, cell, err));
    return zm_unit_check_sources(problem, *unit, err);
}

zm_status zm_unit_fail_store(zm_dtype dtype, zm_error *err)
{
    return zm_fail(err, ZM_E_METRIC, -1,
                   "times are out of the range of %s numbers: use other units, and "
                   "walls for cells that nothing should cross",
                   zm_dtype_name(dtype));
}
