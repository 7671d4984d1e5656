# SPDX-License-Identifier: Apache-2.0
"""Projections and conversions in NumPy."""
import unittest

import numpy as np

import zermelo
from _common import main, smooth_problem


class Project(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(3)
        self.G, self.b = self.rng.normal(size=(3, 6, 7)), self.rng.normal(size=(2, 6, 7))
        self.bounds = dict(eig_min=0.5, eig_max=2.0, rho=0.7)

    def test_results_are_admissible_and_stay(self):
        G, b = zermelo.project(self.G, self.b, **self.bounds)
        zermelo.check(G, b)
        again, same = zermelo.project(G, b, **self.bounds)
        np.testing.assert_allclose(again, G, rtol=1e-12)
        np.testing.assert_allclose(same, b, rtol=1e-12)
        eigenvalues = np.linalg.eigvalsh(np.moveaxis(G[[0, 1, 1, 2]], 0, -1).reshape(6, 7, 2, 2))
        self.assertTrue((eigenvalues > 0.5 - 1e-12).all() and (eigenvalues < 2 + 1e-12).all())

    def test_scalar_and_diagonal_metrics_keep_their_form(self):
        g = self.G[0]
        np.testing.assert_allclose(zermelo.project(g, **self.bounds), np.clip(g, 0.5, 2))
        np.testing.assert_allclose(zermelo.project(self.G[::2], **self.bounds),
                                   np.clip(self.G[::2], 0.5, 2))

    def test_batches(self):
        G = np.stack([self.G, self.G[::-1]])
        both = zermelo.project(G, self.b, **self.bounds)
        for i in range(2):
            for x, y in zip(both, zermelo.project(G[i], self.b, **self.bounds)):
                np.testing.assert_array_equal(x[i], y)

    def test_vjp_is_the_derivative(self):
        step = 1e-6
        for G, b in ((self.G, self.b), (self.G[0], self.b), (self.G[::2], None),
                     (np.stack([self.G, -self.G]), self.b)):
            def results(e):
                out = zermelo.project(G + e * dG, None if b is None else b + e * db, **self.bounds)
                return out if isinstance(out, tuple) else (out,)
            dG = self.rng.normal(size=G.shape)
            db = None if b is None else self.rng.normal(size=b.shape)
            c = [self.rng.normal(size=r.shape) for r in results(0)]
            slope = sum((x * (p - m)).sum() / (2 * step)
                        for x, p, m in zip(c, results(step), results(-step)))
            found = zermelo.project_vjp(G, b, *c, **self.bounds)
            found = found if isinstance(found, tuple) else (found,)
            self.assertEqual([f.shape for f in found],
                             [a.shape for a in (G, b) if a is not None])
            self.assertAlmostEqual(sum((f * d).sum() for f, d in zip(found, (dG, db))), slope,
                                   delta=1e-5 * abs(slope) + 1e-6)


class Forms(unittest.TestCase):
    def test_there_and_back(self):
        G, b = smooth_problem(6, 7)
        for x, y in zip((G, b), zermelo.from_zermelo(*zermelo.to_zermelo(G, b))):
            np.testing.assert_allclose(y, x, rtol=1e-12, atol=1e-13)

    def test_a_boat_in_a_current(self):
        """Speed 2 in a current of 1 along the rows: 3 down, 1 up, sqrt(3) across."""
        G, b = zermelo.from_zermelo(np.full((9, 9), 0.25), (0.0, 1.0))
        T = zermelo.solve(G, b, (4, 4))
        np.testing.assert_allclose([T[8, 4], T[0, 4], T[4, 8]], [4 / 3, 4, 4 / 3**0.5])

    def test_batches_and_float32(self):
        G, b = smooth_problem(6, 7, dtype=np.float32)
        h, W = zermelo.to_zermelo(np.stack([G, G]), b)
        self.assertEqual((h.shape, W.shape, h.dtype), ((2, 3, 6, 7), (2, 2, 6, 7), np.float32))
        np.testing.assert_array_equal(h[1], zermelo.to_zermelo(G, b)[0])

    def test_fire_ellipse(self):
        heading = np.array([[0.0, 90.0, 225.0]])
        G, b = zermelo.fire_ellipse(2.0, 1.0, 0.5, heading)
        found = zermelo.to_fire_ellipse(G, b)
        np.testing.assert_allclose(found.heading, heading, atol=1e-9)
        np.testing.assert_allclose(found.head, 2)
        np.testing.assert_allclose(found.flank, 1)
        np.testing.assert_allclose(found.back, 0.5)
        G, b = zermelo.fire_ellipse(np.ones((2, 4, 5)), length_to_breadth=2.0, heading=0.0)
        self.assertEqual(G.shape, (2, 3, 4, 5))
        T = zermelo.solve(G, b, (2, 2))
        self.assertAlmostEqual(T[0, 0, 2], 2.0)  # the head runs north at speed 1

    def test_walls_are_not_looked_at(self):
        h, walls = np.full((2, 2), 0.25), np.array([[True, False], [False, False]])
        h[0, 0] = -1
        G, b = zermelo.from_zermelo(h, (1.0, 0.0), walls=walls)
        self.assertEqual(G[0, 0, 0], 0)


if __name__ == "__main__":
    main()
