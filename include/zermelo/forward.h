/* SPDX-License-Identifier: Apache-2.0
 * Forward solve: arrival times from metric, drift, sources and walls. */
#ifndef ZM_FORWARD_H
#define ZM_FORWARD_H

#include <math.h> /* HUGE_VAL in ZM_FORWARD_OPTS_INIT */

#include "alloc.h"
#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Workspace for one grid and one number type, and the record of the last solve in each of
 * `batch` slots.  One thread at a time per solver; any number of solvers.
 *
 * Create allocates for the engine that is likely to solve.  The first solve in a slot that needs
 * another one (adaptive stencils in strong metrics, order 2, factoring, a closed grid, sources
 * between cells, time intervals) allocates for it, on the thread that solves.  That memory is
 * kept, and grows when later metrics need longer stencils.  With time intervals it also grows
 * with the metrics that the front comes near, and with the first derivative or path.  A second
 * call like the first allocates nothing.
 */
typedef struct zm_solver zm_solver;

/** Instruction set of the kernels.  Results agree to rounding, as between numbers of threads,
 *  whichever is used: in float64 to 1e-12 relative in ordinary metrics, and to 2e-12 + 3e-14 r/(1 - d)
 *  where the eigenvalues of the metric are up to r:1 and the drift has a norm up to d. */
typedef enum zm_isa {
    ZM_ISA_BEST = 0,
    ZM_ISA_SCALAR = 1,
    ZM_ISA_AVX2 = 2,
    ZM_ISA_AVX512 = 3
} zm_isa;

/** Which neighbours a cell takes its time from. */
typedef enum zm_stencil_choice {
    /** The eight neighbours everywhere, also in strong metrics, for which they are neither
     *  causal nor accurate. */
    ZM_STENCILS_FIXED = 0,
    /** The eight neighbours where they are causal for the metric of the cell, else a stencil
     *  with neighbours farther away that is (docs/theory.md, section 7).  Problems that are mild
     *  everywhere get the same engine, the same times and the same speed as with FIXED. */
    ZM_STENCILS_ADAPTIVE = 1
} zm_stencil_choice;

/** Bits of zm_solver_opts.periodic: the grid is closed along x, along y. */
enum { ZM_PERIODIC_X = 1, ZM_PERIODIC_Y = 2 };

/** What a step of more than one cell costs, in metrics that change with time. */
typedef enum zm_step_cost {
    /** The metric of the cell it leads to: exact in media that change slowly. */
    ZM_COST_OWN = 0,
    /** The mean over the cells it crosses, each by its share of the way: steps see the
     *  barriers, slow cells and edges they lead over. */
    ZM_COST_MEAN = 1
} zm_step_cost;

/** Longest steps that zm_solver_opts.reach can ask for. */
#define ZM_MOST_REACH 8

/** zm_solver_opts.factor_radius that goes with the order. */
#define ZM_FACTOR_BY_ORDER (-1.0)

typedef struct zm_solver_opts {
    size_t size;     /**< sizeof(zm_solver_opts): lets the struct grow later */
    zm_alloc mem;    /**< all zero: malloc and free */
    int32_t threads; /**< 1 to 256: most threads any call on this solver uses */
    int32_t batch;   /**< >= 1: how many problems of one call can keep a record */
    zm_isa isa;      /**< ZM_ISA_BEST: the widest this machine has */
    zm_stencil_choice stencils;
    /** 1, 2 or 3: of the upwind differences, where there are donors enough and the times are
     *  smooth.  3 is for problems that ZM_SOLVED_BY_REFINED_BLOCKS takes: metrics for which the
     *  eight neighbours suffice, sources in the middle of cells, factored everywhere. */
    int32_t order;
    /** Additive factoring: within this distance from its source a cell takes differences
     *  of T - T_source only, with T_source exact for the metric at the source.  0: nowhere,
     *  HUGE_VAL: everywhere, ZM_FACTOR_BY_ORDER: nowhere with order 1, and everywhere with orders
     *  2 and 3, which the singularity at the sources would spoil.  In a closed grid not beyond a quarter
     *  of the way round, and nowhere where the metric differs much from that at the source
     *  (docs/theory.md, section 7). */
    double factor_radius;
    int32_t periodic; /**< ZM_PERIODIC_X, ZM_PERIODIC_Y or both */
    zm_step_cost cost; /**< of problems with time intervals, as the next two */
    /** 1..ZM_MOST_REACH: steps of up to so many cells along x and y count besides those that
     *  the metric needs.  More of them: times closer to the exact ones, in the time that they
     *  take (8, 16, 32, 48 directions for 1, 2, 3, 4). */
    int32_t reach;
    /** Bytes of metrics that a problem may hold beyond those of the interval the front is in;
     *  what was given back is asked for again when needed.  0: no limit. */
    size_t metric_bytes;
} zm_solver_opts;
#define ZM_SOLVER_OPTS_INIT                                                              \
    { sizeof(zm_solver_opts), { NULL, NULL, NULL }, 1, 1, ZM_ISA_BEST,                 \
      ZM_STENCILS_ADAPTIVE, 1, ZM_FACTOR_BY_ORDER, 0, ZM_COST_MEAN, 2, 0 }

/**
 * Makes a solver.
 *
 * @param out   out  the solver, to be given to zm_solver_destroy; NULL after a failure
 * @param grid  in   size and spacing of every field
 * @param dtype in   type of every field
 * @param opts  in   NULL means ZM_SOLVER_OPTS_INIT
 * @param err   out  or NULL
 * @return ZM_OK, ZM_E_ARG, ZM_E_NOMEM, ZM_E_UNSUPPORTED (isa not on this machine)
 */
ZM_API zm_status zm_solver_create(zm_solver **out, zm_grid grid, zm_dtype dtype,
                                  const zm_solver_opts *opts, zm_error *err);

/** Frees a solver; NULL is allowed. */
ZM_API void zm_solver_destroy(zm_solver *solver);

/** The options of a solver as it uses them: ZM_FACTOR_BY_ORDER is replaced by the radius, and
 *  mem that was all zero by malloc and free.  isa is as it was given, ZM_ISA_BEST included.
 *  opts->size is set by the caller; ZM_OK or ZM_E_ARG. */
ZM_API zm_status zm_solver_get_opts(const zm_solver *solver, zm_solver_opts *opts,
                                    zm_error *err);

/** Bytes of work memory the solver holds. */
ZM_API size_t zm_solver_bytes(const zm_solver *solver);

typedef struct zm_forward_opts {
    size_t size;
    double t_max;           /**< cells reached later stay INFINITY; the others are as in a
                                 full solve.  Blocks of 32 x 32 cells that the front enters
                                 later cost nothing (docs/theory.md, section 3.4) */
    /** The next two are for ZM_SOLVED_BY_BLOCKS; the other engines do not look at them, and
     *  solve to rounding. */
    double tol;             /**< changes of T of at most tol are not propagated; 0: solve to
                                 rounding, as derivatives need it */
    int32_t max_iterations; /**< >= 1: no block is visited more often; then ZM_NOT_CONVERGED.  The
                                 work has a bound in the size of the grid also without this
                                 (docs/theory.md, section 3.4) */
    /** Called now and then on the calling thread with the share of the grid (of the batch)
     *  that the front has reached, 0..1, or what was told before if that was more; a non-zero
     *  answer cancels.  NULL: never. */
    zm_progress_fn *progress;
    void *progress_ctx;
    const uint8_t *targets; /**< rows*cols; stop when every non-zero cell has its time; cells
                                 later than the last of them stay INFINITY.  NULL: no such
                                 stop */
    int64_t max_cells;      /**< stop when so many cells have their time; 0: no such stop.  With
                                 order 2 those that come first by times of first order; by
                                 blocks also those with the same time as the last */
} zm_forward_opts;
#define ZM_FORWARD_OPTS_INIT                                                             \
    { sizeof(zm_forward_opts), HUGE_VAL, 0.0, 100000, NULL, NULL, NULL, 0 }

/** How a problem was solved. */
typedef enum zm_forward_method {
    ZM_SOLVED_BY_BLOCKS = 0, /**< the eight neighbours, block by block */
    ZM_SOLVED_BY_ADAPTIVE_BLOCKS = 1, /**< adaptive stencils, block by block */
    ZM_SOLVED_BY_MARCHING = 2, /**< cell by cell in order of time: all that blocks cannot do;
                                    one pass on one thread */
    ZM_SOLVED_BY_TIMED = 3, /**< cell by cell through the time intervals of the metric */
    /** second and third order, block by block after a solve of first order, where the eight
     *  neighbours suffice */
    ZM_SOLVED_BY_REFINED_BLOCKS = 4
} zm_forward_method;

typedef struct zm_report {
    size_t size; /**< sizeof(zm_report), set by the caller: lets the struct grow later */
    int64_t iterations; /**< ZM_SOLVED_BY_BLOCKS and ZM_SOLVED_BY_REFINED_BLOCKS: visits of the
                             block that was visited most often; ZM_SOLVED_BY_ADAPTIVE_BLOCKS:
                             visits of a block on average, rounded up; else 1 */
    int64_t updates;    /**< what was looked at: blocks count directional updates of a cell (each
                             covers two triangles; most that cannot change anything are cut
                             short), refined blocks also the cells of their second phase,
                             adaptive blocks triangles of a cell, the others donors of a cell */
    int32_t converged;  /**< 1: nothing can change any more (to tol) */
    int32_t threads;    /**< threads used; small grids get fewer than the solver has */
    zm_forward_method method;
    /* Of problems with time intervals, of others as in ZM_REPORT_INIT: */
    int32_t last_interval; /**< that `last` is in; -1: there is none */
    int64_t cells;         /**< that have a time */
    double last;           /**< latest time; -INFINITY if there is none */
    int64_t reopened;      /**< cells that became earlier after they had been passed on */
    int64_t windows;       /**< windows of intervals that were asked for */
} zm_report;
#define ZM_REPORT_INIT \
    { sizeof(zm_report), 0, 0, 0, 0, ZM_SOLVED_BY_BLOCKS, -1, 0, -HUGE_VAL, 0, 0 }

/**
 * Results do not depend on units: with G times 4^k, b times 2^k and the spacing times 2^j, times are
 * 2^(j+k) times those of before, to the bit, and so on for all that is asked of them (after one
 * thread).  Times of about 2^-960 to 2^1000 a cell (float32: 2^-96 to 2^116) and metrics
 * within 1e38 of that of the first source, either way (blocks: 1e14, in float32 1e5), are taken;
 * beyond, the answer is ZM_E_METRIC or ZM_E_SOURCE.
 *
 * Arrival times: the unique fixed point of the semi-Lagrangian minimisation over the
 * eight triangles around each cell (docs/theory.md, section 2), or over those of the stencils
 * and of the order that the solver was made for (section 7); T = min(start, update) in
 * source cells, INFINITY where nothing arrives.
 *
 * @param solver  in,out  keeps the record that zm_adjoint and zm_tangent use
 * @param problem in      metric of the solver's dtype
 * @param T       out     rows*cols values of the solver's dtype, overlapping no input
 * @param opts    in      NULL means ZM_FORWARD_OPTS_INIT
 * @param report  out     or NULL
 * @param err     out     or NULL; written only when the answer is not ZM_OK
 * @return ZM_OK; ZM_NOT_CONVERGED (T usable, upper bounds); ZM_E_ARG; ZM_E_SOURCE;
 *         ZM_E_METRIC (err->cell tells where); ZM_E_CANCELLED; ZM_E_NOMEM; ZM_E_UNSUPPORTED (no
 *         engine can solve this: the message has the reasons); what problem->fill said.  After
 *         a failure the contents of T are unspecified, and the slot has no record.  With t_max,
 *         cells that only a later time could reach may go unchecked.
 */
ZM_API zm_status zm_forward(zm_solver *solver, const zm_problem *problem, void *T,
                            const zm_forward_opts *opts, zm_report *report, zm_error *err);

/**
 * The same for n problems, shared among the solver's threads.  If n is at most `batch`, problem
 * i keeps its record in slot i; if there are more, all are solved, and no slot keeps a record.
 *
 * @param T       out  n pointers to rows*cols values
 * @param reports out  n reports, or NULL
 * @return ZM_OK if all went well, else the first status that is not ZM_OK, failures first;
 *         the message then names the problem
 */
ZM_API zm_status zm_forward_batch(zm_solver *solver, const zm_problem *problems, size_t n,
                                  void *const *T, const zm_forward_opts *opts,
                                  zm_report *reports, zm_error *err);

#ifdef __cplusplus
}
#endif
#endif
