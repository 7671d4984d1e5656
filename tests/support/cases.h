/* SPDX-License-Identifier: Apache-2.0
 * Problems to test with: media by name, reproducible from a seed, and ways to compare. */
#ifndef ZM_TESTS_CASES_H
#define ZM_TESTS_CASES_H

#include <stdbool.h>

#include "zermelo/zermelo.h"

/** A problem that owns its fields.  Free with case_free. */
typedef struct test_case {
    zm_grid grid;
    size_t n;                          /* rows*cols */
    double *g11, *g12, *g22, *b1, *b2; /* all five, always */
    uint8_t *walls;                    /* NULL: none */
    zm_source *sources;
    size_t n_sources;
} test_case;

typedef enum medium {
    SMOOTH, /* rotation 0..pi/2, axis ratio 1.5-2.0, drift norm 0.02-0.3, all smooth */
    CONTRAST, /* isotropic, slowness varies smoothly by a factor of 10 */
    PIXELS, /* every cell on its own: slowness 1-10, axis ratio 1-3, drift norm 0-0.8 */
    MAZE,   /* G = I, serpentine walls with one gap each */
    STRONG, /* smooth rotation, eigenvalue ratio 64, drift norm up to 0.5: not causal */
    N_MEDIA,
    ROTATING /* SMOOTH with eigenvalue ratio 100; none of the N_MEDIA, for benchmarks */
} medium;

const char *medium_name(medium m);

/** G = I, b = 0, spacing 1, no walls, no sources. */
test_case case_create(int32_t rows, int32_t cols);
/** The medium, with one source at time 0 a little off the centre and off the axes. */
test_case case_make(medium m, int32_t rows, int32_t cols, uint64_t seed);
test_case case_copy(const test_case *c);
void case_free(test_case *c);

/** One more source; its cell is no wall any more. */
void case_add_source(test_case *c, int32_t row, int32_t col, double time);
/** The same anywhere between the cells; the nearest one is no wall any more. */
void case_add_source_at(test_case *c, double row, double col, double time);
void case_clear_sources(test_case *c);
/** Makes room for walls, none set. */
void case_add_walls(test_case *c);

void fill_constant(test_case *c, double g11, double g12, double g22, double b1,
                   double b2);
/** Constant G with eigenvalue `along` at `angle` (radians, from x towards y), `across`
 *  at right angles to it. */
void fill_rotated(test_case *c, double along, double across, double angle, double b1,
                  double b2);

/** The same with b of norm |b|_{G^-1} = drift at `heading`. */
void fill_oriented(test_case *c, double along, double across, double angle,
                   double drift, double heading);

/** Rounds every plane to float32, so that both number types get the same problem. */
void case_round_to_f32(test_case *c);

/** Borrowed view for the solvers. */
zm_problem case_problem(const test_case *c);

/** A float32 view that owns its planes; free with case_f32_free. */
typedef struct case_f32 {
    zm_problem problem;
    float *planes;
} case_f32;
case_f32 case_to_f32(const test_case *c);
void case_f32_free(case_f32 *c);

/** The five planes by number, in the order g11, g12, g22, b1, b2. */
enum { N_PLANES = 5 };
double *case_plane(const test_case *c, int i);

/** Derivatives into, and a direction from, five planes of n values one after another. */
zm_gradient gradient_into(double *planes, size_t n);
zm_direction direction_from(const double *planes, size_t n);

/** n doubles full of NaN (so that what a call does not write shows), to be freed. */
double *nan_doubles(size_t n);
float *nan_floats(size_t n);

/** Options of a solver with adaptive stencils. */
zm_solver_opts adaptive_opts(int32_t order, double factor_radius);

/** Options of a solver with the eight neighbours, as the references have them. */
zm_solver_opts fixed_opts(void);

/** A solver for the case, or the end of the program; opts NULL means fixed_opts. */
zm_solver *case_solver(const test_case *c, zm_dtype dtype, const zm_solver_opts *opts);
/** zm_forward on a solver made for this call; T holds n doubles. */
zm_status case_solve(const test_case *c, double *T);
zm_status case_solve_with(const test_case *c, double *T, const zm_solver_opts *opts);

/** T = t0 + |x|_G - b.x from the first source, for constant G and b (those of cell 0). */
void closed_form(const test_case *c, double *T);

/** |T - exact|_2 / |exact|_2. */
double relative_l2(const double *T, const double *exact, size_t n);
/** Largest |a - b| / max(|a|, |b|); INFINITY where only one is finite, or one is NaN. */
double max_relative_difference(const double *a, const double *b, size_t n);
/** Largest |r|, ignoring NaN. */
double max_abs(const double *r, size_t n);
/** Same bits everywhere (any NaN equals any NaN). */
bool same_bits(const double *a, const double *b, size_t n);

#endif
