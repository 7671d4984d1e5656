/* SPDX-License-Identifier: Apache-2.0
 * What can be said about an array file. */
#include "array_info.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "inputs.h"
#include "message.h"

static const range empty_range = { HUGE_VAL, -HUGE_VAL };

static void widen(range *r, double x)
{
    r->min = x < r->min ? x : r->min;
    r->max = x > r->max ? x : r->max;
}

static void summarise(array_info *info, const double *x)
{
    range r = empty_range;
    double mean = 0;

    for (size_t i = 0; i < info->head.count; i++) {
        if (isfinite(x[i])) {
            info->finite++;
            mean += (x[i] - mean) / (double)info->finite; /* never overflows */
            widen(&r, x[i]);
        }
    }
    info->min = info->finite ? r.min : (double)NAN;
    info->max = info->finite ? r.max : (double)NAN;
    info->mean = info->finite ? mean : (double)NAN;
}

/* Eigenvalues of [[g11, g12], [g12, g22]]: mean +- radius; the smaller one as det/larger,
 * which does not cancel. */
static void add_cell(metric_info *m, double g11, double g12, double g22)
{
    const double larger = (g11 + g22) / 2 + hypot((g11 - g22) / 2, g12);
    const double smaller = (g11 * g22 - g12 * g12) / larger;

    widen(&m->eigenvalues, smaller);
    widen(&m->eigenvalues, larger);
    widen(&m->anisotropy, larger / smaller);
}

/* |b|_{G^-1} = sqrt((b1^2 + (g11 b2 - g12 b1)^2 / det) / g11) */
static double drift_norm(double g11, double g12, double g22, double b1, double b2)
{
    const double u = g11 * b2 - g12 * b1, det = g11 * g22 - g12 * g12;

    return sqrt((b1 * b1 + u * u / det) / g11);
}

/* Planes of a metric file; g12 is NULL for G = g I. */
typedef struct planes {
    const double *g11, *g12, *g22, *b1, *b2;
} planes;

static void look_at_cells(metric_info *m, size_t n, const planes *p)
{
    const zm_grid single = { 1, 1, 1, 1 };

    for (size_t i = 0; i < n; i++) {
        const double g11 = p->g11[i], g12 = p->g12 ? p->g12[i] : 0, g22 = p->g22[i];
        const zm_problem one = { .size = sizeof(zm_problem),
                                 .metric = { ZM_F64, &g11, &g12, &g22, NULL, NULL } };

        if (zm_problem_check(single, &one, NULL) < 0) {
            m->bad_cells++;
            continue;
        }
        add_cell(m, g11, g12, g22);
        if (p->b1)
            widen(&m->drift_norm, drift_norm(g11, g12, g22, p->b1[i], p->b2[i]));
    }
}

static int check_drift_shape(const size_t sides[2], const char *path,
                             const zm_npy *drift)
{
    const size_t wanted[3] = { 2, sides[0], sides[1] };

    if (drift->ndim != 3 || memcmp(drift->shape, wanted, sizeof wanted) != 0)
        return failure("--drift has shape %s, must be %s to fit the metric %s",
                       shape_of(drift->ndim, drift->shape).text,
                       shape_of(3, wanted).text, path);
    return DONE;
}

static planes planes_of(const zm_npy *a, const zm_npy *drift, size_t n)
{
    const double *g = a->data, *b = drift ? drift->data : NULL;
    const bool isotropic = a->ndim == 2;

    return (planes){ .g11 = g,
                     .g12 = isotropic ? NULL : g + n,
                     .g22 = isotropic ? g : g + 2 * n,
                     .b1 = b,
                     .b2 = b ? b + n : NULL };
}

static void find_first_bad(metric_info *m, const size_t sides[2], const planes *p)
{
    const zm_problem problem = { .size = sizeof(zm_problem),
                                 .metric = { ZM_F64, p->g11, p->g12, p->g22, p->b1,
                                             p->b2 } };
    const zm_grid grid = { (int32_t)sides[0], (int32_t)sides[1], 1, 1 };
    zm_error err;

    if (sides[0] <= INT32_MAX && sides[1] <= INT32_MAX &&
        zm_problem_check(grid, &problem, &err) < 0)
        memcpy(m->first_bad, err.text, sizeof m->first_bad);
}

static int look_as_metric(array_info *info, const zm_npy *a, const char *drift_path,
                          const zm_npy *drift)
{
    const size_t *sides = a->shape + (a->ndim == 3);
    const size_t n = sides[0] * sides[1];
    metric_info *m = &info->metric;
    planes p;

    info->is_metric = a->count > 0 && ((a->ndim == 3 && a->shape[0] == 3) ||
                                       (a->ndim == 2 && drift != NULL));
    if (!info->is_metric)
        return DONE;
    if (drift && check_drift_shape(sides, info->path, drift) != DONE)
        return FAILED;
    *m = (metric_info){ .cells = n,
                        .eigenvalues = empty_range,
                        .anisotropy = empty_range,
                        .drift_norm = empty_range,
                        .drift = drift_path };
    p = planes_of(a, drift, n);
    look_at_cells(m, n, &p);
    find_first_bad(m, sides, &p);
    return DONE;
}

int array_info_read(array_info *info, const char *path, const char *drift_path,
                    const zm_npy *drift)
{
    zm_npy a;
    zm_error err;
    int code;

    *info = (array_info){ .path = path };
    if (zm_npy_read(path, ZM_NPY_F64, &a, &err) < 0)
        return failure("cannot read %s", err.text);
    info->head = a;
    info->head.data = NULL;
    summarise(info, a.data);
    code = look_as_metric(info, &a, drift_path, drift);
    zm_npy_free(&a);
    return code;
}

/* "float64" for "<f8" */
static const char *type_name(const zm_npy *a, char text[16])
{
    const char *kind = a->descr[1] == 'f'   ? "float"
                       : a->descr[1] == 'i' ? "int"
                                            : "uint";

    if (a->descr[1] == 'b')
        return "bool";
    snprintf(text, 16, "%s%d", kind, 8 * (a->descr[2] - '0'));
    return text;
}

static void print_metric(const metric_info *m)
{
    if (m->bad_cells)
        printf("  metric: not positive definite in %zu of %zu cells\n", m->bad_cells,
               m->cells);
    else
        printf("  metric: positive definite\n");
    if (m->bad_cells < m->cells)
        printf("  eigenvalues %g to %g, anisotropy %g to %g\n", m->eigenvalues.min,
               m->eigenvalues.max, m->anisotropy.min, m->anisotropy.max);
    if (m->drift && m->bad_cells < m->cells)
        printf("  drift norm %g to %g with %s: %s\n", m->drift_norm.min,
               m->drift_norm.max, printable(m->drift).text,
               *m->first_bad ? "not feasible" : "feasible, below 1");
    if (*m->first_bad)
        printf("  first: %s\n", printable(m->first_bad).text);
}

void array_info_print(const array_info *info)
{
    const zm_npy *a = &info->head;
    char type[16];

    printf("%s: %s %s%s%s\n", printable(info->path).text,
           shape_of(a->ndim, a->shape).text, type_name(a, type),
           a->descr[0] == '>' ? ", big-endian" : "",
           a->fortran_order ? ", Fortran order" : "");
    if (info->finite)
        printf("  %g to %g, mean %g\n", info->min, info->max, info->mean);
    if (info->finite < a->count)
        printf("  not finite: %zu of %zu\n", a->count - info->finite, a->count);
    if (info->is_metric)
        print_metric(&info->metric);
}

static void range_json(const char *key, range r, json *j)
{
    json_open(j, key, '[');
    json_number(j, NULL, r.min);
    json_number(j, NULL, r.max);
    json_close(j, ']');
}

static void metric_json(const metric_info *m, json *j)
{
    json_bool(j, "positive_definite", m->bad_cells == 0);
    json_int(j, "bad_cells", (int64_t)m->bad_cells);
    range_json("eigenvalues", m->eigenvalues, j);
    range_json("anisotropy", m->anisotropy, j);
    if (m->drift) {
        range_json("drift_norm", m->drift_norm, j);
        json_bool(j, "feasible", !*m->first_bad);
    }
    if (*m->first_bad)
        json_text(j, "first_bad", m->first_bad);
}

void array_info_json(const array_info *info, json *j)
{
    const zm_npy *a = &info->head;
    char type[16];

    json_open(j, NULL, '{');
    json_text(j, "file", info->path);
    json_open(j, "shape", '[');
    for (int32_t d = 0; d < a->ndim; d++)
        json_int(j, NULL, (int64_t)a->shape[d]);
    json_close(j, ']');
    json_text(j, "dtype", type_name(a, type));
    json_bool(j, "fortran_order", a->fortran_order);
    json_int(j, "not_finite", (int64_t)(a->count - info->finite));
    json_number(j, "min", info->min);
    json_number(j, "max", info->max);
    json_number(j, "mean", info->mean);
    if (info->is_metric)
        metric_json(&info->metric, j);
    json_close(j, '}');
}
