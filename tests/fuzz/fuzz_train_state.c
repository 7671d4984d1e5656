/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: a training state of any bytes, or a good one with some numbers replaced and a right
 * checksum, is refused with a message, or the training goes on and ends.  The first byte chooses;
 * each later ten replace one number: its place and its new value.
 * Run: fuzz_train_state tests/fuzz/corpus_train_state */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <string.h>

#include "fire/learn/trainer.h"
#include "fuzz.h"
#include "maps.h"
#include "zermelo/fire/learn.h"

enum { REPLACED = 10 };

static zm_model *model;
static zm_scene *scene;
static char *scene_folder;
static zm_trainer *trainer;
static zm_train_opts opts = ZM_TRAIN_OPTS_INIT;

/* What a state holds, one array behind the other, as the file has it. */
static struct {
    double *all, *minimiser, *best, *mean;
    size_t n_minimiser, n, size;
    zm_train_state first;
} good;

static void take_good(void)
{
    zm_minimise_opts adam = ZM_MINIMISE_OPTS_INIT;

    adam.method = ZM_METHOD_ADAM;
    adam.max_iterations = 1000;
    good.n = zm_model_parameters(model);
    good.n_minimiser = zm_minimise_state_size(good.n, &adam);
    good.size = good.n_minimiser + 2 * good.n;
    require((good.all = malloc(good.size * sizeof(double))) != NULL);
    good.minimiser = good.all;
    good.best = good.minimiser + good.n_minimiser;
    good.mean = good.best + good.n;
    require(zm_train_state_load(opts.state_path, &good.first, good.minimiser,
                                good.n_minimiser, good.best, good.mean, good.n,
                                NULL) >= 0);
}

static const char files[] =
    "@landscape.tif\n=landscape.tif\n"
    "@arrival/a.tif\n=arrival.tif\n"
    "@arrival/b.tif\n=arrival.tif\n"
    "@weather/a.csv\nwind_speed_kmh,wind_dir_deg\n10,90\n"
    "@weather/b.csv\nwind_speed_kmh,wind_dir_deg\n5,180\n"
    "@fires.csv\nfire,split,ignition_row,ignition_col,duration_h\n"
    "a,train,6,7,12\nb,train,6,7,12\n";

/* A small scene, and a training of one epoch. */
static void begin(void)
{
    zm_model_opts m = ZM_MODEL_OPTS_INIT;
    zm_error err = { ZM_OK, 0, "" };

    maps_make();
    fuzz_unpack("scene", (const uint8_t *)files, sizeof files - 1);
    m.layers = 0;
    m.hidden = 4;
    m.hourly = 0;
    m.prior = 0;
    scene_folder = strdup(fuzz_path("scene"));
    opts.batch = 1;
    opts.epochs = 1;
    opts.state_path = strdup(fuzz_path("state"));
    if (zm_scene_open(scene_folder, &scene, NULL, &err) < 0 ||
        zm_model_create(&model, &m, &err) < 0 ||
        zm_trainer_create(&trainer, model, &err) < 0 ||
        zm_trainer_add(trainer, scene, ZM_SPLIT_TRAIN, ZM_SPLITS, 2, &err) < 0 ||
        zm_trainer_run(trainer, &opts, &err) < 0)
        fuzz_broken(err.text, __FILE__, __LINE__);
    opts.resume = 1;
    take_good();
}

static void replace(double *all, zm_train_state *state, const uint8_t *bytes, size_t n)
{
    for (; n >= REPLACED; n -= REPLACED, bytes += REPLACED) {
        const size_t at =
            (bytes[0] + 256U * bytes[1]) % (good.size + ZM_TRAIN_STATE_NUMBERS);

        if (at < ZM_TRAIN_STATE_NUMBERS)
            memcpy((char *)state + at * sizeof(double), bytes + 2, sizeof(double));
        else
            memcpy(&all[at - ZM_TRAIN_STATE_NUMBERS], bytes + 2, sizeof(double));
    }
}

static void put_state(const uint8_t *bytes, size_t n)
{
    zm_train_state state = good.first;
    double *all = malloc(good.size * sizeof(double));

    require(all != NULL);
    memcpy(all, good.all, good.size * sizeof(double));
    replace(all, &state, bytes, n);
    require(zm_train_state_save(opts.state_path, &state, all, good.n_minimiser,
                                all + good.n_minimiser, all + good.n_minimiser + good.n,
                                good.n, NULL) >= 0);
    free(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    zm_error err = { ZM_OK, 0, "" };
    zm_status st;

    if (!scene)
        begin();
    if (!n)
        return 0;
    if (bytes[0] % 2)
        fuzz_write("state", bytes + 1, n - 1);
    else
        put_state(bytes + 1, n - 1);
    opts.epochs = 2;
    st = zm_trainer_run(trainer, &opts, &err);
    if (st < 0)
        require_message(st, &err);
    return 0;
}
