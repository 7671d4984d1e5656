# SPDX-License-Identifier: Apache-2.0
"""Weather as analysts have it, with dates, zones and hours that condition the fuel: as the tool."""
import datetime
import pathlib
import sys
import tempfile
import unittest

import numpy as np

import zermelo
from _fire import ROOT, SceneCase, fire, has, main, quietly

sys.path.append(str(ROOT / "tests/cli"))
import _landfire as made  # noqa: E402

CELL = (45, 50)
DENVER = datetime.timezone(datetime.timedelta(hours=-6))


class AsTheTool(SceneCase):
    """One landscape whose longitude is known, and weather of every form."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        made.landfire(cls.folder / "lf.tif")
        made.stream(cls.folder / "w.wxs")
        made.station(cls.folder / "raws.csv")
        made.station(cls.folder / "bare.csv", zone="")
        made.farsite_input(cls.folder / "run.input")
        cls.land = quietly(fire.Landscape, cls.folder / "lf.tif")
        cls.runs = 0

    def burn(self, weather, *options, **keywords):
        """The same map by the tool, by Python, and by Python from the scene that the tool has made."""
        type(self).runs += 1
        out = self.folder / f"out{self.runs}"
        self.tool("physics", "--landscape", "lf.tif", "--weather", weather, "--ignition",
                  "{},{}".format(*CELL), "--out", out.name, "--t-max", 3, *options)
        one = quietly(fire.Fire, self.land, self.folder / weather, fire.Ignition.cell(*CELL), **keywords)
        scene = quietly(fire.Scene, out / "scene")
        told = np.asarray(scene.read_times(out / "f0001.tif"))
        self.assertTrue(np.isfinite(told).sum() > 20)
        same = scene["f0001"]
        for f in one, same:
            np.testing.assert_array_equal(np.asarray(fire.physics(f, t_max=3.0)), told)
        np.testing.assert_array_equal(one.weather.earlier, same.weather.earlier)
        np.testing.assert_array_equal(one.weather.values[:same.weather.hours], same.weather.values)
        self.assertEqual(one.start[:3], same.start[:3])
        self.assertEqual(one.start.sun_ahead, same.start.sun_ahead)
        self.assertEqual(one.fuel_moisture, same.fuel_moisture)
        self.assertEqual(one.landscape.station_elevation, scene.landscape.station_elevation)
        return one

    def test_a_stream_goes_by_its_dates_and_conditions_the_fuel(self):
        one = self.burn("w.wxs", "--start", "08-17T06:00", start="08-17T06:00")
        self.assertEqual((len(one.weather.earlier), one.weather.hours), (30, 18))
        self.assertEqual(one.weather.start, datetime.datetime(2021, 8, 17, 6))
        few = self.burn("w.wxs", "--start", "2021-08-17T06:00", "--conditioning", 3,
                        start="2021-08-17T06:00", conditioning=3)
        self.assertEqual(len(few.weather.earlier), 3)
        zoned = self.burn("w.wxs", "--start", "08-17T06:30", "--time-zone", "-06:00", start="08-17T06:30",
                          time_zone="-06:00")
        self.assertAlmostEqual(zoned.start.sun_ahead, self.land.longitude / 15 + 6, 12)
        dry, wet = (fire.physics(f, t_max=3.0) for f in (few, one))
        self.assertTrue((np.asarray(dry) != np.asarray(wet)).any())

    def test_stations_have_zones(self):
        for start in "2021-08-17T13:00-06:00", "2021-08-17T19:00Z":
            self.burn("raws.csv", "--start", start, start=start)
        self.burn("raws.csv", "--start", "2021-08-17T13:00-06:00",
                  start=datetime.datetime(2021, 8, 17, 13, tzinfo=DENVER))
        one = self.burn("bare.csv", "--start", "2021-08-17T13:00", "--time-zone", "America/Denver",
                        start="2021-08-17T13:00", time_zone="America/Denver")
        self.assertIn("UTC-6 h", one.start.zone)

    def test_an_input_tells_start_moisture_station_and_conditioning(self):
        one = self.burn("run.input")
        self.assertEqual((one.start[:3], one.fuel_moisture, len(one.weather.earlier), one.weather.hours),
                         ((8, 17, 13.0), (5, 6, 7, 70, 95), 37, 6))
        self.assertAlmostEqual(one.landscape.station_elevation, 1600.2)
        self.assertNotAlmostEqual(self.land.station_elevation, 1600.2)
        wet = self.burn("run.input", "--fuel-moisture", "9,9,9,80,90", fuel_moisture=(9, 9, 9, 80, 90))
        self.assertEqual(wet.fuel_moisture[0], 9)
        with self.assertWarnsRegex(fire.AssumedWarning, "not used: FARSITE_SPOT_PROBABILITY"):
            fire.Weather(self.folder / "run.input")

    def test_ensembles_too(self):
        one = quietly(fire.Fire, self.land, self.folder / "w.wxs", fire.Ignition.cell(*CELL),
                      start="08-17T06:00")
        self.burn("w.wxs", "--start", "08-17T06:00", start="08-17T06:00")
        scene = quietly(fire.Scene, self.folder / f"out{self.runs}" / "scene")
        a, b = (fire.ensemble(f, members=3, t_max=2.0) for f in (one, scene["f0001"]))
        np.testing.assert_array_equal(np.asarray(a.probability), np.asarray(b.probability))

    def test_a_table_that_counts_from_before_the_ignition(self):
        rows = np.array([[20.0 + k, 30 - k, 12, 200, 0, 0] for k in range(6)])
        columns = dict(zip(fire.Weather.columns, rows.T.tolist()))
        text = [",".join(["hour", *columns])]
        text += [",".join(map(repr, [k - 2, *row])) for k, row in enumerate(rows.tolist())]
        (self.folder / "before.csv").write_text("\n".join(text) + "\n")
        one = self.burn("before.csv", "--start", "07-21T14:30", start="07-21T14:30")
        np.testing.assert_array_equal(one.weather.earlier, rows[:2])
        same = fire.Weather({"hour": [k - 2 for k in range(6)], **columns})
        np.testing.assert_array_equal(same.earlier, rows[:2])
        np.testing.assert_array_equal(same.values, rows[2:])
        self.assertEqual(len(fire.Weather({"hour": [k - 2 for k in range(6)], **columns},
                                          conditioning=1).earlier), 1)
        for hours in [-2, -1, 1, 2, 3, 4], [-9, -8, -7, -6, -5, -4], [-0.5, 0.5, 1.5, 2.5, 3.5, 4.5]:
            with self.assertRaisesRegex(ValueError, "hour"):
                fire.Weather({"hour": hours, **columns})

    @unittest.skipUnless(has("pandas"), "no pandas")
    def test_rows_of_a_frame_before_the_start_condition_the_fuel(self):
        import pandas
        w = fire.Weather(self.folder / "w.wxs")
        frame = pandas.DataFrame(w.values, columns=w.columns,
                                 index=pandas.date_range("2021-08-16", periods=48, freq="H"))
        told, own = (quietly(fire.Fire, self.land.__class__._at_station(self.land, 5250 * 0.3048), x,
                             fire.Ignition.cell(*CELL), start="2021-08-17T06:00", time_zone="-06:00")
                     for x in (self.folder / "w.wxs", frame))
        np.testing.assert_array_equal(told.weather.earlier, own.weather.earlier)
        self.assertEqual(told.start[:3], own.start[:3])
        self.assertEqual(told.start.sun_ahead, own.start.sun_ahead)
        np.testing.assert_array_equal(*(np.asarray(fire.physics(f, t_max=3.0)) for f in (told, own)))
        self.assertEqual(len(fire.Weather(frame, "08-17T06:00", conditioning=0).earlier), 0)

    def test_what_is_missing_or_not_meant_is_refused(self):
        def refused(text, source, *args, **keywords):
            with self.subTest(text), self.assertRaisesRegex((zermelo.Error, OSError), text):
                quietly(fire.Weather, self.folder / source, *args, **keywords)
        refused("no weather from 2021-08-15T12:00", "w.wxs", "08-15T12:00")
        refused("no weather from 2020-08-17", "w.wxs", "2020-08-17T06:00")
        refused("give start=", "raws.csv")
        refused("or time_zone=", "raws.csv", "2021-08-17T13:00")
        refused("time_zone is 'Nowhere'", "bare.csv", "2021-08-17T13:00", time_zone="Nowhere")
        refused("time_zone is 7", "bare.csv", "2021-08-17T13:00", time_zone=7)
        refused("daylight saving: give start with its year", "bare.csv", "08-17T13:00",
                time_zone="America/Denver")
        refused("conditioning is -1", "w.wxs", conditioning=-1)
        refused("conditioning is 'all'", "w.wxs", conditioning="all")
        refused("conditioning is nan", "w.wxs", conditioning=float("nan"))
        w = fire.Weather(self.folder / "w.wxs")
        for more in dict(conditioning=3), dict(time_zone="Z"), dict(start="08-17T06:00"):
            with self.assertRaisesRegex(ValueError, f"{list(more)[0]} belongs to the weather"):
                fire.Fire(self.land, w, fire.Ignition.cell(*CELL), **more)
        point = fire.Ignition.cell(*CELL)
        with self.assertRaisesRegex(zermelo.Error, "no weather from 2021-08-18T00:00 to 2021-08-18T02:00"):
            fire.physics(self.land, self.folder / "w.wxs", point, start="08-17T20:00", t_max=6.0)
        late = fire.Fire(self.land, self.folder / "w.wxs", point, start="08-17T20:00")
        with self.assertRaisesRegex(ValueError, "t_max is 6 h, .* ends after 4 h"):
            fire.physics(late, t_max=6.0)
        fire.physics(late, t_max=4.0)

    def test_a_landscape_in_degrees_is_told_to_be_brought_into_metres(self):
        made.landfire(self.folder / "degrees.tif", epsg=made.WGS_84, corner=(-111.0, 44.3), cell=0.0003)
        with self.assertWarnsRegex(fire.AssumedWarning, "in degrees: brought into metres of UTM zone 12N"):
            land = fire.Landscape(self.folder / "degrees.tif")
        self.assertTrue(20 < land.cell < 40)


if __name__ == "__main__":
    main()
