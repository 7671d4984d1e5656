/* SPDX-License-Identifier: Apache-2.0
 * A model of spread: table of channels, architecture, parameters. */
#ifndef ZM_LEARN_MODEL_H
#define ZM_LEARN_MODEL_H

#include "fire/learn/channels.h"
#include "fire/learn/net/mlp.h"
#include "zermelo/fire/learn.h"

/** Outputs of the head, and of the paper's trunk. */
enum {
    ZM_OUT_LOG_RATE = 0, /* multiplicative: log of p over the mean rate */
    ZM_OUT_WIND,         /* log of the weight of the wind in the drift */
    ZM_OUT_SLOPE,        /* the same of the slope */
    ZM_OUT_MULTIPLICATIVE,
    ZM_OUT_PAPER = 5 /* g11, g12, g22, b1, b2 */
};

/** Parameters beside those of the networks. */
enum { ZM_EXTRA_BARRIER = 0, ZM_EXTRA_END };

/** How many a form has: physics one for each fuel model. */
size_t zm_model_extras(zm_model_form form);

struct zm_model {
    zm_model_form form;
    int32_t prior;  /**< 1: outputs correct what the physics says (prior.h) */
    int32_t hourly; /**< 0: mean weather of the fire */
    int32_t n_trunk, n_ground, n_hour, n_joint;
    zm_channel trunk_channels[ZM_CH_GROUND_END]; /**< into the convolutions */
    zm_channel ground[ZM_CH_GROUND_END];         /**< into the head: of the cell */
    zm_channel hour[ZM_CH_END];                  /**< of the hour */
    zm_channel joint[ZM_CH_END];                 /**< of both */
    zm_conv_shape trunk; /**< rows and cols 0; layers 0: no convolutions */
    zm_mlp_shape head;
    zm_stencil_choice stencils;
    zm_front_kind front; /**< of physics */
    double rate;         /**< m/h, what outputs are relative to */
    double alpha;        /**< paper: weight of the local part */
    double drift;        /**< largest |b|_{G^-1} */
    double rim;          /**< when cells without fuel are charred (readout.c) */
    double contrast;     /**< paper: slowness within this factor of 1/rate */
    size_t n_parameters; /**< trunk, head, extra (multiplicative only) */
    double *parameters;
};

/** Where parts of the parameters begin. */
size_t zm_model_head_at(const zm_model *model);
size_t zm_model_extra_at(const zm_model *model);

/** Channels and sizes of a form with its usual architecture; no parameters yet. */
void zm_model_describe(zm_model *model, const zm_model_opts *opts);

/** Cells around which the trunk must know to be exact in the middle. */
static inline int32_t zm_model_halo(const zm_model *model)
{
    return model->trunk.layers;
}

static inline int32_t zm_model_features(const zm_model *model)
{
    return model->trunk.layers ? model->trunk.channels[model->trunk.layers] : 0;
}

#endif
