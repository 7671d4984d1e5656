# SPDX-License-Identifier: Apache-2.0
"""zermelo info describes files and the tool."""
import json

from _tool import ToolTest, drift, main, metric, np


class Info(ToolTest):
    def report(self, *args):
        return json.loads(self.zermelo("info", *args, "--json", "-").stdout)

    def test_without_a_file_it_describes_the_tool(self):
        text = self.zermelo("info").stdout
        self.assertIn("processors: ", text)
        self.assertIn("instruction sets: scalar", text)
        report = self.report()
        self.assertGreaterEqual(report["processors"], 1)
        self.assertEqual(report["instruction_sets"][0], "scalar")

    def test_shape_type_and_order(self):
        for dtype, name in (("<f8", "float64"), (">f4", "float32, big-endian"), ("<f2", "float16"),
                            ("i1", "int8"), (">u4", "uint32, big-endian"), ("?", "bool")):
            self.save("a.npy", np.zeros((4, 5), dtype))
            self.assertEqual(self.zermelo("info", "a.npy").stdout.splitlines()[0],
                             f"a.npy: (4, 5) {name}")
        self.save("a.npy", np.asfortranarray(np.zeros((4, 5))))
        self.assertIn("Fortran order", self.zermelo("info", "a.npy").stdout)

    def test_range_of_the_finite_values(self):
        self.save("a.npy", np.array([1.0, 2, 6, np.inf, np.nan]))
        text = self.zermelo("info", "a.npy").stdout
        self.assertIn("1 to 6, mean 3", text)
        self.assertIn("not finite: 2 of 5", text)
        (info,) = self.report("a.npy")["files"]
        self.assertEqual([info[k] for k in ("min", "max", "mean", "not_finite", "shape")],
                         [1, 6, 3, 2, [5]])
        self.save("a.npy", np.array([np.nan]))
        self.assertIsNone(self.report("a.npy")["files"][0]["min"])

    def test_metrics(self):
        g = metric(4, 5, 2, 0, 8)
        g[:, 1, 1] = 5, 4, 5  # eigenvalues 9 and 1
        self.save("g.npy", g)
        (info,) = self.report("g.npy")["files"]
        self.assertTrue(info["positive_definite"])
        np.testing.assert_allclose(info["eigenvalues"], [1, 9])
        np.testing.assert_allclose(info["anisotropy"], [4, 9])
        g[1, 2, 3] = 5
        self.save("g.npy", g)
        (info,) = self.report("g.npy")["files"]
        self.assertFalse(info["positive_definite"])
        self.assertEqual(info["bad_cells"], 1)
        self.assertIn("row 2, col 3", info["first_bad"])
        self.assertIn("not positive definite in 1 of 20 cells", self.zermelo("info", "g.npy").stdout)

    def test_drift_that_fits_and_drift_that_does_not(self):
        self.save("g.npy", metric(4, 5, 4, 0, 4))
        self.save("g1.npy", np.full((4, 5), 4.0))
        b = drift(4, 5, 1.2, 0)
        b[:, 0, 0] = 0, 0.8
        self.save("b.npy", b)
        for name in "g.npy", "g1.npy":
            (info,) = self.report(name, "--drift", "b.npy")["files"]
            self.assertTrue(info["feasible"])
            np.testing.assert_allclose(info["drift_norm"], [0.4, 0.6])
        b[0, 2, 2] = 2
        self.save("b.npy", b)
        (info,) = self.report("g.npy", "--drift", "b.npy")["files"]
        self.assertFalse(info["feasible"])
        self.assertIn("not feasible", self.zermelo("info", "g.npy", "--drift", "b.npy").stdout)
        self.save("b.npy", np.zeros((2, 5, 4)))
        self.refuses(1, "must be (2, 4, 5)", "info", "g.npy", "--drift", "b.npy")

    def test_several_files_and_one_that_is_broken(self):
        self.save("a.npy", np.ones(3))
        (self.dir / "b.npy").write_text("not an array")
        run = self.zermelo("info", "a.npy", "b.npy", "a.npy", status=1)
        self.assertEqual(run.stdout.count("a.npy: (3) float64"), 2)
        self.assertIn("b.npy: not an NPY file; write one with numpy.save", run.stderr)

    def test_json_into_a_file_with_names_that_need_escapes(self):
        name = 'od"d\\\n\u00e9.npy'
        self.save(name, np.ones(3))
        run = self.zermelo("info", name, "--json", "r.json")
        self.assertIn("(3) float64", run.stdout)
        report = json.loads((self.dir / "r.json").read_text(encoding="utf-8"))
        self.assertEqual(report["files"][0]["file"], name)


if __name__ == "__main__":
    main()
