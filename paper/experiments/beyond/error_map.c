/* SPDX-License-Identifier: Apache-2.0
 * Maps of errors of three schemes over two parameters. */
#include "error_map.h"

#include <math.h>

const char *const scheme_names[SCHEMES] = { "eight neighbours", "adaptive stencils",
                                            "Algorithm 1" };

const char *const measure_names[MEASURES] = {
    [RELATIVE] = "relative <i>L</i><sub>2</sub> error [%]",
    [PAPER] = "RMS error over largest <i>T</i> [%]",
    [DIRECTION] = "largest |<i>e</i>|/<i>T</i> at the edge [%]"
};

void errors_keep_worst(errors *worst, errors e)
{
    for (int s = 0; s < SCHEMES; s++)
        for (int k = 0; k < MEASURES; k++)
            worst->of[s][k] = fmax(worst->of[s][k], e.of[s][k]);
}

error_map error_map_new(experiment_run *run, int rows, double row_last, int cols,
                        double col_last)
{
    return (error_map){ .rows = rows,
                        .cols = cols,
                        .row_step = row_last / (rows - 1),
                        .col_step = col_last / (cols - 1),
                        .at = run_memory(run, (size_t)(rows * cols), sizeof(errors)),
                        .worst = run_memory(run, (size_t)rows, sizeof(errors)) };
}

void error_map_set(error_map *m, int row, int col, errors e)
{
    m->at[row * m->cols + col] = e;
    errors_keep_worst(&m->worst[row], e);
}

double error_map_row(const error_map *m, int row)
{
    return row * m->row_step;
}

double error_map_col(const error_map *m, int col)
{
    return col * m->col_step;
}

errors error_map_worst(const error_map *m, double row_value)
{
    return m->worst[lround(row_value / m->row_step)];
}

static double *values_of(experiment_run *run, const error_map *m, int scheme,
                         int measure)
{
    const size_t n = (size_t)(m->rows * m->cols);
    double *values = field_new(run, n);

    for (size_t i = 0; i < n; i++)
        values[i] = m->at[i].of[scheme][measure];
    return values;
}

void error_map_save(experiment_run *run, const char *name, const error_map *m)
{
    static const char *const files[SCHEMES] = { "fixed", "adaptive", "algorithm1" };

    for (int s = 0; s < SCHEMES; s++) {
        run_save(run, run_text(run, "%s-%s", name, files[s]),
                 values_of(run, m, s, RELATIVE), (size_t)m->rows, (size_t)m->cols);
        run_save(run, run_text(run, "%s-%s-direction", name, files[s]),
                 values_of(run, m, s, DIRECTION), (size_t)m->rows, (size_t)m->cols);
    }
}

void error_map_draw(experiment_run *run, zm_plot *plot, const error_map *m, int scheme,
                    int measure, const char *x_label, const char *y_label)
{
    static const double levels[] = { 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500 };
    const double *values = values_of(run, m, scheme, measure);

    zm_plot_set_grid(plot, (zm_grid){ m->rows, m->cols, m->col_step, m->row_step }, 0,
                     0);
    ZM_PLOT_AXES(plot, .title = scheme_names[scheme], .x.label = x_label,
                 .y.label = y_label, .y.direction = ZM_DIRECTION_UP, .aspect = 0.8);
    ZM_PLOT_IMAGE(plot, .values = values,
                  .colors = { .scale = ZM_SCALE_LOG,
                              .min = measure == DIRECTION ? 1 : 0.02,
                              .max = measure == DIRECTION ? 1000 : 20,
                              .label = measure_names[measure] });
    ZM_PLOT_CONTOURS(plot, .values = values, .levels = levels,
                     .n_levels = sizeof levels / sizeof *levels);
}

void error_map_draw_range(experiment_run *run, zm_plot *plot, const error_map *m,
                          int measure)
{
    const size_t n = (size_t)m->rows;
    double *x = field_new(run, n);

    for (int row = 0; row < m->rows; row++)
        x[row] = error_map_row(m, row);
    for (int s = 0; s < SCHEMES; s++) {
        double *worst = field_new(run, n), *best = field_new(run, n);

        for (int row = 0; row < m->rows; row++) {
            worst[row] = m->worst[row].of[s][measure];
            best[row] = INFINITY;
            for (int col = 0; col < m->cols; col++)
                best[row] = fmin(best[row], m->at[row * m->cols + col].of[s][measure]);
        }
        ZM_PLOT_BAND(plot, .x = x, .low = best, .high = worst, .n = n);
        ZM_PLOT_LINE(plot, .x = x, .y = worst, .n = n,
                     .marker = (zm_plot_marker[]){ ZM_MARKER_DOT, ZM_MARKER_SQUARE,
                                                   ZM_MARKER_RING }[s],
                     .dash = s == ALGORITHM_1 ? ZM_DASH_DASHED : ZM_DASH_SOLID,
                     .label = run_text(run, "%s, worst angle", scheme_names[s]));
    }
}
