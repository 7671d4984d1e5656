/* SPDX-License-Identifier: Apache-2.0
 * Work memory of a solver for one problem on one thread: bench_memory SIDE... */
#include <stdio.h>

#include "support/scene.h"

static void measure(int32_t side, zm_dtype dtype)
{
    const size_t n = (size_t)side * (size_t)side;
    zm_solver *solver;
    zm_error err;

    expect_ok(
        zm_solver_create(&solver, (zm_grid){ side, side, 1, 1 }, dtype, NULL, &err),
        "zm_solver_create", &err);
    printf("{\"bench\": \"memory\", \"side\": %d, \"dtype\": \"%s\", \"threads\": 1"
           ", \"bytes\": %zu, \"bytes_a_node\": %.1f}\n",
           (int)side, dtype == ZM_F64 ? "float64" : "float32", zm_solver_bytes(solver),
           (double)zm_solver_bytes(solver) / (double)n);
    zm_solver_destroy(solver);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        measure(positive(argv[i]), ZM_F64);
        measure(positive(argv[i]), ZM_F32);
    }
    return 0;
}
