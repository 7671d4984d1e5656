# SPDX-License-Identifier: Apache-2.0
"""Where fires start, in the ways analysts say it, and burned areas in the formats they open."""
import csv
import json
import xml.etree.ElementTree as ElementTree

import _landfire as made
from _tool import HAS_FIRE, ToolTest, main

START = "2021-08-17T13:00-06:00"
KML = "{http://www.opengis.net/kml/2.2}"


class Ignition(ToolTest):
    def setUp(self):
        super().setUp()
        if not HAS_FIRE:
            self.skipTest("this build has no zermelo-fire")
        made.landfire(self.dir / "lf.tif")
        made.station(self.dir / "raws.csv")

    def take(self, *places, start=START):
        ignitions = [word for place in places for word in ("--ignition", place)]
        return self.zermelo("fire", "import", "--landscape", "lf.tif", "--weather", "raws.csv", "--out", "mine",
                            *(("--start", start) if start else ()), *ignitions).stderr

    def refused(self, code, text, *places, start=START):
        ignitions = [word for place in places for word in ("--ignition", place)]
        self.refuses(code, text, "fire", "import", "--landscape", "lf.tif", "--weather", "raws.csv", "--out",
                     "mine", *(("--start", start) if start else ()), *ignitions)

    def fire(self):
        with open(self.dir / "mine/fires.csv", encoding="utf-8") as file:
            return next(csv.DictReader(file))

    def cells(self):
        """Hours by cell."""
        with open(self.dir / "mine/sources/f0001.csv", encoding="utf-8") as file:
            return {(int(r["row"]), int(r["col"])): float(r["time_h"]) for r in csv.DictReader(file)}

    def features(self, path, *features):
        """Features of (geometry, properties) in coordinates of the landscape."""
        text = {"type": "FeatureCollection",
                "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32612"}},
                "features": [{"type": "Feature", "geometry": g, "properties": p} for g, p in features]}
        (self.dir / path).write_text(json.dumps(text))
        return path

    @staticmethod
    def middle(row, col):
        return [500015 + 30 * col, 4899985 - 30 * row]

    def test_a_cell_a_point_of_the_globe_and_one_of_the_map_are_the_same_place(self):
        # 500000 m east is the middle of zone 12, 111 degrees west
        for place in ("40,50", "lat=44.24217,lon=-110.98121", "44.24217N,110.98121W", "x=501515,y=4898785"):
            self.take(place)
            self.assertEqual((self.fire()["ignition_row"], self.fire()["ignition_col"]), ("40", "50"), place)
            self.assertEqual(self.fire()["sources"], "", "one point at the start burns as a block of cells")

    def test_numbers_with_two_readings_are_refused_with_both(self):
        self.refused(2, "degrees are lat=44.24,lon=-110.98, coordinates of the landscape x=44.24,y=-110.98",
                     "44.24,-110.98")
        self.refused(2, "x=501515.5", "501515.5,4898785.5")
        self.refused(2, "neither a file nor ROW,COL", "nowhere.geojson")
        self.refused(2, "latitude must be within 90", "lat=110,lon=44")
        self.refused(1, "outside the landscape", "40,500")
        self.refused(1, "outside the landscape", "44.24N,10E")

    def test_several_places_burn_each_at_its_time(self):
        told = self.take("40,50", "44.24217N,110.98121W@2", "60,20@1.5", "20,80@2021-08-17T17:30-06:00",
                         "22,80@2021-08-17T23:30Z", "24,80@2021-08-17T17:30")
        self.assertIn("starts from 5 cells, the last of them at 4.5 h", told)
        self.assertIn("taken on the clock of the start", told)
        self.assertEqual(self.cells(), {(40, 50): 0, (60, 20): 1.5, (20, 80): 4.5, (22, 80): 4.5, (24, 80): 4.5})
        self.assertEqual((self.fire()["ignition_row"], self.fire()["ignition_col"]), ("40", "50"))
        self.refused(1, "before the fire starts", "40,50", "60,20@2021-08-17T12:00-06:00")
        self.refused(2, "before the start", "40,50@-1")

    def test_lines_and_polygons_of_a_file_burn_at_their_times(self):
        line = {"type": "LineString", "coordinates": [self.middle(10, 10), self.middle(10, 15)]}
        square = {"type": "Polygon", "coordinates": [[self.middle(r, c) for r, c in (
            (29.5, 29.5), (29.5, 32.5), (32.5, 32.5), (32.5, 29.5), (29.5, 29.5))]]}
        self.take(self.features("lit.geojson", (line, {"time_h": 2}), (square, {"time_h": None})))
        wanted = {(10, c): 2.0 for c in range(10, 16)}
        wanted.update({(r, c): 0.0 for r in (30, 31, 32) for c in (30, 31, 32)})
        self.assertEqual(self.cells(), wanted)
        self.take(self.features("lit.geojson", (line, {}), (square, {"time_h": 3})) + "@1.25")
        self.assertEqual(set(self.cells().values()), {1.25, 3})

    def test_dates_of_a_file_count_from_the_start_and_tell_it(self):
        a, b = ({"type": "Point", "coordinates": self.middle(r, 40)} for r in (20, 60))
        milliseconds = 1629230400000  # 2021-08-17T20:00Z
        path = self.features("lit.geojson", (a, {"poly_DateCurrent": milliseconds}),
                             (b, {"poly_DateCurrent": milliseconds + 5400000}))
        self.take(path)
        self.assertEqual(self.cells(), {(20, 40): 1, (60, 40): 2.5})
        self.take(path, start=None)
        self.assertEqual(self.cells(), {(20, 40): 0, (60, 40): 1.5})
        self.assertEqual((self.fire()["start_local"], self.fire()["start_year"], self.fire()["clock_ahead_h"]),
                         ("08-17T20:00", "2021", "0"))
        seconds = self.features("s.geojson", (a, {"date": milliseconds // 1000}))
        self.refused(1, "2021-08-17T20:00 UTC in seconds since 1970 and 1970-01-19T20:34 UTC in milliseconds", seconds)

    def burn(self, path, *more):
        return self.zermelo("fire", "physics", "--landscape", "lf.tif", "--weather", "raws.csv", "--start", START,
                            "--ignition", "44.24217N,110.98121W", "--t-max", 3, "--out", "run",
                            "--isochrones", path, *(more if "--step" in more else ("--step", 1, *more)))

    def test_a_perimeter_file_of_any_format_starts_the_same_fire(self):
        burned = {}
        for path in "i.geojson", "i.gpkg", "i.kml", "i.shp":
            self.burn(path)
            self.take(path)
            burned[path] = self.cells()
        self.assertEqual(set(burned["i.gpkg"].values()), {1, 2, 3})
        for path, cells in burned.items():
            self.assertEqual(cells, burned["i.gpkg"], path)
        for part in "i.shx", "i.dbf", "i.prj":
            self.assertTrue((self.dir / part).exists())

    def test_both_fronts_and_ensembles_start_from_all_sources(self):
        self.take("40,50", "40,20@1")
        for front in "travel-time", "markers":
            self.zermelo("fire", "physics", "--scene", "mine", "--t-max", 3, "--front", front, "--out", front,
                         "--isochrones", "i.geojson")
            areas = json.loads((self.dir / "i.geojson").read_text())["features"]
            early = [a["geometry"] for a in areas if a["properties"]["time_h"] < 1][-1]
            late = areas[-1]["geometry"]
            self.assertEqual(early["type"], "Polygon", front)
            self.assertEqual((late["type"], len(late["coordinates"])), ("MultiPolygon", 2), front)
        self.zermelo("fire", "ensemble", "--scene", "mine", "--fire", "f0001", "--members", 2, "--t-max", 2,
                     "--out", "chances")
        self.refuses(2, "starts from 2 cells", "fire", "ensemble", "--scene", "mine", "--fire", "f0001", "--members",
                     2, "--out", "chances", "--ignition", 90)

    def test_kml_has_time_spans_from_hour_to_hour(self):
        self.burn("i.kml")
        marks = ElementTree.parse(self.dir / "i.kml").getroot().iter(KML + "Placemark")
        spans = [[time.text for time in mark.find(KML + "TimeSpan")] for mark in marks]
        hours = [f"2021-08-17T{h}:00:00-06:00" for h in (14, 15, 16)]
        self.assertEqual(spans, [hours[0:2], hours[1:3], hours[2:3]])

    def burned(self, *more):
        """Hours by cell, of the isochrone layer read back as cells."""
        self.burn("i.geojson", "--step", 3, *more)
        self.take("i.geojson")
        return self.cells()

    def test_a_barrier_of_a_file_holds_from_its_time_on(self):
        """A road around the fire, thinner than a cell: nothing burns beyond it, or what did before it was closed."""
        ring = [self.middle(r, c) for r, c in ((33.3, 42.2), (33.3, 56.4), (47.6, 56.4), (47.6, 42.2), (33.3, 42.2))]
        road = {"type": "LineString", "coordinates": ring}
        outside = lambda cells: [(r, c) for r, c in cells if not (33 <= r <= 48 and 42 <= c <= 57)]
        free = self.burned()
        self.assertGreater(len(outside(free)), 30)
        self.features("road.geojson", (road, {}))
        for front in "travel-time", "markers":
            held = self.burned("--barriers", "road.geojson", "--front", front)
            self.assertEqual(outside(held), [], front)
            self.assertGreater(len(held), 60)
        self.features("road.geojson", (road, {"date": "2021-08-17T15:00:00-06:00"}))
        late = self.burned("--barriers", "road.geojson")
        self.assertTrue(0 < len(outside(late)) < len(outside(free)))
        self.features("road.geojson", ({"type": "Point", "coordinates": [0, 0]}, {}))
        self.refuses(1, "--barriers road.geojson: covers no cell", "fire", "physics", "--scene", "mine", "--t-max", 1,
                     "--out", "run", "--barriers", "road.geojson")

    def test_an_observed_fire_has_dates_in_utc_and_weather_with_dates(self):
        """Midnight UTC is midnight: five hours after 19:00Z, which is 13:00 on the station's clock."""
        def square(r, c, half):
            corners = ((r - half, c - half), (r - half, c + half), (r + half, c + half), (r + half, c - half))
            return {"type": "Polygon", "coordinates": [[self.middle(*p) for p in (*corners, corners[0])]]}
        self.features("seen.geojson", (square(45, 50, 2.4), {"datetime": "2021-08-17T19:00:00Z"}),
                      (square(45, 50, 9.4), {"datetime": "2021-08-18T00:00:00Z"}))
        self.zermelo("fire", "import", "--landscape", "lf.tif", "--perimeters", "seen.geojson", "--out", "real")
        (self.dir / "real/weather.csv").write_bytes((self.dir / "raws.csv").read_bytes())
        run = ("fire", "physics", "--observed", "real", "--out", "run", "--isochrones", "i.kml", "--step", 1)
        self.zermelo(*run, "--json", "scores.json")
        dates = json.loads((self.dir / "scores.json").read_text())["dates"]
        self.assertEqual([date["hours"] for date in dates], [0, 5])
        self.assertIn("<begin>2021-08-17T20:00:00Z</begin>", (self.dir / "i.kml").read_text())
        made.station(self.dir / "real/weather.csv", zone="")
        self.refuses(1, "time zone", *run)

    def test_treatments_change_fuel_for_a_run(self):
        square = {"type": "Polygon", "coordinates": [[self.middle(r, c) for r, c in (
            (-0.6, 54.5), (-0.6, 60.5), (89.6, 60.5), (89.6, 54.5), (-0.6, 54.5))]]}
        free = self.burned()
        self.assertGreater(max(c for _, c in free), 60)
        self.features("cut.geojson", (square, {"fuel": 99}))
        self.assertLess(max(c for _, c in self.burned("--treatments", "cut.geojson")), 60)
        self.features("cut.geojson", (square, {"fuel": 230}))
        run = ("fire", "physics", "--scene", "mine", "--t-max", 1, "--out", "run", "--treatments", "cut.geojson")
        self.refuses(1, "fuel 230 is not known", *run)
        self.features("cut.geojson", (square, {"cover_pct": 130}))
        self.refuses(1, "cover_pct 130, must be 0 to 100", *run)
        self.features("cut.geojson", (square, {"name": "east"}))
        self.refuses(1, "has none of the fields fuel", *run)

    def test_an_unknown_ending_is_refused_before_the_work(self):
        self.refuses(2, "ends in .geojson, .json, .gpkg, .kml, .shp or .parquet", "fire", "physics", "--landscape",
                     "lf.tif", "--weather", "raws.csv", "--start", START, "--ignition", "40,50", "--t-max", 3,
                     "--out", "run", "--isochrones", "areas.dxf")
        self.assertFalse((self.dir / "run").exists())


if __name__ == "__main__":
    main()
