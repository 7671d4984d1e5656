/* SPDX-License-Identifier: Apache-2.0
 * Multigrid for the five-point operator.
 *
 * Cells are coloured like a chessboard.  A white cell has black neighbours only, so all
 * white ones are eliminated exactly: with weights w_ij, centers c_i = s_i + sum_j w_ij
 * and excess s (shift and diagonal), white i adds to the black system
 *
 *     weight  w_ij w_ik / c_i  between its neighbours j and k,
 *     excess  w_ij s_i / c_i   to its neighbour j,
 *
 * sums of positive numbers: nothing cancels, however much the weights vary.  The black
 * system, half as large and with nine points, goes to algebraic multigrid, which picks
 * its coarse unknowns by the strength of the couplings (a fixed coarse grid cannot
 * follow weak lines in any direction: tried, over a hundred iterations at contrast
 * 1e6). */
#include "inverse/regularise/multigrid.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/products.h"
#include "eikonal/problem/problem.h"
#include "inverse/regularise/amg.h"

/* Bytes a cell for the hierarchy.  The black system takes 76, all levels together 100
 * to 130 in most media and 203 with dx/dy = 100, where only every second unknown goes.
 * A hierarchy that does not fit is cut short. */
enum { BYTES_PER_CELL = 240, BYTES_AT_LEAST = 1 << 16 };
enum { MOST_NEIGHBOURS = 8 };

struct zm_multigrid {
    zm_grid grid;
    zm_alloc mem;
    size_t n, n_black;
    double *excess, *right, *below; /* the operator; weights 0 where there is no edge */
    double *center;                 /* 0: no equation */
    double *rhs;
    double *p; /* search direction, black */
    unsigned char *arena;
    zm_amg amg;
};

static zm_status allocate(zm_multigrid *mg, zm_error *err)
{
    const size_t n = mg->n;
    size_t arena;

    if (!zm_mul_size(n, BYTES_PER_CELL, &arena) ||
        !(mg->excess = zm_zalloc(&mg->mem, n, sizeof(double))) ||
        !(mg->right = zm_zalloc(&mg->mem, n, sizeof(double))) ||
        !(mg->below = zm_zalloc(&mg->mem, n, sizeof(double))) ||
        !(mg->center = zm_zalloc(&mg->mem, n, sizeof(double))) ||
        !(mg->rhs = zm_zalloc(&mg->mem, n, sizeof(double))) ||
        !(mg->p = zm_zalloc(&mg->mem, mg->n_black, sizeof(double))) ||
        !(mg->arena = zm_block(&mg->mem, arena + BYTES_AT_LEAST, 1)))
        return zm_fail(err, ZM_E_NOMEM, -1, "multigrid for %d x %d cells",
                       (int)mg->grid.rows, (int)mg->grid.cols);
    mg->amg.arena.base = mg->arena;
    mg->amg.arena.end = arena + BYTES_AT_LEAST;
    return ZM_OK;
}

zm_status zm_multigrid_create(zm_multigrid **out, zm_grid grid, const zm_alloc *mem,
                              zm_error *err)
{
    const zm_alloc from = zm_alloc_or_default(mem);
    zm_multigrid *mg;
    zm_status st;

    *out = NULL;
    ZM_TRY(zm_grid_check(grid, err));
    if (!(mg = zm_zalloc(&from, 1, sizeof *mg)))
        return zm_fail(err, ZM_E_NOMEM, -1, "multigrid handle");
    mg->grid = grid;
    mg->mem = from;
    zm_grid_cells(grid, &mg->n);
    mg->n_black = (mg->n + 1) / 2;
    if ((st = allocate(mg, err)) < 0) {
        zm_multigrid_destroy(mg);
        return st;
    }
    *out = mg;
    return ZM_OK;
}

void zm_multigrid_destroy(zm_multigrid *mg)
{
    zm_alloc mem;

    if (!mg)
        return;
    mem = mg->mem;
    zm_release(&mem, mg->arena);
    zm_release(&mem, mg->p);
    zm_release(&mem, mg->rhs);
    zm_release(&mem, mg->center);
    zm_release(&mem, mg->below);
    zm_release(&mem, mg->right);
    zm_release(&mem, mg->excess);
    zm_release(&mem, mg);
}

/* Neighbours of a cell and the weights of the edges to them. */
typedef struct neighbours {
    size_t count;
    size_t cell[4];
    double weight[4];
} neighbours;

static inline void add_neighbour(neighbours *nb, size_t cell, double weight)
{
    if (weight > 0) {
        nb->cell[nb->count] = cell;
        nb->weight[nb->count++] = weight;
    }
}

/* In the order of the cells, so that rows of the matrix come out sorted. */
static inline neighbours neighbours_of(const zm_multigrid *mg, size_t i)
{
    const size_t cols = (size_t)mg->grid.cols;
    neighbours nb = { .count = 0 };

    if (i >= cols)
        add_neighbour(&nb, i - cols, mg->below[i - cols]);
    if (i >= 1)
        add_neighbour(&nb, i - 1, mg->right[i - 1]); /* 0 at the end of a row */
    add_neighbour(&nb, i + 1, mg->right[i]);
    add_neighbour(&nb, i + cols, mg->below[i]);
    return nb;
}

enum { BLACK = 0, WHITE = 1 };

/* Cells of one colour in a row are first, first + 2, ... below end.  Their number among
 * all of the colour is half the number of the cell, whichever the parity of the
 * columns. */
typedef struct span {
    size_t first, end;
} span;

static inline span cells_of(const zm_multigrid *mg, int32_t row, int32_t colour)
{
    const size_t cols = (size_t)mg->grid.cols, start = (size_t)row * cols;

    return (span){ start + (size_t)((row + colour) % 2), start + cols };
}

static bool is_weight(double w)
{
    return w >= 0 && isfinite(w);
}

static zm_status load_operator(zm_multigrid *mg, const zm_laplacian *op, zm_error *err)
{
    const size_t cols = (size_t)mg->grid.cols;
    const uint8_t *walls = op->walls;
    size_t i = 0;

    for (int32_t row = 0; row < mg->grid.rows; row++)
        for (int32_t col = 0; col < mg->grid.cols; col++, i++) {
            const bool open = !walls || !walls[i];
            const bool to_right =
                open && col + 1 < mg->grid.cols && !(walls && walls[i + 1]);
            const bool to_below =
                open && row + 1 < mg->grid.rows && !(walls && walls[i + cols]);

            mg->excess[i] = open ? op->shift + (op->diagonal ? op->diagonal[i] : 0) : 0;
            mg->right[i] = to_right ? op->right[i] : 0;
            mg->below[i] = to_below ? op->below[i] : 0;
            if (!is_weight(mg->excess[i]) || !is_weight(mg->right[i]) ||
                !is_weight(mg->below[i]))
                return zm_fail(
                    err, ZM_E_ARG, (int64_t)i,
                    "operator at cell %zu: diagonal %g, weights %g and %g, must "
                    "be finite and >= 0",
                    i, mg->excess[i], mg->right[i], mg->below[i]);
        }
    for (i = 0; i < mg->n; i++)
        mg->center[i] = mg->excess[i] + mg->right[i] + mg->below[i] +
                        (i >= 1 ? mg->right[i - 1] : 0) +
                        (i >= cols ? mg->below[i - cols] : 0);
    return ZM_OK;
}

/* Off-diagonal entries of one row of the black system, added up by column. */
typedef struct black_row {
    size_t count;
    int32_t col[MOST_NEIGHBOURS];
    double value[MOST_NEIGHBOURS];
} black_row;

static inline void add_entry(black_row *row, int32_t col, double value)
{
    size_t k = 0;

    while (k < row->count && row->col[k] != col)
        k++;
    if (k == row->count) {
        row->col[k] = col;
        row->value[k] = 0;
        row->count++;
    }
    row->value[k] += value;
}

/* Eliminates the white neighbours of black cell i; returns the row's excess. */
static double eliminate_around(const zm_multigrid *mg, size_t i, black_row *row)
{
    const neighbours around = neighbours_of(mg, i);
    double excess = mg->excess[i];

    row->count = 0;
    for (size_t a = 0; a < around.count; a++) {
        const size_t white = around.cell[a];
        const double share = around.weight[a] / mg->center[white];
        const neighbours beyond = neighbours_of(mg, white);

        excess += share * mg->excess[white];
        for (size_t k = 0; k < beyond.count; k++)
            if (beyond.cell[k] != i)
                add_entry(row, (int32_t)(beyond.cell[k] / 2),
                          -share * beyond.weight[k]);
    }
    return excess;
}

/* Returns the number of entries with those of this row. */
static size_t add_black_row(zm_multigrid *mg, size_t i, size_t entries)
{
    zm_amg_level *l = &mg->amg.level[0];
    black_row row;
    double sum = 0;

    l->off.start[i / 2] = entries;
    l->b[i / 2] = eliminate_around(mg, i, &row);
    for (size_t k = 0; k < row.count; k++) {
        sum -= row.value[k];
        l->off.col[entries] = row.col[k];
        l->off.value[entries++] = row.value[k];
    }
    l->diagonal[i / 2] = l->b[i / 2] + sum;
    l->inverse[i / 2] = l->diagonal[i / 2] > 0 ? 1 / l->diagonal[i / 2] : 0;
    return entries;
}

static void build_black_system(zm_multigrid *mg)
{
    zm_amg_arena *arena = &mg->amg.arena;
    zm_amg_level *l = &mg->amg.level[0];
    size_t entries = 0;

    arena->low = 0;
    zm_amg_arena_give_back(arena);
    /* All of this fits: BYTES_PER_CELL sees to that. */
    (void)zm_amg_level_vectors(arena, l, mg->n_black);
    l->off.start = zm_amg_arena_keep(arena, l->n + 1, sizeof *l->off.start);
    l->off.col = zm_amg_arena_keep(arena, MOST_NEIGHBOURS * l->n, sizeof *l->off.col);
    l->off.value =
        zm_amg_arena_keep(arena, MOST_NEIGHBOURS * l->n, sizeof *l->off.value);
    for (int32_t row = 0; row < mg->grid.rows; row++) {
        const span cells = cells_of(mg, row, BLACK);

        for (size_t i = cells.first; i < cells.end; i += 2)
            entries = add_black_row(mg, i, entries);
    }
    l->off.start[l->n] = entries;
}

zm_status zm_multigrid_update(zm_multigrid *mg, const zm_laplacian *op, zm_error *err)
{
    if (op->grid.rows != mg->grid.rows || op->grid.cols != mg->grid.cols)
        return zm_fail(err, ZM_E_ARG, -1,
                       "operator on %d x %d cells, multigrid on %d x %d",
                       (int)op->grid.rows, (int)op->grid.cols, (int)mg->grid.rows,
                       (int)mg->grid.cols);
    ZM_TRY(load_operator(mg, op, err));
    build_black_system(mg);
    zm_amg_build(&mg->amg);
    return ZM_OK;
}

/* sum_j w_ij v_j over the neighbours of i */
static inline double gather(const zm_multigrid *mg, size_t i, const double *v)
{
    const neighbours nb = neighbours_of(mg, i);
    double sum = 0;

    for (size_t k = 0; k < nb.count; k++)
        sum += nb.weight[k] * v[nb.cell[k]];
    return sum;
}

/* Right-hand side of the black system: b_j + sum_i w_ij b_i / c_i.  mg->rhs keeps
 * b_i / c_i at white cells. */
static void eliminate_rhs(zm_multigrid *mg, const double *rhs, double *black)
{
    for (int32_t row = 0; row < mg->grid.rows; row++) {
        const span cells = cells_of(mg, row, WHITE);

        for (size_t i = cells.first; i < cells.end; i += 2)
            mg->rhs[i] = mg->center[i] > 0 ? rhs[i] / mg->center[i] : 0;
    }
    for (int32_t row = 0; row < mg->grid.rows; row++) {
        const span cells = cells_of(mg, row, BLACK);

        for (size_t i = cells.first; i < cells.end; i += 2)
            black[i / 2] = mg->center[i] > 0 ? rhs[i] + gather(mg, i, mg->rhs) : 0;
    }
}

/* White x from black: x_i = (b_i + sum_j w_ij x_j) / c_i. */
static void substitute(const zm_multigrid *mg, double *x)
{
    for (int32_t row = 0; row < mg->grid.rows; row++) {
        const span cells = cells_of(mg, row, WHITE);

        for (size_t i = cells.first; i < cells.end; i += 2)
            x[i] =
                mg->center[i] > 0 ? mg->rhs[i] + gather(mg, i, x) / mg->center[i] : 0;
    }
}

/* x += factor v at black cells, by which v is numbered. */
static void add_black(const zm_multigrid *mg, double factor, const double *v, double *x)
{
    for (int32_t row = 0; row < mg->grid.rows; row++) {
        const span cells = cells_of(mg, row, BLACK);

        for (size_t i = cells.first; i < cells.end; i += 2)
            x[i] += factor * v[i / 2];
    }
}

void zm_multigrid_cycle(zm_multigrid *mg, const double *rhs, double *x)
{
    const zm_amg_level *l = &mg->amg.level[0];

    eliminate_rhs(mg, rhs, l->b);
    zm_amg_cycle(&mg->amg);
    memset(x, 0, mg->n * sizeof *x);
    add_black(mg, 1, l->x, x);
    substitute(mg, x);
}

/* On the black system; the residual is in b, the preconditioned one in x, A p in r of
 * level 0, and the solution in the black cells of x. */
static int32_t conjugate_gradients(zm_multigrid *mg, double *x, double goal,
                                   int32_t max_iterations, double *residual)
{
    zm_amg_level *l = &mg->amg.level[0];
    double rz = 0;

    for (int32_t k = 0;; k++) {
        const double before = rz;
        double pq, alpha, beta;

        *residual = sqrt(zm_products_dot(l->n, l->b, l->b));
        if (!(*residual > goal) || k >= max_iterations)
            return k;
        zm_amg_cycle(&mg->amg);
        rz = zm_products_dot(l->n, l->b, l->x);
        beta = k > 0 ? rz / before : 0;
        for (size_t i = 0; i < l->n; i++)
            mg->p[i] = l->x[i] + beta * mg->p[i];
        zm_amg_apply(l, mg->p, l->r);
        pq = zm_products_dot(l->n, mg->p, l->r);
        if (!(pq > 0) ||
            !(rz > 0)) /* the limit of rounding, or of a singular operator */
            return k;
        alpha = rz / pq;
        add_black(mg, alpha, mg->p, x);
        for (size_t i = 0; i < l->n; i++)
            l->b[i] -= alpha * l->r[i];
    }
}

/* Residual of the black system at x, in b of level 0; x is 0 where there is no
 * equation.  Returns the norm of the right-hand side. */
static double start_residual(zm_multigrid *mg, const double *rhs, double *x)
{
    zm_amg_level *l = &mg->amg.level[0];
    double norm = 0;

    eliminate_rhs(mg, rhs, l->b);
    for (size_t i = 0; i < mg->n; i++) {
        if (!(mg->center[i] > 0))
            x[i] = 0;
        else
            norm += rhs[i] * rhs[i];
    }
    for (int32_t row = 0; row < mg->grid.rows; row++) {
        const span cells = cells_of(mg, row, BLACK);

        for (size_t i = cells.first; i < cells.end; i += 2)
            mg->p[i / 2] = x[i];
    }
    zm_amg_apply(l, mg->p, l->r);
    for (size_t i = 0; i < l->n; i++) {
        l->b[i] -= l->r[i];
        mg->p[i] = 0;
    }
    return sqrt(norm);
}

zm_status zm_multigrid_solve(zm_multigrid *mg, const double *rhs, double *x,
                             double tolerance, int32_t max_iterations,
                             zm_multigrid_report *report, zm_error *err)
{
    const double scale = start_residual(mg, rhs, x);
    double residual;
    const int32_t iterations =
        conjugate_gradients(mg, x, tolerance * scale, max_iterations, &residual);

    substitute(mg, x);
    if (report)
        *report = (zm_multigrid_report){ iterations, scale > 0 ? residual / scale : 0 };
    if (!isfinite(residual) || !isfinite(scale))
        return zm_fail(err, ZM_E_ARG, -1, "right-hand side or start is not finite");
    if (residual > tolerance * scale)
        return zm_fail(err, ZM_NOT_CONVERGED, -1,
                       "residual %g after %d iterations, asked for %g",
                       residual / scale, (int)iterations, tolerance);
    return ZM_OK;
}
