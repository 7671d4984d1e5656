# SPDX-License-Identifier: Apache-2.0
"""Bad input: a clear exception, and no memory lost."""
import gc
import resource
import sys
import unittest
import warnings

import numpy as np

import zermelo
from _common import main, smooth_problem

G, b = smooth_problem(9, 10)
SOURCE = [(4, 5)]


def memory(field):
    """0: bytes of address space, 1: bytes resident."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[field]) * resource.getpagesize()


def changed(a, index, value):
    a = a.copy()
    a[index] = value
    return a


def bad_calls():
    """(what, exception, a part of its text, call)."""
    ok = np.ones((9, 10))
    solve = zermelo.solve
    return [
        ("shape of G", zermelo.ArgumentError, r"G has shape \(5,\), expected \(H, W\), \(3, H, W\)",
         lambda: solve(np.ones(5), None, SOURCE)),
        ("planes of G", zermelo.ArgumentError, r"G has shape \(4, 9, 10\)",
         lambda: solve(np.ones((4, 9, 10)), None, SOURCE)),
        ("shape of b", zermelo.ArgumentError, r"b has shape \(2, 3, 3\), expected \(2, 9, 10\)",
         lambda: solve(G, np.ones((2, 3, 3)), SOURCE)),
        ("object dtype", TypeError, "G has dtype object",
         lambda: solve(np.array([[1, None], [2, 3]], dtype=object), None, SOURCE)),
        ("complex dtype", TypeError, "b has dtype complex128",
         lambda: solve(G, b * 1j, SOURCE)),
        ("text", TypeError, "G has dtype <U4", lambda: solve("text", None, SOURCE)),
        ("None", TypeError, "G has dtype object", lambda: solve(None, None, SOURCE)),
        ("NaN", zermelo.MetricError, "row 4, col 6",
         lambda: solve(changed(G, (0, 4, 6), np.nan), b, SOURCE)),
        ("infinite drift", zermelo.MetricError, "row 2, col 3",
         lambda: solve(G, changed(b, (1, 2, 3), np.inf), SOURCE)),
        ("not positive definite", zermelo.MetricError, "not positive definite at row 1, col 2",
         lambda: solve(changed(ok, (1, 2), -1), None, SOURCE)),
        ("drift too strong", zermelo.MetricError, "drift", lambda: solve(ok, (1.5, 0), SOURCE)),
        ("zero size", zermelo.ArgumentError, r"\(0, 5\): there are no cells",
         lambda: solve(np.ones((0, 5)), None, SOURCE)),
        ("empty batch", zermelo.ArgumentError, "no cells",
         lambda: solve(np.ones((0, 3, 5, 5)), None, SOURCE)),
        ("read-only out", zermelo.ArgumentError, "expected a writable",
         lambda: solve(ok, None, SOURCE, out=np.broadcast_to(1.0, (9, 10)))),
        ("out of another type", zermelo.ArgumentError, "dtype float64",
         lambda: solve(ok, None, SOURCE, out=np.empty((9, 10), np.float32))),
        ("out not contiguous", zermelo.ArgumentError, "C-contiguous",
         lambda: solve(ok, None, SOURCE, out=np.empty((10, 9)).T)),
        ("no source", zermelo.SourceError, "sources is empty", lambda: solve(ok, None, [])),
        ("no sources at all", zermelo.SourceError, "sources is None", lambda: solve(ok, None, None)),
        ("empty mask", zermelo.SourceError, "source",
         lambda: solve(ok, None, np.zeros((9, 10), bool))),
        ("source outside", zermelo.SourceError, "row 20", lambda: solve(ok, None, [(20, 3)])),
        ("source in a wall", zermelo.SourceError, "wall",
         lambda: solve(ok, None, SOURCE, walls=np.ones((9, 10), bool))),
        ("source time NaN", zermelo.SourceError, "finite",
         lambda: solve(ok, None, [(1, 1, np.nan)])),
        ("source between cells", zermelo.SourceError, "adaptive",
         lambda: solve(ok, None, (1.5, 1), stencils="fixed")),
        ("sources of 4 numbers", zermelo.SourceError, r"shape \(1, 4\), expected \(n, 2\)",
         lambda: solve(ok, None, [(1, 2, 3, 4)])),
        ("mask that is no mask", zermelo.SourceError, "a mask has dtype bool",
         lambda: solve(ok, None, np.ones((9, 10), int))),
        ("nonsense sources", zermelo.SourceError, "expected a list of",
         lambda: solve(ok, None, [(1, "a")])),
        ("batches differ", zermelo.ArgumentError, "G has 2, b has 3",
         lambda: solve(np.ones((2, 1, 9, 10)), np.zeros((3, 2, 9, 10)), SOURCE)),
        ("walls", zermelo.ArgumentError, r"walls has shape \(9, 9\), expected \(9, 10\)",
         lambda: solve(ok, None, SOURCE, walls=np.zeros((9, 9)))),
        ("walls of text", TypeError, "walls has dtype",
         lambda: solve(ok, None, SOURCE, walls="none")),
        ("spacing 0", zermelo.ArgumentError, "dx", lambda: solve(ok, None, SOURCE, spacing=0.0)),
        ("spacing", zermelo.ArgumentError, r"expected a number, \(dy, dx\)",
         lambda: solve(ok, None, SOURCE, spacing=(1, 2, 3))),
        ("spacing without coordinates", zermelo.ArgumentError, "xarray",
         lambda: solve(ok, None, SOURCE, spacing="coords")),
        ("word", zermelo.ArgumentError, "'fixed', 'adaptive'",
         lambda: solve(ok, None, SOURCE, stencils="best")),
        ("order", zermelo.ArgumentError, "order", lambda: solve(ok, None, SOURCE, order=4)),
        ("threads", zermelo.ArgumentError, "threads", lambda: solve(ok, None, SOURCE, threads=-1)),
        ("targets", zermelo.ArgumentError, "outside",
         lambda: solve(ok, None, SOURCE, targets=[(9, 0)])),
        ("check", zermelo.MetricError, "row 0, col 0", lambda: zermelo.check(-ok)),
        ("path_cost", zermelo.ArgumentError, "points has shape",
         lambda: zermelo.path_cost(ok, None, [1, 2])),
        ("project NaN", zermelo.ArgumentError, "finite", lambda: zermelo.project(ok * np.nan)),
        ("project rho", zermelo.ArgumentError, "rho", lambda: zermelo.project(G, b, rho=2.0)),
        ("wind too strong", zermelo.MetricError, "wind norm 1.41421356 at row 0, col 0",
         lambda: zermelo.from_zermelo(ok, (1.0, 1.0))),
        ("ellipse", zermelo.ArgumentError, "flank and back",
         lambda: zermelo.fire_ellipse(ok, 1.0)),
        ("ellipse without a shape", zermelo.ArgumentError, r"shape=\(H, W\)",
         lambda: zermelo.fire_ellipse(2.0, 1.0, 0.5)),
        ("ellipse that backs faster", zermelo.MetricError, "back rate 2 exceeds head rate 1",
         lambda: zermelo.fire_ellipse(ok, ok, 2 * ok)),
        ("observed nowhere", zermelo.ArgumentError, "observation",
         lambda: zermelo.invert([(SOURCE, ok * np.nan)])),
        ("observed outside", zermelo.ArgumentError, "outside",
         lambda: zermelo.invert([(SOURCE, [1.0], [(20, 20)])], shape=(9, 10))),
        ("grid unknown", zermelo.ArgumentError, r"shape=\(H, W\)",
         lambda: zermelo.invert([(SOURCE, [1.0], [(2, 2)])])),
        ("unknown what", zermelo.ArgumentError, "'isotropic'",
         lambda: zermelo.invert([(SOURCE, ok)], unknown="everything")),
    ]


class BadInput(unittest.TestCase):
    def test_each_gives_its_exception(self):
        for what, exception, text, call in bad_calls():
            with self.subTest(what), self.assertRaisesRegex(exception, text):
                call()

    def test_errors_are_what_python_users_expect(self):
        for error in zermelo.ArgumentError, zermelo.MetricError, zermelo.SourceError:
            self.assertTrue(issubclass(error, zermelo.Error) and issubclass(error, ValueError))
        self.assertTrue(issubclass(zermelo.NotConvergedWarning, RuntimeWarning))

    def test_the_cell_to_blame_is_named(self):
        with self.assertRaises(zermelo.MetricError) as caught:
            zermelo.solve(changed(G, (0, 4, 6), np.nan), b, SOURCE)
        self.assertEqual(caught.exception.cell, (4, 6))
        with self.assertRaises(zermelo.Error) as caught:
            zermelo.solve(G, b, [])
        self.assertIsNone(caught.exception.cell)

    def test_too_large_a_batch_is_a_memory_error(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        zermelo.clear_cache()
        G = np.broadcast_to(np.ones((1, 1, 1, 1)), (20000, 1, 64, 64))
        resource.setrlimit(resource.RLIMIT_AS, (memory(0) + (900 << 20), hard))
        try:
            with self.assertRaises(MemoryError):
                zermelo.solve(G, None, SOURCE)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))

    def test_ten_thousand_bad_calls_lose_no_memory(self):
        calls = [call for what, _, _, call in bad_calls() if "observed" not in what]

        def many(rounds):
            for _ in range(rounds):
                for call in calls:
                    try:
                        call()
                    except (ValueError, TypeError):
                        pass
            gc.collect()
            return memory(1)

        rounds = 10_000 // len(calls) + 1
        before, objects = many(rounds // 4), len(gc.get_objects())
        after = many(rounds)
        self.assertLess(after - before, 1 << 20)  # 100 bytes a call would be as much
        self.assertLess(len(gc.get_objects()) - objects, 100)

    def test_ten_thousand_good_calls_lose_no_memory(self):
        def many(n):
            for _ in range(n):
                s = zermelo.solve(G, b, SOURCE, solution=True)
                s.vjp(s.T)
                s.path((1, 1))
            gc.collect()
            return memory(1)

        before = many(2_000)
        self.assertLess(many(10_000) - before, 1 << 20)
        self.assertLess(sys.getrefcount(G), 10)


class Words(unittest.TestCase):
    def test_messages_have_no_names_of_the_c_library(self):
        g = np.ones((9, 9))
        seen = zermelo.Experiment((0, 0), [3.0], [(3, 4)], sigma=0.1)
        everywhere = zermelo.Experiment((0, 0), zermelo.solve(g, None, (0, 0)))
        some = zermelo.invert(seen, (9, 9), max_iterations=1)
        changing = zermelo.solve(np.ones((2, 1, 9, 9)), None, (0, 0), starts=[0, 1], solution=True)

        def invert(**options):
            return zermelo.invert(seen, (9, 9), **options)
        calls = [
            lambda: zermelo.invert([], (9, 9)),
            lambda: invert(method="newton"),
            lambda: invert(method="newton", unknown="all"),
            lambda: invert(method="admm", regulariser="h1"),
            lambda: invert(method="gnc", lam=0.0),
            lambda: invert(method="adam", lam="discrepancy"),
            lambda: invert(regulariser="frobenius-tv"),
            lambda: invert(regulariser="log-euclidean-tv", unknown="metric", metric_map="plain"),
            lambda: invert(lam=-1.0),
            lambda: invert(state=np.zeros(12)),
            lambda: invert(method="adam", max_iterations=1).lcurve([2.0, 1.0]),
            lambda: zermelo.invert(everywhere).std(),
            lambda: some.lcurve([1.0, 2.0]),
            lambda: changing.residual("discrete"),
            lambda: zermelo.solve(g, None, (0, 0), factor=float("nan")),
            lambda: zermelo.solve(g, None, (0, 0), order=4),
            lambda: zermelo.solve(g, None, (0, 0), max_iterations=0),
        ]
        for i, call in enumerate(calls):
            with self.subTest(i), self.assertRaises(zermelo.Error) as caught:
                call()
            with self.subTest(i, text=str(caught.exception)):
                self.assertNotRegex(str(caught.exception), "(?i)zm_")

    def test_warnings_and_errors_replace_whole_names_of_c(self):
        """A part of a longer name is no name of the package: solve_opts does not exist."""
        texts = {
            "call zm_forward first": "call solve first",
            "zm_forward, (zm_forward) and zm_forward": "solve, (solve) and solve",
            "ZM_REG_TV:ZM_INVERT_GNC": "'tv':'gnc'",
            "ZM_LAMBDA_FIXED: größer": "a fixed one: größer",
            "100% of zm_invert_run": "100% of Inversion.run",
            "": "",
        }
        texts.update((text, text) for text in (
            "zm_forward_opts", "zm_forward2", "zm_forward.tol", "a.zm_forward", "my_zm_forward",
            "zm_forward_batch and ZM_REG_TVX", "3zm_forward", "no name"))
        not_converged, wrong = 1, -1
        for text, expected in texts.items():
            with self.subTest(text):
                with self.assertWarns(zermelo.NotConvergedWarning) as caught:
                    zermelo._core.tell(not_converged, text)
                self.assertEqual(str(caught.warning), expected)
                with self.assertRaises(zermelo.Error) as caught:
                    zermelo._core.tell(wrong, text)
                self.assertEqual(str(caught.exception), expected)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertRaises(zermelo.NotConvergedWarning, zermelo._core.tell, not_converged, "")


if __name__ == "__main__":
    main()
