/* SPDX-License-Identifier: Apache-2.0
 * Fires that embers light ahead of the front.
 *
 * Embers of a cell depend on when it burns, and light sources; times depend on sources.  Both agree
 * in the end, because an ember takes its time: what a solve says up to a time tells all that
 * lands until then and a flight more, so that each round is right further than the one before. */
#include "fire/front/spotting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/random.h"
#include "fire/front/behaviour.h"
#include "fire/science/canopy.h"
#include "fire/science/spotting.h"
#include "fire/science/units.h"

enum { MOST_ROUNDS = 500 };

/* Where fire is lit, and from where. */
typedef struct spot {
    size_t cell, from;
    double time, distance;
} spot;

typedef struct spots {
    spot *v;
    size_t n, room;
    bool failed; /* out of memory */
} spots;

zm_status zm_front_spotting_check(const zm_spotting_opts *o, zm_error *err)
{
    if (!(o->probability >= 0 && o->probability <= 1))
        return zm_fail(err, ZM_E_ARG, -1, "probability %g of spotting, must be 0 to 1",
                       o->probability);
    if ((int)o->from < ZM_EMBERS_TORCHING || (int)o->from > ZM_EMBERS_BOTH)
        return zm_fail(err, ZM_E_ARG, -1, "embers from %d, must be a zm_ember_source",
                       (int)o->from);
    if (!(o->embers >= 0 && o->embers <= 1e6))
        return zm_fail(err, ZM_E_ARG, -1, "%g embers per ha, must be 0 to 1000000",
                       o->embers);
    if ((int)o->species < 0 || o->species >= ZM_TREE_SPECIES)
        return zm_fail(err, ZM_E_ARG, -1, "species %d, must be a zm_tree_species",
                       (int)o->species);
    if (!(o->diameter >= 1 && o->diameter <= 500))
        return zm_fail(err, ZM_E_ARG, -1, "stems of %g cm, must be 1 to 500",
                       o->diameter);
    if (!(o->trees >= 1 && o->trees <= 100))
        return zm_fail(err, ZM_E_ARG, -1, "%g trees torch together, must be 1 to 100",
                       o->trees);
    if (!(o->delay >= 0 && o->delay <= 1440))
        return zm_fail(err, ZM_E_ARG, -1,
                       "%g min until a spot spreads, must be 0 to 1440", o->delay);
    return ZM_OK;
}

static void push(const zm_physics *p, spots *s, spot one)
{
    if (s->n == s->room) {
        const size_t room = s->room > 0 ? 2 * s->room : 64;
        spot *v = zm_block(&p->mem, room, sizeof *v);

        if (!v) {
            s->failed = true;
            return;
        }
        if (s->n > 0)
            memcpy(v, s->v, s->n * sizeof *v);
        zm_release(&p->mem, s->v);
        s->v = v;
        s->room = room;
    }
    s->v[s->n++] = one;
}

/* ---- the flight of an ember --------------------------------------------------------- */

/* What lifts the embers of a cell and carries them. */
typedef struct lift {
    double height; /* m, the most */
    double drift;  /* m that the ember from there has gone with the plume */
    double cover;  /* m */
    double mph;    /* of the wind at 20 ft */
    double dx, dy; /* downwind, to the east and to the south */
} lift;

static bool lift_of(zm_physics *p, size_t cell, double time, double vx, double vy,
                    lift *out)
{
    const int32_t row = (int32_t)(cell / (size_t)p->land.cols),
                  col = (int32_t)(cell % (size_t)p->land.cols);
    const zm_spotting_opts *o = &p->spotting;
    const zm_canopy canopy = zm_canopy_at(&p->land, cell);
    const bool wooded = canopy.cover > 0 && canopy.height > 0;
    zm_cell_burning c;
    zm_behaviour b;

    if (!(o->from & (wooded ? ZM_EMBERS_TORCHING : ZM_EMBERS_SURFACE)) ||
        !zm_front_cell_burning(p, time, row, col, &c))
        return false;
    b = zm_front_behaviour(p, &c, vx, vy);
    *out = (lift){ .cover = wooded ? canopy.height : 0,
                   .mph = c.input[ZM_IN_WIND],
                   .dx = -sin(c.input[ZM_IN_WIND_DIR]),
                   .dy = cos(c.input[ZM_IN_WIND_DIR]) };
    if (wooded && b.activity != ZM_ACTIVITY_SURFACE) {
        const zm_torch torch = zm_torch_of(o->species, o->diameter, o->trees);

        out->height = zm_torch_lift(&torch, canopy.height);
    } else if (!wooded) {
        out->height = zm_ember_lift(b.intensity, out->mph);
        out->drift = zm_ember_drift(out->height, out->mph);
    }
    return out->height > 0 && out->mph > 0;
}

/* The cell in which an ember lands that a lift brought to a height; false: outside, or nowhere
 * else.  On the way it is at a distance x where level ground as high as the terrain there would
 * have stopped it: x = drift + F(height above that ground).  Burned out it flies no further. */
static bool land(const zm_physics *p, const lift *l, size_t from, double height,
                 size_t *cell, double *distance)
{
    const float *elevation = p->land.layers[ZM_LAYER_ELEVATION];
    const double row = (double)(from / (size_t)p->land.cols),
                 col = (double)(from % (size_t)p->land.cols);
    const double step = 0.5; /* cells */
    const double ground = (double)elevation[from], size = p->land.cell;
    const double drift = l->drift * height / l->height;
    size_t at = from;

    for (double x = step;; x += step) {
        const double r = round(row + x * l->dy), c = round(col + x * l->dx);
        double above;

        if (!(r >= 0 && c >= 0 && r < p->land.rows && c < p->land.cols))
            return false;
        at = zm_cell_number(p, (int32_t)r, (int32_t)c);
        above = height + ground - (double)elevation[at];
        if (above <= 0 ||
            x * size >= drift + zm_ember_distance(above, l->cover, l->mph)) {
            *cell = at;
            *distance = x * size;
            return at != from;
        }
    }
}

/* Whether the ember that came down lights what is there. */
static bool lights(zm_physics *p, size_t cell, double time, double share)
{
    const int32_t row = (int32_t)(cell / (size_t)p->land.cols),
                  col = (int32_t)(cell % (size_t)p->land.cols);
    const double hour = fmin(floor(time), zm_front_hours(p) - 1);
    const size_t record = (size_t)fmin(hour, (double)(p->fire.hours - 1));
    zm_cell_burning c;

    return !zm_front_barred(p, cell, time) &&
           zm_front_cell_burning(p, time, row, col, &c) &&
           share < zm_ember_lights(p->weather[record].temperature, c.input[ZM_IN_M1]);
}

/* Embers of a cell that burns at a time.  Each has its own numbers, whatever the others do. */
static void throw_embers(zm_physics *p, size_t cell, double time, double vx, double vy,
                         spots *out)
{
    const zm_spotting_opts *o = &p->spotting;
    const double mean = o->embers * p->land.cell * p->land.cell / 1e4;
    uint64_t seed = o->seed, draw = ~p->params.embers_draw, number = cell;
    uint64_t state = zm_random_bits(&seed) ^ zm_random_mix(zm_random_bits(&draw)) ^
                     zm_random_mix(zm_random_bits(&number) + 1);
    const int n = (int)floor(mean + zm_random_unit(&state));
    bool known = false;
    lift l;

    for (int i = 0; i < n; i++) {
        const double high = zm_random_unit(&state), kept = zm_random_unit(&state),
                     lit = zm_random_unit(&state);
        spot s = { .from = cell };

        if (!(kept < o->probability))
            continue;
        if (!known && !lift_of(p, cell, time, vx, vy, &l))
            return;
        known = true;
        if (!land(p, &l, cell, high * l.height, &s.cell, &s.distance))
            continue;
        s.time = time + zm_ember_flight(high * l.height) + o->delay / 60;
        if (s.time <= p->t_max && lights(p, s.cell, s.time, lit))
            push(p, out, s);
    }
}

/* ---- rounds ------------------------------------------------------------------------ */

/* By cell, the earliest first. */
static int by_cell(const void *a, const void *b)
{
    const spot *s = a, *t = b;

    if (s->cell != t->cell)
        return s->cell < t->cell ? -1 : 1;
    if (s->time != t->time)
        return s->time < t->time ? -1 : 1;
    return s->from < t->from ? -1 : s->from > t->from;
}

/* Those that come to ground which is not burned yet, the first in each cell. */
static void keep_first(const zm_physics *p, const double *T, spots *s)
{
    const double late = zm_front_late(p);
    size_t n = 0;

    if (s->n > 0)
        qsort(s->v, s->n, sizeof *s->v, by_cell);
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].time + late <= T[s->v[i].cell] &&
            (n == 0 || s->v[n - 1].cell != s->v[i].cell))
            s->v[n++] = s->v[i];
    s->n = n;
}

static bool same(const spots *a, const spots *b)
{
    bool equal = a->n == b->n;

    for (size_t i = 0; equal && i < a->n; i++)
        equal = a->v[i].cell == b->v[i].cell && a->v[i].time == b->v[i].time;
    return equal;
}

static zm_status look_for_spots(zm_physics *p, const double *T, double *flow,
                                spots *out, zm_error *err)
{
    const size_t n = (size_t)p->land.rows * (size_t)p->land.cols;

    out->n = 0;
    ZM_TRY(zm_front_flow(p, flow, flow + n, err));
    for (size_t i = 0; i < n; i++)
        if (T[i] < INFINITY)
            throw_embers(p, i, T[i], flow[i], flow[n + i], out);
    p->spots.landed = (int64_t)out->n;
    keep_first(p, T, out);
    if (out->failed || zm_value_missing(p))
        return zm_fail(err, ZM_E_NOMEM, -1, "embers");
    return ZM_OK;
}

/* The problem with these spots as sources, point fires that are late as the ignition is. */
static zm_status set_sources(zm_physics *p, const spots *s, zm_error *err)
{
    zm_source *all = zm_block(&p->mem, p->n_lit + s->n, sizeof *all);

    if (!all)
        return zm_fail(err, ZM_E_NOMEM, -1, "%zu spots", s->n);
    memcpy(all, p->sources, p->n_lit * sizeof *all);
    for (size_t i = 0; i < s->n; i++)
        all[p->n_lit + i] = (zm_source){ (double)(s->v[i].cell / (size_t)p->land.cols),
                                         (double)(s->v[i].cell % (size_t)p->land.cols),
                                         s->v[i].time + zm_front_late(p) };
    zm_release(&p->mem, p->sources);
    p->sources = all;
    p->problem.sources = all;
    p->problem.n_sources = p->n_lit + s->n;
    zm_front_set_walls(p);
    return ZM_OK;
}

static void tell(zm_physics *p, const spots *s, int32_t rounds)
{
    p->spots.spots = (int64_t)s->n;
    p->spots.rounds = rounds;
    for (size_t i = 0; i < s->n; i++)
        p->spots.farthest = fmax(p->spots.farthest, s->v[i].distance);
}

zm_status zm_front_solve_spotting(zm_physics *p, double *T, zm_error *err)
{
    const size_t n = (size_t)p->land.rows * (size_t)p->land.cols;
    spots now = { .v = NULL }, next = { .v = NULL };
    double *flow = zm_block(&p->mem, 2 * n, sizeof *flow);
    zm_status st = ZM_OK, solved;
    int32_t round = 0;
    bool agreed = false;

    if (!flow)
        ZM_GO(zm_fail(err, ZM_E_NOMEM, -1, "flow of %zu cells", n));
    while (!agreed && round++ < MOST_ROUNDS) {
        const spots swap = now;

        ZM_GO(solved = zm_front_solve(p, T, err));
        p->has_travel_time = true; /* for the flow */
        ZM_GO(look_for_spots(p, T, flow, &next, err));
        agreed = same(&now, &next);
        now = next;
        next = swap;
        if (!agreed)
            ZM_GO(set_sources(p, &now, err));
    }
    tell(p, &now, round);
    st = agreed ? solved : ZM_NOT_CONVERGED;
done:
    if (st < 0)
        p->has_travel_time = false;
    zm_release(&p->mem, flow);
    zm_release(&p->mem, now.v);
    zm_release(&p->mem, next.v);
    return st;
}
