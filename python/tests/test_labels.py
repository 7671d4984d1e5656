# SPDX-License-Identifier: Apache-2.0
"""xarray, rasterio and what quacks like them: coordinates come back."""
import types
import unittest

import numpy as np

import zermelo
from _common import main, smooth_problem

try:
    import xarray
except ImportError:
    xarray = None
try:
    import rasterio
    import rasterio.io
except ImportError:
    rasterio = None

G, b = smooth_problem(5, 6)
T = zermelo.solve(G, b, [(1, 2)], spacing=(10.0, 20.0))


class Duck:
    """What is used of a DataArray, for machines without xarray."""

    def __init__(self, data, dims, coords=None):
        self.values, self.dims, self.coords = np.asarray(data), tuple(dims), coords or {}
        self.name, self.attrs = "G", {"unit": "s2/m2"}

    ndim = property(lambda self: self.values.ndim)
    shape = property(lambda self: self.values.shape)
    sizes = property(lambda self: dict(zip(self.dims, self.shape)))

    def __array__(self, dtype=None):
        return np.asarray(self.values, dtype)

    def isel(self, indexers, drop=False):
        at = tuple(indexers.get(name, slice(None)) for name in self.dims)
        left = [name for name, i in zip(self.dims, at) if isinstance(i, slice)]
        return Duck(self.values[at], left, {k: np.asarray(v)[indexers.get(k, slice(None))]
                                            for k, v in self.coords.items() if k in left})

    def __getitem__(self, i):
        return self.isel({self.dims[0]: i})

    def copy(self, data):
        assert data.shape == self.shape
        return Duck(data, self.dims, self.coords)


COORDS = {"y": 50.0 - 10.0 * np.arange(5), "x": 20.0 * np.arange(6), "plane": [11, 12, 22]}


class Xarray(unittest.TestCase):
    """With Duck; Real below repeats it with xarray."""

    make = staticmethod(Duck)

    def test_coordinates_come_back_and_give_the_spacing(self):
        field = self.make(G, ("plane", "y", "x"), COORDS)
        for spacing in (10.0, 20.0), "coords":
            out = zermelo.solve(field, b, [(1, 2)], spacing)
            self.assertIsInstance(out, type(field))
            self.assertEqual((out.dims, out.name, out.attrs), (("y", "x"), "arrival_time", {}))
            np.testing.assert_array_equal(out.values, T)
            np.testing.assert_array_equal(out.coords["y"], COORDS["y"])

    def test_scalar_field_and_batches(self):
        scalar = self.make(G[0], ("y", "x"))
        self.assertEqual(zermelo.solve(scalar, None, (1, 2)).dims, ("y", "x"))
        batch = self.make(G[None], ("day", "plane", "y", "x"))
        self.assertEqual(zermelo.solve(batch, b, (1, 2)).dims, ("day", "y", "x"))
        days = self.make(np.stack([G, 2 * G, 3 * G]), ("day", "plane", "y", "x"),
                         {**COORDS, "day": [4, 5, 6]})
        whole = zermelo.solve(days, b, (1, 2), solution=True)
        one, some = whole[1], whole[1:]
        self.assertEqual((one.T.dims, some.labels.dims), (("y", "x"), ("day", "y", "x")))
        np.testing.assert_array_equal(some.T.coords["day"], [5, 6])
        np.testing.assert_array_equal(some.T, np.asarray(whole.T)[1:])
        self.assertEqual(one.vjp(np.ones((5, 6)))[0].dims, ("plane", "y", "x"))
        many = zermelo.solve(scalar, None, [[(1, 2)], [(3, 3)]])
        self.assertEqual((many.dims, many.shape), (("problem", "y", "x"), (2, 5, 6)))

    def test_solution_and_projection(self):
        field = self.make(G, ("plane", "y", "x"), COORDS)
        s = zermelo.solve(field, b, [(1, 2)], "coords", solution=True)
        dG, _ = s.vjp(np.ones((5, 6)))
        self.assertEqual((dG.dims, s.T.dims, s.labels.dims, s.jvp(dG).dims),
                         (("plane", "y", "x"), *[("y", "x")] * 3))
        self.assertEqual(zermelo.project(field, eig_min=1.0).dims, ("plane", "y", "x"))

    def test_drift_walls_and_sources_may_be_such_arrays_too(self):
        walls = self.make(np.zeros((5, 6), bool), ("y", "x"))
        mask = np.zeros((5, 6), bool)
        mask[1, 2] = True
        out = zermelo.solve(G, self.make(b, ("c", "y", "x")), self.make(mask, ("y", "x")),
                            (10.0, 20.0), walls)
        np.testing.assert_array_equal(out, T)

    def test_uneven_coordinates_are_refused(self):
        for coords, why in (({"y": np.arange(5) ** 2, "x": np.arange(6)}, "'y' are not evenly"),
                            ({}, "no coordinates")):
            with self.assertRaisesRegex(ValueError, why):
                zermelo.solve(self.make(G[0], ("y", "x"), coords), None, (1, 2), "coords")

    def test_inversion(self):
        times = self.make(zermelo.solve(np.ones((5, 6)), None, (1, 2)), ("y", "x"), COORDS)
        found = zermelo.invert(zermelo.Experiment((1, 2), times))
        self.assertEqual((found.G.dims, found.times().dims), (("y", "x"), ("y", "x")))


@unittest.skipUnless(xarray, "no xarray here (Debian: python3-xarray)")
class Real(Xarray):
    @staticmethod
    def make(data, dims, coords=None):
        coords = {k: v for k, v in (coords or {}).items() if k in dims}
        return xarray.DataArray(data, dims=dims, coords=coords, attrs={"unit": "s2/m2"})


class Rasterio(unittest.TestCase):
    """A dataset as rasterio opens it, with a cell of no data."""

    def dataset(self, a, hidden):
        transform = types.SimpleNamespace(a=20.0, b=0.0, d=0.0, e=-10.0)
        return types.SimpleNamespace(
            read=lambda masked: np.ma.masked_array(a, mask=hidden), transform=transform,
            crs="EPSG:32611", height=5, width=6)

    def test_bands_are_planes_and_no_data_is_a_wall(self):
        hidden = np.zeros((3, 5, 6), bool)
        hidden[0, 4, 5] = True
        out = zermelo.solve(self.dataset(G, hidden), b, [(1, 2)], "coords")
        self.assertIsInstance(out, zermelo.Raster)
        self.assertEqual(out[4, 5], np.inf)
        self.assertEqual(out[1, 3], T[1, 3])
        self.assertEqual((out.profile["crs"], out.profile["dtype"], out.profile["count"]),
                         ("EPSG:32611", "float64", 1))
        self.assertEqual((out + 1).profile["crs"], "EPSG:32611")

    def test_labels_can_be_written_too(self):
        s = zermelo.solve(self.dataset(G, np.zeros((3, 5, 6), bool)), b, (1, 2), solution=True)
        self.assertEqual((s.labels.profile["dtype"], s.labels.profile["nodata"]), ("int32", -1))

    def test_too_many_bands(self):
        with self.assertRaisesRegex(ValueError, "4 bands"):
            zermelo.solve(self.dataset(np.ones((4, 5, 6)), np.zeros((4, 5, 6), bool)), None, (1, 2))

    @unittest.skipUnless(rasterio, "no rasterio here (Debian: python3-rasterio)")
    def test_times_are_written_where_the_metric_was_read(self):
        transform = rasterio.transform.from_origin(100.0, 900.0, 20.0, 10.0)
        profile = dict(driver="GTiff", width=6, height=5, count=3, dtype="float64",
                       crs="EPSG:32611", transform=transform, nodata=-9999.0)
        with rasterio.io.MemoryFile() as file, rasterio.io.MemoryFile() as result:
            with file.open(**profile) as out:
                out.write(G)
            with file.open() as dataset:
                times = zermelo.solve(dataset, b, [(1, 2)], "coords")
            with result.open(**times.profile) as out:
                out.write(times, 1)
            with result.open() as dataset:
                self.assertEqual((dataset.transform, dataset.crs.to_epsg()), (transform, 32611))
                np.testing.assert_array_equal(dataset.read(1), T)


if __name__ == "__main__":
    main()
