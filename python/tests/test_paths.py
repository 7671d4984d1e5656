# SPDX-License-Identifier: Apache-2.0
"""Paths to many points are those to each, whatever threads, batch and number type."""
import signal
import threading
import unittest

import numpy as np

import zermelo
from _common import main, smooth_problem


def points_in(rows, cols, n, seed=3):
    return np.random.default_rng(seed).uniform(0, (rows - 1, cols - 1), (n, 2))


class Paths(unittest.TestCase):
    def check(self, solution, points, **options):
        ways = solution.paths(points, **options)
        self.assertEqual(len(ways), len(points))
        for point, way in zip(points, ways):
            np.testing.assert_array_equal(way, solution.path(tuple(point), **options))
        return ways

    def test_those_to_many_points_are_those_to_each(self):
        for dtype in np.float32, np.float64:
            for options in {}, {"threads": 2}, {"order": 2}, {"stencils": "fixed"}:
                with self.subTest(dtype=dtype, **options):
                    G, b = smooth_problem(40, 50, dtype=dtype)
                    s = zermelo.solve(G, b, [(3, 4), (30, 40)], solution=True, **options)
                    self.check(s, points_in(40, 50, 30))
                    self.check(s, points_in(40, 50, 5), straighten=False)

    def test_they_lead_from_a_source_to_the_point_in_order_of_time(self):
        G, b = smooth_problem(40, 50)
        s = zermelo.solve(G, b, [(3, 4, 2.5)], solution=True)
        points = points_in(40, 50, 20)
        for point, way in zip(points, s.paths(points)):
            np.testing.assert_allclose(way[0], [3, 4, 2.5])
            np.testing.assert_allclose(way[-1, :2], point)
            self.assertTrue((np.diff(way[:, 2]) > 0).all())

    def test_longer_than_the_room_that_is_guessed(self):
        """A spiral of walls makes paths of many times the sides of the grid."""
        walls = np.zeros((41, 41), bool)
        walls[1::2] = True
        walls[1::4, -1] = walls[3::4, 0] = False
        s = zermelo.solve(np.ones((41, 41)), None, (0, 0), walls=walls, solution=True)
        way, = self.check(s, [(40, 20)])
        self.assertGreater(len(way), 2)
        self.assertGreater(way[-1, 2], 800)

    def test_none_where_nothing_arrives_and_none_asked_for(self):
        walls = np.zeros((20, 20), bool)
        walls[:, 10] = True
        s = zermelo.solve(np.ones((20, 20)), None, (5, 5), walls=walls, solution=True)
        lengths = [len(way) for way in s.paths([(3, 3), (3, 15), (5, 5)])]
        self.assertEqual([lengths[0] > 1, lengths[1], lengths[2]], [True, 0, 1])
        self.assertEqual(s.paths([]), [])
        self.assertEqual(s.paths(np.empty((0, 2))), [])

    def test_of_one_problem_of_a_batch(self):
        s = zermelo.solve(np.ones((20, 20)), None, [[(0, 0)], [(19, 19)]], solution=True)
        for item, start in (0, 0), (1, 19), (-1, 19):
            for way in self.check(s, points_in(20, 20, 4), item=item):
                self.assertEqual(way[0, 0], start)
        with self.assertRaisesRegex(zermelo.ArgumentError, "item=0 to 1"):
            s.paths([(3, 3)])
        with self.assertRaises(IndexError):
            s.paths([(3, 3)], item=2)
        with self.assertRaisesRegex(zermelo.ArgumentError, "item is 0.5, expected a whole number"):
            s.paths([(3, 3)], item=0.5)

    def test_wrong_points_are_named(self):
        s = zermelo.solve(np.ones((20, 30)), None, (5, 5), solution=True)
        with self.assertRaisesRegex(zermelo.ArgumentError, r"point 1: .*row 3, col 30"):
            s.paths([(1, 1), (3, 30)])
        for points, message in (((1, 2), "path\\(\\)"), ([(1, 2, 3)], r"\(1, 3\).*row, col"),
                                ([(1, 2), (3,)], "list of"), ("ab", "list of"),
                                ([(np.nan, 2)], "point 0")):
            with self.subTest(points=points), \
                    self.assertRaisesRegex(zermelo.ArgumentError, message):
                s.paths(points)

    def test_progress_is_told_and_stops(self):
        s = zermelo.solve(np.ones((600, 600)), None, (0, 0), solution=True)
        points, told = np.random.default_rng(1).uniform(0, 599, (4000, 2)), []
        def stop(fraction):
            told.append(fraction)
            return len(told) == 3
        with self.assertRaises(zermelo.Cancelled):
            while True:  # it is called every now and then
                s.paths(points, progress=stop)
        self.assertTrue(all(0 <= f <= 1 for f in told))
        with self.assertRaisesRegex(zermelo.ArgumentError, "progress is 3"):
            s.paths(points[:2], progress=3)
        self.assertEqual(len(s.paths(points[:5], progress=False)), 5)

    @unittest.skipUnless(hasattr(signal, "setitimer"), "no timer here")
    def test_ctrl_c_interrupts(self):
        s = zermelo.solve(np.ones((600, 600)), None, (0, 0), solution=True)
        points = np.random.default_rng(1).uniform(0, 599, (4000, 2))
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with self.assertRaises(KeyboardInterrupt):
                while True:
                    s.paths(points)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def test_from_several_threads_of_python(self):
        G, b = smooth_problem(60, 60)
        s = zermelo.solve(G, b, (3, 4), solution=True, threads=2)
        points = points_in(60, 60, 40)
        expected, found = s.paths(points), [None] * 4

        def run(k):
            found[k] = s.paths(points)
        threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for ways in found:
            for way, wanted in zip(ways, expected):
                np.testing.assert_array_equal(way, wanted)


if __name__ == "__main__":
    main()
