/* SPDX-License-Identifier: Apache-2.0
 * The regulariser of an inversion: lambda R(theta), its quadratic models, and the
 * preconditioner they give.
 *
 * R is that of zermelo/reg.h with unit weights (theta is scaled).  Frozen at u, with
 * G = D u over all fields of a cell, eta = sqrt(|G|^2 + eps^2) and lagged weights w:
 *
 *     lagged       lambda D' W D
 *     primal-dual  lambda D' W (I - (z q' + q z')/2) D,     q = G / eta, |z| <= 1
 *
 * The second, for TV only, is the Newton operator of Chan, Golub and Mulet (1999) for
 * u and the dual field z together: reweighting alone moves edges very slowly. */
#ifndef ZM_INVERT_PENALTY_H
#define ZM_INVERT_PENALTY_H

#include <stdbool.h>

#include "inverse/regularise/multigrid.h"
#include "zermelo/reg.h"

typedef struct zm_penalty {
    zm_grid grid;
    zm_alloc mem;
    const uint8_t *walls;
    size_t n, n_fields;
    /* What it is at present: */
    zm_reg_kind kind; /* TV, H1, TIKHONOV or LOG */
    double eps, lambda;
    double *reference; /* TIKHONOV: n_fields * n; borrowed */
    bool loose;        /* see zm_penalty_loosen */
    /* Frozen: */
    double *w, *right, *below; /* n; lambda is in the edges, not in w */
    double *scratch;           /* n */
    double *q, *z, *flux;      /* 2 * n_fields * n: x and y of each field in turn */
    zm_multigrid *multigrid;
} zm_penalty;

/** Takes memory; grid, mem, walls, n_fields must be set, all else zero. */
zm_status zm_penalty_create(zm_penalty *p, zm_error *err);
void zm_penalty_destroy(zm_penalty *p);

/** out = D theta, two planes a field. */
void zm_penalty_difference(const zm_penalty *p, const double *theta, double *out);

/** R at theta, without lambda. */
zm_status zm_penalty_value(const zm_penalty *p, const double *theta, double *R,
                           zm_error *err);

/** From here on, until `loose` is cleared, R is the quadratic form |W^1/2 D theta|^2 / 2 with
 *  the weights of theta, each replaced by the least among the cell and its neighbours: a
 *  step then may move an edge by a cell. */
zm_status zm_penalty_loosen(zm_penalty *p, const double *theta, zm_error *err);

/** Freezes weights at theta, but leaves the preconditioner as it is. */
zm_status zm_penalty_weigh(zm_penalty *p, const double *theta, zm_error *err);

/** Freezes weights at theta, and the preconditioner with `shift` > 0 added to it. */
zm_status zm_penalty_freeze(zm_penalty *p, const double *theta, double shift,
                            zm_error *err);

/** out += gradient of lambda R at the theta it was frozen at. */
void zm_penalty_add_gradient(zm_penalty *p, const double *theta, double *out);

/** out += P v: primal-dual for TV, else lagged. */
void zm_penalty_add_product(zm_penalty *p, const double *v, double *out);

/** out += lagged operator times v. */
void zm_penalty_add_lagged(zm_penalty *p, const double *v, double *out);

/** out = B in with B near (lagged operator + shift)^-1. */
void zm_penalty_precondition(zm_penalty *p, const double *in, double *out);

/** TV: z moves along with a change d of theta, and stays within |z| <= 1. */
void zm_penalty_move_dual(zm_penalty *p, const double *d);

/** Square root of the lagged operator: out += lambda^1/2 D' W^1/2 e, e standard normal. */
void zm_penalty_add_noise(zm_penalty *p, uint64_t *random, double *out);

/** Root mean square over the cells of |p|, where D' p = g dx dy is the smallest p: how
 *  strong a TV has to be to hold down the gradient g (n_fields * n). */
zm_status zm_penalty_strength(zm_penalty *p, const double *g, double *strength,
                              zm_error *err);

#endif
