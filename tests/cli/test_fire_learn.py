# SPDX-License-Identifier: Apache-2.0
"""Learning: train, predict, evaluate, capacity, on a scene of the tool's own making."""
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from _tool import (TOOL, ToolTest, main, many_fires, np,
                   stop_ignoring_signals)

HAS_LEARNING = "\n  train " in subprocess.run(
    [TOOL, "fire", "--help"], capture_output=True, text=True).stdout


@unittest.skipUnless(HAS_LEARNING, "a build without oneDNN or GDAL")
class Learning(ToolTest):
    def setUp(self):
        super().setUp()
        self.zermelo("fire", "simulate", "--out", "data/valley", "--fires", 10, "--shape",
                     "60,60", "--finer", 1, "--quiet")

    def train(self, model, *more, **keywords):
        return self.zermelo("fire", "train", "--data", "data", "--model", model, "--quiet",
                            "--channels", 4, "--hidden", 6, "--layers", 1, "--batch", 4, *more,
                            **keywords)

    def test_a_model_is_trained_predicts_and_is_scored(self):
        self.train("m.safetensors", "--epochs", 8, "--rate", 0.01, "--log", "log.jsonl")
        epochs = [json.loads(line) for line in (self.dir / "log.jsonl").read_text().splitlines()]
        self.assertEqual([e["epoch"] for e in epochs], list(range(1, 9)))
        self.assertLess(epochs[7]["loss"], epochs[0]["loss"])

        self.zermelo("fire", "predict", "--model", "m.safetensors", "--scene", "data/valley",
                     "--out", "times", "--quiet")
        fires = re.findall(r"^(f\d+),", (self.dir / "data/valley/fires.csv").read_text(), re.M)
        self.assertEqual(sorted(p.stem for p in (self.dir / "times").glob("*.tif")), sorted(fires))
        scored = self.zermelo("fire", "score", "--scene", "data/valley", "--predicted", "times",
                              "--split", "test", "--json", "-").stdout
        self.zermelo("fire", "evaluate", "--data", "data", "--model", "m.safetensors", "--json",
                     "scores.json", "--report", "report", "--quiet")
        scores = json.loads((self.dir / "scores.json").read_text())
        # the same fires, predicted once to files and once in memory
        self.assertAlmostEqual(scores["model"]["fires"][0]["correlation"],
                               json.loads(scored)["fires"][0]["correlation"], places=4)
        self.assertEqual(set(scores), {"model_file", "split", "model", "distance", "ellipse"})
        self.assertIn("report.md", os.listdir(self.dir / "report"))

    def test_prediction_needs_no_truth_and_one_fire_has_isochrones(self):
        self.train("m.safetensors", "--epochs", 1)
        shutil.rmtree(self.dir / "data/valley/arrival")
        name = re.search(r"^(f\d+),", (self.dir / "data/valley/fires.csv").read_text(), re.M)[1]
        self.zermelo("fire", "predict", "--model", "m.safetensors", "--scene", "data/valley",
                     "--out", "t", "--fire", name, "--isochrones", "iso.geojson", "--t-max", 6,
                     "--quiet")
        areas = json.loads((self.dir / "iso.geojson").read_text())["features"]
        self.assertTrue(areas)
        self.assertTrue(all(a["properties"]["time_h"] <= 6 for a in areas))
        self.refuses(1, "--fire", "fire", "predict", "--model", "m.safetensors", "--scene",
                     "data/valley", "--out", "t", "--isochrones", "iso.geojson")

    def test_ctrl_c_keeps_the_best_model_and_resume_goes_on(self):
        run = self.start("fire", "train", "--data", "data", "--model", "m.safetensors", "--epochs",
                         100000, "--patience", 100000, "--channels", 4, "--hidden", 6, "--layers",
                         1, "--log", "log.jsonl", "--quiet", preexec_fn=stop_ignoring_signals)
        while run.poll() is None and not (self.dir / "m.safetensors.state").exists():
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(60), 130)
        run.communicate()
        done = len((self.dir / "log.jsonl").read_text().splitlines())
        self.assertTrue((self.dir / "m.safetensors").exists())
        self.zermelo("fire", "train", "--data", "data", "--model", "m.safetensors", "--epochs",
                     done + 2, "--patience", 100000, "--channels", 4, "--hidden", 6, "--layers", 1,
                     "--log", "log.jsonl", "--quiet", "--resume")
        epochs = [json.loads(line)["epoch"]
                  for line in (self.dir / "log.jsonl").read_text().splitlines()]
        self.assertEqual(epochs, list(range(1, done + 3)))

    def test_ctrl_c_tells_how_many_maps_are_predicted(self):
        self.train("m.safetensors", "--epochs", 1)
        many_fires(self.dir / "data/valley", 9000)
        self.stops_with_maps(9000, "fire", "predict", "--model", "m.safetensors", "--scene",
                             "data/valley", "--quiet")

    def test_other_ways_to_train_run(self):
        self.train("paper.safetensors", "--form", "paper", "--epochs", 1, "--loss", "mse",
                   "--tv-metric", 0.01, "--score", "correlation")
        self.train("bands.safetensors", "--bands", "0.5,0.25", "--epochs", 1)
        self.zermelo("fire", "train", "--data", "data", "--model", "more.safetensors", "--from",
                     "bands.safetensors", "--epochs", 1, "--quiet")
        self.assertEqual((self.dir / "more.safetensors").stat().st_size,
                         (self.dir / "bands.safetensors").stat().st_size)

    def test_the_score_decides_which_model_is_best(self):
        def of_log(words, score):
            log = self.dir / "log.jsonl"
            log.unlink(missing_ok=True)
            self.train("m.safetensors", "--epochs", 1, "--log", "log.jsonl", *words)
            epoch = json.loads(log.read_text())
            self.assertAlmostEqual(epoch["best"], score(epoch), places=4)
            return epoch
        by_area = of_log(("--loss", "area", "--score", "end"),
                         lambda e: (e["correlation"] + e["iou100"]) / 2)
        by_hours = of_log(("--loss", "huber", "--score", "rmse"), lambda e: -e["relative_rmse"])
        self.assertLess(by_area["loss"], by_hours["loss"])  # at most 0.01 of the error, not 0.1
        self.refuses(1, "another score", "fire", "train", "--quiet", "--data", "data", "--model",
                     "m.safetensors", "--epochs", 2, "--channels", 4, "--hidden", 6, "--layers", 1, "--batch", 4,
                     "--loss", "huber", "--resume")

    def test_a_training_is_resumed_only_as_it_was_begun(self):
        self.train("m.safetensors", "--epochs", 1)
        model = (self.dir / "m.safetensors").read_bytes()
        for batch, rate, told in ((1, 0.002, "batch 4"), (4, 0.1, "rate")):
            self.refuses(1, told, "fire", "train", "--quiet", "--data", "data", "--model", "m.safetensors",
                         "--epochs", 3, "--channels", 4, "--hidden", 6, "--layers", 1, "--batch", batch,
                         "--rate", rate, "--resume")
        self.assertEqual((self.dir / "m.safetensors").read_bytes(), model)
        self.refuses(1, "diverges", "fire", "train", "--quiet", "--data", "data", "--model", "n.safetensors",
                     "--epochs", 9, "--rate", 1e30, "--channels", 4, "--hidden", 6, "--layers", 1)

    def test_what_is_scored_is_shown(self):
        def told(score):
            return self.zermelo("fire", "train", "--data", "data", "--model", "m.safetensors", "--epochs", 1,
                                "--channels", 4, "--hidden", 6, "--layers", 1, "--score", score).stderr
        for score, shown, hidden in (("both", "correlation -?[0-9.]+, IoU@50 [0-9.]+", "RMSE"),
                                     ("correlation", "correlation -?[0-9.]+", "IoU"),
                                     ("iou", "IoU@50 [0-9.]+", "correlation"),
                                     ("rmse", "relative RMSE [0-9.]+", "IoU"),
                                     ("end", "correlation -?[0-9.]+, IoU@100 [0-9.]+", "IoU@50")):
            line = told(score)
            self.assertRegex(line, f"loss [0-9.]+, {shown}, best in epoch 1")
            self.assertNotIn(hidden, line)

    def test_a_model_to_start_from_has_its_form(self):
        self.train("m.safetensors", "--epochs", 1)
        for option, *value in (("--form", "multiplicative"), ("--layers", 1), ("--channels", 4), ("--hidden", 6),
                               ("--mean-weather",), ("--no-prior",), ("--spread", 30), ("--stencils", "fixed"),
                               ("--front", "travel-time")):
            self.refuses(2, f"{option} is of new models", "fire", "train", "--data", "data", "--model", "n",
                         "--from", "m.safetensors", "--quiet", option, *value)

    def test_maps_of_the_physics_form_end_soon_after_the_fire_unless_told(self):
        self.train("m.safetensors", "--form", "physics", "--epochs", 1)
        def unreached(*more):
            self.zermelo("fire", "predict", "--model", "m.safetensors", "--scene", "data/valley", "--out",
                         "t", "--quiet", *more)
            scores = json.loads(self.zermelo("fire", "score", "--scene", "data/valley", "--predicted", "t",
                                             "--json", "-").stdout)
            return [fire["unreached_cells"] for fire in scores["fires"]]
        ended, longer = unreached(), unreached("--t-max", 1000)
        self.assertTrue(all(a >= b for a, b in zip(ended, longer)))
        self.assertGreater(sum(ended), sum(longer))

    def test_fires_are_cut_into_patches(self):
        run = ("fire", "train", "--data", "data", "--model", "m.safetensors", "--epochs", 1,
               "--channels", 4, "--hidden", 6, "--layers", 1)
        told = self.zermelo(*run, "--form", "paper", "--patches", "32,16").stderr
        patches, fires = map(int, re.search(r"(\d+) patches of (\d+) fires", told).groups())
        table = (self.dir / "data/valley/fires.csv").read_text()
        self.assertGreater(patches, fires)
        self.assertLessEqual(fires, len(re.findall(r"\btrain\b", table)))
        self.zermelo(*run, "--mean-weather", "--patches", "60,60", "--quiet")
        self.train("hours.safetensors", "--epochs", 1)
        for complaint, *wrong in (("mean weather",), ("mean weather", "--form", "physics"),
                                  ("--bands", "--form", "paper", "--bands", "0.5,0.25"),
                                  ("--observed", "--form", "paper", "--observed", "all"),
                                  ("--censored", "--form", "paper", "--censored", 1)):
            self.refuses(2, complaint, *run, "--patches", "32,16", *wrong)
        for size in ("32", "32,33", "9,4", "32,0", "32,16,8"):
            self.refuses(2, "--patches", *run, "--form", "paper", "--patches", size)
        self.refuses(1, "mean weather", "fire", "train", "--data", "data", "--model", "m.safetensors",
                     "--from", "hours.safetensors", "--patches", "32,16")

    def test_bands_are_scored_from_the_true_perimeter(self):
        """A band of the whole fire is the whole fire; shorter ones begin where it had burned,
        and count only what burned later, in hours since then."""
        self.train("m.safetensors", "--epochs", 2)
        run = ("fire", "evaluate", "--data", "data", "--model", "m.safetensors", "--quiet",
               "--no-baselines", "--json", "-")
        fires = json.loads(self.zermelo(*run).stdout)["model"]["fires"]
        whole = json.loads(self.zermelo(*run, "--bands", "1,1").stdout)["model"]["fires"]
        halves = json.loads(self.zermelo(*run, "--bands", "0.5,0.5").stdout)["model"]["fires"]
        for fire, band in zip(fires, whole):
            self.assertAlmostEqual(fire["correlation"], band["correlation"], places=4)
            self.assertAlmostEqual(fire["mae_h"], band["mae_h"], places=3)
        self.assertEqual(len(halves), 2 * len(fires))
        for fire, a, b in zip(fires, halves[::2], halves[1::2]):
            self.assertEqual(a["compared_cells"] + b["compared_cells"], fire["compared_cells"])
            self.assertAlmostEqual(b["duration_h"], a["duration_h"], places=3)
            self.assertTrue(b["fire"].startswith(fire["fire"]))
        self.refuses(2, "--bands", *run, "--bands", "0.5,0.25", "--observed", "all")

    def test_models_physics_and_baselines_stand_side_by_side(self):
        """A model of physics that was not trained has the scores of the physics; one whose
        training is cut short is not far from it."""
        self.train("new.safetensors", "--form", "physics", "--epochs", 1, "--rate", 1e-9)
        self.train("valley.safetensors", "--form", "physics", "--epochs", 2)
        self.zermelo("fire", "compare", "--data", "data", "--models",
                     "new=new.safetensors,corrected={scene}.safetensors+{scene}.safetensors",
                     "--json", "c.json", "--report", "r", "--quiet")
        result = json.loads((self.dir / "c.json").read_text())
        self.assertEqual(list(result), ["distance", "ellipse", "new", "corrected", "physics",
                                        "physics, markers"])
        fires = result["physics"]["fires"]
        for key in ("correlation", "relative_rmse", "iou_100"):
            for a, b in zip(result["new"]["fires"], fires):
                self.assertAlmostEqual(a[key], b[key], places=5)
        self.assertEqual(len(result["corrected"]["fires"]), 2 * len(fires))
        self.assertIn("| physics |", (self.dir / "r/compare.md").read_text())
        for models, complaint in (("m", "NAME=FILE"), ("=m", "NAME=FILE"), ("a=", "no name"),
                                  ("a=b++c", "no name"), ("physics=b,physics=c", "two"),
                                  ("ellipse=b", "two")):
            self.refuses(2, complaint, "fire", "compare", "--data", "data", "--models", models)
        self.refuses(2, "physics", "fire", "train", "--data", "data", "--model", "m", "--form",
                     "physics", "--no-prior")
        self.refuses(2, "--models", "fire", "compare", "--data", "data", "--no-physics",
                     "--no-baselines")
        self.refuses(1, "shrink", "fire", "train", "--data", "data", "--model", "m", "--shrink",
                     1, "--quiet")

    def test_small_errors_are_in_the_picture_too(self):
        """Fires of the physics with rates of half a per cent more: errors far below 0.01."""
        try:
            from PIL import Image
        except ImportError:
            self.skipTest("this python has no PIL")
        table = self.dir / "data/valley/fires.csv"
        table.write_text(re.sub(r"(f\d+),\w+,(\d+,\d+),[0-9.]+", r"\1,test,\2,8", table.read_text()))
        fast = {"parameter": "rate_factor", "value": 1.005, "low": 1, "high": 1.01}
        (self.dir / "fast.json").write_text(json.dumps({"parameters": [fast]}))
        self.zermelo("fire", "physics", "--scene", "data/valley", "--calibration", "fast.json", "--out",
                     "data/valley/arrival", "--t-max", 8, "--quiet")
        self.zermelo("fire", "compare", "--data", "data", "--no-baselines", "--report", "r", "--quiet",
                     "--json", "c.json")
        errors = [f["relative_rmse"] for f in
                  json.loads((self.dir / "c.json").read_text())["physics"]["fires"]]
        self.assertLess(max(errors), 0.01)
        if not (self.dir / "r/compare.png").exists():
            self.skipTest("this build draws no pictures")
        picture = np.asarray(Image.open(self.dir / "r/compare.png").convert("RGB")).astype(int)
        right = picture[:, picture.shape[1] // 2:]
        rows = np.flatnonzero((right[:, :, 2] - right[:, :, 0] > 80).any(axis=1))
        self.assertGreater(np.ptp(rows), 0.5 * picture.shape[0])  # the first line climbs to the top

    def test_a_fire_whose_end_is_not_known_is_compared_as_long_as_its_weather(self):
        table = self.dir / "data/valley/fires.csv"
        lines = table.read_text().splitlines()
        column = lines[0].split(",").index("duration_h")
        cells = lines[1].split(",")
        cells[column] = ""
        cells[lines[0].split(",").index("split")] = "test"
        table.write_text("\n".join([lines[0], ",".join(cells)] + lines[2:]) + "\n")
        out = self.zermelo("fire", "compare", "--data", "data", "--no-baselines", "--json", "-",
                           "--quiet").stdout
        self.assertIn(cells[0], [f["fire"] for f in json.loads(out)["physics"]["fires"]])

    def test_capacity_fits_a_fire_better_per_cell_than_a_short_training_does(self):
        out = self.zermelo("fire", "capacity", "--data", "data", "--fires", 1, "--iterations", 60,
                           "--epochs", 2, "--json", "-", "--quiet").stdout
        result = json.loads(out)
        per_cell = result["per_cell"]["fires"][0]["relative_rmse"]
        self.assertLess(per_cell, 0.05)
        self.assertLess(per_cell, result["network"]["fires"][0]["relative_rmse"])

    def test_what_cannot_be_is_refused(self):
        self.refuses(1, "no scene", "fire", "train", "--data", "data", "--scenes", "hill",
                     "--model", "m")
        (self.dir / "text").write_text("this is no model")
        self.refuses(1, "safetensors", "fire", "predict", "--model", "text", "--scene",
                     "data/valley", "--out", "t")
        self.refuses(2, "--model", "fire", "evaluate", "--data", "data", "--no-baselines")
        self.refuses(2, "--bands", "fire", "train", "--data", "data", "--model", "m", "--bands", "2")

    @unittest.skipUnless(hasattr(os, "mkfifo"), "no pipes with names here")
    def test_a_model_is_not_written_to_a_pipe_that_nobody_reads(self):
        os.mkfifo(self.dir / "pipe")
        done = subprocess.run([TOOL, "fire", "train", "--data", "data", "--model", "pipe", "--quiet",
                               "--epochs", "1", "--layers", "0", "--hidden", "4"], cwd=self.dir,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("pipe: a pipe, must be a regular file", done.stderr)


if __name__ == "__main__":
    main()
