/* SPDX-License-Identifier: Apache-2.0
 * Random media through every engine.
 *
 *     attack_media [--media N] [--seconds N] [--seed S] [--first K] [--verbose]
 *
 * Medium K of seed S is the same everywhere; every third is mild, so that engines which need that
 * solve it.  --media: so many (default 300); --seconds: as many
 * as there is time for, at least one.  A finding is a line; the last line counts.  Exit status 0: no
 * finding, 1: some, 2: wrong options.
 *
 * Of every medium and every engine: it solves or says why not; no time is before the start, sources
 * have theirs; the discrete residual is rounding; more sources never make a time later; engines,
 * instruction sets and threads that solve the same discrete problem agree; a transposed
 * problem has transposed times; the adjoint is the transpose of the tangent; derivatives obey
 * the rule of derivatives.c; other units change powers of two and no other bit; and the work
 * is bounded by the number of cells. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attack/media/media.h"
#include "core/random.h"

void finding(look *l, const char *format, ...)
{
    char what[300], text[500];
    va_list args;

    medium_describe(l->m, what, sizeof what);
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printf("%s: %s\n", what, text);
    fflush(stdout);
    l->sum->findings++;
}

double rounding_of(const random_medium *m)
{
    return 2e-13 + 3e-15 * m->ratio / (1 - m->drift);
}

double times_apart(const test_case *c, const double *a, const double *b)
{
    double start = INFINITY, largest = 0;

    for (size_t i = 0; i < c->n_sources; i++)
        start = fmin(start, c->sources[i].time);
    for (size_t i = 0; i < c->n; i++) {
        if (isinf(a[i]) && isinf(b[i]))
            continue;
        if (!isfinite(a[i]) || !isfinite(b[i]))
            return INFINITY;
        if (a[i] != b[i])
            largest = fmax(largest, fabs(a[i] - b[i]) /
                                        (fmax(a[i], b[i]) - start + fabs(start)));
    }
    return largest;
}

/* Agreement of two fields of times; `which` of tally.worst it counts for. */
static void agree(look *l, int which, const char *a_name, const double *a,
                  const char *b_name, const double *b, double bound)
{
    const double apart = times_apart(&l->m->c, a, b);

    l->sum->worst[which] = fmax(l->sum->worst[which], apart / bound);
    if (!(apart <= bound))
        finding(l, "%s and %s are %.2g apart, bound %.2g", a_name, b_name, apart,
                bound);
}

/* Engines may refuse a metric whose stencils are too long, or a combination that none has; with
 * intervals cells may open each other more often than is allowed, which is told. */
static bool may_refuse(const variant *v, const outcome *o)
{
    return o->status == ZM_E_METRIC || o->status == ZM_E_UNSUPPORTED ||
           (v->timed && o->status == ZM_NOT_CONVERGED);
}

static void sources_check(look *l, const variant *v, const outcome *o)
{
    const test_case *c = &l->m->c;
    double start = INFINITY;

    for (size_t k = 0; k < c->n_sources; k++)
        start = fmin(start, c->sources[k].time);
    if (v->dtype == ZM_F32)
        start = (double)(float)start;
    for (size_t i = 0; i < c->n; i++)
        if (!(o->T[i] >= start)) {
            finding(l, "%s: T %.9g before the start %.9g", v->name, o->T[i], start);
            return;
        }
    for (size_t k = 0; k < c->n_sources; k++) {
        const double time = c->sources[k].time;
        const double T = o->T[(size_t)c->sources[k].row * (size_t)c->grid.cols +
                              (size_t)c->sources[k].col];

        if (!(T <= (v->dtype == ZM_F32 ? (double)(float)time : time)))
            finding(l, "%s: source %zu at time %.9g has T %.9g", v->name, k, time, T);
    }
}

/* Work, as counts; see MOST_UPDATES_A_CELL of blocks/solve.c.  On small grids most lanes of
 * vectors are empty. */
static void work_check(look *l, const variant *v, const outcome *o)
{
    const double cells = (double)o->n;
    const double a_cell = (double)o->report.updates / (cells + 2000);

    l->sum->most_updates = fmax(l->sum->most_updates, a_cell);
    if (l->sum->verbose && v->threads == 1 && 1e6 * o->seconds / (cells + 200) > 50)
        printf("    %s: %.0f us a cell\n", v->name, 1e6 * o->seconds / (cells + 200));
    if (v->threads == 1) /* threads wait for each other */
        l->sum->slowest = fmax(l->sum->slowest, 1e6 * o->seconds / (cells + 200));
    if (a_cell > 5000 || o->report.iterations > 3000)
        finding(l, "%s: %lld updates, %lld visits of a block", v->name,
                (long long)o->report.updates, (long long)o->report.iterations);
}

/* <1, J d> = <J' 1, d>, with the direction that outcome_of has. */
static void transpose_check(look *l, const variant *v, const outcome *o)
{
    static const double share[N_PLANES] = { 0.3, 0.2, 0.1, 0.15, 0.12 };
    const double bound = v->dtype == ZM_F32 ? 2e-4 : 1e-9;
    double left = 0, right = 0, size = 0;

    if (v->timed) /* gradients of the intervals have been added up */
        return;
    for (size_t i = 0; i < o->n; i++)
        left += o->dT[i];
    for (int p = 0; p < N_PLANES; p++)
        for (size_t i = 0; i < o->n; i++) {
            const double term =
                o->gradient[p][i] * share[p] * case_plane(&l->m->c, p)[i];

            right += term;
            size += fabs(term);
        }
    if (!(fabs(left - right) <= bound * size))
        finding(l, "%s: <1, J d> = %.12g, <J' 1, d> = %.12g", v->name, left, right);
}

/* The residual is a share of |T|, which says nothing where times that begin below 0 pass it. */
static void residual_check(look *l, const variant *v, const outcome *o)
{
    const double worst = max_abs(o->residual[ZM_RESIDUAL_DISCRETE], o->n);
    const double bound = 10 * rounding_of(l->m);
    bool from_0 = true;

    for (size_t k = 0; k < l->m->c.n_sources; k++)
        from_0 = from_0 && l->m->c.sources[k].time == 0;
    if (from_0 && v->stencils == ZM_STENCILS_FIXED && v->dtype == ZM_F64 &&
        !(worst <= bound))
        finding(l, "%s: residual %.2g, bound %.2g", v->name, worst, bound);
}

static void units_check(look *l, const variant *v, const outcome *o)
{
    uint64_t state = zm_random_mix(l->m->seed + 77);
    const int most = v->dtype == ZM_F32 ? 30 : 200;
    const int metric = (int)zm_random_below(&state, (size_t)(2 * most + 1)) - most;
    const int spacing = (int)zm_random_below(&state, (size_t)(2 * most + 1)) - most;
    test_case there = case_in_units(&l->m->c, metric, spacing);
    outcome other = outcome_of(v, &there, ldexp(1, metric + spacing), true);
    char text[300];

    outcome_compare_units(o, &other, metric, spacing, v, text, sizeof text);
    /* float32 promises contrasts of the metric up to 1e5 in any unit, takes more in some */
    if (v->dtype == ZM_F32 && other.status == ZM_E_METRIC)
        l->sum->refused++;
    else if (text[0])
        finding(l, "%s, slowness 2^%d, spacing 2^%d: %s", v->name, metric, spacing,
                text);
    outcome_free(&other);
    case_free(&there);
}

/* One more source, at the end of the grid, starting early. */
static void more_sources_check(look *l, const variant *v, const outcome *o)
{
    test_case more = case_copy(&l->m->c);
    outcome other;
    double start = INFINITY;
    const double unsure = 10 * rounding_of(l->m);

    if (v->order > 1 || v->factored || v->timed || v->dtype == ZM_F32 || more.walls) {
        case_free(&more);
        return;
    }
    for (size_t k = 0; k < more.n_sources; k++)
        start = fmin(start, more.sources[k].time);
    case_add_source(&more, more.grid.rows - 1, 0, start);
    other = outcome_of(v, &more, 1, false);
    for (size_t i = 0; i < o->n && other.status >= 0; i++)
        if (!(other.T[i] <= o->T[i] + unsure * (o->T[i] - start + fabs(start)))) {
            finding(l, "%s: one more source, T %.17g becomes %.17g", v->name, o->T[i],
                    other.T[i]);
            break;
        }
    outcome_free(&other);
    case_free(&more);
}

/* Rows for columns. */
static test_case transposed(const test_case *c)
{
    test_case t = case_create(c->grid.cols, c->grid.rows);
    static const int of[N_PLANES] = { 2, 1, 0, 4, 3 };

    t.grid.dx = c->grid.dy;
    t.grid.dy = c->grid.dx;
    if (c->walls)
        case_add_walls(&t);
    for (size_t i = 0; i < c->n; i++) {
        const size_t row = i / (size_t)c->grid.cols, col = i % (size_t)c->grid.cols;
        const size_t to = col * (size_t)t.grid.cols + row;

        for (int p = 0; p < N_PLANES; p++)
            case_plane(&t, p)[to] = case_plane(c, of[p])[i];
        if (c->walls)
            t.walls[to] = c->walls[i];
    }
    for (size_t k = 0; k < c->n_sources; k++)
        case_add_source(&t, (int32_t)c->sources[k].col, (int32_t)c->sources[k].row,
                        c->sources[k].time);
    return t;
}

static void symmetry_check(look *l, const variant *v, const outcome *o)
{
    const test_case *c = &l->m->c;
    test_case t = transposed(c);
    outcome other = outcome_of(v, &t, 1, false);
    double *back = nan_doubles(c->n);

    for (size_t i = 0; i < c->n; i++)
        back[i] = other.T[i % (size_t)c->grid.cols * (size_t)t.grid.cols +
                          i / (size_t)c->grid.cols];
    if (other.status >= 0)
        agree(l, 0, v->name, o->T, "its transpose", back, 10 * rounding_of(l->m));
    free(back);
    outcome_free(&other);
    case_free(&t);
}

static bool is(const variant *v, const char *name)
{
    return strcmp(v->name, name) == 0;
}

/* Variants that solve the same discrete problem; `which` of tally.worst they count for. */
static const struct same {
    const char *a, *b;
    int which;
} same_problem[] = { { "fixed", "fixed scalar", 1 },
                     { "fixed", "fixed two threads", 2 },
                     { "adaptive", "marching", 3 },
                     { "second factored", "second factored scalar", 1 },
                     { "second factored", "second factored two threads", 2 } };

static void pair_check(look *l, const outcome *of, const struct same *pair)
{
    const outcome *a = &of[variant_named(pair->a) - variants],
                  *b = &of[variant_named(pair->b) - variants];

    if (a->status == ZM_OK && b->status == ZM_OK)
        agree(l, pair->which, pair->a, a->T, pair->b, b->T, 10 * rounding_of(l->m));
}

static void medium_check(tally *sum, const random_medium *m)
{
    look l = { sum, m, NULL };
    outcome of[32];

    for (size_t k = 0; k < n_variants; k++) {
        const variant *v = &variants[k];
        outcome *o = &of[k];

        *o = outcome_of(v, &m->c, 1, true);
        sum->solves++;
        if (may_refuse(v, o)) {
            sum->refused++;
            continue;
        }
        if (o->status != ZM_OK) {
            finding(&l, "%s: status %d: %s", v->name, (int)o->status, o->err.text);
            continue;
        }
        sum->by[o->report.method]++;
        work_check(&l, v, o);
        sources_check(&l, v, o);
        transpose_check(&l, v, o);
        residual_check(&l, v, o);
        if (v->threads == 1)
            units_check(&l, v, o);
        more_sources_check(&l, v, o);
        if (is(v, "fixed") || is(v, "marching"))
            symmetry_check(&l, v, o);
        if (v->dtype == ZM_F64 && v->threads == 1 && v->isa == ZM_ISA_BEST)
            derivatives_check(&l, v, m->seed);
    }
    for (size_t k = 0; k < sizeof same_problem / sizeof *same_problem; k++)
        pair_check(&l, of, &same_problem[k]);
    for (size_t k = 0; k < n_variants; k++)
        outcome_free(&of[k]);
    sum->media++;
}

static long number(const char *text)
{
    char *end;
    const long value = strtol(text, &end, 10);

    if (*end || value < 0) {
        fprintf(stderr, "attack_media: %s is no number\n", text);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv)
{
    long media = 300, first = 0, seconds = 0;
    uint64_t seed = 1;
    tally sum = { 0 };
    const time_t begin = time(NULL);

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--verbose")) {
            sum.verbose = true;
            continue;
        }
        if (i + 1 == argc) {
            fprintf(stderr, "usage: attack_media [--media N] [--seconds N] [--seed S] "
                            "[--first K] [--verbose]\n");
            return 2;
        }
        if (!strcmp(argv[i], "--media"))
            media = number(argv[++i]);
        else if (!strcmp(argv[i], "--seconds"))
            seconds = number(argv[++i]);
        else if (!strcmp(argv[i], "--seed"))
            seed = (uint64_t)number(argv[++i]);
        else if (!strcmp(argv[i], "--first"))
            first = number(argv[++i]);
        else {
            fprintf(stderr, "attack_media: no option %s\n", argv[i]);
            return 2;
        }
    }
    for (long k = first;
         seconds > 0 ? k == first || time(NULL) - begin < seconds : k < first + media;
         k++) {
        random_medium m = medium_draw(seed * 1000000 + (uint64_t)k,
                                      k % 3 == 2 ? &medium_mild : &medium_hardest);
        char text[300];

        if (sum.verbose) {
            medium_describe(&m, text, sizeof text);
            printf("%s\n", text);
            fflush(stdout);
        }
        medium_check(&sum, &m);
        medium_free(&m);
    }
    printf(
        "%ld media, %ld solves (%ld by blocks, %ld by adaptive blocks, %ld by "
        "marching, "
        "%ld timed, %ld by refined blocks), %ld refused; at most %.0f updates and %.1f "
        "us a cell; "
        "derivatives of %ld cells: %ld at kinks, %ld at jumps; shares of their bounds: "
        "symmetry %.2g, scalar %.2g, threads %.2g, marching %.2g; %ld findings\n",
        sum.media, sum.solves, sum.by[ZM_SOLVED_BY_BLOCKS],
        sum.by[ZM_SOLVED_BY_ADAPTIVE_BLOCKS], sum.by[ZM_SOLVED_BY_MARCHING],
        sum.by[ZM_SOLVED_BY_TIMED], sum.by[ZM_SOLVED_BY_REFINED_BLOCKS], sum.refused,
        sum.most_updates, sum.slowest, sum.derivatives, sum.kinks, sum.jumps,
        sum.worst[0], sum.worst[1], sum.worst[2], sum.worst[3], sum.findings);
    return sum.findings > 0;
}
