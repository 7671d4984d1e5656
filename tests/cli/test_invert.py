# SPDX-License-Identifier: Apache-2.0
"""zermelo invert finds metric and drift, goes on where it was interrupted, and says what is
wrong with its data."""
import json
import os
import pty
import select
import signal
import subprocess
import time

from _tool import TOOL, ToolTest, drift, main, metric, np, stop_ignoring_signals
from test_files import wait_until_catching

ROWS, COLS = 24, 30
SOURCES = ((5, 4), (19, 8), (12, 26))


def halves(rows=ROWS, cols=COLS):
    """g = 1 on the left, 2 on the right."""
    return np.where(np.arange(cols) < cols // 2, 1.0, 2.0) * np.ones((rows, 1))


def relative(found, true, where=...):
    return np.linalg.norm((found - true)[where]) / np.linalg.norm(true[where])


class Inversion(ToolTest):
    """Data of known fields, and inversions of them."""

    def times(self, g, source, *args):
        self.save("true.npy", g)
        return self.solve("--metric", "true.npy", "--source", f"{source[0]},{source[1]}", *args)[0]

    def table(self, name, rows, header="experiment,row,col,time,sigma"):
        lines = [header, *(",".join(map(str, row)) for row in rows)]
        (self.dir / name).write_text("\n".join(lines) + "\n")
        return name

    def noisy_table(self, g, sigma, n=200, sources=SOURCES, seed=3):
        """Some of the times of each source, with noise."""
        rng = np.random.default_rng(seed)
        rows = []
        for k, source in enumerate(sources):
            T = self.times(g, source)
            for cell in rng.choice(T.size, n, replace=False):
                row, col = divmod(int(cell), T.shape[1])
                rows.append((k, row, col, T[row, col] + sigma * rng.normal(), sigma))
        self.table("obs.csv", rows)
        return ("--observations", "obs.csv", "--shape", f"{g.shape[0]},{g.shape[1]}",
                *(x for k, (r, c) in enumerate(sources) for x in ("--source", f"{k}:{r},{c}")))

    def invert(self, *args):
        """The report."""
        return json.loads(self.zermelo("invert", "--quiet", "--json", "-", *args).stdout)


class Results(Inversion):
    # Every time without noise determines the metric wherever the front has been; in the
    # source itself it has not.
    def test_all_times_give_the_metric_back(self):
        g = halves()
        self.save("T.npy", self.times(g, SOURCES[0]))
        report = self.invert("--observations", "T.npy", "--source", "5,4", "--out-metric", "f.npy",
                             "--out-times", "Tf.npy")
        away = np.ones(g.shape, bool)
        away[SOURCES[0]] = False
        self.assertLess(relative(self.load("f.npy"), g, away), 1e-8)
        self.assertEqual(report["method"], "newton")
        self.assertLessEqual(report["solves"], 10)
        np.testing.assert_allclose(self.load("Tf.npy"), self.load("T.npy"), atol=1e-8)

    # 600 of 2160 times with noise: the field within a few per cent (a constant one misses
    # by 31 %), the residuals as large as the noise is, and the times those of the field.
    def test_noisy_times_of_several_fronts(self):
        g, sigma = halves(), 0.1
        args = self.noisy_table(g, sigma)
        report = self.invert(*args, "--out-metric", "f.npy", "--out-times", "T.npy", "--threads",
                             "2")
        found, T = self.load("f.npy"), self.load("T.npy")
        self.assertLess(relative(found, g), 0.08)
        self.assertTrue(0.7 < report["chi2"] < 1.2, report["chi2"])
        self.assertEqual(T.shape, (3, ROWS, COLS))
        for k, source in enumerate(SOURCES):
            np.testing.assert_allclose(self.times(found, source), T[k], rtol=1e-9)
        self.assertEqual([e["observations"] for e in report["experiments"]], [200] * 3)
        mean_square = np.mean([e["rms_residual"] ** 2 for e in report["experiments"]])
        self.assertAlmostEqual(mean_square / sigma ** 2, report["chi2"], delta=1e-6)
        self.assertEqual(report["history"][-1]["chi2"], report["chi2"])
        self.assertEqual([h["iteration"] for h in report["history"]],
                         list(range(report["iterations"] + 1)))
        for key in ("version", "unknown", "regulariser", "stop", "solves", "products", "lambda",
                    "slowness", "misfit", "seconds"):
            self.assertIn(key, report)

    def test_tables_and_arrays_say_the_same(self):
        g = halves()
        seen = np.random.default_rng(1).random(g.shape) < 0.3
        T = [self.times(g, source) for source in SOURCES[:2]]
        for k in range(2):
            self.save(f"{k}.npy", np.where(seen, T[k], (np.nan, np.inf)[k]))
        cells = [(r, c) for r, c in np.argwhere(seen)]
        self.table("all.csv", [(T[k][r, c], c, k, r) for k in range(2) for r, c in cells],
                   "Time,COL,experiment,row")
        for k in range(2):
            self.table(f"{k}.csv", [(r, c, T[k][r, c]) for r, c in cells], "row,col,time")
        args = ("--source", "5,4", "--source", "1:19,8", "--sigma", "0.05", "--max-iterations",
                "4", "--out-metric", "f.npy")
        found = []
        for data in (("--observations", "0.npy", "--observations", "1:1.npy"),
                     ("--observations", "all.csv", "--shape", f"{ROWS},{COLS}"),
                     ("--observations", "0:0.csv", "--observations", "1:1.npy"),
                     ("--observations", "0.csv", "--observations", "1:1.csv", "--shape",
                      f"{ROWS},{COLS}")):
            self.invert(*data, *args)
            found.append(self.load("f.npy"))
        for f in found[1:]:
            self.assertTrue(np.array_equal(f, found[0]))

    # Times of a straight front from a source between cells: |x|, at places between cells.
    def test_places_and_sources_between_cells(self):
        rng = np.random.default_rng(2)
        places = rng.uniform(0, 23, (200, 2))
        places = places[np.hypot(*(places - (5.5, 4.25)).T) > 3]
        self.table("p.csv", [(r, c, np.hypot(r - 5.5, c - 4.25)) for r, c in places],
                   "row,col,time")
        report = self.invert("--observations", "p.csv", "--source", "5.5,4.25", "--shape", "24,24",
                             "--sigma", "0.05", "--out-metric", "f.npy")
        self.assertLess(report["chi2"], 1.5)
        self.assertLess(relative(self.load("f.npy"), np.ones((24, 24))), 0.06)
        self.assertAlmostEqual(report["experiments"][0]["rms_residual"] ** 2 / 0.05 ** 2,
                               report["chi2"], delta=1e-6)
        self.assertEqual(report["stencils"], "adaptive")

    def test_drift_where_the_metric_is_known(self):
        g, b = halves(), drift(ROWS, COLS, 0.3, -0.2)
        self.save("b.npy", b)
        self.save("T.npy", self.times(g, SOURCES[0], "--drift", "b.npy"))
        args = ("--observations", "T.npy", "--source", "5,4")
        report = self.invert(*args, "--unknown", "drift", "--metric", "true.npy", "--out-drift",
                             "f.npy")
        self.assertLess(relative(self.load("f.npy"), b), 1e-3)
        self.assertEqual(report["unknown"], "drift")
        # from the right drift there is nothing left to do
        report = self.invert(*args, "--unknown", "drift", "--metric", "true.npy", "--start-drift",
                             "b.npy", "--out-drift", "f.npy")
        self.assertLess(report["history"][0]["chi2"], 1e-12)
        self.assertLess(relative(self.load("f.npy"), b), 1e-6)

    def test_a_drift_to_start_from_needs_no_metric(self):
        b = drift(ROWS, COLS, 0.3, -0.2)
        self.save("b.npy", b)
        self.save("T.npy", self.times(2 * np.ones((ROWS, COLS)), SOURCES[0], "--drift", "b.npy"))
        args = ("--observations", "T.npy", "--source", "5,4", "--unknown", "isotropic+drift",
                "--max-iterations", "1", "--out-drift", "f.npy")
        cold = self.invert(*args)["history"][0]["chi2"]
        self.assertLess(self.invert(*args, "--start-drift", "b.npy")["history"][0]["chi2"],
                        0.1 * cold)

    def test_metric_where_the_drift_is_known(self):
        g, b = halves(), drift(ROWS, COLS, 0.9, 0.3)  # not admissible in G = I / 4
        self.save("b.npy", b)
        self.save("T.npy", self.times(g + 1, SOURCES[0], "--drift", "b.npy"))
        args = ("--observations", "T.npy", "--source", "5,4", "--out-metric", "f.npy")
        self.invert(*args, "--drift", "b.npy")
        self.assertLess(relative(self.load("f.npy"), g + 1), 0.03)
        self.invert(*args)  # without it there is no such field
        self.assertGreater(relative(self.load("f.npy"), g + 1), 0.1)

    def test_shapes_of_all_that_can_be_sought(self):
        G = metric(12, 15, 1.0, 0.1, 1.5)
        self.save("b.npy", drift(12, 15, 0.2, 0.1))
        data = ()
        for k, (r, c) in enumerate(((2, 2), (9, 3), (5, 12))):
            self.save(f"T{k}.npy", self.times(G, (r, c), "--drift", "b.npy"))
            data += ("--observations", f"{k}:T{k}.npy", "--source", f"{k}:{r},{c}")
        for unknown, metric_shape, std_shape in (
                ("isotropic", (12, 15), (12, 15)), ("diagonal", (3, 12, 15), (3, 12, 15)),
                ("metric", (3, 12, 15), (3, 12, 15)), ("drift", None, (2, 12, 15)),
                ("isotropic+drift", (12, 15), (3, 12, 15)),
                ("diagonal+drift", (3, 12, 15), (5, 12, 15)), ("all", (3, 12, 15), (5, 12, 15))):
            with self.subTest(unknown=unknown):
                has_drift = "drift" in unknown or unknown == "all"
                self.invert(*data, "--unknown", unknown, "--out-std", "s.npy", "--samples", "2",
                            *(("--out-metric", "G.npy") if metric_shape else ()),
                            *(("--out-drift", "d.npy") if has_drift else ()))
                std = self.load("s.npy")
                self.assertEqual(std.shape, std_shape)
                self.assertTrue((std >= 0).all() and std.max() > 0)
                if metric_shape:
                    self.assertEqual(self.load("G.npy").shape, metric_shape)
                if has_drift:
                    self.assertEqual(self.load("d.npy").shape, (2, 12, 15))
        found = self.load("G.npy")  # of "all"
        self.assertLess(relative(found, G), 0.05)
        self.assertLess(relative(self.load("d.npy"), self.load("b.npy")), 0.05)

    # Times known to intervals of width 1 only, which hold the true ones.
    def test_times_between_two_passes(self):
        g, rows = halves(), []
        for k, source in enumerate(SOURCES):
            for (row, col), t in np.ndenumerate(self.times(g, source)):
                if (row + col) % 3 == 0:
                    rows.append((k, row, col, np.floor(t), 0.05, np.floor(t) + 1))
        rows.append((0, 1, 1, 0.5, 0.05, "inf"))
        self.table("obs.csv", rows, "experiment,row,col,time,sigma,time_upper")
        report = self.invert("--observations", "obs.csv", "--shape", f"{ROWS},{COLS}", "--source",
                             "5,4", "--source", "1:19,8", "--source", "2:12,26", "--out-metric",
                             "f.npy", "--out-times", "T.npy")
        self.assertLess(relative(self.load("f.npy"), g), 0.1)
        T = self.load("T.npy")
        outside = [max(low - T[k, r, c], T[k, r, c] - float(high), 0)
                   for k, r, c, low, _, high in rows]
        self.assertLess(np.sqrt(np.mean(np.square(outside))), 0.06)
        rms = [e["rms_residual"] for e in report["experiments"]]
        self.assertAlmostEqual(max(rms), max(
            np.sqrt(np.mean([x ** 2 for x, row in zip(outside, rows) if row[0] == k]))
            for k in range(3)), delta=1e-12)

    def test_walls_and_spacing(self):
        g, walls = halves(), np.zeros((ROWS, COLS))
        walls[3:20, 17] = 1
        self.save("w.npy", walls)
        self.save("T.npy", self.times(g, SOURCES[0], "--walls", "w.npy", "--spacing", "2,3"))
        args = ("--observations", "T.npy", "--source", "5,4", "--walls", "w.npy", "--out-metric",
                "f.npy")
        self.invert(*args, "--spacing", "2,3")
        away = walls == 0
        away[SOURCES[0]] = False
        self.assertLess(relative(self.load("f.npy"), g, away), 1e-8)

    # A tenth of the times far too late: they pull squares along, and Huber's cost less.
    def test_huber_stands_outliers(self):
        g, rng = halves(), np.random.default_rng(5)
        args = self.noisy_table(g, 0.1)
        rows = [line.split(",") for line in (self.dir / "obs.csv").read_text().split()[1:]]
        self.table("obs.csv", [(*r[:3], float(r[3]) + (3 if rng.random() < 0.1 else 0), r[4])
                               for r in rows])
        error = {}
        for kind in "squares", "huber":
            self.invert(*args, "--misfit", kind, "--out-metric", "f.npy")
            error[kind] = relative(self.load("f.npy"), g)
        self.assertLess(error["huber"], 0.7 * error["squares"], error)

    def test_strengths_of_the_regulariser(self):
        args = self.noisy_table(halves(), 0.3)
        chi2 = {}
        for strength in "auto", "discrepancy", "3000", "0.03":
            report = self.invert(*args, "--lambda", strength)
            chi2[strength] = report["chi2"]
            if strength[0].isdigit():
                self.assertEqual(report["lambda"], float(strength))
        chi2["none"] = self.invert(*args, "--regulariser", "none", "--max-iterations",
                                   "60")["chi2"]
        self.assertAlmostEqual(chi2["discrepancy"], 1, delta=0.05)
        self.assertGreater(chi2["3000"], 1.5 * chi2["auto"])
        self.assertLess(chi2["0.03"], 0.5 * chi2["auto"])
        self.assertLess(chi2["none"], 0.5 * chi2["auto"])

    # The strength at the corner is that of the result, which --lambda gives as well.
    def test_l_curve(self):
        args = self.noisy_table(halves(), 0.3, n=150, sources=SOURCES[:2])
        report = self.invert(*args, "--lcurve", "0.3,3,30,300,30", "--out-metric", "a.npy")
        self.assertEqual([p["lambda"] for p in report["lcurve"]], [300, 30, 3, 0.3])
        misfits = [p["misfit"] for p in report["lcurve"]]
        self.assertEqual(misfits, sorted(misfits, reverse=True))
        corner = [p["lambda"] for p in report["lcurve"] if p["corner"]]
        self.assertEqual(corner, [report["lambda"]])
        self.invert(*args, "--lambda", str(corner[0]), "--out-metric", "b.npy")
        self.assertTrue(np.array_equal(self.load("a.npy"), self.load("b.npy")))
        report = self.invert(*args, "--lcurve", "5", "--max-iterations", "8")
        lambdas = np.array([p["lambda"] for p in report["lcurve"]])
        automatic = self.invert(*args, "--max-iterations", "1")["lambda"]
        np.testing.assert_allclose(lambdas, automatic * 10.0 ** np.linspace(1, -1, 5))

    def test_pictures(self):
        if "pictures: none" in self.zermelo("info").stdout:
            self.skipTest("built without Cairo")
        args = self.noisy_table(halves(), 0.1, n=40)
        self.invert(*args, "--plot", "a.png", "--out-std", "s.npy", "--samples", "2")
        self.invert(*args, "--plot", "b.svg", "--unknown", "all", "--max-solves", "3")
        self.invert(*args, "--plot", "c.pdf", "--lcurve", "3", "--max-iterations", "3")
        self.assertEqual((self.dir / "a.png").read_bytes()[:4], b"\x89PNG")
        self.assertIn(b"<svg", (self.dir / "b.svg").read_bytes()[:200])
        self.assertEqual((self.dir / "c.pdf").read_bytes()[:5], b"%PDF-")


class Breaks(Inversion):
    def setUp(self):
        super().setUp()
        self.args = ("invert", *self.noisy_table(halves(70, 90), 0.2, n=300,
                                                 sources=((10, 10), (60, 20), (35, 80))))
        self.checkpoint = ("--checkpoint", "c.npy")

    def uninterrupted(self, *args):
        self.zermelo(*self.args, "--quiet", *args, "--out-metric", "whole.npy", "--json",
                     "whole.json")

    def resume(self, *args):
        """Goes on, and compares with the run that had no break."""
        self.zermelo(*self.args, "--quiet", *args, *self.checkpoint, "--resume", "--out-metric",
                     "f.npy", "--json", "f.json")
        self.assertTrue(np.array_equal(self.load("f.npy"), self.load("whole.npy")))
        whole, parts = (json.loads((self.dir / name).read_text())
                        for name in ("whole.json", "f.json"))
        for report in whole, parts:
            report.pop("seconds")
        self.assertEqual(whole, parts)

    # The first checkpoint is there before the first iteration is over.
    def test_ctrl_c_and_resume_come_to_the_same_as_no_break(self):
        self.uninterrupted()
        run = self.start(*self.args, *self.checkpoint, "--out-metric", "f.npy",
                         preexec_fn=stop_ignoring_signals)
        while run.poll() is None and "c.npy" not in self.files():
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 130, err)
        self.assertRegex(err, r"interrupted after iteration \d+; the same command with --resume "
                              r"goes on from c\.npy\n$")
        self.assertNotIn("f.npy", self.files())
        self.resume()

    def test_any_method_goes_on_where_a_limit_stopped_it(self):
        for method in "auto", "admm", "lbfgs", "adam":
            with self.subTest(method=method):
                args = ("--method", method, "--max-iterations", "9")
                self.uninterrupted(*args)
                run = self.zermelo(*self.args, *args, *self.checkpoint, "--max-solves", "5",
                                   "--json", "-")
                self.assertIn("stopped at --max-solves 5", run.stderr)
                report = json.loads(run.stdout)
                self.assertEqual(report["stop"], "max-solves")
                self.assertLess(report["iterations"], 9)
                self.resume(*args)

    def test_a_complete_run_can_be_asked_for_more(self):
        self.uninterrupted("--max-iterations", "4")
        self.zermelo(*self.args, "--max-iterations", "4", *self.checkpoint, "--quiet", "--json",
                     "a.json")
        self.resume("--max-iterations", "4")
        self.zermelo(*self.args, "--max-iterations", "4", *self.checkpoint, "--resume", "--quiet",
                     "--out-std", "s.npy", "--samples", "2")
        self.assertEqual(self.load("s.npy").shape, (70, 90))

    # On a large grid the first iterations are on a coarser one: no state to save there, and
    # its solves are not those that --max-solves counts.
    def test_a_start_on_a_coarser_grid_is_no_part_of_limits_and_checkpoints(self):
        args = ("invert", *self.noisy_table(halves(230, 200), 0.2, n=300, sources=((30, 30),)))
        run = self.zermelo(*args, *self.checkpoint, "--max-solves", "3", "--json", "-")
        self.assertNotIn("cannot write", run.stderr)
        report = json.loads(run.stdout)
        self.assertEqual((report["stop"], report["iterations"]), ("max-solves", 1))
        self.assertIn("c.npy", self.files())

    # Of eight runs; the handle has the curve so far in its checkpoint.
    def test_an_l_curve_that_was_interrupted_goes_on(self):
        strength = ("--lambda", "lcurve", "--max-iterations", "6")
        self.uninterrupted(*strength)
        run = self.start(*self.args, *self.checkpoint, *strength, "--out-metric", "f.npy",
                         preexec_fn=stop_ignoring_signals)
        while run.poll() is None and "c.npy" not in self.files():
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.communicate(timeout=120) and run.returncode, 130)
        self.resume(*strength)

    def test_without_a_checkpoint_resume_starts_afresh(self):
        run = self.zermelo(*self.args, *self.checkpoint, "--resume", "--max-solves", "3",
                           "--out-metric", "f.npy")
        self.assertIn("no checkpoint c.npy yet; starting afresh", run.stderr)
        self.assertIn("c.npy", self.files())

    def test_checkpoints_of_something_else_are_refused(self):
        result = ("--out-metric", "f.npy", "--quiet", "--max-iterations", "2")
        self.zermelo(*self.args, *self.checkpoint, *result)
        for other in (("--lambda", "3"), ("--unknown", "diagonal"), ("--spacing", "2"),
                      ("--misfit", "huber"), ("--source", "1,1"), ("--regulariser", "h1")):
            self.refuses(1, "--checkpoint c.npy: the state is of another problem: other", *self.args,
                         *self.checkpoint, "--resume", *result, *other)
        text = (self.dir / "obs.csv").read_text()
        (self.dir / "obs.csv").write_text(text + "0,1,1,9,0.2\n")
        self.refuses(1, "the state is of another problem: other experiments", *self.args,
                     *self.checkpoint, "--resume", *result)
        self.save("c.npy", np.ones(50))
        for number, says in (1, " is no checkpoint of zermelo invert"), (2, ": this is no state of"):
            self.save("c.npy", np.full(50, float(number)))
            self.refuses(1, "c.npy" + says, *self.args, *self.checkpoint, "--resume", *result)
        self.save("c.npy", np.zeros((3, 4)))
        self.refuses(1, "c.npy is no checkpoint of zermelo invert", *self.args, *self.checkpoint,
                     "--resume", *result)
        (self.dir / "c.npy").write_text("?")
        self.refuses(1, "cannot read --checkpoint c.npy", *self.args, *self.checkpoint, "--resume",
                     *result)

    def test_interrupted_without_a_checkpoint(self):
        run = self.start(*self.args, "--method", "gradient", "--max-iterations", "1000000",
                         "--out-metric", "f.npy", preexec_fn=stop_ignoring_signals)
        wait_until_catching(run, signal.SIGTERM)
        run.send_signal(signal.SIGTERM)
        _, err = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 143, err)
        self.assertIn("interrupted", err)
        self.assertNotIn("f.npy", self.files())

    def test_progress_on_a_terminal(self):
        ours, theirs = pty.openpty()
        run = subprocess.Popen([TOOL, *self.args, "--method", "gradient", "--max-iterations",
                                "1000000", "--out-metric", "f.npy"], cwd=self.dir, stderr=theirs)
        os.close(theirs)
        shown, end = "", time.monotonic() + 60
        while " solves" not in shown and time.monotonic() < end:
            if select.select([ours], [], [], 0.1)[0]:
                shown += os.read(ours, 4096).decode()
        run.kill()
        run.wait()
        os.close(ours)
        self.assertRegex(shown, r"iteration \d+: chi2 [\d.e+-]+, lambda [\d.e+-]+, \d+ solves")


class Refusals(Inversion):
    def setUp(self):
        super().setUp()
        self.table("ok.csv", [(0, 3, 4, 5.0), (0, 1, 2, 3.0)], "experiment,row,col,time")
        self.base = ("invert", "--out-metric", "f.npy")
        self.args = (*self.base, "--shape", "10,12", "--source", "0,0")

    def refused_table(self, says, text, *args):
        (self.dir / "bad.csv").write_text(text)
        self.refuses(1, says, *self.args, "--observations", "bad.csv", *args)
        self.assertNotIn("f.npy", self.files())

    def test_tables(self):
        head = "experiment,row,col,time\n"
        self.refused_table("bad.csv: empty; the first line must name the columns", "")
        self.refused_table("bad.csv: a header and no observations", head)
        self.refused_table("bad.csv, line 1: column row is there twice", "row,col,row,time\n")
        self.refused_table("bad.csv, line 2, column time: 'nan', must be a number",
                           head + "0,1,2,nan\n")
        self.refused_table("line 2, column sigma: '-1', must be > 0", "row,col,time,sigma\n1,2,3,-1")
        self.refused_table("line 3: experiment 2 has no source; give --source 2:ROW,COL",
                           head + "0,1,2,3\n2,1,2,3\n")
        self.refused_table("line 2: row 10, col 2 is outside the grid of 10 rows and 12 cols",
                           head + "0,10,2,3\n")
        self.refused_table("line 2: row 1, col 12 is outside", head + "0,1,12,3\n")
        self.refused_table("the other way round it is inside: have row and col been swapped",
                           head + "0,10,2,3\n")
        self.refused_table("line 3: no sigma, and others of its experiment have one",
                           "row,col,time,sigma\n1,2,3,0.1\n2,2,4,\n")
        walls = np.zeros((10, 12))
        walls[1, 2] = walls[8:, 10] = walls[8, 10:] = 1
        self.save("w.npy", walls)
        self.refused_table("bad.csv, line 3: row 1, col 2 is in a wall",
                           head + "0,3,2,3\n0,1,2,3\n", "--walls", "w.npy")
        self.refused_table("experiment 0 observes row 9, col 11, where walls let no front arrive",
                           head + "0,9,11,3\n", "--walls", "w.npy")
        self.refused_table("experiment 0 observes row 8.5, col 9.25, between cells of which row 8, "
                           "col 10 is one", head + "0,8.5,9.25,3\n", "--walls", "w.npy")
        self.refused_table("later than the sources' times", head + "0,1,2,-3\n")
        self.refuses(1, "cannot read --observations no.csv: No such file", *self.args,
                     "--observations", "no.csv")
        self.refuses(1, "--observations 1:ok.csv: the table has a column experiment", *self.args,
                     "--observations", "1:ok.csv")

    def test_arrays(self):
        T = np.full((10, 12), np.nan)
        self.save("none.npy", T)
        self.refuses(1, "none.npy has no finite time", *self.args, "--observations", "none.npy")
        T[2, 3] = -np.inf
        self.save("bad.npy", T)
        self.refuses(1, "bad.npy, row 2, col 3: time -inf", *self.args, "--observations", "bad.npy")
        self.save("T.npy", np.ones((12, 10)))
        self.refuses(1, "T.npy has shape (12, 10), must be (10, 12) to fit the grid", *self.args,
                     "--observations", "T.npy")
        self.refuses(1, "T.npy, row 0, col 0: experiment 3 has no source", *self.base, "--source",
                     "0,0", "--observations", "3:T.npy")
        self.save("one.npy", np.ones(7))
        self.refuses(1, "has shape (7), must have rows and cols", *self.base, "--source", "0,0",
                     "--observations", "one.npy")
        ok = ("--observations", "ok.csv")
        self.save("G.npy", metric(10, 12))
        self.refuses(1, "--start-metric G.npy has shape (3, 10, 12), must be (10, 12)", *self.args,
                     *ok, "--start-metric", "G.npy")
        self.refuses(1, "must be (10, 12) or (3, 10, 12) to fit the grid", *self.args, *ok,
                     "--unknown", "metric", "--start-metric", "T.npy")
        self.save("minus.npy", -np.ones((10, 12)))
        self.refuses(1, "--start-metric: ", *self.args, *ok, "--start-metric", "minus.npy")

    def test_sources(self):
        ok = ("--observations", "ok.csv", "--shape", "10,12")
        self.refuses(2, "--source [K:]ROW,COL[,TIME] is missing", *self.base, *ok)
        self.refuses(1, "--source 0:10,3 is outside the grid", *self.base, *ok, "--source", "10,3")
        self.refuses(1, "0:9.5,3 is outside the grid of 10 rows and 12 cols; the other way round",
                     *self.base, *ok, "--source", "9.5,3")
        self.refuses(2, "--source 0:2.5,3 is between cells, which --stencils fixed does not know",
                     *self.base, *ok, "--source", "2.5,3", "--stencils", "fixed")
        self.refuses(1, "experiment 1 has a source and no observations", *self.args,
                     "--observations", "ok.csv", "--source", "1:3,3")
        self.refuses(1, "without gaps", *self.args, "--observations", "ok.csv", "--source", "2:3,3")
        self.refuses(1, "experiment 0 has no source", *self.base, *ok, "--source", "1:3,3",
                     "--source", "1:4,4")
        for bad in "1", "K:1,2", "-1:1,2", "1:2:3,4", "0:1,2,nan", ":1,2":
            self.refuses(2, "--source needs", *self.base, *ok, f"--source={bad}")

    def test_options(self):
        args = (*self.args, "--observations", "ok.csv")
        self.refuses(2, "--shape ROWS,COLS is missing", *self.base, "--source", "0,0",
                     "--observations", "ok.csv")
        self.refuses(2, "--observations [K:]FILE is missing", *self.args)
        self.refuses(2, "no result asked for", *args[:1], *args[3:])
        for name, bad in {"shape": ["10", "10,0", "a,b", "1,2,3"], "sigma": ["0", "-1", "nan"],
                          "unknown": ["g", ""], "regulariser": ["TV"], "method": ["cg"],
                          "misfit": ["l1"], "lambda": ["0", "-1", "automatic"],
                          "lcurve": ["2", "1,2", "1,1,1", "3,0,1", "1,,2", "101"],
                          "max-solves": ["0"], "observations": ["", "3:", "-"]}.items():
            for value in bad:
                with self.subTest(option=name, value=value):
                    given = self.args if name == "observations" else args
                    if name == "shape":
                        given = (*self.base, "--source", "0,0", "--observations", "ok.csv")
                    self.refuses(2, f"--{name} needs", *given, f"--{name}={value}")
        self.refuses(2, "--samples needs", *args, "--samples", "1")
        for says, *more in (
                ("--metric is what is known", "--metric", "x.npy"),
                ("--drift is what is known", "--drift", "x.npy", "--unknown", "all"),
                ("does not seek the metric", "--unknown", "drift"),
                ("does not seek the drift", "--out-drift", "b.npy"),
                ("does not seek the drift", "--start-drift", "b.npy"),
                ("for total variation", "--method", "admm", "--regulariser", "h1"),
                ("is for all of G", "--regulariser", "frobenius-tv"),
                ("newton is for --unknown isotropic", "--method", "newton", "--unknown", "metric"),
                ("is for total variation", "--method", "gnc", "--regulariser", "none"),
                ("no strength", "--lambda", "1", "--regulariser", "none"),
                ("leave out --lambda", "--lcurve", "3", "--lambda", "1"),
                ("--lambda lcurve makes several", "--lambda", "lcurve", "--max-solves", "5"),
                ("is for one run", "--lcurve", "3", "--max-solves", "5"),
                ("needs --method", "--lambda", "discrepancy", "--method", "adam"),
                ("--resume needs --checkpoint", "--resume"),
                ("name the same file", "--checkpoint", "ok.csv"),
                ("name the same file", "--json", "f.npy")):
            with self.subTest(options=more):
                self.refuses(2, says, *args, *more)
        self.refuses(1, "the time of every cell", *args, "--method", "newton")
        self.assertNotIn("f.npy", self.files())


if __name__ == "__main__":
    main()
