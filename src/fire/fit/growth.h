/* SPDX-License-Identifier: Apache-2.0
 * Cases of growth, inside: what a law is given of each cell. */
#ifndef ZM_FIRE_GROWTH_H
#define ZM_FIRE_GROWTH_H

#include "core/memory.h"
#include "zermelo/fire/forecast.h"

/** Cells outside the perimeter, n of them; distances in units of 100 m. */
struct zm_growth_case {
    zm_alloc mem;
    size_t cells, n; /* of the landscape; outside */
    size_t *cell;    /* their numbers */
    uint8_t *grown;  /* what had burned by the time of the forecast; NULL: not known */
    double *log_distance;
    double *log_model, *variance; /* log P, mean and variance over the state */
    double *edge, *moved;         /* A, B */
    uint8_t *barren;              /* cannot burn */
    double log_radius, log_time, memory, observed;
};

/** Standard unit of lengths in cells: 100 m. */
static inline double zm_fit_unit(const zm_landscape *land)
{
    return 100.0 / land->cell;
}

/**
 * Distance of every cell from the nearest cell of a mask, in cells, 0 in it, and that cell's number;
 * INFINITY and -1 where the mask is empty.
 */
zm_status zm_fit_distance(const uint8_t *mask, int32_t rows, int32_t cols,
                          const zm_alloc *mem, double *distance, int64_t *nearest,
                          zm_error *err);

/** How far the perimeter has come about each of its edge cells: see zm_growth_law.  `edge` and `moved`
 *  are of the cells of the landscape, by their nearest cell in the perimeter. */
zm_status zm_fit_edges(const uint8_t *earlier, const uint8_t *mask,
                       const zm_landscape *land, const int64_t *nearest,
                       const zm_alloc *mem, double *edge, double *moved, zm_error *err);

/** A case that knows the perimeter alone. */
zm_status zm_fit_case_of_mask(const zm_landscape *land, const uint8_t *mask,
                              double hours, zm_growth_case **out, zm_error *err);

enum { ZM_LAW_PARAMETERS = 10 };

/** Probability of cell i of a case, and its derivatives with respect to the parameters of the law in
 *  their order; d NULL: not wanted. */
double zm_fit_law_probability(const zm_growth_case *c, size_t i,
                              const zm_growth_law *law, double *d);

/** The parameters as an array. */
double *zm_fit_law_parameters(zm_growth_law *law);

#endif
