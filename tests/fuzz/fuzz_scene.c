/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: a folder of any files (see fuzz_unpack) is a scene whose fires can be asked for, or
 * is refused with a message.  Contents "=landscape.tif" and "=arrival.tif" are rasters that fit.
 * Run: fuzz_scene tests/fuzz/corpus_scene */
#include "fuzz.h"
#include "maps.h"
#include "zermelo/fire/dataset.h"

static void ask(const zm_scene *scene)
{
    static float T[MAPS_CELLS];
    const zm_landscape *land = zm_scene_landscape(scene);
    const size_t n = zm_scene_count(scene);

    if ((size_t)land->rows * (size_t)land->cols > MAPS_CELLS)
        return;
    for (size_t i = 0; i < n && i < 20; i++) {
        const zm_fire *fire = zm_scene_fire(scene, i);
        zm_error err = { ZM_OK, 0, "" };
        zm_status st;

        require(fire->row >= 0 && fire->row < land->rows && fire->col >= 0 &&
                fire->col < land->cols && fire->hours >= 1 && fire->name[0]);
        require(zm_scene_find(scene, fire->name) == i);
        if ((st = zm_scene_arrival(scene, i, T, &err)) < 0)
            require_message(st, &err);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    zm_error err = { ZM_OK, 0, "" };
    zm_scene *scene = NULL;
    zm_status st;

    maps_make();
    st = zm_scene_open(fuzz_unpack("in", bytes, n), &scene, NULL, &err);
    require((st < 0) == !scene);
    if (st < 0)
        require_message(st, &err);
    else
        ask(scene);
    zm_scene_close(scene);
    return 0;
}
