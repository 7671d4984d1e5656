/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer: any bytes as well-known binary or GeoJSON, alone or cut in two, light cells of the
 * landscape at their times or are an error with a message.
 * Run: fuzz_fire_shapes tests/fuzz/corpus_fire_shapes */
#include <math.h>

#include "fuzz.h"
#include "zermelo/fire/ignition.h"

enum { ROWS = 12, COLS = 15, WATER = 98 };

static const zm_landscape *landscape(void)
{
    static float layers[ZM_LAYERS][ROWS * COLS];
    static zm_landscape land = ZM_LANDSCAPE_INIT;

    land.rows = ROWS;
    land.cols = COLS;
    land.cell = 30;
    for (int k = 0; k < ZM_LAYERS; k++)
        land.layers[k] = layers[k];
    for (int i = 0; i < ROWS * COLS; i++)
        layers[ZM_LAYER_FUEL][i] = i % 7 ? 1 : WATER;
    return &land;
}

static void check_cells(const zm_source *s, size_t n, const zm_ignition_report *report)
{
    require(n >= 1 && n <= ROWS * COLS && report->cells == (int64_t)n);
    for (size_t i = 0; i < n; i++) {
        require(s[i].row >= 0 && s[i].row < ROWS && s[i].row == floor(s[i].row));
        require(s[i].col >= 0 && s[i].col < COLS && s[i].col == floor(s[i].col));
        require(s[i].time == 0 || s[i].time == 1.5);
        require(i == 0 || s[i - 1].row < s[i].row || s[i - 1].col < s[i].col);
    }
    require(!report->one_point || (n == 1 && s[0].time == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const zm_georeference where = { { 1000, 30, 0, 5000, 0, -30 }, "" };
    const size_t half = n / 2;
    const zm_shape shapes[3] = { { bytes, n, 0 },
                                 { bytes, half, 1.5 },
                                 { bytes + half, n - half, 0 } };

    for (int k = 0; k < 2; k++) {
        zm_ignition_report report = ZM_IGNITION_REPORT_INIT;
        zm_error err = { ZM_OK, 0, "" };
        zm_source *sources;
        size_t count;
        const zm_status st =
            zm_ignition_cells(shapes + k, k ? 2 : 1, NULL, landscape(), &where, &sources,
                              &count, &report, &err);

        if (st < 0) {
            require(!sources && count == 0);
            require_message(st, &err);
        } else {
            check_cells(sources, count, &report);
        }
        free(sources);
    }
    return 0;
}
