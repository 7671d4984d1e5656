# SPDX-License-Identifier: Apache-2.0
"""Solution.vjp and Solution.jvp."""
import unittest

import numpy as np

import zermelo
from _common import main, smooth_problem

SOURCES = [(3, 4, 0.1), (9, 12, 0.3)]


def along(f, x, d, step=1e-6):
    """Central difference of f at x along d."""
    return (f(x + step * d) - f(x - step * d)) / (2 * step)


class Derivatives(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(5)
        self.G, self.b = smooth_problem(12, 15)

    def check(self, G, b, sources=SOURCES, **options):
        """jvp against differences, and vjp against jvp: <g, J d> = <J' g, d>."""
        s = zermelo.solve(G, b, sources, solution=True, **options)
        dG = self.rng.normal(size=G.shape)
        db = None if b is None else self.rng.normal(size=b.shape)
        dT = s.jvp(dG, db)
        found = along(lambda e: zermelo.solve(G + e * dG, None if b is None else b + e * db,
                                              sources, **options), 0.0, 1.0)
        np.testing.assert_allclose(dT, found, atol=1e-6 * np.abs(dT).max())
        g = self.rng.normal(size=s.T.shape)
        gG, gb = s.vjp(g)
        self.assertEqual(gG.shape, G.shape)
        product = (gG * dG).sum() + (0 if b is None else (gb * db).sum())
        self.assertAlmostEqual((g * dT).sum(), product, delta=1e-10 * abs(g * dT).sum())

    def test_scalar_diagonal_and_full_metric(self):
        self.check(self.G[0], None)
        self.check(self.G[::2].copy(), self.b)
        self.check(self.G, self.b)

    def test_batch_with_and_without_sharing(self):
        G = np.stack([self.G, self.G[::-1]])
        b = np.stack([self.b, -self.b])
        lists = [SOURCES, [(1, 1)]]
        self.check(G, b, threads=2)
        self.check(self.G, b)
        self.check(G[:1], b)
        self.check(self.G[0], None, lists)
        self.check(G[:, :1], None)

    def test_accurate_scheme(self):
        self.check(self.G, self.b, [(3.3, 4.6)], stencils="adaptive", order=2, factor=np.inf)

    def test_sources(self):
        sources = np.array([[3.3, 4.6, 0.1], [9.2, 12.4, 0.3]])
        options = dict(stencils="adaptive", order=2, factor=np.inf)
        s = zermelo.solve(self.G, self.b, sources, solution=True, **options)
        d, g = self.rng.normal(size=sources.shape), self.rng.normal(size=s.T.shape)
        dT = s.jvp(dsources=d)
        found = along(lambda x: zermelo.solve(self.G, self.b, x, **options), sources, d)
        np.testing.assert_allclose(dT, found, atol=1e-6)
        ds = s.vjp(g, sources=True)[2]
        self.assertAlmostEqual((ds * d).sum(), (g * dT).sum(), places=9)

    def test_sources_of_a_batch(self):
        lists = [SOURCES, [(1, 1)]]
        s = zermelo.solve(self.G, self.b, lists, solution=True)
        g = np.ones(s.T.shape)
        ds = s.vjp(g, sources=True)[2]
        self.assertEqual([d.shape for d in ds], [(2, 3), (1, 3)])
        for d in ds:  # later starts delay all times: derivatives add up to the number of cells
            self.assertAlmostEqual(d[:, 2].sum(), 180)
            np.testing.assert_array_equal(d[:, :2], 0)
        shared = zermelo.solve(np.stack([self.G, self.G]), None, SOURCES, solution=True)
        self.assertAlmostEqual(shared.vjp(g, sources=True)[2][:, 2].sum(), 360)
        dT = s.jvp(dsources=[np.array([[0, 0, 1.0], [0, 0, 1.0]]), np.zeros((1, 3))])
        np.testing.assert_allclose(dT[0], 1)
        np.testing.assert_array_equal(dT[1], 0)

    def test_sources_of_a_batch_of_one_are_those_of_all(self):
        G, b = np.stack([self.G, self.G[::-1]]), np.stack([self.b, -self.b])
        shared = zermelo.solve(G, b, SOURCES, solution=True)
        s = zermelo.solve(G, b, [SOURCES], solution=True)
        g, d = self.rng.normal(size=s.T.shape), np.array([[[0, 0, 1.0], [0, 0, -2.0]]])
        ds = s.vjp(g, sources=True)[2]
        self.assertEqual(ds.shape, (1, 2, 3))  # that of the sources
        np.testing.assert_array_equal(ds[0], shared.vjp(g, sources=True)[2])
        dT = s.jvp(dsources=d)
        np.testing.assert_array_equal(dT, shared.jvp(dsources=d[0]))
        self.assertAlmostEqual((ds * d).sum(), (g * dT).sum(), places=9)
        with self.assertRaisesRegex(ValueError, r"dsources .* expected \[\(2, 3\)\]"):
            s.jvp(dsources=d[0])
        for i in 1, slice(1, 2), slice(0, 2):
            np.testing.assert_array_equal(s[i].T, s.T[i])
        self.assertEqual(s[1:].vjp(g[1:], sources=True)[2].shape, (1, 2, 3))
        self.assertEqual(s[1].vjp(g[1], sources=True)[2].shape, (2, 3))

    def test_float32(self):
        s = zermelo.solve(self.G, self.b, SOURCES, solution=True)
        t = zermelo.solve(self.G.astype(np.float32), self.b.astype(np.float32), SOURCES,
                          solution=True)
        g = np.ones((12, 15))
        for x, y in zip(s.vjp(g), t.vjp(g)):
            self.assertEqual(y.dtype, np.float32)
            np.testing.assert_allclose(y, x, atol=1e-4 * np.abs(x).max())

    def test_a_constant_drift_has_derivatives_of_its_shape(self):
        """Those of the same drift in every cell, added up, for all that b may be written as."""
        G, starts = np.stack([self.G, self.G[::-1]]), [0.0, 4.0]
        cases = [(self.G, {}), (G, {}), (G, {"starts": starts}), (self.G.astype(np.float32), {})]
        for given in (0.1, -0.2), [0, 0.3], 0.1, np.array([0.1, 0.2]), np.float32(0.1):
            for G, options in cases:
                b = np.asarray(given)
                if not isinstance(given, np.ndarray):  # numbers have no type of their own
                    b = b.astype(G.dtype)
                everywhere = np.broadcast_to(b.reshape(-1, 1, 1), (2, 12, 15)).copy()
                with self.subTest(b=given, G=G.shape, **options):
                    s = zermelo.solve(G, given, SOURCES, solution=True, **options)
                    full = zermelo.solve(G, everywhere, SOURCES, solution=True, **options)
                    g = self.rng.normal(size=s.T.shape)
                    (dG, db), (_, cells) = s.vjp(g), full.vjp(g)
                    self.assertEqual((dG.shape, db.shape), (G.shape, b.shape))
                    self.assertEqual(db.dtype, cells.dtype)
                    self.assertIsInstance(db, np.ndarray)
                    np.testing.assert_allclose(db, cells.sum(axis=(1, 2) if b.ndim else None),
                                               rtol=1e-5 if db.dtype == np.float32 else 1e-12)
                    d = self.rng.normal(size=b.shape)
                    planes = np.broadcast_to(d.reshape(-1, 1, 1), (2, 12, 15))
                    np.testing.assert_array_equal(s.jvp(db=d), full.jvp(db=planes))
                    np.testing.assert_array_equal(s.jvp(db=planes), full.jvp(db=planes))
        batch = zermelo.solve(np.stack([self.G, self.G]), (0.1, 0.2), SOURCES, solution=True)
        g = np.ones(batch.T.shape)
        self.assertEqual(batch[1].vjp(g[1])[1].shape, (2,))
        self.assertEqual(batch[:1].vjp(g[:1])[1].shape, (2,))
        with self.assertRaisesRegex(ValueError, r"db has shape \(\), expected \(2, 12, 15\)"):
            batch.jvp(db=1.0)

    def test_without_a_drift_one_may_begin(self):
        s = zermelo.solve(self.G, None, SOURCES, solution=True)
        self.assertIsNone(s.vjp(np.ones((12, 15)))[1])
        dT = s.jvp(db=self.b)
        found = along(lambda b: zermelo.solve(self.G, b, SOURCES), 0 * self.b, self.b)
        np.testing.assert_allclose(dT, found, atol=1e-6)

    def test_values_where_nothing_arrives_are_ignored(self):
        walls = np.zeros((12, 15), bool)
        walls[:, 8] = True
        s = zermelo.solve(self.G, self.b, [(3, 4)], walls=walls, solution=True)
        g = np.full((12, 15), np.nan)
        g[:, :8] = 1
        dG, _ = s.vjp(g)
        self.assertTrue(np.isfinite(dG).all() and (dG[:, :, 8:] == 0).all())

    def test_wrong_shapes_say_what_is_expected(self):
        s = zermelo.solve(self.G, self.b, SOURCES, solution=True)
        with self.assertRaisesRegex(ValueError, r"g has shape \(3,\), expected \(12, 15\)"):
            s.vjp(np.ones(3))
        with self.assertRaisesRegex(ValueError, r"dG has shape \(12, 15\), expected \(3, 12, 15\)"):
            s.jvp(np.ones((12, 15)))
        with self.assertRaisesRegex(ValueError, "dsources"):
            s.jvp(dsources=np.ones((3, 3)))
        with self.assertRaisesRegex(zermelo.Error, "not finite|finite"):
            s.vjp(np.full((12, 15), np.nan))


class Ways(unittest.TestCase):
    def setUp(self):
        self.G, self.b = smooth_problem(40, 50)
        self.sources = [(5, 5), (30, 40)]
        self.s = zermelo.solve(self.G, self.b, self.sources, solution=True)

    def test_a_path_costs_what_the_times_say(self):
        way = self.s.path((20.5, 22.25))
        self.assertIn(tuple(way[0, :2]), self.sources)
        np.testing.assert_array_equal(way[-1, :2], (20.5, 22.25))
        self.assertTrue((np.diff(way[:, 2]) > 0).all())
        cost = zermelo.path_cost(self.G, self.b, way)
        self.assertAlmostEqual(cost, way[-1, 2], delta=0.02 * cost)
        self.assertLess(cost, zermelo.path_cost(self.G, self.b, [way[0, :2], (35, 2), (20.5, 22)]))

    def test_no_path_where_nothing_arrives(self):
        walls = np.zeros((40, 50), bool)
        walls[:, 25] = True
        s = zermelo.solve(self.G, self.b, [(5, 5)], walls=walls, solution=True)
        self.assertEqual(s.path((5, 40)).shape, (0, 3))
        self.assertEqual(zermelo.path_cost(self.G, self.b, [(5, 20), (5, 30)], walls=walls), np.inf)

    def test_labels_flow_stencils_and_residual(self):
        s = self.s
        self.assertEqual(set(np.unique(s.labels)), {0, 1})
        self.assertEqual(s.labels[30, 40], 1)
        codes, weights = s.stencils
        self.assertEqual((codes == 254).sum(), 2)
        self.assertTrue(((weights >= 0) & (weights <= 1)).all())
        v, inside = s.flow, codes < 8
        F = np.sqrt(self.G[0] * v[0]**2 + 2 * self.G[1] * v[0] * v[1] + self.G[2] * v[1]**2) \
            - self.b[0] * v[0] - self.b[1] * v[1]
        np.testing.assert_allclose(F[inside], 1, rtol=1e-12)  # it moves one unit of time at a time
        self.assertLess(np.nanmax(np.abs(s.residual())), 1e-12)
        self.assertLess(np.nanmedian(s.residual("eikonal")), 0.05)

    def test_one_problem_of_a_batch(self):
        batch = zermelo.solve(self.G, np.stack([self.b, -self.b]), self.sources, solution=True)
        self.assertEqual(len(batch), 2)
        np.testing.assert_array_equal(batch[-1].T, batch.T[1])
        np.testing.assert_array_equal(batch[0].labels, self.s.labels)
        with self.assertRaisesRegex(ValueError, "item=0 to 1"):
            batch.path((3, 3))
        with self.assertRaises(IndexError):
            batch[2]

    def test_times_of_a_solution_are_read_only(self):
        with self.assertRaises(ValueError):
            self.s.T[0, 0] = 1


if __name__ == "__main__":
    main()
