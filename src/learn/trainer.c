/* SPDX-License-Identifier: Apache-2.0
 * The trainer's fires. */
#include "learn/trainer.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/memory.h"

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
    zm_terrain_destroy(place->ground);
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
    if ((st = zm_terrain_create(&place->ground, landscape, err)) < 0) {
        zm_release(&mem, place);
        return st;
    }
    t->places[t->n_places++] = place;
    return ZM_OK;
}

static zm_status add_fire(zm_trainer *t, const zm_scene *scene, size_t i, float *truth,
                          zm_sample_list *list, zm_error *err)
{
    const zm_place *place = t->places[t->n_places - 1];
    zm_sample *sample;
    zm_status st = zm_scene_arrival(scene, i, truth, err);

    if (st >= 0)
        st = zm_sample_create(&sample, place, zm_scene_fire(scene, i), truth, 1,
                              !t->model->hourly, err);
    return st < 0 ? st : zm_sample_list_add(list, sample, err);
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
    zm_status st = add_place(trainer, zm_observed_landscape(observed), err);

    if (st < 0)
        return st;
    st = zm_sample_observed(&sample, trainer->places[trainer->n_places - 1], observed,
                            !trainer->model->hourly, err);
    return st < 0 ? st : zm_sample_list_add(&trainer->train, sample, err);
}

size_t zm_trainer_fires(const zm_trainer *trainer)
{
    return trainer->train.n;
}

double zm_trainer_mean_rate(const zm_trainer *trainer)
{
    const double pi = 3.14159265358979323846;
    double sum = 0;

    for (size_t i = 0; i < trainer->train.n; i++) {
        const zm_sample *s = trainer->train.items[i];

        sum += log(sqrt(s->area / pi) / s->duration);
    }
    return trainer->train.n ? exp(sum / (double)trainer->train.n) : NAN;
}
