/* SPDX-License-Identifier: Apache-2.0
 * Models: which channels and sizes a form has, initial parameters. */
#include "fire/learn/model.h"

#include <math.h>

#include "core/fail.h"
#include "core/memory.h"
#include "core/options.h"
#include "fire/learn/net/init.h"
#include "zermelo/fire/physics.h"

size_t zm_model_head_at(const zm_model *model)
{
    return zm_conv_parameters(&model->trunk);
}

size_t zm_model_extra_at(const zm_model *model)
{
    return zm_model_head_at(model) + zm_mlp_parameters(&model->head);
}

size_t zm_model_extras(zm_model_form form)
{
    switch (form) {
    case ZM_MODEL_MULTIPLICATIVE:
        return ZM_EXTRA_END;
    case ZM_MODEL_PHYSICS:
        return ZM_FUEL_NUMBERS;
    default:
        return 0;
    }
}

static int32_t range_of(zm_channel *list, zm_channel first, zm_channel end)
{
    int32_t n = 0;

    for (int c = (int)first; c < (int)end; c++)
        list[n++] = (zm_channel)c;
    return n;
}

/* Directions enter by the drift only: all channels but the four that name one. */
static void describe_multiplicative(zm_model *m, const zm_model_opts *o)
{
    const int32_t layers = o->layers < 0 ? 3 : o->layers;
    const int32_t channels = o->channels ? o->channels : 24;
    const int32_t hidden = o->hidden ? o->hidden : 48;

    m->n_trunk = range_of(m->trunk_channels, ZM_CH_BURNABLE, ZM_CH_UPSLOPE_X);
    m->n_ground = range_of(m->ground, ZM_CH_BURNABLE, ZM_CH_UPSLOPE_X);
    m->n_hour = range_of(m->hour, ZM_CH_TEMPERATURE, ZM_CH_WIND_X);
    m->n_hour += range_of(m->hour + m->n_hour, ZM_CH_MOISTURE_1H, ZM_CH_HOUR_END);
    m->n_joint = range_of(m->joint, ZM_CH_MIDFLAME, ZM_CH_END);
    m->trunk = (zm_conv_shape){ .layers = layers };
    m->trunk.channels[0] = m->n_trunk;
    for (int32_t l = 1; l < layers; l++)
        m->trunk.channels[l] = channels;
    m->trunk.channels[layers] = layers ? 12 : m->n_trunk;
    m->head = (zm_mlp_shape){ .layers = 3 };
    m->head.widths[0] = m->n_ground + m->n_hour + m->n_joint + zm_model_features(m);
    m->head.widths[1] = hidden;
    m->head.widths[2] = hidden;
    m->head.widths[3] = ZM_OUT_MULTIPLICATIVE;
    m->drift = 0.995;
    m->hourly = o->hourly;
    m->prior = o->prior;
}

/* The same networks, told of mean weather; the usual rate shows edges between fuels. */
static void describe_physics(zm_model *m, const zm_model_opts *o)
{
    describe_multiplicative(m, o);
    m->trunk_channels[m->n_trunk++] = ZM_CH_RATE_USUAL;
    m->trunk.channels[0] = m->n_trunk;
    m->hourly = 0;
    m->prior = 1;
    m->front = o->front;
}

static void describe_paper(zm_model *m, const zm_model_opts *o)
{
    static const zm_channel spatial[] = { ZM_CH_BURNABLE,  ZM_CH_LOAD_1H,
                                          ZM_CH_DEPTH,     ZM_CH_SAV_1H,
                                          ZM_CH_COVER,     ZM_CH_ELEVATION,
                                          ZM_CH_UPSLOPE_X, ZM_CH_UPSLOPE_Y };
    static const zm_channel global[] = { ZM_CH_TEMPERATURE,   ZM_CH_HUMIDITY,
                                         ZM_CH_CLOUD,         ZM_CH_WIND_X,
                                         ZM_CH_WIND_Y,        ZM_CH_MOISTURE_1H,
                                         ZM_CH_MOISTURE_10H,  ZM_CH_MOISTURE_100H,
                                         ZM_CH_MOISTURE_HERB, ZM_CH_MOISTURE_WOODY };

    m->n_trunk = sizeof spatial / sizeof *spatial;
    for (int32_t c = 0; c < m->n_trunk; c++)
        m->trunk_channels[c] = spatial[c];
    m->n_hour = sizeof global / sizeof *global;
    for (int32_t c = 0; c < m->n_hour; c++)
        m->hour[c] = global[c];
    m->trunk = (zm_conv_shape){ .layers = o->layers < 0 ? 5 : o->layers };
    for (int32_t l = 0; l < m->trunk.layers; l++)
        m->trunk.channels[l] = l ? (o->channels ? o->channels : 64) : m->n_trunk;
    m->trunk.channels[m->trunk.layers] = ZM_OUT_PAPER;
    m->head = (zm_mlp_shape){ .layers = 2 };
    m->head.widths[0] = m->n_hour;
    m->head.widths[1] = o->hidden ? o->hidden : 32;
    m->head.widths[2] = ZM_OUT_PAPER;
    m->alpha = o->alpha;
    m->drift = 0.95;
    m->contrast = 10;
}

void zm_model_describe(zm_model *model, const zm_model_opts *opts)
{
    model->form = opts->form;
    model->rate = opts->rate;
    model->stencils = opts->stencils;
    model->rim = 5;
    if (opts->form == ZM_MODEL_PAPER)
        describe_paper(model, opts);
    else if (opts->form == ZM_MODEL_PHYSICS)
        describe_physics(model, opts);
    else
        describe_multiplicative(model, opts);
    model->n_parameters = zm_model_extra_at(model) + zm_model_extras(opts->form);
}

static zm_status check(const zm_model_opts *o, zm_error *err)
{
    enum { MOST_LAYERS = 12, MOST_WIDTH = 1024 };

    if (o->form != ZM_MODEL_PAPER && o->form != ZM_MODEL_MULTIPLICATIVE &&
        o->form != ZM_MODEL_PHYSICS)
        return zm_fail(err, ZM_E_ARG, -1, "model form %d is not known", (int)o->form);
    if (!(o->rate > 0 && isfinite(o->rate)))
        return zm_fail(err, ZM_E_ARG, -1, "rate = %g m/h, must be > 0", o->rate);
    if (o->layers < -1 || o->layers > MOST_LAYERS ||
        (o->form == ZM_MODEL_PAPER && o->layers == 0))
        return zm_fail(err, ZM_E_ARG, -1, "%d layers of convolutions, must be %d to %d",
                       (int)o->layers, o->form == ZM_MODEL_PAPER, MOST_LAYERS);
    if (o->channels < 0 || o->channels > MOST_WIDTH || o->hidden < 0 ||
        o->hidden > MOST_WIDTH)
        return zm_fail(err, ZM_E_ARG, -1, "%d channels, %d hidden: must be 1 to %d",
                       (int)o->channels, (int)o->hidden, MOST_WIDTH);
    if (!(o->alpha > 0 && isfinite(o->alpha)))
        return zm_fail(err, ZM_E_ARG, -1, "alpha = %g, must be > 0", o->alpha);
    if (o->stencils != ZM_STENCILS_FIXED && o->stencils != ZM_STENCILS_ADAPTIVE)
        return zm_fail(err, ZM_E_ARG, -1, "stencils %d are not known",
                       (int)o->stencils);
    if (o->front != ZM_FRONT_TRAVEL_TIME &&
        (o->front != ZM_FRONT_MARKERS || o->form != ZM_MODEL_PHYSICS))
        return zm_fail(
            err, ZM_E_ARG, -1,
            "front %d, must be ZM_FRONT_TRAVEL_TIME, or markers with physics",
            (int)o->front);
    return ZM_OK;
}

/* Small last layers: at first the spread is `rate` in all directions, with a mild drift along
 * wind and slope, and an eighth of it where nothing burns. */
static void initialise(zm_model *m, uint64_t seed)
{
    const double small = 0.1, barrier = 2;
    uint64_t state = seed;
    double *head = m->parameters + zm_model_head_at(m);
    double *last = m->parameters + zm_model_extra_at(m) - ZM_OUT_MULTIPLICATIVE;

    if (m->trunk.layers)
        zm_conv_init(&m->trunk, m->form == ZM_MODEL_PAPER ? small : 1, &state,
                     m->parameters);
    zm_mlp_init(&m->head, m->form == ZM_MODEL_PHYSICS ? 0 : small, &state, head);
    if (m->form != ZM_MODEL_MULTIPLICATIVE)
        return;
    m->parameters[zm_model_extra_at(m) + ZM_EXTRA_BARRIER] = barrier;
    if (m->prior)
        return;
    last[ZM_OUT_LOG_RATE] = -0.5; /* p is the slowest direction of a drifting front */
    last[ZM_OUT_WIND] = 0.3;
    last[ZM_OUT_SLOPE] = -0.7;
}

zm_status zm_model_create(zm_model **out, const zm_model_opts *opts, zm_error *err)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);
    zm_model_opts o = ZM_MODEL_OPTS_INIT;
    zm_model *m;

    *out = NULL;
    ZM_TRY(zm_options_read(&o, sizeof o, opts, "zm_model_opts", err));
    ZM_TRY(check(&o, err));
    if (!(m = zm_zalloc(&mem, 1, sizeof *m)))
        return zm_fail(err, ZM_E_NOMEM, -1, "model");
    zm_model_describe(m, &o);
    if (!(m->parameters = zm_zalloc(&mem, m->n_parameters, sizeof(double)))) {
        zm_release(&mem, m);
        return zm_fail(err, ZM_E_NOMEM, -1, "model of %zu parameters", m->n_parameters);
    }
    initialise(m, o.seed);
    *out = m;
    return ZM_OK;
}

void zm_model_destroy(zm_model *model)
{
    const zm_alloc mem = zm_alloc_or_default(NULL);

    if (!model)
        return;
    zm_release(&mem, model->parameters);
    zm_release(&mem, model);
}

zm_status zm_model_set_rate(zm_model *model, double rate, zm_error *err)
{
    if (!(rate > 0 && isfinite(rate)))
        return zm_fail(err, ZM_E_ARG, -1, "rate = %g m/h, must be > 0", rate);
    model->rate = rate;
    return ZM_OK;
}

zm_model_form zm_model_form_of(const zm_model *model)
{
    return model->form;
}

size_t zm_model_parameters(const zm_model *model)
{
    return model->n_parameters;
}
