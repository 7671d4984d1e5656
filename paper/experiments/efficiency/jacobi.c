/* SPDX-License-Identifier: Apache-2.0
 * Sweeping against Jacobi iteration. */
#include <math.h>

#include "fires.h"
#include "reference/reference.h"
#include "table.h"

enum { SIZES = 4 };
static const int32_t sizes[SIZES] = { 50, 100, 200, 400 };
static const char *const paper_sweeping[SIZES] = { "1.2", "1.4", "2.8", "8.7" };
static const char *const paper_jacobi[SIZES] = { "22.6", "183.5", "1509.2", "12294.6" };
static const char *const paper_ratio[SIZES] = { "18", "129", "533", "1419" };

typedef struct times {
    double N[SIZES], ours[SIZES], sweeping[SIZES], jacobi[SIZES]; /* seconds */
    double rounds[SIZES], iterations[SIZES];
    int n;
} times;

typedef zm_status reference_solver(zm_grid, const zm_problem *, double *,
                                   const zm_reference_opts *, zm_report *, zm_error *);

/* Seconds and iterations of a method of the paper. */
static double seconds_of(experiment_run *run, const fires *f, reference_solver *solve,
                         double *iterations)
{
    timer t = timer_for(run);
    zm_report report = ZM_REPORT_INIT;
    zm_error err;

    if (solve == zm_reference_jacobi)
        t.least = 3, t.seconds = 0; /* these are long */
    while (run_goes_on(run) && timer_next(&t))
        run_check(run,
                  solve(f->media[0].grid, f->problems, f->spare, NULL, &report, &err),
                  &err);
    *iterations = (double)report.iterations;
    return t.median;
}

static void measure(experiment_run *run, times *t, int i)
{
    fires f = fires_new(run, FIRE_VARIED, sizes[i], 1);

    t->N[i] = sizes[i];
    t->ours[i] = fires_seconds(run, &f, NULL, fires_forward);
    t->sweeping[i] = seconds_of(run, &f, zm_reference_sweep, &t->rounds[i]);
    t->jacobi[i] = seconds_of(run, &f, zm_reference_jacobi, &t->iterations[i]);
    fires_free(&f);
    t->n = i + 1;
}

static void report(experiment_run *run, const times *t, int i)
{
    const int N = (int)sizes[i];
    const struct {
        const char *quantity, *unit, *paper;
        double ours;
        better_is better;
    } rows[] = {
        { "zm_forward", "s", paper_sweeping[i], t->ours[i], BETTER_LOWER },
        { "Algorithm 1 in C", "s", paper_sweeping[i], t->sweeping[i], BETTER_NONE },
        { "Jacobi iteration in C", "s", paper_jacobi[i], t->jacobi[i], BETTER_NONE },
        { "Jacobi over Algorithm 1", NULL, paper_ratio[i],
          t->jacobi[i] / t->sweeping[i], BETTER_NONE },
        { "Jacobi over zm_forward", NULL, paper_ratio[i], t->jacobi[i] / t->ours[i],
          BETTER_NONE },
        { "iterations of Algorithm 1", NULL, NULL, t->rounds[i], BETTER_NONE },
        { "iterations of Jacobi", NULL, NULL, t->iterations[i], BETTER_NONE },
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        RESULT(run, .reference = "Table 11, Figure E1", .unit = rows[k].unit,
               .quantity = run_text(run, "%s, N = %d", rows[k].quantity, N),
               .paper = rows[k].paper, .ours = rows[k].ours, .better = rows[k].better);
}

static void draw(experiment_run *run, const times *t)
{
    double N[SIZES], sweeping[SIZES], jacobi[SIZES], speedup[SIZES]; /* paper's */
    zm_figure *figure = figure_new(run, 1, 2, NULL);
    zm_plot *left = zm_figure_plot(figure, 0, 0), *right = zm_figure_plot(figure, 0, 1);
    double over_sweeping[SIZES], over_ours[SIZES];
    const size_t n = (size_t)t->n;

    for (size_t i = 0; i < SIZES; i++) {
        N[i] = sizes[i];
        sweeping[i] = paper_number(paper_sweeping[i]);
        jacobi[i] = paper_number(paper_jacobi[i]);
        speedup[i] = paper_number(paper_ratio[i]);
    }
    for (size_t i = 0; i < n; i++) {
        over_sweeping[i] = t->jacobi[i] / t->sweeping[i];
        over_ours[i] = t->jacobi[i] / t->ours[i];
    }
    axes_of_times(left, "Time", "seconds");
    ZM_PLOT_LINE(left, .x = t->N, .y = t->ours, .n = n, .marker = ZM_MARKER_DOT,
                 .label = "zm_forward");
    ZM_PLOT_LINE(left, .x = t->N, .y = t->sweeping, .n = n, .marker = ZM_MARKER_DIAMOND,
                 .label = "Algorithm 1 in C");
    ZM_PLOT_LINE(left, .x = t->N, .y = t->jacobi, .n = n, .marker = ZM_MARKER_SQUARE,
                 .label = "Jacobi in C");
    ZM_PLOT_LINE(left, .x = N, .y = sweeping, .n = SIZES, .dash = ZM_DASH_DOTTED,
                 .marker = ZM_MARKER_STAR, .label = "sweeping, paper");
    ZM_PLOT_LINE(left, .x = N, .y = jacobi, .n = SIZES, .dash = ZM_DASH_DOTTED,
                 .marker = ZM_MARKER_CROSS, .label = "Jacobi, paper");
    axes_of_times(right, "Jacobi over sweeping", "ratio of times");
    ZM_PLOT_LINE(right, .x = t->N, .y = over_ours, .n = n, .marker = ZM_MARKER_DOT,
                 .label = "over zm_forward");
    ZM_PLOT_LINE(right, .x = t->N, .y = over_sweeping, .n = n,
                 .marker = ZM_MARKER_DIAMOND, .label = "over Algorithm 1");
    ZM_PLOT_LINE(right, .x = N, .y = speedup, .n = SIZES, .dash = ZM_DASH_DOTTED,
                 .marker = ZM_MARKER_STAR, .label = "paper");
    ZM_PLOT_GUIDE(right, .x = N[0], .y = over_sweeping[0] / 2, .slope = 1,
                  .dash = ZM_DASH_DASHED, .label = "~ <i>N</i>");
    figure_save(run, figure, "jacobi", "Figure E1",
                "Left: time to solve, of Jacobi iteration and of sweeping. Right: "
                "their ratio, which grows as N: a value gets one cell farther in an "
                "iteration.");
}

/* What the paper's times mean for one update of one cell. */
static void remark(experiment_run *run, const times *t)
{
    const int last = t->n - 1;
    const double cells = t->N[last] * t->N[last];
    const double jacobi = paper_number(paper_jacobi[last]) / t->iterations[last];
    const double sweeping = paper_number(paper_sweeping[last]) / (4 * t->rounds[last]);

    run_remark(
        run,
        "With the iterations counted here at N = %d the paper's Jacobi takes %.0f µs "
        "to update a cell once and its sweeping %.1f µs: its ratios compare two "
        "implementations as well as two methods. With both in C Jacobi is %.0f times "
        "slower than Algorithm 1 and %.0f times slower than zm_forward: less than "
        "the paper's ratio, since our Jacobi is fast.",
        (int)t->N[last], 1e6 * jacobi / cells, 1e6 * sweeping / cells,
        t->jacobi[last] / t->sweeping[last], t->jacobi[last] / t->ours[last]);
}

static void sweeping_jacobi(experiment_run *run)
{
    times t = { 0 };

    for (int i = 0; i < (run_quick(run) ? SIZES - 1 : SIZES) && run_goes_on(run); i++) {
        run_step(run, pow((double)sizes[i] / 410, 3), "N = %d", (int)sizes[i]);
        measure(run, &t, i);
        if (run_goes_on(run))
            report(run, &t, i);
    }
    if (!run_goes_on(run))
        return;
    RESULT(run, .reference = "Figure E1",
           .quantity = "exponent of the time of Jacobi over N (O(n^1.5): 3)",
           .ours = fitted_exponent((size_t)t.n, t.N, t.jacobi));
    RESULT(run, .reference = "Figure E1",
           .quantity = "exponent of the time of Algorithm 1 over N (O(n): 2)",
           .ours = fitted_exponent((size_t)t.n, t.N, t.sweeping));
    SAVE_CURVES(run, "seconds", (size_t)t.n, { "N", t.N }, { "zm_forward", t.ours },
                { "Algorithm 1", t.sweeping }, { "Jacobi", t.jacobi },
                { "iterations of Algorithm 1", t.rounds },
                { "iterations of Jacobi", t.iterations });
    draw(run, &t);
    remark(run, &t);
    remark_on_machines(run, MEDIANS);
}

const experiment experiment_sweeping_jacobi = {
    .name = "sweeping-jacobi",
    .group = "Efficiency",
    .title = "Sweeping against Jacobi iteration",
    .paper = "appendix Computational Comparisons, Table 11, Figure E1",
    .about =
        "Jacobi iteration updates all cells from the values of the iteration before, "
        "Algorithm 1 from the newest ones in four alternating orders; zm_forward "
        "sweeps inside blocks, in the order in which the front arrives.\n\n"
        "The paper leaves the medium open; it is that of forward-time here. Jacobi "
        "and Algorithm 1 stop when no value moves by more than 10⁻⁶, zm_forward when "
        "nothing moves. Jacobi evaluates the eight triangles of every cell in every "
        "iteration.",
    .run = sweeping_jacobi,
};
