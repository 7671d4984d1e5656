/* SPDX-License-Identifier: Apache-2.0
 * How models are judged: temporal bands, observed fires, fits of a single fire, epochs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/folders.h"
#include "support/hills.h"
#include "support/scenes.h"
#include "zermelo/fire/learn.h"

/* Bands of half the time every quarter: 0-5, 2.5-7.5 and 5-10 h of 10 h, and no fourth, as it
 * would end after the fire.  The last one ends with the fire in spite of rounding. */
TEST(temporal_bands_begin_every_stride_and_end_with_the_fire)
{
    double from, to;

    for (int k = 0; k < 3; k++) {
        CHECK(zm_band_times(10, 0.5, 0.25, k, &from, &to));
        CHECK_NEAR(from, 2.5 * k, 1e-12);
        CHECK_NEAR(to, 5 + 2.5 * k, 1e-7);
    }
    CHECK(to >= 10);
    CHECK(!zm_band_times(10, 0.5, 0.25, 3, &from, &to));
    CHECK(zm_band_times(7, 0.1, 0.1, 9, &from, &to) && to >= 7);
    CHECK(!zm_band_times(7, 0.1, 0.1, 10, &from, &to));
}

/* A fire that is the model's own prediction: the band from its ignition is predicted to
 * rounding.  One that starts later is predicted from the true perimeter, whose cells all start
 * at that time though they burned before it: never early.  Its times count from there.  After the fire there is nothing to score. */
TEST(a_model_predicts_the_first_band_of_its_own_fire)
{
    enum { SIDE = 30 };
    hills *h = hills_make(t->seed, SIDE, SIDE);
    zm_model_opts o = ZM_MODEL_OPTS_INIT;
    zm_score first = ZM_SCORE_INIT, later = ZM_SCORE_INIT, none = ZM_SCORE_INIT;
    zm_model *model;
    float T[SIDE * SIDE];
    double latest;

    o.hourly = 0;
    CHECK(zm_model_create(&model, &o, NULL) == ZM_OK);
    CHECK(zm_model_predict(model, &h->landscape, &h->fire, T, NULL, NULL) == ZM_OK);
    latest = zm_score_latest(T, SIDE * SIDE);
    CHECK(zm_model_score_band(model, &h->landscape, &h->fire, T, 0, latest / 2, &first,
                              NULL, NULL) == ZM_OK);
    CHECK(first.burned > 10 && first.unreached == 0);
    CHECK(first.relative_rmse < 1e-5);
    CHECK(zm_model_score_band(model, &h->landscape, &h->fire, T, latest / 2, latest,
                              &later, NULL, NULL) == ZM_OK);
    CHECK(later.burned > 10 && later.latest <= latest / 2 * (1 + 1e-6));
    CHECK(later.pearson > 0.8 && later.bias >= -1e-5);
    CHECK(zm_model_score_band(model, &h->landscape, &h->fire, T, latest + 1, latest + 2,
                              &none, NULL, NULL) == ZM_OK);
    CHECK(none.burned == 0);
    zm_model_destroy(model);
    hills_free(h);
}

/** A small scene, whose first fire is also there as an observed one: two dated areas. */
typedef struct small {
    folder where;
    char path[256];
    zm_scene *scene;
    size_t n;
    float *T, *other;
} small;

static small small_make(void)
{
    zm_simulate_opts o = ZM_SIMULATE_OPTS_INIT;
    small s = { .where = folder_make() };

    o.rows = o.cols = 48;
    o.fires = 4;
    o.finer = 1;
    snprintf(s.path, sizeof s.path, "%s", folder_path(&s.where, "scene"));
    if (zm_simulate_scene(s.path, &o, NULL) != ZM_OK ||
        zm_scene_open(s.path, &s.scene, NULL, NULL) != ZM_OK)
        abort();
    s.n = (size_t)48 * 48;
    s.T = malloc(s.n * sizeof *s.T);
    s.other = malloc(s.n * sizeof *s.T);
    return s;
}

static void small_free(small *s)
{
    free(s->T);
    free(s->other);
    zm_scene_close(s->scene);
    scene_remove(&s->where);
}

/* Writes perimeters and weather beside the landscape of the scene, and opens them. */
static zm_observed *observe(small *s)
{
    uint8_t *masks = malloc(2 * s->n);
    zm_perimeter items[2] = { { 1, "2020-08-17T12:00", 0, 0, masks },
                              { 2, "2020-08-17T14:00", 0, 0, masks + s->n } };
    const zm_perimeters perimeters = { items, 2 };
    char path[320];
    zm_observed *observed = NULL;

    if (zm_scene_arrival(s->scene, 0, s->T, NULL) != ZM_OK)
        abort();
    for (size_t i = 0; i < s->n; i++) {
        masks[i] = s->T[i] <= 1;
        masks[s->n + i] = s->T[i] <= 3;
    }
    snprintf(path, sizeof path, "%s/perimeters.gpkg", s->path);
    scene_put(&s->where, "scene/weather.csv", "wind_speed_kmh,wind_dir_deg\n12,270\n");
    if (zm_perimeters_write(path, &perimeters, 48, 48, zm_scene_georeference(s->scene),
                            NULL) != ZM_OK ||
        zm_observed_open(s->path, &observed, NULL, NULL) != ZM_OK)
        abort();
    free(masks);
    return observed;
}

/* The prediction of an observed fire is that from the cells of its first perimeter at time 0, to
 * the bit; the masks are those of its perimeters. */
TEST(observed_fires_are_predicted_from_their_first_perimeter)
{
    small s = small_make();
    zm_observed *fire = observe(&s);
    const uint8_t *first = zm_observed_masks(fire)[0];
    zm_model_opts o = ZM_MODEL_OPTS_INIT;
    zm_model *model;
    size_t n;

    CHECK(zm_observed_perimeters(fire, &n)[1].mask == zm_observed_masks(fire)[1]);
    CHECK(n == 2 && zm_observed_end(fire) == 2);
    CHECK(zm_model_create(&model, &o, NULL) == ZM_OK);
    for (size_t i = 0; i < s.n; i++)
        s.T[i] = first[i] ? 0 : INFINITY;
    CHECK(zm_model_predict_from(model, zm_observed_landscape(fire),
                                zm_observed_fire(fire), s.T, s.other, NULL,
                                NULL) == ZM_OK);
    CHECK(zm_model_predict_observed(model, fire, s.T, NULL, NULL) == ZM_OK);
    CHECK(!memcmp(s.T, s.other, s.n * sizeof *s.T));
    zm_model_destroy(model);
    zm_observed_close(fire);
    small_free(&s);
}

static int stop(void *ctx, double fraction)
{
    (void)ctx, (void)fraction;
    return 1;
}

static double error_of(const small *s, const float *predicted)
{
    const zm_fire *fire = zm_scene_fire(s->scene, 0);
    float *truth = malloc(s->n * sizeof *truth);
    zm_score score = ZM_SCORE_INIT;

    if (zm_scene_arrival(s->scene, 0, truth, NULL) != ZM_OK ||
        zm_score_fire(truth, predicted, 48, 48, fire->row, fire->col, fire->duration,
                      &score, NULL) != ZM_OK)
        abort();
    free(truth);
    return score.relative_rmse;
}

/* More epochs fit the one fire better; the same seed has the same bits; a fit can be stopped. */
TEST(a_network_comes_nearer_to_a_single_fire_with_every_epoch)
{
    small s = small_make();
    zm_capacity_opts o = ZM_CAPACITY_OPTS_INIT;
    double little;

    o.epochs = 2;
    CHECK(zm_capacity_network(s.scene, 0, s.T, &o, NULL) == ZM_OK);
    CHECK(zm_capacity_network(s.scene, 0, s.other, &o, NULL) == ZM_OK);
    CHECK(!memcmp(s.T, s.other, s.n * sizeof *s.T));
    little = error_of(&s, s.T);
    o.epochs = 30;
    CHECK(zm_capacity_network(s.scene, 0, s.T, &o, NULL) == ZM_OK);
    CHECK_MSG(error_of(&s, s.T) < little, "%g after 30 epochs, %g after 2",
              error_of(&s, s.T), little);
    o.progress = stop;
    CHECK(zm_capacity_network(s.scene, 0, s.T, &o, NULL) == ZM_E_CANCELLED);
    CHECK(zm_capacity_network(s.scene, 99, s.T, NULL, NULL) == ZM_E_ARG);
    small_free(&s);
}

/** Epochs seen, and how many of their scores were not what the fires say. */
typedef struct watched {
    int epochs, wrong;
    double best;
} watched;

static int watch(void *ctx, const zm_train_iteration *p)
{
    watched *w = ctx;

    if (p->batch < p->batches) {
        w->wrong += !isnan(p->score);
        return 0;
    }
    w->epochs++;
    w->best = fmax(w->best, p->score);
    w->wrong += p->score != 0.5 * (p->correlation + p->iou50) || p->best != w->best;
    return 0;
}

/* The score of an epoch is what its validation says, and the best is the highest of them. */
TEST(each_epoch_tells_its_score)
{
    small s = small_make();
    zm_model_opts m = ZM_MODEL_OPTS_INIT;
    zm_train_opts o = ZM_TRAIN_OPTS_INIT;
    watched w = { .best = -HUGE_VAL };
    zm_model *model;
    zm_trainer *trainer;

    m.channels = 4;
    m.hidden = 6;
    m.layers = 1;
    o.epochs = 3;
    o.batch = 1;
    o.monitor = watch;
    o.monitor_ctx = &w;
    CHECK(zm_model_create(&model, &m, NULL) == ZM_OK);
    CHECK(zm_trainer_create(&trainer, model, NULL) == ZM_OK);
    CHECK(zm_trainer_add_one(trainer, s.scene, 0, NULL) == ZM_OK);
    CHECK(zm_trainer_run(trainer, &o, NULL) == ZM_OK);
    CHECK(w.epochs == 3 && w.wrong == 0);
    zm_trainer_destroy(trainer);
    zm_model_destroy(model);
    small_free(&s);
}
