/* SPDX-License-Identifier: Apache-2.0
 * Blocks of cells on several threads, and the kernels of this machine. */
#include "eikonal/problem/cells.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/fail.h"
#include "core/parallel.h"
#include "eikonal/problem/problem.h"

const zm_cell_kernels *zm_cell_kernels_find(void)
{
#if defined(ZM_HAVE_AVX2)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        return &zm_cell_kernels_avx2;
#endif
    return &zm_cell_kernels_scalar;
}

/* ---- threads ---------------------------------------------------------------------- */

/* Cells that a thread takes at once: some 50 us of work. */
enum { CHUNK = 64 * ZM_CELLS_BLOCK };

typedef struct cells_run {
    zm_cells_fn *fn;
    const void *ctx;
    size_t n, chunks; /* cells and chunks of an item */
    size_t most;      /* chunks of all items */
    atomic_size_t next;
    zm_spinlock lock; /* of what follows */
    size_t failed;    /* the first chunk that failed so far */
    zm_status status;
    zm_error error;
} cells_run;

static zm_status chunk_run(cells_run *run, size_t chunk, zm_error *err)
{
    const size_t item = chunk / run->chunks, first = chunk % run->chunks * CHUNK;
    const size_t end = first + CHUNK < run->n ? first + CHUNK : run->n;

    for (size_t i = first; i < end; i += ZM_CELLS_BLOCK)
        ZM_TRY(run->fn(run->ctx, item, i,
                       end - i < ZM_CELLS_BLOCK ? end - i : ZM_CELLS_BLOCK, err));
    return ZM_OK;
}

static void work(void *ctx, int32_t thread)
{
    cells_run *run = ctx;
    size_t chunk;

    (void)thread;
    while ((chunk = atomic_fetch_add(&run->next, 1)) < run->most) {
        zm_error error = { .code = ZM_OK };
        const zm_status st = chunk_run(run, chunk, &error);

        if (st >= 0)
            continue;
        zm_spin_lock(&run->lock);
        if (chunk < run->failed) {
            run->failed = chunk;
            run->status = st;
            run->error = error;
        }
        zm_spin_unlock(&run->lock);
        atomic_store(&run->next, run->most); /* chunks before this one are at work */
    }
}

zm_status zm_cells_all(int32_t threads, size_t items, size_t n, zm_cells_fn *fn,
                       const void *ctx, zm_error *err)
{
    cells_run run = { .fn = fn,
                      .ctx = ctx,
                      .n = n,
                      .chunks = (n + CHUNK - 1) / CHUNK,
                      .lock = { ATOMIC_FLAG_INIT },
                      .failed = SIZE_MAX };

    if (threads < 1)
        return zm_fail(err, ZM_E_ARG, -1, "threads = %d, must be at least 1",
                       (int)threads);
    run.most = items * run.chunks;
    if ((size_t)threads > run.most)
        threads = run.most ? (int32_t)run.most : 1;
    zm_parallel(threads, work, &run);
    if (run.status < 0 && err)
        *err = run.error;
    return run.status;
}

/* ---- planes ----------------------------------------------------------------------- */

static void plane_load(const void *plane, zm_dtype dtype, size_t begin, size_t n,
                       double *x)
{
    if (dtype == ZM_F32)
        for (size_t k = 0; k < n; k++)
            x[k] = (double)((const float *)plane)[begin + k];
    else
        memcpy(x, (const double *)plane + begin, n * sizeof *x);
    memset(x + n, 0, (ZM_CELLS_BLOCK - n) * sizeof *x);
}

static void load(const zm_metric *m, bool shared, size_t begin, size_t n,
                 zm_cells_values *restrict x)
{
    const void *plane[ZM_CELLS_PLANES] = { m->g11, m->g12, m->g22, m->b1, m->b2 };

    if (shared && !plane[2])
        plane[2] = plane[0];
    for (int p = 0; p < ZM_CELLS_PLANES; p++) {
        if (plane[p])
            plane_load(plane[p], m->dtype, begin, n, x->v[p]);
        else
            memset(x->v[p], 0, ZM_CELLS_BLOCK * sizeof x->v[p][0]);
    }
}

void zm_cells_load(const zm_metric *m, size_t begin, size_t n,
                   zm_cells_values *restrict x)
{
    load(m, true, begin, n, x);
}

void zm_cells_load_derivative(const zm_metric *m, size_t begin, size_t n,
                              zm_cells_values *restrict x)
{
    load(m, false, begin, n, x);
}

void zm_cells_store(const zm_metric_out *m, zm_dtype dtype, size_t begin, size_t n,
                    const zm_cells_values *restrict x)
{
    void *const plane[ZM_CELLS_PLANES] = { m->g11, m->g12, m->g22, m->b1, m->b2 };

    for (int p = 0; p < ZM_CELLS_PLANES; p++) {
        if (plane[p] && dtype == ZM_F32)
            for (size_t k = 0; k < n; k++)
                ((float *)plane[p])[begin + k] = (float)x->v[p][k];
        else if (plane[p])
            memcpy((double *)plane[p] + begin, x->v[p], n * sizeof x->v[p][0]);
    }
}

size_t zm_cells_first_spoilt(const zm_cells_values *restrict x, size_t n)
{
    double none = 0; /* 0 times a finite value is 0, times any other NaN */

    for (int p = 0; p < ZM_CELLS_PLANES; p++) {
        double sum[4] = { 0 };

        for (size_t k = 0; k < ZM_CELLS_BLOCK; k += 4)
            for (size_t j = 0; j < 4; j++)
                sum[j] += 0 * x->v[p][k + j];
        none += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
    if (none == 0)
        return n;
    for (size_t k = 0; k < n; k++)
        for (int p = 0; p < ZM_CELLS_PLANES; p++)
            if (!isfinite(x->v[p][k]))
                return k;
    return n;
}

zm_status zm_cells_not_finite(const char *what, const zm_cells_values *restrict x,
                              size_t k, size_t cell, zm_error *err)
{
    return zm_fail(err, ZM_E_ARG, (int64_t)cell,
                   "%s not finite at cell %zu: g11 = %g, g12 = %g, g22 = %g, b1 = %g, "
                   "b2 = %g",
                   what, cell, x->v[0][k], x->v[1][k], x->v[2][k], x->v[3][k],
                   x->v[4][k]);
}
