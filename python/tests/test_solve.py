# SPDX-License-Identifier: Apache-2.0
"""zermelo.solve: shapes, types, sources, options."""
import copy
import multiprocessing
import pickle
import subprocess
import sys
import threading
import unittest
import warnings

import numpy as np

import zermelo
from _common import main, smooth_problem

SOURCES = [(3, 4), (20, 30)]


class Times(unittest.TestCase):
    def test_constant_medium_has_the_closed_form_along_the_axes(self):
        T = zermelo.solve(np.full((5, 9), 4.0), (0.5, 0.0), [(2, 4, 10.0)], spacing=(3.0, 2.0))
        np.testing.assert_allclose(T[2], 10 + 2 * np.array([10, 7.5, 5, 2.5, 0, 1.5, 3, 4.5, 6]))
        np.testing.assert_allclose(T[4, 4], 10 + 6 * 2.0)

    def test_float32_and_float64_keep_their_type(self):
        for dtype in np.float32, np.float64:
            G, b = smooth_problem(24, 33, dtype=dtype)
            self.assertEqual(zermelo.solve(G, b, SOURCES).dtype, dtype)
        exact = zermelo.solve(*smooth_problem(24, 33), SOURCES)
        rounded = zermelo.solve(*smooth_problem(24, 33, dtype=np.float32), SOURCES)
        np.testing.assert_allclose(rounded, exact, rtol=1e-5)

    def test_other_types_are_converted(self):
        G, b = smooth_problem(24, 33)
        mixed = zermelo.solve(G.astype(np.float32), b, SOURCES)
        self.assertEqual(mixed.dtype, np.float64)
        self.assertEqual(zermelo.solve(np.ones((4, 4), int), None, [(0, 0)]).dtype, np.float64)
        self.assertEqual(zermelo.solve(np.ones((4, 4), np.float16), None, [(0, 0)]).dtype,
                         np.float32)
        swapped = G.astype(G.dtype.newbyteorder())
        np.testing.assert_array_equal(zermelo.solve(swapped, b, SOURCES),
                                      zermelo.solve(G, b, SOURCES))

    def test_scalar_diagonal_and_full_metric_agree_where_they_mean_the_same(self):
        g = smooth_problem(24, 33)[0][0]
        full = zermelo.solve(np.stack([g, 0 * g, g]), None, SOURCES)
        np.testing.assert_allclose(zermelo.solve(g, None, SOURCES), full, rtol=1e-13)
        np.testing.assert_allclose(zermelo.solve(np.stack([g, g]), None, SOURCES), full, rtol=1e-13)
        np.testing.assert_allclose(zermelo.solve(g[None], None, SOURCES), full, rtol=1e-13)

    def test_arrays_that_are_not_contiguous_give_the_same(self):
        G, b = smooth_problem(24, 33)
        T = zermelo.solve(G, b, SOURCES)
        wide = np.zeros((3, 24, 66))
        wide[:, :, ::2] = G
        together = np.concatenate([G, b])
        for g, d in ((wide[:, :, ::2], b), (np.asfortranarray(G), np.asfortranarray(b)),
                     (together[:3], together[3:])):
            np.testing.assert_array_equal(zermelo.solve(g, d, SOURCES), T)
        last = np.moveaxis(np.ascontiguousarray(np.moveaxis(G, 0, -1)), -1, 0)
        np.testing.assert_array_equal(zermelo.solve(last, b, SOURCES), T)

    def test_read_only_arrays_are_taken_and_nothing_is_written_to_inputs(self):
        G, b = smooth_problem(24, 33)
        G.flags.writeable = b.flags.writeable = False
        zermelo.solve(G, b, SOURCES)

    def test_no_copy_is_made_of_planes_in_one_piece(self):
        G, b = smooth_problem(24, 33)
        channels = np.concatenate([G, b])[None]
        setup = zermelo._setup.Setup(channels[:, :3], channels[:, 3:], SOURCES, 1.0, None)
        self.assertTrue(np.shares_memory(setup.g, channels))
        self.assertTrue(np.shares_memory(setup.b, channels))

    def test_other_byte_orders_keep_their_precision(self):
        G, b = smooth_problem(9, 9)
        for dtype in np.float32, np.float64:
            here, there = G.astype(dtype), G.astype(np.dtype(dtype).newbyteorder("S"))
            T = zermelo.solve(there, None, [(3, 4)])
            self.assertEqual(T.dtype, dtype)
            np.testing.assert_array_equal(T, zermelo.solve(here, None, [(3, 4)]))

    # The solve would overwrite what it still has to read.
    def test_out_that_is_an_input_is_refused_and_not_touched(self):
        b = np.full((2, 9, 9), 0.1)
        field, flat = np.ones((9, 9)), np.ones(100)
        for G, out in (field, field), (np.ones((9, 9)), b[0]), (flat[:81].reshape(9, 9),
                                                                flat[19:].reshape(9, 9)):
            kept = out.copy()
            with self.assertRaisesRegex(zermelo.ArgumentError, "out shares memory with [Gb]"):
                zermelo.solve(G, b, [(3, 4)], out=out)
            np.testing.assert_array_equal(out, kept)
        zermelo.solve(flat[:81].reshape(9, 9), None, [(3, 4)], out=np.empty(200)[:81].reshape(9, 9))

    # Those that are converted first too: the caller's own would be overwritten.
    def test_out_that_is_another_argument_is_refused_and_not_touched(self):
        ones, field = np.ones((9, 9)), np.zeros((9, 9))
        rows = field.reshape(-1)[:6].reshape(2, 3)
        for name, arguments in (
                ("walls", {"walls": field}), ("walls", {"walls": field.view(bool)[:, :9]}),
                ("sources", {"sources": rows}), ("sources", {"sources": [rows[0], (3, 4)]}),
                ("starts", {"starts": field[0, :1]}),
                ("stopped", {"starts": [0.0], "stopped": field})):
            with self.subTest(name), self.assertRaisesRegex(
                    zermelo.ArgumentError, f"out shares memory with {name}"):
                zermelo.solve(ones, None, **{"sources": [(3, 4)], **arguments}, out=field)
            self.assertFalse(field.any())

    def test_numbers_of_a_constant_drift_have_no_type_of_their_own(self):
        for kind in "<f4", ">f4", "<f8":
            G, wanted = np.ones((9, 9), kind), np.dtype(kind).newbyteorder("=")
            for b in (0.1, 0.0), [0.1, 0.0], 0.1, 0, np.float64(0.1), (np.float64(0.1), 0):
                with self.subTest(kind=kind, b=b):
                    s = zermelo.solve(G, b, (0, 0), solution=True)
                    self.assertEqual(s.T.dtype, wanted)
                    self.assertEqual({d.dtype for d in s.vjp(np.ones((9, 9)))}, {wanted})
                    for pair in (zermelo.from_zermelo(G, b), zermelo.to_zermelo(G, b),
                                 zermelo.project(G, b)):
                        self.assertEqual({a.dtype for a in pair}, {wanted})
                    self.assertEqual(zermelo.to_fire_ellipse(G, b, tilt=1.0).head.dtype, wanted)
            self.assertEqual(zermelo.solve(G, np.array([0.1, 0.0]), (0, 0)).dtype, np.float64)
        with self.assertRaises(zermelo.MetricError):  # infinite in float32
            zermelo.solve(np.ones((9, 9), "f4"), 1e300, (0, 0))

    def test_out_is_filled_and_returned(self):
        G, b = smooth_problem(24, 33)
        out = np.empty((24, 33))
        self.assertIs(zermelo.solve(G, b, SOURCES, out=out), out)
        np.testing.assert_array_equal(out, zermelo.solve(G, b, SOURCES))


class Sources(unittest.TestCase):
    def test_all_ways_to_name_sources_agree(self):
        g = np.ones((8, 9))
        mask = np.zeros((8, 9), bool)
        mask[1, 2] = mask[5, 6] = True
        T = zermelo.solve(g, None, [(1, 2), (5, 6)])
        for sources in ([(1, 2, 0.0), (5, 6)], np.array([[1, 2], [5, 6]]), mask,
                        ((1, 2), [5, 6, 0])):
            np.testing.assert_array_equal(zermelo.solve(g, None, sources), T)
        np.testing.assert_array_equal(zermelo.solve(g, None, (1, 2)),
                                      zermelo.solve(g, None, [[1, 2]]))

    def test_each_problem_of_a_batch_may_have_its_own(self):
        g = np.ones((8, 9))
        lists = [[(1, 2)], [(5, 6), (0, 0, 1.5)]]
        masks = np.zeros((2, 8, 9), bool)
        masks[0, 1, 2] = masks[1, 5, 6] = True
        T = zermelo.solve(g, None, lists)
        self.assertEqual(T.shape, (2, 8, 9))
        for one, sources in zip(T, lists):
            np.testing.assert_array_equal(one, zermelo.solve(g, None, sources))
        np.testing.assert_array_equal(zermelo.solve(g, None, masks)[1],
                                      zermelo.solve(g, None, (5, 6)))

    def test_sources_between_cells(self):
        T = zermelo.solve(np.ones((9, 9)), None, (4.25, 4.5), stencils="adaptive", order=2,
                          factor=np.inf)
        y, x = np.mgrid[0:9, 0:9]
        np.testing.assert_allclose(T, np.hypot(y - 4.25, x - 4.5), rtol=1e-12)


class Batches(unittest.TestCase):
    def test_a_batch_is_its_problems_one_by_one(self):
        many = [smooth_problem(24, 33, seed) for seed in range(3)]
        G, b = (np.stack(part) for part in zip(*many))
        walls = np.zeros((3, 24, 33), bool)
        walls[1, 5:20, 12] = True
        T = zermelo.solve(G, b, SOURCES, walls=walls, threads=2)
        for i in range(3):
            np.testing.assert_array_equal(T[i], zermelo.solve(G[i], b[i], SOURCES, walls=walls[i]))

    def test_what_has_no_batch_axis_is_shared(self):
        G, b = smooth_problem(24, 33)
        drifts = np.stack([b, -b])
        T = zermelo.solve(G, drifts, SOURCES)
        np.testing.assert_array_equal(T[1], zermelo.solve(G, -b, SOURCES))
        np.testing.assert_array_equal(zermelo.solve(G[None], drifts, SOURCES), T)

    # What is asked after the solve comes from the record of each problem: it is what that problem
    # alone gives, bit for bit, whatever the others are.
    def test_fields_and_paths_of_a_batch_are_those_of_its_problems(self):
        problems = [smooth_problem(24, 31, seed) for seed in (1, 2, 3)]
        G, b = np.stack([g for g, _ in problems]), np.stack([d for _, d in problems])
        sources = [[(3, 4)], [(20, 5), (2, 28)], [(12.25, 15.5)]]
        whole = zermelo.solve(G, b, sources, solution=True)
        point = (17.5, 22.25)
        for k in range(3):
            alone = zermelo.solve(G[k], b[k], sources[k], solution=True)
            for field in "labels", "flow":
                np.testing.assert_array_equal(getattr(whole, field)[k], getattr(alone, field))
            for mine, own in zip(whole.stencils, alone.stencils):
                np.testing.assert_array_equal(mine[k], own)
            np.testing.assert_array_equal(whole.residual()[k], alone.residual())
            np.testing.assert_array_equal(whole.path(point, item=k), alone.path(point))
        np.testing.assert_array_equal(whole.path(point, item=-1), whole.path(point, item=2))
        with self.assertRaisesRegex(zermelo.ArgumentError, "a batch of 3 problems.*item=0 to 2"):
            whole.path(point)
        for item in 3, -4:
            with self.assertRaisesRegex(IndexError, f"item is {item}"):
                whole.path(point, item=item)

    def test_slices_of_a_batch_are_batches(self):
        problems = [smooth_problem(24, 33, seed) for seed in (1, 2, 3, 4)]
        G, b = np.stack([g for g, _ in problems]), problems[0][1]
        walls = np.zeros((4, 24, 33), bool)
        walls[2, 5:20, 12] = True
        own = [[(3, 4)], [(20, 5), (2, 28)], [(12, 15)], [(1, 1), (2, 30), (22, 3)]]
        for sources in own, SOURCES:
            whole = zermelo.solve(G, b, sources, walls=walls, solution=True)
            for part in slice(1, 3), slice(3, None), slice(None, None, -2), slice(1, 2):
                some = whole[part]
                self.assertEqual(len(some), len(whole.T[part]))
                np.testing.assert_array_equal(some.T, whole.T[part])
                np.testing.assert_array_equal(some.labels, whole.labels[part])
            with self.assertRaisesRegex(zermelo.ArgumentError, "leaves none of the 4"):
                whole[4:]
        shared = zermelo.solve(G[0], b, own, solution=True)  # the batch is in the sources alone
        np.testing.assert_array_equal(shared[1:3].T, shared.T[1:3])

    def test_what_is_no_problem_of_a_batch(self):
        s = zermelo.solve(np.ones((3, 1, 4, 5)), None, (0, 0), solution=True)
        for item, error in ((3, IndexError), (-4, IndexError), (1.5, zermelo.ArgumentError),
                            ((0, 1), zermelo.ArgumentError), ([0], zermelo.ArgumentError)):
            with self.assertRaisesRegex(error, "^item is "):
                s[item]
        self.assertEqual(s[np.int8(-1)].T.shape, (4, 5))

    def test_copies_and_pickles_of_a_solution_are_solutions(self):
        G, b = smooth_problem(9, 11)
        walls = np.zeros((9, 11), bool)
        walls[4, 3:8] = True
        timed = np.stack([G, 2 * G])
        sources = [[(0, 0)], [(3, 3), (8, 8, 0.5)], [(1.5, 2.5)]]
        for s in (zermelo.solve(G, b, (0, 0), walls=walls, order=2, solution=True),
                  zermelo.solve(G[None], b, sources, solution=True, progress=lambda part: None)[1:],
                  zermelo.solve(timed, b, (0, 0), starts=[0.0, 3.0], solution=True)):
            for again in pickle.loads(pickle.dumps(s)), copy.deepcopy(s), copy.copy(s):
                np.testing.assert_array_equal(again.T, s.T)
                for found, wanted in zip(again.vjp(s.T), s.vjp(s.T)):
                    np.testing.assert_array_equal(found, wanted)

    def test_fields_of_a_batch_of_one_keep_its_axis(self):
        G, b = smooth_problem(24, 33)
        s = zermelo.solve(G[None], b, SOURCES, solution=True)
        self.assertEqual(s.labels.shape, (1, 24, 33))
        self.assertEqual(s.flow.shape, (1, 2, 24, 33))
        self.assertEqual(s.stencils.codes.shape, (1, 24, 33))
        self.assertEqual(s.path((5, 5)).shape[1], 3)

    def test_a_batch_of_one_keeps_its_axis(self):
        G, b = smooth_problem(24, 33)
        self.assertEqual(zermelo.solve(G[None], b, SOURCES).shape, (1, 24, 33))


class Options(unittest.TestCase):
    def test_walls_hold_and_their_values_are_ignored(self):
        g = np.ones((7, 7))
        walls = np.zeros((7, 7), np.uint8)
        walls[:, 3] = 1
        g[:, 3] = np.nan
        T = zermelo.solve(g, None, (3, 0), walls=walls)
        self.assertTrue(np.isinf(T[:, 3:]).all() and np.isfinite(T[:, :3]).all())

    def test_masked_cells_are_walls(self):
        g = np.ma.masked_less(np.arange(49.0).reshape(7, 7), 14)
        T = zermelo.solve(g, None, (6, 6))
        self.assertTrue(np.isinf(T[:2]).all() and np.isfinite(T[2:]).all())

    def test_stops(self):
        g = np.ones((30, 30))
        full = zermelo.solve(g, None, (0, 0))
        early = zermelo.solve(g, None, (0, 0), t_max=7.5)
        np.testing.assert_array_equal(early, np.where(full <= 7.5, full, np.inf))
        aimed = zermelo.solve(g, None, (0, 0), targets=[(3, 4), (0, 2)])
        self.assertEqual(aimed[3, 4], full[3, 4])
        self.assertTrue(np.isinf(aimed[29, 29]))
        few = zermelo.solve(g, None, (0, 0), max_cells=10)
        self.assertTrue(10 <= np.isfinite(few).sum() < 100)

    def test_spacing_may_be_any_number(self):
        g = np.ones((1, 3))
        for spacing in 2, 2.0, np.float32(2), np.array(2), (1, 2), np.array([1.0, 2.0]):
            self.assertEqual(zermelo.solve(g, None, (0, 0), spacing)[0, 2], 4.0)

    def test_closed_grid(self):
        T = zermelo.solve(np.ones((4, 10)), None, (0, 1), periodic="x")
        self.assertEqual(T[0, 9], 2.0)

    def test_strong_metric_gains_from_adaptive_stencils(self):
        angle, ratio = np.pi / 6, 100.0
        c, s = np.cos(angle), np.sin(angle)
        G = np.array([c * c + ratio * s * s, (1 - ratio) * c * s, s * s + ratio * c * c])
        field = np.broadcast_to(G[:, None, None], (3, 61, 61))
        y, x = np.mgrid[-30:31, -30:31]
        exact = np.sqrt(G[0] * x * x + 2 * G[1] * x * y + G[2] * y * y)
        errors = []
        for stencils in "fixed", "adaptive":
            solution = zermelo.solve(field, None, (30, 30), stencils=stencils, solution=True)
            errors.append(np.linalg.norm(solution.T - exact))
        self.assertLess(errors[1], errors[0] / 3)
        self.assertEqual(solution.method, "adaptive blocks")

    def test_factoring_goes_with_the_order(self):
        y, x = np.mgrid[-100:101, -100:101]
        exact = np.hypot(x, y)
        errors = {}
        for options in {"order": 1}, {"order": 2}, {"order": 2, "factor": 0.0}:
            T = zermelo.solve(np.ones((201, 201)), None, (100, 100), **options)
            errors[tuple(options.values())] = np.linalg.norm(T - exact) / np.linalg.norm(exact)
        self.assertLess(errors[2,], 1e-12)
        self.assertLess(errors[2,], errors[1,])
        self.assertGreater(errors[2, 0.0], errors[1,])
        np.testing.assert_array_equal(zermelo.solve(np.ones((9, 9)), None, (4, 4)),
                                      zermelo.solve(np.ones((9, 9)), None, (4, 4), factor=0))
        self.assertRaises(zermelo.ArgumentError, zermelo.solve, np.ones((9, 9)), None, (4, 4),
                          factor=-1.0)

    def test_threads(self):
        G, b = smooth_problem(150, 170)
        T = zermelo.solve(G, b, SOURCES)
        for threads in 2, 0:
            np.testing.assert_allclose(zermelo.solve(G, b, SOURCES, threads=threads), T, rtol=1e-12)

    def test_too_few_iterations_are_a_warning_at_the_call(self):
        G, b = smooth_problem(100, 100)
        with self.assertWarns(zermelo.NotConvergedWarning) as caught:
            solution = zermelo.solve(G, b, SOURCES, max_iterations=1, solution=True)
        self.assertEqual(caught.filename, __file__)
        self.assertFalse(solution.converged)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertRaises(zermelo.NotConvergedWarning, zermelo.solve, G, b, SOURCES,
                              max_iterations=1)


class Callbacks(unittest.TestCase):
    def test_progress_may_cancel_and_may_raise(self):
        g = np.ones((900, 900))  # closed: marched for a second, far longer than between two questions
        seen = []
        with self.assertRaises(zermelo.Cancelled):
            zermelo.solve(g, None, (0, 0), order=2, periodic="x", progress=lambda f: seen.append(f) or True)
        self.assertTrue(len(seen) == 1 and 0 <= seen[0] <= 1)

        def fail(fraction):
            raise KeyError("mine")
        with self.assertRaises(KeyError):
            zermelo.solve(g, None, (0, 0), order=2, periodic="x", progress=fail)

    def test_solves_of_several_threads_do_not_mix(self):
        problems = [smooth_problem(60, 50, seed) for seed in range(4)]
        expected = [zermelo.solve(*p, SOURCES) for p in problems]
        found = {}

        def work(i):
            for k in range(20):
                found[i, k] = zermelo.solve(*problems[i], SOURCES)
        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for (i, _), T in found.items():
            np.testing.assert_array_equal(T, expected[i])

    def test_ctrl_c_interrupts_a_solve(self):
        code = """if True:
            import signal, threading, numpy as np, zermelo
            signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background: ignored
            threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
            try:
                while True:
                    zermelo.solve(np.ones((3000, 3000)), None, (0, 0), order=2)
            except KeyboardInterrupt:
                print("interrupted")
        """
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.stdout, "interrupted\n", run.stderr)

    def test_a_forked_process_does_not_wait_for_threads_that_are_gone(self):
        G, b = smooth_problem(150, 170)
        T = zermelo.solve(G, b, SOURCES, threads=2)
        with multiprocessing.get_context("fork").Pool(1) as pool:
            found = pool.apply_async(zermelo.solve, (G, b, SOURCES), {"threads": 2}).get(60)
        np.testing.assert_allclose(found, T, rtol=1e-12)


if __name__ == "__main__":
    main()
