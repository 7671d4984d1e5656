/* SPDX-License-Identifier: Apache-2.0
 * Rows of results as lines of JSON. */
#include <stdio.h>

#include "support/scene.h"

bool isa_here(zm_isa isa)
{
    zm_solver_opts o = ZM_SOLVER_OPTS_INIT;
    zm_solver *solver;
    bool here;

    o.isa = isa;
    here =
        zm_solver_create(&solver, (zm_grid){ 1, 1, 1, 1 }, ZM_F64, &o, NULL) == ZM_OK;
    zm_solver_destroy(solver);
    return here;
}

const char *isa_name(zm_isa isa)
{
    switch (isa) {
    case ZM_ISA_SCALAR:
        return "scalar";
    case ZM_ISA_AVX2:
        return "avx2";
    case ZM_ISA_AVX512:
        return "avx512";
    case ZM_ISA_BEST:
        break;
    }
    return isa_here(ZM_ISA_AVX512) ? "avx512"
           : isa_here(ZM_ISA_AVX2) ? "avx2"
                                   : "scalar";
}

static void print_times(const char *prefix, const contestant *c)
{
    printf(", \"%sname\": \"%s\", \"%sseconds\": %.6g, \"%sbest\": %.6g", prefix,
           c->name, prefix, median_seconds(c), prefix, least_seconds(c));
    printf(", \"%sspread\": %.3g, \"%srepetitions\": %d", prefix, spread_of(c), prefix,
           c->done);
}

void row_print(const bench_row *r, const contestant *ours, const contestant *opponent)
{
    printf("{\"bench\": \"%s\", \"medium\": \"%s\", \"side\": %d, \"problems\": %d"
           ", \"dtype\": \"%s\", \"threads\": %d, \"isa\": \"%s\", \"clock\": \"%s\"",
           r->bench, medium_name(r->scene->medium), (int)r->scene->c.grid.rows,
           (int)r->problems, r->dtype == ZM_F64 ? "float64" : "float32",
           (int)r->threads, isa_name(r->isa), r->clock == CPU_TIME ? "cpu" : "wall");
    print_times("", ours);
    if (opponent) {
        print_times("opponent_", opponent);
        printf(", \"ratio\": %.4g", median_seconds(opponent) / median_seconds(ours));
    }
    printf(", \"error\": %.3g}\n", r->error);
    fflush(stdout);
}
