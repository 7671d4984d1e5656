# SPDX-License-Identifier: Apache-2.0
"""Arrays that can be read in two ways: one rule each, and what is ambiguous is refused with both."""
import datetime
import re
import tempfile
import unittest

import numpy as np

import zermelo
from _common import main, smooth_problem

try:
    import torch
except ImportError:
    torch = None
try:
    import pandas
except ImportError:
    pandas = None

G, b = smooth_problem(7, 8)
g = np.ones((7, 8))
SOURCE = (3, 4)
T = zermelo.solve(G, b, SOURCE)


class Refused(unittest.TestCase):
    def refuses(self, error, parts, call):
        with self.subTest(parts[0]), self.assertRaises(error) as caught:
            call()
        for part in parts:
            with self.subTest(part, text=str(caught.exception)):
                self.assertIn(part, str(caught.exception))

    def test_planes_beside_an_axis_of_the_same_size(self):
        """Each of both readings, written as the message says, is accepted."""
        stack = np.stack([g, 0.1 * g, g])
        for other, options in (("b", dict(b=np.zeros((3, 2, 7, 8)))),
                               ("walls", dict(walls=np.zeros((3, 7, 8), bool))),
                               ("sources", dict(sources=[[(0, 0)], [(1, 1)], [(2, 2)]])),
                               ("starts", dict(starts=[0.0, 1.0, 2.0]))):
            options = {"b": None, "sources": SOURCE, **options}
            self.refuses(zermelo.ArgumentError,
                         [f"G has shape (3, 7, 8) and {other} has 3", "shape (1, 3, 7, 8)",
                          "shape (3, 1, 7, 8)"], lambda: zermelo.solve(stack, **options))
            zermelo.solve(stack[None], **options)
            zermelo.solve(stack[:, None], **options)
        self.refuses(zermelo.ArgumentError, ["shape (1, 2, 7, 8)", "shape (2, 1, 7, 8)"],
                     lambda: zermelo.solve(stack[::2], np.zeros((2, 2, 7, 8)), SOURCE))
        zermelo.solve(stack, np.zeros((2, 2, 7, 8)), SOURCE)  # two problems, three planes
        zermelo.solve(stack[:1], np.zeros((1, 2, 7, 8)), SOURCE)  # no matter how it is read

    def test_three_scalar_fields_that_are_no_metric(self):
        """The message of the metric has the reading as a batch too."""
        self.refuses(zermelo.MetricError,
                     ["not positive definite at row 0, col 0", "G of shape (3, 7, 8)",
                      "shape (3, 1, 7, 8)"],
                     lambda: zermelo.solve(np.stack([g, 2 * g, 3 * g]), None, SOURCE))
        with self.assertRaises(zermelo.MetricError) as caught:
            zermelo.solve(np.stack([g, -2 * g, g]), None, SOURCE)
        self.assertNotIn("scalar fields", str(caught.exception))  # -2 is no scalar metric either
        self.assertEqual(caught.exception.cell, (0, 0))

    def test_as_many_sources_as_problems(self):
        many = np.ones((2, 1, 7, 8))
        for sources in np.array([[1, 1], [5, 5]]), [[1, 1], [5, 5]], np.ones((2, 3)):
            self.refuses(zermelo.ArgumentError, ["sources are 2 places", "G has 2 problems",
                                                 "[sources]", "[[s] for s in sources]"],
                         lambda: zermelo.solve(many, None, sources))
            shared = zermelo.solve(many, None, [sources])
            np.testing.assert_array_equal(shared[0], shared[1])
            own = zermelo.solve(many, None, [[s] for s in sources])
            self.assertEqual([(t == t.min()).sum() for t in own], [1, 1])
        shared = zermelo.solve(many, None, [(1, 1), (5, 5)])  # tuples are places
        self.assertEqual([(t == 0).sum() for t in shared], [2, 2])

    def test_rows_and_columns_as_of_nonzero(self):
        """A tuple of two or three arrays of whole numbers."""
        s = zermelo.solve(G, b, SOURCE, solution=True)
        calls = {"sources": lambda at: zermelo.solve(G, b, at),
                 "targets": lambda at: zermelo.solve(G, b, SOURCE, targets=at),
                 "points": s.paths, "at": lambda at: s.jacobian("G", at=at)}
        for name, call in calls.items():
            two, many = (tuple(np.arange(n) for _ in range(2)) for n in (2, 6))
            self.refuses(zermelo.ArgumentError,
                         [f"{name} is a tuple of 2 arrays of shape (2,)", f"numpy.transpose({name})",
                          f"list({name}) for 2 places"], lambda: call(two))
            self.refuses(zermelo.ArgumentError,
                         [f"{name} is a tuple of 2 arrays of shape (6,)", "numpy.nonzero"],
                         lambda: call(many))
            call(np.transpose(two)), call(list(two)), call(np.transpose(many))
        self.refuses(zermelo.ArgumentError, ["points is a tuple of 2 arrays"], lambda: zermelo.invert(
            [zermelo.Experiment(SOURCE, [1.0, 2.0], tuple(np.ones((2, 2), int)))], shape=(7, 8)))
        zermelo.solve(G, b, tuple(np.ones((2, 2))))  # numbers that nonzero does not give

    @unittest.skipUnless(torch, "needs torch")
    def test_rows_and_columns_as_of_torch(self):
        mask = torch.eye(7, 8)[:, :2] == 1
        self.refuses(zermelo.ArgumentError, ["a tuple of 2 arrays of shape (2,)"],
                     lambda: zermelo.torch.solve(torch.tensor(G), None, torch.where(mask)))

    def test_tables_of_points_too(self):
        s = zermelo.solve(G, b, SOURCE, solution=True)
        table = np.array([(1, 2), (5, 3)], [("col", int), ("row", int)])
        wrong = np.array([(1, 2), (5, 3)], [("x", int), ("y", int)])
        calls = {"points": s.paths, "at": lambda at: s.jacobian("G", at=at) @ G.ravel(),
                 "targets": lambda at: zermelo.solve(G, b, SOURCE, targets=at)}
        for name, call in calls.items():
            np.testing.assert_equal(call(table), call([(2, 1), (3, 5)]))
            self.refuses(zermelo.ArgumentError, [f"{name} has the columns 'x', 'y', expected 'row'"],
                         lambda: call(wrong))
        seen = zermelo.Experiment(SOURCE, [1.0, 2.0], wrong)
        self.refuses(zermelo.ArgumentError, ["points has the columns 'x', 'y'"],
                     lambda: zermelo.invert([seen], shape=(7, 8)))

    def test_dates_and_durations(self):
        dates = np.array(["2026-07-01T00", "2026-07-01T01"], "M8[h]")
        changing = np.ones((2, 1, 7, 8))
        for what, call in (
                ("starts has dtype datetime64[h]",
                 lambda: zermelo.solve(changing, None, SOURCE, starts=dates)),
                ("starts has dtype timedelta64[h]",
                 lambda: zermelo.solve(changing, None, SOURCE, starts=dates - dates[0])),
                ("starts has dtype datetime64[h]",
                 lambda: zermelo.solve(changing, None, SOURCE, starts=list(dates))),
                ("t_max has dtype timedelta64[h]",
                 lambda: zermelo.solve(g, None, SOURCE, t_max=np.timedelta64(3, "h"))),
                ("a time of sources has dtype timedelta64[h]",
                 lambda: zermelo.solve(g, None, [(1, 1, np.timedelta64(3, "h"))])),
                ("a time of sources has dtype datetime64[h]",
                 lambda: zermelo.solve(g, None, [(1, 1, dates[0])])),
                ("sources has dtype datetime64[h]", lambda: zermelo.solve(g, None, dates)),
                ("G has dtype timedelta64[s]",
                 lambda: zermelo.solve(np.ones((7, 8), "m8[s]"), None, SOURCE))):
            self.refuses(TypeError, [what, "numpy.timedelta64(1, 's')"], call)
        T = zermelo.solve(changing, None, SOURCE,
                          starts=(dates - dates[0]) / np.timedelta64(1, "h"))
        self.assertEqual(T[3, 7], 3)
        for value in datetime.timedelta(hours=1), "soon", [1.0, 2.0]:
            with self.subTest(value), self.assertRaisesRegex((ValueError, TypeError), "t_max is"):
                zermelo.solve(g, None, SOURCE, t_max=value)

    def test_order_of_axes(self):
        self.refuses(zermelo.ArgumentError, ["G has shape (7, 8, 3)", "moveaxis(G, -1, -3)"],
                     lambda: zermelo.solve(np.moveaxis(G, 0, -1), None, SOURCE))
        self.refuses(zermelo.ArgumentError, ["b has shape (7, 8, 2)", "moveaxis(b, -1, -3)"],
                     lambda: zermelo.solve(G, np.moveaxis(b, 0, -1), SOURCE))
        self.refuses(zermelo.ArgumentError, ["b has shape (2, 8, 7)", "b.swapaxes(-1, -2)"],
                     lambda: zermelo.solve(G, b.swapaxes(1, 2), SOURCE))
        self.refuses(zermelo.ArgumentError, ["walls has shape (8, 7)", "walls.swapaxes(-1, -2)"],
                     lambda: zermelo.solve(G, b, SOURCE, walls=np.zeros((8, 7), bool)))
        self.refuses(zermelo.ArgumentError, ["G has shape (5, 7, 8)", "shape (5, 1, 7, 8)"],
                     lambda: zermelo.solve(np.ones((5, 7, 8)), None, SOURCE))

    def test_places_as_x_and_y(self):
        self.refuses(zermelo.SourceError, ["row 7.2, col 3", "0..6", "as (x, y) they would lie inside"],
                     lambda: zermelo.solve(g, None, (3, 7.2)[::-1]))
        with self.assertRaises(zermelo.SourceError) as caught:
            zermelo.solve(g, None, (9, 9))  # neither way
        self.assertNotIn("as (x, y)", str(caught.exception))
        self.refuses(zermelo.ArgumentError,
                     ["targets has (row, col) = (7, 3)", "7 x 8 cells", "as (x, y)"],
                     lambda: zermelo.solve(g, None, SOURCE, targets=[(7, 3)]))

    def test_masks_of_whole_numbers(self):
        grid = np.ones((6, 3))  # places are 2 or 3 numbers too
        mask = np.zeros((6, 3), int)
        mask[2, 1] = 1
        self.refuses(zermelo.SourceError, ["values 0 and 1", "sources == 1", "6 places"],
                     lambda: zermelo.solve(grid, None, mask))
        self.assertEqual(zermelo.solve(grid, None, mask == 1)[2, 1], 0)
        self.assertEqual(zermelo.solve(grid, None, mask.astype(float))[2, 1], 2)
        self.refuses(zermelo.SourceError, ["a mask has dtype bool", "sources == 1"],
                     lambda: zermelo.solve(g, None, g.astype(int)))
        listed = np.zeros((7, 8), bool)
        listed[SOURCE] = True
        np.testing.assert_array_equal(zermelo.solve(G, b, listed.tolist()), T)  # lists of bool
        self.refuses(zermelo.ArgumentError, ["targets == 1", "targets.tolist()"],
                     lambda: zermelo.solve(np.ones((6, 2)), None, (0, 0),
                                           targets=np.zeros((6, 2), int)))

    def test_walls_that_are_more_than_0_and_1(self):
        codes = np.zeros((7, 8))
        codes[1, 2] = 1
        np.testing.assert_array_equal(zermelo.solve(g, None, SOURCE, walls=codes),
                                      zermelo.solve(g, None, SOURCE, walls=codes == 1))
        for value, more in (7, "walls != 0"), (np.nan, "numpy.isnan(walls)"), (0.5, "0 and 1"):
            codes[5, 6] = value
            self.refuses(zermelo.ArgumentError, [f"walls has the value {value:g} at row 5, col 6",
                                                 more],
                         lambda: zermelo.solve(g, None, SOURCE, walls=codes))
        self.refuses(zermelo.ArgumentError, ["value 255 at row 5, col 6"],
                     lambda: zermelo.solve(g, None, SOURCE,
                                           walls=np.where(codes == 0.5, 255, 0).astype("u1")))

    def test_spacing(self):
        along_x = zermelo.solve(np.ones((1, 9)), None, (0, 0), spacing=(7.0, 2.0))
        self.assertEqual(along_x[0, 1], 2.0)  # (dy, dx)
        named = zermelo.solve(np.ones((1, 9)), None, (0, 0), spacing={"x": 2.0, "y": 7.0})
        np.testing.assert_array_equal(named, along_x)
        for spacing in (1, 2, 3), {"dx": 1.0}, "metres", None, [[1.0]], b"1", 1j, "2":
            if spacing is not None:
                with self.subTest(spacing), self.assertRaisesRegex(ValueError, "spacing .*dx"):
                    zermelo.solve(g, None, SOURCE, spacing=spacing)


class SameNumbers(unittest.TestCase):
    """However an array is kept: the same numbers give the same times, bit for bit."""

    def test_every_way_to_keep_them(self):
        big = np.empty((3, 7, 8), ">f8")
        big[...] = G
        still = G.copy()
        still.flags.writeable = False
        wide = np.zeros((3, 9, 20))
        wide[:, 1:8, 2:18:2] = G
        ways = {"Fortran order": np.asfortranarray(G), "big-endian": big, "read-only": still,
                "negative strides": G[:, ::-1, ::-1].copy()[:, ::-1, ::-1], "lists": G.tolist(),
                "a window": wide[:, 1:8, 2:18:2], "long double": G.astype(np.longdouble),
                "a masked array": np.ma.masked_array(G), "planes": list(G)}
        with tempfile.TemporaryFile() as file:
            kept = np.memmap(file, float, "w+", shape=G.shape)
            kept[...] = G
            for name, a in {**ways, "a memory map": kept}.items():
                with self.subTest(name):
                    np.testing.assert_array_equal(zermelo.solve(a, b, SOURCE), T)
                    np.testing.assert_array_equal(zermelo.solve(G, b, np.array(SOURCE, ">i2")), T)
        places = np.array([[3.0, 4.0, 0.0], [1.0, 6.0, 2.0]])
        for kept in np.array(places.T).T, places[::-1], places.repeat(2, axis=1)[:, ::2]:
            np.testing.assert_array_equal(zermelo.solve(G, b, kept), zermelo.solve(G, b, places))
            of_two = np.broadcast_to(kept, (2, 2, 3))
            np.testing.assert_array_equal(zermelo.solve(G, b, of_two)[1], zermelo.solve(G, b, places))
        single = zermelo.solve(G.astype(">f4"), b.astype(">f4"), SOURCE)
        self.assertEqual(single.dtype, np.dtype(np.float32))

    def test_what_is_no_array_of_numbers(self):
        table = np.zeros((7, 8), [("g11", float), ("g22", float)])
        for what, value in (("dtype bool", g == 1), ("dtype complex128", g * 1j),
                            ("dtype object", g.astype(object)), ("dtype <U3", g.astype("U3")),
                            ("dtype \\[\\('g11'", table), ("shape \\(\\)", 1.0),
                            ("no array", [[1.0, 2.0], [3.0]])):
            with self.subTest(what), self.assertRaisesRegex((TypeError, ValueError), "G .*" + what):
                zermelo.solve(value, None, SOURCE)
        self.assertEqual(zermelo.solve(np.matrix(g), None, SOURCE).shape, (7, 8))

        class Broken:
            def __array__(self, dtype=None):
                raise RuntimeError("the file is gone")
        with self.assertRaisesRegex(zermelo.ArgumentError, "walls is a Broken .*the file is gone"):
            zermelo.solve(g, None, SOURCE, walls=Broken())

    @unittest.skipUnless(pandas, "no pandas here (Debian: python3-pandas)")
    def test_tables_are_read_by_the_names_of_their_columns(self):
        table = pandas.DataFrame({"time": [0.5], "col": [4], "row": [3]})
        np.testing.assert_array_equal(zermelo.solve(G, b, table), T + 0.5)
        np.testing.assert_array_equal(zermelo.solve(G, b, table[["col", "row"]].to_records(False)),
                                      T)
        np.testing.assert_array_equal(zermelo.solve(G, b, pandas.DataFrame([SOURCE])), T)
        with self.assertRaisesRegex(zermelo.SourceError, "columns 'x', 'y', expected 'row', 'col'"):
            zermelo.solve(G, b, pandas.DataFrame({"x": [4], "y": [3]}))

    @unittest.skipUnless(torch, "no torch here (Debian: python3-torch)")
    def test_sources_of_a_layer_are_shared_whatever_the_size_of_a_batch(self):
        from zermelo.torch import EikonalLayer
        places = np.array([[1, 1], [5, 5]])
        for sources in places, torch.tensor(places), torch.tensor(places).double():
            layer = EikonalLayer(sources)
            for n in 1, 2, 3:
                T = layer(torch.ones(n, 1, 7, 8))
                self.assertEqual([int((t == 0).sum()) for t in T], [2] * n)

    @unittest.skipUnless(torch, "no torch here (Debian: python3-torch)")
    def test_tensors_have_no_gradients_here(self):
        np.testing.assert_array_equal(zermelo.solve(torch.tensor(G), torch.tensor(b), SOURCE), T)
        with self.assertRaisesRegex(TypeError, r"G is a Tensor of shape \(3, 7, 8\).*zermelo.torch"):
            zermelo.solve(torch.tensor(G, requires_grad=True), b, SOURCE)


if __name__ == "__main__":
    main()
