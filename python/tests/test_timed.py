# SPDX-License-Identifier: Apache-2.0
"""zermelo.solve with a metric that changes with time."""
import unittest

import numpy as np

import zermelo
from _common import main, smooth_problem

STARTS = [0.0, 4.0, 7.5]
SOURCES = [(3, 4, 0.2), (9, 12, 1.0)]


def intervals(rows=12, cols=15):
    """Three metrics and drifts (3, ., rows, cols)."""
    many = [smooth_problem(rows, cols, seed) for seed in range(3)]
    return tuple(np.stack(part) for part in zip(*many))


def timed(G, b, starts, sources, **options):
    return zermelo.solve(G, b, sources, starts=starts, **options)


class Timed(unittest.TestCase):
    def test_one_interval_is_the_static_problem_along_the_axes(self):
        g = np.full((1, 1, 1, 20), 2.25)
        np.testing.assert_allclose(timed(g, (0.3, 0.0), [0.0], (0, 5)),
                                   zermelo.solve(g[0], (0.3, 0.0), (0, 5)))

    def test_an_interval_that_never_begins_changes_nothing(self):
        G, b = intervals()
        T = timed(G[0], b[0], [0.0], SOURCES)
        np.testing.assert_array_equal(timed(G[:2], b[:2], [0.0, 1e6], SOURCES), T)
        later = timed(G, b, STARTS, SOURCES)
        np.testing.assert_allclose(later[T <= 4], T[T <= 4], rtol=1e-14)
        self.assertTrue((later != T).any())

    def test_the_front_waits_where_it_is_stopped(self):
        g, stopped = np.ones((3, 1, 1, 9)), np.zeros((3, 1, 9), bool)
        stopped[1] = True
        T = timed(g, None, [0.0, 2.5, 10.0], (0, 0), stopped=stopped)
        np.testing.assert_allclose(T[0], [0, 1, 2, 10.5, 11.5, 12.5, 13.5, 14.5, 15.5])
        np.testing.assert_array_equal(
            timed(np.where(stopped[:, None], np.inf, g), None, [0.0, 2.5, 10.0],
                                (0, 0)), T)

    def test_derivatives(self):
        G, b = intervals()
        rng = np.random.default_rng(1)
        for shared in False, True:
            g, d = (G[:1], b) if shared else (G, b)
            s = timed(g, d, STARTS, SOURCES, solution=True)
            self.assertEqual((s.cells, s.converged), (180, True))
            dG, db, ds = rng.normal(size=g.shape), rng.normal(size=d.shape), np.zeros((2, 3))
            ds[:, 2] = rng.normal(size=2)
            sources = np.array(SOURCES)

            def times(e):
                return timed(g + e * dG, d + e * db, STARTS, sources + e * ds)
            dT, step = s.jvp(dG, db, ds), 1e-6
            found = (times(step) - times(-step)) / (2 * step)
            self.assertLess(np.median(np.abs(dT - found)), 1e-6 * np.abs(dT).max())
            c = rng.normal(size=dT.shape)
            gG, gb, gs = s.vjp(c, sources=True)
            self.assertEqual((gG.shape, gb.shape, gs.shape), (g.shape, d.shape, (2, 3)))
            self.assertAlmostEqual((gG * dG).sum() + (gb * db).sum() + (gs * ds).sum(),
                                   (c * dT).sum(), places=8)

    def test_options_and_errors(self):
        G, b = intervals()
        T = timed(G, b, STARTS, SOURCES, t_max=5.0)
        self.assertTrue(np.isinf(T).any() and T[np.isfinite(T)].max() <= 5.0)
        self.assertEqual(timed(G.astype(np.float32), b.astype(np.float32), STARTS,
                                             SOURCES, cost="own").dtype, np.float32)
        for text, call in (
                ("4 starts", lambda: timed(G, b, [0, 1, 2, 3], SOURCES)),
                ("share it", lambda: timed(G, b, STARTS, [SOURCES] * 3)),
                ("starts has shape", lambda: timed(G, b, 0.0, SOURCES)),
                ("'own', 'mean'", lambda: timed(G, b, STARTS, SOURCES, cost="x")),
                ("must be later than", lambda: timed(G, b, [0, 2, 1], SOURCES))):
            with self.subTest(text), self.assertRaisesRegex(zermelo.ArgumentError, text):
                call()
        s = timed(G, b, STARTS, SOURCES, solution=True)
        with self.assertRaisesRegex(zermelo.UnsupportedError, "middle of cells"):
            s.jvp(dsources=np.ones((2, 3)))
        with self.assertRaisesRegex(zermelo.ArgumentError, "give starts too"):
            zermelo.solve(G[0], b[0], SOURCES, stopped=np.zeros((12, 15), bool))
        with self.assertRaisesRegex(zermelo.ArgumentError, "cost is 'own'.* give starts too"):
            zermelo.solve(G[0], b[0], SOURCES, cost="own")
        zermelo.solve(G[0], b[0], SOURCES, cost="mean")
        for option in {"order": 2}, {"factor": 3.0}, {"periodic": "x"}:
            with self.assertRaises(zermelo.UnsupportedError):
                timed(G, b, STARTS, SOURCES, **option)

    def test_ways(self):
        """The front is half as fast from time 5 on; or it comes to a halt from 5 to 20."""
        G = np.ones((3, 1, 21, 31))
        G[1:] = 4.0
        stopped = np.zeros((3, 21, 31), bool)
        s = timed(G, None, [0.0, 5.0, 20.0], [(10, 3), (10, 29, 30.0)], solution=True)
        self.assertEqual((s.method, s.last_interval), ("timed", 2))
        np.testing.assert_array_equal(np.unique(s.labels), [0, 1])
        speed = np.hypot(*s.flow)
        np.testing.assert_allclose(speed[(s.T > 0) & (s.T < 5)], 1.0)
        np.testing.assert_allclose(speed[(s.T > 5) & (s.labels == 0)], 0.5)
        self.assertTrue((s.stencils.codes[s.T == 0] == 254).all())
        way = s.path((10, 12))
        np.testing.assert_allclose(way[[0, -1]], [[10, 3, 0], [10, 12, 13]], atol=1e-9)
        np.testing.assert_allclose(np.interp(5.0, way[:, 2], way[:, 1]), 8.0, atol=0.1)
        self.assertAlmostEqual(zermelo.path_cost(G, None, way, starts=[0.0, 5.0, 20.0]), 13.0)
        self.assertLess(np.nanmedian(s.residual("eikonal")), 0.02)
        stopped[1] = True
        s = timed(G, None, [0.0, 5.0, 20.0], [(10, 3)], stopped=stopped, solution=True)
        self.assertGreater(np.diff(s.path((10, 12))[:, 2]).max(), 15)


if __name__ == "__main__":
    main()
