/* SPDX-License-Identifier: Apache-2.0
 * One fire in uncertain weather: settings, options and what verbs about ensembles open. */
#ifndef ZM_CLI_FIRE_UNCERTAIN_H
#define ZM_CLI_FIRE_UNCERTAIN_H

#include "fire/physics_model.h"
#include "zermelo/fire/ensemble.h"

/** First member, `of`, of the settings of such verbs. */
typedef struct uncertain_settings {
    model_settings model;
    const char *scene, *observed, *fire;
    zm_ensemble_opts spread;
    double t_max;
    bool quiet;
} uncertain_settings;
#define UNCERTAIN_DEFAULT                                                              \
    {                                                                                  \
        .model = MODEL_SETTINGS_DEFAULT, .spread = ZM_ENSEMBLE_OPTS_INIT               \
    }

extern const option_table spread_options;

/** Rows of the verb's own table, whose settings have them as `of`: which fire, how many
 *  members. */
#define UNCERTAIN_ROWS                                                                 \
    TEXT_ROW("scene", "DIR", of.scene, "the folder of a scene", "scene; with --fire"), \
        TEXT_ROW("fire", "NAME", of.fire, "the name of a fire", "fire of the scene"),  \
        TEXT_ROW("observed", "DIR", of.observed, "the folder of an observed fire",     \
                 "instead: go on from the first perimeter of an observed fire"),       \
        COUNT_ROW("members", of.spread.members, "default 100"),                        \
        VALUE_ROW("seed", "N", of.spread.seed, parse_seed, "a whole number from 0 on", \
                  "of the draws; default 1"),                                          \
        THREADS_ROW(of.spread.threads, "default 1; does not change the result"),       \
        FLAG_ROW("quiet", of.quiet, "no progress, no notes")

/** The fire in the middle of the ensemble, and where it is from. */
typedef struct origin {
    zm_scene *scene;
    zm_observed *observed;
    const zm_fire *fire;
    const zm_landscape *land;
    const zm_georeference *where;
    zm_source *sources;
    size_t n_sources;
    double t_max;
    fire_model model;
} origin;

/** Opens what the settings name, with the model.  DONE, or not after a message; close it anyway. */
int origin_open(const uncertain_settings *s, origin *o);
void origin_close(origin *o);

#endif
