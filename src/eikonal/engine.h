/* SPDX-License-Identifier: Apache-2.0
 * What a solver is made of, and what an engine has to offer.
 *
 * A solver has several engines, which differ in what they can do and how fast.
 * zm_engine_choose takes the first of zm_engine_table that can solve a problem.  Everything
 * after the solve (derivatives, paths, labels, diagnostics) reads the record through the table
 * of the engine that left it.  A new engine is a folder and a line in engines.c. */
#ifndef ZM_EIKONAL_ENGINE_H
#define ZM_EIKONAL_ENGINE_H

#include <stdbool.h>

#include "eikonal/local/stencil.h"
#include "eikonal/problem/problem.h"
#include "zermelo/adjoint.h"

typedef struct zm_engine zm_engine;
struct zm_kernel;

/** Memory of one engine for one thread or one slot; what the engine keeps there begins with
 *  this. */
typedef struct zm_engine_part {
    size_t bytes; /* all that hangs on it */
} zm_engine_part;

/** Work memory of one thread. */
typedef struct zm_workspace {
    double *lambda;         /* cells */
    double *scratch;        /* cells; also two stacks of as many uint32_t */
    uint8_t *users;         /* cells */
    zm_engine_part **parts; /* by engine; NULL: not needed so far */
} zm_workspace;

/** What the solve of one problem leaves. */
typedef struct zm_record {
    const zm_engine *engine;       /* that reads it; NULL: no solve, or it failed */
    size_t n_sources, n_intervals; /* of that problem */
    double unit; /* times inside are counted in it: problem/unit.h.  The timed engine finds
                    its own */
    zm_engine_part **parts;        /* by engine; NULL: not needed so far */
} zm_record;

/** What a march is to do. */
typedef struct zm_scheme {
    bool fixed;           /* the eight neighbours everywhere, acute or not */
    int32_t order;        /* 1 or 2 */
    double factor_radius; /* distance from the source up to which it is factored */
    bool periodic_x, periodic_y;
} zm_scheme;

struct zm_solver {
    zm_grid grid;
    size_t cells;
    zm_dtype dtype;
    zm_alloc mem; /* destroy frees with what create allocated with */
    const struct zm_kernel *kernel;
    zm_solver_opts opts; /* as read, with defaults filled in */
    zm_scheme scheme;
    int32_t n_engines;
    zm_workspace *workspaces; /* opts.threads */
    zm_record *records;       /* opts.batch */
    size_t bytes;             /* without the parts of engines */
};

/** How a solve ended. */
typedef enum zm_outcome {
    ZM_OUTCOME_DONE,      /* run->status is ZM_OK or a caveat */
    ZM_OUTCOME_HAND_OVER, /* it met cells too anisotropic for this engine: try the next */
    ZM_OUTCOME_FAILED     /* run->status says why */
} zm_outcome;

/** One problem to be solved with workspaces[0 .. threads). */
typedef struct zm_engine_run {
    zm_solver *s;
    zm_workspace *workspaces;
    int32_t threads;
    zm_record *record;
    const zm_problem *problem; /* its shape has been checked */
    void *T;
    const zm_forward_opts *opts;
    /* of its own, as ZM_REPORT_INIT; the engine fills it but for `method` */
    zm_report *report;
    zm_status status;
} zm_engine_run;

/** A solved problem to be looked at or differentiated, with workspaces[0 .. threads). */
typedef struct zm_engine_view {
    zm_solver *s;
    zm_workspace *workspaces;
    int32_t threads;
    zm_record *record;
    const zm_problem *problem; /* its shape has been checked; values may have changed */
    const void *T;
    zm_problem own; /* what `problem` points to: the caller's, in full */
} zm_engine_view;

typedef enum zm_node_kind {
    ZM_NODE_UNREACHED,
    ZM_NODE_DONORS,
    ZM_NODE_SOURCE
} zm_node_kind;

/** Of a node's source: the one that starts earliest in the cell itself. */
#define ZM_SOURCE_OF_CELL (-1)

/** How the front came to a cell.  Offsets and steps are in cells. */
typedef struct zm_node {
    zm_node_kind kind;
    /* offsets of the donors; equal if there is one, which has weight 1 */
    zm_local_offset m[2];
    double w;    /* weight of m[0]; that of m[1] is 1 - w */
    int heavier; /* which of the two leads the way */
    double x, y; /* the step: minus the mean of the donors, or cell - source */
    double time; /* in the unit of the record; INFINITY where nothing came */
    double rank; /* donors with a smaller one lead to a source */
    /* where the front set out, if the engine knows it, or ZM_SOURCE_OF_CELL: of kind
     * ZM_NODE_DONORS this means not known */
    int32_t source;
    /* of the cell when the front came, spacing in the unit of the record folded in */
    zm_cell_metric metric;
    /* of kind ZM_NODE_SOURCE: that the source is seen through */
    zm_cell_metric source_metric;
} zm_node;

/** The table of an engine.  Functions that look at a record never read or write outside of
 *  their memory and come to an end, whatever the caller has changed since the solve. */
struct zm_engine {
    const char *name; /* for messages */
    zm_forward_method method;
    bool stops; /* it ends at targets and max_cells by itself */

    /** Whose functions from `prepare` on look at the records that it leaves; NULL: its own.  That
     *  engine must be able to begin with times that it has not found itself. */
    const zm_engine *reader;

    /** NULL if it can solve this problem, or if problem is NULL some problem, with this
     *  solver; else why not, to follow the name in a message. */
    const char *(*cannot)(const zm_solver *s, const zm_problem *problem);

    /** Memory of one thread and of one slot; NULL when out of memory.  Where the pointer to
     *  the function is NULL, the engine needs none. */
    zm_engine_part *(*workspace_create)(const zm_solver *s);
    void (*workspace_destroy)(const zm_solver *s, zm_engine_part *part);
    zm_engine_part *(*record_create)(const zm_solver *s);
    void (*record_destroy)(const zm_solver *s, zm_engine_part *part);

    zm_outcome (*solve)(zm_engine_run *run, zm_error *err);

    /** Works out the donors, and if asked for all that derivatives need, as far as that has
     *  not been done.  The functions below may be called after it. */
    zm_status (*prepare)(const zm_engine_view *view, bool derivatives, zm_error *err);

    zm_node (*node)(const zm_engine_view *view, size_t cell);

    /** Sets the values of cells that have no time to 0. */
    void (*clear)(const zm_engine_view *view, double *values);

    /** Vector-Jacobian product; lambda is dL/dT, cleared, and may be changed.  ZM_OK,
     *  ZM_NOT_CONVERGED (zm_record_unsettled) or a failure. */
    zm_status (*adjoint)(const zm_engine_view *view, double *lambda,
                         const zm_gradient *out, zm_error *err);

    /** Jacobian-vector product; fills value = dT. */
    zm_status (*tangent)(const zm_engine_view *view, const zm_direction *direction,
                         double *value, zm_error *err);
};

/** All engines in order of preference, then NULL. */
extern const zm_engine *const zm_engine_table[];

/** Solves with the first engine that can and does not hand over.  run->status. */
zm_status zm_engine_choose(zm_engine_run *run, zm_error *err);

/** What an engine keeps in a workspace or record; NULL: nothing so far. */
void *zm_engine_workspace_part(const zm_workspace *w, const zm_engine *engine);
void *zm_engine_record_part(const zm_record *r, const zm_engine *engine);

/** Makes what is not there: in workspaces[0 .. threads) and in the record.  ZM_OK,
 *  ZM_E_NOMEM. */
zm_status zm_engine_equip(const zm_solver *s, const zm_engine *engine,
                          zm_workspace *workspaces, int32_t threads, zm_record *record,
                          zm_error *err);

/** ZM_NOT_CONVERGED, with its message. */
zm_status zm_record_unsettled(zm_error *err);

/** ZM_E_STATE: the problem or T is not what zm_forward saw. */
zm_status zm_record_changed(zm_error *err);

#endif
