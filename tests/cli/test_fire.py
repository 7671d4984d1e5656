# SPDX-License-Identifier: Apache-2.0
"""zermelo fire: synthetic scenes, what is in them, scores, importers, help."""
import json
import os
import subprocess

from _tool import HAS_FIRE, ROOT, TOOL, ToolTest, main, options_in

VERBS = ("info", "import", "simulate", "score")


class Fire(ToolTest):
    def setUp(self):
        super().setUp()
        if not HAS_FIRE:
            self.skipTest("this build has no zermelo-fire")

    def scene(self, *more):
        self.zermelo("fire", "simulate", "--out", "s", "--shape", "60,70", "--fires", 2, "--quiet",
                     *more)

    def test_help_tells_every_verb_and_its_examples_run(self):
        text = self.zermelo("fire", "--help").stdout
        self.assertEqual(text, self.zermelo("help", "fire").stdout)
        page = (ROOT / "docs/fire-data.md").read_text()
        (self.dir / "bin").mkdir()
        (self.dir / "bin/zermelo").symlink_to(TOOL)
        for verb in VERBS:
            self.assertIn(f"\n  {verb} ", text)
            one = self.zermelo("fire", verb, "--help").stdout
            self.assertEqual(one, self.zermelo("help", "fire", verb).stdout)
            self.assertLessEqual(max(map(len, one.splitlines())), 80, one)
            for option in options_in(one):
                self.assertIn(f"`{option}", page, verb)
            example = one.split("\nExample:\n")[1].split("\nExit status")[0]
            run = subprocess.run(["sh", "-e", "-c", f"PATH={self.dir}/bin:$PATH\n{example}"],
                                 cwd=self.dir, capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, example + run.stderr)

    def test_wrong_words_are_named(self):
        self.refuses(2, "which verb?", "fire")
        self.refuses(2, "did you mean score?", "fire", "scor")
        self.refuses(2, "--out DIR is missing", "fire", "simulate")
        self.refuses(2, "nothing to import", "fire", "import", "--out", "x")
        self.refuses(2, "go together", "fire", "import", "--out", "x", "--ignition", "1,2")
        self.refuses(2, "name it with --fire", "fire", "info", "x", "--isochrones", "i.geojson")
        self.refuses(1, "no scene", "fire", "info", ".")
        self.refuses(1, "40 to 4000", "fire", "simulate", "--out", "x", "--shape", "10,10")

    def test_a_perfect_prediction_scores_one(self):
        self.scene()
        run = self.zermelo("fire", "score", "--scene", "s", "--predicted", "s/arrival", "--json", "-")
        report = json.loads(run.stdout)
        self.assertEqual(report["all"]["fires"], 2)
        self.assertAlmostEqual(report["all"]["correlation"]["mean"], 1)
        self.assertEqual(report["all"]["iou_50"]["mean"], 1)
        self.assertEqual(report["all"]["mae_h"]["mean"], 0)

    def test_missing_predictions_are_counted_and_named(self):
        self.scene()
        (self.dir / "p").mkdir()
        (self.dir / "p/f0002.tif").write_bytes((self.dir / "s/arrival/f0002.tif").read_bytes())
        run = self.zermelo("fire", "score", "--scene", "s", "--predicted", "p", "--report", "r")
        self.assertIn("s/f0001: no prediction", run.stdout)
        self.assertIn("report.md", {p.name for p in (self.dir / "r").iterdir()})
        table = (self.dir / "r/scores.csv").read_text().splitlines()
        self.assertEqual(len(table), 3)
        self.assertTrue(table[1].endswith("no prediction"), table[1])
        (self.dir / "q").mkdir()
        self.refuses(1, "no prediction in it", "fire", "score", "--scene", "s", "--predicted", "q")

    def test_isochrones_are_geojson_with_times_that_grow(self):
        self.scene()
        self.zermelo("fire", "info", "s", "--fire", "f0001", "--isochrones", "i.geojson", "--step", 2)
        features = json.loads((self.dir / "i.geojson").read_text())["features"]
        times = [f["properties"]["time_h"] for f in features]
        areas = [f["properties"]["area_ha"] for f in features]
        self.assertEqual(times, [2.0 * (k + 1) for k in range(len(times))])
        self.assertEqual(areas, sorted(areas))
        for feature in features:
            kind, where = feature["geometry"]["type"], feature["geometry"]["coordinates"]
            self.assertIn(kind, ("Polygon", "MultiPolygon"))
            for polygon in where if kind == "MultiPolygon" else [where]:
                for ring in polygon:
                    self.assertEqual(ring[0], ring[-1])
                    self.assertTrue(all(-9 < lon < -6 and 39 < lat < 42 for lon, lat in ring))

    def test_info_describes_scenes_and_datasets(self):
        self.scene()
        scene = json.loads(self.zermelo("fire", "info", "s", "--json", "-").stdout)
        self.assertEqual((scene["rows"], scene["cols"], scene["fires"]), (60, 70, 2))
        data = json.loads(self.zermelo("fire", "info", ".", "--json", "-").stdout)
        self.assertEqual([s["name"] for s in data["scenes"]], ["s"])
        self.refuses(1, "has no fire f9", "fire", "info", "s", "--fire", "f9")

    def test_the_same_seed_makes_the_same_files(self):
        self.scene("--seed", 4)
        first = {p: p.read_bytes() for p in (self.dir / "s").rglob("*.csv")}
        self.scene("--seed", 4)
        self.assertEqual(first, {p: p.read_bytes() for p in (self.dir / "s").rglob("*.csv")})

    def test_a_scene_with_any_name_can_be_read(self):
        name = os.fsdecode(b"s\x1b[1m\xff\x9b\"\\")
        self.zermelo("fire", "simulate", "--out", name, "--shape", "40,40", "--fires", 1, "--quiet")
        said = self.zermelo("fire", "info", name).stdout
        self.assertIn('s?[1m??"\\: scene', said)
        self.assertNotIn("\x1b", said)
        self.zermelo("fire", "physics", "--scene", name, "--out", "maps")

    def test_an_imported_scene_can_be_read(self):
        self.scene()
        self.zermelo("fire", "import", "--landscape", "s/landscape.tif", "--out", "deep/mine",
                     "--ignition", "30,30", "--weather", "s/weather/f0001.csv")
        self.assertTrue((self.dir / "deep/mine/scene.json").exists())
        self.refuses(1, "outside the landscape", "fire", "import", "--out", "deep/mine",
                     "--ignition", "300,30", "--weather", "s/weather/f0001.csv")

    def test_a_spoilt_scene_is_refused_with_its_line(self):
        self.scene()
        table = self.dir / "s/fires.csv"
        table.write_text(table.read_text().replace("f0002,", "f0002,x,", 1))
        self.refuses(1, "line 3", "fire", "info", "s")


if __name__ == "__main__":
    main()
