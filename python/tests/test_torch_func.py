# SPDX-License-Identifier: Apache-2.0
"""Transforms of derivatives: vmap, Jacobians, products, tracing; and refusal of second ones."""
import threading
import types
import unittest

from _torch import SOURCES, rough, tensors, torch
from torch.autograd import functional

import numpy as np

import zermelo.torch as zt
from _common import main
from zermelo.torch import _linear, _op
from zermelo.torch._cells import Parametrise
from zermelo.torch._solve import Solve
from zermelo._parametrise import Parametrisation

try:
    import functorch
except ImportError:
    functorch = getattr(torch, "func", None)
try:
    from torch.fx.experimental.proxy_tensor import make_fx
except ImportError:
    make_fx = None


def solve_act():
    return Solve(SOURCES, None, None, None, None,
                 (None, 1, "adaptive", 1, None, "", None, None, 0.0, 100_000, None, "mean"),
                 "propagate")


def info(n):
    return types.SimpleNamespace(batch_size=n, randomness="error")


class Functional(unittest.TestCase):
    """torch.autograd.functional, which every torch has."""

    def setUp(self):
        self.G, self.b = (torch.tensor(a) for a in rough(4, 5))

    def f(self, G, b):
        return zt.solve(G, b, [(1, 3)])

    # J'c is linear in c, so that its derivative by c is J: the double-backward trick.
    def test_jvp_and_vjp_are_transposes(self):
        v = torch.randn_like(self.G), torch.randn_like(self.b)
        c = torch.randn(4, 5, dtype=torch.float64)
        T, dT = functional.jvp(self.f, (self.G, self.b), v)
        _, (dG, db) = functional.vjp(self.f, (self.G, self.b), c)
        self.assertTrue(torch.equal(T, self.f(self.G, self.b)))
        self.assertAlmostEqual(float((dT * c).sum()), float((dG * v[0]).sum() + (db * v[1]).sum()))

    def test_all_rows_of_a_jacobian_at_once(self):
        """Whatever takes cotangents or tangents: solve, maps, projection, conversion; with sources
        of another type than the metric."""
        free, rates = torch.randn(5, 3, 4, dtype=torch.float64), 1 + torch.rand(2, 3, 4)
        param, places = zt.nn.LogCholesky(), torch.tensor([[1.3, 2.4, 0.5]])
        for f, inputs in ((self.f, (self.G, self.b)), (lambda p: zt.solve(*param(p), (1, 1)), free),
                          (lambda G, s: zt.solve(G, None, s), (self.G.float(), places)),
                          (lambda p: zt.project(p[:3], p[3:])[0], free),
                          (lambda r: zt.fire_ellipse(r[0], 0.5, 0.25, r[1])[1], rates)):
            wanted = functional.jacobian(f, inputs)
            for mode in "reverse-mode", "forward-mode":
                found = functional.jacobian(f, inputs, vectorize=True, strategy=mode)
                torch.testing.assert_close(found, wanted, msg=lambda m: f"{mode}: {m}")

    def test_jacobians_by_both_modes_agree(self):
        by_reverse = functional.jacobian(self.f, (self.G, self.b))
        with torch.autograd.forward_ad.dual_level():
            for k in range(3):
                d = torch.zeros_like(self.G)
                d[k, 2, 2] = 1
                dual = torch.autograd.forward_ad.make_dual(self.G, d)
                dT = torch.autograd.forward_ad.unpack_dual(self.f(dual, self.b)).tangent
                torch.testing.assert_close(dT, by_reverse[0][:, :, k, 2, 2])

    # What is linear in the times has no second derivative but that of the times: refused.
    def test_second_derivatives_are_refused(self):
        for f in (lambda G: self.f(G, self.b).square().sum(),
                  lambda G: zt.project(G, self.b, eig_min=1.0)[0].square().sum(),
                  lambda G: zt.parametrise(G)[0].square().sum()):
            G = self.G if f(self.G) is not None else None
            with self.assertRaisesRegex(NotImplementedError, "first derivatives only"):
                functional.hvp(f, G, torch.ones_like(G))
            with self.assertRaisesRegex(NotImplementedError, "first derivatives only"):
                functional.hessian(f, G)

    # Products with the Gauss-Newton matrix J' J need first derivatives alone.
    def test_gauss_newton_products(self):
        v = torch.randn_like(self.G)
        _, dT = functional.jvp(lambda G: self.f(G, self.b), self.G, v)
        _, product = functional.vjp(lambda G: self.f(G, self.b), self.G, dT)
        J = functional.jacobian(lambda G: self.f(G, self.b), self.G).reshape(20, -1)
        torch.testing.assert_close(product.reshape(-1), J.T @ (J @ v.reshape(-1)))

    # A Hessian with respect to what comes after the times is not ours to refuse.
    def test_second_derivatives_of_what_follows_are_free(self):
        T = self.f(self.G, self.b).detach()
        scale = torch.tensor(2.0, dtype=torch.float64)
        self.assertAlmostEqual(float(functional.hessian(lambda s: (s * T).square().sum(), scale)),
                               float(2 * T.square().sum()))


class Rules(unittest.TestCase):
    """The static methods that torch 2 calls, called as it does."""

    def test_vmap_is_a_loop(self):
        G = torch.stack([torch.tensor(rough(seed=k)[0]) for k in range(3)], dim=1)
        b = torch.tensor(rough()[1])
        T, dim = _linear.Value.vmap(info(3), (None, 1, None, None), solve_act(), G, b, None)
        self.assertEqual(dim, 0)
        for k in range(3):
            torch.testing.assert_close(T[k], zt.solve(G[:, k], b, SOURCES))

    def test_vmap_of_derivatives_is_a_loop(self):
        G, b = (torch.tensor(a) for a in rough())
        act = solve_act()
        act.value(G, b, None)
        J = functional.jacobian(lambda G: zt.solve(G, b, SOURCES), G).reshape(42, 3, 6, 7)
        rows = torch.eye(42, dtype=torch.float64).reshape(42, 6, 7)
        (dG, db, dS), dims = _linear.Pull.vmap(info(42), (None, 0, None, None, None), act, rows, G, b,
                                               None)
        self.assertEqual(dims, (0, 0, None))
        torch.testing.assert_close(dG, J)
        unit = torch.zeros(3, 3, 6, 7, dtype=torch.float64)
        unit[0, 0, 1, 1] = unit[1, 2, 3, 3] = unit[2, 1, 5, 6] = 1
        dT, _ = _linear.Push.vmap(info(3), (None, 0, None, None, None, None, None), act, unit, None,
                                  None, G, b, None)
        for k, at in enumerate([(0, 1, 1), (2, 3, 3), (1, 5, 6)]):
            torch.testing.assert_close(dT[k].reshape(-1), J[(slice(None), *at)])

    # At other places than that of the record it is made again.
    def test_a_derivative_elsewhere_is_that_of_elsewhere(self):
        G, b = (torch.tensor(a) for a in rough())
        act, other = solve_act(), G + 0.3
        act.value(G, b, None)
        g = torch.ones(6, 7, dtype=torch.float64)
        wanted = solve_act().pull((other, b, None), (g,))
        torch.testing.assert_close(act.pull((other, b, None), (g,))[0], wanted[0])
        batch = torch.stack([G, other])
        (dG, _, _), _ = _linear.Pull.vmap(info(2), (None, None, 0, None, None), act, g, batch, b, None)
        torch.testing.assert_close(dG[1], wanted[0])

    # A thread that comes back with the record of one place while another has solved at its own.
    def test_threads_may_ask_at_several_places(self):
        G, b = (torch.tensor(a) for a in rough())
        other, g = G + 0.3, torch.ones(6, 7, dtype=torch.float64)
        solved, go_on = threading.Event(), threading.Event()

        class Slow(Solve):
            def run(self, at, *rest):
                found = super().run(at, *rest)
                if torch.equal(at, G):
                    solved.set()
                    go_on.wait(60)
                return found
        act = Slow(*solve_act().arguments)
        first = threading.Thread(target=act.pull, args=((G, b, None), (g,)))
        first.start()
        solved.wait(60)
        act.pull((other, b, None), (g,))
        go_on.set()
        first.join()
        wanted = solve_act().pull((other, b, None), (g,))
        self.assertTrue(torch.equal(act.pull((other, b, None), (g,))[0], wanted[0]))

    # torch 2 gives forward no context, and setup_context what it needs.
    def test_setup_context_keeps_what_derivatives_need(self):
        G, b = (torch.tensor(a) for a in rough())
        act, kept = solve_act(), {}
        T, = act.value(G, b, None)
        ctx = types.SimpleNamespace(save_for_backward=lambda *t: kept.update(backward=t),
                                    save_for_forward=lambda *t: kept.update(forward=t),
                                    needs_input_grad=(False, True, False, False))
        _linear.Value.setup_context(ctx, (act, G, b, None), T)
        ctx.saved_tensors = kept["backward"]
        self.assertEqual(len(kept["forward"]), 3)
        with torch.no_grad():
            none, dG, db, dS = _linear.Value.backward(ctx, torch.ones_like(T))
            dT = _linear.Value.jvp(ctx, None, torch.ones_like(G), None, None)
        self.assertTrue(none is db is dS is None)
        wanted, = torch.autograd.grad(zt.solve(G.requires_grad_(), b, SOURCES).sum(), G)
        torch.testing.assert_close(dG, wanted)
        self.assertAlmostEqual(float(dT.sum()), float(wanted.sum()))

    def test_cells_have_the_same_rules(self):
        free = torch.randn(4, 5, 3, 3, dtype=torch.float64)
        act = Parametrise(Parametrisation(), True)
        (G, b), dims = _linear.Value.vmap(info(4), (None, 0), act, free)
        self.assertEqual(dims, (0, 0))
        wanted = zt.parametrise(free)
        torch.testing.assert_close(G, wanted[0])
        torch.testing.assert_close(b, wanted[1])

    @unittest.skipUnless(_linear.MODERN, "torch.func needs torch 2")
    def test_torch_func(self):
        from torch import func
        G = torch.stack([torch.tensor(rough(4, 5, k)[0]) for k in range(3)])
        f = lambda g: zt.solve(g, None, [(1, 3)])
        wanted = torch.stack([functional.jacobian(f, g) for g in G])
        torch.testing.assert_close(func.vmap(f)(G), zt.solve(G, None, [(1, 3)]))
        for jacobian in func.jacrev(f), func.jacfwd(f):
            torch.testing.assert_close(func.vmap(jacobian)(G), wanted)
        with self.assertRaises(NotImplementedError):
            func.hessian(f)(G[0])


class Operator(unittest.TestCase):
    """torch.ops.zermelo.solve, for compilers."""

    def setUp(self):
        self.G, self.b = tensors(*rough())
        self.S, self.options = _op.options_of(SOURCES, (6, 7), spacing=(1.0, 2.0))

    def solve(self, G, b, S):
        return torch.ops.zermelo.solve(G, b, S, None, None, None, None, self.options)

    def test_values_and_derivatives_are_those_of_solve(self):
        self.assertTrue(torch.equal(self.solve(self.G, self.b, self.S),
                                    zt.solve(self.G, self.b, SOURCES, (1.0, 2.0))))
        self.assertTrue(torch.autograd.gradcheck(lambda G, b: self.solve(G, b, self.S),
                                                 (self.G, self.b)))
        dT = torch.ops.zermelo.solve_jvp(torch.ones_like(self.G), None, None, self.G, self.b, self.S,
                                         None, None, None, None, self.options)
        _, wanted = functional.jvp(lambda G: self.solve_plain(G), self.G.detach(),
                                   torch.ones_like(self.G))
        torch.testing.assert_close(dT, wanted)

    def solve_plain(self, G):
        return zt.solve(G, self.b.detach(), SOURCES, (1.0, 2.0))

    def test_shapes_are_known_without_values(self):
        for G, b, options, shape in (
                (self.G, self.b, self.options, (6, 7)), (self.G[None].expand(4, 3, 6, 7), None,
                                                         self.options, (4, 6, 7)),
                (self.G, None, '{"own": true, "counts": [1, 1]}', (2, 6, 7))):
            T = torch.ops.zermelo.solve(G.to("meta"), None if b is None else b.to("meta"),
                                        self.S.to("meta"), None, None, None, None, options)
            self.assertEqual((tuple(T.shape), T.device.type), (shape, "meta"))

    def test_second_derivatives_are_refused(self):
        dG, = torch.autograd.grad(self.solve(self.G, self.b, self.S).sum(), self.G, create_graph=True)
        with self.assertRaisesRegex(NotImplementedError, "first derivatives only"):
            dG.sum().backward()

    @unittest.skipUnless(make_fx, "this torch has no make_fx")
    def test_tracers_see_one_operator(self):
        walls = np.zeros((6, 7), bool)
        walls[3, 3] = True

        def loss(G):
            return zt.solve(G, (0.1, 0.0), SOURCES, walls=walls, threads=2).square().sum()

        def slope(G):
            return torch.autograd.grad(loss(G), G)[0]
        for f in loss, slope:
            graph = make_fx(f)(self.G)
            self.assertIn("zermelo.solve", graph.code)
            other = tensors(rough(seed=5)[0])[0]
            torch.testing.assert_close(graph(other), f(other))

    def test_a_trace_computes_and_is_not_a_constant(self):
        def times(G):
            return zt.solve(G, None, SOURCES)
        trace = torch.jit.trace(times, self.G.detach())
        other = tensors(rough(seed=5)[0])[0]
        torch.testing.assert_close(trace(other), times(other))
        slopes = [torch.autograd.grad(f(other).square().sum(), other)[0] for f in (trace, times)]
        torch.testing.assert_close(*slopes)

    @unittest.skipUnless(functorch and not _linear.MODERN, "functorch of torch 1.13")
    def test_vmap_of_functorch(self):
        G = torch.stack([torch.tensor(rough(seed=k)[0]) for k in range(3)])
        T = functorch.vmap(lambda g: zt.solve(g, None, SOURCES))(G)
        torch.testing.assert_close(T, zt.solve(G, None, SOURCES))
        places = torch.tensor([[[1.0, 2.0]], [[3.0, 4.0]]])
        T = functorch.vmap(lambda s: zt.solve(G[0], None, s))(places)
        torch.testing.assert_close(T, torch.stack([zt.solve(G[0], None, s) for s in places]))
        with self.assertRaisesRegex(RuntimeError, "autograd.Function"):
            functorch.grad(lambda g: zt.solve(g, None, SOURCES).sum())(G[0])


if __name__ == "__main__":
    main()
