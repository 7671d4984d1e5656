# SPDX-License-Identifier: Apache-2.0
"""zermelo gradient and zermelo tangent are derivatives of zermelo solve."""
import json

from _tool import ToolTest, main, np, smooth_problem

ROWS, COLS = 24, 31
SOURCES = ("--source", "4,5", "--source", "18,22,3.5")


class Derivatives(ToolTest):
    def setUp(self):
        super().setUp()
        self.g, self.b = smooth_problem(ROWS, COLS)
        self.save("g.npy", self.g)
        self.save("b.npy", self.b)
        self.rng = np.random.default_rng(7)
        self.problem = ("--metric", "g.npy", "--drift", "b.npy", *SOURCES, "--quiet")

    def gradient(self, cotangent, *args):
        self.save("c.npy", cotangent)
        self.zermelo("gradient", "--cotangent", "c.npy", *args)

    def tangent(self, *args):
        self.zermelo("tangent", "--out", "dT.npy", *args)
        return self.load("dT.npy")

    def times(self, g, b, *args):
        self.save("g2.npy", g)
        self.save("b2.npy", b)
        return self.solve("--metric", "g2.npy", "--drift", "b2.npy", *args)[0]

    # <c, J v> = <J' c, v> holds to rounding, whatever the triangles.
    def test_gradient_and_tangent_are_transposes(self):
        c = self.rng.normal(size=(ROWS, COLS))
        dg, db = self.rng.normal(size=self.g.shape), self.rng.normal(size=self.b.shape)
        ds = self.rng.normal(size=2)
        for name, array in (("dg.npy", dg), ("db.npy", db), ("ds.npy", ds)):
            self.save(name, array)
        self.gradient(c, *self.problem, "--out-metric", "Lg.npy", "--out-drift", "Lb.npy",
                      "--out-sources", "Ls.npy")
        Lg, Lb, Ls = (self.load(n) for n in ("Lg.npy", "Lb.npy", "Ls.npy"))
        self.assertEqual((Lg.shape, Lb.shape, Ls.shape), (dg.shape, db.shape, ds.shape))
        dT = self.tangent(*self.problem, "--d-metric", "dg.npy", "--d-drift", "db.npy",
                          "--d-sources", "ds.npy")
        left = (c * dT).sum()
        right = (Lg * dg).sum() + (Lb * db).sum() + (Ls * ds).sum()
        scale = abs(c * dT).sum()
        self.assertLess(abs(left - right), 1e-12 * scale)
        parts = sum(self.tangent(*self.problem, *part) for part in (
            ("--d-metric", "dg.npy"), ("--d-drift", "db.npy"), ("--d-sources", "ds.npy")))
        np.testing.assert_allclose(parts, dT, atol=1e-12 * abs(dT).max())
        self.assertAlmostEqual(Ls.sum(), c.sum(), delta=1e-12 * abs(c).sum())

    # Smooth directions; a cell where the winning triangle changes within the step may
    # differ, so nearly all cells, not all, must agree.
    def test_tangent_agrees_with_finite_differences(self):
        dg, db = smooth_problem(ROWS, COLS, seed=9)
        self.save("dg.npy", dg)
        self.save("db.npy", db)
        dT = self.tangent(*self.problem, "--d-metric", "dg.npy", "--d-drift", "db.npy")
        h = 1e-6
        plus = self.times(self.g + h * dg, self.b + h * db, *SOURCES)
        minus = self.times(self.g - h * dg, self.b - h * db, *SOURCES)
        error = abs((plus - minus) / (2 * h) - dT)
        self.assertGreater(np.mean(error < 1e-6 * abs(dT).max()), 0.97)

    def test_isotropic_derivatives_have_the_shape_of_the_metric(self):
        g = 1 + self.rng.random((ROWS, COLS))
        v = self.rng.normal(size=g.shape)
        c = self.rng.normal(size=g.shape)
        self.save("g1.npy", g)
        self.save("v.npy", v)
        args = ("--metric", "g1.npy", *SOURCES, "--quiet")
        self.gradient(c, *args, "--out-metric", "Lg.npy", "--out-drift", "Lb.npy")
        Lg = self.load("Lg.npy")
        self.assertEqual(Lg.shape, g.shape)
        self.assertEqual(self.load("Lb.npy").shape, (2, ROWS, COLS))
        dT = self.tangent(*args, "--d-metric", "v.npy")
        self.assertLess(abs((c * dT).sum() - (Lg * v).sum()), 1e-12 * abs(c * dT).sum())
        # and it is the sum of the derivatives by g11 and g22
        self.save("g3.npy", np.stack([g, 0 * g, g]))
        self.gradient(c, "--metric", "g3.npy", *SOURCES, "--quiet", "--out-metric", "L3.npy")
        L3 = self.load("L3.npy")
        np.testing.assert_allclose(L3[0] + L3[2], Lg, atol=1e-9 * abs(Lg).max())

    def test_sources_of_options_come_before_those_of_the_mask(self):
        mask = np.zeros((ROWS, COLS))
        mask[20, 3] = mask[2, 28] = 1
        self.save("m.npy", mask)
        c = np.zeros((ROWS, COLS))
        c[2, 28], c[4, 5], c[20, 3] = 1, 10, 100
        self.gradient(c, "--metric", "g.npy", "--source-mask", "m.npy", "--source", "4,5",
                      "--out-sources", "s.npy", "--quiet")
        self.assertEqual(self.load("s.npy").tolist(), [10, 1, 100])

    def test_times_come_along_if_asked_for(self):
        T, _ = self.solve("--metric", "g.npy", "--drift", "b.npy", *SOURCES)
        self.gradient(np.ones_like(T), *self.problem, "--out-metric", "Lg.npy", "--out", "T2.npy")
        self.assertTrue(np.array_equal(T, self.load("T2.npy")))

    def test_reports_tell_the_times_of_both_passes(self):
        self.save("c.npy", np.ones((ROWS, COLS)))
        run = self.zermelo("gradient", "--cotangent", "c.npy", *self.problem, "--out-metric",
                           "Lg.npy", "--json", "-", "--repeat", "3")
        report = json.loads(run.stdout)
        self.assertGreater(report["seconds_backward"], 0)
        self.assertGreater(report["seconds_forward"], 0)
        repeated = self.load("Lg.npy")
        self.save("dg.npy", self.g)
        run = self.zermelo("tangent", *self.problem, "--d-metric", "dg.npy", "--out", "dT.npy",
                           "--json", "-", "--repeat", "3")
        self.assertGreater(json.loads(run.stdout)["seconds_tangent"], 0)
        # every repetition solves anew and comes to the same
        dT = self.load("dT.npy")
        self.assertTrue(np.array_equal(dT, self.tangent(*self.problem, "--d-metric", "dg.npy")))
        self.gradient(np.ones((ROWS, COLS)), *self.problem, "--out-metric", "Lg.npy")
        self.assertTrue(np.array_equal(repeated, self.load("Lg.npy")))

    def test_float32_in_float32_out(self):
        c = self.rng.normal(size=(ROWS, COLS))
        self.gradient(c, *self.problem, "--out-metric", "L8.npy")
        self.gradient(c, *self.problem, "--out-metric", "L4.npy", "--dtype", "float32")
        narrow, wide = self.load("L4.npy"), self.load("L8.npy")
        self.assertEqual(narrow.dtype, np.float32)
        near = abs(narrow - wide) < 1e-3 * abs(wide).max()
        self.assertGreater(near.mean(), 0.95)  # a tie of triangles may go the other way

    def test_shapes_and_values_that_do_not_fit(self):
        self.save("bad.npy", np.ones((COLS, ROWS)))
        self.refuses(1, "--cotangent bad.npy has shape (31, 24), must be (24, 31)", "gradient",
                     "--cotangent", "bad.npy", *self.problem, "--out-metric", "x.npy")
        self.save("dg1.npy", np.ones((ROWS, COLS)))
        self.refuses(1, "--d-metric dg1.npy has shape (24, 31), must be (3, 24, 31)", "tangent",
                     "--d-metric", "dg1.npy", *self.problem, "--out", "x.npy")
        self.save("ds.npy", np.ones(3))
        self.refuses(1, "must be (2): one for each source", "tangent", "--d-sources", "ds.npy",
                     *self.problem, "--out", "x.npy")
        c = np.ones((ROWS, COLS))
        c[3, 3] = np.nan
        self.save("c.npy", c)
        self.zermelo("gradient", "--cotangent", "c.npy", *self.problem, "--out-metric", "x.npy",
                     status=1)
        self.assertNotIn("x.npy", self.files())


if __name__ == "__main__":
    main()
