/* SPDX-License-Identifier: Apache-2.0
 * Looking at a solved problem: what derivatives, paths and diagnostics have in common. */
#ifndef ZM_RECORD_VIEW_H
#define ZM_RECORD_VIEW_H

#include "eikonal/engine.h"

#define ZM_RECORD_ALL_THREADS (-1)

/**
 * The last solve of slot `slot`, prepared to be looked at.
 *
 * @param view        out  points into itself: it must not be copied
 * @param thread      in   the one of the solver's that looks, or ZM_RECORD_ALL_THREADS
 * @param derivatives in   also prepare what these need
 * @return ZM_OK; ZM_E_STATE (no such solve, or the problem is another one); ZM_E_ARG;
 *         ZM_E_SOURCE; ZM_E_NOMEM
 */
zm_status zm_record_open(zm_engine_view *view, zm_solver *s, size_t slot, int32_t thread,
                         const zm_problem *given, const void *T, bool derivatives,
                         zm_error *err);

static inline zm_node zm_record_node(const zm_engine_view *view, size_t cell)
{
    return view->record->engine->node(view, cell);
}

/** A derivative of one problem: `i` is its number in the batch. */
typedef zm_status zm_derivative_fn(const void *ctx, size_t i,
                                   const zm_engine_view *view, zm_error *err);

/** Calls fn for slots 0 .. n-1, each on one of the solver's threads; first failure wins. */
zm_status zm_derivative_all(zm_solver *s, const zm_problem *problems, size_t n,
                            const void *const *T, zm_derivative_fn *fn, const void *ctx,
                            zm_error *err);

/** ZM_E_UNSUPPORTED if derivatives with respect to positions of sources are asked for and all
 *  sources are in the middle of cells. */
zm_status zm_derivative_check_places(const zm_problem *problem, bool places,
                                     zm_error *err);

#endif
