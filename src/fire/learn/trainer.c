/* SPDX-License-Identifier: Apache-2.0
 * The trainer's fires. */
#include "fire/learn/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/pi.h"

zm_status zm_trainer_create(zm_trainer **out, zm_model *model, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    *out = zm_zalloc(&mem, 1, sizeof **out);
    if (!*out)
        return zm_fail(err, ZM_E_NOMEM, -1, "trainer");
    (*out)->model = model;
    return ZM_OK;
}

static void place_destroy(zm_place *place)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    if (!place)
        return;
    zm_learn_terrain_destroy(place->ground);
    zm_release(&mem, place);
}

void zm_trainer_destroy(zm_trainer *trainer)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    if (!trainer)
        return;
    zm_sample_list_free(&trainer->train);
    zm_sample_list_free(&trainer->validate);
    for (size_t i = 0; i < trainer->n_places; i++)
        place_destroy(trainer->places[i]);
    zm_release(&mem, trainer->places);
    zm_release(&mem, trainer);
}

static zm_status add_place(zm_trainer *t, const zm_landscape *landscape, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    zm_place *place = zm_zalloc(&mem, 1, sizeof *place);
    zm_status st;

    if (t->n_places == t->places_room) {
        const size_t room = t->places_room ? 2 * t->places_room : 16;
        zm_place **places = zm_zalloc(&mem, room, sizeof *places);

        if (!places) {
            zm_release(&mem, place);
            return zm_fail(err, ZM_E_NOMEM, -1, "list of places");
        }
        if (t->n_places)
            memcpy(places, t->places, t->n_places * sizeof *places);
        zm_release(&mem, t->places);
        t->places = places;
        t->places_room = room;
    }
    if (!place)
        return zm_fail(err, ZM_E_NOMEM, -1, "landscape");
    place->landscape = landscape;
    if ((st = zm_learn_terrain_create(&place->ground, landscape, err)) < 0) {
        zm_release(&mem, place);
        return st;
    }
    t->places[t->n_places++] = place;
    return ZM_OK;
}

zm_status zm_trainer_set_patches(zm_trainer *trainer, const zm_patch_opts *opts,
                                 zm_error *err)
{
    zm_patch_opts o = ZM_PATCH_OPTS_INIT;

    ZM_TRY(zm_options_read(&o, sizeof o, opts, "zm_patch_opts", err));
    if (trainer->model->hourly || trainer->model->form == ZM_MODEL_PHYSICS)
        return zm_fail(err, ZM_E_ARG, -1,
                       "patches have no common clock: the model must take mean weather "
                       "(hourly = 0 or the paper's form), not hours");
    if (o.side < 1 || o.stride < 1 || o.stride > o.side)
        return zm_fail(err, ZM_E_ARG, -1,
                       "patches: side %d must be >= 1, stride %d from 1 to the side",
                       (int)o.side, (int)o.stride);
    if (o.min_burned < ZM_SAMPLE_LEAST ||
        o.min_burned > (int64_t)o.side * (int64_t)o.side)
        return zm_fail(err, ZM_E_ARG, -1,
                       "patches: min_burned %lld must be from %d to side * side = %lld",
                       (long long)o.min_burned, ZM_SAMPLE_LEAST,
                       (long long)o.side * (long long)o.side);
    trainer->patches = o;
    trainer->in_patches = true;
    return ZM_OK;
}

static zm_status add_patches(zm_trainer *t, const zm_fire *fire, const float *truth,
                             zm_error *err)
{
    const zm_place *place = t->places[t->n_places - 1];
    const size_t before = t->train.n;
    zm_patch *patches = NULL;
    size_t n = 0;
    zm_status st = zm_patches_find(truth, place->ground->rows, place->ground->cols,
                                   &patches, &n, &t->patches, err);

    for (size_t i = 0; st >= 0 && i < n; i++) {
        zm_sample *sample;

        st = zm_sample_patch(&sample, place, fire, truth, &patches[i], err);
        if (st >= 0 && sample)
            st = zm_sample_list_add(&t->train, sample, err);
    }
    free(patches);
    t->fires += t->train.n > before;
    return st;
}

static zm_status add_whole(zm_trainer *t, const zm_fire *fire, const float *truth,
                           zm_sample_list *list, zm_error *err)
{
    zm_sample *sample;
    zm_status st = zm_sample_create(&sample, t->places[t->n_places - 1], fire, truth, 1,
                                    !t->model->hourly, err);

    if (st >= 0)
        st = zm_sample_list_add(list, sample, err);
    t->fires += st >= 0 && list == &t->train;
    return st;
}

static zm_status add_fire(zm_trainer *t, const zm_scene *scene, size_t i, float *truth,
                          zm_sample_list *list, zm_error *err)
{
    ZM_TRY(zm_scene_arrival(scene, i, truth, err));
    return t->in_patches && list == &t->train
               ? add_patches(t, zm_scene_fire(scene, i), truth, err)
               : add_whole(t, zm_scene_fire(scene, i), truth, list, err);
}

zm_status zm_trainer_add(zm_trainer *trainer, const zm_scene *scene, zm_split train,
                         zm_split validate, size_t most, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const zm_landscape *landscape = zm_scene_landscape(scene);
    const size_t n = (size_t)landscape->rows * (size_t)landscape->cols;
    float *truth = zm_block(&mem, n, sizeof(float));
    size_t taken = 0;
    zm_status st = ZM_OK;

    if (!truth)
        return zm_fail(err, ZM_E_NOMEM, -1, "times of %zu cells", n);
    ZM_GO(add_place(trainer, landscape, err));
    for (size_t i = 0; i < zm_scene_count(scene); i++) {
        const zm_split split = zm_scene_split(scene, i);

        if (split == train && (!most || taken++ < most))
            ZM_GO(add_fire(trainer, scene, i, truth, &trainer->train, err));
        else if (split == validate)
            ZM_GO(add_fire(trainer, scene, i, truth, &trainer->validate, err));
    }
done:
    zm_release(&mem, truth);
    return st;
}

zm_status zm_trainer_add_one(zm_trainer *trainer, const zm_scene *scene, size_t i,
                             zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    const zm_landscape *landscape = zm_scene_landscape(scene);
    const size_t n = (size_t)landscape->rows * (size_t)landscape->cols;
    float *truth = zm_block(&mem, n, sizeof(float));
    zm_status st = ZM_OK;

    if (!truth)
        return zm_fail(err, ZM_E_NOMEM, -1, "times of %zu cells", n);
    if (i >= zm_scene_count(scene)) {
        st = zm_fail(err, ZM_E_ARG, -1, "fire %zu of %zu", i, zm_scene_count(scene));
        goto done;
    }
    ZM_GO(add_place(trainer, landscape, err));
    ZM_GO(add_fire(trainer, scene, i, truth, &trainer->train, err));
    ZM_GO(add_fire(trainer, scene, i, truth, &trainer->validate, err));
done:
    zm_release(&mem, truth);
    return st;
}

zm_status zm_trainer_add_observed(zm_trainer *trainer, const zm_observed *observed,
                                  zm_error *err)
{
    zm_sample *sample;
    zm_status st = ZM_OK;

    if (trainer->in_patches)
        return zm_fail(err, ZM_E_ARG, -1,
                       "observed fires have no times of cells to cut patches from");
    ZM_GO(add_place(trainer, zm_observed_landscape(observed), err));
    ZM_GO(zm_sample_observed(&sample, trainer->places[trainer->n_places - 1], observed,
                             !trainer->model->hourly, err));
    ZM_GO(zm_sample_list_add(&trainer->train, sample, err));
    trainer->fires++;
done:
    return st;
}

size_t zm_trainer_fires(const zm_trainer *trainer)
{
    return trainer->fires;
}

size_t zm_trainer_samples(const zm_trainer *trainer)
{
    return trainer->train.n;
}

double zm_trainer_mean_rate(const zm_trainer *trainer)
{
    double sum = 0;

    for (size_t i = 0; i < trainer->train.n; i++) {
        const zm_sample *s = trainer->train.items[i];

        sum += log(sqrt(s->area / ZM_PI) / s->duration);
    }
    return trainer->train.n ? exp(sum / (double)trainer->train.n) : NAN;
}

zm_status zm_trainer_set_mean_rate(zm_trainer *trainer, zm_error *err)
{
    const double mean = zm_trainer_mean_rate(trainer);

    return mean > 0 ? zm_model_set_rate(trainer->model, mean, err) : ZM_OK;
}
