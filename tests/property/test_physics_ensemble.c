/* SPDX-License-Identifier: Apache-2.0
 * Members of an ensemble differ by what is uncertain and by nothing else. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/landscapes.h"
#include "zermelo/fire/ensemble.h"

enum { SIDE = 41, MIDDLE = 20, CELLS = SIDE * SIDE };

/* Nothing is uncertain. */
static zm_ensemble_opts certain(int32_t members)
{
    return (zm_ensemble_opts){
        .size = sizeof(zm_ensemble_opts), .members = members, .threads = 1, .seed = 5
    };
}

static zm_status chances(const test_land *land, const zm_fire *fire,
                         const zm_source *source, double t_max,
                         const zm_ensemble_opts *opts, float *probability)
{
    const zm_ensemble_out out = { .size = sizeof out, .probability = probability };

    return zm_ensemble_run(&land->land, fire, NULL, source, source ? 1 : 0, t_max, &out,
                           NULL, opts, NULL);
}

/* Cells that some members reach and others do not. */
static int count_open(const float *probability)
{
    int n = 0;

    for (int i = 0; i < CELLS; i++)
        n += probability[i] > 0 && probability[i] < 1;
    return n;
}

/* Each uncertainty alone makes members reach different ground: about the edge of the fire some
 * come and others do not.  Where nothing is uncertain all are the same.  The same seed has the
 * same bits, another seed other members. */
TEST(each_uncertainty_alone_parts_the_members)
{
    static const struct {
        const char *name;
        size_t at;
        double spread;
    } known[] = {
        { "wind_speed", offsetof(zm_ensemble_opts, wind_speed), 0.3 },
        { "wind_dir", offsetof(zm_ensemble_opts, wind_dir), 25 },
        { "temperature", offsetof(zm_ensemble_opts, temperature), 20 },
        { "humidity", offsetof(zm_ensemble_opts, humidity), 25 },
        { "moisture", offsetof(zm_ensemble_opts, moisture), 2 },
        { "live_moisture", offsetof(zm_ensemble_opts, live_moisture), 0.3 },
        { "rate", offsetof(zm_ensemble_opts, rate), 0.3 },
        { "ignition", offsetof(zm_ensemble_opts, ignition), 150 },
    };
    test_land land = test_land_hills(SIDE, SIDE, 2);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather);
    zm_ensemble_opts opts = certain(8);
    float *p = malloc(3 * CELLS * sizeof *p), *again = p + CELLS,
          *other = again + CELLS;

    CHECK(chances(&land, &fire, NULL, 3, &opts, p) == ZM_OK);
    CHECK(count_open(p) == 0);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int open;

        opts = certain(8);
        memcpy((char *)&opts + known[i].at, &known[i].spread, sizeof known[i].spread);
        CHECK(chances(&land, &fire, NULL, 3, &opts, p) == ZM_OK);
        CHECK(chances(&land, &fire, NULL, 3, &opts, again) == ZM_OK);
        opts.seed++;
        CHECK(chances(&land, &fire, NULL, 3, &opts, other) == ZM_OK);
        open = count_open(p);
        CHECK_MSG(open > 10, "%s: %d cells", known[i].name, open);
        CHECK_MSG(!memcmp(p, again, CELLS * sizeof *p), "%s", known[i].name);
        CHECK_MSG(memcmp(p, other, CELLS * sizeof *p), "%s", known[i].name);
    }
    free(p);
    test_land_free(&land);
}

/* An ignition burns its block of 3 x 3 cells at once and, in the first seconds, nothing else:
 * a member has nine cells.  Ignitions lie anywhere within ten cells, rounded to a cell: no block
 * reaches further than half a diagonal of rounding and one of its own beyond, and of 200 some lie
 * to each side, and hardly all on one cell.  Where sources say what burns, nothing is moved. */
TEST(ignitions_lie_about_the_given_one)
{
    enum { MEMBERS = 200, RADIUS = 10 };
    const double seconds = 1e-3; /* h */
    const zm_source source = { MIDDLE, MIDDLE, 0 };
    test_land land = test_land_level(SIDE, SIDE, 2);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather);
    zm_ensemble_opts opts = certain(MEMBERS);
    float *p = malloc(CELLS * sizeof *p);
    double sum = 0, most = 0, half[4] = { 0 };

    opts.ignition = RADIUS * land.land.cell;
    CHECK(chances(&land, &fire, NULL, seconds, &opts, p) == ZM_OK);
    for (int i = 0; i < CELLS; i++) {
        const int row = i / SIDE - MIDDLE, col = i % SIDE - MIDDLE;

        sum += (double)p[i];
        most = fmax(most, (double)p[i]);
        half[0] += row > 1 ? (double)p[i] : 0;
        half[1] += row < -1 ? (double)p[i] : 0;
        half[2] += col > 1 ? (double)p[i] : 0;
        half[3] += col < -1 ? (double)p[i] : 0;
        if (hypot(row, col) > RADIUS + 1.5 * sqrt(2))
            CHECK(p[i] == 0);
    }
    CHECK_NEAR(sum, 9, 1e-4);
    CHECK_AT_MOST(most, 0.5);
    for (int k = 0; k < 4; k++)
        CHECK_AT_MOST(1, half[k]);
    CHECK(chances(&land, &fire, &source, seconds, &opts, p) == ZM_OK);
    for (int i = 0; i < CELLS; i++)
        CHECK(p[i] == (i == MIDDLE * SIDE + MIDDLE ? 1 : 0));
    free(p);
    test_land_free(&land);
}

/* Ignitions lie where something burns: a lake to the east has none but those of blocks on its
 * shore, and none is lost. */
TEST(ignitions_lie_on_fuel)
{
    const double seconds = 1e-3; /* h */
    test_land land = test_land_level(SIDE, SIDE, 2);
    zm_weather_hour weather[TEST_HOURS];
    const zm_fire fire = test_fire(&land, weather);
    zm_ensemble_opts opts = certain(100);
    float p[CELLS];
    double sum = 0;

    for (int i = 0; i < CELLS; i++)
        if (i % SIDE > MIDDLE)
            test_land_layer(&land, ZM_LAYER_FUEL)[i] = 98;
    opts.ignition = 10 * land.land.cell;
    CHECK(chances(&land, &fire, NULL, seconds, &opts, p) == ZM_OK);
    for (int i = 0; i < CELLS; i++) {
        sum += (double)p[i];
        if (i % SIDE > MIDDLE + 1)
            CHECK(p[i] == 0);
    }
    CHECK_NEAR(sum, 9, 1e-4);
    test_land_free(&land);
}

/* Four cells of 100 m are a hectare each: those with half or more, and the sum of all shares. */
TEST(areas_of_an_ensemble_are_counted_in_hectares)
{
    const zm_landscape land = {
        .size = sizeof land, .rows = 2, .cols = 2, .cell = 100
    };
    const float probability[4] = { 0, 0.25F, 0.5F, 1 };

    CHECK(zm_ensemble_area(&land, probability, 0.5) == 2);
    CHECK(zm_ensemble_area(&land, probability, 0.05) == 3);
    CHECK(zm_ensemble_expected_area(&land, probability) == 1.75);
}
