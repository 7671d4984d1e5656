/* SPDX-License-Identifier: Apache-2.0
 * The linear solver of the lagged operator: against dense elimination, on hard weights,
 * and as a preconditioner. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "inverse/regularise/amg.h"
#include "inverse/regularise/multigrid.h"
#include "zermelo/reg.h"

/* An operator that owns its arrays. */
typedef struct owned {
    zm_laplacian op;
    size_t n;
    double *w, *right, *below, *diagonal;
    uint8_t *walls;
} owned;

static owned allocate(zm_grid grid)
{
    owned a = { .n = (size_t)grid.rows * (size_t)grid.cols };

    a.w = malloc(a.n * sizeof(double));
    a.right = malloc(a.n * sizeof(double));
    a.below = malloc(a.n * sizeof(double));
    a.diagonal = calloc(a.n, sizeof(double));
    a.walls = calloc(a.n, 1);
    a.op = (zm_laplacian){ grid, a.right, a.below, NULL, 1e-3, NULL };
    return a;
}

static void release(owned *a)
{
    free(a->walls);
    free(a->diagonal);
    free(a->below);
    free(a->right);
    free(a->w);
}

static double *random_field(size_t n, uint64_t *state)
{
    double *v = malloc(n * sizeof *v);

    for (size_t i = 0; i < n; i++)
        v[i] = zm_random_normal(state);
    return v;
}

/* Weights from 1 to 1e6, walls and a diagonal here and there. */
static owned random_operator(zm_grid grid, bool with_walls, bool with_diagonal,
                             uint64_t *state)
{
    owned a = allocate(grid);

    for (size_t i = 0; i < a.n; i++) {
        a.w[i] = pow(10, 6 * zm_random_unit(state));
        a.walls[i] = zm_random_unit(state) < 0.3;
        a.diagonal[i] = zm_random_unit(state) < 0.1 ? 100 * zm_random_unit(state) : 0;
    }
    a.op.walls = with_walls ? a.walls : NULL;
    a.op.diagonal = with_diagonal ? a.diagonal : NULL;
    zm_laplacian_edges(grid, a.op.walls, a.w, 1, a.right, a.below);
    return a;
}

static zm_multigrid *multigrid_of(test_run *t, const zm_laplacian *op)
{
    zm_multigrid *mg = NULL;

    CHECK(zm_multigrid_create(&mg, op->grid, NULL, NULL) == ZM_OK);
    CHECK(zm_multigrid_update(mg, op, NULL) == ZM_OK);
    return mg;
}

/* Gaussian elimination of the dense matrix, whose columns are A e_j; walls are taken out
 * by ones on the diagonal. */
static void solve_dense(const zm_laplacian *op, size_t n, const double *rhs, double *x)
{
    double *A = malloc(n * n * sizeof *A), *e = calloc(n, sizeof *e);

    for (size_t j = 0; j < n; j++) {
        e[j] = 1;
        zm_laplacian_apply(op, e, A + j * n);
        e[j] = 0;
        if (op->walls && op->walls[j])
            A[j * n + j] = 1;
        x[j] = op->walls && op->walls[j] ? 0 : rhs[j];
    }
    for (size_t j = 0; j < n; j++)
        for (size_t i = j + 1; i < n; i++) {
            const double factor = A[i * n + j] / A[j * n + j];

            for (size_t k = j; k < n && factor != 0; k++)
                A[i * n + k] -= factor * A[j * n + k];
            x[i] -= factor * x[j];
        }
    for (size_t j = n; j-- > 0;) {
        for (size_t k = j + 1; k < n; k++)
            x[j] -= A[j * n + k] * x[k];
        x[j] /= A[j * n + j];
    }
    free(e);
    free(A);
}

/* Condition numbers reach 1e10, so errors are compared in the energy norm, where a
 * residual of 1e-12 counts by sqrt(condition): elimination itself is no better. */
TEST(solutions_agree_with_elimination_on_grids_of_any_shape)
{
    static const int32_t shapes[][2] = { { 1, 1 },  { 1, 2 },   { 2, 1 },   { 1, 40 },
                                         { 33, 1 }, { 2, 2 },   { 3, 3 },   { 2, 37 },
                                         { 5, 4 },  { 16, 16 }, { 17, 15 }, { 3, 90 } };

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int variant = 0; variant < 4; variant++) {
            uint64_t state = t->seed + s;
            const zm_grid grid = { shapes[s][0], shapes[s][1], 0.5, 2 };
            owned a = random_operator(grid, variant & 1, variant & 2, &state);
            double *rhs = random_field(a.n, &state), *x = random_field(a.n, &state);
            double *expected = malloc(a.n * sizeof *x), *Ad = malloc(a.n * sizeof *x);
            double error = 0, size = 0;
            zm_multigrid *mg = multigrid_of(t, &a.op);
            zm_multigrid_report r;

            CHECK(zm_multigrid_solve(mg, rhs, x, 1e-12, 200, &r, NULL) == ZM_OK);
            CHECK_AT_MOST(r.residual, 1e-12);
            solve_dense(&a.op, a.n, rhs, expected);
            for (size_t i = 0; i < a.n; i++) {
                CHECK(!a.op.walls || !a.walls[i] || x[i] == 0);
                size += rhs[i] * expected[i];
                x[i] -= expected[i];
            }
            zm_laplacian_apply(&a.op, x, Ad);
            for (size_t i = 0; i < a.n; i++)
                error += x[i] * Ad[i];
            CHECK_MSG(error <= 1e-12 * size, "%d x %d, variant %d: %g of %g",
                      (int)grid.rows, (int)grid.cols, variant, error, size);
            zm_multigrid_destroy(mg);
            free(Ad);
            free(expected);
            free(x);
            free(rhs);
            release(&a);
        }
}

/* <B v, w> = <v, B w> and <B v, v> > 0: what conjugate gradients need.  The values of both
 * sides are sums of terms that cancel: rounding of the largest is allowed for. */
TEST(a_cycle_is_symmetric_and_positive)
{
    for (int variant = 0; variant < 4; variant++) {
        uint64_t state = t->seed;
        owned a = random_operator((zm_grid){ 45, 62, 1, 1 }, variant & 1, variant & 2,
                                  &state);
        zm_multigrid *mg = multigrid_of(t, &a.op);

        for (int trial = 0; trial < 10; trial++) {
            double *v = random_field(a.n, &state), *w = random_field(a.n, &state);
            double *Bv = malloc(a.n * sizeof *v), *Bw = malloc(a.n * sizeof *v);
            double left = 0, right = 0, own = 0, size = 0;

            zm_multigrid_cycle(mg, v, Bv);
            zm_multigrid_cycle(mg, w, Bw);
            for (size_t i = 0; i < a.n; i++) {
                left += Bv[i] * w[i];
                right += v[i] * Bw[i];
                own += v[i] * Bv[i];
                size += fabs(Bv[i] * w[i]);
            }
            CHECK_NEAR(left, right, 1e-10 * size);
            CHECK(own > 0);
            free(Bw);
            free(Bv);
            free(w);
            free(v);
        }
        zm_multigrid_destroy(mg);
        release(&a);
    }
}

enum {
    SMOOTH,
    RANDOM,
    LAGGED_HALF,
    LAGGED_DISC,
    STRIPES,
    DIAGONAL_STRIPES,
    STAIRS,
    BLOCKS,
    ANISOTROPIC,
    MAZE,
    OBSERVED,
    N_MEDIA
};

/* Weak weights along lines in all directions, at contrast 1e6. */
static owned medium(int kind, int32_t side, uint64_t *state)
{
    const zm_grid grid = { side, side, 1, kind == ANISOTROPIC ? 100 : 1 };
    owned a = allocate(grid);
    const double centre = 0.5 * side;

    for (size_t i = 0; i < a.n; i++) {
        const int32_t row = (int32_t)i / side, col = (int32_t)i % side;
        const double off = hypot(row - centre, col - 0.6 * side);

        a.w[i] = kind == RANDOM        ? pow(10, 6 * zm_random_unit(state))
                 : kind == LAGGED_HALF ? (col < side / 2 ? 1 : 2)
                 : kind == LAGGED_DISC ? (off < 0.2 * side ? 2 : 1) +
                                             (abs(row - col) < side / 8 ? 0.3 : 0)
                 : kind == STRIPES          ? (col % 4 < 2 ? 1 : 1e-6)
                 : kind == DIAGONAL_STRIPES ? ((row + col) % 5 < 2 ? 1 : 1e-6)
                 : kind == STAIRS           ? ((row + col) % 2 ? 1e6 : 1)
                 : kind == BLOCKS ? ((row / 8 * 7 + col / 8 * 13) % 5 == 0 ? 1e6 : 1)
                                  : 1;
        a.walls[i] = row % 2 == 0 && col % 2 == 0   ? 1
                     : row % 2 == 0 || col % 2 == 0 ? zm_random_unit(state) < 0.4
                                                    : 0;
        a.diagonal[i] = zm_random_unit(state) < 0.07 ? 1e4 * zm_random_unit(state) : 0;
    }
    if (kind == LAGGED_HALF || kind == LAGGED_DISC) {
        const double *u = a.w;
        zm_reg r = ZM_REG_INIT;

        for (size_t i = 0; i < a.n; i++)
            a.w[i] += 1e-7 * zm_random_normal(state);
        r.eps = 1e-6;
        (void)zm_reg_lagged(grid, &u, 1, NULL, a.diagonal, &r, NULL);
        memcpy(a.w, a.diagonal, a.n * sizeof *a.w);
        a.op.shift = 1;
    }
    if (kind == MAZE)
        a.op.walls = a.walls;
    if (kind == OBSERVED) {
        a.op.diagonal = a.diagonal;
        a.op.shift = 0;
    }
    zm_laplacian_edges(grid, a.op.walls, a.w, 1, a.right, a.below);
    return a;
}

/* 25 iterations for eight digits, whatever the weights and the size: a fixed coarse grid
 * needs hundreds on half of these. */
TEST(few_iterations_at_contrast_1e6_whatever_the_size)
{
    static const int32_t sides[] = { 40, 150 };

    for (int kind = 0; kind < N_MEDIA; kind++)
        for (size_t s = 0; s < 2; s++) {
            uint64_t state = t->seed;
            owned a = medium(kind, sides[s], &state);
            double *rhs = random_field(a.n, &state), *x = calloc(a.n, sizeof *x);
            double *Ax = malloc(a.n * sizeof *x), sum = 0, norm = 0;
            zm_multigrid *mg = multigrid_of(t, &a.op);
            zm_multigrid_report r;

            CHECK(zm_multigrid_solve(mg, rhs, x, 1e-8, 100, &r, NULL) == ZM_OK);
            CHECK_MSG(r.iterations <= 25, "medium %d, side %d: %d iterations", kind,
                      (int)sides[s], (int)r.iterations);
            zm_laplacian_apply(&a.op, x, Ax);
            for (size_t i = 0; i < a.n; i++) {
                const double b = a.op.walls && a.walls[i] ? 0 : rhs[i];

                sum += (b - Ax[i]) * (b - Ax[i]);
                norm += b * b;
            }
            /* The recursive residual of conjugate gradients may part from the true one by
             * the rounding of A x, contrast times 1e-16 times |x|. */
            CHECK_AT_MOST(sqrt(sum / norm), 2e-7);
            zm_multigrid_destroy(mg);
            free(Ax);
            free(x);
            free(rhs);
            release(&a);
        }
}

/* Without shift constants are in the null space, here on each side of a wall; with a
 * consistent right-hand side there is a solution all the same. */
TEST(singular_but_consistent_systems_are_solved)
{
    enum { ROWS = 50, COLS = 41, WALL = 17 };
    uint64_t state = t->seed;
    owned a = random_operator((zm_grid){ ROWS, COLS, 1, 1 }, false, false, &state);
    double *rhs = random_field(a.n, &state), *x = calloc(a.n, sizeof *x);
    double mean[2] = { 0 };
    zm_error err = { .text = "" };
    zm_multigrid_report r;
    zm_multigrid *mg;

    for (size_t i = 0; i < a.n; i++) {
        a.walls[i] = i % COLS == WALL;
        if (!a.walls[i])
            mean[i % COLS > WALL] +=
                rhs[i] / (ROWS * (i % COLS > WALL ? COLS - WALL - 1 : WALL));
    }
    for (size_t i = 0; i < a.n; i++)
        rhs[i] -= mean[i % COLS > WALL];
    a.op.shift = 0;
    a.op.walls = a.walls;
    mg = multigrid_of(t, &a.op);
    CHECK_MSG(zm_multigrid_solve(mg, rhs, x, 1e-8, 60, &r, &err) == ZM_OK, "%s",
              err.text);
    zm_multigrid_destroy(mg);
    free(x);
    free(rhs);
    release(&a);
}

/* A second operator on the same handle gives the bits of a fresh handle; so does the start
 * at the solution, at once. */
TEST(updates_leave_no_trace)
{
    uint64_t state = t->seed;
    const zm_grid grid = { 37, 51, 1, 1 };
    owned a = random_operator(grid, true, false, &state);
    owned b = random_operator(grid, false, true, &state);
    double *rhs = random_field(a.n, &state);
    double *x = calloc(a.n, sizeof *x), *y = calloc(a.n, sizeof *y);
    zm_multigrid *used = multigrid_of(t, &a.op), *fresh = multigrid_of(t, &b.op);
    zm_multigrid_report r;

    CHECK(zm_multigrid_solve(used, rhs, x, 1e-8, 60, NULL, NULL) == ZM_OK);
    CHECK(zm_multigrid_update(used, &b.op, NULL) == ZM_OK);
    memset(x, 0, a.n * sizeof *x);
    CHECK(zm_multigrid_solve(used, rhs, x, 1e-8, 60, NULL, NULL) == ZM_OK);
    CHECK(zm_multigrid_solve(fresh, rhs, y, 1e-8, 60, NULL, NULL) == ZM_OK);
    CHECK(memcmp(x, y, a.n * sizeof *x) == 0);
    CHECK(zm_multigrid_solve(fresh, rhs, y, 1e-6, 60, &r, NULL) == ZM_OK);
    CHECK(r.iterations == 0);
    CHECK(zm_multigrid_solve(fresh, rhs, y, 1e-30, 2, &r, NULL) == ZM_NOT_CONVERGED);
    zm_multigrid_destroy(fresh);
    zm_multigrid_destroy(used);
    free(y);
    free(x);
    free(rhs);
    release(&b);
    release(&a);
}

TEST(operators_that_are_none_are_refused)
{
    uint64_t state = t->seed;
    owned a = random_operator((zm_grid){ 9, 8, 1, 1 }, false, false, &state);
    owned b = random_operator((zm_grid){ 8, 9, 1, 1 }, false, false, &state);
    double *rhs = random_field(a.n, &state), *x = calloc(a.n, sizeof *x);
    zm_multigrid *mg = multigrid_of(t, &a.op);
    zm_error err;

    CHECK(zm_multigrid_update(mg, &b.op, &err) == ZM_E_ARG);
    a.right[10] = -1;
    CHECK(zm_multigrid_update(mg, &a.op, &err) == ZM_E_ARG && err.cell == 10);
    a.right[10] = NAN;
    CHECK(zm_multigrid_update(mg, &a.op, &err) == ZM_E_ARG && err.cell == 10);
    a.right[10] = 1;
    a.op.shift = -1;
    CHECK(zm_multigrid_update(mg, &a.op, &err) == ZM_E_ARG);
    a.op.shift = 1;
    CHECK(zm_multigrid_update(mg, &a.op, &err) == ZM_OK);
    rhs[3] = NAN;
    CHECK(zm_multigrid_solve(mg, rhs, x, 1e-8, 50, NULL, &err) == ZM_E_ARG);
    zm_multigrid_destroy(mg);
    free(x);
    free(rhs);
    release(&b);
    release(&a);
}

/* A line of n unknowns, (2.01, -1), in an arena of the given size. */
static zm_amg *line_in_arena(size_t n, size_t bytes, unsigned char *memory)
{
    zm_amg *amg = calloc(1, sizeof *amg);
    zm_amg_level *l = &amg->level[0];

    amg->arena = (zm_amg_arena){ memory, 0, bytes, bytes };
    if (!zm_amg_level_vectors(&amg->arena, l, n) ||
        !(l->off.start = zm_amg_arena_keep(&amg->arena, n + 1, sizeof(size_t))) ||
        !(l->off.col = zm_amg_arena_keep(&amg->arena, 2 * n, sizeof(int32_t))) ||
        !(l->off.value = zm_amg_arena_keep(&amg->arena, 2 * n, sizeof(double)))) {
        free(amg);
        return NULL;
    }
    l->off.start[0] = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = l->off.start[i];

        for (int side = -1; side <= 1; side += 2)
            if ((side < 0 && i > 0) || (side > 0 && i + 1 < n)) {
                l->off.col[k] = (int32_t)i + side;
                l->off.value[k++] = -1;
            }
        l->off.start[i + 1] = k;
        l->diagonal[i] = 0.01 + (double)(k - l->off.start[i]);
        l->inverse[i] = 1 / l->diagonal[i];
        l->b[i] = 0.01;
    }
    zm_amg_build(amg);
    return amg;
}

/* The less memory the fewer levels; still a convergent iteration x += B (b - A x). */
TEST(hierarchies_cut_short_for_want_of_memory_still_converge)
{
    enum { UNKNOWNS = 500, MOST = 200000, STEP = 9011 };
    unsigned char *memory = malloc(MOST);
    size_t fewest = 99, most = 0;

    for (size_t bytes = STEP; bytes <= MOST; bytes += STEP) {
        zm_amg *amg = line_in_arena(UNKNOWNS, bytes, memory);
        double x[UNKNOWNS] = { 0 }, Ax[UNKNOWNS] = { 0 }, residual = 0;

        if (!amg)
            continue; /* not even the matrix fits */
        fewest = amg->n_levels < fewest ? amg->n_levels : fewest;
        most = amg->n_levels > most ? amg->n_levels : most;
        for (int k = 0; k < 300; k++) {
            zm_amg_apply(&amg->level[0], x, Ax);
            for (size_t i = 0; i < UNKNOWNS; i++)
                amg->level[0].b[i] = (double)(i % 7) - Ax[i];
            zm_amg_cycle(amg);
            for (size_t i = 0; i < UNKNOWNS; i++)
                x[i] += amg->level[0].x[i];
        }
        zm_amg_apply(&amg->level[0], x, Ax);
        for (size_t i = 0; i < UNKNOWNS; i++)
            residual = fmax(residual, fabs((double)(i % 7) - Ax[i]));
        CHECK_MSG(residual < 1e-2, "%zu bytes, %zu levels: residual %g", bytes,
                  amg->n_levels, residual);
        CHECK(amg->arena.low <= bytes);
        free(amg);
    }
    CHECK(fewest == 1 && most > 2);
    free(memory);
}
