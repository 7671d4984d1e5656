# SPDX-License-Identifier: Apache-2.0
"""zermelo.invert."""
import signal
import threading
import unittest

import numpy as np

import zermelo
from _common import main

FRONTS = [(2, 2), (27, 3), (14, 28)]


def disc(n=30):
    y, x = np.mgrid[0:n, 0:n]
    return np.where(np.hypot(y - 13, x - 16) < 7, 2.5, 1.0)


def observations(truth, sigma=0.05, every=7, **drift):
    rng = np.random.default_rng(2)
    seen = []
    for source in FRONTS:
        T = zermelo.solve(truth, drift.get("b"), source)
        points = np.argwhere(rng.random(T.shape) < 1 / every)
        times = T[tuple(points.T)] + sigma * rng.normal(size=len(points))
        seen.append(zermelo.Experiment(source, times, points, sigma=sigma))
    return seen


class Invert(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.truth = disc()
        cls.found = zermelo.invert(observations(cls.truth), shape=(30, 30))

    def test_a_disc_is_found_from_noisy_times(self):
        error = np.linalg.norm(self.found.G - self.truth) / np.linalg.norm(self.truth)
        self.assertLess(error, 0.12)
        r = self.found.report
        self.assertTrue(0.6 < r.chi2 < 1.4 and r.experiments == 3 and r.stop in ("done", "fitted"))
        self.assertIsNone(self.found.b)

    def test_a_drift_to_start_from_needs_no_metric(self):
        b = np.stack([np.full((30, 30), 0.4), np.full((30, 30), -0.2)])
        seen = observations(2 * np.ones((30, 30)), b=b)
        options = dict(shape=(30, 30), unknown="isotropic+drift", max_iterations=1)
        cold = zermelo.invert(seen, **options).history["chi2"][0]
        self.assertLess(zermelo.invert(seen, start_b=b, **options).history["chi2"][0], 0.1 * cold)

    # Also with shapes that are wrong: what counts is the argument that was meant.
    def test_fields_that_are_not_used_are_refused(self):
        seen = observations(self.truth)
        ok, wrong = np.ones((30, 30)), np.ones((4, 5, 6))
        for unknown in "isotropic", "diagonal", "metric", "drift", "isotropic+drift", "all":
            metric, drift = unknown != "drift", unknown in ("drift", "isotropic+drift", "all")
            unused = ["G" if metric else "start_G", "b" if drift else "start_b"]
            for name in unused:
                meant = name[6:] if name.startswith("start_") else f"start_{name}"
                for field in ok, wrong:
                    with self.subTest(unknown=unknown, name=name), self.assertRaisesRegex(
                            zermelo.ArgumentError, f"^{name} is given, .*{unknown.split('+')[0]}"
                                                   f".* expected {meant}, if"):
                        zermelo.invert(seen, (30, 30), unknown=unknown, **{name: field})

    def test_messages_about_shapes_name_the_start(self):
        seen = observations(self.truth)
        for name, unknown, field in (
                ("start_G", "isotropic", np.ones((2, 3, 30, 30))), ("start_G", "all", np.ones(30)),
                ("start_b", "all", np.ones((3, 30, 30))), ("G", "drift", np.ones((2, 3, 30, 30))),
                ("b", "metric", np.ones((3, 30, 30)))):
            with self.subTest(name), self.assertRaisesRegex(zermelo.ArgumentError,
                                                            f"^{name} has shape"):
                zermelo.invert(seen, (30, 30), unknown=unknown, **{name: field})

    def test_history_times_and_uncertainty(self):
        history = self.found.history
        self.assertEqual(history["iteration"][0], 0)
        self.assertLess(history["chi2"][-1], history["chi2"][0])
        np.testing.assert_allclose(self.found.times(1), zermelo.solve(self.found.G, None, FRONTS[1]))
        std, none = self.found.std(samples=16)
        self.assertTrue(none is None and std.shape == (30, 30) and (std >= 0).all())
        with self.assertRaises(IndexError):
            self.found.times(3)

    def test_a_field_with_gaps_is_the_same_as_points(self):
        seen = []
        for e in observations(self.truth):
            field = np.full((30, 30), np.nan)
            field[tuple(e.points.T)] = e.times
            seen.append(zermelo.Experiment(e.sources, field, sigma=0.05))
        np.testing.assert_array_equal(zermelo.invert(seen).G, self.found.G)
        masked = [e._replace(times=np.ma.masked_invalid(e.times)) for e in seen]
        np.testing.assert_array_equal(zermelo.invert(masked).G, self.found.G)

    def test_a_drift_is_found_where_the_metric_is_known(self):
        b = (0.2, -0.1)
        found = zermelo.invert(observations(self.truth, b=b), (30, 30), unknown="drift",
                               G=self.truth, regulariser="h1")
        self.assertIsNone(found.G)
        np.testing.assert_allclose(found.b.mean(axis=(1, 2)), b, atol=0.03)

    def test_options_reach_the_library(self):
        seen = observations(self.truth)
        found = zermelo.invert(seen, (30, 30), unknown="diagonal", method="lbfgs", lam=0.5,
                               max_iterations=3, misfit="huber", threads=2)
        self.assertEqual((found.G.shape, found.report.method, found.report.stop, found.report.lam),
                         ((2, 30, 30), "lbfgs", "iterations", 0.5))

    def test_intervals(self):
        T = zermelo.solve(self.truth, None, FRONTS[0])
        look = np.ceil(T / 4) * 4
        found = zermelo.invert(zermelo.Experiment(FRONTS[0], np.maximum(look - 4, 0), None, look, 0.1))
        self.assertLess(found.report.chi2, 0.5)

    def test_monitor_stops_and_the_run_goes_on(self):
        told = []
        found = zermelo.invert(observations(self.truth), (30, 30),
                               monitor=lambda p: told.append(p) or len(told) == 4)
        self.assertEqual((found.report.stop, len(told)), ("stopped", 4))
        state = found.save()
        found.run()
        self.assertNotEqual(found.report.stop, "stopped")
        again = zermelo.invert(observations(self.truth), (30, 30), state=state)
        np.testing.assert_array_equal(again.G, found.G)
        with self.assertRaises(zermelo.StateError):
            zermelo.invert(observations(self.truth), (30, 30), state=state[:-1])
        np.testing.assert_allclose(found.G, self.found.G, rtol=1e-6)

        def fail(iteration):
            raise KeyError("mine")
        with self.assertRaises(KeyError):
            zermelo.invert(observations(self.truth), (30, 30), monitor=fail)

    # 20 * 31 does not fit into a byte: the cell of a point is computed in a larger type.
    def test_points_of_any_integer_type_are_the_same_cells(self):
        T = zermelo.solve(np.ones((40, 31)), None, (0, 0))
        rows, cols = np.mgrid[0:40:3, 0:31:3]
        points = np.column_stack([rows.ravel(), cols.ravel()])
        times = T[points[:, 0], points[:, 1]]
        found = [zermelo.invert(zermelo.Experiment((0, 0), times, points.astype(kind)),
                                shape=T.shape).G
                 for kind in (np.int64, np.uint8, np.int8, np.uint16, np.uint64)]
        for G in found[1:]:
            np.testing.assert_array_equal(G, found[0])

    def test_regularisers_are_those_of_the_tool(self):
        seen = observations(self.truth)
        free = zermelo.invert(seen, (30, 30), regulariser="none", max_iterations=3)
        zero = zermelo.invert(seen, (30, 30), lam=0.0, max_iterations=3)
        np.testing.assert_array_equal(free.G, zero.G)
        for kind in "frobenius-tv", "log-euclidean-tv":
            found = zermelo.invert(seen, (30, 30), unknown="metric", regulariser=kind,
                                   max_iterations=2)
            self.assertEqual(found.G.shape, (3, 30, 30))
        with self.assertRaisesRegex(zermelo.ArgumentError, "no strength"):
            zermelo.invert(seen, (30, 30), regulariser="none", lam=2.0)

    # inf is what solve writes where nothing arrives, and the tool reads it so as well.
    def test_times_that_are_inf_in_a_grid_are_not_observed(self):
        seen = zermelo.solve(np.ones((12, 12)), None, (0, 0))
        seen[:, 6:] = np.inf
        other = np.where(np.isinf(seen), np.nan, seen)
        with_inf, with_nan = (zermelo.invert(zermelo.Experiment((0, 0), T)) for T in (seen, other))
        np.testing.assert_array_equal(with_inf.G, with_nan.G)
        self.assertEqual(with_inf.report.observations, 72)
        seen[0, 1] = -np.inf
        with self.assertRaisesRegex(zermelo.ArgumentError, "-inf"):
            zermelo.invert(zermelo.Experiment((0, 0), seen))

    # Times of straight rays from sources between cells at any places: |x|.
    def test_sources_and_points_between_cells(self):
        rng = np.random.default_rng(3)
        seen = []
        for source in np.array([(5.5, 6.25), (24.3, 20.0)]):
            points = rng.uniform(0, 29, (150, 2))
            points = points[np.linalg.norm(points - source, axis=1) > 3]
            times = np.linalg.norm(points - source, axis=1)
            seen.append(zermelo.Experiment(source, times, points, sigma=0.05))
        found = zermelo.invert(seen, shape=(30, 30))
        self.assertLess(found.report.chi2, 1.5)
        np.testing.assert_allclose(found.G, 1, atol=0.2)
        residual = (found.predicted(1) - seen[1].times) / 0.05
        both = np.concatenate([(found.predicted(0) - seen[0].times) / 0.05, residual])
        self.assertAlmostEqual(np.mean(both ** 2), found.report.chi2)
        nearest = [e._replace(points=np.round(e.points)) for e in seen]
        self.assertGreater(zermelo.invert(nearest, shape=(30, 30)).report.chi2,
                           5 * found.report.chi2)
        with self.assertRaisesRegex(zermelo.SourceError, "adaptive stencils"):
            zermelo.invert(seen, shape=(30, 30), stencils="fixed")

    def test_points_outside_are_shown_in_both_readings(self):
        T = np.ones(2)
        for points, says in (([(3, 25.5), (2, 2)], r"\(3, 25.5\), outside of the 30 x 20 cells, rows 0 "
                                                   r"to 29 and columns 0 to 19; as \(x, y\)"),
                             ([(30, 3), (2, 25)], r"\(30, 3\), outside of the 30 x 20 cells, rows 0 "
                                                  r"to 29 and columns 0 to 19$"),
                             ([(np.nan, 3), (2, 2)], r"\(nan, 3\), outside")):
            with self.assertRaisesRegex(zermelo.ArgumentError, says):
                zermelo.invert(zermelo.Experiment((1, 1), T, points), shape=(30, 20))
        with self.assertRaisesRegex(zermelo.ArgumentError, r"expected \(n, 2\) numbers, row and col"):
            zermelo.invert(zermelo.Experiment((1, 1), T, [3, 2]), shape=(30, 20))

    # 9 : 1 along and across in slowness, turned: the eight neighbours explain it worse.
    def test_stencils_are_those_of_solve(self):
        c, s = np.cos(0.6), np.sin(0.6)
        g = 9 * c * c + s * s / 9, (9 - 1 / 9) * c * s, 9 * s * s + c * c / 9
        seen = []
        for row, col in (4, 5), (20, 6), (12, 20), (19, 18):
            y, x = np.mgrid[0:24, 0:24] - np.array([row, col])[:, None, None]
            T = np.sqrt(g[0] * x * x + 2 * g[1] * x * y + g[2] * y * y)
            seen.append(zermelo.Experiment((row, col), np.where(np.hypot(x, y) < 3, np.nan, T),
                                           sigma=0.3))
        error = {}
        for kind in "adaptive", "fixed":
            found = zermelo.invert(seen, unknown="metric", stencils=kind)
            error[kind] = np.abs(found.G.mean(axis=(1, 2)) - g).max()
        self.assertLess(error["adaptive"], 0.3 * error["fixed"])

    def test_the_l_curve_chooses_the_strength(self):
        seen = observations(self.truth, sigma=0.1)
        wrong = [e._replace(sigma=0.4) for e in seen]       # four times too large
        found = zermelo.invert(wrong, (30, 30), lam="lcurve", lcurve_points=7)
        self.assertEqual(len(found.curve.lam), 7)
        self.assertEqual(found.report.lam, found.curve.lam[found.curve.corner])
        self.assertEqual(found.report.lcurve_solves, found.curve.solves[-1])
        listed = zermelo.invert(wrong, (30, 30), lam=list(found.curve.lam))
        np.testing.assert_array_equal(listed.G, found.G)
        self.assertEqual(len(self.found.curve.lam), 0)
        for lam, says in ([1.0, 2.0, 3.0], "falling"), ([2.0, 1.0], "3"), ("corner", "lam"):
            with self.assertRaisesRegex(zermelo.ArgumentError, says):
                zermelo.invert(wrong, (30, 30), lam=lam)

    def test_a_run_that_was_stopped_says_so_wherever_it_was(self):
        """Also at the end of one run of an L-curve, where only that one is done."""
        for lam in "lcurve", "auto":
            def stopped_after(n):
                told = []
                found = zermelo.invert(
                    observations(self.truth), (30, 30), lam=lam, lcurve_points=3, max_iterations=2,
                    monitor=lambda iteration: told.append(iteration) or len(told) == n)
                return found.report.stop, len(told)
            end, n = stopped_after(0)
            self.assertEqual(end, "iterations")
            for k in range(1, n):
                with self.subTest(lam=lam, after=k):
                    self.assertEqual(stopped_after(k), ("stopped", k))

    def test_an_l_curve_that_was_stopped_goes_on(self):
        seen, told = observations(self.truth), []
        options = dict(lam="lcurve", lcurve_points=3, max_iterations=3)
        whole = zermelo.invert(seen, (30, 30), **options)
        found = zermelo.invert(seen, (30, 30), monitor=lambda p: told.append(p) or len(told) == 7,
                               **options)
        state = found.save()
        np.testing.assert_array_equal(found.run().G, whole.G)
        again = zermelo.invert(seen, (30, 30), state=state, **options)
        np.testing.assert_array_equal(again.G, whole.G)
        np.testing.assert_array_equal(again.curve.misfit, whole.curve.misfit)
        with self.assertRaisesRegex(zermelo.StateError, "other options"):
            zermelo.invert(seen, (30, 30), state=state, lam=2.0)

    def test_lcurve(self):
        found = zermelo.invert(observations(self.truth), (30, 30), lam=30.0)
        curve = found.lcurve([30.0, 3.0, 0.3])
        np.testing.assert_array_equal(curve.lam, [30, 3, 0.3])
        self.assertTrue((np.diff(curve.chi2) < 0).all() and 0 <= curve.corner < 3)
        self.assertAlmostEqual(found.report.chi2, curve.chi2[-1])


class Handles(unittest.TestCase):
    """One call at a time is at work on a handle."""

    def begun(self, monitor):
        """A run that was stopped at its start and calls `monitor` when it goes on."""
        self.monitor = lambda iteration: True
        found = zermelo.invert(observations(disc()), (30, 30), max_iterations=4,
                               monitor=lambda iteration: self.monitor(iteration))
        self.monitor = monitor
        return found

    # The monitor runs in the middle of a call on the handle.  To wait for the end of that call
    # would be to wait for ever: the test would hang, so it runs in a thread.
    def test_a_monitor_may_read_and_may_not_change(self):
        seen, refused = [], []

        def monitor(iteration):
            seen.append((len(found.history), found.save().size, found.times(1)[2, 2],
                         found._core.report()[4]))
            for call in found.run, found.std, lambda: found.lcurve([3.0, 1.0]), \
                    lambda: found._core.load(found.save()):
                with self.assertRaisesRegex(zermelo.StateError, "callback cannot change it"):
                    call()
                refused.append(call)
        found = self.begun(monitor)
        thread = threading.Thread(target=found.run, daemon=True)
        thread.start()
        thread.join(60)
        self.assertFalse(thread.is_alive(), "the monitor waits for its own run")
        self.assertEqual([length for length, *_ in seen], list(range(2, len(seen) + 2)))
        self.assertEqual(len(refused), 4 * len(seen))
        self.assertEqual(found.report.stop, "iterations")

    # A reader in another thread gets what the finished call has left, not what it is about to
    # leave.
    def test_readers_wait_for_the_run(self):
        for read in (lambda v: len(v.history)), (lambda v: v.save()[-1]):
            at_work, told = threading.Event(), []

            def monitor(iteration):
                at_work.set()
                told.append(threading.Event().wait(0.05))
            found = self.begun(monitor)
            thread = threading.Thread(target=found.run)
            thread.start()
            at_work.wait(60)
            value = read(found)
            self.assertEqual(len(told), 4)
            thread.join()
            self.assertEqual(value, read(found))

    def test_standard_deviations_tell_how_far_they_are_and_can_be_stopped(self):
        found = zermelo.invert(observations(disc()), (30, 30))
        told = []
        found.std(samples=400, progress=told.append)
        self.assertTrue(told and all(0 < f <= 1 for f in told) and told == sorted(told))
        with self.assertRaises(zermelo.Cancelled):
            found.std(samples=10_000, progress=lambda fraction: True)

        with self.assertRaisesRegex(zermelo.ArgumentError, "seed is -1"):
            found.std(seed=-1)

        def again(fraction):
            with self.assertRaises(zermelo.StateError):
                found.times(0)
            return True
        with self.assertRaises(zermelo.Cancelled):
            found.std(samples=10_000, progress=again)

    @unittest.skipUnless(hasattr(signal, "setitimer"), "no timer here")
    def test_ctrl_c_interrupts_standard_deviations(self):
        found = zermelo.invert(observations(disc()), (30, 30))
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with self.assertRaises(KeyboardInterrupt):
                found.std(samples=1_000_000)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


if __name__ == "__main__":
    main()
