/* SPDX-License-Identifier: Apache-2.0
 * Two fields, g11 and g22, from arrival times of one or several fronts. */
#include "draw.h"
#include "table.h"

enum { CASES = 7 };

static void report(experiment_run *run, const series *s, bool of_paper)
{
    report_plane(run, s, 0, "Figure C3", of_paper ? "42" : NULL);
    report_plane(run, s, 2, "Figure C3", of_paper ? "52" : NULL);
    report_solves(run, s, "Figure C3", NULL);
    RESULT(run, .reference = "Figure C3", .ours = s->all[s->worst].residual,
           .quantity = run_text(run, "RMS residual of the times, %s%s",
                                s->problems[0].d.name, series_suffix(run, s)));
}

static void draw(experiment_run *run, series *const *s)
{
    static const int planes[] = { 0, 2 };

    draw_planes(run, &s[0]->problems[0], &s[0]->all[0], planes, 2, "one-source",
                "Figure C3", "Halves, one source, every cell observed.");
    draw_planes(run, &s[3]->problems[s[3]->worst], &s[3]->all[s[3]->worst], planes, 2,
                "three-sources", "Figure C3",
                "Halves, three sources, 7 % of the cells observed of each, the worst "
                "seed; green: observations.");
    draw_planes(run, &s[5]->problems[0], &s[5]->all[0], planes, 2, "smooth",
                "Figure C3",
                "Smooth fields, one source, every cell observed: the times are "
                "explained, the fields are others.");
}

static void recover_diagonal(experiment_run *run)
{
    design designs[CASES] = {
        { .name = "halves, all observed, 1 source", .fronts = 1, .share = 1 },
        { .name = "halves, all observed, 2 sources", .fronts = 2, .share = 1 },
        { .name = "halves, all observed, 3 sources", .fronts = 3, .share = 1 },
        { .name = "halves, 7 % observed, 3 sources", .fronts = 3, .share = 0.07 },
        { .name = "halves, 7 % observed, 5 sources", .fronts = 5, .share = 0.07 },
        { .name = "smooth, all observed, 1 source", .fronts = 1, .share = 1 },
        { .name = "smooth, all observed, 3 sources", .fronts = 3, .share = 1 },
    };
    series *s[CASES];

    for (int i = 0; i < CASES && run_goes_on(run); i++) {
        designs[i].truth = i < 5 ? TRUTH_DIAGONAL : TRUTH_SMOOTH_DIAGONAL;
        designs[i].unknown = ZM_UNKNOWN_DIAGONAL;
        designs[i].side = run_quick(run) ? 24 : 0;
        designs[i].purpose = (uint64_t)i;
        designs[i].progress = (double)i / CASES;
        s[i] = recover_series(run, &designs[i], NULL);
        report(run, s[i], i == 0);
        if (i == 0 || i == 5)
            report_constant(run, &s[i]->problems[0], "Figure C3",
                            i == 0 ? "halves" : "smooth");
    }
    if (!run_goes_on(run))
        return;
    draw(run, s);
    run_remark(run,
               "One front gives one equation a cell, (∂₁T)²/g₁₁ + (∂₂T)²/g₂₂ = 1, for "
               "two unknowns: its times are explained by many fields, and which one is "
               "found is the regulariser's choice. With two values and a straight edge "
               "that choice is right; of smooth fields it is not, though the residual "
               "is as small. A second front from elsewhere gives the second equation. "
               "The paper's fields, of which it does not give the values, are from one "
               "source.");
}

const experiment experiment_recover_diagonal = {
    .name = "recover-diagonal",
    .group = "Inverse problem",
    .title = "Diagonal metric: how many sources it takes",
    .paper = "appendix Inverse Problem Experiments, Figure C3",
    .about =
        "G = diag(1, 1.5) in the left half and diag(2, 0.8) in the right one, exact "
        "times, from one to five fronts that start in different places; also fields "
        "exp(0.3 u) with smooth random u, different for g₁₁ and g₂₂. The regulariser "
        "is "
        "TV of both fields together.",
    .run = recover_diagonal,
};
