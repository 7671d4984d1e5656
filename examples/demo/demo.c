/* SPDX-License-Identifier: Apache-2.0
 * A windy landscape solved and differentiated: `demo [FOLDER [WIDTH [PIXELS]]]` writes
 * pictures there, WIDTH points (1/72 inch) wide, with so many pixels a point.
 *
 * The loss is the arrival time at a village; its gradient tells where slower ground would
 * delay the arrival. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "landscape.h"
#include "page.h"
#include "pictures.h"

enum { ROWS = 400, COLS = 600, REPEATS = 5, N_PLANES = 5 };

/* Everything the demo computes with. */
typedef struct demo {
    landscape land;
    zm_solver *solver;
    findings found;
    double *dL_dT;
    double *gradient[N_PLANES]; /* by g11, g12, g22, b1, b2 */
    double seconds_forward, seconds_backward;
    zm_error err;
} demo;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t village(const demo *d)
{
    return (size_t)d->land.village_row * (size_t)d->land.grid.cols +
           (size_t)d->land.village_col;
}

static zm_status prepare(demo *d)
{
    const size_t n = (size_t)ROWS * COLS;
    zm_status status;

    if (!landscape_make(&d->land, ROWS, COLS, 7) ||
        !(d->found.T = calloc(n, sizeof(double))) ||
        !(d->found.delay = calloc(n, sizeof(double))) ||
        !(d->found.codes = calloc(n, 1)) || !(d->dL_dT = calloc(n, sizeof(double)))) {
        strcpy(d->err.text, "out of memory");
        return ZM_E_NOMEM;
    }
    for (int k = 0; k < N_PLANES; k++)
        if (!(d->gradient[k] = calloc(n, sizeof(double)))) {
            strcpy(d->err.text, "out of memory");
            return ZM_E_NOMEM;
        }
    status = zm_solver_create(&d->solver, d->land.grid, ZM_F64, NULL, &d->err);
    d->dL_dT[village(d)] = 1.0;
    return status;
}

/* Best time of several runs. */
static zm_status solve(demo *d)
{
    const zm_problem problem = landscape_problem(&d->land);
    zm_status status = ZM_OK;

    d->seconds_forward = INFINITY;
    for (int k = 0; k < REPEATS && status == ZM_OK; k++) {
        const double start = now();

        status = zm_forward(d->solver, &problem, d->found.T, NULL, NULL, &d->err);
        d->seconds_forward = fmin(d->seconds_forward, now() - start);
    }
    return status;
}

static zm_status differentiate(demo *d)
{
    const zm_problem problem = landscape_problem(&d->land);
    const zm_gradient out = { .size = sizeof(zm_gradient),
                              .g11 = d->gradient[0],
                              .g12 = d->gradient[1],
                              .g22 = d->gradient[2],
                              .b1 = d->gradient[3],
                              .b2 = d->gradient[4] };
    zm_status status = ZM_OK;

    d->seconds_backward = INFINITY;
    for (int k = 0; k < REPEATS && status == ZM_OK; k++) {
        const double start = now();

        status = zm_adjoint(d->solver, &problem, d->found.T, d->dL_dT, &out, &d->err);
        d->seconds_backward = fmin(d->seconds_backward, now() - start);
    }
    if (status == ZM_OK)
        status = zm_stencils(d->solver, 0, &problem, d->found.T, d->found.codes, NULL,
                             &d->err);
    return status;
}

/* G = s^2 A, so s dG/ds = 2 G: one per cent more slowness everywhere in a cell moves the
 * loss by 0.02 G : dL/dG hours.  Taken for a square km instead of a cell. */
static void convert_to_delay(demo *d)
{
    const landscape *l = &d->land;
    const double cells_per_km2 = 1.0 / (l->grid.dx * l->grid.dy);

    for (size_t i = 0; i < l->n; i++)
        d->found.delay[i] =
            60.0 * cells_per_km2 * 0.02 *
            (l->g11[i] * d->gradient[0][i] + l->g12[i] * d->gradient[1][i] +
             l->g22[i] * d->gradient[2][i]);
}

static double wave(size_t cell, int plane)
{
    return sin(0.7 * (double)(cell % COLS) + plane) *
           cos(0.4 * (double)(cell / COLS) - plane);
}

/* The loss with all five planes moved by h along a fixed direction, relative to the local
 * size of G.  The landscape and the findings are left as they were. */
static double loss_at(demo *d, double h)
{
    landscape *l = &d->land;
    double *planes[N_PLANES] = { l->g11, l->g12, l->g22, l->b1, l->b2 };
    const zm_problem problem = landscape_problem(l);
    double *saved = malloc(l->n * (N_PLANES + 1) * sizeof *saved), *T, loss = NAN;

    if (!saved)
        return NAN;
    T = saved + N_PLANES * l->n;
    for (int k = 0; k < N_PLANES; k++)
        memcpy(saved + (size_t)k * l->n, planes[k], l->n * sizeof *saved);
    for (int k = 0; k < N_PLANES; k++)
        for (size_t i = 0; i < l->n; i++)
            planes[k][i] += h * saved[i] * wave(i, k); /* saved[i] is g11 */
    if (zm_forward(d->solver, &problem, T, NULL, NULL, NULL) == ZM_OK)
        loss = T[village(d)];
    for (int k = 0; k < N_PLANES; k++)
        memcpy(planes[k], saved + (size_t)k * l->n, l->n * sizeof *saved);
    free(saved);
    return loss;
}

/* Prints the derivative in that direction both ways; true where they agree. */
static bool check_gradient(demo *d)
{
    const double h = 1e-6;
    double by_adjoint = 0.0, by_difference, error;

    for (int k = 0; k < N_PLANES; k++)
        for (size_t i = 0; i < d->land.n; i++)
            by_adjoint += d->gradient[k][i] * d->land.g11[i] * wave(i, k);
    by_difference = (loss_at(d, h) - loss_at(d, -h)) / (2.0 * h);
    error = fabs(by_adjoint - by_difference) / fabs(by_difference);
    printf("check      derivative along a direction in all five planes:\n"
           "           adjoint %.9f, finite difference %.9f, off by %.1e\n",
           by_adjoint, by_difference, error);
    return error < 1e-5;
}

static void report(const demo *d)
{
    const double n = (double)d->land.n;

    printf("landscape  %d x %d cells of %.0f m, %.0f x %.0f km\n", ROWS, COLS,
           1000.0 * d->land.grid.dx, COLS * d->land.grid.dx, ROWS * d->land.grid.dy);
    printf("forward    %.2f ms, %.1f ns a node: the stencils adapt to the anisotropy\n",
           1e3 * d->seconds_forward, 1e9 * d->seconds_forward / n);
    printf("backward   %.2f ms, %.1f ns a node: derivatives with respect to %d numbers\n",
           1e3 * d->seconds_backward, 1e9 * d->seconds_backward / n,
           N_PLANES * (int)d->land.n);
    printf("village    reached after %.3f h\n", d->found.T[village(d)]);
}

static zm_status draw(demo *d, const char *folder, picture_size size)
{
    for (int i = 0; i < N_PICTURES; i++) {
        char path[1024];
        zm_status status;

        snprintf(path, sizeof path, "%s/%s", folder, picture_name(i));
        status = picture_draw(i, &d->land, &d->found, size, path, &d->err);
        if (status != ZM_OK)
            return status;
        printf("picture    %s\n", path);
    }
    return ZM_OK;
}

static zm_status write_page(demo *d, const char *folder)
{
    char path[1024];
    zm_status status;

    snprintf(path, sizeof path, "%s/page.html", folder);
    status = page_write(&d->land, &d->found, path, &d->err);
    if (status == ZM_OK)
        printf("page       %s: open it in a browser; it solves again while the camp is dragged\n",
               path);
    else if (status == ZM_E_UNSUPPORTED)
        printf("page       left out: built without zermelo view (Debian: clang lld wasi-libc "
               "libclang-rt-dev-wasm32 esbuild zlib1g-dev)\n");
    return status == ZM_E_UNSUPPORTED ? ZM_OK : status;
}

static void finish(demo *d)
{
    zm_solver_destroy(d->solver);
    landscape_free(&d->land);
    free(d->found.T);
    free(d->found.delay);
    free(d->found.codes);
    free(d->dL_dT);
    for (int k = 0; k < N_PLANES; k++)
        free(d->gradient[k]);
}

int main(int argc, char **argv)
{
    const picture_size size = { argc > 2 ? atof(argv[2]) : 620.0,
                                argc > 3 ? atof(argv[3]) : 2.0 };
    demo d = { 0 };
    zm_status status = prepare(&d);
    bool agrees = true;

    if (status == ZM_OK)
        status = solve(&d);
    if (status == ZM_OK)
        status = differentiate(&d);
    if (status == ZM_OK) {
        report(&d);
        agrees = check_gradient(&d);
        convert_to_delay(&d);
        status = draw(&d, argc > 1 ? argv[1] : ".", size);
        if (status == ZM_OK)
            status = write_page(&d, argc > 1 ? argv[1] : ".");
    }
    if (status != ZM_OK)
        fprintf(stderr, "demo: %s\n", d.err.text);
    finish(&d);
    return status != ZM_OK || !agrees;
}
