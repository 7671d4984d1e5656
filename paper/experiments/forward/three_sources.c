/* SPDX-License-Identifier: Apache-2.0
 * Three fronts that merge. */
#include "comparison.h"
#include "table.h"

enum { SIDE = 200 };

static void three_sources(experiment_run *run)
{
    medium m = medium_new(run, SIDE, SIDE, 1.0);
    comparison c;

    medium_source(run, &m, SIDE / 4, SIDE / 4, 0);
    medium_source(run, &m, 3 * SIDE / 4, SIDE / 4, 0);
    medium_source(run, &m, SIDE / 2, 3 * SIDE / 4, 0);
    c = compare_with_closed_form(run, &m, PAPER_BORDER);
    comparison_report(run, &c, "Figure A8", "0.20");
    comparison_report_largest(run, &c, "Figure A8", NULL);
    figure_save(
        run,
        comparison_draw(
            run, &c, &(comparison_look){ .exact_title = "Exact, distance to nearest" }),
        "three-sources", "Figure A8",
        "Three sources (stars). Where their fronts meet, on the edges of the Voronoi "
        "cells, T has a kink and the error none of its own: each node takes the "
        "earlier front.");
}

const experiment experiment_three_sources = {
    .name = "three-sources",
    .group = "Forward solver",
    .title = "Three sources",
    .paper = "appendix Forward Solver Validation, Figure A8",
    .about = "G = I and sources in (x, y) = (N/4, N/4), (N/4, 3N/4) and (3N/4, N/2), "
             "against the distance to the nearest one.\n\n"
             "N = 200, unit spacing; two rows and columns at each edge are left out "
             "of the norms.",
    .run = three_sources,
};
