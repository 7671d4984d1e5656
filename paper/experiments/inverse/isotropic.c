/* SPDX-License-Identifier: Apache-2.0
 * An isotropic metric from arrival times: everywhere observed, and in a few cells. */
#include <math.h>

#include "draw.h"
#include "table.h"

/* ---- all cells -------------------------------------------------------------------- */

/* Rows of one medium: exact steps, then TV as the paper has it. */
static series *all_observed(experiment_run *run, truth t, const char *name,
                            double progress)
{
    const bool half = t == TRUTH_HALF;
    const char *reference = half ? "Figure C1" : NULL;
    zm_invert_opts opts = ZM_INVERT_OPTS_INIT;
    design d = { .truth = t, .share = 1, .progress = progress, .name = name };
    series *s = recover_series(run, &d, NULL), *tv;

    report_series(run, s, reference, half ? "5.6" : NULL);
    RESULT(run, .reference = reference, .better = BETTER_LOWER,
           .ours = s->all[0].largest,
           .quantity = run_text(run, "largest error off the source, %s%s", name,
                                series_suffix(run, s)));
    if (half)
        RESULT(run, .reference = reference, .better = BETTER_LOWER, .paper = "300",
               .ours = solves_until(&s->all[0], 5.6),
               .quantity = run_text(run, "solves until the error is 5.6 %%%s",
                                    series_suffix(run, s)));
    opts.method = ZM_INVERT_GAUSS_NEWTON;
    d.name = run_text(run, "%s, by TV", name);
    d.progress += 0.2;
    tv = recover_series(run, &d, &opts);
    report_series(run, tv, reference, half ? "5.6" : NULL);
    report_constant(run, &s->problems[0], reference, name);
    return s;
}

static void recover_isotropic(experiment_run *run)
{
    series *half = all_observed(run, TRUTH_HALF, "half/half", 0);
    series *disc = all_observed(run, TRUTH_DISC, "disc", 0.5);
    const size_t side = (size_t)half->problems[0].d.side;

    run_save(run, "g-half", half->all[0].found.g11, side, side);
    run_save(run, "g-disc", disc->all[0].found.g11, side, side);
    draw_field(run, &half->problems[0], &half->all[0], "half", "Figure C1",
               "Half/half. Top: g true, found, and the error, which is rounding. "
               "Below: observed times, the way of the run, profile.");
    draw_field(run, &disc->problems[0], &disc->all[0], "disc", "Figure C1",
               "The same for a disc.");
    run_remark(
        run, "With every cell observed and no noise the data determine g but in the "
             "source, which no arrival time depends on; it is filled from its "
             "neighbours. The discrete equation at a cell has one unknown, its g, and "
             "is solved for it, cell by cell; no regulariser is needed, and the error "
             "is that of rounding. The paper's 5.6 %% are its optimiser's.");
}

const experiment experiment_recover_isotropic = {
    .name = "recover-isotropic",
    .group = "Inverse problem",
    .title = "Isotropic metric, every cell observed",
    .paper = "section Inverse Metric Problem, Figure C1",
    .about =
        "g = 1 in the left half and 2 in the right one of 80 × 80 cells, a source at "
        "(20, 40), the exact arrival time of every cell; also g = 2 in a disc about "
        "(50, 40) of radius 15 and 1 outside. Errors here and below are |g − g_true| / "
        "|g_true| over all cells. The best constant is what a method must beat to have "
        "found anything.\n\n"
        "The paper minimises by 300 steps of Adam with a TV term; it leaves open "
        "source and start. Here the start is the best uniform slowness, options are "
        "the library's own, and solves are forward solves of one front, those for the "
        "start and for steps not taken included.",
    .run = recover_isotropic,
};

/* ---- few cells -------------------------------------------------------------------- */

enum { CASES = 3 };

static void recover_sparse(experiment_run *run)
{
    const bool quick = run_quick(run);
    const design designs[CASES] = {
        { .name = "half/half, 7 % observed", .share = 0.07, .purpose = 1 },
        { .name = quick ? "half/half, 95 observations" : "half/half, 379 observations",
          .observations = quick ? 95 : 379,
          .purpose = 2,
          .progress = 0.3 },
        { .name = "disc, 7 % observed",
          .truth = TRUTH_DISC,
          .share = 0.07,
          .purpose = 3,
          .progress = 0.6 },
    };
    series *s[CASES];

    for (int i = 0; i < CASES && run_goes_on(run); i++) {
        s[i] = recover_series(run, &designs[i], NULL);
        report_series(run, s[i], "Figure C2", i < 2 ? "21.2" : NULL);
        if (i == 0)
            RESULT(run, .reference = "Figure C2", .better = BETTER_LOWER,
                   .ours = solves_until(&s[0]->all[s[0]->worst], 21.2), .paper = "300",
                   .quantity = run_text(run, "solves until the error is 21.2 %%%s",
                                        series_suffix(run, s[0])));
        if (i != 1)
            report_constant(run, &s[i]->problems[0], "Figure C2",
                            i == 0 ? "half/half" : "disc");
    }
    if (!run_goes_on(run))
        return;
    for (int i = 0; i < CASES; i += 2)
        draw_field(run, &s[i]->problems[s[i]->worst], &s[i]->all[s[i]->worst],
                   i == 0 ? "half" : "disc", "Figure C2",
                   i == 0 ? "Half/half from 7 % of the cells, the worst seed; green: "
                            "observations."
                          : "The same for a disc.");
    run_remark(run,
               "Seven cells in a hundred suffice because a field of few values with "
               "short edges is what the regulariser looks for; in the disc, whose edge "
               "is curved and partly in its own shadow, a few cells along it stay "
               "open.");
}

const experiment experiment_recover_sparse = {
    .name = "recover-sparse",
    .group = "Inverse problem",
    .title = "Isotropic metric, 7 % of the cells observed",
    .paper = "section Inverse Metric Problem, Figure C2",
    .about =
        "As before, from 7 % of the cells chosen at random: 448, and 379, the paper's "
        "number. Times are exact. Options are the library's own; reported is the worst "
        "of three seeds.",
    .run = recover_sparse,
};
