/* SPDX-License-Identifier: Apache-2.0
 * Tracing a path back to its source.
 *
 * The path follows the flow backwards in steps of half a cell (midpoint rule) as long as
 * each step meets no wall and gets earlier by a fair part of its cost.  Where that fails -
 * at walls, at shocks, where the field is rough - it goes from the cell it is in to its
 * donors and on to theirs, until one is earlier than the path has been.  So time decreases
 * from each stop to the next, by at least some share of the cost of half a cell or to that
 * of one of the cells, and the path ends at a source. */
#include "eikonal/path/trace.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"

static const double STEP = 0.5; /* cells */
/* A step must get earlier by this part of what it costs.  Interpolated times are off by the
 * curvature of the front, which in strong metrics is much of a cell's cost. */
static const double GAIN = 0.1;

void zm_path_places_free(zm_path_places *p, const zm_alloc *mem)
{
    zm_release(mem, p->at);
    *p = (zm_path_places){ 0 };
}

typedef struct tracer {
    const zm_path_trail *trail;
    zm_path_places *places;
    zm_path_place p;     /* where it is */
    zm_path_passing now; /* there */
    size_t cell;         /* it is in */
    int32_t row, col;
    bool no_memory;
} tracer;

static bool stands_at(tracer *t, zm_path_place p)
{
    t->p = p;
    t->row = zm_path_line_of(p.y);
    t->col = zm_path_line_of(p.x);
    return zm_path_ground_cell(&t->trail->ground, t->row, t->col, &t->cell) &&
           zm_path_passing_at(t->trail, p, &t->now);
}

/* One more point, unless it is there already. */
static bool add(tracer *t, zm_path_place p)
{
    zm_path_places *all = t->places;

    if (all->n > 0 && all->at[all->n - 1].x == p.x && all->at[all->n - 1].y == p.y)
        return true;
    if (all->n == all->room) {
        const size_t room = all->room ? 2 * all->room : 256;
        zm_path_place *more = zm_block(&t->trail->view.s->mem, room, sizeof *more);

        t->no_memory = !more;
        if (!more)
            return false;
        if (all->n)
            memcpy(more, all->at, all->n * sizeof *more);
        zm_release(&t->trail->view.s->mem, all->at);
        all->at = more;
        all->room = room;
    }
    all->at[all->n++] = p;
    return true;
}

static double within(double x, int32_t side, bool periodic)
{
    return periodic ? x : fmin(fmax(x, 0), side - 1);
}

/* `length` back along a direction, not beyond the middles of the outermost cells. */
static zm_path_place back(const tracer *t, const zm_path_passing *along, double length)
{
    const zm_path_ground *g = &t->trail->ground;

    return (zm_path_place){
        within(t->p.x - length * along->x, g->grid.cols, g->periodic_x),
        within(t->p.y - length * along->y, g->grid.rows, g->periodic_y),
    };
}

/* Whether it goes straight to q, and gets earlier fast enough. */
static bool go(tracer *t, zm_path_place q)
{
    const zm_node node = zm_path_trail_node(t->trail, t->cell);
    const double cost = zm_path_cost_of(&node.metric, t->p.x - q.x, t->p.y - q.y);
    tracer there = *t;

    if (!(cost > 0) || !zm_path_way_clear(&t->trail->ground, t->p, q) ||
        !stands_at(&there, q) || !(there.now.time <= t->now.time - GAIN * cost))
        return false;
    *t = there;
    return true;
}

/* One step with the flow: midpoint rule, else a straight one. */
static bool follow_flow(tracer *t)
{
    zm_path_passing middle;

    return (zm_path_passing_at(t->trail, back(t, &t->now, STEP / 2), &middle) &&
            go(t, back(t, &middle, STEP))) ||
           go(t, back(t, &t->now, STEP)) || go(t, back(t, &t->now, STEP / 4));
}

/* A cell of the search below, by its place on the unwound grid. */
typedef struct stop {
    int32_t row, col;
} stop;

static zm_path_place middle_of(stop s)
{
    return (zm_path_place){ s.col, s.row };
}

static stop stop_at_donor(stop s, const zm_node *n, int i)
{
    const zm_local_offset m = zm_path_trail_offset(n, i);

    return (stop){ s.row + m.y, s.col + m.x };
}

/* Donors of donors, from the cell it is in to one that is earlier than the path has been or
 * that a source starts: depth first, of two donors the heavier one first if it is earlier.
 * The cells on the way go to `way`, which has room for all cells; 0: there is none. */
static size_t find_earlier(const tracer *t, stop *way)
{
    const zm_path_trail *trail = t->trail;
    uint8_t *tried = trail->view.workspaces->users;
    size_t depth = 0;

    memset(tried, 0, trail->view.s->cells);
    way[depth++] = (stop){ t->row, t->col };
    while (depth > 0) {
        const stop here = way[depth - 1];
        size_t cell, donor;
        zm_node n;
        int i;

        if (!zm_path_ground_cell(&trail->ground, here.row, here.col, &cell))
            return 0;
        n = zm_path_trail_node(trail, cell);
        if (n.kind == ZM_NODE_SOURCE || (depth > 1 && n.time < t->now.time))
            return depth;
        if (n.kind == ZM_NODE_UNREACHED || tried[cell] == 2) {
            tried[cell] = 2;
            depth--;
            continue;
        }
        i = tried[cell]++;
        if (!zm_path_trail_earlier(trail, zm_path_trail_donor(trail, cell, &n, 0), &n))
            i = 1 - i;
        donor = zm_path_trail_donor(trail, cell, &n, i);
        if (!tried[donor])
            way[depth++] = stop_at_donor(here, &n, i);
    }
    return 0;
}

/* Goes along the middles of cells, straight to the last one that nothing stands before. */
static bool follow_stops(tracer *t, const stop *way, size_t n)
{
    for (size_t next = 0, after = 0; after < n; after = next + 1) {
        next = n - 1;
        while (next > after &&
               !zm_path_way_clear(&t->trail->ground, t->p, middle_of(way[next])))
            next--;
        if (!stands_at(t, middle_of(way[next])) || !add(t, t->p))
            return false;
    }
    return true;
}

/* Straight from the point it is at, or from the middle of its cell, to a source; or over
 * the middle of the source's cell, which the cells that start see. */
static bool finish_at(tracer *t, zm_path_place source, bool anyway, bool *room)
{
    const zm_path_ground *ground = &t->trail->ground;
    const zm_path_place middle = { t->col, t->row };
    const zm_path_place home = { zm_path_line_of(source.x), zm_path_line_of(source.y) };

    if (zm_path_way_clear(ground, t->p, source))
        *room = add(t, source);
    else if (zm_path_way_clear(ground, middle, source))
        *room = add(t, middle) && add(t, source);
    else if (zm_path_way_clear(ground, t->p, home))
        *room = add(t, home) && add(t, source);
    else if (anyway || zm_path_way_clear(ground, middle, home))
        *room = add(t, middle) && add(t, home) && add(t, source);
    else
        return false;
    return true;
}

/* Images of a source on a closed grid that are tried: stencils of strong metrics can be
 * several times as long as a narrow grid is wide. */
enum { IMAGES = 8 };

/* The last step, from a cell that a source starts.  On a closed grid it may not be the
 * nearest image of the source that the cell sees: others follow, on both sides. */
static bool finish(tracer *t, const zm_node *a)
{
    const zm_path_ground *g = &t->trail->ground;
    const zm_path_place nearest = { t->col - a->x, t->row - a->y };
    bool room = true;

    for (int i = 0; i <= (g->periodic_y ? 2 * IMAGES : 0); i++)
        for (int j = 0; j <= (g->periodic_x ? 2 * IMAGES : 0); j++) {
            const int32_t down = i % 2 ? (i + 1) / 2 : -i / 2;
            const int32_t across = j % 2 ? (j + 1) / 2 : -j / 2;
            const zm_path_place image = { nearest.x + (double)across * g->grid.cols,
                                          nearest.y + (double)down * g->grid.rows };

            if (finish_at(t, image, false, &room))
                return room;
        }
    finish_at(t, nearest, true, &room);
    return room;
}

/* More points than this no path has: the times are being changed while it is traced, and it goes
 * round in circles.  Where the flow of a needle-like metric is pressed into a few rows a path
 * goes up and down between their borders: of 12 cells, with eigenvalues 4307:1, one has 226. */
enum { MOST_POINTS_A_CELL = 16, FEW_CELLS = 1000 };

zm_status zm_path_trace(const zm_path_trail *trail, zm_path_place start,
                        zm_path_places *places, int32_t *source, zm_error *err)
{
    const size_t most = MOST_POINTS_A_CELL * (trail->view.s->cells + FEW_CELLS);
    tracer t = { .trail = trail, .places = places };
    stop *way = (stop *)(void *)trail->view.workspaces->lambda;
    bool room = stands_at(&t, start) && add(&t, start);
    zm_node node;

    while (room && (node = zm_path_trail_node(trail, t.cell)).kind != ZM_NODE_SOURCE) {
        size_t n;

        if (places->n > most)
            return zm_record_changed(err);
        if (follow_flow(&t)) {
            room = add(&t, t.p);
            continue;
        }
        n = find_earlier(&t, way);
        if (n == 0)
            return zm_fail(err, ZM_NOT_CONVERGED, (int64_t)t.cell,
                           "the donors of row %d, col %d lead to no source: solve with "
                           "tol = 0 and without a limit of iterations",
                           (int)t.row, (int)t.col);
        room = follow_stops(&t, way, n);
    }
    if (!room || !finish(&t, &node))
        return t.no_memory ? zm_fail(err, ZM_E_NOMEM, -1,
                                     "no memory for a path of %zu points", places->n)
                           : zm_record_changed(err);
    *source = zm_path_trail_source(trail, t.cell, &node);
    return *source >= 0 ? ZM_OK : zm_record_changed(err);
}
