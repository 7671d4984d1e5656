# SPDX-License-Identifier: Apache-2.0
"""Weather, times and landscapes as analysts have them: read as what they are, or refused by name."""
import csv

import _landfire as made
from _tool import HAS_FIRE, ToolTest, main


class Weather(ToolTest):
    def setUp(self):
        super().setUp()
        if not HAS_FIRE:
            self.skipTest("this build has no zermelo-fire")
        made.landfire(self.dir / "lf.tif")

    def take(self, weather, *more):
        return self.zermelo("fire", "import", "--landscape", "lf.tif", "--out", "mine", "--ignition",
                            "45,50", "--weather", weather, *more)

    def refused(self, text, weather, *more):
        self.refuses(1, text, "fire", "import", "--landscape", "lf.tif", "--out", "mine", "--ignition",
                     "45,50", "--weather", weather, *more)

    def hours(self):
        with open(self.dir / "mine/weather/f0001.csv", encoding="utf-8") as file:
            return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]

    def fire(self):
        with open(self.dir / "mine/fires.csv", encoding="utf-8") as file:
            return next(csv.DictReader(file))

    def check_hour(self, row, k):
        t, h, speed, direction = made.hour_of(k)
        self.assertAlmostEqual(row["temperature_c"], (round(t, 1) - 32) / 1.8, 6)
        self.assertAlmostEqual(row["relative_humidity_pct"], round(h, 1), 6)
        self.assertAlmostEqual(row["wind_speed_kmh"], round(speed, 1) / 0.5402, 2)
        self.assertAlmostEqual(row["wind_dir_deg"], direction, 6)

    def test_an_input_is_read_with_its_sections(self):
        made.farsite_input(self.dir / "run.input")
        told = self.take("run.input").stderr
        self.assertIn("weather of 6 hours from 08-17T13:00 on, 37 hours before it condition the fuel", told)
        self.assertIn("fuel moisture is that of the .input", told)
        self.assertIn("measured at 1600 m", told)
        self.assertIn("not used: FARSITE_SPOT_PROBABILITY, CROWN_FIRE_METHOD", told)
        rows = self.hours()
        self.assertEqual([r["hour"] for r in rows], list(range(-37, 6)))
        for row in rows:
            self.check_hour(row, 37 + int(row["hour"]))
        fire = self.fire()
        self.assertEqual([float(fire[f"moisture_{m}_pct"]) for m in
                          ("1h", "10h", "100h", "live_herb", "live_woody")], [5, 6, 7, 70, 95])
        self.assertEqual(fire["start_local"], "08-17T13:00")
        self.assertIn('"weather_station_elevation_m": 1600.2', (self.dir / "mine/scene.json").read_text())

    def test_an_input_without_a_conditioning_period_has_none(self):
        made.farsite_input(self.dir / "run.input", conditioning="")
        self.take("run.input")
        self.assertEqual([r["hour"] for r in self.hours()], list(range(6)))

    def test_the_name_of_a_file_does_not_decide(self):
        made.farsite_input(self.dir / "run.wxs")
        self.take("run.wxs")
        self.assertEqual(len(self.hours()), 43)
        made.stream(self.dir / "stream.csv")
        self.take("stream.csv")
        self.assertEqual(len(self.hours()), 48)

    def test_moistures_of_an_input_that_differ_are_refused(self):
        made.farsite_input(self.dir / "run.input", moistures=("0 5 6 7 70 95", "5 4 6 7 70 95"))
        self.refused("one set for all fuels", "run.input")

    def test_what_is_no_weather_is_refused_with_its_name(self):
        (self.dir / "a.fms").write_text("0 5 6 7 70 95\n1 5 6 7 70 95\n2 5 6 7 70 95\n")
        self.refused("fuel moistures (.fms)", "a.fms")
        (self.dir / "b.wxs").write_text("19 FM19 2.25 1.5 3.71 0 1 static 2000 1800 1500 0.6 25 8000 8000\n")
        self.refused("custom fuels (.fmd)", "b.wxs")
        (self.dir / "c.csv").write_bytes(b"\x15\0\0\0\x15\0\0\0" + bytes(7316))
        self.refused("a FARSITE landscape (.lcp)", "c.csv")
        (self.dir / "d.wtr").write_text("ENGLISH\n8 16 0 500 1500 60 90 20 60 5000\n")
        self.refused("FARSITE 4", "d.wtr")

    def test_weather_goes_by_its_dates(self):
        made.stream(self.dir / "w.wxs")
        self.take("w.wxs", "--start", "08-17T06:00")
        rows = self.hours()
        self.assertEqual([r["hour"] for r in rows], list(range(-30, 18)))
        for row in rows:
            self.check_hour(row, 30 + int(row["hour"]))
        self.take("w.wxs", "--start", "2021-08-17T06:00", "--conditioning", 3)
        self.assertEqual([r["hour"] for r in self.hours()], list(range(-3, 18)))
        self.refused("no weather from 2021-08-15T12:00 to 2021-08-16T00:00", "w.wxs", "--start", "08-15T12:00")
        self.refused("no weather from 2021-08-18", "w.wxs", "--start", "08-18T12:00")
        self.refused("no weather from 2020-08-17T06:00", "w.wxs", "--start", "2020-08-17T06:00")

    def test_a_fire_longer_than_its_weather_is_refused(self):
        made.stream(self.dir / "w.wxs")
        run = ("fire", "physics", "--landscape", "lf.tif", "--weather", "w.wxs", "--ignition", "45,50",
               "--out", "run", "--start", "08-17T20:00", "--t-max")
        self.refuses(1, "no weather from 2021-08-18T00:00 to 2021-08-18T02:00", *run, 6)
        self.zermelo(*run, 4)

    def test_a_gap_is_refused_where_it_matters(self):
        made.stream(self.dir / "w.wxs")
        lines = (self.dir / "w.wxs").read_text().splitlines()
        (self.dir / "gap.wxs").write_text("\n".join(lines[:20] + lines[26:]) + "\n")
        self.refused("no weather from 2021-08-16T16:00 to 2021-08-16T23:00", "gap.wxs", "--start", "08-16T12:00")
        self.take("gap.wxs", "--start", "08-17T01:00", "--conditioning", 1)
        (self.dir / "back.wxs").write_text("\n".join(lines[:8] + lines[5:]) + "\n")
        self.refused("not later than that of the line before", "back.wxs")

    def test_a_station_tells_units_and_time_zone(self):
        made.station(self.dir / "raws.csv")
        self.refused("give --start", "raws.csv")
        self.refused("the start has none", "raws.csv", "--start", "2021-08-17T13:00")
        told = self.take("raws.csv", "--start", "2021-08-17T13:00-06:00").stderr
        self.assertIn("the weather does not tell it: no cloud", told)
        # the middle of the map is 1500 m east of 111 degrees west: -7.4 h, the clock -6 h
        self.assertAlmostEqual(float(self.fire()["sun_ahead_h"]), -110.98 / 15 + 6, 2)
        rows = {int(r["hour"]): r for r in self.hours()}
        self.check_hour(rows[0], 37)
        self.take("raws.csv", "--start", "2021-08-17T19:00Z")
        self.check_hour({int(r["hour"]): r for r in self.hours()}[0], 37)
        self.assertEqual(self.fire()["start_local"], "08-17T19:00")
        self.assertAlmostEqual(float(self.fire()["sun_ahead_h"]), -110.98 / 15, 2)
        text = (self.dir / "raws.csv").read_text()
        (self.dir / "bare.csv").write_text(text.replace("WindSpeed(mph)", "WindSpeed"))
        self.refused("tells no unit that is known", "bare.csv", "--start", "2021-08-17T13:00-06:00")
        (self.dir / "dry.csv").write_text(text.replace("RelativeHumidity(%)", "Moist"))
        self.refused("no column of humidity", "dry.csv", "--start", "2021-08-17T13:00-06:00")

    def test_daylight_saving_counts(self):
        made.station(self.dir / "raws.csv", zone="")
        self.take("raws.csv", "--start", "2021-08-17T13:00", "--time-zone", "America/Denver")
        self.check_hour({int(r["hour"]): r for r in self.hours()}[0], 37)
        self.assertAlmostEqual(float(self.fire()["sun_ahead_h"]), -110.98 / 15 + 6, 2)
        self.take("raws.csv", "--start", "2021-08-17T13:00", "--time-zone", "-07:00")
        self.assertAlmostEqual(float(self.fire()["sun_ahead_h"]), -110.98 / 15 + 7, 2)
        self.refuses(2, "--time-zone", "fire", "import", "--landscape", "lf.tif", "--out", "mine",
                     "--ignition", "45,50", "--weather", "raws.csv", "--time-zone", "America/Nowhere")

    def test_records_of_a_quarter_of_an_hour_are_averaged(self):
        made.station(self.dir / "fine.csv", minutes=15)
        made.station(self.dir / "hourly.csv")
        self.take("hourly.csv", "--start", "2021-08-17T13:00-06:00")
        hourly = self.hours()
        self.take("fine.csv", "--start", "2021-08-17T13:00-06:00")
        fine = self.hours()
        self.assertEqual(len(fine), len(hourly))
        for a, b in zip(fine, hourly):
            self.assertAlmostEqual(a["wind_speed_kmh"], b["wind_speed_kmh"], 6)
            self.assertAlmostEqual(a["temperature_c"], b["temperature_c"], 6)
        self.take("fine.csv", "--start", "2021-08-17T13:30-06:00")
        self.assertAlmostEqual(self.hours()[-1]["wind_speed_kmh"], fine[-1]["wind_speed_kmh"], 6)

    def test_mesowest_has_a_line_of_units(self):
        lines = ["# STATION: WEST", "# ELEVATION [ft]: 5250", "Station_ID,Date_Time,air_temp_set_1,"
                 "relative_humidity_set_1,wind_speed_set_1,wind_direction_set_1", ",,Celsius,%,m/s,Degrees"]
        lines += [f"WEST,2021-08-17T{k:02}:00:00Z,{20 + k / 2},30,{2 + k / 4},200" for k in range(24)]
        (self.dir / "meso.csv").write_text("\n".join(lines) + "\n")
        told = self.take("meso.csv", "--start", "2021-08-17T10:00Z").stderr
        self.assertIn("measured at 1600 m", told)
        row = {int(r["hour"]): r for r in self.hours()}[0]
        self.assertAlmostEqual(row["temperature_c"], 25)
        self.assertAlmostEqual(row["wind_speed_kmh"], 4.5 * 2.236936292 / 0.5402, 2)

    def test_missing_layers_are_told(self):
        planes = made.hills(made.ROWS, made.COLS)
        made.geotiff(self.dir / "lf.tif", planes[:5], names=made.NAMES[:5])
        made.stream(self.dir / "w.wxs")
        told = self.take("w.wxs").stderr
        for text in ("no canopy height: taken as 15 m", "no canopy base height", "no canopy bulk density"):
            self.assertIn(text, told)

    def test_bands_are_known_by_farsites_names_and_slope_in_percent(self):
        planes = made.hills(made.ROWS, made.COLS)
        planes[1] = [100] * len(planes[1])
        names = ("Elevation", "Slope Percent", "Aspect", "Fuel Model", "Canopy Cover", "Stand Height",
                 "Canopy Base Height", "Canopy Bulk Density")
        order = (3, 7, 0, 1, 5, 2, 6, 4)
        made.geotiff(self.dir / "lf.tif", [planes[k] for k in order], names=[names[k] for k in order])
        made.stream(self.dir / "w.wxs")
        told = self.take("w.wxs").stderr
        self.assertIn("slope is in percent", told)
        self.assertNotIn("taken as", told)
        info = self.zermelo("fire", "info", "mine").stdout
        self.assertIn("102", info)

    def test_degrees_are_brought_into_the_utm_zone(self):
        made.landfire(self.dir / "lf.tif", epsg=made.WGS_84, corner=(-111.0, 44.25), cell=1 / 3600)
        made.stream(self.dir / "w.wxs")
        self.assertIn("UTM zone 12N", self.take("w.wxs").stderr)
        self.zermelo("fire", "physics", "--scene", "mine", "--t-max", 2, "--out", "run", "--isochrones", "i.geojson")
        text = (self.dir / "i.geojson").read_text()
        self.assertIn("-110.9", text)


if __name__ == "__main__":
    main()
