/* SPDX-License-Identifier: Apache-2.0
 * Forecasts of the later dates of observed fires, fitted to the earlier ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fire/calibrate.h"
#include "fire/folders.h"
#include "common/interrupt.h"
#include "common/message.h"
#include "common/value.h"
#include "zermelo/fire/score.h"

/** IoU at a date: of the model as it is, of the fitted one, and of no growth at all since the
 *  last perimeter that was known. */
enum { AS_IS, FITTED, NO_GROWTH, WAYS };
typedef struct forecast {
    double iou[WAYS];
    double factor; /* of all fuels in the fit, or 1 */
} forecast;

/** A date that is forecast, from the beginning and from the date before. */
typedef struct test_date {
    double hours;
    const char *observed;
    forecast first, restart;
} test_date;

typedef struct test_fire {
    const calibrate_settings *s;
    zm_observed *observed;
    fire_model model;
    zm_physics *physics;
    const zm_perimeter *perimeters;
    const double *hours;
    size_t n, known,
        cells; /* dates; the first that is forecast; cells of the landscape */
    const uint8_t **masks;
    double *T;
    float *times;
    fit_count *fits;
} test_fire;

static void test_fire_close(test_fire *f)
{
    free(f->masks);
    free(f->T);
    free(f->times);
    zm_physics_destroy(f->physics);
    model_free(&f->model);
    zm_observed_close(f->observed);
}

/* Opens a fire; f->n is 0 where it has too few dates. */
static int test_fire_open(test_fire *f, const calibrate_settings *s, const char *folder,
                          fit_count *fits)
{
    const zm_landscape *land;
    zm_error err;
    int code;

    *f = (test_fire){ .s = s, .fits = fits };
    code = observed_open(&s->model, folder, &f->observed);
    if (code != DONE)
        return code;
    land = zm_observed_landscape(f->observed);
    f->cells = (size_t)land->rows * (size_t)land->cols;
    f->perimeters = zm_observed_perimeters(f->observed, &f->n);
    f->hours = zm_observed_hours(f->observed);
    f->known = (size_t)(s->intervals ? s->intervals : 1) + 1;
    if (f->n <= f->known) {
        note("%s: left out, %zu dated perimeter%s and %zu needed", folder, f->n,
             f->n == 1 ? "" : "s", f->known + 1);
        f->n = 0;
        return DONE;
    }
    code = model_prepare(&f->model, land, &s->model);
    if (code == DONE &&
        zm_physics_create(&f->physics, &f->model.land, &f->model.opts, &err) < 0)
        code = library_failure(&err);
    f->masks = grow(NULL, f->n, sizeof *f->masks);
    f->T = grow(NULL, f->cells, sizeof *f->T);
    f->times = grow(NULL, f->cells, sizeof *f->times);
    for (size_t k = 0; k < f->n; k++)
        f->masks[k] = f->perimeters[k].mask;
    return code;
}

/* The cells of date k as sources at its time; to be freed. */
static zm_source *sources_at(const test_fire *f, size_t k, size_t *n)
{
    const size_t cols = (size_t)f->model.land.cols;
    zm_source *sources = grow(NULL, f->cells, sizeof *sources);

    *n = 0;
    for (size_t i = 0; i < f->cells; i++)
        if (f->masks[k][i])
            sources[(*n)++] =
                (zm_source){ (double)(i / cols), (double)(i % cols), f->hours[k] };
    return sources;
}

/* Interval from date k - 1 to date k as evidence; its arrays are to be freed. */
static zm_fire_evidence evidence_of(const test_fire *f, size_t k)
{
    float *both = grow(NULL, 2 * f->cells, sizeof *both);
    size_t n;
    const zm_source *sources = sources_at(f, k - 1, &n);

    for (size_t i = 0; i < f->cells; i++) {
        const bool before = f->masks[k - 1][i], burned = f->masks[k][i];

        both[i] = before ? NAN : (float)f->hours[burned ? k - 1 : k];
        both[f->cells + i] = before ? NAN : burned ? (float)f->hours[k] : INFINITY;
    }
    return (zm_fire_evidence){ .fire = zm_observed_fire(f->observed),
                               .sources = sources,
                               .n_sources = n,
                               .earliest = both,
                               .latest = both + f->cells,
                               .begin = f->hours[k - 1],
                               .duration = f->hours[k] };
}

/* Fits the intervals up to date `last`. */
static int fit(const test_fire *f, size_t last, zm_calibration *c)
{
    zm_calibrate_opts opts = calibrate_opts_of(f->s);
    zm_fire_evidence *e = grow(NULL, last, sizeof *e);
    zm_error err;
    zm_status st;

    for (size_t k = 1; k <= last; k++)
        e[k - 1] = evidence_of(f, k);
    st = zm_calibrate(&f->model.land, &f->model.opts, e, last, &opts, c, &err);
    for (size_t k = 0; k < last; k++) {
        free((void *)(uintptr_t)e[k].earliest);
        free((void *)(uintptr_t)e[k].sources);
    }
    free(e);
    if (st < 0)
        return interrupt_pending() ? interrupt_check() : library_failure(&err);
    fits_add(f->fits, c);
    return DONE;
}

/* IoU at dates up to `to` of the fire that goes on from date `from`; c NULL: the model as it
 * is. */
static int burn(test_fire *f, size_t from, size_t to, const zm_calibration *c,
                double *iou)
{
    zm_physics_params params = ZM_PHYSICS_PARAMS_INIT;
    size_t n;
    zm_source *sources = sources_at(f, from, &n);
    const double end = f->hours[to];
    zm_observed_score score;
    zm_error err;
    int code = DONE;

    if (c) {
        params.wind_factor = c->wind_factor;
        params.moisture_offset = c->moisture_offset;
        params.fuel_factor = c->fuel_factor;
    }
    if (zm_physics_set_fire(f->physics, zm_observed_fire(f->observed), &params, end,
                            &err) < 0 ||
        zm_physics_arrival(f->physics, sources, n, end, f->T, &err) < 0)
        code = library_failure(&err);
    free(sources);
    if (code != DONE)
        return code;
    for (size_t i = 0; i < f->cells; i++)
        f->times[i] = (float)f->T[i];
    return zm_score_observed(f->masks, f->hours, f->n, 1, f->times, f->cells, iou,
                             &score, &err) < 0
               ? library_failure(&err)
               : DONE;
}

static double overlap(const uint8_t *a, const uint8_t *b, size_t n)
{
    size_t both = 0, either = 0;

    for (size_t i = 0; i < n; i++) {
        both += a[i] && b[i];
        either += a[i] || b[i];
    }
    return either ? (double)both / (double)either : (double)NAN;
}

/* Forecasts from date `from` on with what is known up to date `last`; d has the dates. */
static int forecast_from(test_fire *f, size_t from, size_t last,
                         const zm_calibration *c, double *iou, bool again, test_date *d)
{
    for (int way = AS_IS; way <= FITTED; way++) {
        const int code =
            burn(f, from, again ? last + 1 : f->n - 1, way == FITTED ? c : NULL, iou);

        if (code != DONE)
            return code;
        for (size_t k = last + 1; k < f->n; k++) {
            forecast *to = again ? &d[k].restart : &d[k].first;

            if (again && k > last + 1)
                break;
            to->iou[way] = iou[k];
            to->factor = c->rate_factor;
            to->iou[NO_GROWTH] = overlap(f->masks[last], f->masks[k], f->cells);
        }
    }
    return DONE;
}

static int forecast_fire(test_fire *f, zm_calibration *c, test_date *d)
{
    double *iou = grow(NULL, f->n, sizeof *iou);
    zm_calibration *later = grow(NULL, 1, sizeof *later);
    int code = fit(f, f->known - 1, c);

    for (size_t k = 0; k < f->n; k++)
        d[k] =
            (test_date){ .hours = f->hours[k], .observed = f->perimeters[k].observed };
    if (code == DONE)
        code = forecast_from(f, 0, f->known - 1, c, iou, false, d);
    for (size_t k = f->known; f->s->restart && code == DONE && k < f->n; k++) {
        code = interrupt_check();
        if (code == DONE)
            code = fit(f, k - 1, later);
        if (code == DONE)
            code = forecast_from(f, k - 1, k - 1, later, iou, true, d);
    }
    free(later);
    free(iou);
    return code;
}

/** Sums of means: over the dates of a fire, over fires. */
typedef struct means {
    double first[WAYS], restart[WAYS];
    size_t n;
} means;

static void means_add(means *m, const double first[WAYS], const double restart[WAYS])
{
    for (int w = 0; w < WAYS; w++) {
        m->first[w] += first[w];
        m->restart[w] += restart[w];
    }
    m->n++;
}

static void means_end(means *m)
{
    for (int w = 0; m->n && w < WAYS; w++) {
        m->first[w] /= (double)m->n;
        m->restart[w] /= (double)m->n;
    }
}

static void print_row(const calibrate_settings *s, const char *fire, const char *date,
                      const double first[WAYS], const double restart[WAYS])
{
    printf("%-16s %8s  %8.3f %8.3f %9.3f", fire, date, first[AS_IS], first[FITTED],
           first[NO_GROWTH]);
    if (s->restart)
        printf("   %8.3f %8.3f %9.3f", restart[AS_IS], restart[FITTED],
               restart[NO_GROWTH]);
    printf("\n");
}

static void forecast_json(json *j, const char *key, const double iou[WAYS])
{
    static const char *const label[WAYS] = { "model", "fitted", "no_growth" };

    json_open(j, key, '{');
    for (int w = 0; w < WAYS; w++)
        json_number(j, label[w], iou[w]);
    json_close(j, '}');
}

static void tell_means(const calibrate_settings *s, const means *m, json *j)
{
    forecast_json(j, "from_the_first_perimeter", m->first);
    if (s->restart)
        forecast_json(j, "from_the_perimeter_before", m->restart);
}

/* Rows and JSON of a fire; its means into `of_all`. */
static void tell_fire(const test_fire *f, const char *name, const zm_calibration *c,
                      const test_date *d, bool table, json *j, means *of_all)
{
    means m = { 0 };

    json_open(j, NULL, '{');
    json_text(j, "fire", name);
    calibration_json(c, j);
    json_open(j, "dates", '[');
    for (size_t k = f->known; k < f->n; k++) {
        char date[16];

        snprintf(date, sizeof date, "%.0f h", d[k].hours);
        if (table)
            print_row(f->s, name, date, d[k].first.iou, d[k].restart.iou);
        json_open(j, NULL, '{');
        json_text(j, "observed", d[k].observed);
        json_number(j, "hours", d[k].hours);
        forecast_json(j, "from_the_first_perimeter", d[k].first.iou);
        if (f->s->restart)
            forecast_json(j, "from_the_perimeter_before", d[k].restart.iou);
        json_close(j, '}');
        means_add(&m, d[k].first.iou, d[k].restart.iou);
    }
    fflush(stdout);
    json_close(j, ']');
    means_end(&m);
    tell_means(f->s, &m, j);
    json_close(j, '}');
    means_add(of_all, m.first, m.restart);
}

static int test_one(const calibrate_settings *s, const char *folder, bool table,
                    json *j, means *of_all, fit_count *fits)
{
    char *name = last_name(folder);
    zm_calibration *c = grow(NULL, 1, sizeof *c);
    test_date *d = NULL;
    test_fire f;
    int code = test_fire_open(&f, s, folder, fits);

    if (code == DONE && f.n) {
        d = grow(NULL, f.n, sizeof *d);
        code = forecast_fire(&f, c, d);
        if (code == DONE)
            tell_fire(&f, name, c, d, table, j, of_all);
    }
    free(name);
    free(d);
    free(c);
    test_fire_close(&f);
    return code;
}

static void print_head(const calibrate_settings *s)
{
    if (s->restart)
        printf("%-16s %8s  %-27s   %s\n", "", "", "from the first perimeter",
               "from the perimeter before");
    printf("%-16s %8s  %8s %8s %9s", "fire", "date", "model", "fitted", "no growth");
    if (s->restart)
        printf("   %8s %8s %9s", "model", "fitted", "no growth");
    printf("\n");
}

/* Every fire of the list; one that fails leaves the others be. */
static int test_fires(const calibrate_settings *s, const names *list, bool table,
                      json *j, means *all, fit_count *fits, size_t *failed)
{
    int code = DONE;

    for (size_t i = 0; code == DONE && i < list->n; i++) {
        char *folder = path_in(s->observed, list->items[i]);

        code = interrupt_check();
        if (code == DONE)
            code = test_one(s, folder, table, j, all, fits);
        if (code == FAILED && list->n > 1) {
            ++*failed;
            code = DONE;
        }
        free(folder);
    }
    return code;
}

names observed_fires_in(const char *folder)
{
    names list = { 0 };

    if (!has_file(folder, "landscape.tif"))
        return folders_with(folder, "landscape.tif");
    names_add(&list, "");
    return list;
}

int calibrate_test(const calibrate_settings *s)
{
    const bool table = !s->json || strcmp(s->json, "-") != 0;
    names list = observed_fires_in(s->observed);
    size_t failed = 0;
    means all = { 0 };
    fit_count fits = { 0 };
    json j = { 0 };
    int code = DONE;

    if (list.n == 0)
        code =
            failure("%s: no observed fire in it, that is no folder with landscape.tif",
                    s->observed);
    json_open(&j, NULL, '{');
    json_open(&j, "fires", '[');
    if (code == DONE && table)
        print_head(s);
    if (code == DONE)
        code = test_fires(s, &list, table, &j, &all, &fits, &failed);
    json_close(&j, ']');
    means_end(&all);
    tell_means(s, &all, &j);
    fits_json(&fits, &j);
    json_close(&j, '}');
    if (code == DONE)
        fits_tell(&fits);
    if (code == DONE && failed == list.n)
        code = failure("none of %zu fires could be forecast", list.n);
    if (code == DONE && all.n == 0)
        code = failure("%s: no fire with enough dated perimeters", s->observed);
    if (code == DONE && table)
        print_row(s, "mean of fires", "", all.first, all.restart);
    if (code == DONE && s->json)
        code = json_save(&j, "--json ", s->json);
    else
        json_free(&j);
    if (code == DONE && failed)
        code =
            failure("%zu of %zu fires failed and are not in the means", failed, list.n);
    names_free(&list);
    return code;
}
