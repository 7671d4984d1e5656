/* SPDX-License-Identifier: Apache-2.0
 * A Randers problem in a varying medium whose solution is known. */
#include "manufactured.h"

#include <math.h>

static const double pi = 3.14159265358979323846;
static const double a1 = 0.7, a2 = 0.4; /* gradient of the speed */

zm_reference_manufactured zm_reference_manufactured_make(double ratio, double drift,
                                                         double sx, double sy)
{
    const double angle = 0.5, c = cos(angle), s = sin(angle), k = sqrt(ratio);

    return (zm_reference_manufactured){
        k * c * c + s * s, (k - 1) * c * s, k * s * s + c * c, sx, sy, drift
    };
}

static double speed(double u, double v)
{
    return 1 + a1 * u + a2 * v;
}

static double psi(const zm_reference_manufactured *m, double x, double y)
{
    return m->drift * (0.05 * sin(2 * pi * x) * cos(pi * y) + 0.1 * x);
}

void zm_reference_manufactured_metric(const zm_reference_manufactured *m, double x,
                                      double y, double metric[5])
{
    const double u = m->a11 * x + m->a12 * y, v = m->a12 * x + m->a22 * y;
    const double slow2 = 1 / (speed(u, v) * speed(u, v));

    metric[0] = slow2 * (m->a11 * m->a11 + m->a12 * m->a12);
    metric[1] = slow2 * (m->a11 * m->a12 + m->a12 * m->a22);
    metric[2] = slow2 * (m->a12 * m->a12 + m->a22 * m->a22);
    metric[3] = m->drift * (0.1 * pi * cos(2 * pi * x) * cos(pi * y) + 0.1);
    metric[4] = m->drift * -0.05 * pi * sin(2 * pi * x) * sin(pi * y);
}

double zm_reference_manufactured_time(const zm_reference_manufactured *m, double x,
                                      double y)
{
    const double u = m->a11 * x + m->a12 * y, v = m->a12 * x + m->a22 * y;
    const double su = m->a11 * m->sx + m->a12 * m->sy,
                 sv = m->a12 * m->sx + m->a22 * m->sy;
    const double d2 = (u - su) * (u - su) + (v - sv) * (v - sv), aa = a1 * a1 + a2 * a2;

    return acosh(1 + aa * d2 / (2 * speed(u, v) * speed(su, sv))) / sqrt(aa) -
           psi(m, x, y) + psi(m, m->sx, m->sy);
}
