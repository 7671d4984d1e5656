# SPDX-License-Identifier: Apache-2.0
"""zermelo.solve_bands."""
import unittest

import numpy as np

import zermelo
from _common import main, smooth_problem

STARTS = [0.0, 4.0, 7.5]
SOURCES = [(3, 4, 0.2), (9, 12, 1.0)]


def bands(rows=12, cols=15):
    """Three metrics and drifts (3, ., rows, cols)."""
    many = [smooth_problem(rows, cols, seed) for seed in range(3)]
    return tuple(np.stack(part) for part in zip(*many))


class Bands(unittest.TestCase):
    def test_one_band_is_the_static_problem_along_the_axes(self):
        g = np.full((1, 1, 1, 20), 2.25)
        np.testing.assert_allclose(zermelo.solve_bands(g, (0.3, 0.0), [0.0], (0, 5)),
                                   zermelo.solve(g[0], (0.3, 0.0), (0, 5)))

    def test_a_band_that_never_begins_changes_nothing(self):
        G, b = bands()
        T = zermelo.solve_bands(G[0], b[0], [0.0], SOURCES)
        np.testing.assert_array_equal(zermelo.solve_bands(G[:2], b[:2], [0.0, 1e6], SOURCES), T)
        later = zermelo.solve_bands(G, b, STARTS, SOURCES)
        np.testing.assert_allclose(later[T <= 4], T[T <= 4], rtol=1e-14)
        self.assertTrue((later != T).any())

    def test_the_front_waits_where_it_is_stopped(self):
        g, stopped = np.ones((3, 1, 1, 9)), np.zeros((3, 1, 9), bool)
        stopped[1] = True
        T = zermelo.solve_bands(g, None, [0.0, 2.5, 10.0], (0, 0), stopped=stopped)
        np.testing.assert_allclose(T[0], [0, 1, 2, 10.5, 11.5, 12.5, 13.5, 14.5, 15.5])
        np.testing.assert_array_equal(
            zermelo.solve_bands(np.where(stopped[:, None], np.inf, g), None, [0.0, 2.5, 10.0],
                                (0, 0)), T)

    def test_derivatives(self):
        G, b = bands()
        rng = np.random.default_rng(1)
        for shared in False, True:
            g, d = (G[0], b) if shared else (G, b)
            s = zermelo.solve_bands(g, d, STARTS, SOURCES, solution=True)
            self.assertEqual((s.report.cells, s.report.converged), (180, True))
            dG, db, ds = rng.normal(size=g.shape), rng.normal(size=d.shape), np.zeros((2, 3))
            ds[:, 2] = rng.normal(size=2)
            sources = np.array(SOURCES)

            def times(e):
                return zermelo.solve_bands(g + e * dG, d + e * db, STARTS, sources + e * ds)
            dT, step = s.jvp(dG, db, ds), 1e-6
            found = (times(step) - times(-step)) / (2 * step)
            self.assertLess(np.median(np.abs(dT - found)), 1e-6 * np.abs(dT).max())
            c = rng.normal(size=dT.shape)
            gG, gb, gs = s.vjp(c, sources=True)
            self.assertEqual((gG.shape, gb.shape, gs.shape), (g.shape, d.shape, (2, 3)))
            self.assertAlmostEqual((gG * dG).sum() + (gb * db).sum() + (gs * ds).sum(),
                                   (c * dT).sum(), places=8)

    def test_options_and_errors(self):
        G, b = bands()
        T = zermelo.solve_bands(G, b, STARTS, SOURCES, t_max=5.0)
        self.assertTrue(np.isinf(T).any() and T[np.isfinite(T)].max() <= 5.0)
        self.assertEqual(zermelo.solve_bands(G.astype(np.float32), b.astype(np.float32), STARTS,
                                             SOURCES, cost="own").dtype, np.float32)
        for text, call in (
                ("4 starts", lambda: zermelo.solve_bands(G, b, [0, 1, 2, 3], SOURCES)),
                ("share sources", lambda: zermelo.solve_bands(G, b, STARTS, [SOURCES] * 3)),
                ("starts has shape", lambda: zermelo.solve_bands(G, b, 0.0, SOURCES)),
                ("'own', 'mean'", lambda: zermelo.solve_bands(G, b, STARTS, SOURCES, cost="x")),
                ("must be later than", lambda: zermelo.solve_bands(G, b, [0, 2, 1], SOURCES))):
            with self.subTest(text), self.assertRaisesRegex(zermelo.ArgumentError, text):
                call()
        s = zermelo.solve_bands(G, b, STARTS, SOURCES, solution=True)
        with self.assertRaisesRegex(ValueError, "in time only"):
            s.jvp(dsources=np.ones((2, 3)))


if __name__ == "__main__":
    main()
