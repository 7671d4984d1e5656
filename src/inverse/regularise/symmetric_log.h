/* SPDX-License-Identifier: Apache-2.0
 * Logarithm and exponential of a symmetric 2x2 matrix, and their derivatives.
 *
 * A matrix [[a11, a12], [a12, a22]] is m I + [[d1, d2], [d2, -d1]], with eigenvalues
 * m +- r, r = |d|.  A function f of it is M I + h [[d1, d2], [d2, -d1]] with
 *
 *     M = (f(m+r) + f(m-r)) / 2,     h = (f(m+r) - f(m-r)) / (2 r),
 *
 * and M, h are smooth in m and r^2: nothing is divided by r, equal eigenvalues included.
 * The derivative (Daleckii and Krein) is dM I + dh d + h dd with
 *
 *     dM = M_m dm + h_m (d.dd),   dh = h_m dm + k (d.dd),   k = (dh/dr)/r,   M_r = r h_m,
 *
 * which is self-adjoint in the Frobenius inner product: the same function serves
 * as tangent and as adjoint. */
#ifndef ZM_REG_SYMMETRIC_LOG_H
#define ZM_REG_SYMMETRIC_LOG_H

#include <math.h>

typedef struct zm_sym2 {
    double a11, a12, a22;
} zm_sym2;

/** Value of f at a matrix and what its derivative needs. */
typedef struct zm_sym2_map {
    zm_sym2 value;
    double d1, d2;      /* deviator of the argument */
    double h;           /* see above */
    double M_m, h_m, k; /* derivatives */
} zm_sym2_map;

/* Below this ratio (r/m)^2, or r^2 for the exponential, k is summed as a series: the
 * closed form loses about as many digits as the ratio has, the series has 12 terms. */
#define ZM_SYM2_SERIES 0.05

static inline zm_sym2_map zm_sym2_make(double d1, double d2, double M, double h)
{
    return (zm_sym2_map){
        .value = { M + h * d1, h * d2, M - h * d1 }, .d1 = d1, .d2 = d2, .h = h
    };
}

/**
 * log A of a positive definite A:  M = log(det)/2,  h = atanh(r/m)/r,
 * M_m = m/det,  h_m = -1/det,  k = (m/det - h)/r^2, which for small q = (r/m)^2 is
 * sum_j 2j/(2j+1) q^(j-1) / m^3.
 */
static inline zm_sym2_map zm_sym2_log(zm_sym2 a)
{
    const double m = 0.5 * (a.a11 + a.a22), d1 = 0.5 * (a.a11 - a.a22), d2 = a.a12;
    const double r2 = d1 * d1 + d2 * d2, r = sqrt(r2), q = r2 / (m * m);
    const double det = a.a11 * a.a22 - a.a12 * a.a12;
    const double M = 0.5 * log(det);
    zm_sym2_map f;

    if (q > ZM_SYM2_SERIES) {
        f = zm_sym2_make(d1, d2, M, 0.5 * log((m + r) * (m + r) / det) / r);
        f.k = (m / det - f.h) / r2;
    } else {
        double h = 0, k = 0;

        for (int j = 12; j >= 0; j--) {
            h = h * q + 1.0 / (2 * j + 1);
            k = k * q + (2.0 * j + 2) / (2 * j + 3);
        }
        f = zm_sym2_make(d1, d2, M, h / m);
        f.k = k / (m * m * m);
    }
    f.M_m = m / det;
    f.h_m = -1 / det;
    return f;
}

/**
 * exp A:  M = e^m cosh r = M_m,  h = e^m sinh(r)/r = h_m,
 * k = e^m (cosh r - sinh(r)/r)/r^2 = e^m sum_j 2j/(2j+1)! r^(2j-2).
 */
static inline zm_sym2_map zm_sym2_exp(zm_sym2 a)
{
    const double m = 0.5 * (a.a11 + a.a22), d1 = 0.5 * (a.a11 - a.a22), d2 = a.a12;
    const double r2 = d1 * d1 + d2 * d2, r = sqrt(r2), e = exp(m);
    zm_sym2_map f;

    if (r2 > ZM_SYM2_SERIES) {
        f = zm_sym2_make(d1, d2, e * cosh(r), e * sinh(r) / r);
        f.k = (f.value.a11 + f.value.a22 - 2 * f.h) / (2 * r2);
    } else { /* terms fall by r^2/20 or faster */
        double h = 1, k = 1;

        for (int j = 8; j >= 1; j--) {
            h = 1 + h * r2 / (2 * j * (2 * j + 1));
            k = 1 + k * r2 / (2 * j * (2 * j + 3));
        }
        f = zm_sym2_make(d1, d2, e * cosh(r), e * h);
        f.k = e * k / 3;
    }
    f.M_m = 0.5 * (f.value.a11 + f.value.a22);
    f.h_m = f.h;
    return f;
}

/** Derivative of f in the direction da. */
static inline zm_sym2 zm_sym2_derivative(const zm_sym2_map *f, zm_sym2 da)
{
    const double dm = 0.5 * (da.a11 + da.a22), dd1 = 0.5 * (da.a11 - da.a22);
    const double dd2 = da.a12, along = f->d1 * dd1 + f->d2 * dd2;
    const double dM = f->M_m * dm + f->h_m * along, dh = f->h_m * dm + f->k * along;

    return (zm_sym2){ dM + dh * f->d1 + f->h * dd1, dh * f->d2 + f->h * dd2,
                      dM - dh * f->d1 - f->h * dd1 };
}

/** Cotangent of the three numbers (value.a11, a12, a22) to that of (a11, a12, a22): the
 *  off-diagonal number stands for two entries, so as a matrix it has half of it twice. */
static inline zm_sym2 zm_sym2_pull_back(const zm_sym2_map *f, zm_sym2 c)
{
    const zm_sym2 out = zm_sym2_derivative(f, (zm_sym2){ c.a11, 0.5 * c.a12, c.a22 });

    return (zm_sym2){ out.a11, 2 * out.a12, out.a22 };
}

#endif
