/* SPDX-License-Identifier: Apache-2.0
 * Maps of errors of three schemes over two parameters. */
#ifndef ZM_EXPERIMENTS_ERROR_MAP_H
#define ZM_EXPERIMENTS_ERROR_MAP_H

#include "experiment.h"

/** zm_forward with the eight neighbours and with adaptive stencils, the paper's. */
enum { FIXED, ADAPTIVE, ALGORITHM_1, SCHEMES };
extern const char *const scheme_names[SCHEMES];

/** In percent: the true relative L2, the paper's norm, and the largest |e|/T of the nodes
 *  on the edge of the grid, that is of all directions. */
enum { RELATIVE, PAPER, DIRECTION, MEASURES };
extern const char *const measure_names[MEASURES]; /**< in Pango markup */

typedef struct errors {
    double of[SCHEMES][MEASURES];
} errors;
void errors_keep_worst(errors *worst, errors e);

/** Rows and columns are values from 0 on, in even steps. */
typedef struct error_map {
    int rows, cols;
    double row_step, col_step;
    errors *at;
    errors *worst; /**< of each row */
} error_map;
error_map error_map_new(experiment_run *run, int rows, double row_last, int cols,
                        double col_last);
void error_map_set(error_map *m, int row, int col, errors e);

double error_map_row(const error_map *m, int row);
double error_map_col(const error_map *m, int col);

/** Worst of the row nearest to a value. */
errors error_map_worst(const error_map *m, double row_value);

/** Files NAME-fixed.npy, NAME-adaptive.npy, NAME-algorithm1.npy with the relative L2 error
 *  and the same with -direction. */
void error_map_save(experiment_run *run, const char *name, const error_map *m);

void error_map_draw(experiment_run *run, zm_plot *plot, const error_map *m, int scheme,
                    int measure, const char *x_label, const char *y_label);

/** For all schemes the range of each row against its value, and its worst. */
void error_map_draw_range(experiment_run *run, zm_plot *plot, const error_map *m,
                          int measure);

#endif
