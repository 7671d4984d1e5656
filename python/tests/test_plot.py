# SPDX-License-Identifier: Apache-2.0
"""What pictures show: data, places, signs, limits and colours of what was drawn."""
import importlib.util
import subprocess
import sys
import unittest
from types import SimpleNamespace

import numpy as np

import zermelo
from _common import main, smooth_problem


def has(*names):
    return all(importlib.util.find_spec(name) for name in names)


if has("matplotlib"):
    import matplotlib
    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    from zermelo import plot

G, B = smooth_problem(30, 40)
WALLS = np.zeros((30, 40), bool)
WALLS[5:20, 22] = True


def labelled(values, y=300.0 - 10.0 * np.arange(30), crs=None, **attrs):
    import xarray
    dims = (*(f"d{i}" for i in range(values.ndim - 2)), "y", "x")
    coords = {"y": y, "x": 50 + 10.0 * np.arange(40)}
    return xarray.DataArray(values, dims=dims, coords=coords, name="T", attrs=attrs)


@unittest.skipUnless(has("matplotlib"), "no matplotlib here (Debian: python3-matplotlib)")
class Plots(unittest.TestCase):
    def setUp(self):
        self.figure, self.ax = plt.subplots()
        self.s = zermelo.solve(G, B, [(8, 6), (25, 10)], walls=WALLS, solution=True)

    def tearDown(self):
        self.figure.canvas.draw()  # what was drawn can be drawn
        plt.close("all")


class Fields(Plots):
    def test_row_0_is_on_top_and_cells_lie_around_their_middles(self):
        image = plot.arrival(self.s.T, ax=self.ax)
        self.assertEqual(list(image.get_extent()), [-0.5, 39.5, 29.5, -0.5])
        self.assertEqual((self.ax.get_xlim(), self.ax.get_ylim()), ((-0.5, 39.5), (29.5, -0.5)))
        self.assertEqual(self.ax.get_aspect(), 1)
        np.testing.assert_array_equal(image.get_array()[~WALLS], self.s.T[~WALLS])

    def test_spacing_is_that_of_the_solution_or_given(self):
        s = zermelo.solve(G, B, (8, 6), spacing=(2.0, 3.0), solution=True)
        self.assertEqual(list(plot.arrival(s, ax=self.ax).get_extent()), [-1.5, 118.5, 59, -1])
        plt.figure()
        self.assertEqual(list(plot.arrival(s.T, spacing=(2, 3)).get_extent()), [-1.5, 118.5, 59, -1])

    def test_cells_not_reached_are_grey_and_do_not_count_for_the_range(self):
        T = np.array([[1.0, 2.0], [np.inf, np.nan]])
        image = plot.arrival(T, ax=self.ax)
        self.assertEqual(image.get_clim(), (1, 2))
        rgba = image.cmap(image.norm(image.get_array()))
        np.testing.assert_allclose(rgba[1], [matplotlib.colors.to_rgba("#c8ccd1")] * 2)
        self.assertIsNotNone(plot.arrival(np.full((2, 2), np.inf), ax=plt.figure().gca()))

    def test_the_range_of_a_sensitivity_is_centred_on_0(self):
        d = np.linspace(-1, 5, 1200).reshape(30, 40)
        d[3, 3] = np.nan
        image = plot.sensitivity(d, ax=self.ax, clip=0)
        self.assertEqual(image.get_clim(), (-5, 5))
        middle = np.array(image.cmap(0.5)[:3])
        self.assertLess(np.ptp(middle), 0.03)
        self.assertGreater(middle.min(), 0.9)
        d[0, 0] = 1000
        self.assertLess(plot.sensitivity(d, ax=self.ax, clip=0.01).get_clim()[1], 5.1)
        self.assertEqual(plot.sensitivity(d, ax=self.ax, vmax=2).get_clim(), (-2, 2))
        self.assertEqual(plot.sensitivity(0 * G[0], ax=self.ax).get_clim(), (-1, 1))

    def test_planes_of_a_derivative_are_chosen(self):
        dG, _ = self.s.vjp(np.where(np.isfinite(self.s.T), 1.0, 0.0))
        for k in range(3):
            image = plot.sensitivity(dG, plane=k, ax=self.ax, colorbar=False)
            np.testing.assert_array_equal(image.get_array(), dG[k])
        with self.assertRaisesRegex(zermelo.ArgumentError, "plane=0 to 2"):
            plot.sensitivity(dG, ax=self.ax)

    def test_obstacles_are_opaque_and_the_rest_is_clear(self):
        rgba = plot.obstacles(WALLS, ax=self.ax).get_array()
        np.testing.assert_array_equal(rgba[..., 3], WALLS.astype(float))

    def test_items_of_a_batch(self):
        T = np.stack([np.full((4, 5), k, float) for k in range(3)])
        self.assertEqual(plot.arrival(T, item=2, ax=self.ax).get_array().max(), 2)
        self.assertEqual(plot.arrival(T, item=-3, ax=self.ax).get_array().max(), 0)
        with self.assertRaisesRegex(zermelo.ArgumentError, "item=0 to 2"):
            plot.arrival(T, ax=self.ax)
        with self.assertRaises(IndexError):
            plot.arrival(T, item=3, ax=self.ax)

    def test_isochrones_lie_where_times_are_the_levels(self):
        y, x = np.mgrid[0:30, 0:40]
        lines = plot.isochrones(np.hypot(x - 20, y - 12), [5, 10], ax=self.ax)
        np.testing.assert_array_equal(lines.levels, [5, 10])
        for level, segments in zip(lines.levels, lines.allsegs):
            for points in segments:
                np.testing.assert_allclose(np.hypot(points[:, 0] - 20, points[:, 1] - 12), level,
                                           atol=0.05)

    def test_isochrones_are_light_on_dark_ground_and_dark_on_light_ground(self):
        T = np.linspace(0, 1, 1200).reshape(30, 40)
        plot.arrival(T, ax=self.ax)
        lines = plot.isochrones(T, [0.05, 0.97], ax=self.ax)
        first, last = (np.mean(c.get_edgecolor()[0][:3]) for c in lines.collections)
        self.assertGreater(first, 0.9)
        self.assertLess(last, 0.2)

    def test_levels_that_are_not_there_are_left_out(self):
        lines = plot.isochrones(np.linspace(0, 1, 1200).reshape(30, 40), [-1, 0.5, 3], ax=self.ax)
        np.testing.assert_array_equal(lines.levels, [0.5])

    def test_a_field_without_isochrones_is_refused(self):
        with self.assertRaisesRegex(zermelo.ArgumentError, "no isochrone"):
            plot.isochrones(np.full((4, 4), np.inf), ax=self.ax)


class Vectors(Plots):
    def test_the_front_is_ahead_where_arrows_point(self):
        """Round a source the front is early where the drift goes: arrows on the page lead to
        where the image has the earlier of two opposite times."""
        for b in (0.5, 0.0), (0.0, 0.5), (-0.3, 0.4):
            T = zermelo.solve(np.ones((41, 41)), b, (20, 20))
            ax = plt.figure().gca()
            plot.arrival(T, ax=ax)
            arrows = plot.drift(b, ax=ax)
            u, v = arrows.U[0], arrows.V[0]
            def at(sign):
                return T[int(20 + sign * np.rint(14 * v)), int(20 + sign * np.rint(14 * u))]
            self.assertLess(at(1), at(-1))
            tip = ax.transData.transform((20 + u, 20 + v)) - ax.transData.transform((20, 20))
            self.assertEqual(np.sign(tip[1]), -np.sign(b[1]))  # +y is down the page

    @unittest.skipUnless(has("xarray"), "no xarray here (Debian: python3-xarray)")
    def test_on_maps_arrows_go_with_the_rows_whichever_way_y_runs(self):
        for y, sign in (300.0 - 10.0 * np.arange(30), -1), (10.0 * np.arange(30), 1):
            arrows = plot.drift(labelled(B, y), ax=plt.figure().gca(), across=40)
            np.testing.assert_allclose(arrows.V, sign * B[1].ravel())
            np.testing.assert_allclose(arrows.U, B[0].ravel())
            rows = [300.0 - 10.0 * r if sign < 0 else 10.0 * r for r in range(30)]
            np.testing.assert_allclose(np.unique(arrows.Y), np.unique(rows))

    def test_arrows_leave_out_obstacles_and_what_is_not_finite(self):
        b = B.copy()
        b[0, 0, 0] = np.nan
        arrows = plot.drift(b, ax=self.ax, across=40, walls=WALLS)
        self.assertEqual(len(arrows.U), 30 * 40 - WALLS.sum() - 1)

    def test_the_longest_arrow_fits_between_its_neighbours(self):
        for across in 10, 24:
            arrows = plot.drift(B, ax=self.ax, across=across)
            apart = np.diff(np.unique(arrows.X)).min()
            longest = np.hypot(arrows.U, arrows.V).max() / arrows.scale
            self.assertTrue(0.9 * apart < longest < apart)

    def test_streamlines_of_the_flow(self):
        lines = plot.drift(self.s.flow, ax=self.ax, kind="streamlines", walls=WALLS)
        self.assertGreater(len(lines.lines.get_segments()), 10)
        with self.assertRaisesRegex(zermelo.ArgumentError, "'arrows', 'streamlines'"):
            plot.drift(B, ax=self.ax, kind="lines")

    def test_ellipses_are_what_a_front_reaches(self):
        """On the outline sqrt(v'Gv) - b.v is the time, in every cell that is shown."""
        found = plot.ellipses(G, B, ax=self.ax, across=6)
        for path, (x, y) in zip(found.outlines.get_paths(), found.centres.get_offsets()):
            v = path.vertices - (x, y)
            g = G[:, int(y), int(x)]
            F = np.sqrt(g[0] * v[:, 0]**2 + 2 * g[1] * v[:, 0] * v[:, 1] + g[2] * v[:, 1]**2) \
                - v @ B[:, int(y), int(x)]
            np.testing.assert_allclose(F, found.time, rtol=1e-10)

    def test_ellipses_take_every_form_of_a_metric_and_leave_out_what_is_not_one(self):
        for metric in G[0], np.stack([G[0], G[2]]), G, G[None]:
            self.assertEqual(len(plot.ellipses(metric, ax=self.ax, across=40).outlines.get_paths()),
                             1200)
        bad = np.ones((30, 40))
        bad[3, 4], bad[5, 6] = -1, np.nan
        self.assertEqual(len(plot.ellipses(bad, ax=self.ax, across=40).outlines.get_paths()), 1198)
        strong = np.zeros((2, 30, 40))
        strong[0, 7, 7] = 1.0
        self.assertEqual(len(plot.ellipses(np.ones((30, 40)), strong, ax=self.ax, across=40)
                             .outlines.get_paths()), 1199)
        with self.assertRaisesRegex(zermelo.ArgumentError, "admissible"):
            plot.ellipses(-bad, ax=self.ax)

    def test_ellipses_of_one_time_are_comparable(self):
        slow = plot.ellipses(np.full((9, 9), 4.0), ax=self.ax, time=1)
        v = slow.outlines.get_paths()[0].vertices
        self.assertAlmostEqual(np.ptp(v[:, 0]), 1.0, places=2)


class Places(Plots):
    def test_paths_and_sources_lie_on_their_cells(self):
        s = zermelo.solve(G, B, (8, 6), spacing=(2.0, 3.0), solution=True)
        plot.arrival(s, ax=self.ax)
        way = s.path((25, 35))
        segment, = plot.paths(way, ax=self.ax).get_segments()
        np.testing.assert_allclose(segment, way[:, [1, 0]] * (3, 2))
        np.testing.assert_allclose(plot.sources((8, 6), ax=self.ax).get_offsets(), [[18, 16]])
        segments = plot.paths(s.paths([(1, 1), (20, 30)]), ax=self.ax).get_segments()
        self.assertEqual(len(segments), 2)

    def test_places_without_a_field_keep_rows_downwards(self):
        plot.paths([[(0, 0), (5, 3)]], ax=self.ax)
        plot.sources([(0, 0), (2, 2, 5.0)], ax=self.ax)
        self.assertTrue(self.ax.yaxis_inverted())

    def test_unwound_paths_of_closed_grids_come_back_in_pieces(self):
        s = zermelo.solve(np.ones((10, 100)), None, (5, 2), periodic="x", solution=True)
        plot.arrival(s, ax=self.ax)
        segments = plot.paths(s.path((5, 97)), ax=self.ax).get_segments()
        self.assertEqual(len(segments), 2)
        for x in np.concatenate(segments)[:, 0]:
            self.assertTrue(-0.5 <= x <= 99.5)

    def test_a_mask_of_sources(self):
        plot.arrival(self.s, ax=self.ax)
        offsets = plot.sources(WALLS, ax=self.ax).get_offsets()
        self.assertEqual(len(offsets), WALLS.sum())


@unittest.skipUnless(has("xarray"), "no xarray here (Debian: python3-xarray)")
class Maps(Plots):
    def test_coordinates_names_and_units_are_those_of_the_field(self):
        T = labelled(self.s.T, units="h", long_name="arrival")
        T.x.attrs.update(long_name="easting", units="m")
        image = plot.arrival(T, ax=self.ax)
        self.assertEqual(list(image.get_extent()), [45, 445, 5, 305])
        self.assertFalse(self.ax.yaxis_inverted())
        self.assertEqual(self.ax.get_xlabel(), "easting [m]")
        self.assertEqual(image.colorbar.ax.get_ylabel(), "arrival [h]")

    def test_rows_that_run_north_are_drawn_so(self):
        T = labelled(np.arange(1200.0).reshape(30, 40), 10.0 * np.arange(30))
        image = plot.arrival(T, ax=self.ax)
        left, right, bottom, top = image.get_extent()
        self.assertEqual((bottom, top), (295, -5))  # row 0 is at y = 0, the lower end
        self.assertEqual(self.ax.get_ylim(), (-5, 295))

    def test_what_has_no_coordinates_takes_those_of_the_axes(self):
        plot.arrival(labelled(self.s.T), ax=self.ax)
        self.assertEqual(list(plot.obstacles(WALLS, ax=self.ax).get_extent()), [45, 445, 5, 305])
        np.testing.assert_allclose(plot.sources((8, 6), ax=self.ax).get_offsets(), [[110, 220]])
        segment, = plot.paths(self.s.path((25, 35)), ax=self.ax).get_segments()
        np.testing.assert_allclose(segment[-1], [400, 50])
        np.testing.assert_allclose(plot.sources((8, 6), grid=labelled(G[0]),
                                                ax=plt.figure().gca()).get_offsets(), [[110, 220]])

    def test_degrees_are_drawn_at_their_length_on_the_ground(self):
        import xarray
        T = xarray.DataArray(self.s.T, dims=("lat", "lon"),
                             coords={"lat": 60 + 0.01 * np.arange(30), "lon": 0.01 * np.arange(40)})
        plot.arrival(T, ax=self.ax)
        self.assertAlmostEqual(self.ax.get_aspect(), 1 / np.cos(np.radians(60.145)), places=3)

    def test_dimensions_are_known_by_their_names(self):
        T = labelled(self.s.T)
        turned = T.expand_dims(time=3).transpose("y", "x", "time")
        image = plot.arrival(turned, item=1, ax=self.ax)
        np.testing.assert_array_equal(image.get_array()[~WALLS], self.s.T[~WALLS])
        self.assertEqual(list(image.get_extent()), [45, 445, 5, 305])

    def test_the_drift_of_a_globe_is_that_of_the_ground(self):
        """30 degrees from the pole a degree of longitude is half as long: an arrow along the ground is
        twice as long in degrees of longitude, and the page is stretched by as much."""
        import xarray
        lat, lon = np.arange(70.0, 50.0, -1), np.arange(-10.0, 10.0)
        g = xarray.DataArray(np.ones((20, 20)), dims=("lat", "lon"), coords={"lat": lat, "lon": lon})
        s = zermelo.solve(g, (0.3, 0.3), (9, 9), spacing="coords", solution=True)
        arrows = s.plot(self.ax).drift
        ratio = 1 / np.cos(np.radians(arrows.Y))
        np.testing.assert_allclose(arrows.U, 0.3 * ratio)
        np.testing.assert_allclose(arrows.V, -0.3)

    def test_uneven_coordinates_are_refused_for_images_and_fine_for_lines(self):
        T = labelled(np.hypot(*(np.mgrid[0:30, 0:40] - 15.0)), np.arange(30.0)**2)
        with self.assertRaisesRegex(zermelo.ArgumentError, "not evenly spaced"):
            plot.arrival(T, ax=self.ax)
        plot.isochrones(T, [5], ax=self.ax)

    def test_rasters(self):
        T = self.s.T.view(zermelo.Raster)
        t = SimpleNamespace(a=30.0, b=0.0, c=1000.0, d=0.0, e=-30.0, f=5000.0)
        T.profile = {"transform": t, "crs": None}
        self.assertEqual(list(plot.arrival(T, ax=self.ax).get_extent()), [1000, 2200, 4100, 5000])
        t.b = 1.0
        with self.assertRaisesRegex(zermelo.ArgumentError, "rotated"):
            plot.arrival(T, ax=plt.figure().gca())
        self.assertEqual(len(zermelo.isochrones(T, [5])), 1)

    def test_a_solution_of_xarray_is_drawn_on_its_map(self):
        field = labelled(G[0])
        s = zermelo.solve(field, None, (8, 6), spacing="coords", solution=True)
        picture = s.plot(self.ax)
        self.assertEqual(list(picture.image.get_extent()), [45, 445, 5, 305])
        np.testing.assert_allclose(picture.sources.get_offsets(), [[110, 220]])


class Solutions(Plots):
    def test_everything_that_there_is_is_drawn(self):
        picture = self.s.plot(self.ax, to=[(1, 35), (28, 30)])
        self.assertTrue(all(part is not None for part in picture))
        self.assertIs(picture.ax, self.ax)
        self.assertEqual(len(picture.paths.get_segments()), 2)
        words = [text.get_text() for text in self.ax.get_legend().get_texts()]
        self.assertEqual(words, ["isochrones", "obstacles", "drift $b$", "paths", "sources"])
        bare = zermelo.solve(np.ones((9, 9)), None, (4, 4), solution=True).plot(plt.figure().gca())
        self.assertIsNone(bare.drift)
        self.assertIsNone(bare.obstacles)

    def test_problems_of_a_batch(self):
        s = zermelo.solve(np.ones((2, 1, 9, 9)), None, [[(0, 0)], [(8, 8)]], solution=True)
        picture = s.plot(self.ax, item=1, to=[(0, 0)])
        np.testing.assert_array_equal(picture.image.get_array(), s.T[1])
        np.testing.assert_allclose(picture.sources.get_offsets(), [[8, 8]])
        with self.assertRaisesRegex(zermelo.ArgumentError, "item=0 to 1"):
            s.plot(self.ax)

    def test_nothing_reached_and_single_rows(self):
        zermelo.solve(np.ones((1, 9)), None, (0, 4), solution=True).plot(self.ax)
        s = zermelo.solve(np.ones((9, 9)), None, (4, 4, 9.0), t_max=1.0, solution=True)
        s.plot(plt.figure().gca())

    def test_metrics_that_change_with_time(self):
        s = zermelo.solve(np.ones((2, 1, 9, 9)), None, (4, 4), starts=[0.0, 3.0], solution=True)
        self.assertIsNone(s.plot(self.ax).drift)

    def test_a_table_for_notebooks(self):
        text = self.s._repr_html_()
        for word in "30 x 40", "reached", self.s.method:
            self.assertIn(word, text)

    @unittest.skipUnless(has("torch"), "no torch here (Debian: python3-torch)")
    def test_tensors(self):
        import torch
        T = torch.tensor(self.s.T, requires_grad=True)
        plot.arrival(T, ax=self.ax)
        plot.drift(torch.tensor(B), ax=self.ax)
        plot.ellipses(torch.tensor(G), torch.tensor(B), ax=self.ax)
        plot.sources(torch.tensor([[3.0, 4.0]]), ax=self.ax)
        plot.obstacles(torch.tensor(WALLS), ax=self.ax)


class Axes(Plots):
    def test_figures_that_are_closed_are_freed(self):
        import gc
        import weakref
        figure, ax = plt.subplots()
        plot.arrival(self.s, ax=ax)
        plot.isochrones(self.s, ax=ax)
        gone = weakref.ref(ax)
        plt.close(figure)
        del figure, ax
        gc.collect()
        self.assertIsNone(gone())

    def test_another_field_takes_the_place_of_the_first_and_of_its_colour_bar(self):
        plot.arrival(self.s, ax=self.ax)
        plot.field(G[0], ax=self.ax)
        self.assertEqual(len(self.ax.child_axes), 1)

    def test_axes_that_were_cleared_are_new(self):
        plot.arrival(np.ones((4, 5)), ax=self.ax, spacing=7)
        self.ax.clear()
        self.assertEqual(list(plot.arrival(np.ones((4, 5)), ax=self.ax).get_extent()),
                         [-0.5, 4.5, 3.5, -0.5])


class Colors(Plots):
    def test_lightness_rises_evenly_along_maps_of_magnitudes(self):
        """Oklab's L, which the figures are made with, is monotone; the middle of the diverging map
        is its lightest."""
        def lightness(name):
            rgb = np.array(plot.colormap(name)(np.linspace(0, 1, 65)))[:, :3]
            linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055)**2.4)
            lms = linear @ np.array([[0.4122214708, 0.2119034982, 0.0883024619],
                                     [0.5363325363, 0.6806995451, 0.2817188376],
                                     [0.0514459929, 0.1073969566, 0.6299787005]])
            return np.cbrt(lms) @ (0.2104542553, 0.7936177850, -0.0040720468)
        self.assertTrue((np.diff(lightness("sea")) > 0.005).all())
        self.assertTrue((np.diff(lightness("ember")) > 0.005).all())
        self.assertTrue((np.diff(lightness("sand")) < 0).all())
        self.assertEqual(np.argmax(lightness("diverging")), 32)
        self.assertLess(np.ptp(lightness("cyclic")), 0.01)

    def test_maps_of_matplotlib_and_unknown_ones(self):
        self.assertEqual(plot.arrival(self.s, ax=self.ax, cmap="viridis").cmap.name, "viridis")
        plot.arrival(self.s, ax=self.ax, cmap=matplotlib.colormaps["magma"])
        with self.assertRaisesRegex(zermelo.ArgumentError, "'sea', 'ember'"):
            plot.colormap("heat")


class Missing(unittest.TestCase):
    def without(self, module, code):
        hide = f"import sys; sys.modules[{module!r}] = None\n"
        run = subprocess.run([sys.executable, "-c", hide + code], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_a_missing_matplotlib_is_said_plainly(self):
        self.without("matplotlib", "import numpy as np, zermelo\n"
                     "s = zermelo.solve(np.ones((3, 3)), None, (0, 0), solution=True)\n"
                     "for call in s.plot, lambda: zermelo.plot:\n"
                     "    try: call(); raise SystemExit(1)\n"
                     "    except ImportError as e:\n"
                     "        assert 'zermelo.plot needs matplotlib' in str(e), e\n")

    def test_geojson_needs_no_shapely(self):
        self.without("shapely", "import numpy as np, zermelo\n"
                     "found = zermelo.isochrones(np.eye(5), [0.5])\n"
                     "assert found.geojson()['features']\n"
                     "try: found.shapely(); raise SystemExit(1)\n"
                     "except ImportError as e: assert 'python3-shapely' in str(e), e\n")

    def test_matplotlib_is_imported_only_when_asked_for(self):
        subprocess.run([sys.executable, "-c", "import sys, zermelo\n"
                        "assert 'matplotlib' not in sys.modules"], check=True)


if __name__ == "__main__":
    main()
