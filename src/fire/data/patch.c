/* SPDX-License-Identifier: Apache-2.0
 * Windows of fires for training (paper, appendix on cross-scene training). */
#include <math.h>
#include <stdlib.h>

#include "core/fail.h"
#include "core/options.h"
#include "zermelo/fire/dataset.h"

static int64_t burned_in(const float *T, int32_t cols, const zm_patch *p)
{
    int64_t n = 0;

    for (int32_t r = 0; r < p->rows; r++)
        for (int32_t c = 0; c < p->cols; c++)
            n += isfinite(T[(size_t)(p->row + r) * (size_t)cols + (size_t)(p->col + c)])
                     ? 1
                     : 0;
    return n;
}

/* Windows along a side of n cells. */
static int32_t windows(int32_t n, int32_t side, int32_t stride)
{
    return n <= side ? 1 : (n - side + stride - 1) / stride + 1;
}

/* Where window k begins: the last one ends at the edge. */
static int32_t begin_of(int32_t k, int32_t n, int32_t side, int32_t stride)
{
    const int64_t begin = (int64_t)k * stride;

    return n <= side ? 0 : begin < n - side ? (int32_t)begin : n - side;
}

static zm_status check_patch_opts(const zm_patch_opts *o, zm_error *err)
{
    if (o->side < 1 || o->stride < 1 || o->min_burned < 1)
        return zm_fail(err, ZM_E_ARG, -1,
                       "patches: side %d, stride %d, min_burned %lld must be >= 1",
                       o->side, o->stride, (long long)o->min_burned);
    return ZM_OK;
}

zm_status zm_patches_find(const float *T, int32_t rows, int32_t cols, zm_patch **out,
                          size_t *n, const zm_patch_opts *opts, zm_error *err)
{
    zm_patch_opts o = ZM_PATCH_OPTS_INIT;
    int32_t down, across;

    if (!T || !out || !n || rows < 1 || cols < 1)
        return zm_fail(err, ZM_E_ARG, -1, "zm_patches_find needs times and a result");
    *out = NULL;
    *n = 0;
    ZM_TRY(zm_options_read(&o, sizeof o, opts, "zm_patch_opts", err));
    ZM_TRY(check_patch_opts(&o, err));
    down = windows(rows, o.side, o.stride);
    across = windows(cols, o.side, o.stride);
    if (!(*out = calloc((size_t)down * (size_t)across, sizeof **out)))
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for %d x %d patches", down,
                       across);
    for (int32_t i = 0; i < down; i++)
        for (int32_t k = 0; k < across; k++) {
            zm_patch p = { begin_of(i, rows, o.side, o.stride),
                           begin_of(k, cols, o.side, o.stride),
                           rows < o.side ? rows : o.side, cols < o.side ? cols : o.side,
                           0 };

            p.burned = burned_in(T, cols, &p);
            if (p.burned >= o.min_burned)
                (*out)[(*n)++] = p;
        }
    if (*n == 0) {
        free(*out);
        *out = NULL;
    }
    return ZM_OK;
}

/* ---- extraction ------------------------------------------------------------------- */

typedef struct window {
    int32_t rows, cols;
    const float *times;
    int32_t *part;  /* number of the connected part; 0: none yet */
    int32_t *stack; /* cells whose neighbours are still to be looked at */
} window;

/* Marks the part that holds `cell`; its earliest cell. */
static int32_t flood(window *w, int32_t cell, int32_t number)
{
    int32_t n = 0, earliest = cell;

    w->part[cell] = number;
    w->stack[n++] = cell;
    while (n) {
        const int32_t at = w->stack[--n], r = at / w->cols, c = at % w->cols;

        if (w->times[at] < w->times[earliest])
            earliest = at;
        for (int32_t y = r > 0 ? r - 1 : 0; y <= r + 1 && y < w->rows; y++)
            for (int32_t x = c > 0 ? c - 1 : 0; x <= c + 1 && x < w->cols; x++) {
                const int32_t next = y * w->cols + x;

                if (!isfinite(w->times[next]) || w->part[next])
                    continue;
                w->part[next] = number;
                w->stack[n++] = next;
            }
    }
    return earliest;
}

static void light(const window *w, int32_t cell, uint8_t *sources)
{
    const int32_t r = cell / w->cols, c = cell % w->cols;

    for (int32_t y = r > 0 ? r - 1 : 0; y <= r + 1 && y < w->rows; y++)
        for (int32_t x = c > 0 ? c - 1 : 0; x <= c + 1 && x < w->cols; x++)
            if (w->part[y * w->cols + x] == w->part[cell])
                sources[y * w->cols + x] = 1;
}

static zm_status find_parts(window *w, float *times, uint8_t *sources, size_t *parts,
                            zm_error *err)
{
    const int32_t n = w->rows * w->cols;
    int32_t number = 0;
    float *begin = malloc(((size_t)n + 1) * sizeof *begin); /* of each part */

    if (!begin)
        return zm_fail(err, ZM_E_NOMEM, -1, "no memory for a patch");
    for (int32_t i = 0; i < n; i++)
        if (isfinite(times[i]) && !w->part[i]) {
            const int32_t earliest = flood(w, i, ++number);

            begin[number] = times[earliest];
            light(w, earliest, sources);
        }
    for (int32_t i = 0; i < n; i++)
        if (w->part[i])
            times[i] = sources[i] ? 0 : times[i] - begin[w->part[i]];
    if (parts)
        *parts = (size_t)number;
    free(begin);
    return ZM_OK;
}

zm_status zm_patch_extract(const float *T, int32_t cols, const zm_patch *patch,
                           float *times, uint8_t *sources, size_t *parts, zm_error *err)
{
    window w = { 0 };
    size_t n;
    zm_status st;

    if (!T || !patch || !times || !sources || patch->rows < 1 || patch->cols < 1)
        return zm_fail(err, ZM_E_ARG, -1, "zm_patch_extract needs times and a patch");
    n = (size_t)patch->rows * (size_t)patch->cols;
    w = (window){ patch->rows, patch->cols, times, calloc(n, sizeof *w.part),
                  calloc(n, sizeof *w.stack) };
    for (int32_t r = 0; r < patch->rows; r++)
        for (int32_t c = 0; c < patch->cols; c++) {
            const size_t i = (size_t)r * (size_t)patch->cols + (size_t)c;
            const float time =
                T[(size_t)(patch->row + r) * (size_t)cols + (size_t)(patch->col + c)];

            times[i] = isfinite(time) ? time : INFINITY;
            sources[i] = 0;
        }
    st = w.part && w.stack ? find_parts(&w, times, sources, parts, err)
                           : zm_fail(err, ZM_E_NOMEM, -1, "no memory for a patch");
    free(w.part);
    free(w.stack);
    return st;
}
