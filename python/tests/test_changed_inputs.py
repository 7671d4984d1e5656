# SPDX-License-Identifier: Apache-2.0
"""Arrays that are changed after the solve: an error or numbers, never a crash."""
import threading
import unittest

import numpy as np

import zermelo
from _common import main, smooth_problem

SCHEMES = {
    "blocks": {},
    "refined": dict(order=3),
    "marching": dict(order=2, factor=20.0),
    "factored": dict(factor=3.0),
    "closed": dict(periodic="xy"),
}
HARM = (np.nan, np.inf, -np.inf, 0.0, -1.0, 1e308)


def look(test, s, sources=False):
    """Everything that looks at a solution; each answers or says what is wrong."""
    ones = np.ones(s.T.shape)
    for what in (lambda: s.vjp(ones, sources=sources), lambda: s.jvp(np.ones(s._setup.g.shape)),
                 lambda: s.flow, lambda: s.labels, lambda: s.stencils,
                 lambda: s.path((s.T.shape[-2] - 1, s.T.shape[-1] - 1)), s.residual):
        try:
            what()
        except zermelo.Error as e:
            test.assertTrue(str(e))
        except RuntimeWarning:
            pass


class ChangedInputs(unittest.TestCase):
    def test_drift_that_is_nan_now_is_refused(self):
        G, b = np.ones((9, 9)), np.zeros((2, 9, 9))
        s = zermelo.solve(G, b, (0, 0), solution=True)
        b[:] = np.nan
        self.assertRaises(zermelo.StateError, s.vjp, G)

    def test_anything_in_metric_drift_walls_and_sources(self):
        for name, options in SCHEMES.items():
            for value in HARM:
                for part in "G", "b", "half of G", "walls", "sources", "all":
                    G, b = smooth_problem(20, 23)
                    walls = np.zeros((20, 23), bool)
                    walls[11, 3:15] = True
                    sources = np.array([[3.0, 4.0, 0.0], [15.0, 9.0, 1.0]])
                    s = zermelo.solve(G, b, sources, walls=walls, solution=True, **options)
                    if part in ("G", "all"):
                        G[:] = value
                    if part in ("b", "all"):
                        b[:] = value
                    if part == "half of G":
                        G[:, ::2] = value
                    if part in ("walls", "all"):
                        walls[:] = ~walls
                    if part in ("sources", "all"):
                        sources[:] = value
                    with self.subTest(scheme=name, value=value, part=part):
                        look(self, s)

    def test_arrays_that_were_resized_in_place(self):
        """NumPy lets who insists move an array that is in use."""
        rows, cols = 300, 310
        parts = {"G": lambda: np.ones((rows, cols)), "b": lambda: np.zeros((2, rows, cols)),
                 "walls": lambda: np.zeros((rows, cols), bool)}
        ones = np.ones((rows, cols))
        for name, make in parts.items():
            given = {"G": ones, "b": None, name: make()}
            s = zermelo.solve(**given, sources=(3, 4), solution=True)
            given[name].resize((1, 1), refcheck=False)
            for what in (lambda: s.vjp(ones), lambda: s.jvp(db=np.ones((2, rows, cols))),
                         lambda: s.flow, lambda: s.labels, lambda: s.stencils, s.residual,
                         lambda: s.path((9, 9)), lambda: s.paths([(9, 9)])):
                with self.subTest(name), self.assertRaises((zermelo.Error, ValueError)):
                    what()

        class Mover:
            def __array__(self, dtype=None):
                G.resize((1, 1), refcheck=False)
                return np.ones((rows, cols), bool)
        G = np.ones((rows, cols))
        with self.assertRaisesRegex(zermelo.StateError, "resized in place"):
            zermelo.solve(G, None, (3, 4), targets=Mover())

    def test_strong_metric(self):
        angle, ratio = np.pi / 6, 100.0
        c, s = np.cos(angle), np.sin(angle)
        G = np.empty((3, 61, 61))
        for value in HARM:
            G[0], G[1] = c * c + ratio * s * s, (1 - ratio) * c * s
            G[2] = s * s + ratio * c * c
            solution = zermelo.solve(G, None, (30, 30), solution=True)
            self.assertEqual(solution.method, "adaptive blocks")
            G[:, 20:] = value
            self.assertRaises(zermelo.StateError, solution.vjp, np.ones((61, 61)))
            look(self, solution)

    def test_time_intervals(self):
        for value in HARM:
            G = np.ones((2, 1, 20, 20))
            s = zermelo.solve(G, None, (3, 4), starts=[0.0, 5.0], solution=True)
            G[1] = value
            look(self, s)

    def test_a_solution_owns_its_times(self):
        G, b = smooth_problem(20, 23)
        out = np.empty((20, 23))
        for options in SCHEMES.values():
            s = zermelo.solve(G, b, (3, 4), solution=True, out=out, **options)
            fresh = zermelo.solve(G, b, (3, 4), solution=True, **options)
            np.testing.assert_array_equal(out, fresh.T)
            zermelo.solve(G, b, (15, 9), out=out)
            np.testing.assert_array_equal(s.T, fresh.T)
            for found, wanted in zip(s.vjp(np.ones((20, 23))), fresh.vjp(np.ones((20, 23)))):
                np.testing.assert_array_equal(found, wanted)
            out[:] = np.nan
            look(self, s)
            self.assertFalse(s.T.flags.writeable)
            self.assertRaises(ValueError, s.T.__setitem__, (0, 0), 1.0)

    def test_another_thread_writes_meanwhile(self):
        rng = np.random.default_rng(3)
        for options in SCHEMES.values():
            G, b = smooth_problem(40, 41)
            stop = threading.Event()

            def write():
                while not stop.is_set():
                    G[rng.integers(3), rng.integers(40)] = HARM[rng.integers(len(HARM))]
                    b[:, rng.integers(40)] = HARM[rng.integers(len(HARM))]
            s = zermelo.solve(G, b, [(3, 4), (30, 30)], solution=True, **options)
            writer = threading.Thread(target=write)
            writer.start()
            try:
                for _ in range(5):
                    look(self, s)
            finally:
                stop.set()
                writer.join()


class Torch(unittest.TestCase):
    def test_data_changed_before_backward(self):
        try:
            import torch
        except ImportError:
            self.skipTest("no torch")
        import zermelo.torch
        for value in HARM:
            G = torch.ones(9, 9, dtype=torch.float64, requires_grad=True)
            b = torch.zeros(2, 9, 9, dtype=torch.float64, requires_grad=True)
            T = zermelo.torch.solve(G, b, (0, 0))
            b.data[:] = value
            try:
                T.sum().backward()
            except zermelo.Error as e:
                self.assertTrue(str(e))

    def test_writing_to_the_numbers_of_the_times_does_not_change_derivatives(self):
        """As for a figure; torch does not notice it, and the derivatives were wrong without a word."""
        try:
            import torch
        except ImportError:
            self.skipTest("no torch")
        import zermelo.torch
        for value in HARM:
            gradients = []
            for write in False, True:
                G = (1 + torch.arange(81.0, dtype=torch.float64).reshape(9, 9) / 81).requires_grad_()
                T = zermelo.torch.solve(G, None, (0, 0))
                if write:
                    T.detach().numpy()[:] = value
                gradients.append(torch.autograd.grad(T, G, torch.ones_like(T))[0])
            self.assertTrue(torch.equal(*gradients))


if __name__ == "__main__":
    main()
