# SPDX-License-Identifier: Apache-2.0
"""zermelo.fire gives the numbers of the tool, and tells where and when they are."""
import json
import pickle
import subprocess
import sys
import threading
import unittest

import numpy as np

import zermelo
from _fire import SceneCase, fire, has, main, quietly


class AsTheTool(SceneCase):
    """Each verb of the tool and its function, on one scene: every number is the same."""

    def assert_map(self, T, path):
        """A map of the tool, read by the library; nodata there is infinite or NaN here."""
        told = self.scene.read_times(path)
        ours = np.where(np.isfinite(T), np.asarray(T), np.inf).astype(np.float32)
        np.testing.assert_array_equal(ours, np.asarray(told))
        self.assertTrue(np.isfinite(ours).any())

    def test_physics(self):
        self.tool("physics", "--scene", "valley", "--out", "times")
        for name, one in self.scene.items():
            with self.subTest(name):
                self.assert_map(fire.physics(one), self.folder / f"times/{name}.tif")

    def test_physics_with_other_options(self):
        cases = [(["--t-max", 2.5], dict(t_max=2.5)),
                 (["--crown", "none", "--constant-moisture"], dict(crown="none", constant_moisture=True)),
                 (["--crown", "scott-reinhardt", "--emulate", "none"],
                  dict(crown="scott-reinhardt", emulate="none")),
                 (["--front", "markers"], dict(front="markers")),
                 (["--cell-moisture", "--foliar-moisture", 80],
                  dict(cell_moisture=True, foliar_moisture=80.0))]
        for k, (options, keywords) in enumerate(cases):
            with self.subTest(options):
                self.tool("physics", "--scene", "valley", "--fire", "f0002", "--out", f"o{k}", *options)
                self.assert_map(fire.physics(self.scene["f0002"], **keywords),
                                self.folder / f"o{k}/f0002.tif")

    def test_spotting(self):
        cases = [(["--spotting", 1, "--embers", 2000], fire.Spotting(1.0, embers=2000.0)),
                 (["--spotting", 0.5, "--embers", 500, "--embers-from", "surface", "--tree-species",
                   "douglas-fir", "--tree-diameter", 40, "--torching-trees", 3, "--spot-delay", 5,
                   "--embers-seed", 7],
                  fire.Spotting(0.5, "surface", 500.0, "douglas-fir", 40.0, 3.0, 5.0, 7)),
                 (["--spotting", 0.9], 0.9)]
        plain, spots = np.asarray(fire.physics(self.one)), 0
        for k, (options, spotting) in enumerate(cases):
            with self.subTest(options):
                self.tool("physics", "--scene", "valley", "--fire", "f0001", "--out", f"s{k}", *options)
                T = fire.physics(self.one, spotting=spotting)
                self.assert_map(T, self.folder / f"s{k}/f0001.tif")
                spots += T.attrs["spot_fires"]
                if T.attrs["spot_fires"]:
                    self.assertTrue((np.asarray(T) != plain).any() and T.attrs["farthest_spot_m"] > 0)
        self.assertGreater(spots, 0)
        np.testing.assert_array_equal(np.asarray(fire.physics(self.one, spotting=0)), plain)
        self.tool("ensemble", "--scene", "valley", "--fire", "f0001", "--members", 3, "--out", "se",
                  "--spotting", 1, "--embers", 1000)
        e = fire.ensemble(self.one, members=3, spotting=fire.Spotting(1.0, embers=1000.0))
        self.assert_map(e.probability, self.folder / "se/probability.tif")
        for wrong, text in ((2.0, "spotting is 2, expected a probability"), ("x", "spotting is 'x'"),
                            (fire.Spotting(0.5, "sky"), "embers_from is 'sky'"),
                            (fire.Spotting(0.5, tree_species="oak"), "tree_species is 'oak'"),
                            (fire.Spotting(0.5, embers=-1.0), "embers"),
                            (fire.Spotting(0.5, tree_diameter=0.0), "stems of 0 cm, must be 1"),
                            (fire.Spotting(0.5, embers_seed=-1), "seed is -1"), (np.nan, "spotting is nan")):
            with self.subTest(text), self.assertRaisesRegex(zermelo.Error, text):
                fire.physics(self.one, spotting=wrong)
        with self.assertRaisesRegex(zermelo.Error, "[Mm]arker|travel"):
            fire.physics(self.one, front="markers", spotting=0.5)

    def test_physics_of_a_landscape_with_weather_and_a_cell(self):
        row, col = self.one.cell
        self.tool("physics", "--landscape", "valley/landscape.tif", "--weather",
                  "valley/weather/f0001.csv", "--ignition", f"{row},{col}", "--start", "07-21T14:30",
                  "--fuel-moisture", "5,6,7,50,80", "--out", "own")
        T = fire.physics(self.folder / "valley/landscape.tif",
                         self.folder / "valley/weather/f0001.csv", fire.Ignition.cell(row, col),
                         start="07-21T14:30", fuel_moisture=(5, 6, 7, 50, 80))
        self.assert_map(T, self.folder / "own/f0001.tif")

    def test_physics_of_a_weather_stream(self):
        """Its units are converted: the numbers have more digits than a table usually does."""
        stream = self.folder / "w.wxs"
        stream.write_text("2020 8 17 1330 83 21 0.00 7 225 15\n2020 8 17 1430 87 19 0.01 9 231 5\n")
        row, col = self.one.cell
        self.tool("physics", "--landscape", "valley/landscape.tif", "--weather", "w.wxs",
                  "--ignition", f"{row},{col}", "--out", "stream")
        f = fire.Fire(self.folder / "valley/landscape.tif", stream, fire.Ignition.cell(row, col))
        self.assertEqual(f.start[:3], (8, 17, 13.5))
        self.assert_map(fire.physics(f), self.folder / "stream/f0001.tif")

    def test_risk(self):
        self.tool("risk", "--scene", "valley", "--fire", "f0001", "--fires", 6, "--seed", 5, "--t-max", 2,
                  "--wind-dir", 25, "--flame-classes", "0.4,1.5", "--out", "risk")
        r = fire.risk(self.one, fires=6, seed=5, t_max=2, wind_dir=25.0, flame_classes=(0.4, 1.5),
                      threads=2)
        self.assert_map(r.probability, self.folder / "risk/burn_probability.tif")
        self.assert_map(r.flame_length, self.folder / "risk/flame_length.tif")
        self.assertEqual(r.flame_classes.shape[0], 3)
        told = (self.folder / "risk/fires.csv").read_text().splitlines()[1:]
        self.assertEqual(told, [f"{k},{f.row},{f.col},{f.area_ha:.2f}"
                                for k, f in enumerate(r.fires, start=1)])
        same = fire.risk(self.one, fires=6, seed=5, t_max=2, same_weather=True)
        self.assertEqual([(f.row, f.col) for f in same.fires], [(f.row, f.col) for f in r.fires])
        self.assertNotEqual(same.fires, r.fires)

    def test_risk_follows_a_density(self):
        density = np.zeros(self.one.landscape.shape)
        row, col = self.one.cell
        density[row, col] = 2
        r = fire.risk(self.one, fires=3, t_max=1, density=density)
        self.assertEqual({(f.row, f.col) for f in r.fires}, {(row, col)})

    def test_ways(self):
        self.tool("physics", "--scene", "valley", "--fire", "f0001", "--ways", "ways.geojson",
                  "--ways-interval", 2, "--ways-share", 0.05)
        told = json.loads((self.folder / "ways.geojson").read_text())["features"]
        ways = fire.ways(self.one, interval=2, share=0.05)
        self.assertEqual(len(ways), len(told))
        for way, line in zip(ways, told):
            self.assertEqual(way.origin + 1, line["properties"]["from"])
            self.assertAlmostEqual(way.flow, line["properties"]["flow"], 12)
            self.assertEqual(len(way.points), len(line["geometry"]["coordinates"]))
            self.assertTrue((np.diff(way.points[:, 2]) > 0).all())

    def test_ensemble(self):
        self.tool("ensemble", "--scene", "valley", "--fire", "f0001", "--members", 7, "--seed", 5,
                  "--quantiles", "0.2,0.6", "--ignition", 60, "--wind-dir", 25, "--out", "chances",
                  "--json", "chances.json")
        e = fire.ensemble(self.one, members=7, seed=5, quantiles=(0.2, 0.6), ignition_radius=60,
                          wind_dir=25.0, threads=2)
        told = json.loads((self.folder / "chances.json").read_text())
        self.assert_map(e.probability, self.folder / "chances/probability.tif")
        self.assertEqual(e.expected_ha, told["expected_ha"])
        self.assertEqual(list(e.areas_ha), [a["ha"] for a in told["areas"]])
        self.assertEqual(e.t_max, told["t_max_h"])
        if has("rasterio"):
            import rasterio
            with rasterio.open(self.folder / "chances/quantiles.tif") as file:
                for band, plane in zip(file.read(), np.asarray(e.quantiles)):
                    np.testing.assert_array_equal(np.where(np.isfinite(plane), plane, -9999), band)

    def test_calibrate(self):
        self.tool("calibrate", "--scene", "valley", "--most", 2, "--no-moisture", "--out", "factors.json")
        fires = [one for one in self.scene.values() if one.has_arrival][:2]
        c = fire.calibrate(fires, fit_moisture=False, threads=2)
        c.save(self.folder / "ours.json")
        self.assertEqual((self.folder / "ours.json").read_bytes(),
                         (self.folder / "factors.json").read_bytes())
        again = fire.Calibration.load(self.folder / "factors.json")
        for a, b in zip(again.parameters, c.parameters):  # files have nine digits
            np.testing.assert_allclose(a[3:6], b[3:6], rtol=1e-8)
            self.assertEqual(a[:3], b[:3])
        self.tool("physics", "--scene", "valley", "--fire", "f0001", "--calibration", "factors.json",
                  "--out", "fitted")
        for calibration in again, self.folder / "ours.json":
            self.assert_map(fire.physics(self.one, calibration=calibration),
                            self.folder / "fitted/f0001.tif")

    def test_calibrate_with_other_options(self):
        self.tool("calibrate", "--scene", "valley", "--most", 1, "--no-fuels", "--rate",
                  "--no-moisture", "--rate-spread", 0.7, "--wind-spread", 0.2, "--out", "rate.json")
        first = next(one for one in self.scene.values() if one.has_arrival)
        c = fire.calibrate(first, fit_fuels=False, fit_moisture=False, fit_rate=True,
                           rate_spread=0.7, wind_spread=0.2)
        c.save(self.folder / "rate2.json")
        self.assertEqual((self.folder / "rate.json").read_bytes(),
                         (self.folder / "rate2.json").read_bytes())

    def test_score(self):
        self.tool("physics", "--scene", "valley", "--out", "scored")
        self.tool("score", "--scene", "valley", "--predicted", "scored", "--json", "scores.json",
                  quiet=False)
        told = {row["fire"]: row for row in json.loads((self.folder / "scores.json").read_text())["fires"]}
        for name, one in self.scene.items():
            s = fire.score(self.scene.read_times(self.folder / f"scored/{name}.tif"), one)
            same = fire.score(fire.physics(one), one)
            self.assertEqual(repr(s), repr(same))  # NaN is NaN
            row = told[name]
            for ours, theirs in (("correlation", "correlation"), ("mae_h", "mae_h"),
                                 ("relative_rmse", "relative_rmse"), ("iou_25", "iou_25"),
                                 ("iou_100", "iou_100"), ("rank_correlation", "spearman"),
                                 ("bias_h", "bias_h")):
                with self.subTest(name=name, score=ours):
                    self.assertAlmostEqual(getattr(s, ours), row[theirs], delta=1e-9)
            self.assertEqual((s.burned_cells, s.compared_cells, s.unreached_cells),
                             (row["burned_cells"], row["compared_cells"], row["unreached_cells"]))

    def test_scenes_of_one_seed(self):
        self.tool("simulate", "--out", "again", "--fires", self.fires, "--shape",
                  ",".join(map(str, self.shape)), "--seed", self.seed)
        again = fire.Scene(self.folder / "again")
        for layer in self.scene.landscape.layers:
            np.testing.assert_array_equal(again.landscape[layer], self.scene.landscape[layer])
        for name, one in self.scene.items():
            np.testing.assert_array_equal(np.asarray(one.arrival()), np.asarray(again[name].arrival()))
            np.testing.assert_array_equal(one.weather.values, again[name].weather.values)

    @unittest.skipUnless(has("geopandas"), "no geopandas")
    def test_perimeters(self):
        """The tool writes longitude and latitude; ours are where the map is."""
        import geopandas
        self.tool("physics", "--scene", "valley", "--fire", "f0001", "--isochrones", "lines.geojson",
                  "--t-max", 3)
        told = geopandas.read_file(self.folder / "lines.geojson")
        T = fire.physics(self.one, t_max=3.0)
        ours = fire.perimeters(T, list(told["time_h"]))
        np.testing.assert_array_equal(ours["area_ha"], told["area_ha"])
        self.assertTrue(ours.geometry.is_valid.all())
        np.testing.assert_allclose(ours.geometry.area / 1e4, ours["area_ha"], rtol=1e-9)
        there = ours.to_crs(4326)
        np.testing.assert_allclose(there.total_bounds, told.total_bounds, atol=2e-6)


@unittest.skipUnless(has("geopandas"), "no geopandas")
class AnObservedFire(SceneCase):
    """A folder with dated perimeters, made of the areas that a fire of the scene had burned."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        import shutil
        cls.place = cls.folder / "real"
        cls.place.mkdir()
        for name in ("landscape.tif", "scene.json"):
            shutil.copy(cls.folder / "valley" / name, cls.place / name)
        shutil.copy(cls.folder / "valley/weather/f0003.csv", cls.place / "weather.csv")
        burned = fire.perimeters(cls.scene["f0003"].arrival(), [1.0, 3.0, 5.0])
        burned["observed"] = ["2020-08-01T12:00", "2020-08-01T14:00", "2020-08-01T16:00"]
        burned["seq"] = [1, 2, 3]
        burned[["seq", "observed", "geometry"]].to_file(cls.place / "perimeters.gpkg", layer="perimeters")
        cls.observed = fire.Observed(cls.place)

    def test_dates(self):
        self.assertEqual([hours for _, hours, _ in self.observed.dates], [0.0, 2.0, 4.0])
        seen = np.asarray(self.observed.fire.arrival())
        self.assertEqual(sorted(set(seen[np.isfinite(seen)])), [0.0, 2.0, 4.0])

    def test_physics_is_as_of_the_tool(self):
        self.tool("physics", "--observed", "real", "--out", "observed")
        T = fire.physics(self.observed.fire)
        told = np.asarray(self.scene.read_times(self.folder / "observed/real.tif"))
        np.testing.assert_array_equal(np.asarray(T), told)

    def test_a_polygon_burns_as_a_first_perimeter_does(self):
        first = fire.perimeters(self.scene["f0003"].arrival(), [1.0]).geometry[0]
        f = fire.Fire(fire.Landscape(self.place / "landscape.tif"), self.place / "weather.csv", first,
                      start="08-01T12:00")
        np.testing.assert_array_equal(np.asarray(fire.physics(f, t_max=3.0)),
                                      np.asarray(fire.physics(self.observed.fire, t_max=3.0)))

    def test_another_fire_on_its_landscape_is_itself(self):
        """Weather, ignition and end are those that were given, not those that were observed."""
        land = self.observed.landscape
        rows, cols = self.shape
        never = [91, 92, 93, 98, 99]
        row, col = (int(v) for v in np.argwhere(~np.isin(np.asarray(land["fuel_model"]), never))[5])
        own = fire.Fire(land, self.place / "weather.csv", fire.Ignition.cell(row, col),
                        start="08-01T12:00", duration=2.0)
        apart = fire.Fire(fire.Landscape(self.place / "landscape.tif"), self.place / "weather.csv",
                          fire.Ignition.cell(row, col), start="08-01T12:00", duration=2.0)
        T = fire.physics(own)
        self.assertEqual(T.attrs["t_max"], 2.5)
        np.testing.assert_array_equal(np.asarray(T), np.asarray(fire.physics(apart)))
        self.assertEqual(fire.calibrate(own, [T], fit_moisture=False, fit_fuels=False).wind_factor,
                         fire.calibrate(apart, [T], fit_moisture=False, fit_fuels=False).wind_factor)

    def test_calibration_is_as_of_the_tool(self):
        self.tool("calibrate", "--observed", "real", "--intervals", 1, "--rate-only", "--out", "t.json")
        c = fire.calibrate(self.observed, intervals=1, fit_rate=True, fit_fuels=False, fit_wind=False,
                           fit_moisture=False)
        c.save(self.folder / "p.json")
        self.assertEqual((self.folder / "t.json").read_bytes(), (self.folder / "p.json").read_bytes())

    def test_functions_of_scenes_and_observed_fires_are_kept_apart(self):
        with self.assertRaisesRegex(zermelo.ArgumentError, "holds fires"):
            fire.physics(self.observed)
        with self.assertRaisesRegex(TypeError, "not a scene"):
            self.observed.landscape._ground.times("x", np.empty(self.shape, np.float32))
        with self.assertRaisesRegex(TypeError, "not an observed fire"):
            self.scene.landscape._ground.start()


class Maps(SceneCase):
    def test_maps_say_where_and_when_they_are(self):
        T = fire.physics(self.one)
        grid = self.scene.landscape.grid
        self.assertEqual(np.asarray(T).dtype, np.float32)
        self.assertEqual(T.attrs["start"], self.one.start.text)
        self.assertEqual(T.attrs["units"], "h")
        if not has("xarray"):
            self.skipTest("no xarray")
        self.assertEqual(T.dims, ("y", "x"))
        self.assertEqual(float(T.x[0]), grid.transform[0] + 15)
        self.assertEqual(float(T.y[0]), grid.transform[3] - 15)
        self.assertEqual(T.coords["spatial_ref"].attrs["crs_wkt"], self.scene.landscape.crs)

    @unittest.skipUnless(has("xarray"), "no xarray")
    def test_place_survives_arithmetic_and_selection(self):
        T = fire.physics(self.one)
        twice = fire.perimeters(2 * T, [4.0])
        once = fire.perimeters(T, [2.0])
        area = (lambda p: p["area_ha"][0]) if has("geopandas") else \
            (lambda p: p["features"][0]["properties"]["area_ha"])
        self.assertAlmostEqual(area(twice), area(once), delta=1e-6 * area(once))
        part = T.isel(x=slice(10, None), y=slice(5, None))
        grid = fire.grid.grid_of(part)
        self.assertEqual(grid.transform[0], self.scene.landscape.grid.transform[0] + 300)
        self.assertEqual(grid.transform[3], self.scene.landscape.grid.transform[3] - 150)

    def test_without_xarray_and_geopandas(self):
        """The same numbers, with their place, and polygons as of GeoJSON."""
        code = """
import sys
for name in ("xarray", "geopandas"):
    sys.modules[name] = None
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *a: None if name in ("xarray", "geopandas") else find(name, *a)
import numpy as np, zermelo, zermelo.fire as fire
one = fire.Scene(sys.argv[1])["f0001"]
T = fire.physics(one)
assert isinstance(T, zermelo.Raster) and T.attrs["units"] == "h", type(T)
assert T.profile["height"] == 50 and T.profile["crs"] == one.landscape.crs
areas = fire.perimeters(T, [2.0])
shape = areas["features"][0]["geometry"]
assert shape["type"] == "MultiPolygon" and len(shape["coordinates"][0][0][0]) == 2
print(np.asarray(T).tobytes().hex())
"""
        done = subprocess.run([sys.executable, "-c", code, self.folder / "valley"], text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(bytes.fromhex(done.stdout), np.asarray(fire.physics(self.one)).tobytes())

    @unittest.skipUnless(has("geopandas"), "no geopandas")
    def test_both_kinds_of_polygons_are_the_same(self):
        import shapely.geometry
        T = fire.physics(self.one)
        frame = fire.perimeters(T, [1.0, 3.0])
        grid = fire.grid.grid_of(T)
        found = fire.grid.native.isochrones(np.array(T), grid.rows, grid.cols, grid.transform,
                                            grid.wkt, np.array([1.0, 3.0]))
        for geometry, (_, _, wkb) in zip(frame.geometry, found):
            ours = shapely.geometry.shape(fire.grid.multipolygon(wkb))
            self.assertTrue(ours.equals_exact(geometry, 0))

    def test_many_threads_burn_one_landscape(self):
        alone = [np.asarray(fire.physics(one)) for one in self.scene.values()]
        found = [None] * len(alone)

        def burn(k, one):
            found[k] = np.asarray(fire.physics(one))
        threads = [threading.Thread(target=burn, args=(k, one))
                   for k, one in enumerate(self.scene.values())]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for a, b in zip(alone, found):
            np.testing.assert_array_equal(a, b)

    def test_progress_is_told_and_can_stop(self):
        told = []
        fire.ensemble(self.one, members=30, progress=told.append)
        self.assertEqual(told, sorted(told))
        with self.assertRaises(zermelo.Cancelled):
            fire.ensemble(self.one, members=100000, progress=lambda share: True)
        with self.assertRaises(ZeroDivisionError):
            fire.ensemble(self.one, members=100000, progress=lambda share: 1 / 0)
        with self.assertRaises(zermelo.Cancelled):
            fire.calibrate(self.one, monitor=lambda iteration, objective: iteration >= 1)

    def test_progress_is_that_of_solve(self):
        fire.ensemble(self.one, members=3, progress=True)  # a bar, which nobody sees here
        for function in (lambda progress: fire.ensemble(self.one, members=3, progress=progress),
                         lambda progress: fire.simulate(self.folder / "none", progress=progress)):
            with self.assertRaisesRegex(zermelo.ArgumentError, "progress is 3"):
                function(3)
        self.assertFalse((self.folder / "none").exists())

    def test_seeds_that_would_be_others_are_refused(self):
        for seed in -1, 2**64, 1.5:
            for function in (lambda: fire.ensemble(self.one, members=3, seed=seed),
                             lambda: fire.simulate(self.folder / "none", seed=seed)):
                with self.subTest(seed=seed), \
                        self.assertRaisesRegex(zermelo.ArgumentError, "seed is"):
                    function()
        with self.assertRaisesRegex(zermelo.ArgumentError, "members is 2.5"):
            fire.ensemble(self.one, members=2.5)

    def test_nothing_of_the_extension_can_be_made_or_copied(self):
        ground = self.scene.landscape._ground
        for attempt in (lambda: type(ground)(), lambda: pickle.dumps(ground)):
            with self.assertRaises(TypeError):
                attempt()

    def test_scores_of_no_shape_are_refused(self):
        with self.assertRaisesRegex(zermelo.ArgumentError, "shape"):
            fire.score(np.zeros((3, 4)), np.zeros((4, 3)))
        with self.assertRaisesRegex(zermelo.ArgumentError, "shape"):
            fire.score(np.zeros(3), np.zeros(3))
        T = np.hypot(*np.mgrid[0:20, 0:20])
        with self.assertRaisesRegex(zermelo.ArgumentError, "outside of the 20 x 20"):
            fire.score(T, T, cell=(20, 3))
        flat = fire.score(np.ones((20, 20)), np.hypot(*np.mgrid[0:20, 0:20]))
        self.assertIn("one time", flat.degenerate)


class Missing(unittest.TestCase):
    def test_without_the_extension_it_is_said_what_to_install(self):
        code = ("import sys; sys.modules['zermelo._fire'] = None\n"
                "import zermelo\n"
                "try:\n    import zermelo.fire\n"
                "except ImportError as e:\n    print(e)")
        out = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True).stdout
        self.assertIn("libgdal-dev", out)


if __name__ == "__main__":
    main()
