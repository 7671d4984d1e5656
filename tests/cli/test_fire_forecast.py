# SPDX-License-Identifier: Apache-2.0
"""zermelo fire forecast, fire origin and fire score --growth on fires of the tool's own making."""
import json
import shutil

from _tool import HAS_FIRE, ToolTest, main

if HAS_FIRE:
    class Forecasts(ToolTest):
        def setUp(self):
            super().setUp()
            self.zermelo("fire", "simulate", "--out", "valley", "--fires", 1, "--seed", 3, "--shape", "80,80",
                         "--quiet")
            self.zermelo("fire", "physics", "--scene", "valley", "--out", "times", "--quiet", "--isochrones",
                         "perimeters.geojson", "--fire", "f0001")
            self.fire = self.observed("fires/a", 4)

        def observed(self, name, dates):
            """The first isochrones of a simulated fire as dated perimeters."""
            folder = self.dir / name
            folder.mkdir(parents=True)
            for file in ("landscape.tif", "scene.json"):
                if (self.dir / "valley" / file).exists():
                    shutil.copy(self.dir / "valley" / file, folder)
            shutil.copy(self.dir / "valley/weather/f0001.csv", folder / "weather.csv")
            areas = json.loads((self.dir / "perimeters.geojson").read_text())
            areas["features"] = areas["features"][2:2 + dates]
            self.assertEqual(len(areas["features"]), dates)
            for k, f in enumerate(areas["features"]):
                minutes = round(60 * f["properties"]["time_h"])
                f["properties"] = {"seq": k + 1,
                                   "observed": f"2020-07-21T{10 + minutes // 60:02}:{minutes % 60:02}"}
            (folder / "perimeters.geojson").write_text(json.dumps(areas))
            return name

        def forecast(self, *words, **more):
            return self.zermelo("fire", "forecast", "--observed", self.fire, "--draws", 2, "--quiet", *words, **more)

        def test_steps_are_taken_up_and_are_those_of_all_at_once(self):
            whole = json.loads(self.forecast("--out", "all", "--hindcast", "--json", "-").stdout)
            self.assertEqual(len(whole["forecasts"]), 3)
            self.assertLess(whole["low_ha"], whole["high_ha"] or 1e9)
            again = self.zermelo("fire", "forecast", "--observed", self.fire, "--out", "all", "--draws", 2)
            self.assertIn("4 of 4 states taken up", again.stderr)
            shutil.rmtree(self.dir / self.fire)
            self.observed(self.fire, 3)
            self.forecast("--out", "steps")
            shutil.rmtree(self.dir / self.fire)
            self.observed(self.fire, 4)
            more = self.zermelo("fire", "forecast", "--observed", self.fire, "--out", "steps", "--draws", 2)
            self.assertIn("3 of 4 states taken up", more.stderr)
            for name in ("state-04.json", "growth-05.tif"):
                self.assertEqual((self.dir / "steps" / name).read_bytes(), (self.dir / "all" / name).read_bytes())

        def test_forecasts_in_files_have_the_scores_that_were_told(self):
            told = json.loads(self.forecast("--out", "all", "--hindcast", "--json", "-").stdout)
            run = self.zermelo("fire", "score", "--growth", self.fire, "--predicted", "all", "--json", "-")
            found = json.loads(run.stdout)
            self.assertEqual([f["until"] for f in found["forecasts"]], [f["until"] for f in told["forecasts"]])
            for a, b in zip(found["forecasts"], told["forecasts"]):
                for key in ("skill", "iou", "fractions"):
                    self.assertAlmostEqual(a["model"][key], b["model"][key], 5)
                    self.assertAlmostEqual(a["buffer"][key], b["buffer"][key], 5)
            table = self.zermelo("fire", "score", "--growth", self.fire, "--predicted", "all").stdout
            self.assertIn("better than persistence", table)
            self.assertNotIn("nan", table)
            self.refuses(1, "growth-02.tif", "fire", "score", "--growth", self.fire, "--predicted", "valley")
            self.refuses(2, "one of", "fire", "score", "--predicted", "all")

        def test_fires_are_forecast_with_what_the_others_tell(self):
            self.observed("fires/b", 3)
            self.observed("fires/c", 3)
            run = self.zermelo("fire", "forecast", "--observed", "fires", "--leave-one-out", "--learn", "prior.json",
                               "--draws", 2, "--quiet", "--json", "-")
            found = json.loads(run.stdout)
            self.assertEqual(found["fires"], 3)
            self.assertEqual(sorted(f["fire"] for f in found["forecasts"]), ["a", "a", "b", "c"])
            self.assertEqual(found["mean"]["forecasts"], 4)
            prior = json.loads((self.dir / "prior.json").read_text())
            self.assertEqual(prior["area_count"], 7)
            self.forecast("--json", "x.json", "--prior", "prior.json")
            (self.dir / "bad.json").write_text("{}")
            self.refuses(1, "needs a number rate", "fire", "forecast", "--observed", self.fire, "--json", "x.json",
                         "--prior", "bad.json")

        def test_what_does_not_go_together_is_refused(self):
            self.observed("fires/b", 3)
            for words, what in ((("fires", "--out", "x"), "folder of fires"),
                                ((self.fire, "--leave-one-out"), "need a folder"),
                                ((self.fire,), "give --out"),
                                (("fires", "--learn", "p.json", "--hours", 3), "of one fire"),
                                ((self.fire, "--out", "x", "--front", "markers"), "no derivatives")):
                self.refuses(2, what, "fire", "forecast", "--observed", *words)

        def test_origins_are_found(self):
            run = self.zermelo("fire", "origin", "--scene", "valley", "--out", "where", "--json", "-", "--quiet")
            found = json.loads(run.stdout)
            self.assertEqual(len(found["fires"]), 1)
            self.assertGreater(found["fires"][0]["fires_burned"], 9)
            self.assertTrue((self.dir / "where/f0001.origin.tif").exists())
            seen = self.zermelo("fire", "origin", "--observed", self.fire)
            self.assertIn("90 % within", seen.stdout)
            self.refuses(2, "one of", "fire", "origin")
            self.refuses(2, "of fires of a --scene", "fire", "origin", "--observed", self.fire, "--most", 3)

if __name__ == "__main__":
    main()
