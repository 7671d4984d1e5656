/* SPDX-License-Identifier: Apache-2.0
 * Fire of one cell in one hour.
 *
 * Wind and slope push as vectors phi_w and phi_s in the plane of the slope (Finney 1998);
 * the rate of spread is R (1 + |phi_w + phi_s|) along their sum, and the breadth follows
 * from the effective wind.  Crown fire: Van Wagner (1977, 1993), Finney (1998), Scott and Reinhardt
 * (2001). */
#include "fire/science/cell_fire.h"

#include <math.h>

#include "eikonal/problem/ellipse.h"
#include "fire/science/units.h"

/* Crowns burn at so many times the rate of fuel model 10 in such a share of the wind at 20 ft
 * (Rothermel 1991). */
static const double CROWN_RATE = 3.34, CROWN_WIND = 0.4;

/* Crowns carry a fire from this rate on, m/min, where their density is 1 kg/m^3 (Van Wagner
 * 1977). */
static const double CROWN_SPACING = 3.0;

/** Wind and slope factors of a bed in an hour. */
typedef struct factors {
    zm_dual wind, slope; /* phi_w, phi_s */
    zm_dual limit;       /* largest |phi_w + phi_s| */
    zm_dual slope_mph;   /* the wind that would push as the slope does */
} factors;

/* x^power with its derivative, 0 at x = 0 (power > 1 there). */
ZM_DUAL_CODE void dual_power(int n, zm_dual *out, double coef, const zm_dual *x,
                             double power)
{
    const double y = x->v > 0 ? coef * pow(x->v, power) : 0;

    zm_dual_1(n, out, y, x->v > 0 ? power * y / x->v : 0, x);
}

/* phi_w = C U^B (beta/beta_op)^-E (47), phi_s = 5.275 beta^-0.3 tan^2 (51).  The effective
 * wind is not above 0.9 I_R ft/min (87); FARSITE keeps phi_s below that number too. */
ZM_DUAL_CODE void wind_and_slope(const zm_bed *bed, const zm_slope_push *slope,
                                 const zm_dual *mph, const zm_dual *intensity, int n,
                                 factors *f)
{
    const double C = bed->wind_coef, B = bed->wind_power;
    zm_dual limit, x, both;

    zm_dual_1(n, &x, mph->v * ZM_FT_PER_MIN_OF_MPH, ZM_FT_PER_MIN_OF_MPH, mph);
    dual_power(n, &f->wind, C, &x, B);
    zm_dual_1(n, &limit, 0.9 * intensity->v, 0.9, intensity);
    zm_dual_constant(n, &f->slope, slope->phi);
    zm_dual_constant(n, &f->slope_mph, slope->mph);
    if (slope->phi > limit.v) {
        f->slope = limit;
        zm_dual_1(n, &x, f->slope.v / C, 1 / C, &f->slope);
        dual_power(n, &f->slope_mph, 1 / ZM_FT_PER_MIN_OF_MPH, &x, 1 / B);
    }
    zm_dual_2(n, &both, f->wind.v + f->slope.v, 1, &f->wind, 1, &f->slope);
    /* For B >= 1 the wind that pushes as both do is not above the sum of the two winds. */
    if (both.v > 0 &&
        (B < 1 || 1.001 * ZM_FT_PER_MIN_OF_MPH * (mph->v + f->slope_mph.v) > limit.v) &&
        pow(both.v / C, 1 / B) > limit.v)
        dual_power(n, &f->limit, C, &limit, B);
    else
        f->limit = both;
}

zm_slope_push zm_slope_push_of(const zm_bed *bed, double tan_slope)
{
    const double phi = bed->slope_coef * tan_slope * tan_slope;
    const double x = phi / bed->wind_coef;

    return (zm_slope_push){
        phi, x > 0 ? 1 / ZM_FT_PER_MIN_OF_MPH * pow(x, 1 / bed->wind_power) : 0
    };
}

/* Direction in the plane of the slope of a wind whose direction on the map is `wind`:
 * with theta = aspect - wind, aspect - atan2(sin theta, cos theta/cos slope). */
ZM_DUAL_CODE void wind_on_slope(const zm_site *site, const zm_dual *wind, int n,
                                zm_dual *out)
{
    const double theta = site->aspect - wind->v;
    const double x = cos(theta) / site->cos_slope, y = sin(theta);

    zm_dual_1(n, out, site->aspect - atan2(y, x), 1 / site->cos_slope / (x * x + y * y),
              wind);
}

/* Sum of the two pushes: its length, where it comes from, and the effective wind (mph). */
ZM_DUAL_CODE void combine(const zm_site *site, const factors *f, const zm_dual *mph,
                          const zm_dual *wind_dir, int n, zm_dual *push, zm_dual *from,
                          zm_dual *effective)
{
    zm_dual dir, east, north;
    double s, c, length, turn;

    wind_on_slope(site, wind_dir, n, &dir);
    s = sin(dir.v);
    c = cos(dir.v);
    zm_dual_3(n, &east, f->wind.v * s + f->slope.v * site->sin_aspect, s, &f->wind,
              f->wind.v * c, &dir, site->sin_aspect, &f->slope);
    zm_dual_3(n, &north, f->wind.v * c + f->slope.v * site->cos_aspect, c, &f->wind,
              -f->wind.v * s, &dir, site->cos_aspect, &f->slope);
    length = hypot(east.v, north.v);
    if (!(length > 0)) {
        zm_dual_constant(n, push, 0);
        zm_dual_constant(n, effective, 0);
        *from = dir;
        return;
    }
    zm_dual_2(n, push, length, east.v / length, &east, north.v / length, &north);
    zm_dual_2(n, from, atan2(east.v, north.v), north.v / (length * length), &east,
              -east.v / (length * length), &north);
    /* U^2 + V^2 + 2 U V cos(angle between them) */
    turn = dir.v - site->aspect;
    {
        const double U = mph->v, V = f->slope_mph.v;
        const double e = sqrt(fmax(0, U * U + V * V + 2 * U * V * cos(turn)));
        const double k = e > 0 ? 1 / e : 0;

        zm_dual_3(n, effective, e, k * (U + V * cos(turn)), mph,
                  k * (V + U * cos(turn)), &f->slope_mph, -k * U * V * sin(turn), &dir);
    }
}

/* Ellipse with the ignition at its rear focus: back = head (LB - q)/(LB + q) with
 * q = sqrt(LB^2 - 1), flank = (head + back)/(2 LB).  LB - 1 is scaled by exp(elongation). */
ZM_DUAL_CODE void focus_ellipse(const zm_dual *effective, const zm_dual *elongation,
                                int n, zm_shape *shape)
{
    const double CIRCLE = 1e-12; /* LB - 1 below which q has no useful derivative */
    double slope, grown;
    zm_dual lb, ratio;

    grown = zm_wind_length_to_breadth(effective->v, &slope) - 1;
    grown = fmax(grown, 0);
    {
        const double k = exp(elongation->v);

        zm_dual_2(n, &lb, 1 + k * grown, k * slope, effective, k * grown, elongation);
    }
    if (lb.v - 1 > CIRCLE) {
        /* (LB - q)/(LB + q) = (LB - q)^2, d(LB - q)/dLB = -(LB - q)/q */
        const double q = sqrt((lb.v - 1) * (lb.v + 1)), r = 1 / (lb.v + q);

        zm_dual_1(n, &ratio, r * r, -2 * r * r / q, &lb);
    } else {
        zm_dual_constant(n, &ratio, 1);
    }
    zm_dual_mul(n, &shape->back, &shape->head, &ratio);
    {
        const double a = 0.5 * (shape->head.v + shape->back.v), k = 0.5 / lb.v;

        zm_dual_3(n, &shape->flank, a / lb.v, k, &shape->head, k, &shape->back,
                  -a / (lb.v * lb.v), &lb);
    }
}

/* Surface fire of a bed: mph is the wind in the flames, shape_mph that which shapes the
 * ellipse (they differ in the crown model). */
ZM_DUAL_CODE void surface_fire(const zm_site *site, const zm_bed *bed,
                               const zm_slope_push *slope, const zm_dual *inputs,
                               const zm_dual *mph, const zm_dual *shape_mph, int n,
                               zm_shape *shape, zm_dual *intensity)
{
    zm_dual rate, push, effective;
    factors f;

    zm_bed_spread(bed, inputs, n, &rate, intensity);
    if (!(rate.v > 0)) {
        zm_dual_constant(n, &shape->head, 0);
        return;
    }
    wind_and_slope(bed, slope, mph, intensity, n, &f);
    combine(site, &f, shape_mph, &inputs[ZM_IN_WIND_DIR], n, &push, &shape->from,
            &effective);
    if (push.v > f.limit.v)
        push = f.limit;
    zm_dual_2(n, &shape->head, ZM_METRES_PER_FOOT * rate.v * (1 + push.v),
              ZM_METRES_PER_FOOT * (1 + push.v), &rate, ZM_METRES_PER_FOOT * rate.v,
              &push);
    focus_ellipse(&effective, &inputs[ZM_IN_ELONGATION], n, shape);
}

/* Speed towards head, the widest place, back: of three points of an ellipse. */
ZM_DUAL_CODE void speed_at(const zm_shape *s, int where, int n, zm_dual *out)
{
    if (where == 0) {
        *out = s->head;
    } else if (where == 2) {
        *out = s->back;
    } else {
        const double c = 0.5 * (s->head.v - s->back.v), v = hypot(s->flank.v, c);

        zm_dual_3(n, out, v, 0.5 * c / v, &s->head, -0.5 * c / v, &s->back,
                  s->flank.v / v, &s->flank);
    }
}

/* The share of crowns that burn where the surface rate R is not below R_0, at which they catch fire
 * (Van Wagner 1993): not below 1 %,
 *
 *     1 - exp(-a (R - R_0)),   a = -ln(0.1)/(0.9 (RAC - R_0)).
 */
ZM_DUAL_CODE void share_of_crowns(const zm_dual *surface, const zm_dual *onset,
                                  double active, int n, zm_dual *share)
{
    if (active > onset->v) {
        const double k = log(10.0) / 0.9 / (active - onset->v),
                     x = surface->v - onset->v;
        const double left = exp(-k * x);

        /* dk/d(onset) = k/(active - onset) */
        zm_dual_2(n, share, 1 - left, k * left, surface,
                  left * (k * x / (active - onset->v) - k), onset);
        if (share->v < 0.01)
            zm_dual_constant(n, share, 0.01);
    } else {
        zm_dual_constant(n, share, 1);
    }
}

/* R + share (R_crown - R). */
ZM_DUAL_CODE void blend(const zm_dual *surface, const zm_dual *crown,
                        const zm_dual *share, int n, zm_dual *out)
{
    zm_dual_3(n, out, surface->v + share->v * (crown->v - surface->v), 1 - share->v,
              surface, share->v, crown, crown->v - surface->v, share);
}

/* Rate of an active crown fire at one point of the front, or false.
 *
 * surface: surface rate R there; crown: 3.34 times the rate of fuel model 10 (Rothermel
 * 1991).  The front runs in the crowns where the blend of both rates reaches RAC = 3/density.
 */
ZM_DUAL_CODE bool crown_rate(const zm_dual *surface, const zm_dual *crown,
                             const zm_dual *onset, double active, int n, zm_dual *out)
{
    zm_dual share;

    if (surface->v < onset->v)
        return false;
    share_of_crowns(surface, onset, active, n, &share);
    blend(surface, crown, &share, n, out);
    return out->v >= active;
}

/* Van Wagner (1977): crowns catch fire above I_0 = (0.010 base (460 + 25.9 foliar))^1.5 kW/m.
 * The surface rate (m/min) with that intensity: Byram's is k R with k = I_R 384/sigma (residence
 * time, Anderson 1969). */
ZM_DUAL_CODE void crown_onset(const zm_site *site, const zm_fire_rules *rules,
                              const zm_dual *intensity, int n, zm_dual *onset)
{
    const double onset_intensity =
        pow(0.010 * site->crown_base * (460 + 25.9 * rules->foliar_moisture), 1.5);
    /* BTU/ft/s to kW/m, over metres per minute */
    const double k = ZM_KW_PER_M_OF_BTU * 384 / site->bed->sigma / 60 /
                     ZM_METRES_PER_FOOT * intensity->v;

    zm_dual_1(n, onset, onset_intensity / k, -onset_intensity / k / intensity->v,
              intensity);
}

/* Fuel model 10 as it stands for crowns: in 0.4 of the wind at 20 ft, its ellipse as in 0.5. */
ZM_DUAL_CODE void crown_bed_fire(const zm_site *site, const zm_fire_rules *rules,
                                 const zm_dual *inputs, int n, zm_shape *crown)
{
    const zm_dual *wind = &inputs[ZM_IN_WIND];
    zm_dual mph, shape_mph, unused;

    zm_dual_1(n, &mph, CROWN_WIND * wind->v, CROWN_WIND, wind);
    zm_dual_1(n, &shape_mph, 0.5 * wind->v, 0.5, wind);
    surface_fire(site, rules->crown_bed, &site->crown_push, inputs, &mph, &shape_mph, n,
                 crown, &unused);
}

/* Surface rate (m/min) in the wind at which crowns can carry the fire: the open wind O with
 *
 *     3.34 R_10 (1 + C_10 (0.4 O)^B_10 + phi_s) = RAC = 3/density
 *
 * (Scott and Reinhardt 2001, RMRS-RP-29, equation 20), 0 where none is needed; then the rate of the
 * bed on the ground in this wind, up the slope.  Nothing limits the effective wind. */
ZM_DUAL_CODE void crowning_rate(const zm_site *site, const zm_fire_rules *rules,
                                const zm_dual *inputs, double active, int n,
                                zm_dual *out)
{
    const zm_bed *ten = rules->crown_bed, *bed = site->bed;
    zm_dual still, unused, phi, wind, push, rate;

    zm_bed_spread(ten, inputs, n, &still, &unused);
    {
        const double needed = active / CROWN_RATE / ZM_METRES_PER_FOOT;

        zm_dual_1(n, &phi, needed / still.v - 1 - site->crown_push.phi,
                  -needed / (still.v * still.v), &still);
    }
    if (!(phi.v > 0))
        zm_dual_constant(n, &phi, 0);
    /* (ft/min of fuel model 10) = (phi/C)^(1/B), and that of the bed by their shares of O */
    dual_power(n, &wind, pow(1 / ten->wind_coef, 1 / ten->wind_power), &phi,
               1 / ten->wind_power);
    zm_dual_1(n, &wind, wind.v * site->wind_reduction / CROWN_WIND,
              site->wind_reduction / CROWN_WIND, &wind);
    dual_power(n, &push, bed->wind_coef, &wind, bed->wind_power);
    zm_bed_spread(bed, inputs, n, &rate, &unused);
    zm_dual_2(n, out, ZM_METRES_PER_FOOT * rate.v * (1 + push.v + site->push.phi),
              ZM_METRES_PER_FOOT * (1 + push.v + site->push.phi), &rate,
              ZM_METRES_PER_FOOT * rate.v, &push);
}

/* The share of crowns that burn by Scott and Reinhardt (2001) where R is not below R_onset:
 * (R - R_onset)/(R_full - R_onset), at most 1, which is answered with true: crowns carry it. */
ZM_DUAL_CODE bool linear_share(const zm_dual *surface, const zm_dual *onset,
                               const zm_dual *full, int n, zm_dual *share)
{
    const double wide = full->v - onset->v, x = surface->v - onset->v;

    if (x < wide)
        zm_dual_3(n, share, x / wide, 1 / wide, surface, -x / (wide * wide), full,
                  (x - wide) / (wide * wide), onset);
    else
        zm_dual_constant(n, share, 1);
    return x >= wide;
}

/* Rate at one point of the front by Scott and Reinhardt (2001): R + CFB (R_crown - R), CFB the
 * share of crowns that burn.  True where the crowns carry it. */
ZM_DUAL_CODE bool blended_rate(const zm_dual *surface, const zm_dual *crown,
                               const zm_dual *onset, const zm_dual *full, int n,
                               zm_dual *out)
{
    zm_dual share;
    bool carried;

    *out = *surface;
    if (surface->v < onset->v)
        return false;
    carried = linear_share(surface, onset, full, n, &share);
    if (crown->v > surface->v)
        blend(surface, crown, &share, n, out);
    return carried;
}

zm_crown_state zm_spread_crown_state(const zm_site *site, const zm_fire_rules *rules,
                                     const zm_shape *shape, double surface,
                                     double crown)
{
    const double active = CROWN_SPACING / site->crown_density;
    zm_crown_state state = { 0, false };
    zm_dual R, high, onset, share, rate;

    if (!(surface >= shape->onset))
        return state;
    zm_dual_constant(0, &R, surface);
    zm_dual_constant(0, &high, CROWN_RATE * crown);
    zm_dual_constant(0, &onset, shape->onset);
    if (rules->crown == ZM_CROWN_SCOTT_REINHARDT) {
        zm_dual full;

        zm_dual_constant(0, &full, shape->carry);
        state.carried = linear_share(&R, &onset, &full, 0, &share);
    } else {
        state.carried = crown_rate(&R, &high, &onset, active, 0, &rate);
        share_of_crowns(&R, &onset, active, 0, &share);
    }
    state.share = share.v;
    return state;
}

/* The rate of one of the three points of a front, of which `surface` has that on the ground, `low`
 * at this point.  Where it runs in the crowns their wind and slope turn it. */
ZM_DUAL_CODE void set_rate(const zm_shape *surface, const zm_shape *crown, int where,
                           const zm_dual *low, const zm_dual *rate, bool runs, int n,
                           zm_shape *shape)
{
    const double f = surface->flank.v;

    if (where == 0) {
        shape->head = *rate;
        shape->crowns = runs;
        if (runs)
            shape->from = crown->from;
    } else if (where == 1) {
        zm_dual_3(n, &shape->flank, f * rate->v / low->v, rate->v / low->v,
                  &surface->flank, f / low->v, rate, -f * rate->v / (low->v * low->v),
                  low);
    } else {
        shape->back = *rate;
    }
}

/* Replaces surface rates by crown rates where crowns burn. */
ZM_DUAL_CODE void crown_fire(const zm_site *site, const zm_fire_rules *rules,
                             const zm_dual *inputs, const zm_dual *intensity, int n,
                             zm_shape *shape)
{
    const double active = CROWN_SPACING / site->crown_density; /* RAC, m/min */
    const bool blends = rules->crown == ZM_CROWN_SCOTT_REINHARDT;
    const zm_shape surface = *shape;
    zm_dual onset, full;
    zm_shape crown;

    crown_onset(site, rules, intensity, n, &onset);
    shape->onset = onset.v;
    if (surface.head.v < onset.v)
        return;
    crown_bed_fire(site, rules, inputs, n, &crown);
    if (!(crown.head.v > 0))
        return;
    full = onset;
    if (blends)
        crowning_rate(site, rules, inputs, active, n, &full);
    shape->carry = full.v;
    shape->crown_head = crown.head.v;
    shape->crown_back = crown.back.v;
    shape->crown_flank = crown.flank.v;
    for (int where = 0; where < 3; where++) {
        zm_dual low, high, rate;
        bool runs;

        speed_at(&surface, where, n, &low);
        speed_at(&crown, where, n, &high);
        zm_dual_1(n, &high, CROWN_RATE * high.v, CROWN_RATE, &high);
        runs = blends ? blended_rate(&low, &high, &onset, &full, n, &rate)
                      : crown_rate(&low, &high, &onset, active, n, &rate);
        if (runs || blends)
            set_rate(&surface, &crown, where, &low, &rate, runs, n, shape);
    }
    /* Still an ellipse: not broader than long. */
    if (shape->flank.v > 0.5 * (shape->head.v + shape->back.v))
        zm_dual_2(n, &shape->flank, 0.5 * (shape->head.v + shape->back.v), 0.5,
                  &shape->head, 0.5, &shape->back);
}

ZM_DUAL_CODE void scale(int n, zm_dual *rate, double factor, const zm_dual *log_factor)
{
    zm_dual_2(n, rate, factor * rate->v, factor, rate, factor * rate->v, log_factor);
}

/* What of the fire on the ground its behaviour is told from.  The heat of Byram's intensity is that
 * of the reaction over the residence time, 384/sigma minutes (Anderson 1969). */
ZM_DUAL_CODE void note_ground(const zm_site *site, const zm_dual *intensity,
                              zm_shape *shape)
{
    shape->surface_head = shape->head.v;
    shape->surface_back = shape->back.v;
    shape->surface_flank = shape->flank.v;
    shape->heat = intensity->v * ZM_KW_PER_M2_OF_BTU * 384 / site->bed->sigma * 60;
    shape->onset = INFINITY;
    shape->carry = INFINITY;
    shape->crown_head = shape->crown_back = shape->crown_flank = 0;
}

ZM_DUAL_CODE void cell_shape(const zm_site *site, const zm_fire_rules *rules,
                             const double input[ZM_CELL_INPUTS], int n, zm_shape *shape)
{
    zm_dual inputs[ZM_CELL_INPUTS], mph, intensity;
    const zm_dual *log_rate = &inputs[ZM_IN_LOG_RATE];

    shape->crowns = false;
    for (int i = 0; i < ZM_CELL_INPUTS; i++)
        zm_dual_input(n, &inputs[i], input[i], i);
    zm_dual_1(n, &mph, site->wind_reduction * input[ZM_IN_WIND], site->wind_reduction,
              &inputs[ZM_IN_WIND]);
    surface_fire(site, site->bed, &site->push, inputs, &mph, &mph, n, shape,
                 &intensity);
    if (!(shape->head.v > 0))
        return;
    note_ground(site, &intensity, shape);
    if (rules->crown && site->crown_base > 0)
        crown_fire(site, rules, inputs, &intensity, n, shape);
    if (log_rate->v != 0 || n > 0) {
        const double factor = exp(log_rate->v);

        scale(n, &shape->head, factor, log_rate);
        scale(n, &shape->back, factor, log_rate);
        scale(n, &shape->flank, factor, log_rate);
    }
    zm_dual_2(n, &shape->from, shape->from.v + input[ZM_IN_ROTATION], 1, &shape->from,
              1, &inputs[ZM_IN_ROTATION]);
}

void zm_spread_cell_shape(const zm_site *site, const zm_fire_rules *rules,
                          const double input[ZM_CELL_INPUTS], int n, zm_shape *shape)
{
    if (n == 0)
        cell_shape(site, rules, input, 0, shape);
    else
        cell_shape(site, rules, input, n, shape);
}

/* In the plane of the slope the metric is that of eikonal/problem/ellipse.h.  On the map v
 * becomes v + (1/cos slope - 1)(v.s) s in the plane, s the aspect. */
ZM_DUAL_CODE void shape_metric(const zm_site *site, const zm_shape *shape, int n,
                               zm_dual metric[5])
{
    const double hours = ZM_HOURS_PER_MINUTE; /* rates are m/min, slownesses h/m */
    const double head = shape->head.v / hours, back = shape->back.v / hours,
                 flank = shape->flank.v / hours;
    const zm_ellipse_metric m = zm_ellipse_metric_of(head, flank, back);
    const double stretch = 1 / site->cos_slope - 1;
    /* x east, y south; the fire runs to -from */
    const double sx = site->sin_aspect, sy = -site->cos_aspect;
    const double ux = -sin(shape->from.v), uy = cos(shape->from.v);
    const double u_s = stretch * (ux * sx + uy * sy),
                 n_s = stretch * (-uy * sx + ux * sy);
    /* p and q: the heading u and its normal n = (-uy, ux) as covectors on the map */
    const double p[2] = { ux + u_s * sx, uy + u_s * sy };
    const double q[2] = { -uy + n_s * sx, ux + n_s * sy };
    /* d(1/(2 rate)) with respect to a rate in m/min */
    const double by_head = -0.5 / (head * head * hours),
                 by_back = -0.5 / (back * back * hours);
    zm_dual Gu, Gn, bu;

    zm_dual_2(n, &Gu, m.alpha * m.alpha, 2 * m.alpha * by_head, &shape->head,
              2 * m.alpha * by_back, &shape->back);
    zm_dual_3(n, &Gn, m.gamma, m.gamma * m.skew / shape->head.v, &shape->head,
              -m.gamma * m.skew / shape->back.v, &shape->back,
              -2 * m.gamma / shape->flank.v, &shape->flank);
    zm_dual_2(n, &bu, m.beta, -by_head, &shape->head, by_back, &shape->back);
    for (int k = 0; k < 3; k++) {
        const int i = k == 2, j = k > 0;
        const double pp = p[i] * p[j], qq = q[i] * q[j], pq = p[i] * q[j] + q[i] * p[j];

        /* dp/dfrom = q, dq/dfrom = -p */
        zm_dual_3(n, &metric[k], Gu.v * pp + Gn.v * qq, pp, &Gu, qq, &Gn,
                  (Gu.v - Gn.v) * pq, &shape->from);
    }
    for (int i = 0; i < 2; i++)
        zm_dual_2(n, &metric[3 + i], bu.v * p[i], p[i], &bu, bu.v * q[i], &shape->from);
}

void zm_spread_shape_metric(const zm_site *site, const zm_shape *shape, int n,
                            zm_dual metric[5])
{
    if (n == 0)
        shape_metric(site, shape, 0, metric);
    else
        shape_metric(site, shape, n, metric);
}
