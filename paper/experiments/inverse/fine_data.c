/* SPDX-License-Identifier: Apache-2.0
 * Inversion of times that come from a finer grid than the one it works on. */
#include <math.h>

#include "draw.h"
#include "table.h"

enum { CASES = 6, FINER = 4 };

/* RMS error of the times of a grid in an even medium of slowness 1 against the distance:
 * what one knows of the solver without knowing the medium. */
static double solver_error(experiment_run *run, int32_t side)
{
    medium m = medium_new(run, side, side, 1);
    double *T = field_new(run, m.cells), *exact = field_new(run, m.cells), sum = 0;

    medium_source(run, &m, side / 2, side / 4, 0);
    medium_solve(run, &m, T);
    medium_exact(&m, exact);
    for (size_t i = 0; i < m.cells; i++)
        sum += pow(T[i] - exact[i], 2);
    return sqrt(sum / (double)m.cells);
}

static void fine_data(experiment_run *run)
{
    const double sigma = solver_error(run, inverse_side(run));
    design designs[CASES] = {
        { .name = "half/half, all observed", .share = 1 },
        { .name = "half/half, 7 % observed", .share = 0.07 },
        { .name = "half/half, 7 % of 5 fronts", .share = 0.07, .fronts = 5 },
        { .name = "disc, all observed", .share = 1, .truth = TRUTH_DISC },
        { .name = "disc, 7 % observed", .share = 0.07, .truth = TRUTH_DISC },
        { .name = "disc, 7 % of 5 fronts",
          .share = 0.07,
          .fronts = 5,
          .truth = TRUTH_DISC },
    };
    series *s[CASES];

    RESULT(run, .quantity = "σ stated: RMS error of the times in an even medium",
           .unit = "cells", .ours = sigma);
    for (int i = 0; i < CASES && run_goes_on(run); i++) {
        design *d = &designs[i];

        d->progress = (double)i / CASES;
        d->purpose = (uint64_t)i;
        d->finer = FINER;
        d->sigma = sigma;
        s[i] = recover_series(run, d, NULL);
        report_series(run, s[i], i < 2 ? "Figure C1" : NULL,
                      i == 0   ? "5.6"
                      : i == 1 ? "21.2"
                               : NULL);
    }
    if (!run_goes_on(run))
        return;
    draw_field(run, &s[1]->problems[s[1]->worst], &s[1]->all[s[1]->worst], "half", NULL,
               "Half/half from 7 % of the times of a finer grid, the worst seed.");
    draw_field(run, &s[5]->problems[s[5]->worst], &s[5]->all[s[5]->worst], "disc", NULL,
               "Disc from 7 % of the times of five fronts, the worst seed.");
    run_remark(
        run, "In the scheme the g of a cell acts over the whole step into it, so at an "
             "edge a fitted field is thinner by part of a cell than the true one: the "
             "error of the disc is its rim, and no better fit of the times would "
             "remove it. σ is the size of the solver's error, not its distribution, "
             "which is smooth; χ² well below 1 shows that the fields are fitted "
             "better than that.");
}

const experiment experiment_fine_data = {
    .name = "fine-data",
    .group = "Inverse problem",
    .title = "Data from a finer grid",
    .paper = "beyond the paper",
    .about =
        "Data made with the solver that inverts them flatter an inversion. Here they "
        "come from a grid four times finer, so that no field on the coarser one "
        "explains them. What the inversion may know of that: the RMS error of its own "
        "times in an even medium, whose times are known, given to it as σ. Fields and "
        "fronts as before.",
    .run = fine_data,
};
