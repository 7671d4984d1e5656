/* SPDX-License-Identifier: Apache-2.0
 * The steps of a fire whose perimeters come in one by one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "common/value.h"
#include "fire/folders.h"
#include "fire/forecast.h"
#include "zermelo/fire/forecast_file.h"

int tracked_open(tracked_fire *t, const forecast_settings *s, const char *folder,
                 const char *out)
{
    size_t n;

    *t = (tracked_fire){ .s = s, .name = last_name(folder) };
    TRY(observed_open(&s->model, folder, &t->observed));
    zm_observed_perimeters(t->observed, &n);
    TRY(model_prepare(&t->model, zm_observed_landscape(t->observed), &s->model));
    t->cells = (size_t)t->model.land.rows * (size_t)t->model.land.cols;
    if (!zm_observed_has_start(t->observed))
        return DONE;
    t->dated =
        (zm_dated_fire){ zm_observed_fire(t->observed), zm_observed_masks(t->observed),
                         zm_observed_hours(t->observed), n };
    t->states = grow(NULL, n, sizeof *t->states);
    if (!out)
        return DONE;
    t->out = path_in(out, "");
    t->out[strlen(t->out) - 1] = '\0';
    return make_folder(t->out);
}

void tracked_close(tracked_fire *t)
{
    model_free(&t->model);
    zm_observed_close(t->observed);
    free(t->states);
    free(t->name);
    free(t->out);
}

static char *step_path(const tracked_fire *t, const char *what, size_t number,
                       const char *ending)
{
    char name[64];

    snprintf(name, sizeof name, "%s-%02zu.%s", what, number, ending);
    return path_in(t->out, name);
}

/* Whether the state after date k is in its file, made from the same inputs.  A file that cannot be read
 * is said to be made anew. */
static bool take_up(tracked_fire *t, const char *path, size_t k, uint64_t inputs)
{
    uint64_t found = 0;
    zm_error err;
    char *name = last_name(path);
    const bool there = has_file(t->out, name);

    free(name);
    t->states[k].size = sizeof t->states[k];
    if (!there)
        return false;
    if (zm_fire_state_read(path, &t->states[k], &found, &err) < 0) {
        warning("%s; it is made anew", err.text);
        return false;
    }
    return found == inputs;
}

static int stop_when_asked(void *ctx, double share)
{
    (void)ctx, (void)share;
    return interrupt_pending();
}

static zm_forecast_opts opts_of(const forecast_settings *s)
{
    zm_forecast_opts o = ZM_FORECAST_OPTS_INIT;

    if (s->draws)
        o.draws = s->draws;
    o.seed = s->seed;
    o.progress = stop_when_asked;
    return o;
}

static int asked_or_failed(const zm_error *err)
{
    return interrupt_pending()
               ? interrupt_status("stopped; steps that are done are kept")
               : library_failure(err);
}

static int make_state(tracked_fire *t, size_t k, const zm_growth_prior *prior)
{
    const zm_forecast_opts opts = opts_of(t->s);
    zm_fire_state *s = &t->states[k];
    zm_error err;

    s->size = sizeof *s;
    if (k == 0)
        return checked(
            zm_fire_state_begin(s, &t->model.land, t->dated.masks[0], prior, &err),
            &err);
    *s = t->states[k - 1];
    if (zm_fire_state_update(s, &t->model.land, &t->dated, k, prior, &t->model.opts,
                             &opts, &err) < 0)
        return asked_or_failed(&err);
    return DONE;
}

int tracked_update(tracked_fire *t, const zm_growth_prior *prior)
{
    const zm_forecast_opts opts = opts_of(t->s);

    t->resumed = 0;
    for (size_t k = 0; k < t->dated.n; k++) {
        const uint64_t inputs = zm_fire_state_inputs(&t->model.land, &t->dated, k,
                                                     prior, &t->model.opts, &opts);
        char *path = t->out ? step_path(t, "state", k + 1, "json") : NULL;
        zm_error err;
        int code = DONE;

        if (path && take_up(t, path, k, inputs))
            t->resumed++;
        else {
            code = make_state(t, k, prior);
            if (code == DONE && path)
                code = checked(zm_fire_state_write(path, &t->states[k], inputs, &err),
                               &err);
        }
        free(path);
        TRY(code);
    }
    return DONE;
}

int tracked_case(const tracked_fire *t, size_t k, double until,
                 const zm_growth_prior *prior, zm_growth_case **out)
{
    const zm_forecast_opts opts = opts_of(t->s);
    const bool next = isnan(until);
    zm_error err;

    if (zm_growth_case_create(&t->model.land, &t->dated, k,
                              next ? t->dated.hours[k + 1] : until,
                              next ? t->dated.masks[k + 1] : NULL, &t->states[k], prior,
                              &t->model.opts, &opts, out, &err) < 0)
        return asked_or_failed(&err);
    return DONE;
}

static int score(const tracked_fire *t, size_t k, const float *p, zm_growth_score *out)
{
    const zm_landscape *land = &t->model.land;
    zm_error err;

    out->size = sizeof *out;
    return checked(zm_score_growth(t->dated.masks[k], t->dated.masks[k + 1], p,
                                   land->rows, land->cols, land->cell, ZM_GROWTH_WINDOW,
                                   out, &err),
                   &err);
}

int tracked_score(const tracked_fire *t, size_t k, const zm_growth_case *c,
                  const zm_growth_prior *prior, scored_forecast *out)
{
    float *p = grow(NULL, 2 * t->cells, sizeof *p);
    size_t n;
    zm_error err;
    int code;

    *out = (scored_forecast){ .fire = t->name, .area = ZM_GROWTH_AREA_INIT };
    snprintf(out->date, sizeof out->date, "%s",
             zm_observed_perimeters(t->observed, &n)[k + 1].observed);
    GO(checked(zm_growth_forecast(c, prior, p, p + t->cells, &out->area, &err), &err));
    GO(score(t, k, p, &out->model));
    GO(score(t, k, p + t->cells, &out->buffer));
done:
    free(p);
    return code;
}

int tracked_save(const tracked_fire *t, size_t number, const zm_growth_case *c,
                 const zm_growth_prior *prior, zm_growth_area *area)
{
    static const char *const bands[] = { "burn_probability",
                                         "burn_probability_buffer" };
    float *p = grow(NULL, 2 * t->cells, sizeof *p);
    const float *const planes[] = { p, p + t->cells };
    char file[32];
    zm_error err;
    int code;

    area->size = sizeof *area;
    snprintf(file, sizeof file, "growth-%02zu.tif", number);
    GO(checked(zm_growth_forecast(c, prior, p, p + t->cells, area, &err), &err));
    GO(planes_save(t->out, file, &t->model.land, zm_observed_georeference(t->observed),
                   2, planes, bands));
done:
    free(p);
    return code;
}
