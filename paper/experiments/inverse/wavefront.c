/* SPDX-License-Identifier: Apache-2.0
 * The arrival-time field from scattered observations, by inversion. */
#include <math.h>

#include "draw.h"
#include "measure.h"
#include "panels.h"
#include "scenarios/scattered.h"
#include "table.h"

enum { OBSERVATIONS = 878, SCENES = 4 };
enum { SPLINE, INVERSION, CORRECTED, METHODS };
static const char *const method_names[METHODS] = { "thin-plate spline", "inversion",
                                                   "inversion, residuals splined" };
static const struct {
    const char *name;
    truth truth;
} scenes[SCENES] = { { "even ground", TRUTH_EVEN },
                     { "smooth", TRUTH_SMOOTH },
                     { "squares", TRUTH_SQUARES },
                     { "half/half", TRUTH_HALF } };

/* Relative L2 errors of T in %, and the fields themselves. */
typedef struct outcome_of_scene {
    double errors[METHODS], solves;
    double *T[METHODS];
    problem p;
} outcome_of_scene;

/* Observations of a front and its source, and what T leaves of them. */
static void splines(experiment_run *run, const problem *p, const double *T,
                    double *const out[2])
{
    const sighting *s = &p->fronts[0];
    const size_t n = s->n + 1, cols = (size_t)p->truth.grid.cols;
    double *x = field_new(run, n), *y = field_new(run, n);
    double *v = field_new(run, n), *left = field_new(run, n); /* 0 in the source */

    x[s->n] = s->sources[0].col;
    y[s->n] = s->sources[0].row;
    for (size_t i = 0; i < s->n; i++) {
        const size_t cell = (size_t)s->cells[i];

        x[i] = (double)(cell % cols);
        y[i] = (double)(cell / cols);
        v[i] = s->times[i];
        left[i] = s->times[i] - T[cell];
    }
    scattered_splines(run, (const scattered[]){ { x, y, v, n }, { x, y, left, n } }, 2,
                      &p->truth, out);
}

static void reconstruct(experiment_run *run, outcome_of_scene *o)
{
    const size_t cells = o->p.truth.cells;
    attempt *a = attempt_new(run, &o->p, NULL);
    zm_error err;

    for (int k = 0; k < METHODS; k++)
        o->T[k] = field_new(run, cells);
    attempt_run(a);
    if (run_goes_on(run))
        attempt_check(a, zm_inversion_times(a->inversion, 0, o->T[INVERSION], &err),
                      &err);
    o->solves = (double)attempt_recovery(a).report.solves;
    attempt_free(a);
    if (!run_goes_on(run))
        return;
    splines(run, &o->p, o->T[INVERSION],
            (double *const[]){ o->T[SPLINE], o->T[CORRECTED] });
    for (size_t i = 0; i < cells; i++)
        o->T[CORRECTED][i] += o->T[INVERSION][i];
    for (int k = 0; k < METHODS; k++)
        o->errors[k] = 100 * error_of(cells, o->T[k], o->p.fronts[0].T).relative;
}

/* The worst of each over the seeds; fields are those of the first. */
static outcome_of_scene worst_of(experiment_run *run, const design *d)
{
    const int n = run_quick(run) ? 1 : SEEDS;
    outcome_of_scene worst = { 0 };

    for (int i = 0; i < n && run_goes_on(run); i++) {
        outcome_of_scene o = { .p = problem_new(run, d, (uint64_t)i) };

        reconstruct(run, &o);
        if (i == 0)
            worst = o;
        worst.solves = fmax(worst.solves, o.solves);
        for (int k = 0; k < METHODS; k++)
            worst.errors[k] = fmax(worst.errors[k], o.errors[k]);
    }
    return worst;
}

static void report(experiment_run *run, const outcome_of_scene *o)
{
    const char *suffix =
        run_quick(run) ? "40 × 40 cells, one seed" : "worst of 3 seeds";

    for (int k = METHODS; k-- > 0;)
        RESULT(run, .reference = "Figure D5", .better = BETTER_LOWER, .unit = "%",
               .paper = k == SPLINE ? NULL : "12", .ours = o->errors[k],
               .quantity = run_text(run, "error of T, %s, %s, %s", o->p.d.name,
                                    method_names[k], suffix));
    RESULT(run, .reference = "Figure D5", .better = BETTER_LOWER, .ours = o->solves,
           .quantity = run_text(run, "solves, %s, %s", o->p.d.name, suffix));
}

static void draw_scene(experiment_run *run, const outcome_of_scene *o)
{
    const size_t cells = o->p.truth.cells;
    const double *T = o->p.fronts[0].T;
    double *error[2] = { field_new(run, cells), field_new(run, cells) };
    zm_figure *figure = figure_new(run, 1, 3, NULL);

    for (size_t i = 0; i < cells; i++) {
        error[0][i] = o->T[SPLINE][i] - T[i];
        error[1][i] = o->T[INVERSION][i] - T[i];
    }
    PANEL_ARRIVAL(zm_figure_plot(figure, 0, 0), &o->p.truth, o->T[INVERSION],
                  .title = "By inversion");
    PANEL(zm_figure_plot(figure, 0, 1), &o->p.truth, error[1], .title = "Its error",
          .label = "reconstructed − true", .map = ZM_MAP_DIVERGING, .min = -0.5,
          .max = 0.5);
    PANEL(zm_figure_plot(figure, 0, 2), &o->p.truth, error[0],
          .title = "Error of the spline", .label = "reconstructed − true",
          .map = ZM_MAP_DIVERGING, .min = -0.5, .max = 0.5);
    figure_save(run, figure, "squares", "Figure D5",
                "Squares of five values of g: the times by inversion of 878 "
                "observations, their error, and that of a thin-plate spline.");
}

static void draw_methods(experiment_run *run, outcome_of_scene of[2][SCENES])
{
    static const char *const titles[2] = { "Times from the same grid",
                                           "Times from a grid 4 times finer" };
    const char *names[SCENES];
    zm_figure *figure = figure_new(run, 1, 2, NULL);

    for (int f = 0; f < 2; f++) {
        zm_plot *plot = zm_figure_plot(figure, 0, f);

        ZM_PLOT_AXES(plot, .title = titles[f], .legend = ZM_LEGEND_BELOW, .aspect = 0.8,
                     .y = { .label = "relative <i>L</i><sub>2</sub> error [%]",
                            .scale = ZM_SCALE_LOG,
                            .min = 1e-3,
                            .max = 20 });
        for (int k = 0; k < METHODS; k++) {
            double heights[SCENES];

            for (int i = 0; i < SCENES; i++) {
                names[i] = scenes[i].name;
                heights[i] = fmax(of[f][i].errors[k], 1.1e-3);
            }
            ZM_PLOT_BARS(plot, .heights = heights, .names = names, .n = SCENES,
                         .label = method_names[k]);
        }
        ZM_PLOT_GUIDE(plot, .y = 12, .dash = ZM_DASH_DASHED, .label = "paper: 12 %");
    }
    figure_save(run, figure, "methods", "Figure D5",
                "Error of the arrival times by medium and method, the worst seed; the "
                "shortest bars stand for less than 0.001 %.");
}

static void wavefront_inversion(experiment_run *run)
{
    const size_t observations = run_quick(run) ? OBSERVATIONS / 4 : OBSERVATIONS;
    outcome_of_scene(*of)[SCENES] = run_memory(run, 2, sizeof *of);

    for (int f = 0; f < 2; f++)
        for (int i = 0; i < SCENES && run_goes_on(run); i++) {
            const design d = { .name = run_text(run, "%s%s", scenes[i].name,
                                                f ? ", finer data" : ""),
                               .progress = (f * SCENES + i) / (2.0 * SCENES),
                               .truth = scenes[i].truth,
                               .centred = true,
                               .observations = observations,
                               .finer = f ? 4 : 0,
                               .purpose = 1 };

            of[f][i] = worst_of(run, &d);
            report(run, &of[f][i]);
        }
    if (!run_goes_on(run))
        return;
    draw_scene(run, &of[0][2]);
    draw_methods(run, of);
    run_remark(
        run,
        "The spline is good where T is smooth and fails at kinks, which are where "
        "g jumps and where fronts meet; the inversion has these by itself. In the "
        "smooth medium, where TV's idea of g is wrong, it is still the better one, "
        "by less.");
}

const experiment experiment_wavefront_inversion = {
    .name = "wavefront-inversion",
    .group = "Inverse problem",
    .title = "Wavefront reconstruction by inversion",
    .paper = "appendix Synthetic Propagation Scenarios, Figure D5",
    .about =
        "The arrival-time field from 878 exact observations in random cells of 80 × 80 "
        "by solving for the metric: g is found with the library's default options, and "
        "the times of its front are the reconstruction. Beside it a thin-plate spline "
        "through the same observations and the source, which knows nothing of fronts, "
        "and the inversion's times plus a spline through what they leave of the "
        "observations.\n\n"
        "Four media: g = 1.5, g = exp(0.3 u) with smooth random u, squares of 16 cells "
        "with five values from 0.8 to 2.4, and half/half; the source is in the middle. "
        "Times are those of the grid itself, then those of a grid four times finer, "
        "which no g on the coarser one has. The experiment wavefront does the same "
        "without solving for the metric.",
    .run = wavefront_inversion,
};
