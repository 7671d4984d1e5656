/* SPDX-License-Identifier: Apache-2.0
 * Whole planes of an hour: metric, ellipses, moisture; and derivatives of the metric. */
#include <math.h>

#include "core/fail.h"
#include "core/options.h"
#include "core/pi.h"
#include "fire/front/change.h"

static zm_status need_hour(const zm_physics *p, int32_t hour, zm_error *err)
{
    ZM_TRY(zm_front_need_fire(p, err));
    if (hour < 0 || hour >= zm_front_hours(p))
        return zm_fail(err, ZM_E_ARG, -1, "hour %d of %d", (int)hour,
                       (int)zm_front_hours(p));
    return ZM_OK;
}

static zm_status memory_held(const zm_physics *p, zm_error *err)
{
    if (zm_value_missing(p))
        return zm_fail(err, ZM_E_NOMEM, -1, "planes of %d x %d cells",
                       (int)p->land.rows, (int)p->land.cols);
    return ZM_OK;
}

zm_status zm_physics_metric(zm_physics *p, int32_t hour, double *const planes[5],
                            uint8_t *walls, zm_error *err)
{
    static const double wall[5] = { 1, 0, 1, 0, 0 };

    ZM_TRY(need_hour(p, hour, err));
    for (int32_t row = 0; row < p->land.rows; row++)
        for (int32_t col = 0; col < p->land.cols; col++) {
            const zm_cell_metric *m = zm_lazy_get(&p->smooth, hour, row, col);
            const size_t i = zm_cell_number(p, row, col);

            for (int k = 0; k < 5; k++)
                planes[k][i] = zm_burns(m) ? m->m[k] : wall[k];
            if (walls)
                walls[i] = !zm_burns(m);
        }
    return memory_held(p, err);
}

zm_status zm_physics_metric_tangent(zm_physics *p, int32_t hour,
                                    const zm_physics_change *change,
                                    double *const d_planes[5], zm_error *err)
{
    zm_physics_change copy = ZM_PHYSICS_CHANGE_INIT; /* only read */
    zm_change_pass pass;
    zm_status st = need_hour(p, hour, err);

    if (st == ZM_OK)
        st = zm_options_read(&copy, sizeof copy, change, "zm_physics_change", err);
    if (st == ZM_OK)
        st = zm_change_open(&pass, p, &copy, true, err);
    if (st != ZM_OK)
        return st;
    for (int32_t row = 0; row < p->land.rows; row++)
        for (int32_t col = 0; col < p->land.cols; col++) {
            double d[5];

            zm_change_tangent(&pass, hour, row, col, d);
            for (int k = 0; k < 5; k++)
                d_planes[k][zm_cell_number(p, row, col)] = d[k];
        }
    st = zm_change_held(&pass, err);
    zm_change_close(&pass);
    return st;
}

zm_status zm_physics_metric_adjoint(zm_physics *p, int32_t hour,
                                    const double *const weights[5],
                                    zm_physics_change *change, zm_error *err)
{
    zm_change_pass pass;
    zm_status st = need_hour(p, hour, err);

    if (st == ZM_OK)
        st = zm_change_open(&pass, p, change, false, err);
    if (st != ZM_OK)
        return st;
    for (int32_t row = 0; row < p->land.rows; row++)
        for (int32_t col = 0; col < p->land.cols; col++) {
            const size_t i = zm_cell_number(p, row, col);
            double *g, any = 0;

            for (int k = 0; k < 5; k++)
                any += fabs(weights[k][i]);
            if (any == 0)
                continue;
            g = zm_lazy_get(&pass.smooth, hour, row, col);
            for (int k = 0; k < 5; k++)
                g[k] += weights[k][i];
        }
    st = zm_change_gather(&pass, err);
    zm_change_close(&pass);
    return st;
}

static void write_ellipse(const zm_shape *shape, bool burns, size_t i,
                          const zm_ellipse_planes *out)
{
    const double turn = 180 / ZM_PI;

    if (out->head)
        out->head[i] = burns ? shape->head.v : 0;
    if (out->flank)
        out->flank[i] = burns ? shape->flank.v : 0;
    if (out->back)
        out->back[i] = burns ? shape->back.v : 0;
    if (out->heading) {
        const double heading = burns ? fmod(shape->from.v * turn + 180, 360) : 0;

        out->heading[i] = heading < 0 ? heading + 360 : heading;
    }
    if (out->crowns)
        out->crowns[i] = burns && shape->crowns;
}

zm_status zm_physics_ellipses(zm_physics *p, int32_t hour, const zm_ellipse_planes *out,
                              zm_error *err)
{
    ZM_TRY(need_hour(p, hour, err));
    for (int32_t row = 0; row < p->land.rows; row++)
        for (int32_t col = 0; col < p->land.cols; col++) {
            const zm_site *site = zm_lazy_get(&p->sites, 0, row, col);
            double input[ZM_CELL_INPUTS];
            zm_shape shape;
            bool burns = false;

            if (site->bed) {
                zm_front_cell_inputs(&p->middle, hour, row, col, input);
                zm_spread_cell_shape(site, &p->rules, input, 0, &shape);
                burns = shape.head.v > 0;
            }
            write_ellipse(&shape, burns, zm_cell_number(p, row, col), out);
        }
    return memory_held(p, err);
}

zm_status zm_physics_moisture(zm_physics *p, int32_t hour, double *const planes[3],
                              zm_error *err)
{
    ZM_TRY(need_hour(p, hour, err));
    for (int32_t row = 0; row < p->land.rows; row++)
        for (int32_t col = 0; col < p->land.cols; col++) {
            const size_t cell = zm_cell_number(p, row, col);
            double dead[ZM_DEAD], unused;

            zm_front_dead_moisture(&p->middle, hour, row, col, dead);
            for (int c = 0; c < ZM_DEAD; c++)
                planes[c][cell] =
                    100 * zm_front_offset_moisture(p, cell, dead[c], &unused);
        }
    return memory_held(p, err);
}
