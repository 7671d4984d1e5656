# SPDX-License-Identifier: Apache-2.0
"""zermelo path writes paths, labels and flow."""
import csv
import json

from _tool import ToolTest, drift, main, metric, np, svg_colors

ROWS, COLS = 41, 61


class Path(ToolTest):
    def setUp(self):
        super().setUp()
        self.save("g.npy", np.ones((ROWS, COLS)))
        walls = np.zeros((ROWS, COLS), np.uint8)
        walls[:30, 30] = 1
        self.save("w.npy", walls)
        self.walls = walls

    def path(self, *args, **more):
        return self.zermelo("path", "--metric", "g.npy", "--quiet", *args, **more)

    def table(self, name):
        with open(self.dir / name, newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], ["path", "point", "row", "col", "time"])
        return np.array(rows[1:], float)

    # Once round the lower end of the wall, at (29.5, 29.5) and (29.5, 30.5).
    def test_path_goes_round_a_wall(self):
        self.path("--walls", "w.npy", "--source", "10,10,2", "--to", "10,50", "--out", "p.csv")
        p = self.table("p.csv")
        self.assertEqual(p[0, 2:].tolist(), [10, 10, 2])
        self.assertEqual(p[-1, 2:4].tolist(), [10, 50])
        self.assertEqual(p[:, 1].tolist(), list(range(len(p))))
        self.assertTrue((np.diff(p[:, 4]) > 0).all())
        length = np.hypot(*np.diff(p[:, 2:4], axis=0).T).sum()
        self.assertAlmostEqual(length, 2 * np.hypot(19.5, 19.5) + 1, delta=0.5)
        cells = np.floor(p[:, 2:4] + 0.5).astype(int)
        self.assertFalse(self.walls[cells[:, 0], cells[:, 1]].any())

    # Over even ground: straight, whether traced or straightened; fractions are kept.
    def test_paths_are_numbered_and_end_where_asked(self):
        self.path("--source", "10,10", "--source", "30,50", "--to", "20.5,55.25", "--to", "0,0",
                  "--out", "p.npy", "--no-straighten")
        p = self.load("p.npy")
        self.assertEqual(p.shape[1], 4)
        self.assertEqual(np.unique(p[:, 0]).tolist(), [0, 1])
        for number, source, end in (0, (30, 50), (20.5, 55.25)), (1, (10, 10), (0, 0)):
            one = p[p[:, 0] == number][:, 1:]
            self.assertEqual(one[0, :2].tolist(), list(source))
            self.assertEqual(one[-1, :2].tolist(), list(end))
            way = np.subtract(end, source)
            off = np.cross(one[:, :2] - source, way / np.hypot(*way))
            self.assertLess(abs(off).max(), 1)
            self.assertAlmostEqual(one[-1, 2], np.hypot(*way), delta=1)

    def test_report_names_source_time_and_cost(self):
        self.save("b.npy", drift(ROWS, COLS, 0.4, 0.1))
        run = self.path("--drift", "b.npy", "--walls", "w.npy", "--source", "38,5", "--source",
                        "5,5", "--to", "5,20", "--to", "3,30", "--json", "-")
        report = json.loads(run.stdout)
        found, wall = report["paths"]
        self.assertEqual((found["row"], found["col"], found["source"]), (5, 20, 1))
        self.assertTrue(found["reached"] and found["points"] > 10)
        self.assertAlmostEqual(found["time"], 15 * (1 - 0.4), places=9)
        self.assertAlmostEqual(found["cost"], 15 * (1 - 0.4), delta=0.01)
        self.assertEqual(wall, {"row": 3, "col": 30, "reached": False, "points": 0})

    def test_labels_are_the_nearest_source(self):
        sources = np.array([[5, 5], [30, 12], [20, 50]])
        given = [x for s in sources for x in ("--source", f"{s[0]},{s[1]}")]
        self.path(*given, "--labels", "l.npy")
        labels = self.load("l.npy")
        y, x = np.mgrid[:ROWS, :COLS]
        distance = np.stack([np.hypot(y - s[0], x - s[1]) for s in sources])
        order = np.sort(distance, axis=0)
        clear = order[1] - order[0] > 1
        self.assertGreater(clear.mean(), 0.9)
        np.testing.assert_array_equal(labels[clear], distance.argmin(axis=0)[clear])

    # |dx/dT|_G - b.dx/dT = 1 everywhere: in unit time the front moves by a unit of cost.
    def test_flow_moves_by_one_unit_of_cost(self):
        g = metric(ROWS, COLS, 2.0, 0.3, 1.0)
        b = drift(ROWS, COLS, 0.2, -0.3)
        self.save("g.npy", g)
        self.save("b.npy", b)
        self.path("--drift", "b.npy", "--walls", "w.npy", "--source", "20,10", "--flow", "v.npy",
                  "--labels", "l.npy")
        v, labels = self.load("v.npy"), self.load("l.npy")
        self.assertEqual(v.shape, (2, ROWS, COLS))
        np.testing.assert_array_equal(np.isnan(v[0]), self.walls == 1)
        np.testing.assert_array_equal(labels == -1, self.walls == 1)
        self.assertEqual(v[:, 20, 10].tolist(), [0, 0])
        cost = np.sqrt(g[0] * v[0]**2 + 2 * g[1] * v[0] * v[1] + g[2] * v[1]**2) \
            - b[0] * v[0] - b[1] * v[1]
        cost[20, 10] = 1
        np.testing.assert_allclose(cost[self.walls == 0], 1, rtol=1e-12)

    def test_float32_files_give_float32_flow(self):
        self.save("g.npy", np.ones((ROWS, COLS), np.float32))
        self.path("--source", "3,3", "--flow", "v.npy")
        self.assertEqual(self.load("v.npy").dtype, np.float32)

    def test_picture_of_paths(self):
        if "--plot" not in self.zermelo("path", "--help").stdout:
            self.skipTest("built without Cairo")
        self.path("--walls", "w.npy", "--source", "10,10", "--to", "10,50", "--plot", "p.svg")
        with_paths = (self.dir / "p.svg").read_text()
        self.zermelo("solve", "--metric", "g.npy", "--walls", "w.npy", "--source", "10,10",
                     "--out", "T.npy", "--plot", "s.svg", "--quiet")
        def drawn(picture):
            return svg_colors(picture).count("#e4572e")  # the colour of paths
        self.assertEqual(drawn(with_paths), 2)  # the line, and the legend
        self.assertEqual(drawn((self.dir / "s.svg").read_text()), 0)

    def test_requests_that_make_no_sense_are_refused(self):
        problem = ("path", "--metric", "g.npy", "--source", "1,1")
        self.refuses(2, "give --to, --labels or --flow", *problem)
        self.refuses(2, "--to ROW,COL", *problem, "--labels", "l.npy", "--out", "p.csv")
        self.refuses(2, "--no-straighten", *problem, "--labels", "l.npy", "--no-straighten")
        self.refuses(2, "give --out, --plot or --json", *problem, "--to", "3,3")
        for bad in "3", "3,", "a,b", "-1,3", "3,4,5", "inf,2":
            self.refuses(2, "--to", *problem, "--to", bad, "--out", "p.csv")
        self.assertEqual(self.files(), ["g.npy", "w.npy"])

    def test_points_outside_of_the_grid_are_refused(self):
        self.refuses(1, "0..40 and 0..60", "path", "--metric", "g.npy", "--source", "1,1",
                     "--to", "3,60.5", "--out", "p.csv", "--quiet")


if __name__ == "__main__":
    main()
