/* SPDX-License-Identifier: Apache-2.0
 * Transport along the donor graph.
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

bool zm_blocks_push(const zm_solver *s, zm_workspace *w, const zm_blocks_record *record,
                    double *lambda)
{
    const graph_view v = view_of(s, w, record);

    return s->dtype == ZM_F32 ? push_f32(&v, lambda) : push_f64(&v, lambda);
}

bool zm_blocks_pull(const zm_solver *s, zm_workspace *w, const zm_blocks_record *record,
                    double *value)
{
    const graph_view v = view_of(s, w, record);

    return s->dtype == ZM_F32 ? pull_f32(&v, value) : pull_f64(&v, value);
}
