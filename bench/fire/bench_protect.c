/* SPDX-License-Identifier: Apache-2.0
 * What fuel breaks are worth: on fires of scenes, an asset on the way of each, delay by the break that
 * zm_protect finds beside those by a ring, a line and a random break of as many cells.
 *
 *     bench_protect CELLS SIDE MEMBERS MARKERS MOST FIRES SCENE...
 *
 * takes the first FIRES test fires of each scene.  The assets are a block of SIDE x SIDE cells about the
 * cell farthest from the ignition of those that truly burned in 50 to 65 % of the duration and
 * whose block burned to nine tenths; fires are looked at until half their duration after their end.  Fires of more than
 * MOST cells are passed over. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zermelo/fire/dataset.h"
#include "zermelo/fire/protect.h"

typedef struct task {
    int64_t cells;
    int32_t side, members, markers, most, fires;
} task;

static int block_burns(const float *T, const zm_landscape *land, int32_t row,
                       int32_t col, int32_t half)
{
    int burned = 0;

    if (row < half || col < half || row + half >= land->rows ||
        col + half >= land->cols)
        return 0;
    for (int32_t r = row - half; r <= row + half; r++)
        for (int32_t c = col - half; c <= col + half; c++)
            burned += isfinite(T[(size_t)r * (size_t)land->cols + (size_t)c]) != 0;
    return 10 * burned >= 9 * (2 * half + 1) * (2 * half + 1);
}

/* Marks the block; false where there is none. */
static int choose_assets(const float *T, const zm_landscape *land, const zm_fire *fire,
                         int32_t half, uint8_t *assets)
{
    double farthest = 0;
    int32_t row = -1, col = -1;

    memset(assets, 0, (size_t)land->rows * (size_t)land->cols);
    for (int32_t r = 0; r < land->rows; r++)
        for (int32_t c = 0; c < land->cols; c++) {
            const double t = (double)T[(size_t)r * (size_t)land->cols + (size_t)c],
                         far = hypot(r - fire->row, c - fire->col);

            if (t >= 0.5 * fire->duration && t <= 0.65 * fire->duration &&
                far > farthest && block_burns(T, land, r, c, half)) {
                farthest = far;
                row = r;
                col = c;
            }
        }
    for (int32_t r = -half; row >= 0 && r <= half; r++)
        for (int32_t c = -half; c <= half; c++)
            assets[(size_t)(row + r) * (size_t)land->cols + (size_t)(col + c)] = 1;
    return row >= 0;
}

static int delays(const task *t, const zm_scene *scene, const zm_fire *fire,
                  const uint8_t *assets)
{
    zm_ensemble_opts ensemble = ZM_ENSEMBLE_OPTS_INIT;
    zm_protect_problem problem = ZM_PROTECT_PROBLEM_INIT;
    zm_protect_report r = ZM_PROTECT_REPORT_INIT;
    zm_protect_opts opts = ZM_PROTECT_OPTS_INIT;
    double rival[2] = { 0, 0 };
    zm_error err;

    ensemble.members = t->members;
    problem.landscape = zm_scene_landscape(scene);
    problem.fire = fire;
    problem.t_max = 1.5 * fire->duration;
    problem.assets = assets;
    problem.ensemble = &ensemble;
    opts.cells = t->cells;
    opts.markers = t->markers;
    if (zm_protect(&problem, NULL, &r, &opts, &err) < 0) {
        printf("%-14s %s: %s\n", zm_scene_name(scene), fire->name, err.text);
        return 0;
    }
    printf("%-14s %s at %6.2f h (%5.1f %%)", zm_scene_name(scene), fire->name,
           r.travel_time[0].time, 100 * r.travel_time[0].probability);
    for (int k = 1; k < ZM_BREAKS; k++) {
        const double d = r.travel_time[k].time - r.travel_time[0].time,
                     m = r.markers[k].time - r.markers[0].time;

        printf(" %7.2f", d);
        if (t->markers)
            printf(" (%6.2f)", m);
        if (k > ZM_BREAK_PLAN) {
            rival[0] = fmax(rival[0], d);
            rival[1] = fmax(rival[1], m);
        }
    }
    printf("  ratio %.2f", (r.travel_time[1].time - r.travel_time[0].time) / rival[0]);
    if (t->markers)
        printf(" (%.2f)", (r.markers[1].time - r.markers[0].time) / rival[1]);
    printf("\n");
    fflush(stdout);
    return 1;
}

static int64_t burned(const float *T, size_t n)
{
    int64_t cells = 0;

    for (size_t i = 0; i < n; i++)
        cells += isfinite(T[i]) != 0;
    return cells;
}

static int run_scene(const task *t, const char *folder)
{
    zm_scene *scene;
    zm_error err;
    size_t n;
    float *T;
    uint8_t *assets;
    int done = 0;

    if (zm_scene_open(folder, &scene, NULL, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    n = (size_t)zm_scene_landscape(scene)->rows *
        (size_t)zm_scene_landscape(scene)->cols;
    T = malloc(n * sizeof *T);
    assets = malloc(n);
    for (size_t i = 0; T && assets && i < zm_scene_count(scene) && done < t->fires; i++)
        if (!strcmp(zm_scene_split_word(scene, i), "test") &&
            zm_scene_arrival(scene, i, T, NULL) >= 0 && burned(T, n) <= t->most &&
            choose_assets(T, zm_scene_landscape(scene), zm_scene_fire(scene, i),
                          t->side / 2, assets))
            done += delays(t, scene, zm_scene_fire(scene, i), assets);
    free(T);
    free(assets);
    zm_scene_close(scene);
    return 0;
}

int main(int argc, char **argv)
{
    task t;
    int status = 0;

    if (argc < 8) {
        fprintf(stderr,
                "bench_protect CELLS SIDE MEMBERS MARKERS MOST FIRES SCENE...\n");
        return 2;
    }
    t = (task){ atol(argv[1]), atoi(argv[2]), atoi(argv[3]),
                atoi(argv[4]), atoi(argv[5]), atoi(argv[6]) };
    printf("delay, h, by           plan, ring, line, random (by markers)\n");
    for (int i = 7; i < argc; i++)
        status |= run_scene(&t, argv[i]);
    return status;
}
