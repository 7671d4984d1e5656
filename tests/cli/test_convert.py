# SPDX-License-Identifier: Apache-2.0
"""zermelo convert says in one form what was given in another."""
from _tool import ToolTest, drift, main, metric, np, smooth_problem

ROWS, COLS = 9, 13
ELLIPSE = ("--from", "ellipse", "--head", 3, "--flank", 0.8, "--back", 0.5, "--heading", 30)
SHAPE = ("--shape", f"{ROWS},{COLS}")
RANDERS = ("--out-metric", "G.npy", "--out-drift", "b.npy")


class Convert(ToolTest):
    def convert(self, *args):
        return self.zermelo("convert", *args, "--quiet")

    def randers(self, *args):
        self.convert(*args, *RANDERS)
        return self.load("G.npy"), self.load("b.npy")

    def to_ellipse(self, *more):
        names = ("head", "flank", "back", "heading")
        self.convert("--from", "randers", "--metric", "G.npy", "--drift", "b.npy", "--to",
                     "ellipse", *(x for n in names for x in (f"--out-{n}", f"{n}.npy")), *more)
        return [self.load(f"{n}.npy") for n in names]

    # The formulas, in NumPy.
    def test_winds_become_metrics_and_come_back(self):
        h, W = smooth_problem(ROWS, COLS)
        self.save("h.npy", h)
        self.save("W.npy", W)
        G, b = self.randers("--from", "zermelo", "--metric", "h.npy", "--drift", "W.npy")
        w = np.stack([h[0] * W[0] + h[1] * W[1], h[1] * W[0] + h[2] * W[1]])
        mu = 1 - (w * W).sum(0)
        np.testing.assert_allclose(b, w / mu, rtol=1e-13)
        np.testing.assert_allclose(G[0], h[0] / mu + w[0] ** 2 / mu ** 2, rtol=1e-13)
        np.testing.assert_allclose(G[1], h[1] / mu + w[0] * w[1] / mu ** 2, atol=1e-13)
        np.testing.assert_allclose(G[2], h[2] / mu + w[1] ** 2 / mu ** 2, rtol=1e-13)
        self.convert("--from", "randers", "--metric", "G.npy", "--drift", "b.npy", "--to",
                     "zermelo", "--out-metric", "h2.npy", "--out-drift", "W2.npy")
        np.testing.assert_allclose(self.load("h2.npy"), h, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(self.load("W2.npy"), W, rtol=1e-12, atol=1e-14)

    def test_a_scalar_metric_without_wind_stays_what_it_is(self):
        self.save("h.npy", np.full((ROWS, COLS), 0.25))
        G, b = self.randers("--from", "zermelo", "--metric", "h.npy")
        self.assertTrue(np.array_equal(G, metric(ROWS, COLS, 0.25, 0, 0.25)))
        self.assertTrue(np.array_equal(b, np.zeros((2, ROWS, COLS))))

    # Along a grid line the solver is exact in constant media.
    def test_a_fire_that_heads_north_runs_up_the_rows(self):
        G, b = self.randers("--from", "ellipse", "--head", 4, "--flank", 1, "--back", "0.5",
                            "--heading", 0, "--shape", "21,21")
        T, _ = self.solve("--metric", "G.npy", "--drift", "b.npy", "--source", "10,10")
        np.testing.assert_allclose(T[:11, 10], np.arange(10, -1, -1) / 4, rtol=1e-12)
        np.testing.assert_allclose(T[10:, 10], np.arange(11) / 0.5, rtol=1e-12)

    def test_ellipses_come_back(self):
        self.randers(*ELLIPSE, *SHAPE)
        for field, value in zip(self.to_ellipse(), (3, 0.8, 0.5, 30)):
            self.assertEqual(field.shape, (ROWS, COLS))
            np.testing.assert_allclose(field, value, rtol=1e-12)

    def test_numbers_and_fields_mix(self):
        G, b = self.randers(*ELLIPSE, *SHAPE)
        heading = self.save("heading.npy", np.full((ROWS, COLS), 30.0))
        G2, b2 = self.randers(*ELLIPSE[:-1], heading)
        self.assertTrue(np.array_equal(G, G2) and np.array_equal(b, b2))
        self.assertEqual(G.shape, (3, ROWS, COLS))

    def test_headings_as_compass_degrees_or_radians(self):
        compass = self.randers(*ELLIPSE, *SHAPE)
        radians = self.randers(*ELLIPSE[:-1], np.radians(30 - 90), *SHAPE,
                               "--convention", "math")
        for a, b in zip(compass, radians):
            np.testing.assert_allclose(a, b, rtol=1e-12)
        self.assertAlmostEqual(self.to_ellipse("--convention", "math")[3][0, 0],
                               np.radians(-60), delta=1e-12)

    # e = sqrt(1 - 1/LB^2), p = head (1 - e), G = I/p^2, b = (e/p) u.
    def test_the_focus_form_is_isotropic(self):
        G, b = self.randers("--from", "focus", "--head", 2, "--length-to-breadth", 3,
                            "--heading", 90, *SHAPE)
        e = np.sqrt(1 - 1 / 9)
        p = 2 * (1 - e)
        np.testing.assert_allclose(G, metric(ROWS, COLS, p ** -2, 0, p ** -2), rtol=1e-13)
        np.testing.assert_allclose(b, drift(ROWS, COLS, e / p, 0), rtol=1e-13)
        head, flank, back, heading = self.to_ellipse()
        np.testing.assert_allclose((head + back) / 2 / flank, 3, rtol=1e-12)
        np.testing.assert_allclose((head, heading), (head * 0 + 2, head * 0 + 90), rtol=1e-12)

    def test_results_are_float32_when_all_fields_are_or_when_asked_for(self):
        h, W = smooth_problem(ROWS, COLS)
        G, b = None, None
        for h_type, W_type, more, expected in (
                ("f4", "f4", (), "f4"), ("f4", "f8", (), "f8"),
                ("f4", "f4", ("--dtype", "float64"), "f8"),
                ("f8", "f8", ("--dtype", "float32"), "f4")):
            self.save("h.npy", h.astype(h_type))
            self.save("W.npy", W.astype(W_type))
            G32, b32 = self.randers("--from", "zermelo", "--metric", "h.npy", "--drift", "W.npy",
                                    *more)
            self.assertEqual((G32.dtype, b32.dtype), (np.dtype(expected), np.dtype(expected)))
            G, b = (G32, b32) if G is None else (G, b)
            np.testing.assert_allclose(G32, G, rtol=1e-5, atol=1e-6)
        self.assertEqual(self.randers(*ELLIPSE, *SHAPE)[0].dtype, np.float64)
        self.assertEqual(self.randers(*ELLIPSE, *SHAPE, "--dtype", "float32")[0].dtype,
                         np.float32)

    def test_walls_are_not_looked_at(self):
        head = np.full((ROWS, COLS), 3.0)
        walls = np.zeros((ROWS, COLS), bool)
        head[2, 3], walls[2, 3] = np.nan, True
        self.save("head.npy", head)
        self.save("walls.npy", walls)
        args = ("--from", "focus", "--head", "head.npy", "--length-to-breadth", 2, "--heading", 0)
        G, b = self.randers(*args, "--walls", "walls.npy")
        self.assertEqual((G[:, 2, 3].tolist(), b[:, 2, 3].tolist()), ([0, 0, 0], [0, 0]))
        self.assertTrue((G[0][~walls] > 0).all())
        self.refuses(1, "row 2, col 3: head is nan", "convert", *args, *RANDERS)

    def test_the_first_bad_cell_is_named_and_nothing_is_written(self):
        self.save("h.npy", metric(ROWS, COLS, 1, 0, 1))
        W = drift(ROWS, COLS, 0.1, 0)
        W[0, 4, 7] = 1.5
        self.save("W.npy", W)
        self.refuses(1, "row 4, col 7: wind norm 1.5 ", "convert", "--from", "zermelo",
                     "--metric", "h.npy", "--drift", "W.npy", *RANDERS)
        self.refuses(1, "back rate 4 exceeds head rate 3", "convert", "--from", "ellipse",
                     "--head", 3, "--flank", 1, "--back", 4, "--heading", 0, *SHAPE, *RANDERS)
        self.refuses(1, "flank rate -1", "convert", "--from", "ellipse", "--head", 3, "--flank",
                     -1, "--back", 1, "--heading", 0, *SHAPE, *RANDERS)
        self.refuses(1, "length-to-breadth ratio 0.5", "convert", "--from", "focus", "--head", 3,
                     "--length-to-breadth", 0.5, "--heading", 0, *SHAPE, *RANDERS)
        self.assertEqual(self.files(), ["W.npy", "h.npy"])

    def test_tilted_ellipses_need_to_be_allowed(self):
        self.save("G.npy", metric(ROWS, COLS, 1, 0, 4))
        self.save("b.npy", drift(ROWS, COLS, 0.3, 0.3))
        args = ("--from", "randers", "--metric", "G.npy", "--drift", "b.npy", "--to", "ellipse",
                "--out-head", "head.npy")
        self.refuses(1, "tilt", "convert", *args)
        self.convert(*args, "--tilt", 1)
        self.assertEqual(self.load("head.npy").shape, (ROWS, COLS))

    def test_options_that_do_not_go_together_are_refused(self):
        g = self.save("g.npy", metric(ROWS, COLS))
        zermelo = ("--from", "zermelo", "--metric", g)
        for says, args in (
                ("--from FORM is missing", ()),
                ("--from needs zermelo, randers, ellipse or focus", ("--from", "wind")),
                ("--to needs randers", (*zermelo, "--to", "focus", *RANDERS)),
                ("are the same", ("--from", "randers", "--metric", g, *RANDERS)),
                ("--from zermelo needs --metric", ("--from", "zermelo", *RANDERS)),
                ("--from ellipse needs --flank", (*ELLIPSE[:4], *RANDERS)),
                ("--head does not go with --from zermelo", (*zermelo, "--head", 1, *RANDERS)),
                ("--metric does not go with --from ellipse", (*ELLIPSE, "--metric", g, *RANDERS)),
                ("--flank does not go with --from focus",
                 ("--from", "focus", "--head", 1, "--flank", 1, *RANDERS)),
                ("--out-head does not go with --to randers", (*zermelo, "--out-head", "x.npy")),
                ("--out-drift does not go with --to ellipse",
                 (*zermelo, "--to", "ellipse", "--out-drift", "x.npy")),
                ("nothing to write", zermelo),
                ("nothing to write", (*zermelo, "--to", "ellipse")),
                ("--convention needs a heading",
                 (*zermelo, "--convention", "math", *RANDERS)),
                ("compass or math", (*ELLIPSE, "--convention", "east", *RANDERS)),
                ("--tilt goes with", (*zermelo, "--tilt", 0.5, *RANDERS)),
                ("from 0 to 1", (*zermelo, "--to", "ellipse", "--tilt", 2)),
                ("--shape ROWS,COLS", (*ELLIPSE, *RANDERS)),
                ("two whole numbers", (*ELLIPSE, "--shape", "5", *RANDERS)),
                ("two whole numbers", (*ELLIPSE, "--shape", "5,0", *RANDERS)),
                ("less than 2^30 cells", (*ELLIPSE, "--shape", "2000000000,2000000000", *RANDERS)),
                ("name the same file", (*zermelo, "--out-metric", g))):
            with self.subTest(says):
                self.refuses(2, says, "convert", *args)

    def test_shapes_that_do_not_fit_are_refused(self):
        g = self.save("g.npy", metric(ROWS, COLS))
        W = self.save("W.npy", drift(ROWS, COLS + 1, 0, 0))
        flat = self.save("flat.npy", np.ones((ROWS, COLS)))
        line = self.save("line.npy", np.ones(4))
        zermelo = ("--from", "zermelo", "--metric")
        for says, args in (
                ("must have 9 and 13 as --metric", (*zermelo, g, "--drift", W)),
                ("must be (2, rows, cols)", (*zermelo, g, "--drift", flat)),
                ("must be (3, rows, cols) or (rows, cols)", (*zermelo, W)),
                ("must be (3, rows, cols) or (rows, cols)", (*zermelo, line)),
                ("must be (rows, cols)", (*ELLIPSE[:-1], g)),
                ("must have 4 and 5 as --shape", (*ELLIPSE[:-1], flat, "--shape", "4,5")),
                ("must be (rows, cols)", (*zermelo, g, "--walls", g)),
                ("cannot read --heading", (*ELLIPSE[:-1], "none.npy")),
                ("cannot read --walls", (*zermelo, g, "--walls", "none.npy"))):
            with self.subTest(says):
                self.refuses(1, says, "convert", *args, *RANDERS)


if __name__ == "__main__":
    main()
