/* SPDX-License-Identifier: Apache-2.0
 * What is told about where a grid is: names, north, longitude and latitude. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fire/data/geo/position.h"
#include "support/refused.h"
#include "zermelo/fire/geo.h"

enum { ROWS = 40, COLS = 60 };

/* Cells of 30 m about the middle of UTM zone 29, where the grid of the zone points north, seen with
 * its upper edge turned clockwise. */
static zm_georeference turned(double degrees, const char *wkt)
{
    const double s = 30 * sin(degrees * 3.14159265358979323846 / 180);
    const double c = 30 * cos(degrees * 3.14159265358979323846 / 180);

    /* the middle of the grid stays on the central meridian */
    return (zm_georeference){ { 500000 - COLS / 2.0 * c + ROWS / 2.0 * s, c, -s,
                                4400000 + COLS / 2.0 * s + ROWS / 2.0 * c, -s, -c },
                              wkt };
}

TEST(north_is_as_far_from_up_as_up_from_north)
{
    char *wkt = zm_geo_wkt(32629);

    for (double angle = -170; angle < 180; angle += 35) {
        const zm_georeference where = turned(angle, wkt);
        zm_georeference_facts f = { .size = sizeof f };

        CHECK(zm_georeference_describe(&where, ROWS, COLS, &f, NULL) == ZM_OK);
        CHECK_NEAR(f.north, -angle, 0.01);
        CHECK(f.epsg == 32629 && !strcmp(f.crs, "WGS 84 / UTM zone 29N"));
    }
    free(wkt);
}

/* The points are what zm_georeference_place tells of the middles of those cells; between them
 * straight lines are good to a thousandth of a cell on so small a map. */
TEST(control_points_give_every_cell_its_place)
{
    char *wkt = zm_geo_wkt(32629);
    const zm_georeference where = turned(20, wkt);
    zm_georeference_facts f = { .size = sizeof f };
    double lat, lon;

    CHECK(zm_georeference_describe(&where, ROWS, COLS, &f, NULL) == ZM_OK);
    CHECK(f.lonlat_rows == ZM_CONTROL_POINTS && f.lonlat_cols == ZM_CONTROL_POINTS);
    CHECK(zm_georeference_place(&where, 0.5, 0.5, &lat, &lon, NULL) == ZM_OK);
    CHECK_NEAR(f.lon[0], lon, 1e-12);
    CHECK(zm_georeference_place(&where, ROWS - 0.5, COLS - 0.5, &lat, &lon, NULL) == ZM_OK);
    CHECK_NEAR(f.lat[ZM_CONTROL_POINTS * ZM_CONTROL_POINTS - 1], lat, 1e-12);
    CHECK(zm_georeference_place(&where, ROWS / 2.0, COLS / 2.0, &lat, &lon, NULL) == ZM_OK);
    CHECK_NEAR(f.lat[(ZM_CONTROL_POINTS * ZM_CONTROL_POINTS) / 2], lat, 30e-3 / 111e3);
    free(wkt);
}

TEST(a_grid_that_is_nowhere_has_no_north)
{
    const zm_georeference where = turned(0, "");
    zm_georeference_facts f = { .size = sizeof f };

    CHECK(zm_georeference_describe(&where, ROWS, COLS, &f, NULL) == ZM_OK);
    CHECK(isnan(f.north) && !f.lonlat_rows && !f.epsg && !*f.crs);
    f.size = 0;
    CHECK_FAILS(zm_georeference_describe(&where, ROWS, COLS, &f, &err), ZM_E_ARG,
                "zm_georeference_facts");
}

TEST(grids_are_the_same_where_their_cells_are)
{
    char *wkt = zm_geo_wkt(32629), *other = zm_geo_wkt(32630);
    zm_georeference a = turned(0, wkt), b = a;

    CHECK(zm_georeference_same(&a, &b, ROWS, COLS));
    b.wkt = "";
    CHECK(zm_georeference_same(&a, &b, ROWS, COLS));
    b.wkt = other;
    CHECK(!zm_georeference_same(&a, &b, ROWS, COLS));
    b = a;
    b.transform[0] += 1e-3;
    CHECK(!zm_georeference_same(&a, &b, ROWS, COLS));
    b = a;
    b.transform[1] *= 1.0001;
    CHECK(!zm_georeference_same(&a, &b, ROWS, COLS));
    free(wkt);
    free(other);
}
