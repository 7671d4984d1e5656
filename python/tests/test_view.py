# SPDX-License-Identifier: Apache-2.0
"""zermelo.view: the page has the arrays bit for bit, and shows itself in a notebook."""
import html
import os
import pathlib
import sys
import tempfile
import unittest

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tests/cli"))
os.environ.setdefault("ZERMELO", "/bin/true")  # what takes pages apart needs no tool
from _page import Page  # noqa: E402

import zermelo  # noqa: E402
from zermelo import _core  # noqa: E402
from _common import main, smooth_problem  # noqa: E402

ROWS, COLS = 24, 31


def taken_apart(view):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "page.html")
        view.save(path)
        return Page(path)


@unittest.skipUnless(hasattr(_core, "page"), "built without pages")
class View(unittest.TestCase):
    def setUp(self):
        self.G, self.b = smooth_problem(ROWS, COLS)
        self.T = zermelo.solve(self.G, self.b, [(5, 7)])

    def test_times_come_back_bit_for_bit_in_both_types(self):
        for dtype in np.float32, np.float64:
            T = self.T.astype(dtype)
            T[0, 0] = np.inf
            page = taken_apart(zermelo.view(T))
            self.assertEqual(page.roles(), ["times"])
            self.assertEqual(page.field(0)[0].tobytes(), T.tobytes())
            self.assertEqual(page.field(0).dtype, dtype)

    def test_strides_do_not_matter(self):
        page = taken_apart(zermelo.view(np.asfortranarray(self.T), maps=self.T[::-1, ::-1]))
        self.assertEqual(page.field(0)[0].tobytes(), self.T.tobytes())
        self.assertEqual(page.field(1)[0].tobytes(), self.T[::-1, ::-1].tobytes())

    def test_a_solution_brings_its_problem_with_it(self):
        """Solving what the page has gives the same times."""
        walls = np.zeros((ROWS, COLS), bool)
        walls[3:12, 15] = True
        for dtype in np.float32, np.float64:
            s = zermelo.solve(self.G.astype(dtype), self.b.astype(dtype), [(5, 7), (20, 3, 0.5)], walls=walls,
                              spacing=(2.0, 3.0), order=2, t_max=60.0, solution=True)
            page = taken_apart(zermelo.view(s, title="t"))
            self.assertEqual(page.roles(), ["times", "metric", "drift", "obstacles"])
            solve = page.facts["solve"]
            self.assertEqual(page.facts["spacing"], [2, 3])
            self.assertEqual((solve["order"], solve["t_max"], solve["precision"]),
                             (2, 60, "f4" if dtype == np.float32 else "f8"))
            again = zermelo.solve(page.one("metric"), page.one("drift"), solve["sources"],
                                  walls=page.one("obstacles")[0].astype(bool), spacing=(2.0, 3.0),
                                  order=2, t_max=60.0)
            self.assertEqual(again.tobytes(), s.T.tobytes())
            self.assertEqual(page.one("times")[0].tobytes(), s.T.tobytes())

    def test_metrics_of_one_and_two_planes(self):
        for G in self.G[0], self.G[[0, 2]]:
            page = taken_apart(zermelo.view(G=G, sources=[(5, 7)]))
            planes = page.one("metric")
            self.assertEqual(len(planes), 1 if G.ndim == 2 else 3)
            self.assertEqual(planes[0].tobytes(), self.G[0].tobytes())
            self.assertEqual(planes[-1].tobytes(), G[-1].tobytes() if G.ndim == 3 else G.tobytes())

    def test_maps_gradients_and_stacks_by_name(self):
        s = zermelo.solve(self.G, self.b, [(5, 7)], solution=True)
        dG, db = s.vjp(np.ones_like(s.T))
        page = taken_apart(zermelo.view(s.T, maps={"speed": self.G[0]}, gradients={"dG": dG, "db": db}))
        self.assertEqual(page.roles(), ["times", "map"] + ["signed"] * 5)
        self.assertEqual([f["label"] for f in page.fields][1:4], ["speed", "dG [0]", "dG [1]"])
        self.assertEqual(page.field(3)[0].tobytes(), np.ascontiguousarray(dG[1]).tobytes())

    def test_an_inversion_brings_its_history(self):
        found = zermelo.invert([([(5, 7)], self.T)], max_iterations=3)
        page = taken_apart(zermelo.view(self.T, found))
        self.assertEqual(page.facts["tables"][0]["title"], "iterations")
        self.assertEqual(len(page.facts["tables"][0]["rows"]), len(found.history))

    def test_words_and_units(self):
        page = taken_apart(zermelo.view(self.T, title="<b>\N{SNOWMAN}</b>", unit_time="s", unit_length="km",
                                        colormap="magma", spacing=0.25))
        self.assertEqual(page.title, "<b>\N{SNOWMAN}</b>")
        self.assertEqual(page.facts["units"], {"time": "s", "length": "km"})
        self.assertEqual((page.facts["colormap"], page.facts["spacing"]), ("magma", [0.25, 0.25]))

    def test_it_shows_itself_in_a_notebook(self):
        """The frame holds the page as text of an attribute, so nothing of it is the notebook's."""
        view = zermelo.view(self.T, title='"><script>alert(1)</script>')
        shown = view._repr_html_()
        self.assertEqual(shown.count("<"), 2)  # the frame alone
        self.assertTrue(shown.startswith("<iframe ") and shown.endswith("</iframe>"))
        source = shown.split('srcdoc="', 1)[1].rsplit('"', 1)[0]
        self.assertNotIn('"', source)
        self.assertEqual(html.unescape(source), view.html)
        self.assertNotIn("allow-same-origin", shown)
        self.assertEqual(len(view), len(bytes(view)))

    def test_tensors(self):
        try:
            import torch
        except ImportError:
            self.skipTest("no torch")
        T = torch.tensor(self.T, requires_grad=True)
        self.assertEqual(taken_apart(zermelo.view(T)).field(0)[0].tobytes(), self.T.tobytes())

    def test_dataarrays_tell_place_name_and_unit(self):
        try:
            import xarray
        except ImportError:
            self.skipTest("no xarray")
        T = xarray.DataArray(self.T, {"y": 4e6 - 30.0 * np.arange(ROWS), "x": 5e5 + 30.0 * np.arange(COLS)},
                             ("y", "x"), "arrival", {"units": "min"})
        page = taken_apart(zermelo.view(T))
        self.assertEqual(page.facts["place"]["transform"], [499985, 30, 0, 4000015, 0, -30])
        self.assertEqual(page.facts["spacing"], [30, 30])
        self.assertEqual(page.facts["units"]["time"], "min")
        self.assertEqual(page.fields[0]["name"], "arrival")

    def test_maps_of_fires_tell_place_and_unit(self):
        try:
            import zermelo.fire
        except ImportError:
            self.skipTest("no zermelo.fire")
        with tempfile.TemporaryDirectory() as folder:
            fire = zermelo.fire.simulate(folder, fires=1, shape=(60, 70), seed=3)["f0001"]
            T, many = zermelo.fire.physics(fire), zermelo.fire.ensemble(fire, members=3)
        page = taken_apart(zermelo.view(T, many))
        self.assertEqual(page.roles(), ["times", "probability", "times", "times", "times"])
        self.assertEqual(page.field(0)[0].tobytes(), np.asarray(T).tobytes())
        self.assertEqual(page.field(1)[0].tobytes(), np.asarray(many.probability).tobytes())
        self.assertEqual(page.facts["units"], {"time": "h", "length": "m"})
        self.assertEqual((page.facts["spacing"], page.facts["place"]["epsg"]), ([30, 30], 32629))
        self.assertLess(abs(page.facts["place"]["north"]), 3)

    def test_what_cannot_be_shown_is_refused(self):
        batch = zermelo.solve(np.stack([self.G, self.G]), None, [(5, 7)], solution=True)
        for call, says in ((lambda: zermelo.view(), "nothing to view"),
                           (lambda: zermelo.view(self.T, self.T[1:]), "expected one grid"),
                           (lambda: zermelo.view(self.T, G=self.G), "G needs sources"),
                           (lambda: zermelo.view(self.T, walls=self.T > 3), "expected G too"),
                           (lambda: zermelo.view(batch), r"T\[i\]"),
                           (lambda: zermelo.view(self.T, colormap="jet"), "colormap"),
                           (lambda: zermelo.view(self.T[0]), "expected"),
                           (lambda: zermelo.view(self.T, limit=1000), "limit")):
            with self.assertRaisesRegex(ValueError, says):
                call()
        self.assertIsNotNone(zermelo.view(batch[0]))

    def test_a_file_that_cannot_be_written_is_told(self):
        view = zermelo.view(self.T)
        with self.assertRaisesRegex(Exception, "nowhere"):
            view.save("/nowhere/page.html")


class Without(unittest.TestCase):
    def test_packages_are_named_where_pages_are_not_built(self):
        had = _core.__dict__.pop("page", None)
        try:
            with self.assertRaisesRegex(NotImplementedError, "wasi-libc"):
                zermelo.view(np.zeros((3, 3)))
        finally:
            if had is not None:
                _core.page = had


if __name__ == "__main__":
    main()
