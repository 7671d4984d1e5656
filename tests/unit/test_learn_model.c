/* SPDX-License-Identifier: Apache-2.0
 * Model files and options of models. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fire/learn/model.h"
#include "fire/learn/net/tensors.h"
#include "support/folders.h"
#include "support/hills.h"
#include "zermelo/fire/physics.h"

static zm_model *make_model(zm_model_form form, uint64_t seed)
{
    zm_model_opts o = ZM_MODEL_OPTS_INIT;
    zm_model *model;

    o.form = form;
    o.seed = seed;
    o.channels = 6;
    o.hidden = 7;
    if (zm_model_create(&model, &o, NULL) < 0)
        abort();
    return model;
}

/* Parameters are rounded to float32 once; all else in the file is text with 17 digits. */
TEST(a_model_read_back_is_the_one_that_was_saved)
{
    const folder f = folder_make();

    for (int form = 0; form < 3; form++) {
        zm_model *a = make_model((zm_model_form)form, t->seed), *b = NULL;

        CHECK(zm_model_save(a, folder_path(&f, "m.safetensors"), "note", NULL) ==
              ZM_OK);
        CHECK(zm_model_load(folder_path(&f, "m.safetensors"), &b, NULL) == ZM_OK);
        if (b) {
            CHECK(b->form == a->form && b->n_parameters == a->n_parameters &&
                  b->rate == a->rate && b->hourly == a->hourly && b->drift == a->drift);
            CHECK(b->n_ground == a->n_ground && b->n_joint == a->n_joint &&
                  !memcmp(&b->trunk, &a->trunk, sizeof a->trunk));
            for (size_t i = 0; i < a->n_parameters; i++)
                CHECK(b->parameters[i] == (double)(float)a->parameters[i]);
        }
        zm_model_destroy(a);
        zm_model_destroy(b);
    }
    folder_remove(&f);
}

/* The file with one piece of its header replaced by one of the same length. */
static zm_status parse_changed(const char *bytes, size_t n, const char *from,
                               const char *to, zm_error *err)
{
    char *copy = malloc(n), *at = NULL;
    zm_model *model;
    zm_status st;

    if (!copy || strlen(from) != strlen(to))
        abort();
    memcpy(copy, bytes, n);
    for (size_t i = 0; !at && i + strlen(from) <= n; i++)
        if (!memcmp(copy + i, from, strlen(from)))
            at = copy + i;
    if (!at)
        abort();
    memcpy(at, to, strlen(to));
    st = zm_model_parse(copy, n, "file", &model, err);
    zm_model_destroy(model);
    free(copy);
    return st;
}

/* A model whose table is not ours would be wrong in silence: it is refused by name. */
TEST(a_model_of_other_channels_normalisation_or_sizes_is_refused)
{
    static const struct {
        const char *from, *to, *says;
    } changes[] = {
        { "fuel_load_1h", "fuel_load_9h", "fuel_load_9h" },
        { "\\\"shift\\\":22.0", "\\\"shift\\\":23.0", "normalised" },
        { "multiplicative", "multiplicativE", "form" },
        { "\\\"joint_channels\\\"", "\\\"joint_chonnels\\\"", "joint_channels" },
        { "zermelo fire model 1", "zermelo fire model 2", "zermelo fire model" },
        { "\"dtype\":\"F32\"", "\"dtype\":\"F16\"", "F16" },
    };
    const folder f = folder_make();
    zm_model *model = make_model(ZM_MODEL_MULTIPLICATIVE, t->seed);
    size_t n;
    char *bytes;

    CHECK(zm_model_save(model, folder_path(&f, "m"), NULL, NULL) == ZM_OK);
    bytes = folder_read(&f, "m", &n);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        zm_error err = { ZM_OK, 0, "" };

        CHECK(parse_changed(bytes, n, changes[i].from, changes[i].to, &err) ==
              ZM_E_FORMAT);
        CHECK_MSG(strstr(err.text, changes[i].says), "'%s' does not name '%s'",
                  err.text, changes[i].says);
    }
    free(bytes);
    zm_model_destroy(model);
    folder_remove(&f);
}

/* Whatever is cut off, something promised is missing. */
TEST(every_beginning_of_a_model_file_is_refused)
{
    const folder f = folder_make();
    zm_model *model = make_model(ZM_MODEL_MULTIPLICATIVE, t->seed), *other;
    size_t n;
    char *bytes;

    CHECK(zm_model_save(model, folder_path(&f, "m"), NULL, NULL) == ZM_OK);
    bytes = folder_read(&f, "m", &n);
    for (size_t part = 0; part < n; part += 1 + part / 40) {
        CHECK(zm_model_parse(bytes, part, "file", &other, NULL) == ZM_E_FORMAT);
        CHECK(!other);
    }
    free(bytes);
    zm_model_destroy(model);
    folder_remove(&f);
}

TEST(options_of_models_out_of_range_are_refused)
{
    zm_model_opts o;
    zm_model *model;

    o = (zm_model_opts)ZM_MODEL_OPTS_INIT;
    o.rate = 0;
    CHECK(zm_model_create(&model, &o, NULL) == ZM_E_ARG && !model);
    o = (zm_model_opts)ZM_MODEL_OPTS_INIT;
    o.form = ZM_MODEL_PAPER;
    o.layers = 0;
    CHECK(zm_model_create(&model, &o, NULL) == ZM_E_ARG && !model);
    o = (zm_model_opts)ZM_MODEL_OPTS_INIT;
    o.layers = 99;
    CHECK(zm_model_create(&model, &o, NULL) == ZM_E_ARG && !model);
}

/* As the paper counts: about 116 thousand, most of them in three layers of 64 x 64 x 9. */
TEST(the_papers_encoder_has_about_116_thousand_parameters)
{
    zm_model_opts o = ZM_MODEL_OPTS_INIT;
    zm_model *model;

    o.form = ZM_MODEL_PAPER;
    CHECK(zm_model_create(&model, &o, NULL) == ZM_OK);
    CHECK_NEAR((double)zm_model_parameters(model), 116e3, 4e3);
    zm_model_destroy(model);
}

/* A new model spreads at its rate: the front that starts in a block of cells reaches cells at
 * a distance d after some d/rate hours, within the factor that drift and barriers make. */
TEST(a_new_model_spreads_at_about_its_rate)
{
    enum { SIDE = 41 };
    hills *h = hills_make(t->seed, SIDE, SIDE);
    float T[SIDE * SIDE];

    for (int form = 0; form < 2; form++) {
        zm_model *model = make_model((zm_model_form)form, t->seed);
        double sum = 0;
        int n = 0;

        CHECK(zm_model_set_rate(model, 100, NULL) == ZM_OK);
        CHECK(zm_model_predict(model, &h->landscape, &h->fire, T, NULL, NULL) == ZM_OK);
        for (int i = 0; i < SIDE * SIDE; i++) {
            const double d = 30 * hypot(i / SIDE - SIDE / 2, i % SIDE - SIDE / 2);

            CHECK(isfinite(T[i]));
            if (d > 150) {
                sum += log(d / (double)T[i] / 100);
                n++;
            }
        }
        CHECK_AT_MOST(fabs(sum / n), log(2.5));
        zm_model_destroy(model);
    }
    hills_free(h);
}

/* Corrections of a new model are 0: it predicts what the physics says, to float32, also where
 * the weather ends before the prediction does. */
TEST(a_new_model_of_physics_is_the_physics)
{
    enum { SIDE = 31 };
    hills *h = hills_make(t->seed, SIDE, SIDE);
    zm_model *model = make_model(ZM_MODEL_PHYSICS, t->seed);
    zm_predict_opts o = ZM_PREDICT_OPTS_INIT;
    zm_physics *physics;
    float T[SIDE * SIDE];
    double truth[SIDE * SIDE];

    o.t_max = HILLS_HOURS;
    CHECK(zm_physics_create(&physics, &h->landscape, NULL, NULL) == ZM_OK);
    for (size_t hours = HILLS_HOURS; hours > 0; hours /= 2) {
        zm_fire fire = h->fire;
        int reached = 0;

        fire.hours = hours;
        CHECK(zm_model_predict(model, &h->landscape, &fire, T, &o, NULL) == ZM_OK);
        CHECK(zm_physics_set_fire(physics, &fire, NULL, HILLS_HOURS, NULL) == ZM_OK);
        CHECK(zm_physics_arrival(physics, NULL, 0, HILLS_HOURS, truth, NULL) == ZM_OK);
        for (int i = 0; i < SIDE * SIDE; i++) {
            CHECK(T[i] == (float)truth[i]);
            reached += T[i] < INFINITY;
        }
        CHECK(reached > 20);
    }
    zm_physics_destroy(physics);
    zm_model_destroy(model);
    hills_free(h);
}

TEST(an_ignition_outside_the_landscape_is_refused)
{
    hills *h = hills_make(t->seed, 20, 20);
    zm_model *model = make_model(ZM_MODEL_MULTIPLICATIVE, t->seed);
    float T[400];
    zm_error err = { ZM_OK, 0, "" };

    h->fire.row = 20;
    CHECK(zm_model_predict(model, &h->landscape, &h->fire, T, NULL, &err) == ZM_E_ARG);
    CHECK(strstr(err.text, "outside"));
    zm_model_destroy(model);
    hills_free(h);
}

/* Many arrays over the same bytes would take many times the memory of the file. */
TEST(arrays_of_a_file_do_not_overlap)
{
    static const char apart[] = "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],"
                                "\"data_offsets\":[0,8]},\"b\":{\"dtype\":\"F32\","
                                "\"shape\":[2],\"data_offsets\":[8,16]}}";
    char bytes[8 + sizeof apart - 1 + 16] = { (char)(sizeof apart - 1) };
    zm_tensors tensors;
    zm_error err = { 0 };

    memcpy(bytes + 8, apart, sizeof apart - 1);
    CHECK(zm_tensors_parse(bytes, sizeof bytes, "m", &tensors, &err) == ZM_OK);
    zm_tensors_free(&tensors);
    memcpy(strstr(bytes + 8, "[8,16]"), "[4,12]", 6);
    CHECK(zm_tensors_parse(bytes, sizeof bytes, "m", &tensors, &err) == ZM_E_FORMAT);
    CHECK_MSG(strstr(err.text, "two arrays overlap at byte 4"), "%s", err.text);
}

/* Maps of physics end with the fire, a quarter of its duration later; others have no end. */
TEST(maps_of_models_end_where_nothing_is_said)
{
    zm_fire fire = ZM_FIRE_INIT;

    fire.duration = 8;
    for (int form = 0; form < 3; form++) {
        zm_model *m = make_model((zm_model_form)form, t->seed);
        const double end = zm_model_map_end(m, &fire);

        CHECK(form == ZM_MODEL_PHYSICS ? end == 10 && end == zm_fire_map_end(&fire)
                                       : isinf(end));
        zm_model_destroy(m);
    }
}

/* Without fires there is no mean rate, and the model keeps its own. */
TEST(a_trainer_without_fires_leaves_the_rate_alone)
{
    zm_model *m = make_model(ZM_MODEL_MULTIPLICATIVE, t->seed);
    const double rate = m->rate;
    zm_trainer *trainer;

    CHECK(zm_trainer_create(&trainer, m, NULL) == ZM_OK);
    CHECK(isnan(zm_trainer_mean_rate(trainer)));
    CHECK(zm_trainer_set_mean_rate(trainer, NULL) == ZM_OK && m->rate == rate);
    zm_trainer_destroy(trainer);
    zm_model_destroy(m);
}
