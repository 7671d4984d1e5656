/* SPDX-License-Identifier: Apache-2.0
 * What all verbs that solve have in common: their options and the problem read from files. */
#ifndef ZM_CLI_INPUTS_H
#define ZM_CLI_INPUTS_H

#include "option.h"
#include "value.h"
#include "zermelo/forward.h"
#include "zermelo/npy.h"

/** First member of the settings of every verb that solves. */
typedef struct problem_settings {
    const char *metric, *drift, *source_mask, *walls;
    source_list sources;
    const char *targets;
    source_list until; /**< cells to be reached; times unused */
    spacing spacing;
    dtype_choice dtype;
    zm_solver_opts
        solver; /**< stencils, order, factor_radius, periodic */
    zm_forward_opts forward; /**< t_max, tol, max_iterations, max_cells */
    int32_t threads, repeat;
    bool quiet;
    const char *json;
} problem_settings;
#define PROBLEM_DEFAULTS                                                               \
    {                                                                                  \
        .spacing = { 1, 1 },                                                           \
        .solver = ZM_SOLVER_OPTS_INIT, .forward = ZM_FORWARD_OPTS_INIT, .threads = 1,  \
        .repeat = 1                                                                    \
    }

extern const option_table problem_options, scheme_options, solver_options;

/** Conventions that every help text repeats. */
#define CONVENTIONS                                                                    \
    "Fields are [row][col]: x runs along columns, y along rows downwards. Moving by "  \
    "v "                                                                               \
    "costs F(v) = sqrt(v' G v) - b.v, so the front is faster along +b."

typedef struct inputs {
    zm_grid grid;
    zm_dtype dtype;
    bool isotropic; /**< the metric has one plane */
    zm_npy metric, drift, walls;
    source_list sources; /**< of the command line, then of the mask, row by row */
    uint8_t *targets;    /**< cells to be reached; NULL: all */
    zm_problem problem;  /**< points into the above */
} inputs;

/** Reads the files.  DONE, or another exit status after a message. */
int inputs_read(inputs *in, const problem_settings *settings);

void inputs_free(inputs *in);

/** `release` of the verbs: settings begin with a problem_settings. */
void problem_settings_release(void *settings);

/** Cells of the grid. */
size_t cells_of(const inputs *in);

/** Type of the files that go with the solver's dtype. */
zm_npy_type file_type(zm_dtype dtype);

/** Reads an array of any shape. */
int read_array(const char *option_name, const char *path, zm_npy_type type, zm_npy *out);

/** Reads `planes` fields (1: shape (rows, cols)) that must fit the grid. */
int read_fields(const char *option_name, const char *path, const inputs *in,
                zm_npy_type type, size_t planes, zm_npy *out);

/** DONE if some source is between cells, as derivatives with respect to the places of sources
 *  need it; else an exit status after a message. */
int check_movable(const inputs *in, const char *option_name);

/** Plane i of an array of planes of the solver's dtype; NULL if there is no array. */
void *plane_of(const inputs *in, void *data, size_t i);

/** "(3, 100, 200)" */
typedef struct shape_text {
    char text[96];
} shape_text;
shape_text shape_of(int32_t ndim, const size_t *shape);

#endif
