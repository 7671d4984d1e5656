/* SPDX-License-Identifier: Apache-2.0
 * Derivatives along random directions that move all parameters at once. */
#include <math.h>

#include "loss.h"
#include "measure.h"
#include "random.h"
#include "table.h"

enum { SIDE = 51, DIRECTIONS = 100 };

/* What is compared with the difference along a direction. */
typedef enum variant {
    EXACT,   /* the adjoint */
    HALF_12, /* the same with the derivative by g12 of one off-diagonal entry only */
    SINGLE,  /* the adjoint, but differences of times computed in float32 */
    VARIANTS
} variant;

typedef struct test {
    const char *name, *title;
    bool generic;
    double errors[VARIANTS][DIRECTIONS]; /* relative */
} test;

/* A unit vector over the three planes of G, as the paper has it. */
static void draw_direction(uint64_t *state, size_t cells, double *v)
{
    double squares = 0;

    for (size_t i = 0; i < G_PLANES * cells; i++) {
        v[i] = zm_random_normal(state);
        squares += v[i] * v[i];
    }
    for (size_t i = 0; i < G_PLANES * cells; i++)
        v[i] /= sqrt(squares);
}

/* Sum of gradient times direction, the part of g12 multiplied by `share_12`. */
static double along(const loss *l, const double *v, double share_12)
{
    const size_t n = l->m->cells;
    double sum = 0;

    for (size_t i = 0; i < G_PLANES * n; i++)
        sum += (i / n == 1 ? share_12 : 1) * l->gradient[i] * v[i];
    return sum;
}

static double relative(double value, double truth)
{
    return fabs(value - truth) / fabs(truth);
}

static void run_test(experiment_run *run, test *t)
{
    medium m = medium_new(run, SIDE, SIDE, 1);
    double *v = field_new(run, METRIC_PLANES * m.cells);
    uint64_t state = run_seed(run, t->generic);
    loss l, rounded;

    if (t->generic)
        medium_fill_smooth(run, &m, run_seed(run, 2), /* correlation length */ 6);
    medium_source(run, &m, SIDE / 2 - 4 * t->generic, SIDE / 2 + 7 * t->generic, 0);
    l = loss_new(run, &m);
    loss_observe_all(&l);
    loss_gradient(run, &l);
    rounded = loss_new(run, &m);
    loss_observe_all(&rounded);
    loss_solve_in_float32(run, &rounded);
    for (int i = 0; i < DIRECTIONS && run_goes_on(run); i++) {
        double difference, exact;

        draw_direction(&state, m.cells, v);
        exact = along(&l, v, 1);
        difference = loss_difference(run, &l, v, PAPER_STEP);
        t->errors[EXACT][i] = relative(exact, difference);
        t->errors[HALF_12][i] = relative(along(&l, v, 0.5), difference);
        difference = loss_difference(run, &rounded, v, PAPER_STEP);
        t->errors[SINGLE][i] = relative(exact, difference);
    }
    loss_free(&l);
    loss_free(&rounded);
}

static double share_within(const double *errors, double bound)
{
    double n = 0;

    for (int i = 0; i < DIRECTIONS; i++)
        n += errors[i] < bound;
    return 100 * n / DIRECTIONS;
}

static double median_of(const double *errors)
{
    double sorted[DIRECTIONS];

    for (int i = 0; i < DIRECTIONS; i++)
        sorted[i] = errors[i];
    sort_values(DIRECTIONS, sorted);
    return quantile(DIRECTIONS, sorted, 0.5);
}

static void report(experiment_run *run, const test *t)
{
    RESULT(run, .reference = "Figure S17", .unit = "%", .paper = "20",
           .ours = share_within(t->errors[EXACT], 0.1), .better = BETTER_HIGHER,
           .quantity =
               run_text(run, "directions with an error below 10 %%, %s", t->name));
    RESULT(run, .reference = "Figure S17", .unit = "%",
           .ours = share_within(t->errors[EXACT], 1e-5), .better = BETTER_HIGHER,
           .quantity =
               run_text(run, "directions with an error below 10⁻⁵, %s", t->name));
    RESULT(run, .reference = "Figure S17", .ours = median_of(t->errors[EXACT]),
           .better = BETTER_LOWER,
           .quantity = run_text(run, "median relative error, %s", t->name));
    RESULT(run, .reference = "Figure S17", .unit = "%",
           .ours = share_within(t->errors[HALF_12], 0.1),
           .quantity = run_text(
               run, "below 10 %% if ∂L/∂g₁₂ counts one off-diagonal entry only, %s",
               t->name));
    RESULT(run, .reference = "Figure S17", .unit = "%",
           .ours = share_within(t->errors[SINGLE], 0.1),
           .quantity =
               run_text(run, "below 10 %% if the differences are of float32 times, %s",
                        t->name));
    SAVE_CURVES(run, t->name, DIRECTIONS, { "adjoint", t->errors[EXACT] },
                { "without factor 2 of g₁₂", t->errors[HALF_12] },
                { "float32", t->errors[SINGLE] });
}

static void draw_test(zm_plot *histogram, zm_plot *curve, const test *t)
{
    static const char *const labels[VARIANTS] = { "adjoint", "without factor 2 of g₁₂",
                                                  "float32" };

    ZM_PLOT_AXES(histogram, .title = t->title, .x.label = "relative error",
                 .x.scale = ZM_SCALE_LOG, .y.label = "directions",
                 .legend = ZM_LEGEND_BELOW);
    ZM_PLOT_AXES(curve, .title = t->title, .x.label = "relative error",
                 .x.scale = ZM_SCALE_LOG, .y.label = "share of directions", .y.min = 0,
                 .y.max = 1.02, .legend = ZM_LEGEND_BELOW);
    for (int i = 0; i < VARIANTS; i++) {
        ZM_PLOT_HISTOGRAM(histogram, .values = t->errors[i], .n = DIRECTIONS,
                          .count = 1, .label = labels[i]);
        ZM_PLOT_CUMULATIVE(curve, .values = t->errors[i], .n = DIRECTIONS,
                           .label = labels[i]);
    }
    ZM_PLOT_POINTS(curve, .x = &(double){ 0.1 }, .y = &(double){ 0.2 }, .n = 1,
                   .marker = ZM_MARKER_STAR, .marker_size = 9, .label = "paper");
}

static void directions(experiment_run *run)
{
    test tests[] = {
        { .name = "symmetric", .title = "Isotropic, source in the centre" },
        { .name = "generic", .title = "Smoothly varying medium", .generic = true }
    };
    zm_figure *figure;

    for (int i = 0; i < 2 && run_goes_on(run); i++) {
        run_step(run, 0.5 * i, "%s", tests[i].name);
        run_test(run, &tests[i]);
        if (run_goes_on(run))
            report(run, &tests[i]);
    }
    if (!run_goes_on(run))
        return;
    run_remark(
        run,
        "The paper takes its 20 %% for the price of stencil switching. It is not: T "
        "is continuous where stencils switch, and most ties of a symmetric medium "
        "are between updates with the same derivative. Errors of the size it reports "
        "come about where ∂L/∂g₁₂ counts only one of the two off-diagonal entries "
        "that move, which a pointwise test of one entry does not notice; or with "
        "times in float32, whose rounding is larger than what a step of 10⁻⁵ "
        "changes.");
    figure = figure_new(run, 2, 2, NULL);
    for (int32_t i = 0; i < 2; i++)
        draw_test(zm_figure_plot(figure, i, 0), zm_figure_plot(figure, i, 1),
                  &tests[i]);
    figure_save(
        run, figure, "directions", "Figure S17",
        "Relative errors of derivatives along 100 random directions against central "
        "differences: the adjoint's, and what two likely mistakes would make of "
        "them. Star: the paper.");
}

const experiment experiment_random_directions = {
    .name = "random-directions",
    .group = "Gradients",
    .title = "Derivatives along random directions",
    .paper = "section Gradient Verification, Figure S17",
    .about =
        "100 random unit vectors over all metric components of all cells: ∇L·v "
        "against a central difference of step 10⁻⁵ along v, relative to the "
        "difference.\n\n"
        "The paper leaves medium, grid and loss open. Here the grid is 51 × 51 and L "
        "= ½ Σ (T − T̂)² over all cells, T̂ = 0.9 T. \"Symmetric\" is G = I with the "
        "source in the centre, where ties between stencils are most frequent; "
        "\"generic\" a medium in which metric, axes and drift vary smoothly, and an "
        "off-centre source. Two further rows each tell what share a wrong derivative "
        "would reach.",
    .run = directions,
};
