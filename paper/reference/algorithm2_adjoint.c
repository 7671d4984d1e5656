/* SPDX-License-Identifier: Apache-2.0
 * Algorithm 2 of the paper: search the active stencils, sort by T, substitute back.
 *
 * Divided through by dR/dT0 the paper's residuals give, with winning donors 1 and 2,
 * weight w and v = -(w m1 + (1-w) m2),
 *
 *     lambda = dL/dT;   by decreasing T:   lambda[donor i] += weight_i lambda[node]
 *     dL/dG = lambda v v' / (2 sqrt(v' G v)),    dL/db = -lambda v. */
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "reference/field.h"

enum { UNREACHED = -2, SOURCE = -3 }; /* instead of a triangle */

typedef struct node {
    uint64_t key; /* rises as T falls */
    size_t cell;
} node;

typedef struct work {
    zm_reference_field field;
    const zm_gradient *out;
    int8_t *triangle;      /* active triangle k of each cell */
    double *weight;        /* of its donor k; donor k+1 has the rest */
    double *lambda;        /* of each cell */
    node *order, *scratch; /* reached cells */
    size_t n, reached;
} work;

static void work_destroy(work *w)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    zm_release(&mem, w->scratch);
    zm_release(&mem, w->order);
    zm_release(&mem, w->lambda);
    zm_release(&mem, w->weight);
    zm_release(&mem, w->triangle);
    zm_reference_field_destroy(&w->field);
}

static zm_status work_create(work *w, zm_grid grid, const zm_problem *problem,
                             const zm_gradient *out, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    *w = (work){ .out = out };
    zm_grid_cells(grid, &w->n);
    ZM_TRY(zm_reference_field_create(&w->field, grid, problem, err));
    w->triangle = zm_block(&mem, w->n, sizeof *w->triangle);
    w->weight = zm_block(&mem, w->n, sizeof *w->weight);
    w->lambda = zm_block(&mem, w->n, sizeof *w->lambda);
    w->order = zm_block(&mem, w->n, sizeof *w->order);
    w->scratch = zm_block(&mem, w->n, sizeof *w->scratch);
    if (!w->triangle || !w->weight || !w->lambda || !w->order || !w->scratch) {
        work_destroy(w);
        return zm_fail(err, ZM_E_NOMEM, -1, "adjoint of %zu cells", w->n);
    }
    return ZM_OK;
}

static zm_paper_winner search_cell(const zm_reference_field *f, int32_t row, int32_t col)
{
    const size_t cell = (size_t)row * (size_t)f->grid.cols + (size_t)col;
    const zm_paper_stencil s = zm_reference_field_paper_stencil(f, cell);
    double donors[8];

    zm_reference_field_neighbours(f, &f->T[row * f->stride + col], cell, donors);
    return zm_paper_best(&s, donors, INFINITY, /* reject */ false);
}

/* Bits of a double, so that larger numbers have smaller keys. */
static uint64_t falling_key(double T)
{
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t bits;

    memcpy(&bits, &T, sizeof bits);
    return bits & sign ? bits : ~(bits | sign);
}

/* The triangle whose update is the smallest, at every reached cell.  The weights are the
 * quotients of paper eq:jacobian_planar, -dR/dT_i / dR/dT0 = lambda_i / (1' lambda). */
static void search_stencils(work *w, const double *T)
{
    size_t cell = 0;

    for (int32_t row = 0; row < w->field.grid.rows; row++)
        for (int32_t col = 0; col < w->field.grid.cols; col++, cell++) {
            zm_paper_winner best;

            w->triangle[cell] = UNREACHED;
            if (isinf(T[cell]))
                continue;
            best = search_cell(&w->field, row, col);
            w->triangle[cell] = (int8_t)best.k; /* -1: none */
            w->weight[cell] = best.lambda1 / (best.lambda1 + best.lambda2);
            w->order[w->reached++] = (node){ falling_key(T[cell]), cell };
        }
}

/* Sources no later than the update of their cell have no triangle there; their weight is
 * the earliest start time of the cell. */
static void mark_sources(work *w)
{
    const zm_problem *problem = w->field.problem;

    for (size_t i = 0; i < problem->n_sources; i++) {
        const zm_source *s = &problem->sources[i];
        const size_t cell = zm_source_cell(w->field.grid, s);
        const bool marked = w->triangle[cell] == SOURCE;

        if (s->time <= search_cell(&w->field, (int32_t)s->row, (int32_t)s->col).T0) {
            w->weight[cell] = marked ? fmin(w->weight[cell], s->time) : s->time;
            w->triangle[cell] = SOURCE;
        }
    }
}

/* Sorts w->order, latest first: a radix sort, stable and linear whatever the times.  The
 * low digits of a double differ everywhere, so no pass can be left out. */
enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, PASSES = 6 }; /* 6 * 11 >= 64 */

static size_t digit(node n, int pass)
{
    return (size_t)(n.key >> (pass * DIGIT_BITS)) & (DIGITS - 1);
}

static void sort_by_decreasing_T(work *w)
{
    size_t first[DIGITS];

    for (int pass = 0; pass < PASSES; pass++) {
        node *from = w->order, *to = w->scratch;
        size_t sum = 0;

        memset(first, 0, sizeof first);
        for (size_t i = 0; i < w->reached; i++)
            first[digit(from[i], pass)]++;
        for (size_t d = 0; d < DIGITS; d++) {
            const size_t count = first[d];

            first[d] = sum;
            sum += count;
        }
        for (size_t i = 0; i < w->reached; i++)
            to[first[digit(from[i], pass)]++] = from[i];
        w->order = to;
        w->scratch = from;
    }
}

static void substitute_back(work *w)
{
    ptrdiff_t neighbour[8];

    for (int k = 0; k < 8; k++)
        neighbour[k] = zm_local_neighbour_y[k] * (ptrdiff_t)w->field.grid.cols +
                       zm_local_neighbour_x[k];
    for (size_t i = 0; i < w->reached; i++) {
        const size_t cell = w->order[i].cell;
        const int k = w->triangle[cell];
        double *lambda = &w->lambda[cell];

        if (k < 0)
            continue;
        if (w->weight[cell] > 0)
            lambda[neighbour[k]] += w->weight[cell] * *lambda;
        if (w->weight[cell] < 1)
            lambda[neighbour[(k + 1) & 7]] += (1 - w->weight[cell]) * *lambda;
    }
}

static void set(void *plane, size_t cell, double value)
{
    if (plane)
        ((double *)plane)[cell] = value;
}

/* dL/dG and dL/db of one cell, v in the unit of the spacing. */
static void set_gradient(const work *w, size_t cell)
{
    const zm_metric *metric = &w->field.problem->metric;
    const zm_cell_metric m = zm_metric_at(metric, cell);
    const int k = w->triangle[cell], next = (k + 1) & 7;
    const double w1 = w->weight[cell], w2 = 1 - w1;
    const double vx =
        -(w1 * zm_local_neighbour_x[k] + w2 * zm_local_neighbour_x[next]) *
        w->field.grid.dx;
    const double vy =
        -(w1 * zm_local_neighbour_y[k] + w2 * zm_local_neighbour_y[next]) *
        w->field.grid.dy;
    const double length = sqrt(m.g11 * vx * vx + 2 * m.g12 * vx * vy + m.g22 * vy * vy);
    const double lambda = w->lambda[cell], half = lambda / (2 * length);
    const double g11 = half * vx * vx, g22 = half * vy * vy;

    set(w->out->g11, cell, metric->g22 ? g11 : g11 + g22);
    set(w->out->g12, cell, 2 * half * vx * vy);
    set(w->out->g22, cell, g22);
    set(w->out->b1, cell, -lambda * vx);
    set(w->out->b2, cell, -lambda * vy);
}

static void set_gradients(const work *w)
{
    for (size_t cell = 0; cell < w->n; cell++) {
        if (w->triangle[cell] >= 0) {
            set_gradient(w, cell);
            continue;
        }
        set(w->out->g11, cell, 0);
        set(w->out->g12, cell, 0);
        set(w->out->g22, cell, 0);
        set(w->out->b1, cell, 0);
        set(w->out->b2, cell, 0);
    }
}

/* Of several sources in one cell the first of the earliest has the derivative. */
static void set_source_times(work *w)
{
    const zm_problem *problem = w->field.problem;
    double *out = w->out->source_times;

    for (size_t i = 0; out && i < problem->n_sources; i++) {
        const size_t cell = zm_source_cell(w->field.grid, &problem->sources[i]);

        out[i] = 0;
        if (w->triangle[cell] == SOURCE &&
            w->weight[cell] == problem->sources[i].time) {
            out[i] = w->lambda[cell];
            w->lambda[cell] = 0;
        }
    }
}

static zm_status load_cotangent(work *w, const double *T, const double *dL_dT,
                                zm_error *err)
{
    for (size_t cell = 0; cell < w->n; cell++) {
        w->lambda[cell] = isinf(T[cell]) ? 0 : dL_dT[cell];
        if (!isfinite(w->lambda[cell]))
            return zm_fail(err, ZM_E_ARG, (int64_t)cell,
                           "dL_dT is %g at row %zu, col %zu, must be finite",
                           dL_dT[cell], cell / (size_t)w->field.grid.cols,
                           cell % (size_t)w->field.grid.cols);
    }
    return ZM_OK;
}

zm_status zm_reference_adjoint(zm_grid grid, const zm_problem *problem, const double *T,
                               const double *dL_dT, const zm_gradient *out,
                               zm_error *err)
{
    const zm_reference_opts defaults = ZM_REFERENCE_OPTS_INIT;
    zm_status st;
    work w;

    ZM_TRY(zm_reference_check(grid, problem, T, &defaults, err));
    if (!dL_dT || !out)
        return zm_fail(err, ZM_E_ARG, -1, "%s is NULL", dL_dT ? "out" : "dL_dT");
    if (out->g22 && !problem->metric.g22)
        return zm_fail(err, ZM_E_ARG, -1,
                       "dL/dg22 asked for, but the metric has no g22 of its own");
    ZM_TRY(work_create(&w, grid, problem, out, err));
    ZM_GO(load_cotangent(&w, T, dL_dT, err));
    zm_reference_field_load(&w.field, T);
    search_stencils(&w, T);
    mark_sources(&w);
    sort_by_decreasing_T(&w);
    substitute_back(&w);
    set_gradients(&w);
    set_source_times(&w);
done:
    work_destroy(&w);
    return st;
}
