# SPDX-License-Identifier: Apache-2.0
"""zermelo solve gives the right numbers, and every option has its effect."""
import json
import subprocess

from _tool import TOOL, ToolTest, drift, main, metric, np, smooth_problem


def exact(rows, cols, source, g, b, dx=1.0, dy=1.0):
    """T = |x|_G - b.x for constant G and b."""
    y, x = np.mgrid[0:rows, 0:cols].astype(float)
    x, y = (x - source[1]) * dx, (y - source[0]) * dy
    return np.sqrt(g[0] * x * x + 2 * g[1] * x * y + g[2] * y * y) - b[0] * x - b[1] * y


class Solve(ToolTest):
    def test_the_front_is_faster_along_the_drift(self):
        self.save("g.npy", metric(61, 61))
        self.save("b.npy", drift(61, 61, 0.3, 0.0))
        T, report = self.solve("--metric", "g.npy", "--drift", "b.npy", "--source", "30,30")
        self.assertAlmostEqual(T[30, 60], 21, delta=1e-9)
        self.assertAlmostEqual(T[30, 0], 39, delta=1e-9)
        self.assertTrue(report["converged"])
        self.assertEqual(report["reached"], 61 * 61)
        self.assertEqual(report["t_min"], 0)
        self.assertEqual(report["t_max"], T.max())

    # 0.37 % is the bound for this medium at 201 x 201 with one source node.
    def test_constant_media_agree_with_the_closed_form(self):
        angle, large, small = np.pi / 6, 2.0, 0.5
        c, s = np.cos(angle), np.sin(angle)
        g = (large * c * c + small * s * s, (large - small) * c * s,
             large * s * s + small * c * c)
        b = (0.2, 0.1)
        self.save("g.npy", metric(201, 201, *g))
        self.save("b.npy", drift(201, 201, *b))
        T, _ = self.solve("--metric", "g.npy", "--drift", "b.npy", "--source", "100,100")
        truth = exact(201, 201, (100, 100), g, b)
        self.assertLess(np.linalg.norm(T - truth) / np.linalg.norm(truth), 0.0037)

    def test_spacing_scales_columns_and_rows(self):
        self.save("g.npy", np.full((21, 31), 4.0))
        args = ("--metric", "g.npy", "--source", "10,15", "--spacing")
        T, _ = self.solve(*args, "0.5,3")
        np.testing.assert_allclose(T[10], 2 * 0.5 * abs(np.arange(31) - 15), rtol=1e-12)
        np.testing.assert_allclose(T[:, 15], 2 * 3 * abs(np.arange(21) - 10), rtol=1e-12)
        T, _ = self.solve(*args, "2")
        np.testing.assert_allclose(T[:, 15], 2 * 2 * abs(np.arange(21) - 10), rtol=1e-12)

    def test_one_plane_is_the_isotropic_metric(self):
        rng = np.random.default_rng(3)
        g = 1 + rng.random((40, 50))
        self.save("g1.npy", g)
        self.save("g3.npy", np.stack([g, 0 * g, g]))
        one, _ = self.solve("--metric", "g1.npy", "--source", "3,4")
        three, _ = self.solve("--metric", "g3.npy", "--source", "3,4")
        np.testing.assert_allclose(one, three, rtol=1e-12)

    def test_order_byte_order_and_type_of_files_do_not_matter(self):
        g, b = smooth_problem(30, 40)
        self.save("g.npy", g)
        self.save("b.npy", b)
        base, _ = self.solve("--metric", "g.npy", "--drift", "b.npy", "--source", "3,4")
        self.save("gf.npy", np.asfortranarray(g))
        self.save("bs.npy", np.asfortranarray(b.astype(">f8")))
        again, _ = self.solve("--metric", "gf.npy", "--drift", "bs.npy", "--source", "3,4")
        self.assertTrue(np.array_equal(base, again))
        self.save("gi.npy", np.full((9, 9), 4, np.int16))
        T, report = self.solve("--metric", "gi.npy", "--source", "0,0")
        self.assertEqual(report["dtype"], "float64")
        self.assertAlmostEqual(T[0, 8], 16)

    def test_dtype_follows_the_metric_unless_told(self):
        g, b = smooth_problem(30, 40)
        self.save("g4.npy", g.astype(np.float32))
        self.save("g8.npy", g)
        self.save("b8.npy", b)
        for name, args, kind in (("g4.npy", (), "float32"), ("g8.npy", (), "float64"),
                                 ("g8.npy", ("--dtype", "float32"), "float32"),
                                 ("g4.npy", ("--dtype", "float64"), "float64")):
            T, report = self.solve("--metric", name, "--drift", "b8.npy", "--source", "3,4",
                                   *args)
            self.assertEqual((T.dtype.name, report["dtype"]), (kind, kind))
        self.save("wide.npy", self.solve("--metric", "g8.npy", "--source", "3,4")[0])
        narrow, _ = self.solve("--metric", "g8.npy", "--source", "3,4", "--dtype", "float32")
        np.testing.assert_allclose(narrow, self.load("wide.npy"), rtol=1e-5, atol=1e-5)

    def test_sources_by_option_and_by_mask(self):
        self.save("g.npy", np.ones((30, 40)))
        mask = np.zeros((30, 40), bool)
        mask[5, 6] = mask[20, 30] = True
        self.save("m.npy", mask)
        self.save("mf.npy", np.asfortranarray(mask * 0.5))
        by_option, report = self.solve("--metric", "g.npy", "--source", "5,6", "--source",
                                       "20,30")
        self.assertEqual(report["sources"], 2)
        for name in "m.npy", "mf.npy":
            by_mask, _ = self.solve("--metric", "g.npy", "--source-mask", name)
            self.assertTrue(np.array_equal(by_option, by_mask))
        both, report = self.solve("--metric", "g.npy", "--source-mask", "m.npy", "--source",
                                  "0,0,-7.5")
        self.assertEqual(report["sources"], 3)
        self.assertEqual(both.min(), -7.5)
        late, _ = self.solve("--metric", "g.npy", "--source", "5,6,2.5")
        zero, _ = self.solve("--metric", "g.npy", "--source", "5,6")
        np.testing.assert_allclose(late, zero + 2.5, rtol=1e-12)

    def test_walls_hold(self):
        self.save("g.npy", np.ones((20, 30)))
        walls = np.zeros((20, 30), np.uint8)
        walls[:, 15] = 1
        self.save("w.npy", walls)
        T, report = self.solve("--metric", "g.npy", "--source", "5,5", "--walls", "w.npy")
        self.assertTrue(np.all(np.isinf(T[:, 15:])))
        self.assertTrue(np.all(np.isfinite(T[:, :15])))
        self.assertEqual(report["reached"], 20 * 15)
        walls[3, 15] = 0
        self.save("w.npy", walls)
        T, _ = self.solve("--metric", "g.npy", "--source", "5,5", "--walls", "w.npy")
        self.assertTrue(np.all(np.isfinite(T[:, 16:])))

    def test_t_max_leaves_later_cells_infinite(self):
        g, b = smooth_problem(60, 80)
        self.save("g.npy", g)
        self.save("b.npy", b)
        args = ("--metric", "g.npy", "--drift", "b.npy", "--source", "3,4")
        full, _ = self.solve(*args)
        cut, report = self.solve(*args, "--t-max", "20.5")
        self.assertTrue(np.array_equal(np.isfinite(cut), full <= 20.5))
        np.testing.assert_allclose(cut[full <= 20.5], full[full <= 20.5], rtol=1e-12)
        self.assertLessEqual(report["t_max"], 20.5)
        self.assertEqual(report["reached"], np.isfinite(cut).sum())
        same, _ = self.solve(*args, "--t-max", "inf")
        self.assertTrue(np.array_equal(full, same))

    def test_tolerance_saves_work(self):
        g = np.exp(np.random.default_rng(5).normal(size=(100, 100)))
        self.save("g.npy", g)
        exact_T, exact_report = self.solve("--metric", "g.npy", "--source", "50,50")
        rough, report = self.solve("--metric", "g.npy", "--source", "50,50", "--tol", "0.3")
        self.assertLess(report["updates"], exact_report["updates"])
        self.assertFalse(np.array_equal(exact_T, rough))
        self.assertTrue(np.all(rough >= exact_T - 1e-12))

    def test_iteration_limit_warns_and_says_so_in_the_report(self):
        walls = np.zeros((128, 128), bool)
        for i, row in enumerate(range(4, 128, 8)):
            walls[row, :-2 if i % 2 else None] = True
            walls[row, :2] = walls[row, :2] & bool(i % 2)
        self.save("g.npy", np.ones((128, 128)))
        self.save("w.npy", walls)
        args = ("solve", "--metric", "g.npy", "--walls", "w.npy", "--source", "0,0", "--out",
                "T.npy", "--json", "r.json", "--max-iterations", "1")
        run = self.zermelo(*args)
        self.assertIn("stopped at --max-iterations 1", run.stderr)
        self.assertFalse(json.loads((self.dir / "r.json").read_text())["converged"])
        self.assertEqual(self.zermelo(*args, "--quiet").stderr, "")

    def test_threads_agree_and_one_thread_repeats_itself(self):
        g, b = smooth_problem(300, 320)
        self.save("g.npy", g)
        self.save("b.npy", b)
        args = ("--metric", "g.npy", "--drift", "b.npy", "--source", "150,160")
        one, report = self.solve(*args)
        self.assertEqual(report["threads"], 1)
        again, _ = self.solve(*args, "--threads", "1")
        self.assertTrue(np.array_equal(one, again))
        two, report = self.solve(*args, "--threads", "2")
        self.assertEqual(report["threads"], 2)
        np.testing.assert_allclose(two, one, rtol=1e-12)
        _, report = self.solve(*args, "--threads", "all")
        self.assertGreaterEqual(report["threads"], 1)

    def test_repeat_reports_the_shortest_time(self):
        self.save("g.npy", np.ones((64, 64)))
        _, report = self.solve("--metric", "g.npy", "--source", "1,1", "--repeat", "20")
        self.assertGreater(report["seconds_forward"], 0)
        self.assertLess(report["seconds_forward"], 1)

    def test_report_has_the_promised_keys(self):
        self.save("g.npy", np.ones((7, 9)))
        _, report = self.solve("--metric", "g.npy", "--source", "1,1")
        self.assertEqual(set(report), {
            "version", "verb", "rows", "cols", "dtype", "threads", "sources", "stencils", "order",
            "factor_radius", "periodic", "method", "iterations", "updates", "converged",
            "reached", "t_min", "t_max", "workspace_bytes", "seconds_forward"})
        self.assertEqual((report["verb"], report["rows"], report["cols"]), ("solve", 7, 9))

    def test_report_is_laid_out_for_people(self):
        self.save("g.npy", np.ones((7, 9)))
        text = self.zermelo("solve", "--metric", "g.npy", "--source", "1,1", "--out", "T.npy",
                            "--json", "-", "--quiet").stdout
        lines = text.splitlines()
        self.assertEqual((lines[0], lines[-1]), ("{", "}"))
        self.assertTrue(all(line.startswith('  "') for line in lines[1:-1]))

    def test_stencils_and_residual(self):
        g, b = smooth_problem(40, 50)
        walls = np.zeros((40, 50), bool)
        walls[:, 30] = True
        for name, array in (("g.npy", g), ("b.npy", b), ("w.npy", walls)):
            self.save(name, array)
        T, report = self.solve("--metric", "g.npy", "--drift", "b.npy", "--walls", "w.npy",
                               "--source", "3,4", "--stencil-map", "s.npy", "--residual", "r.npy")
        codes, residual = self.load("s.npy"), self.load("r.npy")
        self.assertEqual((codes.dtype, codes.shape), (np.uint8, T.shape))
        self.assertEqual(codes[3, 4], 254)
        self.assertTrue(np.array_equal(codes == 255, np.isinf(T)))
        self.assertTrue(np.all(codes[np.isfinite(T) & (codes != 254)] < 16))
        self.assertEqual((residual.dtype, residual.shape), (np.float64, T.shape))
        self.assertTrue(np.array_equal(np.isnan(residual), np.isinf(T)))
        self.assertLess(np.nanmax(abs(residual)), 1e-12)
        share = report["stencil_map"]
        self.assertEqual(share, {
            "one_point": np.sum((codes >= 8) & (codes < 16)), "two_point": np.sum(codes < 8),
            "sources": 1, "unreached": np.sum(np.isinf(T))})
        self.assertEqual(sum(share.values()), 40 * 50)

    def test_grids_of_one_row_one_column_and_one_cell(self):
        for shape in (1, 9), (9, 1), (1, 1):
            self.save("g.npy", np.full(shape, 4.0))
            T, _ = self.solve("--metric", "g.npy", "--source", "0,0")
            np.testing.assert_allclose(T.ravel(), 2.0 * np.arange(T.size), rtol=1e-12)

    def test_notes_go_to_standard_error_and_quiet_silences_them(self):
        self.save("g.npy", np.ones((7, 9)))
        args = ("solve", "--metric", "g.npy", "--source", "1,1", "--out", "T.npy")
        run = self.zermelo(*args)
        self.assertEqual(run.stdout, "")
        self.assertIn("7 x 9 cells solved", run.stderr)
        run = self.zermelo(*args, "--quiet")
        self.assertEqual(run.stdout + run.stderr, "")

    def test_bad_problems_say_where_and_why(self):
        g = metric(10, 12)
        self.save("good.npy", g)
        source = ("--source", "1,1", "--out", "T.npy")
        for name, index, value, says in (
                ("nan", (0, 3, 4), np.nan, "g11 is nan at row 3, col 4"),
                ("inf", (2, 3, 4), np.inf, "g22 is infinite at row 3, col 4"),
                ("det", (1, 3, 4), 1.5, "not positive definite at row 3, col 4")):
            bad = g.copy()
            bad[index] = value
            self.save("bad.npy", bad)
            self.refuses(1, says, "solve", "--metric", "bad.npy", *source)
            self.refuses(1, "see zermelo info bad.npy", "solve", "--metric", "bad.npy", *source)
        b = drift(10, 12, 0.5, 0.5)
        b[0, 3, 4] = 2
        self.save("b.npy", b)
        self.refuses(1, "must be < 1", "solve", "--metric", "good.npy", "--drift", "b.npy",
                     *source)
        self.refuses(1, "row 10, col 0, must be in 0..9", "solve", "--metric",
                     "good.npy", "--source", "10,0", "--out", "T.npy")
        walls = np.ones((10, 12))
        self.save("w.npy", walls)
        self.refuses(1, "is in a wall", "solve", "--metric", "good.npy", "--walls", "w.npy",
                     *source)
        self.save("empty.npy", np.zeros((10, 12)))
        self.refuses(1, "marks no cell", "solve", "--metric", "good.npy", "--source-mask",
                     "empty.npy", "--out", "T.npy")
        self.assertNotIn("T.npy", self.files())

    def test_shapes_that_do_not_fit_are_spelled_out(self):
        self.save("g.npy", metric(10, 12))
        source = ("--source", "1,1", "--out", "T.npy")
        for shape in (5,), (2, 10, 12), (4, 3, 10, 12), (3, 0, 12), ():
            self.save("bad.npy", np.ones(shape))
            self.refuses(1, "--metric bad.npy has shape", "solve", "--metric", "bad.npy", *source)
        self.save("b.npy", np.zeros((2, 12, 10)))
        self.refuses(1, "has shape (2, 12, 10), must be (2, 10, 12) to fit the grid", "solve",
                     "--metric", "g.npy", "--drift", "b.npy", *source)
        self.save("w.npy", np.zeros((12, 10)))
        for option in "--walls", "--source-mask":
            self.refuses(1, "has shape (12, 10), must be (10, 12)", "solve", "--metric",
                         "g.npy", option, "w.npy", *source)

    def test_a_pipe_will_do_for_a_file(self):
        g, _ = smooth_problem(20, 30)
        self.save("g.npy", g)
        base, _ = self.solve("--metric", "g.npy", "--source", "1,1")
        command = (f"cat g.npy | {TOOL} solve --metric /dev/stdin --source 1,1 --quiet"
                   " --out /dev/stdout")
        run = subprocess.run(["bash", "-c", command + " --dtype float64 | cat > T2.npy"],
                             cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(run.stderr, "")
        self.assertTrue(np.array_equal(base, self.load("T2.npy")))
        run = subprocess.run(["bash", "-c", command], cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("add --dtype", run.stderr)


if __name__ == "__main__":
    main()
