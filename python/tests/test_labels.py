# SPDX-License-Identifier: Apache-2.0
"""xarray, rasterio, masked arrays: coordinates come back, and have to agree."""
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
COORDS = {"y": 50.0 - 10.0 * np.arange(5), "x": 20.0 * np.arange(6),
          "plane": ["g11", "g12", "g22"], "component": ["x", "y"]}
DEGREES = {"lat": 60.0 - np.arange(5), "lon": 10.0 + 2 * np.arange(6.0)}
MAPPED = {"grid_mapping": "crs", "units": "s2/m2"}


def make(data, dims, coords=None, crs="PROJCS[\"UTM\"]"):
    """As rioxarray reads them: a scalar coordinate with the coordinate system."""
    data = np.asarray(data)
    coords = {k: v for k, v in (COORDS if coords is None else coords).items() if k in dims}
    coords["crs"] = ((), 0, {"crs_wkt": crs})
    out = xarray.DataArray(data, dims=dims, coords=coords, attrs=dict(MAPPED), name="field")
    out.encoding.update(dtype="int16", scale_factor=0.01, grid_mapping="crs")
    return out


def metric(**more):
    return make(G, ("plane", "y", "x"), **more)


def wind(**more):
    return make(b, ("component", "y", "x"), **more)


@unittest.skipUnless(xarray, "no xarray here (Debian: python3-xarray)")
class Coordinates(unittest.TestCase):
    """Whatever a function gives on the grid has its coordinates, dimensions and system."""

    def dressed(self, a, dims, values=None):
        self.assertIsInstance(a, xarray.DataArray)
        self.assertEqual(a.dims, dims)
        for name in dims:
            if name in COORDS:
                np.testing.assert_array_equal(a.coords[name], COORDS[name])
        self.assertEqual(a.coords["crs"].attrs["crs_wkt"], "PROJCS[\"UTM\"]")
        self.assertEqual((a.attrs["grid_mapping"], a.encoding), ("crs", {"grid_mapping": "crs"}))
        if values is not None:
            np.testing.assert_array_equal(a.values, values)

    def test_solve(self):
        for spacing in (10.0, 20.0), "coords", {"y": 10, "x": 20}:
            out = zermelo.solve(metric(), wind(), [(1, 2)], spacing)
            self.dressed(out, ("y", "x"), T)
            self.assertEqual((out.name, out.attrs), ("arrival_time", {"grid_mapping": "crs"}))
        for given in ((G, wind()), (metric(), b), (G, b)):
            walls = make(np.zeros((5, 6), bool), ("y", "x"))
            self.dressed(zermelo.solve(*given, (1, 2), (10.0, 20.0), walls), ("y", "x"), T)

    def test_all_of_a_solution(self):
        planes, two = ("plane", "y", "x"), ("component", "y", "x")
        for g, d in (metric(), wind()), (metric(), b), (G, wind()):
            s = zermelo.solve(g, d, [(1, 2)], "coords", solution=True)
            plain = zermelo.solve(G, b, [(1, 2)], (10.0, 20.0), solution=True)
            c = np.arange(30.0).reshape(5, 6)
            for a, dims, values in (
                    (s.T, ("y", "x"), plain.T), (s.labels, ("y", "x"), plain.labels),
                    (s.flow, two, plain.flow),
                    (s.stencils.codes, ("y", "x"), plain.stencils.codes),
                    (s.stencils.weights, ("y", "x"), plain.stencils.weights),
                    (s.residual(), ("y", "x"), plain.residual()),
                    (s.residual("eikonal"), ("y", "x"), plain.residual("eikonal")),
                    (s.vjp(c)[0], planes, plain.vjp(c)[0]), (s.vjp(s.T)[1], two, None),
                    (s.vjp(c)[1], two, plain.vjp(c)[1]),
                    (s.jvp(G, b), ("y", "x"), plain.jvp(G, b)),
                    (s.jvp(*s.vjp(c)), ("y", "x"), plain.jvp(*plain.vjp(c)))):
                self.dressed(a, dims, values)

    def test_functions_that_work_cell_by_cell(self):
        planes, two = ("plane", "y", "x"), ("component", "y", "x")
        out = zermelo.project(metric(), wind(), eig_min=1.0)
        self.dressed(out[0], planes, zermelo.project(G, b, eig_min=1.0)[0])
        self.assertEqual((out[0].name, out[0].attrs), ("field", MAPPED))
        self.dressed(out[1], two)
        self.dressed(zermelo.project(make(G[0], ("y", "x")), eig_min=1.0), ("y", "x"))
        for a, dims in zip(zermelo.project_vjp(metric(), wind(), *out), (planes, two)):
            self.dressed(a, dims)
        for there in zermelo.to_zermelo, zermelo.from_zermelo:
            for g, d in (metric(), wind()), (G, wind()), (metric(), b):
                for a, dims, values in zip(there(g, d), (planes, two), there(G, b)):
                    self.dressed(a, dims, values)
        rate = make(np.full((5, 6), 2.0), ("y", "x"))
        fire = zermelo.fire_ellipse(rate, 1.0, 0.5, heading=30.0)
        for a, dims in zip(fire, (planes, two)):
            self.dressed(a, dims)
        for name, a in zermelo.to_fire_ellipse(*fire)._asdict().items():
            self.dressed(a, ("y", "x"))
            self.assertEqual(a.name, name)

    def test_parametrisations(self):
        """In the user's order of dimensions, also of a batch, and without data where there is none."""
        free = np.random.default_rng(3).normal(size=(2, 5, 5, 6))
        plain = zermelo.parametrise(free)
        back = zermelo.parametrise_vjp(free, *plain)
        where = {"y": COORDS["y"], "x": COORDS["x"]}
        for k, dims in (0, ("plane", "y", "x")), (..., ("member", "plane", "y", "x")):
            given = make(free[k], dims, where)
            out = zermelo.parametrise(given)
            self.dressed(out[0], dims, plain[0][k])
            self.dressed(out[1], (*dims[:-3], "component", "y", "x"), plain[1][k])
            d = zermelo.parametrise_vjp(given, *out)
            xarray.testing.assert_allclose(d, given.copy(data=back[k]), rtol=0)
            self.assertEqual(d.dims, dims)
        turned = make(np.moveaxis(free[0], 0, -1), ("y", "x", "channel"), where)
        d = zermelo.parametrise_vjp(turned, plain[0][0], plain[1][0])
        self.dressed(d, ("y", "x", "channel"), np.moveaxis(back[0], 0, -1))
        free[0, 3, 2, 4] = np.nan
        for given in make(free[0], ("channel", "y", "x")), np.ma.masked_invalid(free[0]):
            G, b = zermelo.parametrise(given)
            gone = np.isnan(np.ma.filled(G, np.nan))
            self.assertTrue(gone[:, 2, 4].all() and gone.sum() == 3)
            d = np.asarray(zermelo.parametrise_vjp(given, np.ones((3, 5, 6))))
            self.assertTrue(np.isfinite(d).all() and (d[:, 2, 4] == 0).all())
            self.assertEqual(float(zermelo.solve(G, b, (0, 0), spacing=1.0)[2, 4]), np.inf)
        with self.assertRaisesRegex(zermelo.ArgumentError, "free has the dimensions .'time'"):
            zermelo.parametrise(make(free[0, :3], ("time", "y", "x")))

    def test_inversion(self):
        seen = make(zermelo.solve(np.ones((5, 6)), None, (1, 2)), ("y", "x"))
        found = zermelo.invert(zermelo.Experiment((1, 2), seen), spacing=1.0)
        self.dressed(found.G, ("y", "x"))
        self.dressed(found.times(), ("y", "x"))
        both = zermelo.invert(zermelo.Experiment((1, 2), seen), spacing=1.0, unknown="all",
                              max_iterations=1)
        self.dressed(both.G, ("plane", "y", "x"))
        self.dressed(both.b, ("component", "y", "x"))
        with self.assertRaisesRegex(zermelo.ArgumentError, "walls has .* times of experiment 0 has"):
            zermelo.invert(zermelo.Experiment((1, 2), seen), spacing=1.0, walls=make(
                np.zeros((5, 6), bool), ("y", "x"), coords={"y": np.arange(5.0)}))

    def test_batches(self):
        days = {**COORDS, "day": [4, 5, 6]}
        many = make(np.stack([G, 2 * G, 4 * G]), ("day", "plane", "y", "x"), days)
        whole = zermelo.solve(many, wind(), (1, 2), "coords", solution=True)
        self.dressed(whole.T, ("day", "y", "x"))
        np.testing.assert_array_equal(whole.T.coords["day"], [4, 5, 6])
        one, some = whole[1], whole[1:]
        self.dressed(one.T, ("y", "x"))
        self.assertEqual(int(one.T.coords["day"]), 5)
        np.testing.assert_array_equal(some.T.coords["day"], [5, 6])
        np.testing.assert_array_equal(some.T, np.asarray(whole.T)[1:])
        self.dressed(one.vjp(np.ones((5, 6)))[0], ("plane", "y", "x"))
        self.dressed(whole.vjp(whole.T)[0], ("day", "plane", "y", "x"))
        self.dressed(whole.flow, ("day", "component", "y", "x"))
        free = zermelo.solve(make(G[0], ("y", "x")), None, [[(1, 2)], [(3, 3)]], "coords")
        self.dressed(free, ("problem", "y", "x"))

    def test_dimensions_in_another_order(self):
        """Planes may come last, and everything comes back as it was given."""
        last = metric().transpose("y", "x", "plane")
        s = zermelo.solve(last, wind().transpose("y", "component", "x"), (1, 2), "coords",
                          solution=True)
        self.dressed(s.T, ("y", "x"), T)
        dG, db = s.vjp(s.T.transpose("x", "y"))
        self.assertEqual((dG.dims, db.dims), (("y", "x", "plane"), ("y", "component", "x")))
        wanted = zermelo.solve(G, b, (1, 2), (10.0, 20.0), solution=True).vjp(T)
        np.testing.assert_array_equal(dG.transpose("plane", "y", "x"), wanted[0])
        np.testing.assert_array_equal(s.jvp(dG, db), s.jvp(dG.values.transpose(2, 0, 1), wanted[1]))
        walls = np.zeros((5, 6), bool)
        walls[2, 3] = True
        np.testing.assert_array_equal(
            zermelo.solve(metric(), b, (1, 2), "coords", make(walls.T, ("x", "y"))),
            zermelo.solve(G, b, (1, 2), (10.0, 20.0), walls))
        with self.assertRaisesRegex(zermelo.ArgumentError, r"\('x', 'y'\).*transpose.*rename"):
            zermelo.solve(make(G[0].T, ("x", "y")), None, (1, 2), "coords")

    def test_out_and_targets_may_have_coordinates(self):
        out = make(np.empty((5, 6)), ("y", "x"))
        aims = make(np.arange(30).reshape(5, 6) == 20, ("y", "x"))
        result = zermelo.solve(metric(), wind(), (1, 2), "coords", out=out, targets=aims)
        self.assertTrue(np.shares_memory(result.values, out.values))
        with self.assertRaisesRegex(zermelo.ArgumentError, "out has .* G has "):
            zermelo.solve(metric(), b, (1, 2), "coords", out=out.assign_coords(x=np.arange(6)))

    def test_sources_may_have_coordinates(self):
        mask = np.zeros((5, 6), bool)
        mask[1, 2] = True
        for sources in make(mask, ("y", "x")), make(mask.T, ("x", "y")), \
                xarray.DataArray([[1, 2]], dims=("fire", "place")):
            self.dressed(zermelo.solve(metric(), b, sources, "coords"), ("y", "x"), T)


@unittest.skipUnless(xarray, "no xarray here (Debian: python3-xarray)")
class Misaligned(unittest.TestCase):
    """Refused with the coordinates of both."""

    def refuses(self, text, *arguments, **options):
        with self.subTest(text), self.assertRaisesRegex(ValueError, text):
            zermelo.solve(*arguments, **{"sources": (1, 2), "spacing": "coords", **options})

    def test_places(self):
        shifted = {**COORDS, "x": COORDS["x"] + 10.0}
        upside_down = {**COORDS, "y": COORDS["y"][::-1]}
        self.refuses("b has y from 50.0 to 10.0 .* x from 10.0 to 110.0 .*G has .* 0.0 to 100.0",
                     metric(), wind(coords=shifted))
        self.refuses("b has y from 10.0 to 50.0 .*G has y from 50.0", metric(),
                     wind(coords=upside_down))
        self.refuses("walls has y from 10.0", metric(), b, walls=make(
            np.zeros((5, 6), bool), ("y", "x"), upside_down))
        self.refuses("b has the dimensions .*'lat'.* G has", metric(),
                     make(b, ("component", "lat", "lon")))
        self.refuses("b is in the coordinate system PROJCS.*33.*, G in", metric(),
                     wind(crs="PROJCS[\"33\"]"))
        nearly = {**COORDS, "x": COORDS["x"] + 1e-9}
        np.testing.assert_array_equal(zermelo.solve(metric(), wind(coords=nearly), (1, 2), "coords"),
                                      T)

    def test_problems_and_times(self):
        def many(first, dim="day"):
            return make(np.stack([b, b]), (dim, "component", "y", "x"),
                        {**COORDS, dim: [first, first + 1]})
        fields = make(np.stack([G, G]), ("day", "plane", "y", "x"), {**COORDS, "day": [1, 2]})
        self.refuses("b has 'day' from 2 to 3 .* G from 1 to 2", fields, many(2))
        self.refuses("b has the dimension 'hour' and G 'day'", fields, many(1, "hour"))
        self.refuses("starts has 'day' from 5", fields, None,
                     starts=xarray.DataArray([0.0, 9.0], dims="day", coords={"day": [5, 6]}))
        zermelo.solve(fields, None, (1, 2), "coords",
                      starts=xarray.DataArray([0.0, 9.0], dims="day", coords={"day": [1, 2]}))

    def test_planes(self):
        turned = metric().isel(plane=[2, 1, 0])
        self.refuses("planes of G are labelled g22, g12, g11, expected g11, g12, g22", turned, None)
        self.refuses("planes of b are labelled y, x", metric(), wind().isel(component=[1, 0]))
        north = wind().assign_coords(component=["u", "v"])
        self.refuses("'v' of b points north and rows run south", metric(), north)
        up = {**COORDS, "y": COORDS["y"][::-1]}
        zermelo.solve(metric(coords=up), wind(coords=up).assign_coords(component=["u", "v"]),
                      (1, 2), "coords")

    def test_an_axis_of_time_is_not_one_of_planes(self):
        def stack(n, name, **coords):
            return xarray.DataArray(np.ones((n, 4, 5)) * [[[1]], [[0.5]], [[1]]][:n],
                                    dims=(name, "y", "x"), coords=coords)
        days = np.datetime64("2024-01-01") + np.arange(3)
        for n, name, coords in ((2, "time", {}), (3, "Member", {}), (3, "k", {"k": days})):
            G = stack(n, name, **coords)
            self.refuses(rf"{name!r} would be read as the planes g11.*expand_dims\('plane', axis=1\)",
                         G, None, spacing=None)
            T = zermelo.solve(G.expand_dims("plane", axis=1), None, (0, 0))
            self.assertEqual(T.dims, (name, "y", "x"))
        self.refuses("'time' would be read as the planes x, y", stack(1, "g")[0],
                     0.1 * stack(2, "time"), spacing=None)
        zermelo.solve(stack(3, "band"), None, (0, 0))
        zermelo.solve(stack(1, "time"), None, (0, 0))

    def test_spacing(self):
        self.refuses("steps from 1 to 7", make(G[0], ("y", "x"), {
            "y": np.arange(5)**2, "x": np.arange(6)}), None)
        self.refuses("'y' has no coordinates", make(G[0], ("y", "x"), {}), None)
        self.refuses(r"spacing is not given.*10 \(y\) by 20 \(x\).*'coords'.*spacing=1", metric(),
                     None, spacing=None)
        self.refuses(r"spacing is \(20, 10\), expected \(dy, dx\)", metric(), None,
                     spacing=(20.0, 10.0))
        self.assertEqual(float(zermelo.solve(make(np.ones((5, 6)), ("y", "x"), {}), None,
                                             (0, 0))[0, 5]), 5.0)

    def test_a_data_set_of_several_variables(self):
        with self.assertRaisesRegex(TypeError, "G is a Dataset with the variables 'field'"):
            zermelo.solve(metric().to_dataset(name="field"), None, (1, 2))


@unittest.skipUnless(xarray, "no xarray here (Debian: python3-xarray)")
class NoData(unittest.TestCase):
    def test_nan_is_an_obstacle(self):
        g, d, walls = G.copy(), b.copy(), np.zeros((5, 6), bool)
        g[1, 3, 3], d[0, 2, 4] = np.nan, np.nan
        walls[3, 3] = walls[2, 4] = True
        wanted = zermelo.solve(G, b, (1, 2), (10.0, 20.0), walls, solution=True)
        s = zermelo.solve(metric().copy(data=g), wind().copy(data=d), (1, 2), "coords",
                          solution=True)
        np.testing.assert_array_equal(s.T, wanted.T)
        for x, y in zip(s.vjp(np.ones((5, 6))), wanted.vjp(np.ones((5, 6)))):
            np.testing.assert_array_equal(x, y)
        zermelo.check(metric().copy(data=g), b)
        part = make(np.where(walls, np.nan, 0.0), ("y", "x"))  # as a bool array that was reindexed
        np.testing.assert_array_equal(zermelo.solve(metric(), b, (1, 2), "coords", part), wanted.T)
        with self.assertRaises(zermelo.MetricError):  # a plain array has no cells without data
            zermelo.solve(g, b, (1, 2))

    def test_the_number_that_attributes_give_for_no_data_is_an_obstacle(self):
        """As of files that were opened without masking, where it is a number like any other."""
        for dtype, fill in (np.int16, 32767), (np.float32, -9999.0), (float, 1e20):
            for key in "_FillValue", "missing_value", "nodata":
                g = np.full((5, 6), 2, dtype)
                g[2, 3] = fill
                given = xarray.DataArray(g, dims=("y", "x"), attrs={key: fill})
                with self.subTest(dtype=dtype, key=key):
                    T = zermelo.solve(given, None, (0, 0))
                    wanted = zermelo.solve(np.full((5, 6), 2, dtype), None, (0, 0), 1.0, g == fill)
                    np.testing.assert_array_equal(T, wanted)
                    self.assertEqual(T.dtype, wanted.dtype)
                    self.assertTrue(np.isinf(T.values[2, 3]))

    def test_results_have_no_data_there_either(self):
        g = G.copy()
        g[:, 3, 3] = np.nan
        given = metric().copy(data=g)
        for out in (zermelo.project(given, wind()), zermelo.to_zermelo(given, wind()),
                    zermelo.from_zermelo(given, 0.1 * wind())):
            for a in out:
                np.testing.assert_array_equal(np.isnan(a.values).all(axis=0),
                                              np.isnan(a.values).any(axis=0))
                self.assertEqual(np.argwhere(np.isnan(a.values[0])).tolist(), [[3, 3]])
        masked = np.ma.masked_invalid(g)
        self.assertTrue(zermelo.project(masked)[0, 3, 3] is np.ma.masked)
        self.assertTrue(zermelo.from_zermelo(masked)[0][0, 3, 3] is np.ma.masked)

    def test_no_data_for_a_time(self):
        """A front waits in front of a cell until there is data again."""
        g = np.ones((2, 1, 1, 6))
        g[0, 0, 0, 3] = np.nan
        field = xarray.DataArray(g, dims=("time", "plane", "y", "x"))
        T = zermelo.solve(field, None, (0, 0), starts=[0.0, 10.0])
        wanted = zermelo.solve(np.ones((2, 1, 1, 6)), None, (0, 0), starts=[0.0, 10.0],
                               stopped=np.isnan(g[:, 0]))
        np.testing.assert_array_equal(T, wanted)
        self.assertTrue((T.values[0, 3:] >= 10).all() and np.isfinite(T.values).all())


@unittest.skipUnless(xarray, "no xarray here (Debian: python3-xarray)")
class Globe(unittest.TestCase):
    """Latitudes and longitudes: G and b are of the ground, in metres, and so are derivatives."""

    def field(self, a, dims=("plane", "lat", "lon"), coords=None, **more):
        return make(a, dims, DEGREES if coords is None else coords,
                    crs="GEOGCS[\"WGS 84\"]", **more)

    def by_hand(self, G, b, **options):
        s = np.cos(np.radians(DEGREES["lat"]))[:, None]
        metre = np.radians(1.0) * 6371008.8
        g = np.stack([s * s * G[0], s * G[1], G[2]])
        d = np.stack([s * b[0], b[1]])
        return zermelo.solve(g, d, (1, 2), (metre, 2 * metre), **options)

    def test_the_metric_of_the_sphere_is_folded_in(self):
        T = zermelo.solve(self.field(G), b, (1, 2), "coords")
        np.testing.assert_allclose(T, self.by_hand(G, b), rtol=1e-14)
        self.assertEqual(T.dims, ("lat", "lon"))
        # A scalar metric, rows from the south, and dimensions called x and y.
        g = np.full((5, 6), 0.25)
        up = {"y": DEGREES["lat"][::-1], "x": DEGREES["lon"]}
        T = zermelo.solve(self.field(g, ("y", "x"), up), None, (3, 2), "coords")
        wanted = self.by_hand(np.stack([g, 0 * g, g]), 0 * b)
        np.testing.assert_allclose(T.values[::-1], wanted, rtol=1e-13)

    def test_a_way_along_a_row_is_as_long_as_the_circle_of_latitude(self):
        g = self.field(np.ones((5, 6)), ("lat", "lon"))
        for row in range(5):
            cost = zermelo.path_cost(g, None, [(row, 0), (row, 5)], "coords")
            radius = 6371008.8 * np.cos(np.radians(60.0 - row))
            self.assertAlmostEqual(cost / (radius * np.radians(10.0)), 1.0, places=12)
        down = zermelo.path_cost(g, None, [(0, 0), (4, 0)], "coords")
        self.assertAlmostEqual(down / (6371008.8 * np.radians(4.0)), 1.0, places=12)

    def test_times_are_distances_along_great_circles(self):
        lat, lon = np.arange(70.0, 29.0, -0.5), np.arange(0.0, 60.0, 0.5)
        g = self.field(np.ones((len(lat), len(lon))), ("lat", "lon"), {"lat": lat, "lon": lon})
        T = zermelo.solve(g, None, (40, 60), "coords", order=2)
        p, q = np.radians(lat[:, None]), np.radians(lat[40])
        hav = np.sin((p - q) / 2)**2 + np.cos(p) * np.cos(q) * np.sin(np.radians(lon - 30) / 2)**2
        exact = 2 * 6371008.8 * np.arcsin(np.sqrt(hav))
        self.assertLess(np.linalg.norm(T - exact) / np.linalg.norm(exact), 1e-3)

    def test_derivatives_are_with_respect_to_what_was_given(self):
        rng = np.random.default_rng(3)
        for g, d in (G, b), (G[::2].copy(), b), (G[0], b), (G[:1], (0.1, -0.2)), (G, 0.1), \
                (np.stack([G, 1.1 * G]), b), (G[0], None):
            with self.subTest(G=g.shape, b=np.shape(d)):
                dims = ("day", "plane", "lat", "lon")[4 - g.ndim:] if g.ndim > 2 else ("lat", "lon")
                def solve(g, d, **options):
                    return zermelo.solve(self.field(g, dims), d, (1, 2), "coords", **options)
                s = solve(g, d, solution=True)
                dG = rng.normal(size=g.shape)
                db = None if d is None else rng.normal(size=np.shape(d))
                dT, step = s.jvp(dG, db).values, 1e-6
                plus, minus = (solve(g + e * dG, None if d is None else np.asarray(d) + e * db)
                               for e in (step, -step))
                np.testing.assert_allclose(dT, (plus.values - minus.values) / (2 * step),
                                           atol=1e-6 * np.abs(dT).max())
                c = rng.normal(size=dT.shape)
                gG, gb = s.vjp(c)
                self.assertEqual(gG.shape, g.shape)
                product = (gG.values * dG).sum() + (0 if d is None else (np.asarray(gb) * db).sum())
                self.assertAlmostEqual((c * dT).sum() / product, 1, places=9)
                if g.ndim == 4:
                    part = s[1]
                    np.testing.assert_allclose(part.vjp(c[1])[0].values, gG.values[1], rtol=1e-12)

    def test_flow_is_a_velocity_on_the_ground(self):
        s = zermelo.solve(self.field(np.full((5, 6), 0.25), ("lat", "lon")), None, (1, 2), "coords",
                          solution=True)
        speed = np.hypot(*s.flow.values)
        np.testing.assert_allclose(speed[np.isfinite(speed) & (speed > 0)], 2.0, rtol=1e-12)

    def test_what_is_no_place(self):
        pole = {"lat": 90.0 - np.arange(5), "lon": DEGREES["lon"]}
        with self.assertRaisesRegex(zermelo.ArgumentError, "latitude of row 0 is 90, expected"):
            zermelo.solve(self.field(G[0], ("lat", "lon"), pole), None, (1, 2), "coords")
        seen = self.field(np.ones((5, 6)), ("lat", "lon"))
        with self.assertRaisesRegex(zermelo.UnsupportedError, "latitudes and longitudes"):
            zermelo.invert(zermelo.Experiment((1, 2), seen), spacing="coords")

    def test_headings_count_from_north_whatever_the_order_of_rows(self):
        north = self.field(np.full((5, 6), 2.0), ("lat", "lon"))
        heading = np.random.default_rng(1).uniform(0, 360, (5, 6))
        south_first = north.isel(lat=slice(None, None, -1))
        down = zermelo.fire_ellipse(north, 1.0, 0.5, heading)
        up = zermelo.fire_ellipse(south_first, 1.0, 0.5, heading[::-1].copy())
        for a, c in zip(zermelo.to_fire_ellipse(*up), zermelo.to_fire_ellipse(*down)):
            np.testing.assert_allclose(a.values[::-1], c.values, rtol=1e-12)
        np.testing.assert_allclose(zermelo.to_fire_ellipse(*up).heading[::-1], heading, rtol=1e-9)
        T = [zermelo.solve(*front, (2, 2), "coords") for front in (down, up)]
        np.testing.assert_allclose(T[1][::-1].values, T[0].values, rtol=1e-12)


class Rasterio(unittest.TestCase):
    """A dataset as rasterio opens it, with a cell of no data."""

    def dataset(self, a, hidden, **place):
        place = {"a": 20.0, "b": 0.0, "c": 100.0, "d": 0.0, "e": -10.0, "f": 900.0, **place}
        a = np.asarray(a)
        return types.SimpleNamespace(
            read=lambda masked: np.ma.masked_array(a if a.ndim == 3 else a[None], mask=hidden),
            transform=types.SimpleNamespace(**place), crs="EPSG:32611", height=5, width=6)

    def test_bands_are_planes_and_no_data_is_a_wall(self):
        hidden = np.zeros((3, 5, 6), bool)
        hidden[1, 3, 3] = True
        out = zermelo.solve(self.dataset(G, hidden), b, (1, 2), "coords")
        walls = np.zeros((5, 6), bool)
        walls[3, 3] = True
        np.testing.assert_array_equal(out, zermelo.solve(G, b, (1, 2), (10.0, 20.0), walls))
        self.assertIsInstance(out, zermelo.Raster)
        self.assertEqual({k: out.profile[k] for k in ("height", "width", "count", "dtype", "crs")},
                         dict(height=5, width=6, count=1, dtype="float64", crs="EPSG:32611"))
        s = zermelo.solve(self.dataset(G, hidden), b, (1, 2), "coords", solution=True)
        self.assertEqual((s.labels.profile["dtype"], s.labels.profile["nodata"]), ("int32", -1))
        self.assertEqual(s.stencils.codes.profile["nodata"], 255)
        for a, count in ((s.flow, 2), (s.vjp(s.T)[0], 3), (s.vjp(s.T)[1], 2), (s.jvp(G), 1)):
            self.assertEqual((a.profile["count"], a.profile["crs"]), (count, "EPSG:32611"))
        projected = zermelo.project(self.dataset(G, hidden))
        self.assertTrue(np.isnan(projected[:, 3, 3]).all() and np.isnan(projected).sum() == 3)
        np.testing.assert_array_equal(zermelo.solve(projected, b, (1, 2), "coords"),
                                      zermelo.solve(zermelo.project(G), b, (1, 2), (10.0, 20.0),
                                                    walls))

    def test_drift_and_walls_may_be_datasets_of_the_same_grid(self):
        none = np.zeros((5, 6), bool)
        out = zermelo.solve(self.dataset(G, False), self.dataset(b, False), (1, 2), "coords",
                            self.dataset(none.astype("u1"), False))
        np.testing.assert_array_equal(out, T)
        with self.assertRaisesRegex(zermelo.ArgumentError, "b has y from 905.0 .* y from 895.0"):
            zermelo.solve(self.dataset(G, False), self.dataset(b, False, f=910.0), (1, 2), "coords")

    def test_a_part_of_a_raster_has_no_place(self):
        out = zermelo.solve(self.dataset(G, False), b, (1, 2), "coords")
        self.assertEqual((out + 1).profile, out.profile)
        self.assertEqual(out[1:4].profile, {})

    def test_too_many_bands(self):
        with self.assertRaisesRegex(ValueError, "4 bands, expected 1"):
            zermelo.solve(self.dataset(np.ones((4, 5, 6)), False), None, (1, 2))

    def test_a_rotated_grid(self):
        with self.assertRaisesRegex(ValueError, "rotated"):
            zermelo.solve(self.dataset(G, False, b=1.0), None, (1, 2), "coords")

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

    @unittest.skipUnless(rasterio and xarray, "needs rasterio and xarray")
    def test_degrees_are_known_from_the_coordinate_system(self):
        transform = rasterio.transform.from_origin(9.0, 60.5, 2.0, 1.0)
        profile = dict(driver="GTiff", width=6, height=5, count=3, dtype="float64",
                       crs="EPSG:4326", transform=transform)
        with rasterio.io.MemoryFile() as file:
            with file.open(**profile) as out:
                out.write(G)
            with file.open() as dataset:
                times = zermelo.solve(dataset, b, [(1, 2)], "coords")
        field = xarray.DataArray(G, dims=("plane", "lat", "lon"), coords=DEGREES)
        np.testing.assert_allclose(times, zermelo.solve(field, b, (1, 2), "coords"), rtol=1e-12)


class Masked(unittest.TestCase):
    """Cells without a value are obstacles, in every argument where that makes sense."""

    def test_in_metric_drift_and_walls(self):
        gap = np.zeros((5, 6), bool)
        gap[3, 3] = True
        wanted = zermelo.solve(G, b, (1, 2), walls=gap)
        everywhere = np.broadcast_to(gap, (3, 5, 6))
        for arguments in ((np.ma.masked_array(G, everywhere), b, None),
                          (G, np.ma.masked_array(b, everywhere[:2]), None),
                          (G, b, np.ma.masked_array(np.zeros((5, 6), bool), gap))):
            g, d, walls = arguments
            np.testing.assert_array_equal(zermelo.solve(g, d, (1, 2), walls=walls), wanted)

    def test_elsewhere_they_are_refused(self):
        for name, call in (
                ("sources", lambda a: zermelo.solve(G, b, a)),
                ("starts", lambda a: zermelo.solve(G[None], b, (1, 2), starts=a[:, 1])),
                ("g", lambda a: zermelo.solve(G, b, (1, 2), solution=True).vjp(a))):
            with self.subTest(name), self.assertRaisesRegex(ValueError, f"{name} is a masked array"):
                call(np.ma.masked_array(np.ones((5, 2)), np.arange(10).reshape(5, 2) == 3))


if __name__ == "__main__":
    main()
