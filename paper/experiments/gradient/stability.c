/* SPDX-License-Identifier: Apache-2.0
 * How much the gradient changes when the metric does by 1 %. */
#include <math.h>

#include "loss.h"
#include "measure.h"
#include "random.h"
#include "table.h"

enum { SIDE = 51, TRIALS = 200, LEVELS = 7 };

typedef struct variation {
    double of_norm;  /* | |g'| / |g| - 1 | */
    double of_field; /* |g' - g| / |g| */
} variation;

/* Every component of G times 1 + level u: u white, or correlated over `length` cells. */
static void perturb(experiment_run *run, uint64_t *state, const double *from,
                    double level, double length, medium *m)
{
    double *p = medium_parameters(m);

    for (size_t plane = 0; plane < G_PLANES; plane++)
        if (!random_field(state, SIDE, SIDE, length, p + plane * m->cells))
            run_fail(run, "no memory for a random field");
    for (size_t i = 0; i < G_PLANES * m->cells; i++)
        p[i] = from[i] * (1 + level * p[i]);
}

static variation compare(size_t n, const double *changed, const double *g)
{
    double squares = 0, of_changed = 0, of_difference = 0;

    for (size_t i = 0; i < n; i++) {
        squares += g[i] * g[i];
        of_changed += changed[i] * changed[i];
        of_difference += (changed[i] - g[i]) * (changed[i] - g[i]);
    }
    return (variation){ fabs(sqrt(of_changed / squares) - 1),
                        sqrt(of_difference / squares) };
}

/* A medium, its gradient, and copies of both to come back to. */
typedef struct bench {
    medium m;
    loss l;
    double *metric, *gradient;
} bench;

/* The gradient after a change of the medium; observed times stay. */
static variation vary(experiment_run *run, bench *b, uint64_t *state, double level,
                      double length)
{
    perturb(run, state, b->metric, level, length, &b->m);
    loss_refresh(run, &b->l);
    return compare(G_PLANES * b->m.cells, b->l.gradient, b->gradient);
}

static void bench_prepare(experiment_run *run, bench *b)
{
    const size_t n = G_PLANES * SIDE * SIDE;

    b->m = medium_new(run, SIDE, SIDE, 1);
    medium_source(run, &b->m, SIDE / 2, SIDE / 2, 0);
    b->l = loss_new(run, &b->m);
    loss_observe_all(&b->l);
    loss_gradient(run, &b->l);
    b->metric = field_new(run, n);
    b->gradient = field_new(run, n);
    for (size_t i = 0; i < n; i++) {
        b->metric[i] = medium_parameters(&b->m)[i];
        b->gradient[i] = b->l.gradient[i];
    }
}

/* Means of `trials` variations at one level. */
static variation mean_variation(experiment_run *run, bench *b, uint64_t *state,
                                int trials, double level, double length)
{
    variation sum = { 0 };

    for (int i = 0; i < trials && run_goes_on(run); i++) {
        const variation v = vary(run, b, state, level, length);

        sum.of_norm += v.of_norm / trials;
        sum.of_field += v.of_field / trials;
    }
    return sum;
}

static void draw(experiment_run *run, const double *of_norm, const double *level,
                 const double *white, const double *correlated)
{
    zm_figure *figure = figure_new(run, 1, 2, NULL);
    zm_plot *histogram = zm_figure_plot(figure, 0, 0);
    zm_plot *curve = zm_figure_plot(figure, 0, 1);

    ZM_PLOT_AXES(histogram, .title = "1 % noise",
                 .x.label = "change of the gradient's norm [%]", .y.label = "trials");
    ZM_PLOT_HISTOGRAM(histogram, .values = of_norm, .n = TRIALS, .count = 1,
                      .bins = 20);
    ZM_PLOT_GUIDE(histogram, .x = mean_of(TRIALS, of_norm), .vertical = 1,
                  .dash = ZM_DASH_SOLID, .label = "mean");
    ZM_PLOT_GUIDE(histogram, .x = 0.48, .vertical = 1, .dash = ZM_DASH_DASHED,
                  .label = "paper's mean");
    ZM_PLOT_AXES(curve, .title = "From small to large noise", .x.label = "noise [%]",
                 .x.scale = ZM_SCALE_LOG, .y.label = "change of the gradient [%]",
                 .y.scale = ZM_SCALE_LOG, .legend = ZM_LEGEND_UPPER_LEFT);
    ZM_PLOT_LINE(curve, .x = level, .y = white, .n = LEVELS, .marker = ZM_MARKER_DOT,
                 .label = "white noise");
    ZM_PLOT_LINE(curve, .x = level, .y = correlated, .n = LEVELS,
                 .marker = ZM_MARKER_SQUARE, .label = "correlated over 5 cells");
    ZM_PLOT_GUIDE(curve, .x = level[0], .y = white[0], .slope = 1,
                  .dash = ZM_DASH_DASHED, .label = "in proportion");
    figure_save(run, figure, "stability", "Figure S18",
                "Left: how much the norm of ∂L/∂G changes when every component of "
                "the metric gets 1 % of white noise. Right: how much the field ∂L/∂G "
                "changes, relative L2: in proportion to the noise, with no sign of "
                "jumps.");
}

static void stability(experiment_run *run)
{
    static const double percent[LEVELS] = { 0.01, 0.03, 0.1, 0.3, 1, 3, 10 };
    double of_norm[TRIALS], white[LEVELS], correlated[LEVELS], of_field = 0;
    uint64_t state = run_seed(run, 0);
    bench b;

    bench_prepare(run, &b);
    for (int i = 0; i < TRIALS && run_goes_on(run); i++) {
        const variation v = vary(run, &b, &state, 0.01, 0);

        run_step(run, 0.5 * i / TRIALS, "trial %d of %d", i + 1, TRIALS);
        of_norm[i] = 100 * v.of_norm;
        of_field += 100 * v.of_field / TRIALS;
    }
    for (int i = 0; i < LEVELS && run_goes_on(run); i++) {
        const double level = percent[i] / 100;

        run_step(run, 0.5 + 0.5 * i / LEVELS, "%g %% noise", percent[i]);
        white[i] = 100 * mean_variation(run, &b, &state, 20, level, 0).of_field;
        correlated[i] = 100 * mean_variation(run, &b, &state, 20, level, 5).of_field;
    }
    loss_free(&b.l);
    if (!run_goes_on(run))
        return;
    RESULT(run, .reference = "Figure S18", .unit = "%", .paper = "0.48",
           .ours = mean_of(TRIALS, of_norm),
           .quantity = "mean change of the norm of ∂L/∂G, 1 % noise");
    RESULT(run, .reference = "Figure S18", .unit = "%", .ours = of_field,
           .quantity = "mean relative L2 change of ∂L/∂G, 1 % white noise");
    RESULT(run, .reference = "Figure S18", .unit = "%", .ours = correlated[4],
           .quantity = "the same, noise correlated over 5 cells");
    RESULT(run, .reference = "Figure S18",
           .ours = fitted_exponent(LEVELS, percent, white),
           .quantity = "exponent of the L2 change over the noise, 0.01–10 %");
    run_save(run, "norm-changes", of_norm, 1, TRIALS);
    SAVE_CURVES(run, "changes", LEVELS, { "noise [%]", percent },
                { "white noise [%]", white }, { "correlated [%]", correlated });
    draw(run, of_norm, percent, white, correlated);
    run_remark(
        run,
        "Only the first definition gives a figure of the paper's size, so it is "
        "likely the one used there. It hides how far the gradient moves cell by "
        "cell: white noise bends the paths, and the field changes ten times as much. "
        "Both changes are in proportion to the noise: the gradient has no jumps of "
        "any weight. The figures belong to medium, grid and loss, not to the method: "
        "a gradient without error has them as well.");
}

const experiment experiment_stability = {
    .name = "stability",
    .group = "Gradients",
    .title = "Gradients under a noisy metric",
    .paper = "section Gradient Verification, Figure S18",
    .about =
        "Every component of G is multiplied by 1 + 0.01 u with independent normal u, "
        "and the gradient is computed anew with the same observations, 200 "
        "times.\n\n"
        "The paper does not say what its variation is, nor the medium. Here: G = I "
        "on 51 × 51 cells, a source in the centre, L = ½ Σ (T − T̂)² over all cells "
        "with T̂ = 0.9 T; the variation is | |∇L′| / |∇L| − 1 | of the gradient by "
        "G, and beside it |∇L′ − ∇L| / |∇L|.",
    .run = stability,
};
