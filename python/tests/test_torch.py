# SPDX-License-Identifier: Apache-2.0
"""zermelo.torch: gradcheck in both modes, batches, clear errors."""
import unittest

from _torch import SOURCES, rough, tensors, torch
from torch.autograd import forward_ad as fwad, gradcheck, gradgradcheck

import numpy as np

import zermelo
import zermelo.torch as zt
from _common import main


class Gradcheck(unittest.TestCase):
    def check(self, function, *arrays):
        self.assertTrue(gradcheck(function, tensors(*arrays), check_forward_ad=True))

    def test_isotropic(self):
        self.check(lambda g: zt.solve(g, None, SOURCES), rough()[0][0])

    def test_anisotropic(self):
        self.check(lambda G: zt.solve(G, None, SOURCES), rough()[0])
        self.check(lambda G: zt.solve(G, None, SOURCES), rough()[0][::2].copy())

    def test_drift(self):
        self.check(lambda G, b: zt.solve(G, b, SOURCES, spacing=(1.5, 0.7)), *rough())

    def test_batch(self):
        G, b = (np.stack(part) for part in zip(rough(4, 5, 1), rough(4, 5, 2)))
        self.check(lambda G, b: zt.solve(G, b, [(1, 3)]), G, b)

    def test_metric_shared_by_a_batch_of_sources(self):
        self.check(lambda G, b: zt.solve(G, b, [[(1, 1)], [(3, 4), (0, 2)]]), *rough(4, 5))

    def test_accurate_scheme_and_sources(self):
        G, b = rough(5, 6)
        places = np.array([[1.3, 2.6, 0.2]])
        self.check(lambda G, b, s: zt.solve(G, b, s, stencils="adaptive", order=2,
                                            factor=float("inf")), G, b, places)
        self.check(lambda s: zt.solve(torch.tensor(G), None, s, stencils="adaptive"),
                   places[:, :2])

    # However sources are written, what they are made of has derivatives.
    def test_sources_in_lists_and_tuples(self):
        G = torch.tensor(rough(5, 6)[0])
        ways = [lambda s: [(s[0], s[1]), (s[2], s[3], s[4])],
                lambda s: ((s[0], 1.5), [3.25, s[3], s[4]]),
                lambda s: [s[:2], s[2:]],
                lambda s: [[(s[0], s[1])], [(s[2], s[3], s[4]), (1, 1)]],
                lambda s: (s[None, 2:], torch.stack([s[:2], s[2:4] + 0.1])),
                lambda s: (s[2], s[3], s[4])]
        for way in ways:
            self.check(lambda s, way=way: zt.solve(G, None, way(s)), [1.3, 2.6, 3.2, 4.4, 0.2])

    def test_sources_of_a_batch_of_one_are_those_of_all(self):
        G = np.stack([rough(4, 5, 1)[0], rough(4, 5, 2)[0]])
        self.check(lambda G, s: zt.solve(G, None, s), G, [[[1.3, 2.6, 0.2], [2.2, 3.4, 0.1]]])

    def test_a_constant_drift(self):
        G = rough(4, 5)[0]
        self.check(lambda G, b: zt.solve(G, b, [(1, 3)]), G, [0.2, -0.1])
        self.check(lambda G, b: zt.solve(G, b, [(1, 3)]), G, 0.15)
        self.check(lambda b: zt.solve(torch.tensor(G), (b, 0.1), [(1, 3)]), 0.15)
        np.testing.assert_array_equal(zt.solve(torch.tensor(G), (0.2, -0.1), [(1, 3)]),
                                      zermelo.solve(G, (0.2, -0.1), [(1, 3)]))
        for value in [0.2, -0.1], 0.15:  # the same as without torch
            b = torch.tensor(value, dtype=torch.float64, requires_grad=True)
            zt.solve(torch.tensor(G), b, [(1, 3)]).sum().backward()
            db = zermelo.solve(G, value, [(1, 3)], solution=True).vjp(np.ones((4, 5)))[1]
            self.assertEqual(b.grad.shape, db.shape)
            np.testing.assert_allclose(b.grad.numpy(), db, rtol=1e-12)

    def test_walls_and_t_max(self):
        walls = np.zeros((6, 7), bool)
        walls[2:, 4] = True
        G, b = rough()

        def reached(G, b):
            T = zt.solve(G, b, [(3, 1)], walls=walls, t_max=4.0)
            return T[torch.isfinite(T)]
        self.check(reached, G, b)

    def test_time_intervals(self):
        G, b = (np.stack(part) for part in zip(rough(4, 5, 1), rough(4, 5, 2)))
        starts, place = [0.0, 1.7], torch.tensor([[1.0, 3.0]])
        self.check(lambda G, b: zt.solve(G, b, [(1, 3)], starts=starts), G, b)
        self.check(lambda G, t: zt.solve(G, None, torch.cat([place, t], dim=1), starts=starts),
                   G[0], [[0.1]])

    def test_whole_numbers_and_nested_lists_are_sources(self):
        g = torch.ones(5, 6)
        T = zt.solve(g, None, [(1, 2), (4, 5)])
        for sources in torch.tensor([[1, 2], [4, 5]]), [torch.tensor([1, 2]), (4, torch.tensor(5))], \
                [[1, 2], [4, 5]], torch.tensor([[1, 2], [4, 5]], dtype=torch.uint8):
            self.assertTrue(torch.equal(zt.solve(g, None, sources), T))
        self.assertTrue(torch.equal(zt.solve(g, None, [[[1, 2]], [[4, 5], [1, 2]]])[1], T))
        with self.assertRaisesRegex(zermelo.SourceError, "expected"):
            zt.solve(g, None, [[torch.tensor(1.0)]])

    def test_projection(self):
        def project(G, b):
            return zt.project(G, b, eig_min=0.9, eig_max=1.2, rho=0.15)
        G, b = rough()
        self.check(project, G, b)
        self.check(project, np.stack([G, G + 0.1]), b)
        self.check(lambda g: zt.project(g, eig_min=0.9, eig_max=1.2), G[0])
        self.check(lambda g: zt.project(g, eig_min=0.9, eig_max=1.2), G[::2].copy())

    def test_forms(self):
        G, b = rough()
        h, W = zermelo.to_zermelo(G, b)
        self.check(zt.from_zermelo, h, W)
        self.check(zt.to_zermelo, G, b)
        self.check(lambda h: zt.from_zermelo(h)[0], h[0])
        rates = 1 + np.random.default_rng(1).random((3, 2, 3))
        self.check(lambda f, k, a: zt.fire_ellipse(f + 1, k, 0.5, a), *rates)
        self.check(lambda f, k: zt.fire_ellipse(f, length_to_breadth=k + 0.5, heading=1.0,
                                                convention="math"), *rates[:2])

    def test_chain_of_all(self):
        def chain(h, W):
            G, b = zt.from_zermelo(h, W)
            return zt.solve(*zt.project(G, b, rho=0.3), SOURCES)
        G, b = rough()
        self.check(chain, *zermelo.to_zermelo(G, b))


class Layer(unittest.TestCase):
    def test_values_are_those_of_numpy(self):
        G, b = rough(30, 40)
        walls = np.zeros((30, 40), bool)
        walls[5:20, 10] = True
        layer = zt.EikonalLayer(SOURCES, spacing=(2.0, 1.0), walls=torch.tensor(walls), t_max=30.0)
        T = layer(torch.tensor(G), torch.tensor(b))
        np.testing.assert_array_equal(
            T.numpy(), zermelo.solve(G, b, SOURCES, (2.0, 1.0), walls, 30.0))
        self.assertIn("spacing=(2.0, 1.0)", repr(layer))
        other = layer(torch.tensor(G), sources=torch.tensor([[3, 3.0]]))
        self.assertEqual(float(other[3, 3]), 0.0)

    def test_float32(self):
        G, b = rough(30, 40)
        grads = []
        for dtype in torch.float32, torch.float64:
            g = torch.tensor(G, dtype=dtype, requires_grad=True)
            T = zt.solve(g, torch.tensor(b, dtype=dtype), SOURCES)
            self.assertEqual(T.dtype, dtype)
            T.mean().backward()
            self.assertEqual(g.grad.dtype, dtype)
            grads.append(g.grad.double())
        self.assertLess((grads[0] - grads[1]).abs().max(), 1e-3 * grads[1].abs().max())

    def test_tensors_that_torch_negates_when_they_are_read(self):
        """Imaginary parts of conjugates: their memory has the other sign."""
        view = (torch.full((4, 5), -2.0) * 1j).conj().imag
        self.assertTrue(view.is_neg())
        for f in (lambda G: zt.solve(G, None, (0, 0)), lambda G: zt.project(G, eig_min=0.1),
                  lambda G: torch.cat(zt.from_zermelo(G)), lambda G: torch.cat(zt.fire_ellipse(G, 1.0, 1.0)),
                  lambda G: zt.solve(torch.ones(4, 5), None, G[:1, :2] / 2)):
            self.assertTrue(torch.equal(f(view), f(torch.full((4, 5), 2.0))))
        g = torch.ones(4, 5, requires_grad=True)
        zt.solve(g, None, (0, 0)).backward(view)
        wanted, = torch.autograd.grad(zt.solve(g, None, (0, 0)), g, torch.full((4, 5), 2.0))
        self.assertTrue(torch.equal(g.grad, wanted))

    def test_gradient_flows_through_slices_of_a_network_output(self):
        G, b = rough(8, 9)
        both = torch.tensor(np.concatenate([G, b])[None], requires_grad=True)
        zt.solve(both[:, :3], both[:, 3:], [(1, 1)]).sum().backward()
        dG, db = zermelo.solve(G, b, [(1, 1)], solution=True).vjp(np.ones((8, 9)))
        np.testing.assert_allclose(both.grad[0].numpy(), np.concatenate([dG, db]), rtol=1e-12)

    def test_training_step_lowers_a_loss(self):
        torch.manual_seed(1)
        project = zt.Projection(eig_min=0.2, rho=0.8)
        timed = zt.EikonalLayer([(0, 0)], starts=[0.0, 2.0], cost="own")
        self.assertEqual(timed(torch.tensor([1.0, 4.0]).reshape(2, 1, 1, 1).expand(2, 1, 1, 5))
                         [0].tolist(), [0, 1, 2, 4, 6])
        layer = zt.EikonalLayer([(4, 4)], stencils="fixed")
        net = torch.nn.Conv2d(2, 5, 3, padding=1)
        net.bias.data[:] = torch.tensor([1.0, 0, 1, 0, 0])
        image, wanted = torch.randn(3, 2, 16, 16), torch.rand(3, 16, 16) * 10
        optimiser, losses = torch.optim.Adam(net.parameters(), 0.03), []
        for _ in range(15):
            out = net(image)
            loss = (layer(*project(out[:, :3], out[:, 3:])) - wanted).square().mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        self.assertLess(losses[-1], 0.8 * losses[0])


class Errors(unittest.TestCase):
    def test_second_derivative_says_so(self):
        G, b = tensors(*rough())
        for result in zt.solve(G, b, SOURCES), zt.project(G, b)[0], zt.to_zermelo(G, b)[0]:
            first, = torch.autograd.grad(result.square().sum(), G, create_graph=True)
            with self.assertRaisesRegex(NotImplementedError, "first derivatives only"):
                first.sum().backward()
        with self.assertRaises(NotImplementedError):
            gradgradcheck(lambda G: zt.solve(G, None, SOURCES), (G,))

    def test_change_in_place_between_the_passes_is_noticed(self):
        G, _ = tensors(*rough())
        T = zt.solve(G, None, SOURCES)
        with torch.no_grad():
            G += 1
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            T.sum().backward()

    def test_wrong_tensors(self):
        G, b = rough()
        with self.assertRaisesRegex(TypeError, "G is torch.int64 on cpu"):
            zt.solve(torch.ones(4, 4, dtype=torch.int64), None, SOURCES)
        with self.assertRaisesRegex(TypeError, "G is ndarray"):
            zt.solve(G, None, SOURCES)
        with self.assertRaisesRegex(TypeError, "on meta"):
            zt.solve(torch.ones(4, 4, device="meta"), None, SOURCES)
        with self.assertRaisesRegex(ValueError, r"b has shape \(2, 3, 3\)"):
            zt.solve(torch.tensor(G), torch.ones(2, 3, 3), SOURCES)
        with self.assertRaisesRegex(TypeError, "thread"):
            zt.EikonalLayer(SOURCES, thread=2)
        for wrong in dict(stencils="wide"), dict(order=4), dict(factor=-1.0), dict(periodic="z"), \
                dict(spacing=0.0), dict(spacing="coords"), dict(threads=-1), dict(cost="most"), \
                dict(sources=[]), dict(sources=[(1, 2, 3, 4)]), dict(walls=[1, 0]), \
                dict(max_iterations=0), dict(t_max=float("nan")), dict(sources=[(-1, 0)]), \
                dict(sources=[(0, 0), (2, -0.1)]), dict(sources=[(float("nan"), 0)]), \
                dict(sources=[(0, 0, float("inf"))]), dict(sources=torch.tensor([[[-1.0, 2.0]]])), \
                dict(starts=[2.0, 1.0]):
            with self.subTest(wrong), self.assertRaises(ValueError):
                zt.EikonalLayer(**wrong)
        with self.assertRaises(zermelo.UnsupportedError):
            zt.EikonalLayer(starts=[0.0], order=2)
        zt.EikonalLayer([(0, 0, -3.0), (0.5, 1e6)])
        for wrong in dict(eig_min=0.0), dict(eig_min=2.0, eig_max=1.0), dict(rho=1.0):
            with self.subTest(wrong), self.assertRaises(ValueError):
                zt.Projection(**wrong)
        for name in "eig_min", "eig_max", "rho":
            for make in zt.Projection, zt.nn.LogCholesky, zt.nn.LogEuclidean, zt.nn.Zermelo:
                with self.assertRaisesRegex(zermelo.ArgumentError, f"^{name} is '2', expected"):
                    make(**{name: "2"})
        with self.assertRaisesRegex(zermelo.ArgumentError, "^eccentricity is '1', expected a num"):
            zt.nn.Fire(eccentricity="1")
        for make in (zt.nn.LogCholesky, zt.nn.LogEuclidean, lambda drift: zermelo.parametrise(
                np.zeros((5, 2, 2)), drift=drift)):
            for drift in "no", 1, None:
                with self.assertRaisesRegex(zermelo.ArgumentError, "drift is .*True or False"):
                    make(drift=drift)
        zt.EikonalLayer(torch.zeros(5, 6, dtype=torch.bool), walls=torch.zeros(5, 6), order=2,
                        periodic="xy", targets=[(3, 3)])
        with self.assertRaises(zermelo.MetricError):
            zt.solve(-torch.tensor(G), None, SOURCES)

    # They would come back None, and what they belong to would never learn.
    def test_arguments_without_derivatives_may_not_need_them(self):
        G = torch.ones(2, 1, 4, 5, dtype=torch.float64, requires_grad=True)
        free = torch.zeros(5, 4, 5)
        zero, half, ones = (torch.tensor(x, dtype=torch.float64, requires_grad=True)
                            for x in (0.0, 0.5, np.ones((4, 5))))

        def solve(**words):
            return zt.solve(G[0], None, (0, 0), **words)
        calls = [
            ("starts", lambda: zt.solve(G, None, (0, 0), starts=[0.0, half])),
            ("starts", lambda: zt.solve(G, None, (0, 0), starts=torch.stack([zero, half]))),
            ("starts", lambda: zt.EikonalLayer((0, 0), starts=[half])),
            ("walls", lambda: solve(walls=ones - 1)), ("walls", lambda: zt.EikonalLayer(walls=ones)),
            ("stopped", lambda: solve(starts=[0.0], stopped=ones - 1)),
            ("spacing", lambda: solve(spacing=half)), ("spacing", lambda: solve(spacing=(half, 1.0))),
            ("t_max", lambda: solve(t_max=half)), ("factor", lambda: solve(factor=half)),
            ("start", lambda: zt.parametrise(free, start=half)),
            ("slowness", lambda: zt.nn.Fire(half))]
        for name in "rho", "eig_min", "eig_max":
            calls += [(name, lambda name=name: zt.project(G, **{name: half})),
                      (name, lambda name=name: zt.Projection(**{name: half})),
                      (name, lambda name=name: zt.parametrise(free, **{name: half})),
                      (name, lambda name=name: zt.nn.Zermelo(**{name: half}))]
        for name, call in calls:
            with self.subTest(name), self.assertRaisesRegex(
                    TypeError, f"^{name} needs gradients, and only (G|free).* ha(ve|s) "):
                call()
        with fwad.dual_level(), self.assertRaisesRegex(TypeError, "^rho needs gradients"):
            zt.project(G, rho=fwad.make_dual(half.detach(), zero.detach() + 1))
        self.assertEqual(zt.project(G, rho=half.detach()).shape, (2, 1, 4, 5))
        solve(walls=ones.detach() - 1, t_max=half.detach(), spacing=half.detach())

    def test_ten_thousand_calls_leave_no_memory_behind(self):
        import gc
        import resource
        G, b = tensors(*rough(9, 9))
        param, free = zt.nn.LogCholesky(), torch.randn(1, 5, 9, 9, requires_grad=True)

        def many(n):
            for _ in range(n):
                G.grad = b.grad = free.grad = None
                zt.solve(G, b, SOURCES).sum().backward()
                zt.solve(*param(free), [(1, 1)]).sum().backward()
            gc.collect()
            with open("/proc/self/statm", encoding="ascii") as statm:
                return int(statm.read().split()[1]) * resource.getpagesize()
        before = many(1000)
        self.assertLess(many(5000) - before, 1 << 20)  # T alone would be 5 MB


if __name__ == "__main__":
    main()
