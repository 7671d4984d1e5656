/* SPDX-License-Identifier: Apache-2.0
 * Maps of fire behaviour beside the times of a fire. */
#include "fire/behaviour.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"

enum { BANDS = 6, DIRECTION = 4, ACTIVITY = 5 };

static const char *const names[BANDS] = { "rate_of_spread",     "flame_length",
                                          "fireline_intensity", "heat_per_area",
                                          "spread_direction",   "crown_activity" };
#define ACTIVITIES "0 none, 1 surface, 2 passive, 3 active"
static const char *const units[BANDS] = { "m/min",  "m",       "kW/m",
                                          "kJ/m^2", "degrees", ACTIVITIES };

/* Cells that are not reached have no data, and where nothing burns no direction. */
static void blank(const burning *b, float *memory, bool at_arrival)
{
    for (size_t i = 0; i < b->cells; i++) {
        const bool reached = !at_arrival || b->whole[i] < INFINITY;
        const bool burns = memory[ACTIVITY * b->cells + i] > 0;

        for (size_t k = 0; k < BANDS; k++)
            if (!reached || (k == DIRECTION && !burns))
                memory[k * b->cells + i] = NAN;
    }
}

static int save(burning *b, const char *name, const char *ending, bool at_arrival)
{
    float *memory = grow(NULL, BANDS * b->cells, sizeof *memory);
    const zm_behaviour_planes out = { memory,
                                      memory + b->cells,
                                      memory + 2 * b->cells,
                                      memory + 3 * b->cells,
                                      memory + DIRECTION * b->cells,
                                      memory + ACTIVITY * b->cells };
    const size_t room = strlen(name) + 32;
    char *file = grow(NULL, room, 1);
    const float *planes[BANDS];
    zm_error err;
    int code;

    for (size_t k = 0; k < BANDS; k++)
        planes[k] = memory + k * b->cells;
    GO(checked(at_arrival ? zm_physics_behaviour(b->physics, b->whole, &out, &err)
                          : zm_physics_potential(b->physics, b->s->potential, &out, &err),
               &err));
    blank(b, memory, at_arrival);
    snprintf(file, room, "%s.%s.tif", name, ending);
    GO(planes_save_units(b->s->out, file, &b->model.land, b->where, BANDS, planes, names,
                         units));
done:
    free(file);
    free(memory);
    return code;
}

int behaviour_save(burning *b, const char *name)
{
    if (b->s->behaviour)
        TRY(save(b, name, "behaviour", true));
    return b->s->potential >= 0 ? save(b, name, "potential", false) : DONE;
}
