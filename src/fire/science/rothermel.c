/* SPDX-License-Identifier: Apache-2.0
 * Rothermel's surface spread model.
 *
 * Rothermel (1972), INT-115, whose equation numbers are given, with the changes of Albini
 * (1976), INT-30; Andrews (2018), RMRS-GTR-371, collects both.  Dynamic herbs: Scott and
 * Burgan (2005).  Each class j has load w_j, surface to volume s_j, moisture m_j and area
 * a_j = w_j s_j.  Sums over dead and live classes are marked d and l. */
#include "fire/science/rothermel.h"

#include <math.h>

static const double POUNDS_PER_SQUARE_FOOT = 2000.0 / 43560.0; /* of a ton per acre */
static const double PARTICLE_DENSITY = 32;                     /* lb/ft^3 */
static const double TOTAL_MINERAL = 0.0555;
static const double EFFECTIVE_MINERAL = 0.010;
static const double CURED_BELOW = 0.30, GREEN_ABOVE = 1.20; /* herb moisture */

/* Size classes by surface to volume (1/ft), Albini (1976): the last gets no weight. */
static int size_class(double ratio)
{
    static const double least[] = { 1200, 192, 96, 48, 16 };
    int k = 0;

    while (k < 5 && ratio < least[k])
        k++;
    return k;
}

static void set_particles(const zm_fuel *fuel, zm_bed *bed)
{
    const double load[ZM_CLASSES] = { fuel->load[0], fuel->load[1], fuel->load[2], 0,
                                      fuel->load[3], fuel->load[4] };
    const double *s = fuel->surface_to_volume;
    const double ratio[ZM_CLASSES] = { s[0], 109, 30, s[1], s[1], s[2] };

    for (int j = 0; j < ZM_CLASSES; j++) {
        bed->load[j] = load[j] * POUNDS_PER_SQUARE_FOOT;
        bed->ratio[j] = ratio[j];
        bed->heating[j] = exp(-138.0 / ratio[j]); /* (14) */
        bed->fine_live[j] = exp(-500.0 / ratio[j]);
        bed->size[j] = size_class(ratio[j]);
    }
}

void zm_bed_make(const zm_fuel *fuel, zm_bed *bed)
{
    double packing, load = 0, area = 0, weighted = 0, sigma, beta, A, C, E;

    *bed = (zm_bed){ .dynamic = fuel->dynamic != 0,
                     .has_live = fuel->load[3] > 0 || fuel->load[4] > 0,
                     .extinction = fuel->extinction / 100,
                     .heat = { fuel->heat[0], fuel->heat[1] },
                     .depth = fuel->depth };
    set_particles(fuel, bed);
    for (int j = 0; j < ZM_CLASSES; j++) {
        load += bed->load[j];
        area += bed->load[j] * bed->ratio[j];
        weighted += bed->load[j] * bed->ratio[j] * bed->ratio[j];
    }
    bed->area = area;
    bed->burns = zm_fuel_burns(fuel);
    if (!bed->burns)
        return;
    /* Curing moves load between classes of one ratio: sigma and beta stay. */
    bed->sigma = sigma = weighted / area;                    /* (71) */
    bed->bulk_density = load / bed->depth;                   /* (40) */
    bed->beta = beta = bed->bulk_density / PARTICLE_DENSITY; /* (31) */
    packing = beta / (3.348 * pow(sigma, -0.8189));          /* beta/beta_op, (37) */
    A = 133.0 * pow(sigma, -0.7913);                         /* (39) */
    bed->reaction = pow(sigma, 1.5) / (495.0 + 0.0594 * pow(sigma, 1.5)) * /* (36) */
                    pow(packing, A) * exp(A * (1 - packing)) *             /* (38) */
                    0.174 * pow(EFFECTIVE_MINERAL, -0.19);                 /* (30) */
    bed->flux_ratio = exp((0.792 + 0.681 * sqrt(sigma)) * (beta + 0.1)) /
                      (192.0 + 0.2595 * sigma);   /* (42) */
    C = 7.47 * exp(-0.133 * pow(sigma, 0.55));    /* (48) */
    E = 0.715 * exp(-3.59e-4 * sigma);            /* (50) */
    bed->wind_power = 0.02526 * pow(sigma, 0.54); /* (49) */
    bed->wind_coef = C * pow(packing, -E);        /* (47) */
    bed->slope_coef = 5.275 * pow(beta, -0.3);    /* (51) */
}

/* Loads after curing.  Herbs below 30 % moisture are dead, above 120 % alive, and between
 * the dead share is (1.20 - m)/0.9 (Scott and Burgan 2005); cured herb has the moisture of
 * 1 h fuel. */
ZM_DUAL_CODE void cured_loads(const zm_bed *bed, const zm_dual *herb, int n,
                              zm_dual load[ZM_CLASSES])
{
    for (int j = 0; j < ZM_CLASSES; j++)
        zm_dual_constant(n, &load[j], bed->load[j]);
    if (bed->dynamic && bed->load[ZM_LIVE_HERB] > 0 && herb->v < GREEN_ABOVE) {
        const double all = bed->load[ZM_LIVE_HERB], range = GREEN_ABOVE - CURED_BELOW;
        const bool partly = herb->v >= CURED_BELOW;
        const double share = partly ? (GREEN_ABOVE - herb->v) / range : 1;
        const double slope = partly ? -all / range : 0;

        zm_dual_1(n, &load[ZM_CURED], all * share, slope, herb);
        zm_dual_1(n, &load[ZM_LIVE_HERB], all * (1 - share), -slope, herb);
    }
}

/* (29) eta = 1 - 2.59 r + 5.11 r^2 - 3.52 r^3, r = moisture/extinction, 0 from r = 1 on. */
ZM_DUAL_CODE void moisture_damping(int n, zm_dual *eta, const zm_dual *moisture,
                                   const zm_dual *extinction)
{
    const double r = moisture->v / extinction->v;

    if (r >= 1) {
        zm_dual_constant(n, eta, 0);
    } else {
        const double slope = (-2.59 + r * (10.22 - 10.56 * r)) / extinction->v;

        zm_dual_2(n, eta, 1 + r * (-2.59 + r * (5.11 - 3.52 * r)), slope, moisture,
                  -slope * r, extinction);
    }
}

/* One category: mean moisture by area (66), net load (60) as Albini (1976) weighs it, by the
 * share of area in each size class.  Classes from `first` up to `end`. */
ZM_DUAL_CODE void category_sums(const zm_bed *bed, const zm_dual *load,
                                const zm_dual *moisture[ZM_CLASSES], int first, int end,
                                int n, zm_dual *mean_moisture, zm_dual *net_load)
{
    zm_dual area, wet, sum;

    zm_dual_constant(n, &area, 0);
    zm_dual_constant(n, &wet, 0);
    zm_dual_constant(n, &sum, 0);
    for (int j = first; j < end; j++) {
        const double s = bed->ratio[j], m = moisture[j]->v;

        zm_dual_2(n, &area, area.v + s * load[j].v, 1, &area, s, &load[j]);
        zm_dual_3(n, &wet, wet.v + s * load[j].v * m, 1, &wet, s * m, &load[j],
                  s * load[j].v, moisture[j]);
        for (int i = first; i < end; i++)
            if (bed->size[i] == bed->size[j] && bed->size[j] < 5)
                zm_dual_3(n, &sum, sum.v + s * load[j].v * load[i].v, 1, &sum,
                          s * load[i].v, &load[j], s * load[j].v, &load[i]);
    }
    if (area.v > 0) {
        zm_dual_2(n, mean_moisture, wet.v / area.v, 1 / area.v, &wet,
                  -wet.v / (area.v * area.v), &area);
        zm_dual_2(n, net_load, (1 - TOTAL_MINERAL) * sum.v / area.v,
                  (1 - TOTAL_MINERAL) / area.v, &sum,
                  -(1 - TOTAL_MINERAL) * sum.v / (area.v * area.v), &area);
    } else {
        zm_dual_constant(n, mean_moisture, 0);
        zm_dual_constant(n, net_load, 0);
    }
}

/* (88) extinction of live fuel: 2.9 W (1 - M_f/M_x) - 0.226, not below that of dead fuel.
 * W is the ratio of fine dead to fine live load, M_f the moisture of fine dead fuel. */
ZM_DUAL_CODE void live_extinction(const zm_bed *bed, const zm_dual *load,
                                  const zm_dual *moisture[ZM_CLASSES], int n,
                                  zm_dual *out)
{
    zm_dual dead, wet, live;

    zm_dual_constant(n, &dead, 0);
    zm_dual_constant(n, &wet, 0);
    zm_dual_constant(n, &live, 0);
    for (int j = 0; j < ZM_LIVE_HERB; j++) {
        const double e = bed->heating[j], m = moisture[j]->v;

        zm_dual_2(n, &dead, dead.v + e * load[j].v, 1, &dead, e, &load[j]);
        zm_dual_3(n, &wet, wet.v + e * load[j].v * m, 1, &wet, e * m, &load[j],
                  e * load[j].v, moisture[j]);
    }
    for (int j = ZM_LIVE_HERB; j < ZM_CLASSES; j++)
        zm_dual_2(n, &live, live.v + bed->fine_live[j] * load[j].v, 1, &live,
                  bed->fine_live[j], &load[j]);
    zm_dual_constant(n, out, bed->extinction);
    if (live.v > 0) {
        /* 2.9 (dead - wet/M_x)/live - 0.226 */
        const double k = 2.9 / live.v, numerator = dead.v - wet.v / bed->extinction;
        const double value = k * numerator - 0.226;

        if (value > bed->extinction)
            zm_dual_3(n, out, value, k, &dead, -k / bed->extinction, &wet,
                      -k * numerator / live.v, &live);
    }
}

/* Denominator (77) of (52) over bulk density: sum of a_j/A e_j Q_j, Q_j = 250 + 1116 m_j (78). */
ZM_DUAL_CODE void heat_sink(const zm_bed *bed, const zm_dual *load,
                            const zm_dual *moisture[ZM_CLASSES], int n, zm_dual *out)
{
    zm_dual_constant(n, out, 0);
    for (int j = 0; j < ZM_CLASSES; j++) {
        const double k = bed->ratio[j] * bed->heating[j] / bed->area;
        const double Q = 250 + 1116 * moisture[j]->v;

        zm_dual_3(n, out, out->v + k * load[j].v * Q, 1, out, k * Q, &load[j],
                  k * load[j].v * 1116, moisture[j]);
    }
}

ZM_DUAL_CODE void bed_spread(const zm_bed *bed, const zm_dual moisture[5], int n,
                             zm_dual *rate, zm_dual *intensity)
{
    const zm_dual *m[ZM_CLASSES] = { &moisture[0], &moisture[1], &moisture[2],
                                     &moisture[0], &moisture[3], &moisture[4] };
    zm_dual load[ZM_CLASSES], mean, net, extinction, eta, part, sink;

    cured_loads(bed, &moisture[3], n, load);
    category_sums(bed, load, m, 0, ZM_LIVE_HERB, n, &mean, &net);
    zm_dual_constant(n, &extinction, bed->extinction);
    moisture_damping(n, &eta, &mean, &extinction);
    zm_dual_mul(n, intensity, &net, &eta);
    zm_dual_1(n, intensity, intensity->v * bed->heat[0], bed->heat[0], intensity);
    if (bed->has_live) {
        category_sums(bed, load, m, ZM_LIVE_HERB, ZM_CLASSES, n, &mean, &net);
        live_extinction(bed, load, m, n, &extinction);
        moisture_damping(n, &eta, &mean, &extinction);
        zm_dual_mul(n, &part, &net, &eta);
        zm_dual_2(n, intensity, intensity->v + bed->heat[1] * part.v, 1, intensity,
                  bed->heat[1], &part);
    }
    /* (27) I_R = Gamma' eta_s sum of w_n h eta;  (52) R = I_R xi/(rho_b sink) */
    zm_dual_1(n, intensity, intensity->v * bed->reaction, bed->reaction, intensity);
    heat_sink(bed, load, m, n, &sink);
    {
        const double k = bed->flux_ratio / bed->bulk_density, q = intensity->v / sink.v;

        zm_dual_2(n, rate, k * q, k / sink.v, intensity, -k * q / sink.v, &sink);
    }
}

void zm_bed_spread(const zm_bed *bed, const zm_dual moisture[5], int n, zm_dual *rate,
                   zm_dual *intensity)
{
    if (n == 0)
        bed_spread(bed, moisture, 0, rate, intensity);
    else
        bed_spread(bed, moisture, n, rate, intensity);
}
