# SPDX-License-Identifier: Apache-2.0
"""The recipe for JAX of docs/torch.md: with JAX where there is one, and its parts without."""
import re
import sys
import types
import unittest
from unittest import mock

import numpy as np

import zermelo
from _common import ROOT, main, smooth_problem

try:
    import jax
except ImportError:
    jax = None


class StandIn:
    """The three things of JAX that the recipe calls, acting at once."""

    class ShapeDtypeStruct(types.SimpleNamespace):
        def __init__(self, shape, dtype):
            super().__init__(shape=tuple(shape), dtype=dtype)

    class custom_vjp:
        def __init__(self, function):
            self.function = function

        def __call__(self, *arguments):
            return self.function(*arguments)

        def defvjp(self, forward, backward):
            self.forward, self.backward = forward, backward

    @staticmethod
    def pure_callback(function, shapes, *arguments):
        out = function(*arguments)
        for found, wanted in zip(*((x if isinstance(x, tuple) else (x,)) for x in (out, shapes))):
            assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), "not as declared"
        return out


def recipe():
    text = (ROOT / "docs/torch.md").read_text(encoding="utf-8")
    block = re.search(r"^```python\n(import jax\n.*?)^```$", text, re.M | re.S)[1]
    names = {}
    exec(compile(block, "docs/torch.md", "exec"), names)
    return names["eikonal"]


class Recipe(unittest.TestCase):
    def setUp(self):
        self.G, self.b = smooth_problem(7, 8, dtype=np.float32)
        self.s = zermelo.solve(self.G, self.b, [(3, 2)], threads=2, solution=True)
        self.dG, self.db = self.s.vjp(2 * self.s.T)

    def test_with_a_stand_in_for_jax_values_and_derivatives_are_those_of_numpy(self):
        with mock.patch.dict(sys.modules, jax=StandIn):
            times = recipe()([(3, 2)], threads=2)
            T, kept = times.forward(self.G, self.b)
            np.testing.assert_array_equal(T, self.s.T)
            dG, db = times.backward(kept, 2 * T)
            np.testing.assert_array_equal(dG, self.dG)
            np.testing.assert_array_equal(db, self.db)
            batch = times(np.stack([self.G] * 2), self.b[None])
            np.testing.assert_array_equal(batch[1], T)

    @unittest.skipUnless(jax, "no jax here (Debian 12 has none)")
    def test_with_jax_gradients_are_those_of_numpy(self):
        times = recipe()([(3, 2)], threads=2)
        gradient = jax.jit(jax.grad(lambda G, b: (times(G, b) ** 2).sum(), argnums=(0, 1)))
        for found, wanted in zip(gradient(self.G, self.b), (self.dG, self.db)):
            np.testing.assert_allclose(found, wanted, rtol=1e-5)


if __name__ == "__main__":
    main()
