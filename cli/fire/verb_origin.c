/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire origin: where and when a fire began, from its perimeters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/json.h"
#include "common/message.h"
#include "common/value.h"
#include "fire/choose_fires.h"
#include "fire/folders.h"
#include "fire/physics_model.h"
#include "fire/rows.h"
#include "fire/verbs.h"
#include "zermelo/fire/origin.h"

typedef struct origin_settings {
    model_settings model;
    const char *scene, *observed, *fire, *split, *out, *json;
    number_list shares;
    double before, rate_spread;
    int32_t most, threads;
    bool quiet;
} origin_settings;

#define FIELD(name) offsetof(origin_settings, name)

static bool parse_shares(const char *text, void *field)
{
    number_list *list = field;

    if (!parse_positive_list(text, list))
        return false;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] > 1)
            return false;
    return true;
}

static const option origin_list[] = {
    OBSERVED_ROW("observed fire, whose dated perimeters tell where it began"),
    SCENE_ROW(
        "instead: a scene, whose fires are given their perimeters at --perimeters; "
        "tells how far the origins found are from the true ones"),
    FIRE_ROW("only this fire of the scene"),
    SPLIT_ROW("only fires of the scene with this word in the column split"),
    COUNT_ROW("most", most, "at most so many fires of the scene"),
    VALUE_ROW(
        "perimeters", "LIST", shares, parse_shares,
        "numbers above 0 and at most 1 with commas, e.g. 0.5,1",
        "shares of the duration at which fires of a scene are seen; default 0.5,1"),
    POSITIVE_ROW("before", "H", before,
                 "the fire began within so many hours before its first perimeter, of a "
                 "scene before its true start; default 24, of a scene 6"),
    POSITIVE_ROW("rate-spread", "S", rate_spread,
                 "standard deviation of what all times of the model may be multiplied "
                 "with; default 0.2, of observed fires 1"),
    TEXT_ROW("out", "DIR", out, "a folder",
             "folder for FIRE.origin.tif, the probability of each cell"),
    THREADS_ROW(threads, "default 1; does not change the result"),
    JSON_ROW("what was found as JSON; - is standard output"),
    QUIET_ROW("no messages"),
    { 0 }
};
static const option_table origin_options = { "Options", origin_list };

/** A fire whose origin is looked for: its clock begins `before` hours before the weather that is
 *  known. */
typedef struct suspect {
    const origin_settings *s;
    const char *name;
    const zm_georeference *where;
    fire_model model;
    zm_fire fire;
    zm_weather_hour *weather;
    double before, rate_spread;
    size_t cells;
    zm_sighting *sightings;
    size_t n;
    uint8_t *allowed;
    zm_origin_estimate found;
} suspect;

static void suspect_free(suspect *q)
{
    model_free(&q->model);
    free(q->weather);
    free(q->sightings);
    free(q->allowed);
}

/* Weather of the hours before: that of the same time of day later, of a scene that of its first hour. */
static void put_hours_before(suspect *q, const zm_fire *fire, bool same_time_of_day)
{
    const size_t n = (size_t)ceil(q->before);
    double clock = fire->start_hour - (double)n;

    q->before = (double)n;
    q->fire = *fire;
    q->weather = grow(NULL, n + fire->hours, sizeof *q->weather);
    for (size_t k = 0; k < n + fire->hours; k++) {
        size_t from = k < n ? 0 : k - n;

        if (k < n && same_time_of_day)
            from = (24 - (n - k) % 24) % 24;
        q->weather[k] = fire->weather[from < fire->hours ? from : fire->hours - 1];
    }
    while (clock < 0) {
        clock += 24;
        if (--q->fire.start_day < 1)
            q->fire.start_day =
                1; /* the sun of the first of a month, not of the last before */
    }
    q->fire.start_hour = clock;
    q->fire.weather = q->weather;
    q->fire.hours = n + fire->hours;
}

static void add_perimeter(suspect *q, const uint8_t *mask, double hour)
{
    q->sightings = grow(q->sightings, q->n + q->cells, sizeof *q->sightings);
    q->n += zm_perimeter_sightings(&q->model.land, mask, q->before + hour,
                                   q->sightings + q->n);
    if (q->allowed)
        return;
    q->allowed = grow(NULL, q->cells, 1);
    memcpy(q->allowed, mask, q->cells);
}

static int search(suspect *q, float *likely)
{
    zm_origin_opts opts = ZM_ORIGIN_OPTS_INIT;
    progress bar = progress_begin(q->s->quiet);
    zm_error err;
    zm_status st;

    opts.rate_spread = q->rate_spread;
    if (q->s->threads)
        opts.threads = q->s->threads;
    opts.progress = progress_step;
    opts.progress_ctx = &bar;
    bar.of = "the places";
    q->found.size = sizeof q->found;
    st = zm_origin_find(&q->model.land, &q->fire, q->sightings, q->n, q->allowed,
                        &q->model.opts, &opts, likely, &q->found, &err);
    progress_end(&bar);
    if (st == ZM_E_CANCELLED)
        return interrupt_status("stopped");
    return checked(st, &err);
}

static int find(suspect *q)
{
    float *likely = grow(NULL, q->cells, sizeof *likely);
    const float *const plane = likely;
    static const char *const band = "origin_probability";
    char *file = grow(NULL, strlen(q->name) + 16, 1);
    int code;

    sprintf(file, "%s.origin.tif", q->name);
    GO(search(q, likely));
    if (q->s->out) {
        GO(make_folder(q->s->out));
        GO(planes_save(q->s->out, file, &q->model.land, q->where, 1, &plane, &band));
    }
done:
    free(likely);
    free(file);
    return code;
}

static void tell(const suspect *q, json *j)
{
    const zm_origin_estimate *f = &q->found;
    double latitude = NAN, longitude = NAN;
    zm_error err;

    zm_georeference_place(q->where, f->row + 0.5, f->col + 0.5, &latitude, &longitude,
                          &err);
    if (!q->s->json || strcmp(q->s->json, "-") != 0) {
        printf("%-16s row %d, column %d", printable(q->name).text, (int)f->row,
               (int)f->col);
        if (isfinite(latitude))
            printf(" (%.5f, %.5f)", latitude, longitude);
        printf(
            ", 90 %% within %.1f cells of %.1f, %.1f; %+.1f h, deviation %.1f h; rates "
            "times %.2f\n",
            f->radius_90, f->mean_row, f->mean_col, f->hour - q->before,
            f->hour_deviation, f->rate_factor);
    }
    json_open(j, NULL, '{');
    json_text(j, "fire", q->name);
    json_int(j, "row", f->row);
    json_int(j, "col", f->col);
    json_number(j, "latitude", latitude);
    json_number(j, "longitude", longitude);
    json_number(j, "mean_row", f->mean_row);
    json_number(j, "mean_col", f->mean_col);
    json_number(j, "radius_90_cells", f->radius_90);
    json_number(j, "hour", f->hour - q->before);
    json_number(j, "hour_deviation", f->hour_deviation);
    json_number(j, "rate_factor", f->rate_factor);
    json_number(j, "error_h", f->error);
    json_int(j, "sightings", f->sightings);
    json_int(j, "unreached", f->unreached);
    json_int(j, "fires_burned", f->solves);
    json_close(j, '}');
}

static int of_observed(const origin_settings *s, json *j)
{
    zm_observed *observed = NULL;
    suspect q = { .s = s,
                  .before = s->before > 0 ? s->before : 24,
                  .rate_spread = s->rate_spread > 0 ? s->rate_spread : 1 };
    char *name = last_name(s->observed);
    size_t n;
    int code;

    q.name = name;
    GO(observed_open(&s->model, s->observed, &observed));
    zm_observed_perimeters(observed, &n);
    if (!zm_observed_has_start(observed))
        GO(failure("%s: two dated perimeters are needed, or more", s->observed));
    GO(model_prepare(&q.model, zm_observed_landscape(observed), &s->model));
    q.where = zm_observed_georeference(observed);
    q.cells = (size_t)q.model.land.rows * (size_t)q.model.land.cols;
    put_hours_before(&q, zm_observed_fire(observed), true);
    note("hours before the first perimeter have the weather of the same time of day "
         "after "
         "it");
    for (size_t k = 0; k < n; k++)
        add_perimeter(&q, zm_observed_masks(observed)[k],
                      zm_observed_hours(observed)[k]);
    GO(find(&q));
    tell(&q, j);
done:
    suspect_free(&q);
    zm_observed_close(observed);
    free(name);
    return code;
}

/** Errors of the origins of fires of a scene. */
typedef struct errors {
    double *cells, *hours;
    size_t n, within; /* within the radius of 90 % */
} errors;

static int of_scene_fire(const origin_settings *s, const zm_scene *scene, size_t i,
                         json *j, errors *all)
{
    const zm_fire *fire = zm_scene_fire(scene, i);
    static const double usual[] = { 0.5, 1 };
    const double *shares = s->shares.count ? s->shares.items : usual;
    const size_t n = s->shares.count ? s->shares.count : 2;
    suspect q = { .s = s,
                  .name = fire->name,
                  .where = zm_scene_georeference(scene),
                  .before = s->before > 0 ? s->before : 6,
                  .rate_spread = s->rate_spread > 0 ? s->rate_spread : 0.2 };
    float *T = NULL;
    uint8_t *mask = NULL;
    double end;
    zm_error err;
    int code;

    GO(model_prepare(&q.model, zm_scene_landscape(scene), &s->model));
    q.cells = (size_t)q.model.land.rows * (size_t)q.model.land.cols;
    T = grow(NULL, q.cells, sizeof *T);
    mask = grow(NULL, q.cells, 1);
    GO(checked(zm_scene_arrival(scene, i, T, &err), &err));
    end = zm_fire_end(fire);
    put_hours_before(&q, fire, false);
    for (size_t k = 0; k < n; k++) {
        for (size_t c = 0; c < q.cells; c++)
            mask[c] = (double)T[c] <= shares[k] * end;
        add_perimeter(&q, mask, shares[k] * end);
    }
    GO(find(&q));
    tell(&q, j);
    all->cells = grow(all->cells, all->n + 1, sizeof *all->cells);
    all->hours = grow(all->hours, all->n + 1, sizeof *all->hours);
    all->cells[all->n] = hypot(q.found.row - fire->row, q.found.col - fire->col);
    all->hours[all->n] = fabs(q.found.hour - q.before);
    all->n++;
    all->within += hypot(q.found.mean_row - fire->row, q.found.mean_col - fire->col) <=
                   q.found.radius_90;
done:
    free(T);
    free(mask);
    suspect_free(&q);
    return code;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

static int of_scene(const origin_settings *s, json *j, errors *all)
{
    zm_scene *scene = NULL;
    int code;

    GO(scene_open(&s->model, s->scene, &scene));
    for (size_t i = 0; i < zm_scene_count(scene); i++) {
        if (!fire_is_chosen(scene, i, s->split, s->fire) ||
            (s->most && all->n >= (size_t)s->most))
            continue;
        GO(interrupt_check());
        GO(of_scene_fire(s, scene, i, j, all));
    }
    if (all->n == 0)
        code = no_fire_chosen(scene, s->split, s->fire);
done:
    zm_scene_close(scene);
    return code;
}

static int check_settings(const origin_settings *s)
{
    if (!s->scene == !s->observed)
        return usage_error("give one of --scene and --observed");
    if (s->observed && (s->fire || s->split || s->most || s->shares.count))
        return usage_error("--fire, --split, --most and --perimeters are of fires of a "
                           "--scene");
    if (s->scene)
        return refuse_moisture_of_scenes(&s->model);
    return DONE;
}

static int run(const void *settings, char **operands, int n_operands)
{
    const origin_settings *s = settings;
    errors all = { 0 };
    json j = { 0 };
    int code;

    (void)operands, (void)n_operands;
    message_quiet(s->quiet);
    TRY(check_settings(s));
    json_open(&j, NULL, '{');
    json_open(&j, "fires", '[');
    GO(s->scene ? of_scene(s, &j, &all) : of_observed(s, &j));
    json_close(&j, ']');
    if (all.n) {
        const double cells = median(all.cells, all.n), hours = median(all.hours, all.n);

        if (!s->json || strcmp(s->json, "-") != 0)
            printf("median error of %zu fires: %.2f cells, %.2f h; within the radius "
                   "of 90 "
                   "%%: %zu\n",
                   all.n, cells, hours, all.within);
        json_number(&j, "median_error_cells", cells);
        json_number(&j, "median_error_h", hours);
        json_int(&j, "within_radius", (int64_t)all.within);
    }
    json_close(&j, '}');
    if (s->json)
        GO(json_save(&j, "--json ", s->json));
done:
    free(all.cells);
    free(all.hours);
    json_free(&j);
    return code;
}

static void release(void *settings)
{
    free(((origin_settings *)settings)->shares.items);
}

static const origin_settings defaults = { .model = MODEL_SETTINGS_DEFAULT };

const verb verb_fire_origin = {
    .name = "fire origin",
    .summary = "where and when a fire began, from its perimeters",
    .usage = "--observed DIR | --scene DIR [options]",
    .description =
        "Burns fires from many places within the first perimeter and compares their "
        "times "
        "with those at the edges of the perimeters: start and a factor on all times "
        "are "
        "fitted for each place, and how well that goes says how likely the place is. "
        "Lattices become finer about the best places; at last one covers all that is "
        "likely. Told are the best cell, the circle that holds the origin with 90 %, "
        "the "
        "start with its standard deviation and the factor.\n\nWith --scene the fires "
        "are "
        "those of a scene, whose origins are known: it tells how far off what is found "
        "is.",
    .example = "  zermelo fire origin --observed fires/dalmatia --out where\n"
               "  zermelo fire origin --scene valley --most 3\n",
    .tables = { &origin_options, &model_options },
    .defaults = &defaults,
    .settings_size = sizeof defaults,
    .run = run,
    .release = release,
};
