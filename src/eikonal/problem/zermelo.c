/* SPDX-License-Identifier: Apache-2.0
 * Between h, W (Zermelo) and G, b (Randers), and the derivatives.
 *
 * With w = h W and mu = 1 - W.w
 *
 *     G = h/mu + w w'/mu^2 = h/mu + b b',   b = w/mu;       det G = det h/mu^3
 *
 * and back, with x = G^-1 b = mu W and H = G - b b',
 *
 *     mu = 1 - b.x = det H/det G,   h = mu H,   W = x/mu = adj(G) b/det H.
 *
 * Derivatives of a function L are symmetric matrices A with dL = <A, dG>: the derivative by
 * the one parameter g12 is twice the off-diagonal entry. */
#include "core/products.h"
#include "eikonal/problem/form.h"
#include "eikonal/problem/form_step.h"

/* A v for symmetric A. */
static void apply(const double A[3], const double v[2], double out[2])
{
    out[0] = A[0] * v[0] + A[1] * v[1];
    out[1] = A[1] * v[0] + A[2] * v[1];
}

static double dot(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

static double form_of(const double A[3], const double v[2])
{
    double Av[2];

    apply(A, v, Av);
    return dot(v, Av);
}

/* <A, B> of symmetric matrices. */
static double inner(const double A[3], const double B[3])
{
    return A[0] * B[0] + 2 * A[1] * B[1] + A[2] * B[2];
}

/* The symmetric part of a b'. */
static void outer(const double a[2], const double b[2], double out[3])
{
    out[0] = a[0] * b[0];
    out[1] = 0.5 * (a[0] * b[1] + a[1] * b[0]);
    out[2] = a[1] * b[1];
}

/* G_ij = (h_ij mu + w_i w_j)/mu^2: the sum is rounded once, also where it cancels. */
static void zermelo_to_randers(const double *x, zm_heading heading, double *y)
{
    const zm_zermelo_terms z = zm_form_zermelo_terms(x);

    (void)heading;
    y[0] = zm_difference_of_products(x[0], z.mu, -z.w1, z.w1) / z.mu / z.mu;
    y[1] = zm_difference_of_products(x[1], z.mu, -z.w1, z.w2) / z.mu / z.mu;
    y[2] = zm_difference_of_products(x[2], z.mu, -z.w2, z.w2) / z.mu / z.mu;
    y[3] = z.w1 / z.mu;
    y[4] = z.w2 / z.mu;
}

/* dw = dh W + h dW,  dmu = -(W' dh W + 2 w.dW),  db = (dw - b dmu)/mu,
 * dG = (dh - h dmu/mu)/mu + b db' + db b'. */
static void push_zermelo_to_randers(const double *x, zm_heading heading,
                                    const double *dx, double *dy)
{
    const zm_zermelo_terms z = zm_form_zermelo_terms(x);
    const double *W = x + 3, *dW = dx + 3, w[2] = { z.w1, z.w2 };
    const double b[2] = { z.w1 / z.mu, z.w2 / z.mu };
    const double d_mu = -(form_of(dx, W) + 2 * dot(w, dW));
    double dh_W[2], h_dW[2], db[2], b_db[3];

    (void)heading;
    apply(dx, W, dh_W);
    apply(x, dW, h_dW);
    for (int i = 0; i < 2; i++)
        db[i] = (dh_W[i] + h_dW[i] - b[i] * d_mu) / z.mu;
    outer(b, db, b_db);
    for (int i = 0; i < 3; i++)
        dy[i] = (dx[i] - x[i] * (d_mu / z.mu)) / z.mu + 2 * b_db[i];
    dy[3] = db[0];
    dy[4] = db[1];
}

/* Of A = dL/dG and a = dL/db, with c = a + 2 A b and k = (<A, h>/mu + c.b)/mu = -dL/dmu:
 *
 *     dL/dh = (A + sym(c W'))/mu + k W W',     dL/dW = h c/mu + 2 k w. */
static void pull_zermelo_to_randers(const double *x, zm_heading heading,
                                    const double *cy, double *cx)
{
    const zm_zermelo_terms z = zm_form_zermelo_terms(x);
    const double *W = x + 3, A[3] = { cy[0], 0.5 * cy[1], cy[2] };
    const double b[2] = { z.w1 / z.mu, z.w2 / z.mu };
    double Ab[2], c[2], hc[2], c_W[3], W_W[3], k;

    (void)heading;
    apply(A, b, Ab);
    for (int i = 0; i < 2; i++)
        c[i] = cy[3 + i] + 2 * Ab[i];
    k = (inner(A, x) / z.mu + dot(c, b)) / z.mu;
    apply(x, c, hc);
    outer(c, W, c_W);
    outer(W, W, W_W);
    for (int i = 0; i < 3; i++)
        cx[i] = (i == 1 ? 2 : 1) * ((A[i] + c_W[i]) / z.mu + k * W_W[i]);
    cx[3] = hc[0] / z.mu + 2 * k * z.w1;
    cx[4] = hc[1] / z.mu + 2 * k * z.w2;
}

static void randers_to_zermelo(const double *x, zm_heading heading, double *y)
{
    const zm_randers_terms r = zm_form_randers_terms(x);

    (void)heading;
    y[0] = r.mu * r.H11;
    y[1] = r.mu * r.H12;
    y[2] = r.mu * r.H22;
    y[3] = r.y1 / r.det_H;
    y[4] = r.y2 / r.det_H;
}

/* adj(G) v / det G */
static void solve(const double G[3], double det, const double v[2], double out[2])
{
    out[0] = zm_difference_of_products(G[2], v[0], G[1], v[1]) / det;
    out[1] = zm_difference_of_products(G[0], v[1], G[1], v[0]) / det;
}

/* dmu = x' dG x - 2 x.db,  dx = G^-1 (db - dG x),  dh = H dmu + mu (dG - b db' - db b'),
 * dW = (dx - W dmu)/mu. */
static void push_randers_to_zermelo(const double *x, zm_heading heading,
                                    const double *dx, double *dy)
{
    const zm_randers_terms r = zm_form_randers_terms(x);
    const double H[3] = { r.H11, r.H12, r.H22 }, *b = x + 3, *db = dx + 3;
    const double p[2] = { r.y1 / r.det_G, r.y2 / r.det_G }; /* x of the formulas */
    const double d_mu = form_of(dx, p) - 2 * dot(p, db);
    double dG_p[2], rest[2], dp[2], b_db[3];

    (void)heading;
    apply(dx, p, dG_p);
    for (int i = 0; i < 2; i++)
        rest[i] = db[i] - dG_p[i];
    solve(x, r.det_G, rest, dp);
    outer(b, db, b_db);
    for (int i = 0; i < 3; i++)
        dy[i] = H[i] * d_mu + r.mu * (dx[i] - 2 * b_db[i]);
    for (int i = 0; i < 2; i++)
        dy[3 + i] = (dp[i] - p[i] / r.mu * d_mu) / r.mu;
}

/* Of P = dL/dh and a = dL/dW, with z = G^-1 a/mu and k = <P, H> - a.W/mu = dL/dmu:
 *
 *     dL/dG = mu P - sym(z x') + k x x',     dL/db = z - 2 mu P b - 2 k x. */
static void pull_randers_to_zermelo(const double *x, zm_heading heading,
                                    const double *cy, double *cx)
{
    const zm_randers_terms r = zm_form_randers_terms(x);
    const double H[3] = { r.H11, r.H12, r.H22 }, P[3] = { cy[0], 0.5 * cy[1], cy[2] };
    const double p[2] = { r.y1 / r.det_G, r.y2 / r.det_G }; /* x of the formulas */
    const double *a = cy + 3, k = inner(P, H) - dot(a, p) / r.mu / r.mu;
    double z[2], Pb[2], z_p[3], p_p[3];

    (void)heading;
    solve(x, r.det_G * r.mu, a, z);
    apply(P, x + 3, Pb);
    outer(z, p, z_p);
    outer(p, p, p_p);
    for (int i = 0; i < 3; i++)
        cx[i] = (i == 1 ? 2 : 1) * (r.mu * P[i] - z_p[i] + k * p_p[i]);
    for (int i = 0; i < 2; i++)
        cx[3 + i] = z[i] - 2 * r.mu * Pb[i] - 2 * k * p[i];
}

const zm_form_step zm_form_zermelo_to_randers = {
    ZM_FORM_ZERMELO,         ZM_FORM_RANDERS,         zermelo_to_randers,
    push_zermelo_to_randers, pull_zermelo_to_randers, NULL
};
const zm_form_step zm_form_randers_to_zermelo = {
    ZM_FORM_RANDERS,         ZM_FORM_ZERMELO,         randers_to_zermelo,
    push_randers_to_zermelo, pull_randers_to_zermelo, NULL
};
