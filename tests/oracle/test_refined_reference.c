/* SPDX-License-Identifier: Apache-2.0
 * Second and third order on blocks against a slow reference that shares no code with them: cells
 * one by one in the order of the times of first order, every minimum by bisection.
 * docs/theory.md, section 7. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "support/cases.h"

typedef struct metric {
    double g11, g12, g22, b1, b2;
} metric;

typedef struct reference {
    const test_case *c;
    int32_t rows, cols, order;
    const double *T1; /* from the earliest source on */
    double *tau;      /* NaN: not known */
    int *label, *sweep;
} reference;

typedef struct step {
    int x, y;
} step;

/* One triangle: both donors, and for each what it counts with. */
typedef struct triangle {
    step axis, side;
} triangle;

static metric metric_at(const reference *r, int64_t cell)
{
    const test_case *c = r->c;
    const double x = c->grid.dx, y = c->grid.dy;

    return (metric){ c->g11[cell] * x * x, c->g12[cell] * x * y, c->g22[cell] * y * y,
                     c->b1[cell] * x, c->b2[cell] * y };
}

static double dot(const metric *g, double x, double y, double u, double v)
{
    return g->g11 * x * u + g->g12 * (x * v + y * u) + g->g22 * y * v;
}

static double distance(const metric *g, double x, double y)
{
    return sqrt(dot(g, x, y, x, y)) - g->b1 * x - g->b2 * y;
}

/* T1 of the cell k steps away as this one sees it; raw: whatever source it is of. */
static double seen(const reference *r, int64_t cell, int x, int y, bool raw)
{
    const int64_t col = cell % r->cols + x, row = cell / r->cols + y;

    if (col < 0 || col >= r->cols || row < 0 || row >= r->rows)
        return (double)INFINITY;
    if (!raw && r->label[row * r->cols + col] != r->label[cell])
        return (double)INFINITY;
    return r->T1[row * r->cols + col];
}

/* T1 of the kth donor in a direction; nothing slips between two obstacles. */
static double donor(const reference *r, int64_t cell, step m, int k)
{
    const int x = m.x * (k - 1), y = m.y * (k - 1);

    if (m.x && m.y && isinf(seen(r, cell, x + m.x, y, true)) &&
        isinf(seen(r, cell, x, y + m.y, true)))
        return (double)INFINITY;
    return seen(r, cell, m.x * k, m.y * k, false);
}

/* The least w side + (1 - w) axis + |p|_G + p.(bx, by), p = (1 - w) axis + w side, in
 * [low, high]. */
static double minimum(const metric *g, double bx, double by, triangle t, double axis,
                      double side, double low, double high, double *w)
{
    const double ex = t.side.x - t.axis.x, ey = t.side.y - t.axis.y;
    double at = low, x, y;

    for (int i = 0; i < 70; i++) {
        double slope;

        at = i == 0 ? low : i == 1 ? high : (low + high) / 2;
        x = t.axis.x + at * ex;
        y = t.axis.y + at * ey;
        slope = side - axis + bx * ex + by * ey +
                dot(g, x, y, ex, ey) / sqrt(dot(g, x, y, x, y));
        if ((i == 0 && slope >= 0) || (i == 1 && slope <= 0))
            break;
        if (i > 1 && slope > 0)
            high = at;
        else if (i > 1)
            low = at;
    }
    x = t.axis.x + at * ex;
    y = t.axis.y + at * ey;
    *w = at;
    return (at == 0   ? axis
            : at == 1 ? side
                      : axis + at * (side - axis)) +
           sqrt(dot(g, x, y, x, y)) + bx * x + by * y;
}

/* The same where donors may be missing. */
static double minimum_of(const metric *g, double bx, double by, triangle t, double axis,
                         double side, double beyond, double *w)
{
    const bool no_axis = !(axis < HUGE_VAL), no_side = !(side < HUGE_VAL);

    if (no_axis && no_side)
        return (double)INFINITY;
    if (no_axis || no_side)
        return minimum(g, bx, by, t, no_axis ? 0 : axis, no_side ? 0 : side, no_axis,
                       no_axis, w);
    if (beyond > 0) {
        const double v = minimum(g, bx, by, t, axis, side, -beyond, 1 + beyond, w);

        if (*w > -beyond && *w < 1 + beyond)
            return v;
    }
    return minimum(g, bx, by, t, axis, side, 0, 1, w);
}

/* Whether the front comes from within the triangle, by T1: more than rounding. */
static bool within(const reference *r, int64_t cell, const metric *g, triangle t)
{
    const double tie = 1e-10 * r->T1[cell];
    const double axis = donor(r, cell, t.axis, 1), side = donor(r, cell, t.side, 1);
    const double ex = t.side.x - t.axis.x, ey = t.side.y - t.axis.y;

    return side - axis + g->b1 * ex + g->b2 * ey +
               dot(g, t.axis.x, t.axis.y, ex, ey) /
                   sqrt(dot(g, t.axis.x, t.axis.y, t.axis.x, t.axis.y)) <
           -tie;
}

static triangle triangle_of(int sweep, int sign)
{
    const int n = sweep & 1 ? 1 : -1;

    return sweep & 2 ? (triangle){ { n, 0 }, { n, sign } }
                     : (triangle){ { 0, n }, { sign, n } };
}

/* The triangle of a sweep that T1 comes from, its time, and the heavier donor in it. */
static triangle triangle_in(const reference *r, int64_t cell, int sweep, double *time,
                            step *heavier)
{
    const metric g = metric_at(r, cell);
    const triangle up = triangle_of(sweep, 1), down = triangle_of(sweep, -1);
    double wu = 0, wd = 0;
    const double vu = minimum_of(&g, g.b1, g.b2, up, donor(r, cell, up.axis, 1),
                                 donor(r, cell, up.side, 1), 0, &wu);
    const double vd = minimum_of(&g, g.b1, g.b2, down, donor(r, cell, down.axis, 1),
                                 donor(r, cell, down.side, 1), 0, &wd);
    const bool on_up = within(r, cell, &g, up), on_down = within(r, cell, &g, down);
    const bool use_up = on_up && on_down ? vu <= vd : !on_down;
    const triangle t = use_up ? up : down;

    *time = fmin(vu, vd);
    *heavier = (use_up ? wu : wd) > 0.5 ? t.side : t.axis;
    return t;
}

/* The sweep that T1 comes from, whatever the source; of two that share a diagonal donor the one
 * by rows. */
static int sweep_of(const reference *r, int64_t cell, step *heavier)
{
    double best = (double)INFINITY, time;
    int sweep = 0;
    step m;

    for (int k = 0; k < 4; k++) {
        triangle_in(r, cell, k, &time, &m);
        if (!(time < best - (best < HUGE_VAL ? 1e-14 * best : 0)))
            continue;
        best = time;
        sweep = k;
        *heavier = m;
    }
    return sweep;
}

/* One donor of the second phase. */
typedef struct ray {
    double T[4], tau[4];
    double slope, bend; /* of |d| in the source's metric, towards it */
    double rise;        /* of T_s */
    double kappa, step, rough;
    bool counts;
} ray;

static ray ray_of(const reference *r, int64_t cell, step m, const metric *s, double dx,
                  double dy)
{
    const double length = sqrt(dot(s, dx, dy, dx, dy)),
                 square = dot(s, m.x, m.y, m.x, m.y);
    ray a = { .slope = dot(s, dx, dy, m.x, m.y) / length };

    a.bend = (square - a.slope * a.slope) / length;
    a.rise = a.slope - s->b1 * m.x - s->b2 * m.y;
    a.kappa = sqrt(fmax(0, dot(s, dx + m.x, dy + m.y, dx + m.x, dy + m.y))) - length -
              a.slope;
    for (int k = 1; k <= 3; k++) {
        const int64_t col = cell % r->cols + k * m.x, row = cell / r->cols + k * m.y;
        const bool there = col >= 0 && col < r->cols && row >= 0 && row < r->rows;

        a.T[k] = donor(r, cell, m, k);
        a.tau[k] = there ? r->tau[row * r->cols + col] : 0;
    }
    a.T[0] = r->T1[cell];
    a.counts = a.T[1] < a.T[0];
    a.step = a.T[0] - a.T[1];
    a.rough = fabs(a.T[0] - 2 * a.T[1] + a.T[2] - a.bend);
    return a;
}

static bool is_second(const ray *a)
{
    return !a->counts || (a->T[2] < a->T[1] && a->rough <= 0.65 * a->step);
}

static bool is_third(const ray *a)
{
    return !a->counts ||
           (a->T[3] < a->T[2] && a->rough <= 0.2 * a->step &&
            fabs(a->T[1] - 2 * a->T[2] + a->T[3] - a->bend) <= 0.2 * a->step);
}

/* Whether slopes across change little, or steadily, from line to line of the donors. */
static bool calm(const ray *a, const ray *b)
{
    double across[4];

    for (int k = 1; k <= 3; k++)
        across[k] = (b->tau[k] - a->tau[k]) / k;
    return !a->counts || !b->counts ||
           fabs(across[1] - 2 * across[2] + across[3]) <=
               fmax(1e-3 * a->step,
                    0.5 * (fabs(across[1] - across[2]) + fabs(across[2] - across[3])));
}

static double counted(const ray *a, int order)
{
    const double *u = a->tau;

    if (!a->counts)
        return (double)INFINITY;
    return order == 3   ? 3 * u[1] - 1.5 * u[2] + u[3] / 3
           : order == 2 ? 2 * u[1] - u[2] / 2
           : order == 1 ? u[1]
                        : u[1] + a->kappa; /* not factored */
}

/* Whether the source's metric tells nothing of the cell's. */
static bool is_bare(const metric *g, const metric *s, double dx, double dy)
{
    const double det = g->g11 * g->g22 - g->g12 * g->g12;
    const double trace = g->g22 * s->g11 - 2 * g->g12 * s->g12 + g->g11 * s->g22;

    return 16 * det * det * dot(s, dx, dy, dx, dy) <
           trace * trace * dot(g, dx, dy, dx, dy);
}

static double tau_of(const reference *r, int64_t cell, const metric *s, double dx,
                     double dy)
{
    static const double factor[4] = { 1, 1, 2.0 / 3, 6.0 / 11 };
    const metric g = metric_at(r, cell);
    const double length = sqrt(dot(s, dx, dy, dx, dy));
    const double ux = (s->g11 * dx + s->g12 * dy) / length,
                 uy = (s->g12 * dx + s->g22 * dy) / length;
    const double bx = g.b1 + ux - s->b1, by = g.b2 + uy - s->b2;
    double time;
    step heavier;
    const triangle t = triangle_in(r, cell, r->sweep[cell], &time, &heavier);
    const ray a = ray_of(r, cell, t.axis, s, dx, dy),
              b = ray_of(r, cell, t.side, s, dx, dy);
    const step across = { t.side.x - t.axis.x, t.side.y - t.axis.y };
    const step other = { t.axis.x - across.x, t.axis.y - across.y };
    const double ut = ux * across.x + uy * across.y;
    const double kink =
        fabs(b.T[1] - 2 * a.T[1] + donor(r, cell, other, 1) -
             (dot(s, across.x, across.y, across.x, across.y) - ut * ut) / length);
    const double small = 0.2 * a.step;
    double value, most, w;
    int order = is_second(&a) && is_second(&b) ? 2 : 1;

    if (is_bare(&g, s, dx, dy))
        order = 0;
    if (r->order == 3 && order == 2 && is_third(&a) && is_third(&b) && calm(&a, &b))
        order = 3;
    const bool smooth = a.counts && b.counts && order > 1 && kink <= small &&
                        a.rough <= small && b.rough <= small;

    value = factor[order] * minimum_of(&g, bx, by, t, counted(&a, order),
                                       counted(&b, order), smooth ? 0.25 : 0, &w);
    most = 0.9 * fmax(a.counts ? a.step : 0, b.counts ? b.step : 0);
    if ((a.counts && fabs(value - a.tau[1] - a.rise - a.step) > most) ||
        (b.counts && fabs(value - b.tau[1] - b.rise - b.step) > most))
        value = minimum_of(&g, bx, by, t, counted(&a, 0), counted(&b, 0), 0, &w);
    return value;
}

/* The source that starts in a cell, if no front was there before; else -1. */
static int source_in(const reference *r, int64_t cell)
{
    const test_case *c = r->c;

    for (size_t i = 0; i < c->n_sources; i++) {
        const zm_source *s = &c->sources[i];

        if ((int64_t)s->row * r->cols + (int64_t)s->col == cell &&
            fabs(s->time - c->sources[0].time - r->T1[cell]) <= 1e-12)
            return (int)i;
    }
    return -1;
}

/* Sweeps of first order; labels follow the heavier donor. */
static void labels_find(reference *r, const int64_t *sorted, int64_t n)
{
    const test_case *c = r->c;
    step *from = malloc(c->n * sizeof *from);

    if (!from)
        exit(1);
    for (size_t i = 0; i < c->n; i++)
        r->label[i] = 0; /* all alike: every front is seen */
    for (int64_t k = 0; k < n; k++)
        r->sweep[sorted[k]] = sweep_of(r, sorted[k], &from[sorted[k]]);
    for (int64_t k = 0; k < n; k++) {
        const int64_t cell = sorted[k];
        const int own = source_in(r, cell);

        r->label[cell] =
            own >= 0 ? own : r->label[cell + from[cell].y * r->cols + from[cell].x];
    }
    free(from);
}

enum { START_REACH = 5 };

static bool alike(const reference *r, const metric *s, int64_t row, int64_t col, int dx,
                  int dy)
{
    const int far = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
    const double most = far < START_REACH ? 0.1 : 0.01;
    const int64_t cell = row * r->cols + col;
    const metric own = metric_at(r, cell);
    const double there = distance(s, dx, dy), here = distance(&own, dx, dy);

    return !(r->c->walls && r->c->walls[cell]) &&
           fabs(there - here) <= most * (there + here);
}

/* The cells beside source i, if it is set; or how far they reach. */
static int beside(reference *r, int i, int reach, bool set)
{
    const zm_source *s = &r->c->sources[i];
    const metric there = metric_at(r, (int64_t)s->row * r->cols + (int64_t)s->col);

    for (int y = -START_REACH; y <= START_REACH; y++)
        for (int x = -START_REACH; x <= START_REACH; x++) {
            const int64_t row = (int64_t)s->row + y, col = (int64_t)s->col + x,
                          cell = row * r->cols + col;
            const int far = abs(x) > abs(y) ? abs(x) : abs(y);

            if (row < 0 || row >= r->rows || col < 0 || col >= r->cols)
                continue;
            if (!set && far > 0 && far <= reach && !alike(r, &there, row, col, x, y))
                reach = far - 1;
            if (set && x * x + y * y <= reach * reach && !isinf(r->T1[cell]) &&
                r->label[cell] == i) {
                const metric own = metric_at(r, cell);

                r->tau[cell] = (distance(&own, x, y) - distance(&there, x, y)) / 2;
            }
        }
    return reach;
}

static const double *sort_by;

static int earlier(const void *a, const void *b)
{
    const double x = sort_by[*(const int64_t *)a], y = sort_by[*(const int64_t *)b];

    return (x > y) - (x < y);
}

/* T of order 2 or 3 from that of first order. */
static void reference_solve(const test_case *c, int32_t order, const double *first,
                            double *T)
{
    reference r = { c,
                    c->grid.rows,
                    c->grid.cols,
                    order,
                    NULL,
                    nan_doubles(c->n),
                    malloc(c->n * sizeof(int)),
                    malloc(c->n * sizeof(int)) };
    int64_t *sorted = malloc(c->n * sizeof *sorted), n = 0;
    double *T1 = nan_doubles(c->n), start = c->sources[0].time;

    if (!sorted || !r.label || !r.sweep)
        exit(1);
    for (size_t i = 0; i < c->n; i++) {
        T1[i] = first[i] - start;
        if (!isinf(T1[i]))
            sorted[n++] = (int64_t)i;
    }
    r.T1 = sort_by = T1;
    qsort(sorted, (size_t)n, sizeof *sorted, earlier);
    labels_find(&r, sorted, n);
    for (size_t i = 0; i < c->n_sources; i++)
        beside(&r, (int)i, beside(&r, (int)i, START_REACH, false), true);
    for (size_t i = 0; i < c->n; i++)
        T[i] = (double)INFINITY;
    for (int64_t k = 0; k < n; k++) {
        const int64_t cell = sorted[k];
        const zm_source *s = &c->sources[r.label[cell]];
        const metric there = metric_at(&r, (int64_t)s->row * r.cols + (int64_t)s->col);
        const double dx = (double)(cell % r.cols) - s->col,
                     dy = (double)(cell / r.cols) - s->row;

        if (isnan(r.tau[cell]))
            r.tau[cell] = tau_of(&r, cell, &there, dx, dy);
        T[cell] = s->time + distance(&there, dx, dy) + r.tau[cell];
    }
    free(T1);
    free(sorted);
    free(r.sweep);
    free(r.label);
    free(r.tau);
}

static void solve(test_run *t, const test_case *c, int32_t order, double *T)
{
    zm_solver_opts o = fixed_opts();
    const zm_problem p = case_problem(c);
    zm_report report = ZM_REPORT_INIT;
    zm_error err = { .text = "" };
    zm_solver *s;

    o.order = order;
    o.factor_radius = order > 1 ? HUGE_VAL : 0;
    s = case_solver(c, ZM_F64, &o);
    CHECK_MSG(zm_forward(s, &p, T, NULL, &report, &err) == ZM_OK, "%s", err.text);
    CHECK(report.method ==
          (order == 1 ? ZM_SOLVED_BY_BLOCKS : ZM_SOLVED_BY_REFINED_BLOCKS));
    zm_solver_destroy(s);
}

static test_case case_of(int kind, uint64_t seed)
{
    test_case c = case_make(kind == 1 ? CONTRAST : SMOOTH, 71, 83, seed);

    c.grid.dx = 0.9;
    c.grid.dy = 1.1;
    if (kind == 2 || kind == 4) {
        case_add_source(&c, 8, 70, 5.25);
        case_add_source(&c, 66, 3, 2.5);
        case_add_source(&c, 0, 0, 4);
    }
    if (kind < 3)
        return c;
    case_add_walls(&c);
    for (int32_t i = 5; i < 50; i++) {
        c.walls[i * 83 + 60] = 1;                     /* a straight one */
        c.walls[(size_t)((15 + i) * 83 + 5 + i)] = 1; /* a diagonal one */
    }
    for (size_t i = 0; i < c.n_sources; i++)
        c.walls[(size_t)c.sources[i].row * 83 + (size_t)c.sources[i].col] = 0;
    return c;
}

/* To rounding, but where T1 is a tie to nearly 1e-10, which either may decide otherwise: of other
 * seeds one in fifteen has such a cell. */
TEST(times_are_those_of_the_slow_reference)
{
    static const char *const names[5] = { "smooth", "contrast", "four sources",
                                          "obstacles", "both" };

    for (int kind = 0; kind < 5; kind++)
        for (int32_t order = 2; order <= 3; order++) {
            test_case c = case_of(kind, t->seed);
            double *first = nan_doubles(c.n), *T = nan_doubles(c.n),
                   *slow = nan_doubles(c.n), worst;

            solve(t, &c, 1, first);
            solve(t, &c, order, T);
            reference_solve(&c, order, first, slow);
            worst = max_relative_difference(T, slow, c.n);
            printf("    %s, order %d: worst %.1e\n", names[kind], (int)order, worst);
            CHECK_MSG(worst <= 1e-10, "%s, order %d: %g", names[kind], (int)order,
                      worst);
            case_free(&c);
            free(slow);
            free(T);
            free(first);
        }
}
