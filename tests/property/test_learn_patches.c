/* SPDX-License-Identifier: Apache-2.0
 * Training on patches of fires. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fire/learn/trainer.h"
#include "support/folders.h"
#include "support/hills.h"
#include "support/scenes.h"

enum { ROWS = 30, COLS = 40 };

static zm_model *mean_model(zm_model_form form, uint64_t seed)
{
    zm_model_opts o = ZM_MODEL_OPTS_INIT;
    zm_model *model;

    o.form = form;
    o.hourly = 0;
    o.layers = 1;
    o.channels = 4;
    o.hidden = 6;
    o.seed = seed;
    if (zm_model_create(&model, &o, NULL) < 0)
        abort();
    return model;
}

static double loss_of(const zm_model *model, zm_sample *sample)
{
    zm_batch_task task = { .model = model,
                           .make = ZM_NET_FAST,
                           .loss = ZM_LOSS_OPTS_INIT,
                           .parameters = model->parameters,
                           .threads = 1 };
    zm_batch_result result;

    if (zm_field_head_create(&task.head, model, ZM_NET_FAST, NULL) < 0)
        abort();
    zm_mlp_load(task.head, model->parameters + zm_model_head_at(model));
    if (zm_train_batch_loss(&task, &sample, 1, NULL, NULL, &result, NULL) < 0)
        abort();
    zm_mlp_destroy(task.head);
    return result.loss;
}

/* Its earliest cell is the ignition, at 0, so source and times are those of the fire; where
 * the end is not known both go by the latest time.  In the same window the same cells have the
 * same weights, if those that did not burn have none: the bits of the loss agree. */
TEST(a_patch_that_holds_a_whole_fire_has_the_loss_of_the_fire)
{
    for (int form = 0; form < 2; form++) {
        hills *h = hills_make(t->seed, ROWS, COLS);
        zm_place place = { &h->landscape, NULL };
        zm_model *model =
            mean_model(form ? ZM_MODEL_PAPER : ZM_MODEL_MULTIPLICATIVE, t->seed);
        float truth[ROWS * COLS];
        zm_sample *whole, *part;
        zm_patch patch;
        double loss;

        hills_times(h, truth);
        h->fire.duration = NAN;
        CHECK(zm_learn_terrain_create(&place.ground, &h->landscape, NULL) == ZM_OK);
        CHECK(zm_sample_create(&whole, &place, &h->fire, truth, 0, 1, NULL) == ZM_OK);
        patch = (zm_patch){ whole->window.row, whole->window.col, whole->window.rows,
                            whole->window.cols, 0 };
        CHECK(zm_sample_patch(&part, &place, &h->fire, truth, &patch, NULL) == ZM_OK);
        CHECK(part->n_sources == 9 && part->n_hours == 1 && !part->lit);
        loss = loss_of(model, whole);
        CHECK(loss > 0);
        CHECK(loss_of(model, part) == loss);
        zm_sample_destroy(whole);
        zm_sample_destroy(part);
        zm_model_destroy(model);
        zm_learn_terrain_destroy(place.ground);
        hills_free(h);
    }
}

/* A patch beside the ignition, with a gap in what burned: two parts, each from 0 on.  Sources
 * and cells that did not burn have no weight; the others share 1, less those without fuel. */
TEST(every_part_of_a_patch_begins_at_its_source)
{
    hills *h = hills_make(t->seed, ROWS, COLS);
    zm_place place = { &h->landscape, NULL };
    zm_patch patch = { h->fire.row - 8, h->fire.col + 3, 17, 12, 0 };
    float truth[ROWS * COLS];
    double latest = 0;
    zm_sample *s;

    hills_times(h, truth);
    for (int col = 0; col < COLS; col++)
        truth[h->fire.row * COLS + col] = INFINITY;
    CHECK(zm_learn_terrain_create(&place.ground, &h->landscape, NULL) == ZM_OK);
    CHECK(zm_sample_patch(&s, &place, &h->fire, truth, &patch, NULL) == ZM_OK);
    CHECK(s->window.row == patch.row && s->window.cols == patch.cols);
    CHECK(s->n_sources == 8); /* at the edge 2 x 2 of each 3 x 3 block */
    for (size_t i = 0; i < s->n_sources; i++) {
        const size_t at = (size_t)s->sources[i].row * 12 + (size_t)s->sources[i].col;

        CHECK(s->sources[i].time == 0 && s->truth[at] == 0 && s->weight[at] == 0);
    }
    for (size_t i = 0; i < 17 * 12; i++) {
        CHECK(isfinite(s->truth[i]) || s->weight[i] == 0);
        CHECK(!(s->weight[i] > 0) || s->low[i] == (double)s->truth[i]);
        latest = isfinite(s->truth[i]) ? fmax(latest, (double)s->truth[i]) : latest;
    }
    CHECK(s->duration == latest && latest > 0);
    zm_sample_destroy(s);

    /* nothing but sources: no error, and nothing to learn from */
    for (int i = 0; i < ROWS * COLS; i++)
        truth[i] = i / COLS % 4 == 1 && i % COLS % 4 == 1 ? 1 : INFINITY;
    patch = (zm_patch){ 0, 0, ROWS, COLS, 0 };
    CHECK(zm_sample_patch(&s, &place, &h->fire, truth, &patch, NULL) == ZM_OK && !s);
    zm_learn_terrain_destroy(place.ground);
    hills_free(h);
}

typedef struct lesson {
    folder where;
    zm_scene *scene;
} lesson;

static lesson lesson_make(void)
{
    lesson l = { .where = folder_make() };
    zm_simulate_opts land = ZM_SIMULATE_OPTS_INIT;

    land.rows = land.cols = 48;
    land.fires = 8;
    land.finer = 1;
    if (zm_simulate_scene(folder_path(&l.where, "scene"), &land, NULL) < 0 ||
        zm_scene_open(folder_path(&l.where, "scene"), &l.scene, NULL, NULL) < 0)
        abort();
    return l;
}

static void lesson_end(lesson *l)
{
    zm_scene_close(l->scene);
    scene_remove(&l->where);
}

/* Patches of the fires to train with; *fires: those that have one. */
static size_t count_patches(const zm_scene *scene, const zm_patch_opts *opts,
                            size_t *fires)
{
    float T[48 * 48];
    size_t sum = 0;

    *fires = 0;
    for (size_t i = 0; i < zm_scene_count(scene); i++) {
        zm_patch *patches;
        size_t n;

        if (zm_scene_split(scene, i) != ZM_SPLIT_TRAIN)
            continue;
        if (zm_scene_arrival(scene, i, T, NULL) < 0 ||
            zm_patches_find(T, 48, 48, &patches, &n, opts, NULL) < 0)
            abort();
        free(patches);
        sum += n;
        *fires += n > 0;
    }
    return sum;
}

/* With a bound that some fires do not reach those are left out, without an error; one that
 * none reaches is an error of the training, which tells the bound. */
TEST(a_trainer_has_a_sample_for_each_patch_and_whole_fires_to_validate)
{
    static const int64_t least[] = { 10, 100, 24 * 24 };
    lesson l = lesson_make();
    size_t before = 0;

    for (int k = 0; k < 3; k++) {
        zm_patch_opts p = { sizeof p, 24, 12, least[k] };
        zm_train_opts o = ZM_TRAIN_OPTS_INIT;
        zm_model *model = mean_model(ZM_MODEL_PAPER, t->seed);
        zm_trainer *trainer;
        zm_error err;
        size_t fires;
        const size_t n = count_patches(l.scene, &p, &fires);

        o.epochs = 1;
        CHECK(zm_trainer_create(&trainer, model, NULL) == ZM_OK);
        CHECK(zm_trainer_set_patches(trainer, &p, NULL) == ZM_OK);
        CHECK(zm_trainer_add(trainer, l.scene, ZM_SPLIT_TRAIN, ZM_SPLIT_VAL, 0, NULL) ==
              ZM_OK);
        CHECK(zm_trainer_samples(trainer) == n && zm_trainer_fires(trainer) == fires);
        CHECK(trainer->validate.n > 0);
        for (size_t i = 0; i < trainer->validate.n; i++)
            CHECK(trainer->validate.items[i]->lit);
        CHECK(k == 0 || fires < before);
        before = fires;
        if (n) {
            CHECK(n > fires && zm_trainer_mean_rate(trainer) > 0);
            CHECK(zm_trainer_run(trainer, &o, NULL) == ZM_OK);
        } else {
            CHECK(zm_trainer_run(trainer, &o, &err) == ZM_E_ARG);
            CHECK(strstr(err.text, "576"));
        }
        o.band_width = 0.5;
        CHECK(zm_trainer_run(trainer, &o, NULL) == ZM_E_ARG);
        zm_trainer_destroy(trainer);
        zm_model_destroy(model);
    }
    lesson_end(&l);
}

/* Models that know the hour, and sizes that leave cells out or hold too few. */
TEST(patches_are_refused_where_they_make_no_sense)
{
    static const zm_patch_opts bad[] = { { sizeof bad[0], 0, 1, 100 },
                                         { sizeof bad[0], 32, 0, 100 },
                                         { sizeof bad[0], 32, 33, 100 },
                                         { sizeof bad[0], 9, 4, 82 },
                                         { sizeof bad[0], 32, 16, 9 } };
    const zm_patch_opts good = { sizeof good, 9, 9, 81 };
    zm_model *model = mean_model(ZM_MODEL_MULTIPLICATIVE, t->seed);
    zm_trainer *trainer;
    zm_error err;

    CHECK(zm_trainer_create(&trainer, model, NULL) == ZM_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK(zm_trainer_set_patches(trainer, &bad[i], &err) == ZM_E_ARG);
        CHECK(strstr(err.text, "patches"));
    }
    CHECK(zm_trainer_set_patches(trainer, &good, NULL) == ZM_OK);
    CHECK(zm_trainer_set_patches(trainer, NULL, NULL) == ZM_OK);
    zm_trainer_destroy(trainer);
    zm_model_destroy(model);
    for (int physics = 0; physics < 2; physics++) {
        zm_model_opts o = ZM_MODEL_OPTS_INIT;

        o.form = physics ? ZM_MODEL_PHYSICS : ZM_MODEL_MULTIPLICATIVE;
        CHECK(zm_model_create(&model, &o, NULL) == ZM_OK);
        CHECK(zm_trainer_create(&trainer, model, NULL) == ZM_OK);
        CHECK(zm_trainer_set_patches(trainer, NULL, &err) == ZM_E_ARG);
        CHECK(strstr(err.text, "mean weather"));
        zm_trainer_destroy(trainer);
        zm_model_destroy(model);
    }
}
