# SPDX-License-Identifier: Apache-2.0
"""Stencils, order, factoring, closed grids, stops and sources between cells in the tool."""
import json

from _tool import ToolTest, drift, main, metric, np, smooth_problem


def oriented(rows, cols, ratio, degrees):
    """Constant metric with eigenvalues sqrt(ratio) and its inverse."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    a, b = ratio ** 0.5, ratio ** -0.5
    return metric(rows, cols, a * c * c + b * s * s, (a - b) * c * s, a * s * s + b * c * c)


def exact(g, source, b=(0.0, 0.0)):
    y, x = np.mgrid[0:g.shape[1], 0:g.shape[2]].astype(float)
    x, y = x - source[1], y - source[0]
    g = g[:, 0, 0]
    return np.sqrt(g[0] * x * x + 2 * g[1] * x * y + g[2] * y * y) - b[0] * x - b[1] * y


def error(T, truth):
    return np.linalg.norm(T - truth) / np.linalg.norm(truth)


class Scheme(ToolTest):
    def test_auto_is_fixed_for_mild_metrics(self):
        g, b = smooth_problem(60, 70)
        self.save("g.npy", g)
        self.save("b.npy", b)
        args = ("--metric", "g.npy", "--drift", "b.npy", "--source", "20,30")
        plain, report = self.solve(*args)
        self.assertEqual((report["stencils"], report["method"]), ("adaptive", "blocks"))
        fixed, report = self.solve(*args, "--stencils", "fixed")
        self.assertEqual((report["stencils"], report["method"]), ("fixed", "blocks"))
        self.assertTrue(np.array_equal(plain, fixed))

    # The eight neighbours have 1.7 % error here that does not shrink on finer grids.
    def test_auto_is_accurate_for_strong_metrics(self):
        g = oriented(201, 201, 16, 30)
        self.save("g.npy", g)
        truth = exact(g, (100, 100))
        args = ("--metric", "g.npy", "--source", "100,100")
        auto, report = self.solve(*args)
        self.assertIn(report["method"], ("adaptive blocks", "marching"))
        fixed, _ = self.solve(*args, "--stencils", "fixed")
        self.assertLess(error(auto, truth), 0.004)
        self.assertLess(error(auto, truth), 0.8 * error(fixed, truth))

    def test_order_and_factor_are_exact_in_constant_media(self):
        g, b = oriented(80, 90, 25, 70), (0.1, 0.05)
        self.save("g.npy", g)
        self.save("b.npy", drift(80, 90, *b))
        args = ("--metric", "g.npy", "--drift", "b.npy", "--source", "30.25,41.5")
        truth = exact(g, (30.25, 41.5), b)
        for order in 1, 2:
            T, report = self.solve(*args, "--order", order, "--factor", "all")
            self.assertLess(error(T, truth), 1e-12)
            self.assertEqual((report["order"], report["factor_radius"], report["method"]),
                             (order, None, "marching"))
        near, report = self.solve(*args, "--factor", "10")
        none, _ = self.solve(*args, "--factor", "none")
        self.assertEqual(report["factor_radius"], 10)
        self.assertLess(1e-6, error(near, truth))
        self.assertLess(error(near, truth), error(none, truth))
        second, report = self.solve(*args, "--order", "2")  # factored unless told otherwise
        self.assertLess(error(second, truth), 1e-12)
        self.assertEqual(report["factor_radius"], None)
        _, report = self.solve(*args, "--order", "2", "--factor", "none")
        self.assertEqual(report["factor_radius"], 0)

    def test_closed_grids(self):
        self.save("g.npy", np.ones((21, 40)))
        args = ("--metric", "g.npy", "--source", "10,2")
        T, report = self.solve(*args)
        self.assertEqual((report["periodic"], round(T[10, 39], 6)), ("", 37))
        for sides, corner in (("x", (10, 39, 3)), ("y", (20, 2, 10)), ("xy", (10, 39, 3)),
                              ("yx", (10, 39, 3))):
            T, report = self.solve(*args, "--periodic", sides)
            self.assertEqual(report["periodic"], "".join(sorted(sides)))
            self.assertAlmostEqual(T[corner[0], corner[1]], corner[2], delta=1e-6)
        self.assertAlmostEqual(T[0, 2], 10, delta=1e-6)

    def test_stops_have_the_times_of_a_full_solve(self):
        self.save("g.npy", oriented(50, 60, 30, 20))
        mask = np.zeros((50, 60), np.uint8)
        mask[10, 12] = mask[40, 30] = 1
        self.save("m.npy", mask)
        for scheme in (), ("--order", "2", "--factor", "all"), ("--stencils", "fixed"):
            args = ("--metric", "g.npy", "--source", "25,25", *scheme)
            full, _ = self.solve(*args)
            for stop, last in ((("--until-reached", "10,12"), full[10, 12]),
                               (("--targets", "m.npy"), max(full[10, 12], full[40, 30])),
                               (("--until-reached", "10,12", "--until-reached", "40,30"),
                                max(full[10, 12], full[40, 30])),
                               (("--until-reached", "10,12", "--targets", "m.npy"),
                                max(full[10, 12], full[40, 30]))):
                T, _ = self.solve(*args, *stop)
                reached = np.isfinite(T)
                tie = np.abs(full - last) <= 1e-12 * last  # the mirror image of the target
                self.assertTrue(np.array_equal(reached[~tie], full[~tie] < last))
                np.testing.assert_allclose(T[reached], full[reached], rtol=1e-12)
            T, report = self.solve(*args, "--max-cells", "123")
            self.assertEqual(report["reached"], 123)
            np.testing.assert_allclose(T[np.isfinite(T)], full[np.isfinite(T)], rtol=1e-12)

    def test_targets_that_are_missed_are_told(self):
        self.save("g.npy", np.ones((20, 20)))
        walls = np.zeros((20, 20))
        walls[10] = 1
        self.save("w.npy", walls)
        run = self.zermelo("solve", "--metric", "g.npy", "--walls", "w.npy", "--source", "5,5",
                           "--until-reached", "15,5", "--until-reached", "5,6", "--out", "T.npy")
        self.assertIn("1 of 2 cells of --targets and --until-reached were not reached",
                      run.stderr)
        self.refuses(1, "no cell of --targets or --until-reached is free", "solve", "--metric",
                     "g.npy", "--walls", "w.npy", "--source", "5,5", "--until-reached", "10,5",
                     "--out", "U.npy")
        self.refuses(1, "--until-reached 20,3 is outside of the grid", "solve", "--metric",
                     "g.npy", "--source", "5,5", "--until-reached", "20,3", "--out", "U.npy")
        self.save("bad.npy", np.ones((4, 4)))
        self.refuses(1, "--targets bad.npy has shape (4, 4)", "solve", "--metric", "g.npy",
                     "--source", "5,5", "--targets", "bad.npy", "--out", "U.npy")

    def test_sources_between_cells(self):
        self.save("g.npy", np.ones((20, 20)))
        T, _ = self.solve("--metric", "g.npy", "--source", "9.5,9.5,2")
        self.assertAlmostEqual(T.min(), 2 + 0.5 ** 0.5, places=12)
        np.testing.assert_allclose(T, T[::-1, ::-1], rtol=1e-12)
        self.refuses(2, "--source 9.5,9 is between cells", "solve", "--metric", "g.npy",
                     "--source", "9.5,9", "--stencils", "fixed", "--out", "U.npy")
        self.refuses(1, "must be in 0..19", "solve", "--metric", "g.npy", "--source", "9.5,19.25",
                     "--out", "U.npy")

    def test_residual_is_of_the_eight_neighbours(self):
        self.save("g.npy", oriented(40, 40, 30, 20))
        args = ("solve", "--metric", "g.npy", "--source", "5,5", "--out", "T.npy", "--residual",
                "r.npy")
        self.assertIn("--residual is of the eight neighbours", self.zermelo(*args).stderr)
        run = self.zermelo(*args, "--stencils", "fixed")
        self.assertNotIn("residual", run.stderr)
        self.assertLess(np.nanmax(abs(self.load("r.npy"))), 1e-12)
        self.zermelo(*args, "--stencil-map", "s.npy", "--quiet")
        self.assertTrue(np.isin(self.load("s.npy"), (252, 253)).any())

    # <c, J v> = <J' c, v> with places of sources among the parameters; and central
    # differences of the solve by them.
    def test_places_of_sources_have_derivatives(self):
        g, b = smooth_problem(30, 36)
        rng = np.random.default_rng(5)
        for name, array in (("g.npy", g), ("b.npy", b), ("c.npy", rng.normal(size=(30, 36))),
                            ("dg.npy", rng.normal(size=g.shape)),
                            ("dp.npy", rng.normal(size=(2, 2))), ("ds.npy", rng.normal(size=2))):
            self.save(name, array)
        fields = ("--metric", "g.npy", "--drift", "b.npy", "--order", "2", "--factor", "all",
                  "--quiet")
        places = ("--source", "9.3,11.6", "--source", "20,25,1.5")
        self.zermelo("gradient", *fields, *places, "--cotangent", "c.npy", "--out-metric",
                     "Lg.npy", "--out-sources", "Ls.npy", "--out-places", "Lp.npy")
        Lp = self.load("Lp.npy")
        self.assertEqual((Lp.shape, Lp.dtype), ((2, 2), np.float64))
        self.assertEqual(Lp[1].tolist(), [0, 0])  # in the middle of a cell
        self.zermelo("tangent", *fields, *places, "--d-metric", "dg.npy", "--d-places", "dp.npy",
                     "--d-sources", "ds.npy", "--out", "dT.npy")
        c, dT = self.load("c.npy"), self.load("dT.npy")
        right = sum((self.load(a) * self.load(d)).sum() for a, d in (
            ("Lg.npy", "dg.npy"), ("Lp.npy", "dp.npy"), ("Ls.npy", "ds.npy")))
        self.assertLess(abs((c * dT).sum() - right), 1e-12 * abs(c * dT).sum())
        h = 1e-5
        for k, (row, col) in enumerate(((1, 0), (0, 1))):
            near = [self.solve(*fields[:-1], "--source", f"{9.3 + s * h * row:.9f},"
                               f"{11.6 + s * h * col:.9f}", "--source", "20,25,1.5")[0]
                    for s in (1, -1)]
            slope = (c * (near[0] - near[1])).sum() / (2 * h)
            self.assertAlmostEqual(slope, Lp[0, k], delta=1e-5 * abs(Lp[0, k]))

    def test_places_that_cannot_move_are_refused(self):
        self.save("g.npy", np.ones((20, 20)))
        self.save("c.npy", np.ones((20, 20)))
        self.save("dp.npy", np.ones((1, 2)))
        self.refuses(2, "--out-places needs a source between cells", "gradient", "--metric",
                     "g.npy", "--source", "9,9", "--cotangent", "c.npy", "--out-places", "p.npy")
        self.refuses(2, "--d-places needs a source between cells", "tangent", "--metric", "g.npy",
                     "--source", "9,9", "--d-places", "dp.npy", "--out", "dT.npy")
        self.refuses(1, "must be (2, 2): row and col of each source", "tangent", "--metric",
                     "g.npy", "--source", "9.5,9", "--source", "1,1", "--d-places", "dp.npy",
                     "--out", "dT.npy")

    def test_paths_use_the_same_scheme(self):
        self.save("g.npy", np.ones((21, 40)))
        run = self.zermelo("path", "--metric", "g.npy", "--source", "10.25,2.5", "--to", "10.25,37",
                           "--periodic", "x", "--order", "2", "--factor", "all", "--out", "p.csv",
                           "--json", "-", "--quiet")
        report = json.loads(run.stdout)
        self.assertEqual(report["method"], "marching")
        self.assertAlmostEqual(report["paths"][0]["time"], 5.5, delta=0.05)

    def test_extreme_metrics_say_what_to_do(self):
        self.save("g.npy", metric(20, 20, 1e6, 0.0, 1e-6))
        self.save("b.npy", drift(20, 20, 0.0, 0.999e-3))
        self.refuses(1, "refine the grid", "solve", "--metric", "g.npy", "--drift", "b.npy",
                     "--source", "5,5", "--out", "T.npy")


if __name__ == "__main__":
    main()
