# SPDX-License-Identifier: Apache-2.0
"""Derivatives as linear operators of SciPy."""
import subprocess
import sys
import unittest

import numpy as np

import zermelo
from _common import main, smooth_problem

try:
    import scipy.sparse
    from scipy.sparse import linalg
except ImportError:
    scipy = None

SOURCES = [(3.2, 4.6, 0.1), (9.3, 12.4, 0.3)]
WRT = ("G", "b", "sources")


def problems():
    """(what, G, b, sources, options) in every form that arguments have."""
    G, b = smooth_problem(12, 15)
    many = np.stack([G, G[::-1]])
    return [
        ("full", G, b, SOURCES, {}),
        ("scalar", G[0], b, SOURCES, {}),
        ("diagonal, constant drift", G[::2].copy(), (0.1, -0.2), SOURCES, {}),
        ("one number for the drift", G, 0.1, SOURCES, {}),
        ("batch with its own sources", many, b, [SOURCES, [(1, 1)]], {}),
        ("batch over one metric", G[None], np.stack([b, -b]), [SOURCES], {}),
        ("intervals", np.stack([G, 2 * G, G]), b, [(3, 4), (9, 12)], {"starts": [0.0, 3.0, 9.0]}),
        ("walls and cells out of reach", G, b, SOURCES, {"t_max": 4.0}),
        ("float32", G.astype(np.float32), b.astype(np.float32), SOURCES, {}),
    ]


@unittest.skipUnless(scipy, "no SciPy here (Debian: python3-scipy)")
class Jacobian(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(7)

    def test_transpose_is_the_transpose(self):
        """<y, J x> = <J' y, x>, for all that J is taken with respect to."""
        for what, G, b, sources, options in problems():
            s = zermelo.solve(G, b, sources, solution=True, **options)
            mask = self.rng.random(s.T.shape) < 0.3
            for wrt in (*WRT, ("b", "G"), WRT):
                for at in None, [(2, 3), (11, 14), (2, 3)], mask, mask.reshape(-1, 12, 15)[0]:
                    with self.subTest(what, wrt=wrt, at=np.shape(at)):
                        J = s.jacobian(wrt, at=at)
                        self.assertIsInstance(J, linalg.LinearOperator)
                        self.assertEqual(J.dtype, s.T.dtype)
                        x, y = (self.rng.normal(size=n).astype(J.dtype) for n in J.shape[::-1])
                        x.flags.writeable = y.flags.writeable = False
                        forth, back = J @ x, J.T @ y
                        self.assertEqual((forth.dtype, back.dtype), (J.dtype, J.dtype))
                        size = np.linalg.norm(forth) * np.linalg.norm(y)
                        tolerance = 1e-12 if J.dtype == np.float64 else 1e-5
                        self.assertAlmostEqual(float(forth @ y), float(back @ x),
                                               delta=tolerance * size + 1e-30)

    def test_columns_and_rows_are_derivatives(self):
        G, b = smooth_problem(12, 15)
        s = zermelo.solve(G, b, SOURCES, solution=True)
        dG, db, ds = self.rng.normal(size=G.shape), self.rng.normal(size=b.shape), \
            self.rng.normal(size=(2, 3))
        J = s.jacobian(WRT)
        np.testing.assert_array_equal(J @ np.concatenate([dG.ravel(), db.ravel(), ds.ravel()]),
                                      s.jvp(dG, db, ds).ravel())
        g = self.rng.normal(size=s.T.shape)
        np.testing.assert_array_equal(
            J.T @ g.ravel(), np.concatenate([d.ravel() for d in s.vjp(g, sources=True)]))
        at = [(2, 3), (11, 14)]
        np.testing.assert_array_equal(s.jacobian("G", at=at) @ dG.ravel(),
                                      s.jvp(dG)[tuple(np.transpose(at))])

    def test_cells_that_are_not_reached_have_rows_of_0(self):
        G, b = smooth_problem(12, 15)
        s = zermelo.solve(G, b, SOURCES, t_max=3.0, solution=True)
        dT = s.jacobian() @ np.ones(G.size)
        self.assertTrue(np.isfinite(dT).all())
        np.testing.assert_array_equal(dT[~np.isfinite(s.T.ravel())], 0)

    def test_gauss_newton_is_the_product_of_its_matrices(self):
        G, b = smooth_problem(5, 6)
        s = zermelo.solve(G, b, (1, 2), solution=True)
        at = [(0, 0), (4, 5), (3, 1)]
        J = s.jacobian("b", at=at)
        matrix = J @ np.eye(J.shape[1])
        w, r = np.array([1.0, 0.0, 4.0]), self.rng.random(60)
        W = self.rng.normal(size=(3, 3))
        W = W @ W.T
        R = scipy.sparse.diags([2.0, -1.0, -1.0], [0, 1, -1], (60, 60))
        for weights, full_W in ((None, np.eye(3)), (2.0, 2 * np.eye(3)), (w, np.diag(w)), (W, W)):
            for regulariser, full_R in ((None, 0), (0.5, 0.5 * np.eye(60)), (r, np.diag(r)),
                                        (R, R.toarray()), (linalg.aslinearoperator(R), R.toarray())):
                H = s.gauss_newton("b", at=at, weights=weights, regulariser=regulariser)
                np.testing.assert_allclose(H @ np.eye(60), matrix.T @ full_W @ matrix + full_R,
                                           atol=1e-12)
                np.testing.assert_allclose(H.T @ np.eye(60), H @ np.eye(60), atol=1e-12)

    def test_a_row_of_cells(self):
        """Each cell on the way costs half a unit of G, the source nothing."""
        s = zermelo.solve(np.ones((1, 4)), None, [(0, 0)], solution=True)
        J = s.jacobian("G", at=[(0, 3)])
        np.testing.assert_allclose(J @ np.ones(4), [1.5])
        np.testing.assert_allclose(J.T @ np.ones(1), [0, 0.5, 0.5, 0.5])
        H = s.gauss_newton("G", weights=4.0, regulariser=1.0)
        np.testing.assert_allclose(H @ np.ones(4), [1, 7, 6, 4])

    def test_coordinates_do_not_matter(self):
        try:
            import xarray
        except ImportError:
            self.skipTest("no xarray here (Debian: python3-xarray)")
        G, b = smooth_problem(5, 6)
        field = xarray.DataArray(G, dims=("plane", "lat", "lon"),
                                 coords={"lat": 50.0 + np.arange(5), "lon": np.arange(6.0)})
        s = zermelo.solve(field, b, (1, 2), "coords", solution=True)
        x = self.rng.normal(size=G.size)
        np.testing.assert_array_equal(s.jacobian() @ x, s.jvp(x.reshape(G.shape)).values.ravel())

    def test_wrong_arguments(self):
        G, b = smooth_problem(5, 6)
        s, still = (zermelo.solve(G, d, (1, 2), solution=True) for d in (b, None))
        for text, call in (
                ("wrt is 'T', expected one of 'G', 'b', 'sources'", lambda: s.jacobian("T")),
                (r"wrt is \(\), expected", lambda: s.jacobian(())),
                (r"wrt is \('G', 'G'\)", lambda: s.jacobian(("G", "G"))),
                ("wrt has 'b' and the solution has no drift", lambda: still.jacobian("b")),
                (r"at has shape \(4, 4\), expected a mask \(5, 6\)",
                 lambda: s.jacobian(at=np.ones((4, 4), bool))),
                (r"at has \(row, col\) = \(5, 0\), outside of the 5 x 6",
                 lambda: s.jacobian(at=[(5, 0)])),
                (r"at has shape \(2,\) and dtype", lambda: s.jacobian(at=[1, 2])),
                (r"weights has shape \(4,\), expected a number, 30 values",
                 lambda: s.gauss_newton(weights=np.ones(4))),
                ("weights of shape .* has the value -1, expected", lambda: s.gauss_newton(weights=-1.0)),
                ("regulariser of shape .* has the value nan",
                 lambda: s.gauss_newton(regulariser=np.full(90, np.nan))),
                (r"regulariser has shape \(3, 3\), expected \(90, 90\)",
                 lambda: s.gauss_newton(regulariser=linalg.aslinearoperator(np.eye(3))))):
            with self.subTest(text), self.assertRaisesRegex(zermelo.ArgumentError, text):
                call()


class Optional(unittest.TestCase):
    def test_scipy_is_imported_only_for_operators(self):
        code = ("import sys; sys.modules['scipy'] = None; import numpy as np, zermelo\n"
                "s = zermelo.solve(np.ones((3, 3)), None, (0, 0), solution=True)\n"
                "try: s.jacobian()\n"
                "except zermelo.UnsupportedError as error: assert 'python3-scipy' in str(error)\n"
                "else: raise AssertionError('no error')")
        subprocess.run([sys.executable, "-c", code], check=True)


if __name__ == "__main__":
    main()
