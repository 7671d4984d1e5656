/* SPDX-License-Identifier: Apache-2.0
 * Inversion on a large grid: time, memory, and solves against a small one. */
#include <sys/resource.h>

#include "draw.h"
#include "measure.h"
#include "table.h"

static const design five_fronts = { .share = 0.07, .fronts = 5 };

static recovery at_size(experiment_run *run, int32_t side, double progress, problem *p)
{
    design d = five_fronts;
    recovery r;

    d.side = side;
    d.progress = progress;
    d.name = run_text(run, "%d × %d cells", (int)side, (int)side);
    *p = problem_new(run, &d, 0);
    r = recover(run, p, NULL);
    RESULT(run, .unit = "%", .ours = r.error, .better = BETTER_LOWER,
           .quantity = run_text(run, "error of g, %s", d.name));
    RESULT(run, .ours = (double)r.report.solves, .better = BETTER_LOWER,
           .quantity = run_text(run, "solves, %s", d.name));
    if (r.report.coarse_solves > 0)
        RESULT(run, .ours = (double)r.report.coarse_solves,
               .quantity = run_text(run, "solves on coarser grids, %s", d.name));
    RESULT(run, .unit = "s", .ours = r.seconds, .better = BETTER_LOWER,
           .quantity = run_text(run, "time, %s", d.name));
    return r;
}

static void large(experiment_run *run)
{
    const int32_t side = run_quick(run) ? 64 : 1000;
    problem p, small_p;
    recovery small = at_size(run, run_quick(run) ? 32 : 80, 0, &small_p);
    recovery r = at_size(run, side, 0.05, &p);
    struct rusage usage = { 0 };

    if (!run_goes_on(run))
        return;
    getrusage(RUSAGE_SELF, &usage);
    RESULT(run, .ours = (double)r.report.solves / (double)small.report.solves,
           .better = BETTER_LOWER, .quantity = "solves, large over small");
    RESULT(run, .unit = "GiB", .ours = (double)usage.ru_maxrss / (1 << 20),
           .better = BETTER_LOWER, .quantity = "memory of the process at its largest");
    run_save(run, "g", r.found.g11, (size_t)side, (size_t)side);
    draw_field(run, &p, &r, "large", NULL,
               "The large problem: the first front's observations, and the way of the "
               "run.");
}

const experiment experiment_large = {
    .name = "large",
    .group = "Inverse problem",
    .title = "A million unknowns",
    .paper = "beyond the paper",
    .about =
        "Half/half on 1000 × 1000 cells, five fronts, 7 % of the cells observed of "
        "each: 350 000 exact times for a million unknowns; and the same on 80 × 80 "
        "cells. A large grid starts from what a coarser one, of half the resolution, "
        "has "
        "found, and so on down. --quick has 64 × 64 and 32 × 32.",
    .run = large,
};
