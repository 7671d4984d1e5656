# SPDX-License-Identifier: Apache-2.0
"""What zermelo.fire is given: landscapes, weather, ignitions.  Nothing is misread without a word."""
import contextlib
import datetime
import shutil
import threading
import unittest
import warnings

import numpy as np

import zermelo
from _fire import SceneCase, fire, has, main, quietly

UTC = datetime.timezone.utc
TABLE = {"wind_speed_kmh": [12.0, 15.0, 9.5], "wind_dir_deg": [200, 210, 190],
         "temperature_c": [25.0, 26.5, 24.0], "relative_humidity_pct": [30, 28, 33],
         "cloud_pct": [0, 0, 10], "precip_mm": [0.0, 0.0, 0.0]}


class InputCase(SceneCase):
    fires = 1

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.tif = cls.folder / "valley/landscape.tif"
        cls.land = fire.Landscape(cls.tif)
        cls.weather = fire.Weather(TABLE, start="07-21T14:00")
        row, col = cls.one.cell
        t = cls.land.grid.transform
        cls.row, cls.col = row, col
        cls.point = (t[0] + (col + 0.4) * t[1], t[3] + (row + 0.7) * t[5])

    def refused(self, pattern, function, *args, kind=zermelo.Error, **keywords):
        with self.assertRaisesRegex(kind, pattern):
            quietly(function, *args, **keywords)

    def burn(self, land=None, weather=None, ignition=None, **keywords):
        return np.asarray(fire.physics(land or self.land, weather or self.weather,
                                       self.point if ignition is None else ignition, **keywords))


class Landscapes(InputCase):
    @unittest.skipUnless(has("rasterio", "xarray"), "no rasterio or xarray")
    def test_path_dataset_and_labels_are_one_landscape(self):
        """One ground in four forms burns the same, to the last bit.  What scene.json tells beside
        the file the others do not know."""
        import rasterio
        import xarray
        first = self.burn()
        told = dict(latitude=self.land.latitude, station_elevation=self.land.station_elevation)
        with rasterio.open(self.tif) as dataset:
            opened = fire.Landscape(dataset, **told)
        variables = xarray.Dataset({name: self.land[name] for name in self.land.layers})
        stacked = variables.to_array("band")
        upside_down = variables.sortby("y")
        for form in opened, *(fire.Landscape(form, **told)
                              for form in (variables, stacked, upside_down)):
            np.testing.assert_array_equal(self.burn(land=form), first)
            self.assertEqual(form.grid.transform, self.land.grid.transform)
            self.assertEqual(form.crs, self.land.crs)

    @unittest.skipUnless(has("xarray"), "no xarray")
    @unittest.skipUnless(has("xarray"), "no xarray")
    def test_the_number_that_attributes_give_for_no_data_is_none(self):
        import xarray
        layers = {name: self.land[name] for name in self.land.layers}
        for name, fill in ("fuel_model", 32767), ("elevation_m", -32768):
            a = layers[name].copy().astype(np.int32)
            a[5, 7] = fill
            a.attrs["_FillValue"] = fill
            land = quietly(fire.Landscape, xarray.Dataset({**layers, name: a}))
            self.assertEqual(land.cells_without_data, 1)
            self.assertEqual(np.asarray(land["fuel_model"])[5, 7], 99)

    def test_missing_layers_are_told(self):
        import xarray
        some = xarray.Dataset({name: self.land[name] for name in ("elevation_m", "fuel_model")})
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            fire.Landscape(some)
        text = " ".join(str(w.message) for w in told)
        self.assertIn("no slope and aspect: computed", text)
        self.assertIn("no canopy cover: taken as 0", text)
        self.assertTrue(all(w.category is fire.AssumedWarning and w.filename == __file__
                            for w in told), [(w.category, w.filename) for w in told])
        cover = xarray.Dataset({name: self.land[name] for name in self.land.layers[:5]})
        with self.assertWarnsRegex(fire.AssumedWarning, "canopy_height_m: taken as 15 m"):
            fire.Landscape(cover)
        with self.assertWarnsRegex(fire.AssumedWarning, "'snow'.* passed over"):
            fire.Landscape(xarray.Dataset({**cover, "snow": cover.slope_deg}))

    @unittest.skipUnless(has("xarray"), "no xarray")
    def test_labels_that_mean_something_else_are_refused(self):
        import xarray
        layers = xarray.Dataset({name: self.land[name] for name in self.land.layers})
        stacked = layers.to_array("band")
        shifted = layers.fuel_model.assign_coords(x=layers.x + 30)
        self.refused("other coordinates", fire.Landscape, Pair(layers.elevation_m, shifted))
        self.refused("in degrees", fire.Landscape, layers.rename(x="lon", y="lat"))
        self.refused("bands have no names", fire.Landscape, stacked.drop_vars("band"))
        self.refused("expected .band, y, x.", fire.Landscape, layers.fuel_model)
        self.refused("same name", fire.Landscape, stacked.assign_coords(band=["a"] * 8))
        self.refused("not evenly spaced", fire.Landscape,
                     layers.assign_coords(x=np.arange(60.0) ** 2))
        self.refused("must be 0 to 89", fire.Landscape,
                     layers.assign(slope_deg=layers.slope_deg + 100))

    def test_what_is_no_landscape_is_refused(self):
        self.refused("expected a path", fire.Landscape, 5, kind=TypeError)
        self.refused("is a folder; Scene", fire.Landscape, self.folder / "valley")
        self.refused("nothing.tif", fire.Landscape, "nothing.tif")
        self.refused("already", fire.Landscape, self.land)
        self.refused("no layer 'snow'", lambda: self.land["snow"], kind=KeyError)
        self.refused("no fire 'f9'", lambda: self.scene["f9"], kind=KeyError)

    @unittest.skipUnless(has("xarray"), "no xarray")
    def test_no_coordinate_system_is_told(self):
        import xarray
        layers = xarray.Dataset({name: self.land[name] for name in self.land.layers})
        bare = layers.drop_vars("spatial_ref")
        with self.assertWarnsRegex(fire.AssumedWarning, "latitude is taken as 45 degrees"):
            land = fire.Landscape(bare)
        self.assertTrue(np.isnan(land.longitude) and land.crs == "")
        with self.assertWarnsRegex(fire.AssumedWarning, "longitude of the landscape is not known"):
            fire.Fire(land, TABLE, self.point, start="2024-07-21T14:00Z")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fire.Landscape(bare, latitude=40.0)

    @unittest.skipUnless(has("xarray"), "no xarray")
    def test_maps_of_other_places_are_refused(self):
        T = fire.physics(self.one)
        moved = T.assign_coords(x=T.x + 30)
        self.refused("not those of the landscape", fire.score, moved, self.one)
        self.refused("not those of the landscape", fire.score, moved, T)
        self.refused("not those of the landscape", fire.calibrate, self.one, [T.sortby("y")])

    def test_latitude_and_station_are_taken(self):
        land = fire.Landscape(self.tif, latitude=12.25, station_elevation=321.5)
        self.assertEqual((land.latitude, land.station_elevation), (12.25, 321.5))
        self.refused("latitude_deg must be", fire.Landscape, self.tif, latitude=95.0)

    def test_a_landscape_does_not_change_with_what_it_was_made_from(self):
        layer = self.land["elevation_m"]
        before = np.array(layer)
        np.asarray(layer)[:] = -1
        np.testing.assert_array_equal(np.asarray(self.land["elevation_m"]), before)

    def test_custom_fuels(self):
        lines = self.folder / "fuels.fmd"
        lines.write_text("22 X 2 1 0.5 0 0.5 static 3000 1800 1500 1 14 8000 8000\n")
        self.assertEqual(fire.Landscape(self.tif, fuels=lines).shape, self.land.shape)
        lines.write_text("22 X 2 1\n")
        self.refused("fuels.fmd", fire.Landscape, self.tif, fuels=lines)
        self.refused("fuels belong to a landscape", fire.physics, self.land, self.weather,
                     self.point, fuels=lines)


class Pair:
    """Two layers that xarray itself would not put into one Dataset without changing them."""

    dims, attrs, coords, encoding = ("y", "x"), {}, {}, {}

    def __init__(self, elevation, fuel):
        self.data_vars = {"elevation_m": elevation, "fuel_model": fuel}


class Weathers(InputCase):
    def test_a_table_is_a_file(self):
        path = self.folder / "w.csv"
        path.write_text(",".join(TABLE) + "\n"
                        + "\n".join(",".join(map(repr, row)) for row in zip(*TABLE.values())))
        np.testing.assert_array_equal(fire.Weather(path).values, fire.Weather(TABLE).values)
        np.testing.assert_array_equal(self.weather.values.T, [TABLE[c] for c in self.weather.columns])
        with self.assertRaises(ValueError):
            self.weather.values[0, 0] = 1

    def test_numbers_keep_every_bit(self):
        odd = {**TABLE, "temperature_c": [1 / 3, np.pi, 2 / 7], "wind_speed_kmh": [0.1 + 0.2, 1e-9, 3]}
        found = fire.Weather(odd).values
        np.testing.assert_array_equal(found[:, 0], odd["temperature_c"])
        np.testing.assert_array_equal(found[:, 2], odd["wind_speed_kmh"])

    def test_missing_columns_are_told(self):
        some = {name: TABLE[name] for name in ("wind_speed_kmh", "wind_dir_deg", "cloud_pct")}
        with self.assertWarnsRegex(fire.AssumedWarning,
                                   "no temperature_c: taken as 25 C, no relative_humidity_pct"):
            w = fire.Weather(some)
        self.assertEqual(w.values[0, :2].tolist(), [25, 30])

    def test_other_names_and_units_are_refused(self):
        for strange in ("wind_speed_mph", "wind_speed", "temperature_f", "RH", "rain_in", "wind_gust"):
            self.refused(f"'{strange}'.*not told", fire.Weather, {**TABLE, strange: [1, 2, 3]})
        self.assertEqual(fire.Weather({**TABLE, "station": ["a"] * 3}).hours, 3)
        bad = {"wind_speed_kmh": [-1.0, 1, 1], "wind_dir_deg": [0, 400, 0], "temperature_c": [99, 1, 1],
               "relative_humidity_pct": [0.3, 101, 1], "cloud_pct": [1, 1, 300], "precip_mm": [-1, 0, 0]}
        for name, values in bad.items():
            self.refused(f"weather: {name} is .* in row .*, must be", fire.Weather, {**TABLE, name: values})
        self.refused("is nan in row 1", fire.Weather, {**TABLE, "cloud_pct": [0, np.nan, 0]})
        self.refused("cloud_pct is 101 in row 2, must be from 0 to 100", fire.Weather,
                     {**TABLE, "cloud_pct": [0, 1, 101]})
        self.refused(r"shape \(0,\)", fire.Weather, dict.fromkeys(TABLE, []))
        self.refused("column of numbers", fire.Weather, {**TABLE, "cloud_pct": ["a", "b", "c"]})
        self.refused("different lengths", fire.Weather, {**TABLE, "cloud_pct": [0, 0]})
        self.refused("no column wind_speed_kmh", fire.Weather, {"wind_dir_deg": [1, 2]})
        self.refused("without gaps", fire.Weather, {**TABLE, "hour": [0, 1, 3]})
        self.refused("expected a path", fire.Weather, 7, kind=TypeError)
        self.refused("'when' holds times", fire.Weather, {**TABLE, "when": np.zeros(3, "M8[h]")})
        self.refused("nothing.csv", fire.Weather, "nothing.csv")

    @unittest.skipUnless(has("pandas"), "no pandas")
    def test_an_index_of_times_chooses_the_hours(self):
        import pandas
        times = pandas.date_range("2024-07-21 13:00", periods=3, freq="H")
        frame = pandas.DataFrame(TABLE, index=times)
        w = fire.Weather(frame, start="2024-07-21T14:00")
        np.testing.assert_array_equal(w.values, self.weather.values[1:])
        for start in ("07-21T14:00", times[1], np.datetime64("2024-07-21T14:00"),
                      datetime.datetime(2024, 7, 21, 14)):
            self.assertEqual(fire.Weather(frame, start=start).hours, 2)
        self.assertEqual(fire.Weather(frame).start, datetime.datetime(2024, 7, 21, 13))
        self.refused("not among the hours", fire.Weather, frame, start="07-21T13:30")
        self.refused("not among the hours", fire.Weather, frame, start="2023-07-21T14:00")
        self.refused("followed by", fire.Weather, frame.iloc[[0, 2]])
        self.refused("followed by", fire.Weather, frame.iloc[::-1])
        for index in (times.to_period(), times.astype(str), [0.5, 1.5, 2.5]):
            self.refused("expected times .a DatetimeIndex. or none", fire.Weather,
                         frame.set_axis(index))
        self.refused("start belongs to the weather", fire.Fire, self.land, fire.Weather(frame),
                     self.point, start="07-21T14:00")

    @unittest.skipUnless(has("pandas"), "no pandas")
    def test_time_zones_are_brought_to_the_sun(self):
        """The same instants in any zone burn the same; naive times are local, and said to be."""
        import pandas
        times = pandas.date_range("2024-07-21 13:00", periods=3, freq="H", tz="UTC")
        frame = pandas.DataFrame(TABLE, index=times)
        moved = frame.tz_convert("America/Los_Angeles")
        one, two = (fire.Fire(self.land, f, self.point) for f in (frame, moved))
        for one_hour, f in (13, one), (6, two):
            self.assertEqual(f.start.hour, one_hour)
            self.assertAlmostEqual(f.start.hour + f.start.sun_ahead, 13 + self.land.longitude / 15,
                                   places=9)
        self.assertIn("mean solar time", fire.physics(one).attrs["time_zone"])
        np.testing.assert_allclose(np.asarray(fire.physics(one)), np.asarray(fire.physics(two)),
                                   rtol=1e-5)
        naive = fire.Fire(self.land, frame.tz_localize(None), self.point)
        self.assertEqual(naive.start.hour, 13)
        self.assertIn("as given", fire.physics(naive).attrs["time_zone"])
        self.refused("start has no time zone and the weather has one", fire.Weather, frame,
                     start="2024-07-21T13:00")
        self.refused("the weather has no time zone", fire.Weather, frame.tz_localize(None),
                     start="2024-07-21T13:00Z")

    def test_starts_that_are_none_are_refused(self):
        for start in ("noon", "13-01T10:00", "02-30T10:00", "07-21"):
            self.refused("expected MM-DDThh:mm", fire.Weather, TABLE, start=start)
        self.refused("expected a text", fire.Weather, TABLE, start=14)
        with self.assertWarnsRegex(fire.AssumedWarning, "taken as 1 July, 12 h"):
            fire.Fire(self.land, TABLE, self.point)


class Ignitions(InputCase):
    def cells(self, ignition, **keywords):
        """(row, col, hours) of what is lit."""
        f = quietly(fire.Fire, self.land, self.weather, fire.Ignition(ignition, **keywords))
        if f._lit.sources is None:
            return [(*f.cell, 0.0)]
        return [tuple(row) for row in np.frombuffer(f._lit.sources).reshape(-1, 3)]

    def at(self, row, col):
        """The middle of a cell on the map."""
        t = self.land.grid.transform
        return t[0] + (col + 0.5) * t[1], t[3] + (row + 0.5) * t[5]

    def test_a_point_is_the_cell_it_lies_in(self):
        np.testing.assert_array_equal(
            self.burn(), self.burn(ignition=fire.Ignition.cell(self.row, self.col)))
        self.assertEqual(self.cells(self.point), [(self.row, self.col, 0)])
        self.assertEqual(self.cells([self.point]), [(self.row, self.col, 0)])
        self.assertEqual(self.cells(np.array(self.point)), [(self.row, self.col, 0)])

    def test_points_with_times(self):
        x, y = self.point
        self.assertEqual(self.cells((x, y, 1.5)), [(self.row, self.col, 1.5)])
        self.assertEqual(self.cells([(x, y), (x + 30, y)], times=[1.0, 0.5]),
                         [(self.row, self.col, 1), (self.row, self.col + 1, 0.5)])
        self.assertEqual(self.cells([(x, y, 2.0), (x, y, 1.0)]), [(self.row, self.col, 1.0)])

    def test_the_earliest_fire_counts(self):
        """Two fires burn no later than either, and where one is far off, as the other."""
        x, y = self.point
        near, both = self.burn(ignition=(x, y, 0.25), t_max=2.0), \
            self.burn(ignition=[(x, y, 0.25), (x + 30, y, 0.5)], t_max=2.0)
        self.assertTrue((both <= near).all())
        self.assertGreater(np.isfinite(both).sum(), 9)

    @unittest.skipUnless(has("shapely"), "no shapely")
    def test_lines_and_polygons(self):
        from shapely.geometry import LineString, MultiPoint, Point, Polygon, box
        r, c = self.row, self.col
        self.assertEqual(self.cells(Point(self.point)), [(r, c, 0)])
        line = {(r, c - 1), (r, c), (r, c + 1)}
        burnable = np.isfinite(self.burn(ignition=self.point, t_max=50.0))
        lit = {(a, b) for a, b, _ in self.cells(LineString([self.at(r, c - 1), self.at(r, c + 1)]))}
        self.assertLessEqual(lit, line)
        self.assertIn((r, c), lit)
        self.assertTrue(burnable[r, c])
        (x0, y0), (x1, y1) = self.at(r - 1, c - 2), self.at(r + 1, c + 2)
        square = self.cells(box(x0 - 1, y1 - 1, x1 + 1, y0 + 1), times=0.5)
        self.assertEqual([(a, b) for a, b, _ in square],
                         [(a, b) for a in range(r - 1, r + 2) for b in range(c - 2, c + 3)])
        self.assertEqual({t for *_, t in square}, {0.5})
        hole = Polygon(box(x0 - 1, y1 - 1, x1 + 1, y0 + 1).exterior.coords,
                       [box(*(v + d for v, d in zip((*self.at(r, c), *self.at(r, c)),
                                                    (-5, -5, 5, 5)))).exterior.coords])
        self.assertEqual(len(self.cells(hole)), 14)
        self.refused("holds the centre of no cell", self.cells, box(*self.point,
                     self.point[0] + 1, self.point[1] + 1))
        self.refused("is empty", self.cells, Polygon())
        self.assertEqual(self.cells(MultiPoint([self.point, self.point])), [(r, c, 0)])
        three_d = LineString([(*self.at(r, c), 5.0), (*self.at(r, c + 1), 6.0)])
        self.assertIn((r, c, 0.0), self.cells(three_d))

    def test_geojson(self):
        shape = {"type": "Point", "coordinates": list(self.point)}
        for form in shape, {"type": "Feature", "geometry": shape, "properties": {}}, \
                {"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": shape}]}:
            self.assertEqual(self.cells(form), [(self.row, self.col, 0)])
        self.refused("neither well-known binary nor", self.cells, {"type": "Nothing"})
        at = {"type": "Feature", "geometry": shape, "properties": {"time_h": 2.5}}
        self.assertEqual(self.cells({"type": "FeatureCollection", "features": [at]}),
                         [(self.row, self.col, 2.5)])
        self.assertEqual(self.cells([at]), [(self.row, self.col, 2.5)])
        self.refused("in each, or in none", self.cells, [at, shape])
        self.refused("collection of geometries", self.cells,
                     {"type": "GeometryCollection", "geometries": [shape]})

    @unittest.skipUnless(has("geopandas"), "no geopandas")
    def test_other_coordinate_systems_are_brought_to_the_landscape(self):
        import geopandas
        points = geopandas.GeoDataFrame(
            {"time_h": [0.25, 0.0]}, crs=self.land.crs,
            geometry=geopandas.points_from_xy(*zip(self.point, self.at(self.row, self.col + 1))))
        expected = [(self.row, self.col, 0.25), (self.row, self.col + 1, 0.0)]
        self.assertEqual(self.cells(points), expected)
        self.assertEqual(self.cells(points.to_crs(4326)), expected)
        self.assertEqual(self.cells(points.to_crs(4326).geometry, times=[0.25, 0]), expected)
        there = points.to_crs(4326).geometry
        self.assertEqual(self.cells([(p.x, p.y) for p in there], times=[0.25, 0], crs="EPSG:4326"),
                         expected)
        self.refused("outside the landscape", self.cells, [(p.x, p.y) for p in there])
        self.refused("crs is 'WGS 84'.*the ignition is in", fire.Ignition, points, crs="EPSG:4326")
        self.refused("no coordinate system", fire.Ignition, self.point, crs="EPSG:nothing")
        bare = geopandas.GeoSeries.from_xy([self.point[0]], [self.point[1]])
        with self.assertWarnsRegex(fire.AssumedWarning, "no coordinate system: taken as that"):
            fire.Fire(self.land, self.weather, bare)

    @unittest.skipUnless(has("pandas"), "no pandas")
    def test_times_as_dates(self):
        import pandas
        frame = pandas.DataFrame(TABLE, index=pandas.date_range("2024-07-21 13:00", periods=3, freq="H"))
        late = fire.Ignition(self.point, times=np.datetime64("2024-07-21T14:30"))
        f = fire.Fire(self.land, frame, late)
        self.assertEqual(np.frombuffer(f._lit.sources)[2], 1.5)
        self.refused("must be finite and at least 0", fire.Fire, self.land, frame,
                     fire.Ignition(self.point, times=np.datetime64("2024-07-21T12:30")))
        self.refused("has no year", fire.Fire, self.land, self.weather, late)
        self.refused("one has a time zone", fire.Fire, self.land, frame, fire.Ignition(
            self.point, times=[datetime.datetime(2024, 7, 21, 14, tzinfo=UTC)]))

    def test_what_cannot_be_lit_is_refused(self):
        x, y = self.point
        self.refused("outside the landscape, x ", self.cells, (0.0, 0.0))
        self.refused("outside the landscape of", fire.Fire, self.land, self.weather,
                     fire.Ignition.cell(1000, 0))
        never = np.argwhere(np.isin(np.asarray(self.land["fuel_model"]), [91, 92, 93, 98, 99]))
        if len(never):
            r, c = (int(v) for v in never[0])
            self.refused("cannot burn", self.cells, self.at(r, c))
            self.refused("cannot burn", fire.Fire, self.land, self.weather, fire.Ignition.cell(r, c))
        for bad in ((x, y, np.nan), (x, y, -1), (x, y, np.inf), (np.nan, y)):
            self.refused("", self.cells, bad)
        with self.assertRaises(zermelo.ArgumentError):
            fire.Ignition.cell(1.7, 2)
        self.refused("expected points", self.cells, [1.0])
        self.refused("expected points", self.cells, [])
        self.refused("expected points", self.cells, np.zeros((3, 4)))
        self.refused("expected points", self.cells, "here", kind=TypeError)
        self.refused("one for each of 1 shapes", self.cells, (x, y), times=[1, 2])
        self.refused("neither a number", self.cells, (x, y), times=["soon"])

    def test_arguments_of_fires(self):
        for keywords, pattern in (
                ({"duration": 0}, "duration is 0"), ({"duration": -1.0}, "duration is -1"),
                ({"fuel_moisture": (1, 2)}, "five percentages"),
                ({"fuel_moisture": (0, 2, 3, 4, 5)}, "dead fuel 0.1 to 100"),
                ({"fuel_moisture": "dry"}, "five percentages"), ({"t_max": 0.0}, "t_max is 0"),
                ({"t_max": np.inf}, "t_max is inf"), ({"front": "wave"}, "'travel-time', 'markers'"),
                ({"foliar_moisture": -5.0}, "foliar"), ({"calibration": "nothing.json"}, "nothing.json")):
            with self.subTest(keywords):
                self.refused(pattern, fire.physics, self.land, self.weather, self.point, **keywords)
        self.refused("weather belongs to the fire", fire.physics, self.one, self.weather)
        self.refused("give a Fire, or", fire.physics, self.land)
        self.refused("holds fires", fire.physics, self.scene)
        self.refused("between 0 and 1", fire.ensemble, self.one, quantiles=[0, 0.5])
        self.refused("members", fire.ensemble, self.one, members=0)
        two = fire.Fire(self.land, self.weather, [self.point, self.at(self.row, self.col + 1)])
        self.refused("moves one cell", fire.ensemble, two, ignition_radius=50.0)
        self.refused("nothing to fit", fire.calibrate, self.one, fit_fuels=False, fit_wind=False,
                     fit_moisture=False)
        self.refused("no true times", fire.calibrate, fire.Fire(self.land, self.weather, self.point))
        self.refused("at least one", fire.calibrate, [])
        self.refused("times has 0 maps", fire.calibrate, self.one, [])
        self.refused("of an Observed fire", fire.calibrate, self.one, intervals=2)
        self.refused("does not tell where it lies", fire.perimeters, np.zeros((3, 3)))
        self.refused("no cell burns", fire.perimeters,
                     fire.physics(self.one) + np.float32(np.inf))


WRONG = """
physics(one, t_max="x") | t_max is 'x', expected a number
physics(one, t_max=-1) | t_max is -1, expected hours > 0
physics(one, foliar_moisture="x") | foliar_moisture is 'x', expected a number
physics(one, foliar_moisture=-5) | foliar moisture -5 %, must be 0 to 1000
physics(one, crown="tall") | crown is 'tall', expected one of 'none', 'finney'
physics(one, calibration=3) | calibration is 3 of type int, expected a path
physics(land, table, "here") | ignition is a str, expected points
physics(land, 3, one.cell) | weather is a int, expected a path
ensemble(one, members=2.5) | members is 2.5, expected a whole number, 1 to 1000000
ensemble(one, quantiles=[2]) | quantiles is [2], expected numbers between 0 and 1
ensemble(one, quantiles="x") | quantiles is 'x', expected numbers
ensemble(one, wind_speed="x") | wind_speed is 'x', expected a number
ensemble(one, wind_dir=-1) | wind_dir is -1, expected a number of at least 0
ensemble(one, rate=np.nan) | rate is nan, expected a number of at least 0
ensemble(one, ignition_radius="x") | ignition_radius is 'x', expected a number
ensemble(one, threads="x") | threads is 'x', expected a whole number, 0 (all) to
ensemble(one, threads=-1) | threads is -1, expected 0 (all) to
ensemble(one, seed=-1) | seed is -1, expected 0 to
risk(one, fires=0) | fires is 0, expected 1 to 1000000
risk(one, flame_classes="x") | flame_classes is 'x', expected numbers
risk(one, humidity="x") | humidity is 'x', expected a number
Fire(land, table, cell, duration="x") | duration is 'x', expected a number
Fire(land, table, cell, duration=-1) | duration is -1, expected hours > 0
Fire(land, table, cell, fuel_moisture=()) | fuel_moisture is (), expected five percentages
Fire(land, table, cell, conditioning="x") | conditioning is 'x', expected hours of at least 0
Ignition.cell(2.5, 20) | row is 2.5, expected a whole number
calibrate(3) | fires is 3, expected a Fire, a list of them
calibrate([3]) | fires is [3], expected a Fire, a list of them
calibrate(one, rate_spread="x") | rate_spread is 'x', expected a number
calibrate(one, max_iterations=-1) | max_iterations is -1, expected at least 1
calibrate(one, threads=-2) | threads is -2, expected 0 (all) to
perimeters(T, "x") | times is 'x', expected numbers
simulate("w", shape=3) | shape is 3, expected (rows, cols)
simulate("w", shape=(50.5, 60)) | shape[0] is 50.5, expected a whole number
simulate("w", fires="x") | fires is 'x', expected a whole number
simulate("w", cell="x") | cell is 'x', expected a number
simulate(3) | folder is 3 of type int, expected a path
train(scene, "m", epochs="x") | epochs is 'x', expected a whole number, at least 1
train(scene, "m", rate="x") | rate is 'x', expected a number
train(scene, 3) | model is 3 of type int, expected a path
Landscape(3) | landscape is a int, expected a path
Landscape(tif, latitude="x") | latitude is 'x', expected a number
Landscape(tif, station_elevation=np.nan) | station_elevation is nan, expected a number
Scene(3) | folder is 3 of type int, expected a path
"""


class Messages(InputCase):
    def test_each_names_the_argument_what_it_is_and_the_bound(self):
        names = {name: getattr(fire, name) for name in fire.__all__}
        names.update(np=np, one=self.one, land=self.land, table=TABLE, cell=fire.Ignition.cell(20, 20),
                     scene=self.scene, tif=self.tif, T=fire.physics(self.one))
        for line in WRONG.strip().splitlines():
            call, text = line.split(" | ")
            with self.subTest(call), self.assertRaises((zermelo.Error, TypeError)) as caught:
                quietly(eval, call, names)
            self.assertIn(text, str(caught.exception), call)


class ChangedArrays(InputCase):
    def test_threads_that_change_arrays_do_no_harm(self):
        """Weather, ignitions, times and scores are copied: whatever happens to the originals."""
        points = np.array([[*self.point, 0.0], [*self.point, 1.0]])
        truth = np.asarray(self.one.arrival()).copy()
        T = fire.physics(self.one)
        stop = threading.Event()

        def change():
            rng = np.random.default_rng(1)
            while not stop.is_set():
                points[:] = rng.choice([np.nan, 1e300, -1.0, 0.0], size=points.shape)
                truth[:] = rng.choice(np.float32([np.nan, np.inf, -np.inf, 3.0]))
                np.asarray(T)[:] = rng.choice(np.float32([np.nan, np.inf, 1e30, -4.0]))
        thread = threading.Thread(target=change)
        thread.start()
        try:
            for _ in range(8):
                for attempt in (lambda: fire.Fire(self.land, self.weather, points),
                                lambda: fire.score(T, truth), lambda: fire.perimeters(T, [1.0]),
                                lambda: fire.calibrate(self.one, [truth], fit_fuels=False,
                                                       fit_moisture=False, max_iterations=1)):
                    with contextlib.suppress(zermelo.Error), warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        attempt()
        finally:
            stop.set()
            thread.join()


class SceneSources(InputCase):
    def test_a_scene_whose_fire_starts_from_several_cells_burns_from_all_of_them(self):
        """As the tool keeps them: a column `sources` of fires.csv, and cells with their hours in that file."""
        folder = self.folder / "lit"
        shutil.copytree(self.folder / "valley", folder)
        lines = (folder / "fires.csv").read_text().splitlines()
        names, values = lines[0].split(","), lines[1].split(",")
        values[names.index("sources")] = "sources/f0001.csv"
        (folder / "fires.csv").write_text(",".join(names) + "\n" + ",".join(values) + "\n")
        (folder / "sources").mkdir()
        other = next((r, c) for r in range(3, 50) for c in range(3, 50)
                     if abs(r - self.row) > 8 and np.isin(np.asarray(self.land["fuel_model"])[r, c], [1, 2, 102, 122]))
        (folder / "sources/f0001.csv").write_text(f"row,col,time_h\n{self.row},{self.col},0\n{other[0]},{other[1]},1.5\n")
        lit = fire.Scene(folder)["f0001"]
        self.assertIsNone(lit.cell)
        T = np.asarray(fire.physics(lit))
        self.assertEqual(T[self.row, self.col], 0)
        self.assertEqual(T[other], 1.5)


if __name__ == "__main__":
    main()
