/* SPDX-License-Identifier: Apache-2.0
 * Forecasts of the later dates of observed fires, fitted to the earlier ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/value.h"
#include "fire/calibrate.h"
#include "fire/folders.h"

/** A fire whose later dates are forecast. */
typedef struct test_fire {
    const calibrate_settings *s;
    zm_observed *observed;
    fire_model model;
    const zm_perimeter *perimeters;
    zm_dated_fire dated;
    size_t known; /* the first date that is forecast */
} test_fire;

static void test_fire_close(test_fire *f)
{
    model_free(&f->model);
    zm_observed_close(f->observed);
}

/* Opens a fire; f->dated.n is 0 where it has too few dates. */
static int test_fire_open(test_fire *f, const calibrate_settings *s, const char *folder)
{
    size_t n;

    *f = (test_fire){ .s = s };
    TRY(observed_open(&s->model, folder, &f->observed));
    f->perimeters = zm_observed_perimeters(f->observed, &n);
    f->known = (size_t)(s->intervals ? s->intervals : 1) + 1;
    if (n <= f->known) {
        note("%s: left out, %zu dated perimeter%s and %zu needed", folder, n,
             n == 1 ? "" : "s", f->known + 1);
        return DONE;
    }
    f->dated =
        (zm_dated_fire){ zm_observed_fire(f->observed), zm_observed_masks(f->observed),
                         zm_observed_hours(f->observed), n };
    return model_prepare(&f->model, zm_observed_landscape(f->observed), &s->model);
}

/* The fits of all forecasts are counted: that of the first stands for both ways. */
static int forecast_fire(const test_fire *f, zm_date_forecast *d, zm_calibration *fits,
                         fit_count *count)
{
    const zm_calibrate_opts opts = calibrate_opts_of(f->s);
    zm_error err;

    if (zm_forecast_dates(&f->model.land, &f->dated, f->known, f->s->restart, d, fits,
                          &f->model.opts, &opts, &err) < 0)
        return interrupt_pending() ? interrupt_check() : library_failure(&err);
    fits_add(count, &fits[f->known]);
    for (size_t k = f->known; f->s->restart && k < f->dated.n; k++)
        fits_add(count, &fits[k]);
    return DONE;
}

/** Means of the fires so far. */
typedef struct means {
    zm_date_forecast *items;
    size_t n;
} means;

static void print_row(const calibrate_settings *s, const char *fire, const char *date,
                      const zm_date_forecast *d)
{
    printf("%-16s %8s  %8.3f %8.3f %9.3f", printable(fire).text, date, d->first.model,
           d->first.fitted, d->first.no_growth);
    if (s->restart)
        printf("   %8.3f %8.3f %9.3f", d->restart.model, d->restart.fitted,
               d->restart.no_growth);
    printf("\n");
}

static void forecast_json(json *j, const char *key, const zm_forecast *f)
{
    json_open(j, key, '{');
    json_number(j, "model", f->model);
    json_number(j, "fitted", f->fitted);
    json_number(j, "no_growth", f->no_growth);
    json_close(j, '}');
}

/* Both forecasts as members of the open object. */
static void forecasts_json(const calibrate_settings *s, json *j,
                           const zm_date_forecast *d)
{
    forecast_json(j, "from_the_first_perimeter", &d->first);
    if (s->restart)
        forecast_json(j, "from_the_perimeter_before", &d->restart);
}

/* Rows and JSON of a fire; its means into `of_all`. */
static void tell_fire(const test_fire *f, const char *name, const zm_calibration *c,
                      const zm_date_forecast *d, bool table, json *j, means *of_all)
{
    const zm_date_forecast mean = zm_forecast_mean(d + f->known, f->dated.n - f->known);

    json_open(j, NULL, '{');
    json_text(j, "fire", name);
    calibration_json(c, j);
    json_open(j, "dates", '[');
    for (size_t k = f->known; k < f->dated.n; k++) {
        const double hours = f->dated.hours[k];
        char date[16];

        snprintf(date, sizeof date, "%.0f h", hours);
        if (table)
            print_row(f->s, name, date, &d[k]);
        json_open(j, NULL, '{');
        json_text(j, "observed", f->perimeters[k].observed);
        json_number(j, "hours", hours);
        forecasts_json(f->s, j, &d[k]);
        json_close(j, '}');
    }
    fflush(stdout);
    json_close(j, ']');
    forecasts_json(f->s, j, &mean);
    json_close(j, '}');
    of_all->items = grow(of_all->items, of_all->n + 1, sizeof *of_all->items);
    of_all->items[of_all->n++] = mean;
}

static int test_one(const calibrate_settings *s, const char *folder, bool table,
                    json *j, means *of_all, fit_count *count)
{
    char *name = last_name(folder);
    zm_calibration *fits = NULL;
    zm_date_forecast *d = NULL;
    test_fire f;
    int code;

    GO(test_fire_open(&f, s, folder));
    if (f.dated.n) {
        d = grow(NULL, f.dated.n, sizeof *d);
        fits = grow(NULL, f.dated.n, sizeof *fits);
        fits->size = sizeof *fits;
        GO(forecast_fire(&f, d, fits, count));
        tell_fire(&f, name, &fits[f.known], d, table, j, of_all);
    }
done:
    free(name);
    free(d);
    free(fits);
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
    for (size_t i = 0; i < list->n; i++) {
        char *folder = path_in(s->observed, list->items[i]);
        int code = interrupt_check();

        if (code == DONE)
            code = test_one(s, folder, table, j, all, fits);
        free(folder);
        if (code == FAILED && list->n > 1)
            ++*failed;
        else
            TRY(code);
    }
    return DONE;
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
    zm_date_forecast mean;
    fit_count fits = { 0 };
    json j = { 0 };
    int code;

    if (list.n == 0)
        GO(failure("%s: no observed fire in it, that is no folder with landscape.tif",
                   s->observed));
    json_open(&j, NULL, '{');
    json_open(&j, "fires", '[');
    if (table)
        print_head(s);
    GO(test_fires(s, &list, table, &j, &all, &fits, &failed));
    json_close(&j, ']');
    fits_tell(&fits);
    if (failed == list.n)
        GO(failure("none of %zu fires could be forecast", list.n));
    if (all.n == 0)
        GO(failure("%s: no fire with enough dated perimeters", s->observed));
    mean = zm_forecast_mean(all.items, all.n);
    forecasts_json(s, &j, &mean);
    fits_json(&fits, &j);
    json_close(&j, '}');
    if (table)
        print_row(s, "mean of fires", "", &mean);
    if (s->json)
        GO(json_save(&j, "--json ", s->json));
    if (failed)
        GO(failure("%zu of %zu fires failed and are not in the means", failed, list.n));
done:
    free(all.items);
    json_free(&j);
    names_free(&list);
    return code;
}
