# SPDX-License-Identifier: Apache-2.0
"""zermelo view of maps and fires: what the page has is what the other verbs write."""
import json
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import unittest

from _page import Page
from _tool import HAS_FIRE, HAS_VIEW, TOOL, ToolTest, main, np

LAYERS = ["elevation", "slope", "aspect", "fuel", "cover", "height", "base", "density"]


@unittest.skipUnless(HAS_VIEW and HAS_FIRE, "built without zermelo-view or zermelo-fire")
class Fires(ToolTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="zermelo-scene-")
        cls.addClassCleanup(folder.cleanup)
        cls.scene = pathlib.Path(folder.name, "valley")
        subprocess.run([TOOL, "fire", "simulate", "--out", cls.scene, "--fires", "3", "--shape", "60,70",
                        "--quiet"], check=True)

    def setUp(self):
        super().setUp()
        shutil.copytree(self.scene, self.dir / "valley")

    def page(self, *args):
        self.zermelo("view", *args, "--out", "p.html", "--quiet")
        return Page(self.dir / "p.html")

    def test_a_scene_has_landscape_fires_truth_and_times(self):
        page = self.page("valley")
        facts = page.facts
        self.assertEqual((facts["kind"], facts["shape"], facts["spacing"]), ("fire", [60, 70], [30, 30]))
        self.assertEqual(facts["units"], {"time": "h", "length": "m"})
        self.assertEqual(page.roles()[:len(LAYERS)], LAYERS)
        self.assertEqual([fire["name"] for fire in facts["fire"]["fires"]], ["f0001", "f0002", "f0003"])
        self.assertEqual(page.bytes_of("wasm")[:4], b"\0asm")
        fire = facts["fire"]["fires"][1]
        self.assertEqual(page.fields[fire["times"]]["role"], "times")
        self.assertEqual(page.fields[fire["observed"]]["role"], "observed")
        self.assertEqual(facts["command"]["fire"], "zermelo fire physics --scene valley")
        row = next(line for line in (self.dir / "valley/fires.csv").read_text().splitlines()
                   if "f0002" in line)
        head = (self.dir / "valley/fires.csv").read_text().splitlines()[0]
        given = dict(zip(head.split(","), row.split(",")))
        self.assertEqual(fire["ignitions"], [[int(given["ignition_row"]), int(given["ignition_col"]), 0]])
        self.assertEqual(fire["hours"], fire["duration"])
        table = (self.dir / "valley/weather/f0002.csv").read_text().splitlines()
        self.assertEqual(len(fire["weather"]), len(table) - 1)

    def test_times_are_those_of_the_command_that_the_page_tells(self):
        for options in ((), ("--crown", "none", "--constant-moisture"),
                        ("--front", "markers", "--t-max", "5"), ("--emulate", "none")):
            page = self.page("valley", "--fire", "f0002", *options)
            command = shlex.split(page.facts["command"]["fire"])
            for option in options:
                self.assertIn(option, command)
            if "--t-max" not in options:
                command += ["--t-max", page.facts["fire"]["fires"][0]["hours"]]
            self.zermelo(*command[1:], "--out", "times", "--quiet")
            maps = self.page("times")
            self.assertEqual(maps.fields[0]["role"], "times")
            again, here = maps.field(0)[0], page.one("times")[0]
            self.assertEqual(here.dtype, np.float32)
            self.assertTrue((np.isfinite(again) == np.isfinite(here)).all())
            self.assertTrue((again[np.isfinite(again)] == here[np.isfinite(here)]).all())
            self.assertGreater(np.isfinite(here).sum(), 20)
            for path in (self.dir / "times").iterdir():
                path.unlink()

    def test_the_truth_is_that_of_the_scene(self):
        page = self.page("valley", "--fire", "f0001")
        truth = self.page("valley/arrival/f0001.tif").field(0)[0]
        here = page.one("observed")[0]
        self.assertEqual(np.isfinite(truth).sum(), np.isfinite(here).sum())

    def test_the_model_is_told_with_its_options(self):
        page = self.page("valley", "--fire", "f0001", "--crown", "scott-reinhardt", "--foliar-moisture",
                         "80", "--cell-moisture", "--members", "7", "--seed", "3", "--wind-speed", "0.4")
        fire = page.facts["fire"]
        self.assertEqual((fire["physics"]["crown"], fire["physics"]["foliar_moisture"],
                          fire["physics"]["moisture_classes"]), (2, 80, 0))
        self.assertEqual((fire["ensemble"]["members"], fire["ensemble"]["seed"],
                          fire["ensemble"]["wind_speed"]), (7, 3, 0.4))
        self.assertEqual(page.facts["command"]["fire"],
                         "zermelo fire physics --scene valley --fire f0001 --crown scott-reinhardt "
                         "--cell-moisture --foliar-moisture 80")

    def test_factors_of_a_calibration_are_told(self):
        (self.dir / "factors.json").write_text(json.dumps({"parameters": [
            {"parameter": "wind_factor", "value": 0.75, "low": 0.4, "high": 2},
            {"parameter": "moisture_offset_pct", "value": 0.5, "low": 0.4, "high": 2},
            {"parameter": "fuel_factor", "value": 1.25, "low": 0.4, "high": 2, "fuel_model": 102}]}))
        facts = self.page("valley", "--fire", "f0001", "--calibration", "factors.json").facts
        self.assertEqual((facts["fire"]["wind_factor"], facts["fire"]["moisture_offset"]), (0.75, 0.5))
        self.assertEqual(facts["fire"]["fuel_factors"], [[102, 1.25]])
        self.assertIn("--calibration factors.json", facts["command"]["fire"])

    def test_ensembles_are_told_by_the_names_of_their_bands(self):
        self.zermelo("fire", "ensemble", "--scene", "valley", "--fire", "f0001", "--members", "8",
                     "--out", "chances", "--quiet")
        alone = self.page("chances")
        self.assertEqual(alone.roles(), ["probability", "times", "times", "times"])
        self.assertEqual(alone.facts["kind"], "grid")
        self.assertEqual(alone.facts["spacing"], [30, 30])
        self.assertTrue(((alone.field(0) >= 0) & (alone.field(0) <= 1)).all())
        both = self.page("valley", "chances", "--fire", "f0001")
        self.assertEqual(both.roles()[-4:], ["probability", "times", "times", "times"])
        self.assertEqual(both.field(len(both.fields) - 4).tobytes(), alone.field(0).tobytes())

    def test_a_map_has_its_place(self):
        place = self.page("valley/arrival/f0001.tif").facts["place"]
        self.assertEqual(place["epsg"], 32629)
        self.assertIn("UTM zone 29N", place["crs"])
        self.assertLess(abs(place["north"]), 3)
        lonlat = place["lonlat"]
        self.assertEqual(len(lonlat["lat"]), lonlat["rows"] * lonlat["cols"])
        self.assertGreater(lonlat["lat"][0], lonlat["lat"][-1])  # row 0 is in the north
        self.assertLess(lonlat["lon"][0], lonlat["lon"][lonlat["cols"] - 1])

    def test_an_inversion_brings_its_history(self):
        G = np.ones((20, 24))
        self.save("G.npy", G)
        T, _ = self.solve("--metric", "G.npy", "--source", "5,5")
        self.zermelo("invert", "--observations", "T.npy", "--source", "5,5", "--out-metric", "found.npy",
                     "--out-times", "t.npy", "--json", "report.json", "--max-iterations", "3", "--quiet")
        page = self.page("t.npy", "report.json", "--metric", "found.npy")
        report = json.loads((self.dir / "report.json").read_text())
        table = page.facts["tables"][0]
        self.assertEqual(table["title"], "iterations")
        self.assertEqual([row[table["columns"].index("misfit")] for row in table["rows"]],
                         [step["misfit"] for step in report["history"]])

    # ---- what is refused ----

    def test_grids_and_places_must_agree(self):
        self.zermelo("fire", "simulate", "--out", "other", "--fires", "1", "--shape", "60,71", "--quiet")
        for args, says in ((("valley", "other"), "two landscapes"),
                           (("valley", "other/landscape.tif"), "a page shows one grid"),
                           (("valley", self.save("T.npy", np.zeros((3, 4)))), "a page shows one grid")):
            run = self.zermelo("view", *args, "--out", "p.html", "--fire", "f0001", "--quiet",
                               status=2 if says == "two landscapes" else 1)
            self.assertIn(says, run.stderr)
        self.assertNotIn("p.html", self.files())

    def test_wrong_words_and_folders_are_refused(self):
        (self.dir / "empty").mkdir()
        for args, says, status in (
                (("valley", "--fire", "none"), "has no fire none", 1),
                (("empty",), "has no rasters", 1),
                (("valley", "--fuel-moisture", "6,7,8,60,90"), "fires.csv has that of a scene", 2),
                (("valley", "--metric", "G.npy"), "--metric is for pages of arrays", 2),
                (("valley/fires.csv",), "fires.csv", 1),
                (("valley/arrival/f0001.tif", "--fire", "f0001"), "--fire goes with a scene", 2)):
            run = self.zermelo("view", *args, "--out", "p.html", "--quiet", status=status)
            self.assertIn(says, run.stderr)
        (self.dir / "valley/perimeters.geojson").write_text("{}")
        run = self.zermelo("view", "valley", "--out", "p.html", status=2)
        self.assertIn("a scene or an observed fire", run.stderr)

    def test_hostile_names_of_scenes_stay_texts(self):
        plain = self.page("valley", "--fire", "f0001")
        name = "'<script>alert(1)<!--"
        (self.dir / "valley").rename(self.dir / name)
        page = self.page(name, "--fire", "f0001")
        self.assertEqual((page.title, page.facts["title"]), (name, name))
        self.assertEqual(shlex.split(page.facts["command"]["fire"])[4], name)
        self.assertEqual(page.text.count("<"), plain.text.count("<"))


if __name__ == "__main__":
    main()
