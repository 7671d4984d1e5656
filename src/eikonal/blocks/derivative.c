/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of a solve on blocks: transport along the donors, and what each cell's own
 * metric contributes.
 *
 * With W the matrix of donor weights, I - W is triangular in the order of the record except
 * for strongly connected parts; these are solved by Gauss-Seidel, which converges because
 * every cell reaches a source. */
#include <math.h>
#include <string.h>

#include "eikonal/blocks/graph.h"

/* A part is settled when what still moves is this small beside the whole: a few roundings.
 * Weights around a cycle multiply to less than 1 (each step along it costs time), for exact
 * fixed points far less; the limits, of rounds and of steps, are for times that are none. */
static const double SETTLED = 1e-16;
enum { MOST_ROUNDS = 100000, LEAST_ROUNDS = 1000, MOST_STEPS = 200000000 };

/* Rounds that a strongly connected part of n cells is given. */
static int rounds_of(size_t n)
{
    const size_t rounds = LEAST_ROUNDS + MOST_STEPS / n;

    return rounds < MOST_ROUNDS ? (int)rounds : MOST_ROUNDS;
}

typedef struct graph_view {
    const uint32_t *order;
    size_t n;
    const uint8_t *code;
    const void *offset;
    zm_blocks_donor_steps steps;
    uint8_t *member; /* by cell: in the part being solved */
    double *pending; /* by cell */
} graph_view;

typedef struct donors {
    uint32_t axis, diagonal;
    double weight; /* of the diagonal one; the axis one has the rest */
} donors;

static graph_view view_of(const zm_solver *s, zm_workspace *w,
                          const zm_blocks_record *record)
{
    if (record->n_cyclic)
        memset(w->users, 0, s->cells);
    return (graph_view){ record->order,
                         record->n_order,
                         record->code,
                         record->offset,
                         zm_blocks_donor_steps_of(s->grid.cols),
                         w->users,
                         w->scratch };
}

/* Length of the strongly connected part that begins at order[i]. */
static size_t part_length(const graph_view *v, size_t i)
{
    size_t n = 1;

    while (!(v->order[i + n - 1] & ZM_BLOCKS_LAST))
        n++;
    return n;
}

#define REAL    double
#define NAME(x) x##_f64
#include "transport.tmpl.h"
#undef REAL
#undef NAME

#define REAL    float
#define NAME(x) x##_f32
#include "transport.tmpl.h"
#undef REAL
#undef NAME

typedef struct gradient_run {
    const zm_solver *s;
    const zm_blocks_record *record;
    const double *lambda;
    zm_blocks_grid g;
    zm_blocks_planes out;
    bool isotropic;
    atomic_int next; /* block of ZM_BLOCK rows */
} gradient_run;

static void gradient_thread(void *ctx, int32_t thread)
{
    gradient_run *run = ctx;
    const int32_t rows = run->g.rows;
    int32_t block;

    (void)thread;
    while ((block = atomic_fetch_add(&run->next, 1)) < run->g.blocks_down) {
        const int32_t row = block * ZM_BLOCK;
        const int32_t end = row + ZM_BLOCK < rows ? row + ZM_BLOCK : rows;

        run->s->kernel->gradient(&run->g, (size_t)row, (size_t)end, run->record->code,
                                 run->record->offset, run->lambda, &run->out,
                                 run->isotropic);
    }
}

/* The cell of source i if that is the one which gave the cell its time; else false. */
static bool source_counts(const zm_engine_view *v, const zm_blocks_record *r,
                          const uint32_t *winner, size_t i, size_t *cell)
{
    *cell = zm_source_cell(v->s->grid, &v->problem->sources[i]);
    return winner[*cell] == i && r->code[*cell] == ZM_CODE_SOURCE;
}

zm_status zm_blocks_adjoint(const zm_engine_view *v, double *lambda,
                            const zm_gradient *out, zm_error *err)
{
    const zm_blocks_record *r = zm_engine_record_part(v->record, &zm_blocks_engine);
    const graph_view graph = view_of(v->s, v->workspaces, r);
    const bool settled =
        v->s->dtype == ZM_F32 ? push_f32(&graph, lambda) : push_f64(&graph, lambda);
    uint32_t *winner = (uint32_t *)(void *)v->workspaces->scratch;
    gradient_run run = { .s = v->s,
                         .record = r,
                         .lambda = lambda,
                         .g = zm_blocks_grid_of(v->s, zm_blocks_work_of(v->workspaces),
                                                r, v->problem, v->T, v->record->unit),
                         .out = { { out->g11, out->g12, out->g22, out->b1, out->b2 } },
                         .isotropic = !v->problem->metric.g22 };

    zm_parallel(v->threads, gradient_thread, &run);
    if (out->source_times) {
        zm_source_winners(v->s->grid, v->problem, winner);
        for (size_t i = 0, cell; i < v->problem->n_sources; i++)
            out->source_times[i] =
                source_counts(v, r, winner, i, &cell) ? lambda[cell] : 0.0;
    }
    return settled ? ZM_OK : zm_record_unsettled(err);
}

bool zm_blocks_pull(const zm_solver *s, zm_workspace *w, const zm_blocks_record *record,
                    double *value)
{
    const graph_view graph = view_of(s, w, record);

    return s->dtype == ZM_F32 ? pull_f32(&graph, value) : pull_f64(&graph, value);
}

static inline double change_at(const void *plane, zm_dtype dtype, size_t i)
{
    return zm_plane_value_or(plane, dtype, i, 0.0);
}

/* dF = (m' dG m) / (2 |m|_G) + m.db  of one cell with its donor at m: (t, n) as the winning
 * sweep sees it. */
static double own_change(const zm_engine_view *v, const zm_direction *d, uint8_t code,
                         double t, size_t i)
{
    const zm_cell_metric m = zm_metric_at(&v->problem->metric, i);
    const zm_dtype type = v->s->dtype;
    const double d11 = change_at(d->g11, type, i);
    const double d22 = v->problem->metric.g22 ? change_at(d->g22, type, i) : d11;
    const double n = code & 1 ? 1.0 : -1.0;
    const double unit = v->record->unit;
    /* counted in the unit: norms stay in the range; and as it is */
    const double x = (code & 2 ? n : t) * (v->s->grid.dx / unit), far_x = x * unit;
    const double y = (code & 2 ? t : n) * (v->s->grid.dy / unit), far_y = y * unit;
    const double norm = sqrt(m.g11 * x * x + 2 * m.g12 * x * y + m.g22 * y * y);
    const double dG = d11 * x * far_x + 2 * change_at(d->g12, type, i) * x * far_y +
                      d22 * y * far_y;

    return dG / (2 * norm) + change_at(d->b1, type, i) * far_x +
           change_at(d->b2, type, i) * far_y;
}

zm_status zm_blocks_tangent(const zm_engine_view *v, const zm_direction *d,
                            double *value, zm_error *err)
{
    const zm_blocks_record *r = zm_engine_record_part(v->record, &zm_blocks_engine);
    uint32_t *winner = (uint32_t *)(void *)v->workspaces->scratch;

    for (size_t i = 0; i < v->s->cells; i++)
        value[i] = r->code[i] & ZM_CODE_NONE
                       ? 0.0
                       : own_change(v, d, r->code[i],
                                    zm_plane_value(r->offset, v->s->dtype, i), i);
    if (d->source_times) {
        zm_source_winners(v->s->grid, v->problem, winner);
        for (size_t i = 0, cell; i < v->problem->n_sources; i++)
            if (source_counts(v, r, winner, i, &cell))
                value[cell] = d->source_times[i];
    }
    return zm_blocks_pull(v->s, v->workspaces, r, value) ? ZM_OK
                                                         : zm_record_unsettled(err);
}
