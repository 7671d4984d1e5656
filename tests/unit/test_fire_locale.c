/* SPDX-License-Identifier: Apache-2.0
 * Files and messages are the same in every locale. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/comma.h"
#include "support/folders.h"
#include "zermelo/fire/calibration_file.h"
#include "zermelo/fire/dataset.h"

static const char *const TEXTS[] = { "valley/scene.json", "valley/fires.csv",
                                     "valley/weather/f0001.csv" };
enum { N_TEXTS = sizeof TEXTS / sizeof *TEXTS };

static void simulate(test_run *t, const folder *f)
{
    zm_simulate_opts opts = ZM_SIMULATE_OPTS_INIT;
    zm_error err = { 0 };

    opts.rows = opts.cols = 40;
    opts.fires = 2;
    opts.finer = 1;
    opts.cell = 12.5;
    CHECK_MSG(zm_simulate_scene(folder_path(f, "valley"), &opts, &err) == ZM_OK, "%s",
              err.text);
}

TEST(a_scene_is_written_and_read_the_same_in_every_locale)
{
    const folder plain = folder_make(), comma = folder_make();
    zm_scene *scene = NULL;
    zm_error err = { 0 };

    simulate(t, &plain);
    if (!comma_begin(t))
        return;
    simulate(t, &comma);
    for (int i = 0; i < N_TEXTS; i++) {
        size_t n = 0, m = 0;
        char *a = folder_read(&plain, TEXTS[i], &n);
        char *b = folder_read(&comma, TEXTS[i], &m);

        CHECK_MSG(a && b && n == m && !memcmp(a, b, n), "%s differs", TEXTS[i]);
        free(a);
        free(b);
    }
    CHECK_MSG(zm_scene_open(folder_path(&comma, "valley"), &scene, NULL, &err) == ZM_OK,
              "%s", err.text);
    if (scene)
        CHECK(fabs(zm_scene_georeference(scene)->transform[1] - 12.5) < 1e-12);
    zm_scene_close(scene);
    comma_end();
    folder_remove(&plain);
    folder_remove(&comma);
}

TEST(messages_have_points)
{
    zm_simulate_opts opts = ZM_SIMULATE_OPTS_INIT;
    zm_error err = { 0 };

    opts.cell = 0.5;
    if (!comma_begin(t))
        return;
    CHECK(zm_simulate_scene("nowhere", &opts, &err) == ZM_E_ARG);
    CHECK_MSG(strstr(err.text, "0.5"), "%s", err.text);
    comma_end();
}
