/* SPDX-License-Identifier: Apache-2.0
 * zermelo fire: another program, cli/fire/main.c, as it needs GDAL and more. */
#include "verb.h"

const verb verb_fire = {
    .name = "fire",
    .summary = "wildfires: datasets, simulation, prediction, scores",
    .description = "the program zermelo-fire is not there: install libgdal-dev and "
                   "libjansson-dev (Debian), configure and build again",
    .program = "zermelo-fire",
};
