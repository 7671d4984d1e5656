# SPDX-License-Identifier: Apache-2.0
"""zermelo fire physics, calibrate and ensemble on a small synthetic scene."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from _tool import TOOL, ToolTest, main, many_fires, np, options_in, svg_colors

if subprocess.run([TOOL, "fire", "physics", "--help"], capture_output=True).returncode:
    print("skipped: the tool has no fire physics")
    sys.exit(77)

SCENE = tempfile.TemporaryDirectory(prefix="zermelo-scene-")


def setUpModule():
    subprocess.run([TOOL, "fire", "simulate", "--out", SCENE.name + "/valley", "--shape", "60,64",
                    "--fires", "3", "--finer", "1", "--quiet"], check=True, capture_output=True)


def tearDownModule():
    SCENE.cleanup()


class Physics(ToolTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(SCENE.name + "/valley", self.dir / "valley")

    def test_every_fire_gets_a_map_and_scores(self):
        run = self.zermelo("fire", "physics", "--scene", "valley", "--out", "times", "--json", "-")
        scores = json.loads(run.stdout)
        self.assertEqual(len(scores["fires"]), 3)
        self.assertEqual(sorted(p.name for p in (self.dir / "times").iterdir()),
                         ["f0001.tif", "f0002.tif", "f0003.tif"])

    def test_maps_go_on_after_the_end_and_scores_do_not(self):
        def scores(*words):
            return json.loads(self.zermelo("fire", *words, "--scene", "valley", "--json", "-").stdout)["fires"]
        told = scores("physics", "--out", "times")
        self.assertEqual(told, scores("physics"))
        maps = scores("score", "--predicted", "times")
        for a, b in zip(told, maps):
            for share in 25, 50, 75, 100:
                self.assertEqual(a[f"iou_{share}"], b[f"iou_{share}"])
        self.assertLess(sum(f["unreached_cells"] for f in maps), sum(f["unreached_cells"] for f in told))
        end = max(f["duration_h"] for f in told)
        self.assertEqual(scores("physics", "--out", "cut", "--t-max", end),
                         scores("score", "--predicted", "cut"))

    def test_ctrl_c_tells_how_many_maps_are_written(self):
        many_fires(self.dir / "valley", 9000)
        self.stops_with_maps(9000, "fire", "physics", "--scene", "valley")

    def test_a_split_that_is_not_there_is_named_with_those_that_are(self):
        for verb in ("physics", "--score"), ("calibrate",), ("calibrate", "--recover", 1):
            run = self.zermelo("fire", *verb, "--scene", "valley", "--split", "nonsense", status=1)
            self.assertIn("'nonsense'", run.stderr)
            for split in "test", "val", "train":
                self.assertIn(split, run.stderr)
        self.refuses(1, "no fire f9", "fire", "physics", "--scene", "valley", "--fire", "f9", "--score")
        self.refuses(1, "no fire f0001 has 'val'", "fire", "physics", "--scene", "valley", "--fire", "f0001",
                     "--split", "val", "--score")

    def test_fires_without_true_times_are_named(self):
        def score(*more):
            return self.zermelo("fire", "physics", "--scene", "valley", "--score", *more).stdout
        whole = score()
        (self.dir / "valley/arrival/f0002.tif").unlink()
        part = score()
        self.assertIn("valley/f0002: no true times", part)
        self.assertIn("IoU@50", part)
        self.assertNotEqual(whole.split("\n")[1], part.split("\n")[1])
        self.assertEqual(score("--fire", "f0002"), "valley/f0002: no true times\n")
        fires = json.loads(score("--json", "-"))["fires"]
        self.assertEqual([f.get("why") for f in fires], [None, "no true times", None])

    def test_one_fire_gets_isochrones(self):
        self.zermelo("fire", "physics", "--scene", "valley", "--fire", "f0002", "--isochrones",
                     "areas.geojson")
        areas = json.loads((self.dir / "areas.geojson").read_text())["features"]
        sizes = [f["properties"]["area_ha"] for f in areas]
        self.assertEqual(sizes, sorted(sizes))
        self.assertGreater(len(sizes), 1)

    def test_a_landscape_and_weather_are_enough(self):
        row, col = self.ignition()
        weather = sorted((self.dir / "valley/weather").iterdir())[0]
        self.zermelo("fire", "physics", "--landscape", "valley/landscape.tif", "--weather",
                     weather, "--ignition", f"{row},{col}", "--out", "alone")
        self.assertTrue((self.dir / "alone/f0001.tif").stat().st_size > 500)
        self.assertTrue((self.dir / "alone/scene/fires.csv").exists())

    def test_start_and_moisture_of_a_landscape_count(self):
        row, col = self.ignition()
        weather = sorted((self.dir / "valley/weather").iterdir())[0]
        sizes = []
        for more in (("--start", "07-01T13:00", "--fuel-moisture", "3,4,5,60,90"),
                     ("--start", "12-01T22:05", "--fuel-moisture", "14,15,16,120,120")):
            self.zermelo("fire", "physics", "--landscape", "valley/landscape.tif", "--weather",
                         weather, "--ignition", f"{row},{col}", "--out", "alone", "--isochrones",
                         "areas.geojson", "--t-max", 4, *more)
            areas = json.loads((self.dir / "areas.geojson").read_text())["features"]
            sizes.append(areas[-1]["properties"]["area_ha"])
        self.assertGreater(sizes[0], 2 * sizes[1])
        text = (self.dir / "alone/scene/fires.csv").read_text()
        self.assertIn("14,15,16,120,120", text)
        self.assertIn("12-01T22:05", text)
        self.refuses_usage("--fuel-moisture", "fire", "physics", "--scene", "valley", "--fuel-moisture",
                           "3,4,5,60,90", "--score")
        self.refuses_usage("--start", "fire", "physics", "--landscape", "valley/landscape.tif",
                           "--weather", weather, "--ignition", "3,3", "--out", "alone", "--start",
                           "02-30T12:00")

    def test_a_scene_is_never_overwritten_by_a_landscape(self):
        row, col = self.ignition()
        weather = sorted((self.dir / "valley/weather").iterdir())[0]
        shutil.copytree(self.dir / "valley", self.dir / "kept")
        before = (self.dir / "kept/fires.csv").read_text()
        self.zermelo("fire", "physics", "--landscape", "kept/landscape.tif", "--weather", weather,
                     "--ignition", f"{row},{col}", "--out", "kept")
        self.assertEqual((self.dir / "kept/fires.csv").read_text(), before)

    def test_custom_fuels_with_numbers_of_their_own(self):
        """Fuel 14 of an ENVI raster; a file with nothing but that model."""
        rows = cols = 60
        names = ["elevation_m", "slope_deg", "aspect_deg", "fuel_model", "canopy_cover_pct"]
        planes = [np.full((rows, cols), v, np.float32) for v in (300, 0, 0, 14, 0)]
        (self.dir / "own.img").write_bytes(b"".join(p.tobytes() for p in planes))
        (self.dir / "own.hdr").write_text(
            f"ENVI\nsamples = {cols}\nlines = {rows}\nbands = 5\nheader offset = 0\n"
            "data type = 4\ninterleave = bsq\nbyte order = 0\n"
            "map info = {UTM, 1, 1, 500000, 5000000, 30, 30, 11, North, WGS-84}\n"
            f"band names = {{{', '.join(names)}}}\n")
        (self.dir / "own.fmd").write_text(
            "english\n14 OWN 2 1 0.5 0 0.5 static 3000 1800 1500 1 15 8000 8000 own\n")
        weather = sorted((self.dir / "valley/weather").iterdir())[0]
        arguments = ("fire", "physics", "--landscape", "own.img", "--weather", weather,
                     "--ignition", "30,30", "--out", "own", "--t-max", 2, "--isochrones",
                     "own.geojson")
        self.refuses(1, "cannot burn", *arguments)
        self.assertFalse((self.dir / "own/scene").exists())
        self.zermelo(*arguments, "--fuels", "own.fmd")
        areas = json.loads((self.dir / "own.geojson").read_text())["features"]
        self.assertGreater(areas[-1]["properties"]["area_ha"], 5)
        self.zermelo("fire", "physics", "--scene", "own/scene", "--out", "again", "--t-max", 2)
        (self.dir / "own/scene/scene.json").write_text("{}")
        self.refuses(1, "14", "fire", "physics", "--scene", "own/scene", "--out", "again")
        self.zermelo("fire", "physics", "--scene", "own/scene", "--fuels", "own.fmd", "--out",
                     "again", "--t-max", 2)
        (self.dir / "own.fmd").write_text("# nothing\n")
        self.refuses(1, "no fuel model", "fire", "physics", "--scene", "own/scene", "--fuels",
                     "own.fmd", "--out", "again")

    def ignition(self):
        lines = (self.dir / "valley/fires.csv").read_text().splitlines()
        first = dict(zip(lines[0].split(","), lines[1].split(",")))
        return first["ignition_row"], first["ignition_col"]

    def test_sensitivity_tells_what_decides_when_the_fire_comes(self):
        row, col = (int(x) for x in self.ignition())
        cell = f"{row + (3 if row < 30 else -3)},{col}"
        self.zermelo("fire", "physics", "--scene", "valley", "--fire", "f0001", "--out", "why",
                     "--sensitivity", cell)
        lines = (self.dir / "why/f0001.sensitivity.csv").read_text().splitlines()
        self.assertEqual(lines[0], "input,hour,fuel,value,unit,minutes_per_unit,usual_error,minutes")
        rows = [line.split(",") for line in lines[1:]]
        shifts = [abs(float(r[7])) for r in rows]
        self.assertEqual(shifts, sorted(shifts, reverse=True))
        self.assertLessEqual({"fuel_factor", "moisture_offset"}, {r[0] for r in rows})
        for r in rows:
            self.assertAlmostEqual(float(r[5]) * float(r[6]), float(r[7]),
                                   delta=1e-4 * abs(float(r[7])) + 1e-9)
            if r[0] == "fuel_factor":
                self.assertLess(float(r[5]), 0)  # faster fuel, earlier fire
        self.assertGreater((self.dir / "why/f0001.sensitivity.tif").stat().st_size, 500)
        self.refuses_usage("--out", "fire", "physics", "--scene", "valley", "--score", "--sensitivity", cell)
        self.refuses(1, "outside the landscape", "fire", "physics", "--scene", "valley", "--out", "why",
                     "--sensitivity", "999,2")
        self.refuses(1, "none.geojson", "fire", "physics", "--scene", "valley", "--out", "why",
                     "--sensitivity", "none.geojson")

    def test_protect_finds_a_break_no_worse_than_rings_and_lines(self):
        row, col = (int(x) for x in self.ignition())
        words = ("fire", "protect", "--scene", "valley", "--fire", "f0001", "--assets",
                 f"{row + (4 if row < 30 else -4)},{col}", "--cells", 4, "--members", 4, "--rounds", 8,
                 "--batch", 4, "--out", "break")
        told = json.loads(self.zermelo(*words, "--ready", 0.1, "--json", "-").stdout)
        by = {b["break"]: b for b in told["breaks"]}
        self.assertEqual(list(by), ["none", "plan", "ring", "line", "random"])
        self.assertEqual([by[k]["cells"] for k in ("none", "plan", "ring", "line")], [0, 4, 4, 4])
        for rival in "none", "ring", "line":
            self.assertGreaterEqual(by["plan"]["arrival_h"], by[rival]["arrival_h"] - 1e-9)
        self.assertIsNotNone(by["plan"]["markers_arrival_h"])
        self.assertGreater((self.dir / "break/break.tif").stat().st_size, 300)
        self.refuses_usage("--cells", *words[:8], "--out", "break")
        self.refuses_usage("travel-time", *words, "--front", "markers")
        self.refuses(1, "can be used", *words, "--allowed", f"{row},{col}")

    def test_factors_made_by_calibrate_change_the_times(self):
        self.zermelo("fire", "calibrate", "--scene", "valley", "--most", 2, "--out", "factors.json",
                     "--no-moisture")
        found = json.loads((self.dir / "factors.json").read_text())
        self.assertLess(found["error_after"], found["error_before"])
        for p in found["parameters"]:
            self.assertLessEqual(p["low"], p["value"])
            self.assertLessEqual(p["value"], p["high"])
        plain = self.mae()
        fitted = self.mae("--calibration", "factors.json")
        self.assertLess(fitted, plain)

    def mae(self, *more):
        run = self.zermelo("fire", "physics", "--scene", "valley", "--json", "-", *more)
        fires = json.loads(run.stdout)["fires"]
        return sum(f["relative_rmse"] for f in fires[:2])

    def observed_fire(self):
        """Perimeters of a fire that runs at 0.4 of the model's rates."""
        slow = {"parameter": "rate_factor", "value": 0.4, "low": 0.4, "high": 0.4}
        (self.dir / "slow.json").write_text(json.dumps({"parameters": [slow]}))
        self.zermelo("fire", "physics", "--scene", "valley", "--fire", "f0002", "--t-max", 20,
                     "--calibration", "slow.json", "--isochrones", "areas.geojson")
        areas = json.loads((self.dir / "areas.geojson").read_text())
        areas["features"] = areas["features"][-10::3]
        for k, f in enumerate(areas["features"]):
            hours = 16 + f["properties"]["time_h"]
            f["properties"] = {"seq": k, "observed": f"2020-07-{21 + int(hours // 24)}T{int(hours % 24):02}:30"}
        folder = self.dir / "fires/slow"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "perimeters.geojson").write_text(json.dumps(areas))
        for name in ("landscape.tif", "scene.json"):
            shutil.copy(self.dir / "valley" / name, folder)
        lines = (self.dir / "valley/weather/f0002.csv").read_text().splitlines()
        hour = lines[1].split(",", 1)[1]
        (folder / "weather.csv").write_text(
            "\n".join([lines[0]] + [f"{k},{hour}" for k in range(60)]) + "\n")
        return len(areas["features"])

    def burned_once(self):
        """An observed fire with its ignition and a single perimeter."""
        self.observed_fire()
        path = self.dir / "fires/slow/perimeters.geojson"
        areas = json.loads(path.read_text())
        areas["features"] = areas["features"][-1:]
        path.write_text(json.dumps(areas))
        lines = (self.dir / "valley/fires.csv").read_text().splitlines()
        fire = dict(zip(lines[0].split(","), lines[2].split(",")))
        cell = {key: int(fire[key]) for key in ("ignition_row", "ignition_col")}
        (self.dir / "fires/slow/ignition.json").write_text(json.dumps(cell))
        return cell

    def test_dates_after_the_last_hour_are_not_scored(self):
        dates = self.observed_fire()
        def scores(*more):
            run = self.zermelo("fire", "physics", "--observed", "fires/slow", "--json", "-", *more)
            return json.loads(run.stdout)
        whole = scores()
        self.assertEqual(len(whole["dates"]), dates)
        second, third = (date["hours"] for date in whole["dates"][1:3])
        part = scores("--t-max", (second + third) / 2)
        self.assertEqual(part["dates"], whole["dates"][:2])
        self.assertAlmostEqual(part["mean_iou"], whole["dates"][1]["iou"])
        run = self.zermelo("fire", "physics", "--observed", "fires/slow", "--t-max", second / 2)
        self.assertIn("no later date to compare with", run.stdout)
        self.assertNotIn("nan", run.stdout)

    def test_a_single_perimeter_leaves_no_date_to_compare_with(self):
        self.burned_once()
        run = self.zermelo("fire", "physics", "--observed", "fires/slow", "--out", "times")
        self.assertIn("no later date to compare with", run.stdout)
        self.assertNotIn("nan", run.stdout)

    def test_an_ignition_that_is_all_that_is_known_is_lit_as_that_of_a_scene(self):
        cell = ",".join(str(n) for n in self.burned_once().values())
        self.zermelo("fire", "import", "--landscape", "fires/slow/landscape.tif", "--ignition", cell,
                     "--weather", "fires/slow/weather.csv", "--out", "alone")
        def times(folder, *words):
            self.zermelo("fire", "physics", *words, "--t-max", 6, "--out", folder, "--constant-moisture",
                         "--quiet")
            path, = (self.dir / folder).glob("*.tif")
            return path.read_bytes()
        for front in "travel-time", "markers":
            self.assertEqual(times("a-" + front, "--scene", "alone", "--front", front),
                             times("b-" + front, "--observed", "fires/slow", "--front", front))

    def test_ignitions_are_moved_where_there_is_one(self):
        def chances(seed):
            self.zermelo("fire", "ensemble", "--observed", "fires/slow", "--out", "x", "--members", 1,
                         "--ignition", 300, "--seed", seed, "--t-max", 1, "--wind-speed", 0, "--wind-dir", 0,
                         "--rate", 0, "--moisture", 0, "--live-moisture", 0, "--temperature", 0,
                         "--humidity", 0)
            return (self.dir / "x/probability.tif").read_bytes()
        self.burned_once()
        self.assertNotEqual(chances(1), chances(2))
        self.observed_fire()
        self.refuses(2, "--ignition", "fire", "ensemble", "--observed", "fires/slow", "--out", "x",
                     "--ignition", 300)

    def perimeters_drawn(self, *words):
        """How many lines of a picture have the colour of what is known of the fire."""
        if "--plot" not in options_in(self.zermelo("fire", "physics", "--help").stdout):
            self.skipTest("this build draws no pictures")
        self.zermelo("fire", "physics", *words, "--plot", "p.svg")
        return svg_colors((self.dir / "p.svg").read_text()).count("#18c0c8")

    def test_pictures_show_what_is_known_of_the_fire(self):
        scene = ("--scene", "valley", "--fire", "f0002")
        self.assertEqual(self.perimeters_drawn(*scene), 2)  # with the one in the legend
        shutil.rmtree(self.dir / "valley/arrival")
        self.assertEqual(self.perimeters_drawn(*scene), 0)
        dates = self.observed_fire()
        observed = ("--observed", "fires/slow")
        self.assertEqual(self.perimeters_drawn(*observed), dates + 1)
        self.assertEqual(self.perimeters_drawn(*observed, "--t-max", 0.5), 2)

    def test_fitted_to_its_first_interval_a_fire_is_forecast_better(self):
        dates = self.observed_fire()
        run = self.zermelo("fire", "calibrate", "--observed", "fires", "--test", "--rate-only", "--restart",
                           "--json", "-", "--quiet")
        found = json.loads(run.stdout)
        fire, = found["fires"]
        factor, = fire["parameters"]
        self.assertLess(factor["value"], 0.7)
        self.assertEqual(len(fire["dates"]), dates - 2)
        for way in ("from_the_first_perimeter", "from_the_perimeter_before"):
            self.assertGreater(found[way]["fitted"], found[way]["model"])
        table = self.zermelo("fire", "calibrate", "--observed", "fires/slow/", "--test", "--rate-only")
        self.assertIn(f"{found['from_the_first_perimeter']['fitted']:.3f}", table.stdout)
        self.assertIn("slow ", table.stdout)
        broken = self.dir / "fires/broken"
        broken.mkdir()
        (broken / "landscape.tif").write_text("no raster")
        beside = self.zermelo("fire", "calibrate", "--observed", "fires", "--test", "--rate-only", status=1)
        self.assertEqual(beside.stdout, table.stdout)
        self.assertIn("1 of 2 fires failed", beside.stderr)
        shutil.copytree(broken, self.dir / "ruins/one")
        shutil.copytree(broken, self.dir / "ruins/two")
        run = self.zermelo("fire", "calibrate", "--observed", "ruins", "--test", "--rate-only", status=1)
        self.assertIn("none of 2 fires", run.stderr)
        shutil.rmtree(broken)
        run = self.zermelo("fire", "calibrate", "--observed", "fires", "--test", "--intervals", 99,
                           status=1)
        self.assertIn("no fire with enough dated perimeters", run.stderr)

    def test_a_folder_of_fires_goes_with_test(self):
        self.observed_fire()
        self.refuses_usage("goes with --test; without it name one, e.g. fires/slow", "fire", "calibrate",
                           "--observed", "fires", "--rate-only")

    def test_intervals_that_are_not_there_are_refused(self):
        last = self.observed_fire() - 1
        run = ("fire", "calibrate", "--observed", "fires/slow", "--rate-only", "--json", "-", "--intervals")
        self.refuses(1, f"it has {last}", *run, last + 1)
        self.zermelo(*run, last)

    def test_what_is_printed_is_there_as_json(self):
        run = self.zermelo("fire", "calibrate", "--scene", "valley", "--most", 2, "--json", "found.json",
                           "--out", "factors.json", "--no-moisture")
        found = json.loads((self.dir / "found.json").read_text())
        factors = json.loads((self.dir / "factors.json").read_text())
        self.assertEqual(found["fires"], 2)
        self.assertEqual(found["converged"], "stopped before it converged" not in run.stderr)
        self.assertIn(f"error: {found['error_before']:.4f} before, {found['error_after']:.4f} after", run.stdout)
        for p, q in zip(found["parameters"], factors["parameters"], strict=True):
            self.assertAlmostEqual(p["value"], q["value"], places=6)
            self.assertIn(f"{p['value']:.3f}  {p['low']:.3f} to {p['high']:.3f}", run.stdout)

    def test_a_factor_at_its_bound_is_told(self):
        """A fire that stands still is slower than any factor makes it."""
        dates = self.observed_fire()
        path = self.dir / "fires/slow/perimeters.geojson"
        areas = json.loads(path.read_text())
        for k, f in enumerate(areas["features"]):
            f["geometry"] = areas["features"][0]["geometry"]
            f["properties"]["observed"] = f"2020-07-{20 + k}T12:00"
        path.write_text(json.dumps(areas))
        run = ("fire", "calibrate", "--observed", "fires/slow", "--rate-only", "--rate-spread", 100)
        told = self.zermelo(*run, "--json", "found.json")
        self.assertRegex(told.stdout, "all fuels .* at its bound")
        self.assertIn("at its bound", told.stderr)
        self.assertTrue(json.loads((self.dir / "found.json").read_text())["parameters"][0]["at_bound"])
        told = self.zermelo(*run, "--test", "--restart", "--json", "-")
        found = json.loads(told.stdout)
        self.assertEqual(found["fits"], dates - 1)
        self.assertGreater(found["at_bound"], 0)
        self.assertIn(f"{found['at_bound']} of {dates - 1} fits have a parameter at its bound", told.stderr)

    def test_a_narrow_prior_holds_the_factor(self):
        self.observed_fire()
        def rate(*more):
            self.zermelo("fire", "calibrate", "--observed", "fires/slow", "--intervals", 1, "--rate-only",
                         "--out", "rate.json", *more)
            return json.loads((self.dir / "rate.json").read_text())["parameters"][0]["value"]
        self.assertLess(rate(), 0.7)
        self.assertGreater(rate("--rate-spread", 0.001), 0.9)

    def test_known_factors_come_back(self):
        run = self.zermelo("fire", "calibrate", "--scene", "valley", "--recover", 1, "--most", 2,
                           "--no-wind", "--no-moisture", "--json", "-", "--quiet")
        found = json.loads(run.stdout)
        self.assertGreater(found["factors"], 0)
        self.assertLess(found["median_error"], 0.1)
        self.assertGreater(found["in_their_intervals"], 0.5)

    def test_ensembles_write_probability_and_quantiles(self):
        def maps(folder, *more):
            self.zermelo("fire", "ensemble", "--scene", "valley", "--fire", "f0001", "--members", 6,
                         "--out", folder, *more)
            return [(self.dir / folder / name).read_bytes() for name in ("probability.tif", "quantiles.tif")]
        one = maps("one")
        self.assertEqual(one, maps("two", "--threads", 2))
        self.assertNotEqual(one, maps("three", "--seed", 2))

    def test_an_ensemble_tells_its_areas(self):
        def areas(*more):
            return json.loads(self.zermelo("fire", "ensemble", "--scene", "valley", "--fire", "f0001", "--members",
                                           6, "--out", "x", "--seed", 5, "--json", "-", *more).stdout)
        told = areas("--wind-dir", 25)
        self.assertEqual((told["fire"], told["members"], told["seed"]), ("f0001", 6, 5))
        self.assertEqual(told["uncertainty"]["wind_dir_deg"], 25)
        self.assertEqual(told["uncertainty"]["rate"], 0.2)
        self.assertEqual([a["probability"] for a in told["areas"]], [0.05, 0.5, 0.95])
        most, half, least = (a["ha"] for a in told["areas"])
        self.assertTrue(most > half > least > 0, told)
        self.assertTrue(most > told["expected_ha"] > least, told)
        sure = areas(*(word for name in ("wind-speed", "wind-dir", "temperature", "humidity", "moisture",
                                         "live-moisture", "rate") for word in ("--" + name, 0)))
        for a in sure["areas"]:  # all members are the same fire
            self.assertAlmostEqual(a["ha"], sure["expected_ha"], places=3)

    def test_an_ensemble_has_a_picture(self):
        if "--plot" not in options_in(self.zermelo("fire", "ensemble", "--help").stdout):
            self.skipTest("this build draws no pictures")
        self.zermelo("fire", "ensemble", "--scene", "valley", "--fire", "f0001", "--members", 6, "--out", "x",
                     "--plot", "chances.svg")
        picture = (self.dir / "chances.svg").read_text()
        self.assertEqual(svg_colors(picture).count("#18c0c8"), 2)  # the median perimeter, and in the legend

    def test_the_progress_of_an_ensemble_is_of_its_members(self):
        terminal, end = os.openpty()
        run = self.start("fire", "ensemble", "--scene", "valley", "--fire", "f0001", "--members", 100000,
                         "--out", "x", stderr=end)
        os.close(end)
        self.addCleanup(os.close, terminal)
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        self.assertIn(b"of the members", os.read(terminal, 1000))

    def test_custom_fuels_come_first(self):
        wet = "\n".join(f"{k} WET 1 0 0 0 0 static 2000 1800 1500 1 1 8000 8000"
                        for k in list(range(1, 14)) + list(range(101, 205)))
        (self.dir / "wet.fmd").write_text(wet + "\n")
        run = self.zermelo("fire", "physics", "--scene", "valley", "--fuels", "wet.fmd", "--json", "-")
        for fire in json.loads(run.stdout)["fires"]:
            self.assertLess(fire["iou"][3] if "iou" in fire else fire["iou_100"], 0.2)

    def test_what_does_not_fit_together_is_refused(self):
        self.refuses_usage("one of --scene", "fire", "physics", "--out", "x")
        self.refuses_usage("--each goes with --score", "fire", "physics", "--scene", "valley", "--out", "x",
                           "--each")
        self.refuses_usage("nothing to do", "fire", "physics", "--scene", "valley")
        self.refuses_usage("--ignition", "fire", "physics", "--landscape", "valley/landscape.tif",
                           "--out", "x")
        self.refuses_usage("one of --scene", "fire", "calibrate")
        self.refuses_usage("goes with --observed", "fire", "calibrate", "--scene", "valley", "--test")
        self.refuses_usage("--least-share", "fire", "calibrate", "--scene", "valley", "--least-share", 1)
        self.refuses_usage("not fitted", "fire", "calibrate", "--scene", "valley", "--rate-only",
                           "--least-share", 0.1)
        run = self.zermelo("fire", "calibrate", "--scene", "valley", "--no-wind", "--no-moisture",
                           "--least-share", 0.99, status=1)
        self.assertIn("a share of 0.99", run.stderr)
        self.refuses_usage("--intervals", "fire", "calibrate", "--scene", "valley", "--intervals", 1)
        self.refuses_usage("goes with --test", "fire", "calibrate", "--observed", "x", "--restart")
        self.refuses_usage("goes with --scene", "fire", "calibrate", "--observed", "x", "--recover", 1)
        self.refuses_usage("nothing to fit", "fire", "calibrate", "--scene", "valley", "--no-fuels", "--no-wind",
                           "--no-moisture")
        for option, *without in (("--fuel-spread", "--rate-only"), ("--fuel-spread", "--no-fuels"),
                                 ("--wind-spread", "--no-wind"), ("--wind-spread", "--rate-only"),
                                 ("--moisture-spread", "--no-moisture"), ("--rate-spread",),
                                 ("--least-cells", "--no-fuels")):
            self.refuses_usage(option + " is of", "fire", "calibrate", "--scene", "valley", option, 2, *without)
        self.refuses_usage("nothing else", "fire", "calibrate", "--scene", "valley", "--rate-only", "--rate")
        self.refuses_usage("--fire", "fire", "ensemble", "--scene", "valley", "--out", "x")

    def refuses_usage(self, says, *args):
        run = self.zermelo(*args, status=2)
        self.assertIn(says, run.stderr)

    def test_bad_files_are_named(self):
        (self.dir / "bad.json").write_text('{"parameters": [{"parameter": "luck"}]}')
        run = self.zermelo("fire", "physics", "--scene", "valley", "--out", "x", "--calibration",
                           "bad.json", status=1)
        self.assertIn("parameter 0: must be wind_factor", run.stderr)
        (self.dir / "bad.fmd").write_text("1 X 1\n")
        run = self.zermelo("fire", "physics", "--scene", "valley", "--out", "x", "--fuels",
                           "bad.fmd", status=1)
        self.assertIn("line 1", run.stderr)


if __name__ == "__main__":
    main()
