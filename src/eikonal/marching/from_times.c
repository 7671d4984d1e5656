/* SPDX-License-Identifier: Apache-2.0
 * Taking over times that another engine found. */
#include <math.h>

#include "core/fail.h"
#include "eikonal/marching/march.h"

/* A march of its own, where rounding has left too little of the order of the times: cells
 * have the same time as their donors.  It must come to these times. */
static zm_status march_again(zm_march *m, const zm_problem *problem, const void *T,
                             zm_error *err)
{
    const zm_dtype dtype = problem->metric.dtype;
    zm_forward_opts stop = ZM_FORWARD_OPTS_INIT;

    stop.t_max = -(double)INFINITY;
    for (size_t i = 0; i < m->cells; i++)
        if (zm_plane_value(T, dtype, i) < (double)INFINITY)
            stop.t_max = fmax(stop.t_max, zm_plane_value(T, dtype, i));
    ZM_TRY(zm_march_solve(m, problem, &stop, err));
    for (size_t i = 0; i < m->cells; i++) {
        const double time = fmin(zm_plane_value(T, dtype, i), stop.t_max);
        const double unsure =
            (dtype == ZM_F32 ? 5e-7 : 1e-12) * (fabs(time) + fabs(m->start * m->unit));

        if (!(fabs(fmin(m->T[i] * m->unit, stop.t_max) - time) <= unsure)) {
            m->has_times = false; /* the next look must not take these for the caller's */
            return zm_record_changed(err);
        }
    }
    zm_march_steps(m);
    return ZM_OK;
}

zm_status zm_march_from_times(zm_march *m, const zm_problem *problem, const void *T,
                              zm_error *err)
{
    const zm_dtype dtype = problem->metric.dtype;

    ZM_TRY(zm_march_begin(m, problem, err));
    m->heap.n = 0;
    for (size_t i = 0; i < m->cells; i++) {
        const double given = zm_plane_value(T, dtype, i), time = given / m->unit - m->start;

        if (m->steps[i].kind == ZM_NODE_SOURCE &&
            given < zm_plane_round(dtype, zm_march_absolute(m, i) * m->unit))
            m->steps[i].kind = ZM_NODE_DONORS; /* another front was there before */
        m->T[i] = time;
        m->heap.place[i] = ZM_HEAP_ABSENT;
        if (time < (double)INFINITY)
            zm_heap_push(&m->heap, (uint32_t)i, time);
    }
    m->n_order = 0;
    while (m->heap.n > 0)
        m->order[m->n_order++] = zm_heap_pop(&m->heap).cell;
    zm_march_rank_cells(m);
    for (size_t i = 0; i < m->n_order; i++) {
        const size_t cell = m->order[i];

        if (m->steps[cell].kind != ZM_NODE_SOURCE)
            m->T[cell] = zm_march_refine_cell(m, cell, m->T, (int32_t)i);
        if (m->steps[cell].kind == ZM_NODE_UNREACHED)
            return march_again(m, problem, T, err);
        m->label[cell] = m->steps[cell].label;
    }
    m->has_times = m->has_steps = true;
    m->limit = (double)INFINITY;
    zm_march_times_finish(m, dtype, (double)INFINITY);
    return ZM_OK;
}
