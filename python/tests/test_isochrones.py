# SPDX-License-Identifier: Apache-2.0
"""Isochrones as polygons: area, nesting, holes, borders, validity, coordinates."""
import importlib.util
import json
import unittest
import warnings

import numpy as np

import zermelo
from _common import main, smooth_problem


def has(*names):
    return all(importlib.util.find_spec(name) for name in names)


needs_shapely = unittest.skipUnless(has("shapely"), "no shapely here (Debian: python3-shapely)")


def noise(rows, cols, seed):
    """Times without any order, some of them infinite or nan, and some equal."""
    rng = np.random.default_rng(seed)
    T = np.floor(8 * rng.random((rows, cols))) + (rng.random((rows, cols)) < 0.6) * rng.random((rows, cols))
    T[rng.random((rows, cols)) < 0.15] = np.inf
    T[rng.random((rows, cols)) < 0.05] = np.nan
    return T


class Areas(unittest.TestCase):
    def test_circles_and_ellipses_have_their_area(self):
        """{F <= t} around a source is an ellipse of area pi t^2 / det(A)^(1/2) (1 + m.b), A = G - bb',
        A m = b (docs/plot.md); order 2 is exact in constant media."""
        g11, g12, g22, b = 1.5, 0.4, 0.8, np.array([0.3, -0.2])
        G = np.empty((3, 121, 121))
        G[0], G[1], G[2] = g11, g12, g22
        T = zermelo.solve(G, tuple(b), (60, 60), order=2)
        A = np.array([[g11, g12], [g12, g22]]) - np.outer(b, b)
        unit = np.pi * (1 + b @ np.linalg.solve(A, b)) / np.sqrt(np.linalg.det(A))
        for t in 10.0, 20.0, 30.0:
            area, = zermelo.isochrones(T, [t]).areas
            self.assertAlmostEqual(area / (unit * t**2), 1, delta=2 / t**2)

    def test_area_is_that_of_the_cells_up_to_the_border(self):
        """A cell at the border is cut by less than one cell for each of its neighbours outside."""
        G, b = smooth_problem(60, 70)
        T = zermelo.solve(G, b, (20, 30))
        for t in np.linspace(1, np.max(T), 7):
            inside = np.pad(T <= t, 1)
            border = sum(int((inside != np.roll(inside, 1, axis)).sum()) for axis in (0, 1))
            area, = zermelo.isochrones(T, [t]).areas
            self.assertLess(abs(area - inside.sum()), border / 2)

    def test_a_later_isochrone_is_not_smaller(self):
        for seed in range(5):
            areas = zermelo.isochrones(noise(30, 40, seed), np.linspace(-1, 9, 30)).areas
            self.assertTrue((np.diff(areas) >= -1e-9).all())

    def test_spacing_and_coordinates_scale_the_area(self):
        T = np.hypot(*(np.mgrid[0:50, 0:60] - 25.0))
        plain = zermelo.isochrones(T, [10]).areas[0]
        self.assertAlmostEqual(zermelo.isochrones(T, [10], spacing=(2, 3)).areas[0], 6 * plain)
        s = zermelo.solve(np.ones((50, 60)), None, (25, 25), spacing=(2.0, 3.0), solution=True)
        self.assertAlmostEqual(s.isochrones([30]).areas[0],
                               zermelo.isochrones(s.T, [30], spacing=(2, 3)).areas[0])
        self.assertAlmostEqual(s.isochrones([30]).areas[0] / 6,
                               zermelo.isochrones(s, [30], coordinates="array").areas[0])


class Shapes(unittest.TestCase):
    def test_rings_are_closed_and_turn_as_geojson_wants(self):
        T = noise(25, 25, 3)
        for levels in zermelo.isochrones(T, [3, 5]), zermelo.isochrones(T[::-1], [3, 5], spacing=30):
            for part in levels:
                for rings in part.polygons:
                    for i, ring in enumerate(rings):
                        np.testing.assert_array_equal(ring[0], ring[-1])
                        x, y = ring.T
                        turn = np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])
                        self.assertEqual(turn > 0, i == 0)

    def test_obstacles_are_holes_and_the_border_of_the_grid_closes(self):
        walls = np.zeros((31, 31), bool)
        walls[10:15, 12:20] = True
        T = zermelo.solve(np.ones((31, 31)), None, (20, 5), walls=walls)
        (rings,), = (part.polygons for part in zermelo.isochrones(T, [np.inf]))
        self.assertEqual(len(rings), 2)
        np.testing.assert_array_equal(rings[0].min(axis=0), [-0.5, -0.5])
        np.testing.assert_array_equal(rings[0].max(axis=0), [30.5, 30.5])
        np.testing.assert_array_equal(rings[1].min(axis=0), [11.5, 9.5])
        np.testing.assert_array_equal(rings[1].max(axis=0), [19.5, 14.5])

    def test_a_saddle_joins_the_earlier_cells(self):
        T = np.array([[0.0, 9.0], [9.0, 0.0]])
        self.assertEqual(len(zermelo.isochrones(T, [5])[0].polygons), 1)
        self.assertEqual(len(zermelo.isochrones(9 - T, [5])[0].polygons), 1)

    @needs_shapely
    def test_polygons_of_noise_are_valid_nested_and_hold_their_cells(self):
        from shapely.geometry import Point
        from shapely.prepared import prep
        for seed in range(4):
            T = noise(20, 24, seed)
            shapes = zermelo.isochrones(T, [0, 1.5, 3, 4, 6, np.inf]).shapely()
            for shape, later in zip(shapes, shapes[1:]):
                self.assertTrue(shape.is_valid and later.is_valid)
                # walls are met halfway by both: there borders may differ by rounding
                self.assertLess(shape.difference(later).area, 1e-9)
            for level, shape in zip((0, 1.5, 3, 4, 6, np.inf), map(prep, shapes)):
                for (row, col), t in np.ndenumerate(T):
                    self.assertEqual(shape.contains(Point(col, row)),
                                     bool(np.isfinite(t) and t <= level))

    @needs_shapely
    def test_on_a_map_far_from_its_origin_they_stay_valid(self):
        """Coordinates of 10^7 leave ten digits for a fiftieth of a cell of 0.1."""
        from types import SimpleNamespace
        T = noise(60, 60, 7).view(zermelo.Raster)
        T.profile = {"transform": SimpleNamespace(a=0.1, b=0, c=4e6, d=0, e=-0.1, f=1e7), "crs": None}
        for shape in zermelo.isochrones(T, [6, 3]).shapely():
            self.assertTrue(shape.is_valid)
            self.assertTrue(4e6 <= shape.bounds[0] and shape.bounds[3] <= 1e7)


class Coordinates(unittest.TestCase):
    @unittest.skipUnless(has("xarray"), "no xarray here (Debian: python3-xarray)")
    def test_of_xarray_whichever_way_they_run(self):
        import xarray
        T = np.hypot(*(np.mgrid[0:41, 0:41] - 20.0))
        for y in 900.0 - 30.0 * np.arange(41), 900.0 + 30.0 * np.arange(41):
            labelled = xarray.DataArray(T, dims=("y", "x"),
                                        coords={"y": y, "x": 60 + 30.0 * np.arange(41)})
            part, = zermelo.isochrones(labelled, [10])
            (ring,), = part.polygons
            self.assertAlmostEqual(part.area, np.pi * 300**2, delta=0.01 * np.pi * 300**2)
            np.testing.assert_allclose(ring.mean(axis=0), [660, y[20]], atol=5)

    @unittest.skipUnless(has("geopandas", "pyproj", "xarray"), "needs geopandas and xarray "
                         "(Debian: python3-geopandas python3-xarray)")
    def test_a_geodataframe_has_the_coordinate_system_of_the_field(self):
        import pyproj
        import xarray
        wkt = pyproj.CRS.from_proj4("+proj=utm +zone=11 +datum=WGS84").to_wkt()
        T = xarray.DataArray(np.hypot(*(np.mgrid[0:41, 0:41] - 20.0)), dims=("y", "x"),
                             coords={"y": 4e6 - 30.0 * np.arange(41), "x": 4e5 + 30.0 * np.arange(41),
                                     "spatial_ref": ((), 0, {"crs_wkt": wkt})})
        frame = zermelo.isochrones(T, [5, 10]).geodataframe()
        self.assertEqual(list(frame.level), [5, 10])
        self.assertIn("UTM", frame.crs.to_wkt())
        self.assertTrue(np.allclose(frame.area, frame.geometry.area))

    def test_geojson_is_plain_and_complete(self):
        T = noise(20, 20, 1)
        found = zermelo.isochrones(T, [2, -5])
        text = json.loads(json.dumps(found.geojson()))
        self.assertEqual(text["type"], "FeatureCollection")
        first, empty = text["features"]
        self.assertEqual(first["properties"]["level"], 2)
        self.assertEqual(len(first["geometry"]["coordinates"]), len(found[0].polygons))
        self.assertEqual(empty["geometry"], {"type": "MultiPolygon", "coordinates": []})
        self.assertEqual(empty["properties"]["area"], 0)
        self.assertEqual(found.__geo_interface__["type"], "FeatureCollection")


class Arguments(unittest.TestCase):
    def test_levels_are_round_or_given(self):
        T = np.linspace(0, 97, 400).reshape(20, 20)
        self.assertEqual(list(zermelo.isochrones(T).levels), list(range(10, 100, 10)))
        self.assertEqual(list(zermelo.isochrones(T, [30, 10.5]).levels), [30, 10.5])
        self.assertEqual(len(zermelo.isochrones(np.full((3, 3), np.inf))), 0)
        self.assertEqual(list(zermelo.isochrones(np.zeros((3, 3))).levels), [0])

    def test_levels_between_extreme_times(self):
        """Where no round numbers lie between the earliest and the latest time, or none can be counted."""
        for low, high in (-1e308, 1e308), (0.0, 5e-324), (1.0, 1 + 2e-16), (1e16, 1e16 + 4), (0.0, 1e308), \
                (-1e-308, 1e-308), (1e300, 1.1e300):
            T = np.linspace(0, 1, 12).reshape(3, 4)
            with self.subTest(low=low, high=high):
                levels = zermelo.isochrones(low * (1 - T) + high * T, 5).levels
                self.assertTrue(0 < len(levels) <= 11 and (np.diff(levels) > 0).all())
                self.assertTrue(((levels > low) & (levels <= high)).all())

    def test_areas_are_floating_point_numbers_also_where_nothing_has_burned(self):
        T = zermelo.solve(np.ones((9, 9)), None, (4, 4))
        for levels in [-1.0], []:
            found = zermelo.isochrones(T, levels)
            self.assertEqual((found.areas.dtype, found.levels.dtype), (np.float64, np.float64))
            self.assertEqual(found.areas.tolist(), [0.0] * len(levels))
        self.assertEqual(repr(found), "<zermelo.Isochrones at no level>")

    def test_number_types_tensors_and_batches(self):
        T = noise(20, 20, 2)
        plain = zermelo.isochrones(T, [3]).areas
        np.testing.assert_allclose(zermelo.isochrones(T.astype(np.float32), [3]).areas, plain,
                                   rtol=1e-5)
        np.testing.assert_array_equal(
            zermelo.isochrones(np.ma.masked_invalid(T), [3]).areas, plain)
        np.testing.assert_array_equal(zermelo.isochrones(T.T.copy().T, [3]).areas, plain)
        batch = np.stack([T, T + 100])
        np.testing.assert_array_equal(zermelo.isochrones(batch, [3], item=0).areas, plain)
        self.assertEqual(zermelo.isochrones(batch, [3], item=1).areas, 0)
        if has("torch"):
            import torch
            np.testing.assert_array_equal(
                zermelo.isochrones(torch.tensor(T, requires_grad=True), [3]).areas, plain)

    def test_wrong_ones_are_refused(self):
        T = np.ones((3, 3))
        for call, message in ((lambda: zermelo.isochrones(T[None].repeat(2, 0)), "item=0 to 1"),
                              (lambda: zermelo.isochrones(T[0]), r"\(3,\)"),
                              (lambda: zermelo.isochrones(T, [np.nan]), "levels"),
                              (lambda: zermelo.isochrones(T, 5.0), r"\[5.0\], or a whole number"),
                              (lambda: zermelo.isochrones(T, 0), "at least 1"),
                              (lambda: zermelo.isochrones(T, [[1, 2]]), "levels"),
                              (lambda: zermelo.isochrones(T, spacing=-1), "above 0"),
                              (lambda: zermelo.isochrones(T, coordinates="map"), "'auto', 'array'")):
            with self.subTest(message), self.assertRaisesRegex(zermelo.ArgumentError, message):
                call()
        with self.assertRaises(IndexError):
            zermelo.isochrones(T[None], item=1)

    @unittest.skipUnless(has("xarray"), "no xarray here (Debian: python3-xarray)")
    def test_spacing_beside_coordinates_is_refused(self):
        import xarray
        T = xarray.DataArray(np.ones((3, 3)), dims=("y", "x"), coords={"y": [0, 1, 2], "x": [0, 2, 4]})
        with self.assertRaisesRegex(zermelo.ArgumentError, "expected one of the two"):
            zermelo.isochrones(T, [1], spacing=2.0)
        self.assertEqual(len(zermelo.isochrones(T.drop_vars(["x", "y"]), [1], spacing=2.0)), 1)

    def test_parts_are_a_sequence(self):
        found = zermelo.isochrones(noise(9, 9, 1), [1, 2, 3])
        self.assertEqual(found[-1].level, 3)
        self.assertEqual([part.level for part in found[1:]], [2, 3])
        self.assertIn("1, 2, 3", repr(found))


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyproj without its data
        main()
