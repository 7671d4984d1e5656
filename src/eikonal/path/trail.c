/* SPDX-License-Identifier: Apache-2.0
 * The record of a solve as paths see it. */
#include "eikonal/path/trail.h"

#include <math.h>

#include "eikonal/record/derivative.h"
#include "eikonal/marching/origin.h"

zm_status zm_trail_open(zm_trail *trail, zm_solver *s, const zm_problem *problem,
                        const void *T, zm_error *err)
{
    const zm_derivative_job job = {
        s, s->lanes, s->threads, &s->records[0], problem, T
    };
    zm_status st;

    if (job.record->state == ZM_RECORD_NONE)
        return zm_fail(err, ZM_E_STATE, -1,
                       "no solve to look at: call zm_forward on this solver first");
    st = zm_derivative_check(&job, err);
    if (st != ZM_OK)
        return st;
    if (job.record->marched)
        st = zm_march_ready(s, job.record, problem, T, err);
    else
        zm_graph_stencils(s, s->lanes, job.record, problem, T, s->threads);
    if (st != ZM_OK)
        return st;
    *trail = (zm_trail){ .ground = { .grid = s->grid,
                                     .problem = problem,
                                     .periodic_x = s->scheme.periodic_x,
                                     .periodic_y = s->scheme.periodic_y },
                         .s = s,
                         .record = job.record,
                         .T = T };
    return ZM_OK;
}

double zm_trail_time(const zm_trail *trail, size_t cell)
{
    return trail->record->marched ? trail->record->march->T[cell]
                                  : zm_plane_value(trail->T, trail->s->dtype, cell);
}

static zm_place march_away(const zm_march *m, size_t cell)
{
    const zm_away d = zm_origin_away(m, &m->origins[zm_march_source(m, cell)],
                                     zm_march_row(m, cell), zm_march_col(m, cell));

    return (zm_place){ d.x, d.y };
}

/* Second differences see their donor at 2/3 of its offset. */
static zm_arrival march_arrival(const zm_march *m, size_t cell)
{
    const zm_step *s = &m->steps[cell];
    const double first = s->second[0] ? s->w * (2.0 / 3) : s->w;
    const double other = s->second[1] ? (1 - s->w) * (2.0 / 3) : 1 - s->w;
    const int heavier = s->w < 0.5,
              lighter = s->w == 0 || s->w == 1 ? heavier : !heavier;
    zm_arrival a = { .kind = s->kind };

    if (s->kind == ZM_STEP_SOURCE) {
        const zm_place d = march_away(m, cell);

        a.x = d.x;
        a.y = d.y;
    } else if (s->kind == ZM_STEP_DONORS) {
        a.m[0] = s->m[heavier];
        a.m[1] = s->m[lighter];
        a.x = -(first * s->m[0].x + other * s->m[1].x);
        a.y = -(first * s->m[0].y + other * s->m[1].y);
    }
    return a;
}

/* Seen from the winning sweep the donors are at (0, n) and (+-1, n) and the front came from
 * (t, n), with n = -1 or 1 across the swept line and |t| the weight of the second. */
static zm_arrival tile_arrival(uint8_t code, double t)
{
    const int16_t n = code & 1 ? 1 : -1, side = code & ZM_CODE_BACK ? -1 : 1;
    const bool column = code & 2, only = code & (ZM_CODE_AXIS | ZM_CODE_DIAGONAL);
    const zm_offset axis = column ? (zm_offset){ n, 0 } : (zm_offset){ 0, n };
    const zm_offset diagonal = column ? (zm_offset){ n, side } : (zm_offset){ side, n };
    const bool along =
        code & ZM_CODE_DIAGONAL || (!(code & ZM_CODE_AXIS) && fabs(t) > 0.5);
    const zm_offset heavier = along ? diagonal : axis,
                    lighter = along ? axis : diagonal;

    return (zm_arrival){ .kind = ZM_STEP_DONORS,
                         .m = { heavier, only ? heavier : lighter },
                         .x = column ? -n : -t,
                         .y = column ? -t : -n };
}

zm_arrival zm_trail_arrival(const zm_trail *trail, size_t cell)
{
    const zm_record *r = trail->record;

    if (r->marched)
        return march_arrival(r->march, cell);
    if (isinf(zm_trail_time(trail, cell)) || r->code[cell] == ZM_CODE_UNREACHED)
        return (zm_arrival){ .kind = ZM_STEP_NONE };
    if (r->code[cell] == ZM_CODE_SOURCE)
        return (zm_arrival){ .kind = ZM_STEP_SOURCE };
    return tile_arrival(r->code[cell],
                        zm_plane_value(r->offset, trail->s->dtype, cell));
}

size_t zm_trail_donor(const zm_trail *trail, size_t cell, const zm_arrival *a, int i)
{
    const int32_t cols = trail->ground.grid.cols;
    size_t donor = cell;

    zm_terrain_cell(&trail->ground, (int32_t)cell / cols + a->m[i].y,
                    (int32_t)cell % cols + a->m[i].x, &donor);
    return donor;
}

bool zm_trail_earlier(const zm_trail *trail, size_t donor, size_t cell)
{
    const zm_record *r = trail->record;

    if (!r->marched)
        return zm_trail_time(trail, donor) < zm_trail_time(trail, cell);
    return r->march->steps[donor].kind != ZM_STEP_NONE &&
           r->march->heap.place[donor] < r->march->heap.place[cell];
}

int32_t zm_trail_source(const zm_trail *trail, size_t cell)
{
    const zm_problem *p = trail->ground.problem;
    int32_t winner = -1;

    if (trail->record->marched)
        return (int32_t)zm_march_source(trail->record->march, cell);
    for (size_t i = 0; i < p->n_sources; i++)
        if (zm_source_cell(trail->ground.grid, &p->sources[i]) == cell &&
            (winner < 0 || p->sources[i].time < p->sources[winner].time))
            winner = (int32_t)i;
    return winner;
}

zm_cell_metric zm_trail_source_metric(const zm_trail *trail, size_t cell)
{
    const zm_record *r = trail->record;

    return r->marched ? r->march->origins[zm_march_source(r->march, cell)].metric
                      : zm_terrain_metric(&trail->ground, cell);
}
