# SPDX-License-Identifier: Apache-2.0
"""zermelo.torch.nn and zermelo.parametrise: admissible, smooth, as the C library has them."""
import unittest

from _torch import torch
from torch.autograd import gradcheck

import numpy as np

import zermelo
import zermelo.torch as zt
from _common import main

MODULES = [zt.nn.LogCholesky(), zt.nn.LogCholesky(1), zt.nn.LogCholesky(2), zt.nn.LogEuclidean(),
           zt.nn.LogEuclidean(2, rho=0.5), zt.nn.Zermelo(), zt.nn.Zermelo(3, "log-euclidean"),
           zt.nn.Fire(), zt.nn.Fire(slowness=3.0, slowness_max=5.0, eccentricity=0.6)]


def spectrum(G, b):
    """Least and greatest eigenvalue of G, and the greatest norm of b, in extended precision."""
    a, o, c, x, y = (t.numpy().astype(np.longdouble) for t in (*G, *b))
    det = a * c - o * o
    high = (a + c) / 2 + np.hypot((a - c) / 2, o)
    norm = np.sqrt((c * x**2 - 2 * o * x * y + a * y**2) / det)
    return float((det / high).min()), float(high.max()), float(norm.max())


def draw(module, *head, size=1.0):
    return size * torch.randn(*head, module.channels, 5, 4, dtype=torch.float64,
                              generator=torch.Generator().manual_seed(3))


class Modules(unittest.TestCase):
    def test_derivatives_in_both_modes(self):
        for module in MODULES:
            with self.subTest(module):
                free = draw(module).requires_grad_()
                self.assertTrue(gradcheck(module, (free,), check_forward_ad=True))
        free = draw(zt.nn.LogCholesky(drift=False)).requires_grad_()
        self.assertTrue(gradcheck(lambda x: zt.nn.LogCholesky(drift=False)(x)[0], (free,),
                                  check_forward_ad=True))

    def test_results_are_admissible_whatever_comes_in(self):
        for module in MODULES:
            for size in 0.0, 1.0, 30.0, 1e6:
                with self.subTest(module=module, size=size):
                    for dtype in torch.float32, torch.float64:
                        G, b = module(draw(module, 3, size=size).to(dtype))
                        zermelo.check(G.numpy(), b.numpy())

    def test_zeros_are_isotropic_without_drift(self):
        for module in MODULES:
            with self.subTest(module):
                G, b = module(torch.zeros(module.channels, 2, 2))
                start = module.options.start
                self.assertEqual(float(b.abs().max()), 0.0)
                self.assertAlmostEqual(float(G[0, 0, 0]), start, delta=1e-5 * start)

    # A turned frame turns metric and drift with it; the Cholesky factor knows its axes.
    def test_log_euclidean_knows_no_axes(self):
        free = draw(zt.nn.LogEuclidean())
        p1, p2, p3, q1, q2 = free
        turned = torch.stack([p3, -p2, p1, -q2, q1])  # by 90 degrees
        G, b = zt.nn.LogEuclidean()(free)
        H, c = zt.nn.LogEuclidean()(turned)
        torch.testing.assert_close(H, torch.stack([G[2], -G[1], G[0]]))
        torch.testing.assert_close(c, torch.stack([-b[1], b[0]]))

    def test_fire_is_the_ellipse_of_a_fire(self):
        fire = zt.nn.Fire(slowness=0.4, slowness_min=0.0, slowness_max=1e6, eccentricity=0.9)
        free = draw(fire)
        G, b = fire(free)
        s, e = 0.4 * free[0].exp(), 0.9 * free[1:].norm(dim=0).tanh()
        H, c = zt.fire_ellipse(1 / (s * (1 - e)), length_to_breadth=1 / (1 - e**2).sqrt(),
                               heading=torch.atan2(free[2], free[1]), convention="math")
        torch.testing.assert_close(G[0], H[0], rtol=1e-6, atol=0)
        torch.testing.assert_close(b, c, rtol=1e-6, atol=1e-9)

    def test_a_boat_is_carried_by_its_wind(self):
        boat = zt.nn.Zermelo(1, eig_min=0.0, eig_max=float("inf"))
        free = draw(boat)
        h, W = zt.to_zermelo(*boat(free))
        torch.testing.assert_close(h[0], (2 * free[0]).exp())
        norm = (h[0] * W.square().sum(dim=0)).sqrt()
        torch.testing.assert_close(norm, 0.99 * free[1:].norm(dim=0).tanh())

    # Rounding counts as often as the condition of the matrix says: docs/torch.md.
    def test_bounds_hold_to_the_rounding_of_the_type(self):
        for make in zt.nn.LogCholesky, zt.nn.LogEuclidean:
            for dtype, bound, slack in ((torch.float32, 1e2, 1e-3), (torch.float32, 1e3, 0.05),
                                        (torch.float64, 1e6, 1e-3)):
                with self.subTest(make=make, dtype=dtype, bound=bound):
                    G, b = make(eig_min=1 / bound, eig_max=bound)(self.wide(dtype))
                    low, high, norm = spectrum(G, b)
                    self.assertGreater(low, (1 - slack) / bound)
                    self.assertLess(high, (1 + slack) * bound)
                    self.assertLess(norm, 1.0 if slack > 1e-3 else 0.991)
            G, b = make()(self.wide(torch.float32))
            zermelo.check(G.numpy(), b.numpy())
            low, _, norm = spectrum(G, b)  # what the page warns of
            self.assertTrue(low < 0.9e-6 and 0.995 < norm < 1, (low, norm))

    def test_bounds_of_zermelo_are_those_of_h(self):
        G, b = zt.nn.Zermelo(3, eig_min=0.1, eig_max=10.0)(self.wide(torch.float64))
        low, high, _ = spectrum(*zt.to_zermelo(G, b))
        self.assertTrue(0.0999 < low and high < 10.01, (low, high))
        self.assertGreater(spectrum(G, b)[1], 100.0)

    @staticmethod
    def wide(dtype):
        numbers = np.random.default_rng(1).normal(size=(5, 150, 150))
        return torch.tensor(5 * numbers, dtype=dtype)

    def test_numpy_and_torch_are_the_same(self):
        free = draw(zt.nn.LogCholesky(), 2)
        for chart in "log-cholesky", "log-euclidean":
            for form in "randers", "zermelo":
                words = {"chart": chart, "form": form, "rho": 0.7, "start": 2.0}
                for ours, theirs in zip(zermelo.parametrise(free.numpy(), **words),
                                        zt.parametrise(free, **words)):
                    np.testing.assert_array_equal(ours, theirs.numpy())
                leaf = free.clone().requires_grad_()
                G, b = zt.parametrise(leaf, **words)
                torch.autograd.backward([G, b], [torch.ones_like(G), torch.ones_like(b)])
                np.testing.assert_array_equal(
                    zermelo.parametrise_vjp(free.numpy(), np.ones(G.shape), np.ones(b.shape), **words),
                    leaf.grad.numpy())

    def test_threads_and_slices_change_nothing(self):
        whole = draw(zt.nn.LogCholesky(), 6)
        module, many = zt.nn.LogEuclidean(), zt.nn.LogEuclidean(threads=3)
        wide = torch.cat([whole, whole], dim=1)[:, 2:7]
        for a, b in zip(module(wide), many(wide.contiguous())):
            self.assertTrue(torch.equal(a, b))

    def test_wrong_arguments(self):
        for make in (lambda: zt.nn.LogCholesky(4), lambda: zt.nn.LogCholesky(rho=1.0),
                     lambda: zt.nn.LogCholesky(start=0.0), lambda: zt.nn.LogEuclidean(eig_min=2.0),
                     lambda: zt.nn.Zermelo(chart="log"), lambda: zt.nn.Fire(slowness=0.0),
                     lambda: zt.nn.Fire(eccentricity=1.0),
                     lambda: zermelo.parametrise(np.zeros((6, 3, 3))),
                     lambda: zermelo.parametrise(np.zeros((5, 3, 3)), form="ellipse"),
                     lambda: zermelo.parametrise(np.full((5, 3, 3), np.nan)),
                     lambda: zermelo.parametrise_vjp(np.zeros((5, 3, 3)), np.zeros((3, 2, 3)))):
            with self.assertRaises(ValueError):
                make()
        with self.assertRaisesRegex(ValueError, r"free has shape \(4, 3, 3\), expected \(B, 5, H, W\)"):
            zt.nn.LogCholesky()(torch.zeros(4, 3, 3))

    # The network that a clamp loses in its first steps.
    def test_a_network_that_starts_outside_comes_back(self):
        torch.manual_seed(0)
        wanted = zt.solve(torch.full((8, 8), 4.0), None, (0, 0))
        losses = {}
        for name, make in {"clamp": lambda x: zt.project(x[:3], eig_min=0.05),
                           "chart": lambda x: zt.parametrise(x, drift=False)[0]}.items():
            x = torch.tensor([-3.0, 0.0, -3.0])[:, None, None].repeat(1, 8, 8).requires_grad_()
            optimiser = torch.optim.Adam([x], lr=0.1)
            for _ in range(100):
                loss = (zt.solve(make(x), None, (0, 0)) - wanted).square().mean()
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
            losses[name] = loss.item()
        self.assertGreater(losses["clamp"], 10.0)
        self.assertLess(losses["chart"], 1.0)


if __name__ == "__main__":
    main()
