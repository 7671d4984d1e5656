/* SPDX-License-Identifier: Apache-2.0
 * What learned models and their training promise. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fire/learn/inward.h"
#include "fire/learn/model.h"
#include "fire/learn/slowness.h"
#include "support/folders.h"
#include "support/hills.h"
#include "support/scenes.h"
#include "zermelo/forward.h"

/* Mirrors a landscape and its winds from east to west. */
static hills *mirrored(uint64_t seed, int32_t rows, int32_t cols)
{
    hills *h = hills_make(seed, rows, cols);
    const size_t n = (size_t)rows * (size_t)cols;

    for (int layer = 0; layer < 5; layer++)
        for (int32_t row = 0; row < rows; row++)
            for (int32_t col = 0; col < cols / 2; col++) {
                float *a = h->memory + (size_t)layer * n + (size_t)(row * cols);
                const float kept = a[col];

                a[col] = a[cols - 1 - col];
                a[cols - 1 - col] = kept;
            }
    for (size_t i = 0; i < n; i++) {
        float *aspect = h->memory + (size_t)ZM_LAYER_ASPECT * n + i;

        *aspect = *aspect > 0 ? 360 - *aspect : 0;
    }
    for (int k = 0; k < HILLS_HOURS; k++)
        h->weather[k].wind_dir = 360 - h->weather[k].wind_dir;
    h->fire.col = cols - 1 - h->fire.col;
    return h;
}

/* Directions enter the multiplicative model by wind and slope alone, and its solver has no
 * preferred hand; only the sun has, which stands in the east in the morning: at noon of hour 0
 * the two halves of the day do not mirror either, so cloud is complete and the sun's channels
 * are the same on both sides.  Without convolutions, whose weights are not symmetric, a
 * mirrored landscape burns in mirrored times, to the rounding of float32. */
TEST(a_mirrored_landscape_burns_in_mirrored_times)
{
    enum { ROWS = 24, COLS = 33 };
    hills *h = hills_make(t->seed, ROWS, COLS), *m = mirrored(t->seed, ROWS, COLS);
    zm_model_opts o = ZM_MODEL_OPTS_INIT;
    zm_model *model;
    float T[ROWS * COLS], M[ROWS * COLS];

    h->fire.start_hour = m->fire.start_hour =
        0; /* night: no sun for all of the hours */
    h->fire.start_month = m->fire.start_month = 12;
    o.layers = 0;
    o.seed = t->seed;
    CHECK(zm_model_create(&model, &o, NULL) == ZM_OK);
    CHECK(zm_model_predict(model, &h->landscape, &h->fire, T, NULL, NULL) == ZM_OK);
    CHECK(zm_model_predict(model, &m->landscape, &m->fire, M, NULL, NULL) == ZM_OK);
    for (int row = 0; row < ROWS; row++)
        for (int col = 0; col < COLS; col++)
            CHECK_NEAR((double)M[row * COLS + COLS - 1 - col],
                       (double)T[row * COLS + col], 2e-3 * (double)T[row * COLS + col]);
    zm_model_destroy(model);
    hills_free(h);
    hills_free(m);
}

/* Cells later than the limit are left out, the others are the same.  Mean weather: where the
 * metric changes by the hour, a cell not reached in one takes its whole last step with that of
 * the next, and so may come out before the hour. */
TEST(a_time_limit_cuts_and_changes_nothing_else)
{
    enum { SIDE = 30 };
    hills *h = hills_make(t->seed, SIDE, SIDE);
    zm_model_opts o = ZM_MODEL_OPTS_INIT;
    zm_predict_opts p = ZM_PREDICT_OPTS_INIT;
    zm_model *model;
    float all[SIDE * SIDE], some[SIDE * SIDE];

    o.seed = t->seed;
    o.hourly = 0;
    p.t_max = 2.5;
    CHECK(zm_model_create(&model, &o, NULL) == ZM_OK);
    model->rim = 0;
    CHECK(zm_model_predict(model, &h->landscape, &h->fire, all, NULL, NULL) == ZM_OK);
    CHECK(zm_model_predict(model, &h->landscape, &h->fire, some, &p, NULL) == ZM_OK);
    for (int i = 0; i < SIDE * SIDE; i++) {
        const bool late = (double)all[i] > p.t_max;

        CHECK_MSG(late ? isinf(some[i]) : fabsf(some[i] - all[i]) <= 1e-5F,
                  "cell %d: %g with the limit, %g without", i, (double)some[i],
                  (double)all[i]);
    }
    zm_model_destroy(model);
    hills_free(h);
}

typedef struct course {
    folder where;
    zm_scene *scene;
    zm_model *model;
    zm_trainer *trainer;
} course;

static void course_begin(course *c, const zm_scene *scene)
{
    zm_model_opts o = ZM_MODEL_OPTS_INIT;

    o.channels = 4;
    o.hidden = 6;
    o.layers = 1;
    if (zm_model_create(&c->model, &o, NULL) < 0 ||
        zm_trainer_create(&c->trainer, c->model, NULL) < 0 ||
        zm_trainer_add(c->trainer, scene, ZM_SPLIT_TRAIN, ZM_SPLIT_VAL, 4, NULL) < 0)
        abort();
}

static void course_end(course *c)
{
    zm_trainer_destroy(c->trainer);
    zm_model_destroy(c->model);
}

static int stop_in_third_epoch(void *ctx, const zm_train_iteration *p)
{
    (void)ctx;
    return p->epoch == 3 && p->batch == 1;
}

/* Order of fires, Adam's moments, learning rate and best model are all in the state: a
 * training that was cut off in the middle of an epoch ends at the same bits. */
TEST(a_training_that_was_interrupted_ends_at_the_same_model)
{
    const folder f = folder_make();
    zm_simulate_opts land = ZM_SIMULATE_OPTS_INIT;
    zm_train_opts o = ZM_TRAIN_OPTS_INIT;
    zm_scene *scene = NULL;
    course whole, parts;
    char state[96];

    land.rows = land.cols = 48;
    land.fires = 8;
    land.finer = 1;
    land.seed = 3;
    snprintf(state, sizeof state, "%s", folder_path(&f, "state"));
    CHECK(zm_simulate_scene(folder_path(&f, "scene"), &land, NULL) == ZM_OK);
    CHECK(zm_scene_open(folder_path(&f, "scene"), &scene, NULL, NULL) == ZM_OK);
    o.epochs = 4;
    o.batch = 2;
    o.rate = 0.01;
    o.plateau = 1;
    course_begin(&whole, scene);
    CHECK(zm_trainer_run(whole.trainer, &o, NULL) == ZM_OK);

    course_begin(&parts, scene);
    o.state_path = state;
    o.resume = 1;
    o.monitor = stop_in_third_epoch;
    CHECK(zm_trainer_run(parts.trainer, &o, NULL) == ZM_E_CANCELLED);
    course_end(&parts);
    course_begin(&parts, scene); /* as a new process would */
    o.monitor = NULL;
    CHECK(zm_trainer_run(parts.trainer, &o, NULL) == ZM_OK);
    CHECK(!memcmp(whole.model->parameters, parts.model->parameters,
                  whole.model->n_parameters * sizeof(double)));

    o.seed = 2; /* another order of fires: not the training that was begun */
    CHECK(zm_trainer_run(parts.trainer, &o, NULL) == ZM_E_STATE);
    course_end(&whole);
    course_end(&parts);
    zm_scene_close(scene);
    scene_remove(&f);
}

/* The failure of a run whose message has the word; ZM_OK otherwise. */
static zm_status failure_naming(course *c, const zm_train_opts *o, const char *word)
{
    zm_error err = { 0 };
    const zm_status st = zm_trainer_run(c->trainer, o, &err);

    return st < 0 && strstr(err.text, word) ? st : ZM_OK;
}

/* A state is believed only for the task it is of, and only if no bit of it has changed. */
TEST(a_state_of_another_task_or_a_damaged_one_is_refused)
{
    const folder f = folder_make();
    zm_simulate_opts land = ZM_SIMULATE_OPTS_INIT;
    zm_train_opts o = ZM_TRAIN_OPTS_INIT, other;
    zm_scene *scene = NULL;
    course c;
    char state[96];
    FILE *file;
    int byte;

    land.rows = land.cols = 48;
    land.fires = 8;
    land.finer = 1;
    land.seed = 3;
    snprintf(state, sizeof state, "%s", folder_path(&f, "state"));
    CHECK(zm_simulate_scene(folder_path(&f, "scene"), &land, NULL) == ZM_OK);
    CHECK(zm_scene_open(folder_path(&f, "scene"), &scene, NULL, NULL) == ZM_OK);
    course_begin(&c, scene);
    o.epochs = 2;
    o.batch = 4;
    o.state_path = state;
    o.resume = 1;
    CHECK(zm_trainer_run(c.trainer, &o, NULL) == ZM_OK);
    o.epochs = 4;
    other = o;
    other.batch = 1;
    CHECK(failure_naming(&c, &other, "batch 4") == ZM_E_STATE);
    other = o;
    other.rate = 0.1;
    CHECK(failure_naming(&c, &other, "rate") == ZM_E_STATE);
    other = o;
    other.loss.huber = 0.25;
    CHECK(failure_naming(&c, &other, "loss") == ZM_E_STATE);
    other = o;
    other.clip = 2;
    CHECK(failure_naming(&c, &other, "clip") == ZM_E_STATE);
    other = o;
    other.loss.censored =
        0.5; /* weighs the fires too, but it is the loss that differs */
    CHECK(failure_naming(&c, &other, "loss") == ZM_E_STATE);
    CHECK(zm_trainer_run(c.trainer, &o, NULL) == ZM_OK);

    file = fopen(state, "r+b"); /* one bit in the middle of the numbers */
    fseek(file, -4000, SEEK_END);
    byte = fgetc(file);
    fseek(file, -4000, SEEK_END);
    fputc(byte ^ 16, file);
    fclose(file);
    o.epochs = 6;
    CHECK(failure_naming(&c, &o, "damaged") == ZM_E_FORMAT);
    course_end(&c);
    zm_scene_close(scene);
    scene_remove(&f);
}

/* Where no step gives a finite loss the training ends, says so, and has its best model. */
TEST(a_training_that_diverges_says_so_and_keeps_its_best_model)
{
    const folder f = folder_make();
    zm_simulate_opts land = ZM_SIMULATE_OPTS_INIT;
    zm_train_opts o = ZM_TRAIN_OPTS_INIT;
    zm_scene *scene = NULL;
    course c;

    land.rows = land.cols = 48;
    land.fires = 8;
    land.finer = 1;
    land.seed = 3;
    CHECK(zm_simulate_scene(folder_path(&f, "scene"), &land, NULL) == ZM_OK);
    CHECK(zm_scene_open(folder_path(&f, "scene"), &scene, NULL, NULL) == ZM_OK);
    course_begin(&c, scene);
    o.epochs = 6;
    o.batch = 2;
    o.rate = 1e30;
    CHECK(failure_naming(&c, &o, "smaller rate") == ZM_E_STATE);
    for (size_t i = 0; i < c.model->n_parameters; i++)
        CHECK(isfinite(c.model->parameters[i]));
    course_end(&c);
    zm_scene_close(scene);
    scene_remove(&f);
}

static int keep_losses(void *ctx, const zm_train_iteration *p)
{
    double *loss = ctx;

    if (p->batch == p->batches)
        loss[p->epoch == 1 ? 0 : 1] = p->loss;
    return 0;
}

/* Through the whole chain, with each loss and with temporal bands: a few epochs of Adam on four
 * fires bring the loss down. */
TEST(training_lowers_every_loss)
{
    const folder f = folder_make();
    zm_simulate_opts land = ZM_SIMULATE_OPTS_INIT;
    zm_scene *scene = NULL;

    land.rows = land.cols = 48;
    land.fires = 8;
    land.finer = 1;
    CHECK(zm_simulate_scene(folder_path(&f, "scene"), &land, NULL) == ZM_OK);
    CHECK(zm_scene_open(folder_path(&f, "scene"), &scene, NULL, NULL) == ZM_OK);
    for (int kind = 0; kind < 4; kind++) {
        zm_train_opts o = ZM_TRAIN_OPTS_INIT;
        double loss[2] = { NAN, NAN };
        course c;

        o.epochs = 6;
        o.batch = 4;
        o.rate = 0.01;
        o.loss.time = kind % 2 ? ZM_TIME_LINEAR : ZM_TIME_LOG;
        o.loss.huber = kind == 1 ? HUGE_VAL : 0.3;
        o.band_width = kind == 3 ? 0.5 : 0;
        o.monitor = keep_losses;
        o.monitor_ctx = loss;
        course_begin(&c, scene);
        CHECK(zm_trainer_run(c.trainer, &o, NULL) == ZM_OK);
        CHECK_MSG(loss[1] < 0.95 * loss[0], "loss %d: %g after %g", kind, loss[1],
                  loss[0]);
        course_end(&c);
    }
    zm_scene_close(scene);
    scene_remove(&f);
}

/* A front at one speed in all directions from its ignition is what the first baseline is. */
TEST(the_distance_baseline_finds_the_speed_of_a_circular_front)
{
    const zm_baseline b = { 50, 0.6, { 0.6, 0.8 }, 0 };
    hills *h = hills_make(t->seed, 20, 20);
    float T[400];

    zm_baseline_predict(&b, &h->landscape, &h->fire, HUGE_VAL, T);
    CHECK_NEAR((double)T[10 * 20 + 15], 150 * (1 - 0.36) / 50, 1e-5);
    CHECK_NEAR((double)T[5 * 20 + 10], 150 * (1 + 0.48) / 50, 1e-5);
    zm_baseline_predict(&b, &h->landscape, &h->fire, 3, T);
    CHECK(isfinite(T[10 * 20 + 15]) && isinf(T[5 * 20 + 10]));
    hills_free(h);
}

/* Inside its interval a time costs nothing; outside, the derivative is that of the loss. */
TEST(losses_have_the_derivatives_of_finite_differences_and_none_inside_intervals)
{
    enum { N = 6 };
    const double low[N] = { 1, 1, 2, 3, 5, 5 },
                 high[N] = { 1, 4, 4, 3, HUGE_VAL, HUGE_VAL };
    const double weight[N] = { 1, 1, 0.5, 2, 1, 1 }, h = 1e-6;
    double T[N] = { 1.7, 2, 9, 2.2, 3, 7 }, d[N], unused[N];

    for (int kind = 0; kind < 4; kind++) {
        zm_loss_opts o = ZM_LOSS_OPTS_INIT;

        o.time = kind % 2 ? ZM_TIME_LINEAR : ZM_TIME_LOG;
        o.huber = kind < 2 ? 0.05 : HUGE_VAL;
        (void)zm_loss(N, T, low, high, weight, 4, d, &o);
        CHECK(d[1] == 0 && d[5] == 0);
        for (int i = 0; i < N; i++) {
            const double kept = T[i];
            double above, below;

            T[i] = kept + h;
            above = zm_loss(N, T, low, high, weight, 4, unused, &o);
            T[i] = kept - h;
            below = zm_loss(N, T, low, high, weight, 4, unused, &o);
            T[i] = kept;
            CHECK_NEAR((above - below) / (2 * h), d[i], 1e-8);
        }
    }
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* Diagonal metrics, whose eigenvalues are the entries: a derivative that leads a clamped one
 * back counts as it is, one that leads it out does not, and inside nothing is added. */
TEST(derivatives_of_clamped_metrics_lead_inside_and_never_out)
{
    zm_project_opts bounds = ZM_PROJECT_OPTS_INIT;
    uint64_t state = t->seed;

    bounds.eig_min = 0.1;
    bounds.eig_max = 10;
    bounds.rho = 0.9;
    for (int trial = 0; trial < 200; trial++) {
        const double raw[5] = { 24 * zm_random_unit(&state) - 6, 0,
                                24 * zm_random_unit(&state) - 6,
                                4 * zm_random_unit(&state) - 2, 0 };
        const double d[5] = { 2 * zm_random_unit(&state) - 1, 0,
                              2 * zm_random_unit(&state) - 1,
                              2 * zm_random_unit(&state) - 1, 0 };
        const double norm = fabs(raw[3]) / sqrt(clamp(raw[0], 0.1, 10));
        double d_in[5] = { 0 };

        zm_field_inward_derivative(raw, d, &bounds, d_in);
        for (int k = 0; k < 3; k += 2) {
            const bool back = (raw[k] < 0.1 && d[k] < 0) || (raw[k] > 10 && d[k] > 0);

            CHECK_NEAR(d_in[k], back ? d[k] : 0, 1e-12);
        }
        CHECK_NEAR(d_in[1], 0, 1e-12);
        CHECK_NEAR(d_in[3], norm > 0.9 && d[3] * raw[3] > 0 ? d[3] * 0.9 / norm : 0,
                   1e-12);
        CHECK_NEAR(d_in[4], 0, 1e-12);
    }
}

/* The slowness found from times of a random isotropic medium is that medium, to rounding of
 * float32 times: a second apart cells differ by 1e-4 of their step. */
TEST(slowness_found_from_times_is_the_one_they_were_made_with)
{
    enum { ROWS = 19, COLS = 23 };
    const zm_grid grid = { ROWS, COLS, 30, 30 };
    const zm_source source = { 9, 11, 0 };
    double g[ROWS * COLS], T[ROWS * COLS];
    float rounded[ROWS * COLS];
    zm_problem problem = { .size = sizeof(zm_problem),
                           .metric = { .dtype = ZM_F64, .g11 = g },
                           .sources = &source,
                           .n_sources = 1 };
    uint64_t state = t->seed;
    zm_solver *solver;

    for (int i = 0; i < ROWS * COLS; i++) {
        const double slowness = (1 + zm_random_unit(&state)) / 60;

        g[i] = slowness * slowness;
    }
    CHECK(zm_solver_create(&solver, grid, ZM_F64, NULL, NULL) == ZM_OK);
    CHECK(zm_forward(solver, &problem, T, NULL, NULL, NULL) == ZM_OK);
    for (int i = 0; i < ROWS * COLS; i++)
        rounded[i] = (float)T[i];
    for (int row = 0; row < ROWS; row++)
        for (int col = 0; col < COLS; col++) {
            const double s = zm_field_slowness_at(rounded, ROWS, COLS, 30, row, col);
            const double exact = sqrt(g[row * COLS + col]);

            CHECK_NEAR(s, row == 9 && col == 11 ? 0 : exact, 1e-4 * exact);
        }
    zm_solver_destroy(solver);
}

/* Named losses and the training that suits a form change what they say and nothing else. */
TEST(named_losses_and_forms_set_their_options)
{
    const double T[2] = { 3, 5 }, at[2] = { 2, 7 }, weight[2] = { 1, 1 };
    zm_loss_opts loss = ZM_LOSS_OPTS_INIT;
    zm_train_opts o = ZM_TRAIN_OPTS_INIT;

    loss.censored = 7;
    zm_loss_opts_for(ZM_LOSS_MSE, &loss);
    CHECK(loss.time == ZM_TIME_LINEAR && loss.censored == 7);
    CHECK_NEAR(zm_loss(2, T, at, at, weight, 10, NULL, &loss), 0.5 * (0.01 + 0.04),
               1e-15);
    zm_loss_opts_for(ZM_LOSS_AREA, &loss);
    CHECK_NEAR(zm_loss(2, T, at, at, weight, 10, NULL, &loss), 0.01 * (0.3 - 0.01),
               1e-15);
    zm_loss_opts_for(ZM_LOSS_LOG, &loss);
    CHECK(loss.time == ZM_TIME_LOG && loss.huber == 0.5);
    o.epochs = 3;
    zm_train_opts_for(ZM_MODEL_PHYSICS, &o);
    CHECK(o.shrink > 0 && o.warm_up == 0 && o.epochs == 3);
    zm_train_opts_for(ZM_MODEL_PAPER, &o);
    CHECK(o.shrink == 0 && o.warm_up > 0 && o.batch == 4);
    zm_train_opts_for(ZM_MODEL_MULTIPLICATIVE, &o);
    CHECK(o.warm_up == 0 && o.batch == 8 && o.epochs == 3);
}
