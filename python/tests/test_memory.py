# SPDX-License-Identifier: Apache-2.0
"""Calls without end do not fill the memory."""
import gc
import os
import unittest
import warnings
import weakref

import numpy as np

import zermelo
from _common import main, smooth_problem

CALLS = 10_000
MOST_GROWTH = 1 << 20  # bytes
SHAPE = (9, 9)
G, B = smooth_problem(*SHAPE)
ONES = np.ones(SHAPE)


def resident():
    """Bytes of this process in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def solution():
    s = zermelo.solve(G, B, [(1, 1), (7, 3)], solution=True)
    s.vjp(ONES, sources=True)
    s.jvp(G)
    s.path((8, 8))
    return s.flow, s.labels, s.stencils, s.residual(), s.iterations


def refused():
    for call in (lambda: zermelo.solve(-G, B, (1, 1)), lambda: zermelo.solve(G, B, (99, 1)),
                 lambda: zermelo.solve(G, B[:, :3], (1, 1)), lambda: zermelo.solve(G, B, (1, 1), order=4),
                 lambda: zermelo.solve(G, B, (1, 1), out=np.empty(3))):
        try:
            call()
        except zermelo.Error:
            pass


OUT = np.empty(SHAPE)
KINDS = {
    "solve": (1, lambda: zermelo.solve(G, B, (1, 1))),
    "out": (1, lambda: zermelo.solve(G, B, (1, 1), out=OUT)),
    "derivatives, paths and fields": (10, solution),
    "batch": (2, lambda: zermelo.solve(G, B, [[(1, 1)], [(2, 2), (3, 3)]], threads=2)),
    "intervals": (4, lambda: zermelo.solve(np.stack([G, G]), B, (1, 1), starts=[0.0, 2.0],
                                           solution=True).vjp(ONES)),
    "second order": (4, lambda: zermelo.solve(G, B, (1, 1), order=2)),
    "errors": (5, refused),
    "projection": (2, lambda: zermelo.project(G, B)),
}


@unittest.skipUnless(os.path.exists("/proc/self/statm"), "no /proc here")
class Memory(unittest.TestCase):
    def test_ten_thousand_calls_take_less_than_a_megabyte(self):
        warnings.simplefilter("ignore")
        for name, (calls_each, call) in KINDS.items():
            for _ in range(300):
                call()
            gc.collect()
            before = resident()
            for _ in range(CALLS // calls_each):
                call()
            gc.collect()
            with self.subTest(name):
                self.assertLess(resident() - before, MOST_GROWTH)

    def test_inversions_give_their_memory_back(self):
        seen = zermelo.Experiment((3, 3), zermelo.solve(np.ones(SHAPE), None, (3, 3)), sigma=0.1)

        def run():
            zermelo.invert([seen], shape=SHAPE, max_iterations=1).std(samples=2)
        for _ in range(10):
            run()
        gc.collect()
        before = resident()
        for _ in range(100):
            run()
        gc.collect()
        self.assertLess(resident() - before, MOST_GROWTH)

    def test_an_inversion_whose_monitor_refers_to_it_is_freed(self):
        seen, known = zermelo.Experiment((3, 3), ONES, sigma=0.1), []

        def monitor(_):
            return known and False
        known.append(zermelo.invert([seen], shape=SHAPE, max_iterations=1, monitor=monitor))
        gone = weakref.ref(known[0])
        del known, monitor
        gc.collect()
        self.assertIsNone(gone())


class Unaligned(unittest.TestCase):
    def test_arrays_at_any_address(self):
        def moved(a):
            copy = np.frombuffer(bytearray(a.nbytes + 1), a.dtype, a.size, offset=1).reshape(a.shape)
            copy[...] = a
            self.assertFalse(copy.flags.aligned)
            return copy
        s = zermelo.solve(G, B, (1, 1), solution=True)
        np.testing.assert_array_equal(zermelo.solve(moved(G), moved(B), (1, 1)), s.T)
        np.testing.assert_array_equal(s.vjp(moved(ONES))[0], s.vjp(ONES)[0])
        with self.assertRaisesRegex(zermelo.ArgumentError, "not aligned"):
            zermelo.solve(G, B, (1, 1), out=moved(ONES))


if __name__ == "__main__":
    main()
