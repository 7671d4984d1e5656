/* SPDX-License-Identifier: Apache-2.0
 * What adjoint and tangent have in common. */
#ifndef ZM_ADJOINT_DERIVATIVE_H
#define ZM_ADJOINT_DERIVATIVE_H

#include <math.h>

#include "eikonal/record/graph.h"
#include "eikonal/problem/problem.h"

/** One problem to be differentiated, with lanes[0 .. threads). */
typedef struct zm_derivative_job {
    zm_solver *s;
    zm_lane *lanes;
    int32_t threads;
    zm_record *record;
    const zm_problem *problem;
    const void *T;
} zm_derivative_job;

/** Checks the arguments and that the record belongs to a finished solve. */
zm_status zm_derivative_check(const zm_derivative_job *job, zm_error *err);

/** The same, then works out the donor graph. */
zm_status zm_derivative_begin(const zm_derivative_job *job, zm_error *err);

/** Whether T is INFINITY in this cell: nothing came, or it came after t_max. */
static inline bool zm_derivative_unreached(const zm_derivative_job *job, size_t cell)
{
    if (job->record->marched)
        return job->record->march->steps[cell].kind == ZM_STEP_NONE;
    return job->record->code[cell] == ZM_CODE_UNREACHED ||
           (job->record->has_late && isinf(zm_plane_value(job->T, job->s->dtype, cell)));
}

/** ZM_E_UNSUPPORTED if positions of sources are asked for and the solve has them fixed. */
zm_status zm_derivative_check_places(const zm_derivative_job *job, bool places, zm_error *err);

/** ZM_OK, or ZM_NOT_CONVERGED with a message if a cycle of donors did not settle. */
zm_status zm_derivative_settled(bool settled, zm_error *err);

/** For each source cell the index of the source that counts: the earliest, of equals the
 *  first.  In lane->scratch, by cell. */
uint32_t *zm_source_winners(const zm_solver *s, zm_lane *lane, const zm_problem *p);

typedef zm_status zm_derivative_fn(void *ctx, size_t i, const zm_derivative_job *job,
                                   zm_error *err);

/** Calls fn for problems 0 .. n-1 on the solver's threads; first failure wins. */
zm_status zm_derivative_batch(zm_solver *s, const zm_problem *problems, size_t n,
                              const void *const *T, zm_derivative_fn *fn, void *ctx,
                              zm_error *err);

#endif
