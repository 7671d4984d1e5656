/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire: the verbs about wildfires.  To add one: a file in cli/fire (what needs
 * zermelo_learn: in cli/learn) with a `const verb` named "fire NAME", a line in fire/verbs.h
 * and one here. */
#include "verb.h"

#if defined(ZM_WITH_FIRE)
#include "fire/verbs.h"
#endif

static const verb *const members[] = {
#if defined(ZM_WITH_FIRE)
    &verb_fire_info, &verb_fire_score,
#endif
    NULL
};

const verb verb_fire = {
    .name = "fire",
    .summary = "wildfires: datasets, simulation, scores",
    .usage = "VERB [options]",
#if defined(ZM_WITH_FIRE)
    .description =
        "A scene is a folder with a landscape (landscape.tif), fires on it "
        "(fires.csv), "
        "their weather (weather/) and, for training and scores, when each cell burned "
        "(arrival/). A dataset is a folder of scenes. Times are hours since the "
        "ignition, "
        "lengths metres, row 0 is in the north, wind directions are where the wind "
        "comes "
        "from. docs/fire-data.md has the whole layout.\n\nzermelo fire VERB --help "
        "shows "
        "every option.",
#else
    .description = "this build has no fire datasets: install libgdal-dev and "
                   "libjansson-dev (Debian), configure and build again",
#endif
    .members = members,
};
