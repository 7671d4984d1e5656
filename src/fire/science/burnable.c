/* SPDX-License-Identifier: Apache-2.0
 * Which fuels burn. */
#include "zermelo/fire/dataset.h"

static int published(int32_t number)
{
    static const struct {
        int32_t first, last;
    } ranges[] = {
        { 1, 13 },    /* Albini 1976 */
        { 101, 109 }, /* grass; this and the rest: Scott and Burgan 2005 */
        { 121, 124 }, /* grass and shrub */
        { 141, 149 }, /* shrub */
        { 161, 165 }, /* timber with understorey */
        { 181, 189 }, /* timber litter */
        { 201, 204 }, /* slash and blowdown */
    };

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (number >= ranges[i].first && number <= ranges[i].last)
            return 1;
    return 0;
}

int zm_fuel_burnable(const zm_landscape *landscape, int32_t number)
{
    for (size_t i = 0; i < landscape->n_custom_fuels; i++)
        if (landscape->custom_fuels[i].number == number)
            return 1;
    return published(number);
}

void zm_landscape_burnable(const zm_landscape *landscape, uint8_t *mask)
{
    const size_t n = (size_t)landscape->rows * (size_t)landscape->cols;
    const float *fuel = landscape->layers[ZM_LAYER_FUEL];
    int32_t last = -1;
    int burns = 0;

    for (size_t i = 0; i < n; i++) {
        const int32_t number = (int32_t)fuel[i];

        if (number != last) /* neighbours often have the same fuel */
            burns = zm_fuel_burnable(landscape, number);
        last = number;
        mask[i] = (uint8_t)burns;
    }
}
