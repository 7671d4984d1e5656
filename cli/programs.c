/* SPDX-License-Identifier: Apache-2.0
 * Verbs that are programs of their own beside this one, since they need more than it does. */
#include "common/verb.h"

const verb program_view = {
    .name = "view",
    .summary = "a page that shows results and solves again by itself",
    .description = "the program zermelo-view is not there: install zlib1g-dev clang lld "
                   "wasi-libc libclang-rt-dev-wasm32 esbuild (Debian), configure and build "
                   "again",
    .program = "zermelo-view",
};

const verb program_fire = {
    .name = "fire",
    .summary = "wildfires: datasets, simulation, prediction, scores",
    .description = "the program zermelo-fire is not there: install libgdal-dev and "
                   "libjansson-dev (Debian), configure and build again",
    .program = "zermelo-fire",
};

const verb program_reproduce = {
    .name = "reproduce",
    .summary = "run the paper's experiments and write a report",
    .description =
        "the program zermelo-reproduce is not there: install libcairo2-dev and "
        "libpango1.0-dev (Debian), configure and build again",
    .program = "zermelo-reproduce",
};
