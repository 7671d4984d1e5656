# SPDX-License-Identifier: Apache-2.0
"""zermelo.torch keeps torch's habits: half precision, autocast, devices, values that are not finite."""
import unittest
from unittest import mock

from _torch import SOURCES, rough, torch

import numpy as np

import zermelo
import zermelo.torch as zt
from _common import main
from zermelo.torch import _tensors


class HalfPrecision(unittest.TestCase):
    # The same as in float32, rounded once; derivatives have the type of what they are by.
    def test_halves_are_computed_in_float32_and_cast_back(self):
        G, b = (torch.tensor(a) for a in rough())
        for dtype in torch.bfloat16, torch.float16:
            half = [t.to(dtype).requires_grad_() for t in (G, b)]
            full = [t.detach().float().requires_grad_() for t in half]
            T, wanted = zt.solve(*half, SOURCES), zt.solve(*full, SOURCES)
            self.assertEqual(T.dtype, dtype)
            self.assertTrue(torch.equal(T, wanted.to(dtype)))
            T.float().sum().backward()
            wanted.sum().backward()
            for h, f in zip(half, full):
                self.assertEqual(h.grad.dtype, dtype)
                self.assertTrue(torch.equal(h.grad, f.grad.to(dtype)))

    def test_every_function_takes_halves(self):
        G, b = (torch.tensor(a, dtype=torch.bfloat16) for a in rough())
        free = torch.cat([G, b])
        for out in (*zt.project(G, b), *zt.to_zermelo(G, b), *zt.from_zermelo(G, b),
                    *zt.parametrise(free), *zt.nn.LogEuclidean()(free), *zt.fire_ellipse(G[0], 0.1, 0.1),
                    zt.solve(G, (0.1, 0.1), SOURCES), zt.solve(G, torch.tensor(0.1), SOURCES)):
            self.assertIn(out.dtype, (torch.bfloat16, torch.float32))
        self.assertEqual(zt.solve(G, b.float(), SOURCES).dtype, torch.float32)
        self.assertEqual(zt.solve(G.float(), b.double(), SOURCES).dtype, torch.float64)

    # As torch's own losses do: under autocast the result is float32.
    def test_under_autocast_the_result_is_float32(self):
        network = torch.nn.Conv2d(2, 5, 3, padding=1)
        param = zt.nn.LogCholesky()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            free = network(torch.randn(2, 2, 12, 12))
            self.assertEqual(free.dtype, torch.bfloat16)
            G, b = param(free)
            T = zt.solve(G, b, [(5, 5)])
        self.assertEqual((G.dtype, T.dtype), (torch.float32, torch.float32))
        T.mean().backward()
        self.assertTrue(all(torch.isfinite(p.grad).all() for p in network.parameters()))

    def test_a_time_beyond_float16_is_no_cell_that_is_not_reached(self):
        g = torch.full((1, 9), 60000.0, dtype=torch.float16)
        with self.assertRaisesRegex(ValueError, "beyond float16"):
            zt.solve(g, None, (0, 0), spacing=1000.0)
        T = zt.solve(g, None, (0, 0), t_max=500.0)  # inf is inf
        self.assertEqual(int(torch.isinf(T).sum()), 6)


class Card(torch.Tensor):
    """A tensor that says it is on a card; what a card does differently is not tested by this."""

    @property
    def device(self):
        return torch.device("cuda", 0)


def move(t, device):
    moves.append(device.type)
    return t.as_subclass(torch.Tensor if device.type == "cpu" else Card)


moves = []


class Devices(unittest.TestCase):
    def setUp(self):
        moves.clear()
        patch = mock.patch.object(_tensors, "move", move)
        patch.start()
        self.addCleanup(patch.stop)

    def test_tensors_of_a_card_go_to_the_cpu_and_the_times_back(self):
        G, b = (torch.tensor(a, requires_grad=True) for a in rough())
        T = zt.solve(G.as_subclass(Card), b.as_subclass(Card), SOURCES)
        self.assertIsInstance(T, Card)
        self.assertEqual(moves, ["cpu", "cpu", "cuda"])
        T.sum().as_subclass(torch.Tensor).backward()
        dG, db = zermelo.solve(G.detach().numpy(), b.detach().numpy(), SOURCES, solution=True).vjp(
            np.ones((6, 7)))
        np.testing.assert_allclose(G.grad.numpy(), dG)
        np.testing.assert_allclose(b.grad.numpy(), db)

    def test_so_do_projections_and_parametrisations(self):
        G, b = (torch.tensor(a).as_subclass(Card) for a in rough())
        for out in (*zt.project(G, b), *zt.parametrise(torch.cat([G, b]).as_subclass(Card)),
                    *zt.to_zermelo(G, b)):
            self.assertIsInstance(out, Card)

    def test_tensors_on_different_devices_are_refused(self):
        G, b = (torch.tensor(a) for a in rough())
        with self.assertRaisesRegex(ValueError, "G on cuda:0, b on cpu"):
            zt.solve(G.as_subclass(Card), b, SOURCES)


class NotFinite(unittest.TestCase):
    def spoilt(self, function, *inputs):
        inputs = [t.clone().requires_grad_() for t in inputs]
        out = function(*inputs)
        out = out if isinstance(out, tuple) else (out,)
        sum((o * o.new_tensor(float("inf"))).sum() for o in out).backward()
        return all(not torch.isfinite(t.grad).all() for t in inputs)

    # What a scaled loss that overflowed leaves behind: GradScaler finds it and skips the step.
    def test_cotangents_that_are_not_finite_propagate(self):
        G, b = (torch.tensor(a) for a in rough())
        self.assertTrue(self.spoilt(lambda G, b: zt.solve(G, b, SOURCES), G, b))
        self.assertTrue(self.spoilt(lambda G, b: zt.project(G, b, eig_min=1.0), G, b))
        self.assertTrue(self.spoilt(lambda x: zt.parametrise(x), torch.cat([G, b])))
        self.assertTrue(self.spoilt(lambda G, b: zt.to_zermelo(G, b), G, b))

    def test_and_are_refused_on_demand(self):
        G, b = (torch.tensor(a) for a in rough())
        for function in (lambda G, b: zt.solve(G, b, SOURCES, nonfinite="refuse"),
                         lambda G, b: zt.project(G, b, nonfinite="refuse"),
                         lambda G, b: zt.parametrise(torch.cat([G, b]), nonfinite="refuse")):
            with self.assertRaisesRegex(ValueError, "finite"):
                self.spoilt(function, G, b)
        with self.assertRaisesRegex(ValueError, "nonfinite is 'ignore', expected one of"):
            zt.solve(G, b, SOURCES, nonfinite="ignore")

    # The numpy functions have the same words, and refuse unless told otherwise.
    def test_the_words_are_those_of_numpy(self):
        s = zermelo.solve(*rough(), SOURCES, solution=True)
        g = np.ones((6, 7))
        g[0, 6] = np.nan
        with self.assertRaisesRegex(ValueError, "row 0, col 6"):
            s.vjp(g)
        dG, _ = s.vjp(g, nonfinite="propagate")
        self.assertTrue(np.isnan(dG[0, 0, 6]))
        self.assertTrue(np.isfinite(dG).any())
        with self.assertRaisesRegex(ValueError, "not finite"):
            s.jvp(np.full((3, 6, 7), np.nan))
        self.assertTrue(np.isnan(s.jvp(np.full((3, 6, 7), np.nan), nonfinite="propagate")).any())

    # A step that overflowed is skipped, and the next one is taken with a smaller scale.
    def test_a_scaled_training_skips_the_step(self):
        g = torch.full((6, 6), 2.0, requires_grad=True)
        scale, taken = 1e38, 0
        for _ in range(30):
            g.grad = None
            (zt.solve(g, None, (0, 0)).sum() * scale).backward()
            if torch.isfinite(g.grad).all():
                taken += 1
            else:
                scale /= 16
        self.assertGreater(taken, 10)


if __name__ == "__main__":
    main()
