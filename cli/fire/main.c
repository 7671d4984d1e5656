/* SPDX-License-Identifier: Apache-2.0
 * zermelo-fire, which `zermelo fire` runs: the verbs about wildfires.  To add one: a file here
 * (about learned models: in cli/fire/learn) with a `const verb` named "fire NAME", a line in
 * verbs.h and one below. */
#include "common/interrupt.h"
#include "common/tool.h"
#include "fire/verbs.h"

static const verb *const members[] = {
    &verb_fire_info,
    &verb_fire_import,
    &verb_fire_simulate,
    &verb_fire_score,
    &verb_fire_physics,
    &verb_fire_calibrate,
    &verb_fire_ensemble,
    &verb_fire_protect,
    &verb_fire_risk,
    &verb_fire_forecast,
    &verb_fire_origin,
#if defined(ZM_WITH_LEARN)
    &verb_fire_train,
    &verb_fire_predict,
    &verb_fire_evaluate,
    &verb_fire_compare,
    &verb_fire_capacity,
#endif
    NULL,
};

static const verb group = {
    .name = "fire",
    .summary = "wildfires: datasets, simulation, prediction, scores",
    .usage = "VERB [options]",
    .description =
        "A scene is a folder with a landscape (landscape.tif), fires on it "
        "(fires.csv), their weather (weather/) and, for training and scores, when each "
        "cell burned (arrival/). A dataset is a folder of scenes. Times are hours "
        "since the ignition, lengths metres, row 0 is in the north, wind directions "
        "are where the wind comes from. docs/fire-data.md has the whole "
        "layout.\n\nzermelo fire VERB --help shows every option.",
    .members = members,
};

int main(int argc, char **argv)
{
    interrupt_catch();
    return run_group(&group, argc - 1, argv + 1);
}
