/* SPDX-License-Identifier: Apache-2.0
 * One fire in uncertain weather: settings, options and what verbs about ensembles open. */
#include "fire/uncertain.h"

#include <stdlib.h>

#include "common/message.h"
#include "fire/rows.h"

#define FIELD(name) offsetof(uncertain_settings, name)

static const option spread_list[] = {
    NOT_NEGATIVE_ROW(
        "wind-speed", "S", spread.wind_speed,
        "standard deviation of the logarithm of the wind speed; default 0.2"),
    NOT_NEGATIVE_ROW("wind-dir", "DEGREES", spread.wind_dir, "default 15"),
    NOT_NEGATIVE_ROW("temperature", "C", spread.temperature, "default 2"),
    NOT_NEGATIVE_ROW("humidity", "PERCENT", spread.humidity, "default 5"),
    NOT_NEGATIVE_ROW("moisture", "PERCENT", spread.moisture, "of dead fuel; default 1"),
    NOT_NEGATIVE_ROW("live-moisture", "S", spread.live_moisture,
                     "of its logarithm; default 0.1"),
    NOT_NEGATIVE_ROW("rate", "S", spread.rate,
                     "of the logarithm of all rates of spread; default 0.2"),
    NOT_NEGATIVE_ROW(
        "ignition", "METRES", spread.ignition,
        "the fire starts anywhere within this distance, equally likely; not where "
        "it goes on from a perimeter; default 0"),
    { 0 }
};
const option_table spread_options = {
    "Uncertainty, as standard deviations; --ignition is a radius", spread_list
};

static int open_scene(const uncertain_settings *s, origin *o)
{
    size_t i;

    TRY(scene_open(&s->model, s->scene, &o->scene));
    i = zm_scene_find(o->scene, s->fire);
    if (i >= zm_scene_count(o->scene))
        return failure("%s: no fire %s", s->scene, s->fire);
    o->fire = zm_scene_fire(o->scene, i);
    o->land = zm_scene_landscape(o->scene);
    o->where = zm_scene_georeference(o->scene);
    o->t_max = zm_fire_end(o->fire);
    if (o->fire->n_sources > 0 && s->spread.ignition > 0)
        return usage_error("--ignition moves one ignition; %s starts from %zu cells",
                           s->fire, o->fire->n_sources);
    return DONE;
}

static int open_observed(const uncertain_settings *s, origin *o)
{
    TRY(observed_open(&s->model, s->observed, &o->observed));
    o->fire = zm_observed_fire(o->observed);
    o->land = zm_observed_landscape(o->observed);
    o->where = zm_observed_georeference(o->observed);
    o->t_max = zm_observed_end(o->observed);
    TRY(observed_sources(o->observed, &o->sources, &o->n_sources));
    if (o->sources && s->spread.ignition > 0)
        return usage_error(
            "--ignition moves an ignition; %s goes on from its first perimeter",
            s->observed);
    return DONE;
}

int origin_open(const uncertain_settings *s, origin *o)
{
    if (!s->scene == !s->observed || !s->scene != !s->fire)
        return usage_error("give --scene with --fire, or --observed");
    if (s->scene)
        TRY(refuse_moisture_of_scenes(&s->model));
    TRY(s->scene ? open_scene(s, o) : open_observed(s, o));
    if (s->t_max > 0)
        o->t_max = s->t_max;
    return model_prepare(&o->model, o->land, &s->model);
}

void origin_close(origin *o)
{
    free(o->sources);
    model_free(&o->model);
    zm_scene_close(o->scene);
    zm_observed_close(o->observed);
}
