/* SPDX-License-Identifier: Apache-2.0
 * True media, fronts and observations of them. */
#include "problem.h"

#include <math.h>

#include "measure.h"
#include "random.h"

enum { SIDE_OF_TRUTHS = 80, SEEDS_APART = 16, WAVES = 64 };
enum { SMOOTH_SEED = 1000, ROUGH_SEED = 2000 };

int32_t inverse_side(const experiment_run *run)
{
    return run_quick(run) ? SIDE_OF_TRUTHS / 2 : SIDE_OF_TRUTHS;
}

/* ---- true media ------------------------------------------------------------------- */

/* Coordinates of nodes in [0, 80), `cell` apart on the grid that the truth is for.  Straight
 * edges run midway between its nodes, so that they stay where they are on a finer one. */
static cell_metric truth_at(truth t, double x, double y, double cell)
{
    const bool left = x + cell / 2 < SIDE_OF_TRUTHS / 2.0;
    const double b1 = left ? 0.15 : -0.1, b2 = left ? 0.08 : 0.2;
    const int column = (int)((x + cell / 2) / 16), row = (int)((y + cell / 2) / 16);
    double g = 1;

    switch (t) {
    case TRUTH_DIAGONAL:
        return (cell_metric){ left ? 1 : 2, 0, left ? 1.5 : 0.8, 0, 0 };
    case TRUTH_DRIFT:
        return (cell_metric){ 1, 0, 1, 0.15, 0.08 };
    case TRUTH_TWO_DRIFTS:
        return (cell_metric){ 1, 0, 1, b1, b2 };
    case TRUTH_JOINT:
        return (cell_metric){ left ? 1 : 2, left ? 0.2 : -0.3, left ? 1.5 : 1, b1, b2 };
    case TRUTH_DISC:
        g = hypot(x - 50, y - 40) <= 15 ? 2 : 1;
        break;
    case TRUTH_EVEN:
        g = 1.5;
        break;
    case TRUTH_SQUARES:
        g = 0.8 + 0.4 * ((column * 7 + row * 13 + column * row * 3) % 5);
        break;
    default:
        g = left ? 1 : 2;
    }
    return (cell_metric){ g, 0, g, 0, 0 };
}

/* A random field that any grid can sample: the sum of many waves, whose covariance is
 * that of white noise smoothed by a Gaussian of `length`, and whose variance is 1. */
typedef struct waves {
    double kx[WAVES], ky[WAVES], phase[WAVES];
} waves;

static waves waves_new(uint64_t *random, double length)
{
    waves w;

    for (int i = 0; i < WAVES; i++) {
        w.kx[i] = zm_random_normal(random) / (sqrt(2) * length);
        w.ky[i] = zm_random_normal(random) / (sqrt(2) * length);
        w.phase[i] = zm_random_between(random, 0, 2 * acos(-1));
    }
    return w;
}

static double waves_at(const waves *w, double x, double y)
{
    double sum = 0;

    for (int i = 0; i < WAVES; i++)
        sum += cos(w->kx[i] * x + w->ky[i] * y + w->phase[i]);
    return sqrt(2.0 / WAVES) * sum;
}

/* x = sum over modes (k, l) of normal z / sqrt(precision mu), mu the mode's eigenvalue of
 * D'D; the constant mode, which that leaves free, is left out. */
static void fill_rough(experiment_run *run, medium *m, uint64_t seed)
{
    const size_t n = (size_t)m->grid.rows;
    uint64_t random = run_seed(run, ROUGH_SEED + seed);
    double *mode = field_new(run, n * n), *half = field_new(run, n * n);
    double *x = field_new(run, n * n);
    const double angle = acos(-1) / (double)n;

    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            mode[k * n + i] = sqrt((k ? 2.0 : 1.0) / (double)n) *
                              cos(angle * (double)k * ((double)i + 0.5));
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < n; l++) {
            const double mu =
                4 - 2 * cos(angle * (double)k) - 2 * cos(angle * (double)l);
            const double z =
                k + l ? zm_random_normal(&random) / sqrt(ROUGH_PRECISION * mu) : 0;

            for (size_t i = 0; i < n; i++)
                half[k * n + i] += z * mode[l * n + i];
        }
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++)
                x[j * n + i] += mode[k * n + j] * half[k * n + i];
    for (size_t cell = 0; cell < m->cells; cell++)
        m->g11[cell] = m->g22[cell] = pow(1 + x[cell], 2);
}

/* Fills a medium that stands for side x side cells, whatever its spacing. */
static void medium_fill_truth(experiment_run *run, medium *m, truth t, double side,
                              uint64_t seed)
{
    const double unit = SIDE_OF_TRUTHS / side * m->grid.dx;
    uint64_t random = run_seed(run, SMOOTH_SEED);
    const waves u = waves_new(&random, 8), v = waves_new(&random, 8);
    size_t cell = 0;

    for (int32_t row = 0; row < m->grid.rows; row++) {
        for (int32_t col = 0; col < m->grid.cols; col++, cell++) {
            const double x = col * unit, y = row * unit;
            cell_metric c = truth_at(t, x, y, SIDE_OF_TRUTHS / side);

            if (t == TRUTH_SMOOTH || t == TRUTH_SMOOTH_DIAGONAL)
                c.g11 = c.g22 = exp(0.3 * waves_at(&u, x, y));
            if (t == TRUTH_SMOOTH_DIAGONAL)
                c.g22 = exp(0.3 * waves_at(&v, x, y));
            if (t == TRUTH_SMOOTH_DRIFT)
                c = (cell_metric){ 1, 0, 1, 0.1 * waves_at(&u, x, y),
                                   0.1 * waves_at(&v, x, y) };
            medium_set(m, cell, c);
        }
    }
    if (t == TRUTH_ROUGH)
        fill_rough(run, m, seed);
}

/* ---- fronts and observations ------------------------------------------------------ */

/* The first from the left half, the others from all sides; (20, 40), ... of 80 x 80. */
static void place_sources(experiment_run *run, const design *d, medium *m)
{
    static const int32_t places[MOST_FRONTS][2] = {
        { 20, 40 }, { 60, 20 }, { 60, 60 }, { 20, 12 }, { 40, 68 }
    };

    if (d->centred) {
        medium_source(run, m, d->side / 2, d->side / 2, 0);
        return;
    }
    for (size_t i = 0; i < d->fronts; i++)
        medium_source(run, m, (places[i][1] * d->side + 40) / SIDE_OF_TRUTHS,
                      (places[i][0] * d->side + 40) / SIDE_OF_TRUTHS, 0);
}

static double *true_times(experiment_run *run, const problem *p, const sighting *s)
{
    double *T = field_new(run, p->truth.cells);
    medium m = p->truth;

    m.sources = s->sources;
    m.n_sources = s->n_sources;
    medium_solve(run, &m, T);
    return T;
}

/* Times in the cells of a grid whose spacing is `finer` times that of a finer one. */
static double *fine_times(experiment_run *run, const problem *p, const sighting *s)
{
    const int32_t f = p->d.finer, n = f * (p->d.side - 1) + 1;
    medium m = medium_new(run, n, n, 1.0 / f);
    double *fine = field_new(run, m.cells), *T = field_new(run, p->truth.cells);
    size_t cell = 0;

    medium_fill_truth(run, &m, p->d.truth, p->d.side, 0);
    for (size_t i = 0; i < s->n_sources; i++)
        medium_source(run, &m, (int32_t)s->sources[i].row * f,
                      (int32_t)s->sources[i].col * f, s->sources[i].time);
    medium_solve(run, &m, fine);
    for (int32_t row = 0; row < n; row += f)
        for (int32_t col = 0; col < n; col += f)
            T[cell++] = fine[(size_t)row * (size_t)n + (size_t)col];
    return T;
}

/* sqrt of the variance of T over the cells. */
static double deviation_of(const double *T, size_t n)
{
    const double mean = mean_of(n, T);
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += (T[i] - mean) * (T[i] - mean);
    return sqrt(sum / (double)n);
}

static bool is_source(const medium *m, const sighting *s, size_t cell)
{
    const size_t cols = (size_t)m->grid.cols;

    for (size_t i = 0; i < s->n_sources; i++)
        if ((size_t)s->sources[i].row * cols + (size_t)s->sources[i].col == cell)
            return true;
    return false;
}

/* Cells in which the front may be observed: all but its sources. */
static size_t candidates(const problem *p, const sighting *s, size_t *cells)
{
    size_t n = 0;

    for (size_t cell = 0; cell < p->truth.cells; cell++)
        if (!is_source(&p->truth, s, cell))
            cells[n++] = cell;
    return n;
}

static void observe(experiment_run *run, const problem *p, sighting *s,
                    uint64_t *random)
{
    const design *d = &p->d;
    size_t *cells = run_memory(run, p->truth.cells, sizeof *cells);
    const size_t n = candidates(p, s, cells);
    size_t wanted =
        d->observations ? d->observations : (size_t)(d->share * (double)p->truth.cells);
    size_t *chosen;
    double deviation;

    s->T = d->finer > 1 ? fine_times(run, p, s) : true_times(run, p, s);
    deviation = d->noise * deviation_of(s->T, p->truth.cells);
    s->n = wanted < n ? wanted : n;
    chosen = run_memory(run, s->n, sizeof *chosen);
    zm_random_choice(random, n, s->n, chosen);
    s->cells = run_memory(run, s->n, sizeof *s->cells);
    s->times = field_new(run, s->n);
    for (size_t i = 0; i < s->n; i++) {
        const size_t cell = cells[chosen[i]];

        s->cells[i] = (int64_t)cell;
        s->times[i] = s->T[cell] + deviation * zm_random_normal(random);
    }
    s->sigma = d->sigma > 0 ? d->sigma : deviation;
}

problem problem_new(experiment_run *run, const design *d, uint64_t seed)
{
    problem p = { .d = *d };
    uint64_t random = run_seed(run, SEEDS_APART * d->purpose + seed);

    p.d.side = d->side ? d->side : inverse_side(run);
    p.d.fronts = d->fronts ? d->fronts : 1;
    p.d.unknown = d->unknown ? d->unknown : ZM_UNKNOWN_ISOTROPIC;
    p.truth = medium_new(run, p.d.side, p.d.side, 1);
    medium_fill_truth(run, &p.truth, d->truth, p.d.side, seed);
    place_sources(run, &p.d, &p.truth);
    p.n_fronts = d->together ? 1 : p.truth.n_sources;
    for (size_t i = 0; i < p.n_fronts && run_goes_on(run); i++) {
        p.fronts[i].sources = p.truth.sources + i;
        p.fronts[i].n_sources = d->together ? p.truth.n_sources : 1;
        observe(run, &p, &p.fronts[i], &random);
    }
    return p;
}

/* ---- errors ----------------------------------------------------------------------- */

bool seeks_metric(const design *d)
{
    return ((int)d->unknown & (int)ZM_UNKNOWN_METRIC) != 0;
}

bool seeks_drift(const design *d)
{
    return ((int)d->unknown & (int)ZM_UNKNOWN_DRIFT) != 0;
}

bool seeks_plane(const design *d, int plane)
{
    const int of_metric = (int)d->unknown & (int)ZM_UNKNOWN_METRIC;

    return plane >= G_PLANES ? seeks_drift(d)
           : plane == 1      ? of_metric == (int)ZM_UNKNOWN_METRIC
           : plane == 2      ? of_metric >= (int)ZM_UNKNOWN_DIAGONAL
                             : of_metric != 0;
}

bool is_certain(const design *d)
{
    return d->share >= 1 && d->observations == 0 && d->noise <= 0;
}

double *medium_plane(const medium *m, int plane)
{
    return medium_parameters(m) + (size_t)plane * m->cells;
}

/* Sums of squares over some planes, g12 counted twice. */
static double relative_error(const problem *p, const medium *found, int first, int end)
{
    double squares = 0, of_truth = 0;

    for (int k = first; k < end; k++) {
        const double *f = medium_plane(found, k), *t = medium_plane(&p->truth, k);
        const double weight = k == 1 ? 2 : 1;

        for (size_t i = 0; i < p->truth.cells; i++) {
            squares += weight * (f[i] - t[i]) * (f[i] - t[i]);
            of_truth += weight * t[i] * t[i];
        }
    }
    return 100 * sqrt(squares / of_truth);
}

double error_of_metric(const problem *p, const medium *found)
{
    return relative_error(p, found, 0, G_PLANES);
}

double error_of_drift(const problem *p, const medium *found)
{
    return relative_error(p, found, G_PLANES, METRIC_PLANES);
}

double error_of_plane(const problem *p, const medium *found, int plane)
{
    return relative_error(p, found, plane, plane + 1);
}

/* The mean c of f is nearest to it: |f - c|^2 = |f|^2 - n c^2. */
double best_constant(const problem *p)
{
    const bool metric = seeks_metric(&p->d);
    double rest = 0, of_truth = 0;

    for (int k = metric ? 0 : G_PLANES; k < (metric ? G_PLANES : METRIC_PLANES); k++) {
        const double *t = medium_plane(&p->truth, k), weight = k == 1 ? 2 : 1;
        const double deviation = deviation_of(t, p->truth.cells);

        rest += weight * deviation * deviation * (double)p->truth.cells;
        for (size_t i = 0; i < p->truth.cells; i++)
            of_truth += weight * t[i] * t[i];
    }
    return 100 * sqrt(rest / of_truth);
}

double largest_error(const problem *p, const medium *found)
{
    double largest = 0;

    for (int k = 0; k < METRIC_PLANES; k++) {
        const double *f = medium_plane(found, k), *t = medium_plane(&p->truth, k);

        for (size_t i = 0; seeks_plane(&p->d, k) && i < p->truth.cells; i++) {
            bool source = false;

            for (size_t e = 0; e < p->n_fronts; e++)
                source = source || is_source(&p->truth, &p->fronts[e], i);
            if (!source)
                largest = fmax(largest, fabs(f[i] - t[i]));
        }
    }
    return largest;
}
