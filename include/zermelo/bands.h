/* SPDX-License-Identifier: Apache-2.0
 * Metrics that change with time: arrival times and their exact derivatives through bands
 * [t_k, t_{k+1}) with a metric each, such as hourly weather (docs/theory.md, section 8).
 *
 * The way from a donor to a cell is gone with the metric of each band as long as the band
 * lasts.  With cost F_k(v) = |v|_{G_k} - b_k.v of the whole way in band k the front that
 * leaves at time tau arrives at the time T for which
 *
 *     integral from tau to T of dt / F_{k(t)}(v) = 1,
 *
 * so a front that is stopped for a while waits and goes on where it was, and one that leaves
 * earlier never arrives later. */
#ifndef ZM_BANDS_H
#define ZM_BANDS_H

#include "adjoint.h"
#include "alloc.h"
#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Workspace for one grid and one number type, and the record of the last solve of each of
 * `batch` problems.  One thread at a time per handle; any number of handles.  Memory for
 * metrics, stencils and derivatives grows with what the fronts touch and is kept.
 */
typedef struct zm_bands zm_bands;

/** What a step of more than one cell costs. */
typedef enum zm_bands_cost {
    /** The metric of the cell it leads to: exact in media that change slowly. */
    ZM_BANDS_OWN = 0,
    /** The mean over the cells it crosses, each by its share of the way: steps see the
     *  barriers, slow cells and edges they lead over. */
    ZM_BANDS_MEAN = 1
} zm_bands_cost;

typedef struct zm_bands_opts {
    size_t size;     /**< sizeof(zm_bands_opts): lets the struct grow later */
    zm_alloc mem;    /**< all zero: malloc and free */
    int32_t threads; /**< >= 1: most threads a batch is shared among */
    int32_t batch;   /**< >= 1: how many problems a record is kept of */
    zm_bands_cost cost;
    /** Bytes of metrics that a problem may hold beyond those of the band the front is in;
     *  what was given back is asked for again when needed.  0: no limit. */
    size_t metric_bytes;
    /** 1..ZM_BANDS_MOST_REACH: steps of up to so many cells along x and y count besides those
     *  that the metric needs.  More of them: times closer to the exact ones, in the time that
     *  they take (8, 16, 32, 48 directions for 1, 2, 3, 4). */
    int32_t reach;
} zm_bands_opts;
#define ZM_BANDS_MOST_REACH 8
#define ZM_BANDS_OPTS_INIT \
    { sizeof(zm_bands_opts), { NULL, NULL, NULL }, 1, 1, ZM_BANDS_MEAN, 0, 2 }

/**
 * Makes a handle.
 *
 * @param out   out  to be given to zm_bands_destroy; NULL after a failure
 * @param grid  in   size and spacing of every field
 * @param dtype in   type of times, and of every plane that is given as a whole
 * @param opts  in   NULL means ZM_BANDS_OPTS_INIT
 * @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM
 */
ZM_API zm_status zm_bands_create(zm_bands **out, zm_grid grid, zm_dtype dtype,
                                 const zm_bands_opts *opts, zm_error *err);

/** Frees a handle; NULL is allowed. */
ZM_API void zm_bands_destroy(zm_bands *bands);

/** Bytes of work memory the handle holds now. */
ZM_API size_t zm_bands_bytes(const zm_bands *bands);

/** A rectangle of cells: those of rows row .. row + rows - 1 and likewise of columns. */
typedef struct zm_band_window {
    int32_t row, col, rows, cols;
} zm_band_window;

/** Values of the cells of a window, rows*cols each, row-major. */
typedef struct zm_band_values {
    double *g11, *g12, *g22, *b1, *b2;
    uint8_t *stopped; /**< non-zero: nothing moves here during this band; the others are
                           ignored.  NULL where derivatives are asked for */
} zm_band_values;

/**
 * Fills the metric of one band in one window, when the front comes near it.  All values are
 * 0 before the call, so g12, b and `stopped` may be left alone; g11 = INFINITY also means
 * stopped.  Called on the thread that solves the problem; the same window of the same band
 * may be asked for again and must then be the same.
 *
 * @return ZM_OK, or any failure with its message in err: the solve ends with it
 */
typedef zm_status zm_bands_fill(void *ctx, size_t band, zm_band_window window,
                                zm_band_values *values, zm_error *err);

/** Takes derivatives by the metric of one band in one window; each at most once, bands from
 *  the last to the first, windows that have none left out. */
typedef zm_status zm_bands_take(void *ctx, size_t band, zm_band_window window,
                                const zm_band_values *values, zm_error *err);

/** The metric of one band as planes of the whole grid. */
typedef struct zm_band {
    zm_metric metric;       /**< g11 = INFINITY: stopped */
    const uint8_t *stopped; /**< rows*cols, non-zero: nothing moves in this cell during this
                                 band; NULL: only where g11 is INFINITY */
} zm_band;

/** One problem.  Every pointer is borrowed for the call only. */
typedef struct zm_bands_problem {
    size_t n_bands;       /**< >= 1 */
    const double *starts; /**< n_bands finite times, increasing.  Band k lasts from starts[k] to
                               starts[k + 1]; the first counts before its start too, the last
                               for ever */
    const zm_band *bands; /**< n_bands, or NULL: `fill` gives them */
    zm_bands_fill *fill;
    void *fill_ctx;
    const zm_source *sources; /**< n_sources >= 1; of several in one cell the earliest counts */
    size_t n_sources;
    const uint8_t *walls; /**< rows*cols, non-zero: nothing enters, in any band; NULL: no walls */
} zm_bands_problem;

typedef struct zm_bands_solve_opts {
    size_t size;
    double t_max;           /**< cells reached later stay INFINITY and cost nothing */
    const uint8_t *targets; /**< rows*cols; stop when every non-zero cell that is no wall has
                                 its time.  NULL: no such stop */
    int64_t max_cells;      /**< stop when so many cells have their time; 0: no such stop */
    /** Called now and then, with the share of the grid (of the batch: of its problems) done;
     *  a non-zero answer cancels.  NULL: never.  Batches call it on the calling thread only. */
    int (*progress)(void *ctx, double fraction);
    void *progress_ctx;
} zm_bands_solve_opts;
#define ZM_BANDS_SOLVE_OPTS_INIT \
    { sizeof(zm_bands_solve_opts), HUGE_VAL, NULL, 0, NULL, NULL }

typedef struct zm_bands_report {
    int64_t cells;    /**< that have a time */
    int64_t updates;  /**< steps tried */
    int64_t reopened; /**< cells that became earlier after they had been passed on */
    int64_t windows;  /**< windows of bands that were asked for */
    double last;      /**< latest time; -INFINITY if there is none */
    int32_t last_band; /**< band it is in, or -1 */
} zm_bands_report;

/**
 * Arrival times through all bands.
 *
 * @param bands   in,out  keeps the record that the derivatives use
 * @param T       out     rows*cols values of the handle's dtype, INFINITY where nothing comes
 * @param opts    in      NULL means ZM_BANDS_SOLVE_OPTS_INIT
 * @param report  out     or NULL
 * @return ZM_OK; ZM_NOT_CONVERGED (cells kept improving each other; times are upper bounds);
 *         ZM_E_ARG; ZM_E_SOURCE (also: not in the middle of a cell); ZM_E_METRIC (err->cell
 *         tells where; cells the front does not come near are not looked at); ZM_E_NOMEM;
 *         ZM_E_CANCELLED; what `fill` said.  After a failure T is unspecified.
 */
ZM_API zm_status zm_bands_solve(zm_bands *bands, const zm_bands_problem *problem, void *T,
                                const zm_bands_solve_opts *opts, zm_bands_report *report,
                                zm_error *err);

/**
 * The same for n problems, shared among the threads.  If n <= batch problem i keeps its
 * record in slot i; else none is kept, and `batch` of them at most are under way at once.
 *
 * @param T       out  n pointers to rows*cols values
 * @param reports out  n reports, or NULL
 * @return ZM_OK if all went well, else the first status that is not ZM_OK, failures first; the
 *         message then names the problem
 */
ZM_API zm_status zm_bands_solve_batch(zm_bands *bands, const zm_bands_problem *problems,
                                      size_t n, void *const *T,
                                      const zm_bands_solve_opts *opts,
                                      zm_bands_report *reports, zm_error *err);

/** Where derivatives go. */
typedef struct zm_bands_gradient {
    /** n_bands sets of planes, rows*cols values of the handle's dtype each, overwritten; their
     *  source_* must be NULL.  Where a band has g22 NULL, g11 receives the derivative by the
     *  shared scalar and g22 must be NULL.  Or NULL: not wanted. */
    const zm_gradient *bands;
    /** Or window by window; where a band is given as planes with g22 NULL, values->g11 has the
     *  derivative by the shared scalar and g22 is 0.  Or NULL. */
    zm_bands_take *take;
    void *take_ctx;
    double *source_times; /**< n_sources values, or NULL */
} zm_bands_gradient;

/**
 * Vector-Jacobian product through all bands: each step's derivative goes to the metrics of
 * the bands it took time in and, for ZM_BANDS_MEAN, of the cells it crossed.
 *
 * @param bands   in,out  after zm_bands_solve on the same problem, unchanged
 * @param dL_dT   in      rows*cols values of the handle's dtype; ignored where T is INFINITY
 * @param out     out     must not overlap inputs
 * @return ZM_OK; ZM_NOT_CONVERGED (cells that are donors of each other did not settle);
 *         ZM_E_STATE (no record); ZM_E_ARG (a value of dL_dT at a reached cell is not finite:
 *         err->cell; missing arrays); ZM_E_NOMEM; what `fill` or `take` said.  After a failure
 *         outputs are unspecified.
 */
ZM_API zm_status zm_bands_adjoint(zm_bands *bands, const zm_bands_problem *problem,
                                  const void *dL_dT, const zm_bands_gradient *out,
                                  zm_error *err);

/** A direction in parameter space. */
typedef struct zm_bands_direction {
    const zm_direction *bands; /**< n_bands sets of planes, source_* NULL; or NULL */
    zm_bands_fill *fill;       /**< or changes window by window, `stopped` left out; or NULL */
    void *fill_ctx;
    const double *source_times; /**< n_sources values, or NULL */
} zm_bands_direction;

/**
 * Jacobian-vector product: from changes of metrics and source times to dT, 0 where T is
 * INFINITY.
 *
 * @param dT out  rows*cols values of the handle's dtype
 * Otherwise as zm_bands_adjoint.
 */
ZM_API zm_status zm_bands_tangent(zm_bands *bands, const zm_bands_problem *problem,
                                  const zm_bands_direction *direction, void *dT,
                                  zm_error *err);

/** The same for the n <= batch problems of the last zm_bands_solve_batch, over the threads. */
ZM_API zm_status zm_bands_adjoint_batch(zm_bands *bands, const zm_bands_problem *problems,
                                        size_t n, const void *const *dL_dT,
                                        const zm_bands_gradient *out, zm_error *err);
ZM_API zm_status zm_bands_tangent_batch(zm_bands *bands, const zm_bands_problem *problems,
                                        size_t n, const zm_bands_direction *directions,
                                        void *const *dT, zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
