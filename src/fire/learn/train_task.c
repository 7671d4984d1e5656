/* SPDX-License-Identifier: Apache-2.0
 * What a training is of: a state is resumed only where all of it is the same. */
#include <math.h>

#include "core/digest.h"
#include "core/fail.h"
#include "core/shown_name.h"
#include "fire/learn/trainer.h"

static uint64_t add_number(uint64_t digest, double number)
{
    return zm_digest_add(digest, &number, sizeof number);
}

/* The channels of a landscape that its fires have in common. */
static uint64_t add_place(uint64_t digest, const zm_terrain *g)
{
    const size_t cells = (size_t)g->rows * (size_t)g->cols;

    digest = add_number(add_number(digest, g->rows), g->cols);
    digest = add_number(add_number(digest, g->cell), g->latitude);
    for (int c = 0; c < ZM_CH_GROUND_END; c++)
        if (g->planes[c])
            digest = zm_digest_add(digest, g->planes[c], cells * sizeof(float));
    return zm_digest_add(digest, g->fuel, cells);
}

static uint64_t add_hours(uint64_t digest, const zm_sample *s)
{
    for (size_t i = 0; i < s->n_hours; i++) {
        const zm_hour *h = &s->hours[i];

        digest = zm_digest_add(digest, h->channels, sizeof h->channels);
        digest = zm_digest_add(digest, h->wind, sizeof h->wind);
        digest = zm_digest_add(digest, h->sun, sizeof h->sun);
    }
    return digest;
}

static uint64_t add_sample(uint64_t digest, const zm_sample *s)
{
    const size_t cells = zm_area_cells(s->window);

    digest = zm_digest_add(digest, &s->window, sizeof s->window);
    digest = zm_digest_add(digest, s->low, cells * sizeof *s->low);
    digest = zm_digest_add(digest, s->high, cells * sizeof *s->high);
    digest = zm_digest_add(digest, s->weight, cells * sizeof *s->weight);
    for (size_t i = 0; i < s->n_sources; i++) {
        digest = add_number(digest, s->sources[i].row);
        digest = add_number(digest, s->sources[i].col);
        digest = add_number(digest, s->sources[i].time);
    }
    digest = add_number(add_number(digest, s->start), s->duration);
    return add_hours(digest, s);
}

static uint64_t add_fires(uint64_t digest, const zm_sample_list *fires)
{
    const zm_place *last = NULL;

    for (size_t i = 0; i < fires->n; i++) {
        if (fires->items[i]->place != last)
            digest = add_place(digest, fires->items[i]->place->ground);
        last = fires->items[i]->place;
        digest = add_sample(digest, fires->items[i]);
    }
    return digest;
}

/* 32 bits of a digest as a number of a state, which holds them exactly. */
static double half(uint64_t digest, int shift)
{
    return (double)((digest >> shift) & UINT32_MAX);
}

zm_train_state zm_train_task(const zm_trainer *trainer, const zm_sample_list *fires,
                             const zm_train_opts *o)
{
    const double numbers[] = { o->loss.time, o->loss.offset, o->loss.huber, o->loss.censored,
                               o->tv_metric, o->tv_drift, o->shrink };
    const double course[] = { o->clip, o->average, o->warm_up };
    const uint64_t data = add_fires(add_fires(ZM_DIGEST_INIT, fires), &trainer->validate);
    const uint64_t loss = zm_digest_add(ZM_DIGEST_INIT, numbers, sizeof numbers);
    const uint64_t steps = zm_digest_add(ZM_DIGEST_INIT, course, sizeof course);

    return (zm_train_state){ .rate = o->rate,
                             .best = -HUGE_VAL,
                             .seed = (double)(o->seed % 1000000007U),
                             .fires = (double)fires->n,
                             .score = (double)o->score,
                             .batch = o->batch,
                             .first_rate = o->rate,
                             .form = (double)trainer->model->form,
                             .data = { half(data, 0), half(data, 32) },
                             .loss = { half(loss, 0), half(loss, 32) },
                             .steps = { half(steps, 0), half(steps, 32) } };
}

/* Numbers of a task that a message can show, and digests that it cannot. */
static zm_status refuse(const char *path, const char *what, double then, double now,
                        zm_error *err)
{
    return zm_fail(err, ZM_E_STATE, -1,
                   "%s: this training was begun with %s %g, here it is %g: give it as it was, "
                   "or train anew into another file",
                   zm_shown_name(path), what, then, now);
}

static zm_status refuse_other(const char *path, const char *what, zm_error *err)
{
    return zm_fail(err, ZM_E_STATE, -1,
                   "%s: this training was begun with %s: give what it had, or train anew into "
                   "another file",
                   zm_shown_name(path), what);
}

static bool is_other(const double then[2], const double now[2])
{
    return then[0] != now[0] || then[1] != now[1];
}

static bool is_count(double x)
{
    return x >= 0 && x <= INT32_MAX && x == floor(x);
}

zm_status zm_train_task_check(const char *path, const zm_train_state *then,
                              const zm_train_state *now, zm_error *err)
{
    if (!is_count(then->epoch) || !is_count(then->best_epoch) || !is_count(then->waited) ||
        then->best_epoch > then->epoch || !(then->rate > 0 && then->rate <= then->first_rate))
        return zm_fail(err, ZM_E_FORMAT, -1,
                       "%s: epoch %g, best %g, rate %g: this is no state of a training",
                       zm_shown_name(path), then->epoch, then->best_epoch, then->rate);
    if (then->fires != now->fires)
        return refuse(path, "a number of fires (or parts of fires) of", then->fires, now->fires,
                      err);
    if (then->seed != now->seed)
        return refuse(path, "seed", then->seed, now->seed, err);
    if (then->batch != now->batch)
        return refuse(path, "batch", then->batch, now->batch, err);
    if (then->first_rate != now->first_rate)
        return refuse(path, "rate", then->first_rate, now->first_rate, err);
    if (then->form != now->form)
        return refuse(path, "model form", then->form, now->form, err);
    if (then->score != now->score)
        return refuse_other(path, "another score to choose the best model by", err);
    if (is_other(then->loss, now->loss))
        return refuse_other(path, "another loss, or other weights of its penalties", err);
    if (is_other(then->steps, now->steps))
        return refuse_other(path, "another clip, average or warm-up", err);
    if (is_other(then->data, now->data))
        return refuse_other(path, "other data: the landscapes, weather or times of its fires "
                                  "have changed",
                            err);
    return ZM_OK;
}
