# SPDX-License-Identifier: Apache-2.0
"""Embers, zermelo fire risk and ways on a small synthetic scene; folders of scenes."""
import csv
import json
import re
import subprocess
import sys
import tempfile

from _tool import TOOL, ToolTest, main

if subprocess.run([TOOL, "fire", "physics", "--help"], capture_output=True).returncode:
    print("skipped: the tool has no fire physics")
    sys.exit(77)

SCENE = tempfile.TemporaryDirectory(prefix="zermelo-scene-")
VALLEY = SCENE.name + "/valley"


def setUpModule():
    subprocess.run([TOOL, "fire", "simulate", "--out", VALLEY, "--shape", "60,64", "--fires", "2",
                    "--finer", "1", "--quiet"], check=True, capture_output=True)


def tearDownModule():
    SCENE.cleanup()


class Spotting(ToolTest):
    def burn(self, out, *options):
        run = self.zermelo("fire", "physics", "--scene", VALLEY, "--fire", "f0001", "--out", out, *options)
        return (self.dir / out / "f0001.tif").read_bytes(), run.stderr

    def test_embers_change_the_fire_and_their_seed_does(self):
        plain, told = self.burn("plain")
        self.assertNotIn("ember", told)
        one, told = self.burn("one", "--spotting", 0.2)
        self.assertRegex(told, r"[1-9]\d* embers that could light fuel, [1-9]\d* spot fires")
        again, _ = self.burn("again", "--spotting", 0.2, "--embers-from", "both")
        other, _ = self.burn("other", "--spotting", 0.2, "--embers-seed", 2)
        late, _ = self.burn("late", "--spotting", 0.2, "--spot-delay", 60)
        self.assertEqual(one, again)
        self.assertEqual(len({plain, one, other, late}), 4)

    def test_members_have_embers(self):
        def areas(out, *options):
            self.zermelo("fire", "ensemble", "--scene", VALLEY, "--fire", "f0001", "--members", 4,
                         "--out", out, *options)
            return (self.dir / out / "probability.tif").read_bytes()
        self.assertNotEqual(areas("plain"), areas("embers", "--spotting", 0.2))

    def test_what_does_not_go_together_is_refused(self):
        run = self.zermelo("fire", "physics", "--scene", VALLEY, "--out", "x", "--embers", 5, status=2)
        self.assertIn("--spotting", run.stderr)
        run = self.zermelo("fire", "physics", "--scene", VALLEY, "--out", "x", "--spotting", 0.1,
                           "--front", "markers", status=1)
        self.assertIn("minimum travel times", run.stderr)
        run = self.zermelo("fire", "physics", "--scene", VALLEY, "--out", "x", "--spotting", 2, status=2)
        self.assertIn("0 to 1", run.stderr)

class Risk(ToolTest):
    def risk(self, out, *options, status=0):
        return self.zermelo("fire", "risk", "--scene", VALLEY, "--fire", "f0001", "--out", out,
                            "--t-max", 2, *options, status=status)

    def maps(self, out):
        return {p.name: p.read_bytes() for p in (self.dir / out).iterdir()}

    def test_maps_and_the_table_of_fires_belong_together(self):
        told = json.loads(self.risk("one", "--fires", 8, "--json", "-", "--flame-classes", "0.5,1").stdout)
        with open(self.dir / "one/fires.csv", encoding="utf-8") as file:
            fires = list(csv.DictReader(file))
        self.assertEqual(len(fires), 8)
        areas = [float(f["area_ha"]) for f in fires]
        self.assertAlmostEqual(sum(areas) / 8, told["mean_ha"], places=2)
        self.assertAlmostEqual(max(areas), told["largest_ha"], places=2)
        self.assertEqual(sorted(self.maps("one")), ["burn_probability.tif", "fires.csv",
                                                    "flame_classes.tif", "flame_length.tif"])
        self.risk("two", "--fires", 8, "--threads", 2, "--flame-classes", "0.5,1")
        self.assertEqual(self.maps("one"), self.maps("two"))
        self.risk("same", "--fires", 8, "--same-weather")
        self.assertNotEqual(self.maps("one")["fires.csv"], self.maps("same")["fires.csv"])

    def test_fires_begin_where_the_density_says(self):
        """Where the first fire of another run went, and nowhere else."""
        self.risk("any", "--fires", 1, "--same-weather")
        self.risk("there", "--fires", 5, "--density", "any/burn_probability.tif")
        with open(self.dir / "any/fires.csv", encoding="utf-8") as file:
            one = next(csv.DictReader(file))
        with open(self.dir / "there/fires.csv", encoding="utf-8") as file:
            for fire in csv.DictReader(file):
                self.assertLess(abs(int(fire["row"]) - int(one["row"])), 60)
                self.assertLess(abs(int(fire["col"]) - int(one["col"])), 60)

    def test_what_does_not_go_with_it_is_refused(self):
        self.assertIn("--ignition", self.risk("x", "--ignition", 100, status=2).stderr)
        self.assertIn("travel-time", self.risk("x", "--front", "markers", status=2).stderr)
        self.assertIn("rising", self.risk("x", "--flame-classes", "2,1", status=2).stderr)

class UntilLast(ToolTest):
    def test_maps_go_on_until_no_cell_is_left(self):
        """A map that went on further has the same cells, and the scores do not change."""
        def scores(*options):
            run = self.zermelo("fire", "physics", "--scene", VALLEY, "--json", "-", *options)
            return json.loads(run.stdout)["fires"], run.stderr
        usual, _ = scores("--out", "usual")
        last, told = scores("--out", "last", "--until-last")
        self.assertEqual(usual, last)
        until = [float(h) for h in re.findall(r"the last of \d+ cells burns at ([\d.]+) h", told)]
        self.assertEqual(len(until), 2)
        self.assertGreater(max(until), 1.25 * max(f["duration_h"] for f in usual))
        scores("--out", "more", "--t-max", 2 * max(until) + 10)
        for name in "f0001.tif", "f0002.tif":
            self.assertEqual((self.dir / "last" / name).read_bytes(), (self.dir / "more" / name).read_bytes())
        run = self.zermelo("fire", "physics", "--scene", VALLEY, "--score", "--until-last", status=2)
        self.assertIn("--out", run.stderr)


class Ways(ToolTest):
    def ways(self, file, *options, status=0):
        return self.zermelo("fire", "physics", "--scene", VALLEY, "--fire", "f0001", "--ways", file,
                            *options, status=status)

    def test_lines_begin_where_others_pass(self):
        told = self.ways("ways.geojson", "--ways-share", 0.01).stderr
        lines = json.loads((self.dir / "ways.geojson").read_text())["features"]
        self.assertIn(f"{len(lines)} ways", told)
        self.assertGreater(len(lines), 3)
        for k, line in enumerate(lines, start=1):
            facts = line["properties"]
            self.assertEqual(facts["way"], k)
            self.assertLess(facts["from"], k)
            self.assertEqual(line["geometry"]["type"], "LineString")
            if facts["from"]:
                self.assertLessEqual(facts["flow"], lines[facts["from"] - 1]["properties"]["flow"])
        fewer = self.ways("fewer.geojson", "--ways-share", 0.3)
        self.assertLess(len(json.loads((self.dir / "fewer.geojson").read_text())["features"]), len(lines))
        self.assertIn("30 %", fewer.stderr)
        self.ways("ways.gpkg", "--front", "markers")
        self.assertEqual((self.dir / "ways.gpkg").read_bytes()[:6], b"SQLite")

    def test_other_endings_and_lone_options_are_refused(self):
        self.assertIn(".gpkg", self.ways("ways.csv", status=2).stderr)
        run = self.zermelo("fire", "physics", "--scene", VALLEY, "--out", "x", "--ways-interval", 2,
                           status=2)
        self.assertIn("--ways", run.stderr)
        run = self.zermelo("fire", "physics", "--scene", VALLEY, "--ways", "all.geojson", status=2)
        self.assertIn("one fire", run.stderr)

class Sim2Real(ToolTest):
    def test_scenes_that_cannot_be_imported_are_named(self):
        (self.dir / "all/0001_00001/landfire").mkdir(parents=True)
        (self.dir / "all/0002_00001/landfire").mkdir(parents=True)
        run = self.zermelo("fire", "import", "--sim2real", "all", "--out", "data", status=1)
        for words in "0001_00001", "0002_00001", "no LANDFIRE raster", "none of 2 scenes":
            self.assertIn(words, run.stderr)
        (self.dir / "empty").mkdir()
        run = self.zermelo("fire", "import", "--sim2real", "empty", "--out", "data", status=1)
        self.assertIn("no scene", run.stderr)


if __name__ == "__main__":
    main()
