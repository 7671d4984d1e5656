/* SPDX-License-Identifier: Apache-2.0
 * The whole chain of learning in float64: channels, convolutions, perceptron, projection,
 * solver, loss, total variation. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fire/learn/objective.h"
#include "support/hills.h"

typedef struct chain {
    hills *land;
    zm_place place;
    zm_model *model;
    zm_sample *samples[2];
    zm_batch_task task;
    double *x;
    size_t n;
} chain;

enum { ROWS = 26, COLS = 30 };

static void chain_make(chain *c, uint64_t seed, const zm_model_opts *opts)
{
    float truth[ROWS * COLS];
    zm_error err = { ZM_OK, -1, "" };

    memset(c, 0, sizeof *c);
    c->land = hills_make(seed, ROWS, COLS);
    hills_times(c->land, truth);
    c->place.landscape = &c->land->landscape;
    if (zm_model_create(&c->model, opts, &err) < 0 ||
        zm_learn_terrain_create(&c->place.ground, &c->land->landscape, &err) < 0 ||
        zm_sample_create(&c->samples[0], &c->place, &c->land->fire, truth, 0.5,
                         !c->model->hourly, &err) < 0 ||
        zm_sample_band(&c->samples[1], c->samples[0], 1.3, 3.1, &err) < 0 ||
        zm_field_head_create(&c->task.head, c->model, ZM_NET_REFERENCE, &err) < 0)
        abort();
    c->n = c->model->n_parameters;
    c->x = malloc(c->n * sizeof *c->x);
    if (!c->x)
        abort();
    memcpy(c->x, c->model->parameters, c->n * sizeof *c->x);
    c->task.model = c->model;
    c->task.make = ZM_NET_REFERENCE;
    c->task.loss = (zm_loss_opts)ZM_LOSS_OPTS_INIT;
    c->task.tv_metric = c->task.tv_drift = 0.01;
}

static void chain_free(chain *c)
{
    zm_mlp_destroy(c->task.head);
    zm_sample_destroy(c->samples[0]);
    zm_sample_destroy(c->samples[1]);
    zm_learn_terrain_destroy(c->place.ground);
    zm_model_destroy(c->model);
    hills_free(c->land);
    free(c->x);
}

static double chain_value(chain *c, double *gradient)
{
    zm_batch_result result;
    zm_error err;

    c->task.parameters = c->x;
    zm_mlp_load(c->task.head, c->x + zm_model_head_at(c->model));
    if (gradient)
        memset(gradient, 0, c->n * sizeof *gradient);
    if (zm_train_batch_loss(&c->task, c->samples, 2, gradient, NULL, &result, &err) < 0)
        abort();
    return result.loss;
}

/* Derivatives along random directions.  Times are piecewise smooth in the parameters, with
 * kinks where a stencil, the hour of a cell or a ReLU switches: a direction that meets one
 * within h shows it by one-sided differences that disagree, and is left out.  At least a half
 * must remain; those must agree. */
static void check_directions(test_run *t, chain *c)
{
    enum { DIRECTIONS = 12 };
    const double h = 1e-7;
    double *gradient = malloc(c->n * sizeof *gradient), *d = malloc(c->n * sizeof *d);
    double *unused = malloc(c->n * sizeof *unused);
    uint64_t state = t->seed;
    double middle;
    int kept = 0;

    if (!gradient || !d || !unused)
        abort();
    middle = chain_value(c, gradient);
    for (int k = 0; k < DIRECTIONS; k++) {
        double exact = 0, above, below, right, left;

        for (size_t i = 0; i < c->n; i++) {
            d[i] = 2 * zm_random_unit(&state) - 1;
            exact += d[i] * gradient[i];
            c->x[i] += h * d[i];
        }
        above = chain_value(c, unused);
        for (size_t i = 0; i < c->n; i++)
            c->x[i] -= 2 * h * d[i];
        below = chain_value(c, unused);
        for (size_t i = 0; i < c->n; i++)
            c->x[i] += h * d[i];
        right = (above - middle) / h;
        left = (middle - below) / h;
        if (fabs(right - left) > 1e-4 * (fabs(right) + fabs(left)))
            continue;
        kept++;
        CHECK_NEAR(0.5 * (right + left), exact, 1e-4 * fabs(exact) + 1e-6);
    }
    CHECK_MSG(kept >= DIRECTIONS / 2, "%d of %d directions met no kink", kept,
              DIRECTIONS);
    free(gradient);
    free(d);
    free(unused);
}

TEST(derivatives_of_the_multiplicative_chain_are_those_of_finite_differences)
{
    zm_model_opts o = ZM_MODEL_OPTS_INIT;
    chain c;

    o.layers = 2;
    o.channels = 5;
    o.hidden = 6;
    o.seed = t->seed;
    chain_make(&c, t->seed, &o);
    check_directions(t, &c);
    chain_free(&c);
}

TEST(derivatives_hold_with_adaptive_stencils)
{
    zm_model_opts o = ZM_MODEL_OPTS_INIT;
    chain c;

    o.layers = 0;
    o.hidden = 6;
    o.stencils = ZM_STENCILS_ADAPTIVE;
    chain_make(&c, t->seed, &o);
    check_directions(t, &c);
    chain_free(&c);
}

static zm_model_opts small_paper(int32_t layers, int32_t channels, uint64_t seed)
{
    zm_model_opts o = ZM_MODEL_OPTS_INIT;

    o.form = ZM_MODEL_PAPER;
    o.layers = layers;
    o.channels = channels;
    o.hidden = 5;
    o.seed = seed;
    return o;
}

TEST(derivatives_of_the_papers_chain_are_those_of_finite_differences)
{
    const zm_model_opts o = small_paper(3, 6, t->seed);
    chain c;

    chain_make(&c, t->seed, &o);
    check_directions(t, &c);
    chain_free(&c);
}

/* Fronts from the sources of two parts at once, where only burned cells count. */
TEST(derivatives_of_a_patch_are_those_of_finite_differences)
{
    const zm_model_opts o = small_paper(2, 5, t->seed);
    float truth[ROWS * COLS];
    zm_patch patch;
    chain c;

    chain_make(&c, t->seed, &o);
    hills_times(c.land, truth);
    for (int col = 0; col < COLS; col++)
        truth[c.land->fire.row * COLS + col] = INFINITY;
    patch = (zm_patch){ c.land->fire.row - 8, c.land->fire.col + 2, 17, 11, 0 };
    zm_sample_destroy(c.samples[1]);
    CHECK(zm_sample_patch(&c.samples[1], &c.place, &c.land->fire, truth, &patch,
                          NULL) == ZM_OK);
    CHECK(c.samples[1]->n_sources == 8);
    check_directions(t, &c);
    chain_free(&c);
}

/* From the whole landscape's physics through hours of weather to the corrections of cells,
 * fuel models and the network.  The sample from a perimeter has no ignition. */
TEST(derivatives_of_physics_with_a_residual_are_those_of_finite_differences)
{
    zm_model_opts o = ZM_MODEL_OPTS_INIT;
    uint64_t state = t->seed + 1;
    chain c;

    o.form = ZM_MODEL_PHYSICS;
    o.layers = 2;
    o.channels = 5;
    o.hidden = 6;
    o.seed = t->seed;
    chain_make(&c, t->seed, &o);
    c.task.tv_metric = c.task.tv_drift = 0;
    c.task.shrink = 0.01;
    for (size_t i = 0; i < c.n; i++) /* a new model has no corrections */
        c.x[i] += 0.1 * (2 * zm_random_unit(&state) - 1);
    check_directions(t, &c);
    chain_free(&c);
}

/* Without total variation a solve stops when the fire is over and all that burned is reached:
 * what is left out has no part in the loss.  A weight of 1e-30 for total variation solves
 * everywhere.  The two agree to rounding. */
TEST(solving_no_further_than_the_loss_looks_changes_nothing)
{
    for (int form = 0; form < 2; form++) {
        zm_model_opts o = ZM_MODEL_OPTS_INIT;
        double *part, *whole, loss, most = 0;
        chain c;

        o.form = form ? ZM_MODEL_PAPER : ZM_MODEL_MULTIPLICATIVE;
        o.layers = 2;
        o.channels = 5;
        o.hidden = 6;
        o.rate = 40; /* slower than the truth: not all is reached by the end */
        o.seed = t->seed;
        chain_make(&c, t->seed, &o);
        part = malloc(c.n * sizeof *part);
        whole = malloc(c.n * sizeof *whole);
        if (!part || !whole)
            abort();
        c.task.tv_metric = c.task.tv_drift = 1e-30;
        loss = chain_value(&c, whole);
        c.task.tv_metric = c.task.tv_drift = 0;
        CHECK_NEAR(chain_value(&c, part), loss, 1e-9 * loss);
        for (size_t i = 0; i < c.n; i++)
            most = fmax(most, fabs(whole[i]));
        for (size_t i = 0; i < c.n; i++)
            CHECK_NEAR(part[i], whole[i], 1e-7 * most);
        free(part);
        free(whole);
        chain_free(&c);
    }
}

/* Small fires on a large landscape have convolutions of their own, the others share them; in
 * both ways the threads add nothing up in another order. */
TEST(threads_change_no_bit_of_loss_and_derivatives)
{
    enum { FIRES = 3, SIDE = 70 };

    for (int hours = 2; hours <= 9; hours += 7) {
        zm_model_opts o = ZM_MODEL_OPTS_INIT;
        hills *land = hills_make(t->seed, SIDE, SIDE);
        zm_place place = { &land->landscape, NULL };
        zm_batch_task task = { .make = ZM_NET_FAST, .loss = ZM_LOSS_OPTS_INIT };
        float truth[SIDE * SIDE];
        zm_sample *samples[FIRES] = { NULL };
        zm_batch_result one, many;
        double *gradient;
        zm_model *model;

        o.form = hours == 2 ? ZM_MODEL_PAPER : ZM_MODEL_MULTIPLICATIVE;
        o.channels = 5;
        o.layers = 2;
        CHECK(zm_model_create(&model, &o, NULL) == ZM_OK);
        CHECK(zm_learn_terrain_create(&place.ground, &land->landscape, NULL) == ZM_OK);
        for (int k = 0; k < FIRES; k++) {
            for (int i = 0; i < SIDE * SIDE; i++) {
                const double h = hypot(i / SIDE - land->fire.row,
                                       i % SIDE - land->fire.col + 2 * k) *
                                 0.5;

                truth[i] = h < hours ? (float)h : INFINITY;
            }
            CHECK(zm_sample_create(&samples[k], &place, &land->fire, truth, 1,
                                   !model->hourly, NULL) == ZM_OK);
        }
        CHECK(zm_field_head_create(&task.head, model, ZM_NET_FAST, NULL) == ZM_OK);
        zm_mlp_load(task.head, model->parameters + zm_model_head_at(model));
        gradient = calloc(2 * model->n_parameters, sizeof *gradient);
        if (!gradient)
            abort();
        task.model = model;
        task.parameters = model->parameters;
        task.threads = 1;
        CHECK(zm_train_batch_loss(&task, samples, FIRES, gradient, NULL, &one, NULL) ==
              ZM_OK);
        task.threads = 3;
        CHECK(zm_train_batch_loss(&task, samples, FIRES, gradient + model->n_parameters,
                                  NULL, &many, NULL) == ZM_OK);
        CHECK(one.loss > 0 && one.loss == many.loss);
        CHECK(!memcmp(gradient, gradient + model->n_parameters,
                      model->n_parameters * sizeof *gradient));
        for (int k = 0; k < FIRES; k++)
            zm_sample_destroy(samples[k]);
        free(gradient);
        zm_mlp_destroy(task.head);
        zm_learn_terrain_destroy(place.ground);
        zm_model_destroy(model);
        hills_free(land);
    }
}

/* Convolutions with a halo know as much as convolutions over all the land: the same loss
 * and derivatives, to float32 rounding of sums in another order. */
TEST(windows_and_the_whole_landscape_give_the_same_derivatives)
{
    zm_model_opts o = ZM_MODEL_OPTS_INIT;
    chain c;
    zm_region *whole, *part;
    const zm_area all = { 0, 0, ROWS, COLS }, window = { 8, 9, 10, 11 };
    zm_area grown;

    o.layers = 3;
    o.channels = 8;
    chain_make(&c, t->seed, &o);
    grown = zm_region_area_grown(window, zm_model_halo(c.model), c.place.ground);
    CHECK(zm_region_create(&whole, c.model, c.place.ground, all, ZM_NET_FAST, NULL) ==
          ZM_OK);
    CHECK(zm_region_create(&part, c.model, c.place.ground, grown, ZM_NET_FAST, NULL) ==
          ZM_OK);
    CHECK(zm_region_forward(whole, c.x, NULL) == ZM_OK);
    CHECK(zm_region_forward(part, c.x, NULL) == ZM_OK);
    for (int f = 0; f < zm_model_features(c.model); f++)
        for (int row = window.row; row < window.row + window.rows; row++)
            for (int col = window.col; col < window.col + window.cols; col++) {
                const int a = (f * ROWS + row) * COLS + col;
                const int b =
                    (f * grown.rows + row - grown.row) * grown.cols + col - grown.col;

                CHECK_NEAR(part->features[b], whole->features[a], 1e-5);
            }
    zm_region_destroy(whole);
    zm_region_destroy(part);
    chain_free(&c);
}

/* Hour by hour each cell takes the metric of the hour it burns in, and the last solve is a
 * fixed point of that very metric: solving it at once gives the same times. */
static zm_status fill_again(void *ctx, size_t hour, const int32_t *cells, size_t n,
                            const zm_burn_planes *planes, zm_error *err)
{
    const zm_burn_planes *from = ctx;

    (void)hour;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        planes->g11[cells[i]] = from->g11[cells[i]];
        planes->b1[cells[i]] = from->b1[cells[i]];
        planes->b2[cells[i]] = from->b2[cells[i]];
    }
    return ZM_OK;
}

TEST(hours_leave_a_fixed_point_of_the_metric_each_cell_burned_in)
{
    zm_model_opts o = ZM_MODEL_OPTS_INIT;
    const zm_grid grid = { ROWS, COLS, 30, 30 };
    const zm_area all = { 0, 0, ROWS, COLS };
    zm_source sources[9];
    zm_region *region;
    zm_field *field;
    zm_burn *hourly, *once;
    chain c;

    o.layers = 0;
    chain_make(&c, t->seed, &o);
    zm_mlp_load(c.task.head, c.x + zm_model_head_at(c.model));
    CHECK(zm_region_create(&region, c.model, c.place.ground, all, ZM_NET_REFERENCE,
                           NULL) == ZM_OK);
    CHECK(zm_field_create(&field, region, all, c.samples[0]->hours, c.x, c.task.head,
                          NULL) == ZM_OK);
    CHECK(zm_burn_create(&hourly, grid, true, ZM_STENCILS_FIXED, NULL) == ZM_OK);
    CHECK(zm_burn_create(&once, grid, true, ZM_STENCILS_FIXED, NULL) == ZM_OK);
    {
        const size_t n = zm_sample_ignition_block(all, ROWS / 2, COLS / 2, 0, sources);
        const zm_burn_task hours = { .sources = sources,
                                     .n_sources = n,
                                     .hours = HILLS_HOURS,
                                     .t_max = HUGE_VAL,
                                     .fill = zm_field_fill,
                                     .ctx = field };
        const zm_burn_task all_at_once = { .sources = sources,
                                           .n_sources = n,
                                           .hours = 1,
                                           .t_max = HUGE_VAL,
                                           .fill = fill_again,
                                           .ctx = &hourly->metric };

        CHECK(zm_burn_solve(hourly, &hours, NULL) == ZM_OK);
        CHECK(zm_burn_solve(once, &all_at_once, NULL) == ZM_OK);
    }
    for (size_t i = 0; i < hourly->n; i++) {
        const double late =
            hourly->hour[i] + 1 < HILLS_HOURS ? hourly->hour[i] + 1 : HUGE_VAL;

        CHECK(hourly->hour[i] >= 0 && hourly->T[i] <= late);
        CHECK_NEAR(once->T[i], hourly->T[i], 1e-12 * hourly->T[i]);
    }
    zm_burn_destroy(hourly);
    zm_burn_destroy(once);
    zm_field_destroy(field);
    zm_region_destroy(region);
    chain_free(&c);
}
